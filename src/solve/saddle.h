/* SPDX-License-Identifier: Apache-2.0
 * Numeric elimination of  G z' - D' lambda = h,  A z' = c  for what the formulas do not eliminate: large, dense,
 * redundant, nearly singular. */
#ifndef ACTIO_SOLVE_SADDLE_H
#define ACTIO_SOLVE_SADDLE_H

#include "equations/system.h"
#include "solve/border.h"

struct actio_saddle; /* workspace; nothing is allocated after open */
/* NULL: no memory */
struct actio_saddle *actio_saddle_open(struct actio_context *ctx, const struct actio_system *sys);
void actio_saddle_close(struct actio_saddle *s);

/* Values as the MATRIX kernel puts them out. 0, or 1: singular. The quality is that of the equilibrated matrix: about
 * the smallest relative pivot. */
int actio_saddle_factor(struct actio_saddle *s, const double *values);
double actio_saddle_quality(const struct actio_saddle *s);
/* How short the rows of positions have become: the least of (length / largest length so far)^2, which no scaling of
 * rows shows; 1 where there are none. */
double actio_saddle_shortest(const struct actio_saddle *s);
void actio_saddle_forget(struct actio_saddle *s); /* lengths so far: another motion begins */
/* Lengths of rows at a state of the motion. Not inside of steps: trial states go astray. */
void actio_saddle_note(struct actio_saddle *s, const double *values);
/* squared, in variables whose masses are about 1 */
double actio_saddle_longest(const struct actio_saddle *s, size_t row);
/* z' (n+m), lambda (p), reaction (n+m). 0, or 1: no solution (contradictory rows, or z' not determined). */
int actio_saddle_solve(struct actio_saddle *s, double *zdot, double *lambda, double *reaction);
/* What a generalised force does by itself: z', and the multipliers' answer to it (A z' = 0). 0, or 1: not determined.
 * */
int actio_saddle_respond(struct actio_saddle *s, const double *force, double *zdot, double *lambda);
/* z of  G z - D' lambda = h,  A z = c  for any right sides; 0, or 1: rows contradict. near: c as nearly as they can. */
int actio_saddle_answer(struct actio_saddle *s, const double *h, const double *c, bool near, double *z);
/* The step of z that removes residuals r (one for each constraint, 0 where there is none), nearest in the metric G. */
int actio_saddle_step(struct actio_saddle *s, const double *r, double *step);
/* Rank of A after scaling, at the last values; multipliers that are not unique are marked. */
size_t actio_saddle_rank(struct actio_saddle *s, bool *unique);
/* fewer than p: rows are redundant; the rank that the motion should keep */
void actio_saddle_expect_rank(struct actio_saddle *s, size_t rank);
/* The variable that moves most along a direction which the constraints leave free and G does not weigh; n+m when there
 * is none. */
size_t actio_saddle_free_variable(struct actio_saddle *s);
/* the constraint whose row adds least to the others, or p when the rows are not the cause */
size_t actio_saddle_weakest(const struct actio_saddle *s);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Words that several messages share: constraints with their lines, values at the start, the line to write instead.
 * Texts live in the arena; all of these escape when memory runs out, so they are called inside actio_attempt. */
#ifndef ACTIO_WORDS_H
#define ACTIO_WORDS_H

#include "equations/formation.h"
#include "explain/about.h"

/* "'rod' (line 4: x^2 + y^2 = 1)"; of a hidden one its equation. Several: "a, b and c". */
const char *actio_words_constraint(struct actio_about *about, uint32_t k);
const char *actio_words_constraints(struct actio_about *about, const uint32_t *row, size_t rows);
const char *actio_words_lines(struct actio_about *about, const uint32_t *row, size_t rows); /* "line 4 or line 5" */
/* " with belt = 0.5 (line 2)": the params in formulas of the model; "" without. */
const char *actio_words_params(struct actio_about *about, const actio_expr *e, size_t count);
const char *actio_words_number(struct actio_about *about, double x); /* short, for reading */

/* Which components of y occur in these formulas of the formation. */
bool *actio_words_involved(struct actio_about *about, const actio_expr *e, size_t count);
/* "x = 0.8, y = 0 (not given)" of those at the start. */
const char *actio_words_values(struct actio_about *about, const bool *involved);
/* The `start` statement that has them; without one the first; line 0 where the model has none. */
struct actio_span actio_words_start_place(struct actio_about *about, const bool *involved);
/* Of the given values those that are others in y, the involved ones if there are any; `involved` when none change, or y
 * is NULL. */
const bool *actio_words_to_change(struct actio_about *about, const bool *involved, const double *y);
/* "write `start x = 1, y = 0`": that statement with the values of y; or a list of them where it can't be rewritten as
 * one line. */
const char *actio_words_start_from(struct actio_about *about, const bool *involved, const double *y);

/* lagrangian.c: what the Lagrangian lacks. */
struct actio_verdict;
void actio_say_arbitrary(struct actio_about *about, const struct actio_verdict *v, uint32_t variable);
void actio_say_no_motion(struct actio_about *about, const struct actio_verdict *v);
void actio_say_indefinite(struct actio_about *about, const struct actio_verdict *v, bool is_cause);

/* verdict.c: where to start instead of at a singular state. */
const char *actio_words_elsewhere(struct actio_about *about, const struct actio_verdict *v, const bool *involved);

#endif

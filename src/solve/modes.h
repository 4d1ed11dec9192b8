/* SPDX-License-Identifier: Apache-2.0
 * Small motions about an equilibrium: their frequencies, growth and shapes. */
#ifndef ACTIO_SOLVE_MODES_H
#define ACTIO_SOLVE_MODES_H

#include "solve/motion.h"

/* e^((growth + i omega) t). Of a conservative system w2 = omega^2 - growth^2 counts once for both of its signs. */
struct actio_mode {
    double omega, growth;
};

enum actio_modes_status {
    ACTIO_MODES_FOUND,
    ACTIO_MODES_NO_MEMORY,
    ACTIO_MODES_TOO_LARGE,
    ACTIO_MODES_NOT_FINITE,
    ACTIO_MODES_UNDETERMINED,
    ACTIO_MODES_MOVES,
    ACTIO_MODES_NO_REST,
    ACTIO_MODES_KINK,
    ACTIO_MODES_CONTACT,
    ACTIO_MODES_STUCK,
    ACTIO_MODES_NOT_CONVERGED
};

/* coordinates; unknowns of first order; coordinates of a shape that is reported */
enum { ACTIO_MODES_LARGEST = 1500, ACTIO_MODES_LARGEST_GENERAL = 800, ACTIO_MODES_SHOWN = 64 };

struct actio_spectrum {
    struct actio_mode *mode; /* growing ones first, then the lowest */
    size_t count;
    bool conservative; /* one symmetric problem; else eigenvalues of the first-order system, a pair counts once */
    double rounding;   /* omega and growth below it are 0 */
    double *shape;     /* of conservative ones, by mode and coordinate, largest 1; NULL: too many, or there are none */
    size_t worst;      /* of what stopped it: component, its rate; switch or contact; unknowns */
    double amount;
};

/* At a state that the motion was made ready for. Closed by actio_spectrum_close, whatever it was. */
enum actio_modes_status actio_modes_solve(struct actio_motion *m, double t, const double *y,
                                          struct actio_spectrum *out);
void actio_spectrum_close(struct actio_context *ctx, struct actio_spectrum *s);

/* rest.c: an equilibrium near y, found from it; y is moved there. False: none was found, or the model is not of that
 * kind (states, contacts, switches, more than 600 unknowns), or y is not at rest. */
bool actio_rest_find(struct actio_motion *m, double t, double *y);

/* modes_slopes.c: derivatives of h - G z' + D' lambda and c - A z' by (q, v, s) at the motion's point, accelerations
 * and multipliers held: entries in no order. Rows of values beyond an end are those of their natural conditions. 0; 1:
 * no memory; or, of fields, ACTIO_SLOPES_BENT: they are others on either side of the point. */
enum { ACTIO_SLOPES_BENT = 2 };
struct actio_slopes {
    uint32_t *row, *col;
    double *value;
    size_t count;
};
int actio_slopes_open(struct actio_slopes *s, struct actio_motion *m, double t, const double *y);
void actio_slopes_close(struct actio_slopes *s, struct actio_context *ctx);
/* what they are the slopes of; false: a formula has no value */
bool actio_slopes_residual(struct actio_motion *m, double t, const double *y, double *r);
void actio_slopes_apply(const struct actio_slopes *s, size_t rows, const double *dy, double *out);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Sensitivities by the minus sector of the action: the slabs of a motion are kept, and the transposed linearisations,
 * taken backwards, carry the gradient of a quantity at some time to initial data and params: one transposed solve a
 * slab, whatever their number.  [SKG 0.3,
 * 3.9] */
#ifndef ACTIO_SOLVE_ADJOINT_H
#define ACTIO_SOLVE_ADJOINT_H

#include "solve/motion.h"
#include "solve/slab.h"

struct actio_tape_slab {
    double t, h;
};
struct actio_tape {
    struct actio_context *ctx;
    size_t slabs, cap, width; /* width: numbers kept of each: data x0, P0, then rates and multipliers of its nodes */
    struct actio_tape_slab *slab;
    double *kept;
    bool full; /* there was no memory for all of them */
};
void actio_tape_note(struct actio_tape *tape, const struct actio_slab *s);
void actio_tape_close(struct actio_tape *tape);

struct actio_adjoint {
    struct actio_context *ctx;
    struct actio_motion *m;
    struct actio_tape tape;
    void *stepper;
    struct actio_slab *slab; /* the stepper's: what the tape is played back in */
    size_t stations, *end;   /* slabs up to each station */
    double *state;           /* known state at each */
    double *block, *ax, *aP, *y;
};
/* Marches from t0 through the stations (in the direction of the last), at a local tolerance. A flow or march status.
 * Close in any case. */
int actio_adjoint_forward(struct actio_adjoint *a, struct actio_context *ctx, struct actio_motion *m, double t0,
                          const double *y0, const double *stations, size_t count, double local);
/* The gradient dy (q, v, s) of a quantity at a station becomes that by initial data, dy0, and by params, which is added
 * to dparam. 0, or 1. */
int actio_adjoint_back(struct actio_adjoint *a, size_t station, const double *dy, double *dy0, double *dparam);
void actio_adjoint_close(struct actio_adjoint *a);
/* Of the stepper skg: the slab it works in. */
struct actio_slab *actio_skg_slab(void *handle);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * A chain of n links hung from the origin, unit masses at its joints, gravity downwards; symplectic Euler with the
 * tensions of the links from a tridiagonal system in each step [HAMEL B.2]. Joint k is at (x, y)[k], link k leads to
 * it. */
#ifndef ACTIO_BENCH_CHAIN_H
#define ACTIO_BENCH_CHAIN_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define CHAIN_GRAVITY 9.8

struct chain {
    size_t n;                                 /* a multiple of 8 */
    double *x, *y, *u, *v;                    /* places and velocities */
    double *dx, *dy, *diag, *off, *right, *T; /* streams, n + 1 long */
    double *work;                             /* 3 n + 512 */
    double *lane;                             /* the same in lanes, 80 doubles a node of a segment, aligned */
};

typedef void (*chain_steps)(struct chain *c, long count, double h);
void chain_thomas(struct chain *c, long count, double h);
void chain_twisted(struct chain *c, long count, double h);
void chain_streams(struct chain *c, long count, double h); /* actio_tri_solve between two loops */
/* Eight segments in the lanes of vectors, all in two sweeps: chain_lanes_enter first, chain_lanes_leave after. */
void chain_lanes_enter(struct chain *c);
void chain_lanes(struct chain *c, long count, double h);
void chain_lanes_leave(struct chain *c);
/* text_chain.c: Actio, from the model text; likewise. */
void chain_text_enter(struct chain *c);
void chain_text(struct chain *c, long count, double h);
void chain_text_leave(struct chain *c);
/* as many steps of DOP853, with projections and error control; h is not asked for */
void chain_dop853(struct chain *c, long count, double h);

/* chain_plot.c */
struct chain_way {
    const char *name;
    chain_steps steps;
    void (*enter)(struct chain *), (*leave)(struct chain *);
};
struct chain_curve {
    const char *name;
    uint32_t colour;
    double nodes[16], seconds[16];
    size_t count;
};
struct actio_context;
struct actio_findings;
double chain_time(struct chain *c, const struct chain_way *w, double node_steps);
void chain_draw(struct actio_context *ctx, struct actio_findings *f, const struct chain_curve *curve, size_t curves,
                const char *path);

#endif

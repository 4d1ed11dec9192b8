/* SPDX-License-Identifier: Apache-2.0
 * What marching knows of the step in hand. Inside march.c and march_look.c only. */
#ifndef ACTIO_SOLVE_MARCH_INSIDE_H
#define ACTIO_SOLVE_MARCH_INSIDE_H

#include "solve/march.h"

/* CUT: beyond, a guard has no value */
enum actio_incident_kind { NOTHING, CROSSING, PASS, TOUCH, SINGULAR, CUT };
/* Of a watched guard: it has come to 0, or a jump put it there, and may stay; it stays there. */
enum actio_calm { AWAKE, AT_ZERO, PUT_TO_ZERO, ASLEEP };
struct actio_incident {
    enum actio_incident_kind kind;
    double t;
    size_t guard;
};

/* By guard, of the watched ones. passed: up to when its crossings were reported; most: its largest value so far; due:
 * it crosses together with `firm`; was: its side before what crosses; calm: enum actio_calm. crossed_at: the last time
 * at which modes changed. */
struct actio_watching {
    double *passed, *most;
    signed char *due, *was, *calm;
    double crossed_at;
};

struct actio_marching {
    struct actio_context *ctx;
    const struct actio_ode *flow;
    const struct actio_march_task *task;
    const struct actio_stepper *stepper;
    void *h;
    double t_stop;                              /* where something happens by the clock, or the end */
    double t, t_next, direction;                /* the step is t -> t_next, y -> y_next */
    double t_creep;                             /* where it was CREEP_STEPS ago */
    double t_poor, poor;                        /* where it was POOR_STEPS ago, and the quality there */
    double *y, *y_next, *y_at, *f, *g, *sample; /* y_at, f, g: scratch */
    double *moved_by_tick;                      /* scratch: the known state before the clock */
    double *known, *moved;                      /* scratch, where the known state is another */
    signed char *side;                          /* sign of each guard in this mode, 0 = not known yet */
    struct actio_watching seen;                 /* of watched guards */
    struct actio_incident firm;                 /* the first thing that ends this step */
    size_t row[ACTIO_MARCH_LISTS];              /* the next one of each list */
    size_t ticks;
    size_t steps, rhs, projections, guard; /* guard: the one in hand */
    double look_start, look_end;           /* of the part of the step where the guard has values */
    double touched_at, singular_at;        /* the last ones reported, not to be reported twice */
    double since;                          /* from the crossing under way to its rounded time */
    double chatter_from;
    size_t chatter;
    bool fresh;   /* the step is the first one after a restart */
    bool overdue; /* rows could not be written in the time after a stop */
};

static inline double zero_sign(double x) { return (double)(x > 0) - (double)(x < 0); }
static inline bool before(const struct actio_marching *m, double a, double b) { return (b - a) * m->direction > 0; }
static inline bool is_watched(const struct actio_marching *m, size_t guard)
{
    return guard + m->flow->watched >= m->flow->guards;
}
static inline size_t watched_index(const struct actio_marching *m, size_t guard)
{
    return guard + m->flow->watched - m->flow->guards;
}
static inline size_t known_length(const struct actio_ode *flow) { return flow->unfold ? flow->known : flow->n; }

/* march_look.c: what passes there counts, and ends the step; times that differ by less than this are one instant */
bool actio_march_ends(const struct actio_marching *m, const struct actio_incident *what);
double actio_march_instant(const struct actio_marching *m, double t);
/* march_sides.c: sides of watched guards around what crosses: kept before, and seen anew after a jump from the known
 * state `old` to `new` */
void actio_march_keep_sides(struct actio_marching *m);
void actio_march_see_sides(struct actio_marching *m, const double *old, const double *new);
/* one that is at zero, or has come to stay there, is looked at; false: as any other is */
bool actio_march_is_calm(struct actio_marching *m, const double *sample, struct actio_incident *best);
/* march.c: the known state of an integrated one, and that at a time of the step; NAN where it can't be unfolded. */
const double *actio_march_known_of(struct actio_marching *m, double t, const double *y, double *to);
const double *actio_march_known_at(struct actio_marching *m, double t);
/* What the interpolant's error is worth to the guard at a time of the step. */
double actio_march_slack(struct actio_marching *m, size_t guard, double t);
/* march_look.c: what happens first in the step, by its guards, sampled before, and by the elimination's quality. */
void actio_march_sample_guards(struct actio_marching *m);
int actio_march_look_at_guards(struct actio_marching *m, struct actio_incident *best); /* a flow status */
/* what the guard of an incident does there, on the step's interpolant */
void actio_march_meet(struct actio_marching *m, const struct actio_incident *what, struct actio_meeting *meeting);
/* march_sides.c: a guard that crosses at the clock's time, at which the step ends: it crosses first */
void actio_march_meets_clock(struct actio_marching *m, struct actio_incident *what);
/* march_near.c: guards that come near 0 before `until` and turn back */
void actio_march_look_near(struct actio_marching *m, double until);
void actio_march_look_at_quality(struct actio_marching *m, struct actio_incident *best);

#endif

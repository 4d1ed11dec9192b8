/* SPDX-License-Identifier: Apache-2.0
 * A survey under way: what its files share. Inside verdict/ only. */
#ifndef ACTIO_VERDICT_SURVEY_H
#define ACTIO_VERDICT_SURVEY_H

#include "verdict/verdict.h"

#define ACTIO_NO_INERTIA 1e-9 /* eigenvalues of the scaled matrices below this are 0 */

struct actio_surveying {
    struct actio_verdict *v;
    struct actio_formation *F;
    struct actio_manifold M;
    struct actio_probe matrix;
    /* y0: the start, put on the manifold; as given */
    double t0;
    const double *y0, *given;
    const struct actio_box *box;
    struct actio_sampled points; /* the first of them: from the motion and around the start */
    size_t near;
    struct actio_look start, generic;
    double *row_size;        /* largest norm of each row of A seen, in its unit */
    double *unit_A, *unit_D; /* typical lengths of the rows of A, of D */
    double *size;            /* of the rows of G, fixed once seen */
    double *G, *A, *D, *d, *Z, *ZD, *S, *w, *right, *work, *wide;
    int *iwork;
    uint64_t seed;
    bool reached;                /* the start was put on the manifold; else y0 is another state */
    bool rheonomic;              /* constraints depend on time */
    bool any_side;               /* also points where switches are on another side than at the start */
    size_t later, later_reached; /* points tried at other times than the start's */
    double at;                   /* the time that contradictions are looked for at */
    bool *spared;                /* constraints that were found to follow from the others */
    const double *to;            /* where the scan goes; NULL: along one component */
};

/* look.c: ranks and inertia at one state; s->A and s->G stay as they are there. */
void actio_look_open(struct actio_surveying *s);
/* rows count by their largest lengths at the states measured */
void actio_look_measure(struct actio_surveying *s, double t, const double *y);
struct actio_look actio_look_at(struct actio_surveying *s, double t, const double *y);
bool actio_same_look(const struct actio_look *a, const struct actio_look *b);
/* after a look: how far the rows are from a smaller rank */
double actio_rows_spread(struct actio_surveying *s, size_t rank);

/* survey.c */
double actio_survey_uniform(struct actio_surveying *s); /* in (0, 1) */
/* in the box, less or more of it around the start */
void actio_survey_random(struct actio_surveying *s, double spread, double *y);
bool actio_survey_reach(struct actio_surveying *s, double t, double *y); /* moves y onto the manifold */
void actio_note_place(struct actio_surveying *s, const double *y, const char *what);

/* scan.c: singular states elsewhere, into v->singular_at. */
void actio_scan(struct actio_surveying *s);

/* flaws.c: constraints without a gradient where they hold, into v->flaw. */
void actio_find_flaws(struct actio_surveying *s);
/* constraints that hold on a switch only: no side of it has such states */
bool actio_find_jumps(struct actio_surveying *s);

/* contradict.c: constraints that no state satisfies together at the time s->at; the same at later times, where the
 * motion ends. */
void actio_find_contradiction(struct actio_surveying *s);
void actio_find_later(struct actio_surveying *s);

/* implied.c: which of dependent rows say nothing that the others don't, and rows that touch each other. */
/* constraint k holds wherever the others do, near the start */
bool actio_follows(struct actio_surveying *s, uint32_t k);
void actio_find_spare(struct actio_surveying *s, struct actio_relation *r);
bool actio_find_touching(struct actio_surveying *s);

#endif

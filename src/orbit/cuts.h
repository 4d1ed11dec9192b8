/* SPDX-License-Identifier: Apache-2.0
 * A long motion, cut into loops: what a search for many orbits reads its guesses from. */
#ifndef ACTIO_ORBIT_CUTS_H
#define ACTIO_ORBIT_CUTS_H

#include "orbit/orbits.h"

/* letters of a block; samples of the motion in a loop */
enum { ACTIO_CUTS_BLOCK = 9, ACTIO_CUTS_PER_LOOP = 48 };

struct actio_cuts {
    /* top: the variable whose maxima cut; odd: the one whose sign is a letter, ny: none */
    size_t count, ny, top, odd;
    double *y, *half, *t, *lasts; /* states at cuts and half way to the next; times; durations */
    char *letter;
    bool seen[1 << ACTIO_CUTS_BLOCK]; /* blocks of letters that the motion shows */
    double least;                     /* shortest duration */
    double dt;
};
/* 0, or 1: no memory; close in any case */
int actio_cuts_open(struct actio_search *s, struct actio_cuts *c);
void actio_cuts_close(struct actio_search *s, struct actio_cuts *c);
/* At the maxima of one variable, with letters if there is one that has them; or, driven, one period of the drive apart,
 * where returns take a number of them. 0; -1: too few; or a status. */
int actio_cuts_by_maxima(struct actio_search *s, struct actio_cuts *c);
int actio_cuts_by_drive(struct actio_search *s, struct actio_cuts *c);
/* The first change of signs that leaves the equations as they are, into s->mirror. 0, or 1: no memory. */
int actio_cuts_find_mirror(struct actio_search *s, const struct actio_cuts *c);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Random problems with references of 106 bits. A problem has a model for Actio, and the same motion as first-order
 * equations of another form where there is one. */
#ifndef TRUTH_H
#define TRUTH_H

#include "taylor.h"

#include <stdint.h>

enum { TRUTH_TAPES = 4, TRUTH_NUMBERS = 80, TRUTH_TEXT = 8192, TRUTH_ROWS = 101 };

struct problem {
    const char *family;
    char model[TRUTH_TEXT];
    size_t length;
    uint64_t random;
    double tolerance, end; /* motions begin at 0 */
    int tapes, mode, columns;
    struct tape tape[TRUTH_TAPES];
    dd start[TAYLOR_STATES];
    char column[TAYLOR_COLUMNS][24];
    /* A guard has become negative: the state may jump. The tape in force from now on; below 0: not a problem of the
     * family (endless impacts). NULL: guards are not used. */
    int (*cross)(struct problem *p, int mode, int guard, dd t, dd *y);
    /* The longest step that sees everything narrow; NULL: any. */
    double (*limit)(const struct problem *p, dd t, const dd *y);
    double number[TRUTH_NUMBERS]; /* for these two */
    int numbers, events, most_events;
    /* Conditions at the end in place of initial values: column `required` has the value there, state `free` is found.
     */
    int conditions, free[4], required[4];
    dd aim[4];
};

struct family {
    const char *name;
    void (*make)(struct problem *p);
};
extern const struct family truth_families[];
extern const int truth_family_count;

/* Families are drawn by the seed alone. */
void truth_make(struct problem *p, uint64_t seed);
double truth_uniform(struct problem *p, double low, double high);

/* A number as it stands in a model, and its exact value. */
struct literal {
    dd value;
    char text[32];
};
struct literal truth_literal(struct problem *p, double low, double high, long places);
struct literal truth_small(struct problem *p, double low, double high); /* two digits times a power of ten in between */
void truth_say(struct problem *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void truth_column(struct problem *p, const char *name);

struct truth_rows {
    double time[TRUTH_ROWS];
    dd value[TRUTH_ROWS][TAYLOR_COLUMNS];
    double growth[TRUTH_ROWS]; /* of one ulp of state and time at worst, relative to max(1, size of the column) */
    double nearest;            /* the smallest distance at which a guard passed without an event */
    int events;
    long steps;
};
bool truth_reference(struct problem *p, struct truth_rows *rows); /* false: not a problem of the family */
double truth_end(struct problem *p, int column);                  /* value at the end from the start data as they are */

#endif

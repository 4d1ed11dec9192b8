/* SPDX-License-Identifier: Apache-2.0
 * Words for a model near its start: its verdict, its start data, a state.
 * In: a verdict, a start check, a state. Out: findings, and texts in the arena. Callers: problem and later rooms. */
#ifndef ACTIO_ABOUT_H
#define ACTIO_ABOUT_H

#include "equations/system.h"
#include "model/model.h"

struct actio_start_check;
struct actio_verdict;

struct actio_about {
    struct actio_context *ctx;
    struct actio_arena *arena;
    struct actio_model *model;
    struct actio_system *sys; /* NULL before equations are formed */
    struct actio_findings *f;
    const double *y0; /* the start */
    size_t ny;
    const double *elsewhere; /* a better start that the verdict found, or NULL */
    const char *const *off;  /* by constraint: where it restricts nothing, "until t = 1"; NULL: not known */
    bool project;            /* --project: data that break constraints are moved onto them */
};

void actio_explain_verdict(struct actio_about *about, const struct actio_verdict *v);
void actio_explain_start(struct actio_about *about, const struct actio_start_check *c);
void actio_explain_hidden(struct actio_about *about, const struct actio_start_check *c);
void actio_explain_report(struct actio_about *about, enum actio_code code, const struct actio_value arg[6]);
const char *actio_explain_name(const struct actio_about *about, size_t component);
const char *actio_explain_state(struct actio_about *about, const double *y, const double *compared_with);

#endif

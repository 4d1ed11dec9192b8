/* SPDX-License-Identifier: Apache-2.0
 * Accelerations of a line with one constraint a cell and steady masses at its nodes, read from the stepper's own state:
 * a program over cells makes the tridiagonal matrix of the tensions, a program over nodes what they pull.  [HAMEL B.2,
 * SPEED P5] */
#include "solve/tension.h"
#include "algebra/tri.h"

#include <math.h>
#include <string.h>

struct actio_tension {
    size_t lanes;
    double *work;
};

void actio_tension_close(struct actio_motion *m)
{
    if (m->chain.tension) actio_free(m->ctx, m->chain.tension->work);
    actio_free(m->ctx, m->chain.tension);
    actio_free(m->ctx, m->chain.inverse);
    m->chain.tension = NULL;
    m->chain.inverse = NULL;
}

/* Inverse masses, steady as they are; 0 where a constraint holds a single coordinate. */
static bool fill_inverse(struct actio_motion *m)
{
    const struct actio_system *sys = m->sys;
    const double *G = actio_bound_values(&m->at[ACTIO_Q_MATRIX]);
    uint32_t *entries = actio_alloc(m->ctx, sys->p + 1, sizeof *entries);
    if (!entries) return false;
    const double *h = G + sys->G.count + sys->A.count + sys->D.count;
    double *free = m->chain.inverse + m->n;
    bool positive = true;
    for (size_t i = 0; i < sys->G.count; i++) {
        positive &= G[i] > 0;
        m->chain.inverse[sys->G.row[i]] = 1 / G[i];
    }
    for (size_t e = 0; e < sys->A.count; e++) entries[sys->A.row[e]]++;
    for (size_t e = 0; e < sys->A.count; e++)
        if (entries[sys->A.row[e]] == 1) m->chain.inverse[sys->A.col[e]] = 0;
    for (size_t i = 0; i < m->n; i++) free[i] = h[i] * m->chain.inverse[i]; /* used only where forces are steady */
    actio_free(m->ctx, entries);
    return positive;
}

int actio_tension_open(struct actio_motion *m)
{
    const struct actio_system *sys = m->sys;
    if (!sys->field.axes || sys->field.axes > 1 || sys->p == 0 || !sys->is.symmetric || sys->m || sys->field.slaves
        || sys->G.count != sys->n)
        return 0;
    if (actio_system_need(m->sys, ACTIO_Q_TENSION)) return 1;
    if (!sys->field.stream[ACTIO_Q_TENSION] || sys->field.stream[ACTIO_Q_TENSION]->values == 0) return 0;
    m->chain.inverse = actio_alloc(m->ctx, 2 * sys->n + 1, sizeof *m->chain.inverse);
    m->chain.tension = actio_alloc(m->ctx, 1, sizeof *m->chain.tension);
    if (!m->chain.inverse || !m->chain.tension || actio_motion_need(m, ACTIO_Q_TENSION)
        || actio_motion_need(m, ACTIO_Q_PULL))
        return 1;
    m->chain.tension->lanes = m->at[ACTIO_Q_TENSION].count / 3;
    m->chain.tension->work =
        actio_alloc(m->ctx, actio_tri_work(m->chain.tension->lanes) + 1, sizeof *m->chain.tension->work);
    if (!m->chain.tension->work) return 1;
    if (!fill_inverse(m)) actio_tension_close(m);
    return 0;
}

/* The line's tensions lie among the multipliers where its rows begin. */
static double *tensions(struct actio_motion *m)
{
    const struct actio_system *sys = m->sys;
    size_t first = 0;
    while (first + 1 < sys->p && !(sys->constraint[first] == sys->constraint[first + 1])) first++;
    return m->here.lambda + first;
}

#if defined __x86_64__ && defined __linux__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__                     \
    && !defined __SANITIZE_THREAD__
#define CLONED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONED
#endif

/* A NaN stays a NaN in a sum. A sum that overflows is taken for one, too: there are other ways. */
typedef double wide __attribute__((vector_size(64), aligned(8), may_alias));

CLONED bool actio_tension_finite(const double *x, size_t n)
{
    wide sum[4] = { { 0 } };
    double all = 0;
    size_t i = 0;
    for (; i + 31 < n; i += 32)
        for (size_t j = 0; j < 4; j++) sum[j] += *(const wide *)(x + i + 8 * j);
    for (; i < n; i++) all += x[i];
    sum[0] += sum[1] + (sum[2] + sum[3]);
    for (size_t j = 0; j < 8; j++) all += sum[0][j];
    return all * 0 == 0;
}

int actio_tension_rates(struct actio_motion *m, double t, const double *y, double *zdot)
{
    struct actio_tension *x = m->chain.tension;
    double *row = m->at[ACTIO_Q_TENSION].value, *lambda = tensions(m);
    m->here.t = t;
    actio_lanes_eval_at(m->at[ACTIO_Q_TENSION].lanes, y, y + m->n, row);
    if (actio_tri_solve(x->lanes, row, row + x->lanes, row + 2 * x->lanes, lambda, x->work)) return 1;
    actio_lanes_eval_at(m->at[ACTIO_Q_PULL].lanes, y, y + m->n, zdot);
    return !actio_tension_finite(zdot, m->n);
}

/* SPDX-License-Identifier: Apache-2.0
 * An equilibrium near a state: h + D' lambda = 0 and the constraints on positions, by Newton's steps of least norm for
 * (q, lambda), so that what nothing drives back stays where it is. */
#include "algebra/dense.h"
#include "solve/modes.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 60, LARGEST = 600 }; /* unknowns: full matrices */
#define STRIDE 0.3                       /* of the size of the coordinates, at most, in one step */
#define SETTLED 1e-13

struct resting {
    struct actio_motion *m;
    double t, *y, *r, *J, *b, *x, *work;
    int *iwork;
    size_t n, rows, cols;
};

static bool rest_take(struct resting *w)
{
    struct actio_motion *m = w->m;
    size_t n = m->n, big = n + m->p;
    w->rows = n + m->sys->holonomic;
    w->cols = n + m->p;
    w->r = actio_alloc(m->ctx, m->N + m->p + w->rows * w->cols + w->rows + w->cols + actio_rank_work(big, big) + 1,
                       sizeof *w->r);
    w->iwork = actio_alloc(m->ctx, 2 * big + 1, sizeof *w->iwork);
    if (!w->r || !w->iwork) return false;
    w->J = w->r + m->N + m->p;
    w->b = w->J + w->rows * w->cols;
    w->x = w->b + w->rows;
    w->work = w->x + w->cols;
    return true;
}

/* The matrix [dr/dq  D'; F  0] and the right side -(r, g). False: a formula has no value, or is bent. */
static bool rest_fill(struct resting *w)
{
    struct actio_motion *m = w->m;
    const struct actio_system *sys = m->sys;
    struct actio_slopes s;
    size_t n = w->n, cols = w->cols;
    memset(m->here.zdot, 0, m->N * sizeof *m->here.zdot);
    if (!actio_slopes_residual(m, w->t, w->y, w->r)) return false;
    bool ok = actio_slopes_open(&s, m, w->t, w->y) == 0;
    memset(w->J, 0, w->rows * cols * sizeof *w->J);
    for (size_t i = 0; ok && i < s.count; i++)
        if (s.row[i] < n && s.col[i] < n) w->J[s.row[i] * cols + s.col[i]] += s.value[i];
    actio_slopes_close(&s, m->ctx);
    const double *G = ok ? actio_motion_values(m, w->t, w->y) : NULL;
    if (!G) return false;
    const double *A = G + sys->G.count, *D = A + sys->A.count;
    bool *beyond = (bool *)w->iwork;
    memset(beyond, 0, n);
    /* their rows are natural conditions, without reactions */
    for (size_t k = 0; k < sys->field.slaves; k++) beyond[sys->field.slave[k]] = true;
    for (size_t e = 0; e < sys->D.count; e++)
        if (!beyond[sys->D.col[e]]) w->J[sys->D.col[e] * cols + n + sys->D.row[e]] += D[e];
    for (size_t i = 0; i < sys->holonomic; i++)
        for (size_t e = 0; e < sys->A.count; e++)
            if (sys->A.row[e] == sys->position_row[i]) w->J[(n + i) * cols + sys->A.col[e]] += A[e];
    const double *g = sys->holonomic ? actio_motion_levels(m, w->t, w->y) : NULL;
    for (size_t i = 0; i < n; i++) w->b[i] = -w->r[i];
    for (size_t i = 0; i < sys->holonomic; i++) w->b[n + i] = -g[i];
    return true;
}

static double rest_largest_of(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static bool rest_settle(struct resting *w)
{
    struct actio_motion *m = w->m;
    for (int step = 0; step < MOST_STEPS; step++) {
        double defect;
        if (!rest_fill(w)) return false;
        actio_min_norm(w->rows, w->cols, w->J, w->b, 1e-12, w->x, &defect, w->work, w->iwork);
        double size = fmax(1, rest_largest_of(w->y, w->n)), move = rest_largest_of(w->x, w->n),
               part = move > STRIDE * size ? STRIDE * size / move : 1;
        if (!isfinite(move)) return false;
        for (size_t i = 0; i < w->n; i++) w->y[i] += part * w->x[i];
        for (size_t k = 0; k < m->p; k++) m->here.lambda[k] += part * w->x[w->n + k];
        if (move <= SETTLED * size) return true;
    }
    return false;
}

bool actio_rest_find(struct actio_motion *m, double t, double *y)
{
    struct resting w = { .m = m, .t = t, .y = y, .n = m->n };
    /* multipliers to begin with */
    if (m->m || m->contacts || m->sys->switches.count || m->n + m->p > LARGEST || actio_motion_solve(m, t, y))
        return false;
    for (size_t i = 0; i < m->n; i++)
        if (y[m->n + i] != 0) return false;
    bool found = rest_take(&w) && rest_settle(&w);
    actio_free(m->ctx, w.r);
    actio_free(m->ctx, w.iwork);
    return found;
}

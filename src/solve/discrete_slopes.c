/* SPDX-License-Identifier: Apache-2.0
 * With q = q0 + h v/2 in the middle of a step the slopes by v of  L_v - h/2 (L_q + Q + C'l)  and of  phi  are
 *     G - h/2 (dR/dv + h/2 dR/dq),   A + h/2 d(A v)/dq,   R = h - G z' + D'l at z' = 0. */
#include "solve/discrete.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind { BY_POSITION, BY_VELOCITY, OF_ROW };

/* One entry: of the masses or rows (added: SIZE_MAX), or one that is added. */
struct item {
    uint64_t key;
    size_t base, added;
};

static int by_key(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static void set_multipliers(struct actio_motion *m, const double *l)
{
    memcpy(m->here.lambda, l, m->p * sizeof *l);
    memset(m->here.zdot, 0, m->n * sizeof *m->here.zdot);
}

static const double *slopes_at(struct actio_motion *m, double t, const double *y)
{
    return actio_motion_quantity(m, ACTIO_Q_EQUATIONS_Y, t, y);
}

/* Entries of velocity rows are those by q of  c - A z'  at z' = v, less those at z' = 0. */
static const double *slopes_of_rows(struct actio_motion *m, double t, const double *y, const double *v)
{
    memcpy(m->here.zdot, v, m->n * sizeof *v);
    return slopes_at(m, t, y);
}

static int kind_of(const struct actio_motion *m, const bool *holonomic, const bool *slave, size_t e)
{
    uint32_t row = m->sys->jets.equations_y.row[e], col = m->sys->jets.equations_y.col[e];
    if (row < m->n) return slave[row] ? -1 : col < m->n ? BY_POSITION : BY_VELOCITY;
    return !holonomic[row - m->n] && col < m->n ? OF_ROW : -1;
}

/* Which entries take part: those that are not 0 at a state beside the present one, whatever that is. */
static size_t discrete_slopes_choose(struct actio_discrete_slopes *s, struct actio_motion *m, const bool *holonomic,
                                     const bool *slave, double *y, double *l)
{
    size_t count = m->sys->jets.equations_y.count, adds = 0;
    uint32_t random = 1;
    for (size_t i = 0; i < m->ny; i++) {
        random = random * 1664525u + 1013904223u;
        y[i] = m->here.y[i] + 1e-3 * (1 + fabs(m->here.y[i])) * (0.5 + (double)(random >> 8) / 16777216.0);
    }
    for (size_t k = 0; k < m->p; k++) l[k] = holonomic[k] ? 0 : 1;
    set_multipliers(m, l);
    memcpy(s->rest, slopes_at(m, m->here.t, y), count * sizeof *s->rest);
    const double *rows = slopes_of_rows(m, m->here.t, y, y + m->n);
    for (size_t e = 0; e < count; e++) {
        int kind = kind_of(m, holonomic, slave, e);
        if (kind >= 0 && (kind == OF_ROW ? rows[e] != s->rest[e] : s->rest[e] != 0)) {
            s->add[adds].from = (uint32_t)e;
            s->add[adds++].kind = (uint8_t)kind;
        }
    }
    return adds;
}

/* Places of a matrix and of what is added to it, each once. */
static size_t merge(struct actio_discrete_slopes *s, const struct actio_motion *m, bool rows, struct item *item,
                    uint32_t *index, size_t *of_base)
{
    const struct actio_places *base = rows ? &m->sys->A : &m->sys->G, *more = &m->sys->jets.equations_y;
    size_t count = 0, places = 0;
    for (size_t i = 0; i < base->count; i++)
        item[count++] = (struct item){ (uint64_t)base->row[i] << 32 | base->col[i], i, SIZE_MAX };
    for (size_t k = 0; k < s->adds; k++) {
        size_t e = s->add[k].from;
        if ((s->add[k].kind == OF_ROW) != rows) continue;
        item[count++] = (struct item){ (uint64_t)(more->row[e] - (rows ? m->n : 0)) << 32 | more->col[e] % m->n, 0, k };
    }
    qsort(item, count, sizeof *item, by_key);
    uint32_t *row = index, *col = index + count;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || item[i].key != item[i - 1].key) {
            row[places] = (uint32_t)(item[i].key >> 32);
            col[places++] = (uint32_t)item[i].key;
        }
        if (item[i].added == SIZE_MAX) of_base[item[i].base] = places - 1;
        else s->add[item[i].added].to = (uint32_t)(places - 1);
    }
    *(rows ? &s->B : &s->W) = (struct actio_places){ row, col, places };
    return 2 * count;
}

static bool find_places(struct actio_discrete_slopes *s, struct actio_motion *m)
{
    size_t G = m->sys->G.count, A = m->sys->A.count;
    s->of_G = actio_alloc(m->ctx, G + 1, sizeof *s->of_G);
    s->of_A = actio_alloc(m->ctx, A + 1, sizeof *s->of_A);
    s->index = actio_alloc(m->ctx, 2 * (G + A + s->adds) + 1, sizeof *s->index);
    struct item *item = actio_alloc(m->ctx, G + A + s->adds + 1, sizeof *item);
    bool ok = s->of_G && s->of_A && s->index && item;
    if (ok) merge(s, m, true, item, s->index + merge(s, m, false, item, s->index, s->of_G), s->of_A);
    actio_free(m->ctx, item);
    return ok;
}

int actio_discrete_slopes_open(struct actio_discrete_slopes *s, struct actio_motion *m, const bool *holonomic)
{
    const struct actio_system *sys = m->sys;
    *s = (struct actio_discrete_slopes){ .ctx = m->ctx, .W = sys->G, .B = sys->A };
    if (!sys->field.axes) return 0; /* few coordinates are seldom stiff, and their formulas long */
    if (actio_motion_need(m, ACTIO_Q_EQUATIONS_Y)) return 1;
    size_t count = sys->jets.equations_y.count;
    s->add = actio_alloc(m->ctx, count + 1, sizeof *s->add);
    s->rest = actio_alloc(m->ctx, count + 1, sizeof *s->rest);
    double *y = actio_alloc(m->ctx, m->ny + m->p + 1, sizeof *y);
    bool *slave = actio_alloc(m->ctx, m->n + 1, sizeof *slave), ok = s->add && s->rest && y && slave;
    for (size_t k = 0; ok && k < sys->field.slaves; k++) slave[sys->field.slave[k]] = true;
    if (ok) s->adds = discrete_slopes_choose(s, m, holonomic, slave, y, y + m->ny);
    actio_free(m->ctx, y);
    actio_free(m->ctx, slave);
    if (ok && s->adds) ok = find_places(s, m);
    if (!ok) actio_discrete_slopes_close(s);
    return !ok;
}

void actio_discrete_slopes_close(struct actio_discrete_slopes *s)
{
    void *all[] = { s->of_G, s->of_A, s->add, s->index, s->rest };
    for (size_t i = 0; s->ctx && i < sizeof all / sizeof *all; i++) actio_free(s->ctx, all[i]);
    *s = (struct actio_discrete_slopes){ 0 };
}

static void place(const struct actio_places *of, const size_t *where, const double *x, const struct actio_places *to,
                  double *out)
{
    memset(out, 0, to->count * sizeof *out);
    for (size_t i = 0; i < of->count; i++) out[where[i]] += x[i];
}

void actio_discrete_slopes_fill(const struct actio_discrete_slopes *s, struct actio_motion *m,
                                const struct actio_slope_point *at, const double *G, const double *A, double *W,
                                double *B)
{
    if (s->adds == 0) {
        memcpy(W, G, s->W.count * sizeof *W);
        memcpy(B, A, s->B.count * sizeof *B);
        return;
    }
    place(&m->sys->G, s->of_G, G, &s->W, W);
    place(&m->sys->A, s->of_A, A, &s->B, B);
    set_multipliers(m, at->l);
    memcpy(s->rest, slopes_at(m, at->t, at->y), m->sys->jets.equations_y.count * sizeof *s->rest);
    const double *rows = m->sys->levels > m->sys->holonomic ? slopes_of_rows(m, at->t, at->y, at->v) : s->rest,
                 half = 0.5 * at->h;
    for (size_t k = 0; k < s->adds; k++) {
        double x = s->rest[s->add[k].from];
        if (s->add[k].kind == OF_ROW) B[s->add[k].to] += half * (x - rows[s->add[k].from]);
        else W[s->add[k].to] -= (s->add[k].kind == BY_POSITION ? half : 1) * half * x;
    }
}

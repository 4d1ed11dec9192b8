/* SPDX-License-Identifier: Apache-2.0
 * Sparse LU from SuiteSparse's KLU, behind the face of algebra/linear.h. */
#include "algebra/dense.h"
#include "algebra/linear.h"
#include "algebra/order.h"
#include "native/native.h"

#include <klu.h>
#include <limits.h>
#include <math.h>

static const double threshold = 0.05; /* the diagonal is taken when it is this part of the largest candidate */

struct klu {
    struct actio_context *ctx;
    size_t n, count;
    struct actio_columns a;
    uint32_t *place;
    int *start;
    double *value;
    int *l_start, *l_row; /* L as it is copied out: l_room entries */
    double *l_value;
    size_t l_room;
    bool on_diagonal; /* all pivots of `numeric` */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

/* Behind the sparse solver of algebra/, which is as fast where pivots stay, twice as fast where they move, and takes no
 * memory in a step. */
static int fits(const struct actio_pattern *p)
{
    bool thin = (double)p->count <= 0.2 * (double)p->rows * (double)p->rows;
    return p->rows > 60 && thin && p->rows < INT_MAX && p->count < INT_MAX ? 20 : 0;
}

static void close_all(void *h)
{
    struct klu *k = h;
    if (!k) return;
    if (k->numeric) klu_free_numeric(&k->numeric, &k->common);
    if (k->symbolic) klu_free_symbolic(&k->symbolic, &k->common);
    actio_columns_close(&k->a, k->ctx);
    actio_free(k->ctx, k->place);
    actio_free(k->ctx, k->start);
    actio_free(k->ctx, k->value);
    actio_free(k->ctx, k->l_start);
    actio_free(k->ctx, k->l_row);
    actio_free(k->ctx, k->l_value);
    actio_free(k->ctx, k);
}

/* KLU takes its memory itself: at least what it foresees is held against the limit. */
static bool analysed(struct klu *k)
{
    klu_defaults(&k->common);
    k->common.tol = threshold; /* 0.001, its own, lets errors grow ten thousandfold on matrices with weak diagonals */
    for (size_t j = 0; j <= k->n; j++) k->start[j] = (int)k->a.start[j];
    k->symbolic = klu_analyze((int)k->n, k->start, (int *)k->a.row, &k->common);
    if (!k->symbolic) return false;
    double bytes = 12 * (k->symbolic->lnz + k->symbolic->unz);
    return bytes < (double)(k->ctx->bytes_limit - k->ctx->bytes);
}

static void *open_pattern(struct actio_context *ctx, const struct actio_pattern *p)
{
    struct klu *k = actio_alloc(ctx, 1, sizeof *k);
    if (!k) return NULL;
    k->ctx = ctx;
    k->n = p->rows;
    k->count = p->count;
    k->place = actio_alloc(ctx, p->count + 1, sizeof *k->place);
    k->start = actio_alloc(ctx, p->rows + 1, sizeof *k->start);
    k->value = actio_alloc(ctx, p->count + 1, sizeof *k->value);
    if (k->place && k->start && k->value && actio_columns_open(&k->a, ctx, p->rows, p->count, p->i, p->j, k->place)
        && analysed(k))
        return k;
    close_all(k);
    return NULL;
}

static int klu_load(struct klu *k, const double *values)
{
    for (size_t e = 0; e < k->count; e++) k->value[k->place[e]] = values[e];
    for (size_t j = 0; j < k->n; j++)
        for (size_t e = k->a.start[j]; e < k->a.start[j + 1]; e++)
            if (!isfinite(k->value[e])) return (int)j + 1;
    return 0;
}

/* Largest scaled entry of column j within the block of steps first .. end. */
static double column_size(const struct klu *k, int j, int first, int end)
{
    double largest = 0;
    for (size_t e = k->a.start[j]; e < k->a.start[j + 1]; e++) {
        int step = k->numeric->Pinv[k->a.row[e]];
        if (step >= first && step < end) largest = fmax(largest, fabs(k->value[e]) / k->numeric->Rs[step]);
    }
    return largest;
}

/* Sum of |l_sj u_js| over the steps before s: the products the pivot of step s was computed from. */
static double products(int s, const int *Lp, const int *Li, const double *Lx, const int *Up, const int *Ui,
                       const double *Ux)
{
    double sum = 0;
    for (int e = Up[s]; e < Up[s + 1]; e++)
        for (int f = Lp[Ui[e]]; Ui[e] < s && f < Lp[Ui[e] + 1]; f++)
            if (Li[f] == s) sum += fabs(Lx[f] * Ux[e]);
    return sum;
}

/* Is the pivot of step s only rounding error? The factors have to be copied out for that: done for suspicious pivots
 * only. */
static int is_noise(struct klu *k, int s)
{
    size_t l = (size_t)k->numeric->lnz, u = (size_t)k->numeric->unz, n = k->n;
    int *index = actio_alloc(k->ctx, l + u + 2 * n + 2, sizeof *index), answer = -1;
    double *value = actio_alloc(k->ctx, l + u, sizeof *value);
    int *Lp = index, *Up = Lp + n + 1, *Li = Up + n + 1, *Ui = Li + l;
    if (index && value
        && klu_extract(k->numeric, k->symbolic, Lp, Li, value, Up, Ui, value + l, NULL, NULL, NULL, NULL, NULL, NULL,
                       NULL, &k->common))
        answer =
            fabs(((double *)k->numeric->Udiag)[s]) <= ACTIO_PIVOT_NOISE * products(s, Lp, Li, value, Up, Ui, value + l);
    actio_free(k->ctx, index);
    actio_free(k->ctx, value);
    return answer;
}

/* KLU stops at pivots that are exactly zero; those that are rounding error are found here. Blocks of one are exact. */
static int vanished(struct klu *k)
{
    const int *bound = k->symbolic->R, *Q = k->symbolic->Q;
    const double *pivot = k->numeric->Udiag;
    for (int b = 0; b < k->symbolic->nblocks; b++)
        for (int s = bound[b]; bound[b + 1] - bound[b] > 1 && s < bound[b + 1]; s++) {
            if (fabs(pivot[s]) > 1e-12 * column_size(k, Q[s], bound[b], bound[b + 1])) continue;
            int noise = is_noise(k, s);
            if (noise) return noise < 0 ? -1 : Q[s] + 1;
        }
    return 0;
}

static bool make_room(struct klu *k)
{
    size_t room = (size_t)k->numeric->lnz;
    if (!k->l_start) k->l_start = actio_alloc(k->ctx, k->n + 1, sizeof *k->l_start);
    if (room > k->l_room) {
        actio_free(k->ctx, k->l_row);
        actio_free(k->ctx, k->l_value);
        k->l_row = actio_alloc(k->ctx, room, sizeof *k->l_row);
        k->l_value = actio_alloc(k->ctx, room, sizeof *k->l_value);
        k->l_room = k->l_row && k->l_value ? room : 0;
    }
    return k->l_start && k->l_room >= room;
}

/* Would every diagonal be chosen again? A hair's breadth is left for the rounding of the quotients. */
static bool stays_on_diagonal(struct klu *k)
{
    const double most = (1 - 1e-12) / threshold;
    if (!make_room(k)) return false;
    if (!klu_extract(k->numeric, k->symbolic, k->l_start, k->l_row, k->l_value, NULL, NULL, NULL, NULL, NULL, NULL,
                     NULL, NULL, NULL, NULL, &k->common))
        return false;
    for (int e = 0; e < k->l_start[k->n]; e++)
        if (!(fabs(k->l_value[e]) <= most)) return false;
    return true;
}

/* The old pivots once more. Only those on the diagonal, where a fresh choice would be the same: so are the bits. */
static bool repeat(struct klu *k)
{
    return k->numeric && k->on_diagonal
           && klu_refactor(k->start, (int *)k->a.row, k->value, k->symbolic, k->numeric, &k->common)
           && k->common.status == KLU_OK && stays_on_diagonal(k);
}

static int factorise(void *h, const double *values)
{
    struct klu *k = h;
    int bad = klu_load(k, values);
    if (bad) return bad;
    if (repeat(k)) return vanished(k);
    if (k->numeric) klu_free_numeric(&k->numeric, &k->common);
    k->numeric = klu_factor(k->start, (int *)k->a.row, k->value, k->symbolic, &k->common);
    if (k->common.status == KLU_SINGULAR)
        return k->common.singular_col < (int)k->n ? k->common.singular_col + 1 : (int)k->n;
    if (!k->numeric) return -1;
    k->on_diagonal = k->common.noffdiag == 0;
    return vanished(k);
}

static void solve_both(void *h, double *b, size_t nrhs, bool transposed)
{
    struct klu *k = h;
    (transposed ? klu_tsolve : klu_solve)(k->symbolic, k->numeric, (int)k->n, (int)nrhs, b, &k->common);
}

static double estimate(void *h)
{
    struct klu *k = h;
    return klu_rcond(k->symbolic, k->numeric, &k->common) ? k->common.rcond : 0;
}

const struct actio_linear_type actio_linear_klu = { "klu",      fits,     open_pattern, factorise,
                                                    solve_both, estimate, close_all };

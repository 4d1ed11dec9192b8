/* SPDX-License-Identifier: Apache-2.0
 * Multipliers that are exactly 1, taken out of a turn by the vectors that it does not move. What such a turn keeps
 * (left vectors L) and where it may be shifted to (right vectors R) leave the chain of subspaces  R and ker L, ker L,
 * all states  as it is: the turn is 1 on the first and on all states up to ker L. The other multipliers are those
 * between, computed there; so blocks of 1 do not split by rounding. */
#include "solve/orbit.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

#define ROUGH_PART 1e-2 /* of a factor's size: what its errors may be large beside */
#define LOST 1e-12      /* of a vector's size: what the others leave of it where they all are independent */

int actio_unmoved_open(struct actio_unmoved *u, struct actio_context *ctx, const struct actio_turn *t, size_t count)
{
    *u = (struct actio_unmoved){ .count = count };
    u->at = actio_alloc(ctx, t->factors * count * t->d + 1, sizeof *u->at);
    u->left = actio_alloc(ctx, count + 1, sizeof *u->left);
    return !u->at || !u->left;
}

void actio_unmoved_close(struct actio_unmoved *u, struct actio_context *ctx)
{
    actio_free(ctx, u->at);
    actio_free(ctx, u->left);
    *u = (struct actio_unmoved){ 0 };
}

static const double *vector_at(const struct actio_turn *t, const struct actio_unmoved *u, size_t i, size_t c)
{
    return u->at + (i % t->factors * u->count + c) * t->d;
}

/* to = Phi v, or v Phi. */
static void through(size_t d, const double *Phi, bool left, const double *v, double *to)
{
    for (size_t a = 0; a < d; a++) {
        to[a] = 0;
        for (size_t b = 0; b < d; b++) to[a] += left ? v[b] * Phi[b * d + a] : Phi[a * d + b] * v[b];
    }
}

double actio_turn_misses(const struct actio_turn *t, const struct actio_unmoved *u, size_t c)
{
    size_t d = t->d;
    double worst = 0;
    for (size_t i = 0; i < t->factors; i++) {
        const double *Phi = t->Phi + i * d * d, *from = vector_at(t, u, u->left[c] ? i + 1 : i, c),
                     *to = vector_at(t, u, u->left[c] ? i : i + 1, c);
        double size = (1 + ROUGH_PART * actio_norm(d * d, Phi)) * actio_norm(d, from) + actio_norm(d, to), gap = 0;
        for (size_t a = 0; a < d; a++) {
            double sum = -to[a];
            for (size_t b = 0; b < d; b++) sum += u->left[c] ? from[b] * Phi[b * d + a] : Phi[a * d + b] * from[b];
            gap = hypot(gap, sum);
        }
        if (!(size > 0) || !isfinite(gap)) return INFINITY;
        worst = fmax(worst, gap / size);
    }
    return worst;
}

/* ---- which vectors count */

struct choice {
    size_t lefts, rights;  /* independent ones */
    size_t *left, *right;  /* of the unmoved vectors */
    size_t inner, *inward; /* combinations of right ones that no left one sees, and the last one in each */
    double *mix;           /* rights x inner */
    double *work;          /* 2 d^2 + 2 d */
};

/* What is left of v beside `count` orthonormal rows; twice is enough. */
static double reject(size_t d, const double *rows, size_t count, double *v)
{
    for (int round = 0; round < 2; round++)
        for (size_t k = 0; k < count; k++) {
            double part = actio_dot(d, rows + k * d, v);
            for (size_t a = 0; a < d; a++) v[a] -= part * rows[k * d + a];
        }
    return actio_norm(d, v);
}

static void scale_to_one(size_t d, double *v)
{
    double size = actio_norm(d, v);
    for (size_t a = 0; a < d && size > 0; a++) v[a] /= size;
}

/* The vectors of one side that are independent where the turn begins, in their order. */
static size_t choose_side(const struct actio_turn *t, const struct actio_unmoved *u, bool left, double apart,
                          size_t *chosen, double *rows)
{
    size_t d = t->d, count = 0;
    for (size_t c = 0; c < u->count && count < d; c++) {
        if (u->left[c] != left) continue;
        double *v = rows + count * d;
        memcpy(v, vector_at(t, u, 0, c), d * sizeof *v);
        scale_to_one(d, v);
        if (!(reject(d, rows, count, v) > apart)) continue;
        scale_to_one(d, v);
        chosen[count++] = c;
    }
    return count;
}

/* Columns of  L R  one after the other: one that those before it span makes a combination that L does not see. */
static void pair_sides(const struct actio_turn *t, const struct actio_unmoved *u, double apart, struct choice *x)
{
    size_t d = t->d, l = x->lefts, r = x->rights, seen = 0;
    double *rows = x->work, *how = rows + d * d, *v = how + d * d, *h = v + d;
    for (size_t j = 0; j < r; j++) { /* rows: orthonormal in the pairing; how: each as a mix of right vectors */
        const double *R = vector_at(t, u, 0, x->right[j]);
        double size = actio_norm(d, R);
        memset(h, 0, r * sizeof *h);
        h[j] = 1 / size;
        for (size_t i = 0; i < l; i++) {
            const double *L = vector_at(t, u, 0, x->left[i]);
            v[i] = actio_dot(d, L, R) / actio_norm(d, L) / size;
        }
        for (size_t k = 0; k < seen; k++) {
            double part = actio_dot(l, rows + k * d, v);
            for (size_t i = 0; i < l; i++) v[i] -= part * rows[k * d + i];
            for (size_t i = 0; i < r; i++) h[i] -= part * how[k * d + i];
        }
        double left_over = actio_norm(l, v);
        if (left_over > apart) {
            for (size_t i = 0; i < l; i++) rows[seen * d + i] = v[i] / left_over;
            for (size_t i = 0; i < r; i++) how[seen * d + i] = h[i] / left_over;
            seen++;
            continue;
        }
        for (size_t i = 0; i < r; i++) x->mix[i * d + x->inner] = h[i];
        x->inward[x->inner++] = x->right[j];
    }
}

/* ---- the bases between */

/* Columns of Z (d x rest): orthonormal, unseen by the left vectors, at right angles to the combinations. 0, or 1. */
static int between(const struct actio_turn *t, const struct actio_unmoved *u, const struct choice *x, size_t i,
                   double *Z, double *work, int *iwork)
{
    size_t d = t->d, rows = x->lefts + x->inner, rest = d - rows;
    double *a = work, *basis = a + rows * d, *more = basis + d * d;
    memset(a, 0, rows * d * sizeof *a);
    for (size_t k = 0; k < x->lefts; k++) memcpy(a + k * d, vector_at(t, u, i, x->left[k]), d * sizeof *a);
    for (size_t k = 0; k < x->inner; k++)
        for (size_t j = 0; j < x->rights; j++) {
            const double *R = vector_at(t, u, i, x->right[j]);
            for (size_t b = 0; b < d; b++) a[(x->lefts + k) * d + b] += x->mix[j * d + k] * R[b];
        }
    for (size_t k = 0; k < rows; k++) scale_to_one(d, a + k * d);
    if (actio_row_bases(rows, d, a, LOST, basis, more, iwork) != rows) return 1;
    for (size_t b = 0; b < d; b++)
        for (size_t k = 0; k < rest; k++) Z[b * rest + k] = basis[(rows + k) * d + b];
    return 0;
}

/* to = Z_next' Phi Z */
static void squeeze(size_t d, size_t rest, const double *Phi, const double *Z, const double *next, double *to,
                    double *work)
{
    for (size_t a = 0; a < d; a++)
        for (size_t k = 0; k < rest; k++) {
            double sum = 0;
            for (size_t b = 0; b < d; b++) sum += Phi[a * d + b] * Z[b * rest + k];
            work[a * rest + k] = sum;
        }
    for (size_t j = 0; j < rest; j++)
        for (size_t k = 0; k < rest; k++) {
            double sum = 0;
            for (size_t a = 0; a < d; a++) sum += next[a * rest + j] * work[a * rest + k];
            to[j * rest + k] = sum;
        }
}

static int squeeze_all(const struct actio_turn *t, const struct actio_unmoved *u, const struct choice *x,
                       struct actio_turn *out, double *room, int *iwork)
{
    size_t d = t->d, rest = out->d;
    double *Z = room, *next = Z + d * d, *work = next + d * d;
    if (between(t, u, x, 0, Z, work, iwork)) return 1;
    for (size_t i = 0; i < t->factors; i++) {
        if (between(t, u, x, i + 1, next, work, iwork)) return 1;
        squeeze(d, rest, t->Phi + i * d * d, Z, next, out->Phi + i * rest * rest, work);
        memcpy(Z, next, d * rest * sizeof *Z);
    }
    return 0;
}

int actio_turn_deflate(const struct actio_turn *t, struct actio_context *ctx, const struct actio_unmoved *u,
                       double apart, struct actio_turn *out, size_t *by, size_t *count)
{
    size_t d = t->d;
    *out = (struct actio_turn){ .factors = t->factors };
    *count = 0;
    double *room = actio_alloc(ctx, 7 * d * d + 2 * d + actio_rank_work(d, d) + 1, sizeof *room);
    size_t *chosen = actio_alloc(ctx, 3 * d + 1, sizeof *chosen);
    int *iwork = actio_alloc(ctx, 2 * d + 1, sizeof *iwork), bad = !room || !chosen || !iwork;
    if (!bad) {
        struct choice x = { .left = chosen, .right = chosen + d, .inward = chosen + 2 * d };
        x.mix = room;
        x.work = room + d * d;
        x.lefts = choose_side(t, u, true, apart, x.left, x.work);
        x.rights = choose_side(t, u, false, apart, x.right, x.work);
        pair_sides(t, u, apart, &x);
        for (size_t k = 0; k < x.inner; k++) by[(*count)++] = x.inward[k];
        for (size_t k = 0; k < x.lefts && *count < d; k++) by[(*count)++] = x.left[k];
        out->d = d - *count;
        out->Phi = actio_alloc(ctx, t->factors * out->d * out->d + 1, sizeof *out->Phi);
        bad = !out->Phi || x.lefts + x.inner > d || squeeze_all(t, u, &x, out, room + d * d, iwork);
    }
    actio_free(ctx, room);
    actio_free(ctx, chosen);
    actio_free(ctx, iwork);
    return bad;
}

/* ---- vectors that nothing explains */

static void multiply(size_t d, const double *A, const double *B, double *to)
{
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++) {
            double sum = 0;
            for (size_t k = 0; k < d; k++) sum += A[a * d + k] * B[k * d + b];
            to[a * d + b] = sum;
        }
}

static void identity(size_t d, double *A)
{
    memset(A, 0, d * d * sizeof *A);
    for (size_t a = 0; a < d; a++) A[a * d + a] = 1;
}

double actio_turn_growth(const struct actio_turn *t, double *work)
{
    size_t d = t->d, dd = d * d, k = t->factors;
    double *after = work, *before = after + (k + 1) * dd, *next = before + dd, sum = 0;
    identity(d, after + k * dd);
    for (size_t i = k; i-- > 0;) multiply(d, after + (i + 1) * dd, t->Phi + i * dd, after + i * dd);
    identity(d, before);
    for (size_t i = 0; i < k; i++) {
        sum += actio_norm(dd, after + (i + 1) * dd) * actio_norm(dd, t->Phi + i * dd) * actio_norm(dd, before);
        multiply(d, t->Phi + i * dd, before, next);
        memcpy(before, next, dd * sizeof *before);
    }
    return isfinite(sum) ? sum : INFINITY;
}

/* Right vectors of small singular values, as rows; how many. */
static size_t null_vectors(size_t d, const double *A, double tol, double *rows, double *work)
{
    size_t count = 0;
    double *sigma = work, *V = sigma + d;
    if (actio_svd(d, d, A, sigma, NULL, V, V + d * d)) return 0;
    for (size_t k = 0; k < d; k++) {
        if (!(sigma[k] <= tol)) continue;
        for (size_t a = 0; a < d; a++) rows[count * d + a] = V[a * d + k];
        count++;
    }
    return count;
}

/* Of the product less 1: as many left ones as right ones. */
static size_t unmoved_vectors(const struct actio_turn *t, double tol, double *left, double *right, double *work)
{
    size_t d = t->d, dd = d * d;
    double *M = work, *next = M + dd, *more = next + dd;
    identity(d, M);
    for (size_t i = 0; i < t->factors; i++) {
        multiply(d, t->Phi + i * dd, M, next);
        memcpy(M, next, dd * sizeof *M);
    }
    for (size_t a = 0; a < d; a++) M[a * d + a] -= 1;
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++) next[b * d + a] = M[a * d + b];
    size_t rights = null_vectors(d, M, tol, right, more), lefts = null_vectors(d, next, tol, left, more);
    return rights < lefts ? rights : lefts;
}

static void follow_vectors(const struct actio_turn *t, struct actio_unmoved *u, const double *left, const double *right)
{
    size_t d = t->d, half = u->count / 2;
    for (size_t c = 0; c < half; c++) {
        u->left[c] = true;
        memcpy(u->at + c * d, left + c * d, d * sizeof *left);
        memcpy(u->at + (half + c) * d, right + c * d, d * sizeof *right);
        for (size_t i = 0; i + 1 < t->factors; i++)
            through(d, t->Phi + i * d * d, false, u->at + (i * u->count + half + c) * d,
                    u->at + ((i + 1) * u->count + half + c) * d);
        for (size_t i = t->factors; i-- > 1;)
            through(d, t->Phi + i * d * d, true, vector_at(t, u, i + 1, c), u->at + (i * u->count + c) * d);
    }
}

int actio_turn_find_unmoved(const struct actio_turn *t, struct actio_context *ctx, double tol, struct actio_unmoved *u)
{
    size_t d = t->d, dd = d * d;
    *u = (struct actio_unmoved){ 0 };
    double *work = actio_alloc(ctx, 12 * dd + 2 * d + 1, sizeof *work);
    if (!work) return 1;
    double *left = work, *right = left + dd;
    size_t count = unmoved_vectors(t, tol, left, right, right + dd);
    int bad = count && actio_unmoved_open(u, ctx, t, 2 * count);
    if (!bad && count) follow_vectors(t, u, left, right);
    actio_free(ctx, work);
    return bad;
}

/* SPDX-License-Identifier: Apache-2.0
 * One look at one state: rank of the rows, inertia of W and of W on the velocities that the rows leave free.
 * B is regular iff rank A = p and W is not degenerate on ker A: det B = (-1)^p det(AA') det(Z'WZ).  [LM 20, HAMEL F.1]
 * */
#include "verdict/survey.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

void actio_look_open(struct actio_surveying *s)
{
    struct actio_formation *F = s->F;
    size_t N = F->N, p = F->p, big = N > p ? N : p;
    s->G = actio_form_array(F, N * N, sizeof(double));
    s->A = actio_form_array(F, p * N, sizeof(double));
    s->D = actio_form_array(F, p * N, sizeof(double));
    s->d = actio_form_array(F, N, sizeof(double));
    s->size = actio_form_array(F, N, sizeof(double));
    s->Z = actio_form_array(F, N * N, sizeof(double));
    s->ZD = actio_form_array(F, N * N, sizeof(double));
    s->S = actio_form_array(F, 3 * N * N + p * N, sizeof(double));
    s->w = actio_form_array(F, 2 * N + p, sizeof(double));
    s->work = actio_form_array(F, actio_rank_work(big, big) + 4 * N * N, sizeof(double));
    s->iwork = actio_form_array(F, 2 * (N + p), sizeof(int));
    s->right = actio_form_array(F, p, sizeof(double));
    s->unit_A = actio_form_array(F, p, sizeof(double));
    s->unit_D = actio_form_array(F, p, sizeof(double));
    s->spared = actio_form_array(F, p, sizeof(bool));
    s->row_size = actio_form_array(F, p, sizeof(double));
    s->wide = actio_form_array(F, 2 * p * N + N * N + p * p, sizeof(double));
}

static void scatter(const struct actio_entries *e, const double *value, const double *d, size_t N, size_t rows,
                    bool both, double *out)
{
    memset(out, 0, rows * N * sizeof *out);
    for (size_t i = 0; i < e->count; i++)
        out[e->at[i].row * N + e->at[i].col] = value[i] * d[e->at[i].col] * (both ? d[e->at[i].row] : 1);
}

/* Units do not matter: G gets entries of about 1, by the sizes it has at the start (where it is zero there: at the
 * first point where it is not).
 * Not by those of each point, which would hide an entry that vanishes. */
static void scale(struct actio_surveying *s, const double *G)
{
    size_t N = s->F->N;
    memset(s->w, 0, N * sizeof *s->w);
    for (size_t i = 0; i < s->F->G.count; i++) {
        double x = fabs(G[i]);
        if (x > s->w[s->F->G.at[i].row]) s->w[s->F->G.at[i].row] = x;
    }
    for (size_t i = 0; i < N; i++) {
        if (s->size[i] == 0) s->size[i] = s->w[i];
        s->d[i] = s->size[i] > 0 ? 1 / sqrt(s->size[i]) : 1;
    }
}

static void inertia_of(size_t n, double *a, double *w, int out[3], double *smallest)
{
    memset(out, 0, 3 * sizeof *out);
    *smallest = INFINITY;
    if (n == 0) return;
    actio_eigen_symmetric(n, a, w, NULL);
    for (size_t i = 0; i < n; i++) {
        out[w[i] > ACTIO_NO_INERTIA ? 0 : w[i] < -ACTIO_NO_INERTIA ? 1 : 2]++;
        *smallest = fmin(*smallest, fabs(w[i]));
    }
}

/* S = L G R' for the rows L, R of two bases. */
static void between(const struct actio_surveying *s, const double *L, const double *R, size_t r, double *S)
{
    size_t N = s->F->N;
    for (size_t b = 0; b < r; b++) {
        for (size_t i = 0; i < N; i++) s->w[i] = actio_dot(N, s->G + i * N, R + b * N);
        for (size_t a = 0; a < r; a++) S[a * r + b] = actio_dot(N, L + a * N, s->w);
    }
}

static bool look_all_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static size_t basis_of(struct actio_surveying *s, const double *rows, double *basis)
{
    size_t N = s->F->N, p = s->F->p;
    if (p == 0) {
        memset(basis, 0, N * N * sizeof *basis);
        for (size_t i = 0; i < N; i++) basis[i * N + i] = 1;
        return 0;
    }
    memcpy(s->S, rows, p * N * sizeof *rows);
    return actio_row_bases(p, N, s->S, s->v->dependent, basis, s->work, s->iwork);
}

static void look_divide(double *rows, const double *unit, size_t p, size_t N)
{
    for (size_t k = 0; k < p; k++)
        for (size_t i = 0; i < N && unit[k] > 0; i++) rows[k * N + i] /= unit[k];
}

static void lengths(const struct actio_entries *e, const double *value, size_t p, double *unit, double *sum)
{
    memset(sum, 0, p * sizeof *sum);
    for (size_t i = 0; i < e->count; i++) sum[e->at[i].row] = hypot(sum[e->at[i].row], value[i]);
    for (size_t k = 0; k < p; k++)
        if (isfinite(sum[k])) unit[k] = fmax(unit[k], sum[k]);
}

void actio_look_measure(struct actio_surveying *s, double t, const double *y)
{
    const struct actio_formation *F = s->F;
    s->M.t = t;
    memcpy(s->M.y, y, s->M.ny * sizeof *y);
    const double *A = actio_probe_at(&s->matrix) + F->G.count;
    lengths(&F->A, A, F->p, s->unit_A, s->w);
    lengths(&F->D, A + F->A.count, F->p, s->unit_D, s->w);
}

/* A z' = c: can the rows be met at all? */
static double defect_of(struct actio_surveying *s, const double *c)
{
    size_t N = s->F->N, p = s->F->p;
    double defect = 0, size = 0;
    if (p == 0) return 0;
    memcpy(s->S, s->A, p * N * sizeof *s->S);
    for (size_t k = 0; k < p; k++) s->right[k] = s->unit_A[k] > 0 ? c[k] / s->unit_A[k] : c[k];
    actio_min_norm(p, N, s->S, s->right, s->v->dependent, s->w, &defect, s->work, s->iwork);
    for (size_t k = 0; k < p; k++) size = fmax(size, fabs(s->right[k]));
    return defect / (1 + size);
}

/* How far the rows, each of length 1, are from dependent: their smallest singular value among the first `rank`. */
double actio_rows_spread(struct actio_surveying *s, size_t rank)
{
    size_t N = s->F->N, p = s->F->p;
    if (p == 0 || rank == 0) return 1;
    for (size_t k = 0; k < p; k++) {
        double size = actio_norm(N, s->A + k * N);
        for (size_t i = 0; i < N; i++) s->S[k * N + i] = size > 0 ? s->A[k * N + i] / size : 0;
    }
    actio_svd(p, N, s->S, s->w, NULL, NULL, s->wide);
    return s->w[rank - 1] / (s->w[0] > 0 ? s->w[0] : 1);
}

struct actio_look actio_look_at(struct actio_surveying *s, double t, const double *y)
{
    struct actio_formation *F = s->F;
    size_t N = F->N, p = F->p, n = F->n;
    struct actio_look l = { .smallest = INFINITY };
    actio_poll(F->sys.ctx);
    s->M.t = t;
    memcpy(s->M.y, y, s->M.ny * sizeof *y);
    const double *G = actio_probe_at(&s->matrix), *A = G + F->G.count, *D = A + F->A.count, *c = D + F->D.count + N;
    l.ok = look_all_finite(G, F->G.count + F->A.count + F->D.count + N + p);
    if (!l.ok) return l;
    scale(s, G);
    scatter(&F->G, G, s->d, N, N, true, s->G);
    scatter(&F->A, A, s->d, N, p, false, s->A);
    scatter(&F->D, D, s->d, N, p, false, s->D);
    look_divide(s->A, s->unit_A, p, N);
    look_divide(s->D, s->unit_D, p, N);
    for (size_t k = 0; k < p; k++) s->row_size[k] = fmax(s->row_size[k], actio_norm(N, s->A + k * N));
    for (size_t i = 0; i < n; i++) memcpy(s->S + i * n, s->G + i * N, n * sizeof *s->S);
    double unused;
    inertia_of(n, s->S, s->w, l.inertia, &unused);
    l.defect = defect_of(s, c);
    l.rank = basis_of(s, s->A, s->Z);
    l.rank_D = basis_of(s, s->D, s->ZD);
    size_t r = N - l.rank;
    if (l.rank != l.rank_D) {
        l.smallest = 0;
        return l;
    }
    bool symmetric = F->sys.is.symmetric;
    between(s, (symmetric ? s->Z : s->ZD) + l.rank * N, s->Z + l.rank * N, r, s->S);
    if (symmetric) {
        inertia_of(r, s->S, s->w, l.kernel_inertia, &l.smallest);
        for (size_t i = 0; i < r; i++) {
            l.minus += s->w[i] < 0;
            l.largest = fmax(l.largest, fabs(s->w[i]));
        }
    } else if (r) {
        actio_svd(r, r, s->S, s->w, NULL, NULL, s->work);
        l.smallest = s->w[r - 1];
        l.kernel_inertia[l.smallest > ACTIO_NO_INERTIA ? 0 : 2] = (int)r;
    }
    return l;
}

bool actio_same_look(const struct actio_look *a, const struct actio_look *b)
{
    return a->rank == b->rank && a->minus == b->minus;
}

/* SPDX-License-Identifier: Apache-2.0
 * Minimum-norm Newton in a metric: z := z - P c with P = G^-1 J' (J G^-1 J')^+, kept while it converges fast. */
#include "algebra/newton.h"
#include "algebra/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct newton {
    const struct actio_newton *p;
    struct actio_newton_result *r;
    size_t m, n;
    double rank_tol;
    double *z, *z_new, *dz, *c, *c_new, *scale;   /* scale: 1 / |J_i| */
    double *J, *K, *P, *G, *basis, *H, *T, *work; /* K: m x n, H and T: n x n scratch */
    int *iwork;
};

size_t actio_newton_work(size_t m, size_t n) { return 3 * m + 2 * n + 3 * m * n + 4 * n * n + actio_rank_work(m, n); }

static void newton_lay_out(struct newton *s, double *work)
{
    size_t m = s->m, n = s->n;
    struct {
        double **part;
        size_t size;
    } plan[] = {
        { &s->c, m },     { &s->c_new, m }, { &s->scale, m }, { &s->z_new, n }, { &s->dz, n },
        { &s->J, m * n }, { &s->K, m * n }, { &s->P, n * m }, { &s->G, n * n }, { &s->basis, n * n },
        { &s->H, n * n }, { &s->T, n * n }, { &s->work, 0 },
    };
    for (size_t i = 0; i < sizeof plan / sizeof *plan; i++) {
        *plan[i].part = work;
        work += plan[i].size;
    }
}

static bool finite_all(size_t count, const double *x)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static double newton_largest_of(size_t count, const double *x)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* The largest residual, by rows in units of z, and where. */
static void newton_measure(struct newton *s)
{
    s->r->residual = 0;
    for (size_t i = 0; i < s->m; i++) {
        double x = fabs(s->c[i]) * s->scale[i];
        if (x > s->r->residual) {
            s->r->residual = x;
            s->r->worst = i;
        }
    }
}

/* What a step has to lower. */
static double merit(const struct newton *s, const double *c)
{
    double sum = 0;
    for (size_t i = 0; i < s->m; i++) sum += (c[i] * s->scale[i]) * (c[i] * s->scale[i]);
    return sqrt(sum);
}

/* out (r x q) = a (r x t) b' (b: q x t) */
static void times_transposed(size_t r, size_t t, size_t q, const double *a, const double *b, double *out)
{
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < q; j++) out[i * q + j] = actio_dot(t, a + i * t, b + j * t);
}

static size_t newton_invert(struct newton *s)
{
    return actio_pseudo_inverse(s->m, s->n, s->K, s->rank_tol, s->P, s->work, s->iwork);
}

/* G = L L': with K = J L'^-1 the shortest step is P = L'^-1 K^+. */
static bool by_cholesky(struct newton *s)
{
    size_t m = s->m, n = s->n;
    double *L = s->H;
    memcpy(L, s->G, n * n * sizeof *L);
    if (actio_cholesky_factor(n, L) != 0) return false;
    for (size_t i = 0; i < m; i++) {
        double *row = s->K + i * n;
        for (size_t j = 0; j < n; j++) row[j] = (s->J[i * n + j] - actio_dot(j, row, L + j * n)) / L[j * n + j];
    }
    s->r->rank = newton_invert(s);
    for (size_t j = n; j-- > 0;)
        for (size_t k = 0; k < m; k++) {
            double x = s->P[j * m + k];
            for (size_t i = j + 1; i < n; i++) x -= L[i * n + j] * s->P[i * m + k];
            s->P[j * m + k] = x / L[j * n + j];
        }
    return true;
}

static void euclidean(struct newton *s)
{
    memcpy(s->K, s->J, s->m * s->n * sizeof *s->K);
    s->r->rank = newton_invert(s);
}

/* The rows of `basis` that span the row space of J become G-orthogonal to those that span its null space, N:
 * R -= R G N' (N G N')^-1 N. False when N G N' is singular; *positive: it is positive definite. */
static bool turn_rows(struct newton *s, bool *positive)
{
    size_t n = s->n, rank = s->r->rank, k = n - rank;
    double *N = s->basis + rank * n, *y = s->work;
    int inertia[3];
    times_transposed(k, n, n, N, s->G, s->T);
    times_transposed(k, n, k, s->T, N, s->H);
    actio_ldl_factor(k, s->H, s->iwork);
    actio_ldl_inertia(k, s->H, s->iwork, 1e-13, inertia);
    *positive = inertia[0] == (int)k;
    if (inertia[2] != 0) return false;
    for (size_t i = 0; i < rank; i++) {
        double *row = s->basis + i * n;
        for (size_t l = 0; l < k; l++) y[l] = actio_dot(n, s->T + l * n, row);
        actio_ldl_solve(k, s->H, s->iwork, y, 1);
        for (size_t l = 0; l < k; l++)
            for (size_t j = 0; j < n; j++) row[j] -= y[l] * N[l * n + j];
    }
    return true;
}

static bool positive_on_rows(struct newton *s)
{
    size_t n = s->n, rank = s->r->rank;
    times_transposed(rank, n, n, s->basis, s->G, s->T);
    times_transposed(rank, n, rank, s->T, s->basis, s->H);
    return actio_cholesky_factor(rank, s->H) == 0;
}

/* G is not positive definite. The step is well defined all the same when G is positive on the null space of J (a
 * nearest point)
 * or on the steps themselves (a G-orthogonal foot). P starts as the Euclidean one; false leaves it so. */
static bool by_null_space(struct newton *s)
{
    size_t m = s->m, n = s->n, rank = s->r->rank;
    bool positive;
    memcpy(s->K, s->J, m * n * sizeof *s->K);
    if (actio_row_bases(m, n, s->K, s->rank_tol, s->basis, s->work, s->iwork) != rank) return false;
    for (size_t i = 0; i < rank; i++) /* K = R P: the steps in the basis R, before it is turned */
        for (size_t j = 0; j < m; j++) {
            s->K[i * m + j] = 0;
            for (size_t l = 0; l < n; l++) s->K[i * m + j] += s->basis[i * n + l] * s->P[l * m + j];
        }
    if (!turn_rows(s, &positive) || !(positive || positive_on_rows(s))) return false;
    memset(s->P, 0, n * m * sizeof *s->P);
    for (size_t i = 0; i < rank; i++)
        for (size_t l = 0; l < n; l++)
            for (size_t j = 0; j < m; j++) s->P[l * m + j] += s->basis[i * n + l] * s->K[i * m + j];
    return true;
}

/* Jacobian at z and the scales of its rows. */
static bool linearise(struct newton *s)
{
    if (s->p->jacobian(s->p->user, s->z, s->J) != 0 || !finite_all(s->m * s->n, s->J)) return false;
    actio_row_scales(s->m, s->n, s->J, s->scale);
    return true;
}

static void make_steps(struct newton *s)
{
    bool metric = s->p->metric != NULL;
    bool known = metric && s->p->metric(s->p->user, s->z, s->G) == 0 && finite_all(s->n * s->n, s->G);
    if (known && by_cholesky(s)) return;
    euclidean(s);
    if (metric && !(known && by_null_space(s))) s->r->used_euclid = true;
}

/* z_new = z + t dz and c there. False when it is undefined or does not lower the merit enough. */
static bool try_step(struct newton *s, double t, double before)
{
    for (size_t j = 0; j < s->n; j++) s->z_new[j] = s->z[j] + t * s->dz[j];
    if (s->p->residual(s->p->user, s->z_new, s->c_new) != 0) return false;
    return merit(s, s->c_new) <= (1 - 1e-4 * t) * before; /* false for NaN */
}

/* A full step, or with fresh P one halved until it helps. Returns merit after / merit before, or 2 when there is none.
 * */
static double step(struct newton *s, bool fresh)
{
    double before = merit(s, s->c);
    for (size_t j = 0; j < s->n; j++) s->dz[j] = -actio_dot(s->m, s->P + j * s->m, s->c);
    for (double t = 1; t > 1e-12; t /= 2) {
        bool good = try_step(s, t, before);
        bool moved = memcmp(s->z_new, s->z, s->n * sizeof *s->z) != 0;
        if (good && moved) {
            memcpy(s->z, s->z_new, s->n * sizeof *s->z);
            memcpy(s->c, s->c_new, s->m * sizeof *s->c);
            s->r->iterations++;
            return t == 1 ? merit(s, s->c) / before : 1;
        }
        if (!fresh || !moved) break;
    }
    return 2;
}

/* Steps until tol, until none helps, or until max_iterations. Old steps serve as long as each divides the merit by
 * fifty. */
static void newton_iterate(struct newton *s, int max_iterations)
{
    bool fresh = true;
    while (!(s->r->residual <= s->p->tol) && s->r->iterations < max_iterations) {
        double ratio = step(s, fresh);
        newton_measure(s);
        bool tiny = s->r->residual <= 1e-9 * newton_largest_of(s->n, s->z);
        if (fresh && (ratio > 1 || (tiny && ratio > 0.5))) {
            s->r->round_off = tiny && s->r->residual > s->p->tol;
            return;
        }
        bool keep = ratio < 0.02 || s->r->residual <= s->p->tol;
        if (!keep) {
            if (!linearise(s)) return;
            make_steps(s);
            newton_measure(s);
        }
        fresh = !keep;
    }
}

int actio_newton_solve(const struct actio_newton *p, double *z, double *work, int *iwork, struct actio_newton_result *r)
{
    struct newton s = {
        .p = p, .r = r, .m = p->m, .n = p->n, .rank_tol = p->rank_tol > 0 ? p->rank_tol : 1e-10, .z = z, .iwork = iwork
    };
    *r = (struct actio_newton_result){ 0 };
    newton_lay_out(&s, work);
    if (p->residual(p->user, z, s.c) != 0 || !finite_all(p->m, s.c) || !linearise(&s)) return 2;
    newton_measure(&s);
    if (!p->lazy || !(r->residual <= p->tol)) {
        make_steps(&s);
        newton_iterate(&s, p->max_iterations > 0 ? p->max_iterations : 50);
    }
    r->converged = r->residual <= p->tol;
    return !(r->converged || r->round_off);
}

/* SPDX-License-Identifier: Apache-2.0
 * Which rows depend on which, and how: minimal dependent sets of the constraints and the linear relation between their rows.  [HAMEL H] */
#include "verdict/verdict.h"
#include "algebra/dense.h"
#include "expr/normal.h"

#include <math.h>
#include <string.h>

/* Scratch that is given back at once: a survey asks for many ranks. */
static void *borrow(struct actio_formation *F, size_t count, size_t size)
{
    void *p = actio_take(F->sys.ctx, count + 1, size);
    if (!p) actio_arena_array(&F->arena, SIZE_MAX / 8, 1);  /* says that memory is out, and escapes */
    return p;
}

size_t actio_rank_of_rows(struct actio_formation *F, const double *rows, size_t m, size_t n, double tol)
{
    if (m == 0 || n == 0) return 0;
    size_t big = m > n ? m : n;
    double *copy = borrow(F, m * n + n * n + actio_rank_work(big, big), sizeof *copy);
    int *iwork = borrow(F, 2 * (m + n), sizeof *iwork);
    memcpy(copy, rows, m * n * sizeof *copy);
    size_t rank = actio_row_bases(m, n, copy, tol, copy + m * n, copy + m * n + n * n, iwork);
    actio_give(F->sys.ctx, copy);
    actio_give(F->sys.ctx, iwork);
    return rank;
}

static void dense_rows(struct actio_verdict *v, struct actio_sampled *points, const struct actio_probe *matrix, size_t sample, double *A)
{
    struct actio_formation *F = v->F;
    points->M->t = points->t[sample];
    memcpy(points->M->y, points->y + sample * points->M->ny, points->M->ny * sizeof(double));
    const double *value = actio_probe_at(matrix) + F->G.count;
    memset(A, 0, F->p * F->N * sizeof *A);
    for (size_t i = 0; i < F->A.count; i++) A[F->A.at[i].row * F->N + F->A.at[i].col] = value[i];
}

static void gather(const double *A, const uint32_t *row, size_t rows, size_t skip, size_t N, double *out)
{
    size_t at = 0;
    for (size_t i = 0; i < rows; i++)
        if (i != skip) memcpy(out + N * at++, A + row[i] * N, N * sizeof *out);
}

/* The smallest set of rows up to and with `last` in which `last` depends on the others: leave out whatever is not needed. */
static size_t minimal_set(struct actio_formation *F, const double *A, uint32_t last, double tol, uint32_t *set)
{
    size_t count = 0;
    double *some = borrow(F, (F->p + 1) * F->N, sizeof *some);
    for (uint32_t k = 0; k < last; k++) set[count++] = k;
    for (size_t i = count; i-- > 0;) {
        gather(A, set, count, i, F->N, some);
        size_t without = actio_rank_of_rows(F, some, count - 1, F->N, tol);
        memcpy(some + (count - 1) * F->N, A + last * F->N, F->N * sizeof *some);
        if (actio_rank_of_rows(F, some, count, F->N, tol) != without) continue;
        memmove(set + i, set + i + 1, (count - i - 1) * sizeof *set);
        count--;
    }
    set[count] = last;
    actio_give(F->sys.ctx, some);
    return count + 1;
}

/* row_last = sum of factors * the other rows, at one sample: normal equations, since the rows fit each other but for rounding. */
static void factors_at(struct actio_formation *F, const double *A, const uint32_t *set, size_t count, double *factor)
{
    size_t others = count - 1, N = F->N;
    if (others == 0) return;
    double *T = borrow(F, others * others, sizeof *T);
    int *pivot = borrow(F, others, sizeof *pivot);
    for (size_t i = 0; i < others; i++) {
        for (size_t j = 0; j < others; j++) T[i * others + j] = actio_dot(N, A + set[i] * N, A + set[j] * N);
        factor[i] = actio_dot(N, A + set[i] * N, A + set[others] * N);
    }
    if (actio_lu_factor(others, T, pivot) == 0) actio_lu_solve(others, T, pivot, factor, 1, false);
    actio_give(F->sys.ctx, T);
    actio_give(F->sys.ctx, pivot);
}

static void write_term(struct actio_text *t, double factor, const char *name, bool first)
{
    double size = fabs(factor), whole = round(size * 1e9) / 1e9;
    actio_text_add(t, first ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ");
    if (fabs(size - 1) > 1e-9) {
        actio_text_number(t, fabs(whole - size) < 1e-9 * size ? whole : size);
        actio_text_add(t, "*");
    }
    actio_text_add(t, name);
}

/* The eigenvector of the most negative eigenvalue, its largest part 1 and what hardly takes part left out. */
void actio_find_negative(struct actio_verdict *v, const double *G)
{
    struct actio_formation *F = v->F;
    size_t n = F->n, largest = 0;
    double *W = actio_form_array(F, 2 * n * n + n, sizeof *W), *V = W + n * n, *w = V + n * n;
    for (size_t i = 0; i < F->G.count; i++)
        if (F->G.at[i].row < n && F->G.at[i].col < n) W[F->G.at[i].row * n + F->G.at[i].col] = G[i];
    if (n == 0 || actio_eigen_symmetric(n, W, w, V) || !(w[0] < 0)) return;
    for (size_t i = 1; i < n; i++)
        if (fabs(V[i * n]) > 1.000001 * fabs(V[largest * n])) largest = i;
    struct actio_text t;
    actio_text_open(&t, &F->arena);
    for (size_t i = 0; i < n; i++) {
        double part = round(V[i * n] / V[largest * n] * 1e3) / 1e3;
        if (part != 0) write_term(&t, part, F->sys.variable[i], t.length == 0);
    }
    v->negative = t.s;
}

static const char *relation_text(struct actio_formation *F, const uint32_t *set, size_t count, const double *factor, bool constant)
{
    struct actio_text t;
    actio_text_open(&t, &F->arena);
    actio_text_format(&t, "%s = ", F->sys.constraint[set[count - 1]]);
    bool first = true;
    for (size_t j = 0; constant && j + 1 < count; j++)
        if (fabs(factor[j]) > 1e-12) write_term(&t, factor[j], F->sys.constraint[set[j]], first), first = false;
    for (size_t j = 0; !constant && j + 1 < count; j++) actio_text_format(&t, "%s(...)*%s", j ? " + " : "", F->sys.constraint[set[j]]);
    if (count == 1) actio_text_add(&t, "0");
    return t.s;
}

/* Is the relation an identity of the formulas? */
static bool proved(struct actio_formation *F, const uint32_t *set, size_t count, const double *factor)
{
    struct actio_pool *pool = &F->pool;
    actio_expr *row = actio_form_array(F, F->N, sizeof *row);
    for (size_t i = 0; i < F->A.count; i++)
        for (size_t j = 0; j < count; j++) {
            if (F->A.at[i].row != set[j]) continue;
            double c = j + 1 == count ? -1 : fabs(factor[j] - round(factor[j])) < 1e-9 ? round(factor[j]) : factor[j];
            actio_expr *e = &row[F->A.at[i].col];
            *e = actio_add(pool, *e, actio_mul(pool, actio_const(pool, c), F->A.at[i].e));
        }
    for (size_t i = 0; i < F->N; i++)
        if (!actio_is_identically_zero(pool, row[i])) return false;
    return true;
}

void actio_find_relations(struct actio_verdict *v, struct actio_sampled *points, const struct actio_probe *matrix)
{
    struct actio_formation *F = v->F;
    size_t p = F->p, N = F->N;
    double *A = actio_form_array(F, p * N, sizeof *A), *factor = actio_form_array(F, p, sizeof *factor), *again = actio_form_array(F, p, sizeof *again);
    v->redundant = actio_form_array(F, p, sizeof *v->redundant);
    v->proved = true;
    for (uint32_t k = 0; k < p && points->count; k++) {
        dense_rows(v, points, matrix, 0, A);
        size_t before = actio_rank_of_rows(F, A, k, N, v->dependent);
        if (actio_rank_of_rows(F, A, k + 1, N, v->dependent) > before) continue;
        uint32_t *set = actio_form_array(F, k + 1, sizeof *set);
        size_t count = minimal_set(F, A, k, v->dependent, set);
        factors_at(F, A, set, count, factor);
        bool constant = true;
        for (size_t s = 1; s < points->count && s < 6; s++) {
            dense_rows(v, points, matrix, s, A);
            factors_at(F, A, set, count, again);
            for (size_t j = 0; j + 1 < count; j++) constant = constant && fabs(again[j] - factor[j]) <= 1e-7 * (1 + fabs(factor[j]));
        }
        v->proved = v->proved && constant && proved(F, set, count, factor);
        v->redundant[v->redundants++] = (struct actio_relation){ set, count, relation_text(F, set, count, factor, constant), constant };
    }
}

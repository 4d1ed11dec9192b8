/* SPDX-License-Identifier: Apache-2.0
 * Which rows depend on which, and how: minimal dependent sets of the constraints and the linear relation between their
 * rows.  [HAMEL H] */
#include "verdict/verdict.h"
#include "algebra/dense.h"
#include "expr/normal.h"

#include <math.h>
#include <string.h>

/* Scratch that is given back at once: a survey needs many ranks. */
static void *borrow(struct actio_formation *F, size_t count, size_t size)
{
    void *p = actio_alloc(F->sys.ctx, count + 1, size);
    if (!p) actio_arena_array(&F->arena, SIZE_MAX / 8, 1); /* says that memory is out, and escapes */
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
    actio_free(F->sys.ctx, copy);
    actio_free(F->sys.ctx, iwork);
    return rank;
}

static void dense_rows(struct actio_verdict *v, struct actio_sampled *points, const struct actio_probe *matrix,
                       size_t sample, double *A)
{
    struct actio_formation *F = v->F;
    points->M->t = points->t[sample];
    memcpy(points->M->y, points->y + sample * points->M->ny, points->M->ny * sizeof(double));
    const double *value = actio_probe_at(matrix) + F->G.count;
    memset(A, 0, F->p * F->N * sizeof *A);
    for (size_t i = 0; i < F->A.count; i++) {
        double unit = v->row_unit[F->A.at[i].row];
        A[F->A.at[i].row * F->N + F->A.at[i].col] = unit > 0 ? value[i] / unit : value[i];
    }
}

/* Factors between rows in their units become those between the rows themselves; rounding becomes 0. */
static void undo_units(const struct actio_verdict *v, const uint32_t *set, size_t count, double *factor)
{
    for (size_t j = 0; j + 1 < count; j++) {
        double last = v->row_unit[set[count - 1]], own = v->row_unit[set[j]];
        if (fabs(factor[j]) <= 1e-12) factor[j] = 0;
        if (last > 0 && own > 0) factor[j] *= last / own;
    }
}

static void dependence_gather(const double *A, const uint32_t *row, size_t rows, size_t skip, size_t N, double *out)
{
    size_t at = 0;
    for (size_t i = 0; i < rows; i++)
        if (i != skip) memcpy(out + N * at++, A + row[i] * N, N * sizeof *out);
}

/* The smallest set of rows up to and with `last` in which `last` depends on the others: leave out whatever is not
 * needed. */
static size_t minimal_set(struct actio_formation *F, const double *A, uint32_t last, double tol, uint32_t *set)
{
    size_t count = 0;
    double *some = borrow(F, (F->p + 1) * F->N, sizeof *some);
    for (uint32_t k = 0; k < last; k++) set[count++] = k;
    for (size_t i = count; i-- > 0;) {
        dependence_gather(A, set, count, i, F->N, some);
        size_t without = actio_rank_of_rows(F, some, count - 1, F->N, tol);
        memcpy(some + (count - 1) * F->N, A + last * F->N, F->N * sizeof *some);
        if (actio_rank_of_rows(F, some, count, F->N, tol) != without) continue;
        memmove(set + i, set + i + 1, (count - i - 1) * sizeof *set);
        count--;
    }
    set[count] = last;
    actio_free(F->sys.ctx, some);
    return count + 1;
}

/* row_last = sum of factors * the other rows, at one sample: normal equations, since the rows fit each other but for
 * rounding. */
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
    actio_free(F->sys.ctx, T);
    actio_free(F->sys.ctx, pivot);
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

static const char *constant_text(struct actio_formation *F, const uint32_t *set, size_t count, const double *factor)
{
    struct actio_text t;
    bool first = true;
    actio_text_open(&t, &F->arena);
    actio_text_format(&t, "%s = ", F->sys.constraint[set[count - 1]]);
    for (size_t j = 0; j + 1 < count; j++)
        if (factor[j] != 0) {
            write_term(&t, factor[j], F->sys.constraint[set[j]], first);
            first = false;
        }
    if (first) actio_text_add(&t, "0");
    return t.s;
}

/* ---- factors that change from state to state */

enum { MOST_SYMBOLIC = 4, MOST_LENGTH = 90 };

static actio_expr entry_of(const struct actio_formation *F, uint32_t row, size_t col)
{
    for (size_t i = 0; i < F->A.count; i++)
        if (F->A.at[i].row == row && F->A.at[i].col == col) return F->A.at[i].e;
    return (actio_expr){ 0 };
}

/* Rows of others | last: columns on which the others are independent, by complete pivoting on the values. */
static bool pivot_columns(const double *A, const uint32_t *set, size_t others, size_t N, double *T, uint32_t *row,
                          uint32_t *col)
{
    for (size_t j = 0; j < others; j++) {
        memcpy(T + j * N, A + set[j] * N, N * sizeof *T);
        row[j] = (uint32_t)j;
    }
    for (size_t step = 0; step < others; step++) {
        double best = 0;
        size_t at = step;
        for (size_t j = step; j < others; j++)
            for (uint32_t c = 0; c < N; c++)
                if (fabs(T[row[j] * N + c]) > best) {
                    best = fabs(T[row[j] * N + c]);
                    at = j;
                    col[step] = c;
                }
        if (!(best > 0)) return false;
        uint32_t pivot = row[at];
        row[at] = row[step];
        row[step] = pivot;
        for (size_t j = step + 1; j < others; j++) {
            double f = T[row[j] * N + col[step]] / T[pivot * N + col[step]];
            for (size_t c = 0; c < N; c++) T[row[j] * N + c] -= f * T[pivot * N + c];
            T[row[j] * N + col[step]] = 0;
        }
    }
    return true;
}

/* Cramer's way on formulas, for a few rows: M f = b with M_ij = (row j)(column i); pivots were chosen on values and are
 * frozen. */
static void solve_formulas(struct actio_pool *pool, size_t n, actio_expr M[MOST_SYMBOLIC][MOST_SYMBOLIC + 1])
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++) {
            if (i == k || actio_is_zero(M[i][k])) continue;
            actio_expr f = actio_simplify(pool, actio_div(pool, M[i][k], M[k][k]));
            for (size_t j = k; j <= n; j++)
                M[i][j] = j == k ? (actio_expr){ 0 }
                                 : actio_simplify(pool, actio_sub(pool, M[i][j], actio_mul(pool, f, M[k][j])));
        }
    for (size_t k = 0; k < n; k++) M[k][n] = actio_simplify(pool, actio_div(pool, M[k][n], M[k][k]));
}

static bool find_formulas(struct actio_formation *F, const double *A, const uint32_t *set, size_t count,
                          actio_expr *factor)
{
    size_t others = count - 1, N = F->N;
    uint32_t row[MOST_SYMBOLIC], col[MOST_SYMBOLIC];
    actio_expr M[MOST_SYMBOLIC][MOST_SYMBOLIC + 1];
    if (others == 0 || others > MOST_SYMBOLIC) return false;
    double *T = borrow(F, others * N, sizeof *T);
    bool found = pivot_columns(A, set, others, N, T, row, col);
    actio_free(F->sys.ctx, T);
    if (!found) return false;
    for (size_t i = 0; i < others; i++) {
        for (size_t j = 0; j < others; j++) M[i][j] = entry_of(F, set[row[j]], col[i]);
        M[i][others] = entry_of(F, set[others], col[i]);
    }
    solve_formulas(&F->pool, others, M);
    for (size_t j = 0; j < others; j++) factor[row[j]] = M[j][others];
    return true;
}

/* row_last = sum of formula * row, proved on the formulas. */
static bool proved_formulas(struct actio_formation *F, const uint32_t *set, size_t count, const actio_expr *factor)
{
    struct actio_pool *pool = &F->pool;
    for (size_t c = 0; c < F->N; c++) {
        actio_expr sum = actio_neg(pool, entry_of(F, set[count - 1], c));
        for (size_t j = 0; j + 1 < count; j++) {
            actio_expr e = entry_of(F, set[j], c);
            if (!actio_is_zero(e)) sum = actio_add(pool, sum, actio_mul(pool, factor[j], e));
        }
        if (!actio_is_identically_zero(pool, sum)) return false;
    }
    return true;
}

static void write_formula(struct actio_formation *F, struct actio_text *t, actio_expr factor, const char *name,
                          bool first)
{
    struct actio_text f;
    actio_text_open(&f, &F->arena);
    actio_print_nice(&F->pool, factor, actio_model_symbol_name, F->model, &f);
    enum actio_op op = (enum actio_op)F->pool.node[factor.id].op;
    bool sum = op == ACTIO_ADD || op == ACTIO_SUB, minus = !sum && f.s[0] == '-', one = strcmp(f.s + minus, "1") == 0;
    actio_text_add(t, first ? (minus ? "-" : "") : minus ? " - " : " + ");
    if (!one) actio_text_format(t, sum ? "(%s)*" : "%s*", f.s + minus);
    actio_text_add(t, name);
}

static const char *formula_text(struct actio_formation *F, const uint32_t *set, size_t count, const actio_expr *factor)
{
    struct actio_text t;
    bool first = true;
    actio_text_open(&t, &F->arena);
    actio_text_format(&t, "%s = ", F->sys.constraint[set[count - 1]]);
    for (size_t j = 0; j + 1 < count; j++)
        if (!actio_is_zero(factor[j])) {
            write_formula(F, &t, factor[j], F->sys.constraint[set[j]], first);
            first = false;
        }
    return t.length <= MOST_LENGTH && !first ? t.s : NULL;
}

static double four_digits(double x)
{
    double unit = x != 0 && isfinite(x) ? pow(10, floor(log10(fabs(x))) - 3) : 1;
    return round(x / unit) * unit;
}

/* The values at one state, which is named by the variables that occur in the rows. */
static const char *text_at_state(struct actio_verdict *v, struct actio_sampled *points, const uint32_t *set,
                                 size_t count, const double *factor)
{
    struct actio_formation *F = v->F;
    struct actio_text t;
    size_t listed = 0, left = 0;
    double *rounded = actio_form_array(F, count, sizeof *rounded);
    for (size_t j = 0; j + 1 < count; j++) rounded[j] = four_digits(factor[j]);
    actio_text_open(&t, &F->arena);
    actio_text_format(&t, "%s, where ", constant_text(F, set, count, rounded));
    for (size_t i = 0; i < points->M->ny; i++) {
        bool occurs = false;
        for (size_t e = 0; e < F->A.count && !occurs; e++)
            for (size_t j = 0; j < count && !occurs; j++)
                occurs = F->A.at[e].row == set[j] && actio_uses_symbol(&F->pool, F->A.at[e].e, points->M->wrt[i]);
        if (!occurs) continue;
        if (listed == 4) {
            left++;
            continue;
        }
        actio_text_add(&t, listed++ ? ", " : "");
        actio_print(&F->pool, points->M->wrt[i], actio_model_symbol_name, F->model, &t);
        actio_text_format(&t, " = %.6g", points->y[i]);
    }
    if (left) actio_text_format(&t, " and %zu more", left);
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

/* Do the factors at one sample hold at the others? */
static bool constant_factors(struct actio_verdict *v, struct actio_sampled *points, const struct actio_probe *matrix,
                             const uint32_t *set, size_t count, const double *factor, double *A, double *again)
{
    bool constant = true;
    for (size_t s = 1; s < points->count && s < 6; s++) {
        dense_rows(v, points, matrix, s, A);
        factors_at(v->F, A, set, count, again);
        undo_units(v, set, count, again);
        for (size_t j = 0; j + 1 < count; j++)
            constant = constant && fabs(again[j] - factor[j]) <= 1e-7 * (1 + fabs(factor[j]));
    }
    return constant;
}

static struct actio_relation relation(struct actio_verdict *v, struct actio_sampled *points,
                                      const struct actio_probe *matrix, const uint32_t *set, size_t count, double *A)
{
    struct actio_formation *F = v->F;
    double *factor = actio_form_array(F, 2 * count, sizeof *factor);
    struct actio_relation r = { .row = set, .rows = count, .spare = SIZE_MAX };
    factors_at(F, A, set, count, factor);
    undo_units(v, set, count, factor);
    r.constant = constant_factors(v, points, matrix, set, count, factor, A, factor + count);
    if (r.constant) {
        v->proved = v->proved && proved(F, set, count, factor);
        r.text = constant_text(F, set, count, factor);
        r.factor = factor[0];
        return r;
    }
    actio_expr formula[MOST_SYMBOLIC];
    dense_rows(v, points, matrix, 0, A);
    bool found = find_formulas(F, A, set, count, formula) && proved_formulas(F, set, count, formula);
    v->proved = v->proved && found;
    r.text = found ? formula_text(F, set, count, formula) : NULL;
    if (!r.text) r.text = text_at_state(v, points, set, count, factor);
    return r;
}

void actio_find_relations(struct actio_verdict *v, struct actio_sampled *points, const struct actio_probe *matrix)
{
    struct actio_formation *F = v->F;
    size_t p = F->p, N = F->N;
    double *A = actio_form_array(F, p * N, sizeof *A);
    v->related.redundant = actio_form_array(F, p, sizeof *v->related.redundant);
    v->proved = true;
    for (uint32_t k = 0; k < p && points->count; k++) {
        dense_rows(v, points, matrix, 0, A);
        size_t before = actio_rank_of_rows(F, A, k, N, v->dependent);
        if (actio_rank_of_rows(F, A, k + 1, N, v->dependent) > before) continue;
        uint32_t *set = actio_form_array(F, k + 1, sizeof *set);
        size_t count = minimal_set(F, A, k, v->dependent, set);
        v->related.redundant[v->related.redundants++] = relation(v, points, matrix, set, count, A);
    }
}

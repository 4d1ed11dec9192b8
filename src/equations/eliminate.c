/* SPDX-License-Identifier: Apache-2.0
 * Structural elimination on the formulas: G by its diagonal blocks, then the p x p Schur complement
 *   S = A G^-1 D',  S lambda = c - A G^-1 h,  z' = G^-1 (h + D' lambda).  [LM 17, 18]
 * Pivots are not chosen at run time: each leaves a value that the motion watches, and the pivoted numeric path stands
 * behind. */
#include "equations/formation.h"

#include <math.h>

enum { LARGEST_BLOCK = 4, MOST_CONSTRAINTS = 4, MOST_OPERATIONS = 4000 };

/* Factors of the diagonal blocks of G: dense within a block, rows in the order of the variables. */
struct blocks {
    size_t *block_of, *start, *list, count; /* variables of block b: list[start[b] .. start[b + 1]) */
    actio_expr **matrix, **inverse_pivot;   /* L below the diagonal (and U above, when not symmetric); 1/pivot */
    bool symmetric;
};

static size_t eliminate_root_of(size_t *parent, size_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Connected parts of G's pattern. False when one is too large. */
static bool find_blocks(struct actio_formation *F, struct blocks *b)
{
    size_t N = F->N, *parent = actio_form_array(F, N, sizeof *parent), *size = actio_form_array(F, N, sizeof *size);
    b->block_of = actio_form_array(F, N, sizeof *b->block_of);
    b->start = actio_form_array(F, N + 1, sizeof *b->start);
    b->list = actio_form_array(F, N, sizeof *b->list);
    for (size_t i = 0; i < N; i++) parent[i] = i;
    for (size_t e = 0; e < F->G.count; e++)
        parent[eliminate_root_of(parent, F->G.at[e].row)] = eliminate_root_of(parent, F->G.at[e].col);
    size_t *number = actio_form_array(F, N, sizeof *number);
    for (size_t i = 0; i < N; i++) {
        size_t r = eliminate_root_of(parent, i);
        if (size[r]++ == 0) number[r] = b->count++;
        if (size[r] > LARGEST_BLOCK) return false;
        b->block_of[i] = number[r];
    }
    for (size_t i = 0; i < N; i++) b->start[b->block_of[i] + 1]++;
    for (size_t k = 0; k < b->count; k++) b->start[k + 1] += b->start[k];
    for (size_t i = 0; i < N; i++) size[i] = 0;
    for (size_t i = 0; i < N; i++) b->list[b->start[b->block_of[i]] + size[b->block_of[i]]++] = i;
    return true;
}

static size_t place_in(const struct blocks *b, size_t variable)
{
    size_t at = b->start[b->block_of[variable]];
    while (b->list[at] != variable) at++;
    return at - b->start[b->block_of[variable]];
}

static size_t eliminate_size_of(const struct blocks *b, size_t block) { return b->start[block + 1] - b->start[block]; }

static actio_expr eliminate_times(struct actio_pool *pool, actio_expr a, actio_expr b)
{
    return actio_is_zero(a) || actio_is_zero(b) ? (actio_expr){ 0 } : actio_mul(pool, a, b);
}

static actio_expr minus_product(struct actio_pool *pool, actio_expr x, actio_expr a, actio_expr b)
{
    actio_expr ab = eliminate_times(pool, a, b);
    return actio_is_zero(ab) ? x : actio_sub(pool, x, ab);
}

/* What the motion watches: pairs (value, reference) whose ratio is the quality, and single values against their own
 * history. */
struct watch {
    actio_expr *pair, *with_sign, *plain;
    size_t pairs, signs, plains;
};

/* A pivot is usable when it is not 0 by structure or at the start. */
static bool usable(struct actio_formation *F, actio_expr pivot, actio_expr reference)
{
    if (actio_is_zero(pivot)) return false;
    double p = actio_value_of(&F->pool, pivot, actio_start_value, F->model),
           r = actio_value_of(&F->pool, reference, actio_start_value, F->model);
    return isfinite(p) && fabs(p) > 1e-9 * fabs(r) && p != 0;
}

static void watch_pair(struct watch *w, actio_expr value, actio_expr reference)
{
    w->pair[2 * w->pairs] = value;
    w->pair[2 * w->pairs++ + 1] = reference;
}

/* A block of one entry has no reference but its own history. */
static void watch_pivot(struct actio_formation *F, size_t size, actio_expr pivot, actio_expr before, struct watch *w)
{
    if (actio_level_of(&F->pool, pivot) < ACTIO_LV_TIME) return;
    if (size == 1) w->with_sign[w->signs++] = pivot;
    else watch_pair(w, pivot, before);
}

/* Row i of a block less its multiple of row j. Of a symmetric block only the part up to the diagonal is reduced; the
 * row of U is kept above the diagonal. */
static void reduce_row(struct actio_formation *F, struct blocks *b, size_t block, size_t j, size_t i)
{
    struct actio_pool *pool = &F->pool;
    size_t k = eliminate_size_of(b, block), end = b->symmetric ? i + 1 : k;
    actio_expr *a = b->matrix[block], column = a[i * k + j],
               l = eliminate_times(pool, column, b->inverse_pivot[block][j]);
    if (b->symmetric) a[j * k + i] = column;
    for (size_t c = j + 1; c < end; c++) a[i * k + c] = minus_product(pool, a[i * k + c], l, a[j * k + c]);
    a[i * k + j] = l;
}

static bool factor_block(struct actio_formation *F, struct blocks *b, size_t block, struct watch *w)
{
    size_t k = eliminate_size_of(b, block);
    for (size_t j = 0; j < k; j++) {
        actio_expr pivot = b->matrix[block][j * k + j], *inverse = &b->inverse_pivot[block][j],
                   before = *inverse; /* the diagonal as it was */
        if (!usable(F, pivot, before)) return false;
        watch_pivot(F, k, pivot, before, w);
        *inverse = actio_div(&F->pool, actio_const(&F->pool, 1), pivot);
        for (size_t i = j + 1; i < k; i++) reduce_row(F, b, block, j, i);
    }
    return true;
}

static bool factor_blocks(struct actio_formation *F, struct blocks *b, struct watch *w)
{
    b->matrix = actio_form_array(F, b->count, sizeof *b->matrix);
    b->inverse_pivot = actio_form_array(F, b->count, sizeof *b->inverse_pivot);
    for (size_t k = 0; k < b->count; k++) {
        b->matrix[k] = actio_form_array(F, eliminate_size_of(b, k) * eliminate_size_of(b, k), sizeof **b->matrix);
        b->inverse_pivot[k] = actio_form_array(F, eliminate_size_of(b, k), sizeof **b->inverse_pivot);
    }
    for (size_t e = 0; e < F->G.count; e++) {
        size_t i = F->G.at[e].row, j = F->G.at[e].col, block = b->block_of[i];
        b->matrix[block][place_in(b, i) * eliminate_size_of(b, block) + place_in(b, j)] = F->G.at[e].e;
        if (i == j) b->inverse_pivot[block][place_in(b, i)] = F->G.at[e].e;
    }
    for (size_t k = 0; k < b->count; k++)
        if (!factor_block(F, b, k, w)) return false;
    return true;
}

/* x <- G^-1 x, a vector over all variables; blocks that x does not touch stay 0. */
static void solve_blocks(struct actio_formation *F, const struct blocks *b, actio_expr *x)
{
    struct actio_pool *pool = &F->pool;
    for (size_t block = 0; block < b->count; block++) {
        size_t k = eliminate_size_of(b, block);
        const size_t *at = b->list + b->start[block];
        const actio_expr *a = b->matrix[block], *inverse = b->inverse_pivot[block];
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < i; j++) x[at[i]] = minus_product(pool, x[at[i]], a[i * k + j], x[at[j]]);
        if (b->symmetric)
            for (size_t i = 0; i < k; i++) x[at[i]] = eliminate_times(pool, x[at[i]], inverse[i]);
        for (size_t i = k; i-- > 0;) {
            for (size_t j = i + 1; j < k; j++)
                x[at[i]] = minus_product(pool, x[at[i]], b->symmetric ? a[j * k + i] : a[i * k + j], x[at[j]]);
            if (!b->symmetric) x[at[i]] = eliminate_times(pool, x[at[i]], inverse[i]);
        }
    }
}

/* ---- small dense systems on formulas */

struct small {
    size_t p;
    actio_expr *s, inverse, *cofactor;
    bool by_cofactors;
    actio_expr *pivot_inverse;
};

static actio_expr minor2(struct actio_pool *pool, const actio_expr *s, size_t p, size_t i, size_t j, size_t k, size_t l)
{
    return actio_sub(pool, eliminate_times(pool, s[i * p + k], s[j * p + l]),
                     eliminate_times(pool, s[i * p + l], s[j * p + k]));
}

static actio_expr product_of_diagonal(struct actio_pool *pool, const struct small *m)
{
    actio_expr r = m->s[0];
    for (size_t i = 1; i < m->p; i++) r = eliminate_times(pool, r, m->s[i * m->p + i]);
    return r;
}

static void watch_determinant(struct actio_formation *F, const struct small *m, actio_expr det, struct watch *w)
{
    if (!w || actio_level_of(&F->pool, det) < ACTIO_LV_TIME) return;
    if (m->p == 1) {
        w->with_sign[w->signs++] = det;
        return;
    }
    watch_pair(w, det, product_of_diagonal(&F->pool, m));
    for (size_t i = 0; i < m->p; i++) w->plain[w->plains++] = m->s[i * m->p + i];
}

/* Inverse by cofactors: p <= 3. */
static bool factor_by_cofactors(struct actio_formation *F, struct small *m, struct watch *w)
{
    struct actio_pool *pool = &F->pool;
    size_t p = m->p;
    const actio_expr *s = m->s;
    actio_expr *c = m->cofactor, det = s[0]; /* c[j*p + i]: cofactor of (i, j), transposed already */
    if (p == 2) {
        c[0] = s[3];
        c[1] = actio_neg(pool, s[1]);
        c[2] = actio_neg(pool, s[2]);
        c[3] = s[0];
        det = minor2(pool, s, 2, 0, 1, 0, 1);
    } else if (p == 3) {
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++)
                c[j * 3 + i] = minor2(pool, s, 3, (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        det = actio_add(pool, actio_add(pool, eliminate_times(pool, s[0], c[0]), eliminate_times(pool, s[1], c[3])),
                        eliminate_times(pool, s[2], c[6]));
    } else c[0] = actio_const(pool, 1);
    if (!usable(F, det, p > 1 ? product_of_diagonal(pool, m) : det)) return false;
    watch_determinant(F, m, det, w);
    m->inverse = actio_div(pool, actio_const(pool, 1), det);
    return true;
}

/* Doolittle without exchanges, for p = 4: each pivot is compared with its diagonal entry. */
static bool factor_by_elimination(struct actio_formation *F, struct small *m, struct watch *w)
{
    struct actio_pool *pool = &F->pool;
    size_t p = m->p;
    for (size_t j = 0; j < p; j++) {
        actio_expr pivot = m->s[j * p + j], before = m->cofactor[j * p + j];
        if (!usable(F, pivot, before)) return false;
        if (w && actio_level_of(pool, pivot) >= ACTIO_LV_TIME) watch_pair(w, pivot, before);
        if (w && actio_level_of(pool, before) >= ACTIO_LV_TIME) w->plain[w->plains++] = before;
        m->pivot_inverse[j] = actio_div(pool, actio_const(pool, 1), pivot);
        for (size_t i = j + 1; i < p; i++) {
            actio_expr l = m->s[i * p + j] = eliminate_times(pool, m->s[i * p + j], m->pivot_inverse[j]);
            for (size_t c = j + 1; c < p; c++)
                m->s[i * p + c] = minus_product(pool, m->s[i * p + c], l, m->s[j * p + c]);
        }
    }
    return true;
}

static bool factor_small(struct actio_formation *F, struct small *m, struct watch *w)
{
    size_t p = m->p;
    m->by_cofactors = p <= 3;
    m->cofactor = actio_form_array(F, p * p, sizeof *m->cofactor);
    m->pivot_inverse = actio_form_array(F, p, sizeof *m->pivot_inverse);
    if (m->by_cofactors) return factor_by_cofactors(F, m, w);
    for (size_t i = 0; i < p * p; i++) m->cofactor[i] = m->s[i];
    return factor_by_elimination(F, m, w);
}

static void solve_small(struct actio_formation *F, const struct small *m, const actio_expr *r, actio_expr *x)
{
    struct actio_pool *pool = &F->pool;
    size_t p = m->p;
    for (size_t i = 0; m->by_cofactors && i < p; i++) {
        actio_expr sum = { 0 };
        for (size_t j = 0; j < p; j++) sum = actio_add(pool, sum, eliminate_times(pool, m->cofactor[i * p + j], r[j]));
        x[i] = eliminate_times(pool, sum, m->inverse);
    }
    if (m->by_cofactors) return;
    for (size_t i = 0; i < p; i++) {
        x[i] = r[i];
        for (size_t j = 0; j < i; j++) x[i] = minus_product(pool, x[i], m->s[i * p + j], x[j]);
    }
    for (size_t i = p; i-- > 0;) {
        for (size_t j = i + 1; j < p; j++) x[i] = minus_product(pool, x[i], m->s[i * p + j], x[j]);
        x[i] = eliminate_times(pool, x[i], m->pivot_inverse[i]);
    }
}

/* ---- Schur complements */

/* number: which matrix row is ours + 1, NULL = all */
struct rows {
    const struct actio_entries *e;
    const uint32_t *number;
    size_t p, width;
};

static size_t our_row(const struct rows *r, uint32_t row) { return r->number ? r->number[row] : row + 1; }

/* Columns of G^-1 R' for the rows R. */
static actio_expr **responses(struct actio_formation *F, const struct blocks *b, const struct rows *r)
{
    actio_expr **x = actio_form_array(F, r->p, sizeof *x);
    for (size_t k = 0; k < r->p; k++) x[k] = actio_form_array(F, F->N, sizeof **x);
    for (size_t i = 0; i < r->e->count; i++)
        if (our_row(r, r->e->at[i].row)) x[our_row(r, r->e->at[i].row) - 1][r->e->at[i].col] = r->e->at[i].e;
    for (size_t k = 0; k < r->p; k++) solve_blocks(F, b, x[k]);
    return x;
}

static struct small schur(struct actio_formation *F, const struct rows *a, actio_expr *const *x, bool symmetric)
{
    struct small m = { .p = a->p, .s = actio_form_array(F, a->p * a->p, sizeof *m.s) };
    for (size_t i = 0; i < a->e->count; i++) {
        size_t row = our_row(a, a->e->at[i].row);
        for (size_t k = 0; row && k < m.p; k++) {
            if (symmetric && k > row - 1) break;
            actio_expr *s = &m.s[(row - 1) * m.p + k];
            *s = actio_add(&F->pool, *s, eliminate_times(&F->pool, a->e->at[i].e, x[k][a->e->at[i].col]));
        }
    }
    for (size_t i = 0; symmetric && i < m.p; i++)
        for (size_t k = i + 1; k < m.p; k++) m.s[i * m.p + k] = m.s[k * m.p + i];
    return m;
}

/* lambda and z'  [LM 17, 18] */
static bool solve_motion(struct actio_formation *F, const struct blocks *b, struct watch *w)
{
    struct actio_pool *pool = &F->pool;
    actio_expr *y = actio_form_array(F, F->N, sizeof *y), *r = actio_form_array(F, F->p, sizeof *r);
    F->solved.lambda = actio_form_array(F, F->p, sizeof *F->solved.lambda);
    for (size_t i = 0; i < F->N; i++) y[i] = F->h[i];
    solve_blocks(F, b, y);
    F->solved.zdot = y;
    if (F->p == 0) return true;
    struct rows A = { &F->A, NULL, F->p, F->N }, D = { &F->D, NULL, F->p, F->N };
    actio_expr **x = responses(F, b, &D);
    struct small m = schur(F, &A, x, F->sys.is.symmetric);
    if (!factor_small(F, &m, w)) return false;
    for (size_t k = 0; k < F->p; k++) r[k] = F->c[k];
    for (size_t i = 0; i < F->A.count; i++)
        r[F->A.at[i].row] = minus_product(pool, r[F->A.at[i].row], F->A.at[i].e, y[F->A.at[i].col]);
    solve_small(F, &m, r, F->solved.lambda);
    for (size_t i = 0; i < F->N; i++)
        for (size_t k = 0; k < F->p; k++)
            y[i] = actio_add(pool, y[i], eliminate_times(pool, x[k][i], F->solved.lambda[k]));
    return true;
}

/* The step -G^-1 R'(R G^-1 R')^-1 r that brings residuals r with rows R to 0, nearest in the metric G. */
static actio_expr *projection(struct actio_formation *F, const struct blocks *b, const struct rows *R,
                              const actio_expr *residual)
{
    actio_expr *step = actio_form_array(F, F->N, sizeof *step), *mu = actio_form_array(F, R->p, sizeof *mu);
    if (R->p == 0) return step;
    actio_expr **x = responses(F, b, R);
    struct small m = schur(F, R, x, b->symmetric);
    if (!factor_small(F, &m, NULL)) return NULL;
    solve_small(F, &m, residual, mu);
    for (size_t k = 0; k < R->p; k++)
        for (size_t i = 0; i < F->N; i++) step[i] = minus_product(&F->pool, step[i], x[k][i], mu[k]);
    return step;
}

static bool solve_projections(struct actio_formation *F, const struct blocks *b)
{
    uint32_t *number = actio_form_array(F, F->p, sizeof *number);
    for (uint32_t r = 0; r < F->sys.levels; r++) number[F->sys.velocity_row[r]] = r + 1;
    struct rows V = { &F->A, number, F->sys.levels, F->N }, Q = { &F->F, NULL, F->sys.holonomic, F->n };
    F->solved.step_z = projection(F, b, &V, F->phi);
    F->solved.step_q = F->solved.step_z ? projection(F, b, &Q, F->f) : NULL;
    return F->solved.step_q != NULL;
}

static void list_pivots(struct actio_formation *F, const struct watch *w)
{
    size_t at = 0, count = 2 * w->pairs + w->signs + w->plains;
    F->solved.pivot = actio_form_array(F, count, sizeof *F->solved.pivot);
    for (size_t i = 0; i < 2 * w->pairs; i++) F->solved.pivot[at++] = w->pair[i];
    for (size_t i = 0; i < w->signs; i++) F->solved.pivot[at++] = w->with_sign[i];
    for (size_t i = 0; i < w->plains; i++) F->solved.pivot[at++] = w->plain[i];
    F->sys.solved.pivots = count;
    F->sys.solved.pivot_pairs = w->pairs;
    F->sys.solved.pivot_signs = w->signs;
}

void actio_eliminate(struct actio_formation *F)
{
    struct blocks b = { .symmetric = F->sys.is.symmetric };
    size_t room = F->N + F->p + 2;
    struct watch w = { .pair = actio_form_array(F, 2 * room, sizeof *w.pair),
                       .with_sign = actio_form_array(F, room, sizeof *w.with_sign),
                       .plain = actio_form_array(F, room, sizeof *w.plain) };
    if (F->p > MOST_CONSTRAINTS || !find_blocks(F, &b) || !factor_blocks(F, &b, &w) || !solve_motion(F, &b, &w)
        || !solve_projections(F, &b))
        return;
    struct actio_cone cone = actio_cone_of(&F->pool, F->solved.zdot, F->N);
    if (cone.count > MOST_OPERATIONS && cone.count > 60 * F->N) return;
    list_pivots(F, &w);
    F->sys.solved.symbolic = true;
}

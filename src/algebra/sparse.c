/* SPDX-License-Identifier: Apache-2.0
 * Sparse LU, column by column (Gilbert and Peierls 1988), with threshold pivoting that prefers the diagonal.
 * S A Q = P' L U; L keeps the row numbers of A, so P is never applied, only looked up. When a matrix of the same
 * pattern comes again,
 * each column is first repeated with its old pattern; only from the first column whose pivot moves on is the pattern
 * searched anew.
 * Both ways do the same sums in the same order: the result does not depend on what was factored before. */
#include "algebra/dense.h"
#include "algebra/linear.h"
#include "algebra/order.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const uint32_t none = UINT32_MAX;
static const double threshold = 0.05; /* the diagonal is taken when it is this part of the largest candidate */

/* Columns of L or U as they grow: entries start[k] .. start[k+1]. */
struct factor {
    size_t *start, room;
    uint32_t *index;
    double *value;
};

struct sparse {
    struct actio_context *ctx;
    size_t n, count, done; /* done: leading columns whose pattern and pivot are known */
    struct actio_columns a;
    uint32_t *place;                       /* of each entry of the pattern in a */
    double *value, *scale, *x, *y, *pivot; /* value: of a, rows scaled; x: one column, 0 between uses */
    uint32_t *order, *diagonal;            /* order[k]: column of step k; diagonal[k]: the row preferred there */
    uint32_t *row, *step; /* row[k]: pivot row of step k; step[r]: the step row r was pivot of, or none */
    struct factor l, u;   /* l: unit diagonal left out, rows of A; u: steps, in an order fit for solving */
    uint32_t *seen, *stack, *topological, *candidate;
    size_t *at;
};

static int sparse_fits(const struct actio_pattern *p)
{
    if (p->rows >= none || p->count >= none) return 0;
    return p->rows > 60 && (double)p->count <= 0.2 * (double)p->rows * (double)p->rows ? 40 : 10;
}

static void factor_close(struct actio_context *ctx, struct factor *f)
{
    actio_free(ctx, f->start);
    actio_free(ctx, f->index);
    actio_free(ctx, f->value);
}

static void sparse_close(void *h)
{
    struct sparse *s = h;
    if (!s) return;
    void *parts[] = { s->place, s->value, s->scale, s->x,     s->y,           s->pivot,     s->order, s->diagonal,
                      s->row,   s->step,  s->seen,  s->stack, s->topological, s->candidate, s->at };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) actio_free(s->ctx, parts[i]);
    actio_columns_close(&s->a, s->ctx);
    factor_close(s->ctx, &s->l);
    factor_close(s->ctx, &s->u);
    actio_free(s->ctx, s);
}

static bool take_parts(struct sparse *s)
{
    uint32_t **words[] = { &s->order, &s->diagonal, &s->row,         &s->step,
                           &s->seen,  &s->stack,    &s->topological, &s->candidate };
    double **numbers[] = { &s->scale, &s->x, &s->y, &s->pivot };
    bool ok = true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ok &= (*words[i] = actio_alloc(s->ctx, s->n + 1, sizeof(uint32_t))) != NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ok &= (*numbers[i] = actio_alloc(s->ctx, s->n + 1, sizeof(double))) != NULL;
    ok &= (s->at = actio_alloc(s->ctx, s->n + 1, sizeof *s->at)) != NULL;
    ok &= (s->place = actio_alloc(s->ctx, s->count + 1, sizeof *s->place)) != NULL;
    return ok & ((s->value = actio_alloc(s->ctx, s->count + 1, sizeof *s->value)) != NULL);
}

static bool factor_open(struct actio_context *ctx, struct factor *f, size_t n, size_t room)
{
    f->room = room;
    f->start = actio_alloc(ctx, n + 1, sizeof *f->start);
    f->index = actio_alloc(ctx, room, sizeof *f->index);
    f->value = actio_alloc(ctx, room, sizeof *f->value);
    return f->start && f->index && f->value;
}

/* Room for `more` entries from `used` on; what is there is kept. */
static bool factor_room(struct actio_context *ctx, struct factor *f, size_t used, size_t more)
{
    if (used + more <= f->room) return true;
    size_t room = f->room + f->room / 2 + more;
    uint32_t *index = actio_alloc(ctx, room, sizeof *index);
    double *value = actio_alloc(ctx, room, sizeof *value);
    if (!index || !value) {
        actio_free(ctx, index);
        actio_free(ctx, value);
        return false;
    }
    memcpy(index, f->index, used * sizeof *index);
    memcpy(value, f->value, used * sizeof *value);
    actio_free(ctx, f->index);
    actio_free(ctx, f->value);
    f->index = index;
    f->value = value;
    f->room = room;
    return true;
}

/* Diagonal, order and fill, from the pattern only. The room is twice what pivots from the diagonal need; pivots of
 * fields that leave it need up to 1.3 times as much. Steps then take no memory. */
static bool analyse(struct sparse *s)
{
    struct actio_columns graph = { 0 };
    uint32_t *work = actio_alloc(s->ctx, 4 * s->n + 1, sizeof *work);
    bool ok = work != NULL;
    size_t fill = 0;
    /* row[] serves until the first factorisation: the row of each column */
    if (ok) actio_order_match(&s->a, s->row, work);
    ok = ok && actio_order_graph(&graph, s->ctx, &s->a, s->row) && actio_order_degree(&graph, s->ctx, s->order);
    actio_columns_close(&graph, s->ctx);
    ok = ok && actio_order_graph(&graph, s->ctx, &s->a, s->row);
    if (ok) fill = actio_order_fill(&graph, s->order, work);
    actio_columns_close(&graph, s->ctx);
    actio_free(s->ctx, work);
    for (size_t k = 0; ok && k < s->n; k++) s->diagonal[k] = s->row[s->order[k]];
    size_t room = 2 * fill + s->n + 1;
    return ok && factor_open(s->ctx, &s->l, s->n, room) && factor_open(s->ctx, &s->u, s->n, room);
}

static void *sparse_open(struct actio_context *ctx, const struct actio_pattern *p)
{
    struct sparse *s = actio_alloc(ctx, 1, sizeof *s);
    if (!s) return NULL;
    s->ctx = ctx;
    s->n = p->rows;
    s->count = p->count;
    if (take_parts(s) && actio_columns_open(&s->a, ctx, s->n, s->count, p->i, p->j, s->place) && analyse(s)) {
        memset(s->step, 0xff, s->n * sizeof *s->step);
        return s;
    }
    sparse_close(s);
    return NULL;
}

/* Values into columns, each row scaled by a power of two. 0, or 1 + the column of an entry that is not finite. */
static int sparse_load(struct sparse *s, const double *values)
{
    memset(s->scale, 0, s->n * sizeof *s->scale);
    for (size_t e = 0; e < s->count; e++) s->value[s->place[e]] = values[e];
    for (uint32_t j = 0; j < s->n; j++)
        for (size_t e = s->a.start[j]; e < s->a.start[j + 1]; e++) {
            double x = fabs(s->value[e]), *largest = &s->scale[s->a.row[e]];
            if (!(x <= DBL_MAX)) return (int)j + 1;
            if (x > *largest) *largest = x;
        }
    for (size_t i = 0; i < s->n; i++) s->scale[i] = actio_scale_power(s->scale[i]);
    for (size_t e = 0; e < s->count; e++) s->value[e] *= s->scale[s->a.row[e]];
    return 0;
}

/* x := column of step k, minus the columns of L that reach it, in the order of u; leaves the entries of U. */
static void solve_column(struct sparse *s, size_t k)
{
    double *restrict x = s->x;
    uint32_t j = s->order[k];
    for (size_t e = s->a.start[j]; e < s->a.start[j + 1]; e++) x[s->a.row[e]] = s->value[e];
    for (size_t e = s->u.start[k]; e < s->u.start[k + 1]; e++) {
        uint32_t i = s->u.index[e];
        double u = s->u.value[e] = x[s->row[i]];
        x[s->row[i]] = 0;
        if (u == 0) continue;
        const uint32_t *index = s->l.index;
        const double *value = s->l.value;
        for (size_t f = s->l.start[i], end = s->l.start[i + 1]; f < end; f++) x[index[f]] -= value[f] * u;
    }
}

/* The pivot among `count` candidates: the diagonal if it is large enough, else the largest, of equals the first row. */
static uint32_t choose_pivot(const struct sparse *s, size_t k, const uint32_t *candidate, size_t count, uint32_t also)
{
    double largest = also == none ? -1 : fabs(s->x[also]);
    uint32_t best = also, diagonal = s->diagonal[k];
    for (size_t c = 0; c < count; c++) {
        double x = fabs(s->x[candidate[c]]);
        if (!(x <= DBL_MAX)) return none;
        if (x > largest || (x == largest && candidate[c] < best)) {
            largest = x;
            best = candidate[c];
        }
    }
    if (!(largest <= DBL_MAX)) return none;
    /* x is 0 outside the candidates: a diagonal that is not one of them is never taken. Repeating, steps from k on are
     * not yet taken. */
    return s->step[diagonal] >= k && s->x[diagonal] != 0 && fabs(s->x[diagonal]) >= threshold * largest ? diagonal
                                                                                                        : best;
}

/* Is the pivot of step k, in row r, no more than the rounding error of its sum? Looked into only when it is small. */
static bool sparse_vanishes(const struct sparse *s, size_t k, uint32_t r)
{
    double pivot = fabs(s->x[r]), largest = 0, sum = 0;
    size_t first = s->u.start[k], last = s->u.start[k + 1];
    if (pivot == 0) return true;
    for (size_t e = first; e < last; e++) largest = fabs(s->u.value[e]) > largest ? fabs(s->u.value[e]) : largest;
    if (pivot > 1e-9 * largest) return false;
    for (size_t e = first; e < last; e++)
        for (size_t f = s->l.start[s->u.index[e]]; f < s->l.start[s->u.index[e] + 1]; f++)
            if (s->l.index[f] == r) sum += fabs(s->l.value[f] * s->u.value[e]);
    return pivot <= ACTIO_PIVOT_NOISE * sum;
}

/* Step k has row r as pivot: candidates over the pivot go to L. */
static void keep_column(struct sparse *s, size_t k, uint32_t r, const uint32_t *candidate, size_t count)
{
    size_t to = s->l.start[k];
    double pivot = s->pivot[k] = s->x[r];
    s->x[r] = 0;
    for (size_t c = 0; c < count; c++) {
        uint32_t i = candidate[c];
        if (i == r) continue;
        s->l.index[to] = i;
        s->l.value[to++] = s->x[i] / pivot;
        s->x[i] = 0;
    }
    s->l.start[k + 1] = to;
    s->row[k] = r;
    s->step[r] = (uint32_t)k;
}

static void clear(struct sparse *s, const uint32_t *candidate, size_t count)
{
    for (size_t c = 0; c < count; c++) s->x[candidate[c]] = 0;
}

/* Step k with the pattern it had. False: another pivot is due, and x is clean again. */
static bool repeat_column(struct sparse *s, size_t k)
{
    uint32_t r = s->row[k], *rows = s->l.index + s->l.start[k];
    size_t count = s->l.start[k + 1] - s->l.start[k];
    solve_column(s, k);
    s->step[r] = none;
    if (choose_pivot(s, k, rows, count, r) == r && !sparse_vanishes(s, k, r)) {
        keep_column(s, k, r, rows, count);
        return true;
    }
    clear(s, rows, count);
    s->x[r] = 0;
    return false;
}

/* Depth-first from row r through the columns of L; finished steps are put in front of topological[top], new rows at
 * candidate[*count]. */
static size_t search(struct sparse *s, uint32_t k, uint32_t r, size_t top, size_t *count)
{
    size_t depth = 0;
    s->stack[0] = r;
    s->at[0] = s->step[r] == none ? 0 : s->l.start[s->step[r]];
    s->seen[r] = k;
    for (;;) {
        uint32_t i = s->stack[depth], step = s->step[i];
        if (step == none) {
            s->candidate[(*count)++] = i;
        } else {
            size_t e = s->at[depth], end = s->l.start[step + 1];
            while (e < end && s->seen[s->l.index[e]] == k) e++;
            s->at[depth] = e + 1;
            if (e < end) {
                uint32_t next = s->stack[++depth] = s->l.index[e];
                s->seen[next] = k;
                s->at[depth] = s->step[next] == none ? 0 : s->l.start[s->step[next]];
                continue;
            }
            s->topological[--top] = step;
        }
        if (depth-- == 0) return top;
    }
}

/* Step k from scratch. 0, 1 + its column without a pivot, -1 without memory. */
static int new_column(struct sparse *s, uint32_t k)
{
    size_t top = s->n, count = 0, first = s->u.start[k];
    uint32_t j = s->order[k];
    for (size_t e = s->a.start[j]; e < s->a.start[j + 1]; e++)
        if (s->seen[s->a.row[e]] != k) top = search(s, k, s->a.row[e], top, &count);
    if (!factor_room(s->ctx, &s->u, first, s->n - top) || !factor_room(s->ctx, &s->l, s->l.start[k], count)) return -1;
    memcpy(s->u.index + first, s->topological + top, (s->n - top) * sizeof *s->u.index);
    s->u.start[k + 1] = first + (s->n - top);
    solve_column(s, k);
    uint32_t r = choose_pivot(s, k, s->candidate, count, none);
    if (r == none || sparse_vanishes(s, k, r)) {
        clear(s, s->candidate, count);
        return (int)j + 1;
    }
    keep_column(s, k, r, s->candidate, count);
    return 0;
}

static bool gives_up(size_t k) { return k % 256 == 255 && actio_abandon(); }

static int sparse_factor(void *h, const double *values)
{
    struct sparse *s = h;
    size_t k = 0;
    int bad = sparse_load(s, values);
    if (bad) return bad;
    while (k < s->done && !gives_up(k) && repeat_column(s, k)) k++;
    if (k == s->n) return 0;
    for (size_t i = k; i < s->done; i++) s->step[s->row[i]] = none;
    memset(s->seen, 0xff, s->n * sizeof *s->seen);
    for (; k < s->n; k++) {
        s->done = k;
        if (gives_up(k)) return (int)k + 1;
        bad = new_column(s, (uint32_t)k);
        if (bad) return bad;
    }
    s->done = s->n;
    return 0;
}

static void solve_one(struct sparse *s, double *b)
{
    double *y = s->y;
    for (size_t i = 0; i < s->n; i++) b[i] *= s->scale[i];
    for (size_t k = 0; k < s->n; k++) {
        double t = y[k] = b[s->row[k]];
        for (size_t e = s->l.start[k]; e < s->l.start[k + 1]; e++) b[s->l.index[e]] -= s->l.value[e] * t;
    }
    for (size_t k = s->n; k-- > 0;) {
        double t = b[s->order[k]] = y[k] / s->pivot[k];
        for (size_t e = s->u.start[k]; e < s->u.start[k + 1]; e++) y[s->u.index[e]] -= s->u.value[e] * t;
    }
}

static void solve_transposed(struct sparse *s, double *b)
{
    double *y = s->y;
    for (size_t k = 0; k < s->n; k++) {
        double t = b[s->order[k]];
        for (size_t e = s->u.start[k]; e < s->u.start[k + 1]; e++) t -= s->u.value[e] * y[s->u.index[e]];
        y[k] = t / s->pivot[k];
    }
    for (size_t k = s->n; k-- > 0;) {
        double t = y[k];
        for (size_t e = s->l.start[k]; e < s->l.start[k + 1]; e++) t -= s->l.value[e] * b[s->l.index[e]];
        b[s->row[k]] = t;
    }
    for (size_t i = 0; i < s->n; i++) b[i] *= s->scale[i];
}

static void sparse_solve(void *h, double *b, size_t nrhs, bool transposed)
{
    struct sparse *s = h;
    for (size_t r = 0; r < nrhs; r++) (transposed ? solve_transposed : solve_one)(s, b + r * s->n);
}

static double sparse_rcond(void *h)
{
    const struct sparse *s = h;
    double small = INFINITY, large = 0;
    for (size_t k = 0; k < s->n; k++) {
        small = fmin(small, fabs(s->pivot[k]));
        large = fmax(large, fabs(s->pivot[k]));
    }
    return s->n == 0 ? 1 : large > 0 ? small / large : 0;
}

const struct actio_linear_type actio_linear_sparse = { "sparse",     sparse_fits,  sparse_open, sparse_factor,
                                                       sparse_solve, sparse_rcond, sparse_close };

/* SPDX-License-Identifier: Apache-2.0
 * LU with partial pivoting of a band with a border, in one pass: a row is scaled, put in place, eliminated and left
 * behind.
 *     ( B E ) m rows, half-widths kl and ku; rows are exchanged within the band
 *     ( F C ) q rows and columns of nodes that touch far more than the rest
 * B may be singular where the whole is not: a column of B without a pivot and the oldest row that waits for one then
 * join the border. There are at most q such columns unless the whole is singular too. Rows of the border are never
 * pivots of the band, which costs digits (up to a hundredfold error in chains of 1e5 links): with a border every
 * solution is improved once with the residual. */
#include "algebra/band.h"
#include "algebra/cloned.h"
#include "algebra/dense.h"
#include "algebra/order.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Columns are worked on in aligned groups of four: what one step stores the next one loads from the same place. */
enum { LANES = ACTIO_BAND_LANES };
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long quad_mask __attribute__((vector_size(32), aligned(8), may_alias));

static const double suspicious = 1e-9; /* rows are of size 1: smaller pivots are looked into */
/* a pivot so far below the border's entry is not used if the column can join the border */
static const double weak = 1e-8;

/* ---- analysis */

struct shape {
    size_t border, kl, ku;
    uint32_t *order;
};

static bool band_look(struct actio_context *ctx, const struct actio_pattern *p, struct shape *shape)
{
    struct actio_columns a = { 0 }, graph = { 0 };
    size_t n = p->rows;
    uint32_t *place = actio_alloc_raw(ctx, p->count + 1, sizeof *place),
             *same = actio_alloc_raw(ctx, n + 1, sizeof *same);
    *shape = (struct shape){ .order = actio_alloc(ctx, n + 1, sizeof *shape->order) };
    for (uint32_t i = 0; same && i < n; i++) same[i] = i;
    bool ok = place && same && shape->order && actio_columns_open(&a, ctx, n, p->count, p->i, p->j, place)
              && actio_order_graph(&graph, ctx, &a, same)
              && actio_order_narrow(&graph, ctx, shape->order, &shape->border);
    for (uint32_t k = 0; ok && k < n; k++) same[shape->order[k]] = k;
    for (size_t e = 0; ok && e < p->count; e++) {
        size_t i = same[p->i[e]], j = same[p->j[e]], m = n - shape->border;
        if (i < m && j < m && i > j + shape->kl) shape->kl = i - j;
        if (i < m && j < m && j > i + shape->ku) shape->ku = j - i;
    }
    actio_columns_close(&graph, ctx);
    actio_columns_close(&a, ctx);
    actio_free(ctx, place);
    actio_free(ctx, same);
    if (!ok) {
        actio_free(ctx, shape->order);
        shape->order = NULL;
    }
    return ok;
}

/* A pattern's order is found here and again on opening: it costs less than one factorisation. */
static int band_fits(const struct actio_pattern *p)
{
    struct actio_context own;
    struct shape shape;
    if (p->rows <= 40 || p->rows >= INT32_MAX || p->count >= INT32_MAX || p->count / 80 > p->rows) return 0;
    actio_context_init(&own);
    if (!band_look(&own, p, &shape)) return 0;
    actio_free(&own, shape.order);
    size_t width = shape.kl + shape.ku + 1;
    /* emptier bands are faster with a sparse solver */
    bool filled = (double)width * (double)p->rows <= 6 * (double)p->count;
    return width <= 61 && filled && width < p->rows / 2 ? 70 : 0;
}

static void band_close(void *h)
{
    struct actio_band *s = h;
    if (!s) return;
    void *parts[] = { s->order,   s->start, s->source, s->column, s->value,  s->scale,       s->block, s->lower,
                      s->inverse, s->row,   s->edge,   s->foot,   s->corner, s->slot_column, s->pivot, s->x };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) actio_free(s->ctx, parts[i]);
    actio_free(s->ctx, s);
}

/* A row begins with the group of its first column and ends with the group of its last one. */
static size_t row_length(size_t kl, size_t w)
{
    size_t longest = 0, shift = kl + (LANES - kl % LANES) % LANES;
    for (size_t i = 0; i < LANES; i++) {
        size_t begin = (i + shift - kl) / LANES * LANES, end = (i + shift + w) / LANES * LANES + LANES;
        if (end - begin > longest) longest = end - begin;
    }
    return longest;
}

static bool take_parts(struct actio_band *s, size_t count)
{
    struct actio_context *ctx = s->ctx;
    size_t m = s->m + 1, room = s->room + 1;
    if (m > SIZE_MAX / 64 / (s->stride + room)) return false;
    s->start = actio_alloc(ctx, s->n + 2, sizeof *s->start);
    s->source = actio_alloc(ctx, count + 1, sizeof *s->source);
    s->column = actio_alloc(ctx, count + 1, sizeof *s->column);
    s->value = actio_alloc(ctx, s->q ? count : 1, sizeof *s->value);
    s->scale = actio_alloc(ctx, s->n + 1, sizeof *s->scale);
    s->block = actio_alloc(ctx, m * s->stride + LANES, sizeof *s->block);
    s->lower = actio_alloc(ctx, m * s->kl + 1, sizeof *s->lower);
    s->inverse = actio_alloc(ctx, m, sizeof *s->inverse);
    s->row = actio_alloc(ctx, m, sizeof *s->row);
    s->edge = actio_alloc(ctx, (m + s->kl) * s->room + 1, sizeof *s->edge);
    s->foot = actio_alloc(ctx, s->foot_stride * s->room + 1, sizeof *s->foot);
    s->corner = actio_alloc(ctx, 3 * room * room, sizeof *s->corner);
    s->slot_column = actio_alloc(ctx, room, sizeof *s->slot_column);
    s->pivot = actio_alloc(ctx, room, sizeof *s->pivot);
    s->x = actio_alloc(ctx, 2 * s->n + s->w + LANES + room + 1, sizeof *s->x);
    if (!s->start || !s->source || !s->column || !s->value || !s->scale || !s->block || !s->lower || !s->inverse)
        return false;
    if (!s->row || !s->edge || !s->foot || !s->corner || !s->slot_column || !s->pivot || !s->x) return false;
    s->a = s->block + (LANES - (uintptr_t)s->block / sizeof(double) % LANES) % LANES;
    s->size = s->corner + room * room;
    s->lu = s->size + room * room;
    s->right = s->x + s->n + s->w + LANES;
    s->y = s->right + s->n;
    return true;
}

/* Entries by rows of the order, those of a row as they are in the pattern. */
static bool sort_entries(struct actio_band *s, const struct actio_pattern *p)
{
    uint32_t *where = actio_alloc_raw(s->ctx, s->n + 1, sizeof *where);
    if (!where) return false;
    for (uint32_t k = 0; k < s->n; k++) where[s->order[k]] = k;
    for (size_t e = 0; e < p->count; e++) s->start[where[p->i[e]] + 2]++;
    for (size_t k = 0; k < s->n; k++) s->start[k + 2] += s->start[k + 1];
    for (size_t e = 0; e < p->count; e++) {
        size_t to = s->start[where[p->i[e]] + 1]++;
        s->source[to] = (uint32_t)e;
        s->column[to] = where[p->j[e]];
    }
    actio_free(s->ctx, where);
    return true;
}

static void *band_open(struct actio_context *ctx, const struct actio_pattern *p)
{
    struct shape shape;
    if (p->rows >= INT32_MAX || p->count >= INT32_MAX || !band_look(ctx, p, &shape)) return NULL;
    struct actio_band *s = actio_alloc(ctx, 1, sizeof *s);
    if (!s) {
        actio_free(ctx, shape.order);
        return NULL;
    }
    *s = (struct actio_band){ .ctx = ctx,
                              .n = p->rows,
                              .m = p->rows - shape.border,
                              .kl = shape.kl,
                              .w = shape.kl + shape.ku,
                              .q = shape.border,
                              .room = 2 * shape.border,
                              .order = shape.order };
    s->shift = s->kl + (LANES - s->kl % LANES) % LANES;
    s->stride = row_length(s->kl, s->w);
    s->foot_stride = s->m + s->w + 2 * LANES;
    if (take_parts(s, p->count) && sort_entries(s, p)) return s;
    band_close(s);
    return NULL;
}

/* ---- factorisation */

/* actio_scale_power without a call for everyday numbers */
INLINE double power_of(double largest)
{
    uint64_t bits;
    memcpy(&bits, &largest, sizeof bits);
    uint64_t e = bits >> 52;
    if (e < 64 || e > 2000) return actio_scale_power(largest);
    bits = (2045 - e) << 52;
    memcpy(&largest, &bits, sizeof bits);
    return largest;
}

/* Row i, scaled: column j of the band to a[first + j], the border's to edge. 0, or 1 + the column of an entry that is
 * not finite. */
INLINE int load(const struct actio_band *s, size_t i, const double *values, double *a, size_t first, double *edge)
{
    double largest = 0;
    size_t begin = s->start[i], end = s->start[i + 1], m = s->m;
    for (size_t e = begin; e < end; e++) {
        double x = fabs(values[s->source[e]]);
        if (!(x <= DBL_MAX)) return (int)s->order[s->column[e]] + 1;
        largest = x > largest ? x : largest;
    }
    double scale = s->scale[i] = power_of(largest);
    for (size_t e = begin; e < end; e++) {
        double x = values[s->source[e]] * scale;
        uint32_t j = s->column[e];
        if (j < m) a[first + j] = x;
        else edge[j - m] = x;
        if (s->q) s->value[e] = x;
    }
    return 0;
}

INLINE int load_row(const struct actio_band *s, size_t i, const double *values)
{
    for (quad *to = (quad *)(s->a + i * s->stride), *end = to + s->stride / LANES; to < end; to++) *to = (quad){ 0 };
    if (s->room) memset(s->edge + i * s->room, 0, s->room * sizeof *s->edge);
    return load(s, i, values, s->a, actio_band_first(s, i), s->edge + i * s->room);
}

static int load_border(struct actio_band *s, const double *values)
{
    int bad = 0;
    memset(s->foot, 0, s->room * s->foot_stride * sizeof *s->foot);
    memset(s->corner, 0, 2 * s->room * s->room * sizeof *s->corner);
    for (size_t f = 0; f < s->q && !bad; f++) {
        s->slot_column[f] = (uint32_t)(s->m + f);
        bad = load(s, s->m + f, values, s->foot, f * s->foot_stride, s->corner + f * s->room);
    }
    for (size_t i = 0; i < s->q * s->room; i++) s->size[i] = fabs(s->corner[i]);
    s->slots = s->q;
    return bad;
}

/* The row of the largest entry of column k among those that wait; `end` when one is not finite. */
INLINE size_t choose_row(const struct actio_band *s, size_t k, size_t end)
{
    double largest = -1;
    size_t best = k;
    for (size_t i = k; i < end; i++) {
        double x = fabs(s->a[actio_band_first(s, i) + k]);
        if (!(x <= DBL_MAX)) return end;
        if (x > largest) {
            largest = x;
            best = i;
        }
    }
    return best;
}

/* Is entry (r, k) no more than the rounding error of its sum? The row is followed back through the exchanges. */
static bool band_vanishes(const struct actio_band *s, size_t k, size_t r)
{
    double pivot = fabs(s->a[actio_band_first(s, r) + k]), sum = 0;
    if (pivot < DBL_MIN) return true;
    for (size_t j = k; j-- > 0 && j + s->w >= k && r <= j + s->kl;) {
        if (s->row[j] >= s->m) continue;
        sum += fabs(s->lower[j * s->kl + r - j - 1] * s->a[actio_band_first(s, j) + k]);
        if (r == s->row[j]) r = j;
    }
    return pivot <= ACTIO_PIVOT_NOISE * sum;
}

static bool is_weak(const struct actio_band *s, size_t k, double pivot)
{
    double largest = 0;
    for (size_t f = 0; f < s->slots; f++) largest = fmax(largest, fabs(s->foot[f * s->foot_stride + k]));
    return fabs(pivot) < weak * largest;
}

/* Column k and the row at k join the border: earlier rows of U keep their entries in this column. */
static void delay(struct actio_band *s, size_t k, size_t end)
{
    size_t slot = s->slots++, room = s->room, first = actio_band_first(s, k);
    double *foot = s->foot + slot * s->foot_stride;
    s->slot_column[slot] = (uint32_t)k;
    s->row[k] = (uint32_t)(s->m + slot);
    for (size_t i = k; i < end; i++) s->edge[i * room + slot] = s->a[actio_band_first(s, i) + k];
    for (size_t f = 0; f < slot; f++) {
        double *x = s->foot + f * s->foot_stride + k;
        s->corner[f * room + slot] = *x;
        s->size[f * room + slot] = fabs(*x);
        *x = 0;
    }
    for (size_t j = k + 1; j < s->m && j <= k + s->w; j++) foot[j] = s->a[first + j];
    for (size_t c = 0; c <= slot; c++) {
        s->corner[slot * room + c] = s->edge[k * room + c];
        s->size[slot * room + c] = fabs(s->edge[k * room + c]);
    }
}

INLINE void exchange(size_t n, double *x, double *y)
{
    for (size_t i = 0; i < n; i++) {
        double t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

/* In the first group of row k of U, what is left of column k + 1 does not count. */
static const long long keep[LANES][LANES] = {
    { -1, -1, -1, -1 }, { 0, -1, -1, -1 }, { 0, 0, -1, -1 }, { 0, 0, 0, -1 }
};

/* Rows that wait, minus multiples of row k; `groups` of four columns from that of column k + 1 on. Unrolled when it is
 * a constant. */
INLINE void take_away(const struct actio_band *s, size_t k, size_t end, size_t groups)
{
    size_t from = (k + 1) / LANES * LANES;
    double inverse = s->inverse[k], *restrict lower = s->lower + k * s->kl, *restrict a = s->a;
    const quad *u = (const quad *)(a + actio_band_first(s, k) + from);
    quad head = (quad)((quad_mask)u[0] & *(const quad_mask *)keep[(k + 1) % LANES]);
    for (size_t i = k + 1; i < end; i++) {
        double *row = a + actio_band_first(s, i), l = lower[i - k - 1] = row[k] * inverse;
        quad *to = (quad *)(row + from);
        to[0] -= l * head;
        for (size_t g = 1; g < groups; g++) to[g] -= l * u[g];
    }
}

/* The same for the rows of the border, and the columns of the border in all rows. */
static void take_border(struct actio_band *s, size_t k, size_t end)
{
    size_t room = s->room, slots = s->slots;
    const double *u = s->a + actio_band_first(s, k), *edge = s->edge + k * room;
    for (size_t i = k + 1; i < end; i++)
        for (size_t c = 0; c < slots; c++) s->edge[i * room + c] -= s->lower[k * s->kl + i - k - 1] * edge[c];
    for (size_t f = 0; f < slots; f++) {
        double *foot = s->foot + f * s->foot_stride, l = foot[k] *= s->inverse[k];
        if (l == 0) continue;
        for (size_t j = k + 1; j <= k + s->w; j++) foot[j] -= l * u[j];
        for (size_t c = 0; c < slots; c++) {
            s->corner[f * room + c] -= l * edge[c];
            s->size[f * room + c] += fabs(l * edge[c]);
        }
    }
}

INLINE void eliminate(const struct actio_band *s, size_t k, size_t end)
{
    size_t groups = (k + s->w) / LANES - (k + 1) / LANES + 1;
    switch (s->w ? groups : 0) {
    case 0: break;
    case 1: take_away(s, k, end, 1); break;
    case 2: take_away(s, k, end, 2); break;
    case 3: take_away(s, k, end, 3); break;
    default: take_away(s, k, end, groups);
    }
}

/* Step k. 0, or 1 + its column without a pivot. s: a copy of all but slots, which the compiler can keep in
 * registers */
INLINE int step(struct actio_band *whole, const struct actio_band *s, size_t k)
{
    size_t end = k + s->kl < s->m ? k + s->kl + 1 : s->m, r = choose_row(s, k, end), from = k / LANES * LANES;
    if (r == end) return (int)s->order[k] + 1;
    double pivot = s->a[actio_band_first(s, r) + k];
    bool none = fabs(pivot) < suspicious && band_vanishes(whole, k, r);
    if (s->room && whole->slots < s->room && (none || is_weak(whole, k, pivot))) {
        delay(whole, k, end);
        return 0;
    }
    if (none) return (int)s->order[k] + 1;
    if (r != k) {
        exchange((k + s->w) / LANES * LANES + LANES - from, s->a + actio_band_first(s, k) + from,
                 s->a + actio_band_first(s, r) + from);
        if (s->room) exchange(s->room, s->edge + k * s->room, s->edge + r * s->room);
    }
    s->row[k] = (uint32_t)r;
    s->inverse[k] = 1 / pivot;
    eliminate(s, k, end);
    if (s->room) take_border(whole, k, end);
    return 0;
}

CLONED static int eliminate_band(struct actio_band *whole, const double *values)
{
    const struct actio_band copy = *whole, *s = &copy;
    int bad = 0;
    for (size_t i = 0; i < s->kl && i < s->m && !bad; i++) bad = load_row(s, i, values);
    for (size_t k = 0; k < s->m && !bad; k++) {
        if (k + s->kl < s->m) bad = load_row(s, k + s->kl, values);
        if (!bad) bad = step(whole, s, k);
    }
    return bad;
}

/* Is pivot c of the border's LU only rounding error, of its own sums or of those that made the border? row[c]: its row
 * of the corner */
static bool border_vanishes(const struct actio_band *s, size_t c, const uint32_t *row)
{
    size_t t = s->slots;
    double sum = s->size[row[c] * s->room + c];
    for (size_t j = 0; j < c; j++)
        sum += fabs(s->lu[c * t + j]) * (s->size[row[j] * s->room + c] + fabs(s->lu[j * t + c]));
    return fabs(s->lu[c * t + c]) <= ACTIO_PIVOT_NOISE * sum;
}

static int factor_border(struct actio_band *s)
{
    size_t t = s->slots;
    uint32_t row[2 * ACTIO_MOST_BORDER];
    for (size_t f = 0; f < t; f++) {
        memcpy(s->lu + f * t, s->corner + f * s->room, t * sizeof *s->lu);
        row[f] = (uint32_t)f;
    }
    int bad = actio_lu_factor(t, s->lu, s->pivot);
    if (bad) return (int)s->order[s->slot_column[bad - 1]] + 1;
    for (size_t c = 0; c < t; c++) {
        uint32_t other = row[s->pivot[c]];
        row[s->pivot[c]] = row[c];
        row[c] = other;
    }
    for (size_t c = 0; c < t; c++)
        if (border_vanishes(s, c, row)) return (int)s->order[s->slot_column[c]] + 1;
    return 0;
}

static int band_factor(void *h, const double *values)
{
    struct actio_band *s = h;
    int bad = load_border(s, values);
    if (!bad) bad = eliminate_band(s, values);
    return bad || !s->slots ? bad : factor_border(s);
}

/* ---- the face */

static void solve_scaled(struct actio_band *s, const double *right, bool transposed)
{
    memcpy(s->x, right, s->m * sizeof *s->x);
    memcpy(s->y, right + s->m, s->q * sizeof *s->y);
    (transposed ? actio_band_solve_transposed : actio_band_solve)(s, s->x, s->y);
    memcpy(s->x + s->m, s->y, s->q * sizeof *s->x);
}

/* right -= A x or A' x */
static void subtract_product(const struct actio_band *s, const double *x, double *right, bool transposed)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t e = s->start[i]; e < s->start[i + 1]; e++) {
            size_t j = s->column[e];
            right[transposed ? j : i] -= s->value[e] * x[transposed ? i : j];
        }
}

static void solve_one(struct actio_band *s, double *b, bool transposed)
{
    for (size_t k = 0; k < s->n; k++) s->right[k] = b[s->order[k]] * (transposed ? 1 : s->scale[k]);
    solve_scaled(s, s->right, transposed);
    for (size_t k = 0; k < s->n; k++) b[s->order[k]] = s->x[k];
    if (s->q) {
        subtract_product(s, s->x, s->right, transposed);
        solve_scaled(s, s->right, transposed);
        for (size_t k = 0; k < s->n; k++) b[s->order[k]] += s->x[k];
    }
    for (size_t k = 0; transposed && k < s->n; k++) b[s->order[k]] *= s->scale[k];
}

static void band_solve(void *h, double *b, size_t nrhs, bool transposed)
{
    struct actio_band *s = h;
    for (size_t r = 0; r < nrhs; r++) solve_one(s, b + r * s->n, transposed);
}

static double band_rcond(void *h)
{
    const struct actio_band *s = h;
    double small = INFINITY, large = 0;
    for (size_t k = 0; k < s->m + s->slots; k++) {
        if (k < s->m && s->row[k] >= s->m) continue;
        double pivot = fabs(k < s->m ? 1 / s->inverse[k] : s->lu[(k - s->m) * s->slots + k - s->m]);
        small = fmin(small, pivot);
        large = fmax(large, pivot);
    }
    return s->n == 0 ? 1 : large > 0 ? small / large : 0;
}

const struct actio_linear_type actio_linear_band = { "band",     band_fits,  band_open, band_factor,
                                                     band_solve, band_rcond, band_close };

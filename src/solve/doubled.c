/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/doubled.h"

#include <math.h>
#include <string.h>

void actio_doubled_close(struct actio_doubled *d)
{
    if (!d->ctx) return;
    struct actio_node_kernel *kernel[] = { &d->density, &d->curvature, &d->guards };
    for (size_t i = 0; i < sizeof kernel / sizeof *kernel; i++) actio_node_close(kernel[i], d->ctx);
    void *part[] = { d->block,  d->initial.data, d->row,           d->local,     d->tie,
                     d->target, d->slice,        d->hessian.start, d->hessian.i, d->hessian.j };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) actio_free(d->ctx, part[i]);
    *d = (struct actio_doubled){ 0 };
}

/* ---- the grid */

static void make_grid(struct actio_doubled *d)
{
    size_t N = d->points;
    double h = (d->t1 - d->t0) / (double)(N - 1);
    for (size_t k = 0; k < N; k++) {
        struct actio_rate_row *r = &d->row[k];
        d->node.t[k] = k + 1 == N ? d->t1 : d->t0 + (d->t1 - d->t0) * ((double)k / (double)(N - 1));
        d->node.hH[k] = h * actio_sbp_weight(d->order, N, k);
        r->width = actio_sbp_row(d->order, N, k, &r->first, r->q);
    }
    d->corner[0].first = d->form == ACTIO_ACTION_BARE ? 0 : 1;
    d->corner[1].first = 1;
    d->corner[2].first = d->form == ACTIO_ACTION_STRONG ? 1 : 0;
    d->corner[2].last = d->form == ACTIO_ACTION_WEAK ? -1 : 0;
}

/* Symbols in the order of the DENSITY quantity. */
static void make_locals(struct actio_doubled *d)
{
    uint32_t n = (uint32_t)d->n, m = (uint32_t)d->m, own = (uint32_t)(d->p + d->h), minus = (uint32_t)d->sector;
    const struct {
        uint32_t first, count;
        bool rate;
    } part[] = {
        { 0, n + m, false }, { 0, n + m, true }, { n + m, own, false },
        { minus, n, false }, { minus, n, true }, { minus + n, m + own, false },
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        for (uint32_t f = 0; f < part[i].count; f++)
            d->local[count++] = (struct actio_local){ part[i].first + f, part[i].rate };
}

static void tie(struct actio_doubled *d, size_t row, size_t field, size_t k, bool rate)
{
    const struct actio_rate_row *r = &d->row[k];
    size_t at = d->size - d->extras + row, col = field * d->points;
    if (!rate) d->tie[d->ties++] = (struct actio_tie){ (uint32_t)at, (uint32_t)(col + k), 1 };
    for (size_t j = 0; rate && j < r->width; j++)
        if (r->q[j] != 0)
            d->tie[d->ties++] =
                (struct actio_tie){ (uint32_t)at, (uint32_t)(col + r->first + j), r->q[j] / d->node.hH[k] };
}

/* kappa, kappat, xi, xit by coordinate; kl, xl, km, xm by multiplier. */
static void make_ties(struct actio_doubled *d)
{
    size_t n = d->n, p = d->p, h = d->h, last = d->points - 1, minus = d->sector, at = 4 * n;
    if (d->extras == 0) return;
    for (size_t i = 0; i < n; i++) {
        tie(d, i, i, 0, false);
        tie(d, n + i, i, 0, true);
        tie(d, 2 * n + i, minus + i, last, false);
        tie(d, 3 * n + i, minus + i, last, true);
        d->target[i] = d->initial.x0[i];
        d->target[n + i] = d->initial.v0[i];
    }
    for (size_t i = 0; i < p; i++) {
        tie(d, at + i, minus + n + d->m + i, 0, false);
        tie(d, at + p + i, minus + n + d->m + i, last, false);
    }
    at += 2 * p;
    for (size_t i = 0; i < h; i++) {
        tie(d, at + i, minus + n + d->m + p + i, 0, false);
        tie(d, at + h + i, minus + n + d->m + p + i, last, false);
    }
}

static const char *doubled_name_of(const struct actio_doubled *d, int whose, size_t i)
{
    return whose == 0   ? d->sys->variable[i]
           : whose == 1 ? d->sys->variable[d->n + i]
                        : d->sys->constraint[whose == 2 ? i : d->sys->position_row[i]];
}

static void make_slices(struct actio_doubled *d)
{
    size_t n = d->n, m = d->m, p = d->p, h = d->h, N = d->points, first = 0;
    const struct {
        const char *kind;
        int whose;
        size_t count, length;
    } list[] = {
        { "q+", 0, n, N },    { "s+", 1, m, N },     { "lambda+", 2, p, N }, { "mu+", 3, h, N },
        { "q-", 0, n, N },    { "s-", 1, m, N },     { "lambda-", 2, p, N }, { "mu-", 3, h, N },
        { "kappa", 0, n, 1 }, { "kappat", 0, n, 1 }, { "xi", 0, n, 1 },      { "xit", 0, n, 1 },
        { "kl", 2, p, 1 },    { "xl", 2, p, 1 },     { "km", 3, h, 1 },      { "xm", 3, h, 1 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (size_t i = 0; i < list[k].count && first < d->size; first += list[k].length, i++)
            d->slice[d->slices++] =
                (struct actio_slice){ list[k].kind, doubled_name_of(d, list[k].whose, i), first, list[k].length };
}

/* ---- memory and kernels */

static bool doubled_take_memory(struct actio_doubled *d)
{
    size_t N = d->points, entries = d->sys->jets.curvature.count, modes = d->sys->switches.count,
           by_node = 3 + 2 * d->locals + entries + 4 * modes;
    struct actio_context *ctx = d->ctx;
    if (N > SIZE_MAX / 64 / (by_node + 1) || d->size >= UINT32_MAX) return false;
    d->block = actio_alloc(ctx, N * by_node + 1, sizeof(double));
    d->initial.data = actio_alloc(ctx, d->n + d->m + 2 * d->n + 1, sizeof(double));
    d->row = actio_alloc(ctx, N, sizeof *d->row);
    d->local = actio_alloc(ctx, d->locals + 1, sizeof *d->local);
    d->tie = actio_alloc(ctx, 2 * d->n * (1 + ACTIO_SBP_WIDEST) + 2 * (d->p + d->h) + 1, sizeof *d->tie);
    d->target = actio_alloc(ctx, d->extras + 1, sizeof *d->target);
    d->slice = actio_alloc(ctx, 2 * d->sector + d->extras + 1, sizeof *d->slice);
    if (!d->block || !d->initial.data || !d->row || !d->local || !d->tie || !d->target || !d->slice) return false;
    d->node.t = d->block;
    d->node.hH = d->node.t + N;
    d->node.y = d->node.hH + N;
    d->node.out = d->node.y + N * d->locals;
    d->node.curve = d->node.out + N * (1 + d->locals);
    d->node.mode = d->node.curve + N * entries;
    d->node.guard = d->node.mode + N * modes;
    d->initial.x0 = d->initial.data;
    d->initial.v0 = d->initial.x0 + d->n + d->m;
    d->initial.momenta = d->initial.v0 + d->n;
    return true;
}

static struct actio_binding binding(const struct actio_doubled *d, const struct actio_doubled_task *task)
{
    struct actio_binding b;
    size_t n = d->n, m = d->m, p = d->p, h = d->h, N = d->points;
    memset(&b, 0, sizeof b);
    const struct {
        int space;
        size_t count;
    } list[] = {
        { ACTIO_SPACE_Q, n },      { ACTIO_SPACE_STATE, m },  { ACTIO_SPACE_V, n },      { ACTIO_SPACE_SDOT, m },
        { ACTIO_SPACE_LAMBDA, p }, { ACTIO_SPACE_MU, h },     { ACTIO_SPACE_QMINUS, n }, { ACTIO_SPACE_VMINUS, n },
        { ACTIO_SPACE_SMINUS, m }, { ACTIO_SPACE_LMINUS, p }, { ACTIO_SPACE_MMINUS, h },
    };
    const double *next = d->node.y;
    for (size_t i = 0; i < sizeof list / sizeof *list; next += list[i++].count * N) {
        b.space[list[i].space].base = next;
        b.space[list[i].space].index_step = (ptrdiff_t)N;
        b.space[list[i].space].lane_step = 1;
    }
    b.space[ACTIO_SPACE_T].base = d->node.t;
    b.space[ACTIO_SPACE_T].lane_step = 1;
    b.space[ACTIO_SPACE_MODE].base = d->node.mode;
    b.space[ACTIO_SPACE_MODE].index_step = (ptrdiff_t)N;
    b.space[ACTIO_SPACE_MODE].lane_step = 1;
    b.space[ACTIO_SPACE_PARAM].base = task->param;
    b.space[ACTIO_SPACE_PARAM].index_step = 1;
    b.space[ACTIO_SPACE_HIDDEN].base = task->hidden;
    b.space[ACTIO_SPACE_HIDDEN].index_step = 1;
    b.space[ACTIO_SPACE_ACC].base = &d->none; /* rates of guards know it; they are not looked at */
    return b;
}

static int open_kernels(struct actio_doubled *d, const struct actio_doubled_task *task)
{
    struct actio_binding at = binding(d, task);
    size_t N = d->points;
    return actio_node_open(&d->density, d->ctx, d->sys->kernel[ACTIO_Q_DENSITY], &at, N, d->node.out)
           || actio_node_open(&d->curvature, d->ctx, d->sys->kernel[ACTIO_Q_CURVATURE], &at, N, d->node.curve)
           || (d->sys->switches.count
               && actio_node_open(&d->guards, d->ctx, d->sys->kernel[ACTIO_Q_GUARDS], &at, N, d->node.guard));
}

static bool doubled_prepare(struct actio_doubled *d, const struct actio_doubled_task *task)
{
    if (!doubled_take_memory(d)) return false;
    memcpy(d->initial.x0, task->x, (d->n + d->m) * sizeof(double));
    memcpy(d->initial.v0, task->v, d->n * sizeof(double));
    make_grid(d);
    make_locals(d);
    make_ties(d);
    make_slices(d);
    return open_kernels(d, task) == 0 && actio_doubled_pattern(d) == 0;
}

int actio_doubled_open(struct actio_doubled *d, struct actio_context *ctx, struct actio_system *sys,
                       const struct actio_doubled_task *task)
{
    size_t n = sys->n, m = sys->m, p = sys->p, h = sys->holonomic;
    *d = (struct actio_doubled){ .ctx = ctx,
                                 .sys = sys,
                                 .form = task->form,
                                 .order = task->order,
                                 .points = task->points,
                                 .reach = actio_sbp_reach(task->order),
                                 .t0 = task->t0,
                                 .t1 = task->t1,
                                 .n = n,
                                 .m = m,
                                 .p = p,
                                 .h = h,
                                 .sector = n + m + p + h,
                                 .locals = 4 * n + 3 * m + 2 * p + 2 * h };
    d->extras = task->form == ACTIO_ACTION_WEAK ? 0 : 4 * n + 2 * (p + h);
    d->size = 2 * d->sector * d->points + d->extras;
    if (actio_system_need(sys, ACTIO_Q_DENSITY) || actio_system_need(sys, ACTIO_Q_CURVATURE)
        || (sys->switches.count && actio_system_need(sys, ACTIO_Q_GUARDS)))
        return 1;
    if (doubled_prepare(d, task)) return 0;
    if (ctx->findings)
        actio_report(ctx->findings, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the doubled action"), ACTIO_COUNT(ctx->bytes_limit)));
    actio_doubled_close(d);
    return 1;
}

/* ---- its value and derivatives */

/* Rates of a field from its values; those with initial data are taken from them, which is exact and keeps digits. */
static void doubled_rates(const struct actio_doubled *d, uint32_t field, const double *x, double *u)
{
    size_t N = d->points;
    double base = field < d->n + d->m ? d->initial.x0[field] : 0;
    const struct actio_corner *c = &d->corner[field >= d->sector ? 2 : field >= d->n];
    for (size_t k = 0; k < N; k++) {
        const struct actio_rate_row *r = &d->row[k];
        double sum = 0;
        for (size_t j = 0; j < r->width; j++) sum += r->q[j] * (x[r->first + j] - base);
        if (k == 0) sum += c->first * (x[0] - base);
        if (k + 1 == N) sum += c->last * x[k];
        u[k] = sum / d->node.hH[k];
    }
}

/* Switches are those of the plus path at each node. */
static int take_sides(struct actio_doubled *d, size_t count)
{
    if (d->sys->switches.count == 0) return 0;
    if (actio_node_evaluate(&d->guards, count)) return 1;
    for (size_t i = 0; i < d->sys->switches.count; i++)
        for (size_t k = 0; k < count; k++)
            d->node.mode[i * d->points + k] = actio_mode_at(d->sys, i, d->node.guard[i * d->points + k], 0);
    return 0;
}

static int doubled_load(struct actio_doubled *d, const double *X)
{
    size_t N = d->points;
    for (size_t a = 0; a < d->locals; a++) {
        const double *x = X + d->local[a].field * N;
        if (d->local[a].rate) doubled_rates(d, d->local[a].field, x, d->node.y + a * N);
        else memcpy(d->node.y + a * N, x, N * sizeof *x);
    }
    return take_sides(d, N);
}

int actio_doubled_value(struct actio_doubled *d, const double *X, double *S)
{
    size_t N = d->points;
    const double *extra = X + d->size - d->extras, *minus = X + d->sector * N;
    *S = NAN;
    if (doubled_load(d, X) || actio_node_evaluate(&d->density, N)) return 1;
    double sum = 0;
    for (size_t k = 0; k < N; k++) sum += d->node.hH[k] * d->node.out[k];
    for (size_t i = 0; i < d->n && d->extras == 0; i++) sum += d->initial.momenta[i] * minus[i * N];
    for (size_t i = 0; i < d->ties; i++) sum += X[d->tie[i].row] * d->tie[i].coef * X[d->tie[i].col];
    for (size_t i = 0; i < d->extras; i++) sum -= extra[i] * d->target[i];
    *S = sum;
    return !isfinite(sum);
}

/* The transpose of `rates`, its argument multiplied by the nodes' weights: these cancel. */
static void add_rates(const struct actio_doubled *d, uint32_t field, const double *l, double *g)
{
    size_t N = d->points;
    const struct actio_corner *c = &d->corner[field >= d->sector ? 2 : field >= d->n];
    for (size_t k = 0; k < N; k++) {
        const struct actio_rate_row *r = &d->row[k];
        for (size_t j = 0; j < r->width; j++) g[r->first + j] += r->q[j] * l[k];
    }
    g[0] += c->first * l[0];
    g[N - 1] += c->last * l[N - 1];
}

int actio_doubled_gradient(struct actio_doubled *d, const double *X, double *g)
{
    size_t N = d->points;
    if (doubled_load(d, X) || actio_node_evaluate(&d->density, N)) return 1;
    memset(g, 0, d->size * sizeof *g);
    for (size_t a = 0; a < d->locals; a++) {
        const double *l = d->node.out + (1 + a) * N;
        double *to = g + d->local[a].field * N;
        if (d->local[a].rate) add_rates(d, d->local[a].field, l, to);
        for (size_t k = 0; k < N && !d->local[a].rate; k++) to[k] += d->node.hH[k] * l[k];
    }
    for (size_t i = 0; i < d->n && d->extras == 0; i++) g[(d->sector + i) * N] += d->initial.momenta[i];
    for (size_t i = 0; i < d->ties; i++) {
        const struct actio_tie *e = &d->tie[i];
        g[e->row] += e->coef * X[e->col];
        g[e->col] += e->coef * X[e->row];
    }
    for (size_t i = 0; i < d->extras; i++) g[d->size - d->extras + i] -= d->target[i];
    return 0;
}

double actio_doubled_coefficient(const struct actio_doubled *d, uint32_t field, size_t k, size_t j)
{
    const struct actio_rate_row *r = &d->row[k];
    const struct actio_corner *c = &d->corner[field >= d->sector ? 2 : field >= d->n];
    double q = j >= r->first && j < r->first + r->width ? r->q[j - r->first] : 0;
    if (k == 0 && j == 0) q += c->first;
    if (k + 1 == d->points && j == k) q += c->last;
    return q / d->node.hH[k];
}

static double *entry(const struct actio_doubled *d, double *values, size_t row, size_t col)
{
    size_t low = d->hessian.start[row], high = d->hessian.start[row + 1];
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (d->hessian.j[middle] <= col) low = middle;
        else high = middle;
    }
    return values + low;
}

/* A symbol at node k in terms of its field: values at `first` .. and their coefficients. */
static size_t doubled_spread(const struct actio_doubled *d, struct actio_local a, size_t k, size_t *first, double *coef)
{
    *first = k;
    coef[0] = 1;
    if (!a.rate) return 1;
    *first = d->row[k].first;
    for (size_t j = 0; j < d->row[k].width; j++) coef[j] = actio_doubled_coefficient(d, a.field, k, *first + j);
    return d->row[k].width;
}

static void add_curvature(const struct actio_doubled *d, size_t k, struct actio_local a, struct actio_local b,
                          double value, bool both, double *values)
{
    double ca[ACTIO_SBP_WIDEST], cb[ACTIO_SBP_WIDEST];
    size_t fa, fb, na = doubled_spread(d, a, k, &fa, ca), nb = doubled_spread(d, b, k, &fb, cb);
    fa += a.field * d->points;
    fb += b.field * d->points;
    for (size_t i = 0; i < na; i++)
        for (size_t j = 0; j < nb; j++) {
            double part = value * ca[i] * cb[j];
            if (ca[i] == 0 || cb[j] == 0) continue;
            *entry(d, values, fa + i, fb + j) += part;
            if (both) *entry(d, values, fb + j, fa + i) += part;
        }
}

int actio_doubled_hessian(struct actio_doubled *d, const double *X, double *values)
{
    size_t N = d->points;
    const struct actio_places *at = &d->sys->jets.curvature;
    if (doubled_load(d, X) || actio_node_evaluate(&d->curvature, N)) return 1;
    memset(values, 0, d->hessian.count * sizeof *values);
    for (size_t e = 0; e < at->count; e++)
        for (size_t k = 0; k < N; k++)
            add_curvature(d, k, d->local[at->row[e]], d->local[at->col[e]], d->node.hH[k] * d->node.curve[e * N + k],
                          at->row[e] != at->col[e], values);
    for (size_t i = 0; i < d->ties; i++) {
        const struct actio_tie *e = &d->tie[i];
        *entry(d, values, e->row, e->col) += e->coef;
        *entry(d, values, e->col, e->row) += e->coef;
    }
    return 0;
}

/* ---- data */

/* The density itself has it: its derivatives by u-, lambda-, mu- at the data are momenta and residuals. */
int actio_doubled_data(struct actio_doubled *d, double *residual)
{
    size_t N = d->points, n = d->n, m = d->m, own = d->p + d->h, minus = 2 * (n + m) + own;
    for (size_t a = 0; a < d->locals; a++)
        d->node.y[a * N] = a < n + m ? d->initial.x0[a] : a < 2 * n + m ? d->initial.v0[a - n - m] : 0;
    if (take_sides(d, 1) || actio_node_evaluate(&d->density, 1)) return 1;
    const double *l = d->node.out + N;
    for (size_t i = 0; i < n; i++) d->initial.momenta[i] = l[(minus + n + i) * N];
    for (size_t i = 0; i < own; i++) residual[i] = l[(minus + 2 * n + m + i) * N];
    return 0;
}

void actio_doubled_guess(const struct actio_doubled *d, double *X)
{
    size_t N = d->points;
    memset(X, 0, d->size * sizeof *X);
    for (size_t i = 0; i < d->n + d->m; i++)
        for (size_t k = 0; k < N; k++)
            X[i * N + k] = d->initial.x0[i] + (i < d->n ? (d->node.t[k] - d->t0) * d->initial.v0[i] : 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/entries.h"
#include "solve/between.h"
#include "solve/law.h"

#include <string.h>

enum { LANES = ACTIO_ENTRY_LANES, SHORT_STATE = 8, AT_ONCE = 8 };

/* A law has rates of its own, and the defect is that of its rates. */
bool actio_rate_entries_serve(const struct actio_motion *m)
{
    return !m->rows.numeric && !m->obeys.law && m->ny <= SHORT_STATE;
}

/* Entries come by columns. */
static void sort_by_rows(struct actio_rate_entries *x)
{
    const struct actio_places *p = &x->m->sys->jets.rates_y;
    size_t next = 0, firsts = x->m->N + x->m->sys->solved.pivots;
    for (size_t row = 0; row < x->m->N; row++) {
        x->first[row] = next;
        for (size_t e = 0; e < p->count; e++)
            if (p->row[e] == row) {
                x->col[next] = p->col[e];
                x->at[next++] = (uint32_t)((firsts + e) * LANES);
            }
    }
    x->first[x->m->N] = next;
}

int actio_rate_entries_open(struct actio_rate_entries *x, struct actio_motion *m, const double *t, const double *y,
                            size_t stride)
{
    struct actio_context *ctx = m->ctx;
    const struct actio_kernel *k = m->at[ACTIO_Q_RATES_Y].k;
    size_t outputs = actio_kernel_outputs(k);
    *x = (struct actio_rate_entries){ .m = m, .count = m->sys->jets.rates_y.count };
    x->in = actio_motion_bind_lanes(m, ACTIO_Q_RATES_Y, t, y, (ptrdiff_t)stride);
    x->first = actio_alloc(ctx, m->N + 1, sizeof *x->first);
    x->col = actio_alloc(ctx, 2 * x->count + 1, sizeof *x->col);
    x->out = actio_alloc(ctx, outputs + 1, sizeof *x->out);
    x->value = actio_alloc(ctx, outputs * LANES + actio_kernel_work(k) + m->sys->solved.pivots + 1, sizeof *x->value);
    if (!x->in || !x->first || !x->col || !x->out || !x->value) return 1;
    x->at = x->col + x->count;
    x->work = x->value + outputs * LANES;
    x->pivot = x->work + actio_kernel_work(k);
    for (size_t j = 0; j < outputs; j++) x->out[j] = x->value + j * LANES;
    sort_by_rows(x);
    return 0;
}

void actio_rate_entries_close(struct actio_rate_entries *x)
{
    if (!x->m) return;
    void *parts[] = { x->in, x->first, x->col, x->out, x->value };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) actio_free(x->m->ctx, parts[i]);
    *x = (struct actio_rate_entries){ 0 };
}

/* Sums of zeros, or NAN, by stage; whole groups, of which those behind the last stage do not count. */
static void add_zeros(const double *value, size_t results, size_t group, double *sum)
{
    for (size_t j = 0; j < results; j++)
        for (size_t l = 0; l < AT_ONCE; l++) sum[l] += value[j * LANES + group + l] * 0;
}

static bool entries_are_finite(const struct actio_rate_entries *x, size_t stages)
{
    size_t N = x->m->N, first = N + x->m->sys->solved.pivots;
    double all = 0;
    for (size_t group = 0; group < stages; group += AT_ONCE) {
        double sum[AT_ONCE] = { 0 };
        add_zeros(x->value, N, group, sum);
        add_zeros(x->value + first * LANES, x->count, group, sum);
        for (size_t l = 0; l < AT_ONCE && group + l < stages; l++) all += sum[l];
    }
    return all == 0;
}

bool actio_rate_entries_find(struct actio_rate_entries *x, size_t stages)
{
    const struct actio_bound *b = &x->m->at[ACTIO_Q_RATES_Y];
    size_t pivots = x->m->sys->solved.pivots;
    /* compiled kernels take eight at once: those behind the last stage are of no use, and of no harm */
    size_t lanes = actio_kernel_is_native(b->k) ? (stages + AT_ONCE - 1) / AT_ONCE * AT_ONCE : stages;
    if (actio_between_any(x->m)) return false; /* held between its sides: these are not the formulas */
    actio_kernel_eval(b->k, lanes, x->in, b->pre, 1, x->out, x->work);
    if (!entries_are_finite(x, stages)) return false;
    for (size_t l = 0; pivots && l < stages; l++) {
        for (size_t j = 0; j < pivots; j++) x->pivot[j] = x->value[(x->m->N + j) * LANES + l];
        if (!actio_motion_relies(x->m, x->pivot)) return false;
    }
    return true;
}

void actio_rate_entries_rates(const struct actio_rate_entries *x, size_t stage, double *zdot)
{
    for (size_t i = 0; i < x->m->N; i++) zdot[i] = x->value[i * LANES + stage];
}

void actio_rate_entries_along(const struct actio_rate_entries *x, size_t stage, const double *dy, double dt,
                              double *out)
{
    size_t ny = x->m->ny;
    const double *value = x->value + stage;
    for (size_t i = 0; i < x->m->N; i++) {
        double sum = 0;
        for (size_t e = x->first[i]; e < x->first[i + 1]; e++)
            sum += value[x->at[e]] * (x->col[e] < ny ? dy[x->col[e]] : dt);
        out[i] = sum;
    }
}

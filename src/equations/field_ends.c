/* SPDX-License-Identifier: Apache-2.0
 * Values beyond the ends that nothing moves and nothing holds: their equations are natural conditions.  [HAMEL E] */
#include "equations/field.h"

#include <string.h>

static bool covers(const struct actio_fields *w, const struct actio_patch *p, size_t x, size_t at)
{
    (void)w;
    return p->x[x].moves ? at >= p->x[x].at && at - p->x[x].at < p->lanes : p->x[x].at == at;
}

static bool is_held(const struct actio_fields *w, size_t at)
{
    for (size_t i = 0; i < w->patches; i++)
        for (size_t e = 0; e < w->patch[i].W.count; e++)
            if (covers(w, &w->patch[i], w->patch[i].W.at[e].row, at)) return true;
    for (size_t k = 0; k < w->F->model->constraints; k++)
        for (size_t e = 0; e < w->line[k].A.count; e++)
            if (covers(w, &w->patch[w->line[k].patch], w->line[k].A.at[e].col, at)) return true;
    return false;
}

static actio_expr natural_condition(struct actio_fields *w, size_t at)
{
    actio_expr sum = { 0 };
    for (size_t i = 0; i < w->patches; i++)
        for (size_t x = 0; x < w->patch[i].xs; x++) {
            const struct actio_patch *p = &w->patch[i];
            if (covers(w, p, x, at))
                sum = actio_add(&w->F->pool, sum, actio_place_pin(w, p->h[x], p, (long)(at - p->x[x].at)));
        }
    return sum;
}

static void refuse_beyond(struct actio_fields *w, size_t variable, bool first)
{
    const struct actio_model *m = w->F->model;
    const struct actio_variable *v = &m->coord[variable];
    const struct actio_axis *x = &m->field.axis[v->axis - 1];
    actio_report_at(w->F->sys.ctx->findings, ACTIO_F_FIELD_BEYOND, &m->source, v->span,
                    ACTIO_ARGS(ACTIO_TEXT(v->name), ACTIO_TEXT(x->name), ACTIO_NUMBER(first ? x->a : x->b)));
    actio_escape(w->F->sys.ctx);
}

static void find_slaves(struct actio_fields *w)
{
    const struct actio_model *m = w->F->model;
    for (size_t i = 0; i < m->coords; i++) {
        size_t nodes = m->coord[i].axis ? m->field.axis[m->coord[i].axis - 1].nodes : 0;
        for (size_t k = 0; k < w->left[i] + w->right[i]; k++) {
            size_t at = k < w->left[i] ? w->base[i] - 1 - k : w->base[i] + nodes + k - w->left[i];
            if (is_held(w, at)) continue;
            struct actio_slave s = { .at = at, .N = natural_condition(w, at) };
            s.rate = s.N;
            s.is_rate = actio_uses(&w->F->pool, s.N, ACTIO_SPACE_V);
            actio_expr own = actio_symbol(&w->F->pool, s.is_rate ? ACTIO_SPACE_V : ACTIO_SPACE_Q, (uint32_t)at);
            if (actio_is_zero(s.N) || actio_is_zero(actio_diff(&w->F->pool, s.N, own)))
                refuse_beyond(w, i, k < w->left[i]);
            if (!s.is_rate) actio_field_drift(w, &s.N, 1, &s.rate);
            actio_field_drift(w, &s.rate, 1, &s.rest);
            ACTIO_PUSH(&w->F->arena, w->slave, w->slaves, w->slaves_cap) = s;
        }
    }
    for (uint32_t k = 0; k < w->slaves; k++) actio_field_take_locals(w, &w->patch[0], w->slave[k].N);
}

/* Point locals that came late have no part in the action. */
static void widen_point(struct actio_fields *w, size_t before)
{
    struct actio_patch *p = &w->patch[0];
    actio_expr **list[] = { &p->Lq, &p->Lv, &p->force, &p->h };
    for (size_t k = 0; before < p->xs && k < sizeof list / sizeof *list; k++) {
        actio_expr *more = actio_form_array(w->F, p->xs, sizeof *more);
        if (before) memcpy(more, *list[k], before * sizeof *more);
        *list[k] = more;
    }
}

void actio_field_ends(struct actio_fields *w)
{
    size_t before = w->patch[0].xs;
    find_slaves(w);
    widen_point(w, before);
}

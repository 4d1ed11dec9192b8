/* SPDX-License-Identifier: Apache-2.0
 * Where the entries of a matrix lie that lanes fill: stripes, runs of neighbouring entries. Entries of several lanes at
 * one place are added there. */
#include "equations/field.h"

#include <stdlib.h>
#include <string.h>

/* What stays the same along a stripe, and where it begins and ends. */
enum kind { SINGLE, ALONG_ROW, ALONG_COLUMN, DIAGONAL }; /* one entry; columns move; rows move; both */
struct stripe {
    enum kind kind;
    long fixed;
    size_t low, high, at;
    uint32_t part;
};

static size_t lanes_of(const struct actio_fields *w, const struct actio_part_entry *e)
{
    return w->patch[e->patch].lanes;
}

static struct stripe stripe_of(const struct actio_fields *w, const struct actio_part_entry *e, uint32_t part)
{
    bool many = lanes_of(w, e) > 1;
    enum kind kind = many && e->row_moves && e->col_moves ? DIAGONAL
                     : many && e->row_moves               ? ALONG_COLUMN
                     : many && e->col_moves               ? ALONG_ROW
                                                          : SINGLE;
    size_t low = kind == ALONG_ROW ? e->col : e->row, count = kind == SINGLE ? 1 : lanes_of(w, e);
    long fixed = kind == ALONG_ROW ? (long)e->row : kind == ALONG_COLUMN ? (long)e->col : (long)e->col - (long)e->row;
    return (struct stripe){ kind, fixed, low, low + count, 0, part };
}

static int by_place(const void *a, const void *b)
{
    const struct stripe *x = a, *y = b;
    if (x->kind != y->kind) return x->kind > y->kind ? -1 : 1; /* single entries last: they may lie on a stripe */
    if (x->fixed != y->fixed) return x->fixed < y->fixed ? -1 : 1;
    return x->low != y->low ? (x->low < y->low ? -1 : 1) : (x->part > y->part) - (x->part < y->part);
}

static bool same_line(const struct stripe *a, const struct stripe *b)
{
    return a->kind == b->kind && a->fixed == b->fixed;
}

/* Does the entry (row, col) lie on the stripe? Its place in it then. */
static bool lies_on(const struct stripe *s, size_t row, size_t col, size_t *at)
{
    size_t along = s->kind == ALONG_ROW ? col : row;
    long fixed = s->kind == ALONG_ROW ? (long)row : s->kind == ALONG_COLUMN ? (long)col : (long)col - (long)row;
    *at = s->at + along - s->low;
    return fixed == s->fixed && along >= s->low && along < s->high;
}

/* A row or column of a single coordinate that is a field's: its entries would lie on two stripes. */
static void refuse_crossing(struct actio_fields *w, const struct stripe *all, size_t count)
{
    size_t at;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            const struct stripe *s = &all[i], *d = &all[k];
            if ((s->kind != ALONG_ROW && s->kind != ALONG_COLUMN) || d->kind != DIAGONAL) continue;
            size_t other = (size_t)(s->kind == ALONG_ROW ? s->fixed + d->fixed : s->fixed - d->fixed);
            if (other < s->low || other >= s->high
                || !lies_on(d, s->kind == ALONG_ROW ? (size_t)s->fixed : other,
                            s->kind == ALONG_ROW ? other : (size_t)s->fixed, &at))
                continue;
            actio_field_refuse_pinned(w);
        }
}

/* Overlapping stripes of one line become one; returns how many are left, in `all` itself, and gives parts their places.
 * */
static size_t merge(struct actio_fields *w, struct actio_layout *l, struct stripe *all)
{
    size_t made = 0, next = 0;
    for (uint32_t i = 0; i < l->parts; i++) {
        struct stripe s = all[i];
        struct actio_part_entry *e = &l->part[s.part];
        bool found = false;
        if (s.kind == SINGLE)
            for (size_t k = 0; k < made && !found; k++) found = lies_on(&all[k], e->row, e->col, &e->at);
        if (found) continue;
        struct stripe *last = made ? &all[made - 1] : NULL;
        if (s.kind != SINGLE && last && same_line(last, &s) && s.low < last->high) {
            if (s.high > last->high) {
                next += s.high - last->high;
                last->high = s.high;
            }
            e->at = last->at + s.low - last->low;
            continue;
        }
        s.at = next;
        next += s.high - s.low;
        e->at = s.at;
        all[made++] = s;
    }
    (void)w;
    l->count = next;
    return made;
}

struct actio_places actio_field_places(struct actio_fields *w, struct actio_layout *l)
{
    struct actio_formation *F = w->F;
    struct stripe *all = actio_form_array(F, l->parts, sizeof *all);
    for (uint32_t i = 0; i < l->parts; i++) all[i] = stripe_of(w, &l->part[i], i);
    if (l->parts) qsort(all, l->parts, sizeof *all, by_place);
    size_t made = merge(w, l, all);
    refuse_crossing(w, all, made);
    uint32_t *row = actio_form_array(F, l->count, sizeof *row), *col = actio_form_array(F, l->count, sizeof *col);
    for (size_t k = 0; k < made; k++) {
        const struct stripe *s = &all[k];
        const struct actio_part_entry *e = &l->part[s->part];
        for (size_t i = 0; i < s->high - s->low; i++) {
            size_t along = s->low + i;
            row[s->at + i] =
                (uint32_t)(s->kind == ALONG_ROW || s->kind == SINGLE ? (s->kind == SINGLE ? e->row : (size_t)s->fixed)
                                                                     : along);
            col[s->at + i] = (uint32_t)(s->kind == SINGLE         ? e->col
                                        : s->kind == ALONG_ROW    ? along
                                        : s->kind == ALONG_COLUMN ? (size_t)s->fixed
                                                                  : (size_t)((long)along + s->fixed));
        }
    }
    return (struct actio_places){ row, col, l->count };
}

static void layout_add(struct actio_fields *w, struct actio_layout *l, struct actio_part_entry e)
{
    if (!actio_is_zero(e.e)) ACTIO_PUSH(&w->F->arena, l->part, l->parts, l->cap) = e;
}

static void add_inertia(struct actio_fields *w)
{
    for (uint32_t i = 0; i < w->patches; i++) {
        const struct actio_patch *p = &w->patch[i];
        for (size_t k = 0; k < p->W.count; k++) {
            const struct actio_local *a = &p->x[p->W.at[k].row], *b = &p->x[p->W.at[k].col];
            layout_add(w, &w->G, (struct actio_part_entry){ i, a->moves, b->moves, a->at, b->at, 0, p->W.at[k].e });
        }
    }
}

/* The equation of a value beyond an end is the rate of its natural condition. */
static void add_slaves(struct actio_fields *w)
{
    struct actio_patch *p = &w->patch[0];
    actio_expr *wrt = actio_form_array(w->F, p->xs, sizeof *wrt), *slope = actio_form_array(w->F, p->xs, sizeof *slope);
    for (size_t j = 0; j < p->xs; j++) wrt[j] = p->x[j].v;
    for (uint32_t k = 0; k < w->slaves; k++) {
        actio_gradient(&w->F->pool, w->slave[k].rate, wrt, p->xs, slope);
        for (size_t j = 0; j < p->xs; j++)
            layout_add(w, &w->G, (struct actio_part_entry){ 0, false, false, w->slave[k].at, p->x[j].at, 0, slope[j] });
    }
}

/* Slopes of a constraint by what its lanes see; times the weight, so that its multiplier is a density. */
static void add_rows(struct actio_fields *w, struct actio_layout *l, const struct actio_line *line, size_t row,
                     const struct actio_entries *of)
{
    const struct actio_patch *p = &w->patch[line->patch];
    for (size_t i = 0; i < of->count; i++) {
        const struct actio_local *x = &p->x[of->at[i].col];
        layout_add(w, l,
                   (struct actio_part_entry){ line->patch, p->axis != 0, x->moves, row, x->at, 0,
                                              actio_mul(&w->F->pool, p->weight, of->at[i].e) });
    }
}

static void refuse_within(struct actio_fields *w, const struct actio_constraint *c)
{
    actio_report_at(w->F->sys.ctx->findings, ACTIO_F_FIELD_WITHIN, &w->F->model->source, c->span, ACTIO_NO_ARGS);
    actio_escape(w->F->sys.ctx);
}

/* Where integrals stand in f: its slope by each, times the integral's own slopes in its lanes; of c, with what its
 * reaction acts on where it is given. */
static void add_through_sums(struct actio_fields *w, struct actio_layout *l, size_t row, actio_expr f, uint8_t space,
                             const struct actio_constraint *c, bool reacts)
{
    struct actio_pool *pool = &w->F->pool;
    actio_expr *sum = actio_form_array(w->F, w->sums, sizeof *sum),
               *slope = actio_form_array(w->F, w->sums, sizeof *slope);
    uint32_t sums = w->sums;
    for (uint32_t k = 0; k < sums; k++) sum[k] = actio_symbol(pool, ACTIO_SPACE_SUM, k);
    actio_gradient(pool, f, sum, sums, slope);
    for (uint32_t k = 0; k < sums; k++) {
        if (actio_is_zero(slope[k])) continue;
        struct actio_patch *p = actio_patch_of(w, w->sum[k].axis, w->sum[k].half);
        actio_expr *wrt = actio_form_array(w->F, p->xs, sizeof *wrt), *own = actio_form_array(w->F, p->xs, sizeof *own);
        for (size_t j = 0; j < p->xs; j++)
            wrt[j] = space == ACTIO_SPACE_Q ? p->x[j].q : space == ACTIO_SPACE_V ? p->x[j].v : p->x[j].acc;
        if (actio_field_moves_within(w, w->sum[k].e, true)) refuse_within(w, c);
        actio_gradient(pool, w->sum[k].e, wrt, p->xs, own);
        for (size_t j = 0; j < p->xs; j++)
            if (!actio_is_zero(own[j]) && (!reacts || actio_field_acts_on(w, c, &p->x[j])))
                layout_add(w, l,
                           (struct actio_part_entry){ (uint32_t)(p - w->patch), false, p->x[j].moves, row, p->x[j].at,
                                                      0, actio_mul(pool, slope[k], own[j]) });
    }
}

static void add_constraints(struct actio_fields *w)
{
    const struct actio_model *m = w->F->model;
    for (size_t k = 0; k < m->constraints; k++) {
        const struct actio_line *line = &w->line[k];
        const struct actio_constraint *c = &m->constraint[k];
        uint8_t space = c->kind == ACTIO_ACCELERATION ? ACTIO_SPACE_ACC : ACTIO_SPACE_V;
        add_rows(w, &w->A, line, line->first, &line->A);
        add_rows(w, &w->D, line, line->first, &line->D);
        if (line->position != SIZE_MAX) add_rows(w, &w->holonomic, line, line->position, &line->F);
        if (line->patch) continue;
        add_through_sums(w, &w->A, line->first, line->level, space, c, false);
        if (c->rule != ACTIO_ALONG) add_through_sums(w, &w->D, line->first, line->level, space, c, true);
        if (line->position != SIZE_MAX)
            add_through_sums(w, &w->holonomic, line->position, line->g, ACTIO_SPACE_Q, c, false);
    }
}

/* Entries of A by velocity residual. */
static void place_levels(struct actio_formation *F)
{
    struct actio_system *sys = &F->sys;
    uint32_t *residual = actio_form_array(F, F->p, sizeof *residual),
             *row = actio_form_array(F, sys->A.count, sizeof *row),
             *col = actio_form_array(F, sys->A.count, sizeof *col);
    size_t count = 0;
    for (uint32_t i = 0; i < sys->levels; i++) residual[sys->velocity_row[i]] = i + 1;
    for (uint32_t i = 0; i < sys->A.count; i++)
        if (residual[sys->A.row[i]]) {
            row[count] = residual[sys->A.row[i]] - 1;
            col[count++] = i;
        }
    sys->level_rows = (struct actio_places){ row, col, count };
}

static void describe(struct actio_fields *w)
{
    struct actio_formation *F = w->F;
    const struct actio_model *m = F->model;
    struct actio_axis_numbers *axis = actio_form_array(F, m->field.axes, sizeof *axis);
    size_t *row = actio_form_array(F, m->constraints, sizeof *row),
           *slave = actio_form_array(F, w->slaves, sizeof *slave);
    for (size_t a = 0; a < m->field.axes; a++)
        axis[a] = (struct actio_axis_numbers){ m->field.axis[a].nodes, m->field.axis[a].a, m->field.axis[a].b };
    for (size_t k = 0; k < m->constraints; k++) row[k] = w->line[k].first;
    bool *is_rate = actio_form_array(F, w->slaves, sizeof *is_rate);
    uint32_t *beyond = actio_form_array(F, 2 * m->coords, sizeof *beyond);
    for (uint32_t k = 0; k < w->slaves; k++) {
        slave[k] = w->slave[k].at;
        is_rate[k] = w->slave[k].is_rate;
    }
    for (size_t i = 0; i < m->coords; i++) {
        beyond[2 * i] = w->left[i];
        beyond[2 * i + 1] = w->right[i];
    }
    F->sys.field.slave_is_rate = is_rate;
    F->sys.field.beyond = beyond;
    F->sys.field.axis = axis;
    F->sys.field.axes = m->field.axes;
    F->sys.field.base = w->base;
    F->sys.field.row = row;
    F->sys.field.slave = slave;
    F->sys.field.slaves = w->slaves;
}

void actio_field_layout(struct actio_fields *w)
{
    struct actio_system *sys = &w->F->sys;
    add_inertia(w);
    add_slaves(w);
    add_constraints(w);
    sys->G = actio_field_places(w, &w->G);
    sys->A = actio_field_places(w, &w->A);
    sys->D = actio_field_places(w, &w->D);
    sys->F = actio_field_places(w, &w->holonomic);
    place_levels(w->F);
    describe(w);
}

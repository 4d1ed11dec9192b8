/* SPDX-License-Identifier: Apache-2.0
 * Quantities of a system with fields: which formulas go where, gathered into one program for each patch. */
#include "equations/field.h"

#include <string.h>

void actio_emit(struct actio_emits *l, uint32_t patch, actio_expr e, size_t at, bool moves)
{
    const struct actio_patch *p = &l->w->patch[patch];
    if (actio_is_zero(e)) return;
    enum actio_stream_how how = p->lanes > 1 && !moves ? ACTIO_STREAM_TOTAL : ACTIO_STREAM_ADD;
    ACTIO_PUSH(&l->w->F->arena, l->at, l->count, l->cap) =
        (struct actio_emit){ patch, 0, (long)p->lanes - 1, e, { how, at, 0, 0 } };
}

void actio_emit_entries(struct actio_emits *l, const struct actio_layout *of, size_t from)
{
    for (uint32_t i = 0; i < of->parts; i++)
        actio_emit(l, of->part[i].patch, of->part[i].e, from + of->part[i].at,
                   of->part[i].row_moves || of->part[i].col_moves);
}

/* ---- programs */

static bool overlap(const struct actio_emit *a, const struct actio_emit *b)
{
    size_t na = a->to.how == ACTIO_STREAM_TOTAL ? 1 : (size_t)(a->last - a->first) + 1,
           nb = b->to.how == ACTIO_STREAM_TOTAL ? 1 : (size_t)(b->last - b->first) + 1;
    return a->to.at < b->to.at + nb && b->to.at < a->to.at + na;
}

/* What nobody else adds to is put there at once. */
static void settle_adds(struct actio_emits *l)
{
    for (uint32_t i = 0; i < l->count; i++) {
        bool alone = l->at[i].to.how == ACTIO_STREAM_ADD;
        for (uint32_t k = 0; k < l->count && alone; k++) alone = k == i || !overlap(&l->at[i], &l->at[k]);
        if (alone) l->at[i].to.how = ACTIO_STREAM_PUT;
    }
}

struct needs {
    bool *sum, *run;
};

static void need_of(struct actio_fields *w, actio_expr e, struct needs *n)
{
    const struct actio_pool *pool = &w->F->pool;
    struct actio_cone cone = actio_cone_of(&w->F->pool, &e, 1);
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *node = &pool->node[cone.id[i]];
        if (node->op != ACTIO_SYMBOL) continue;
        actio_slot s = pool->slot[node->a];
        if (s.space == ACTIO_SPACE_SUM) n->sum[s.index] = true;
        if (s.space == ACTIO_SPACE_RUNNING) n->run[s.axis ? s.index : (uint32_t)s.offset] = true;
    }
}

/* Integrals that the outputs are made of, and those that these are made of: the later ones first. */
static struct needs needs_of(struct actio_emits *l)
{
    struct actio_fields *w = l->w;
    struct needs n = { actio_form_array(w->F, w->sums, sizeof *n.sum), actio_form_array(w->F, w->runs, sizeof *n.run) };
    for (uint32_t i = 0; i < l->count; i++) need_of(w, l->at[i].e, &n);
    for (unsigned level = w->sums + w->runs + 1; level-- > 0;) {
        for (uint32_t k = 0; k < w->runs; k++)
            if (n.run[k] && w->run[k].level == level) need_of(w, w->run[k].e, &n);
        for (uint32_t k = 0; k < w->sums; k++)
            if (n.sum[k] && w->sum[k].level == level) need_of(w, w->sum[k].e, &n);
    }
    return n;
}

struct stages {
    struct actio_stage *at;
    uint32_t count, cap;
};

static void make_stage(struct actio_fields *w, struct stages *to, uint32_t patch, long first, long last,
                       const actio_expr *e, const struct actio_stream *out, size_t count)
{
    struct actio_patch *p = &w->patch[patch];
    if (count == 0) return;
    struct actio_stream *kept = actio_form_array(w->F, count, sizeof *kept);
    memcpy(kept, out, count * sizeof *kept);
    ACTIO_PUSH(&w->F->arena, to->at, to->count, to->cap) = (struct actio_stage){
        .axis = p->axis, .half = p->half, .first = (size_t)first, .lanes = (size_t)(last - first + 1), .out = kept
    };
    /* its place is there before it is: an escape loses none */
    ACTIO_PUSH(&w->F->arena, w->kernel, w->kernels, w->kernels_cap) = NULL;
    to->at[to->count - 1].kernel = w->kernel[w->kernels - 1] =
        actio_kernel_compile(w->F->sys.ctx, &w->F->pool, e, count);
}

static void make_sums(struct actio_fields *w, struct stages *to, const bool *needed, unsigned level)
{
    actio_expr *e = actio_form_array(w->F, w->sums, sizeof *e);
    struct actio_stream *out = actio_form_array(w->F, w->sums, sizeof *out);
    for (uint32_t patch = 1; patch < w->patches; patch++) {
        size_t count = 0;
        for (uint32_t k = 0; k < w->sums; k++) {
            const struct actio_sum *s = &w->sum[k];
            if (!needed[k] || s->level != level || actio_patch_of(w, s->axis, s->half) != &w->patch[patch]) continue;
            e[count] = s->e;
            out[count++] = (struct actio_stream){ ACTIO_STREAM_SUM, k, 0, 0 };
        }
        make_stage(w, to, patch, 0, (long)w->patch[patch].lanes - 1, e, out, count);
    }
}

static void make_runs(struct actio_fields *w, struct stages *to, const bool *needed, unsigned level)
{
    for (uint32_t k = 0; k < w->runs; k++) {
        const struct actio_axis *x = &w->F->model->field.axis[w->run[k].axis - 1];
        struct actio_stream out = { ACTIO_STREAM_RUN, k, (x->b - x->a) / (double)(x->nodes - 1), 0 };
        if (needed[k] && w->run[k].level == level)
            make_stage(w, to, 2u * w->run[k].axis, 0, (long)x->nodes - 2, &w->run[k].e, &out, 1);
    }
}

/* What is made of nothing else first. */
static void make_integrals(struct actio_fields *w, struct stages *to, const struct needs *n)
{
    unsigned most = 0;
    for (uint32_t k = 0; k < w->sums; k++)
        if (n->sum[k] && w->sum[k].level > most) most = w->sum[k].level;
    for (uint32_t k = 0; k < w->runs; k++)
        if (n->run[k] && w->run[k].level > most) most = w->run[k].level;
    for (unsigned level = 0; level <= most; level++) {
        make_sums(w, to, n->sum, level);
        make_runs(w, to, n->run, level);
    }
}

/* Outputs of a patch by the lanes that they have; the point's at last, which may replace what lanes said. */
static void make_outputs(struct actio_emits *l, struct stages *to)
{
    struct actio_fields *w = l->w;
    bool *done = actio_form_array(w->F, l->count, sizeof *done);
    actio_expr *e = actio_form_array(w->F, l->count, sizeof *e);
    struct actio_stream *out = actio_form_array(w->F, l->count, sizeof *out);
    for (uint32_t turn = 1; turn <= w->patches; turn++) {
        uint32_t patch = turn % (uint32_t)w->patches;
        for (uint32_t i = 0; i < l->count; i++) {
            if (done[i] || l->at[i].patch != patch) continue;
            size_t count = 0;
            for (uint32_t k = i; k < l->count; k++) {
                const struct actio_emit *x = &l->at[k];
                if (done[k] || x->patch != patch || x->first != l->at[i].first || x->last != l->at[i].last) continue;
                e[count] = x->e;
                out[count++] = x->to;
                done[k] = true;
            }
            make_stage(w, to, patch, l->at[i].first, l->at[i].last, e, out, count);
        }
    }
}

struct actio_streams *actio_emit_streams(struct actio_emits *l)
{
    struct actio_fields *w = l->w;
    struct actio_streams *s = actio_form_array(w->F, 1, sizeof *s);
    struct stages stages = { 0 };
    settle_adds(l);
    struct needs n = needs_of(l);
    make_integrals(w, &stages, &n);
    make_outputs(l, &stages);
    *s = (struct actio_streams){ stages.at, stages.count, l->values, w->sums, w->runs };
    return s;
}

/* ---- quantities */

static actio_expr weighed(struct actio_fields *w, uint32_t patch, actio_expr e)
{
    return actio_is_zero(e) ? e : actio_mul(&w->F->pool, w->patch[patch].weight, e);
}

static bool is_slave(const struct actio_fields *w, size_t at)
{
    for (uint32_t k = 0; k < w->slaves; k++)
        if (w->slave[k].at == at) return true;
    return false;
}

/* What the point says to a value beyond an end stands in its natural condition: beside the one that is put there it
 * would be added again. */
static void list_by_local(struct actio_emits *l, size_t from, size_t which)
{
    struct actio_fields *w = l->w;
    for (uint32_t i = 0; i < w->patches; i++)
        for (size_t j = 0; j < w->patch[i].xs; j++) {
            const struct actio_patch *p = &w->patch[i];
            if (which == 0 && i == 0 && is_slave(w, p->x[j].at)) continue;
            actio_expr e = which == 0 ? p->h[j] : which == 1 ? actio_add(&w->F->pool, p->Lq[j], p->force[j]) : p->Lv[j];
            actio_emit(l, i, e, from + p->x[j].at, p->x[j].moves);
        }
}

/* What the lanes said about a value beyond an end is replaced. */
static void list_slaves(struct actio_emits *l, size_t from)
{
    struct actio_fields *w = l->w;
    for (uint32_t k = 0; k < w->slaves; k++) {
        actio_emit(l, 0, actio_neg(&w->F->pool, w->slave[k].rest), from + w->slave[k].at, false);
        if (actio_is_zero(w->slave[k].rest)) { /* 0 has to be put there, too */
            ACTIO_PUSH(&w->F->arena, l->at, l->count, l->cap) =
                (struct actio_emit){ 0, 0, 0, { 0 }, { ACTIO_STREAM_PUT, from + w->slave[k].at, 0, 0 } };
        } else l->at[l->count - 1].to.how = ACTIO_STREAM_PUT;
    }
}

static void list_matrix(struct actio_emits *l)
{
    struct actio_fields *w = l->w;
    const struct actio_system *sys = &w->F->sys;
    size_t A = sys->G.count, D = A + sys->A.count, h = D + sys->D.count, c = h + sys->n;
    actio_emit_entries(l, &w->G, 0);
    actio_emit_entries(l, &w->A, A);
    actio_emit_entries(l, &w->D, D);
    list_by_local(l, h, 0);
    for (size_t k = 0; k < w->F->model->constraints; k++)
        actio_emit(l, w->line[k].patch, weighed(w, w->line[k].patch, w->line[k].c), c + w->line[k].first, true);
    list_slaves(l, h);
    l->values = c + sys->p;
}

static void list_levels(struct actio_emits *l)
{
    struct actio_fields *w = l->w;
    struct actio_system *sys = &w->F->sys;
    size_t phi = sys->holonomic, sizes = phi + sys->levels, F = 2 * sizes;
    for (size_t k = 0; k < w->F->model->constraints; k++) {
        const struct actio_line *x = &w->line[k];
        actio_expr g = weighed(w, x->patch, x->g), level = weighed(w, x->patch, x->level);
        if (x->position != SIZE_MAX) {
            actio_emit(l, x->patch, g, x->position, true);
            actio_emit(l, x->patch, weighed(w, x->patch, actio_size_of_terms(w->F, x->g)), sizes + x->position, true);
        }
        if (x->velocity == SIZE_MAX) continue;
        actio_emit(l, x->patch, level, phi + x->velocity, true);
        actio_emit(l, x->patch, weighed(w, x->patch, actio_size_of_terms(w->F, x->level)), sizes + phi + x->velocity,
                   true);
    }
    actio_emit_entries(l, &w->holonomic, F);
    l->values = F + sys->F.count;
}

static void list_momenta(struct actio_emits *l)
{
    size_t n = l->w->F->n;
    list_by_local(l, 0, 1);
    list_by_local(l, n, 2);
    l->values = 2 * n;
}

static void list_natural(struct actio_emits *l)
{
    struct actio_fields *w = l->w;
    size_t S = w->slaves;
    for (uint32_t k = 0; k < S; k++) {
        actio_emit(l, 0, w->slave[k].N, k, false);
        actio_emit(l, 0, w->slave[k].rate, S + k, false);
        for (uint32_t j = 0; j < S; j++)
            actio_emit(l, 0,
                       actio_diff(&w->F->pool, w->slave[k].rate,
                                  actio_symbol(&w->F->pool, ACTIO_SPACE_V, (uint32_t)w->slave[j].at)),
                       2 * S + k * S + j, false);
    }
    l->values = 2 * S + S * S;
}

static void list_start(struct actio_emits *l)
{
    struct actio_fields *w = l->w;
    const struct actio_model *m = w->F->model;
    size_t n = w->F->n;
    for (size_t i = 0; i < m->coords; i++) {
        uint16_t axis = m->coord[i].axis;
        actio_emit(l, axis ? 2u * axis - 1 : 0, actio_place_local(w, m->coord[i].start, axis, 0), w->base[i], true);
        actio_emit(l, axis ? 2u * axis - 1 : 0, actio_place_local(w, m->coord[i].start_dot, axis, 0), n + w->base[i],
                   true);
    }
    l->values = 2 * n;
}

static void list_outputs(struct actio_emits *l) { actio_field_outputs(l, false); }
static void list_terms(struct actio_emits *l) { actio_field_outputs(l, true); }

static void (*const lists[ACTIO_Q_COUNT])(struct actio_emits *) = {
    [ACTIO_Q_MATRIX] = list_matrix,
    [ACTIO_Q_LEVELS] = list_levels,
    [ACTIO_Q_MOMENTA] = list_momenta,
    [ACTIO_Q_SLAVES] = list_natural,
    [ACTIO_Q_START] = list_start,
    [ACTIO_Q_EQUATIONS_Y] = actio_field_list_tangent,
    [ACTIO_Q_POINTS] = actio_field_list_points,
    [ACTIO_Q_JETS] = actio_field_list_jets,
    [ACTIO_Q_TENSION] = actio_field_list_tension,
    [ACTIO_Q_PULL] = actio_field_list_pull,
    [ACTIO_Q_OUTPUTS] = list_outputs,
    [ACTIO_Q_TERMS] = list_terms,
};

struct actio_streams *actio_field_streams(struct actio_formation *F, enum actio_quantity what)
{
    struct actio_emits l = { .w = F->field };
    if (!lists[what]) return NULL;
    lists[what](&l);
    return actio_emit_streams(&l);
}

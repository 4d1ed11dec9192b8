/* SPDX-License-Identifier: Apache-2.0
 * Lagrange-d'Alembert along axes: densities are differentiated by the coordinates that a lane sees, and every equation
 * is the sum of what its lanes say to it. Natural conditions at free ends come out by themselves, because it is the
 * discrete action that is differentiated.  [HAMEL B.2, E] */
#include "equations/field.h"

/* ---- coordinates that lanes see */

static bool is_moving(uint8_t space)
{
    return space == ACTIO_SPACE_Q || space == ACTIO_SPACE_V || space == ACTIO_SPACE_ACC;
}

size_t actio_local_of(struct actio_fields *w, struct actio_patch *p, actio_slot slot)
{
    struct actio_pool *pool = &w->F->pool;
    slot.space = ACTIO_SPACE_Q;
    actio_expr q = actio_symbol_at(pool, slot);
    for (size_t i = 0; i < p->xs; i++)
        if (actio_same(p->x[i].q, q)) return i;
    struct actio_local x = { .q = q, .moves = slot.axis != 0 };
    slot.space = ACTIO_SPACE_V;
    x.v = actio_symbol_at(pool, slot);
    slot.space = ACTIO_SPACE_ACC;
    x.acc = actio_symbol_at(pool, slot);
    x.at = slot.axis ? w->base[slot.index] + (size_t)(long)slot.offset : slot.index;
    uint32_t count = (uint32_t)p->xs;
    ACTIO_PUSH(&w->F->arena, p->x, count, p->xs_cap) = x;
    p->xs = count;
    return count - 1;
}

void actio_field_take_locals(struct actio_fields *w, struct actio_patch *p, actio_expr e)
{
    struct actio_pool *pool = &w->F->pool;
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    actio_slot *found = NULL;
    uint32_t count = 0, cap = 0;
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *n = &pool->node[cone.id[i]];
        if (n->op == ACTIO_SYMBOL && is_moving(pool->slot[n->a].space))
            ACTIO_PUSH(&w->F->arena, found, count, cap) = pool->slot[n->a];
    }
    for (uint32_t i = 0; i < count; i++) actio_local_of(w, p, found[i]);
}

/* ---- integrals */

unsigned actio_field_level(struct actio_fields *w, actio_expr e)
{
    struct actio_pool *pool = &w->F->pool;
    unsigned level = 0;
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *n = &pool->node[cone.id[i]];
        if (n->op != ACTIO_SYMBOL) continue;
        actio_slot s = pool->slot[n->a];
        unsigned inner = s.space == ACTIO_SPACE_SUM       ? w->sum[s.index].level + 1
                         : s.space == ACTIO_SPACE_RUNNING ? w->run[s.axis ? s.index : (uint32_t)s.offset].level + 1
                                                          : 0;
        if (inner > level) level = inner;
    }
    return level;
}

uint32_t actio_field_sum(struct actio_fields *w, uint16_t axis, uint8_t half, actio_expr e)
{
    for (uint32_t k = 0; k < w->sums; k++)
        if (w->sum[k].axis == axis && w->sum[k].half == half && actio_same(w->sum[k].e, e)) return k;
    unsigned level = actio_field_level(w, e);
    ACTIO_PUSH(&w->F->arena, w->sum, w->sums, w->sums_cap) = (struct actio_sum){ axis, half, e, { 0 }, 0, level };
    return w->sums - 1;
}

struct seeds {
    struct actio_seed *at;
    uint32_t count, cap;
};

static void add_seed(struct actio_fields *w, struct seeds *s, actio_expr x, actio_expr dx)
{
    ACTIO_PUSH(&w->F->arena, s->at, s->count, s->cap) = (struct actio_seed){ x, dx };
}

/* Along the motion with velocities frozen: q' = v, t' = 1, integrals by their own. */
void actio_field_drift(struct actio_fields *w, const actio_expr *f, size_t count, actio_expr *out)
{
    struct actio_pool *pool = &w->F->pool;
    struct actio_cone cone = actio_cone_of(pool, f, count);
    struct seeds s = { 0 };
    actio_expr *symbol = NULL;
    uint32_t symbols = 0, cap = 0;
    for (uint32_t i = 0; i < cone.count; i++)
        if (pool->node[cone.id[i]].op == ACTIO_SYMBOL)
            ACTIO_PUSH(&w->F->arena, symbol, symbols, cap) = (actio_expr){ cone.id[i] };
    for (uint32_t i = 0; i < symbols; i++) {
        actio_slot slot = actio_slot_of(pool, symbol[i]);
        if (slot.space == ACTIO_SPACE_Q) {
            slot.space = ACTIO_SPACE_V;
            add_seed(w, &s, symbol[i], actio_symbol_at(pool, slot));
        } else if (slot.space == ACTIO_SPACE_T) add_seed(w, &s, symbol[i], actio_const(pool, 1));
        else if (slot.space == ACTIO_SPACE_SUM) add_seed(w, &s, symbol[i], actio_field_sum_rate(w, slot.index));
    }
    actio_along(pool, f, count, s.at, s.count, out);
}

actio_expr actio_field_sum_rate(struct actio_fields *w, uint32_t k)
{
    struct actio_pool *pool = &w->F->pool;
    if (!w->sum[k].rate) {
        actio_expr e;
        w->sum[k].rate = UINT32_MAX; /* on the way: an integral is not made of itself */
        actio_field_drift(w, &w->sum[k].e, 1, &e);
        uint32_t rate = actio_is_zero(e) ? UINT32_MAX : actio_field_sum(w, w->sum[k].axis, w->sum[k].half, e) + 1;
        w->sum[k].rate = rate;
    }
    return w->sum[k].rate == UINT32_MAX ? (actio_expr){ 0 } : actio_symbol(pool, ACTIO_SPACE_SUM, w->sum[k].rate - 1);
}

/* ---- opening: numbers of coordinates, patches */

static void open_patches(struct actio_fields *w)
{
    struct actio_formation *F = w->F;
    const struct actio_model *m = F->model;
    w->patches = 2 * m->field.axes + 1;
    w->patch = actio_form_array(F, w->patches, sizeof *w->patch);
    w->per_step = actio_form_array(F, m->field.axes, sizeof *w->per_step);
    w->patch[0].lanes = 1;
    w->patch[0].weight = actio_const(&F->pool, 1);
    for (uint16_t a = 1; a <= m->field.axes; a++) {
        actio_expr ends[2];
        actio_copy_all(&F->pool, &F->model->pool,
                       (const actio_expr[]){ m->field.axis[a - 1].from, m->field.axis[a - 1].to }, 2, ends);
        w->per_step[a - 1] = actio_div(&F->pool, actio_const(&F->pool, (double)(m->field.axis[a - 1].nodes - 1)),
                                       actio_sub(&F->pool, ends[1], ends[0]));
        for (uint8_t half = 0; half < 2; half++) {
            struct actio_patch *p = actio_patch_of(w, a, half);
            p->axis = a;
            p->half = half;
            p->lanes = m->field.axis[a - 1].nodes - half;
            p->weight = half ? actio_div(&F->pool, actio_const(&F->pool, 1), w->per_step[a - 1])
                             : actio_symbol_at(&F->pool, (actio_slot){ .space = ACTIO_SPACE_WEIGHT, .axis = a });
        }
    }
}

/* Neighbours that formulas of the action and the constraints see beyond the ends. */
static void note_reach(struct actio_fields *w, actio_expr local, const struct actio_patch *p)
{
    const struct actio_pool *pool = &w->F->pool;
    struct actio_cone cone = actio_cone_of(&w->F->pool, &local, 1);
    for (uint32_t i = 0; p->axis && i < cone.count; i++) {
        const struct actio_node *n = &pool->node[cone.id[i]];
        if (n->op != ACTIO_SYMBOL || !is_moving(pool->slot[n->a].space) || !pool->slot[n->a].axis) continue;
        actio_slot s = pool->slot[n->a];
        int before = -s.offset, behind = s.offset - p->half;
        if (before > (int)w->left[s.index]) w->left[s.index] = (unsigned)before;
        if (behind > (int)w->right[s.index]) w->right[s.index] = (unsigned)behind;
    }
}

struct reaching {
    uint16_t axis;
};

static void reach_part(struct actio_fields *w, actio_expr e, uint8_t half, void *user)
{
    const struct reaching *r = user;
    note_reach(w, actio_place_local(w, e, r->axis, half), actio_patch_of(w, r->axis, half));
}

/* Each integral in a formula, once. */
static void reach_integrals(struct actio_fields *w, actio_expr e)
{
    const struct actio_pool *pool = &w->F->model->pool;
    struct actio_cone cone = actio_cone_of(&w->F->model->pool, &e, 1);
    uint32_t *found = actio_form_array(w->F, cone.count, sizeof *found), count = 0;
    for (uint32_t i = 0; i < cone.count; i++)
        if (pool->node[cone.id[i]].op == ACTIO_INTEGRAL) found[count++] = cone.id[i];
    for (uint32_t i = 0; i < count; i++) {
        struct reaching r = { pool->slot[pool->node[pool->node[found[i]].b].a].axis };
        actio_place_split(w, (actio_expr){ pool->node[found[i]].a }, r.axis, reach_part, &r);
    }
}

/* Values beyond the ends: as many as the action and the constraints reach for. Numbers of coordinates follow from them.
 * */
static void number_coordinates(struct actio_fields *w)
{
    struct actio_formation *F = w->F;
    struct actio_model *m = F->model;
    reach_integrals(w, m->lagrangian);
    reach_integrals(w, m->dissipation);
    for (size_t k = 0; k < m->constraints; k++) {
        const struct actio_constraint *c = &m->constraint[k];
        reach_integrals(w, c->g);
        if (c->axis)
            note_reach(w, actio_place_local(w, c->g, c->axis, actio_place_half(w, c->g)),
                       actio_patch_of(w, c->axis, actio_place_half(w, c->g)));
    }
    size_t n = 0;
    for (size_t i = 0; i < m->coords; i++) {
        uint16_t axis = m->coord[i].axis;
        w->base[i] = n + w->left[i];
        n += axis ? m->field.axis[axis - 1].nodes + w->left[i] + w->right[i] : 1;
    }
    F->n = F->N = F->sys.n = n;
    w->sums = w->runs = 0; /* those had no numbers yet */
}

/* ---- the Lagrangian */

/* Not linear in its integrals? */
static bool is_function(struct actio_fields *w, actio_expr part)
{
    struct actio_pool *pool = &w->F->pool;
    actio_expr e = actio_place_point(w, part);
    for (uint32_t k = 0; k < w->sums; k++)
        if (actio_uses(pool, actio_diff(pool, e, actio_symbol(pool, ACTIO_SPACE_SUM, k)), ACTIO_SPACE_SUM)) return true;
    return false;
}

static void refuse_function(struct actio_fields *w, bool is_dissipation)
{
    const struct actio_model *m = w->F->model;
    size_t k = 0;
    while (k + 1 < m->written.parts
           && (m->written.part[k].is_dissipation != is_dissipation || !is_function(w, m->written.part[k].e)))
        k++;
    actio_report_at(w->F->sys.ctx->findings, ACTIO_F_FIELD_FUNCTION, &m->source,
                    m->written.parts ? m->written.part[k].span : (struct actio_span){ 0 }, ACTIO_NO_ARGS);
    actio_escape(w->F->sys.ctx);
}

/* Integrals that L is linear in stand in the lanes; what is left at the point, with the slope by each other integral
 * held fixed. */
static void share_out(struct actio_fields *w, actio_expr total, bool is_dissipation)
{
    struct actio_pool *pool = &w->F->pool;
    struct actio_patch *point = &w->patch[0];
    uint32_t sums = w->sums;
    actio_expr *symbol = actio_form_array(w->F, sums, sizeof *symbol),
               *slope = actio_form_array(w->F, sums, sizeof *slope), *none = actio_form_array(w->F, sums, sizeof *none);
    for (uint32_t k = 0; k < sums; k++) symbol[k] = actio_symbol(pool, ACTIO_SPACE_SUM, k);
    actio_gradient(pool, total, symbol, sums, slope);
    actio_expr value = total;
    for (uint32_t k = 0; k < sums; k++) {
        if (actio_is_zero(slope[k])) continue;
        struct actio_patch *p = actio_patch_of(w, w->sum[k].axis, w->sum[k].half);
        bool linear = !actio_uses(pool, slope[k], ACTIO_SPACE_SUM);
        actio_expr density = w->sum[k].density, factor = slope[k];
        if (actio_field_moves_within(w, density, is_dissipation)) actio_field_refuse_within(w, is_dissipation);
        if (!linear) {
            if (is_dissipation || actio_uses(pool, density, ACTIO_SPACE_V) || actio_uses(pool, slope[k], ACTIO_SPACE_V)
                || actio_uses(pool, density, ACTIO_SPACE_SUM)) {
                refuse_function(w, is_dissipation);
            }
            factor = actio_symbol(pool, ACTIO_SPACE_FROZEN, w->frozens);
            ACTIO_PUSH(&w->F->arena, w->frozen, w->frozens, w->frozens_cap) = slope[k];
        } else value = actio_substitute(pool, value, &symbol[k], none, 1);
        actio_expr term = actio_mul(pool, factor, density);
        if (is_dissipation) p->R = actio_add(pool, p->R, term);
        else {
            p->L = actio_add(pool, p->L, term);
            if (linear) p->value = actio_add(pool, p->value, term);
        }
    }
    if (is_dissipation) point->R = actio_add(pool, point->R, value);
    else point->L = point->value = actio_add(pool, point->L, value);
}

static void form_lagrangian(struct actio_fields *w)
{
    const struct actio_model *m = w->F->model;
    share_out(w, actio_place_point(w, m->lagrangian), false);
    share_out(w, actio_place_point(w, m->dissipation), true);
    for (size_t i = 0; i < w->patches; i++) {
        actio_field_take_locals(w, &w->patch[i], w->patch[i].L);
        actio_field_take_locals(w, &w->patch[i], w->patch[i].R);
    }
}

/* ---- forces */

static void add_push(struct actio_fields *w, uint32_t force, struct actio_patch *p, actio_slot slot, actio_expr e)
{
    uint32_t x = (uint32_t)actio_local_of(w, p, slot);
    ACTIO_PUSH(&w->F->arena, w->push, w->pushes, w->pushes_cap) =
        (struct actio_push){ force, (uint32_t)(p - w->patch), x, e };
}

/* Per length: at the nodes, or at the cells on the mean of their two nodes. */
static void push_density(struct actio_fields *w, uint32_t k, const struct actio_term *t)
{
    struct actio_pool *pool = &w->F->pool;
    uint16_t axis = w->F->model->coord[t->variable].axis;
    uint8_t half = actio_place_half(w, t->e);
    struct actio_patch *p = actio_patch_of(w, axis, half);
    actio_expr e = actio_mul(pool, p->weight, actio_place_local(w, t->e, axis, half));
    if (half) e = actio_mul(pool, actio_const(pool, 0.5), e);
    for (int8_t o = 0; o <= half; o++)
        add_push(w, k, p, (actio_slot){ .axis = axis, .index = t->variable, .offset = o }, e);
}

static void push_place(struct actio_fields *w, uint32_t k, const struct actio_term *t)
{
    struct actio_pool *pool = &w->F->pool;
    struct actio_model *m = w->F->model;
    uint16_t axis = m->coord[t->variable].axis;
    long node;
    double theta;
    actio_expr e = actio_place_point(w, t->e);
    actio_place_interpolate(m, axis, actio_model_number(m, t->place), 0, 0, (long)m->field.axis[axis - 1].nodes - 1,
                            &node, &theta);
    uint32_t at = (uint32_t)(w->base[t->variable] + (size_t)node);
    add_push(w, k, &w->patch[0], (actio_slot){ .index = at },
             theta == 0 ? e : actio_mul(pool, actio_const(pool, 1 - theta), e));
    if (theta != 0)
        add_push(w, k, &w->patch[0], (actio_slot){ .index = at + 1 }, actio_mul(pool, actio_const(pool, theta), e));
}

static void form_forces(struct actio_fields *w)
{
    const struct actio_model *m = w->F->model;
    for (uint32_t k = 0; k < m->forces; k++)
        for (size_t i = 0; i < m->force[k].terms; i++) {
            const struct actio_term *t = &m->force[k].term[i];
            if (t->placed) push_place(w, k, t);
            else if (m->coord[t->variable].axis) push_density(w, k, t);
            else
                add_push(w, k, &w->patch[0], (actio_slot){ .index = (uint32_t)w->base[t->variable] },
                         actio_place_point(w, t->e));
        }
}

/* ---- the whole */

static void form_patch(struct actio_fields *w, struct actio_patch *p)
{
    struct actio_formation *F = w->F;
    struct actio_pool *pool = &F->pool;
    size_t n = p->xs;
    actio_expr *wrt = actio_form_array(F, 2 * n, sizeof *wrt), *grad = actio_form_array(F, 2 * n, sizeof *grad),
               *rate = actio_form_array(F, n, sizeof *rate), *Rv = actio_form_array(F, n, sizeof *Rv);
    for (size_t i = 0; i < n; i++) {
        wrt[i] = p->x[i].q;
        wrt[n + i] = p->x[i].v;
    }
    p->force = actio_form_array(F, n, sizeof *p->force);
    p->h = actio_form_array(F, n, sizeof *p->h);
    actio_gradient(pool, actio_is_zero(p->L) ? p->L : actio_mul(pool, p->weight, p->L), wrt, 2 * n, grad);
    actio_gradient(pool, actio_is_zero(p->R) ? p->R : actio_mul(pool, p->weight, p->R), wrt + n, n, Rv);
    p->Lq = grad;
    p->Lv = grad + n;
    for (uint32_t k = 0; k < w->pushes; k++)
        if (&w->patch[w->push[k].patch] == p)
            p->force[w->push[k].x] = actio_add(pool, p->force[w->push[k].x], w->push[k].e);
    if (n) {
        actio_field_drift(w, p->Lv, n, rate);
        actio_jacobian(pool, p->Lv, n, wrt + n, n, &p->W);
    }
    for (size_t i = 0; i < n; i++) {
        p->force[i] = actio_sub(pool, p->force[i], Rv[i]);
        p->h[i] = actio_sub(pool, actio_add(pool, p->force[i], p->Lq[i]), rate[i]);
    }
}

/* FROZEN slopes get their formulas when nothing is differentiated any more. */
static void thaw(struct actio_fields *w)
{
    struct actio_pool *pool = &w->F->pool;
    actio_expr *symbol = actio_form_array(w->F, w->frozens, sizeof *symbol);
    for (uint32_t k = 0; k < w->frozens; k++) symbol[k] = actio_symbol(pool, ACTIO_SPACE_FROZEN, k);
    for (size_t i = 0; w->frozens && i < w->patches; i++) {
        struct actio_patch *p = &w->patch[i];
        for (size_t j = 0; j < p->xs; j++) {
            p->Lq[j] = actio_substitute(pool, p->Lq[j], symbol, w->frozen, w->frozens);
            p->h[j] = actio_substitute(pool, p->h[j], symbol, w->frozen, w->frozens);
        }
    }
}

static void name_variables(struct actio_fields *w)
{
    struct actio_formation *F = w->F;
    const struct actio_model *m = F->model;
    const char **name = actio_form_array(F, F->n, sizeof *name), **rate = actio_form_array(F, F->n, sizeof *rate);
    for (size_t i = 0; i < m->coords; i++) {
        size_t nodes = m->coord[i].axis ? m->field.axis[m->coord[i].axis - 1].nodes : 1;
        for (size_t k = w->base[i] - w->left[i]; k < w->base[i] + nodes + w->right[i]; k++) {
            name[k] = m->coord[i].name;
            rate[k] = m->coord[i].dot_name;
        }
    }
    F->sys.variable = name;
    F->sys.field.rate_name = rate;
}

struct actio_system *actio_form_fields(struct actio_context *ctx, struct actio_model *model)
{
    struct actio_formation *F = actio_formation_open(ctx, model);
    struct actio_fields *w = F->field = actio_form_array(F, 1, sizeof *w);
    w->F = F;
    w->streams = actio_field_streams;
    F->sys.params = model->params;
    w->base = actio_form_array(F, model->coords, sizeof *w->base);
    w->left = actio_form_array(F, model->coords, sizeof *w->left);
    w->right = actio_form_array(F, model->coords, sizeof *w->right);
    open_patches(w);
    number_coordinates(w);
    form_lagrangian(w);
    form_forces(w);
    actio_field_constraints(w);
    for (uint32_t k = 0; k < w->sums; k++)
        actio_field_take_locals(w, actio_patch_of(w, w->sum[k].axis, w->sum[k].half), w->sum[k].e);
    for (size_t i = 0; i < w->patches; i++) form_patch(w, &w->patch[i]);
    thaw(w);
    actio_field_ends(w);
    name_variables(w);
    actio_field_layout(w);
    actio_field_columns(w);
    F->sys.is.symmetric = w->slaves == 0;
    for (size_t k = 0; k < model->constraints; k++) F->sys.is.servo |= model->constraint[k].rule != ACTIO_IDEAL;
    F->sys.is.symmetric &= !F->sys.is.servo;
    return &F->sys;
}

/* SPDX-License-Identifier: Apache-2.0
 * What a row of output means where there are fields: a column has one number, or one for each node or cell of an axis.
 * */
#include "base/roles.h"
#include "equations/field.h"

#include <string.h>

struct named {
    const char *name, *unit, *meaning;
    enum actio_role role;
    uint32_t patch;
    actio_expr e;
};
struct naming {
    struct actio_fields *w;
    struct named *at;
    uint32_t count, cap;
};

static void define(struct naming *d, enum actio_role role, const char *prefix, const char *name, uint32_t patch,
                   actio_expr e, const char *meaning)
{
    const char *full = *prefix ? actio_arena_format(&d->w->F->arena, "%s%s", prefix, name) : name;
    ACTIO_PUSH(&d->w->F->arena, d->at, d->count, d->cap) = (struct named){ full, "", meaning, role, patch, e };
}

/* Slopes by integrals, which the lanes' Lagrangian has as symbols, by their formulas. */
static actio_expr thawed(struct actio_fields *w, actio_expr e)
{
    if (!actio_uses(&w->F->pool, e, ACTIO_SPACE_FROZEN)) return e;
    actio_expr *symbol = actio_form_array(w->F, w->frozens, sizeof *symbol);
    for (uint32_t k = 0; k < w->frozens; k++) symbol[k] = actio_symbol(&w->F->pool, ACTIO_SPACE_FROZEN, k);
    return actio_substitute(&w->F->pool, e, symbol, w->frozen, w->frozens);
}

/* The total over a patch of a formula of its lanes: at the point itself, else as an integral (weights are the
 * caller's). */
static actio_expr total(struct actio_fields *w, uint32_t patch, actio_expr e)
{
    const struct actio_patch *p = &w->patch[patch];
    e = thawed(w, e);
    if (actio_is_zero(e) || patch == 0) return e;
    return actio_symbol(&w->F->pool, ACTIO_SPACE_SUM, actio_field_sum(w, p->axis, p->half, e));
}

/* ---- variables */

static void define_variables(struct naming *d)
{
    struct actio_fields *w = d->w;
    struct actio_pool *pool = &w->F->pool;
    const struct actio_model *m = w->F->model;
    define(d, ACTIO_ROLE_TIME, "", "t", 0, actio_symbol(pool, ACTIO_SPACE_T, 0), "time");
    for (size_t i = 0; i < m->coords; i++) {
        uint16_t axis = m->coord[i].axis;
        uint32_t patch = axis ? 2u * axis - 1 : 0;
        actio_slot s = { .space = ACTIO_SPACE_Q, .axis = axis, .index = (uint32_t)(axis ? i : w->base[i]) };
        define(d, ACTIO_ROLE_COORD, "", m->coord[i].name, patch, actio_symbol_at(pool, s),
               axis ? "field" : "coordinate");
        if (m->coord[i].unit) d->at[d->count - 1].unit = m->coord[i].unit;
        s.space = ACTIO_SPACE_V;
        define(d, ACTIO_ROLE_RATE, "", m->coord[i].dot_name, patch, actio_symbol_at(pool, s), "velocity");
        s.space = ACTIO_SPACE_REACTION;
        if (m->constraints)
            define(d, ACTIO_ROLE_REACTION, "reaction.", m->coord[i].name, patch, actio_symbol_at(pool, s),
                   "generalised force of all constraints");
    }
}

/* ---- directions: what a formula changes by when coordinates and velocities do */

struct change {
    struct actio_fields *w;
    const actio_expr *dq, *dv;
}; /* by local of a patch; NULL: nothing */

static actio_expr along_locals(struct actio_fields *w, const struct actio_patch *p, actio_expr f, const actio_expr *dq,
                               const actio_expr *dv)
{
    struct actio_seed *seed = actio_form_array(w->F, 2 * p->xs, sizeof *seed);
    size_t count = 0;
    actio_expr out;
    for (size_t i = 0; i < p->xs; i++) {
        if (dq && !actio_is_zero(dq[i])) seed[count++] = (struct actio_seed){ p->x[i].q, dq[i] };
        if (dv && !actio_is_zero(dv[i])) seed[count++] = (struct actio_seed){ p->x[i].v, dv[i] };
    }
    actio_along(&w->F->pool, &f, 1, seed, count, &out);
    return out;
}

static actio_expr weighed(struct actio_fields *w, const struct actio_patch *p, actio_expr e)
{
    return actio_field_times(w, p->weight, e);
}

static const actio_expr *velocities(struct actio_fields *w, const struct actio_patch *p)
{
    actio_expr *v = actio_form_array(w->F, p->xs, sizeof *v);
    for (size_t i = 0; i < p->xs; i++) v[i] = p->x[i].v;
    return v;
}

/* Of changes those of what the reaction acts on. */
static const actio_expr *acted_on(struct actio_fields *w, const struct actio_constraint *c, const struct actio_patch *p,
                                  const actio_expr *dq)
{
    actio_expr *out = actio_form_array(w->F, p->xs, sizeof *out);
    for (size_t i = 0; i < p->xs; i++)
        if (actio_field_acts_on(w, c, &p->x[i])) out[i] = dq[i];
    return out;
}

/* Work of a constraint's reaction along changes of the coordinates, in all: lambda D.dq, of integrals in it by their
 * own lanes. */
struct changes {
    const actio_expr **by_patch;
};

/* What f changes by when its rates do, or its accelerations, of a constraint on these. */
static actio_expr along_rows(struct actio_fields *w, const struct actio_patch *p, actio_expr f, bool acceleration,
                             const actio_expr *dq)
{
    struct actio_seed *seed = actio_form_array(w->F, p->xs, sizeof *seed);
    actio_expr out;
    for (size_t i = 0; i < p->xs; i++) seed[i] = (struct actio_seed){ acceleration ? p->x[i].acc : p->x[i].v, dq[i] };
    actio_along(&w->F->pool, &f, 1, seed, p->xs, &out);
    return out;
}

static actio_expr work_of(struct actio_fields *w, size_t k, const actio_expr *const *dq)
{
    struct actio_pool *pool = &w->F->pool;
    const struct actio_line *l = &w->line[k];
    const struct actio_patch *p = &w->patch[l->patch];
    actio_expr sum = { 0 };
    for (size_t i = 0; i < l->D.count; i++)
        sum = actio_add(pool, sum, actio_field_times(w, l->D.at[i].e, dq[l->patch][l->D.at[i].col]));
    actio_expr lambda = actio_symbol_at(
        pool, (actio_slot){ .space = ACTIO_SPACE_LAMBDA, .axis = p->axis, .index = p->axis ? (uint32_t)k : l->first });
    if (l->patch == 0 && w->F->model->constraint[k].rule != ACTIO_ALONG)
        for (uint32_t j = 0, sums = w->sums; j < sums; j++) {
            actio_expr slope = actio_diff(pool, l->level, actio_symbol(pool, ACTIO_SPACE_SUM, j));
            if (actio_is_zero(slope)) continue;
            uint32_t patch = (uint32_t)(actio_patch_of(w, w->sum[j].axis, w->sum[j].half) - w->patch);
            const actio_expr *acted = acted_on(w, &w->F->model->constraint[k], &w->patch[patch], dq[patch]);
            bool acceleration = w->F->model->constraint[k].kind == ACTIO_ACCELERATION;
            sum = actio_add(
                pool, sum,
                actio_field_times(w, slope,
                                  total(w, patch, along_rows(w, &w->patch[patch], w->sum[j].e, acceleration, acted))));
        }
    return total(w, l->patch, weighed(w, p, actio_field_times(w, lambda, sum)));
}

static const actio_expr *const *all_velocities(struct actio_fields *w)
{
    const actio_expr **v = actio_form_array(w->F, w->patches, sizeof *v);
    for (size_t i = 0; i < w->patches; i++) v[i] = velocities(w, &w->patch[i]);
    return v;
}

/* ---- constraints */

static void define_constraints(struct naming *d)
{
    struct actio_fields *w = d->w;
    const struct actio_model *m = w->F->model;
    const actio_expr *const *v = all_velocities(w);
    for (size_t k = 0; k < m->constraints; k++) {
        const struct actio_line *l = &w->line[k];
        uint16_t axis = w->patch[l->patch].axis;
        actio_slot s = { .space = ACTIO_SPACE_LAMBDA, .axis = axis, .index = axis ? (uint32_t)k : l->first };
        define(d, ACTIO_ROLE_LAMBDA, "lambda.", m->constraint[k].label, l->patch, actio_symbol_at(&w->F->pool, s),
               axis ? "multiplier, a density" : "multiplier");
        define(d, ACTIO_ROLE_POWER, "power.", m->constraint[k].label, 0, work_of(w, k, v), "power of the reaction");
        define(d, ACTIO_ROLE_RESIDUAL, "residual.", m->constraint[k].label, l->patch, l->g, "A - B of the constraint");
    }
}

/* ---- forces and energy */

/* Power along changes of the coordinates: of one force, or of all with the dissipation. */
static actio_expr force_work(struct actio_fields *w, uint32_t force, const actio_expr *const *dq)
{
    struct actio_pool *pool = &w->F->pool;
    actio_expr sum = { 0 };
    for (uint32_t patch = 0; patch < w->patches; patch++) {
        const struct actio_patch *p = &w->patch[patch];
        actio_expr here = { 0 };
        for (uint32_t k = 0; k < w->pushes; k++)
            if (w->push[k].patch == patch && (force == UINT32_MAX || w->push[k].force == force))
                here = actio_add(pool, here, actio_field_times(w, w->push[k].e, dq[patch][w->push[k].x]));
        if (force == UINT32_MAX && !actio_is_zero(p->R))
            here = actio_sub(pool, here, weighed(w, p, along_locals(w, p, p->R, NULL, dq[patch])));
        sum = actio_add(pool, sum, total(w, patch, here));
    }
    return sum;
}

static actio_expr energy(struct actio_fields *w, const actio_expr *const *v)
{
    struct actio_pool *pool = &w->F->pool;
    actio_expr sum = { 0 };
    for (uint32_t patch = 0; patch < w->patches; patch++) {
        const struct actio_patch *p = &w->patch[patch];
        actio_expr here = actio_sub(pool, along_locals(w, p, p->L, NULL, v[patch]), p->value);
        sum = actio_add(pool, sum, total(w, patch, weighed(w, p, here)));
    }
    return sum;
}

static actio_expr reaction_work(struct actio_fields *w, const actio_expr *const *dq)
{
    actio_expr sum = { 0 };
    for (size_t k = 0; k < w->F->model->constraints; k++) sum = actio_add(&w->F->pool, sum, work_of(w, k, dq));
    return sum;
}

/* The derivative by the time that is written in a formula, also in the integrals that it is a function of. */
static actio_expr by_time(struct actio_fields *w, actio_expr e)
{
    struct actio_pool *pool = &w->F->pool;
    actio_expr time = actio_symbol(pool, ACTIO_SPACE_T, 0), sum = actio_diff(pool, e, time);
    for (uint32_t k = 0, sums = w->sums; actio_uses(pool, e, ACTIO_SPACE_SUM) && k < sums; k++) {
        actio_expr slope = actio_diff(pool, e, actio_symbol(pool, ACTIO_SPACE_SUM, k));
        uint32_t patch = (uint32_t)(actio_patch_of(w, w->sum[k].axis, w->sum[k].half) - w->patch);
        if (!actio_is_zero(slope))
            sum =
                actio_add(pool, sum, actio_field_times(w, slope, total(w, patch, actio_diff(pool, w->sum[k].e, time))));
    }
    return sum;
}

/* dE/dt = (Q + R).v - L_t */
static actio_expr energy_balance(struct actio_fields *w, const actio_expr *const *v)
{
    struct actio_pool *pool = &w->F->pool;
    actio_expr sum = actio_add(pool, force_work(w, UINT32_MAX, v), reaction_work(w, v));
    for (uint32_t patch = 0; patch < w->patches; patch++) {
        const struct actio_patch *p = &w->patch[patch];
        sum = actio_sub(pool, sum, total(w, patch, weighed(w, p, by_time(w, p->value))));
    }
    return sum;
}

static void define_forces(struct naming *d)
{
    struct actio_fields *w = d->w;
    const struct actio_model *m = w->F->model;
    const actio_expr *const *v = all_velocities(w);
    define(d, ACTIO_ROLE_POWER, "", "power.force", 0, force_work(w, UINT32_MAX, v),
           "power of all forces and dissipation");
    for (uint32_t k = 0; k < m->forces; k++)
        if (m->force[k].label)
            define(d, ACTIO_ROLE_POWER, "power.", m->force[k].label, 0, force_work(w, k, v), "power of the force");
    if (m->has_lagrangian) define(d, ACTIO_ROLE_ENERGY, "", "energy", 0, energy(w, v), "q'.dL/dq' - L");
}

/* ---- symmetries */

/* Is a local, or one point's number, a node of this variable? A line has nodes beyond its ends. */
static bool is_node_of(const struct actio_fields *w, actio_slot slot, size_t variable)
{
    const struct actio_model *m = w->F->model;
    uint16_t axis = m->coord[variable].axis;
    if (slot.axis) return slot.index == variable;
    long node = (long)slot.index - (long)w->base[variable],
         last = axis ? (long)m->field.axis[axis - 1].nodes - 1 + (long)w->right[variable] : 0;
    return node >= -(long)w->left[variable] && node <= last;
}

/* A term's formula at a node of its variable. */
static actio_expr moved_at(struct actio_fields *w, const struct actio_term *term, actio_slot slot)
{
    uint16_t axis = w->F->model->coord[term->variable].axis;
    if (slot.axis) return actio_place_local(w, term->e, axis, 2 * slot.offset);
    if (!axis) return actio_place_point(w, term->e);
    return actio_place_pin(w, actio_place_local(w, term->e, axis, 0), actio_patch_of(w, axis, 0),
                           (long)slot.index - (long)w->base[term->variable]);
}

/* What the transformation does to each local of each patch: its formula at the local's own node. */
static const actio_expr *const *moved_by(struct actio_fields *w, const struct actio_symmetry *s)
{
    const actio_expr **dq = actio_form_array(w->F, w->patches, sizeof *dq);
    for (size_t i = 0; i < w->patches; i++) {
        const struct actio_patch *p = &w->patch[i];
        actio_expr *here = actio_form_array(w->F, p->xs, sizeof *here);
        for (size_t x = 0; x < p->xs; x++) {
            actio_slot slot = actio_slot_of(&w->F->pool, p->x[x].q);
            for (size_t t = 0; t < s->terms; t++)
                if (is_node_of(w, slot, s->term[t].variable)) here[x] = moved_at(w, &s->term[t], slot);
        }
        dq[i] = here;
    }
    return dq;
}

/* The rate of e with those of its integrals; these stand within each other a few times at most. */
static actio_expr field_columns_rate_of(struct actio_fields *w, actio_expr e)
{
    struct actio_pool *pool = &w->F->pool;
    actio_expr sum = actio_rate(pool, e);
    for (uint32_t k = 0, sums = w->sums; actio_uses(pool, e, ACTIO_SPACE_SUM) && k < sums; k++) {
        actio_expr slope = actio_diff(pool, e, actio_symbol(pool, ACTIO_SPACE_SUM, k));
        if (actio_is_zero(slope)) continue;
        uint32_t patch = (uint32_t)(actio_patch_of(w, w->sum[k].axis, w->sum[k].half) - w->patch);
        sum = actio_add(pool, sum, actio_field_times(w, slope, total(w, patch, field_columns_rate_of(w, w->sum[k].e))));
    }
    return sum;
}

static const actio_expr *const *rates_of(struct actio_fields *w, const actio_expr *const *dq)
{
    const actio_expr **rate = actio_form_array(w->F, w->patches, sizeof *rate);
    for (size_t i = 0; i < w->patches; i++) {
        actio_expr *here = actio_form_array(w->F, w->patch[i].xs, sizeof *here);
        for (size_t x = 0; x < w->patch[i].xs; x++) here[x] = field_columns_rate_of(w, dq[i][x]);
        rate[i] = here;
    }
    return rate;
}

/* charge = L_v.dq; its rate by the equations of motion = (L_q + Q + R).dq + L_v.(dq)' */
static void define_symmetry(struct naming *d, const struct actio_symmetry *s)
{
    struct actio_fields *w = d->w;
    struct actio_pool *pool = &w->F->pool;
    actio_expr charge = { 0 }, balance = { 0 };
    if (s->is_time) {
        const actio_expr *const *v = all_velocities(w);
        charge = energy(w, v);
        balance = energy_balance(w, v);
    } else {
        const actio_expr *const *dq = moved_by(w, s), *const *rate = rates_of(w, dq);
        for (uint32_t patch = 0; patch < w->patches; patch++) {
            const struct actio_patch *p = &w->patch[patch];
            charge = actio_add(pool, charge, total(w, patch, weighed(w, p, along_locals(w, p, p->L, NULL, dq[patch]))));
            balance = actio_add(pool, balance,
                                total(w, patch, weighed(w, p, along_locals(w, p, p->L, dq[patch], rate[patch]))));
        }
        balance = actio_add(pool, balance, actio_add(pool, force_work(w, UINT32_MAX, dq), reaction_work(w, dq)));
    }
    define(d, ACTIO_ROLE_CHARGE, "charge.", s->label, 0, charge, "charge of the symmetry");
    define(d, ACTIO_ROLE_BALANCE, "balance.", s->label, 0, balance, "rate of the charge");
}

/* ---- frames, what is observed */

static void define_written(struct naming *d, enum actio_role role, const char *name, actio_expr e, uint16_t axis,
                           const char *meaning)
{
    struct actio_fields *w = d->w;
    uint32_t patch = axis ? 2u * axis - 1 + actio_place_half(w, e) : 0;
    define(d, role, "", name, patch, actio_place_local(w, e, axis, w->patch[patch].half), meaning);
}

static const struct named *field_columns_find(const struct naming *d, const char *name)
{
    for (uint32_t i = 0; i < d->count; i++)
        if (strcmp(d->at[i].name, name) == 0) return &d->at[i];
    return NULL;
}

/* Columns named inside observed formulas are substituted until all are replaced (the reader has refused cycles). */
static void resolve(struct naming *d)
{
    struct actio_formation *F = d->w->F;
    const struct actio_model *m = F->model;
    size_t count = m->output.column_names;
    actio_expr *from = actio_form_array(F, count, sizeof *from), *to = actio_form_array(F, count, sizeof *to);
    for (size_t round = 0; count && round <= m->output.observes; round++) {
        bool left = false;
        for (size_t k = 0; k < count; k++) {
            const struct named *c = field_columns_find(d, m->output.column_name[k]);
            from[k] = actio_symbol(&F->pool, ACTIO_SPACE_COLUMN, (uint32_t)k);
            to[k] = c && c->patch == 0 ? c->e : from[k];
        }
        for (uint32_t i = 0; i < d->count; i++) {
            if (d->at[i].role != ACTIO_ROLE_OBSERVE) continue;
            d->at[i].e = actio_substitute(&F->pool, d->at[i].e, from, to, count);
            left = left || actio_uses(&F->pool, d->at[i].e, ACTIO_SPACE_COLUMN);
        }
        if (!left) break;
    }
    for (uint32_t i = 0; i < d->count; i++) {
        if (!actio_uses(&F->pool, d->at[i].e, ACTIO_SPACE_COLUMN)) continue;
        actio_report(F->sys.ctx->findings, ACTIO_F_FIELD_COLUMN, ACTIO_ARGS(ACTIO_TEXT(d->at[i].name)));
        actio_escape(F->sys.ctx);
    }
}

void actio_field_columns(struct actio_fields *w)
{
    struct actio_formation *F = w->F;
    struct actio_model *m = F->model;
    struct naming d = { .w = w };
    define_variables(&d);
    for (size_t i = 0; i < m->named.frames; i++)
        define_written(&d, ACTIO_ROLE_FRAME, m->named.frame[i].name, m->named.frame[i].e, m->named.frame[i].axis,
                       "quasi-velocity");
    define_constraints(&d);
    define_forces(&d);
    for (size_t i = 0; i < m->symmetries; i++) define_symmetry(&d, &m->symmetry[i]);
    for (size_t i = 0; i < m->output.observes; i++)
        define_written(&d, ACTIO_ROLE_OBSERVE, m->output.observe[i].name, m->output.observe[i].e,
                       m->output.observe[i].axis, "observed");
    resolve(&d);
    const char *const *names;
    size_t count = actio_model_columns(m, &names), made = 0, next = 0;
    struct actio_system_column *column = actio_form_array(F, count, sizeof *column);
    w->column = actio_form_array(F, count, sizeof *w->column);
    for (size_t i = 0; i < count; i++) {
        const struct named *c = field_columns_find(&d, names[i]);
        if (!c) continue;
        const struct actio_patch *p = &w->patch[c->patch];
        column[made] =
            (struct actio_system_column){ c->name, c->unit, c->meaning, c->role, next, p->lanes, p->axis, p->half };
        w->column[made++] = (struct actio_field_column){ c->patch, c->e };
        next += p->lanes;
    }
    F->sys.output.column = column;
    F->sys.output.named = made;
    F->sys.output.columns = next;
}

/* A formula that reaches beyond an end without values there has none at that end: it is continued. */
static void emit_column(struct actio_emits *l, uint32_t patch, actio_expr e, size_t at)
{
    struct actio_fields *w = l->w;
    const struct actio_patch *p = &w->patch[patch];
    long low, high, last = (long)p->lanes - 1;
    actio_emit(l, patch, e, at, true);
    if (actio_is_zero(e)) return;
    struct actio_emit *x = &l->at[l->count - 1];
    actio_place_reach(w, e, p, &low, &high);
    x = &l->at[l->count - 1];
    x->first = low > 0 ? low : 0;
    x->last = high < last ? high : last;
    x->to = (struct actio_stream){ ACTIO_STREAM_PUT, at + (size_t)x->first, 0, 0 };
    x->to.fill = (size_t)x->first > (size_t)(last - x->last) ? (size_t)x->first : (size_t)(last - x->last);
    if (x->last < x->first) l->count--; /* too few nodes for it anywhere: it stays 0 */
}

void actio_field_outputs(struct actio_emits *l, bool sizes)
{
    struct actio_fields *w = l->w;
    const struct actio_system *sys = &w->F->sys;
    for (size_t c = 0; c < sys->output.named; c++) {
        if (sizes && !actio_role_is_sum(sys->output.column[c].role)) continue;
        actio_expr e = sizes ? actio_size_inside(w->F, w->column[c].e) : w->column[c].e;
        emit_column(l, w->column[c].patch, e, sys->output.column[c].first);
    }
    l->values = sys->output.columns;
}

/* SPDX-License-Identifier: Apache-2.0
 * What a row of output means: every column as a formula of t, q, v, s, their rates, multipliers and reactions. */
#include "base/roles.h"
#include "equations/formation.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    const char *name, *unit, *meaning;
    actio_expr e;
    enum actio_role role;
};
struct dictionary {
    struct actio_formation *F;
    struct entry *at;
    size_t count, cap;
};

static void define(struct dictionary *d, enum actio_role role, const char *prefix, const char *name, actio_expr e,
                   const char *meaning)
{
    const char *full = *prefix ? actio_arena_format(&d->F->arena, "%s%s", prefix, name) : name;
    ACTIO_PUSH(&d->F->arena, d->at, d->count, d->cap) = (struct entry){ full, "", meaning, e, role };
}

static actio_expr dot(struct actio_formation *F, const actio_expr *a, const actio_expr *b, size_t n)
{
    actio_expr sum = { 0 };
    for (size_t i = 0; i < n; i++)
        if (!actio_is_zero(a[i]) && !actio_is_zero(b[i]))
            sum = actio_add(&F->pool, sum, actio_mul(&F->pool, a[i], b[i]));
    return sum;
}

static void define_variables(struct dictionary *d)
{
    struct actio_formation *F = d->F;
    struct actio_model *m = F->model;
    define(d, ACTIO_ROLE_TIME, "", "t", F->sym.time, "time");
    for (size_t i = 0; i < F->n; i++) {
        define(d, ACTIO_ROLE_COORD, "", m->coord[i].name, F->sym.q[i], "coordinate");
        if (m->coord[i].unit) d->at[d->count - 1].unit = m->coord[i].unit;
        define(d, ACTIO_ROLE_RATE, "", m->coord[i].dot_name, F->sym.v[i], "velocity");
    }
    for (size_t i = 0; i < m->states; i++) {
        define(d, ACTIO_ROLE_STATE, "", m->state[i].name, F->sym.s[i], "state");
        if (m->state[i].unit) d->at[d->count - 1].unit = m->state[i].unit;
        define(d, ACTIO_ROLE_RATE, "", m->state[i].dot_name, F->sym.sdot[i], "rate of a state");
    }
    for (uint32_t i = 0; i < m->resets.helds; i++) {
        define(d, ACTIO_ROLE_HELD, "", m->resets.held[i].name, actio_symbol(&F->pool, ACTIO_SPACE_HELD, i),
               "held value");
        if (m->resets.held[i].unit) d->at[d->count - 1].unit = m->resets.held[i].unit;
    }
    for (size_t i = 0; F->listed && i < F->n + m->states; i++)
        define(d, ACTIO_ROLE_REACTION, "reaction.", F->sys.variable[i], F->sym.reaction[i],
               "generalised force of all constraints");
}

/* power of a reaction = lambda * D v, velocities only                              */
static void define_constraints(struct dictionary *d)
{
    struct actio_formation *F = d->F;
    actio_expr *power = actio_form_array(F, F->listed, sizeof *power);
    for (size_t i = 0; !F->power && i < F->D.count; i++) {
        const struct actio_entry *e = &F->D.at[i];
        if (e->col < F->n)
            power[e->row] = actio_add(&F->pool, power[e->row], actio_mul(&F->pool, e->e, F->sym.v[e->col]));
    }
    for (size_t k = 0; k < F->listed; k++) {
        actio_expr total = F->power                  ? F->power[k]
                           : actio_is_zero(power[k]) ? power[k]
                                                     : actio_mul(&F->pool, F->sym.lambda[k], power[k]);
        define(d, ACTIO_ROLE_LAMBDA, "lambda.", F->sys.constraint[k], F->sym.lambda[k], "multiplier");
        define(d, ACTIO_ROLE_POWER, "power.", F->sys.constraint[k], total, "power of the reaction");
        define(d, ACTIO_ROLE_RESIDUAL, "residual.", F->sys.constraint[k], F->g[k], "A - B of the constraint");
    }
}

static actio_expr energy(struct actio_formation *F)
{
    return F->model->has_lagrangian ? actio_sub(&F->pool, dot(F, F->sym.v, F->Lv, F->n), F->L) : (actio_expr){ 0 };
}

static void define_forces(struct dictionary *d)
{
    struct actio_formation *F = d->F;
    define(d, ACTIO_ROLE_POWER, "", "power.force", dot(F, F->total_force, F->sym.v, F->n),
           "power of all forces and dissipation");
    for (size_t k = 0; k < F->model->forces; k++) {
        const char *label = F->model->force[k].label;
        if (label)
            define(d, ACTIO_ROLE_POWER, "power.", label, dot(F, F->force + k * F->n, F->sym.v, F->n),
                   "power of the force");
    }
    if (F->model->has_lagrangian) define(d, ACTIO_ROLE_ENERGY, "", "energy", energy(F), "q'.dL/dq' - L");
}

/* dE/dt = (Q + R).v - L_t */
static actio_expr energy_balance(struct actio_formation *F)
{
    struct actio_pool *pool = &F->pool;
    actio_expr sum = dot(F, F->total_force, F->sym.v, F->n);
    if (F->listed) sum = actio_add(pool, sum, dot(F, F->sym.reaction, F->sym.v, F->n));
    /* a state in L moves it too: -L_s.s' */
    for (size_t i = 0; i < F->model->states; i++) {
        actio_expr Ls = actio_diff(pool, F->L, F->sym.s[i]);
        if (!actio_is_zero(Ls)) sum = actio_sub(pool, sum, actio_mul(pool, Ls, F->sym.sdot[i]));
    }
    return actio_sub(pool, sum, actio_diff(pool, F->L, F->sym.time));
}

/* charge = L_v.dq; its rate by the equations of motion = (L_q + Q + R).dq + L_v.(dq)' */
static void define_symmetry(struct dictionary *d, const struct actio_symmetry *s)
{
    struct actio_formation *F = d->F;
    struct actio_pool *pool = &F->pool;
    actio_expr charge = { 0 }, balance = { 0 };
    for (size_t t = 0; t < s->terms; t++) {
        size_t i = s->term[t].variable;
        actio_expr dq, push = actio_add(pool, F->Lq[i], F->total_force[i]);
        actio_copy_all(pool, &F->model->pool, &s->term[t].e, 1, &dq);
        if (F->listed) push = actio_add(pool, push, F->sym.reaction[i]);
        charge = actio_add(pool, charge, actio_mul(pool, F->Lv[i], dq));
        actio_expr rate = actio_rate(pool, dq), moved = actio_is_zero(rate) ? rate : actio_mul(pool, F->Lv[i], rate);
        balance = actio_add(pool, balance, actio_add(pool, actio_mul(pool, push, dq), moved));
    }
    if (s->is_time) {
        charge = energy(F);
        balance = energy_balance(F);
    }
    define(d, ACTIO_ROLE_CHARGE, "charge.", s->label, charge, "charge of the symmetry");
    define(d, ACTIO_ROLE_BALANCE, "balance.", s->label, balance, "rate of the charge");
}

static actio_expr reported(struct actio_formation *F, size_t slot)
{
    return actio_symbol(&F->pool, ACTIO_SPACE_LAMBDA, (uint32_t)slot);
}

/* Friction along one slip is signed, along two it is its size. */
static actio_expr friction_of(struct actio_formation *F, size_t r)
{
    struct actio_pool *pool = &F->pool;
    if (r < F->walls.soft_rubs) return actio_soft_friction(F, r);
    actio_expr a = reported(F, actio_friction_slot(&F->sys, F->walls.rub[r].slip));
    if (F->walls.rub[r].slips == 1) return a;
    actio_expr b = reported(F, actio_friction_slot(&F->sys, F->walls.rub[r].slip + 1));
    return actio_op1(pool, ACTIO_SQRT, actio_add(pool, actio_power(pool, a, 2), actio_power(pool, b, 2)));
}

static void define_contacts(struct dictionary *d)
{
    struct actio_formation *F = d->F;
    for (size_t i = 0; i < F->model->contacts; i++) {
        define(d, ACTIO_ROLE_GAP, "gap.", F->sys.walls.contact[i], F->walls.gap[i].e, "distance to contact");
        define(d, ACTIO_ROLE_FORCE, "force.", F->sys.walls.contact[i],
               F->sys.walls.soft ? actio_soft_force(F, i) : reported(F, actio_force_slot(&F->sys, i)),
               "normal force of the contact");
    }
    for (size_t r = 0; r < F->walls.soft_rubs + F->sys.walls.rubs; r++) {
        const struct actio_rub *rub = &F->walls.rub[r];
        const char *label =
            rub->contact != UINT32_MAX ? F->sys.walls.contact[rub->contact] : F->sys.constraint[rub->constraint];
        define(d, ACTIO_ROLE_FRICTION, "friction.", label, friction_of(F, r), "friction force");
    }
}

static void define_frames(struct dictionary *d)
{
    for (size_t i = 0; i < d->F->model->named.frames; i++) {
        actio_expr e;
        actio_copy_all(&d->F->pool, &d->F->model->pool, &d->F->model->named.frame[i].e, 1, &e);
        define(d, ACTIO_ROLE_FRAME, "", d->F->model->named.frame[i].name, e, "quasi-velocity");
    }
}

/* Multipliers in what is observed are those of this system. */
static void define_observed(struct dictionary *d)
{
    struct actio_formation *F = d->F;
    actio_expr *symbol = actio_form_array(F, F->listed, sizeof *symbol);
    for (size_t k = 0; k < F->listed; k++) symbol[k] = actio_symbol(&F->pool, ACTIO_SPACE_LAMBDA, (uint32_t)k);
    for (size_t i = 0; i < F->model->output.observes; i++) {
        actio_expr e;
        actio_copy_column(F, &F->model->output.observe[i].e, 1, &e);
        if (F->listed) e = actio_substitute(&F->pool, e, symbol, F->sym.lambda, F->listed);
        define(d, ACTIO_ROLE_OBSERVE, "", d->F->model->output.observe[i].name, e, "observed");
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static struct entry *columns_find(struct dictionary *d, const char *name)
{
    struct entry key = { .name = name };
    return bsearch(&key, d->at, d->count, sizeof *d->at, by_name);
}

/* Columns named inside observed formulas are substituted until all are replaced (the reader has refused cycles). */
static void resolve(struct dictionary *d)
{
    struct actio_formation *F = d->F;
    size_t count = F->model->output.column_names;
    actio_expr *from = actio_form_array(F, count, sizeof *from), *to = actio_form_array(F, count, sizeof *to);
    for (size_t round = 0; count && round <= F->model->output.observes; round++) {
        for (size_t k = 0; k < count; k++) {
            struct entry *e = columns_find(d, F->model->output.column_name[k]);
            from[k] = actio_symbol(&F->pool, ACTIO_SPACE_COLUMN, (uint32_t)k);
            to[k] = e ? e->e : from[k];
        }
        bool left = false;
        for (size_t i = 0; i < d->count; i++) {
            if (d->at[i].role != ACTIO_ROLE_OBSERVE) continue;
            d->at[i].e = actio_substitute(&F->pool, d->at[i].e, from, to, count);
            left = left || actio_uses(&F->pool, d->at[i].e, ACTIO_SPACE_COLUMN);
        }
        if (!left) break;
    }
}

void actio_form_columns(struct actio_formation *F)
{
    struct dictionary d = { .F = F };
    define_variables(&d);
    define_frames(&d);
    define_constraints(&d);
    define_forces(&d);
    define_contacts(&d);
    for (size_t i = 0; i < F->model->symmetries; i++) define_symmetry(&d, &F->model->symmetry[i]);
    define_observed(&d);
    qsort(d.at, d.count, sizeof *d.at, by_name);
    resolve(&d);
    const char *const *names;
    size_t count = actio_model_columns(F->model, &names), made = 0;
    struct actio_system_column *column = actio_form_array(F, count, sizeof *column);
    F->column = actio_form_array(F, count, sizeof *F->column);
    for (size_t i = 0; i < count; i++) {
        struct entry *e = columns_find(&d, names[i]);
        if (!e) continue;
        column[made] = (struct actio_system_column){
            .name = e->name, .unit = e->unit, .meaning = e->meaning, .role = e->role, .first = made, .width = 1
        };
        F->column[made++] = e->e;
    }
    F->sys.output.column = column;
    F->sys.output.columns = F->sys.output.named = made;
}

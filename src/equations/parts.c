/* SPDX-License-Identifier: Apache-2.0
 * What a model is made of, for every principle: symbols, forces, the Lagrangian and its gradient, flows, constraints
 * and the directions of their reactions.
 * No equation of motion is formed here. */
#include "equations/formation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void make_symbols(struct actio_formation *F)
{
    struct actio_pool *pool = &F->pool;
    F->sym.z = actio_form_array(F, F->N, sizeof *F->sym.z);
    F->sym.zdot = actio_form_array(F, F->N, sizeof *F->sym.zdot);
    F->sym.q = actio_form_array(F, F->n, sizeof *F->sym.q);
    F->sym.lambda = actio_form_array(F, F->p, sizeof *F->sym.lambda);
    F->sym.reaction = actio_form_array(F, F->N, sizeof *F->sym.reaction);
    F->sym.v = F->sym.z;
    F->sym.s = F->sym.z + F->n;
    F->sym.acc = F->sym.zdot;
    F->sym.sdot = F->sym.zdot + F->n;
    F->sym.time = actio_symbol(pool, ACTIO_SPACE_T, 0);
    for (uint32_t i = 0; i < F->n; i++) {
        F->sym.q[i] = actio_symbol(pool, ACTIO_SPACE_Q, i);
        F->sym.v[i] = actio_symbol(pool, ACTIO_SPACE_V, i);
        F->sym.acc[i] = actio_symbol(pool, ACTIO_SPACE_ACC, i);
    }
    for (uint32_t i = 0; i < F->m; i++) {
        F->sym.s[i] = actio_symbol(pool, ACTIO_SPACE_STATE, i);
        F->sym.sdot[i] = actio_symbol(pool, ACTIO_SPACE_SDOT, i);
    }
    for (uint32_t i = 0; i < F->N; i++) F->sym.reaction[i] = actio_symbol(pool, ACTIO_SPACE_REACTION, i);
    for (uint32_t i = 0; i < F->p; i++) F->sym.lambda[i] = actio_symbol(pool, ACTIO_SPACE_LAMBDA, i);
}

/* Directional derivative along the motion with velocities and states frozen: q' = v, t' = 1. */
void actio_drift_rates(struct actio_formation *F, const actio_expr *f, size_t count, actio_expr *out)
{
    struct actio_seed *seed = actio_form_array(F, F->n + 1, sizeof *seed);
    for (size_t i = 0; i < F->n; i++) seed[i] = (struct actio_seed){ F->sym.q[i], F->sym.v[i] };
    seed[F->n] = (struct actio_seed){ F->sym.time, actio_const(&F->pool, 1) };
    if (count) actio_along(&F->pool, f, count, seed, F->n + 1, out);
}

static void parts_append(struct actio_formation *F, struct actio_entries *to, uint32_t row, uint32_t col, actio_expr e)
{
    if (!actio_is_zero(e)) ACTIO_PUSH(&F->arena, to->at, to->count, to->cap) = (struct actio_entry){ row, col, e };
}

/* Forces: of each statement for the power columns, and the total with the dissipation's -dR/dv. */
static void form_forces(struct actio_formation *F)
{
    struct actio_model *m = F->model;
    struct actio_pool *pool = &F->pool;
    F->force = actio_form_array(F, m->forces * F->n, sizeof *F->force);
    F->total_force = actio_form_array(F, F->n, sizeof *F->total_force);
    for (size_t k = 0; k < m->forces; k++)
        for (size_t t = 0; t < m->force[k].terms; t++) {
            const struct actio_term *term = &m->force[k].term[t];
            actio_expr e, *one = &F->force[k * F->n + term->variable], *all = &F->total_force[term->variable];
            actio_copy_switched(F, &term->e, 1, &e);
            *one = actio_add(pool, *one, e);
            *all = actio_add(pool, *all, e);
        }
    actio_expr R, *Rv = actio_form_array(F, F->n, sizeof *Rv);
    actio_copy_switched(F, &m->dissipation, 1, &R);
    actio_gradient(pool, R, F->sym.v, F->n, Rv);
    for (size_t i = 0; i < F->n; i++) F->total_force[i] = actio_sub(pool, F->total_force[i], Rv[i]);
}

/* L with the walls of soft contacts, L_q and L_v. */
static void form_lagrangian(struct actio_formation *F)
{
    size_t n = F->n;
    actio_expr *wrt = actio_form_array(F, 2 * n, sizeof *wrt), *grad = actio_form_array(F, 2 * n, sizeof *grad);
    memcpy(wrt, F->sym.q, n * sizeof *wrt);
    memcpy(wrt + n, F->sym.v, n * sizeof *wrt);
    actio_copy_switched(F, &F->model->lagrangian, 1, &F->L);
    if (F->model->soft.sigma > 0) F->L = actio_sub(&F->pool, F->L, F->walls.potential);
    actio_gradient(&F->pool, F->L, wrt, 2 * n, grad);
    F->Lq = grad;
    F->Lv = grad + n;
}

/* Residuals of position and velocity level; `level` by constraint: phi, or 0 for those on accelerations. */
static void form_levels(struct actio_formation *F)
{
    uint32_t *position = actio_form_array(F, F->p, sizeof *position),
             *velocity = actio_form_array(F, F->p, sizeof *velocity);
    actio_expr *rate = actio_form_array(F, F->p, sizeof *rate);
    actio_drift_rates(F, F->g, F->p, rate);
    for (size_t k = 0; k < F->p; k++) {
        enum actio_constraint_kind kind = F->model->constraint[k].kind;
        if (kind == ACTIO_ACCELERATION) continue;
        if (kind == ACTIO_HOLONOMIC) {
            position[F->sys.holonomic] = (uint32_t)k;
            F->f[F->sys.holonomic++] = F->g[k];
        }
        F->level[k] = kind == ACTIO_HOLONOMIC ? rate[k] : F->g[k]; /* phi = f_q v + f_t: its rows in v are f_q */
        velocity[F->sys.levels] = (uint32_t)k;
        F->phi[F->sys.levels++] = F->level[k];
    }
    F->sys.position_row = position;
    F->sys.velocity_row = velocity;
}

static int by_row(const void *a, const void *b)
{
    const struct actio_entry *x = a, *y = b;
    return x->row != y->row ? (x->row > y->row) - (x->row < y->row) : (x->col > y->col) - (x->col < y->col);
}

/* A = phi_z; acceleration constraints bring their rows along  [LM 16] */
static void form_rows(struct actio_formation *F)
{
    struct actio_pool *pool = &F->pool;
    actio_expr *given = actio_form_array(F, F->p, sizeof *given);
    struct actio_entries acceleration = { 0 };
    for (size_t k = 0; k < F->p; k++)
        if (F->model->constraint[k].kind == ACTIO_ACCELERATION) given[k] = F->g[k];
    actio_jacobian(pool, F->level, F->p, F->sym.z, F->N, &F->A);
    actio_jacobian(pool, given, F->p, F->sym.zdot, F->N, &acceleration);
    for (size_t i = 0; i < acceleration.count; i++)
        parts_append(F, &F->A, acceleration.at[i].row, acceleration.at[i].col, acceleration.at[i].e);
    if (acceleration.count) qsort(F->A.at, F->A.count, sizeof *F->A.at, by_row);
}

static size_t variable_of(const struct actio_formation *F, const struct actio_term *t)
{
    return t->variable + (t->is_state ? F->n : 0);
}

static bool acts_on(const struct actio_formation *F, const struct actio_constraint *con, size_t variable)
{
    for (size_t i = 0; i < con->reactions; i++)
        if (variable_of(F, &con->reaction[i]) == variable) return true;
    return false;
}

/* The direction of the reaction: ideal, on selected variables, or given  [VKS 9] */
static void form_reactions(struct actio_formation *F)
{
    for (size_t i = 0; i < F->A.count; i++) {
        const struct actio_constraint *con = &F->model->constraint[F->A.at[i].row];
        if (con->rule == ACTIO_IDEAL || (con->rule == ACTIO_ACTING && acts_on(F, con, F->A.at[i].col)))
            parts_append(F, &F->D, F->A.at[i].row, F->A.at[i].col, F->A.at[i].e);
    }
    bool given = false;
    for (size_t k = 0; k < F->p; k++) {
        const struct actio_constraint *con = &F->model->constraint[k];
        for (size_t i = 0; con->rule == ACTIO_ALONG && i < con->reactions; i++) {
            actio_expr e;
            actio_copy_switched(F, &con->reaction[i].e, 1, &e);
            parts_append(F, &F->D, (uint32_t)k, (uint32_t)variable_of(F, &con->reaction[i]), e);
            given = true;
        }
    }
    if (given) qsort(F->D.at, F->D.count, sizeof *F->D.at, by_row);
}

static void form_constraints(struct actio_formation *F)
{
    actio_expr *g = actio_form_array(F, F->p, sizeof *g);
    if (F->p == 0) return;
    for (size_t k = 0; k < F->p; k++) g[k] = F->model->constraint[k].g;
    actio_copy_switched(F, g, F->p, F->g);
    form_levels(F);
    form_rows(F);
    form_reactions(F);
    if (F->sys.holonomic) actio_jacobian(&F->pool, F->f, F->sys.holonomic, F->sym.q, F->n, &F->F);
}

static const char *mode_text(struct actio_formation *F, size_t k)
{
    const char *text = actio_system_text(&F->sys, F->modes.guard[k].id);
    return F->modes.whole[k] ? actio_arena_format(&F->arena, "floor(%s)", text) : text;
}

static void form_names(struct actio_formation *F)
{
    struct actio_model *m = F->model;
    const char **variable = actio_form_array(F, F->N, sizeof *variable),
               **label = actio_form_array(F, F->p, sizeof *label);
    uint32_t *line = actio_form_array(F, F->p, sizeof *line);
    for (size_t i = 0; i < F->n; i++) variable[i] = m->coord[i].name;
    for (size_t i = 0; i < F->m; i++) variable[F->n + i] = m->state[i].name;
    for (size_t k = 0; k < F->p; k++) {
        label[k] = m->constraint[k].label;
        line[k] = m->constraint[k].span.line;
    }
    F->sys.variable = variable;
    F->sys.constraint = label;
    F->sys.constraint_line = line;
    const char **text = actio_form_array(F, F->sys.switches.count, sizeof *text);
    F->sys.switches.text = text; /* a guard may have switches before it in it */
    for (size_t k = 0; k < F->sys.switches.count; k++) text[k] = mode_text(F, k);
    actio_form_switch_lines(F);
}

struct actio_formation *actio_form_parts(struct actio_context *ctx, struct actio_model *model)
{
    struct actio_formation *F = actio_formation_open(ctx, model);
    F->n = model->coords;
    F->m = model->states;
    F->N = F->n + F->m;
    F->p = F->listed = model->constraints;
    make_symbols(F);
    F->g = actio_form_array(F, F->p, sizeof *F->g);
    F->f = actio_form_array(F, F->p, sizeof *F->f);
    F->phi = actio_form_array(F, F->p, sizeof *F->phi);
    F->level = actio_form_array(F, F->p, sizeof *F->level);
    form_forces(F);
    if (model->soft.sigma > 0) actio_soften(F);
    form_lagrangian(F);
    actio_form_flows(F);
    form_constraints(F);
    actio_check_flows(F);
    actio_form_contacts(F);
    actio_form_instants(F);
    F->sys.n = F->n;
    F->sys.m = F->m;
    F->sys.p = F->p;
    F->sys.params = model->params;
    F->sys.externals = model->outside.count;
    form_names(F);
    return F;
}

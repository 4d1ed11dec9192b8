/* SPDX-License-Identifier: Apache-2.0
 * A system's life: opened with a pool of its own, quantities compiled when requested, freed as one. */
#include "base/roles.h"
#include "equations/field.h"

#include <string.h>

struct actio_formation *actio_formation_open(struct actio_context *ctx, struct actio_model *model)
{
    struct actio_arena arena;
    actio_arena_open(&arena, ctx);
    struct actio_formation *F = actio_arena_alloc(&arena, sizeof *F);
    F->arena = arena;
    F->model = model;
    F->sys.ctx = ctx;
    F->sys.formation = F;
    ctx->forming = F; /* an escape leaves it to actio_system_form to free */
    actio_pool_open(&F->pool, &F->arena);
    return F;
}

void actio_system_free(struct actio_system *sys)
{
    if (!sys) return;
    struct actio_formation *F = sys->formation;
    for (int k = 0; k < ACTIO_Q_COUNT; k++)
        if (F->kernel[k]) actio_kernel_free(F->kernel[k]);
    for (uint32_t k = 0; F->field && k < F->field->kernels; k++) actio_kernel_free(F->field->kernel[k]);
    struct actio_arena arena = F->arena;
    actio_arena_close(&arena);
}

/* A branch is named by what switches it. Switches inside of switches would make names that double with each: long ones
 * are left out. */
static void name_symbol(void *system, actio_slot slot, struct actio_text *out)
{
    enum { LONG = 80 };
    const struct actio_system *sys = system;
    const struct actio_formation *F = sys->formation;
    bool named = slot.space == ACTIO_SPACE_MODE && slot.index < sys->switches.count && sys->switches.text
                 && sys->switches.text[slot.index];
    if (!named) {
        actio_model_symbol_name(F->model, slot, out);
        return;
    }
    const char *text = sys->switches.text[slot.index];
    bool whole = F->modes.whole[slot.index], whole_text = strlen(text) <= LONG;
    if (whole) actio_text_add(out, whole_text ? text : "floor(...)");
    else actio_text_format(out, "sign(%s)", whole_text ? text : "...");
}

const char *actio_system_text(struct actio_system *sys, uint32_t node)
{
    struct actio_formation *F = sys->formation;
    struct actio_text t;
    actio_text_open(&t, &F->arena);
    actio_print(&F->pool, (actio_expr){ node }, name_symbol, sys, &t);
    return t.s;
}

double actio_start_value(void *model, actio_slot slot)
{
    struct actio_model *m = model;
    switch (slot.space) {
    case ACTIO_SPACE_PARAM: return m->param[slot.index].value;
    case ACTIO_SPACE_STATE: return actio_model_number(m, m->state[slot.index].start);
    case ACTIO_SPACE_Q: return actio_model_number(m, m->coord[slot.index].start);
    case ACTIO_SPACE_V: return actio_model_number(m, m->coord[slot.index].start_dot);
    case ACTIO_SPACE_HELD: return actio_model_number(m, m->resets.held[slot.index].start);
    case ACTIO_SPACE_T: return m->time.t0;
    default: return 1;
    }
}

/* ---- lists of outputs */

struct list {
    struct actio_formation *F;
    actio_expr *e;
    size_t count, cap;
};

static void system_add(struct list *l, actio_expr e) { ACTIO_PUSH(&l->F->arena, l->e, l->count, l->cap) = e; }

static void add_all(struct list *l, const actio_expr *e, size_t n)
{
    for (size_t i = 0; i < n; i++) system_add(l, e[i]);
}

static void add_entries(struct list *l, const struct actio_entries *e)
{
    for (size_t i = 0; i < e->count; i++) system_add(l, e->at[i].e);
}

/* Sizes of the operands and of the result: a_size and b_size count what cancels inside, |a| and |b| do not. */
struct sized {
    actio_expr x, a, b, a_size, b_size;
    int32_t power;
};

static actio_expr size(struct actio_pool *pool, actio_expr e) { return actio_op1(pool, ACTIO_ABS, e); }

static actio_expr larger(struct actio_pool *pool, actio_expr a, actio_expr b)
{
    return actio_same(a, b) ? a : actio_op2(pool, ACTIO_MAX, a, b);
}

/* Of a product or quotient: whatever cancels in one factor counts times the others. */
static actio_expr size_of_product(struct actio_pool *pool, const struct sized *s, bool quotient)
{
    actio_expr a = size(pool, s->a), b = size(pool, s->b);
    if (!quotient) return larger(pool, actio_mul(pool, s->a_size, b), actio_mul(pool, a, s->b_size));
    return larger(pool, actio_div(pool, s->a_size, b),
                  actio_div(pool, actio_mul(pool, a, s->b_size), actio_mul(pool, b, b)));
}

/* a^k: what cancels in a, in proportion. */
static actio_expr size_of_power(struct actio_pool *pool, const struct sized *s)
{
    if (s->power > 1) return actio_mul(pool, actio_power(pool, size(pool, s->a), s->power - 1), s->a_size);
    return larger(pool, size(pool, s->x),
                  actio_div(pool, actio_mul(pool, size(pool, s->x), s->a_size), size(pool, s->a)));
}

/* Of functions whose slope is at most 1: what cancels in the argument. */
static actio_expr size_of_bounded(struct actio_pool *pool, const struct sized *s)
{
    actio_expr cancels = actio_sub(pool, s->a_size, size(pool, s->a));
    return actio_is_zero(cancels) ? size(pool, s->x) : larger(pool, size(pool, s->x), cancels);
}

static actio_expr size_of_node(struct actio_pool *pool, enum actio_op op, const struct sized *s)
{
    switch (op) {
    case ACTIO_ADD:
    case ACTIO_SUB: return actio_add(pool, s->a_size, s->b_size);
    case ACTIO_NEG:
    case ACTIO_ABS: return s->a_size;
    case ACTIO_MUL: return size_of_product(pool, s, false);
    case ACTIO_DIV: return size_of_product(pool, s, true);
    case ACTIO_POWI: return size_of_power(pool, s);
    case ACTIO_SQRT: return actio_op1(pool, ACTIO_SQRT, s->a_size);
    case ACTIO_SIN:
    case ACTIO_COS:
    case ACTIO_ATAN:
    case ACTIO_TANH: return size_of_bounded(pool, s);
    default: return size(pool, s->x);
    }
}

/* Size of the terms of a formula, brackets and products multiplied out: what a residual is compared with. */
actio_expr actio_size_of_terms(struct actio_formation *F, actio_expr e)
{
    struct actio_pool *pool = &F->pool;
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    uint32_t *id = actio_form_array(F, cone.count, sizeof *id);
    actio_expr *of = actio_form_array(F, cone.count, sizeof *of);
    memcpy(id, cone.id, cone.count * sizeof *id);
    for (uint32_t i = 0; i < cone.count; i++) { /* places hold while nodes are only made */
        struct actio_node n = pool->node[id[i]];
        int arity = actio_arity((enum actio_op)n.op);
        struct sized s = { .x = { id[i] }, .a = { n.a }, .b = { n.b } };
        if (arity > 0) s.a_size = of[pool->place[n.a]];
        if (arity > 1) s.b_size = of[pool->place[n.b]];
        s.power = n.op == ACTIO_POWI ? (int32_t)n.b : 0;
        of[i] = size_of_node(pool, (enum actio_op)n.op, &s);
    }
    return of[cone.count - 1];
}

static void list_rhs(struct list *l)
{
    add_all(l, l->F->solved.zdot, l->F->N);
    add_all(l, l->F->solved.pivot, l->F->sys.solved.pivots);
}

static void list_solve(struct list *l)
{
    struct actio_formation *F = l->F;
    add_all(l, F->solved.zdot, F->N);
    add_all(l, F->solved.lambda, F->p);
    actio_expr *r = actio_form_array(F, F->N, sizeof *r); /* R = D' lambda */
    for (size_t i = 0; i < F->D.count; i++) {
        const struct actio_entry *e = &F->D.at[i];
        r[e->col] = actio_add(&F->pool, r[e->col], actio_mul(&F->pool, e->e, F->solved.lambda[e->row]));
    }
    add_all(l, r, F->N);
}

static void list_matrix(struct list *l)
{
    add_entries(l, &l->F->G);
    add_entries(l, &l->F->A);
    add_entries(l, &l->F->D);
    add_all(l, l->F->h, l->F->N);
    add_all(l, l->F->c, l->F->sys.p);
}

size_t actio_list_matrix(struct actio_formation *F, actio_expr *out)
{
    struct list l = { .F = F };
    list_matrix(&l);
    if (l.count) memcpy(out, l.e, l.count * sizeof *out);
    return l.count;
}

static void list_project_q(struct list *l)
{
    add_all(l, l->F->f, l->F->sys.holonomic);
    add_all(l, l->F->solved.step_q, l->F->n);
}

static void list_project_v(struct list *l)
{
    add_all(l, l->F->phi, l->F->sys.levels);
    add_all(l, l->F->solved.step_z, l->F->N);
}

static void list_levels(struct list *l)
{
    struct actio_formation *F = l->F;
    add_all(l, F->f, F->sys.holonomic);
    add_all(l, F->phi, F->sys.levels);
    for (size_t i = 0; i < F->sys.holonomic; i++) system_add(l, actio_size_of_terms(F, F->f[i]));
    for (size_t i = 0; i < F->sys.levels; i++) system_add(l, actio_size_of_terms(F, F->phi[i]));
    add_entries(l, &F->F);
}

/* Only time decides; of switches inside, `by_time` is known. */
static bool depends_on_time(struct actio_formation *F, actio_expr guard, const bool *by_time)
{
    struct actio_cone cone = actio_cone_of(&F->pool, &guard, 1);
    for (uint32_t i = 0; i < cone.count; i++) {
        struct actio_node node = F->pool.node[cone.id[i]];
        if (node.op != ACTIO_SYMBOL) continue;
        actio_slot slot = F->pool.slot[node.a];
        bool mode = slot.space == ACTIO_SPACE_MODE && by_time[slot.index];
        if (!mode && slot.space != ACTIO_SPACE_T && slot.space != ACTIO_SPACE_PARAM) return false;
    }
    return true;
}

static void list_guards(struct list *l)
{
    struct actio_formation *F = l->F;
    size_t count = F->sys.switches.count;
    bool *by_place = actio_form_array(F, count, sizeof *by_place), *nested = actio_form_array(F, count, sizeof *nested),
         *by_time = actio_form_array(F, count, sizeof *by_time);
    add_all(l, F->modes.guard, count);
    for (size_t k = 0; k < count; k++) {
        actio_expr rate = actio_rate(&F->pool, F->modes.guard[k]);
        nested[k] = actio_uses(&F->pool, F->modes.guard[k], ACTIO_SPACE_MODE);
        by_time[k] = depends_on_time(F, F->modes.guard[k], by_time);
        by_place[k] = !actio_uses(&F->pool, rate, ACTIO_SPACE_ACC) && !actio_uses(&F->pool, rate, ACTIO_SPACE_SDOT);
        system_add(l, rate);
    }
    F->sys.switches.by_place = by_place;
    F->sys.switches.nested = nested;
    F->sys.switches.by_time = by_time;
}

/* The same all the way down: what rounding in the evaluation of e is to be compared with. */
actio_expr actio_size_inside(struct actio_formation *F, actio_expr e)
{
    struct actio_pool *pool = &F->pool;
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    uint32_t *id = actio_form_array(F, cone.count, sizeof *id);
    actio_expr *size = actio_form_array(F, cone.count, sizeof *size);
    memcpy(id, cone.id, cone.count * sizeof *id);
    for (uint32_t i = 0; i < cone.count; i++) { /* places hold while nodes are only made */
        struct actio_node n = pool->node[id[i]];
        actio_expr x = { id[i] }, a = n.op > ACTIO_SYMBOL ? size[pool->place[n.a]] : x,
                   b = actio_arity((enum actio_op)n.op) > 1 ? size[pool->place[n.b]] : x;
        switch ((enum actio_op)n.op) {
        case ACTIO_ADD:
        case ACTIO_SUB: size[i] = actio_add(pool, a, b); break;
        case ACTIO_MUL: size[i] = actio_mul(pool, a, b); break;
        case ACTIO_NEG: size[i] = a; break;
        case ACTIO_POWI:
            size[i] = (int32_t)n.b > 0 ? actio_power(pool, a, (int32_t)n.b) : actio_op1(pool, ACTIO_ABS, x);
            break;
        case ACTIO_DIV: size[i] = actio_div(pool, a, actio_op1(pool, ACTIO_ABS, (actio_expr){ n.b })); break;
        default: size[i] = actio_op1(pool, ACTIO_ABS, x); break;
        }
    }
    return size[cone.count - 1];
}

static void list_terms(struct list *l)
{
    struct actio_formation *F = l->F;
    for (size_t c = 0; c < F->sys.output.columns; c++) {
        system_add(l, actio_role_is_sum(F->sys.output.column[c].role) ? actio_size_inside(F, F->column[c])
                                                                      : (actio_expr){ 0 });
    }
}

static void list_momenta(struct list *l)
{
    struct actio_formation *F = l->F;
    for (size_t i = 0; i < F->n; i++) system_add(l, actio_add(&F->pool, F->Lq[i], F->total_force[i]));
    add_all(l, F->Lv, F->n);
}

struct actio_places actio_places_of(struct actio_formation *F, const struct actio_entries *e)
{
    uint32_t *row = actio_form_array(F, e->count, sizeof *row), *col = actio_form_array(F, e->count, sizeof *col);
    for (size_t i = 0; i < e->count; i++) {
        row[i] = e->at[i].row;
        col[i] = e->at[i].col;
    }
    return (struct actio_places){ row, col, e->count };
}

/* Momenta and energy on one side of a switch, and how the switches move. */
static void list_corner(struct list *l)
{
    struct actio_formation *F = l->F;
    struct actio_pool *pool = &F->pool;
    size_t n = F->n;
    actio_expr E = actio_neg(pool, F->L), *y = actio_form_array(F, 2 * n, sizeof *y);
    for (size_t i = 0; i < n; i++) E = actio_add(pool, E, actio_mul(pool, F->sym.v[i], F->Lv[i]));
    add_all(l, F->Lv, n);
    system_add(l, E);
    for (size_t i = 0; i < n; i++) system_add(l, actio_size_of_terms(F, F->Lv[i]));
    system_add(l, actio_size_of_terms(F, E));
    memcpy(y, F->sym.q, n * sizeof *y);
    memcpy(y + n, F->sym.v, n * sizeof *y);
    struct actio_entries J = { 0 };
    actio_jacobian(pool, F->modes.guard, F->sys.switches.count, y, 2 * n, &J);
    F->sys.jets.corner = actio_places_of(F, &J);
    add_entries(l, &J);
}

static void list_outputs(struct list *l) { add_all(l, l->F->column, l->F->sys.output.columns); }

static void list_rhs_y(struct list *l)
{
    struct actio_formation *F = l->F;
    actio_expr *y = actio_form_array(F, F->n + F->N, sizeof *y);
    memcpy(y, F->sym.q, F->n * sizeof *y);
    memcpy(y + F->n, F->sym.z, F->N * sizeof *y);
    struct actio_entries J = { 0 };
    actio_jacobian(&F->pool, F->solved.zdot, F->N, y, F->n + F->N, &J);
    uint32_t *row = actio_form_array(F, J.count, sizeof *row), *col = actio_form_array(F, J.count, sizeof *col);
    for (size_t i = 0; i < J.count; i++) {
        row[i] = J.at[i].row;
        col[i] = J.at[i].col;
    }
    F->sys.jets.rhs_y = (struct actio_places){ row, col, J.count };
    add_entries(l, &J);
}

static void list_rates_y(struct list *l)
{
    struct actio_formation *F = l->F;
    size_t ny = F->n + F->N;
    actio_expr *y = actio_form_array(F, ny + 1, sizeof *y);
    memcpy(y, F->sym.q, F->n * sizeof *y);
    memcpy(y + F->n, F->sym.z, F->N * sizeof *y);
    y[ny] = F->sym.time;
    struct actio_entries J = { 0 };
    actio_jacobian(&F->pool, F->solved.zdot, F->N, y, ny + 1, &J);
    F->sys.jets.rates_y = actio_places_of(F, &J);
    list_rhs(l);
    add_entries(l, &J);
}

/* Lists that other files make. */
static void add_made(struct list *l, size_t (*make)(struct actio_formation *, actio_expr **))
{
    actio_expr *e = NULL;
    size_t count = make(l->F, &e);
    add_all(l, e, count);
}

static void list_frame(struct list *l) { add_made(l, actio_list_frame); }
static void list_gibbs(struct list *l) { add_made(l, actio_list_gibbs); }
static void list_gaps(struct list *l) { add_made(l, actio_list_gaps); }
static void list_instants(struct list *l) { add_made(l, actio_list_instants); }
static void list_contacts(struct list *l) { add_made(l, actio_list_contacts); }
static void list_density(struct list *l) { add_made(l, actio_list_density); }
static void list_curvature(struct list *l) { add_made(l, actio_list_curvature); }
static void list_param_jets(struct list *l) { add_made(l, actio_list_param_jets); }
static void list_observed(struct list *l) { add_made(l, actio_list_observed); }
static void list_multiplier_gradient(struct list *l) { add_made(l, actio_list_multiplier_gradient); }

static void list_tangent(struct list *l) { add_made(l, actio_list_tangent); }
static void list_along(struct list *l) { add_made(l, actio_list_along); }
static void list_equations_along(struct list *l) { add_made(l, actio_list_equations_along); }
static void list_equations_y(struct list *l) { add_made(l, actio_list_equations_y); }
static void list_levels_y(struct list *l) { add_made(l, actio_list_levels_y); }
static void list_guards_y(struct list *l) { add_made(l, actio_list_guards_y); }
static void list_resets_y(struct list *l) { add_made(l, actio_list_resets_y); }

static void list_dual_point(struct list *l) { add_made(l, l->F->dual->list); }

static void list_nodes(struct list *l, bool jets)
{
    actio_expr *e = NULL;
    size_t count = actio_list_points(l->F, jets, &e);
    add_all(l, e, count);
}

static void list_points(struct list *l) { list_nodes(l, false); }
static void list_jets(struct list *l) { list_nodes(l, true); }

static void (*const lists[ACTIO_Q_COUNT])(struct list *) = {
    [ACTIO_Q_RHS] = list_rhs,
    [ACTIO_Q_SOLVE] = list_solve,
    [ACTIO_Q_MATRIX] = list_matrix,
    [ACTIO_Q_PROJECT_Q] = list_project_q,
    [ACTIO_Q_PROJECT_V] = list_project_v,
    [ACTIO_Q_LEVELS] = list_levels,
    [ACTIO_Q_MOMENTA] = list_momenta,
    [ACTIO_Q_CORNER] = list_corner,
    [ACTIO_Q_GUARDS] = list_guards,
    [ACTIO_Q_OUTPUTS] = list_outputs,
    [ACTIO_Q_TERMS] = list_terms,
    [ACTIO_Q_RHS_Y] = list_rhs_y,
    [ACTIO_Q_FRAME] = list_frame,
    [ACTIO_Q_GIBBS] = list_gibbs,
    [ACTIO_Q_GAPS] = list_gaps,
    [ACTIO_Q_RESETS] = list_instants,
    [ACTIO_Q_CONTACT] = list_contacts,
    [ACTIO_Q_POINTS] = list_points,
    [ACTIO_Q_JETS] = list_jets,
    [ACTIO_Q_DENSITY] = list_density,
    [ACTIO_Q_CURVATURE] = list_curvature,
    [ACTIO_Q_DUAL_POINT] = list_dual_point,
    [ACTIO_Q_TANGENT] = list_tangent,
    [ACTIO_Q_ALONG] = list_along,
    [ACTIO_Q_RATES_Y] = list_rates_y,
    [ACTIO_Q_EQUATIONS_ALONG] = list_equations_along,
    [ACTIO_Q_EQUATIONS_Y] = list_equations_y,
    [ACTIO_Q_LEVELS_Y] = list_levels_y,
    [ACTIO_Q_GUARDS_Y] = list_guards_y,
    [ACTIO_Q_RESETS_Y] = list_resets_y,
    [ACTIO_Q_PARAM_JETS] = list_param_jets,
    [ACTIO_Q_OBSERVED] = list_observed,
    [ACTIO_Q_MULTIPLIER_GRADIENT] = list_multiplier_gradient,
};

struct request {
    struct actio_formation *F;
    enum actio_quantity what;
};

/* Columns of all rows, or all stages of a step, go through these at once. */
static bool over_rows(enum actio_quantity what)
{
    return what == ACTIO_Q_RATES_Y || what == ACTIO_Q_SOLVE || what == ACTIO_Q_OUTPUTS || what == ACTIO_Q_PROJECT_Q
           || what == ACTIO_Q_PROJECT_V;
}

static void compile(void *user)
{
    struct request *r = user;
    struct list l = { .F = r->F };
    if (r->F->field) {
        r->F->sys.field.stream[r->what] = r->F->stream[r->what] = r->F->field->streams(r->F, r->what);
        return;
    }
    lists[r->what](&l);
    r->F->kernel[r->what] = actio_kernel_compile(r->F->sys.ctx, &r->F->pool, l.e, l.count);
    /* accelerations follow n velocities */
    if (r->what == ACTIO_Q_RHS) actio_kernel_split(r->F->kernel[r->what], r->F->sys.n + r->F->sys.m, r->F->sys.n % 2);
    if (over_rows(r->what)) actio_kernel_widen(r->F->kernel[r->what]);
    r->F->sys.kernel[r->what] = r->F->kernel[r->what];
}

void actio_system_droppable(struct actio_system *sys, bool droppable)
{
    static const enum actio_quantity made_of_it[] = { ACTIO_Q_POINTS, ACTIO_Q_JETS, ACTIO_Q_PARAM_JETS };
    if (sys->is.droppable == droppable) return;
    sys->is.droppable = droppable;
    for (size_t i = 0; i < sizeof made_of_it / sizeof *made_of_it; i++) {
        if (sys->kernel[made_of_it[i]]) actio_kernel_free(sys->formation->kernel[made_of_it[i]]);
        sys->kernel[made_of_it[i]] = sys->formation->kernel[made_of_it[i]] = NULL;
    }
}

int actio_system_need(struct actio_system *sys, enum actio_quantity what)
{
    if (sys->kernel[what] || sys->field.stream[what]) return 0;
    return actio_attempt(sys->ctx, compile, &(struct request){ sys->formation, what });
}

/* Lanes are many: a program over nodes is worth a compiler sooner. */
static void fields_native(struct actio_system *sys, double evals)
{
    struct actio_fields *w = sys->formation->field;
    double lanes = 0;
    for (size_t a = 0; a < sys->field.axes; a++)
        lanes = sys->field.axis[a].nodes > lanes ? (double)sys->field.axis[a].nodes : lanes;
    actio_kernels_native(sys->ctx, w->kernel, w->kernels, evals, lanes);
}

const struct actio_system_column *actio_system_column(const struct actio_system *sys, size_t c)
{
    size_t low = 0, high = sys->output.named;
    if (sys->field.axes == 0) return &sys->output.column[c];
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (sys->output.column[middle].first <= c) low = middle;
        else high = middle;
    }
    return &sys->output.column[low];
}

void actio_system_native(struct actio_system *sys, double evals)
{
    if (sys->formation->field) {
        fields_native(sys, evals);
        return;
    }
    struct actio_kernel *list[ACTIO_Q_COUNT];
    size_t n = 0;
    for (int k = 0; k < ACTIO_Q_COUNT; k++)
        if (sys->formation->kernel[k] && k != ACTIO_Q_LEVELS && k != ACTIO_Q_TERMS)
            list[n++] = sys->formation->kernel[k];
    actio_kernels_native(sys->ctx, list, n, evals, 1);
}

struct forming {
    struct actio_context *ctx;
    struct actio_model *model;
    actio_form_fn form;
    struct actio_system *made;
};

static void form(void *user)
{
    struct forming *f = user;
    f->made = f->form(f->ctx, f->model);
}

struct actio_system *actio_system_form(struct actio_context *ctx, struct actio_model *model, actio_form_fn fn)
{
    struct forming f = { ctx, model, fn, NULL };
    ctx->forming = NULL;
    if (actio_attempt(ctx, form, &f) != 0 && ctx->forming)
        actio_system_free(&((struct actio_formation *)ctx->forming)->sys);
    ctx->forming = NULL;
    return f.made;
}

/* SPDX-License-Identifier: Apache-2.0
 * What a derivation shows, section by section, as formulas; nothing is written here. */
#include "base/roles.h"
#include "derive/field.h"
#include "expr/normal.h"

#include <string.h>

/* operations of an explicit solution worth reading; largest matrix written in full */
enum { SHORT = 260, ROOM = 12 };

/* ---- pieces */

struct actio_shown *actio_shown_add(struct actio_derivation *d, enum actio_shown_kind kind)
{
    struct actio_shown_section *s = &d->section[d->filling];
    struct actio_shown *item = &ACTIO_PUSH(&d->arena, s->item, s->items, s->cap);
    *item = (struct actio_shown){ .kind = kind };
    return item;
}

void actio_shown_equation(struct actio_derivation *d, const char *label, actio_expr left, actio_expr right)
{
    struct actio_shown *item = actio_shown_add(d, ACTIO_SHOWN_EQUATION);
    item->label = label;
    item->left = left;
    item->right = right;
}

void actio_shown_words(struct actio_derivation *d, const char *words)
{
    actio_shown_add(d, ACTIO_SHOWN_WORDS)->words = words;
}

actio_expr actio_shown_symbol(struct actio_derivation *d, const char *text, const char *latex)
{
    ACTIO_PUSH(&d->arena, d->name, d->names, d->names_cap) = (struct actio_shown_name){ text, latex };
    return actio_symbol(&d->F->pool, ACTIO_SPACE_HIDDEN, d->names - 1);
}

static bool is_name(const struct actio_model *m, const char *name)
{
    for (size_t i = 0; i < m->params; i++)
        if (strcmp(m->param[i].name, name) == 0) return true;
    for (size_t i = 0; i < m->coords; i++)
        if (strcmp(m->coord[i].name, name) == 0) return true;
    for (size_t i = 0; i < m->states; i++)
        if (strcmp(m->state[i].name, name) == 0) return true;
    for (size_t i = 0; i < m->named.frames; i++)
        if (strcmp(m->named.frame[i].name, name) == 0) return true;
    return false;
}

/* A name the model does not use: `short_name`, or when that is taken `long_name`, with as many _ behind it as it needs.
 * */
actio_expr actio_shown_free(struct actio_derivation *d, const char *short_name, const char *long_name,
                            const char *latex)
{
    const char *name = short_name;
    if (is_name(d->model, name)) name = long_name;
    while (is_name(d->model, name)) name = actio_arena_format(&d->arena, "%s_", name);
    return actio_shown_symbol(d, name, latex);
}

actio_expr actio_shown_indexed(struct actio_derivation *d, const char *letter, const char *latex, const char *name)
{
    struct actio_text shown;
    const char *text = actio_arena_format(&d->arena, "%s_%s", letter, name);
    actio_text_open(&shown, &d->arena);
    actio_text_format(&shown, "%s_{%s", latex, is_name(d->model, text) ? "\\text{of }" : "");
    actio_latex_name(name, &shown);
    actio_text_add(&shown, "}");
    return actio_shown_free(d, text, actio_arena_format(&d->arena, "%s_of_%s", letter, name), shown.s);
}

bool actio_shown_multiplier(const struct actio_derivation *d, actio_slot *slot)
{
    bool rate = slot->space == ACTIO_SPACE_LAMBDA && slot->index >= d->model->constraints;
    if (rate) slot->index -= (uint32_t)d->model->constraints;
    return rate;
}

static actio_expr *contents_array(struct actio_derivation *d, size_t n)
{
    return actio_arena_array(&d->arena, n + 1, sizeof(actio_expr));
}
static actio_expr contents_tidy(struct actio_derivation *d, actio_expr e) { return actio_tidy_shown(d, e); }
static actio_expr grouped(struct actio_derivation *d, actio_expr e) { return actio_group(&d->F->pool, e); }

static actio_expr from_model(struct actio_derivation *d, actio_expr e)
{
    actio_expr copy;
    actio_copy_all(&d->F->pool, &d->model->pool, &e, 1, &copy);
    return copy;
}

/* sum + a*b, without what is 0 by structure */
static actio_expr plus_product(struct actio_derivation *d, actio_expr sum, actio_expr a, actio_expr b)
{
    return actio_is_zero(a) || actio_is_zero(b) ? sum : actio_add(&d->F->pool, sum, actio_mul(&d->F->pool, a, b));
}

/* ---- sections */

static void show_params(struct actio_derivation *d)
{
    for (size_t i = 0; i < d->model->params; i++) {
        actio_shown_equation(d, NULL, actio_symbol(&d->F->pool, ACTIO_SPACE_PARAM, (uint32_t)i),
                             from_model(d, d->model->param[i].definition));
        d->section[d->filling].item[i].plain = true;
    }
}

static void show_list(struct actio_derivation *d, const actio_expr *e, size_t n)
{
    if (n == 0) return;
    struct actio_shown *item = actio_shown_add(d, ACTIO_SHOWN_LIST);
    item->rows = 1;
    item->cols = n;
    item->entry = e;
}

static void show_coordinates(struct actio_derivation *d) { show_list(d, d->F->sym.q, d->F->n); }
static void show_states(struct actio_derivation *d) { show_list(d, d->F->sym.s, d->F->m); }

static void show_lagrangian(struct actio_derivation *d)
{
    if (d->model->has_lagrangian)
        actio_shown_equation(d, NULL, actio_shown_free(d, "L", "Lagrangian", "\\mathcal{L}"),
                             from_model(d, d->model->lagrangian));
    if (!actio_is_zero(d->model->dissipation))
        actio_shown_equation(d, NULL, actio_shown_free(d, "R", "Rayleigh", "\\mathcal{R}"),
                             from_model(d, d->model->dissipation));
}

static void show_momenta(struct actio_derivation *d)
{
    for (size_t i = 0; d->model->has_lagrangian && i < d->F->n; i++)
        actio_shown_equation(d, NULL, actio_shown_indexed(d, "p", "p", d->model->coord[i].name),
                             contents_tidy(d, d->F->Lv[i]));
}

static void show_forces(struct actio_derivation *d)
{
    for (size_t i = 0; i < d->F->n; i++)
        if (!actio_is_zero(d->F->total_force[i]))
            actio_shown_equation(d, NULL, actio_shown_indexed(d, "F", "F", d->model->coord[i].name),
                                 contents_tidy(d, d->F->total_force[i]));
}

/* Rows times rates, and columns times multipliers: what stands on either side of G z' = h + D' lambda. */
static actio_expr *rates_by(struct actio_derivation *d, const struct actio_entries *rows, size_t count)
{
    actio_expr *sum = contents_array(d, count);
    for (size_t i = 0; i < rows->count; i++)
        sum[rows->at[i].row] = plus_product(d, sum[rows->at[i].row], rows->at[i].e, d->F->sym.zdot[rows->at[i].col]);
    return sum;
}

static actio_expr *reactions(struct actio_derivation *d)
{
    actio_expr *sum = contents_array(d, d->F->N);
    for (size_t i = 0; i < d->F->D.count; i++) {
        const struct actio_entry *e = &d->F->D.at[i];
        sum[e->col] = plus_product(d, sum[e->col], e->e, d->F->sym.lambda[e->row]);
    }
    return sum;
}

static bool any_force(const struct actio_derivation *d)
{
    for (size_t i = 0; i < d->F->n; i++)
        if (!actio_is_zero(d->F->total_force[i])) return true;
    return false;
}

/* The law, with no more in it than the model has. */
static void say_law(struct actio_derivation *d)
{
    struct actio_shown_section *s = &d->section[d->filling];
    const char *force = any_force(d) ? " + F" : "", *reaction = d->F->p ? " + lambda*dg/dq'" : "";
    if (d->F->n) {
        s->rule = actio_arena_format(&d->arena, "d/dt dL/dq' = dL/dq%s%s", force, reaction);
        s->latex_rule =
            actio_arena_format(&d->arena,
                               "\\frac{d}{dt} \\frac{\\partial \\mathcal{L}}{\\partial \\dot{q}} = \\frac{\\partial "
                               "\\mathcal{L}}{\\partial q}%s%s",
                               force, d->F->p ? " + \\lambda \\, \\frac{\\partial g}{\\partial \\dot{q}}" : "");
    } else if (d->F->p) {
        s->rule = "mu*s' = S + lambda*dg/ds";
        s->latex_rule = "\\mu \\, \\dot{s} = S + \\lambda \\, \\frac{\\partial g}{\\partial s}";
    }
}

/* The entries of G as they stand before the rates in the equations: the same, and as short. */
static void keep_factors(struct actio_derivation *d, const actio_expr *left)
{
    for (size_t i = 0; i < d->F->G.count; i++) {
        struct actio_entry *e = &d->F->G.at[i];
        actio_expr factor = actio_diff(&d->F->pool, left[e->row], d->F->sym.zdot[e->col]);
        if (!actio_uses(&d->F->pool, factor, ACTIO_SPACE_ACC) && !actio_uses(&d->F->pool, factor, ACTIO_SPACE_SDOT))
            e->e = factor;
    }
}

static actio_expr by_lambda(struct actio_derivation *d, actio_expr e)
{
    return d->F->p ? actio_tidy_in(d, e, d->F->sym.lambda, d->F->p) : actio_tidy(d, e);
}

/* m*x'' = F reads better than -m*x'' = -F. */
static bool is_negative(struct actio_derivation *d, actio_expr e) { return d->F->pool.node[e.id].op == ACTIO_NEG; }

void actio_derive_balance(struct actio_derivation *d, actio_expr **left, actio_expr **right)
{
    actio_expr *force = reactions(d), *none = contents_array(d, d->F->p);
    *left = rates_by(d, &d->F->G, d->F->N);
    *right = contents_array(d, d->F->N);
    for (size_t i = 0; i < d->F->N; i++) {
        (*right)[i] = by_lambda(d, actio_add(&d->F->pool, d->F->h[i], force[i]));
        (*left)[i] = actio_tidy_in(d, (*left)[i], d->F->sym.zdot, d->F->N);
        /* tidied for what follows */
        d->F->h[i] = actio_substitute(&d->F->pool, (*right)[i], d->F->sym.lambda, none, d->F->p);
    }
    keep_factors(d, *left);
}

/* Whose equation it is, where a flow has the rates of several states: reactions on a state enter its own. */
static const char *owner(const struct actio_derivation *d, size_t i)
{
    const struct actio_entries *mu = &d->F->flow.mu;
    for (size_t k = 0; i >= d->F->n && k < mu->count; k++)
        if (mu->at[k].row != mu->at[k].col) return d->F->sys.variable[i];
    return NULL;
}

/* sum_j W_ij q_j'' = b_i + sum_l lambda_l a_li  [LM 15] */
static void show_equations(struct actio_derivation *d)
{
    actio_expr *left, *right;
    if (!*d->section[d->filling].rule) say_law(d);
    actio_derive_balance(d, &left, &right);
    for (size_t i = 0; i < d->F->N; i++) {
        bool minus = is_negative(d, left[i]);
        if (actio_is_zero(left[i])) right[i] = actio_equation_form(&d->F->pool, right[i]);
        actio_shown_equation(d, owner(d, i), grouped(d, minus ? actio_neg(&d->F->pool, left[i]) : left[i]),
                             grouped(d, minus ? actio_neg(&d->F->pool, right[i]) : right[i]));
    }
}

/* A constraint and what follows from it: f = 0, f' = 0, f'' = 0, as far as it is not an acceleration itself  [LM 16] */
static void show_constraints(struct actio_derivation *d)
{
    struct actio_formation *F = d->F;
    for (size_t k = 0, level = 0; k < F->p; k++) {
        const struct actio_constraint *c = &d->model->constraint[k];
        actio_shown_equation(d, c->label, from_model(d, c->left), from_model(d, c->right));
        if (c->kind == ACTIO_ACCELERATION) continue;
        if (c->kind == ACTIO_HOLONOMIC) actio_derive_rate(d, F->phi[level]);
        level++;
        actio_derive_row(d, k);
    }
    if (F->p && d->closure && d->closure->hiddens == 0 && d->closure->verdict)
        actio_shown_words(d, d->closure->verdict);
}

static actio_expr *dense(struct actio_derivation *d, const struct actio_entries *e, size_t rows, size_t cols, bool raw)
{
    actio_expr *m = contents_array(d, rows * cols);
    for (size_t i = 0; i < e->count; i++)
        if (e->at[i].row < rows && e->at[i].col < cols)
            m[e->at[i].row * cols + e->at[i].col] = raw ? contents_tidy(d, e->at[i].e) : grouped(d, e->at[i].e);
    return m;
}

static bool symmetric(const actio_expr *entry, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (!actio_same(entry[i * n + j], entry[j * n + i])) return false;
    return true;
}

struct actio_shown *actio_shown_matrix(struct actio_derivation *d, const char *name, size_t rows, size_t cols,
                                       const actio_expr *entry)
{
    struct actio_shown *item = actio_shown_add(d, ACTIO_SHOWN_MATRIX);
    *item =
        (struct actio_shown){ .kind = ACTIO_SHOWN_MATRIX, .label = name, .rows = rows, .cols = cols, .entry = entry };
    item->is_symmetric = rows == cols && symmetric(entry, rows);
    return item;
}

static bool is_ideal(const struct actio_derivation *d)
{
    for (size_t k = 0; k < d->F->p; k++)
        if (d->model->constraint[k].rule != ACTIO_IDEAL) return false;
    return true;
}

/* B = [0 A; D' W]; with ideal reactions D = A  [LM 17] */
static void show_bordered(struct actio_derivation *d, const actio_expr *W, const actio_expr *A, const actio_expr *D)
{
    size_t N = d->F->N, p = d->F->p, K = N + p;
    actio_expr *B = contents_array(d, K * K);
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < p; k++) {
            B[k * K + p + i] = A[k * N + i];
            B[(p + i) * K + k] = D[k * N + i];
        }
        for (size_t j = 0; j < N; j++) B[(p + i) * K + p + j] = W[i * N + j];
    }
    actio_shown_matrix(d, "B", K, K, B)->only_in_full = true;
}

static void say_bordered(struct actio_derivation *d)
{
    struct actio_shown_section *s = &d->section[d->filling];
    bool ideal = is_ideal(d);
    const char *rates = d->F->m == 0   ? "q''"
                        : d->F->n == 0 ? "s'"
                                       : "q'', s'",
               *latex = d->F->m == 0   ? "\\ddot{q}"
                        : d->F->n == 0 ? "\\dot{s}"
                                       : "\\ddot{q}, \\dot{s}";
    if (d->F->p == 0) {
        s->rule = actio_arena_format(&d->arena, d->F->m && d->F->n ? "W*(%s) = e" : "W*%s = e", rates);
        s->latex_rule = actio_arena_format(&d->arena, d->F->m && d->F->n ? "W \\, (%s)^T = e" : "W \\, %s = e", latex);
        return;
    }
    s->rule = actio_arena_format(&d->arena, "B*(-lambda, %s) = e, B made of %s and W", rates, ideal ? "A" : "A, D");
    s->latex_rule = actio_arena_format(
        &d->arena, "B \\, (-\\lambda, %s)^T = e, \\quad B = \\begin{pmatrix} 0 & A \\\\ %s^T & W \\end{pmatrix}", latex,
        ideal ? "A" : "D");
}

static void show_matrices(struct actio_derivation *d)
{
    struct actio_formation *F = d->F;
    size_t N = F->N, p = F->p;
    say_bordered(d);
    if (N * N > 4000000) {
        actio_shown_words(d, "too large to display");
        return;
    }
    bool ideal = is_ideal(d);
    actio_expr *W = dense(d, &F->G, N, N, false), *A = dense(d, &F->A, p, N, true),
               *D = ideal ? A : dense(d, &F->D, p, N, true), *e = contents_array(d, N + p);
    actio_shown_matrix(d, "W", N, N, W);
    if (p) actio_shown_matrix(d, "A", p, N, A);
    if (!ideal) actio_shown_matrix(d, "D", p, N, D);
    if (p && N + p <= ROOM) show_bordered(d, W, A, D);
    for (size_t k = 0; k < p; k++) e[k] = contents_tidy(d, F->c[k]);
    for (size_t i = 0; i < N; i++) e[p + i] = grouped(d, F->h[i]);
    actio_shown_matrix(d, "e", 1, N + p, e)->is_vector = true;
}

/* Solutions are shown where a person would read them; `known` NULL: all are. */
void actio_shown_solved(struct actio_derivation *d, const actio_expr *unknown, const actio_expr *solved,
                        const bool *known, size_t count, const char *what)
{
    size_t too_long = 0;
    for (size_t i = 0; i < count; i++) {
        if (known && !known[i]) continue;
        actio_expr e = contents_tidy(d, solved[i]);
        if (actio_tidy_size(d, e) <= SHORT) actio_shown_equation(d, NULL, unknown[i], e);
        else too_long++;
    }
    if (too_long)
        actio_shown_words(d, actio_arena_format(&d->arena,
                                                "%zu of %zu %s are too long to display; --format c writes them as code",
                                                too_long, count, what));
}

static const bool *known(const struct actio_derivation *d, size_t from)
{
    return d->closure && d->closure->is_solved ? d->closure->is_solved + from : NULL;
}

/* Singular equations are solved by their closure, or not at all. */
static void take_closure(struct actio_derivation *d)
{
    if (!d->closure->solved) return;
    d->zdot = d->closure->solved;
    d->lambda = d->closure->solved + d->F->N;
    d->on_shell = d->closure->hiddens > 0;
}

void actio_derive_solve(struct actio_derivation *d)
{
    struct actio_formation *F = d->F;
    if (d->tried) return;
    d->tried = true;
    if (d->closure) {
        take_closure(d);
        return;
    }
    d->lambda = contents_array(d, F->p);
    d->zdot = contents_array(d, F->N);
    if (actio_derive_explicit(d, d->lambda, d->zdot, &d->on_shell)) return;
    d->lambda = F->sys.solved.symbolic ? F->solved.lambda : NULL;
    d->zdot = F->sys.solved.symbolic ? F->solved.zdot : NULL;
}

void actio_say_on_shell(struct actio_derivation *d)
{
    if (!d->on_shell) return;
    d->section[d->filling].rule = "simplified with the constraints";
    d->section[d->filling].latex_rule = "\\text{Simplified with the constraints.}";
}

/* lambda(q, q', t) = the first p components of -B^-1 e, where det B is not 0  [LM 20] */
static void show_multipliers(struct actio_derivation *d)
{
    actio_derive_solve(d);
    if (d->F->p == 0) return;
    actio_say_on_shell(d);
    if (d->lambda) actio_shown_solved(d, d->F->sym.lambda, d->lambda, known(d, d->F->N), d->F->p, "multipliers");
    else if (!d->closure)
        actio_shown_words(d, "solved numerically from B*(-lambda, q'') = e at each state; no short formula exists");
    if (d->closure && d->closure->multipliers) actio_shown_words(d, d->closure->multipliers);
}

static void show_reactions(struct actio_derivation *d)
{
    actio_expr *force = d->F->p ? reactions(d) : NULL;
    for (size_t i = 0; force && i < d->F->N; i++)
        if (!actio_is_zero(force[i]))
            actio_shown_equation(d, NULL, d->F->sym.reaction[i], grouped(d, by_lambda(d, force[i])));
}

static void show_accelerations(struct actio_derivation *d)
{
    actio_derive_solve(d);
    actio_say_on_shell(d);
    if (d->zdot) actio_shown_solved(d, d->F->sym.zdot, d->zdot, known(d, 0), d->F->N, "rates");
    if (d->closure && d->closure->rates) actio_shown_words(d, d->closure->rates);
}

static void show_column(struct actio_derivation *d, size_t i)
{
    const struct actio_system_column *c = &d->F->sys.output.column[i];
    const char *dot = strchr(c->name, '.');
    struct actio_text latex;
    actio_text_open(&latex, &d->arena);
    if (dot) actio_text_format(&latex, "\\mathrm{%.*s}_{", (int)(dot - c->name), c->name);
    if (dot) {
        actio_latex_name(dot + 1, &latex);
        actio_text_add(&latex, "}");
    } else actio_text_add(&latex, "E");
    actio_shown_equation(d, NULL, actio_shown_symbol(d, c->name, latex.s), contents_tidy(d, d->F->column[i]));
}

static void show_energy(struct actio_derivation *d)
{
    for (size_t i = 0; i < d->F->sys.output.columns; i++)
        if (d->F->sys.output.column[i].role == ACTIO_ROLE_ENERGY) show_column(d, i);
}

static void show_symmetries(struct actio_derivation *d)
{
    for (size_t i = 0; i < d->F->sys.output.columns; i++)
        if (d->F->sys.output.column[i].role == ACTIO_ROLE_CHARGE
            || d->F->sys.output.column[i].role == ACTIO_ROLE_BALANCE)
            show_column(d, i);
}

actio_expr *actio_shown_momenta(struct actio_derivation *d)
{
    actio_expr *p = contents_array(d, d->F->n);
    const struct actio_shown_section *momenta = NULL;
    for (size_t i = 0; i < d->sections; i++)
        if (strcmp(d->section[i].key, "momenta") == 0) momenta = &d->section[i];
    if (!d->model->has_lagrangian || !momenta || momenta->items != d->F->n || d->F->n == 0) return NULL;
    for (size_t i = 0; i < d->F->n; i++) p[i] = momenta->item[i].left;
    return p;
}

static void show_hamiltonian(struct actio_derivation *d)
{
    actio_expr *p = actio_shown_momenta(d), H;
    if (p) actio_derive_hamiltonian(d, p, &H);
}

static void show_principle(struct actio_derivation *d)
{
    actio_shown_words(d, d->assumes);
    if (*d->differs) actio_shown_words(d, d->differs);
}

/* Sections that chapters share, by their keys; this is also the order of d'Alembert's. */
static const struct actio_shown_part shared[] = {
    { "parameters", "Parameters", "", "", show_params },
    { "coordinates", "Coordinates", "", "", show_coordinates },
    { "states", "States", "", "", show_states },
    { "lagrangian", "Lagrangian", "", "", show_lagrangian },
    { "momenta", "Momenta", "dL/dq'", "p = \\partial \\mathcal{L}/\\partial \\dot{q}", show_momenta },
    { "forces", "Generalised forces", "", "", show_forces },
    { "equations", "Equations of motion", "", "", show_equations },
    { "constraints", "Constraints and their consequences", "", "", show_constraints },
    { "contacts", "Contacts and friction", "", "", actio_derive_contacts },
    { "instants", "Instants", "", "", actio_derive_instants },
    { "hidden", "Hidden constraints", "", "", actio_derive_hidden },
    { "frame", "Quasi-velocities", "", "", actio_derive_frame },
    { "matrices", "Matrices", "", "", show_matrices },
    { "multipliers", "Multipliers as functions of the state", "", "", show_multipliers },
    { "reactions", "Forces of constraint", "lambda*dg/dq'", "\\lambda \\, \\partial g/\\partial \\dot{q}",
      show_reactions },
    { "accelerations", "Solved for the highest derivatives", "", "", show_accelerations },
    { "energy", "Energy", "q'*dL/dq' - L", "E = \\dot{q} \\, \\partial \\mathcal{L}/\\partial \\dot{q} - \\mathcal{L}",
      show_energy },
    { "hamiltonian", "Hamiltonian", "p*q' - L", "\\mathcal{H} = p \\, \\dot{q} - \\mathcal{L}", show_hamiltonian },
    { "symmetries", "Symmetries", "charge = dL/dq'*delta q, balance = its rate", "", show_symmetries },
};
const struct actio_chapter actio_chapter_dalembert = {
    .is_reference = true, .part = shared, .parts = sizeof shared / sizeof *shared, .fields = &actio_chapter_field
};

/* Before the sections of any other principle: what it takes for granted. */
static const struct actio_shown_part principle = { "principle", "Assumptions", "", "", show_principle };

static const struct actio_shown_part *shared_part(const char *key)
{
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (strcmp(shared[i].key, key) == 0) return &shared[i];
    return NULL;
}

void actio_shown_section(struct actio_derivation *d, const char *key, const char *title, const char *rule,
                         const char *latex)
{
    struct actio_shown_section s = { .key = key, .title = title, .rule = rule, .latex_rule = latex };
    if (d->sections && d->section[d->filling].items == 0) d->sections--;
    d->filling = d->sections;
    ACTIO_PUSH(&d->arena, d->section, d->sections, d->sections_cap) = s;
}

/* A part that has words of its own keeps them, whoever fills it. */
static void show_part(struct actio_derivation *d, const struct actio_shown_part *part)
{
    const struct actio_shown_part *like = part->show ? part : shared_part(part->key), *over = part->title ? part : like;
    actio_shown_section(d, part->key, over->title, over->rule, over->latex);
    actio_poll(d->ctx);
    like->show(d);
}

void actio_derive_contents(struct actio_derivation *d)
{
    actio_unswitch(d);
    if (!d->chapter->is_reference) show_part(d, &principle);
    for (size_t i = 0; i < d->chapter->parts; i++) show_part(d, &d->chapter->part[i]);
    if (d->sections && d->section[d->filling].items == 0) d->sections--;
}

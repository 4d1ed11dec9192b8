/* SPDX-License-Identifier: Apache-2.0
 * Why multipliers of an orbit may be 1. Whatever the motion keeps has a gradient that a turn does not move. A shift
 * along the motion, or by a symmetry, is a direction that it does not move. Candidates are formulas; the turn confirms
 * them. */
#include "orbit/causes.h"

#include <string.h>

enum { SHOWN_NAMES = 3 };

struct forming {
    struct actio_search *s;
    struct actio_causes *c;
    const double *generator;
    size_t generators;
};

/* ---- candidates */

static actio_expr *add_cause(struct forming *x, const char *text, bool left)
{
    struct actio_formation *F = x->s->problem->sys->formation;
    actio_expr *e = actio_arena_array(&F->arena, x->s->o.ny + 1, sizeof *e);
    ACTIO_PUSH(&F->arena, x->c->at, x->c->count, x->c->cap) = (struct actio_cause){ text, left, false, e };
    return e;
}

static void add_kept(struct forming *x, const char *text, actio_expr kept)
{
    struct actio_formation *F = x->s->problem->sys->formation;
    size_t n = F->n, ny = x->s->o.ny;
    actio_expr *wrt = actio_arena_array(&F->arena, ny + 1, sizeof *wrt);
    memcpy(wrt, F->sym.q, n * sizeof *wrt);
    memcpy(wrt + n, F->sym.v, n * sizeof *wrt);
    for (size_t i = 2 * n; i < ny; i++) wrt[i] = F->sym.s[i - 2 * n];
    actio_gradient(&F->pool, kept, wrt, ny, add_cause(x, text, true));
}

static actio_expr energy_of(struct actio_formation *F)
{
    actio_expr sum = actio_neg(&F->pool, F->L);
    for (size_t i = 0; i < F->n; i++) sum = actio_add(&F->pool, sum, actio_mul(&F->pool, F->sym.v[i], F->Lv[i]));
    return sum;
}

/* The shift dq and its rate, and the charge L_v . dq. */
static void add_symmetry(struct forming *x, const actio_expr *dq, const char *shift, const char *charge)
{
    struct actio_formation *F = x->s->problem->sys->formation;
    actio_expr sum = { 0 }, *e = add_cause(x, shift, false);
    for (size_t i = 0; i < F->n; i++) {
        e[i] = dq[i];
        e[F->n + i] = actio_rate(&F->pool, dq[i]);
        sum = actio_add(&F->pool, sum, actio_mul(&F->pool, F->Lv[i], dq[i]));
    }
    add_kept(x, charge, sum);
}

static void add_stated(struct forming *x)
{
    struct actio_formation *F = x->s->problem->sys->formation;
    struct actio_model *m = x->s->problem->model;
    struct actio_arena *words = &x->s->out->arena;
    for (size_t k = 0; k < m->symmetries; k++) {
        const struct actio_symmetry *sym = &m->symmetry[k];
        if (sym->is_time) continue;
        actio_expr *dq = actio_arena_array(&F->arena, F->n + 1, sizeof *dq);
        for (size_t t = 0; t < sym->terms; t++)
            actio_copy_all(&F->pool, &m->pool, &sym->term[t].e, 1, &dq[sym->term[t].variable]);
        add_symmetry(x, dq, actio_arena_format(words, "symmetry.%s", sym->label),
                     actio_arena_format(words, "charge.%s", sym->label));
    }
}

static void add_cyclic(struct forming *x)
{
    const struct actio_system *sys = x->s->problem->sys;
    struct actio_formation *F = sys->formation;
    for (size_t i = 0; i < sys->n + sys->m; i++) {
        size_t component = i < sys->n ? i : i + sys->n;
        if (!actio_orbit_is_cyclic(x->s, component)) continue;
        actio_expr *e = add_cause(x, actio_arena_format(&x->s->out->arena, "%s is cyclic", sys->variable[i]), false);
        e[component] = actio_const(&F->pool, 1);
    }
}

/* Of what a generator moves: the first names. */
static const char *names_of(struct forming *x, const double *g)
{
    const struct actio_system *sys = x->s->problem->sys;
    struct actio_text t;
    size_t n = sys->n, shown = 0;
    actio_text_open(&t, &x->s->out->arena);
    for (size_t i = 0; i < n; i++) {
        bool moves = g[i] != 0;
        for (size_t j = 0; j < n; j++) moves = moves || g[n + i * n + j] != 0;
        if (!moves) continue;
        if (shown < SHOWN_NAMES) actio_text_format(&t, "%s%s", shown ? ", " : "", sys->variable[i]);
        else if (shown == SHOWN_NAMES) actio_text_add(&t, ", ...");
        shown++;
    }
    return t.s;
}

/* Names of a generator and of its charge, by its matrix: none, antisymmetric, any other. */
struct kind {
    const char *shift, *charge;
};

static struct kind kind_of(size_t n, const double *g)
{
    bool shift = true, turn = true;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double a = g[n + i * n + j];
            shift = shift && a == 0;
            turn = turn && a == -g[n + j * n + i];
        }
    return shift  ? (struct kind){ "shift", "momentum" }
           : turn ? (struct kind){ "rotation", "angular momentum" }
                  : (struct kind){ "symmetry", "charge" };
}

static void add_found(struct forming *x, const double *g)
{
    struct actio_formation *F = x->s->problem->sys->formation;
    struct actio_arena *words = &x->s->out->arena;
    size_t n = F->n;
    actio_expr *dq = actio_arena_array(&F->arena, n + 1, sizeof *dq);
    for (size_t i = 0; i < n; i++) {
        dq[i] = actio_const(&F->pool, g[i]);
        for (size_t j = 0; j < n; j++)
            if (g[n + i * n + j] != 0)
                dq[i] = actio_add(&F->pool, dq[i],
                                  actio_mul(&F->pool, actio_const(&F->pool, g[n + i * n + j]), F->sym.q[j]));
    }
    struct kind kind = kind_of(n, g);
    const char *names = names_of(x, g);
    add_symmetry(x, dq, actio_arena_format(words, "%s of %s", kind.shift, names),
                 actio_arena_format(words, "%s of %s", kind.charge, names));
}

static void form(void *user)
{
    struct forming *x = user;
    struct actio_search *s = x->s;
    struct actio_formation *F = s->problem->sys->formation;
    size_t ny = s->o.ny;
    if (!s->timed) {
        add_cause(x, "along the motion", false);
        x->c->at[0].is_motion = true;
    }
    if (s->problem->model->has_lagrangian) {
        if (!s->timed) add_kept(x, "energy", energy_of(F));
        add_stated(x);
    }
    add_cyclic(x);
    for (size_t k = 0; k < x->generators; k++) add_found(x, x->generator + k * (F->n + F->n * F->n));
    actio_expr *all = actio_arena_array(&F->arena, x->c->count * ny + 1, sizeof *all);
    for (size_t k = 0; k < x->c->count; k++) memcpy(all + k * ny, x->c->at[k].e, ny * sizeof *all);
    actio_reading_make(&x->c->reading, s, all, x->c->count * ny);
}

int actio_causes_ready(struct actio_search *s, const struct actio_turn *turn)
{
    struct actio_context *ctx = s->problem->ctx;
    size_t n = s->problem->sys->n;
    if (s->causes) return 0;
    double *generator = actio_alloc(ctx, ACTIO_MOST_GENERATORS * (n + n * n) + 1, sizeof *generator);
    s->causes = actio_alloc(ctx, 1, sizeof *s->causes);
    if (!generator || !s->causes) {
        actio_free(ctx, generator);
        return 1;
    }
    struct forming x = { .s = s, .c = s->causes, .generator = generator };
    x.generators = actio_orbit_generators(s, turn, generator, ACTIO_MOST_GENERATORS);
    if (actio_attempt(ctx, form, &x)) s->causes->count = 0;
    actio_free(ctx, generator);
    return 0;
}

void actio_orbit_forget_causes(struct actio_search *s)
{
    if (!s->causes) return;
    actio_reading_close(&s->causes->reading);
    actio_free(s->problem->ctx, s->causes);
    s->causes = NULL;
}

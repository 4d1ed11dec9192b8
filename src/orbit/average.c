/* SPDX-License-Identifier: Apache-2.0
 * Orbits by averaging: constraints hold slow quantities phi, so that what is left goes round by itself; of all the
 * levels at which they could be held, those count at which the free motion would not change phi over one turn:
 * integral of (phi_t + phi_x f) dt = 0,  f without these
 * constraints. Then they are dropped.  [VKS 18-30] */
#include "principle/principles.h"
#include "orbit/orbits.h"

#include "algebra/dense.h"
#include "solve/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLOSE 1e-12
enum {
    ALONG = 24,
    MOST_LEVELS = 8,
    FIRST_SAMPLES = 129,
    MOST_SAMPLES = 16385,
    MOST_ITERATIONS = 30,
    MOST_HALVINGS = 8
};

/* ---- models made from the model */

struct making {
    struct actio_search *s;
    bool held; /* with the constraints, at levels that are params; else without them */
    struct actio_text text;
    struct actio_arena arena;
};

static bool is_named(const struct actio_search *s, const char *label)
{
    for (size_t i = 0; i < s->options->averages; i++)
        if (strcmp(s->options->average[i], label) == 0) return true;
    return false;
}

static const char *free_name(const struct actio_model *m, struct actio_arena *arena, const char *label)
{
    char *name = actio_arena_format(arena, "level_%s", label);
    for (char *c = name; *c; c++)
        if (*c == '[' || *c == ']') *c = '_';
    for (bool taken = true; taken;) {
        taken = false;
        for (size_t i = 0; i < m->params; i++) taken = taken || strcmp(m->param[i].name, name) == 0;
        if (taken) name = actio_arena_format(arena, "%s_", name);
    }
    return name;
}

/* Prints a changed copy: named constraints at levels, or not at all; what speaks of them is left out. */
static void print_changed(void *user)
{
    struct making *w = user;
    struct actio_model *m = w->s->problem->model, kept = *m;
    struct actio_constraint *c = actio_arena_array(&w->arena, m->constraints + 1, sizeof *c);
    struct actio_param *p = actio_arena_array(&w->arena, m->params + m->constraints + 1, sizeof *p);
    size_t constraints = 0, params = m->params;
    if (m->params) memcpy(p, m->param, m->params * sizeof *p);
    for (size_t i = 0; i < m->constraints; i++) {
        bool named = is_named(w->s, m->constraint[i].label);
        if (named && !w->held) continue;
        c[constraints] = m->constraint[i];
        if (named) {
            p[params] = (struct actio_param){ .name = free_name(m, &w->arena, m->constraint[i].label),
                                              .definition = actio_const(&m->pool, 0) };
            c[constraints].right = actio_add(&m->pool, c[constraints].right,
                                             actio_symbol(&m->pool, ACTIO_SPACE_PARAM, (uint32_t)params++));
        }
        constraints++;
    }
    m->constraint = c;
    m->constraints = constraints;
    m->param = p;
    m->params = params;
    m->output.observes = m->claims = m->symmetries = 0;
    actio_text_open(&w->text, &w->arena);
    actio_model_print(m, &w->text);
    struct actio_pool pool = m->pool; /* it may have grown */
    *m = kept;
    m->pool = pool;
}

static struct actio_model *make_model(struct actio_search *s, bool held)
{
    struct making w = { .s = s, .held = held };
    struct actio_model *made = NULL;
    actio_arena_open(&w.arena, s->problem->ctx);
    if (actio_attempt(s->problem->ctx, print_changed, &w) == 0)
        made = actio_model_read_text(s->problem->ctx, s->problem->model->source.file, w.text.s, w.text.length, NULL, 0,
                                     s->problem->f);
    actio_arena_close(&w.arena);
    if (made && s->problem->model->orbit.has_way) {
        made->orbit.has_way = true;
        made->orbit.way_from =
            actio_const(&made->pool, actio_model_number(s->problem->model, s->problem->model->orbit.way_from));
        made->orbit.way_to =
            actio_const(&made->pool, actio_model_number(s->problem->model, s->problem->model->orbit.way_to));
    }
    if (made) {
        made->orbit.has_period = s->problem->model->orbit.has_period;
        made->orbit.period = actio_const(
            &made->pool,
            made->orbit.has_period ? actio_model_number(s->problem->model, s->problem->model->orbit.period) : 0);
    }
    return made;
}

/* ---- the held system and its averages */

struct held {
    struct actio_search *s;                             /* of the held model */
    struct actio_motion *is_free;                       /* without the constraints */
    size_t count, row[MOST_LEVELS], param[MOST_LEVELS]; /* constraint rows and level params */
    double level[MOST_LEVELS], rate[MOST_LEVELS];
    struct actio_circuit c; /* its orbit at these levels */
    struct actio_orbit_report reported;
};

/* phi' of the free motion at y: A z' - c with the free z'. */
static int rates_there(struct held *h, double t, const double *y, double *rate)
{
    const struct actio_system *sys = h->s->problem->sys;
    struct actio_motion *m = &h->s->problem->motion;
    if (actio_motion_solve(h->is_free, t, y)) return 1;
    const double *v = actio_motion_quantity(m, ACTIO_Q_MATRIX, t, y), *A = v + sys->G.count,
                 *c = A + sys->A.count + sys->D.count + m->N;
    for (size_t k = 0; k < h->count; k++) {
        rate[k] = -c[h->row[k]];
        for (size_t e = 0; e < sys->A.count; e++)
            if (sys->A.row[e] == h->row[k]) rate[k] += A[e] * h->is_free->here.zdot[sys->A.col[e]];
    }
    return 0;
}

/* Mean over the turn by equal samples, which is exact for what is smooth and periodic; more until it does not change.
 * */
static int average(struct held *h)
{
    struct actio_search *s = h->s;
    size_t ny = s->o.ny;
    double last[MOST_LEVELS] = { 0 }, at[MOST_LEVELS];
    for (size_t count = FIRST_SAMPLES; count <= MOST_SAMPLES; count = 2 * count - 1) {
        double *times = actio_alloc(s->problem->ctx, count * (ny + 1) + ny + 1, sizeof *times),
               *y = times ? times + count : NULL, *one = y ? y + count * ny : NULL, size = 0, change = 0;
        int bad = !times || actio_orbit_sample(s, &h->c, count, times, y);
        memset(h->rate, 0, sizeof h->rate);
        for (size_t r = 0; r + 1 < count && !bad; r++) {
            for (size_t i = 0; i < ny; i++) one[i] = y[i * count + r];
            bad = rates_there(h, times[r], one, at);
            for (size_t k = 0; k < h->count; k++) {
                h->rate[k] += at[k] / (double)(count - 1);
                size = fmax(size, fabs(at[k]));
            }
        }
        actio_free(s->problem->ctx, times);
        if (bad) return 1;
        for (size_t k = 0; k < h->count; k++) {
            change = fmax(change, fabs(h->rate[k] - last[k]));
            last[k] = h->rate[k];
        }
        if (count > FIRST_SAMPLES && change <= 1e-14 * size) break;
    }
    return 0;
}

static void set_levels(struct held *h)
{
    struct actio_model *m = h->s->problem->model;
    for (size_t k = 0; k < h->count; k++) {
        m->param[h->param[k]].definition = actio_const(&m->pool, h->level[k]);
        actio_orbit_set_param(m, h->param[k], h->level[k]);
    }
    actio_orbit_pass_params(h->s);
}

/* Where one degree of freedom is left, the orbit is all of the manifold: it closes by itself, and only its period is to
 * be found. Derivatives, which turning points spoil where a constraint's gradient vanishes, are not requested. */
static int goes_round(struct held *h)
{
    struct actio_search *s = h->s;
    h->c.nodes = 1;
    h->c.period = actio_orbit_nearest_time(s, h->c.y, h->c.period);
    int bad = actio_orbit_mismatch(&s->o, &h->c, 0.1 * CLOSE, &h->reported.residual);
    h->reported.status = bad || !(h->reported.residual < 1e-9) ? ACTIO_ORBIT_DIVERGED : ACTIO_ORBIT_FOUND;
    return h->reported.status;
}

/* The held orbit at the levels as they are, from the one before. 0, or 1. */
static int orbit_there(struct held *h)
{
    struct actio_search *s = h->s;
    set_levels(h);
    for (size_t i = 0; i < h->c.nodes; i++)
        if (actio_motion_project(&s->problem->motion, actio_orbit_time(&s->o, &h->c, i), h->c.y + i * s->o.ny))
            return 1;
    actio_tangent_direct(&s->o.x, NULL);
    if (s->o.d == 1) return goes_round(h) || average(h);
    return actio_orbit_shoot(&s->o, &h->c, CLOSE, &h->reported) != ACTIO_ORBIT_FOUND || average(h);
}

/* Derivatives of the averages by the levels, by differences of orbits that are exact to rounding. */
static int slopes(struct held *h, double *J)
{
    double level[MOST_LEVELS], rate[MOST_LEVELS];
    size_t n = h->count;
    memcpy(level, h->level, sizeof level);
    memcpy(rate, h->rate, sizeof rate);
    for (size_t k = 0; k < n; k++) {
        double step = 1e-5 * fmax(0.1, fabs(level[k])), up[MOST_LEVELS];
        h->level[k] = level[k] + step;
        if (orbit_there(h)) return 1;
        memcpy(up, h->rate, sizeof up);
        h->level[k] = level[k] - step;
        if (orbit_there(h)) return 1;
        for (size_t j = 0; j < n; j++) J[j * n + k] = (up[j] - h->rate[j]) / (2 * step);
        h->level[k] = level[k];
    }
    memcpy(h->rate, rate, sizeof rate);
    return 0;
}

/* Newton's step of the levels; *most: its largest part, beside the level. 0, or 1. */
static int level_step(struct held *h, double *step, double *most)
{
    size_t n = h->count;
    double J[MOST_LEVELS * MOST_LEVELS];
    int pivot[MOST_LEVELS];
    if (slopes(h, J)) return 1;
    for (size_t k = 0; k < n; k++) step[k] = -h->rate[k];
    if (actio_lu_factor(n, J, pivot)) return 1;
    actio_lu_solve(n, J, pivot, step, 1, false);
    *most = 0;
    for (size_t k = 0; k < n; k++) *most = fmax(*most, fabs(step[k]) / fmax(0.1, fabs(h->level[k])));
    return 0;
}

/* Along the step, halved until the averages fall; *part: what was taken of it. 0, or 1. */
static int descend(struct held *h, const double *step, double most, double *part)
{
    size_t n = h->count;
    double kept[MOST_LEVELS], size = actio_norm(n, h->rate);
    memcpy(kept, h->level, sizeof kept);
    *part = most > 0.3 ? 0.3 / most : 1;
    for (int halving = 0; halving <= MOST_HALVINGS; halving++, *part /= 2) {
        for (size_t k = 0; k < n; k++) h->level[k] = kept[k] + *part * step[k];
        if (orbit_there(h) == 0 && (actio_norm(n, h->rate) < size || most < 1e-8)) return 0;
    }
    return 1;
}

/* Newton's method on the levels. 0, or 1. */
static int find_levels(struct held *h)
{
    double step[MOST_LEVELS], most, part;
    if (orbit_there(h)) return 1;
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        if (level_step(h, step, &most) || descend(h, step, most, &part)) return 1;
        if (most * part < 1e-12) return 0;
    }
    return 1;
}

/* ---- the whole */

static int find_rows(struct held *h, struct actio_search *outer)
{
    const struct actio_model *m = h->s->problem->model;
    size_t levels = 0;
    for (size_t i = 0; i < m->constraints; i++) {
        if (!is_named(outer, m->constraint[i].label)) continue;
        if (m->constraint[i].kind != ACTIO_VELOCITY) return 1;
        if (h->count == MOST_LEVELS) return 1;
        h->row[h->count++] = i;
    }
    for (size_t i = m->params - h->count; i < m->params; i++) h->param[levels++] = i;
    return 0;
}

static int average_say(struct actio_search *s, const char *why)
{
    actio_report(s->problem->f, ACTIO_F_AVERAGE_FAILS, ACTIO_ARGS(ACTIO_TEXT(why)));
    return 1;
}

static void tell_levels(void *user)
{
    struct held *h = ((struct held **)user)[0];
    struct actio_search *outer = ((struct actio_search **)user)[1];
    struct actio_orbits *out = outer->out;
    const struct actio_model *m = h->s->problem->model;
    out->level_name = actio_arena_array(&out->arena, h->count + 1, sizeof *out->level_name);
    out->level = actio_arena_array(&out->arena, h->count + 1, sizeof *out->level);
    for (size_t k = 0; k < h->count; k++) {
        const struct actio_constraint *c = &m->constraint[h->row[k]];
        out->level_name[k] = actio_arena_text(&out->arena, c->label, strlen(c->label));
        double right = actio_model_number(h->s->problem->model, c->right);
        out->level[k] = isfinite(right) ? right : h->level[k];
    }
    out->levels = h->count;
    out->average_period = h->c.period;
}

/* The held orbit that no average changes, into `guess`. */
static int solve_held(struct actio_search *outer, struct actio_search *s, struct actio_motion *is_free,
                      struct actio_circuit *guess)
{
    struct held h = { .s = s, .is_free = is_free };
    if (find_rows(&h, outer))
        return average_say(outer, "only constraints on states and velocities can hold slow quantities");
    if (actio_orbit_guess(s)) return 1;
    int bad = 1;
    for (size_t i = 0; i < s->guesses && bad; i++) {
        actio_circuit_close(&h.c, s->problem->ctx);
        bad = actio_orbit_lay_guess(s, i, &h.c) || find_levels(&h);
    }
    if (bad)
        average_say(outer, h.reported.status ? "the constrained system has no periodic motion near the guess"
                                             : "no levels with vanishing averages were found");
    else bad = actio_attempt(s->problem->ctx, tell_levels, (void *[]){ &h, outer });
    /* the free motion may not keep near it for a whole turn */
    if (!bad) bad = actio_orbit_relay(s, &h.c, ALONG, guess);
    actio_circuit_close(&h.c, s->problem->ctx);
    return bad;
}

int actio_orbit_average(struct actio_search *outer, struct actio_model **free_model, struct actio_circuit *guess)
{
    struct actio_context *ctx = outer->problem->ctx;
    struct actio_findings *f = outer->problem->f;
    struct actio_problem problem, run_free;
    for (size_t i = 0; i < outer->options->averages; i++) {
        bool there = false;
        for (size_t k = 0; k < outer->problem->model->constraints; k++)
            there = there || strcmp(outer->problem->model->constraint[k].label, outer->options->average[i]) == 0;
        if (!there) {
            actio_report(f, ACTIO_F_AVERAGE_UNKNOWN, ACTIO_ARGS(ACTIO_TEXT(outer->options->average[i])));
            return 1;
        }
    }
    struct actio_model *held = make_model(outer, true);
    *free_model = held ? make_model(outer, false) : NULL;
    if (!*free_model) {
        actio_model_free(held);
        return 1;
    }
    actio_problem_open(&problem, ctx, held, &outer->options->run, f);
    actio_problem_open(&run_free, ctx, *free_model, &outer->options->run, f);
    struct actio_search s = { .problem = &problem, .out = outer->out, .options = outer->options, .tol = CLOSE };
    int bad =
        actio_orbit_ready(&s) || actio_principle_ready(&run_free) || solve_held(outer, &s, &run_free.motion, guess);
    for (size_t i = 0; i < s.guesses; i++) actio_free(ctx, s.guess[i].y);
    actio_orbit_close(&s.o);
    actio_problem_close(&run_free);
    actio_problem_close(&problem);
    ctx->findings = f;
    actio_model_free(held);
    return bad;
}

/* SPDX-License-Identifier: Apache-2.0
 * An orbit followed along a param, or a family of orbits along what the motion keeps: steps along the branch, what happens on the way (folds, period doublings,
 * tori, branchings) located and marked, the orbit at the end. */
#include "orbits.h"

#include "algebra/dense.h"
#include "solve/follow.h"
#include "solve/law.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 2000, MOST_LOCATE = 40 };
#define FIRST_STEP 0.01
#define LONGEST_STEP 0.1
#define SHORTEST_STEP 1e-7
#define LOCATED 1e-9                                       /* of the step: where something happens */

struct way {
    struct actio_search *s;
    struct actio_follow f;
    size_t param, column;                                  /* one of them counts: the other is its count */
    double from, to;
    actio_expr *slope;                                     /* d(definition i)/d(param j) at i*params + j */
    actio_expr *period_slope;
    double *direction;
    struct actio_circuit next;
    bool around;                                           /* some fold was passed */
};

/* ---- params */

static void by_params(struct actio_model *m, actio_expr e, const actio_expr *param, actio_expr *out) { actio_gradient(&m->pool, e, param, m->params, out); }

struct differentiating { struct way *w; };

static void differentiate(void *user)
{
    struct way *w = ((struct differentiating *)user)->w;
    struct actio_model *m = w->s->run->model;
    struct actio_arena *arena = &w->s->run->arena;
    size_t n = m->params;
    actio_expr *param = actio_arena_array(arena, n + 1, sizeof *param);
    for (uint32_t i = 0; i < n; i++) param[i] = actio_symbol(&m->pool, ACTIO_SPACE_PARAM, i);
    w->slope = actio_arena_array(arena, n * n + 1, sizeof *w->slope);
    w->period_slope = actio_arena_array(arena, n + 1, sizeof *w->period_slope);
    w->direction = actio_arena_array(arena, n + 1, sizeof *w->direction);
    for (size_t i = 0; i < n; i++)
        if (i != w->param) by_params(m, m->param[i].definition, param, w->slope + i * n);
    if (m->has_period) by_params(m, m->period, param, w->period_slope);
}

void actio_orbit_set_param(struct actio_model *m, size_t which, double value)
{
    m->param[which].value = value;
    for (size_t round = 0; round < m->params; round++) {
        bool changed = false;
        for (size_t i = 0; i < m->params; i++) {
            double x = i == which ? value : actio_model_number(m, m->param[i].definition);
            changed = changed || !(x == m->param[i].value);
            m->param[i].value = x;
        }
        if (!changed) return;
    }
}

void actio_orbit_pass_params(struct actio_search *s)
{
    struct actio_motion *m = &s->run->motion;
    for (size_t i = 0; i < s->run->model->params; i++) m->param[i] = s->run->param[i] = s->run->model->param[i].value;
    for (int q = 0; q < ACTIO_Q_COUNT; q++)
        if (m->at[q].k) actio_motion_prologue(m, (enum actio_quantity)q);
}

size_t actio_orbit_followed_param(const struct actio_search *s)
{
    const struct actio_model *m = s->run->model;
    size_t i = 0;
    while (i < m->params && (!s->options->follow || strcmp(m->param[i].name, s->options->follow) != 0)) i++;
    return i;
}

/* d param / da: those made from the one that is followed. */
static void find_direction(struct way *w)
{
    struct actio_model *m = w->s->run->model;
    size_t n = m->params;
    memset(w->direction, 0, n * sizeof *w->direction);
    w->direction[w->param] = 1;
    for (size_t round = 0; round < n; round++) {
        bool changed = false;
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (size_t j = 0; j < n && i != w->param; j++)
                if (!actio_is_zero(w->slope[i * n + j]) && w->direction[j] != 0) sum += actio_model_number(m, w->slope[i * n + j]) * w->direction[j];
            if (i == w->param) sum = 1;
            changed = changed || sum != w->direction[i];
            w->direction[i] = sum;
        }
        if (!changed) break;
    }
}

static int set(void *user, double a, double *period, double *slope)
{
    struct way *w = user;
    struct actio_model *m = w->s->run->model;
    actio_orbit_set_param(m, w->param, a);
    for (size_t i = 0; i < m->params; i++)
        if (!isfinite(m->param[i].value)) return 1;
    find_direction(w);
    actio_orbit_pass_params(w->s);
    actio_tangent_direct(&w->s->o.x, w->direction);
    *slope = 0;
    if (!m->has_period) return 0;
    *period = actio_model_number(m, m->period);
    for (size_t j = 0; j < m->params; j++)
        if (w->direction[j] != 0 && !actio_is_zero(w->period_slope[j])) *slope += actio_model_number(m, w->period_slope[j]) * w->direction[j];
    return !(*period > 0);
}

/* ---- points of the branch */

/* The column at the first node: what the family is told by. */
static double column_value(struct way *w, const struct actio_circuit *c)
{
    struct actio_motion *m = &w->s->run->motion;
    if (actio_motion_need(m, ACTIO_Q_OUTPUTS) || actio_motion_solve(m, w->s->o.t0, c->y)) return NAN;
    return actio_motion_quantity(m, ACTIO_Q_OUTPUTS, w->s->o.t0, c->y)[w->column];
}

static double place(struct way *w, const struct actio_circuit *c, double a) { return w->f.in_param ? a : column_value(w, c); }

static int keep(struct actio_search *s, struct actio_found *f)
{
    struct actio_orbits *out = s->out;
    if (out->points == out->points_room) {
        size_t room = out->points_room ? 2 * out->points_room : 64;
        struct actio_found **more = actio_take(s->run->ctx, room, sizeof *more);
        if (!more) return 1;
        if (out->points) memcpy(more, out->branch, out->points * sizeof *more);
        actio_give(s->run->ctx, out->branch);
        out->branch = more, out->points_room = room;
    }
    out->branch[out->points++] = f;
    return 0;
}

/* What is told of the orbit at this point; NULL: no memory, or stopped. */
static struct actio_found *look(struct way *w, const struct actio_circuit *c, double a)
{
    struct actio_search *s = w->s;
    struct actio_found *f = actio_take(s->run->ctx, 1, sizeof *f);
    double period, slope;
    if (!f || actio_circuit_open(&f->c, s->run->ctx, s->o.ny, c->nodes)) return actio_give(s->run->ctx, f), NULL;
    actio_circuit_copy(&f->c, c);
    if (w->f.in_param) set(w, a, &period, &slope);
    f->param = place(w, c, a);
    f->mark = "";
    f->told = (struct actio_orbit_told){ .local = w->f.local, .residual = NAN, .period_error = NAN };
    if (actio_orbit_describe(s, f) == 0) return f;
    actio_found_free(s->run->ctx, f);
    return NULL;
}

/* ---- what happens on the way */

enum kind { FOLD, DOUBLING, TORUS, BRANCH, KINDS };
static const char *const mark_of[KINDS] = { "fold", "period doubling", "torus", "branch" };
struct counts { int plus, minus, pairs; };

/* Multipliers outside of the unit circle, those that are 1 by themselves left out. */
static struct counts count_outside(const struct actio_found *f)
{
    struct counts c = { 0, 0, 0 };
    for (size_t i = 0; i < f->multipliers; i++) {
        const struct actio_multiplier *m = &f->multiplier[i];
        if (f->trivial[i] || !(m->log_modulus > 0)) continue;
        if (m->im != 0) c.pairs++;
        else if (m->re > 0) c.plus++;
        else c.minus++;
    }
    return c;
}

/* Which of them happened between two points; KINDS: none. */
static enum kind happened(const struct actio_found *a, const struct actio_found *b, double before, double after)
{
    if (before * after < 0) return FOLD;
    struct counts x = count_outside(a), y = count_outside(b);
    if (a->multipliers == 0 || b->multipliers == 0) return KINDS;
    if (x.minus != y.minus && x.pairs == y.pairs) return DOUBLING;
    if (x.pairs != y.pairs && x.plus == y.plus && x.minus == y.minus) return TORUS;
    if (x.plus != y.plus && x.pairs == y.pairs) return BRANCH;
    return KINDS;
}

static double param_part(const struct way *w) { return w->f.in_param ? w->f.tangent[w->f.unknowns - 1] : 1; }

/* The function whose zero it is, at a point beyond the last one. */
static double sign_of(const struct way *w, enum kind kind, const struct actio_found *f, const struct counts *start, double part)
{
    struct counts c = count_outside(f);
    (void)w;
    switch (kind) {
    case FOLD: return part;
    case DOUBLING: return c.minus == start->minus ? 1 : -1;
    case TORUS: return c.pairs == start->pairs ? 1 : -1;
    default: return c.plus == start->plus ? 1 : -1;
    }
}

/* Goes from the point in hand by parts of the step h, halving towards where it happens; keeps that point, marked. 0, or 1. */
static int locate(struct way *w, enum kind kind, const struct actio_found *from, double h)
{
    struct actio_search *s = w->s;
    struct counts start = count_outside(from);
    double low = 0, high = h, a, first = param_part(w), kept_part = first;
    double *tangent = actio_take(s->run->ctx, 2 * w->f.unknowns + s->o.ny + 1, sizeof *tangent);
    struct actio_circuit home = { 0 };
    struct actio_found *best = NULL;
    double home_a = w->f.a;
    if (!tangent || actio_circuit_open(&home, s->run->ctx, s->o.ny, w->f.at.nodes)) return actio_give(s->run->ctx, tangent), 1;
    memcpy(tangent, w->f.tangent, w->f.unknowns * sizeof *tangent), memcpy(tangent + w->f.unknowns, w->f.y_tangent, s->o.ny * sizeof *tangent);
    actio_circuit_copy(&home, &w->f.at);
    double g_low = first, g_high = -first, local = w->f.local;
    w->f.local = 1e-12;
    for (int i = 0; i < MOST_LOCATE && fabs(high - low) > LOCATED * fabs(h); i++) {
        double middle = 0.5 * (low + high);
        if (kind == FOLD && i > 1 && g_low != g_high) {    /* the tangent's part is smooth: by secants, kept inside */
            double guess = low + (high - low) * g_low / (g_low - g_high), inset = 0.02 * (high - low);
            middle = fmin(fmax(guess, fmin(low, high) + fabs(inset)), fmax(low, high) - fabs(inset));
        }
        if (actio_follow_step(&w->f, middle, false, 0, &w->next, &a)) break;
        if (actio_follow_take(&w->f, &w->next)) break;     /* its own tangent there */
        w->f.a = a;
        int bad = kind == FOLD ? actio_follow_tangent(&w->f, false, false) : 0;
        kept_part = param_part(w);
        struct actio_found *f = bad ? NULL : look(w, &w->next, a);
        memcpy(w->f.tangent, tangent, w->f.unknowns * sizeof *tangent), memcpy(w->f.y_tangent, tangent + w->f.unknowns, s->o.ny * sizeof *tangent);
        actio_follow_take(&w->f, &home), w->f.a = home_a;
        if (!f) break;
        double g = sign_of(w, kind, f, &start, kept_part), same = kind == FOLD ? g * first : g;
        if (same > 0) low = middle, g_low = g;
        else high = middle, g_high = g;
        actio_found_free(s->run->ctx, best);
        best = f;
    }
    w->f.local = local;
    actio_give(s->run->ctx, tangent), actio_circuit_close(&home, s->run->ctx);
    if (!best) return 0;
    best->mark = mark_of[kind];
    return keep(s, best);
}

/* ---- the walk */

/* As many nodes as the orbit's instability asks for by now. */
static int nodes_again(struct way *w)
{
    struct actio_search *s = w->s;
    struct actio_circuit c = { 0 };
    double *y = actio_take(s->run->ctx, s->o.ny + 1, sizeof *y);
    if (!y) return 1;
    double period, slope;
    memcpy(y, w->f.at.y, s->o.ny * sizeof *y);
    if (w->f.in_param) set(w, w->f.a, &period, &slope);    /* looking closer may have left others */
    actio_tangent_direct(&s->o.x, NULL);
    size_t nodes = actio_orbit_nodes(s, y, w->f.at.period);
    int bad = 0;
    if (nodes > w->f.at.nodes || 3 * nodes < w->f.at.nodes) {
        bad = actio_orbit_relay(s, &w->f.at, nodes, &c) || actio_follow_take(&w->f, &c);
        actio_circuit_close(&c, s->run->ctx);
        if (!bad && w->next.room < nodes) {
            actio_circuit_close(&w->next, s->run->ctx);
            bad = actio_circuit_open(&w->next, s->run->ctx, s->o.ny, nodes + 8);
        }
    }
    actio_give(s->run->ctx, y);
    return bad;
}

static void measure_param(struct way *w) { w->f.a_size = fmax(fabs(w->f.a), 1e-2 * fabs(w->to - w->from)); }

static bool beyond(const struct way *w, double at, double end) { return (at - end) * (w->to - w->from) >= 0; }

/* The orbit exactly at the end of the way. */
static int arrive(struct way *w, double value)
{
    struct actio_search *s = w->s;
    double a, low = 0, high = LONGEST_STEP, local = w->f.local;
    w->f.local = 1e-12;
    int bad = 0;
    if (w->f.in_param) bad = actio_follow_step(&w->f, 0, true, value, &w->next, &a);
    else for (int i = 0; i < 50 && !bad; i++) {            /* along the family by halving */
        double middle = 0.5 * (low + high);
        bad = actio_follow_step(&w->f, middle, false, 0, &w->next, &a);
        if (!bad && beyond(w, column_value(w, &w->next), value)) high = middle;
        else low = middle;
    }
    w->f.local = local;
    if (bad) return bad;
    struct actio_circuit guess = { 0 };
    struct actio_orbit_told told = { 0 };
    if (actio_circuit_open(&guess, s->run->ctx, s->o.ny, w->next.nodes)) return 1;
    actio_circuit_copy(&guess, &w->next);
    double period, slope;
    if (w->f.in_param) set(w, value, &period, &slope);
    struct actio_found *f = actio_orbit_solve(s, &guess, &told), *point;
    actio_circuit_close(&guess, s->run->ctx);
    if (!f) return actio_orbit_say(s, &told), -2;
    f->param = value, f->mark = "end";
    point = look(w, &f->c, value);
    if (point) point->mark = "end", keep(s, point);
    return actio_orbit_keep(s, f);
}

static int fail(struct way *w, int bad)
{
    struct actio_run *run = w->s->run;
    if (bad == -2) return 1;
    if (!actio_run_say_limits(run, bad, "following the orbit"))
        actio_find(run->f, ACTIO_F_FOLLOW_STUCK, ACTIO_ARGS(ACTIO_TEXT(w->s->options->follow), ACTIO_NUMBER(place(w, &w->f.at, w->f.a))));
    return 1;
}

/* One step of suitable length from the point in hand; *h is adapted. */
static int advance(struct way *w, double *h, double *a)
{
    for (;;) {
        int bad = actio_follow_step(&w->f, *h, false, 0, &w->next, a);
        if (!bad || bad == ACTIO_FLOW_STOPPED || bad == ACTIO_MARCH_NO_MEMORY) return bad;
        *h /= 2;
        if (*h < SHORTEST_STEP) return bad;
    }
}

/* The tangent turns too much in one step when its product with the last one is small. */
static int turn(struct way *w, double *old, double *product)
{
    size_t n = w->f.unknowns;
    memcpy(old, w->f.tangent, n * sizeof *old);
    int bad = actio_follow_tangent(&w->f, false, false);
    *product = actio_dot(n, old, w->f.tangent);
    return bad;
}

static int walk(struct way *w, struct actio_found *first)
{
    struct actio_search *s = w->s;
    struct actio_found *last = first;
    double h = FIRST_STEP, a, product, *old = actio_take(s->run->ctx, w->f.unknowns + 1, sizeof *old);
    int bad = old ? actio_follow_tangent(&w->f, true, w->to > w->from) : ACTIO_MARCH_NO_MEMORY;
    if (!bad && !w->f.in_param) {                          /* the family has two directions: the one that leads to the end */
        bad = actio_follow_step(&w->f, FIRST_STEP, false, 0, &w->next, &a);
        bool wrong = !bad && !beyond(w, column_value(w, &w->next), w->from);
        for (size_t i = 0; i < w->f.unknowns && wrong; i++) w->f.tangent[i] = -w->f.tangent[i];
        for (size_t i = 0; i < s->o.ny && wrong; i++) w->f.y_tangent[i] = -w->f.y_tangent[i];
    }
    for (size_t step = 0; step < MOST_POINTS && !bad; step++) {
        bad = advance(w, &h, &a);
        if (bad) break;
        double part = param_part(w), at = place(w, &w->next, a);
        if (beyond(w, at, w->to)) { bad = arrive(w, w->to); break; }
        struct actio_found *f = look(w, &w->next, a);
        if (!f) { bad = actio_stopped(s->run->ctx) ? ACTIO_FLOW_STOPPED : ACTIO_MARCH_NO_MEMORY; break; }
        struct actio_circuit home = { 0 };
        if (actio_circuit_open(&home, s->run->ctx, s->o.ny, w->f.at.nodes)) { bad = ACTIO_MARCH_NO_MEMORY; break; }
        actio_circuit_copy(&home, &w->f.at);
        double home_a = w->f.a;
        bad = actio_follow_take(&w->f, &w->next);
        w->f.a = a;
        if (!bad) bad = turn(w, old, &product);
        enum kind what = bad ? KINDS : happened(last, f, part, w->f.in_param ? param_part(w) : part);
        if (what != KINDS) {                               /* back, look closer, and on */
            double *now = actio_take(s->run->ctx, w->f.unknowns + s->o.ny + 1, sizeof *now);
            if (now) {
                memcpy(now, w->f.tangent, w->f.unknowns * sizeof *now), memcpy(now + w->f.unknowns, w->f.y_tangent, s->o.ny * sizeof *now);
                struct actio_circuit there = { 0 };
                if (actio_circuit_open(&there, s->run->ctx, s->o.ny, w->next.nodes) == 0) {
                    actio_circuit_copy(&there, &w->next);
                    actio_follow_take(&w->f, &home), w->f.a = home_a;
                    bad = actio_follow_tangent(&w->f, false, false);
                    if (actio_dot(w->f.unknowns, old, w->f.tangent) < 0)
                        for (size_t i = 0; i < w->f.unknowns; i++) w->f.tangent[i] = -w->f.tangent[i];
                    if (!bad) bad = locate(w, what, last, h) ? ACTIO_MARCH_NO_MEMORY : 0;
                    actio_follow_take(&w->f, &there), w->f.a = a;
                    memcpy(w->f.tangent, now, w->f.unknowns * sizeof *now), memcpy(w->f.y_tangent, now + w->f.unknowns, s->o.ny * sizeof *now);
                }
                actio_circuit_close(&there, s->run->ctx);
            }
            actio_give(s->run->ctx, now);
            w->around = w->around || what == FOLD;
        }
        actio_circuit_close(&home, s->run->ctx);
        if (keep(s, f)) { bad = ACTIO_MARCH_NO_MEMORY; break; }
        last = f;
        if (!bad && !beyond(w, at, w->from)) {             /* came back to where it began, on another sheet */
            actio_find(s->run->f, ACTIO_F_FOLLOW_BACK, ACTIO_ARGS(ACTIO_TEXT(s->options->follow), ACTIO_NUMBER(w->from), ACTIO_NUMBER(w->to)));
            bad = arrive(w, w->from);
            break;
        }
        if (!bad && step % 8 == 7) bad = nodes_again(w) || actio_follow_tangent(&w->f, false, false) ? ACTIO_MARCH_NO_MEMORY : 0;
        measure_param(w);
        h = product < 0.94 ? h / 2 : w->f.iterations <= 4 && product > 0.98 ? fmin(1.5 * h, LONGEST_STEP) : h;
        if (s->run->ctx->progress) s->run->ctx->progress(s->run->ctx->progress_user, "the branch", fabs(at - w->from), fabs(w->to - w->from));
        if (step + 1 == MOST_POINTS) bad = -1;
    }
    actio_give(s->run->ctx, old);
    return bad;
}

int actio_orbit_follow(struct actio_search *s, struct actio_found *first)
{
    struct actio_run *run = s->run;
    struct actio_model *m = run->model;
    struct way w = { .s = s, .param = actio_orbit_followed_param(s), .column = 0, .to = actio_model_number(m, m->way_to) };
    bool in_param = w.param < m->params;
    if (!in_param) while (w.column < run->sys->columns && strcmp(run->sys->column[w.column].name, s->options->follow) != 0) w.column++;
    if (!in_param && w.column == run->sys->columns) return actio_find(run->f, ACTIO_F_FOLLOW_UNKNOWN, ACTIO_ARGS(ACTIO_TEXT(s->options->follow))), 1;
    if (actio_attempt(run->ctx, differentiate, &(struct differentiating){ &w })) return 1;
    double start = in_param ? m->param[w.param].value : 0;
    int bad = actio_follow_open(&w.f, &s->o, &first->c, start, in_param) || actio_circuit_open(&w.next, run->ctx, s->o.ny, first->c.nodes + 8) ? ACTIO_MARCH_NO_MEMORY : 0;
    w.f.set = set, w.f.user = &w;
    if (!bad) {
        w.from = in_param ? actio_model_number(m, m->way_from) : column_value(&w, &first->c);
        measure_param(&w);
        struct actio_found *point = look(&w, &first->c, start);
        bad = !point || keep(s, point) ? ACTIO_MARCH_NO_MEMORY : 0;
        if (point) point->mark = "start";
        if (!bad) bad = walk(&w, point);
    }
    actio_tangent_direct(&s->o.x, NULL);
    if (bad) bad = fail(&w, bad);
    actio_follow_close(&w.f);
    actio_circuit_close(&w.next, run->ctx);
    return bad;
}

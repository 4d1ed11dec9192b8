/* SPDX-License-Identifier: Apache-2.0
 * An orbit followed along a param, or a family of orbits along what the motion keeps: steps along the branch, what
 * happens on the way (folds, period doublings,
 * tori, branchings) located and marked, the orbit at the end. */
#include "orbit/orbits.h"

#include "algebra/dense.h"
#include "solve/continuation.h"
#include "solve/law.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 2000, MOST_LOCATE = 40 };
#define OFF_CIRCLE 1e-4 /* of moduli, where pairs stay on the circle but for rounding */
#define OFF_ONE 1e-5
#define LONGEST_PERIOD 1e3 /* times that of the first orbit: it ends in a motion that does not come back */
#define FIRST_STEP 0.01
#define LONGEST_STEP 0.03
#define SHORTEST_STEP 1e-7
#define LOCATED 1e-9 /* of the step: where something happens */

struct way {
    struct actio_search *s;
    struct actio_follow f;
    size_t param, column; /* one of them counts: the other is its count */
    double from, to;
    actio_expr *slope; /* d(definition i)/d(param j) at i*params + j */
    actio_expr *period_slope;
    double *direction;
    struct actio_circuit next;
    struct actio_found *last;         /* the point before */
    double h, first_period, passed_a; /* length of the next step; the param beyond the end */
};

/* ---- params */

static void by_params(struct actio_model *m, actio_expr e, const actio_expr *param, actio_expr *out)
{
    actio_gradient(&m->pool, e, param, m->params, out);
}

struct differentiating {
    struct way *w;
};

static void differentiate(void *user)
{
    struct way *w = ((struct differentiating *)user)->w;
    struct actio_model *m = w->s->problem->model;
    struct actio_arena *arena = &w->s->problem->arena;
    size_t n = m->params;
    actio_expr *param = actio_arena_array(arena, n + 1, sizeof *param);
    for (uint32_t i = 0; i < n; i++) param[i] = actio_symbol(&m->pool, ACTIO_SPACE_PARAM, i);
    w->slope = actio_arena_array(arena, n * n + 1, sizeof *w->slope);
    w->period_slope = actio_arena_array(arena, n + 1, sizeof *w->period_slope);
    w->direction = actio_arena_array(arena, n + 1, sizeof *w->direction);
    for (size_t i = 0; i < n; i++)
        if (i != w->param) by_params(m, m->param[i].definition, param, w->slope + i * n);
    if (m->orbit.has_period) by_params(m, m->orbit.period, param, w->period_slope);
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
    struct actio_motion *m = &s->problem->motion;
    for (size_t i = 0; i < s->problem->model->params; i++)
        m->here.param[i] = s->problem->param[i] = s->problem->model->param[i].value;
    for (int q = 0; q < ACTIO_Q_COUNT; q++)
        if (m->at[q].k) actio_motion_prologue(m, (enum actio_quantity)q);
}

size_t actio_orbit_followed_param(const struct actio_search *s)
{
    const struct actio_model *m = s->problem->model;
    size_t i = 0;
    while (i < m->params && (!s->options->follow || strcmp(m->param[i].name, s->options->follow) != 0)) i++;
    return i;
}

size_t actio_orbit_followed_column(const struct actio_search *s)
{
    const struct actio_system *sys = s->problem->sys;
    size_t c = 0;
    while (c < sys->output.columns && strcmp(sys->output.column[c].name, s->options->follow) != 0) c++;
    return c;
}

/* d param / da: those made from the one that is followed. */
static void find_direction(struct way *w)
{
    struct actio_model *m = w->s->problem->model;
    size_t n = m->params;
    memset(w->direction, 0, n * sizeof *w->direction);
    w->direction[w->param] = 1;
    for (size_t round = 0; round < n; round++) {
        bool changed = false;
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (size_t j = 0; j < n && i != w->param; j++)
                if (!actio_is_zero(w->slope[i * n + j]) && w->direction[j] != 0)
                    sum += actio_model_number(m, w->slope[i * n + j]) * w->direction[j];
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
    struct actio_model *m = w->s->problem->model;
    actio_orbit_set_param(m, w->param, a);
    for (size_t i = 0; i < m->params; i++)
        if (!isfinite(m->param[i].value)) return 1;
    find_direction(w);
    actio_orbit_pass_params(w->s);
    actio_tangent_direct(&w->s->o.x, w->direction);
    *slope = 0;
    if (!m->orbit.has_period) return 0;
    *period = actio_model_number(m, m->orbit.period);
    for (size_t j = 0; j < m->params; j++)
        if (w->direction[j] != 0 && !actio_is_zero(w->period_slope[j]))
            *slope += actio_model_number(m, w->period_slope[j]) * w->direction[j];
    return !(*period > 0);
}

/* ---- points of the branch */

/* The column at the first node: what the family is known by. */
static double column_value(struct way *w, const struct actio_circuit *c)
{
    struct actio_motion *m = &w->s->problem->motion;
    if (actio_motion_need(m, ACTIO_Q_OUTPUTS) || actio_motion_solve(m, w->s->o.t0, c->y)) return NAN;
    return actio_motion_quantity(m, ACTIO_Q_OUTPUTS, w->s->o.t0, c->y)[w->column];
}

static double place(struct way *w, const struct actio_circuit *c, double a)
{
    return w->f.in_param ? a : column_value(w, c);
}

static int branch_keep(struct actio_search *s, struct actio_found *f)
{
    struct actio_orbits *out = s->out;
    if (out->points == out->points_room) {
        size_t room = out->points_room ? 2 * out->points_room : 64;
        struct actio_found **more = actio_alloc(s->problem->ctx, room, sizeof *more);
        if (!more) {
            actio_found_free(s->problem->ctx, f);
            return 1;
        }
        if (out->points) memcpy(more, out->branch, out->points * sizeof *more);
        actio_free(s->problem->ctx, out->branch);
        out->branch = more;
        out->points_room = room;
    }
    out->branch[out->points++] = f;
    return 0;
}

/* The report of the orbit at this point; NULL: no memory, or stopped. */
static struct actio_found *branch_look(struct way *w, const struct actio_circuit *c, double a)
{
    struct actio_search *s = w->s;
    struct actio_found *f = actio_alloc(s->problem->ctx, 1, sizeof *f);
    double period, slope;
    if (!f || actio_circuit_open(&f->c, s->problem->ctx, s->o.ny, c->nodes)) {
        actio_free(s->problem->ctx, f);
        return NULL;
    }
    actio_circuit_copy(&f->c, c);
    if (w->f.in_param) set(w, a, &period, &slope);
    f->param = place(w, c, a);
    f->mark = "";
    f->reported = (struct actio_orbit_report){ .local = w->f.local, .residual = NAN, .period_error = NAN };
    if (actio_orbit_describe(s, f) == 0) return f;
    actio_found_free(s->problem->ctx, f);
    return NULL;
}

/* ---- what happens on the way */

enum kind { FOLD, DOUBLING, TORUS, BRANCH, KINDS };
static const char *const mark_of[KINDS] = { "fold", "period doubling", "torus", "branch" };
struct counts {
    int plus, minus, pairs;
};

/* Multipliers outside of the unit circle, those that are 1 by themselves left out. */
static struct counts count_outside(const struct actio_found *f, double margin)
{
    struct counts c = { 0, 0, 0 };
    for (size_t i = 0; i < f->multipliers; i++) {
        const struct actio_multiplier *m = &f->multiplier[i];
        /* some are 1, or on the circle, for reasons of their own: rounding decides nothing */
        if (f->trivial[i] || !(m->log_modulus > (m->im == 0 && m->re < 0 ? 0 : margin))) continue;
        if (m->im != 0) c.pairs++;
        else if (m->re > 0) c.plus++;
        else c.minus++;
    }
    return c;
}

/* Which of them happened between two points; KINDS: none. */
static enum kind happened(const struct way *w, const struct actio_found *a, const struct actio_found *b, double before,
                          double after)
{
    if (before * after < 0) return FOLD;
    double margin = w->s->conservative ? OFF_CIRCLE : OFF_ONE;
    struct counts x = count_outside(a, margin), y = count_outside(b, margin);
    if (a->multipliers == 0 || b->multipliers == 0) return KINDS;
    if (x.minus != y.minus && x.pairs == y.pairs) return DOUBLING;
    if (x.pairs != y.pairs && x.plus == y.plus && x.minus == y.minus) return TORUS;
    if (x.plus != y.plus && x.pairs == y.pairs) return BRANCH;
    return KINDS;
}

static double param_part(const struct way *w) { return w->f.in_param ? w->f.tangent[w->f.unknowns - 1] : 1; }

/* The function whose zero it is: of a fold the param's part of the tangent, of the others how far the multiplier that
 * crosses is from where it does. */
static double crossing(enum kind kind, const struct actio_found *f, double part)
{
    double nearest = INFINITY;
    for (size_t i = 0; i < f->multipliers; i++) {
        const struct actio_multiplier *m = &f->multiplier[i];
        if (f->trivial[i] || (kind == TORUS) != (m->im != 0) || (kind != TORUS && (m->re > 0) != (kind == BRANCH)))
            continue;
        double d = kind == TORUS ? -m->log_modulus : kind == BRANCH ? 1 - m->re : 1 + m->re;
        if (fabs(d) < fabs(nearest)) nearest = d;
    }
    return kind == FOLD ? part : nearest;
}

/* A place on the branch, to come back to. */
struct spot {
    struct actio_circuit c;
    double a, *tangent;
};

static void forget(struct way *w, struct spot *x)
{
    actio_circuit_close(&x->c, w->s->problem->ctx);
    actio_free(w->s->problem->ctx, x->tangent);
}

static int remember(struct way *w, struct spot *x)
{
    size_t n = w->f.unknowns, ny = w->s->o.ny;
    *x = (struct spot){ .a = w->f.a, .tangent = actio_alloc(w->s->problem->ctx, n + ny + 1, sizeof(double)) };
    if (!x->tangent || actio_circuit_open(&x->c, w->s->problem->ctx, ny, w->f.at.nodes)) return ACTIO_MARCH_NO_MEMORY;
    actio_circuit_copy(&x->c, &w->f.at);
    memcpy(x->tangent, w->f.tangent, n * sizeof(double));
    memcpy(x->tangent + n, w->f.y_tangent, ny * sizeof(double));
    return 0;
}

static void go_back(struct way *w, const struct spot *x)
{
    size_t n = w->f.unknowns;
    actio_follow_take(&w->f, &x->c); /* there was room for it before */
    w->f.a = x->a;
    memcpy(w->f.tangent, x->tangent, n * sizeof(double));
    memcpy(w->f.y_tangent, x->tangent + n, w->s->o.ny * sizeof(double));
}

/* The orbit at a part of the step from here, and the part of the param in the tangent there. NULL: it can't be had. */
static struct actio_found *look_at_part(struct way *w, const struct spot *home, double part, double *param)
{
    double a;
    struct actio_found *f = NULL;
    if (actio_follow_step(&w->f, part, false, 0, &w->next, &a) == 0 && actio_follow_take(&w->f, &w->next) == 0) {
        w->f.a = a;
        if (actio_follow_tangent(&w->f, false, false) == 0) {
            *param = param_part(w);
            f = branch_look(w, &w->next, a);
        }
    }
    go_back(w, home);
    return f;
}

/* Where branches cross the orbit itself is hard to meet, and drifts: points farther off locate it, by inverse
 * interpolation. */
enum { NEIGHBOURS = 6 };
struct neighbours {
    double g[NEIGHBOURS], at[NEIGHBOURS];
    size_t count;
};

static void note_neighbour(struct neighbours *n, double g, double at)
{
    if (!(fabs(g) > 1e-5 && fabs(g) < 0.3)) return;
    size_t k = n->count;
    if (k == NEIGHBOURS) { /* the farthest goes */
        k = 0;
        for (size_t i = 1; i < NEIGHBOURS; i++)
            if (fabs(n->g[i]) > fabs(n->g[k])) k = i;
        if (fabs(n->g[k]) < fabs(g)) return;
    } else n->count++;
    n->g[k] = g;
    n->at[k] = at;
}

static double place_by_neighbours(const struct neighbours *n)
{
    double sum = 0;
    for (size_t i = 0; i < n->count; i++) {
        double weight = 1;
        for (size_t k = 0; k < n->count; k++)
            if (k != i) weight *= n->g[k] / (n->g[k] - n->g[i]);
        sum += weight * n->at[i];
    }
    return sum;
}

/* Goes from the point in hand by parts of the step h towards where it happens, by secants kept inside; keeps that
 * point, marked. 0, or 1. */
static int locate(struct way *w, enum kind kind, const struct actio_found *from, double h)
{
    struct spot home;
    struct actio_found *best = NULL;
    struct neighbours near = { .count = 0 };
    double low = 0, high = h, part = param_part(w), first = crossing(kind, from, part), g_low = first, g_high = -first,
           local = w->f.local;
    int bad = remember(w, &home), failed = 0;
    w->f.local = 1e-12;
    for (int i = 0; i < MOST_LOCATE && !bad && high - low > LOCATED * h; i++) {
        double middle = 0.5 * (low + high), guess = low + (high - low) * g_low / (g_low - g_high),
               inset = 0.02 * (high - low);
        if (i > 1 && i % 3 && isfinite(guess)) middle = fmin(fmax(guess, low + inset), high - inset);
        struct actio_found *f = look_at_part(w, &home, middle, &part);
        if (!f && ++failed == 4) break;
        if (!f) {
            middle = low + (high - low) * (0.2 + 0.17 * failed);
            f = look_at_part(w, &home, middle, &part);
        } /* where branches cross, the point itself may be hard to meet */
        if (!f) continue;
        double g = crossing(kind, f, part);
        note_neighbour(&near, g, f->param);
        if (g * first > 0) {
            low = middle;
            g_low = g;
        } else {
            high = middle;
            g_high = g;
        }
        actio_found_free(w->s->problem->ctx, best);
        best = f;
        if (fabs(g) < 1e-11) break;
    }
    w->f.local = local;
    forget(w, &home);
    if (!best) return bad != 0;
    best->mark = mark_of[kind];
    if (kind == BRANCH && near.count >= 3) best->param = place_by_neighbours(&near);
    return branch_keep(w->s, best);
}

/* ---- the walk */

/* Sizes as the orbit has them by now; the tangent is measured by them. */
static int sizes_again(struct way *w)
{
    struct actio_search *s = w->s;
    size_t ny = s->o.ny;
    const double *mean = w->last->mean;
    double *range = actio_alloc(s->problem->ctx, 3 * ny + 1, sizeof *range), *value = range ? range + ny : NULL,
           *old = range ? value + ny : NULL;
    if (!range) return 1;
    for (size_t i = 0; i < ny; i++) {
        double low = mean[2 * ny + i], high = mean[3 * ny + i];
        range[i] = s->o.turn[i] != 0 ? fabs(s->o.turn[i]) : high - low;
        value[i] = s->o.turn[i] != 0 ? 0 : fmax(fabs(low), fabs(high));
        old[i] = s->o.scale[i];
    }
    actio_orbit_sizes(&s->o, range, value, w->f.at.period);
    for (size_t i = 0; i < ny; i++) w->f.y_tangent[i] *= old[i] / s->o.scale[i];
    actio_free(s->problem->ctx, range);
    return 0;
}

/* As many nodes as the orbit's instability needs now, or at least so many. */
static int nodes_again(struct way *w, size_t least)
{
    struct actio_search *s = w->s;
    struct actio_circuit c = { 0 };
    double *y = actio_alloc(s->problem->ctx, s->o.ny + 1, sizeof *y);
    if (!y) return 1;
    double period, slope;
    memcpy(y, w->f.at.y, s->o.ny * sizeof *y);
    if (w->f.in_param) set(w, w->f.a, &period, &slope); /* looking closer may have left others */
    actio_tangent_direct(&s->o.x, NULL);
    size_t nodes = actio_orbit_nodes(s, y, w->f.at.period);
    int bad = 0;
    if (nodes < least) nodes = least;
    if (nodes > w->f.at.nodes || 3 * nodes < w->f.at.nodes) {
        bad = actio_orbit_relay(s, &w->f.at, nodes, &c) || actio_follow_take(&w->f, &c);
        actio_circuit_close(&c, s->problem->ctx);
        if (!bad && w->next.room < nodes) {
            actio_circuit_close(&w->next, s->problem->ctx);
            bad = actio_circuit_open(&w->next, s->problem->ctx, s->o.ny, nodes + 8);
        }
    }
    actio_free(s->problem->ctx, y);
    return bad;
}

/* Changes of the param are measured by its value; around 0 by that at the start, or by the way. */
static void measure_param(struct way *w)
{
    double way = fabs(w->to - w->from), start = fabs(w->from) > 0 ? fmin(fabs(w->from), way) : way;
    w->f.a_size = fmax(fabs(w->f.a), 1e-2 * start);
}

static bool beyond(const struct way *w, double at, double end) { return (at - end) * (w->to - w->from) >= 0; }

/* The orbit exactly at the end of the way. */
static int arrive(struct way *w, double value)
{
    struct actio_search *s = w->s;
    double a = w->f.a, low = 0, high = w->h, local = w->f.local, g_low = place(w, &w->f.at, w->f.a) - value,
           g_high = place(w, &w->next, w->passed_a) - value;
    w->f.local = 1e-12;
    int bad = 0;
    /* along the branch by secants, kept inside: the param itself may stand nearly still */
    for (int i = 0; i < 60 && !bad; i++) {
        double guess = low + (high - low) * g_low / (g_low - g_high), inset = 1e-3 * (high - low),
               middle =
                   i % 4 == 3 || !isfinite(guess) ? 0.5 * (low + high) : fmin(fmax(guess, low + inset), high - inset);
        bad = actio_follow_step(&w->f, middle, false, 0, &w->next, &a);
        double g = bad ? NAN : place(w, &w->next, a) - value;
        if (fabs(g) <= 1e-13 * fmax(fabs(value), w->f.a_size) || high - low < 1e-14) break;
        if (g * g_low > 0) {
            low = middle;
            g_low = g;
        } else {
            high = middle;
            g_high = g;
        }
    }
    w->f.local = local;
    if (bad) return bad;
    struct actio_circuit guess = { 0 };
    struct actio_orbit_report reported = { 0 };
    if (actio_circuit_open(&guess, s->problem->ctx, s->o.ny, w->next.nodes)) return 1;
    actio_circuit_copy(&guess, &w->next);
    double period, slope;
    if (w->f.in_param) set(w, value, &period, &slope);
    struct actio_found *f = actio_orbit_solve(s, &guess, &reported), *point;
    actio_circuit_close(&guess, s->problem->ctx);
    if (!f) {
        actio_orbit_say(s, &reported);
        return -2;
    }
    f->param = value;
    f->mark = "end";
    point = branch_look(w, &f->c, value);
    if (point) {
        point->mark = "end";
        branch_keep(s, point);
    }
    return actio_orbit_keep(s, f);
}

static int fail(struct way *w, int bad)
{
    struct actio_problem *problem = w->s->problem;
    if (bad == -2) return 1;
    if (!actio_problem_report_limits(problem, bad, "following the orbit"))
        actio_report(problem->f, ACTIO_F_FOLLOW_STUCK,
                     ACTIO_ARGS(ACTIO_TEXT(w->s->options->follow), ACTIO_NUMBER(place(w, &w->f.at, w->f.a))));
    return 1;
}

/* One step of suitable length from the point in hand. Where short ones fail, more nodes may help. */
static int branch_advance(struct way *w, double *a)
{
    bool helped = false;
    for (;;) {
        int bad = actio_follow_step(&w->f, w->h, false, 0, &w->next, a);
        if (!bad || bad == ACTIO_FLOW_STOPPED || bad == ACTIO_MARCH_NO_MEMORY) return bad;
        w->h /= 2;
        if (w->h > SHORTEST_STEP) continue;
        if (helped || nodes_again(w, 2 * w->f.at.nodes) || actio_follow_tangent(&w->f, false, false)) return bad;
        helped = true;
        w->h = FIRST_STEP;
    }
}

/* A family has two directions: the one that leads to the end. */
static int choose_direction(struct way *w)
{
    double a;
    int bad = actio_follow_tangent(&w->f, true, w->to > w->from);
    if (bad || w->f.in_param) return bad;
    bad = actio_follow_step(&w->f, FIRST_STEP, false, 0, &w->next, &a);
    bool wrong = !bad && !beyond(w, column_value(w, &w->next), w->from);
    for (size_t i = 0; i < w->f.unknowns && wrong; i++) w->f.tangent[i] = -w->f.tangent[i];
    for (size_t i = 0; i < w->s->o.ny && wrong; i++) w->f.y_tangent[i] = -w->f.y_tangent[i];
    return bad;
}

/* The cosine between the tangent then and now: of states by their components, which no basis changes. */
static double turn_between(const struct way *w, const double *then)
{
    size_t n = w->f.unknowns, d = w->s->o.d;
    return actio_dot(w->s->o.ny, then + n, w->f.y_tangent) + actio_dot(n - d, then + d, w->f.tangent + d);
}

/* The next point becomes the one in hand, after a closer look at what happened on the way. *turned: how far the tangent
 * has turned, as a cosine. */
static int move_on(struct way *w, double a, double *turned)
{
    struct spot home, there = { 0 };
    double before = param_part(w);
    struct actio_found *f = branch_look(w, &w->next, a);
    if (!f) return actio_stopped(w->s->problem->ctx) ? ACTIO_FLOW_STOPPED : ACTIO_MARCH_NO_MEMORY;
    int bad = remember(w, &home);
    if (!bad) bad = actio_follow_take(&w->f, &w->next) ? ACTIO_MARCH_NO_MEMORY : 0;
    w->f.a = a;
    if (!bad) bad = actio_follow_tangent(&w->f, false, false);
    *turned = bad ? 1 : turn_between(w, home.tangent);
    enum kind what = bad ? KINDS : happened(w, w->last, f, before, w->f.in_param ? param_part(w) : before);
    if (what != KINDS && (bad = remember(w, &there)) == 0) {
        go_back(w, &home);
        if (locate(w, what, w->last, w->h)) bad = ACTIO_MARCH_NO_MEMORY;
        go_back(w, &there);
    }
    forget(w, &home);
    forget(w, &there);
    if (branch_keep(w->s, f)) return ACTIO_MARCH_NO_MEMORY;
    w->last = f;
    return bad;
}

static int come_back(struct way *w)
{
    actio_report(w->s->problem->f, ACTIO_F_FOLLOW_BACK,
                 ACTIO_ARGS(ACTIO_TEXT(w->s->options->follow), ACTIO_NUMBER(w->from), ACTIO_NUMBER(w->to)));
    return arrive(w, w->from);
}

/* Shorter where the tangent turns much, longer where it hardly does. */
static double next_length(const struct way *w, double turned)
{
    if (turned < 0.96) return w->h / 2;
    return w->f.iterations <= 4 && turned > 0.985 ? fmin(1.5 * w->h, LONGEST_STEP) : w->h;
}

static int walk(struct way *w)
{
    struct actio_context *ctx = w->s->problem->ctx;
    double a, turned = 1;
    int bad = choose_direction(w);
    w->h = FIRST_STEP;
    for (size_t step = 1; step <= MOST_POINTS && !bad; step++) {
        bad = branch_advance(w, &a);
        if (bad) break;
        double at = place(w, &w->next, a);
        w->passed_a = a;
        if (beyond(w, at, w->to)) return arrive(w, w->to);
        if (w->next.period > LONGEST_PERIOD * w->first_period) return -1;
        if (!beyond(w, at, w->from)) return come_back(w); /* to where it began, on another sheet */
        bad = move_on(w, a, &turned);
        if (!bad && step % 8 == 0)
            bad = sizes_again(w) || nodes_again(w, 0) ? -1 : actio_follow_tangent(&w->f, false, false);
        measure_param(w);
        w->h = next_length(w, turned);
        if (ctx->progress) ctx->progress(ctx->progress_user, "the branch", fabs(at - w->from), fabs(w->to - w->from));
    }
    return bad ? bad : -1;
}

static int open_way(struct way *w, struct actio_found *first)
{
    struct actio_search *s = w->s;
    struct actio_model *m = s->problem->model;
    bool in_param = w->param < m->params;
    double start = in_param ? m->param[w->param].value : 0;
    if (actio_follow_open(&w->f, &s->o, &first->c, start, in_param)
        || actio_circuit_open(&w->next, s->problem->ctx, s->o.ny, first->c.nodes + 8))
        return ACTIO_MARCH_NO_MEMORY;
    w->f.set = set;
    w->f.user = w;
    w->first_period = first->c.period;
    w->from = in_param ? start : column_value(w, &first->c);
    return 0;
}

/* From one orbit to the end of the way; its last one joins the list. */
static int go(struct way *w, struct actio_found *first, double to)
{
    struct actio_search *s = w->s;
    int bad = open_way(w, first);
    w->to = to;
    if (!bad) {
        measure_param(w);
        struct actio_found *point = branch_look(w, &first->c, w->f.a);
        if (point) point->mark = "start";
        bad = !point || branch_keep(s, point) ? ACTIO_MARCH_NO_MEMORY : 0;
        if (!bad && !w->f.in_param && !actio_orbit_is_family(s, point)) {
            actio_report(s->problem->f, ACTIO_F_FOLLOW_ISOLATED, ACTIO_ARGS(ACTIO_TEXT(s->options->follow)));
            bad = -2;
        }
        w->last = bad ? NULL : point;
        if (!bad) bad = walk(w);
    }
    actio_tangent_direct(&s->o.x, NULL);
    if (bad) bad = fail(w, bad);
    actio_follow_close(&w->f);
    actio_circuit_close(&w->next, s->problem->ctx);
    w->f = (struct actio_follow){ 0 };
    w->next = (struct actio_circuit){ 0 };
    return bad;
}

/* Along a family the way may begin elsewhere than the orbit that was found: there first, without a report. */
static int go_to_beginning(struct way *w, struct actio_found **first, double from)
{
    struct actio_search *s = w->s;
    double start = column_value(w, &(*first)->c);
    if (!(fabs(start - from) > 1e-9 * fmax(fabs(from), fabs(w->to - from)))) return 0;
    int bad = go(w, *first, from);
    for (size_t i = 0; i < s->out->points; i++) actio_found_free(s->problem->ctx, s->out->branch[i]);
    s->out->points = 0;
    if (!bad && s->out->count) {
        *first = s->passed = s->out->orbit[0];
        s->out->count = 0;
    }
    return bad;
}

int actio_orbit_follow(struct actio_search *s, struct actio_found *first)
{
    struct actio_problem *problem = s->problem;
    struct actio_model *m = problem->model;
    double from = actio_model_number(m, m->orbit.way_from), to = actio_model_number(m, m->orbit.way_to);
    struct way w = { .s = s, .param = actio_orbit_followed_param(s), .column = 0, .to = to };
    bool in_param = w.param < m->params;
    if (!in_param) w.column = actio_orbit_followed_column(s);
    if (actio_attempt(problem->ctx, differentiate, &(struct differentiating){ &w })) return 1;
    if (!in_param && go_to_beginning(&w, &first, from)) return 1;
    int bad = go(&w, first, to);
    actio_found_free(problem->ctx, s->passed);
    s->passed = NULL;
    return bad;
}

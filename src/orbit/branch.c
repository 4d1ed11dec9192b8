/* SPDX-License-Identifier: Apache-2.0
 * An orbit followed along a param, or a family of orbits along what the motion keeps: steps along the branch, the orbit
 * at the end. */
#include "orbit/branch.h"

#include "algebra/dense.h"
#include "solve/law.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 2000 };
#define LONGEST_PERIOD 1e3 /* times that of the first orbit: it ends in a motion that does not come back */
#define FIRST_STEP 0.01
#define LONGEST_STEP 0.03
#define SHORTEST_STEP 1e-7

/* ---- params */

static void by_params(struct actio_model *m, actio_expr e, const actio_expr *param, actio_expr *out)
{
    actio_gradient(&m->pool, e, param, m->params, out);
}

struct differentiating {
    struct actio_way *w;
};

static void differentiate(void *user)
{
    struct actio_way *w = ((struct differentiating *)user)->w;
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
static void find_direction(struct actio_way *w)
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
    struct actio_way *w = user;
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
static double column_value(struct actio_way *w, const struct actio_circuit *c)
{
    struct actio_motion *m = &w->s->problem->motion;
    if (actio_motion_need(m, ACTIO_Q_OUTPUTS) || actio_motion_solve(m, w->s->o.t0, c->y)) return NAN;
    return actio_motion_quantity(m, ACTIO_Q_OUTPUTS, w->s->o.t0, c->y)[w->column];
}

static double place(struct actio_way *w, const struct actio_circuit *c, double a)
{
    return w->f.in_param ? a : column_value(w, c);
}

int actio_way_keep(struct actio_search *s, struct actio_found *f)
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
struct actio_found *actio_way_look(struct actio_way *w, const struct actio_circuit *c, double a)
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

/* ---- places on the branch */

double actio_way_param_part(const struct actio_way *w) { return w->f.in_param ? w->f.tangent[w->f.unknowns - 1] : 1; }

void actio_way_forget(struct actio_way *w, struct actio_spot *x)
{
    actio_circuit_close(&x->c, w->s->problem->ctx);
    actio_free(w->s->problem->ctx, x->tangent);
}

int actio_way_remember(struct actio_way *w, struct actio_spot *x)
{
    size_t n = w->f.unknowns, ny = w->s->o.ny;
    *x = (struct actio_spot){ .a = w->f.a, .tangent = actio_alloc(w->s->problem->ctx, n + ny + 1, sizeof(double)) };
    if (!x->tangent || actio_circuit_open(&x->c, w->s->problem->ctx, ny, w->f.at.nodes)) return ACTIO_MARCH_NO_MEMORY;
    actio_circuit_copy(&x->c, &w->f.at);
    memcpy(x->tangent, w->f.tangent, n * sizeof(double));
    memcpy(x->tangent + n, w->f.y_tangent, ny * sizeof(double));
    return 0;
}

void actio_way_go_back(struct actio_way *w, const struct actio_spot *x)
{
    size_t n = w->f.unknowns;
    actio_follow_take(&w->f, &x->c); /* there was room for it before */
    w->f.a = x->a;
    memcpy(w->f.tangent, x->tangent, n * sizeof(double));
    memcpy(w->f.y_tangent, x->tangent + n, w->s->o.ny * sizeof(double));
}

/* ---- the walk */

/* Sizes as the orbit has them by now; the tangent is measured by them. */
static int sizes_again(struct actio_way *w)
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
static int nodes_again(struct actio_way *w, size_t least)
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
static void measure_param(struct actio_way *w)
{
    double way = fabs(w->to - w->from), start = fabs(w->from) > 0 ? fmin(fabs(w->from), way) : way;
    w->f.a_size = fmax(fabs(w->f.a), 1e-2 * start);
}

static bool beyond(const struct actio_way *w, double at, double end) { return (at - end) * (w->to - w->from) >= 0; }

/* The orbit exactly at the end of the way. */
static int arrive(struct actio_way *w, double value)
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
    point = actio_way_look(w, &f->c, value);
    if (point) {
        point->mark = "end";
        actio_way_keep(s, point);
    }
    return actio_orbit_keep(s, f);
}

static int fail(struct actio_way *w, int bad)
{
    struct actio_problem *problem = w->s->problem;
    if (bad == -2) return 1;
    if (!actio_problem_report_limits(problem, bad, "following the orbit"))
        actio_report(problem->f, ACTIO_F_FOLLOW_STUCK,
                     ACTIO_ARGS(ACTIO_TEXT(w->s->options->follow), ACTIO_NUMBER(place(w, &w->f.at, w->f.a))));
    return 1;
}

/* One step of suitable length from the point in hand. Where short ones fail, more nodes may help. */
static int branch_advance(struct actio_way *w, double *a)
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
static int choose_direction(struct actio_way *w)
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
static double turn_between(const struct actio_way *w, const double *then)
{
    size_t n = w->f.unknowns, d = w->s->o.d;
    return actio_dot(w->s->o.ny, then + n, w->f.y_tangent) + actio_dot(n - d, then + d, w->f.tangent + d);
}

/* The next point becomes the one in hand, after a closer look at what happened on the way. *turned: how far the tangent
 * has turned, as a cosine. */
static int move_on(struct actio_way *w, double a, double *turned)
{
    struct actio_spot home, there = { 0 };
    double before = actio_way_param_part(w);
    struct actio_found *f = actio_way_look(w, &w->next, a);
    if (!f) return actio_stopped(w->s->problem->ctx) ? ACTIO_FLOW_STOPPED : ACTIO_MARCH_NO_MEMORY;
    int bad = actio_way_remember(w, &home);
    if (!bad) bad = actio_follow_take(&w->f, &w->next) ? ACTIO_MARCH_NO_MEMORY : 0;
    w->f.a = a;
    if (!bad) bad = actio_follow_tangent(&w->f, false, false);
    *turned = bad ? 1 : turn_between(w, home.tangent);
    enum actio_bifurcation what =
        bad ? ACTIO_BIFURCATIONS
            : actio_way_happened(w, w->last, f, before, w->f.in_param ? actio_way_param_part(w) : before);
    if (what != ACTIO_BIFURCATIONS && (bad = actio_way_remember(w, &there)) == 0) {
        actio_way_go_back(w, &home);
        if (actio_way_locate(w, what, w->last, w->h)) bad = ACTIO_MARCH_NO_MEMORY;
        actio_way_go_back(w, &there);
    }
    actio_way_forget(w, &home);
    actio_way_forget(w, &there);
    if (actio_way_keep(w->s, f)) return ACTIO_MARCH_NO_MEMORY;
    w->last = f;
    return bad;
}

static int come_back(struct actio_way *w)
{
    actio_report(w->s->problem->f, ACTIO_F_FOLLOW_BACK,
                 ACTIO_ARGS(ACTIO_TEXT(w->s->options->follow), ACTIO_NUMBER(w->from), ACTIO_NUMBER(w->to)));
    return arrive(w, w->from);
}

/* Shorter where the tangent turns much, longer where it hardly does. */
static double next_length(const struct actio_way *w, double turned)
{
    if (turned < 0.96) return w->h / 2;
    return w->f.iterations <= 4 && turned > 0.985 ? fmin(1.5 * w->h, LONGEST_STEP) : w->h;
}

static int walk(struct actio_way *w)
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

static int open_way(struct actio_way *w, struct actio_found *first)
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
static int go(struct actio_way *w, struct actio_found *first, double to)
{
    struct actio_search *s = w->s;
    int bad = open_way(w, first);
    w->to = to;
    if (!bad) {
        measure_param(w);
        struct actio_found *point = actio_way_look(w, &first->c, w->f.a);
        if (point) point->mark = "start";
        bad = !point || actio_way_keep(s, point) ? ACTIO_MARCH_NO_MEMORY : 0;
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
static int go_to_beginning(struct actio_way *w, struct actio_found **first, double from)
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
    struct actio_way w = { .s = s, .param = actio_orbit_followed_param(s), .column = 0, .to = to };
    bool in_param = w.param < m->params;
    if (!in_param) w.column = actio_orbit_followed_column(s);
    if (actio_attempt(problem->ctx, differentiate, &(struct differentiating){ &w })) return 1;
    if (!in_param && go_to_beginning(&w, &first, from)) return 1;
    int bad = go(&w, first, to);
    actio_found_free(problem->ctx, s->passed);
    s->passed = NULL;
    return bad;
}

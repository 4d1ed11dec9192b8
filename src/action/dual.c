/* SPDX-License-Identifier: Apache-2.0
 * The dual action of one slab, handed out as a function of its unknowns: a run is made ready and kept, its base is set
 * once; the rest is solve/dual_slab.c.
 * Unknowns of the caller are those of the slab without D at the held end.  [AS 21, DUAL 1] */
#include "action/action.h"
#include "principle/dual.h"
#include "principle/principles.h"
#include "solve/dual.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

enum { DEGREE = 4, ELEMENTS = 32, MOST_ELEMENTS = 1000000, MOST_PARTS = 16 };

struct actio_dual_action {
    struct actio_problem problem;
    struct actio_dual_element e;
    struct actio_dual_slab s;
    struct actio_dual_basing *basing;
    /* before: unknowns D, which the held end follows in the slab; count: entries of the Hessian */
    size_t elements, before, size, count;
    struct actio_action_slice *slice;
    size_t slices;
    double *time, *point_time, *point_weight, *one; /* one: U and base of an end, the base of the first point */
    uint32_t *row, *col, *place; /* place: of each entry of each element's matrix in the Hessian; NOWHERE: held */
    bool known;                  /* the slab is at the unknowns of s.z */
};

#define NOWHERE UINT32_MAX

/* ---- options */

static int refuse_word(struct actio_findings *f, struct actio_arena *arena, const char *what, const char *word,
                       const char *hint)
{
    actio_report(f, ACTIO_F_BAD_OPTION,
                 ACTIO_ARGS(ACTIO_TEXT(actio_arena_format(arena, "unknown %s of the dual action: '%.40s'", what, word)),
                            ACTIO_TEXT(hint)));
    return 1;
}

static bool is_among(const char *word, const char *const *list, size_t count)
{
    bool found = !word;
    for (size_t i = 0; i < count && !found; i++) found = strcmp(word, list[i]) == 0;
    return found;
}

struct wording {
    struct actio_problem *problem;
    int bad;
};

static void check_words(void *user)
{
    static const char *const closures[] = { "gauss", "vakonomic", "reduced", "free" }, *const powers[] = {
        "zero", "nonnegative"
    };
    struct wording *x = user;
    const struct actio_run_options *o = &x->problem->options;
    if (!is_among(o->closure, closures, 4))
        x->bad = refuse_word(x->problem->f, &x->problem->arena, "closure", o->closure,
                             "use gauss, vakonomic, reduced or free");
    else if (!is_among(o->power, powers, 2))
        x->bad = refuse_word(x->problem->f, &x->problem->arena, "power", o->power, "use zero or nonnegative");
}

static struct actio_run_options run_options(const struct actio_dual_action_options *o)
{
    struct actio_run_options run = actio_run_options_default();
    run.by = actio_principle_dual.name;
    run.grid = o->grid ? o->grid : ELEMENTS;
    run.order = o->order;
    run.nodes = o->nodes;
    run.closure = o->closure;
    run.power = o->power;
    run.base = o->base;
    run.slack = o->slack;
    run.multipliers = o->multipliers;
    return run;
}

/* Does the model have one, and do options fit? */
static int dual_check(struct actio_dual_action *a)
{
    struct actio_problem *problem = &a->problem;
    struct wording words = { .problem = problem };
    if (actio_attempt(problem->ctx, check_words, &words) || words.bad) return 1;
    problem->principle = &actio_principle_dual;
    if (actio_principle_check(problem)) return 1;
    if (a->elements > MOST_ELEMENTS) {
        actio_report(
            problem->f, ACTIO_F_TOO_LARGE,
            ACTIO_ARGS(ACTIO_TEXT("the number of elements"), ACTIO_COUNT(a->elements), ACTIO_COUNT(MOST_ELEMENTS)));
        return 1;
    }
    if (!problem->model->time.given) {
        actio_report(problem->f, ACTIO_F_NO_TIME, ACTIO_NO_ARGS);
        return 1;
    }
    const char *why = problem->model->mixed.frees    ? "its start data are free; give them by `start`"
                      : problem->model->resets.lines ? "`when` and `every` set values at instants"
                                                     : NULL;
    if (!why) return 0;
    actio_report(problem->f, ACTIO_F_INAPPLICABLE,
                 ACTIO_ARGS(ACTIO_TEXT("dual"), ACTIO_TEXT("this model"), ACTIO_TEXT(why)));
    return 1;
}

/* ---- unknowns and entries */

/* Where unknown i of element e is among the caller's, in the order of the element's matrix; NOWHERE: held. */
static uint32_t dual_index_of(const struct actio_dual_action *a, size_t e, size_t i)
{
    const struct actio_dual_slab *s = &a->s;
    size_t k = a->e.k, nx = s->nx, inside = (k - 1) * nx, at;
    if (i < inside) at = (e * k + 1) * nx + i;
    else if (i < s->ni) at = a->before + e * k * s->ng + (i - inside);
    else if (i < s->ni + nx) at = e * k * nx + (i - s->ni);
    else if (e + 1 < a->elements) at = (e + 1) * k * nx + (i - s->ni - nx);
    else return NOWHERE;
    return (uint32_t)at;
}

/* Elements share the entries of the node between them: those belong to the first. */
static uint32_t dual_place_of(const struct actio_dual_action *a, size_t e, size_t i, size_t j)
{
    const struct actio_dual_slab *s = &a->s;
    size_t nl = s->nl, nx = s->nx, first = s->ni;
    bool shared = e > 0 && i >= first && i < first + nx && j >= first && j < first + nx;
    return shared ? a->place[((e - 1) * nl + i + nx) * nl + j + nx] : (uint32_t)a->count;
}

static void list_entries(struct actio_dual_action *a)
{
    size_t nl = a->s.nl;
    for (size_t e = 0; e < a->elements; e++)
        for (size_t i = 0; i < nl; i++)
            for (size_t j = 0; j < nl; j++) {
                uint32_t row = dual_index_of(a, e, i), col = dual_index_of(a, e, j),
                         *place = &a->place[(e * nl + i) * nl + j];
                *place = row == NOWHERE || col == NOWHERE ? NOWHERE : dual_place_of(a, e, i, j);
                if (*place == a->count) {
                    a->row[a->count] = row;
                    a->col[a->count] = col;
                    a->count++;
                }
            }
}

static void list_slices(struct actio_dual_action *a, struct actio_arena *arena)
{
    const struct actio_dual_slab *s = &a->s;
    size_t count = a->elements * a->e.k;
    a->slices = s->nx + s->ng;
    a->slice = actio_arena_array(arena, a->slices + 1, sizeof *a->slice);
    for (size_t i = 0; i < s->nx; i++)
        a->slice[i] =
            (struct actio_action_slice){ actio_arena_format(arena, "dual %s", s->fo->name[i]), i, count, s->nx };
    for (size_t i = 0; i < s->ng; i++)
        a->slice[s->nx + i] = (struct actio_action_slice){ actio_arena_format(arena, "dual %s", s->fo->equation[i]),
                                                           a->before + i, count, s->ng };
}

static void list_times(struct actio_dual_action *a)
{
    const struct actio_dual_slab *s = &a->s;
    size_t k = a->e.k, nodes = a->elements * k;
    for (size_t i = 0; i <= nodes; i++)
        a->time[i] = i == nodes ? a->problem.model->time.t1 : s->t + s->h * ((double)(i / k) + a->e.node[i % k]);
    for (size_t l = 0; l < s->lanes; l++) {
        a->point_time[l] = s->lane.time[l];
        a->point_weight[l] = s->h * a->e.weight[l % a->e.points];
    }
}

static void dual_lay_out(void *user)
{
    struct actio_dual_action *a = user;
    struct actio_arena *arena = &a->problem.arena;
    size_t nodes = a->elements * a->e.k + 1, entries = a->elements * a->s.nl * a->s.nl;
    a->time = actio_arena_array(arena, nodes, sizeof *a->time);
    a->point_time = actio_arena_array(arena, a->s.lanes, sizeof *a->time);
    a->point_weight = actio_arena_array(arena, a->s.lanes, sizeof *a->time);
    a->one = actio_arena_array(arena, a->s.nu + 2 * a->s.fo->base + 1, sizeof *a->one);
    a->row = actio_arena_array(arena, entries, sizeof *a->row);
    a->col = actio_arena_array(arena, entries, sizeof *a->col);
    a->place = actio_arena_array(arena, entries, sizeof *a->place);
    list_slices(a, arena);
    list_times(a);
    list_entries(a);
}

/* ---- at given unknowns */

/* So much of the caller's unknowns, with what is held between D and m, as those of the slab. */
static void dual_take(struct actio_dual_action *a, const double *z, double part)
{
    struct actio_dual_slab *s = &a->s;
    for (size_t i = 0; i < a->before; i++) s->newton.z[i] = part * z[i];
    for (size_t i = 0; i < s->nx; i++) s->newton.z[a->before + i] = part * s->last[i];
    for (size_t i = a->before; i < a->size; i++) s->newton.z[s->nx + i] = part * z[i];
}

static bool is_at(const struct actio_dual_action *a, const double *z)
{
    const double *held = a->s.newton.z + a->before + a->s.nx;
    size_t rest = a->size - a->before;
    return a->known && memcmp(z, a->s.newton.z, a->before * sizeof *z) == 0
           && (rest == 0 || memcmp(z + a->before, held, rest * sizeof *z) == 0);
}

static void begin_at_base(struct actio_dual_action *a)
{
    struct actio_dual_slab *s = &a->s;
    memcpy(s->lane.U, s->lane.base, s->nu * s->lanes * sizeof *s->lane.U);
    s->newton.floor = 0;
}

/* Value, gradient, state. The map begins at the base, which is where it leads from 0, so that what comes out depends on
 * z only; where that is too far away it goes there in parts. A dual status. */
static int dual_evaluate(struct actio_dual_action *a, const double *z)
{
    if (is_at(a, z)) return ACTIO_DUAL_DONE;
    int status = ACTIO_DUAL_NO_MAP, most = a->s.fo->quadratic ? 1 : MOST_PARTS;
    for (int parts = 1; parts <= most && status; parts *= 2) {
        begin_at_base(a);
        status = ACTIO_DUAL_DONE;
        for (int i = 1; i <= parts && !status; i++) {
            dual_take(a, z, (double)i / parts);
            status = actio_dual_at(&a->s, a->s.newton.z);
        }
    }
    a->known = !status;
    return status;
}

static int outcome(int status) { return status ? ACTIO_NUMERICS_FAILED : ACTIO_DONE; }

int actio_dual_action_value(struct actio_dual_action *a, const double *z, double *value)
{
    if (!a || !z || !value) return ACTIO_WRONG_USAGE;
    int status = dual_evaluate(a, z);
    if (!status) *value = a->s.found.action;
    return outcome(status);
}

int actio_dual_action_gradient(struct actio_dual_action *a, const double *z, double *gradient)
{
    if (!a || !z || !gradient) return ACTIO_WRONG_USAGE;
    const struct actio_dual_slab *s = &a->s;
    int status = dual_evaluate(a, z);
    if (status) return outcome(status);
    memcpy(gradient, s->newton.G, a->before * sizeof *gradient);
    memcpy(gradient + a->before, s->newton.G + a->before + s->nx, (a->size - a->before) * sizeof *gradient);
    return ACTIO_DONE;
}

int actio_dual_action_hessian(struct actio_dual_action *a, const double *z, double *values)
{
    if (!a || !z || !values) return ACTIO_WRONG_USAGE;
    struct actio_dual_slab *s = &a->s;
    size_t nl = s->nl;
    double sign = s->h < 0 ? 1 : -1, *K = s->condensed.local;
    int status = dual_evaluate(a, z);
    memset(values, 0, a->count * sizeof *values);
    for (size_t e = 0; e < a->elements && !status; e++) {
        const uint32_t *place = a->place + e * nl * nl;
        status = actio_dual_matrix(s, e, K);
        for (size_t i = 0; i < nl && !status; i++)
            for (size_t j = 0; j < nl; j++)
                if (place[i * nl + j] != NOWHERE)
                    values[place[i * nl + j]] += sign * (i > j ? K[i * nl + j] : K[j * nl + i]);
    }
    return outcome(status);
}

int actio_dual_action_state(struct actio_dual_action *a, const double *z, double *points, double *ends)
{
    if (!a || !z) return ACTIO_WRONG_USAGE;
    const struct actio_dual_slab *s = &a->s;
    int status = dual_evaluate(a, z);
    if (status) return outcome(status);
    for (size_t l = 0; points && l < s->lanes; l++)
        for (size_t i = 0; i < s->nu; i++) points[l * s->nu + i] = s->lane.U[i * s->lanes + l];
    if (ends) memcpy(ends, s->x, (a->elements + 1) * s->nx * sizeof *ends);
    return ACTIO_DONE;
}

/* If L is quadratic, M does not need the map, and is known where the map fails. */
int actio_dual_action_least(struct actio_dual_action *a, const double *z, double *least, double *detector)
{
    if (!a || !z) return ACTIO_WRONG_USAGE;
    int status = dual_evaluate(a, z);
    bool without = status == ACTIO_DUAL_NOT_POSITIVE && a->s.fo->quadratic && !detector;
    if ((status && !without) || actio_dual_judge(&a->s)) return ACTIO_NUMERICS_FAILED;
    if (least) *least = a->s.found.least;
    if (detector) *detector = a->s.found.detector;
    return ACTIO_DONE;
}

/* It is computed in the first point's place, whose base is given back. */
int actio_dual_action_hamiltonian(struct actio_dual_action *a, const double *z, double *values)
{
    if (!a || !z || !values) return ACTIO_WRONG_USAGE;
    struct actio_dual_slab *s = &a->s;
    size_t nu = s->nu, nx = s->nx;
    double *U = a->one, *base = U + nu, *kept = base + s->fo->base;
    int status = dual_evaluate(a, z);
    if (status) return outcome(status);
    a->known = false;
    for (size_t i = 0; i < s->fo->base; i++) kept[i] = s->lane.base[i * s->lanes];
    for (size_t e = 0; e <= a->elements; e++) {
        double t = s->t + s->h * (double)e;
        actio_dual_unknowns_at(a->basing, t, s->x + e * nx, U);
        actio_dual_base_of(a->basing, t, s->end + e * nx, base);
        values[e] = actio_dual_hamiltonian(s, e, U, base);
        if (!isfinite(values[e])) status = ACTIO_DUAL_NO_NUMBER;
    }
    for (size_t i = 0; i < s->fo->base; i++) s->lane.base[i * s->lanes] = kept[i];
    return outcome(status);
}

/* ---- the maximum */

/* By a limit or by the caller? Says so, and the exit status; 0: it was not. */
static int was_stopped(const struct actio_dual_action *a, struct actio_findings *f)
{
    bool cancelled = actio_cancelled(a->problem.ctx);
    if (!cancelled && !actio_stopped(a->problem.ctx)) return 0;
    if (f && cancelled) actio_report(f, ACTIO_F_INTERRUPTED, ACTIO_NO_ARGS);
    else if (f) actio_report(f, ACTIO_F_OUT_OF_TIME, ACTIO_ARGS(ACTIO_TEXT("solving for the dual action's maximum")));
    return cancelled ? actio_cancel_exit(a->problem.ctx) : ACTIO_LIMIT_REACHED;
}

static void dual_say(struct actio_dual_action *a, int status, struct actio_findings *f)
{
    struct actio_problem *problem = &a->problem;
    struct actio_dual_report *reported = &problem->dual->reported;
    struct actio_findings *outer = problem->ctx->findings;
    problem->ctx->findings = problem->f = f;
    reported->status = status;
    reported->t = problem->model->time.t0;
    reported->length = fabs(problem->model->time.t1 - problem->model->time.t0);
    if (!actio_dual_foresee(problem)) actio_dual_explain(problem, problem->y0);
    problem->ctx->findings = outer;
    problem->f = NULL;
}

int actio_dual_action_solve(struct actio_dual_action *a, double *z, struct actio_findings *f)
{
    if (!a || !z) return ACTIO_WRONG_USAGE;
    struct actio_dual_slab *s = &a->s;
    int status = dual_evaluate(a, z);
    a->known = false;
    if (!status) {
        status = actio_dual_climb(s);
        memcpy(z, s->newton.z, a->before * sizeof *z);
        memcpy(z + a->before, s->newton.z + a->before + s->nx, (a->size - a->before) * sizeof *z);
    }
    int stopped = status ? was_stopped(a, f) : 0;
    if (stopped) return stopped;
    if (status && f) dual_say(a, status, f);
    return outcome(status);
}

/* ---- making */

/* Of D = 0 and m = 0, where M = H_UU: is H convex at the base? */
static int check_base(struct actio_dual_action *a)
{
    struct actio_dual_slab *s = &a->s;
    size_t nu = s->nu, l = 0;
    begin_at_base(a);
    memset(s->newton.z, 0, actio_dual_unknowns(s) * sizeof *s->newton.z);
    int status = actio_dual_at(s, s->newton.z);
    if (status == ACTIO_DUAL_DONE) return 0;
    for (; l + 1 < s->lanes && status == ACTIO_DUAL_NOT_POSITIVE; l++) {
        memset(s->condensed.small, 0, nu * nu * sizeof *s->condensed.small);
        for (size_t i = 0; i < s->fo->M.count; i++)
            s->condensed.small[s->fo->M.row[i] * nu + s->fo->M.col[i]] = s->point.M[i * s->lanes + l];
        if (actio_cholesky_factor(nu, s->condensed.small)) break;
    }
    if (status == ACTIO_DUAL_NOT_POSITIVE)
        actio_report(a->problem.f, ACTIO_F_DUAL_NOT_CONVEX, ACTIO_ARGS(ACTIO_NUMBER(s->lane.time[l])));
    else
        actio_report(a->problem.f, ACTIO_F_DUAL_NO_VALUE,
                     ACTIO_ARGS(ACTIO_TEXT("a formula is not finite at the base state")));
    return 1;
}

static int set_base(struct actio_dual_action *a)
{
    struct actio_dual_slab *s = &a->s;
    struct actio_problem *problem = &a->problem;
    const double *last = problem->dual->task.last;
    actio_dual_slab_place(s, problem->model->time.t0,
                          (problem->model->time.t1 - problem->model->time.t0) / (double)a->elements, a->elements);
    for (size_t i = 0; i < s->nx; i++) s->last[i] = last ? last[i] : 0;
    int status = actio_dual_set_base(a->basing, s, problem->y0);
    if (status == ACTIO_FLOW_OK) return check_base(a);
    if (actio_problem_report_limits(problem, status, "the dual action's base state")) return 1;
    if (problem->dual->task.base == ACTIO_BASE_EXACT)
        actio_report(
            problem->f, ACTIO_F_DUAL_NO_VALUE,
            ACTIO_ARGS(ACTIO_TEXT("the motion that serves as base state does not reach the end of the interval")));
    else
        actio_report(problem->f, ACTIO_F_DUAL_NO_BASE,
                     ACTIO_ARGS(ACTIO_NUMBER(problem->model->time.t0),
                                ACTIO_NUMBER(fabs(problem->model->time.t1 - problem->model->time.t0))));
    return 1;
}

static int open_slab(struct actio_dual_action *a)
{
    struct actio_problem *problem = &a->problem;
    struct actio_motion *m = &problem->motion;
    const struct actio_run_options *o = &problem->options;
    enum actio_dual_base base = problem->dual->task.base;
    size_t k = o->order ? (size_t)o->order : DEGREE,
           more = base == ACTIO_BASE_RK4 || base == ACTIO_BASE_CONSTANT ? 1 : 4,
           points = o->nodes ? o->nodes : k + more;
    if (actio_dual_element_open(&a->e, problem->ctx, k, points)
        || actio_dual_slab_open(&a->s, problem->ctx, problem->sys, &a->e, a->elements,
                                (struct actio_shared){ m->here.param, m->here.mode, m->here.hidden }))
        return 1;
    size_t nl = a->s.nl;
    if (a->elements > (NOWHERE - 1) / (nl * nl)) {
        actio_report(problem->f, ACTIO_F_TOO_LARGE,
                     ACTIO_ARGS(ACTIO_TEXT("the number of elements"), ACTIO_COUNT(a->elements),
                                ACTIO_COUNT((NOWHERE - 1) / (nl * nl))));
        return 1;
    }
    a->before = a->elements * k * a->s.nx;
    a->size = a->before + a->elements * k * a->s.ng;
    a->basing = actio_dual_basing_open(m, a->elements, points);
    if (a->basing) return set_base(a) || actio_attempt(problem->ctx, dual_lay_out, a);
    actio_report(problem->f, ACTIO_F_OUT_OF_MEMORY,
                 ACTIO_ARGS(ACTIO_TEXT("the dual action"), ACTIO_COUNT(problem->ctx->bytes_limit)));
    return 1;
}

/* The function exists even if it has no maximum: the horizon is not checked before a solution is requested. */
static int dual_make(struct actio_dual_action *a)
{
    struct actio_problem *problem = &a->problem;
    a->elements = problem->options.grid;
    if (dual_check(a)) return 1;
    problem->options.grid = 0;
    int bad = actio_problem_ready(problem, &actio_principle_dual);
    problem->options.grid = problem->motion.chosen.grid = a->elements;
    if (bad) return 1;
    if (actio_motion_begin(&problem->motion, problem->model->time.t0, problem->y0)) {
        actio_report(problem->f, ACTIO_F_DUAL_NO_VALUE,
                     ACTIO_ARGS(ACTIO_TEXT("a switch has no definite branch at the start")));
        return 1;
    }
    if (problem->sys->switches.count)
        actio_report(problem->f, ACTIO_F_DUAL_FROZEN,
                     ACTIO_ARGS(ACTIO_TEXT(problem->sys->switches.text[0]),
                                ACTIO_TEXT(problem->sys->switches.whole[0] ? "" : " its sign")));
    return open_slab(a);
}

struct actio_dual_action *actio_dual_action_inside(struct actio_context *ctx, struct actio_model *model,
                                                   const struct actio_dual_action_options *options,
                                                   struct actio_findings *f)
{
    static const struct actio_dual_action_options plain = { 0 };
    struct actio_run_options run = run_options(options ? options : &plain);
    struct actio_dual_action *a = actio_alloc(ctx, 1, sizeof *a);
    if (!a) {
        actio_report(f, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the dual action"), ACTIO_COUNT(ctx->bytes_limit)));
        return NULL;
    }
    actio_problem_open(&a->problem, ctx, model, &run, f);
    int bad = dual_make(a);
    ctx->findings = a->problem.outer;
    a->problem.f = NULL;
    if (bad) {
        actio_dual_action_free(a);
        a = NULL;
    }
    return a;
}

void actio_dual_action_free(struct actio_dual_action *a)
{
    if (!a) return;
    struct actio_context *ctx = a->problem.ctx;
    actio_dual_basing_close(a->basing);
    actio_dual_slab_close(&a->s);
    actio_dual_element_close(&a->e);
    a->problem.outer = ctx->findings; /* whose they are now */
    actio_problem_close(&a->problem);
    actio_free(ctx, a);
}

/* ---- what there is */

size_t actio_dual_action_size(const struct actio_dual_action *a) { return a ? a->size : 0; }
size_t actio_dual_action_slices(const struct actio_dual_action *a, const struct actio_action_slice **slices)
{
    return a && slices ? (*slices = a->slice, a->slices) : 0;
}
size_t actio_dual_action_times(const struct actio_dual_action *a, const double **times)
{
    return a && times ? (*times = a->time, a->elements * a->e.k + 1) : 0;
}
size_t actio_dual_action_points(const struct actio_dual_action *a, const double **times, const double **weights)
{
    return a && times && weights ? (*times = a->point_time, *weights = a->point_weight, a->s.lanes) : 0;
}

size_t actio_dual_action_pattern(const struct actio_dual_action *a, const uint32_t **rows, const uint32_t **cols)
{
    return a && rows && cols ? (*rows = a->row, *cols = a->col, a->count) : 0;
}
size_t actio_dual_action_names(const struct actio_dual_action *a, const char *const **names, size_t *differential)
{
    return a && names && differential ? (*names = a->s.fo->name, *differential = a->s.nx, a->s.nu) : 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * The path of one search for periodic orbits: equations and start as for a run, a guess, the method, what is reported.
 * */
#include "principle/principles.h"
#include "orbit/orbits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLOSED 1e-9 /* of its size: what misses itself by more is not an orbit */
#define TIRED 2e7   /* right-hand sides, after which no other guess is tried */

struct actio_orbit_options actio_orbit_options_default(void)
{
    return (struct actio_orbit_options){ .run = actio_run_options_default(), .method = "shooting" };
}

/* ---- what is requested */

double actio_orbit_given_period(struct actio_search *s)
{
    return s->problem->model->orbit.has_period ? actio_model_number(s->problem->model, s->problem->model->orbit.period)
                                               : NAN;
}

static int take_turns(struct actio_search *s)
{
    struct actio_model *m = s->problem->model;
    for (size_t i = 0; m->orbit.turn && i < m->coords; i++) s->o.turn[i] = actio_model_number(m, m->orbit.turn[i]);
    for (size_t k = 0; k < s->options->looses; k++) {
        size_t i = 0;
        while (i < s->problem->sys->n + s->problem->sys->m
               && strcmp(s->problem->sys->variable[i], s->options->loose[k]) != 0)
            i++;
        if (i == s->problem->sys->n + s->problem->sys->m) {
            actio_report(s->problem->f, ACTIO_F_ORBIT_NO_VARIABLE, ACTIO_ARGS(ACTIO_TEXT(s->options->loose[k])));
            return 1;
        }
        size_t component = i < s->problem->sys->n ? i : i + s->problem->sys->n;
        if (!actio_orbit_is_cyclic(s, component)) {
            actio_report(s->problem->f, ACTIO_F_ORBIT_NOT_LOOSE, ACTIO_ARGS(ACTIO_TEXT(s->options->loose[k])));
            return 1;
        }
        s->o.loose[component] = true;
    }
    return 0;
}

static int search_refuse(struct actio_search *s, const char *why)
{
    actio_report(s->problem->f, ACTIO_F_ORBIT_CANNOT, ACTIO_ARGS(ACTIO_TEXT(why)));
    return 1;
}

/* Why the motion has no orbits of this kind; NULL: it may have. */
static const char *objection_to(const struct actio_search *s)
{
    const struct actio_problem *problem = s->problem;
    if (problem->sys->walls.rubs)
        return "dry friction makes the motion non-smooth; use soft walls (--sigma, --barrier)";
    if (problem->principle->law || problem->principle->stepper)
        return "orbits need equations of motion; use --by dalembert or vakonomic";
    if (problem->sys->hidden) return "hidden constraints follow from the equations of motion, and have no reaction";
    if (s->options->averages && problem->model->resets.lines) return "--average does not follow `when` and `every`";
    return problem->model->mixed.frees ? "the start data are free; give them by `start`" : NULL;
}

int actio_orbit_ready(struct actio_search *s)
{
    struct actio_problem *problem = s->problem;
    if (actio_principle_ready(problem)) return 1;
    const char *why = objection_to(s);
    if (why) return search_refuse(s, why);
    if (actio_orbit_open(&s->o, problem->ctx, &problem->motion,
                         problem->model->time.given ? problem->model->time.t0 : 0, problem->y0))
        return 1;
    if (strcmp(s->options->method, "dual") == 0) {
        const struct actio_dual_choice choice = { .closure = ACTIO_CLOSURE_GAUSS };
        if (actio_system_dual(problem->sys, &choice) || actio_system_need(problem->sys, ACTIO_Q_DUAL_POINT)) return 1;
        if (problem->sys->first_order->implicit)
            return search_refuse(s,
                                 "the dual action of an orbit needs formulas for the accelerations, and this model has "
                                 "none; use --method shooting");
    }
    bool shooting = strcmp(s->options->method, "shooting") == 0;
    if (!shooting && problem->sys->switches.count)
        return search_refuse(
            s, "it has switches (abs, sign, min, max, floor, mod, if), which polynomials approximate badly; "
               "use --method shooting");
    if (!shooting && problem->model->resets.lines)
        return search_refuse(s, "`when` and `every` make it jump, which polynomials approximate badly; "
                                "use --method shooting");
    if (problem->model->resets.lines && s->options->find)
        return search_refuse(s, "--find does not follow `when` and `every`; use --period or another --start");
    if (!shooting && s->options->looses) return search_refuse(s, "only --method shooting supports --loose");
    s->timed = actio_orbit_timed(s);
    s->base = s->o.t0;
    s->o.free_period = !s->timed;
    s->o.in_families = actio_orbit_conserves(s);
    double period = actio_orbit_given_period(s);
    if (s->timed && isnan(period)) {
        actio_report(problem->f, ACTIO_F_ORBIT_NEEDS_PERIOD, ACTIO_NO_ARGS);
        return 1;
    }
    if (s->timed && !actio_orbit_repeats(s, period)) {
        actio_report(problem->f, ACTIO_F_ORBIT_NOT_ITS_PERIOD, ACTIO_ARGS(ACTIO_NUMBER(period)));
        return 1;
    }
    if (s->options->follow && actio_orbit_followed_param(s) == problem->model->params
        && actio_orbit_followed_column(s) == problem->sys->output.columns) {
        actio_report(problem->f, ACTIO_F_FOLLOW_UNKNOWN, ACTIO_ARGS(ACTIO_TEXT(s->options->follow)));
        return 1;
    }
    return take_turns(s);
}

/* ---- one orbit */

/* By the line that has the switch. */
static const char *jump_reason(const struct actio_search *s)
{
    const struct actio_switch_lines *lines = &s->problem->sys->switches;
    size_t k = s->problem->motion.halted.by;
    return actio_arena_format(&s->problem->arena,
                              "velocities jump at the switch %s on line %u, and derivatives of such a motion are not "
                              "formed",
                              lines->written[k], (unsigned)lines->line[k]);
}

/* What derivatives across an instant do not follow. */
static const char *instant_reason(const struct actio_search *s)
{
    const struct actio_system *sys = s->problem->sys;
    static const char *const format[] = {
        [ACTIO_STOP_GRAZES] = "%s is only touched, and derivatives have no value there",
        [ACTIO_STOP_TWO_SURFACES] = "two events happen at one time, and neighbours meet them in another order",
        [ACTIO_STOP_HELD_MOVES] = "held value %s carries numbers of the motion on, and derivatives do not follow it",
        [ACTIO_STOP_CONTACT_HOLDS] = "a contact holds, or several are hit at one time; use soft walls (--sigma)",
        [ACTIO_STOP_HELD_PARTS] = "held value %s does not return after a turn",
    };
    size_t why = s->problem->motion.halted.why, by = s->problem->motion.halted.by;
    if (why >= sizeof format / sizeof *format || !format[why]) return NULL;
    size_t contacts = sys->walls.contacts;
    bool held = why == ACTIO_STOP_HELD_MOVES || why == ACTIO_STOP_HELD_PARTS;
    const char *name = held                       ? sys->resets.held_name[by]
                       : why != ACTIO_STOP_GRAZES ? ""
                       : by < contacts            ? sys->walls.contact[by]
                                                  : sys->walls.event[by - contacts];
    return actio_arena_format(&s->problem->arena, format[why], name);
}

static const char *reason(const struct actio_search *s, const struct actio_orbit_report *reported)
{
    if (s->problem->motion.halted.why == ACTIO_STOP_VELOCITIES_JUMP) return jump_reason(s);
    if (reported->motion == ACTIO_FLOW_FAILED && instant_reason(s)) return instant_reason(s);
    static const char *const text[] = { [ACTIO_FLOW_NAN] = "a formula has no value there",
                                        [ACTIO_FLOW_SINGULAR] = "it reaches a singular state",
                                        [ACTIO_FLOW_ENDED] = "`stop` ends it",
                                        [ACTIO_MARCH_STEP_TO_ZERO] = "its step size tends to zero",
                                        [ACTIO_MARCH_TOO_MANY_STEPS] = "it takes too many steps" };
    size_t count = sizeof text / sizeof *text;
    return reported->motion > 0 && (size_t)reported->motion < count && text[reported->motion] ? text[reported->motion]
                                                                                              : "it can't be computed";
}

void actio_orbit_say(struct actio_search *s, const struct actio_orbit_report *reported)
{
    struct actio_findings *f = s->problem->f;
    if (actio_stopped(s->problem->ctx)) {
        actio_problem_report_limits(s->problem, ACTIO_FLOW_STOPPED, "searching for orbits");
        return;
    }
    switch (reported->status) {
    case ACTIO_ORBIT_FOUND: break;
    case ACTIO_ORBIT_AT_REST: actio_report(f, ACTIO_F_ORBIT_AT_REST, ACTIO_NO_ARGS); break;
    case ACTIO_ORBIT_MOTION_FAILS: {
        bool never = s->problem->motion.halted.why == ACTIO_STOP_HELD_MOVES; /* wherever it begins */
        actio_report(f, never ? ACTIO_F_ORBIT_CANNOT : ACTIO_F_ORBIT_MOTION_FAILS,
                     ACTIO_ARGS(ACTIO_TEXT(reason(s, reported))));
        break;
    }
    case ACTIO_ORBIT_STOPPED:
        actio_problem_report_limits(s->problem, ACTIO_FLOW_STOPPED, "searching for orbits");
        break;
    case ACTIO_ORBIT_NO_MEMORY:
        actio_problem_report_limits(s->problem, ACTIO_MARCH_NO_MEMORY, "searching for orbits");
        break;
    case ACTIO_ORBIT_SLOW: actio_report(f, ACTIO_F_ORBIT_SLOW, ACTIO_ARGS(ACTIO_COUNT(reported->unknowns))); break;
    case ACTIO_ORBIT_SPURIOUS:
        actio_report(f, ACTIO_F_ORBIT_SPURIOUS, ACTIO_ARGS(ACTIO_NUMBER(reported->detector)));
        break;
    default:
        actio_report(f, ACTIO_F_ORBIT_NONE,
                     ACTIO_ARGS(ACTIO_NUMBER(reported->step), ACTIO_COUNT(reported->iterations)));
        break;
    }
}

static int solve_by(struct actio_search *s, struct actio_circuit *c, struct actio_orbit_report *reported)
{
    static const struct {
        const char *name;
        int (*solve)(struct actio_orbit *, struct actio_circuit *, double, struct actio_orbit_report *);
    } method[] = {
        { "shooting", actio_orbit_shoot },
        { "fourier", actio_orbit_fourier },
        { "dual", actio_orbit_dual },
    };
    size_t i = sizeof method / sizeof *method;
    while (--i && strcmp(method[i].name, s->options->method) != 0) {}
    struct actio_circuit guess = { 0 };
    if (i == 0) return actio_orbit_shoot(&s->o, c, s->tol, reported);
    if (actio_circuit_open(&guess, s->problem->ctx, s->o.ny, c->nodes)) return reported->status = ACTIO_ORBIT_NO_MEMORY;
    actio_circuit_copy(&guess, c);
    double apart = INFINITY;
    bool rough = s->rough && (actio_orbit_mismatch(&s->o, c, 1e-8, &apart) || apart > 1e-4);
    int status = rough ? ACTIO_ORBIT_DIVERGED : method[i].solve(&s->o, c, s->tol, reported);
    bool again = status == ACTIO_ORBIT_DIVERGED || status == ACTIO_ORBIT_MOTION_FAILS || status == ACTIO_ORBIT_AT_REST
                 || status == ACTIO_ORBIT_SPURIOUS;
    if (again) { /* from a rough orbit by shooting, which goes first where nobody has said where to look */
        actio_circuit_copy(c, &guess);
        status = actio_orbit_shoot(&s->o, c, 1e-4, reported);
        if (status == ACTIO_ORBIT_FOUND) {
            status = method[i].solve(&s->o, c, s->tol, reported);
            s->method_fails = status != ACTIO_ORBIT_FOUND;
        }
    }
    actio_circuit_close(&guess, s->problem->ctx);
    return status;
}

/* Does the orbit close after a k-th of the period already? */
static bool closes_after(struct actio_search *s, const struct actio_circuit *c, size_t k)
{
    double *y = actio_alloc(s->problem->ctx, s->o.ny + 1, sizeof *y), most = 0;
    if (!y) return false;
    memcpy(y, c->y, s->o.ny * sizeof *y);
    actio_tangent_rewind(&s->o.x);
    int bad = actio_tangent_go(&s->o.x, s->o.t0, s->o.t0 + c->period / (double)k, y, NULL, 0, 1e-9);
    for (size_t i = 0; i < s->o.ny; i++) {
        double gap = y[i] - c->y[i] - s->o.turn[i] / (double)k;
        if (!s->o.loose[i]) most = fmax(most, fabs(gap) / s->o.scale[i]);
    }
    actio_free(s->problem->ctx, y);
    return !bad && most < 1e-4;
}

/* The shortest period: the search may have gone round twice. */
static void shorten(struct actio_search *s, struct actio_circuit *c, struct actio_orbit_report *reported)
{
    static const size_t prime[] = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47 };
    const size_t primes = sizeof prime / sizeof *prime;
    bool turns = false;
    for (size_t i = 0; i < s->o.ny; i++) turns = turns || s->o.turn[i] != 0;
    for (size_t p = 0; !turns && p < primes;) {
        struct actio_circuit once;
        size_t k = prime[p++];
        double multiple = s->timed ? c->period / actio_orbit_given_period(s) / (double)k : 1;
        if (fabs(multiple - round(multiple)) > 1e-6 || multiple < 0.5 || !closes_after(s, c, k)
            || actio_orbit_lay(s, c->y, c->period / (double)k, 1, &once))
            continue;
        if (solve_by(s, &once, reported) == ACTIO_ORBIT_FOUND) {
            actio_circuit_close(c, s->problem->ctx);
            *c = once;
            p = 0;
        } else actio_circuit_close(&once, s->problem->ctx);
    }
}

struct actio_found *actio_orbit_solve(struct actio_search *s, struct actio_circuit *guess,
                                      struct actio_orbit_report *reported)
{
    struct actio_found *f = actio_alloc(s->problem->ctx, 1, sizeof *f);
    if (!f) {
        actio_circuit_close(guess, s->problem->ctx);
        reported->status = ACTIO_ORBIT_NO_MEMORY;
        return NULL;
    }
    f->c = *guess;
    *guess = (struct actio_circuit){ 0 };
    actio_tangent_direct(&s->o.x, NULL);
    if (solve_by(s, &f->c, reported) == ACTIO_ORBIT_FOUND) shorten(s, &f->c, reported);
    if (reported->status == ACTIO_ORBIT_FOUND && !(reported->residual < fmax(CLOSED, 100 * s->tol))) {
        reported->status = ACTIO_ORBIT_DIVERGED;
        reported->step = reported->residual;
    }
    f->reported = *reported;
    if (reported->status == ACTIO_ORBIT_FOUND && actio_orbit_describe(s, f) == 0) return f;
    if (reported->status == ACTIO_ORBIT_FOUND)
        reported->status = actio_stopped(s->problem->ctx) ? ACTIO_ORBIT_STOPPED : ACTIO_ORBIT_MOTION_FAILS;
    actio_found_free(s->problem->ctx, f);
    return NULL;
}

static int search_from_file(struct actio_search *s)
{
    struct actio_orbit_report reported = { 0 };
    struct actio_circuit guess = { 0 };
    int bad = actio_orbit_read_guess(s, &guess);
    struct actio_found *f = bad ? NULL : actio_orbit_solve(s, &guess, &reported);
    actio_circuit_close(&guess, s->problem->ctx);
    if (bad) return 1;
    return f ? actio_orbit_keep(s, f) : (actio_orbit_say(s, &reported), 1);
}

/* The first guess that leads to an orbit: 0. 1: none does, and *why is why the first one does not; -1: said. */
static int try_guesses(struct actio_search *s, struct actio_orbit_report *why)
{
    struct actio_orbit_report reported = { .status = ACTIO_ORBIT_MOTION_FAILS }, first = { 0 };
    for (size_t i = 0; i < s->guesses; i++) {
        struct actio_circuit guess = { 0 };
        if (actio_orbit_lay_guess(s, i, &guess)) {
            actio_circuit_close(&guess, s->problem->ctx);
            continue;
        }
        struct actio_found *f = actio_orbit_solve(s, &guess, &reported);
        if (f) return actio_orbit_keep(s, f);
        if (i == 0) first = reported;
        if (reported.status == ACTIO_ORBIT_STOPPED || reported.status == ACTIO_ORBIT_NO_MEMORY) {
            actio_orbit_say(s, &reported);
            return -1;
        }
        if (actio_orbit_effort(s) > TIRED || s->method_fails) {
            actio_orbit_say(s, &first);
            return -1;
        }
    }
    *why = first.status ? first : reported;
    return 1;
}

static int search_one(struct actio_search *s)
{
    struct actio_orbit_report why;
    if (s->options->guess) return search_from_file(s);
    if (actio_orbit_guess(s)) return 1;
    int bad = try_guesses(s, &why);
    if (bad <= 0) return bad ? 1 : 0;
    if (s->problem->model->resets.lines && !s->timed && !s->problem->model->orbit.has_period) {
        if (actio_orbit_guess_late(s)) return 1;
        bad = try_guesses(s, &why);
        if (bad <= 0) return bad ? 1 : 0;
    }
    /* no near return leads to one: a longer motion, and its shortest orbit */
    if (!s->timed && !s->problem->model->orbit.has_period && !s->conservative && !s->problem->model->resets.lines) {
        struct actio_findings *own = s->problem->f, quiet;
        actio_findings_open(&quiet, s->problem->ctx);
        s->wanted = 1;
        s->problem->f = &quiet;
        actio_orbit_find(s);
        s->problem->f = own;
        actio_findings_close(&quiet);
        if (s->out->count) return 0;
    }
    actio_orbit_say(s, &why);
    return 1;
}

/* From the orbit that averaging found. */
static int search_polish(struct actio_search *s)
{
    struct actio_orbit_report reported = { 0 };
    struct actio_circuit guess = { 0 };
    int bad = actio_orbit_lay_along(s, &s->averaged, &guess) ? 1 : 0;
    struct actio_found *f = bad ? NULL : actio_orbit_solve(s, &guess, &reported);
    actio_circuit_close(&guess, s->problem->ctx);
    if (!f) {
        actio_orbit_say(s, &reported);
        return 1;
    }
    return actio_orbit_keep(s, f);
}

/* Was it found to what was requested? */
static void search_judge(struct actio_search *s)
{
    for (size_t i = 0; i < s->out->count && s->options->tol > 0; i++) {
        const struct actio_found *f = s->out->orbit[i];
        double error = fmax(f->reported.period_error / fmax(1, f->c.period), f->reported.residual);
        if (error > s->options->tol)
            actio_report(s->problem->f, ACTIO_F_ORBIT_NOT_REACHED,
                         ACTIO_ARGS(ACTIO_NUMBER(s->options->tol), ACTIO_NUMBER(f->c.period), ACTIO_NUMBER(error)));
    }
}

struct naming {
    struct actio_search *s;
};

static void name_components(void *user)
{
    struct actio_search *s = ((struct naming *)user)->s;
    struct actio_orbits *out = s->out;
    const struct actio_system *sys = s->problem->sys;
    out->ny = s->o.ny;
    out->name = actio_arena_array(&out->arena, out->ny + 1, sizeof *out->name);
    for (size_t i = 0; i < out->ny; i++) {
        const char *x = i < sys->n       ? sys->variable[i]
                        : i < 2 * sys->n ? s->problem->model->coord[i - sys->n].dot_name
                                         : sys->variable[i - sys->n];
        out->name[i] = actio_arena_text(&out->arena, x, strlen(x));
    }
}

static int make_tables(struct actio_search *s)
{
    struct actio_orbits *out = s->out;
    out->table = actio_alloc(s->problem->ctx, out->count + 1, sizeof *out->table);
    for (size_t i = 0; out->table && i < out->count; i++)
        if (!(out->table[i] = actio_orbit_table(s, out->orbit[i], s->options->run.points))) return 1;
    return out->table == NULL;
}

/* The followed param begins where the way does; all are put back in the end. */
static int begin_way(struct actio_search *s)
{
    struct actio_model *m = s->problem->model;
    size_t which = actio_orbit_followed_param(s);
    if (!m->orbit.has_way) return search_refuse(s, "--follow needs a way A..B");
    s->kept_params = actio_alloc(s->problem->ctx, m->params + 1, sizeof *s->kept_params);
    if (!s->kept_params) return 1;
    for (size_t i = 0; i < m->params; i++) s->kept_params[i] = m->param[i].value;
    if (which == m->params) return 0;
    s->kept_definition = m->param[which].definition;
    s->kept_which = which;
    /* models made from this one begin there, too */
    m->param[which].definition = actio_const(&m->pool, actio_model_number(m, m->orbit.way_from));
    actio_orbit_set_param(m, which, actio_model_number(m, m->orbit.way_from));
    return 0;
}

static int follow(struct actio_search *s)
{
    struct actio_found *first = s->out->orbit[0];
    struct actio_model *m = s->problem->model;
    /* it is there already */
    if (actio_orbit_followed_param(s) < m->params
        && actio_model_number(m, m->orbit.way_from) == actio_model_number(m, m->orbit.way_to))
        return 0;
    /* the shortest is followed */
    while (s->out->count > 1) actio_found_free(s->problem->ctx, s->out->orbit[--s->out->count]);
    s->out->count = 0;
    int bad = actio_orbit_follow(s, first);
    actio_found_free(s->problem->ctx, first);
    return bad;
}

static int search(struct actio_search *s)
{
    if (s->problem->model->field.axes) return search_refuse(s, "this version does not search for orbits of fields");
    if (actio_orbit_ready(s)) return 1;
    /* rough orbits cost hardly less, and lead astray */
    s->tol = s->options->tol > 0 ? fmin(0.1 * s->options->tol, 1e-9) : 1e-14;
    if (actio_attempt(s->problem->ctx, name_components, &(struct naming){ s })) return 1;
    if (s->options->find && !s->options->run.no_compile) actio_system_native(s->problem->sys, 1e7);
    s->wanted = s->options->find;
    s->rough = !s->averaged.y && !s->problem->model->orbit.has_period;
    bool many = s->wanted && !actio_orbit_conserves(s);
    int bad = s->averaged.y ? search_polish(s) : many ? actio_orbit_find(s) : search_one(s);
    bool family = s->out->count && (actio_orbit_conserves(s) || actio_orbit_is_family(s, s->out->orbit[0]));
    if (family && (s->wanted || s->options->follow || strcmp(s->options->method, "shooting") != 0))
        actio_report(s->problem->f, ACTIO_F_ORBIT_FAMILY, ACTIO_NO_ARGS);
    if (!bad && s->options->follow) {
        bad = follow(s);
        s->out->followed = s->options->follow;
        actio_orbit_draw(s);
    }
    if (s->out->count) make_tables(s);
    search_judge(s);
    return bad;
}

/* Averaging goes before, on models made from this one; the search itself is then in the free one. */
static void search_averaged(struct actio_search *s)
{
    struct actio_problem *problem = s->problem, free_run;
    struct actio_model *free_model = NULL;
    if (actio_orbit_average(s, &free_model, &s->averaged) == 0) {
        actio_problem_open(&free_run, problem->ctx, free_model, &s->options->run, problem->f);
        s->problem = &free_run;
        search(s);
        actio_orbit_forget_causes(s);
        actio_orbit_close(&s->o);
        actio_problem_close(&free_run);
        s->o = (struct actio_orbit){ 0 };
        s->problem = problem;
    }
    problem->ctx->findings = problem->f;
    actio_circuit_close(&s->averaged, problem->ctx);
    actio_model_free(free_model);
}

struct actio_orbits *actio_orbit_inside(struct actio_context *ctx, struct actio_model *model,
                                        const struct actio_orbit_options *options, struct actio_findings *f)
{
    struct actio_orbit_options plain = actio_orbit_options_default();
    struct actio_problem problem;
    double started = ctx->clock ? ctx->clock() : 0;
    struct actio_orbits *out = actio_alloc(ctx, 1, sizeof *out);
    if (!out) {
        actio_report(f, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the search for orbits"), ACTIO_COUNT(ctx->bytes_limit)));
        return NULL;
    }
    out->ctx = ctx;
    actio_arena_open(&out->arena, ctx);
    struct actio_search s = {
        .problem = &problem, .out = out, .options = options ? options : &plain, .kept_which = SIZE_MAX
    };
    out->method = s.options->method;
    actio_problem_open(&problem, ctx, model, &s.options->run, f);
    bool begun = !s.options->follow || begin_way(&s) == 0;
    if (begun && s.options->averages) search_averaged(&s);
    else if (begun) search(&s);
    out->seconds = ctx->clock ? ctx->clock() - started : 0;
    actio_orbit_forget_causes(&s);
    actio_orbit_close(&s.o);
    for (size_t i = 0; s.kept_params && i < model->params; i++) model->param[i].value = s.kept_params[i];
    if (s.kept_params && s.kept_which < model->params) model->param[s.kept_which].definition = s.kept_definition;
    actio_free(ctx, s.mirror);
    actio_free(ctx, s.kept_params);
    for (size_t i = 0; i < s.guesses; i++) actio_free(ctx, s.guess[i].y);
    actio_problem_close(&problem);
    return out;
}

/* ---- what was found */

size_t actio_orbits_count(const struct actio_orbits *o) { return o ? o->count : 0; }

static const struct actio_found *found_at(const struct actio_orbits *o, size_t i)
{
    return o && i < o->count ? o->orbit[i] : NULL;
}

struct actio_orbit_info actio_orbits_info(const struct actio_orbits *o, size_t i)
{
    const struct actio_found *f = found_at(o, i);
    if (!f)
        return (struct actio_orbit_info){
            .period = NAN, .error = NAN, .residual = NAN, .word = "", .stability = "", .method = ""
        };
    return (struct actio_orbit_info){ .period = f->c.period,
                                      .error = f->reported.period_error,
                                      .residual = f->reported.residual,
                                      .word = f->word,
                                      .stability = f->stability,
                                      .method = o->method,
                                      .components = o->ny,
                                      .multipliers = f->multipliers,
                                      .iterations = f->reported.iterations,
                                      .nodes = f->c.nodes };
}

const char *actio_orbits_name(const struct actio_orbits *o, size_t component)
{
    return o && o->name && component < o->ny ? o->name[component] : "";
}
double actio_orbits_point(const struct actio_orbits *o, size_t i, size_t component)
{
    return found_at(o, i) && component < o->ny ? o->orbit[i]->c.y[component] : (double)NAN;
}

struct actio_multiplier_info actio_orbits_multiplier(const struct actio_orbits *o, size_t i, size_t k)
{
    const struct actio_found *f = found_at(o, i);
    if (!f || k >= f->multipliers) return (struct actio_multiplier_info){ NAN, NAN, NAN, NULL };
    return (struct actio_multiplier_info){ f->multiplier[k].re, f->multiplier[k].im, f->multiplier[k].log_modulus,
                                           f->trivial[k] };
}

size_t actio_orbits_branch_points(const struct actio_orbits *o) { return o ? o->points : 0; }

struct actio_branch_info actio_orbits_branch_point(const struct actio_orbits *o, size_t i)
{
    if (!o || i >= o->points) return (struct actio_branch_info){ NAN, NAN, "", "" };
    const struct actio_found *f = o->branch[i];
    return (struct actio_branch_info){ f->param, f->c.period, f->stability, f->mark };
}

size_t actio_orbits_levels(const struct actio_orbits *o, double *period)
{
    if (period) *period = o ? o->average_period : NAN;
    return o ? o->levels : 0;
}

const char *actio_orbits_level(const struct actio_orbits *o, size_t i, double *value)
{
    bool there = o && i < o->levels;
    if (value) *value = there ? o->level[i] : NAN;
    return there ? o->level_name[i] : "";
}

const struct actio_table *actio_orbits_diagram(const struct actio_orbits *o) { return o ? o->diagram : NULL; }

const struct actio_table *actio_orbits_table(const struct actio_orbits *o, size_t i)
{
    return found_at(o, i) && o->table ? o->table[i] : NULL;
}

void actio_orbits_free(struct actio_orbits *o)
{
    if (!o) return;
    for (size_t i = 0; i < o->count; i++) actio_found_free(o->ctx, o->orbit[i]);
    for (size_t i = 0; o->table && i < o->count; i++) actio_table_free(o->table[i]);
    for (size_t i = 0; i < o->points; i++) actio_found_free(o->ctx, o->branch[i]);
    actio_table_free(o->diagram);
    actio_table_free(o->stable);
    actio_table_free(o->unstable);
    actio_free(o->ctx, o->orbit);
    actio_free(o->ctx, o->branch);
    actio_free(o->ctx, o->table);
    actio_arena_close(&o->arena);
    actio_free(o->ctx, o);
}

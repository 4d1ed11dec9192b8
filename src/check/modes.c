/* SPDX-License-Identifier: Apache-2.0
 * Frequencies of small motions about the start, or an equilibrium next to it: actio_modes_find, and why there are none.
 * */
#include "principle/principles.h"
#include "check/check.h"
#include "orbit/orbits.h"
#include "problem/fields.h"
#include "solve/modes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct actio_modes {
    struct actio_context *ctx;
    struct actio_arena arena;
    struct actio_spectrum s;
    size_t reported, width, entries; /* width: coordinates of a shape as it is computed */
    const char **name;               /* by entry: of which variable, and where it lies */
    size_t *at;
};

/* ---- why there are none */

/* "x''" or "x'' at s = .5": what is not 0. */
static void describe(const struct actio_problem *problem, size_t i, int dashes, char *text, size_t size)
{
    const struct actio_model *m = problem->model;
    const struct actio_system *sys = problem->sys;
    int used = snprintf(text, size, "%.60s%s", sys->variable[i], i >= sys->n ? "'" : dashes == 1 ? "'" : "''");
    for (size_t k = 0; sys->field.axes && k < m->coords; k++) {
        size_t nodes = m->coord[k].axis ? sys->field.axis[m->coord[k].axis - 1].nodes : 0;
        if (i < sys->field.base[k] || i >= sys->field.base[k] + nodes) continue;
        const struct actio_axis_numbers *x = &sys->field.axis[m->coord[k].axis - 1];
        snprintf(text + used, size - (size_t)used, " at %.20s = %.6g", m->field.axis[m->coord[k].axis - 1].name,
                 x->a + (x->b - x->a) * (double)(i - sys->field.base[k]) / (double)(nodes - 1));
    }
}

static void say_large(struct actio_problem *problem, const struct actio_spectrum *s)
{
    const char *what = s->worst == ACTIO_MODES_LARGEST
                           ? "coordinates"
                           : "unknowns of a motion with damping, gyroscopic forces or velocity constraints";
    actio_problem_report(problem, ACTIO_F_MODES_TOO_LARGE,
                         ACTIO_ARGS(ACTIO_COUNT(s->amount), ACTIO_TEXT(what), ACTIO_COUNT(s->worst)));
}

static void modes_say(struct actio_problem *problem, enum actio_modes_status status, const struct actio_spectrum *s)
{
    const struct actio_system *sys = problem->sys;
    char text[160];
    switch (status) {
    case ACTIO_MODES_MOVES:
    case ACTIO_MODES_NO_REST:
        describe(problem, s->worst, status == ACTIO_MODES_MOVES ? 1 : 2, text, sizeof text);
        actio_problem_report(problem, status == ACTIO_MODES_MOVES ? ACTIO_F_MODES_MOVES : ACTIO_F_MODES_NO_REST,
                             ACTIO_ARGS(ACTIO_TEXT(text), ACTIO_NUMBER(s->amount)));
        break;
    case ACTIO_MODES_KINK:
        actio_problem_report(
            problem, ACTIO_F_MODES_KINK,
            ACTIO_ARGS(
                ACTIO_TEXT(s->worst < sys->switches.count ? sys->switches.text[s->worst] : "a switching formula"),
                ACTIO_TEXT(s->worst < sys->switches.count && sys->switches.whole[s->worst] ? "jumps" : "is 0")));
        break;
    case ACTIO_MODES_CONTACT:
        actio_problem_report(
            problem, ACTIO_F_MODES_CONTACT,
            ACTIO_ARGS(ACTIO_TEXT(sys->walls.contact[s->worst]), ACTIO_COUNT(sys->walls.contact_line[s->worst])));
        break;
    case ACTIO_MODES_STUCK:
        actio_problem_report(problem, ACTIO_F_MODES_STUCK, ACTIO_ARGS(ACTIO_TEXT(sys->constraint[s->worst])));
        break;
    case ACTIO_MODES_TOO_LARGE: say_large(problem, s); break;
    case ACTIO_MODES_NO_MEMORY:
        if (!problem->f->errors)
            actio_report(problem->f, ACTIO_F_OUT_OF_MEMORY,
                         ACTIO_ARGS(ACTIO_TEXT("the frequencies"), ACTIO_COUNT(problem->ctx->bytes_limit)));
        break;
    default:
        actio_problem_report(
            problem, ACTIO_F_MODES_FAILED,
            ACTIO_ARGS(ACTIO_TEXT(status == ACTIO_MODES_NOT_FINITE
                                      ? "a force or its derivative by the position is not finite at the start"
                                  : status == ACTIO_MODES_UNDETERMINED
                                      ? "the equations do not define the accelerations at the start"
                                      : "the eigenvalues did not converge")));
    }
}

/* ---- what there is */

/* Values of fields at their nodes, without those beyond the ends. */
struct listing {
    struct actio_modes *o;
    struct actio_problem *problem;
};

static void list_entries(void *user)
{
    struct listing *w = user;
    struct actio_modes *o = w->o;
    const struct actio_model *m = w->problem->model;
    const struct actio_system *sys = w->problem->sys;
    o->name = actio_arena_array(&o->arena, sys->n + 1, sizeof *o->name);
    o->at = actio_arena_array(&o->arena, sys->n + 1, sizeof *o->at);
    for (size_t i = 0; i < m->coords; i++) {
        size_t nodes = sys->field.axes && m->coord[i].axis ? sys->field.axis[m->coord[i].axis - 1].nodes : 1,
               first = sys->field.axes ? sys->field.base[i] : i;
        for (size_t k = 0; k < nodes; k++) {
            o->name[o->entries] = actio_arena_text(&o->arena, m->coord[i].name, strlen(m->coord[i].name));
            o->at[o->entries++] = first + k;
        }
    }
}

static int make_ready(struct actio_problem *problem)
{
    if (actio_principle_ready(problem)) return 1;
    return actio_motion_begin(&problem->motion, problem->model->time.t0, problem->y0) == ACTIO_FLOW_FAILED;
}

/* Ready without words where all is well: `check` has said what there is to say. */
static int modes_prepare(struct actio_problem *problem, struct actio_context *ctx, struct actio_model *model,
                         struct actio_findings *f)
{
    struct actio_findings silent;
    actio_findings_open(&silent, ctx);
    actio_problem_open(problem, ctx, model, NULL, &silent);
    int bad = make_ready(problem);
    if (bad) {
        actio_problem_close(problem);
        actio_problem_open(problem, ctx, model, NULL, f);
        bad = make_ready(problem);
    }
    problem->f = ctx->findings = f;
    actio_findings_close(&silent);
    return bad;
}

/* Where the start is not an equilibrium, one that is found from it. */
static enum actio_modes_status look_nearby(struct actio_problem *problem, struct actio_spectrum *s)
{
    struct actio_spectrum there;
    double *y = actio_alloc(problem->ctx, problem->ny + 1, sizeof *y), t = problem->model->time.t0, most = 0;
    if (!y) return ACTIO_MODES_NO_REST;
    memcpy(y, problem->y0, problem->ny * sizeof *y);
    bool found = actio_rest_find(&problem->motion, t, y)
                 && actio_modes_solve(&problem->motion, t, y, &there) == ACTIO_MODES_FOUND;
    for (size_t i = 0; i < problem->ny; i++) most = fmax(most, fabs(y[i] - problem->y0[i]));
    if (found) {
        char where[400] = ""; /* of a field too much to be reported */
        if (!problem->sys->field.axes)
            snprintf(where, sizeof where, ": %s", actio_problem_state_text(problem, y, problem->y0));
        actio_problem_report(problem, ACTIO_F_MODES_NEARBY, ACTIO_ARGS(ACTIO_NUMBER(most), ACTIO_TEXT(where)));
        actio_spectrum_close(problem->ctx, s);
        *s = there;
    }
    actio_free(problem->ctx, y);
    return found ? ACTIO_MODES_FOUND : ACTIO_MODES_NO_REST;
}

static int modes_find(struct actio_problem *problem, struct actio_modes *o, size_t most)
{
    struct actio_search timed = { .problem = problem };
    if (actio_orbit_timed(&timed)) {
        actio_problem_report(problem, ACTIO_F_MODES_TIME, ACTIO_NO_ARGS);
        return 1;
    }
    enum actio_modes_status status = actio_modes_solve(&problem->motion, problem->model->time.t0, problem->y0, &o->s);
    if (status == ACTIO_MODES_NO_REST) status = look_nearby(problem, &o->s);
    if (status != ACTIO_MODES_FOUND) {
        modes_say(problem, status, &o->s);
        return 1;
    }
    o->width = problem->sys->n;
    o->reported = most < o->s.count ? most : o->s.count;
    return o->s.shape ? actio_attempt(problem->ctx, list_entries, &(struct listing){ o, problem }) : 0;
}

struct actio_modes *actio_modes_inside(struct actio_context *ctx, struct actio_model *model, size_t most,
                                       struct actio_findings *f)
{
    struct actio_problem problem;
    struct actio_modes *o = actio_alloc(ctx, 1, sizeof *o);
    if (!o) {
        actio_report(f, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("the frequencies"), ACTIO_COUNT(ctx->bytes_limit)));
        return NULL;
    }
    o->ctx = ctx;
    actio_arena_open(&o->arena, ctx);
    int bad = modes_prepare(&problem, ctx, model, f) || modes_find(&problem, o, most);
    actio_problem_close(&problem);
    if (bad) {
        actio_modes_free(o);
        o = NULL;
    }
    return o;
}

void actio_modes_free(struct actio_modes *o)
{
    if (!o) return;
    actio_spectrum_close(o->ctx, &o->s);
    actio_arena_close(&o->arena);
    actio_free(o->ctx, o);
}

size_t actio_modes_count(const struct actio_modes *o) { return o ? o->reported : 0; }
size_t actio_modes_all(const struct actio_modes *o, double *rounding)
{
    if (rounding) *rounding = o ? o->s.rounding : 0;
    return o ? o->s.count : 0;
}

struct actio_mode_info actio_modes_info(const struct actio_modes *o, size_t i)
{
    if (!o || i >= o->reported) return (struct actio_mode_info){ NAN, NAN, NAN, "" };
    struct actio_mode x = o->s.mode[i];
    const char *kind = x.growth > 0 ? "unstable" : x.growth < 0 ? "damped" : x.omega > 0 ? "swings" : "free";
    return (struct actio_mode_info){ x.omega, x.growth, x.omega > 0 ? 2 * 3.14159265358979323846 / x.omega : NAN,
                                     kind };
}

size_t actio_modes_entries(const struct actio_modes *o) { return o ? o->entries : 0; }
const char *actio_modes_name(const struct actio_modes *o, size_t entry)
{
    return o && entry < o->entries ? o->name[entry] : "";
}
double actio_modes_shape(const struct actio_modes *o, size_t i, size_t entry)
{
    return o && i < o->reported && entry < o->entries ? o->s.shape[i * o->width + o->at[entry]] : (double)NAN;
}

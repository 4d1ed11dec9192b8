/* SPDX-License-Identifier: Apache-2.0
 * A motion step by step: opened like a run, then taken to one time after the other. */
#include "run/integrator.h"
#include "principle/principles.h"
#include "solve/contacts.h"
#include "solve/pieces.h"

#include <math.h>
#include <string.h>

struct actio_integrator {
    struct actio_run run;
    struct actio_findings said; /* between calls; nobody reads it */
    struct actio_pieces pieces;
    struct actio_table *happened; /* events of the last call */
    double *stop;                 /* where it last stopped */
    struct actio_start_check nearest;
    bool broken; /* it can't go on from here */
};

struct actio_context *actio_integrator_context(const struct actio_integrator *i) { return i->run.problem.ctx; }

/* ---- what it has */

double actio_integrator_time(const struct actio_integrator *i) { return i ? i->pieces.t : (double)NAN; }

size_t actio_integrator_state(const struct actio_integrator *i, double *y)
{
    size_t n = i ? i->run.problem.ny : 0;
    if (n && y) memcpy(y, i->pieces.y, n * sizeof *y);
    return n;
}

size_t actio_integrator_held(const struct actio_integrator *i, double *held)
{
    const struct actio_system *sys = i ? i->run.problem.sys : NULL;
    size_t count = sys ? sys->resets.held : 0;
    if (count && held) memcpy(held, i->run.problem.motion.here.mode + sys->switches.count, count * sizeof *held);
    return count;
}

const char *actio_integrator_held_name(const struct actio_integrator *i, size_t k)
{
    return i && k < i->run.problem.sys->resets.held ? i->run.problem.sys->resets.held_name[k] : NULL;
}

const struct actio_table *actio_integrator_events(const struct actio_integrator *i) { return i ? i->happened : NULL; }

/* ---- going */

static void list_events(void *user)
{
    struct actio_integrator *i = user;
    i->happened = actio_table_create(i->run.problem.ctx);
    i->happened->local_only = true;
    i->happened->from.model = actio_model_name(i->run.problem.model);
    i->happened->from.by = i->run.problem.principle->name;
    i->happened->from.method = i->pieces.stepper->name;
    i->happened->from.tier = "";
    actio_run_list_events(&i->run, i->happened);
}

/* The words of a run that ended early. */
static void explain(struct actio_integrator *i, int status)
{
    const struct actio_pieces *p = &i->pieces;
    memcpy(i->stop, p->y, i->run.problem.ny * sizeof *i->stop);
    i->run.outcome = (struct actio_outcome){ .status = status,
                                             .t_stop = p->t,
                                             .y_stop = i->stop,
                                             .guard = p->last.guard,
                                             .stepper = p->stepper,
                                             .steps = p->last.stats.steps,
                                             .holds_until = NAN,
                                             .worst = NAN };
    actio_run_explain(&i->run);
    i->run.outcome = (struct actio_outcome){ 0 };
}

int actio_integrator_go(struct actio_integrator *i, double t, struct actio_findings *f)
{
    struct actio_problem *problem = &i->run.problem;
    actio_table_free(i->happened);
    i->happened = NULL;
    problem->f = f;
    int bad = i->broken || actio_problem_check_direction(problem, t < i->pieces.t);
    if (i->broken) actio_report(f, ACTIO_F_CANNOT_GO_ON, ACTIO_ARGS(ACTIO_NUMBER(i->pieces.t)));
    if (!bad) {
        int status = actio_pieces_go(&i->pieces, t);
        explain(i, status);
        i->broken = status && status != ACTIO_FLOW_STOPPED;
        bad = status != 0 && status != ACTIO_FLOW_ENDED;
        if (actio_attempt(problem->ctx, list_events, i)) bad = 1;
    }
    problem->f = &i->said;
    return bad;
}

/* ---- another state */

static int breaks(struct actio_integrator *i, double t, const struct actio_start_check *c)
{
    const struct actio_system *sys = i->run.problem.sys;
    for (size_t k = 0; k < sys->p; k++) {
        double off = c->position[k] != 0 ? c->position[k] : c->velocity[k];
        if (off == 0) continue;
        actio_report(i->run.problem.f, ACTIO_F_STATE_BREAKS,
                     ACTIO_ARGS(ACTIO_NUMBER(t), ACTIO_TEXT(sys->constraint[k]), ACTIO_NUMBER(off)));
        return 1;
    }
    actio_report(i->run.problem.f, ACTIO_F_STATE_BREAKS,
                 ACTIO_ARGS(ACTIO_NUMBER(t), ACTIO_TEXT("constraints"), ACTIO_NUMBER(NAN)));
    return 1;
}

/* Of a field the residuals of the nodes; else the nearest state, which rounding may move. */
static int check_state(struct actio_integrator *i, double t, const double *y)
{
    struct actio_problem *problem = &i->run.problem;
    struct actio_motion *m = &problem->motion;
    struct actio_start_check *c = &i->nearest;
    memcpy(c->nearest, y, problem->ny * sizeof *y);
    if (!problem->sys->levels) return 0;
    if (problem->sys->field.axes) {
        size_t count = problem->sys->holonomic + problem->sys->levels;
        const double *residual = actio_motion_levels(m, t, y);
        bool good = true;
        for (size_t k = 0; k < count; k++) good &= fabs(residual[k]) <= 1e-8 * residual[count + k] + 1e-12;
        memset(c->position, 0, problem->sys->p * sizeof *c->position);
        memset(c->velocity, 0, problem->sys->p * sizeof *c->velocity);
        return good ? 0 : breaks(i, t, c);
    }
    actio_motion_check_start(m, t, y, c);
    return c->found && (c->consistent || problem->options.project) ? 0 : breaks(i, t, c);
}

int actio_integrator_place(struct actio_integrator *i, double t, const double *y, struct actio_findings *f)
{
    struct actio_problem *problem = &i->run.problem;
    double sum = t;
    for (size_t k = 0; k < problem->ny; k++) sum += y[k] * 0;
    if (!isfinite(sum)) {
        actio_report(f, ACTIO_F_NOT_A_SIZE,
                     ACTIO_ARGS(ACTIO_TEXT("state"), ACTIO_NUMBER(NAN), ACTIO_TEXT("finite numbers")));
        return 1;
    }
    problem->f = f;
    int bad = check_state(i, t, y);
    if (!bad && problem->motion.contacts) bad = actio_problem_check_walls(problem, t, i->nearest.nearest);
    if (!bad) {
        actio_pieces_place(&i->pieces, t, i->nearest.nearest);
        i->broken = false;
    }
    problem->f = &i->said;
    return bad;
}

/* ---- bytes: a head, then what the pieces keep */

struct head {
    char magic[8];
    uint64_t kind, length, sum; /* kind: of the model, the principle and this version; sum: of what follows */
};

static uint64_t mix(uint64_t h, const void *bytes, size_t length)
{
    const unsigned char *b = bytes;
    for (size_t k = 0; k < length; k++) h = (h ^ b[k]) * 1099511628211u;
    return h;
}

/* Names and their number, the laws of motion, the tolerance: what must agree for the bits to agree. */
static uint64_t kind_of(const struct actio_integrator *i)
{
    const struct actio_problem *problem = &i->run.problem;
    uint64_t h = mix(14695981039346656037u, actio_version(), strlen(actio_version()));
    h = mix(h, problem->principle->name, strlen(problem->principle->name));
    for (size_t k = 0; k < problem->ny; k++) {
        const char *name = actio_problem_name(problem, k);
        h = mix(h, name, strlen(name) + 1);
    }
    const size_t sizes[] = { problem->sys->p,           problem->sys->switches.count, problem->sys->walls.contacts,
                             problem->sys->walls.rubs,  problem->sys->walls.slips,    problem->sys->walls.events,
                             problem->sys->resets.held, problem->sys->resets.clocks,  problem->sys->resets.statements };
    h = mix(h, sizes, sizeof sizes);
    return mix(h, &i->pieces.local, sizeof i->pieces.local);
}

size_t actio_integrator_save(const struct actio_integrator *i, void *bytes, size_t size)
{
    if (!i) return 0;
    struct head head = { "actio/1", kind_of(i), actio_pieces_save(&i->pieces, NULL), 0 };
    size_t all = sizeof head + head.length;
    if (!bytes || size < all) return all;
    unsigned char *body = (unsigned char *)bytes + sizeof head;
    actio_pieces_save(&i->pieces, body);
    head.sum = mix(14695981039346656037u, body, head.length);
    memcpy(bytes, &head, sizeof head);
    return all;
}

static int not_saved(struct actio_findings *f, const char *why)
{
    actio_report(f, ACTIO_F_NOT_SAVED, ACTIO_ARGS(ACTIO_TEXT(why)));
    return 1;
}

int actio_integrator_recall(struct actio_integrator *i, const unsigned char *bytes, size_t size,
                            struct actio_findings *f)
{
    struct head head, own = { "actio/1", kind_of(i), actio_pieces_save(&i->pieces, NULL), 0 };
    if (size < sizeof head) return not_saved(f, "they are too few");
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, own.magic, sizeof head.magic) != 0)
        return not_saved(f, "they do not begin as saved ones do");
    if (head.kind != own.kind || head.length != own.length)
        return not_saved(f, "they are of another model, principle, tolerance or version");
    if (size != sizeof head + head.length) return not_saved(f, "their number is another");
    if (mix(14695981039346656037u, bytes + sizeof head, head.length) != head.sum)
        return not_saved(f, "some have changed");
    actio_pieces_restore(&i->pieces, bytes + sizeof head);
    i->broken = false;
    return 0;
}

/* ---- making one */

static int no_steps(struct actio_problem *problem, const char *why)
{
    actio_problem_report(problem, ACTIO_F_NO_INTEGRATOR, ACTIO_ARGS(ACTIO_TEXT(problem->options.by), ACTIO_TEXT(why)));
    return 1;
}

static void integrator_allocate(void *user)
{
    struct actio_integrator *i = user;
    struct actio_problem *problem = &i->run.problem;
    struct actio_arena *arena = &problem->arena;
    i->stop = actio_arena_array(arena, problem->ny + 1, sizeof *i->stop);
    i->nearest = (struct actio_start_check){
        .position = actio_arena_array(arena, problem->sys->p + 1, sizeof(double)),
        .velocity = actio_arena_array(arena, problem->sys->p + 1, sizeof(double)),
        .nearest = actio_arena_array(arena, problem->ny + 1, sizeof(double)),
    };
}

static int integrator_make(struct actio_integrator *i)
{
    struct actio_problem *problem = &i->run.problem;
    const struct actio_run_options *o = &problem->options;
    const struct actio_model *m = problem->model;
    const struct actio_principle *p = actio_principle_named(o->by);
    problem->options.by = p->name; /* lives longer than the caller's */
    if (p->stepper || p->solve) return no_steps(problem, "it computes the motion as a whole, or on a grid");
    if (!(o->local > 0)) problem->options.local = o->tol;
    if (actio_problem_check_bound(m, problem->f) || actio_problem_check_outside(problem)) return 1;
    if (actio_run_ready(&i->run) || actio_problem_check_slopes(problem)) return 1;
    struct actio_aim aim = { .t0 = m->time.given ? m->time.t0 : 0,
                             .y0 = problem->y0,
                             .tol = o->tol,
                             .local = o->local,
                             .method = o->method,
                             .compile = !o->no_compile };
    double length = m->time.given ? fabs(m->time.t1 - m->time.t0) : 1;
    if (actio_attempt(problem->ctx, integrator_allocate, i)) return 1;
    return actio_pieces_open(&i->pieces, problem->ctx, &problem->motion, &aim, length);
}

static void integrator_close(struct actio_integrator *i)
{
    struct actio_context *ctx = i->run.problem.ctx;
    i->run.problem.outer = ctx->findings; /* those of now, not those of its making */
    actio_table_free(i->happened);
    actio_pieces_close(&i->pieces);
    actio_run_close(&i->run);
    actio_findings_close(&i->said);
    actio_free(ctx, i);
}

struct actio_integrator *actio_integrator_inside(struct actio_context *ctx, struct actio_model *model,
                                                 const struct actio_run_options *options, struct actio_findings *f)
{
    struct actio_integrator *i = actio_alloc(ctx, 1, sizeof *i);
    if (!i) return NULL;
    actio_run_open(&i->run, ctx, model, options, f);
    actio_findings_open(&i->said, ctx);
    bool bad = integrator_make(i) != 0;
    i->run.problem.f = &i->said;
    ctx->findings = i->run.problem.outer;
    if (!bad) return i;
    integrator_close(i);
    return NULL;
}

void actio_integrator_free(struct actio_integrator *i)
{
    if (i) integrator_close(i);
}

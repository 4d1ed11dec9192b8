/* SPDX-License-Identifier: Apache-2.0
 * The end of a run: why it stopped, in words, and the table it leaves. */
#include "run/gradient.h"
#include "run/halted.h"
#include "run/instants.h"
#include "solve/contacts.h"
#include "verdict/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- why */

static double length_of_row(const struct actio_system *sys, const double *values, size_t row)
{
    double sum = 0;
    for (size_t i = 0; i < sys->A.count; i++)
        if (sys->A.row[i] == row) sum += values[sys->G.count + i] * values[sys->G.count + i];
    return sqrt(sum);
}

static bool is_position(const struct actio_system *sys, size_t row)
{
    for (size_t i = 0; i < sys->holonomic; i++)
        if (sys->position_row[i] == row) return true;
    return false;
}

/* A constraint on velocities whose gradient has shrunk to nothing since the start (a quadratic one, at zero speed); p:
 * none. */
static size_t vanishing_row(struct actio_run *run)
{
    struct actio_motion *m = &run->problem.motion;
    for (size_t k = 0; k < run->problem.sys->p; k++) {
        /* rows of a linkage that lies flat: dependent on the others, as every row of zeros is */
        if (is_position(run->problem.sys, k)) continue;
        const double *there = actio_motion_values(m, run->outcome.t_stop, run->outcome.y_stop);
        double length = there ? length_of_row(run->problem.sys, there, k) : INFINITY;
        const double *before = actio_motion_values(m, run->problem.model->time.t0, run->problem.y0);
        if (before && length < 1e-6 * length_of_row(run->problem.sys, before, k)) return k;
    }
    return run->problem.sys->p;
}

/* The statement that a row is of: along an axis a statement has many. */
struct actio_span actio_run_span_of_row(const struct actio_run *run, size_t row)
{
    const struct actio_model *m = run->problem.model;
    for (size_t k = 0; k < m->constraints; k++)
        if (strcmp(m->constraint[k].label, run->problem.sys->constraint[row]) == 0) return m->constraint[k].span;
    return (struct actio_span){ 0 };
}

/* What is singular where the motion ended: a constraint's row, or the masses. */
static void find_weakest(struct actio_run *run)
{
    struct actio_motion *m = &run->problem.motion;
    const double *values = actio_motion_values(m, run->outcome.t_stop, run->outcome.y_stop);
    if (!values) return;
    actio_saddle_factor(m->saddle, values);
    actio_saddle_rank(m->saddle, NULL);
    m->halted.by = actio_saddle_weakest(m->saddle);
    m->halted.why = m->halted.by < m->p ? ACTIO_STOP_RANK : ACTIO_STOP_INERTIA;
}

static void say_singular(struct actio_run *run)
{
    struct actio_motion *m = &run->problem.motion;
    const struct actio_outcome *o = &run->outcome;
    const char *where = actio_problem_state_text(&run->problem, o->y_stop, NULL);
    size_t vanished = vanishing_row(run);
    if (vanished < run->problem.sys->p) {
        actio_report_at(
            run->problem.f, ACTIO_F_GRADIENT_GONE, &run->problem.model->source, actio_run_span_of_row(run, vanished),
            ACTIO_ARGS(ACTIO_TEXT(run->problem.sys->constraint[vanished]), ACTIO_NUMBER(o->t_stop), ACTIO_TEXT(where)));
        return;
    }
    if (m->halted.why == ACTIO_STOP_NONE) find_weakest(run);
    if (m->halted.why == ACTIO_STOP_RANK && m->halted.by < run->problem.sys->p)
        actio_report_at(run->problem.f, ACTIO_F_RANK_LOST, &run->problem.model->source,
                        actio_run_span_of_row(run, m->halted.by),
                        ACTIO_ARGS(ACTIO_TEXT(run->problem.sys->constraint[m->halted.by]), ACTIO_NUMBER(o->t_stop),
                                   ACTIO_TEXT(where)));
    else actio_report(run->problem.f, ACTIO_F_INERTIA_LOST, ACTIO_ARGS(ACTIO_NUMBER(o->t_stop), ACTIO_TEXT(where)));
}

struct naming {
    struct actio_run *run;
    uint32_t node;
    const char *text;
};

static void name_expression(void *user)
{
    struct naming *n = user;
    n->text = actio_system_text(n->run->problem.sys, n->node);
}

/* The formula that first gave no number, where it did. */
static void say_not_a_number(struct actio_run *run)
{
    struct actio_motion *m = &run->problem.motion;
    const struct actio_bound *b = &m->at[ACTIO_Q_MATRIX];
    if (actio_run_say_countless(run, m->bad.t, m->bad.y)) return;
    struct naming n = { .run = run, .text = "a formula" };
    memcpy(m->here.y, m->bad.y, run->problem.ny * sizeof(double));
    m->here.t = m->bad.t;
    /* fields have no one formula for all nodes */
    n.node = b->k ? actio_kernel_locate(b->k, b->in, b->pre, 0, b->work) : 0;
    if (n.node) actio_attempt(run->problem.ctx, name_expression, &n);
    char shown[400];
    snprintf(shown, sizeof shown, "%.380s%s", n.text, strlen(n.text) > 380 ? "..." : "");
    actio_report(run->problem.f, ACTIO_F_NOT_A_NUMBER,
                 ACTIO_ARGS(ACTIO_TEXT(shown), ACTIO_NUMBER(m->bad.t),
                            ACTIO_TEXT(actio_problem_state_text(&run->problem, m->bad.y, NULL)),
                            ACTIO_TEXT(n.node ? "check its domain, which the motion leaves" : "")));
}

/* Through the wall: half rate^2 over the mobility is left of the kinetic energy that was brought to it. */
static void say_tunnel(struct actio_run *run)
{
    struct actio_motion *m = &run->problem.motion;
    const struct actio_outcome *o = &run->outcome;
    const double *x =
        actio_motion_quantity(m, ACTIO_Q_CONTACT, o->t_stop, o->y_stop) + m->halted.by * (m->n + ACTIO_GAP_HEAD);
    double *force = actio_arena_array(&run->problem.arena, m->N + 1, sizeof *force),
           *answer = actio_arena_array(&run->problem.arena, m->N + 1, sizeof *answer), mobility = 0;
    const struct actio_contact *c = &run->problem.model->contact[m->halted.by];
    memcpy(force, x + ACTIO_GAP_HEAD, m->n * sizeof *force);
    double rate = x[ACTIO_GAP_RATE];
    const double *values = actio_motion_values(m, o->t_stop, o->y_stop);
    if (values && actio_saddle_factor(m->saddle, values) == 0
        && actio_saddle_respond(m->saddle, force, answer, m->scratch.residual) == 0)
        for (size_t i = 0; i < m->n; i++) mobility += force[i] * answer[i];
    double brought = run->problem.options.barrier + (mobility > 0 ? 0.5 * rate * rate / mobility : 0);
    actio_report_at(run->problem.f, ACTIO_F_BARRIER_LOW, &run->problem.model->source, c->span,
                    ACTIO_ARGS(ACTIO_TEXT(c->label), ACTIO_NUMBER(o->t_stop),
                               ACTIO_NUMBER(run->problem.options.barrier), ACTIO_NUMBER(brought)));
}

/* Steps that shrink to nothing at a singular point, and slabs that are not found next to one, are that, not a failure.
 * */
static bool say_surface(struct actio_run *run)
{
    const struct actio_ode *flow = &run->problem.motion.flow;
    if (!flow->quality_at || !(flow->quality_at(flow->user, run->outcome.t_stop, run->outcome.y_stop) < 1e-4))
        return false;
    find_weakest(run);
    say_singular(run);
    return true;
}

static void say_failed(struct actio_run *run)
{
    const struct actio_principle *p = run->problem.principle;
    struct actio_motion *m = &run->problem.motion;
    const struct actio_outcome *o = &run->outcome;
    if ((m->halted.why == ACTIO_STOP_DUAL || m->halted.why == ACTIO_STOP_SLAB) && say_surface(run)) return;
    if (m->halted.why == ACTIO_STOP_CONTRADICTION && m->halted.by < run->problem.model->constraints) {
        const struct actio_constraint *con = &run->problem.model->constraint[m->halted.by];
        actio_report_at(run->problem.f, ACTIO_F_CONTRADICTORY_LATER, &run->problem.model->source, con->span,
                        ACTIO_ARGS(ACTIO_TEXT(con->label), ACTIO_NUMBER(o->t_stop)));
    } else if (m->halted.why == ACTIO_STOP_CHATTER) actio_run_say_chattering(run);
    else if (m->halted.why == ACTIO_STOP_COEFFICIENT) actio_run_say_coefficient(run);
    else if (m->halted.why == ACTIO_STOP_INSTANT) actio_run_explain_instant(run);
    else if (actio_run_say_jump(run)) return;
    else if (m->halted.why == ACTIO_STOP_TUNNEL) say_tunnel(run);
    else if (m->halted.why == ACTIO_STOP_SLAB)
        actio_report(
            run->problem.f, ACTIO_F_SLAB_DIVERGED,
            ACTIO_ARGS(ACTIO_NUMBER(o->t_stop), ACTIO_TEXT(actio_problem_state_text(&run->problem, o->y_stop, NULL))));
    else if (m->halted.why == ACTIO_STOP_NO_STANCE || m->halted.why == ACTIO_STOP_IMPACT)
        actio_report(
            run->problem.f, m->halted.why == ACTIO_STOP_IMPACT ? ACTIO_F_IMPACT_FAILS : ACTIO_F_NO_STANCE,
            ACTIO_ARGS(ACTIO_NUMBER(o->t_stop), ACTIO_TEXT(actio_problem_state_text(&run->problem, o->y_stop, NULL))));
    else if (actio_contacts_hard(m) && o->status == ACTIO_FLOW_FAILED)
        actio_report(
            run->problem.f, ACTIO_F_CONTACT_CHATTERS,
            ACTIO_ARGS(ACTIO_NUMBER(o->t_stop), ACTIO_TEXT(actio_problem_state_text(&run->problem, o->y_stop, NULL))));
    else if (p->explain && p->explain(&run->problem, o)) return;
    else if (actio_run_say_countless(run, o->t_stop, o->y_stop)) return;
    else
        actio_report(
            run->problem.f, ACTIO_F_BLOWS_UP,
            ACTIO_ARGS(ACTIO_NUMBER(o->t_stop), ACTIO_TEXT(actio_problem_state_text(&run->problem, o->y_stop, NULL))));
}

static void say_step_to_zero(struct actio_run *run)
{
    if (actio_run_say_countless(run, run->outcome.t_stop, run->outcome.y_stop)) return;
    if (actio_run_say_held(run)) return;
    if (!say_surface(run)) say_failed(run);
}

static void say_stopped(struct actio_run *run)
{
    if (actio_cancelled(run->problem.ctx)) actio_report(run->problem.f, ACTIO_F_INTERRUPTED, ACTIO_NO_ARGS);
    else actio_report(run->problem.f, ACTIO_F_TIME_RAN_OUT, ACTIO_ARGS(ACTIO_NUMBER(run->outcome.t_stop)));
}

static void say_ambiguous(struct actio_run *run, const struct actio_ambiguity *a)
{
    if (a->happened && a->solutions > 1)
        actio_report(
            run->problem.f, ACTIO_F_AMBIGUOUS,
            ACTIO_ARGS(ACTIO_NUMBER(a->t), ACTIO_COUNT(a->solutions), ACTIO_TEXT(a->what), ACTIO_COUNT(a->picked)));
}

static void say_jammed(struct actio_run *run, const struct actio_contacts *c)
{
    if (c->jam.contact < c->contacts)
        actio_report_at(
            run->problem.f, ACTIO_F_JAMS, &run->problem.model->source, run->problem.model->contact[c->jam.contact].span,
            ACTIO_ARGS(ACTIO_TEXT(run->problem.sys->walls.contact[c->jam.contact]), ACTIO_NUMBER(c->jam.at)));
}

/* Columns that are known less well than requested, because they magnify errors of the state: named, with what they are
 * known to. */
static void list_magnified(void *user)
{
    struct actio_run *run = user;
    const struct actio_outcome *o = &run->outcome;
    const struct actio_system *sys = run->problem.sys;
    struct actio_text names;
    actio_text_open(&names, &run->problem.arena);
    for (size_t c = 0; c < sys->output.named; c++) {
        double error = 0, size = 1;
        for (size_t k = 0; k < sys->output.column[c].width; k++) {
            const double *x = actio_outcome_column(o, sys->output.column[c].first + k);
            error = fmax(error, o->error[sys->output.column[c].first + k]);
            for (size_t r = 0; r < o->rows; r++) size = fmax(size, fabs(x[r]));
        }
        if (error > run->problem.options.tol * size && !actio_role_is_sum(sys->output.column[c].role))
            actio_text_format(&names, "%s%s to %.1g", names.length ? ", " : "", sys->output.column[c].name,
                              error / size);
    }
    if (names.length) actio_report(run->problem.f, ACTIO_F_FIELD_MAGNIFIED, ACTIO_ARGS(ACTIO_TEXT(names.s)));
}

/* Nothing is left out, and yet it is not met: errors between rows, or instants of one run only. */
static void say_not_reached_by(struct actio_run *run)
{
    const struct actio_outcome *o = &run->outcome;
    char why[200];
    if (o->worst > run->problem.options.tol)
        snprintf(why, sizeof why, "the estimated relative error of %.100s is %.1g",
                 actio_system_column(run->problem.sys, o->worst_column)->name, o->worst);
    else snprintf(why, sizeof why, "two runs of different accuracy have different instants");
    actio_report(
        run->problem.f, ACTIO_F_NOT_REACHED_BY,
        ACTIO_ARGS(ACTIO_NUMBER(run->problem.options.tol), ACTIO_NUMBER(run->times[o->rows - 1]), ACTIO_TEXT(why)));
}

void actio_run_explain(struct actio_run *run)
{
    struct actio_outcome *o = &run->outcome;
    if (o->magnified && o->reached && run->problem.options.local <= 0)
        actio_attempt(run->problem.ctx, list_magnified, run);
    if (run->problem.motion.contacts) {
        say_ambiguous(run, &run->problem.motion.contacts->ambiguity);
        say_jammed(run, run->problem.motion.contacts);
    }
    if (o->status && run->problem.motion.outside.failed) {
        actio_problem_explain_outside(&run->problem);
        return;
    }
    switch (o->status) {
    case ACTIO_FLOW_OK:
    case ACTIO_FLOW_ENDED: break;
    case ACTIO_FLOW_NAN: say_not_a_number(run); break;
    case ACTIO_FLOW_SINGULAR: say_singular(run); break;
    case ACTIO_FLOW_STOPPED: say_stopped(run); break;
    case ACTIO_MARCH_STEP_TO_ZERO: say_step_to_zero(run); break;
    case ACTIO_MARCH_TOO_MANY_STEPS:
        actio_report(run->problem.f, ACTIO_F_TOO_MANY_STEPS,
                     ACTIO_ARGS(ACTIO_NUMBER(o->t_stop), ACTIO_COUNT(o->steps)));
        break;
    case ACTIO_MARCH_NO_MEMORY: /* what could not be made for another reason was reported where it was seen */
        if (!run->problem.f->errors)
            actio_report(run->problem.f, ACTIO_F_OUT_OF_MEMORY,
                         ACTIO_ARGS(ACTIO_TEXT("the motion"), ACTIO_COUNT(run->problem.ctx->bytes_limit)));
        break;
    default: say_failed(run); break;
    }
    if (run->problem.options.local > 0 || o->reached || o->status == ACTIO_FLOW_STOPPED) return;
    if (o->status != 0 && o->good_rows >= o->rows) return;
    if (o->hangs && o->hangs_on_event && o->good_rows > 1) {
        const struct actio_system *sys = run->problem.sys;
        actio_report(run->problem.f, ACTIO_F_EVENT_UNDECIDED,
                     ACTIO_ARGS(ACTIO_TEXT(sys->walls.event[o->hangs_on]), ACTIO_NUMBER(o->hangs_at)));
        return;
    }
    if (o->hangs && o->good_rows > 1) {
        const struct actio_contact *c = &run->problem.model->contact[o->hangs_on];
        actio_report_at(run->problem.f, ACTIO_F_CONTACT_UNDECIDED, &run->problem.model->source, c->span,
                        ACTIO_ARGS(ACTIO_TEXT(c->label), ACTIO_NUMBER(o->hangs_at)));
        return;
    }
    if (o->good_rows > 1 && o->good_rows >= o->rows) say_not_reached_by(run);
    else if (o->good_rows > 1)
        actio_report(run->problem.f, ACTIO_F_NOT_REACHED,
                     ACTIO_ARGS(ACTIO_NUMBER(run->problem.options.tol), ACTIO_NUMBER(o->holds_until),
                                ACTIO_TEXT(actio_system_column(run->problem.sys, o->worst_column)->name)));
    else
        actio_report(run->problem.f, ACTIO_F_NOT_REACHED_AT_ALL,
                     ACTIO_ARGS(ACTIO_NUMBER(run->problem.options.tol), ACTIO_NUMBER(o->worst),
                                ACTIO_TEXT(actio_system_column(run->problem.sys, o->worst_column)->name)));
}

/* ---- the table */

struct filling {
    struct actio_run *run;
    struct actio_table *table;
};

static const char *kept_text(struct actio_table *t, const char *s) { return actio_table_text(t, s); }

/* A run that was stopped before a second one could be compared with it: nothing is known of its errors. */
static bool unjudged(const struct actio_run *run)
{
    const struct actio_outcome *o = &run->outcome;
    return o->status == ACTIO_FLOW_STOPPED && !o->reached && o->compared == 0;
}

/* Largest error of a column over the rows that are shown. */
static double error_shown(const struct actio_run *run, size_t c, size_t rows)
{
    double largest = 0;
    for (size_t r = 0; r < rows; r++) largest = fmax(largest, actio_outcome_error(&run->outcome, c, run->times[r]));
    return largest;
}

/* Places of the nodes or cells of an axis. */
static const double *places_of(const struct actio_system *sys, struct actio_table *t,
                               const struct actio_system_column *c)
{
    const struct actio_axis_numbers *x = &sys->field.axis[c->axis - 1];
    double *place = actio_arena_array(&t->arena, c->width + 1, sizeof *place);
    for (size_t i = 0; i < c->width; i++)
        place[i] = x->a + (x->b - x->a) * (((double)i + 0.5 * c->half) / (double)(x->nodes - 1));
    return place;
}

static void fill_column(struct actio_run *run, struct actio_table *t, size_t c)
{
    const struct actio_outcome *o = &run->outcome;
    const struct actio_system_column *from = &run->problem.sys->output.column[c];
    bool field = from->axis != 0;
    struct actio_column *to = &t->col[c];
    to->nodes = field ? from->width : 0;
    t->data[c] = actio_arena_array(&t->arena, t->rows * from->width + 1, sizeof(double));
    bool claims = run->problem.options.local <= 0 && !unjudged(run);
    t->error[c] = claims ? 0 : NAN;
    for (size_t k = 0; k < from->width; k++) {
        const double *x = actio_outcome_column(o, from->first + k);
        for (size_t r = 0; r < t->rows; r++) t->data[c][r * from->width + k] = x[r];
        if (claims)
            t->error[c] = fmax(t->error[c], o->good_rows < o->rows ? error_shown(run, from->first + k, t->rows)
                                                                   : o->error[from->first + k]);
    }
    for (size_t i = 0; i < t->rows * from->width; i++) /* what is not a number has no error either */
        if (!isfinite(t->data[c][i])) t->error[c] = NAN;
    if (!field) return;
    to->axis = kept_text(t, run->problem.model->field.axis[from->axis - 1].name);
    to->place = places_of(run->problem.sys, t, from);
    for (size_t b = 0; b < c; b++) /* once for all columns that share them */
        if (run->problem.sys->output.column[b].axis == from->axis
            && run->problem.sys->output.column[b].half == from->half) {
            to->place = t->col[b].place;
            break;
        }
}

static void fill_columns(struct actio_run *run, struct actio_table *t)
{
    const struct actio_system *sys = run->problem.sys;
    size_t lambdas = 0;
    t->cols = sys->output.named;
    t->rows = actio_run_shown(run);
    t->col = actio_arena_array(&t->arena, t->cols + 1, sizeof *t->col);
    t->data = actio_arena_array(&t->arena, t->cols + 1, sizeof *t->data);
    t->error = actio_arena_array(&t->arena, t->cols + 1, sizeof *t->error);
    struct actio_column_units *units = actio_column_units_open(run->problem.model, &t->arena);
    for (size_t c = 0; c < t->cols; c++) {
        const struct actio_system_column *from = &sys->output.column[c];
        /* a principle may have them as states */
        bool unique = from->role != ACTIO_ROLE_LAMBDA || lambdas >= run->problem.motion.p
                      || run->problem.motion.rows.unique[lambdas];
        if (from->role == ACTIO_ROLE_LAMBDA) lambdas += from->width;
        t->col[c] =
            (struct actio_column){ .name = kept_text(t, from->name),
                                   .unit =
                                       units ? kept_text(t, actio_column_unit(units, from->name, (int)from->role)) : "",
                                   .meaning = kept_text(t, from->meaning),
                                   .latex = "",
                                   .role = (enum actio_role)from->role,
                                   .unique = unique };
        fill_column(run, t, c);
    }
}

/* The largest difference of them from a number; NAN where one has none. */
static double largest_from(const double *x, size_t count, double from)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        double d = fabs(x[i] - from);
        if (!(d <= largest)) largest = d;
        if (isnan(d)) return NAN;
    }
    return largest;
}

static double largest_residual(const struct actio_table *t)
{
    double largest = NAN;
    for (size_t c = 0; c < t->cols; c++) {
        if (t->col[c].role != ACTIO_ROLE_RESIDUAL || t->rows == 0) continue;
        double one = largest_from(t->data[c], t->rows * actio_column_width(&t->col[c]), 0);
        if (isnan(one)) return NAN;
        largest = fmax(largest, one);
    }
    return largest;
}

/* The last time where the estimate holds. Rows of a run that was stopped are shown beyond it. */
static double holding(const struct actio_run *run, const struct actio_table *t)
{
    const struct actio_outcome *o = &run->outcome;
    bool claims = run->problem.options.local <= 0, backward = run->problem.model->time.t1 < run->problem.model->time.t0;
    if (t->rows == 0 || run->defined == 0 || (claims && unjudged(run))) return run->problem.model->time.t0;
    double last = t->data[0][(run->defined < t->rows ? run->defined : t->rows) - 1];
    if (!claims || o->status != ACTIO_FLOW_STOPPED || o->reached || !isfinite(o->holds_until)) return last;
    return backward ? fmax(last, o->holds_until) : fmin(last, o->holds_until);
}

static void fill_diagnostics(struct actio_run *run, struct actio_table *t)
{
    const struct actio_outcome *o = &run->outcome;
    t->energy_drift = NAN;
    size_t energy = actio_table_first(t, ACTIO_ROLE_ENERGY);
    if (energy < t->cols && t->rows) t->energy_drift = largest_from(t->data[energy], t->rows, t->data[energy][0]);
    t->residual = largest_residual(t);
    t->worst = o->reached ? o->worst : NAN;
    t->tol = run->problem.options.tol;
    t->local = o->finest;
    t->local_only = run->problem.options.local > 0;
    t->reached = o->reached && run->defined >= t->rows;
    t->holds_until = holding(run, t);
    t->steps = o->steps;
    t->rhs = o->rhs;
    t->rejected = o->rejected;
    t->seconds = run->problem.ctx->clock ? run->problem.ctx->clock() - run->started : 0;
    t->status = run->problem.f->status;
}

static void fill_provenance(struct actio_run *run, struct actio_table *t)
{
    struct actio_model *m = run->problem.model;
    t->from.model = kept_text(t, actio_model_name(m));
    t->from.description = kept_text(t, m->description);
    t->from.file = kept_text(t, m->source.file);
    t->from.source = actio_arena_text(&t->arena, m->source.text, m->source.length);
    t->from.by = kept_text(t, run->problem.options.by);
    t->from.method = run->outcome.stepper ? run->outcome.stepper->name : run->joined ? "arcs" : "";
    t->from.version = actio_version();
    const struct actio_streams *lanes = run->problem.sys->field.stream[ACTIO_Q_MATRIX];
    const struct actio_kernel *k =
        lanes && lanes->stages
            ? lanes->stage[0].kernel
            : run->problem.sys->kernel[run->problem.sys->solved.symbolic ? ACTIO_Q_RHS : ACTIO_Q_MATRIX];
    t->from.tier = k ? actio_kernel_tier(k) : "";
    t->from.param = actio_arena_array(&t->arena, m->params + 1, sizeof *t->from.param);
    for (size_t i = 0; i < m->params; i++)
        t->from.param[t->from.params++] = (struct actio_setting){ kept_text(t, m->param[i].name), m->param[i].value };
    t->from.start = actio_arena_array(&t->arena, run->problem.ny + 1, sizeof *t->from.start);
    for (size_t i = 0; i < run->problem.ny && !run->problem.sys->field.axes; i++)
        t->from.start[t->from.starts++] =
            (struct actio_setting){ kept_text(t, actio_problem_name(&run->problem, i)), run->problem.y0[i] };
}

static void fill_gradient(struct actio_run *run, struct actio_table *t)
{
    const struct actio_run_gradient *g = run->gradient;
    if (!g) return;
    t->gradient = actio_arena_array(&t->arena, g->count + 1, sizeof *t->gradient);
    t->gradients = g->count;
    t->slopes = g->width;
    for (size_t o = 0; o < g->count; o++) {
        struct actio_sensitivity *s = &t->gradient[o];
        *s = (struct actio_sensitivity){
            kept_text(t, run->problem.sys->output.column[run->problem.sys->jets.observed[o]].name), g->value[o],
            actio_arena_array(&t->arena, g->width + 1, sizeof *s->slope)
        };
        for (size_t i = 0; i < g->width; i++) {
            bool param = i >= run->problem.ny;
            s->slope[i] = (struct actio_slope){ kept_text(t, param ? run->problem.model->param[i - run->problem.ny].name
                                                                   : actio_problem_name(&run->problem, i)),
                                                param, g->derivative[o * g->width + i], g->error[o * g->width + i] };
        }
    }
}

static void fill_proof(struct actio_run *run, struct actio_table *t)
{
    if (!run->proof) return;
    t->proof = actio_arena_alloc(&t->arena, sizeof *t->proof);
    *t->proof = *run->proof;
    t->trend = actio_arena_alloc(&t->arena, sizeof *t->trend);
    static const char *const name[] = { "points", "largest", "at the end" };
    *t->trend = (struct actio_table){ .from.description = "error on grids",
                                      .cols = 3,
                                      .rows = 3,
                                      .col = actio_arena_array(&t->arena, 3, sizeof *t->col),
                                      .data = actio_arena_array(&t->arena, 3, sizeof *t->data) };
    for (size_t c = 0; c < 3; c++) {
        t->trend->col[c] =
            (struct actio_column){ .name = name[c], .meaning = "points of the grid", .unit = "", .latex = "" };
        t->trend->data[c] = actio_arena_array(&t->arena, 3, sizeof(double));
        for (size_t r = 0; r < 3; r++)
            t->trend->data[c][r] = c == 0   ? (double)run->proof->row[r].points
                                   : c == 1 ? run->proof->row[r].error
                                            : run->proof->row[r].end;
    }
}

static void ending_fill(void *user)
{
    struct filling *f = user;
    f->table = actio_table_create(f->run->problem.ctx);
    fill_columns(f->run, f->table);
    fill_diagnostics(f->run, f->table);
    actio_run_list_events(f->run, f->table);
    actio_run_less_jumps(f->table, f->run->problem.motion.span < 0);
    actio_run_work(f->run, f->table);
    fill_gradient(f->run, f->table);
    fill_proof(f->run, f->table);
    if (f->run->problem.principle->fill) f->run->problem.principle->fill(&f->run->problem, f->table);
    fill_provenance(f->run, f->table);
}

struct actio_table *actio_run_table(struct actio_run *run)
{
    struct filling f = { run, NULL };
    if (actio_attempt(run->problem.ctx, ending_fill, &f) == 0) return f.table;
    actio_table_free(f.table);
    return NULL;
}

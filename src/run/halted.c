/* SPDX-License-Identifier: Apache-2.0
 * What ends a motion at a switch or a contact, in words. */
#include "run/halted.h"
#include "solve/motion.h"

#include <math.h>

#define MANY 1e9 /* whole numbers */

static enum actio_code at_start(enum actio_code code)
{
    return code == ACTIO_F_LEAVES_AT_WILL  ? ACTIO_F_STARTS_AT_WILL
           : code == ACTIO_F_LEAVES_PUSHED ? ACTIO_F_STARTS_PUSHED
                                           : code;
}

/* Something that the motion obeys jumps at a switch, and positions or velocities can't follow. */
bool actio_run_say_jump(struct actio_run *run)
{
    const struct actio_problem *problem = &run->problem;
    const struct actio_system *sys = problem->sys;
    size_t by = problem->motion.halted.by;
    static const enum actio_code code_of[] = {
        [ACTIO_STOP_ROW_JUMPS] = ACTIO_F_ROW_JUMPS,         [ACTIO_STOP_ROW_JUMPS_ON_TIME] = ACTIO_F_CONTRADICTORY_JUMP,
        [ACTIO_STOP_GAP_JUMPS] = ACTIO_F_GAP_JUMPS,         [ACTIO_STOP_CORNER] = ACTIO_F_NO_CORNER,
        [ACTIO_STOP_RANK_SWITCHES] = ACTIO_F_RANK_SWITCHES, [ACTIO_STOP_NO_RULE] = ACTIO_F_NO_CORNER_RULE,
        [ACTIO_STOP_TWO_RULES] = ACTIO_F_TWO_RULES,         [ACTIO_STOP_AT_WILL] = ACTIO_F_LEAVES_AT_WILL,
        [ACTIO_STOP_ORDER] = ACTIO_F_ORDER_MATTERS,         [ACTIO_STOP_BETWEEN] = ACTIO_F_HELD_BETWEEN,
        [ACTIO_STOP_PUSHED] = ACTIO_F_LEAVES_PUSHED,        [ACTIO_STOP_PILES] = ACTIO_F_SWITCHES_PILE,
        [ACTIO_STOP_BESIDE] = ACTIO_F_HELD_BESIDE,          [ACTIO_STOP_SEVERAL] = ACTIO_F_SEVERAL_CORNERS,
        [ACTIO_STOP_CURVED_ROW] = ACTIO_F_CURVED_CORNER,
    };
    size_t why = problem->motion.halted.why;
    enum actio_code code = why < sizeof code_of / sizeof *code_of ? code_of[why] : 0;
    if (!code) return false;
    if (run->outcome.t_stop == problem->model->time.t0) code = at_start(code);
    bool row = why == ACTIO_STOP_ROW_JUMPS || why == ACTIO_STOP_ROW_JUMPS_ON_TIME, wall = why == ACTIO_STOP_GAP_JUMPS;
    const char *name = row ? sys->constraint[by] : wall ? sys->walls.contact[by] : sys->switches.written[by];
    struct actio_span span = row    ? actio_run_span_of_row(run, by)
                             : wall ? problem->model->contact[by].span
                                    : (struct actio_span){ sys->switches.line[by], 1, 1 };
    const struct actio_halt *halted = &problem->motion.halted;
    actio_report_at(run->problem.f, code, &problem->model->source, span,
                    ACTIO_ARGS(ACTIO_TEXT(name), ACTIO_NUMBER(run->outcome.t_stop),
                               ACTIO_TEXT(actio_problem_state_text(&run->problem, run->outcome.y_stop, NULL)),
                               why == ACTIO_STOP_ORDER || why == ACTIO_STOP_PILES
                                   ? ACTIO_TEXT(sys->switches.written[halted->with])
                               : why == ACTIO_STOP_BESIDE ? ACTIO_TEXT(sys->walls.contact[halted->with])
                                                          : ACTIO_COUNT(halted->count)));
    return true;
}

void actio_run_say_chattering(struct actio_run *run)
{
    const struct actio_problem *problem = &run->problem;
    size_t by = problem->motion.halted.by;
    bool back = problem->motion.span < 0;
    actio_report_at(
        problem->f, ACTIO_F_CHATTERING, &problem->model->source,
        (struct actio_span){ problem->sys->switches.line[by], 1, 1 },
        ACTIO_ARGS(ACTIO_TEXT(problem->sys->switches.text[by]), ACTIO_NUMBER(run->outcome.t_stop),
                   ACTIO_TEXT(problem->sys->switches.whole[by] ? "" : "the sign of "),
                   ACTIO_TEXT(back ? "compute forward in time: backward, such a motion may leave the switch at any time"
                                   : "use a contact with `friction` for dry friction: it can stick")));
}

/* floor has no value where its argument is endless, or too large to have neighbours; and whole numbers that large
 * follow one another too fast. */
bool actio_run_say_countless(struct actio_run *run, double t, const double *y)
{
    struct actio_motion *m = &run->problem.motion;
    const struct actio_switch_lines *s = &run->problem.sys->switches;
    size_t k = 0;
    while (k < s->count && !(s->whole[k] && !(fabs(m->here.mode[k]) < MANY))) k++;
    if (k == s->count || !m->at[ACTIO_Q_GUARDS].k) return false;
    double u = actio_motion_quantity(m, ACTIO_Q_GUARDS, t, y)[k];
    actio_report_at(run->problem.f, ACTIO_F_COUNTLESS, &run->problem.model->source,
                    (struct actio_span){ s->line[k], 1, 1 },
                    ACTIO_ARGS(ACTIO_TEXT(s->written[k]), ACTIO_NUMBER(t),
                               ACTIO_TEXT(actio_problem_state_text(&run->problem, y, NULL)),
                               isfinite(u) ? ACTIO_NUMBER(u) : ACTIO_TEXT(isnan(u) ? "not a number" : "infinite")));
    return true;
}

void actio_run_say_coefficient(struct actio_run *run)
{
    const struct actio_model *model = run->problem.model;
    const struct actio_halt *h = &run->problem.motion.halted;
    bool wall = h->by < model->contacts;
    struct actio_span span = wall ? model->contact[h->by].span : model->constraint[h->by - model->contacts].span;
    const char *name = wall ? model->contact[h->by].label : model->constraint[h->by - model->contacts].label;
    static const struct {
        const char *name, *rule;
    } of[] = { [ACTIO_COEFFICIENT_RESTITUTION] = { "restitution", "it must be between 0 and 1" },
               [ACTIO_COEFFICIENT_FRICTION] = { "friction", "it must not be negative" },
               [ACTIO_COEFFICIENT_STICK] = { "static coefficient `stick`", "it must be at least `friction`" } };
    actio_report_at(run->problem.f, ACTIO_F_COEFFICIENT_RANGE, &model->source, span,
                    ACTIO_ARGS(ACTIO_TEXT(of[h->what].name), ACTIO_TEXT(name),
                               fabs(h->value) < 1e-9 ? ACTIO_TEXT("about to leave its range") : ACTIO_NUMBER(h->value),
                               ACTIO_NUMBER(run->outcome.t_stop), ACTIO_TEXT(of[h->what].rule)));
}

bool actio_run_say_held(struct actio_run *run)
{
    const struct actio_outcome *o = &run->outcome;
    struct actio_motion *m = &run->problem.motion;
    if (!m->flow.sticks || !m->flow.sticks(m, o->t_stop, o->y_stop)) return false;
    actio_report(
        run->problem.f, ACTIO_F_FORCES_HOLD,
        ACTIO_ARGS(ACTIO_NUMBER(o->t_stop), ACTIO_TEXT(actio_problem_state_text(&run->problem, o->y_stop, NULL))));
    return true;
}

/* SPDX-License-Identifier: Apache-2.0
 * Does the model make sense? The verdict as findings (words with places), as a short text and as JSON. */
#include "check/fields.h"
#include "check/check.h"
#include "run/run.h"
#include "check/power.h"
#include "result/output.h"
#include "solve/contacts.h"
#include "verdict/growth.h"
#include "verdict/units.h"
#include "verdict/verdict.h"

#include <math.h>
#include <string.h>

struct checking {
    struct actio_problem *problem;
    const struct actio_verdict *v;
    struct actio_start_check start;
    size_t naive_constraints; /* as the model has them; more may follow */
    bool units_agree;
    struct actio_powers powers;
    bool looked; /* contacts: they were looked at, at the start; their gaps there */
    double *gap;
    struct actio_verdict_report *out;
    const struct actio_box_row *box;
    size_t boxes;
};

/* ---- --box */

static size_t component_named(const struct actio_problem *problem, const char *name, size_t length)
{
    char written[256];
    if (length == 0 || length >= sizeof written - 8) return SIZE_MAX;
    memcpy(written, name, length);
    written[length] = 0;
    bool rate = written[length - 1] == '\'';
    if (rate) written[length - 1] = 0;
    for (size_t i = 0; i < problem->ny; i++) {
        bool is_velocity = i >= problem->model->coords && i < 2 * problem->model->coords;
        const char *plain =
            is_velocity ? problem->model->coord[i - problem->model->coords].name : actio_problem_name(problem, i);
        if (rate == is_velocity && strcmp(plain, written) == 0) return i;
        if (!rate && strcmp(actio_problem_name(problem, i), written) == 0) return i;
    }
    return SIZE_MAX;
}

static bool read_end(const char *s, const char *end, double *x)
{
    bool minus = s < end && *s == '-';
    size_t n = actio_number_read(s + minus, end, x);
    if (minus) *x = -*x;
    return n > 0 && s + minus + n == end;
}

static void take_box(void *user)
{
    struct checking *c = user;
    struct actio_problem *problem = c->problem;
    problem->box_given = actio_arena_array(&problem->arena, problem->ny + 1, sizeof *problem->box_given);
    problem->box_low = actio_arena_array(&problem->arena, problem->ny + 1, sizeof *problem->box_low);
    problem->box_high = actio_arena_array(&problem->arena, problem->ny + 1, sizeof *problem->box_high);
    for (size_t b = 0; b < c->boxes; b++) {
        const char *text = c->box[b].text, *equal = strchr(text, '='), *dots = equal ? strstr(equal, "..") : NULL;
        double low, high;
        bool fine =
            dots && read_end(equal + 1, dots, &low) && read_end(dots + 2, text + strlen(text), &high) && low < high;
        size_t i = fine ? component_named(problem, text, (size_t)(equal - text)) : SIZE_MAX;
        if (!fine) actio_report(problem->f, ACTIO_F_BOX_RANGE, ACTIO_ARGS(ACTIO_TEXT(text)));
        else if (i == SIZE_MAX)
            actio_report(problem->f, ACTIO_F_BOX_NAME,
                         ACTIO_ARGS(ACTIO_TEXT(actio_arena_text(&problem->arena, text, (size_t)(equal - text)))));
        else {
            problem->box_given[i] = true;
            problem->box_low[i] = low;
            problem->box_high[i] = high;
        }
    }
}

/* ---- JSON */

static void key(struct actio_text *t, const char *name) { actio_text_format(t, ", \"%s\": ", name); }

static void json_state(struct actio_text *t, const struct actio_problem *problem, const double *y)
{
    actio_text_add(t, "{");
    for (size_t i = 0; i < problem->ny; i++) {
        if (i) actio_text_add(t, ", ");
        actio_json_string(t, actio_problem_name(problem, i));
        actio_text_add(t, ": ");
        actio_json_number(t, y[i]);
    }
    actio_text_add(t, "}");
}

static void json_redundant(struct actio_text *t, const struct checking *c)
{
    actio_text_add(t, "[");
    for (size_t i = 0; i < c->v->related.redundants; i++) {
        if (i) actio_text_add(t, ", ");
        actio_json_string(
            t, c->problem->sys->constraint[c->v->related.redundant[i].row[c->v->related.redundant[i].rows - 1]]);
    }
    actio_text_add(t, "]");
    key(t, "relations");
    actio_text_add(t, "[");
    for (size_t i = 0; i < c->v->related.redundants; i++) {
        if (i) actio_text_add(t, ", ");
        actio_json_string(t, c->v->related.redundant[i].text);
    }
    actio_text_add(t, "]");
}

static void json_start(struct actio_text *t, const struct checking *c)
{
    size_t listed = 0;
    actio_text_format(t, "{\"consistent\": %s, \"violations\": [", c->start.consistent ? "true" : "false");
    for (size_t k = 0; k < c->problem->sys->p; k++) {
        double amount = c->start.position[k] != 0 ? c->start.position[k] : c->start.velocity[k];
        if (amount == 0) continue;
        actio_text_add(t, listed++ ? ", {\"constraint\": " : "{\"constraint\": ");
        actio_json_string(t, c->problem->sys->constraint[k]);
        actio_text_add(t, ", \"amount\": ");
        actio_json_number(t, amount);
        actio_text_add(t, "}");
    }
    actio_text_add(t, "], \"nearest\": ");
    if (c->start.found) json_state(t, c->problem, c->start.nearest);
    else actio_text_add(t, "null");
    actio_text_add(t, "}");
}

static void json_equations(struct actio_text *t, const struct actio_equation *e, size_t n)
{
    actio_text_add(t, "[");
    for (size_t i = 0; i < n; i++) {
        if (i) actio_text_add(t, ", ");
        actio_json_string(t, e[i].text ? e[i].text : "");
    }
    actio_text_add(t, "]");
}

static void json_multipliers(struct actio_text *t, const struct checking *c)
{
    size_t listed = 0;
    actio_text_add(t, "{");
    for (size_t k = 0; c->v->closure.multiplier && k < c->naive_constraints; k++) {
        if (!c->v->closure.multiplier[k].text) continue;
        if (listed++) actio_text_add(t, ", ");
        actio_json_string(t, c->problem->sys->constraint[k]);
        actio_text_add(t, ": ");
        actio_json_string(t, c->v->closure.multiplier[k].text);
    }
    actio_text_add(t, "}");
}

static size_t untested(const struct actio_integrability *g)
{
    size_t count = 0;
    for (size_t i = 0; i < g->count; i++) count += g->of[i].untested;
    return count;
}

static void json_integrability(struct actio_text *t, const struct checking *c)
{
    const struct actio_integrability *g = c->v->integrability;
    bool none = g && g->count && untested(g) == g->count;
    if (!g || (!g->decided && !none)) {
        actio_text_add(t,
                       g ? ", \"holonomic\": null, \"nonholonomic\": null" : ", \"holonomic\": 0, \"nonholonomic\": 0");
        return;
    }
    if (none) actio_text_add(t, ", \"holonomic\": null, \"nonholonomic\": null");
    else actio_text_format(t, ", \"holonomic\": %zu, \"nonholonomic\": %zu", g->holonomic, g->nonholonomic);
    key(t, "growth");
    actio_text_add(t, "[");
    for (size_t i = 0; i < g->growths; i++) actio_text_format(t, "%s%zu", i ? ", " : "", g->growth[i]);
    actio_text_add(t, "]");
    key(t, "integrals");
    json_equations(t, g->integral, g->integrals);
    key(t, "forms");
    actio_text_add(t, "{");
    for (size_t i = 0; i < g->count; i++) {
        actio_text_format(t, "%s", i ? ", " : "");
        actio_json_string(t, c->problem->sys->constraint[g->of[i].constraint]);
        actio_text_add(t, ": ");
        actio_json_string(t, actio_velocity_form_text(g->of[i].kind));
    }
    actio_text_add(t, "}");
}

static void json_works(struct actio_text *t, const struct checking *c)
{
    size_t listed = 0;
    actio_text_add(t, "{");
    for (size_t k = 0; c->v->works && k < c->naive_constraints; k++) {
        if (listed++) actio_text_add(t, ", ");
        actio_json_string(t, c->problem->sys->constraint[k]);
        actio_text_add(t, ": ");
        actio_json_string(t, c->v->works[k] ? c->v->works[k] : "none");
    }
    actio_text_add(t, "}");
}

static void json_powers(struct actio_text *t, const struct actio_power *x, size_t count)
{
    actio_text_add(t, "{");
    for (size_t i = 0; i < count; i++) {
        if (i) actio_text_add(t, ", ");
        actio_json_string(t, x[i].of);
        actio_text_format(t, ": \"%s\"", x[i].word);
    }
    actio_text_add(t, "}");
}

/* How each contact stands at the start: open, or it holds, sticking or sliding. */
static const char *stands(const struct actio_contacts *c, size_t i)
{
    if (!c->now.closed[i]) return "open";
    for (size_t r = 0; r < c->rubs; r++)
        if (c->rub[r].contact == i && c->now.rub[r] != ACTIO_RUB_IDLE)
            return c->now.rub[r] == ACTIO_RUB_STICKS ? "sticks" : "slides";
    return "holds";
}

static void json_contacts(struct actio_text *t, const struct checking *c)
{
    const struct actio_contacts *x = c->problem->motion.contacts;
    actio_text_add(t, "[");
    for (size_t i = 0; c->looked && i < x->contacts; i++) {
        actio_text_add(t, i ? ", {\"contact\": " : "{\"contact\": ");
        actio_json_string(t, c->problem->sys->walls.contact[i]);
        actio_text_format(t, ", \"start\": \"%s\", \"gap\": ", stands(x, i));
        actio_json_number(t, c->gap[i]);
        actio_text_add(t, "}");
    }
    actio_text_add(t, "]");
}

static void text_contacts(struct actio_text *t, const struct checking *c)
{
    const struct actio_contacts *x = c->problem->motion.contacts;
    for (size_t i = 0; c->looked && i < x->contacts; i++)
        actio_text_format(t, "contact %s: %s at the start, gap %.6g\n", c->problem->sys->walls.contact[i], stands(x, i),
                          c->gap[i]);
}

/* Contacts as a run would begin with them. */
static void look_at_contacts(void *user)
{
    struct checking *c = user;
    struct actio_problem *problem = c->problem;
    struct actio_contacts *x = problem->motion.contacts;
    double t = problem->model->time.given ? problem->model->time.t0 : 0,
           *y = actio_arena_array(&problem->arena, problem->ny + 1, sizeof *y);
    memcpy(y, problem->y0, problem->ny * sizeof *y);
    c->gap = actio_arena_array(&problem->arena, x->contacts + 1, sizeof *c->gap);
    actio_motion_begin(&problem->motion, t, y); /* switches stand as they do at the start */
    memcpy(c->gap, actio_motion_quantity(&problem->motion, ACTIO_Q_GAPS, t, y), x->contacts * sizeof *c->gap);
    c->looked = problem->motion.flow.enter(&problem->motion, t, y) == 0;
}

static const char *side_word(const struct actio_problem_side *s)
{
    return s->rank < s->acting ? "redundant" : "regular";
}

static void json_sides(struct actio_text *t, const struct checking *c)
{
    const struct actio_problem *problem = c->problem;
    key(t, "sides");
    for (size_t i = 0; i < problem->sides; i++) {
        const struct actio_problem_side *s = &problem->side[i];
        size_t listed = 0;
        actio_text_format(t, "%s{\"from\": %.17g, \"verdict\": \"%s\", \"rank\": %zu, \"off\": [", i ? ", " : "[",
                          s->from, side_word(s), s->rank);
        for (size_t k = 0; k < c->naive_constraints; k++) {
            if (!s->off[k]) continue;
            actio_text_add(t, listed++ ? ", " : "");
            actio_json_string(t, problem->sys->constraint[k]);
        }
        actio_text_format(t, "], \"power\": \"%s\"}", s->power ? s->power : "");
    }
    actio_text_add(t, "]");
}

static void write_json(struct checking *c, struct actio_text *t)
{
    const struct actio_verdict *v = c->v;
    actio_text_format(
        t, "\"verdict\": \"%s\", \"coordinates\": %zu, \"states\": %zu, \"constraints\": %zu, \"rank\": %zu",
        actio_verdict_text(v->word), c->problem->sys->n, c->problem->sys->m, c->naive_constraints, v->rank);
    actio_text_format(t, ", \"inertia\": [%d, %d, %d], \"kernel_inertia\": [%d, %d, %d], \"regular\": %s",
                      v->inertia[0], v->inertia[1], v->inertia[2], v->kernel_inertia[0], v->kernel_inertia[1],
                      v->kernel_inertia[2], v->regular ? "true" : "false");
    key(t, "hidden");
    json_equations(t, v->closure.hidden, v->closure.hiddens);
    key(t, "multipliers");
    json_multipliers(t, c);
    actio_text_format(t, ", \"free_data\": %zu, \"naive_free_data\": %ld", v->free_data, v->naive_free_data);
    json_integrability(t, c);
    key(t, "power");
    json_works(t, c);
    key(t, "power_by");
    json_powers(t, c->powers.by, c->powers.principles);
    key(t, "power_of_forces");
    json_powers(t, c->powers.force, c->powers.forces);
    key(t, "contacts");
    json_contacts(t, c);
    key(t, "redundant");
    json_redundant(t, c);
    if (c->problem->sides) json_sides(t, c);
    if (v->later) actio_text_format(t, ", \"contradictory_from\": %.9g", v->later_from);
    key(t, "singular_at");
    actio_text_add(t, "[");
    for (size_t i = 0; i < v->singulars; i++) {
        if (i) actio_text_add(t, ", ");
        json_state(t, c->problem, v->singular_at[i].y);
    }
    actio_text_add(t, "]");
    key(t, "start");
    json_start(t, c);
    actio_text_format(t, ", \"samples\": %zu, \"proved\": %s", v->samples, v->proved ? "true" : "false");
}

/* ---- a few lines for people; the findings say the rest */

/* Constraints that the counts leave out. */
static void text_untested(struct actio_text *t, const struct checking *c)
{
    const struct actio_integrability *g = c->v->integrability;
    size_t listed = 0;
    for (size_t i = 0; i < g->count; i++)
        if (g->of[i].untested)
            actio_text_format(t, "%s%s",
                              listed++ ? ", "
                                       : "integrability is not tested for constraints with states or accelerations: ",
                              c->problem->sys->constraint[g->of[i].constraint]);
    if (listed) actio_text_add(t, "\n");
}

static void text_counted(struct actio_text *t, const struct checking *c)
{
    const struct actio_integrability *g = c->v->integrability;
    actio_text_format(t, "integrability: %zu holonomic, %zu nonholonomic%s", g->holonomic, g->nonholonomic,
                      c->v->rank < c->naive_constraints ? " among the independent ones" : "");
    for (size_t i = 0; i < g->growths; i++) actio_text_format(t, "%s%zu", i ? ", " : "; growth ", g->growth[i]);
    if (g->growths) actio_text_format(t, " of %zu", g->dimension);
    actio_text_add(t, "\n");
    for (size_t i = 0; i < g->integrals; i++)
        actio_text_format(t, "integral: %s%s\n", g->integral[i].text,
                          c->problem->sys->is.switched ? " while switches are as at the start" : "");
}

static void text_integrability(struct actio_text *t, const struct checking *c)
{
    const struct actio_integrability *g = c->v->integrability;
    if (!g) return;
    if (!g->decided) actio_text_add(t, "integrability: not decided\n");
    else if (g->count == 0 || untested(g) < g->count) text_counted(t, c);
    text_untested(t, c);
    for (size_t i = 0; i < g->count; i++)
        if (g->of[i].kind == ACTIO_FORM_NONLINEAR || g->of[i].kind == ACTIO_FORM_AFFINE_EQUIVALENT)
            actio_text_format(t, "%s: %s\n", c->problem->sys->constraint[g->of[i].constraint],
                              actio_velocity_form_text(g->of[i].kind));
}

/* What there is, and how many of the constraints count where that is certain. */
static void text_counts(struct actio_text *t, const struct checking *c)
{
    const struct actio_verdict *v = c->v;
    const struct actio_system *sys = c->problem->sys;
    size_t p = c->naive_constraints;
    bool error = c->problem->f->errors > 0,
         meet = v->word == ACTIO_VERDICT_singular && v->flaws == 0 && v->start_rank < v->rank;
    if (sys->n) actio_text_format(t, "%zu coordinate%s, ", sys->n, sys->n == 1 ? "" : "s");
    if (sys->m) actio_text_format(t, "%zu state%s, ", sys->m, sys->m == 1 ? "" : "s");
    if (p && !error && v->rank == p)
        actio_text_format(t, "%zu %sconstraint%s\n", p, p == 1 ? "" : "independent ", p == 1 ? "" : "s");
    else actio_text_format(t, "%zu constraint%s", p, p == 1 ? "" : "s");
    if (p && !error && v->rank < p)
        actio_text_format(t, ", of which %zu %s independent\n", v->rank, v->rank == 1 ? "is" : "are");
    else if (meet) actio_text_format(t, " (rank %zu, but %zu at the start)\n", v->rank, v->start_rank);
    else if (!p || error) actio_text_add(t, "\n");
}

static const char *bordered(const struct actio_verdict *v)
{
    if (v->regular) return "regular at the start";
    if (v->word == ACTIO_VERDICT_redundant)
        return "singular because the constraints are dependent; the motion is still unique";
    return v->word == ACTIO_VERDICT_hidden ? "singular, so hidden constraints follow" : "singular at the start";
}

/* One line for each word, with those that share it. */
static void text_powers(struct actio_text *t, const struct actio_power *x, size_t count, const char *what)
{
    static const char *const words[] = { "none", "<= 0", ">= 0", "either", "" }, *const shown[] = {
        "none", "never positive", "never negative", "of either sign", "unknown"
    };
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        size_t listed = 0;
        for (size_t i = 0; i < count; i++) {
            if (strcmp(x[i].word, words[w]) != 0) continue;
            if (listed++ == 0) actio_text_format(t, "power of %s %s: ", what, shown[w]);
            actio_text_format(t, "%s%s", listed > 1 ? ", " : "", x[i].of);
        }
        if (listed) actio_text_add(t, "\n");
    }
}

/* Rows that are off for a while, then each side of the switches on the way. */
static void text_sides(struct actio_text *t, const struct checking *c)
{
    struct actio_problem *problem = c->problem;
    for (size_t k = 0; k < c->naive_constraints && problem->sides; k++) {
        const char *when = actio_problem_off_text(problem, k);
        if (when) actio_text_format(t, "%s: no constraint %s\n", problem->sys->constraint[k], when);
    }
    for (size_t i = 0; i < problem->sides; i++) {
        const struct actio_problem_side *s = &problem->side[i];
        if (i == 0) actio_text_format(t, "until t = %.6g: ", s[1].from);
        else actio_text_format(t, "from t = %.6g on: ", s->from);
        actio_text_format(t, "%s, rank %zu", side_word(s), s->rank);
        actio_text_format(t, s->power && *s->power ? ", power of the reactions %s\n" : "\n", s->power);
    }
}

/* After an error the rest means little: the findings say what counts. */
static void write_text(struct checking *c, struct actio_text *t)
{
    const struct actio_verdict *v = c->v;
    const struct actio_system *sys = c->problem->sys;
    text_counts(t, c);
    if (c->problem->f->errors) return;
    if (sys->n)
        actio_text_format(t, "kinetic energy: %d positive, %d negative, %d zero directions\n", v->inertia[0],
                          v->inertia[1], v->inertia[2]);
    actio_text_format(t, "bordered matrix: %s\n", bordered(v));
    actio_text_format(t, "free initial data: %zu%s", v->free_data,
                      (long)v->free_data == v->naive_free_data ? "\n" : "");
    if ((long)v->free_data != v->naive_free_data)
        actio_text_format(t, " (a plain count gives %ld)\n", v->naive_free_data);
    text_integrability(t, c);
    for (size_t k = 0; v->closure.multiplier && k < c->naive_constraints; k++)
        if (v->closure.multiplier[k].text)
            actio_text_format(t, "lambda.%s = %s\n", sys->constraint[k], v->closure.multiplier[k].text);
    for (size_t k = 0; v->works && k < c->naive_constraints; k++)
        if (v->works[k]) actio_text_format(t, "the reaction of %s can do work: %s\n", sys->constraint[k], v->works[k]);
    text_contacts(t, c);
    text_sides(t, c);
    text_powers(t, c->powers.by, c->powers.principles, "the reactions");
    text_powers(t, c->powers.force, c->powers.forces, "the force");
    if (v->word == ACTIO_VERDICT_hidden || v->word == ACTIO_VERDICT_redundant || v->word == ACTIO_VERDICT_undetermined)
        actio_text_format(t, "the verdict is %s\n",
                          v->proved ? "proved from the formulas" : "based on sampled states, not proved");
    actio_text_format(t, "checked at %zu sampled states%s\n", v->samples,
                      c->naive_constraints ? " on the constraints" : "");
}

static void write_report(void *user)
{
    struct checking *c = user;
    struct actio_text json, text;
    actio_text_open(&json, &c->problem->model->arena);
    actio_text_open(&text, &c->problem->model->arena);
    write_json(c, &json);
    write_text(c, &text);
    c->out->verdict = actio_verdict_text(c->v->word);
    c->out->json = json.s;
    c->out->text = text.s;
    c->out->but = c->problem->f->errors == 0 ? NULL
                  : !c->start.consistent     ? "cannot start"
                  : !c->units_agree          ? "its units do not agree"
                                             : "there is an error";
}

/* ---- the whole */

static int check_start(struct checking *c)
{
    struct actio_problem *problem = c->problem;
    size_t p = problem->sys->p;
    c->start = (struct actio_start_check){ .position = actio_alloc(problem->ctx, p + 1, sizeof(double)),
                                           .velocity = actio_alloc(problem->ctx, p + 1, sizeof(double)),
                                           .nearest = actio_alloc(problem->ctx, problem->ny + 1, sizeof(double)) };
    if (!c->start.position || !c->start.velocity || !c->start.nearest) return 1;
    actio_motion_check_start(&problem->motion, problem->model->time.given ? problem->model->time.t0 : 0, problem->y0,
                             &c->start);
    return 0;
}

/* Held values that no statement sets. */
static void warn_of_held(const struct actio_model *m, struct actio_findings *f)
{
    for (uint32_t i = 0; i < m->resets.helds; i++) {
        bool set = false;
        for (size_t k = 0; k < m->resets.lines; k++)
            for (size_t a = 0; a < m->resets.line[k].assigns; a++)
                set |= m->resets.line[k].assign[a].kind == ACTIO_SETS_HELD && m->resets.line[k].assign[a].index == i;
        if (!set)
            actio_report_at(f, ACTIO_F_HELD_NEVER_SET, &m->source, m->resets.held[i].span,
                            ACTIO_ARGS(ACTIO_TEXT(m->resets.held[i].name)));
    }
}

static int survey(struct checking *c)
{
    struct actio_problem *problem = c->problem;
    if (actio_problem_form(problem) || actio_free_data_place(problem)
        || (c->boxes && (actio_attempt(problem->ctx, take_box, c) || problem->f->errors)))
        return 1;
    c->naive_constraints = problem->model->constraints;
    size_t errors = problem->f->errors;
    warn_of_held(problem->model, problem->f);
    if (actio_problem_check_clocks(problem)) return 1;
    actio_check_units(problem->model, problem->f);
    c->units_agree = problem->f->errors == errors;
    struct actio_verdict *v = actio_problem_survey(problem, true);
    if (!v) return 1;
    c->v = v;
    actio_problem_explain_verdict(problem, v);
    if (v->word == ACTIO_VERDICT_hidden && actio_problem_take_hidden(problem, v)) return 1;
    if (check_start(c)) return 1;
    if (v->word == ACTIO_VERDICT_hidden) actio_problem_explain_hidden(problem, &c->start);
    if (v->word != ACTIO_VERDICT_contradictory && v->flaws == 0 && !c->start.consistent)
        actio_problem_explain_start(problem, &c->start);
    if (problem->f->errors == 0 && actio_check_powers(problem, &c->powers)) return 1;
    if (problem->f->errors == 0 && problem->motion.sys && actio_contacts_hard(&problem->motion)
        && actio_attempt(problem->ctx, look_at_contacts, c))
        return 1;
    return actio_attempt(problem->ctx, write_report, c);
}

int actio_check_inside(struct actio_context *ctx, struct actio_model *model, const struct actio_box_row *box,
                       size_t boxes, struct actio_findings *f, struct actio_verdict_report *out)
{
    struct actio_problem problem;
    struct checking c = { .problem = &problem, .out = out, .box = box, .boxes = boxes };
    *out = (struct actio_verdict_report){ 0 };
    actio_problem_open(&problem, ctx, model, NULL, f);
    int bad = model->field.axes ? actio_check_fields(&problem, out) : survey(&c);
    actio_free(ctx, c.start.position);
    actio_free(ctx, c.start.velocity);
    actio_free(ctx, c.start.nearest);
    actio_problem_close(&problem);
    return bad ? (f->status ? f->status : ACTIO_LIMIT_REACHED) : f->status;
}

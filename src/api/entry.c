/* SPDX-License-Identifier: Apache-2.0
 * The doors of the library: makers and actions of the public header. What is handed in is checked here, and a call that
 * failed for want of memory says so, whatever it was doing. */
#include "api/entry.h"

#include <string.h>

/* Without a context or findings nothing can be said: the caller gets NULL or ACTIO_WRONG_USAGE. `object`, called
 * `name`, must be there. */
bool actio_entry_open(struct actio_call *call, struct actio_context *ctx, struct actio_findings *f, const char *name,
                      const void *object)
{
    if (!ctx || !f) return false;
    *call = actio_call_begin(ctx, f);
    if (object) return true;
    actio_report(f, ACTIO_F_NOTHING_GIVEN, ACTIO_ARGS(ACTIO_TEXT(name)));
    actio_call_end(call, true, "");
    return false;
}

/* Ends a call that its arguments forbid; they have been named. */
void *actio_entry_refused(struct actio_call *call)
{
    actio_call_end(call, true, "");
    return NULL;
}

void *actio_entry_made(struct actio_call *call, void *object, const char *what)
{
    actio_call_end(call, object != NULL, what);
    return object;
}

/* By the last thing that the call said; without a word, a limit stopped it. */
int actio_entry_status(struct actio_call *call, bool done, const char *what)
{
    struct actio_findings *f = call->f;
    size_t errors = call->errors;
    actio_call_end(call, done, what);
    if (done) return ACTIO_DONE;
    if (f->errors > errors && f->count) return actio_code_exit(f, f->item[f->count - 1].code);
    return actio_cancelled(call->ctx) ? actio_cancel_exit(call->ctx) : ACTIO_LIMIT_REACHED;
}

/* ---- models */

struct actio_model *actio_model_read(struct actio_context *ctx, const char *name, const struct actio_change *change,
                                     size_t changes, struct actio_findings *f)
{
    struct actio_call call;
    if (!actio_entry_open(&call, ctx, f, "name", name)) return NULL;
    if (!actio_changes_fit(change, changes, f)) return actio_entry_refused(&call);
    return actio_entry_made(&call, actio_model_read_inside(ctx, name, change, changes, f), "reading the model");
}

struct actio_model *actio_model_read_string(struct actio_context *ctx, const char *file, const char *text,
                                            size_t length, const struct actio_change *change, size_t changes,
                                            struct actio_findings *f)
{
    struct actio_call call;
    if (!actio_entry_open(&call, ctx, f, "text", text || !length ? ctx : NULL)) return NULL;
    if (!actio_changes_fit(change, changes, f)) return actio_entry_refused(&call);
    return actio_entry_made(
        &call, actio_model_read_string_inside(ctx, file ? file : "", text ? text : "", length, change, changes, f),
        "reading the model");
}

/* ---- motions */

struct actio_table *actio_run(struct actio_context *ctx, struct actio_model *model,
                              const struct actio_run_options *options, struct actio_findings *f)
{
    struct actio_call call;
    if (!actio_entry_open(&call, ctx, f, "model", model)) return NULL;
    struct actio_run_options whole = actio_options_whole(options);
    if (!actio_options_fit(&whole, f)) return actio_entry_refused(&call);
    return actio_entry_made(&call, actio_run_inside(ctx, model, &whole, f), "the motion");
}

struct actio_comparison *actio_compare(struct actio_context *ctx, struct actio_model *model,
                                       const struct actio_run_options *options, const char *const *by, size_t count,
                                       struct actio_findings *f)
{
    struct actio_call call;
    if (!actio_entry_open(&call, ctx, f, "model", model)) return NULL;
    struct actio_run_options whole = actio_options_whole(options);
    if (!actio_options_fit(&whole, f) || !actio_names_fit("by", count ? by : NULL, count ? count : 1, f))
        return actio_entry_refused(&call);
    for (size_t i = 0; i < count; i++)
        if (!actio_principle_fits(by[i], f)) return actio_entry_refused(&call);
    return actio_entry_made(&call, actio_compare_inside(ctx, model, &whole, by, count, f), "the comparison");
}

struct actio_orbits *actio_orbit_search(struct actio_context *ctx, struct actio_model *model,
                                        const struct actio_orbit_options *options, struct actio_findings *f)
{
    struct actio_call call;
    if (!actio_entry_open(&call, ctx, f, "model", model)) return NULL;
    struct actio_orbit_options whole = actio_orbit_options_whole(options);
    if (!actio_orbit_options_fit(&whole, f) || actio_problem_needs_formulas(model, "a search for orbits", f))
        return actio_entry_refused(&call);
    struct actio_orbits *o = actio_orbit_inside(ctx, model, &whole, f);
    /* an empty list is not a success */
    actio_call_end(&call, o && (actio_orbits_count(o) || f->errors), "the search for orbits");
    return o;
}

struct actio_check *actio_test(struct actio_context *ctx, struct actio_model *model,
                               const struct actio_run_options *options, struct actio_findings *f, size_t *count)
{
    struct actio_call call;
    size_t none;
    if (!count) count = &none;
    *count = 0;
    if (!actio_entry_open(&call, ctx, f, "model", model)) return NULL;
    struct actio_run_options whole = actio_options_whole(options);
    if (!actio_options_fit(&whole, f)) return actio_entry_refused(&call);
    return actio_entry_made(&call, actio_test_inside(ctx, model, &whole, f, count), "the test");
}

struct actio_flow *actio_flow_create(struct actio_context *ctx, struct actio_model *model, const char *by,
                                     struct actio_findings *f)
{
    struct actio_call call;
    if (!actio_entry_open(&call, ctx, f, "model", model)) return NULL;
    if (!by) by = actio_run_options_default().by;
    if (!actio_principle_fits(by, f)) return actio_entry_refused(&call);
    return actio_entry_made(&call, actio_flow_inside(ctx, model, by, f), "the right-hand side");
}

struct actio_integrator *actio_integrator_create(struct actio_context *ctx, struct actio_model *model,
                                                 const struct actio_run_options *options, struct actio_findings *f)
{
    struct actio_call call;
    if (!actio_entry_open(&call, ctx, f, "model", model)) return NULL;
    struct actio_run_options whole = actio_options_whole(options);
    if (!actio_options_fit(&whole, f)) return actio_entry_refused(&call);
    return actio_entry_made(&call, actio_integrator_inside(ctx, model, &whole, f), "the motion");
}

static bool open_integrator(struct actio_call *call, struct actio_integrator *i, struct actio_findings *f,
                            const char *name, const void *object)
{
    if (!f) return false;
    return actio_entry_open(call, i ? actio_integrator_context(i) : f->arena.ctx, f, i ? name : "integrator",
                            i ? object : NULL);
}

int actio_integrator_to(struct actio_integrator *i, double t, struct actio_findings *f)
{
    struct actio_call call;
    if (!open_integrator(&call, i, f, "integrator", i)) return ACTIO_WRONG_USAGE;
    bool finite = t - t == 0;
    if (!finite)
        actio_report(f, ACTIO_F_NOT_A_SIZE, ACTIO_ARGS(ACTIO_TEXT("t"), ACTIO_NUMBER(t), ACTIO_TEXT("finite")));
    return actio_entry_status(&call, finite && actio_integrator_go(i, t, f) == 0, "the motion");
}

int actio_integrator_set_state(struct actio_integrator *i, double t, const double *y, struct actio_findings *f)
{
    struct actio_call call;
    if (!open_integrator(&call, i, f, "y", y)) return ACTIO_WRONG_USAGE;
    return actio_entry_status(&call, actio_integrator_place(i, t, y, f) == 0, "the state");
}

int actio_integrator_restore(struct actio_integrator *i, const void *bytes, size_t size, struct actio_findings *f)
{
    struct actio_call call;
    if (!open_integrator(&call, i, f, "bytes", bytes)) return ACTIO_WRONG_USAGE;
    return actio_entry_status(&call, actio_integrator_recall(i, bytes, size, f) == 0, "the state");
}

/* ---- looking at a model */

int actio_check_model(struct actio_context *ctx, struct actio_model *model, const struct actio_box_row *box,
                      size_t boxes, struct actio_findings *f, struct actio_verdict_report *out)
{
    struct actio_call call;
    struct actio_verdict_report none;
    if (!out) out = &none;
    *out = (struct actio_verdict_report){ 0 };
    if (!actio_entry_open(&call, ctx, f, "model", model)) return ACTIO_WRONG_USAGE;
    bool there = box || !boxes;
    for (size_t i = 0; there && i < boxes; i++) there = box[i].text != NULL;
    if (!there) actio_report(f, ACTIO_F_NOTHING_GIVEN, ACTIO_ARGS(ACTIO_TEXT("box")));
    int status = there ? actio_check_inside(ctx, model, box, boxes, f, out) : ACTIO_WRONG_USAGE;
    int own = f->status;
    actio_call_end(&call, status == ACTIO_DONE && out->verdict, "the verdict");
    return own ? own : status;
}

struct actio_modes *actio_modes_find(struct actio_context *ctx, struct actio_model *model, size_t most,
                                     struct actio_findings *f)
{
    struct actio_call call;
    if (!actio_entry_open(&call, ctx, f, "model", model)) return NULL;
    if (actio_problem_needs_formulas(model, "a search for frequencies", f)) return actio_entry_refused(&call);
    return actio_entry_made(&call, actio_modes_inside(ctx, model, most, f), "the frequencies");
}

struct actio_derivation *actio_derive(struct actio_context *ctx, struct actio_model *model, const char *by,
                                      const char *format, struct actio_findings *f)
{
    struct actio_call call;
    if (!actio_entry_open(&call, ctx, f, "model", model)) return NULL;
    if (format && strcmp(format, "c") == 0 && actio_problem_needs_formulas(model, "a C file of the equations", f))
        return actio_entry_refused(&call);
    return actio_entry_made(&call, actio_derive_inside(ctx, model, by, format, f), "writing the equations");
}

/* ---- actions as functions */

struct actio_action *actio_action_create(struct actio_context *ctx, struct actio_model *model,
                                         const struct actio_action_options *options, struct actio_findings *f)
{
    struct actio_call call;
    if (!actio_entry_open(&call, ctx, f, "model", model)) return NULL;
    if (!actio_action_options_fit(options, f) || actio_problem_needs_formulas(model, "an action", f))
        return actio_entry_refused(&call);
    return actio_entry_made(&call, actio_action_inside(ctx, model, options, f), "the action");
}

struct actio_dual_action *actio_dual_action_create(struct actio_context *ctx, struct actio_model *model,
                                                   const struct actio_dual_action_options *options,
                                                   struct actio_findings *f)
{
    struct actio_call call;
    if (!actio_entry_open(&call, ctx, f, "model", model)) return NULL;
    if (!actio_dual_action_options_fit(options, f) || actio_problem_needs_formulas(model, "a dual action", f))
        return actio_entry_refused(&call);
    return actio_entry_made(&call, actio_dual_action_inside(ctx, model, options, f), "the dual action");
}

/* SPDX-License-Identifier: Apache-2.0
 * Options as callers hand them over: what is 0 or NULL is the default, what there is not is refused by name. */
#include "api/entry.h"
#include "principle/principles.h"
#include "solve/march.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof (array) / sizeof *(array))

static bool refuse(struct actio_findings *f, const char *what, const char *word, const char *instead)
{
    actio_find(f, ACTIO_F_NO_SUCH_WORD, ACTIO_ARGS(ACTIO_TEXT(what), ACTIO_TEXT(word), ACTIO_TEXT(instead)));
    return false;
}

static bool nothing(struct actio_findings *f, const char *what)
{
    actio_find(f, ACTIO_F_NOTHING_GIVEN, ACTIO_ARGS(ACTIO_TEXT(what)));
    return false;
}

bool actio_principle_fits(const char *by, struct actio_findings *f)
{
    if (actio_principle_named(by)) return true;
    actio_find(f, ACTIO_F_NO_PRINCIPLE, ACTIO_ARGS(ACTIO_TEXT(by)));
    return false;
}

bool actio_names_fit(const char *what, const char *const *name, size_t count, struct actio_findings *f)
{
    bool there = name || !count;
    for (size_t i = 0; there && i < count; i++) there = name[i] != NULL;
    return there || nothing(f, what);
}

/* ---- changes of a model */

bool actio_changes_fit(const struct actio_change *change, size_t changes, struct actio_findings *f)
{
    if (changes && !change) return nothing(f, "change");
    for (size_t i = 0; i < changes; i++) {
        char kind[2] = { change[i].kind, 0 };
        if (!*kind || !strchr(ACTIO_CHANGE_KINDS, *kind)) return refuse(f, "kind of change", kind, "p, s, t, w, h, b, f, T, A or W");
        if (!change[i].text) return nothing(f, "text of a change");
    }
    return true;
}

/* ---- options of a run */

struct actio_run_options actio_options_whole(const struct actio_run_options *options)
{
    struct actio_run_options plain = actio_run_options_default(), o = options ? *options : plain;
    if (!o.by) o.by = plain.by;
    if (!o.method) o.method = plain.method;
    if (!o.points) o.points = plain.points;
    if (o.tol == 0) o.tol = plain.tol;
    return o;
}

static bool is_among(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; word && i < count; i++)
        if (strcmp(word, words[i]) == 0) return true;
    return !word;
}

static bool words_fit(const struct actio_run_options *o, struct actio_findings *f)
{
    static const char *const closures[] = { "gauss", "vakonomic", "reduced", "free" }, *const powers[] = { "zero", "nonnegative" };
    static const char *const forms[] = { "weak", "paper", "bare" };
    const struct { const char *what, *word; const char *const *words; size_t count; const char *instead; } row[] = {
        { "closure", o->closure, closures, COUNT(closures), "gauss, vakonomic, reduced or free" },
        { "power of the reactions", o->power, powers, COUNT(powers), "zero or nonnegative" },
        { "form of the action", o->form, forms, COUNT(forms), "weak, paper or bare" },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        if (!is_among(row[i].word, row[i].words, row[i].count)) return refuse(f, row[i].what, row[i].word, row[i].instead);
    if (strcmp(o->method, "auto") == 0 || actio_stepper_find(o->method)) return true;
    actio_find(f, ACTIO_F_NO_STEPPER, ACTIO_ARGS(ACTIO_TEXT(o->method)));
    return false;
}

struct size { const char *what; double x; };

static bool sizes_fit(const struct size *row, size_t count, struct actio_findings *f)
{
    for (size_t i = 0; i < count; i++)
        if (!(row[i].x >= 0 && isfinite(row[i].x)))
            return actio_find(f, ACTIO_F_NOT_A_SIZE, ACTIO_ARGS(ACTIO_TEXT(row[i].what), ACTIO_NUMBER(row[i].x))), false;
    return true;
}

static bool numbers_fit(const struct actio_run_options *o, struct actio_findings *f)
{
    const struct size row[] = {
        { "tol", o->tol }, { "local", o->local }, { "resplit", o->resplit }, { "sigma", o->sigma }, { "barrier", o->barrier }, { "slack", fabs(o->slack) },
    };
    if (!sizes_fit(row, COUNT(row), f)) return false;
    for (size_t i = 0; o->widths && i < o->width_count; i++)
        if (!(o->widths[i] > 0 && isfinite(o->widths[i])))
            return actio_find(f, ACTIO_F_NOT_A_SIZE, ACTIO_ARGS(ACTIO_TEXT("widths"), ACTIO_NUMBER(o->widths[i]))), false;
    return true;
}

bool actio_options_fit(const struct actio_run_options *o, struct actio_findings *f)
{
    if (o->width_count && !o->widths) return nothing(f, "widths");
    return actio_names_fit("gradient", o->gradient, o->gradients, f) && actio_principle_fits(o->by, f) && words_fit(o, f) && numbers_fit(o, f);
}

/* ---- options of actions as functions: of these the numbers; NULL is fine */

bool actio_action_options_fit(const struct actio_action_options *o, struct actio_findings *f)
{
    return !o || sizes_fit((const struct size[]){ { "sigma", o->sigma }, { "barrier", o->barrier } }, 2, f);
}

bool actio_dual_action_options_fit(const struct actio_dual_action_options *o, struct actio_findings *f)
{
    return !o || sizes_fit(&(const struct size){ "slack", fabs(o->slack) }, 1, f);
}

/* ---- options of a search for orbits */

struct actio_orbit_options actio_orbit_options_whole(const struct actio_orbit_options *options)
{
    struct actio_orbit_options plain = actio_orbit_options_default(), o = options ? *options : plain;
    o.run = actio_options_whole(&o.run);
    if (!o.method) o.method = plain.method;
    return o;
}

bool actio_orbit_options_fit(const struct actio_orbit_options *o, struct actio_findings *f)
{
    static const char *const methods[] = { "shooting", "fourier", "dual" };
    if (!is_among(o->method, methods, COUNT(methods))) return refuse(f, "method for orbits", o->method, "shooting, fourier or dual");
    if (!(o->tol >= 0 && isfinite(o->tol))) return actio_find(f, ACTIO_F_NOT_A_SIZE, ACTIO_ARGS(ACTIO_TEXT("tol"), ACTIO_NUMBER(o->tol))), false;
    return actio_names_fit("average", o->average, o->averages, f) && actio_names_fit("loose", o->loose, o->looses, f) && actio_options_fit(&o->run, f);
}

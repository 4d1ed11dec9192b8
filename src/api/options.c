/* SPDX-License-Identifier: Apache-2.0
 * Options as callers hand them over: what is 0 or NULL is the default, what there is not is refused by name. */
#include "api/entry.h"
#include "principle/principles.h"
#include "problem/options.h"
#include "solve/march.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool options_refuse(struct actio_findings *f, const char *what, const char *word, const char *instead)
{
    actio_report(f, ACTIO_F_NO_SUCH_WORD, ACTIO_ARGS(ACTIO_TEXT(what), ACTIO_TEXT(word), ACTIO_TEXT(instead)));
    return false;
}

static bool nothing(struct actio_findings *f, const char *what)
{
    actio_report(f, ACTIO_F_NOTHING_GIVEN, ACTIO_ARGS(ACTIO_TEXT(what)));
    return false;
}

bool actio_principle_fits(const char *by, struct actio_findings *f)
{
    if (actio_principle_named(by)) return true;
    actio_report(f, ACTIO_F_NO_PRINCIPLE, ACTIO_ARGS(ACTIO_TEXT(by)));
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
        int kind = (int)change[i].kind;
        char number[16];
        snprintf(number, sizeof number, "%d", kind);
        if (kind < ACTIO_CHANGE_PARAM || kind > ACTIO_CHANGE_TURN)
            return options_refuse(f, "kind of change", number, "a name of enum actio_change_kind");
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

struct size {
    const char *what;
    double x;
};

static bool sizes_fit(const struct size *row, size_t count, struct actio_findings *f)
{
    for (size_t i = 0; i < count; i++)
        if (!(row[i].x >= 0 && isfinite(row[i].x))) {
            actio_report(f, ACTIO_F_NOT_A_SIZE,
                         ACTIO_ARGS(ACTIO_TEXT(row[i].what), ACTIO_NUMBER(row[i].x),
                                    ACTIO_TEXT("a finite number of at least 0")));
            return false;
        }
    return true;
}

static bool rows_fit(const struct actio_run_options *o, struct actio_findings *f)
{
    const struct actio_option_row *row;
    size_t rows = actio_options(&row);
    for (size_t i = 0; i < rows; i++) {
        double x = NAN;
        char takes[128];
        /* steppers are a table of their own, to which a build may add */
        bool stepper = strcmp(row[i].name, "method") == 0;
        if (stepper || actio_option_fits(&row[i], o, &x)) continue;
        actio_option_takes(&row[i], takes, sizeof takes);
        if (row[i].kind == ACTIO_TAKES_WORD)
            return options_refuse(f, row[i].name, *(const char *const *)((const char *)o + row[i].offset), takes);
        actio_report(f, ACTIO_F_NOT_A_SIZE, ACTIO_ARGS(ACTIO_TEXT(row[i].name), ACTIO_NUMBER(x), ACTIO_TEXT(takes)));
        return false;
    }
    if (strcmp(o->method, "auto") == 0 || actio_stepper_find(o->method)) return true;
    actio_report(f, ACTIO_F_NO_STEPPER, ACTIO_ARGS(ACTIO_TEXT(o->method)));
    return false;
}

/* What no row of the table has: walls, and the slack behind a power. */
static bool others_fit(const struct actio_run_options *o, struct actio_findings *f)
{
    const struct size row[] = { { "sigma", o->sigma }, { "slack", fabs(o->slack) } };
    if (!sizes_fit(row, COUNT(row), f)) return false;
    for (size_t i = 0; o->widths && i < o->width_count; i++)
        if (!sizes_fit(&(struct size){ "widths", o->widths[i] > 0 ? o->widths[i] : -1 }, 1, f)) return false;
    return true;
}

bool actio_options_fit(const struct actio_run_options *o, struct actio_findings *f)
{
    if (o->width_count && !o->widths) return nothing(f, "widths");
    return actio_names_fit("gradient", o->gradient, o->gradients, f) && actio_principle_fits(o->by, f) && rows_fit(o, f)
           && others_fit(o, f);
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
    if (!is_among(o->method, methods, COUNT(methods)))
        return options_refuse(f, "method for orbits", o->method, "shooting, fourier or dual");
    if (!(o->tol >= 0 && isfinite(o->tol))) {
        actio_report(f, ACTIO_F_NOT_A_SIZE,
                     ACTIO_ARGS(ACTIO_TEXT("tol"), ACTIO_NUMBER(o->tol), ACTIO_TEXT("a finite number of at least 0")));
        return false;
    }
    return actio_names_fit("average", o->average, o->averages, f) && actio_names_fit("loose", o->loose, o->looses, f)
           && actio_options_fit(&o->run, f);
}

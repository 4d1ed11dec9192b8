/* SPDX-License-Identifier: Apache-2.0
 * A state in words. */
#include "explain/about.h"

#include <math.h>

const char *actio_explain_name(const struct actio_about *about, size_t i)
{
    struct actio_model *m = about->model;
    if (about->sys && about->sys->field.axes)
        return i < about->sys->n ? about->sys->variable[i] : about->sys->field.rate_name[i - about->sys->n];
    if (i < m->coords) return m->coord[i].name;
    if (i < 2 * m->coords) return m->coord[i - m->coords].dot_name;
    i -= 2 * m->coords;
    return i < m->states ? m->state[i].name : about->sys->variable[m->coords + i]; /* a multiplier that is a state */
}

void actio_explain_report(struct actio_about *about, enum actio_code code, const struct actio_value arg[6])
{
    actio_report_at(about->f, code, &about->model->source, (struct actio_span){ 0 }, arg);
}

/* The node of a field's value, or -1. */
static long node_of(const struct actio_about *about, size_t i)
{
    const struct actio_model *m = about->model;
    for (size_t v = 0; about->sys && about->sys->field.axes && v < m->coords; v++) {
        size_t base = about->sys->field.base[v], at = i % about->sys->n;
        if (m->coord[v].axis && at >= base && at < base + m->field.axis[m->coord[v].axis - 1].nodes)
            return (long)(at - base);
    }
    return -1;
}

struct listing {
    struct actio_about *about;
    const double *y, *other;
    struct actio_text text;
};

static void list_state(void *user)
{
    struct listing *l = user;
    size_t listed = 0, left = 0;
    actio_text_open(&l->text, l->about->arena);
    for (size_t i = 0; i < l->about->ny; i++) {
        if (l->other && fabs(l->y[i] - l->other[i]) <= 1e-14 * (1 + fabs(l->y[i]))) continue;
        if (listed == 12) {
            left++;
            continue;
        }
        long node = node_of(l->about, i);
        actio_text_format(&l->text, "%s%s", listed++ ? ", " : "", actio_explain_name(l->about, i));
        if (node >= 0) actio_text_format(&l->text, "[%ld]", node);
        actio_text_add(&l->text, " = ");
        if (l->other) actio_text_number(&l->text, l->y[i]);
        else actio_text_format(&l->text, "%.6g", l->y[i]);
    }
    if (left) actio_text_format(&l->text, ", and %zu more", left);
}

const char *actio_explain_state(struct actio_about *about, const double *y, const double *compared_with)
{
    struct listing l = { .about = about, .y = y, .other = compared_with };
    return actio_attempt(about->ctx, list_state, &l) ? "" : l.text.s;
}

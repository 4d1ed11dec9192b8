/* SPDX-License-Identifier: Apache-2.0
 * Scales with ticks at 1, 2 or 5 times a power of ten, and labels that stay short for tiny, huge and offset values. */
#include "result/output.h"
#include "result/plot.h"

#include <math.h>

static double nice_step(double raw)
{
    double power = pow(10, floor(log10(raw))), f = raw / power;
    return power * (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10);
}

/* The roundest number near the middle. */
static double round_offset(double lo, double hi)
{
    double middle = lo / 2 + hi / 2, unit = pow(10, ceil(log10(fabs(middle))));
    while (fabs(round(middle / unit) * unit - middle) > 2 * (hi - lo)) unit /= 10;
    return unit >= 1 ? round(middle / unit) * unit : round(middle / unit) / round(1 / unit);
}

/* Six figures that all labels share are taken out of them; so is a power of ten that makes them long. */
static void choose_labels(struct actio_scale *s)
{
    double most = fmax(fabs(s->lo), fabs(s->hi));
    s->offset = most / s->step > 1e6 ? round_offset(s->lo, s->hi) : 0;
    most = fmax(fabs(s->lo - s->offset), fabs(s->hi - s->offset));
    s->exponent = most < 1e-3 || most >= 1e5 ? (int)floor(log10(most)) : 0;
    s->decimals = (int)fmax(0, s->exponent - floor(log10(s->step) + 1e-9));
}

void actio_scale_retick(struct actio_scale *s, double ticks)
{
    if (s->is_log) {
        s->step = fmax(1, ceil((s->hi - s->lo) / ticks));
        return;
    }
    s->step = nice_step((s->hi - s->lo) / ticks);
    choose_labels(s);
}

static struct actio_scale log_scale(double lo, double hi, double ticks)
{
    struct actio_scale s = { .lo = floor(lo), .hi = ceil(hi), .is_log = true };
    if (s.hi < s.lo + 1) s.hi = s.lo + 1;
    double most = s.hi > -12 ? 14 : 5; /* below that is rounding, and so is all of what is small itself */
    if (s.lo < s.hi - most) s.lo = s.hi - most;
    actio_scale_retick(&s, ticks);
    return s;
}

/* Differences at the level of rounding are not spread over the whole panel: such data are drawn as constant. */
struct actio_scale actio_scale_make(double lo, double hi, bool is_log, double padding, double ticks)
{
    if (!(lo <= hi)) {
        lo = is_log ? -1 : 0;
        hi = is_log ? 0 : 1;
    }
    if (is_log) return log_scale(lo, hi, ticks);
    lo = fmax(lo, -1e300);
    hi = fmin(hi, 1e300);
    double size = fmax(fabs(lo), fabs(hi)), span = hi - lo;
    if (size < 1e-290) {
        lo = -1;
        hi = 1;
    } else if (span <= 1e-13 * size) {
        lo -= .1 * size;
        hi += .1 * size;
    } else {
        lo -= padding * span;
        hi += padding * span;
    }
    struct actio_scale s = { .lo = lo, .hi = hi };
    actio_scale_retick(&s, ticks);
    return s;
}

double actio_scale_at(const struct actio_scale *s, double value) { return (value - s->lo) / (s->hi - s->lo); }

bool actio_scale_tick(const struct actio_scale *s, int i, double *value)
{
    double first = ceil((s->lo - s->offset) / s->step - 1e-9);
    *value = (first + i) * s->step + s->offset;
    return i < 60 && *value <= s->hi + 1e-9 * s->step;
}

const char *actio_scale_label(const struct actio_scale *s, double value, struct actio_arena *arena)
{
    if (s->is_log) return actio_arena_format(arena, "10%s", actio_raised((int)value, arena));
    struct actio_text t;
    double shown = (value - s->offset) / pow(10, s->exponent);
    actio_text_open(&t, arena);
    if (shown < -.5 * pow(10, -s->decimals)) actio_text_add(&t, "\xE2\x88\x92");
    actio_fixed(&t, fabs(shown), s->decimals, false);
    return t.s;
}

const char *actio_scale_note(const struct actio_scale *s, struct actio_arena *arena)
{
    struct actio_text t;
    actio_text_open(&t, arena);
    if (s->is_log) return "";
    if (s->exponent)
        actio_text_format(&t,
                          "\xC3\x97"
                          "10%s",
                          actio_raised(s->exponent, arena));
    if (s->offset == 0) return t.s;
    actio_text_format(&t, "%s%s ", s->exponent ? " " : "", s->offset < 0 ? "\xE2\x88\x92" : "+");
    actio_text_number(&t, fabs(s->offset));
    return t.s;
}

/* SPDX-License-Identifier: Apache-2.0
 * Where rank or inertia change: scans along one component at a time, the others as at the start, then on the way to the
 * samples. */
#include "verdict/survey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCAN = 24, MOST_SCANNED = 40, LARGE = 40 };

static bool scanned_point(struct actio_surveying *s, size_t i, double x, double *y)
{
    memcpy(y, s->y0, s->M.ny * sizeof *y);
    if (s->to)
        for (size_t k = 0; k < s->M.ny; k++) y[k] += x * (s->to[k] - y[k]);
    else y[i] = x;
    if (!actio_survey_reach(s, s->t0, y)) return false;
    return s->to || fabs(y[i] - x) <= 1e-6 * (1 + fabs(x)); /* the component stayed where it was put */
}

/* Between two values of component i with different looks: the place of change, unless it is a pole. */
static void bisect(struct actio_surveying *s, size_t i, double a, double b, struct actio_look la)
{
    double *y = actio_form_array(s->F, s->M.ny, sizeof *y);
    struct actio_look l = la;
    for (int k = 0; k < 200 && fabs(b - a) > 4e-16 * (fabs(a) + fabs(b)); k++) {
        double x = 0.5 * (a + b);
        if (x == a || x == b) break;
        if (!scanned_point(s, i, x, y)) return;
        l = actio_look_at(s, s->t0, y);
        if (!l.ok) return;
        if (actio_same_look(&l, &la)) a = x;
        else b = x;
    }
    if (!scanned_point(s, i, 0.5 * (a + b), y)) return;
    l = actio_look_at(s, s->t0, y);
    /* else a pole */
    bool rank = l.rank < s->generic.rank,
         weak = l.ok && l.smallest < 1e-11 && l.largest < 1e4 * fmax(1, s->start.largest);
    if (!rank && weak) actio_note_place(s, y, "the kinetic energy degenerates on the constraints");
}

/* The rows' spread at a value of component i; 1 without such a state. */
static double spread_at(struct actio_surveying *s, size_t i, double x, double *y)
{
    if (!scanned_point(s, i, x, y) || !actio_look_at(s, s->t0, y).ok) return 1;
    return actio_rows_spread(s, s->generic.rank);
}

/* A smallest value between a and b by golden sections: rows that become dependent at one state only. */
static void narrow(struct actio_surveying *s, size_t i, double a, double b)
{
    const double golden = 0.3819660112501051;
    double *y = actio_form_array(s->F, s->M.ny, sizeof *y), x = a + golden * (b - a), z = b - golden * (b - a);
    double fx = spread_at(s, i, x, y), fz = spread_at(s, i, z, y);
    for (int k = 0; k < 90 && b - a > 1e-15 * (fabs(a) + fabs(b)); k++) {
        if (fx < fz) {
            b = z;
            z = x;
            fz = fx;
            x = a + golden * (b - a);
            fx = spread_at(s, i, x, y);
        } else {
            a = x;
            x = z;
            fx = fz;
            z = b - golden * (b - a);
            fz = spread_at(s, i, z, y);
        }
    }
    if (fmin(fx, fz) < s->v->dependent && scanned_point(s, i, fx < fz ? x : z, y))
        actio_note_place(s, y, "the rows of the constraints become dependent");
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Values of component i to look at: even over the box, and closing in on the start and on 0, where formulas have their
 * poles. */
static size_t values_of(const struct actio_surveying *s, size_t i, double *x)
{
    bool large = s->F->N + s->F->p > LARGE;
    double low = s->box->low[i], high = s->box->high[i], start = s->y0[i], range = high - low;
    size_t n = 0;
    int points = large ? SCAN / 3 : SCAN;
    for (int k = 0; k <= points; k++) x[n++] = low + range * (k + 0.7310585786e-4) / points; /* off round numbers */
    for (int k = 2; k <= 8 && !large; k++)
        for (int side = -1; side <= 1; side += 2) {
            x[n++] = start + side * range * ldexp(0.9732, -k);
            x[n++] = side * fmax(fabs(low), fabs(high)) * ldexp(0.9631, -k);
        }
    qsort(x, n, sizeof *x, ascending);
    size_t kept = 0;
    for (size_t k = 0; k < n; k++)
        if (x[k] >= low && x[k] <= high) x[kept++] = x[k];
    return kept;
}

static void scan_component(struct actio_surveying *s, size_t i)
{
    double x[SCAN + 1 + 4 * 8], *y = actio_form_array(s->F, s->M.ny, sizeof *y), spread[3] = { 1, 1, 1 };
    struct actio_look before = { 0 };
    bool have = false;
    size_t count = values_of(s, i, x);
    for (size_t k = 0; k < count; k++) {
        bool on = scanned_point(s, i, x[k], y);
        struct actio_look l = on ? actio_look_at(s, s->t0, y) : (struct actio_look){ 0 };
        if (on && l.ok && have && !actio_same_look(&l, &before)) bisect(s, i, x[k - 1], x[k], before);
        spread[0] = spread[1];
        spread[1] = spread[2];
        spread[2] = on && l.ok ? actio_rows_spread(s, s->generic.rank) : 1;
        if (k > 1 && spread[1] < spread[0] && spread[1] < spread[2] && spread[1] < 0.5) narrow(s, i, x[k - 2], x[k]);
        have = on && l.ok;
        before = l;
    }
}

/* Along the axes nothing was found, and yet a sampled state is of another kind than the start: then the change lies
 * between the two. */
static void scan_to_samples(struct actio_surveying *s)
{
    for (size_t i = 0; i < s->points.count && s->v->singulars == 0 && s->start.ok; i++) {
        if (s->points.t[i] != s->t0) continue;
        s->to = s->points.y + i * s->M.ny;
        struct actio_look l = actio_look_at(s, s->t0, s->to);
        if (l.ok && !actio_same_look(&l, &s->start)) bisect(s, 0, 0, 1, s->start);
    }
    s->to = NULL;
}

void actio_scan(struct actio_surveying *s)
{
    size_t most = s->F->N + s->F->p > LARGE ? MOST_SCANNED / 4 : MOST_SCANNED;
    for (size_t i = 0; i < s->M.ny && i < most; i++) scan_component(s, i);
    scan_to_samples(s);
}

/* SPDX-License-Identifier: Apache-2.0
 * Bifurcations on a branch of orbits: folds, period doublings, tori and branchings are noticed between two points,
 * located and marked. */
#include "orbit/branch.h"

#include <math.h>

enum { MOST_LOCATE = 40 };
#define OFF_CIRCLE 1e-4 /* of moduli, where pairs stay on the circle but for rounding */
#define OFF_ONE 1e-5
#define LOCATED 1e-9 /* of the step: where something happens */

static const char *const mark_of[ACTIO_BIFURCATIONS] = { "fold", "period doubling", "torus", "branch" };
struct counts {
    int plus, minus, pairs;
};

/* Multipliers outside of the unit circle, those that are 1 by themselves left out. */
static struct counts count_outside(const struct actio_found *f, double margin)
{
    struct counts c = { 0, 0, 0 };
    for (size_t i = 0; i < f->multipliers; i++) {
        const struct actio_multiplier *m = &f->multiplier[i];
        /* some are 1, or on the circle, for reasons of their own: rounding decides nothing */
        if (actio_found_explains(f, i) || !(m->log_modulus > (m->im == 0 && m->re < 0 ? 0 : margin))) continue;
        if (m->im != 0) c.pairs++;
        else if (m->re > 0) c.plus++;
        else c.minus++;
    }
    return c;
}

/* Which of them happened between two points; ACTIO_BIFURCATIONS: none. */
enum actio_bifurcation actio_way_happened(const struct actio_way *w, const struct actio_found *a,
                                          const struct actio_found *b, double before, double after)
{
    if (before * after < 0) return ACTIO_BIFURCATION_FOLD;
    double margin = w->s->conservative ? OFF_CIRCLE : OFF_ONE;
    struct counts x = count_outside(a, margin), y = count_outside(b, margin);
    if (a->multipliers == 0 || b->multipliers == 0) return ACTIO_BIFURCATIONS;
    if (x.minus != y.minus && x.pairs == y.pairs) return ACTIO_BIFURCATION_DOUBLING;
    if (x.pairs != y.pairs && x.plus == y.plus && x.minus == y.minus) return ACTIO_BIFURCATION_TORUS;
    if (x.plus != y.plus && x.pairs == y.pairs) return ACTIO_BIFURCATION_BRANCH;
    return ACTIO_BIFURCATIONS;
}

/* The function whose zero it is: of a fold the param's part of the tangent, of the others how far the multiplier that
 * crosses is from where it does. */
static double crossing(enum actio_bifurcation kind, const struct actio_found *f, double part)
{
    double nearest = INFINITY;
    for (size_t i = 0; i < f->multipliers; i++) {
        const struct actio_multiplier *m = &f->multiplier[i];
        if (actio_found_explains(f, i) || (kind == ACTIO_BIFURCATION_TORUS) != (m->im != 0)
            || (kind != ACTIO_BIFURCATION_TORUS && (m->re > 0) != (kind == ACTIO_BIFURCATION_BRANCH)))
            continue;
        double d = kind == ACTIO_BIFURCATION_TORUS    ? -m->log_modulus
                   : kind == ACTIO_BIFURCATION_BRANCH ? 1 - m->re
                                                      : 1 + m->re;
        if (fabs(d) < fabs(nearest)) nearest = d;
    }
    return kind == ACTIO_BIFURCATION_FOLD ? part : nearest;
}

/* The orbit at a part of the step from here, and the part of the param in the tangent there. NULL: it can't be had. */
static struct actio_found *look_at_part(struct actio_way *w, const struct actio_spot *home, double part, double *param)
{
    double a;
    struct actio_found *f = NULL;
    if (actio_follow_step(&w->f, part, false, 0, &w->next, &a) == 0 && actio_follow_take(&w->f, &w->next) == 0) {
        w->f.a = a;
        if (actio_follow_tangent(&w->f, false, false) == 0) {
            *param = actio_way_param_part(w);
            f = actio_way_look(w, &w->next, a);
        }
    }
    actio_way_go_back(w, home);
    return f;
}

/* Where branches cross the orbit itself is hard to meet, and drifts: points farther off locate it, by inverse
 * interpolation. */
enum { NEIGHBOURS = 6 };
struct neighbours {
    double g[NEIGHBOURS], at[NEIGHBOURS];
    size_t count;
};

static void note_neighbour(struct neighbours *n, double g, double at)
{
    if (!(fabs(g) > 1e-5 && fabs(g) < 0.3)) return;
    size_t k = n->count;
    if (k == NEIGHBOURS) { /* the farthest goes */
        k = 0;
        for (size_t i = 1; i < NEIGHBOURS; i++)
            if (fabs(n->g[i]) > fabs(n->g[k])) k = i;
        if (fabs(n->g[k]) < fabs(g)) return;
    } else n->count++;
    n->g[k] = g;
    n->at[k] = at;
}

static double place_by_neighbours(const struct neighbours *n)
{
    double sum = 0;
    for (size_t i = 0; i < n->count; i++) {
        double weight = 1;
        for (size_t k = 0; k < n->count; k++)
            if (k != i) weight *= n->g[k] / (n->g[k] - n->g[i]);
        sum += weight * n->at[i];
    }
    return sum;
}

/* Goes from the point in hand by parts of the step h towards where it happens, by secants kept inside; keeps that
 * point, marked. 0, or 1. */
int actio_way_locate(struct actio_way *w, enum actio_bifurcation kind, const struct actio_found *from, double h)
{
    struct actio_spot home;
    struct actio_found *best = NULL;
    struct neighbours near = { .count = 0 };
    double low = 0, high = h, part = actio_way_param_part(w), first = crossing(kind, from, part), g_low = first,
           g_high = -first, local = w->f.local;
    int bad = actio_way_remember(w, &home), failed = 0;
    w->f.local = 1e-12;
    for (int i = 0; i < MOST_LOCATE && !bad && high - low > LOCATED * h; i++) {
        double middle = 0.5 * (low + high), guess = low + (high - low) * g_low / (g_low - g_high),
               inset = 0.02 * (high - low);
        if (i > 1 && i % 3 && isfinite(guess)) middle = fmin(fmax(guess, low + inset), high - inset);
        struct actio_found *f = look_at_part(w, &home, middle, &part);
        if (!f && ++failed == 4) break;
        if (!f) {
            middle = low + (high - low) * (0.2 + 0.17 * failed);
            f = look_at_part(w, &home, middle, &part);
        } /* where branches cross, the point itself may be hard to meet */
        if (!f) continue;
        double g = crossing(kind, f, part);
        note_neighbour(&near, g, f->param);
        if (g * first > 0) {
            low = middle;
            g_low = g;
        } else {
            high = middle;
            g_high = g;
        }
        actio_found_free(w->s->problem->ctx, best);
        best = f;
        if (fabs(g) < 1e-11) break;
    }
    w->f.local = local;
    actio_way_forget(w, &home);
    if (!best) return bad != 0;
    best->mark = mark_of[kind];
    if (kind == ACTIO_BIFURCATION_BRANCH && near.count >= 3) best->param = place_by_neighbours(&near);
    return actio_way_keep(w->s, best);
}

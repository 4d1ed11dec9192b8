/* SPDX-License-Identifier: Apache-2.0
 * Floquet multipliers of a turn, on the manifold of the constraints: the linearised flow in well-conditioned factors,
 * whose product is never formed, and which multipliers are 1 because of what the motion keeps. */
#include "solve/orbit.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

enum { MOST_PARTS = 200000 };
#define WELL_CONDITIONED 1e4 /* of one factor: so much of the relative accuracy of small multipliers is lost */

static double condition(size_t d, const double *Phi, double *work)
{
    double *sigma = work;
    if (actio_svd(d, d, Phi, sigma, NULL, NULL, work + d)) return INFINITY;
    return sigma[d - 1] > 0 ? sigma[0] / sigma[d - 1] : INFINITY;
}

/* Phi = Q_end' S^-1 X, and the next basis takes over. */
static void take_factor(const struct actio_orbit *o, const double *X, const double *Q, double *Phi)
{
    size_t d = o->d;
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++) {
            double sum = 0;
            for (size_t i = 0; i < o->ny; i++) sum += Q[i * d + a] * X[i * d + b] / o->scale[i];
            Phi[a * d + b] = sum;
        }
}

struct walk {
    struct actio_orbit *o;
    const struct actio_circuit *l;
    double local, *y, *X, *Q, *next, *work;
    size_t parts;
    struct actio_turn *turn;
};

/* Factor k begins here; 0 is where the last one ends. */
static void note_place(struct walk *w, size_t k, double t, const double *y)
{
    struct actio_turn *turn = w->turn;
    size_t at = k % turn->factors;
    if (k < turn->factors) {
        turn->t[k] = t;
        memcpy(turn->y + k * turn->ny, y, turn->ny * sizeof *y);
    }
    if (k && turn->modes) memcpy(turn->mode + at * turn->modes, w->o->m->here.mode, turn->modes * sizeof(double));
}

/* All factors of the segment behind node i. A flow or march status. */
static int walk_segment(struct walk *w, size_t i, double *Phi)
{
    struct actio_orbit *o = w->o;
    size_t d = o->d, ny = o->ny;
    double t = actio_orbit_time(o, w->l, i), end = actio_orbit_time(o, w->l, i + 1),
           length = (end - t) / (double)w->parts;
    memcpy(w->y, w->l->y + i * ny, ny * sizeof *w->y);
    for (size_t k = 0; k < w->parts; k++, Phi += d * d) {
        bool last = k + 1 == w->parts;
        double from = t + length * (double)k, to = last ? end : t + length * (double)(k + 1);
        for (size_t a = 0; a < ny; a++)
            for (size_t b = 0; b < d; b++) w->X[a * d + b] = o->scale[a] * w->Q[a * d + b];
        int bad = actio_tangent_go(&o->x, from, to, w->y, w->X, d, w->local);
        if (bad) return bad;
        if (last && i + 1 == w->l->nodes) { /* back where it began */
            if (actio_orbit_directions(o, o->t0, w->l->y, w->next, NULL)) return ACTIO_FLOW_SINGULAR;
        } else if (actio_orbit_directions(o, to, last ? w->l->y + (i + 1) * ny : w->y, w->next, NULL))
            return ACTIO_FLOW_SINGULAR;
        take_factor(o, w->X, w->next, Phi);
        note_place(w, i * w->parts + k + 1, to, last && i + 1 < w->l->nodes ? w->l->y + (i + 1) * ny : w->y);
        memcpy(w->Q, w->next, ny * d * sizeof *w->Q);
    }
    return 0;
}

static int walk_all(struct walk *w, struct actio_turn *out)
{
    struct actio_orbit *o = w->o;
    size_t d = o->d;
    if (actio_orbit_directions(o, o->t0, w->l->y, w->Q, NULL)) return ACTIO_FLOW_SINGULAR;
    memcpy(out->Q0, w->Q, o->ny * d * sizeof *out->Q0);
    w->turn = out;
    note_place(w, 0, o->t0, w->l->y);
    actio_tangent_rewind(&o->x);
    for (size_t i = 0; i < w->l->nodes; i++) {
        int bad = walk_segment(w, i, out->Phi + i * w->parts * d * d);
        if (bad) return bad;
        if (actio_stopped(o->ctx)) return ACTIO_FLOW_STOPPED;
    }
    return 0;
}

/* The worst condition of a factor. */
static double worst_factor(const struct actio_turn *t, double *work)
{
    double worst = 1;
    for (size_t i = 0; i < t->factors; i++) worst = fmax(worst, condition(t->d, t->Phi + i * t->d * t->d, work));
    return worst;
}

static int orbit_status(int bad)
{
    return bad == 0                       ? ACTIO_ORBIT_FOUND
           : bad == ACTIO_FLOW_STOPPED    ? ACTIO_ORBIT_STOPPED
           : bad == ACTIO_MARCH_NO_MEMORY ? ACTIO_ORBIT_NO_MEMORY
                                          : ACTIO_ORBIT_MOTION_FAILS;
}

/* More parts while factors are badly conditioned and there is hope. */
static size_t more_parts(const struct walk *w, double worst)
{
    double factor = isfinite(worst) ? log(worst) / log(WELL_CONDITIONED) : 8;
    size_t parts = (size_t)ceil((double)w->parts * fmin(fmax(factor, 1.5), 8));
    return parts * w->l->nodes > MOST_PARTS ? 0 : parts;
}

int actio_orbit_linearise(struct actio_orbit *o, const struct actio_circuit *l, double local, struct actio_turn *out)
{
    size_t d = o->d, ny = o->ny;
    struct walk w = { .o = o, .l = l, .local = local, .parts = 1 };
    *out = (struct actio_turn){ .d = d, .ny = ny, .modes = actio_system_modes(o->m->sys) };
    double *block = actio_alloc(o->ctx, ny + 3 * ny * d + 5 * d * d + d + 1, sizeof *block);
    int bad = ACTIO_MARCH_NO_MEMORY;
    if (block) {
        w.y = block;
        w.X = w.y + ny;
        w.Q = w.X + ny * d;
        w.next = w.Q + ny * d;
        w.work = w.next + ny * d;
        for (size_t parts = 1; parts;) {
            actio_turn_close(out, o->ctx);
            w.parts = parts;
            out->factors = parts * l->nodes;
            out->Phi = actio_alloc(o->ctx, out->factors * (d * d + ny + out->modes + 1) + ny * d + 1, sizeof *out->Phi);
            if (!out->Phi) {
                bad = ACTIO_MARCH_NO_MEMORY;
                break;
            }
            out->Q0 = out->Phi + out->factors * d * d;
            out->t = out->Q0 + ny * d;
            out->y = out->t + out->factors;
            out->mode = out->y + out->factors * ny;
            bad = walk_all(&w, out);
            double worst = bad ? 1 : worst_factor(out, w.work);
            parts = bad || worst <= WELL_CONDITIONED ? 0 : more_parts(&w, worst);
        }
    }
    actio_free(o->ctx, block);
    return orbit_status(bad);
}

void actio_turn_close(struct actio_turn *t, struct actio_context *ctx)
{
    actio_free(ctx, t->Phi);
    t->Phi = NULL;
}

int actio_turn_multipliers(struct actio_turn *t, struct actio_context *ctx, struct actio_multiplier *w, double *vector,
                           size_t which)
{
    double *work = actio_alloc(ctx, actio_periodic_work(t->d, t->factors) + 1, sizeof *work);
    int *iwork = actio_alloc(ctx, t->d + 1, sizeof *iwork), bad = 1;
    if (work && iwork) bad = actio_periodic_eigen(t->d, t->factors, t->Phi, w, work, iwork);
    if (!bad && vector) bad = actio_periodic_vector(t->d, t->factors, which, vector, work, iwork);
    actio_free(ctx, work);
    actio_free(ctx, iwork);
    return bad;
}

/* SPDX-License-Identifier: Apache-2.0
 * Multipliers of an orbit. Those that are 1 by something that is known, or that the turn itself shows, are taken out as
 * exact ones; so they do not split by rounding, and the rest decides on the stability. */
#include "orbit/causes.h"

#include "algebra/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 8 };
#define CONFIRMED 1e-9 /* of its size: what a factor may miss a candidate by; */
#define BEYOND 1e4     /* so many times its own accuracy where that is rough */
#define TANGENT 1e-7   /* of its size: how far a direction may stand off the constraints */
#define APART 1e-6     /* directions nearer than this count as one */
#define OFTEN 10.0     /* errors of the factors: a singular value that small is 0 */
#define UNSURE 1e-4    /* with an error of the product from here on, nothing is said of further ones */
#define ON_CIRCLE 1e-6 /* of the modulus of a multiplier that is neither in nor out */

struct judging {
    struct actio_search *s;
    struct actio_found *f;
    const struct actio_turn *turn;
    struct actio_unmoved u;
    const char **text; /* of each vector */
    double *Q, *dy;
    double error; /* of a factor, relative */
};

/* ---- candidates where factors begin */

/* Along the directions Q of the manifold; 0 where it leaves them. */
static void put_right(const struct judging *x, const double *by, double *to)
{
    const struct actio_orbit *o = &x->s->o;
    double off = 0, size = 0;
    for (size_t j = 0; j < o->d; j++) {
        to[j] = 0;
        for (size_t i = 0; i < o->ny; i++) to[j] += x->Q[i * o->d + j] * by[i] / o->scale[i];
    }
    for (size_t i = 0; i < o->ny; i++) {
        double part = by[i] / o->scale[i];
        size = hypot(size, part);
        off = hypot(off, part - actio_dot(o->d, x->Q + i * o->d, to));
    }
    if (!(off <= TANGENT * size)) memset(to, 0, o->d * sizeof *to);
}

static void put_left(const struct judging *x, const double *by, double *to)
{
    const struct actio_orbit *o = &x->s->o;
    for (size_t j = 0; j < o->d; j++) {
        to[j] = 0;
        for (size_t i = 0; i < o->ny; i++) to[j] += by[i] * o->scale[i] * x->Q[i * o->d + j];
    }
}

/* All candidates at the beginning of factor i. A status. */
static int put_candidates(struct judging *x, struct actio_stand *at, size_t i)
{
    struct actio_orbit *o = &x->s->o;
    const struct actio_causes *c = x->s->causes;
    actio_stand_move(at, x->turn, i);
    if (actio_orbit_directions(o, at->t, at->y, x->Q, NULL)) return 1;
    if (x->turn->modes) memcpy(o->m->here.mode, at->mode, x->turn->modes * sizeof *at->mode);
    if (actio_tangent_rates(&o->x, at->t, at->y, x->dy)) return 1;
    const double *value = actio_reading_at(&c->reading);
    for (size_t k = 0; k < c->count; k++) {
        const double *by = c->at[k].is_motion ? x->dy : value + k * o->ny;
        double *to = x->u.at + (i * c->count + k) * o->d;
        if (c->at[k].left) put_left(x, by, to);
        else put_right(x, by, to);
    }
    return 0;
}

/* Only those stay that the turn confirms. */
static void confirm(struct judging *x)
{
    double bound = fmax(CONFIRMED, BEYOND * x->error), seen = 0;
    size_t d = x->turn->d, count = x->u.count, kept = 0;
    size_t *stays = actio_alloc(x->s->problem->ctx, count + 1, sizeof *stays);
    for (size_t k = 0; stays && k < count; k++) {
        double misses = actio_turn_misses(x->turn, &x->u, k);
        if (!(misses <= bound)) continue;
        seen = fmax(seen, misses);
        stays[kept++] = k;
    }
    for (size_t i = 0; i < x->turn->factors; i++) /* forward: no vector moves up */
        for (size_t k = 0; k < kept; k++)
            memmove(x->u.at + (i * kept + k) * d, x->u.at + (i * count + stays[k]) * d, d * sizeof(double));
    for (size_t k = 0; k < kept; k++) {
        x->u.left[k] = x->u.left[stays[k]];
        x->text[k] = x->text[stays[k]];
    }
    x->u.count = kept;
    x->error = fmax(x->error, seen);
    actio_free(x->s->problem->ctx, stays);
}

static int gather(struct judging *x)
{
    struct actio_search *s = x->s;
    struct actio_context *ctx = s->problem->ctx;
    struct actio_stand at;
    if (actio_causes_ready(s, x->turn)) return 1;
    size_t count = s->causes->count, ny = s->o.ny, d = s->o.d;
    int bad = actio_stand_open(&at, s, x->turn) || actio_unmoved_open(&x->u, ctx, x->turn, count);
    x->text = actio_alloc(ctx, count + 1, sizeof *x->text);
    x->Q = actio_alloc(ctx, ny * d + ny + 1, sizeof *x->Q);
    bad = bad || !x->text || !x->Q;
    if (!bad && count) {
        x->dy = x->Q + ny * d;
        for (size_t k = 0; k < count; k++) {
            x->u.left[k] = s->causes->at[k].left;
            x->text[k] = s->causes->at[k].text;
        }
        actio_reading_bind(&s->causes->reading, &at);
        int lost = 0;
        for (size_t i = 0; i < x->turn->factors && !lost; i++) lost = put_candidates(x, &at, i);
        if (lost) x->u.count = 0;
        else confirm(x);
    }
    actio_stand_close(&at);
    actio_free(ctx, x->Q);
    return bad;
}

/* ---- the list */

static void add_one(struct actio_found *f, const char *why)
{
    f->multiplier[f->multipliers] = (struct actio_multiplier){ .re = 1 };
    f->trivial[f->multipliers++] = why;
}

/* What is outside of the unit circle goes first, then what is 1, then the rest. */
static void merge(struct actio_found *f, const struct actio_multiplier *rest, size_t count)
{
    size_t ones = f->multipliers, first = 0;
    while (first < count && rest[first].log_modulus > ON_CIRCLE) first++;
    memmove(f->multiplier + first, f->multiplier, ones * sizeof *f->multiplier);
    memmove(f->trivial + first, f->trivial, ones * sizeof *f->trivial);
    for (size_t i = 0; i < count; i++) {
        size_t at = i < first ? i : i + ones;
        f->multiplier[at] = rest[i];
        f->trivial[at] = NULL;
    }
    f->multipliers = ones + count;
}

/* Takes vectors out of the turn in hand, which `next` replaces. How many multipliers 1 that makes. */
static size_t take_out(struct judging *x, struct actio_turn *t, const struct actio_unmoved *u, double apart,
                       const char **text)
{
    struct actio_context *ctx = x->s->problem->ctx;
    struct actio_turn next;
    size_t count = 0, *by = actio_alloc(ctx, t->d + 1, sizeof *by);
    if (!by) return 0;
    if (actio_turn_deflate(t, ctx, u, apart, &next, by, &count) || count == 0) {
        actio_turn_close(&next, ctx);
        count = 0;
    } else {
        for (size_t k = 0; k < count; k++) add_one(x->f, text ? text[by[k]] : ACTIO_ORBIT_UNEXPLAINED);
        if (t->Phi != x->turn->Phi) actio_turn_close(t, ctx);
        *t = next;
    }
    actio_free(ctx, by);
    return count;
}

/* The error of the product; more than UNSURE: nobody knows. */
static double error_of(struct judging *x, const struct actio_turn *t)
{
    if (t->d == 0) return 0;
    double *work = actio_alloc(x->s->problem->ctx, (t->factors + 4) * t->d * t->d + 1, sizeof *work);
    double growth = work ? actio_turn_growth(t, work) : INFINITY;
    actio_free(x->s->problem->ctx, work);
    return OFTEN * x->error * growth;
}

/* What nothing explains, round by round: a block of 1 shows one direction each time. */
static void take_unexplained(struct judging *x, struct actio_turn *t)
{
    struct actio_context *ctx = x->s->problem->ctx;
    for (int round = 0; round < MOST_ROUNDS && t->d; round++) {
        struct actio_unmoved u;
        double error = error_of(x, t);
        if (!(error <= UNSURE)) return;
        x->f->split = sqrt(error);
        size_t count = 0;
        if (actio_turn_find_unmoved(t, ctx, error, &u) == 0 && u.count)
            count = take_out(x, t, &u, fmax(APART, sqrt(error)), NULL);
        actio_unmoved_close(&u, ctx);
        x->f->unexplained += count;
        if (count == 0) return;
    }
}

static int put_rest(struct judging *x, struct actio_turn *t)
{
    struct actio_multiplier *rest = actio_alloc(x->s->problem->ctx, t->d + 1, sizeof *rest);
    int bad = !rest;
    if (rest && t->d) bad = actio_turn_multipliers(t, x->s->problem->ctx, rest, NULL, 0);
    if (!bad) merge(x->f, rest, t->d);
    actio_free(x->s->problem->ctx, rest);
    return bad;
}

int actio_orbit_multipliers(struct actio_search *s, struct actio_found *f, struct actio_turn *turn)
{
    struct actio_context *ctx = s->problem->ctx;
    struct judging x = { .s = s, .f = f, .turn = turn, .error = 2 * fmax(1e-14, 0.1 * s->tol) };
    struct actio_turn t = *turn;
    f->multipliers = f->unexplained = 0;
    f->split = 0;
    int bad = gather(&x);
    if (!bad) {
        take_out(&x, &t, &x.u, APART, x.text);
        take_unexplained(&x, &t);
        if (put_rest(&x, &t)) f->multipliers = f->unexplained = 0;
    }
    if (t.Phi != turn->Phi) actio_turn_close(&t, ctx);
    actio_unmoved_close(&x.u, ctx);
    actio_free(ctx, (void *)x.text);
    return bad;
}

bool actio_found_explains(const struct actio_found *f, size_t k)
{
    return f->trivial[k] && strcmp(f->trivial[k], ACTIO_ORBIT_UNEXPLAINED) != 0;
}

/* ---- stability */

/* A double one on the circle, come apart by its error? Its mean is then on the circle. */
static bool comes_apart(const struct actio_found *f, size_t i)
{
    double off = fabs(f->multiplier[i].log_modulus);
    if (off > f->split) return false;
    for (size_t j = 0; j < f->multipliers; j++) {
        const struct actio_multiplier *a = &f->multiplier[i], *b = &f->multiplier[j];
        if (j != i && !f->trivial[j] && hypot(a->re - b->re, a->im - b->im) < 4 * off
            && fabs(a->log_modulus + b->log_modulus) < 0.1 * off)
            return true;
    }
    return false;
}

const char *actio_found_stability(const struct actio_found *f)
{
    /* families without anything that decides are neutral */
    bool neutral = f->unexplained > 0, inside = false;
    for (size_t i = 0; i < f->multipliers; i++) {
        if (f->trivial[i]) continue;
        double log_modulus = f->multiplier[i].log_modulus;
        bool on = fabs(log_modulus) <= ON_CIRCLE || comes_apart(f, i);
        if (!on && log_modulus > 0) return "unstable";
        inside = true;
        neutral = neutral || on;
    }
    return neutral || !inside ? "neutral" : "stable";
}

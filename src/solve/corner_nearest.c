/* SPDX-License-Identifier: Apache-2.0
 * Rows that are not linear in the velocities: several velocities may lie behind a switch at which they jump. Those of
 * least change in the metric of the masses are taken, if they are the only ones. */
#include "solve/corner_inside.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

#define STRAIGHT 1e-9 /* of their size: directions that differ less are those of linear rows */
#define APART 1e-7    /* of the fastest: velocities that differ less are the same */
#define AS_NEAR 1e-6  /* of the least change: others as near do not lose against it */

/* Directions of impulses at velocities v. */
static bool read_directions(struct actio_motion *m, double t, const double *v, double *to)
{
    const struct actio_system *sys = m->sys;
    struct actio_corner *c = m->corner;
    size_t n = c->n, r = 0;
    memcpy(c->y + n, v, n * sizeof *v);
    const double *values = actio_motion_values(m, t, c->y);
    memset(to, 0, c->rows * n * sizeof *to);
    if (!values) return false;
    const double *D = values + sys->G.count + sys->A.count;
    for (size_t i = 0; i < sys->D.count; i++) {
        while (r < c->rows && sys->velocity_row[r] < sys->D.row[i]) r++;
        if (r < c->rows && sys->velocity_row[r] == sys->D.row[i] && sys->D.col[i] < n)
            to[r * n + sys->D.col[i]] += D[i];
    }
    return true;
}

static bool directions_differ(struct actio_motion *m, double t, const double *v, const double *w)
{
    struct actio_corner *c = m->corner;
    size_t count = c->rows * c->n;
    double *a = c->both, *b = a + count, size = 0, far = 0;
    if (count == 0) return false;
    if (!read_directions(m, t, v, a) || !read_directions(m, t, w, b)) return true;
    for (size_t i = 0; i < count; i++) {
        size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
        far = fmax(far, fabs(a[i] - b[i]));
    }
    return far > STRAIGHT * size;
}

bool actio_corner_turns_rows(struct actio_motion *m, double t)
{
    const struct actio_corner *c = m->corner;
    return directions_differ(m, t, c->before, c->v);
}

/* Guess number i: as before, turned round, along an axis to either side, then spread evenly. */
static void guess(const struct actio_corner *c, size_t i, double speed, double *v)
{
    size_t n = c->n;
    for (size_t k = 0; k < n; k++) {
        if (i < 2) v[k] = i ? -c->before[k] : c->before[k];
        else if (i < 2 + 2 * n) v[k] = k == (i - 2) / 2 ? (i % 2 ? -speed : speed) : 0;
        else v[k] = speed * (2 * fmod((double)(i + 1) * sqrt((double)(4 * k + 2)), 1) - 1);
    }
}

/* (v - v-)(p - p-): the change in the metric of the masses. */
static double change_of(const struct actio_corner *c, const struct actio_side *from, const struct actio_side *at)
{
    double sum = 0;
    for (size_t k = 0; k < c->n; k++) sum += (c->v[k] - c->before[k]) * (at->p[k] - from->p[k]);
    return sum;
}

static bool same_velocities(size_t n, const double *v, const double *w)
{
    double far = 0, fastest = 0;
    for (size_t k = 0; k < n; k++) {
        far = fmax(far, fabs(v[k] - w[k]));
        fastest = fmax(fastest, fmax(fabs(v[k]), fabs(w[k])));
    }
    return far <= APART * fastest;
}

static bool is_new(const struct actio_corner *c, size_t found)
{
    for (size_t i = 0; i < found; i++)
        if (same_velocities(c->n, c->trial + i * c->n, c->v)) return false;
    return true;
}

size_t actio_corner_nearest(struct actio_motion *m, const struct actio_side *from, struct actio_side *at, double t)
{
    struct actio_corner *c = m->corner;
    size_t n = c->n, found = 0, near = 0;
    double change[ACTIO_CORNER_STARTS], least = INFINITY, *other = c->trial + ACTIO_CORNER_STARTS * n;
    double speed = fmax(c->speed, 1);
    guess(c, 2 + 2 * n, speed, other);
    if (!directions_differ(m, t, c->before, other)) return actio_corner_follow(m, from, at, t) ? 0 : 1;
    for (size_t i = 0; i < ACTIO_CORNER_STARTS; i++) {
        guess(c, i, speed, c->v);
        if (actio_corner_follow(m, from, at, t) || !is_new(c, found)) continue;
        memcpy(c->trial + found * n, c->v, n * sizeof *c->v);
        change[found] = change_of(c, from, at);
        least = fmin(least, change[found++]);
    }
    for (size_t i = found; i-- > 0;) {
        if (!(change[i] <= least + AS_NEAR * fabs(least))) continue;
        near++;
        memcpy(c->v, c->trial + i * n, n * sizeof *c->v);
    }
    return near == 1 && actio_corner_follow(m, from, at, t) ? 0 : near;
}

/* SPDX-License-Identifier: Apache-2.0
 * A long motion is cut at the maxima of one variable, or once in a period of its drive. Where the model has a mirror
 * symmetry and another variable is never 0 at the cuts, its signs are letters. */
#include "orbit/cuts.h"

#include <math.h>
#include <string.h>

enum { CUTS = 4000, FIRST_CUTS = 300, FEW = 10, CHUNK = 4096, STROBES = 800 };
#define ROUGH 1e-9
#define APART 0.05 /* of the typical size: a letter's variable never comes nearer to 0 */

/* ---- mirror symmetry */

static bool mirrors(struct actio_search *s, const bool *flip, const double *y, double *work)
{
    size_t ny = s->o.ny;
    double *z = work, *f = z + ny, *g = f + ny, size = 0;
    for (size_t i = 0; i < ny; i++) z[i] = flip[i] ? -y[i] : y[i];
    double later = s->timed ? 0.5 * actio_orbit_given_period(s) : 0; /* of a drive, half a period later */
    if (actio_tangent_rates(&s->o.x, s->o.t0 + 0.13 * later, y, f)
        || actio_tangent_rates(&s->o.x, s->o.t0 + 1.13 * later, z, g))
        return false;
    for (size_t i = 0; i < ny; i++) size = fmax(size, fabs(f[i]));
    for (size_t i = 0; i < ny; i++)
        if (fabs(g[i] - (flip[i] ? -f[i] : f[i])) > 1e-10 * size) return false;
    return true;
}

/* The first change of signs that leaves the equations as they are, at several states. */
int actio_cuts_find_mirror(struct actio_search *s, const struct actio_cuts *c)
{
    const struct actio_system *sys = s->problem->sys;
    size_t ny = s->o.ny, n = sys->n, variables = n + sys->m;
    double *work = actio_alloc(s->problem->ctx, 3 * ny + 1, sizeof *work);
    s->mirror = actio_alloc(s->problem->ctx, ny + 1, sizeof *s->mirror);
    if (!work || !s->mirror) {
        actio_free(s->problem->ctx, work);
        return 1;
    }
    for (unsigned set = 1; variables <= 12 && set < 1u << variables && !s->has_mirror; set++) {
        for (size_t i = 0; i < variables; i++) {
            bool flip = set >> i & 1;
            if (i < n) s->mirror[i] = s->mirror[n + i] = flip;
            else s->mirror[n + i] = flip;
        }
        s->has_mirror = true;
        for (size_t k = 0; k < 5 && s->has_mirror; k++)
            s->has_mirror = mirrors(s, s->mirror, c->half + k * c->count / 5 * ny, work);
    }
    actio_free(s->problem->ctx, work);
    return 0;
}

/* ---- the motion, cut */

void actio_cuts_close(struct actio_search *s, struct actio_cuts *c)
{
    actio_free(s->problem->ctx, c->y);
    actio_free(s->problem->ctx, c->letter);
}

int actio_cuts_open(struct actio_search *s, struct actio_cuts *c)
{
    size_t ny = s->o.ny;
    *c = (struct actio_cuts){ .ny = ny, .odd = ny };
    c->y = actio_alloc(s->problem->ctx, (CUTS + 1) * (2 * ny + 2) + 1, sizeof *c->y);
    c->letter = actio_alloc(s->problem->ctx, CUTS + 1, 1);
    if (!c->y || !c->letter) return 1;
    c->half = c->y + (CUTS + 1) * ny;
    c->t = c->half + (CUTS + 1) * ny;
    c->lasts = c->t + CUTS + 1;
    return 0;
}

/* Samples of one chunk: maxima of `top` become cuts. `row`: component i of sample k at row[i*CHUNK + k]; the cut's
 * state by a parabola's place between samples. */
static void cut_chunk(struct actio_cuts *c, const double *times, const double *row, size_t count)
{
    const double *x = row + c->top * CHUNK;
    for (size_t k = 1; k + 1 < count && c->count < CUTS; k++) {
        if (!(x[k] >= x[k - 1] && x[k] > x[k + 1])) continue;
        double bend = x[k - 1] - 2 * x[k] + x[k + 1], shift = bend < 0 ? 0.5 * (x[k - 1] - x[k + 1]) / bend : 0;
        for (size_t i = 0; i < c->ny; i++) {
            const double *r = row + i * CHUNK + k;
            c->y[c->count * c->ny + i] =
                r[0] + 0.5 * shift * (r[1] - r[-1]) + 0.5 * shift * shift * (r[-1] - 2 * r[0] + r[1]);
        }
        c->t[c->count++] = times[k] + shift * (times[1] - times[0]);
    }
    for (size_t j = 0; j < c->count; j++) { /* half way to the next cut: the sample there, once it is known */
        double t = j + 1 < c->count ? 0.5 * (c->t[j] + c->t[j + 1]) : INFINITY;
        if (!(t >= times[0] && t <= times[count - 1])) continue;
        size_t k = (size_t)((t - times[0]) / (times[1] - times[0]) + 0.5);
        for (size_t i = 0; i < c->ny; i++) c->half[j * c->ny + i] = row[i * CHUNK + (k < count ? k : count - 1)];
    }
}

/* The last loops of a chunk are read anew, because a half way may be missing: their cuts go. The sample to begin the
 * next chunk at. */
static size_t drop_last_loops(struct actio_cuts *c, const double *times, size_t before, size_t wanted)
{
    size_t again = CHUNK - 3 * ACTIO_CUTS_PER_LOOP, kept = c->count;
    while (kept > before && c->t[kept - 1] > times[again] - 2 * c->dt) kept--;
    if (kept > before && c->count < wanted) c->count = kept;
    return again;
}

static void measure_durations(struct actio_cuts *c)
{
    c->least = INFINITY;
    for (size_t j = 0; j + 1 < c->count; j++) {
        c->lasts[j] = c->t[j + 1] - c->t[j];
        c->least = fmin(c->least, c->lasts[j]);
    }
    if (c->count) c->count--; /* the last one has no way to the next */
}

/* Follows the motion until there are cuts enough; each chunk begins a little before the end of the last. */
static int make_cuts(struct actio_search *s, struct actio_cuts *c, const double *y0, size_t wanted)
{
    struct actio_context *ctx = s->problem->ctx;
    size_t ny = s->o.ny;
    double *block = actio_alloc(ctx, CHUNK * (ny + 1) + ny + 1, sizeof *block), *times = block,
           *row = block ? block + CHUNK : NULL, *y = block ? row + CHUNK * ny : NULL, t = 0;
    int status = block ? 0 : ACTIO_MARCH_NO_MEMORY;
    if (block) memcpy(y, y0, ny * sizeof *y);
    for (size_t chunk = 0; !status && c->count < wanted && chunk < 400 && !(chunk > 2 && actio_orbit_tired(s));
         chunk++) {
        size_t before = c->count;
        for (size_t k = 0; k < CHUNK; k++) times[k] = t + c->dt * (double)k;
        actio_tangent_sample(&s->o.x, t, y, times, CHUNK, row, ROUGH, &status);
        if (status) break;
        cut_chunk(c, times, row, CHUNK);
        if (c->count == before) break; /* it rests, or runs away */
        size_t again = drop_last_loops(c, times, before, wanted);
        t = times[again];
        for (size_t i = 0; i < ny; i++) y[i] = row[i * CHUNK + again];
        if (actio_stopped(ctx)) status = ACTIO_FLOW_STOPPED;
        if (ctx->progress) ctx->progress(ctx->progress_user, "orbits", (double)c->count, (double)wanted);
    }
    actio_free(ctx, block);
    measure_durations(c);
    return status == ACTIO_FLOW_STOPPED || status == ACTIO_MARCH_NO_MEMORY ? status : 0;
}

/* Sizes, a start on the attractor, and a step that resolves loops. */
static int look_around(struct actio_search *s, struct actio_cuts *c, double *y)
{
    const struct actio_model *m = s->problem->model;
    size_t ny = s->o.ny;
    double span = m->time.given ? fabs(m->time.t1 - m->time.t0) : 50,
           *block = actio_alloc(s->problem->ctx, CHUNK * (ny + 1) + 1, sizeof *block),
           *row = block ? block + CHUNK : NULL;
    int status = ACTIO_MARCH_NO_MEMORY;
    size_t turns = 0, got = 0;
    if (block) {
        for (size_t k = 0; k < CHUNK; k++) block[k] = s->o.t0 + span * (double)k / (CHUNK - 1);
        got = actio_tangent_sample(&s->o.x, s->o.t0, s->problem->y0, block, CHUNK, row, ROUGH, &status);
    }
    double *range = actio_alloc(s->problem->ctx, 2 * ny + 1, sizeof *range), *value = range ? range + ny : NULL;
    for (size_t i = 0; i < ny && got > 16 && range; i++) {
        const double *x = row + i * CHUNK;
        double low = INFINITY, high = -INFINITY;
        size_t own = 0;
        for (size_t k = got / 3; k < got; k++) {
            low = fmin(low, x[k]);
            high = fmax(high, x[k]);
            value[i] = fmax(value[i], fabs(x[k]));
        }
        for (size_t k = got / 3 + 1; k + 1 < got; k++) own += x[k] >= x[k - 1] && x[k] > x[k + 1];
        range[i] = high - low;
        turns = own > turns ? own : turns;
        y[i] = x[got - 1];
    }
    c->dt = turns ? span * 2 / 3 / (double)turns / ACTIO_CUTS_PER_LOOP : 0;
    if (range && turns) actio_orbit_sizes(&s->o, range, value, span * 2 / 3 / (double)turns);
    actio_free(s->problem->ctx, range);
    actio_free(s->problem->ctx, block);
    return got > 16 && turns ? 0 : status ? status : -1;
}

/* A variable whose sign changes in the mirror and that is never near 0 at a cut. */
static void find_letters(struct actio_search *s, struct actio_cuts *c)
{
    double best = APART;
    c->odd = c->ny;
    for (size_t i = 0; i < c->ny && s->has_mirror && !s->mirror[c->top]; i++) {
        double least = INFINITY, sum = 0;
        bool plus = false, minus = false;
        for (size_t j = 0; j < c->count; j++) {
            double x = c->y[j * c->ny + i];
            least = fmin(least, fabs(x));
            sum += fabs(x);
            plus = plus || x > 0;
            minus = minus || x < 0;
        }
        double apart = least * (double)c->count / sum;
        if (s->mirror[i] && plus && minus && apart > best) {
            best = apart;
            c->odd = i;
        }
    }
    for (size_t j = 0; j < c->count && c->odd < c->ny; j++) c->letter[j] = c->y[j * c->ny + c->odd] > 0 ? 'A' : 'B';
}

static void note_blocks(struct actio_cuts *c)
{
    unsigned block = 0;
    memset(c->seen, 0, sizeof c->seen);
    for (size_t j = 0; j < c->count; j++) {
        block = (block << 1 | (c->letter[j] == 'B')) & ((1u << ACTIO_CUTS_BLOCK) - 1);
        if (j + 1 >= ACTIO_CUTS_BLOCK)
            c->seen[block] = c->seen[~block & ((1u << ACTIO_CUTS_BLOCK) - 1)] = true; /* and in the mirror */
    }
}

/* Cuts at the maxima of variable i, and their letters; with fewer than FEW they are of no use. A status. */
static int cut_by(struct actio_search *s, struct actio_cuts *c, const double *y, size_t i, size_t wanted)
{
    c->top = i;
    c->count = 0;
    int bad = make_cuts(s, c, y, wanted);
    if (c->count < FEW) return bad;
    if (!s->mirror && actio_cuts_find_mirror(s, c)) bad = ACTIO_MARCH_NO_MEMORY;
    find_letters(s, c);
    return bad;
}

/* The variable whose maxima cut: with letters if there is one. */
int actio_cuts_by_maxima(struct actio_search *s, struct actio_cuts *c)
{
    size_t ny = s->o.ny, best = ny, n = s->problem->sys->n;
    double *y = actio_alloc(s->problem->ctx, ny + 1, sizeof *y);
    int bad = y ? look_around(s, c, y) : ACTIO_MARCH_NO_MEMORY;
    for (size_t i = 0; i < ny && !bad && c->odd == ny; i++) {
        if (i >= n && i < 2 * n) continue; /* positions and states */
        bad = cut_by(s, c, y, i, FIRST_CUTS);
        if (best == ny && c->count >= FEW) best = i;
    }
    if (!bad && c->odd == ny && best < ny) bad = cut_by(s, c, y, best, CUTS);
    if (!bad && c->odd < ny) {
        c->count = 0;
        bad = make_cuts(s, c, y, CUTS);
        find_letters(s, c);
        note_blocks(c);
    }
    actio_free(s->problem->ctx, y);
    return bad ? bad : c->count < FEW ? -1 : 0;
}

/* Driven: cuts are one period of the drive apart, returns take a number of them. */
int actio_cuts_by_drive(struct actio_search *s, struct actio_cuts *c)
{
    size_t ny = s->o.ny, count = 2 * STROBES + 1;
    double period = actio_orbit_given_period(s),
           *times = actio_alloc(s->problem->ctx, count * (ny + 1) + 1, sizeof *times),
           *row = times ? times + count : NULL;
    int status = ACTIO_MARCH_NO_MEMORY;
    double *range = actio_alloc(s->problem->ctx, 2 * ny + 1, sizeof *range), *value = range ? range + ny : NULL;
    size_t got = 0;
    if (times && range) {
        for (size_t k = 0; k < count; k++) times[k] = s->o.t0 + 0.5 * period * (double)k;
        got = actio_tangent_sample(&s->o.x, s->o.t0, s->problem->y0, times, count, row, ROUGH, &status);
        for (size_t i = 0; i < ny; i++) {
            double low = INFINITY, high = -INFINITY;
            for (size_t k = 0; k < got; k++) {
                low = fmin(low, row[i * count + k]);
                high = fmax(high, row[i * count + k]);
            }
            range[i] = high - low;
            value[i] = fmax(fabs(low), fabs(high));
        }
        actio_orbit_sizes(&s->o, range, value, period);
    }
    c->least = period;
    for (size_t k = 0; got && k + 2 < got; k += 2, c->count++) {
        for (size_t i = 0; i < ny; i++) {
            c->y[c->count * ny + i] = row[i * count + k];
            c->half[c->count * ny + i] = row[i * count + k + 1];
        }
        c->t[c->count] = times[k];
        c->lasts[c->count] = period;
    }
    actio_free(s->problem->ctx, times);
    actio_free(s->problem->ctx, range);
    return c->count >= FEW ? 0 : status ? status : -1;
}

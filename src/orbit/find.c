/* SPDX-License-Identifier: Apache-2.0
 * Many orbits: a long motion is cut at the maxima of one variable. Where the model has a mirror symmetry and another
 * variable is never 0 there, its signs are letters, words of letters are tried one after the other, each letter of each
 * word begun where the motion's own letters around it agree best; else near returns after 1, 2, 3 .. cuts are tried. */
#include "orbit/orbits.h"

#include "algebra/dense.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CUTS = 4000,
    FIRST_CUTS = 300,
    FEW = 10,
    CHUNK = 4096,
    PER_LOOP = 48,
    LONGEST_WORD = 18,
    BLOCK = 9,
    MATCH = 24,
    TRIES = 6,
    BACK = 6,
    MOST_LETTERS = 63,
    STROBES = 800
};
#define ROUGH 1e-9
#define EFFORT 2e7 /* right-hand sides */
#define EFFORT_EACH 1e7
#define APART 0.05 /* of the typical size: a letter's variable never comes nearer to 0 */

struct cuts {
    /* top: the variable whose maxima cut; odd: the one whose sign is a letter, ny: none */
    size_t count, ny, top, odd;
    double *y, *half, *t, *lasts; /* states at cuts and half way to the next; times; durations */
    char *letter;
    bool seen[1 << 9]; /* blocks of letters that the motion shows */
    double least;      /* shortest duration */
    double dt;
};

struct word {
    char text[LONGEST_WORD + 1];
    size_t length;
};

/* So much work for so many orbits, and no more. */
static bool tired(const struct actio_search *s)
{
    return s->family || actio_orbit_effort(s) > s->effort_before + EFFORT + EFFORT_EACH * (double)s->wanted
           || actio_stopped(s->problem->ctx);
}

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
static int find_mirror(struct actio_search *s, const struct cuts *c)
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

static void close_cuts(struct actio_search *s, struct cuts *c)
{
    actio_free(s->problem->ctx, c->y);
    actio_free(s->problem->ctx, c->letter);
}

static int open_cuts(struct actio_search *s, struct cuts *c)
{
    size_t ny = s->o.ny;
    *c = (struct cuts){ .ny = ny, .odd = ny };
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
static void cut_chunk(struct cuts *c, const double *times, const double *row, size_t count)
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
static size_t drop_last_loops(struct cuts *c, const double *times, size_t before, size_t wanted)
{
    size_t again = CHUNK - 3 * PER_LOOP, kept = c->count;
    while (kept > before && c->t[kept - 1] > times[again] - 2 * c->dt) kept--;
    if (kept > before && c->count < wanted) c->count = kept;
    return again;
}

static void measure_durations(struct cuts *c)
{
    c->least = INFINITY;
    for (size_t j = 0; j + 1 < c->count; j++) {
        c->lasts[j] = c->t[j + 1] - c->t[j];
        c->least = fmin(c->least, c->lasts[j]);
    }
    if (c->count) c->count--; /* the last one has no way to the next */
}

/* Follows the motion until there are cuts enough; each chunk begins a little before the end of the last. */
static int make_cuts(struct actio_search *s, struct cuts *c, const double *y0, size_t wanted)
{
    struct actio_context *ctx = s->problem->ctx;
    size_t ny = s->o.ny;
    double *block = actio_alloc(ctx, CHUNK * (ny + 1) + ny + 1, sizeof *block), *times = block,
           *row = block ? block + CHUNK : NULL, *y = block ? row + CHUNK * ny : NULL, t = 0;
    int status = block ? 0 : ACTIO_MARCH_NO_MEMORY;
    if (block) memcpy(y, y0, ny * sizeof *y);
    for (size_t chunk = 0; !status && c->count < wanted && chunk < 400 && !(chunk > 2 && tired(s)); chunk++) {
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
static int look_around(struct actio_search *s, struct cuts *c, double *y)
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
    c->dt = turns ? span * 2 / 3 / (double)turns / PER_LOOP : 0;
    if (range && turns) actio_orbit_sizes(&s->o, range, value, span * 2 / 3 / (double)turns);
    actio_free(s->problem->ctx, range);
    actio_free(s->problem->ctx, block);
    return got > 16 && turns ? 0 : status ? status : -1;
}

/* A variable whose sign changes in the mirror and that is never near 0 at a cut. */
static void find_letters(struct actio_search *s, struct cuts *c)
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

static void note_blocks(struct cuts *c)
{
    unsigned block = 0;
    memset(c->seen, 0, sizeof c->seen);
    for (size_t j = 0; j < c->count; j++) {
        block = (block << 1 | (c->letter[j] == 'B')) & ((1u << BLOCK) - 1);
        if (j + 1 >= BLOCK) c->seen[block] = c->seen[~block & ((1u << BLOCK) - 1)] = true; /* and in the mirror */
    }
}

/* Does the motion show all blocks of the word repeated? */
static bool is_shown(const struct cuts *c, const struct word *w)
{
    unsigned block = 0;
    for (size_t i = 0; i < w->length + BLOCK; i++) {
        block = (block << 1 | (w->text[i % w->length] == 'B')) & ((1u << BLOCK) - 1);
        if (i + 1 >= BLOCK && !c->seen[block]) return false;
    }
    return true;
}

/* Cuts at the maxima of variable i, and their letters; with fewer than FEW they are of no use. A status. */
static int cut_by(struct actio_search *s, struct cuts *c, const double *y, size_t i, size_t wanted)
{
    c->top = i;
    c->count = 0;
    int bad = make_cuts(s, c, y, wanted);
    if (c->count < FEW) return bad;
    if (!s->mirror && find_mirror(s, c)) bad = ACTIO_MARCH_NO_MEMORY;
    find_letters(s, c);
    return bad;
}

/* The variable whose maxima cut: with letters if there is one. */
static int choose_cuts(struct actio_search *s, struct cuts *c)
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

/* ---- words */

static char other(char letter) { return letter == 'A' ? 'B' : 'A'; }

/* The first in the alphabet among its rotations and theirs in the mirror; *rotation and *mirrored lead from `w` to it.
 * */
static void canonical(const char *w, size_t n, char *best, size_t *rotation, bool *mirrored)
{
    char turned[MOST_LETTERS + 1];
    *rotation = 0;
    *mirrored = false;
    memcpy(best, w, n);
    best[n] = 0;
    turned[n] = 0;
    for (int m = 0; m < 2; m++)
        for (size_t r = 0; r < n; r++) {
            for (size_t i = 0; i < n; i++) turned[i] = m ? other(w[(r + i) % n]) : w[(r + i) % n];
            if (strcmp(turned, best) < 0) {
                memcpy(best, turned, n);
                *rotation = r;
                *mirrored = m;
            }
        }
}

static bool repeats(const char *w, size_t n)
{
    for (size_t p = 1; p < n; p++) {
        if (n % p) continue;
        size_t i = p;
        while (i < n && w[i] == w[i - p]) i++;
        if (i == n) return true;
    }
    return false;
}

/* How many letters from place j on agree with the word repeated, from its letter `at` on. A few of the past will do: it
 * is forgotten sooner than the future is fixed. */
static int agreement(const struct cuts *c, size_t j, const struct word *w, size_t at)
{
    int ahead = 0, back = 0;
    while (ahead < MATCH && j + (size_t)ahead < c->count
           && c->letter[j + (size_t)ahead] == w->text[(at + (size_t)ahead) % w->length])
        ahead++;
    while (back < MATCH && (size_t)back < j
           && c->letter[j - 1 - (size_t)back] == w->text[(at + w->length * MATCH - 1 - (size_t)back) % w->length])
        back++;
    return ahead < BACK * back ? ahead : BACK * back;
}

/* The k-th best place for the word's letter `at`. */
static size_t best_place(const struct cuts *c, const struct word *w, size_t at, size_t skip)
{
    int best = -1, bound = MATCH + 1;
    size_t place = 0;
    for (size_t k = 0; k <= skip; k++) {
        best = -1;
        for (size_t j = 0; j < c->count; j++) {
            int a = agreement(c, j, w, at);
            if (a > best && a < bound + (k == 0)) {
                best = a;
                place = j;
            }
        }
        bound = best;
    }
    return place;
}

static int guess_word(struct actio_search *s, const struct cuts *c, const struct word *w, size_t skip,
                      struct actio_circuit *g)
{
    size_t ny = s->o.ny;
    if (actio_circuit_open(g, s->problem->ctx, ny, 2 * w->length)) return 1;
    double t = 0;
    for (size_t i = 0; i < w->length; i++) {
        size_t j = best_place(c, w, i, skip);
        memcpy(g->y + 2 * i * ny, c->y + j * ny, ny * sizeof *g->y);
        memcpy(g->y + (2 * i + 1) * ny, c->half + j * ny, ny * sizeof *g->y);
        g->at[2 * i] = t;
        g->at[2 * i + 1] = t + 0.5 * c->lasts[j];
        t += c->lasts[j];
    }
    g->nodes = 2 * w->length;
    g->period = t;
    for (size_t i = 0; i < g->nodes; i++) g->at[i] /= t;
    return 0;
}

/* ---- what was found */

/* Letters of an orbit at its maxima of `top`, beginning at its first node. */
static size_t read_word(struct actio_search *s, const struct cuts *c, const struct actio_circuit *o, char *w)
{
    size_t count = (size_t)fmin(CHUNK, 16 + PER_LOOP * 2 * o->period / c->least), ny = s->o.ny, letters = 0;
    double *times = actio_alloc(s->problem->ctx, count * (ny + 1) + 1, sizeof *times),
           *row = times ? times + count : NULL;
    if (times && actio_orbit_sample(s, o, count, times, row) == 0) {
        const double *x = row + c->top * count, *odd = row + c->odd * count;
        for (size_t k = 0; k + 1 < count && letters < MOST_LETTERS; k++) {
            double before = k ? x[k - 1] : x[count - 2];
            if (x[k] >= before && x[k] > x[k + 1]) w[letters++] = odd[k] > 0 ? 'A' : 'B';
        }
    }
    w[letters] = 0;
    actio_free(s->problem->ctx, times);
    return letters;
}

/* In the orientation that its word is written in. */
static void write_word(struct actio_search *s, const struct cuts *c, struct actio_found *f)
{
    char raw[MOST_LETTERS + 1];
    size_t n = read_word(s, c, &f->c, raw), rotation;
    bool mirrored;
    if (n == 0) return;
    canonical(raw, n, f->word, &rotation, &mirrored);
    for (size_t k = 0; k < f->c.nodes && mirrored; k++)
        for (size_t i = 0; i < s->o.ny; i++)
            if (s->mirror[i]) f->c.y[k * s->o.ny + i] = -f->c.y[k * s->o.ny + i];
    for (size_t i = 0; i < s->o.ny && mirrored; i++)
        if (s->mirror[i]) f->mean[i] = -f->mean[i];
}

static bool known(const struct actio_search *s, const struct actio_found *f)
{
    for (size_t i = 0; i < s->out->count; i++)
        if (actio_orbit_same(s, s->out->orbit[i], f)) return true;
    return false;
}

/* Solves and keeps what is new. 0: goes on; 1: stop. */
static int attempt(struct actio_search *s, const struct cuts *c, struct actio_circuit *guess, bool *found)
{
    struct actio_orbit_report reported = { 0 };
    struct actio_found *f = actio_orbit_solve(s, guess, &reported);
    actio_circuit_close(guess, s->problem->ctx);
    *found = false;
    if (reported.status == ACTIO_ORBIT_STOPPED || reported.status == ACTIO_ORBIT_NO_MEMORY) {
        actio_orbit_say(s, &reported);
        return 1;
    }
    if (!f) return 0;
    *found = true;
    if (known(s, f)) {
        actio_found_free(s->problem->ctx, f);
        return 0;
    }
    /* its neighbours are orbits as well: to list them makes no sense */
    if (actio_orbit_is_family(s, f)) s->family = true;
    if (c->odd < c->ny) write_word(s, c, f);
    return actio_orbit_keep(s, f);
}

static int by_period(const void *a, const void *b)
{
    double x = (*(struct actio_found *const *)a)->c.period, y = (*(struct actio_found *const *)b)->c.period;
    return (x > y) - (x < y);
}

/* The period of the last one that is requested, or INFINITY while there are too few. */
static double limit_of(struct actio_search *s)
{
    struct actio_orbits *out = s->out;
    if (out->count) qsort(out->orbit, out->count, sizeof *out->orbit, by_period);
    return out->count < s->wanted ? INFINITY : out->orbit[s->wanted - 1]->c.period;
}

static bool has_word(const struct actio_search *s, const char *text)
{
    for (size_t i = 0; i < s->out->count; i++)
        if (strcmp(s->out->orbit[i]->word, text) == 0) return true;
    return false;
}

/* One word, from several places. */
static int try_word(struct actio_search *s, const struct cuts *c, const struct word *w)
{
    for (size_t skip = 0; skip < TRIES && !tired(s); skip++) {
        struct actio_circuit g = { 0 };
        bool found = false;
        if (guess_word(s, c, w, skip, &g)) return 1;
        if (g.period > limit_of(s) * 1.3) {
            actio_circuit_close(&g, s->problem->ctx);
            return 0;
        }
        actio_tangent_direct(&s->o.x, NULL);
        if (attempt(s, c, &g, &found)) return 1;
        if (has_word(s, w->text)) return 0;
    }
    return 0;
}

/* All words of one length, each once among its rotations and mirror images. */
static int try_words(struct actio_search *s, const struct cuts *c, size_t length)
{
    for (unsigned long code = 0; code < 1ul << (length - 1); code++) { /* the first letter is A */
        struct word w = { .length = length };
        char first[LONGEST_WORD + 1];
        size_t rotation;
        bool mirrored;
        for (size_t i = 0; i < length; i++) w.text[i] = code >> (length - 1 - i) & 1 ? 'B' : 'A';
        if (!is_shown(c, &w)) continue;
        if (tired(s)) return 0;
        canonical(w.text, length, first, &rotation, &mirrored);
        if (strcmp(first, w.text) != 0 || repeats(w.text, length)) continue;
        if (try_word(s, c, &w)) return 1;
        if (s->problem->ctx->progress)
            s->problem->ctx->progress(s->problem->ctx->progress_user, "orbits",
                                      fmin((double)s->out->count, (double)s->wanted), (double)s->wanted);
    }
    return 0;
}

static int find_by_words(struct actio_search *s, const struct cuts *c)
{
    for (size_t length = 1; length <= LONGEST_WORD; length++) {
        if (c->least * (double)length * 0.95 > limit_of(s)) break;
        if (try_words(s, c, length)) return 1;
    }
    return 0;
}

/* ---- near returns, without letters */

static double apart(const struct actio_search *s, const struct cuts *c, size_t a, size_t b)
{
    double sum = 0;
    for (size_t i = 0; i < c->ny; i++) {
        double d = (c->y[a * c->ny + i] - c->y[b * c->ny + i]) / s->o.scale[i];
        if (!s->o.loose[i]) sum += d * d;
    }
    return sqrt(sum);
}

/* The nearest return after `after` cuts that is not near one of those before. */
static size_t nearest_return(const struct actio_search *s, const struct cuts *c, size_t after, const size_t *used,
                             size_t uses)
{
    size_t best = SIZE_MAX;
    double least = after < 3 ? 0.8 : 0.2; /* of short returns even poor ones may lead somewhere */
    for (size_t j = 0; j + after < c->count; j++) {
        double d = apart(s, c, j, j + after);
        if (d >= least) continue;
        bool near = false;
        for (size_t k = 0; k < uses; k++)
            for (size_t i = 0; i < after; i++) near = near || apart(s, c, j, used[k] + i) < 0.05;
        if (!near) {
            least = d;
            best = j;
        }
    }
    return best;
}

static int guess_return(struct actio_search *s, const struct cuts *c, size_t from, size_t after,
                        struct actio_circuit *g)
{
    size_t ny = s->o.ny;
    if (actio_circuit_open(g, s->problem->ctx, ny, 2 * after)) return 1;
    g->nodes = 2 * after;
    g->period = s->timed ? actio_orbit_given_period(s) * (double)after : c->t[from + after] - c->t[from];
    for (size_t i = 0; i < after; i++) {
        memcpy(g->y + 2 * i * ny, c->y + (from + i) * ny, ny * sizeof *g->y);
        memcpy(g->y + (2 * i + 1) * ny, c->half + (from + i) * ny, ny * sizeof *g->y);
        g->at[2 * i] = (c->t[from + i] - c->t[from]) / g->period;
        g->at[2 * i + 1] = g->at[2 * i] + 0.5 * c->lasts[from + i] / g->period;
    }
    return 0;
}

static int find_by_returns(struct actio_search *s, const struct cuts *c)
{
    for (size_t after = 1; after <= LONGEST_WORD && c->least * (double)after <= limit_of(s); after++) {
        size_t used[64], uses = 0, dry = 0;
        while (uses < 64 && dry < 4 && !tired(s)) {
            struct actio_circuit g = { 0 };
            bool found = false;
            size_t from = nearest_return(s, c, after, used, uses), before = s->out->count;
            if (from == SIZE_MAX) break;
            used[uses++] = from;
            if (guess_return(s, c, from, after, &g) || attempt(s, c, &g, &found)) return 1;
            dry = s->out->count > before ? 0 : dry + 1;
        }
    }
    return 0;
}

/* Driven: cuts are one period of the drive apart, returns take a number of them. */
static int cut_by_drive(struct actio_search *s, struct cuts *c)
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

int actio_orbit_find(struct actio_search *s)
{
    struct cuts c;
    size_t wanted = s->wanted;
    s->effort_before = actio_orbit_effort(s);
    actio_orbit_measure_start(
        s, s->problem->model->time.given ? fabs(s->problem->model->time.t1 - s->problem->model->time.t0) : 50);
    int bad = open_cuts(s, &c) ? ACTIO_MARCH_NO_MEMORY : s->timed ? cut_by_drive(s, &c) : choose_cuts(s, &c);
    if (bad == -1) actio_report(s->problem->f, ACTIO_F_ORBIT_NO_LOOPS, ACTIO_NO_ARGS);
    else if (bad && !actio_problem_report_limits(s->problem, bad, "searching for orbits"))
        actio_report(s->problem->f, ACTIO_F_ORBIT_NO_MOTION, ACTIO_NO_ARGS);
    if (!bad && s->timed && find_mirror(s, &c)) bad = ACTIO_MARCH_NO_MEMORY;
    if (!bad) bad = c.odd < c.ny ? find_by_words(s, &c) : find_by_returns(s, &c);
    close_cuts(s, &c);
    limit_of(s);
    while (s->out->count > wanted) actio_found_free(s->problem->ctx, s->out->orbit[--s->out->count]);
    if (!bad && actio_stopped(s->problem->ctx)) {
        bad = 1;
        actio_problem_report_limits(s->problem, ACTIO_FLOW_STOPPED, "searching for orbits");
    }
    if (!bad && s->out->count == 0) actio_report(s->problem->f, ACTIO_F_ORBIT_NONE_FOUND, ACTIO_NO_ARGS);
    else if (!bad && s->out->count < wanted && !s->family)
        actio_report(s->problem->f, ACTIO_F_ORBIT_FEWER, ACTIO_ARGS(ACTIO_COUNT(s->out->count), ACTIO_COUNT(wanted)));
    return bad;
}

/* SPDX-License-Identifier: Apache-2.0
 * Many orbits: a long motion is cut into loops (cuts.c). Where its cuts have letters, words of letters are tried one
 * after the other, each letter of each word begun where the motion's own letters around it agree best; else near
 * returns after 1, 2, 3 .. cuts are tried. */
#include "orbit/cuts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 4096, LONGEST_WORD = 18, MATCH = 24, TRIES = 6, BACK = 6, MOST_LETTERS = 63 };
#define EFFORT 2e7 /* right-hand sides */
#define EFFORT_EACH 1e7

struct word {
    char text[LONGEST_WORD + 1];
    size_t length;
};

bool actio_orbit_tired(const struct actio_search *s)
{
    return s->family || actio_orbit_effort(s) > s->effort_before + EFFORT + EFFORT_EACH * (double)s->wanted
           || actio_stopped(s->problem->ctx);
}

/* ---- words */

/* Does the motion show all blocks of the word repeated? */
static bool is_shown(const struct actio_cuts *c, const struct word *w)
{
    unsigned block = 0;
    for (size_t i = 0; i < w->length + ACTIO_CUTS_BLOCK; i++) {
        block = (block << 1 | (w->text[i % w->length] == 'B')) & ((1u << ACTIO_CUTS_BLOCK) - 1);
        if (i + 1 >= ACTIO_CUTS_BLOCK && !c->seen[block]) return false;
    }
    return true;
}

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
static int agreement(const struct actio_cuts *c, size_t j, const struct word *w, size_t at)
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
static size_t best_place(const struct actio_cuts *c, const struct word *w, size_t at, size_t skip)
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

static int guess_word(struct actio_search *s, const struct actio_cuts *c, const struct word *w, size_t skip,
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
static size_t read_word(struct actio_search *s, const struct actio_cuts *c, const struct actio_circuit *o, char *w)
{
    size_t count = (size_t)fmin(MOST_SAMPLES, 16 + ACTIO_CUTS_PER_LOOP * 2 * o->period / c->least), ny = s->o.ny,
           letters = 0;
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
static void write_word(struct actio_search *s, const struct actio_cuts *c, struct actio_found *f)
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
static int attempt(struct actio_search *s, const struct actio_cuts *c, struct actio_circuit *guess, bool *found)
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
static int try_word(struct actio_search *s, const struct actio_cuts *c, const struct word *w)
{
    for (size_t skip = 0; skip < TRIES && !actio_orbit_tired(s); skip++) {
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
static int try_words(struct actio_search *s, const struct actio_cuts *c, size_t length)
{
    for (unsigned long code = 0; code < 1ul << (length - 1); code++) { /* the first letter is A */
        struct word w = { .length = length };
        char first[LONGEST_WORD + 1];
        size_t rotation;
        bool mirrored;
        for (size_t i = 0; i < length; i++) w.text[i] = code >> (length - 1 - i) & 1 ? 'B' : 'A';
        if (!is_shown(c, &w)) continue;
        if (actio_orbit_tired(s)) return 0;
        canonical(w.text, length, first, &rotation, &mirrored);
        if (strcmp(first, w.text) != 0 || repeats(w.text, length)) continue;
        if (try_word(s, c, &w)) return 1;
        if (s->problem->ctx->progress)
            s->problem->ctx->progress(s->problem->ctx->progress_user, "orbits",
                                      fmin((double)s->out->count, (double)s->wanted), (double)s->wanted);
    }
    return 0;
}

static int find_by_words(struct actio_search *s, const struct actio_cuts *c)
{
    for (size_t length = 1; length <= LONGEST_WORD; length++) {
        if (c->least * (double)length * 0.95 > limit_of(s)) break;
        if (try_words(s, c, length)) return 1;
    }
    return 0;
}

/* ---- near returns, without letters */

static double apart(const struct actio_search *s, const struct actio_cuts *c, size_t a, size_t b)
{
    double sum = 0;
    for (size_t i = 0; i < c->ny; i++) {
        double d = (c->y[a * c->ny + i] - c->y[b * c->ny + i]) / s->o.scale[i];
        if (!s->o.loose[i]) sum += d * d;
    }
    return sqrt(sum);
}

/* The nearest return after `after` cuts that is not near one of those before. */
static size_t nearest_return(const struct actio_search *s, const struct actio_cuts *c, size_t after, const size_t *used,
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

static int guess_return(struct actio_search *s, const struct actio_cuts *c, size_t from, size_t after,
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

static int find_by_returns(struct actio_search *s, const struct actio_cuts *c)
{
    for (size_t after = 1; after <= LONGEST_WORD && c->least * (double)after <= limit_of(s); after++) {
        size_t used[64], uses = 0, dry = 0;
        while (uses < 64 && dry < 4 && !actio_orbit_tired(s)) {
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

int actio_orbit_find(struct actio_search *s)
{
    struct actio_cuts c;
    size_t wanted = s->wanted;
    s->effort_before = actio_orbit_effort(s);
    actio_orbit_measure_start(
        s, s->problem->model->time.given ? fabs(s->problem->model->time.t1 - s->problem->model->time.t0) : 50);
    int bad = actio_cuts_open(s, &c) ? ACTIO_MARCH_NO_MEMORY
              : s->timed             ? actio_cuts_by_drive(s, &c)
                                     : actio_cuts_by_maxima(s, &c);
    if (bad == -1) actio_report(s->problem->f, ACTIO_F_ORBIT_NO_LOOPS, ACTIO_NO_ARGS);
    else if (bad && !actio_problem_report_limits(s->problem, bad, "searching for orbits"))
        actio_report(s->problem->f, ACTIO_F_ORBIT_NO_MOTION, ACTIO_NO_ARGS);
    if (!bad && s->timed && actio_cuts_find_mirror(s, &c)) bad = ACTIO_MARCH_NO_MEMORY;
    if (!bad) bad = c.odd < c.ny ? find_by_words(s, &c) : find_by_returns(s, &c);
    actio_cuts_close(s, &c);
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

/* SPDX-License-Identifier: Apache-2.0
 * Sides of watched guards around what crosses or ticks: which are kept, which are seen anew, and which guards have come
 * to 0 and stay there. */
#include "solve/march_inside.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define REACHED 1e-9              /* of its largest value: a guard that crossed and is so near 0 may rest there */
#define NOTHING_LEFT 1e-12        /* the same: what rests is not farther away */
#define HOPS 1e-25                /* the same: what is farther away and clear of 0 hops, as between two bounces */
#define JUMPED_TO_ZERO 1e-13      /* the same where a jump put it there */
#define SQUARED 1e-18             /* the same where it did not cross: as a square does */
#define STEADY (64 * DBL_EPSILON) /* the same: what grows from more than this moves away */

void actio_march_keep_sides(struct actio_marching *m) { memcpy(m->seen.was, m->side, m->flow->guards); }

static bool is_own(const struct actio_marching *m, size_t guard)
{
    return m->flow->own.is && m->flow->own.is[watched_index(m, guard)];
}

/* Has what crossed brought it to 0, where it may stay? */
static enum actio_calm calm_of(const struct actio_marching *m, size_t guard, bool jumped)
{
    double x = fabs(m->g[guard]), most = m->seen.most[guard];
    if (m->side[guard] == 0) return AWAKE;
    if (m->seen.calm[guard] == AT_ZERO && x <= REACHED * most) return AT_ZERO;
    if (x <= (m->seen.due[guard] ? REACHED : SQUARED) * most)
        return m->seen.due[guard] || !jumped ? AT_ZERO : PUT_TO_ZERO;
    return (jumped || m->seen.calm[guard] == PUT_TO_ZERO) && x <= JUMPED_TO_ZERO * most ? PUT_TO_ZERO : AWAKE;
}

static void see_calm(struct actio_marching *m, size_t guard, bool jumped)
{
    enum actio_calm calm = calm_of(m, guard, jumped);
    if (m->seen.calm[guard] == ASLEEP) return;
    if (m->seen.calm[guard] == PUT_TO_ZERO && calm == AWAKE) m->side[guard] = 0;
    m->seen.calm[guard] = (signed char)calm;
}

/* A velocity that an impact turns has not passed zero: sides are seen anew, but of what crosses at this very instant.
 * Own ones have theirs from the flow: what was set is not passed a second time. */
void actio_march_see_sides(struct actio_marching *m, const double *old, const double *new)
{
    bool jumped = memcmp(old, new, known_length(m->flow) * sizeof *old) != 0, now = m->seen.crossed_at == m->t;
    if (m->flow->watched == 0) return;
    if (now) m->flow->guard(m->flow->user, m->t, new, m->g);
    for (size_t i = m->flow->guards - m->flow->watched; i < m->flow->guards; i++) {
        if (now) see_calm(m, i, jumped);
        if (is_own(m, i)) {
            if (jumped) m->seen.passed[i] = m->task->t0 - m->direction * HUGE_VAL;
            else if (m->side[i] != m->seen.was[i]) m->seen.passed[i] = m->t + m->direction * m->flow->own.together;
        } else if (jumped && !m->seen.due[i] && m->seen.calm[i] == AWAKE) m->side[i] = 0;
    }
}

/* Away from 0 at all nodes, ever farther. */
static bool moves_away(const struct actio_marching *m, const double *sample)
{
    size_t guards = m->flow->guards;
    double last = 0;
    for (size_t k = 1; k < ACTIO_ROOT_NODES; k++) {
        double x = sample[k * guards];
        if (!(fabs(x) > fabs(last)) || x * last < 0) return false;
        last = x;
    }
    return fabs(last) > STEADY * m->seen.most[m->guard];
}

static bool is_little(const struct actio_marching *m, const double *sample, double little)
{
    bool all = true;
    for (size_t k = 0; k < ACTIO_ROOT_NODES; k++) all &= fabs(sample[k * m->flow->guards]) <= little;
    return all;
}

/* But at the start, where a pole may be. */
static void note_most(struct actio_marching *m, const double *sample)
{
    for (size_t k = 1; k < ACTIO_ROOT_NODES; k++) {
        double x = fabs(sample[k * m->flow->guards]);
        if (isfinite(x)) m->seen.most[m->guard] = fmax(m->seen.most[m->guard], x);
    }
}

/* It rests, and goes on where it has not rested since the step before. */
static bool goes_on_sleeping(struct actio_marching *m, const double *sample)
{
    double last = sample[(ACTIO_ROOT_NODES - 1) * m->flow->guards];
    bool away = m->fresh && moves_away(m, sample);
    if (!away && is_little(m, sample, NOTHING_LEFT * m->seen.most[m->guard])) return true;
    m->seen.calm[m->guard] = AWAKE;
    m->side[m->guard] = m->fresh ? 0 : (signed char)zero_sign(last);
    return !m->fresh;
}

/* From 0 to one side, and perhaps back. */
static bool hops(const struct actio_marching *m, const double *sample)
{
    size_t guards = m->flow->guards;
    double most = 0;
    for (size_t k = 1; k + 1 < ACTIO_ROOT_NODES; k++) {
        double x = sample[k * guards];
        if (!(x * sample[guards] > 0)) return false;
        most = fmax(most, fabs(x));
    }
    return most > HOPS * m->seen.most[m->guard] && most > 100 * fabs(sample[0]);
}

bool actio_march_is_calm(struct actio_marching *m, const double *sample, struct actio_incident *best)
{
    signed char *calm = &m->seen.calm[m->guard];
    note_most(m, sample);
    if (*calm == ASLEEP) return goes_on_sleeping(m, sample);
    if (*calm == AWAKE) return false;
    bool rests = m->fresh && !moves_away(m, sample) && is_little(m, sample, NOTHING_LEFT * m->seen.most[m->guard]);
    if (rests && (m->firm.kind == CROSSING || hops(m, sample))) return true; /* what follows decides */
    if (rests) {
        bool first = best->kind == NOTHING || before(m, m->t, best->t);
        if (first) *best = (struct actio_incident){ PASS, m->t, m->guard };
        else m->seen.due[m->guard] = 1;
        return true;
    }
    if (*calm == PUT_TO_ZERO) m->side[m->guard] = 0;
    *calm = AWAKE;
    return false;
}

void actio_march_meets_clock(struct actio_marching *m, struct actio_incident *what)
{
    size_t n = m->flow->n, firm = m->flow->guards - m->flow->watched;
    double t = m->t_next, ahead = m->flow->own.together;
    if (!m->flow->clock.next || firm == 0 || m->flow->clock.next(m->flow->user) > t + 8 * DBL_EPSILON * fabs(t)) return;
    m->rhs++;
    if (m->flow->rhs(m->flow->user, t, m->y_next, m->f)) return;
    for (size_t i = 0; i < n; i++) m->y_at[i] = m->y_next[i] + ahead * m->f[i];
    m->flow->guard(m->flow->user, t + ahead, actio_march_known_of(m, t + ahead, m->y_at, m->known), m->g);
    for (size_t k = 0; k < firm && what->kind == NOTHING; k++)
        if (m->side[k] && m->g[k] * m->side[k] < 0) *what = (struct actio_incident){ CROSSING, t, k };
}

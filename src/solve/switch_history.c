/* SPDX-License-Identifier: Apache-2.0
 * Which modes were in force when. Of a change the switches that flipped are kept, and all modes after every so many
 * changes: memory grows with the changes, and not with the switches that there are besides. */
#include "solve/motion.h"

#include <math.h>
#include <string.h>

/* Room for one more of what has `count`; it doubles. */
static bool mode_history_grow(struct actio_context *ctx, void **list, size_t *cap, size_t count, size_t first,
                              size_t size)
{
    if (count < *cap) return true;
    size_t room = *cap ? 2 * *cap : first;
    void *more = actio_alloc(ctx, room, size);
    if (!more) return false;
    if (count) memcpy(more, *list, count * size);
    actio_free(ctx, *list);
    *list = more;
    *cap = room;
    return true;
}

/* All modes stand at changes 0, stride, 2 stride, ...: going on from there costs no more than copying them. */
static size_t stride(const struct actio_motion *m) { return actio_system_modes(m->sys); }

static bool room_for_flip(struct actio_motion *m)
{
    void *flip = m->history.flip;
    bool ok = mode_history_grow(m->ctx, &flip, &m->history.flips_cap, m->history.flips, ACTIO_FIRST_CHANGES,
                                sizeof *m->history.flip);
    m->history.flip = flip;
    return ok;
}

static bool add_flip(struct actio_motion *m, size_t k)
{
    if (!room_for_flip(m)) return false;
    m->history.flip[m->history.flips++] = (struct actio_mode_flip){ m->here.mode[k], (uint32_t)k };
    return true;
}

static bool add_base(struct actio_motion *m)
{
    size_t modes = actio_system_modes(m->sys);
    void *base = m->history.base;
    if (!mode_history_grow(m->ctx, &base, &m->history.bases_cap, m->history.changes / stride(m),
                           ACTIO_FIRST_CHANGES / modes + 1, modes * sizeof *m->history.base))
        return false;
    m->history.base = base;
    memcpy(m->history.base + m->history.changes / stride(m) * modes, m->here.mode, modes * sizeof *m->here.mode);
    return true;
}

static bool room_for_two(struct actio_motion *m)
{
    if (!m->history.last)
        m->history.last = actio_alloc(m->ctx, 2 * actio_system_modes(m->sys), sizeof *m->history.last);
    m->history.past = m->history.last ? m->history.last + actio_system_modes(m->sys) : NULL;
    return m->history.last;
}

int actio_modes_remember(struct actio_motion *m, double t)
{
    size_t modes = actio_system_modes(m->sys);
    void *change = m->history.change;
    if (m->history.changes == 0) m->history.flips = 0;
    if (!room_for_two(m) || !room_for_flip(m)
        || !mode_history_grow(m->ctx, &change, &m->history.changes_cap, m->history.changes, ACTIO_FIRST_CHANGES,
                              sizeof *m->history.change))
        return ACTIO_FLOW_FAILED;
    m->history.change = change;
    m->history.change[m->history.changes] = (struct actio_mode_change){ t, m->history.flips };
    for (size_t k = 0; m->history.changes && k < modes; k++)
        if (m->here.mode[k] != m->history.last[k] && !add_flip(m, k)) return ACTIO_FLOW_FAILED;
    if (m->history.changes % stride(m) == 0 && !add_base(m)) return ACTIO_FLOW_FAILED;
    memcpy(m->history.last, m->here.mode, modes * sizeof *m->here.mode);
    m->history.changes++;
    return ACTIO_FLOW_OK;
}

void actio_modes_forget(struct actio_motion *m)
{
    if (m->history.changes < 2) return;
    m->history.changes--;
    m->history.flips = m->history.change[m->history.changes].first;
    memcpy(m->history.last, m->here.mode, actio_system_modes(m->sys) * sizeof *m->here.mode);
}

size_t actio_modes_flips(const struct actio_motion *m, size_t change, const struct actio_mode_flip **flip)
{
    size_t first = m->history.change[change].first,
           end = change + 1 < m->history.changes ? m->history.change[change + 1].first : m->history.flips;
    *flip = m->history.flip + first;
    return end - first;
}

/* Modes after this change. */
static const double *modes_after(const struct actio_motion *m, size_t change)
{
    size_t base = change / stride(m), modes = actio_system_modes(m->sys);
    const struct actio_mode_flip *flip;
    memcpy(m->history.past, m->history.base + base * modes, modes * sizeof *m->history.past);
    for (size_t i = base * stride(m) + 1; i <= change; i++)
        for (size_t n = actio_modes_flips(m, i, &flip); n > 0; n--, flip++) m->history.past[flip->k] = flip->value;
    return m->history.past;
}

const double *actio_motion_modes_at(const struct actio_motion *m, double t, bool backward)
{
    size_t low = 0, high = m->history.changes; /* the last change that is not later, or the first one */
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        bool later = backward ? t > m->history.change[middle].t : t < m->history.change[middle].t;
        if (later) high = middle;
        else low = middle;
    }
    return m->history.changes ? modes_after(m, low) : m->here.mode;
}

/* ---- crossings that accumulate */

enum { PILED = 12 }; /* changes that are looked at */
#define FASTER 0.5   /* the later half of them takes so much of the time of the earlier */
#define SOON 1e-2    /* of the interval: all of them, and from the last one to now */

size_t actio_switches_pile(const struct actio_motion *m, size_t k, double t)
{
    const struct actio_mode_change *last = m->history.change + m->history.changes - 1;
    const struct actio_mode_flip *flip;
    if (m->history.changes <= PILED || fabs(t - last[-PILED].t) > SOON * fabs(m->span)) return k;
    double early = fabs(last[-PILED / 2].t - last[-PILED].t), late = fabs(last->t - last[-PILED / 2].t);
    if (!(late <= FASTER * early)) return k;
    for (size_t i = 0; i < PILED; i++)
        for (size_t n = actio_modes_flips(m, m->history.changes - 1 - i, &flip); n > 0; n--, flip++)
            if (flip->k != k && flip->k < m->sys->switches.count) return flip->k;
    return k;
}

/* SPDX-License-Identifier: Apache-2.0
 * Which modes were in force when. Of a change the switches that flipped are kept, and all modes after every so many
 * changes: memory grows with the changes, and not with the switches that there are besides. */
#include "solve/motion.h"

#include <string.h>

/* Room for one more of what has `count`; it doubles. */
static bool grow(struct actio_context *ctx, void **list, size_t *cap, size_t count, size_t first, size_t size)
{
    if (count < *cap) return true;
    size_t room = *cap ? 2 * *cap : first;
    void *more = actio_take(ctx, room, size);
    if (!more) return false;
    if (count) memcpy(more, *list, count * size);
    actio_give(ctx, *list);
    *list = more;
    *cap = room;
    return true;
}

/* All modes stand at changes 0, stride, 2 stride, ...: going on from there costs no more than copying them. */
static size_t stride(const struct actio_motion *m) { return m->sys->modes; }

static bool room_for_flip(struct actio_motion *m)
{
    void *flip = m->flip;
    bool ok = grow(m->ctx, &flip, &m->flips_cap, m->flips, ACTIO_FIRST_CHANGES, sizeof *m->flip);
    m->flip = flip;
    return ok;
}

static bool add_flip(struct actio_motion *m, size_t k)
{
    if (!room_for_flip(m)) return false;
    m->flip[m->flips++] = (struct actio_mode_flip){ m->mode[k], (uint32_t)k };
    return true;
}

static bool add_base(struct actio_motion *m)
{
    size_t modes = m->sys->modes;
    void *base = m->mode_base;
    if (!grow(m->ctx, &base, &m->bases_cap, m->changes / stride(m), ACTIO_FIRST_CHANGES / modes + 1,
              modes * sizeof *m->mode_base))
        return false;
    m->mode_base = base;
    memcpy(m->mode_base + m->changes / stride(m) * modes, m->mode, modes * sizeof *m->mode);
    return true;
}

static bool room_for_two(struct actio_motion *m)
{
    if (!m->mode_last) m->mode_last = actio_take(m->ctx, 2 * m->sys->modes, sizeof *m->mode_last);
    m->mode_past = m->mode_last ? m->mode_last + m->sys->modes : NULL;
    return m->mode_last;
}

int actio_modes_remember(struct actio_motion *m, double t)
{
    size_t modes = m->sys->modes;
    void *change = m->change;
    if (m->changes == 0) m->flips = 0;
    if (!room_for_two(m) || !room_for_flip(m)
        || !grow(m->ctx, &change, &m->changes_cap, m->changes, ACTIO_FIRST_CHANGES, sizeof *m->change))
        return ACTIO_FLOW_FAILED;
    m->change = change;
    m->change[m->changes] = (struct actio_mode_change){ t, m->flips };
    for (size_t k = 0; m->changes && k < modes; k++)
        if (m->mode[k] != m->mode_last[k] && !add_flip(m, k)) return ACTIO_FLOW_FAILED;
    if (m->changes % stride(m) == 0 && !add_base(m)) return ACTIO_FLOW_FAILED;
    memcpy(m->mode_last, m->mode, modes * sizeof *m->mode);
    m->changes++;
    return ACTIO_FLOW_OK;
}

size_t actio_modes_flips(const struct actio_motion *m, size_t change, const struct actio_mode_flip **flip)
{
    size_t first = m->change[change].first, end = change + 1 < m->changes ? m->change[change + 1].first : m->flips;
    *flip = m->flip + first;
    return end - first;
}

/* Modes after this change. */
static const double *modes_after(const struct actio_motion *m, size_t change)
{
    size_t base = change / stride(m), modes = m->sys->modes;
    const struct actio_mode_flip *flip;
    memcpy(m->mode_past, m->mode_base + base * modes, modes * sizeof *m->mode_past);
    for (size_t i = base * stride(m) + 1; i <= change; i++)
        for (size_t n = actio_modes_flips(m, i, &flip); n > 0; n--, flip++) m->mode_past[flip->k] = flip->value;
    return m->mode_past;
}

const double *actio_motion_modes_at(const struct actio_motion *m, double t, bool backward)
{
    size_t low = 0, high = m->changes; /* the last change that is not later, or the first one */
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        bool later = backward ? t > m->change[middle].t : t < m->change[middle].t;
        if (later) high = middle;
        else low = middle;
    }
    return m->changes ? modes_after(m, low) : m->mode;
}

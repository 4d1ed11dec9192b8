/* SPDX-License-Identifier: Apache-2.0
 * Which stance of contacts was in force when. */
#include "solve/contacts.h"

#include <string.h>

static bool contact_history_grow(struct actio_contacts *c, void **list, size_t *cap, size_t count, size_t size)
{
    if (count < *cap) return true;
    size_t room = *cap ? 2 * *cap : ACTIO_FIRST_CHANGES;
    void *more = actio_alloc(c->m->ctx, room, size);
    if (!more) return false;
    if (count) memcpy(more, *list, count * size);
    actio_free(c->m->ctx, *list);
    *list = more;
    *cap = room;
    return true;
}

/* Room for the first ones, before the first step. */
bool actio_contacts_reserve(struct actio_contacts *c)
{
    bool ok = actio_contacts_remember(c, 0) == ACTIO_FLOW_OK;
    c->past.changes = 0;
    return ok;
}

int actio_contacts_happens(struct actio_contacts *c, double t, enum actio_instant_kind kind, size_t index,
                           double impulse, const char *rule)
{
    return actio_instants_add(c->m, t, kind, index, impulse, rule);
}

/* Stances by time: a byte for each contact and rub, doubles for directions and signs. */
int actio_contacts_remember(struct actio_contacts *c, double t)
{
    size_t bytes = c->contacts + c->rubs, numbers = c->slips + c->rubs, room = c->past.changes_cap;
    void *change = c->past.change, *past = c->past.stance, *toward = c->past.toward;
    bool ok = contact_history_grow(c, &change, &c->past.changes_cap, c->past.changes, sizeof *c->past.change);
    size_t cap = room;
    c->past.change = change;
    if (ok) ok = contact_history_grow(c, &past, &cap, c->past.changes, bytes + 1);
    c->past.stance = past;
    cap = room;
    if (ok) ok = contact_history_grow(c, &toward, &cap, c->past.changes, (numbers + 1) * sizeof(double));
    c->past.toward = toward;
    if (!ok) return ACTIO_FLOW_FAILED;
    unsigned char *b = c->past.stance + c->past.changes * (bytes + 1);
    double *d = c->past.toward + c->past.changes * (numbers + 1);
    memcpy(b, c->now.closed, c->contacts);
    memcpy(b + c->contacts, c->now.rub, c->rubs);
    memcpy(d, c->now.toward, c->slips * sizeof *d);
    memcpy(d + c->slips, c->now.sign, c->rubs * sizeof *d);
    c->past.change[c->past.changes++].t = t;
    return ACTIO_FLOW_OK;
}

void actio_contacts_set_busy(struct actio_contacts *c)
{
    c->busy = false;
    for (size_t i = 0; i < c->contacts; i++) c->busy |= c->now.closed[i] != 0;
    for (size_t r = 0; r < c->rubs; r++) c->busy |= c->now.rub[r] != ACTIO_RUB_IDLE;
}

/* The stance in force at t. */
void actio_contacts_recall(struct actio_contacts *c, double t, bool backward)
{
    size_t bytes = c->contacts + c->rubs, numbers = c->slips + c->rubs, low = 0, high = c->past.changes;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        bool later = backward ? c->past.change[middle].t < t : c->past.change[middle].t > t;
        if (later) high = middle;
        else low = middle;
    }
    if (c->past.changes == 0) return;
    const unsigned char *b = c->past.stance + low * (bytes + 1);
    const double *d = c->past.toward + low * (numbers + 1);
    memcpy(c->now.closed, b, c->contacts);
    memcpy(c->now.rub, b + c->contacts, c->rubs);
    memcpy(c->now.toward, d, c->slips * sizeof *d);
    memcpy(c->now.sign, d + c->slips, c->rubs * sizeof *d);
    actio_contacts_set_busy(c);
}

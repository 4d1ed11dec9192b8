/* SPDX-License-Identifier: Apache-2.0
 * Events in the order of time. There may be millions, from lists that are in order each: runs in order are merged. */
#include "result/table.h"

#include <string.h>

struct sorting {
    struct actio_context *ctx;
    bool backward;
};

static bool later(const struct sorting *s, const struct actio_event *a, const struct actio_event *b)
{
    return s->backward ? a->t < b->t : a->t > b->t;
}

/* The end of the run in order that begins at `from`. */
static size_t run_end(const struct sorting *s, const struct actio_event *e, size_t from, size_t count)
{
    size_t i = from + 1;
    while (i < count && !later(s, &e[i - 1], &e[i])) i++;
    return i < count ? i : count;
}

/* Of events at one time those of the first run come first. */
static void merge(const struct sorting *s, const struct actio_event *a, size_t as, const struct actio_event *b,
                  size_t bs, struct actio_event *to)
{
    for (size_t i = 0, j = 0, n = 0; n < as + bs; n++) {
        if ((n & 4095) == 0) actio_poll_overdue(s->ctx);
        bool second = i == as || (j < bs && later(s, &a[i], &b[j]));
        to[n] = second ? b[j++] : a[i++];
    }
}

/* Merges each run with the next; the number of runs that there were. */
static size_t events_pass(const struct sorting *s, const struct actio_event *from, size_t count, struct actio_event *to)
{
    size_t runs = 0;
    for (size_t a = 0, b, end; a < count; a = end, runs += 2) {
        b = run_end(s, from, a, count);
        end = b < count ? run_end(s, from, b, count) : b;
        merge(s, from + a, b - a, from + b, end - b, to + a);
        if (a == 0 && b == count) return 1;
    }
    return runs;
}

void actio_events_sort(struct actio_arena *scratch, struct actio_event *event, size_t count, bool backward)
{
    struct sorting s = { scratch->ctx, backward };
    if (count == 0 || run_end(&s, event, 0, count) == count) return;
    struct actio_event *from = event, *to = actio_arena_array(scratch, count, sizeof *to);
    while (events_pass(&s, from, count, to) > 2) {
        struct actio_event *swap = from;
        from = to;
        to = swap;
    }
    if (to != event) memcpy(event, to, count * sizeof *event);
}

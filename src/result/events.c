/* SPDX-License-Identifier: Apache-2.0
 * Events in the order of time. There may be millions, from lists that are in order each: runs in order are merged. */
#include "result/table.h"

#include <math.h>
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

/* ---- as columns, for writers */

static double number_of(const struct actio_event *e, enum actio_event_column column)
{
    switch (column) {
    case ACTIO_EVENT_T: return e->t;
    case ACTIO_EVENT_ERROR: return e->error;
    case ACTIO_EVENT_LINE: return (double)e->line;
    case ACTIO_EVENT_VALUE: return e->value;
    case ACTIO_EVENT_IMPULSE: return e->impulse;
    default: return e->energy;
    }
}

static const char *text_of(const struct actio_event *e, enum actio_event_column column)
{
    const char *text = column == ACTIO_EVENT_KIND      ? e->kind
                       : column == ACTIO_EVENT_NAME    ? e->name
                       : column == ACTIO_EVENT_CONTACT ? e->contact
                                                       : e->rule;
    return text ? text : "";
}

static const double *state_of(const struct actio_event *e, enum actio_event_column column)
{
    return column == ACTIO_EVENT_PLACE ? e->place : column == ACTIO_EVENT_BEFORE ? e->before : e->after;
}

static const double *list_numbers(const struct actio_table *t, struct actio_arena *arena, enum actio_event_column c)
{
    double *x = actio_arena_array(arena, t->events + 1, sizeof *x);
    for (size_t i = 0; i < t->events; i++) x[i] = number_of(&t->event[i], c);
    return x;
}

static const char *const *list_texts(const struct actio_table *t, struct actio_arena *arena, enum actio_event_column c)
{
    const char **x = actio_arena_array(arena, t->events + 1, sizeof *x);
    for (size_t i = 0; i < t->events; i++) x[i] = text_of(&t->event[i], c);
    return x;
}

static const double *list_states(const struct actio_table *t, struct actio_arena *arena, enum actio_event_column c)
{
    size_t n = t->coords;
    double *x = actio_arena_array(arena, t->events * n + 1, sizeof *x);
    for (size_t i = 0; i < t->events; i++) {
        const double *from = state_of(&t->event[i], c);
        for (size_t k = 0; k < n; k++) x[i * n + k] = from ? from[k] : (double)NAN;
    }
    return x;
}

size_t actio_events_columns(const struct actio_table *t, struct actio_arena *arena, struct actio_event_list *list)
{
    static const struct {
        const char *name;
        enum { NUMBER, TEXT, STATE } form;
    } all[] = {
        [ACTIO_EVENT_T] = { "t", NUMBER },           [ACTIO_EVENT_ERROR] = { "error", NUMBER },
        [ACTIO_EVENT_KIND] = { "kind", TEXT },       [ACTIO_EVENT_NAME] = { "name", TEXT },
        [ACTIO_EVENT_LINE] = { "line", NUMBER },     [ACTIO_EVENT_VALUE] = { "value", NUMBER },
        [ACTIO_EVENT_CONTACT] = { "contact", TEXT }, [ACTIO_EVENT_IMPULSE] = { "impulse", NUMBER },
        [ACTIO_EVENT_ENERGY] = { "energy", NUMBER }, [ACTIO_EVENT_RULE] = { "rule", TEXT },
        [ACTIO_EVENT_PLACE] = { "place", STATE },    [ACTIO_EVENT_BEFORE] = { "before", STATE },
        [ACTIO_EVENT_AFTER] = { "after", STATE },
    };
    size_t count = 0;
    for (int c = 0; c < ACTIO_EVENT_COLUMNS; c++) {
        enum actio_event_column column = (enum actio_event_column)c;
        if (all[c].form == STATE && t->coords == 0) continue;
        struct actio_event_list *to = &list[count++];
        *to = (struct actio_event_list){ .column = column, .name = all[c].name };
        if (all[c].form == NUMBER) to->number = list_numbers(t, arena, column);
        else if (all[c].form == TEXT) to->text = list_texts(t, arena, column);
        else {
            to->number = list_states(t, arena, column);
            to->nodes = t->coords;
        }
    }
    return count;
}

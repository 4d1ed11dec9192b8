/* SPDX-License-Identifier: Apache-2.0
 * States over time from a file: columns t and names of variables, as a run writes them. */
#include "problem/states.h"
#include "model/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 6 }; /* columns that a message names */

struct table {
    struct actio_problem *problem;
    const char *text;
    size_t length;
    struct actio_dual_table *to;
    const char *missing;
    bool reactions; /* reaction.NAME is a column, too */
    struct actio_states_unread unread;
    size_t idle;
};

static size_t components_of(const struct table *t)
{
    return t->problem->ny + (t->reactions ? t->problem->motion.N : 0);
}

/* The next cell of a line, without blanks and quotes; *at moves behind it. */
static size_t next_cell(const char **at, const char *end, const char **cell)
{
    const char *from = *at, *to = from;
    while (to < end && *to != ',' && *to != '\n') to++;
    *at = to < end ? to + 1 : end;
    while (from < to && strchr(" \"\r", *from)) from++;
    while (to > from && strchr(" \"\r", to[-1])) to--;
    *cell = from;
    return (size_t)(to - from);
}

static bool is_name(const char *own, const char *name, size_t length)
{
    return strlen(own) == length && strncmp(own, name, length) == 0;
}

/* The component of y, or of reactions, that a column is, SIZE_MAX - 1 for the time, SIZE_MAX for what does not matter
 * here. */
static size_t component_of(const struct table *t, const char *name, size_t length)
{
    const struct actio_problem *problem = t->problem;
    const struct actio_model *m = problem->model;
    static const char stem[] = "reaction.";
    size_t n = sizeof stem - 1;
    if (length == 1 && *name == 't') return SIZE_MAX - 1;
    for (size_t i = 0; i < problem->ny; i++) {
        const char *own =
            i >= m->coords && i < 2 * m->coords ? m->coord[i - m->coords].dot_name : actio_problem_name(problem, i);
        if (is_name(own, name, length)) return i;
    }
    if (!t->reactions || length < n || strncmp(name, stem, n) != 0) return SIZE_MAX;
    for (size_t i = 0; i < problem->motion.N; i++)
        if (is_name(problem->sys->variable[i], name + n, length - n)) return problem->ny + i;
    return SIZE_MAX;
}

/* Columns of a run by any principle: the model's, and dual variables. */
static bool is_column(const struct actio_problem *problem, const char *name, size_t length)
{
    const char *const *names;
    size_t count = actio_model_columns(problem->model, &names);
    if (length > 5 && strncmp(name, "dual.", 5) == 0) return true;
    for (size_t i = 0; i < count; i++)
        if (is_name(names[i], name, length)) return true;
    return false;
}

/* A column that is not read is reported: one that the model does not have, or the first few that it has. */
static void leave_out(struct table *t, const char *name, size_t length)
{
    struct actio_arena *a = &t->problem->arena;
    struct actio_states_unread *u = &t->unread;
    if (!is_column(t->problem, name, length))
        u->strange = u->strange ? u->strange : actio_arena_format(a, "%.*s", (int)length, name);
    else if (t->idle++ < NAMED)
        u->idle = u->idle ? actio_arena_format(a, "%s, %.*s", u->idle, (int)length, name)
                          : actio_arena_format(a, "%.*s", (int)length, name);
    else u->idle = actio_arena_format(a, t->idle == NAMED + 1 ? "%s, ..." : "%s", u->idle);
}

static size_t count_lines(const char *text, const char *end)
{
    size_t n = 0;
    for (const char *p = text; p < end; p++) n += *p == '\n';
    return n + 1;
}

/* A motion against time. */
static void turn_round(size_t rows, double *time, double **data, size_t count)
{
    for (size_t i = 0; i <= count; i++) {
        double *x = i < count ? data[i] : time;
        for (size_t a = 0, b = rows - 1; x && a < b; a++, b--) {
            double swap = x[a];
            x[a] = x[b];
            x[b] = swap;
        }
    }
}

static bool is_blank(const char *from, const char *to)
{
    while (from < to && strchr(" \t\r", *from)) from++;
    return from == to;
}

/* A finite number with a decimal point, whatever the locale, and nothing else but blanks. */
static bool read_number(const char *s, const char *end, double *x)
{
    while (s < end && (*s == ' ' || *s == '\t')) s++;
    while (end > s && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
    bool minus = s < end && *s == '-';
    if (s < end && (*s == '-' || *s == '+')) s++;
    size_t n = actio_number_read(s, end, x);
    if (n && s + n + 1 == end && s[n] == '.') n++; /* 1. */
    if (minus) *x = -*x;
    return n && s + n == end && isfinite(*x);
}

/* What is read of a file: columns by cell, SIZE_MAX where one is left out, SIZE_MAX - 1 for t. */
struct sheet {
    size_t rows, cols, *column;
    double *time, **data;
    bool any;
};

static bool lacks(struct table *t, const char *what)
{
    t->missing = what;
    return false;
}

/* The first line: `rows` is how many there may be. */
static bool read_head(struct table *t, struct sheet *s, const char *at, const char *stop)
{
    struct actio_arena *arena = &t->problem->arena;
    const char *cell;
    for (; at < stop; s->cols++) {
        size_t n = next_cell(&at, stop, &cell), i = s->column[s->cols] = component_of(t, cell, n);
        if (i == SIZE_MAX) {
            leave_out(t, cell, n);
            continue;
        }
        double **to = i == SIZE_MAX - 1 ? &s->time : &s->data[i];
        if (*to) return lacks(t, actio_arena_format(arena, "it has the column %.*s twice", (int)n, cell));
        *to = actio_arena_array(arena, s->rows, sizeof **to);
        if (i < components_of(t)) s->any = true;
    }
    return s->time || lacks(t, "it has no column t");
}

static bool read_row(struct table *t, struct sheet *s, const char *at, const char *stop)
{
    const char *cell = at;
    for (size_t c = 0; c < s->cols; c++) {
        size_t n = at < stop ? next_cell(&at, stop, &cell) : 0, i = s->column[c];
        double x;
        if (i == SIZE_MAX) continue;
        if (!read_number(cell, cell + n, &x))
            return lacks(
                t, actio_arena_format(&t->problem->arena, "line %zu has no number in column %zu", s->rows + 2, c + 1));
        *(i == SIZE_MAX - 1 ? &s->time[s->rows] : &s->data[i][s->rows]) = x;
    }
    s->rows++;
    return true;
}

static bool read_rows(struct table *t, struct sheet *s, const char *at, const char *end)
{
    for (s->rows = 0; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        if (!is_blank(at, stop) && !read_row(t, s, at, stop)) return false;
        at = stop < end ? stop + 1 : end;
    }
    return true;
}

static bool is_sound(struct table *t, const struct sheet *s)
{
    for (size_t r = 1; r < s->rows; r++)
        if (!(s->time[r] > s->time[r - 1])) return lacks(t, "its times are not increasing");
    if (!s->any) return lacks(t, "none of its columns is a variable of the model");
    return s->rows >= 2 || lacks(t, "it has fewer than two rows");
}

static void read_table(void *user)
{
    struct table *t = user;
    struct actio_problem *problem = t->problem;
    size_t mark = t->length >= 3 && memcmp(t->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    const char *at = t->text + mark, *end = t->text + t->length, *line = memchr(at, '\n', t->length - mark);
    struct sheet s = { .rows = count_lines(at, end) };
    s.column = actio_arena_array(&problem->arena, t->length + 2, sizeof *s.column);
    s.data = actio_arena_array(&problem->arena, problem->ny + problem->motion.N + 1, sizeof *s.data);
    if (!read_head(t, &s, at, line ? line : end) || !read_rows(t, &s, line ? line + 1 : end, end)) return;
    if (s.rows > 1 && s.time[s.rows - 1] < s.time[0]) turn_round(s.rows, s.time, s.data, components_of(t));
    if (is_sound(t, &s)) *t->to = (struct actio_dual_table){ s.rows, s.time, (const double *const *)s.data };
}

int actio_problem_read_states(struct actio_problem *problem, const char *path, bool reactions,
                              struct actio_dual_table *to, struct actio_states_unread *unread)
{
    struct table t = { .problem = problem, .to = to, .reactions = reactions };
    char *text = actio_file_read(problem->ctx, path, "the states", &t.length, problem->f);
    if (!text) return 1;
    t.text = text;
    int bad = actio_attempt(problem->ctx, read_table, &t);
    actio_free(problem->ctx, text);
    if (unread) *unread = t.unread;
    if (!bad && t.missing) {
        actio_report(problem->f, ACTIO_F_BASE_TABLE, ACTIO_ARGS(ACTIO_TEXT(path), ACTIO_TEXT(t.missing)));
        bad = 1;
    }
    return bad;
}

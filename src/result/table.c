/* SPDX-License-Identifier: Apache-2.0
 * Tables, what their roles mean, and the list of writers. */
#include "result/table.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *heading;
    bool is_log;
} roles[] = {
#define ROLE(name, heading, log) { heading, log },
    ACTIO_ROLES(ROLE)
#undef ROLE
};

const char *actio_role_heading(enum actio_role role) { return roles[role].heading; }
bool actio_role_is_log(enum actio_role role) { return roles[role].is_log; }

struct actio_table *actio_table_create(struct actio_context *ctx)
{
    struct actio_arena arena;
    actio_arena_open(&arena, ctx);
    struct actio_table *table = actio_arena_alloc(&arena, sizeof *table);
    table->arena = arena;
    table->energy_less_work = table->work_error = table->energy_drift = table->residual = table->holds_until =
        table->worst = NAN;
    return table;
}

const char *actio_table_text(struct actio_table *table, const char *text)
{
    return actio_arena_text(&table->arena, text ? text : "", text ? strlen(text) : 0);
}

void actio_table_free(struct actio_table *table)
{
    if (!table) return;
    struct actio_arena arena = table->arena; /* the table lies in it */
    actio_arena_close(&arena);
}

/* Are the first letters of `name`, with ' read as _dot, the column's name? */
static bool same_letters(const char *column, const char *name, size_t length)
{
    for (const char *end = name + length; name < end; name++) {
        if (*name == '\'') {
            if (strncmp(column, "_dot", 4)) return false;
            column += 4;
        } else if (*column++ != *name) return false;
    }
    return !*column;
}

size_t actio_table_find(const struct actio_table *table, const char *name)
{
    size_t i = 0;
    while (i < table->cols && !same_letters(table->col[i].name, name, strlen(name))) i++;
    return i;
}

/* "[12]" at the end of a name; its length without. */
static bool table_index_of(const char *name, size_t *stem, size_t *node)
{
    const char *bracket = strrchr(name, '['), *p = bracket ? bracket + 1 : name;
    size_t n = 0, digits = 0;
    for (; bracket && isdigit((unsigned char)p[digits]) && digits < 18; digits++)
        n = 10 * n + (size_t)(p[digits] - '0');
    if (!digits || strcmp(p + digits, "]") || (digits > 1 && *p == '0')) return false;
    *stem = (size_t)(bracket - name);
    *node = n;
    return true;
}

bool actio_column_cell(const struct actio_column *col, const char *name, size_t *node)
{
    size_t stem, k;
    if (same_letters(col->name, name, strlen(name))) {
        *node = col->nodes ? ACTIO_WHOLE : 0;
        return true;
    }
    if (!col->nodes || !table_index_of(name, &stem, &k) || k >= col->nodes || !same_letters(col->name, name, stem))
        return false;
    *node = k;
    return true;
}

bool actio_table_cell(const struct actio_table *table, const char *name, size_t *col, size_t *node)
{
    size_t here, at;
    if (!col) col = &here;
    if (!node) node = &at;
    for (*col = 0; table && name && *col < table->cols; ++*col)
        if (actio_column_cell(&table->col[*col], name, node)) return true;
    return false;
}

const double *actio_table_values(const struct actio_table *table, size_t col, size_t node, struct actio_arena *arena)
{
    size_t nodes = table->col[col].nodes;
    if (!nodes) return table->data[col];
    double *x = actio_arena_array(arena, table->rows + 1, sizeof *x);
    for (size_t r = 0; r < table->rows; r++) x[r] = table->data[col][r * nodes + node];
    return x;
}

/* ---- places of fields */

static bool same_place(const struct actio_placement *p, const struct actio_column *col)
{
    return p->nodes == col->nodes && !strcmp(p->axis, col->axis)
           && (p->place == col->place || !memcmp(p->place, col->place, col->nodes * sizeof *col->place));
}

size_t actio_placement_of(const struct actio_placement *list, size_t count, const struct actio_column *col)
{
    size_t i = 0;
    while (i < count && (!col->nodes || !same_place(&list[i], col))) i++;
    return i;
}

/* Of one axis the longest are its nodes, the next its cells; the language has no third. */
static const char *place_name(const struct actio_placement *list, size_t count, size_t at, struct actio_arena *arena)
{
    size_t rank = 0;
    for (size_t i = 0; i < count; i++)
        rank += i != at && !strcmp(list[i].axis, list[at].axis)
                && (list[i].nodes > list[at].nodes || (list[i].nodes == list[at].nodes && i < at));
    if (rank == 0) return list[at].axis;
    return rank == 1 ? actio_arena_format(arena, "%s_cells", list[at].axis)
                     : actio_arena_format(arena, "%s_%zu", list[at].axis, rank + 1);
}

size_t actio_table_placements(const struct actio_table *table, struct actio_arena *arena, struct actio_placement **list)
{
    size_t count = 0, cap = 0;
    *list = NULL;
    for (size_t c = 0; c < table->cols; c++) {
        const struct actio_column *col = &table->col[c];
        if (!col->nodes || actio_placement_of(*list, count, col) < count) continue;
        ACTIO_PUSH(arena, *list, count, cap) =
            (struct actio_placement){ .axis = col->axis, .nodes = col->nodes, .place = col->place };
    }
    for (size_t i = 0; i < count; i++) (*list)[i].name = place_name(*list, count, i, arena);
    return count;
}

/* ---- roles and errors */

size_t actio_table_first(const struct actio_table *table, enum actio_role role)
{
    size_t i = 0;
    while (i < table->cols && table->col[i].role != role) i++;
    return i;
}

double actio_table_error_of(const struct actio_table *table, size_t col)
{
    return table->error && !table->local_only ? table->error[col] : NAN;
}

double actio_table_worst_error(const struct actio_table *table)
{
    double worst = NAN;
    if (!isnan(table->worst)) return table->worst;
    for (size_t c = 0; c < table->cols; c++) {
        double size = 1;
        for (size_t i = 0; i < table->rows * actio_column_width(&table->col[c]); i++)
            size = fmax(size, fabs(table->data[c][i]));
        worst = fmax(worst, actio_table_error_of(table, c) / size);
    }
    return worst;
}

bool actio_ends_with(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    if (n < m) return false;
    for (path += n - m; *ending; path++, ending++)
        if (tolower((unsigned char)*path) != *ending) return false;
    return true;
}

enum { MOST_WRITERS = 16 };
/* more at start-up */
static const struct actio_writer *writers[MOST_WRITERS] = { &actio_write_csv, &actio_write_json, &actio_write_npz };

void actio_writer_register(const struct actio_writer *writer)
{
    size_t i = 0;
    while (i < MOST_WRITERS && writers[i] && writers[i] != writer) i++;
    if (i < MOST_WRITERS) writers[i] = writer;
}

const struct actio_writer *actio_writer_for(const char *path)
{
    if (!strcmp(path, "-")) return &actio_write_csv;
    for (size_t i = 0; i < MOST_WRITERS && writers[i]; i++)
        if (actio_ends_with(path, writers[i]->ending)) return writers[i];
    return NULL;
}

int actio_result_write(struct actio_context *ctx, const struct actio_table *table, const char *path,
                       struct actio_findings *f)
{
    const struct actio_writer *writer = actio_writer_for(path);
    if (writer) return writer->write(ctx, table, path, f);
    char list[16 * MOST_WRITERS] = "";
    for (size_t i = 0; i < MOST_WRITERS && writers[i]; i++) {
        if (strlen(list) + strlen(writers[i]->ending) + 3 > sizeof list) break;
        strcat(strcat(list, i ? ", " : ""), writers[i]->ending);
    }
    actio_report(f, ACTIO_F_UNKNOWN_ENDING, ACTIO_ARGS(ACTIO_TEXT(path), ACTIO_TEXT(list)));
    return 1;
}

/* SPDX-License-Identifier: Apache-2.0
 * Tables, what their roles mean, and the list of writers. */
#include "result/table.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const struct { const char *heading; bool is_log; } roles[] = {
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
    table->energy_drift = table->residual = table->holds_until = table->worst = NAN;
    return table;
}

void actio_table_free(struct actio_table *table)
{
    if (!table) return;
    struct actio_arena arena = table->arena;               /* the table lies in it */
    actio_arena_close(&arena);
}

/* Is `name`, with ' read as _dot, the column's name? */
static bool same_name(const char *column, const char *name)
{
    for (; *name; name++) {
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
    while (i < table->cols && !same_name(table->col[i].name, name)) i++;
    return i;
}

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
        for (size_t i = 0; i < table->rows; i++) size = fmax(size, fabs(table->data[c][i]));
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
static const struct actio_writer *writers[MOST_WRITERS] = { &actio_write_csv, &actio_write_json, &actio_write_npz };   /* more at start-up */

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

int actio_result_write(struct actio_context *ctx, const struct actio_table *table, const char *path, struct actio_findings *f)
{
    const struct actio_writer *writer = actio_writer_for(path);
    if (writer) return writer->write(ctx, table, path, f);
    char list[16 * MOST_WRITERS] = "";
    for (size_t i = 0; i < MOST_WRITERS && writers[i]; i++) {
        if (strlen(list) + strlen(writers[i]->ending) + 3 > sizeof list) break;
        strcat(strcat(list, i ? ", " : ""), writers[i]->ending);
    }
    actio_find(f, ACTIO_F_UNKNOWN_ENDING, ACTIO_ARGS(ACTIO_TEXT(path), ACTIO_TEXT(list)));
    return 1;
}

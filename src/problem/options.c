/* SPDX-License-Identifier: Apache-2.0
 * The table of options, and their values in a struct of options. */
#include "problem/options.h"
#include "problem/principle.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct actio_run_options RUN;
typedef struct actio_orbit_options ORBIT;
typedef struct actio_limits LIMITS;
#define OWNER_ANY 0
#define OWNER_METHOD ACTIO_OWNS_METHOD
#define OWNER_GRID ACTIO_OWNS_GRID
#define OWNER_ORDER ACTIO_OWNS_ORDER
#define OWNER_SLABS ACTIO_OWNS_SLABS
#define OWNER_NODES ACTIO_OWNS_NODES
#define OWNER_FORM ACTIO_OWNS_FORM
#define OWNER_VERIFY ACTIO_OWNS_VERIFY
#define OWNER_GRADIENT ACTIO_OWNS_GRADIENT
#define OWNER_DUAL ACTIO_OWNS_DUAL
#define OWNER_RESPLIT ACTIO_OWNS_RESPLIT

#define FIELD(part, field) .into = ACTIO_INTO_##part, .offset = offsetof(part, field)
#define OTHER .kind = ACTIO_TAKES_OTHER
#define SWITCH(part, field) .kind = ACTIO_TAKES_NOTHING, FIELD(part, field)
#define NUMBER(part, field, from, to) .kind = ACTIO_TAKES_NUMBER, FIELD(part, field), .least = from, .most = to
#define POSITIVE(part, field, to) .kind = ACTIO_TAKES_POSITIVE, FIELD(part, field), .most = to
#define COUNT(part, field, from, to) .kind = ACTIO_TAKES_COUNT, FIELD(part, field), .least = from, .most = to
#define INTEGER(part, field, from, to) .kind = ACTIO_TAKES_INTEGER, FIELD(part, field), .least = from, .most = to
#define WORD(part, field, list) .kind = ACTIO_TAKES_WORD, FIELD(part, field), .words = list
#define TEXT(part, field) .kind = ACTIO_TAKES_TEXT, FIELD(part, field)
#define NAMES(part, field) .kind = ACTIO_TAKES_NAMES, FIELD(part, field)
#define CHANGE(what, within) .kind = ACTIO_TAKES_CHANGE, .change = ACTIO_CHANGE_##what, .words = within

#define OPTION(its_name, its_argument, its_fallback, its_group, its_commands, its_repeats, takes, its_owner, its_help) \
    { .name = its_name,                                                                                                \
      .argument = its_argument,                                                                                        \
      .fallback = its_fallback,                                                                                        \
      .group = its_group,                                                                                              \
      .commands = its_commands,                                                                                        \
      .repeats = its_repeats,                                                                                          \
      takes,                                                                                                           \
      .owner = OWNER_##its_owner,                                                                                      \
      .help = its_help },
#define LATER(its_name, whose) { .name = its_name, .argument = "", .group = "later", .commands = "", .help = whose },

static const struct actio_option_row table[] = {
#include "problem/options.def"
};

size_t actio_options(const struct actio_option_row **rows)
{
    if (rows) *rows = table;
    return sizeof table / sizeof *table;
}

/* ---- what they take */

static bool among(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *s = words; *s; s += strcspn(s, "|"), s += *s == '|')
        if (strcspn(s, "|") == length && strncmp(s, word, length) == 0) return true;
    return false;
}

/* "weak, paper or bare". */
static void list_words(const char *words, char *text, size_t size)
{
    size_t used = 0;
    for (const char *s = words; *s && used < size;) {
        size_t length = strcspn(s, "|");
        bool last = s[length] == 0, first = s == words;
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", first ? "" : last ? " or " : ", ", (int)length, s);
        s += length + !last;
    }
}

static void describe_range(const struct actio_option_row *row, char *text, size_t size)
{
    bool whole = row->kind == ACTIO_TAKES_COUNT || row->kind == ACTIO_TAKES_INTEGER,
         open = row->kind == ACTIO_TAKES_POSITIVE;
    int used = snprintf(text, size, "a %snumber ", whole ? "whole " : "");
    if (used < 0 || (size_t)used >= size) return;
    text += used;
    size -= (size_t)used;
    if (open && isinf(row->most)) snprintf(text, size, "above 0");
    else if (open) snprintf(text, size, "above 0, at most %.15g", row->most);
    else if (isinf(row->most)) snprintf(text, size, "of at least %.15g", row->least);
    else snprintf(text, size, "from %.15g to %.15g", row->least, row->most);
}

void actio_option_takes(const struct actio_option_row *row, char *text, size_t size)
{
    if (!text || size == 0) return;
    *text = 0;
    if (!row) return;
    if (row->kind == ACTIO_TAKES_WORD) list_words(row->words, text, size);
    else if (row->kind >= ACTIO_TAKES_NUMBER && row->kind <= ACTIO_TAKES_INTEGER) describe_range(row, text, size);
    else snprintf(text, size, "%s", row->argument ? row->argument : "nothing");
}

/* ---- values */

/* Of an option that takes a number; false for others. */
static bool number_at(const struct actio_option_row *row, const void *at, double *x)
{
    switch (row->kind) {
    case ACTIO_TAKES_NUMBER:
    case ACTIO_TAKES_POSITIVE: *x = *(const double *)at; return true;
    case ACTIO_TAKES_COUNT: *x = (double)*(const size_t *)at; return true;
    case ACTIO_TAKES_INTEGER: *x = *(const int *)at; return true;
    default: return false;
    }
}

static const char *text_at(const void *at) { return *(const char *const *)at; }

static size_t names_at(const void *at)
{
    const struct {
        const char *const *list;
        size_t count;
    } *names = at;
    return names->count;
}

bool actio_option_given(const struct actio_option_row *row, const struct actio_run_options *o)
{
    struct actio_run_options plain = actio_run_options_default();
    const void *at = (const char *)o + row->offset, *usual = (const char *)&plain + row->offset;
    double x = 0, default_x = 0;
    if (row->into != ACTIO_INTO_RUN) return false;
    if (number_at(row, at, &x)) return number_at(row, usual, &default_x) && x != 0 && x != default_x;
    if (row->kind == ACTIO_TAKES_NOTHING) return *(const bool *)at;
    if (row->kind == ACTIO_TAKES_NAMES) return names_at(at) != 0;
    return text_at(at) && !(text_at(usual) && strcmp(text_at(at), text_at(usual)) == 0);
}

void actio_option_reset(const struct actio_option_row *row, struct actio_run_options *o)
{
    static const size_t size[] = {
        [ACTIO_TAKES_NOTHING] = sizeof(bool),
        [ACTIO_TAKES_NUMBER] = sizeof(double),
        [ACTIO_TAKES_POSITIVE] = sizeof(double),
        [ACTIO_TAKES_COUNT] = sizeof(size_t),
        [ACTIO_TAKES_INTEGER] = sizeof(int),
        [ACTIO_TAKES_WORD] = sizeof(char *),
        [ACTIO_TAKES_TEXT] = sizeof(char *),
        [ACTIO_TAKES_NAMES] = sizeof(struct {
            const char *const *list;
            size_t count;
        }),
        [ACTIO_TAKES_CHANGE] = 0,
    };
    struct actio_run_options plain = actio_run_options_default();
    if (row->into == ACTIO_INTO_RUN)
        memcpy((char *)o + row->offset, (const char *)&plain + row->offset, size[row->kind]);
}

bool actio_option_fits(const struct actio_option_row *row, const struct actio_run_options *o, double *number)
{
    const void *at = (const char *)o + row->offset;
    if (row->into != ACTIO_INTO_RUN) return true;
    if (number_at(row, at, number))
        return *number == 0 || (*number >= row->least && *number <= row->most && isfinite(*number));
    return row->kind != ACTIO_TAKES_WORD || !text_at(at) || among(row->words, text_at(at));
}

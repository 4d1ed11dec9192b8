/* SPDX-License-Identifier: Apache-2.0
 * The command line, read by the library's table of options: --name value, --name=value, -o FILE, -oFILE; -- ends them.
 * */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* ---- words of the command line */

bool actio_cli_belongs(const struct actio_option_row *row, const char *command)
{
    size_t length = strlen(command);
    for (const char *p = row->commands; (p = strstr(p, command)); p += length)
        if ((p == row->commands || p[-1] == ' ') && (p[length] == ' ' || p[length] == 0)) return true;
    return false;
}

/* The name of a command, written as an option. False: it is not one. */
static bool command_hint(const char *name, char *hint, size_t size)
{
    const struct actio_command_row *rows;
    size_t count = actio_commands(&rows);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        if (rows[i].synopsis) snprintf(hint, size, "write `actio %s %s`: it is a command", name, rows[i].synopsis);
        else if (strcmp(name, "sweep") == 0)
            snprintf(hint, size, "run once for each value, with --set NAME=VALUE -o FILE: this version has no sweeps");
        else snprintf(hint, size, "`%s` %s; this version does not have it", name, rows[i].help);
        return true;
    }
    return false;
}

static int unknown_option(const struct actio_cli_arguments *a, const char *word, const char *name)
{
    const struct actio_option_row *rows;
    const char *names[64];
    char hint[160] = "see `actio --help`";
    size_t count = actio_options(&rows), n = 0;
    for (size_t i = 0; i < count && n < 64; i++)
        if (rows[i].name[1] && rows[i].commands[0]) names[n++] = rows[i].name;
    const char *near = actio_cli_near(name, names, n);
    if (command_hint(name, hint, sizeof hint)) near = NULL;
    if (near) snprintf(hint, sizeof hint, "did you mean '--%s'?", near);
    return actio_cli_usage(a, hint, "unknown option '%s'", word);
}

/* The row of `--name` or `-o`, with the name's length: that of the command where it is known, or the first. NULL when
 * there is none. */
static const struct actio_option_row *find_option(const char *command, const char *name, size_t length)
{
    const struct actio_option_row *rows, *found = NULL;
    size_t count = actio_options(&rows);
    for (size_t i = 0; i < count; i++) {
        if (strlen(rows[i].name) != length || strncmp(rows[i].name, name, length) != 0) continue;
        if (command && actio_cli_belongs(&rows[i], command)) return &rows[i];
        if (!found) found = &rows[i];
    }
    return found;
}

static int take_option(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    const char *dash = row->name[1] ? "--" : "-";
    if (row->commands[0] == 0)
        return actio_cli_usage(a, NULL, "%s%s belongs to %s, which this version does not have", dash, row->name,
                               row->help);
    a->used[a->uses++] = row;
    return actio_cli_take(a, row, value);
}

/* A word that begins with a dash; may use up the next one as its value. */
static int read_option(struct actio_cli_arguments *a, int argc, char **argv, int *i)
{
    const char *word = argv[*i], *value = NULL;
    bool is_long = word[1] == '-';
    const char *name = word + (is_long ? 2 : 1);
    size_t length = is_long ? strcspn(name, "=") : 1;
    const struct actio_option_row *row = (length == 1) == !is_long ? find_option(a->command, name, length) : NULL;
    if (name[length]) value = is_long ? name + length + 1 : name + length;
    if (!row) {
        char bare[64];
        snprintf(bare, sizeof bare, "%.*s", (int)strcspn(name, "="), name);
        return unknown_option(a, word, bare);
    }
    if (strcmp(row->name, "help") == 0 && value) {
        a->help = true;
        a->help_kind = value;
        return 0;
    }
    if (!row->argument && value) return actio_cli_usage(a, NULL, "--%s takes no value", row->name);
    if (row->argument && row->commands[0] && !value) {
        if (*i + 1 >= argc)
            return actio_cli_usage(a, NULL, "%s%s needs a value: %s", is_long ? "--" : "-", row->name, row->argument);
        value = argv[++*i];
    }
    return take_option(a, row, value);
}

bool actio_cli_reads_models(const char *command)
{
    const struct actio_command_row *rows;
    size_t count = actio_commands(&rows);
    for (size_t i = 0; command && i < count; i++)
        if (strcmp(rows[i].name, command) == 0) return rows[i].synopsis && strstr(rows[i].synopsis, "MODEL");
    return false;
}

/* "check, derive or run": every command of this version. */
const char *actio_cli_commands(char *text, size_t size)
{
    const struct actio_command_row *rows;
    size_t count = actio_commands(&rows), left = 0, used = 0;
    for (size_t i = 0; i < count; i++) left += rows[i].synopsis != NULL;
    for (size_t i = 0; i < count && used < size; i++)
        if (rows[i].synopsis)
            used += (size_t)snprintf(text + used, size - used, "%s%s", rows[i].name,
                                     --left > 1  ? ", "
                                     : left == 1 ? " or "
                                                 : "");
    return text;
}

static int read_command(struct actio_cli_arguments *a, const char *word)
{
    const struct actio_command_row *rows;
    const char *names[32];
    size_t count = actio_commands(&rows);
    for (size_t i = 0; i < count; i++) {
        names[i < 32 ? i : 31] = rows[i].name;
        if (strcmp(rows[i].name, word) != 0) continue;
        a->command = rows[i].name;
        if (rows[i].synopsis) return 0;
        return actio_cli_usage(a, NULL, "`%s` %s; this version does not have it", word, rows[i].help);
    }
    char hint[200], all[160];
    snprintf(hint, sizeof hint, "use %s; see `actio --help`", actio_cli_commands(all, sizeof all));
    const char *near = actio_cli_near(word, names, count < 32 ? count : 32);
    if (near) snprintf(hint, sizeof hint, "did you mean `%s`?", near);
    return actio_cli_usage(a, hint, "unknown command '%s'", word);
}

/* ---- the whole line */

static bool allocate(struct actio_cli_arguments *a, size_t count)
{
    a->model = calloc(count, sizeof *a->model);
    a->change = calloc(count, sizeof *a->change);
    a->output = calloc(count, sizeof *a->output);
    a->plot = calloc(count, sizeof *a->plot);
    a->overlay = calloc(count, sizeof *a->overlay);
    a->events = calloc(count, sizeof *a->events);
    a->animation = calloc(count, sizeof *a->animation);
    a->box = calloc(count, sizeof *a->box);
    a->used = calloc(count, sizeof *a->used);
    return a->model && a->change && a->output && a->plot && a->overlay && a->events && a->animation && a->box
           && a->used;
}

void actio_cli_forget(struct actio_cli_arguments *a)
{
    free(a->model);
    free(a->change);
    free(a->output);
    free(a->plot);
    free(a->overlay);
    free(a->events);
    free(a->animation);
    free(a->box);
    free(a->used);
}

/* How mistakes are reported must be known before the first one is found. */
static void look_ahead(int argc, char **argv, struct actio_cli_arguments *a)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--json") == 0) a->json = true;
        if (strcmp(argv[i], "--no-color") == 0) a->no_color = true;
    }
}

/* An option that no principle of the command has a use for. `test` has principles of its claims, and `compare` without
 * --by all of them. */
static int check_owners(const struct actio_cli_arguments *a)
{
    bool several = a->command && strcmp(a->command, "compare") == 0,
         any = a->command && strcmp(a->command, "test") == 0;
    const char *const *by = several ? a->principle : &a->run.by;
    size_t count = several ? a->principles : 1;
    for (size_t i = 0; i < a->uses && count && !any; i++) {
        /* the library sees the others itself; a default that is written out, or 0, it can't see */
        bool owned = a->used[i]->kind != ACTIO_TAKES_NUMBER;
        for (size_t k = 0; k < count && !owned; k++) owned = actio_principle_owns(by[k], a->used[i]);
        char owners[256];
        if (owned) continue;
        actio_option_owners(a->used[i], owners, sizeof owners);
        return actio_cli_usage(a, "remove it, or choose another principle with --by",
                               "--%s belongs to %s; '%s' can't use it here", a->used[i]->name, owners, by[count - 1]);
    }
    return 0;
}

static int check_belongs(const struct actio_cli_arguments *a)
{
    for (size_t i = 0; a->command && i < a->uses; i++)
        if (!actio_cli_belongs(a->used[i], a->command))
            return actio_cli_usage(a, NULL, "%s%s does not belong to `%s`, but to: %s",
                                   a->used[i]->name[1] ? "--" : "-", a->used[i]->name, a->command,
                                   a->used[i]->commands);
    return 0;
}

static size_t dashes_in(const char *const *path, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) found += strcmp(path[i], "-") == 0;
    return found;
}

/* Standard input and output each have one use. */
static int check_standard_streams(const struct actio_cli_arguments *a)
{
    size_t inputs = actio_cli_reads_models(a->command) ? dashes_in(a->model, a->models) : 0;
    if (inputs > 1)
        return actio_cli_usage(a, "write `-` once", "`-` (standard input) can be read only once; found %zu times",
                               inputs);
    if (a->json && dashes_in(a->output, a->outputs))
        return actio_cli_usage(a, NULL, "--json and -o - both need standard output");
    return 0;
}

/* What has a meaning only beside another option, or in `compare` only. */
static int check_partners(const struct actio_cli_arguments *a)
{
    bool compares = a->command && strcmp(a->command, "compare") == 0;
    const char *picture = compares ? "--overlay" : "--plot";
    if (a->axes && !(compares ? a->overlays : a->plots + a->animations))
        return actio_cli_usage(a, NULL, "--axes chooses the columns of %s, but %s is missing", picture, picture);
    if (a->run.width_count && !compares)
        return actio_cli_usage(a, "use `actio compare` for several widths", "--sigma: `%s` takes one width",
                               a->command ? a->command : "actio");
    return 0;
}

static int check_together(struct actio_cli_arguments *a)
{
    if (check_belongs(a) || check_owners(a)) return ACTIO_WRONG_USAGE;
    for (size_t i = 0; i < a->uses; i++)
        if (strcmp(a->used[i]->name, "tol") == 0) a->orbit.tol = a->run.tol; /* without it: as exact as possible */
    if (check_standard_streams(a) || actio_cli_check_outputs(a) || check_partners(a)) return ACTIO_WRONG_USAGE;
    return 0;
}

int actio_cli_parse(int argc, char **argv, struct actio_cli_arguments *a)
{
    *a = (struct actio_cli_arguments){ .run = actio_run_options_default(), .orbit = actio_orbit_options_default() };
    look_ahead(argc, argv, a);
    actio_cli_say_setup(a);
    if (!allocate(a, (size_t)argc + 1))
        return actio_cli_complain(a, ACTIO_LIMIT_REACHED, "close other programs",
                                  "out of memory while reading the command line");
    bool options = true;
    int status = 0;
    for (int i = 1; i < argc && status == 0; i++) {
        const char *word = argv[i];
        if (options && strcmp(word, "--") == 0) options = false;
        else if (options && word[0] == '-' && word[1]) status = read_option(a, argc, argv, &i);
        else if (!a->command) status = read_command(a, word);
        else a->model[a->models++] = word;
    }
    return status ? status : check_together(a);
}

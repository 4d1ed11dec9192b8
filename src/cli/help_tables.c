/* SPDX-License-Identifier: Apache-2.0
 * Commands and options for other programs, from the library's tables: --help=json. */
#include "cli/cli.h"

#include <math.h>
#include <string.h>

static const char *const kinds[] = {
    [ACTIO_TAKES_OTHER] = "text",      [ACTIO_TAKES_NOTHING] = "switch", [ACTIO_TAKES_NUMBER] = "number",
    [ACTIO_TAKES_POSITIVE] = "number", [ACTIO_TAKES_COUNT] = "integer",  [ACTIO_TAKES_INTEGER] = "integer",
    [ACTIO_TAKES_WORD] = "word",       [ACTIO_TAKES_TEXT] = "text",      [ACTIO_TAKES_NAMES] = "names",
    [ACTIO_TAKES_CHANGE] = "text",
};

static void key(const char *name) { printf(", \"%s\": ", name); }

static void key_text(const char *name, const char *text)
{
    key(name);
    if (text) actio_cli_json_string(stdout, text);
    else fputs("null", stdout);
}

static void key_number(const char *name, double x)
{
    key(name);
    actio_cli_json_number(stdout, x);
}

static void key_bool(const char *name, bool truth) { printf(", \"%s\": %s", name, truth ? "true" : "false"); }

/* "a b c", cut at the separator, as an array. */
static void key_array(const char *name, const char *text, char separator)
{
    key(name);
    putchar('[');
    for (const char *s = text; *s;) {
        size_t length = strcspn(s, (const char[]){ separator, 0 });
        printf("%s\"%.*s\"", s == text ? "" : ", ", (int)length, s);
        s += length + (s[length] != 0);
    }
    putchar(']');
}

static void key_owners(const struct actio_option_row *row)
{
    bool first = true;
    key("principles");
    putchar('[');
    for (size_t i = 0; actio_principle_name(i); i++) {
        if (!actio_principle_owns(actio_principle_name(i), row)) continue;
        printf("%s\"%s\"", first ? "" : ", ", actio_principle_name(i));
        first = false;
    }
    putchar(']');
}

static bool has_range(const struct actio_option_row *row)
{
    return row->kind >= ACTIO_TAKES_NUMBER && row->kind <= ACTIO_TAKES_INTEGER;
}

static void json_option(const struct actio_option_row *row)
{
    printf("    {\"name\": \"%s\"", row->name);
    key_text("argument", row->argument);
    key_text("default", row->fallback);
    key_text("kind", row->argument ? kinds[row->kind] : "switch");
    if (has_range(row)) {
        key_number("least", row->least);
        key_bool("least_excluded", row->kind == ACTIO_TAKES_POSITIVE);
        key_number("most", row->most);
    }
    if (row->kind == ACTIO_TAKES_WORD) key_array("words", row->words, '|');
    key_bool("repeats", row->repeats);
    key_text("group", row->group);
    key_array("commands", row->commands, ' ');
    key_owners(row);
    key_text("help", row->help);
    putchar('}');
}

void actio_cli_help_json(const char *only)
{
    (void)only;
    const struct actio_command_row *command;
    const struct actio_option_row *option;
    size_t commands = actio_commands(&command), options = actio_options(&option);
    const char *separator = "";
    printf("{\n  \"version\": \"%s\",\n  \"commands\": [\n", actio_version());
    for (size_t i = 0; i < commands; i++) {
        if (!command[i].synopsis) continue;
        printf("%s    {\"name\": \"%s\", \"synopsis\": ", separator, command[i].name);
        actio_cli_json_string(stdout, command[i].synopsis);
        key_text("help", command[i].help);
        putchar('}');
        separator = ",\n";
    }
    printf("\n  ],\n  \"principles\": [");
    for (size_t i = 0; actio_principle_name(i); i++) printf("%s\"%s\"", i ? ", " : "", actio_principle_name(i));
    printf("],\n  \"options\": [\n");
    separator = "";
    for (size_t i = 0; i < options; i++) {
        if (!option[i].commands[0]) continue;
        fputs(separator, stdout);
        json_option(&option[i]);
        separator = ",\n";
    }
    printf("\n  ]\n}\n");
}

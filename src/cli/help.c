/* SPDX-License-Identifier: Apache-2.0
 * --help, written from the library's tables of commands and options. */
#include "cli/cli.h"

#include <string.h>

enum { INDENT = 26, LINE = 79 };

const struct actio_cli_status actio_cli_statuses[] = {
    { 0, "done" },
    { 1, "the model or its data are wrong or inconsistent, or an expect line failed" },
    { 2, "the command line is wrong" },
    { 3, "the computation failed; results up to then are kept" },
    { 4, "a resource limit was reached" },
    { 5, "a file can't be read or written" },
    { 130, "interrupted by Ctrl-C or a closed terminal; finished results are written" },
    { 143, "interrupted by SIGTERM; finished results are written" },
    { -1, NULL },
};

const char actio_cli_about_models[] =
    "MODEL is a file if it contains a slash or ends in .act. Otherwise it is a file of that name, or a model of the "
    "gallery (`actio list`). A single - reads the model from standard input.";
const char actio_cli_about_output[] =
    "On a terminal `run` prints a summary; into a pipe or a file it writes CSV. With -o "
    "FILE the summary goes to standard output. --json replaces both.";

/* Words from `column` on, broken at LINE and indented. Returns the column behind them. */
static int wrap_on(const char *text, int indent, int column)
{
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (column > indent && column + 1 + word > LINE) column = printf("\n%*s", indent, "") - 1;
        else if (column > indent) column += printf(" ");
        column += printf("%.*s", word, text);
        text += word;
        text += strspn(text, " ");
    }
    return column;
}

static void wrap(const char *text, int indent, int column)
{
    wrap_on(text, indent, column);
    putchar('\n');
}

/* Options whose words are a table of the library: "(one of dalembert, gauss, ...)". Of others "". */
static const struct {
    const char *option;
    const char *(*name)(size_t i);
} worded[] = { { "by", actio_principle_name } };

const char *actio_cli_words_of(const struct actio_option_row *row, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t k = 0; k < sizeof worded / sizeof *worded; k++)
        for (size_t i = 0; strcmp(worded[k].option, row->name) == 0 && used < size && worded[k].name(i); i++)
            used += (size_t)snprintf(text + used, size - used, "%s%s%s", i ? ", " : "(one of ", worded[k].name(i),
                                     worded[k].name(i + 1) ? "" : ")");
    return text;
}

/* ---- --help */

static void option_line(const struct actio_option_row *row)
{
    char left[64], fallback[64] = "", words[400];
    snprintf(left, sizeof left, "  %s%s%s%s", row->name[1] ? "--" : "-", row->name, row->argument ? " " : "",
             row->argument ? row->argument : "");
    if (row->fallback) snprintf(fallback, sizeof fallback, "(default %s)", row->fallback);
    int column = printf("%-*s", INDENT, left);
    if (column > INDENT) column = printf("\n%*s", INDENT, "") - 1;
    column = wrap_on(row->help, INDENT, column);
    wrap(fallback, INDENT, wrap_on(actio_cli_words_of(row, words, sizeof words), INDENT, column));
}

static void option_lines(const char *command)
{
    const struct actio_option_row *rows;
    size_t count = actio_options(&rows);
    const char *group = "";
    for (size_t i = 0; i < count; i++) {
        if (!actio_cli_belongs(&rows[i], command)) continue;
        if (strcmp(group, rows[i].group) != 0)
            printf("\n%s%s%s\n", actio_cli_paint(stdout, 'b'), rows[i].group, actio_cli_paint(stdout, ' '));
        group = rows[i].group;
        option_line(&rows[i]);
    }
}

static void heading(const char *text)
{
    printf("\n%s%s%s\n", actio_cli_paint(stdout, 'b'), text, actio_cli_paint(stdout, ' '));
}

static void general_help(void)
{
    const struct actio_command_row *rows;
    size_t count = actio_commands(&rows);
    printf("actio %s: constrained mechanics, from a model text to its motion\n\nusage: actio COMMAND [OPTION...] "
           "[MODEL...]\n",
           actio_version());
    heading("commands");
    for (size_t i = 0; i < count; i++)
        if (rows[i].synopsis) {
            char left[64];
            snprintf(left, sizeof left, "  %s %s", rows[i].name, rows[i].synopsis);
            wrap(rows[i].help, INDENT, printf("%-*s", INDENT, left));
        }
    printf("\n`actio COMMAND --help` lists the options of a command.\n\n");
    wrap(actio_cli_about_models, 0, 0);
    heading("exit status");
    for (const struct actio_cli_status *s = actio_cli_statuses; s->meaning; s++)
        wrap(s->meaning, 7, printf("  %-5d", s->status));
    heading("examples");
    printf("  actio new > my.act                    a commented model to start from\n"
           "  actio run disk                        the summary of a motion\n"
           "  actio run disk -o disk.csv --plot disk.svg\n"
           "  actio run disk --set R=2 --time 0..5 --points 1001 | head\n"
           "  actio test models/*.act               check every claim\n");
}

void actio_cli_help(const char *command)
{
    const struct actio_command_row *rows;
    size_t count = actio_commands(&rows);
    if (!command) {
        general_help();
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, command) != 0) continue;
        printf("actio %s: %s\n\nusage: actio %s [OPTION...] %s\n", command, rows[i].help, command, rows[i].synopsis);
        if (actio_cli_reads_models(command)) {
            printf("\n");
            wrap(actio_cli_about_models, 0, 0);
        }
        if (strstr(rows[i].synopsis, "TEMPLATE")) actio_cli_new_help();
        if (strcmp(command, "run") == 0) wrap(actio_cli_about_output, 0, 0);
        option_lines(command);
    }
}

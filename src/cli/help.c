/* SPDX-License-Identifier: Apache-2.0
 * --help and the manual page, both written from the library's tables of commands and options. */
#include "cli/cli.h"

#include <string.h>

enum { INDENT = 26, LINE = 79 };

static const struct {
    int status;
    const char *meaning;
} statuses[] = {
    { 0, "done" },
    { 1, "the model or its data are wrong or inconsistent, or an expect line failed" },
    { 2, "the command line is wrong" },
    { 3, "the computation failed; results up to then are kept" },
    { 4, "a resource limit was reached" },
    { 5, "a file can't be read or written" },
    { 130, "interrupted by Ctrl-C or a closed terminal; finished results are written" },
    { 143, "interrupted by SIGTERM; finished results are written" },
};

static const char about_models[] =
    "MODEL is a file if it contains a slash or ends in .act. Otherwise it is a file of that name, or a model of the "
    "gallery (`actio list`). A single - reads the model from standard input.";
static const char about_output[] = "On a terminal `run` prints a summary; into a pipe or a file it writes CSV. With -o "
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

static const char *words_of(const struct actio_option_row *row, char *text, size_t size)
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
    wrap(fallback, INDENT, wrap_on(words_of(row, words, sizeof words), INDENT, column));
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
    wrap(about_models, 0, 0);
    heading("exit status");
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        wrap(statuses[i].meaning, 7, printf("  %-5d", statuses[i].status));
    heading("examples");
    printf("  actio run disk                        the summary of a motion\n"
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
        if (rows[i].synopsis[0]) {
            printf("\n");
            wrap(about_models, 0, 0);
        }
        if (strcmp(command, "run") == 0) wrap(about_output, 0, 0);
        option_lines(command);
    }
}

/* ---- the manual page */

static void roff(const char *s)
{
    for (; *s; s++) {
        if (*s == '-') fputs("\\-", stdout);
        else if (*s == '\\') fputs("\\e", stdout);
        else if (*s == '\'') fputs("\\(aq", stdout);
        else if (*s == '`') fputs("\\(ga", stdout);
        else putchar(*s);
    }
}

static void paragraph(const char *text)
{
    printf(".PP\n");
    roff(text);
    putchar('\n');
}

static void man_option(const struct actio_option_row *row)
{
    char words[400];
    printf(".TP\n\\fB");
    roff(row->name[1] ? "--" : "-");
    roff(row->name);
    printf("\\fR");
    if (row->argument) {
        printf(" \\fI");
        roff(row->argument);
        printf("\\fR");
    }
    putchar('\n');
    roff(row->help);
    if (*words_of(row, words, sizeof words)) {
        printf(" ");
        roff(words);
    }
    if (row->fallback) {
        printf(" (default ");
        roff(row->fallback);
        printf(")");
    }
    printf(".\nFor: ");
    roff(row->commands);
    printf(".\n");
}

static void man_options(void)
{
    const struct actio_option_row *rows;
    size_t count = actio_options(&rows);
    const char *group = "";
    printf(".SH OPTIONS\n");
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].commands[0]) continue;
        if (strcmp(group, rows[i].group) != 0) printf(".SS %s\n", rows[i].group);
        group = rows[i].group;
        man_option(&rows[i]);
    }
}

void actio_cli_man_page(void)
{
    const struct actio_command_row *rows;
    size_t count = actio_commands(&rows);
    printf(".\\\" Written by `actio --help=man` from the tables of commands and options.\n"
           ".TH ACTIO 1 \"\" \"actio %s\" \"User commands\"\n"
           ".SH NAME\nactio \\- constrained mechanics, from a model text to its motion\n.SH SYNOPSIS\n",
           actio_version());
    for (size_t i = 0; i < count; i++)
        if (rows[i].synopsis) printf(".B actio %s\n[\\fIOPTION\\fR...] %s\n.br\n", rows[i].name, rows[i].synopsis);
    printf(".SH COMMANDS\n");
    for (size_t i = 0; i < count; i++)
        if (rows[i].synopsis) printf(".TP\n.B %s %s\n%s\n", rows[i].name, rows[i].synopsis, rows[i].help);
    paragraph(about_models);
    paragraph(about_output);
    man_options();
    printf(".SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        printf(".TP\n.B %d\n", statuses[i].status);
        roff(statuses[i].meaning);
        putchar('\n');
    }
    paragraph("If several causes apply, the smallest number is returned.");
    printf(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nif not empty, output has no colours\n");
}

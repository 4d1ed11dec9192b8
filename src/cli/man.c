/* SPDX-License-Identifier: Apache-2.0
 * Manual pages, written from the library's tables: actio(1), actio-COMMAND(1), actio-model(5). */
#include "cli/cli.h"

#include <ctype.h>
#include <string.h>

static void roff(const char *s)
{
    for (; *s; s++) {
        if (*s == '-') fputs("\\-", stdout);
        else if (*s == '\\') fputs("\\e", stdout);
        else if (*s == '\'') fputs("\\(aq", stdout);
        else if (*s == '`') fputs("\\(ga", stdout);
        else if (*s == '^') fputs("\\(ha", stdout);
        else putchar(*s);
    }
}

static void paragraph(const char *text)
{
    printf(".PP\n");
    roff(text);
    putchar('\n');
}

static void upper(const char *text)
{
    for (; *text; text++) putchar(toupper((unsigned char)*text));
}

static void heading(const char *name, int section, const char *title)
{
    printf(".\\\" Written by `actio --help=man` from the library's tables.\n.TH ");
    upper(name);
    printf(" %d \"\" \"actio %s\" \"%s\"\n.SH NAME\n", section, actio_version(),
           section == 5 ? "File formats" : "User commands");
    roff(name);
    printf(" \\- ");
    roff(title);
    putchar('\n');
}

/* A tagged paragraph; the text follows. */
static void tag(const char *text)
{
    printf(".TP\n\\fB");
    roff(text);
    printf("\\fR\n");
}

/* ---- options */

static void man_option(const struct actio_option_row *row, const char *command)
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
    if (*actio_cli_words_of(row, words, sizeof words)) {
        printf(" ");
        roff(words);
    }
    if (row->fallback) {
        printf(" (default ");
        roff(row->fallback);
        printf(")");
    }
    printf(".\n");
    if (command) return;
    printf("For: ");
    roff(row->commands);
    printf(".\n");
}

static void man_options(const char *command)
{
    const struct actio_option_row *rows;
    size_t count = actio_options(&rows);
    const char *group = "";
    printf(".SH OPTIONS\n");
    for (size_t i = 0; i < count; i++) {
        if (command ? !actio_cli_belongs(&rows[i], command) : !rows[i].commands[0]) continue;
        if (strcmp(group, rows[i].group) != 0) printf(".SS %s\n", rows[i].group);
        group = rows[i].group;
        man_option(&rows[i], command);
    }
}

/* ---- what all pages share */

static void synopsis(const struct actio_command_row *row)
{
    printf(".B actio %s\n[\\fIOPTION\\fR...] ", row->name);
    roff(row->synopsis);
    putchar('\n');
}

static void ending(void)
{
    printf(".SH EXIT STATUS\n");
    for (const struct actio_cli_status *s = actio_cli_statuses; s->meaning; s++) {
        printf(".TP\n.B %d\n", s->status);
        roff(s->meaning);
        putchar('\n');
    }
    paragraph("If several causes apply, the smallest number is returned.");
    printf(".SH ENVIRONMENT\n");
    tag("NO_COLOR");
    printf("if not empty, output has no colours\n");
}

/* Every page but this one. */
static void see_also(const char *page)
{
    const struct actio_command_row *rows;
    size_t count = actio_commands(&rows);
    const char *separator = "";
    printf(".SH SEE ALSO\n");
    if (*page) {
        printf("\\fBactio\\fR(1)");
        separator = ",\n";
    }
    for (size_t i = 0; i < count; i++)
        if (rows[i].synopsis && strcmp(rows[i].name, page) != 0) {
            printf("%s\\fBactio\\-%s\\fR(1)", separator, rows[i].name);
            separator = ",\n";
        }
    if (strcmp(page, "model") != 0) printf("%s\\fBactio\\-model\\fR(5)", separator);
    putchar('\n');
}

/* ---- the pages */

static void page_of_program(void)
{
    const struct actio_command_row *rows;
    size_t count = actio_commands(&rows);
    heading("actio", 1, "constrained mechanics, from a model text to its motion");
    printf(".SH SYNOPSIS\n");
    for (size_t i = 0; i < count; i++)
        if (rows[i].synopsis) {
            synopsis(&rows[i]);
            printf(".br\n");
        }
    printf(".SH COMMANDS\n");
    for (size_t i = 0; i < count; i++)
        if (rows[i].synopsis) {
            char text[80];
            snprintf(text, sizeof text, "%s %s", rows[i].name, rows[i].synopsis);
            tag(text);
            roff(rows[i].help);
            putchar('\n');
        }
    paragraph(actio_cli_about_models);
    paragraph(actio_cli_about_output);
    man_options(NULL);
    ending();
    see_also("");
}

static void templates(void)
{
    const struct actio_example *row;
    size_t count = actio_templates(&row);
    printf(".SH TEMPLATES\n");
    for (size_t i = 0; i < count; i++) {
        tag(row[i].stem);
        roff(row[i].title);
        putchar('\n');
    }
}

static void page_of_command(const struct actio_command_row *row)
{
    char name[64];
    snprintf(name, sizeof name, "actio-%s", row->name);
    heading(name, 1, row->help);
    printf(".SH SYNOPSIS\n");
    synopsis(row);
    if (actio_cli_reads_models(row->name)) {
        printf(".SH DESCRIPTION\n");
        paragraph(actio_cli_about_models);
    }
    if (strcmp(row->name, "run") == 0) paragraph(actio_cli_about_output);
    if (strstr(row->synopsis, "TEMPLATE")) templates();
    man_options(row->name);
    ending();
    see_also(row->name);
}

void actio_cli_man(const char *command)
{
    const struct actio_command_row *rows;
    size_t count = actio_commands(&rows);
    if (!command) page_of_program();
    for (size_t i = 0; command && i < count; i++)
        if (strcmp(rows[i].name, command) == 0) page_of_command(&rows[i]);
}

static const char *const about_language[] = {
    "A model is a UTF-8 text file whose name ends in .act. Each line holds one statement, which begins with a keyword. "
    "The order of the statements does not matter.",
    "A statement continues on the next line while a bracket is open. It also continues after an operator, a "
    "comparison, a comma, a colon, = or .. at the end of a line.",
    "# begins a comment. The comment at the top is the model's description.",
    "A name consists of Latin and Greek letters, digits and _. Case matters. A prime after a coordinate denotes its "
    "time derivative.",
};

/* A text as it is. A point or a quote at the beginning of a line would be a request. */
static void verbatim(const char *text)
{
    printf(".nf\n");
    for (const char *s = text; *s; s += *s == '\n') {
        char line[256];
        size_t length = strcspn(s, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, s);
        fputs("\\&", stdout);
        roff(line);
        putchar('\n');
        s += length;
    }
    printf(".fi\n");
}

static void forms(void)
{
    const struct actio_language_row *rows;
    size_t count = actio_language(&rows);
    const char *group = "";
    for (size_t i = 0; i < count; i++) {
        if (strcmp(group, rows[i].group) != 0) {
            printf(".SH ");
            upper(rows[i].group);
            putchar('\n');
        }
        group = rows[i].group;
        tag(rows[i].form);
        roff(rows[i].help);
        putchar('\n');
    }
}

void actio_cli_man_model(const char *command)
{
    const struct actio_example *example;
    size_t examples = actio_templates(&example);
    (void)command;
    heading("actio-model", 5, "the language of models");
    printf(".SH DESCRIPTION\n");
    for (size_t i = 0; i < sizeof about_language / sizeof *about_language; i++) paragraph(about_language[i]);
    forms();
    printf(".SH EXAMPLE\n");
    for (size_t i = 0; i < examples; i++)
        if (strcmp(example[i].stem, "pendulum") == 0) verbatim(example[i].text);
    see_also("model");
}

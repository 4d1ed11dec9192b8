/* SPDX-License-Identifier: Apache-2.0
 * Completion for shells, written from the library's tables: --help=bash, --help=zsh, --help=fish. */
#include "cli/cli.h"

#include <string.h>

/* The text with a backslash before some characters; in single quotes of the shell a quote is '\''. */
static void escaped(const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
            continue;
        }
        if (strchr(special, *text)) putchar('\\');
        putchar(*text);
    }
}

static void principles(void)
{
    for (size_t i = 0; actio_principle_name(i); i++) printf("%s%s", i ? " " : "", actio_principle_name(i));
}

static void templates(void)
{
    const struct actio_example *row;
    size_t count = actio_templates(&row);
    for (size_t i = 0; i < count; i++) printf("%s%s", i ? " " : "", row[i].stem);
}

static bool takes_principle(const struct actio_option_row *row) { return strcmp(row->name, "by") == 0; }

static bool has_values(const struct actio_option_row *row)
{
    return takes_principle(row) || row->kind == ACTIO_TAKES_WORD;
}

/* Words that may stand after the option, with blanks between them. */
static void values(const struct actio_option_row *row)
{
    if (takes_principle(row)) principles();
    for (const char *s = takes_principle(row) ? "" : row->words; *s; s++) putchar(*s == '|' ? ' ' : *s);
}

static bool takes_file(const struct actio_option_row *row) { return row->argument && strstr(row->argument, "FILE"); }

static const char *dashes(const struct actio_option_row *row) { return row->name[1] ? "--" : "-"; }

/* ---- bash */

static void bash_options(const char *command)
{
    const struct actio_option_row *option;
    size_t options = actio_options(&option);
    printf("    %s) options=\"", command);
    for (size_t i = 0; i < options; i++)
        if (actio_cli_belongs(&option[i], command)) printf("%s%s ", dashes(&option[i]), option[i].name);
    printf("\";;\n");
}

/* Words that may stand after an option of a command. */
static void bash_words(void)
{
    const struct actio_option_row *option;
    size_t options = actio_options(&option);
    for (size_t i = 0; i < options; i++) {
        if (!has_values(&option[i])) continue;
        bool first = true;
        printf("    ");
        for (const char *s = option[i].commands; *s; s += strcspn(s, " "), s += *s == ' ') {
            printf("%s%.*s:--%s", first ? "" : "|", (int)strcspn(s, " "), s, option[i].name);
            first = false;
        }
        printf(") words=\"");
        values(&option[i]);
        printf("\";;\n");
    }
}

void actio_cli_help_bash(const char *only)
{
    const struct actio_command_row *command;
    size_t commands = actio_commands(&command);
    (void)only;
    printf("# Completion of actio for bash: source <(actio --help=bash)\n_actio()\n{\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} "
           "options= words=\n"
           "    COMPREPLY=()\n    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W \"");
    for (size_t i = 0; i < commands; i++)
        if (command[i].synopsis) printf("%s ", command[i].name);
    printf("--help --version\" -- \"$current\"))\n        return\n    fi\n    case $command:$before in\n");
    bash_words();
    printf("    esac\n    if [ -n \"$words\" ]; then\n        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n   "
           "     return\n    fi\n    case $command in\n");
    for (size_t i = 0; i < commands; i++)
        if (command[i].synopsis) bash_options(command[i].name);
    printf("    esac\n    case $command:$before:$current in\n"
           "    *:*:-*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\"));;\n"
           "    new:-o:*|*:*:*/*|*:*:.*) COMPREPLY=($(compgen -f -- \"$current\"));;\n    new:*) COMPREPLY=($(compgen "
           "-W \"");
    templates();
    printf("\" -- \"$current\"));;\n"
           "    *) COMPREPLY=($(compgen -W \"$(actio list --quiet 2>/dev/null | cut -d' ' -f1)\" -- \"$current\") "
           "$(compgen -f -- \"$current\"));;\n    esac\n}\n"
           "complete -F _actio actio\n");
}

/* ---- zsh */

static void zsh_option(const struct actio_option_row *row)
{
    printf(" \\\n        '%s%s%s", row->repeats ? "*" : "", dashes(row), row->name);
    if (row->argument) putchar(row->name[1] ? '=' : '+');
    putchar('[');
    escaped(row->help, "[]\\");
    putchar(']');
    if (row->argument) {
        putchar(':');
        escaped(row->argument, ":\\");
        putchar(':');
        if (takes_file(row)) printf("_files");
        else if (has_values(row)) {
            putchar('(');
            values(row);
            putchar(')');
        }
    }
    putchar('\'');
}

static void zsh_command(const struct actio_command_row *row)
{
    const struct actio_option_row *option;
    size_t options = actio_options(&option);
    printf("    %s) _arguments -s -S", row->name);
    for (size_t i = 0; i < options; i++)
        if (actio_cli_belongs(&option[i], row->name)) zsh_option(&option[i]);
    if (actio_cli_reads_models(row->name)) printf(" \\\n        '*:model:_actio_models'");
    if (strstr(row->synopsis, "TEMPLATE")) {
        printf(" \\\n        '1:template:(");
        templates();
        printf(")'");
    }
    printf(";;\n");
}

void actio_cli_help_zsh(const char *only)
{
    const struct actio_command_row *command;
    size_t commands = actio_commands(&command);
    (void)only;
    printf("#compdef actio\n# Completion of actio for zsh: source <(actio --help=zsh), or a file _actio in a folder of "
           "$fpath.\n_actio_models()\n{\n"
           "    compadd -- ${(f)\"$(actio list --quiet 2>/dev/null | cut -d' ' -f1)\"}\n    _files -g '*.act'\n}\n"
           "_actio()\n{\n    local -a commands\n    commands=(\n");
    for (size_t i = 0; i < commands; i++)
        if (command[i].synopsis) {
            printf("        '%s:", command[i].name);
            escaped(command[i].help, ":\\");
            printf("'\n");
        }
    printf("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
           "    shift words\n    (( CURRENT-- ))\n    case $words[1] in\n");
    for (size_t i = 0; i < commands; i++)
        if (command[i].synopsis) zsh_command(&command[i]);
    printf("    esac\n}\nif [ \"$funcstack[1]\" = _actio ]; then _actio \"$@\"; else compdef _actio actio; fi\n");
}

/* ---- fish */

/* In single quotes of fish a backslash stands before a quote. */
static void fish_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') putchar('\\');
        putchar(*text);
    }
}

static void fish_option(const struct actio_option_row *row)
{
    printf("complete -c actio -n '__fish_seen_subcommand_from %s' -%s %s", row->commands, row->name[1] ? "l" : "s",
           row->name);
    if (row->argument) printf(takes_file(row) ? " -r -F" : " -x");
    if (has_values(row)) {
        printf(" -a '");
        values(row);
        putchar('\'');
    }
    printf(" -d '");
    fish_text(row->help);
    printf("'\n");
}

void actio_cli_help_fish(const char *only)
{
    const struct actio_command_row *command;
    const struct actio_option_row *option;
    size_t commands = actio_commands(&command), options = actio_options(&option);
    (void)only;
    printf("# Completion of actio for fish: actio --help=fish | source\ncomplete -c actio -f\n");
    for (size_t i = 0; i < commands; i++)
        if (command[i].synopsis) {
            printf("complete -c actio -n __fish_use_subcommand -a %s -d '", command[i].name);
            fish_text(command[i].help);
            printf("'\n");
        }
    printf("complete -c actio -n '__fish_seen_subcommand_from");
    for (size_t i = 0; i < commands; i++)
        if (actio_cli_reads_models(command[i].name)) printf(" %s", command[i].name);
    printf("' -k -a '(__fish_complete_suffix .act) (actio list --quiet 2>/dev/null | string split -f 1 \" \")'\n");
    printf("complete -c actio -n '__fish_seen_subcommand_from new' -a '");
    templates();
    printf("'\n");
    for (size_t i = 0; i < options; i++)
        if (option[i].commands[0]) fish_option(&option[i]);
}

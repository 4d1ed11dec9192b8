/* SPDX-License-Identifier: Apache-2.0
 * The declarations of the program. It sees the public header of the library and nothing else.
 * In: arguments. Out: text, files, an exit status. Callers: main. */
#ifndef ACTIO_CLI_CLI_H
#define ACTIO_CLI_CLI_H

#include <actio/actio.h>

#include <stdint.h>
#include <stdio.h>

struct actio_cli_arguments {
    const char *command; /* NULL when none was given */
    const char **model;
    size_t models;
    struct actio_run_options run;
    struct actio_orbit_options orbit; /* its run is the one above */
    const char *names[8][64];         /* behind options that take names */
    size_t name_lists;
    char words[128];           /* of the row that was read last, cut apart */
    const char *principle[32]; /* of compare; those of --by */
    size_t principles;
    struct actio_limits limits;
    struct actio_change *change;
    size_t changes;
    const char **output;
    size_t outputs;
    const char **plot;
    size_t plots;
    const char **overlay;
    size_t overlays;
    const char **events;
    size_t event_lists;
    const char **animation;
    size_t animations;
    struct actio_box_row *box;
    size_t boxes;
    size_t modes;                         /* of check; 0: none */
    const struct actio_option_row **used; /* rows of the options given, in order */
    size_t uses;
    double width[64];             /* behind run.widths */
    const char *format;           /* of derive; NULL: text */
    const char *axes, *help_kind; /* help_kind: "man" of --help=man */
    bool json, quiet, no_color, help, version;
};

/* options.c: 0, or 2 after saying why. Arrays are freed with actio_cli_forget. */
int actio_cli_parse(int argc, char **argv, struct actio_cli_arguments *a);
void actio_cli_forget(struct actio_cli_arguments *a);
bool actio_cli_belongs(const struct actio_option_row *row, const char *command);
const char *actio_cli_commands(char *text, size_t size);
bool actio_cli_reads_models(const char *command); /* or are its words something else? */

/* take.c: 0, or 2 after a message. */
int actio_cli_take(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value);
int actio_cli_check_outputs(const struct actio_cli_arguments *a); /* can the files of a motion be written? */

/* values.c: what may stand after an option; NULL when fine, else why not (a static text or one in `why`). */
bool actio_cli_number(const char *text, double *x);   /* a plain finite decimal number and nothing else */
bool actio_cli_quotient(const char *text, double *x); /* the same, or 1/110 */
const char *actio_cli_bytes(const char *text, size_t *n);
const char *actio_cli_near(const char *word, const char *const *names, size_t count); /* did you mean? or NULL */

/* say.c: messages for people, colours only where they are welcome */
void actio_cli_say_setup(const struct actio_cli_arguments *a);
bool actio_cli_colors(FILE *out);
/* 'e'rror 'w'arning 'n'ote 'b'old 'g'ood 'd'im, ' ' ends; "" without colours */
const char *actio_cli_paint(FILE *out, char what);
void actio_cli_message(const struct actio_message *m); /* on standard error */
void actio_cli_findings(struct actio_findings *f, bool quiet);
/* A context and its findings; false after reporting that memory is exhausted. Ended with actio_cli_end, which
 * returns `status`. */
bool actio_cli_begin(const struct actio_cli_arguments *a, struct actio_context **ctx, struct actio_findings **f);
int actio_cli_end(struct actio_context *ctx, struct actio_findings *f, int status);
/* A mistake in the command line: said as text or JSON; returns 2. */
int actio_cli_usage(const struct actio_cli_arguments *a, const char *hint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

int actio_cli_complain(const struct actio_cli_arguments *a, int status, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* a signal or a limit came before the result was in words */
int actio_cli_unsaid(const struct actio_cli_arguments *a, int status);

/* utf8.c */
/* the next character and its bytes; 0xFFFD and 1 where it is not UTF-8 */
uint32_t actio_cli_decode(const char *s, size_t *length);
/* what stands for the character at s, NULL: itself */
const char *actio_cli_shown(const char *s, size_t *length, size_t *width);
void actio_cli_text(FILE *out, const char *s); /* text that can't command a terminal */
size_t actio_cli_width(const char *s);         /* columns that actio_cli_text takes */

/* json.c */
void actio_cli_json_string(FILE *out, const char *s);
void actio_cli_json_number(FILE *out, double x);
/* "errors": [..] if there are any, "warnings": [..]; no braces */
void actio_cli_json_messages(FILE *out, struct actio_findings *f);
void actio_cli_json_message(FILE *out, const struct actio_message *m);

/* progress.c: a bar on standard error */
void actio_cli_progress_setup(const struct actio_cli_arguments *a, struct actio_limits *limits);
void actio_cli_progress_end(void);

/* help.c: --help, and texts that manual pages share. command NULL: of the program. */
struct actio_cli_status {
    int status;
    const char *meaning;
};
extern const struct actio_cli_status actio_cli_statuses[]; /* the last has no meaning */
extern const char actio_cli_about_models[], actio_cli_about_output[];
void actio_cli_help(const char *command);
/* "(one of dalembert, gauss, ...)" behind an option whose words are a table of the library; of others "" */
const char *actio_cli_words_of(const struct actio_option_row *row, char *text, size_t size);
/* man.c: actio(1) or actio-COMMAND(1), and actio-model(5) */
void actio_cli_man(const char *command);
void actio_cli_man_model(const char *command);
/* help_tables.c, complete.c: the same tables for other programs and for shells */
void actio_cli_help_json(const char *command);
void actio_cli_help_bash(const char *command);
void actio_cli_help_zsh(const char *command);
void actio_cli_help_fish(const char *command);

/* summary.c */
/* --axes, --animate: 0, or an exit status and a finding */
int actio_cli_drawable(const struct actio_cli_arguments *a, struct actio_context *ctx, struct actio_model *model,
                       struct actio_findings *f);
/* can files be made where they are wanted? 0, or an exit status after saying it */
int actio_cli_folders(const struct actio_cli_arguments *a);
void actio_cli_gradient_csv(const struct actio_table *table);
void actio_cli_summary(const struct actio_model *model, const struct actio_table *table,
                       const struct actio_cli_arguments *a, bool written);

/* files.c: 0, or 2 after saying which file would be written although it is read, or twice */
int actio_cli_distinct(const struct actio_cli_arguments *a);

/* one file a command; each returns the exit status */
int actio_cli_run(const struct actio_cli_arguments *a);
int actio_cli_test(const struct actio_cli_arguments *a);
int actio_cli_check(const struct actio_cli_arguments *a);
int actio_cli_derive(const struct actio_cli_arguments *a);
int actio_cli_compare(const struct actio_cli_arguments *a);
int actio_cli_orbit(const struct actio_cli_arguments *a);
int actio_cli_list(const struct actio_cli_arguments *a);
int actio_cli_new(const struct actio_cli_arguments *a);
void actio_cli_new_help(void); /* its templates */

void actio_cli_flush(void);                 /* standard output, before anything goes to standard error */
int actio_cli_worse(int status, int other); /* of several causes the smallest counts */

#endif

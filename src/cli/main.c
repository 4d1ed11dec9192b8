/* SPDX-License-Identifier: Apache-2.0
 * actio: the command line. Reads it, hands over to a command, and makes sure that what was written has arrived. */
#define _XOPEN_SOURCE 700
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile int cancelled; /* the signal */
static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
enum { ENDINGS = sizeof ending / sizeof *ending };

/* The next one, whichever it is, ends the program at once. A terminal that was closed counts as Ctrl-C. */
static void on_interrupt(int number)
{
    for (int i = 0; i < ENDINGS; i++) signal(ending[i], SIG_DFL);
    cancelled = number == SIGHUP ? SIGINT : number;
}

static void listen_to_signals(void)
{
    struct sigaction on = { .sa_handler = on_interrupt }, before;
    sigemptyset(&on.sa_mask);
    for (int i = 0; i < ENDINGS; i++) {
        bool ignored = sigaction(ending[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN;
        if (!ignored || ending[i] != SIGHUP) sigaction(ending[i], &on, NULL); /* nohup keeps its meaning */
    }
    signal(SIGPIPE, SIG_DFL); /* a reader that has had enough is not an error */
}

/* A standard file that is closed would be given to the next file that is opened: it gets a place that takes nothing. */
static bool hold_standard_files(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) return false;
    return true;
}

int actio_cli_worse(int status, int other)
{
    if (!status || !other) return status ? status : other;
    return status < other ? status : other;
}

static const struct {
    const char *name;
    int (*run)(const struct actio_cli_arguments *);
} commands[] = {
    { "check", actio_cli_check }, { "derive", actio_cli_derive },   { "run", actio_cli_run },
    { "test", actio_cli_test },   { "compare", actio_cli_compare }, { "orbit", actio_cli_orbit },
    { "list", actio_cli_list },   { "new", actio_cli_new },
};

static int help(const struct actio_cli_arguments *a)
{
    static const struct {
        const char *kind;
        void (*write)(const char *command);
    } kinds[] = {
        { "man", actio_cli_man },        { "model", actio_cli_man_model }, { "json", actio_cli_help_json },
        { "bash", actio_cli_help_bash }, { "zsh", actio_cli_help_zsh },    { "fish", actio_cli_help_fish },
    };
    if (!a->help_kind) {
        actio_cli_help(a->command);
        return 0;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].kind, a->help_kind) == 0) {
            kinds[i].write(a->command);
            return 0;
        }
    return actio_cli_usage(a, "write --help, or --help= with man, model, json, bash, zsh or fish",
                           "unknown kind of help '%s'", a->help_kind);
}

static int obey(const struct actio_cli_arguments *a)
{
    if (a->help) return help(a);
    if (a->version) {
        printf("actio %s\n%s", actio_version(), actio_version_details());
        return 0;
    }
    if (actio_cli_distinct(a)) return ACTIO_WRONG_USAGE;
    for (size_t i = 0; a->command && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, a->command) == 0) return commands[i].run(a);
    char names[160];
    return actio_cli_usage(a, "run `actio --help`, or `actio run disk` for a model of the gallery",
                           "missing command; expected %s", actio_cli_commands(names, sizeof names));
}

static int output_trouble; /* errno of the first flush that failed */

void actio_cli_flush(void)
{
    if (fflush(stdout) != 0 && !output_trouble) output_trouble = errno;
}

/* A full disk shows itself only here. */
static int close_output(int status)
{
    actio_cli_flush();
    if (!ferror(stdout) || status == ACTIO_FILE_TROUBLE) return status; /* in the second case it has been said */
    if (cancelled && (output_trouble == EINTR || !output_trouble)) return actio_cli_worse(status, 128 + cancelled);
    fprintf(stderr, "actio: error: can't write to standard output: %s\n",
            output_trouble ? strerror(output_trouble) : "an earlier write failed");
    return actio_cli_worse(status, ACTIO_FILE_TROUBLE);
}

int main(int argc, char **argv)
{
    static char buffer[1 << 16];
    struct actio_cli_arguments a;
    if (!hold_standard_files()) return ACTIO_FILE_TROUBLE;
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    listen_to_signals();
    int status = actio_cli_parse(argc, argv, &a);
    a.limits.cancel = &cancelled;
    if (status == 0) status = obey(&a);
    actio_cli_forget(&a);
    return close_output(status);
}

/* SPDX-License-Identifier: Apache-2.0
 * The command line, read by the library's table of options: --name value, --name=value, -o FILE, -oFILE; -- ends them. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

typedef int (*take_fn)(struct actio_cli_arguments *a, const char *value);

/* ---- values. Each takes one and answers 0, or 2 after saying why. */

static int refuse(const struct actio_cli_arguments *a, const char *option, const char *value, const char *why)
{
    return actio_cli_usage(a, NULL, "--%s: '%s' %s", option, value, why);
}

static int take_tol(struct actio_cli_arguments *a, const char *value)
{
    const char *why = actio_cli_tolerance(value, &a->run.tol);
    a->orbit.tol = a->run.tol;
    return why ? refuse(a, "tol", value, why) : 0;
}

static int take_local(struct actio_cli_arguments *a, const char *value)
{
    const char *why = actio_cli_tolerance(value, &a->run.local);
    return why ? refuse(a, "local", value, why) : 0;
}

static int take_points(struct actio_cli_arguments *a, const char *value)
{
    const char *why = actio_cli_points(value, &a->run.points);
    return why ? refuse(a, "points", value, why) : 0;
}

static int take_memory(struct actio_cli_arguments *a, const char *value)
{
    const char *why = actio_cli_bytes(value, &a->limits.memory);
    return why ? refuse(a, "limit-memory", value, why) : 0;
}

static int take_seconds(struct actio_cli_arguments *a, const char *value)
{
    const char *why = actio_cli_seconds(value, &a->limits.seconds);
    return why ? refuse(a, "limit-time", value, why) : 0;
}

/* One of a few words: the first `here` of them are in this version. */
static int take_word(struct actio_cli_arguments *a, const char *option, const char *value, const char *const *words, size_t here, size_t all, const char **taken)
{
    for (size_t i = 0; i < all; i++) {
        if (strcmp(value, words[i]) != 0) continue;
        *taken = words[i];
        return i < here ? 0 : actio_cli_usage(a, NULL, "--%s %s is not part of this version", option, value);
    }
    char hint[128] = "", *end = hint + sizeof hint;
    const char *near = actio_cli_near(value, words, all);
    if (near) snprintf(hint, sizeof hint, "did you mean '%s'?", near);
    else for (char *p = hint + snprintf(hint, sizeof hint, "use one of:"); here; here--, words++) p += snprintf(p, (size_t)(end - p), " %s", *words);
    return actio_cli_usage(a, hint, "--%s: unknown value '%s'", option, value);
}

static int take_principle(struct actio_cli_arguments *a, const char *value, const char **taken)
{
    enum { MOST = 32 };
    const char *words[MOST];
    size_t here = 0;
    for (; here < MOST && actio_principle_name(here); here++) words[here] = actio_principle_name(here);
    return take_word(a, "by", value, words, here, here, taken);
}

/* One name; for compare several with commas, each once. */
static int take_by(struct actio_cli_arguments *a, const char *value)
{
    char word[64];
    if (a->command && strcmp(a->command, "orbit") == 0 && strcmp(value, "dual") == 0) return a->orbit.method = "dual", 0;   /* an orbit's way, not its motion's */
    if (!a->command || strcmp(a->command, "compare") != 0) return take_principle(a, value, &a->run.by);
    for (const char *s = value, *end; ; s = end + 1) {
        end = strchr(s, ',');
        snprintf(word, sizeof word, "%.*s", end ? (int)(end - s) : (int)strlen(s), s);
        const char *name = NULL;
        int bad = take_principle(a, word, &name);
        if (bad) return bad;
        for (size_t i = 0; i < a->principles; i++)
            if (a->principle[i] == name) return actio_cli_usage(a, NULL, "--by: '%s' is given twice", name);
        if (a->principles < sizeof a->principle / sizeof *a->principle) a->principle[a->principles++] = name;
        if (!end) return 0;
    }
}

static int take_count(struct actio_cli_arguments *a, const char *name, const char *value, long least, size_t *to)
{
    char *end;
    long n = strtol(value, &end, 10);
    *to = n > 0 ? (size_t)n : 0;
    return *end || end == value || n < least || n > 100000000 ? refuse(a, name, value, least > 1 ? "is not a whole number from 2 to 100000000" : "is not a whole number from 1 to 100000000") : 0;
}

static int take_grid(struct actio_cli_arguments *a, const char *value)
{
    const char *why = actio_cli_points(value, &a->run.grid);
    return why ? refuse(a, "grid", value, why) : 0;
}

static int take_slabs(struct actio_cli_arguments *a, const char *value) { return take_count(a, "slabs", value, 1, &a->run.slabs); }
static int take_nodes(struct actio_cli_arguments *a, const char *value) { return take_count(a, "nodes", value, 2, &a->run.nodes); }

static int take_order(struct actio_cli_arguments *a, const char *value)
{
    static const char *const words[] = { "1", "2", "3", "4", "5", "6", "7", "8" };
    const char *word = NULL;
    int bad = take_word(a, "order", value, words, 8, 8, &word);
    if (!bad) a->run.order = word[0] - '0';
    return bad;
}

static int take_closure(struct actio_cli_arguments *a, const char *value)
{
    static const char *const words[] = { "gauss", "vakonomic", "reduced", "free" };
    return take_word(a, "closure", value, words, 4, 4, &a->run.closure);
}

/* zero, nonnegative, or nonnegative,S with the base of the slack. */
static int take_power(struct actio_cli_arguments *a, const char *value)
{
    static const char *const words[] = { "zero", "nonnegative" };
    const char *comma = strchr(value, ',');
    char word[32];
    snprintf(word, sizeof word, "%.*s", comma && comma - value < 31 ? (int)(comma - value) : 31, value);
    int bad = take_word(a, "power", word, words, 2, 2, &a->run.power);
    if (bad || !comma) return bad;
    if (!actio_cli_number(comma + 1, &a->run.slack) || a->run.slack == 0) return refuse(a, "power", value, "needs a nonzero base for its slack: from 0 the slack never moves");
    return 0;
}

static int take_multipliers(struct actio_cli_arguments *a, const char *value) { return (void)value, a->run.multipliers = true, 0; }

/* Names with commas; their text stays in the command line's own. */
static int take_names(struct actio_cli_arguments *a, const char *option, const char *value, const char **list, size_t room, size_t *count)
{
    for (char *s = (char *)value, *end; ; s = end + 1) {
        end = strchr(s, ',');
        if (end) *end = 0;
        while (*s == ' ') s++;
        for (size_t n = strlen(s); n && s[n - 1] == ' '; n--) s[n - 1] = 0;
        if (*s == 0) return refuse(a, option, value, "lacks a name");
        if (*count == room) return actio_cli_usage(a, NULL, "--%s: at most %zu names", option, room);
        list[(*count)++] = s;
        if (!end) return 0;
    }
}

static int take_gradient(struct actio_cli_arguments *a, const char *value)
{
    a->run.gradient = a->gradient;
    return take_names(a, "gradient", value, a->gradient, sizeof a->gradient / sizeof *a->gradient, &a->run.gradients);
}

static int take_loose(struct actio_cli_arguments *a, const char *value)
{
    a->orbit.loose = a->loose;
    return take_names(a, "loose", value, a->loose, sizeof a->loose / sizeof *a->loose, &a->orbit.looses);
}

static int take_average(struct actio_cli_arguments *a, const char *value)
{
    a->orbit.average = a->average;
    return take_names(a, "average", value, a->average, sizeof a->average / sizeof *a->average, &a->orbit.averages);
}

static int take_find(struct actio_cli_arguments *a, const char *value) { return take_count(a, "find", value, 1, &a->orbit.find); }

static int take_modes(struct actio_cli_arguments *a, const char *value) { return take_count(a, "modes", value, 1, &a->modes); }

static int take_form(struct actio_cli_arguments *a, const char *value)
{
    static const char *const words[] = { "weak", "paper", "bare" };
    return take_word(a, "form", value, words, 3, 3, &a->run.form);
}

static int take_positive(struct actio_cli_arguments *a, const char *name, const char *value, double *to)
{
    char *end, *last;
    *to = strtod(value, &end);
    if (*end == '/' && end != value) *to /= strtod(end + 1, &last), end = last > end + 1 ? last : end;   /* 1/110 */
    return *end || end == value || !(*to > 0 && *to < 1e300) ? refuse(a, name, value, "is not a positive number, or a quotient such as 1/110") : 0;
}

/* Widths with commas, behind `hard` or not: each is compared with hard walls. */
static int take_widths(struct actio_cli_arguments *a, const char *value)
{
    char word[64];
    size_t most = sizeof a->width / sizeof *a->width, n = 0;
    for (const char *s = strncmp(value, "hard,", 5) == 0 ? value + 5 : value, *end; ; s = end + 1) {
        end = strchr(s, ',');
        snprintf(word, sizeof word, "%.*s", end ? (int)(end - s) : (int)strlen(s), s);
        if (n == most) return actio_cli_usage(a, NULL, "--sigma: at most %zu widths", most);
        int bad = take_positive(a, "sigma", word, &a->width[n++]);
        if (bad) return bad;
        if (!end) break;
    }
    a->run.widths = a->width, a->run.width_count = n;
    return 0;
}

static int take_sigma(struct actio_cli_arguments *a, const char *value)
{
    a->run.sigma_auto = strcmp(value, "auto") == 0, a->run.width_count = 0;
    if (strchr(value, ',')) return take_widths(a, value);
    return a->run.sigma_auto ? 0 : take_positive(a, "sigma", value, &a->run.sigma);
}

static int take_barrier(struct actio_cli_arguments *a, const char *value) { return take_positive(a, "barrier", value, &a->run.barrier); }

static int take_pick(struct actio_cli_arguments *a, const char *value)
{
    char *end;
    long n = strtol(value, &end, 10);
    a->run.pick = n > 0 ? (size_t)n : 0;
    return *end || end == value || n < 1 || n > 1000 ? refuse(a, "pick", value, "is not a positive whole number") : 0;
}

static int take_resplit(struct actio_cli_arguments *a, const char *value)
{
    char *end;
    a->run.resplit = strtod(value, &end);
    return *end || end == value || !(a->run.resplit >= 0 && a->run.resplit <= 1) ? refuse(a, "resplit", value, "is not a number from 0 to 1") : 0;
}

static int take_method(struct actio_cli_arguments *a, const char *value)
{
    static const char *const words[] = { "auto", "dop853", "cvode" }, *const of_orbits[] = { "shooting", "fourier", "dual" };
    if (a->command && strcmp(a->command, "orbit") == 0) return take_word(a, "method", value, of_orbits, 3, 3, &a->orbit.method);
    return take_word(a, "method", value, words, 3, 3, &a->run.method);
}

static int take_format(struct actio_cli_arguments *a, const char *value)
{
    static const char *const words[] = { "text", "latex", "c" };
    return take_word(a, "format", value, words, 3, 3, &a->format);
}

static int take_change(struct actio_cli_arguments *a, char kind, const char *value)
{
    a->change[a->changes++] = (struct actio_change){ kind, value };
    return 0;
}

static int take_set(struct actio_cli_arguments *a, const char *value)
{
    return strchr(value, '=') ? take_change(a, 'p', value) : refuse(a, "set", value, "is not NAME=EXPR");
}

static int take_weights(struct actio_cli_arguments *a, const char *value)
{
    return strchr(value, '=') ? take_change(a, 'w', value) : refuse(a, "weights", value, "is not NAME=EXPR");
}

static int take_final(struct actio_cli_arguments *a, const char *value)
{
    return strchr(value, '=') ? take_change(a, 'f', value) : refuse(a, "final", value, "is not NAME=EXPR");
}

static int take_potential(struct actio_cli_arguments *a, const char *value) { return take_change(a, 'h', value); }

static int take_base(struct actio_cli_arguments *a, const char *value)
{
    if (strchr(value, '=')) return take_change(a, 'b', value);
    size_t n = strlen(value);
    if (strcmp(value, "exact") != 0 && strcmp(value, "constant") != 0 && (n < 5 || strcmp(value + n - 4, ".csv") != 0)) return refuse(a, "base", value, "is neither exact, constant, a .csv file, nor NAME=EXPR");
    a->run.base = value;
    return 0;
}

static int take_start(struct actio_cli_arguments *a, const char *value)
{
    return strchr(value, '=') ? take_change(a, 's', value) : refuse(a, "start", value, "is not NAME=EXPR");
}

static int take_time(struct actio_cli_arguments *a, const char *value)
{
    return strstr(value, "..") ? take_change(a, 't', value) : refuse(a, "time", value, "is not A..B");
}

static int take_period(struct actio_cli_arguments *a, const char *value) { return take_change(a, 'T', value); }

static int take_turn(struct actio_cli_arguments *a, const char *value)
{
    return strchr(value, '=') ? take_change(a, 'W', value) : refuse(a, "turn", value, "is not NAME=EXPR");
}

static int take_guess(struct actio_cli_arguments *a, const char *value) { return a->orbit.guess = value, 0; }

/* NAME=A..B: the name, and the way as a change of its own. */
static int take_follow(struct actio_cli_arguments *a, const char *value)
{
    char *equal = strchr((char *)value, '=');
    if (!equal || equal == value || !strstr(equal, "..")) return refuse(a, "follow", value, "is not NAME=A..B");
    *equal = 0;
    a->orbit.follow = value;
    return take_change(a, 'A', equal + 1);
}

static int take_box(struct actio_cli_arguments *a, const char *value)
{
    a->box[a->boxes++] = (struct actio_box_row){ value };
    return 0;
}

static int cannot_write(const struct actio_cli_arguments *a, const char *option, const char *value, const char *const *endings, size_t count)
{
    char hint[128], *p = hint, *end = hint + sizeof hint;
    p += snprintf(p, sizeof hint, "use one of:");
    for (size_t i = 0; i < count; i++)
        if (actio_can_write(endings[i], option[1] != 0)) p += snprintf(p, (size_t)(end - p), " %s", endings[i] + 1);
    return actio_cli_usage(a, hint, "%s%s: unknown file extension of '%s'", option[1] ? "--" : "-", option, value);
}

static int take_output(struct actio_cli_arguments *a, const char *value)
{
    a->output[a->outputs++] = value;
    return 0;
}

/* The endings of a motion's files; what else may be written does not care. */
static int check_outputs(const struct actio_cli_arguments *a)
{
    static const char *const endings[] = { "x.csv", "x.json", "x.h5", "x.npz" };
    for (size_t i = 0; i < a->outputs && a->command && strcmp(a->command, "run") == 0; i++)
        if (strcmp(a->output[i], "-") != 0 && !actio_can_write(a->output[i], false)) return cannot_write(a, "o", a->output[i], endings, 4);
    return 0;
}

static int check_picture(const struct actio_cli_arguments *a, const char *option, const char *value)
{
    static const char *const endings[] = { "x.svg", "x.png", "x.pdf" };
    return actio_can_write(value, true) ? 0 : cannot_write(a, option, value, endings, 3);
}

static int take_plot(struct actio_cli_arguments *a, const char *value)
{
    a->plot[a->plots++] = value;
    return check_picture(a, "plot", value);
}

static int take_overlay(struct actio_cli_arguments *a, const char *value)
{
    a->overlay[a->overlays++] = value;
    return check_picture(a, "overlay", value);
}

/* What moves is SVG, whatever else the build can draw. */
static int take_animate(struct actio_cli_arguments *a, const char *value)
{
    size_t n = strlen(value);
    a->animation[a->animations++] = value;
    if (n >= 4 && actio_can_write(value, true) && (strcmp(value + n - 4, ".svg") == 0 || strcmp(value + n - 4, ".SVG") == 0)) return 0;
    return actio_cli_usage(a, "use .svg for animations, and --plot for still pictures", "--animate: unknown file extension of '%s'", value);
}

static int take_axes(struct actio_cli_arguments *a, const char *value) { return a->axes = value, 0; }
static int take_project(struct actio_cli_arguments *a, const char *value) { return (void)value, a->run.project = true, 0; }
static int take_no_compile(struct actio_cli_arguments *a, const char *value) { return (void)value, a->run.no_compile = true, 0; }
static int take_verify(struct actio_cli_arguments *a, const char *value) { return (void)value, a->run.verify = true, 0; }
static int take_json(struct actio_cli_arguments *a, const char *value) { return (void)value, a->json = true, 0; }
static int take_quiet(struct actio_cli_arguments *a, const char *value) { return (void)value, a->quiet = true, 0; }
static int take_no_color(struct actio_cli_arguments *a, const char *value) { return (void)value, a->no_color = true, 0; }
static int take_help(struct actio_cli_arguments *a, const char *value) { return (void)value, a->help = true, 0; }
static int take_version(struct actio_cli_arguments *a, const char *value) { return (void)value, a->version = true, 0; }

static const struct { const char *name; take_fn take; } takers[] = {
    { "by", take_by }, { "set", take_set }, { "start", take_start }, { "time", take_time }, { "project", take_project },
    { "tol", take_tol }, { "local", take_local }, { "method", take_method }, { "resplit", take_resplit }, { "pick", take_pick },
    { "sigma", take_sigma }, { "barrier", take_barrier }, { "grid", take_grid }, { "order", take_order }, { "slabs", take_slabs },
    { "verify", take_verify }, { "form", take_form }, { "gradient", take_gradient }, { "nodes", take_nodes }, { "points", take_points },
    { "closure", take_closure }, { "power", take_power }, { "multipliers", take_multipliers }, { "base", take_base }, { "weights", take_weights }, { "potential", take_potential }, { "final", take_final },
    { "o", take_output }, { "format", take_format },
    { "period", take_period }, { "turn", take_turn }, { "loose", take_loose }, { "find", take_find }, { "follow", take_follow }, { "average", take_average }, { "guess", take_guess },
    { "plot", take_plot }, { "overlay", take_overlay }, { "animate", take_animate }, { "box", take_box }, { "modes", take_modes }, { "axes", take_axes }, { "json", take_json }, { "quiet", take_quiet }, { "no-color", take_no_color },
    { "no-compile", take_no_compile }, { "limit-memory", take_memory }, { "limit-time", take_seconds },
    { "help", take_help }, { "version", take_version },
};

static take_fn taker(const char *name)
{
    for (size_t i = 0; i < sizeof takers / sizeof *takers; i++)
        if (strcmp(takers[i].name, name) == 0) return takers[i].take;
    return NULL;
}

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
        else if (strcmp(name, "sweep") == 0) snprintf(hint, size, "run once for each value, with --set NAME=VALUE -o FILE: this version has no sweeps");
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

/* The row of `--name` or `-o`, with the name's length; NULL when there is none. */
static const struct actio_option_row *find_option(const char *name, size_t length)
{
    const struct actio_option_row *rows;
    size_t count = actio_options(&rows);
    for (size_t i = 0; i < count; i++)
        if (strlen(rows[i].name) == length && strncmp(rows[i].name, name, length) == 0) return &rows[i];
    return NULL;
}

static int take_option(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    const char *dash = row->name[1] ? "--" : "-";
    if (row->commands[0] == 0)
        return actio_cli_usage(a, NULL, "%s%s belongs to %s, which this version does not have", dash, row->name, row->help);
    a->used[a->uses++] = row;
    take_fn take = taker(row->name);
    return take ? take(a, value) : unknown_option(a, row->name, row->name);
}

/* A word that begins with a dash; may use up the next one as its value. */
static int read_option(struct actio_cli_arguments *a, int argc, char **argv, int *i)
{
    const char *word = argv[*i], *value = NULL;
    bool is_long = word[1] == '-';
    const char *name = word + (is_long ? 2 : 1);
    size_t length = is_long ? strcspn(name, "=") : 1;
    const struct actio_option_row *row = (length == 1) == !is_long ? find_option(name, length) : NULL;
    if (name[length]) value = is_long ? name + length + 1 : name + length;
    if (!row) {
        char bare[64];
        snprintf(bare, sizeof bare, "%.*s", (int)strcspn(name, "="), name);
        return unknown_option(a, word, bare);
    }
    if (strcmp(row->name, "help") == 0 && value) return a->help = true, a->help_kind = value, 0;
    if (!row->argument && value) return actio_cli_usage(a, NULL, "--%s takes no value", row->name);
    if (row->argument && row->commands[0] && !value) {
        if (*i + 1 >= argc) return actio_cli_usage(a, NULL, "%s%s needs a value: %s", is_long ? "--" : "-", row->name, row->argument);
        value = argv[++*i];
    }
    return take_option(a, row, value);
}

/* "check, derive or run": every command of this version. */
const char *actio_cli_commands(char *text, size_t size)
{
    const struct actio_command_row *rows;
    size_t count = actio_commands(&rows), left = 0, used = 0;
    for (size_t i = 0; i < count; i++) left += rows[i].synopsis != NULL;
    for (size_t i = 0; i < count && used < size; i++)
        if (rows[i].synopsis) used += (size_t)snprintf(text + used, size - used, "%s%s", rows[i].name, --left > 1 ? ", " : left == 1 ? " or " : "");
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
    a->animation = calloc(count, sizeof *a->animation);
    a->box = calloc(count, sizeof *a->box);
    a->used = calloc(count, sizeof *a->used);
    return a->model && a->change && a->output && a->plot && a->overlay && a->animation && a->box && a->used;
}

void actio_cli_forget(struct actio_cli_arguments *a)
{
    free(a->model);
    free(a->change);
    free(a->output);
    free(a->plot);
    free(a->overlay);
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

static int check_together(struct actio_cli_arguments *a)
{
    for (size_t i = 0; a->command && i < a->uses; i++)
        if (!actio_cli_belongs(a->used[i], a->command))
            return actio_cli_usage(a, NULL, "%s%s does not belong to `%s`, but to: %s", a->used[i]->name[1] ? "--" : "-", a->used[i]->name,
                                   a->command, a->used[i]->commands);
    for (size_t i = 0; i < a->uses; i++)
        if (strcmp(a->used[i]->name, "resplit") == 0 && a->run.by && strcmp(a->run.by, "dual") == 0)
            return actio_cli_usage(a, NULL, "--resplit belongs to --by reduced: the dual action keeps its initial split");
    size_t inputs = 0;
    for (size_t i = 0; i < a->models; i++) inputs += strcmp(a->model[i], "-") == 0;
    if (inputs > 1) return actio_cli_usage(a, "write `-` once", "`-` (standard input) can be read only once; found %zu times", inputs);
    bool standard_output = false;
    for (size_t i = 0; i < a->outputs; i++) standard_output = standard_output || strcmp(a->output[i], "-") == 0;
    if (a->json && standard_output) return actio_cli_usage(a, NULL, "--json and -o - both need standard output");
    if (check_outputs(a)) return ACTIO_WRONG_USAGE;
    bool compares = a->command && strcmp(a->command, "compare") == 0;
    const char *picture = compares ? "--overlay" : "--plot";
    if (a->axes && !(compares ? a->overlays : a->plots + a->animations)) return actio_cli_usage(a, NULL, "--axes chooses the columns of %s, but %s is missing", picture, picture);
    if (a->run.width_count && !compares) return actio_cli_usage(a, "use `actio compare` for several widths", "--sigma: `%s` takes one width", a->command ? a->command : "actio");
    return 0;
}

int actio_cli_parse(int argc, char **argv, struct actio_cli_arguments *a)
{
    *a = (struct actio_cli_arguments){ .run = actio_run_options_default(), .orbit = actio_orbit_options_default() };
    look_ahead(argc, argv, a);
    actio_cli_say_setup(a);
    if (!allocate(a, (size_t)argc + 1)) return actio_cli_complain(a, ACTIO_LIMIT_REACHED, "close other programs", "out of memory while reading the command line");
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

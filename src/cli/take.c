/* SPDX-License-Identifier: Apache-2.0
 * The value of an option: read by the kind in its row, and written into the field that the row names. A few options
 * have readers of their own. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef int (*take_fn)(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value);

static int take_refuse(const struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value,
                       const char *why)
{
    return actio_cli_usage(a, NULL, "--%s: '%s' %s", row->name, value, why);
}

/* "'3' is not a number from 0 to 1". */
static int refuse_range(const struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    char takes[128];
    actio_option_takes(row, takes, sizeof takes);
    return actio_cli_usage(a, NULL, "--%s: '%s' is not %s", row->name, value, takes);
}

/* ---- values by their kind. Each takes one and returns 0, or 2 after a message. */

static void *field(struct actio_cli_arguments *a, const struct actio_option_row *row)
{
    char *parts[] = { [ACTIO_INTO_NONE] = NULL,
                      [ACTIO_INTO_RUN] = (char *)&a->run,
                      [ACTIO_INTO_ORBIT] = (char *)&a->orbit,
                      [ACTIO_INTO_LIMITS] = (char *)&a->limits };
    return parts[row->into] + row->offset;
}

static int take_switch(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    (void)value;
    *(bool *)field(a, row) = true;
    return 0;
}

static bool in_range(const struct actio_option_row *row, double x)
{
    return row->kind == ACTIO_TAKES_POSITIVE ? x > 0 && x <= row->most : x >= row->least && x <= row->most;
}

static int take_number(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    double x;
    if (!actio_cli_quotient(value, &x) || !in_range(row, x)) return refuse_range(a, row, value);
    *(double *)field(a, row) = x;
    return 0;
}

/* Whole, in the range; far beyond any memory is as good as infinite: the run's own check refuses it. */
static bool read_whole(const struct actio_option_row *row, const char *value, double *x)
{
    if (!actio_cli_number(value, x) || *x != floor(*x) || !in_range(row, *x)) return false;
    *x = fmin(*x, ldexp(1, 62));
    return true;
}

static int take_count(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    double x;
    if (!read_whole(row, value, &x)) return refuse_range(a, row, value);
    *(size_t *)field(a, row) = (size_t)x;
    return 0;
}

static int take_integer(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    double x;
    if (!read_whole(row, value, &x)) return refuse_range(a, row, value);
    *(int *)field(a, row) = (int)x;
    return 0;
}

/* One of a few words, with the nearest as a hint. */
static int take_choose(const struct actio_cli_arguments *a, const char *option, const char *value,
                       const char *const *words, size_t count, const char **taken)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(value, words[i]) == 0) {
            *taken = words[i];
            return 0;
        }
    char hint[256] = "";
    const char *near = actio_cli_near(value, words, count);
    size_t used = (size_t)snprintf(hint, sizeof hint, near ? "did you mean '%s'?" : "use one of:", near ? near : "");
    for (size_t i = 0; !near && i < count && used < sizeof hint; i++)
        used += (size_t)snprintf(hint + used, sizeof hint - used, " %s", words[i]);
    return actio_cli_usage(a, hint, "--%s: unknown value '%s'", option, value);
}

/* The words of a row, cut apart in a copy that lives as long as the arguments. */
static size_t split_words(struct actio_cli_arguments *a, const char *words, const char **word, size_t room)
{
    size_t count = 0;
    snprintf(a->words, sizeof a->words, "%s", words);
    for (char *s = a->words; s && count < room; count++) {
        char *bar = strchr(s, '|');
        if (bar) *bar++ = 0;
        word[count] = s;
        s = bar;
    }
    return count;
}

static int take_word(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    const char *word[16], *chosen = NULL;
    int bad = take_choose(a, row->name, value, word, split_words(a, row->words, word, 16), &chosen);
    if (!bad) *(const char **)field(a, row) = value; /* the command line's own text outlives the copy */
    return bad;
}

static int take_text(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    *(const char **)field(a, row) = value;
    return 0;
}

/* Names with commas; their text stays in the command line's own. */
static int take_names(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    struct {
        const char **list;
        size_t count;
    } *names = field(a, row);
    enum { ROOM = sizeof a->names[0] / sizeof a->names[0][0] };
    if (!names->list) names->list = a->names[a->name_lists++ % (sizeof a->names / sizeof a->names[0])];
    for (char *s = (char *)value, *end;; s = end + 1) {
        end = strchr(s, ',');
        if (end) *end = 0;
        while (*s == ' ') s++;
        for (size_t n = strlen(s); n && s[n - 1] == ' '; n--) s[n - 1] = 0;
        if (*s == 0) return take_refuse(a, row, value, "lacks a name");
        if (names->count == ROOM) return actio_cli_usage(a, NULL, "--%s: at most %d names", row->name, (int)ROOM);
        names->list[names->count++] = s;
        if (!end) return 0;
    }
}

static int add_change(struct actio_cli_arguments *a, enum actio_change_kind kind, const char *value)
{
    a->change[a->changes++] = (struct actio_change){ kind, value };
    return 0;
}

static int take_change(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    if (!strstr(value, row->words)) return refuse_range(a, row, value);
    return add_change(a, row->change, value);
}

static const take_fn by_kind[] = {
    [ACTIO_TAKES_NOTHING] = take_switch, [ACTIO_TAKES_NUMBER] = take_number,   [ACTIO_TAKES_POSITIVE] = take_number,
    [ACTIO_TAKES_COUNT] = take_count,    [ACTIO_TAKES_INTEGER] = take_integer, [ACTIO_TAKES_WORD] = take_word,
    [ACTIO_TAKES_TEXT] = take_text,      [ACTIO_TAKES_NAMES] = take_names,     [ACTIO_TAKES_CHANGE] = take_change,
};

/* ---- readers of their own */

static int take_take_memory(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    const char *why = actio_cli_bytes(value, &a->limits.memory);
    return why ? take_refuse(a, row, value, why) : 0;
}

static int take_principle(struct actio_cli_arguments *a, const char *value, const char **taken)
{
    enum { MOST = 32 };
    const char *words[MOST];
    size_t here = 0;
    for (; here < MOST && actio_principle_name(here); here++) words[here] = actio_principle_name(here);
    return take_choose(a, "by", value, words, here, taken);
}

static bool is_command(const struct actio_cli_arguments *a, const char *name)
{
    return a->command && strcmp(a->command, name) == 0;
}

/* One name; for compare several with commas, each once. */
static int take_by(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    char word[64];
    if (is_command(a, "orbit") && strcmp(value, "dual") == 0) { /* an orbit's way, not its motion's */
        a->orbit.method = "dual";
        return 0;
    }
    if (!is_command(a, "compare")) return take_principle(a, value, &a->run.by);
    for (const char *s = value, *end;; s = end + 1) {
        end = strchr(s, ',');
        snprintf(word, sizeof word, "%.*s", end ? (int)(end - s) : (int)strlen(s), s);
        const char *name = NULL;
        int bad = take_principle(a, word, &name);
        if (bad) return bad;
        for (size_t i = 0; i < a->principles; i++)
            if (a->principle[i] == name) return actio_cli_usage(a, NULL, "--%s: '%s' is given twice", row->name, name);
        if (a->principles < sizeof a->principle / sizeof *a->principle) a->principle[a->principles++] = name;
        if (!end) return 0;
    }
}

/* zero, nonnegative, or nonnegative,S with the base of the slack. */
static int take_power(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    char *comma = strchr((char *)value, ',');
    if (comma && (!actio_cli_number(comma + 1, &a->run.slack) || a->run.slack == 0))
        return take_refuse(a, row, value, "needs a nonzero base for its slack: from 0 the slack never moves");
    if (comma) *comma = 0;
    return take_word(a, row, value);
}

static int take_modes(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    double x;
    if (!actio_cli_number(value, &x) || x != floor(x) || !(x >= 1 && x <= 1e8))
        return take_refuse(a, row, value, "is not a whole number of at least 1");
    a->modes = (size_t)x;
    return 0;
}

static int take_width(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value, double *to)
{
    return actio_cli_quotient(value, to) && *to > 0
               ? 0
               : take_refuse(a, row, value, "is not a number above 0, nor a quotient such as 1/110");
}

/* Widths with commas, behind `hard` or not: each is compared with hard walls. */
static int take_widths(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    char word[64];
    size_t most = sizeof a->width / sizeof *a->width, n = 0;
    for (const char *s = strncmp(value, "hard,", 5) == 0 ? value + 5 : value, *end;; s = end + 1) {
        end = strchr(s, ',');
        snprintf(word, sizeof word, "%.*s", end ? (int)(end - s) : (int)strlen(s), s);
        if (n == most) return actio_cli_usage(a, NULL, "--%s: at most %zu widths", row->name, most);
        int bad = take_width(a, row, word, &a->width[n++]);
        if (bad) return bad;
        if (!end) break;
    }
    a->run.widths = a->width;
    a->run.width_count = n;
    return 0;
}

static int take_sigma(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    a->run.sigma_auto = strcmp(value, "auto") == 0;
    a->run.width_count = 0;
    if (strchr(value, ',')) return take_widths(a, row, value);
    return a->run.sigma_auto ? 0 : take_width(a, row, value, &a->run.sigma);
}

static int take_format(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    static const char *const words[] = { "text", "latex", "c" };
    return take_choose(a, row->name, value, words, 3, &a->format);
}

static int take_base(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    if (strchr(value, '=')) return add_change(a, ACTIO_CHANGE_BASE, value);
    size_t n = strlen(value);
    bool file = n > 4 && strcmp(value + n - 4, ".csv") == 0;
    if (!file && strcmp(value, "exact") != 0 && strcmp(value, "constant") != 0)
        return take_refuse(a, row, value, "is neither exact, constant, a .csv file, nor NAME=EXPR");
    a->run.base = value;
    return 0;
}

/* NAME=A..B: the name, and the way as a change of its own. */
static int take_follow(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    char *equal = strchr((char *)value, '=');
    if (!equal || equal == value || !strstr(equal, "..")) return take_refuse(a, row, value, "is not NAME=A..B");
    *equal = 0;
    a->orbit.follow = value;
    return add_change(a, ACTIO_CHANGE_FOLLOW, equal + 1);
}

static int take_box(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    (void)row;
    a->box[a->boxes++] = (struct actio_box_row){ value };
    return 0;
}

static int cannot_write(const struct actio_cli_arguments *a, const char *option, const char *value,
                        const char *const *endings, size_t count)
{
    char hint[128], *p = hint, *end = hint + sizeof hint;
    p += snprintf(p, sizeof hint, "use one of:");
    for (size_t i = 0; i < count; i++)
        if (actio_can_write(endings[i], option[1] != 0)) p += snprintf(p, (size_t)(end - p), " %s", endings[i] + 1);
    return actio_cli_usage(a, hint, "%s%s: unknown file extension of '%s'", option[1] ? "--" : "-", option, value);
}

static int take_output(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    (void)row;
    a->output[a->outputs++] = value;
    return 0;
}

/* The endings of a motion's files; what else may be written does not care. */
int actio_cli_check_outputs(const struct actio_cli_arguments *a)
{
    static const char *const endings[] = { "x.csv", "x.json", "x.h5", "x.npz" };
    for (size_t i = 0; i < a->outputs && a->command && strcmp(a->command, "run") == 0; i++)
        if (strcmp(a->output[i], "-") != 0 && !actio_can_write(a->output[i], false))
            return cannot_write(a, "o", a->output[i], endings, 4);
    return 0;
}

static int check_picture(const struct actio_cli_arguments *a, const char *option, const char *value)
{
    static const char *const endings[] = { "x.svg", "x.png", "x.pdf" };
    return actio_can_write(value, true) ? 0 : cannot_write(a, option, value, endings, 3);
}

static int take_plot(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    a->plot[a->plots++] = value;
    return check_picture(a, row->name, value);
}

static int take_overlay(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    a->overlay[a->overlays++] = value;
    return check_picture(a, row->name, value);
}

static int take_events(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    size_t n = strlen(value);
    a->events[a->event_lists++] = value;
    if (n >= 4 && (strcmp(value + n - 4, ".csv") == 0 || strcmp(value + n - 4, ".CSV") == 0)) return 0;
    return actio_cli_usage(a, "use .csv for events; -o FILE.json, .h5 and .npz have them beside the rows",
                           "--%s: unknown file extension of '%s'", row->name, value);
}

/* What moves is SVG, whatever else the build can draw. */
static int take_animate(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    size_t n = strlen(value);
    a->animation[a->animations++] = value;
    if (n >= 4 && actio_can_write(value, true)
        && (strcmp(value + n - 4, ".svg") == 0 || strcmp(value + n - 4, ".SVG") == 0))
        return 0;
    return actio_cli_usage(a, "use .svg for animations, and --plot for still pictures",
                           "--%s: unknown file extension of '%s'", row->name, value);
}

static int take_axes(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    (void)row;
    a->axes = value;
    return 0;
}

/* ---- by name, where a reader is its own; by kind otherwise */

static const struct {
    const char *name;
    take_fn take;
} takers[] = {
    { "by", take_by },           { "sigma", take_sigma },
    { "power", take_power },     { "base", take_base },
    { "follow", take_follow },   { "box", take_box },
    { "modes", take_modes },     { "o", take_output },
    { "format", take_format },   { "plot", take_plot },
    { "overlay", take_overlay }, { "animate", take_animate },
    { "axes", take_axes },       { "limit-memory", take_take_memory },
    { "events", take_events },
};

static bool take_flag(struct actio_cli_arguments *a, const char *name)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {
        { "json", &a->json }, { "quiet", &a->quiet },     { "no-color", &a->no_color },
        { "help", &a->help }, { "version", &a->version },
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(flags[i].name, name) != 0) continue;
        *flags[i].flag = true;
        return true;
    }
    return false;
}

int actio_cli_take(struct actio_cli_arguments *a, const struct actio_option_row *row, const char *value)
{
    for (size_t i = 0; i < sizeof takers / sizeof *takers; i++)
        if (strcmp(takers[i].name, row->name) == 0) return takers[i].take(a, row, value);
    if (take_flag(a, row->name)) return 0;
    return by_kind[row->kind](a, row, value);
}

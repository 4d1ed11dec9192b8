/* SPDX-License-Identifier: Apache-2.0
 * No file is written that is read, or twice: files are distinguished by what they are and not by their names. */
#define _XOPEN_SOURCE 700
#include "cli/cli.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS = 40, PATH = 4096 };

/* A file that is there, by its own number; one that will be made, by its folder's number and its name. */
struct place {
    dev_t device;
    ino_t number;
    const char *name;
    char path[PATH];
};

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Replaces a link by what it points to; false when it is not a link. */
static bool follow(char path[PATH])
{
    char to[PATH];
    ssize_t n = readlink(path, to, sizeof to - 1);
    size_t keep = n > 0 && to[0] != '/' ? (size_t)(last_part(path) - path) : 0;
    if (n <= 0 || keep + (size_t)n >= PATH) return false;
    memcpy(path + keep, to, (size_t)n);
    path[keep + (size_t)n] = 0;
    return true;
}

static bool set(struct place *p, const struct stat *s, const char *name)
{
    p->device = s->st_dev;
    p->number = s->st_ino;
    p->name = name;
    return true;
}

static bool locate_new(struct place *p)
{
    struct stat s;
    char folder[PATH];
    size_t n = (size_t)(last_part(p->path) - p->path);
    memcpy(folder, p->path, n);
    memcpy(folder + n, ".", 2);
    return stat(folder, &s) == 0 && set(p, &s, p->path + n);
}

/* False for what is not a plain file and can't be one: a pipe, a device, a folder, a path that leads nowhere. */
static bool locate(const char *path, struct place *p)
{
    struct stat s;
    if (strlen(path) + 2 > PATH) return false;
    strcpy(p->path, path);
    if (stat(path, &s) == 0) return S_ISREG(s.st_mode) && set(p, &s, "");
    for (int i = 0; i < LINKS && follow(p->path); i++) continue;
    return locate_new(p);
}

static bool same(const struct place *a, const struct place *b)
{
    return a->device == b->device && a->number == b->number && strcmp(a->name, b->name) == 0;
}

/* ---- what is read */

/* --base has words besides: a file ends in .csv. */
static const char *base_file(const char *base)
{
    size_t n = base ? strlen(base) : 0;
    return n > 4 && strcmp(base + n - 4, ".csv") == 0 ? base : NULL;
}

/* What the output overwrites, in words, or NULL. */
static const char *reads(const struct actio_cli_arguments *a, const struct place *output)
{
    const struct {
        const char *path, *what;
    } table[] = { { base_file(a->run.base), "base state" }, { a->orbit.guess, "guess" } };
    struct place p;
    struct stat s;
    for (size_t i = 0; i < a->models && actio_cli_reads_models(a->command); i++) {
        bool standard = strcmp(a->model[i], "-") == 0;
        if (standard ? fstat(STDIN_FILENO, &s) == 0 && S_ISREG(s.st_mode) && set(&p, &s, "") : locate(a->model[i], &p))
            if (same(&p, output)) return "model";
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].path && locate(table[i].path, &p) && same(&p, output)) return table[i].what;
    return NULL;
}

/* ---- what is written */

struct written {
    const char *option, *path;
};

/* The outputs one after the other; false when there are no more. */
static bool output(const struct actio_cli_arguments *a, size_t i, struct written *w)
{
    const struct {
        const char *option, **path;
        size_t count;
    } list[] = { { "-o", a->output, a->outputs },
                 { "--plot", a->plot, a->plots },
                 { "--overlay", a->overlay, a->overlays },
                 { "--events", a->events, a->event_lists },
                 { "--animate", a->animation, a->animations } };
    for (size_t k = 0; k < sizeof list / sizeof *list; i -= list[k++].count)
        if (i < list[k].count) {
            *w = (struct written){ list[k].option, list[k].path[i] };
            return true;
        }
    return false;
}

static int refuse_twice(const struct actio_cli_arguments *a, size_t i, const struct written *w, const struct place *p)
{
    struct written other;
    struct place q;
    for (size_t j = 0; j < i && output(a, j, &other); j++)
        if (strcmp(other.path, "-") != 0 && locate(other.path, &q) && same(p, &q))
            return actio_cli_usage(a, "give each output a file of its own", "%s '%s' and %s '%s' are the same file",
                                   other.option, other.path, w->option, w->path);
    return 0;
}

static int refuse_output(const struct actio_cli_arguments *a, size_t i, const struct written *w)
{
    struct place p;
    if (strcmp(w->path, "-") == 0 || !locate(w->path, &p)) return 0;
    const char *what = reads(a, &p);
    if (what)
        return actio_cli_usage(a, "give another name to the output", "%s '%s' would overwrite the input (%s)",
                               w->option, w->path, what);
    return refuse_twice(a, i, w, &p);
}

/* `>> M.act`: it would grow. Nothing is said there either. */
static int refuse_standard(const struct actio_cli_arguments *a)
{
    struct actio_cli_arguments plain = *a;
    struct stat s;
    struct place p;
    const char *what = fstat(STDOUT_FILENO, &s) == 0 && S_ISREG(s.st_mode) && set(&p, &s, "") ? reads(a, &p) : NULL;
    plain.json = false;
    return what ? actio_cli_usage(&plain, "send the output elsewhere", "standard output would overwrite the input (%s)",
                                  what)
                : 0;
}

int actio_cli_distinct(const struct actio_cli_arguments *a)
{
    struct written w;
    int status = refuse_standard(a);
    for (size_t i = 0; !status && output(a, i, &w); i++) status = refuse_output(a, i, &w);
    return status;
}

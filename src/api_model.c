/* SPDX-License-Identifier: Apache-2.0
 * Models by name: whole files, read without trusting what the file system says of them, and the built-in gallery. */
#define _POSIX_C_SOURCE 200809L
#include <actio/actio.h>

#include "base/findings.h"
#include "entry.h"
#include "files.h"
#include "gallery.h"
#include "model/model.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t largest_file = (size_t)64 << 20;

size_t actio_gallery(const struct actio_example **examples)
{
    if (examples) *examples = actio_gallery_examples;
    return actio_gallery_count;
}

/* ---- files */

static bool cannot_read(struct actio_findings *f, const char *path, const char *why)
{
    actio_find(f, ACTIO_F_CANNOT_READ, ACTIO_ARGS(ACTIO_TEXT(path), ACTIO_TEXT(why)));
    return false;
}

/* A pipe or a device could make us wait, or never end. Opening does not block, what it is decides after. */
static int open_plain(const char *path, struct actio_findings *f)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return cannot_read(f, path, strerror(errno)), -1;
    const char *why = NULL;
    if (fstat(fd, &st) != 0) why = strerror(errno);
    else if (S_ISDIR(st.st_mode)) why = "it is a directory";
    else if (!S_ISREG(st.st_mode)) why = "it is a pipe or a device; save the text to a file first";
    if (!why) return fd;
    close(fd);
    return cannot_read(f, path, why), -1;
}

struct content { const char *what; char *text; size_t length, cap; };

static bool make_room(struct actio_context *ctx, struct content *c, struct actio_findings *f)
{
    if (c->length < c->cap) return true;
    size_t cap = c->cap ? 2 * c->cap : 16384;
    char *larger = actio_take(ctx, cap, 1);
    if (!larger) {
        actio_find(f, ACTIO_F_OUT_OF_MEMORY, ACTIO_ARGS(ACTIO_TEXT(c->what), ACTIO_COUNT(ctx->bytes_limit)));
        return false;
    }
    if (c->length) memcpy(larger, c->text, c->length);
    actio_give(ctx, c->text);
    c->text = larger;
    c->cap = cap;
    return true;
}

static bool read_all(struct actio_context *ctx, int fd, const char *path, struct content *c, struct actio_findings *f)
{
    for (;;) {
        if (!make_room(ctx, c, f)) return false;
        ssize_t n = read(fd, c->text + c->length, c->cap - c->length);
        if (n == 0) return true;
        if (n < 0 && errno == EINTR && !actio_stopped(ctx)) continue;
        if (n < 0 && errno == EINTR) return actio_find(f, ACTIO_F_INTERRUPTED, ACTIO_NO_ARGS), false;
        if (n < 0) return cannot_read(f, path, strerror(errno));
        c->length += (size_t)n;
        if (c->length > largest_file) {
            actio_find(f, ACTIO_F_TOO_LARGE, ACTIO_ARGS(ACTIO_TEXT(c->what), ACTIO_TEXT("more than 64 MiB"), ACTIO_TEXT("64 MiB")));
            return false;
        }
    }
}

char *actio_file_read(struct actio_context *ctx, const char *path, const char *what, size_t *length, struct actio_findings *f)
{
    struct content c = { .what = what };
    int fd = open_plain(path, f);
    if (fd < 0) return NULL;
    bool whole = read_all(ctx, fd, path, &c, f);
    close(fd);
    if (!whole) actio_give(ctx, c.text), c.text = NULL;
    *length = c.length;
    return c.text;
}

/* ---- models */

/* The name that messages and results have for a model without a file. */
static const char standard_input[] = "standard input";

struct naming { struct actio_model *model; const char *file; };

static void name_by_file(void *user)
{
    struct naming *n = user;
    const char *slash = strrchr(n->file, '/'), *stem = slash ? slash + 1 : n->file;
    size_t length = strlen(stem);
    if (length > 4 && strcmp(stem + length - 4, ".act") == 0) length -= 4;
    if (strcmp(n->file, standard_input) == 0) stem = "model", length = strlen(stem);
    n->model->name = actio_arena_text(&n->model->arena, stem, length);
}

struct actio_model *actio_model_read_string_inside(struct actio_context *ctx, const char *file, const char *text, size_t length,
                                            const struct actio_change *change, size_t changes, struct actio_findings *f)
{
    static const char kinds[] = ACTIO_CHANGE_KINDS;
    struct actio_override *override = actio_take(ctx, changes + 1, sizeof *override);
    if (!override) {
        actio_find(f, ACTIO_F_OUT_OF_MEMORY, ACTIO_ARGS(ACTIO_TEXT("reading the model"), ACTIO_COUNT(ctx->bytes_limit)));
        return NULL;
    }
    for (size_t i = 0; i < changes; i++) {
        const char *which = strchr(kinds, change[i].kind);
        override[i].kind = (enum actio_override_kind)(which - kinds);
        override[i].text = change[i].text;
    }
    struct actio_model *model = actio_model_read_text(ctx, file, text, length, override, changes, f);
    actio_give(ctx, override);
    struct naming naming = { model, file };
    if (model && !model->name) actio_attempt(ctx, name_by_file, &naming);
    return model;
}

static struct actio_model *read_file(struct actio_context *ctx, const char *path, const struct actio_change *change, size_t changes, struct actio_findings *f)
{
    size_t length;
    char *text = actio_file_read(ctx, path, "the model file", &length, f);
    struct actio_model *model = text ? actio_model_read_string_inside(ctx, path, text, length, change, changes, f) : NULL;
    actio_give(ctx, text);
    return model;
}

static struct actio_model *read_input(struct actio_context *ctx, const struct actio_change *change, size_t changes, struct actio_findings *f)
{
    struct content c = { .what = "the model" };
    struct actio_model *model = NULL;
    if (read_all(ctx, STDIN_FILENO, standard_input, &c, f)) model = actio_model_read_string(ctx, standard_input, c.text, c.length, change, changes, f);
    actio_give(ctx, c.text);
    return model;
}

static bool names_a_file(const char *name)
{
    struct stat st;
    size_t length = strlen(name);
    if (strchr(name, '/') || (length >= 4 && strcmp(name + length - 4, ".act") == 0)) return true;
    return stat(name, &st) == 0 && !S_ISDIR(st.st_mode);   /* a folder of that name does not hide the gallery */
}

static void not_found(const char *name, struct actio_findings *f)
{
    enum { MOST = 256 };
    const char *stems[MOST];
    size_t n = actio_gallery_count < MOST ? actio_gallery_count : MOST;
    for (size_t i = 0; i < n; i++) stems[i] = actio_gallery_examples[i].stem;
    const char *near = actio_near_name(name, stems, n);
    char why[160] = "there is no such file, and no such model in the gallery (see `actio list`)";
    const char *text = "there is no such file; the gallery has '";
    if (near && strlen(text) + strlen(near) + 2 <= sizeof why) {
        strcpy(why, text);
        strcat(strcat(why, near), "'");
    }
    cannot_read(f, name, why);
}

struct actio_model *actio_model_read_inside(struct actio_context *ctx, const char *name, const struct actio_change *change, size_t changes, struct actio_findings *f)
{
    if (strcmp(name, "-") == 0) return read_input(ctx, change, changes, f);
    if (names_a_file(name)) return read_file(ctx, name, change, changes, f);
    for (size_t i = 0; i < actio_gallery_count; i++) {
        const struct actio_example *e = &actio_gallery_examples[i];
        char file[128] = "";
        if (strcmp(e->stem, name) != 0 || strlen(name) + 5 > sizeof file) continue;
        strcat(strcpy(file, name), ".act");
        return actio_model_read_string_inside(ctx, file, e->text, strlen(e->text), change, changes, f);
    }
    not_found(name, f);
    return NULL;
}

const char *actio_model_name(const struct actio_model *model) { return model && model->name ? model->name : ""; }
const char *actio_model_description(const struct actio_model *model) { return model && model->description ? model->description : ""; }
size_t actio_model_claims(const struct actio_model *model) { return model ? model->claims : 0; }

/* SPDX-License-Identifier: Apache-2.0
 * Models by name: files, and the built-in gallery. */
#define _POSIX_C_SOURCE 200809L
#include <actio/actio.h>

#include "base/findings.h"
#include "api/entry.h"
#include "api/gallery.h"
#include "model/file.h"
#include "model/model.h"
#include "principle/principles.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

size_t actio_gallery(const struct actio_example **examples)
{
    if (examples) *examples = actio_gallery_examples;
    return actio_gallery_count;
}

/* ---- models */

/* The name that messages and results have for a model without a file. */
static const char standard_input[] = "standard input";

struct naming {
    struct actio_model *model;
    const char *file;
};

static void name_by_file(void *user)
{
    struct naming *n = user;
    const char *slash = strrchr(n->file, '/'), *stem = slash ? slash + 1 : n->file;
    size_t length = strlen(stem);
    if (length > 4 && strcmp(stem + length - 4, ".act") == 0) length -= 4;
    if (strcmp(n->file, standard_input) == 0) {
        stem = "model";
        length = strlen(stem);
    }
    n->model->name = actio_arena_text(&n->model->arena, stem, length);
}

_Static_assert(ACTIO_CHANGE_TURN - ACTIO_CHANGE_PARAM == ACTIO_SET_TURN, "changes are in the order of overrides");

struct actio_model *actio_model_read_string_inside(struct actio_context *ctx, const char *file, const char *text,
                                                   size_t length, const struct actio_change *change, size_t changes,
                                                   struct actio_findings *f)
{
    struct actio_override *override = actio_alloc(ctx, changes + 1, sizeof *override);
    if (!override) {
        actio_report(f, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("reading the model"), ACTIO_COUNT(ctx->bytes_limit)));
        return NULL;
    }
    for (size_t i = 0; i < changes; i++) {
        override[i].kind = (enum actio_override_kind)(change[i].kind - ACTIO_CHANGE_PARAM);
        override[i].text = change[i].text;
    }
    struct actio_model *model = actio_model_read_text(ctx, file, text, length, override, changes, f);
    actio_free(ctx, override);
    if (model && !actio_principles_claimed(model, f)) {
        actio_model_free(model);
        return NULL;
    }
    struct naming naming = { model, file };
    if (model && !model->name) actio_attempt(ctx, name_by_file, &naming);
    return model;
}

static struct actio_model *read_file(struct actio_context *ctx, const char *path, const struct actio_change *change,
                                     size_t changes, struct actio_findings *f)
{
    size_t length;
    char *text = actio_file_read(ctx, path, "the model file", &length, f);
    struct actio_model *model =
        text ? actio_model_read_string_inside(ctx, path, text, length, change, changes, f) : NULL;
    actio_free(ctx, text);
    return model;
}

static struct actio_model *read_input(struct actio_context *ctx, const struct actio_change *change, size_t changes,
                                      struct actio_findings *f)
{
    size_t length;
    char *text = actio_input_read(ctx, standard_input, "the model", &length, f);
    struct actio_model *model =
        text ? actio_model_read_string_inside(ctx, standard_input, text, length, change, changes, f) : NULL;
    actio_free(ctx, text);
    return model;
}

static bool names_a_file(const char *name)
{
    struct stat st;
    size_t length = strlen(name);
    if (strchr(name, '/') || (length >= 4 && strcmp(name + length - 4, ".act") == 0)) return true;
    return stat(name, &st) == 0 && !S_ISDIR(st.st_mode); /* a folder of that name does not hide the gallery */
}

static void not_found(const char *name, struct actio_findings *f)
{
    enum { MOST = 256 };
    const char *stems[MOST];
    size_t n = actio_gallery_count < MOST ? actio_gallery_count : MOST;
    for (size_t i = 0; i < n; i++) stems[i] = actio_gallery_examples[i].stem;
    const char *near = actio_near_name(name, stems, n);
    char why[160] = "no such file, and no such model in the gallery (see `actio list`)";
    const char *text = "no such file; the gallery has '";
    if (near && strlen(text) + strlen(near) + 2 <= sizeof why) {
        strcpy(why, text);
        strcat(strcat(why, near), "'");
    }
    actio_report(f, ACTIO_F_CANNOT_READ, ACTIO_ARGS(ACTIO_TEXT(name), ACTIO_TEXT(why)));
}

struct actio_model *actio_model_read_inside(struct actio_context *ctx, const char *name,
                                            const struct actio_change *change, size_t changes, struct actio_findings *f)
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

const char *actio_model_description(const struct actio_model *model)
{
    return model && model->description ? model->description : "";
}
size_t actio_model_claims(const struct actio_model *model) { return model ? model->claims : 0; }

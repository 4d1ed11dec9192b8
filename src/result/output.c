/* SPDX-License-Identifier: Apache-2.0
 * Outputs: pieces of text on their way into a file that appears whole or not at all. */
#include "result/output.h"
#include "result/table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { PIECE = 64 * 1024, TRIES = 100 };

/* Standard output, under any file system. */
static void *standard_open(struct actio_context *ctx, const char *path, int *error)
{
    (void)ctx;
    (void)path;
    (void)error;
    return stdout;
}

static int output_put(void *file, const char *bytes, size_t length)
{
    errno = 0;
    if (fwrite(bytes, 1, length, file) == length) return 0;
    return errno ? errno : EIO;
}

static int standard_close(void *file, bool keep)
{
    (void)keep;
    errno = 0;
    if (fflush(file) == 0 && !ferror(file)) return 0;
    return errno ? errno : EIO;
}

static const struct actio_file_system standard = { standard_open, output_put, standard_close, NULL };

/* Plain C: a temporary with a name that was free, renamed over the target. */
struct plain {
    FILE *stream;
    struct actio_context *ctx;
    char *target, *temporary;
};

static void plain_free(struct plain *p)
{
    actio_free(p->ctx, p->target);
    actio_free(p->ctx, p);
}

static void *plain_open(struct actio_context *ctx, const char *path, int *error)
{
    size_t n = strlen(path);
    struct plain *p = actio_alloc(ctx, 1, sizeof *p);
    *error = ENOMEM;
    if (!p) return NULL;
    p->ctx = ctx;
    p->target = actio_alloc(ctx, 2 * n + 16, 1);
    if (!p->target) {
        plain_free(p);
        return NULL;
    }
    memcpy(p->target, path, n);
    p->temporary = p->target + n + 1;
    for (int i = 0; i < TRIES && !p->stream; i++) {
        snprintf(p->temporary, n + 15, "%s.tmp%d", path, i);
        errno = 0;
        p->stream = fopen(p->temporary, "wbx");
        if (!p->stream && errno != EEXIST) break;
    }
    if (p->stream) return p;
    *error = errno ? errno : EIO;
    plain_free(p);
    return NULL;
}

static int plain_write(void *file, const char *bytes, size_t length)
{
    return output_put(((struct plain *)file)->stream, bytes, length);
}

static int plain_close(void *file, bool keep)
{
    struct plain *p = file;
    errno = 0;
    int bad = fclose(p->stream) != 0;
    if (keep && !bad) bad = rename(p->temporary, p->target) != 0;
    int error = bad ? (errno ? errno : EIO) : 0;
    if (bad || !keep) remove(p->temporary);
    plain_free(p);
    return error;
}

static const struct actio_file_system plain = { plain_open, plain_write, plain_close, &standard };
static const struct actio_file_system *now = &plain; /* set once at start-up */

void actio_file_system_register(const struct actio_file_system *system) { now = system; }

int actio_cannot_write(struct actio_findings *f, const char *path, const char *why)
{
    actio_report(f, ACTIO_F_CANNOT_WRITE, ACTIO_ARGS(ACTIO_TEXT(path), ACTIO_TEXT(why)));
    return 1;
}

static void pass_on(struct actio_output *out, const char *bytes, size_t length)
{
    if (!out->error && length) out->error = out->system->write(out->file, bytes, length);
    out->passed += length;
}

static void pass_text(struct actio_output *out)
{
    pass_on(out, out->text.s, out->text.length);
    out->text.length = 0;
}

void actio_output_drain(struct actio_output *out)
{
    if (!out->system || out->text.length < PIECE) return;
    actio_poll_overdue(out->text.arena->ctx);
    pass_text(out);
}

void actio_output_bytes(struct actio_output *out, const char *bytes, size_t length)
{
    if (!out->system) {
        actio_text_bytes(&out->text, bytes, length);
        return;
    }
    pass_text(out);
    pass_on(out, bytes, length);
}

struct filling {
    struct actio_output out;
    struct actio_arena arena;
    actio_fill_fn fill;
    const void *user;
};

static void fill_output(void *user)
{
    struct filling *w = user;
    actio_text_open(&w->out.text, &w->arena);
    w->fill(&w->out, w->user);
    pass_text(&w->out);
}

/* An error of the system, a lack of memory, or a stop: of a picture, or while a reader was waited for. */
static int say_unwritten(struct actio_context *ctx, const char *path, int error, const char *why,
                         struct actio_findings *f)
{
    bool waited = error == EINTR && actio_stopped(ctx);
    if (error == ENOMEM) { /* a library's own: the context has not seen it */
        if (!ctx->refused) {
            ctx->refused = 1;
            ctx->system_refused = true;
        }
        actio_report(f, ACTIO_F_OUT_OF_MEMORY, ACTIO_ARGS(ACTIO_TEXT("writing a file")));
        return 1;
    }
    if (!waited) return actio_cannot_write(f, path, why ? why : strerror(error));
    if (actio_cancelled(ctx)) actio_report(f, ACTIO_F_INTERRUPTED, ACTIO_NO_ARGS);
    else actio_report(f, ACTIO_F_OUT_OF_TIME, ACTIO_ARGS(ACTIO_TEXT("the output was being written")));
    return 1;
}

int actio_output_write(struct actio_context *ctx, const char *path, actio_fill_fn fill, const void *user,
                       struct actio_findings *f)
{
    if (!*path) return actio_cannot_write(f, path, "the name is empty");
    int error = 0;
    bool to_standard = strcmp(path, "-") == 0;
    struct filling w = { .out.system = !to_standard    ? now
                                       : now->standard ? now->standard
                                                       : &standard,
                         .out.whole_lines = to_standard,
                         .fill = fill,
                         .user = user };
    w.out.file = w.out.system->open(ctx, path, &error);
    if (!w.out.file) return actio_cannot_write(f, path, strerror(error));
    struct actio_findings *outer = ctx->findings;
    ctx->findings = f;
    actio_arena_open(&w.arena, ctx);
    int escaped = actio_attempt(ctx, fill_output, &w);
    actio_arena_close(&w.arena);
    ctx->findings = outer;
    error = w.out.system->close(w.out.file, !escaped && !w.out.error);
    if (w.out.error) error = w.out.error;
    if (error) return say_unwritten(ctx, path, error, w.out.why, f);
    return escaped;
}

struct piece {
    const char *bytes;
    size_t length;
};

static void fill_piece(struct actio_output *out, const void *user)
{
    const struct piece *p = user;
    actio_output_bytes(out, p->bytes, p->length);
}

int actio_file_write(struct actio_context *ctx, const char *path, const char *bytes, size_t length,
                     struct actio_findings *f)
{
    return actio_output_write(ctx, path, fill_piece, &(struct piece){ bytes, length }, f);
}

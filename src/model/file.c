/* SPDX-License-Identifier: Apache-2.0
 * Whole files, read without trusting what the file system says of them. */
#define _POSIX_C_SOURCE 200809L
#include "model/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t largest_file = (size_t)64 << 20;

static bool cannot_read(struct actio_findings *f, const char *path, const char *why)
{
    actio_report(f, ACTIO_F_CANNOT_READ, ACTIO_ARGS(ACTIO_TEXT(path), ACTIO_TEXT(why)));
    return false;
}

/* A pipe or a device could make us wait, or never end. Opening does not block, what it is decides after. */
static int open_plain(const char *path, struct actio_findings *f)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        cannot_read(f, path, strerror(errno));
        return -1;
    }
    const char *why = NULL;
    if (fstat(fd, &st) != 0) why = strerror(errno);
    else if (S_ISDIR(st.st_mode)) why = "it is a directory";
    else if (!S_ISREG(st.st_mode)) why = "it is a pipe or a device, not a file";
    if (!why) return fd;
    close(fd);
    cannot_read(f, path, why);
    return -1;
}

struct content {
    const char *what;
    char *text;
    size_t length, cap;
};

static bool make_room(struct actio_context *ctx, struct content *c, struct actio_findings *f)
{
    if (c->length < c->cap) return true;
    size_t cap = c->cap ? 2 * c->cap : 16384;
    char *larger = actio_alloc(ctx, cap, 1);
    if (!larger) {
        actio_report(f, ACTIO_F_OUT_OF_MEMORY, ACTIO_ARGS(ACTIO_TEXT(c->what), ACTIO_COUNT(ctx->bytes_limit)));
        return false;
    }
    if (c->length) memcpy(larger, c->text, c->length);
    actio_free(ctx, c->text);
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
        if (n < 0 && errno == EINTR) {
            actio_report(f, ACTIO_F_INTERRUPTED, ACTIO_NO_ARGS);
            return false;
        }
        if (n < 0) return cannot_read(f, path, strerror(errno));
        c->length += (size_t)n;
        if (c->length > largest_file) {
            actio_report(f, ACTIO_F_TOO_LARGE,
                         ACTIO_ARGS(ACTIO_TEXT(c->what), ACTIO_TEXT("more than 64 MiB"), ACTIO_TEXT("64 MiB")));
            return false;
        }
    }
}

char *actio_file_read(struct actio_context *ctx, const char *path, const char *what, size_t *length,
                      struct actio_findings *f)
{
    struct content c = { .what = what };
    int fd = open_plain(path, f);
    if (fd < 0) return NULL;
    bool whole = read_all(ctx, fd, path, &c, f);
    close(fd);
    if (!whole) {
        actio_free(ctx, c.text);
        c.text = NULL;
    }
    *length = c.length;
    return c.text;
}

char *actio_input_read(struct actio_context *ctx, const char *name, const char *what, size_t *length,
                       struct actio_findings *f)
{
    struct content c = { .what = what };
    bool whole = read_all(ctx, STDIN_FILENO, name, &c, f);
    if (!whole) {
        actio_free(ctx, c.text);
        c.text = NULL;
    }
    *length = c.length;
    return c.text;
}

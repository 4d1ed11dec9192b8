/* SPDX-License-Identifier: Apache-2.0
 * Standard output and pipes. A signal that comes while a reader keeps them waiting costs no byte of what was passed on:
 * the rest has the time that everything has after a stop. A reader that takes nothing for so long has had enough. */
#define _GNU_SOURCE
#include "native/native.h"
#include "result/output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAP = 50 }; /* milliseconds between two looks at the clock */

static void *standard_open(struct actio_context *ctx, const char *path, int *error)
{
    (void)path;
    errno = 0;
    *error = fflush(stdout) == 0 ? 0 : errno ? errno : EIO;
    return *error ? NULL : ctx;
}

/* Until it takes bytes; an error where it is given up. */
static int wait_for_reader(struct actio_context *ctx, int fd)
{
    struct pollfd reader = { .fd = fd, .events = POLLOUT };
    int ready;
    while ((ready = poll(&reader, 1, NAP)) <= 0) {
        if (ready < 0 && errno != EINTR) return errno;
        if (actio_overdue(ctx)) return EINTR;
    }
    return 0;
}

/* So many bytes fit into a pipe as a whole where poll says that some do; with whole lines, so that nothing else is ever
 * cut. */
static size_t part_of(const char *bytes, size_t length)
{
    if (length <= PIPE_BUF) return length;
    const char *end = memrchr(bytes, '\n', PIPE_BUF);
    return end ? (size_t)(end - bytes) + 1 : PIPE_BUF;
}

int actio_native_put(struct actio_context *ctx, int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        int error = wait_for_reader(ctx, fd);
        if (error) return error;
        ssize_t n = write(fd, bytes, part_of(bytes, length));
        if (n < 0 && errno != EINTR && errno != EAGAIN) return errno;
        if (n > 0) {
            bytes += n;
            length -= (size_t)n;
        }
    }
    return 0;
}

static int standard_write(void *file, const char *bytes, size_t length)
{
    return actio_native_put(file, STDOUT_FILENO, bytes, length);
}

static int standard_close(void *file, bool keep)
{
    (void)file;
    (void)keep;
    return 0;
}

const struct actio_file_system actio_native_standard = { standard_open, standard_write, standard_close, NULL };

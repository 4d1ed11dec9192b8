/* SPDX-License-Identifier: Apache-2.0
 * Files the operating system's way: a temporary in the target's directory, flushed to the disk, renamed over the target.
 * Links are followed, so that what they point to is replaced; pipes and devices are written straight into. */
#define _GNU_SOURCE
#include "native/native.h"
#include "result/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100, LINKS = 40 };

struct os_file { struct actio_context *ctx; int fd; bool straight; char target[PATH_MAX], temporary[PATH_MAX]; };

/* The last part of a path begins here. */
static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Replaces a link by what it points to, dangling or not; 0 or an error. */
static int follow(char path[PATH_MAX])
{
    struct stat s;
    char to[PATH_MAX];
    for (int i = 0; i < LINKS; i++) {
        if (lstat(path, &s) != 0) return errno == ENOENT ? 0 : errno;
        if (!S_ISLNK(s.st_mode)) return 0;
        ssize_t n = readlink(path, to, sizeof to - 1);
        if (n < 0) return errno;
        to[n] = 0;
        size_t keep = to[0] == '/' ? 0 : directory_length(path);
        if (keep + (size_t)n >= PATH_MAX) return ENAMETOOLONG;
        memcpy(path + keep, to, (size_t)n + 1);
    }
    return ELOOP;
}

/* Names of this process's own open files: the file behind them must not be replaced. */
static bool names_open_file(const char *path)
{
    static const char *const places[] = { "/dev/fd/", "/dev/stdout", "/dev/stderr", "/proc/" };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (!strncmp(path, places[i], strlen(places[i]))) return true;
    return false;
}

static int open_straight(struct os_file *file, const char *path)
{
    file->straight = true;
    file->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return file->fd < 0 ? errno : 0;
}

static uint64_t random_bits(const void *salt)
{
    uint64_t bits;
    if (getrandom(&bits, sizeof bits, 0) == sizeof bits) return bits;
    return (uint64_t)(uintptr_t)salt * 0x9E3779B97F4A7C15u ^ (uint64_t)getpid();   /* O_EXCL guards against a clash */
}

/* The name is short and of its own, so that a target with the longest name allowed can be written too. */
static int open_temporary(struct os_file *file)
{
    size_t n = directory_length(file->target);
    if (n + 32 > sizeof file->temporary) return ENAMETOOLONG;
    memcpy(file->temporary, file->target, n);
    uint64_t bits = random_bits(file);
    for (int i = 0; i < TRIES; i++) {
        snprintf(file->temporary + n, 32, ".actio-%012llx", (unsigned long long)((bits + (unsigned)i) & 0xFFFFFFFFFFFF));
        file->fd = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file->fd >= 0 || errno != EEXIST) break;
    }
    return file->fd < 0 ? errno : 0;
}

static int open_target(struct os_file *file, const char *path)
{
    struct stat s;
    bool exists = stat(path, &s) == 0;
    if (exists && S_ISDIR(s.st_mode)) return EISDIR;
    if ((exists && !S_ISREG(s.st_mode)) || names_open_file(path)) return open_straight(file, path);
    if (strlen(path) >= sizeof file->target) return ENAMETOOLONG;
    if (path[strlen(path) - 1] == '/') return EISDIR;
    strcpy(file->target, path);
    int error = follow(file->target);
    if (!error && exists && access(file->target, W_OK) != 0) error = errno;   /* a write-protected file stays */
    if (!error) error = open_temporary(file);
    if (!error && exists) (void)!fchmod(file->fd, s.st_mode & 0777);
    return error;
}

static void *os_open(struct actio_context *ctx, const char *path, int *error)
{
    struct os_file *file = actio_take(ctx, 1, sizeof *file);
    *error = file ? (file->ctx = ctx, open_target(file, path)) : ENOMEM;
    if (!*error) return file;
    actio_give(ctx, file);
    return NULL;
}

static int os_write(void *user, const char *bytes, size_t length)
{
    struct os_file *file = user;
    while (length > 0) {
        ssize_t n = write(file->fd, bytes, length);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        bytes += n;
        length -= (size_t)n;
    }
    return 0;
}

/* Some file systems have nothing to flush and say so. */
static int flush(int fd)
{
    if (fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS) return 0;
    return errno;
}

static int os_close(void *user, bool keep)
{
    struct os_file *file = user;
    int error = keep && !file->straight ? flush(file->fd) : 0;
    if (close(file->fd) != 0 && !error && keep) error = errno;
    if (!file->straight && keep && !error && rename(file->temporary, file->target) != 0) error = errno;
    if (!file->straight && (error || !keep)) unlink(file->temporary);
    actio_give(file->ctx, file);
    return error;
}

const struct actio_file_system actio_native_files = { os_open, os_write, os_close };

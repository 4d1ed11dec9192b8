/* SPDX-License-Identifier: Apache-2.0
 * Files the operating system's way: a temporary in the target's directory, flushed to the disk, renamed over the
 * target.
 * Where the file system can, it has no name until it is whole: a program that is killed leaves nothing behind.
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

struct os_file {
    struct actio_context *ctx;
    int fd;
    bool straight, nameless;
    char target[PATH_MAX], temporary[PATH_MAX];
};

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
    return (uint64_t)(uintptr_t)salt * 0x9E3779B97F4A7C15u ^ (uint64_t)getpid(); /* O_EXCL guards against a clash */
}

/* A file without a name, if it can get one later. */
static bool open_nameless(struct os_file *file)
{
    char folder[PATH_MAX];
    size_t n = directory_length(file->target);
    memcpy(folder, file->target, n);
    memcpy(folder + n, n ? "" : ".", n ? 1 : 2);
    if (access("/proc/self/fd", X_OK) != 0) return false;
    file->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    return file->nameless = file->fd >= 0;
}

static int link_name(struct os_file *file)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", file->fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW);
}

static int open_name(struct os_file *file)
{
    file->fd = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return file->fd < 0 ? -1 : 0;
}

/* Calls `make` with names that are short and of their own, so that a target with the longest name allowed can be
 * written too. */
static int with_name(struct os_file *file, int (*make)(struct os_file *file))
{
    size_t n = directory_length(file->target);
    if (n + 32 > sizeof file->temporary) return ENAMETOOLONG;
    memcpy(file->temporary, file->target, n);
    uint64_t bits = random_bits(file);
    for (int i = 0; i < TRIES; i++) {
        snprintf(file->temporary + n, 32, ".actio-%012llx",
                 (unsigned long long)((bits + (unsigned)i) & 0xFFFFFFFFFFFF));
        if (make(file) == 0) return 0;
        if (errno != EEXIST) break;
    }
    return errno;
}

static int open_target(struct os_file *file, const char *path)
{
    struct stat s;
    bool exists = stat(path, &s) == 0;
    if (!exists && errno == ENOTDIR) return ENOTDIR;
    if (exists && S_ISDIR(s.st_mode)) return EISDIR;
    if ((exists && !S_ISREG(s.st_mode)) || names_open_file(path)) return open_straight(file, path);
    if (strlen(path) >= sizeof file->target) return ENAMETOOLONG;
    if (path[strlen(path) - 1] == '/') return EISDIR;
    strcpy(file->target, path);
    int error = follow(file->target);
    if (!error && exists && access(file->target, W_OK) != 0) error = errno; /* a write-protected file stays */
    if (!error && !open_nameless(file)) error = with_name(file, open_name);
    if (!error && exists) (void)!fchmod(file->fd, s.st_mode & 0777);
    return error;
}

static void *os_open(struct actio_context *ctx, const char *path, int *error)
{
    struct os_file *file = actio_alloc(ctx, 1, sizeof *file);
    *error = file ? (file->ctx = ctx, open_target(file, path)) : ENOMEM;
    if (!*error) return file;
    actio_free(ctx, file);
    return NULL;
}

static int os_write(void *user, const char *bytes, size_t length)
{
    struct os_file *file = user;
    if (file->straight) return actio_native_put(file->ctx, file->fd, bytes, length);
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

/* A file system that makes files without names and can't name them afterwards: what is in it is copied. */
static int copy_to_name(struct os_file *file)
{
    char part[16384];
    ssize_t n = 0;
    int from = file->fd, error = lseek(from, 0, SEEK_SET) == 0 ? with_name(file, open_name) : errno;
    if (error) {
        file->fd = from;
        return error;
    }
    while (!error && (n = read(from, part, sizeof part)) > 0) error = os_write(file, part, (size_t)n);
    if (n < 0) error = errno;
    close(from);
    file->nameless = false;
    return error ? error : flush(file->fd);
}

static int name_whole(struct os_file *file)
{
    struct stat s;
    if (!file->nameless || with_name(file, link_name) == 0) {
        file->nameless = false;
        return 0;
    }
    mode_t mode = fstat(file->fd, &s) == 0 ? s.st_mode & 0777 : 0600;
    int error = copy_to_name(file);
    if (!error) (void)!fchmod(file->fd, mode);
    return error;
}

static int os_close(void *user, bool keep)
{
    struct os_file *file = user;
    bool replaces = keep && !file->straight;
    int error = replaces ? flush(file->fd) : 0;
    if (replaces && !error) error = name_whole(file);
    if (close(file->fd) != 0 && !error && keep) error = errno;
    if (replaces && !error && rename(file->temporary, file->target) != 0) error = errno;
    if (!file->straight && !file->nameless && (error || !keep)) unlink(file->temporary);
    actio_free(file->ctx, file);
    return error;
}

const struct actio_file_system actio_native_files = { os_open, os_write, os_close, &actio_native_standard };

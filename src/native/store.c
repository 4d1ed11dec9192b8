/* SPDX-License-Identifier: Apache-2.0
 * The private folder of compiled code. It is opened and checked once. Everything after that goes through its descriptor
 * and never through its name: whoever can rename the folders above it can't put anything in its place. */
#define _GNU_SOURCE
#include "native/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KEPT = 512, KEPT_SECONDS = 30 * 86400, LEFT_SECONDS = 3600, TRIES = 100 };
static const char inside[] = "actio", work_prefix[] = "work-";

/* ---- the folder */

/* The owner of the folder above, and whoever may write to it, can replace what is in it; in a sticky one only its owner
 * can. */
static bool safe_parent(int fd)
{
    struct stat s;
    if (fstat(fd, &s) != 0 || (s.st_uid != geteuid() && s.st_uid != 0)) return false;
    return !(s.st_mode & 022) || (s.st_mode & S_ISVTX);
}

/* A folder in `parent` that is ours and that nobody else can look into, or -1: a link that somebody planted is not
 * followed. */
static int open_private(int parent, const char *name)
{
    struct stat s;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -1;
    if (fstat(fd, &s) == 0 && s.st_uid == geteuid() && (s.st_mode & 077) == 0) return fd;
    close(fd);
    return -1;
}

/* $XDG_CACHE_HOME or ~/.cache, made if it is missing. A program with borrowed rights ignores the environment. */
static int open_parent(void)
{
    const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    char path[PATH_MAX];
    int n = cache && cache[0] == '/' ? snprintf(path, sizeof path, "%s", cache)
            : home && home[0] == '/' ? snprintf(path, sizeof path, "%s/.cache", home)
                                     : 0;
    if (n <= 0 || n >= (int)sizeof path) return -1;
    mkdir(path, 0700); /* usually there already */
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int actio_store_open(void)
{
    int parent = open_parent(), fd = -1;
    if (parent < 0) return -1;
    if (safe_parent(parent) && (mkdirat(parent, inside, 0700) == 0 || errno == EEXIST))
        fd = open_private(parent, inside);
    close(parent);
    return fd;
}

/* ---- files in it */

static bool ours(const struct stat *s) { return S_ISREG(s->st_mode) && s->st_uid == geteuid() && !(s->st_mode & 022); }

int actio_store_read(int folder, const char *name, struct stat *s)
{
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); /* a pipe must not make us wait */
    if (fd < 0) return -1;
    if (fstat(fd, s) == 0 && ours(s)) return fd;
    close(fd);
    return -1;
}

int actio_store_create(int folder, const char *name)
{
    return openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* ---- folders to work in */

int actio_store_work(int folder, char name[ACTIO_STORE_NAME])
{
    for (int try = 0; try < TRIES; try++) {
        snprintf(name, ACTIO_STORE_NAME, "%s%ld-%d", work_prefix, (long)getpid(), try);
        if (mkdirat(folder, name, 0700) == 0) return open_private(folder, name);
        if (errno != EEXIST) return -1;
    }
    return -1;
}

/* A listing of its own, so that the descriptor's place stays; NULL without one. */
static DIR *list(int folder)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d && fd >= 0) close(fd);
    return d;
}

void actio_store_drop(int folder, int work, const char *name)
{
    DIR *d = list(work);
    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) unlinkat(work, e->d_name, 0);
    if (d) closedir(d);
    close(work);
    unlinkat(folder, name, AT_REMOVEDIR);
}

/* ---- sweeping */

/* Names of finished files are a key and an ending. All others are of work that somebody else does now, or did not
 * finish. */
static bool finished(const char *name)
{
    size_t key = strspn(name, "0123456789abcdef");
    return key == 32 && (strcmp(name + key, ".c") == 0 || strcmp(name + key, ".so") == 0);
}

static void sweep_one(int folder, const char *name, bool many)
{
    struct stat s;
    if (fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) != 0 || s.st_uid != geteuid()) return;
    double age = difftime(time(NULL), s.st_mtime);
    if (S_ISDIR(s.st_mode) && strncmp(name, work_prefix, strlen(work_prefix)) == 0 && age > LEFT_SECONDS) {
        int work = open_private(folder, name);
        if (work >= 0) actio_store_drop(folder, work, name);
    } else if (S_ISREG(s.st_mode) && (finished(name) ? many && age > KEPT_SECONDS : age > LEFT_SECONDS)) {
        unlinkat(folder, name, 0);
    }
}

void actio_store_sweep(int folder)
{
    DIR *d = list(folder);
    size_t count = 0;
    if (!d) return;
    while (readdir(d)) count++;
    rewinddir(d);
    for (struct dirent *e; (e = readdir(d));) sweep_one(folder, e->d_name, count > KEPT);
    closedir(d);
}

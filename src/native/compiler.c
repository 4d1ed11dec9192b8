/* SPDX-License-Identifier: Apache-2.0
 * The system's C compiler as a child process: found at fixed places first, run with limits, ended with all that it
 * started. */
#define _GNU_SOURCE
#include "native/compiler.h"
#include "native/native.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* a compiler that waits for something for so long is stuck */
enum { STUCK_SECONDS = 1800, GONE_MILLISECONDS = 5000 };

/* ---- which one */

static bool runs(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && !(s.st_mode & S_IWOTH) && access(path, X_OK) == 0;
}

static bool in_folder(const char *folder, size_t length, char path[ACTIO_COMPILER_PATH])
{
    static const char *const names[] = { "gcc", "cc", "clang" };
    /* never the current directory */
    if (length == 0 || length > ACTIO_COMPILER_PATH - 16 || folder[0] != '/') return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, ACTIO_COMPILER_PATH, "%.*s/%s", (int)length, folder, names[i]);
        if (runs(path)) return true;
    }
    return false;
}

bool actio_compiler_find(char path[ACTIO_COMPILER_PATH])
{
    static const char *const usual[] = { "/usr/bin", "/usr/local/bin" };
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (in_folder(usual[i], strlen(usual[i]), path)) return true;
    for (const char *s = secure_getenv("PATH"); s && *s;) {
        size_t length = strcspn(s, ":");
        if (in_folder(s, length, path)) return true;
        s += length + (s[length] == ':');
    }
    return false;
}

/* ---- the child */

/* Only calls that are safe after fork. The compiler's own files go where it works, and nobody else may read them. */
static _Noreturn void become(const char *const *argv, int folder, int alive, unsigned seconds)
{
    static const char *const envp[] = { "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TMPDIR=.", NULL };
    const struct {
        int what;
        rlim_t limit;
    } limits[] = {
        { RLIMIT_CPU, seconds }, { RLIMIT_AS, (rlim_t)4 << 30 }, { RLIMIT_FSIZE, (rlim_t)256 << 20 }, { RLIMIT_CORE, 0 }
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        setrlimit((__typeof__(RLIMIT_CPU))limits[i].what, &(struct rlimit){ limits[i].limit, limits[i].limit });
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0); /* so that its own children can be stopped with it */
    umask(077);
    int null = open("/dev/null", O_RDWR);
    if (null >= 0) {
        dup2(null, 0);
        dup2(null, 1);
        dup2(null, 2);
    }
    if (fcntl(alive, F_SETFD, 0) == 0 && fchdir(folder) == 0)
        execve(argv[0], (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)envp);
    _exit(127);
}

/* Its children end a moment later than they are killed; all of them hold the other end of the pipe, which then hangs
 * up. */
static void end_all(pid_t child, int alive)
{
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
    while (poll(&(struct pollfd){ .fd = alive, .events = POLLIN }, 1, GONE_MILLISECONDS) < 0 && errno == EINTR)
        continue;
}

static bool wait_for(struct actio_context *ctx, pid_t child, int alive)
{
    double end = actio_native_clock() + STUCK_SECONDS;
    for (int status;;) {
        pid_t done = waitpid(child, &status, WNOHANG);
        if (done == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (done < 0 && errno != EINTR) return false;
        if (actio_stopped(ctx) || actio_native_clock() > end) {
            end_all(child, alive);
            return false;
        }
        nanosleep(&(struct timespec){ .tv_nsec = 300 * 1000 }, NULL);
    }
}

bool actio_compiler_run(struct actio_context *ctx, const char *const *argv, int folder, unsigned seconds)
{
    int alive[2];
    if (pipe2(alive, O_CLOEXEC) != 0) return false;
    pid_t child = fork();
    if (child == 0) become(argv, folder, alive[1], seconds);
    close(alive[1]);
    if (child > 0) setpgid(child, child);
    bool good = child > 0 && wait_for(ctx, child, alive[0]);
    close(alive[0]);
    return good;
}

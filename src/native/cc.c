/* SPDX-License-Identifier: Apache-2.0
 * The tier "cc": programs through the system's C compiler. What is compiled lies in a private cache directory, by content.
 * Whatever goes wrong, the interpreter stays; no environment variable names a program to run. */
#define _GNU_SOURCE
#include "kernel/compile.h"
#include "native/native.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_OPS = 3000 };                                  /* of one program: beyond, compilers take seconds */
enum { SECONDS = 60, KEPT = 512, KEPT_DAYS = 30 };

static const char *const flags[] = {
    "-std=c17", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fPIC", "-shared", "-nostartfiles",
    "-fvisibility=hidden", "-fno-semantic-interposition", "-pipe", "-w",
#ifdef __x86_64__
    "-march=native",
#endif
};
enum { FLAGS = sizeof flags / sizeof *flags };

struct job {
    struct actio_context *ctx;
    struct actio_kernel *const *kernels; size_t n;
    struct actio_arena arena;
    const char *source;
    char compiler[PATH_MAX], dir[PATH_MAX];
    int dir_fd;
    char key[40], stamp[64];                               /* stamp: first line of the source, says compiler, flags and machine */
};

/* ---- the compiler */

static bool runs(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && !(s.st_mode & S_IWOTH) && access(path, X_OK) == 0;
}

static bool in_folder(const char *folder, size_t length, char path[PATH_MAX])
{
    static const char *const names[] = { "gcc", "cc", "clang" };
    if (length == 0 || length > PATH_MAX - 16 || folder[0] != '/') return false;   /* never the current directory */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folder, names[i]);
        if (runs(path)) return true;
    }
    return false;
}

static bool find_compiler(char path[PATH_MAX])
{
    static const char *const usual[] = { "/usr/bin", "/usr/local/bin" };
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (in_folder(usual[i], strlen(usual[i]), path)) return true;
    for (const char *s = getenv("PATH"); s && *s; ) {
        size_t length = strcspn(s, ":");
        if (in_folder(s, length, path)) return true;
        s += length + (s[length] == ':');
    }
    return false;
}

/* ---- keys */

struct hash { uint64_t a, b; };

static void mix(struct hash *h, const void *data, size_t n)
{
    const unsigned char *s = data;
    for (size_t i = 0; i < n; i++) {
        h->a = (h->a ^ s[i]) * 0x100000001b3u;
        h->b = (h->b + s[i] + 1) * 0x9E3779B97F4A7C15u;
        h->b ^= h->b >> 29;
    }
}

/* -march=native: what was compiled for one processor must not run on another that shares the home directory. */
static void mix_processor(struct hash *h)
{
    char text[4096];
    int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    text[n > 0 ? n : 0] = 0;
    static const char *const lines[] = { "vendor_id", "model name", "flags" };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *line = strstr(text, lines[i]);
        if (line) mix(h, line, strcspn(line, "\n"));
    }
}

static void make_key(struct job *j)
{
    struct hash h = { 0xcbf29ce484222325u, 1 };
    struct stat s;
    mix(&h, j->compiler, strlen(j->compiler) + 1);
    if (stat(j->compiler, &s) == 0) mix(&h, &s.st_size, sizeof s.st_size), mix(&h, &s.st_mtime, sizeof s.st_mtime);
    for (size_t i = 0; i < FLAGS; i++) mix(&h, flags[i], strlen(flags[i]) + 1);
    mix_processor(&h);
    snprintf(j->stamp, sizeof j->stamp, "/* %016llx%016llx */\n", (unsigned long long)h.a, (unsigned long long)h.b);
    mix(&h, j->source, strlen(j->source));
    snprintf(j->key, sizeof j->key, "%016llx%016llx", (unsigned long long)h.a, (unsigned long long)h.b);
}

/* ---- the cache */

/* A directory of our own that nobody else can write to, or -1: a link somebody planted is not followed. */
static int open_private(const char *path)
{
    struct stat s;
    if (mkdir(path, 0700) != 0 && errno != EEXIST) return -1;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -1;
    if (fstat(fd, &s) == 0 && s.st_uid == geteuid() && (s.st_mode & 077) == 0) return fd;
    close(fd);
    return -1;
}

static int open_cache(char path[PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = cache && cache[0] == '/' ? snprintf(path, PATH_MAX - 128, "%s", cache)
          : home && home[0] == '/' ? snprintf(path, PATH_MAX - 128, "%s/.cache", home) : 0;
    if (n <= 0 || n >= PATH_MAX - 128 - (int)sizeof "/actio") return -1;
    mkdir(path, 0700);                                     /* usually there already */
    memcpy(path + n, "/actio", sizeof "/actio");
    return open_private(path);
}

static bool ours(const struct job *j, const char *name, struct stat *s)
{
    return fstatat(j->dir_fd, name, s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(s->st_mode) && s->st_uid == geteuid() && !(s->st_mode & 022);
}

/* Does the file begin with this text? Advances the descriptor. */
static bool next_is(int fd, const char *text)
{
    char part[4096];
    for (size_t left = strlen(text); left; ) {
        size_t want = left < sizeof part ? left : sizeof part;
        if (read(fd, part, want) != (ssize_t)want || memcmp(part, text, want) != 0) return false;
        text += want, left -= want;
    }
    return true;
}

/* The last line of a kept source: how long its product is. Loading one that was cut short would end the program. */
static void seal_of(const struct stat *product, char seal[48]) { snprintf(seal, 48, "/* %lld bytes */\n", (long long)product->st_size); }

/* The source is kept beside the product and compared, so that no clash of hashes can run the wrong program. */
static bool cached(const struct job *j)
{
    char name[64], seal[48];
    struct stat s;
    snprintf(name, sizeof name, "%s.so", j->key);
    if (!ours(j, name, &s)) return false;
    seal_of(&s, seal);
    snprintf(name, sizeof name, "%s.c", j->key);
    if (!ours(j, name, &s) || (size_t)s.st_size != strlen(j->stamp) + strlen(j->source) + strlen(seal)) return false;
    int fd = openat(j->dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return false;
    bool same = next_is(fd, j->stamp) && next_is(fd, j->source) && next_is(fd, seal);
    close(fd);
    return same;
}

/* Old products go when there are many. */
static void sweep(const struct job *j)
{
    int fd = dup(j->dir_fd);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) { if (fd >= 0) close(fd); return; }
    size_t count = 0;
    rewinddir(d);
    while (readdir(d)) count++;
    rewinddir(d);
    struct stat s;
    for (struct dirent *e; count > KEPT && (e = readdir(d)); )
        if (ours(j, e->d_name, &s) && time(NULL) - s.st_mtime > KEPT_DAYS * 86400) unlinkat(j->dir_fd, e->d_name, 0);
    closedir(d);
}

/* ---- compiling */

static bool write_all(int fd, const char *text)
{
    for (size_t left = strlen(text); left; ) {
        ssize_t n = write(fd, text, left);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        text += n, left -= (size_t)n;
    }
    return true;
}

/* A new file of this name's family that was not there before; its stem in `stem`. */
static int create_source(const struct job *j, char stem[64])
{
    for (int try = 0; try < 100; try++) {
        char name[72];
        snprintf(stem, 64, "%.32s-%ld-%d", j->key, (long)getpid(), try);
        snprintf(name, sizeof name, "%s.c", stem);
        int fd = openat(j->dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

/* In the child: only calls that are safe after fork. */
static _Noreturn void become_compiler(const char *const *argv, const char *const *envp)
{
    static const struct { int what; rlim_t limit; } limits[] = {
        { RLIMIT_CPU, SECONDS }, { RLIMIT_AS, (rlim_t)4 << 30 }, { RLIMIT_FSIZE, (rlim_t)256 << 20 }, { RLIMIT_CORE, 0 } };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        setrlimit((__typeof__(RLIMIT_CPU))limits[i].what, &(struct rlimit){ limits[i].limit, limits[i].limit });
    setpgid(0, 0);                                         /* so that its own children can be stopped with it */
    int null = open("/dev/null", O_RDWR);
    if (null >= 0) dup2(null, 0), dup2(null, 1), dup2(null, 2);
    execve(argv[0], (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)envp);
    _exit(127);
}

static bool wait_for(struct actio_context *ctx, pid_t child)
{
    double end = actio_native_clock() + SECONDS;
    for (int status;;) {
        pid_t done = waitpid(child, &status, WNOHANG);
        if (done == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (done < 0 && errno != EINTR) return false;
        if (actio_stopped(ctx) || actio_native_clock() > end) {
            kill(-child, SIGKILL), kill(child, SIGKILL);
            while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
            return false;
        }
        nanosleep(&(struct timespec){ .tv_nsec = 300 * 1000 }, NULL);
    }
}

static bool run_compiler(const struct job *j, const char *from, const char *to)
{
    const char *argv[FLAGS + 6];
    size_t n = 0;
    argv[n++] = j->compiler;
    for (size_t i = 0; i < FLAGS; i++) argv[n++] = flags[i];
    argv[n++] = "-o", argv[n++] = to, argv[n++] = from, argv[n++] = "-lm", argv[n] = NULL;
    char temporary[PATH_MAX + 16];
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", j->dir);
    const char *envp[] = { "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", temporary, NULL };
    pid_t child = fork();
    if (child == 0) become_compiler(argv, envp);
    return child > 0 && wait_for(j->ctx, child);
}

static void path_of(const struct job *j, const char *stem, const char *ending, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.*s/%s%s", PATH_MAX - 112, j->dir, stem, ending);
}

/* The product is on the disk before the source says how long it is. */
static bool seal_source(const char *source, const char *product)
{
    struct stat s;
    char seal[48];
    int so = open(product, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), c = open(source, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    bool good = so >= 0 && c >= 0 && fsync(so) == 0 && fstat(so, &s) == 0;
    if (good) seal_of(&s, seal), good = write_all(c, seal);
    if (so >= 0) close(so);
    if (c >= 0) good = close(c) == 0 && good;
    return good;
}

/* Products are renamed into place, the source last: it says that the product is complete. */
static bool compile(const struct job *j)
{
    char stem[64], from[PATH_MAX], to[PATH_MAX], source[PATH_MAX], product[PATH_MAX];
    int fd = create_source(j, stem);
    if (fd < 0) return false;
    path_of(j, stem, ".c", from), path_of(j, stem, ".so", to);
    path_of(j, j->key, ".c", source), path_of(j, j->key, ".so", product);
    bool written = write_all(fd, j->stamp) && write_all(fd, j->source);
    written = close(fd) == 0 && written;
    bool done = written && run_compiler(j, from, to) && chmod(to, 0600) == 0 && seal_source(from, to)
             && rename(to, product) == 0 && rename(from, source) == 0;
    if (!done) unlink(from), unlink(to);
    return done;
}

/* ---- loading */

static void unload(void *library) { dlclose(library); }

static void *symbol(void *library, char letter, size_t i)
{
    char name[32];
    snprintf(name, sizeof name, "actio_%c%zu", letter, i);
    return library ? dlsym(library, name) : NULL;
}

/* Each kernel holds the library once. */
static int attach(const struct job *j)
{
    char path[PATH_MAX];
    path_of(j, j->key, ".so", path);
    int bad = 0;
    for (size_t i = 0; i < j->n; i++) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        struct actio_native_code code;
        *(void **)(void *)&code.eval = symbol(library, 'e', i);
        *(void **)(void *)&code.one = symbol(library, 'o', i);
        *(void **)(void *)&code.prologue = symbol(library, 'p', i);
        if (code.eval) actio_kernel_attach(j->kernels[i], "cc", code, library, unload);
        else if (library) dlclose(library);
        bad |= !code.eval;
    }
    return bad;
}

static void emit(void *user)
{
    struct job *j = user;
    struct actio_kernel **small = actio_arena_array(&j->arena, j->n, sizeof *small);
    size_t n = 0;
    for (size_t i = 0; i < j->n; i++)
        if (actio_kernel_ops(j->kernels[i]) <= MOST_OPS) small[n++] = j->kernels[i];
    j->kernels = small, j->n = n;
    if (n) j->source = actio_emit_c(&j->arena, small, n);
}

/* Everything up to the key; false (and a fallback, not an error) when a piece is missing. */
static bool open_job(struct job *j, struct actio_context *ctx, struct actio_kernel *const *kernels, size_t n)
{
    *j = (struct job){ .ctx = ctx, .kernels = kernels, .n = n, .dir_fd = -1 };
    actio_arena_open(&j->arena, ctx);
    if (!find_compiler(j->compiler)) return false;
    struct actio_findings *findings = ctx->findings;
    ctx->findings = NULL;
    int failed = actio_attempt(ctx, emit, j);
    ctx->findings = findings;
    if (failed || !j->source) return false;
    j->dir_fd = open_cache(j->dir);
    if (j->dir_fd < 0) return false;
    make_key(j);
    return true;
}

static void close_job(struct job *j)
{
    if (j->dir_fd >= 0) close(j->dir_fd);
    actio_arena_close(&j->arena);
}

static int load(struct actio_context *ctx, struct actio_kernel *const *kernels, size_t n)
{
    struct job j;
    int bad = 1;
    if (open_job(&j, ctx, kernels, n)) {
        if (cached(&j)) bad = attach(&j);
        if (bad && compile(&j)) bad = attach(&j), sweep(&j);
    }
    close_job(&j);
    return bad;
}

static bool ready(struct actio_context *ctx, struct actio_kernel *const *kernels, size_t n)
{
    struct job j;
    bool yes = open_job(&j, ctx, kernels, n) && cached(&j);
    close_job(&j);
    return yes;
}

static bool present(void)
{
    char path[PATH_MAX];
    return find_compiler(path);
}

static double cost(size_t ops, double evals, double lanes)
{
    return 0.05 + 0.45e-3 * (double)ops + evals * lanes * (3e-9 + 0.2e-9 * (double)ops);
}

const struct actio_exec actio_exec_cc = { "cc", present, cost, ready, load };

/* SPDX-License-Identifier: Apache-2.0
 * The tier "cc": programs through the system's C compiler. What is compiled lies in a private folder, by content
 * (store.c).
 * Whatever goes wrong, the interpreter stays; no environment variable names a program to run. */
#define _GNU_SOURCE
#include "kernel/compile.h"
#include "native/compiler.h"
#include "native/native.h"
#include "native/store.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_OPS = 3000 };                      /* of one program: beyond, compilers take minutes */
enum { FAST_OPS = 300, FAST_LANE_OPS = 1500 }; /* of all programs of a call: up to so many -O3 is worth its time */
enum { SPARE_SECONDS = 20, SPARE_TIMES = 4, RETRY_SECONDS = 86400 };

static const char *const flags[] = {
    "-std=c17",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fPIC",
    "-shared",
    "-nostartfiles",
    "-fvisibility=hidden",
    "-fno-semantic-interposition",
    "-pipe",
    "-w",
#ifdef __x86_64__
    "-march=native",
#endif
};
enum { FLAGS = sizeof flags / sizeof *flags };
static const char source_name[] = "kernel.c", product_name[] = "kernel.so", fails[] = "/* does not compile */\n";

struct hash {
    uint64_t a, b;
};

struct job {
    struct actio_context *ctx;
    struct actio_kernel *const *kernels;
    size_t n;
    struct actio_arena arena;
    const char *source, *level; /* level: of optimisation */
    unsigned seconds;           /* of processor time that the compiler may take */
    char compiler[ACTIO_COMPILER_PATH];
    int folder;
    char key[40], stamp[64]; /* stamp: first line of the source, says compiler, flags and machine */
};

/* ---- how long it takes */

/* Optimisers' time grows faster than the text. -O3 gains only where many lanes go through at once, and takes far longer
 * on large programs: 64 s where -O1 takes 3. Seconds measured with gcc 12, from 300 to 7000 operations. */
struct level {
    const char *flag;
    double start, by_op, by_square;
};
static const struct level quick = { "-O1", 0.1, 0.3e-3, 0.13e-6 }, thorough = { "-O3", 0.15, 0.9e-3, 1.3e-6 };

static const struct level *level_of(size_t ops, double lanes)
{
    return ops <= (lanes > 1 ? FAST_LANE_OPS : FAST_OPS) ? &thorough : &quick;
}

static double compile_seconds(size_t ops, double lanes)
{
    const struct level *l = level_of(ops, lanes);
    return l->start + (double)ops * (l->by_op + (double)ops * l->by_square);
}

/* Where many lanes go through, -O3 does eight at a time and -O1 does one. */
static double cost(size_t ops, double evals, double lanes)
{
    double at_once = lanes > 1 && level_of(ops, lanes) == &thorough ? 8 : 1;
    return compile_seconds(ops, lanes) + evals * lanes / at_once * (3e-9 + 0.2e-9 * (double)ops);
}

/* ---- keys */

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
    if (stat(j->compiler, &s) == 0) {
        mix(&h, &s.st_size, sizeof s.st_size);
        mix(&h, &s.st_mtime, sizeof s.st_mtime);
    }
    mix(&h, j->level, strlen(j->level) + 1);
    for (size_t i = 0; i < FLAGS; i++) mix(&h, flags[i], strlen(flags[i]) + 1);
    mix_processor(&h);
    snprintf(j->stamp, sizeof j->stamp, "/* %016llx%016llx */\n", (unsigned long long)h.a, (unsigned long long)h.b);
    mix(&h, j->source, strlen(j->source));
    snprintf(j->key, sizeof j->key, "%016llx%016llx", (unsigned long long)h.a, (unsigned long long)h.b);
}

/* ---- what is kept */

/* Does the file go on with this text? Advances the descriptor. */
static bool next_is(int fd, const char *text)
{
    char part[4096];
    for (size_t left = strlen(text); left;) {
        size_t want = left < sizeof part ? left : sizeof part;
        if (read(fd, part, want) != (ssize_t)want || memcmp(part, text, want) != 0) return false;
        text += want;
        left -= want;
    }
    return true;
}

/* The last line of a kept source: length and content of its product. Loading one that was cut short or damaged would
 * end the program. */
static bool seal_of(int product, char seal[80])
{
    struct hash h = { 0xcbf29ce484222325u, 1 };
    char part[16384];
    long long size = 0;
    ssize_t n;
    if (lseek(product, 0, SEEK_SET) != 0) return false;
    for (; (n = read(product, part, sizeof part)) > 0; size += n) mix(&h, part, (size_t)n);
    snprintf(seal, 80, "/* %lld bytes, %016llx%016llx */\n", size, (unsigned long long)h.a, (unsigned long long)h.b);
    return n == 0 && size > 0;
}

/* The source is kept beside the product and compared, so that no clash of hashes can run the wrong program. */
static bool source_is(const struct job *j, const char *seal, struct stat *s)
{
    char name[ACTIO_STORE_NAME];
    snprintf(name, sizeof name, "%s.c", j->key);
    int fd = actio_store_read(j->folder, name, s);
    if (fd < 0) return false;
    bool same = (size_t)s->st_size == strlen(j->stamp) + strlen(j->source) + strlen(seal) && next_is(fd, j->stamp)
                && next_is(fd, j->source) && next_is(fd, seal);
    close(fd);
    return same;
}

/* The descriptor of a product that is whole and of this source, or -1. It is this file that is loaded, whatever its
 * name leads to later. */
static int open_product(const struct job *j)
{
    char name[ACTIO_STORE_NAME], seal[80];
    struct stat s;
    snprintf(name, sizeof name, "%s.so", j->key);
    int fd = actio_store_read(j->folder, name, &s);
    if (fd < 0) return -1;
    if (seal_of(fd, seal) && source_is(j, seal, &s)) return fd;
    close(fd);
    return -1;
}

static bool failed_lately(const struct job *j)
{
    struct stat s;
    return source_is(j, fails, &s) && difftime(time(NULL), s.st_mtime) < RETRY_SECONDS;
}

/* ---- compiling */

static bool write_all(int fd, const char *text)
{
    for (size_t left = strlen(text); left;) {
        ssize_t n = write(fd, text, left);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        text += n;
        left -= (size_t)n;
    }
    return true;
}

static bool write_source(const struct job *j, int work)
{
    int fd = actio_store_create(work, source_name);
    if (fd < 0) return false;
    bool written = write_all(fd, j->stamp) && write_all(fd, j->source);
    return close(fd) == 0 && written;
}

static bool run_compiler(const struct job *j, int work)
{
    const char *argv[FLAGS + 7];
    size_t n = 0;
    argv[n++] = j->compiler;
    argv[n++] = j->level;
    for (size_t i = 0; i < FLAGS; i++) argv[n++] = flags[i];
    argv[n++] = "-o";
    argv[n++] = product_name;
    argv[n++] = source_name;
    argv[n++] = "-lm";
    argv[n] = NULL;
    return actio_compiler_run(j->ctx, argv, work, j->seconds);
}

/* The product is on the disk before the source says what it is. */
static bool seal_product(int work, char seal[80])
{
    struct stat s;
    int fd = actio_store_read(work, product_name, &s);
    bool good = fd >= 0 && fsync(fd) == 0 && seal_of(fd, seal);
    if (fd >= 0) close(fd);
    return good;
}

static bool seal_source(int work, const char *seal)
{
    int fd = openat(work, source_name, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return false;
    bool written = write_all(fd, seal);
    return close(fd) == 0 && written;
}

static bool cc_move(const struct job *j, int work, const char *from, const char *ending)
{
    char name[ACTIO_STORE_NAME];
    snprintf(name, sizeof name, "%s%s", j->key, ending);
    return renameat(work, from, j->folder, name) == 0;
}

/* The source goes last: it says that the product is complete, or that there is none and another try is in vain. */
static bool cc_keep(const struct job *j, int work, bool compiled)
{
    char seal[80];
    if (compiled)
        return seal_product(work, seal) && seal_source(work, seal) && cc_move(j, work, product_name, ".so")
               && cc_move(j, work, source_name, ".c");
    if (!actio_stopped(j->ctx) && seal_source(work, fails)) cc_move(j, work, source_name, ".c");
    return false;
}

static bool compile(const struct job *j)
{
    char name[ACTIO_STORE_NAME];
    int work = actio_store_work(j->folder, name);
    if (work < 0) return false;
    bool done = write_source(j, work) && cc_keep(j, work, run_compiler(j, work));
    actio_store_drop(j->folder, work, name);
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

/* The loader takes libraries of the same name for the same, and numbers of descriptors return. So that no name returns,
 * a counter is written into it, in two ways to write "here": its bits are "/." and "/". */
static void cc_name_of(int product, char path[192])
{
    static atomic_uint_least64_t count;
    char *end = path + snprintf(path, 192, "/proc/self/fd");
    for (uint64_t c = atomic_fetch_add(&count, 1) + 1; c; c >>= 1) end += snprintf(end, 3, "%s", c & 1 ? "/." : "/");
    snprintf(end, 16, "/%d", product);
}

/* Each kernel holds the library once. */
static int attach(const struct job *j, int product)
{
    char path[192];
    cc_name_of(product, path);
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

/* ---- the tier */

static void emit(void *user)
{
    struct job *j = user;
    struct actio_kernel **small = actio_arena_array(&j->arena, j->n, sizeof *small);
    size_t n = 0;
    for (size_t i = 0; i < j->n; i++)
        if (actio_kernel_ops(j->kernels[i]) <= MOST_OPS) small[n++] = j->kernels[i];
    j->kernels = small;
    j->n = n;
    if (n) j->source = actio_emit_c(&j->arena, small, n);
}

static void choose_level(struct job *j, double lanes)
{
    size_t ops = 0;
    for (size_t i = 0; i < j->n; i++) ops += actio_kernel_weight(j->kernels[i]);
    j->level = level_of(ops, lanes)->flag;
    j->seconds = (unsigned)(SPARE_SECONDS + SPARE_TIMES * compile_seconds(ops, lanes));
}

/* Everything up to the key; false (and a fallback, not an error) when a piece is missing. */
static bool open_job(struct job *j, struct actio_context *ctx, struct actio_kernel *const *kernels, size_t n,
                     double lanes)
{
    *j = (struct job){ .ctx = ctx, .kernels = kernels, .n = n, .folder = -1 };
    actio_arena_open(&j->arena, ctx);
    if (!actio_compiler_find(j->compiler)) return false;
    struct actio_findings *findings = ctx->findings;
    ctx->findings = NULL;
    int failed = actio_attempt(ctx, emit, j);
    ctx->findings = findings;
    if (failed || !j->source) return false;
    j->folder = actio_store_open();
    if (j->folder < 0) return false;
    choose_level(j, lanes);
    make_key(j);
    return true;
}

static void close_job(struct job *j)
{
    if (j->folder >= 0) close(j->folder);
    actio_arena_close(&j->arena);
}

/* What is kept and can't be loaded is not compiled again: the same would come out. */
static int cc_load(struct actio_context *ctx, struct actio_kernel *const *kernels, size_t n, double lanes)
{
    struct job j;
    int bad = 1, product = -1;
    if (open_job(&j, ctx, kernels, n, lanes)) {
        product = open_product(&j);
        if (product < 0 && !failed_lately(&j)) {
            if (compile(&j)) product = open_product(&j);
            actio_store_sweep(j.folder);
        }
    }
    if (product >= 0) {
        bad = attach(&j, product);
        close(product);
    }
    close_job(&j);
    return bad;
}

static bool ready(struct actio_context *ctx, struct actio_kernel *const *kernels, size_t n, double lanes)
{
    struct job j;
    int product = open_job(&j, ctx, kernels, n, lanes) ? open_product(&j) : -1;
    if (product >= 0) close(product);
    close_job(&j);
    return product >= 0;
}

/* Libraries are loaded by descriptor, which needs /proc. */
static bool present(void)
{
    char path[ACTIO_COMPILER_PATH];
    return access("/proc/self/fd", X_OK) == 0 && actio_compiler_find(path);
}

const struct actio_exec actio_exec_cc = { "cc", present, cost, ready, cc_load, MOST_OPS };

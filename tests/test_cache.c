/* SPDX-License-Identifier: Apache-2.0
 * Compiled code is loaded only from a folder and a file that were checked, whoever renames what meanwhile; compiling
 * that fails, or that is stopped, is not repeated and leaves nothing behind. The linker wraps the calls between a check
 * and a use: see cmake/tests.cmake. */
#define _GNU_SOURCE
#include "check.h"

#ifdef ACTIO_NATIVE
#include "kernel/compile.h"
#include "native/compiler.h"
#include "native/native.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a kernel and a cache of its own */

static struct {
    struct actio_context ctx;
    struct actio_arena arena;
    struct actio_pool pool;
    double x;
} w;
static char parent[64], cache[80], planted[80];

static void open_world(void)
{
    actio_context_init(&w.ctx);
    actio_arena_open(&w.arena, &w.ctx);
    actio_pool_open(&w.pool, &w.arena);
    w.x = 0.7;
    snprintf(parent, sizeof parent, "/tmp/actio-cache-XXXXXX");
    CHECK(mkdtemp(parent) != NULL);
    snprintf(cache, sizeof cache, "%s/actio", parent);
    snprintf(planted, sizeof planted, "%s/planted", parent);
    setenv("XDG_CACHE_HOME", parent, 1);
}

static void command(const char *format, const char *a, const char *b)
{
    char line[512];
    snprintf(line, sizeof line, format, a, b);
    CHECK(system(line) == 0);
}

static void close_world(void)
{
    actio_arena_close(&w.arena);
    CHECK(w.ctx.bytes == 0);
    command("rm -rf '%s'%s", parent, "");
}

/* x -> x*x - c, over and over: each is one operation. */
static struct actio_kernel *iteration(double c, size_t times)
{
    actio_expr y = actio_symbol(&w.pool, ACTIO_SPACE_Q, 0), by = actio_const(&w.pool, c);
    for (size_t i = 0; i < times; i++) y = actio_op2(&w.pool, ACTIO_SUB, actio_op2(&w.pool, ACTIO_MUL, y, y), by);
    return actio_kernel_compile(&w.ctx, &w.pool, &y, 1);
}

static double value(const struct actio_kernel *k)
{
    struct actio_arg in = { &w.x, 0 };
    double *work = malloc((actio_kernel_work(k) + 1) * sizeof *work),
           *pre = malloc((actio_kernel_pre(k) + 1) * sizeof *pre), y, *out = &y;
    actio_kernel_prologue(k, 1, NULL, pre, work);
    actio_kernel_eval(k, 1, &in, pre, 1, &out, work);
    free(work);
    free(pre);
    return y;
}

/* The interpreter's. */
static double true_value(double c, size_t times)
{
    struct actio_kernel *k = iteration(c, times);
    double y = value(k);
    CHECK(strcmp(actio_kernel_tier(k), "interpret") == 0);
    actio_kernel_free(k);
    return y;
}

static bool load(struct actio_kernel *k) { return actio_exec_cc.load(&w.ctx, &k, 1, 1) == 0; }

/* Entries of a folder; with an ending only those. */
static size_t entries(const char *folder, const char *ending)
{
    DIR *d = opendir(folder);
    size_t count = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t n = strlen(e->d_name), m = strlen(ending);
        count += e->d_name[0] != '.' && n >= m && strcmp(e->d_name + n - m, ending) == 0;
    }
    if (d) closedir(d);
    return count;
}

/* ---- somebody who can rename what is in the parent */

static bool swap_at_dlopen, swap_at_fork;
static size_t swaps;

static void swap(void)
{
    swaps++;
    renameat2(AT_FDCWD, cache, AT_FDCWD, planted, RENAME_EXCHANGE);
}

void *__real_dlopen(const char *path, int mode);
void *__wrap_dlopen(const char *path, int mode);
void *__wrap_dlopen(const char *path, int mode)
{
    if (swap_at_dlopen) swap();
    void *library = __real_dlopen(path, mode);
    if (swap_at_dlopen) swap();
    return library;
}

pid_t __real_fork(void);
pid_t __wrap_fork(void);
pid_t __wrap_fork(void)
{
    if (swap_at_fork) swap();
    return __real_fork();
}

/* A folder that others can write to, with a copy of all that is kept, and code that answers 12345 in place of each
 * product. */
static void plant(void)
{
    command("cp -r '%s' '%s'", cache, planted);
    command("cd '%s' && printf 'void actio_e0(unsigned long n, void *in, void *pre, unsigned long m, double *const "
            "*out) { **out = 12345; }'"
            " > p.c && cc -shared -fPIC -o p.out p.c && for f in *.so; do cp p.out $f; done; rm p.*; chmod 777 .%s",
            planted, "");
}

TEST(code_is_loaded_from_the_file_that_was_checked)
{
    open_world();
    struct actio_kernel *k = iteration(0.25, 20);
    CHECK(load(k) && value(k) == true_value(0.25, 20));
    actio_kernel_free(k);
    plant();
    swaps = 0;
    swap_at_dlopen = true;
    k = iteration(0.25, 20);
    CHECK(load(k) && value(k) == true_value(0.25, 20));
    CHECK(swaps >= 2);
    swap_at_dlopen = false;
    actio_kernel_free(k);
    close_world();
}

TEST(the_compiler_works_in_the_folder_that_was_checked)
{
    open_world();
    struct actio_kernel *k = iteration(0.25, 20);
    CHECK(load(k));
    actio_kernel_free(k);
    plant();
    size_t before = entries(planted, "");
    swaps = 0;
    swap_at_fork = true;
    k = iteration(0.125, 20);
    CHECK(load(k) && value(k) == true_value(0.125, 20));
    swap_at_fork = false;
    CHECK(swaps == 1 && entries(cache, "") == before && entries(planted, "") == 4); /* the names are exchanged now */
    actio_kernel_free(k);
    close_world();
}

/* The race itself: another process exchanges the two folders as fast as it can. */
TEST(no_foreign_code_runs_while_folders_are_exchanged)
{
    enum { LOADS = 1000 };
    open_world();
    struct actio_kernel *k = iteration(0.25, 20);
    CHECK(load(k));
    actio_kernel_free(k);
    plant();
    pid_t other = fork();
    if (other == 0)
        for (;;) swap();
    size_t wrong = 0, loaded = 0;
    for (int i = 0; i < LOADS; i++) {
        k = iteration(0.25, 20);
        if (actio_exec_cc.ready(&w.ctx, &k, 1, 1)) loaded += load(k);
        wrong += value(k) != true_value(0.25, 20);
        actio_kernel_free(k);
    }
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    CHECK(wrong == 0);
    if (wrong) printf("    foreign code in %zu of %d, %zu loaded\n", wrong, LOADS, loaded);
    close_world();
}

/* ---- what is refused */

static bool loads_below(mode_t mode)
{
    struct actio_kernel *k = iteration(0.5, 10);
    CHECK(chmod(parent, mode) == 0);
    bool good = load(k);
    CHECK(strcmp(actio_kernel_tier(k), good ? "cc" : "interpret") == 0 && value(k) == true_value(0.5, 10));
    actio_kernel_free(k);
    return good;
}

TEST(a_parent_that_others_may_write_is_refused_unless_it_is_sticky)
{
    open_world();
    CHECK(!loads_below(0777) && !loads_below(0770) && !loads_below(0702));
    CHECK(entries(parent, "") == 0); /* nothing is made there either */
    CHECK(loads_below(01777) && loads_below(0755) && loads_below(0700));
    CHECK(!loads_below(0777)); /* not even what is kept from before */
    close_world();
}

TEST(a_parent_of_somebody_else_is_refused)
{
    open_world();
    CHECK(loads_below(0700));
    if (geteuid() == 0) {
        CHECK(chown(parent, 65534, 65534) == 0);
        CHECK(!loads_below(0755));
    }
    close_world();
}

TEST(a_product_that_was_damaged_is_compiled_again)
{
    open_world();
    CHECK(loads_below(0700));
    command("for f in %s/*.so; do printf damaged | dd of=$f bs=1 seek=3000 conv=notrunc 2>/dev/null; done%s", cache,
            "");
    CHECK(loads_below(0700));
    CHECK(entries(cache, ".so") == 1);
    close_world();
}

/* Descriptors have the same numbers again and again; the loader must not take one library for another. */
TEST(libraries_are_not_mixed_up)
{
    enum { MANY = 5 };
    open_world();
    struct actio_kernel *k[MANY];
    for (int i = 0; i < MANY; i++) CHECK(load(k[i] = iteration(0.1 * (i + 1), 10)));
    for (int i = 0; i < MANY; i++) CHECK(value(k[i]) == true_value(0.1 * (i + 1), 10));
    for (int i = 0; i < MANY; i++) actio_kernel_free(k[i]);
    close_world();
}

/* ---- compilers that fail, and ones that are stopped */

static enum { REAL, FAILING, STOPPED } compiler;
static size_t calls;
static char level[8];

bool __real_actio_compiler_run(struct actio_context *ctx, const char *const *argv, int folder, unsigned seconds);
bool __wrap_actio_compiler_run(struct actio_context *ctx, const char *const *argv, int folder, unsigned seconds);
bool __wrap_actio_compiler_run(struct actio_context *ctx, const char *const *argv, int folder, unsigned seconds)
{
    static const volatile int yes = 1;
    calls++;
    snprintf(level, sizeof level, "%s", argv[1]);
    if (compiler == REAL) return __real_actio_compiler_run(ctx, argv, folder, seconds);
    if (compiler == STOPPED) {
        ctx->cancel = &yes;
        return __real_actio_compiler_run(ctx, argv, folder, seconds);
    }
    close(openat(folder, "ccAbCdEf.o", O_CREAT | O_WRONLY, 0600)); /* as a compiler that is killed leaves it */
    return false;
}

TEST(what_does_not_compile_is_not_tried_again)
{
    open_world();
    compiler = FAILING;
    calls = 0;
    struct actio_kernel *k = iteration(0.25, 20), *again = iteration(0.25, 20), *other = iteration(0.5, 20);
    CHECK(!load(k) && calls == 1);
    CHECK(!load(again) && calls == 1); /* the cache knows */
    CHECK(!load(other) && calls == 2); /* another one is tried */
    CHECK(entries(cache, ".o") == 0 && entries(cache, "") == 2 && entries(cache, ".so") == 0);
    compiler = REAL;
    CHECK(!load(again));
    command("touch -d '2 days ago' %s/*.c%s", cache, "");
    CHECK(load(again) && value(again) == true_value(0.25, 20)); /* compilers get better */
    actio_kernel_free(k);
    actio_kernel_free(again);
    actio_kernel_free(other);
    close_world();
}

/* Also where the cache can't remember it. */
TEST(a_kernel_that_failed_is_not_offered_again)
{
    open_world();
    actio_exec_register(&actio_exec_cc);
    compiler = FAILING;
    calls = 0;
    struct actio_kernel *k = iteration(0.25, 200);
    actio_kernels_native(&w.ctx, &k, 1, 1e9, 1);
    CHECK(calls == 1);
    command("rm -rf '%s'%s", cache, "");
    for (int i = 0; i < 3; i++) actio_kernels_native(&w.ctx, &k, 1, 1e9, 1);
    CHECK(calls == 1 && strcmp(actio_kernel_tier(k), "interpret") == 0);
    compiler = REAL;
    actio_kernel_free(k);
    close_world();
}

/* Does a process work in this folder? */
static bool somebody_works_in(const char *folder)
{
    DIR *d = opendir("/proc");
    char link[300], to[512];
    bool found = false;
    for (struct dirent *e; d && !found && (e = readdir(d));) {
        snprintf(link, sizeof link, "/proc/%s/cwd", e->d_name);
        ssize_t n = readlink(link, to, sizeof to - 1);
        found = n > 0 && strncmp(to, folder, strlen(folder)) == 0;
    }
    if (d) closedir(d);
    return found;
}

TEST(a_compiler_that_is_stopped_leaves_nothing_and_is_not_held_for_a_failure)
{
    open_world();
    compiler = STOPPED;
    struct actio_kernel *k = iteration(0.25, 2800);
    CHECK(!load(k));
    CHECK(entries(cache, "") == 0 && !somebody_works_in(parent));
    compiler = REAL;
    w.ctx.cancel = NULL;
    CHECK(load(k) && value(k) == true_value(0.25, 2800) && entries(cache, "") == 2);
    actio_kernel_free(k);
    close_world();
}

/* -O3 takes 64 s where -O1 takes 3, and gains only where many lanes go through at once. */
TEST(the_level_of_optimisation_goes_by_size)
{
    static const struct {
        size_t times;
        double lanes;
        const char *level;
    } row[] = { { 20, 1, "-O3" }, { 400, 1, "-O1" }, { 400, 100, "-O3" }, { 2800, 1, "-O1" }, { 2800, 100, "-O1" } };
    open_world();
    compiler = FAILING;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct actio_kernel *k = iteration(0.3, row[i].times);
        CHECK(actio_exec_cc.load(&w.ctx, &k, 1, row[i].lanes) != 0);
        CHECK(strcmp(level, row[i].level) == 0);
        actio_kernel_free(k);
    }
    compiler = REAL;
    close_world();
}

/* Twenty links in angles, 600 s: some 3000 operations, 300 000 evaluations, 4 s interpreted. A compiler would take as
 * long. */
TEST(compiling_must_pay)
{
    open_world();
    compiler = FAILING;
    calls = 0;
    struct actio_kernel *k = iteration(0.3, 2800);
    actio_kernels_native(&w.ctx, &k, 1, 3e5, 1);
    CHECK(calls == 0);
    actio_kernels_native(&w.ctx, &k, 1, 1e7, 1);
    CHECK(calls == 1);
    compiler = REAL;
    actio_kernel_free(k);
    close_world();
}

/* ---- what others left */

TEST(leftovers_of_ended_programs_are_swept_and_nothing_else)
{
    open_world();
    CHECK(loads_below(0700));
    command("cd '%s' && mkdir -m 700 work-1-0 work-2-0 && touch ccOld123.o ccNew123.o work-1-0/kernel.c && touch -d '1 "
            "day ago' ccOld123.o work-1-0%s",
            cache, "");
    struct actio_kernel *k = iteration(0.75, 10);
    CHECK(load(k));
    actio_kernel_free(k);
    /* two of each kernel, two that are new */
    CHECK(entries(cache, "") == 6 && entries(cache, "Old123.o") == 0 && entries(cache, "work-1-0") == 0);
    close_world();
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    if (actio_exec_cc.present()) {
        RUN(code_is_loaded_from_the_file_that_was_checked);
        RUN(the_compiler_works_in_the_folder_that_was_checked);
        RUN(no_foreign_code_runs_while_folders_are_exchanged);
        RUN(a_parent_that_others_may_write_is_refused_unless_it_is_sticky);
        RUN(a_parent_of_somebody_else_is_refused);
        RUN(a_product_that_was_damaged_is_compiled_again);
        RUN(libraries_are_not_mixed_up);
        RUN(what_does_not_compile_is_not_tried_again);
        RUN(a_kernel_that_failed_is_not_offered_again);
        RUN(a_compiler_that_is_stopped_leaves_nothing_and_is_not_held_for_a_failure);
        RUN(the_level_of_optimisation_goes_by_size);
        RUN(compiling_must_pay);
        RUN(leftovers_of_ended_programs_are_swept_and_nothing_else);
    }
    return DONE();
}

#else
int main(void) { return DONE(); }
#endif

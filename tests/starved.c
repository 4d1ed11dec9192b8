/* SPDX-License-Identifier: Apache-2.0
 * The whole program with allocations that fail: the k-th only, and all from the k-th on. It ends with exit status 4 and
 * says "out of memory", or goes on without what it did not get and answers as ever; nothing crashes, leaks (with
 * sanitizers), or stays behind half-written.
 * starved: a sample of k. starved --all [COMMAND]: every k; with STARVED_TRACE set
 * it names the places that do without memory, too. The program's own main is behind __real_main. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 24, TEXT = 1 << 20, EVERY = 24, SAMPLES = 40, SHOWN = 200 };

/* ---- allocations */

struct counts {
    size_t asked;
};
static struct counts *counts; /* shared with the child */
static size_t fail_at;        /* 0: never */
static bool fail_on, traced;  /* all that follow, too; with the place where it happens */

__attribute__((weak)) void __sanitizer_print_stack_trace(void);

static bool refuses(void)
{
    if (!counts) return false;
    size_t n = ++counts->asked;
    bool now = fail_at && (n == fail_at || (fail_on && n > fail_at));
    if (now && n == fail_at && traced && __sanitizer_print_stack_trace) __sanitizer_print_stack_trace();
    return now;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size) { return refuses() ? (errno = ENOMEM, NULL) : __real_malloc(size); }
void *__wrap_calloc(size_t n, size_t size) { return refuses() ? (errno = ENOMEM, NULL) : __real_calloc(n, size); }
void *__wrap_realloc(void *old, size_t size) { return refuses() ? (errno = ENOMEM, NULL) : __real_realloc(old, size); }
int __real_main(int argc, char **argv);

/* ---- commands: words are separated by blanks */

static const char points[] =
    "coord x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint rod: x^2 + y^2 = 1\nstart x = 1\ntime 0 .. 1\n"
    "expect residual < 1e-6\nexpect drift(energy) < 1e-6\n";
static const char rolls[] = "coord x, y, a\nlagrangian (x'^2 + y'^2 + a'^2)/2\nconstraint skate: x'*sin(a) = "
                            "y'*cos(a)\nstart x' = 1, a' = 1\ntime 0 .. 1\n";
static const char falls[] = "coord x, y\nlagrangian (x'^2 + y'^2)/2 - y\ncontact floor: y >= 0, restitution = .5, "
                            "friction = .2\nstart y = .1, x' = 1\ntime 0 .. 1\n";
static const char hangs[] = "field x(s), y(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, (x'^2 + y'^2)/2 - (diff(x, "
                            "s)^2 + diff(y, s)^2)/2)\nstart x = s, y = s*(1 - s)\ntime 0 .. 1\n";
static const char hides[] = "coord x, y, z\nlagrangian x'^2/2 + y*(x - 1) + z'^2/2 - z^2/2\nstart x = 1\ntime 0 .. 1\n";
static const char bends[] = "coord x\nparam k = 1\nlagrangian x'^2/2 - k*x^2/2 - x^4/4\nforce x = if(x > 0, -x'/10, "
                            "0)\nstart x = 1\ntime 0 .. 7\n";
static const char turns[] = "coord x\nparam k = 1\nlagrangian x'^2/2 - k*x^2/2 - x^4/4\nstart x = 1\ntime 0 .. 10\n";
static const char joins[] =
    "coord x\nlagrangian x'^2/2 + 200*x^2\nstart x = 1\nfree x'\nrequire x at 1 = 1\ntime 0 .. 1\n";

static const struct {
    const char *file, *text;
} models[] = {
    { "points.act", points }, { "rolls.act", rolls }, { "falls.act", falls }, { "hangs.act", hangs },
    { "hides.act", hides },   { "bends.act", bends }, { "turns.act", turns }, { "joins.act", joins },
};

static const char *const commands[] = {
    "list",
    "new rolling",
    "--help",
    "check points.act rolls.act",
    "check turns.act --modes 2 --start x=0",
    "check hides.act --json",
    "check hangs.act",
    "check falls.act",
    "derive rolls.act --by hamel",
    "derive points.act --format c -o out.c",
    "derive hangs.act --format latex",
    "derive rolls.act --by dual --json",
    "run points.act --no-compile --points 5 -o out.csv --plot out.svg",
    "run falls.act --no-compile --points 5 -o out.json -o out.npz",
    "run bends.act --no-compile --points 5 -o -",
    "run rolls.act --no-compile --by skg --gradient x --points 5 --tol 1e-4 --json",
    "run rolls.act --no-compile --by dual --points 5 --tol 1e-4",
    "run hangs.act --no-compile --points 5 --animate out.svg",
    "run points.act --points 5 --tol 1e-6",
    "run joins.act --no-compile --points 5 -o out.csv",
    "run points.act --no-compile --points 5 -o out.h5 --plot out.png",
    "test points.act rolls.act --no-compile",
    "compare rolls.act --by dalembert,gauss,maggi,reduced --no-compile --points 5 --tol 1e-6 --overlay out.svg",
    "orbit turns.act --no-compile",
    "orbit turns.act --no-compile --follow k=1..1.2 -o out.csv --plot out.svg",
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static int split(const char *line, char *text, char **argv)
{
    int n = 0;
    argv[n++] = "actio";
    strcpy(text, line);
    for (char *word = strtok(text, " "); word && n + 1 < WORDS; word = strtok(NULL, " ")) argv[n++] = word;
    argv[n] = NULL;
    return n;
}

/* ---- folders and files */

static char folder[] = "/tmp/actio-starved-XXXXXX";

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

static bool is_model(const char *name)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strcmp(name, models[i].file) == 0) return true;
    return false;
}

/* Calls `see` with each name that a command left in the folder. */
static void for_left(void (*see)(const char *name, void *user), void *user)
{
    DIR *d = opendir(".");
    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && strcmp(e->d_name, "cache") && !is_model(e->d_name))
            see(e->d_name, user);
    if (d) closedir(d);
}

static void forget(const char *name, void *user)
{
    (void)user;
    unlink(name);
}

static size_t read_file(const char *name, char *text)
{
    FILE *f = fopen(name, "r");
    size_t n = f ? fread(text, 1, TEXT - 1, f) : 0;
    if (f) fclose(f);
    text[n] = 0;
    return n;
}

/* ---- one try */

struct reported {
    int status;
    bool crashed;
    char *out, *err;
    size_t asked, left;
    bool stray;
};

static void count_left(const char *name, void *user)
{
    struct reported *t = user;
    if (strcmp(name, "stdout") == 0 || strcmp(name, "stderr") == 0) return;
    if (strncmp(name, "out.", 4) != 0 || strstr(name, ".tmp")) t->stray = true;
    t->left++;
}

static void be_the_program(const char *line)
{
    char text[512], *argv[WORDS];
    int argc = split(line, text, argv), out = open("stdout", O_WRONLY | O_CREAT | O_TRUNC, 0600),
        err = open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    counts->asked = 0;
    int status = __real_main(argc, argv);
    fail_at = 0;
    exit(status);
}

static void attempt(const char *line, size_t k, bool on, struct reported *t)
{
    int status;
    for_left(forget, NULL);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        fail_at = k;
        fail_on = on;
        be_the_program(line);
    }
    waitpid(child, &status, 0);
    t->crashed = !WIFEXITED(status);
    t->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    t->asked = counts->asked;
    t->left = 0;
    t->stray = false;
    read_file("stdout", t->out);
    read_file("stderr", t->err);
    for_left(count_left, t);
}

/* Seconds differ from run to run: digits are not compared. */
static bool same_but_digits(const char *a, const char *b)
{
    for (;;) {
        a += strspn(a, "0123456789.e-+ ");
        b += strspn(b, "0123456789.e-+ ");
        if (*a != *b) return false;
        if (!*a) return true;
        a++;
        b++;
    }
}

static const char *wrong(const struct reported *t, const struct reported *whole)
{
    bool says = strstr(t->err, "out of memory") || strstr(t->out, "out of memory");
    if (t->crashed) return "crashed";
    if (t->stray) return "left something behind";
    if (t->status == whole->status)
        return t->left != whole->left                 ? "files are missing"
               : !same_but_digits(t->out, whole->out) ? "another answer without a word"
                                                      : NULL;
    if (t->status != 4) return "wrong exit status";
    return says ? NULL : "does not say that memory is out";
}

static size_t passed, failed;

static void judge(const char *line, size_t k, bool on, struct reported *t, const struct reported *whole)
{
    const char *why = wrong(t, whole);
    passed += !why;
    failed += why != NULL;
    bool did_without = !why && t->status == whole->status && getenv("STARVED_TRACE");
    if ((!why && !did_without) || failed > SHOWN) return;
    printf("  %s: %s, allocation %zu%s: %s (exit %d):", why ? "failed" : "without", line, k,
           on ? " and all after it" : "", why ? why : "", t->status);
    traced = true;
    attempt(line, k, on, t);
    traced = false;
    int frames = 0; /* of a sanitizer's report, or of the refusal */
    for (const char *p = t->err; (p = strstr(p, " in ")) && frames < 12; p += 4, frames++)
        printf(" %.*s", (int)strcspn(p + 4, " "), p + 4);
    if (frames == 0) printf(" %.300s", t->err);
    printf("\n");
}

static void starve(const char *line, bool all, struct reported *t, struct reported *whole)
{
    attempt(line, 0, false, whole);
    size_t most = whole->asked, stride = all || most <= EVERY + SAMPLES ? 1 : (most - EVERY) / SAMPLES + 1;
    if (whole->crashed || whole->status) {
        printf("  failed: %s: exit %d with all its memory: %s\n", line, whole->status, whole->err);
        failed++;
    }
    for (size_t k = 1; k <= most; k += k < EVERY ? 1 : stride)
        for (int on = 0; on < 2; on++) {
            attempt(line, k, on, t);
            judge(line, k, on, t, whole);
        }
    printf("  %s: %zu allocations, every %zu\n", line, most, stride);
    fflush(stdout);
}

int __wrap_main(int argc, char **argv)
{
    static char text[4][TEXT];
    struct reported t = { .out = text[0], .err = text[1] }, whole = { .out = text[2], .err = text[3] };
    bool all = argc > 1 && strcmp(argv[1], "--all") == 0;
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counts == MAP_FAILED || !mkdtemp(folder) || chdir(folder)) {
        perror("starved");
        return 1;
    }
    setenv("XDG_CACHE_HOME", "cache", 1);
    mkdir("cache", 0700);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) write_file(models[i].file, models[i].text);
    for (size_t i = 0; i < COMMANDS; i++)
        if (argc < 3 || strstr(commands[i], argv[2])) starve(commands[i], all, &t, &whole);
    printf("starved: %zu passed, %zu failed\n", passed, failed);
    fflush(stdout);
    char clean[64];
    snprintf(clean, sizeof clean, "rm -rf %s", folder);
    if (chdir("/") || system(clean)) perror("starved");
    return failed != 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * The whole program with a clock that counts its own work: a tick for each basic block (the library is compiled with
 * -fsanitize-coverage=trace-pc), so that a limit on time is one on work, the same on every machine. A bomb (a model
 * that takes for ever) must end within the limit and what it allows:
 * the more of half a second and a tenth. polled [SEEDS [FIRST]]: that many random bombs of each kind; polled --run
 * WORDS: the program itself. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Blocks a second: what the optimised program does on a machine of 2020, the slowest of the commands below. */
#define RATE 2e8
#define LIMIT 0.5
#define GIVEN_UP 3.0 /* without a poll: it is wrong, and may take hours */
#define ALLOWED 0.5  /* seconds beyond it: the issue of the limit is a promise to users */

enum { WORDS = 24, TEXT = 4000, FRAMES = 24 };

/* ---- work */

struct work {
    uint64_t ticks, polls, last_poll, longest;
    int frames;
    void *frame[FRAMES];
};
static struct work *work; /* shared with the child */
static bool tracing;
static uint64_t over; /* ticks that are too many */

/* Where the longest time without a poll was spent, for whoever mends it. */
static void remember(void)
{
    if (tracing && work->frames == 0) work->frames = backtrace(work->frame, FRAMES);
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    if (!work) return;
    uint64_t gap = ++work->ticks - work->last_poll;
    if (gap > work->longest) work->longest = gap;
    if (gap == (uint64_t)(ALLOWED * RATE)) remember();
    if (work->ticks == over) remember();
    if (gap == (uint64_t)(GIVEN_UP * RATE)) _exit(99);
}

double __wrap_actio_native_clock(void);
double __wrap_actio_native_clock(void)
{
    work->polls++;
    work->last_poll = work->ticks;
    return (double)work->ticks / RATE;
}

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

/* ---- bombs: each writes a model of about `size` parts */

static uint32_t seed;

static uint32_t any(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static void end_model(FILE *f) { fputs("start x = 1\ntime 0 .. 1\n", f); }

static void nested_lets(FILE *f, size_t size)
{
    static const char *const forms[] = { "sin(a%zu) + x", "a%zu*a%zu + x", "a%zu + x'*a%zu", "sqrt(1 + a%zu^2)",
                                         "a%zu/(2 + a%zu)" };
    const char *form = forms[any(5)];
    fputs("coord x\nlet a0 = x\n", f);
    for (size_t i = 0; i < size; i++) {
        fprintf(f, "let a%zu = ", i + 1);
        fprintf(f, form, i, i);
        fputc('\n', f);
    }
    fprintf(f, "lagrangian x'^2/2 - a%zu\n", size);
    end_model(f);
}

static void tower(FILE *f, size_t size)
{
    fputs("coord x\nlagrangian x'^2/2 - ", f);
    for (size_t i = 0; i < size; i++) fputs(any(2) ? "(1 + x^" : "(2 + .1*x^", f);
    fputs("2", f);
    for (size_t i = 0; i < size; i++) fputs(")", f);
    fputc('\n', f);
    end_model(f);
}

static void nested_brackets(FILE *f, size_t size)
{
    static const char *const opens[] = { "sin(", "(x + ", "exp(-", "(x*", "sqrt(1 + ", "(1/" };
    fputs("coord x\nlagrangian x'^2/2 - ", f);
    for (size_t i = 0; i < size; i++) fputs(opens[any(6)], f);
    fputs("x", f);
    for (size_t i = 0; i < size; i++) fputs(")", f);
    fputc('\n', f);
    end_model(f);
}

static void wide_sum(FILE *f, size_t size)
{
    fputs("coord x, y\nlagrangian (x'^2 + y'^2)/2", f);
    for (size_t i = 0; i < size; i++) fprintf(f, " %c sin(x + %u*y)*%u*x'", any(2) ? '+' : '-', any(1000), any(1000));
    fputc('\n', f);
    if (any(2)) fputs("constraint c: x'*cos(y) = y'\n", f);
    end_model(f);
}

static void wide_product(FILE *f, size_t size)
{
    fputs("coord x, y\nlagrangian (x'^2 + y'^2)/2 - ", f);
    for (size_t i = 0; i < size; i++) fprintf(f, "%s(x + %u*y + %u)", i ? "*" : "", any(9), any(9));
    fputc('\n', f);
    end_model(f);
}

static void family(FILE *f, size_t size)
{
    fprintf(f, "param n = %zu\ncoord x[1 .. n]\nlagrangian sum(k = 1 .. n, x[k]'^2/2 - x[k]^2/2)", size);
    if (any(2)) fputs(" - sum(k = 1 .. n, sum(j = 1 .. n, cos(x[k] - x[j])/2))", f);
    fputs("\nstart x[1] = 1\ntime 0 .. 1\n", f);
}

static void chained_constraints(FILE *f, size_t size)
{
    fprintf(f, "param n = %zu\ncoord x[0 .. n], y[0 .. n]\nlagrangian sum(k = 0 .. n, (x[k]'^2 + y[k]'^2)/2 - y[k])\n",
            size);
    fputs("constraint rod[k = 1 .. n]: (x[k] - x[k-1])^2 + (y[k] - y[k-1])^2 = 1\nconstraint h: x[0] = 0\nconstraint "
          "v: y[0] = 0\n",
          f);
    fputs("start x[k = 1 .. n] = k\ntime 0 .. 1000\n", f);
}

static void field(FILE *f, size_t size)
{
    fprintf(f,
            "field x(s), y(s) on s = 0 .. 1 nodes %zu\nlagrangian integral(s, (x'^2 + y'^2)/2 - (sqrt(diff(x, s)^2 + "
            "diff(y, s)^2) - 1)^2)\n",
            size);
    fputs("start x = s, y = s*(1 - s)\ntime 0 .. 1000\n", f);
}

static void long_run(FILE *f, size_t size)
{
    fprintf(f,
            "coord x, y\nlagrangian (x'^2 + y'^2)/2 - x^4 - x^2*y^2*%u\nconstraint c: x' = y*y'\nstart x = 1\ntime 0 "
            ".. %zue6\n",
            1 + any(5), size);
}

/* Events and switches by the hundred thousand. */
static void bounces(FILE *f, size_t size)
{
    fputs("coord x, y\nlagrangian (x'^2 + y'^2)/2\ncontact wall: max(abs(x) - 1, 0)^2 + y^2 <= 1\n", f);
    fprintf(f, "start x' = 1, y' = .%u\ntime 0 .. %zue3\n", 1 + any(8), size);
}

static void switches(FILE *f, size_t size)
{
    fputs("coord x\nlagrangian x'^2/2 - x^2/2\nforce x = 0", f);
    for (size_t i = 0; i < size; i++) fprintf(f, " + if(x < %zu*1e-5 and x' > %zu*1e-5, 1, 0)", i, i);
    fputc('\n', f);
    end_model(f);
}

/* Large matrices of principles that have dense ones. */
static void pendulums(FILE *f, size_t size)
{
    fprintf(f, "param n = %zu\ncoord a[1 .. n], b[1 .. n]\nlagrangian sum(i = 1 .. n, a[i]'^2/2 + b[i]'^2/2 - b[i])\n",
            size);
    fputs("constraint c[i = 1 .. n]: a[i]^2 + b[i]^2 = 1\nstart a[i = 1 .. n] = 1\ntime 0 .. 10\n", f);
}

static void claims(FILE *f, size_t size)
{
    fputs("coord x\nlagrangian x'^2/2 - x^2/2\n", f);
    end_model(f);
    for (size_t i = 0; i < size; i++) fprintf(f, "expect x at %zu*1e-6 = 1 within 1\n", i);
}

static const struct {
    const char *name;
    void (*make)(FILE *f, size_t size);
    size_t size, spread;
} bombs[] = {
    { "nested lets", nested_lets, 40, 50000 },
    { "tower of powers", tower, 10, 5000 },
    { "nested brackets", nested_brackets, 10, 50000 },
    { "wide sum", wide_sum, 50, 20000 },
    { "wide product", wide_product, 5, 3000 },
    { "family", family, 10, 50000 },
    { "constraints in a chain", chained_constraints, 4, 3000 },
    { "field", field, 9, 100000 },
    { "long run", long_run, 1, 1000 },
    { "bounces", bounces, 1, 1000 },
    { "switches", switches, 100, 20000 },
    { "pendulums", pendulums, 10, 400 },
    { "claims", claims, 1000, 100000 },
};
enum { BOMBS = sizeof bombs / sizeof *bombs };

/* ---- commands */

static const char *const commands[] = {
    "derive",
    "check",
    "run --no-compile -o out.csv",
    "derive --by gauss",
    "run --no-compile --by gauss",
    "compare --no-compile",
    "derive --format c",
    "derive --by hamel",
    "run --no-compile --by maggi --points 300000 -o out.csv",
    "run --no-compile --by skg",
    "run --no-compile --by dual",
    "test --no-compile",
    "orbit --no-compile",
    "check --modes 5",
    "derive --format latex",
    "run --no-compile --by hamel",
    "run --no-compile --by discrete",
    "derive --by dual",
    "run --no-compile --by reduced -o out.json",
    "derive --by skg",
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* What once ran away, or did not poll for long, besides the random ones: each with its size and its limit. */
#define GAP 0.25 /* seconds without a poll that these may have */
static const struct certain {
    const char *name;
    void (*make)(FILE *f, size_t size);
    size_t size;
    double limit;
    const char *command;
} certain[] = {
    { "bounces", bounces, 1000, 2, "run --no-compile -o out.csv" },
    { "bounces", bounces, 1000, 2, "run --no-compile --json" },
    { "switches", switches, 20000, 0.5, "check" },
    { "switches", switches, 3000, 0.5, "check" },
    { "switches", switches, 3000, 0.5, "derive" },
    { "switches", switches, 3000, 0.5, "run --no-compile" },
    { "switches", switches, 3000, 0.5, "compare --no-compile" },
    { "switches", switches, 3000, 0.5, "orbit --no-compile" },
    { "pendulums", pendulums, 400, 1, "run --no-compile --by gauss" },
    { "pendulums", pendulums, 400, 1, "run --no-compile --by maggi" },
    { "pendulums", pendulums, 400, 1, "run --no-compile --by reduced" },
    { "pendulums", pendulums, 400, 1, "compare --no-compile" },
    { "claims", claims, 100000, 0.5, "test --no-compile" },
    { "claims", claims, 8000, 0.5, "test --no-compile" },
};
enum { CERTAIN = sizeof certain / sizeof *certain };

static int split(char *line, char **argv)
{
    int n = 0;
    argv[n++] = "actio";
    for (char *word = strtok(line, " "); word && n + 1 < WORDS; word = strtok(NULL, " ")) argv[n++] = word;
    argv[n] = NULL;
    return n;
}

static int explode(const char *command, double limit)
{
    char line[256], *argv[WORDS];
    snprintf(line, sizeof line, "%s bomb.act --limit-time %g --limit-memory 1G", command, limit);
    int status;
    memset(work, 0, sizeof *work);
    over = (uint64_t)((limit + ALLOWED) * RATE);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int out = open("stdout", O_WRONLY | O_CREAT | O_TRUNC, 0600),
            err = open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0600), argc = split(line, argv);
        dup2(out, 1);
        dup2(err, 2);
        _exit(__real_main(argc, argv));
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void show_frames(void)
{
    char **name = backtrace_symbols(work->frame, work->frames);
    for (int i = 2; name && i < work->frames; i++) printf("      %s\n", name[i]);
    free(name);
}

static size_t passed, failed;

static void judge(const char *bomb, const char *command, int status, double limit, double most_gap, uint32_t which)
{
    double total = (double)work->ticks / RATE, gap = (double)work->longest / RATE,
           allowed = limit + (0.1 * limit > ALLOWED ? 0.1 * limit : ALLOWED);
    bool good = total <= allowed && gap <= most_gap && (status <= 4 || status == 130);
    passed += good;
    failed += !good;
    if (getenv("POLLED_VERBOSE"))
        printf("  %s, %s, seed %u: exit %d after %.2f s, %llu polls, %.3f s between two\n", bomb, command, which,
               status, total, (unsigned long long)work->polls, gap);
    if (good) return;
    printf("  failed: %s, %s, seed %u: exit %d after %.2f s with a limit of %g s, %.2f s without a poll\n", bomb,
           command, which, status, total, limit, gap);
    show_frames();
    fflush(stdout);
}

static void write_bomb(void (*make)(FILE *f, size_t size), size_t size)
{
    FILE *f = fopen("bomb.act", "w");
    if (!f) return;
    make(f, size);
    fclose(f);
}

static void certain_bomb(const struct certain *c, uint32_t which)
{
    seed = 1;
    write_bomb(c->make, c->size);
    judge(c->name, c->command, explode(c->command, c->limit), c->limit, GAP, which);
}

static void one_bomb(size_t k, uint32_t which)
{
    seed = 2654435761u * (which + 1) + (uint32_t)k * 40503u;
    any(2);
    const char *command = commands[any(COMMANDS)];
    size_t size = bombs[k].size;
    while (size < bombs[k].spread && any(8)) size *= 2; /* many sizes: what is quadratic shows at one of them */
    write_bomb(bombs[k].make, size < bombs[k].spread ? size : bombs[k].spread);
    judge(bombs[k].name, command, explode(command, LIMIT), LIMIT, GIVEN_UP, which);
}

static char folder[] = "/tmp/actio-polled-XXXXXX";

int __wrap_main(int argc, char **argv)
{
    work = mmap(NULL, sizeof *work, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (work == MAP_FAILED) {
        perror("polled");
        return 1;
    }
    tracing = true;
    void *warm[2];
    backtrace(warm, 2); /* its first call loads a library */
    if (argc > 1 && strcmp(argv[1], "--run") == 0) {
        int status = __real_main(argc - 1, argv + 1);
        fprintf(stderr, "polled: %.3f s of work, %llu polls, %.3f s between two\n", (double)work->ticks / RATE,
                (unsigned long long)work->polls, (double)work->longest / RATE);
        show_frames();
        return status;
    }
    uint32_t seeds = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 6,
             first = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    if (!mkdtemp(folder) || chdir(folder)) {
        perror("polled");
        return 1;
    }
    for (size_t k = 0; first == 0 && k < CERTAIN; k++) certain_bomb(&certain[k], (uint32_t)k);
    for (uint32_t s = first; s < first + seeds; s++)
        for (size_t k = 0; k < BOMBS; k++) one_bomb(k, s);
    printf("polled: %zu passed, %zu failed\n", passed, failed);
    char clean[64];
    snprintf(clean, sizeof clean, "rm -rf %s", folder);
    if (chdir("/") || system(clean)) perror("polled");
    return failed != 0;
}

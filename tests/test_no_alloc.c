/* SPDX-License-Identifier: Apache-2.0
 * Architecture: once a stepper has begun, nothing takes memory: not steps, projections, located switches, jumps, nor
 * rows of output. */
#include "subject.h"

/* Every allocation of the process is seen, libraries' own included, where the C library lets itself be replaced. */
#if defined(__GLIBC__) && !SANITIZED
#define SEES_EVERYTHING 1
#else
#define SEES_EVERYTHING 0
#endif

static bool counting;
static size_t own, all; /* of the library through its context; of the process */

static void *count_and_allocate(void *user, void *old, size_t size)
{
    (void)user;
    if (size == 0) {
        free(old);
        return NULL;
    }
    own += counting;
    return realloc(old, size);
}

#if SEES_EVERYTHING
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);
void *malloc(size_t size)
{
    all += counting;
    return __libc_malloc(size);
}
void *calloc(size_t n, size_t size)
{
    all += counting;
    return __libc_calloc(n, size);
}
void *realloc(void *old, size_t size)
{
    all += counting;
    return __libc_realloc(old, size);
}
#endif

/* ---- steppers that count from their first start to their close, registered under names of their own */

static const struct actio_stepper *inner;

static void start(void *h, double t, const double *y, double t_end, double rtol, double atol)
{
    inner->start(h, t, y, t_end, rtol, atol);
    counting = true;
}

static void stop(void *h)
{
    counting = false;
    inner->close(h);
}

static struct actio_stepper watched, watched_stiff, watched_skg;

static void register_watched(const struct actio_stepper *from, const char *name, struct actio_stepper *to)
{
    *to = *from;
    to->name = name;
    to->start = start;
    to->close = stop;
    actio_stepper_register(to);
}

static void register_all(void)
{
    actio_context_free(actio_context_create(NULL)); /* what the build adds registers with the first context */
    register_watched(&actio_dop853, "watched", &watched);
    register_watched(&actio_skg, "watched-skg", &watched_skg);
    if (actio_stepper_stiff()) register_watched(actio_stepper_stiff(), "watched-stiff", &watched_stiff);
}

struct journey {
    size_t steps, events, own, all;
    int status;
};

static struct journey travel(const char *text, const struct actio_change *change, size_t changes, const char *method,
                             double local)
{
    struct journey j = { .status = -1 };
    struct actio_context *ctx = actio_context_create(NULL);
    ctx->allocate = count_and_allocate;
    struct actio_findings *f = actio_findings_create(ctx);
    struct actio_model *model = actio_model_read_string(ctx, "a.act", text, strlen(text), change, changes, f);
    struct actio_run_options options = actio_run_options_default();
    options.method = method;
    options.local = local;
    options.no_compile = true;
    inner = strcmp(method, "watched") == 0       ? &actio_dop853
            : strcmp(method, "watched-skg") == 0 ? &actio_skg
                                                 : actio_stepper_stiff();
    own = all = 0;
    struct actio_table *table = model ? actio_run(ctx, model, &options, f) : NULL;
    if (table) {
        struct actio_run_info info = actio_table_info(table);
        j = (struct journey){ info.steps, info.events, own, all, info.status };
    }
    actio_table_free(table);
    actio_model_free(model);
    actio_findings_free(f);
    actio_context_free(ctx);
    return j;
}

/* Nodes of an action have no place for what changes at instants. */
static bool has_instants(const char *text)
{
    return strstr(text, "\nheld ") || strstr(text, "\nwhen ") || strstr(text, "\nevery ");
}

static size_t check_gallery(const char *method, double local)
{
    const struct actio_example *examples;
    size_t n = actio_gallery(&examples), travelled = 0;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(method, "watched-skg") == 0 && has_instants(examples[i].text)) continue;
        struct journey j = travel(examples[i].text, NULL, 0, method, local);
        bool none = j.own == 0 && (j.all == 0 || strcmp(method, "watched-stiff") == 0);
        if (!none)
            printf("    %s by %s: %zu allocations in %zu steps\n", examples[i].stem, method,
                   j.own > j.all ? j.own : j.all, j.steps);
        CHECK(none);
        travelled += j.steps > 0 && j.status == 0;
    }
    return travelled;
}

TEST(no_step_of_any_gallery_model_allocates) { CHECK(check_gallery("watched", 1e-9) >= 40); }

/* Allocations are the same in fewer slabs: sanitizers need each of them once. */
TEST(no_slab_of_any_gallery_model_allocates) { CHECK(check_gallery("watched-skg", SANITIZED ? 1e-5 : 1e-9) >= 40); }

/* CVODE keeps some small things of its own at its first step: only what goes through the context is ours. */
TEST(no_stiff_step_of_any_gallery_model_allocates)
{
    if (watched_stiff.name) CHECK(check_gallery("watched-stiff", 1e-6) >= 30);
}

TEST(hundreds_of_switches_allocate_nothing)
{
    static const struct actio_change longer = { ACTIO_CHANGE_TIME, "0..600" };
    const struct actio_example *examples;
    size_t n = actio_gallery(&examples), found = 0;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(examples[i].stem, "bilinear-oscillator") != 0) continue;
        struct journey j = travel(examples[i].text, &longer, 1, "watched", 1e-8);
        CHECK(j.status == 0 && j.events > 200);
        CHECK(j.own == 0 && j.all == 0);
        found++;
    }
    CHECK(found == 1);
}

/* Where the disk turns back its row vanishes, and both sides have the same limit. */
TEST(passing_a_turning_point_allocates_nothing)
{
    static const char text[] = "coord x, th\nlagrangian (x'^2 + th'^2)/2 - x\nconstraint roll: x'^2 = th'^2\nstart x' "
                               "= 1, th' = 1\ntime 0 .. 3\n";
    struct journey j = travel(text, NULL, 0, "watched", 1e-9);
    CHECK(j.steps > 0);
    CHECK(j.own == 0 && j.all == 0);
}

int main(void)
{
    register_all();
    RUN(no_step_of_any_gallery_model_allocates);
    RUN(no_slab_of_any_gallery_model_allocates);
    RUN(no_stiff_step_of_any_gallery_model_allocates);
    RUN(hundreds_of_switches_allocate_nothing);
    RUN(passing_a_turning_point_allocates_nothing);
    return DONE();
}

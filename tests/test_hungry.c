/* SPDX-License-Identifier: Apache-2.0
 * Flows, integrators, numbers and callbacks with allocations that fail: the k-th only, or all from the k-th on. A call
 * then says so with exit status 4, or does its work without; nothing crashes, and all memory comes back. */
#include <actio/actio.h>

#include "base/context.h"
#include "check.h"
#include "subject.h"

struct purse {
    size_t asked, fail_at, held;
    bool for_good;
};

static void *pay(void *user, void *old, size_t size)
{
    struct purse *p = user;
    if (size == 0) {
        p->held -= old != NULL;
        free(old);
        return NULL;
    }
    p->asked++;
    if (p->fail_at && (p->asked == p->fail_at || (p->for_good && p->asked > p->fail_at))) return NULL;
    void *new = realloc(old, size);
    p->held += !old && new;
    return new;
}

static int push(void *user, double t, const double *y, size_t size, double *value, double *dt, double *dy)
{
    (void)user;
    *value = sin(t) + y[size - 1] / 8;
    if (dt) *dt = cos(t);
    if (dy) dy[size - 1] = .125;
    return 0;
}

static const char text[] = "param m = 1, l = m, h = l/4\ncoord x, y\nlagrangian m*(x'^2 + y'^2)/2 - 10*y\n"
                           "constraint rod: x^2 + y^2 = l^2\ncontact side: x >= -1/2, restitution = h\n"
                           "force x = external(\"push\") - abs(y')/8\nevent low: x = 0\n"
                           "start x = l\ntime 0 .. l\nexpect y at 0 = 0 within h\n";

/* Exit statuses of all calls that were made, the worst: 0, or 4 where memory was missing. */
static int use_all(struct actio_context *ctx, struct actio_findings *f)
{
    struct actio_run_options o = actio_run_options_default();
    double y[4] = { 0 }, z[4] = { 0 }, J[16];
    unsigned char bytes[4096];
    o.local = 1e-4;
    o.no_compile = true;
    struct actio_model *model = actio_model_read_string(ctx, "a.act", text, strlen(text), NULL, 0, f);
    if (!model) return actio_findings_status(f);
    int status = actio_model_bind(model, "push", push, true, NULL, f);
    status |= actio_model_set_param(model, "m", 1.25, f) | actio_model_set_start(model, "x", 1.25, f);
    status |= actio_model_set_time(model, 0, .5, f);
    actio_model_text(model); /* "" without memory */
    struct actio_flow *flow = actio_flow_create(ctx, model, NULL, f);
    if (flow) {
        double t = actio_flow_start(flow, y);
        status |= actio_flow_rhs(flow, t, y, z) | actio_flow_jacobian(flow, t, y, J);
        y[0] += .25;
        actio_flow_project(flow, t, y); /* without memory it has no nearest state */
    }
    actio_flow_free(flow);
    struct actio_integrator *i = actio_integrator_create(ctx, model, &o, f);
    size_t size = actio_integrator_save(i, bytes, sizeof bytes);
    if (i) {
        status |= size <= sizeof bytes ? 0 : ACTIO_WRONG_USAGE;
        status |= actio_integrator_to(i, .25, f);
        status |= actio_integrator_restore(i, bytes, size, f) | actio_integrator_to(i, .375, f);
        actio_integrator_state(i, y);
        status |= actio_integrator_set_state(i, 0, y, f);
    }
    status |= flow && i ? 0 : ACTIO_LIMIT_REACHED;
    actio_integrator_free(i);
    actio_model_free(model);
    return status;
}

static int with_purse(struct purse *p)
{
    struct actio_context *ctx = actio_context_create(NULL);
    ctx->allocate = pay;
    ctx->allocate_user = p;
    struct actio_findings *f = actio_findings_create(ctx);
    int status = f ? use_all(ctx, f) : ACTIO_LIMIT_REACHED;
    bool spoken = !f || status == 0;
    for (size_t k = 0; k < actio_findings_count(f); k++)
        spoken |= strcmp(actio_findings_message(f, k).code, "OUT_OF_MEMORY") == 0;
    actio_findings_free(f);
    free(ctx);
    return !spoken ? -1 : status ? ACTIO_LIMIT_REACHED : 0; /* of what follows a refusal other statuses may come */
}

TEST(whatever_is_refused_is_said_and_nothing_is_lost)
{
    struct purse all = { 0 };
    CHECK(with_purse(&all) == 0 && all.held == 0);
    size_t step = SANITIZED ? 37 : 5, failed = 0, done = 0;
    for (size_t k = 1; k <= all.asked; k += k < 60 ? 1 : step)
        for (int for_good = 0; for_good < 2; for_good++) {
            struct purse p = { .fail_at = k, .for_good = for_good };
            int status = with_purse(&p);
            bool good = p.held == 0 && (status == 0 || status == ACTIO_LIMIT_REACHED);
            CHECK(good);
            if (!good) printf("    allocation %zu%s: status %d, %zu kept\n", k, for_good ? " on" : "", status, p.held);
            failed += status != 0;
            done += status == 0;
        }
    CHECK(failed > 50);
}

int main(void)
{
    RUN(whatever_is_refused_is_said_and_nothing_is_lost);
    return DONE();
}

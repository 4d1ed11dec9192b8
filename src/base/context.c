/* SPDX-License-Identifier: Apache-2.0
 * Limits, cancellation, the way out of a building stage, and counted memory. */
#include "base/context.h"
#include "base/findings.h"

#include <stdlib.h>
#include <string.h>

static void *plain_allocate(void *user, void *old, size_t size)
{
    (void)user;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return realloc(old, size);
}

void actio_context_init(struct actio_context *ctx)
{
    *ctx = (struct actio_context){
        .grace = 0.25, .bytes_limit = (size_t)2 << 30, .nodes_limit = 50u * 1000 * 1000, .allocate = plain_allocate
    };
}

int actio_attempt(struct actio_context *ctx, void (*stage)(void *user), void *user)
{
    jmp_buf here;
    jmp_buf *outer = ctx->escape;
    ctx->escape = &here;
    int escaped = setjmp(here) != 0;
    if (!escaped) stage(user);
    ctx->escape = outer;
    return escaped;
}

_Noreturn void actio_escape(struct actio_context *ctx)
{
    if (!ctx->escape) abort(); /* our bug: building outside actio_attempt */
    longjmp(*ctx->escape, 1);
}

bool actio_cancelled(const struct actio_context *ctx) { return ctx->cancel && *ctx->cancel; }

static bool late(const struct actio_context *ctx)
{
    return ctx->deadline > 0 && ctx->clock && ctx->clock() > ctx->deadline;
}

bool actio_stopped(const struct actio_context *ctx) { return actio_cancelled(ctx) || late(ctx); }

bool actio_overdue(struct actio_context *ctx)
{
    if (!ctx->clock || (!actio_cancelled(ctx) && ctx->deadline <= 0)) return false;
    double now = ctx->clock();
    if (actio_cancelled(ctx) && ctx->cancel_seen <= 0) ctx->cancel_seen = now;
    return (ctx->deadline > 0 && now > ctx->deadline + ctx->grace)
           || (ctx->cancel_seen > 0 && now > ctx->cancel_seen + ctx->grace);
}

static _Thread_local struct actio_context *watched;

struct actio_context *actio_watch(struct actio_context *ctx)
{
    struct actio_context *before = watched;
    watched = ctx;
    return before;
}

bool actio_abandon(void)
{
    if (!watched || !actio_overdue(watched)) return false;
    return watched->abandoned = true;
}

static _Noreturn void end_stage(struct actio_context *ctx, const char *what)
{
    if (ctx->findings && actio_cancelled(ctx)) actio_report(ctx->findings, ACTIO_F_INTERRUPTED, ACTIO_NO_ARGS);
    else if (ctx->findings) actio_report(ctx->findings, ACTIO_F_OUT_OF_TIME, ACTIO_ARGS(ACTIO_TEXT(what)));
    actio_escape(ctx);
}

void actio_poll(struct actio_context *ctx)
{
    if (actio_stopped(ctx)) end_stage(ctx, "the model was being prepared");
}

/* Without findings a finding is being made, which must not end. */
void actio_poll_overdue(struct actio_context *ctx)
{
    if (ctx->findings && ctx->escape && actio_overdue(ctx)) end_stage(ctx, "the work was under way");
}

void *actio_count_alloc(struct actio_context *ctx, void *old, size_t bytes, size_t more)
{
    bool fits = more <= ctx->bytes_limit && ctx->bytes <= ctx->bytes_limit - more;
    void *p = fits ? ctx->allocate(ctx->allocate_user, old, bytes) : NULL;
    if (p) ctx->bytes += more;
    else {
        ctx->refused++;
        ctx->system_refused = fits;
    }
    return p;
}

void actio_pardon(struct actio_context *ctx, size_t before) { ctx->refused = before; }

/* A block remembers its size in front of the data, so that giving it back is counted. */
struct header {
    size_t size;
    size_t unused;
};

void *actio_alloc_raw(struct actio_context *ctx, size_t count, size_t size)
{
    bool countable = !size || count <= (SIZE_MAX - sizeof(struct header)) / size;
    size_t bytes = countable ? count * size + sizeof(struct header) : SIZE_MAX;
    struct header *h = actio_count_alloc(ctx, NULL, bytes, bytes);
    if (!h) return NULL;
    h->size = bytes;
    return h + 1;
}

void *actio_alloc(struct actio_context *ctx, size_t count, size_t size)
{
    void *p = actio_alloc_raw(ctx, count, size);
    return p ? memset(p, 0, count * size) : NULL;
}

void actio_free(struct actio_context *ctx, void *p)
{
    if (!p) return;
    struct header *h = (struct header *)p - 1;
    ctx->bytes -= h->size;
    ctx->allocate(ctx->allocate_user, h, 0);
}

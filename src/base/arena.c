/* SPDX-License-Identifier: Apache-2.0
 * Arenas: small pieces share chunks, large ones have their own so that they can grow in place. */
#include "base/arena.h"
#include "base/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct actio_block {
    struct actio_block *next, *previous;
    size_t size, used;
}; /* data follow, 16-byte aligned */

enum { CHUNK = 64 * 1024, LARGE = 16 * 1024 };

static size_t rounded(size_t n) { return (n + 15) & ~(size_t)15; }
static char *data_of(struct actio_block *b) { return (char *)b + rounded(sizeof *b); }

void actio_arena_open(struct actio_arena *a, struct actio_context *ctx) { *a = (struct actio_arena){ .ctx = ctx }; }

static _Noreturn void exhausted(struct actio_arena *a)
{
    struct actio_context *ctx = a->ctx;
    if (ctx->findings)
        actio_report(ctx->findings, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("building the model's formulas"), ACTIO_COUNT(ctx->bytes_limit)));
    actio_escape(ctx);
}

static struct actio_block *new_block(struct actio_arena *a, size_t size)
{
    struct actio_context *ctx = a->ctx;
    size_t bytes = size < SIZE_MAX / 2 ? rounded(sizeof(struct actio_block)) + size : SIZE_MAX;
    struct actio_block *b = actio_count_alloc(ctx, NULL, bytes, bytes);
    if (!b) exhausted(a);
    *b = (struct actio_block){ .size = size, .next = a->head };
    if (a->head) a->head->previous = b;
    a->head = b;
    return b;
}

/* A large block goes behind the current chunk, so that small pieces still find the chunk first. */
static void behind_head(struct actio_arena *a)
{
    struct actio_block *b = a->head, *chunk = b->next;
    if (!chunk) return;
    b->next = chunk->next;
    if (b->next) b->next->previous = b;
    chunk->next = b;
    chunk->previous = NULL;
    b->previous = chunk;
    a->head = chunk;
}

void *actio_arena_alloc(struct actio_arena *a, size_t size)
{
    size_t need = size > SIZE_MAX / 4 ? size : rounded(size ? size : 1);
    struct actio_block *b = a->head;
    if ((++a->ctx->taken & 63) == 0) actio_poll_overdue(a->ctx);
    if (need >= LARGE) {
        b = new_block(a, need);
        behind_head(a);
    } else if (!b || b->size - b->used < need) {
        b = new_block(a, CHUNK);
    }
    char *p = data_of(b) + b->used;
    b->used += need;
    return memset(p, 0, need);
}

void *actio_arena_array(struct actio_arena *a, size_t count, size_t size)
{
    return actio_arena_alloc(a, size && count > SIZE_MAX / 4 / size ? SIZE_MAX : count * size);
}

/* Resizes a large block where it stands in the list. */
static void *regrow(struct actio_arena *a, struct actio_block *b, size_t new_size)
{
    struct actio_context *ctx = a->ctx;
    size_t old = b->size;
    struct actio_block *n = actio_count_alloc(ctx, b, rounded(sizeof *b) + new_size, new_size - old);
    if (!n) exhausted(a);
    n->size = n->used = new_size;
    if (n->next) n->next->previous = n;
    if (n->previous) n->previous->next = n;
    else a->head = n;
    memset(data_of(n) + old, 0, new_size - old);
    return data_of(n);
}

void *actio_arena_grow(struct actio_arena *a, void *old, size_t old_size, size_t new_size)
{
    if (old && rounded(old_size) >= LARGE && new_size < SIZE_MAX / 4 && new_size > old_size)
        return regrow(a, (struct actio_block *)((char *)old - rounded(sizeof(struct actio_block))), rounded(new_size));
    void *p = actio_arena_alloc(a, new_size);
    if (old) memcpy(p, old, old_size < new_size ? old_size : new_size);
    return p;
}

void actio_arena_close(struct actio_arena *a)
{
    for (struct actio_block *b = a->head, *next; b; b = next) {
        next = b->next;
        a->ctx->bytes -= rounded(sizeof *b) + b->size;
        a->ctx->allocate(a->ctx->allocate_user, b, 0);
    }
    a->head = NULL;
}

char *actio_arena_text(struct actio_arena *a, const char *s, size_t length)
{
    char *t = actio_arena_alloc(a, length + 1);
    if (length) memcpy(t, s, length);
    return t;
}

char *actio_arena_format(struct actio_arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char none[1];
    int n = vsnprintf(none, sizeof none, format, args);
    va_end(args);
    char *t = actio_arena_alloc(a, (size_t)n + 1);
    va_start(args, format);
    vsnprintf(t, (size_t)n + 1, format, args);
    va_end(args);
    return t;
}

/* SPDX-License-Identifier: Apache-2.0
 * What every long computation takes first: limits, cancellation, progress, memory.
 * In: limits and hooks of the caller. Out: memory that is counted, and the word to stop. Callers: all rooms. */
#ifndef ACTIO_BASE_CONTEXT_H
#define ACTIO_BASE_CONTEXT_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct actio_findings;

/* Lua's allocator: size 0 frees, else (re)allocates; NULL when there is no more. Tests inject failures here. */
typedef void *(*actio_allocate_fn)(void *user, void *old, size_t size);
typedef double (*actio_clock_fn)(void); /* monotonic seconds; NULL: without a clock */
typedef void (*actio_progress_fn)(void *user, const char *what, double done, double of);

struct actio_context {
    size_t bytes, bytes_limit; /* held by arenas now, and at most */
    /* allocations that got nothing in this call and not pardoned; the last by the system, not by the limit */
    size_t refused;
    bool system_refused;
    uint32_t nodes_limit; /* expression nodes of one pool */
    double deadline;      /* by `clock`; 0 = none */
    /* seconds to finish in after a stop; when the cancellation was first seen, 0 = not yet */
    double grace, cancel_seen;
    uint32_t taken; /* pieces from arenas: every so many a poll */
    bool abandoned; /* dense algebra gave up because it was overdue: errors after that are ones of time */
    actio_clock_fn clock;
    /* around a call: printf and strtod with a point; NULL where there is one locale */
    void *(*plain_numbers)(void);
    void (*own_numbers)(void *before);
    const volatile int *cancel; /* not 0: stop as soon as you can; NULL = never */
    actio_allocate_fn allocate;
    void *allocate_user;
    actio_progress_fn progress;
    void *progress_user;
    bool quiet;
    struct actio_findings *findings; /* where an escape says why */
    void *forming;                   /* a system half made when an escape comes */
    jmp_buf *escape;                 /* innermost building stage, see actio_attempt */
};

/* Building stages (reading, differentiating, planning) take memory from arenas only. When it runs out, or time does,
 * actio_escape reports a finding and returns to the innermost actio_attempt, whose caller closes the arenas:
 * nothing leaks and no constructor has to test a pointer. Numeric stages test and return instead. */
void actio_context_init(struct actio_context *ctx); /* generous limits, malloc, no clock */
int actio_attempt(struct actio_context *ctx, void (*stage)(void *user), void *user); /* 0, or 1 after an escape */
_Noreturn void actio_escape(struct actio_context *ctx);                              /* the finding is already made */
void actio_poll(struct actio_context *ctx);          /* escapes when cancelled or late; call per sweep */
bool actio_stopped(const struct actio_context *ctx); /* cancelled or late? for numeric stages */
/* What follows a stop (rows that are kept, files, words) has some time more. After that it is overdue: whatever is
 * under way ends. */
bool actio_overdue(struct actio_context *ctx);
/* Dense algebra has no context: it checks whether the current call of its thread is overdue, and stops; nothing
 * that follows is reported as a result. */
bool actio_abandon(void);
struct actio_context *actio_watch(struct actio_context *ctx); /* the call's; returns the one before */
/* escapes when overdue; arenas and graph passes call it, so that no building can run away */
void actio_poll_overdue(struct actio_context *ctx);
bool actio_cancelled(const struct actio_context *ctx);

/* Numeric stages: zeroed memory counted against the limit; NULL when there is none. */
void *actio_alloc(struct actio_context *ctx, size_t count, size_t size);
/* not zeroed: for what is written before it is read */
void *actio_alloc_raw(struct actio_context *ctx, size_t count, size_t size);
void actio_free(struct actio_context *ctx, void *p); /* NULL is fine */
/* For allocators: `bytes` within the limit, or NULL, which is counted. An error that is found after a refusal is one of
 * memory, see actio_report_at;
 * whoever can do without pardons it. */
/* `more`: by which the count grows */
void *actio_count_alloc(struct actio_context *ctx, void *old, size_t bytes, size_t more);
void actio_pardon(struct actio_context *ctx, size_t before); /* refusals since there were `before` */

#endif

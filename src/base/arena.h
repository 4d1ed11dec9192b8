/* SPDX-License-Identifier: Apache-2.0
 * Memory that lives and dies together. */
#ifndef ACTIO_BASE_ARENA_H
#define ACTIO_BASE_ARENA_H

#include "base/context.h"

struct actio_arena {
    struct actio_context *ctx;
    struct actio_block *head;
};

void actio_arena_open(struct actio_arena *a, struct actio_context *ctx);
void actio_arena_close(struct actio_arena *a);
void *actio_arena_alloc(struct actio_arena *a, size_t size); /* zeroed, 16-byte aligned; escapes on failure */
void *actio_arena_array(struct actio_arena *a, size_t count, size_t size); /* the same, overflow checked */
/* old may be NULL; tail zeroed */
void *actio_arena_grow(struct actio_arena *a, void *old, size_t old_size, size_t new_size);
char *actio_arena_text(struct actio_arena *a, const char *s, size_t length);
char *actio_arena_format(struct actio_arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The array with room for one more: twice as long when it is full. */
static inline void *actio_arena_room(struct actio_arena *a, void *array, size_t count, size_t cap, size_t size)
{
    if (count != cap) return array;
    return actio_arena_grow(a, array, cap * size, (cap ? 2 * cap : 8) * size);
}
/* ACTIO_PUSH(arena, array, count, cap) = value;  grows the array by doubling */
#define ACTIO_PUSH(arena, array, count, cap)                                                                           \
    (*((array) = actio_arena_room((arena), (array), (count), (cap), sizeof *(array)),                                  \
       (cap) += ((cap) + 8u * !(cap)) * ((count) == (cap)), &(array)[(count)++]))

#endif

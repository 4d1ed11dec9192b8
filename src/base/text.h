/* SPDX-License-Identifier: Apache-2.0
 * A growing string; numbers that read back exactly, in any locale; near misses of names. */
#ifndef ACTIO_BASE_TEXT_H
#define ACTIO_BASE_TEXT_H

#include "base/arena.h"

struct actio_text {
    struct actio_arena *arena;
    char *s;
    size_t length, cap;
};

void actio_text_open(struct actio_text *t, struct actio_arena *arena);
void actio_text_add(struct actio_text *t, const char *s);
void actio_text_bytes(struct actio_text *t, const char *s, size_t n);
void actio_text_format(struct actio_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void actio_text_number(struct actio_text *t, double x); /* shortest text that reads back as x */

/* Shortest decimal text that reads back exactly (nan, inf, -inf too); returns its length. Never a decimal comma. */
size_t actio_number_text(double x, char out[32]);
/* Reads digits [. digits] [e[+-]digits] at s, whatever the locale; returns bytes used, 0 if none. */
size_t actio_number_read(const char *s, const char *end, double *x);

/* Of `count` names the one at most two slips away from `word` (a swap is one), or NULL. */
const char *actio_near_name(const char *word, const char *const *names, size_t count);

#endif

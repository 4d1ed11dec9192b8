/* SPDX-License-Identifier: Apache-2.0
 * Strings that grow, numbers that read back exactly, names that were nearly right. */
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void actio_text_open(struct actio_text *t, struct actio_arena *arena)
{
    *t = (struct actio_text){ .arena = arena, .cap = 64 };
    t->s = actio_arena_alloc(arena, t->cap);
}

static void reserve(struct actio_text *t, size_t more)
{
    size_t need = t->length + more + 1, cap = t->cap;
    if (need <= cap) return;
    while (cap < need) cap *= 2;
    t->s = actio_arena_grow(t->arena, t->s, t->cap, cap);
    t->cap = cap;
}

void actio_text_bytes(struct actio_text *t, const char *s, size_t n)
{
    reserve(t, n);
    if (n) memcpy(t->s + t->length, s, n);
    t->length += n;
    t->s[t->length] = 0;
}

void actio_text_add(struct actio_text *t, const char *s) { actio_text_bytes(t, s, strlen(s)); }

void actio_text_format(struct actio_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char none[1];
    int n = vsnprintf(none, sizeof none, format, args);
    va_end(args);
    reserve(t, (size_t)n);
    va_start(args, format);
    vsnprintf(t->s + t->length, (size_t)n + 1, format, args);
    va_end(args);
    t->length += (size_t)n;
}

void actio_text_number(struct actio_text *t, double x)
{
    char s[32];
    actio_text_bytes(t, s, actio_number_text(x, s));
}

/* printf and strtod follow the locale: its decimal sign is put right on the way out and avoided on the way in. */
static void point_for_comma(char *s)
{
    for (; *s; s++)
        if (*s == ',') *s = '.';
}

static double read_digits(const char *digits, size_t n, long exponent)
{
    char text[800];
    if (n > 770) { /* digits beyond 770 cannot change a double */
        exponent += (long)(n - 770);
        n = 770;
    }
    memcpy(text, digits, n);
    if (exponent > 99999) exponent = 99999;
    if (exponent < -99999) exponent = -99999;
    snprintf(text + n, sizeof text - n, "e%ld", exponent);
    return strtod(text, NULL);
}

/* 1e-09 is 1e-9, 1e+20 is 1e20 */
static size_t short_exponent(char *s)
{
    char *e = strchr(s, 'e');
    if (!e) return strlen(s);
    char *to = e + 1, *from = e + 1;
    if (*from == '-') {
        to++;
        from++;
    } else if (*from == '+') from++;
    while (*from == '0' && from[1]) from++;
    memmove(to, from, strlen(from) + 1);
    return strlen(s);
}

size_t actio_number_text(double x, char out[32])
{
    if (x != x) return (size_t)snprintf(out, 32, "nan");
    if (isinf(x)) return (size_t)snprintf(out, 32, x > 0 ? "inf" : "-inf");
    for (int digits = 15; digits <= 17; digits++) {
        int n = snprintf(out, 32, "%.*g", digits, x);
        double back;
        point_for_comma(out);
        const char *s = out[0] == '-' ? out + 1 : out;
        if (actio_number_read(s, out + n, &back) && back == fabs(x)) break;
    }
    return short_exponent(out);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Exponent part at s: returns its length, 0 when there is none. */
static size_t exponent_part(const char *s, const char *end, long *value)
{
    const char *p = s;
    if (p == end || (*p != 'e' && *p != 'E')) return 0;
    p++;
    bool minus = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end || !is_digit(*p)) return 0;
    long e = 0;
    for (; p < end && is_digit(*p); p++)
        if (e < 1000000) e = 10 * e + (*p - '0');
    *value = minus ? -e : e;
    return (size_t)(p - s);
}

size_t actio_number_read(const char *s, const char *end, double *x)
{
    static const double power[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    char digits[800];
    size_t n = 0;
    uint64_t mantissa = 0;
    long scale = 0, exponent = 0;
    bool any = false;
    const char *p = s;
    for (int after = 0; p < end; p++) {
        if (*p == '.' && !after && p + 1 < end && is_digit(p[1])) {
            after = 1;
            continue;
        }
        if (!is_digit(*p)) break;
        any = true;
        scale -= after;
        if (n == 0 && *p == '0') continue; /* leading zeros say nothing */
        if (n < sizeof digits) {
            digits[n++] = *p;
            if (n <= 19) mantissa = 10 * mantissa + (uint64_t)(*p - '0');
        } else scale++;
    }
    if (!any) return 0;
    p += exponent_part(p, end, &exponent);
    exponent += scale;
    if (n == 0) *x = 0;
    else if (mantissa < (1ull << 53) && n <= 19 && exponent >= 0 && exponent <= 22)
        *x = (double)mantissa * power[exponent];
    else if (mantissa < (1ull << 53) && n <= 19 && exponent < 0 && exponent >= -22)
        *x = (double)mantissa / power[-exponent];
    else *x = read_digits(digits, n, exponent);
    return (size_t)(p - s);
}

/* Damerau-Levenshtein distance of short words, capped: beyond `most` the exact value does not matter. */
static int distance(const char *a, const char *b, int most)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > 40 || m > 40 || (n > m ? n - m : m - n) > (size_t)most) return most + 1;
    int d[3][42];
    for (size_t j = 0; j <= m; j++) d[0][j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        int *row = d[i % 3], *up = d[(i + 2) % 3], *upup = d[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            int v = up[j - 1] + (a[i - 1] != b[j - 1]);
            if (up[j] + 1 < v) v = up[j] + 1;
            if (row[j - 1] + 1 < v) v = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && upup[j - 2] + 1 < v)
                v = upup[j - 2] + 1;
            row[j] = v;
        }
    }
    return d[n % 3][m];
}

const char *actio_near_name(const char *word, const char *const *names, size_t count)
{
    size_t length = strlen(word);
    int best = length <= 2 ? 2 : length <= 4 ? 2 : 3; /* short words: one slip; longer ones: two */
    const char *near = NULL;
    for (size_t i = 0; i < count; i++) {
        int d = distance(word, names[i], best - 1);
        if (d < best && d > 0 && (size_t)d < length) {
            best = d;
            near = names[i];
        }
    }
    return near;
}

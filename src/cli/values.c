/* SPDX-License-Identifier: Apache-2.0
 * What may stand after an option: numbers with their ranges, and near misses of words. */
#include "cli/cli.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* strtod also takes hexadecimal, nan, inf and leading blanks: the first signs decide before it is called. */
static const char *read_number(const char *text, double *x)
{
    const char *p = text;
    if (*p == '-') p++;
    if (!isdigit((unsigned char)*p) && !(*p == '.' && isdigit((unsigned char)p[1]))) return NULL;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) return NULL;
    char *end;
    *x = strtod(text, &end);
    return isfinite(*x) ? end : NULL;
}

bool actio_cli_number(const char *text, double *x)
{
    const char *end = read_number(text, x);
    return end && *end == 0;
}

bool actio_cli_quotient(const char *text, double *x)
{
    double below = 1;
    const char *end = read_number(text, x);
    if (end && *end == '/') end = read_number(end + 1, &below);
    *x /= below;
    return end && *end == 0 && isfinite(*x);
}

const char *actio_cli_bytes(const char *text, size_t *n)
{
    static const char suffixes[] = "KMG";
    double x;
    const char *end = read_number(text, &x);
    if (!end) return "is not a size";
    const char *suffix = *end ? strchr(suffixes, *end) : NULL;
    if (*end && (!suffix || end[1])) return "is not a size: a number, or one with K, M or G";
    if (suffix) x = ldexp(x, 10 * (int)(suffix - suffixes + 1));
    if (x < 1) return "is not a positive size";
    double most = ldexp(1, 62);
    *n = (size_t)(x < most ? x : most);
    return NULL;
}

/* Slips between two short words: letters wrong, missing, too many, or swapped with a neighbour. */
static unsigned slips(const char *a, const char *b)
{
    enum { LONGEST = 32 };
    unsigned d[LONGEST + 1][LONGEST + 1];
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST) return LONGEST;
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            if (!i || !j) {
                d[i][j] = (unsigned)(i + j);
                continue;
            }
            unsigned best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    }
    return d[n][m];
}

const char *actio_cli_near(const char *word, const char *const *names, size_t count)
{
    const char *near = NULL;
    unsigned least = 3;
    for (size_t i = 0; i < count; i++) {
        unsigned s = slips(word, names[i]);
        if (s < least && s < strlen(names[i])) {
            least = s;
            near = names[i];
        }
    }
    return near;
}

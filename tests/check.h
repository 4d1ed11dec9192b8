/* SPDX-License-Identifier: Apache-2.0
 * The whole test framework: a test is a function whose name is a sentence that is true when it passes. */
#ifndef ACTIO_TESTS_CHECK_H
#define ACTIO_TESTS_CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_passed, check_failed, check_bad;

#define CHECK(cond)                                                                                                    \
    do {                                                                                                               \
        if (!(cond)) check_bad = 1, printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #cond);                        \
    } while (0)
#define CHECK_NEAR(x, y, tol)                                                                                          \
    do {                                                                                                               \
        double check_x = (x), check_y = (y);                                                                           \
        if (!(fabs(check_x - check_y) <= (tol)))                                                                       \
            check_bad = 1, printf("%s:%d: %s = %.17g, not %.17g (off by %.2e, allowed %.2e)\n", __FILE__, __LINE__,    \
                                  #x, check_x, check_y, fabs(check_x - check_y), (double)(tol));                       \
    } while (0)
/* `test_x WORD...` runs those whose name has one of the words in it. */
static int check_words;
static char **check_word;

#ifdef __GLIBC__
__attribute__((constructor)) static void check_arguments(int argc, char **argv)
{
    check_words = argc - 1;
    check_word = argv + 1;
}
#endif

/* Folders and switches are not words. */
static inline int check_chosen(const char *name)
{
    int words = 0;
    for (int i = 0; i < check_words; i++) {
        if (strpbrk(check_word[i], "/.-")) continue;
        if (strstr(name, check_word[i])) return 1;
        words++;
    }
    return words == 0;
}

#define TEST(name) static void name(void)
#define RUN(name)                                                                                                      \
    do {                                                                                                               \
        if (!check_chosen(#name)) break;                                                                               \
        check_bad = 0;                                                                                                 \
        name();                                                                                                        \
        check_bad ? check_failed++ : check_passed++;                                                                   \
        if (check_bad) printf("FAILED: %s\n", #name);                                                                  \
    } while (0)
#define DONE() (printf("%s: %d passed, %d failed\n", __FILE__, check_passed, check_failed), check_failed != 0)

#endif

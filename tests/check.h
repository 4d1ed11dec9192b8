/* SPDX-License-Identifier: Apache-2.0
 * The whole test framework: a test is a function whose name is a sentence that is true when it passes. */
#ifndef ACTIO_TESTS_CHECK_H
#define ACTIO_TESTS_CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_passed, check_failed, check_bad;

#define CHECK(cond)                                                                                  \
    do {                                                                                             \
        if (!(cond)) check_bad = 1, printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #cond);      \
    } while (0)
#define CHECK_NEAR(x, y, tol)                                                                        \
    do {                                                                                             \
        double check_x = (x), check_y = (y);                                                         \
        if (!(fabs(check_x - check_y) <= (tol)))                                                     \
            check_bad = 1, printf("%s:%d: %s = %.17g, not %.17g (off by %.2e, allowed %.2e)\n", __FILE__, __LINE__, #x, check_x, check_y, \
                                  fabs(check_x - check_y), (double)(tol));                           \
    } while (0)
#define TEST(name) static void name(void)
#define RUN(name)                                                                                    \
    do {                                                                                             \
        check_bad = 0;                                                                               \
        name();                                                                                      \
        check_bad ? check_failed++ : check_passed++;                                                 \
        if (check_bad) printf("FAILED: %s\n", #name);                                                \
    } while (0)
#define DONE() (printf("%s: %d passed, %d failed\n", __FILE__, check_passed, check_failed), check_failed != 0)

#endif

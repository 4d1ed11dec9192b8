/* SPDX-License-Identifier: Apache-2.0
 * Which row belongs to which column, and which unknowns belong together: against all permutations, and against paths
 * that are searched for one by one. */
#include "algebra/assign.h"
#include "algebra/components.h"
#include "check.h"

#include <stdint.h>

enum { MOST = 6 };

static uint64_t seed = 7;

static double draw(void) /* in (0, 1) */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)((seed >> 11) | 1) / 9007199254740992.0;
}

struct best {
    double log_product;
    size_t count;
    uint32_t column[MOST];
}; /* count: permutations that reach it */

static double log_of(double size) { return size > 0 ? log(size) : size < 0 ? -1e8 : -1e4; }

static void try_all(size_t n, const double *size, size_t row, bool *taken, uint32_t *column, double sum,
                    struct best *best)
{
    if (row == n) {
        if (sum > best->log_product + 1e-9) *best = (struct best){ .log_product = sum, .count = 0 };
        if (sum > best->log_product - 1e-9 && best->count++ == 0)
            for (size_t i = 0; i < n; i++) best->column[i] = column[i];
        return;
    }
    for (size_t j = 0; j < n; j++) {
        if (taken[j]) continue;
        taken[j] = true;
        column[row] = (uint32_t)j;
        try_all(n, size, row + 1, taken, column, sum + log_of(size[row * n + j]), best);
        taken[j] = false;
    }
}

struct answer {
    uint32_t column[MOST], rival[MOST];
    bool perfect;
};

static struct answer assign(size_t n, const double *size)
{
    struct answer a;
    double work[MOST * MOST + 3 * (MOST + 1)];
    size_t iwork[4 * (MOST + 1)];
    a.perfect = actio_assign(n, size, a.column, a.rival, work, iwork);
    return a;
}

static double log_product(size_t n, const double *size, const uint32_t *column)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += log_of(size[i * n + column[i]]);
    return sum;
}

TEST(the_product_of_a_matching_is_the_largest_of_all_permutations)
{
    for (int round = 0; round < 400; round++) {
        size_t n = 1 + (size_t)(draw() * MOST);
        double size[MOST * MOST];
        bool taken[MOST] = { false }, is_tied = false;
        uint32_t column[MOST];
        struct best best = { .log_product = -INFINITY };
        for (size_t i = 0; i < n * n; i++) size[i] = draw() < .35 ? -1 : draw() < .1 ? 0 : exp(4 * draw() - 2);
        try_all(n, size, 0, taken, column, 0, &best);
        struct answer a = assign(n, size);
        for (size_t i = 0; i < n; i++) is_tied |= a.rival[i] != a.column[i];
        CHECK(fabs(log_product(n, size, a.column) - best.log_product) < 1e-6);
        CHECK(a.perfect == (best.log_product > -1e7));
        if (a.perfect) CHECK(is_tied == (best.count > 1));
    }
}

TEST(equal_products_name_a_rival_that_is_part_of_another_matching)
{
    const double tied[9] = { 1, 1, -1, 1, 1, -1, -1, -1, 2 };
    struct answer a = assign(3, tied);
    CHECK(a.rival[0] == 1 - a.column[0] && a.rival[1] == 1 - a.column[1] && a.rival[2] == 2 && a.column[2] == 2);
}

TEST(a_triangular_matrix_is_matched_by_its_diagonal_however_large_the_rest)
{
    const double upper[4] = { 1, 1.5, -1, 1 };
    struct answer a = assign(2, upper);
    CHECK(a.column[0] == 0 && a.column[1] == 1 && a.rival[0] == 0 && a.rival[1] == 1);
}

static bool reaches(size_t n, const bool *needs, size_t from, size_t to, bool *seen)
{
    if (from == to) return true;
    seen[from] = true;
    for (size_t j = 0; j < n; j++)
        if (needs[from * n + j] && !seen[j] && reaches(n, needs, j, to, seen)) return true;
    return false;
}

static bool reach(size_t n, const bool *needs, size_t from, size_t to)
{
    bool seen[MOST] = { false };
    return reaches(n, needs, from, to, seen);
}

TEST(components_are_what_needs_each_other_and_follow_what_they_need)
{
    for (int round = 0; round < 400; round++) {
        size_t n = 1 + (size_t)(draw() * MOST);
        bool needs[MOST * MOST], copy[MOST * MOST];
        uint32_t component[MOST];
        for (size_t i = 0; i < n * n; i++) copy[i] = needs[i] = draw() < .3;
        size_t count = actio_components(n, copy, component);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                bool forth = reach(n, needs, i, j), back = reach(n, needs, j, i);
                CHECK(component[i] < count);
                CHECK((component[i] == component[j]) == (forth && back));
                CHECK(!forth || component[j] <= component[i]);
            }
    }
}

int main(void)
{
    RUN(the_product_of_a_matching_is_the_largest_of_all_permutations);
    RUN(equal_products_name_a_rival_that_is_part_of_another_matching);
    RUN(a_triangular_matrix_is_matched_by_its_diagonal_however_large_the_rest);
    RUN(components_are_what_needs_each_other_and_follow_what_they_need);
    return DONE();
}

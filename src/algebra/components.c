/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/components.h"

void actio_components_join(size_t n, bool *needs, const uint32_t *unknown, size_t count)
{
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++) needs[unknown[a] * n + unknown[b]] = true;
}

/* All that is needed at any remove. */
static void close_up(size_t n, bool *needs)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; needs[i * n + k] && j < n; j++) needs[i * n + j] |= needs[k * n + j];
}

static size_t reach_of(size_t n, const bool *needs, size_t i)
{
    size_t count = 0;
    for (size_t j = 0; j < n; j++) count += needs[i * n + j];
    return count;
}

static void take_group(size_t n, const bool *needs, size_t i, uint32_t number, uint32_t *block)
{
    for (size_t j = 0; j < n; j++)
        if (needs[i * n + j] && needs[j * n + i]) block[j] = number;
}

/* Whoever needs another group needs all that it needs, and itself: it reaches more. */
size_t actio_components(size_t n, bool *needs, uint32_t *block)
{
    size_t groups = 0;
    for (size_t i = 0; i < n; i++) {
        needs[i * n + i] = true;
        block[i] = UINT32_MAX;
    }
    close_up(n, needs);
    for (size_t reach = 1; reach <= n; reach++)
        for (size_t i = 0; i < n; i++)
            if (block[i] == UINT32_MAX && reach_of(n, needs, i) == reach)
                take_group(n, needs, i, (uint32_t)groups++, block);
    return groups;
}

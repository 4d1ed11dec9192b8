/* SPDX-License-Identifier: Apache-2.0
 * Numbers are written and read with a point, whatever locale the host program has set: calls run in the C locale of
 * their thread. */
#define _GNU_SOURCE
#include "native/native.h"

#include <locale.h>

void *actio_native_plain_numbers(void)
{
    static locale_t plain; /* made by actio_native_register, before any thread comes here */
    if (!plain) plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return plain ? uselocale(plain) : (locale_t)0;
}

void actio_native_own_numbers(void *before)
{
    if (before) uselocale(before);
}

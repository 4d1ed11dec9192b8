/* SPDX-License-Identifier: Apache-2.0
 * The clock behind time limits and measured seconds. */
#define _POSIX_C_SOURCE 200809L
#include "native/native.h"

#include <time.h>

double actio_native_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

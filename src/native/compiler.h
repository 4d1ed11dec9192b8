/* SPDX-License-Identifier: Apache-2.0
 * The system's C compiler as a child process. */
#ifndef ACTIO_NATIVE_COMPILER_H
#define ACTIO_NATIVE_COMPILER_H

#include "base/context.h"

enum { ACTIO_COMPILER_PATH = 4096 }; /* bytes of its path, with the 0 */

bool actio_compiler_find(char path[ACTIO_COMPILER_PATH]);
/* Runs it in the folder of this descriptor, with at most so many seconds of processor time, until the context is
 * stopped. True when it succeeded. When this returns, none of its processes is left. */
bool actio_compiler_run(struct actio_context *ctx, const char *const *argv, int folder, unsigned seconds);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * What this program is: its version, and what it was built with. */
#include <actio/actio.h>

#ifndef ACTIO_VERSION
#error "CMakeLists.txt has the version and passes it"
#endif
#ifndef ACTIO_BUILT_WITH
#define ACTIO_BUILT_WITH "nothing optional"
#endif
#ifndef ACTIO_COMPILER
#define ACTIO_COMPILER __VERSION__
#endif

const char *actio_version(void) { return ACTIO_VERSION; }

const char *actio_version_details(void)
{
    return "built with: " ACTIO_BUILT_WITH "\n"
           "compiler: " ACTIO_COMPILER "\n"
           "licence: Apache-2.0\n";
}

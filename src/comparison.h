/* SPDX-License-Identifier: Apache-2.0
 * A comparison as a picture: its motions over each other. */
#ifndef ACTIO_COMPARISON_H
#define ACTIO_COMPARISON_H

#include <actio/actio.h>

#include "result/table.h"

struct actio_picture actio_comparison_picture(const struct actio_comparison *c);   /* no layers: there is no motion. Lives as long as c */

#endif

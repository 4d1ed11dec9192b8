/* SPDX-License-Identifier: Apache-2.0
 * What may make multipliers of an orbit 1: candidates with their formulas, formed once for a search. */
#ifndef ACTIO_ORBIT_CAUSES_H
#define ACTIO_ORBIT_CAUSES_H

#include "orbit/reading.h"

struct actio_causes {
    size_t count, cap;
    struct actio_cause {
        const char *text;
        bool left;      /* e is a gradient by q, v, s; else a direction in these */
        bool is_motion; /* its direction is that of the rates; e is 0 */
        actio_expr *e;
    } * at;
    struct actio_reading reading; /* all of them: ny values each */
};
/* Into s->causes. Symmetries are looked for around the states of the turn. 0, or 1: no memory. */
int actio_causes_ready(struct actio_search *s, const struct actio_turn *turn);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Formulas of the search's own, evaluated where the factors of a turn begin. */
#ifndef ACTIO_ORBIT_READING_H
#define ACTIO_ORBIT_READING_H

#include "equations/formation.h"
#include "orbit/orbits.h"

/* Where formulas are evaluated. */
struct actio_stand {
    struct actio_search *s;
    double t, *y, *mode, *block;
};
int actio_stand_open(struct actio_stand *at, struct actio_search *s, const struct actio_turn *turn); /* 0, or 1 */
void actio_stand_close(struct actio_stand *at);
/* To the beginning of factor i. */
void actio_stand_move(struct actio_stand *at, const struct actio_turn *turn, size_t i);

struct actio_reading {
    struct actio_kernel *k;
    struct actio_arg *in, *given;
    double *pre, *value, **out, *work;
};
/* Formulas of the system's own pool; escapes. The stand must stay where it is while the reading is in use. */
void actio_reading_make(struct actio_reading *r, struct actio_search *s, const actio_expr *e, size_t count);
void actio_reading_bind(struct actio_reading *r, const struct actio_stand *at); /* with the params as they are */
const double *actio_reading_at(const struct actio_reading *r);
void actio_reading_close(struct actio_reading *r);

#endif

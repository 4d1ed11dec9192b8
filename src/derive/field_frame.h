/* SPDX-License-Identifier: Apache-2.0
 * Quasi-velocities of the fields of one axis: their rows, the operator Psi that gives velocities by them, and its
 * bracket. Inside derive/ only. */
#ifndef ACTIO_DERIVE_FIELD_FRAME_H
#define ACTIO_DERIVE_FIELD_FRAME_H

#include "derive/field.h"

enum { ACTIO_FIELD_ROOM = 3 }; /* fields of an axis whose frame is inverted on paper */
struct actio_field_frame {
    struct actio_continuum *c;
    uint16_t axis;
    size_t n;
    uint32_t field[ACTIO_FIELD_ROOM];
    const char *name[ACTIO_FIELD_ROOM];
    bool given[ACTIO_FIELD_ROOM], bound[ACTIO_FIELD_ROOM]; /* a frame of the model; kept 0 by a constraint */
    actio_expr xi[ACTIO_FIELD_ROOM], M[ACTIO_FIELD_ROOM * ACTIO_FIELD_ROOM], m0[ACTIO_FIELD_ROOM];
    /* v = Psi xi + w */
    actio_expr Psi[ACTIO_FIELD_ROOM * ACTIO_FIELD_ROOM], w[ACTIO_FIELD_ROOM], v[ACTIO_FIELD_ROOM];
    actio_expr eta[ACTIO_FIELD_ROOM], bracket[ACTIO_FIELD_ROOM];
};

/* NULL, or why there is none on paper */
const char *actio_field_frame_open(struct actio_continuum *c, uint16_t axis, struct actio_field_frame *f);
void actio_field_bracket(struct actio_field_frame *f);
/* velocities and accelerations of the fields by quasi-velocities */
actio_expr actio_by_quasi(struct actio_field_frame *f, actio_expr e);
/* reduced by names, quasi-velocities of constraints 0 */
actio_expr actio_on_constraints(struct actio_field_frame *f, actio_expr e);
/* sum of (-d/ds)^k de/dsymbol_k */
actio_expr actio_varied(struct actio_field_frame *f, actio_expr e, actio_expr symbol);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * A frame on formulas: its rows with their names, the inverse, the brackets. Inside derive/ only. */
#ifndef ACTIO_DERIVE_FRAMING_H
#define ACTIO_DERIVE_FRAMING_H

#include "derive/derive.h"

enum { ACTIO_FRAMING_ROOM = 6 }; /* largest frame that is inverted on paper */

/* name: the quasi-velocity, of: its bare name; rate: its rate, where that is an acceleration of the model; text and
 * latex: the field's name. */
struct actio_framing_row {
    actio_expr name, rate, field, *coef, rest;
    const char *text, *latex, *of;
};
struct actio_brackets { /* c^a_ij at [i][j][a] for i < j, c^a_0j at [j][a] */
    actio_expr pair[ACTIO_FRAMING_ROOM][ACTIO_FRAMING_ROOM][ACTIO_FRAMING_ROOM],
        time[ACTIO_FRAMING_ROOM][ACTIO_FRAMING_ROOM];
};
struct actio_framing {
    struct actio_derivation *d;
    size_t n;
    struct actio_framing_row row[ACTIO_FRAMING_ROOM];
    actio_expr Psi[ACTIO_FRAMING_ROOM * ACTIO_FRAMING_ROOM], w[ACTIO_FRAMING_ROOM]; /* M^-1, -M^-1 m0 */
    struct actio_brackets *bracket;
};

#endif

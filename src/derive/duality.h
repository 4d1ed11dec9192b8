/* SPDX-License-Identifier: Apache-2.0
 * A dual action on paper: its unknowns and formulas under the names that they are shown by, and the way from dual to
 * primal. Inside derive/ only. */
#ifndef ACTIO_DERIVE_DUALITY_H
#define ACTIO_DERIVE_DUALITY_H

#include "derive/square.h"

struct actio_helper {
    actio_expr name, value;
};

/* x' = f(U, t), 0 = g(U, t) and L = -D'.x - D.f + m.g + H(U, base, t); x are the first of U.  [AS 18] */
struct actio_duality {
    struct actio_derivation *d;
    bool is_free; /* of reactions that nothing but their power is known of */
    size_t x, u, equations;
    actio_expr *U, *f, *g, H, L;
    actio_expr *D, *rate, *m, *base, *p, *P; /* names of our own; p by unknown, P by differential one */
    const char **stem, **latex;              /* of each unknown: what such names are made of */
    uint32_t first_name;
    actio_expr *M; /* L_UU, row by row, and how many operations it has */
    size_t size;
    actio_expr *drive;     /* what the p stand for: -dL/dU at U = base */
    actio_expr *map, dual; /* U by dual variables, p and helpers; L there */
    struct actio_helper *helper;
    size_t helpers, helpers_cap;
};

/* dual_map.c: M; then the map and L on it, where they have a closed form. NULL, or in words why they have none. */
void actio_duality_matrix(struct actio_duality *w);
const char *actio_duality_solve(struct actio_duality *w);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Sums of products of atoms with whole powers, also negative ones: what normal.c computes with. Inside expr/ only. */
#ifndef ACTIO_EXPR_POLY_H
#define ACTIO_EXPR_POLY_H

#include "expr/expr.h"
#include "expr/ratio.h"

struct actio_factor {
    uint32_t atom;
    int32_t power;
}; /* power is not 0 */
struct actio_term {
    actio_ratio c;
    struct actio_factor *f;
    uint32_t n;
}; /* factors by ascending atom */
/* terms in descending order, no two alike, none 0; never changed once made */
struct actio_poly {
    struct actio_term *t;
    uint32_t n;
};

/* A symbol, a function of polynomials, or a sum that stands in a denominator (op ADD).
 * root > 0: atom^root = radicand, so powers are kept below root; negative powers too when `inverse` = 1/radicand is
 * there. */
struct actio_atom {
    enum actio_op op;
    actio_expr e, shown; /* what it stands for; the same, for reading */
    uint32_t partner;    /* sin and cos, sinh and cosh come together */
    int32_t root;
    struct actio_poly radicand, inverse, arg; /* arg: of a one-argument function */
};

/* sin(m/q): the q for each m that makes all multiples of m in sight whole, so that sin(a) and sin(a/2) meet. */
struct actio_unit {
    uint32_t id;
    int64_t q;
};

/* angles taken apart; sums multiplied out; products of sums kept */
enum actio_mode { ACTIO_PROVE, ACTIO_EXPAND, ACTIO_KEEP };

/* One piece of work, on a private pool. `over` is set when the operation under way went over a limit or overflowed: its
 * result means nothing then. `spent` ends the whole work. */
struct actio_normal {
    struct actio_pool *pool;
    struct actio_arena *arena;
    enum actio_mode mode;
    struct actio_atom *atom;
    uint32_t atoms, atoms_cap;
    uint32_t *atom_of; /* node id -> atom + 1 */
    uint32_t ids;
    struct actio_unit *unit;
    uint32_t units, units_cap;
    bool over, spent, again; /* again: a unit was refined, start once more */
    enum actio_op eliminate; /* sin or cos: its squares are replaced, whatever `root` says; else CONST */
    size_t work;
};

enum { ACTIO_TERMS = 2000, ACTIO_PRODUCTS = 20000, ACTIO_WORK = 60000, ACTIO_POWER = 1 << 20 };

struct actio_poly actio_poly_number(struct actio_normal *w, actio_ratio c);
struct actio_poly actio_poly_atom(struct actio_normal *w, uint32_t atom, int32_t power);
struct actio_poly actio_poly_of_term(struct actio_normal *w, struct actio_term t);
struct actio_poly actio_poly_add(struct actio_normal *w, struct actio_poly a, struct actio_poly b);
struct actio_poly actio_poly_scale(struct actio_normal *w, struct actio_poly a, actio_ratio c);
struct actio_poly actio_poly_sub(struct actio_normal *w, struct actio_poly a, struct actio_poly b);
/* times one term, roots not yet reduced */
struct actio_poly actio_poly_shift(struct actio_normal *w, struct actio_poly a, struct actio_term by);
/* roots not yet reduced */
struct actio_poly actio_poly_raw_mul(struct actio_normal *w, struct actio_poly a, struct actio_poly b);
struct actio_poly actio_poly_reduce(struct actio_normal *w, struct actio_poly a);
struct actio_poly actio_poly_mul(struct actio_normal *w, struct actio_poly a, struct actio_poly b);
/* k >= 0, or a of one term */
struct actio_poly actio_poly_power(struct actio_normal *w, struct actio_poly a, int32_t k);
/* a = q b exactly? */
bool actio_poly_divide(struct actio_normal *w, struct actio_poly a, struct actio_poly b, struct actio_poly *q);
/* a = (returned term) * (*rest): rest has whole coefficients without common divisor, no common atom and no negative
 * power. */
struct actio_term actio_poly_content(struct actio_normal *w, struct actio_poly a, struct actio_poly *rest);
/* positive: coefficients divided by it are whole without common divisor; inexact: 1 */
actio_ratio actio_poly_divisor(struct actio_poly a);
bool actio_poly_minus(struct actio_poly a); /* does -a look better? of a and -a, one does unless a is 0 */
/* of the term with m's factors; 0 when there is none */
actio_ratio actio_poly_coefficient(struct actio_poly a, struct actio_term m);

/* > 0: a comes first; keeps under multiplication */
int actio_term_order(const struct actio_term *a, const struct actio_term *b);
int32_t actio_term_power(const struct actio_term *t, uint32_t atom);
struct actio_term actio_term_mul(struct actio_normal *w, struct actio_term a, struct actio_term b);
struct actio_term actio_term_inverse(struct actio_normal *w, struct actio_term a);
struct actio_term actio_term_times(struct actio_normal *w, struct actio_term a, uint32_t atom, int32_t power);

static inline struct actio_term actio_term_one(void) { return (struct actio_term){ .c = { .p = 1, .q = 1 } }; }
static inline bool actio_poly_constant(struct actio_poly a) { return a.n == 0 || (a.n == 1 && a.t[0].n == 0); }

/* rules.c: atoms and functions of polynomials */
uint32_t actio_atom_for(struct actio_normal *w, actio_expr e); /* the expression as one symbol */
struct actio_poly actio_rule_const(struct actio_normal *w, actio_expr e);
struct actio_poly actio_rule_inverse(struct actio_normal *w, struct actio_poly a);
struct actio_poly actio_rule_product(struct actio_normal *w, struct actio_poly a, struct actio_poly b);
struct actio_poly actio_rule_power(struct actio_normal *w, struct actio_poly a, int32_t k);
struct actio_poly actio_rule_call(struct actio_normal *w, const struct actio_node *n, const struct actio_poly arg[3]);
/* a times *by, no negative powers of sums (or at all) */
struct actio_poly actio_rule_clear(struct actio_normal *w, struct actio_poly a, bool all, struct actio_term *by);

/* shorten.c: the shortest of several equal forms */
struct actio_poly actio_poly_tidy(struct actio_normal *w, struct actio_poly a);

/* shown.c: back to expressions */
/* term by term, the same for equal polynomials */
actio_expr actio_poly_plain(struct actio_normal *w, struct actio_poly a);
actio_expr actio_poly_shown(struct actio_normal *w, struct actio_poly a);    /* gathered for reading */
actio_expr actio_poly_factored(struct actio_normal *w, struct actio_poly a); /* common factors in front */

#endif

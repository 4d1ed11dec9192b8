/* SPDX-License-Identifier: Apache-2.0
 * Is a model consistent? A survey of its formulas at points of its constraint manifold, and the closure of its
 * equations. In: formulas, a start, a box of states. Out: a struct actio_verdict. Callers: problem, check; explain
 * puts it in words. */
#ifndef ACTIO_VERDICT_VERDICT_H
#define ACTIO_VERDICT_VERDICT_H

#include "verdict/manifold.h"

/* In order: the first that applies. */
#define ACTIO_VERDICTS(V) V(contradictory) V(singular) V(undetermined) V(hidden) V(redundant) V(regular)
enum actio_verdict_word {
#define V(word) ACTIO_VERDICT_##word,
    ACTIO_VERDICTS(V)
#undef V
};
const char *actio_verdict_text(enum actio_verdict_word word);

struct actio_equation {
    const char *text, *latex;
};
/* Rows that depend on each other: names and "again = 2*rod". spare: which of `row` says nothing that the others don't;
 * rows = none does; SIZE_MAX = not known. */
/* factor: of two rows, where constant */
struct actio_relation {
    const uint32_t *row;
    size_t rows;
    const char *text;
    bool constant;
    double factor;
    size_t spare;
};
/* A constraint without a gradient where it holds, or only at the start, and equations that say the same ("x = 0 and y =
 * 0", or NULL). */
enum actio_flaw_kind {
    ACTIO_GRADIENT_VANISHES,
    ACTIO_GRADIENT_HAS_NO_LIMIT,
    ACTIO_HOLDS_ON_A_JUMP,
    ACTIO_REACTION_VANISHES
};
struct actio_flaw {
    uint32_t constraint;
    enum actio_flaw_kind kind;
    bool at_start_only;
    const char *remedy;
};
struct actio_place {
    double t, *y;
    const char *what;
}; /* a singular state */

/* Rows that depend on each other. */
struct actio_relations {
    struct actio_relation *redundant, *contradictory;
    size_t redundants, contradictories;
    struct actio_relation at_start; /* at the start only */
    /* constraints that touch each other at the start, and what is fixed there: "x = 0, y = 1" */
    struct actio_relation touching;
    const char *common;
    bool common_is_all; /* that says all that they say */
};
/* What closure.c finds. */
struct actio_closed {
    struct actio_equation *hidden;
    size_t hiddens;
    actio_expr *hidden_e;
    bool *hidden_is_position;
    struct actio_equation *multiplier; /* explicit, by constraint; NULL texts where not found */
    actio_expr *solved; /* after closure: each of (z', lambda) as a function of the state, where it is one */
    bool *is_solved;
    uint32_t *undetermined; /* variables whose acceleration is arbitrary */
    size_t undetermineds;
    bool searched; /* it was needed */
};

struct actio_verdict {
    struct actio_formation *F; /* owns the memory */
    enum actio_verdict_word word;
    size_t rank, start_rank;           /* away from special states; at the start */
    int inertia[3], kernel_inertia[3]; /* of W: plus, minus, zero; of W on ker A (the motion's own) */
    const char *negative; /* "b - 2*c": where the kinetic energy is most negative at the start; NULL: nowhere */
    bool regular;         /* det B != 0 at the start */
    bool proved;          /* by formulas, not by samples */
    double condition;     /* of the equilibrated B at the start */
    size_t samples;
    double *row_unit; /* typical lengths of the rows of A */
    double dependent; /* rows closer to dependent than this count as dependent */
    bool too_large;   /* singular, and hidden constraints were not looked for */
    struct actio_relations related;
    const char *contradiction; /* at which level, or NULL */
    size_t at_will;            /* from 1: a switch that may leave its surface at any time from the start; 0: none */
    bool pushed;               /* both of its sides push the motion away */
    bool jumps;                /* the value of a constraint does, at later_from */
    bool later;                /* the contradiction comes after the start, from this time on */
    double later_from;
    struct actio_flaw *flaw;
    size_t flaws;
    struct actio_closed closure;
    size_t free_data;
    long naive_free_data;
    struct actio_place *singular_at;
    size_t singulars;
    /* a state at the start's time that satisfies the constraints and is not singular, when the start is or nothing is
     * near it; or NULL */
    double *elsewhere;
    const char **works;                        /* by constraint: why its reaction can do work; NULL = it does none */
    struct actio_integrability *integrability; /* growth.h; NULL: not needed */
};

/* low, high: by component of y. States that the motion visits: seed + i*ny; where it ended, if because rows
 * did not agree. */
struct actio_box {
    double *low, *high, *seed, t1; /* as many of `rows` even times from the start to t1 */
    size_t seeds, rows;
    double *end, t_end;
    bool rows_disagreed;
    size_t at_will;  /* the switch that may leave its surface at any time from the start; SIZE_MAX: none */
    bool pushed;     /* both of its sides push the motion away */
    size_t jumped;   /* or because this position row jumps at a switch of time only; SIZE_MAX: none did */
    bool look_later; /* for contradictions after the start */
    struct actio_kernels *in_use;
};

/* y0 and the box as the caller knows them (from the motion, widened, or from --box). Escapes when over budget. */
struct actio_verdict *actio_survey(struct actio_formation *F, const double *param, double t0, const double *y0,
                                   const struct actio_box *box);

/* survey.c, used by closure.c */
struct actio_look {
    size_t rank, rank_D;
    int inertia[3], kernel_inertia[3], minus; /* minus: eigenvalues on ker A below 0, however small */
    /* smallest and largest |eigenvalue| (singular value) of W on ker A after scaling; of the rows' compatibility */
    double smallest, largest, defect;
    bool ok; /* all numbers finite */
};

/* closure.c: further constraints that follow from singular equations; fills hidden, solved, multiplier, undetermined,
 * contradiction. */
/* points on the manifold: y + i*ny */
struct actio_sampled {
    struct actio_manifold *M;
    double *y, *t;
    size_t count;
};
void actio_find_closure(struct actio_verdict *v, struct actio_sampled *points);

/* power.c */
void actio_find_power(struct actio_verdict *v, struct actio_sampled *points);

/* dependence.c: minimal dependent sets of rows at a generic point and the relations between them. */
void actio_find_relations(struct actio_verdict *v, struct actio_sampled *points, const struct actio_probe *matrix);
void actio_find_negative(struct actio_verdict *v, const double *G); /* from the values of the entries of G */
size_t actio_rank_of_rows(struct actio_formation *F, const double *rows, size_t m, size_t n, double tol);

#endif

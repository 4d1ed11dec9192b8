/* SPDX-License-Identifier: Apache-2.0
 * The equations of a model, shown: sections of formulas, and the ways to write them (text, LaTeX, C).
 * In: formulas. Out: text. Callers: the chapters of principles, derivation. */
#ifndef ACTIO_DERIVE_DERIVE_H
#define ACTIO_DERIVE_DERIVE_H

#include "equations/formation.h"

/* What stands in a section. */
enum actio_shown_kind { ACTIO_SHOWN_EQUATION, ACTIO_SHOWN_LIST, ACTIO_SHOWN_MATRIX, ACTIO_SHOWN_WORDS };
struct actio_shown {
    enum actio_shown_kind kind;
    const char *label;      /* a constraint's before its equation, a matrix's name; NULL without */
    const char *words;      /* of WORDS */
    actio_expr left, right; /* EQUATION */
    bool plain;             /* its numbers as they were given, 9.8 and not 49/5 */
    bool is_comment;        /* no equation of the model language: text has it behind a # */
    size_t rows, cols;      /* MATRIX row by row; LIST: one row */
    const actio_expr *entry;
    /* MATRIX; only_in_full: made of others, not worth a list of entries */
    bool is_vector, is_symmetric, only_in_full;
};

struct actio_shown_section {
    /* the formula that the section follows, in both languages; "" without */
    const char *key, *title, *rule, *latex_rule;
    struct actio_shown *item;
    size_t items, cap;
    const char *text; /* as written in the end */
};

struct actio_derivation;
/* What stands over a section and who fills it; show NULL: as in the section of this key that chapters share, title
 * NULL: under its title, too. */
struct actio_shown_part {
    const char *key, *title, *rule, *latex;
    void (*show)(struct actio_derivation *d);
};
#define ACTIO_SHARED_PART(key)                                                                                         \
    {                                                                                                                  \
        key, NULL, NULL, NULL, NULL                                                                                    \
    }

/* How a principle is shown: its descriptor (problem/principle.h) points there. */
struct actio_chapter {
    bool is_reference; /* shown of every model, singular ones too, without what it assumes */
    const struct actio_shown_part *part;
    size_t parts;
    void (*prepare)(struct actio_derivation *d); /* makes d'Alembert's formation that of the principle; NULL: it is */
    bool evolves;                                /* multipliers have rates: in C they are states */
    bool charted, splits; /* it wants what its law chooses at the start, `kept` and `bound`; it can't do without */
    const struct actio_chapter *fields; /* the same of a model with fields; NULL: it is not shown */
    const char *no_code;                /* why --format c is not available, as a clause; or NULL */
};
extern const struct actio_chapter actio_chapter_dalembert, actio_chapter_gauss, actio_chapter_maggi,
    actio_chapter_hamel, actio_chapter_vakonomic, actio_chapter_reduced, actio_chapter_discrete, actio_chapter_skg,
    actio_chapter_dual;

/* Names of our own (momenta, L, H) are HIDDEN symbols: their index is the place in `name`. */
struct actio_shown_name {
    const char *text, *latex;
};

/* Singular equations: what their closure found, in F's pool. Without closure d->closure is NULL. */
struct actio_shown_closure {
    /* constraints that follow from the equations of motion */
    actio_expr *hidden;
    const bool *is_position;
    size_t hiddens;
    size_t free_data;
    long naive_free_data;
    actio_expr *solved; /* (z', lambda) as functions of the state; NULL: not found */
    const bool *is_solved;
    /* in words: why no motion exists, which of (z', lambda) stay open and why; or NULL */
    const char *verdict, *rates, *multipliers;
};

struct actio_derivation {
    struct actio_context *ctx;
    struct actio_arena arena; /* owns everything that outlives the system */
    struct actio_model *model;
    struct actio_formation *F; /* while it is made */
    const char *by, *by_title, *assumes, *differs;
    const struct actio_chapter *chapter;
    /* of velocities and multipliers; "" where it is not known. NULL: no units are given */
    const char **rate_unit, **lambda_unit;
    const bool *bound, *kept;      /* which rates the constraints give; rows that are independent. NULL: not chosen */
    struct actio_field_jets *jets; /* of a model with fields */
    struct actio_continuum *continuum;
    struct actio_framing *framing; /* once its sections are shown and it could be inverted */
    struct actio_shown_name *name;
    uint32_t names, names_cap;
    struct actio_shown_section *section;
    size_t sections, sections_cap, filling;
    struct actio_shown_closure *closure;
    actio_expr *lambda, *zdot; /* explicit solutions, where there are; on_shell: by use of the constraints */
    bool on_shell, tried;
    struct actio_text text; /* the whole */
};

/* contents.c: fills the sections. */
void actio_derive_contents(struct actio_derivation *d);
/* begins one; an empty one before it goes */
void actio_shown_section(struct actio_derivation *d, const char *key, const char *title, const char *rule,
                         const char *latex);
/* Both sides of G z' = h + D' lambda, tidied, and with them G and h. */
void actio_derive_balance(struct actio_derivation *d, actio_expr **left, actio_expr **right);
void actio_derive_solve(struct actio_derivation *d); /* d->lambda, d->zdot where there are short ones */
void actio_say_on_shell(struct actio_derivation *d);
/* Solutions are shown where a person would read them; `known` NULL: all are. */
void actio_shown_solved(struct actio_derivation *d, const actio_expr *unknown, const actio_expr *solved,
                        const bool *known, size_t count, const char *what);
struct actio_shown *actio_shown_matrix(struct actio_derivation *d, const char *name, size_t rows, size_t cols,
                                       const actio_expr *entry);
struct actio_shown *actio_shown_add(struct actio_derivation *d, enum actio_shown_kind kind);
void actio_shown_equation(struct actio_derivation *d, const char *label, actio_expr left, actio_expr right);
void actio_derive_instants(
    struct actio_derivation *d); /* instants.c: held values, when and every, as the model has them */
void actio_shown_words(struct actio_derivation *d, const char *words);
/* a name of our own */
actio_expr actio_shown_symbol(struct actio_derivation *d, const char *text, const char *latex);
/* one that the model has not */
actio_expr actio_shown_free(struct actio_derivation *d, const char *short_name, const char *long_name,
                            const char *latex);
/* p_x of x, p_a[3] of a[3] */
actio_expr actio_shown_indexed(struct actio_derivation *d, const char *letter, const char *latex, const char *name);
/* The rate of multiplier k is the LAMBDA symbol behind those of the model; true for one, and then `slot` is the
 * multiplier's. */
bool actio_shown_multiplier(const struct actio_derivation *d, actio_slot *slot);
/* explicit.c: multipliers and rates as functions of the state; false when that is too much for paper. */
bool actio_derive_explicit(struct actio_derivation *d, actio_expr *lambda, actio_expr *zdot, bool *on_shell);
/* G^-1 h: rates without constraints; false likewise */
bool actio_derive_free(struct actio_derivation *d, actio_expr *a);
/* hamilton.c: H(q, p, t) where W can be inverted on the formulas; says why, and is false, where it can't. The momenta:
 * symbols that their section shows, or NULL. */
bool actio_derive_hamiltonian(struct actio_derivation *d, const actio_expr *momentum, actio_expr *whole);
actio_expr *actio_shown_momenta(struct actio_derivation *d);

/* frame.c: quasi-velocities, velocities by them, and brackets: the section at hand and two more. */
void actio_derive_frame(struct actio_derivation *d);       /* of a model that has a frame */
void actio_derive_whole_frame(struct actio_derivation *d); /* also without: then of velocities and constraints */
/* the same without brackets; false: there is none for paper, and nothing is shown */
bool actio_derive_bare_frame(struct actio_derivation *d);

/* maggi.c: directions that rows leave free, columns of Z (N x r) with 1 at a free rate each, and as they read best;
 * false: too long for paper. Then the equations along them. */
struct actio_directions {
    size_t r;
    actio_expr *Z, *best;
    const bool *bound;
};
bool actio_directions_of(struct actio_derivation *d, const struct actio_entries *rows, struct actio_directions *out);
void actio_shown_along(struct actio_derivation *d, const actio_expr *Z, size_t r);

/* contacts.c: gaps, slips, and what they add. */
void actio_derive_contacts(struct actio_derivation *d);
/* closed.c: the constraints that follow from singular equations, with what follows from them. */
void actio_derive_hidden(struct actio_derivation *d);
/* left = right of a constraint's rates: rows of A times the rates, free of common numbers. */
void actio_derive_row(struct actio_derivation *d, size_t row);
void actio_derive_rate(struct actio_derivation *d, actio_expr rate); /* the rate of a position, as an equation */

/* shared.c: of a long derivation, what its formulas have in common by name, in a section of its own. */
void actio_derive_share(struct actio_derivation *d);
/* unswitch.c: every formula of the derivation without modes, its switches as they were written. */
void actio_unswitch(struct actio_derivation *d);
/* tidy.c: formulas for people: terms gathered and ordered. */
actio_expr actio_tidy(struct actio_derivation *d, actio_expr e);
/* the same, and what terms have in common before brackets: to be written */
actio_expr actio_tidy_shown(struct actio_derivation *d, actio_expr e);
/* gathered by powers of these */
actio_expr actio_tidy_in(struct actio_derivation *d, actio_expr e, const actio_expr *wrt, size_t n);
/* left = right, linear in the rates: free of common numbers, rates on the left. */
void actio_tidy_rates(struct actio_derivation *d, actio_expr *left, actio_expr *right);
/* operations when written out, at most SIZE_MAX/2 */
size_t actio_tidy_size(struct actio_derivation *d, actio_expr e);

/* text.c, latex.c, c_file.c: each leaves the whole in d->text, and each section's own part in its `text`. */
void actio_derive_text(struct actio_derivation *d);
void actio_derive_latex(struct actio_derivation *d);
void actio_derive_c(struct actio_derivation *d);

/* wrap.c: a formula in lines. Each call gives the bytes of the next one and moves on; `sign` is what stands between it
 * and the rest,
 * 0 at the end. Lines end at sums, and at the equals sign; inside of brackets only down to `depth`, never inside of
 * LaTeX's \left and {. */
enum { ACTIO_WRAP_DEPTH = 4 };
struct actio_wrap {
    const char *at;
    size_t width;
    int depth, open;
    char sign;
}; /* open: brackets, at `at` */
size_t actio_wrap_next(struct actio_wrap *w);
size_t actio_wrap_length(const char *s); /* in characters */
size_t actio_wrap_width(const char *s);  /* in signs that are seen, of LaTeX */
/* LaTeX that is wider: with brackets and fractions that can be broken */
const char *actio_wrap_loose(struct actio_arena *arena, const char *s, size_t width);

#endif

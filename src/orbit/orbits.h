/* SPDX-License-Identifier: Apache-2.0
 * A search for periodic orbits. Files: search.c (the path), drive.c (what depends on time), guess.c (where to begin),
 * find.c (many of them), cuts.c (the loops that these are found in), branch.c (one along a param), bifurcations.c (what
 * happens there), average.c (from a system with constraints), describe.c (the description of each), causes.c (why
 * multipliers may be 1), multipliers.c (which are), generators.c (symmetries that nobody wrote).
 * In: a problem and the options of orbit. Out: orbits with multipliers. Callers: check (modes), api. */
#ifndef ACTIO_ORBITS_H
#define ACTIO_ORBITS_H

#include "problem/problem.h"
#include "solve/orbit.h"

/* Of a multiplier that is 1 though nothing is known that makes it 1. */
#define ACTIO_ORBIT_UNEXPLAINED "not explained"

/* One orbit, as reported. */
struct actio_found {
    struct actio_circuit c;
    struct actio_orbit_report reported;
    struct actio_multiplier *multiplier;
    const char **trivial; /* why it is 1, or NULL; ACTIO_ORBIT_UNEXPLAINED: it is, within its error */
    size_t multipliers, unexplained;
    double split;          /* a double multiplier may have come apart by so much; 0: not known */
    const char *stability; /* "stable", "unstable", "neutral"; "" when multipliers could not be determined */
    char word[64];         /* symbols of a section, "" without */
    double *mean;          /* of each component, of its square, to compare orbits; its smallest and largest values */
    double param;          /* value of the param that was followed */
    const char *mark;      /* "", "fold", "period doubling", "torus", "branch", "start", "end" */
};

struct actio_orbits {
    struct actio_context *ctx;
    struct actio_arena arena; /* names and tables */
    struct actio_found **orbit;
    size_t count, room;
    struct actio_found **branch; /* of --follow */
    size_t points, points_room;
    const char *followed;
    const char **name; /* of components: x, x_dot */
    size_t ny;
    /* motions over one period; the branch, and its parts for pictures */
    struct actio_table **table, *diagram, *stable, *unstable;
    const char *method;
    double average_period;
    double *level;
    const char **level_name;
    size_t levels; /* of --average */
    double seconds;
};

/* Where to begin: a state with its held values, and about how long it takes to come back. */
enum { ACTIO_GUESSES = 12 };
struct actio_start_guess {
    double *y, period;
};

struct actio_search {
    struct actio_problem *problem;
    struct actio_orbits *out;
    const struct actio_orbit_options *options;
    struct actio_orbit o;
    double tol;                                        /* what is worked for */
    size_t wanted;                                     /* of --find */
    bool timed;                                        /* the model depends on time: the period is given */
    bool late;                                         /* guesses are where the motion has settled */
    double base;                                       /* where its phase begins: first node of a guess */
    struct actio_start_guess guess[ACTIO_GUESSES + 2]; /* the best first */
    size_t guesses;
    struct actio_circuit averaged; /* of --average: where the free orbit is looked for */
    double *kept_params;
    actio_expr kept_definition;
    size_t kept_which;           /* before --follow changed them */
    double effort_before;        /* of the search for many */
    struct actio_found *passed;  /* of a family: where its way begins */
    bool method_fails;           /* where shooting finds an orbit: other guesses will not help */
    bool family;                 /* an orbit was found that is one of a family */
    bool rough;                  /* guesses are rough: shooting goes before other methods */
    bool conservative;           /* neighbours keep their energy, too: orbits come in families */
    struct actio_causes *causes; /* causes.c */
    bool *mirror;                /* components whose sign may be changed together */
    bool has_mirror;
};

/* guess.c: so far, in right-hand sides; those that are solved as numbers count for more */
double actio_orbit_effort(const struct actio_search *s);
/* drive.c: does the model depend on time? Does it repeat after this one? */
bool actio_orbit_timed(struct actio_search *s);
bool actio_orbit_repeats(struct actio_search *s, double period);
double actio_orbit_given_period(struct actio_search *s); /* of --period, with the params as they are; NAN without */
/* guess.c: where to begin, into s->guess. 0, or 1 and a finding. One of them as a turn, opened into c; 0, or a status.
 * */
int actio_orbit_guess(struct actio_search *s);
int actio_orbit_guess_late(struct actio_search *s); /* from the second half of the motion; 0, or 1 and a finding */
int actio_orbit_read_guess(struct actio_search *s, struct actio_circuit *c); /* from a file; 0, or 1 and a finding */
/* more multipliers are 1 than the motion itself makes */
bool actio_orbit_is_family(const struct actio_search *s, const struct actio_found *f);
bool actio_orbit_conserves(const struct actio_search *s); /* describe.c: nothing drives the motion or brakes it */
/* a turn of another system, as a guess for this one */
int actio_orbit_lay_along(struct actio_search *s, const struct actio_circuit *from, struct actio_circuit *c);
int actio_orbit_lay_guess(struct actio_search *s, size_t i, struct actio_circuit *c);
/* The turn that goes from y for `period`, with as many nodes as its instability needs (at least `least`); also
 * sizes. 0, or a status. */
int actio_orbit_lay(struct actio_search *s, const double *y, double period, size_t least, struct actio_circuit *c);
/* One orbit from a guess by the method requested, its shortest period. NULL: none, and *reported says why. */
struct actio_found *actio_orbit_solve(struct actio_search *s, struct actio_circuit *guess,
                                      struct actio_orbit_report *reported);
void actio_orbit_say(struct actio_search *s, const struct actio_orbit_report *reported); /* as a finding */
/* describe.c */
/* no rate, no constraint and no switch depends on this component */
bool actio_orbit_is_cyclic(const struct actio_search *s, size_t i);
int actio_orbit_describe(struct actio_search *s, struct actio_found *f);
/* multipliers.c: those of the turn, which of them are 1, and why. 0, or 1: no memory. */
int actio_orbit_multipliers(struct actio_search *s, struct actio_found *f, struct actio_turn *turn);
const char *actio_found_stability(const struct actio_found *f);
void actio_orbit_forget_causes(struct actio_search *s); /* causes.c */
/* Is it 1 by something that is known? */
bool actio_found_explains(const struct actio_found *f, size_t k);
/* generators.c: linear motions  q' = A q + b  that change neither the Lagrangian nor the constraints, found by numbers
 * at states around those of the turn: b, then A by rows, one after the other; at most `most`. Returns how many. */
size_t actio_orbit_generators(struct actio_search *s, const struct actio_turn *turn, double *out, size_t most);
enum { ACTIO_MOST_GENERATORS = 24 };
void actio_found_free(struct actio_context *ctx, struct actio_found *f);
/* States at `count` equal times over one period, each from the node before it. Component i of row r at y[i*count + r].
 * A status. */
int actio_orbit_sample(struct actio_search *s, const struct actio_circuit *c, size_t count, double *times, double *y);
struct actio_table *actio_orbit_table(struct actio_search *s, const struct actio_found *f, size_t points);
/* or a mirror image */
bool actio_orbit_same(const struct actio_search *s, const struct actio_found *a, const struct actio_found *b);
/* joins the list; 0, or 1: no memory, and it is gone */
int actio_orbit_keep(struct actio_search *s, struct actio_found *f);
/* near `period`: when the motion from y is nearest to y again */
double actio_orbit_nearest_time(struct actio_search *s, const double *y, double period);
/* sizes before anything is known: from the start and its rates over a part of the span */
void actio_orbit_measure_start(struct actio_search *s, double span);
/* guess.c: as many as the instability needs */
size_t actio_orbit_nodes(struct actio_search *s, const double *y, double period);
/* the same orbit at other nodes; 0, or 1 */
int actio_orbit_relay(struct actio_search *s, const struct actio_circuit *from, size_t nodes, struct actio_circuit *c);
/* branch.c: the param of --follow (their count: none), its value and of those made from it; the motion gets them. */
size_t actio_orbit_followed_param(const struct actio_search *s);
size_t actio_orbit_followed_column(const struct actio_search *s); /* likewise, of the columns */
void actio_orbit_set_param(struct actio_model *m, size_t which, double value);
void actio_orbit_pass_params(struct actio_search *s);
int actio_orbit_draw(struct actio_search *s); /* diagram.c: the branch as tables; 0, or 1: no memory */
/* the same file */
int actio_orbits_plot_inside(struct actio_context *ctx, const struct actio_orbits *o, const char *axes,
                             const char *path, struct actio_findings *f);
bool actio_orbit_tired(const struct actio_search *s); /* find.c: so much work for so many orbits, and no more */
/* find.c, branch.c, average.c: 0, or 1 and findings. */
int actio_orbit_find(struct actio_search *s);
int actio_orbit_follow(struct actio_search *s, struct actio_found *first);
/* The model without the held constraints (the caller frees it), and a guess for its orbit. Called before the search is
 * ready. */
int actio_orbit_average(struct actio_search *s, struct actio_model **free_model, struct actio_circuit *guess);
int actio_orbit_ready(struct actio_search *s); /* search.c: equations, start, stage. 0, or 1 and findings */

/* search.c: the whole of `actio orbit`. */
struct actio_orbits *actio_orbit_inside(struct actio_context *ctx, struct actio_model *model,
                                        const struct actio_orbit_options *options, struct actio_findings *f);

#endif

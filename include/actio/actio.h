/* SPDX-License-Identifier: Apache-2.0
 * Actio: constrained mechanics from a model text. The public interface, one header; C17 and C++17.
 *
 * Read a model and run it to obtain a table. Findings collect errors, warnings and notes.
 * Constructors return a pointer that the caller frees, or NULL. Actions return an exit status (see actio_status).
 * The library never exits and never prints. Objects must be freed before their context.
 * Threads: a context belongs to one thread at a time, with everything that was made with it. Threads with contexts of
 * their own do not share anything that changes, and may work at the same time.
 * A wrong argument (NULL for a model, an unknown word, a number that is not a size) is refused with a
 * finding and ACTIO_WRONG_USAGE. Without a context or findings, constructors return NULL, and actions return
 * ACTIO_WRONG_USAGE. Queries of NULL, and of an index beyond the end, return 0, NAN, NULL or "".
 * Findings accumulate, and their status is that of all. A call returns its own status; errors of earlier calls do not
 * affect it.
 * Options of zeros are the defaults. Numbers are read and written with a decimal point, whatever the host sets with
 * setlocale. */
#ifndef ACTIO_H
#define ACTIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) || defined(__CYGWIN__)
#define ACTIO_API
#else
#define ACTIO_API __attribute__((visibility("default")))
#endif

struct actio_context;
struct actio_findings;
struct actio_model;
struct actio_table;

/* Exit statuses: of several causes the smallest counts. ACTIO_INTERRUPTED is 128 plus a signal's number if `cancel`
 * is not SIGINT. */
typedef enum {
    ACTIO_DONE = 0,
    ACTIO_WRONG_MODEL = 1,
    ACTIO_WRONG_USAGE = 2,
    ACTIO_NUMERICS_FAILED = 3,
    ACTIO_LIMIT_REACHED = 4,
    ACTIO_FILE_TROUBLE = 5,
    ACTIO_INTERRUPTED = 130
} actio_status;

ACTIO_API const char *actio_version(void);         /* "1.2.3" */
ACTIO_API const char *actio_version_details(void); /* several lines: libraries and what was built in */

/* ---- context: limits, cancellation, progress */
typedef void (*actio_progress_callback)(void *user, const char *what, double done, double of);
struct actio_limits {
    size_t memory; /* bytes; 0 = 2 GiB */
    /* 0 = none; after it, work ends within a tenth of it or half a second, whichever is more */
    double seconds;
    const volatile int *cancel; /* set by a signal handler, to 1 or to the signal: work stops cleanly; may be NULL */
    actio_progress_callback progress; /* may be NULL */
    void *user;
};
/* NULL limits = defaults. NULL: no memory, or seconds that are negative or not a number */
ACTIO_API struct actio_context *actio_context_create(const struct actio_limits *limits);
ACTIO_API void actio_context_free(struct actio_context *ctx);

/* ---- findings */
enum actio_message_kind { ACTIO_SAYS_NOTE, ACTIO_SAYS_WARNING, ACTIO_SAYS_ERROR };
struct actio_message {
    enum actio_message_kind kind;
    int status;       /* exit status of an error */
    const char *code; /* "UNKNOWN_NAME" */
    const char *file; /* from 1; line 0: no place */
    uint32_t line, column, length;
    const char *quote; /* the line, or NULL; characters left out before it */
    uint32_t quote_skipped;
    const char *message, *hint; /* hint may be "" */
};
ACTIO_API struct actio_findings *actio_findings_create(struct actio_context *ctx);
ACTIO_API void actio_findings_free(struct actio_findings *f);
ACTIO_API size_t actio_findings_count(const struct actio_findings *f);
ACTIO_API size_t actio_findings_dropped(const struct actio_findings *f); /* errors beyond the first 20 */
ACTIO_API int actio_findings_status(const struct actio_findings *f);     /* 0 without errors */
/* texts live as long as f */
ACTIO_API struct actio_message actio_findings_message(struct actio_findings *f, size_t i);

/* ---- models */
/* What a change replaces while a model is read. Each is an option of the command line, with the text that it takes. */
enum actio_change_kind {
    ACTIO_CHANGE_PARAM = 1, /* "NAME=EXPR" (--set) */
    ACTIO_CHANGE_START,     /* "NAME=EXPR" (--start) */
    ACTIO_CHANGE_TIME,      /* "A..B" (--time) */
    ACTIO_CHANGE_WEIGHTS,   /* of the dual action: "NAME=EXPR" (--weights) */
    ACTIO_CHANGE_POTENTIAL, /* "EXPR" (--potential) */
    ACTIO_CHANGE_BASE,      /* "NAME=EXPR" (--base) */
    ACTIO_CHANGE_FINAL,     /* "NAME=EXPR" (--final) */
    ACTIO_CHANGE_PERIOD,    /* of orbits: "EXPR" (--period) */
    ACTIO_CHANGE_FOLLOW,    /* "A..B" (--follow NAME=A..B) */
    ACTIO_CHANGE_TURN       /* "NAME=EXPR" (--turn) */
};
struct actio_change {
    enum actio_change_kind kind;
    const char *text;
};
/* A word with a slash or .act is a file; otherwise a file of that name, then a stem of the gallery. */
ACTIO_API struct actio_model *actio_model_read(struct actio_context *ctx, const char *name,
                                               const struct actio_change *change, size_t changes,
                                               struct actio_findings *f);
ACTIO_API struct actio_model *actio_model_read_string(struct actio_context *ctx, const char *file, const char *text,
                                                      size_t length, const struct actio_change *change, size_t changes,
                                                      struct actio_findings *f);
ACTIO_API void actio_model_free(struct actio_model *model); /* NULL is fine */
/* of the model statement, otherwise the file's stem */
ACTIO_API const char *actio_model_name(const struct actio_model *model);
ACTIO_API const char *actio_model_description(const struct actio_model *model);
ACTIO_API size_t actio_model_claims(const struct actio_model *model);
/* The model printed back; it lives as long as the model. After a number is set, the text is another one. */
ACTIO_API const char *actio_model_text(struct actio_model *model);

/* ---- numbers of a model, set without reading its text again. What is made of a number follows, as with --set,
 * --start and --time: params, initial values, times, walls, claims. A number that does not fit is refused with the
 * finding that these options give, and nothing changes. Tables, flows, integrators and actions that exist keep the
 * numbers that they were made with. */
/* derived: a formula of other params, until it is set. fixed: it decides how many members, terms or nodes the model
 * has; only a change while the model is read can set it. */
struct actio_param_info {
    const char *name, *unit; /* unit "" when none is given */
    double value;
    bool derived, fixed;
};
ACTIO_API size_t actio_model_params(const struct actio_model *model);
ACTIO_API struct actio_param_info actio_model_param(const struct actio_model *model, size_t i);
/* A family's name sets all its members, "m[2]" one of them. */
ACTIO_API int actio_model_set_param(struct actio_model *model, const char *name, double value,
                                    struct actio_findings *f);
/* The variables of the state: coordinates, their velocities, states; a field is one variable, its start is NAN. Names
 * and roles are those of tables: "x", "x_dot"; "coordinates", "velocities", "states". unit: as declared, "" for
 * velocities. given: the text or a call has set the start; else it is 0. */
struct actio_variable_info {
    const char *name, *unit, *role;
    double start;
    bool given;
};
ACTIO_API size_t actio_model_variables(const struct actio_model *model);
ACTIO_API struct actio_variable_info actio_model_variable(const struct actio_model *model, size_t i);
/* Held values, which the state does not contain: start is what they are before the first instant. */
ACTIO_API size_t actio_model_helds(const struct actio_model *model);
ACTIO_API struct actio_variable_info actio_model_held(const struct actio_model *model, size_t i);
/* "x"; "x'" or "x_dot"; a state; "lambda.c". A field gets this value at every node. */
ACTIO_API int actio_model_set_start(struct actio_model *model, const char *name, double value,
                                    struct actio_findings *f);
ACTIO_API bool actio_model_time(const struct actio_model *model, double *t0, double *t1); /* false: not given */
ACTIO_API int actio_model_set_time(struct actio_model *model, double t0, double t1, struct actio_findings *f);

/* ---- forces from outside: force x = external("name"), also as a part of a formula. A program binds a callback to each
 * name; without one every run, check or search is refused. The callback gets the time and the state (coordinates,
 * velocities, states) and writes the value; it returns 0, or something else to stop the motion.
 * It must be a function of its arguments: integrators try steps, take them back, and evaluate rows afterwards.
 * `derivatives`: where dy is not NULL, it also writes the derivatives by time and by each number of the state, which
 * are 0 before. Without them a run needs a local tolerance and an explicit method, and a flow is not differentiable.
 * All that needs formulas is refused: principles other than dalembert, check, modes, orbits, actions. */
typedef int (*actio_external_callback)(void *user, double t, const double *y, size_t size, double *value, double *dt,
                                       double *dy);
/* callback NULL: not bound any more. Runs, flows and integrators that exist keep the callback that they began with. */
ACTIO_API int actio_model_bind(struct actio_model *model, const char *name, actio_external_callback callback,
                               bool derivatives, void *user, struct actio_findings *f);
ACTIO_API size_t actio_model_externals(const struct actio_model *model);
ACTIO_API const char *actio_model_external(const struct actio_model *model, size_t i, bool *bound);

/* ---- gallery, built in */
struct actio_example {
    const char *stem, *title, *text;
};
ACTIO_API size_t actio_gallery(const struct actio_example **examples);
/* Commented models to start from; they are not models by name. */
ACTIO_API size_t actio_templates(const struct actio_example **examples);
/* What a model may contain, for manual pages and editors: one row for each form. */
struct actio_language_row {
    const char *group, *form, *help; /* "statements", "coord x, y", "generalised coordinates; ..." */
};
ACTIO_API size_t actio_language(const struct actio_language_row **rows);

/* ---- running. Every option is a row of actio_options(): front ends derive flags, help and forms from it. */
enum actio_option_kind {
    ACTIO_TAKES_OTHER,    /* interpreted by a front end */
    ACTIO_TAKES_NOTHING,  /* a switch: bool */
    ACTIO_TAKES_NUMBER,   /* double, from least to most */
    ACTIO_TAKES_POSITIVE, /* double, above 0 and up to most */
    ACTIO_TAKES_COUNT,    /* size_t, from least to most */
    ACTIO_TAKES_INTEGER,  /* int, from least to most */
    ACTIO_TAKES_WORD,     /* const char *, one of the words */
    ACTIO_TAKES_TEXT,     /* const char * */
    ACTIO_TAKES_NAMES,    /* const char *const *, followed by its size_t count */
    ACTIO_TAKES_CHANGE,   /* a struct actio_change of the kind `change`, with `words` in its text */
};
/* actio_run_options, ... */
enum actio_option_struct { ACTIO_INTO_NONE, ACTIO_INTO_RUN, ACTIO_INTO_ORBIT, ACTIO_INTO_LIMITS };
struct actio_option_row {
    const char *name, *argument, *fallback, *group, *commands, *help; /* argument NULL: a switch */
    bool repeats;
    enum actio_option_kind kind;
    enum actio_option_struct into; /* the field that it fills */
    size_t offset;
    double least, most;
    const char *words;             /* "weak|paper|bare" */
    enum actio_change_kind change; /* 0: it is not a change */
    unsigned owner;                /* 0: every principle; see actio_principle_owns */
};
ACTIO_API size_t actio_options(const struct actio_option_row **rows);
/* The value that it takes, in words: "a number from 0 to 1", "weak, paper or bare", "NAME=EXPR". */
ACTIO_API void actio_option_takes(const struct actio_option_row *row, char *text, size_t size);
/* The principles that use it: "skg and dual". */
ACTIO_API void actio_option_owners(const struct actio_option_row *row, char *text, size_t size);
/* Does the principle use the option? False for an unknown principle, too. */
ACTIO_API bool actio_principle_owns(const char *by, const struct actio_option_row *row);
struct actio_command_row {
    const char *name, *synopsis, *help;
};
ACTIO_API size_t actio_commands(const struct actio_command_row **rows);

struct actio_run_options {
    const char *by;     /* "dalembert" */
    const char *method; /* "auto", "dop853", "cvode" */
    size_t points;      /* rows, equally spaced in time */
    double tol;         /* global, relative to max(1, size of the column) */
    double local;       /* > 0: local tolerance only, error not estimated */
    bool project;       /* accept the nearest consistent start data */
    bool no_compile;
    size_t grid; /* `discrete`, `skg`: points of one grid over the whole interval, error not estimated; 0 = by tol */
    int order;   /* `skg`: 2, 4, 6, 8 on equal steps; 0 = Lobatto nodes (slabs), 4 (grid) */
    const char *const *gradient; /* `skg`: columns to differentiate at the end by start data and params */
    size_t gradients;
    bool verify;           /* `skg`: the doubled system on a grid, and the observed order of convergence */
    const char *form;      /* `skg` on a grid: NULL or "weak"; "paper", "bare": the action as published */
    size_t slabs, nodes;   /* `skg`: equal slabs, error not estimated; nodes of each; 0 = by tol */
    double resplit;        /* `reduced`: a new split when this one falls below this part of the best; 0 = never */
    double sigma, barrier; /* soft walls: width (found, with sigma_auto) and height; 0 = hard contacts */
    bool sigma_auto;
    /* of actio_compare: soft walls of these widths against hard ones; `sigma` is not used then */
    const double *widths;
    size_t width_count;
    /* `dual`: closure "gauss" (NULL), "vakonomic", "reduced", "free"; power of free reactions: NULL, "zero",
     * "nonnegative" with the base of its slack (0 = 0.3);
     * z' and multipliers as unknowns; base NULL (Runge-Kutta steps), "exact", "constant", or a CSV file with columns t
     * and names. grid: elements, order: their degree 1 .. 8, nodes: quadrature points. */
    const char *closure, *power, *base;
    double slack;
    bool multipliers;
    size_t pick; /* which of several motions that contacts and friction allow, from 1; 0 = default */
    /* for pictures: curves from the steps and the instants, which do not depend on `points`; one more run */
    bool curves;
};
ACTIO_API struct actio_run_options actio_run_options_default(void);
ACTIO_API const char *actio_principle_name(size_t i); /* of the table of principles; NULL after the last */
/* The motion, or NULL. A table that ends early comes with an error among the findings. Free with
 * actio_table_free. */
ACTIO_API struct actio_table *actio_run(struct actio_context *ctx, struct actio_model *model,
                                        const struct actio_run_options *options, struct actio_findings *f);

/* ---- the equations of motion as a function y' = f(t, y), for other integrators. y has the coordinates, their
 * velocities and the states (of `vakonomic` the multipliers, too); a field has one value for each node.
 * by: "dalembert" (NULL) or "vakonomic". The other principles have the motion of d'Alembert's equations, or compute it
 * without a right-hand side; they are refused.
 * Where y breaks a constraint, f continues the equations as they stand: constraints hold at the level of accelerations.
 * Redundant and hidden constraints are taken into account. Switches have the branch of the given state. Contacts and
 * their friction are left out, and a warning says so: f is that of free flight on both sides of a wall. Friction of a
 * constraint is refused.
 * f and its derivatives depend on their arguments only, and take no memory. Functions return ACTIO_DONE,
 * ACTIO_WRONG_USAGE or ACTIO_NUMERICS_FAILED: a value is not finite, or the accelerations are not determined. */
struct actio_flow;
ACTIO_API struct actio_flow *actio_flow_create(struct actio_context *ctx, struct actio_model *model, const char *by,
                                               /* NULL, and a finding; freed before its model */
                                               struct actio_findings *f);
ACTIO_API void actio_flow_free(struct actio_flow *flow); /* NULL is fine */
ACTIO_API size_t actio_flow_size(const struct actio_flow *flow);
/* "x", "x_dot"; nodes of a field "y[3]", "y_dot[3]" */
ACTIO_API const char *actio_flow_name(const struct actio_flow *flow, size_t i);
/* Consistent start data, as a run has them. Returns the time of the start, NAN without a flow. */
ACTIO_API double actio_flow_start(const struct actio_flow *flow, double *y);
ACTIO_API int actio_flow_rhs(struct actio_flow *flow, double t, const double *y, double *dy);
/* (df/dy) v, differentiated on the formulas, or by the equations of motion solved once more; never by differences.
 * Beside a switch it is the derivative of the branch. With redundant or hidden constraints it is exact at states on the
 * constraints, for directions along them. ACTIO_WRONG_USAGE where the flow is not differentiable: of fields with an
 * integral in their equations, or with values beyond their ends (beams), this version does not form derivatives. */
ACTIO_API bool actio_flow_differentiable(const struct actio_flow *flow);
ACTIO_API int actio_flow_jvp(struct actio_flow *flow, double t, const double *y, const double *v, double *out);
ACTIO_API int actio_flow_jacobian(struct actio_flow *flow, double t, const double *y, double *rows); /* row by row */
/* Multipliers, as in tables: those of least norm where redundant constraints do not determine them, NAN where they
 * have no value at this point. */
ACTIO_API size_t actio_flow_multipliers(const struct actio_flow *flow);
ACTIO_API const char *actio_flow_multiplier_name(const struct actio_flow *flow, size_t k); /* "lambda.roll" */
ACTIO_API int actio_flow_multiplier_values(struct actio_flow *flow, double t, const double *y, double *lambda);
/* The nearest state on the constraints: positions, then velocities, in the metric of the kinetic energy where that is
 * positive. y is unchanged where there is none. */
ACTIO_API int actio_flow_project(struct actio_flow *flow, double t, double *y);

/* ---- a motion step by step: open, go to a time, look at the state, go on. Impacts, friction, events and switches
 * happen on the way, as in a run with --local.
 * options: as for actio_run, without `points`. The tolerance is local (options->local, otherwise options->tol), and the
 * global error is not estimated. Principles that compute the motion as a whole or on a grid are refused.
 * Each call ends with a step that is cut at the wanted time; nothing beyond that time is evaluated. So the accuracy
 * does not depend on where a motion is cut, but its last digits do. */
struct actio_integrator;
ACTIO_API struct actio_integrator *actio_integrator_create(struct actio_context *ctx, struct actio_model *model,
                                                           const struct actio_run_options *options,
                                                           /* NULL, and a finding; freed before its model */
                                                           struct actio_findings *f);
ACTIO_API void actio_integrator_free(struct actio_integrator *i); /* NULL is fine */
/* Forward or backward in time: 0, or an exit status and findings. If the motion ends early, it stands where it ended.
 * A limit or `cancel` may be followed by another call; after other ends only another state lets it go on. `stop` in the
 * model is an end with status 0: the time shows it. */
ACTIO_API int actio_integrator_to(struct actio_integrator *i, double t, struct actio_findings *f);
ACTIO_API double actio_integrator_time(const struct actio_integrator *i);
/* The size of the state, in the order of actio_flow_name. y may be NULL. */
ACTIO_API size_t actio_integrator_state(const struct actio_integrator *i, double *y);
/* Their number, and the values of `held` at the present time, in the order of the table's columns; held may be NULL.
 * The name of one: NULL beyond the last. */
ACTIO_API size_t actio_integrator_held(const struct actio_integrator *i, double *held);
ACTIO_API const char *actio_integrator_held_name(const struct actio_integrator *i, size_t k);
/* Another time and state, which must satisfy the constraints; with `project` the nearest that does. Held values begin
 * anew, and so do the clocks of `every`. */
ACTIO_API int actio_integrator_set_state(struct actio_integrator *i, double t, const double *y,
                                         struct actio_findings *f);
/* What happened during the last call: a table without columns, for actio_table_events and actio_table_event. It lives
 * until the next call. NULL before the first. */
ACTIO_API const struct actio_table *actio_integrator_events(const struct actio_integrator *i);
/* State, branches of switches, held values, clocks, contacts that hold, sides of events: the number of bytes; written
 * where `size` suffices. Restored, the motion goes on bit for bit: in the same integrator, or in one of a model that
 * has been read anew with the same numbers and options, by the same version on the same kind of machine. Bytes of
 * another model are refused. */
ACTIO_API size_t actio_integrator_save(const struct actio_integrator *i, void *bytes, size_t size);
ACTIO_API int actio_integrator_restore(struct actio_integrator *i, const void *bytes, size_t size,
                                       struct actio_findings *f);

/* One motion by several principles, the first of them the reference. difference: the largest, absolute, over
 * coordinates and states; error: the principle's own estimate, or NAN. status: "reference", "agrees",
 * "differs" (by theory), "disagrees" (numerically), "failed", "inapplicable"; "grid": on given time nodes, error not
 * estimated; "soft": soft walls against hard ones.
 * With `widths` the first principle is the reference, with hard walls, then one row for each width, widest first, by
 * the second (skg by default). */
struct actio_comparison;
/* power of the reactions: "none", "<= 0", ">= 0", "either", ""; sigma: NAN unless the row is one of a width */
struct actio_compared {
    const char *by, *status, *note, *power;
    double difference, error, seconds, sigma;
};
ACTIO_API struct actio_comparison *actio_compare(struct actio_context *ctx, struct actio_model *model,
                                                 const struct actio_run_options *options,
                                                 /* NULL: no memory, and a finding */
                                                 const char *const *by, size_t count, struct actio_findings *f);
ACTIO_API size_t actio_comparison_rows(const struct actio_comparison *c);
/* texts live as long as c */
ACTIO_API struct actio_compared actio_comparison_row(const struct actio_comparison *c, size_t i);
/* differences over time, or NULL */
ACTIO_API const struct actio_table *actio_comparison_table(const struct actio_comparison *c);
/* The motions over each other: the reference as lines, the others as discs, several widths as lines from light to dark
 * and with their distances. */
ACTIO_API int actio_comparison_overlay(struct actio_context *ctx, const struct actio_comparison *c, const char *axes,
                                       const char *path, struct actio_findings *f);
ACTIO_API void actio_comparison_free(struct actio_comparison *c); /* NULL is fine */

/* ---- the doubled action (Schwinger-Keldysh-Galley) as a function of all its unknowns on a grid of equal steps: for
 * any solver, and for verification. Its critical point is the motion, with all differences 0. No equation of motion is
 * formed. Start data must satisfy the constraints. */
struct actio_action;
struct actio_action_options {
    size_t grid; /* points; 2, 4, 6, 8 (0 = 4) */
    int order;
    /* "weak" (NULL): one critical point; "strong", "bare": end conditions by multipliers, undetermined at the ends */
    const char *form;
    double sigma, barrier; /* soft walls, as in a run; 0 = none */
};
/* A named part of the unknowns, x[first + i*stride] for i < count, one value a point: "q+ x", "s+ eta", "lambda+ roll",
 * "mu+ rod" (keeps positions on a holonomic constraint), the same with "-" for the differences; single numbers of the
 * strong form: "kappa x", "kappat x", "xi x", "xit x", "kl roll", "xl roll", "km rod", "xm rod". */
struct actio_action_slice {
    const char *name;
    size_t first, count, stride;
};
ACTIO_API struct actio_action *actio_action_create(
    struct actio_context *ctx, struct actio_model *model, const struct actio_action_options *options,
    /* NULL, and a finding; freed before its model. NULL options: 64 points, order 4 */
    struct actio_findings *f);
ACTIO_API void actio_action_free(struct actio_action *a);         /* NULL is fine */
ACTIO_API size_t actio_action_size(const struct actio_action *a); /* unknowns */
/* these three live as long as the action */
ACTIO_API size_t actio_action_slices(const struct actio_action *a, const struct actio_action_slice **slices);
ACTIO_API size_t actio_action_times(const struct actio_action *a, const double **times);
/* entries of the Hessian, both halves */
ACTIO_API size_t actio_action_pattern(const struct actio_action *a, const uint32_t **rows, const uint32_t **cols);
/* 0, or ACTIO_NUMERICS_FAILED: a formula has no finite value there. */
ACTIO_API int actio_action_value(struct actio_action *a, const double *x, double *value);
ACTIO_API int actio_action_gradient(struct actio_action *a, const double *x, double *gradient);
/* in the order of the pattern */
ACTIO_API int actio_action_hessian(struct actio_action *a, const double *x, double *values);
/* a straight line from the start, everything else 0 */
ACTIO_API void actio_action_guess(const struct actio_action *a, double *x);
/* From x to a critical point by damped Newton steps, the shortest ones if the form does not determine them. x has
 * the last iterate in any case. */
ACTIO_API int actio_action_solve(struct actio_action *a, double *x, struct actio_findings *f);

/* ---- the dual action of one slab over the model's interval as a function of its unknowns, the dual variables D and m:
 * for any solver, and for verification. Where it is stationary, its primal state is the motion. While M = d2L/dU2 > 0
 * that is its maximum (against time, A > B: its minimum). Weights, potential, a constant base and D at the end are
 * changes of the model: ACTIO_CHANGE_WEIGHTS, _POTENTIAL, _BASE, _FINAL. Switches stay as they are at the start. */
struct actio_dual_action;
struct actio_dual_action_options {
    /* elements (0 = 32); degree of D 1 .. 8 (0 = 4); quadrature points of an element (0 = as a run has them) */
    size_t grid;
    int order;
    size_t nodes;
    const char *closure, *power, *base;
    double slack;
    bool multipliers; /* as in a run */
};
ACTIO_API struct actio_dual_action *actio_dual_action_create(
    struct actio_context *ctx, struct actio_model *model, const struct actio_dual_action_options *options,
    /* NULL, and a finding; freed before its model. NULL options: all 0 */
    struct actio_findings *f);
ACTIO_API void actio_dual_action_free(struct actio_dual_action *a); /* NULL is fine */
/* unknowns. D at the end is fixed, and not one of them */
ACTIO_API size_t actio_dual_action_size(const struct actio_dual_action *a);
/* "dual x", "dual x_dot": D by nodes in order of time, without the last; where equations are implicit, "dual
 * x_balance", "dual lambda.rod", "dual power": m, by elements and in them coefficients of the Legendre polynomials of
 * norm 1, lowest degree first. All returned pointers live as long as the action. */
ACTIO_API size_t actio_dual_action_slices(const struct actio_dual_action *a, const struct actio_action_slice **slices);
/* nodes of D, the fixed one last */
ACTIO_API size_t actio_dual_action_times(const struct actio_dual_action *a, const double **times);
/* of quadrature */
ACTIO_API size_t actio_dual_action_points(const struct actio_dual_action *a, const double **times,
                                          const double **weights);
/* of U = (x, y), the first of them x */
ACTIO_API size_t actio_dual_action_names(const struct actio_dual_action *a, const char *const **names,
                                         size_t *differential);
/* entries of the Hessian, both halves */
ACTIO_API size_t actio_dual_action_pattern(const struct actio_dual_action *a, const uint32_t **rows,
                                           const uint32_t **cols);
/* 0, or ACTIO_NUMERICS_FAILED: z does not map to a primal state, M is not positive, or a formula has no finite
 * value. */
ACTIO_API int actio_dual_action_value(struct actio_dual_action *a, const double *z, double *value);
ACTIO_API int actio_dual_action_gradient(struct actio_dual_action *a, const double *z, double *gradient);
/* in the order of the pattern */
ACTIO_API int actio_dual_action_hessian(struct actio_dual_action *a, const double *z, double *values);
/* What z maps to: U at the points, point by point (of order k); x at the elements' ends from the reactions there, end
 * by end (of order 2k at the maximum). NULL: not wanted. */
ACTIO_API int actio_dual_action_state(struct actio_dual_action *a, const double *z, double *points, double *ends);
/* D.f - H at the elements' ends */
ACTIO_API int actio_dual_action_hamiltonian(struct actio_dual_action *a, const double *z, double *values);
/* The least eigenvalue of C^-1/2 M C^-1/2 over all points, at most 1; the distance of x from continuous
 * polynomials. NULL: not wanted. Where L is quadratic in U and `detector` is NULL, the first is reported also where it
 * is not positive. */
ACTIO_API int actio_dual_action_least(struct actio_dual_action *a, const double *z, double *least, double *detector);
/* From z (all 0 is a good start) to the maximum by Newton steps along which S grows and M stays positive. z has the
 * last iterate in any case. NULL f: without findings.
 * ACTIO_INTERRUPTED, ACTIO_LIMIT_REACHED: the context's limits stopped it. */
ACTIO_API int actio_dual_action_solve(struct actio_dual_action *a, double *z, struct actio_findings *f);

/* ---- periodic orbits and their stability. --period, --turn and the range of --follow: see actio_change. */
struct actio_orbits;
struct actio_orbit_options {
    struct actio_run_options run; /* by, points, project, soft walls; its tol is not used */
    double tol;                   /* of period and states; 0 = as exact as possible */
    const char *method;           /* "shooting", "fourier", "dual" */
    size_t find;                  /* number of shortest distinct orbits; 0 = one */
    const char *follow;           /* the param, or a conserved column, along which the orbit is followed; NULL = none */
    const char *const *average;   /* constraints that hold slow quantities */
    size_t averages;
    const char *const *loose; /* variables that need not return */
    size_t looses;
    const char *guess; /* a file with a turn as the guess; NULL = none */
};
struct actio_orbit_info {
    /* error: estimated, of the period; residual: largest mismatch, relative to max(1, size) */
    double period, error, residual;
    /* word: symbols of its section, "" without; "stable", "unstable", "neutral", "" = unknown */
    const char *word, *stability, *method;
    size_t components, multipliers, iterations, nodes;
};
struct actio_multiplier_info {
    double re, im, log_modulus;
    const char *trivial;
}; /* trivial: why it is 1 ("energy", ...), "not explained" where it is 1 within its error, or NULL */
ACTIO_API struct actio_orbit_options actio_orbit_options_default(void);
ACTIO_API struct actio_orbits *actio_orbit_search(
    struct actio_context *ctx, struct actio_model *model, const struct actio_orbit_options *options,
    /* NULL: no memory, and a finding. Empty when none was found, and a finding */
    struct actio_findings *f);
ACTIO_API void actio_orbits_free(struct actio_orbits *o); /* NULL is fine */
ACTIO_API size_t actio_orbits_count(const struct actio_orbits *o);
/* texts live as long as o */
ACTIO_API struct actio_orbit_info actio_orbits_info(const struct actio_orbits *o, size_t i);
ACTIO_API const char *actio_orbits_name(const struct actio_orbits *o, size_t component);       /* x, x_dot */
ACTIO_API double actio_orbits_point(const struct actio_orbits *o, size_t i, size_t component); /* a state on it */
ACTIO_API struct actio_multiplier_info actio_orbits_multiplier(const struct actio_orbits *o, size_t i, size_t k);
/* Of --average: constraints, their right sides as they were found, and the period of the held motion. */
ACTIO_API size_t actio_orbits_levels(const struct actio_orbits *o, double *period);
ACTIO_API const char *actio_orbits_level(const struct actio_orbits *o, size_t i, double *value);
/* The branch of --follow, point by point. mark: "start", "fold", "period doubling", "torus", "branch", "end", or "". */
struct actio_branch_info {
    double param, period;
    const char *stability, *mark;
};
ACTIO_API size_t actio_orbits_branch_points(const struct actio_orbits *o);
ACTIO_API struct actio_branch_info actio_orbits_branch_point(const struct actio_orbits *o, size_t i);
/* the branch as a table: param, period, largest and smallest values; NULL without */
ACTIO_API const struct actio_table *actio_orbits_diagram(const struct actio_orbits *o);
/* The branch as a diagram, or, without one, the first orbit over one period. */
ACTIO_API int actio_orbits_plot(struct actio_context *ctx, const struct actio_orbits *o, const char *axes,
                                const char *path, struct actio_findings *f);
/* the motion over one period, or NULL */
ACTIO_API const struct actio_table *actio_orbits_table(const struct actio_orbits *o, size_t i);

/* Every claim of the model, checked. */
/* skipped: the claim is about a member of a family that a change has removed; it is neither ok nor failed. */
struct actio_check {
    const char *claim;
    uint32_t line;
    double value, expected, bound;
    bool ok, computed, skipped;
    const char *why;
};
ACTIO_API struct actio_check *actio_test(struct actio_context *ctx, struct actio_model *model,
                                         const struct actio_run_options *options, struct actio_findings *f,
                                         size_t *count); /* lives as long as the model */

/* ---- the verdict on a model. Findings have words and places; the report has the numbers. */
struct actio_box_row {
    const char *text;
}; /* "r=.1..3": where states are sampled */
/* the verdict; a few lines; JSON members without braces; a further fault ("cannot start"), or NULL.
 * Live as long as the model */
struct actio_verdict_report {
    const char *verdict, *text, *json, *but;
};
ACTIO_API int actio_check_model(struct actio_context *ctx, struct actio_model *model, const struct actio_box_row *box,
                                size_t boxes, struct actio_findings *f,
                                /* exit status: 0 for regular, redundant, hidden with good data */
                                struct actio_verdict_report *out);

/* ---- small motions about the start, which must be an equilibrium: e^((growth + i omega) t). Growing ones first, then
 * the lowest; pairs +-omega count once. */
struct actio_modes;
/* period: NAN without oscillation; kind: "swings", "free" (both are 0), "unstable", "damped" */
struct actio_mode_info {
    double omega, growth, period;
    const char *kind;
};
ACTIO_API struct actio_modes *actio_modes_find(struct actio_context *ctx, struct actio_model *model, size_t most,
                                               /* at most so many; NULL: none exist, and a finding */
                                               struct actio_findings *f);
ACTIO_API void actio_modes_free(struct actio_modes *o);          /* NULL is fine; before its model */
ACTIO_API size_t actio_modes_count(const struct actio_modes *o); /* of those reported */
/* of all modes; omega and growth below `rounding` are reported as 0 */
ACTIO_API size_t actio_modes_all(const struct actio_modes *o, double *rounding);
ACTIO_API struct actio_mode_info actio_modes_info(const struct actio_modes *o, size_t i);
/* Shapes, if damping, gyroscopic terms and rolling are absent, up to 64 coordinates; largest entry 1. A field has
 * one entry for each node, all of its name. */
ACTIO_API size_t actio_modes_entries(const struct actio_modes *o); /* of a shape; 0: none are reported */
ACTIO_API const char *actio_modes_name(const struct actio_modes *o, size_t entry);
ACTIO_API double actio_modes_shape(const struct actio_modes *o, size_t i, size_t entry);

/* ---- equations, shown: what the model's motion obeys, as "text" (model language), "latex" (a document) or "c" (one
 * C99 file) */
struct actio_derivation;
struct actio_derived_section {
    const char *key, *title, *text;
}; /* live as long as the derivation */
ACTIO_API struct actio_derivation *actio_derive(struct actio_context *ctx, struct actio_model *model, const char *by,
                                                const char *format,
                                                /* NULL by: dalembert. Or NULL, and a finding */
                                                struct actio_findings *f);
ACTIO_API void actio_derivation_free(struct actio_derivation *d);              /* NULL is fine */
ACTIO_API const char *actio_derivation_text(const struct actio_derivation *d); /* the whole; lives as long as d */
ACTIO_API size_t actio_derivation_sections(const struct actio_derivation *d);
ACTIO_API struct actio_derived_section actio_derivation_section(const struct actio_derivation *d, size_t i);
/* To a file that is whole or absent; "-" is standard output. */
ACTIO_API int actio_derivation_write(struct actio_context *ctx, const struct actio_derivation *d, const char *path,
                                     struct actio_findings *f);

/* ---- tables */
ACTIO_API void actio_table_free(struct actio_table *table); /* NULL is fine */
ACTIO_API size_t actio_table_rows(const struct actio_table *table);
ACTIO_API size_t actio_table_columns(const struct actio_table *table);
ACTIO_API const char *actio_table_name(const struct actio_table *table, size_t column);
ACTIO_API const char *actio_table_unit(const struct actio_table *table, size_t column); /* "" when none */
/* "coordinates", "multipliers", ... */
ACTIO_API const char *actio_table_role(const struct actio_table *table, size_t column);
/* rows values; of a field rows * nodes, row by row */
ACTIO_API const double *actio_table_data(const struct actio_table *table, size_t column);
/* A field (a coordinate along a line, or a function of it) has a value at each of its nodes or cells. */
ACTIO_API size_t actio_table_nodes(const struct actio_table *table, size_t column); /* 0: one number a row */
/* "s"; "" when it is not a field */
ACTIO_API const char *actio_table_axis(const struct actio_table *table, size_t column);
/* of the nodes on the axis; NULL when it is not a field */
ACTIO_API const double *actio_table_places(const struct actio_table *table, size_t column);
/* The column of a name, x' for x_dot too, and with x[3] a field's node 3. node: 0 where the column is not a field,
 * SIZE_MAX where the name is that of a whole field. */
/* Either pointer may be NULL. */
ACTIO_API bool actio_table_cell(const struct actio_table *table, const char *name, size_t *column, size_t *node);
/* What happened during the motion, in its order: the list that JSON has. kind: "event", "impact", "rest", "contact",
 * "release", "stick", "slip", "switch", "corner" (velocities jump at a switch), "reflects" (a switch turns the motion
 * back), or "touches": whether it happened at all is within the error. name: of the event, the contact, the constraint,
 * or the condition of a switch. value: of an impact its impulse, of a switch its new branch. rule: of an impact the law
 * that decided, or "". row: the first one that is not before it. error: estimated, of t; NAN = not known. line: of the
 * statement that has it, 0 = none. energy: taken by all that happened at that instant, listed with the first of it; NAN
 * where it is not known. place: the coordinates then, in the order of the model; before, after: their velocities, where
 * they jump; NULL = not known. They live as long as the table. */
struct actio_event_info {
    double t, value;
    const char *kind, *name, *rule;
    size_t row;
    double error, impulse, energy;
    size_t line, coordinates;
    const double *place, *before, *after;
};
ACTIO_API size_t actio_table_events(const struct actio_table *table);
ACTIO_API struct actio_event_info actio_table_event(const struct actio_table *table, size_t i);
/* estimated global error, or NAN */
ACTIO_API double actio_table_error(const struct actio_table *table, size_t column);
/* Requested sensitivities: of which column, by which start datum or param. */
struct actio_slope_row {
    const char *of, *by;
    bool is_param;
    double value, derivative, error;
};
ACTIO_API size_t actio_table_slopes(const struct actio_table *table);
ACTIO_API struct actio_slope_row actio_table_slope(const struct actio_table *table, size_t i);
/* What --verify found: the doubled action on a grid, started with two paths `started` apart; errors on three grids,
 * each twice as fine as the one before. */
struct actio_proof_info {
    int order; /* proved: points of the doubled system, fewer than requested where it would be large */
    size_t proved, unknowns, iterations, points[3];
    /* rates NAN: rounding is reached */
    double action, gradient, minus, minus_multipliers, apart, started, error[3], end[3], rate, rate_end;
};
/* false: none was requested */
ACTIO_API bool actio_table_proof(const struct actio_table *table, struct actio_proof_info *out);
/* The dual action of a run: on one slab its value, its Hamiltonian at the start and how far that drifts (NAN on
 * several); the least eigenvalue of C^-1/2 M C^-1/2, the largest |D|, and the distance of U from continuous
 * polynomials, which for a spurious solution is as large as the solution. */
struct actio_dual_info {
    const char *closure;
    double action, hamiltonian, hamiltonian_drift, min_eigenvalue, max_dual, detector;
    size_t slabs, elements, newton, degree;
};
/* false: by another principle */
ACTIO_API bool actio_table_dual(const struct actio_table *table, struct actio_dual_info *out);
struct actio_run_info {
    const char *by, *method, *tier, *model;
    double t_end, holds_until, tol, local, energy_drift, residual, worst_error, seconds;
    /* of a driven motion: largest |E - E(first) - work|, and the error of the work from the rows; NAN elsewhere */
    double energy_less_work, work_error;
    size_t steps, rhs, rejected, events;
    bool reached, local_only;
    int status;
};
ACTIO_API struct actio_run_info actio_table_info(const struct actio_table *table);
/* By the path's ending: .csv .json .h5 .npz; "-" is CSV on standard output. Whole or absent. */
ACTIO_API int actio_table_write(struct actio_context *ctx, const struct actio_table *table, const char *path,
                                struct actio_findings *f);
/* The list of what happened as comma-separated values; "-": to standard output. */
ACTIO_API int actio_table_write_events(struct actio_context *ctx, const struct actio_table *table, const char *path,
                                       struct actio_findings *f);
ACTIO_API int actio_table_plot(struct actio_context *ctx, const struct actio_table *table, const char *axes,
                               const char *path, struct actio_findings *f);
/* The shape of a field in motion, an animated SVG; axes "x:y" or "x" select it, NULL: the coordinates.
 * */
ACTIO_API int actio_table_animate(struct actio_context *ctx, const struct actio_table *table, const char *axes,
                                  const char *path, struct actio_findings *f);
/* Can the axes of this model's motions be drawn? Called before a long run: 0, or an exit status and a
 * finding. axes NULL: the default. animate: as by actio_table_animate. Columns that only the run knows (variables
 * of the dual action) are not checked. */
ACTIO_API int actio_model_drawable(struct actio_context *ctx, struct actio_model *model, const char *axes, bool animate,
                                   struct actio_findings *f);
ACTIO_API bool actio_can_write(const char *path, bool plot); /* is there a writer for this ending? */
/* One JSON object, no newline. Lives as long as the table. */
ACTIO_API const char *actio_table_json(struct actio_table *table);

#ifdef __cplusplus
}
#endif
#endif

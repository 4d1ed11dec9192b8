/* SPDX-License-Identifier: Apache-2.0
 * The result of a run: columns with meaning, their errors, events, provenance. Writers take nothing else.
 * In: a filled table. Out: files and texts. Callers: run fills it; api and compare write it. */
#ifndef ACTIO_RESULT_TABLE_H
#define ACTIO_RESULT_TABLE_H

#include "base/findings.h"
#include "base/roles.h"

const char *actio_role_heading(enum actio_role role);
bool actio_role_is_log(enum actio_role role);

struct actio_column {
    /* unique false: a multiplier that is only one of many */
    const char *name, *unit, *meaning, *latex;
    enum actio_role role;
    bool unique;
    /* of a field: data[col][row*nodes + k] at node or cell k, which is at place[k] of the axis; nodes 0: one number a
     * row */
    size_t nodes;
    const char *axis;
    const double *place;
};
/* Something that happened at an instant. error: of t, NAN = not known. line: of the statement that has it, 0 = none.
 * value: an impact's impulse, a switch's new branch. contact: at which it happened, or NULL; rule: which decided, or
 * NULL. energy: taken by all that happened at the instant; NAN = not known, or listed with the first of them. place,
 * before, after: `coords` numbers of the table each, velocities only where they jump; NULL = not known. */
struct actio_event {
    double t, error;
    const char *kind, *name;
    double value;
    const char *contact;
    double impulse;
    const char *rule;
    double energy;
    const double *place, *before, *after;
    size_t line;
};

struct actio_proof_row {
    size_t points;
    double error, end;
};
struct actio_proof {
    int order;
    size_t proved, unknowns, iterations;
    double action, gradient, minus, minus_multipliers, apart, started, rate, rate_end;
    struct actio_proof_row row[3];
};
/* Of a run by the dual action; NAN: of several slabs. drift: of the Hamiltonian; least: eigenvalue of C^-1/2 M C^-1/2;
 * largest: |D|. */
struct actio_dual_numbers {
    double action, hamiltonian, drift, least, largest, detector;
    size_t slabs, elements, newton, degree;
    const char *closure;
};
struct actio_slope {
    const char *by;
    bool is_param;
    double derivative, error;
};

struct actio_provenance {
    const char *model, *description, *file, *source, *by, *method, *version, *tier;
    struct actio_setting {
        const char *name;
        double value;
    } * param, *start;
    size_t params, starts;
};

struct actio_table {
    struct actio_arena arena; /* owns everything below */
    struct actio_column *col;
    size_t cols;
    double **data; /* data[col][row], of a field data[col][row * nodes + k] */
    size_t rows;
    double worst; /* largest error beside the size it is judged by; NAN = from `error` */
    /* per column: estimated largest global error over the rows, of a field over its nodes; NAN = not estimated */
    double *error;
    bool local_only; /* --local: nothing is claimed of the global error */
    /* requested; local tolerance used; last time where the estimate holds; did it hold to the end? */
    double tol, local, holds_until;
    bool reached;
    struct actio_event *event;
    size_t events, events_cap, coords;
    const char *const *coord, *const *velocity; /* names, of events' places and velocities */
    /* diagnostics */
    double energy_drift, residual; /* largest |E - E(first)|, NAN without a Lagrangian; largest constraint residual */
    /* of a driven motion: largest |E - E(first) - work|, and how well the rows give the work; NAN where energy is
     * conserved, or not known */
    double energy_less_work, work_error;
    size_t steps, rhs, rejected;
    double seconds;
    int status;
    /* sensitivities at the end, where they were requested */
    /* slopes: of each */
    struct actio_sensitivity {
        const char *of;
        double value;
        struct actio_slope *slope;
    } * gradient;
    size_t gradients, slopes;
    /* proof of the action's critical point, where it was requested */
    struct actio_proof *proof;
    struct actio_table *trend; /* one more panel of its picture, or NULL: see struct actio_picture; in the arena */
    struct actio_dual_numbers *dual; /* NULL: by another principle */
    struct actio_curves *curves;     /* curves.h: the motion between the rows, for pictures; NULL: they have the rows */
    struct actio_provenance from;
};

struct actio_table *actio_table_create(struct actio_context *ctx);                       /* escapes or never NULL */
__attribute__((visibility("default"))) void actio_table_free(struct actio_table *table); /* public: see actio.h */
const char *actio_table_text(struct actio_table *table, const char *text); /* kept as long as the table; NULL: "" */
/* column number, or `cols`; x' may be written for x_dot */
size_t actio_table_find(const struct actio_table *table, const char *name);
/* A number of a row: the column's, or with x[3] that of a field's node 3. node: 0 where the column is not a field,
 * ACTIO_WHOLE where the name is that of a whole field. */
#define ACTIO_WHOLE SIZE_MAX
bool actio_column_cell(const struct actio_column *col, const char *name, size_t *node);
/* public */
__attribute__((visibility("default"))) bool actio_table_cell(const struct actio_table *table, const char *name,
                                                             size_t *col, size_t *node);
/* numbers a row */
static inline size_t actio_column_width(const struct actio_column *col) { return col->nodes ? col->nodes : 1; }
/* first column with that role, or `cols` */
size_t actio_table_first(const struct actio_table *table, enum actio_role role);
double actio_table_error_of(const struct actio_table *table, size_t col); /* NAN where nothing is claimed */
/* relative to max(1, size of the column), as tol is */
double actio_table_worst_error(const struct actio_table *table);
/* of one node, over the rows */
const double *actio_table_values(const struct actio_table *table, size_t col, size_t node, struct actio_arena *arena);

/* By time, in the run's direction; those at one time stay in their order. Escapes when overdue. */
void actio_events_sort(struct actio_arena *scratch, struct actio_event *event, size_t count, bool backward);

/* The list of events by columns, for writers. nodes: numbers an event of places and velocities; text NULL: numbers. */
enum actio_event_column {
    ACTIO_EVENT_T,
    ACTIO_EVENT_ERROR,
    ACTIO_EVENT_KIND,
    ACTIO_EVENT_NAME,
    ACTIO_EVENT_LINE,
    ACTIO_EVENT_VALUE,
    ACTIO_EVENT_CONTACT,
    ACTIO_EVENT_IMPULSE,
    ACTIO_EVENT_ENERGY,
    ACTIO_EVENT_RULE,
    ACTIO_EVENT_PLACE,
    ACTIO_EVENT_BEFORE,
    ACTIO_EVENT_AFTER,
    ACTIO_EVENT_COLUMNS
};
struct actio_event_list {
    enum actio_event_column column;
    const char *name;
    const double *number;
    const char *const *text;
    size_t nodes;
};
/* How many there are; list: room for ACTIO_EVENT_COLUMNS. */
size_t actio_events_columns(const struct actio_table *table, struct actio_arena *arena, struct actio_event_list *list);
/* The list as comma-separated values, to a file. 0, or 1 and a finding. */
int actio_events_write(struct actio_context *ctx, const struct actio_table *table, const char *path,
                       struct actio_findings *f);

/* Where fields live: one for the nodes of an axis, named after it ("s"), one for its cells ("s_cells"). */
struct actio_placement {
    const char *name, *axis;
    size_t nodes;
    const double *place;
};
size_t actio_table_placements(const struct actio_table *table, struct actio_arena *arena,
                              struct actio_placement **list);
/* its number, or `count` */
size_t actio_placement_of(const struct actio_placement *list, size_t count, const struct actio_column *col);

/* A whole file or none: written beside the target under a temporary name, then renamed over it. `write` fills `out`. */
struct actio_writer {
    const char *ending, *what; /* ".csv", "comma-separated values" */
    /* 0, or 1 and a finding */
    int (*write)(struct actio_context *ctx, const struct actio_table *table, const char *path,
                 struct actio_findings *f);
};
/* built in; native/ registers .h5 */
extern const struct actio_writer actio_write_csv, actio_write_json, actio_write_npz;
void actio_writer_register(const struct actio_writer *writer);
const struct actio_writer *actio_writer_for(const char *path); /* by its ending ("-" is CSV); NULL when none fits */
/* The writer that fits, or a finding that lists the endings there are. */
int actio_result_write(struct actio_context *ctx, const struct actio_table *table, const char *path,
                       struct actio_findings *f);
bool actio_ends_with(const char *path, const char *ending); /* whatever the case of the letters */
/* A bytes buffer to a file in one step (temporary name, flush, rename); "-" is standard output. */
int actio_file_write(struct actio_context *ctx, const char *path, const char *bytes, size_t length,
                     struct actio_findings *f);

void actio_csv_text(const struct actio_table *table, struct actio_text *out);
void actio_json_summary(const struct actio_table *table, struct actio_text *out); /* of run --json */

/* A clean multi-panel picture of one table, or of several over each other: the first has the panels and the colours,
 * columns of the others join by name. */
/* of the others: discs in the colours of the first, or lines from light to dark grey */
enum actio_layer_look { ACTIO_LOOK_DISCS, ACTIO_LOOK_SHADES };
struct actio_layer {
    const struct actio_table *table;
    const char *name;
};
struct actio_picture {
    const struct actio_layer *layer;
    size_t layers;
    enum actio_layer_look look;
    bool marked; /* the first, too, is discs and in the key */
    /* its other columns over the first as one more panel, log-log, points joined; NULL: none */
    const struct actio_table *trend;
    const char *axes; /* "x,y" (two panels over time), "x:theta" (x across, theta up), NULL = panels by role */
};
/* is there a canvas for this ending? svg built in, native/cairo.c png and pdf */
bool actio_plot_fits(const char *path);
int actio_picture_write(struct actio_context *ctx, const struct actio_picture *picture, const char *path,
                        struct actio_findings *f);
/* The shape of a field in motion, as an SVG that moves by itself. axes: as of a picture; the first of them that is a
 * field. */
int actio_animation_write(struct actio_context *ctx, const struct actio_table *table, const char *axes,
                          const char *path, struct actio_findings *f);
/* Would the axes be drawn, or the animation? Of a table of one row, whose values do not count. 0, or 1 and a finding.
 * */
int actio_axes_check(struct actio_context *ctx, const struct actio_table *table, const char *axes, bool animate,
                     struct actio_findings *f);
int actio_plot_write(struct actio_context *ctx, const struct actio_table *table, const char *axes, const char *path,
                     struct actio_findings *f);

#endif

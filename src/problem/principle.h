/* SPDX-License-Identifier: Apache-2.0
 * A principle of mechanics: one descriptor, defined in one file of principle/ and listed in principle/principles.def.
 * It says how equations are formed, how the motion is computed, what a model must have, which options belong to it,
 * and what it does at each stage of a run. Only its own file compares with its address or name.
 * In: a problem, at each stage. Out: findings, a motion, columns. Callers: problem, run, compare, derivation. */
#ifndef ACTIO_PROBLEM_PRINCIPLE_H
#define ACTIO_PROBLEM_PRINCIPLE_H

#include "equations/system.h"
#include "model/model.h"
#include "solve/law.h"

struct actio_aim;
struct actio_chapter;
struct actio_outcome;
struct actio_problem;
struct actio_table;

/* What a principle requires of a model. */
enum actio_needs {
    ACTIO_NEEDS_IDEAL = 1,        /* no `acting`, no `along` */
    ACTIO_NEEDS_LEVELS = 2,       /* no acceleration constraints */
    ACTIO_NEEDS_COORDINATES = 4,  /* no states in constraints */
    ACTIO_NEEDS_MULTIPLIERS = 8,  /* start lambda.NAME for each */
    ACTIO_NEEDS_CONSTRAINTS = 16, /* at least one */
    ACTIO_NEEDS_NO_STATES = 32,
    ACTIO_NEEDS_INDEPENDENT = 64, /* no redundant constraints */
    ACTIO_NEEDS_SMOOTH = 128,     /* no contacts, no friction */
    ACTIO_NEEDS_NO_FRICTION = 256,
    ACTIO_NEEDS_SOFT = 512,         /* contacts only as soft walls, no friction of constraints */
    ACTIO_NEEDS_POINTS = 1024,      /* no fields */
    ACTIO_NEEDS_FORMULAS = 2048,    /* no forces from outside */
    ACTIO_NEEDS_NO_INSTANTS = 4096, /* no held values, nothing that is set */
};

/* Options that belong to some principles only. */
enum actio_owns {
    ACTIO_OWNS_METHOD = 1, /* an integrator of equations of motion */
    ACTIO_OWNS_GRID = 2,
    ACTIO_OWNS_ORDER = 4,
    ACTIO_OWNS_SLABS = 8,
    ACTIO_OWNS_NODES = 16,
    ACTIO_OWNS_FORM = 32,
    ACTIO_OWNS_VERIFY = 64,
    ACTIO_OWNS_GRADIENT = 128,
    ACTIO_OWNS_DUAL = 256, /* closure, power, multipliers, base, weights, potential, final */
    ACTIO_OWNS_RESPLIT = 512,
};

enum { ACTIO_SOLVE_ENDED = 2 }; /* the outcome says why the motion failed */

struct actio_principle {
    const char *name, *title, *key; /* key: of the paper's equation */
    const char *differs;            /* why its motion may be another than d'Alembert's; "" = it must be the same */
    const char *assumes;
    const struct actio_chapter *chapter; /* how `derive` shows it (derive/derive.h); NULL: it does not */
    actio_form_fn form;
    const struct actio_law *law;         /* NULL: by elimination */
    const struct actio_stepper *stepper; /* NULL: any */
    unsigned needs, owns;
    bool on_nodes; /* `compare` passes --grid, --slabs, --nodes and --order on to it */
    /* Stages of a run, in their order; NULL: nothing to do. Those that return int: 0, or 1 and findings. */
    int (*check)(struct actio_problem *); /* do the options fit? Those that it does not own are refused before */
    /* whose equations and law it takes; NULL: its own */
    const struct actio_principle *(*closure)(const struct actio_problem *);
    const char *(*objection)(const struct actio_problem *); /* why it does not apply at this start, or NULL */
    int (*prepare)(struct actio_problem *);                 /* before its law takes force */
    int (*begin)(struct actio_problem *);                   /* once the motion goes by its law */
    /* NULL: it marches. Also ACTIO_SOLVE_ENDED */
    int (*solve)(struct actio_problem *, const struct actio_aim *, struct actio_outcome *);
    /* why it failed, in its own words; false: the common ones serve */
    bool (*explain)(struct actio_problem *, const struct actio_outcome *);
    /* its columns and numbers; escapes when memory runs out */
    void (*fill)(struct actio_problem *, struct actio_table *);
    void (*close)(struct actio_problem *);
};

/* obey.c: why it does not apply to the model, in words, and the constraint it is about (or NULL); NULL: it does. */
const char *actio_principle_objection(const struct actio_principle *p, const struct actio_model *model,
                                      const struct actio_constraint **about);
/* The same with the rank of the constraints at the start. `by` is the principle whose equations and law it takes. */
const char *actio_problem_objection(const struct actio_problem *problem, const struct actio_principle *p,
                                    const struct actio_principle *by, const struct actio_constraint **about);
/* The motion goes by the law from now on. *why: a clause, where it does not apply at this start, or NULL. 0, or 1: no
 * memory, reported. */
int actio_problem_try_law(struct actio_motion *m, const struct actio_law *law, double t, const double *y,
                          const char **why);
/* the principle's equations and law take force; 0, or 1 and why it can't start */
int actio_problem_obey(struct actio_problem *problem);
/* formed, settled, in force; 0, or 1 and findings */
int actio_problem_ready(struct actio_problem *problem, const struct actio_principle *p);

#endif

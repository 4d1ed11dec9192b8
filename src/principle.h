/* SPDX-License-Identifier: Apache-2.0
 * The principles of mechanics as one table: how each forms its equations, how it moves, what it assumes, when it must agree with d'Alembert's. */
#ifndef ACTIO_PRINCIPLE_H
#define ACTIO_PRINCIPLE_H

#include "equations/system.h"
#include "model/model.h"
#include "solve/law.h"

/* What a principle asks of a model. */
enum actio_needs {
    ACTIO_NEEDS_IDEAL = 1,                                 /* no `acting`, no `along` */
    ACTIO_NEEDS_LEVELS = 2,                                /* no acceleration constraints */
    ACTIO_NEEDS_COORDINATES = 4,                           /* no states in constraints */
    ACTIO_NEEDS_MULTIPLIERS = 8,                           /* start lambda.NAME for each */
    ACTIO_NEEDS_CONSTRAINTS = 16,                          /* at least one */
    ACTIO_NEEDS_NO_STATES = 32,
    ACTIO_NEEDS_INDEPENDENT = 64,                          /* no redundant constraints */
    ACTIO_NEEDS_SMOOTH = 128,                              /* no contacts, no friction */
    ACTIO_NEEDS_NO_FRICTION = 256,
    ACTIO_NEEDS_POINTS = 1024,                             /* no fields */
    ACTIO_NEEDS_SOFT = 512,                                /* contacts only as soft walls, no friction of constraints */
};

struct actio_principle {
    const char *name, *title, *key;
    actio_form_fn form;
    const struct actio_law *law;                           /* NULL: by elimination */
    const struct actio_stepper *stepper;                   /* NULL: any */
    unsigned needs;
    const char *differs;                                   /* why its motion may be another than d'Alembert's; "" = it must be the same */
    const char *assumes;
};
const struct actio_principle *actio_principles(size_t *count);
const struct actio_principle *actio_principle_named(const char *name);     /* NULL: there is none */
/* Why it does not apply to the model, in words, and the constraint it is about (or NULL); NULL: it does. */
const char *actio_principle_objection(const struct actio_principle *p, const struct actio_model *model, const struct actio_constraint **about);

#endif

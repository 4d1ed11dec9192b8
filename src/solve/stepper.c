/* SPDX-License-Identifier: Apache-2.0
 * The steppers there are: dop853, discrete, skg and dual always, others registered once at start-up. */
#include "solve/march.h"

#include <string.h>

enum { BUILT_IN = 4, MOST = 16 };
static const struct actio_stepper *steppers[MOST] = { &actio_dop853, &actio_discrete, &actio_skg, &actio_dual };
static size_t count = BUILT_IN; /* of the list above */

void actio_stepper_register(const struct actio_stepper *stepper)
{
    if (count < MOST && !actio_stepper_find(stepper->name)) steppers[count++] = stepper;
}

const struct actio_stepper *actio_stepper_find(const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(steppers[i]->name, name) == 0) return steppers[i];
    return NULL;
}

const struct actio_stepper *actio_stepper_stiff(void)
{
    for (size_t i = 0; i < count; i++)
        if (steppers[i]->stiff) return steppers[i];
    return NULL;
}

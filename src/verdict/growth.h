/* SPDX-License-Identifier: Apache-2.0
 * Integrability: how many combinations of the constraints restrict positions (holonomic), how many only velocities.
 * [HAMEL F.4] */
#ifndef ACTIO_VERDICT_GROWTH_H
#define ACTIO_VERDICT_GROWTH_H

#include "verdict/verdict.h"

/* What each constraint is, looked at where all of them hold. */
/* clang-format off */
#define ACTIO_VELOCITY_FORMS(K)                                                                                        \
    K(LINEAR, "linear in the velocities") K(AFFINE, "affine in the velocities")                                        \
    K(AFFINE_EQUIVALENT, "equivalent to an affine constraint: where the constraints hold, the admissible velocities "  \
                         "form a plane")                                                                               \
    K(NONLINEAR, "genuinely nonlinear in the velocities") K(HOLONOMIC_ALREADY, "holonomic as written")                 \
    K(ON_STATES, "on states") K(ON_ACCELERATIONS, "on accelerations")                                                  \
    K(VANISHING, "its gradient vanishes where it holds")
/* clang-format on */
enum actio_velocity_form {
#define K(name, text) ACTIO_FORM_##name,
    ACTIO_VELOCITY_FORMS(K)
#undef K
};
const char *actio_velocity_form_text(enum actio_velocity_form form);

struct actio_integrability {
    size_t holonomic, nonholonomic;  /* independent combinations, those written as holonomic included; sum = rank */
    size_t dimension;                /* of (q, t): where `growth` would end without holonomic combinations */
    size_t *growth, growths;         /* dim D, dim D + [D, D], ... until it stops; none when nothing had to be tested */
    struct actio_equation *integral; /* "q1 + q2 = const", beyond the constraints written as holonomic */
    size_t integrals;
    /* untested: with states or on accelerations, not among the counts */
    struct actio_velocity {
        uint32_t constraint;
        enum actio_velocity_form kind;
        double curvature;
        bool untested;
    } * of;
    size_t count;
    bool decided; /* false: over budget, no states, or a gradient vanishes; the counts say nothing */
    bool proved;  /* decided, and each holonomic combination has its integral: no rank that stopped is relied on */
};

/* Escapes when memory is out; memory from the formation's arena. */
/* bend.c: constraints with states that are nonlinear in the velocities get their form. */
void actio_look_at_states(struct actio_formation *F, struct actio_sampled *points, struct actio_integrability *out);
struct actio_integrability *actio_integrability_of(struct actio_verdict *v, struct actio_sampled *points);

#endif

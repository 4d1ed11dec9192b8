/* SPDX-License-Identifier: Apache-2.0
 * What a column of a result is: decides order, panels and scale. */
#ifndef ACTIO_BASE_ROLES_H
#define ACTIO_BASE_ROLES_H

/* ROLE(name, heading, log scale in plots) */
/* clang-format off */
#define ACTIO_ROLES(ROLE)                                                                                              \
    ROLE(TIME, "time", 0) ROLE(COORD, "coordinates", 0) ROLE(STATE, "states", 0) ROLE(HELD, "held values", 0)          \
    ROLE(RATE, "velocities", 0)                                                                                        \
    ROLE(FRAME, "quasi-velocities", 0) ROLE(LAMBDA, "multipliers", 0) ROLE(REACTION, "constraint forces", 0)           \
    ROLE(POWER, "power", 0) ROLE(GAP, "gaps", 0) ROLE(FORCE, "contact forces", 0) ROLE(FRICTION, "friction", 0)        \
    ROLE(ENERGY, "energy", 0) ROLE(RESIDUAL, "constraint residuals", 1) ROLE(CHARGE, "charges", 0)                     \
    ROLE(BALANCE, "balances", 0) ROLE(OBSERVE, "observed", 0) ROLE(DUAL, "dual variables", 0)                          \
    ROLE(DIFFERENCE, "largest difference of a coordinate", 1)
/* clang-format on */
enum actio_role {
#define ROLE(name, heading, log) ACTIO_ROLE_##name,
    ACTIO_ROLES(ROLE)
#undef ROLE
        ACTIO_ROLE_COUNT
};

/* A column that the program makes as a sum of terms, which may cancel: its error is judged beside their size. */
static inline int actio_role_is_sum(int role)
{
    return role == ACTIO_ROLE_ENERGY || role == ACTIO_ROLE_POWER || role == ACTIO_ROLE_RESIDUAL
           || role == ACTIO_ROLE_CHARGE || role == ACTIO_ROLE_BALANCE;
}

#endif

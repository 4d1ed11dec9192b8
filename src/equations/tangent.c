/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of the motion's rates by its state and along a direction of the params (HIDDEN numbers, one for each
 * param): on the eliminated formulas, or of the equations that the elimination starts from. For variational equations.
 * */
#include "equations/formation.h"

#include <string.h>

/* d(e)/d(params) . direction, for each. */
static void along_params(struct actio_formation *F, const actio_expr *e, size_t count, actio_expr *out)
{
    size_t params = F->sys.params;
    struct actio_seed *seed = actio_form_array(F, params, sizeof *seed);
    for (uint32_t i = 0; i < params; i++)
        seed[i] = (struct actio_seed){ actio_symbol(&F->pool, ACTIO_SPACE_PARAM, i),
                                       actio_symbol(&F->pool, ACTIO_SPACE_HIDDEN, i) };
    if (params) actio_along(&F->pool, e, count, seed, params, out);
}

/* y = (q, v, s), and room for more behind it. */
static actio_expr *symbols_of_state(struct actio_formation *F, size_t more)
{
    actio_expr *y = actio_form_array(F, F->n + F->N + more, sizeof *y);
    memcpy(y, F->sym.q, F->n * sizeof *y);
    memcpy(y + F->n, F->sym.z, F->N * sizeof *y);
    return y;
}

/* `first` values, entries of the derivatives of e by `wide` symbols, derivatives along the params' direction. */
static size_t list_by(struct actio_formation *F, const actio_expr *first, size_t firsts, const actio_expr *e,
                      size_t count, const actio_expr *y, size_t wide, struct actio_places *places, actio_expr **out)
{
    struct actio_entries J = { 0 };
    actio_jacobian(&F->pool, e, count, y, wide, &J);
    uint32_t *row = actio_form_array(F, J.count, sizeof *row), *col = actio_form_array(F, J.count, sizeof *col);
    size_t all = firsts + J.count + count;
    *out = actio_form_array(F, all, sizeof **out);
    if (firsts) memcpy(*out, first, firsts * sizeof **out);
    for (size_t i = 0; i < J.count; i++) {
        row[i] = J.at[i].row;
        col[i] = J.at[i].col;
        (*out)[firsts + i] = J.at[i].e;
    }
    along_params(F, e, count, *out + firsts + J.count);
    *places = (struct actio_places){ row, col, J.count };
    return all;
}

/* The same by y and by numbers from outside. */
static size_t list_with_derivatives(struct actio_formation *F, const actio_expr *first, size_t firsts,
                                    const actio_expr *e, size_t count, struct actio_places *places, actio_expr **out)
{
    size_t ny = F->n + F->N, wide = ny + F->sys.externals;
    actio_expr *y = symbols_of_state(F, F->sys.externals);
    for (size_t k = ny; k < wide; k++) y[k] = actio_symbol(&F->pool, ACTIO_SPACE_EXTERNAL, (uint32_t)(k - ny));
    return list_by(F, first, firsts, e, count, y, wide, places, out);
}

size_t actio_list_tangent(struct actio_formation *F, actio_expr **out)
{
    size_t pivots = F->sys.solved.pivots;
    actio_expr *first = actio_form_array(F, F->N + pivots, sizeof *first);
    memcpy(first, F->solved.zdot, F->N * sizeof *first);
    if (pivots) memcpy(first + F->N, F->solved.pivot, pivots * sizeof *first);
    return list_with_derivatives(F, first, F->N + pivots, F->solved.zdot, F->N, &F->sys.jets.tangent, out);
}

/* h - G z' + D' lambda, c - A z', with z' and lambda as symbols. */
static actio_expr *equations(struct actio_formation *F)
{
    struct actio_pool *pool = &F->pool;
    actio_expr *e = actio_form_array(F, F->N + F->sys.p, sizeof *e);
    memcpy(e, F->h, F->N * sizeof *e);
    if (F->sys.p) memcpy(e + F->N, F->c, F->sys.p * sizeof *e);
    for (size_t i = 0; i < F->G.count; i++)
        e[F->G.at[i].row] =
            actio_sub(pool, e[F->G.at[i].row], actio_mul(pool, F->G.at[i].e, F->sym.zdot[F->G.at[i].col]));
    for (size_t i = 0; i < F->D.count; i++)
        e[F->D.at[i].col] =
            actio_add(pool, e[F->D.at[i].col], actio_mul(pool, F->D.at[i].e, F->sym.lambda[F->D.at[i].row]));
    for (size_t i = 0; i < F->A.count; i++)
        e[F->N + F->A.at[i].row] =
            actio_sub(pool, e[F->N + F->A.at[i].row], actio_mul(pool, F->A.at[i].e, F->sym.zdot[F->A.at[i].col]));
    return e;
}

/* d(e) along a direction of the state and of time, whose numbers are those of the doubled action's difference. */
static void along_state(struct actio_formation *F, const actio_expr *e, size_t count, actio_expr *out)
{
    struct actio_seed *seed = actio_form_array(F, F->n + F->N + 1, sizeof *seed);
    size_t seeds = 0;
    for (uint32_t i = 0; i < F->n; i++) {
        seed[seeds++] = (struct actio_seed){ F->sym.q[i], actio_symbol(&F->pool, ACTIO_SPACE_QMINUS, i) };
        seed[seeds++] = (struct actio_seed){ F->sym.v[i], actio_symbol(&F->pool, ACTIO_SPACE_VMINUS, i) };
    }
    for (uint32_t i = 0; i < F->m; i++)
        seed[seeds++] = (struct actio_seed){ F->sym.s[i], actio_symbol(&F->pool, ACTIO_SPACE_SMINUS, i) };
    seed[seeds++] = (struct actio_seed){ F->sym.time, actio_symbol(&F->pool, ACTIO_SPACE_LMINUS, 0) };
    actio_along(&F->pool, e, count, seed, seeds, out);
}

size_t actio_list_along(struct actio_formation *F, actio_expr **out)
{
    size_t pivots = F->sys.solved.pivots, firsts = F->N + pivots;
    *out = actio_form_array(F, firsts + F->N, sizeof **out);
    memcpy(*out, F->solved.zdot, F->N * sizeof **out);
    if (pivots) memcpy(*out + F->N, F->solved.pivot, pivots * sizeof **out);
    along_state(F, F->solved.zdot, F->N, *out + firsts);
    return firsts + F->N;
}

size_t actio_list_equations_along(struct actio_formation *F, actio_expr **out)
{
    size_t count = F->N + F->sys.p;
    *out = actio_form_array(F, count, sizeof **out);
    along_state(F, equations(F), count, *out);
    return count;
}

size_t actio_list_equations_y(struct actio_formation *F, actio_expr **out)
{
    return list_with_derivatives(F, NULL, 0, equations(F), F->N + F->sys.p, &F->sys.jets.equations_y, out);
}

size_t actio_list_levels_y(struct actio_formation *F, actio_expr **out)
{
    size_t count = F->sys.holonomic + F->sys.levels;
    actio_expr *e = actio_form_array(F, count, sizeof *e);
    memcpy(e, F->f, F->sys.holonomic * sizeof *e);
    memcpy(e + F->sys.holonomic, F->phi, F->sys.levels * sizeof *e);
    return list_with_derivatives(F, NULL, 0, e, count, &F->sys.jets.levels_y, out);
}

size_t actio_list_guards_y(struct actio_formation *F, actio_expr **out)
{
    return list_with_derivatives(F, NULL, 0, F->modes.guard, F->sys.switches.count, &F->sys.jets.guards_y, out);
}

/* What a neighbour sets, and when: right sides, clocks, functions of events. */
size_t actio_list_resets_y(struct actio_formation *F, actio_expr **out)
{
    const struct actio_reset_numbers *s = &F->sys.resets;
    size_t ny = F->n + F->N, events = F->sys.walls.events, contacts = F->sys.walls.contacts,
           placed = s->assigns + 2 * s->clocks, all = placed + contacts + events;
    actio_expr *y = symbols_of_state(F, 1 + s->held), *numbers = NULL, *e = actio_form_array(F, all, sizeof *e);
    y[ny] = actio_symbol(&F->pool, ACTIO_SPACE_T, 0);
    for (uint32_t k = 0; k < s->held; k++) y[ny + 1 + k] = actio_symbol(&F->pool, ACTIO_SPACE_HELD, k);
    actio_list_instants(F, &numbers);
    if (placed) memcpy(e, numbers, placed * sizeof *e);
    for (size_t i = 0; i < contacts; i++) e[placed + i] = F->walls.gap[i].e;
    if (events) memcpy(e + placed + contacts, F->walls.event, events * sizeof *e);
    return list_by(F, NULL, 0, e, all, y, ny + 1 + s->held, &F->sys.jets.resets_y, out);
}

/* SPDX-License-Identifier: Apache-2.0
 * Velocity constraints with switches that are rates of positions between them: where such a row changes at a place, it
 * is a bend of what it leaves to positions. Rows a(q, t) v + b(q, t) that are exact, a_i,j = a_j,i and a_i,t = b,i, and
 * all rows where one degree of freedom is left and the time has no part: its path bends. Each branch is looked at by
 * itself, so that it does not matter how a row is written. */
#include "equations/formation.h"
#include "expr/normal.h"

enum { MOST = 30, BRANCHES = 6 }; /* coordinates: there are n^2 derivatives; switches in one row */

/* Coefficients of the velocities, and the rest; modes: the switches in them. */
struct row {
    actio_expr *a, rest;
    uint32_t mode[BRANCHES];
    size_t modes;
};

static bool uses_state(struct actio_formation *F, actio_expr e)
{
    return actio_uses(&F->pool, e, ACTIO_SPACE_V) || actio_uses(&F->pool, e, ACTIO_SPACE_STATE);
}

/* Functions of positions and time; false: it has others. Between switches the row is affine in the velocities if its
 * coefficients have none: the rest is what is left without velocities. */
static bool take_row(struct actio_formation *F, size_t r, struct row *row)
{
    actio_expr *zero = actio_form_array(F, F->n, sizeof *zero);
    row->a = actio_form_array(F, F->n, sizeof *row->a);
    for (size_t i = 0; i < F->n; i++) row->a[i] = zero[i] = actio_const(&F->pool, 0);
    for (size_t i = 0; i < F->A.count; i++) {
        const struct actio_entry *e = &F->A.at[i];
        if (e->row != F->sys.velocity_row[r]) continue;
        if (e->col >= F->n || uses_state(F, e->e)) return false;
        row->a[e->col] = e->e;
    }
    row->rest = actio_substitute(&F->pool, F->phi[r], F->sym.v, zero, F->n);
    return !uses_state(F, row->rest);
}

/* Too many: then they stay symbols. */
static void list_modes(struct actio_formation *F, struct row *row)
{
    for (uint32_t k = 0; k < F->sys.switches.count; k++) {
        actio_expr mode = actio_symbol(&F->pool, ACTIO_SPACE_MODE, k);
        bool has = actio_uses_symbol(&F->pool, row->rest, mode);
        for (size_t i = 0; i < F->n; i++) has |= actio_uses_symbol(&F->pool, row->a[i], mode);
        if (!has || F->sys.switches.whole[k]) continue;
        if (row->modes == BRANCHES) {
            row->modes = 0;
            return;
        }
        row->mode[row->modes++] = k;
    }
}

/* The row where its switches are on these sides, one bit each. */
static struct row branch_of(struct actio_formation *F, const struct row *row, size_t sides)
{
    struct actio_pool *pool = &F->pool;
    actio_expr from[BRANCHES], to[BRANCHES];
    struct row out = { .a = actio_form_array(F, F->n, sizeof *out.a) };
    for (size_t j = 0; j < row->modes; j++) {
        from[j] = actio_symbol(pool, ACTIO_SPACE_MODE, row->mode[j]);
        to[j] = actio_const(pool, sides >> j & 1 ? 1 : -1);
    }
    for (size_t i = 0; i < F->n; i++) out.a[i] = actio_substitute(pool, row->a[i], from, to, row->modes);
    out.rest = actio_substitute(pool, row->rest, from, to, row->modes);
    return out;
}

static bool same_slope(struct actio_formation *F, actio_expr a, actio_expr by, actio_expr b, actio_expr by_other)
{
    struct actio_pool *pool = &F->pool;
    return actio_is_identically_zero(pool, actio_sub(pool, actio_diff(pool, a, by), actio_diff(pool, b, by_other)));
}

static bool exact(struct actio_formation *F, const struct row *row)
{
    for (size_t i = 0; i < F->n; i++) {
        if (!same_slope(F, row->a[i], F->sym.time, row->rest, F->sym.q[i])) return false;
        for (size_t j = 0; j < i; j++)
            if (!same_slope(F, row->a[i], F->sym.q[j], row->a[j], F->sym.q[i])) return false;
    }
    return true;
}

static bool timeless(struct actio_formation *F, const struct row *row)
{
    bool has = !actio_is_identically_zero(&F->pool, row->rest);
    for (size_t i = 0; i < F->n; i++) has |= actio_uses_symbol(&F->pool, row->a[i], F->sym.time);
    return !has;
}

static bool on_all_branches(struct actio_formation *F, const struct row *row,
                            bool (*is)(struct actio_formation *F, const struct row *row))
{
    for (size_t sides = 0; sides < (size_t)1 << row->modes; sides++) {
        struct row branch = branch_of(F, row, sides);
        if (!is(F, &branch)) return false;
    }
    return true;
}

void actio_form_integrable(struct actio_formation *F)
{
    size_t rows = F->sys.levels, plain = 0;
    if (!F->sys.is.switched || F->n > MOST || F->model->field.axes) return;
    bool *integrable = actio_form_array(F, rows, sizeof *integrable);
    for (size_t r = 0; r < rows; r++) {
        struct row row = { .modes = 0 };
        if (!take_row(F, r, &row)) continue;
        list_modes(F, &row);
        plain += on_all_branches(F, &row, timeless);
        integrable[r] = on_all_branches(F, &row, exact);
    }
    for (size_t r = 0; r < rows && plain == rows && rows + 1 == F->n; r++) integrable[r] = true;
    F->sys.integrable = integrable;
}

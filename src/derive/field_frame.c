/* SPDX-License-Identifier: Apache-2.0
 * Frames of fields. A row is algebraic in the velocities at each point; what it is made of else may have derivatives
 * along the axis, and the bracket differentiates these:  [xi, eta] = M*(D(Psi*eta)[Psi*xi] - D(Psi*xi)[Psi*eta]).
 * [SBZB 2.2, 2.16] */
#include "derive/field_frame.h"
#include "derive/square.h"
#include "expr/normal.h"

enum { ROOM = ACTIO_FIELD_ROOM, ORDERS = 12 };

static actio_expr field_frame_plus(struct actio_field_frame *f, actio_expr sum, actio_expr a, actio_expr b)
{
    actio_expr ab = actio_times(f->c->pool, a, b);
    return actio_is_zero(ab) ? sum : actio_add(f->c->pool, sum, ab);
}

static actio_expr shifted(struct actio_field_frame *f, actio_expr symbol, int order)
{
    actio_slot s = actio_slot_of(f->c->pool, symbol);
    s.offset = (int8_t)order;
    return actio_symbol_at(f->c->pool, s);
}

/* ---- rows */

/* Affine in the velocities here, without their derivatives along the axis. */
static bool take_row(struct actio_field_frame *f, size_t a, actio_expr e)
{
    struct actio_continuum *c = f->c;
    actio_expr v[ROOM], none[ROOM] = { { 0 } };
    for (size_t i = 0; i < f->n; i++) v[i] = actio_jet(c->j, ACTIO_SPACE_V, f->field[i], 0);
    if (!actio_linear_in(c->pool, e, v, f->n, &f->M[a * f->n], &f->m0[a])) return false;
    f->m0[a] = actio_tidy(c->d, actio_substitute(c->pool, e, v, none, f->n));
    for (size_t i = 0; i < f->n; i++)
        if (actio_uses(c->pool, f->M[a * f->n + i], ACTIO_SPACE_V)) return false;
    return !actio_uses(c->pool, f->m0[a], ACTIO_SPACE_V);
}

static void name_row(struct actio_field_frame *f, size_t a, const char *name, const char *otherwise)
{
    struct actio_continuum *c = f->c;
    if (otherwise) {
        /* first: the list of names may move */
        uint32_t at = actio_slot_of(c->pool, actio_shown_free(c->d, name, otherwise, "")).index;
        name = c->d->name[at].text;
    }
    f->name[a] = name;
    f->xi[a] = actio_jet_own(c->j, name, f->axis);
}

static bool take_given(struct actio_field_frame *f, size_t *rows)
{
    for (size_t i = 0; i < f->c->m->named.frames; i++) {
        const struct actio_quasi_velocity *u = &f->c->m->named.frame[i];
        if (u->axis != f->axis) continue;
        if (*rows == f->n || !take_row(f, *rows, actio_jet_of(f->c->j, u->e))) return false;
        name_row(f, *rows, u->name, NULL);
        f->given[(*rows)++] = true;
    }
    return true;
}

static bool repeats(struct actio_field_frame *f, size_t row)
{
    bool found = false;
    for (size_t a = 0; a < row; a++)
        found = found || actio_proportional(f->c->pool, &f->M[row * f->n], &f->M[a * f->n], f->n, NULL);
    return found;
}

/* Constraints on the velocities complete the rows. */
static void take_constraints(struct actio_field_frame *f, size_t *rows)
{
    for (size_t k = 0; k < f->c->m->constraints && *rows < f->n; k++) {
        const struct actio_constraint *con = &f->c->m->constraint[k];
        if (con->axis != f->axis || con->kind != ACTIO_VELOCITY || !take_row(f, *rows, f->c->g[k]) || repeats(f, *rows))
            continue;
        name_row(f, *rows, actio_arena_format(&f->c->d->arena, "xi_%s", con->label),
                 actio_arena_format(&f->c->d->arena, "xi_of_%s", con->label));
        (*rows)++;
    }
}

static bool invertible(struct actio_field_frame *f, struct actio_square *s)
{
    s->k = f->n;
    for (size_t i = 0; i < f->n * f->n; i++) s->a[i] = f->M[i];
    if (!actio_square_invertible(f->c->d, s)) return false;
    s->det = actio_reduced(f->c, s->det);
    return !actio_is_zero(s->det);
}

/* One row short in the plane: the direction across it, before it where it is a constraint. */
static void take_across(struct actio_field_frame *f)
{
    size_t row = f->given[0] ? 1 : 0;
    actio_expr across[2] = { actio_tidy(f->c->d, actio_neg(f->c->pool, f->M[1])), f->M[0] };
    if (row == 0) {
        f->M[2] = f->M[0];
        f->M[3] = f->M[1];
        f->m0[1] = f->m0[0];
        f->name[1] = f->name[0];
        f->xi[1] = f->xi[0];
    }
    f->M[2 * row] = across[0];
    f->M[2 * row + 1] = across[1];
    f->m0[row] = (actio_expr){ 0 };
    name_row(f, row, "u", "xi_across");
}

/* Else velocities of fields, chosen so that the rows are independent. */
static bool take_velocities(struct actio_field_frame *f, size_t rows)
{
    for (unsigned set = 0; set < 1u << f->n; set++) {
        struct actio_square s = { .k = 0 };
        size_t a = rows;
        for (size_t i = rows * f->n; i < f->n * f->n; i++) f->M[i] = (actio_expr){ 0 };
        for (size_t i = 0; i < f->n; i++)
            if (set >> i & 1 && a++ < f->n) f->M[(a - 1) * f->n + i] = actio_const(f->c->pool, 1);
        if (a != f->n || !invertible(f, &s)) continue;
        for (size_t i = 0; i < f->n; i++) {
            const char *of = f->c->m->coord[f->field[i]].name;
            if (set >> i & 1)
                name_row(f, rows++, actio_arena_format(&f->c->d->arena, "v_%s", of),
                         actio_arena_format(&f->c->d->arena, "v_of_%s", of));
        }
        return true;
    }
    return false;
}

/* ---- the inverse */

static bool field_frame_invert(struct actio_field_frame *f)
{
    struct actio_continuum *c = f->c;
    struct actio_square s = { .k = 0 };
    if (!invertible(f, &s)) return false;
    for (size_t i = 0; i < f->n; i++)
        for (size_t a = 0; a < f->n; a++) {
            actio_expr e = actio_square_cofactor(c->pool, &s, a, i);
            f->Psi[i * f->n + a] = actio_is_zero(e) ? e : actio_reduced(c, actio_div(c->pool, e, s.det));
        }
    for (size_t i = 0; i < f->n; i++) {
        actio_expr w = { 0 };
        for (size_t a = 0; a < f->n; a++) w = field_frame_plus(f, w, f->Psi[i * f->n + a], f->m0[a]);
        f->v[i] = f->w[i] = actio_is_zero(w) ? w : actio_reduced(c, actio_neg(c->pool, w));
        for (size_t a = 0; a < f->n; a++) f->v[i] = field_frame_plus(f, f->v[i], f->Psi[i * f->n + a], f->xi[a]);
    }
    return true;
}

/* A constraint that is a number times one quasi-velocity keeps it 0. */
static void find_bound(struct actio_field_frame *f, size_t k)
{
    struct actio_continuum *c = f->c;
    actio_expr g = actio_reduced_by_names(c, actio_by_quasi(f, c->g[k]));
    for (size_t a = 0; a < f->n; a++) {
        actio_expr factor = actio_diff(c->pool, g, f->xi[a]);
        bool alone = !actio_is_zero(factor) && actio_is_still(c, actio_tidy(c->d, factor))
                     && actio_is_identically_zero(c->pool, actio_sub(c->pool, g, actio_mul(c->pool, factor, f->xi[a])));
        f->bound[a] = f->bound[a] || alone;
    }
}

const char *actio_field_frame_open(struct actio_continuum *c, uint16_t axis, struct actio_field_frame *f)
{
    size_t rows = 0;
    *f = (struct actio_field_frame){ .c = c, .axis = axis };
    for (uint32_t i = 0; i < c->m->coords; i++) {
        if (c->m->coord[i].axis != axis) continue;
        if (f->n == ROOM) return "the axis has more than 3 fields";
        f->field[f->n++] = i;
    }
    if (!take_given(f, &rows))
        return "a quasi-velocity uses more than the velocities at its own point, or there are more quasi-velocities "
               "than fields";
    take_constraints(f, &rows);
    if (rows == 1 && f->n == 2) take_across(f);
    else if (rows < f->n && !take_velocities(f, rows))
        return "the quasi-velocities and constraints depend on each other";
    if (!field_frame_invert(f)) return "the quasi-velocities depend on each other";
    for (size_t k = 0; k < c->m->constraints; k++)
        if (c->m->constraint[k].axis == axis && c->m->constraint[k].kind == ACTIO_VELOCITY) find_bound(f, k);
    return NULL;
}

/* ---- formulas by quasi-velocities */

/* Replaces all symbols of one space of the fields here, as many derivatives as there may be. */
static actio_expr replaced(struct actio_field_frame *f, actio_expr e, enum actio_space space, const actio_expr *by)
{
    struct actio_continuum *c = f->c;
    actio_expr from[ROOM * ORDERS], to[ROOM * ORDERS];
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        actio_expr now = by[i];
        for (int k = 0; k < ORDERS; k++) {
            actio_expr symbol = actio_jet(c->j, space, f->field[i], k);
            if (k > 2 * c->K + 2) break;
            from[n] = symbol;
            to[n++] = now;
            now = actio_jet_next(c->j, now, f->axis);
        }
    }
    return actio_substitute(c->pool, e, from, to, n);
}

actio_expr actio_by_quasi(struct actio_field_frame *f, actio_expr e)
{
    actio_expr a[ROOM];
    if (actio_uses(f->c->pool, e, ACTIO_SPACE_ACC)) {
        for (size_t i = 0; i < f->n; i++) a[i] = actio_jet_rate(f->c->j, f->v[i]);
        e = replaced(f, e, ACTIO_SPACE_ACC, a);
    }
    return actio_uses(f->c->pool, e, ACTIO_SPACE_V) ? replaced(f, e, ACTIO_SPACE_V, f->v) : e;
}

actio_expr actio_on_constraints(struct actio_field_frame *f, actio_expr e)
{
    struct actio_continuum *c = f->c;
    actio_expr none = { 0 };
    for (size_t a = 0; a < f->n; a++)
        for (int k = 0; f->bound[a] && k < ORDERS; k++) {
            actio_slot s = actio_slot_of(c->pool, shifted(f, f->xi[a], k));
            actio_expr xi = actio_symbol_at(c->pool, s);
            s.space = ACTIO_SPACE_SDOT;
            actio_expr rate = actio_symbol_at(c->pool, s);
            e = actio_substitute(c->pool, e, &xi, &none, 1);
            e = actio_substitute(c->pool, e, &rate, &none, 1);
        }
    return actio_reduced_by_names(c, e);
}

actio_expr actio_varied(struct actio_field_frame *f, actio_expr e, actio_expr symbol)
{
    actio_expr sum = { 0 };
    for (int k = ORDERS; k-- > 0;) {
        if (!actio_is_zero(sum)) sum = actio_neg(f->c->pool, actio_jet_next(f->c->j, sum, f->axis));
        sum = actio_add(f->c->pool, sum, actio_diff(f->c->pool, e, shifted(f, symbol, k)));
    }
    return sum;
}

/* ---- the bracket */

/* The derivative of e, made of the fields here, along a change of them. */
static actio_expr derivative(struct actio_field_frame *f, actio_expr e, const actio_expr *change)
{
    actio_expr sum = { 0 };
    for (size_t i = 0; i < f->n; i++) {
        actio_expr now = change[i];
        for (int k = 0; k <= f->c->K + 1; k++) {
            sum = field_frame_plus(f, sum, actio_diff(f->c->pool, e, actio_jet(f->c->j, ACTIO_SPACE_Q, f->field[i], k)),
                                   now);
            now = actio_jet_next(f->c->j, now, f->axis);
        }
    }
    return sum;
}

void actio_field_bracket(struct actio_field_frame *f)
{
    struct actio_continuum *c = f->c;
    actio_expr change[ROOM] = { { 0 } }, by[ROOM], time = actio_symbol(c->pool, ACTIO_SPACE_T, 0);
    for (size_t a = 0; a < f->n; a++) {
        const char *name = actio_arena_format(&c->d->arena, "eta_%s", f->name[a]);
        f->eta[a] = actio_jet_own(c->j, name, f->axis);
    }
    for (size_t i = 0; i < f->n; i++)
        for (size_t a = 0; a < f->n; a++) change[i] = field_frame_plus(f, change[i], f->Psi[i * f->n + a], f->eta[a]);
    for (size_t i = 0; i < f->n; i++) {
        by[i] = actio_sub(c->pool, derivative(f, change[i], f->v), derivative(f, f->v[i], change));
        by[i] = actio_add(c->pool, by[i], actio_diff(c->pool, change[i], time));
    }
    for (size_t a = 0; a < f->n; a++) {
        actio_expr sum = { 0 };
        for (size_t i = 0; i < f->n; i++) sum = field_frame_plus(f, sum, f->M[a * f->n + i], by[i]);
        f->bracket[a] = actio_reduced_by_names(c, sum);
    }
}

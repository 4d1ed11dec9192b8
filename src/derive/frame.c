/* SPDX-License-Identifier: Apache-2.0
 * Quasi-velocities shown: xi = M q' + m0, its inverse, and the brackets of the fields that belong to them, all on
 * formulas. The inverse is made of minors over its determinant, so that a rotation's is its transpose and nothing is
 * divided by on the way.
 * [HAMEL A.1] */
#include "algebra/dense.h"
#include "derive/framing.h"
#include "derive/square.h"
#include "expr/normal.h"

#include <string.h>

enum { ROOM = ACTIO_FRAMING_ROOM, SHORT = 120 }; /* operations of a formula worth reading */

static struct actio_pool *frame_pool_of(struct actio_framing *f) { return &f->d->F->pool; }
static actio_expr frame_tidy(struct actio_framing *f, actio_expr e) { return actio_tidy(f->d, e); }

static actio_expr frame_plus(struct actio_framing *f, actio_expr sum, actio_expr a, actio_expr b)
{
    actio_expr ab = actio_times(frame_pool_of(f), a, b);
    return actio_is_zero(ab) ? sum : actio_add(frame_pool_of(f), sum, ab);
}

/* ---- rows with their names */

static void name_field(struct actio_framing *f, struct actio_framing_row *row, const char *name)
{
    row->field = actio_shown_indexed(f->d, "e", "e", name);
    row->text = f->d->name[f->d->names - 1].text;
    row->latex = f->d->name[f->d->names - 1].latex;
}

/* A quasi-velocity of the model, as it was written. */
static struct actio_framing_row given_row(struct actio_framing *f, uint32_t index)
{
    struct actio_formation *F = f->d->F;
    const struct actio_quasi_velocity *u = &f->d->model->named.frame[index];
    struct actio_framing_row row = { .coef = actio_form_array(F, F->n, sizeof(actio_expr)) };
    struct actio_text latex;
    actio_expr e;
    actio_copy_all(&F->pool, &F->model->pool, &u->e, 1, &e);
    actio_gradient(&F->pool, e, F->sym.v, F->n, row.coef);
    row.rest = actio_substitute(&F->pool, e, F->sym.v, actio_form_array(F, F->n, sizeof(actio_expr)), F->n);
    actio_text_open(&latex, &f->d->arena);
    actio_latex_name(u->name, &latex);
    row.name = actio_shown_symbol(f->d, u->name, latex.s);
    row.of = u->name;
    name_field(f, &row, u->name);
    return row;
}

static struct actio_framing_row constraint_row(struct actio_framing *f, const struct actio_frame_row *from)
{
    const char *label = f->d->model->constraint[from->index].label;
    struct actio_framing_row row = {
        .coef = from->coef, .rest = from->rest, .name = actio_shown_indexed(f->d, "xi", "\\xi", label), .of = label
    };
    name_field(f, &row, label);
    return row;
}

static struct actio_framing_row coordinate_row(struct actio_framing *f, size_t k)
{
    struct actio_framing_row row = { .coef = actio_form_array(f->d->F, f->n, sizeof(actio_expr)),
                                     .name = f->d->F->sym.v[k],
                                     .rate = f->d->F->sym.acc[k],
                                     .of = f->d->model->coord[k].name };
    row.coef[k] = actio_const(frame_pool_of(f), 1);
    name_field(f, &row, f->d->model->coord[k].name);
    return row;
}

/* Coordinates whose velocities complete the rows: those without a pivot at the start. */
static void find_free(struct actio_framing *f, size_t rows, bool *is_free)
{
    struct actio_formation *F = f->d->F;
    double a[ROOM * ROOM], tau[ROOM], work[3 * ROOM];
    int pivot[ROOM];
    size_t m = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (F->frame[i].kind == ACTIO_FRAME_AUTOMATIC) continue;
        for (size_t k = 0; k < f->n; k++)
            a[m * f->n + k] = actio_value_of(&F->pool, F->frame[i].coef[k], actio_start_value, F->model);
        m++;
    }
    actio_qrcp(m, f->n, a, tau, pivot, 1e-9, work);
    for (size_t k = rows; k < f->n; k++) is_free[pivot[k]] = true;
}

static void name_rows(struct actio_framing *f)
{
    const struct actio_frame *frame = f->d->F->sys.frame;
    bool is_free[ROOM] = { false };
    if (frame->automatic) find_free(f, f->n - frame->automatic, is_free);
    for (size_t i = 0, next = 0; i < f->n; i++) {
        const struct actio_frame_row *from = &f->d->F->frame[i];
        if (from->kind == ACTIO_FRAME_GIVEN) f->row[i] = given_row(f, from->index);
        else if (from->kind == ACTIO_FRAME_CONSTRAINT)
            f->row[i] = from->alias ? given_row(f, from->alias - 1) : constraint_row(f, from);
        else {
            while (!is_free[next]) next++;
            f->row[i] = coordinate_row(f, next++);
        }
    }
}

/* ---- the inverse */

static size_t bits(unsigned S)
{
    size_t count = 0;
    for (; S; S &= S - 1) count++;
    return count;
}

/* Determinants of the rows but one, on every set of as many columns: minor[S] of the first |S| of them, by its last
 * row. */
static void find_minors(struct actio_framing *f, size_t without, actio_expr *minor)
{
    struct actio_pool *pool = frame_pool_of(f);
    minor[0] = actio_const(pool, 1);
    for (unsigned S = 1; S < 1u << f->n; S++) {
        size_t size = bits(S), row = size - 1 + (size - 1 >= without), place = 0;
        actio_expr sum = { 0 };
        minor[S] = sum;
        if (size == f->n) continue;
        for (size_t c = 0; c < f->n; c++) {
            if (!(S >> c & 1)) continue;
            actio_expr term = actio_times(pool, f->row[row].coef[c], minor[S & ~(1u << c)]);
            if (!actio_is_zero(term))
                sum = (size - 1 + place) % 2 ? actio_sub(pool, sum, term) : actio_add(pool, sum, term);
            place++;
        }
        minor[S] = frame_tidy(f, sum);
    }
}

static bool frame_invert(struct actio_framing *f)
{
    struct actio_pool *pool = frame_pool_of(f);
    actio_expr minor[1 << ROOM], det = { 0 };
    unsigned all = (1u << f->n) - 1;
    for (size_t a = 0; a < f->n; a++) {
        find_minors(f, a, minor);
        for (size_t k = 0; k < f->n; k++) {
            actio_expr e = minor[all & ~(1u << k)];
            f->Psi[k * f->n + a] = (a + k) % 2 && !actio_is_zero(e) ? actio_neg(pool, e) : e;
        }
    }
    for (size_t k = 0; k < f->n; k++) det = frame_plus(f, det, f->row[0].coef[k], f->Psi[k * f->n]);
    det = frame_tidy(f, det);
    if (actio_is_zero(det)) return false;
    for (size_t i = 0; i < f->n * f->n; i++)
        if (!actio_is_zero(f->Psi[i])) f->Psi[i] = frame_tidy(f, actio_div(pool, f->Psi[i], det));
    for (size_t k = 0; k < f->n; k++) {
        for (size_t a = 0; a < f->n; a++) f->w[k] = frame_plus(f, f->w[k], f->Psi[k * f->n + a], f->row[a].rest);
        f->w[k] = frame_tidy(f, actio_neg(pool, f->w[k]));
    }
    return true;
}

/* ---- sections */

static void say_too_long(struct actio_derivation *d, size_t count, const char *what)
{
    if (count) actio_shown_words(d, actio_arena_format(&d->arena, "%zu more %s, too long to display", count, what));
}

static void show_row(struct actio_derivation *d, const struct actio_framing_row *row)
{
    struct actio_formation *F = d->F;
    actio_expr sum = row->rest;
    for (size_t k = 0; k < F->n; k++)
        if (!actio_is_zero(row->coef[k]))
            sum = actio_add(&F->pool, sum, actio_mul(&F->pool, row->coef[k], F->sym.v[k]));
    actio_shown_equation(d, NULL, row->name, actio_group(&F->pool, actio_tidy_in(d, sum, F->sym.v, F->n)));
}

static void show_inverse(struct actio_framing *f)
{
    struct actio_derivation *d = f->d;
    actio_expr xi[ROOM];
    size_t too_long = 0;
    actio_shown_section(d, "velocities", "Velocities by quasi-velocities", "", "");
    for (size_t a = 0; a < f->n; a++) xi[a] = f->row[a].name;
    for (size_t k = 0; k < f->n; k++) {
        actio_expr sum = f->w[k];
        for (size_t a = 0; a < f->n; a++) sum = frame_plus(f, sum, f->Psi[k * f->n + a], xi[a]);
        sum = actio_group(frame_pool_of(f), actio_tidy_in(d, sum, xi, f->n));
        if (actio_same(sum, d->F->sym.v[k])) continue;
        if (actio_tidy_size(d, sum) <= SHORT) actio_shown_equation(d, NULL, d->F->sym.v[k], sum);
        else too_long++;
    }
    say_too_long(d, too_long, too_long == 1 ? "velocity" : "velocities");
}

/* B_kl = dM_ak/dq_l - dM_al/dq_k */
static bool curl(struct actio_framing *f, size_t a, actio_expr *B)
{
    struct actio_pool *pool = frame_pool_of(f);
    bool any = false;
    for (size_t k = 0; k < f->n; k++)
        for (size_t l = 0; l < f->n; l++) {
            const actio_expr *q = f->d->F->sym.q;
            B[k * f->n + l] = k == l ? (actio_expr){ 0 }
                                     : frame_tidy(f, actio_sub(pool, actio_diff(pool, f->row[a].coef[k], q[l]),
                                                               actio_diff(pool, f->row[a].coef[l], q[k])));
            any = any || !actio_is_zero(B[k * f->n + l]);
        }
    return any;
}

/* c^a_ij = sum_kl B_kl Psi_ki Psi_lj; with time: c^a_0j = sum_l (sum_k w_k B_kl + dm0_a/dq_l - dM_al/dt) Psi_lj */
static void find_pairs(struct actio_framing *f, size_t a, const actio_expr *B, struct actio_brackets *c)
{
    for (size_t j = 0; j < f->n; j++) {
        actio_expr along[ROOM] = { { 0 } };
        for (size_t k = 0; k < f->n; k++) {
            for (size_t l = 0; l < f->n; l++) along[k] = frame_plus(f, along[k], B[k * f->n + l], f->Psi[l * f->n + j]);
            along[k] = frame_tidy(f, along[k]);
        }
        for (size_t i = 0; i < j; i++) {
            actio_expr sum = { 0 };
            for (size_t k = 0; k < f->n; k++) sum = frame_plus(f, sum, f->Psi[k * f->n + i], along[k]);
            c->pair[i][j][a] = frame_tidy(f, sum);
        }
    }
}

static void find_with_time(struct actio_framing *f, size_t a, const actio_expr *B, struct actio_brackets *c)
{
    struct actio_pool *pool = frame_pool_of(f);
    struct actio_formation *F = f->d->F;
    actio_expr row[ROOM];
    for (size_t l = 0; l < f->n; l++) {
        row[l] = actio_sub(pool, actio_diff(pool, f->row[a].rest, F->sym.q[l]),
                           actio_diff(pool, f->row[a].coef[l], F->sym.time));
        for (size_t k = 0; k < f->n; k++) row[l] = frame_plus(f, row[l], f->w[k], B[k * f->n + l]);
        row[l] = frame_tidy(f, row[l]);
    }
    for (size_t j = 0; j < f->n; j++) {
        actio_expr sum = { 0 };
        for (size_t l = 0; l < f->n; l++) sum = frame_plus(f, sum, row[l], f->Psi[l * f->n + j]);
        c->time[j][a] = frame_tidy(f, sum);
    }
}

/* One bracket as a line, unless it is 0 or too long: 0, or 1 for one that is left out. */
static size_t show_bracket(struct actio_framing *f, const char *text, const char *latex, size_t j, const actio_expr *c)
{
    struct actio_derivation *d = f->d;
    actio_expr sum = { 0 };
    for (size_t a = 0; a < f->n; a++) sum = frame_plus(f, sum, c[a], f->row[a].field);
    if (actio_is_zero(sum)) return 0;
    if (actio_tidy_size(d, sum) > SHORT) return 1;
    const char *name = actio_arena_format(&d->arena, "[%s, %s]", text, f->row[j].text),
               *in_latex = actio_arena_format(&d->arena, "\\left[%s, %s\\right]", latex, f->row[j].latex);
    actio_shown_equation(d, NULL, actio_shown_symbol(d, name, in_latex), actio_group(frame_pool_of(f), sum));
    d->section[d->filling].item[d->section[d->filling].items - 1].is_comment = true;
    return 0;
}

static void show_brackets(struct actio_framing *f)
{
    struct actio_derivation *d = f->d;
    struct actio_brackets *c = f->bracket = actio_form_array(d->F, 1, sizeof *c);
    actio_expr B[ROOM * ROOM];
    size_t too_long = 0;
    actio_shown_section(d, "brackets", "Brackets", "of the vector fields e in q' = sum of xi*e; those not shown are 0",
                        "\\dot{q} = \\textstyle\\sum_i \\xi_i \\, e_i, \\quad [e_i, e_j] = c^a_{ij} \\, e_a; \\quad "
                        "\\text{those not shown are 0}");
    for (size_t a = 0; a < f->n; a++) {
        if (curl(f, a, B)) find_pairs(f, a, B, c);
        find_with_time(f, a, B, c);
    }
    for (size_t i = 0; i < f->n; i++)
        for (size_t j = i + 1; j < f->n; j++)
            too_long += show_bracket(f, f->row[i].text, f->row[i].latex, j, c->pair[i][j]);
    size_t plain = d->section[d->filling].items + too_long;
    for (size_t j = 0; j < f->n; j++) too_long += show_bracket(f, "e_0", "e_0", j, c->time[j]);
    if (d->section[d->filling].items + too_long > plain)
        actio_shown_words(d, "e_0: the explicit change with time, with all quasi-velocities 0");
    if (d->section[d->filling].items + too_long == 0) actio_shown_words(d, "all brackets vanish");
    say_too_long(d, too_long, too_long == 1 ? "bracket" : "brackets");
}

static bool has_unnamed_constraint(const struct actio_framing *f)
{
    bool found = false;
    for (size_t a = 0; a < f->n; a++)
        found = found || (f->d->F->frame[a].kind == ACTIO_FRAME_CONSTRAINT && !f->d->F->frame[a].alias);
    return found;
}

static void show_frame(struct actio_framing *f, bool brackets)
{
    struct actio_derivation *d = f->d;
    name_rows(f);
    for (size_t a = 0; a < f->n; a++)
        if (d->F->frame[a].kind != ACTIO_FRAME_AUTOMATIC) show_row(d, &f->row[a]);
    if (has_unnamed_constraint(f))
        actio_shown_words(d, "the xi of a constraint is its left side minus its right side, or the rate of that if "
                             "holonomic; it stays 0");
    if (!frame_invert(f)) return;
    show_inverse(f);
    if (brackets) show_brackets(f);
    d->framing = f;
}

/* A frame that is not for paper: the quasi-velocities themselves. */
void actio_derive_whole_frame(struct actio_derivation *d)
{
    struct actio_framing *f = actio_form_array(d->F, 1, sizeof *f);
    *f = (struct actio_framing){ .d = d, .n = d->F->n };
    actio_form_frame(d->F, 0, NULL); /* of formulas without modes */
    const char *why = d->F->sys.frame->why_not;
    if (!why && f->n <= ROOM) {
        show_frame(f, true);
        return;
    }
    for (uint32_t i = 0; i < d->model->named.frames; i++) {
        struct actio_framing_row row = given_row(f, i);
        show_row(d, &row);
    }
    actio_shown_words(d, why ? actio_arena_format(&d->arena, "brackets are not shown: %s", why)
                             : "brackets are not shown: the model has more than 6 coordinates");
}

bool actio_derive_bare_frame(struct actio_derivation *d)
{
    struct actio_framing *f = actio_form_array(d->F, 1, sizeof *f);
    *f = (struct actio_framing){ .d = d, .n = d->F->n };
    actio_form_frame(d->F, 0, NULL);
    if (d->F->sys.frame->why_not || d->F->sys.frame->kept < d->F->p || f->n > ROOM) return false;
    show_frame(f, false);
    return d->framing != NULL;
}

void actio_derive_frame(struct actio_derivation *d)
{
    if (d->model->named.frames) actio_derive_whole_frame(d);
}

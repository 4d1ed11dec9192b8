/* SPDX-License-Identifier: Apache-2.0
 * The frame of Hamel's equations: xi = M(q, t) q' + m0(q, t). Its rows are the model's quasi-velocities, rows of
 * constants where these are too few, and last the constraints, so that the last components of xi vanish along the
 * motion.  [HAMEL A.1, A.3] */
#include "algebra/dense.h"
#include "equations/formation.h"
#include "expr/normal.h"

#include <math.h>
#include <string.h>

/* coordinates of a frame: its derivatives are n^3 numbers; of rows that are compared */
enum { MOST = 100, LOOKED_AT = 400 };
#define DEPENDENT 1e-9 /* what is left of a row, relative to its length, once the others are taken out */

/* Rows that may stand in the frame: of constraints, then of quasi-velocities, with their numbers at one state. */
struct candidate {
    actio_expr *coef, rest;
    double *number;
    uint32_t index; /* constraint, quasi-velocity */
    bool kept;      /* independent of those before it */
    uint32_t alias; /* of a constraint: 1 + the quasi-velocity that has its row */
};
struct choosing {
    struct actio_formation *F;
    double t; /* y NULL: the model's start data */
    const double *y;
    struct candidate *row;
    size_t rows, constraints;
    double *basis; /* orthonormal rows of those that are kept */
    size_t rank;
};

static double frame_value_at(void *user, actio_slot slot)
{
    const struct choosing *c = user;
    if (!c->y) return actio_start_value(c->F->model, slot);
    switch (slot.space) {
    case ACTIO_SPACE_T: return c->t;
    case ACTIO_SPACE_Q: return c->y[slot.index];
    case ACTIO_SPACE_V: return c->y[c->F->n + slot.index];
    case ACTIO_SPACE_STATE: return c->y[2 * c->F->n + slot.index];
    default: return actio_start_value(c->F->model, slot);
    }
}

/* ---- the rows that there are */

static actio_expr at_rest(struct actio_formation *F, actio_expr e)
{
    return actio_substitute(&F->pool, e, F->sym.v, actio_form_array(F, F->n, sizeof(actio_expr)), F->n);
}

static void add_constraints(struct choosing *c)
{
    struct actio_formation *F = c->F;
    for (size_t r = 0; r < F->sys.levels; r++) {
        uint32_t k = F->sys.velocity_row[r];
        struct candidate *row = &c->row[c->rows++];
        *row = (struct candidate){ .coef = actio_form_array(F, F->n, sizeof(actio_expr)), .index = k };
        for (size_t i = 0; i < F->A.count; i++)
            if (F->A.at[i].row == k && F->A.at[i].col < F->n) row->coef[F->A.at[i].col] = F->A.at[i].e;
        row->rest = at_rest(F, F->phi[r]);
    }
    c->constraints = c->rows;
}

static void add_quasi_velocities(struct choosing *c)
{
    struct actio_formation *F = c->F;
    for (uint32_t i = 0; i < F->model->named.frames; i++) {
        actio_expr e;
        struct candidate *row = &c->row[c->rows++];
        actio_copy_all(&F->pool, &F->model->pool, &F->model->named.frame[i].e, 1, &e);
        *row = (struct candidate){ .coef = actio_form_array(F, F->n, sizeof(actio_expr)), .index = i };
        actio_gradient(&F->pool, e, F->sym.v, F->n, row->coef);
        row->rest = at_rest(F, e);
    }
}

static bool find_numbers(struct choosing *c)
{
    size_t n = c->F->n;
    bool finite = true;
    for (size_t i = 0; i < c->rows; i++) {
        c->row[i].number = actio_form_array(c->F, n, sizeof(double));
        for (size_t k = 0; k < n; k++) {
            double x = actio_is_zero(c->row[i].coef[k])
                           ? 0
                           : actio_value_of(&c->F->pool, c->row[i].coef[k], frame_value_at, c);
            c->row[i].number[k] = x;
            finite = finite && isfinite(x);
        }
    }
    return finite;
}

/* ---- which of them are independent */

static bool frame_take(struct choosing *c, const double *x)
{
    size_t n = c->F->n;
    double *left = c->basis + c->rank * n, length = actio_norm(n, x);
    if (!(length > 0)) return false;
    for (size_t k = 0; k < n; k++) left[k] = x[k] / length;
    for (int twice = 0; twice < 2; twice++)
        for (size_t b = 0; b < c->rank; b++) {
            double s = actio_dot(n, c->basis + b * n, left);
            for (size_t k = 0; k < n; k++) left[k] -= s * c->basis[b * n + k];
        }
    length = actio_norm(n, left);
    if (!(length > DEPENDENT)) return false;
    for (size_t k = 0; k < n; k++) left[k] /= length;
    c->rank++;
    return true;
}

/* The constraint whose row this is, up to a factor. */
static struct candidate *constraint_of(struct choosing *c, const struct candidate *u)
{
    for (size_t k = 0; k < c->constraints; k++)
        if (actio_proportional(&c->F->pool, u->coef, c->row[k].coef, c->F->n, NULL)) return &c->row[k];
    return NULL;
}

/* The first quasi-velocity that depends on what is before it; NULL when all is well. Constraints that do are redundant,
 * and left out. */
static struct candidate *frame_choose(struct choosing *c)
{
    c->basis = actio_form_array(c->F, (c->F->n + 1) * c->F->n, sizeof *c->basis);
    for (size_t i = 0; i < c->rows; i++) {
        struct candidate *row = &c->row[i];
        row->kept = frame_take(c, row->number);
        if (row->kept || i < c->constraints) continue;
        struct candidate *same = constraint_of(c, row);
        if (!same || same->alias) return row;
        same->alias = row->index + 1;
    }
    return NULL;
}

static const char *frame_name_of(const struct choosing *c, size_t row)
{
    bool constraint = row < c->constraints;
    const char *name =
        constraint ? c->F->sys.constraint[c->row[row].index] : c->F->model->named.frame[c->row[row].index].name;
    return actio_arena_format(&c->F->arena, constraint ? "constraint '%s'" : "'%s'", name);
}

/* "'v' and constraint 'blade'": the rows that a dependent one is made of, "" for one that vanishes. */
static const char *relation(struct choosing *c, const struct candidate *dependent)
{
    struct actio_formation *F = c->F;
    const struct candidate *same = constraint_of(c, dependent);
    if (same && same->alias) return frame_name_of(c, c->constraints + same->alias - 1);
    size_t n = F->n, *of = actio_form_array(F, c->rows, sizeof *of), count = 0, named = 0;
    for (size_t i = 0; &c->row[i] != dependent; i++)
        if (c->row[i].kept) of[count++] = i;
    if (count == 0) return "";
    double *a = actio_form_array(F, n * count, sizeof *a), *x = actio_form_array(F, count, sizeof *x), defect;
    for (size_t j = 0; j < count; j++)
        for (size_t k = 0; k < n; k++) a[k * count + j] = c->row[of[j]].number[k];
    actio_min_norm(n, count, a, dependent->number, 1e-12, x, &defect,
                   actio_form_array(F, actio_rank_work(n, count), sizeof *a),
                   actio_form_array(F, n + count, sizeof(int)));
    for (size_t j = 0; j < count; j++)
        if (fabs(x[j]) * actio_norm(n, c->row[of[j]].number) > DEPENDENT * actio_norm(n, dependent->number))
            of[named++] = of[j];
    struct actio_text t;
    actio_text_open(&t, &F->arena);
    for (size_t j = 0; j < named; j++)
        actio_text_format(&t, "%s%s", j == 0 ? "" : j + 1 == named ? " and " : ", ", frame_name_of(c, of[j]));
    return t.s;
}

static struct choosing frame_begin(struct actio_formation *F, double t, const double *y)
{
    struct choosing c = {
        .F = F, .t = t, .y = y, .row = actio_form_array(F, F->sys.levels + F->model->named.frames, sizeof *c.row)
    };
    add_constraints(&c);
    add_quasi_velocities(&c);
    return c;
}

static bool has_data(const struct actio_model *m)
{
    bool given = m->time.given;
    for (size_t i = 0; i < m->coords; i++) given = given || m->coord[i].start_given || m->coord[i].start_dot_given;
    return given;
}

void actio_check_frame(struct actio_formation *F)
{
    struct actio_model *m = F->model;
    if (m->named.frames == 0 || F->n > LOOKED_AT || !has_data(m)) return;
    struct choosing c = frame_begin(F, 0, NULL);
    struct candidate *bad = find_numbers(&c) ? frame_choose(&c) : NULL;
    if (!bad) return;
    const struct actio_quasi_velocity *u = &m->named.frame[bad->index];
    const char *of = relation(&c, bad);
    if (F->sys.ctx->findings)
        actio_report_at(F->sys.ctx->findings, *of ? ACTIO_F_FRAME_DEPENDENT : ACTIO_F_FRAME_VANISHES, &m->source,
                        u->span, ACTIO_ARGS(ACTIO_TEXT(u->name), ACTIO_TEXT(of)));
    actio_escape(F->sys.ctx);
}

/* ---- can the constraints be rows of a frame? */

static const char *about(struct actio_formation *F, const char *before, const char *name, const char *after)
{
    return actio_arena_format(&F->arena, "%s '%s' %s", before, name, after);
}

static const char *refuse_constraint(struct actio_formation *F, size_t k)
{
    const struct actio_constraint *g = &F->model->constraint[k];
    if (g->kind == ACTIO_ACCELERATION) return about(F, "constraint", g->label, "restricts accelerations");
    if (g->rule != ACTIO_IDEAL) return about(F, "the reaction of constraint", g->label, "is not ideal");
    if (actio_uses(&F->pool, F->g[k], ACTIO_SPACE_STATE)) return about(F, "constraint", g->label, "contains a state");
    return NULL;
}

/* A switch that moves would change the frame in the middle of a step. */
static bool is_switched(struct actio_formation *F, const struct candidate *row)
{
    actio_expr rest[1] = { row->rest };
    bool found = false;
    for (int part = 0; part < 2 && !found; part++) {
        struct actio_cone cone = actio_cone_of(&F->pool, part ? rest : row->coef, part ? 1 : F->n);
        for (uint32_t i = 0; i < cone.count; i++) {
            const struct actio_node *n = &F->pool.node[cone.id[i]];
            bool kink = n->op == ACTIO_ABS || n->op == ACTIO_SIGN || n->op == ACTIO_MIN || n->op == ACTIO_MAX
                        || n->op == ACTIO_LT || n->op == ACTIO_LE || n->op == ACTIO_FLOOR || n->op == ACTIO_MOD;
            found = found || (kink && n->level >= ACTIO_LV_TIME);
        }
    }
    return found;
}

static const char *frame_refuse(struct choosing *c)
{
    struct actio_formation *F = c->F;
    const char *why = NULL;
    if (F->n == 0) return "there are no coordinates";
    if (F->n > MOST) return actio_arena_format(&F->arena, "there are more than %d coordinates", (int)MOST);
    if (F->sys.hidden) return "hidden constraints follow from the equations of motion";
    for (size_t k = 0; k < F->p && !why; k++) why = refuse_constraint(F, k);
    for (size_t r = 0; r < F->sys.levels && !why; r++) {
        int degree = actio_degree_in(&F->pool, F->phi[r], F->sym.v, F->n);
        if (degree != 0 && degree != 1)
            why = about(F, "constraint", F->sys.constraint[F->sys.velocity_row[r]], "is not affine in the velocities");
    }
    for (size_t i = c->constraints; i < c->rows && !why; i++)
        if (is_switched(F, &c->row[i]))
            why = about(F, "the quasi-velocity", F->model->named.frame[c->row[i].index].name,
                        "contains a switch (abs, sign, min, max or if)");
    return why;
}

static const char *refuse_numbers(struct choosing *c)
{
    if (!find_numbers(c)) return "the rows of the frame are not finite there";
    struct candidate *bad = frame_choose(c);
    if (!bad) return NULL;
    const char *name = c->F->model->named.frame[bad->index].name, *of = relation(c, bad);
    return *of ? actio_arena_format(&c->F->arena, "the quasi-velocity '%s' depends on %s there", name, of)
               : about(c->F, "the quasi-velocity", name, "vanishes there");
}

/* ---- the frame */

static void add_row(struct actio_formation *F, size_t at, enum actio_frame_kind kind, const struct candidate *from)
{
    F->frame[at] = (struct actio_frame_row){ kind, from->index, from->alias, from->coef, from->rest };
}

static void add_automatic(struct actio_formation *F, size_t at, size_t number)
{
    actio_expr *coef = actio_form_array(F, F->n, sizeof *coef);
    for (size_t k = 0; k < F->n; k++)
        coef[k] = actio_symbol(&F->pool, ACTIO_SPACE_HIDDEN, (uint32_t)(number * F->n + k));
    F->frame[at] = (struct actio_frame_row){ ACTIO_FRAME_AUTOMATIC, (uint32_t)number, 0, coef, { 0 } };
}

static void frame_fill(struct choosing *c, struct actio_frame *frame)
{
    struct actio_formation *F = c->F;
    uint32_t *given = actio_form_array(F, F->n, sizeof *given),
             *constraint = actio_form_array(F, F->n, sizeof *constraint);
    size_t at = 0;
    F->frame = actio_form_array(F, F->n, sizeof *F->frame);
    for (size_t i = c->constraints; i < c->rows; i++)
        if (c->row[i].kept) {
            given[frame->given++] = c->row[i].index;
            add_row(F, at++, ACTIO_FRAME_GIVEN, &c->row[i]);
        }
    for (frame->automatic = F->n - c->rank; at < frame->given + frame->automatic; at++)
        add_automatic(F, at, at - frame->given);
    for (size_t i = 0; i < c->constraints; i++)
        if (c->row[i].kept) {
            constraint[frame->kept++] = c->row[i].index;
            add_row(F, at++, ACTIO_FRAME_CONSTRAINT, &c->row[i]);
        }
    frame->quasi_velocity = given;
    frame->constraint = constraint;
    frame->hidden = frame->automatic * F->n;
}

void actio_form_frame(struct actio_formation *F, double t, const double *y)
{
    struct choosing c = frame_begin(F, t, y);
    struct actio_frame *frame = actio_form_array(F, 1, sizeof *frame);
    frame->why_not = frame_refuse(&c);
    if (!frame->why_not) frame->why_not = refuse_numbers(&c);
    if (!frame->why_not) frame_fill(&c, frame);
    F->sys.frame = frame;
}

struct request {
    struct actio_formation *F;
    double t;
    const double *y;
};

static void form(void *user)
{
    struct request *r = user;
    actio_form_frame(r->F, r->t, r->y);
}

const struct actio_frame *actio_system_frame(struct actio_system *sys, double t, const double *y)
{
    if (!sys->frame && actio_attempt(sys->ctx, form, &(struct request){ sys->formation, t, y })) return NULL;
    return sys->frame;
}

/* ---- the quantity */

/* Derivatives of count formulas by l symbols, dense: out[l][i]. */
static void put_slopes(struct actio_formation *F, const actio_expr *f, size_t count, const actio_expr *by,
                       size_t symbols, actio_expr *out)
{
    struct actio_entries J = { 0 };
    actio_jacobian(&F->pool, f, count, by, symbols, &J);
    for (size_t e = 0; e < J.count; e++) out[J.at[e].col * count + J.at[e].row] = J.at[e].e;
}

size_t actio_list_frame(struct actio_formation *F, actio_expr **out)
{
    size_t n = F->n, count = n * n * n + 3 * n * n + 4 * n;
    if (!F->sys.frame) actio_form_frame(F, 0, NULL);
    if (F->sys.frame->why_not) return 0;
    actio_expr *M = *out = actio_form_array(F, count, sizeof **out), *m0 = M + n * n, *M_q = m0 + n,
               *m0_q = M_q + n * n * n, *M_t = m0_q + n * n, *m0_t = M_t + n * n;
    for (size_t a = 0; a < n; a++) {
        memcpy(M + a * n, F->frame[a].coef, n * sizeof *M);
        m0[a] = F->frame[a].rest;
    }
    put_slopes(F, M, n * n, F->sym.q, n, M_q);
    put_slopes(F, m0, n, F->sym.q, n, m0_q);
    put_slopes(F, M, n * n, &F->sym.time, 1, M_t);
    put_slopes(F, m0, n, &F->sym.time, 1, m0_t);
    memcpy(m0_t + n, F->Lv, n * sizeof *M);
    memcpy(m0_t + 2 * n, F->Lq, n * sizeof *M);
    return count;
}

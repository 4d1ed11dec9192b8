/* SPDX-License-Identifier: Apache-2.0
 * Hidden constraints by iterated closure [HAMEL F.2]: eliminate z' and lambda from the equations; what is left over without them must vanish
 * along the motion, so it is a further constraint; differentiate it, add it, and begin again until nothing new comes. Pivots are chosen on
 * values at sampled states and frozen, the elimination runs on the formulas, so that every round has exact derivatives. */
#include "verdict/verdict.h"
#include "expr/normal.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 6, LARGEST = 60 };
#define ZERO 1e-9

/* Rows in the unknowns (z', lambda), as formulas and as numbers at each sampled state. */
struct linear {
    struct actio_formation *F;
    size_t rows, cols, points;
    actio_expr *a, *b;                                     /* rows x cols, rows */
    double *value;                                         /* point, row, cols + 2: the right side, then the size of what it was made of */
    uint32_t *pivot_row, *pivot_col; size_t rank;
    bool *row_used, *col_used;
};

static double *at(const struct linear *s, size_t point, size_t row) { return s->value + (point * s->rows + row) * (s->cols + 2); }

static actio_expr *entry(struct linear *s, size_t row, size_t col) { return &s->a[row * s->cols + col]; }

struct closing { struct actio_verdict *v; struct actio_sampled *points; actio_expr *level; size_t levels, cap; double size[2]; };   /* level: hidden velocity constraints; size: of positions and velocities */

/* ---- the equations */

static struct linear form(struct closing *c)
{
    struct actio_formation *F = c->v->F;
    size_t N = F->N, p = F->p;
    struct linear s = { .F = F, .rows = N + p + c->levels, .cols = N + p };
    s.a = actio_form_array(F, s.rows * s.cols, sizeof *s.a);
    s.b = actio_form_array(F, s.rows, sizeof *s.b);
    s.pivot_row = actio_form_array(F, s.cols, sizeof *s.pivot_row);
    s.pivot_col = actio_form_array(F, s.cols, sizeof *s.pivot_col);
    s.row_used = actio_form_array(F, s.rows, sizeof *s.row_used);
    s.col_used = actio_form_array(F, s.cols, sizeof *s.col_used);
    for (size_t i = 0; i < F->G.count; i++) *entry(&s, F->G.at[i].row, F->G.at[i].col) = F->G.at[i].e;
    for (size_t i = 0; i < F->D.count; i++) *entry(&s, F->D.at[i].col, N + F->D.at[i].row) = actio_neg(&F->pool, F->D.at[i].e);
    for (size_t i = 0; i < F->A.count; i++) *entry(&s, N + F->A.at[i].row, F->A.at[i].col) = F->A.at[i].e;
    memcpy(s.b, F->h, N * sizeof *s.b);
    memcpy(s.b + N, F->c, p * sizeof *s.b);
    for (size_t j = 0; j < c->levels; j++) {
        actio_expr rate;
        actio_gradient(&F->pool, c->level[j], F->z, N, entry(&s, N + p + j, 0));
        actio_drift_rates(F, &c->level[j], 1, &rate);
        s.b[N + p + j] = actio_neg(&F->pool, rate);
    }
    return s;
}

/* Units do not matter: rows, then columns, get a largest entry of 1 over all points. */
static void equilibrate(struct linear *s)
{
    for (size_t r = 0; r < s->rows; r++) {
        double largest = 0;
        for (size_t k = 0; k < s->points; k++)
            for (size_t j = 0; j < s->cols; j++) largest = fmax(largest, fabs(at(s, k, r)[j]));
        for (size_t k = 0; k < s->points && largest > 0; k++)
            for (size_t j = 0; j < s->cols + 2; j++) at(s, k, r)[j] /= largest;
    }
    for (size_t j = 0; j < s->cols; j++) {
        double largest = 0;
        for (size_t i = 0; i < s->points * s->rows; i++) largest = fmax(largest, fabs(s->value[i * (s->cols + 2) + j]));
        for (size_t i = 0; i < s->points * s->rows && largest > 0; i++) s->value[i * (s->cols + 2) + j] /= largest;
    }
}

static void evaluate(struct closing *c, struct linear *s)
{
    struct actio_formation *F = s->F;
    size_t size = s->rows * s->cols, points = c->points->count < MOST_POINTS ? c->points->count : MOST_POINTS;
    actio_expr *all = actio_form_array(F, size + s->rows, sizeof *all);
    memcpy(all, s->a, size * sizeof *all);
    memcpy(all + size, s->b, s->rows * sizeof *all);
    struct actio_probe probe = actio_probe_open(c->points->M, all, size + s->rows);
    s->value = actio_form_array(F, points * s->rows * (s->cols + 2), sizeof *s->value);
    for (size_t k = 0; k < points; k++) {
        size_t i = (k + 1) * c->points->count / points - 1;                    /* not only the first: they are the motion's, where what is hidden holds */
        c->points->M->t = c->points->t[i];
        memcpy(c->points->M->y, c->points->y + i * c->points->M->ny, c->points->M->ny * sizeof(double));
        const double *v = actio_probe_at(&probe);
        for (size_t r = 0; r < s->rows; r++) {
            memcpy(at(s, k, r), v + r * s->cols, s->cols * sizeof *v);
            at(s, k, r)[s->cols] = v[size + r];
            at(s, k, r)[s->cols + 1] = fabs(v[size + r]);
        }
    }
    s->points = points;
    actio_probe_close(&probe);
    for (int pass = 0; pass < 3; pass++) equilibrate(s);
}

/* ---- elimination */

/* How good a pivot: the smallest of its values, each against the largest of its row, over the points. */
static double worth(const struct linear *s, size_t row, size_t col)
{
    double least = INFINITY;
    for (size_t k = 0; k < s->points; k++) {
        const double *v = at(s, k, row);
        double largest = 0;
        for (size_t j = 0; j < s->cols; j++) largest = fmax(largest, fabs(v[j]));
        least = fmin(least, largest > 0 ? fabs(v[col]) / largest * fmin(1, largest) : 0);
    }
    return s->points ? least : 0;
}

/* Constants make the simplest formulas, then numbers of params. */
static double plain(const struct linear *s, actio_expr e)
{
    static const double liking[] = { 1, 0.7, 0.1, 0.02 };
    return liking[actio_level_of(&s->F->pool, e)];
}

static bool choose_pivot(const struct linear *s, size_t *row, size_t *col)
{
    double best = 0;
    for (size_t r = 0; r < s->rows; r++)
        for (size_t j = 0; !s->row_used[r] && j < s->cols; j++) {
            if (s->col_used[j] || actio_is_zero(s->a[r * s->cols + j])) continue;
            double w = worth(s, r, j);
            if (w > ZERO && w * plain(s, s->a[r * s->cols + j]) > best) best = w * plain(s, s->a[r * s->cols + j]), *row = r, *col = j;
        }
    return best > 0;
}

/* An entry that is 0 at every point is 0: proved when the normal form says so. */
static void clean(struct linear *s, struct actio_verdict *v, size_t row, size_t col)
{
    double largest = 0;
    for (size_t k = 0; k < s->points; k++) largest = fmax(largest, fabs(at(s, k, row)[col]));
    actio_expr *e = entry(s, row, col);
    if (largest > ZERO || actio_is_zero(*e)) return;
    if (!actio_is_identically_zero(&s->F->pool, *e)) v->proved = false;
    *e = (actio_expr){ 0 };
    for (size_t k = 0; k < s->points; k++) at(s, k, row)[col] = 0;
}

static actio_expr less(struct linear *s, actio_expr x, actio_expr factor, actio_expr y)
{
    struct actio_pool *pool = &s->F->pool;
    if (actio_is_zero(factor) || actio_is_zero(y)) return x;
    return actio_simplify(pool, actio_sub(pool, x, actio_mul(pool, factor, y)));
}

static void eliminate_row(struct linear *s, struct actio_verdict *v, size_t row, size_t pivot, size_t col)
{
    struct actio_pool *pool = &s->F->pool;
    actio_expr lead = *entry(s, row, col);
    if (actio_is_zero(lead)) return;
    actio_expr factor = actio_simplify(pool, actio_div(pool, lead, *entry(s, pivot, col)));
    for (size_t k = 0; k < s->points; k++) {
        double *to = at(s, k, row), *from = at(s, k, pivot), f = to[col] / from[col];
        for (size_t j = 0; j <= s->cols; j++) to[j] -= f * from[j];
        to[s->cols + 1] += fabs(f) * from[s->cols + 1];
        to[col] = 0;
    }
    for (size_t j = 0; j < s->cols; j++) {
        if (j == col) { *entry(s, row, j) = (actio_expr){ 0 }; continue; }
        *entry(s, row, j) = less(s, *entry(s, row, j), factor, *entry(s, pivot, j));
        clean(s, v, row, j);
    }
    s->b[row] = less(s, s->b[row], factor, s->b[pivot]);
}

/* Gauss-Jordan with frozen pivots: in the end each pivot's unknown stands alone among the pivots. */
static void eliminate(struct linear *s, struct actio_verdict *v)
{
    size_t row, col;
    while (s->rank < s->cols && choose_pivot(s, &row, &col)) {
        actio_poll(s->F->sys.ctx);
        s->row_used[row] = s->col_used[col] = true;
        s->pivot_row[s->rank] = (uint32_t)row, s->pivot_col[s->rank++] = (uint32_t)col;
        for (size_t r = 0; r < s->rows; r++)
            if (r != row) eliminate_row(s, v, r, row, col);
    }
}

/* ---- what is left over */

static bool cancels(const struct linear *s, size_t row)
{
    for (size_t k = 0; k < s->points; k++)
        if (fabs(at(s, k, row)[s->cols]) > 1e-13 * at(s, k, row)[s->cols + 1]) return false;
    return true;
}

/* Zero beside what the state's own numbers contribute to it, at every point; or by the elimination. */
static bool vanishes(struct closing *c, const struct linear *s, size_t row)
{
    struct actio_formation *F = s->F;
    struct actio_manifold *M = c->points->M;
    size_t ny = M->ny;
    if (actio_is_zero(s->b[row]) || cancels(s, row)) return true;
    actio_expr *e = actio_form_array(F, ny + 1, sizeof *e);
    actio_gradient(&F->pool, s->b[row], M->wrt, ny, e);
    e[ny] = s->b[row];
    struct actio_probe probe = actio_probe_open(M, e, ny + 1);
    bool zero = true;
    for (size_t k = 0; k < c->points->count && zero; k++) {
        M->t = c->points->t[k];
        memcpy(M->y, c->points->y + k * ny, ny * sizeof *M->y);
        const double *slope = actio_probe_at(&probe);
        double size = 0;
        for (size_t i = 0; i < ny; i++) size += fabs(slope[i]) * fmax(fabs(M->y[i]), 0.01 * c->size[i >= F->n]);
        zero = fabs(slope[ny]) <= 1e-7 * size;
    }
    actio_probe_close(&probe);
    return zero;
}

/* Switches as functions again: a mode is the sign of its guard, which is made of modes before it only. */
static actio_expr unswitched(struct actio_formation *F, actio_expr e)
{
    size_t n = F->sys.modes;
    actio_expr *mode = actio_form_array(F, n, sizeof *mode), *sign = actio_form_array(F, n, sizeof *sign);
    for (uint32_t k = 0; k < n; k++) {
        mode[k] = actio_symbol(&F->pool, ACTIO_SPACE_MODE, k);
        sign[k] = actio_op1(&F->pool, ACTIO_SIGN, actio_substitute(&F->pool, F->mode_guard[k], mode, sign, k));
    }
    return n ? actio_substitute(&F->pool, e, mode, sign, n) : e;
}

static struct actio_equation equation(struct actio_formation *F, actio_expr e)
{
    struct actio_text text, latex;
    actio_text_open(&text, &F->arena);
    actio_text_open(&latex, &F->arena);
    e = actio_group(&F->pool, unswitched(F, e));
    actio_print_nice(&F->pool, e, actio_model_symbol_name, F->model, &text);
    actio_print_latex_nice(&F->pool, e, actio_model_symbol_latex, F->model, &latex);
    return (struct actio_equation){ text.s, latex.s };
}

static struct actio_equation zero_equation(struct actio_formation *F, actio_expr e)
{
    struct actio_equation q = equation(F, e);
    return (struct actio_equation){ actio_arena_format(&F->arena, "%s = 0", q.text), actio_arena_format(&F->arena, "%s = 0", q.latex) };
}

/* Points that can be brought onto the manifold with the new constraint stay. */
static void move_points(struct closing *c)
{
    struct actio_sampled *p = c->points;
    size_t kept = 0, ny = p->M->ny, rank, worst;
    for (size_t i = 0; i < p->count; i++) {
        double *y = p->y + i * ny;
        if (!actio_manifold_reach(p->M, p->t[i], y, &rank, &worst)) continue;
        if (kept != i) memcpy(p->y + kept * ny, y, ny * sizeof *y), p->t[kept] = p->t[i];
        kept++;
    }
    p->count = kept;
}

static bool moves(struct actio_formation *F, actio_expr e) { return actio_uses(&F->pool, e, ACTIO_SPACE_V) || actio_uses(&F->pool, e, ACTIO_SPACE_STATE); }

/* Adds one equation that must hold; false when no state can satisfy it. */
static bool add_constraint(struct closing *c, actio_expr e)
{
    struct actio_verdict *v = c->v;
    struct actio_formation *F = v->F;
    e = actio_equation_form(&F->pool, actio_simplify(&F->pool, e));
    while (F->pool.node[e.id].op == ACTIO_POWI && (int32_t)F->pool.node[e.id].b > 0) e = (actio_expr){ F->pool.node[e.id].a };   /* h^k = 0 is h = 0, with a gradient */
    size_t n = v->hiddens++;
    v->hidden = actio_arena_grow(&F->arena, v->hidden, n * sizeof *v->hidden, (n + 1) * sizeof *v->hidden);
    v->hidden_e = actio_arena_grow(&F->arena, v->hidden_e, n * sizeof *v->hidden_e, (n + 1) * sizeof *v->hidden_e);
    v->hidden_is_position = actio_arena_grow(&F->arena, v->hidden_is_position, n, n + 1);
    v->hidden[n] = zero_equation(F, e);
    v->hidden_e[n] = e;
    v->hidden_is_position[n] = !moves(F, e);
    if (actio_level_of(&F->pool, e) <= ACTIO_LV_TIME) return false;            /* a number, or a function of time, that is not 0 */
    actio_expr level = e;
    actio_manifold_add(c->points->M, e);
    if (!moves(F, e)) {
        actio_drift_rates(F, &e, 1, &level);
        if (!actio_is_zero(level)) actio_manifold_add(c->points->M, level);
    }
    if (moves(F, level)) ACTIO_PUSH(&F->arena, c->level, c->levels, c->cap) = level;
    actio_manifold_ready(c->points->M);
    move_points(c);
    return c->points->count > 0;
}

/* ---- after closure: multipliers, accelerations that stay free */

static size_t length_of(struct actio_formation *F, actio_expr e) { return strlen(equation(F, e).text); }

/* Shorter by what is known to vanish: a hidden constraint solved for a coordinate or state in it with a constant coefficient, put in. */
static actio_expr reduced(struct closing *c, actio_expr e)
{
    struct actio_formation *F = c->v->F;
    struct actio_pool *pool = &F->pool;
    size_t best = length_of(F, e);
    for (size_t h = 0; h < c->v->hiddens; h++)
        for (size_t i = 0; i < F->n + F->N; i++) {
            actio_expr symbol = c->points->M->wrt[i], slope = actio_diff(pool, c->v->hidden_e[h], symbol);
            bool velocity = i >= F->n && i < 2 * F->n;
            if (velocity || actio_is_zero(slope) || actio_level_of(pool, slope) > ACTIO_LV_PARAM) continue;
            actio_expr solved = actio_sub(pool, symbol, actio_div(pool, c->v->hidden_e[h], slope));
            actio_expr shorter = actio_simplify(pool, actio_substitute(pool, e, &symbol, &solved, 1));
            size_t length = length_of(F, shorter);
            if (length < best) best = length, e = shorter;
        }
    return e;
}

/* An unknown whose row has no other left is a function of the state                        [LM 20] */
static void solve_unknowns(struct closing *c, struct linear *s)
{
    struct actio_formation *F = s->F;
    struct actio_verdict *v = c->v;
    v->multiplier = actio_form_array(F, F->p, sizeof *v->multiplier);
    v->solved = actio_form_array(F, s->cols, sizeof *v->solved);
    v->is_solved = actio_form_array(F, s->cols, sizeof *v->is_solved);
    for (size_t i = 0; i < s->rank; i++) {
        size_t row = s->pivot_row[i], col = s->pivot_col[i];
        bool alone = true;
        for (size_t j = 0; j < s->cols && alone; j++) alone = j == col || actio_is_zero(*entry(s, row, j));
        if (!alone) continue;
        v->is_solved[col] = true;
        v->solved[col] = reduced(c, actio_simplify(&F->pool, actio_div(&F->pool, s->b[row], *entry(s, row, col))));
        if (col >= F->N) v->multiplier[col - F->N] = equation(F, v->solved[col]);
    }
}

/* Unknowns without a pivot, and those that move with them. */
static void find_free(struct closing *c, struct linear *s)
{
    struct actio_formation *F = s->F;
    bool *free_one = actio_form_array(F, s->cols, sizeof *free_one);
    for (size_t j = 0; j < s->cols; j++) free_one[j] = !s->col_used[j];
    for (size_t i = 0; i < s->rank; i++)
        for (size_t j = 0; j < s->cols; j++)
            if (!s->col_used[j] && !actio_is_zero(*entry(s, s->pivot_row[i], j))) free_one[s->pivot_col[i]] = true;
    c->v->undetermined = actio_form_array(F, F->N, sizeof *c->v->undetermined);
    for (uint32_t j = 0; j < F->N; j++)
        if (free_one[j]) c->v->undetermined[c->v->undetermineds++] = j;
}

static void count_data(struct closing *c)
{
    size_t rank = 0;
    for (size_t i = 0; i < c->points->count; i++) {
        size_t r = actio_manifold_rank(c->points->M, c->points->t[i], c->points->y + i * c->points->M->ny);
        if (r > rank) rank = r;
    }
    c->v->free_data = c->points->M->ny - rank;
}

static void measure(struct closing *c)
{
    size_t ny = c->points->M->ny, n = c->v->F->n;
    for (size_t k = 0; k < c->points->count; k++)
        for (size_t i = 0; i < ny; i++) c->size[i >= n] = fmax(c->size[i >= n], fabs(c->points->y[k * ny + i]));
}

void actio_close(struct actio_verdict *v, struct actio_sampled *points)
{
    struct closing c = { .v = v, .points = points };
    v->too_large = v->F->N + v->F->p > LARGEST;
    if (v->too_large) return;
    v->proved = true;
    measure(&c);
    for (size_t round = 0; round < 4 * (v->F->N + v->F->p) + 12; round++) {    /* one equation each */
        struct linear s = form(&c);
        evaluate(&c, &s);
        eliminate(&s, v);
        bool new_one = false;
        for (size_t r = 0; r < s.rows && !new_one; r++) {
            if (s.row_used[r] || vanishes(&c, &s, r)) continue;
            new_one = true;
            if (!add_constraint(&c, s.b[r])) { v->contradiction = "accelerations"; return; }
        }
        if (new_one) continue;
        solve_unknowns(&c, &s);
        find_free(&c, &s);
        count_data(&c);
        return;
    }
    v->too_large = true;
}

/* SPDX-License-Identifier: Apache-2.0
 * Hidden constraints by iterated closure [HAMEL F.2]: eliminate z' and lambda from the equations; what is left over
 * without them must vanish along the motion, so it is a further constraint; differentiate it, add it, and begin again
 * until nothing new comes.
 * The elimination runs on
 * the formulas, block by block, so that every round has exact derivatives. */
#include "verdict/blocks.h"
#include "expr/normal.h"

#include <math.h>
#include <string.h>

enum {
    FEWEST = 4,        /* points that identify a branch */
    MOST_NODES = 50000 /* of formulas: each round makes some four times as many; few models need 10000 */
};
#define SMALL 1e-2

struct closing {
    struct actio_verdict *v;
    struct actio_sampled *points;
    actio_expr *level; /* hidden velocity constraints */
    size_t levels, cap;
    bool one_branch;      /* requested once more */
    double *first, *size; /* of each component of y: at the points as they came, and now */
};

/* ---- what is left over */

static bool cancels(const struct actio_block *s, size_t row)
{
    for (size_t k = 0; k < s->points; k++)
        if (fabs(actio_block_at(s, k, row)[s->cols]) > 1e-13 * actio_block_at(s, k, row)[s->cols + 1]) return false;
    return true;
}

/* Zero beside what the state's own numbers contribute to it, at every point; or by the elimination. */
static bool closure_vanishes(struct closing *c, const struct actio_block *s, size_t row)
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
        double size = 0, largest[2] = { M->unit[0], M->unit[1] };
        for (size_t i = 0; i < ny; i++) largest[i >= F->n] = fmax(largest[i >= F->n], fabs(M->y[i]));
        for (size_t i = 0; i < ny; i++)
            size += fabs(slope[i]) * fmax(fabs(M->y[i]), 0.01 * fmin(c->size[i], largest[i >= F->n]));
        zero = fabs(slope[ny]) <= 1e-7 * size;
    }
    actio_probe_close(&probe);
    return zero;
}

/* Switches as functions again: a mode is the sign of its guard (of floor the whole number below it), which is made of
 * modes before it only. */
static actio_expr unswitched(struct actio_formation *F, actio_expr e)
{
    size_t n = F->sys.switches.count;
    actio_expr *mode = actio_form_array(F, n, sizeof *mode), *sign = actio_form_array(F, n, sizeof *sign);
    for (uint32_t k = 0; k < n; k++) {
        mode[k] = actio_symbol(&F->pool, ACTIO_SPACE_MODE, k);
        sign[k] = actio_op1(&F->pool, F->modes.whole[k] ? ACTIO_FLOOR : ACTIO_SIGN,
                            actio_substitute(&F->pool, F->modes.guard[k], mode, sign, k));
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
    return (struct actio_equation){ actio_arena_format(&F->arena, "%s = 0", q.text),
                                    actio_arena_format(&F->arena, "%s = 0", q.latex) };
}

/* Variables of the manifold's condition `row` that no condition before it has. */
static const bool *fresh_ones(struct actio_formation *F, const struct actio_manifold *M, size_t row)
{
    bool *fresh = actio_form_array(F, M->ny, sizeof *fresh);
    for (size_t i = 0; i < M->J.count; i++)
        if (M->J.at[i].row == row) fresh[M->J.at[i].col] = true;
    for (size_t i = 0; i < M->J.count; i++)
        if (M->J.at[i].row < row) fresh[M->J.at[i].col] = false;
    return fresh;
}

/* Points that can be brought onto the manifold with the new constraints, from `first` on, stay. What is new is solved
 * for first where it can be: the shortest way would depend on units, and may lead to special states only. */
static void move_points(struct closing *c, size_t first)
{
    struct actio_sampled *p = c->points;
    size_t kept = 0, ny = p->M->ny, rank, worst;
    actio_manifold_weigh(p->M, p->t, p->y, p->count);
    for (size_t row = first; row < p->M->count; row++) {
        const bool *fresh = fresh_ones(c->v->F, p->M, row);
        for (size_t i = 0; i < p->count; i++) actio_manifold_solve_for(p->M, p->t[i], p->y + i * ny, row, fresh);
    }
    for (size_t i = 0; i < p->count; i++) {
        double *y = p->y + i * ny;
        if (!actio_manifold_reach(p->M, p->t[i], y, &rank, &worst)) continue;
        if (kept != i) {
            memcpy(p->y + kept * ny, y, ny * sizeof *y);
            p->t[kept] = p->t[i];
        }
        kept++;
    }
    p->count = kept;
}

static bool moves(struct actio_formation *F, actio_expr e)
{
    return actio_uses(&F->pool, e, ACTIO_SPACE_V) || actio_uses(&F->pool, e, ACTIO_SPACE_STATE);
}

/* h^k = 0 is h = 0, with a gradient. */
static actio_expr plain_form(struct actio_pool *pool, actio_expr e)
{
    e = actio_equation_form(pool, actio_simplify(pool, e));
    while (pool->node[e.id].op == ACTIO_POWI && (int32_t)pool->node[e.id].b > 0) e = (actio_expr){ pool->node[e.id].a };
    return e;
}

/* Adds one equation that must hold; false when it is a number. */
static bool add_constraint(struct closing *c, actio_expr e)
{
    struct actio_verdict *v = c->v;
    struct actio_formation *F = v->F;
    size_t n = v->closure.hiddens++;
    v->closure.hidden = actio_arena_grow(&F->arena, v->closure.hidden, n * sizeof *v->closure.hidden,
                                         (n + 1) * sizeof *v->closure.hidden);
    v->closure.hidden_e = actio_arena_grow(&F->arena, v->closure.hidden_e, n * sizeof *v->closure.hidden_e,
                                           (n + 1) * sizeof *v->closure.hidden_e);
    v->closure.hidden_is_position = actio_arena_grow(&F->arena, v->closure.hidden_is_position, n, n + 1);
    v->closure.hidden[n] = zero_equation(F, e);
    v->closure.hidden_e[n] = e;
    v->closure.hidden_is_position[n] = !moves(F, e);
    /* a number, or a function of time, that is not 0 */
    if (actio_level_of(&F->pool, e) <= ACTIO_LV_TIME) return false;
    actio_expr level = e;
    actio_manifold_add(c->points->M, e);
    if (!moves(F, e)) {
        actio_drift_rates(F, &e, 1, &level);
        if (!actio_is_zero(level)) actio_manifold_add(c->points->M, level);
    }
    if (moves(F, level)) ACTIO_PUSH(&F->arena, c->level, c->levels, c->cap) = level;
    return true;
}

static bool is_known(const struct actio_verdict *v, actio_expr e)
{
    for (size_t i = 0; i < v->closure.hiddens; i++)
        if (actio_same(v->closure.hidden_e[i], e)) return true;
    return false;
}

static bool same_branch(const struct actio_manifold *M, size_t first, const double *slopes, const double *here)
{
    for (size_t r = first; r < M->count; r++) {
        double largest = 0, own = 0;
        for (size_t i = M->row_start[r]; i < M->row_start[r + 1]; i++) {
            largest = fmax(largest, fabs(slopes[i]));
            own = fmax(own, fabs(here[i]));
        }
        for (size_t i = M->row_start[r]; i < M->row_start[r + 1]; i++)
            if (fabs(slopes[i]) > 1e-3 * largest && !(fabs(here[i]) > 1e-9 * own)) return false;
    }
    return true;
}

/* x*y = 0 has two branches: where y = 0 and where x = 0. Slopes of hidden constraints that are not 0 at the first
 * point, the nearest to the start,
 * are not 0 on its branch; other points go. */
static void keep_branch(struct closing *c)
{
    struct actio_sampled *p = c->points;
    struct actio_manifold *M = p->M;
    size_t kept = 0, ny = M->ny, first = c->v->F->sys.holonomic + c->v->F->sys.levels;
    double *slopes = actio_form_array(c->v->F, M->J.count, sizeof *slopes);
    bool *same = actio_form_array(c->v->F, p->count, sizeof *same);
    for (size_t i = 0; i < p->count; i++) {
        M->t = p->t[i];
        memcpy(M->y, p->y + i * ny, ny * sizeof *M->y);
        const double *here = actio_probe_at(&M->slopes);
        if (i == 0) memcpy(slopes, here, M->J.count * sizeof *slopes);
        same[i] = same_branch(M, first, slopes, here);
        kept += same[i];
    }
    if (kept < FEWEST) return; /* the first was a special one */
    kept = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (!same[i]) continue;
        memmove(p->y + kept * ny, p->y + i * ny, ny * sizeof *p->y);
        p->t[kept++] = p->t[i];
    }
    p->count = kept;
}

/* One new equation of each block. How many; SIZE_MAX when no state can satisfy them. */
static size_t add_left_over(struct closing *c, const struct actio_blocks *blocks)
{
    size_t added = 0, first = c->points->M->count;
    for (size_t k = 0; k < blocks->count; k++) {
        const struct actio_block *s = &blocks->at[k];
        bool new_one = false;
        for (size_t r = 0; r < s->rows && !new_one; r++) {
            if (s->row_used[r] || closure_vanishes(c, s, r)) continue;
            actio_expr e = plain_form(&c->v->F->pool, s->b[r]);
            bool known = is_known(c->v, e); /* then points on several branches do not decide */
            if (known && added) continue;   /* what this round adds may explain it: the next one shows */
            if (known && !c->one_branch) {
                c->one_branch = true;
                keep_branch(c);
                return 1;
            }
            if (known) {
                c->v->proved = false;
                continue;
            }
            new_one = true;
            added++;
            if (!add_constraint(c, e)) return SIZE_MAX;
        }
    }
    if (added == 0) return 0;
    actio_manifold_ready(c->points->M);
    move_points(c, first);
    /* slopes at points of very different size can't be compared */
    if (c->points->M->unit[0] >= SMALL) keep_branch(c);
    return c->points->count ? added : SIZE_MAX;
}

/* ---- after closure: multipliers, accelerations that stay free */

static size_t length_of(struct actio_formation *F, actio_expr e) { return strlen(equation(F, e).text); }

/* Shorter by what is known to vanish: a hidden constraint solved for a coordinate or state in it with a constant
 * coefficient, put in. */
static actio_expr reduced(struct closing *c, actio_expr e)
{
    struct actio_formation *F = c->v->F;
    struct actio_pool *pool = &F->pool;
    size_t best = length_of(F, e);
    for (size_t h = 0; h < c->v->closure.hiddens; h++)
        for (size_t i = 0; i < F->n + F->N; i++) {
            actio_expr symbol = c->points->M->wrt[i], slope = actio_diff(pool, c->v->closure.hidden_e[h], symbol);
            bool velocity = i >= F->n && i < 2 * F->n;
            if (velocity || actio_is_zero(slope) || actio_level_of(pool, slope) > ACTIO_LV_PARAM) continue;
            actio_expr solved = actio_sub(pool, symbol, actio_div(pool, c->v->closure.hidden_e[h], slope));
            actio_expr shorter = actio_simplify(pool, actio_substitute(pool, e, &symbol, &solved, 1));
            size_t length = length_of(F, shorter);
            if (length < best) {
                best = length;
                e = shorter;
            }
        }
    return e;
}

/* An unknown whose row has no other left is a function of the state  [LM 20] */
static void solve_unknowns(struct closing *c, const struct actio_block *s)
{
    struct actio_formation *F = s->F;
    struct actio_verdict *v = c->v;
    for (size_t i = 0; i < s->rank; i++) {
        size_t row = s->pivot_row[i], col = s->pivot_col[i], unknown = s->col[col];
        bool alone = true;
        for (size_t j = 0; j < s->cols && alone; j++) alone = j == col || actio_is_zero(*actio_block_entry(s, row, j));
        if (!alone) continue;
        v->closure.is_solved[unknown] = true;
        v->closure.solved[unknown] =
            reduced(c, actio_simplify(&F->pool, actio_div(&F->pool, s->b[row], *actio_block_entry(s, row, col))));
        if (unknown >= F->N) v->closure.multiplier[unknown - F->N] = equation(F, v->closure.solved[unknown]);
    }
}

/* Unknowns without a pivot, and those that move with them. */
static void find_free(const struct actio_block *s, bool *free_one)
{
    for (size_t j = 0; j < s->cols; j++) free_one[s->col[j]] = !s->col_used[j];
    for (size_t i = 0; i < s->rank; i++)
        for (size_t j = 0; j < s->cols; j++)
            if (!s->col_used[j] && !actio_is_zero(*actio_block_entry(s, s->pivot_row[i], j)))
                free_one[s->col[s->pivot_col[i]]] = true;
}

static void read_off(struct closing *c, const struct actio_blocks *blocks)
{
    struct actio_verdict *v = c->v;
    struct actio_formation *F = v->F;
    v->closure.multiplier = actio_form_array(F, F->p, sizeof *v->closure.multiplier);
    v->closure.solved = actio_form_array(F, F->N + F->p, sizeof *v->closure.solved);
    v->closure.is_solved = actio_form_array(F, F->N + F->p, sizeof *v->closure.is_solved);
    for (size_t k = 0; k < blocks->count; k++) {
        if (!blocks->at[k].partial) find_free(&blocks->at[k], blocks->loose);
        solve_unknowns(c, &blocks->at[k]);
    }
    v->closure.undetermined = actio_form_array(F, F->N, sizeof *v->closure.undetermined);
    for (uint32_t j = 0; j < F->N; j++)
        if (blocks->loose[j]) v->closure.undetermined[v->closure.undetermineds++] = j;
}

static void count_data(struct closing *c)
{
    size_t rank = 0;
    for (size_t i = 0; i < c->points->count; i++) {
        actio_manifold_weigh(c->points->M, c->points->t + i, c->points->y + i * c->points->M->ny, 1);
        size_t r = actio_manifold_rank(c->points->M, c->points->t[i], c->points->y + i * c->points->M->ny);
        if (r > rank) rank = r;
    }
    c->v->free_data = c->points->M->ny - rank;
}

/* How large each component is at the points; one that constraints have brought to 0 keeps the size that it had before.
 * */
static void closure_measure(struct closing *c, double *size)
{
    size_t ny = c->points->M->ny;
    memset(size, 0, ny * sizeof *size);
    for (size_t k = 0; k < c->points->count; k++)
        for (size_t i = 0; i < ny; i++) size[i] = fmax(size[i], fabs(c->points->y[k * ny + i]));
    for (size_t i = 0; i < ny; i++)
        if (!(size[i] > 1e-8 * c->first[i])) size[i] = c->first[i];
}

static void measure_first(struct closing *c)
{
    size_t ny = c->points->M->ny, n = c->v->F->n;
    double largest[2] = { 0, 0 };
    c->first = actio_form_array(c->v->F, ny, sizeof *c->first);
    c->size = actio_form_array(c->v->F, ny, sizeof *c->size);
    closure_measure(c, c->first);
    for (size_t i = 0; i < ny; i++) largest[i >= n] = fmax(largest[i >= n], c->first[i]);
    for (size_t i = 0; i < ny; i++) /* fixed at 0 from the beginning */
        if (!(c->first[i] > 1e-8 * largest[i >= n])) c->first[i] = largest[i >= n];
}

void actio_find_closure(struct actio_verdict *v, struct actio_sampled *points)
{
    struct closing c = { .v = v, .points = points };
    uint32_t most = v->F->pool.count + MOST_NODES;
    v->proved = v->closure.searched = true;
    measure_first(&c);
    for (size_t round = 0; round < 4 * (v->F->N + v->F->p) + 12 && !v->too_large; round++) {
        struct actio_blocks blocks = actio_blocks_form(v->F, c.level, c.levels, points);
        v->too_large = blocks.too_large || v->F->pool.count > most;
        closure_measure(&c, c.size);
        for (size_t k = 0; k < blocks.count; k++) actio_block_eliminate(&blocks.at[k], &v->proved);
        size_t added = v->too_large ? 1 : add_left_over(&c, &blocks);
        if (added == SIZE_MAX) {
            v->contradiction = "accelerations";
            return;
        }
        if (added) continue;
        read_off(&c, &blocks);
        count_data(&c);
        return;
    }
    v->too_large = true;
    v->proved = false;
}

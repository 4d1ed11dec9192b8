/* SPDX-License-Identifier: Apache-2.0
 * Which equations belong together? Those that share an unknown, directly or through others. A large model is singular
 * in a few places: of a large block only the rows that depend on each other are kept, found by numbers. */
#include "verdict/blocks.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

/* rows and unknowns of a block that is taken as it is; rows that are kept of a larger one */
enum { MOST_POINTS = 6, LARGE = 60, MOST_ROWS = 60 };
#define DEPENDENT 1e-9
#define TAKES_PART 1e-12 /* square of a row's part in unit vectors */

/* All equations, sparse. */
struct whole {
    struct actio_formation *F;
    size_t rows, cols, points;
    struct actio_entries entry;
    actio_expr *b;
    double *value;   /* point, then entries and right sides */
    uint32_t *group; /* of rows, then of unknowns: the smallest member */
};

static void blocks_put(struct whole *w, uint32_t row, uint32_t col, actio_expr e)
{
    if (!actio_is_zero(e))
        ACTIO_PUSH(&w->F->arena, w->entry.at, w->entry.count, w->entry.cap) = (struct actio_entry){ row, col, e };
}

static struct whole list_equations(struct actio_formation *F, const actio_expr *level, size_t levels)
{
    uint32_t N = (uint32_t)F->N, p = (uint32_t)F->p;
    struct whole w = { .F = F, .rows = N + p + levels, .cols = N + p };
    w.b = actio_form_array(F, w.rows, sizeof *w.b);
    actio_expr *slope = actio_form_array(F, N, sizeof *slope);
    for (size_t i = 0; i < F->G.count; i++) blocks_put(&w, F->G.at[i].row, F->G.at[i].col, F->G.at[i].e);
    for (size_t i = 0; i < F->D.count; i++)
        blocks_put(&w, F->D.at[i].col, N + F->D.at[i].row, actio_neg(&F->pool, F->D.at[i].e));
    for (size_t i = 0; i < F->A.count; i++) blocks_put(&w, N + F->A.at[i].row, F->A.at[i].col, F->A.at[i].e);
    memcpy(w.b, F->h, N * sizeof *w.b);
    memcpy(w.b + N, F->c, p * sizeof *w.b);
    for (uint32_t j = 0; j < levels; j++) {
        actio_expr rate;
        actio_gradient(&F->pool, level[j], F->sym.z, N, slope);
        for (uint32_t k = 0; k < N; k++) blocks_put(&w, N + p + j, k, slope[k]);
        actio_drift_rates(F, &level[j], 1, &rate);
        w.b[N + p + j] = actio_neg(&F->pool, rate);
    }
    return w;
}

static void blocks_evaluate(struct whole *w, struct actio_sampled *points)
{
    struct actio_formation *F = w->F;
    struct actio_manifold *M = points->M;
    size_t width = w->entry.count + w->rows;
    actio_expr *all = actio_form_array(F, width, sizeof *all);
    for (size_t i = 0; i < w->entry.count; i++) all[i] = w->entry.at[i].e;
    memcpy(all + w->entry.count, w->b, w->rows * sizeof *all);
    struct actio_probe probe = actio_probe_open(M, all, width);
    w->points = points->count < MOST_POINTS ? points->count : MOST_POINTS;
    w->value = actio_form_array(F, w->points * width, sizeof *w->value);
    for (size_t k = 0; k < w->points; k++) {
        /* not only the first: they are the motion's, where what is hidden holds */
        size_t i = (k + 1) * points->count / w->points - 1;
        M->t = points->t[i];
        memcpy(M->y, points->y + i * M->ny, M->ny * sizeof *M->y);
        memcpy(w->value + k * width, actio_probe_at(&probe), width * sizeof *w->value);
    }
    actio_probe_close(&probe);
}

static uint32_t leader(uint32_t *group, uint32_t i)
{
    while (group[i] != i) i = group[i] = group[group[i]];
    return i;
}

static void find_groups(struct whole *w)
{
    size_t count = w->rows + w->cols;
    w->group = actio_form_array(w->F, count, sizeof *w->group);
    for (uint32_t i = 0; i < count; i++) w->group[i] = i;
    for (size_t i = 0; i < w->entry.count; i++) {
        uint32_t a = leader(w->group, w->entry.at[i].row), b = leader(w->group, (uint32_t)w->rows + w->entry.at[i].col);
        if (a != b) w->group[a < b ? b : a] = a < b ? a : b;
    }
    for (uint32_t i = 0; i < count; i++) w->group[i] = leader(w->group, i);
}

/* ---- one block */

/* Units do not matter: rows, then columns, get a largest entry of 1 over all points. */
static void equilibrate(struct actio_block *s)
{
    for (size_t r = 0; r < s->rows; r++) {
        double largest = 0;
        for (size_t k = 0; k < s->points; k++)
            for (size_t j = 0; j < s->cols; j++) largest = fmax(largest, fabs(actio_block_at(s, k, r)[j]));
        for (size_t k = 0; k < s->points && largest > 0; k++)
            for (size_t j = 0; j < s->cols + 2; j++) actio_block_at(s, k, r)[j] /= largest;
    }
    for (size_t j = 0; j < s->cols; j++) {
        double largest = 0;
        for (size_t i = 0; i < s->points * s->rows; i++) largest = fmax(largest, fabs(s->value[i * (s->cols + 2) + j]));
        for (size_t i = 0; i < s->points * s->rows && largest > 0; i++) s->value[i * (s->cols + 2) + j] /= largest;
    }
}

/* Rows and unknowns that are marked, each with its place in the block from 1 on. */
static struct actio_block open_block(const struct whole *w, const uint32_t *row_place, const uint32_t *col_place)
{
    struct actio_formation *F = w->F;
    struct actio_block s = { .F = F, .points = w->points };
    size_t width = w->entry.count + w->rows;
    for (size_t r = 0; r < w->rows; r++) s.rows += row_place[r] > 0;
    for (size_t j = 0; j < w->cols; j++) s.cols += col_place[j] > 0;
    s.a = actio_form_array(F, s.rows * s.cols, sizeof *s.a);
    s.b = actio_form_array(F, s.rows, sizeof *s.b);
    s.col = actio_form_array(F, s.cols, sizeof *s.col);
    s.value = actio_form_array(F, s.points * s.rows * (s.cols + 2), sizeof *s.value);
    s.pivot_row = actio_form_array(F, s.cols, sizeof *s.pivot_row);
    s.pivot_col = actio_form_array(F, s.cols, sizeof *s.pivot_col);
    s.row_used = actio_form_array(F, s.rows, sizeof *s.row_used);
    s.col_used = actio_form_array(F, s.cols, sizeof *s.col_used);
    for (uint32_t j = 0; j < w->cols; j++)
        if (col_place[j]) s.col[col_place[j] - 1] = j;
    for (size_t r = 0; r < w->rows; r++) {
        if (!row_place[r]) continue;
        s.b[row_place[r] - 1] = w->b[r];
        for (size_t k = 0; k < s.points; k++) {
            double *v = actio_block_at(&s, k, row_place[r] - 1), x = w->value[k * width + w->entry.count + r];
            v[s.cols] = x;
            v[s.cols + 1] = fabs(x);
        }
    }
    for (size_t i = 0; i < w->entry.count; i++) {
        uint32_t r = row_place[w->entry.at[i].row], j = col_place[w->entry.at[i].col];
        if (!r || !j) continue;
        *actio_block_entry(&s, r - 1, j - 1) = w->entry.at[i].e;
        for (size_t k = 0; k < s.points; k++) actio_block_at(&s, k, r - 1)[j - 1] = w->value[k * width + i];
    }
    for (int pass = 0; pass < 3; pass++) equilibrate(&s);
    return s;
}

/* ---- large blocks */

/* Rows of the block (or, turned, its unknowns) that take part in relations at a sampled state: parts of a basis of the
 * null space. */
static void mark_null(const struct actio_block *s, size_t point, bool unknowns, double *part)
{
    struct actio_formation *F = s->F;
    size_t m = unknowns ? s->rows : s->cols, n = unknowns ? s->cols : s->rows, big = m > n ? m : n;
    double *room = actio_alloc(F->sys.ctx, m * n + n * n + actio_rank_work(big, big) + 1, sizeof *room),
           *basis = room + m * n;
    int *iwork = actio_alloc(F->sys.ctx, 2 * (m + n) + 1, sizeof *iwork);
    if (!room || !iwork) {
        actio_free(F->sys.ctx, room);
        actio_free(F->sys.ctx, iwork);
        actio_arena_array(&F->arena, SIZE_MAX / 8, 1); /* says that memory is out, and escapes */
    }
    for (size_t r = 0; r < s->rows; r++)
        for (size_t j = 0; j < s->cols; j++) room[unknowns ? r * n + j : j * n + r] = actio_block_at(s, point, r)[j];
    size_t rank = m ? actio_row_bases(m, n, room, DEPENDENT, basis, basis + n * n, iwork) : 0;
    for (size_t k = rank; k < n; k++)
        for (size_t i = 0; i < n; i++) part[i] = fmax(part[i], m ? basis[k * n + i] * basis[k * n + i] : 1);
    actio_free(F->sys.ctx, room);
    actio_free(F->sys.ctx, iwork);
}

/* Only rows that depend on each other stay, with the unknowns in them; false when there are none. */
static bool shrink(const struct whole *w, const struct actio_block *s, uint32_t *row_place, uint32_t *col_place)
{
    double *part = actio_form_array(w->F, s->rows, sizeof *part);
    uint32_t rows = 0, cols = 0;
    for (size_t k = 0; k<s->points; k += s->points> 1 ? s->points - 1 : 1) mark_null(s, k, false, part);
    for (size_t r = 0; r < w->rows; r++)
        if (row_place[r]) row_place[r] = part[row_place[r] - 1] > TAKES_PART ? ++rows : 0;
    memset(col_place, 0, w->cols * sizeof *col_place);
    for (size_t i = 0; i < w->entry.count; i++)
        if (row_place[w->entry.at[i].row]) col_place[w->entry.at[i].col] = 1;
    for (size_t j = 0; j < w->cols; j++)
        if (col_place[j]) col_place[j] = ++cols;
    return rows > 0;
}

static void mark_loose(const struct actio_block *s, bool *loose)
{
    double *part = actio_form_array(s->F, s->cols, sizeof *part);
    if (s->points) mark_null(s, s->points - 1, true, part);
    for (size_t j = 0; j < s->cols; j++) loose[s->col[j]] = loose[s->col[j]] || part[j] > TAKES_PART;
}

static void add_block(struct actio_blocks *out, const struct whole *w, uint32_t *row_place, uint32_t *col_place)
{
    struct actio_block s = open_block(w, row_place, col_place);
    if (s.rows + s.cols > 2 * LARGE) {
        mark_loose(&s, out->loose);
        if (!shrink(w, &s, row_place, col_place)) return;
        s = open_block(w, row_place, col_place);
        s.partial = true;
    }
    if (s.rows > MOST_ROWS) out->too_large = true;
    else out->at[out->count++] = s;
}

struct actio_blocks actio_blocks_form(struct actio_formation *F, const actio_expr *level, size_t levels,
                                      struct actio_sampled *points)
{
    struct whole w = list_equations(F, level, levels);
    struct actio_blocks out = { .loose = actio_form_array(F, w.cols, sizeof(bool)) };
    blocks_evaluate(&w, points);
    find_groups(&w);
    size_t all = w.rows + w.cols;
    out.at = actio_form_array(F, all, sizeof *out.at);
    uint32_t *row_place = actio_form_array(F, w.rows, sizeof *row_place),
             *col_place = actio_form_array(F, w.cols, sizeof *col_place);
    for (uint32_t g = 0; g < all; g++) {
        if (w.group[g] != g) continue;
        uint32_t rows = 0, cols = 0;
        actio_poll(F->sys.ctx);
        for (size_t r = 0; r < w.rows; r++) row_place[r] = w.group[r] == g ? ++rows : 0;
        for (size_t j = 0; j < w.cols; j++) col_place[j] = w.group[w.rows + j] == g ? ++cols : 0;
        add_block(&out, &w, row_place, col_place);
    }
    return out;
}

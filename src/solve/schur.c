/* SPDX-License-Identifier: Apache-2.0
 * The matrix of the tensions, stripe by stripe: entries of A lie in runs along which row and column both go up by one,
 * so what two runs have in common is a product of streams. One constraint a cell: tridiagonal, solved in lane segments;
 * more: blocks. Constraints that hold a single coordinate are taken out first. */
#include "solve/schur.h"
#include "algebra/tri.h"

#include <math.h>
#include <string.h>

/* Entries first .. first + count - 1 of A: row + i, col + i. `line`: which constraint of the cell, the row being its
 * lane's. */
struct run {
    size_t first, count, row, col, line;
};
struct pin {
    size_t row, col, entry;
}; /* a row with one entry */
/* What two runs add: products of `count` entries from `a` and `b` on with 1/G from `col` on, to the entry (la, lb) of
 * diagonal blocks; `off`: to (lb, la) of those below. */
struct product {
    size_t a, b, col, count, la, lb;
    bool off;
};

struct actio_schur {
    struct actio_context *ctx;
    const struct actio_system *sys;
    const double *values;
    size_t n, p, lanes, lines; /* lines: constraints of a cell; rows of line k: first_row[k] + lane */
    size_t *first_row;
    struct run *run;
    size_t runs;
    struct pin *pin;
    size_t pins;
    struct product *product;
    size_t products;
    bool *is_pinned;
    uint32_t *mass; /* entry of G by coordinate */
    /* 1/G by coordinate, 0 where held; blocks; right side and tensions by lane and line; D' lambda */
    double *inverse, *diag, *off, *rhs, *x, *work, *push;
};

void actio_schur_close(struct actio_schur *s)
{
    if (!s) return;
    void *all[] = { s->first_row, s->run, s->pin, s->product, s->is_pinned, s->mass, s->inverse,
                    s->diag,      s->off, s->rhs, s->x,       s->work,      s->push };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) actio_free(s->ctx, all[i]);
    actio_free(s->ctx, s);
}

/* ---- is the system of this kind? */

static bool is_diagonal(const struct actio_system *sys)
{
    if (sys->G.count != sys->n || sys->m) return false;
    for (size_t i = 0; i < sys->G.count; i++)
        if (sys->G.row[i] != sys->G.col[i]) return false;
    return true;
}

static bool same_places(const struct actio_places *a, const struct actio_places *b)
{
    return a->count == b->count && memcmp(a->row, b->row, a->count * sizeof *a->row) == 0
           && memcmp(a->col, b->col, a->count * sizeof *a->col) == 0;
}

static bool schur_take(struct actio_schur *s, void *to, size_t count, size_t size)
{
    void *p = actio_alloc(s->ctx, count + 1, size);
    memcpy(to, &p, sizeof p);
    return p != NULL;
}

/* Rows with one entry, each on a coordinate of its own. */
static bool find_pins(struct actio_schur *s)
{
    const struct actio_places *A = &s->sys->A;
    uint32_t *entries = actio_alloc(s->ctx, 2 * s->p + 2, sizeof *entries), *last = entries + s->p;
    if (!entries) return false;
    for (size_t i = 0; i < A->count; i++) {
        entries[A->row[i]]++;
        last[A->row[i]] = (uint32_t)i;
    }
    bool ok = true;
    for (size_t k = 0; k < s->p && ok; k++) {
        if (entries[k] != 1) continue;
        size_t col = A->col[last[k]];
        ok = !s->is_pinned[col];
        s->is_pinned[col] = true;
        s->pin[s->pins++] = (struct pin){ k, col, last[k] };
    }
    actio_free(s->ctx, entries);
    return ok;
}

static bool is_pin_row(const struct actio_schur *s, size_t row)
{
    for (size_t k = 0; k < s->pins; k++)
        if (s->pin[k].row == row) return true;
    return false;
}

/* Runs of A; each belongs to a line of constraints, all lines as long as each other. */
static bool find_runs(struct actio_schur *s)
{
    const struct actio_places *A = &s->sys->A;
    for (size_t i = 0, count; i < A->count; i += count) {
        for (count = 1;
             i + count < A->count && A->row[i + count] == A->row[i] + count && A->col[i + count] == A->col[i] + count;
             count++) {}
        if (count == 1 && is_pin_row(s, A->row[i])) continue;
        if (count < 2) return false;
        size_t line = 0;
        while (line < s->lines && s->first_row[line] != A->row[i]) line++;
        if (line == s->lines) {
            if (s->lines == ACTIO_SCHUR_LINES) return false;
            s->first_row[s->lines++] = A->row[i];
        }
        if (s->lanes == 0) s->lanes = count;
        if (count != s->lanes || s->runs == ACTIO_SCHUR_RUNS) return false;
        s->run[s->runs++] = (struct run){ i, count, A->row[i], A->col[i], line };
    }
    return s->lines > 0 && s->pins + s->lines * s->lanes == s->p;
}

/* Which lanes of two runs share a column: those of b are `shift` ahead of those of a. */
static bool find_products(struct actio_schur *s)
{
    for (size_t i = 0; i < s->runs; i++)
        for (size_t j = 0; j < s->runs; j++) {
            const struct run *a = &s->run[i], *b = &s->run[j];
            long shift = (long)a->col - (long)b->col, lanes = (long)s->lanes;
            if (shift >= lanes || shift <= -lanes || shift < 0) continue; /* the other order has it */
            if (shift > 1) return false;
            if (shift == 0 && a->line < b->line) continue;
            size_t count = (size_t)(lanes - shift);
            s->product[s->products++] =
                (struct product){ a->first, b->first + (size_t)shift, a->col, count, a->line, b->line, shift == 1 };
        }
    return true;
}

struct actio_schur *actio_schur_open(struct actio_context *ctx, const struct actio_system *sys)
{
    if (sys->p == 0 || !sys->field.axes || !sys->is.symmetric || !is_diagonal(sys) || !same_places(&sys->A, &sys->D))
        return NULL;
    struct actio_schur *s = actio_alloc(ctx, 1, sizeof *s);
    if (!s) return NULL;
    *s = (struct actio_schur){ .ctx = ctx, .sys = sys, .n = sys->n, .p = sys->p };
    bool ok =
        schur_take(s, &s->first_row, ACTIO_SCHUR_LINES, sizeof *s->first_row)
        && schur_take(s, &s->run, ACTIO_SCHUR_RUNS, sizeof *s->run) && schur_take(s, &s->pin, s->p, sizeof *s->pin)
        && schur_take(s, &s->product, ACTIO_SCHUR_RUNS * ACTIO_SCHUR_RUNS, sizeof *s->product)
        && schur_take(s, &s->is_pinned, s->n, sizeof *s->is_pinned) && schur_take(s, &s->mass, s->n, sizeof *s->mass);
    for (uint32_t i = 0; ok && i < sys->G.count; i++) s->mass[sys->G.row[i]] = i;
    ok = ok && find_pins(s) && find_runs(s) && find_products(s);
    size_t rows = s->lanes * s->lines, blocks = rows * s->lines;
    ok = ok && schur_take(s, &s->inverse, s->n, sizeof(double)) && schur_take(s, &s->diag, blocks, sizeof(double))
         && schur_take(s, &s->off, blocks, sizeof(double)) && schur_take(s, &s->rhs, rows, sizeof(double))
         && schur_take(s, &s->x, rows, sizeof(double)) && schur_take(s, &s->push, s->n, sizeof(double))
         && schur_take(s, &s->work, s->lines == 1 ? actio_tri_work(s->lanes) : 1, sizeof(double));
    if (ok) return s;
    actio_schur_close(s);
    return NULL;
}

/* ---- numbers */

static const double *A_of(const struct actio_schur *s) { return s->values + s->sys->G.count; }

static void add_product(double *restrict to, const double *restrict a, const double *restrict b,
                        const double *restrict g, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] += a[i] * b[i] * g[i];
}

static void add_product_apart(double *to, size_t step, const double *a, const double *b, const double *g, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i * step] += a[i] * b[i] * g[i];
}

int actio_schur_factor(struct actio_schur *s, const double *values)
{
    const struct actio_places *G = &s->sys->G;
    size_t b = s->lines, blocks = s->lanes * b * b;
    s->values = values;
    bool positive = true;
    for (size_t i = 0; i < s->n; i++) {
        positive &= values[i] > 0;
        s->inverse[G->row[i]] = 1 / values[i];
    }
    if (!positive) return 1;
    for (size_t k = 0; k < s->pins; k++) s->inverse[s->pin[k].col] = 0;
    memset(s->diag, 0, blocks * sizeof *s->diag);
    memset(s->off, 0, blocks * sizeof *s->off);
    for (size_t k = 0; k < s->products; k++) {
        const struct product *x = &s->product[k];
        const double *left = A_of(s) + x->a, *right = A_of(s) + x->b, *g = s->inverse + x->col;
        if (b == 1) add_product(x->off ? s->off : s->diag, left, right, g, x->count);
        /* block below: row of the next lane, column of this */
        else if (x->off) add_product_apart(s->off + x->lb * b + x->la, b * b, left, right, g, x->count);
        else add_product_apart(s->diag + x->la * b + x->lb, b * b, left, right, g, x->count);
    }
    return b > 1 ? actio_blocktri_factor(s->lanes, b, s->diag, s->off) != 0 : 0;
}

void actio_schur_read(struct actio_schur *s, const double *values) { s->values = values; }

/* A z by line and lane: to[lane*lines + line] += sign * A z. */
static void apply(const struct actio_schur *s, const double *z, double sign, double *to)
{
    size_t b = s->lines;
    for (size_t k = 0; k < s->runs; k++) {
        const struct run *r = &s->run[k];
        const double *a = A_of(s) + r->first, *x = z + r->col;
        double *out = to + r->line;
        if (b == 1)
            for (size_t i = 0; i < r->count; i++) out[i] += sign * a[i] * x[i];
        else
            for (size_t i = 0; i < r->count; i++) out[i * b] += sign * a[i] * x[i];
    }
}

static void apply_transposed(const struct actio_schur *s, const double *lambda, double *to)
{
    size_t b = s->lines;
    for (size_t k = 0; k < s->runs; k++) {
        const struct run *r = &s->run[k];
        const double *a = A_of(s) + r->first, *l = lambda + r->line;
        double *restrict out = to + r->col;
        if (b == 1)
            for (size_t i = 0; i < r->count; i++) out[i] += a[i] * l[i];
        else
            for (size_t i = 0; i < r->count; i++) out[i] += a[i] * l[i * b];
    }
}

int actio_schur_solve(struct actio_schur *s, const double *h, const double *c, double *z, double *lambda)
{
    size_t b = s->lines, n = s->n;
    for (size_t line = 0; line < b; line++)
        for (size_t i = 0; i < s->lanes; i++) s->rhs[i * b + line] = c[s->first_row[line] + i];
    if (h)
        for (size_t i = 0; i < n; i++) z[i] = h[i] * s->inverse[i];
    else memset(z, 0, n * sizeof *z);
    for (size_t k = 0; k < s->pins; k++) z[s->pin[k].col] = c[s->pin[k].row] / A_of(s)[s->pin[k].entry];
    apply(s, z, -1, s->rhs);
    if (b == 1) {
        if (actio_tri_solve(s->lanes, s->diag, s->off, s->rhs, s->x, s->work)) return 1;
    } else {
        memcpy(s->x, s->rhs, b * s->lanes * sizeof *s->x);
        actio_blocktri_solve(s->lanes, b, s->diag, s->off, s->x);
    }
    memset(s->push, 0, n * sizeof *s->push);
    apply_transposed(s, s->x, s->push);
    for (size_t i = 0; i < n; i++) z[i] += s->push[i] * s->inverse[i];
    if (!lambda) return 0;
    for (size_t line = 0; line < b; line++)
        for (size_t i = 0; i < s->lanes; i++) lambda[s->first_row[line] + i] = s->x[i * b + line];
    for (size_t k = 0; k < s->pins; k++) {
        const struct pin *p = &s->pin[k];
        lambda[p->row] =
            (s->values[s->mass[p->col]] * z[p->col] - (h ? h[p->col] : 0) - s->push[p->col]) / A_of(s)[p->entry];
    }
    return 0;
}

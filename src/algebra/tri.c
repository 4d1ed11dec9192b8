/* SPDX-License-Identifier: Apache-2.0
 * Tridiagonal systems. A long one is cut into segments that lie in the lanes of vectors: each is eliminated towards its
 * last node, the separator, with a spike for the separator before it; the separators are solved one after the other;
 * then all segments go back at once.
 * That is Cholesky's elimination in another order, and so as stable.
 *  [SPEED P5] */
#include "algebra/tri.h"
#include "algebra/dense.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined __x86_64__ && defined __linux__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__                     \
    && !defined __SANITIZE_THREAD__
#define CLONED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONED
#endif
#define INLINE static inline __attribute__((always_inline))

/* Several vectors at once so that divisions overlap: 8 segments, 16 of a long system, none of a short one. Each machine
 * has as many, so that all do the same sums. */
/* BLOCK: rows at a time; what they make stays in the first cache */
enum { W = 8, FEW = 1, SETS = 2, SHORT = 64, LONG = 400, BLOCK = 32 };
typedef double lanes __attribute__((vector_size(64), aligned(8), may_alias));
typedef long long flags __attribute__((vector_size(64), aligned(8), may_alias));

/* a pivot so far below its diagonal: eliminated anew from 0 on, which decides */
static const double suspicious = 1e-9;

/* ---- one by one */

int actio_tri_factor(size_t n, const double *diag, const double *off, double *factors)
{
    double m = 0, before = 0;
    for (size_t k = 0; k < n; k++) {
        double pivot = diag[k] - before * m;
        if (!(pivot > ACTIO_PIVOT_NOISE * diag[k]) || !(pivot <= DBL_MAX)) return (int)k + 1;
        factors[2 * k] = 1 / pivot;
        before = k + 1 < n ? off[k] : 0;
        m = factors[2 * k + 1] = before * factors[2 * k];
    }
    return 0;
}

void actio_tri_apply(size_t n, const double *factors, const double *b, double *x)
{
    double f = 0, m = 0;
    for (size_t k = 0; k < n; k++) {
        f = b[k] - m * f;
        m = factors[2 * k + 1];
        x[k] = f * factors[2 * k];
    }
    for (size_t k = n; k-- > 1;) x[k - 1] -= factors[2 * k - 1] * x[k];
}

static int solve_simply(size_t n, const double *diag, const double *off, const double *b, double *x, double *work)
{
    int bad = actio_tri_factor(n, diag, off, work);
    if (!bad) actio_tri_apply(n, work, b, x);
    return bad;
}

/* ---- into lanes and back: squares of four rows and four segments, turned in registers */

enum { Q = 4 };
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

/* Rows of a square at `from`, `step` apart, become its columns at `to`. */
INLINE void turn(const double *from, size_t step, double *to, size_t to_step)
{
    quad r = *(const quad *)from, s = *(const quad *)(from + step), t = *(const quad *)(from + 2 * step),
         u = *(const quad *)(from + 3 * step);
    quad a = __builtin_shufflevector(r, s, 0, 4, 2, 6), b = __builtin_shufflevector(r, s, 1, 5, 3, 7);
    quad c = __builtin_shufflevector(t, u, 0, 4, 2, 6), d = __builtin_shufflevector(t, u, 1, 5, 3, 7);
    *(quad *)to = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    *(quad *)(to + to_step) = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    *(quad *)(to + 2 * to_step) = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    *(quad *)(to + 3 * to_step) = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* Squares at the edges, number by number. */
static __attribute__((noinline)) void turn_some(size_t step, ptrdiff_t first, size_t n, const double *from, size_t many,
                                                double rest, double *to, size_t lanes_of)
{
    for (size_t i = 0; i < many; i++)
        for (size_t l = 0; l < Q; l++) {
            ptrdiff_t at = first + (ptrdiff_t)(l * step + i);
            to[i * lanes_of + l] = at >= 0 && at < (ptrdiff_t)n ? from[at] : rest;
        }
}

static __attribute__((noinline)) void turn_some_back(size_t step, size_t first, size_t n, const double *from,
                                                     size_t many, double *to, size_t lanes_of)
{
    for (size_t i = 0; i < many; i++)
        for (size_t l = 0; l < Q; l++)
            if (first + l * step + i < n) to[first + l * step + i] = from[i * lanes_of + l];
}

CLONED void actio_tri_to_lanes(struct actio_tri_cut cut, size_t n, const double *from, ptrdiff_t row, size_t rows,
                               double rest, double *to)
{
    for (size_t j = 0; j < rows; j += Q, to += Q * cut.lanes)
        for (size_t g = 0; g < cut.lanes; g += Q) {
            ptrdiff_t first = (ptrdiff_t)(g * cut.rows + j) + row;
            if (rows - j < Q || first < 0 || (size_t)first + (Q - 1) * cut.rows + Q > n) {
                turn_some(cut.rows, first, n, from, rows - j < Q ? rows - j : Q, rest, to + g, cut.lanes);
                continue;
            }
            turn(from + first, cut.rows, to + g, cut.lanes);
        }
}

CLONED void actio_tri_from_lanes(struct actio_tri_cut cut, size_t n, const double *from, size_t row, size_t rows,
                                 double *to)
{
    for (size_t j = 0; j < rows; j += Q, from += Q * cut.lanes)
        for (size_t g = 0; g < cut.lanes; g += Q) {
            size_t first = g * cut.rows + row + j;
            if (rows - j < Q || first + (Q - 1) * cut.rows + Q > n) {
                turn_some_back(cut.rows, first, n, from + g, rows - j < Q ? rows - j : Q, to, cut.lanes);
                continue;
            }
            turn(from + g, cut.lanes, to + first, cut.rows);
        }
}

/* ---- in lanes */

struct actio_tri_cut actio_tri_cut(size_t n)
{
    size_t lanes_of = n < SHORT ? 0 : n < LONG ? FEW * W : SETS * W;
    return (struct actio_tri_cut){ lanes_of, lanes_of ? (n + lanes_of - 1) / lanes_of : 0 };
}

void actio_tri_begin(struct actio_tri_sweep *w, size_t n, double *work)
{
    w->cut = actio_tri_cut(n);
    w->keep = (double *)(((uintptr_t)work + 63) & ~(uintptr_t)63);
    w->bad = 0;
    w->T[0] = 0;
    memset(w->off, 0, sizeof w->off);
    memset(w->inverse, 0, sizeof w->inverse);
    memset(w->f, 0, sizeof w->f);
    memset(w->take_pivot, 0, sizeof w->take_pivot);
    memset(w->take_right, 0, sizeof w->take_right);
    for (size_t l = 0; l < ACTIO_TRI_LANES; l++) w->spike[l] = 1;
}

/* keep: by row f / pivot, multiplier of the row before, spike / pivot. The spike is that of a coupling of 1. */
INLINE void go_forward(size_t sets, struct actio_tri_sweep *w, size_t row, size_t rows, const double *diag,
                       const double *off, const double *right)
{
    lanes e[SETS], inverse[SETS], f[SETS], s[SETS], take_pivot[SETS], take_right[SETS];
    flags bad = { 0 };
    size_t end = row + rows < w->cut.rows ? rows : w->cut.rows - 1 - row;
    for (size_t g = 0; g < sets; g++) {
        e[g] = *(const lanes *)(w->off + g * W);
        inverse[g] = *(const lanes *)(w->inverse + g * W);
        f[g] = *(const lanes *)(w->f + g * W);
        s[g] = *(const lanes *)(w->spike + g * W);
        take_pivot[g] = *(const lanes *)(w->take_pivot + g * W);
        take_right[g] = *(const lanes *)(w->take_right + g * W);
    }
    for (size_t j = 0; j < end; j++)
        for (size_t g = 0; g < sets; g++) {
            size_t at = (j * sets + g) * W;
            lanes *to = (lanes *)(w->keep + 3 * (row * sets * W + at)), d = *(const lanes *)(diag + at),
                  m = e[g] * inverse[g], square = e[g] * e[g];
            lanes pivot = d - square * inverse[g]; /* a product less to wait for than with m */
            f[g] = *(const lanes *)(right + at) - m * f[g];
            if (row + j) s[g] *= -m;
            /* a sign, and no comparison; what is not a number goes on to the separators */
            bad |= (flags)(pivot - suspicious * d);
            inverse[g] = 1 / pivot;
            lanes q = s[g] * inverse[g];
            take_right[g] += q * f[g];
            take_pivot[g] += q * s[g];
            to[0] = f[g] * inverse[g];
            to[1] = m;
            to[2] = q;
            e[g] = *(const lanes *)(off + at);
        }
    for (size_t g = 0; g < sets; g++) {
        *(lanes *)(w->off + g * W) = e[g];
        *(lanes *)(w->inverse + g * W) = inverse[g];
        *(lanes *)(w->f + g * W) = f[g];
        *(lanes *)(w->spike + g * W) = s[g];
        *(lanes *)(w->take_pivot + g * W) = take_pivot[g];
        *(lanes *)(w->take_right + g * W) = take_right[g];
    }
    for (size_t l = 0; l < W; l++) w->bad |= bad[l] < 0;
}

CLONED static void forward_few(struct actio_tri_sweep *w, size_t row, size_t rows, const double *diag,
                               const double *off, const double *right)
{
    go_forward(FEW, w, row, rows, diag, off, right);
}
CLONED static void forward_many(struct actio_tri_sweep *w, size_t row, size_t rows, const double *diag,
                                const double *off, const double *right)
{
    go_forward(SETS, w, row, rows, diag, off, right);
}

/* The last row: what the segments leave for their separators. */
static void reach_ends(struct actio_tri_sweep *w, const double *diag, const double *off, const double *right)
{
    for (size_t l = 0; l < w->cut.lanes; l++) {
        double m = w->off[l] * w->inverse[l];
        w->last_m[l] = m;
        w->pivot[l] = diag[l] - w->off[l] * w->off[l] * w->inverse[l];
        w->size[l] = diag[l];
        w->right[l] = right[l] - m * w->f[l];
        w->beside[l] = -m * w->spike[l];
        w->next[l] = off[l];
    }
}

void actio_tri_forward(struct actio_tri_sweep *w, size_t row, size_t rows, const double *diag, const double *off,
                       const double *right)
{
    (w->cut.lanes == FEW * W ? forward_few : forward_many)(w, row, rows, diag, off, right);
    size_t last = (rows - 1) * w->cut.lanes;
    if (row + rows == w->cut.rows) reach_ends(w, diag + last, off + last, right + last);
}

/* Their system: a segment's spike is that of 1 times its coupling to the separator before it. `off` couples k and k +
 * 1. */
static void collect_ends(const struct actio_tri_sweep *w, double *diag, double *off, double *right)
{
    size_t last = w->cut.lanes - 1;
    for (size_t k = 0; k < last; k++) {
        double next = w->next[k];
        diag[k] = w->pivot[k] - w->take_pivot[k + 1] * next * next;
        right[k] = w->right[k] - w->take_right[k + 1] * next;
        off[k] = w->beside[k + 1] * next;
    }
    diag[last] = w->pivot[last];
    right[last] = w->right[last];
    off[last] = 0;
}

/* The separators from both ends at once, towards the middle: half as long to wait. */
int actio_tri_meet(struct actio_tri_sweep *w)
{
    double diag[ACTIO_TRI_LANES], off[ACTIO_TRI_LANES], m[ACTIO_TRI_LANES], *T = w->T + 1;
    size_t K = w->cut.lanes, half = K / 2, i = 0, j = K - 1;
    collect_ends(w, diag, off, T);
    double a = diag[0], b = diag[j], f = T[0], g = T[j]; /* pivots and right-hand sides, of the two that are next */
    bool good = !w->bad;
    for (; i + 1 < half; i++, j--) {
        double up = 1 / a, down = 1 / b;
        good &= (a > suspicious * w->size[i]) & (b > suspicious * w->size[j]);
        m[i] = off[i] * up;
        T[i] = f * up;
        f = T[i + 1] - m[i] * f;
        a = diag[i + 1] - off[i] * off[i] * up;
        m[j] = off[j - 1] * down;
        T[j] = g * down;
        g = T[j - 1] - m[j] * g;
        b = diag[j - 1] - off[j - 1] * off[j - 1] * down;
    }
    double e = off[i], up = 1 / a, c = b - e * e * up;
    if (!(good & (a > suspicious * w->size[i]) & (c > suspicious * w->size[j]))) return 1;
    g = T[j] = (g - e * up * f) / c;
    f = T[i] = (f - e * g) * up;
    while (i-- > 0) {
        j++;
        f = T[i] -= m[i] * f;
        g = T[j] -= m[j] * g;
    }
    double sum = 0; /* a NaN anywhere is a NaN here */
    for (size_t k = 0; k < K; k++) {
        w->left[k] = k ? w->next[k - 1] * T[k - 1] : 0;
        sum += T[k];
    }
    return !(sum * 0 == 0);
}

INLINE void go_back(size_t sets, struct actio_tri_sweep *w, size_t row, size_t rows, double *x)
{
    lanes t[SETS], m[SETS], left[SETS];
    for (size_t g = 0; g < sets; g++) {
        t[g] = *(const lanes *)(w->f + g * W);
        m[g] = *(const lanes *)(w->last_m + g * W);
        left[g] = *(const lanes *)(w->left + g * W);
    }
    for (size_t j = rows; j-- > 0;)
        for (size_t g = 0; g < sets; g++) {
            size_t at = (j * sets + g) * W;
            const lanes *from = (const lanes *)(w->keep + 3 * (row * sets * W + at));
            t[g] = (from[0] - from[2] * left[g]) - m[g] * t[g];
            m[g] = from[1];
            *(lanes *)(x + at) = t[g];
        }
    for (size_t g = 0; g < sets; g++) {
        *(lanes *)(w->f + g * W) = t[g];
        *(lanes *)(w->last_m + g * W) = m[g];
    }
}

CLONED static void back_few(struct actio_tri_sweep *w, size_t row, size_t rows, double *x)
{
    go_back(FEW, w, row, rows, x);
}
CLONED static void back_many(struct actio_tri_sweep *w, size_t row, size_t rows, double *x)
{
    go_back(SETS, w, row, rows, x);
}

void actio_tri_back(struct actio_tri_sweep *w, size_t row, size_t rows, double *x)
{
    size_t lanes_of = w->cut.lanes;
    if (row + rows == w->cut.rows) {
        rows--;
        memcpy(w->f, w->T + 1, lanes_of * sizeof *w->f);
        memcpy(x + rows * lanes_of, w->f, lanes_of * sizeof *x);
    }
    (lanes_of == FEW * W ? back_few : back_many)(w, row, rows, x);
}

static bool solve_segments(size_t n, const double *diag, const double *off, const double *b, double *x, double *work)
{
    struct actio_tri_sweep w;
    double part[3][BLOCK * ACTIO_TRI_LANES] __attribute__((aligned(64)));
    actio_tri_begin(&w, n, work);
    size_t rows = w.cut.rows;
    for (size_t row = 0; row < rows; row += BLOCK) {
        size_t many = rows - row < BLOCK ? rows - row : BLOCK;
        actio_tri_to_lanes(w.cut, n, diag, (ptrdiff_t)row, many, 1, part[0]);
        actio_tri_to_lanes(w.cut, n - 1, off, (ptrdiff_t)row, many, 0, part[1]);
        actio_tri_to_lanes(w.cut, n, b, (ptrdiff_t)row, many, 0, part[2]);
        actio_tri_forward(&w, row, many, part[0], part[1], part[2]);
    }
    if (actio_tri_meet(&w)) return false;
    for (size_t row = (rows - 1) / BLOCK * BLOCK;; row -= BLOCK) {
        size_t many = rows - row < BLOCK ? rows - row : BLOCK;
        actio_tri_back(&w, row, many, part[0]);
        actio_tri_from_lanes(w.cut, n, part[0], row, many, x);
        if (row == 0) return true;
    }
}

int actio_tri_solve(size_t n, const double *diag, const double *off, const double *b, double *x, double *work)
{
    if (n >= SHORT && solve_segments(n, diag, off, b, x, work)) return 0;
    return solve_simply(n, diag, off, b, x, work);
}

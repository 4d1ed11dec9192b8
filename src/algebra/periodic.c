/* SPDX-License-Identifier: Apache-2.0
 * Periodic Schur form by plane rotations. A_0 .. A_{k-2} are kept triangular, A_{k-1} = H is Hessenberg until it is
 * triangular too:
 *   A_i := Z_{i+1}* A_i Z_i,   Z_k = Z_0.
 * A rotation of rows l, l+1 of H belongs to Z_0; it is passed through A_0, A_1, ... and comes back to the columns of H.
 * */
#include "algebra/periodic.h"
#include "algebra/dense.h"
#include "algebra/scaled.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define PI 3.14159265358979323846 /* the argument of a negative number */
/* sweeps per eigenvalue; every tenth shift is odd, 6 of ten may be 0; powers of 2 */
enum { MAX_SWEEPS = 120, ODD_SHIFT = 10, ZERO_SHIFTS = 6, GRADED = 40 };

/* the factors came divided by 2^exponent in all */
struct chain {
    size_t n, k;
    actio_cx *t, *z;
    double exponent, *rest;
};
struct turn {
    double c;
    actio_cx s;
}; /* (c, s; -s*, c) */

static actio_cx *periodic_factor(const struct chain *p, size_t i) { return p->t + i * p->n * p->n; }
static actio_cx *hessenberg(const struct chain *p) { return periodic_factor(p, p->k - 1); }

/* ---- rotations */

/* The rotation that takes (f, g) to (r, 0). Sizes by hypot: what is chased may be as small as 1e-200. */
static struct turn turn_to(actio_cx f, actio_cx g)
{
    double size_f = actio_cx_abs(f), size_g = actio_cx_abs(g), r = hypot(size_f, size_g);
    if (size_g == 0) return (struct turn){ 1, { 0, 0 } };
    if (size_f == 0) return (struct turn){ 0, { g.re / size_g, -g.im / size_g } };
    actio_cx unit_f = { f.re / size_f, f.im / size_f }, unit_g = { g.re / size_g, -g.im / size_g };
    actio_cx s = actio_cx_mul(unit_f, unit_g);
    return (struct turn){ size_f / r, { s.re * (size_g / r), s.im * (size_g / r) } };
}

/* (x, y) := (c x + s y, c y - s* x), entries `step` apart */
static void turn_pair(size_t count, actio_cx *x, actio_cx *y, size_t step, double c, actio_cx s)
{
    for (size_t i = 0; i < count * step; i += step) {
        actio_cx u = x[i], v = y[i];
        x[i].re = c * u.re + s.re * v.re - s.im * v.im;
        x[i].im = c * u.im + s.re * v.im + s.im * v.re;
        y[i].re = c * v.re - s.re * u.re - s.im * u.im;
        y[i].im = c * v.im - s.re * u.im + s.im * u.re;
    }
}

/* rows l, l+1 from column `from` on */
static void turn_rows(size_t n, actio_cx *a, size_t l, size_t from, struct turn g)
{
    turn_pair(n - from, a + l * n + from, a + (l + 1) * n + from, 1, g.c, g.s);
}

/* columns l, l+1, the first `rows` of them, by the inverse rotation */
static void turn_columns(size_t n, actio_cx *a, size_t l, size_t rows, struct turn g)
{
    turn_pair(rows, a + l, a + l + 1, n, g.c, (actio_cx){ g.s.re, -g.s.im });
}

/* The rotation that makes entry (l+1, c) vanish is done to the rows, from column c on. */
static struct turn clear_entry(size_t n, actio_cx *a, size_t l, size_t c)
{
    struct turn g = turn_to(a[l * n + c], a[(l + 1) * n + c]);
    turn_rows(n, a, l, c, g);
    a[(l + 1) * n + c] = (actio_cx){ 0, 0 };
    return g;
}

/* Through the triangular factor a: columns l, l+1 turned by g, triangular again by the rotation returned. */
static struct turn periodic_pass(size_t n, actio_cx *a, size_t l, struct turn g)
{
    turn_columns(n, a, l, l + 2, g);
    return clear_entry(n, a, l, l);
}

/* A rotation that was done to rows l, l+1 of H goes all the way round. `rows` of H's columns have entries. */
static void pass_round(const struct chain *p, size_t l, size_t rows, struct turn g)
{
    turn_columns(p->n, p->z, l, p->n, g);
    for (size_t i = 0; i + 1 < p->k; i++) g = periodic_pass(p->n, periodic_factor(p, i), l, g);
    turn_columns(p->n, hessenberg(p), l, rows, g);
}

/* ---- reduction to Hessenberg and triangular form */

static void make_triangular(const struct chain *p, size_t i)
{
    size_t n = p->n;
    for (size_t c = 0; c + 1 < n; c++)
        for (size_t l = n - 1; l-- > c;)
            turn_columns(n, periodic_factor(p, i + 1), l, n, clear_entry(n, periodic_factor(p, i), l, c));
}

static void periodic_reduce(const struct chain *p)
{
    size_t n = p->n;
    for (size_t i = 0; i + 1 < p->k; i++) make_triangular(p, i);
    for (size_t c = 0; c + 2 < n; c++)
        for (size_t l = n - 1; l-- > c + 1;) pass_round(p, l, n, clear_entry(n, hessenberg(p), l, c));
}

/* ---- sweeps over the window lo .. hi */

/* rows of columns l, l+1 of H that have entries while a bulge is chased */
static size_t column_end(size_t l, size_t hi) { return (l + 2 < hi ? l + 2 : hi) + 1; }

/* Shift 0: H is made triangular first, then its rotations go round factor by factor. This finds the null space of a
 * singular factor too. */
static void sweep_zero(const struct chain *p, size_t lo, size_t hi, struct turn *g)
{
    size_t n = p->n;
    for (size_t l = lo; l < hi; l++) g[l] = clear_entry(n, hessenberg(p), l, l);
    for (size_t l = lo; l < hi; l++) turn_columns(n, p->z, l, n, g[l]);
    for (size_t i = 0; i + 1 < p->k; i++)
        for (size_t l = lo; l < hi; l++) g[l] = periodic_pass(n, periodic_factor(p, i), l, g[l]);
    for (size_t l = lo; l < hi; l++) turn_columns(n, hessenberg(p), l, l + 2, g[l]);
}

static void sweep_shifted(const struct chain *p, size_t lo, size_t hi, struct turn g)
{
    actio_cx *h = hessenberg(p);
    turn_rows(p->n, h, lo, lo, g);
    pass_round(p, lo, column_end(lo, hi), g);
    for (size_t l = lo + 1; l < hi; l++) pass_round(p, l, column_end(l, hi), clear_entry(p->n, h, l, l - 1));
}

/* ---- shifts */

/* The trailing 3 x 3 block of A_{k-2} ... A_0 in the window (padded with zeros when the window is 2 x 2), scaled. */
struct corner {
    actio_cx m[3][3];
    double exponent;
};

static void corner_scale(struct corner *b)
{
    double largest = 0;
    for (int i = 0; i < 9; i++) largest = fmax(largest, fmax(fabs(b->m[i / 3][i % 3].re), fabs(b->m[i / 3][i % 3].im)));
    double s = actio_scale_power(largest);
    int e;
    frexp(s, &e);
    b->exponent -= e - 1;
    for (int i = 0; i < 9; i++) {
        b->m[i / 3][i % 3].re *= s;
        b->m[i / 3][i % 3].im *= s;
    }
}

static actio_cx window_entry(const struct chain *p, const actio_cx *a, size_t lo, size_t hi, int r, int c)
{
    size_t row = hi + (size_t)r, col = hi + (size_t)c; /* of the last three, two back */
    if (row < lo + 2 || col < lo + 2) return (actio_cx){ 0, 0 };
    return a[(row - 2) * p->n + col - 2];
}

static struct corner corner_product(const struct chain *p, size_t lo, size_t hi)
{
    struct corner b = { .m = { { { 1, 0 } }, { { 0, 0 }, { 1, 0 } }, { { 0, 0 }, { 0, 0 }, { 1, 0 } } } };
    for (size_t f = 0; f < p->k; f++) {
        struct corner next = { .exponent = b.exponent };
        const actio_cx *a = periodic_factor(p, f);
        for (int i = 0; i < 9; i++)
            for (int l = 0; l < 3; l++)
                next.m[i / 3][i % 3] = actio_cx_add(next.m[i / 3][i % 3],
                                                    actio_cx_mul(window_entry(p, a, lo, hi, i / 3, l), b.m[l][i % 3]));
        b = next;
        corner_scale(&b);
    }
    return b;
}

/* The eigenvalue of the last 2 x 2 block of the product that is nearer to its last entry (Wilkinson), as d - bc/(delta
 * + root). */
static struct actio_scaled wilkinson(const struct corner *q)
{
    actio_cx a = q->m[1][1], d = q->m[2][2], bc = actio_cx_mul(q->m[1][2], q->m[2][1]);
    actio_cx delta = { (a.re - d.re) / 2, (a.im - d.im) / 2 };
    actio_cx root = actio_cx_sqrt(actio_cx_add(actio_cx_mul(delta, delta), bc));
    if (delta.re * root.re + delta.im * root.im < 0) root = (actio_cx){ -root.re, -root.im };
    actio_cx far = actio_cx_add(delta, root), step = { 0, 0 };
    if (actio_cx_abs(far) > 0) step = actio_cx_div(bc, far);
    return actio_scaled_make((actio_cx){ d.re - step.re, d.im - step.im }, q->exponent);
}

/* A number of the product's size that no symmetry of it shares: gets a stuck iteration going. */
static struct actio_scaled odd_shift(const struct corner *q)
{
    double size = actio_cx_abs(q->m[2][1]) + actio_cx_abs(q->m[2][2]);
    return actio_scaled_make((actio_cx){ 0.75 * size, 0.4375 * size }, q->exponent);
}

/* of entries (l, l) of the first `factors`, times 2^exponent */
static struct actio_scaled diagonal_product(const struct chain *p, size_t factors, size_t l, double exponent)
{
    struct actio_scaled product = actio_scaled_make((actio_cx){ 1, 0 }, exponent);
    for (size_t i = 0; i < factors; i++) product = actio_scaled_mul(product, periodic_factor(p, i)[l * (p->n + 1)]);
    return product;
}

/* First rotation of a shifted sweep: from (h_00 tau - sigma, h_10 tau), tau the product of the leading entries of the
 * other factors.
 * False when the shift outweighs the rest by so much that the rotation would be none. */
static bool first_turn(const struct chain *p, size_t lo, struct actio_scaled sigma, struct turn *g)
{
    const actio_cx *h = hessenberg(p) + lo * p->n + lo;
    /* infinite or NAN when tau is 0 or far too small */
    actio_cx s = actio_scaled_ratio(sigma, diagonal_product(p, p->k - 1, lo, 0));
    if (!(actio_cx_abs(s) < 1e200)) return false;
    *g = turn_to((actio_cx){ h->re - s.re, h->im - s.im }, h[p->n]);
    return true;
}

/* Is an entry on the diagonal of a triangular factor lost beside the others of its window? Then a shift can't be passed
 * through it. */
static bool has_null(const struct chain *p, size_t lo, size_t hi)
{
    for (size_t i = 0; i + 1 < p->k; i++) {
        const actio_cx *a = periodic_factor(p, i);
        double largest = 0, least = INFINITY;
        for (size_t r = lo; r <= hi; r++) {
            for (size_t c = r; c <= hi; c++)
                largest = fmax(largest, fmax(fabs(a[r * p->n + c].re), fabs(a[r * p->n + c].im)));
            least = fmin(least, actio_cx_abs(a[r * p->n + r]));
        }
        if (least <= DBL_EPSILON * largest) return true;
    }
    return false;
}

/* Do the products of diagonal entries differ by so much that rounding hides one beside another? A shift of the size of
 * one would be lost on its way past the other, while sweeps without one part them at once. */
static bool is_graded(const struct chain *p, size_t lo, size_t hi)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t l = lo; l <= hi; l++) {
        struct actio_scaled product = diagonal_product(p, p->k - 1, l, 0);
        if (product.m.re == 0 && product.m.im == 0) return true;
        least = fmin(least, product.exponent);
        most = fmax(most, product.exponent);
    }
    return most - least > GRADED;
}

static void sweep(const struct chain *p, size_t lo, size_t hi, int count)
{
    struct turn *stored = (struct turn *)p->rest, first;
    if (count % ODD_SHIFT < ZERO_SHIFTS && (is_graded(p, lo, hi) || has_null(p, lo, hi))) {
        sweep_zero(p, lo, hi, stored);
        return;
    }
    struct corner q = corner_product(p, lo, hi);
    struct actio_scaled sigma = count % ODD_SHIFT == ODD_SHIFT - 1 ? odd_shift(&q) : wilkinson(&q);
    if (first_turn(p, lo, sigma, &first)) sweep_shifted(p, lo, hi, first);
    else sweep_zero(p, lo, hi, stored);
}

/* ---- deflation */

static double largest_entry(size_t count, const actio_cx *a)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fmax(fabs(a[i].re), fabs(a[i].im)));
    return largest;
}

/* Where the window that ends at hi begins. A negligible entry beside the diagonal of H is one that rounding its
 * neighbours would change. */
static size_t window_start(const struct chain *p, size_t hi)
{
    actio_cx *h = hessenberg(p);
    size_t n = p->n, l = hi;
    for (; l > 0; l--) {
        double beside = actio_cx_abs(h[(l - 1) * n + l - 1]) + actio_cx_abs(h[l * n + l]);
        if (beside == 0) beside = largest_entry(n * n, h);
        if (actio_cx_abs(h[l * n + l - 1]) > DBL_EPSILON * beside) continue;
        h[l * n + l - 1] = (actio_cx){ 0, 0 };
        break;
    }
    return l;
}

/* How many eigenvalues, counted from above, were not found: 0 when H is triangular. */
static size_t periodic_iterate(const struct chain *p)
{
    size_t left = p->n;
    int count = 0;
    while (left > 1 && count < MAX_SWEEPS) {
        size_t lo = window_start(p, left - 1);
        if (lo + 1 == left) {
            left--;
            count = 0;
        } else sweep(p, lo, left - 1, count++);
    }
    return left > 1 ? left : 0;
}

/* ---- in and out */

static struct chain periodic_lay_out(size_t n, size_t k, double *work)
{
    struct chain p = { .n = n, .k = k, .t = (actio_cx *)work };
    p.z = p.t + k * n * n;
    p.rest = (double *)(p.z + n * n); /* rotations or eigenvalues: 3 n; vectors: 2 k n + max(8 k, 2 n) */
    return p;
}

size_t actio_periodic_work(size_t n, size_t k) { return 2 * (k + 1) * n * n + 4 * n + 2 * k * (n + 4); }

/* Factors are scaled to largest entry in [1/2, 1): exactly, by powers of two. */
static bool take_factors(struct chain *p, const double *a)
{
    size_t n = p->n;
    p->exponent = 0;
    for (size_t f = 0; f < p->k; f++) {
        double largest = 0;
        for (size_t i = 0; i < n * n; i++) {
            if (!isfinite(a[f * n * n + i])) return false;
            largest = fmax(largest, fabs(a[f * n * n + i]));
        }
        double s = actio_scale_power(largest);
        int e;
        frexp(s, &e);
        p->exponent -= e - 1;
        for (size_t i = 0; i < n * n; i++) periodic_factor(p, f)[i] = (actio_cx){ s * a[f * n * n + i], 0 };
    }
    memset(p->z, 0, n * n * sizeof *p->z);
    for (size_t i = 0; i < n; i++) p->z[i * n + i].re = 1;
    return true;
}

/* Larger modulus first, then the smaller angle; equal ones keep the order of the Schur form. */
static bool comes_before(const struct actio_multiplier *a, const struct actio_multiplier *b)
{
    return a->log_modulus != b->log_modulus ? a->log_modulus > b->log_modulus : a->argument < b->argument;
}

/* Insertion of one more. place[i]: where w[i] stands in the Schur form. */
static void insert(size_t count, struct actio_multiplier *w, int *place, struct actio_multiplier value, int at)
{
    size_t i = count;
    for (; i > 0 && comes_before(&value, &w[i - 1]); i--) {
        w[i] = w[i - 1];
        place[i] = place[i - 1];
    }
    w[i] = value;
    place[i] = at;
}

/* Only the upper one of a pair is sorted; then each is followed by its conjugate, so that pairs stay together. */
static void sort(size_t n, size_t first, struct actio_multiplier *w, int *place)
{
    size_t count = 0, end = n;
    for (size_t j = 0; j < n; j++)
        if (w[j].argument >= 0) insert(count++, w, place, w[j], (int)(first + j));
    while (count-- > 0) {
        struct actio_multiplier value = w[count];
        int at = place[count];
        if (value.argument > 0 && value.argument < PI) {
            place[--end] = at;
            w[end] = (struct actio_multiplier){ value.re, -value.im, value.log_modulus, -value.argument };
        }
        place[--end] = at;
        w[end] = value;
    }
}

int actio_periodic_eigen(size_t n, size_t k, const double *a, struct actio_multiplier *w, double *work, int *iwork)
{
    struct chain p = periodic_lay_out(n, k, work);
    if (!take_factors(&p, a)) return ACTIO_PERIODIC_NOT_FINITE;
    periodic_reduce(&p);
    size_t lost = periodic_iterate(&p), found = n - lost;
    struct actio_scaled *value = (struct actio_scaled *)p.rest;
    for (size_t j = 0; j < found; j++) value[j] = diagonal_product(&p, k, lost + j, p.exponent);
    actio_scaled_conjugates(found, 4 * DBL_EPSILON * (double)(n + k), value, w);
    sort(found, lost, w, iwork);
    for (size_t j = found; j < n; j++) {
        w[j] = (struct actio_multiplier){ NAN, NAN, NAN, NAN };
        iwork[j] = -1;
    }
    return lost ? ACTIO_PERIODIC_NOT_CONVERGED : 0;
}

/* ---- eigenvectors */

/* d_i y_i - e_i y_{i+1} = b_i, i = 0 .. k-1, y_k = y_0, by rotations: y_1, y_2, ... are eliminated in turn, y_0 is
 * carried along. */
struct cycle {
    actio_cx pivot, first, next, right;
}; /* pivot y_i + first y_0 + next y_{i+1} = right */

/* A pivot that vanishes belongs to an eigenvalue met twice: any multiple of the vector of the other one may be added.
 * Entries are about 1. */
static actio_cx divide_by_pivot(actio_cx a, actio_cx pivot)
{
    return actio_cx_div(a, actio_cx_abs(pivot) > 0 ? pivot : (actio_cx){ DBL_EPSILON, 0 });
}

/* row i of the cycle joins the carried row: one of the two loses y_i and is carried on, the other is kept. */
static void cycle_step(struct cycle *carried, actio_cx d, actio_cx e, actio_cx b, struct cycle *kept)
{
    struct turn g = turn_to(carried->next, d);
    struct cycle low = { .next = { -e.re, -e.im }, .right = b };
    *kept = (struct cycle){ .first = carried->first, .right = carried->right };
    turn_pair(1, &carried->next, &d, 1, g.c, g.s);
    kept->pivot = carried->next;
    turn_pair(1, &kept->first, &low.first, 1, g.c, g.s);
    turn_pair(1, &kept->next, &low.next, 1, g.c, g.s);
    turn_pair(1, &kept->right, &low.right, 1, g.c, g.s);
    *carried = low;
}

/* Row r of the vectors y^(i) of the triangular factors, T_i y^(i) = (T_i)_jj y^(i+1), from the rows below it; y: k x n.
 * */
static void solve_row(const struct chain *p, size_t r, size_t j, actio_cx *y, struct cycle *c)
{
    size_t n = p->n, k = p->k;
    struct cycle carried = { .pivot = { 0, 0 } };
    for (size_t i = 0; i < k; i++) {
        const actio_cx *t = periodic_factor(p, i), d = t[r * n + r], e = t[j * n + j];
        actio_cx b = { 0, 0 };
        for (size_t s = r + 1; s <= j; s++) b = actio_cx_sub(b, actio_cx_mul(t[r * n + s], y[i * n + s]));
        if (i == 0) carried = (struct cycle){ .first = d, .next = { -e.re, -e.im }, .right = b };
        else cycle_step(&carried, d, e, b, &c[i]);
    }
    y[r] = divide_by_pivot(carried.right, actio_cx_add(carried.first, carried.next));
    for (size_t i = k; i-- > 1;) {
        actio_cx known = actio_cx_add(actio_cx_mul(c[i].first, y[r]), actio_cx_mul(c[i].next, y[(i + 1) % k * n + r]));
        y[i * n + r] = divide_by_pivot(actio_cx_sub(c[i].right, known), c[i].pivot);
    }
}

/* A complex multiple of a real vector: x = its real unit vector, from the entry that is largest. */
static int real_direction(size_t n, const actio_cx *v, double *x)
{
    size_t most = 0;
    for (size_t i = 1; i < n; i++)
        if (actio_cx_abs(v[i]) > actio_cx_abs(v[most])) most = i;
    for (size_t i = 0; i < n; i++) x[i] = actio_cx_div(v[i], v[most]).re;
    double length = actio_norm(n, x);
    for (size_t i = 0; i < n; i++) x[i] /= length;
    return isfinite(length) && length > 0 ? 0 : 1;
}

int actio_periodic_vector(size_t n, size_t k, size_t which, double *x, double *work, const int *iwork)
{
    if (iwork[n - 1] < 0) return 1; /* not triangular all through */
    struct chain p = periodic_lay_out(n, k, work);
    size_t j = (size_t)iwork[which];
    actio_cx *y = (actio_cx *)p.rest, *v = y + k * n;
    memset(y, 0, k * n * sizeof *y);
    for (size_t i = 0; i < k; i++) y[i * n + j] = (actio_cx){ 1, 0 };
    for (size_t r = j; r-- > 0;) solve_row(&p, r, j, y, (struct cycle *)v);
    for (size_t i = 0; i < n; i++) {
        v[i] = (actio_cx){ 0, 0 };
        for (size_t s = 0; s <= j; s++) v[i] = actio_cx_add(v[i], actio_cx_mul(p.z[i * n + s], y[s]));
    }
    return real_direction(n, v, x);
}

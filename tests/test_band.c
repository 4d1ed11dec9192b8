/* SPDX-License-Identifier: Apache-2.0
 * The band with a border: chains, strings and arrows, regular where their bands are not, against the dense solver and
 * by residuals. */
#include "algebra/linear.h"
#include "check.h"

#include <float.h>

static uint64_t seed = 20;

static double draw(void) /* in (-1, 1) */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed ^ (seed >> 29)) / 9223372036854775808.0;
}

struct matrix {
    size_t n, count, room;
    uint32_t *i, *j;
    double *v;
};

static void begin(struct matrix *a, size_t n, size_t room)
{
    *a = (struct matrix){
        n, 0, room, malloc(room * sizeof *a->i), malloc(room * sizeof *a->j), malloc(room * sizeof *a->v)
    };
}

static void done(struct matrix *a)
{
    free(a->i);
    free(a->j);
    free(a->v);
}

static void at(struct matrix *a, size_t i, size_t j, double v)
{
    if (a->count == a->room) abort();
    a->i[a->count] = (uint32_t)i;
    a->j[a->count] = (uint32_t)j;
    a->v[a->count++] = v;
}

static void both(struct matrix *a, size_t i, size_t j, double v)
{
    at(a, i, j, v);
    at(a, j, i, v);
}

/* Rows and columns renamed in the same way at random: the order has to be found again. */
static void shuffle(struct matrix *a)
{
    uint32_t *name = malloc(a->n * sizeof *name);
    for (uint32_t k = 0; k < a->n; k++) name[k] = k;
    for (size_t k = a->n; k-- > 1;) {
        size_t other = (size_t)((draw() + 1) / 2 * (double)(k + 1)) % (k + 1);
        uint32_t t = name[k];
        name[k] = name[other];
        name[other] = t;
    }
    for (size_t e = 0; e < a->count; e++) {
        a->i[e] = name[a->i[e]];
        a->j[e] = name[a->j[e]];
    }
    free(name);
}

static struct actio_pattern pattern(const struct matrix *a)
{
    return (struct actio_pattern){ .rows = a->n, .count = a->count, .i = a->i, .j = a->j };
}

/* ---- matrices */

/* Masses and links of a chain, [HAMEL B.2]: (W -D'; D 0) in x_0 .. x_N, y_0 .. y_N, tau_1 .. tau_N. Free at both ends,
 * or hung up: x_0 = y_0 = 0 by two rows more. */
static void make_chain(struct matrix *a, size_t links, bool hung)
{
    size_t nodes = links + 1, tau = 2 * nodes, n = tau + links + (hung ? 2 : 0);
    double h = 1 / (double)links, angle = 0.3;
    begin(a, n, 2 * nodes + 8 * links + 4);
    for (size_t k = 0; k < nodes; k++)
        for (size_t c = 0; c < 2; c++) at(a, c * nodes + k, c * nodes + k, k == 0 || k == links ? h / 2 : h);
    for (size_t k = 0; k < links; k++, angle += draw() / sqrt((double)links)) {
        double d[2] = { h * sin(angle), -h * cos(angle) };
        for (size_t c = 0; c < 2; c++) {
            both(a, tau + k, c * nodes + k + 1, d[c]);
            both(a, tau + k, c * nodes + k, -d[c]);
            a->v[a->count - 1] *= -1;
            a->v[a->count - 3] *= -1;
        }
    }
    if (hung) {
        both(a, n - 2, 0, 1);
        both(a, n - 1, nodes, 1);
    }
}

static void hung_chain(struct matrix *a, size_t n) { make_chain(a, n / 3, true); }
static void free_chain(struct matrix *a, size_t n) { make_chain(a, n / 3, false); }

/* Stiffness of a string without support, of rank n - 1, from `first` on. */
static void add_string(struct matrix *a, size_t first, size_t n, double more)
{
    for (size_t k = 0; k < n; k++) {
        at(a, first + k, first + k, (k == 0 || k + 1 == n ? 1 : 2) + more);
        if (k) both(a, first + k, first + k - 1, -1);
    }
}

/* Its mean is given by a global condition: regular though the band is not. */
static void free_string(struct matrix *a, size_t n)
{
    begin(a, n, 6 * n);
    add_string(a, 0, n - 1, 0);
    for (size_t k = 0; k + 1 < n; k++) both(a, n - 1, k, 1);
}

static void nearly_free_string(struct matrix *a, size_t n)
{
    begin(a, n, 6 * n);
    add_string(a, 0, n - 1, 1e-14);
    for (size_t k = 0; k + 1 < n; k++) both(a, n - 1, k, 1);
}

/* Two strings, their two means, and a load factor that touches both: three in the border, two columns that join it. */
static void two_strings(struct matrix *a, size_t n)
{
    size_t half = (n - 3) / 2, all = 2 * half;
    begin(a, all + 3, 12 * n);
    add_string(a, 0, half, 0);
    add_string(a, half, half, 0);
    for (size_t k = 0; k < half; k++) {
        both(a, all, k, 1);
        both(a, all + 1, half + k, 0.5);
    }
    for (size_t k = 0; k < all; k++) {
        at(a, k, all + 2, draw());
        at(a, all + 2, k, draw());
    }
    at(a, all + 2, all + 2, 3);
}

/* Nothing on the diagonal, two beside it on each side. */
static void hollow(struct matrix *a, size_t n)
{
    begin(a, n, 5 * n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i > 2 ? i - 2 : 0; j < n && j <= i + 2; j++)
            if (i != j) at(a, i, j, draw());
}

static void wide(struct matrix *a, size_t n)
{
    begin(a, n, 40 * n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i > 13 ? i - 13 : 0; j < n && j <= i + 11; j++) at(a, i, j, draw());
}

static void arrow(struct matrix *a, size_t n)
{
    begin(a, n, 3 * n);
    for (size_t i = 0; i < n; i++) {
        at(a, i, i, i + 1 < n ? 2 + draw() : 10);
        if (i + 1 < n) both(a, n - 1, i, draw());
    }
}

/* One mass is missing: the diagonal alone is singular. */
static void broken_arrow(struct matrix *a, size_t n)
{
    arrow(a, n);
    a->v[3 * (n / 2)] = 0;
}

/* Two borders; two masses that are almost nothing. */
static void weak_arrow(struct matrix *a, size_t n)
{
    begin(a, n, 5 * n);
    for (size_t i = 0; i + 2 < n; i++) {
        at(a, i, i, i == n / 3 || i == n / 2 ? 1e-13 : 2 + draw());
        both(a, n - 2, i, draw());
        both(a, n - 1, i, draw());
    }
    at(a, n - 2, n - 2, 1);
    at(a, n - 1, n - 1, 1);
}

static void dust(struct matrix *a, size_t n) /* nothing beside the diagonal */
{
    begin(a, n, n);
    for (size_t i = 0; i < n; i++) at(a, i, i, 2 + draw());
}

typedef void (*maker)(struct matrix *, size_t);
static const maker kind[] = { hung_chain, free_chain, free_string,  nearly_free_string, two_strings, hollow,
                              wide,       arrow,      broken_arrow, weak_arrow,         dust };
enum { KINDS = sizeof kind / sizeof *kind };

/* ---- quality */

static double largest(size_t n, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* b - A x or b - A' x, row by row beside |b| + |A| |x|: the worst */
static double residual(const struct matrix *a, const double *x, const double *b, bool transposed)
{
    double *r = malloc(2 * a->n * sizeof *r), *size = r + a->n, worst = 0, most = largest(a->n, x);
    for (size_t i = 0; i < a->n; i++) {
        r[i] = b[i];
        size[i] = 0;
    }
    for (size_t e = 0; e < a->count; e++) {
        uint32_t i = transposed ? a->j[e] : a->i[e], j = transposed ? a->i[e] : a->j[e];
        r[i] -= a->v[e] * x[j];
        size[i] += fabs(a->v[e]);
    }
    for (size_t i = 0; i < a->n; i++) worst = fmax(worst, fabs(r[i]) / (fabs(b[i]) + size[i] * most));
    free(r);
    return worst;
}

/* Three right-hand sides, plain and transposed: the worst residual; 1e300 when there is no answer. */
static double quality(const struct actio_linear_type *type, const struct matrix *a, double *kept)
{
    struct actio_context ctx;
    actio_context_init(&ctx);
    struct actio_pattern p = pattern(a);
    size_t n = a->n;
    double *b = malloc(6 * n * sizeof *b), *x = b + 3 * n, worst = 0;
    void *h = type->open(&ctx, &p);
    if (!h || type->factor(h, a->v)) worst = 1e300;
    for (int t = 0; t < 2 && worst < 1e300; t++) {
        for (size_t i = 0; i < 3 * n; i++) x[i] = b[i] = sin((double)(i * i % 1013) + t);
        type->solve(h, x, 3, t);
        for (size_t r = 0; r < 3; r++) worst = fmax(worst, residual(a, x + r * n, b + r * n, t));
        if (kept) memcpy(kept + (size_t)t * n, x, n * sizeof *x);
    }
    if (worst < 1e300) CHECK(type->rcond(h) > 0 && type->rcond(h) <= 1);
    type->close(h);
    free(b);
    CHECK(ctx.bytes == 0);
    return worst;
}

TEST(every_matrix_is_solved_to_rounding_in_any_order_of_its_rows)
{
    struct matrix a;
    for (size_t k = 0; k < KINDS; k++)
        for (size_t n = 12; n < 3000; n = n * 2 + 1) {
            kind[k](&a, n);
            CHECK(quality(&actio_linear_band, &a, NULL) < 1e-13);
            shuffle(&a);
            CHECK(quality(&actio_linear_band, &a, NULL) < 1e-13);
            done(&a);
        }
}

TEST(solutions_are_those_of_the_dense_solver)
{
    struct matrix a;
    static double x[800], y[800];
    for (size_t k = 0; k < KINDS; k++) {
        kind[k](&a, 180);
        shuffle(&a);
        CHECK(quality(&actio_linear_band, &a, x) < 1e-13);
        CHECK(quality(&actio_linear_dense, &a, y) < 1e-12);
        double scale = largest(2 * a.n, y);
        for (size_t i = 0; i < 2 * a.n; i++) CHECK_NEAR(x[i] / scale, y[i] / scale, 3e-11);
        done(&a);
    }
}

TEST(a_hundred_thousand_rows_are_no_matter)
{
    struct matrix a;
    const maker large[] = { hung_chain, free_string, two_strings, hollow, arrow };
    for (size_t k = 0; k < sizeof large / sizeof *large; k++) {
        large[k](&a, 100000);
        CHECK(quality(&actio_linear_band, &a, NULL) < 1e-13);
        done(&a);
    }
}

TEST(narrow_patterns_are_preferred_and_others_left_to_the_sparse_solver)
{
    struct matrix a;
    struct actio_context ctx;
    actio_context_init(&ctx);
    for (size_t k = 0; k < KINDS; k++) {
        kind[k](&a, 200);
        shuffle(&a);
        struct actio_pattern p = pattern(&a);
        struct actio_linear l;
        CHECK(actio_linear_band.fits(&p) == 70);
        CHECK(actio_linear_open(&l, &ctx, &p) == 0 && l.type == &actio_linear_band);
        actio_linear_close(&l);
        done(&a);
    }
    begin(&a, 900, 4500); /* a sheet of 30 x 30 */
    for (size_t i = 0; i < 900; i++) {
        at(&a, i, i, 4);
        if (i % 30) both(&a, i, i - 1, -1);
        if (i >= 30) both(&a, i, i - 30, -1);
    }
    struct actio_pattern p = pattern(&a);
    CHECK(actio_linear_band.fits(&p) == 0);
    CHECK(quality(&actio_linear_band, &a, NULL) < 1e-13); /* asked to, it solves this too */
    done(&a);
}

TEST(a_factorisation_has_the_same_bits_whatever_came_before)
{
    struct matrix a;
    struct actio_context ctx;
    actio_context_init(&ctx);
    for (size_t k = 0; k < KINDS; k++) {
        kind[k](&a, 150);
        struct actio_pattern p = pattern(&a);
        double *v = malloc(a.count * sizeof *v), *x = malloc(2 * a.n * sizeof *x), *y = x + a.n;
        void *used = actio_linear_band.open(&ctx, &p), *fresh = actio_linear_band.open(&ctx, &p);
        size_t held = ctx.bytes;
        for (int t = 0; t < 4; t++) { /* others, and one that fails half way */
            for (size_t e = 0; e < a.count; e++) v[e] = t == 2 && a.i[e] > a.n / 2 ? 0 : a.v[e] * (1 + draw());
            CHECK((actio_linear_band.factor(used, v) > 0) == (t == 2) || t != 2);
        }
        CHECK(actio_linear_band.factor(used, a.v) == 0 && actio_linear_band.factor(fresh, a.v) == 0);
        for (int t = 0; t < 2; t++) {
            for (size_t i = 0; i < a.n; i++) x[i] = y[i] = draw();
            actio_linear_band.solve(used, x, 1, t);
            actio_linear_band.solve(fresh, y, 1, t);
            CHECK(memcmp(x, y, a.n * sizeof *x) == 0);
        }
        CHECK(actio_linear_band.rcond(used) == actio_linear_band.rcond(fresh));
        CHECK(ctx.bytes == held);
        actio_linear_band.close(used);
        actio_linear_band.close(fresh);
        free(v);
        free(x);
        done(&a);
    }
    CHECK(ctx.bytes == 0);
}

/* What factor says of a matrix. */
static int verdict(const struct matrix *a)
{
    struct actio_context ctx;
    actio_context_init(&ctx);
    struct actio_pattern p = pattern(a);
    void *h = actio_linear_band.open(&ctx, &p);
    int bad = actio_linear_band.factor(h, a->v);
    actio_linear_band.close(h);
    return bad;
}

TEST(singular_matrices_are_reported_with_and_without_a_border)
{
    struct matrix a;
    for (size_t n = 50; n < 2000; n = n * 3 + 1) {
        begin(&a, n, 3 * n);
        add_string(&a, 0, n, 0); /* nothing holds it */
        CHECK(verdict(&a) > 0 && verdict(&a) <= (int)n);
        done(&a);
        begin(&a, n + 2, 8 * n);
        add_string(&a, 0, n, 0); /* its mean is given twice */
        for (size_t k = 0; k < n; k++) {
            both(&a, n, k, 1);
            both(&a, n + 1, k, 0.3);
        }
        CHECK(verdict(&a) > 0 && verdict(&a) <= (int)n + 2);
        done(&a);
        begin(&a, n + 1, 8 * n);
        add_string(&a, 0, n / 2, 0);
        add_string(&a, n / 2, n - n / 2, 0); /* two strings, one condition */
        for (size_t k = 0; k < n; k++) both(&a, n, k, 1);
        CHECK(verdict(&a) > 0 && verdict(&a) <= (int)n + 1);
        done(&a);
        arrow(&a, n); /* the last row is the sum of all others */
        for (size_t e = 0; e + 1 < a.count; e++) a.v[e] = 1;
        a.v[a.count - 1] = (double)(n - 1);
        CHECK(verdict(&a) == (int)n);
        a.v[a.count - 1] += 1;
        CHECK(verdict(&a) == 0);
        a.v[3 * 7] = a.v[3 * 8] = 0; /* two without mass, one border */
        CHECK(verdict(&a) > 0);
        done(&a);
    }
}

TEST(an_empty_column_and_a_value_that_is_not_finite_are_reported_by_the_column)
{
    struct matrix a;
    hollow(&a, 100);
    shuffle(&a);
    double keep = a.v[60];
    a.v[60] = NAN;
    CHECK(verdict(&a) == (int)a.j[60] + 1);
    a.v[60] = -INFINITY;
    CHECK(verdict(&a) == (int)a.j[60] + 1);
    a.v[60] = keep;
    for (size_t e = 0; e < a.count; e++)
        if (a.j[e] == 31) a.v[e] = 0;
    CHECK(verdict(&a) == 32);
    done(&a);
    two_strings(&a, 100);
    for (size_t e = 0; e < a.count; e++)
        if (a.j[e] == 31) a.v[e] = 0;
    CHECK(verdict(&a) > 0);
    done(&a);
}

TEST(units_of_rows_and_columns_do_not_matter)
{
    struct matrix a;
    for (size_t k = 0; k < KINDS; k++) {
        kind[k](&a, 130);
        for (size_t e = 0; e < a.count; e++) a.v[e] *= ldexp(1, (int)(a.i[e] * 7 % 301) - 150);
        CHECK(verdict(&a) == 0);
        for (size_t e = 0; e < a.count; e++) a.v[e] *= ldexp(1, (int)(a.j[e] * 5 % 21) - 10);
        CHECK(kind[k] == weak_arrow || kind[k] == nearly_free_string || verdict(&a) == 0);
        done(&a);
    }
}

TEST(small_limits_of_memory_are_an_answer)
{
    struct matrix a;
    two_strings(&a, 500);
    struct actio_pattern p = pattern(&a);
    size_t opened = 0;
    for (size_t limit = 0; limit < 1000000 && !opened; limit += 1500) {
        struct actio_context ctx;
        actio_context_init(&ctx);
        ctx.bytes_limit = limit;
        void *h = actio_linear_band.open(&ctx, &p);
        if (h && actio_linear_band.factor(h, a.v) == 0) opened = limit;
        actio_linear_band.close(h);
        CHECK(ctx.bytes == 0);
    }
    CHECK(opened > 50000);
    done(&a);
}

TEST(nothing_and_one_row_are_matrices_too)
{
    struct matrix a;
    double x[2] = { 3, 4 };
    struct actio_context ctx;
    struct actio_pattern empty = { .rows = 0 };
    actio_context_init(&ctx);
    void *h = actio_linear_band.open(&ctx, &empty);
    CHECK(h && actio_linear_band.factor(h, x) == 0 && actio_linear_band.rcond(h) == 1);
    actio_linear_band.solve(h, x, 1, false);
    actio_linear_band.close(h);
    for (size_t n = 1; n < 12; n++) {
        dust(&a, n);
        CHECK(quality(&actio_linear_band, &a, NULL) < 1e-15);
        done(&a);
        begin(&a, n, 3 * n);
        add_string(&a, 0, n, 0.1);
        CHECK(quality(&actio_linear_band, &a, NULL) < 1e-14);
        done(&a);
    }
}

int main(void)
{
    RUN(every_matrix_is_solved_to_rounding_in_any_order_of_its_rows);
    RUN(solutions_are_those_of_the_dense_solver);
    RUN(a_hundred_thousand_rows_are_no_matter);
    RUN(narrow_patterns_are_preferred_and_others_left_to_the_sparse_solver);
    RUN(a_factorisation_has_the_same_bits_whatever_came_before);
    RUN(singular_matrices_are_reported_with_and_without_a_border);
    RUN(an_empty_column_and_a_value_that_is_not_finite_are_reported_by_the_column);
    RUN(units_of_rows_and_columns_do_not_matter);
    RUN(small_limits_of_memory_are_an_answer);
    RUN(nothing_and_one_row_are_matrices_too);
    return DONE();
}

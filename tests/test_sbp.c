/* SPDX-License-Identifier: Apache-2.0
 * Summation by parts: the identity, exactness on polynomials, stability and order, against printed coefficients and
 * against theory. */
#include "algebra/dense.h"
#include "algebra/sbp.h"
#include "check.h"
#include "sbp_printed.h"

#include <float.h>
#include <stdbool.h>

enum { MOST = 40, LONG = 1000 };

static const int orders[] = { 2, 4, 6, 8 };

/* An element of either kind: order 0 means LGL. `exact` is the degree up to which D is exact everywhere. */
struct element {
    int order;
    size_t n, exact;
    double x[MOST], H[MOST], Q[MOST * MOST], A[MOST * MOST];
};

static void make(struct element *e, int order, size_t n)
{
    static double work[actio_sbp_work(MOST)];
    e->order = order;
    e->n = n;
    e->exact = order ? (size_t)order / 2 : n - 1;
    if (order) actio_sbp_element(order, n, e->x, e->H, e->Q);
    else actio_lgl_element(n, e->x, e->H, e->Q);
    actio_sbp_runge_kutta(n, e->H, e->Q, e->A, work);
}

/* All elements in turn: LGL with 2 .. 16 points, then each order with its least number of points up to 40, in strides.
 * */
static bool next(struct element *e, size_t stride)
{
    if (e->n == 0) {
        make(e, 0, 2);
        return true;
    }
    if (e->order == 0 && e->n < ACTIO_LGL_MOST) {
        make(e, 0, e->n + 1);
        return true;
    }
    if (e->order && e->n + stride <= MOST) {
        make(e, e->order, e->n + stride);
        return true;
    }
    if (e->order == 8) return false;
    make(e, e->order + 2, actio_sbp_least(e->order + 2));
    return true;
}

static double ulps(double value, double reference)
{
    if (value == reference) return 0;
    return fabs(value - reference) / (nextafter(fabs(reference), INFINITY) - fabs(reference));
}

/* ---- operators on equal steps */

TEST(the_orders_are_two_four_six_eight)
{
    static const size_t least[] = { 2, 8, 12, 16 }, reach[] = { 1, 3, 5, 7 };
    static const int none[] = { -2, 0, 1, 3, 5, 7, 9, 10 };
    for (int i = 0; i < 4; i++) CHECK(actio_sbp_least(orders[i]) == least[i] && actio_sbp_reach(orders[i]) == reach[i]);
    for (int i = 0; i < 8; i++)
        CHECK(actio_sbp_least(none[i]) == 0 && actio_sbp_reach(none[i]) == 0 && actio_sbp_weight(none[i], 40, 3) == 0);
}

TEST(too_few_points_and_rows_beyond_the_end_give_nothing)
{
    double row[ACTIO_SBP_WIDEST];
    size_t first;
    for (int o = 2; o <= 8; o += 2) {
        size_t n = actio_sbp_least(o);
        CHECK(actio_sbp_row(o, n - 1, 0, &first, row) == 0 && actio_sbp_weight(o, n - 1, 0) == 0);
        CHECK(actio_sbp_row(o, n, n, &first, row) == 0 && actio_sbp_weight(o, n, n) == 0);
    }
}

/* Q_kj, from row k */
static double entry(int order, size_t n, size_t k, size_t j)
{
    double row[ACTIO_SBP_WIDEST];
    size_t first = 0, length = actio_sbp_row(order, n, k, &first, row);
    CHECK(length > 0 && length <= ACTIO_SBP_WIDEST && first + length <= n);
    return j >= first && j < first + length ? row[j - first] : 0;
}

static double corner(size_t n, size_t k, size_t j) { return k != j ? 0 : k == 0 ? -1 : k == n - 1 ? 1 : 0; }

/* Exactly, and with the reach that is promised */
static void sums_by_parts(int order, size_t n)
{
    size_t reach = 0, promised = actio_sbp_reach(order);
    for (size_t k = 0; k < n; k++)
        for (size_t j = k > 2 * promised ? k - 2 * promised : 0; j < n && j <= k + 2 * promised; j++) {
            double q = entry(order, n, k, j);
            CHECK(q + entry(order, n, j, k) == corner(n, k, j));
            CHECK(q == 0 - entry(order, n, n - 1 - k, n - 1 - j));
            if (q != 0 && (j > k ? j - k : k - j) > reach) reach = j > k ? j - k : k - j;
        }
    CHECK(reach == promised);
}

TEST(Q_and_its_transpose_add_up_to_the_corners_exactly)
{
    for (int o = 2; o <= 8; o += 2) {
        for (size_t n = actio_sbp_least(o); n <= MOST; n++) sums_by_parts(o, n);
        sums_by_parts(o, LONG);
    }
}

/* Largest |sum_j Q_kj (j - k)^d - H_k [d = 1]| over the rows first .. last - 1, and 1 beside the sum of absolute values
 * */
static double off(int order, size_t n, size_t first, size_t last, int degree)
{
    double row[ACTIO_SBP_WIDEST], most = 0;
    for (size_t k = first; k < last; k++) {
        size_t from = 0, length = actio_sbp_row(order, n, k, &from, row);
        double sum = degree == 1 ? -actio_sbp_weight(order, n, k) : 0, size = fabs(sum);
        for (size_t j = 0; j < length; j++) {
            double term = row[j] * pow((double)(from + j) - (double)k, degree);
            sum += term;
            size += fabs(term);
        }
        most = fmax(most, fabs(sum) / size);
    }
    return most;
}

static void differentiates(int order, size_t n)
{
    size_t block = actio_sbp_least(order) / 2;
    int s = order / 2;
    for (int d = 0; d <= s; d++) CHECK_NEAR(off(order, n, 0, n, d), 0, 4e-16);
    for (int d = 0; d <= order && n > 2 * block; d++) CHECK_NEAR(off(order, n, block, n - block, d), 0, 4e-16);
    CHECK(off(order, n, 0, block, s + 1) > 1e-3 && off(order, n, n - block, n, s + 1) > 1e-3);
    if (n > 2 * block) CHECK(off(order, n, block, n - block, order + 1) > 1e-3);
}

TEST(D_is_exact_up_to_half_the_order_at_the_ends_and_the_order_inside_and_no_further)
{
    for (int o = 2; o <= 8; o += 2) {
        for (size_t n = actio_sbp_least(o); n <= MOST; n++) differentiates(o, n);
        differentiates(o, LONG);
    }
}

/* Both were derived from the conditions above; these digits were computed apart. */
TEST(the_blocks_are_the_printed_ones_to_the_last_digit)
{
    static const double *const printed[] = { printed_4, printed_6, printed_8 };
    for (int i = 0; i < 3; i++) {
        int order = orders[i + 1];
        size_t n = actio_sbp_least(order), at = 0;
        for (size_t k = 0; k < n / 2; k++)
            for (size_t j = k + 1; j < n / 2; j++, at++) CHECK(ulps(entry(order, n, k, j), printed[i][at]) <= 1);
    }
    CHECK(ulps(entry(6, 12, 4, 5), 5591070156686698065364559e0 / 7931626489314500743872000e0) <= 1);
    CHECK(actio_sbp_weight(4, 8, 0) == 17.0 / 48 && actio_sbp_weight(6, 12, 11) == 13649.0 / 43200
          && actio_sbp_weight(8, 16, 7) == 5127739.0 / 5080320);
}

/* ---- elements */

TEST(elements_sum_by_parts_exactly_and_mirror_themselves)
{
    for (struct element e = { 0 }; next(&e, 1);)
        for (size_t i = 0; i < e.n; i++) {
            size_t m = e.n - 1;
            CHECK(e.H[i] > 0 && e.H[i] == e.H[m - i] && fabs(e.x[i] + e.x[m - i] - 1) <= DBL_EPSILON / 2
                  && (i == 0 || e.x[i] > e.x[i - 1]));
            for (size_t j = 0; j < e.n; j++) {
                CHECK(e.Q[i * e.n + j] + e.Q[j * e.n + i] == corner(e.n, i, j));
                CHECK(e.Q[i * e.n + j] == -e.Q[(m - i) * e.n + m - j]);
            }
        }
}

TEST(element_derivatives_are_exact_up_to_their_degree)
{
    for (struct element e = { 0 }; next(&e, 1);)
        for (size_t d = 0; d <= e.exact; d++)
            for (size_t i = 0; i < e.n; i++) {
                double c = e.x[i] - 0.5, sum = d == 0 ? 0 : -e.H[i] * (double)d * pow(c, (double)d - 1),
                       size = fabs(sum);
                for (size_t j = 0; j < e.n; j++) {
                    double term = e.Q[i * e.n + j] * pow(e.x[j] - 0.5, (double)d);
                    sum += term;
                    size += fabs(term);
                }
                CHECK_NEAR(sum, 0, 1e-15 * fmax(size, pow(0.5, (double)d)));
            }
}

static double quadrature(const struct element *e, size_t degree) /* minus the integral of x^degree */
{
    double sum = 0;
    for (size_t i = 0; i < e->n; i++) sum += e->H[i] * pow(e->x[i], (double)degree);
    return sum - 1 / (double)(degree + 1);
}

TEST(weights_integrate_polynomials_up_to_twice_the_degree_less_one_and_no_further)
{
    for (struct element e = { 0 }; next(&e, 1);) {
        for (size_t d = 0; d < 2 * e.exact; d++) CHECK_NEAR(quadrature(&e, d), 0, 1e-15);
        if (e.n <= 20 && !(e.order == 0 && e.n > 12)) CHECK(fabs(quadrature(&e, 2 * e.exact)) > 1e-14);
    }
}

TEST(D_has_the_constants_and_nothing_else_in_its_kernel)
{
    static double a[MOST * MOST], tau[MOST], work[3 * MOST];
    int columns[MOST];
    for (struct element e = { 0 }; next(&e, 4);) {
        for (size_t i = 0; i < e.n * e.n; i++) a[i] = e.Q[i] / e.H[i / e.n];
        CHECK(actio_qrcp(e.n, e.n, a, tau, columns, 1e-13, work) == e.n - 1);
    }
}

TEST(lobatto_nodes_and_weights_are_the_known_ones)
{
    struct element e;
    make(&e, 0, 3);
    CHECK(e.x[1] == 0.5 && e.H[0] == 1.0 / 6 && e.H[1] == 2.0 / 3);
    make(&e, 0, 4);
    CHECK(ulps(e.x[1], 0.27639320225002103036) == 0 && e.H[0] == 1.0 / 12 && e.H[1] == 5.0 / 12);
    make(&e, 0, 5);
    CHECK(ulps(e.x[1], 0.17267316464601142810) == 0 && e.H[0] == 1.0 / 20 && e.H[1] == 49.0 / 180
          && e.H[2] == 16.0 / 45);
    for (size_t n = 2; n <= ACTIO_LGL_MOST; n++) {
        make(&e, 0, n);
        CHECK(e.H[0] == 1 / (double)(n * (n - 1)));
    }
}

/* ---- the Runge-Kutta matrix */

static double largest(size_t n, const double *a)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
    return most;
}

/* As far as rounded H and Q can tell: 1 ulp of the largest entry, and a few of each small one. */
TEST(A_of_lobatto_nodes_is_lobatto_IIIC)
{
    static const struct {
        size_t n;
        const double *A;
    } known[] = {
        { 2, lobatto_2 }, { 3, lobatto_3 }, { 4, lobatto_4 }, { 5, lobatto_5 }, { 6, lobatto_6 }, { 8, lobatto_8 },
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        struct element e;
        make(&e, 0, known[k].n);
        double scale = largest(e.n * e.n, e.A);
        for (size_t i = 0; i < e.n * e.n; i++) {
            CHECK_NEAR(e.A[i], known[k].A[i], DBL_EPSILON * scale);
            CHECK(ulps(e.A[i], known[k].A[i]) <= (known[k].n <= 5 ? 2 : 8));
        }
    }
}

TEST(A_inverts_the_weak_form)
{
    for (struct element e = { 0 }; next(&e, 3);)
        for (size_t i = 0; i < e.n; i++)
            for (size_t j = 0; j < e.n; j++) {
                double sum = i == 0 ? e.A[j] : 0;
                for (size_t k = 0; k < e.n; k++) sum += e.Q[i * e.n + k] * e.A[k * e.n + j];
                CHECK_NEAR(sum, i == j ? e.H[i] : 0, 4e-16 * largest(e.n * e.n, e.A));
            }
}

TEST(A_begins_with_the_first_weight_and_ends_with_all_weights_exactly)
{
    for (struct element e = { 0 }; next(&e, 1);)
        for (size_t i = 0; i < e.n; i++) CHECK(e.A[i * e.n] == e.H[0] && e.A[(e.n - 1) * e.n + i] == e.H[i]);
}

/* C(q): sum_j a_ij x_j^(k-1) = x_i^k / k and D(q): sum_i H_i x_i^(k-1) a_ij = H_j (1 - x_j^k) / k for k = 1 .. q;
 * largest defects for one k */
static void defects(const struct element *e, size_t k, double *c, double *d)
{
    size_t n = e->n;
    double power = (double)k;
    *c = *d = 0;
    for (size_t i = 0; i < n; i++) {
        double row = -pow(e->x[i], power) / power, column = -e->H[i] * (1 - pow(e->x[i], power)) / power;
        for (size_t j = 0; j < n; j++) {
            row += e->A[i * n + j] * pow(e->x[j], power - 1);
            column += e->H[j] * pow(e->x[j], power - 1) * e->A[j * n + i];
        }
        *c = fmax(*c, fabs(row));
        *d = fmax(*d, fabs(column) / e->H[i]);
    }
}

/* With the first column, C(n-1) determines Lobatto IIIC: all of it is tested here, for every n. */
TEST(stages_integrate_up_to_the_degree_of_D_and_no_further)
{
    double c, d;
    for (struct element e = { 0 }; next(&e, 1);) {
        for (size_t k = 1; k <= e.exact; k++) {
            defects(&e, k, &c, &d);
            CHECK_NEAR(c, 0, 1e-15);
            CHECK_NEAR(d, 0, 2e-15);
        }
        defects(&e, e.exact + 1, &c, &d);
        CHECK(c > 1e-11 && d > 1e-11);
    }
}

/* ---- stability */

/* inverse := a^-1, a destroyed */
static bool invert(size_t n, double *a, double *inverse)
{
    int pivot[MOST];
    memset(inverse, 0, n * n * sizeof *inverse);
    for (size_t i = 0; i < n; i++) inverse[i * n + i] = 1;
    if (actio_lu_factor(n, a, pivot) != 0) return false;
    actio_lu_solve(n, a, pivot, inverse, n, false);
    return true;
}

/* Newton's iteration S := (S + S^-1) / 2 tends to the identity exactly when every eigenvalue lies in the right half
 * plane. */
static double distance_of_sign_from_one(size_t n, double *s)
{
    static double copy[MOST * MOST], inverse[MOST * MOST];
    double most = 0;
    for (int i = 0; i < 60; i++) {
        memcpy(copy, s, n * n * sizeof *s);
        if (!invert(n, copy, inverse)) return INFINITY;
        for (size_t k = 0; k < n * n; k++) s[k] = (s[k] + inverse[k]) / 2;
    }
    for (size_t k = 0; k < n * n; k++) most = fmax(most, fabs(s[k] - (k % (n + 1) == 0)));
    return most;
}

static void derivative_with_start(const struct element *e, double sign, double *s) /* D + sign H^-1 E0 */
{
    for (size_t i = 0; i < e->n * e->n; i++) s[i] = (e->Q[i] + (i == 0 ? sign : 0)) / e->H[i / e->n];
}

TEST(eigenvalues_of_D_with_the_start_have_positive_real_parts)
{
    static double s[MOST * MOST];
    for (struct element e = { 0 }; next(&e, 2);) {
        derivative_with_start(&e, 1, s);
        CHECK_NEAR(distance_of_sign_from_one(e.n, s), 0, 1e-9);
    }
    struct element wrong; /* the start taken off instead of added: this must be seen */
    make(&wrong, 4, 12);
    derivative_with_start(&wrong, -1, s);
    CHECK(distance_of_sign_from_one(wrong.n, s) > 0.1);
}

/* The last stage of y' = z y, y = 1 at the start, z = re + i im: |R(z)|. (I - z A) Y = 1 in real numbers. */
static double amplification(const struct element *e, double re, double im)
{
    static double m[4 * MOST * MOST];
    double b[2 * MOST];
    int pivot[2 * MOST];
    size_t n = e->n, w = 2 * n;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double a = e->A[i * n + j], one = i == j;
            m[i * w + j] = m[(n + i) * w + n + j] = one - re * a;
            m[i * w + n + j] = im * a;
            m[(n + i) * w + j] = -im * a;
        }
        b[i] = 1;
        b[n + i] = 0;
    }
    if (actio_lu_factor(w, m, pivot) != 0) return INFINITY;
    actio_lu_solve(w, m, pivot, b, 1, false);
    return hypot(b[n - 1], b[w - 1]);
}

TEST(no_oscillation_grows_and_infinitely_stiff_parts_vanish)
{
    for (struct element e = { 0 }; next(&e, 5);) {
        for (double y = 1e-3; y < 1e6; y *= 1.37) CHECK(amplification(&e, 0, y) <= 1 + 1e-12);
        for (double y = 1e-2; y < 1e4; y *= 2.9) CHECK(amplification(&e, -y, y) < 1);
        CHECK(amplification(&e, -1e10, 0) < 1e-6 && amplification(&e, 0, 1e10) < 1e-6);
    }
}

/* ---- order: y' = -y + sin t, y(0) = 1 on [0, length] in equal slabs: short enough for the order to show, long enough
 * for rounding not to */

static double slab(const struct element *e, double t, double h, double y)
{
    static double m[MOST * MOST];
    double b[MOST];
    int pivot[MOST];
    for (size_t i = 0; i < e->n; i++) {
        b[i] = y;
        for (size_t j = 0; j < e->n; j++) {
            m[i * e->n + j] = (i == j) + h * e->A[i * e->n + j];
            b[i] += h * e->A[i * e->n + j] * sin(t + h * e->x[j]);
        }
    }
    CHECK(actio_lu_factor(e->n, m, pivot) == 0);
    actio_lu_solve(e->n, m, pivot, b, 1, false);
    return b[e->n - 1];
}

static double end_error(const struct element *e, double length, size_t slabs)
{
    double y = 1, h = length / (double)slabs;
    for (size_t k = 0; k < slabs; k++) y = slab(e, (double)k * h, h, y);
    return fabs(y - ((sin(length) - cos(length)) / 2 + 1.5 * exp(-length)));
}

static double seen_order(double coarse, double fine) { return log2(coarse / fine); }

TEST(chained_slabs_converge_with_the_order_inside)
{
    static const struct {
        double length;
        size_t slabs;
    } when[] = { { 4, 40 }, { 4, 8 }, { 12, 6 }, { 32, 16 } };
    struct element e;
    for (int i = 0; i < 4; i++) {
        make(&e, orders[i], actio_sbp_least(orders[i]));
        double coarse = end_error(&e, when[i].length, when[i].slabs),
               fine = end_error(&e, when[i].length, 2 * when[i].slabs);
        printf("order %d, slabs of %zu points: %.2e, %.2e, order seen %.2f\n", orders[i], e.n, coarse, fine,
               seen_order(coarse, fine));
        CHECK_NEAR(seen_order(coarse, fine), orders[i], 0.15);
    }
}

TEST(one_slab_of_more_and_more_points_converges_at_least_with_the_order_inside)
{
    static const double length[] = { 4, 4, 6, 8 };
    struct element e;
    for (int i = 0; i < 4; i++) {
        make(&e, orders[i], 20);
        double coarse = end_error(&e, length[i], 1);
        make(&e, orders[i], 39); /* half the step */
        double fine = end_error(&e, length[i], 1);
        printf("order %d, one slab of 20 and 39 points: %.2e, %.2e, order seen %.2f\n", orders[i], coarse, fine,
               seen_order(coarse, fine));
        CHECK(seen_order(coarse, fine) > orders[i] - 0.3);
    }
}

TEST(lobatto_slabs_converge_with_order_2n_minus_2)
{
    static const struct {
        size_t n;
        double length;
        size_t slabs;
    } when[] = { { 2, 4, 40 }, { 3, 4, 16 }, { 4, 4, 6 }, { 5, 8, 6 }, { 6, 12, 5 }, { 7, 64, 32 } };
    for (size_t i = 0; i < sizeof when / sizeof *when; i++) {
        struct element e;
        make(&e, 0, when[i].n);
        double coarse = end_error(&e, when[i].length, when[i].slabs),
               fine = end_error(&e, when[i].length, 2 * when[i].slabs);
        printf("LGL %zu: %.2e, %.2e, order seen %.2f\n", e.n, coarse, fine, seen_order(coarse, fine));
        CHECK_NEAR(seen_order(coarse, fine), 2 * (double)e.n - 2, 0.25);
    }
}

int main(void)
{
    RUN(the_orders_are_two_four_six_eight);
    RUN(too_few_points_and_rows_beyond_the_end_give_nothing);
    RUN(Q_and_its_transpose_add_up_to_the_corners_exactly);
    RUN(D_is_exact_up_to_half_the_order_at_the_ends_and_the_order_inside_and_no_further);
    RUN(the_blocks_are_the_printed_ones_to_the_last_digit);
    RUN(elements_sum_by_parts_exactly_and_mirror_themselves);
    RUN(element_derivatives_are_exact_up_to_their_degree);
    RUN(weights_integrate_polynomials_up_to_twice_the_degree_less_one_and_no_further);
    RUN(D_has_the_constants_and_nothing_else_in_its_kernel);
    RUN(lobatto_nodes_and_weights_are_the_known_ones);
    RUN(A_of_lobatto_nodes_is_lobatto_IIIC);
    RUN(A_inverts_the_weak_form);
    RUN(A_begins_with_the_first_weight_and_ends_with_all_weights_exactly);
    RUN(stages_integrate_up_to_the_degree_of_D_and_no_further);
    RUN(eigenvalues_of_D_with_the_start_have_positive_real_parts);
    RUN(no_oscillation_grows_and_infinitely_stiff_parts_vanish);
    RUN(chained_slabs_converge_with_the_order_inside);
    RUN(one_slab_of_more_and_more_points_converges_at_least_with_the_order_inside);
    RUN(lobatto_slabs_converge_with_order_2n_minus_2);
    return DONE();
}

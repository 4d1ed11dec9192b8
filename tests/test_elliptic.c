/* SPDX-License-Identifier: Apache-2.0
 * Elliptic integrals and functions: published values, identities, limits; the averaged Lorenz orbit in closed form. */
#include "check.h"
#include "elliptic.h"

#include <float.h>
#include <stddef.h>

/* ---- integrals */

/* the first five: Abramowitz and Stegun, table 17.1; all digits by mpmath */
static const struct {
    double m1, k, e;
} published[] = {
    { 1, 1.5707963267948966, 1.5707963267948966 },    { 0.9, 1.6124413487202194, 1.5307576368977632 },
    { 0.5, 1.8540746773013719, 1.3506438810476755 },  { 0.1, 2.5780921133481732, 1.1047747327040733 },
    { 0.01, 3.6956373629898747, 1.0159935450252239 }, { 1e-8, 10.59663475708766, 1.0000000504831738 },
    { 1e-16, 19.806975105072257, 1.000000000000001 }, { 1e-300, 346.77405831022674, 1 },
};

TEST(integrals_have_their_published_values)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        CHECK_NEAR(actio_elliptic_k(published[i].m1), published[i].k, 4 * DBL_EPSILON * published[i].k);
        CHECK_NEAR(actio_elliptic_e(published[i].m1), published[i].e, 3 * DBL_EPSILON);
    }
    CHECK(actio_elliptic_k(0) == INFINITY && actio_elliptic_e(0) == 1);
    CHECK(isnan(actio_elliptic_k(-1e-9)) && isnan(actio_elliptic_e(1.01)) && isnan(actio_elliptic_k(NAN)));
}

/* E K' + E' K - K K' = pi/2; m and m1 = 1 - m are both exact here */
TEST(legendres_relation_holds)
{
    for (int i = 1; i < 1024; i++) {
        double m = i / 1024., m1 = 1 - m, k = actio_elliptic_k(m1), kk = actio_elliptic_k(m), e = actio_elliptic_e(m1),
               ee = actio_elliptic_e(m);
        CHECK_NEAR(e * kk + ee * k - k * kk, PI / 2, 1e-15 * (1 + k * kk));
    }
}

/* dK/dm = (E - m1 K)/(2 m m1), dE/dm = (E - K)/(2 m) */
TEST(integrals_have_their_derivatives)
{
    for (int i = 1; i < 20; i++) {
        double m = i / 20., m1 = 1 - m, h = 1e-5, k = actio_elliptic_k(m1), e = actio_elliptic_e(m1);
        CHECK_NEAR((actio_elliptic_k(m1 - h) - actio_elliptic_k(m1 + h)) / (2 * h), (e - m1 * k) / (2 * m * m1), 1e-6);
        CHECK_NEAR((actio_elliptic_e(m1 - h) - actio_elliptic_e(m1 + h)) / (2 * h), (e - k) / (2 * m), 1e-7);
    }
}

/* ---- functions */

struct triple {
    double s, c, d;
};

static struct triple jacobi(double u, double m1)
{
    struct triple t;
    actio_jacobi(u, m1, &t.s, &t.c, &t.d);
    return t;
}

static const double parameters[] = { 1, 0.9999999, 0.7, 0.5, 0.1, 1e-3, 1e-9, 1e-17, 1e-80 };
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

TEST(squares_add_up_and_quarter_periods_are_right)
{
    for (size_t i = 0; i < PARAMETERS; i++) {
        double m1 = parameters[i], m = 1 - m1, k = actio_elliptic_k(m1);
        for (double u = -3; u <= 3; u += 0.0625) {
            struct triple t = jacobi(u * k, m1), back = jacobi(-u * k, m1);
            CHECK_NEAR(t.s * t.s + t.c * t.c, 1, 4 * DBL_EPSILON);
            CHECK_NEAR(t.d * t.d + m * t.s * t.s, 1, 8 * DBL_EPSILON);
            CHECK(back.s == -t.s && back.c == t.c && back.d == t.d);
        }
        CHECK_NEAR(jacobi(k, m1).s, 1, DBL_EPSILON);
        CHECK_NEAR(jacobi(k, m1).d, sqrt(m1), 4 * DBL_EPSILON * sqrt(m1));
        double root = sqrt(1 + sqrt(m1)); /* at half the quarter period [AbSt 16.5] */
        CHECK_NEAR(jacobi(k / 2, m1).s, 1 / root, 4 * DBL_EPSILON);
        CHECK_NEAR(jacobi(k / 2, m1).c, sqrt(sqrt(m1)) / root, 4 * DBL_EPSILON * k * sqrt(sqrt(m1)));
        CHECK_NEAR(jacobi(k / 2, m1).d, sqrt(sqrt(m1)), 4 * DBL_EPSILON * k * sqrt(sqrt(m1)));
    }
}

/* [AbSt 16.17] */
TEST(addition_theorems_hold)
{
    for (size_t i = 0; i < PARAMETERS; i++) {
        double m1 = parameters[i], m = 1 - m1;
        for (double u = -2.5; u <= 2.5; u += 0.3)
            for (double v = -1.9; v <= 2; v += 0.4) {
                struct triple a = jacobi(u, m1), b = jacobi(v, m1), sum = jacobi(u + v, m1);
                double over = 1 - m * a.s * a.s * b.s * b.s, tol = 4e-15 / over;
                CHECK_NEAR(sum.s, (a.s * b.c * b.d + b.s * a.c * a.d) / over, tol);
                CHECK_NEAR(sum.c, (a.c * b.c - a.s * a.d * b.s * b.d) / over, tol);
                CHECK_NEAR(sum.d, (a.d * b.d - m * a.s * a.c * b.s * b.c) / over, tol);
            }
    }
}

TEST(functions_have_their_derivatives)
{
    for (size_t i = 0; i < PARAMETERS; i++)
        for (double u = -4; u < 4; u += 0.37) {
            double m1 = parameters[i], h = 1e-5;
            struct triple t = jacobi(u, m1), up = jacobi(u + h, m1), down = jacobi(u - h, m1);
            CHECK_NEAR((up.s - down.s) / (2 * h), t.c * t.d, 3e-10);
            CHECK_NEAR((up.c - down.c) / (2 * h), -t.s * t.d, 3e-10);
            CHECK_NEAR((up.d - down.d) / (2 * h), -(1 - m1) * t.s * t.c, 3e-10);
        }
}

TEST(limits_are_circular_and_hyperbolic)
{
    for (double u = -20; u < 20; u += 0.7) {
        struct triple round = jacobi(u, 1), flat = jacobi(u, 0), nearly = jacobi(u, 1e-40);
        CHECK_NEAR(round.s, sin(u), 2 * DBL_EPSILON);
        CHECK_NEAR(round.c, cos(u), 2 * DBL_EPSILON);
        CHECK(round.d == 1);
        CHECK_NEAR(flat.s, tanh(u), 0);
        CHECK_NEAR(nearly.s, tanh(u), 2 * DBL_EPSILON);
        CHECK_NEAR(nearly.c, flat.c, 64 * DBL_EPSILON * flat.c); /* tiny, and still right */
        CHECK_NEAR(nearly.d, flat.d, 64 * DBL_EPSILON * flat.d);
    }
    CHECK(isnan(jacobi(1, 2).s) && isnan(jacobi(INFINITY, .5).c));
    CHECK_NEAR(jacobi(1e-200, .5).s, 1e-200, 1e-215);
    CHECK(jacobi(0, .5).s == 0 && jacobi(0, .5).c == 1 && jacobi(0, .5).d == 1);
}

/* ---- the averaged orbit of the Lorenz system: xi = D cn(w tau, k), or D dn(D tau/sqrt2, k) in one well
 *  [V 26-30]
 * kappa = (2 sigma - b)/(sigma + 1) decides k; m1 = 1 - k^2 is the unknown, because it is small. */

struct averaged {
    double k, w, D, eta, T;
};

/* left and right of (I) as a ratio that must be kappa: mean values of cn^2 and cn^4 */
static double kappa_two_wells(double m1)
{
    double m = 1 - m1, c2 = (actio_elliptic_e(m1) / actio_elliptic_k(m1) - m1) / m,
           c4 = (2 * (2 * m - 1) * c2 + m1) / (3 * m);
    return (m1 + (2 * m - 1) * c2 - m * c4) / (m * (c4 - c2 * c2));
}

static double kappa_one_well(double m1)
{
    double m = 1 - m1, d2 = actio_elliptic_e(m1) / actio_elliptic_k(m1), d4 = (2 * (2 - m) * d2 - m1) / 3;
    return ((2 - m) * d2 - d4 - m1) / (d4 - d2 * d2);
}

/* both grow with m1: halving, then the line through the last two points */
static double solve(double (*f)(double), double kappa)
{
    double lo = log(1e-200), hi = log(0.999);
    for (int i = 0; i < 40; i++) {
        double middle = (lo + hi) / 2;
        *(f(exp(middle)) < kappa ? &lo : &hi) = middle;
    }
    double a = exp(lo), b = exp(hi), fa = f(a) - kappa, fb = f(b) - kappa;
    return fa == fb ? a : a - fa * (b - a) / (fb - fa);
}

static struct averaged two_wells(double sigma, double b)
{
    double m1 = solve(kappa_two_wells, (2 * sigma - b) / (sigma + 1)), m = 1 - m1;
    double c2 = (actio_elliptic_e(m1) / actio_elliptic_k(m1) - m1) / m,
           ww = b / (2 * m * c2 * (2 * sigma - b) - b * (1 - 2 * m));
    struct averaged r = { .k = sqrt(m), .w = sqrt(ww), .D = sqrt(2 * m * ww), .eta = 1 + ww - 2 * m * ww }; /* (II) */
    r.T = 4 * actio_elliptic_k(m1) / r.w;
    return r;
}

static struct averaged one_well(double sigma, double b)
{
    double m1 = solve(kappa_one_well, (2 * sigma - b) / (sigma + 1)), m = 1 - m1,
           d2 = actio_elliptic_e(m1) / actio_elliptic_k(m1);
    double DD = b / ((2 * sigma - b) * d2 + b * (2 - m) / 2);
    return (struct averaged){
        .k = sqrt(m), .D = sqrt(DD), .eta = 1 - DD * (2 - m) / 2, .T = 2 * sqrt(2) * actio_elliptic_k(m1) / sqrt(DD)
    };
}

static const struct {
    double sigma, b;
    struct averaged is;
} orbits[] = {
    { 10,
      8. / 3,
      { 0.9438343605719497, 0.4444771049415044, 0.5932806406231609, 0.8455779782789529, 22.83002550474469 } },
    { 10, 1, { 0.9312582185443431, 0.2746547482341979, 0.3617197548666222, 0.9445940496668214, 35.6167682852596 } },
    { 16, 4, { 0.9379132541519286, 0.4313663635400602, 0.5721685048482162, 0.8587001416535321, 23.10237714624476 } },
    { 5, 2, { 0.9637260368941089, 0.538925032723348, 0.7345087047503216, 0.7509371535418665, 20.32754780285395 } },
    { 2, 1, { 0.9882403560648257, 0.608228656612233, 0.8500499785487547, 0.6473571326935832, 21.55510980725185 } },
    { 1.5, .5, { 0.9882403560648257, 0.508347120640082, 0.710457250406922, 0.7536672904072982, 25.7903211189355 } },
};

TEST(the_averaged_lorenz_orbit_has_its_closed_form)
{
    for (size_t i = 0; i < sizeof orbits / sizeof *orbits; i++) {
        struct averaged r = two_wells(orbits[i].sigma, orbits[i].b), is = orbits[i].is;
        CHECK_NEAR(r.k, is.k, 1e-15);
        CHECK_NEAR(r.w, is.w, 1e-15);
        CHECK_NEAR(r.D, is.D, 1e-15);
        CHECK_NEAR(r.eta, is.eta, 1e-15);
        CHECK_NEAR(r.T, is.T, 2e-14);
    }
    struct averaged r = one_well(3, 8. / 3);
    CHECK_NEAR(r.k, 0.991732458989, 5.1e-13);
    CHECK_NEAR(r.D, 1.06636442629, 5.1e-12);
    CHECK_NEAR(r.eta, 0.422071023516, 5.1e-13);
    CHECK_NEAR(r.T, 9.14980893703, 5.1e-12);
}

/* It exists from kappa = 1/2 on; the approach is logarithmic. */
TEST(kappa_falls_to_one_half_as_the_modulus_goes_to_one)
{
    static const double at[][2] = { { 0.5, 5.353 }, { 0.2, 2.182 }, { 0.1, 1.517 }, { 0.01, .877 }, { 1e-8, .5825 } };
    for (size_t i = 0; i < 5; i++) CHECK_NEAR(kappa_two_wells(at[i][0]), at[i][1], i < 4 ? 5.1e-4 : 1e-4);
    double before = kappa_two_wells(1e-10);
    for (double m1 = 1e-20; m1 > 1e-300; m1 *= 1e-10) {
        double now = kappa_two_wells(m1);
        CHECK(now > 0.5 && now < before);
        before = now;
    }
}

int main(void)
{
    RUN(integrals_have_their_published_values);
    RUN(legendres_relation_holds);
    RUN(integrals_have_their_derivatives);
    RUN(squares_add_up_and_quarter_periods_are_right);
    RUN(addition_theorems_hold);
    RUN(functions_have_their_derivatives);
    RUN(limits_are_circular_and_hyperbolic);
    RUN(the_averaged_lorenz_orbit_has_its_closed_form);
    RUN(kappa_falls_to_one_half_as_the_modulus_goes_to_one);
    return DONE();
}

/* SPDX-License-Identifier: Apache-2.0
 * Constants of the error's own integration: Lobatto's points, and two ways to carry a vector through a step. */
#ifndef ACTIO_SOLVE_DEFECT_TABLE_H
#define ACTIO_SOLVE_DEFECT_TABLE_H

#include "solve/defect.h"

enum { ACTIO_POWERS = 6 };
#define POINT_1 .11747233803526765
#define POINT_2 .35738424175967745
#define POINT_3 .64261575824032255
#define POINT_4 .88252766196473235
#define WEIGHT_1 .18923747814892349
#define WEIGHT_2 .27742918851774318

static const double defects_at[ACTIO_DEFECTS] __attribute__((unused)) = { 1, POINT_1, POINT_2, POINT_3, POINT_4 };

/* Of the end, and by inner point: coefficients of x, x^2, ... in the integral from 0 to x of the polynomial that is 1
 * there, 0 at the others and at both ends. */
static const double defect_powers[ACTIO_DEFECTS][ACTIO_POWERS] = {
    { 0.0, 0.5, -4.66666666666666667, 14.0, -16.8, 7.0 },
    { 0, 10.1414159363196693, -43.8606614876656094, 74.9219643315031529, -57.6921830763946138, 16.6787017743863245 },
    { 0, -4.03618727030534801, 32.8327452286912563, -72.3643588846517, 64.0398062955574823, -20.1945761807739473 },
    { 0, 2.24468464817616682, -20.118150969819668, 55.0839701184734988, -57.1276507890862018, 20.1945761807739473 },
    { 0, -1.3499133141904881, 12.4794005621273545, -36.6415755653249517, 42.3800275699233334, -16.6787017743863245 },
};

/* Six stages at Lobatto's points, with Lobatto's weights: of order 4, and what it leaves of order 5 is below 0.7 % of
 * each term for linear equations. Real eigenvalues down to -3.6, imaginary ones up to 1.9. */
#define CARRY_SHORT_PACE 1.9
static const struct actio_carrying carry_short __attribute__((unused)) = {
    .stages = 6,
    .tested = 3,
    .at = { 0, POINT_1, POINT_2, POINT_3, POINT_4, 1 },
    .sum = { 1. / 30, WEIGHT_1, WEIGHT_2, WEIGHT_2, WEIGHT_1, 1. / 30 },
    .a = {
        { 0 },
        { 0.11747233803526763 },
        { -0.23019515969491994, 0.58757940145459742 },
        { 0.88018966986528091, -1.2543586635124402, 1.0167847518874817 },
        { -2.0731278622084242, 3.9901210671290723, -1.9394992693522561, 0.90503372639634017 },
        { 6.6937829832476385, -12.093275436466495, 7.894356003749424, -2.1605858565629199, 0.6657223060323525 },
    },
};

/* A vector through a step of length h that begins at `from`: at both ends, with its slopes; the defects (NULL: it has
 * none of its own), of which the first is in use. room: scratch of 4 n numbers. */
struct actio_carried {
    size_t n, padded;
    double from, h;
    const double *e, *e_end, *k, *k_end, *delta;
    size_t first;
    double *room;
};
/* defect_rows.c: the vector at times in the step, by Hermite's cubic; component i of row r at to[i*stride + r]. */
void actio_carried_rows(const struct actio_carried *c, size_t count, const double *t, double *to, size_t stride);

#endif

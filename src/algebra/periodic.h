/* SPDX-License-Identifier: Apache-2.0
 * Eigenvalues of a product of square matrices that is never formed: periodic Schur form [BGD 1992, HL 1994]. One matrix
 * is the case k = 1.
 *
 * Each factor is disturbed by a few rounding errors of its own size and no more, so that an eigenvalue keeps its
 * relative accuracy,
 * however small it is beside the others, as long as factors and eigenvectors are well conditioned. */
#ifndef ACTIO_ALGEBRA_PERIODIC_H
#define ACTIO_ALGEBRA_PERIODIC_H

#include <stddef.h>

/* re and im are 0 or infinite when out of range; log_modulus (-INFINITY for 0) and argument, in (-pi, pi], are right
 * even then. */
struct actio_multiplier {
    double re, im, log_modulus, argument;
};

#define ACTIO_PERIODIC_NOT_FINITE 1
#define ACTIO_PERIODIC_NOT_CONVERGED 2 /* the cap on sweeps was met: those not found are NAN, at the end */

size_t actio_periodic_work(size_t n, size_t k); /* doubles; iwork: n ints */
/* Eigenvalues of A_{k-1} ... A_1 A_0; a: k >= 1 real matrices n x n, row-major, one after the other. w[n]: largest
 * modulus first,
 * of a pair the one with im > 0 first. 0, or one of the above.
 * Complex ones are exact conjugates; real ones have im = 0. The iteration is complex and leaves rounding errors in
 * both: an eigenvalue counts as real when it is nearer to its own conjugate than to that of any other one, or when |im|
 * <= 4 (n + k) eps of the modulus. */
int actio_periodic_eigen(size_t n, size_t k, const double *a, struct actio_multiplier *w, double *work, int *iwork);
/* Unit eigenvector x[n] of the product, as A_0 sees it, of the real simple eigenvalue w[which]; its largest entry is
 * positive.
 * work and iwork as actio_periodic_eigen left them. 0, or 1: not all eigenvalues were found, or x is not finite. */
int actio_periodic_vector(size_t n, size_t k, size_t which, double *x, double *work, const int *iwork);

#endif

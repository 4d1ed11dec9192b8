/* SPDX-License-Identifier: Apache-2.0
 * Hamel's coefficients of a frame from the first derivatives of its rows, and rows that complete a frame.  [HAMEL A.1,
 * A.3] */
#include "algebra/brackets.h"
#include "algebra/dense.h"

#include <string.h>

/* B_kl = dM_ak/dq_l - dM_al/dq_k: the exterior derivative of row a */
static void curl(const struct actio_frame_point *at, size_t a, double *B)
{
    size_t n = at->n;
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < n; l++) B[k * n + l] = at->M_q[(l * n + a) * n + k] - at->M_q[(k * n + a) * n + l];
}

/* out[j] = sum_l x_l Psi_lj */
static void along_fields(size_t n, const double *x, const double *Psi, double *out)
{
    memset(out, 0, n * sizeof *out);
    for (size_t l = 0; l < n; l++)
        for (size_t j = 0; j < n; j++) out[j] += x[l] * Psi[l * n + j];
}

/* c^a_ij = sum_kl B_kl Psi_ki Psi_lj */
static void pairs(size_t n, const double *B, const double *Psi, double *BPsi, double *c)
{
    for (size_t k = 0; k < n; k++) along_fields(n, B + k * n, Psi, BPsi + k * n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++) sum += Psi[k * n + i] * BPsi[k * n + j];
            c[i * n + j] = sum;
        }
}

/* c^a_0j = sum_l (sum_k w_k B_kl + dm0_a/dq_l - dM_al/dt) Psi_lj */
static void with_time(const struct actio_frame_point *at, size_t a, const double *B, const double *Psi, const double *w,
                      double *row, double *c0)
{
    size_t n = at->n;
    for (size_t l = 0; l < n; l++) {
        row[l] = at->m0_q[l * n + a] - at->M_t[a * n + l];
        for (size_t k = 0; k < n; k++) row[l] += w[k] * B[k * n + l];
    }
    along_fields(n, row, Psi, c0);
}

void actio_brackets(const struct actio_frame_point *at, double *c, double *c0, double *work)
{
    size_t n = at->n;
    double *Psi = work, *B = Psi + n * n, *other = B + n * n, *w = other + n * n;
    memset(Psi, 0, n * n * sizeof *Psi);
    for (size_t i = 0; i < n; i++) {
        Psi[i * n + i] = 1;
        w[i] = -at->m0[i];
    }
    actio_lu_solve(n, at->lu, at->pivot, Psi, n, false);
    actio_lu_solve(n, at->lu, at->pivot, w, 1, false);
    for (size_t a = 0; a < n; a++) {
        curl(at, a, B);
        if (c) pairs(n, B, Psi, other, c + a * n * n);
        if (c0) with_time(at, a, B, Psi, w, other, c0 + a * n);
    }
}

size_t actio_frame_complete(size_t n, size_t first, size_t count, double *M, double tol, double *work, int *iwork)
{
    size_t others = n - count;
    double *basis = work, *rows = basis + n * n; /* the scratch of row_bases begins behind them */
    memcpy(rows, M, first * n * sizeof *rows);
    memcpy(rows + first * n, M + (first + count) * n, (others - first) * n * sizeof *rows);
    size_t rank = actio_row_bases(others, n, rows, tol, basis, rows + others * n, iwork);
    if (rank == others) memcpy(M + first * n, basis + rank * n, count * n * sizeof *M);
    return rank;
}

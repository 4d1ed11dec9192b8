/* SPDX-License-Identifier: Apache-2.0
 * Cholesky's factors of a block tridiagonal matrix: L_k on the diagonal, M_k = below_k L_k'^-1 beside it. */
#include "algebra/dense.h"
#include "algebra/tri.h"

/* a := a L'^-1, row by row. */
static void blocktri_divide(size_t b, const double *L, double *a)
{
    for (size_t r = 0; r < b; r++, a += b)
        for (size_t j = 0; j < b; j++) {
            double sum = a[j];
            for (size_t c = 0; c < j; c++) sum -= a[c] * L[j * b + c];
            a[j] = sum / L[j * b + j];
        }
}

/* The lower half of a, minus m m'. */
static void subtract_square(size_t b, double *a, const double *m)
{
    for (size_t i = 0; i < b; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = a[i * b + j];
            for (size_t c = 0; c < b; c++) sum -= m[i * b + c] * m[j * b + c];
            a[i * b + j] = sum;
        }
}

int actio_blocktri_factor(size_t count, size_t b, double *diag, double *below)
{
    for (size_t k = 0; k < count; k++, diag += b * b, below += b * b) {
        if (actio_cholesky_factor(b, diag)) return (int)k + 1;
        if (k + 1 == count) break;
        blocktri_divide(b, diag, below);
        subtract_square(b, diag + b * b, below);
    }
    return 0;
}

void actio_blocktri_solve(size_t count, size_t b, const double *diag, const double *below, double *x)
{
    for (size_t k = 0; k < count; k++) {
        double *here = x + k * b;
        const double *m = below + (k ? k - 1 : 0) * b * b;
        for (size_t i = 0; k && i < b; i++)
            for (size_t j = 0; j < b; j++) here[i] -= m[i * b + j] * here[(ptrdiff_t)j - (ptrdiff_t)b];
        actio_lower_solve(b, b, diag + k * b * b, here);
    }
    for (size_t k = count; k-- > 0;) {
        double *here = x + k * b;
        const double *m = below + k * b * b;
        for (size_t i = 0; k + 1 < count && i < b; i++)
            for (size_t j = 0; j < b; j++) here[j] -= m[i * b + j] * here[b + i];
        actio_lower_solve_back(b, b, diag + k * b * b, here);
    }
}

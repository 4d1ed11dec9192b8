/* SPDX-License-Identifier: Apache-2.0
 * The text of a small linear solver for the user's file: Gauss with complete pivoting on arrays of fixed size. Redundant constraints
 * leave multipliers free; they get the smallest ones, and accelerations that nothing determines are told. */
#include "derive/code.h"

/* {K}: unknowns, {P}: multipliers among them, {N}: the prefix. */
static const char elimination[] =
    "/* B x = e by Gauss with complete pivoting, x left in e. 0, or 1 when B does not determine the rates. */\n"
    "static int {N}_solve(double B[{K}][{K}], double e[{K}])\n"
    "{\n"
    "    double x[{K}];\n"
    "    int col[{K}], i, j, k, rank = {K};\n"
    "    for (i = 0; i < {K}; i++) {\n"
    "        double size = 0.0;\n"
    "        col[i] = i;\n"
    "        for (j = 0; j < {K}; j++) if (fabs(B[i][j]) > size) size = fabs(B[i][j]);\n"
    "        if (size > 0.0) { for (j = 0; j < {K}; j++) B[i][j] /= size; e[i] /= size; }\n"
    "    }\n"
    "    for (k = 0; k < {K}; k++) {\n"
    "        double size = 0.0;\n"
    "        int row = k, at = k;\n"
    "        for (i = k; i < {K}; i++) for (j = k; j < {K}; j++) if (fabs(B[i][j]) > size) size = fabs(B[i][j]), row = i, at = j;\n"
    "        if (!(size > 1e-9)) { rank = k; break; }\n"
    "        if (row != k) { double h = e[k]; e[k] = e[row]; e[row] = h; for (j = 0; j < {K}; j++) h = B[k][j], B[k][j] = B[row][j], B[row][j] = h; }\n"
    "        if (at != k) { int c = col[k]; col[k] = col[at]; col[at] = c; for (i = 0; i < {K}; i++) { double h = B[i][k]; B[i][k] = B[i][at]; B[i][at] = h; } }\n"
    "        for (i = k + 1; i < {K}; i++) {\n"
    "            double f = B[i][k]/B[k][k];\n"
    "            if (f == 0.0) continue;\n"
    "            for (j = k + 1; j < {K}; j++) B[i][j] -= f*B[k][j];\n"
    "            e[i] -= f*e[k];\n"
    "        }\n"
    "    }\n"
    "    for (i = rank; i < {K}; i++) {\n"
    "        if (!(fabs(e[i]) < 1e-6)) return 1;\n"
    "        x[i] = 0.0;\n"
    "    }\n"
    "    for (i = rank - 1; i >= 0; i--) {\n"
    "        x[i] = e[i];\n"
    "        for (j = i + 1; j < rank; j++) x[i] -= B[i][j]*x[j];\n"
    "        x[i] /= B[i][i];\n"
    "    }\n"
    "    if (rank < {K} && {N}_smallest(B, rank, col, x)) return 1;\n"
    "    for (i = 0; i < {K}; i++) e[col[i]] = x[i];\n"
    "    return 0;\n"
    "}\n\n";

static const char smallest[] =
    "/* Of all solutions the one with the smallest multipliers: what lies along the null vectors is taken out. */\n"
    "static int {N}_smallest(double B[{K}][{K}], int rank, const int *col, double *x)\n"
    "{\n"
    "    double null[{P}][{K}];\n"
    "    int i, j, k, l, count = {K} - rank;\n"
    "    if (count > {P}) return 1;\n"
    "    for (k = 0; k < count; k++) {\n"
    "        double *v = null[k], norm = 0.0;\n"
    "        for (i = 0; i < {K}; i++) v[i] = i == rank + k ? 1.0 : 0.0;\n"
    "        for (i = rank - 1; i >= 0; i--) {\n"
    "            v[i] = -B[i][rank + k];\n"
    "            for (j = i + 1; j < rank; j++) v[i] -= B[i][j]*v[j];\n"
    "            v[i] /= B[i][i];\n"
    "        }\n"
    "        for (l = 0; l < k; l++) {\n"
    "            double along = 0.0;\n"
    "            for (i = 0; i < {K}; i++) along += v[i]*null[l][i];\n"
    "            for (i = 0; i < {K}; i++) v[i] -= along*null[l][i];\n"
    "        }\n"
    "        for (i = 0; i < {K}; i++) norm += v[i]*v[i];\n"
    "        for (i = 0; i < {K}; i++) v[i] /= sqrt(norm);\n"
    "        for (i = 0; i < {K}; i++) if (col[i] >= {P} && fabs(v[i]) > 1e-6) return 1;\n"
    "    }\n"
    "    for (k = 0; k < count; k++) {\n"
    "        double along = 0.0;\n"
    "        for (i = 0; i < {K}; i++) along += x[i]*null[k][i];\n"
    "        for (i = 0; i < {K}; i++) x[i] -= along*null[k][i];\n"
    "    }\n"
    "    return 0;\n"
    "}\n\n";

static void fill(struct actio_text *out, const char *s, const char *name, size_t K, size_t P)
{
    for (; *s; s++) {
        bool mark = s[0] == '{' && s[1] && s[2] == '}' && (s[1] == 'K' || s[1] == 'P' || s[1] == 'N');
        if (!mark) { actio_text_bytes(out, s, 1); continue; }
        if (s[1] == 'N') actio_text_add(out, name);
        else actio_text_format(out, "%zu", s[1] == 'K' ? K : P);
        s += 2;
    }
}

void actio_code_solver(struct actio_derivation *d, const char *name, struct actio_text *out)
{
    static const char none[] = "#define {N}_smallest(B, rank, col, x) 1\n\n";
    size_t P = d->F->p, K = d->F->N + P;
    fill(out, P ? smallest : none, name, K, P);
    fill(out, elimination, name, K, P);
}

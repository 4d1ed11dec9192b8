/* SPDX-License-Identifier: Apache-2.0
 * The text of a small linear solver for the user's file: Gauss with complete pivoting on arrays of fixed size.
 * Redundant constraints leave multipliers free; they get the smallest ones, and accelerations that nothing determines
 * are reported. */
#include "derive/code.h"

#include <string.h>

/* {K}: unknowns, {R}: equations, {P}: multipliers among the unknowns, {N}: the prefix, {T}: what equations that are
 * left over may be off by (drift, where constraints follow from the equations of motion), {H}: words for that. */
static const char elimination[] =
    "/* B x = e by Gauss with complete pivoting, x left in e. 0, or 1 when B does not determine the rates{H}. */\n"
    "static int {N}_solve(double B[{R}][{K}], double e[{R}])\n"
    "{\n"
    "    double x[{K}];\n"
    "    int col[{K}], i, j, k, rank = {K};\n"
    "    for (i = 0; i < {K}; i++) col[i] = i;\n"
    "    for (i = 0; i < {R}; i++) {\n"
    "        double size = 0.0;\n"
    "        for (j = 0; j < {K}; j++) if (fabs(B[i][j]) > size) size = fabs(B[i][j]);\n"
    "        if (size > 0.0) { for (j = 0; j < {K}; j++) B[i][j] /= size; e[i] /= size; }\n"
    "    }\n"
    "    for (k = 0; k < {K}; k++) {\n"
    "        double size = 0.0;\n"
    "        int row = k, at = k;\n"
    "        for (i = k; i < {R}; i++) for (j = k; j < {K}; j++) if (fabs(B[i][j]) > size) size = fabs(B[i][j]), row = "
    "i, at = j;\n"
    "        if (!(size > 1e-9)) { rank = k; break; }\n"
    "        if (row != k) { double h = e[k]; e[k] = e[row]; e[row] = h; for (j = 0; j < {K}; j++) h = B[k][j], "
    "B[k][j] = B[row][j], B[row][j] = h; }\n"
    "        if (at != k) { int c = col[k]; col[k] = col[at]; col[at] = c; for (i = 0; i < {R}; i++) { double h = "
    "B[i][k]; B[i][k] = B[i][at]; B[i][at] = h; } }\n"
    "        for (i = k + 1; i < {R}; i++) {\n"
    "            double f = B[i][k]/B[k][k];\n"
    "            if (f == 0.0) continue;\n"
    "            for (j = k + 1; j < {K}; j++) B[i][j] -= f*B[k][j];\n"
    "            e[i] -= f*e[k];\n"
    "        }\n"
    "    }\n"
    "    for (i = rank; i < {R}; i++) if (!(fabs(e[i]) < {T})) return 1;\n"
    "    for (i = rank; i < {K}; i++) x[i] = 0.0;\n"
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
    "static int {N}_smallest(double B[{R}][{K}], int rank, const int *col, double *x)\n"
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

static void c_solver_fill(struct actio_derivation *d, struct actio_text *out, const char *s, const char *name)
{
    const struct actio_formation *F = d->F;
    for (; *s; s++) {
        bool mark = s[0] == '{' && s[1] && s[2] == '}' && strchr("KRPNTH", s[1]);
        if (!mark) {
            actio_text_bytes(out, s, 1);
            continue;
        }
        switch (s[1]) {
        case 'N': actio_text_add(out, name); break;
        case 'T': actio_text_add(out, F->sys.hidden ? "1e-3" : "1e-6"); break;
        case 'H': actio_text_add(out, F->sys.hidden ? " or y is far from the constraints" : ""); break;
        default: actio_text_format(out, "%zu", s[1] == 'P' ? F->p : F->N + (s[1] == 'R' ? F->sys.p : F->p)); break;
        }
        s += 2;
    }
}

void actio_code_solver(struct actio_derivation *d, const char *name, struct actio_text *out)
{
    static const char none[] = "#define {N}_smallest(B, rank, col, x) 1\n\n";
    c_solver_fill(d, out, d->F->p ? smallest : none, name);
    c_solver_fill(d, out, elimination, name);
}

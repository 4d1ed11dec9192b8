/* SPDX-License-Identifier: Apache-2.0 */
#include "taylor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists of operations */

static node push(struct tape *t, struct taylor_op op)
{
    if (t->ops == TAYLOR_OPS) {
        fprintf(stderr, "truth: a right-hand side has too many operations\n");
        exit(2);
    }
    t->op[t->ops] = op;
    return t->ops++;
}

node tape_number(struct tape *t, dd x) { return push(t, (struct taylor_op){ .kind = TAYLOR_NUMBER, .number = x }); }
node tape_state(struct tape *t, int i) { return push(t, (struct taylor_op){ .kind = TAYLOR_STATE, .a = i }); }
node tape_time(struct tape *t) { return push(t, (struct taylor_op){ .kind = TAYLOR_TIME }); }

node tape_two(struct tape *t, enum taylor_kind kind, node a, node b)
{
    return push(t, (struct taylor_op){ .kind = kind, .a = a, .b = b });
}

node tape_one(struct tape *t, enum taylor_kind kind, node a)
{
    node first = push(
        t, (struct taylor_op){ .kind = kind, .a = a, .b = kind == TAYLOR_SIN || kind == TAYLOR_TANH ? t->ops + 1 : a });
    if (kind == TAYLOR_SIN) push(t, (struct taylor_op){ .kind = TAYLOR_COS, .a = a, .b = first });
    if (kind == TAYLOR_TANH) push(t, (struct taylor_op){ .kind = TAYLOR_SECH2, .a = a, .b = first });
    return first;
}

node tape_power(struct tape *t, node a, dd exponent)
{
    return push(t, (struct taylor_op){ .kind = TAYLOR_POWER, .a = a, .number = exponent });
}

/* ---- coefficient k of each operation */

static dd convolve(const dd *a, const dd *b, int from, int to, int k) /* sum of a[j] b[k-j] */
{
    dd sum = dd_of(0);
    for (int j = from; j <= to; j++) sum = dd_add(sum, dd_mul(a[j], b[k - j]));
    return sum;
}

static dd convolve_weighted(const dd *a, const dd *b, int k) /* sum of j a[j] b[k-j] / k */
{
    dd sum = dd_of(0);
    for (int j = 1; j <= k; j++) sum = dd_add(sum, dd_mul(dd_scale(a[j], j), b[k - j]));
    return dd_div(sum, dd_of(k));
}

static dd power_term(const dd *a, const dd *y, dd r, int k)
{
    dd sum = dd_of(0);
    for (int j = 0; j < k; j++) {
        dd weight = dd_sub(dd_scale(r, k - j), dd_of(j));
        sum = dd_add(sum, dd_mul(weight, dd_mul(a[k - j], y[j])));
    }
    return dd_div(sum, dd_scale(a[0], k));
}

static dd first_term(const struct taylor *s, const struct taylor_op *op)
{
    dd a = s->coefficient[op->a][0], b = s->coefficient[op->b][0], x, y;
    switch (op->kind) {
    case TAYLOR_NUMBER: return op->number;
    case TAYLOR_STATE: return s->y[op->a][0];
    case TAYLOR_TIME: return s->t;
    case TAYLOR_ADD: return dd_add(a, b);
    case TAYLOR_SUB: return dd_sub(a, b);
    case TAYLOR_MUL: return dd_mul(a, b);
    case TAYLOR_DIV: return dd_div(a, b);
    case TAYLOR_SQRT: return dd_sqrt(a);
    case TAYLOR_EXP: return dd_exp(a);
    case TAYLOR_LOG: return dd_log(a);
    case TAYLOR_SIN: dd_sincos(a, &x, &y); return x;
    case TAYLOR_COS: dd_sincos(a, &x, &y); return y;
    case TAYLOR_TANH: x = dd_exp(dd_scale(a, 2)); return dd_div(dd_sub(x, dd_of(1)), dd_add(x, dd_of(1)));
    case TAYLOR_SECH2: return dd_sub(dd_of(1), dd_mul(b, b));
    case TAYLOR_POWER: return dd_exp(dd_mul(op->number, dd_log(a)));
    }
    return dd_of(NAN);
}

static dd term(const struct taylor *s, int i, int k)
{
    const struct taylor_op *op = &s->tape->op[i];
    const dd *a = s->coefficient[op->a], *b = s->coefficient[op->b], *c = s->coefficient[i];
    if (k == 0) return first_term(s, op);
    switch (op->kind) {
    case TAYLOR_NUMBER: return dd_of(0);
    case TAYLOR_STATE: return s->y[op->a][k];
    case TAYLOR_TIME: return dd_of(k == 1 ? s->unit : 0);
    case TAYLOR_ADD: return dd_add(a[k], b[k]);
    case TAYLOR_SUB: return dd_sub(a[k], b[k]);
    case TAYLOR_MUL: return convolve(a, b, 0, k, k);
    case TAYLOR_DIV: return dd_div(dd_sub(a[k], convolve(c, b, 0, k - 1, k)), b[0]);
    case TAYLOR_SQRT: return dd_div(dd_sub(a[k], convolve(c, c, 1, k - 1, k)), dd_scale(c[0], 2));
    case TAYLOR_EXP: return convolve_weighted(a, c, k);
    case TAYLOR_LOG: {
        dd sum = dd_of(0);
        for (int j = 1; j < k; j++) sum = dd_add(sum, dd_mul(dd_scale(c[j], j), a[k - j]));
        return dd_div(dd_sub(a[k], dd_div(sum, dd_of(k))), a[0]);
    }
    case TAYLOR_SIN: return convolve_weighted(a, b, k);
    case TAYLOR_COS: return dd_neg(convolve_weighted(a, b, k));
    case TAYLOR_TANH: return convolve_weighted(a, b, k);
    case TAYLOR_SECH2: return dd_neg(convolve(b, b, 0, k, k));
    case TAYLOR_POWER: return power_term(a, c, op->number, k);
    }
    return dd_of(NAN);
}

void taylor_expand(struct taylor *s, const struct tape *tape, dd t, const dd *y, double unit)
{
    s->tape = tape;
    s->t = t;
    s->unit = unit;
    for (int i = 0; i < tape->states; i++) s->y[i][0] = y[i];
    for (int k = 0; k <= TAYLOR_ORDER; k++) {
        for (int i = 0; i < tape->ops; i++) s->coefficient[i][k] = term(s, i, k);
        for (int i = 0; i < tape->states && k < TAYLOR_ORDER; i++)
            s->y[i][k + 1] = dd_div(dd_scale(s->coefficient[tape->rate[i]][k], unit), dd_of(k + 1));
    }
}

/* Until where the last terms are below 1e-31 of this size. */
static double reach(const dd *c, double size)
{
    double x = 1e6;
    for (int k = TAYLOR_ORDER - 2; k <= TAYLOR_ORDER; k++)
        if (c[k].h != 0) x = fmin(x, pow(1e-31 * size / dd_size(c[k]), 1.0 / k));
    return x;
}

/* What is 0 now has the size of its first terms. */
static double reach_of_node(const struct taylor *s, node n)
{
    const dd *c = s->coefficient[n];
    double size = 1e-30;
    for (int k = 0; k <= 4; k++) size = fmax(size, dd_size(c[k]));
    return reach(c, size);
}

double taylor_step(const struct taylor *s)
{
    double largest = 0, x = 1e6;
    for (int i = 0; i < s->tape->states; i++) largest = fmax(largest, dd_size(s->y[i][0]));
    for (int i = 0; i < s->tape->states; i++)
        x = fmin(x, reach(s->y[i], fmax(dd_size(s->y[i][0]), 1e-10 * largest) + 1e-30));
    for (int g = 0; g < s->tape->guards; g++) x = fmin(x, reach_of_node(s, s->tape->guard[g]));
    for (int c = 0; c < s->tape->columns; c++) x = fmin(x, reach_of_node(s, s->tape->column[c]));
    return 0.9 * x * s->unit;
}

dd taylor_value(const dd *c, dd x)
{
    dd sum = c[TAYLOR_ORDER];
    for (int k = TAYLOR_ORDER - 1; k >= 0; k--) sum = dd_add(dd_mul(sum, x), c[k]);
    return sum;
}

static double quick_value(const dd *c, int from, double x, double *slope)
{
    double sum = 0, d = 0;
    for (int k = TAYLOR_ORDER; k >= from; k--) {
        d = d * x + sum;
        sum = sum * x + c[k].h;
    }
    *slope = d;
    return sum;
}

/* By halving in doubles, then by Newton's method in double-doubles. */
static dd polish(const dd *c, int from, double a, double b)
{
    double slope, middle = b;
    for (int i = 0; i < 60; i++) {
        middle = (a + b) / 2;
        if (quick_value(c, from, middle, &slope) > 0) a = middle;
        else b = middle;
    }
    dd x = dd_of(middle);
    for (int i = 0; i < 4; i++) {
        quick_value(c, 0, dd_value(x), &slope);
        x = dd_sub(x, dd_div(taylor_value(c, x), dd_of(slope)));
    }
    return x;
}

bool taylor_root(const dd *c, double end, bool at_zero, dd *root, double *near)
{
    enum { PIECES = 256 };
    int from = at_zero ? 1 : 0; /* the root at the start is divided out */
    double slope, before = 0, before_slope, value = quick_value(c, from, 0, &before_slope);
    for (int i = 1; i <= PIECES; i++) {
        double x = end * i / PIECES, next = quick_value(c, from, x, &slope), low = x;
        if (next > 0 && before_slope < 0 && slope > 0) { /* a minimum between */
            double a = before, b = x, s;
            for (int j = 0; j < 60; j++) {
                double middle = (a + b) / 2;
                quick_value(c, from, middle, &s);
                if (s < 0) a = middle;
                else b = middle;
            }
            double least = quick_value(c, from, a, &s);
            *near = fmin(*near, least);
            if (least <= 0) {
                next = least;
                low = a;
            }
        }
        if (value > 0 && next <= 0) {
            *root = polish(c, from, before, low);
            return true;
        }
        before = x;
        before_slope = slope;
        value = next;
    }
    return false;
}

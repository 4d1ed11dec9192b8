/* SPDX-License-Identifier: Apache-2.0
 * The arithmetic of jets: products over subsets, functions by their Taylor series at the real part. */
#include "verdict/jet_numbers.h"
#include "base/math.h"

#include <string.h>

enum { MOST_LEVELS = 13, MOST_VALUES = 1 << 20 };

/* ---- one number at a time */

static void jet_numbers_times(size_t size, const double *a, const double *b, double *c)
{
    for (size_t s = 0; s < size; s++) {
        double sum = a[0] * b[s];
        for (size_t part = s; part; part = (part - 1) & s) sum += a[part] * b[s ^ part];
        c[s] = sum;
    }
}

static void jet_numbers_scaled(size_t size, double factor, const double *a, double *c)
{
    for (size_t s = 0; s < size; s++) c[s] = factor * a[s];
}

/* c = sum of coef[i] (a - a_0)^i by Horner's rule; beyond the level's number of nilpotents the powers are 0. */
static void compose(unsigned level, const double *coef, const double *a, double *c, double *scratch)
{
    size_t size = (size_t)1 << level;
    double *rest = scratch, *product = scratch + size;
    memcpy(rest, a, size * sizeof *a);
    rest[0] = 0;
    memset(c, 0, size * sizeof *c);
    c[0] = coef[level];
    for (unsigned i = level; i-- > 0;) {
        jet_numbers_times(size, c, rest, product);
        memcpy(c, product, size * sizeof *c);
        c[0] += coef[i];
    }
}

/* ---- Taylor coefficients c[0 .. k] at x */

static void series_exp(double x, unsigned k, double *c)
{
    c[0] = actio_exp(x);
    for (unsigned i = 1; i <= k; i++) c[i] = c[i - 1] / i;
}

/* f'' = sign f, from the value and the slope */
static void series_wave(double value, double slope, double sign, unsigned k, double *c)
{
    c[0] = value;
    if (k) c[1] = slope;
    for (unsigned i = 2; i <= k; i++) c[i] = sign * c[i - 2] / (i * (i - 1));
}

static void series_sin(double x, unsigned k, double *c) { series_wave(actio_sin(x), actio_cos(x), -1, k, c); }
static void series_cos(double x, unsigned k, double *c) { series_wave(actio_cos(x), -actio_sin(x), -1, k, c); }
static void series_sinh(double x, unsigned k, double *c) { series_wave(actio_sinh(x), actio_cosh(x), 1, k, c); }
static void series_cosh(double x, unsigned k, double *c) { series_wave(actio_cosh(x), actio_sinh(x), 1, k, c); }

/* f' = 1 + sign f^2 */
static void series_tangent(double value, double sign, unsigned k, double *c)
{
    c[0] = value;
    for (unsigned i = 0; i < k; i++) {
        double sum = i == 0;
        for (unsigned j = 0; j <= i; j++) sum += sign * c[j] * c[i - j];
        c[i + 1] = sum / (i + 1);
    }
}

static void series_tan(double x, unsigned k, double *c) { series_tangent(actio_tan(x), 1, k, c); }
static void series_tanh(double x, unsigned k, double *c) { series_tangent(actio_tanh(x), -1, k, c); }

static void series_log(double x, unsigned k, double *c)
{
    double power = 1;
    c[0] = actio_log(x);
    for (unsigned i = 1; i <= k; i++) {
        power /= -x;
        c[i] = -power / i;
    }
}

/* Of (x + s)^p; a whole p ends by itself, also at x = 0. */
static void series_power(double x, double p, unsigned k, double *c)
{
    double binomial = 1;
    for (unsigned i = 0; i <= k; i++) {
        c[i] = binomial == 0 ? 0 : binomial * actio_pow(x, p - i);
        binomial *= (p - i) / (i + 1);
    }
}

static void series_sqrt(double x, unsigned k, double *c) { series_power(x, 0.5, k, c); }

/* f' = 1/(1 + x^2): (1 + x^2) w_i = -2 x w_(i-1) - w_(i-2) */
static void series_atan(double x, unsigned k, double *c)
{
    double w[MOST_LEVELS + 1] = { 1 / (1 + x * x) };
    for (unsigned i = 1; i < k; i++) w[i] = -(2 * x * w[i - 1] + (i > 1 ? w[i - 2] : 0)) / (1 + x * x);
    c[0] = actio_atan(x);
    for (unsigned i = 1; i <= k; i++) c[i] = w[i - 1] / i;
}

/* f' = w with (1 - x^2) w' = x w */
static void series_asin(double x, unsigned k, double *c)
{
    double w[MOST_LEVELS + 1] = { 1 / sqrt(1 - x * x) };
    for (unsigned i = 0; i + 1 < k; i++)
        w[i + 1] = (x * (2 * i + 1) * w[i] + (i ? i * w[i - 1] : 0)) / ((1 - x * x) * (i + 1));
    c[0] = actio_asin(x);
    for (unsigned i = 1; i <= k; i++) c[i] = w[i - 1] / i;
}

static void series_acos(double x, unsigned k, double *c)
{
    series_asin(x, k, c);
    c[0] = actio_acos(x);
    for (unsigned i = 1; i <= k; i++) c[i] = -c[i];
}

static void series_abs(double x, unsigned k, double *c)
{
    memset(c, 0, (k + 1) * sizeof *c);
    c[0] = fabs(x);
    if (k) c[1] = actio_sign(x);
}

static void series_sign(double x, unsigned k, double *c)
{
    memset(c, 0, (k + 1) * sizeof *c);
    c[0] = actio_sign(x);
}

/* Its derivative 2/sqrt(pi) exp(-(x + s)^2), term by term: e(n) n = -2 (x e(n-1) + e(n-2)). */
static void series_erf(double x, unsigned k, double *c)
{
    double before = 0, now = 1.1283791670955126 * exp(-x * x);
    c[0] = erf(x);
    for (unsigned n = 1; n <= k; n++) {
        c[n] = now / n;
        double next = -2 * (x * now + before) / n;
        before = now;
        now = next;
    }
}

typedef void (*series_fn)(double x, unsigned k, double *c);
static const series_fn series_of[ACTIO_OP_COUNT] = {
    [ACTIO_EXP] = series_exp,   [ACTIO_LOG] = series_log,   [ACTIO_SQRT] = series_sqrt, [ACTIO_SIN] = series_sin,
    [ACTIO_COS] = series_cos,   [ACTIO_TAN] = series_tan,   [ACTIO_ASIN] = series_asin, [ACTIO_ACOS] = series_acos,
    [ACTIO_ATAN] = series_atan, [ACTIO_SINH] = series_sinh, [ACTIO_COSH] = series_cosh, [ACTIO_TANH] = series_tanh,
    [ACTIO_ERF] = series_erf,   [ACTIO_ABS] = series_abs,   [ACTIO_SIGN] = series_sign,
};

/* ---- opening */

static int32_t input_of(const struct actio_formation *F, actio_slot slot)
{
    switch (slot.space) {
    case ACTIO_SPACE_Q: return (int32_t)slot.index;
    case ACTIO_SPACE_T: return (int32_t)F->n;
    case ACTIO_SPACE_V: return (int32_t)(F->n + 1 + slot.index);
    default: return -1;
    }
}

static bool open_leaf(struct actio_jets *j, size_t i, const struct actio_node *node, const double *param,
                      const double *mode)
{
    const struct actio_pool *pool = &j->F->pool;
    j->is_real[i] = true;
    if (node->op == ACTIO_CONST) {
        j->real[i] = pool->value[node->a];
        return true;
    }
    actio_slot slot = pool->slot[node->a];
    j->input[i] = input_of(j->F, slot);
    j->is_real[i] = j->input[i] < 0;
    if (slot.space == ACTIO_SPACE_PARAM) j->real[i] = param[slot.index];
    else if (slot.space == ACTIO_SPACE_MODE) j->real[i] = mode[slot.index];
    else if (slot.space == ACTIO_SPACE_HELD)
        j->real[i] = actio_model_number(j->F->model, j->F->model->resets.held[slot.index].start);
    else return !j->is_real[i];
    return true;
}

static void open_node(struct actio_jets *j, size_t i)
{
    struct actio_pool *pool = &j->F->pool;
    struct actio_node *node = &j->node[i];
    int arity = actio_arity((enum actio_op)node->op);
    uint32_t *arg[3] = { &node->a, &node->b, &node->c };
    double x[3] = { 0 };
    bool is_real = true;
    for (int k = 0; k < arity; k++) {
        *arg[k] = pool->place[*arg[k]];
        is_real = is_real && j->is_real[*arg[k]];
        x[k] = j->real[*arg[k]];
    }
    j->is_real[i] = is_real;
    if (is_real) j->real[i] = actio_op_value((enum actio_op)node->op, x[0], x[1], x[2], (int32_t)node->b);
}

/* Sums cost a jet's length; products and functions more. */
static void weigh(struct actio_jets *j, size_t i)
{
    const struct actio_node *node = &j->node[i];
    int arity = actio_arity((enum actio_op)node->op);
    if (j->is_real[i] || arity == 0) return;
    if (node->op == ACTIO_MUL) j->products += !j->is_real[node->a] && !j->is_real[node->b];
    else if (node->op == ACTIO_POWI || series_of[node->op]) j->functions++;
    else if (node->op == ACTIO_ATAN2 || node->op == ACTIO_POW || node->op == ACTIO_HYPOT) j->functions += 3;
    else if (node->op == ACTIO_DIV) j->functions += !j->is_real[node->b];
}

bool actio_jets_open(struct actio_jets *j, struct actio_formation *F, const actio_expr *e, size_t count,
                     const double *param, const double *mode)
{
    *j = (struct actio_jets){ .F = F, .n = F->n, .roots = count };
    struct actio_cone cone = actio_cone_of(&F->pool, e, count);
    bool known = true;
    j->nodes = cone.count;
    j->node = actio_form_array(F, j->nodes, sizeof *j->node);
    j->real = actio_form_array(F, j->nodes, sizeof *j->real);
    j->is_real = actio_form_array(F, j->nodes, sizeof *j->is_real);
    j->input = actio_form_array(F, j->nodes, sizeof *j->input);
    j->root = actio_form_array(F, count, sizeof *j->root);
    for (size_t i = 0; i < j->nodes; i++) {
        struct actio_node node = j->node[i] = F->pool.node[cone.id[i]];
        j->input[i] = -1;
        if (node.op == ACTIO_CONST || node.op == ACTIO_SYMBOL) known = open_leaf(j, i, &node, param, mode) && known;
        else open_node(j, i);
    }
    for (size_t r = 0; r < count; r++) j->root[r] = F->pool.place[e[r].id];
    for (size_t i = 0; i < j->nodes; i++) weigh(j, i);
    return actio_jets_room(j, 0) && known;
}

bool actio_jets_room(struct actio_jets *j, unsigned level)
{
    if (j->value && level <= j->level) return true;
    if (level > MOST_LEVELS || (j->nodes + 6) << level > MOST_VALUES) return false;
    j->value = actio_form_array(j->F, j->nodes << level, sizeof *j->value);
    j->scratch = actio_form_array(j->F, (size_t)6 << level, sizeof *j->scratch);
    j->level = level;
    return true;
}

double actio_jets_cost(const struct actio_jets *j, unsigned level)
{
    double size = 1, product = 1;
    for (unsigned k = 0; k < level; k++) {
        size *= 2;
        product *= 3;
    }
    return (double)j->nodes * size + ((double)j->products + (double)j->functions * level) * product;
}

/* ---- evaluation */

struct pass {
    struct actio_jets *j;
    unsigned level;
    size_t size;
    const double *in;
    size_t stride;
};

static double *jet_numbers_value_at(const struct pass *p, size_t i) { return p->j->value + i * p->size; }

static void function(const struct pass *p, series_fn series, const double *a, double *c)
{
    double coef[MOST_LEVELS + 1];
    series(a[0], p->level, coef);
    compose(p->level, coef, a, c, p->j->scratch);
}

static void power(const struct pass *p, const double *a, double exponent, double *c)
{
    double coef[MOST_LEVELS + 1];
    series_power(a[0], exponent, p->level, coef);
    compose(p->level, coef, a, c, p->j->scratch);
}

/* Turned so that the quotient has no real part: good on every half-plane. */
static void angle(const struct pass *p, const double *y, const double *x, double *c)
{
    double *u = p->j->scratch + 2 * p->size, *w = u + p->size, *inverse = w + p->size;
    double at = actio_atan2(y[0], x[0]), co = actio_cos(at), si = actio_sin(at);
    for (size_t s = 0; s < p->size; s++) {
        u[s] = co * x[s] + si * y[s];
        w[s] = co * y[s] - si * x[s];
    }
    power(p, u, -1, inverse);
    jet_numbers_times(p->size, w, inverse, u);
    function(p, series_atan, u, c);
    c[0] += at;
}

static void general_power(const struct pass *p, const struct actio_node *node, const double *a, const double *b,
                          double *c)
{
    double *log = p->j->scratch + 2 * p->size, *product = log + p->size;
    if (p->j->is_real[node->b]) {
        power(p, a, b[0], c);
        return;
    }
    function(p, series_log, a, log);
    jet_numbers_times(p->size, log, b, product);
    function(p, series_exp, product, c);
}

static void jet_numbers_product(const struct pass *p, const struct actio_node *node, const double *a, const double *b,
                                double *c)
{
    if (p->j->is_real[node->a]) jet_numbers_scaled(p->size, a[0], b, c);
    else if (p->j->is_real[node->b]) jet_numbers_scaled(p->size, b[0], a, c);
    else jet_numbers_times(p->size, a, b, c);
}

static void quotient(const struct pass *p, const struct actio_node *node, const double *a, const double *b, double *c)
{
    double *inverse = p->j->scratch + 2 * p->size;
    if (p->j->is_real[node->b]) {
        for (size_t s = 0; s < p->size; s++) c[s] = a[s] / b[0];
        return;
    }
    power(p, b, -1, inverse);
    jet_numbers_product(p, &(struct actio_node){ .a = node->a, .b = node->b }, a, inverse, c);
}

/* The larger of the two is brought near 1, so that no square overflows. */
static void length(const struct pass *p, const double *a, const double *b, double *c)
{
    double *u = p->j->scratch + 2 * p->size, *w = u + p->size, *square = w + p->size;
    int exponent = 0;
    frexp(fmax(fabs(a[0]), fabs(b[0])), &exponent);
    for (size_t s = 0; s < p->size; s++) {
        u[s] = ldexp(a[s], -exponent);
        w[s] = ldexp(b[s], -exponent);
    }
    jet_numbers_times(p->size, u, u, square);
    jet_numbers_times(p->size, w, w, u);
    for (size_t s = 0; s < p->size; s++) square[s] += u[s];
    power(p, square, 0.5, c);
    for (size_t s = 0; s < p->size; s++) c[s] = ldexp(c[s], exponent);
}

static void jet_numbers_keep(const struct pass *p, const double *a, double *c) { memcpy(c, a, p->size * sizeof *c); }

static void operation(const struct pass *p, const struct actio_node *node, double *r)
{
    enum actio_op op = (enum actio_op)node->op;
    int arity = actio_arity(op);
    const double *a = jet_numbers_value_at(p, node->a), *b = arity > 1 ? jet_numbers_value_at(p, node->b) : NULL,
                 *c = arity > 2 ? jet_numbers_value_at(p, node->c) : NULL;
    if (series_of[op]) {
        function(p, series_of[op], a, r);
        return;
    }
    switch (op) {
    case ACTIO_NEG: jet_numbers_scaled(p->size, -1, a, r); break;
    case ACTIO_POWI: power(p, a, (int32_t)node->b, r); break;
    case ACTIO_ADD:
        for (size_t s = 0; s < p->size; s++) r[s] = a[s] + b[s];
        break;
    case ACTIO_SUB:
        for (size_t s = 0; s < p->size; s++) r[s] = a[s] - b[s];
        break;
    case ACTIO_MUL: jet_numbers_product(p, node, a, b, r); break;
    case ACTIO_DIV: quotient(p, node, a, b, r); break;
    case ACTIO_POW: general_power(p, node, a, b, r); break;
    case ACTIO_ATAN2: angle(p, a, b, r); break;
    case ACTIO_MIN: jet_numbers_keep(p, a[0] < b[0] ? a : b, r); break;
    case ACTIO_MAX: jet_numbers_keep(p, a[0] < b[0] ? b : a, r); break;
    case ACTIO_MOD:
        for (size_t s = 0; s < p->size; s++) r[s] = a[s] - floor(a[0] / b[0]) * b[s];
        break;
    case ACTIO_HYPOT: length(p, a, b, r); break;
    case ACTIO_IF: jet_numbers_keep(p, a[0] != 0 ? b : c, r); break;
    default: memset(r, 0, p->size * sizeof *r); r[0] = actio_op_value(op, a[0], b ? b[0] : 0, c ? c[0] : 0, 0);
    }
}

static void leaf(const struct pass *p, size_t i, double *r)
{
    if (p->j->input[i] >= 0) {
        jet_numbers_keep(p, p->in + (size_t)p->j->input[i] * p->stride, r);
        return;
    }
    memset(r, 0, p->size * sizeof *r);
    r[0] = p->j->real[i];
}

void actio_jets_at(struct actio_jets *j, unsigned level, const double *in, size_t stride, double *out,
                   size_t out_stride)
{
    struct pass p = { j, level, (size_t)1 << level, in, stride };
    j->work += actio_jets_cost(j, level);
    for (size_t i = 0; i < j->nodes; i++)
        if (j->is_real[i] || j->input[i] >= 0) leaf(&p, i, jet_numbers_value_at(&p, i));
        else operation(&p, &j->node[i], jet_numbers_value_at(&p, i));
    for (size_t r = 0; r < j->roots; r++)
        memcpy(out + r * out_stride, jet_numbers_value_at(&p, j->root[r]), p.size * sizeof *out);
}

/* SPDX-License-Identifier: Apache-2.0
 * Integrals by simple means: which sum of simple functions of (q, t) does not change along any admissible velocity? A
 * linear question once the functions are listed, simplest first: one that depends on those before it gives an integral.
 * Its numbers are then made plain. */
#include "verdict/vector_fields.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

enum { MOST = 220, MOST_ATOMS = 24, MOST_SPOTS = 300, FRESH = 5, MORE_ROWS = 24, MOST_TERMS = 40, MOST_FITS = 600 };
#define DEPENDENT 1e-9  /* what is left of a column, against the function's slopes */
#define NEGLIGIBLE 1e-7 /* a term, against the one it belongs to */
#define HOLDS 1e-8      /* the finished integral, at states that did not make it */

/* A state, the admissible directions there (orthonormal rows), and the slopes of all functions (count x width), all
 * scaled. */
struct look {
    double *fields, *slope;
    size_t dim;
};

struct search {
    struct actio_fields *f;
    struct actio_integrability *out;
    actio_expr *e, *var, *atom; /* functions; coordinates that occur and time; what the constraints are made of */
    size_t count, vars, atoms;
    bool *dead; /* not finite somewhere */
    struct actio_jets slope;
    struct actio_spot spot;
    size_t rows, cap;
    double *A, *size, *Q, *R; /* A, Q by column; R[a * MOST + column] */
    size_t *pivot, pivots;
    double *fit, *work;
    int *iwork;
    size_t fits;
    struct look fresh[FRESH];
    size_t freshes;
    double *known; /* covectors at the last of `fresh` that are not new */
    size_t knowns;
};

static void *integral_array(const struct search *s, size_t count, size_t size)
{
    return actio_form_array(s->f->F, count, size);
}

/* ---- the functions, simplest first */

static struct actio_pool *integral_pool_of(const struct search *s) { return &s->f->F->pool; }

static void integral_add(struct search *s, actio_expr e)
{
    for (size_t i = 0; i < s->count; i++)
        if (actio_same(s->e[i], e)) return;
    if (s->count < MOST) s->e[s->count++] = e;
}

static void choose_variables(struct search *s)
{
    struct actio_formation *F = s->f->F;
    s->var = integral_array(s, F->n + 1, sizeof *s->var);
    for (size_t i = 0; i < F->n; i++) {
        bool occurs = false;
        for (size_t r = 0; r < s->f->rows && !occurs; r++)
            occurs = actio_uses_symbol(&F->pool, s->f->phi[r], F->sym.q[i])
                     || actio_uses_symbol(&F->pool, s->f->phi[r], F->sym.v[i]);
        if (occurs) s->var[s->vars++] = F->sym.q[i];
    }
    s->var[s->vars++] = F->sym.time;
}

static void add_atom(struct search *s, actio_expr e)
{
    for (size_t i = 0; i < s->atoms; i++)
        if (actio_same(s->atom[i], e)) return;
    if (s->atoms < MOST_ATOMS) s->atom[s->atoms++] = e;
}

/* sin(theta) and the like, as they stand in the constraints; what integrates to one comes with it. */
static void choose_atoms(struct search *s)
{
    static const struct {
        enum actio_op op, with;
    } kinds[] = {
        { ACTIO_SIN, ACTIO_COS },   { ACTIO_COS, ACTIO_SIN },   { ACTIO_SINH, ACTIO_COSH }, { ACTIO_COSH, ACTIO_SINH },
        { ACTIO_EXP, ACTIO_EXP },   { ACTIO_LOG, ACTIO_LOG },   { ACTIO_SQRT, ACTIO_SQRT }, { ACTIO_TAN, ACTIO_TAN },
        { ACTIO_ATAN, ACTIO_ATAN }, { ACTIO_TANH, ACTIO_TANH },
    };
    struct actio_pool *pool = integral_pool_of(s);
    struct actio_cone cone = actio_cone_of(pool, s->f->phi, s->f->rows);
    uint32_t *id = integral_array(s, cone.count, sizeof *id);
    memcpy(id, cone.id, cone.count * sizeof *id);
    s->atom = integral_array(s, MOST_ATOMS, sizeof *s->atom);
    for (size_t i = 0, count = cone.count; i < count; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            actio_expr e = { id[i] };
            if (pool->node[e.id].op != kinds[k].op || actio_level_of(pool, e) < ACTIO_LV_TIME
                || actio_uses(pool, e, ACTIO_SPACE_V))
                continue;
            add_atom(s, e);
            add_atom(s, actio_op1(pool, kinds[k].with, (actio_expr){ pool->node[e.id].a }));
        }
}

static void add_products(struct search *s, const actio_expr *a, size_t na, const actio_expr *b, size_t nb)
{
    for (size_t i = 0; i < na; i++)
        for (size_t k = a == b ? i : 0; k < nb; k++)
            integral_add(s, a == b && i == k ? actio_power(integral_pool_of(s), a[i], 2)
                                             : actio_mul(integral_pool_of(s), a[i], b[k]));
}

static void add_quotients(struct search *s)
{
    struct actio_pool *pool = integral_pool_of(s);
    size_t coords = s->vars - 1;
    for (size_t i = 0; i < coords; i++)
        for (size_t k = 0; k < coords; k++)
            if (i != k) integral_add(s, actio_div(pool, s->var[i], s->var[k]));
    for (size_t i = 0; i < coords; i++)
        for (size_t k = i + 1; k < coords; k++) integral_add(s, actio_op2(pool, ACTIO_ATAN2, s->var[k], s->var[i]));
}

/* Powers that are not whole: log|x| - 1.4 log|y| */
static void add_logarithms(struct search *s)
{
    for (size_t i = 0; i + 1 < s->vars; i++)
        integral_add(s,
                     actio_op1(integral_pool_of(s), ACTIO_LOG, actio_op1(integral_pool_of(s), ACTIO_ABS, s->var[i])));
}

static void add_cubes(struct search *s)
{
    struct actio_pool *pool = integral_pool_of(s);
    for (size_t i = 0; i < s->vars; i++)
        for (size_t k = i; k < s->vars; k++)
            for (size_t l = k; l < s->vars; l++) {
                actio_expr a = s->var[i], b = s->var[k], c = s->var[l];
                if (i == l) integral_add(s, actio_power(pool, a, 3));
                else if (i == k) integral_add(s, actio_mul(pool, actio_power(pool, a, 2), c));
                else if (k == l) integral_add(s, actio_mul(pool, a, actio_power(pool, b, 2)));
                else integral_add(s, actio_mul(pool, actio_mul(pool, a, b), c));
            }
}

static void list_functions(struct search *s)
{
    s->e = integral_array(s, MOST, sizeof *s->e);
    choose_variables(s);
    choose_atoms(s);
    for (size_t i = 0; i < s->vars; i++) integral_add(s, s->var[i]);
    for (size_t i = 0; i < s->atoms; i++) integral_add(s, s->atom[i]);
    add_products(s, s->var, s->vars, s->var, s->vars);
    add_products(s, s->var, s->vars, s->atom, s->atoms);
    add_quotients(s);
    add_products(s, s->atom, s->atoms, s->atom, s->atoms);
    for (size_t i = 0; i + 1 < s->vars; i++) integral_add(s, actio_op1(integral_pool_of(s), ACTIO_EXP, s->var[i]));
    add_cubes(s);
    add_logarithms(s);
}

/* ---- their changes along admissible velocities */

static bool open_slopes(struct search *s, const actio_expr *e, size_t count, struct actio_jets *jets)
{
    struct actio_fields *f = s->f;
    actio_expr *wrt = integral_array(s, f->width, sizeof *wrt),
               *slope = integral_array(s, count * f->width, sizeof *slope);
    memcpy(wrt, f->F->sym.q, f->n * sizeof *wrt);
    wrt[f->n] = f->F->sym.time;
    for (size_t i = 0; i < count; i++) actio_gradient(&f->F->pool, e[i], wrt, f->width, slope + i * f->width);
    return actio_jets_open(jets, f->F, slope, count * f->width, f->points->M->param, f->points->M->mode);
}

static void slopes_here(struct search *s, struct actio_jets *jets, size_t count, double *out)
{
    struct actio_fields *f = s->f;
    actio_fields_input(f, s->spot.x, s->spot.u, f->in);
    actio_jets_at(jets, 0, f->in, 1, out, 1);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < f->width; k++) out[i * f->width + k] *= f->scale[k];
}

static bool integral_look(struct search *s, struct look *l)
{
    struct actio_fields *f = s->f;
    if (!actio_spot_open(f, &s->spot) || !actio_spot_grow(f, &s->spot, 0)) return false;
    slopes_here(s, &s->slope, s->count, l->slope);
    memcpy(l->fields, s->spot.basis, s->spot.dim * f->width * sizeof *l->fields);
    l->dim = s->spot.dim;
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < f->width; k++) s->dead[i] = s->dead[i] || !isfinite(l->slope[i * f->width + k]);
    return true;
}

static struct look open_look(struct search *s)
{
    size_t w = s->f->width;
    return (struct look){ integral_array(s, w * w, sizeof(double)), integral_array(s, s->count * w, sizeof(double)),
                          0 };
}

static void take_rows(struct search *s, const struct look *l)
{
    size_t w = s->f->width;
    for (size_t d = 0; d < l->dim && s->rows < s->cap; d++, s->rows++)
        for (size_t i = 0; i < s->count; i++) {
            const double *slope = l->slope + i * w;
            s->A[i * s->cap + s->rows] = actio_dot(w, slope, l->fields + d * w);
            s->size[i] = hypot(s->size[i], actio_norm(w, slope));
        }
}

static bool integral_collect(struct search *s)
{
    struct look l = open_look(s);
    s->cap = s->count + MORE_ROWS;
    s->A = integral_array(s, s->cap * s->count, sizeof *s->A);
    s->size = integral_array(s, s->count, sizeof *s->size);
    for (int i = 0; i < MOST_SPOTS && s->rows < s->cap; i++)
        if (integral_look(s, &l)) take_rows(s, &l);
    for (int i = 0; i < 4 * FRESH && s->freshes < FRESH; i++) {
        s->fresh[s->freshes] = open_look(s);
        if (integral_look(s, &s->fresh[s->freshes])) s->freshes++;
    }
    return s->rows == s->cap && s->freshes == FRESH;
}

/* What the constraints written as holonomic say at the last of `fresh`: that is not new. */
static bool note_given(struct search *s)
{
    struct actio_fields *f = s->f;
    struct actio_formation *F = f->F;
    struct actio_jets jets;
    size_t w = f->width, count = F->sys.holonomic;
    double *row = integral_array(s, count * w, sizeof *row);
    s->known = integral_array(s, w * w, sizeof *s->known);
    if (count == 0) return true;
    if (!open_slopes(s, F->f, count, &jets)) return false;
    slopes_here(s, &jets, count, row); /* the spot is still that of the last look */
    for (size_t i = 0; i < count; i++)
        actio_extend(s->known, &s->knowns, w, row + i * w, 1e-8 * actio_norm(w, row + i * w));
    return true;
}

/* ---- a candidate */

static double integral_largest_of(const double *c, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(c[i]));
    return largest;
}

/* Small whole numbers in these proportions, if there are any. */
static bool whole(double *c, size_t count)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        if (c[i] != 0) least = fmin(least, fabs(c[i]));
    if (integral_largest_of(c, count) > 1000 * least) return false;
    for (int m = 1; m <= 24; m++) {
        bool fits = true;
        for (size_t i = 0; i < count; i++) {
            double x = m * c[i] / least;
            fits = fits && fabs(x - round(x)) <= 1e-7 * fmax(1, fabs(x));
        }
        for (size_t i = 0; i < count && fits; i++) c[i] = round(m * c[i] / least);
        if (fits) return true;
    }
    return false;
}

static double short_decimal(double x)
{
    for (int digits = 0; digits < 12; digits++) {
        double shift = pow(10, digits - floor(log10(fabs(x)))), y = round(x * shift) / shift;
        if (fabs(y - x) <= 1e-9 * fabs(x)) return y;
    }
    return x;
}

/* The first term counts positive; 1, where the numbers are not whole. */
static void make_plain(double *c, size_t count)
{
    size_t first = 0;
    while (first < count && c[first] == 0) first++;
    if (first == count) return;
    double lead = c[first];
    for (size_t i = 0; i < count; i++) c[i] /= lead;
    if (whole(c, count)) return;
    for (size_t i = 0; i < count; i++)
        if (c[i] != 0) c[i] = short_decimal(c[i]);
}

static bool holds(const struct search *s, const double *c)
{
    size_t w = s->f->width;
    for (size_t k = 0; k < s->freshes; k++)
        for (size_t d = 0; d < s->fresh[k].dim; d++) {
            double sum = 0, size = 0;
            for (size_t i = 0; i < s->count; i++)
                if (c[i] != 0) {
                    const double *slope = s->fresh[k].slope + i * w;
                    sum += c[i] * actio_dot(w, slope, s->fresh[k].fields + d * w);
                    size += fabs(c[i]) * actio_norm(w, slope);
                }
            if (!(fabs(sum) <= HOLDS * size)) return false;
        }
    return true;
}

/* Does it say anything that the known ones don't? Then it is one of them from now on, if it is to be kept. */
static bool is_news(struct search *s, const double *c, bool keep)
{
    size_t w = s->f->width, knowns = s->knowns;
    const struct look *l = &s->fresh[s->freshes - 1];
    double *d = integral_array(s, w, sizeof *d), size = 0;
    for (size_t i = 0; i < s->count; i++)
        for (size_t a = 0; a < w && c[i] != 0; a++) {
            d[a] += c[i] * l->slope[i * w + a];
            size += fabs(c[i] * l->slope[i * w + a]);
        }
    bool news = actio_extend(s->known, &knowns, w, d, 1e-6 * size);
    if (keep) s->knowns = knowns;
    return news;
}

static void write_term(struct search *s, double c, actio_expr e, bool first, struct actio_text *text,
                       struct actio_text *latex)
{
    struct actio_formation *F = s->f->F;
    actio_text_add(text, first ? (c < 0 ? "-" : "") : c < 0 ? " - " : " + ");
    actio_text_add(latex, first ? (c < 0 ? "-" : "") : c < 0 ? " - " : " + ");
    if (fabs(c) != 1) {
        actio_text_number(text, fabs(c));
        actio_text_add(text, "*");
        actio_text_number(latex, fabs(c));
        actio_text_add(latex, "\\,");
    }
    actio_print(&F->pool, e, actio_model_symbol_name, F->model, text);
    actio_print_latex(&F->pool, e, actio_model_symbol_latex, F->model, latex);
}

static void write_integral(struct search *s, const double *c)
{
    struct actio_text text, latex;
    bool first = true;
    actio_text_open(&text, &s->f->F->arena);
    actio_text_open(&latex, &s->f->F->arena);
    for (size_t i = 0; i < s->count; i++)
        if (c[i] != 0) {
            write_term(s, c[i], s->e[i], first, &text, &latex);
            first = false;
        }
    actio_text_add(&text, " = const");
    actio_text_add(&latex, " = \\mathrm{const}");
    s->out->integral[s->out->integrals++] = (struct actio_equation){ text.s, latex.s };
}

/* ---- the linear question */

/* Column j of A less its part along the pivots before; what it has along them goes to R. */
static double integral_reduce(struct search *s, size_t j, double *x)
{
    memcpy(x, s->A + j * s->cap, s->rows * sizeof *x);
    for (int twice = 0; twice < 2; twice++)
        for (size_t a = 0; a < s->pivots; a++) {
            double along = actio_dot(s->rows, s->Q + a * s->cap, x);
            s->R[a * MOST + j] += along;
            for (size_t r = 0; r < s->rows; r++) x[r] -= along * s->Q[a * s->cap + r];
        }
    return actio_norm(s->rows, x);
}

/* Column j by the `terms` columns: their factors and what is left, against the slopes of j. */
static double fit(struct search *s, size_t j, const size_t *term, size_t terms, double *factor)
{
    double *b = s->A + j * s->cap, *a = s->fit, defect = 0, left = 0;
    for (size_t r = 0; r < s->rows; r++)
        for (size_t k = 0; k < terms; k++) a[r * terms + k] = s->A[term[k] * s->cap + r] / s->size[term[k]];
    s->fits++;
    if (terms) actio_min_norm(s->rows, terms, a, b, 1e-13, factor, &defect, s->work, s->iwork);
    for (size_t r = 0; r < s->rows; r++) {
        double rest = b[r];
        for (size_t k = 0; k < terms; k++) rest -= s->A[term[k] * s->cap + r] / s->size[term[k]] * factor[k];
        left = hypot(left, rest);
    }
    return left / s->size[j];
}

/* Which of the pivots are needed for column j? Functions that look alike bring each other in with large factors:
 * whatever can go, goes. */
static size_t few_terms(struct search *s, size_t j, const double *c, size_t *term)
{
    size_t terms = 0;
    double x[MOST_TERMS];
    for (size_t i = 0; i < s->count && terms < MOST_TERMS; i++)
        if (i != j && fabs(c[i]) * s->size[i] > DEPENDENT * s->size[j]) term[terms++] = i;
    for (size_t k = terms; k-- > 0;) { /* the simplest functions are the last to go */
        size_t gone = term[k];
        memmove(term + k, term + k + 1, (terms - k - 1) * sizeof *term);
        if (fit(s, j, term, terms - 1, x) <= DEPENDENT) {
            terms--;
            continue;
        }
        memmove(term + k + 1, term + k, (terms - k - 1) * sizeof *term);
        term[k] = gone;
    }
    return terms;
}

/* The function j less the combination of pivots that changes like it. */
static void combine(const struct search *s, size_t j, double *c)
{
    memset(c, 0, s->count * sizeof *c);
    c[j] = 1;
    for (size_t a = s->pivots; a-- > 0;) {
        double sum = s->R[a * MOST + j];
        for (size_t b = a + 1; b < s->pivots; b++) sum += s->R[a * MOST + s->pivot[b]] * c[s->pivot[b]];
        c[s->pivot[a]] = -sum / s->R[a * MOST + s->pivot[a]];
    }
}

/* The same with few terms and plain numbers; false when that is not possible. */
static bool simplify(struct search *s, size_t j, double *c)
{
    size_t term[MOST_TERMS], terms = few_terms(s, j, c, term);
    double x[MOST_TERMS];
    if (fit(s, j, term, terms, x) > DEPENDENT) return false;
    memset(c, 0, s->count * sizeof *c);
    c[j] = 1;
    for (size_t k = 0; k < terms; k++) c[term[k]] = fabs(x[k]) < NEGLIGIBLE * s->size[j] ? 0 : -x[k] / s->size[term[k]];
    make_plain(c, s->count);
    return true;
}

static void add_pivot(struct search *s, size_t j, const double *x, double left)
{
    for (size_t r = 0; r < s->rows; r++) s->Q[s->pivots * s->cap + r] = x[r] / left;
    s->R[s->pivots * MOST + j] = left;
    s->pivot[s->pivots++] = j;
}

static void open_solve(struct search *s)
{
    s->Q = integral_array(s, s->cap * s->count, sizeof *s->Q);
    s->R = integral_array(s, s->count * MOST, sizeof *s->R);
    s->pivot = integral_array(s, s->count, sizeof *s->pivot);
    s->fit = integral_array(s, s->rows * MOST_TERMS, sizeof *s->fit);
    s->work = integral_array(s, actio_rank_work(s->rows, s->rows), sizeof *s->work);
    s->iwork = integral_array(s, 2 * s->rows, sizeof *s->iwork);
}

static void integral_solve(struct search *s, size_t wanted)
{
    double *x = integral_array(s, s->rows, sizeof *x), *c = integral_array(s, s->count, sizeof *c);
    open_solve(s);
    for (size_t j = 0; j < s->count && s->out->integrals < wanted && s->fits < MOST_FITS; j++) {
        if (s->dead[j]) continue;
        double left = integral_reduce(s, j, x);
        if (left > DEPENDENT * s->size[j]) {
            add_pivot(s, j, x, left);
            continue;
        }
        combine(s, j, c);
        if (is_news(s, c, false) && simplify(s, j, c) && holds(s, c) && is_news(s, c, true)) write_integral(s, c);
    }
}

void actio_find_integrals(struct actio_fields *f, size_t wanted, struct actio_integrability *out)
{
    struct search *s = actio_form_array(f->F, 1, sizeof *s);
    s->f = f;
    s->out = out;
    out->integral = actio_form_array(f->F, wanted, sizeof *out->integral);
    list_functions(s);
    s->dead = integral_array(s, s->count, sizeof *s->dead);
    if (open_slopes(s, s->e, s->count, &s->slope) && integral_collect(s) && note_given(s)) integral_solve(s, wanted);
}

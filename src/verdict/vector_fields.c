/* SPDX-License-Identifier: Apache-2.0
 * Admissible fields. At a point the free directions of the velocity are frozen as a frame Z; the velocity v(q, t) with
 * g(q, v, t) = 0 and
 * Z'v = c is then a smooth field (v, 1) for each constant c, linear constraints or not, and these fields span the
 * distribution. Brackets of random ones come from jets: [X, Y] is the part of e in Y(y + e X) - X(y + e Y), and this
 * may be nested.  [HAMEL A.3,
 * F.4] */
#include "verdict/vector_fields.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

#define INDEPENDENT 1e-8  /* of rows scaled to length 1 */
#define NEW 1e-9          /* of a bracket, against the two terms it is the difference of */
#define FLOOR 1e-14       /* and against the product of its fields' sizes: numbers are scaled */
#define NOISE 3e-12       /* of the terms, */
#define NOISE_FLOOR 2e-15 /* of the fields: what rounding can bring; between this and NEW is doubt */

struct field {
    double *u, *step;
}; /* u at the point; du = step * residual (n x rank) */

/* ---- numbers */

double actio_fields_uniform(struct actio_fields *f)
{
    f->seed = f->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(f->seed >> 11) * 0x1p-52 - 1;
}

static bool fields_all_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static double *numbers(struct actio_fields *f, size_t count) { return actio_form_array(f->F, count, sizeof(double)); }

void actio_fields_input(const struct actio_fields *f, const double *x, const double *u, double *in)
{
    size_t n = f->n;
    double tau = f->scale[n];
    for (size_t i = 0; i < n; i++) {
        in[i] = f->scale[i] * x[i];
        in[n + 1 + i] = f->scale[i] / tau * u[i];
    }
    in[n] = tau * x[n];
}

/* What is left of a vector beside orthonormal rows, made a unit row after them; returns its length. */
static double left_over(double *basis, size_t dim, size_t width, const double *vector)
{
    double *rest = basis + dim * width;
    memcpy(rest, vector, width * sizeof *rest);
    for (int twice = 0; twice < 2; twice++)
        for (size_t a = 0; a < dim; a++) {
            double along = actio_dot(width, basis + a * width, rest);
            for (size_t i = 0; i < width; i++) rest[i] -= along * basis[a * width + i];
        }
    double size = actio_norm(width, rest);
    for (size_t i = 0; i < width && size > 0; i++) rest[i] /= size;
    return size;
}

bool actio_extend(double *basis, size_t *dim, size_t width, const double *vector, double tol)
{
    if (*dim == width || !(left_over(basis, *dim, width, vector) > tol)) return false;
    ++*dim;
    return true;
}

/* ---- opening */

/* Lengths: how far the sampled coordinates are spread. Time: how long they take for that. */
static void choose_scales(struct actio_fields *f)
{
    const struct actio_sampled *p = f->points;
    size_t n = f->n, ny = p->M->ny;
    double fastest = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0, square = 0, count = (double)p->count;
        for (size_t k = 0; k < p->count; k++) sum += p->y[k * ny + i] / count;
        for (size_t k = 0; k < p->count; k++) square += pow(p->y[k * ny + i] - sum, 2) / count;
        double size = fmax(sqrt(square), 0.05 * fabs(sum));
        f->scale[i] = size > 1e-12 && isfinite(size) ? size : 1;
    }
    for (size_t k = 0; k < p->count; k++) {
        double speed = 0;
        for (size_t i = 0; i < n; i++) speed += pow(p->y[k * ny + n + i] / f->scale[i], 2) / (double)n;
        fastest += sqrt(speed) / (double)p->count;
    }
    f->scale[n] = fastest > 1e-12 && isfinite(fastest) ? 1 / fastest : 1;
    const struct actio_model *m = f->F->model;
    f->span = m->time.given && m->time.t1 != m->time.t0 ? m->time.t1 - m->time.t0 : 1;
}

static void open_rows(struct actio_fields *f, const uint32_t *level)
{
    struct actio_formation *F = f->F;
    f->phi = actio_form_array(F, f->rows, sizeof *f->phi);
    f->constraint = actio_form_array(F, f->rows, sizeof *f->constraint);
    f->is_given = actio_form_array(F, f->rows, sizeof *f->is_given);
    for (size_t r = 0; r < f->rows; r++) {
        f->phi[r] = F->phi[level[r]];
        f->constraint[r] = F->sys.velocity_row[level[r]];
        f->is_given[r] = F->model->constraint[f->constraint[r]].kind == ACTIO_HOLONOMIC;
    }
}

bool actio_fields_open(struct actio_fields *f, struct actio_formation *F, struct actio_sampled *points,
                       const uint32_t *level, size_t rows)
{
    const struct actio_manifold *M = points->M;
    size_t n = F->n, big = rows > n ? rows : n;
    *f = (struct actio_fields){
        .F = F, .points = points, .n = n, .width = n + 1, .rows = rows, .reach = 0.5, .seed = 0xD1B54A32D192ED03u
    };
    open_rows(f, level);
    f->scale = numbers(f, n + 1);
    choose_scales(f);
    f->in = numbers(f, 2 * n + 1);
    f->J = numbers(f, 2 * big * n);
    f->M = numbers(f, 2 * n * n);
    f->work = numbers(f, actio_rank_work(big, big) + big * big + 4 * big);
    f->iwork = actio_form_array(F, 4 * big, sizeof *f->iwork);
    actio_expr *slope = actio_form_array(F, rows * n, sizeof *slope);
    for (size_t r = 0; r < rows; r++) actio_gradient(&F->pool, f->phi[r], F->sym.v, n, slope + r * n);
    return actio_jets_open(&f->residual, F, f->phi, rows, M->param, M->mode)
           && actio_jets_open(&f->slope, F, slope, rows * n, M->param, M->mode);
}

/* ---- one point */

bool actio_fields_slopes(struct actio_fields *f, const double *x, const double *u, double *J, double *length)
{
    size_t n = f->n;
    actio_fields_input(f, x, u, f->in);
    actio_jets_at(&f->slope, 0, f->in, 1, J, 1);
    for (size_t r = 0; r < f->rows; r++) {
        for (size_t i = 0; i < n; i++) J[r * n + i] *= f->scale[i] / f->scale[n];
        length[r] = actio_norm(n, J + r * n);
        for (size_t i = 0; i < n && length[r] > 0; i++) J[r * n + i] /= length[r];
    }
    return fields_all_finite(J, f->rows * n);
}

/* Independent rows, those written as holonomic before others so that the others are the ones that are left out. */
static void pick_rows(struct actio_fields *f, struct actio_spot *spot, const double *J)
{
    size_t n = f->n, dim = 0;
    double *basis = f->M;
    spot->rank = 0;
    for (int given = 1; given >= 0; given--)
        for (size_t r = 0; r < f->rows; r++)
            if (f->is_given[r] == (given == 1) && actio_extend(basis, &dim, n, J + r * n, INDEPENDENT))
                spot->pick[spot->rank++] = (uint32_t)r;
}

static bool frame_at(struct actio_fields *f, struct actio_spot *spot)
{
    size_t n = f->n, dim;
    if (!actio_fields_slopes(f, spot->x, spot->u, f->J, f->work)) return false;
    pick_rows(f, spot, f->J);
    dim = spot->rank;
    for (size_t i = 0; i < 4 * n && dim < n; i++) {
        double *e = f->work;
        for (size_t k = 0; k < n; k++) e[k] = actio_fields_uniform(f);
        actio_extend(f->M, &dim, n, e, 1e-3);
    }
    if (dim < n) return false;
    memcpy(spot->frame, f->M + spot->rank * n, (n - spot->rank) * n * sizeof *spot->frame);
    return true;
}

static size_t some_point(struct actio_fields *f)
{
    return (size_t)((double)f->points->count * 0.5 * (1 + actio_fields_uniform(f)));
}

static void sampled_state(struct actio_fields *f, double *y, double *t)
{
    const struct actio_sampled *p = f->points;
    size_t ny = p->M->ny, k = some_point(f);
    memcpy(y, p->y + ny * k, ny * sizeof *y);
    *t = p->t[k];
}

static void random_state(struct actio_fields *f, double *y, double *t)
{
    const struct actio_sampled *p = f->points;
    size_t ny = p->M->ny, n = f->n;
    const double *a = p->y + ny * some_point(f), *b = p->y + ny * some_point(f);
    double mix = 0.5 * (1 + actio_fields_uniform(f));
    for (size_t i = 0; i < ny; i++) y[i] = a[i] + mix * (b[i] - a[i]);
    for (size_t i = 0; i < n; i++) {
        y[i] += 0.3 * f->scale[i] * actio_fields_uniform(f);
        y[n + i] += 0.3 * f->scale[i] / f->scale[n] * actio_fields_uniform(f);
    }
    *t = p->t[0] + f->span * 0.5 * (1 + actio_fields_uniform(f));
}

bool actio_spot_open(struct actio_fields *f, struct actio_spot *spot)
{
    size_t n = f->n, ny = f->points->M->ny, rank, worst;
    if (!spot->x) {
        spot->x = numbers(f, f->width);
        spot->u = numbers(f, n);
        spot->pick = actio_form_array(f->F, f->rows, sizeof *spot->pick);
        spot->frame = numbers(f, n * n);
        spot->basis = numbers(f, f->width * f->width);
    }
    double *y = numbers(f, ny), t;
    spot->dim = 0;
    for (int attempt = 0; attempt < 8; attempt++) {
        if (attempt < 6) random_state(f, y, &t);
        else sampled_state(f, y, &t);
        if (!actio_manifold_reach(f->points->M, t, y, &rank, &worst) || !fields_all_finite(y, ny)) continue;
        for (size_t i = 0; i < n; i++) {
            spot->x[i] = y[i] / f->scale[i];
            spot->u[i] = y[n + i] * f->scale[n] / f->scale[i];
        }
        spot->x[n] = t / f->scale[n];
        if (frame_at(f, spot)) return true;
    }
    return false;
}

/* ---- one field */

/* M = [Z; rows of d phi/d u at u], inverted; step = its columns of the rows. Those rows are scaled back: residuals are
 * not. */
static bool fields_invert(struct actio_fields *f, const struct actio_spot *spot, const double *u, double *step)
{
    size_t n = f->n, r = spot->rank, free_dirs = n - r;
    double *J = f->J, *length = f->work, *M = f->M, *inverse = M + n * n;
    if (!actio_fields_slopes(f, spot->x, u, J, length)) return false;
    memcpy(M, spot->frame, free_dirs * n * sizeof *M);
    for (size_t k = 0; k < r; k++) memcpy(M + (free_dirs + k) * n, J + spot->pick[k] * n, n * sizeof *M);
    memset(inverse, 0, n * n * sizeof *inverse);
    for (size_t i = 0; i < n; i++) inverse[i * n + i] = 1;
    if (actio_lu_factor(n, M, f->iwork)) return false;
    actio_lu_solve(n, M, f->iwork, inverse, n, false);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < r; k++) step[i * r + k] = inverse[i * n + free_dirs + k] / length[spot->pick[k]];
    return fields_all_finite(step, n * r);
}

/* du = -step * residual for jets: R holds the residuals by row, U the velocities, `size` apart. */
static double correct(const struct actio_fields *f, const struct actio_spot *spot, const double *step, const double *R,
                      double *U, size_t size, size_t stride)
{
    double largest = 0;
    for (size_t i = 0; i < f->n; i++)
        for (size_t s = 0; s < size; s++) {
            double sum = 0;
            for (size_t k = 0; k < spot->rank; k++) sum += step[i * spot->rank + k] * R[spot->pick[k] * size + s];
            U[i * stride + s] -= sum;
            if (s == 0) largest = fmax(largest, fabs(sum));
        }
    return largest;
}

/* The velocity on the constraints above u along the frame; true when Newton gets there. */
static bool fields_settle(struct actio_fields *f, const struct actio_spot *spot, double *u, double *step)
{
    double *R = f->work + f->rows + f->n, moved = 0;
    if (spot->rank == 0) return true;
    for (int i = 0; i < 40; i++) {
        if (!fields_invert(f, spot, u, step)) return false;
        actio_fields_input(f, spot->x, u, f->in);
        actio_jets_at(&f->residual, 0, f->in, 1, R, 1);
        moved = correct(f, spot, step, R, u, 1, 1);
        if (!fields_all_finite(u, f->n)) return false;
        if (moved <= 1e-14 * (1 + actio_norm(f->n, u))) break;
    }
    return moved <= 1e-10 * (1 + actio_norm(f->n, u)) && fields_invert(f, spot, u, step);
}

/* A random admissible field near the point's own velocity: steps are shortened until they lead to the same branch. */
static bool random_field(struct actio_fields *f, const struct actio_spot *spot, struct field *field)
{
    size_t n = f->n, free_dirs = n - spot->rank;
    double reach = f->reach * (0.5 + actio_norm(n, spot->u) / sqrt((double)n));
    for (int attempt = 0; attempt < 8; attempt++, reach *= 0.5) {
        memcpy(field->u, spot->u, n * sizeof *field->u);
        double moved = 0;
        for (size_t a = 0; a < free_dirs; a++) {
            double by = reach * actio_fields_uniform(f);
            moved += by * by;
            for (size_t i = 0; i < n; i++) field->u[i] += by * spot->frame[a * n + i];
        }
        if (!fields_settle(f, spot, field->u, field->step)) continue;
        double far = 0;
        for (size_t i = 0; i < n; i++) far += pow(field->u[i] - spot->u[i], 2);
        if (far <= 16 * moved + 1e-12) return true;
    }
    return false;
}

/* The field on the jets Y (width x stride): Newton with the step frozen gains one nilpotent at a time. */
static void field_on(struct actio_fields *f, const struct actio_spot *spot, const struct field *field, unsigned level,
                     const double *Y, double *U, size_t stride)
{
    size_t n = f->n, size = (size_t)1 << level;
    double tau = f->scale[n], *q = f->in, *v = q + f->width * size;
    for (size_t i = 0; i < f->width; i++)
        for (size_t s = 0; s < size; s++) {
            q[i * size + s] = f->scale[i] * Y[i * stride + s];
            U[i * stride + s] = s ? 0 : i < n ? field->u[i] : 1;
        }
    for (unsigned round = 0; round <= level && level; round++) {
        for (size_t i = 0; i < n; i++)
            for (size_t s = 0; s < size; s++) v[i * size + s] = f->scale[i] / tau * U[i * stride + s];
        actio_jets_at(&f->residual, level, q, size, f->R, size);
        correct(f, spot, field->step, f->R, U, size, stride);
    }
}

/* ---- brackets */

static bool room_for(struct actio_fields *f, unsigned level)
{
    if (f->Y && level <= f->level) return true;
    if (!actio_jets_room(&f->residual, level)) return false;
    size_t size = (size_t)1 << level, w = f->width;
    f->in = numbers(f, (2 * f->n + 1) * size);
    f->R = numbers(f, f->rows * size);
    f->Y = numbers(f, 4 * w * size);
    f->U = f->Y + w * size;
    f->T = f->U + w * size;
    f->B = f->T + w * size;
    f->level = level;
    return true;
}

/* Two terms of the last difference and the product of the fields: what the bracket is measured with. */
struct sizes {
    double terms, fields;
};

static struct sizes bracket(struct actio_fields *f, const struct actio_spot *spot, const struct field *X,
                            unsigned depth, double *out)
{
    size_t w = f->width, stride = (size_t)1 << depth;
    double *Y = f->Y, *U = f->U, *T = f->T, *B = f->B;
    struct sizes sizes = { 0, 1 };
    memset(Y, 0, w * stride * sizeof *Y);
    for (size_t i = 0; i < w; i++) Y[i * stride] = spot->x[i];
    for (unsigned L = 0; L < depth; L++) { /* y + e1 X1(y), then + e2 X2 of that, ... */
        field_on(f, spot, &X[L], L, Y, U, stride);
        for (size_t i = 0; i < w; i++) memcpy(Y + i * stride + ((size_t)1 << L), U + i * stride, sizeof *Y << L);
    }
    field_on(f, spot, &X[depth], depth, Y, B, stride);
    for (unsigned L = depth; L-- > 0;) {
        size_t half = (size_t)1 << L;
        for (size_t i = 0; i < w; i++) {
            memcpy(T + i * stride, Y + i * stride, half * sizeof *T);
            memcpy(T + i * stride + half, B + i * stride, half * sizeof *T);
        }
        field_on(f, spot, &X[L], L + 1, T, U, stride);
        sizes.terms = 0;
        for (size_t i = 0; i < w; i++) {
            sizes.terms += fabs(B[i * stride + half]) + fabs(U[i * stride + half]);
            for (size_t s = 0; s < half; s++) B[i * stride + s] = B[i * stride + half + s] - U[i * stride + half + s];
        }
    }
    for (size_t i = 0; i < w; i++) out[i] = B[i * stride];
    for (unsigned L = 0; L <= depth; L++) sizes.fields *= sqrt(1 + pow(actio_norm(f->n, X[L].u), 2));
    return sizes;
}

/* A bracket that is not large enough to count but too large to be nothing leaves a doubt. */
static bool fields_take(struct actio_spot *spot, size_t width, const double *vector, struct sizes size)
{
    double left = left_over(spot->basis, spot->dim, width, vector), tol = fmax(NEW * size.terms, FLOOR * size.fields);
    if (!(left > tol)) {
        if (left > fmax(NOISE * size.terms, NOISE_FLOOR * size.fields)) spot->doubt = true;
        return false;
    }
    spot->dim++;
    spot->clear = fmax(spot->clear, left / tol);
    return true;
}

bool actio_spot_grow(struct actio_fields *f, struct actio_spot *spot, unsigned depth)
{
    size_t n = f->n;
    if (!room_for(f, depth)) return false;
    struct field *X = actio_form_array(f->F, depth + 1, sizeof *X);
    double *out = numbers(f, f->width);
    for (unsigned L = 0; L <= depth; L++) X[L] = (struct field){ numbers(f, n), numbers(f, n * f->rows) };
    size_t before = spot->dim;
    double clear = spot->clear;
    spot->doubt = false;
    spot->clear = 0;
    for (int misses = 0; misses < 3 && spot->dim < f->width;) {
        for (unsigned L = 0; L <= depth; L++)
            if (!random_field(f, spot, &X[L])) return false;
        struct sizes size = bracket(f, spot, X, depth, out);
        if (!fields_all_finite(out, f->width)) return false;
        if (depth == 0) size.terms = size.fields;
        if (fields_take(spot, f->width, out, size)) spot->doubt = false;
        else misses++;
    }
    if (spot->dim == before) spot->clear = clear;
    return true;
}

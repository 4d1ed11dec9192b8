/* SPDX-License-Identifier: Apache-2.0
 * Two ways: LU of the whole equilibrated matrix (dense or sparse) while it is regular, else null spaces of A and D,
 * which give unique accelerations and reactions for redundant rows, and the multipliers of least norm.  [LM 17, 18; VKS
 * 9] */
#include "solve/saddle.h"
#include "algebra/dense.h"
#include "solve/schur.h"

#include <math.h>
#include <string.h>

#define RANK_TOL 1e-9 /* of rows that should be independent */
/* of rows known to be redundant: on the manifold they depend on each other to its accuracy */
#define REDUNDANT_TOL 1e-6
#define REGULAR 1e-10
#define FITS 1e-7 /* right sides of redundant rows, of their size: more is a contradiction */
/* inside a step rows agree only as far as positions fit: all are used, and what is left over shows after the step */
#define OFF 1e-3
#define GONE 1e-4       /* of the square of a row's length */
#define TAKES_PART 1e-7 /* of a unit vector's components: more than rounding */

struct actio_saddle {
    struct actio_context *ctx;
    const struct actio_system *sys;
    size_t N, p, size, expected_rank;
    double rank_tol;
    const double *values; /* of the MATRIX kernel */
    double quality;
    bool robust;               /* the last factorisation was by null spaces */
    struct actio_border whole; /* the (N+p) matrix, its scales, and room for a right-hand side */
    double *none;              /* p zeros, and room for a force */
    /* by constraint: largest squared length of its row so far; see actio_saddle_shortest */
    double *longest, shortest;
    size_t short_row;
    /* null spaces: dense only, opened when small enough */
    double *A, *D, *ZA, *ZD, *M, *y, *w, *R, *work, *copy, *scaled;
    int *pivot, *iwork;
    size_t rank, rank_D;
    /* fields: tensions of neighbours only, where that is so; and the last factorisation was by them */
    struct actio_schur *schur;
    bool by_schur;
    /* fields: entries that were factored last; the same again need not be. NULL: not kept */
    double *last;
    bool steady;
    int last_bad;
    /* fields whose reactions are not ideal: with A in the place of D, for steps onto the constraints */
    struct actio_border even;
    bool has_even;
    bool dense, tall; /* tall: more rows than unknowns (hidden constraints), solved by least squares */
};

static void *saddle_take(struct actio_saddle *s, size_t count, size_t size, bool *ok)
{
    void *p = actio_alloc(s->ctx, count + 1, size);
    if (!p) *ok = false;
    return p;
}

static bool open_null_spaces(struct actio_saddle *s)
{
    bool ok = true;
    size_t N = s->N, p = s->p, big = N > p ? N : p;
    s->A = saddle_take(s, p * N, sizeof(double), &ok);
    s->D = saddle_take(s, p * N, sizeof(double), &ok);
    s->copy = saddle_take(s, p * N + 2 * big * big, sizeof(double), &ok);
    s->scaled = saddle_take(s, p * N, sizeof(double), &ok);
    s->ZA = saddle_take(s, N * N, sizeof(double), &ok);
    s->ZD = saddle_take(s, N * N, sizeof(double), &ok);
    s->M = saddle_take(s, N * N, sizeof(double), &ok);
    s->y = saddle_take(s, N + p, sizeof(double), &ok);
    s->w = saddle_take(s, N + p, sizeof(double), &ok);
    s->R = saddle_take(s, N + p, sizeof(double), &ok);
    s->work = saddle_take(s, actio_rank_work(big, big) + big, sizeof(double), &ok);
    s->pivot = saddle_take(s, N + p, sizeof(int), &ok);
    s->iwork = saddle_take(s, 2 * (N + p), sizeof(int), &ok);
    return ok;
}

struct actio_saddle *actio_saddle_open(struct actio_context *ctx, const struct actio_system *sys)
{
    struct actio_saddle *s = actio_alloc(ctx, 1, sizeof *s);
    bool ok = true;
    if (!s) return NULL;
    *s = (struct actio_saddle){ .ctx = ctx,
                                .sys = sys,
                                .N = sys->n + sys->m,
                                .p = sys->p,
                                .size = sys->n + sys->m + sys->p,
                                .expected_rank = sys->p,
                                .rank_tol = RANK_TOL };
    s->dense = s->size <= 600;
    s->none = saddle_take(s, s->size, sizeof(double), &ok);
    s->longest = saddle_take(s, s->p, sizeof(double), &ok);
    s->shortest = 1;
    if (ok && s->dense) ok = open_null_spaces(s);
    ok = ok && actio_border_open(&s->whole, ctx, s->N, s->p, &sys->G, &sys->D, &sys->A, NULL) == 0;
    if (ok) s->schur = actio_schur_open(ctx, sys);
    if (ok && sys->field.axes && sys->is.servo)
        ok = s->has_even = actio_border_open(&s->even, ctx, s->N, s->p, &sys->G, &sys->A, &sys->A, NULL) == 0;
    if (ok && sys->field.axes)
        s->last = saddle_take(s, sys->G.count + sys->A.count + sys->D.count, sizeof(double), &ok);
    if (ok) return s;
    actio_saddle_close(s);
    return NULL;
}

void actio_saddle_close(struct actio_saddle *s)
{
    if (!s) return;
    void *all[] = { s->none, s->longest, s->A, s->D, s->copy, s->scaled, s->ZA,    s->ZD,
                    s->M,    s->y,       s->w, s->R, s->work, s->pivot,  s->iwork, s->last };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) actio_free(s->ctx, all[i]);
    actio_border_close(&s->whole);
    actio_border_close(&s->even);
    actio_schur_close(s->schur);
    actio_free(s->ctx, s);
}

static const double *G_values(const struct actio_saddle *s) { return s->values; }
static const double *A_values(const struct actio_saddle *s) { return s->values + s->sys->G.count; }
static const double *D_values(const struct actio_saddle *s) { return A_values(s) + s->sys->A.count; }
static const double *h_values(const struct actio_saddle *s) { return D_values(s) + s->sys->D.count; }
static const double *c_values(const struct actio_saddle *s) { return h_values(s) + s->N; }

static void scatter(const struct actio_saddle *s, const struct actio_places *at, const double *values, double *dense)
{
    memset(dense, 0, s->p * s->N * sizeof *dense);
    for (size_t i = 0; i < at->count; i++) dense[at->row[i] * s->N + at->col[i]] = values[i] * s->whole.d[at->col[i]];
}

/* Rows of A of length 1, whatever units they were written in: a row of 1e-16 beside one of 1 is a row, not rounding. */
static void scatter_rows(struct actio_saddle *s)
{
    scatter(s, &s->sys->A, A_values(s), s->A);
    for (size_t k = 0; k < s->p; k++)
        for (size_t i = 0; i < s->N; i++) s->A[k * s->N + i] *= s->whole.e[k];
}

static bool rank_is_known(const struct actio_saddle *s) { return s->expected_rank < s->p && !s->sys->hidden; }

/* Rows that are known to have this rank: the directions of their largest singular values, whatever little is left. That
 * is smooth where positions inside a step are off the constraints and rows are not quite dependent: rows taken one
 * after the other change places by rounding, so that one step of orthogonal iteration follows. Returns the rank. */
static size_t known_bases(struct actio_saddle *s, const double *rows, double *basis)
{
    size_t N = s->N, p = s->p, r = s->expected_rank;
    double *Y = s->copy, *part = s->copy + p * N;
    size_t rank = actio_row_bases_as_is(p, N, rows, s->rank_tol, basis, s->work, s->iwork);
    if (rank < r) return rank;
    for (size_t k = 0; k < p; k++)
        for (size_t a = 0; a < r; a++) part[k * r + a] = actio_dot(N, rows + k * N, basis + a * N);
    memset(Y, 0, r * N * sizeof *Y);
    for (size_t k = 0; k < p; k++)
        for (size_t a = 0; a < r; a++)
            for (size_t i = 0; i < N; i++) Y[a * N + i] += part[k * r + a] * rows[k * N + i];
    return r ? actio_row_bases(r, N, Y, RANK_TOL * RANK_TOL, basis, s->work, s->iwork) : 0;
}

static size_t bases_of(struct actio_saddle *s, const double *rows, double *basis)
{
    if (rank_is_known(s)) return known_bases(s, rows, basis);
    memcpy(s->copy, rows, s->p * s->N * sizeof *s->copy);
    return actio_row_bases(s->p, s->N, s->copy, s->rank_tol, basis, s->work, s->iwork);
}

/* A x = b by least squares, x the shortest; with a known rank along its directions. */
static void shortest_step(struct actio_saddle *s, const double *b, double *x, double *defect)
{
    size_t N = s->N, p = s->p, r = s->rank;
    if (!rank_is_known(s)) {
        memcpy(s->copy, s->A, p * N * sizeof *s->copy);
        actio_min_norm(p, N, s->copy, b, s->rank_tol, x, defect, s->work, s->iwork);
        return;
    }
    double *part = s->copy, *y = s->copy + p * N;
    for (size_t k = 0; k < p; k++)
        for (size_t a = 0; a < r; a++) part[k * r + a] = actio_dot(N, s->A + k * N, s->ZA + a * N);
    actio_min_norm_as_is(p, r, part, b, RANK_TOL, y, defect, s->work, s->iwork);
    memset(x, 0, N * sizeof *x);
    for (size_t a = 0; a < r; a++)
        for (size_t i = 0; i < N; i++) x[i] += y[a] * s->ZA[a * N + i];
}

/* M = ZD G ZA', square when A and D have the same rank (1 when not); returns with it in s->M. */
static int form_on_null_spaces(struct actio_saddle *s)
{
    const struct actio_system *sys = s->sys;
    size_t N = s->N, r;
    scatter_rows(s);
    scatter(s, &sys->D, D_values(s), s->D);
    s->rank = bases_of(s, s->A, s->ZA);
    for (size_t k = 0; k < s->p; k++)
        for (size_t i = 0; i < N; i++) s->scaled[k * N + i] = s->D[k * N + i] * s->whole.e[k];
    s->rank_D = bases_of(s, s->scaled, s->ZD);
    s->tall = s->rank_D < s->rank && sys->hidden;
    if (s->rank != s->rank_D && !s->tall) return 1;
    r = N - s->rank;
    size_t rows = N - s->rank_D;
    memset(s->M, 0, rows * r * sizeof *s->M);
    for (size_t i = 0; i < sys->G.count; i++) {
        double g = G_values(s)[i] * s->whole.d[sys->G.row[i]] * s->whole.d[sys->G.col[i]];
        for (size_t a = 0; a < rows; a++) {
            double left = s->ZD[(s->rank_D + a) * N + sys->G.row[i]] * g;
            for (size_t b = 0; b < r; b++) s->M[a * r + b] += left * s->ZA[(s->rank + b) * N + sys->G.col[i]];
        }
    }
    return 0;
}

static int factor_null_spaces(struct actio_saddle *s)
{
    if (form_on_null_spaces(s)) return 1;
    size_t r = s->N - s->rank;
    if (s->tall) return 0;
    if (r && actio_lu_factor(r, s->M, s->pivot)) return 1;
    for (size_t i = 0; i < r; i++)
        if (!(fabs(s->M[i * r + i]) > 1e-12)) return 1; /* G is scaled to entries of about 1: this is rounding */
    return 0;
}

/* The right singular vector of M's smallest singular value, seen in the variables. */
size_t actio_saddle_free_variable(struct actio_saddle *s)
{
    if (!s->dense || form_on_null_spaces(s) || s->N == s->rank) return s->N;
    size_t N = s->N, r = N - s->rank, found = N;
    double largest = 0, *v = actio_alloc(s->ctx, r * r + r, sizeof *v),
           *work = actio_alloc(s->ctx, 4 * r * r, sizeof *work);
    if (v && work && actio_svd(r, r, s->M, v + r * r, NULL, v, work) == 0)
        for (size_t i = 0; i < N; i++) {
            double x = 0;
            for (size_t a = 0; a < r; a++) x += s->ZA[(s->rank + a) * N + i] * v[a * r + r - 1];
            if (fabs(x) > largest) {
                largest = fabs(x);
                found = i;
            }
        }
    actio_free(s->ctx, v);
    actio_free(s->ctx, work);
    return found;
}

/* Squared lengths of the rows into whole.b. */
static void measure_rows(struct actio_saddle *s)
{
    const struct actio_system *sys = s->sys;
    for (size_t k = 0; k < s->p; k++) s->whole.b[k] = 0;
    for (size_t i = 0; i < sys->A.count; i++) {
        double x = A_values(s)[i] * s->whole.d[sys->A.col[i]];
        s->whole.b[sys->A.row[i]] += x * x;
    }
}

void actio_saddle_note(struct actio_saddle *s, const double *values)
{
    s->values = values;
    s->steady = false;
    actio_border_scale(&s->whole, G_values(s), A_values(s));
    measure_rows(s);
    for (size_t k = 0; k < s->p; k++) s->longest[k] = fmax(s->longest[k], s->whole.b[k]);
}

/* Redundant rows are scaled by what they were at their longest: one that vanishes at an instant drops out, and the
 * others hold the rank. */
static void scale_by_longest(struct actio_saddle *s)
{
    measure_rows(s);
    for (size_t k = 0; k < s->p; k++) {
        double square = fmax(s->longest[k], s->whole.b[k]);
        s->whole.e[k] = square > 0 ? 1 / sqrt(square) : 1;
    }
}

/* Rows are scaled to length 1 before they are judged: one that shrinks to nothing is seen here only. */
static void watch_lengths(struct actio_saddle *s)
{
    const struct actio_system *sys = s->sys;
    s->shortest = 1;
    if (rank_is_known(s)) {
        scale_by_longest(s);
        return;
    }
    if (sys->field.axes || sys->holonomic == 0) return;
    measure_rows(s);
    for (size_t i = 0; i < sys->holonomic; i++) {
        size_t k = sys->position_row[i];
        double square = s->whole.b[k];
        if (square < s->shortest * s->longest[k]) {
            s->shortest = square / s->longest[k];
            s->short_row = k;
        }
    }
}

static int factor_all(struct actio_saddle *s)
{
    s->robust = s->by_schur = false;
    bool known = s->expected_rank < s->p || s->sys->hidden; /* known to be singular as a whole */
    actio_border_scale(&s->whole, G_values(s), A_values(s));
    watch_lengths(s);
    int bad = known ? 1 : actio_border_factor(&s->whole, G_values(s), D_values(s), A_values(s));
    s->quality = bad ? 0 : actio_border_rcond(&s->whole);
    if (!bad && s->quality > REGULAR) return 0;
    if (!s->dense) return bad != 0;
    s->robust = true;
    bad = factor_null_spaces(s);
    size_t r = s->N - s->rank;
    /* rows may vanish at single states (at rest): the equations of motion replace them, and the solution decides */
    if (s->tall) s->quality = 1;
    else if (s->expected_rank < s->p)
        s->quality = s->rank < s->expected_rank ? 0 : r && !bad ? actio_lu_pivot_ratio(r, s->M) : 1;
    return bad != 0;
}

/* Beams and other linear lines have the same matrix all the time. */
static bool same_again(struct actio_saddle *s, const double *values)
{
    size_t count = s->sys->G.count + s->sys->A.count + s->sys->D.count;
    if (!s->last) return false;
    if (s->steady && memcmp(s->last, values, count * sizeof *values) == 0) return true;
    memcpy(s->last, values, count * sizeof *values);
    s->steady = true;
    return false;
}

int actio_saddle_factor(struct actio_saddle *s, const double *values)
{
    s->values = values;
    if (same_again(s, values)) {
        if (s->by_schur) actio_schur_read(s->schur, values);
        return s->last_bad;
    }
    s->robust = false;
    s->by_schur = s->schur && s->expected_rank == s->p && actio_schur_factor(s->schur, values) == 0;
    s->quality = 1;
    return s->last_bad = s->by_schur ? 0 : factor_all(s);
}

/* By tensions; where their matrix turns out not to be positive, the whole is factored after all. 0: done; 1: not this
 * way. */
static int solve_schur(struct actio_saddle *s, const double *h, const double *c, double *z, double *lambda)
{
    if (!s->by_schur) return 1;
    if (actio_schur_solve(s->schur, h, c, z, lambda) == 0) return 0;
    s->last_bad = factor_all(s);
    return 1;
}

double actio_saddle_quality(const struct actio_saddle *s) { return s->quality; }
double actio_saddle_shortest(const struct actio_saddle *s) { return s->shortest; }
double actio_saddle_longest(const struct actio_saddle *s, size_t row) { return s->longest[row]; }
void actio_saddle_forget(struct actio_saddle *s)
{
    memset(s->longest, 0, s->p * sizeof *s->longest);
    s->shortest = 1;
}

void actio_saddle_expect_rank(struct actio_saddle *s, size_t rank)
{
    s->expected_rank = rank;
    s->steady = false;
    s->rank_tol = rank < s->p ? REDUNDANT_TOL : RANK_TOL;
}

static void apply_G(const struct actio_saddle *s, const double *x, double *out)
{
    memset(out, 0, s->N * sizeof *out);
    for (size_t i = 0; i < s->sys->G.count; i++) out[s->sys->G.row[i]] += G_values(s)[i] * x[s->sys->G.col[i]];
}

/* z = z_p + Z y with A z_p = c of least norm and ZD'(G z - h) = 0. 1 when the rows contradict each other; `near`: c as
 * nearly as they can. */
static int solve_null_spaces(struct actio_saddle *s, const double *h, const double *c, bool near, double *z)
{
    size_t N = s->N, r = N - s->rank;
    double defect, size = 0;
    for (size_t k = 0; k < s->p; k++) {
        s->whole.b[k] = c[k] * s->whole.e[k];
        size = fmax(size, fabs(s->whole.b[k]));
    }
    shortest_step(s, s->whole.b, s->w, &defect);
    if (!near && !(defect <= (s->sys->levels == s->p ? OFF : FITS) * (1 + size))) return 1;
    for (size_t i = 0; i < N; i++) z[i] = s->w[i] * s->whole.d[i];
    apply_G(s, z, s->R);
    for (size_t a = 0; a < N - s->rank_D; a++) {
        double sum = 0;
        for (size_t i = 0; i < N; i++)
            sum += s->ZD[(s->rank_D + a) * N + i] * s->whole.d[i] * ((h ? h[i] : 0) - s->R[i]);
        s->y[a] = sum;
    }
    if (r && s->tall) {
        memcpy(s->copy, s->M, (N - s->rank_D) * r * sizeof *s->copy);
        memcpy(s->w, s->y, (N - s->rank_D) * sizeof *s->w);
        if (actio_min_norm(N - s->rank_D, r, s->copy, s->w, RANK_TOL, s->y, &defect, s->work, s->iwork) < r) return 1;
    } else if (r) actio_lu_solve(r, s->M, s->pivot, s->y, 1, false);
    for (size_t i = 0; i < N; i++)
        for (size_t a = 0; a < r; a++) z[i] += s->whole.d[i] * s->ZA[(s->rank + a) * N + i] * s->y[a];
    return 0;
}

/* Multipliers of least norm with D' lambda = R, by D D' lambda = D R: equations of variables that hardly take part must
 * not be scaled up with the rounding error of their reactions. */
static void least_multipliers(struct actio_saddle *s, const double *reaction, double *lambda)
{
    size_t N = s->N, p = s->p;
    double defect;
    for (size_t k = 0; k < p; k++) {
        const double *row = s->D + k * N;
        for (size_t l = 0; l < p; l++) s->copy[k * p + l] = actio_dot(N, row, s->D + l * N);
        double sum = 0;
        for (size_t i = 0; i < N; i++) sum += row[i] * reaction[i] * s->whole.d[i];
        s->w[k] = sum;
    }
    actio_min_norm(p, p, s->copy, s->w, fmax(s->rank_tol * s->rank_tol, 1e-13), lambda, &defect, s->work, s->iwork);
}

int actio_saddle_solve(struct actio_saddle *s, double *zdot, double *lambda, double *reaction)
{
    memset(reaction, 0, s->N * sizeof *reaction);
    if (solve_schur(s, h_values(s), c_values(s), zdot, lambda) == 0) {
        for (size_t i = 0; i < s->N; i++)
            reaction[s->sys->G.row[i]] = G_values(s)[i] * zdot[s->sys->G.col[i]] - h_values(s)[s->sys->G.row[i]];
        return 0;
    }
    if (!s->robust) {
        actio_border_solve(&s->whole, h_values(s), c_values(s), zdot, lambda);
        for (size_t i = 0; i < s->sys->D.count; i++)
            reaction[s->sys->D.col[i]] += D_values(s)[i] * lambda[s->sys->D.row[i]];
        return 0;
    }
    if (solve_null_spaces(s, h_values(s), c_values(s), false, zdot)) return 1;
    apply_G(s, zdot, reaction);
    for (size_t i = 0; i < s->N; i++) reaction[i] -= h_values(s)[i];
    if (s->p) least_multipliers(s, reaction, lambda);
    return 0;
}

int actio_saddle_respond(struct actio_saddle *s, const double *force, double *zdot, double *lambda)
{
    double *none = s->none, *reaction = s->none + s->p;
    if (solve_schur(s, force, none, zdot, lambda) == 0) return 0;
    if (!s->robust) {
        actio_border_solve(&s->whole, force, none, zdot, lambda);
        return 0;
    }
    if (solve_null_spaces(s, force, none, false, zdot)) return 1;
    apply_G(s, zdot, reaction);
    for (size_t i = 0; i < s->N; i++) reaction[i] -= force[i];
    if (s->p) least_multipliers(s, reaction, lambda);
    return 0;
}

int actio_saddle_answer(struct actio_saddle *s, const double *h, const double *c, bool near, double *z)
{
    if (solve_schur(s, h, c, z, NULL) == 0) return 0;
    if (s->robust) return solve_null_spaces(s, h, c, near, z);
    actio_border_solve(&s->whole, h, c, z, NULL);
    return 0;
}

/* The nearest point in the metric of the masses, whatever the reactions do. */
static int step_evenly(struct actio_saddle *s, const double *r, double *step)
{
    if (!s->has_even) return 1;
    actio_border_scale(&s->even, G_values(s), A_values(s));
    if (actio_border_factor(&s->even, G_values(s), A_values(s), A_values(s))
        || !(actio_border_rcond(&s->even) > REGULAR))
        return 1;
    actio_border_solve(&s->even, NULL, r, step, NULL);
    for (size_t i = 0; i < s->N; i++) step[i] = -step[i];
    return 0;
}

int actio_saddle_step(struct actio_saddle *s, const double *r, double *step)
{
    if (step_evenly(s, r, step) == 0) return 0;
    if (s->by_schur) {
        for (size_t k = 0; k < s->p; k++) s->whole.b[k] = -r[k];
        if (solve_schur(s, NULL, s->whole.b, step, NULL) == 0) return 0;
    }
    if (!s->robust) {
        actio_border_solve(&s->whole, NULL, r, step, NULL);
        for (size_t i = 0; i < s->N; i++) step[i] = -step[i];
        return 0;
    }
    double defect;
    for (size_t k = 0; k < s->p; k++) s->whole.b[k] = -r[k] * s->whole.e[k];
    shortest_step(s, s->whole.b, s->w, &defect);
    for (size_t i = 0; i < s->N; i++) step[i] = s->w[i] * s->whole.d[i];
    return 0;
}

/* lambda_k is unique when its row takes part in no dependence: in no x with x' A = 0. */
static void mark_unique(struct actio_saddle *s, size_t rank, bool *unique)
{
    size_t N = s->N, p = s->p;
    double *basis = s->copy + p * N; /* p x p: rows of A', then what is orthogonal to them */
    for (size_t k = 0; k < p; k++)
        for (size_t i = 0; i < N; i++) s->copy[i * p + k] = s->A[k * N + i];
    size_t same = actio_row_bases(N, p, s->copy, s->rank_tol, basis, s->work, s->iwork);
    for (size_t k = 0; k < p; k++) {
        unique[k] = true;
        for (size_t x = same < rank ? same : rank; x < p; x++) unique[k] &= fabs(basis[x * p + k]) <= TAKES_PART;
    }
}

size_t actio_saddle_rank(struct actio_saddle *s, bool *unique)
{
    if (!s->dense || s->p == 0) return s->p;
    actio_border_scale(&s->whole, G_values(s), A_values(s));
    scatter_rows(s);
    memcpy(s->copy, s->A, s->p * s->N * sizeof *s->copy);
    size_t rank = actio_row_bases(s->p, s->N, s->copy, s->rank_tol, s->ZA, s->work, s->iwork);
    for (size_t k = 0; unique && k < s->p; k++) unique[k] = true;
    if (unique && rank < s->p) mark_unique(s, rank, unique);
    return rank;
}

/* The row that has shrunk to nothing, or that with the smallest part orthogonal to all the others. */
size_t actio_saddle_weakest(const struct actio_saddle *s)
{
    size_t N = s->N, p = s->p, weakest = p;
    double least = 1e-3;
    if (!s->dense || p == 0) return p;
    if (s->shortest < GONE) return s->short_row;
    for (size_t k = 0; k < p; k++) {
        double own = 0, rest = 0;
        for (size_t j = 0, at = 0; j < p; j++) {
            if (j == k) continue;
            memcpy(s->copy + at, s->A + j * N, N * sizeof *s->copy);
            at += N;
        }
        size_t r = actio_row_bases(p - 1, N, s->copy, s->rank_tol, s->ZD, s->work, s->iwork);
        for (size_t i = 0; i < N; i++) own += s->A[k * N + i] * s->A[k * N + i];
        for (size_t a = r; a < N; a++) {
            double x = 0;
            for (size_t i = 0; i < N; i++) x += s->ZD[a * N + i] * s->A[k * N + i];
            rest += x * x;
        }
        if (sqrt(rest) < least * (sqrt(own) > 0 ? sqrt(own) : 1)) {
            least = sqrt(rest / (own > 0 ? own : 1));
            weakest = k;
        }
    }
    return weakest;
}

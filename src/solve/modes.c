/* SPDX-License-Identifier: Apache-2.0
 * Small motions about an equilibrium: with r = h - G z' + D' lambda = 0 there,  M dz' = dr,  dq' = dv  on what the
 * constraints leave. With M = G, K = -dr/dq, C = -dr/dv:
 * where C = 0, K is symmetric and all constraints are holonomic,  K x = w^2 M x  on their common kernel; else
 * eigenvalues of the first-order system on the tangent space
 * F dq = 0, A dz + phi_q dq = 0. Values beyond the ends of fields have no inertia: their natural conditions N stand
 * among the constraints. */
#include "algebra/dense.h"
#include "algebra/periodic.h"
#include "solve/law.h"
#include "solve/modes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* what is left of the forces, beside the reactions and what a displacement of max(1, |q|) brings up */
#define AT_REST 1e-8
#define ROUNDED 1e-12 /* the same beside the largest of these */
#define SAME 1e-10    /* rows and entries that should be equal, beside the largest */
#define DEPENDENT 1e-10

struct looking {
    struct actio_motion *m;
    double t, *y; /* velocities that are rounding are 0 here */
    struct actio_slopes slope;
    double *values; /* of MATRIX there */
    bool *is_slave;
    struct actio_spectrum *out;
};

/* ---- is it an equilibrium? */

static enum actio_modes_status stopped_by(struct looking *w, enum actio_modes_status why, size_t worst, double amount)
{
    w->out->worst = worst;
    w->out->amount = amount;
    return why;
}

static enum actio_modes_status look_at_velocities(struct looking *w, const double *y)
{
    const struct actio_motion *m = w->m;
    size_t fastest = m->n;
    for (size_t i = 0; i < m->n; i++)
        if (!w->is_slave[i] && (fastest == m->n || fabs(y[m->n + i]) > fabs(y[m->n + fastest]))) fastest = i;
    if (fastest < m->n && !(fabs(y[m->n + fastest]) <= ROUNDED))
        return stopped_by(w, ACTIO_MODES_MOVES, fastest, y[m->n + fastest]);
    memcpy(w->y, y, m->ny * sizeof *y);
    memset(w->y + m->n, 0, m->n * sizeof *y);
    return ACTIO_MODES_FOUND;
}

/* Where formulas have a kink or a contact is closed, small motions of either sign differ. */
static enum actio_modes_status look_at_sides(struct looking *w)
{
    struct actio_motion *m = w->m;
    const struct actio_system *sys = m->sys;
    if (sys->switches.count && actio_motion_need(m, ACTIO_Q_GUARDS)) return ACTIO_MODES_NO_MEMORY;
    const double *guard = sys->switches.count ? actio_motion_quantity(m, ACTIO_Q_GUARDS, w->t, w->y) : NULL;
    for (size_t k = 0; k < sys->switches.count; k++) /* of floor and mod each whole number is such a place */
        if (fabs(guard[k] - (sys->switches.whole[k] ? nearbyint(guard[k]) : 0)) <= ROUNDED)
            return stopped_by(w, ACTIO_MODES_KINK, k, guard[k]);
    for (size_t k = 0; k < sys->walls.rubs; k++)
        if (sys->walls.rub[k].constraint != UINT32_MAX)
            return stopped_by(w, ACTIO_MODES_STUCK, sys->walls.rub[k].constraint, 0);
    if (sys->walls.contacts && actio_motion_need(m, ACTIO_Q_GAPS)) return ACTIO_MODES_NO_MEMORY;
    const double *gap = sys->walls.contacts ? actio_motion_quantity(m, ACTIO_Q_GAPS, w->t, w->y) : NULL;
    for (size_t k = 0; k < sys->walls.contacts; k++)
        if (gap[k] <= ROUNDED) return stopped_by(w, ACTIO_MODES_CONTACT, k, gap[k]);
    return ACTIO_MODES_FOUND;
}

/* Sizes of what balances in each equation: reactions, and forces that a displacement of the size of the variables
 * brings up. */
static void modes_measure(const struct looking *w, double *size)
{
    const struct actio_motion *m = w->m;
    const struct actio_system *sys = m->sys;
    const double *D = w->values + sys->G.count + sys->A.count;
    memset(size, 0, m->N * sizeof *size);
    for (size_t i = 0; i < sys->D.count; i++) size[sys->D.col[i]] += fabs(D[i] * m->here.lambda[sys->D.row[i]]);
    for (size_t i = 0; i < w->slope.count; i++) {
        uint32_t col = w->slope.col[i];
        bool velocity = col >= m->n && col < 2 * m->n;
        if (w->slope.row[i] < m->N && !velocity)
            size[w->slope.row[i]] += fabs(w->slope.value[i]) * fmax(1, fabs(w->y[col]));
    }
}

static enum actio_modes_status look_at_forces(struct looking *w)
{
    const struct actio_motion *m = w->m;
    const struct actio_system *sys = m->sys;
    double *size = actio_alloc(m->ctx, 2 * m->N + 2, sizeof *size), *left = size + m->N, largest = 0;
    size_t fastest = 0;
    bool rests = true;
    if (!size) return ACTIO_MODES_NO_MEMORY;
    modes_measure(w, size);
    for (size_t i = 0; i < sys->G.count; i++) left[sys->G.row[i]] += w->values[i] * m->here.zdot[sys->G.col[i]];
    for (size_t i = 0; i < m->N; i++) largest = fmax(largest, size[i]);
    for (size_t i = 0; i < m->N; i++) {
        if (w->is_slave[i]) continue;
        rests = rests && fabs(left[i]) <= AT_REST * size[i] + ROUNDED * largest;
        if (fabs(m->here.zdot[i]) > fabs(m->here.zdot[fastest]) || w->is_slave[fastest]) fastest = i;
    }
    actio_free(m->ctx, size);
    return rests ? ACTIO_MODES_FOUND : stopped_by(w, ACTIO_MODES_NO_REST, fastest, m->here.zdot[fastest]);
}

/* Multipliers, matrices and slopes at the point, by the numeric elimination: its factors are wanted afterwards. */
static enum actio_modes_status look_at_point(struct looking *w)
{
    struct actio_motion *m = w->m;
    size_t count = m->at[ACTIO_Q_MATRIX].count;
    bool numeric = m->rows.numeric;
    m->rows.numeric = true;
    int status = actio_motion_solve(m, w->t, w->y);
    m->rows.numeric = numeric;
    if (status) return status == ACTIO_FLOW_NAN ? ACTIO_MODES_NOT_FINITE : ACTIO_MODES_UNDETERMINED;
    const double *values = actio_motion_values(m, w->t, w->y);
    if (!values) return ACTIO_MODES_NOT_FINITE;
    memcpy(w->values, values, count * sizeof *values);
    int bad = actio_slopes_open(&w->slope, m, w->t, w->y);
    if (bad) return bad == ACTIO_SLOPES_BENT ? stopped_by(w, ACTIO_MODES_KINK, SIZE_MAX, 0) : ACTIO_MODES_NO_MEMORY;
    for (size_t i = 0; i < w->slope.count; i++)
        if (!isfinite(w->slope.value[i])) return ACTIO_MODES_NOT_FINITE;
    return look_at_forces(w);
}

/* ---- is it one symmetric problem? */

static double modes_largest_of(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* Do reactions act along the rows of the constraints? Both matrices on one vector without pattern. */
static bool is_ideal(const struct looking *w)
{
    const struct actio_motion *m = w->m;
    const struct actio_system *sys = m->sys;
    const double *A = w->values + sys->G.count, *D = A + sys->A.count;
    double *apart = m->scratch.residual,
           size = fmax(modes_largest_of(A, sys->A.count), modes_largest_of(D, sys->D.count));
    memset(apart, 0, m->p * sizeof *apart);
    for (size_t i = 0; i < sys->A.count; i++) apart[sys->A.row[i]] += A[i] * sin(1 + 2.4 * sys->A.col[i]);
    for (size_t i = 0; i < sys->D.count; i++) apart[sys->D.row[i]] -= D[i] * sin(1 + 2.4 * sys->D.col[i]);
    return modes_largest_of(apart, m->p) <= SAME * size;
}

static bool is_conservative(const struct looking *w)
{
    const struct actio_motion *m = w->m;
    const struct actio_system *sys = m->sys;
    double C = 0, K = 0;
    if (m->m || sys->holonomic != m->p || !is_ideal(w)) return false;
    for (size_t k = 0; k < sys->field.slaves; k++)
        if (sys->field.slave_is_rate[k]) return false;
    for (size_t i = 0; i < w->slope.count; i++) {
        if (w->slope.row[i] >= m->N) continue;
        double *most = w->slope.col[i] < m->n ? &K : &C;
        *most = fmax(*most, fabs(w->slope.value[i]));
    }
    return C <= SAME * sqrt(K * modes_largest_of(w->values, sys->G.count));
}

/* ---- tangent spaces */

/* Orthonormal rows of the kernel of `rows` x n numbers (given back here), n - rank of them in the last rows of the
 * answer; NULL: no memory. */
static double *kernel_of(struct actio_context *ctx, size_t rows, size_t n, double *a, size_t *rank)
{
    double *basis = actio_alloc(ctx, n * n + 1, sizeof *basis),
           *work = actio_alloc(ctx, actio_rank_work(rows, n) + 1, sizeof *work);
    int *iwork = actio_alloc(ctx, rows + n + 1, sizeof *iwork);
    bool ok = a && basis && work && iwork;
    *rank = 0;
    if (ok && rows) *rank = actio_row_bases(rows, n, a, DEPENDENT, basis, work, iwork);
    else if (ok)
        for (size_t i = 0; i < n; i++) basis[i * n + i] = 1;
    actio_free(ctx, a);
    actio_free(ctx, work);
    actio_free(ctx, iwork);
    if (!ok) {
        actio_free(ctx, basis);
        basis = NULL;
    }
    return basis;
}

/* Natural conditions by positions, or by velocities where they are made of these: as MATRIX has them in place of
 * inertia. Row `first` + k from column `shift` on. */
static void natural_rows(const struct looking *w, double *a, size_t first, size_t width, size_t shift, double scale)
{
    const struct actio_system *sys = w->m->sys;
    for (size_t i = 0; i < sys->G.count; i++)
        for (size_t k = 0; w->is_slave[sys->G.row[i]] && k < sys->field.slaves; k++)
            if (sys->field.slave[k] == sys->G.row[i])
                a[(first + k) * width + shift + sys->G.col[i]] += scale * w->values[i];
}

/* ---- K x = w2 M x */

/* Z: k rows of n; M, K on them; T: k x n and k x k of scratch */
struct pencil {
    size_t n, k;
    double *Z, *M, *K, *T;
};

/* to = Z X Z' where X is given by its entries, `sign` times. */
static void restrict_to(const struct pencil *p, const uint32_t *row, const uint32_t *col, const double *x, size_t count,
                        const bool *leave, double sign, double *to)
{
    for (size_t a = 0; a < p->k; a++) {
        const double *z = p->Z + a * p->n;
        double *image = p->T + a * p->n;
        memset(image, 0, p->n * sizeof *image);
        for (size_t i = 0; i < count; i++)
            if (row[i] < p->n && col[i] < p->n && !(leave && (leave[row[i]] || leave[col[i]])))
                image[row[i]] += sign * x[i] * z[col[i]];
    }
    for (size_t a = 0; a < p->k; a++)
        for (size_t b = 0; b < p->k; b++) to[a * p->k + b] = actio_dot(p->n, p->Z + a * p->n, p->T + b * p->n);
}

/* Both halves equal, to rounding; then exactly. */
static bool make_symmetric(size_t k, double *a)
{
    double apart = 0, most = modes_largest_of(a, k * k);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++) {
            apart = fmax(apart, fabs(a[i * k + j] - a[j * k + i]));
            a[i * k + j] = a[j * k + i] = 0.5 * (a[i * k + j] + a[j * k + i]);
        }
    return apart <= SAME * most;
}

/* L^-1 K L^-T, in place: rows, then columns. */
static void weigh(size_t k, const double *L, double *K)
{
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < k; i++) actio_lower_solve(k, k, L, K + i * k);
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < i; j++) {
                double x = K[i * k + j];
                K[i * k + j] = K[j * k + i];
                K[j * k + i] = x;
            }
    }
    make_symmetric(k, K);
}

static bool open_pencil(struct looking *w, struct pencil *p, double **basis)
{
    const struct actio_motion *m = w->m;
    const struct actio_system *sys = m->sys;
    size_t rows = m->p + sys->field.slaves, rank;
    double *a = actio_alloc(m->ctx, rows * m->n + 1, sizeof *a);
    for (size_t i = 0; a && i < sys->A.count; i++)
        a[sys->A.row[i] * m->n + sys->A.col[i]] += w->values[sys->G.count + i];
    if (a) natural_rows(w, a, m->p, m->n, 0, 1);
    *basis = kernel_of(m->ctx, rows, m->n, a, &rank);
    if (!*basis) return false;
    *p = (struct pencil){ .n = m->n, .k = m->n - rank, .Z = *basis + rank * m->n };
    p->M = actio_alloc(m->ctx, p->k * p->k + 1, sizeof(double));
    p->K = actio_alloc(m->ctx, p->k * p->k + 1, sizeof(double));
    p->T = actio_alloc(m->ctx, p->k * (p->n + p->k + 4) + 1, sizeof(double));
    return p->M && p->K && p->T;
}

/* Shapes by coordinate: Z' L^-T u, largest entry 1. */
static void modes_draw(const struct pencil *p, const double *u, size_t which, double *shape, double *work)
{
    size_t most = 0;
    for (size_t i = 0; i < p->k; i++) work[i] = u[i * p->k + which];
    actio_lower_solve_back(p->k, p->k, p->M, work);
    memset(shape, 0, p->n * sizeof *shape);
    for (size_t a = 0; a < p->k; a++)
        for (size_t i = 0; i < p->n; i++) shape[i] += work[a] * p->Z[a * p->n + i];
    for (size_t i = 0; i < p->n; i++)
        if (fabs(shape[i]) > fabs(shape[most]) * (1 + 1e-9)) most = i;
    double largest = shape[most];
    for (size_t i = 0; i < p->n && largest != 0; i++) shape[i] /= largest;
}

/* Rounding of the sums that make up K stands beside the largest frequency. */
static void list_frequencies(struct actio_spectrum *s, size_t k, const double *w2)
{
    double largest = k ? fmax(fabs(w2[0]), fabs(w2[k - 1])) : 0, noise = 4 * DBL_EPSILON * (double)(k + 4) * largest;
    s->rounding = sqrt(noise);
    s->count = k;
    for (size_t i = 0; i < k; i++)
        s->mode[i] = fabs(w2[i]) <= noise ? (struct actio_mode){ 0, 0 }
                     : w2[i] > 0          ? (struct actio_mode){ sqrt(w2[i]), 0 }
                                          : (struct actio_mode){ 0, sqrt(-w2[i]) };
}

static enum actio_modes_status diagonalise(struct looking *w, struct pencil *p)
{
    struct actio_context *ctx = w->m->ctx;
    struct actio_spectrum *s = w->out;
    bool shown = p->n <= ACTIO_MODES_SHOWN;
    double *w2 = actio_alloc(ctx, p->k + 1, sizeof *w2);
    s->mode = actio_alloc(ctx, p->k + 1, sizeof *s->mode);
    if (shown) s->shape = actio_alloc(ctx, p->k * p->n + 1, sizeof *s->shape);
    int bad = !w2 || !s->mode || (shown && !s->shape);
    enum actio_modes_status status = bad ? ACTIO_MODES_NO_MEMORY : ACTIO_MODES_FOUND;
    if (!bad) {
        weigh(p->k, p->M, p->K);
        bad = shown ? actio_eigen_symmetric(p->k, p->K, w2, p->T) : actio_eigenvalues_symmetric(p->k, p->K, w2, p->T);
        if (bad) status = ACTIO_MODES_NOT_CONVERGED;
        else list_frequencies(s, p->k, w2);
        for (size_t i = 0; shown && !bad && i < p->k; i++)
            modes_draw(p, p->T, i, s->shape + i * p->n, p->T + p->k * p->k);
    }
    actio_free(ctx, w2);
    return status;
}

/* ACTIO_MODES_UNDETERMINED: it is not such a problem after all. */
static enum actio_modes_status solve_conservative(struct looking *w)
{
    const struct actio_motion *m = w->m;
    const struct actio_system *sys = m->sys;
    struct pencil p = { 0 };
    double *basis = NULL;
    enum actio_modes_status status = ACTIO_MODES_NO_MEMORY;
    if (open_pencil(w, &p, &basis)) {
        restrict_to(&p, sys->G.row, sys->G.col, w->values, sys->G.count, w->is_slave, 1, p.M);
        restrict_to(&p, w->slope.row, w->slope.col, w->slope.value, w->slope.count, NULL, -1, p.K);
        bool fits = make_symmetric(p.k, p.M) && make_symmetric(p.k, p.K) && actio_cholesky_factor(p.k, p.M) == 0;
        status = fits ? diagonalise(w, &p) : ACTIO_MODES_UNDETERMINED;
    }
    actio_free(m->ctx, basis);
    actio_free(m->ctx, p.M);
    actio_free(m->ctx, p.K);
    actio_free(m->ctx, p.T);
    w->out->conservative = status == ACTIO_MODES_FOUND;
    return status;
}

/* ---- the first-order system, x = (scale dq, dz) */

struct first_order {
    size_t ny, k;
    double scale, *basis, *Q, *B, *x, *image, *force;
};

/* Rows of the tangent space: positions F dq = 0, velocities A dz + phi_q dq = 0. At rest -phi_q is how c depends on
 * velocities. */
static double *tangent_rows(const struct looking *w, double scale, size_t *count)
{
    struct actio_motion *m = w->m;
    const struct actio_system *sys = m->sys;
    size_t H = sys->holonomic, S = sys->field.slaves, ny = m->ny, n = m->n, velocity = H + S,
           natural = velocity + sys->levels;
    double *a = actio_alloc(m->ctx, (natural + S) * ny + 1, sizeof *a);
    uint32_t *level = actio_alloc(m->ctx, m->p + 1, sizeof *level);
    const double *f = sys->levels ? actio_motion_levels(m, w->t, w->y) + 2 * (H + sys->levels) : NULL;
    *count = natural + S;
    if (!a || !level) {
        actio_free(m->ctx, a);
        actio_free(m->ctx, level);
        return NULL;
    }
    for (size_t i = 0; i < sys->F.count; i++) a[sys->F.row[i] * ny + sys->F.col[i]] += f[i] / scale;
    for (uint32_t i = 0; i < sys->levels; i++) level[sys->velocity_row[i]] = i + 1;
    for (size_t i = 0; i < sys->A.count; i++)
        if (level[sys->A.row[i]])
            a[(velocity + level[sys->A.row[i]] - 1) * ny + n + sys->A.col[i]] += w->values[sys->G.count + i];
    natural_rows(w, a, natural, ny, n, 1);
    natural_rows(w, a, H, ny, 0, 1 / scale);
    for (size_t k = 0; k < S; k++)
        if (sys->field.slave_is_rate[k]) memset(a + (H + k) * ny, 0, ny * sizeof *a);
    for (size_t i = 0; i < w->slope.count; i++) {
        size_t row = w->slope.row[i], col = w->slope.col[i];
        if (row >= m->N && col >= n && col < 2 * n && level[row - m->N])
            a[(velocity + level[row - m->N] - 1) * ny + col - n] -= w->slope.value[i] / scale;
        for (size_t k = 0; row < m->N && w->is_slave[row] && col < n && k < S; k++)
            if (sys->field.slave[k] == row && sys->field.slave_is_rate[k])
                a[(natural + k) * ny + col] += w->slope.value[i] / scale;
    }
    actio_free(m->ctx, level);
    return a;
}

/* Rates of a disturbance x of length 1: image = (scale dv, dz'). */
static bool disturb(struct looking *w, struct first_order *o, const double *x)
{
    struct actio_motion *m = w->m;
    const struct actio_system *sys = m->sys;
    for (size_t i = 0; i < o->ny; i++) o->x[i] = i < m->n ? x[i] / o->scale : x[i];
    actio_slopes_apply(&w->slope, m->N + m->p, o->x, o->force);
    for (size_t k = 0; k < sys->field.slaves; k++) o->force[sys->field.slave[k]] = 0;
    for (size_t i = 0; i < w->slope.count && sys->field.slaves; i++) /* N_v dv' = -N_q dv */
        for (size_t k = 0;
             w->slope.row[i] < m->N && w->is_slave[w->slope.row[i]] && w->slope.col[i] < m->n && k < sys->field.slaves;
             k++)
            if (sys->field.slave[k] == w->slope.row[i] && sys->field.slave_is_rate[k])
                o->force[sys->field.slave[k]] -= w->slope.value[i] * o->x[m->n + w->slope.col[i]];
    for (size_t i = 0; i < m->n; i++) o->image[i] = o->scale * o->x[m->n + i];
    return actio_saddle_answer(m->saddle, o->force, o->force + m->N, false, o->image + m->n) == 0;
}

static int by_growth(const void *a, const void *b)
{
    const struct actio_mode *x = a, *y = b;
    bool grows = x->growth > 0, other = y->growth > 0;
    double size = hypot(x->omega, x->growth), other_size = hypot(y->omega, y->growth);
    if (grows != other) return grows ? -1 : 1;
    if (grows && x->growth != y->growth) return x->growth > y->growth ? -1 : 1;
    return (size > other_size) - (size < other_size);
}

/* Multiple eigenvalues 0, as of things that glide freely, come out as roots of rounding errors. */
static void list_eigenvalues(struct actio_spectrum *s, size_t k, const struct actio_multiplier *lambda)
{
    double largest = k ? hypot(lambda[0].re, lambda[0].im) : 0, noise = 64 * DBL_EPSILON * (double)(k + 4) * largest;
    s->rounding = 2 * sqrt(DBL_EPSILON) * largest;
    for (size_t i = 0; i < k; i++) {
        struct actio_mode x = { fabs(lambda[i].im), lambda[i].re };
        if (lambda[i].im < 0) continue; /* the other one of its pair is there */
        if (hypot(x.omega, x.growth) <= s->rounding) {
            s->mode[s->count++] = (struct actio_mode){ 0, 0 };
            if (x.omega > 0) s->mode[s->count++] = (struct actio_mode){ 0, 0 };
            continue;
        }
        if (fabs(x.growth) <= noise) x.growth = 0;
        s->mode[s->count++] = x;
    }
    if (s->count) qsort(s->mode, s->count, sizeof *s->mode, by_growth);
}

static enum actio_modes_status find_eigenvalues(struct looking *w, struct first_order *o)
{
    struct actio_context *ctx = w->m->ctx;
    double *work = actio_alloc(ctx, actio_periodic_work(o->k, 1) + 1, sizeof *work);
    struct actio_multiplier *lambda = actio_alloc(ctx, o->k + 1, sizeof *lambda);
    int *iwork = actio_alloc(ctx, o->k + 1, sizeof *iwork);
    w->out->mode = actio_alloc(ctx, o->k + 1, sizeof *w->out->mode);
    enum actio_modes_status status =
        work && lambda && iwork && w->out->mode ? ACTIO_MODES_FOUND : ACTIO_MODES_NO_MEMORY;
    if (status == ACTIO_MODES_FOUND && o->k && actio_periodic_eigen(o->k, 1, o->B, lambda, work, iwork))
        status = ACTIO_MODES_NOT_CONVERGED;
    if (status == ACTIO_MODES_FOUND) list_eigenvalues(w->out, o->k, lambda);
    actio_free(ctx, work);
    actio_free(ctx, lambda);
    actio_free(ctx, iwork);
    return status;
}

/* B = Q J Q' where the rows of Q span the tangent space, which J maps into itself. */
static enum actio_modes_status modes_fill(struct looking *w, struct first_order *o)
{
    for (size_t j = 0; j < o->k; j++) {
        if (!disturb(w, o, o->Q + j * o->ny)) return ACTIO_MODES_UNDETERMINED;
        for (size_t i = 0; i < o->k; i++) o->B[i * o->k + j] = actio_dot(o->ny, o->Q + i * o->ny, o->image);
    }
    return ACTIO_MODES_FOUND;
}

/* About the largest frequency: displacements times it weigh as much as velocities. */
static double scale_of(const struct looking *w)
{
    double K = 0, M = modes_largest_of(w->values, w->m->sys->G.count);
    for (size_t i = 0; i < w->slope.count; i++)
        if (w->slope.row[i] < w->m->N && w->slope.col[i] < w->m->n) K = fmax(K, fabs(w->slope.value[i]));
    return K > 0 && M > 0 ? sqrt(K / M) : 1;
}

static enum actio_modes_status solve_general(struct looking *w)
{
    struct actio_motion *m = w->m;
    struct first_order o = { .ny = m->ny, .scale = scale_of(w) };
    size_t rows, rank;
    if (m->ny - m->p > ACTIO_MODES_LARGEST_GENERAL + m->sys->holonomic + 2 * m->sys->field.slaves)
        return stopped_by(w, ACTIO_MODES_TOO_LARGE, ACTIO_MODES_LARGEST_GENERAL,
                          (double)(m->ny - m->p - m->sys->holonomic));
    double *a = tangent_rows(w, o.scale, &rows);
    enum actio_modes_status status = ACTIO_MODES_NO_MEMORY;
    o.basis = a ? kernel_of(m->ctx, rows, m->ny, a, &rank) : NULL;
    if (o.basis) {
        o.k = m->ny - rank;
        o.Q = o.basis + rank * m->ny;
        o.B = actio_alloc(m->ctx, o.k * o.k + 1, sizeof(double));
        o.x = actio_alloc(m->ctx, 2 * m->ny + m->N + m->p + 2, sizeof(double));
        if (o.x) {
            o.image = o.x + m->ny;
            o.force = o.image + m->ny;
        }
        if (o.B && o.x) status = modes_fill(w, &o);
        if (status == ACTIO_MODES_FOUND) status = find_eigenvalues(w, &o);
    }
    actio_free(m->ctx, o.basis);
    actio_free(m->ctx, o.B);
    actio_free(m->ctx, o.x);
    return status;
}

/* ---- the whole */

static enum actio_modes_status modes_look(struct looking *w, const double *y)
{
    enum actio_modes_status status = look_at_velocities(w, y);
    if (status == ACTIO_MODES_FOUND) status = look_at_sides(w);
    if (status == ACTIO_MODES_FOUND) status = look_at_point(w);
    if (status != ACTIO_MODES_FOUND) return status;
    if (is_conservative(w)) status = solve_conservative(w);
    if (w->out->conservative || status == ACTIO_MODES_NO_MEMORY || status == ACTIO_MODES_NOT_CONVERGED) return status;
    return solve_general(w);
}

enum actio_modes_status actio_modes_solve(struct actio_motion *m, double t, const double *y, struct actio_spectrum *out)
{
    *out = (struct actio_spectrum){ 0 };
    struct looking w = { .m = m, .t = t, .out = out };
    if (m->N > ACTIO_MODES_LARGEST) return stopped_by(&w, ACTIO_MODES_TOO_LARGE, ACTIO_MODES_LARGEST, (double)m->N);
    w.y = actio_alloc(m->ctx, m->ny + 1, sizeof *w.y);
    w.values = actio_alloc(m->ctx, m->at[ACTIO_Q_MATRIX].count + 1, sizeof *w.values);
    w.is_slave = actio_alloc(m->ctx, m->N + 1, sizeof *w.is_slave);
    enum actio_modes_status status = ACTIO_MODES_NO_MEMORY;
    if (w.y && w.values && w.is_slave) {
        for (size_t k = 0; k < m->sys->field.slaves; k++) w.is_slave[m->sys->field.slave[k]] = true;
        status = modes_look(&w, y);
    }
    actio_slopes_close(&w.slope, m->ctx);
    actio_free(m->ctx, w.y);
    actio_free(m->ctx, w.values);
    actio_free(m->ctx, w.is_slave);
    return status;
}

void actio_spectrum_close(struct actio_context *ctx, struct actio_spectrum *s)
{
    actio_free(ctx, s->mode);
    actio_free(ctx, s->shape);
    *s = (struct actio_spectrum){ 0 };
}

/* SPDX-License-Identifier: Apache-2.0
 * Points moved onto the manifold: Newton by the shortest steps. Where the rows are independent these are -J' (J J')^-1
 * c, with J sparse; where they are not, or nearly not, the pseudo-inverse of algebra/newton.h decides. */
#include "verdict/manifold.h"
#include "algebra/dense.h"
#include "algebra/newton.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 80 };
#define INDEPENDENT 1e-9 /* pivots of J J', its rows of length 1: smaller ones are left to the pseudo-inverse */
/* rows of length 1: parts of them that depend on the others but for this much are left out of a last step */
#define WEAK 1e-3
#define CLEARLY 1e-8 /* the same for a rank: far above its own tolerance squared */

static bool finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

/* Part of the problem: which constraints, in which components. */
struct part {
    struct actio_manifold *m;
    bool positions, velocities;
    size_t first, length;
};

static bool takes(const struct part *p, size_t row) { return p->m->is_position[row] ? p->positions : p->velocities; }

static void reach_put(const struct part *p, const double *z) { memcpy(p->m->y + p->first, z, p->length * sizeof *z); }

static int residual(void *user, const double *z, double *c)
{
    const struct part *p = user;
    size_t at = 0;
    reach_put(p, z);
    const double *v = actio_probe_at(&p->m->values);
    for (size_t i = 0; i < p->m->count; i++)
        if (takes(p, i)) c[at++] = v[i] * p->m->weight[i];
    return finite(c, at) ? 0 : 1;
}

static int jacobian(void *user, const double *z, double *J)
{
    const struct part *p = user;
    struct actio_manifold *m = p->m;
    size_t row = 0;
    reach_put(p, z);
    const double *v = actio_probe_at(&m->slopes);
    for (size_t i = 0; i < m->count; i++) m->row_of[i] = takes(p, i) ? row++ : SIZE_MAX;
    memset(J, 0, row * p->length * sizeof *J);
    for (size_t i = 0; i < m->J.count; i++) {
        size_t col = m->J.at[i].col, r = m->row_of[m->J.at[i].row];
        if (r != SIZE_MAX && col >= p->first && col < p->first + p->length)
            J[r * p->length + col - p->first] = v[i] * m->weight[m->J.at[i].row];
    }
    return finite(v, m->J.count) ? 0 : 1;
}

void actio_manifold_room(struct actio_manifold *m)
{
    struct actio_formation *F = m->F;
    size_t big = m->count > m->ny ? m->count : m->ny;
    m->work = actio_form_array(F,
                               m->ny + actio_newton_work(m->count, m->ny) + actio_rank_work(big, big) + m->count * m->ny
                                   + m->ny * m->ny + m->J.count,
                               sizeof *m->work);
    m->iwork = actio_form_array(F, 2 * (m->count + m->ny), sizeof *m->iwork);
    m->row_start = actio_form_array(F, m->count + 1, sizeof *m->row_start);
    for (size_t i = 0, r = 0; r <= m->count; r++) {
        while (i < m->J.count && m->J.at[i].row < r) i++;
        m->row_start[r] = i;
    }
}

void actio_manifold_weigh(struct actio_manifold *m, const double *t, const double *y, size_t count)
{
    for (size_t r = 0; r < m->count; r++) m->weight[r] = 0;
    for (size_t k = 0; k < count; k++) {
        m->t = t[k];
        memcpy(m->y, y + k * m->ny, m->ny * sizeof *y);
        const double *J = actio_probe_at(&m->slopes);
        for (size_t r = 0; r < m->count; r++) {
            double size = actio_norm(m->row_start[r + 1] - m->row_start[r], J + m->row_start[r]);
            if (isfinite(size)) m->weight[r] = fmax(m->weight[r], size);
        }
    }
    for (size_t r = 0; r < m->count; r++) m->weight[r] = m->weight[r] > 0 ? 1 / m->weight[r] : 1;
}

/* ---- independent rows */

struct quick {
    struct part *p;
    size_t rows;
    uint32_t *row;                                                 /* constraints taken */
    double *z, *z_new, *dz, *c, *c_new, *scale, *u, *wide, *J, *K; /* scale: 1 / |J_i| */
    double residual;                                               /* largest |c_i| / |J_i| */
};

static bool inside(const struct part *p, size_t entry)
{
    size_t col = p->m->J.at[entry].col;
    return col >= p->first && col < p->first + p->length;
}

/* The slopes at the manifold's current point, weighted; NULL when one is not finite. */
static const double *weighted_slopes(struct quick *s)
{
    const struct actio_manifold *m = s->p->m;
    const double *J = actio_probe_at(&m->slopes);
    if (!finite(J, m->J.count)) return NULL;
    for (size_t i = 0; i < m->J.count; i++) s->J[i] = J[i] * m->weight[m->J.at[i].row];
    return s->J;
}

static void scale_rows(struct quick *s, const double *J)
{
    const struct actio_manifold *m = s->p->m;
    double largest = 0;
    for (size_t r = 0; r < s->rows; r++) {
        double sum = 0;
        for (size_t i = m->row_start[s->row[r]]; i < m->row_start[s->row[r] + 1]; i++)
            if (inside(s->p, i)) sum += J[i] * J[i];
        s->scale[r] = sqrt(sum);
        largest = fmax(largest, s->scale[r]);
    }
    /* 0: no row, so no pivot */
    for (size_t r = 0; r < s->rows; r++) s->scale[r] = s->scale[r] > 1e-14 * largest ? 1 / s->scale[r] : 0;
}

/* J J' with rows of length 1, lower half; false when one of its pivots is too small. */
static bool reach_factor(struct quick *s, const double *J, double least)
{
    const struct actio_manifold *m = s->p->m;
    size_t rows = s->rows;
    memset(s->wide, 0, s->p->length * sizeof *s->wide);
    for (size_t a = 0; a < rows; a++) {
        size_t from = m->row_start[s->row[a]], to = m->row_start[s->row[a] + 1];
        for (size_t i = from; i < to; i++)
            if (inside(s->p, i)) s->wide[m->J.at[i].col - s->p->first] = J[i] * s->scale[a];
        for (size_t b = 0; b <= a; b++) {
            double sum = 0;
            for (size_t i = m->row_start[s->row[b]]; i < m->row_start[s->row[b] + 1]; i++)
                if (inside(s->p, i)) sum += s->wide[m->J.at[i].col - s->p->first] * J[i];
            s->K[a * rows + b] = sum * s->scale[b];
        }
        for (size_t i = from; i < to; i++)
            if (inside(s->p, i)) s->wide[m->J.at[i].col - s->p->first] = 0;
    }
    if (actio_cholesky_factor(rows, s->K) != 0) return false;
    for (size_t r = 0; r < rows; r++)
        if (!(s->K[r * rows + r] * s->K[r * rows + r] > least)) return false;
    return true;
}

static double reach_measure(struct quick *s, const double *c)
{
    double sum = 0;
    s->residual = 0;
    for (size_t r = 0; r < s->rows; r++) {
        double x = fabs(c[r]) * s->scale[r];
        sum += x * x;
        s->residual = fmax(s->residual, x);
    }
    return sqrt(sum);
}

static void find_step(struct quick *s, const double *J)
{
    const struct actio_manifold *m = s->p->m;
    for (size_t r = 0; r < s->rows; r++) s->u[r] = s->c[r] * s->scale[r];
    actio_cholesky_solve(s->rows, s->K, s->u, 1);
    memset(s->dz, 0, s->p->length * sizeof *s->dz);
    for (size_t r = 0; r < s->rows; r++)
        for (size_t i = m->row_start[s->row[r]]; i < m->row_start[s->row[r] + 1]; i++)
            if (inside(s->p, i)) s->dz[m->J.at[i].col - s->p->first] -= J[i] * s->scale[r] * s->u[r];
}

/* Halved until it helps; false when nothing does. */
static bool take_step(struct quick *s)
{
    double before = reach_measure(s, s->c);
    for (double t = 1; t > 1e-12; t /= 2) {
        for (size_t j = 0; j < s->p->length; j++) s->z_new[j] = s->z[j] + t * s->dz[j];
        bool moved = memcmp(s->z_new, s->z, s->p->length * sizeof *s->z) != 0;
        if (!moved) return false;
        if (residual(s->p, s->z_new, s->c_new) == 0 && reach_measure(s, s->c_new) <= (1 - 1e-4 * t) * before) {
            memcpy(s->z, s->z_new, s->p->length * sizeof *s->z);
            memcpy(s->c, s->c_new, s->rows * sizeof *s->c);
            return true;
        }
    }
    reach_measure(s, s->c);
    return false;
}

static struct quick reach_lay_out(struct part *p, size_t rows)
{
    struct actio_manifold *m = p->m;
    struct quick s = { .p = p, .rows = rows, .row = (uint32_t *)m->iwork, .z = m->work };
    double *room = m->work + m->ny;
    double **part[] = { &s.z_new, &s.dz, &s.wide, &s.c, &s.c_new, &s.scale, &s.u, &s.J, &s.K };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        *part[i] = room;
        room += i < 3 ? p->length : part[i] == &s.J ? m->J.count : rows;
    }
    for (size_t i = 0, r = 0; i < m->count; i++)
        if (takes(p, i)) s.row[r++] = (uint32_t)i;
    return s;
}

/* 1: reached; 0: no such point nearby; -1: rows are dependent on the way, or a formula is undefined: not known.
 * */
static int solve_independent(struct part *p, size_t rows, double tol)
{
    struct quick s = reach_lay_out(p, rows);
    if (residual(p, s.z, s.c)) return -1;
    for (int k = 0; k <= MOST_STEPS; k++) {
        reach_put(p, s.z);
        const double *J = weighted_slopes(&s);
        if (!J) return -1;
        scale_rows(&s, J);
        if (!reach_factor(&s, J, INDEPENDENT)) return -1;
        reach_measure(&s, s.c);
        if (s.residual <= tol) return 1;
        find_step(&s, J);
        if (take_step(&s)) continue;
        double size = 0;
        for (size_t j = 0; j < p->length; j++) size = fmax(size, fabs(s.z[j]));
        return s.residual <= 1e-9 * size;
    }
    return 0;
}

/* ---- the whole */

static bool reach_solve(struct actio_manifold *m, struct part part, size_t *rank, size_t *worst)
{
    size_t rows = 0;
    for (size_t i = 0; i < m->count; i++) rows += takes(&part, i);
    if (rows == 0) return true;
    double *z = m->work; /* a copy: Newton works on it */
    double unit = fmin(part.positions ? m->unit[0] : 1, part.velocities ? m->unit[1] : 1);
    double *start = m->work + m->ny + actio_newton_work(m->count, m->ny);
    memcpy(start, m->y + part.first, part.length * sizeof *z);
    memcpy(z, start, part.length * sizeof *z);
    int quick = rows <= part.length ? solve_independent(&part, rows, 1e-10 * unit) : -1;
    if (quick >= 0) {
        reach_put(&part, z);
        return quick;
    }
    memcpy(z, start, part.length * sizeof *z);
    struct actio_newton p = { .m = rows,
                              .n = part.length,
                              .residual = residual,
                              .jacobian = jacobian,
                              .user = &part,
                              .tol = 1e-10 * unit,
                              .max_iterations = MOST_STEPS,
                              .lazy = true };
    struct actio_newton_result r = { 0 };
    int bad = actio_newton_solve(&p, z, m->work + m->ny, m->iwork, &r);
    reach_put(&part, z);
    *rank = r.rank;
    *worst = r.worst;
    return bad == 0 && (r.converged || r.round_off);
}

static double reach_size_of(const double *c, const double *scale, size_t rows)
{
    double largest = 0;
    for (size_t r = 0; r < rows; r++) largest = fmax(largest, fabs(c[r]) * scale[r]);
    return largest;
}

/* Where rows become dependent on the manifold itself, a residual of e leaves a distance of sqrt(e), and rows that seem
 * independent. The rows that are clearly independent lead on to the manifold as near as rounding allows. */
static void reach_polish(struct actio_manifold *m, struct part part)
{
    size_t rows = 0, n = part.length;
    for (size_t i = 0; i < m->count; i++) rows += takes(&part, i);
    if (rows == 0) return;
    double *J = m->work, *c = J + rows * n, *scale = c + rows, *x = scale + rows, *z = x + n, *before = z + n,
           *rest = before + n, defect;
    memcpy(z, m->y + part.first, n * sizeof *z);
    for (int k = 0; k < 4; k++) {
        if (jacobian(&part, z, J) || residual(&part, z, c)) break;
        actio_row_scales(rows, n, J, scale);
        double size = reach_size_of(c, scale, rows);
        if (k && size > 1e-10) break;
        memcpy(before, z, n * sizeof *z);
        for (size_t r = 0; r < rows; r++) {
            c[r] *= scale[r];
            for (size_t j = 0; j < n; j++) J[r * n + j] *= scale[r];
        }
        if (actio_min_norm(rows, n, J, c, WEAK, x, &defect, rest, m->iwork) == rows) break;
        for (size_t j = 0; j < n; j++) z[j] -= x[j];
        if (residual(&part, z, c) || !(reach_size_of(c, scale, rows) <= fmax(size, 1e-13))) {
            memcpy(z, before, n * sizeof *z);
            break;
        }
        if (actio_norm(n, x) <= 1e-15 * actio_norm(n, z)) break;
    }
    reach_put(&part, z);
}

/* Positions first, then velocities and states; all together only when that fails. */
bool actio_manifold_reach(struct actio_manifold *m, double t, double *y, size_t *rank, size_t *worst)
{
    size_t n = m->F->n;
    m->t = t;
    *rank = 0;
    *worst = 0;
    memcpy(m->y, y, m->ny * sizeof *y);
    bool ok = reach_solve(m, (struct part){ m, true, false, 0, n }, rank, worst)
              && reach_solve(m, (struct part){ m, false, true, n, m->ny - n }, rank, worst);
    if (!ok) {
        memcpy(m->y, y, m->ny * sizeof *y);
        ok = reach_solve(m, (struct part){ m, true, true, 0, m->ny }, rank, worst);
    }
    if (ok) {
        reach_polish(m, (struct part){ m, true, false, 0, n });
        reach_polish(m, (struct part){ m, false, true, n, m->ny - n });
    }
    memcpy(y, m->y, m->ny * sizeof *y);
    return ok;
}

bool actio_manifold_fits(struct actio_manifold *m, double t, const double *y, double tol)
{
    m->t = t;
    memcpy(m->y, y, m->ny * sizeof *y);
    const double *c = actio_probe_at(&m->values), *J = actio_probe_at(&m->slopes);
    for (size_t r = 0; r < m->count; r++) {
        double size = 0;
        for (size_t i = m->row_start[r]; i < m->row_start[r + 1]; i++) {
            size_t col = m->J.at[i].col;
            size += fabs(J[i]) * fmax(fabs(y[col]), m->unit[col >= m->F->n]);
        }
        if (!(fabs(c[r]) <= tol * size)) return false;
    }
    return true;
}

bool actio_manifold_solve_for(struct actio_manifold *m, double t, double *y, size_t row, const bool *free_one)
{
    double *z = m->work, before = INFINITY;
    m->t = t;
    memcpy(z, y, m->ny * sizeof *z);
    memcpy(m->y, y, m->ny * sizeof *z);
    for (int k = 0; k < MOST_STEPS; k++) {
        double c = actio_probe_at(&m->values)[row], square = 0, size = 0;
        const double *J = actio_probe_at(&m->slopes);
        for (size_t i = m->row_start[row]; i < m->row_start[row + 1]; i++) {
            size += fabs(J[i] * m->y[m->J.at[i].col]);
            if (free_one[m->J.at[i].col]) square += J[i] * J[i];
        }
        if (!isfinite(c) || !(square > 0) || !(fabs(c) < before)) return false;
        if (fabs(c) <= 1e-13 * size) {
            memcpy(y, m->y, m->ny * sizeof *y);
            return true;
        }
        before = fabs(c);
        for (size_t i = m->row_start[row]; i < m->row_start[row + 1]; i++)
            if (free_one[m->J.at[i].col]) m->y[m->J.at[i].col] -= c * J[i] / square;
    }
    return false;
}

/* Rows, then columns get a largest entry of about 1: units do not matter. Columns of rounding errors stay. */
static void equilibrate(size_t rows, size_t cols, double *J)
{
    for (size_t j = 0; j < cols; j++) {
        double largest = 0;
        for (size_t r = 0; r < rows; r++) largest = fmax(largest, fabs(J[r * cols + j]));
        for (size_t r = 0; r < rows && largest > 1e-11; r++) J[r * cols + j] /= largest;
    }
    for (size_t r = 0; r < rows; r++) {
        double size = actio_norm(cols, J + r * cols);
        for (size_t j = 0; j < cols && size > 1e-11; j++) J[r * cols + j] /= size;
    }
}

size_t actio_manifold_rank(struct actio_manifold *m, double t, const double *y)
{
    struct part all = { m, true, true, 0, m->ny };
    m->t = t;
    if (m->count == 0) return 0;
    if (m->count <= m->ny) {
        struct quick s = reach_lay_out(&all, m->count);
        reach_put(&all, y);
        const double *slope = weighted_slopes(&s);
        if (!slope) return 0;
        scale_rows(&s, slope);
        if (reach_factor(&s, slope, CLEARLY)) return m->count;
    }
    double *J = m->work, *basis = J + m->count * m->ny, *work = basis + m->ny * m->ny;
    if (jacobian(&all, y, J)) return 0;
    for (int pass = 0; pass < 3; pass++) equilibrate(m->count, m->ny, J);
    return actio_row_bases(m->count, m->ny, J, 1e-7, basis, work, m->iwork);
}

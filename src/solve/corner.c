/* SPDX-License-Identifier: Apache-2.0
 * Corners: velocities behind a switch across which the Lagrangian or a constraint jumps. With nu given, velocities and
 * impulses of constraints follow from momenta and rows; F(nu), the error in the energy, has the slope dPhi/dt along the
 * motion behind, so that it is least where the motion would stay on the surface, and has one root on each side. */
#include "solve/corner_inside.h"
#include "algebra/dense.h"
#include "solve/law.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define JUMPS 1e-11   /* of the size of its terms: what differs more between the two sides jumps */
#define LATE 1e-11    /* of the interval: how far from its instant a crossing may be located */
#define ROUNDED 4e-15 /* of the terms of a momentum, or of a row: so much of its defect is rounding */
#define CLOSE 1e-15   /* of the velocities: Newton's step is rounding */
#define ROUGHLY 1e-3  /* of its terms: what a rough motion knows of a jump */
#define UNMOVED 1e-10 /* of a rate: what an impulse as large as the momenta changes by less is rounding of the rows */
#define FITS 1e-9     /* of the sizes: momenta and rows that can't be met this well have no solution */
enum { ROUNDS = 60 }; /* of Newton's method: rows that are not linear in velocities converge slowly */

static void *take(struct actio_motion *m, size_t count) { return actio_alloc(m->ctx, count + 1, sizeof(double)); }

static bool open_side(struct actio_motion *m, struct actio_side *s)
{
    size_t n = m->n, h = m->sys->holonomic, r = m->sys->levels;
    double *all = take(m, 2 * n + 2 * h + 2 * r);
    *s = (struct actio_side){ .p = all };
    if (!all) return false;
    s->p_size = all + n;
    s->f = s->p_size + n;
    s->phi = s->f + h;
    s->f_size = s->phi + r;
    s->phi_size = s->f_size + h;
    return true;
}

int actio_corner_open(struct actio_motion *m)
{
    if (!m->sys->is.cornered) return 0;
    struct actio_corner *c = actio_alloc(m->ctx, 1, sizeof *c);
    if (!c) return 1;
    m->corner = c;
    size_t n = m->n, rows = m->sys->levels, N = n + rows;
    *c = (struct actio_corner){ .n = n, .rows = rows };
    struct {
        double **p;
        size_t n;
    } want[] = { { &c->mode, m->sys->switches.count },
                 { &c->after, m->sys->switches.count },
                 { &c->gradient, n },
                 { &c->v, n },
                 { &c->before, n },
                 { &c->tried.mode, m->sys->switches.count },
                 { &c->tried.y[0], m->ny },
                 { &c->tried.y[1], m->ny },
                 { &c->sigma, rows },
                 { &c->Dv, rows },
                 { &c->K, N * N },
                 { &c->b, N },
                 { &c->x, N },
                 { &c->y, m->ny },
                 { &c->both, 4 * rows * (n + 1) },
                 { &c->trial, (ACTIO_CORNER_STARTS + 1) * n },
                 { &c->basis, (N + rows) * (N + rows) },
                 { &c->work, actio_rank_work(N + rows, N + rows) + N + rows } };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!(*want[i].p = take(m, want[i].n))) return 1;
    c->iwork = actio_alloc(m->ctx, 2 * (N + rows) + 1, sizeof *c->iwork);
    c->rests = actio_alloc(m->ctx, m->sys->switches.count + 1, sizeof *c->rests);
    c->tried.rests = actio_alloc(m->ctx, m->sys->switches.count + 1, sizeof *c->rests);
    return !c->iwork || !c->rests || !c->tried.rests || !open_side(m, &c->old) || !open_side(m, &c->new)
           || actio_motion_need(m, ACTIO_Q_CORNER);
}

void actio_corner_close(struct actio_motion *m)
{
    struct actio_corner *c = m->corner;
    if (!c) return;
    void *parts[] = { c->trial,       c->both,  c->basis, c->tried.mode, c->tried.y[0], c->tried.y[1],
                      c->tried.rests, c->mode,  c->after, c->gradient,   c->before,     c->v,
                      c->sigma,       c->Dv,    c->K,     c->b,          c->x,          c->y,
                      c->work,        c->iwork, c->old.p, c->new.p,      c->rests };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) actio_free(m->ctx, parts[i]);
    actio_free(m->ctx, c);
    m->corner = NULL;
}

double *actio_corner_try(struct actio_motion *m, int which, const double *y)
{
    struct actio_corner *c = m->corner;
    memcpy(c->tried.mode, m->here.mode, m->sys->switches.count * sizeof(double));
    memcpy(c->tried.rests, m->rests, m->sys->switches.count * sizeof *m->rests);
    return memcpy(c->tried.y[which], y, m->ny * sizeof *y);
}

void actio_corner_try_end(struct actio_motion *m)
{
    struct actio_corner *c = m->corner;
    memcpy(m->here.mode, c->tried.mode, m->sys->switches.count * sizeof(double));
    memcpy(m->rests, c->tried.rests, m->sys->switches.count * sizeof *m->rests);
}

bool actio_corner_same_end(const struct actio_motion *m)
{
    double far = 0, speed = 0, *const *y = m->corner->tried.y;
    for (size_t i = m->n; i < m->ny; i++) {
        far = fmax(far, fabs(y[0][i] - y[1][i]));
        speed = fmax(speed, fmax(fabs(y[0][i]), fabs(y[1][i])));
    }
    return far <= FITS * speed;
}

void actio_corner_note(struct actio_motion *m)
{
    if (!m->corner) return;
    memcpy(m->corner->mode, m->here.mode, m->sys->switches.count * sizeof(double));
    memcpy(m->corner->rests, m->rests, m->sys->switches.count * sizeof *m->rests);
}

static void set_modes(struct actio_motion *m, const double *mode)
{
    memcpy(m->here.mode, mode, m->sys->switches.count * sizeof *mode);
}

void actio_corner_undo(struct actio_motion *m)
{
    set_modes(m, m->corner->mode);
    memcpy(m->rests, m->corner->rests, m->sys->switches.count * sizeof *m->rests);
}

/* ---- one side of the switch */

static int read_side(struct actio_motion *m, double t, const double *y, struct actio_side *s)
{
    size_t n = m->n, h = m->sys->holonomic, r = m->sys->levels;
    const double *x = actio_motion_quantity(m, ACTIO_Q_CORNER, t, y);
    memcpy(s->p, x, n * sizeof *x);
    s->E = x[n];
    memcpy(s->p_size, x + n + 1, n * sizeof *x);
    s->E_size = x[2 * n + 1];
    bool finite = isfinite(s->E);
    for (size_t i = 0; i < n; i++) finite &= isfinite(s->p[i]);
    if (!finite) return ACTIO_FLOW_NAN;
    if (r == 0) return ACTIO_FLOW_OK;
    x = actio_motion_levels(m, t, y);
    if (!x) return ACTIO_FLOW_NAN;
    memcpy(s->f, x, h * sizeof *x);
    memcpy(s->phi, x + h, r * sizeof *x);
    memcpy(s->f_size, x + h + r, h * sizeof *x);
    memcpy(s->phi_size, x + 2 * h + r, r * sizeof *x);
    return ACTIO_FLOW_OK;
}

/* Phi: its gradient, and its rate beside what the velocities contribute; on the side that is set. */
static void read_switch(struct actio_motion *m, struct actio_corner *c, size_t k, double t, const double *y)
{
    size_t n = m->n;
    const struct actio_places *at = &m->sys->jets.corner;
    const double *entry = actio_motion_quantity(m, ACTIO_Q_CORNER, t, y) + 2 * n + 2;
    memset(c->gradient, 0, n * sizeof *c->gradient);
    c->by_q = c->by_v = false;
    for (size_t i = 0; i < at->count; i++) {
        if (at->row[i] != k) continue;
        if (at->col[i] < n) c->gradient[at->col[i]] = entry[i];
        c->by_q |= at->col[i] < n && entry[i] != 0;
        c->by_v |= at->col[i] >= n && entry[i] != 0;
    }
    c->drift = 0;
    if (actio_motion_solve(m, t, y) == ACTIO_FLOW_OK)
        c->drift = actio_motion_quantity(m, ACTIO_Q_GUARDS, t, y)[m->sys->switches.count + k]
                   - actio_dot(n, c->gradient, y + n);
}

/* Entry of the derivative of switch k by component i of (q, v). */
static double slope_by(const struct actio_motion *m, const double *entry, size_t k, size_t i)
{
    const struct actio_places *at = &m->sys->jets.corner;
    double sum = 0;
    for (size_t e = 0; e < at->count; e++)
        if (at->row[e] == k && at->col[e] == i) sum += entry[e];
    return sum;
}

bool actio_corner_same_surface(struct actio_motion *m, size_t j, size_t k, double t, const double *y)
{
    const double *entry = actio_motion_quantity(m, ACTIO_Q_CORNER, t, y) + 2 * m->n + 2;
    double jj = 0, kk = 0, jk = 0;
    for (size_t i = 0; i < 2 * m->n; i++) {
        double a = slope_by(m, entry, j, i), b = slope_by(m, entry, k, i);
        jj += a * a;
        kk += b * b;
        jk += a * b;
    }
    return jj == 0 || kk == 0 ? jj == kk : fabs(jk) > (1 - 1e-9) * sqrt(jj * kk);
}

/* ---- what jumps */

static bool jumps(double a, double b, double size) { return fabs(a - b) > JUMPS * fmax(size, 1e-300); }

static bool is_position_row(const struct actio_system *sys, size_t row)
{
    for (size_t i = 0; i < sys->holonomic; i++)
        if (sys->position_row[i] == row) return true;
    return false;
}

/* The first holonomic row whose value jumps; p: none. */
static size_t broken_row(const struct actio_motion *m, const struct actio_corner *c)
{
    for (size_t i = 0, r = 0; i < m->sys->holonomic; i++) {
        while (m->sys->velocity_row[r] != m->sys->position_row[i]) r++;
        /* a bend that is reached a little too late */
        double late = LATE * fabs(m->span) * fabs(c->new.phi[r] - c->old.phi[r]);
        if (jumps(c->old.f[i], c->new.f[i], fmax(c->old.f_size[i], c->new.f_size[i]))
            && fabs(c->old.f[i] - c->new.f[i]) > late)
            return m->sys->position_row[i];
    }
    return m->p;
}

/* Position row i on both sides at a state: its jump. */
static double jump_at(struct actio_motion *m, struct actio_corner *c, size_t i, double t, const double *y)
{
    double side[2] = { 0, 0 };
    for (int k = 0; k < 2; k++) {
        set_modes(m, k ? c->after : c->mode);
        const double *f = actio_motion_levels(m, t, y);
        side[k] = f ? f[i] : NAN;
    }
    return side[1] - side[0];
}

bool actio_corner_surely_breaks(struct actio_motion *m, double t, const double *other)
{
    struct actio_corner *c = m->corner;
    size_t i = 0;
    while (m->sys->position_row[i] != m->halted.by) i++;
    double jump = c->new.f[i] - c->old.f[i];
    bool by_much = fabs(jump) > ROUGHLY * fmax(c->old.f_size[i], c->new.f_size[i]);
    return by_much || fabs(jump_at(m, c, i, t, other) - jump) <= 1e-9 * fabs(jump);
}

struct jump {
    bool lagrangian, holonomic, integrable, velocity;
};

static struct jump look(const struct actio_motion *m, const struct actio_corner *c)
{
    struct jump j = { .lagrangian = jumps(c->old.E, c->new.E, fmax(c->old.E_size, c->new.E_size)) };
    for (size_t i = 0; i < c->n; i++)
        j.lagrangian |= jumps(c->old.p[i], c->new.p[i], fmax(c->old.p_size[i], c->new.p_size[i]));
    for (size_t r = 0; r < c->rows; r++) {
        if (!jumps(c->old.phi[r], c->new.phi[r], fmax(c->old.phi_size[r], c->new.phi_size[r]))) continue;
        if (is_position_row(m->sys, m->sys->velocity_row[r])) j.holonomic = true;
        else if (m->sys->integrable && m->sys->integrable[r]) j.integrable = true;
        else j.velocity = true;
    }
    return j;
}

/* Rows of one side, with their rate by time as one more column, without what they have along the gradient of the
 * switch, each of length 1. */
static void spread_along(struct actio_motion *m, struct actio_corner *c, const double *values, const double *phi,
                         const double *y, double *row)
{
    const struct actio_system *sys = m->sys;
    size_t n = c->n, w = n + 1;
    const double *g = c->gradient;
    double square = actio_dot(n, g, g) + c->drift * c->drift;
    memset(row, 0, c->rows * w * sizeof *row);
    for (size_t i = 0; i < sys->level_rows.count; i++) {
        size_t entry = sys->level_rows.col[i];
        if (sys->A.col[entry] < n) row[sys->level_rows.row[i] * w + sys->A.col[entry]] += values[sys->G.count + entry];
    }
    for (size_t r = 0; r < c->rows; r++, row += w) {
        row[n] = phi[r] - actio_dot(n, row, y + n);
        double before = actio_norm(w, row), part = (actio_dot(n, row, g) + row[n] * c->drift) / square;
        for (size_t i = 0; i < n; i++) row[i] -= part * g[i];
        row[n] -= part * c->drift;
        double after = actio_norm(w, row);
        for (size_t i = 0; i < w; i++) row[i] = after > 1e-12 * before ? row[i] / after : 0;
    }
}

/* Do the rows of both sides leave the same directions along the surface, in positions and time? Then what they restrict
 * to bends there and does not break. */
static bool rows_meet(struct actio_motion *m, struct actio_corner *c, double t, const double *y)
{
    size_t w = c->n + 1, rank[3];
    double *both = c->both, *copy = both + 2 * c->rows * w;
    if (!(actio_norm(c->n, c->gradient) > 0)) return false;
    for (int k = 0; k < 2; k++) {
        set_modes(m, k ? c->after : c->mode);
        const double *values = actio_motion_values(m, t, y);
        if (values) spread_along(m, c, values, k ? c->new.phi : c->old.phi, y, both + k * c->rows * w);
        else return false;
    }
    for (size_t k = 0; k < 3; k++) { /* old, new, all of them */
        size_t rows = k == 2 ? 2 * c->rows : c->rows;
        memcpy(copy, both + (k == 1) * c->rows * w, rows * w * sizeof *copy);
        rank[k] = actio_row_bases(rows, w, copy, 1e-9, c->basis, c->work, c->iwork);
    }
    return rank[0] == rank[1] && rank[1] == rank[2];
}

/* Velocity rows that are integrated count as their integrals, where these are continuous. */
static void settle_integrable(struct actio_motion *m, struct actio_corner *c, double t, const double *y, struct jump *j)
{
    if (!j->integrable) return;
    if (rows_meet(m, c, t, y)) j->holonomic = true;
    else j->velocity = true;
    set_modes(m, c->after);
}

/* ---- velocities behind, for a given nu */

/* [W -D'; A 0] (dv, sigma) = (p- + nu dPhi/dq - p(v), -phi(v)) at the velocities that stand in c->v. */
static void form_balance(struct actio_motion *m, struct actio_corner *c, const struct actio_side *from,
                         const struct actio_side *at, const double *values)
{
    const struct actio_system *sys = m->sys;
    size_t n = c->n, N = n + c->rows, r = 0;
    memset(c->K, 0, N * N * sizeof *c->K);
    for (size_t i = 0; i < sys->G.count; i++)
        if (sys->G.row[i] < n && sys->G.col[i] < n) c->K[sys->G.row[i] * N + sys->G.col[i]] += values[i];
    for (size_t i = 0; i < sys->level_rows.count; i++) {
        size_t entry = sys->level_rows.col[i];
        if (sys->A.col[entry] < n)
            c->K[(n + sys->level_rows.row[i]) * N + sys->A.col[entry]] += values[sys->G.count + entry];
    }
    const double *D = values + sys->G.count + sys->A.count;
    for (size_t i = 0; i < sys->D.count; i++) {
        while (r < c->rows && sys->velocity_row[r] < sys->D.row[i]) r++;
        if (r < c->rows && sys->velocity_row[r] == sys->D.row[i] && sys->D.col[i] < n)
            c->K[sys->D.col[i] * N + n + r] -= D[i];
    }
    for (size_t i = 0; i < n; i++) c->b[i] = from->p[i] + c->nu * c->gradient[i] - at->p[i];
    for (size_t i = 0; i < c->rows; i++) c->b[n + i] = -at->phi[i];
}

/* Directions of impulses times the velocities: -a of rows that are ideal. */
static void note_powers(struct actio_corner *c)
{
    size_t n = c->n, N = n + c->rows;
    for (size_t r = 0; r < c->rows; r++) {
        c->Dv[r] = 0;
        for (size_t i = 0; i < n; i++) c->Dv[r] -= c->K[i * N + n + r] * c->v[i];
    }
}

/* Are momenta and rows off by no more than the rounding of their terms? A momentum may have large ones that cancel, and
 * the velocity that is left of it is then known to fewer digits. */
static bool is_balanced(const struct actio_corner *c, const struct actio_side *from, const struct actio_side *at)
{
    size_t n = c->n, N = n + c->rows;
    for (size_t i = 0; i < n; i++) {
        double off = c->b[i], size = fmax(from->p_size[i], at->p_size[i]) + fabs(c->nu * c->gradient[i]);
        for (size_t r = 0; r < c->rows; r++) {
            double pushed = c->K[i * N + n + r] * c->sigma[r];
            off -= pushed;
            size += fabs(pushed);
        }
        if (!(fabs(off) <= ROUNDED * size + DBL_MIN)) return false;
    }
    for (size_t r = 0; r < c->rows; r++) {
        double size = at->phi_size[r];
        for (size_t i = 0; i < n; i++) size += fabs(c->K[(n + r) * N + i] * c->v[i]);
        if (!(fabs(c->b[n + r]) <= ROUNDED * size + DBL_MIN)) return false;
    }
    return true;
}

int actio_corner_follow(struct actio_motion *m, const struct actio_side *from, struct actio_side *at, double t)
{
    struct actio_corner *c = m->corner;
    size_t n = c->n, N = n + c->rows;
    for (int round = 0; round < ROUNDS; round++) {
        double defect, speed = c->speed, step = 0, size = 0;
        memcpy(c->y + n, c->v, n * sizeof *c->v);
        const double *values;
        if (read_side(m, t, c->y, at) || !(values = actio_motion_values(m, t, c->y))) return 1;
        form_balance(m, c, from, at, values);
        note_powers(c);
        bool balanced = round > 2 && is_balanced(c, from, at);
        for (size_t i = 0; i < n; i++) size = fmax(size, fmax(from->p_size[i], at->p_size[i]));
        for (size_t r = 0; r < c->rows; r++) size = fmax(size, at->phi_size[r]);
        actio_min_norm(N, N, c->K, c->b, 1e-12, c->x, &defect, c->work, c->iwork);
        if (!(defect <= FITS * size + DBL_MIN)) return 1;
        for (size_t i = 0; i < n; i++) {
            c->v[i] += c->x[i];
            step = fmax(step, fabs(c->x[i]));
            speed = fmax(speed, fabs(c->v[i]));
        }
        memcpy(c->sigma, c->x + n, c->rows * sizeof *c->sigma);
        if (!isfinite(step)) return 1;
        if (balanced || step <= CLOSE * speed || (round > 2 && step <= 64 * CLOSE * speed)) break;
        if (round + 1 == ROUNDS) return step > 1e-12 * speed;
    }
    memcpy(c->y + n, c->v, n * sizeof *c->v);
    return read_side(m, t, c->y, at) != ACTIO_FLOW_OK;
}

static double rate_behind(const struct actio_corner *c) { return actio_dot(c->n, c->gradient, c->v) + c->drift; }

/* F(nu) = E+ - E- + nu dPhi/dt + sigma a */
static double excess(const struct actio_corner *c, const struct actio_side *from, const struct actio_side *at)
{
    double sum = at->E - from->E + c->nu * c->drift;
    for (size_t r = 0; r < c->rows; r++) sum -= c->sigma[r] * c->Dv[r];
    return sum;
}

/* ---- crossing, or reflection */

enum found { CROSSES, NO_WAY, FAILS };

/* Where the motion would stay on the surface: by secants, one where momenta are linear. 0, or 1. */
static int to_surface(struct actio_motion *m, struct actio_corner *c, const struct actio_side *from,
                      struct actio_side *at, double t, double *softness)
{
    double nu = c->nu, rate = rate_behind(c), scale = fabs(rate) + fabs(c->drift), size = 0, push = 0;
    for (size_t i = 0; i < c->n; i++) {
        size = fmax(size, fabs(c->gradient[i]));
        push = fmax(push, fmax(from->p_size[i], at->p_size[i]));
    }
    double step = push > 0 && size > 0 ? push / size : 1;
    for (int round = 0; round < ROUNDS; round++) {
        c->nu = nu + step;
        if (actio_corner_follow(m, from, at, t)) return 1;
        double next = rate_behind(c), slope = (next - rate) / step;
        bool same = !(fabs(next - rate) > UNMOVED * (scale + fabs(next)));
        if (same && round) break; /* no nearer to it than rounding */
        if (same) {               /* constraints decide how Phi moves */
            *softness = 0;
            return 0;
        }
        *softness = slope;
        nu = c->nu;
        rate = next;
        if (fabs(rate) <= 1e-14 * (scale + fabs(slope * step))) return 0;
        step = -rate / slope;
    }
    return fabs(rate) > 1e-9 * scale;
}

/* The root of F on the side where Phi moves `way`. */
static enum found pass(struct actio_motion *m, struct actio_corner *c, const struct actio_side *from,
                       struct actio_side *at, double t, int way)
{
    double softness = 0;
    c->nu = 0;
    if (actio_corner_follow(m, from, at, t)) return FAILS;
    if (to_surface(m, c, from, at, t, &softness)) return FAILS;
    if (softness == 0) {
        c->nu = 0;
        return actio_corner_follow(m, from, at, t) ? FAILS : rate_behind(c) * way > 0 ? CROSSES : NO_WAY;
    }
    if (!(softness > 0)) return FAILS;
    double least = excess(c, from, at), size = from->E_size + at->E_size;
    if (!(least < -1e-13 * size)) return NO_WAY;
    c->nu += way * sqrt(-2 * least / softness);
    for (int round = 0; round < ROUNDS; round++) {
        if (actio_corner_follow(m, from, at, t)) return FAILS;
        double off = excess(c, from, at), rate = rate_behind(c);
        if (!(rate * way > 0)) return FAILS;
        if (fabs(off) <= 4e-16 * size) return CROSSES;
        c->nu -= off / rate;
    }
    return fabs(excess(c, from, at)) <= 1e-13 * size ? CROSSES : FAILS;
}

/* Dependent rows that are met on one side of the switch only: it is they that end the motion. */
static int rows_disagree(struct actio_motion *m)
{
    m->halted.why = ACTIO_STOP_CONTRADICTION;
    for (size_t j = m->p; j-- > 0;)
        if (!m->rows.unique[j]) m->halted.by = j;
    return ACTIO_FLOW_FAILED;
}

static int corner_stop(struct actio_motion *m, size_t by, int why)
{
    if (why == ACTIO_STOP_CORNER && m->rows.rank < m->p) return rows_disagree(m);
    m->halted.by = by;
    m->halted.why = why;
    return ACTIO_FLOW_FAILED;
}

/* L jumps, or the gradient of a holonomic row does: energy decides between passing and reflection. */
static int refract(struct actio_motion *m, struct actio_corner *c, size_t k, double t)
{
    int way = rate_behind(c) > 0 ? 1 : -1;
    struct actio_side spare = c->new;
    enum found found = pass(m, c, &c->old, &spare, t, way);
    if (found == NO_WAY) {
        actio_corner_undo(m);
        found = pass(m, c, &c->old, &spare, t, -way);
    }
    if (found != CROSSES) return corner_stop(m, k, ACTIO_STOP_CORNER);
    return actio_corner_turns_rows(m, t) ? corner_stop(m, k, ACTIO_STOP_CURVED_ROW) : ACTIO_FLOW_OK;
}

int actio_corner_rank(struct actio_motion *m, double t, const double *y)
{
    const double *values = actio_motion_values(m, t, y);
    if (!values) return actio_motion_note_bad(m);
    actio_saddle_expect_rank(m->saddle, m->p);
    actio_saddle_factor(m->saddle, values);
    size_t rank = actio_saddle_rank(m->saddle, m->rows.unique_here);
    actio_saddle_expect_rank(m->saddle, rank);
    for (size_t i = 0; i < m->p; i++) m->rows.unique[i] &= m->rows.unique_here[i];
    m->rows.rank = rank;
    m->rows.numeric = true;
    return ACTIO_FLOW_OK;
}

bool actio_corner_rank_varies(const struct actio_motion *m) { return m->corner && m->corner->varies; }

int actio_corner_resume(struct actio_motion *m, double t, const double *y)
{
    const double *values = m->corner && m->p ? actio_motion_values(m, t, y) : NULL;
    if (!m->corner || !m->p) return ACTIO_FLOW_OK;
    if (!values) return actio_motion_note_bad(m);
    actio_saddle_factor(m->saddle, values);
    if (!m->corner->varies && actio_saddle_rank(m->saddle, NULL) == m->rows.rank) return ACTIO_FLOW_OK;
    m->corner->varies = true;
    return actio_corner_rank(m, t, y);
}

/* Constraints that appear or vanish. The rank of many a way to compute is that of the start. */
static int check_rank(struct actio_motion *m, size_t k, double t, const double *y, bool *turned)
{
    if (m->p == 0) return ACTIO_FLOW_OK;
    const double *values = actio_motion_values(m, t, y);
    if (!values) return actio_motion_note_bad(m);
    actio_saddle_factor(m->saddle, values);
    if (actio_saddle_rank(m->saddle, NULL) == m->rows.rank) return ACTIO_FLOW_OK;
    if (m->rows.fixed || (m->obeys.law && !m->obeys.law->any_rank)) return corner_stop(m, k, ACTIO_STOP_RANK_SWITCHES);
    *turned = m->corner->varies = true;
    return actio_corner_rank(m, t, y);
}

/* Velocity rows that jump: of several velocities behind those of least change. */
static int impose(struct actio_motion *m, size_t k, double t)
{
    struct actio_side spare = m->corner->new;
    size_t found = actio_corner_nearest(m, &m->corner->old, &spare, t);
    m->halted.count = found;
    return found == 1 ? ACTIO_FLOW_OK : corner_stop(m, k, found ? ACTIO_STOP_SEVERAL : ACTIO_STOP_CORNER);
}

static int turn_velocities(struct actio_motion *m, size_t k, double t, double *y, bool *turned)
{
    struct actio_corner *c = m->corner;
    memcpy(c->before, y + c->n, c->n * sizeof *y);
    if (memcmp(c->mode, m->here.mode, m->sys->switches.count * sizeof(double)) == 0) return ACTIO_FLOW_OK;
    memcpy(c->after, m->here.mode, m->sys->switches.count * sizeof(double));
    set_modes(m, c->mode);
    int status = read_side(m, t, y, &c->old);
    if (!status) read_switch(m, c, k, t, y);
    set_modes(m, c->after);
    if (!status) status = read_side(m, t, y, &c->new);
    if (status) return actio_motion_note_bad(m);
    size_t broken = broken_row(m, c);
    if (broken < m->p)
        return corner_stop(m, broken,
                           m->sys->switches.by_time[k] ? ACTIO_STOP_ROW_JUMPS_ON_TIME : ACTIO_STOP_ROW_JUMPS);
    struct jump j = look(m, c);
    settle_integrable(m, c, t, y, &j);
    if (!j.lagrangian && !j.holonomic && !j.velocity) return ACTIO_FLOW_OK;
    bool turns = j.lagrangian || j.holonomic;
    *turned = true;
    if (!m->sys->is.plain) return corner_stop(m, k, ACTIO_STOP_NO_RULE);
    if (turns && c->by_v) return corner_stop(m, k, ACTIO_STOP_CORNER);
    if (turns && j.velocity && c->by_q) return corner_stop(m, k, ACTIO_STOP_TWO_RULES);
    memcpy(c->y, y, m->ny * sizeof *y);
    memcpy(c->v, y + c->n, c->n * sizeof *y);
    c->nu = 0;
    c->speed = 0;
    for (size_t i = 0; i < c->n; i++) c->speed = fmax(c->speed, fabs(c->v[i]));
    struct actio_side spare = c->new;
    if (turns && c->by_q) status = refract(m, c, k, t);
    else if (j.velocity && !turns) status = impose(m, k, t);
    else if (actio_corner_follow(m, &c->old, &spare, t)) status = corner_stop(m, k, ACTIO_STOP_CORNER);
    if (!status) memcpy(y + c->n, c->v, c->n * sizeof *y);
    return status;
}

int actio_corner_repeat(struct actio_motion *m, size_t k, double t, double *y)
{
    bool turned;
    set_modes(m, m->corner->after);
    return turn_velocities(m, k, t, y, &turned);
}

int actio_corner_turn(struct actio_motion *m, size_t k, double t, double *y, bool *turned)
{
    *turned = false;
    if (!m->corner) return ACTIO_FLOW_OK;
    struct actio_corner *c = m->corner;
    int status = turn_velocities(m, k, t, y, turned);
    if (!status) status = check_rank(m, k, t, y, turned);
    if (*turned) m->obeys.based = false; /* a frame has the rows of the side before */
    if (status != ACTIO_FLOW_FAILED) return status;
    actio_corner_undo(m); /* it ends before the switch */
    memcpy(y + c->n, c->before, c->n * sizeof *y);
    return status;
}

/* ---- instants */

static void set_all_modes(struct actio_motion *m, const double *mode)
{
    memcpy(m->here.mode, mode, actio_system_modes(m->sys) * sizeof *mode);
}

/* Nothing is left of the time between: momenta and the impulses of rows only. */
int actio_corner_jump(struct actio_motion *m, double t, double *y, const double *before, const double *after)
{
    struct actio_corner *c = m->corner;
    bool turned = false;
    if (!c) return ACTIO_FLOW_OK;
    set_all_modes(m, before);
    int status = read_side(m, t, y, &c->old);
    set_all_modes(m, after);
    if (!status) status = read_side(m, t, y, &c->new);
    if (status) return actio_motion_note_bad(m);
    struct jump j = look(m, c);
    m->obeys.based = false;
    if (!j.lagrangian && !j.holonomic && !j.velocity) return check_rank(m, 0, t, y, &turned);
    if (!m->sys->is.plain) return corner_stop(m, m->sys->switches.count, ACTIO_STOP_CORNER);
    memcpy(c->y, y, m->ny * sizeof *y);
    memcpy(c->v, y + c->n, c->n * sizeof *y);
    c->nu = c->speed = 0;
    for (size_t i = 0; i < c->n; i++) c->speed = fmax(c->speed, fabs(c->v[i]));
    memset(c->gradient, 0, c->n * sizeof *c->gradient);
    struct actio_side spare = c->new;
    if (actio_corner_follow(m, &c->old, &spare, t)) return corner_stop(m, m->sys->switches.count, ACTIO_STOP_CORNER);
    memcpy(y + c->n, c->v, c->n * sizeof *y);
    return check_rank(m, 0, t, y, &turned);
}

/* SPDX-License-Identifier: Apache-2.0
 * Multiple shooting for data at several times. Unknowns are directions along the manifold of the constraints at each
 * node; equations are what arcs miss the next node by, fixed data at the start, and the conditions. */
#include "solve/arcs.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

enum {
    FIRST_ARCS = 4,
    MOST_UNKNOWNS = 1500,
    MOST_ITERATIONS = 60,
    MOST_HALVINGS = 10,
    MOST_PARTS = 200,
    BALANCING = 4
};
#define STRETCHED 1e3 /* so much may an arc magnify */
#define STAGNANT 1e-8
#define DEPENDENT 1e-9 /* what is left of a unit vector */
#define SHORTEST 1e-12 /* of the interval */
#define FIRST_PART 0.1 /* of the way to the conditions */
#define LEAST_PART 1e-4

/* ---- room */

static void arcs_forget(struct actio_arcs *a)
{
    actio_free(a->ctx, a->block);
    actio_free(a->ctx, a->pivot);
    a->block = NULL;
    a->pivot = NULL;
}

/* Everything for this number of nodes; their times and states stay. 0, or 1: too many, or no memory. */
static int arcs_room(struct actio_arcs *a, size_t nodes)
{
    size_t ny = a->ny, d = a->d, all = nodes * d;
    if (all > MOST_UNKNOWNS) return 1;
    double **part[] = { &a->t, &a->y,  &a->Q,     &a->end,    &a->Phi, &a->stretch,
                        &a->r, &a->xi, &a->slope, &a->before, &a->A,   &a->scratch };
    const size_t length[] = { nodes, nodes * ny, nodes * ny * d, nodes * ny, nodes * d * d, nodes, all,
                              all,   ny,         nodes * ny,     all * all,  ny * (d + 2) };
    size_t sum = 0;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) sum += length[i] + 1;
    double *block = actio_alloc(a->ctx, sum, sizeof *block), *p = block;
    int *pivot = actio_alloc(a->ctx, all + 1, sizeof *pivot);
    if (!block || !pivot) {
        actio_free(a->ctx, block);
        actio_free(a->ctx, pivot);
        return 1;
    }
    const double *t = a->t, *y = a->y;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
        *part[i] = p;
        p += length[i] + 1;
    }
    if (a->nodes) {
        memcpy(a->t, t, a->nodes * sizeof *t);
        memcpy(a->y, y, a->nodes * ny * sizeof *y);
    }
    arcs_forget(a);
    a->block = block;
    a->pivot = pivot;
    return 0;
}

/* A node between node i and the next. 0, or 1. */
static int arcs_insert(struct actio_arcs *a, size_t i, double t, const double *y)
{
    size_t ny = a->ny, after = a->nodes - i - 1;
    double *kept = actio_alloc(a->ctx, ny + 1, sizeof *kept);
    if (!kept) return 1;
    memcpy(kept, y, ny * sizeof *y);
    int bad = arcs_room(a, a->nodes + 1);
    if (!bad) {
        memmove(a->t + i + 2, a->t + i + 1, after * sizeof *a->t);
        memmove(a->y + (i + 2) * ny, a->y + (i + 1) * ny, after * ny * sizeof *a->y);
        a->t[i + 1] = t;
        memcpy(a->y + (i + 1) * ny, kept, ny * sizeof *kept);
        a->nodes++;
    }
    actio_free(a->ctx, kept);
    return bad;
}

static bool is_later(const struct actio_arcs *a, double t, double than)
{
    return a->data.t1 < a->data.t0 ? t < than : t > than;
}

/* Nodes at the start, at conditions and at the end, and some between these. */
static int first_nodes(struct actio_arcs *a)
{
    const struct actio_arcs_data *x = &a->data;
    if (arcs_room(a, 2)) return 1;
    a->nodes = 2;
    a->t[0] = x->t0;
    a->t[1] = x->t1;
    for (size_t k = 0; k < x->conditions; k++) {
        size_t i = 0;
        while (i + 1 < a->nodes && !is_later(a, a->t[i], x->when[k]) && a->t[i] != x->when[k]) i++;
        if (a->t[i] != x->when[k] && arcs_insert(a, i - 1, x->when[k], a->y)) return 1;
    }
    for (size_t i = 0; i + 1 < a->nodes; i += FIRST_ARCS)
        for (size_t k = 1; k < FIRST_ARCS; k++) {
            double from = a->t[i + k - 1], to = a->t[i + k];
            if (arcs_insert(a, i + k - 1, from + (to - from) / (double)(FIRST_ARCS - k + 1), a->y)) return 1;
        }
    for (size_t i = 0; i < a->nodes; i++) {
        if (x->guess(x->user, a->t[i], a->y + i * a->ny)) return 1;
        if (a->o.rows && actio_motion_project(a->m, a->t[i], a->y + i * a->ny)) return 1;
    }
    a->guessed = true;
    return 0;
}

static void arcs_sizes(struct actio_arcs *a)
{
    size_t ny = a->ny;
    double *range = a->scratch, *value = range + ny;
    for (size_t k = 0; k < ny; k++) {
        double low = a->y[k], high = low;
        for (size_t i = 1; i < a->nodes; i++) {
            low = fmin(low, a->y[i * ny + k]);
            high = fmax(high, a->y[i * ny + k]);
        }
        range[k] = high - low;
        value[k] = fmax(fabs(low), fabs(high));
    }
    actio_orbit_sizes(&a->o, range, value, fabs(a->data.t1 - a->data.t0));
}

int actio_arcs_open(struct actio_arcs *a, struct actio_context *ctx, struct actio_motion *m,
                    const struct actio_arcs_data *data)
{
    *a = (struct actio_arcs){ .ctx = ctx, .m = m, .ny = m->ny, .data = *data };
    if (actio_orbit_open(&a->o, ctx, m, data->t0, data->start)) return 1;
    a->d = a->o.d;
    if (a->d == 0 || first_nodes(a)) return 1;
    arcs_sizes(a);
    return 0;
}

void actio_arcs_close(struct actio_arcs *a)
{
    if (!a->ctx) return;
    arcs_forget(a);
    actio_orbit_close(&a->o);
    a->ctx = NULL;
}

/* ---- arcs */

static void along(const struct actio_arcs *a, size_t node, const double *v, size_t stride, double *to, size_t to_stride)
{
    const double *Q = a->Q + node * a->ny * a->d;
    for (size_t j = 0; j < a->d; j++) {
        double sum = 0;
        for (size_t k = 0; k < a->ny; k++) sum += Q[k * a->d + j] * v[k * stride] / a->o.scale[k];
        to[j * to_stride] = sum;
    }
}

/* The norm of A (d x d, destroyed) in components of the sizes that make it least: what grows, whatever is measured in
 * what. */
static double balanced_norm(size_t d, double *A)
{
    for (int round = 0; round < BALANCING; round++)
        for (size_t j = 0; j < d; j++) {
            double row = 0, column = 0;
            for (size_t k = 0; k < d; k++) {
                if (k == j) continue;
                row = hypot(row, A[j * d + k]);
                column = hypot(column, A[k * d + j]);
            }
            double f = row > 0 && column > 0 ? sqrt(row / column) : 1;
            if (!isfinite(f) || f == 0) continue;
            for (size_t k = 0; k < d; k++) {
                A[k * d + j] *= f;
                A[j * d + k] /= f;
            }
        }
    return actio_norm(d * d, A);
}

static int arcs_go(struct actio_arcs *a, size_t i, double local)
{
    size_t ny = a->ny, d = a->d;
    double *end = a->end + i * ny, *X = a->scratch, *gap = X + ny * d;
    const double *Q = a->Q + i * ny * d;
    memcpy(end, a->y + i * ny, ny * sizeof *end);
    for (size_t k = 0; k < ny; k++)
        for (size_t j = 0; j < d; j++) X[k * d + j] = a->o.scale[k] * Q[k * d + j];
    int bad = actio_tangent_go(&a->o.x, a->t[i], a->t[i + 1], end, X, d, local);
    if (bad) return bad;
    for (size_t j = 0; j < d; j++) along(a, i + 1, X + j, d, a->Phi + i * d * d + j, d);
    for (size_t k = 0; k < ny; k++) gap[k] = end[k] - a->y[(i + 1) * ny + k];
    along(a, i + 1, gap, 1, a->r + i * d, 1);
    memcpy(X, a->Phi + i * d * d, d * d * sizeof *X);
    a->stretch[i] = balanced_norm(d, X);
    for (size_t j = 0; j < d; j++) a->residual = fmax(a->residual, fabs(a->r[i * d + j]));
    return isfinite(a->stretch[i]) && isfinite(a->residual) ? 0 : ACTIO_FLOW_NAN;
}

static int arcs_directions(struct actio_arcs *a)
{
    for (size_t i = 0; i < a->nodes; i++)
        if (actio_orbit_directions(&a->o, a->t[i], a->y + i * a->ny, a->Q + i * a->ny * a->d, NULL))
            return ACTIO_FLOW_SINGULAR;
    return 0;
}

/* The state between node i and the next: the guess, or where the arc passes. A status. */
static int split(struct actio_arcs *a, size_t i, double local)
{
    double t = 0.5 * (a->t[i] + a->t[i + 1]), *y = a->scratch;
    if (fabs(a->t[i + 1] - a->t[i]) < SHORTEST * fabs(a->data.t1 - a->data.t0)) return -1;
    memcpy(y, a->y + i * a->ny, a->ny * sizeof *y);
    int bad = 0;
    if (a->guessed) {
        bad = a->data.guess(a->data.user, t, y) ? -1 : 0;
        if (!bad && a->o.rows) bad = actio_motion_project(a->m, t, y);
    } else bad = actio_tangent_go(&a->o.x, a->t[i], t, y, NULL, 0, local);
    if (!bad && arcs_insert(a, i, t, y)) bad = -1;
    return bad;
}

/* Nodes where arcs fail or magnify too much. A status, or -1. */
static int arcs_split(struct actio_arcs *a, double local)
{
    size_t ny = a->ny, d = a->d;
    actio_tangent_rewind(&a->o.x);
    for (size_t i = 0; i + 1 < a->nodes;) {
        int bad = actio_stopped(a->ctx) ? ACTIO_FLOW_STOPPED : 0;
        for (size_t k = i; k < i + 2 && !bad; k++)
            if (actio_orbit_directions(&a->o, a->t[k], a->y + k * ny, a->Q + k * ny * d, NULL))
                bad = ACTIO_FLOW_SINGULAR;
        if (bad) return bad;
        bad = arcs_go(a, i, local);
        if (bad && !a->guessed) return bad;
        if (!bad && a->stretch[i] <= STRETCHED) {
            i++;
            continue;
        }
        bad = split(a, i, local);
        if (bad) return bad;
    }
    return 0;
}

/* All arcs with their derivatives. A status. */
static int arcs_linearise(struct actio_arcs *a, double local)
{
    a->residual = 0;
    int bad = arcs_directions(a);
    actio_tangent_rewind(&a->o.x);
    for (size_t i = 0; i + 1 < a->nodes && !bad; i++) {
        bad = arcs_go(a, i, local);
        if (actio_stopped(a->ctx)) bad = ACTIO_FLOW_STOPPED;
    }
    return bad;
}

static bool are_long(const struct actio_arcs *a)
{
    for (size_t i = 0; i + 1 < a->nodes; i++)
        if (a->stretch[i] > STRETCHED) return true;
    return false;
}

/* ---- Newton's method */

static size_t node_at(const struct actio_arcs *a, double t)
{
    size_t i = 0;
    while (i + 1 < a->nodes && a->t[i] != t) i++;
    return i;
}

/* Row `row`: `slope` by the state at a node, beside its size; its right side. */
static void put_row(struct actio_arcs *a, size_t row, size_t node, const double *slope, double off)
{
    size_t all = a->nodes * a->d, d = a->d;
    double *to = a->A + row * all + node * d, most = 0;
    for (size_t k = 0; k < a->ny; k++) most = fmax(most, fabs(slope[k]) * a->o.scale[k]);
    if (!(most > 0)) most = 1;
    const double *Q = a->Q + node * a->ny * d;
    for (size_t j = 0; j < d; j++) {
        to[j] = 0;
        for (size_t k = 0; k < a->ny; k++) to[j] += slope[k] * a->o.scale[k] / most * Q[k * d + j];
    }
    a->xi[row] = -off / most;
    a->residual = fmax(a->residual, fabs(off / most));
}

/* Rows of the fixed data, as many as there is room for: where constraints make some follow from the others, those that
 * are the most independent. The next row. */
static size_t put_fixed(struct actio_arcs *a, size_t wanted)
{
    size_t ny = a->ny, d = a->d, row = 0;
    double *left = a->scratch; /* of each row of Q beside those that are taken */
    memcpy(left, a->Q, ny * d * sizeof *left);
    while (row < wanted) {
        size_t best = ny;
        double most = 0;
        for (size_t k = 0; k < ny; k++) {
            double size = a->data.fixed[k] ? actio_norm(d, left + k * d) : 0;
            if (!(size > most)) continue;
            most = size;
            best = k;
        }
        if (!(most > DEPENDENT)) break;
        memset(a->slope, 0, ny * sizeof *a->slope);
        a->slope[best] = 1;
        put_row(a, row++, 0, a->slope, a->y[best] - a->data.start[best]);
        double *taken = left + ny * d;
        for (size_t j = 0; j < d; j++) taken[j] = left[best * d + j] / most;
        for (size_t k = 0; k < ny; k++) {
            double part = actio_dot(d, left + k * d, taken);
            for (size_t j = 0; j < d; j++) left[k * d + j] -= part * taken[j];
        }
        memset(left + best * d, 0, d * sizeof *left);
    }
    return row;
}

/* The matrix and its right side. How many rows, or 0: a condition has no number. */
static size_t put_all(struct actio_arcs *a)
{
    size_t d = a->d, all = a->nodes * d, row;
    memset(a->A, 0, all * all * sizeof *a->A);
    row = put_fixed(a, d > a->data.conditions ? d - a->data.conditions : 0);
    for (size_t c = 0; c < a->data.conditions && row < all; c++) {
        size_t node = node_at(a, a->data.when[c]);
        double off;
        if (a->data.miss(a->data.user, c, a->y + node * a->ny, &off, a->slope)) return 0;
        if (a->behind > 0) off -= a->behind * a->data.off[c];
        put_row(a, row++, node, a->slope, off);
    }
    for (size_t i = 0; i + 1 < a->nodes; i++)
        for (size_t j = 0; j < d && row < all; j++, row++) {
            memcpy(a->A + row * all + i * d, a->Phi + i * d * d + j * d, d * sizeof *a->A);
            a->A[row * all + (i + 1) * d + j] = -1;
            a->xi[row] = -a->r[i * d + j];
        }
    return row;
}

/* The step into xi; its size, or INFINITY: there is none. */
static double arcs_step(struct actio_arcs *a)
{
    size_t all = a->nodes * a->d;
    double most = 0;
    if (put_all(a) != all || actio_lu_factor(all, a->A, a->pivot)) return INFINITY;
    actio_lu_solve(all, a->A, a->pivot, a->xi, 1, false);
    for (size_t k = 0; k < all; k++) most = fmax(most, fabs(a->xi[k]));
    return isfinite(most) ? most : INFINITY;
}

static int arcs_move(struct actio_arcs *a, const double *xi, double part)
{
    int bad = 0;
    for (size_t i = 0; i < a->nodes && !bad; i++) {
        double *y = a->y + i * a->ny;
        const double *Q = a->Q + i * a->ny * a->d;
        for (size_t k = 0; k < a->ny; k++)
            y[k] = a->before[i * a->ny + k] + part * a->o.scale[k] * actio_dot(a->d, Q + k * a->d, xi + i * a->d);
        if (a->o.rows) bad = actio_motion_project(a->m, a->t[i], y);
    }
    return bad;
}

/* One step, halved until the residual or the next step is smaller. 0; -1: no part helps; or a status. *size: of the
 * next step, which is in xi. */
static int arcs_descend(struct actio_arcs *a, double local, double *size)
{
    size_t all = a->nodes * a->d, basis = a->nodes * a->ny * a->d;
    double *tried = actio_alloc(a->ctx, all + basis + 1, sizeof *tried), old = a->residual, was = *size, part = 1;
    if (!tried) return ACTIO_MARCH_NO_MEMORY;
    memcpy(tried, a->xi, all * sizeof *tried);
    memcpy(tried + all, a->Q, basis * sizeof *tried);
    memcpy(a->before, a->y, a->nodes * a->ny * sizeof *a->y);
    int bad = -1;
    for (int i = 0; i < MOST_HALVINGS && bad && bad != ACTIO_FLOW_STOPPED; i++, part /= 2) {
        memcpy(a->Q, tried + all, basis * sizeof *tried);
        bad = arcs_move(a, tried, part);
        if (!bad) bad = arcs_linearise(a, local);
        if (bad) continue;
        *size = arcs_step(a);
        bool better = isfinite(*size) && (a->residual <= (1 - part / 4) * old || *size <= (1 - part / 4) * was);
        if (!better) bad = -1;
    }
    if (bad) memcpy(a->y, a->before, a->nodes * a->ny * sizeof *a->y);
    actio_free(a->ctx, tried);
    return bad;
}

/* Directions, arcs and step where the nodes are. A status, or -1. */
static int arcs_look(struct actio_arcs *a, double local, double *size)
{
    int bad = a->guessed ? arcs_split(a, local) : 0;
    if (!bad) bad = arcs_linearise(a, local);
    if (!bad && are_long(a)) {
        bad = arcs_split(a, local);
        if (!bad) bad = arcs_linearise(a, local);
    }
    *size = bad ? INFINITY : arcs_step(a);
    return bad ? bad : isfinite(*size) ? 0 : -1;
}

int actio_arcs_solve(struct actio_arcs *a, double local)
{
    double size, last = INFINITY, enough = fmax(10 * local, 1e-13);
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        int bad = arcs_look(a, local, &size);
        if (bad) return bad;
        a->iterations++;
        a->step = size;
        if (size <= enough || (size <= STAGNANT && size > 0.25 * last)) {
            memcpy(a->before, a->y, a->nodes * a->ny * sizeof *a->y);
            bad = arcs_move(a, a->xi, 1);
            arcs_sizes(a);
            return bad;
        }
        last = size;
        bad = arcs_descend(a, local, &size);
        a->guessed = false;
        if (bad == -1 && last <= STAGNANT) return 0;
        if (bad) return bad;
    }
    return -1;
}

/* ---- conditions that are approached */

struct kept {
    double *t, *y;
    size_t nodes;
};

static int keep(struct actio_arcs *a, struct kept *k)
{
    double *t = actio_alloc(a->ctx, a->nodes * (a->ny + 1) + 1, sizeof *t);
    if (!t) return 1;
    actio_free(a->ctx, k->t);
    *k = (struct kept){ t, t + a->nodes, a->nodes };
    memcpy(k->t, a->t, a->nodes * sizeof *t);
    memcpy(k->y, a->y, a->nodes * a->ny * sizeof *t);
    return 0;
}

static int go_back(struct actio_arcs *a, const struct kept *k)
{
    a->nodes = 0;
    if (arcs_room(a, k->nodes)) return 1;
    a->nodes = k->nodes;
    memcpy(a->t, k->t, a->nodes * sizeof *a->t);
    memcpy(a->y, k->y, a->nodes * a->ny * sizeof *a->y);
    return 0;
}

int actio_arcs_approach(struct actio_arcs *a, double local)
{
    struct kept kept = { 0 };
    double part = 1, step = FIRST_PART;
    for (size_t c = 0; c < a->data.conditions; c++)
        if (a->data.miss(a->data.user, c, actio_arcs_state(a, a->data.when[c]), &a->data.off[c], a->slope)) return -1;
    int bad = keep(a, &kept) ? ACTIO_MARCH_NO_MEMORY : 0;
    for (int i = 0; i < MOST_PARTS && part > 0 && !bad; i++) {
        a->behind = fmax(part - step, 0);
        bad = actio_arcs_solve(a, local);
        if (bad == ACTIO_FLOW_STOPPED || bad == ACTIO_MARCH_NO_MEMORY) break;
        if (bad) {
            step /= 4;
            bad = step < LEAST_PART ? -1 : go_back(a, &kept) ? ACTIO_MARCH_NO_MEMORY : 0;
            continue;
        }
        part = a->behind;
        step *= 2;
        bad = keep(a, &kept) ? ACTIO_MARCH_NO_MEMORY : 0;
    }
    a->behind = 0;
    actio_free(a->ctx, kept.t);
    return bad ? bad : part > 0 ? -1 : 0;
}

const double *actio_arcs_state(const struct actio_arcs *a, double t) { return a->y + node_at(a, t) * a->ny; }

double actio_arcs_growth(struct actio_arcs *a)
{
    size_t d = a->d, dd = d * d;
    double *M = a->A, *next = M + dd, sum = 0; /* of the step: more than enough */
    memset(M, 0, dd * sizeof *M);
    for (size_t j = 0; j < d; j++) M[j * d + j] = 1;
    for (size_t i = 0; i + 1 < a->nodes; i++) {
        const double *Phi = a->Phi + i * dd;
        double size = 0;
        for (size_t e = 0; e < dd; e++) {
            next[e] = 0;
            for (size_t k = 0; k < d; k++) next[e] += Phi[e / d * d + k] * M[k * d + e % d];
            size = fmax(size, fabs(next[e]));
        }
        if (!(size > 0)) return 0;
        sum += log10(size);
        for (size_t e = 0; e < dd; e++) M[e] = next[e] / size;
    }
    return fmax(0, sum + log10(balanced_norm(d, M)));
}

int actio_arcs_sample(struct actio_arcs *a, const double *times, size_t count, double *y, double local)
{
    size_t ny = a->ny, r = 0;
    int status = 0;
    double *part = actio_alloc(a->ctx, count * ny + 1, sizeof *part);
    if (!part) return ACTIO_MARCH_NO_MEMORY;
    actio_tangent_rewind(&a->o.x);
    for (size_t i = 0; i + 1 < a->nodes && !status; i++) {
        size_t first = r;
        while (r < count && (is_later(a, a->t[i + 1], times[r]) || i + 2 == a->nodes)) r++;
        for (; first < r && times[first] == a->t[i]; first++)
            for (size_t j = 0; j < ny; j++) y[j * count + first] = a->y[i * ny + j];
        if (r == first) continue;
        size_t got =
            actio_tangent_sample(&a->o.x, a->t[i], a->y + i * ny, times + first, r - first, part, local, &status);
        for (size_t k = 0; k < got; k++)
            for (size_t j = 0; j < ny; j++) y[j * count + first + k] = part[j * (r - first) + k];
    }
    actio_free(a->ctx, part);
    return status;
}

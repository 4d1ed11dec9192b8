/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/adjoint.h"
#include "algebra/dense.h"

#include <math.h>
#include <string.h>

/* ---- the tape */

static bool make_room(struct actio_tape *tape)
{
    if (tape->slabs < tape->cap) return true;
    size_t cap = tape->cap ? 2 * tape->cap : 256;
    struct actio_tape_slab *slab = actio_alloc_raw(tape->ctx, cap, sizeof *slab);
    double *kept =
        cap < SIZE_MAX / 64 / (tape->width + 1) ? actio_alloc_raw(tape->ctx, cap * tape->width, sizeof *kept) : NULL;
    if (!slab || !kept) {
        actio_free(tape->ctx, slab);
        actio_free(tape->ctx, kept);
        return false;
    }
    if (tape->slabs) {
        memcpy(slab, tape->slab, tape->slabs * sizeof *slab);
        memcpy(kept, tape->kept, tape->slabs * tape->width * sizeof *kept);
    }
    actio_free(tape->ctx, tape->slab);
    actio_free(tape->ctx, tape->kept);
    tape->slab = slab;
    tape->kept = kept;
    tape->cap = cap;
    return true;
}

void actio_tape_note(struct actio_tape *tape, const struct actio_slab *s)
{
    const struct actio_points *pt = &s->pt;
    if (tape->full || !make_room(tape)) {
        tape->full = true;
        return;
    }
    double *to = tape->kept + tape->slabs * tape->width;
    tape->slab[tape->slabs++] = (struct actio_tape_slab){ s->t, s->h };
    memcpy(to, s->x0, pt->nx * sizeof *to);
    memcpy(to + pt->nx, s->P0, pt->n * sizeof *to);
    memcpy(to + pt->nx + pt->n, pt->z, pt->nz * pt->lanes * sizeof *to);
}

void actio_tape_close(struct actio_tape *tape)
{
    if (!tape->ctx) return;
    actio_free(tape->ctx, tape->slab);
    actio_free(tape->ctx, tape->kept);
    *tape = (struct actio_tape){ 0 };
}

/* The slab as it was, linearised and factored. */
static int play(struct actio_adjoint *a, size_t k)
{
    struct actio_slab *s = a->slab;
    struct actio_points *pt = &s->pt;
    const double *from = a->tape.kept + k * a->tape.width;
    s->t = a->tape.slab[k].t;
    memcpy(s->x0, from, pt->nx * sizeof *from);
    memcpy(s->P0, from + pt->nx, pt->n * sizeof *from);
    memcpy(pt->z, from + pt->nx + pt->n, pt->nz * pt->lanes * sizeof *from);
    memset(s->lost, 0, (pt->nx + pt->n) * sizeof *s->lost);
    for (size_t l = 0; l < pt->lanes; l++) pt->t[l] = s->t + s->e->c[l] * a->tape.slab[k].h;
    actio_slab_move(s, a->tape.slab[k].h);
    return actio_slab_factor(s) || actio_points_params(pt, pt->lanes);
}

/* ---- backwards through a slab */

static size_t force_rows(const struct actio_points *pt, size_t row) { return row - pt->n; }

/* y += weight_l * (d F_l)', through z and through x; ax and params likewise. */
static void add_force(struct actio_adjoint *a, const double *aP, double *ax, double *dparam)
{
    const struct actio_slab *s = a->slab;
    const struct actio_points *pt = &s->pt;
    const struct actio_places *at = &pt->sys->jets.points, *by = &pt->sys->jets.params;
    size_t lanes = pt->lanes, nz = pt->nz;
    for (size_t i = 0; i < at->count; i++) {
        if (at->row[i] < pt->n || at->row[i] >= 2 * pt->n) continue;
        double w = s->h * aP[force_rows(pt, at->row[i])];
        size_t col = at->col[i];
        for (size_t l = 0; l < lanes; l++) {
            double f = w * s->e->H[l] * pt->jet[i * lanes + l];
            if (col >= pt->nx) {
                a->y[l * nz + col - pt->nx] += f;
                continue;
            }
            ax[col] += f;
            for (size_t j = 0; j < lanes; j++) a->y[j * nz + col] += f * s->h * s->e->A[l * lanes + j];
        }
    }
    for (size_t i = 0; i < by->count; i++)
        for (size_t l = 0; by->row[i] >= pt->n && by->row[i] < 2 * pt->n && l < lanes; l++)
            dparam[by->col[i]] += s->h * aP[force_rows(pt, by->row[i])] * s->e->H[l] * pt->param_jet[i * lanes + l];
}

/* y' times what one entry of a jet adds to the derivatives of the residuals; value: the entry at each node. A force
 * enters the residuals of all nodes, any other quantity those of its own node. */
static double weigh_residuals(const struct actio_adjoint *a, size_t row, const double *value)
{
    const struct actio_slab *s = a->slab;
    const struct actio_points *pt = &s->pt;
    size_t lanes = pt->lanes, nz = pt->nz, n = pt->n;
    bool is_force = row >= n && row < 2 * n;
    const double *y = a->y + (row < n ? row : row - n);
    double sum = 0;
    for (size_t l = 0; !is_force && l < lanes; l++) sum += y[l * nz] * value[l];
    for (size_t l = 0; is_force && l < lanes; l++)
        for (size_t k = 0; k < lanes; k++) sum -= y[k * nz] * s->h * s->e->A[k * lanes + l] * value[l];
    return sum;
}

/* -y' times the derivatives of the residuals by x0, P0 and params. */
static void subtract_residuals(struct actio_adjoint *a, double *ax, double *aP, double *dparam)
{
    const struct actio_points *pt = &a->slab->pt;
    const struct actio_places *at = &pt->sys->jets.points, *by = &pt->sys->jets.params;
    size_t lanes = pt->lanes, nz = pt->nz, n = pt->n;
    for (size_t i = 0; i < at->count; i++)
        if (at->col[i] < pt->nx && at->row[i] < n + nz)
            ax[at->col[i]] -= weigh_residuals(a, at->row[i], pt->jet + i * lanes);
    for (size_t i = 0; i < by->count; i++)
        if (by->row[i] < n + nz) dparam[by->col[i]] -= weigh_residuals(a, by->row[i], pt->param_jet + i * lanes);
    for (size_t k = 0; k < lanes; k++)
        for (size_t i = 0; i < n; i++) aP[i] += a->y[k * nz + i];
}

/* By velocities at the last node, v = u - f_q' mu: by their own derivatives. */
static void add_velocities(struct actio_adjoint *a, const double *by_v, double *ax)
{
    const struct actio_slab *s = a->slab;
    const struct actio_points *pt = &s->pt;
    size_t lanes = pt->lanes, nz = pt->nz, last = lanes - 1, first = 2 * pt->n + pt->m + pt->p + pt->h;
    const struct actio_places *at = &pt->sys->jets.points;
    for (size_t i = 0; i < pt->n && pt->h == 0; i++) a->y[last * nz + i] += by_v[i];
    for (size_t i = 0; i < at->count; i++) {
        if (at->row[i] < first) continue;
        double f = by_v[at->row[i] - first] * pt->jet[i * lanes + last];
        size_t col = at->col[i];
        if (col >= pt->nx) {
            a->y[last * nz + col - pt->nx] += f;
            continue;
        }
        ax[col] += f;
        for (size_t j = 0; j < lanes; j++) a->y[j * nz + col] += f * s->h * s->e->A[last * lanes + j];
    }
}

/* ax, aP: in, of the end; out, of the data. */
static int back(struct actio_adjoint *a, size_t k, const double *by_v, double *dparam)
{
    struct actio_slab *s = a->slab;
    const struct actio_points *pt = &s->pt;
    if (play(a, k)) return 1;
    memset(a->y, 0, s->size * sizeof *a->y);
    for (size_t j = 0; j < pt->lanes; j++)
        for (size_t i = 0; i < pt->nx; i++) a->y[j * pt->nz + i] = s->h * s->e->H[j] * a->ax[i];
    add_force(a, a->aP, a->ax, dparam);
    if (by_v) add_velocities(a, by_v, a->ax);
    actio_slab_apply(s, a->y, true);
    subtract_residuals(a, a->ax, a->aP, dparam);
    return 0;
}

/* Momenta of the start are L_v of the data. */
static void to_data(struct actio_adjoint *a, double *dy0, double *dparam)
{
    const struct actio_points *pt = &a->slab->pt;
    const struct actio_places *at = &pt->sys->jets.points, *by = &pt->sys->jets.params;
    size_t n = pt->n;
    for (size_t i = 0; i < n; i++) {
        dy0[i] = a->ax[i];
        dy0[n + i] = 0;
    }
    for (size_t i = 0; i < pt->m; i++) dy0[2 * n + i] = a->ax[n + i];
    for (size_t i = 0; i < at->count; i++) {
        size_t col = at->col[i];
        if (at->row[i] >= n || col >= pt->nx + n) continue;
        dy0[actio_points_component(pt, col)] += a->aP[at->row[i]] * pt->jet[i * pt->lanes];
    }
    for (size_t i = 0; i < by->count; i++)
        if (by->row[i] < n) dparam[by->col[i]] += a->aP[by->row[i]] * pt->param_jet[i * pt->lanes];
}

int actio_adjoint_back(struct actio_adjoint *a, size_t station, const double *dy, double *dy0, double *dparam)
{
    struct actio_points *pt = &a->slab->pt;
    size_t n = pt->n, end = a->end[station];
    if (end == 0) {
        memcpy(dy0, dy, a->m->ny * sizeof *dy);
        return 0; /* at the start itself */
    }
    memcpy(a->ax, dy, n * sizeof *dy);
    memcpy(a->ax + n, dy + 2 * n, pt->m * sizeof *dy);
    memset(a->aP, 0, n * sizeof *a->aP);
    for (size_t k = end; k-- > 0;)
        if (actio_stopped(a->ctx) || back(a, k, k + 1 == end ? dy + n : NULL, dparam)) return 1;
    pt->t[0] = a->tape.slab[0].t;
    for (size_t i = 0; i < pt->nx; i++) pt->x[i * pt->lanes] = a->tape.kept[i];
    for (size_t i = 0; i < pt->nz; i++) pt->z[i * pt->lanes] = i < n ? a->state[n + i] : 0;
    if (actio_points_jets(pt, 1) || actio_points_params(pt, 1)) return 1;
    to_data(a, dy0, dparam);
    return 0;
}

/* ---- forwards */

static int march(struct actio_adjoint *a, double t0, const double *y0, const double *stations, double local)
{
    double t = t0, *y = a->state;
    size_t ny = a->m->ny;
    memcpy(y, y0, ny * sizeof *y);
    for (size_t i = 0; i < a->stations; i++) {
        double *next = a->state + (i + 1) * ny;
        memcpy(next, y, ny * sizeof *y);
        if (stations[i] != t) actio_skg.start(a->stepper, t, y, stations[i], local, local);
        for (size_t steps = 0; t != stations[i]; steps++) {
            int bad = actio_stopped(a->ctx) ? ACTIO_FLOW_STOPPED : actio_skg.step(a->stepper, &t, next);
            if (bad) return bad;
            if (a->tape.full) return ACTIO_MARCH_NO_MEMORY;
        }
        y = next;
        a->end[i] = a->tape.slabs;
    }
    return ACTIO_FLOW_OK;
}

int actio_adjoint_forward(struct actio_adjoint *a, struct actio_context *ctx, struct actio_motion *m, double t0,
                          const double *y0, const double *stations, size_t count, double local)
{
    *a = (struct actio_adjoint){ .ctx = ctx, .m = m, .stations = count };
    size_t nodes = m->chosen.nodes;
    int order = m->chosen.order;
    m->flow.accuracy = local;
    m->flow.first = 0;
    m->chosen.nodes = 0;
    m->chosen.order = 0; /* derivatives of the motion, whatever nodes it was requested on */
    a->stepper = actio_skg.open(ctx, &m->flow);
    m->chosen.nodes = nodes;
    m->chosen.order = order;
    if (!a->stepper) return ACTIO_MARCH_NO_MEMORY;
    a->slab = actio_skg_slab(a->stepper);
    const struct actio_points *pt = &a->slab->pt;
    a->tape = (struct actio_tape){ .ctx = ctx, .width = pt->nx + pt->n + pt->nz * pt->lanes };
    a->end = actio_alloc(ctx, count + 1, sizeof *a->end);
    a->state = actio_alloc(ctx, (count + 1) * m->ny + 1, sizeof *a->state);
    a->block = actio_alloc(ctx, pt->nx + pt->n + a->slab->size + 1, sizeof *a->block);
    if (!a->end || !a->state || !a->block || actio_points_need_params(&a->slab->pt)) return ACTIO_MARCH_NO_MEMORY;
    a->ax = a->block;
    a->aP = a->ax + pt->nx;
    a->y = a->aP + pt->n;
    int bad = actio_motion_begin(m, t0, y0);
    size_t slabs = m->chosen.slabs;
    m->chosen.tape = &a->tape;
    m->chosen.slabs = 0;
    if (!bad) bad = march(a, t0, y0, stations, local);
    m->chosen.tape = NULL;
    m->chosen.slabs = slabs;
    return bad;
}

void actio_adjoint_close(struct actio_adjoint *a)
{
    if (!a->ctx) return;
    actio_tape_close(&a->tape);
    if (a->stepper) actio_skg.close(a->stepper);
    actio_free(a->ctx, a->end);
    actio_free(a->ctx, a->state);
    actio_free(a->ctx, a->block);
    *a = (struct actio_adjoint){ 0 };
}

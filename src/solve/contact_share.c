/* SPDX-License-Identifier: Apache-2.0
 * Contact forces that are not unique, as under a body on many feet: some that push and stay inside their cones. */
#include "solve/contacts.h"
#include "algebra/dense.h"
#include "algebra/lcp.h"

#include <math.h>
#include <string.h>

/* The rub whose first slip this is; c->rubs: none. */
static size_t rub_of_slip(const struct actio_contacts *c, size_t slip)
{
    size_t r = 0;
    while (r < c->rubs && c->rub[r].slip != slip) r++;
    return r;
}

/* The cone of a rub's friction, unknowns w (and w + 1), over its normal force, unknown u: two facets, or eight. Returns
 * how many rows that is. */
static size_t list_cone(const struct actio_contacts *c, size_t r, size_t u, size_t w, double *rows)
{
    size_t k = c->small.unknowns, facets = c->rub[r].slips > 1 ? 8 : 2;
    double most = actio_rub_of(c, r)[ACTIO_RUB_STICKING] * actio_rub_of(c, r)[ACTIO_RUB_SCALE];
    memset(rows, 0, facets * k * sizeof *rows);
    for (size_t f = 0; f < facets; f++) {
        double angle = 6.283185307179586 * (double)f / (double)facets, *row = rows + f * k;
        row[u] = most * (facets == 2 ? 1 : cos(3.141592653589793 / 8));
        row[w] = facets == 2 ? (f ? 1 : -1) : -cos(angle);
        if (facets > 2) row[w + 1] = -sin(angle);
    }
    return facets;
}

/* The cones over the normal force u. Its own friction follows a normal at once. */
static size_t list_cones(const struct actio_contacts *c, size_t u, double *rows)
{
    size_t k = c->small.unknowns, count = 0;
    const struct actio_unknown *x = c->small.unknown;
    for (size_t w = u + 1; w < k && x[w].kind == ACTIO_FORCE_TANGENT; w++) {
        size_t r = rub_of_slip(c, x[w].index);
        if (r < c->rubs && c->rub[r].contact == x[u].index) count += list_cone(c, r, u, w, rows + count * k);
    }
    return count;
}

/* What the unknown forces must satisfy, as rows g x >= 0: pushing normals, sticking friction inside its cone. */
static size_t list_bounds(const struct actio_contacts *c, double *rows)
{
    size_t k = c->small.unknowns, count = 0;
    for (size_t u = 0; u < k; u++) {
        enum actio_force_kind kind = c->small.unknown[u].kind;
        if (kind != ACTIO_FORCE_TANGENT) {
            memset(rows + count * k, 0, k * sizeof *rows);
            rows[count++ * k + u] = 1;
        }
        if (kind == ACTIO_FORCE_NORMAL) count += list_cones(c, u, rows + count * k);
    }
    return count;
}

/* Room to find them in: k unknown forces, of which k - rank combinations have no effect. */
struct sharing {
    size_t k, rank, bounds;
    double size;                   /* of the largest force */
    double *g, *gP, *M, *q, *z;    /* bounds; along forces without effect; the complementarity problem, its solution */
    double *P, *copy, *work, *lcp; /* P: its rows from `rank` on span the forces without effect; scratch */
    int *basis;
};

static bool open_sharing(struct actio_contacts *c, struct sharing *w)
{
    size_t k = c->small.unknowns, most = 9 * k, all = 1;
    double **part[] = { &w->g, &w->gP, &w->M, &w->q, &w->z, &w->P, &w->copy, &w->work, &w->lcp };
    const size_t length[] = {
        most * k, most * k, most * most, most, most, k * k, k * k, actio_rank_work(k, k), actio_lcp_work(most) + k
    };
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) all += length[i];
    double *next = actio_contacts_room(c, ACTIO_ROOM_SHARE, all * sizeof *next + (most + 2 * k + 1) * sizeof *w->basis);
    if (!next) return false;
    w->k = k;
    w->basis = (int *)(void *)(next + all);
    for (size_t i = 0; i < sizeof length / sizeof *length; next += length[i++]) *part[i] = next;
    return true;
}

/* M = g P g'; q = g x beside the largest force. */
static void form_sharing(const struct actio_contacts *c, struct sharing *w)
{
    size_t k = w->k;
    memcpy(w->copy, c->small.M, k * k * sizeof *w->copy);
    w->rank = actio_row_bases(k, k, w->copy, 1e-10, w->P, w->work, w->basis);
    w->bounds = list_bounds(c, w->g);
    w->size = actio_largest(c->small.force, k);
    size_t free = k - w->rank, bounds = w->bounds;
    for (size_t b = 0; b < bounds; b++)
        for (size_t a = 0; a < free; a++) w->gP[b * free + a] = actio_dot(k, w->g + b * k, w->P + (w->rank + a) * k);
    for (size_t b = 0; b < bounds; b++) {
        w->q[b] = actio_dot(k, w->g + b * k, c->small.force) / (w->size > 0 ? w->size : 1);
        for (size_t d = 0; d < bounds; d++) w->M[b * bounds + d] = actio_dot(free, w->gP + b * free, w->gP + d * free);
    }
}

/* x += P g' z */
static void add_without_effect(struct actio_contacts *c, const struct sharing *w)
{
    size_t k = w->k, free = k - w->rank;
    for (size_t b = 0; b < w->bounds; b++)
        for (size_t a = 0; a < free; a++)
            for (size_t u = 0; u < k; u++)
                c->small.force[u] += w->size * w->z[b] * w->gP[b * free + a] * w->P[(w->rank + a) * k + u];
}

/* Forces x of least norm solve the equations; with others that do no more than they do, x + a, all bounds hold if that
 * is possible at all:
 * a = P g' z, where w = g P g' z + g x >= 0, z >= 0, w z = 0, P the projector onto forces without effect. True: they
 * were found, and taken. */
bool actio_contacts_share(struct actio_contacts *c, const struct actio_stance *s)
{
    struct sharing w;
    if (!open_sharing(c, &w)) return false;
    form_sharing(c, &w);
    if (w.rank == w.k || actio_lcp(w.bounds, w.M, w.q, w.z, w.lcp, w.basis)) return false;
    add_without_effect(c, &w);
    actio_contacts_tell(c, s);
    return true;
}

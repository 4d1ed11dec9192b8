/* SPDX-License-Identifier: Apache-2.0
 * The streamed elimination of a grid against sparse elimination of the whole (KLU where it was found), at random unknowns. */
#include "action.h"
#include "algebra/sbp.h"
#include "solve/grid.h"

static const char *const stems[] = { "disk", "pendulum-cartesian", "lorenz-chetaev", "driven-double-pendulum", "suslov-state", "rod-servo-along", "nlink", "turntable", "double-pendulum-cartesian" };

static const struct actio_example *example(const char *stem)
{
    const struct actio_example *all;
    size_t count = actio_gallery(&all);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].stem, stem) == 0) return &all[i];
    return NULL;
}

/* Start data at all nodes with noise, so that nothing vanishes. */
static void fill(struct actio_grid *g, const struct subject *s, uint64_t *seed)
{
    size_t n = g->pt.n, m = g->pt.m;
    for (size_t k = 0; k < g->points; k++) {
        for (size_t i = 0; i < n; i++) g->x[k * g->pt.nx + i] = s->y0[i] + 0.1 * uniform(seed), g->z[k * g->pt.nz + i] = s->y0[n + i] + 0.5 * uniform(seed);
        for (size_t i = 0; i < m; i++) g->x[k * g->pt.nx + n + i] = s->y0[2 * n + i] + 0.1 * uniform(seed);
        for (size_t i = n; i < g->pt.nz; i++) g->z[k * g->pt.nz + i] = uniform(seed);
    }
}

/* The largest difference of the two steps beside the largest step. */
static double apart(struct actio_grid *g, double *kept)
{
    double size, most = 0, far = 0;
    size_t all = g->points * g->w;
    CHECK(actio_grid_residuals(g, &size) == 0);
    memcpy(kept, g->r, all * sizeof *kept);
    CHECK(actio_sweep_solve(g->sweep) == ACTIO_GRID_DONE);
    for (size_t i = 0; i < all; i++) { double b = kept[i]; kept[i] = g->r[i], g->r[i] = b; }
    CHECK(actio_grid_sparse(g) == ACTIO_GRID_DONE);
    for (size_t i = 0; i < all; i++) most = fmax(most, fabs(kept[i])), far = fmax(far, fabs(kept[i] - g->r[i]));
    return far / most;
}

TEST(streamed_and_sparse_elimination_give_the_same_step)
{
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
        const struct actio_example *e = example(stems[i]);
        struct subject s;
        uint64_t seed = 7 + i;
        double worst = 0;
        CHECK(e && open_subject(&s, e->text, strlen(e->text), NULL, 0));
        struct actio_shared shared = { s.param, NULL, NULL };
        double *x = numbers(s.sys->n + s.sys->m);
        for (size_t j = 0; j < s.sys->n; j++) x[j] = s.y0[j];
        for (size_t j = 0; j < s.sys->m; j++) x[s.sys->n + j] = s.y0[2 * s.sys->n + j];
        for (int order = 2; order <= 8; order += 2) {
            struct actio_grid g;
            CHECK(actio_grid_open(&g, s.ctx, s.sys, shared, order, 40, 0, 1) == 0);
            double *kept = numbers(g.points * g.w);
            CHECK(actio_grid_data(&g, x, s.y0 + s.sys->n) == 0);
            fill(&g, &s, &seed);
            worst = fmax(worst, apart(&g, kept));
            free(kept);
            actio_grid_close(&g);
        }
        printf("    %s: %.1e\n", stems[i], worst);
        CHECK(worst < 1e-10);                              /* rounding times the condition of random systems: 1e-12 at most was seen */
        free(x);
        close_subject(&s);
    }
}

int main(void)
{
    RUN(streamed_and_sparse_elimination_give_the_same_step);
    return DONE();
}

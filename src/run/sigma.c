/* SPDX-License-Identifier: Apache-2.0
 * The smallest width of soft walls that keeps the tolerance, found by trying. */
#include "run/run.h"

#include <math.h>

enum { MOST_WIDTHS = 16 };

/* Does a run with this width keep the tolerance, and its energy where nothing takes any? */
static bool width_keeps(struct actio_context *ctx, struct actio_model *model, const struct actio_run_options *options,
                        double sigma)
{
    struct actio_run_options trial = *options;
    struct actio_findings silent;
    trial.sigma = sigma;
    trial.sigma_auto = false;
    actio_findings_open(&silent, ctx);
    struct actio_table *t = actio_run_inside(ctx, model, &trial, &silent);
    bool conservative = model->forces == 0 && actio_is_zero(model->dissipation), good = t && !actio_run_failed(&silent);
    for (size_t i = 0; i < model->contacts; i++) conservative &= !model->contact[i].friction.given;
    size_t energy = good && conservative ? actio_table_find(t, "energy") : 0;
    if (good && energy && energy < t->cols && t->rows)
        good = t->energy_drift <= options->tol * fmax(1, fabs(t->data[energy][0]));
    actio_table_free(t);
    actio_findings_close(&silent);
    return good;
}

double actio_run_find_sigma(struct actio_context *ctx, struct actio_model *model,
                            const struct actio_run_options *options)
{
    double width = 0.1, best = 0;
    for (int i = 0; i < MOST_WIDTHS && !actio_stopped(ctx); i++, width /= 2) {
        if (width_keeps(ctx, model, options, width)) best = width;
        else if (best > 0) break;
    }
    return best;
}

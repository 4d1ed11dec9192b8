/* SPDX-License-Identifier: Apache-2.0
 * A program of somebody else: the gallery's disk, and where it is at the end. */
#include <actio/actio.h>
#include <stdio.h>

int main(void)
{
    struct actio_context *ctx = actio_context_create(NULL);
    struct actio_findings *f = actio_findings_create(ctx);
    struct actio_model *model = actio_model_read(ctx, "disk", NULL, 0, f);
    struct actio_table *table = actio_run(ctx, model, NULL, f);
    size_t y, rows = actio_table_rows(table);
    int status = actio_findings_status(f);
    if (rows && actio_table_cell(table, "y", &y, NULL))
        printf("actio %s: y = %.10f\n", actio_version(), actio_table_data(table, y)[rows - 1]);
    else status = ACTIO_NUMERICS_FAILED;
    actio_table_free(table);
    actio_model_free(model);
    actio_findings_free(f);
    actio_context_free(ctx);
    return status;
}

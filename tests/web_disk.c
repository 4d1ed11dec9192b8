/* SPDX-License-Identifier: Apache-2.0
 * The gallery's disk through the public interface alone: built natively and as WebAssembly, where it is all there is.
 * */
#include <actio/actio.h>

#include "check.h"

static const double pi = 3.14159265358979323846;

TEST(the_gallery_has_the_disk)
{
    const struct actio_example *example;
    size_t count = actio_gallery(&example), found = 0;
    for (size_t i = 0; i < count; i++)
        found += strcmp(example[i].stem, "disk") == 0 && strstr(example[i].text, "lagrangian") != NULL;
    CHECK(found == 1);
}

static double end_of(const struct actio_table *table, const char *name)
{
    for (size_t i = 0; i < actio_table_columns(table); i++)
        if (strcmp(actio_table_name(table, i), name) == 0)
            return actio_table_data(table, i)[actio_table_rows(table) - 1];
    return NAN;
}

/* y(2 pi) = k pi with k = g sin(alpha)/(1 + I_S/(M R^2)) for g = 9.8, alpha = pi/6. */
TEST(the_disk_ends_where_the_closed_form_says)
{
    struct actio_context *ctx = actio_context_create(NULL);
    struct actio_findings *f = actio_findings_create(ctx);
    struct actio_model *model = actio_model_read(ctx, "disk", NULL, 0, f);
    CHECK(model != NULL);
    struct actio_run_options options = actio_run_options_default();
    struct actio_table *table = model ? actio_run(ctx, model, &options, f) : NULL;
    CHECK(table != NULL && actio_findings_status(f) == 0);
    if (table) CHECK_NEAR(end_of(table, "y"), 9.8 * 0.5 / 1.5 * pi, 1e-9);
    if (table) CHECK(strstr(actio_table_json(table), "\"energy_drift\"") != NULL);
    actio_table_free(table);
    actio_model_free(model);
    actio_findings_free(f);
    actio_context_free(ctx);
}

TEST(every_claim_of_the_disk_holds)
{
    struct actio_context *ctx = actio_context_create(NULL);
    struct actio_findings *f = actio_findings_create(ctx);
    struct actio_model *model = actio_model_read(ctx, "disk", NULL, 0, f);
    struct actio_run_options options = actio_run_options_default();
    size_t count = 0;
    struct actio_check *check = model ? actio_test(ctx, model, &options, f, &count) : NULL;
    CHECK(count > 0 && check != NULL);
    for (size_t i = 0; check && i < count; i++) {
        if (!check[i].ok) printf("%s: %.17g\n", check[i].claim, check[i].value);
        CHECK(check[i].ok);
    }
    actio_model_free(model);
    actio_findings_free(f);
    actio_context_free(ctx);
}

TEST(a_wrong_model_says_where)
{
    static const char text[] = "coord x\nlagrangian x'^2/2 - xx\n";
    struct actio_context *ctx = actio_context_create(NULL);
    struct actio_findings *f = actio_findings_create(ctx);
    CHECK(actio_model_read_string(ctx, "wrong.act", text, sizeof text - 1, NULL, 0, f) == NULL);
    CHECK(actio_findings_count(f) == 1 && actio_findings_status(f) == ACTIO_WRONG_MODEL);
    struct actio_message m = actio_findings_message(f, 0);
    CHECK(m.line == 2 && m.column == 21 && strstr(m.message, "xx") != NULL);
    actio_findings_free(f);
    actio_context_free(ctx);
}

int main(void)
{
    RUN(the_gallery_has_the_disk);
    RUN(the_disk_ends_where_the_closed_form_says);
    RUN(every_claim_of_the_disk_holds);
    RUN(a_wrong_model_says_where);
    return DONE();
}

/* SPDX-License-Identifier: Apache-2.0
 * actio derive: the equations of a model, to standard output or to a file. */
#include "cli/cli.h"

#include <string.h>

static void json_derivation(const struct actio_cli_arguments *a, const struct actio_model *model,
                            const struct actio_derivation *d, struct actio_findings *f, int status)
{
    printf("{\"status\": %d, \"model\": ", status);
    actio_cli_json_string(stdout, model ? actio_model_name(model) : a->model[0]);
    if (d) {
        printf(", \"by\": ");
        actio_cli_json_string(stdout, a->run.by);
        printf(", \"format\": ");
        actio_cli_json_string(stdout, a->format ? a->format : "text");
        printf(", \"sections\": {");
        for (size_t i = 0; i < actio_derivation_sections(d); i++) {
            struct actio_derived_section s = actio_derivation_section(d, i);
            printf("%s\"%s\": ", i ? ", " : "", s.key);
            actio_cli_json_string(stdout, s.text);
        }
        printf("}");
    }
    printf(", ");
    actio_cli_json_messages(stdout, f);
    printf("}\n");
}

static int derive_model(const struct actio_cli_arguments *a, struct actio_context *ctx, struct actio_findings *f)
{
    struct actio_model *model = actio_model_read(ctx, a->model[0], a->change, a->changes, f);
    int status = model ? actio_cli_folders(a) : 0;
    if (status) {
        actio_model_free(model);
        return status;
    }
    struct actio_derivation *d = model ? actio_derive(ctx, model, a->run.by, a->format, f) : NULL;
    actio_cli_progress_end();
    status = actio_findings_status(f);
    bool to_file = a->outputs && strcmp(a->output[0], "-") != 0;
    if (d && (to_file || !a->json))
        status = actio_cli_worse(status, actio_derivation_write(ctx, d, to_file ? a->output[0] : "-", f));
    if (a->json) json_derivation(a, model, d, f, status);
    else actio_cli_findings(f, a->quiet);
    actio_derivation_free(d);
    actio_model_free(model);
    return status;
}

int actio_cli_derive(const struct actio_cli_arguments *a)
{
    if (a->models != 1)
        return actio_cli_usage(a,
                               a->models ? "call it once for each model" : "run `actio list` for the built-in models",
                               "`derive` takes one model; found %s", a->models ? "several" : "none");
    if (a->outputs > 1) return actio_cli_usage(a, NULL, "`derive` writes one file; found several -o");
    struct actio_context *ctx;
    struct actio_findings *f;
    if (!actio_cli_begin(a, &ctx, &f)) return ACTIO_LIMIT_REACHED;
    return actio_cli_end(ctx, f, derive_model(a, ctx, f));
}

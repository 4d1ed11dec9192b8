/* SPDX-License-Identifier: Apache-2.0
 * actio run: the motion to files, to standard output, or summed up. Files come first: a reader that hangs up can't cost
 * one. */
#define _XOPEN_SOURCE 700
#include "cli/cli.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where the motion goes */

static bool csv_on_output(const struct actio_cli_arguments *a)
{
    for (size_t i = 0; i < a->outputs; i++)
        if (strcmp(a->output[i], "-") == 0) return true;
    return a->outputs == 0 && !a->json && !isatty(STDOUT_FILENO);
}

/* Can a file be made there? Called before the work and not after it. */
static bool folder_takes(const char *path)
{
    char folder[4096];
    struct stat st;
    const char *slash = strrchr(path, '/');
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (exists && !S_ISREG(st.st_mode)) return true; /* a device: its writer will say */
    if (exists && access(path, W_OK) != 0) return false;
    if (slash && (size_t)(slash - path) >= sizeof folder) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (slash) snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    if (slash && stat(folder, &st) == 0 && !S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return false;
    }
    return access(slash ? folder : ".", W_OK | X_OK) == 0;
}

int actio_cli_drawable(const struct actio_cli_arguments *a, struct actio_context *ctx, struct actio_model *model,
                       struct actio_findings *f)
{
    int status = a->axes ? actio_model_drawable(ctx, model, a->axes, false, f) : 0;
    if (!status && a->animations) status = actio_model_drawable(ctx, model, a->axes, true, f);
    return status;
}

int actio_cli_folders(const struct actio_cli_arguments *a)
{
    const struct {
        const char **path;
        size_t count;
    } list[] = {
        { a->output, a->outputs },     { a->plot, a->plots },           { a->overlay, a->overlays },
        { a->events, a->event_lists }, { a->animation, a->animations },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (size_t i = 0; i < list[k].count; i++)
            if (strcmp(list[k].path[i], "-") != 0 && !folder_takes(list[k].path[i]))
                return actio_cli_complain(a, ACTIO_FILE_TROUBLE, NULL, "can't write '%s': %s", list[k].path[i],
                                          strerror(errno));
    return 0;
}

static int write_files(const struct actio_cli_arguments *a, struct actio_context *ctx, const struct actio_table *table,
                       struct actio_findings *f)
{
    int status = 0;
    for (size_t i = 0; i < a->outputs; i++)
        if (strcmp(a->output[i], "-") != 0)
            status = actio_cli_worse(status, actio_table_write(ctx, table, a->output[i], f));
    for (size_t i = 0; i < a->event_lists; i++)
        status = actio_cli_worse(status, actio_table_write_events(ctx, table, a->events[i], f));
    for (size_t i = 0; i < a->plots; i++)
        status = actio_cli_worse(status, actio_table_plot(ctx, table, a->axes, a->plot[i], f));
    for (size_t i = 0; i < a->animations; i++)
        status = actio_cli_worse(status, actio_table_animate(ctx, table, a->axes, a->animation[i], f));
    return status;
}

/* ---- JSON */

/* A run's own object, with the findings put in; when the files failed after the run, the run is kept inside. */
static int json_run(const struct actio_cli_arguments *a, struct actio_table *table, struct actio_findings *f,
                    int status)
{
    const char *object = table ? actio_table_json(table) : "";
    size_t length = strlen(object);
    if (table && length <= 2) return actio_cli_unsaid(a, status);
    bool same = table && actio_table_info(table).status == status && length > 2 && object[length - 1] == '}';
    if (same) printf("%.*s, ", (int)(length - 1), object);
    else printf("{\"status\": %d, ", status);
    actio_cli_json_messages(stdout, f);
    if (table && !same) printf(", \"run\": %s", object);
    printf("}\n");
    return status;
}

/* ---- the command */

static int tell(const struct actio_cli_arguments *a, struct actio_context *ctx, const struct actio_model *model,
                struct actio_table *table, struct actio_findings *f)
{
    bool rows = table && actio_table_rows(table) > 0;
    int written = rows ? write_files(a, ctx, table, f) : 0;
    int status = actio_cli_worse(actio_findings_status(f), written);
    if (a->json) status = json_run(a, table, f, status);
    else if (rows && csv_on_output(a) && a->outputs == 0 && actio_table_slopes(table)) actio_cli_gradient_csv(table);
    else if (rows && csv_on_output(a)) status = actio_cli_worse(status, actio_table_write(ctx, table, "-", f));
    else if (rows && !a->quiet) actio_cli_summary(model, table, a, written == 0);
    if (!a->json) actio_cli_findings(f, a->quiet);
    return status;
}

static int run_model(const struct actio_cli_arguments *a, struct actio_context *ctx, struct actio_findings *f)
{
    struct actio_model *model = actio_model_read(ctx, a->model[0], a->change, a->changes, f);
    int status = model ? actio_cli_folders(a) : 0;
    if (status) {
        actio_model_free(model);
        return status;
    }
    bool drawable = model && actio_cli_drawable(a, ctx, model, f) == 0;
    struct actio_run_options options = a->run;
    options.curves = a->plots > 0;
    struct actio_table *table = drawable ? actio_run(ctx, model, &options, f) : NULL;
    actio_cli_progress_end();
    status = tell(a, ctx, model, table, f);
    actio_table_free(table);
    actio_model_free(model);
    return status;
}

int actio_cli_run(const struct actio_cli_arguments *a)
{
    if (a->models != 1)
        return actio_cli_usage(
            a, a->models ? "use `actio test` for several models" : "run `actio list` for the built-in models",
            "`run` takes one model; found %s", a->models ? "several" : "none");
    struct actio_context *ctx;
    struct actio_findings *f;
    if (!actio_cli_begin(a, &ctx, &f)) return ACTIO_LIMIT_REACHED;
    return actio_cli_end(ctx, f, run_model(a, ctx, f));
}

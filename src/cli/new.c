/* SPDX-License-Identifier: Apache-2.0
 * actio new: a commented model to start from, on standard output or in a file that does not exist yet. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

static const char first[] = "pendulum"; /* without a word */

/* "constraint, contact or field" */
static const char *all_names(char *text, size_t size)
{
    const struct actio_example *row;
    size_t count = actio_templates(&row), used = 0;
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", row[i].stem,
                                 i + 2 < count    ? ", "
                                 : i + 2 == count ? " or "
                                                  : "");
    return text;
}

static int unknown(const struct actio_cli_arguments *a, const char *word)
{
    enum { MOST = 32 };
    const struct actio_example *row;
    const char *name[MOST];
    char all[200], hint[300];
    size_t count = actio_templates(&row);
    if (count > MOST) count = MOST;
    for (size_t i = 0; i < count; i++) name[i] = row[i].stem;
    const char *near = actio_cli_near(word, name, count);
    int used = near ? snprintf(hint, sizeof hint, "did you mean '%s'? ", near) : 0;
    snprintf(hint + used, sizeof hint - (size_t)used, "use %s", all_names(all, sizeof all));
    return actio_cli_usage(a, hint, "unknown template '%s'", word);
}

static int cannot_write(const struct actio_cli_arguments *a, const char *path, int why)
{
    return actio_cli_complain(a, ACTIO_FILE_TROUBLE,
                              why == EEXIST ? "choose another name, or remove the file"
                                            : "check the folder, its permissions and the free space",
                              "can't write '%s': %s", path, why == EEXIST ? "the file exists" : strerror(why));
}

/* A file that is there stays as it is; one that can't be completed is removed. */
static int write_file(const struct actio_cli_arguments *a, const struct actio_example *e, const char *path)
{
    FILE *out = fopen(path, "wx");
    if (!out) return cannot_write(a, path, errno);
    bool written = fputs(e->text, out) >= 0;
    int why = written ? 0 : errno;
    if (fclose(out) != 0 && written) {
        why = errno;
        written = false;
    }
    if (written) return 0;
    remove(path);
    return cannot_write(a, path, why);
}

static void json_row(const struct actio_example *e, bool text)
{
    printf("{\"template\": ");
    actio_cli_json_string(stdout, e->stem);
    printf(", \"title\": ");
    actio_cli_json_string(stdout, e->title);
    if (text) {
        printf(", \"text\": ");
        actio_cli_json_string(stdout, e->text);
    }
    putchar('}');
}

static int list_json(const struct actio_example *row, size_t count)
{
    printf("{\"templates\": [");
    for (size_t i = 0; i < count; i++) {
        printf("%s", i ? ", " : "");
        json_row(&row[i], false);
    }
    printf("]}\n");
    return 0;
}

static int write_one(const struct actio_cli_arguments *a, const struct actio_example *e)
{
    const char *path = a->outputs ? a->output[0] : "-";
    if (strcmp(path, "-") != 0) {
        int status = write_file(a, e, path);
        if (status) return status;
        if (!a->quiet && !a->json) {
            printf("wrote ");
            actio_cli_text(stdout, path);
            printf(": %s\n", e->title);
        }
    } else if (!a->json) fputs(e->text, stdout);
    if (a->json) {
        json_row(e, true);
        putchar('\n');
    }
    return 0;
}

int actio_cli_new(const struct actio_cli_arguments *a)
{
    const struct actio_example *row;
    const char *word = a->models ? a->model[0] : first;
    size_t count = actio_templates(&row);
    char all[200];
    if (a->models > 1)
        return actio_cli_usage(a, "use `actio new TEMPLATE > FILE`", "`new` takes one template: %s",
                               all_names(all, sizeof all));
    if (a->outputs > 1) return actio_cli_usage(a, "use -o once", "`new` writes one file");
    if (a->json && !a->models && !a->outputs) return list_json(row, count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(row[i].stem, word) == 0) return write_one(a, &row[i]);
    return unknown(a, word);
}

void actio_cli_new_help(void)
{
    const struct actio_example *row;
    size_t count = actio_templates(&row);
    printf("\n%stemplates%s\n", actio_cli_paint(stdout, 'b'), actio_cli_paint(stdout, ' '));
    for (size_t i = 0; i < count; i++) printf("  %-12s %s\n", row[i].stem, row[i].title);
    printf("\nWithout TEMPLATE it is the %s. The text goes to standard output, or\nwith -o to a new file.\n", first);
}

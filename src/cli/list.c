/* SPDX-License-Identifier: Apache-2.0
 * actio list: the models that are built in. */
#include "cli/cli.h"

static void list_json(const struct actio_example *example, size_t count)
{
    printf("{\"models\": [");
    for (size_t i = 0; i < count; i++) {
        printf("%s{\"model\": ", i ? ", " : "");
        actio_cli_json_string(stdout, example[i].stem);
        printf(", \"title\": ");
        actio_cli_json_string(stdout, example[i].title);
        putchar('}');
    }
    printf("]}\n");
}

int actio_cli_list(const struct actio_cli_arguments *a)
{
    const struct actio_example *example;
    size_t count = actio_gallery(&example), widest = 0;
    if (a->models) return actio_cli_usage(a, "use `actio run MODEL` to run one", "`list` takes no model");
    if (a->json) {
        list_json(example, count);
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        size_t width = actio_cli_width(example[i].stem);
        if (width > widest) widest = width;
    }
    for (size_t i = 0; i < count; i++)
        printf("%s%-*s%s  %s\n", actio_cli_paint(stdout, 'b'), (int)widest, example[i].stem,
               actio_cli_paint(stdout, ' '), example[i].title);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * Instants of a derivation: held values, events, and what is set, in the words of the model. */
#include "derive/derive.h"

#include <string.h>

static bool begins_with(const char *line, const char *word)
{
    size_t n = strlen(word);
    return strncmp(line, word, n) == 0 && line[n] == ' ';
}

void actio_derive_instants(struct actio_derivation *d)
{
    static const char *const shown[] = { "held", "event", "when", "every" };
    struct actio_model *m = d->model;
    if (m->resets.lines + m->resets.helds == 0) return;
    const char *text = actio_model_printed(m);
    actio_shown_words(d, "the equations hold between instants, at which values are set from those before:");
    for (const char *line = text ? text : "", *end; *line; line = end + (*end == '\n')) {
        end = line + strcspn(line, "\n");
        for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
            if (begins_with(line, shown[k]))
                actio_shown_words(d, actio_arena_text(&d->arena, line, (size_t)(end - line)));
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * A derivation as text in the model language: headings are comments, and every equation reads back. */
#include "derive/field_jets.h"
#include "expr/normal.h"

#include <string.h>

enum { WIDTH = 104, GRID = 100, TALL = 24 }; /* characters of a line, of a matrix's row; rows of a matrix */

static void symbol_name(void *user, actio_slot slot, struct actio_text *out)
{
    struct actio_derivation *d = user;
    if (d->jets && actio_jet_text(d->jets, slot, out)) return;
    bool rate = actio_shown_multiplier(d, &slot);
    if (slot.space == ACTIO_SPACE_HIDDEN) actio_text_add(out, d->name[slot.index].text);
    else actio_model_symbol_name(d->model, slot, out);
    if (rate) actio_text_add(out, "'");
}

static void formula(struct actio_derivation *d, actio_expr e, struct actio_text *out)
{
    actio_print_nice(&d->F->pool, e, symbol_name, d, out);
}

/* A line goes on in the next one when its last sign is an operator, in brackets or not. */
static void lines(struct actio_text *out, const char *indent, const char *text)
{
    struct actio_wrap w = { .at = text, .width = WIDTH, .depth = ACTIO_WRAP_DEPTH };
    actio_text_add(out, indent);
    for (;;) {
        const char *from = w.at;
        actio_text_bytes(out, from, actio_wrap_next(&w));
        if (!w.sign) break;
        actio_text_format(out, " %c\n%s    ", w.sign, indent);
    }
    actio_text_add(out, "\n");
}

static void write_equation(struct actio_derivation *d, const struct actio_shown *item, struct actio_text *out)
{
    struct actio_text line;
    actio_text_open(&line, &d->arena);
    if (item->label) actio_text_format(&line, "%s: ", item->label);
    formula(d, item->left, &line);
    actio_text_add(&line, " = ");
    if (item->plain) actio_print(&d->F->pool, item->right, symbol_name, d, &line);
    else formula(d, item->right, &line);
    lines(out, item->is_comment ? "  # " : "  ", line.s);
}

static const char *unit_of(const struct actio_derivation *d, actio_expr e)
{
    actio_slot slot = actio_slot_of(&d->F->pool, e);
    return slot.space == ACTIO_SPACE_Q       ? d->model->coord[slot.index].unit
           : slot.space == ACTIO_SPACE_STATE ? d->model->state[slot.index].unit
                                             : NULL;
}

static void write_list(struct actio_derivation *d, const struct actio_shown *item, struct actio_text *out)
{
    size_t begin = out->length;
    actio_text_add(out, "  ");
    for (size_t i = 0; i < item->cols; i++) {
        if (out->length - begin > WIDTH) {
            actio_text_add(out, "\n  ");
            begin = out->length;
        }
        formula(d, item->entry[i], out);
        if (unit_of(d, item->entry[i])) actio_text_format(out, " [%s]", unit_of(d, item->entry[i]));
        actio_text_add(out, i + 1 < item->cols ? ", " : "\n");
    }
}

/* ---- matrices */

static void pad(struct actio_text *out, size_t n)
{
    while (n-- > 0) actio_text_add(out, " ");
}

static void write_grid(const struct actio_shown *item, const char *const *entry, const size_t *width,
                       struct actio_text *out)
{
    size_t name = strlen(item->label);
    for (size_t i = 0; i < item->rows; i++) {
        actio_text_add(out, "  ");
        if (i == 0) actio_text_format(out, "%s = ( ", item->label);
        else {
            pad(out, name + 3);
            actio_text_add(out, "( ");
        }
        for (size_t j = 0; j < item->cols; j++) {
            const char *s = entry[i * item->cols + j];
            actio_text_add(out, s);
            pad(out, width[j] - actio_wrap_length(s) + (j + 1 < item->cols ? 2 : 0));
        }
        actio_text_add(out, " )\n");
    }
}

/* Entries that are not 0, each as an equation; of a symmetric matrix those on and above the diagonal. */
static void write_entries(struct actio_derivation *d, const struct actio_shown *item, const char *const *entry,
                          struct actio_text *out)
{
    for (size_t k = 0; k < item->rows * item->cols; k++) {
        struct actio_text line;
        if (actio_is_zero(item->entry[k]) || (item->is_symmetric && k / item->cols > k % item->cols)) continue;
        actio_text_open(&line, &d->arena);
        if (item->is_vector) actio_text_format(&line, "%s[%zu] = ", item->label, k + 1);
        else actio_text_format(&line, "%s[%zu, %zu] = ", item->label, k / item->cols + 1, k % item->cols + 1);
        actio_text_add(&line, entry[k]);
        lines(out, "  ", line.s);
    }
}

static void write_matrix(struct actio_derivation *d, const struct actio_shown *item, struct actio_text *out)
{
    size_t count = item->rows * item->cols, total = 0;
    const char **entry = actio_arena_array(&d->arena, count + 1, sizeof *entry);
    size_t *width = actio_arena_array(&d->arena, item->cols + 1, sizeof *width);
    for (size_t k = 0; k < count; k++) {
        struct actio_text t;
        actio_text_open(&t, &d->arena);
        formula(d, item->entry[k], &t);
        entry[k] = t.s;
        if (actio_wrap_length(t.s) > width[k % item->cols]) width[k % item->cols] = actio_wrap_length(t.s);
    }
    for (size_t j = 0; j < item->cols; j++) total += width[j] + 2;
    if (total <= GRID && item->rows <= TALL) write_grid(item, entry, width, out);
    else if (!item->only_in_full) write_entries(d, item, entry, out);
}

/* ---- the whole */

static void write_item(struct actio_derivation *d, const struct actio_shown *item, struct actio_text *out)
{
    switch (item->kind) {
    case ACTIO_SHOWN_EQUATION: write_equation(d, item, out); break;
    case ACTIO_SHOWN_LIST: write_list(d, item, out); break;
    case ACTIO_SHOWN_MATRIX: write_matrix(d, item, out); break;
    case ACTIO_SHOWN_WORDS: actio_text_format(out, "  # %s\n", item->words); break;
    }
}

/* A model's name may be that of its file: nothing in it may end the line or speak to a terminal. */
static void title(struct actio_derivation *d)
{
    const char *s = d->model->name ? d->model->name : "model";
    actio_text_add(&d->text, "# ");
    for (; *s; s++) {
        bool control =
            (unsigned char)*s < 0x20 || *s == 0x7F || ((unsigned char)*s == 0xC2 && (unsigned char)s[1] < 0xA0);
        actio_text_bytes(&d->text, control ? " " : s, 1);
        if (control && (unsigned char)*s == 0xC2) s++;
    }
    actio_text_format(&d->text, " by %s: %s\n", d->by, d->by_title);
}

void actio_derive_text(struct actio_derivation *d)
{
    title(d);
    for (size_t i = 0; i < d->sections; i++) {
        struct actio_shown_section *s = &d->section[i];
        struct actio_text out;
        actio_text_open(&out, &d->arena);
        for (size_t k = 0; k < s->items; k++) write_item(d, &s->item[k], &out);
        actio_text_format(&d->text, *s->rule ? "\n# %s: %s\n" : "\n# %s\n", s->title, s->rule);
        actio_text_bytes(&d->text, out.s, out.length);
        s->text = out.s;
    }
}

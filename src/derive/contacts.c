/* SPDX-License-Identifier: Apache-2.0
 * Contacts and friction of a derivation: gaps, slips, and the forces that join the equations while something touches or
 * rubs. */
#include "derive/derive.h"

static actio_expr dotted(struct actio_derivation *d, const char *what, const char *label)
{
    const char *text = actio_arena_format(&d->arena, "%s.%s", what, label);
    struct actio_text latex;
    actio_text_open(&latex, &d->arena);
    actio_text_format(&latex, "\\mathrm{%s}_{", what);
    actio_latex_name(label, &latex);
    actio_text_add(&latex, "}");
    return actio_shown_symbol(d, text, latex.s);
}

static void note(struct actio_derivation *d, actio_expr left, actio_expr right)
{
    actio_shown_equation(d, NULL, left, actio_tidy_shown(d, right));
    struct actio_shown_section *s = &d->section[d->filling];
    s->item[s->items - 1].is_comment = true; /* its names are columns, not words of a model */
}

static const char *label_of(const struct actio_formation *F, const struct actio_rub *r)
{
    return r->contact != UINT32_MAX ? F->model->contact[r->contact].label : F->model->constraint[r->constraint].label;
}

/* sum += force * row */
static void contacts_join(struct actio_derivation *d, actio_expr *sum, actio_expr force, const actio_expr *row)
{
    struct actio_pool *pool = &d->F->pool;
    for (size_t i = 0; i < d->F->n; i++)
        if (!actio_is_zero(row[i])) sum[i] = actio_add(pool, sum[i], actio_mul(pool, force, row[i]));
}

static void show_rub(struct actio_derivation *d, const struct actio_rub *r, actio_expr *sum)
{
    struct actio_formation *F = d->F;
    for (size_t j = 0; j < r->slips; j++) {
        const char *label =
            r->slips > 1 ? actio_arena_format(&d->arena, "%s.%zu", label_of(F, r), j + 1) : label_of(F, r);
        note(d, dotted(d, "slip", label), F->walls.slip[r->slip + j].e);
        contacts_join(d, sum, dotted(d, "friction", label), F->walls.slip[r->slip + j].row);
    }
}

void actio_derive_contacts(struct actio_derivation *d)
{
    struct actio_formation *F = d->F;
    struct actio_shown_section *s = &d->section[d->filling];
    if (F->sys.walls.contacts + F->sys.walls.rubs == 0) return;
    s->rule = F->sys.walls.contacts
                  ? "while gap = 0, a force >= 0 acts along d gap/dq; at an impact gap' becomes -restitution*gap'; "
                    "friction along d slip/dq' is at most stick*force, and -friction*force*slip/|slip| while sliding"
                  : "friction acts along d slip/dq': at most stick*|lambda|, and -friction*|lambda|*slip/|slip| while "
                    "sliding";
    actio_expr *sum = actio_form_array(F, F->n, sizeof *sum);
    for (size_t i = 0; i < F->sys.walls.contacts; i++) {
        note(d, dotted(d, "gap", F->sys.walls.contact[i]), F->walls.gap[i].e);
        /* of a point mass the normal force itself, the multiplier times |d gap/dq| */
        actio_expr force = dotted(d, "force", F->sys.walls.contact[i]);
        contacts_join(d, sum, actio_div(&F->pool, force, F->walls.gap[i].scale), F->walls.gap[i].row);
    }
    for (size_t r = 0; r < F->sys.walls.rubs; r++) show_rub(d, &F->sys.walls.rub[r], sum);
    actio_shown_words(d, "added to the right sides of the equations of motion, which hold unchanged in free flight:");
    for (size_t i = 0; i < F->n; i++)
        if (!actio_is_zero(sum[i])) note(d, actio_shown_indexed(d, "C", "C", d->model->coord[i].name), sum[i]);
}

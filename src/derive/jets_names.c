/* SPDX-License-Identifier: Apache-2.0
 * How jets, values at a place and names of our own are written: diff(x, s)(0) in text, x_s(0) in LaTeX. */
#include "derive/field_jets.h"
#include "expr/normal.h"

#include <string.h>

/* The jet that a slot is, with the space of the slot; *point: whether it stands at a place. */
static actio_slot jet_of(const struct actio_field_jets *j, actio_slot slot, const struct actio_jet_point **point)
{
    *point = NULL;
    if (slot.index < ACTIO_POINT || slot.space == ACTIO_SPACE_HIDDEN) return slot;
    *point = &j->point[slot.index - ACTIO_POINT];
    actio_slot jet = (*point)->of;
    jet.space = slot.space;
    return jet;
}

static bool is_own(actio_slot s) { return s.space == ACTIO_SPACE_STATE || s.space == ACTIO_SPACE_SDOT; }
static const char *axis_name(const struct actio_field_jets *j, uint16_t axis)
{
    return j->d->model->field.axis[axis - 1].name;
}

bool actio_jet_text(struct actio_field_jets *j, actio_slot slot, struct actio_text *out)
{
    const struct actio_jet_point *point;
    actio_slot s = jet_of(j, slot, &point);
    if (s.space == ACTIO_SPACE_AXIS) {
        actio_text_add(out, axis_name(j, s.axis));
        return true;
    }
    if (s.space == ACTIO_SPACE_HIDDEN || (s.axis == 0 && !is_own(s))) return false;
    for (int k = 0; k < s.offset; k++) actio_text_add(out, "diff(");
    if (is_own(s)) actio_text_format(out, "%s%s", j->own[s.index], s.space == ACTIO_SPACE_SDOT ? "'" : "");
    else actio_model_symbol_name(j->d->model, s, out);
    for (int k = 0; k < s.offset; k++) actio_text_format(out, ", %s)", axis_name(j, s.axis));
    if (!point) return true;
    actio_text_add(out, "(");
    actio_print_nice(j->pool, point->place, actio_model_symbol_name, j->d->model, out);
    actio_text_add(out, ")");
    return true;
}

/* x_{ss}; with an index of its own x_{1,ss}. */
static void latex_jet(struct actio_field_jets *j, actio_slot s, struct actio_text *out)
{
    struct actio_text name, axis;
    actio_text_open(&name, &j->d->arena);
    actio_text_open(&axis, &j->d->arena);
    if (s.offset) actio_latex_name(axis_name(j, s.axis), &axis);
    if (is_own(s)) actio_latex_accented(s.space == ACTIO_SPACE_SDOT ? "\\dot" : "", j->own[s.index], &name);
    else actio_model_symbol_latex(j->d->model, s, &name);
    bool indexed = s.offset && strstr(name.s, "_{") && name.s[name.length - 1] == '}';
    actio_text_bytes(out, name.s, name.length - indexed);
    if (!s.offset) return;
    actio_text_add(out, indexed ? "," : "_{");
    for (int k = 0; k < s.offset; k++) actio_text_format(out, k ? " %s" : "%s", axis.s);
    actio_text_add(out, "}");
}

bool actio_jet_latex(struct actio_field_jets *j, actio_slot slot, struct actio_text *out)
{
    const struct actio_jet_point *point;
    actio_slot s = jet_of(j, slot, &point);
    if (s.space == ACTIO_SPACE_AXIS) {
        actio_latex_name(axis_name(j, s.axis), out);
        return true;
    }
    if (s.space == ACTIO_SPACE_HIDDEN || (s.axis == 0 && !is_own(s))) return false;
    latex_jet(j, s, out);
    if (!point) return true;
    actio_text_add(out, "(");
    actio_print_latex_nice(j->pool, point->place, actio_model_symbol_latex, j->d->model, out);
    actio_text_add(out, ")");
    return true;
}

/* SPDX-License-Identifier: Apache-2.0
 * Units behind declared names, as text: verdict/ finds what they mean. */
#include "model/reader.h"

#include <math.h>

bool actio_parse_small_whole(double x) { return fabs(x) <= 1e9 && x == floor(x); }

static bool unit_part(struct actio_reader *r, struct actio_text *out, bool first)
{
    switch (r->text.token.kind) {
    case ACTIO_T_WORD:
        if (out->length && out->s[out->length - 1] != '/') actio_text_add(out, " ");
        actio_text_add(out, actio_word_text(r, r->text.token.word));
        break;
    case ACTIO_T_DIVIDE: actio_text_add(out, "/"); break;
    case ACTIO_T_NUMBER:
        if (!first || r->text.token.number != 1) return false;
        actio_text_add(out, "1");
        break;
    case ACTIO_T_POWER:
        actio_text_add(out, "^");
        actio_parse_advance(r);
        if (r->text.token.kind == ACTIO_T_MINUS) {
            actio_text_add(out, "-");
            actio_parse_advance(r);
        }
        if (r->text.token.kind != ACTIO_T_NUMBER || first || !actio_parse_small_whole(r->text.token.number))
            return false;
        actio_text_number(out, r->text.token.number);
        break;
    default: return false;
    }
    actio_parse_advance(r);
    return true;
}

bool actio_parse_unit(struct actio_reader *r, const char **out)
{
    struct actio_text text;
    bool first = true;
    if (r->text.token.kind != ACTIO_T_OPEN_INDEX) return true;
    actio_text_open(&text, &r->model->arena);
    for (actio_parse_advance(r); first || r->text.token.kind != ACTIO_T_CLOSE_INDEX; first = false)
        if (!unit_part(r, &text, first)) {
            if (r->text.token.kind != ACTIO_T_BAD)
                actio_reader_fault(r, ACTIO_F_BAD_UNIT, r->text.lexer.origin, r->text.token.span, ACTIO_NO_ARGS);
            return false;
        }
    *out = text.s;
    return actio_parse_take(r, ACTIO_T_CLOSE_INDEX, "']'");
}

/* SPDX-License-Identifier: Apache-2.0
 * Reading a model, all stages on one page; then names and numbers of the model that came out. */
#include "model/reader.h"

#include <math.h>
#include <string.h>

/* The comment at the top, without its signs. */
static const char *description(struct actio_reader *r)
{
    const struct actio_source *s = &r->origin[0].source;
    const char *p = s->text, *end = p + s->length;
    struct actio_text out;
    actio_text_open(&out, &r->model->arena);
    while (p < end && strchr(" \t\r\n", *p)) p++;
    while (p < end && *p == '#') {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        const char *line = p + 1 + (p + 1 < end && p[1] == ' '), *last = stop ? stop : end;
        p = stop ? stop + 1 : end;
        while (last > line && strchr(" \t\r", last[-1])) last--;
        if (out.length) actio_text_add(&out, "\n");
        if (last > line) actio_text_bytes(&out, line, (size_t)(last - line));
    }
    return out.s;
}

static void open_origins(struct actio_reader *r, const struct actio_source *text)
{
    r->origin = actio_arena_array(&r->scratch, r->overrides + 1, sizeof *r->origin);
    r->origin[0] = (struct actio_origin){ .source = *text };
    for (size_t i = 0; i < r->overrides; i++)
        r->origin[i + 1] =
            (struct actio_origin){ { "command line", r->override[i].text, strlen(r->override[i].text) }, true };
    r->origins = (uint32_t)r->overrides + 1;
}

/* The file's text is kept with the model: findings made later quote it. */
static void keep_text(struct actio_reader *r, const struct actio_source *text)
{
    struct actio_model *m = r->model;
    m->source.file = actio_arena_text(&m->arena, text->file ? text->file : "", text->file ? strlen(text->file) : 0);
    bool mark = text->length >= 3 && memcmp(text->text, "\xEF\xBB\xBF", 3) == 0;
    m->source.length = text->length - (mark ? 3 : 0);
    m->source.text = actio_arena_text(&m->arena, text->text + (mark ? 3 : 0), m->source.length);
}

static void keep_overrides(struct actio_reader *r)
{
    struct actio_model *m = r->model;
    m->numbers.overrides = r->overrides;
    m->numbers.override = actio_arena_array(&m->arena, r->overrides + 1, sizeof *m->numbers.override);
    for (size_t i = 0; i < r->overrides; i++) {
        const char *text = r->override[i].text;
        m->numbers.override[i].kind = r->override[i].kind;
        m->numbers.override[i].text = actio_arena_text(&m->arena, text, strlen(text));
    }
}

static bool parse_all(struct actio_reader *r)
{
    bool readable = true;
    for (uint32_t i = 0; i < r->origins; i++) readable &= actio_lex_check_text(r, (uint16_t)i);
    if (!readable) return false;
    actio_parse_model(r);
    for (uint32_t i = 1; i < r->origins; i++) actio_parse_option(r, (uint16_t)i, r->override[i - 1].kind);
    return true;
}

struct reading {
    struct actio_reader *r;
    const struct actio_source *text;
};

static void read_stages(void *user)
{
    struct reading *job = user;
    struct actio_reader *r = job->r;
    struct actio_model *m = r->model;
    keep_text(r, job->text);
    actio_pool_open(&m->pool, &m->arena);
    actio_symbol(&m->pool, ACTIO_SPACE_T, 0);
    open_origins(r, &m->source);
    actio_words_open(r);
    if (!parse_all(r)) return;
    m->description = description(r);
    keep_overrides(r);
    actio_declare_all(r);
    actio_define_all(r);
    actio_statements_all(r);
    if (actio_reader_failed(r)) return; /* columns, claims and conditions would only repeat it */
    actio_columns_all(r);
    actio_claims_all(r);
    actio_requires_all(r);
}

static bool sizes_fit(const struct actio_reader *r, size_t length)
{
    enum { MOST_TEXT = 1 << 30, MOST_OPTIONS = 60000 };
    const char *what = length > MOST_TEXT ? "the text" : r->overrides > MOST_OPTIONS ? "the number of options" : NULL;
    if (what)
        actio_report(r->findings, ACTIO_F_TOO_LARGE,
                     ACTIO_ARGS(ACTIO_TEXT(what), ACTIO_COUNT(length > MOST_TEXT ? length : r->overrides),
                                ACTIO_COUNT(length > MOST_TEXT ? MOST_TEXT : MOST_OPTIONS)));
    return !what;
}

struct actio_model *actio_model_read_text(struct actio_context *ctx, const char *file, const char *text, size_t length,
                                          const struct actio_override *override, size_t overrides,
                                          struct actio_findings *findings)
{
    struct actio_findings *outer = ctx->findings;
    struct actio_model *m = actio_alloc(ctx, 1, sizeof *m);
    struct actio_reader r = { .ctx = ctx,
                              .model = m,
                              .findings = findings,
                              .errors_before = findings->errors,
                              .override = override,
                              .overrides = overrides };
    struct actio_source source = { file, text, length };
    struct reading job = { &r, &source };
    if (!m) {
        actio_report(findings, ACTIO_F_OUT_OF_MEMORY,
                     ACTIO_ARGS(ACTIO_TEXT("reading the model"), ACTIO_COUNT(ctx->bytes_limit)));
        return NULL;
    }
    m->ctx = ctx;
    actio_arena_open(&m->arena, ctx);
    actio_arena_open(&r.scratch, ctx);
    ctx->findings = findings;
    bool wrong = !sizes_fit(&r, length) || actio_attempt(ctx, read_stages, &job) != 0;
    ctx->findings = outer;
    actio_arena_close(&r.scratch);
    if (!wrong && findings->errors == r.errors_before) return m;
    actio_model_free(m);
    return NULL;
}

void actio_model_free(struct actio_model *model)
{
    if (!model) return;
    actio_arena_close(&model->arena);
    actio_free(model->ctx, model);
}

/* ---- numbers and names */

static double param_value(void *user, actio_slot slot)
{
    const struct actio_model *m = user;
    return slot.space == ACTIO_SPACE_PARAM && slot.index < m->params ? m->param[slot.index].value : NAN;
}

double actio_model_number(struct actio_model *model, actio_expr e)
{
    if (actio_is_const(&model->pool, e)) return actio_const_value(&model->pool, e);
    return actio_value_of(&model->pool, e, param_value, model);
}

struct moment {
    struct actio_model *model;
    double t;
};

static double value_then(void *user, actio_slot slot)
{
    struct moment *m = user;
    return slot.space == ACTIO_SPACE_T ? m->t : param_value(m->model, slot);
}

double actio_model_number_at(struct actio_model *model, actio_expr e, double t)
{
    return actio_value_of(&model->pool, e, value_then, &(struct moment){ model, t });
}

/* Without blanks around, and without comments before it. */
void actio_written_trim(const struct actio_model *model, struct actio_written_term *t)
{
    const char *text = model->source.text;
    bool comment = false;
    for (; t->from < t->to && (comment || strchr(" \t\r\n#", text[t->from])); t->from++)
        if (text[t->from] == '#' || text[t->from] == '\n') comment = text[t->from] == '#';
    while (t->to > t->from && strchr(" \t\r\n", text[t->to - 1])) t->to--;
}

/* The sums of one formula were made from left to right, one after the other. */
size_t actio_model_terms(const struct actio_model *model, uint32_t from, struct actio_written_term *out, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < model->written.sums && count < most; i++) {
        const struct actio_written_sum *s = &model->written.sum[i];
        if (s->from != from) continue;
        if (count == 0) out[count++] = (struct actio_written_term){ .e = s->a, .from = from, .to = s->at };
        if (count < most)
            out[count++] = (struct actio_written_term){ .e = s->b, .minus = s->minus, .from = s->at + 1, .to = s->to };
    }
    for (size_t k = 0; k < count; k++) actio_written_trim(model, &out[k]);
    return count;
}

static const char *symbol_base(const struct actio_model *m, actio_slot slot)
{
    switch (slot.space) {
    case ACTIO_SPACE_T: return "t";
    case ACTIO_SPACE_PARAM: return m->param[slot.index].name;
    case ACTIO_SPACE_AXIS: return slot.axis ? m->field.axis[slot.axis - 1].name : NULL;
    case ACTIO_SPACE_Q:
    case ACTIO_SPACE_V:
    case ACTIO_SPACE_ACC: return m->coord[slot.index].name;
    case ACTIO_SPACE_HELD: return m->resets.held[slot.index].name;
    case ACTIO_SPACE_STATE:
    case ACTIO_SPACE_SDOT: return m->state[slot.index].name;
    case ACTIO_SPACE_LAMBDA: return m->constraint[slot.index].label;
    case ACTIO_SPACE_REACTION:
        return slot.index < m->coords ? m->coord[slot.index].name : m->state[slot.index - m->coords].name;
    case ACTIO_SPACE_COLUMN: return m->output.column_name[slot.index];
    case ACTIO_SPACE_EXTERNAL: return m->outside.line[slot.index].name;
    default: return NULL;
    }
}

void actio_model_symbol_name(void *model, actio_slot slot, struct actio_text *out)
{
    const char *base = symbol_base(model, slot);
    if (!base) {
        actio_text_format(out, "s%u_%u", (unsigned)slot.space, (unsigned)slot.index);
        return;
    }
    if (slot.space == ACTIO_SPACE_EXTERNAL) {
        actio_text_format(out, "external(\"%s\")", base);
        return;
    }
    if (slot.space == ACTIO_SPACE_LAMBDA) actio_text_add(out, "lambda.");
    if (slot.space == ACTIO_SPACE_REACTION) actio_text_add(out, "reaction.");
    actio_text_add(out, base);
    if (slot.space == ACTIO_SPACE_V || slot.space == ACTIO_SPACE_SDOT) actio_text_add(out, "'");
    if (slot.space == ACTIO_SPACE_ACC) actio_text_add(out, "''");
}

/* "reaction.x", "E_k": letters stand upright, signs that LaTeX would read are taken away */
static void latex_upright(const char *s, struct actio_text *out)
{
    actio_text_add(out, "\\mathrm{");
    for (; *s; s++) {
        if (*s == '_') actio_text_add(out, "\\_");
        else if (!strchr("#$%&{}^~\\", *s)) actio_text_bytes(out, s, 1);
    }
    actio_text_add(out, "}");
}

void actio_model_symbol_latex(void *model, actio_slot slot, struct actio_text *out)
{
    static const char *const accent[] = {
#define SPACE(name, level, accent, meaning) accent,
#include "expr/spaces.def"
#undef SPACE
    };
    const char *base = symbol_base(model, slot);
    if (!base) actio_text_format(out, "s_{%u}", (unsigned)slot.index);
    else if (slot.space == ACTIO_SPACE_COLUMN || slot.space == ACTIO_SPACE_EXTERNAL) latex_upright(base, out);
    else if (slot.space == ACTIO_SPACE_LAMBDA || slot.space == ACTIO_SPACE_REACTION) {
        bool lambda = slot.space == ACTIO_SPACE_LAMBDA;
        actio_text_add(out, lambda ? "\\lambda_{" : "R_{");
        (lambda ? latex_upright : actio_latex_name)(base, out);
        actio_text_add(out, "}");
    } else actio_latex_accented(accent[slot.space], base, out);
}

/* SPDX-License-Identifier: Apache-2.0
 * The table of words: each name once, found by its text; near misses for messages. */
#include "model/reader.h"

#include <string.h>

static uint32_t hash_text(const char *s, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h ^ (h >> 13);
}

static void rehash(struct actio_reader *r)
{
    uint32_t size = r->vocabulary.buckets ? 2 * r->vocabulary.buckets : 512;
    r->vocabulary.bucket = actio_arena_array(&r->scratch, size, sizeof *r->vocabulary.bucket); /* holds word + 1 */
    r->vocabulary.buckets = size;
    for (uint32_t w = 1; w < r->vocabulary.words; w++) {
        uint32_t at = hash_text(r->vocabulary.word[w].text, r->vocabulary.word[w].length) & (size - 1);
        while (r->vocabulary.bucket[at]) at = (at + 1) & (size - 1);
        r->vocabulary.bucket[at] = w + 1;
    }
}

/* The bucket where a text is, or would be. */
static uint32_t bucket_of(const struct actio_reader *r, const char *text, size_t length)
{
    uint32_t at = hash_text(text, length) & (r->vocabulary.buckets - 1);
    for (; r->vocabulary.bucket[at]; at = (at + 1) & (r->vocabulary.buckets - 1)) {
        const struct actio_word *w = &r->vocabulary.word[r->vocabulary.bucket[at] - 1];
        if (w->length == length && memcmp(w->text, text, length) == 0) break;
    }
    return at;
}

uint32_t actio_word_of(struct actio_reader *r, const char *text, size_t length)
{
    if (2 * r->vocabulary.words >= r->vocabulary.buckets) rehash(r);
    uint32_t at = bucket_of(r, text, length);
    if (r->vocabulary.bucket[at]) return r->vocabulary.bucket[at] - 1;
    const char *kept = actio_arena_text(&r->model->arena, text, length);
    ACTIO_PUSH(&r->scratch, r->vocabulary.word, r->vocabulary.words, r->vocabulary.words_cap) =
        (struct actio_word){ .text = kept, .length = (uint32_t)length };
    r->vocabulary.bucket[at] = r->vocabulary.words;
    return r->vocabulary.words - 1;
}

static void add_word(struct actio_reader *r, const char *text, enum actio_word_class class, enum actio_op op)
{
    uint32_t w = actio_word_of(r, text, strlen(text)); /* may move r->word */
    r->vocabulary.word[w].class = (uint8_t) class;
    r->vocabulary.word[w].op = (uint8_t)op;
}

/* Functions whose words are free names, too: they count before a bracket, where no value has that name. */
static const struct {
    const char *text;
    uint8_t op;
} late[] = {
    { "floor", ACTIO_FLOOR }, { "mod", ACTIO_MOD }, { "ln", ACTIO_LOG }, { "hypot", ACTIO_HYPOT }, { "erf", ACTIO_ERF },
};

static bool is_late(int op)
{
    bool found = op == ACTIO_AND || op == ACTIO_OR || op == ACTIO_NOT;
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        found = found || strcmp(late[i].text, actio_op_text((enum actio_op)op)) == 0;
    return found;
}

static bool is_function(int op)
{
    char c = actio_op_text((enum actio_op)op)[0];
    return c >= 'a' && c <= 'z' && op != ACTIO_IF && op != ACTIO_FMA && !is_late(op);
}

void actio_words_open(struct actio_reader *r)
{
    /* word 0 is not a word */
    ACTIO_PUSH(&r->scratch, r->vocabulary.word, r->vocabulary.words, r->vocabulary.words_cap) =
        (struct actio_word){ .text = "" };
#define WORD(name, class) add_word(r, #name, ACTIO_WC_##class, ACTIO_CONST);
#include "model/words.def"
#undef WORD
    for (int op = 0; op < ACTIO_OP_COUNT; op++)
        if (is_function(op)) add_word(r, actio_op_text((enum actio_op)op), ACTIO_WC_FUNCTION, (enum actio_op)op);
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        add_word(r, late[i].text, ACTIO_WC_FREE, (enum actio_op)late[i].op);
}

const char *actio_word_text(const struct actio_reader *r, uint32_t word) { return r->vocabulary.word[word].text; }

bool actio_word_calls(const struct actio_reader *r, uint32_t word)
{
    const struct actio_word *w = &r->vocabulary.word[word];
    return w->class == ACTIO_WC_FUNCTION || w->class == ACTIO_WC_SPECIAL || (w->op && !w->declared);
}

bool actio_word_reserved(const struct actio_reader *r, uint32_t word)
{
    return r->vocabulary.word[word].class > ACTIO_WC_FREE;
}

uint32_t actio_word_member(struct actio_reader *r, uint32_t head, double index)
{
    char text[ACTIO_NAME_LIMIT * 2 + 48];
    const struct actio_word *w = &r->vocabulary.word[head];
    memcpy(text, w->text, w->length);
    size_t n = w->length;
    text[n++] = '[';
    n += actio_number_text(index, text + n);
    text[n++] = ']';
    return actio_word_of(r, text, n);
}

uint32_t actio_word_dotted(struct actio_reader *r, uint32_t stem, uint32_t label)
{
    char text[ACTIO_NAME_LIMIT * 2 + 2];
    const struct actio_word *a = &r->vocabulary.word[stem], *b = &r->vocabulary.word[label];
    memcpy(text, a->text, a->length);
    text[a->length] = '.';
    memcpy(text + a->length + 1, b->text, b->length);
    uint32_t w = actio_word_of(r, text, a->length + 1 + b->length);
    r->vocabulary.word[w].stem = stem;
    r->vocabulary.word[w].label = label;
    return w;
}

static bool in_list(const struct actio_word *w, enum actio_near_list list)
{
    switch (list) {
    case ACTIO_NEAR_VALUE:
        return w->definition || w->class == ACTIO_WC_FUNCTION || w->class == ACTIO_WC_VALUE
               || w->class == ACTIO_WC_SPECIAL;
    case ACTIO_NEAR_LABEL: return w->label_definition;
    case ACTIO_NEAR_STATEMENT:
        return w->class == ACTIO_WC_STATEMENT || w->class == ACTIO_WC_LATER || w->class == ACTIO_WC_OPENER;
    case ACTIO_NEAR_FUNCTION: return w->class == ACTIO_WC_FUNCTION || w->class == ACTIO_WC_SPECIAL || w->op;
    case ACTIO_NEAR_COLUMN: return w->column;
    }
    return false;
}

const char *actio_word_hint(struct actio_reader *r, const char *text, enum actio_near_list list, const char *otherwise)
{
    const char **names = actio_arena_array(&r->scratch, r->vocabulary.words, sizeof *names);
    size_t count = 0;
    for (uint32_t w = 1; w < r->vocabulary.words; w++)
        if (in_list(&r->vocabulary.word[w], list)) names[count++] = r->vocabulary.word[w].text;
    const char *near = actio_near_name(text, names, count);
    return near ? actio_arena_format(&r->scratch, "did you mean '%s'?", near) : otherwise;
}

/* What functions are called elsewhere, and how they are written here. */
static const struct {
    const char *name, *written;
} elsewhere[] = {
    { "log10", "log(x)/log(10)" },
    { "lg", "log(x)/log(10)" },
    { "log2", "log(x)/log(2)" },
    { "pow", "x^y" },
    { "sqr", "x^2" },
    { "cbrt", "x^(1/3)" },
    { "ceil", "-floor(-x)" },
    { "ceiling", "-floor(-x)" },
    { "round", "floor(x + 1/2)" },
    { "trunc", "sign(x)*floor(abs(x))" },
    { "int", "floor(x)" },
    { "fmod", "mod(x, y)" },
    { "rem", "mod(x, y)" },
    { "arcsin", "asin(x)" },
    { "arccos", "acos(x)" },
    { "arctan", "atan(x)" },
    { "arctan2", "atan2(y, x)" },
    { "cot", "1/tan(x)" },
    { "sec", "1/cos(x)" },
    { "csc", "1/sin(x)" },
    { "sgn", "sign(x)" },
    { "fabs", "abs(x)" },
    { "norm", "hypot(x, y)" },
    { "heaviside", "if(x < 0, 0, 1)" },
    { "step", "if(x < 0, 0, 1)" },
    { "theta", "if(x < 0, 0, 1)" },
    { "where", "if(a < b, x, y)" },
    { "clip", "min(max(x, a), b)" },
    { "clamp", "min(max(x, a), b)" },
    { "der", "x'" },
    { "dot", "x'" },
    { "ddt", "x'" },
};

static const char *written_here(struct actio_reader *r, const char *name)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(elsewhere[i].name, name) == 0)
            return actio_arena_format(&r->scratch, "write %s", elsewhere[i].written);
    return NULL;
}

const char *actio_word_function_hint(struct actio_reader *r, uint32_t word)
{
    const char *text = actio_word_text(r, word),
               *own = r->vocabulary.word[word].declared ? NULL : written_here(r, text);
    if (r->vocabulary.word[word].op && r->vocabulary.word[word].declared)
        return actio_arena_format(&r->scratch, "rename the model's value '%s' to use the function %s( )", text, text);
    return own ? own : actio_word_hint(r, text, ACTIO_NEAR_FUNCTION, "write * before the bracket for a product");
}

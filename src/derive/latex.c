/* SPDX-License-Identifier: Apache-2.0
 * A derivation as a LaTeX document: one align environment a section, amsmath only, nothing of the model's text
 * unescaped. */
#include "derive/field_jets.h"
#include "expr/normal.h"

#include <string.h>

/* signs of a line; letters of words in one; largest matrix in full, and bytes of its entries */
enum { WIDTH = 84, LETTERS = 100, FULL = 10, DENSE = 900 };
enum { BLOCK = 2500, LONGEST = 20000 };  /* bytes of an environment and so of a row, of a formula */
static const char row_end[] = " \\\\\n"; /* of an align environment; matrices inside have no line breaks */

/* ---- letters */

static const char *const small_greek[] = { "\\alpha",   "\\beta", "\\gamma",    "\\delta", "\\epsilon",
                                           "\\zeta",    "\\eta",  "\\theta",    "\\iota",  "\\kappa",
                                           "\\lambda",  "\\mu",   "\\nu",       "\\xi",    "o",
                                           "\\pi",      "\\rho",  "\\varsigma", "\\sigma", "\\tau",
                                           "\\upsilon", "\\phi",  "\\chi",      "\\psi",   "\\omega" };
static const char *const capital_greek[] = {
    "\\mathrm{A}", "\\mathrm{B}", "\\Gamma",     "\\Delta",  "\\mathrm{E}", "\\mathrm{Z}", "\\mathrm{H}",
    "\\Theta",     "\\mathrm{I}", "\\mathrm{K}", "\\Lambda", "\\mathrm{M}", "\\mathrm{N}", "\\Xi",
    "\\mathrm{O}", "\\Pi",        "\\mathrm{P}", "",         "\\Sigma",     "\\mathrm{T}", "\\Upsilon",
    "\\Phi",       "\\mathrm{X}", "\\Psi",       "\\Omega"
};

static size_t letter_bytes(unsigned char first) { return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4; }

/* Letters beyond ASCII as commands: TeX engines differ in what they read. */
static void plain_letters(const char *s, struct actio_text *out)
{
    for (size_t n; *s; s += n) {
        n = letter_bytes((unsigned char)*s);
        for (size_t i = 1; i < n; i++)
            if (!s[i]) n = i;
        unsigned code = n == 2 ? ((unsigned char)s[0] & 31u) << 6 | ((unsigned char)s[1] & 63u) : 0;
        if (n == 1) actio_text_bytes(out, s, 1);
        else if (code >= 0x3B1 && code <= 0x3C9) actio_text_format(out, "{%s}", small_greek[code - 0x3B1]);
        else if (code >= 0x391 && code <= 0x3A9) actio_text_format(out, "{%s}", capital_greek[code - 0x391]);
        else actio_text_format(out, "\\text{%.*s}", (int)n, s);
    }
}

/* Words outside of formulas. */
static void escaped(const char *s, struct actio_text *out)
{
    for (; *s; s++) {
        if (*s == '_') actio_text_add(out, "\\_");
        else if (s[0] == '-' && s[1] == '-') actio_text_add(out, "-{}"); /* or TeX makes one dash of two */
        else if (*s == '\'') actio_text_add(out, "'");
        else if ((unsigned char)*s >= 32 && !strchr("\\{}$&#^~%<>|\"", *s)) actio_text_bytes(out, s, 1);
        else actio_text_add(out, " ");
    }
}

static void symbol_name(void *user, actio_slot slot, struct actio_text *out)
{
    struct actio_derivation *d = user;
    struct actio_text plain;
    if (d->jets && actio_jet_latex(d->jets, slot, out)) return;
    bool rate = actio_shown_multiplier(d, &slot);
    if (slot.space == ACTIO_SPACE_HIDDEN) actio_text_add(out, d->name[slot.index].latex);
    else if (!rate) actio_model_symbol_latex(d->model, slot, out);
    if (!rate) return;
    actio_text_open(&plain, &d->arena); /* \lambda_{...}: the dot stands over the letter */
    actio_model_symbol_latex(d->model, slot, &plain);
    size_t letter = strcspn(plain.s, "_");
    actio_text_format(out, "\\dot{%.*s}%s", (int)letter, plain.s, plain.s + letter);
}

static const char *formula(struct actio_derivation *d, actio_expr e, bool plain)
{
    struct actio_text raw, out;
    actio_text_open(&raw, &d->arena);
    actio_text_open(&out, &d->arena);
    (plain ? actio_print_latex : actio_print_latex_nice)(&d->F->pool, e, symbol_name, d, &raw);
    plain_letters(raw.s, &out);
    return out.s;
}

/* ---- items: rows of an align environment */

static void continued(struct actio_wrap *w, struct actio_text *out)
{
    while (w->sign) {
        const char *from = w->at;
        actio_text_format(out, "%s&\\quad %c ", row_end, w->sign);
        actio_text_bytes(out, from, actio_wrap_next(w));
    }
}

static struct actio_wrap wrapped(struct actio_derivation *d, const char *s)
{
    return (
        struct actio_wrap){ .at = actio_wrap_loose(&d->arena, s, WIDTH), .width = WIDTH, .depth = ACTIO_WRAP_DEPTH };
}

static void write_equation(struct actio_derivation *d, const struct actio_shown *item, struct actio_text *out)
{
    struct actio_wrap left = wrapped(d, formula(d, item->left, false)),
                      right = wrapped(d, formula(d, item->right, item->plain));
    bool long_left = actio_wrap_width(left.at) > WIDTH / 2; /* right sides stand one below the other */
    const char *from = left.at;
    if (long_left) actio_text_add(out, "& ");
    if (item->label) {
        actio_text_add(out, "\\text{");
        escaped(item->label, out);
        actio_text_add(out, ":}\\quad ");
    }
    actio_text_bytes(out, from, actio_wrap_next(&left));
    continued(&left, out);
    actio_text_add(out, long_left ? " \\\\\n&\\quad = " : " &= ");
    from = right.at;
    actio_text_bytes(out, from, actio_wrap_next(&right));
    continued(&right, out);
}

static void write_list(struct actio_derivation *d, const struct actio_shown *item, struct actio_text *out)
{
    actio_text_add(out, "& ");
    for (size_t i = 0; i < item->cols; i++)
        actio_text_format(out, "%s%s", formula(d, item->entry[i], false),
                          i + 1 == item->cols ? ""
                          : (i + 1) % 12      ? ",\\; "
                                              : ", \\\\\n& ");
}

static void write_entries(struct actio_derivation *d, const struct actio_shown *item, const char *const *entry,
                          struct actio_text *out)
{
    bool first = true;
    for (size_t k = 0; k < item->rows * item->cols; k++) {
        struct actio_wrap w = wrapped(d, entry[k]);
        if (actio_is_zero(item->entry[k]) || (item->is_symmetric && k / item->cols > k % item->cols)) continue;
        if (!first) actio_text_add(out, row_end);
        first = false;
        if (!item->is_vector)
            actio_text_format(out, "%s_{%zu,%zu} &= ", item->label, k / item->cols + 1, k % item->cols + 1);
        else actio_text_format(out, "%s_{%zu} &= ", item->label, k + 1);
        const char *from = w.at;
        actio_text_bytes(out, from, actio_wrap_next(&w));
        continued(&w, out);
    }
    if (first) actio_text_format(out, "%s &= 0", item->label);
}

static void write_matrix(struct actio_derivation *d, const struct actio_shown *item, struct actio_text *out)
{
    size_t count = item->rows * item->cols, bytes = 0;
    const char **entry = actio_arena_array(&d->arena, count + 1, sizeof *entry);
    for (size_t k = 0; k < count; k++) {
        entry[k] = actio_is_zero(item->entry[k]) ? "0" : formula(d, item->entry[k], false);
        bytes += strlen(entry[k]);
    }
    bool column = item->is_vector; /* a vector stands upright */
    bool large = (column ? item->cols : item->rows) > FULL || (!column && item->cols > FULL) || bytes > DENSE;
    if (large && !item->only_in_full) write_entries(d, item, entry, out);
    if (large) return;
    actio_text_format(out, "%s &= \\begin{pmatrix} ", item->label);
    for (size_t k = 0; k < count; k++)
        actio_text_format(out, "%s%s", entry[k],
                          k + 1 == count                        ? " \\end{pmatrix}"
                          : column || (k + 1) % item->cols == 0 ? " \\\\ "
                                                                : " & ");
}

/* A page has room for so many letters: what is longer goes on in the next row. */
static void write_words(struct actio_derivation *d, const char *words, struct actio_text *out)
{
    for (size_t n; *words; words += n + (words[n] == ' ')) {
        n = strlen(words);
        if (n > LETTERS)
            for (n = LETTERS; n > LETTERS / 2 && words[n] != ' ';) n--;
        if (words[n] && words[n] != ' ') n = strlen(words);
        actio_text_add(out, out->length ? " \\\\\n& \\text{" : "& \\text{");
        escaped(actio_arena_text(&d->arena, words, n), out);
        actio_text_add(out, "}");
    }
}

static void write_item(struct actio_derivation *d, const struct actio_shown *item, struct actio_text *out)
{
    switch (item->kind) {
    case ACTIO_SHOWN_EQUATION: write_equation(d, item, out); break;
    case ACTIO_SHOWN_LIST: write_list(d, item, out); break;
    case ACTIO_SHOWN_MATRIX: write_matrix(d, item, out); break;
    case ACTIO_SHOWN_WORDS: write_words(d, item->words, out); break;
    }
}

/* Rows into environments, several when one would be long: what shows formulas on a page takes only so many macros at
 * once. */
static void pack(const char *rows, struct actio_text *out)
{
    size_t held = 0;
    actio_text_add(out, "\\begin{align*}\n");
    while (*rows) {
        const char *end = strstr(rows, row_end);
        size_t n = end ? (size_t)(end - rows) : strlen(rows);
        if (held && held + n > BLOCK) {
            actio_text_add(out, "\n\\end{align*}\n\\begin{align*}\n");
            held = 0;
        } else if (held) actio_text_add(out, row_end);
        actio_text_add(out, "  ");
        actio_text_bytes(out, rows, n);
        held += n;
        rows += n + (end ? strlen(row_end) : 0);
    }
    actio_text_add(out, "\n\\end{align*}\n");
}

static size_t longest_row(const char *rows)
{
    size_t longest = 0;
    for (const char *end; (end = strstr(rows, row_end)); rows = end + strlen(row_end))
        if ((size_t)(end - rows) > longest) longest = (size_t)(end - rows);
    return strlen(rows) > longest ? strlen(rows) : longest;
}

static void write_section(struct actio_derivation *d, const struct actio_shown_section *s, struct actio_text *out)
{
    struct actio_text rows;
    actio_text_open(&rows, &d->arena);
    if (*s->latex_rule) actio_text_format(&rows, "& %s%s", s->latex_rule, row_end);
    for (size_t k = 0; k < s->items; k++) {
        struct actio_text row;
        actio_text_open(&row, &d->arena);
        write_item(d, &s->item[k], &row);
        if (row.length == 0) continue;
        if (row.length > LONGEST || longest_row(row.s) > BLOCK) {
            row.length = 0;
            write_words(d, "Formula too long to display; --format c writes it as code.", &row);
        }
        actio_text_bytes(&rows, row.s, row.length);
        if (k + 1 < s->items) actio_text_add(&rows, row_end);
    }
    pack(rows.s, out);
}

void actio_derive_latex(struct actio_derivation *d)
{
    actio_text_add(&d->text, "\\documentclass{article}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n"
                             "\\setlength{\\textwidth}{17cm}\n\\setlength{\\oddsidemargin}{-0.5cm}\n\\setlength{"
                             "\\textheight}{23cm}\n\\setlength{\\topmargin}{-1.5cm}\n"
                             "\\begin{document}\n\\section*{");
    escaped(d->model->name ? d->model->name : "model", &d->text);
    actio_text_format(&d->text, "}\n%s.\n", d->by_title);
    for (size_t i = 0; i < d->sections; i++) {
        struct actio_shown_section *s = &d->section[i];
        struct actio_text out;
        actio_text_open(&out, &d->arena);
        write_section(d, s, &out);
        actio_text_format(&d->text, "\n\\subsection*{%s}\n", s->title);
        actio_text_bytes(&d->text, out.s, out.length);
        s->text = out.s;
    }
    actio_text_add(&d->text, "\n\\end{document}\n");
}

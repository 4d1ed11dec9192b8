/* SPDX-License-Identifier: Apache-2.0
 * Column names as one writes them by hand: Greek letters, primes, lowered indices. Files keep the names as they are. */
#include "result/output.h"
#include "result/plot.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word, *letter;
} greek[] = {
    { "alpha", "α" }, { "beta", "β" },   { "gamma", "γ" }, { "delta", "δ" }, { "epsilon", "ε" }, { "zeta", "ζ" },
    { "eta", "η" },   { "theta", "θ" },  { "iota", "ι" },  { "kappa", "κ" }, { "lambda", "λ" },  { "mu", "μ" },
    { "nu", "ν" },    { "xi", "ξ" },     { "pi", "π" },    { "rho", "ρ" },   { "sigma", "σ" },   { "tau", "τ" },
    { "phi", "φ" },   { "chi", "χ" },    { "psi", "ψ" },   { "omega", "ω" }, { "Gamma", "Γ" },   { "Delta", "Δ" },
    { "Theta", "Θ" }, { "Lambda", "Λ" }, { "Xi", "Ξ" },    { "Pi", "Π" },    { "Sigma", "Σ" },   { "Phi", "Φ" },
    { "Psi", "Ψ" },   { "Omega", "Ω" },
};

static size_t letters(const char *s)
{
    size_t n = 0;
    while (isalpha((unsigned char)s[n])) n++;
    return n;
}

static void add_word(struct actio_text *t, const char *s, size_t n)
{
    for (size_t i = 0; i < sizeof greek / sizeof *greek; i++)
        if (strlen(greek[i].word) == n && !strncmp(greek[i].word, s, n)) {
            actio_text_add(t, greek[i].letter);
            return;
        }
    actio_text_bytes(t, s, n);
}

static void add_lowered(struct actio_text *t, const char *digits, size_t n)
{
    for (size_t i = 0; i < n; i++) actio_text_format(t, "\xE2\x82%c", (char)(0x80 + digits[i] - '0'));
}

static size_t digits_at(const char *s, const char *end)
{
    size_t n = 0;
    while (s + n < end && isdigit((unsigned char)s[n])) n++;
    return n;
}

/* A name without its derivative: a word, then an index if that is all that follows. */
static void add_base(struct actio_text *t, const char *s, const char *end)
{
    size_t word = letters(s);
    if (s + word > end) word = (size_t)(end - s);
    add_word(t, s, word);
    s += word;
    const char *index = s + (s < end && *s == '_');
    size_t n = digits_at(index, end);
    if (n > 0 && index + n == end) add_lowered(t, index, n);
    else actio_text_bytes(t, s, (size_t)(end - s));
}

/* One part of a column's name, up to a dot: NAME [_dot] [[INT]]. */
static void add_part(struct actio_text *t, const char *s, const char *end)
{
    const char *bracket = memchr(s, '[', (size_t)(end - s)), *name_end = bracket ? bracket : end;
    bool rate = name_end - s > 4 && !strncmp(name_end - 4, "_dot", 4);
    add_base(t, s, name_end - (rate ? 4 : 0));
    if (rate) actio_text_add(t, "\xE2\x80\xB2");
    if (!bracket) return;
    size_t n = digits_at(bracket + 1, end);
    if (n > 0 && bracket + 2 + n == end) add_lowered(t, bracket + 1, n);
    else actio_text_bytes(t, bracket, (size_t)(end - bracket));
}

const char *actio_pretty_name(const char *name, struct actio_arena *arena)
{
    struct actio_text t;
    name = actio_clean_text(name, arena);
    actio_text_open(&t, arena);
    for (const char *end; *name; name = *end ? end + 1 : end) {
        end = name + strcspn(name, ".");
        add_part(&t, name, end);
        if (*end) actio_text_add(&t, " ");
    }
    return t.s;
}

const char *actio_raised(int number, struct actio_arena *arena)
{
    static const char *const figure[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };
    char plain[16];
    struct actio_text t;
    actio_text_open(&t, arena);
    actio_text_add(&t, number < 0 ? "⁻" : "");
    int n = abs(number), length = 0;
    do plain[length++] = (char)(n % 10);
    while ((n /= 10) > 0);
    while (length > 0) actio_text_add(&t, figure[(int)plain[--length]]);
    return t.s;
}

const char *actio_clean_text(const char *s, struct actio_arena *arena)
{
    struct actio_text t;
    uint32_t c;
    actio_text_open(&t, arena);
    if (!s) return t.s;
    for (const char *end = s + strcspn(s, "\r\n"); s < end;) {
        size_t n = actio_utf8_next(s, end, &c);
        if (c == 0xFFFD) actio_text_add(&t, "\xEF\xBF\xBD");
        else if (c < 0x20 || (c >= 0x7F && c < 0xA0)) actio_text_add(&t, " ");
        else actio_text_bytes(&t, s, n);
        s += n;
    }
    return t.s;
}

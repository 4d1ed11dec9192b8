/* SPDX-License-Identifier: Apache-2.0
 * Units as text: words with prefixes into exponents of the base units and a size, and back. */
#include "verdict/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACTIO_PI 3.14159265358979323846

enum { LENGTH, MASS, TIME }; /* places among the exponents */

static const struct unit_row {
    const char *word;
    bool prefixes;
    double size;
    int8_t e[ACTIO_BASE_UNITS];
} units[] = {
#define UNIT(word, prefixes, size, ...) { word, prefixes, size, { __VA_ARGS__ } },
#include "verdict/units.def"
#undef UNIT
};
static const struct {
    const char *word;
    double size;
} prefixes[] = {
    { "da", 1e1 }, { "T", 1e12 }, { "G", 1e9 },  { "M", 1e6 },  { "k", 1e3 },  { "h", 1e2 },   { "d", 1e-1 },
    { "c", 1e-2 }, { "m", 1e-3 }, { "u", 1e-6 }, { "μ", 1e-6 }, { "n", 1e-9 }, { "p", 1e-12 }, { "f", 1e-15 },
};
enum { UNITS = sizeof units / sizeof *units, PREFIXES = sizeof prefixes / sizeof *prefixes };

/* ---- quantities */

static bool fits(double e) { return fabs(e) < 32000 && fabs(e - round(e)) < 1e-6; }

actio_quantity actio_quantity_product(const actio_quantity *a, const actio_quantity *b, int sign)
{
    actio_quantity q = { .known = a->known && b->known,
                         .loose = a->loose || b->loose,
                         .size = a->size + sign * b->size };
    if (!q.known) return (actio_quantity){ 0 };
    for (int i = 0; i < ACTIO_BASE_UNITS; i++) {
        int e = a->e[i] + sign * b->e[i];
        if (!fits(e)) return (actio_quantity){ 0 };
        q.e[i] = (int16_t)e;
    }
    return q;
}

actio_quantity actio_quantity_power(const actio_quantity *a, double k)
{
    actio_quantity q = { .known = a->known, .loose = a->loose, .size = a->size * k };
    for (int i = 0; i < ACTIO_BASE_UNITS; i++) {
        double e = a->e[i] * k;
        if (!a->known || !fits(e)) return (actio_quantity){ 0 };
        q.e[i] = (int16_t)round(e);
    }
    return q;
}

bool actio_same_powers(const actio_quantity *a, const actio_quantity *b)
{
    return memcmp(a->e, b->e, sizeof a->e) == 0;
}

bool actio_same_size(const actio_quantity *a, const actio_quantity *b)
{
    return a->loose || b->loose || fabs(a->size - b->size) < 1e-9;
}

/* ---- words */

static const struct unit_row *row_of(const char *word)
{
    for (int i = 0; i < UNITS; i++)
        if (strcmp(units[i].word, word) == 0) return &units[i];
    return NULL;
}

static const struct unit_row *find_word(const char *word, double *prefix)
{
    const struct unit_row *row = row_of(word);
    *prefix = 1;
    for (int i = 0; !row && i < PREFIXES; i++) {
        size_t n = strlen(prefixes[i].word);
        const struct unit_row *rest = strncmp(word, prefixes[i].word, n) == 0 ? row_of(word + n) : NULL;
        if (rest && rest->prefixes) {
            row = rest;
            *prefix = prefixes[i].size;
        }
    }
    return row;
}

static bool is_word(const char *word)
{
    double prefix;
    return find_word(word, &prefix) != NULL;
}

static bool is_time(const struct unit_row *row)
{
    for (int i = 0; i < ACTIO_BASE_UNITS; i++)
        if (row->e[i] != (i == TIME)) return false;
    return true;
}

/* Words like N or Hz count in seconds. */
static void note_time(struct actio_unit *out, const struct unit_row *row, const char *word, double size)
{
    if (row->e[TIME] == 0) return;
    const char *name = is_time(row) ? word : "s";
    double log_size = is_time(row) ? log(size) : 0;
    if (!*out->time && strlen(name) < sizeof out->time) {
        strcpy(out->time, name);
        out->time_size = log_size;
    } else if (fabs(out->time_size - log_size) > 1e-9) out->several_times = true;
}

static void fail(struct actio_unit *out, enum actio_unit_fault fault, const char *word, size_t n)
{
    if (n >= sizeof out->word) n = 0;
    memcpy(out->word, word, n);
    out->word[n] = 0;
    out->fault = fault;
    out->q = (actio_quantity){ 0 };
}

/* ---- [kg m^2/s^2] */

/* ^2, ^-1 or nothing; false when it is neither. */
static bool read_power(const char **p, int *k)
{
    char *end;
    *k = 1;
    if (**p != '^') return true;
    long value = strtol(*p + 1, &end, 10);
    if (end == *p + 1 || value < -20 || value > 20 || (*end && *end != ' ' && *end != '/')) return false;
    *p = end;
    *k = (int)value;
    return true;
}

static void unit_words_times(struct actio_unit *out, const char *word, int k)
{
    double prefix;
    const struct unit_row *row = find_word(word, &prefix);
    if (!row) {
        fail(out, ACTIO_UNIT_NO_WORD, word, strlen(word));
        return;
    }
    actio_quantity one = { .known = true, .size = log(row->size * prefix) };
    for (int i = 0; i < ACTIO_BASE_UNITS; i++) one.e[i] = (int16_t)(row->e[i] * ACTIO_WHOLE_POWER);
    one = actio_quantity_power(&one, k);
    out->q = actio_quantity_product(&out->q, &one, 1);
    note_time(out, row, word, row->size * prefix);
    if (!out->q.known) fail(out, ACTIO_UNIT_UNREADABLE, "", 0);
}

/* A / turns the next word only; a word without one after that could belong to either side of the line. */
void actio_unit_read(const char *text, struct actio_unit *out)
{
    char word[64];
    bool below = false;
    *out = (struct actio_unit){ .q = { .known = true } };
    const char *p = text + (text[0] == '1');
    while (*p && out->fault == ACTIO_UNIT_FINE) {
        int k, sign = *p == '/' ? -1 : 1;
        p += *p == '/' || *p == ' ';
        const char *begin = p;
        size_t n = strcspn(p, " /^");
        p += n;
        if (n == 0 || n >= sizeof word || !read_power(&p, &k)) {
            fail(out, ACTIO_UNIT_UNREADABLE, "", 0);
            return;
        }
        if (sign > 0 && below) {
            fail(out, ACTIO_UNIT_TWO_WAYS, begin, n);
            return;
        }
        memcpy(word, begin, n);
        word[n] = 0;
        below = sign < 0;
        unit_words_times(out, word, sign * k);
    }
}

/* ---- hints */

static const struct {
    const char *spelt, *word;
} spelt_out[] = {
    /* in another case: Kg is not K g */
    { "kg", "kg" },      { "km", "km" },       { "cm", "cm" },       { "mm", "mm" },       { "meter", "m" },
    { "meters", "m" },   { "metre", "m" },     { "metres", "m" },    { "kilogram", "kg" }, { "kilograms", "kg" },
    { "gram", "g" },     { "grams", "g" },     { "sec", "s" },       { "secs", "s" },      { "second", "s" },
    { "seconds", "s" },  { "minute", "min" },  { "minutes", "min" }, { "hr", "h" },        { "hour", "h" },
    { "hours", "h" },    { "days", "day" },    { "years", "year" },  { "radian", "rad" },  { "radians", "rad" },
    { "degree", "deg" }, { "degrees", "deg" }, { "newton", "N" },    { "newtons", "N" },   { "joule", "J" },
    { "joules", "J" },   { "watt", "W" },      { "watts", "W" },     { "pascal", "Pa" },   { "hertz", "Hz" },
    { "volt", "V" },     { "volts", "V" },     { "amp", "A" },       { "amps", "A" },      { "ampere", "A" },
    { "kelvin", "K" },   { "coulomb", "C" },   { "tesla", "T" },
};

static void in_case(const char *word, bool upper, char out[64])
{
    size_t n = 0;
    for (; word[n] && n < 63; n++) {
        char c = word[n];
        out[n] = upper && c >= 'a' && c <= 'z' ? (char)(c - 32) : !upper && c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
    }
    out[n] = 0;
}

/* Nm is N m: two words without the space. */
static const char *split_word(struct actio_arena *arena, const char *word)
{
    for (size_t n = strlen(word); n-- > 1;) {
        const char *first = actio_arena_text(arena, word, n);
        if (is_word(first) && is_word(word + n)) return actio_arena_format(arena, "%s %s", first, word + n);
    }
    return NULL;
}

static const char *near_word(struct actio_arena *arena, const char *word)
{
    char changed[64];
    const char *names[UNITS];
    in_case(word, false, changed);
    for (size_t i = 0; i < sizeof spelt_out / sizeof *spelt_out; i++)
        if (strcmp(spelt_out[i].spelt, changed) == 0) return spelt_out[i].word;
    const char *two = split_word(arena, word);
    if (two) return two;
    if (is_word(changed)) return actio_arena_text(arena, changed, strlen(changed));
    in_case(word, true, changed);
    if (is_word(changed)) return actio_arena_text(arena, changed, strlen(changed));
    for (int i = 0; i < UNITS; i++) names[i] = units[i].word;
    return actio_near_name(word, names, UNITS);
}

const char *actio_unit_hint(struct actio_arena *arena, const char *word)
{
    const char *near = near_word(arena, word);
    if (near) return actio_arena_format(arena, "did you mean '%s'?", near);
    return "use units like m, kg, s, A, K, mol, rad, deg, N, J, W, Pa, Hz, C, V, with prefixes as in mm or kN";
}

/* ---- printing */

static int common_divisor(int a, int b)
{
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void print_power(struct actio_text *out, const char *word, int e)
{
    int by = common_divisor(e, ACTIO_WHOLE_POWER), n = e / by, d = ACTIO_WHOLE_POWER / by;
    actio_text_add(out, word);
    if (d != 1) actio_text_format(out, "^(%d/%d)", n, d);
    else if (n != 1) actio_text_format(out, "^%d", n);
}

static void print_size(struct actio_text *out, double size, bool alone)
{
    char s[40];
    if (fabs(size) < 1e-9) {
        if (alone) actio_text_add(out, "1");
        return;
    }
    snprintf(s, sizeof s, alone ? "%.6g" : "%.6g ", exp(size));
    for (char *p = s; *p; p++)
        if (*p == ',') *p = '.'; /* whatever the locale */
    actio_text_add(out, s);
}

void actio_unit_print(const actio_quantity *q, struct actio_text *out)
{
    static const struct {
        int place;
        const char *word;
    } order[] = { { MASS, "kg" }, { LENGTH, "m" }, { TIME, "s" }, { 3, "A" }, { 4, "K" }, { 5, "mol" }, { 6, "cd" } };
    int above = 0;
    for (int i = 0; i < ACTIO_BASE_UNITS; i++) above += q->e[i] > 0;
    print_size(out, q->loose ? 0 : q->size, above == 0);
    for (int i = 0, first = 1; i < ACTIO_BASE_UNITS; i++)
        if (q->e[order[i].place] > 0) {
            if (!first) actio_text_add(out, " ");
            print_power(out, order[i].word, q->e[order[i].place]);
            first = 0;
        }
    for (int i = 0; i < ACTIO_BASE_UNITS; i++)
        if (q->e[order[i].place] < 0) {
            actio_text_add(out, "/");
            print_power(out, order[i].word, -q->e[order[i].place]);
        }
}

/* SPDX-License-Identifier: Apache-2.0
 *   truth SEED          a random problem: its model, and its motion to 106 bits, as JSON
 *   truth SEED --model  the model only; --family: the name of its family */
#include "truth.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random numbers and texts */

static uint64_t next_random(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double truth_uniform(struct problem *p, double low, double high)
{
    return low + (high - low) * (double)(next_random(&p->random) >> 11) * 0x1p-53;
}

struct literal truth_literal(struct problem *p, double low, double high, long places)
{
    struct literal x;
    double ten = pow(10, (double)places);
    long digits = lrint(truth_uniform(p, low, high) * ten);
    x.value = dd_decimal(digits, places);
    snprintf(x.text, sizeof x.text, "%.*f", (int)places, (double)digits / ten);
    return x;
}

struct literal truth_small(struct problem *p, double low, double high)
{
    struct literal x;
    double wanted = exp(truth_uniform(p, log(low), log(high)));
    long exponent = (long)floor(log10(wanted)), digits = lrint(wanted / pow(10, (double)exponent) * 10);
    if (digits < 10) digits = 10;
    if (digits > 99) digits = 99;
    x.value = exponent - 1 < 0 ? dd_decimal(digits, 1 - exponent)
                               : dd_scale(dd_of((double)digits), pow(10, (double)(exponent - 1)));
    snprintf(x.text, sizeof x.text, "%ld.%lde%ld", digits / 10, digits % 10, exponent);
    return x;
}

void truth_say(struct problem *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int more = vsnprintf(p->model + p->length, TRUTH_TEXT - p->length, format, list);
    va_end(list);
    if (more < 0 || (size_t)more >= TRUTH_TEXT - p->length) exit(2);
    p->length += (size_t)more;
}

void truth_column(struct problem *p, const char *name)
{
    snprintf(p->column[p->columns++], sizeof p->column[0], "%s", name);
}

void truth_make(struct problem *p, uint64_t seed)
{
    static const double tolerance[] = { 1e-3, 1e-4, 1e-6, 1e-8, 1e-9, 1e-10, 1e-12 };
    memset(p, 0, sizeof *p);
    p->random = seed * 0x2545f4914f6cdd1du + 1;
    p->most_events = 1000;
    int which = (int)(next_random(&p->random) % (uint64_t)truth_family_count);
    p->family = truth_families[which].name;
    p->tolerance = tolerance[next_random(&p->random) % (sizeof tolerance / sizeof *tolerance)];
    truth_families[which].make(p);
}

/* ---- output */

static void print_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '\n') printf("\\n");
        else putchar(*text);
    }
    putchar('"');
}

static void print_row(const struct problem *p, const struct truth_rows *rows, int r)
{
    printf("%s\n[%.17g, %.3g", r ? "," : "", rows->time[r], rows->growth[r]);
    for (int c = 0; c < p->columns; c++) printf(", %.17g, %.17g", rows->value[r][c].h, rows->value[r][c].l);
    printf("]");
}

int main(int argc, char **argv)
{
    static struct problem p;
    static struct truth_rows rows;
    if (argc < 2) {
        fprintf(stderr, "usage: truth SEED [--model | --family]\n");
        return 2;
    }
    uint64_t seed = strtoull(argv[1], NULL, 10);
    truth_make(&p, seed);
    if (argc > 2) {
        puts(strcmp(argv[2], "--family") == 0 ? p.family : p.model);
        return 0;
    }
    bool good = truth_reference(&p, &rows);
    printf("{\"seed\": %llu, \"family\": \"%s\", \"tolerance\": %g, \"good\": %s, \"steps\": %ld, \"events\": %d, ",
           (unsigned long long)seed, p.family, p.tolerance, good ? "true" : "false", rows.steps, rows.events);
    printf("\"nearest\": %.3g, \"model\": ", isfinite(rows.nearest) ? rows.nearest : 1e300);
    print_text(p.model);
    printf(", \"columns\": [");
    for (int c = 0; c < p.columns; c++) printf("%s\"%s\"", c ? ", " : "", p.column[c]);
    printf("], \"rows\": [");
    for (int r = 0; good && r < TRUTH_ROWS; r++) print_row(&p, &rows, r);
    printf("]}\n");
    return 0;
}

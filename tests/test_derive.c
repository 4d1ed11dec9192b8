/* SPDX-License-Identifier: Apache-2.0
 * The equations, shown: through the public header, and the lines that long formulas are broken into. */
#include "check.h"
#include "derive/derive.h"

#include <actio/actio.h>

struct shown { struct actio_context *ctx; struct actio_findings *f; struct actio_model *model; struct actio_derivation *d; };

static struct shown derive_limited(const char *text, const char *format, const struct actio_limits *limits)
{
    struct shown s = { .ctx = actio_context_create(limits) };
    s.f = actio_findings_create(s.ctx);
    s.model = actio_model_read_string(s.ctx, "test.act", text, strlen(text), NULL, 0, s.f);
    s.d = s.model ? actio_derive(s.ctx, s.model, NULL, format, s.f) : NULL;
    return s;
}

static struct shown derived(const char *text, const char *format) { return derive_limited(text, format, NULL); }

static void forget(struct shown *s)
{
    actio_derivation_free(s->d);
    actio_model_free(s->model);
    actio_findings_free(s->f);
    actio_context_free(s->ctx);
}

static bool says(const struct shown *s, const char *piece)
{
    bool found = s->d && strstr(actio_derivation_text(s->d), piece);
    if (!found) printf("nothing says \"%s\" in:\n%s\n", piece, s->d ? actio_derivation_text(s->d) : "(nothing)");
    return found;
}

static const char pendulum[] = "param l = 1, g = 9.81\ncoord a\nlagrangian l^2/2*a'^2 + g*l*cos(a)\n";

TEST(a_pendulum_reads_as_in_a_textbook)
{
    struct shown s = derived(pendulum, "text");
    CHECK(says(&s, "\n  p_a = l^2*a'\n"));
    CHECK(says(&s, "\n  l^2*a'' = -l*g*sin(a)\n"));
    CHECK(says(&s, "\n  a'' = -g*sin(a)/l\n"));
    CHECK(says(&s, "p_a^2/(2*l^2)"));
    forget(&s);
}

TEST(every_model_of_the_gallery_is_derived_in_every_language)
{
    static const char *const formats[] = { "text", "latex", "c" };
    const struct actio_example *example;
    size_t count = actio_gallery(&example);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++) {
            struct shown s = derived(example[i].text, formats[k]);
            CHECK(s.d && actio_findings_status(s.f) == 0 && actio_derivation_sections(s.d) > 0);
            if (!s.d) printf("%s as %s\n", example[i].stem, formats[k]);
            forget(&s);
        }
}

TEST(switches_are_shown_as_they_were_written)
{
    struct shown s = derived("coord x, y\nlagrangian (x'^2 + y'^2)/2 - abs(x) - max(x, y)^2 - if(x < y, 1, 2)*y\nforce x = -sign(x'), y = min(x, t)\n", "text");
    CHECK(says(&s, "abs(x)") && says(&s, "sign(x)") && says(&s, "sign(x')") && says(&s, "min(") && says(&s, "max(") && says(&s, "if(x < y, "));
    CHECK(s.d && !strstr(actio_derivation_text(s.d), "s3_"));
    forget(&s);
}

TEST(a_singular_kinetic_energy_has_no_hamiltonian)
{
    struct shown s = derived("coord x, y\nlagrangian (x' + y')^2/2 - x^2\n", "text");
    CHECK(says(&s, "W is singular"));
    forget(&s);
    s = derived("coord x\nlagrangian sqrt(1 + x'^2)\n", "text");
    CHECK(says(&s, "not quadratic"));
    forget(&s);
}

TEST(a_magnetic_term_moves_the_momentum)
{
    struct shown s = derived("param m = 2, B = 3\ncoord x, y\nlagrangian m/2*(x'^2 + y'^2) + B*x*y'\n", "text");
    CHECK(says(&s, "p_y = m*y' + B*x") && says(&s, "p_x^2") && says(&s, "(B*x - p_y)^2"));
    forget(&s);
}

TEST(names_of_the_model_are_not_taken_twice)
{
    struct shown s = derived("param L = 1, H = 2, p_x = 3\ncoord x\nlagrangian L/2*x'^2 - H*x - p_x*x\n", "text");
    CHECK(says(&s, "Lagrangian = ") && says(&s, "Hamiltonian = ") && says(&s, "p_of_x = L*x'"));
    forget(&s);
}

TEST(what_is_not_there_is_said)
{
    struct shown s = derived(pendulum, "pdf");
    CHECK(!s.d && actio_findings_status(s.f) == ACTIO_WRONG_USAGE);
    CHECK(actio_derive(s.ctx, s.model, "nobody", "text", s.f) == NULL);
    forget(&s);
    s = derived("param a = 1\n", "text");
    CHECK(!s.d && actio_findings_status(s.f) == ACTIO_WRONG_MODEL);
    forget(&s);
}

TEST(too_little_memory_is_a_limit_and_nothing_else)
{
    const struct actio_example *example;
    actio_gallery(&example);
    bool whole = false;
    for (size_t memory = 64 << 10; memory < (size_t)64 << 20; memory += memory / 2) {
        struct shown s = derive_limited(example[0].text, memory & 1024 ? "latex" : "c", &(struct actio_limits){ .memory = memory });
        CHECK(s.d ? actio_findings_status(s.f) == 0 : actio_findings_status(s.f) == ACTIO_LIMIT_REACHED);
        whole = s.d != NULL;
        forget(&s);
    }
    CHECK(whole);
}

TEST(an_interrupted_derivation_ends)
{
    static volatile int cancel = 0;
    struct shown s = derive_limited(pendulum, "text", &(struct actio_limits){ .cancel = &cancel });
    cancel = 1;
    CHECK(actio_derive(s.ctx, s.model, NULL, "text", s.f) == NULL);
    CHECK(actio_findings_status(s.f) == ACTIO_INTERRUPTED);
    forget(&s);
}

/* The pieces, put together again with their signs. */
static size_t joined(const char *text, size_t width, int depth, char *out, size_t *longest)
{
    struct actio_wrap w = { .at = text, .width = width, .depth = depth };
    size_t lines = 0, at = 0;
    *longest = 0;
    for (;;) {
        const char *from = w.at;
        size_t n = actio_wrap_next(&w);
        memcpy(out + at, from, n);
        at += n;
        lines++;
        if (n > *longest) *longest = n;
        if (!w.sign) break;
        at += (size_t)sprintf(out + at, " %c ", w.sign);
    }
    out[at] = 0;
    return lines;
}

TEST(broken_lines_are_the_formula_again)
{
    static const char *const formulas[] = { "a", "", "a + b - c", "(a + b + c + d)*(e - f) + g", "x'' = -(a + b)*sin(c - d)/(e + f)", "\\frac{a + b}{c} + \\left(d - e\\right)^{2} - f" };
    char out[200];
    size_t longest;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
        for (size_t width = 1; width < 60; width++)
            for (int depth = 0; depth <= ACTIO_WRAP_DEPTH; depth += 2) {
                joined(formulas[i], width, depth, out, &longest);
                CHECK(strcmp(out, formulas[i]) == 0);
            }
    CHECK(joined("a + b + c + d + e + f", 9, 0, out, &longest) == 2 && longest == 9);
    CHECK(joined("(a + b + c + d + e + f)", 9, 0, out, &longest) == 1);
}

int main(void)
{
    RUN(a_pendulum_reads_as_in_a_textbook);
    RUN(every_model_of_the_gallery_is_derived_in_every_language);
    RUN(switches_are_shown_as_they_were_written);
    RUN(a_singular_kinetic_energy_has_no_hamiltonian);
    RUN(a_magnetic_term_moves_the_momentum);
    RUN(names_of_the_model_are_not_taken_twice);
    RUN(what_is_not_there_is_said);
    RUN(too_little_memory_is_a_limit_and_nothing_else);
    RUN(an_interrupted_derivation_ends);
    RUN(broken_lines_are_the_formula_again);
    return DONE();
}

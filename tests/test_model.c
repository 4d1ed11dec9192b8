/* SPDX-License-Identifier: Apache-2.0
 * The reader: every bad model fails at its place, every good one reads, prints and reads back; no input hurts it.
 * Started in the project's root, or with the root as its argument. */
#include "check.h"
#include "model/model.h"
#include "principle/principles.h"

#include <dirent.h>

static const char *root = ".";
static bool provoked[ACTIO_F_COUNT];

struct reading {
    struct actio_context ctx;
    struct actio_findings findings;
    struct actio_arena arena;
    struct actio_model *model;
};

static void read_with(struct reading *r, const char *text, size_t length, const struct actio_override *override,
                      size_t overrides)
{
    actio_findings_open(&r->findings, &r->ctx);
    actio_arena_open(&r->arena, &r->ctx);
    r->model = actio_model_read_text(&r->ctx, "test.act", text, length, override, overrides, &r->findings);
    /* as api/models.c does: the reader does not know the table */
    if (r->model && !actio_principles_claimed(r->model, &r->findings)) {
        actio_model_free(r->model);
        r->model = NULL;
    }
    for (size_t i = 0; i < r->findings.count; i++) provoked[r->findings.item[i].code] = true;
}

static void read_this(struct reading *r, const char *text)
{
    actio_context_init(&r->ctx);
    read_with(r, text, strlen(text), NULL, 0);
}

static void close_reading(struct reading *r)
{
    actio_model_free(r->model);
    actio_arena_close(&r->arena);
    actio_findings_close(&r->findings);
    CHECK(r->ctx.bytes == 0);
}

static const char *said(struct reading *r, size_t i)
{
    struct actio_text t;
    actio_text_open(&t, &r->arena);
    actio_finding_message(&r->findings.item[i], &t);
    actio_text_add(&t, " ");
    actio_finding_hint(&r->findings.item[i], &t);
    return t.s;
}

static bool is_said(struct reading *r, const char *part, uint32_t line, uint32_t column)
{
    for (size_t i = 0; i < r->findings.count; i++) {
        struct actio_span s = r->findings.item[i].span;
        if (s.line == line && s.column == column && strstr(said(r, i), part)) return true;
    }
    return false;
}

static bool has_code(struct reading *r, enum actio_code code)
{
    for (size_t i = 0; i < r->findings.count; i++)
        if (r->findings.item[i].code == code) return true;
    return false;
}

static char *file_text(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    *length = f ? fread(text, 1, (1 << 20) - 1, f) : 0;
    if (f) fclose(f);
    return text;
}

static char *printed(struct reading *r)
{
    struct actio_text t;
    actio_text_open(&t, &r->arena);
    actio_model_print(r->model, &t);
    char *kept = malloc(t.length + 1);
    memcpy(kept, t.s, t.length + 1);
    return kept;
}

/* Calls `one` with each .act file of a folder; returns how many there were. */
static int each_file(const char *folder, void (*one)(const char *path, const char *text, size_t length))
{
    char path[1024];
    int count = 0;
    snprintf(path, sizeof path, "%s/%s", root, folder);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        size_t n = strlen(e->d_name), length;
        if (n < 5 || strcmp(e->d_name + n - 4, ".act") != 0) continue;
        snprintf(path, sizeof path, "%s/%s/%s", root, folder, e->d_name);
        char *text = file_text(path, &length);
        one(path, text, length);
        free(text);
        count++;
    }
    if (d) closedir(d);
    return count;
}

/* ---- wrong models */

static void fails_at_its_place(const char *path, const char *text, size_t length)
{
    struct reading r;
    unsigned line = 0, column = 0;
    int used = 0;
    char part[256] = "";
    CHECK(sscanf(text, "# %u:%u %n", &line, &column, &used) == 2 && used > 0);
    snprintf(part, sizeof part, "%.*s", (int)strcspn(text + used, "\n"), text + used);
    actio_context_init(&r.ctx);
    read_with(&r, text, length, NULL, 0);
    bool ok = r.model == NULL && is_said(&r, part, line, column);
    if (!ok) printf("%s: expected at %u:%u: %s\n", path, line, column, part);
    for (size_t i = 0; !ok && i < r.findings.count; i++)
        printf("    said at %u:%u: %s\n", r.findings.item[i].span.line, r.findings.item[i].span.column, said(&r, i));
    CHECK(ok);
    close_reading(&r);
}

TEST(every_bad_model_fails_where_its_first_line_says) { CHECK(each_file("tests/bad", fails_at_its_place) >= 60); }

TEST(every_finding_about_a_model_is_provoked_by_a_bad_one)
{
    for (int code = ACTIO_F_NOT_UTF8; code <= ACTIO_F_UNKNOWN_VERDICT; code++) {
        if (!provoked[code])
            printf("never provoked: %s\n",
                   actio_finding_name(&(struct actio_finding){ .code = (enum actio_code)code }));
        CHECK(provoked[code]);
    }
}

TEST(all_faults_of_a_text_come_in_one_go_and_bring_no_others_with_them)
{
    struct reading r;
    read_this(&r, "coord x, y z\ncoords w\ndraw u\nparam a = (1 + 2\nlagrangian x'^2 + w + a\nforce x = nu\nstart x = "
                  "1, y = 2 x\n");
    CHECK(r.model == NULL && r.findings.count == 6);
    CHECK(is_said(&r, "commas", 1, 12) && is_said(&r, "'coord'", 2, 1) && is_said(&r, "draw", 3, 1)
          && is_said(&r, "closed", 4, 11));
    CHECK(is_said(&r, "unknown name 'nu'", 6, 11) && is_said(&r, "operator", 7, 20));
    close_reading(&r);
}

TEST(the_first_twenty_faults_are_kept_and_the_others_counted)
{
    struct reading r;
    char text[4000] = "coord x\nlagrangian x'^2\n";
    for (int i = 0; i < 50; i++) strcat(text, "force x = 2x\n");
    read_this(&r, text);
    CHECK(r.model == NULL && r.findings.count == 20 && r.findings.dropped == 30 && r.findings.status == 1);
    close_reading(&r);
}

/* ---- good models */

static const char families[] =
    "# families\n#\n# of all kinds\nmodel fam\nparam n = 3, k[i = 1 .. n] [N/m] = i^2\ncoord X [m], a[1 .. n] "
    "[rad]\nstate p[0 .. n-1]\n"
    "let px[i = 1 .. n] = X + sum(j = 1 .. i, sin(a[j]))\n"
    "lagrangian X'^2/2 + sum(i = 1 .. n, px[i]'^2/2 - k[i]*a[i]^2/2)\n"
    "flow 2*p[i = 0 .. n-1]' = -p[i] + i\n"
    "constraint c[i = 2 .. n]: a[i]' = a[i-1]' acting a[i], a[i-1]\n"
    "constraint d: X'' = a[1]'' along X = 1, a[i = 1 .. n] = i\n"
    "force drag: a[i = 1 .. n] = -a[i]', X = if(X > 1, min(t, 2, X), -X^2)\nforce a[2] = t\ndissipation X'^2\n"
    "contact wall[i = 1 .. n]: a[i] <= i*X, restitution = 1/i, friction = i/5, slip = (a[i]' - X', u), stick = "
    "i\nevent top[i = 1 .. 2]: a[i]' = p[i]\n"
    "frame v[i = 2 .. n] = u - a[i]', u = X'*cos(a[1]) + t\n"
    "symmetry shift: X = 1\nsymmetry drag: X = 2\nsymmetry clock: time\n"
    "observe Z = v[2] + reaction.a[2] + lambda.c[2]*W + energy + a_dot[2] + X'' + p[1]'\nobserve W = charge.shift + "
    "power.c[3] + power.force\nobserve G[i = 1 .. 2] = a[i]\n"
    "start a[k = 1 .. n] = 0.3/k, a[k = 1 .. n]' = 0, p[1] = 2, lambda.c[2] = 3\ntime 0 .. n\n"
    "free a[k = 2 .. n]', p, X\nrequire a'[2] at n = k[2]\nrequire lambda.c[2] at 1 = 0\nrequire G[1] at n/3 = sum(i = "
    "1 .. n, k[i])\nrequire v[2] at 0 = -n\nrequire energy at n = 1\nrequire reaction.a[2] at n = 1\n"
    "expect a'[2] at 1 = k[2] within 1e-3 by hamel\nexpect lambda.c[2] at 1 = 1 within 1\nexpect drift(G[1]) < "
    "1\nexpect verdict regular\nexpect residual < 1e-9\n";

/* Conditions and free data of b are those of a. */
static bool same_mixed_data(struct actio_model *a, struct actio_model *b)
{
    bool same = a->mixed.frees == b->mixed.frees && a->mixed.requires == b->mixed.requires;
    for (size_t i = 0; same && i < a->mixed.frees; i++) {
        const struct actio_free_datum *x = &a->mixed.free_data[i], *y = &b->mixed.free_data[i];
        same = x->variable == y->variable && x->is_state == y->is_state && x->dot == y->dot;
    }
    for (size_t i = 0; same && i < a->mixed.requires; i++) {
        const struct actio_require *x = &a->mixed.require[i], *y = &b->mixed.require[i];
        same = strcmp(x->column, y->column) == 0 && x->time == y->time
               && actio_model_number(a, x->value) == actio_model_number(b, y->value);
    }
    return same;
}

static void reads_and_prints(const char *path, const char *text, size_t length)
{
    struct reading r, again;
    actio_context_init(&r.ctx);
    read_with(&r, text, length, NULL, 0);
    bool later = has_code(&r, ACTIO_F_NOT_IN_VERSION);
    if (!r.model && !later && r.findings.count) printf("%s:%u: %s\n", path, r.findings.item[0].span.line, said(&r, 0));
    CHECK(r.model || later);
    if (r.model) {
        char *first = printed(&r);
        read_this(&again, first);
        CHECK(again.model != NULL);
        char *second = again.model ? printed(&again) : calloc(1, 1);
        if (strcmp(first, second) != 0) printf("%s:\n%s\n%s\n", path, first, second);
        CHECK(strcmp(first, second) == 0);
        if (again.model)
            CHECK(again.model->coords == r.model->coords && again.model->output.columns == r.model->output.columns
                  && again.model->claims == r.model->claims && same_mixed_data(r.model, again.model));
        free(first);
        free(second);
        close_reading(&again);
    }
    close_reading(&r);
}

TEST(every_model_of_the_gallery_reads_and_its_print_reads_back_to_the_same_print)
{
    each_file("models", reads_and_prints);
    reads_and_prints("families", families, strlen(families));
}

TEST(a_family_has_members_columns_and_formulas_of_its_own)
{
    struct reading r;
    read_this(&r, families);
    struct actio_model *m = r.model;
    CHECK(m != NULL);
    if (!m) {
        close_reading(&r);
        return;
    }
    CHECK(strcmp(m->name, "fam") == 0 && strcmp(m->description, "families\n\nof all kinds") == 0);
    CHECK(m->params == 4 && m->coords == 4 && m->states == 3 && m->constraints == 3 && m->flow.count == 3
          && m->output.observes == 4 && m->claims == 5);
    CHECK(m->named.frames == 3 && strcmp(m->named.frame[0].name, "v[2]") == 0
          && strcmp(m->named.frame[1].name, "v[3]") == 0 && strcmp(m->named.frame[2].name, "u") == 0);
    CHECK(strcmp(m->coord[2].name, "a[2]") == 0 && strcmp(m->coord[2].dot_name, "a_dot[2]") == 0
          && strcmp(m->coord[2].unit, "rad") == 0);
    CHECK(strcmp(m->constraint[0].label, "c[2]") == 0 && m->constraint[0].kind == ACTIO_VELOCITY
          && m->constraint[0].rule == ACTIO_IDEAL);
    CHECK(m->constraint[2].kind == ACTIO_ACCELERATION && m->constraint[2].rule == ACTIO_ALONG
          && m->constraint[2].reactions == 4);
    CHECK(m->param[2].value == 4 && strcmp(m->param[2].unit, "N/m") == 0);
    CHECK_NEAR(actio_model_number(m, m->coord[2].start), 0.15, 1e-15);
    CHECK(m->coord[2].start_given && m->coord[2].start_dot_given && !m->coord[0].start_given
          && m->constraint[0].start_lambda_given);
    CHECK(strcmp(m->claim[0].column, "a_dot[2]") == 0 && m->claim[0].value == 4
          && strcmp(m->claim[0].by, "hamel") == 0);
    CHECK(m->mixed.frees == 6 && m->mixed.requires == 6 && strcmp(m->mixed.require[0].column, "a_dot[2]") == 0
          && strcmp(m->mixed.require[1].column, "lambda.c[2]") == 0);
    CHECK(strcmp(m->claim[0].text, "a'[2] at 1 = k[2] within 1e-3 by hamel") == 0);
    close_reading(&r);
}

TEST(columns_come_in_the_order_of_the_manual)
{
    static const char *const want[] = { "t",           "x",          "p",          "x_dot",      "p_dot",
                                        "u",           "lambda.c",   "reaction.x", "reaction.p", "power.c",
                                        "power.force", "power.drag", "gap.w",      "gap.v",      "force.w",
                                        "force.v",     "friction.v", "energy",     "residual.c", "charge.s",
                                        "balance.s",   "f" };
    struct reading r;
    read_this(&r, "observe f = x\nframe u = x' + f0\nlet f0 = x\nsymmetry s: time\nforce drag: x = -x'\nconstraint c: "
                  "x' = p\nlagrangian x'^2/2\nstate p\nflow p' = 1\ncoord x\n"
                  "contact w: x <= 1\ncontact v: x >= 0, friction = 1, slip = x'\nevent e: x = 0\n");
    const char *const *names;
    size_t n = r.model ? actio_model_columns(r.model, &names) : 0;
    CHECK(n == sizeof want / sizeof *want);
    for (size_t i = 0; i < n; i++) CHECK(strcmp(names[i], want[i]) == 0);
    close_reading(&r);
}

/* Everywhere, like a let; in the end it is one more statement and one more column. */
TEST(a_quasi_velocity_stands_for_its_formula)
{
    static const char rest[] = "u = x'*cos(y) + y'*t\ncoord x, y\nlagrangian u^2/2 + y'^2/2\nforce x = -u\ndissipation "
                               "u^2\nconstraint c: u = y'\n"
                               "let k = 2*u\nobserve a = u' + k + c0\nobserve c0 = lambda.c*u\nsymmetry s: x = u\n";
    struct reading a, b;
    char text[400], line[200];
    snprintf(text, sizeof text, "frame %s", rest);
    read_this(&a, text);
    snprintf(text, sizeof text, "let %s", rest);
    read_this(&b, text);
    CHECK(a.model && b.model && a.model->named.frames == 1 && a.model->output.columns == b.model->output.columns + 1);
    if (a.model && b.model) {
        char *first = printed(&a), *second = printed(&b), *at = strstr(first, "frame u = ");
        CHECK(at && sscanf(at, "%199[^\n]", line) == 1 && strstr(line, "cos(y)"));
        if (at) memmove(at, at + strlen(line) + 1, strlen(at + strlen(line) + 1) + 1);
        CHECK(strcmp(first, second) == 0);
        free(first);
        free(second);
    }
    close_reading(&a);
    close_reading(&b);
}

TEST(the_order_of_statements_does_not_matter)
{
    struct reading a, b;
    read_this(&a, "param m = 2, k = 3*m\ncoord x, y\nlet T = m/2*(X'^2 + y'^2)\nlet X = x + y\nlagrangian T - "
                  "k/2*x^2\nconstraint c: x = y\nstart x = k\ntime 0 .. m\nfree x', y\nrequire x at m = k\nrequire y "
                  "at 1 = 0\nexpect x at m = k within 1\n");
    read_this(&b, "require x at m = k\nrequire y at 1 = 0\nfree x'\nfree y\nexpect x at m = k within 1\ntime 0 .. "
                  "m\nstart x = k\nconstraint c: x = y\nlagrangian T - k/2*x^2\nlet X = x + y\nlet T = m/2*(X'^2 + "
                  "y'^2)\ncoord x, y\nparam k = 3*m\nparam m = 2\n");
    CHECK(a.model && b.model);
    char *first = printed(&a), *second = printed(&b);
    CHECK(strcmp(first, second) == 0);
    free(first);
    free(second);
    close_reading(&a);
    close_reading(&b);
}

TEST(a_statement_goes_on_where_the_manual_says)
{
    struct reading r;
    read_this(&r, "\xEF\xBB\xBF# top\r\nparam a = 1,\r\n   # between\r\n\r\n  b = 2 +\n 3\ncoord x\nlagrangian x'^2/2 "
                  "- (a\n + b)*x\nsymmetry s:\n time\ntime\n 0 ..\n 1\n");
    CHECK(r.model == NULL); /* `time` alone does not go on */
    close_reading(&r);
    read_this(&r, "\xEF\xBB\xBF# top\r\nparam a = 1,\r\n   # between\r\n\r\n  b = 2 +\n 3\ncoord x\nlagrangian x'^2/2 "
                  "- (a\n + b)*x\nsymmetry s:\n time\ntime 0 ..\n 1\n");
    CHECK(r.model && r.model->param[1].value == 5 && r.model->symmetries == 1 && r.model->symmetry[0].is_time
          && r.model->time.t1 == 1);
    CHECK(r.model && strcmp(r.model->description, "top") == 0);
    close_reading(&r);
}

static double number_of(const char *formula)
{
    struct reading r;
    char text[300];
    snprintf(text, sizeof text, "coord x\nlagrangian x'^2\nparam a = %s\n", formula);
    read_this(&r, text);
    double x = r.model ? r.model->param[0].value : NAN;
    close_reading(&r);
    return x;
}

TEST(operators_bind_as_the_manual_says)
{
    static const struct {
        const char *formula;
        double value;
    } cases[] = {
        { "-2^2", -4 },
        { "2^-1", 0.5 },
        { "2^3^2", 512 },
        { "2*-3*4", -24 },
        { "-2*3 - 4 - 5", -15 },
        { "8/4/2", 1 },
        { "2^-1*4", 2 },
        { "- - -3", -3 },
        { ".5 + 1e-3*1000", 1.5 },
        { "min(3, 1, 2)", 1 },
        { "max(3, 1, 5, 2)", 5 },
        { "if(1 < 2, 3, 4)", 3 },
        { "if(1 >= 2, 3, 4)", 4 },
        { "if(2 > 1, 3, 4)", 3 },
        { "sum(i = 1 .. 4, i^2)", 30 },
        { "sum(i = 1 .. 0, 1)", 0 },
        { "sum(i = 1 .. 3, sum(j = 1 .. i, j))", 10 },
        { "sum(i = 1 .. 2, sum(i = 1 .. 3, i))", 12 },
        { "(-8)^3", -512 },
        { "atan2(0, -1) - pi", 0 },
        { "sign(0)", 0 },
        { "2 - (3 - 4)", 3 },
        { "abs(-3)", 3 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_NEAR(number_of(cases[i].formula), cases[i].value, 1e-14);
}

TEST(greek_letters_primes_and_accents_are_read)
{
    struct reading r;
    read_this(&r, "param µ = 2\ncoord θ, é\nlagrangian μ*θ′^2 + é’^2\nstart θ' = 1\n");
    CHECK(r.model && r.model->coords == 2 && strcmp(r.model->param[0].name, "μ") == 0);
    close_reading(&r);
}

TEST(acceleration_rates_and_total_derivatives_are_distinguished)
{
    struct reading r;
    read_this(&r, "coord x\nstate p\nflow 2*p' = x\nlet X = x^2 + p\nlagrangian x'^2/2\nconstraint c: 2*x''*x + 3 = "
                  "p\nobserve v = X'\nobserve w = x_dot + p_dot\n");
    struct actio_model *m = r.model;
    CHECK(m && m->constraint[0].kind == ACTIO_ACCELERATION);
    if (m) {
        CHECK(actio_uses(&m->pool, m->output.observe[0].e, ACTIO_SPACE_V)
              && actio_uses(&m->pool, m->output.observe[0].e, ACTIO_SPACE_SDOT));
        actio_expr want = actio_add(&m->pool, m->coord[0].dot, m->state[0].dot);
        CHECK(actio_same(m->output.observe[1].e, want));
    }
    close_reading(&r);
}

/* ---- mixed data */

static const char mixed[] =
    "param T = 2, b = 3*T\nlet half = T/2\ncoord x, a[1 .. 3]\nstate p\nflow p' = x\nlagrangian x'^2/2 + sum(i = 1 .. "
    "3, a[i]'^2/2)\nframe u = x' - a[1]'\nobserve d = x - a[1]\n"
    "start x' = 4, a[2] = 1\ntime 0 .. T\n"
    "free x', p,\n  a[i = 2 .. 3]', a[2]\nfree a_dot[1]\nfree x\n"
    "require x at T = b\nrequire a'[3] at half = b/T - 1\nrequire d at T = 0\nrequire u at 0 = 1\nrequire energy at "
    "T/4 = 2\nrequire p_dot at T = sin(0)\nrequire x at 0 = 1\n";

TEST(free_data_and_conditions_are_kept_as_they_are_written)
{
    static const struct {
        uint32_t variable;
        bool is_state, dot;
        uint32_t line, column;
    } datum[] = {
        { 0, false, true, 11, 6 },   { 0, true, false, 11, 10 }, { 2, false, true, 12, 3 },  { 3, false, true, 12, 3 },
        { 2, false, false, 12, 19 }, { 1, false, true, 13, 6 },  { 0, false, false, 14, 6 },
    };
    static const struct {
        const char *column;
        double time, value;
    } condition[] = {
        { "x", 2, 6 },        { "a_dot[3]", 1, 2 }, { "d", 2, 0 }, { "u", 0, 1 },
        { "energy", 0.5, 2 }, { "p_dot", 2, 0 },    { "x", 0, 1 },
    };
    struct reading r;
    read_this(&r, mixed);
    struct actio_model *m = r.model;
    CHECK(m && m->mixed.frees == 7 && m->mixed.requires == 7);
    for (size_t i = 0; m && i < m->mixed.frees; i++) {
        const struct actio_free_datum *f = &m->mixed.free_data[i];
        CHECK(f->variable == datum[i].variable && f->is_state == datum[i].is_state && f->dot == datum[i].dot);
        CHECK(f->span.line == datum[i].line && f->span.column == datum[i].column);
    }
    for (size_t i = 0; m && i < m->mixed.requires; i++) {
        struct actio_require *c = &m->mixed.require[i];
        CHECK(strcmp(c->column, condition[i].column) == 0 && c->time == condition[i].time
              && actio_model_number(m, c->at) == c->time);
        CHECK(actio_model_number(m, c->value) == condition[i].value && c->span.line == 15 + i && c->span.column == 9);
    }
    CHECK(m && actio_model_number(m, m->coord[0].start_dot) == 4 && m->coord[0].start_dot_given
          && !m->coord[0].start_given);
    close_reading(&r);
    reads_and_prints("mixed", mixed, strlen(mixed));
}

TEST(a_family_without_index_is_free_as_a_whole)
{
    struct reading r;
    read_this(&r, "coord a[1 .. 3]\nlagrangian sum(i = 1 .. 3, a[i]'^2)\nfree a'\nfree a[1]\nrequire a[1] at 5 = 1\n");
    /* without `time` any time will do */
    CHECK(r.model && r.model->mixed.frees == 4 && r.model->mixed.requires == 1 && r.model->mixed.require[0].time == 5);
    for (uint32_t i = 0; r.model && i < 3; i++)
        CHECK(r.model->mixed.free_data[i].variable == i && r.model->mixed.free_data[i].dot);
    close_reading(&r);
}

TEST(a_condition_that_misses_an_end_by_rounding_is_at_the_end)
{
    struct reading r;
    read_this(&r, "param h = 0.1\ncoord x\nlagrangian x'^2\nfree x, x'\nrequire x at 3*h = 1\nrequire x at 0.3 - h - h "
                  "- h = 0\nrequire x' at 0.25 = 0\ntime 0 .. 0.3\n");
    CHECK(r.model && actio_model_number(r.model, r.model->mixed.require[0].at) > 0.3
          && r.model->mixed.require[0].time == 0.3);
    CHECK(r.model && actio_model_number(r.model, r.model->mixed.require[1].at) < 0
          && r.model->mixed.require[1].time == 0 && r.model->mixed.require[2].time == 0.25);
    close_reading(&r);
}

TEST(options_change_guesses_conditions_and_the_interval)
{
    static const struct actio_override with[] = { { ACTIO_SET_PARAM, "T=8" },
                                                  { ACTIO_SET_START, "x'=7, p=T" },
                                                  { ACTIO_SET_TIME, "0..8" } };
    static const struct actio_override shorter = { ACTIO_SET_TIME, "0..1" };
    struct reading r;
    actio_context_init(&r.ctx);
    read_with(&r, mixed, strlen(mixed), with, 3);
    struct actio_model *m = r.model;
    CHECK(m && m->mixed.require[0].time == 8 && actio_model_number(m, m->mixed.require[0].value) == 24
          && m->mixed.require[1].time == 4);
    CHECK(m && m->mixed.frees == 7 && actio_model_number(m, m->coord[0].start_dot) == 7
          && actio_model_number(m, m->state[0].start) == 8);
    close_reading(&r);
    actio_context_init(&r.ctx);
    read_with(&r, mixed, strlen(mixed), &shorter, 1);
    CHECK(r.model == NULL && is_said(&r, "outside the interval 0 .. 1", 15, 14)
          && is_said(&r, "outside the interval 0 .. 1", 17, 14) && r.findings.count == 3);
    close_reading(&r);
}

TEST(many_conditions_and_free_data_are_read_in_little_time)
{
    enum { N = 20000 };
    struct reading r;
    char *text = malloc(N * 40 + 200),
         *p = text
              + sprintf(text,
                        "coord x, a[1 .. %d]\nlagrangian x'^2 + sum(i = 1 .. %d, a[i]'^2)\nfree a, a'\ntime 0 .. 1\n",
                        N, N);
    for (int i = 0; i < N; i++) p += sprintf(p, "require x at %d/%d = 0\n", i, N);
    read_this(&r, text);
    CHECK(r.model && r.model->mixed.frees == 2 * N && r.model->mixed.requires == N);
    close_reading(&r);
    sprintf(p, "require x at 1/2 = 0\n");
    read_this(&r, text);
    CHECK(r.model == NULL && r.findings.count == 1
          && is_said(&r, "'x' at 0.5 is required twice, first in line 10005", N + 5, 9));
    close_reading(&r);
    free(text);
}

/* ---- the command line */

TEST(options_replace_params_start_data_and_time)
{
    static const struct actio_override with[] = { { ACTIO_SET_PARAM, "m = 2*k, b[2]=7" },
                                                  { ACTIO_SET_START, "x_dot=m, y'=1" },
                                                  { ACTIO_SET_START, "x=3" },
                                                  { ACTIO_SET_TIME, "0..2*pi" } };
    const char *text = "param k = 3, m = 1, d = 2*m, b[i = 1 .. 2] = i\ncoord x, y\nlagrangian m*(x'^2 + y'^2)\nstart "
                       "x = 1, x' = 1\ntime 0 .. 1\n";
    struct reading r;
    actio_context_init(&r.ctx);
    read_with(&r, text, strlen(text), with, 4);
    struct actio_model *m = r.model;
    CHECK(m != NULL);
    for (size_t i = 0; m && i < m->params; i++) {
        const char *name = m->param[i].name;
        double v = m->param[i].value;
        CHECK(strcmp(name, "m") ? strcmp(name, "d") ? strcmp(name, "b[2]") || v == 7 : v == 12 : v == 6);
    }
    CHECK(m && actio_model_number(m, m->coord[0].start_dot) == 6 && actio_model_number(m, m->coord[0].start) == 3
          && m->coord[1].start_dot_given);
    if (m) CHECK_NEAR(m->time.t1, 6.283185307179586, 1e-15);
    close_reading(&r);
}

TEST(wrong_options_are_usage_errors)
{
    static const struct {
        struct actio_override option;
        const char *part;
        uint32_t column;
    } cases[] = {
        { { ACTIO_SET_PARAM, "mm=2" }, "no param 'mm'", 1 },
        { { ACTIO_SET_PARAM, "x=2" }, "--start", 1 },
        { { ACTIO_SET_PARAM, "m=2x" }, "2*x", 3 },
        { { ACTIO_SET_PARAM, "m=q" }, "unknown name 'q'", 3 },
        { { ACTIO_SET_PARAM, "m=" }, "expected", 3 },
        { { ACTIO_SET_PARAM, "m=1/0" }, "not finite", 4 },
        { { ACTIO_SET_PARAM, "m[1]=1" }, "one member", 1 },
        { { ACTIO_SET_PARAM, "b[5]=1" }, "from 1 to 2", 1 },
        { { ACTIO_SET_PARAM, "" }, "expected", 1 },
        { { ACTIO_SET_START, "z=1" }, "unknown name 'z'", 1 },
        { { ACTIO_SET_START, "m=1" }, "initial values", 1 },
        { { ACTIO_SET_START, "x=1\ny=2" }, "end of the option", 4 },
        { { ACTIO_SET_TIME, "0" }, "'..'", 2 },
        { { ACTIO_SET_TIME, "1..1" }, "empty", 1 },
        { { ACTIO_SET_TIME, "0..\xff" }, "UTF-8", 4 },
    };
    const char *text = "param m = 1, b[i = 1 .. 2] = i\ncoord x\nlagrangian m*x'^2\n";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reading r;
        actio_context_init(&r.ctx);
        read_with(&r, text, strlen(text), &cases[i].option, 1);
        bool ok = r.model == NULL && r.findings.status == 2 && is_said(&r, cases[i].part, 1, cases[i].column);
        if (!ok) printf("%s: %s\n", cases[i].option.text, r.findings.count ? said(&r, 0) : "accepted");
        CHECK(ok && r.findings.item[0].file && strcmp(r.findings.item[0].file, "command line") == 0);
        close_reading(&r);
    }
}

/* ---- hard inputs */

static char *repeated(const char *before, const char *piece, const char *middle, const char *other, const char *after,
                      size_t n)
{
    size_t a = strlen(piece), b = strlen(other);
    char *text = malloc(strlen(before) + strlen(middle) + strlen(after) + n * (a + b) + 1), *p = text;
    p += sprintf(p, "%s", before);
    for (size_t i = 0; i < n; i++) {
        memcpy(p, piece, a);
        p += a;
    }
    p += sprintf(p, "%s", middle);
    for (size_t i = 0; i < n; i++) {
        memcpy(p, other, b);
        p += b;
    }
    sprintf(p, "%s", after);
    return text;
}

static void deep(const char *piece, const char *middle, const char *other, bool reads)
{
    struct reading r;
    char *text = repeated("coord x\nlagrangian x'^2 + ", piece, middle, other, "\n", 1000000);
    read_this(&r, text);
    CHECK((r.model != NULL) == reads);
    CHECK(reads || r.findings.count > 0);
    close_reading(&r);
    free(text);
}

TEST(a_million_levels_of_anything_are_read)
{
    deep("(", "x", ")", true);
    deep("x + ", "x", "", true);
    deep("x^", "x", "", true);
    deep("2^", "2", "", false);
    deep("- ", "x", "", true);
    deep("sin(", "x", ")", true);
    deep("", "x", "'", false);
    deep("(", "", "", false);
}

static void is_refused(const char *text, enum actio_code code)
{
    struct reading r;
    read_this(&r, text);
    CHECK(r.model == NULL && has_code(&r, code));
    close_reading(&r);
}

TEST(what_is_too_large_is_refused_before_memory_is_taken)
{
    is_refused("coord a[1 .. 10^9]\nlagrangian a[1]'^2\n", ACTIO_F_TOO_LARGE);
    is_refused("coord x\nlagrangian x'^2 + sum(i = 1 .. 10^12, x*i)\n", ACTIO_F_TOO_LARGE);
    is_refused("coord x\nlagrangian x'^2 + sum(i = 1 .. 10^5, sum(j = 1 .. 10^5, 0))\n", ACTIO_F_TOO_LARGE);
    is_refused("coord x\nlagrangian x'^2 + x^(9^9^9)\n", ACTIO_F_NOT_FINITE);
}

TEST(a_budget_of_nodes_ends_reading_with_a_finding)
{
    struct reading r;
    const char *text = "coord x\nlagrangian x'^2 + sum(i = 1 .. 900, x^i*sin(i*x))\n";
    actio_context_init(&r.ctx);
    r.ctx.nodes_limit = 1000;
    read_with(&r, text, strlen(text), NULL, 0);
    CHECK(r.model == NULL && has_code(&r, ACTIO_F_TOO_MANY_NODES) && r.findings.status == 4);
    close_reading(&r);
}

TEST(shared_formulas_print_in_a_length_that_grows_with_their_number)
{
    struct reading r;
    char text[4000] = "coord x\nlet a0 = sin(x) + x\n";
    for (int i = 0; i < 60; i++) sprintf(text + strlen(text), "let a%d = a%d*cos(a%d)\n", i + 1, i, i);
    strcat(text, "lagrangian x'^2 + a60\n");
    reads_and_prints("shared", text, strlen(text));
    read_this(&r, text);
    char *out = printed(&r);
    CHECK(strlen(out) < 10000);
    free(out);
    close_reading(&r);
}

struct limited {
    long left;
};

static void *failing(void *user, void *old, size_t size)
{
    struct limited *l = user;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return l->left-- <= 0 ? NULL : realloc(old, size);
}

TEST(memory_may_run_out_at_any_call)
{
    static const struct actio_override with = { ACTIO_SET_PARAM, "n=4" };
    bool read = false;
    for (long k = 0; !read && k < 2000; k++) {
        struct reading r;
        struct limited l = { k };
        actio_context_init(&r.ctx);
        r.ctx.allocate = failing;
        r.ctx.allocate_user = &l;
        actio_findings_open(&r.findings, &r.ctx);
        r.model = actio_model_read_text(&r.ctx, "test.act", families, strlen(families), &with, 1, &r.findings);
        read = r.model != NULL;
        CHECK(read || r.findings.errors > 0);
        actio_arena_open(&r.arena, &r.ctx);
        close_reading(&r);
    }
    CHECK(read);
}

/* ---- where things stand in the text */

static bool stands_there(const struct actio_model *m, uint32_t from, uint32_t to, const char *text)
{
    return to - from == strlen(text) && memcmp(m->source.text + from, text, to - from) == 0;
}

TEST(the_terms_of_a_formula_know_their_signs_values_and_places)
{
    static const char *const text[] = { "-k*(x' - 2)^2", "min(x + 1, 3)", "x^2/2", "sum(i = 1 .. 3, x - i)" };
    struct actio_written_term t[8];
    struct reading r;
    read_this(&r, "param k = 2\ncoord x\nlagrangian -k*(x' - 2)^2 + min(x + 1, 3) -  # one (\n  x^2/2 + sum(i = 1 .. "
                  "3, x - i)\n");
    CHECK(r.model && actio_model_terms(r.model, r.model->written.part[0].from, t, 8) == 4);
    for (size_t k = 0; r.model && k < 4; k++)
        CHECK(stands_there(r.model, t[k].from, t[k].to, text[k]) && t[k].minus == (k == 2));
    actio_expr sum = { 0 };
    for (size_t k = 0; r.model && k < 4; k++)
        sum = t[k].minus ? actio_sub(&r.model->pool, sum, t[k].e) : actio_add(&r.model->pool, sum, t[k].e);
    CHECK(r.model && actio_same(sum, r.model->lagrangian));
    CHECK(r.model && actio_source_span(&r.model->source, t[2].from, t[2].to).line == 4
          && actio_source_span(&r.model->source, t[2].from, t[2].to).column == 3);
    CHECK(r.model && actio_model_terms(r.model, r.model->written.part[0].from, t, 2) == 2);
    close_reading(&r);
}

TEST(start_items_know_their_variables_and_places)
{
    static const struct {
        const char *text;
        uint32_t variable;
        bool rate, state;
    } want[] = {
        { "x = 1 + 2", 0, false, false }, { "y' = k", 1, true, false },
        { "p = -1", 0, false, true },     { "a[i = 1 .. 2] = i", UINT32_MAX, false, false },
        { "a'[2] = 3", 3, true, false },  { "y = 0", 1, false, false },
    };
    static const struct actio_override option = { ACTIO_SET_START, "x=5" };
    static const char model[] = "param k = 2\ncoord x, y, a[1 .. 2]\nstate p\nflow p' = p\nlagrangian x'^2 + "
                                "y'^2\nstart x = 1 + 2, y' = k, p = -1 # no, y = 3\n"
                                "start a[i = 1 .. 2] = i,\n  a'[2] = 3,  y = 0\n";
    struct reading r;
    actio_context_init(&r.ctx);
    read_with(&r, model, strlen(model), &option, 1);
    CHECK(r.model && r.model->written.start_items == 6);
    for (size_t k = 0; r.model && k < 6; k++) {
        const struct actio_start_item *i = &r.model->written.start_item[k];
        CHECK(stands_there(r.model, i->from, i->to, want[k].text));
        CHECK(i->variable == want[k].variable && i->is_rate == want[k].rate && i->is_state == want[k].state);
    }
    CHECK(r.model
          && stands_there(r.model, r.model->written.start_item[1].statement_from,
                          r.model->written.start_item[1].statement_to, "x = 1 + 2, y' = k, p = -1"));
    close_reading(&r);
}

int main(int argc, char **argv)
{
    if (argc > 1) root = argv[1];
    RUN(every_bad_model_fails_where_its_first_line_says);
    RUN(every_finding_about_a_model_is_provoked_by_a_bad_one);
    RUN(all_faults_of_a_text_come_in_one_go_and_bring_no_others_with_them);
    RUN(the_first_twenty_faults_are_kept_and_the_others_counted);
    RUN(every_model_of_the_gallery_reads_and_its_print_reads_back_to_the_same_print);
    RUN(a_family_has_members_columns_and_formulas_of_its_own);
    RUN(columns_come_in_the_order_of_the_manual);
    RUN(a_quasi_velocity_stands_for_its_formula);
    RUN(the_order_of_statements_does_not_matter);
    RUN(a_statement_goes_on_where_the_manual_says);
    RUN(operators_bind_as_the_manual_says);
    RUN(greek_letters_primes_and_accents_are_read);
    RUN(acceleration_rates_and_total_derivatives_are_distinguished);
    RUN(free_data_and_conditions_are_kept_as_they_are_written);
    RUN(a_family_without_index_is_free_as_a_whole);
    RUN(a_condition_that_misses_an_end_by_rounding_is_at_the_end);
    RUN(options_change_guesses_conditions_and_the_interval);
    RUN(many_conditions_and_free_data_are_read_in_little_time);
    RUN(options_replace_params_start_data_and_time);
    RUN(wrong_options_are_usage_errors);
    RUN(a_million_levels_of_anything_are_read);
    RUN(what_is_too_large_is_refused_before_memory_is_taken);
    RUN(a_budget_of_nodes_ends_reading_with_a_finding);
    RUN(shared_formulas_print_in_a_length_that_grows_with_their_number);
    RUN(memory_may_run_out_at_any_call);
    RUN(the_terms_of_a_formula_know_their_signs_values_and_places);
    RUN(start_items_know_their_variables_and_places);
    return DONE();
}

/* SPDX-License-Identifier: Apache-2.0
 * A derivation as one C file for firmware or an S-function: C99, <math.h> only, no allocation. Names of the model stand
 * in comments,
 * cleaned of everything that could end one. */
#include "derive/code.h"

#include <string.h>

enum { LONGEST_NAME = 48, MOST_UNKNOWNS = 1000 };

struct c_file {
    struct actio_derivation *d;
    struct actio_emitter e;
    char name[LONGEST_NAME + 8], upper[LONGEST_NAME + 8];
    size_t ny, K, R;        /* K unknowns in R equations: hidden constraints add some */
    size_t lambdas;         /* multipliers that are requested; those that evolve are states */
    bool follows;           /* some params are made from others */
    struct actio_text body; /* the functions; small ones they need come before */
};

/* ---- names and comments */

static bool is_plain(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

static void make_name(struct c_file *f)
{
    const char *s = f->d->model->name ? f->d->model->name : "";
    size_t n = 0;
    if (!is_plain(*s) || (*s >= '0' && *s <= '9')) {
        memcpy(f->name, "model_", 6);
        n = 6;
    }
    for (; *s && n < LONGEST_NAME; s++)
        if (is_plain(*s)) f->name[n++] = *s;
        else if (n && f->name[n - 1] != '_') f->name[n++] = '_';
    while (n && f->name[n - 1] == '_') n--;
    f->name[n] = 0;
    for (size_t i = 0; i <= n; i++)
        f->upper[i] = f->name[i] >= 'a' && f->name[i] <= 'z' ? (char)(f->name[i] - 'a' + 'A') : f->name[i];
}

/* Letters, digits and a few signs stay; anything else, and so the end of a comment, becomes a blank. */
static void comment(struct actio_text *out, const char *s)
{
    for (; *s; s++) {
        bool kept = is_plain(*s) || (unsigned char)*s >= 0x80 || strchr("_.'[]()^+-,=", *s);
        actio_text_bytes(out, kept ? s : " ", 1);
    }
}

static void line(struct actio_text *out, const char *what, size_t index, const char *name, const char *dash,
                 const char *unit)
{
    actio_text_format(out, " *   %s[%zu]  ", what, index);
    comment(out, name);
    comment(out, dash);
    if (unit && *unit) {
        actio_text_add(out, "  [");
        actio_text_add(out, unit);
        actio_text_add(out, "]"); /* words, ^, - and / only: it can't end a comment */
    }
    actio_text_add(out, "\n");
}

static const char *lambda_unit(const struct c_file *f, size_t i)
{
    return f->d->lambda_unit ? f->d->lambda_unit[i] : NULL;
}

/* Constraints that nobody wrote: y must satisfy them, too. */
static void describe_hidden(struct c_file *f, struct actio_text *out)
{
    const struct actio_system *sys = &f->d->F->sys;
    if (sys->hidden == 0) return;
    actio_text_add(out, " * Hidden constraints, which y must satisfy:\n");
    for (size_t j = sys->p - sys->hidden; j < sys->p; j++) {
        actio_text_add(out, " *   ");
        comment(out, sys->constraint[j]);
        actio_text_add(out, "\n");
    }
}

/* Of what is not d'Alembert's: more states, or a split. */
static void describe_principle(struct c_file *f, struct actio_text *out)
{
    const struct actio_model *m = f->d->model;
    const char *before = " * The split is fixed by the model's start data. The constraints determine the rates of";
    if (f->d->chapter->evolves)
        actio_text_add(out, " * The last components of y are multipliers, with their own rates and initial values.\n");
    for (size_t i = 0; f->d->chapter->splits && i < f->d->F->N; i++) {
        if (!f->d->bound[i]) continue;
        actio_text_add(out, before);
        comment(out, " ");
        before = ",";
        comment(out, i < m->coords ? m->coord[i].dot_name : m->state[i - m->coords].name);
    }
    if (f->d->chapter->splits) actio_text_add(out, ".\n * rhs returns 1 where they no longer do.\n");
}

static void describe(struct c_file *f, struct actio_text *out)
{
    const struct actio_model *m = f->d->model;
    actio_text_format(out,
                      "/* %s: equations of motion by %s. Written by `actio derive --format c`.\n *\n"
                      " * C99 with <math.h>, no allocation, nothing kept between calls. Compile this file once; where "
                      "its functions are\n"
                      " * called, define %s_DECLARATIONS and include it.\n *\n"
                      " * The state y:\n",
                      f->name, f->d->by, f->upper);
    for (size_t i = 0; i < m->coords; i++) line(out, "y", i, m->coord[i].name, "", m->coord[i].unit);
    for (size_t i = 0; i < m->coords; i++)
        line(out, "y", m->coords + i, m->coord[i].name, "'", f->d->rate_unit ? f->d->rate_unit[i] : NULL);
    for (size_t i = 0; i < m->states; i++) line(out, "y", 2 * m->coords + i, m->state[i].name, "", m->state[i].unit);
    for (size_t i = 0; f->d->chapter->evolves && i < m->constraints; i++)
        line(out, "y", 2 * m->coords + m->states + i,
             actio_arena_format(&f->d->arena, "lambda.%s", m->constraint[i].label), "", lambda_unit(f, i));
    if (m->params) actio_text_add(out, " * Parameters p:\n");
    for (size_t i = 0; i < m->params; i++) line(out, "p", i, m->param[i].name, "", m->param[i].unit);
    if (m->resets.helds) actio_text_add(out, " * Held values, behind them: who calls sets them at instants.\n");
    for (size_t i = 0; i < m->resets.helds; i++)
        line(out, "p", m->params + i, m->resets.held[i].name, "", m->resets.held[i].unit);
    if (f->lambdas) actio_text_add(out, " * Multipliers lambda, of the constraints:\n");
    for (size_t i = 0; i < f->lambdas; i++) line(out, "lambda", i, m->constraint[i].label, "", lambda_unit(f, i));
    describe_hidden(f, out);
    describe_principle(f, out);
    if (m->contacts)
        actio_text_add(out, " *\n * The motion in free flight: contacts, impacts and friction are not in this file.\n");
    if (m->resets.lines)
        actio_text_add(out, " *\n * The motion between instants: what `when` and `every` set is not in this file.\n");
    if (!f->d->F->sys.solved.symbolic)
        actio_text_format(out, " *\n * Each call of rhs and multipliers takes about %zu bytes of the stack.\n",
                          8 * (f->R * f->K + f->d->F->p * f->K + 3 * f->R) + 256);
    actio_text_add(out, " */\n");
}

static void declare(struct c_file *f, struct actio_text *out)
{
    const struct actio_model *m = f->d->model;
    const char *N = f->name, *U = f->upper;
    actio_text_format(out, "#ifndef %s_DECLARED\n#define %s_DECLARED\n\n", U, U);
    actio_text_format(
        out,
        "enum { %s_STATE = %zu, %s_PARAMS = %zu, %s_MULTIPLIERS = %zu };   /* lengths of y and dy, p, lambda */\n\n", U,
        f->ny, U, m->params + m->resets.helds, U, f->lambdas);
    actio_text_add(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    actio_text_format(
        out, "void %s_params_default(double *p);                                      /* as the model has them */\n",
        N);
    if (f->follows)
        actio_text_format(out,
                          "void %s_params_follow(double *p);                                       /* those made from "
                          "others, after a change */\n",
                          N);
    actio_text_format(out,
                      "double %s_start(double *y);                                             /* start data of the "
                      "model; returns the time */\n",
                      N);
    actio_text_format(out,
                      "int %s_rhs(double t, const double *y, const double *p, double *dy);     /* dy/dt; 0, or 1 where "
                      "it is not determined */\n",
                      N);
    if (f->lambdas)
        actio_text_format(
            out, "int %s_multipliers(double t, const double *y, const double *p, double *lambda);   /* likewise */\n",
            N);
    if (m->has_lagrangian)
        actio_text_format(
            out, "double %s_energy(double t, const double *y, const double *p);           /* q'.dL/dq' - L */\n", N);
    if (!f->d->F->sys.solved.symbolic)
        actio_text_format(out,
                          "/* B x = e for x = (-lambda, rates), B of %zu rows of %zu one after the other. */\n"
                          "void %s_system(double t, const double *y, const double *p, double *B, double *e);\n",
                          f->R, f->K, N);
    actio_text_add(out, "#ifdef __cplusplus\n}\n#endif\n#endif\n\n");
}

/* ---- functions. Each is put together in the emitter, then written behind its head. */

static void c_file_begin(struct c_file *f)
{
    f->e.pool = &f->d->F->pool;
    actio_code_open(&f->e);
}

static void unused(struct c_file *f, bool used, const char *name)
{
    if (!used) actio_text_format(&f->body, "    (void)%s;\n", name);
}

/* `head` is a format with the name; all but params and start take t, y, p. */
static void end(struct c_file *f, const char *head, bool takes_state, const char *tail)
{
    actio_text_format(&f->body, head, f->name);
    actio_text_add(&f->body, "\n{\n");
    if (takes_state) {
        unused(f, f->e.uses.t, "t");
        unused(f, f->e.uses.y, "y");
        unused(f, f->e.uses.p, "p");
    }
    actio_text_bytes(&f->body, f->e.out.s, f->e.out.length);
    actio_text_add(&f->body, tail);
    actio_text_add(&f->body, "}\n\n");
}

static void assign(struct c_file *f, const char *what, size_t index, const char *value)
{
    actio_text_format(&f->e.out, "    %s[%zu] = %s;\n", what, index, value);
}

static void assign_number(struct c_file *f, const char *what, size_t index, double x, const char *name)
{
    actio_text_format(&f->e.out, "    %s[%zu] = %s", what, index, x < 0 ? "-" : "");
    actio_code_number(&f->e.out, x < 0 ? -x : x);
    actio_text_add(&f->e.out, ";   /* ");
    comment(&f->e.out, name);
    actio_text_add(&f->e.out, " */\n");
}

static const char **values_of(struct c_file *f, const actio_expr *e, size_t n)
{
    const char **value = actio_arena_array(&f->d->arena, n + 1, sizeof *value);
    actio_code_values(&f->e, e, n, value);
    return value;
}

static bool is_made(const struct actio_model *m, size_t i)
{
    return m->pool.node[m->param[i].definition.id].level >= ACTIO_LV_PARAM;
}

/* A param after those it is made from. */
struct order {
    size_t *stack, top, cap;
    uint8_t *mark;
};

static void push_needed(struct c_file *f, struct order *o, size_t param)
{
    struct actio_model *m = f->d->model;
    struct actio_cone cone = actio_cone_of(&m->pool, &m->param[param].definition, 1);
    for (uint32_t i = 0; i < cone.count; i++) {
        if (m->pool.node[cone.id[i]].op != ACTIO_SYMBOL) continue;
        uint32_t other = m->pool.slot[m->pool.node[cone.id[i]].a].index;
        if (o->mark[other] == 0 && is_made(m, other)) ACTIO_PUSH(&f->d->arena, o->stack, o->top, o->cap) = other;
    }
}

static void write_follow(struct c_file *f)
{
    struct actio_model *m = f->d->model;
    struct order o = { .mark = actio_arena_array(&f->d->arena, m->params + 1, 1) };
    c_file_begin(f);
    f->e.pool = &m->pool;
    for (size_t i = 0; i < m->params; i++) {
        if (is_made(m, i) && o.mark[i] == 0) ACTIO_PUSH(&f->d->arena, o.stack, o.top, o.cap) = i;
        while (o.top) {
            size_t k = o.stack[o.top - 1];
            if (o.mark[k] == 0) {
                o.mark[k] = 1;
                push_needed(f, &o, k);
                continue;
            }
            if (o.mark[k] == 1) assign(f, "p", k, values_of(f, &m->param[k].definition, 1)[0]);
            o.mark[k] = 2;
            o.top--;
        }
    }
    end(f, "void %s_params_follow(double *p)", false, "");
}

static void write_params(struct c_file *f)
{
    struct actio_model *m = f->d->model;
    if (f->follows) write_follow(f);
    c_file_begin(f);
    if (m->params + m->resets.helds == 0) actio_text_add(&f->e.out, "    (void)p;\n");
    for (size_t i = 0; i < m->resets.helds; i++)
        assign_number(f, "p", m->params + i, actio_model_number(m, m->resets.held[i].start), m->resets.held[i].name);
    for (size_t i = 0; i < m->params; i++)
        if (!is_made(m, i)) assign_number(f, "p", i, m->param[i].value, m->param[i].name);
    if (f->follows) actio_text_format(&f->e.out, "    %s_params_follow(p);\n", f->name);
    end(f, "void %s_params_default(double *p)", false, "");
}

static void write_start(struct c_file *f)
{
    struct actio_model *m = f->d->model;
    c_file_begin(f);
    for (size_t i = 0; i < m->coords; i++)
        assign_number(f, "y", i, actio_model_number(m, m->coord[i].start), m->coord[i].name);
    for (size_t i = 0; i < m->coords; i++)
        assign_number(f, "y", m->coords + i, actio_model_number(m, m->coord[i].start_dot), m->coord[i].dot_name);
    for (size_t i = 0; i < m->states; i++)
        assign_number(f, "y", 2 * m->coords + i, actio_model_number(m, m->state[i].start), m->state[i].name);
    for (size_t i = 0; f->d->chapter->evolves && i < m->constraints; i++)
        assign_number(f, "y", 2 * m->coords + m->states + i, actio_model_number(m, m->constraint[i].start_lambda),
                      m->constraint[i].label);
    actio_text_add(&f->e.out, "    return ");
    actio_code_number(&f->e.out, m->time.given ? m->time.t0 : 0);
    actio_text_add(&f->e.out, ";\n");
    end(f, "double %s_start(double *y)", false, "");
}

static void write_energy(struct c_file *f)
{
    struct actio_formation *F = f->d->F;
    actio_expr e = { 0 };
    for (size_t i = 0; i < F->n; i++)
        if (!actio_is_zero(F->Lv[i])) e = actio_add(&F->pool, e, actio_mul(&F->pool, F->sym.v[i], F->Lv[i]));
    e = actio_sub(&F->pool, e, F->L);
    c_file_begin(f);
    const char **value = values_of(f, &e, 1);
    actio_text_format(&f->e.out, "    return %s;\n", value[0]);
    end(f, "double %s_energy(double t, const double *y, const double *p)", true, "");
}

/* y' = v for coordinates */
static void assign_velocities(struct c_file *f)
{
    size_t n = f->d->F->n;
    for (size_t i = 0; i < n; i++) assign(f, "dy", i, actio_arena_format(&f->d->arena, "y[%zu]", n + i));
    if (n) f->e.uses.y = true;
}

/* 1 as soon as one value is not finite: then their sum is not, or is a difference of infinities, which is not either.
 * */
static void return_finite(struct c_file *f, const char *what, size_t first, size_t count)
{
    actio_text_format(&f->e.out, "    for (i = %zu; i < %zu; i++) if (!isfinite(%s[i])) return 1;\n    return 0;\n",
                      first, first + count, what);
}

static void write_solved(struct c_file *f)
{
    struct actio_formation *F = f->d->F;
    c_file_begin(f);
    actio_text_add(&f->e.out, "    int i;\n");
    const char **value = values_of(f, F->solved.zdot, F->N);
    assign_velocities(f);
    for (size_t i = 0; i < F->N; i++) assign(f, "dy", F->n + i, value[i]);
    return_finite(f, "dy", F->n, F->N);
    end(f, "int %s_rhs(double t, const double *y, const double *p, double *dy)", true, "");
    if (F->p == 0) return;
    c_file_begin(f);
    actio_text_add(&f->e.out, "    int i;\n");
    value = values_of(f, F->solved.lambda, F->p);
    for (size_t i = 0; i < F->p; i++) assign(f, "lambda", i, value[i]);
    return_finite(f, "lambda", 0, F->p);
    end(f, "int %s_multipliers(double t, const double *y, const double *p, double *lambda)", true, "");
}

/* Rows of the model's own constraints come before, those that follow behind the equations of motion. */
static size_t c_file_place_of(const struct c_file *f, size_t row) { return row < f->d->F->p ? row : row + f->d->F->N; }

/* B = [0 A; D' G], e = (c, h)  [LM 17, 18] */
static void write_system(struct c_file *f)
{
    struct actio_formation *F = f->d->F;
    size_t count = F->G.count + F->A.count + F->D.count, at = 0, p = F->p, K = f->K;
    actio_expr *e = actio_form_array(F, count + f->R, sizeof *e);
    for (size_t i = 0; i < F->A.count; i++) e[at++] = F->A.at[i].e;
    for (size_t i = 0; i < F->D.count; i++) e[at++] = F->D.at[i].e;
    for (size_t i = 0; i < F->G.count; i++) e[at++] = F->G.at[i].e;
    for (size_t k = 0; k < p; k++) e[at++] = F->c[k];
    for (size_t i = 0; i < F->N; i++) e[at++] = F->h[i];
    for (size_t k = p; k < F->sys.p; k++) e[at++] = F->c[k];
    c_file_begin(f);
    actio_text_format(&f->e.out, "    int i;\n    for (i = 0; i < %zu; i++) B[i] = 0.0;\n", f->R * K);
    const char **value = values_of(f, e, at);
    for (size_t i = 0; i < F->A.count; i++)
        assign(f, "B", c_file_place_of(f, F->A.at[i].row) * K + p + F->A.at[i].col, *value++);
    for (size_t i = 0; i < F->D.count; i++) assign(f, "B", (p + F->D.at[i].col) * K + F->D.at[i].row, *value++);
    for (size_t i = 0; i < F->G.count; i++) assign(f, "B", (p + F->G.at[i].row) * K + p + F->G.at[i].col, *value++);
    for (size_t i = 0; i < f->R; i++) assign(f, "e", i, *value++);
    end(f, "void %s_system(double t, const double *y, const double *p, double *B, double *e)", true, "");
}

static void write_by_numbers(struct c_file *f)
{
    struct actio_formation *F = f->d->F;
    write_system(f);
    actio_code_solver(f->d, f->name, &f->body);
    for (int multipliers = 0; multipliers <= (f->lambdas > 0); multipliers++) {
        const char *what = multipliers ? "lambda" : "dy";
        c_file_begin(f);
        actio_text_format(&f->e.out,
                          "    double B[%zu][%zu], e[%zu];\n    int i;\n    %s_system(t, y, p, B[0], e);\n    if "
                          "(%s_solve(B, e)) return 1;\n",
                          f->R, f->K, f->R, f->name, f->name);
        if (multipliers) actio_text_format(&f->e.out, "    for (i = 0; i < %zu; i++) lambda[i] = -e[i];\n", F->p);
        else {
            assign_velocities(f);
            actio_text_format(&f->e.out, "    for (i = 0; i < %zu; i++) dy[%zu + i] = e[%zu + i];\n", F->N, F->n, F->p);
            if (f->d->chapter->evolves)
                actio_text_format(&f->e.out, "    for (i = 0; i < %zu; i++) dy[%zu + i] = -e[i];\n", F->p, F->n + F->N);
        }
        return_finite(f, what, multipliers ? 0 : F->n, multipliers ? F->p : f->ny - F->n);
        f->e.uses = (struct actio_code_uses){ true, true, true };
        end(f,
            multipliers ? "int %s_multipliers(double t, const double *y, const double *p, double *lambda)"
                        : "int %s_rhs(double t, const double *y, const double *p, double *dy)",
            true, "");
    }
}

/* ---- the whole */

static void helpers(struct c_file *f, struct actio_text *out)
{
    if (f->e.needs_sign)
        actio_text_format(out, "static double %s_sign(double x) { return (double)((x > 0.0) - (x < 0.0)); }\n\n",
                          f->name);
    if (f->e.needs_power)
        actio_text_format(out,
                          "static double %s_power(double x, int k)\n{\n    double r = 1.0;\n    unsigned n = k < 0 ? "
                          "0u - (unsigned)k : (unsigned)k;\n"
                          "    for (; n; n >>= 1, x *= x) if (n & 1u) r *= x;\n    return k < 0 ? 1.0/r : r;\n}\n\n",
                          f->name);
}

static void note_section(struct actio_derivation *d, const char *text)
{
    d->sections = 0;
    ACTIO_PUSH(&d->arena, d->section, d->sections, d->sections_cap) =
        (struct actio_shown_section){ .key = "code", .title = "Code", .rule = "", .latex_rule = "", .text = text };
}

void actio_derive_c(struct actio_derivation *d)
{
    struct c_file f = {
        .d = d, .e = { .d = d }, .ny = 2 * d->F->n + d->F->m, .K = d->F->N + d->F->p, .R = d->F->N + d->F->sys.p
    };
    bool own = d->chapter->evolves || d->chapter->splits; /* no multipliers of d'Alembert's kind */
    f.lambdas = own ? 0 : d->F->p;
    if (d->chapter->evolves) f.ny += d->F->p;
    if (!d->F->sys.solved.symbolic && f.R > MOST_UNKNOWNS) {
        actio_report(d->ctx->findings, ACTIO_F_TOO_LARGE,
                     ACTIO_ARGS(ACTIO_TEXT("the system for --format c"), ACTIO_COUNT(f.R), ACTIO_COUNT(MOST_UNKNOWNS)));
        actio_escape(d->ctx);
    }
    make_name(&f);
    f.e.name = f.name;
    for (size_t i = 0; i < d->model->params; i++) f.follows = f.follows || is_made(d->model, i);
    actio_unswitch(d);
    actio_text_open(&f.body, &d->arena);
    write_params(&f);
    write_start(&f);
    if (d->F->sys.solved.symbolic) write_solved(&f);
    else write_by_numbers(&f);
    if (d->model->has_lagrangian) write_energy(&f);
    describe(&f, &d->text);
    declare(&f, &d->text);
    actio_text_format(&d->text, "#ifndef %s_DECLARATIONS\n#include <math.h>\n\n", f.upper);
    helpers(&f, &d->text);
    actio_text_bytes(&d->text, f.body.s, f.body.length);
    actio_text_add(&d->text, "#endif\n");
    note_section(d, d->text.s);
}

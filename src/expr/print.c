/* SPDX-License-Identifier: Apache-2.0
 * Expressions as model text (reads back to the same expression) and as LaTeX, without recursion: pieces wait on a stack. */
#include "expr/expr.h"

#include <math.h>
#include <string.h>

/* How tightly the printed form binds. A piece is put in brackets when it binds less than its place asks for. */
enum binding { ANY, SUM, PRODUCT, UNARY, POWER, PRIMARY };

enum { LONGEST = 1 << 20 };                                /* shared graphs can be exponentially long as text: what is cut ends in "..." */

struct piece { const char *text; actio_expr e; enum binding need; };
struct printer {
    struct actio_pool *pool; actio_name_fn name; void *user; struct actio_text *out;
    struct piece *stack; uint32_t count, cap;
};

static void push_text(struct printer *p, const char *text) { ACTIO_PUSH(p->out->arena, p->stack, p->count, p->cap) = (struct piece){ .text = text }; }
static void push(struct printer *p, actio_expr e, enum binding need) { ACTIO_PUSH(p->out->arena, p->stack, p->count, p->cap) = (struct piece){ .e = e, .need = need }; }

static enum actio_op op_of(const struct printer *p, actio_expr e) { return (enum actio_op)p->pool->node[e.id].op; }
static actio_expr arg(const struct printer *p, actio_expr e, int k)
{
    const struct actio_node *n = &p->pool->node[e.id];
    return (actio_expr){ k == 0 ? n->a : k == 1 ? n->b : n->c };
}

/* c x with c = 1/2, 1/4, ... (either sign): written x/2 */
static bool is_fraction(const struct printer *p, actio_expr e, double *divisor)
{
    if (op_of(p, e) != ACTIO_MUL || !actio_is_const(p->pool, arg(p, e, 0))) return false;
    double c = actio_const_value(p->pool, arg(p, e, 0));
    int exponent;
    if (fabs(frexp(c, &exponent)) != 0.5 || exponent > 0 || exponent < -9) return false;
    *divisor = 1 / c;
    return true;
}

static enum binding binds(const struct printer *p, actio_expr e)
{
    switch (op_of(p, e)) {
    case ACTIO_CONST: return actio_const_value(p->pool, e) < 0 ? UNARY : PRIMARY;
    case ACTIO_NEG: return op_of(p, arg(p, e, 0)) == ACTIO_MUL || op_of(p, arg(p, e, 0)) == ACTIO_DIV ? PRODUCT : UNARY;
    case ACTIO_ADD: case ACTIO_SUB: return SUM;
    case ACTIO_MUL: case ACTIO_DIV: return PRODUCT;
    case ACTIO_POW: case ACTIO_POWI: return POWER;
    case ACTIO_LT: case ACTIO_LE: return ANY;
    default: return PRIMARY;
    }
}

static bool in_class(const struct printer *p, actio_expr e, enum binding class) { return binds(p, e) == class; }

/* Operands of + and * are sorted in the pool: the one that needs no bracket on the left goes there. */
static void push_commuting(struct printer *p, actio_expr a, actio_expr b, const char *sign, enum binding class)
{
    bool swap = in_class(p, b, class) && !in_class(p, a, class);
    push(p, swap ? a : b, class + 1);
    push_text(p, sign);
    push(p, swap ? b : a, class);
}

static void print_number(struct printer *p, double x)
{
    if (isfinite(x)) actio_text_number(p->out, x);
    else actio_text_add(p->out, isnan(x) ? "(0/0)" : x > 0 ? "(1/0)" : "(-1/0)");
}

static void print_product(struct printer *p, actio_expr e)
{
    double divisor;
    if (is_fraction(p, e, &divisor)) {
        push(p, actio_const(p->pool, fabs(divisor)), UNARY);
        push_text(p, "/");
        push(p, arg(p, e, 1), PRODUCT);
        if (divisor < 0) push_text(p, "-");
    } else if (actio_is_const(p->pool, arg(p, e, 0))) {
        push(p, arg(p, e, 1), UNARY);
        push_text(p, "*");
        push(p, arg(p, e, 0), PRODUCT);
    } else push_commuting(p, arg(p, e, 0), arg(p, e, 1), "*", PRODUCT);
}

static void print_call(struct printer *p, actio_expr e)
{
    enum actio_op op = op_of(p, e);
    push_text(p, ")");
    for (int k = actio_arity(op); k-- > 0;) {
        push(p, arg(p, e, k), ANY);
        if (k) push_text(p, ", ");
    }
    push_text(p, "(");
    push_text(p, actio_op_text(op));
}

static void print_node(struct printer *p, actio_expr e)
{
    switch (op_of(p, e)) {
    case ACTIO_CONST: print_number(p, actio_const_value(p->pool, e)); break;
    case ACTIO_SYMBOL: p->name(p->user, actio_slot_of(p->pool, e), p->out); break;
    case ACTIO_NEG: push(p, arg(p, e, 0), binds(p, e) == PRODUCT ? PRODUCT : UNARY); push_text(p, "-"); break;
    case ACTIO_ADD: push_commuting(p, arg(p, e, 0), arg(p, e, 1), " + ", SUM); break;
    case ACTIO_SUB: push(p, arg(p, e, 1), PRODUCT); push_text(p, " - "); push(p, arg(p, e, 0), SUM); break;
    case ACTIO_MUL: print_product(p, e); break;
    case ACTIO_DIV: push(p, arg(p, e, 1), UNARY); push_text(p, "/"); push(p, arg(p, e, 0), PRODUCT); break;
    case ACTIO_POWI: push(p, actio_const(p->pool, (int32_t)p->pool->node[e.id].b), UNARY); push_text(p, "^"); push(p, arg(p, e, 0), PRIMARY); break;
    case ACTIO_POW: push(p, arg(p, e, 1), UNARY); push_text(p, "^"); push(p, arg(p, e, 0), PRIMARY); break;
    case ACTIO_LT: push(p, arg(p, e, 1), SUM); push_text(p, " < "); push(p, arg(p, e, 0), SUM); break;
    case ACTIO_LE: push(p, arg(p, e, 1), SUM); push_text(p, " <= "); push(p, arg(p, e, 0), SUM); break;
    default: print_call(p, e); break;
    }
}

void actio_print(struct actio_pool *pool, actio_expr e, actio_name_fn name, void *user, struct actio_text *out)
{
    struct printer p = { .pool = pool, .name = name, .user = user, .out = out };
    size_t start = out->length;
    push(&p, e, ANY);
    while (p.count && out->length - start < LONGEST) {
        struct piece top = p.stack[--p.count];
        if (top.text) actio_text_add(out, top.text);
        else if (binds(&p, top.e) < top.need) {
            push_text(&p, ")");
            push(&p, top.e, ANY);
            push_text(&p, "(");
        } else print_node(&p, top.e);
    }
    if (p.count) actio_text_add(out, "...");
}

/* ---- LaTeX */

static const char *const greek[] = { "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega" };

/* letters of a name, up to its digits or underscore */
static void latex_stem(const char *s, size_t n, struct actio_text *out)
{
    for (size_t i = 0; i < sizeof greek / sizeof *greek; i++)
        if (strlen(greek[i]) == n && memcmp(greek[i], s, n) == 0) { actio_text_format(out, "\\%s", greek[i]); return; }
    bool single = n == 1 || (n > 1 && ((unsigned char)s[0] & 0x80) && ((unsigned char)s[n - 1] & 0xC0) == 0x80 && n <= 3);
    if (!single) actio_text_add(out, "\\mathit{");
    actio_text_bytes(out, s, n);
    if (!single) actio_text_add(out, "}");
}

static void latex_escaped(const char *s, size_t n, struct actio_text *out)
{
    for (size_t i = 0; i < n; i++) {
        if (strchr("_#$%&{}^~\\", s[i])) actio_text_add(out, s[i] == '_' ? "\\_" : " ");
        else actio_text_bytes(out, s + i, 1);
    }
}

void actio_latex_name(const char *name, struct actio_text *out)
{
    size_t stem = strcspn(name, "_0123456789[");
    size_t length = strlen(name);
    if (stem == 0) stem = length;
    latex_stem(name, stem, out);
    if (stem == length) return;
    const char *rest = name + stem + (name[stem] == '_' && name[stem + 1]);
    actio_text_add(out, "_{");
    for (const char *p = rest; *p; p++)
        if (*p != '[' && *p != ']') latex_escaped(p, 1, out);
    actio_text_add(out, "}");
}

static const char *latex_function(enum actio_op op)
{
    switch (op) {
    case ACTIO_ASIN: return "\\arcsin";
    case ACTIO_ACOS: return "\\arccos";
    case ACTIO_ATAN: return "\\arctan";
    case ACTIO_ATAN2: return "\\operatorname{atan2}";
    case ACTIO_SIGN: return "\\operatorname{sign}";
    case ACTIO_LOG: return "\\ln";
    case ACTIO_SIN: return "\\sin";
    case ACTIO_COS: return "\\cos";
    case ACTIO_TAN: return "\\tan";
    case ACTIO_SINH: return "\\sinh";
    case ACTIO_COSH: return "\\cosh";
    case ACTIO_TANH: return "\\tanh";
    case ACTIO_MIN: return "\\min";
    case ACTIO_MAX: return "\\max";
    default: return "\\operatorname{fma}";
    }
}

static void latex_number(struct printer *p, double x)
{
    char s[32];
    if (!isfinite(x)) { actio_text_add(p->out, isnan(x) ? "\\mathrm{nan}" : x > 0 ? "\\infty" : "-\\infty"); return; }
    actio_number_text(x, s);
    char *e = strchr(s, 'e');
    if (e) *e = 0;
    actio_text_add(p->out, s);
    if (e) actio_text_format(p->out, "\\cdot 10^{%s}", e[1] == '+' ? e + 2 : e + 1);
}

static void latex_wrap(struct printer *p, const char *before, actio_expr e, const char *after)
{
    push_text(p, after);
    push(p, e, ANY);
    push_text(p, before);
}

static void latex_fraction(struct printer *p, actio_expr a, actio_expr b, bool minus)
{
    latex_wrap(p, "}{", b, "}");
    push(p, a, ANY);
    push_text(p, minus ? "-\\frac{" : "\\frac{");
}

static void latex_call(struct printer *p, actio_expr e)
{
    enum actio_op op = op_of(p, e);
    push_text(p, "\\right)");
    for (int k = actio_arity(op); k-- > 0;) {
        push(p, arg(p, e, k), ANY);
        if (k) push_text(p, ", ");
    }
    push_text(p, "\\!\\left(");
    push_text(p, latex_function(op));
}

static void latex_cases(struct printer *p, actio_expr e)
{
    latex_wrap(p, " \\\\ ", arg(p, e, 2), " & \\text{otherwise} \\end{cases}");
    latex_wrap(p, " & ", arg(p, e, 0), "");
    latex_wrap(p, "\\begin{cases} ", arg(p, e, 1), "");
}

static void latex_product(struct printer *p, actio_expr e)
{
    double divisor;
    if (is_fraction(p, e, &divisor)) latex_fraction(p, arg(p, e, 1), actio_const(p->pool, fabs(divisor)), divisor < 0);
    else push_commuting(p, arg(p, e, 0), arg(p, e, 1), actio_is_const(p->pool, arg(p, e, 1)) ? " \\cdot " : " \\, ", PRODUCT);
}

static void latex_node(struct printer *p, actio_expr e)
{
    actio_expr a = arg(p, e, 0), b = arg(p, e, 1);
    switch (op_of(p, e)) {
    case ACTIO_CONST: latex_number(p, actio_const_value(p->pool, e)); break;
    case ACTIO_SYMBOL: p->name(p->user, actio_slot_of(p->pool, e), p->out); break;
    case ACTIO_NEG: push(p, a, PRODUCT); push_text(p, "-"); break;
    case ACTIO_ADD: push_commuting(p, a, b, " + ", SUM); break;
    case ACTIO_SUB: push(p, b, PRODUCT); push_text(p, " - "); push(p, a, SUM); break;
    case ACTIO_MUL: latex_product(p, e); break;
    case ACTIO_DIV: latex_fraction(p, a, b, false); break;
    case ACTIO_POWI: latex_wrap(p, "^{", actio_const(p->pool, (int32_t)p->pool->node[e.id].b), "}"); push(p, a, PRIMARY); break;
    case ACTIO_POW: latex_wrap(p, "^{", b, "}"); push(p, a, PRIMARY); break;
    case ACTIO_SQRT: latex_wrap(p, "\\sqrt{", a, "}"); break;
    case ACTIO_EXP: latex_wrap(p, "e^{", a, "}"); break;
    case ACTIO_ABS: latex_wrap(p, "\\left|", a, "\\right|"); break;
    case ACTIO_LT: push(p, b, SUM); push_text(p, " < "); push(p, a, SUM); break;
    case ACTIO_LE: push(p, b, SUM); push_text(p, " \\le "); push(p, a, SUM); break;
    case ACTIO_IF: latex_cases(p, e); break;
    default: latex_call(p, e); break;
    }
}

/* A fraction stands for itself, e^x and a power do not take another exponent without brackets. */
static enum binding latex_binds(const struct printer *p, actio_expr e)
{
    if (op_of(p, e) == ACTIO_EXP) return POWER;
    if (op_of(p, e) == ACTIO_SYMBOL) return PRIMARY;
    return binds(p, e);
}

void actio_print_latex(struct actio_pool *pool, actio_expr e, actio_name_fn name, void *user, struct actio_text *out)
{
    struct printer p = { .pool = pool, .name = name, .user = user, .out = out };
    size_t start = out->length;
    push(&p, e, ANY);
    while (p.count && out->length - start < LONGEST) {
        struct piece top = p.stack[--p.count];
        if (top.text) actio_text_add(out, top.text);
        else if (latex_binds(&p, top.e) < top.need) {
            push_text(&p, "\\right)");
            push(&p, top.e, ANY);
            push_text(&p, "\\left(");
        } else latex_node(&p, top.e);
    }
    if (p.count) actio_text_add(out, "\\dots");
}

/* SPDX-License-Identifier: Apache-2.0
 * Expressions and names as LaTeX. */
#include "expr/printer.h"

#include <math.h>
#include <string.h>

static const char *const greek[] = { "alpha", "beta",  "gamma",   "delta",  "epsilon", "zeta",   "eta",
                                     "theta", "iota",  "kappa",   "lambda", "mu",      "nu",     "xi",
                                     "pi",    "rho",   "sigma",   "tau",    "upsilon", "phi",    "chi",
                                     "psi",   "omega", "Gamma",   "Delta",  "Theta",   "Lambda", "Xi",
                                     "Pi",    "Sigma", "Upsilon", "Phi",    "Psi",     "Omega" };

/* letters of a name, up to its digits or underscore */
static void latex_stem(const char *s, size_t n, struct actio_text *out)
{
    for (size_t i = 0; i < sizeof greek / sizeof *greek; i++)
        if (strlen(greek[i]) == n && memcmp(greek[i], s, n) == 0) {
            actio_text_format(out, "\\%s", greek[i]);
            return;
        }
    bool single =
        n == 1 || (n > 1 && ((unsigned char)s[0] & 0x80) && ((unsigned char)s[n - 1] & 0xC0) == 0x80 && n <= 3);
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

void actio_latex_name(const char *name, struct actio_text *out) { actio_latex_accented("", name, out); }

void actio_latex_accented(const char *accent, const char *name, struct actio_text *out)
{
    size_t stem = strcspn(name, "_0123456789[");
    size_t length = strlen(name);
    if (stem == 0) stem = length;
    if (*accent) actio_text_format(out, "%s{", accent);
    latex_stem(name, stem, out);
    if (*accent) actio_text_add(out, "}");
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
    case ACTIO_ERF: return "\\operatorname{erf}";
    case ACTIO_MIN: return "\\min";
    case ACTIO_MAX: return "\\max";
    case ACTIO_MOD: return "\\operatorname{mod}";
    case ACTIO_HYPOT: return "\\operatorname{hypot}";
    default: return "\\operatorname{fma}";
    }
}

static void latex_number(struct actio_printer *p, double x)
{
    char s[32];
    if (!isfinite(x)) {
        actio_text_add(p->out, isnan(x) ? "\\mathrm{nan}" : x > 0 ? "\\infty" : "-\\infty");
        return;
    }
    actio_number_text(x, s);
    char *e = strchr(s, 'e');
    if (e) *e = 0;
    actio_text_add(p->out, s);
    if (e) actio_text_format(p->out, "\\cdot 10^{%s}", e[1] == '+' ? e + 2 : e + 1);
}

static void latex_wrap(struct actio_printer *p, const char *before, actio_expr e, const char *after)
{
    actio_push_text(p, after);
    actio_push(p, e, ACTIO_B_ANY);
    actio_push_text(p, before);
}

static void latex_fraction(struct actio_printer *p, actio_expr a, actio_expr b, bool minus)
{
    latex_wrap(p, "}{", b, "}");
    actio_push(p, a, ACTIO_B_ANY);
    actio_push_text(p, minus ? "-\\frac{" : "\\frac{");
}

static void latex_call(struct actio_printer *p, actio_expr e)
{
    enum actio_op op = actio_piece_op(p, e);
    actio_push_text(p, "\\right)");
    for (int k = actio_arity(op); k-- > 0;) {
        actio_push(p, actio_piece_arg(p, e, k), ACTIO_B_ANY);
        if (k) actio_push_text(p, ", ");
    }
    actio_push_text(p, "\\!\\left(");
    actio_push_text(p, latex_function(op));
}

static void latex_cases(struct actio_printer *p, actio_expr e)
{
    latex_wrap(p, " \\\\ ", actio_piece_arg(p, e, 2), " & \\text{otherwise} \\end{cases}");
    latex_wrap(p, " & ", actio_piece_arg(p, e, 0), "");
    latex_wrap(p, "\\begin{cases} ", actio_piece_arg(p, e, 1), "");
}

/* Along an axis: \partial_s x, \int x ds */
static void latex_slope(struct actio_printer *p, actio_expr e, actio_expr axis)
{
    actio_push(p, e, ACTIO_B_PRIMARY);
    latex_wrap(p, "\\partial_{", axis, "} ");
}

static void latex_integral(struct actio_printer *p, const char *sign, actio_expr e, actio_expr axis)
{
    bool running = strchr(sign, '{') != NULL;
    latex_wrap(p, " \\, d", axis, "");
    actio_push(p, e, ACTIO_B_PRODUCT);
    if (running) latex_wrap(p, sign, axis, "} ");
    else actio_push_text(p, sign);
}

static void latex_at(struct actio_printer *p, actio_expr e)
{
    latex_wrap(p, " = ", actio_piece_arg(p, e, 2), "}");
    latex_wrap(p, " \\right|_{", actio_piece_arg(p, e, 1), "");
    latex_wrap(p, "\\left. ", actio_piece_arg(p, e, 0), "");
}

/* Behind another factor a sign would be a minus: it stands in brackets there. */
static void latex_product(struct actio_printer *p, actio_expr e)
{
    double divisor;
    actio_expr a = actio_piece_arg(p, e, 0), b = actio_piece_arg(p, e, 1);
    if (actio_is_fraction(p, e, &divisor)) {
        latex_fraction(p, b, actio_const(p->pool, fabs(divisor)), divisor < 0);
    } else if (actio_is_const(p->pool, a)) { /* a number stands first */
        actio_push(p, b, ACTIO_B_POWER);
        actio_push_text(p, actio_is_const(p->pool, b) ? " \\cdot " : " \\, ");
        actio_push(p, a, ACTIO_B_PRODUCT);
    } else {
        actio_push_commuting(p, a, b, actio_is_const(p->pool, b) ? " \\cdot " : " \\, ", ACTIO_B_PRODUCT,
                             ACTIO_B_POWER);
    }
}

static void latex_node(struct actio_printer *p, actio_expr e)
{
    actio_expr a = actio_piece_arg(p, e, 0), b = actio_piece_arg(p, e, 1);
    switch (actio_piece_op(p, e)) {
    case ACTIO_CONST: latex_number(p, actio_const_value(p->pool, e)); break;
    case ACTIO_SYMBOL: p->name(p->user, actio_slot_of(p->pool, e), p->out); break;
    case ACTIO_NEG:
        actio_push(p, a, ACTIO_B_PRODUCT);
        actio_push_text(p, "-");
        break;
    case ACTIO_ADD: actio_push_commuting(p, a, b, " + ", ACTIO_B_SUM, ACTIO_B_PRODUCT); break;
    case ACTIO_SUB:
        actio_push(p, b, ACTIO_B_PRODUCT);
        actio_push_text(p, " - ");
        actio_push(p, a, ACTIO_B_SUM);
        break;
    case ACTIO_MUL: latex_product(p, e); break;
    case ACTIO_DIV: latex_fraction(p, a, b, false); break;
    case ACTIO_POWI:
        latex_wrap(p, "^{", actio_const(p->pool, (int32_t)p->pool->node[e.id].b), "}");
        actio_push(p, a, ACTIO_B_PRIMARY);
        break;
    case ACTIO_POW:
        latex_wrap(p, "^{", b, "}");
        actio_push(p, a, ACTIO_B_PRIMARY);
        break;
    case ACTIO_SQRT: latex_wrap(p, "\\sqrt{", a, "}"); break;
    case ACTIO_EXP: latex_wrap(p, "\\mathrm{e}^{", a, "}"); break; /* upright: e is a good name of a param */
    case ACTIO_ABS: latex_wrap(p, "\\left|", a, "\\right|"); break;
    case ACTIO_LT:
        actio_push(p, b, ACTIO_B_SUM);
        actio_push_text(p, " < ");
        actio_push(p, a, ACTIO_B_SUM);
        break;
    case ACTIO_LE:
        actio_push(p, b, ACTIO_B_SUM);
        actio_push_text(p, " \\le ");
        actio_push(p, a, ACTIO_B_SUM);
        break;
    case ACTIO_AND: actio_push_condition(p, e, " \\land "); break;
    case ACTIO_OR: actio_push_condition(p, e, " \\lor "); break;
    case ACTIO_NOT: actio_push_condition(p, e, "\\lnot "); break;
    case ACTIO_FLOOR: latex_wrap(p, "\\left\\lfloor ", a, " \\right\\rfloor"); break;
    case ACTIO_IF: latex_cases(p, e); break;
    case ACTIO_DIFF: latex_slope(p, a, b); break;
    case ACTIO_INTEGRAL: latex_integral(p, "\\int ", a, b); break;
    case ACTIO_RUNNING: latex_integral(p, "\\int^{", a, b); break;
    case ACTIO_AT: latex_at(p, e); break;
    default: latex_call(p, e); break;
    }
}

/* A fraction stands for itself, e^x and a power do not take another exponent without brackets. */
static enum actio_binding latex_binds(const struct actio_printer *p, actio_expr e)
{
    enum actio_op op = actio_piece_op(p, e);
    if (op == ACTIO_EXP || op == ACTIO_DIFF || op == ACTIO_INTEGRAL || op == ACTIO_RUNNING) return ACTIO_B_POWER;
    if (actio_piece_op(p, e) == ACTIO_SYMBOL) return ACTIO_B_PRIMARY;
    return actio_text_binds(p, e);
}

const struct actio_dialect actio_dialect_latex = { latex_binds, latex_node, "\\left(", "\\right)", "\\dots" };

void actio_print_latex(struct actio_pool *pool, actio_expr e, actio_name_fn name, void *user, struct actio_text *out)
{
    actio_print_in(&actio_dialect_latex,
                   &(struct actio_printer){ .pool = pool, .name = name, .user = user, .out = out }, e);
}

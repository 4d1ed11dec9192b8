/* SPDX-License-Identifier: Apache-2.0
 * A constraint that has no gradient where it holds often says something simple: what stands under the root or the
 * power, each part of a sum that is never negative, or where its derivatives vanish. A proposal counts only if its
 * gradients are independent there. */
#include "verdict/remedy.h"
#include "verdict/verdict.h"
#include "expr/normal.h"

#include <math.h>
#include <string.h>

enum { MOST_PARTS = 8 };

static bool is_number(const struct actio_pool *pool, uint32_t id) { return pool->node[id].op == ACTIO_CONST; }

static double number(const struct actio_pool *pool, uint32_t id) { return actio_const_value(pool, (actio_expr){ id }); }

/* Which nodes below g are never negative, by how they are made; by place in the cone. */
static bool *never_negative(struct actio_formation *F, struct actio_pool *pool, actio_expr g)
{
    struct actio_cone cone = actio_cone_of(pool, &g, 1);
    bool *is = actio_form_array(F, cone.count, sizeof *is);
    for (uint32_t i = 0; i < cone.count; i++) {
        const struct actio_node *n = &pool->node[cone.id[i]];
        int arity = actio_arity((enum actio_op)n->op);
        bool a = arity > 0 && is[pool->place[n->a]], b = arity > 1 && is[pool->place[n->b]];
        switch ((enum actio_op)n->op) {
        case ACTIO_CONST: is[i] = number(pool, cone.id[i]) >= 0; break;
        case ACTIO_SQRT:
        case ACTIO_ABS:
        case ACTIO_EXP:
        case ACTIO_HYPOT: is[i] = true; break;
        case ACTIO_FLOOR: is[i] = a; break;
        case ACTIO_MOD:
            is[i] = b; /* it has the sign of the divisor */
            break;
        case ACTIO_POW:
            is[i] = is_number(pool, n->b); /* of what is not negative */
            break;
        case ACTIO_POWI: is[i] = (int32_t)n->b % 2 == 0 || a; break;
        case ACTIO_ADD:
        case ACTIO_MUL:
        case ACTIO_DIV:
        case ACTIO_MAX:
        case ACTIO_MIN: is[i] = a && b; break;
        default: break;
        }
    }
    return is;
}

/* What must vanish for node `id` to: itself (false), or these. */
static bool split(const struct actio_pool *pool, uint32_t id, const bool *never, uint32_t part[2], size_t *parts)
{
    const struct actio_node *n = &pool->node[id];
    *parts = 1;
    part[0] = n->a;
    switch ((enum actio_op)n->op) {
    case ACTIO_SQRT:
    case ACTIO_ABS:
    case ACTIO_SIGN:
    case ACTIO_NEG: return true;
    case ACTIO_POWI: return (int32_t)n->b > 0;
    case ACTIO_POW: return is_number(pool, n->b) && number(pool, n->b) > 0;
    case ACTIO_DIV: return is_number(pool, n->b);
    case ACTIO_MUL:
        if (is_number(pool, n->a)) part[0] = n->b;
        return is_number(pool, n->a) || is_number(pool, n->b);
    case ACTIO_HYPOT:
        part[1] = n->b;
        *parts = 2;
        return true;
    case ACTIO_ADD:
    case ACTIO_MAX:
        part[1] = n->b;
        *parts = 2;
        return never[pool->place[n->a]] && never[pool->place[n->b]];
    default: return false;
    }
}

/* Formulas (in the model's pool) that all vanish where g does; 0 when there are too many, or it can't be taken apart.
 * */
static size_t parts_of(struct actio_formation *F, actio_expr g, actio_expr *out)
{
    struct actio_pool *pool = &F->model->pool;
    const bool *never = never_negative(F, pool, g);
    uint32_t stack[4 * MOST_PARTS], part[2];
    size_t top = 0, count = 0, parts;
    stack[top++] = g.id;
    while (top) {
        uint32_t id = stack[--top];
        if (split(pool, id, never, part, &parts)) {
            if (top + parts > sizeof stack / sizeof *stack) return 0;
            while (parts) stack[top++] = part[--parts];
        } else {
            if (count == MOST_PARTS) return 0;
            out[count++] = (actio_expr){ id };
        }
    }
    return count == 1 && actio_same(out[0], g) ? 0 : count;
}

/* Rank of the gradients of formulas at a state; of those that are independent, the first ones are marked. */
static size_t independent(struct actio_manifold *m, const actio_expr *e, size_t count, double t, const double *y,
                          bool *needed)
{
    struct actio_formation *F = m->F;
    size_t ny = m->ny, rank = 0;
    actio_expr *slope = actio_form_array(F, count * ny, sizeof *slope);
    double *rows = actio_form_array(F, count * ny, sizeof *rows);
    for (size_t i = 0; i < count; i++) actio_gradient(&F->pool, e[i], m->wrt, ny, slope + i * ny);
    struct actio_probe probe = actio_probe_open(m, slope, count * ny);
    m->t = t;
    memcpy(m->y, y, ny * sizeof *y);
    const double *value = actio_probe_at(&probe);
    for (size_t i = 0; i < count; i++) {
        memcpy(rows + rank * ny, value + i * ny, ny * sizeof *rows);
        bool finite = true;
        double size = 0;
        for (size_t k = 0; k < ny; k++) {
            finite = finite && isfinite(rows[rank * ny + k]);
            size = fmax(size, fabs(rows[rank * ny + k]));
        }
        needed[i] = finite && size > 1e-3 && actio_rank_of_rows(F, rows, rank + 1, ny, 1e-4) > rank;
        rank += needed[i];
    }
    actio_probe_close(&probe);
    return rank;
}

static const char *equations(struct actio_formation *F, struct actio_pool *pool, const actio_expr *e,
                             const bool *needed, size_t count)
{
    struct actio_text t;
    size_t listed = 0, left = 0;
    actio_text_open(&t, &F->arena);
    for (size_t i = 0; i < count; i++) left += needed[i];
    for (size_t i = 0; i < count; i++) {
        if (!needed[i]) continue;
        actio_text_add(&t, listed == 0 ? "" : listed + 1 == left ? " and " : ", ");
        actio_print_nice(pool, e[i], actio_model_symbol_name, F->model, &t);
        actio_text_add(&t, " = 0");
        listed++;
    }
    return t.s;
}

static const char *by_parts(struct actio_manifold *m, uint32_t k, double t, const double *y)
{
    struct actio_formation *F = m->F;
    actio_expr part[MOST_PARTS], here[MOST_PARTS];
    bool needed[MOST_PARTS];
    size_t count = parts_of(F, F->model->constraint[k].g, part);
    if (count == 0) return NULL;
    size_t modes = F->sys.switches.count;
    actio_copy_switched(F, part, count, here);
    if (F->sys.switches.count != modes || independent(m, here, count, t, y, needed) != count) return NULL;
    return equations(F, &F->model->pool, part, needed, count);
}

/* Where h^2 = 0, its derivatives vanish as well, and theirs don't. */
static const char *by_derivatives(struct actio_manifold *m, uint32_t k, double t, const double *y)
{
    struct actio_formation *F = m->F;
    bool positions = F->model->constraint[k].kind == ACTIO_HOLONOMIC;
    const actio_expr *wrt = positions ? F->sym.q : F->sym.z;
    size_t n = positions ? F->n : F->N, count = 0;
    actio_expr *e = actio_form_array(F, n, sizeof *e);
    bool *needed = actio_form_array(F, n, sizeof *needed);
    if (actio_uses(&F->pool, F->g[k], ACTIO_SPACE_MODE)) return NULL;
    for (size_t i = 0; i < n; i++) {
        actio_expr slope = actio_diff(&F->pool, F->g[k], wrt[i]);
        if (!actio_is_zero(slope)) e[count++] = actio_equation_form(&F->pool, actio_simplify(&F->pool, slope));
    }
    return count && independent(m, e, count, t, y, needed) ? equations(F, &F->pool, e, needed, count) : NULL;
}

const char *actio_remedy_for(struct actio_manifold *m, uint32_t k, double t, const double *y)
{
    const char *found = by_parts(m, k, t, y);
    return found ? found : by_derivatives(m, k, t, y);
}

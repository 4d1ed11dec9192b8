/* SPDX-License-Identifier: Apache-2.0
 * Hamel's equations, shown: the Lagrangian in quasi-velocities, its momenta, and their rates by the brackets.  [SBZB
 * 3.5, HAMEL A.1]
 *     d/dt dl/dxi_j = (c^a_ij xi_i + c^a_0j) dl/dxi_a + e_j[l] + Psi_j (Q + lambda A),   v = Psi xi + w
 * Derivatives of l are taken before the xi of constraints are set to 0: all momenta enter through the brackets. */
#include "derive/field.h"
#include "derive/framing.h"
#include "derive/square.h"
#include "expr/normal.h"

enum { ROOM = ACTIO_FRAMING_ROOM, SHORT = 260 }; /* operations of a formula worth reading */

struct moving {
    struct actio_derivation *d;
    struct actio_framing *f;
    size_t n, r;                                              /* r: quasi-velocities that the constraints leave */
    actio_expr xi[ROOM], rate[ROOM], bound[ROOM], none[ROOM]; /* bound: the xi that vanish */
    actio_expr v[ROOM], l, p[ROOM], name[ROOM]; /* v by all xi; momenta on the constraints, and their names */
    actio_expr push[ROOM], right[ROOM];         /* e_j[l] + Psi_j Q; with the brackets, all momenta as formulas */
};

static struct actio_pool *hamel_pool_of(struct moving *m) { return &m->d->F->pool; }

static actio_expr hamel_plus(struct moving *m, actio_expr sum, actio_expr a, actio_expr b)
{
    actio_expr ab = actio_times(hamel_pool_of(m), a, b);
    return actio_is_zero(ab) ? sum : actio_add(hamel_pool_of(m), sum, ab);
}

/* On the constraints, gathered by what moves. */
static actio_expr hamel_tidy(struct moving *m, actio_expr e)
{
    e = actio_substitute(hamel_pool_of(m), e, m->bound, m->none, m->n - m->r);
    return actio_tidy_in(m->d, actio_tidy(m->d, e), m->xi, m->n);
}

static actio_expr by_xi(struct moving *m, actio_expr e)
{
    return actio_substitute(hamel_pool_of(m), e, m->d->F->sym.v, m->v, m->n);
}

/* ---- what the equations are made of */

static actio_expr hamel_rate_of(struct moving *m, const struct actio_framing_row *row)
{
    struct actio_text latex;
    if (!actio_is_zero(row->rate)) return row->rate;
    actio_text_open(&latex, &m->d->arena);
    actio_latex_accented("\\dot", row->of, &latex);
    return actio_shown_symbol(m->d, actio_arena_format(&m->d->arena, "%s'", row->of), latex.s);
}

/* What is squared is simplified first, so that squares stay squares: l as a person finds it. */
static actio_expr squares_first(struct moving *m, actio_expr e)
{
    struct actio_pool *pool = hamel_pool_of(m);
    struct actio_cone cone = actio_cone_of(pool, &e, 1);
    uint32_t *id = actio_form_array(m->d->F, cone.count, sizeof *id),
             *place = actio_form_array(m->d->F, pool->count, sizeof *place), count = cone.count;
    actio_expr *made = actio_form_array(m->d->F, cone.count, sizeof *made);
    for (uint32_t i = 0; i < count; i++) {
        id[i] = cone.id[i];
        place[id[i]] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct actio_node n = pool->node[id[i]];
        const uint32_t from[3] = { n.a, n.b, n.c };
        actio_expr arg[3] = { { 0 }, { 0 }, { 0 } };
        int arity = actio_arity((enum actio_op)n.op);
        for (int k = 0; k < arity; k++) arg[k] = made[place[from[k]]];
        if (n.op == ACTIO_POWI) arg[0] = actio_tidy_in(m->d, actio_tidy(m->d, arg[0]), m->xi, m->n);
        made[i] = arity ? actio_rebuild(pool, (enum actio_op)n.op, arg[0], arg[1], arg[2], (int32_t)n.b)
                        : (actio_expr){ id[i] };
    }
    return count ? made[count - 1] : e;
}

static void hamel_open(struct moving *m)
{
    struct actio_formation *F = m->d->F;
    m->n = F->n;
    m->r = F->n - F->sys.frame->kept;
    for (size_t a = 0; a < m->n; a++) {
        m->xi[a] = m->f->row[a].name;
        if (a < m->r) m->rate[a] = hamel_rate_of(m, &m->f->row[a]);
        else m->bound[a - m->r] = m->xi[a];
    }
    for (size_t k = 0; k < m->n; k++) {
        m->v[k] = m->f->w[k];
        for (size_t a = 0; a < m->n; a++) m->v[k] = hamel_plus(m, m->v[k], m->f->Psi[k * m->n + a], m->xi[a]);
        m->v[k] = actio_tidy(m->d, m->v[k]);
    }
    m->l = actio_tidy_in(m->d, actio_tidy(m->d, squares_first(m, by_xi(m, F->L))), m->xi, m->n);
    for (size_t a = 0; a < m->n; a++) m->p[a] = hamel_tidy(m, actio_diff(hamel_pool_of(m), m->l, m->xi[a]));
}

/* sum_i c^a_ij xi_i + c^a_0j; brackets are kept for i < j */
static actio_expr bracket(struct moving *m, size_t a, size_t j)
{
    const struct actio_brackets *c = m->f->bracket;
    actio_expr sum = c->time[j][a];
    for (size_t i = 0; i < m->r; i++) {
        if (i < j) sum = hamel_plus(m, sum, c->pair[i][j][a], m->xi[i]);
        if (i > j && !actio_is_zero(c->pair[j][i][a]))
            sum = actio_sub(hamel_pool_of(m), sum, actio_mul(hamel_pool_of(m), c->pair[j][i][a], m->xi[i]));
    }
    return actio_is_zero(sum) ? sum : hamel_tidy(m, sum);
}

static void find_right(struct moving *m, size_t j)
{
    struct actio_formation *F = m->d->F;
    actio_expr push = { 0 };
    for (size_t k = 0; k < m->n; k++) {
        actio_expr force =
            actio_add(hamel_pool_of(m), actio_diff(hamel_pool_of(m), m->l, F->sym.q[k]), by_xi(m, F->total_force[k]));
        push = hamel_plus(m, push, m->f->Psi[k * m->n + j], force);
    }
    m->push[j] = m->right[j] = hamel_tidy(m, push);
    for (size_t a = 0; a < m->n; a++) m->right[j] = hamel_plus(m, m->right[j], bracket(m, a, j), m->p[a]);
}

/* ---- sections */

static void show_momenta(struct moving *m)
{
    struct actio_derivation *d = m->d;
    actio_shown_section(d, "quasi-lagrangian", "Lagrangian in quasi-velocities", "", "");
    if (actio_tidy_size(d, m->l) <= SHORT)
        actio_shown_equation(d, NULL, actio_shown_free(d, "l", "l_frame", "\\ell"),
                             actio_group(hamel_pool_of(m), m->l));
    else actio_shown_words(d, "too long to display");
    actio_shown_section(d, "quasi-momenta", "Momenta of the quasi-velocities", "dl/dxi, then xi = 0 for constraints",
                        "p = \\partial \\ell/\\partial \\xi \\text{, then } \\xi = 0 \\text{ for constraints}");
    for (size_t a = 0; a < m->n; a++) {
        m->name[a] = actio_shown_indexed(d, "p", "p", m->f->row[a].of);
        if (actio_tidy_size(d, m->p[a]) <= SHORT)
            actio_shown_equation(d, NULL, m->name[a], actio_group(hamel_pool_of(m), m->p[a]));
        else actio_shown_words(d, actio_arena_format(&d->arena, "that of %s is too long to display", m->f->row[a].of));
    }
}

/* Psi_j D' lambda: of the constraints' own directions */
static actio_expr reaction(struct moving *m, size_t j)
{
    struct actio_formation *F = m->d->F;
    actio_expr sum = { 0 };
    for (size_t i = 0; i < F->D.count; i++) {
        const struct actio_entry *e = &F->D.at[i];
        if (e->col < m->n)
            sum = hamel_plus(m, sum, actio_times(hamel_pool_of(m), m->f->Psi[e->col * m->n + j], e->e),
                             F->sym.lambda[e->row]);
    }
    return actio_is_zero(sum) ? sum : actio_tidy_in(m->d, actio_tidy(m->d, sum), F->sym.lambda, F->p);
}

static actio_expr rate_of_momentum(struct moving *m, size_t j)
{
    struct actio_derivation *d = m->d;
    const struct actio_shown_name *p = &d->name[actio_slot_of(hamel_pool_of(m), m->name[j]).index];
    const char *below = actio_arena_format(&d->arena, "\\dot{p}%s", p->latex + 1); /* p_{...} with a dot on p */
    return actio_shown_symbol(d, actio_arena_format(&d->arena, "%s'", p->text), below);
}

static void show_rates_of_momenta(struct moving *m)
{
    struct actio_derivation *d = m->d;
    actio_shown_section(d, "hamel", "Hamel's equations",
                        "d/dt p_j = (c^a_ij*xi_i + c^a_0j)*p_a + e_j[l] + F_j, with lambda along the constraints",
                        "\\frac{d}{dt} p_j = (c^a_{ij} \\, \\xi_i + c^a_{0j}) \\, p_a + e_j[\\ell] + F_j + \\lambda_j");
    for (size_t j = 0; j < m->n; j++) {
        actio_expr sum = { 0 };
        for (size_t a = 0; a < m->n; a++)
            if (!actio_is_zero(m->p[a])) sum = hamel_plus(m, sum, bracket(m, a, j), m->name[a]);
        sum = actio_add(hamel_pool_of(m), actio_tidy_in(d, sum, m->name, m->n), m->push[j]);
        if (j >= m->r) sum = actio_add(hamel_pool_of(m), sum, reaction(m, j));
        if (actio_tidy_size(d, sum) <= 2 * SHORT)
            actio_shown_equation(d, NULL, rate_of_momentum(m, j), actio_group(hamel_pool_of(m), sum));
        else actio_shown_words(d, actio_arena_format(&d->arena, "that of %s is too long to display", m->f->row[j].of));
    }
}

/* What d/dt p brings without rates of quasi-velocities; those of states stay. */
static actio_expr drift(struct moving *m, size_t j)
{
    struct actio_formation *F = m->d->F;
    actio_expr sum = actio_diff(hamel_pool_of(m), m->p[j], F->sym.time);
    for (size_t k = 0; k < m->n; k++)
        sum = hamel_plus(m, sum, actio_diff(hamel_pool_of(m), m->p[j], F->sym.q[k]), m->v[k]);
    for (size_t k = 0; k < F->m; k++)
        sum = hamel_plus(m, sum, actio_diff(hamel_pool_of(m), m->p[j], F->sym.s[k]), F->sym.sdot[k]);
    return sum;
}

struct linear {
    actio_expr K[ROOM * ROOM], b[ROOM];
}; /* K xi' = b */

static void form_linear(struct moving *m, struct linear *s)
{
    for (size_t j = 0; j < m->r; j++) {
        s->b[j] = hamel_tidy(m, actio_sub(hamel_pool_of(m), m->right[j], drift(m, j)));
        for (size_t i = 0; i < m->r; i++)
            s->K[j * m->r + i] = hamel_tidy(m, actio_diff(hamel_pool_of(m), m->p[j], m->xi[i]));
    }
}

/* By cofactors, as one does by hand. */
static bool hamel_solve(struct moving *m, const struct linear *s, actio_expr *x)
{
    struct actio_square K = { .k = m->r };
    if (m->r == 0 || m->r > ACTIO_SQUARE) return false;
    for (size_t i = 0; i < m->r * m->r; i++) K.a[i] = s->K[i];
    if (!actio_square_invertible(m->d, &K)) return false;
    for (size_t i = 0; i < m->r; i++) {
        actio_expr sum = { 0 };
        for (size_t j = 0; j < m->r; j++)
            sum = hamel_plus(m, sum, actio_square_cofactor(hamel_pool_of(m), &K, j, i), s->b[j]);
        x[i] = actio_is_zero(sum) ? sum : hamel_tidy(m, actio_div(hamel_pool_of(m), sum, K.det));
    }
    return true;
}

static void show_motion(struct moving *m)
{
    struct actio_derivation *d = m->d;
    struct actio_formation *F = d->F;
    struct linear s = { 0 };
    actio_expr x[ROOM], *left, *right, *v = m->v;
    form_linear(m, &s);
    actio_shown_section(d, "motion", "Equations of motion in quasi-velocities",
                        "with q' by the quasi-velocities, xi = 0 for constraints", "");
    for (size_t j = 0; j < m->r; j++) {
        actio_expr sum = { 0 };
        for (size_t i = 0; i < m->r; i++) sum = hamel_plus(m, sum, s.K[j * m->r + i], m->rate[i]);
        if (actio_tidy_size(d, sum) + actio_tidy_size(d, s.b[j]) <= 2 * SHORT)
            actio_shown_equation(d, NULL, actio_group(hamel_pool_of(m), sum), actio_group(hamel_pool_of(m), s.b[j]));
        else actio_shown_words(d, actio_arena_format(&d->arena, "that of %s is too long to display", m->f->row[j].of));
    }
    actio_derive_balance(d, &left, &right);
    for (size_t i = m->n; i < F->N; i++)
        actio_shown_equation(d, NULL, left[i],
                             hamel_tidy(m, actio_substitute(hamel_pool_of(m), right[i], F->sym.v, v, m->n)));
    if (!hamel_solve(m, &s, x)) return;
    actio_shown_section(d, "solved", "Solved for the rates of the quasi-velocities", "", "");
    actio_shown_solved(d, m->rate, x, NULL, m->r, "rates");
}

static void show_hamel(struct actio_derivation *d)
{
    struct moving *m = actio_form_array(d->F, 1, sizeof *m);
    *m = (struct moving){ .d = d, .f = NULL };
    actio_derive_whole_frame(d);
    m->f = d->framing;
    if (!m->f) return;
    hamel_open(m);
    for (size_t j = 0; j < m->n; j++) find_right(m, j);
    show_momenta(m);
    show_rates_of_momenta(m);
    show_motion(m);
}

static const struct actio_shown_part parts[] = {
    ACTIO_SHARED_PART("parameters"),
    ACTIO_SHARED_PART("coordinates"),
    ACTIO_SHARED_PART("states"),
    ACTIO_SHARED_PART("lagrangian"),
    ACTIO_SHARED_PART("forces"),
    ACTIO_SHARED_PART("constraints"),
    { "frame", "Quasi-velocities", "", "", show_hamel },
};
const struct actio_chapter actio_chapter_hamel = { .part = parts,
                                                   .parts = sizeof parts / sizeof *parts,
                                                   .fields = &actio_chapter_field_hamel };

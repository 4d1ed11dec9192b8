/* SPDX-License-Identifier: Apache-2.0
 * Contacts and friction as formulas: gaps, their rates and second rates, slips, coefficients; and the functions whose
 * crossings are listed.
 *     gap' = gap_q v + gap_t,   gap'' = gap_q v' + bias;   slip = S v + s,   slip' = S v' + bias  [RH 9] */
#include "equations/formation.h"

#include <string.h>

static actio_expr from_model(struct actio_formation *F, actio_expr e)
{
    actio_expr copy;
    actio_copy_switched(F, &e, 1, &copy);
    return copy;
}

/* d/dt with velocities frozen. */
static actio_expr drift(struct actio_formation *F, actio_expr e)
{
    actio_expr out;
    actio_drift_rates(F, &e, 1, &out);
    return out;
}

/* The kinetic energy of one point mass in Cartesian coordinates: W = m 1, so that |gap_q| turns the multiplier into a
 * force. */
static bool is_point_mass(struct actio_formation *F)
{
    struct actio_entries W = { 0 };
    size_t diagonal = 0;
    actio_jacobian(&F->pool, F->Lv, F->n, F->sym.v, F->n, &W);
    for (size_t i = 0; i < W.count; i++, diagonal++)
        if (W.at[i].row != W.at[i].col || !actio_same(W.at[i].e, W.at[0].e)
            || actio_uses(&F->pool, W.at[i].e, ACTIO_SPACE_Q))
            return false;
    return diagonal == F->n && F->n > 1;
}

static actio_expr norm(struct actio_formation *F, const actio_expr *row)
{
    actio_expr sum = { 0 };
    for (size_t i = 0; i < F->n; i++)
        if (!actio_is_zero(row[i])) sum = actio_add(&F->pool, sum, actio_power(&F->pool, row[i], 2));
    return actio_op1(&F->pool, ACTIO_SQRT, sum);
}

static void form_gap(struct actio_formation *F, size_t i, bool point_mass)
{
    const struct actio_contact *c = &F->model->contact[i];
    struct actio_gap *g = &F->walls.gap[i];
    g->e = from_model(F, c->gap);
    g->row = actio_form_array(F, F->n, sizeof *g->row);
    actio_gradient(&F->pool, g->e, F->sym.q, F->n, g->row);
    g->rate = drift(F, g->e);
    g->bias = drift(F, g->rate);
    g->restitution = from_model(F, c->restitution);
    g->scale = point_mass ? norm(F, g->row) : actio_const(&F->pool, 1);
}

static void form_slip(struct actio_formation *F, size_t j, actio_expr slip)
{
    struct actio_slip *s = &F->walls.slip[j];
    s->e = from_model(F, slip);
    s->row = actio_form_array(F, F->n, sizeof *s->row);
    actio_gradient(&F->pool, s->e, F->sym.v, F->n, s->row);
    s->bias = drift(F, s->e);
}

static void form_rub(struct actio_formation *F, const struct actio_friction *f, uint32_t contact, uint32_t constraint)
{
    struct actio_rub *r = &F->walls.rub[F->sys.walls.rubs];
    actio_expr scale = actio_is_zero(f->scale) ? actio_const(&F->pool, 1) : from_model(F, f->scale);
    *r = (struct actio_rub){ contact, constraint, (uint32_t)F->sys.walls.slips, (uint32_t)f->slips };
    F->walls.rubbing[F->sys.walls.rubs++] =
        (struct actio_rubbing){ from_model(F, f->coefficient), from_model(F, f->stick), scale };
    for (size_t j = 0; j < f->slips; j++) form_slip(F, F->sys.walls.slips++, f->slip[j]);
}

static void form_names(struct actio_formation *F)
{
    const struct actio_model *m = F->model;
    const char **contact = actio_form_array(F, m->contacts, sizeof *contact),
               **event = actio_form_array(F, m->events, sizeof *event);
    uint32_t *line = actio_form_array(F, m->contacts, sizeof *line),
             *event_line = actio_form_array(F, m->events, sizeof *event_line);
    for (size_t i = 0; i < m->contacts; i++) {
        contact[i] = m->contact[i].label;
        line[i] = m->contact[i].span.line;
    }
    for (size_t i = 0; i < m->events; i++) {
        event[i] = m->event[i].label;
        event_line[i] = m->event[i].span.line;
        F->walls.event[i] = from_model(F, m->event[i].g);
    }
    F->sys.walls.contact = contact;
    F->sys.walls.event = event;
    F->sys.walls.contact_line = line;
    F->sys.walls.event_line = event_line;
}

/* Soft walls are forces like others: what is left to follow is the friction of constraints. */
static void leave_to_forces(struct actio_formation *F)
{
    F->walls.soft_rubs = 0;
    while (F->walls.soft_rubs < F->sys.walls.rubs && F->walls.rub[F->walls.soft_rubs].constraint == UINT32_MAX)
        F->walls.soft_rubs++;
    F->sys.walls.soft = F->sys.walls.contacts;
    F->sys.walls.sigma = F->model->soft.sigma;
    F->sys.walls.contacts = 0;
    F->sys.walls.rubs -= F->walls.soft_rubs;
    F->sys.walls.rub = F->walls.rub + F->walls.soft_rubs;
}

void actio_form_contacts(struct actio_formation *F)
{
    const struct actio_model *m = F->model;
    bool point_mass = m->contacts && is_point_mass(F);
    size_t most = m->contacts + m->constraints;
    F->walls.gap = actio_form_array(F, m->contacts, sizeof *F->walls.gap);
    F->walls.rub = actio_form_array(F, most, sizeof *F->walls.rub);
    F->walls.rubbing = actio_form_array(F, most, sizeof *F->walls.rubbing);
    F->walls.slip = actio_form_array(F, ACTIO_SLIPS * most, sizeof *F->walls.slip);
    F->walls.event = actio_form_array(F, m->events, sizeof *F->walls.event);
    for (size_t i = 0; i < m->contacts; i++) form_gap(F, i, point_mass);
    for (size_t i = 0; i < m->contacts; i++)
        if (m->contact[i].friction.given) form_rub(F, &m->contact[i].friction, (uint32_t)i, UINT32_MAX);
    for (size_t k = 0; k < m->constraints; k++)
        if (m->constraint[k].friction.given) form_rub(F, &m->constraint[k].friction, UINT32_MAX, (uint32_t)k);
    F->sys.walls.contacts = m->contacts;
    F->sys.walls.events = m->events;
    F->sys.walls.rub = F->walls.rub;
    form_names(F);
    if (m->soft.sigma > 0) leave_to_forces(F);
}

/* ---- quantities; the numeric side reads them by the places of contacts.h */

size_t actio_list_gaps(struct actio_formation *F, actio_expr **out)
{
    size_t count = 0;
    *out = actio_form_array(F, F->sys.walls.contacts + F->sys.walls.soft + F->sys.walls.events, sizeof **out);
    for (size_t i = 0; i < F->sys.walls.contacts + F->sys.walls.soft; i++) (*out)[count++] = F->walls.gap[i].e;
    for (size_t i = 0; i < F->sys.walls.events; i++) (*out)[count++] = F->walls.event[i];
    return count;
}

size_t actio_list_contacts(struct actio_formation *F, actio_expr **out)
{
    size_t n = F->n, count = 0;
    size_t walls = F->sys.walls.contacts + F->sys.walls.soft;
    *out = actio_form_array(F,
                            walls * (n + ACTIO_GAP_HEAD) + F->sys.walls.rubs * ACTIO_RUB_HEAD
                                + F->sys.walls.slips * (n + ACTIO_SLIP_HEAD),
                            sizeof **out);
    for (size_t i = 0; i < walls; i++) {
        const struct actio_gap *g = &F->walls.gap[i];
        const actio_expr head[ACTIO_GAP_HEAD] = { g->e,           g->rate,  g->bias,
                                                  g->restitution, g->scale, actio_size_inside(F, g->e) };
        memcpy(*out + count, head, sizeof head);
        count += ACTIO_GAP_HEAD;
        memcpy(*out + count, g->row, n * sizeof *g->row);
        count += n;
    }
    for (size_t r = 0; r < F->sys.walls.rubs; r++) {
        const struct actio_rubbing *b = &F->walls.rubbing[F->walls.soft_rubs + r];
        const actio_expr head[ACTIO_RUB_HEAD] = { b->coefficient, b->stick, b->scale };
        memcpy(*out + count, head, sizeof head);
        count += ACTIO_RUB_HEAD;
    }
    for (size_t j = 0; j < F->sys.walls.slips; j++) {
        const struct actio_slip *s = &F->walls.slip[j];
        const actio_expr head[ACTIO_SLIP_HEAD] = { s->e, s->bias };
        memcpy(*out + count, head, sizeof head);
        count += ACTIO_SLIP_HEAD;
        memcpy(*out + count, s->row, n * sizeof *s->row);
        count += n;
    }
    return count;
}

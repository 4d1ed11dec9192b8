/* SPDX-License-Identifier: Apache-2.0
 * A motion in pieces, each a march that ends at the time that is wanted. */
#include "solve/pieces.h"
#include "solve/contacts.h"
#include "solve/resets.h"
#include "solve/segments.h"

#include <math.h>
#include <string.h>

enum { MANY_EVALUATIONS = 20000 }; /* compiled kernels pay from then on, and change no bit */

/* ---- bytes */

struct record {
    unsigned char *to;         /* NULL: not written */
    const unsigned char *from; /* NULL: not read */
    size_t length;
};

static void visit(struct record *r, void *what, size_t bytes)
{
    if (r->to) memcpy(r->to + r->length, what, bytes);
    if (r->from) memcpy(what, r->from + r->length, bytes);
    r->length += bytes;
}

/* All that a contact's next step depends on, and the point does not show. */
static void visit_contacts(struct record *r, struct actio_contacts *c)
{
    visit(r, c->now.closed, c->contacts);
    visit(r, c->now.rub, c->rubs);
    visit(r, c->now.toward, c->slips * sizeof(double));
    visit(r, c->now.sign, c->rubs * sizeof(double));
    visit(r, c->off.how, c->contacts);
    visit(r, c->off.t, c->contacts * sizeof(double));
    visit(r, c->off.gap, c->contacts * sizeof(double));
    visit(r, c->off.rate, c->contacts * sizeof(double));
    visit(r, c->gap_noise, c->contacts * sizeof(double));
    visit(r, c->edge, c->rubs * sizeof *c->edge);
    visit(r, c->snug, (c->contacts + c->rubs) * sizeof *c->snug);
    visit(r, c->halt, c->rubs * sizeof *c->halt);
    visit(r, &c->refused, sizeof c->refused);
    visit(r, &c->delay, sizeof c->delay);
    visit(r, &c->stopped, sizeof c->stopped);
    visit(r, &c->most_energy, sizeof c->most_energy);
    visit(r, &c->storm.calm, sizeof c->storm.calm);
    visit(r, &c->storm.moment_from, sizeof c->storm.moment_from);
    visit(r, &c->storm.moment, sizeof c->storm.moment);
    visit(r, &c->storm.from, sizeof c->storm.from);
    visit(r, &c->storm.count, sizeof c->storm.count);
    if (r->from) actio_contacts_set_busy(c);
}

static void visit_all(struct record *r, struct actio_pieces *p)
{
    struct actio_motion *m = p->m;
    unsigned char stiff = p->stepper->stiff;
    visit(r, &p->begun, sizeof p->begun);
    visit(r, &stiff, sizeof stiff);
    if (stiff && !p->stepper->stiff && actio_stepper_stiff()) p->stepper = actio_stepper_stiff();
    visit(r, &p->t, sizeof p->t);
    visit(r, &p->way, sizeof p->way);
    visit(r, p->y, m->ny * sizeof *p->y);
    visit(r, m->here.mode, actio_system_modes(m->sys) * sizeof *m->here.mode);
    visit(r, m->rests, m->sys->switches.count * sizeof *m->rests);
    visit(r, p->sides, 2 * m->flow.watched * sizeof *p->sides);
    visit(r, p->passed, 2 * m->flow.watched * sizeof *p->passed);
    if (m->contacts) visit_contacts(r, m->contacts);
    struct actio_resets_kept kept = actio_resets_keep(m);
    if (kept.clocks) visit(r, kept.tick, kept.clocks * sizeof *kept.tick);
    if (kept.events) visit(r, kept.level, kept.events);
}

size_t actio_pieces_save(const struct actio_pieces *p, unsigned char *bytes)
{
    struct record r = { .to = bytes };
    visit_all(&r, (struct actio_pieces *)p);
    return r.length;
}

void actio_pieces_restore(struct actio_pieces *p, const unsigned char *bytes)
{
    struct record r = { .from = bytes };
    visit_all(&r, p);
    if (p->stepper->stiff) actio_motion_jacobian(p->m);
}

/* ---- opening */

static const struct actio_stepper *first_stepper(const struct actio_motion *m, const char *method)
{
    if (strcmp(method, "auto") != 0) return actio_stepper_find(method);
    return m->flow.is_free ? &actio_ballistic : &actio_dop853;
}

void actio_pieces_place(struct actio_pieces *p, double t, const double *y)
{
    p->t = t;
    p->way = 0;
    p->begun = false;
    memcpy(p->y, y, p->m->ny * sizeof *y);
    actio_resets_begin(p->m, t); /* held values can be read before the first step */
}

int actio_pieces_open(struct actio_pieces *p, struct actio_context *ctx, struct actio_motion *m,
                      const struct actio_aim *aim, double length)
{
    *p = (struct actio_pieces){ .ctx = ctx, .m = m, .local = aim->local, .tol = aim->tol, .length = length };
    p->stepper = first_stepper(m, aim->method);
    p->compile = aim->compile;
    p->may_turn_stiff = strcmp(aim->method, "auto") == 0 && !actio_contacts_hard(m) && !m->sys->field.axes;
    if (!p->stepper || (p->stepper->stiff && actio_contacts_hard(m))) {
        actio_report(ctx->findings, p->stepper ? ACTIO_F_NO_STIFF_CONTACT : ACTIO_F_NO_STEPPER,
                     ACTIO_ARGS(ACTIO_TEXT(aim->method)));
        return 1;
    }
    if (p->stepper->stiff) actio_motion_jacobian(m);
    p->y = actio_alloc(ctx, 2 * m->ny + 2, sizeof *p->y);
    p->sides = actio_alloc(ctx, 2 * m->flow.watched + 1, sizeof *p->sides);
    p->passed = actio_alloc(ctx, 2 * m->flow.watched + 1, sizeof *p->passed);
    if (!p->y || !p->sides || !p->passed) return 1;
    p->kept = actio_alloc(ctx, actio_pieces_save(p, NULL) + 1, 1);
    if (!p->kept) return 1;
    p->last.y = p->y + m->ny + 1;
    actio_pieces_place(p, aim->t0, aim->y0);
    return 0;
}

void actio_pieces_close(struct actio_pieces *p)
{
    if (!p->ctx) return;
    actio_free(p->ctx, p->y);
    actio_free(p->ctx, p->sides);
    actio_free(p->ctx, p->passed);
    actio_free(p->ctx, p->kept);
    *p = (struct actio_pieces){ 0 };
}

/* ---- going */

static void forget_events(struct actio_pieces *p)
{
    for (size_t i = 0; i < p->m->flow.watched; i++) {
        p->sides[i] = p->sides[p->m->flow.watched + i] = 0;
        p->passed[i] = p->t - p->way * HUGE_VAL;
    }
}

/* Modes and stances at hand, or those of a start. */
static int set_out(struct actio_pieces *p, double t)
{
    struct actio_motion *m = p->m;
    double way = t < p->t ? -1 : 1;
    if (way != p->way) {
        p->begun = false; /* on the way back, what is ahead was behind */
        p->way = way;
        forget_events(p);
    }
    m->span = way * p->length;
    actio_motion_pace(m, p->local, p->tol, 1, 1, p->length);
    m->flow.accuracy = p->local;
    m->flow.first = m->flow.shake = 0;
    m->flow.shaken = 0;
    if (m->contacts) m->contacts->local = p->local;
    return p->begun ? actio_motion_resume(m, p->t, p->y) : actio_motion_begin(m, p->t, p->y);
}

static int go_once(struct actio_pieces *p, double t)
{
    struct actio_motion *m = p->m;
    p->last.status = 0;
    p->last.t = p->t;
    p->last.guard = SIZE_MAX;
    memcpy(p->last.y, p->y, m->ny * sizeof *p->y);
    int status = set_out(p, t);
    if (status) return p->last.status = status;
    struct actio_ode flow = actio_resets_over(m, p->stepper == &actio_dop853 ? actio_segments_flow(m) : m->flow);
    if (p->begun) flow.enter = NULL; /* it was there before */
    struct actio_march_task task = { .stepper = p->stepper,
                                     .t0 = p->t,
                                     .t1 = t,
                                     .rtol = p->local,
                                     .atol = p->local,
                                     .y0 = p->y,
                                     .stop_when_stiff =
                                         p->may_turn_stiff && !p->stepper->stiff && actio_stepper_stiff(),
                                     .sides = p->sides,
                                     .passed = p->passed };
    return actio_march(p->ctx, &flow, &task, &p->last);
}

int actio_pieces_go(struct actio_pieces *p, double t)
{
    struct actio_motion *m = p->m;
    if (t == p->t) return 0;
    actio_pieces_save(p, p->kept);
    int status = go_once(p, t);
    if (status == ACTIO_MARCH_STIFF) {
        actio_pieces_restore(p, p->kept);
        p->stepper = actio_stepper_stiff();
        actio_motion_jacobian(m);
        status = go_once(p, t);
    }
    p->begun = true;
    p->t = p->last.t;
    memcpy(p->y, p->last.y, m->ny * sizeof *p->y);
    if (p->compile && m->evaluations > MANY_EVALUATIONS) {
        actio_system_native(m->sys, (double)m->evaluations);
        p->compile = false;
    }
    return status;
}

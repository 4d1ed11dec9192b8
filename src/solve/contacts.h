/* SPDX-License-Identifier: Apache-2.0
 * One-sided contacts and dry friction of a motion: which contacts hold, which slide or stick, what happens when that
 * changes. Between such happenings the motion is smooth and goes by the same steppers as any other. */
#ifndef ACTIO_SOLVE_CONTACTS_H
#define ACTIO_SOLVE_CONTACTS_H

#include "solve/law.h"

#include <math.h>

enum { ACTIO_LEFT_PLAIN, ACTIO_LEFT_AFTER_IMPACT, ACTIO_LEFT_AFTER_RELEASE };
enum actio_rub_state { ACTIO_RUB_IDLE, ACTIO_RUB_SLIDES, ACTIO_RUB_STICKS };
/* Who holds whom. toward: by slip, the direction in which a rub slides; sign: by rub, of the multiplier of the
 * constraint it is on. */
struct actio_stance {
    unsigned char *closed, *rub;
    double *toward, *sign;
};

/* Several motions, or none, where the laws of contact leave it open. */
struct actio_ambiguity {
    double t;
    size_t solutions, picked;
    bool happened;
    char what[240];
};

/* An unknown force of the small system: a contact's multiplier, a component of sticking friction, the size of a
 * constraint's sliding friction. */
enum actio_force_kind { ACTIO_FORCE_NORMAL, ACTIO_FORCE_TANGENT, ACTIO_FORCE_DRAG };
struct actio_unknown {
    enum actio_force_kind kind;
    uint32_t index;
};

/* How an open contact came off: after an impact its gap is looked at over the time since, after a release beside a
 * small allowance. */
struct actio_came_off {
    unsigned char *how;
    double *t, *gap, *rate;
};
struct actio_contact_point {
    const double *x, *values; /* of the CONTACT and MATRIX kernels */
    /* without contact forces; by column the answer of z' and of the multipliers to a unit force */
    double *z0, *l0, *Z, *V;
    bool *answered;
    double force_size;
};
/* The small system at a point. */
struct actio_small_system {
    struct actio_unknown *unknown;
    size_t unknowns;
    /* W, U: by unknown, z' and multipliers; force: by unknown; direction: by slip */
    double *W, *U, *M, *LU, *b, *force, *direction, *work;
    int *pivot, *iwork;
    double solvable; /* pivot ratio with the sign of the determinant */
};
/* Its last solution: friction by slip. */
struct actio_contact_forces {
    double *zdot, *lambda, *normal, *friction;
};
/* Gaps at the nodes of a step. */
struct actio_gap_lanes {
    double *t, *y, **out, *work;
    struct actio_arg *in;
};
/* Stances by time. */
struct actio_past_stances {
    struct {
        double t;
    } * change;
    size_t changes, changes_cap;
    unsigned char *stance;
    double *toward;
};
struct actio_storm {
    double calm;        /* slips slower than hops that are none are none, either */
    double moment_from; /* happenings of any kind within a shorter one */
    size_t moment;
    double from; /* happenings within a moment from then on */
    size_t count;
};
/* The first time that a sliding contact jammed, and which; contacts: none did. */
struct actio_jam {
    double at;
    size_t contact;
};

struct actio_contacts {
    struct actio_motion *m;
    size_t n, N, p, contacts, rubs, slips, columns; /* columns: normals, then slips */
    const struct actio_rub *rub;
    struct actio_stance now, trial, best;
    int (*free_rhs)(void *motion, double t, const double *y, double *dy); /* of free flight */
    bool busy; /* something holds or rubs: the flow is not the free one */
    struct actio_came_off off;
    double *gap_noise;          /* rounding of the gap, as seen where it was last closed */
    bool *touch, *rests, *edge; /* edge: a rub whose slide is about to begin, against the friction that holds */
    /* by contact, then by rub: what holds or sticks began at the very edge of doing so, so that its guard allows for
     * rounding; the others end where their formula is 0 */
    bool *snug;
    double *halt;       /* by rub with two slips, while it slides: how slow it is when it stops; 0 = not fast yet */
    bool refused;       /* the stance at hand has just been found not to hold: another, if there is one */
    double delay;       /* until it is 0, where it is only as good as 0 */
    size_t stopped;     /* a rub whose slip has just reached 0; SIZE_MAX = none */
    double most_energy; /* v'Gv, the largest seen: rates beside its speed are rounding */
    struct actio_contact_point point;
    struct actio_small_system small;
    struct actio_contact_forces found;
    double *y, *impulse;
    struct actio_gap_lanes lane;
    struct {
        void *at;
        size_t size;
    } room[4]; /* see actio_contacts_room */
    struct actio_past_stances past;
    struct actio_ambiguity ambiguity;
    struct actio_storm storm;
    struct actio_jam jam;
    double local; /* tolerance of the run: what height of a bounce is nothing */
    size_t pick;  /* --pick: which of several motions, from 1; 0 = as it comes */
};

/* Can the state jump, or its rates? Events are only watched: a motion that has them and nothing else goes its way as
 * without. */
static inline bool actio_contacts_hard(const struct actio_motion *m)
{
    return m->sys->walls.contacts + m->sys->walls.rubs > 0;
}

int actio_contacts_allocate(struct actio_motion *m); /* contacts.c, used by open */
/* Takes the flow over when the system has contacts, friction or events; 0, or 1 and a finding. */
int actio_contacts_open(struct actio_motion *m);
void actio_contacts_close(struct actio_motion *m);
void actio_contacts_begin(struct actio_motion *m); /* before a run: nothing has happened */
/* before a run that goes on with the stance at hand; a flow status */
int actio_contacts_resume(struct actio_motion *m, double t);
/* z', multipliers, forces and frictions at an output row, with the stance that was in force then, into the motion's
 * buffers; y is put on what holds. */
int actio_contacts_row(struct actio_motion *m, double t, double *y, bool backward);
/* The contact that start data lie beyond, and by how much; contacts when there is none. */
size_t actio_contacts_beyond(struct actio_motion *m, double t, const double *y, double *depth);
/* soft.c: steps that do not pass over soft walls; 0, or 1 and a finding */
int actio_soft_open(struct actio_motion *m);

/* ---- inside */

/* Zeroed memory for one purpose, until it is requested the next time; enough for small problems is taken beforehand.
 * NULL: there is none. */
enum actio_room { ACTIO_ROOM_DECIDE, ACTIO_ROOM_SHARE, ACTIO_ROOM_GROUP, ACTIO_ROOM_IMPACT, ACTIO_ROOMS };
enum { ACTIO_FIRST_ROOM = 1 << 16 };
void *actio_contacts_room(struct actio_contacts *c, enum actio_room which, size_t bytes);

static inline const double *actio_gap_of(const struct actio_contacts *c, size_t i)
{
    return c->point.x + i * (c->n + ACTIO_GAP_HEAD);
}
/* gap' as the run meets it: backward in time what comes near is what goes away. */
static inline double actio_gap_rate(const struct actio_contacts *c, size_t i)
{
    double rate = actio_gap_of(c, i)[ACTIO_GAP_RATE];
    return c->m->span < 0 ? -rate : rate;
}
static inline const double *actio_rub_of(const struct actio_contacts *c, size_t r)
{
    return c->point.x + c->contacts * (c->n + ACTIO_GAP_HEAD) + r * ACTIO_RUB_HEAD;
}
static inline const double *actio_slip_of(const struct actio_contacts *c, size_t j)
{
    return actio_rub_of(c, c->rubs) + j * (c->n + ACTIO_SLIP_HEAD);
}
static inline const double *actio_column_row(const struct actio_contacts *c, size_t column)
{
    return column < c->contacts ? actio_gap_of(c, column) + ACTIO_GAP_HEAD
                                : actio_slip_of(c, column - c->contacts) + ACTIO_SLIP_HEAD;
}
/* The largest |x|. */
static inline double actio_largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}
/* Numbers at a point: matrices, free accelerations, contact quantities; a flow status. */
int actio_contacts_at(struct actio_contacts *c, double t, const double *y);
/* z' to a unit force along a column's row */
const double *actio_contacts_answer(struct actio_contacts *c, size_t column);
/* Forces and accelerations under a stance at the point; 0, or 1: it has no solution. */
int actio_contacts_solve(struct actio_contacts *c, const struct actio_stance *s);
/* normals and frictions from the unknown forces */
void actio_contacts_tell(struct actio_contacts *c, const struct actio_stance *s);
void actio_stance_copy(const struct actio_contacts *c, struct actio_stance *to, const struct actio_stance *from);
double actio_slip_size(const struct actio_contacts *c, size_t rub);
/* the largest rate along the column that this kinetic energy could give */
double actio_kinetic_speed(const struct actio_contacts *c, size_t column, const double *v);

/* contact_history.c: one more happening; the stance from now on, and that of a time; is anything holding or rubbing?
 * Flow statuses. */
int actio_contacts_happens(struct actio_contacts *c, double t, enum actio_instant_kind kind, size_t index,
                           double impulse, const char *rule);
bool actio_contacts_reserve(struct actio_contacts *c);
int actio_contacts_remember(struct actio_contacts *c, double t);
void actio_contacts_recall(struct actio_contacts *c, double t, bool backward);
void actio_contacts_set_busy(struct actio_contacts *c);
/* contact_flow.c: positions (level 0) or velocities (1) onto what holds; a flow status. */
int actio_contacts_put_on(struct actio_contacts *c, double t, double *y, int level);
/* contact_flow.c: positions (moved) or velocities were set from outside: to the stance that follows. A flow status. */
int actio_contacts_set(struct actio_contacts *c, double t, double *y, bool moved);
/* contact_range.c: are coefficients in use in their ranges, at the point at hand? A flow status. */
int actio_contacts_check_touching(struct actio_contacts *c);
int actio_contacts_check_friction(struct actio_contacts *c);
/* Positive while those of a rub are. */
double actio_contacts_friction_guard(const struct actio_contacts *c, size_t rub);
/* Under the stance at hand, at a point that is known: which of those that hold and stick are at the edge of it? fresh:
 * the stance begins; else only those that were. */
void actio_contacts_note_edges(struct actio_contacts *c, bool fresh);
/* contact_settle.c: from the moment when contact `hit` reached its wall (contacts: none did), or what held does no
 * longer, to the stance that follows.
 * The short way for one smooth contact while nothing holds; *done false: it is not as simple as that. Flow statuses. */
int actio_contacts_settle(struct actio_contacts *c, double t, double *y, size_t hit);
int actio_contacts_bounce(struct actio_contacts *c, double t, double *y, size_t hit, bool *done);

/* stance.c: from the contacts that touch without approaching, which hold and which slide; sets c->now. A flow status.
 * */
int actio_contacts_decide(struct actio_contacts *c, double t, const double *y);
/* contact_share.c: where forces of this stance are not unique: some that push and stay inside their cones; false: there
 * are none. */
bool actio_contacts_share(struct actio_contacts *c, const struct actio_stance *s);
/* impact.c: velocities after the impact of those that touch and approach; impulses by contact. The rule that decided,
 * or NULL: no solution exists. */
const char *actio_contacts_impact(struct actio_contacts *c, double *v, double *impulse);
/* Painleve's paradox: false where that does not help either */
bool actio_contacts_jam(struct actio_contacts *c, size_t contact, double *v, double *impulse);

#endif

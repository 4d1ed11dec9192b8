/* SPDX-License-Identifier: Apache-2.0
 * The list of what happens in a run: written around every crossing, with the state on both sides. */
#include "solve/instants.h"
#include "base/roles.h"
#include "solve/between.h"
#include "solve/contacts.h"
#include "solve/resets.h"

#include <math.h>
#include <string.h>

#define MOVED 1e-7   /* of max(1, size): how far a value moves to see what that does to a guard */
#define JUMPED 1e-12 /* of the largest velocity: less is the rounding of what puts states back */
/* FEW: so many values are moved one by one; ROOM: numbers kept before the first step; MOST: at most */
enum { FEW = 12, ROOM = 1 << 16, MOST = 1 << 20 };

static const char *const words[] = {
#define INSTANT(name, word) word,
#include "solve/instants.def"
#undef INSTANT
};
const char *actio_instant_word(enum actio_instant_kind kind) { return words[kind]; }

/* ---- lists */

static bool instants_grow(struct actio_context *ctx, void **list, size_t *cap, size_t count, size_t more, size_t size)
{
    if (count + more <= *cap) return true;
    size_t room = *cap ? 2 * *cap : ACTIO_FIRST_CHANGES;
    while (room < count + more) room *= 2;
    void *next = actio_alloc(ctx, room, size);
    if (!next) return false;
    if (count) memcpy(next, *list, count * size);
    actio_free(ctx, *list);
    *list = next;
    *cap = room;
    return true;
}

static bool room_for_instant(struct actio_context *ctx, struct actio_instant_list *l)
{
    void *at = l->at;
    bool ok = instants_grow(ctx, &at, &l->cap, l->count, 1, sizeof *l->at);
    l->at = at;
    return ok;
}

static bool room_for_numbers(struct actio_context *ctx, struct actio_instant_list *l, size_t more)
{
    void *number = l->number;
    bool ok = instants_grow(ctx, &number, &l->numbers_cap, l->numbers, more, sizeof *l->number);
    l->number = number;
    return ok;
}

int actio_instants_add(struct actio_motion *m, double t, enum actio_instant_kind kind, size_t index, double value,
                       const char *rule)
{
    struct actio_instants *in = &m->instants;
    if (!room_for_instant(m->ctx, &in->now)) return ACTIO_FLOW_FAILED;
    in->now.at[in->now.count++] = (struct actio_instant){ .t = t,
                                                          .met = in->open ? in->meeting.t : t,
                                                          .value = value,
                                                          .error = NAN,
                                                          .rate = in->open ? in->meeting.rate : NAN,
                                                          .bend = in->open ? in->meeting.bend : NAN,
                                                          .residual = in->open ? in->meeting.slack : 0,
                                                          .steep = in->meeting.steep,
                                                          .blur = in->meeting.blur,
                                                          .order = (unsigned char)(in->open ? in->meeting.order : 0),
                                                          .by = in->by,
                                                          .numbers = ACTIO_NOWHERE,
                                                          .index = (uint32_t)index,
                                                          .kind = (unsigned char)kind,
                                                          .rule = rule };
    return ACTIO_FLOW_OK;
}

/* ---- before */

static double moved_by(double y) { return MOVED * fmax(1, fabs(y)); }

static double guard_of(struct actio_motion *m, size_t k, double t, double *g)
{
    m->flow.guard(m->flow.user, t, m->instants.y, g);
    return g[k];
}

/* Of the values from `from` to `end`: one by one where they are few, else by signs drawn for all of them at once. */
static double weight_of(struct actio_motion *m, const struct actio_meeting *what, size_t from, size_t end)
{
    double *y = m->instants.y, *g = y + m->ny, sum = 0, here = what->value;
    for (size_t i = from; end - from <= FEW && i < end; i++) {
        y[i] += moved_by(what->y[i]);
        sum += fabs(guard_of(m, what->guard, what->t, g) - here) / (y[i] - what->y[i]);
        y[i] = what->y[i];
    }
    if (end - from <= FEW) return sum;
    for (unsigned draw = 1; draw <= 2; draw++) {
        unsigned state = 2463534242u * draw;
        for (size_t i = from; i < end; i++) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            y[i] += state & 256 ? MOVED : -MOVED;
        }
        sum = fmax(sum, 2 * fabs(guard_of(m, what->guard, what->t, g) - here) / MOVED);
        memcpy(y + from, what->y + from, (end - from) * sizeof *y);
    }
    return sum;
}

static void weigh(struct actio_motion *m, const struct actio_meeting *what)
{
    struct actio_instants *in = &m->instants;
    memcpy(in->y, what->y, m->ny * sizeof *in->y);
    in->by.q = weight_of(m, what, 0, m->n);
    in->by.v = weight_of(m, what, m->n, 2 * m->n);
    in->by.s = weight_of(m, what, 2 * m->n, m->ny);
}

/* What the model calls its energy; NAN where it has none. */
double actio_instants_energy(struct actio_motion *m, double t, const double *y)
{
    const struct actio_bound *b = &m->at[ACTIO_Q_OUTPUTS];
    for (size_t c = 0; b->k && !b->asks && c < m->sys->output.named; c++)
        if (m->sys->output.column[c].role == ACTIO_ROLE_ENERGY)
            return actio_motion_quantity(m, ACTIO_Q_OUTPUTS, t, y)[m->sys->output.column[c].first];
    return NAN;
}

static void motion_meet(void *user, const struct actio_meeting *what)
{
    struct actio_motion *m = user;
    struct actio_instants *in = &m->instants;
    in->meeting = *what;
    in->from = in->now.count;
    in->change = m->history.changes;
    in->open = true;
    in->held = what->guard < m->sys->switches.count && actio_is_between(m->here.mode[what->guard]);
    size_t firm = m->flow.guards - m->flow.watched;
    bool may_jump = what->guard < firm ? m->corner || m->contacts : actio_resets_acts_on(m, what->guard - firm);
    weigh(m, what);
    in->energy = may_jump ? actio_instants_energy(m, what->t, what->y) : NAN;
}

/* ---- nearly */

static bool is_open_contact(const struct actio_motion *m, size_t k)
{
    return m->contacts && actio_contacts_hard(m) && k < m->contacts->contacts && !m->contacts->now.closed[k];
}

/* Walls that hold nothing, and events. */
static bool motion_may_near(void *user, size_t k)
{
    const struct actio_motion *m = user;
    return k + m->flow.watched >= m->flow.guards
           || (k >= m->sys->switches.count && is_open_contact(m, k - m->sys->switches.count));
}

/* Has the guard one sign in all states around, also where some of the values move? */
static bool has_one_sign(struct actio_motion *m, const struct actio_meeting *what)
{
    double *y = m->instants.y, *g = y + m->ny, sign = what->value < 0 ? -1 : 1;
    size_t draws = m->ny <= FEW ? m->ny : FEW;
    bool one = true;
    memcpy(y, what->y, m->ny * sizeof *y);
    for (size_t draw = 0; draw < 2 * draws && one; draw++) {
        unsigned state = 2463534242u * (unsigned)(draw / 2 + 1);
        for (size_t i = 0; i < m->ny; i++) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            bool alone = m->ny <= FEW, moves = !alone || i == draw / 2, up = draw % 2 == (alone ? 0 : state >> 8 & 1);
            if (moves) y[i] = what->y[i] + (up ? 1 : -1) * moved_by(what->y[i]);
        }
        one = sign * guard_of(m, what->guard, what->t, g) >= 0;
        memcpy(y, what->y, m->ny * sizeof *y);
    }
    return one;
}

/* Of too many the nearest are kept, as far as their bends show how far away they are. */
static void motion_nears(void *user, const struct actio_meeting *what)
{
    struct actio_motion *m = user;
    struct actio_instants *in = &m->instants;
    size_t at = 0, first_event = m->flow.guards - m->flow.watched;
    for (size_t i = 1; i < in->nears; i++)
        if (fabs(in->near[i].value) > fabs(in->near[at].value)) at = i;
    if (in->nears < ACTIO_NEARS) at = in->nears++;
    else if (!(fabs(what->value) < fabs(in->near[at].value))) return;
    bool event = what->guard >= first_event;
    weigh(m, what);
    in->near[at] =
        (struct actio_near){ .t = what->t,
                             .value = what->value,
                             .bend = what->bend,
                             .slack = what->slack,
                             .by = in->by,
                             .index = (uint32_t)(what->guard - (event ? first_event : m->sys->switches.count)),
                             .kind = event ? ACTIO_PASSES : ACTIO_IMPACT,
                             .turns_back = event && has_one_sign(m, what) };
}

/* ---- after */

static bool velocities_jump(const struct actio_motion *m, const double *old, const double *y)
{
    double speed = 0, change = 0;
    for (size_t i = m->n; i < 2 * m->n; i++) {
        speed = fmax(speed, fmax(fabs(old[i]), fabs(y[i])));
        change = fmax(change, fabs(y[i] - old[i]));
    }
    return change > JUMPED * speed;
}

static enum actio_instant_kind kind_of_flip(const struct actio_mode_flip *flip, bool turns)
{
    if (actio_is_between(flip->value)) return ACTIO_HOLDS;
    return turns ? ACTIO_TURNS : ACTIO_SWITCHES;
}

/* Switches that have flipped, or the one that turned the motion back. */
static int list_flips(struct actio_motion *m, double t, bool jumps)
{
    struct actio_instants *in = &m->instants;
    size_t k = in->meeting.guard, flipped = 0;
    bool struck = in->now.count > in->from; /* at contacts */
    if (k >= m->sys->switches.count) return ACTIO_FLOW_OK;
    int status = ACTIO_FLOW_OK;
    for (size_t c = in->change; c < m->history.changes && !status; c++) {
        const struct actio_mode_flip *flip;
        for (size_t n = actio_modes_flips(m, c, &flip); n > 0 && !status; n--, flip++, flipped++)
            if (flip->k < m->sys->switches.count) /* and not a held value */
                status = actio_instants_add(m, t, kind_of_flip(flip, jumps && !struck && !flipped), flip->k,
                                            flip->value, "");
    }
    if (!flipped && jumps && !struck) status = actio_instants_add(m, t, ACTIO_REFLECTS, k, m->here.mode[k], "");
    return status;
}

static bool is_jump(enum actio_instant_kind kind)
{
    return kind == ACTIO_IMPACT || kind == ACTIO_TURNS || kind == ACTIO_REFLECTS || kind == ACTIO_SETS;
}

/* The place, and velocities on both sides of a jump; not kept when there are none, or too many. */
static int note_state(struct actio_motion *m, struct actio_instant *i, const double *old, const double *y)
{
    struct actio_instant_list *l = &m->instants.now;
    size_t n = m->n, numbers = i->jumps ? 3 * n : n;
    if (n == 0 || m->sys->field.axes || l->numbers + numbers > MOST) return ACTIO_FLOW_OK;
    if (!room_for_numbers(m->ctx, l, numbers)) return ACTIO_FLOW_FAILED;
    double *to = l->number + l->numbers;
    memcpy(to, y, n * sizeof *to);
    if (i->jumps) memcpy(to + n, old + n, n * sizeof *to);
    if (i->jumps) memcpy(to + 2 * n, y + n, n * sizeof *to);
    i->numbers = l->numbers;
    l->numbers += numbers;
    return ACTIO_FLOW_OK;
}

/* What jumps together has its velocities and the energy taken at the first of them. */
static int motion_leave(void *user, double t, const double *old, const double *y)
{
    struct actio_motion *m = user;
    struct actio_instants *in = &m->instants;
    bool jumps = !in->held && velocities_jump(m, old, y), first = true;
    int status = list_flips(m, t, jumps);
    for (size_t i = in->from; i < in->now.count && !status; i++) {
        struct actio_instant *one = &in->now.at[i];
        one->jumps = first && jumps && is_jump((enum actio_instant_kind)one->kind);
        if (one->jumps) {
            one->energy = in->energy - actio_instants_energy(m, t, y);
            first = false;
        } else if (is_jump((enum actio_instant_kind)one->kind)) one->energy = NAN;
        status = note_state(m, one, old, y);
    }
    in->open = in->held = false;
    return status;
}

/* ---- outside */

void actio_instants_begin(struct actio_motion *m)
{
    struct actio_instants *in = &m->instants;
    struct actio_instant_list spare = in->before;
    in->before = in->now;
    in->now = spare;
    in->now.count = in->now.numbers = in->nears = 0;
    in->open = false;
    memset(&in->by, 0, sizeof in->by);
}

static bool list_open(struct actio_motion *m, struct actio_instant_list *l)
{
    size_t numbers = 3 * m->n * ACTIO_FIRST_CHANGES;
    return room_for_instant(m->ctx, l) && room_for_numbers(m->ctx, l, numbers < ROOM ? numbers : ROOM);
}

int actio_instants_open(struct actio_motion *m)
{
    const struct actio_wall_numbers *w = &m->sys->walls;
    size_t guards = m->sys->switches.count + w->contacts + 2 * w->rubs + w->events,
           happens = guards + m->sys->resets.statements;
    if (happens == 0) return 0;
    struct actio_instants *in = &m->instants;
    in->y = actio_alloc(m->ctx, m->ny + guards + 2, sizeof *in->y);
    in->near = actio_alloc(m->ctx, ACTIO_NEARS, sizeof *in->near);
    if (!in->y || !in->near || !list_open(m, &in->now) || !list_open(m, &in->before)) return 1;
    m->flow.list.meet = motion_meet;
    m->flow.list.leave = motion_leave;
    m->flow.list.may_near = motion_may_near;
    m->flow.list.nears = motion_nears;
    return 0;
}

void actio_instants_close(struct actio_motion *m)
{
    struct actio_instants *in = &m->instants;
    void *all[] = { in->now.at, in->now.number, in->before.at, in->before.number, in->y, in->near };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) actio_free(m->ctx, all[i]);
    *in = (struct actio_instants){ 0 };
}

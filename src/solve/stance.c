/* SPDX-License-Identifier: Apache-2.0
 * Which contacts hold, which rubs stick or slide: the complementarity problem of accelerations. A contact holds with a
 * force that pushes or opens with an acceleration away; friction sticks inside its cone or slides against it. All
 * combinations of a small problem are tried, so that it is known whether the motion exists and whether it is the only
 * one; a large one is solved by exchanging what is violated. */
#include "solve/contacts.h"
#include "algebra/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NO_FORCE 1e-12
#define NO_RATE 1e-11
#define AT_THE_EDGE 1e-13
enum { MOST_COMBINATIONS = 6000, MOST_SOLUTIONS = 8, MOST_EXCHANGES = 2000, MOST_TURNS = 60 };

/* One thing to decide: a contact (with its rub, if any), or the rub of a constraint. SIZE_MAX: none. */
/* the last three: with a negative multiplier */
enum choice { OPEN, HOLD, STICK, SLIDE_PLUS, SLIDE_MINUS, STICK_NEGATIVE, PLUS_NEGATIVE, MINUS_NEGATIVE };
struct slot {
    size_t contact, rub;
    bool slips;
    enum choice option[8];
    size_t options, taken;
};
struct deciding {
    struct actio_contacts *c;
    struct slot *slot;
    size_t slots;
    const double *v;
    /* accelerations, and options by slot, of distinct motions */
    double *solution;
    size_t solutions, chosen, like_before;
    size_t *taken;
};

static size_t rub_of_contact(const struct actio_contacts *c, size_t contact)
{
    for (size_t r = 0; r < c->rubs; r++)
        if (c->rub[r].contact == contact) return r;
    return SIZE_MAX;
}

static bool is_rough(const struct actio_contacts *c, size_t r)
{
    return r != SIZE_MAX && (actio_rub_of(c, r)[ACTIO_RUB_SLIDING] > 0 || actio_rub_of(c, r)[ACTIO_RUB_STICKING] > 0);
}

static bool does_slip(const struct actio_contacts *c, size_t r, const double *v)
{
    double nothing = c->storm.calm;
    if (r == SIZE_MAX || c->stopped == r) return false;
    for (size_t j = 0; j < c->rub[r].slips; j++)
        nothing = fmax(nothing, NO_RATE * actio_kinetic_speed(c, c->contacts + c->rub[r].slip + j, v));
    return actio_slip_size(c, r) > nothing;
}

static void offer(struct slot *s, enum choice o) { s->option[s->options++] = o; }

static void list_options(const struct actio_contacts *c, struct slot *s)
{
    bool free = s->contact != SIZE_MAX, planar = s->rub != SIZE_MAX && c->rub[s->rub].slips == 1;
    s->options = s->taken = 0;
    if (s->rub == SIZE_MAX) offer(s, HOLD);
    if (s->rub != SIZE_MAX && !s->slips) offer(s, STICK);
    if (s->rub != SIZE_MAX) offer(s, SLIDE_PLUS);
    if (planar && !s->slips) offer(s, SLIDE_MINUS);
    if (free) {
        offer(s, OPEN);
        return;
    }
    offer(s, PLUS_NEGATIVE);
    if (planar && !s->slips) offer(s, MINUS_NEGATIVE);
}

static void list_slots(struct deciding *d)
{
    struct actio_contacts *c = d->c;
    for (size_t i = 0; i < c->contacts; i++) {
        bool rests = c->touch[i] && actio_gap_rate(c, i) <= NO_RATE * actio_kinetic_speed(c, i, d->v);
        if (!rests) continue;
        size_t r = rub_of_contact(c, i);
        if (!is_rough(c, r)) r = SIZE_MAX;
        d->slot[d->slots] = (struct slot){ .contact = i, .rub = r, .slips = does_slip(c, r, d->v) };
        list_options(c, &d->slot[d->slots++]);
    }
    for (size_t r = 0; r < c->rubs; r++) {
        if (c->rub[r].contact != UINT32_MAX || !is_rough(c, r)) continue;
        d->slot[d->slots] = (struct slot){ .contact = SIZE_MAX, .rub = r, .slips = does_slip(c, r, d->v) };
        list_options(c, &d->slot[d->slots++]);
    }
}

/* ---- a combination */

/* toward: where it slides; an incipient slide along two slips begins against the friction that would hold it. */
static void set_toward(struct actio_contacts *c, const struct slot *s, double sign)
{
    const struct actio_rub *r = &c->rub[s->rub];
    double size = actio_slip_size(c, s->rub);
    for (size_t j = 0; j < r->slips; j++) {
        double *to = &c->trial.toward[r->slip + j];
        if (s->slips) *to = actio_slip_of(c, r->slip + j)[ACTIO_SLIP_VALUE] / size;
        else if (r->slips == 1) *to = sign;
    }
}

static void set_slot(struct actio_contacts *c, const struct slot *s)
{
    enum choice o = s->option[s->taken];
    if (s->contact != SIZE_MAX) c->trial.closed[s->contact] = o != OPEN;
    if (s->rub == SIZE_MAX) return;
    bool stick = o == STICK || o == STICK_NEGATIVE, minus = o == SLIDE_MINUS || o == MINUS_NEGATIVE;
    c->trial.rub[s->rub] = o == OPEN ? ACTIO_RUB_IDLE : stick ? ACTIO_RUB_STICKS : ACTIO_RUB_SLIDES;
    c->trial.sign[s->rub] = o >= STICK_NEGATIVE ? -1 : 1;
    if (!stick && o != OPEN) set_toward(c, s, minus ? -1 : 1);
}

static void set_trial(struct deciding *d)
{
    struct actio_contacts *c = d->c;
    memset(c->trial.closed, 0, c->contacts);
    memset(c->trial.rub, 0, c->rubs);
    for (size_t r = 0; r < c->rubs; r++) c->trial.sign[r] = 1;
    for (size_t i = 0; i < d->slots; i++) set_slot(c, &d->slot[i]);
}

static double rate_along(const struct actio_contacts *c, size_t slip)
{
    return actio_dot(c->n, actio_column_row(c, c->contacts + slip), c->found.zdot)
           + actio_slip_of(c, slip)[ACTIO_SLIP_BIAS];
}

static bool begins(const struct slot *s, const struct actio_contacts *c)
{
    return s->rub != SIZE_MAX && !s->slips && c->trial.rub[s->rub] == ACTIO_RUB_SLIDES;
}

/* A slide along two slips that the option in view lets begin. */
static bool begins_in_plane(const struct slot *s, const struct actio_contacts *c)
{
    enum choice o = s->option[s->taken];
    if (s->rub == SIZE_MAX || s->slips || c->rub[s->rub].slips < 2) return false;
    return o != STICK && o != STICK_NEGATIVE && o != OPEN;
}

/* The slides that begin in a plane stick for now. False: there are none. */
static bool hold_in_plane(struct deciding *d)
{
    bool any = false;
    for (size_t i = 0; i < d->slots; i++)
        if (begins_in_plane(&d->slot[i], d->c)) {
            any = true;
            d->c->trial.rub[d->slot[i].rub] = ACTIO_RUB_STICKS;
        }
    return any;
}

/* They begin against the friction that would hold them. */
static void turn_against_friction(struct deciding *d)
{
    struct actio_contacts *c = d->c;
    for (size_t i = 0; i < d->slots; i++) {
        if (!begins_in_plane(&d->slot[i], c)) continue;
        size_t slip = c->rub[d->slot[i].rub].slip;
        const double *friction = c->found.friction + slip;
        double size = hypot(friction[0], friction[1]);
        for (size_t j = 0; j < 2; j++) c->trial.toward[slip + j] = size > 0 ? -friction[j] / size : j == 0;
        c->trial.rub[d->slot[i].rub] = ACTIO_RUB_SLIDES;
    }
}

/* They turn to where they accelerate to. Returns the largest change of a direction. */
static double turn_along_rates(struct deciding *d)
{
    struct actio_contacts *c = d->c;
    double moved = 0;
    for (size_t i = 0; i < d->slots; i++) {
        if (!begins_in_plane(&d->slot[i], c)) continue;
        size_t slip = c->rub[d->slot[i].rub].slip;
        double a = rate_along(c, slip), b = rate_along(c, slip + 1), size = hypot(a, b);
        if (!(size > 0)) continue;
        moved = fmax(moved, hypot(c->trial.toward[slip] - a / size, c->trial.toward[slip + 1] - b / size));
        c->trial.toward[slip] = a / size;
        c->trial.toward[slip + 1] = b / size;
    }
    return moved;
}

/* Directions of slides along two slips that are about to begin: where they accelerate to, under friction against just
 * that. */
static int turn_directions(struct deciding *d)
{
    if (!hold_in_plane(d)) return 0;
    if (actio_contacts_solve(d->c, &d->c->trial)) return 1;
    turn_against_friction(d);
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        if (actio_contacts_solve(d->c, &d->c->trial)) return 1;
        if (turn_along_rates(d) < 1e-14) break;
    }
    return 0;
}

/* An open contact must not accelerate into the wall. This and the following functions return by how much an inequality
 * is violated, relative to the sizes of what is compared; 0: not. */
static double open_violation(const struct actio_contacts *c, size_t contact)
{
    const double *g = actio_gap_of(c, contact), *row = g + ACTIO_GAP_HEAD;
    double a = g[ACTIO_GAP_BIAS], size = fabs(a);
    for (size_t j = 0; j < c->n; j++) {
        a += row[j] * c->found.zdot[j];
        size += fabs(row[j]) * (fabs(c->found.zdot[j]) + fabs(c->point.z0[j]));
    }
    return a < -NO_RATE * size ? -a / size : 0;
}

/* A closed one must not pull. */
static double normal_violation(const struct actio_contacts *c, size_t contact)
{
    double row = actio_largest(actio_column_row(c, contact), c->n), unit = row > 0 ? c->point.force_size / row : 0;
    if (!(c->found.normal[contact] < -NO_FORCE * unit)) return 0;
    return -c->found.normal[contact] / (unit > 0 ? unit : 1);
}

/* What presses on a rub: the normal force, or the multiplier with the sign that is tried. */
static double pressing(const struct actio_contacts *c, size_t rub)
{
    const struct actio_rub *r = &c->rub[rub];
    if (r->contact != UINT32_MAX) return c->found.normal[r->contact];
    double lambda = c->found.lambda[r->constraint] * c->trial.sign[rub];
    return c->trial.rub[rub] == ACTIO_RUB_STICKS ? fabs(lambda) : lambda;
}

/* A multiplier must have the sign that is tried. */
static double sign_violation(const struct actio_contacts *c, size_t rub, double lambda)
{
    bool wrong = c->rub[rub].contact == UINT32_MAX && lambda < -NO_FORCE * c->point.force_size;
    return wrong ? -lambda / c->point.force_size : 0;
}

/* Sticking friction must stay inside its cone. */
static double stick_violation(const struct actio_contacts *c, size_t rub, double lambda)
{
    const struct actio_rub *r = &c->rub[rub];
    const double *b = actio_rub_of(c, rub);
    double most = b[ACTIO_RUB_STICKING] * fmax(lambda, 0) * b[ACTIO_RUB_SCALE], size = 0;
    for (size_t j = 0; j < r->slips; j++) size = hypot(size, c->found.friction[r->slip + j]);
    bool beyond = size > most * (1 + AT_THE_EDGE) + 1e-14 * c->point.force_size;
    return beyond ? (size - most) / (size + most) : 0;
}

/* A slide that begins must accelerate the way it is tried. */
static double slide_violation(const struct actio_contacts *c, size_t rub)
{
    const struct actio_rub *r = &c->rub[rub];
    double along = 0, size = 0;
    for (size_t j = 0; j < r->slips; j++) {
        double rate = rate_along(c, r->slip + j);
        along += c->trial.toward[r->slip + j] * rate;
        size += fabs(rate);
    }
    size += actio_largest(c->point.z0, c->n);
    return along < -NO_RATE * size ? -along / size : 0;
}

/* By how much a slot's inequalities are violated: the worst of them. */
static double violation(const struct actio_contacts *c, const struct slot *s)
{
    double worst = 0;
    if (s->contact != SIZE_MAX) {
        if (!c->trial.closed[s->contact]) return open_violation(c, s->contact);
        worst = normal_violation(c, s->contact);
    }
    if (s->rub == SIZE_MAX) return worst;
    double lambda = pressing(c, s->rub);
    worst = fmax(worst, sign_violation(c, s->rub, lambda));
    if (c->trial.rub[s->rub] == ACTIO_RUB_STICKS) return fmax(worst, stick_violation(c, s->rub, lambda));
    return s->slips ? worst : fmax(worst, slide_violation(c, s->rub));
}

static bool holds_all(const struct deciding *d)
{
    for (size_t i = 0; i < d->slots; i++)
        if (violation(d->c, &d->slot[i]) != 0) return false;
    return true;
}

/* A slide that begins must do so even against the friction that holds; then it has that of sliding. */
static bool is_motion(struct deciding *d)
{
    struct actio_contacts *c = d->c;
    bool any = false, good = true;
    set_trial(d);
    for (size_t i = 0; i < d->slots; i++)
        if (begins(&d->slot[i], c)) any = c->edge[d->slot[i].rub] = true;
    good = !turn_directions(d) && !actio_contacts_solve(c, &c->trial);
    good = good && (holds_all(d) || (c->small.solvable == 0 && actio_contacts_share(c, &c->trial) && holds_all(d)));
    memset(c->edge, 0, c->rubs * sizeof *c->edge);
    return good && (!any || (!turn_directions(d) && !actio_contacts_solve(c, &c->trial)));
}

/* ---- all of them */

static bool same_as(const struct deciding *d, size_t solution)
{
    const struct actio_contacts *c = d->c;
    const double *z = d->solution + solution * c->N;
    for (size_t i = 0; i < c->N; i++)
        if (fabs(z[i] - c->found.zdot[i])
            > 1e-9 * (fabs(z[i]) + fabs(c->point.z0[i]) + actio_largest(c->point.z0, c->N) * 1e-3))
            return false;
    return true;
}

/* The stance as it was: also the same way of each slide, and the same sign of what loads it. */
static bool stays(const struct actio_contacts *c)
{
    if (memcmp(c->trial.closed, c->now.closed, c->contacts) != 0 || memcmp(c->trial.rub, c->now.rub, c->rubs) != 0)
        return false;
    for (size_t r = 0; r < c->rubs; r++) {
        const struct actio_rub *rub = &c->rub[r];
        if (c->trial.rub[r] != ACTIO_RUB_SLIDES) continue;
        if (actio_dot(rub->slips, c->trial.toward + rub->slip, c->now.toward + rub->slip) < 0) return false;
        if (rub->constraint != UINT32_MAX && c->trial.sign[r] != c->now.sign[r]) return false;
    }
    return true;
}

static void stance_keep(struct deciding *d)
{
    for (size_t k = 0; k < d->solutions; k++)
        if (same_as(d, k) && !(d->c->refused && (k == d->like_before || stays(d->c)))) return;
    if (d->solutions == MOST_SOLUTIONS) return;
    memcpy(d->solution + d->solutions * d->c->N, d->c->found.zdot, d->c->N * sizeof *d->solution);
    for (size_t i = 0; i < d->slots; i++) d->taken[d->solutions * (d->slots + 1) + i] = d->slot[i].taken;
    if (stays(d->c) && d->like_before == SIZE_MAX) d->like_before = d->solutions;
    d->solutions++;
}

static bool next_combination(struct deciding *d)
{
    for (size_t i = d->slots; i-- > 0;) {
        if (++d->slot[i].taken < d->slot[i].options) return true;
        d->slot[i].taken = 0;
    }
    return false;
}

static void try_all(struct deciding *d)
{
    do
        if (is_motion(d)) stance_keep(d);
    while (next_combination(d));
}

/* Too many to try: what is violated most takes its next option, until nothing is. */
static void exchange(struct deciding *d)
{
    for (size_t step = 0; step < MOST_EXCHANGES; step++) {
        size_t worst = d->slots;
        double most = 0;
        if (is_motion(d)) {
            stance_keep(d);
            return;
        }
        for (size_t i = 0; i < d->slots; i++) {
            double v = violation(d->c, &d->slot[i]);
            if (step % 50 > 40 && v > 0) {
                worst = i;
                break;
            } /* by number now and then: no cycle goes on for ever */
            if (v > most) {
                most = v;
                worst = i;
            }
        }
        if (worst == d->slots) return;
        d->slot[worst].taken = (d->slot[worst].taken + 1) % d->slot[worst].options;
    }
}

static const char *option_word(enum choice o)
{
    static const char *const words[] = { "opens", "holds", "sticks", "slides", "slides", "sticks", "slides", "slides" };
    return words[o];
}

/* "1: tip slides; 2: tip opens" */
static void describe(struct deciding *d, char *out, size_t room)
{
    const struct actio_system *sys = d->c->m->sys;
    size_t at = 0;
    *out = 0;
    for (size_t k = 0; k < d->solutions && at + 40 < room; k++) {
        at += (size_t)snprintf(out + at, room - at, "%s%zu: ", k ? "; " : "", k + 1);
        for (size_t i = 0; i < d->slots && at + 40 < room; i++) {
            const struct slot *s = &d->slot[i];
            const char *who =
                s->contact != SIZE_MAX ? sys->walls.contact[s->contact] : sys->constraint[d->c->rub[s->rub].constraint];
            at += (size_t)snprintf(out + at, room - at, "%s%.24s %s", i ? ", " : "", who,
                                   option_word(s->option[d->taken[k * (d->slots + 1) + i]]));
        }
    }
}

static void note_ambiguity(struct deciding *d, double t)
{
    struct actio_ambiguity *a = &d->c->ambiguity;
    if (d->solutions == 1 || a->happened) return;
    *a = (struct actio_ambiguity){ .t = t, .solutions = d->solutions, .picked = d->chosen + 1, .happened = true };
    describe(d, a->what, sizeof a->what);
}

/* The stance that has just been given up is not an answer where there is another: both are within what rounding is
 * allowed. */
static void drop_refused(struct deciding *d)
{
    if (!d->c->refused || d->solutions < 2 || d->like_before == SIZE_MAX) return;
    size_t from = d->like_before, last = --d->solutions;
    for (size_t k = from; k < last; k++) {
        memcpy(d->solution + k * d->c->N, d->solution + (k + 1) * d->c->N, d->c->N * sizeof *d->solution);
        memcpy(d->taken + k * (d->slots + 1), d->taken + (k + 1) * (d->slots + 1), d->slots * sizeof *d->taken);
    }
    d->like_before = SIZE_MAX;
}

static void stance_choose(struct deciding *d)
{
    size_t pick = d->c->pick;
    drop_refused(d);
    d->chosen = pick && pick <= d->solutions ? pick - 1 : d->like_before != SIZE_MAX ? d->like_before : 0;
    for (size_t i = 0; i < d->slots; i++) d->slot[i].taken = d->taken[d->chosen * (d->slots + 1) + i];
}

static size_t combinations(const struct deciding *d)
{
    size_t count = 1;
    for (size_t i = 0; i < d->slots && count <= MOST_COMBINATIONS; i++) count *= d->slot[i].options;
    return count;
}

int actio_contacts_decide(struct actio_contacts *c, double t, const double *y)
{
    size_t most = c->contacts + c->rubs + 1, numbers = MOST_SOLUTIONS * c->N + 1, places = MOST_SOLUTIONS * (most + 1);
    struct deciding d = { .c = c, .v = y + c->n, .like_before = SIZE_MAX };
    d.solution = actio_contacts_room(c, ACTIO_ROOM_DECIDE,
                                     numbers * sizeof *d.solution + places * sizeof *d.taken + most * sizeof *d.slot);
    int status = d.solution ? actio_contacts_at(c, t, y) : ACTIO_FLOW_FAILED;
    d.taken = (size_t *)(void *)(d.solution + numbers);
    d.slot = (struct slot *)(void *)(d.taken + places);
    if (!status) {
        list_slots(&d);
        combinations(&d) <= MOST_COMBINATIONS ? try_all(&d) : exchange(&d);
        if (d.solutions) stance_choose(&d);
        note_ambiguity(&d, t);
        if (d.solutions == 0 || !is_motion(&d)) {
            status = ACTIO_FLOW_FAILED;
            c->m->halted.why = ACTIO_STOP_NO_STANCE;
        } else actio_stance_copy(c, &c->now, &c->trial);
    }
    c->stopped = SIZE_MAX;
    c->refused = false;
    return status;
}

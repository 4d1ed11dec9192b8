/* SPDX-License-Identifier: Apache-2.0
 * Which contacts hold, which rubs stick or slide: the complementarity problem of accelerations. A contact holds with a
 * force that pushes or opens with an acceleration away; friction sticks inside its cone or slides against it. All
 * combinations of a small problem are tried, so that it is known whether the motion exists and whether it is the only
 * one; a large one is solved by exchanging what is violated. */
#include "solve/contacts.h"
#include "algebra/dense.h"
#include "algebra/lcp.h"

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

/* Directions of slides along two slips that are about to begin: where they accelerate to, under friction against just
 * that. */
static int turn_directions(struct deciding *d)
{
    struct actio_contacts *c = d->c;
    bool any = false;
    for (size_t i = 0; i < d->slots; i++)
        if (begins(&d->slot[i], c) && c->rub[d->slot[i].rub].slips > 1) {
            any = true;
            c->trial.rub[d->slot[i].rub] = ACTIO_RUB_STICKS;
        }
    if (!any) return 0;
    if (actio_contacts_solve(c, &c->trial)) return 1;
    for (size_t i = 0; i < d->slots; i++) {
        const struct slot *s = &d->slot[i];
        enum choice o = s->option[s->taken];
        if (s->rub == SIZE_MAX || s->slips || c->rub[s->rub].slips < 2 || o == STICK || o == STICK_NEGATIVE
            || o == OPEN)
            continue;
        const struct actio_rub *r = &c->rub[s->rub];
        double size = hypot(c->found.friction[r->slip], c->found.friction[r->slip + 1]);
        for (size_t j = 0; j < 2; j++)
            c->trial.toward[r->slip + j] = size > 0 ? -c->found.friction[r->slip + j] / size : j == 0;
        c->trial.rub[s->rub] = ACTIO_RUB_SLIDES;
    }
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        double moved = 0;
        if (actio_contacts_solve(c, &c->trial)) return 1;
        for (size_t i = 0; i < d->slots; i++) {
            if (!begins(&d->slot[i], c) || c->rub[d->slot[i].rub].slips < 2) continue;
            size_t slip = c->rub[d->slot[i].rub].slip;
            double a = rate_along(c, slip), b = rate_along(c, slip + 1), size = hypot(a, b);
            if (!(size > 0)) continue;
            moved = fmax(moved, hypot(c->trial.toward[slip] - a / size, c->trial.toward[slip + 1] - b / size));
            c->trial.toward[slip] = a / size;
            c->trial.toward[slip + 1] = b / size;
        }
        if (moved < 1e-14) break;
    }
    return 0;
}

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* By how much a slot's inequalities are violated, 0: not; relative to the sizes of what is compared. */
static double violation(const struct actio_contacts *c, const struct slot *s)
{
    double worst = 0;
    if (s->contact != SIZE_MAX && !c->trial.closed[s->contact]) {
        const double *g = actio_gap_of(c, s->contact), *row = g + ACTIO_GAP_HEAD;
        double a = g[ACTIO_GAP_BIAS], size = fabs(a);
        for (size_t j = 0; j < c->n; j++) {
            a += row[j] * c->found.zdot[j];
            size += fabs(row[j]) * (fabs(c->found.zdot[j]) + fabs(c->point.z0[j]));
        }
        return a < -NO_RATE * size ? -a / size : 0;
    }
    if (s->contact != SIZE_MAX) {
        double row = largest(actio_column_row(c, s->contact), c->n), unit = row > 0 ? c->point.force_size / row : 0;
        if (c->found.normal[s->contact] < -NO_FORCE * unit)
            worst = -c->found.normal[s->contact] / (unit > 0 ? unit : 1);
    }
    if (s->rub == SIZE_MAX) return worst;
    const struct actio_rub *r = &c->rub[s->rub];
    const double *b = actio_rub_of(c, s->rub);
    double lambda =
        r->contact != UINT32_MAX ? c->found.normal[r->contact] : c->found.lambda[r->constraint] * c->trial.sign[s->rub];
    if (r->contact == UINT32_MAX && c->trial.rub[s->rub] == ACTIO_RUB_STICKS) lambda = fabs(lambda);
    if (r->contact == UINT32_MAX && lambda < -NO_FORCE * c->point.force_size)
        worst = fmax(worst, -lambda / c->point.force_size);
    if (c->trial.rub[s->rub] == ACTIO_RUB_STICKS) {
        double most = b[ACTIO_RUB_STICKING] * fmax(lambda, 0) * b[ACTIO_RUB_SCALE], size = 0;
        for (size_t j = 0; j < r->slips; j++) size = hypot(size, c->found.friction[r->slip + j]);
        if (size > most * (1 + AT_THE_EDGE) + 1e-14 * c->point.force_size)
            worst = fmax(worst, (size - most) / (size + most));
    } else if (!s->slips) {
        double along = 0, size = 0;
        for (size_t j = 0; j < r->slips; j++) {
            along += c->trial.toward[r->slip + j] * rate_along(c, r->slip + j);
            size += fabs(rate_along(c, r->slip + j));
        }
        if (along < -NO_RATE * (size + largest(c->point.z0, c->n)))
            worst = fmax(worst, -along / (size + largest(c->point.z0, c->n)));
    }
    return worst;
}

static bool holds_all(const struct deciding *d)
{
    for (size_t i = 0; i < d->slots; i++)
        if (violation(d->c, &d->slot[i]) != 0) return false;
    return true;
}

/* ---- forces that are not unique */

/* What the unknown forces must satisfy, as rows g x >= 0: pushing normals, sticking friction inside its cone (two
 * facets, or eight). */
static size_t list_bounds(const struct actio_contacts *c, double *rows)
{
    size_t k = c->small.unknowns, count = 0;
    for (size_t u = 0; u < k; u++) {
        const struct actio_unknown *x = &c->small.unknown[u];
        if (x->kind != ACTIO_FORCE_TANGENT) {
            memset(rows + count * k, 0, k * sizeof *rows);
            rows[count++ * k + u] = 1;
        }
        if (x->kind != ACTIO_FORCE_NORMAL) continue;
        /* its own friction follows a normal at once */
        for (size_t w = u + 1; w < k && c->small.unknown[w].kind == ACTIO_FORCE_TANGENT; w++) {
            size_t r = 0;
            while (r < c->rubs && c->rub[r].slip != c->small.unknown[w].index) r++;
            if (r == c->rubs || c->rub[r].contact != x->index) continue;
            size_t facets = c->rub[r].slips > 1 ? 8 : 2;
            double most = actio_rub_of(c, r)[ACTIO_RUB_STICKING] * actio_rub_of(c, r)[ACTIO_RUB_SCALE];
            for (size_t f = 0; f < facets; f++) {
                double angle = 6.283185307179586 * (double)f / (double)facets, *row = rows + count++ * k;
                memset(row, 0, k * sizeof *row);
                row[u] = most * (facets == 2 ? 1 : cos(3.141592653589793 / 8));
                row[w] = facets == 2 ? (f ? 1 : -1) : -cos(angle);
                if (facets > 2) row[w + 1] = -sin(angle);
            }
        }
    }
    return count;
}

/* Forces x of least norm solve the equations; with others that do no more than they do, x + a, all bounds hold if that
 * is possible at all:
 * a = P g' z, where w = g P g' z + g x >= 0, z >= 0, w z = 0, P the projector onto forces without effect. True: they
 * were found, and taken. */
bool actio_contacts_share(struct actio_contacts *c, const struct actio_stance *s)
{
    size_t k = c->small.unknowns, most = 9 * k;
    size_t doubles =
        most * k * 2 + most * most + 2 * most + 2 * k * k + actio_rank_work(k, k) + actio_lcp_work(most) + k + 1;
    double *block =
        actio_contacts_room(c, ACTIO_ROOM_SHARE, doubles * sizeof *block + (most + 2 * k + 1) * sizeof(int));
    int *basis = block ? (int *)(void *)(block + doubles) : NULL;
    bool found = false;
    if (block) {
        double *g = block, *gP = g + most * k, *M = gP + most * k, *q = M + most * most, *z = q + most, *P = z + most,
               *copy = P + k * k, *work = copy + k * k, *lcp = work + actio_rank_work(k, k);
        memcpy(copy, c->small.M, k * k * sizeof *copy);
        size_t rank = actio_row_bases(k, k, copy, 1e-10, P, work, basis), bounds = list_bounds(c, g);
        for (size_t b = 0; b < bounds; b++) /* rows of P from `rank` on span the forces without effect */
            for (size_t a = 0; a < k - rank; a++) gP[b * (k - rank) + a] = actio_dot(k, g + b * k, P + (rank + a) * k);
        double size = 0;
        for (size_t u = 0; u < k; u++) size = fmax(size, fabs(c->small.force[u]));
        for (size_t b = 0; b < bounds; b++) {
            q[b] = (actio_dot(k, g + b * k, c->small.force)) / (size > 0 ? size : 1);
            for (size_t d = 0; d < bounds; d++)
                M[b * bounds + d] = actio_dot(k - rank, gP + b * (k - rank), gP + d * (k - rank));
        }
        found = rank < k && actio_lcp(bounds, M, q, z, lcp, basis) == 0;
        for (size_t b = 0; found && b < bounds; b++)
            for (size_t a = 0; a < k - rank; a++)
                for (size_t u = 0; u < k; u++)
                    c->small.force[u] += size * z[b] * gP[b * (k - rank) + a] * P[(rank + a) * k + u];
    }
    if (found) actio_contacts_tell(c, s);
    return found;
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
            > 1e-9 * (fabs(z[i]) + fabs(c->point.z0[i]) + largest(c->point.z0, c->N) * 1e-3))
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

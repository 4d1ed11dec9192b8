/* SPDX-License-Identifier: Apache-2.0
 * A long chain whose state lies in lanes: it is cut into segments, one a lane, and node i is in row i % rows of lane i
 * / rows. Programs over cells and nodes then read whole vectors, tensions are eliminated where they are made, and no
 * number is moved into lanes and back on the way. The state that the world knows has its nodes in order: the flow folds
 * it.  [HAMEL B.2, SPEED P5] */
#include "solve/segments.h"
#include "algebra/tri.h"
#include "solve/tension.h"

#include <stdint.h>
#include <string.h>

/* how far neighbours may be; rows at a time: what they make stays in the first cache */
enum { HALO = 2, BLOCK = 64 };
enum { LINE = 8, PAGE = 512 }; /* doubles; whole vectors begin where a line of the cache does */
enum { MOST_PROGRAMS = 4, MOST_LISTS = 16, MOST_OUT = 8 };

/* Of the state; of a list in lanes, with HALO rows more at either end; or given as it is bound. */
enum source { STATE, LIST, GIVEN };
/* at: number of the array, or of the list; place: of the only lane, in there */
struct input {
    enum source from;
    size_t at;
    int offset;
    size_t place;
};
/* A stage of TENSION or PULL; part: by output, what it is in the tensions' system, or of which field. */
struct program {
    struct actio_lanes_stage is;
    size_t first, place, inputs, outputs, part[MOST_OUT];
    struct input *in;
    struct actio_arg *now;
    ptrdiff_t low, high;
};
struct programs {
    struct program at[MOST_PROGRAMS];
    size_t count;
}; /* the long one first, then those of one lane */

struct actio_segments {
    struct actio_tri_cut cut;
    size_t nodes, arrays, size; /* of a field; positions, then velocities; numbers of an array */
    /* places of the last cell and what lies behind it; the first row of these */
    size_t spare[ACTIO_TRI_LANES + 2], spares, first_spare;
    struct programs cells, points;
    /* same: a block of the number that all inner nodes have; NULL: they differ */
    struct {
        actio_slot slot;
        double *value, *same;
    } list[MOST_LISTS];
    size_t lists, tension;
    bool meets[2][2 * MOST_OUT]; /* by end and array: does a program look at it and behind that end? */
    bool tied[MOST_OUT];         /* fields that the tensions' rows restrict: their forces are in there */
    struct input *inputs;
    struct actio_arg *args;
    /* by end, see fill_lanes; a block of the tensions' system; a state as the world knows it */
    double *memory, *seam[2], *made, *tensions, *known, *work;
};

static size_t segments_place_of(const struct actio_segments *g, size_t node)
{
    return node % g->cut.rows * g->cut.lanes + node / g->cut.rows;
}

/* ---- where segments meet: of each array HALO rows before its first and behind its last, in the lanes beside, and as
 * many of its own */

enum { HEAD, TAIL };
static size_t seam_size(const struct actio_segments *g) { return 2 * HALO * g->cut.lanes; }

static inline __attribute__((always_inline)) void fill_lanes(const struct actio_segments *g, size_t K, const double *Y)
{
    for (size_t a = 0; a < g->arrays; a++) {
        double *head = g->seam[HEAD] + a * seam_size(g), *tail = g->seam[TAIL] + a * seam_size(g);
        const double *first = Y + a * g->size, *last = first + g->size - HALO * K;
        for (size_t r = 0; r < HALO && g->meets[HEAD][a]; r++) {
            memcpy(head + r * K + 1, last + r * K, (K - 1) * sizeof *head);
            memcpy(head + (HALO + r) * K, first + r * K, K * sizeof *head);
        }
        for (size_t r = 0; r < HALO && g->meets[TAIL][a]; r++) {
            memcpy(tail + r * K, last + r * K, K * sizeof *tail);
            memcpy(tail + (HALO + r) * K, first + r * K + 1, (K - 1) * sizeof *tail);
        }
    }
}

static void fill_seams(const struct actio_segments *g, const double *Y)
{
    if (g->cut.lanes == ACTIO_TRI_LANES) fill_lanes(g, ACTIO_TRI_LANES, Y); /* numbers that the compiler knows */
    else fill_lanes(g, ACTIO_TRI_LANES / 2, Y);
}

static void fill_halo(const struct actio_segments *g, double *list)
{
    size_t K = g->cut.lanes, rows = g->cut.rows;
    double *first = list + HALO * K, *behind = first + rows * K;
    for (size_t r = 0; r < HALO; r++)
        for (size_t l = 1; l < K; l++) {
            list[r * K + l] = behind[(ptrdiff_t)(r * K + l - 1) - (ptrdiff_t)(HALO * K)];
            behind[r * K + l - 1] = first[r * K + l];
        }
}

/* ---- programs over rows */

/* From `row` on, as many rows as can be taken at once: those with a neighbour in another segment by themselves. */
static size_t rows_from(const struct actio_segments *g, const struct program *p, size_t row)
{
    size_t head = (size_t)-p->low, end = g->cut.rows - (size_t)p->high,
           to = row < head  ? head
                : row < end ? end
                            : g->cut.rows;
    return to - row < BLOCK ? to - row : BLOCK;
}

static void run_rows(const struct actio_segments *g, struct program *p, const double *Y, size_t row, size_t rows,
                     double *const *out)
{
    ptrdiff_t K = (ptrdiff_t)g->cut.lanes, r = (ptrdiff_t)row, end = (ptrdiff_t)g->cut.rows;
    bool head = r + p->low < 0, tail = !head && r + p->high >= end;
    const double *seam = g->seam[tail] + (HALO + (tail ? r - end : r)) * K;
    for (size_t i = 0; i < p->inputs; i++) {
        const struct input *in = &p->in[i];
        if (in->from == GIVEN) p->now[i] = p->is.in[i];
        else if (in->from == LIST)
            p->now[i] = (struct actio_arg){ g->list[in->at].same ? g->list[in->at].same
                                                                 : g->list[in->at].value + (HALO + r + in->offset) * K,
                                            1 };
        else if (head || tail) p->now[i] = (struct actio_arg){ seam + in->at * seam_size(g) + in->offset * K, 1 };
        else p->now[i] = (struct actio_arg){ Y + in->at * g->size + (r + in->offset) * K, 1 };
    }
    actio_kernel_eval(p->is.kernel, rows * g->cut.lanes, p->now, p->is.pre, 1, out, p->is.work);
}

static void run_single(const struct actio_segments *g, struct program *p, const double *Y, double *out)
{
    double *to[MOST_OUT];
    for (size_t j = 0; j < p->outputs; j++) to[j] = out + p->part[j];
    for (size_t i = 0; i < p->inputs; i++) {
        const struct input *in = &p->in[i];
        p->now[i] = in->from == GIVEN
                        ? p->is.in[i]
                        : (struct actio_arg){ in->from == LIST ? g->list[in->at].value + in->place : Y + in->place, 0 };
    }
    actio_kernel_eval(p->is.kernel, 1, p->now, p->is.pre, 1, to, p->is.work);
}

/* ---- accelerations */

/* What is not a cell of the long program: the last one, and places behind it, which have no tension. */
static void mend_block(struct actio_segments *g, const double *Y, size_t row, size_t rows, double *const part[3])
{
    size_t from = row * g->cut.lanes, to = (row + rows) * g->cut.lanes;
    double first[3];
    if (row == 0) { /* the first node need not be like the inner ones */
        run_single(g, &g->cells.at[0], Y, first);
        for (int k = 0; k < 3; k++) part[k][0] = first[k];
    }
    if (row + rows <= g->first_spare) return;
    for (size_t i = 0; i < g->spares; i++) {
        double made[3] = { 1, 0, 0 };
        if (g->spare[i] < from || g->spare[i] >= to) continue;
        if (i == 0) run_single(g, &g->cells.at[1], Y, made);
        for (int k = 0; k < 3; k++) part[k][g->spare[i] - from] = made[k];
    }
}

/* From `at` on within a page, so that it is `quarters` of a page behind `of`: a processor takes what is read for what
 * was just written where both have the same place in their pages, and waits. */
static double *out_of_step(double *at, const double *of, size_t quarters)
{
    uintptr_t want = (uintptr_t)of + quarters * (PAGE / 4) * sizeof *at - (uintptr_t)at;
    return at + want % (PAGE * sizeof *at) / sizeof *at;
}

static int find_tensions(struct actio_segments *g, const double *Y, const double *acceleration)
{
    struct actio_tri_sweep sweep;
    struct program *p = &g->cells.at[0];
    double *part[3], *out[MOST_OUT];
    actio_tri_begin(&sweep, g->nodes, g->work);
    for (size_t row = 0, rows; row < g->cut.rows; row += rows) {
        rows = rows_from(g, p, row);
        for (size_t k = 0; k < 3; k++)
            part[k] = out_of_step(g->made + k * (BLOCK * g->cut.lanes + PAGE), Y + row * g->cut.lanes, k + 1);
        for (size_t j = 0; j < p->outputs; j++) out[j] = part[p->part[j]];
        run_rows(g, p, Y, row, rows, out);
        mend_block(g, Y, row, rows, part);
        actio_tri_forward(&sweep, row, rows, part[0], part[1], part[2]);
    }
    if (actio_tri_meet(&sweep)) return 1;
    double *tension = g->list[g->tension].value = out_of_step(g->tensions, acceleration, 1);
    actio_tri_back(&sweep, 0, g->cut.rows, tension + HALO * g->cut.lanes);
    fill_halo(g, tension);
    return 0;
}

/* Accelerations by the tensions. False: some are not numbers. */
static bool pull(struct actio_segments *g, const double *Y, double *acceleration)
{
    struct program *p = &g->points.at[0];
    double *out[MOST_OUT], one[MOST_OUT];
    bool finite = true; /* what tensions depend on is: they are */
    for (size_t row = 0, rows; row < g->cut.rows; row += rows) {
        rows = rows_from(g, p, row);
        for (size_t j = 0; j < p->outputs; j++) out[j] = acceleration + p->part[j] * g->size + row * g->cut.lanes;
        run_rows(g, p, Y, row, rows, out);
        for (size_t j = 0; j < p->outputs; j++)
            if (!g->tied[p->part[j]]) finite &= actio_tension_finite(out[j], rows * g->cut.lanes);
    }
    for (size_t i = 2; i < g->spares; i++)
        for (size_t f = 0; f < g->arrays / 2; f++) acceleration[f * g->size + g->spare[i]] = 0;
    for (size_t k = 1; k < g->points.count; k++) {
        p = &g->points.at[k];
        run_single(g, p, Y, one);
        for (size_t j = 0; j < p->outputs; j++) acceleration[p->part[j] * g->size + p->place] = one[p->part[j]];
    }
    return finite;
}

int actio_segments_accelerations(struct actio_motion *m, const double *Y, double *acceleration)
{
    struct actio_segments *g = m->chain.segments;
    fill_seams(g, Y);
    return find_tensions(g, Y, acceleration) || !pull(g, Y, acceleration);
}

/* ---- the flow */

static int fold(void *user, double t, const double *y, double *Y)
{
    const struct actio_motion *m = user;
    const struct actio_segments *g = m->chain.segments;
    (void)t;
    for (size_t a = 0; a < g->arrays; a++)
        actio_tri_to_lanes(g->cut, g->nodes, y + a * g->nodes, 0, g->cut.rows, 0, Y + a * g->size);
    return ACTIO_FLOW_OK;
}

static int unfold(void *user, double t, const double *Y, double *y)
{
    const struct actio_motion *m = user;
    const struct actio_segments *g = m->chain.segments;
    (void)t;
    for (size_t a = 0; a < g->arrays; a++)
        actio_tri_from_lanes(g->cut, g->nodes, Y + a * g->size, 0, g->cut.rows, y + a * g->nodes);
    return ACTIO_FLOW_OK;
}

/* Where tensions can't be found this way the motion itself looks. */
static int rates_as_known(struct actio_motion *m, double t, const double *Y, double *dY)
{
    double *y = m->chain.segments->known, *dy = y + m->ny;
    unfold(m, t, Y, y);
    int status = actio_motion_rhs(m, t, y, dy);
    m->evaluations--; /* it counts for itself */
    fold(m, t, dy, dY);
    return status;
}

static int segments_rates(void *user, double t, const double *Y, double *dY)
{
    struct actio_motion *m = user;
    struct actio_segments *g = m->chain.segments;
    size_t half = g->arrays / 2 * g->size;
    m->evaluations++;
    m->here.t = t;
    if (m->rows.rank != m->p || actio_segments_accelerations(m, Y, dY + half)) return rates_as_known(m, t, Y, dY);
    memcpy(dY, Y + half, half * sizeof *dY);
    return ACTIO_FLOW_OK;
}

static int segments_project(void *user, double t, double *Y)
{
    struct actio_motion *m = user;
    double *y = m->chain.segments->known;
    unfold(m, t, Y, y);
    int status = m->flow.project(m, t, y);
    if (!status) fold(m, t, y, Y);
    return status;
}

struct actio_ode actio_segments_flow(struct actio_motion *m)
{
    struct actio_ode flow = m->flow;
    if (!m->chain.segments || flow.rhs != actio_motion_rhs) return flow;
    flow.n = m->chain.segments->arrays * m->chain.segments->size;
    flow.known = m->ny;
    flow.fold = fold;
    flow.unfold = unfold;
    flow.rhs = segments_rates;
    if (flow.project) flow.project = segments_project;
    flow.pattern = NULL;
    flow.jacobian = NULL;
    return flow;
}

/* ---- opening */

static size_t list_for(struct actio_segments *g, actio_slot slot)
{
    slot.offset = 0;
    for (size_t i = 0; i < g->lists; i++)
        if (g->list[i].slot.space == slot.space && g->list[i].slot.index == slot.index) return i;
    if (g->lists < MOST_LISTS) g->list[g->lists++].slot = slot;
    return g->lists - 1;
}

/* What an input is, or false: nothing that can be put in lanes. */
static bool sort_input(const struct actio_motion *m, struct actio_segments *g, actio_slot slot, struct input *in)
{
    static const enum actio_space steady[] = { ACTIO_SPACE_LAMBDA, ACTIO_SPACE_INVERSE, ACTIO_SPACE_FREE,
                                               ACTIO_SPACE_AXIS, ACTIO_SPACE_WEIGHT };
    bool moves = slot.space == ACTIO_SPACE_Q || slot.space == ACTIO_SPACE_V;
    *in = (struct input){ .from = GIVEN, .offset = slot.offset };
    if (!slot.axis || (slot.space == ACTIO_SPACE_WEIGHT && slot.index))
        return slot.space != ACTIO_SPACE_RUNNING && slot.space != ACTIO_SPACE_SUM;
    if (slot.offset < -HALO || slot.offset > HALO) return false;
    if (moves) {
        in->from = STATE;
        in->at = m->sys->field.base[slot.index] / g->nodes + (slot.space == ACTIO_SPACE_V ? g->arrays / 2 : 0);
    }
    for (size_t i = 0; i < sizeof steady / sizeof *steady && !moves; i++)
        if (slot.space == steady[i]) {
            in->from = LIST;
            in->at = list_for(g, slot);
        }
    return in->from != GIVEN;
}

static bool add_program(struct actio_motion *m, struct programs *all, enum actio_quantity what, size_t stage,
                        size_t length)
{
    struct actio_segments *g = m->chain.segments;
    const struct actio_stage *s = &m->sys->field.stream[what]->stage[stage];
    struct program *p = &all->at[s->lanes > 1 ? 0 : ++all->count];
    const actio_slot *slots;
    *p = (struct program){ .is = actio_lanes_stage(m->at[what].lanes, stage),
                           .first = s->first,
                           .outputs = actio_kernel_outputs(s->kernel) };
    p->inputs = actio_kernel_inputs(s->kernel, &slots);
    p->in = g->inputs;
    p->now = g->args;
    g->inputs += p->inputs;
    g->args += p->inputs;
    for (size_t j = 0; j < p->outputs; j++) p->part[j] = s->out[j].at / length;
    p->place = segments_place_of(g, p->first);
    bool ok = true;
    for (size_t i = 0; i < p->inputs && ok; i++) {
        ok = sort_input(m, g, slots[i], &p->in[i]);
        if (p->in[i].from == GIVEN) continue;
        if (s->lanes == 1 || p->first == 0)
            p->in[i].place = segments_place_of(g, (size_t)((ptrdiff_t)p->first + slots[i].offset))
                             + (p->in[i].from == LIST ? HALO * g->cut.lanes : p->in[i].at * g->size);
        if (slots[i].offset < p->low) p->low = slots[i].offset;
        if (slots[i].offset > p->high) p->high = slots[i].offset;
    }
    for (size_t i = 0; i < p->inputs && ok; i++)
        if (p->in[i].from == STATE) {
            g->meets[HEAD][p->in[i].at] |= p->low < 0;
            g->meets[TAIL][p->in[i].at] |= p->high > 0;
        }
    return ok;
}

/* One long program and some of one lane, that put their values. */
static bool add_programs(struct actio_motion *m, struct programs *all, enum actio_quantity what, size_t length)
{
    const struct actio_streams *s = m->sys->field.stream[what];
    size_t longs = 0;
    for (size_t i = 0; i < s->stages; i++) {
        size_t outputs = actio_kernel_outputs(s->stage[i].kernel);
        longs += s->stage[i].lanes > 1;
        if (outputs > MOST_OUT || longs > 1 || all->count + 1 == MOST_PROGRAMS) return false;
        for (size_t j = 0; j < outputs; j++)
            if (s->stage[i].out[j].how != ACTIO_STREAM_PUT || s->stage[i].out[j].fill) return false;
        if (!add_program(m, all, what, i, length)) return false;
    }
    all->count++;
    return longs == 1;
}

static size_t count_inputs(const struct actio_motion *m)
{
    static const enum actio_quantity what[] = { ACTIO_Q_TENSION, ACTIO_Q_PULL };
    size_t count = 0;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < m->sys->field.stream[what[k]]->stages; i++)
            count += actio_kernel_inputs(m->sys->field.stream[what[k]]->stage[i].kernel, NULL);
    return count;
}

static bool is_in_order(const struct actio_motion *m, size_t nodes)
{
    if (m->ny % (2 * nodes)) return false;
    for (size_t i = 0; i < m->n / nodes; i++)
        if (m->sys->field.base[i] != i * nodes) return false;
    return m->n / nodes <= MOST_OUT;
}

/* Does the long program read of this list only inner nodes, but for the lane that is mended? */
static bool reads_inner(const struct program *p, size_t k, int farthest)
{
    for (size_t i = 0; i < p->inputs; i++)
        if (p->in[i].from == LIST && p->in[i].at == k && (p->in[i].offset < 0 || p->in[i].offset > farthest))
            return false;
    return true;
}

static void find_same(struct actio_segments *g, size_t k, const double *value)
{
    bool same = reads_inner(&g->cells.at[0], k, 1) && reads_inner(&g->points.at[0], k, 0);
    for (size_t i = 1; i + 1 < g->nodes; i++) same &= value[i] == value[1];
    for (size_t i = 0; i < BLOCK * g->cut.lanes && same; i++) g->list[k].same[i] = value[1];
    if (!same) g->list[k].same = NULL;
}

/* Numbers of a list, whose inputs are bound where the nodes are in order. */
static void fill_list(struct actio_segments *g, size_t k)
{
    const struct programs *all[] = { &g->cells, &g->points };
    for (size_t a = 0; a < 2; a++) {
        const struct program *p = &all[a]->at[0];
        for (size_t i = 0; i < p->inputs; i++)
            if (p->in[i].from == LIST && p->in[i].at == k) {
                const double *from = p->is.in[i].p - (ptrdiff_t)p->first - p->in[i].offset;
                actio_tri_to_lanes(g->cut, g->nodes, from, -HALO, g->cut.rows + 2 * HALO, 0, g->list[k].value);
                find_same(g, k, from);
                return;
            }
    }
}

static int segments_take_memory(struct actio_motion *m)
{
    struct actio_segments *g = m->chain.segments;
    struct {
        double **p;
        size_t n;
    } part[5 + 2 * MOST_LISTS] = { { &g->seam[HEAD], g->arrays * seam_size(g) },
                                   { &g->seam[TAIL], g->arrays * seam_size(g) },
                                   { &g->made, 3 * (BLOCK * g->cut.lanes + PAGE) },
                                   { &g->known, 2 * m->ny },
                                   { &g->work, actio_tri_work(g->size) } };
    size_t parts = 5, total = LINE;
    for (size_t k = 0; k < g->lists; k++) {
        part[parts].p = k == g->tension ? &g->tensions : &g->list[k].value;
        part[parts++].n = (g->cut.rows + 2 * HALO) * g->cut.lanes + PAGE;
        if (k != g->tension) {
            part[parts].p = &g->list[k].same;
            part[parts++].n = BLOCK * g->cut.lanes;
        }
    }
    for (size_t k = 0; k < parts; k++) total += (part[k].n + LINE) / LINE * LINE;
    g->memory = actio_alloc(m->ctx, total, sizeof *g->memory);
    if (!g->memory) return 1;
    double *next =
        (double *)(((uintptr_t)g->memory + sizeof(double[LINE]) - 1) & ~(uintptr_t)(sizeof(double[LINE]) - 1));
    for (size_t k = 0; k < parts; k++) {
        *part[k].p = next;
        next += (part[k].n + LINE) / LINE * LINE;
    }
    for (size_t k = 0; k < g->lists; k++)
        if (k != g->tension) fill_list(g, k);
    return 0;
}

static bool set_up(struct actio_motion *m)
{
    struct actio_segments *g = m->chain.segments;
    bool ok = add_programs(m, &g->cells, ACTIO_Q_TENSION, g->nodes - 1)
              && add_programs(m, &g->points, ACTIO_Q_PULL, g->nodes);
    g->tension = g->lists;
    for (size_t k = 0; k < g->lists; k++)
        if (g->list[k].slot.space == ACTIO_SPACE_LAMBDA) g->tension = k;
    size_t entries[MOST_OUT] = { 0 };
    /* more than holding some nodes takes */
    for (size_t e = 0; e < m->sys->A.count; e++)
        g->tied[m->sys->A.col[e] / g->nodes] = ++entries[m->sys->A.col[e] / g->nodes] >= g->nodes;
    g->first_spare = g->cut.rows;
    for (size_t i = g->nodes - 2; i < g->size; i++) {
        g->spare[g->spares++] = segments_place_of(g, i);
        if (i % g->cut.rows < g->first_spare) g->first_spare = i % g->cut.rows;
    }
    return ok && g->cells.count == 2 && g->cells.at[0].first == 0 && g->cells.at[0].low == 0 && g->tension < g->lists
           && g->lists < MOST_LISTS;
}

int actio_segments_open(struct actio_motion *m)
{
    size_t nodes = m->chain.tension ? m->sys->field.axis[0].nodes : 0;
    struct actio_tri_cut cut = actio_tri_cut(nodes);
    if (!cut.lanes || !is_in_order(m, nodes)) return 0;
    struct actio_segments *g = m->chain.segments = actio_alloc(m->ctx, 1, sizeof *g);
    if (!g) return 1;
    *g = (struct actio_segments){ .cut = cut, .nodes = nodes, .arrays = m->ny / nodes, .size = cut.rows * cut.lanes };
    size_t inputs = count_inputs(m);
    g->inputs = actio_alloc(m->ctx, inputs + 1, sizeof *g->inputs);
    g->args = actio_alloc(m->ctx, inputs + 1, sizeof *g->args);
    if (!g->inputs || !g->args) return 1;
    bool fits = set_up(m);
    g->inputs = g->cells.at[0].in;
    g->args = g->cells.at[0].now;
    if (fits) return segments_take_memory(m);
    actio_segments_close(m);
    return 0;
}

void actio_segments_close(struct actio_motion *m)
{
    struct actio_segments *g = m->chain.segments;
    if (!g) return;
    void *all[] = { g->inputs, g->args, g->memory, g };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) actio_free(m->ctx, all[k]);
    m->chain.segments = NULL;
}

/* SPDX-License-Identifier: Apache-2.0
 * The balance of energy of a driven motion: E - E(0) less the work of forces and reactions, and less what an explicit
 * time (or a state) in the
 * Lagrangian gives. Work is the integral of power over the rows, by polynomials that do not reach across a switch; two
 * degrees, and half of the rows,
 * give its error. */
#include "run/run.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 20000, WINDOW = 8, GAUSS = 4 };
#define CONCENTRATED 8 /* rows by those that share in it: 1 where all do, 1.6 of noise, 2 or 3 of a swing */
#define WORKS 1e-10    /* of the energy: less work than this is rounding */

struct working {
    struct actio_run *run;
    struct actio_table *t;
    const double *time; /* by row: of everything */
    double *power;
    size_t rows;
    double *edge; /* where power may jump, in the order of the motion; both ends are among them */
    size_t edges;
    const double **q, **v, **s, **sdot; /* columns of the variables */
    size_t row;                         /* that is looked at */
};

/* ---- power */

static double value_in_row(void *user, actio_slot slot)
{
    const struct working *w = user;
    switch (slot.space) {
    case ACTIO_SPACE_T: return w->time[w->row];
    case ACTIO_SPACE_PARAM: return w->run->problem.model->param[slot.index].value;
    case ACTIO_SPACE_Q: return w->q[slot.index][w->row];
    case ACTIO_SPACE_V: return w->v[slot.index][w->row];
    case ACTIO_SPACE_STATE: return w->s[slot.index][w->row];
    case ACTIO_SPACE_SDOT: return w->sdot[slot.index][w->row];
    default: return NAN;
    }
}

/* Columns of the variables, in the model's order. False: the table has others. */
static bool find_variables(struct working *w)
{
    const struct actio_model *m = w->run->problem.model;
    const struct actio_table *t = w->t;
    size_t n = m->coords, k = m->states, q = 0, s = 0, rates = 0;
    const double **all = actio_arena_array(&w->run->problem.arena, 2 * (n + k) + 1, sizeof *all);
    w->q = all;
    w->v = all + n;
    w->s = w->v + n;
    w->sdot = w->s + k;
    for (size_t c = 0; c < t->cols; c++) {
        if (t->col[c].role == ACTIO_ROLE_COORD && q < n) w->q[q++] = t->data[c];
        if (t->col[c].role == ACTIO_ROLE_STATE && s < k) w->s[s++] = t->data[c];
        if (t->col[c].role == ACTIO_ROLE_RATE && rates < n + k) {
            rates < n ? (w->v[rates] = t->data[c]) : (w->sdot[rates - n] = t->data[c]);
            rates++;
        }
    }
    return q == n && s == k && rates == n + k;
}

/* dE/dt = power - dL/dt at rest - dL/ds*s'. */
static bool add_explicit(struct working *w)
{
    struct actio_model *m = w->run->problem.model;
    struct actio_seed *seed = actio_arena_array(&w->run->problem.arena, m->states + 1, sizeof *seed);
    actio_expr d;
    if (!actio_uses(&m->pool, m->lagrangian, ACTIO_SPACE_T) && !actio_uses(&m->pool, m->lagrangian, ACTIO_SPACE_STATE))
        return true;
    if (!find_variables(w)) return false;
    for (size_t i = 0; i < m->states; i++) seed[i] = (struct actio_seed){ m->state[i].x, m->state[i].dot };
    seed[m->states] = (struct actio_seed){ actio_symbol(&m->pool, ACTIO_SPACE_T, 0), actio_const(&m->pool, 1) };
    actio_along(&m->pool, &m->lagrangian, 1, seed, m->states + 1, &d);
    for (w->row = 0; w->row < w->t->rows; w->row++) w->power[w->row] -= actio_value_of(&m->pool, d, value_in_row, w);
    return true;
}

/* power.force has the named forces in it, which have columns of their own behind it. */
static void add_powers(struct working *w)
{
    const struct actio_model *m = w->run->problem.model;
    size_t constraint = 0;
    for (size_t c = 0; c < w->t->cols; c++) {
        const char *name = w->t->col[c].name;
        if (w->t->col[c].role != ACTIO_ROLE_POWER || strncmp(name, "power.", 6) != 0) continue;
        bool own = constraint < m->constraints && strcmp(name + 6, m->constraint[constraint].label) == 0;
        if (!own && strcmp(name, "power.force") != 0) continue;
        constraint += own;
        for (size_t r = 0; r < w->t->rows; r++) w->power[r] += w->t->data[c][r];
    }
}

/* ---- its integral */

static void find_edges(struct working *w)
{
    const struct actio_motion *m = &w->run->problem.motion;
    double first = w->time[0], last = w->time[w->rows - 1], way = last > first ? 1 : -1;
    w->edge = actio_arena_array(&w->run->problem.arena, m->history.changes + 2, sizeof *w->edge);
    w->edge[w->edges++] = first;
    for (size_t i = 1; i < m->history.changes; i++)
        if (way * m->history.change[i].t > way * w->edge[w->edges - 1] && way * m->history.change[i].t < way * last)
            w->edge[w->edges++] = m->history.change[i].t;
    w->edge[w->edges++] = last;
}

/* Integrals from a to b of the polynomials through the power in `count` rows from `first` on, and in the `fewer` in the
 * middle of them (Neville; the second stands in the first one's scheme). */
static void integrals(const struct working *w, size_t first, size_t count, size_t fewer, double a, double b,
                      double sum[2])
{
    static const double node[GAUSS] = { -0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                        0.8611363115940526 };
    static const double weight[GAUSS] = { 0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                          0.3478548451374538 };
    const double *t = w->time + first;
    double p[WINDOW][GAUSS], x[GAUSS];
    for (int g = 0; g < GAUSS; g++) x[g] = 0.5 * (a + b) + 0.5 * (b - a) * node[g];
    for (size_t i = 0; i < count; i++)
        for (int g = 0; g < GAUSS; g++) p[i][g] = w->power[first + i];
    sum[0] = sum[1] = 0;
    for (size_t k = 1; k <= count; k++) { /* p[i]: through rows i to i + k - 1 */
        if (k == fewer)
            for (int g = 0; g < GAUSS; g++) sum[1] += weight[g] * p[(count - fewer) / 2][g];
        for (size_t i = 0; i + k < count; i++)
            for (int g = 0; g < GAUSS; g++)
                p[i][g] = ((x[g] - t[i + k]) * p[i][g] + (t[i] - x[g]) * p[i + 1][g]) / (t[i] - t[i + k]);
    }
    for (int g = 0; g < GAUSS; g++) sum[0] += weight[g] * p[0][g];
    sum[0] *= 0.5 * (b - a);
    sum[1] *= 0.5 * (b - a);
}

/* From a to b, which lie between two rows and two edges; [low, high) are the rows between those edges. */
static double piece(const struct working *w, size_t row, size_t low, size_t high, double a, double b, double *error)
{
    size_t count = high - low < WINDOW ? high - low : WINDOW;
    if (count == 0) {
        *error += INFINITY;
        return 0;
    }
    size_t first = row + 1 > low + count / 2 ? row + 1 - count / 2 : low;
    if (first + count > high) first = high - count;
    double sum[2];
    integrals(w, first, count, count > 4 ? count - 2 : count > 1 ? count - 1 : 1, a, b, sum);
    *error += count > 1 ? fabs(sum[0] - sum[1]) : fabs(sum[0]);
    return sum[0];
}

/* Work up to each row; its error in all. */
static double integrate(const struct working *w, double *work)
{
    size_t rows = w->rows, low = 0, high = 0;
    double way = w->time[rows - 1] > w->time[0] ? 1 : -1, error = 0, at = w->time[0];
    size_t e = 1;
    work[0] = 0;
    while (high < rows && way * w->time[high] < way * w->edge[e]) high++;
    for (size_t r = 0; r + 1 < rows; r++) {
        work[r + 1] = work[r];
        while (at != w->time[r + 1]) {
            bool last = e + 1 == w->edges, cut = !last && way * w->edge[e] < way * w->time[r + 1];
            double to = cut ? w->edge[e] : w->time[r + 1];
            work[r + 1] += piece(w, r, low, last ? rows : high, at, to, &error);
            at = to;
            if (last || way * at < way * w->edge[e]) continue;
            for (low = high, e++; high < rows && way * w->time[high] < way * w->edge[e]; high++) {}
        }
    }
    return error;
}

/* By every second row: what lies between rows and is not seen makes the two differ. */
static double by_half(const struct working *w, const double *work)
{
    size_t n = (w->rows + 1) / 2;
    double *time = actio_arena_array(&w->run->problem.arena, 3 * n, sizeof *time), *power = time + n, *own = power + n,
           apart = 0;
    struct working half = *w;
    for (size_t i = 0; i < n; i++) {
        time[i] = w->time[2 * i];
        power[i] = w->power[2 * i];
    }
    half.time = time;
    half.power = power;
    half.rows = n;
    half.edges = 0;
    find_edges(&half);
    integrate(&half, own);
    for (size_t i = 0; i < n; i++) apart = fmax(apart, fabs(own[i] - work[2 * i]));
    return apart;
}

/* Where the balance fails in a few of many rows only, something short was passed over between them: the work is not
 * known then.
 * A motion that does not keep it fails wherever work is done. */
static bool few_rows_fail(const struct working *w, const double *E, const double *work)
{
    double sum = 0, squares = 0;
    for (size_t r = 0; r + 1 < w->rows; r++) {
        double d = fabs(E[r + 1] - E[r] - (work[r + 1] - work[r]));
        sum += d;
        squares += d * d;
    }
    return squares * (double)w->rows > CONCENTRATED * sum * sum;
}

/* Instants change the energy where they set the state, or what the Lagrangian and constraints have. */
static bool sets_energy(const struct actio_run *run)
{
    const struct actio_system *sys = run->problem.sys;
    bool any = sys->resets.statements && sys->is.cornered;
    for (size_t a = 0; a < sys->resets.assigns; a++) any |= sys->resets.target[a] < run->problem.ny;
    return any;
}

static bool applies(const struct actio_run *run, const struct actio_table *t)
{
    const struct actio_model *m = run->problem.model;
    bool rubs = false;
    for (size_t i = 0; i < m->constraints; i++) rubs = rubs || m->constraint[i].friction.given;
    return m->has_lagrangian && !m->field.axes && !m->contacts && !rubs && !sets_energy(run) && t->rows > 4
           && t->rows <= MOST_ROWS && !*run->problem.principle->differs && isfinite(t->energy_drift);
}

/* Power of rounding only: in equally spaced rows the polynomials stay below 2^WINDOW times its largest value, up to one
 * row outside theirs. */
static bool does_nothing(const struct working *w, double size)
{
    double first = w->time[0], span = w->time[w->rows - 1] - first, step = span / (double)(w->rows - 1), most = 0;
    for (size_t r = 0; r < w->rows; r++) {
        if (!(fabs(w->time[r] - first - (double)r * step) <= 1e-6 * fabs(step))) return false;
        most = fmax(most, fabs(w->power[r]));
    }
    return 2 * (1 << WINDOW) * most * fabs(span) <= WORKS * size;
}

void actio_run_work(struct actio_run *run, struct actio_table *t)
{
    struct working w = { .run = run, .t = t, .time = t->data[0], .rows = t->rows };
    size_t energy = actio_table_first(t, ACTIO_ROLE_ENERGY);
    if (!applies(run, t) || energy >= t->cols) return;
    w.power = actio_arena_array(&run->problem.arena, t->rows, sizeof *w.power);
    double *work = actio_arena_array(&run->problem.arena, t->rows, sizeof *work), most = 0, size = 1, off = 0;
    add_powers(&w);
    if (!add_explicit(&w) || does_nothing(&w, size)) return;
    find_edges(&w);
    double error = integrate(&w, work);
    error = fmax(error, 0.1 * by_half(&w, work)); /* of a smooth power half the rows are far worse than all of them */
    double *E = actio_arena_array(&run->problem.arena, 2 * t->rows, sizeof *E), *taken = E + t->rows;
    bool jumps = actio_run_taken(t, run->problem.motion.span < 0, taken);
    for (size_t r = 0; r < t->rows; r++) E[r] = t->data[energy][r] + (jumps ? taken[r] : 0);
    for (size_t r = 0; r < t->rows; r++) {
        most = fmax(most, fabs(work[r]));
        size = fmax(size, fabs(E[r]));
        off = fmax(off, fabs(E[r] - E[0] - work[r]));
    }
    if (off > fmax(error, WORKS * size) && few_rows_fail(&w, E, work)) error = fmax(error, off);
    if (most > WORKS * size && isfinite(off)) {
        t->energy_less_work = off;
        t->work_error = error;
    }
}

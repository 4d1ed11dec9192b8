/* SPDX-License-Identifier: Apache-2.0
 * Right-hand sides, projection and guards of a system, by its own formulas while their pivots are sound, else by
 * numeric elimination. */
#include "solve/motion_inside.h"
#include "solve/between.h"
#include "solve/slaves.h"
#include "solve/tension.h"

#include <math.h>
#include <string.h>

#define DOUBTFUL 1e-8     /* relative pivot below which the numeric elimination decides */
#define UNDEFINED 1e-6    /* multipliers lose this many digits: they are not shown */
#define WORTH_A_LOOK 0.03 /* rows ten degrees from dependent: the march looks for the smallest value in the step */
#define NUMERIC_SCALE 100 /* estimates of the numeric path are smaller for sound matrices, too */

#define QUADRATIC 1e-8 /* residuals whose square is rounding: one Newton step removes them */

/* ---- evaluating at the current point */

static inline const double *motion_evaluate(const struct actio_bound *b)
{
    if (b->lanes) actio_lanes_eval(b->lanes, b->value);
    else actio_kernel_eval(b->k, 1, b->in, b->pre, 1, b->out, b->work);
    return b->value;
}

const double *actio_bound_values(const struct actio_bound *b) { return motion_evaluate(b); }

/* Right-hand sides read the stepper's own buffers, of which there are few: each is bound once. Rates go to zdot, pivots
 * are returned. */
static inline const double *evaluate_rhs(struct actio_motion *m, double t, const double *y, double *zdot)
{
    const struct actio_bound *b = &m->at[ACTIO_Q_RHS];
    struct actio_arg *in = NULL;
    double *pivot = b->value + m->N;
    for (int i = 0; i < ACTIO_RHS_BUFFERS && !in; i++)
        if (m->rhs.y[i] == y) in = m->rhs.in[i];
    if (!in) in = actio_motion_bind_rhs(m, y);
    m->here.t = t;
    if (*m->rhs.one) {
        (*m->rhs.one)(in, b->pre, zdot, pivot);
        return pivot;
    }
    actio_kernel_eval(b->k, 1, in, b->pre, 1, b->out, b->work);
    memcpy(zdot, b->value, m->N * sizeof *zdot);
    return pivot;
}

static inline void move_to(struct actio_motion *m, double t, const double *y)
{
    m->here.t = t;
    for (size_t i = 0; i < m->ny; i++) m->here.y[i] = y[i];
}

/* Two at a time, as steppers read rates and kernels write them: so they get there without waiting for memory. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline bool motion_all_finite(const double *x, size_t n)
{
    pair sum = { 0, 0 };
    size_t i = 0;
    for (; i + 1 < n; i += 2) sum += *(const pair *)(x + i) * 0.0;
    return sum[0] + sum[1] + (i < n ? x[i] * 0 : 0) == 0;
}

/* ---- from outside */

/* Before formulas with such numbers are evaluated there. */
static inline int ask_outside(struct actio_motion *m, double t, const double *y)
{
    if (!m->outside.ask) return ACTIO_FLOW_OK;
    int status;
    size_t failed = m->outside.ask(m->outside.user, t, y, m->here.outside, &status);
    if (!failed) return ACTIO_FLOW_OK;
    m->here.outside[failed - 1] = NAN;
    m->outside.failed = failed;
    m->outside.status = status;
    m->outside.t = t;
    m->halted.why = ACTIO_STOP_OUTSIDE;
    return ACTIO_FLOW_FAILED;
}

/* ---- pivots */

/* Do any pivots of the formulas' elimination at the current point deserve a look? Also keeps the history of single
 * ones. *sign is that of det B.
 * This runs in every right-hand side: comparisons only. */
static inline bool pivots_sound(struct actio_motion *m, const double *pivot, int *sign)
{
    size_t pairs = m->watch.pairs, signs = m->watch.signs, singles = m->watch.singles;
    const double *single = pivot + 2 * pairs;
    bool sound = true, minus = false;
    for (size_t i = 0; i < pairs; i++) {
        sound &= fabs(pivot[2 * i]) >= WORTH_A_LOOK * fabs(pivot[2 * i + 1]);
        minus ^= pivot[2 * i] < 0;
    }
    for (size_t i = 0; i < singles; i++) {
        double a = fabs(single[i]);
        if (a > m->watch.size[i]) m->watch.size[i] = a;
        sound &= a >= WORTH_A_LOOK * m->watch.size[i];
        minus ^= i < signs && single[i] < 0;
    }
    *sign = minus ? -1 : 1;
    return sound;
}

/* Smallest relative pivot there. */
static double pivot_quality(struct actio_motion *m, const double *pivot, int *sign)
{
    size_t pairs = m->sys->solved.pivot_pairs, singles = m->sys->solved.pivots - 2 * pairs;
    double q = 1;
    if (pivots_sound(m, pivot, sign)) return q;
    for (size_t i = 0; i < pairs; i++) q = fmin(q, fabs(pivot[2 * i]) / fabs(pivot[2 * i + 1]));
    for (size_t i = 0; i < singles; i++)
        q = fmin(q, m->watch.size[i] > 0 ? fabs(pivot[2 * pairs + i]) / m->watch.size[i] : 0);
    return q;
}

bool actio_motion_relies(struct actio_motion *m, const double *pivot)
{
    int sign;
    return m->sys->solved.pivots == 0 || pivot_quality(m, pivot, &sign) >= DOUBTFUL;
}

static void note_quality(struct actio_motion *m, double q)
{
    if (!(q >= m->watch.quality)) m->watch.quality = q == q ? q : 0;
    if (m->watch.quality < m->watch.worst) m->watch.worst = m->watch.quality;
}

/* ---- solving at the current point */

int actio_motion_note_bad(struct actio_motion *m)
{
    m->bad.t = m->here.t;
    memcpy(m->bad.y, m->here.y, m->ny * sizeof *m->here.y);
    return ACTIO_FLOW_NAN;
}

/* Of the matrix that was factored last. */
static double numeric_quality(const struct actio_motion *m)
{
    return fmin(actio_saddle_shortest(m->saddle), NUMERIC_SCALE * actio_saddle_quality(m->saddle));
}

static int solve_numerically(struct actio_motion *m)
{
    const double *values = motion_evaluate(&m->at[ACTIO_Q_MATRIX]);
    if (!motion_all_finite(values, m->at[ACTIO_Q_MATRIX].count)) return actio_motion_note_bad(m);
    int bad = actio_saddle_factor(m->saddle, values);
    note_quality(m, numeric_quality(m));
    if (bad || actio_saddle_solve(m->saddle, m->here.zdot, m->here.lambda, m->here.reaction))
        return ACTIO_FLOW_SINGULAR;
    return motion_all_finite(m->here.zdot, m->N) ? ACTIO_FLOW_OK : ACTIO_FLOW_NAN;
}

int actio_motion_solve(struct actio_motion *m, double t, const double *y)
{
    if (actio_between_any(m)) return actio_between_solve(m, t, y, false);
    move_to(m, t, y);
    if (ask_outside(m, t, y)) return ACTIO_FLOW_FAILED;
    if (!m->rows.numeric) {
        int sign;
        const double *v = motion_evaluate(&m->at[ACTIO_Q_RHS]);
        if (pivot_quality(m, v + m->N, &sign) >= DOUBTFUL && motion_all_finite(v, m->N)) {
            v = motion_evaluate(&m->at[ACTIO_Q_SOLVE]);
            memcpy(m->here.zdot, v, m->N * sizeof *v);
            memcpy(m->here.lambda, v + m->N, m->p * sizeof *v);
            memcpy(m->here.reaction, v + m->N + m->p, m->N * sizeof *v);
            return ACTIO_FLOW_OK;
        }
    }
    return solve_numerically(m);
}

void actio_motion_undefined(struct actio_motion *m)
{
    actio_saddle_factor(m->saddle, motion_evaluate(&m->at[ACTIO_Q_MATRIX]));
    if (actio_saddle_quality(m->saddle) > UNDEFINED) return;
    actio_saddle_rank(m->saddle, m->rows.unique_here);
    for (size_t k = 0; k < m->p; k++)
        if (!m->rows.unique_here[k]) m->here.lambda[k] = NAN;
}

static inline void copy_in_pairs(const double *from, double *to, size_t n)
{
    size_t i = 0;
    for (; i + 1 < n; i += 2) *(pair *)(to + i) = *(const pair *)(from + i);
    if (i < n) to[i] = from[i];
}

int actio_motion_rhs(void *user, double t, const double *y, double *dy)
{
    struct actio_motion *m = user;
    int sign = m->watch.sign;
    m->evaluations++;
    if (ask_outside(m, t, y)) return ACTIO_FLOW_FAILED;
    if (m->chain.tension && m->rows.rank == m->p && actio_tension_rates(m, t, y, dy + m->n) == 0) {
        memcpy(dy, y + m->n, m->n * sizeof *dy);
        return ACTIO_FLOW_OK;
    }
    copy_in_pairs(y + m->n, dy, m->n);
    if (!m->rows.numeric) {
        const double *pivot = evaluate_rhs(m, t, y, dy + m->n);
        bool sound = pivots_sound(m, pivot, &sign) && sign == m->watch.sign;
        if (sound && motion_all_finite(dy + m->n, m->N)) return ACTIO_FLOW_OK;
        double q = pivot_quality(m, pivot, &sign);
        note_quality(m, sign != m->watch.sign ? 0 : q);
        if (q >= DOUBTFUL && motion_all_finite(dy + m->n, m->N)) return ACTIO_FLOW_OK;
    }
    move_to(m, t, y);
    int status = solve_numerically(m);
    memcpy(dy + m->n, m->here.zdot, m->N * sizeof *dy);
    return status;
}

/* ---- projection */

/* Residuals whose step is quadratically small afterwards need no second look. */
static bool small_enough(const double *r, size_t n, double bound)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(r[i]) <= bound)) return false;
    return true;
}

static int project_by_formulas(struct actio_motion *m, enum actio_quantity what, size_t residuals, double *z,
                               size_t length)
{
    for (int iteration = 0; iteration < 8; iteration++) {
        const double *v = motion_evaluate(&m->at[what]);
        if (!motion_all_finite(v, residuals + length)) return actio_motion_note_bad(m);
        for (size_t i = 0; i < length; i++) z[i] += v[residuals + i];
        if (small_enough(v, residuals, QUADRATIC)) return ACTIO_FLOW_OK;
    }
    return ACTIO_FLOW_OK; /* slow, but never worse than before: the error test judges the state */
}

/* Steps of positions (level 0) or of velocities and states (1) by the numeric matrix. */
static int project_level(struct actio_motion *m, int level, int most)
{
    const struct actio_system *sys = m->sys;
    size_t count = level ? sys->levels : sys->holonomic, first = level ? sys->holonomic : 0;
    const uint32_t *row = level ? sys->velocity_row : sys->position_row;
    double *z = level ? m->here.y + m->n : m->here.y;
    for (int iteration = 0; count && iteration < most; iteration++) {
        const double *residual = motion_evaluate(&m->at[ACTIO_Q_LEVELS]) + first;
        memset(m->scratch.residual, 0, m->p * sizeof *m->scratch.residual);
        for (size_t i = 0; i < count; i++) m->scratch.residual[row[i]] = residual[i];
        const double *values = motion_evaluate(&m->at[ACTIO_Q_MATRIX]);
        if (!motion_all_finite(m->scratch.residual, m->p) || !motion_all_finite(values, m->at[ACTIO_Q_MATRIX].count))
            return actio_motion_note_bad(m);
        if (iteration == 0 && !sys->field.axes) actio_saddle_note(m->saddle, values);
        if (actio_saddle_factor(m->saddle, values)) return ACTIO_FLOW_SINGULAR;
        actio_saddle_step(m->saddle, m->scratch.residual, m->scratch.step);
        for (size_t i = 0; i < (level ? m->N : m->n); i++) z[i] += m->scratch.step[i];
        if (small_enough(m->scratch.residual, m->p, QUADRATIC)) break;
    }
    return ACTIO_FLOW_OK;
}

int actio_motion_project_far(struct actio_motion *m, int most)
{
    int status = project_level(m, 0, most);
    if (!status && m->sys->field.slaves) status = actio_slaves_settle(m);
    if (!status) status = project_level(m, 1, most);
    return !status && m->sys->field.slaves ? actio_slaves_settle(m) : status;
}

static int project_numerically(struct actio_motion *m) { return actio_motion_project_far(m, 8); }

static bool formulas_hold(struct actio_motion *m)
{
    int sign;
    return m->sys->solved.pivots == 0
           || pivot_quality(m, motion_evaluate(&m->at[ACTIO_Q_RHS]) + m->N, &sign) >= DOUBTFUL;
}

/* Redundant rows that no longer agree leave a compromise behind: that is not a motion. */
static bool rows_agree(struct actio_motion *m)
{
    const struct actio_system *sys = m->sys;
    size_t count = sys->holonomic + sys->levels;
    const double *residual = motion_evaluate(&m->at[ACTIO_Q_LEVELS]), *size = residual + count;
    for (size_t i = 0; i < count; i++) {
        if (fabs(residual[i]) <= 1e-6 * size[i] + 1e-9) continue;
        m->halted.why = ACTIO_STOP_CONTRADICTION;
        m->halted.by = i < sys->holonomic ? sys->position_row[i] : sys->velocity_row[i - sys->holonomic];
        return false;
    }
    return true;
}

int actio_motion_project(void *user, double t, double *y)
{
    struct actio_motion *m = user;
    int status = ACTIO_FLOW_OK;
    move_to(m, t, y);
    if (m->rows.numeric || (m->watch.quality < DOUBTFUL && !formulas_hold(m))) status = project_numerically(m);
    else {
        if (m->sys->holonomic) status = project_by_formulas(m, ACTIO_Q_PROJECT_Q, m->sys->holonomic, m->here.y, m->n);
        if (!status && m->sys->levels)
            status = project_by_formulas(m, ACTIO_Q_PROJECT_V, m->sys->levels, m->here.y + m->n, m->N);
    }
    if (!status && m->rows.rank < m->p && !rows_agree(m)) return ACTIO_FLOW_FAILED;
    if (status == ACTIO_FLOW_SINGULAR) return ACTIO_FLOW_OK; /* a singular point is judged by `singular`, not here */
    if (!status) memcpy(y, m->here.y, m->ny * sizeof *y);
    return status;
}

int actio_motion_project_positions(struct actio_motion *m, double t, double *q)
{
    m->here.t = t;
    memcpy(m->here.y, q, m->n * sizeof *q);
    int status = m->rows.numeric ? project_level(m, 0, 8)
                                 : project_by_formulas(m, ACTIO_Q_PROJECT_Q, m->sys->holonomic, m->here.y, m->n);
    if (status == ACTIO_FLOW_OK) memcpy(q, m->here.y, m->n * sizeof *q);
    return status == ACTIO_FLOW_SINGULAR ? ACTIO_FLOW_OK : status;
}

const double *actio_motion_values(struct actio_motion *m, double t, const double *y)
{
    move_to(m, t, y);
    if (ask_outside(m, t, y)) return NULL;
    const double *values = motion_evaluate(&m->at[ACTIO_Q_MATRIX]);
    if (motion_all_finite(values, m->at[ACTIO_Q_MATRIX].count)) return values;
    actio_motion_note_bad(m);
    return NULL;
}

const double *actio_motion_quantity(struct actio_motion *m, enum actio_quantity what, double t, const double *y)
{
    move_to(m, t, y);
    if (m->at[what].asks) ask_outside(m, t, y); /* one that failed is not a number, and neither is what follows */
    return motion_evaluate(&m->at[what]);
}

const double *actio_motion_levels(struct actio_motion *m, double t, const double *y)
{
    move_to(m, t, y);
    return motion_evaluate(&m->at[ACTIO_Q_LEVELS]);
}

/* The sign of det B from here on; another one later means that a singular surface was passed. */
void actio_motion_watch(struct actio_motion *m, double t, const double *y)
{
    move_to(m, t, y);
    if (!m->rows.numeric && m->sys->solved.pivots)
        pivot_quality(m, motion_evaluate(&m->at[ACTIO_Q_RHS]) + m->N, &m->watch.sign);
}

/* ---- quality */

double actio_motion_quality(void *user)
{
    struct actio_motion *m = user;
    double q = m->watch.quality;
    m->watch.quality = 1;
    return q;
}

double actio_motion_quality_at(void *user, double t, const double *y)
{
    struct actio_motion *m = user;
    int sign;
    move_to(m, t, y);
    if (!m->rows.numeric) {
        double q = pivot_quality(m, motion_evaluate(&m->at[ACTIO_Q_RHS]) + m->N, &sign);
        if (q >= WORTH_A_LOOK) return q;
    }
    const double *values = motion_evaluate(&m->at[ACTIO_Q_MATRIX]);
    if (!motion_all_finite(values, m->at[ACTIO_Q_MATRIX].count)) return 0;
    if (!m->sys->field.axes) actio_saddle_note(m->saddle, values);
    actio_saddle_factor(m->saddle, values);
    return numeric_quality(m);
}

/* ---- Jacobian for stiff steppers: rows q' = v, then dz'/dy */

static int jacobian(void *user, double t, const double *y, double *values)
{
    struct actio_motion *m = user;
    move_to(m, t, y);
    const double *v = motion_evaluate(&m->at[ACTIO_Q_RHS_Y]);
    for (size_t i = 0; i < m->n; i++) values[i] = 1;
    memcpy(values + m->n, v, m->sys->jets.rhs_y.count * sizeof *v);
    return motion_all_finite(v, m->sys->jets.rhs_y.count) ? ACTIO_FLOW_OK : ACTIO_FLOW_NAN;
}

int actio_motion_jacobian(struct actio_motion *m)
{
    if (m->flow.jacobian) return 0;
    if (m->outside.ask) return 1; /* its slopes are not in the formulas: difference quotients serve the iteration */
    if (m->rows.numeric || actio_motion_need(m, ACTIO_Q_RHS_Y)) return 1;
    size_t count = m->n + m->sys->jets.rhs_y.count;
    m->stiff.i = actio_alloc(m->ctx, count + 1, sizeof *m->stiff.i);
    m->stiff.j = actio_alloc(m->ctx, count + 1, sizeof *m->stiff.j);
    if (!m->stiff.i || !m->stiff.j) return 1;
    for (size_t i = 0; i < m->n; i++) {
        m->stiff.i[i] = (uint32_t)i;
        m->stiff.j[i] = (uint32_t)(m->n + i);
    }
    for (size_t i = 0; i < m->sys->jets.rhs_y.count; i++) {
        m->stiff.i[m->n + i] = (uint32_t)m->n + m->sys->jets.rhs_y.row[i];
        m->stiff.j[m->n + i] = m->sys->jets.rhs_y.col[i];
    }
    m->stiff.pattern = (struct actio_pattern){ .rows = m->ny, .count = count, .i = m->stiff.i, .j = m->stiff.j };
    m->flow.pattern = &m->stiff.pattern;
    m->flow.jacobian = jacobian;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * The variational equations  X' = f_y X (+ f_a),  on the formulas of the elimination, or by solving the equations of
 * motion once more for each direction. */
#include "solve/saltation.h"
#include "solve/between.h"
#include "solve/contacts.h"
#include "solve/law.h"

#include <math.h>
#include <string.h>

#define BOUNCES 1e-12 /* the tolerance by which bounces come to rest: hardly ever */

/* out = J X with J by entries, row by row, `rows` rows; sums of a few columns at a time stay in registers. */
static inline __attribute__((always_inline)) void multiply_some(size_t some, size_t columns,
                                                                const struct actio_places *at, size_t rows,
                                                                const double *J, const double *X, double *out)
{
    size_t e = 0;
    for (size_t r = 0; r < rows; r++, out += columns) {
        double sum[4] = { 0, 0, 0, 0 };
        for (; e < at->count && at->row[e] == r; e++) {
            const double a = J[e], *from = X + at->col[e] * columns;
            for (size_t c = 0; c < some; c++) sum[c] += a * from[c];
        }
        for (size_t c = 0; c < some; c++) out[c] = sum[c];
    }
}

/* The same with entries in any order, as fields have them. */
static void multiply_scattered(size_t columns, const struct actio_places *at, size_t rows, const double *J,
                               const double *X, double *out)
{
    memset(out, 0, rows * columns * sizeof *out);
    for (size_t e = 0; e < at->count; e++)
        for (size_t c = 0; c < columns; c++) out[at->row[e] * columns + c] += J[e] * X[at->col[e] * columns + c];
}

static void multiply(const struct actio_tangent *x, const struct actio_places *at, size_t rows, const double *J,
                     const double *X, double *out)
{
    size_t columns = x->columns, done = 0;
    for (; columns - done >= 4; done += 4) multiply_some(4, columns, at, rows, J, X + done, out + done);
    switch (columns - done) {
    case 1: multiply_some(1, columns, at, rows, J, X + done, out + done); break;
    case 2: multiply_some(2, columns, at, rows, J, X + done, out + done); break;
    case 3: multiply_some(3, columns, at, rows, J, X + done, out + done); break;
    default: break;
    }
}

/* One sum suffices: a term that is not finite makes it so. */
static bool tangent_all_finite(const double *x, size_t n)
{
    double a = 0, b = 0;
    for (size_t i = 0; i + 1 < n; i += 2) {
        a += x[i] * 0;
        b += x[i + 1] * 0;
    }
    return a + b + x[n - 1] * 0 == 0;
}

/* Numbers from outside move with the state: their directions stand behind those of y. NULL: they are not known. */
static const double *widen(struct actio_tangent *x, double t, const double *y, const double *X)
{
    const struct actio_outside *out = &x->m->outside;
    size_t ny = x->ny, columns = x->columns;
    if (!out->ask) return X;
    if (!out->slopes(out->user, t, y, x->slopes, ny)) return NULL;
    memcpy(x->wide, X, ny * columns * sizeof *X);
    double *more = x->wide + ny * columns;
    memset(more, 0, x->m->sys->externals * columns * sizeof *more);
    for (size_t k = 0; k < x->m->sys->externals; k++)
        for (size_t j = 0; j < ny; j++)
            for (size_t c = 0; c < columns; c++) more[k * columns + c] += x->slopes[k * ny + j] * X[j * columns + c];
    return x->wide;
}

/* By the formulas: one kernel for rates and their derivatives. False: its pivots are not to be relied on here. */
static bool by_formulas(struct actio_tangent *x, double t, const double *Y, double *dY)
{
    struct actio_motion *m = x->m;
    size_t n = m->n, N = m->N, columns = x->columns;
    const double *v = actio_motion_quantity(m, ACTIO_Q_TANGENT, t, Y), *J = v + N + m->sys->solved.pivots,
                 *along = J + m->sys->jets.tangent.count;
    const double *X = widen(x, t, Y, Y + x->ny);
    if (!X || !actio_motion_relies(m, v + N)) return false;
    double *dX = dY + x->ny + n * columns;
    memcpy(dY + n, v, N * sizeof *dY);
    multiply(x, &m->sys->jets.tangent, N, J, X, dX);
    for (size_t i = 0; i < N && x->by_param; i++) dX[i * columns + columns - 1] += along[i];
    return true;
}

/* G dz' - D' dlambda = d(h - G z' + D' lambda),  A dz' = d(c - A z'),  direction by direction. */
static int by_equations(struct actio_tangent *x, double t, const double *Y, double *dY)
{
    struct actio_motion *m = x->m;
    size_t n = m->n, N = m->N, all = N + m->p, columns = x->columns;
    bool numeric = m->rows.numeric;
    m->rows.numeric = true; /* the factors of this point are wanted */
    int status = actio_motion_solve(m, t, Y);
    m->rows.numeric = numeric;
    if (status) return status;
    memcpy(dY + n, m->here.zdot, N * sizeof *dY);
    const double *E = actio_motion_quantity(m, ACTIO_Q_EQUATIONS_Y, t, Y), *along = E + m->sys->jets.equations_y.count;
    const double *X = widen(x, t, Y, Y + x->ny);
    double *R = x->work, *r = R + all * columns, *z = r + all;
    if (!X) return ACTIO_FLOW_FAILED;
    if (m->sys->field.axes) multiply_scattered(columns, &m->sys->jets.equations_y, all, E, X, R);
    else multiply(x, &m->sys->jets.equations_y, all, E, X, R);
    for (size_t c = 0; c < columns; c++) {
        for (size_t i = 0; i < all; i++) r[i] = R[i * columns + c] + (x->by_param && c + 1 == columns ? along[i] : 0);
        if (actio_saddle_answer(m->saddle, r, r + N, x->near, z)) return ACTIO_FLOW_SINGULAR;
        for (size_t i = 0; i < N; i++) dY[x->ny + (n + i) * columns + c] = z[i];
    }
    return ACTIO_FLOW_OK;
}

static int rhs(void *user, double t, const double *Y, double *dY)
{
    struct actio_tangent *x = user;
    size_t n = x->m->n, columns = x->columns;
    int status = ACTIO_FLOW_OK;
    x->rhs++;
    if (columns == 0) return actio_motion_rhs(x->m, t, Y, dY);
    memcpy(dY, Y + n, n * sizeof *dY);
    memcpy(dY + x->ny, Y + x->ny + n * columns, n * columns * sizeof *dY);
    if (!(x->formulas && by_formulas(x, t, Y, dY))) status = by_equations(x, t, Y, dY);
    /* the error norm covers the others */
    return status ? status : tangent_all_finite(dY, x->ny) ? ACTIO_FLOW_OK : ACTIO_FLOW_NAN;
}

static int tangent_project(void *user, double t, double *Y)
{
    return actio_motion_project(((struct actio_tangent *)user)->m, t, Y);
}

/* ---- what happens: guards see y only */

static void guard(void *user, double t, const double *y, double *g)
{
    struct actio_tangent *x = user;
    x->inner.guard(x->m, t, y, g);
}
static int side(void *user, size_t k)
{
    struct actio_tangent *x = user;
    return x->inner.side(x->m, k);
}

static int unfold(void *user, double t, const double *Y, double *y)
{
    struct actio_tangent *x = user;
    (void)t;
    memcpy(x->seen, Y, x->flow.n * sizeof *Y);
    memcpy(y, Y, x->ny * sizeof *y);
    return ACTIO_FLOW_OK;
}

static int fold(void *user, double t, const double *y, double *Y)
{
    struct actio_tangent *x = user;
    (void)t;
    memcpy(Y, x->seen, x->flow.n * sizeof *Y);
    memcpy(Y, y, x->ny * sizeof *Y);
    return ACTIO_FLOW_OK;
}

static int crossed(void *user, size_t k, double t, double *y)
{
    struct actio_tangent *x = user;
    int status = actio_saltation_meet(x, k, t, y);
    if (!status) status = x->inner.crossed(x->m, k, t, y);
    return status ? status : actio_saltation_leave(x, t, y);
}

static int tick(void *user, double t, double *y)
{
    struct actio_tangent *x = user;
    int status = actio_saltation_meet(x, SIZE_MAX, t, y);
    if (!status) status = x->inner.clock.tick(x->m, t, y);
    return status ? status : actio_saltation_leave(x, t, y);
}

static double next_tick(void *user)
{
    struct actio_tangent *x = user;
    return x->inner.clock.next(x->m);
}

static int enter(void *user, double t, double *y)
{
    struct actio_tangent *x = user;
    if (!x->begins) actio_resets_skip(x->m, t);
    int status = actio_saltation_meet(x, SIZE_MAX, t, y);
    if (!status) status = x->inner.enter(x->m, t, y);
    return status ? status : actio_saltation_leave(x, t, y);
}

/* Switches, contacts and statements. Events that are only listed are not looked at, but beside contacts. */
static struct actio_ode what_happens(struct actio_motion *m)
{
    struct actio_ode plain = { .user = m,
                               .guards = m->sys->switches.count,
                               .guard = actio_switch_guard,
                               .side = actio_switch_side,
                               .crossed = actio_switch_crossed };
    if (!actio_contacts_hard(m) && m->sys->resets.statements == 0) return plain;
    plain.guards = m->flow.guards;
    plain.watched = m->flow.watched;
    plain.guard = m->flow.guard;
    plain.side = m->flow.side;
    plain.crossed = m->flow.crossed;
    plain.enter = m->flow.enter;
    plain.way = m->flow.way;
    return actio_resets_over(m, plain);
}

static int pass_by(void *user, size_t k, double t, const double *y)
{
    (void)user;
    (void)k;
    (void)t;
    (void)y;
    return ACTIO_FLOW_OK;
}

static void lend(void *user, struct actio_sides sides)
{
    struct actio_tangent *x = user;
    x->inner.own.lend(x->m, sides);
}

static void make_flow(struct actio_tangent *x)
{
    struct actio_motion *m = x->m;
    bool restricted = m->sys->levels || m->sys->field.slaves;
    x->flow = (struct actio_ode){ .n = x->ny, .user = x, .rhs = rhs, .project = restricted ? tangent_project : NULL };
    x->inner = what_happens(m);
    if (!x->across) return;
    x->flow.known = x->ny;
    x->flow.unfold = unfold;
    x->flow.fold = fold;
    x->flow.guards = x->inner.guards;
    x->flow.watched = x->inner.watched;
    x->flow.passed = pass_by;
    x->flow.way = x->inner.way;
    x->flow.own = x->inner.own;
    if (x->inner.own.lend) x->flow.own.lend = lend;
    x->flow.guard = guard;
    x->flow.side = side;
    x->flow.crossed = crossed;
    if (x->inner.enter) x->flow.enter = enter;
    if (x->inner.clock.next) x->flow.clock = (struct actio_clock){ next_tick, tick };
}

int actio_tangent_open(struct actio_tangent *x, struct actio_context *ctx, struct actio_motion *m, size_t columns)
{
    *x = (struct actio_tangent){ .ctx = ctx, .m = m, .ny = m->ny, .most = columns, .formulas = !m->rows.numeric };
    size_t all = m->ny * (1 + columns), equations = m->N + m->p;
    if (actio_motion_make_hidden(m, m->sys->params)) return 1;
    if (x->formulas && actio_motion_need(m, ACTIO_Q_TANGENT)) return 1;
    if (actio_motion_need(m, ACTIO_Q_EQUATIONS_Y) || actio_motion_need(m, ACTIO_Q_MATRIX)) return 1;
    if (m->sys->switches.count && (actio_motion_need(m, ACTIO_Q_GUARDS) || actio_motion_need(m, ACTIO_Q_GUARDS_Y)))
        return 1;
    size_t wide = m->sys->externals ? (m->ny + m->sys->externals) * columns + m->sys->externals * m->ny : 0;
    x->block = actio_alloc(ctx, 3 * all + equations * (columns + 1) + m->N + wide + 1, sizeof(double));
    if (!x->block) return 1;
    x->seen = x->block + all;
    x->scale = x->seen + all;
    x->work = x->scale + all;
    x->wide = x->work + equations * (columns + 1) + m->N;
    x->slopes = x->wide + (m->ny + m->sys->externals) * columns;
    if (!m->sys->field.axes && actio_saltation_open(x)) return 1;
    make_flow(x);
    return 0;
}

void actio_tangent_close(struct actio_tangent *x)
{
    if (x->ctx) actio_free(x->ctx, x->block);
    x->block = NULL;
    if (x->ctx) actio_saltation_close(x);
}

void actio_tangent_direct(struct actio_tangent *x, const double *direction)
{
    struct actio_motion *m = x->m;
    static const enum actio_quantity made_of_it[] = { ACTIO_Q_TANGENT, ACTIO_Q_EQUATIONS_Y, ACTIO_Q_GUARDS_Y,
                                                      ACTIO_Q_LEVELS_Y, ACTIO_Q_RESETS_Y };
    x->by_param = direction != NULL;
    for (size_t i = 0; i < m->sys->params; i++) m->here.hidden[i] = direction ? direction[i] : 0;
    for (size_t i = 0; i < sizeof made_of_it / sizeof *made_of_it; i++)
        if (m->at[made_of_it[i]].k) actio_motion_prologue(m, made_of_it[i]);
}

/* What the absolute part of a tolerance is measured by. */
static void set_scales(struct actio_tangent *x, double local)
{
    x->flow.n = x->ny * (1 + x->columns);
    x->flow.accuracy = local;
    x->flow.scale = x->size ? x->scale : NULL;
    for (size_t i = 0; i < x->ny && x->size; i++) {
        x->scale[i] = x->size[i];
        for (size_t c = 0; c < x->columns; c++) x->scale[x->ny + i * x->columns + c] = x->size[i];
    }
}

void actio_tangent_rewind(struct actio_tangent *x)
{
    if (x->across) memcpy(x->held, x->held_first, x->m->sys->resets.held * sizeof *x->held);
}

void actio_tangent_place(struct actio_tangent *x, const double *held)
{
    if (!x->across) return;
    actio_resets_start(x->m, held);
    actio_resets_begin(x->m, x->m->sys->resets.from);
    actio_resets_start(x->m, NULL);
    const double *now = x->m->here.mode + x->m->sys->switches.count;
    memcpy(x->held_first, now, x->m->sys->resets.held * sizeof *now);
    actio_tangent_rewind(x);
}

/* Modes and held values of a piece. */
static int set_out(struct actio_tangent *x, double t, const double *y)
{
    if (!x->across) return 0;
    what_happens(x->m); /* another march may have had its own */
    actio_resets_start(x->m, x->held);
    actio_resets_attend(x->m, actio_saltation_witness(x));
    actio_saltation_begin(x);
    if (x->m->contacts) x->m->contacts->local = BOUNCES;
    return actio_motion_begin(x->m, t, y);
}

/* What it leaves to the next one. */
static int arrive(struct actio_tangent *x, int status)
{
    if (!x->across) return status;
    const double *held = x->m->here.mode + x->m->sys->switches.count;
    memcpy(x->held, held, x->m->sys->resets.held * sizeof *held);
    actio_resets_start(x->m, NULL);
    actio_resets_attend(x->m, (struct actio_reset_witness){ 0 });
    return status ? status : actio_saltation_end(x);
}

int actio_tangent_go(struct actio_tangent *x, double t0, double t1, double *y, double *X, size_t columns, double local)
{
    x->columns = X ? columns : 0;
    actio_between_refuse(x->m, x->columns > 0);
    set_scales(x, local);
    double *Y = x->across ? x->seen : x->block;
    memcpy(Y, y, x->ny * sizeof *y);
    if (X) memcpy(Y + x->ny, X, x->ny * columns * sizeof *X);
    struct actio_march_task task = {
        .stepper = &actio_dop853, .t0 = t0, .t1 = t1, .y0 = Y, .rtol = local, .atol = local, .max_steps = x->most_steps
    };
    struct actio_march_result out = { .y = x->block };
    int status = set_out(x, t0, y);
    if (!status) status = actio_march(x->ctx, &x->flow, &task, &out);
    status = arrive(x, status);
    const double *end = x->across ? x->seen : x->block;
    if (status) return status;
    memcpy(y, end, x->ny * sizeof *y);
    if (X) memcpy(X, end + x->ny, x->ny * columns * sizeof *X);
    return 0;
}

size_t actio_tangent_sample(struct actio_tangent *x, double t0, const double *y, const double *times, size_t count,
                            double *rows, double local, int *status)
{
    x->columns = 0;
    set_scales(x, local);
    struct actio_march_task task = { .stepper = &actio_dop853,
                                     .t0 = t0,
                                     .t1 = times[count - 1],
                                     .y0 = y,
                                     .rtol = local,
                                     .atol = local,
                                     .rows = { { count, times, rows, count } },
                                     .max_steps = x->most_steps };
    struct actio_march_result out = { .y = x->block };
    *status = set_out(x, t0, y);
    if (!*status) *status = actio_march(x->ctx, &x->flow, &task, &out);
    *status = arrive(x, *status);
    return out.rows;
}

int actio_tangent_derive(struct actio_tangent *x, double t, const double *y, const double *X, size_t columns,
                         double *dy, double *dX)
{
    double *Y = x->block, *dY = x->seen;
    x->columns = columns;
    x->flow.n = x->ny * (1 + columns);
    memcpy(Y, y, x->ny * sizeof *y);
    memcpy(Y + x->ny, X, x->ny * columns * sizeof *X);
    int status = rhs(x, t, Y, dY);
    memcpy(dy, dY, x->ny * sizeof *dy);
    memcpy(dX, dY + x->ny, x->ny * columns * sizeof *dX);
    return status;
}

int actio_tangent_rates(struct actio_tangent *x, double t, const double *y, double *dy)
{
    int status = actio_motion_solve(x->m, t, y);
    memcpy(dy, y + x->m->n, x->m->n * sizeof *dy);
    memcpy(dy + x->m->n, x->m->here.zdot, x->m->N * sizeof *dy);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0
 * The stiff stepper: BDF of SUNDIALS' CVODE behind the stepper's face. Linear systems are dense, or go to our own
 * sparse solver when the flow gives the pattern of its Jacobian. */
#include "native/native.h"
#include "solve/march.h"

#include <math.h>
#include <string.h>

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

enum { SPARSE_FROM = 40 }; /* smaller systems are dense */

struct cvode {
    struct actio_context *ctx;
    const struct actio_ode *flow;
    SUNContext sun;
    void *mem;
    N_Vector y, atol;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    /* sparse only, with `pattern`: the flow's entries, then the diagonal where it has none */
    struct actio_linear linear;
    struct actio_pattern pattern;
    uint32_t *i, *j;
    double *values, *entries, *y_good; /* values by pattern; entries of the flow */
    sunindextype *place;               /* of each entry of `pattern` in the matrix */
    double t, t_end;
    int bad, since;                 /* the last bad answer of a callback, and how many steps ago */
    struct actio_march_stats stats; /* of the runs before this start */
};

static void stay_silent(int code, const char *module, const char *function, char *text, void *user)
{
    (void)code;
    (void)module;
    (void)function;
    (void)text;
    (void)user;
}

/* A flow's answer for CVODE: try a shorter step, or give up. */
static int answer(struct cvode *c, int status)
{
    if (!status) return 0;
    c->bad = status;
    c->since = 0;
    return status == ACTIO_FLOW_STOPPED || status == ACTIO_FLOW_FAILED ? -1 : 1;
}

static bool cvode_all_finite(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += 0 * x[i];
    return sum == 0;
}

static int rhs(realtype t, N_Vector y, N_Vector f, void *user)
{
    struct cvode *c = user;
    int status = c->flow->rhs(c->flow->user, t, NV_DATA_S(y), NV_DATA_S(f));
    if (!status && !cvode_all_finite(NV_DATA_S(f), c->flow->n)) status = ACTIO_FLOW_NAN;
    return answer(c, status);
}

static int cvode_project(realtype t, N_Vector y, N_Vector correction, realtype eps, N_Vector err, void *user)
{
    struct cvode *c = user;
    double *from = NV_DATA_S(y), *to = NV_DATA_S(correction);
    (void)eps;
    (void)err;
    memcpy(to, from, c->flow->n * sizeof *to);
    int status = c->flow->project(c->flow->user, t, to);
    for (size_t i = 0; i < c->flow->n; i++) to[i] -= from[i];
    return answer(c, status);
}

static int jacobian(realtype t, N_Vector y, N_Vector f, SUNMatrix matrix, void *user, N_Vector a, N_Vector b,
                    N_Vector d)
{
    struct cvode *c = user;
    (void)f;
    (void)a;
    (void)b;
    (void)d;
    int status = c->flow->jacobian(c->flow->user, t, NV_DATA_S(y), c->entries);
    if (status) return answer(c, status);
    const struct actio_pattern *p = c->flow->pattern;
    bool sparse = SUNMatGetID(matrix) == SUNMATRIX_SPARSE;
    SUNMatZero(matrix);
    if (sparse) { /* zeroing a sparse matrix also clears its structure */
        sunindextype *column = SUNSparseMatrix_IndexPointers(matrix), *row = SUNSparseMatrix_IndexValues(matrix);
        for (size_t k = 0; k < c->pattern.count; k++) column[c->pattern.j[k] + 1]++;
        for (size_t k = 0; k < c->pattern.rows; k++) column[k + 1] += column[k];
        for (size_t k = 0; k < c->pattern.count; k++) row[c->place[k]] = c->pattern.i[k];
    }
    for (size_t k = 0; k < p->count; k++)
        *(sparse ? &SUNSparseMatrix_Data(matrix)[c->place[k]] : &SM_ELEMENT_D(matrix, p->i[k], p->j[k])) =
            c->entries[k];
    return 0;
}

static SUNLinearSolver_Type direct(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static int setup(SUNLinearSolver solver, SUNMatrix matrix)
{
    struct cvode *c = solver->content;
    const double *data = SUNSparseMatrix_Data(matrix);
    for (size_t k = 0; k < c->pattern.count; k++) c->values[k] = data[c->place[k]];
    return c->linear.type->factor(c->linear.h, c->values) ? SUNLS_LUFACT_FAIL : 0;
}

static int cvode_solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b, realtype tolerance)
{
    struct cvode *c = solver->content;
    (void)matrix;
    (void)tolerance;
    N_VScale(1, b, x);
    c->linear.type->solve(c->linear.h, NV_DATA_S(x), 1, false);
    return 0;
}

static int release(SUNLinearSolver solver)
{
    SUNLinSolFreeEmpty(solver); /* its content is ours */
    return 0;
}

/* The flow's pattern with the whole diagonal; `next` has room for a count a column. */
static void complete_pattern(struct cvode *c, sunindextype *next)
{
    const struct actio_pattern *p = c->flow->pattern;
    size_t n = p->rows, count = p->count;
    for (size_t k = 0; k < count; k++) {
        c->i[k] = p->i[k];
        c->j[k] = p->j[k];
        if (p->i[k] == p->j[k]) next[p->i[k]] = 1;
    }
    for (uint32_t k = 0; k < n; k++)
        if (!next[k]) {
            c->i[count] = c->j[count] = k;
            count++;
        }
    c->pattern = (struct actio_pattern){ .rows = n, .count = count, .i = c->i, .j = c->j };
}

/* Where each entry lies in a matrix stored by columns. */
static void place_entries(struct cvode *c, sunindextype *next)
{
    memset(next, 0, (c->pattern.rows + 1) * sizeof *next);
    for (size_t k = 0; k < c->pattern.count; k++) next[c->j[k] + 1]++;
    for (size_t k = 0; k < c->pattern.rows; k++) next[k + 1] += next[k];
    for (size_t k = 0; k < c->pattern.count; k++) c->place[k] = next[c->j[k]]++;
}

static bool open_pattern(struct cvode *c)
{
    size_t n = c->flow->n, most = c->flow->pattern->count + n;
    c->i = actio_alloc(c->ctx, most, sizeof *c->i);
    c->j = actio_alloc(c->ctx, most, sizeof *c->j);
    c->values = actio_alloc(c->ctx, most, sizeof *c->values);
    c->place = actio_alloc(c->ctx, most, sizeof *c->place);
    sunindextype *next = actio_alloc(c->ctx, n + 1, sizeof *next);
    bool ok = c->i && c->j && c->values && c->place && next;
    if (ok) {
        complete_pattern(c, next);
        place_entries(c, next);
    }
    actio_free(c->ctx, next);
    return ok;
}

static bool sparse_solver(struct cvode *c)
{
    sunindextype n = (sunindextype)c->flow->n;
    if (!open_pattern(c) || actio_linear_open(&c->linear, c->ctx, &c->pattern)) return false;
    c->matrix = SUNSparseMatrix(n, n, (sunindextype)c->pattern.count, CSC_MAT, c->sun);
    c->solver = SUNLinSolNewEmpty(c->sun);
    if (!c->matrix || !c->solver) return false;
    c->solver->content = c;
    c->solver->ops->gettype = direct;
    c->solver->ops->setup = setup;
    c->solver->ops->solve = cvode_solve;
    c->solver->ops->free = release;
    return true;
}

static bool dense_solver(struct cvode *c)
{
    sunindextype n = (sunindextype)c->flow->n;
    c->matrix = SUNDenseMatrix(n, n, c->sun);
    c->solver = c->matrix ? SUNLinSol_Dense(c->y, c->matrix, c->sun) : NULL;
    return c->solver != NULL;
}

static bool open_solver(struct cvode *c)
{
    const struct actio_pattern *p = c->flow->pattern;
    bool given = p && c->flow->jacobian, sparse = given && p->rows >= SPARSE_FROM && p->count < p->rows * p->rows / 4;
    if (given && !(c->entries = actio_alloc(c->ctx, p->count + 1, sizeof *c->entries))) return false;
    if (!(sparse ? sparse_solver(c) : dense_solver(c))) return false;
    if (CVodeSetLinearSolver(c->mem, c->solver, c->matrix)) return false;
    return !given || CVodeSetJacFn(c->mem, jacobian) == 0;
}

static bool open_integrator(struct cvode *c)
{
    size_t n = c->flow->n;
    if (SUNContext_Create(NULL, &c->sun)) return false;
    c->y = N_VNew_Serial((sunindextype)n, c->sun);
    c->atol = N_VNew_Serial((sunindextype)n, c->sun);
    c->y_good = actio_alloc(c->ctx, n + 1, sizeof *c->y_good);
    c->mem = CVodeCreate(CV_BDF, c->sun);
    if (!c->y || !c->atol || !c->y_good || !c->mem) return false;
    N_VConst(0, c->y);
    N_VConst(1, c->atol);
    CVodeSetErrHandlerFn(c->mem, stay_silent, NULL);
    if (CVodeInit(c->mem, rhs, 0, c->y) || CVodeSetUserData(c->mem, c) || CVodeSVtolerances(c->mem, 1e-6, c->atol))
        return false;
    CVodeSetMaxNumSteps(c->mem, -1); /* the marcher counts */
    CVodeSetMaxHnilWarns(c->mem, -1);
    if (!open_solver(c)) return false;
    return !c->flow->project
           || (CVodeSetProjFn(c->mem, cvode_project) == 0 && CVodeSetProjErrEst(c->mem, SUNFALSE) == 0);
}

static void cvode_close(void *handle)
{
    struct cvode *c = handle;
    if (!c) return;
    if (c->mem) CVodeFree(&c->mem);
    if (c->solver) SUNLinSolFree(c->solver);
    if (c->matrix) SUNMatDestroy(c->matrix);
    if (c->y) N_VDestroy(c->y);
    if (c->atol) N_VDestroy(c->atol);
    if (c->sun) SUNContext_Free(&c->sun);
    actio_linear_close(&c->linear);
    void *own[] = { c->i, c->j, c->values, c->entries, c->y_good, c->place };
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) actio_free(c->ctx, own[k]);
    actio_free(c->ctx, c);
}

static void *cvode_open(struct actio_context *ctx, const struct actio_ode *flow)
{
    struct cvode *c = actio_alloc(ctx, 1, sizeof *c);
    if (!c) return NULL;
    c->ctx = ctx;
    c->flow = flow;
    c->stats.stepper = actio_cvode.name;
    if (!open_integrator(c)) {
        cvode_close(c);
        return NULL;
    }
    return c;
}

static void cvode_stats(void *handle, struct actio_march_stats *stats)
{
    struct cvode *c = handle;
    long calls = 0, for_jacobian = 0, steps = 0, failed = 0, diverged = 0, projected = 0;
    CVodeGetNumRhsEvals(c->mem, &calls);
    CVodeGetNumLinRhsEvals(c->mem, &for_jacobian);
    CVodeGetNumSteps(c->mem, &steps);
    CVodeGetNumErrTestFails(c->mem, &failed);
    CVodeGetNumStepSolveFails(c->mem, &diverged);
    if (c->flow->project) CVodeGetNumProjEvals(c->mem, &projected);
    *stats = c->stats;
    stats->rhs += (size_t)(calls + for_jacobian);
    stats->steps += (size_t)steps;
    stats->rejected += (size_t)(failed + diverged);
    stats->projections += (size_t)projected;
    if (stats->restarts) stats->restarts--; /* the first start is not a restart */
}

static void cvode_start(void *handle, double t, const double *y, double t_end, double rtol, double atol)
{
    struct cvode *c = handle;
    size_t n = c->flow->n, restarts = c->stats.restarts;
    cvode_stats(c, &c->stats); /* CVODE forgets its counters */
    c->stats.restarts = restarts + 1;
    memcpy(NV_DATA_S(c->y), y, n * sizeof *y);
    memcpy(c->y_good, y, n * sizeof *y);
    for (size_t i = 0; i < n; i++) NV_Ith_S(c->atol, i) = atol * (c->flow->scale ? c->flow->scale[i] : 1);
    c->t = t;
    c->t_end = t_end;
    c->bad = 0;
    CVodeReInit(c->mem, t, c->y);
    CVodeSVtolerances(c->mem, rtol, c->atol);
    CVodeSetStopTime(c->mem, t_end);
    CVodeSetMaxStep(c->mem, c->flow->pacing.longest); /* 0 means no limit there, too */
}

static int status_of(const struct cvode *c, int flag)
{
    switch (flag) {
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
    case CV_LSETUP_FAIL:
    case CV_PROJFUNC_FAIL:
    case CV_REPTD_PROJFUNC_ERR: return c->bad ? c->bad : ACTIO_FLOW_FAILED;
    case CV_TOO_MUCH_WORK: return ACTIO_MARCH_TOO_MANY_STEPS;
    case CV_TOO_MUCH_ACC:
    case CV_ERR_FAILURE:
    case CV_CONV_FAILURE:
    case CV_TOO_CLOSE: return c->bad ? c->bad : ACTIO_MARCH_STEP_TO_ZERO;
    default: return ACTIO_FLOW_FAILED;
    }
}

static int cvode_step(void *handle, double *t, double *y)
{
    struct cvode *c = handle;
    size_t bytes = c->flow->n * sizeof *y;
    double reached = c->t;
    if (c->since++ > 20) c->bad = 0; /* steps that creep up to an edge may not meet it again */
    int flag = CVode(c->mem, c->t_end, c->y, &reached, CV_ONE_STEP);
    if (flag < 0) return status_of(c, flag);
    if (!cvode_all_finite(NV_DATA_S(c->y), c->flow->n)) return ACTIO_FLOW_NAN;
    if (reached == c->t) return status_of(c, CV_ERR_FAILURE);
    c->t = *t = reached;
    memcpy(c->y_good, NV_DATA_S(c->y), bytes);
    memcpy(y, c->y_good, bytes);
    return 0;
}

static void cvode_dense(void *handle, double t, double *y)
{
    struct cvode *c = handle;
    int flag = CVodeGetDky(c->mem, t, 0, c->y);
    memcpy(y, flag ? c->y_good : NV_DATA_S(c->y), c->flow->n * sizeof *y);
}

const struct actio_stepper actio_cvode = {
    .name = "cvode",
    .stiff = true,
    .open = cvode_open,
    .start = cvode_start,
    .step = cvode_step,
    .dense = cvode_dense,
    .stats = cvode_stats,
    .close = cvode_close,
};

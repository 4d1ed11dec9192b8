/* SPDX-License-Identifier: Apache-2.0
 * The disk with SUNDIALS: CVODE's Adams and BDF, ARKODE's explicit Runge-Kutta methods. Opened once, then only
 * restarted. */
#define _GNU_SOURCE
#include "rivals.h"
#include "disk.h"

#include <string.h>

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum { ADAMS, BDF, ERK5, ERK8, KINDS, MOST_STEPS = 1000000 };
static SUNContext sun;
static N_Vector y;
static void *opened[KINDS];

static int rhs_of(realtype t, N_Vector at, N_Vector f, void *user)
{
    (void)t;
    (void)user;
    disk_rhs(NV_DATA_S(at), NV_DATA_S(f));
    return 0;
}

static void stay_silent(int code, const char *module, const char *function, char *text, void *user)
{
    (void)code;
    (void)module;
    (void)function;
    (void)text;
    (void)user;
}

static void *open_cvode(int kind)
{
    void *m = CVodeCreate(kind == ADAMS ? CV_ADAMS : CV_BDF, sun);
    int bad = CVodeInit(m, rhs_of, 0, y) || CVodeSStolerances(m, 1e-6, 1e-6) || CVodeSetMaxNumSteps(m, MOST_STEPS)
              || CVodeSetErrHandlerFn(m, stay_silent, NULL);
    if (kind == ADAMS) bad = bad || CVodeSetNonlinearSolver(m, SUNNonlinSol_FixedPoint(y, 0, sun));
    else {
        SUNMatrix matrix = SUNDenseMatrix(DISK_N, DISK_N, sun);
        bad = bad || CVodeSetLinearSolver(m, SUNLinSol_Dense(y, matrix, sun), matrix);
    }
    return bad ? NULL : m;
}

static void *open_erk(int kind)
{
    void *m = ERKStepCreate(rhs_of, 0, y, sun);
    int bad = ERKStepSetTableNum(m, kind == ERK5 ? ARKODE_DORMAND_PRINCE_7_4_5 : ARKODE_FEHLBERG_13_7_8)
              || ERKStepSetMaxNumSteps(m, MOST_STEPS) || ERKStepSetErrHandlerFn(m, stay_silent, NULL);
    return bad ? NULL : m;
}

static void *ready(int kind)
{
    if (!sun) {
        if (SUNContext_Create(NULL, &sun)) return NULL;
        y = N_VNew_Serial(DISK_N, sun);
    }
    memcpy(NV_DATA_S(y), disk_start, sizeof disk_start);
    if (!opened[kind]) opened[kind] = kind <= BDF ? open_cvode(kind) : open_erk(kind);
    return opened[kind];
}

static int run_cvode(int kind, double tol, bench_note note, long *rhs)
{
    void *m = ready(kind);
    realtype t = 0;
    long more = 0;
    if (!m || CVodeReInit(m, 0, y) || CVodeSStolerances(m, tol, tol) || CVodeSetStopTime(m, DISK_END)) return 1;
    while (t < DISK_END) {
        if (CVode(m, DISK_END, y, &t, note ? CV_ONE_STEP : CV_NORMAL) < 0) return 1;
        if (note) note(t, NV_DATA_S(y));
    }
    CVodeGetNumRhsEvals(m, rhs);
    if (kind == BDF) CVodeGetNumLinRhsEvals(m, &more); /* the difference quotients of its Jacobian */
    *rhs += more;
    return 0;
}

static int run_erk(int kind, double tol, bench_note note, long *rhs)
{
    void *m = ready(kind);
    realtype t = 0;
    if (!m || ERKStepReInit(m, rhs_of, 0, y) || ERKStepSStolerances(m, tol, tol) || ERKStepSetStopTime(m, DISK_END))
        return 1;
    while (t < DISK_END) {
        if (ERKStepEvolve(m, DISK_END, y, &t, note ? ARK_ONE_STEP : ARK_NORMAL) < 0) return 1;
        if (note) note(t, NV_DATA_S(y));
    }
    return ERKStepGetNumRhsEvals(m, rhs);
}

int bench_adams(double tol, bench_note note, long *rhs) { return run_cvode(ADAMS, tol, note, rhs); }
int bench_bdf(double tol, bench_note note, long *rhs) { return run_cvode(BDF, tol, note, rhs); }
int bench_erk5(double tol, bench_note note, long *rhs) { return run_erk(ERK5, tol, note, rhs); }
int bench_erk8(double tol, bench_note note, long *rhs) { return run_erk(ERK8, tol, note, rhs); }

/* SPDX-License-Identifier: Apache-2.0
 * References: a motion across its events, conditions at the end, and how rounding grows. */
#include "truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 400000, CHECKPOINTS = 4 };
#define SHIFT 1e-18 /* of states and of time, for difference quotients: linear and exact enough at growths up to 1e12 */

static struct taylor series;

static bool is_zero(const dd *c) { return dd_size(c[0]) <= 1e-24 * (dd_size(c[1]) + dd_size(c[2]) + 1); }

/* The first event before `end` (units): its guard, or -1. */
static int first_event(const struct tape *tape, double end, dd *x, double *nearest)
{
    int found = -1;
    double first = end;
    for (int g = 0; g < tape->guards; g++) {
        const dd *c = series.coefficient[tape->guard[g]];
        dd root;
        double near = HUGE_VAL;
        if (taylor_root(c, first, is_zero(c), &root, &near) && root.h <= first) {
            found = g;
            first = root.h;
            *x = root;
        }
        *nearest = fmin(*nearest, near);
    }
    return found;
}

struct leg {
    dd t, y[TAYLOR_STATES];
    int mode;
};

static void write_row(const struct problem *p, const struct tape *tape, struct truth_rows *rows, int row, dd x)
{
    for (int c = 0; c < p->columns; c++) rows->value[row][c] = taylor_value(series.coefficient[tape->column[c]], x);
}

/* From a state to the end; rows from the first at or after it. Copies of the state at every row that `keep` has room
 * for. The time of the formulas is `late` behind that of the rows. */
static bool travel(struct problem *p, struct leg at, dd late, struct truth_rows *rows, struct leg *keep, int every)
{
    int row = 0;
    double unit = 1e-2, end = rows->time[TRUTH_ROWS - 1];
    while (row < TRUTH_ROWS && rows->time[row] < at.t.h) row++;
    p->events = 0;
    for (long step = 0; step < MOST_STEPS; step++) {
        const struct tape *tape = &p->tape[at.mode];
        double left = dd_value(dd_sub(dd_of(end), at.t)), h, limit = HUGE_VAL;
        taylor_expand(&series, tape, dd_add(at.t, late), at.y, unit);
        h = taylor_step(&series);
        if (!(h > 0)) return false;
        if (p->limit) limit = p->limit(p, at.t, at.y);
        bool last = false;
        if (h > limit) h = limit;
        if (h >= left) {
            h = left;
            last = true;
        }
        dd x = dd_of(h / unit);
        if (last) x = dd_div(dd_sub(dd_of(end), at.t), dd_of(unit));
        int guard = first_event(tape, x.h, &x, &rows->nearest);
        dd next = dd_add(at.t, dd_scale(x, unit));
        for (; row < TRUTH_ROWS && (rows->time[row] <= next.h || (last && guard < 0)); row++) {
            dd place = dd_div(dd_sub(dd_of(rows->time[row]), at.t), dd_of(unit));
            write_row(p, tape, rows, row, place);
            if (keep && row % every == 0) {
                struct leg *kept = &keep[row / every];
                kept->t = dd_of(rows->time[row]);
                kept->mode = at.mode;
                for (int i = 0; i < tape->states; i++) kept->y[i] = taylor_value(series.y[i], place);
            }
        }
        for (int i = 0; i < tape->states; i++) at.y[i] = taylor_value(series.y[i], x);
        at.t = next;
        rows->steps++;
        if (guard < 0 && last) return true;
        unit = h;
        if (guard < 0) continue;
        at.mode = p->cross(p, at.mode, guard, dd_add(at.t, late), at.y);
        rows->events++;
        if (at.mode < 0 || ++p->events > p->most_events) return false;
    }
    return false;
}

static bool from_start(struct problem *p, const dd *start, dd late, struct truth_rows *rows, struct leg *keep,
                       int every)
{
    struct leg at = { .mode = p->mode };
    memcpy(at.y, start, sizeof at.y);
    return travel(p, at, late, rows, keep, every);
}

/* ---- conditions at the end: Newton's method on the free initial values, slopes by differences */

static bool solve_small(int n, dd a[4][4], dd *b)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (dd_size(a[i][k]) > dd_size(a[pivot][k])) pivot = i;
        if (a[pivot][k].h == 0) return false;
        for (int j = 0; j < n; j++) {
            dd swap = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = swap;
        }
        dd swap = b[k];
        b[k] = b[pivot];
        b[pivot] = swap;
        for (int i = k + 1; i < n; i++) {
            dd f = dd_div(a[i][k], a[k][k]);
            for (int j = k; j < n; j++) a[i][j] = dd_sub(a[i][j], dd_mul(f, a[k][j]));
            b[i] = dd_sub(b[i], dd_mul(f, b[k]));
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] = dd_sub(b[k], dd_mul(a[k][j], b[j]));
        b[k] = dd_div(b[k], a[k][k]);
    }
    return true;
}

static bool meet_conditions(struct problem *p, dd *start, const dd *aim, dd late, struct truth_rows *rows)
{
    int n = p->conditions;
    if (n == 0) return from_start(p, start, late, rows, NULL, 1);
    static struct truth_rows moved;
    memcpy(moved.time, rows->time, sizeof moved.time);
    for (int round = 0; round < 60; round++) {
        if (!from_start(p, start, late, rows, NULL, 1)) return false;
        dd off[4], slope[4][4];
        double worst = 0;
        for (int i = 0; i < n; i++) {
            dd value = rows->value[TRUTH_ROWS - 1][p->required[i]];
            off[i] = dd_sub(aim[i], value);
            worst = fmax(worst, dd_size(off[i]) / fmax(1, dd_size(value)));
        }
        if (worst < 1e-27) return true;
        for (int j = 0; j < n; j++) {
            dd other[TAYLOR_STATES];
            memcpy(other, start, sizeof other);
            double shift = 1e-13 * fmax(1, dd_size(start[p->free[j]]));
            other[p->free[j]] = dd_add(other[p->free[j]], dd_of(shift));
            if (!from_start(p, other, late, &moved, NULL, 1)) return false;
            for (int i = 0; i < n; i++)
                slope[i][j] = dd_div(
                    dd_sub(moved.value[TRUTH_ROWS - 1][p->required[i]], rows->value[TRUTH_ROWS - 1][p->required[i]]),
                    dd_of(shift));
        }
        if (!solve_small(n, slope, off)) return false;
        for (int j = 0; j < n; j++) start[p->free[j]] = dd_add(start[p->free[j]], off[j]);
    }
    return false;
}

/* ---- growth: the effect of one ulp in each of the data */

static void add_growth(const struct problem *p, const struct truth_rows *rows, const struct truth_rows *moved,
                       double ulps, double growth[TRUTH_ROWS][TAYLOR_COLUMNS], double from)
{
    for (int r = 0; r < TRUTH_ROWS; r++)
        for (int c = 0; c < p->columns && rows->time[r] >= from; c++)
            growth[r][c] += fabs(dd_value(dd_sub(moved->value[r][c], rows->value[r][c]))) * ulps;
}

static void note_growth(const struct problem *p, struct truth_rows *rows, double growth[TRUTH_ROWS][TAYLOR_COLUMNS])
{
    double size[TAYLOR_COLUMNS];
    for (int c = 0; c < p->columns; c++) size[c] = 1;
    for (int r = 0; r < TRUTH_ROWS; r++)
        for (int c = 0; c < p->columns; c++) {
            size[c] = fmax(size[c], dd_size(rows->value[r][c]));
            rows->growth[r] = fmax(rows->growth[r], growth[r][c] / size[c]);
        }
}

static bool growth_from(struct problem *p, const struct truth_rows *rows, const struct leg *leg,
                        double growth[TRUTH_ROWS][TAYLOR_COLUMNS])
{
    static struct truth_rows moved;
    int states = p->tape[leg->mode].states;
    for (int i = 0; i <= states; i++) {
        struct leg at = *leg;
        moved = *rows;
        double size = i < states ? dd_size(at.y[i]) : fmax(rows->time[TRUTH_ROWS - 1], 1),
               shift = SHIFT * fmax(size, 1e-3);
        if (i < states) at.y[i] = dd_add(at.y[i], dd_of(shift));
        if (!travel(p, at, dd_of(i < states ? 0 : shift), &moved, NULL, 1)) return false;
        add_growth(p, rows, &moved, 0x1p-53 * size / shift, growth, leg->t.h);
    }
    return true;
}

static bool growth_of_conditions(struct problem *p, const struct truth_rows *rows, const dd *start,
                                 double growth[TRUTH_ROWS][TAYLOR_COLUMNS])
{
    static struct truth_rows moved;
    int states = p->tape[0].states;
    for (int i = 0; i < states + p->conditions; i++) {
        dd other[TAYLOR_STATES], aim[4];
        memcpy(other, start, sizeof other);
        memcpy(aim, p->aim, sizeof aim);
        dd *x = i < states ? &other[i] : &aim[i - states];
        double size = dd_size(*x), shift = SHIFT * fmax(size, 1e-3);
        *x = dd_add(*x, dd_of(shift));
        moved = *rows;
        if (!meet_conditions(p, other, aim, dd_of(0), &moved)) return false;
        add_growth(p, rows, &moved, 0x1p-53 * size / shift, growth, 0);
    }
    return true;
}

static void choose_times(const struct problem *p, struct truth_rows *rows) /* as the library has them */
{
    memset(rows, 0, sizeof *rows);
    rows->nearest = HUGE_VAL;
    for (int r = 0; r < TRUTH_ROWS; r++)
        rows->time[r] = r + 1 == TRUTH_ROWS ? p->end : p->end * ((double)r / (double)(TRUTH_ROWS - 1));
}

double truth_end(struct problem *p, int column)
{
    static struct truth_rows rows;
    choose_times(p, &rows);
    return from_start(p, p->start, dd_of(0), &rows, NULL, 1) ? dd_value(rows.value[TRUTH_ROWS - 1][column]) : 0;
}

bool truth_reference(struct problem *p, struct truth_rows *rows)
{
    static double growth[TRUTH_ROWS][TAYLOR_COLUMNS], part[TRUTH_ROWS][TAYLOR_COLUMNS];
    struct leg keep[TRUTH_ROWS];
    dd start[TAYLOR_STATES];
    int every = (TRUTH_ROWS - 1) / CHECKPOINTS;
    memset(growth, 0, sizeof growth);
    memcpy(start, p->start, sizeof start);
    choose_times(p, rows);
    if (p->conditions) {
        if (!meet_conditions(p, start, p->aim, dd_of(0), rows) || !growth_of_conditions(p, rows, start, growth))
            return false;
        note_growth(p, rows, growth);
        return true;
    }
    if (!from_start(p, start, dd_of(0), rows, keep, every)) return false;
    for (int k = 0; k < CHECKPOINTS; k++) {
        memset(part, 0, sizeof part);
        if (!growth_from(p, rows, &keep[k], part)) return false;
        for (int r = 0; r < TRUTH_ROWS; r++)
            for (int c = 0; c < p->columns; c++) growth[r][c] = fmax(growth[r][c], part[r][c]);
    }
    note_growth(p, rows, growth);
    return true;
}

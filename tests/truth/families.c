/* SPDX-License-Identifier: Apache-2.0
 * The families of random problems, and their ranges. Each writes a model and its reference side by side. The ranges
 * stay as they are, so that tables of different versions can be compared. */
#include "truth.h"

#include <stdio.h>
#include <string.h>

/* ---- formulas, on the tape at hand */

static struct tape *T;

static void begin_tape(struct problem *p, int states)
{
    T = &p->tape[p->tapes++];
    T->states = states;
}
static node num(dd x) { return tape_number(T, x); }
static node whole(double x) { return num(dd_of(x)); }
static node st(int i) { return tape_state(T, i); }
static node now(void) { return tape_time(T); }
static node add(node a, node b) { return tape_two(T, TAYLOR_ADD, a, b); }
static node sub(node a, node b) { return tape_two(T, TAYLOR_SUB, a, b); }
static node mul(node a, node b) { return tape_two(T, TAYLOR_MUL, a, b); }
static node over(node a, node b) { return tape_two(T, TAYLOR_DIV, a, b); }
static node neg(node a) { return mul(whole(-1), a); }
static node sq(node a) { return mul(a, a); }
static node sine(node a) { return tape_one(T, TAYLOR_SIN, a); }
static node cosine(node a) { return sine(a) + 1; }
static node expo(node a) { return tape_one(T, TAYLOR_EXP, a); }
static void rate(int i, node a) { T->rate[i] = a; }
static void shown(node a) { T->column[T->columns++] = a; }
static void guarded(node a) { T->guard[T->guards++] = a; }

static void end_at(struct problem *p, double low, double high, long places)
{
    struct literal end = truth_literal(p, low, high, places);
    p->end = end.value.h;
    truth_say(p, "time 0 .. %s\n", end.text);
}

static dd dd_sine(dd a)
{
    dd s, c;
    dd_sincos(a, &s, &c);
    return s;
}
static dd dd_cosine(dd a)
{
    dd s, c;
    dd_sincos(a, &s, &c);
    return c;
}

/* ---- planar orbits */

/* 1/r^3 and 1/r of (x, y) */
static void inverse_distances(node x, node y, node *cube, node *one)
{
    node r2 = add(sq(x), sq(y)), r = tape_one(T, TAYLOR_SQRT, r2);
    *one = over(whole(1), r);
    *cube = over(*one, r2);
}

/* Restricted three-body problem in rotating axes, from 0.1 to 1.5 away from the masses, 2 to 20 long. */
static void make_passages(struct problem *p)
{
    struct literal mu = truth_literal(p, .01, .5, 4), s[4];
    double d1, d2;
    do {
        s[0] = truth_literal(p, -1.2, 1.2, 3);
        s[1] = truth_literal(p, -.9, .9, 3);
        d1 = hypot(s[0].value.h + mu.value.h, s[1].value.h);
        d2 = hypot(s[0].value.h - 1 + mu.value.h, s[1].value.h);
    } while (d1 < .1 || d2 < .1);
    s[2] = truth_literal(p, -1.2, 1.2, 3);
    s[3] = truth_literal(p, -1.2, 1.2, 3);
    truth_say(p, "param mu = %s\ncoord x, y\n", mu.text);
    truth_say(p, "lagrangian ((x' - y)^2 + (y' + x)^2)/2 + (1 - mu)/sqrt((x + mu)^2 + y^2)"
                 " + mu/sqrt((x - 1 + mu)^2 + y^2)\n");
    truth_say(p, "start x = %s, y = %s, x' = %s, y' = %s\n", s[0].text, s[1].text, s[2].text, s[3].text);
    end_at(p, 2, 20, 2);
    for (int i = 0; i < 4; i++) p->start[i] = s[i].value;
    begin_tape(p, 4);
    node x = st(0), y = st(1), u = st(2), v = st(3), m = num(mu.value), rest = sub(whole(1), m);
    node xa = add(x, m), xb = sub(xa, whole(1)), cube_a, cube_b, one_a, one_b;
    inverse_distances(xa, y, &cube_a, &one_a);
    inverse_distances(xb, y, &cube_b, &one_b);
    node ka = mul(rest, cube_a), kb = mul(m, cube_b);
    rate(0, u);
    rate(1, v);
    rate(2, sub(add(mul(whole(2), v), x), add(mul(ka, xa), mul(kb, xb))));
    rate(3, sub(sub(y, mul(whole(2), u)), mul(add(ka, kb), y)));
    node kinetic = over(sub(add(sq(u), sq(v)), add(sq(x), sq(y))), whole(2));
    for (int i = 0; i < 4; i++) shown(st(i));
    shown(sub(kinetic, add(mul(rest, one_a), mul(m, one_b))));
    truth_column(p, "x");
    truth_column(p, "y");
    truth_column(p, "x_dot");
    truth_column(p, "y_dot");
    truth_column(p, "energy");
}

/* Kepler's ellipse of eccentricity 0.5 to 0.9995 from its far end, half a turn to five turns. */
static void make_kepler(struct problem *p)
{
    struct literal e = truth_literal(p, .5, .9995, 4);
    truth_say(p, "param e = %s\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)\n", e.text);
    truth_say(p, "start x = -1 - e, y' = -sqrt((1 - e)/(1 + e))\n");
    end_at(p, 3.2, 32, 2);
    dd one = dd_of(1), plus = dd_add(one, e.value);
    p->start[0] = dd_neg(plus);
    p->start[3] = dd_neg(dd_sqrt(dd_div(dd_sub(one, e.value), plus)));
    begin_tape(p, 4);
    node x = st(0), y = st(1), cube, inverse;
    inverse_distances(x, y, &cube, &inverse);
    rate(0, st(2));
    rate(1, st(3));
    rate(2, neg(mul(cube, x)));
    rate(3, neg(mul(cube, y)));
    for (int i = 0; i < 4; i++) shown(st(i));
    shown(sub(over(add(sq(st(2)), sq(st(3))), whole(2)), inverse));
    truth_column(p, "x");
    truth_column(p, "y");
    truth_column(p, "x_dot");
    truth_column(p, "y_dot");
    truth_column(p, "energy");
}

/* Henon and Heiles's potential at bounded energies, 10 to 200 long. */
static void make_henon(struct problem *p)
{
    struct literal s[4];
    double V, E;
    do {
        for (int i = 0; i < 4; i++) s[i] = truth_literal(p, -.5, .5, 3);
        double x = s[0].value.h, y = s[1].value.h;
        V = (x * x + y * y) / 2 + x * x * y - y * y * y / 3;
        E = V + (s[2].value.h * s[2].value.h + s[3].value.h * s[3].value.h) / 2;
    } while (E > 1.0 / 6 || E < .02);
    truth_say(p, "coord x, y\nlagrangian (x'^2 + y'^2 - x^2 - y^2)/2 - x^2*y + y^3/3\n");
    truth_say(p, "start x = %s, y = %s, x' = %s, y' = %s\n", s[0].text, s[1].text, s[2].text, s[3].text);
    end_at(p, 10, 200, 1);
    for (int i = 0; i < 4; i++) p->start[i] = s[i].value;
    begin_tape(p, 4);
    node x = st(0), y = st(1), xy = mul(x, y);
    rate(0, st(2));
    rate(1, st(3));
    rate(2, neg(add(x, mul(whole(2), xy))));
    rate(3, sub(sub(sq(y), sq(x)), y));
    for (int i = 0; i < 4; i++) shown(st(i));
    truth_column(p, "x");
    truth_column(p, "y");
    truth_column(p, "x_dot");
    truth_column(p, "y_dot");
}

/* ---- pendulums of rods: references in angles from the vertical, models in angles or in places of the masses */

struct rods {
    int n;
    struct literal m[3], l[3], a[3], w[3];
    node sin[3], cos[3], acceleration[3], px[3], py[3], vx[3], vy[3], ax[3], ay[3];
};
#define GRAVITY dd_decimal(981, 2)

static void rods_solve(struct rods *r)
{
    int n = r->n;
    node M[3][3], b[3];
    for (int i = 0; i < n; i++) {
        node load = num(r->m[i].value);
        for (int k = i + 1; k < n; k++) load = add(load, num(r->m[k].value));
        b[i] = neg(mul(mul(load, num(dd_mul(GRAVITY, r->l[i].value))), r->sin[i]));
        for (int j = 0; j < n; j++) {
            int later = i > j ? i : j;
            dd mass = dd_of(0);
            for (int k = later; k < n; k++) mass = dd_add(mass, r->m[k].value);
            node factor = num(dd_mul(mass, dd_mul(r->l[i].value, r->l[j].value)));
            node c = add(mul(r->cos[i], r->cos[j]), mul(r->sin[i], r->sin[j]));
            node s = sub(mul(r->sin[i], r->cos[j]), mul(r->cos[i], r->sin[j]));
            M[i][j] = i == j ? factor : mul(factor, c);
            if (i != j) b[i] = sub(b[i], mul(mul(factor, s), sq(st(n + j))));
        }
    }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            node f = over(M[i][k], M[k][k]);
            for (int j = k + 1; j < n; j++) M[i][j] = sub(M[i][j], mul(f, M[k][j]));
            b[i] = sub(b[i], mul(f, b[k]));
        }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] = sub(b[k], mul(M[k][j], r->acceleration[j]));
        r->acceleration[k] = over(b[k], M[k][k]);
    }
}

static void rods_places(struct rods *r)
{
    for (int i = 0; i < r->n; i++) {
        node l = num(r->l[i].value), w = st(r->n + i), ww = sq(w), a = r->acceleration[i];
        node x = mul(l, r->sin[i]), y = neg(mul(l, r->cos[i])), vx = neg(mul(w, y)), vy = mul(w, x);
        node ax = sub(neg(mul(a, y)), mul(ww, x)), ay = sub(mul(a, x), mul(ww, y));
        r->px[i] = i ? add(r->px[i - 1], x) : x;
        r->py[i] = i ? add(r->py[i - 1], y) : y;
        r->vx[i] = i ? add(r->vx[i - 1], vx) : vx;
        r->vy[i] = i ? add(r->vy[i - 1], vy) : vy;
        r->ax[i] = i ? add(r->ax[i - 1], ax) : ax;
        r->ay[i] = i ? add(r->ay[i - 1], ay) : ay;
    }
}

/* Multipliers of (r_i - r_{i-1})^2 = l_i^2, from the free end. */
static void rods_multipliers(const struct rods *r, node *lambda)
{
    node g = num(GRAVITY);
    for (int i = r->n - 1; i >= 0; i--) {
        node dx = i ? sub(r->px[i], r->px[i - 1]) : r->px[i], dy = i ? sub(r->py[i], r->py[i - 1]) : r->py[i];
        node m = num(r->m[i].value);
        node along = mul(m, add(mul(r->ax[i], dx), mul(add(r->ay[i], g), dy)));
        if (i + 1 < r->n) {
            node ex = sub(r->px[i + 1], r->px[i]), ey = sub(r->py[i + 1], r->py[i]);
            along = add(along, mul(mul(whole(2), lambda[i + 1]), add(mul(ex, dx), mul(ey, dy))));
        }
        lambda[i] = over(along, num(dd_scale(dd_mul(r->l[i].value, r->l[i].value), 2)));
    }
}

static void rods_in_angles(struct problem *p, struct rods *r)
{
    truth_say(p, "coord a1%s%s\n", r->n > 1 ? ", a2" : "", r->n > 2 ? ", a3" : "");
    for (int i = 1; i <= r->n; i++) {
        truth_say(p, "let x%d = %s%s*sin(a%d)\n", i, i > 1 ? i > 2 ? "x2 + " : "x1 + " : "", r->l[i - 1].text, i);
        truth_say(p, "let y%d = %s-%s*cos(a%d)\n", i, i > 1 ? i > 2 ? "y2 " : "y1 " : "", r->l[i - 1].text, i);
    }
    for (int i = 1; i <= r->n; i++)
        truth_say(p, "lagrangian %s*((x%d'^2 + y%d'^2)/2 - 9.81*y%d)\n", r->m[i - 1].text, i, i, i);
    for (int i = 1; i <= r->n; i++)
        truth_say(p, "start a%d = %s, a%d' = %s\n", i, r->a[i - 1].text, i, r->w[i - 1].text);
    for (int i = 0; i < 2 * r->n; i++) {
        char name[24];
        shown(st(i));
        snprintf(name, sizeof name, "a%d%s", i % r->n + 1, i < r->n ? "" : "_dot");
        truth_column(p, name);
    }
}

static void rods_in_places(struct problem *p, struct rods *r)
{
    node lambda[3];
    int n = r->n;
    static const char *const with[] = { "x", "y" };
    truth_say(p, "coord x1, y1, x2, y2%s\n", n > 2 ? ", x3, y3" : "");
    for (int i = 1; i <= n; i++)
        truth_say(p, "lagrangian %s*((x%d'^2 + y%d'^2)/2 - 9.81*y%d)\n", r->m[i - 1].text, i, i, i);
    for (int i = 1; i <= n; i++) {
        if (i == 1) truth_say(p, "constraint rod1: x1^2 + y1^2 = %s^2\n", r->l[0].text);
        else
            truth_say(p, "constraint rod%d: (x%d - x%d)^2 + (y%d - y%d)^2 = %s^2\n", i, i, i - 1, i, i - 1,
                      r->l[i - 1].text);
    }
    char sum[4][400] = { "", "", "", "" };
    for (int i = 0; i < n; i++) {
        const char *l = r->l[i].text, *a = r->a[i].text, *w = r->w[i].text;
        size_t used[4];
        for (int k = 0; k < 4; k++) used[k] = strlen(sum[k]);
        snprintf(sum[0] + used[0], sizeof sum[0] - used[0], " + %s*sin(%s)", l, a);
        snprintf(sum[1] + used[1], sizeof sum[1] - used[1], " - %s*cos(%s)", l, a);
        snprintf(sum[2] + used[2], sizeof sum[2] - used[2], " + %s*(%s)*cos(%s)", l, w, a);
        snprintf(sum[3] + used[3], sizeof sum[3] - used[3], " + %s*(%s)*sin(%s)", l, w, a);
        truth_say(p, "start x%d = 0%s, y%d = 0%s, x%d' = 0%s, y%d' = 0%s\n", i + 1, sum[0], i + 1, sum[1], i + 1,
                  sum[2], i + 1, sum[3]);
    }
    rods_multipliers(r, lambda);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n; i++)
            for (int c = 0; c < 2; c++) {
                char name[24];
                snprintf(name, sizeof name, "%s%d%s", with[c], i + 1, k ? "_dot" : "");
                shown(k ? (c ? r->vy[i] : r->vx[i]) : (c ? r->py[i] : r->px[i]));
                truth_column(p, name);
            }
    for (int i = 0; i < n; i++) {
        char name[24];
        snprintf(name, sizeof name, "lambda.rod%d", i + 1);
        shown(lambda[i]);
        truth_column(p, name);
    }
}

static void make_rods(struct problem *p, int n, bool places, double high)
{
    struct rods r = { .n = n };
    for (int i = 0; i < n; i++) {
        r.m[i] = truth_literal(p, .3, 2, 2);
        r.l[i] = truth_literal(p, .4, 1.5, 2);
        r.a[i] = truth_literal(p, -3, 3, 2);
        r.w[i] = truth_literal(p, -2, 2, 2);
        p->start[i] = r.a[i].value;
        p->start[n + i] = r.w[i].value;
    }
    begin_tape(p, 2 * n);
    for (int i = 0; i < n; i++) {
        r.sin[i] = sine(st(i));
        r.cos[i] = r.sin[i] + 1;
    }
    rods_solve(&r);
    for (int i = 0; i < n; i++) {
        rate(i, st(n + i));
        rate(n + i, r.acceleration[i]);
    }
    rods_places(&r);
    (places ? rods_in_places : rods_in_angles)(p, &r);
    end_at(p, 1, high, 2);
}

static void make_pendulum2(struct problem *p) { make_rods(p, 2, false, 20); }
static void make_pendulum2_places(struct problem *p) { make_rods(p, 2, true, 15); }
static void make_pendulum3(struct problem *p) { make_rods(p, 3, false, 10); }
static void make_pendulum3_places(struct problem *p) { make_rods(p, 3, true, 8); }

/* ---- narrow features */

static double near_pulses(const struct problem *p, dd t, const dd *y)
{
    double step = HUGE_VAL;
    (void)y;
    for (int k = 0; k < p->numbers; k += 2) {
        double place = p->number[k], width = p->number[k + 1], away = place - t.h;
        if (fabs(away) < 13 * width) step = fmin(step, width / 3);
        else if (away > 0) step = fmin(step, away - 12.9 * width);
    }
    return step;
}

/* An oscillator with 1 to 20 Gaussian kicks of width 1e-6 to 1 and an impulse of 0.05 to 2. */
static void make_pulses_in_time(struct problem *p)
{
    struct literal k = truth_literal(p, .2, 9, 2), d = truth_literal(p, 0, .3, 2);
    int pulses = (int)truth_uniform(p, 0, 1.999) ? 1 : 1 + (int)truth_uniform(p, 0, 19.99);
    struct literal start = truth_literal(p, -1, 1, 2), end = truth_literal(p, 5, 30, 1);
    truth_say(p, "coord x\nlagrangian x'^2/2 - %s*x^2/2\nforce x = -%s*x'\nstart x = %s\ntime 0 .. %s\n", k.text,
              d.text, start.text, end.text);
    p->start[0] = start.value;
    p->end = end.value.h;
    begin_tape(p, 2);
    node force = sub(neg(mul(num(k.value), st(0))), mul(num(d.value), st(1)));
    struct literal width = truth_small(p, 1e-6, 1);
    for (int i = 0; i < pulses; i++) {
        struct literal at = truth_literal(p, .3, p->end - .3, 3), impulse = truth_literal(p, .05, 2, 2);
        dd height = dd_div(impulse.value, dd_mul(width.value, dd_sqrt(DD_PI)));
        truth_say(p, "force x = %s/(%s*sqrt(pi))*exp(-((t - %s)/%s)^2)\n", impulse.text, width.text, at.text,
                  width.text);
        node u = over(sub(now(), num(at.value)), num(width.value));
        force = add(force, mul(num(height), expo(neg(sq(u)))));
        p->number[p->numbers++] = at.value.h;
        p->number[p->numbers++] = width.value.h;
    }
    p->limit = near_pulses;
    rate(0, st(1));
    rate(1, force);
    shown(st(0));
    shown(st(1));
    truth_column(p, "x");
    truth_column(p, "x_dot");
}

static double near_ridges(const struct problem *p, dd t, const dd *y)
{
    double step = HUGE_VAL, v = fabs(y[1].h) + 1e-9, a = fabs(y[0].h) * 4 + 2;
    (void)t;
    for (int k = 0; k < p->numbers; k += 2) {
        double width = p->number[k + 1], away = fmax(fabs(y[0].h - p->number[k]) / 8, width / 4);
        step = fmin(step, fmin(away / v, sqrt(2 * away / a)));
    }
    return step;
}

/* An oscillator across 1 to 4 Gaussian ridges or hollows in space of width 1e-6 to 1, no higher than the energy. */
static void make_ridges(struct problem *p)
{
    struct literal d = truth_literal(p, 0, .1, 2), x0 = truth_literal(p, .9, 1.5, 2), v0 = truth_literal(p, -1, 1, 2);
    int ridges = 1 + (int)truth_uniform(p, 0, 3.99);
    truth_say(p, "coord x\nforce x = -%s*x'\nstart x = %s, x' = %s\n", d.text, x0.text, v0.text);
    end_at(p, 2, 20, 1);
    p->start[0] = x0.value;
    p->start[1] = v0.value;
    begin_tape(p, 2);
    node force = neg(add(st(0), mul(num(d.value), st(1))));
    truth_say(p, "lagrangian x'^2/2 - x^2/2");
    for (int i = 0; i < ridges; i++) {
        struct literal at = truth_literal(p, -.6, .6, 2), width = truth_small(p, 1e-6, 1),
                       height = truth_literal(p, -.3, .15, 3);
        truth_say(p, " - (%s)*exp(-((x - (%s))/%s)^2)", height.text, at.text, width.text);
        node u = over(sub(st(0), num(at.value)), num(width.value));
        dd factor = dd_div(dd_scale(height.value, 2), width.value);
        force = add(force, mul(num(factor), mul(u, expo(neg(sq(u))))));
        p->number[p->numbers++] = at.value.h;
        p->number[p->numbers++] = width.value.h;
    }
    truth_say(p, "\n");
    p->limit = near_ridges;
    rate(0, st(1));
    rate(1, force);
    shown(st(0));
    shown(st(1));
    truth_column(p, "x");
    truth_column(p, "x_dot");
}

/* ---- instants */

static int bounce(struct problem *p, int mode, int guard, dd t, dd *y)
{
    (void)guard;
    (void)t;
    if (fabs(y[1].h) < 1e-9) return -1; /* comes to rest at the wall: not in this family */
    y[1] = dd_scale(dd_neg(y[1]), 1);
    y[1] = dd_mul(y[1], (dd){ p->number[0], p->number[1] });
    return mode;
}

/* A driven oscillator with a wall: up to 200 impacts, none at rest. */
static void make_impacts(struct problem *p)
{
    struct literal d = truth_literal(p, 0, .2, 2), f = truth_literal(p, .2, 1.5, 2), w = truth_literal(p, .4, 3, 2),
                   wall = truth_literal(p, -.3, .8, 2), e = truth_literal(p, .4, 1, 2),
                   x0 = truth_literal(p, -2, -.4, 2), v0 = truth_literal(p, -1, 1, 2);
    truth_say(p, "coord x\nlagrangian x'^2/2 - x^2/2\nforce x = %s*cos(%s*t) - %s*x'\n", f.text, w.text, d.text);
    truth_say(p, "contact wall: x <= %s, restitution = %s\nstart x = %s, x' = %s\n", wall.text, e.text, x0.text,
              v0.text);
    end_at(p, 5, 60, 1);
    p->start[0] = x0.value;
    p->start[1] = v0.value;
    p->number[0] = e.value.h;
    p->number[1] = e.value.l;
    p->most_events = 200;
    p->cross = bounce;
    begin_tape(p, 2);
    node drive = mul(num(f.value), cosine(mul(num(w.value), now())));
    rate(0, st(1));
    rate(1, sub(sub(drive, st(0)), mul(num(d.value), st(1))));
    guarded(sub(num(wall.value), st(0)));
    shown(st(0));
    shown(st(1));
    truth_column(p, "x");
    truth_column(p, "x_dot");
}

/* Tapes: slower than the belt, faster, carried. numbers: k, f, w, m, limit of sticking. */
static int rub(struct problem *p, int mode, int guard, dd t, dd *y)
{
    const double *n = p->number;
    double load = n[0] * y[0].h - n[1] * cos(n[2] * dd_value(t));
    if (mode == 2) return guard == 0 ? 0 : 1;
    if (fabs(load) <= n[4]) {
        y[1] = (dd){ n[5], n[6] };
        return 2;
    }
    return load > 0 ? 0 : 1;
}

/* A block on a moving belt, held by a spring and shaken: sticks and slips. */
static void make_stick_slip(struct problem *p)
{
    struct literal k = truth_literal(p, 2, 12, 2), v = truth_literal(p, .1, 1, 2), mu = truth_literal(p, .1, .4, 2),
                   f = truth_literal(p, 0, 2, 2), w = truth_literal(p, .3, 4, 2), more = truth_literal(p, .05, .3, 2),
                   x0 = truth_literal(p, -.5, .5, 2);
    dd weight = dd_scale(GRAVITY, 2), slide = dd_mul(mu.value, weight),
       hold = dd_mul(dd_add(mu.value, more.value), weight);
    truth_say(p, "coord x, y\nlagrangian x'^2 + y'^2 - %s*x^2/2 - 2*9.81*y\nforce x = %s*cos(%s*t)\n", k.text, f.text,
              w.text);
    truth_say(p, "contact belt: y >= 0, restitution = 0, friction = %s, stick = %s + %s, slip = x' - %s\n", mu.text,
              mu.text, more.text, v.text);
    truth_say(p, "start x = %s\n", x0.text);
    end_at(p, 5, 60, 1);
    p->start[0] = x0.value;
    p->number[0] = k.value.h;
    p->number[1] = f.value.h;
    p->number[2] = w.value.h;
    p->number[4] = hold.h;
    p->number[5] = v.value.h;
    p->number[6] = v.value.l;
    p->most_events = 400;
    p->cross = rub;
    for (int mode = 0; mode < 3; mode++) {
        begin_tape(p, 2);
        node load = sub(mul(num(k.value), st(0)), mul(num(f.value), cosine(mul(num(w.value), now()))));
        node friction = mode == 0 ? num(slide) : mode == 1 ? num(dd_neg(slide)) : load;
        node relative = sub(num(v.value), st(1));
        rate(0, st(1));
        rate(1, mode == 2 ? whole(0) : over(sub(friction, load), whole(2)));
        if (mode == 2) {
            guarded(sub(num(hold), load));
            guarded(add(num(hold), load));
        } else guarded(mode == 0 ? relative : neg(relative));
        shown(st(0));
        shown(st(1));
    }
    truth_column(p, "x");
    truth_column(p, "x_dot");
}

/* ---- stiff equations */

/* Three reactions as Robertson's, rates apart by up to 1e4. */
static void make_reactions(struct problem *p)
{
    struct literal a = truth_small(p, .01, 1), b = truth_small(p, 10, 5000), c = truth_small(p, 10, 5000);
    truth_say(p, "state u, v, w\nflow u' = -%s*u + %s*v*w\nflow v' = %s*u - %s*v*w - %s*v^2\nflow w' = %s*v^2\n",
              a.text, b.text, a.text, b.text, c.text, c.text);
    truth_say(p, "start u = 1\n");
    end_at(p, .5, 8, 2);
    p->start[0] = dd_of(1);
    begin_tape(p, 3);
    node u = st(0), v = st(1), w = st(2), first = mul(num(a.value), u), second = mul(num(b.value), mul(v, w)),
         third = mul(num(c.value), sq(v));
    rate(0, sub(second, first));
    rate(1, sub(sub(first, second), third));
    rate(2, third);
    for (int i = 0; i < 3; i++) shown(st(i));
    truth_column(p, "u");
    truth_column(p, "v");
    truth_column(p, "w");
}

/* Van der Pol's oscillator, mu from 1 to 60. */
static void make_relaxation(struct problem *p)
{
    struct literal mu = truth_small(p, 1, 60), x0 = truth_literal(p, 1, 2.2, 2), v0 = truth_literal(p, -1, 1, 2);
    truth_say(p, "coord x\nlagrangian x'^2/2 - x^2/2\nforce x = %s*(1 - x^2)*x'\nstart x = %s, x' = %s\n", mu.text,
              x0.text, v0.text);
    end_at(p, 2, 60, 1);
    p->start[0] = x0.value;
    p->start[1] = v0.value;
    begin_tape(p, 2);
    rate(0, st(1));
    rate(1, sub(mul(mul(num(mu.value), sub(whole(1), sq(st(0)))), st(1)), st(0)));
    shown(st(0));
    shown(st(1));
    truth_column(p, "x");
    truth_column(p, "x_dot");
}

/* A fast state that follows a slow one: Prothero and Robinson's problem, k from 10 to 1e4. */
static void make_follower(struct problem *p)
{
    struct literal k = truth_small(p, 10, 1e4), w = truth_literal(p, .3, 3, 2), u0 = truth_literal(p, -1, 1, 2);
    truth_say(p, "state u\ncoord x\nlagrangian x'^2/2 - x^2/2\nforce x = u\nflow u' = %s*(cos(%s*t) - u)\n", k.text,
              w.text);
    truth_say(p, "start x = 1, u = %s\n", u0.text);
    end_at(p, 1, 5, 1);
    p->start[0] = u0.value;
    p->start[1] = dd_of(1);
    begin_tape(p, 3);
    rate(0, mul(num(k.value), sub(cosine(mul(num(w.value), now())), st(0))));
    rate(1, st(2));
    rate(2, sub(st(0), st(1)));
    for (int i = 0; i < 3; i++) shown(st(i));
    truth_column(p, "u");
    truth_column(p, "x");
    truth_column(p, "x_dot");
}

/* ---- bodies in space */

/* A point on a sphere by a constraint, with a spring to a point beside it. The reference eliminates the multiplier. */
static void make_sphere(struct problem *p)
{
    struct literal l = truth_literal(p, .5, 2, 2), k = truth_literal(p, 0, 4, 2), a = truth_literal(p, -3, 3, 2),
                   b = truth_literal(p, -1.4, 1.4, 2), wa = truth_literal(p, -2, 2, 2), wb = truth_literal(p, -2, 2, 2);
    truth_say(p, "coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2 - 9.81*z - %s*((x - 1)^2 + y^2)/2\n", k.text);
    truth_say(p, "constraint sphere: x^2 + y^2 + z^2 = %s^2\n", l.text);
    truth_say(p, "let l = %s\nlet a = %s\nlet b = %s\nlet wa = %s\nlet wb = %s\n", l.text, a.text, b.text, wa.text,
              wb.text);
    truth_say(p, "start x = l*cos(a)*cos(b), y = l*sin(a)*cos(b), z = l*sin(b)\n");
    truth_say(p, "start x' = l*(-wa*sin(a)*cos(b) - wb*cos(a)*sin(b)), y' = l*(wa*cos(a)*cos(b) - wb*sin(a)*sin(b))\n");
    truth_say(p, "start z' = l*wb*cos(b)\n");
    end_at(p, 2, 30, 1);
    dd sa = dd_sine(a.value), ca = dd_cosine(a.value), sb = dd_sine(b.value), cb = dd_cosine(b.value), L = l.value;
    dd va = wa.value, vb = wb.value;
    p->start[0] = dd_mul(L, dd_mul(ca, cb));
    p->start[1] = dd_mul(L, dd_mul(sa, cb));
    p->start[2] = dd_mul(L, sb);
    p->start[3] = dd_neg(dd_mul(L, dd_add(dd_mul(va, dd_mul(sa, cb)), dd_mul(vb, dd_mul(ca, sb)))));
    p->start[4] = dd_mul(L, dd_sub(dd_mul(va, dd_mul(ca, cb)), dd_mul(vb, dd_mul(sa, sb))));
    p->start[5] = dd_mul(L, dd_mul(vb, cb));
    begin_tape(p, 6);
    node stiff = num(k.value), fx = neg(mul(stiff, sub(st(0), whole(1)))), fy = neg(mul(stiff, st(1))),
         fz = num(dd_neg(GRAVITY));
    node speed = add(add(sq(st(3)), sq(st(4))), sq(st(5)));
    node along = add(add(mul(fx, st(0)), mul(fy, st(1))), mul(fz, st(2)));
    node r2 = add(add(sq(st(0)), sq(st(1))), sq(st(2))); /* q'' = f + 2 lambda q, q''q = -q'q' */
    node twice = neg(over(add(speed, along), r2));
    for (int i = 0; i < 3; i++) rate(i, st(3 + i));
    rate(3, add(fx, mul(twice, st(0))));
    rate(4, add(fy, mul(twice, st(1))));
    rate(5, add(fz, mul(twice, st(2))));
    static const char *const names[] = { "x", "y", "z", "x_dot", "y_dot", "z_dot" };
    for (int i = 0; i < 6; i++) {
        shown(st(i));
        truth_column(p, names[i]);
    }
    shown(over(twice, whole(2)));
    truth_column(p, "lambda.sphere");
}

/* A symmetric top under gravity: Euler's angles here, the same with conserved momenta in the reference. */
static void make_top(struct problem *p)
{
    struct literal A = truth_literal(p, .5, 3, 2), C = truth_literal(p, .2, 2, 2), mgl = truth_literal(p, .2, 3, 2),
                   th = truth_literal(p, .3, 2.6, 2), wth = truth_literal(p, -1, 1, 2),
                   wps = truth_literal(p, -2, 2, 2), wph = truth_literal(p, -6, 6, 2);
    truth_say(p,
              "coord th, ps, ph\nlagrangian %s/2*(th'^2 + ps'^2*sin(th)^2) + %s/2*(ph' + ps'*cos(th))^2 - %s*cos(th)\n",
              A.text, C.text, mgl.text);
    truth_say(p, "start th = %s, th' = %s, ps' = %s, ph' = %s\n", th.text, wth.text, wps.text, wph.text);
    end_at(p, 3, 40, 1);
    dd s = dd_sine(th.value), c = dd_cosine(th.value);
    dd spin = dd_mul(C.value, dd_add(wph.value, dd_mul(wps.value, c)));
    dd turn = dd_add(dd_mul(A.value, dd_mul(wps.value, dd_mul(s, s))), dd_mul(spin, c));
    p->start[0] = th.value;
    p->start[3] = wth.value;
    p->start[4] = spin; /* momenta are states, so that their rounding counts */
    p->start[5] = turn;
    begin_tape(p, 6);
    node sn = sine(st(0)), cs = sn + 1, ps = over(sub(st(5), mul(st(4), cs)), mul(num(A.value), sq(sn)));
    node ph = sub(over(st(4), num(C.value)), mul(ps, cs));
    rate(0, st(3));
    rate(1, ps);
    rate(2, ph);
    node moment =
        sub(add(mul(mul(num(A.value), sq(ps)), mul(sn, cs)), mul(num(mgl.value), sn)), mul(mul(st(4), ps), sn));
    rate(3, over(moment, num(A.value)));
    rate(4, whole(0));
    rate(5, whole(0));
    static const char *const names[] = { "th", "ps", "ph", "th_dot" };
    for (int i = 0; i < 4; i++) {
        shown(st(i));
        truth_column(p, names[i]);
    }
    shown(ps);
    shown(ph);
    truth_column(p, "ps_dot");
    truth_column(p, "ph_dot");
}

/* A thin disk that rolls and falls over on a plane: nonholonomic in space. The reference has Euler's equations of the
 * disk about its centre with the force of contact eliminated; the model has its constraints. */
static void make_disk(struct problem *p)
{
    struct literal th = truth_literal(p, .6, 2.5, 2), ps = truth_literal(p, -3, 3, 2),
                   wth = truth_literal(p, -.6, .6, 2), wps = truth_literal(p, -1.5, 1.5, 2),
                   wph = truth_literal(p, -4, 4, 2);
    /* centre (x, y, sin th); the axis of the disk is tilted by th from the vertical; mass 1, radius 1 */
    truth_say(p, "coord x, y, th, ps, ph\nlet z = sin(th)\n");
    truth_say(p,
              "lagrangian (x'^2 + y'^2 + z'^2)/2 + (th'^2 + ps'^2*sin(th)^2)/8 + (ph' + ps'*cos(th))^2/4 - 9.81*z\n");
    truth_say(p, "constraint rollx: x' = th'*sin(th)*sin(ps) - ps'*cos(th)*cos(ps) - ph'*cos(ps)\n");
    truth_say(p, "constraint rolly: y' = -th'*sin(th)*cos(ps) - ps'*cos(th)*sin(ps) - ph'*sin(ps)\n");
    truth_say(p, "let th0 = %s\nlet ps0 = %s\nlet wth = %s\nlet wps = %s\nlet wph = %s\n", th.text, ps.text, wth.text,
              wps.text, wph.text);
    truth_say(p, "start th = th0, ps = ps0, th' = wth, ps' = wps, ph' = wph\n");
    truth_say(p, "start x' = wth*sin(th0)*sin(ps0) - wps*cos(th0)*cos(ps0) - wph*cos(ps0)\n");
    truth_say(p, "start y' = -wth*sin(th0)*cos(ps0) - wps*cos(th0)*sin(ps0) - wph*sin(ps0)\n");
    end_at(p, 1, 8, 1);
    p->start[2] = th.value;
    p->start[3] = ps.value;
    p->start[5] = wth.value;
    p->start[6] = wps.value;
    p->start[7] = dd_add(wph.value, dd_mul(wps.value, dd_cosine(th.value)));
    /* states: x, y, th, ps, ph, th', ps', spin about the axis; A = 1/4, C = 1/2, m r^2 = 1 */
    begin_tape(p, 8);
    node sn = sine(st(2)), cs = sn + 1, sp = sine(st(3)), cp = sp + 1, w = st(5), v = st(6), spin = st(7);
    node a = whole(.25), c = whole(.5);
    node moment =
        sub(sub(mul(mul(a, sq(v)), mul(sn, cs)), mul(mul(whole(1.5), spin), mul(v, sn))), mul(num(GRAVITY), cs));
    node roll = add(mul(mul(w, sn), sp), whole(0));
    rate(0, sub(roll, mul(spin, cp)));
    rate(1, neg(add(mul(mul(w, sn), cp), mul(spin, sp))));
    rate(2, w);
    rate(3, v);
    rate(4, sub(spin, mul(v, cs)));
    rate(5, over(moment, whole(1.25)));
    rate(6, over(sub(mul(mul(c, spin), w), mul(mul(whole(2), mul(a, v)), mul(w, cs))), mul(a, sn)));
    rate(7, over(mul(mul(w, v), sn), whole(1.5)));
    static const char *const names[] = { "x", "y", "th", "ps", "ph", "th_dot", "ps_dot" };
    for (int i = 0; i < 7; i++) {
        shown(st(i));
        truth_column(p, names[i]);
    }
}

/* ---- conditions at the end, and growth */

/* Duffing's oscillator from a place to a place: the velocity is found, near a guess that is off by at most 0.05. The
 * place is where a velocity next to the guess leads. */
static void make_aimed(struct problem *p)
{
    struct literal e = truth_literal(p, -.1, .6, 2), f = truth_literal(p, 0, .5, 2), w = truth_literal(p, .5, 2, 2),
                   x0 = truth_literal(p, -1, 1, 2), guess = truth_literal(p, -1, 1, 2),
                   end = truth_literal(p, 1, 12, 0);
    double off = truth_uniform(p, -.05, .05);
    p->end = end.value.h / 4;
    p->start[0] = x0.value;
    p->start[1] = dd_add(guess.value, dd_of(off));
    begin_tape(p, 2);
    node x = st(0), cubic = mul(num(e.value), mul(x, sq(x)));
    rate(0, st(1));
    rate(1, sub(mul(num(f.value), cosine(mul(num(w.value), now()))), add(x, cubic)));
    shown(st(0));
    shown(st(1));
    truth_column(p, "x");
    truth_column(p, "x_dot");
    long place = lrint(truth_end(p, 0) * 1e6);
    truth_say(p, "coord x\nlagrangian x'^2/2 - x^2/2 - (%s)*x^4/4\nforce x = %s*cos(%s*t)\n", e.text, f.text, w.text);
    truth_say(p, "start x = %s, x' = %s\nfree x'\nrequire x at %s/4 = %.6f\ntime 0 .. %s/4\n", x0.text, guess.text,
              end.text, (double)place / 1e6, end.text);
    p->conditions = 1;
    p->free[0] = 1;
    p->required[0] = 0;
    p->aim[0] = dd_decimal(place, 6);
}

/* Linear equations with growth exp(a t), followed on a solution that does not grow. */
static void make_growth(struct problem *p)
{
    struct literal a = truth_literal(p, .3, 3, 1), b = truth_literal(p, .3, 3, 1), k = truth_literal(p, .2, 5, 1);
    truth_say(p, "param a = %s, b = %s\ncoord x\nstate u\nlagrangian x'^2/2 + a^2*x^2/2\n", a.text, b.text);
    truth_say(p, "force x = -(a^2 + b^2)*sin(b*t)\nflow u' = -%s*u + x\nstart x = 0, x' = b, u = 1\n", k.text);
    end_at(p, 2, 30, 1);
    p->start[1] = b.value;
    p->start[2] = dd_of(1);
    begin_tape(p, 3);
    node aa = num(dd_mul(a.value, a.value)), bb = num(dd_mul(b.value, b.value));
    rate(0, st(1));
    rate(1, sub(mul(aa, st(0)), mul(add(aa, bb), sine(mul(num(b.value), now())))));
    rate(2, sub(st(0), mul(num(k.value), st(2))));
    for (int i = 0; i < 3; i++) shown(st(i));
    truth_column(p, "x");
    truth_column(p, "x_dot");
    truth_column(p, "u");
}

const struct family truth_families[] = {
    { "passages", make_passages },
    { "kepler", make_kepler },
    { "henon", make_henon },
    { "pendulum2", make_pendulum2 },
    { "pendulum2_places", make_pendulum2_places },
    { "pendulum3", make_pendulum3 },
    { "pendulum3_places", make_pendulum3_places },
    { "pulses_in_time", make_pulses_in_time },
    { "ridges", make_ridges },
    { "impacts", make_impacts },
    { "stick_slip", make_stick_slip },
    { "reactions", make_reactions },
    { "relaxation", make_relaxation },
    { "follower", make_follower },
    { "sphere", make_sphere },
    { "top", make_top },
    { "disk", make_disk },
    { "aimed", make_aimed },
    { "growth", make_growth },
};
const int truth_family_count = sizeof truth_families / sizeof *truth_families;

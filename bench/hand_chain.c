/* SPDX-License-Identifier: Apache-2.0
 * The chain by hand: tensions by Thomas's elimination, from both ends, in eight segments, and with the library's
 * solver. */
#include "chain.h"
#include "algebra/tri.h"

/* ---- streams: what stands between two solves can be done for all links at once */

static void links(size_t n, const double *restrict x, const double *restrict y, double *restrict dx,
                  double *restrict dy)
{
    dx[0] = x[0];
    dy[0] = y[0];
    for (size_t k = 1; k < n; k++) {
        dx[k] = x[k] - x[k - 1];
        dy[k] = y[k] - y[k - 1];
    }
    dx[n] = dy[n] = 0;
}

static void matrix(size_t n, const double *restrict dx, const double *restrict dy, double *restrict diag,
                   double *restrict off)
{
    for (size_t k = 0; k < n; k++) {
        diag[k] = 2 * (dx[k] * dx[k] + dy[k] * dy[k]);
        off[k] = -(dx[k] * dx[k + 1] + dy[k] * dy[k + 1]);
    }
    diag[0] /= 2; /* the upper end does not move */
}

static void rates(size_t n, const double *restrict u, const double *restrict v, double *restrict right)
{
    for (size_t k = 1; k < n; k++)
        right[k] = (u[k] - u[k - 1]) * (u[k] - u[k - 1]) + (v[k] - v[k - 1]) * (v[k] - v[k - 1]);
    right[0] = u[0] * u[0] + v[0] * v[0];
}

static void assemble(struct chain *c)
{
    links(c->n, c->x, c->y, c->dx, c->dy);
    matrix(c->n, c->dx, c->dy, c->diag, c->off);
    rates(c->n, c->u, c->v, c->right);
    c->right[0] -= CHAIN_GRAVITY * c->dy[0];
}

static void push(size_t n, double h, const double *restrict T, const double *restrict d, double fall,
                 double *restrict x, double *restrict u)
{
    for (size_t k = 0; k < n; k++) {
        double a = u[k] + h * (T[k + 1] * d[k + 1] - T[k] * d[k] - fall);
        u[k] = a;
        x[k] += h * a;
    }
}

static void move(struct chain *c, double h)
{
    c->T[c->n] = 0;
    push(c->n, h, c->T, c->dx, 0, c->x, c->u);
    push(c->n, h, c->T, c->dy, CHAIN_GRAVITY, c->y, c->v);
}

static void by_thomas(size_t n, const double *restrict d, const double *restrict e, const double *restrict r,
                      double *restrict T, double *restrict inverse)
{
    double i = inverse[0] = 1 / d[0], f = T[0] = r[0];
    for (size_t k = 1; k < n; k++) {
        double m = e[k - 1] * i;
        T[k] = f = r[k] - m * f;
        inverse[k] = i = 1 / (d[k] - e[k - 1] * m);
    }
    T[n - 1] *= inverse[n - 1];
    for (size_t k = n - 1; k-- > 0;) T[k] = (T[k] - e[k] * T[k + 1]) * inverse[k];
}

/* Two eliminations at once, towards the middle; n is even. */
static void from_both_ends(size_t n, const double *restrict d, const double *restrict e, const double *restrict r,
                           double *restrict T, double *restrict inverse)
{
    size_t half = n / 2, last = n - 1;
    double i = inverse[0] = 1 / d[0], f = T[0] = r[0], i2 = inverse[last] = 1 / d[last], f2 = T[last] = r[last];
    for (size_t k = 1; k < half; k++) {
        double m = e[k - 1] * i, m2 = e[last - k] * i2;
        T[k] = f = r[k] - m * f;
        T[last - k] = f2 = r[last - k] - m2 * f2;
        inverse[k] = i = 1 / (d[k] - e[k - 1] * m);
        inverse[last - k] = i2 = 1 / (d[last - k] - e[last - k] * m2);
    }
    double couple = e[half - 1], low = (f2 * i2 - couple * i2 * f * i) / (1 - couple * couple * i * i2),
           high = (f - couple * low) * i;
    T[half - 1] = high;
    T[half] = low;
    for (size_t k = half - 1; k-- > 0;) {
        T[k] = high = (T[k] - e[k] * high) * inverse[k];
        T[last - k] = low = (T[last - k] - e[last - k - 1] * low) * inverse[last - k];
    }
}

void chain_thomas(struct chain *c, long count, double h)
{
    while (count-- > 0) {
        assemble(c);
        by_thomas(c->n, c->diag, c->off, c->right, c->T, c->work);
        move(c, h);
    }
}

void chain_twisted(struct chain *c, long count, double h)
{
    while (count-- > 0) {
        assemble(c);
        from_both_ends(c->n, c->diag, c->off, c->right, c->T, c->work);
        move(c, h);
    }
}

void chain_streams(struct chain *c, long count, double h)
{
    while (count-- > 0) {
        assemble(c);
        if (actio_tri_solve(c->n, c->diag, c->off, c->right, c->T, c->work)) return;
        move(c, h);
    }
}

/* ---- eight segments in the lanes; the last joint of each is its separator */

enum { W = 8, X = 0, Y, U, V, F, NEXT, SPIKE, DX, DY, FIELDS };
typedef double lanes __attribute__((vector_size(64)));

/* Lane l gets what lane l - 1 had, the first one `wall`; and the other way round, the last one 0. */
static inline lanes from_before(lanes a, double wall)
{
    return (lanes){ wall, a[0], a[1], a[2], a[3], a[4], a[5], a[6] };
}
static inline lanes from_after(lanes a) { return (lanes){ a[1], a[2], a[3], a[4], a[5], a[6], a[7], 0 }; }

void chain_lanes_enter(struct chain *c)
{
    size_t L = c->n / W;
    const double *from[] = { c->x, c->y, c->u, c->v };
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < 4; k++) c->lane[((i % L) * FIELDS + k) * W + i / L] = from[k][i];
}

void chain_lanes_leave(struct chain *c)
{
    size_t L = c->n / W;
    double *to[] = { c->x, c->y, c->u, c->v };
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < 4; k++) to[k][i] = c->lane[((i % L) * FIELDS + k) * W + i / L];
}

/* diag T_k - beside T_(k-1) - beside T_(k+1) = right, eight of them */
static inline lanes solve_separators(lanes diag, lanes beside, lanes right)
{
    double inverse[W], f[W];
    lanes T;
    for (int k = 0; k < W; k++) {
        double m = k ? beside[k] * inverse[k - 1] : 0;
        inverse[k] = 1 / (diag[k] - m * beside[k]);
        f[k] = right[k] + (k ? m * f[k - 1] : 0);
    }
    T[W - 1] = f[W - 1] * inverse[W - 1];
    for (int k = W - 1; k-- > 0;) T[k] = (f[k] + beside[k + 1] * T[k + 1]) * inverse[k];
    return T;
}

static void step(lanes *restrict node, size_t L, double h)
{
    lanes zero = { 0 }, *end = node + (L - 1) * FIELDS, weight = { 1, 2, 2, 2, 2, 2, 2, 2 }, falls = { CHAIN_GRAVITY };
    lanes end_dx = end[X] - end[X - FIELDS], end_dy = end[Y] - end[Y - FIELDS];
    lanes px = from_before(end[X], 0), py = from_before(end[Y], 0), pu = from_before(end[U], 0),
          pv = from_before(end[V], 0);
    lanes ox = from_before(end_dx, 0), oy = from_before(end_dy, 0), inverse = zero, f = zero, spike = zero,
          take_f = zero, take_diag = zero;
    for (lanes *at = node; at < end; at += FIELDS) {
        lanes dx = at[X] - px, dy = at[Y] - py, du = at[U] - pu, dv = at[V] - pv, e = dx * ox + dy * oy,
              m = e * inverse;
        lanes right = du * du + dv * dv;
        if (at == node) {
            right -= falls * dy;
            spike = e;
        } else {
            spike *= m;
            at[NEXT - FIELDS] = m;
        }
        inverse = 1.0 / (weight * (dx * dx + dy * dy) - e * m);
        weight = zero + 2.0;
        f = right + m * f;
        lanes q = spike * inverse;
        take_f += q * f;
        take_diag += q * spike;
        at[F] = f * inverse;
        at[SPIKE] = q;
        at[DX] = dx;
        at[DY] = dy;
        px = at[X];
        py = at[Y];
        pu = at[U];
        pv = at[V];
        ox = dx;
        oy = dy;
    }
    lanes du = end[U] - pu, dv = end[V] - pv, e = end_dx * ox + end_dy * oy, m = e * inverse;
    lanes T = solve_separators(2.0 * (end_dx * end_dx + end_dy * end_dy) - e * m - from_after(take_diag), m * spike,
                               du * du + dv * dv + m * f + from_after(take_f));
    lanes t = T, left = from_before(T, 0), nx = T * end_dx, ny = T * end_dy;
    end[NEXT - FIELDS] = m;
    for (lanes *at = end - FIELDS; at >= node; at -= FIELDS) {
        t = (at[F] + at[SPIKE] * left) + at[NEXT] * t;
        lanes tx = t * at[DX], ty = t * at[DY];
        at[U] += h * (nx - tx);
        at[V] += h * (ny - ty - CHAIN_GRAVITY);
        at[X] += h * at[U];
        at[Y] += h * at[V];
        nx = tx;
        ny = ty;
    }
    end[U] += h * (from_after(nx) - T * end_dx);
    end[V] += h * (from_after(ny) - T * end_dy - CHAIN_GRAVITY);
    end[X] += h * end[U];
    end[Y] += h * end[V];
}

void chain_lanes(struct chain *c, long count, double h)
{
    while (count-- > 0) step((lanes *)c->lane, c->n / W, h);
}

/* SPDX-License-Identifier: Apache-2.0
 * One flight after another, for a type REAL. With r the place and v the velocity where a flight begins, |r + s v + s^2
 * a/2|^2 - 1 is a quartic in s; on the wall s divides it, and what is left is a cubic that starts below 0. Its first
 * root lies before its crest, if that is above 0, else behind its trough. */
static long FLY(REAL span, const REAL start[4], REAL g, REAL out[4])
{
    REAL x = start[0], y = start[1], u = start[2], v = start[3], t = 0;
    long bounces = 0;
    for (int on_wall = 0;; on_wall = 1, bounces++) {
        REAL k3 = g * g / 4, k2 = -g * v, k1 = u * u + v * v - g * y, k0 = 2 * (x * u + y * v),
             off = on_wall ? 0 : x * x + y * y - 1;
        REAL low = 0, high = 0, bend = k2 * k2 - 3 * k3 * k1;
        if (on_wall && bend > 0) {
            REAL crest = (-k2 - ROOT(bend)) / (3 * k3), trough = (-k2 + ROOT(bend)) / (3 * k3);
            if (crest > 0 && ((k3 * crest + k2) * crest + k1) * crest + k0 >= 0) high = crest;
            else if (trough > 0) low = trough;
        }
        REAL step = on_wall ? (REAL)0.25 : (REAL)0.01;
#define GAP(s)                                                                                                         \
    (on_wall ? ((k3 * (s) + k2) * (s) + k1) * (s) + k0 : (((k3 * (s) + k2) * (s) + k1) * (s) + k0) * (s) + off)
#define SLOPE(s) (on_wall ? (3 * k3 * (s) + 2 * k2) * (s) + k1 : ((4 * k3 * (s) + 3 * k2) * (s) + 2 * k1) * (s) + k0)
        for (; high == 0; low += step)
            if (GAP(low + step) >= 0) high = low + step;
        REAL s = (low + high) / 2, lower = low > high - step ? high - step : low;
        if (lower < 0) lower = 0;
        for (int i = 0; i < 200; i++) {
            REAL f = GAP(s), next = s - f / SLOPE(s);
            if (f >= 0) high = s;
            else lower = s;
            if (!(next > lower && next < high)) next = (lower + high) / 2;
            REAL moved = next > s ? next - s : s - next;
            s = next;
            if (moved <= s * (sizeof(REAL) > 8 ? (REAL)1e-32 : (REAL)4e-16)) break;
        }
#undef GAP
#undef SLOPE
        if (t + s >= span) s = span - t;
        x += s * u;
        y += s * (v - s * g / 2);
        v -= s * g;
        t += s;
        if (t >= span) break;
        REAL size = ROOT(x * x + y * y), nx = x / size, ny = y / size, twice = 2 * (nx * u + ny * v);
        x = nx;
        y = ny;
        u -= twice * nx;
        v -= twice * ny;
    }
    out[0] = x;
    out[1] = y;
    out[2] = u;
    out[3] = v;
    return bounces;
}

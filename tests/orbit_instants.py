#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Periodic orbits through instants: walkers, escapements, clocks, relays, bounces and corners beside closed forms and beside an integration that shares nothing
with the program; the same orbit in other coordinates; what is refused.

usage: orbit_instants.py [--program FILE] [--only PART ...] [--list]"""
import cmath
import math
import tempfile

from orbit import Bench, nontrivial
from program import Tally, arguments, run_parts


# ---- an integration of its own: the extrapolated midpoint rule of order 14 in steps of fixed length

def midpoint(f, y, h, n):
    step = h / n
    before, now = y, [a + step * b for a, b in zip(y, f(y))]
    for _ in range(n - 1):
        before, now = now, [a + 2 * step * b for a, b in zip(before, f(now))]
    return [.5 * (a + b + step * c) for a, b, c in zip(before, now, f(now))]


def advance(f, y, h):
    table = []
    for j in range(1, 8):
        table.append(midpoint(f, y, h, 2 * j))
        for k in range(j - 2, -1, -1):
            ratio = (j / (k + 1)) ** 2 - 1
            table[k] = [a + (a - b) / ratio for a, b in zip(table[k + 1], table[k])]
    return table[0]


def until(f, g, y, step, most=5.):
    """From y to where g falls through 0, after it was above."""
    t, value = 0., g(y)
    while t < most:
        after = advance(f, y, step)
        if value > 0 >= g(after):
            break
        t, y, value = t + step, after, g(after)
    a, b, ga, gb = 0., step, value, g(after)        # secants
    for _ in range(12):
        c = b - gb * (b - a) / (gb - ga) if gb != ga else b
        a, b, ga = b, c, gb
        after = advance(f, y, b)
        gb = g(after)
        if abs(b - a) < 1e-15 or gb == 0:
            break
    return t + b, after


def solve(A, b):
    """Gauss with pivots."""
    rows_ = [list(row) + [x] for row, x in zip(A, b)]
    n = len(rows_)
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(rows_[i][k]))
        rows_[k], rows_[p] = rows_[p], rows_[k]
        for i in range(n):
            if i != k:
                factor = rows_[i][k] / rows_[k][k]
                rows_[i] = [a - factor * c for a, c in zip(rows_[i], rows_[k])]
    return [rows_[k][n] / rows_[k][k] for k in range(n)]


def slopes(F, x, h=1e-3):
    """Columns of dF/dx by differences of order 6."""
    columns = []
    for j in range(len(x)):
        total = [0.] * len(x)
        for k, w in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60)):
            for sign in (1, -1):
                moved = [a + (sign * k * h if i == j else 0) for i, a in enumerate(x)]
                total = [a + sign * w / h * b for a, b in zip(total, F(moved))]
        columns.append(total)
    return [list(row) for row in zip(*columns)]


def fixed_point(F, x):
    """Newton's method; its slopes are kept once they are good."""
    J = slopes(F, x)
    for i in range(12):
        J, r = slopes(F, x) if i == 2 else J, [a - b for a, b in zip(F(x), x)]
        step = solve([[J[i][j] - (i == j) for j in range(len(x))] for i in range(len(x))], r)
        x = [a - b for a, b in zip(x, step)]
        if max(map(abs, step)) < 1e-14 and i > 2:
            break
    return x


def characteristic(J):
    """Coefficients of the polynomial det(z - J), the highest first, by Faddeev and LeVerrier."""
    n = len(J)
    M, c = [[0.] * n for _ in range(n)], [1.]
    for k in range(1, n + 1):
        M = [[sum(J[i][l] * M[l][j] for l in range(n)) + (c[-1] if i == j else 0) for j in range(n)] for i in range(n)]
        c.append(-sum(J[i][l] * M[l][i] for i in range(n) for l in range(n)) / k)
    return c


# ---- the compass-gait walker by its Cartesian masses

WALKER = dict(m=5., mH=10., a=.5, b=.5, g=9.8)


def jacobian(s, n, w):
    """Rows: places of the hip, of the mass of the leg that stands, of the one that swings; columns: s, n."""
    l = w["a"] + w["b"]
    hip = ((-l * math.cos(s), 0), (-l * math.sin(s), 0))
    stands = ((-w["a"] * math.cos(s), 0), (-w["a"] * math.sin(s), 0))
    swings = ((hip[0][0], w["b"] * math.cos(n)), (hip[1][0], w["b"] * math.sin(n)))
    return hip + stands + swings


def masses(w):
    return [w["mH"]] * 2 + [w["m"]] * 4


def gram(J, mass):
    return [[sum(m * row[i] * row[j] for m, row in zip(mass, J)) for j in range(2)] for i in range(2)]


def walks(w):
    """Rates of (s, n, s', n'): M q'' = -J' m (dJ/dt q') - J' m g."""
    def f(y):
        s, n, u, v = y
        l, mass, J = w["a"] + w["b"], masses(w), jacobian(s, n, w)
        bend = (l * math.sin(s) * u * u, -l * math.cos(s) * u * u)
        stand = (w["a"] * math.sin(s) * u * u, -w["a"] * math.cos(s) * u * u)
        swing = (bend[0] - w["b"] * math.sin(n) * v * v, bend[1] + w["b"] * math.cos(n) * v * v)
        pull = [a + (w["g"] if i % 2 else 0) for i, a in enumerate(bend + stand + swing)]
        force = [-sum(m * row[i] * p for m, row, p in zip(mass, J, pull)) for i in range(2)]
        return [u, v] + solve(gram(J, mass), force)
    return f


def strike(y, w):
    """The walker floats, and is projected onto motions about the new foot; legs change their roles."""
    s, n, u, v = y
    before = [row[0] * u + row[1] * v for row in jacobian(s, n, w)]
    before = before[:2] + before[4:] + before[2:4]
    J, mass = jacobian(n, s, w), masses(w)
    rates = solve(gram(J, mass), [sum(m * row[i] * p for m, row, p in zip(mass, J, before)) for i in range(2)])
    return [n, s] + rates


def stride(x, phi, w=WALKER):
    """(s, s', n') behind a strike -> behind the next one, and how long it takes."""
    start = [x[0], -2 * phi - x[0], x[1], x[2]]
    falls = walks(w)
    for _ in range(4):
        start = advance(falls, start, .1)
    t, y = until(falls, lambda z: z[0] + z[1] + 2 * phi, start, .1)
    y = strike(y, w)
    return [y[0], y[2], y[3]], t + .4


def gait(phi, x=(.2187, -1.092, -.377)):
    """Fixed point, period, polynomial of the multipliers."""
    x = fixed_point(lambda z: stride(z, phi)[0], list(x))
    return x, stride(x, phi)[1], characteristic(slopes(lambda z: stride(z, phi)[0], x))


def gait_multipliers(b, orbit, polynomial, what):
    """The roots of the map's polynomial, and the multiplier of the motion itself."""
    if orbit is None:
        return
    b.tally.check(orbit["trivial"].count("along the motion") == 1, "%s: %s" % (what, orbit["trivial"]))
    for z in nontrivial(orbit):
        value = sum(c * z ** (3 - i) for i, c in enumerate(polynomial))
        slope = sum((3 - i) * c * z ** (2 - i) for i, c in enumerate(polynomial[:-1]))
        b.tally.check(abs(value) <= 1e-6 * abs(slope), "%s: multiplier %s is off by %.1e" % (what, z, abs(value / slope)))


def walker(b):
    """The gait from its start, from starts a few per cent off, and from another period."""
    phi = math.radians(3)
    x, T, polynomial = gait(phi)
    b.near(T, 0.734720962155358, 1e-12, "the walker's own integration: period")
    for z in (complex(-.1997, .5445), complex(.1316)):
        b.tally.check(abs(sum(c * z ** (3 - i) for i, c in enumerate(polynomial))) < 1e-3, "the file's multiplier %s" % z)
    for words in ([], ["--period", ".72"], ["--start", "s=0.225,n=-0.32972,s_dot=-1.12"], ["--start", "s_dot=-1.05"], ["--start", "s=0.21,n=-0.31472,s_dot=-1.06,n_dot=-0.36"]):
        orbit = b.one("compass-gait", *words)
        what = "walker %s" % " ".join(words)
        b.period(orbit, T, what, 1e-12)
        gait_multipliers(b, orbit, polynomial, what)
        b.tally.check(orbit is None or orbit["stability"] == "stable", what + ": not stable")
    orbit = b.one("compass-gait")
    if orbit:                                   # its point lies on the gait: it goes on to the same strike
        p = orbit["point"]
        falls = walks(WALKER)
        _, y = until(falls, lambda z: z[0] + z[1] + 2 * phi, [p["s"], p["n"], p["s_dot"], p["n_dot"]], .1)
        y = strike(y, WALKER)
        b.near(max(abs(y[0] - x[0]), abs(y[2] - x[1]), abs(y[3] - x[2])), 0, 1e-10, "walker: the strike behind its point")


def slope(b):
    """Along the slope of the ground, each end beside the other integration; where the period doubles, -1 is a multiplier there"""
    answer = b.answer("compass-gait", "--follow", "phi=0.05..0.08")
    for point in answer.get("branch", [])[:1] + answer.get("branch", [])[-1:]:
        _, T, _ = gait(point["value"])
        b.near(point["period"], T, 1e-11, "walker at phi = %g" % point["value"])
    marks = [(p["value"], p["mark"]) for p in answer.get("branch", []) if p["mark"] not in ("", "start", "end")]
    if b.tally.check(len(marks) == 1 and marks[0][1] == "period doubling", "walker along phi: %s" % marks):
        b.near(sum(gait(marks[0][0])[2][i] * (-1) ** (3 - i) for i in range(4)), 0, 1e-6, "walker: -1 is a multiplier there")


# ---- linear oscillators: closed forms

def flow(k, c, t):
    """exp(t [0 1; -k -c])"""
    r = cmath.sqrt(complex(c * c / 4 - k))
    C, S = cmath.exp(-c * t / 2) * cmath.cosh(r * t), cmath.exp(-c * t / 2) * (cmath.sinh(r * t) / r if r else t)
    return ((C + c / 2 * S).real, S.real), ((-k * S).real, (C - c / 2 * S).real)


def apply(A, x):
    return [A[0][0] * x[0] + A[0][1] * x[1], A[1][0] * x[0] + A[1][1] * x[1]]


def escapement(b):
    """Energy K/2 at each turn: v^2 -> q v^2 + K has the slope q = exp(-2 z T)."""
    k, z = 4, .05
    T = 2 * math.pi / math.sqrt(k - z * z)
    for words in ([], ["--set", "K=3"], ["--period", "3.3"], ["--start", "x_dot=2"]):
        orbit = b.one("escapement", *words)
        b.period(orbit, T, "escapement")
        b.multipliers(orbit, [1, math.exp(-2 * z * T)], "escapement")
    orbit = b.one("escapement", "--follow", "z=0.05..0.3")
    T = 2 * math.pi / math.sqrt(k - .09)
    b.period(orbit, T, "escapement, more friction")
    b.multipliers(orbit, [1, math.exp(-.6 * T)], "escapement, more friction")


KICK = "# kicked\nparam k = 4, c = .2, h = 1, K = 1, X = 1\ncoord x\nlagrangian x'^2/2 - k*x^2/2\nforce x = -c*x'\n%s\nstart x = .3, x' = .9\ntime 0 .. 40"


def reset(b):
    """What does not depend on the state before has the multiplier 0: one with the same speed after each turn."""
    orbit = b.one(KICK % "event up: x = 0 rising\nwhen up: x' = K")
    b.period(orbit, 2 * math.pi / math.sqrt(4 - .01), "a speed that is set")
    if orbit:
        b.tally.check(abs(nontrivial(orbit)[0]) < 1e-13, "a speed that is set: multiplier %s" % nontrivial(orbit))
        b.tally.check(orbit["stability"] == "stable", "a speed that is set: %s" % orbit["stability"])


def clocks(b):
    """A kick every h: the multipliers are those of the free motion over h, and the state in front of a kick is (1 - A)^-1 A (0, K)."""
    for line, h in (("every h: x' = x' + K", 1), ("every h from .3: x' = x' + K", 1), ("every h: x' = x' + K", 1.7)):
        orbit = b.one(KICK % line, "--period", "h", "--set", "h=%r" % h)
        what = "a kick every %g, %s" % (h, line)
        b.period(orbit, h, what, 0)
        root = cmath.sqrt(complex(.01 - 4))
        b.multipliers(orbit, [cmath.exp((-.1 + root) * h), cmath.exp((-.1 - root) * h)], what)
        if orbit is None:
            continue
        A = flow(4, .2, h)
        f = apply(A, [0, 1])
        y = solve([[1 - A[0][0], -A[0][1]], [-A[1][0], 1 - A[1][1]]], f)
        lag = [orbit["point"]["x"], orbit["point"]["x_dot"]]
        half = [apply(flow(4, .2, h * i / 2000), [y[0], y[1] + 1]) for i in range(2001)]
        near = min(math.hypot(p[0] - lag[0], p[1] - lag[1]) for p in half)
        b.near(near, 0, 3e-3 * h, what + ": its point lies on the orbit")
    orbit = b.one(KICK % "every h: x' = x' + K", "--period", "h", "--follow", "h=1..1.4")
    other = b.one(KICK % "every h: x' = x' + K", "--period", "h", "--set", "h=1.4")
    if orbit and other:
        b.multipliers(orbit, [complex(*m) for m in other["multipliers"]], "along the period of a clock")


def relay(b):
    """A held value that two events set; half turns are mirror images. The half turn's own map gives the multiplier, its square."""
    k, c, width = 4, .2, .1
    orbit = b.one("# a relay\ncoord x\nheld d\nstart d = 1\nlagrangian x'^2/2 - 2*x^2\nforce x = -.2*x' + d\nevent up: x = .1 rising\nevent down: x = -.1 falling\nwhen up: d = -1\n"
                  "when down: d = 1\nstart x' = .9\ntime 0 .. 40")

    def half(v):
        """From x = width rising, with d = -1, to x = -width falling."""
        def at(t):
            p = apply(flow(k, c, t), [width + 1 / k, v])
            return p[0] - 1 / k, p[1]
        low = 0.
        while not (at(low)[0] > -width >= at(low + .01)[0]):
            low += .01
        high = low + .01
        for _ in range(60):
            middle = .5 * (low + high)
            low, high = (middle, high) if at(middle)[0] > -width else (low, middle)
        return -at(high)[1], high

    v = .9
    for _ in range(200):
        v = half(v)[0]
    slope_ = (8 * (half(v + 1e-3)[0] - half(v - 1e-3)[0]) - half(v + 2e-3)[0] + half(v - 2e-3)[0]) / 12e-3
    b.period(orbit, 2 * half(v)[1], "relay", 1e-12)
    b.multipliers(orbit, [1, slope_ ** 2] if orbit is None else [1, min((complex(*m) for m in orbit["multipliers"]), key=lambda z: abs(z - slope_ ** 2))], "relay")
    if orbit:
        b.near(abs(nontrivial(orbit)[0] - slope_ ** 2), 0, 1e-9, "relay: multiplier")


# ---- constraints, changes of inertia: the same motion in two ways

def both_ways(b, one, other, what, extra=(), words=()):
    """Periods and multipliers of two models of one motion."""
    x, y = b.one(one, *words), b.one(other, *words)
    if x is None or y is None:
        return
    b.period(x, y["period"], what, 1e-12)
    left, right = nontrivial(x), nontrivial(y)
    b.tally.check(len(left) == len(right) + len(extra), "%s: multipliers %s and %s" % (what, left, right))
    for m in right:
        b.tally.check(min(abs(m - z) for z in left) <= 1e-9 * max(1, abs(m)), "%s: %s is not among %s" % (what, m, left))


SWING = "# a kicked swing, by its angle\nparam K = .6\ncoord a\nlagrangian a'^2/2 + 9.81*cos(a)\ndissipation .1*a'^2\nevent low: sin(a) = .2 rising\nwhen low: a' = a' + K*cos(a)\nstart a = -1.2\ntime 0 .. 30"
BOB = ("# the same by the place of its bob\nparam K = .6\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\ndissipation .1*(x'^2 + y'^2)\nconstraint rod: x^2 + y^2 = 1\nevent low: x = .2 rising\n"
       "when low: x' = x' + K\nstart x = sin(-1.2), y = -cos(1.2)\ntime 0 .. 30")


def constrained(b):
    """A kick that breaks the rod's constraint: its ideal impulse leaves the part along the circle."""
    both_ways(b, BOB, SWING, "a swing that is kicked")


GEAR = ("# inertia that changes at instants\ncoord x\nheld M, d\nstart M = 1, d = 1\nlagrangian M*x'^2/2 - 2*x^2\nforce x = -.2*x' + d\nevent up: x = .1 rising\n"
        "event down: x = -.1 falling\nwhen up: M = 2, d = -1\nwhen down: M = 1, d = 1\nstart x' = .9\ntime 0 .. 60")
SPEED = ("# the same with velocities that are set\ncoord x\nheld M, d\nstart M = 1, d = 1\nlagrangian x'^2/2\nforce x = (-4*x - .2*x' + d)/M\nevent up: x = .1 rising\n"
         "event down: x = -.1 falling\nwhen up: M = 2, d = -1, x' = x'*M/2\nwhen down: M = 1, d = 1, x' = x'*M\nstart x' = .9\ntime 0 .. 60")


def momenta(b):
    """A held value in the Lagrangian keeps the momentum."""
    both_ways(b, GEAR, SPEED, "an inertia that changes")


def corners(b):
    """A step of the potential at x = a: half turns of two amplitudes. Driven and damped, volumes shrink as the damping says, whatever the corners do."""
    A, U, a = 1.5, .3, .1
    T = 2 * math.pi - 2 * math.acos(a / A) + 2 * math.acos(a / math.sqrt(A * A - 2 * U))
    step = "# a step\nparam U = .3, a = .1, F = 0, om = 1.3, z = 0\ncoord x\nlagrangian x'^2/2 - x^2/2 - if(x < a, 0, U)\n%sstart x = -1.5\ntime 0 .. 30"
    orbit = b.one(step % "")
    b.period(orbit, T, "a step of the potential", 1e-13)
    if orbit:
        b.tally.check(set(orbit["trivial"]) == {"along the motion", "energy"}, "a step: %s" % orbit["trivial"])
    force = "force x = -2*z*x' + F*cos(om*t)\n"
    orbit = b.one(step % force, "--set", "F=1,z=.1", "--period", "2*pi/om")
    if orbit:
        b.near(sum(orbit["log_moduli"]), -.2 * 2 * math.pi / 1.3, 1e-10, "a driven step: sum of the logarithms")


def bounces(b):
    """A ball on a table that oscillates: the map from impact to impact, its slopes by differences. A ball on a floor: 2 sqrt(2 h/g)."""
    g, A, om, e = 9.81, .2, 9., .5
    T = 2 * math.pi / om
    w = (1 - e) / (1 + e) * g * T / 2
    table = ("# a table\nparam g = 9.81, A = .2, om = 9, e = .5, T = 2*pi/om, w = (1 - e)/(1 + e)*g*T/2, ph = %s\ncoord y\nlagrangian y'^2/2 - g*y\n"
             "contact floor: y >= A*cos(om*t + ph), restitution = e\nstart y = A*cos(pi + ph) + g*T^2/8 + .003\ntime 0 .. 30")
    for text, ph in (("asin(w/(A*om))", math.asin(w / (A * om))), ("pi - asin(w/(A*om))", math.pi - math.asin(w / (A * om)))):
        def impact(x):
            t, v = x
            u = T
            for _ in range(50):
                gap = A * math.cos(om * t + ph) + v * u - g * u * u / 2 - A * math.cos(om * (t + u) + ph)
                u -= gap / (v - g * u + A * om * math.sin(om * (t + u) + ph))
            return [t + u - T, -e * (v - g * u) - (1 + e) * A * om * math.sin(om * (t + u) + ph)]
        J = slopes(impact, [T / 2, g * T / 2])
        trace, det = J[0][0] + J[1][1], J[0][0] * J[1][1] - J[0][1] * J[1][0]
        orbit = b.one(table % text, "--period", "2*pi/om")
        b.period(orbit, T, "a ball on a table", 1e-15)
        if orbit:
            for z in nontrivial(orbit):
                b.near(abs(z * z - trace * z + det), 0, 1e-9 * abs(2 * z - trace), "a ball on a table: multiplier %s" % z)
    orbit = b.one("# a floor\ncoord y\nlagrangian y'^2/2 - 9.81*y\ncontact floor: y >= 0, restitution = 1\nstart y = 1\ntime 0 .. 30")
    b.period(orbit, 2 * math.sqrt(2 / 9.81), "an elastic ball", 1e-13)


def listed(b):
    """Events that are only listed change nothing."""
    plain = b.one("van-der-pol-cycle")
    with open(b.path("van-der-pol-cycle"), encoding="utf-8") as file:
        text = file.read()
    orbit = b.one(text + "\nevent there: x = .5\nevent back: x' = 0 rising")
    if plain and orbit:
        b.tally.check(plain["point"] == orbit["point"] and plain["period"] == orbit["period"], "an event that is only listed moves the orbit")


def refused(b):
    """What has no derivatives, and why."""
    b.code("ORBIT_CANNOT", 1, "sampled-cart", "--period", "h")
    b.code("ORBIT_MOTION_FAILS", 3, "bouncing-ball")
    b.code("ORBIT_NOT_ITS_PERIOD", 2, KICK % "every h: x' = x' + K", "--period", "1.5*h")
    b.code("ORBIT_NOT_ITS_PERIOD", 2, KICK % "every h: x' = x' + K*cos(t)", "--period", "h")
    b.code("ORBIT_NEEDS_PERIOD", 2, KICK % "every h: x' = x' + K")
    b.code("ORBIT_CANNOT", 1, "compass-gait", "--method", "fourier")
    b.code("ORBIT_CANNOT", 1, "compass-gait", "--method", "dual")
    b.code("ORBIT_CANNOT", 1, "compass-gait", "--find", "3")
    twins = ("# two at one time\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - 2*x^2 - 2*y^2\ndissipation .05*(x'^2 + y'^2)\nevent one: x = 0 rising\nevent two: y = 0 rising\nwhen one: x' = x' + .3\n"
             "when two: y' = y' + .3\nstart x' = 1, y' = 1\ntime 0 .. 30")
    b.code("ORBIT_MOTION_FAILS", 3, twins)
    counts = KICK % "held n\nevent up: x = 0 rising\nwhen up: x' = K + n, n = n + .1"
    status, out, _ = b.raw(counts, "--json")
    b.tally.check(status == 3, "a held value that does not return: exit %s, %s" % (status, out[:200]))


SECTIONS = (walker, slope, escapement, reset, clocks, relay, constrained, momenta, corners, bounces, listed, refused)


def main():
    program, _ = arguments()
    tally = Tally("orbit_instants")
    with tempfile.TemporaryDirectory() as folder:
        run_parts(SECTIONS, Bench(program, tally, folder))
    tally.done()


if __name__ == "__main__":
    main()

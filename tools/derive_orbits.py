#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Periodic orbits to 20 digits for tests/orbits/reference.csv: tools/derive_orbits.py > tests/orbits/reference.csv; one group: tools/derive_orbits.py lorenz.
--check FILE computes the quick ones again and compares. Columns: model and settings as the program takes them, name, period, a point of the orbit
(at t = 0 for driven systems), multipliers as "re im" separated by ";", largest first."""
import csv
import os
import sys
from fractions import Fraction

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests"))
import orbit_oracle as o  # noqa: E402
from mpmath import mp  # noqa: E402


def digits(x, n=20):
    return "0" if x == 0 else mp.nstr(mp.mpf(x), n)


def listing(values):
    return ";".join("%s %s" % (digits(mp.re(v)), digits(mp.im(v))) for v in values)


def row(model, settings, name, period, names, point, multipliers):
    return [model, settings, name, digits(period), " ".join("%s=%s" % (k, digits(v if abs(v) > 1e-36 else 0)) for k, v in zip(names, point)), listing(multipliers)]


# ---- closed forms, each checked by integration to 1e-35

def closes(system, x, T):
    end, m = o.flow(system, x, T, o.Fixed())
    assert max(abs(end[i] - x[i]) for i in range(system.n)) < mp.mpf(10) ** -35
    return m


def pendulum():
    for a in (Fraction(1, 10), Fraction(1), Fraction(3, 2), Fraction(3), Fraction(314, 100)):
        x = mp.mpf(a.numerator) / a.denominator
        T = 4 * mp.ellipk(mp.sin(x / 2) ** 2) / mp.sqrt(mp.mpf(981) / 100)
        closes(o.pendulum(), [x, 0], T)
        yield row("pendulum", "a=%s" % digits(x, 6), "swing", T, ["a", "a'"], [x, 0], [1, 1])


def duffing_free():
    """x'' = x - x^3 without force and damping: in one well D dn(D t/sqrt 2), across both D cn(w t)"""
    for D in (Fraction(11, 10), Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(3)):
        x = mp.mpf(D.numerator) / D.denominator
        one = x * x < 2
        T = 2 * mp.sqrt(2) / x * mp.ellipk(2 - 2 / x ** 2) if one else 4 * mp.ellipk(x * x / (2 * (x * x - 1))) / mp.sqrt(x * x - 1)
        closes(o.System(lambda x, v: [v, x - x * x * x], ["x", "x'"]), [x, 0], T)
        yield row("duffing", "gamma=0 delta=0 x=%s" % digits(x, 6), "one well" if one else "both wells", T, ["x", "x'"], [x, 0], [1, 1])


def kepler():
    for x, v in ((Fraction(2, 5), Fraction(2)), (Fraction(1), Fraction(1)), (Fraction(1), Fraction(6, 5))):
        a = 1 / (2 / mp.mpf(x.numerator) * x.denominator - (mp.mpf(v.numerator) / v.denominator) ** 2)
        T, point = 2 * mp.pi * a ** 1.5, [mp.mpf(x.numerator) / x.denominator, 0, 0, mp.mpf(v.numerator) / v.denominator]
        closes(o.kepler(), point, T)
        yield row("kepler", "x=%s y'=%s" % (digits(point[0], 6), digits(point[3], 6)), "ellipse", T, ["x", "y", "x'", "y'"], point, [1, 1, 1, 1])


# ---- limit cycles

def van_der_pol():
    for strength in (1, 5, 10):
        system = o.van_der_pol(strength)
        x, T = [2.0, 0.0], 0
        for _ in range(4):
            T, x, _ = o.to_section(system, x, lambda y: y[1], o.Doubles())
            x = [float(x[0]), 0.0]
        x, T, _, trace = o.closed_orbit(system, x, T, 1)
        yield row("van-der-pol", "mu=%d" % strength, "cycle", T, ["x", "x'"], x, [1, mp.exp(trace[0])])


def lorenz_chetaev():
    """Scaled time; the point is where xi is largest. The symmetric orbit, from the averaged one."""
    xi, eta, T = 0.59328, 0.846, 22.83
    for a in (10 ** 5, 10 ** 4, 10 ** 3, 350, 100, 28):
        guess = [(a, xi, eta, T)] if a >= 350 else [(b, None, None, None) for b in ((250, 180, 130, 100) if a == 100 else (80, 65, 53, 44, 37, 32, 28))]
        for b, *_ in guess:
            system = o.lorenz_chetaev(b)
            x, T, m, _ = o.closed_orbit(system, [xi, 0, eta], T, 1)
            xi, eta = x[0], x[2]
        small = mp.mpf(11) / mp.sqrt(10 * (a - 1))
        w = o.multipliers_of_three(m, -small * (1 + mp.mpf(8) / 33) * T)
        yield row("lorenz-chetaev", "a=%d" % a, "both wells", T, system.names, x, w)


# ---- Lorenz: words
# A letter is the side of a loop: A when x > 0 at the greatest height z. The place on the section z = 27, downwards, that belongs to it comes
# after that. The sign of x at the section itself would not do: after a high loop on one side x has passed 0 there (AAAAB is the first such orbit).

def above(y):
    return y[2] - 27


def rising(y):
    return y[0] * y[1] - 8 / 3 * y[2]


def letters_after(places):
    """The letter of the place that follows each of them."""
    system, arith = o.lorenz(vary=False), o.Doubles()
    return "".join("A" if o.to_section(system, p, rising, arith)[1][0] > 0 else "B" for p in places)


def word_of(nodes):
    after = letters_after(nodes)
    return after[-1] + after[:-1]


def mirror_word(w):
    return w.translate(str.maketrans("AB", "BA"))


def first_of(w):
    return min(v[i:] + v[:i] for v in (w, mirror_word(w)) for i in range(len(w)))


def is_prime(w):
    return all(w != w[:d] * (len(w) // d) for d in range(1, len(w)) if len(w) % d == 0)


def words_up_to(most):
    return sorted({first_of(w) for n in range(2, most + 1) for w in (bin(k)[2:].zfill(n).translate(str.maketrans("01", "AB")) for k in range(2 ** n))
                   if is_prime(w) and len(set(w)) == 2}, key=lambda w: (len(w), w))


def near_returns(system, start, g, count, skip=30):
    places, x, arith = [], start, o.Doubles()
    for k in range(count + skip):
        _, x, _ = o.to_section(system, x, g, arith)
        x = [float(v) for v in x[:system.n]]
        if k >= skip:
            places.append(x)
    return places


def lorenz():
    words = words_up_to(7)
    assert len(words) == 21
    places = near_returns(o.lorenz(vary=False), [1.0, 1.0, 1.0], above, 3000)
    letters = "A" + letters_after(places)[:-1]             # the first one is a guess and not used
    for w in words:
        n = len(w)
        starts = [i for i in range(1, len(places) - n) if first_of(letters[i:i + n]) == w]
        starts.sort(key=lambda i: sum((places[i][k] - places[i + n][k]) ** 2 for k in range(2)))
        for i in starts[:8]:
            got = o.cycle_on_section(o.lorenz(), [list(p) for p in places[i:i + n]], above, [0, 0, 1], 2)
            if got and first_of(word_of(got[0])) == w:
                break
        else:
            raise SystemExit("no orbit found for " + w)
        yield lorenz_row(w, *got)


def lorenz_row(w, nodes, T):
    found = word_of(nodes)
    for sign, v in ((1, found), (-1, mirror_word(found))):
        for i in range(len(w)):
            if v[i:] + v[:i] == w:
                point = [sign * nodes[i][0], sign * nodes[i][1], 27]
    x, T, m, _ = o.closed_orbit(o.lorenz(), point, T, 2)
    return row("lorenz", "", w, T, ["x", "y", "z"], x, o.multipliers_of_three(m, -mp.mpf(41) / 3 * T))


# ---- Roessler: returns to y = 0, x < 0

def rossler():
    g = lambda y: y[1]
    places = near_returns(o.rossler(vary=False), [-8.0, 0.1, 0.03], g, 1500)
    for n in (1, 2, 3):
        starts = sorted(range(len(places) - n), key=lambda i: abs(places[i][0] - places[i + n][0]))
        seen = []
        for i in starts[:40]:
            got = o.cycle_on_section(o.rossler(), [list(p) for p in places[i:i + n]], g, [0, 1, 0], 1)
            if got is None or any(abs(got[0][0][0] - got[0][d][0]) < 1e-6 for d in range(1, n)):
                continue                                   # a shorter orbit, several times round
            T = float(got[1])
            if any(abs(T - t) < 1e-8 for t in seen):
                continue
            seen.append(T)
            point = min(got[0])
            x, T, m, trace = o.closed_orbit(o.rossler(), [point[0], 0, point[2]], T, 1)
            yield row("rossler", "a=0.2 b=0.2 c=5.7", "period %d%s" % (n, " abcdefgh"[len(seen) if n > 2 else 0].strip()), T, ["x", "y", "z"], x,
                      o.multipliers_of_three(m, trace[0]))


# ---- Duffing, driven: all fixed points of the map over one period that Newton finds from a grid

def duffing_grid(om, most=2.4, count=61, steps=600):
    """Guesses, by fourth-order Runge-Kutta in doubles for all starts at once."""
    side = np.linspace(-most, most, count)
    x, v = [a.ravel().copy() for a in np.meshgrid(side, side)]
    h = 2 * np.pi / om / steps

    def f(t, s):
        x, v, a, b, c, d = s
        slope = 1 - 3 * x * x
        return np.array([v, x - x ** 3 - 0.2 * v + 0.3 * np.cos(om * t), c, d, slope * a - 0.2 * c, slope * b - 0.2 * d])
    for _ in range(25):
        one, zero = np.ones_like(x), np.zeros_like(x)
        s = np.array([x, v, one, zero, zero, one])
        with np.errstate(all="ignore"):
            for k in range(steps):
                k1 = f(k * h, s)
                k2 = f((k + .5) * h, s + h / 2 * k1)
                k3 = f((k + .5) * h, s + h / 2 * k2)
                k4 = f((k + 1) * h, s + h * k3)
                s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            rx, rv, a, b, c, d = x - s[0], v - s[1], s[2] - 1, s[3], s[4], s[5] - 1
            det = a * d - b * c
            dx, dv = (d * rx - b * rv) / det, (a * rv - c * rx) / det
            size = np.hypot(dx, dv)
            cut = np.minimum(1, 0.3 / size)
            x, v = x + cut * dx, v + cut * dv
        good = np.isfinite(x) & np.isfinite(v) & (np.abs(x) < 4) & (np.abs(v) < 6)
        x, v, size = x[good], v[good], size[good]
    found = []
    for p in zip(x[size < 1e-6], v[size < 1e-6]):
        if all(np.hypot(p[0] - q[0], p[1] - q[1]) > 1e-3 for q in found):
            found.append(p)
    return sorted(found)


def same(x, y):
    return abs(x[0] - y[0]) + abs(x[1] - y[1]) < 1e-9


def duffing_all(om):
    """Orbits with the period of the force, with their mirror images (x -> -x, half a period later): from the grid, or as images."""
    w, todo, found = mp.mpf(om.numerator) / om.denominator, duffing_grid(float(om)), []
    system, T = o.duffing(om), 2 * mp.pi / w
    while todo:
        got = o.forced_orbit(system, todo.pop(), T)
        if not got or any(same(got[0], other[0]) for other in found):
            continue
        half, _ = o.flow(system, got[0], T / 2, o.Fixed())
        found.append((got[0], [-half[0], -half[1]], got[1]))
        todo.append(found[-1][1])
    return w, T, sorted(found, key=lambda f: f[0][0])


def duffing():
    """From om = 1 on the grid shows three and no more. Below the folds there are many, some too unstable to be met from a grid: no claim to have them all."""
    for om in (Fraction(2), Fraction(8, 5), Fraction(7, 5), Fraction(6, 5), Fraction(1), Fraction(4, 5), Fraction(1, 2)):
        w, T, found = duffing_all(om)
        for k, (x, image, m) in enumerate(found):
            pair = next(i for i, other in enumerate(found) if same(other[0], image))
            assert abs(mp.det(m) - mp.exp(-T / 5)) < mp.mpf(10) ** -30
            kind = "symmetric" if pair == k else "mirror of %d" % (pair + 1)
            number = "%d of %d" % (k + 1, len(found)) if om >= 1 else "%d" % (k + 1)
            yield row("duffing", "om=%s" % digits(w, 6), "%s, %s" % (number, kind), T, ["x", "x'"], x, o.eigenvalues(m))


# Where the number or the kind of them changes. Name, guess (om, x, x'), whole or half period (symmetric orbits), the eigenvalue that the map has
SPECIAL = [
    ("period doubling, one well", ("1.34918452", "0.411", "0.194"), 1, -1),
    ("fold, one well", ("0.952076585", "1.3275", "0.1985"), 1, 1),
    ("fold, both wells", ("0.922941922", "-0.0935", "0.994"), 2, 1),
    ("symmetry breaking, both wells", ("0.547466333", "0.53", "0.725"), 2, -1),
]


def duffing_special():
    for name, guess, parts, eigenvalue in SPECIAL:
        z = [mp.mpf(v) for v in guess]
        for _ in range(20):
            r, J = special_residual(z, parts, eigenvalue), mp.matrix(3, 3)
            for k in range(3):
                shifted = [v + (mp.mpf(10) ** -18 if i == k else 0) for i, v in enumerate(z)]
                for i, v in enumerate(special_residual(shifted, parts, eigenvalue)):
                    J[i, k] = (v - r[i]) * mp.mpf(10) ** 18
            step = mp.lu_solve(J, -mp.matrix(r))
            z = [v + d for v, d in zip(z, step)]
            if mp.norm(step) < mp.mpf(10) ** -26:
                break
        else:
            raise SystemExit("not found: " + name)
        T = 2 * mp.pi / z[0]
        m = o.flow(o.duffing(z[0]), z[1:], T, o.Fixed())[1]
        side = eigenvalue if parts == 1 else 1             # twice half way: its square
        w = [mp.mpc(side), side * mp.exp(-T / 5)]
        assert abs(w[0] + w[1] - m[0, 0] - m[1, 1]) < mp.mpf(10) ** -15
        yield row("duffing", "om=%s" % digits(z[0]), name, T, ["x", "x'"], z[1:], w)


def special_residual(z, parts, eigenvalue):
    om, x = z[0], z[1:]
    end, m = o.flow(o.duffing(om), x, 2 * mp.pi / om / parts, o.Fixed())
    sign = 1 if parts == 1 else -1
    return [sign * end[0] - x[0], sign * end[1] - x[1], 1 - eigenvalue * sign * (m[0, 0] + m[1, 1]) + m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0]]


# ---- double pendulum: the two families of swings that pass the position of rest, at energy e above it

def double_pendulum():
    system, g = o.double_pendulum(), mp.mpf(981) / 100
    for name, sign in (("slow", 1), ("fast", -1)):
        ratio, square = sign * mp.sqrt(2), g * (2 - sign * mp.sqrt(2))
        for e in (Fraction(1, 1000), Fraction(1, 100), Fraction(1, 10), Fraction(1)):
            energy = mp.mpf(e.numerator) / e.denominator
            if e == Fraction(1, 1000):
                a = mp.sqrt(energy / (g * (1 + ratio ** 2 / 2)))
                z = [a, ratio * a, mp.pi / 2 / mp.sqrt(square)]
            else:
                z = [z[0] * mp.sqrt(10), z[1] * mp.sqrt(10), z[2]]
            x, T = swing(system, z, energy, g)
            z = [x[0], x[1], T / 4]
            m = closes(system, x, T)
            s = (mp.re(sum(m[i, i] for i in range(4))) - 2) / 2
            root = mp.sqrt(mp.mpc(s * s - 1))
            pair = sorted([s + root, s - root], key=lambda v: (-abs(v), -mp.im(v)))
            w = [pair[0], 1, 1, pair[1]] if abs(mp.im(root)) == 0 else [1, 1] + pair
            yield row("double-pendulum", "e=%s" % digits(energy, 6), name, T, system.names, x, w)


def swing(system, z, energy, g):
    """From rest at (a, b) both angles vanish together after a quarter of the period."""
    for _ in range(30):
        a, b, quarter = z
        end, m = o.flow(system, [a, b, 0, 0], quarter, o.Fixed())
        residual = mp.matrix([end[0], end[1], 2 * g * (1 - mp.cos(a)) + g * (1 - mp.cos(b)) - energy])
        J = mp.matrix([[m[0, 0], m[0, 1], end[2]], [m[1, 0], m[1, 1], end[3]], [2 * g * mp.sin(a), g * mp.sin(b), 0]])
        step = mp.lu_solve(J, -residual)
        z = [z[i] + step[i] for i in range(3)]
        if mp.norm(step) < mp.mpf(10) ** -38:
            return [z[0], z[1], mp.mpf(0), mp.mpf(0)], 4 * z[2]
    raise SystemExit("no swing at this energy")


GROUPS = {"pendulum": pendulum, "duffing-free": duffing_free, "kepler": kepler, "van-der-pol": van_der_pol, "lorenz": lorenz,
          "lorenz-chetaev": lorenz_chetaev, "rossler": rossler, "duffing": duffing, "duffing-special": duffing_special,
          "double-pendulum": double_pendulum}
QUICK = ["pendulum", "duffing-free", "kepler", "van-der-pol"]
HEAD = ["model", "settings", "name", "period", "point", "multipliers"]


def check(path):
    with open(path, newline="") as file:
        there = {tuple(r[:3]): r for r in csv.reader(file)}
    passed = failed = 0
    for group in QUICK:
        for r in GROUPS[group]():
            good = there.get(tuple(r[:3])) == r
            passed, failed = passed + good, failed + (not good)
            if not good:
                print("derive_orbits: not as in the file:", r)
    print("derive_orbits: %d passed, %d failed" % (passed, failed))
    return failed != 0


def main(arguments):
    if arguments[:1] == ["--check"]:
        return check(arguments[1])
    out = csv.writer(sys.stdout, lineterminator="\n")
    if not arguments:
        out.writerow(HEAD)
    for group in arguments or GROUPS:
        for r in GROUPS[group]():
            out.writerow(r)
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

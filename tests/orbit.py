#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Periodic orbits: periods, points and multipliers beside 20-digit references, closed forms and AUTO's branches; invariants that hold whatever the numbers are;
the same orbit in other units, coordinates and by other methods; what is written, what is refused.

usage: orbit.py [--program FILE] [--only PART ...] [--list]"""
import csv
import json
import math
import os
import signal
import subprocess
import sys
import tempfile

from program import ROOT, Tally, arguments, begin, call, rows, run_parts

EPS = sys.float_info.epsilon
CLOSE = 1e-13                                   # what is asked of periods, relative
BLOCK = 1e-4                                    # a multiplier 1 that is double or fourfold: the root of its rounding
METHODS = ("shooting", "fourier", "dual")


def table(name):
    with open(os.path.join(ROOT, "tests", "orbits", name), encoding="utf-8") as file:
        return list(csv.DictReader(file))


def pairs(text):
    """'x=1 y=2' as {name: text}."""
    return dict(word.split("=") for word in text.split())


class Bench:
    def __init__(self, program, tally, folder):
        self.program, self.tally, self.folder = program, tally, folder
        self.reference = [dict(row, multipliers=[complex(*map(float, m.split())) for m in row["multipliers"].split(";")]) for row in table("reference.csv")]

    def path(self, model):
        if "\n" not in model:
            return model if "/" in model else os.path.join(ROOT, "models", model + ".act")
        path = os.path.join(self.folder, "m.act")
        with open(path, "w", encoding="utf-8") as file:
            file.write(model + "\n")
        return path

    def raw(self, model, *words):
        return call(self.program, "orbit", self.path(model), *words)

    def answer(self, model, *words):
        """The JSON object, or an empty one."""
        status, out, err = self.raw(model, *words, "--json")
        what = "%s %s" % (model.strip().split("\n")[0], " ".join(words))
        if not self.tally.check(status == 0, "%s: exit %s %s" % (what, status, (err or out)[:300])):
            return {}
        return json.loads(out)

    def one(self, model, *words):
        """The first orbit, or none."""
        found = self.answer(model, *words).get("orbits")
        return found[0] if found else None

    def near(self, value, wanted, bound, what):
        return self.tally.check(abs(value - wanted) <= bound, "%s: %.17g, not %.17g: off by %.1e, not within %.0e" % (what, value, wanted, abs(value - wanted), bound))

    def period(self, orbit, wanted, what, bound=CLOSE):
        return orbit is not None and self.near(orbit["period"], wanted, bound * max(1, wanted), what + ": period")

    def multipliers(self, orbit, wanted, what, block=1):
        """Each within its condition: simple ones to 1e-9 of their size, `block` ones at 1 to BLOCK."""
        if orbit is None:
            return
        left = [complex(*m) for m in orbit["multipliers"]]
        if not self.tally.check(len(left) == len(wanted), "%s: multipliers %s, not %s" % (what, left, wanted)):
            return
        for w in wanted:
            m = min(left, key=lambda z: abs(z - w))
            left.remove(m)
            bound = BLOCK if block > 1 and w == 1 else 1e-9 * abs(w)
            self.tally.check(abs(m - w) <= bound, "%s: multiplier %s, not %s" % (what, m, w))

    def code(self, wanted, status, model, *words):
        """A finding is said, with its exit status."""
        code, out, _ = self.raw(model, *words, "--json")
        found = json.loads(out) if out.strip() else {}
        said = [m["code"] for key in ("errors", "warnings", "notes") for m in found.get(key, [])]
        what = "%s %s" % (model.strip().split("\n")[0], " ".join(words))
        self.tally.check(wanted in said, "%s: %s is not among %s" % (what, wanted, said))
        self.tally.check(code == status, "%s: exit %s, not %s" % (what, code, status))
        return found


def nontrivial(orbit):
    return sorted((complex(*m) for m, why in zip(orbit["multipliers"], orbit["trivial"]) if not why), key=lambda z: (-abs(z), z.imag))


def data(point):
    """A printed point as words for --start, to the last bit."""
    return ["--start", ",".join("%s=%r" % item for item in point.items())]


# ---- closed forms

def agm(a, b):
    for _ in range(12):                         # quadratic: 12 serve for moduli up to 1 - 1e-300
        a, b = (a + b) / 2, math.sqrt(a * b)
    return (a + b) / 2


def complete(k):
    """K and E by the arithmetic-geometric mean; k the modulus."""
    a, b, total, power = 1.0, math.sqrt((1 - k) * (1 + k)), k * k / 2, 1.0
    for _ in range(12):
        a, b, c = (a + b) / 2, math.sqrt(a * b), (a - b) / 2
        total, power = total + power * c * c, 2 * power
    K = math.pi / (2 * a)
    return K, K * (1 - total)


def pendulum_period(amplitude, rate=math.sqrt(9.81)):
    return 2 * math.pi / rate / agm(1, math.cos(amplitude / 2))


QUARTIC = "# a quartic well\nparam s = 1\ncoord x\nlagrangian x'^2/2 - s*x^2/2 - x^4/4\nstart x = 1\ntime 0 .. 40"


def quartic_period(s, x):
    """x'' = -s x - x^3 from rest at x > 0, around 0, or for s < 0 and x^2 < -2 s around sqrt(-s)."""
    if s < 0 and x * x < -2 * s:
        low, high = min(x, math.sqrt(-2 * s - x * x)), max(x, math.sqrt(-2 * s - x * x))
        return math.sqrt(2) * math.pi / agm(high, low)
    return 2 * math.pi / agm(math.sqrt(s + x * x), math.sqrt(s + x * x / 2))


def pendulum(b):
    for a in (.1, 1, 2, 3):
        b.period(b.one("pendulum", "--start", "a=%r" % a, "--time", "0..20"), pendulum_period(a), "pendulum from %g" % a)
    orbit = b.one("pendulum")
    if orbit:
        b.tally.check(math.hypot(orbit["point"]["a"] - 2, orbit["point"]["a_dot"]) < 4 * EPS, "pendulum: the orbit through the start is shown, not %s" % orbit["point"])
        b.tally.check(set(orbit["trivial"]) == {"along the motion", "energy"}, "pendulum: trivial multipliers %s" % orbit["trivial"])
        b.tally.check(orbit["stability"] == "neutral", "pendulum is %s" % orbit["stability"])
    for speed in (7, 8, 20):                    # over the top: E + g = g*(1/m + ...), T = 2 k K/w with k = 2 w/speed
        k = 2 * math.sqrt(9.81) / speed
        b.period(b.one("pendulum", "--start", "a=0,a_dot=%r" % speed, "--turn", "a=2*pi"), 2 * k * complete(k)[0] / math.sqrt(9.81), "pendulum turning with %g" % speed)


def wells(b):
    for s, x in ((1, 1), (1, 3), (0, 1), (-1, 1.1), (-1, 1.25), (-1, 1.5), (-1, 2)):
        orbit = b.one(QUARTIC, "--set", "s=%d" % s, "--start", "x=%r" % x)
        b.period(orbit, quartic_period(s, x), "quartic well %d from %g" % (s, x))
        b.multipliers(orbit, [1, 1], "quartic well %d from %g" % (s, x), 2)


def kepler(b):
    for x, v in ((.4, 2), (1, 1), (1, 1.2)):
        a = 1 / (2 / x - v * v)
        orbit = b.one("kepler", "--start", "x=%r,y_dot=%r" % (x, v), "--time", "0..40")
        b.period(orbit, 2 * math.pi * a ** 1.5, "kepler from %g with %g" % (x, v))
        b.multipliers(orbit, [1, 1, 1, 1], "kepler from %g with %g" % (x, v), 4)
        # a circle: the motion is the rotation, and energy and spin have one gradient; what else is 1 shows in the turn only
        wanted = ["along the motion", "energy"] + (["not explained"] * 2 if (x, v) == (1, 1) else ["charge.spin", "symmetry.spin"])
        if orbit:
            b.tally.check(sorted(map(str, orbit["trivial"])) == sorted(wanted), "kepler from %g with %g: %s" % (x, v, orbit["trivial"]))
            b.tally.check(all(m == [1, 0] for m in orbit["multipliers"]), "kepler from %g with %g: each is 1, not %s" % (x, v, orbit["multipliers"]))


DRIVEN = "# a driven oscillator\nparam k = 2, c = .3, F = 1, om = 1\ncoord x\nlagrangian x'^2/2 - k*x^2/2\ndissipation c/2*x'^2\nforce x = F*cos(om*t)\nstart x = .1\ntime 0 .. 20"


def driven(b):
    """x'' + c x' + k x = F cos(om t): its only orbit, and exp of the eigenvalues times the period."""
    for k, c, om in ((2, .3, 1), (2, .3, 5), (1, 3, .2)):
        for method in METHODS:
            orbit = b.one(DRIVEN, "--set", "k=%r,c=%r,om=%r" % (k, c, om), "--period", "2*pi/om", "--method", method)
            z, T = 1 / complex(k - om * om, c * om), 2 * math.pi / om
            root = (-c + (complex(c * c - 4 * k)) ** .5) / 2, (-c - (complex(c * c - 4 * k)) ** .5) / 2
            what = "driven oscillator (%g, %g, %g) by %s" % (k, c, om, method)
            b.period(orbit, T, what, 4 * EPS)
            b.multipliers(orbit, [complex(math.e) ** (r * T) for r in root], what)
            if orbit:
                b.near(orbit["point"]["x"], z.real, 1e-13, what + ": x")
                b.near(orbit["point"]["x_dot"], -om * z.imag, 1e-13, what + ": x'")


def switches(b):
    """Corners in the potential: half periods of two oscillators, and 4 sqrt(2 x) of |x|; an orbit of two oscillators in turn that is driven."""
    b.period(b.one("bilinear-oscillator"), 4 * math.pi / 3, "bilinear oscillator")
    orbit = b.one("# a corner\ncoord x\nlagrangian x'^2/2 - abs(x)\nstart x = 1\ntime 0 .. 20")
    b.period(orbit, 4 * math.sqrt(2), "|x|")
    if orbit:
        b.tally.check(set(orbit["trivial"]) == {"along the motion", "energy"}, "|x|: %s" % orbit["trivial"])
    orbit = b.one(SWITCHED, "--period", "2*pi/om")
    if orbit:                                   # damping is the same on both sides, so what volumes do is known
        b.near(sum(orbit["log_moduli"]), -.2 * orbit["period"], 1e-12, "stiffer on one side: sum of the logarithms")


# ---- what is 1, and why

BODIES = ("x1'^2 + y1'^2 + x2'^2 + y2'^2 + x3'^2 + y3'^2", "+ 1/sqrt((x1-x2)^2 + (y1-y2)^2) + 1/sqrt((x1-x3)^2 + (y1-y3)^2) + 1/sqrt((x2-x3)^2 + (y2-y3)^2)")
EIGHT_START = "\nstart x1 = .97000436, y1 = -.24308753, x2 = -.97000436, y2 = .24308753, x1' = .466203685%s, y1' = .43236573%s, x2' = .466203685%s, y2' = .43236573%s, x3' = -.93240737, y3' = -.86473146\ntime 0 .. 7"
EIGHT = "# three bodies on an eight\ncoord x1, y1, x2, y2, x3, y3\nlagrangian (%s)/2 %s" % BODIES + EIGHT_START % ("", "", "", "")
TURNING = ("# the same in a frame that turns\nparam w = .05, T = 6.325914\ncoord x1, y1, x2, y2, x3, y3\nlagrangian ((x1' - w*y1)^2 + (y1' + w*x1)^2 + (x2' - w*y2)^2 + (y2' + w*x2)^2 + (x3' - w*y3)^2 + (y3' + w*x3)^2)/2 %s"
           % BODIES[1] + EIGHT_START % (" - w*.24308753", " - w*.97000436", " + w*.24308753", " + w*.97000436"))
HENON = "# Henon and Heiles\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3\nstart x' = .4, y = .1\ntime 0 .. 20"
CONICAL = "# a circle on a sphere\nparam h = pi/3, g = 9.81\ncoord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2 - g*z\nconstraint rod: x^2 + y^2 + z^2 = 1\nstart x = sin(h), z = -cos(h), y' = sin(h)*sqrt(g/cos(h))\ntime 0 .. 5"
PREY = "# prey and hunters\nstate u, w\nflow u' = u*(1 - w)\nflow w' = w*(u - 1)\nstart u = 1.5, w = 1\ntime 0 .. 30"
UPRIGHT = "# an upright disk in a circle\ncoord x, y, th, ph\nlagrangian (x'^2 + y'^2)/2 + th'^2/4 + ph'^2/8\nconstraint a: x' = th'*cos(ph)\nconstraint b: y' = th'*sin(ph)\nstart th' = 1.3, ph' = 1, x' = 1.3\ntime 0 .. 10"


def explained(b, orbit, count, without, what):
    """So many multipliers are 1 for a reason, so many without, and each of them is 1 to the last bit."""
    if orbit is None:
        return
    left = [m for m, why in zip(orbit["multipliers"], orbit["trivial"]) if why]
    b.tally.check(orbit["explained"] == count and orbit["unexplained"] == without, "%s: %d and %d are 1, not %d and %d: %s" % (what, orbit["explained"], orbit["unexplained"], count, without, orbit["trivial"]))
    b.tally.check(all(m == [1, 0] for m in left) and len(left) == count + without, "%s: ones are %s" % (what, left))


def rest(b, orbit, wanted, bound, what):
    if orbit is None:
        return
    left = nontrivial(orbit)
    if b.tally.check(len(left) == len(wanted), "%s: the others are %s, not %s" % (what, left, wanted)):
        for w in wanted:
            m = min(left, key=lambda z: abs(z - w))
            left.remove(m)
            b.near(abs(m - w), 0, bound, "%s: multiplier %s, not %s" % (what, m, w))


def on_circle(angle):
    return [complex(math.cos(angle), math.sin(angle)), complex(math.cos(angle), -math.sin(angle))]


def eights(b):
    """The eight: the exponents of Simo (2002), 8 digits; shifts, the rotation and what they conserve are found without a statement. In frames that turn, shifts are no symmetries any more: their
    multipliers are exp(i w T), which is 1 after a whole turn, each twice and in a block."""
    nu = on_circle(2 * math.pi * .00842272) + on_circle(2 * math.pi * .29809253)
    orbit = b.one(EIGHT, "--period", "6.3259")
    explained(b, orbit, 8, 0, "eight")
    rest(b, orbit, nu, 1e-7, "eight")
    if orbit:
        b.tally.check(orbit["stability"] == "neutral", "the eight is %s" % orbit["stability"])
        for word in ("energy", "shift of x1, x2, x3", "momentum of y1, y2, y3", "rotation of x1, y1, x2, ...", "angular momentum of x1, y1, x2, ..."):
            b.tally.check(word in orbit["trivial"], "eight: %s is not among %s" % (word, orbit["trivial"]))
    stated = EIGHT + "\nsymmetry spin: x1 = -y1, y1 = x1, x2 = -y2, y2 = x2, x3 = -y3, y3 = x3"
    orbit = b.one(stated, "--period", "6.3259")
    explained(b, orbit, 8, 0, "eight with its rotation")
    b.tally.check(orbit is not None and {"charge.spin", "symmetry.spin"} < set(orbit["trivial"]), "eight with its rotation: %s" % (orbit and orbit["trivial"]))
    for turns, factor in (("2", 1), ("1", 2)):
        orbit = b.one(TURNING, "--set", "w=%s*pi/6.325914009393124" % turns, "--period", "%d*T" % factor)
        explained(b, orbit, 4, 4, "eight while the frame turns once")
        rest(b, orbit, [m ** factor for m in nu], 1e-6, "eight while the frame turns once")
        b.tally.check(orbit is not None and orbit["stability"] == "neutral", "eight while the frame turns once: %s" % (orbit and orbit["stability"]))
    orbit = b.one(TURNING, "--period", "T")
    explained(b, orbit, 4, 0, "eight that turns slowly")
    if orbit:
        for w in 2 * on_circle(.05 * orbit["period"]):
            b.near(min(abs(m - w) for m in nontrivial(orbit)), 0, BLOCK, "eight that turns slowly: shifts")


def monodromy(rates, y, period, steps=4000):
    """Runge and Kutta's method for y and its derivatives by the start: `rates` gives f(y) and f_y(y)."""
    n = len(y)

    def f(z):
        value, J = rates(z[:n])
        return value + [sum(J[i][k] * z[n + k * n + j] for k in range(n)) for i in range(n) for j in range(n)]
    z, h = list(y) + [float(i == j) for i in range(n) for j in range(n)], period / steps
    for _ in range(steps):
        a = f(z)
        c = f([u + h / 2 * v for u, v in zip(z, a)])
        d = f([u + h / 2 * v for u, v in zip(z, c)])
        e = f([u + h * v for u, v in zip(z, d)])
        z = [u + h / 6 * (p + 2 * q + 2 * r + s) for u, p, q, r, s in zip(z, a, c, d, e)]
    return [z[n + i * n:n + i * n + n] for i in range(n)]


def henon(z):
    x, y, u, v = z
    return [u, v, -x - 2 * x * y, -y - x * x + y * y], [[0, 0, 1, 0], [0, 0, 0, 1], [-1 - 2 * y, -2 * x, 0, 0], [-2 * x, -1 + 2 * y, 0, 0]]


def ones(b):
    """What is 1 for a reason, and nothing else: relative equilibria, families, limit cycles, rolling."""
    for words in ((), ("--start", "x=0,y=-.2,x'=.3,y'=0"), ("--start", "x=0,y=.3,x'=.35,y'=0")):
        orbit = b.one(HENON, *words)
        explained(b, orbit, 2, 0, "Henon and Heiles")
        if orbit:                               # m + 1/m is the trace less 2; the method leaves (T/4000)^4 of it
            M = monodromy(henon, [orbit["point"][name] for name in ("x", "y", "x_dot", "y_dot")], orbit["period"])
            b.near(sum(nontrivial(orbit)).real, sum(M[i][i] for i in range(4)) - 2, 1e-8, "Henon and Heiles %s: trace" % " ".join(words))
    for h in (.5, 1.1):                         # small deviations from the circle: rate w sqrt(1 + 3 cos^2 h)
        orbit = b.one(CONICAL, "--set", "h=%r" % h)
        explained(b, orbit, 2, 0, "conical pendulum")
        rest(b, orbit, on_circle(2 * math.pi * math.sqrt(1 + 3 * math.cos(h) ** 2)), 1e-9, "conical pendulum at %g" % h)
    explained(b, b.one("spherical-pendulum"), 4, 0, "spherical pendulum")
    explained(b, b.one("# an ellipse in space\ncoord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2 - (x^2 + y^2 + z^2)/2\nstart x = 1, y = .1, x' = .1, y' = .5, z' = .3\ntime 0 .. 10"), 6, 0, "an ellipse in space")
    explained(b, b.one("# bounces\ncoord z\nlagrangian z'^2/2 - 9.81*z\ncontact floor: z >= 0, restitution = 1\nstart z = 1\ntime 0 .. 10"), 2, 0, "elastic bounces")
    orbit = b.one(UPRIGHT, "--turn", "ph=2*pi", "--loose", "th")
    explained(b, orbit, 6, 0, "upright disk")   # both rates stay, positions are shifted: nothing is left
    orbit = b.one(PREY)
    explained(b, orbit, 1, 1, "prey and hunters")
    b.tally.check(orbit is not None and orbit["stability"] == "neutral", "prey and hunters: %s" % (orbit and orbit["stability"]))
    status, out, _ = b.raw(PREY)
    b.tally.check("1 more multiplier is 1 within its error: a family of orbits, or a symmetry that was not found" in out, "prey and hunters: %s" % out)
    for mu in (1e-3, 1e-5):                     # a brake that hardly acts: exp(-2 pi mu), and no energy
        orbit = b.one("van-der-pol", "--set", "mu=%r" % mu, "--time", "0..100", "--start", "x=2")
        explained(b, orbit, 1, 0, "van der Pol, mu = %g" % mu)
        rest(b, orbit, [math.exp(-2 * math.pi * mu)], 4 * mu * mu, "van der Pol, mu = %g" % mu)


# ---- references

def settings(row):
    return pairs(row["settings"])


def of(b, model):
    return [row for row in b.reference if row["model"] == model]


def swings(b):
    """Families: the period has the energy's rounding in it, dT/dE large near the upper rest."""
    for row in of(b, "pendulum"):
        a = float(settings(row)["a"])
        slope = 2 / math.sqrt(9.81) / (math.pi - a) / math.sin(a)
        b.period(b.one("pendulum", "--start", "a=%r" % a, "--time", "0..30"), float(row["period"]), "pendulum from %g" % a, CLOSE + 4 * slope * EPS)
    for row in of(b, "duffing"):
        if "gamma" in row["settings"]:
            b.period(b.one(QUARTIC, "--set", "s=-1", "--start", "x=" + settings(row)["x"]), float(row["period"]), "duffing, %s" % row["settings"])
    for row in of(b, "double-pendulum"):
        at = pairs(row["point"])
        orbit = b.one("double-pendulum", "--start", "a=%s,b=%s" % (at["a"], at["b"]), "--period", row["period"])
        b.period(orbit, float(row["period"]), "double pendulum, %s %s" % (row["settings"], row["name"]))
        b.multipliers(orbit, row["multipliers"], "double pendulum, %s %s" % (row["settings"], row["name"]), 2)


def cycles(b):
    for row in of(b, "van-der-pol"):
        mu = settings(row)["mu"]
        orbit = b.one("van-der-pol", "--set", "mu=" + mu, "--time", "0..%d" % (30 + 20 * int(mu)))
        b.period(orbit, float(row["period"]), "van der Pol %s" % mu)
        b.multipliers(orbit, row["multipliers"], "van der Pol %s" % mu)
    for row in of(b, "lorenz-chetaev"):
        at = pairs(row["point"])
        orbit = b.one("lorenz-chetaev", "--set", "a=" + settings(row)["a"], "--start", "xi=%s,eta=%s" % (at["xi"][:6], at["eta"][:6]), "--period", row["period"][:4])
        b.period(orbit, float(row["period"]), "Lorenz in Chetaev's form, a = %s" % settings(row)["a"])
        b.multipliers(orbit, row["multipliers"], "Lorenz in Chetaev's form, a = %s" % settings(row)["a"])


ROSSLER = "# Roessler's equations\nparam a = .2, b = .2, c = 5.7\nstate x, y, z\nflow x' = -y - z\nflow y' = x + a*y\nflow z' = b + z*(x - c)\nstart x = -7, z = .01\ntime 0 .. 200"


def rossler(b):
    """A system without a mirror: near returns in place of words."""
    found = b.answer(ROSSLER, "--find", "4").get("orbits", [])
    known = sorted(of(b, "rossler"), key=lambda row: float(row["period"]))
    b.tally.check(len(found) == 4, "Roessler: %d orbits" % len(found))
    for orbit, row in zip(found, known):
        b.period(orbit, float(row["period"]), "Roessler, " + row["name"])
        b.multipliers(orbit, row["multipliers"], "Roessler, " + row["name"])


def by_points(b):
    """Driven orbits: the point itself at t = 0, stable and unstable ones, and a period doubling."""
    for row in of(b, "duffing"):
        if "om" not in settings(row) or "fold" in row["name"] or "breaking" in row["name"]:
            continue                            # where 1 is a multiplier the orbit is not determined to these digits
        at = {name.replace("'", "_dot"): float(x) for name, x in pairs(row["point"]).items()}
        orbit = b.one("duffing", "--set", "om=" + settings(row)["om"], "--start", "x=%.6g,x_dot=%.6g" % (at["x"], at["x_dot"]), "--period", "2*pi/om")
        what = "duffing, %s, %s" % (row["settings"], row["name"])
        most = max(abs(m) for m in row["multipliers"])
        if orbit:
            for name, x in at.items():          # six digits: a multiplier of 1000 makes of them what three were
                b.near(orbit["point"][name], x, 1e-13 * max(1, most), what + ": " + name)
        b.multipliers(orbit, row["multipliers"], what)


def lorenz(b):
    """AB to 1e-14 by each method; the other words from the third digit of a point."""
    for row in of(b, "lorenz"):
        at = pairs(row["point"])
        for method in METHODS if len(row["name"]) < 5 else METHODS[:1]:
            orbit = b.one("lorenz", "--start", "x=%s,y=%s,z=27" % (at["x"][:8], at["y"][:8]), "--period", row["period"][:6], "--method", method)
            what = "Lorenz %s by %s" % (row["name"], method)
            b.period(orbit, float(row["period"]), what, 1e-14)
            b.multipliers(orbit, row["multipliers"], what)
    orbit = b.one("lorenz", "--method", "fourier")
    b.tally.check(orbit is not None and orbit["residual"] < 1e-12, "Lorenz by fourier, without a guess")


def find(b):
    """All words up to five letters and more, each once, shortest first."""
    known = {row["name"]: row for row in of(b, "lorenz")}
    found = b.answer("lorenz", "--find", "24").get("orbits", [])
    periods = [orbit["period"] for orbit in found]
    b.tally.check(len(found) == 24 and periods == sorted(periods), "lorenz --find 24: %d orbits, %s" % (len(found), periods))
    b.tally.check(max([o["residual"] for o in found], default=1) < 1e-12, "lorenz --find 24: a residual of %g" % max([o["residual"] for o in found], default=1))
    words = [orbit["word"] for orbit in found]
    b.tally.check(len(set(words)) == len(words) and words[:4] == ["AB", "AAB", "AAAB", "AABB"], "lorenz --find 24: words %s" % words)
    shortest = sorted(float(row["period"]) for row in known.values())[:20]
    for mine, exact in zip(periods, shortest):
        b.near(mine, exact, CLOSE * exact, "lorenz --find 24")
    for orbit in found:
        if orbit["word"] in known:
            b.period(orbit, float(known[orbit["word"]]["period"]), "lorenz --find: " + orbit["word"])
            b.multipliers(orbit, known[orbit["word"]]["multipliers"], "lorenz --find: " + orbit["word"])
    four = b.answer("lorenz", "--find", "4", "--start", "x=-3,y=2,z=20").get("orbits", [])
    b.tally.check([o["word"] for o in four] == ["AB", "AAB", "AAAB", "AABB"], "lorenz --find 4 from elsewhere: %s" % [o["word"] for o in four])


# ---- averages

def averaged(sigma, b):
    """(eta, D, period) of the orbit around both wells, DUAL 6 (I), (II): bisection in log(1 - m)."""
    kappa = (2 * sigma - b) / (sigma + 1)

    def means(rest):
        m = 1 - rest
        K, E = complete(math.sqrt(m))
        c2 = (E / K - rest) / m
        c4 = (2 * (2 * m - 1) * c2 + rest) / (3 * m)
        return m, K, c2, (rest + (2 * m - 1) * c2 - m * c4) / (m * (c4 - c2 * c2))

    low, high = math.log(1e-12), math.log(.9)  # the ratio falls with m
    for _ in range(200):
        middle = (low + high) / 2
        if means(math.exp(middle))[3] < kappa:
            low = middle
        else:
            high = middle
    m, K, c2, _ = means(math.exp(low))
    w = math.sqrt(b / (2 * m * c2 * (2 * sigma - b) - b * (1 - 2 * m)))
    D = math.sqrt(2 * m) * w
    return 1 + w * w - D * D, D, 4 * K / w


def averages(b):
    """Ten digits of the published levels, and of the elliptic closed form for other coefficients; a does not enter."""
    eta, D, T = averaged(10, 8 / 3)
    b.near(eta, .8455779782789529, 1e-14, "closed form: eta")
    b.near(T, 22.83002550474469, 1e-12, "closed form: period")
    for sigma, c, a in ((10, 8 / 3, 1e3), (10, 8 / 3, 1e5), (10, 1, 1e4), (16, 4, 1e4), (5, 2, 1e4)):
        eta, D, T = averaged(sigma, c)
        words = ["--set", "sigma=%r,b=%r,a=%r,eta0=%.3f,D=%.3f" % (sigma, c, a, eta, D)]
        answer = b.answer("lorenz-averaged", "--average", "en,hold", *words)
        what = "averages, sigma = %g, b = %g, a = %g" % (sigma, c, a)
        if answer:
            levels = answer["average"]["levels"]
            b.near(levels["hold"], eta, 1e-10 * eta, what + ": eta")
            b.near(levels["en"], (eta - 1) * D * D + D ** 4 / 2, 1e-10, what + ": energy")
            b.near(answer["average"]["period"], T, 1e-10 * T, what + ": period")
            mu = (sigma + 1) / math.sqrt(sigma * (a - 1))
            b.near(answer["orbits"][0]["period"], T, mu * mu * T, what + ": the true orbit is O(mu^2) away")
    row = next(row for row in of(b, "lorenz-chetaev") if row["settings"] == "a=1000")
    b.period(b.one("lorenz-averaged", "--average", "en,hold"), float(row["period"]), "the orbit behind the averages at a = 1000")
    answer = b.answer("lorenz-averaged", "--average", "en,hold", "--follow", "a=1000..28")
    if answer.get("orbits"):
        b.period(answer["orbits"][0], 1.5586522107161747276 * math.sqrt(270), "averages at a = 1000, followed to AB at 28")
    b.code("AVERAGE_UNKNOWN", 2, "lorenz-averaged", "--average", "en,held")


# ---- laws

def divergence(b):
    """The product of all multipliers is exp of the integral of the divergence, which is constant in Lorenz's equations; log_moduli keep what underflows."""
    for word, T in (("AB", "1.5587"), ("AAB", "2.3059")):
        orbit = b.one("lorenz-" + word.lower(), "--period", "T")
        if orbit:
            wanted = -(11 + 8 / 3) * orbit["period"]
            b.near(sum(orbit["log_moduli"]), wanted, 1e-12 * abs(wanted), "Lorenz %s: sum of the logarithms" % word)
    for mu in (1, 10, 100):
        path = os.path.join(b.folder, "orbit.csv")
        orbit = b.one("van-der-pol", "--set", "mu=%d" % mu, "--time", "0..%d" % (30 + 5 * mu), "-o", path, "--points", "4001")
        if orbit:
            with open(path, encoding="utf-8") as file:
                line = rows(file.read())
            x = [row["x"] for row in line[1:]]  # a mean of equal samples over the period: no error but the jumps' between samples
            wanted = mu * orbit["period"] * sum(1 - z * z for z in x) / len(x)
            total = sum(m for m in orbit["log_moduli"] if m is not None)
            b.near(total, wanted, (1e-9 if mu < 10 else 1e-2) * abs(wanted), "van der Pol, mu = %d: sum of the logarithms" % mu)


def reciprocal(b):
    """Multipliers of conservative orbits come in pairs m, 1/m: swings of the double pendulum, and what its chaotic motion leads to."""
    for words in ((), ("--start", "a=.9,b=1.2", "--period", "2.8"), ("--start", "a=1,b=-1", "--period", "1.3")):
        orbit = b.one("double-pendulum", *words)
        if orbit:
            m = nontrivial(orbit)
            b.tally.check(len(m) == 2 and abs(m[0] * m[1] - 1) < 1e-6, "double pendulum %s: %s" % (" ".join(words), m))


def closes(b):
    """The printed point, integrated over the printed period by `run`, comes back: `tol` times what the orbit makes of an error."""
    for model, words in (("lorenz", ["--find", "1"]), ("lorenz-chetaev", []), ("van-der-pol-cycle", []), ("duffing-cycle", ["--period", "2*pi/om"]), ("kepler", []), ("double-pendulum-mode", []),
                         ("pendulum-cartesian", []), ("sleigh-driven", ["--period", "2*pi/om", "--loose", "x"])):
        orbit = b.one(model, *words)
        if not orbit:
            continue
        status, out, err = call(b.program, "run", b.path(model), *data(orbit["point"]), "--time", "0..%r" % orbit["period"], "--points", "101", "--tol", "1e-12", "-o", "-", "--quiet")
        if b.tally.check(status == 0, "%s: run from the printed point: %s" % (model, err[:200])):
            all_rows = rows(out)
            first, last = all_rows[0], all_rows[-1]
            most = max(1, max(abs(complex(*m)) for m in orbit["multipliers"]))
            loose = words[-1] if "--loose" in words else ""
            for name in orbit["point"]:
                if name != loose:
                    b.near(last[name], first[name], 1e-11 * most * max(1, abs(first[name])), "%s comes back: %s" % (model, name))


# ---- the same orbit otherwise

def same_orbit(b, one_, other, what, factor=1, block=1):
    """Equal periods up to a factor, equal multipliers that are not trivial, equal word for stability."""
    if one_ is None or other is None:
        return
    b.near(other["period"], factor * one_["period"], 1e-12 * factor * one_["period"], what + ": period")
    mine, its = nontrivial(one_), nontrivial(other)
    b.tally.check(len(mine) == len(its), "%s: nontrivial multipliers %s, %s" % (what, mine, its))
    for m in mine:
        w = min(its, key=lambda z: abs(z - m), default=math.inf)
        b.tally.check(abs(m - w) <= 1e-8 * block * abs(m), "%s: multipliers %s, %s" % (what, m, w))
    b.tally.check(one_["stability"] == other["stability"], "%s: %s, %s" % (what, one_["stability"], other["stability"]))


def lorenz_scaled(space, clock):
    """Lorenz's equations for (x, y, z)*space in time t*clock."""
    return ("# scaled\nparam sigma = 10, a = 28, b = 8/3, S = %r, C = %r\nstate x, y, z\nflow x' = sigma*(y - x)/C\nflow y' = (x*(a - z/S) - y)/C\nflow z' = (x*y/S - b*z)/C\n"
            "start x = 2.147*S, y = -2.078*S, z = 27*S\ntime 0 .. 10*C") % (space, clock)


VDP_UNITS = "# units\nparam mu = 1, S = %r, C = %r\ncoord x\nlagrangian x'^2/2 - x^2/2/C^2\nforce x = mu*(1 - (x/S)^2)*x'/C\nstart x = 2*S\ntime 0 .. 50*C"


def units(b):
    plain = b.one(lorenz_scaled(1, 1), "--period", "1.56*C")
    for space, clock in ((1e3, 1), (1e-3, 1), (1, 1e3), (1, 1e-3), (1e6, 1e-6), (1e-9, 1e9)):
        same_orbit(b, plain, b.one(lorenz_scaled(space, clock), "--period", "1.56*C"), "Lorenz with lengths %g, time %g" % (space, clock), clock)
    plain = b.one(VDP_UNITS % (1, 1))
    for space, clock in ((1e3, 1), (1e-3, 1e3), (1e9, 1e-9), (1e-9, 1e9)):
        same_orbit(b, plain, b.one(VDP_UNITS % (space, clock)), "van der Pol with lengths %g, time %g" % (space, clock), clock)


def mirrored(b):
    """The mirror image, another start on the orbit, another guess of the period."""
    plain = b.one("lorenz-aab", "--period", "T")
    if not plain:
        return
    at = plain["point"]
    same_orbit(b, plain, b.one("lorenz-aab", "--start", "x=%r,y=%r,z=%r" % (-at["x"], -at["y"], at["z"]), "--period", "T"), "AAB and its mirror image")
    path = os.path.join(b.folder, "aab.csv")
    b.answer("lorenz-aab", "--period", "T", "-o", path, "--points", "9")
    with open(path, encoding="utf-8") as file:
        for row in rows(file.read())[2:8:2]:
            same_orbit(b, plain, b.one("lorenz-aab", *data({n: row[n] for n in "xyz"}), "--period", "T"), "AAB from t = %g on" % row["t"])
    same_orbit(b, plain, b.one("lorenz-aab", "--period", "T*1.02"), "AAB from 2 % more")
    same_orbit(b, plain, b.one("lorenz-aab", "--period", "T", "--no-compile"), "AAB without a compiler")


def backward(b):
    """Time reversed: multipliers are the reciprocals."""
    forth = b.one("van-der-pol-cycle")
    back = b.one("# reversed\ncoord x\nlagrangian x'^2/2 - x^2/2\nforce x = -(1 - x^2)*x'\nstart x = 2.0086\ntime 0 .. 10", "--period", "6.66")
    if forth and back:
        b.period(back, forth["period"], "van der Pol reversed", 1e-12)
        b.near(nontrivial(forth)[0].real * nontrivial(back)[0].real, 1, 1e-8, "van der Pol reversed: multiplier")
    b.period(b.one(QUARTIC, "--time", "40..0"), quartic_period(1, 1), "a quartic well, time backward")


REDUCED_SLEIGH = ("# the sleigh's own equations\nparam m = 1, I = 1, a = 1/2, c = 1/2, k = 1, F = 2, om = 1\nstate th, v, w\nflow th' = w\nflow v' = a*w^2 - c*v/m\n"
                  "flow (I + m*a^2)*w' = F*cos(om*t) - c*w - k*th - m*a*v*w\nstart th = -.2, v = 1.4, w = 1.7\ntime 0 .. 20")


def constrained(b):
    """Cartesian coordinates with rods, and a blade, beside coordinates that need no constraint."""
    for x, start in ((1, ()), (.6, ("--start", "x=.6,y=-.8"))):
        angle = b.one("pendulum", "--start", "a=%r" % math.asin(x) if x < 1 else "a=pi/2")
        same_orbit(b, angle, b.one("pendulum-cartesian", *start), "pendulum in Cartesian coordinates from x = %g" % x)
    mode = b.one("double-pendulum-mode")
    if mode:
        a, c = mode["point"]["a"], mode["point"]["b"]
        x1, y1 = math.sin(a), -math.cos(a)
        words = ["--start", "x1=%r,y1=%r,x2=%r,y2=%r" % (x1, y1, x1 + math.sin(c), y1 - math.cos(c)), "--period", "2.63"]
        same_orbit(b, mode, b.one("double-pendulum-cartesian", *words), "double pendulum in Cartesian coordinates")
    words = ["--period", "2*pi/om"]
    blade, reduced = b.one("sleigh-driven", *words, "--loose", "x"), b.one(REDUCED_SLEIGH, *words)
    same_orbit(b, reduced, blade, "driven sleigh with its blade and without")
    if blade:
        b.near(blade["point"]["th"], -.2274254766224702892575486, 1e-13, "driven sleigh: heading")
        b.tally.check(sorted(filter(None, blade["trivial"])) == ["x is cyclic", "y is cyclic"], "driven sleigh: %s" % blade["trivial"])
    same_orbit(b, reduced, b.one(REDUCED_SLEIGH, *words, "--method", "fourier"), "driven sleigh without its blade by fourier")
    circle = b.one("cone")                      # at constant height: 2 pi x/y'
    if circle:
        b.period(circle, 2 * math.pi * circle["point"]["x"] / circle["point"]["y_dot"] if circle["point"]["y"] == 0 else 0, "a circle on the cone")
    bars = b.one("four-bar")                    # a redundant constraint changes nothing
    if bars:
        b.tally.check(nontrivial(bars) == [] and len(bars["multipliers"]) == 2, "four-bar: multipliers %s" % bars["multipliers"])


# ---- branches

def follow(b, model, *words):
    answer = b.answer(model, *words)
    return answer, [p for p in answer.get("branch", []) if p["mark"] not in ("", "start", "end")]


def auto(name):
    out = {}
    for row in table(name):
        out.setdefault(row["branch"], []).append(row)
    return out


def marks_of(rows_, words):
    return [(words[row["type"]], row) for row in rows_ if row["type"] in words]


DUFFING = {"one well, down from 2": ("x=.8468,x_dot=.0506", "2..0.5"), "around zero, down from 2": ("x=-.0597,x_dot=.00955", "2..0.5"), "one well, small, up from 0.8": ("x=1.2702,x_dot=.0185", "0.8..1.2"),
           "large, down from 0.8": ("x=.4829,x_dot=.9389", "0.8..0.5"), "large, up from 0.8": ("x=.4829,x_dot=.9389", "0.8..1.2")}
# AUTO's branching points are only as near as its steps; the others have ten digits
EXACT = {"period doubling": 1.3491845228670798849, "one well, small, up from 0.8": .95207658514247623058, "large, up from 0.8": .92294192248176745156, "large, down from 0.8": .54746744940167742467}


def duffing(b):
    """Five branches of AUTO's: marks where it has them, the same stability at its points, the largest x at their ends."""
    known = auto("auto_duffing.csv")
    for name, (start, way) in DUFFING.items():
        first = float(way.split("..")[0])
        answer, marks = follow(b, "duffing", "--set", "om=%r" % first, "--start", start, "--period", "2*pi/om", "--follow", "om=" + way)
        kinds = marks_of(known[name], {"PD": "period doubling", "LP": "fold", "BP": "branch"})
        b.tally.check([m["mark"] for m in marks] == [k for k, _ in kinds], "duffing, %s: %s" % (name, marks))
        for mark, (kind, row) in zip(marks, kinds):
            b.near(mark["value"], EXACT.get(kind, EXACT.get(name)), 1e-9, "duffing, %s: %s" % (name, kind))
            if kind != "branch":
                b.near(mark["value"], float(row["om"]), 2e-10, "duffing, %s: %s by AUTO" % (name, kind))
        ends = [known[name][0], known[name][-1]]
        if answer and kinds and kinds[0][0] == "fold":
            ends[1] = next(row for row in known[name][1:] if row["type"] == "UZ" and abs(float(row["om"]) - first) < 1e-9)
            b.tally.check("FOLLOW_BACK" in [w["code"] for w in answer["warnings"]], "duffing, %s: nothing is said of the fold" % name)
        for point, row in zip((answer["branch"][0], answer["branch"][-1]) if answer else (), ends):
            b.near(point["value"], float(row["om"]), 1e-8, "duffing, %s: end" % name)
            b.tally.check(point["stability"] == row["stability"], "duffing, %s at %s: %s" % (name, row["om"], point["stability"]))


def largest(b):
    """The branch's file has the largest x; AUTO has it on its mesh, so from below, by an eighth of x'' times a square of its steps."""
    known = auto("auto_duffing.csv")["one well, down from 2"]
    path = os.path.join(b.folder, "branch.csv")
    b.answer("duffing-cycle", "--period", "2*pi/om", "--follow", "om=2..0.5", "-o", path, "--plot", os.path.join(b.folder, "branch.svg"))
    with open(path, encoding="utf-8") as file:
        mine = rows(file.read())
    for row in known:
        at = float(row["om"])
        before = [r for r in mine if r["om"] >= at]
        after = [r for r in mine if r["om"] < at]
        if before and after:
            one_, two = before[-1], after[0]
            part = (at - one_["om"]) / (two["om"] - one_["om"])
            x = one_["x_max"] + part * (two["x_max"] - one_["x_max"])
            b.near(x, float(row["largest_x"]), 1e-3, "duffing, largest x at om = %g" % at)
    b.tally.check(os.path.getsize(os.path.join(b.folder, "branch.svg")) > 1000, "no picture of the branch")


def drawn(b):
    """Lines are stable and discs are not, also where the whole branch is of one kind: van der Pol's cycle, and the same with time reversed."""
    for sign, kind in (("+", "stable"), ("-", "unstable")):
        path, picture = os.path.join(b.folder, "cycle.act"), os.path.join(b.folder, "cycle.svg")
        with open(path, "w", encoding="utf-8") as file:
            file.write("param mu = .5\nstate x, v\nflow x' = v\nflow v' = -x %s mu*(1 - x^2)*v\nstart x = 2\ntime 0 .. 20\n" % sign)
        status, out, err = call(b.program, "orbit", path, "--period", "6.4", "--follow", "mu=.5..1", "--plot", picture, "--json")
        found = {point["stability"] for point in json.loads(out)["branch"]} if status == 0 else out + err
        b.tally.check(found == {kind}, "the whole branch is %s: %s" % (kind, found))
        with open(picture, encoding="utf-8") as file:
            text = file.read()
        discs, key = text.count("<circle"), ">unstable<" in text
        b.tally.check((discs > 10 and key) if kind == "unstable" else (discs == 0 and not key), "a branch that is %s: %d discs, key %s" % (kind, discs, key))
        b.tally.check(all(">%s<" % name in text for name in ("x_max", "period")), "its columns are named")


def lorenz_branch(b):
    """AB from a = 30 towards its homoclinic end: AUTO's periods at its points."""
    for row in auto("auto_lorenz.csv")["AB"]:
        a = float(row["a"])
        if row["type"] in ("EP", "UZ") and 13.95 < a < 28:
            orbit = b.one("lorenz-ab", "--period", "T", "--follow", "a=28..%r" % a)
            b.period(orbit, float(row["period"]), "AB at a = %g by AUTO" % a, 1e-9)
            if orbit:
                b.tally.check(orbit["stability"] == "unstable", "AB at a = %g is %s" % (a, orbit["stability"]))
    answer, marks = follow(b, "lorenz-chetaev", "--follow", "a=1000..28")
    if answer:
        b.period(answer["orbits"][0], 25.611269253436329077, "Chetaev's form from a = 1000 to 28")
        b.tally.check([m["mark"] for m in marks] == ["branch"] and abs(marks[0]["value"] - 312.97) < .01, "Chetaev's form: %s" % marks)


def families(b):
    """Along the energy of a family: the period is a known function of it all the way, and nothing else happens."""
    answer, marks = follow(b, "pendulum", "--start", "a=.5", "--follow", "energy=-8..9")
    for point in answer.get("branch", []):
        wanted = pendulum_period(math.acos(-point["value"] / 9.81))
        b.near(point["period"], wanted, 1e-7 * wanted, "pendulum with energy %g" % point["value"])
    if answer:
        b.period(answer["orbits"][0], pendulum_period(math.acos(-9 / 9.81)), "pendulum followed to energy 9", 1e-9)
        b.tally.check(marks == [], "pendulum's family: %s" % marks)
    for energy in (-5, 5):                      # both ways, on a constraint
        answer, marks = follow(b, "pendulum-cartesian", "--follow", "energy=0..%d" % energy)
        if answer:
            b.period(answer["orbits"][0], pendulum_period(math.acos(-energy / 9.81)), "pendulum in Cartesian coordinates followed to energy %d" % energy, 1e-9)
            b.tally.check(marks == [], "pendulum in Cartesian coordinates: %s" % marks)
    answer, marks = follow(b, "double-pendulum-mode", "--follow", "energy=-28.43..-29.33")
    row = next(row for row in of(b, "double-pendulum") if row["settings"] == "e=0.1" and row["name"] == "slow")
    if answer:
        b.period(answer["orbits"][0], float(row["period"]), "double pendulum followed to energy 0.1", 1e-9)
        b.tally.check(marks == [], "double pendulum's slow mode: %s" % marks)


def ways(b):
    """Ways that go nowhere, through 0, backward; params that others and the start are made of."""
    made = ("# made of another\nparam a = 1, k = 2*a^2, x0 = a/2\ncoord x\nlagrangian x'^2/2 - k*x^2/2\ndissipation .2*x'^2\nforce x = cos(a*t)\nstart x = x0\ntime 0 .. 20")
    answer, marks = follow(b, made, "--period", "2*pi/a", "--follow", "a=1..3")
    if answer:
        z = 1 / complex(9, 1.2)
        b.near(answer["orbits"][0]["point"]["x"], z.real, 1e-13, "a param that others are made of: x")
        b.near(answer["orbits"][0]["point"]["x_dot"], -3 * z.imag, 1e-13, "a param that others are made of: x'")
    b.one("van-der-pol-cycle", "--follow", "mu=1..1")      # there already
    answer, marks = follow(b, "van-der-pol-cycle", "--follow", "mu=1..-1")
    if answer:                                  # at mu = 0 all is a family; beyond it the mirror in time
        b.period(answer["orbits"][0], 6.6632868593231301897, "through mu = 0")
        b.near(nontrivial(answer["orbits"][0])[0].real * .00085969506360380518612, 1, 1e-8, "through mu = 0: multiplier")
    b.code("FOLLOW_UNKNOWN", 2, "van-der-pol-cycle", "--follow", "nu=1..2")
    b.code("FOLLOW_STUCK", 3, "# no value beyond 0\nparam a = 1, s = sqrt(a)\ncoord x\nlagrangian x'^2/2 - s*x^2/2\ndissipation .1*x'^2\nforce x = cos(2*t)\ntime 0 .. 20", "--period", "pi", "--follow", "a=1..-1")


# ---- what comes out

def contract(b):
    """The names that scripts rely on."""
    answer = b.answer("lorenz", "--find", "2")
    b.tally.check(answer.get("status") == 0 and len(answer.get("orbits", [])) == 2, "JSON: status and orbits")
    for orbit in answer.get("orbits", []):
        b.tally.check(list(orbit["point"]) == ["x", "y", "z"] and all(isinstance(x, float) for x in orbit["point"].values()), "JSON: point %s" % orbit["point"])
        b.tally.check(len(orbit["multipliers"]) == 3 and all(len(m) == 2 for m in orbit["multipliers"]), "JSON: multipliers %s" % orbit["multipliers"])
        b.tally.check(0 < orbit["error"] < 1e-12 and 0 <= orbit["residual"] < 1e-12 and orbit["period"] > 0, "JSON: error, residual")
    status, out, _ = b.raw("# wrong\ncoord x\nlagrangian x'^2/2 - y\ntime 0 .. 1", "--json")
    found = json.loads(out)
    b.tally.check(status == 1 and found["status"] == 1 and found["errors"][0]["line"] == 3 and found["orbits"] == [], "JSON of a wrong model: %s" % out[:200])


def files(b):
    """One turn as a table, whose last row is the first; a picture; nothing when quiet; CSV alone on standard output."""
    places = [os.path.join(b.folder, "turn." + ending) for ending in ("csv", "json", "npz", "svg", "pdf")]
    status, out, err = b.raw("lorenz-ab", "--period", "T", "--quiet", *[word for p in places[:3] for word in ("-o", p)], *[word for p in places[3:] for word in ("--plot", p)], "--points", "33")
    b.tally.check(status == 0 and out == "" and err == "", "quiet: %s %s %s" % (status, out[:80], err[:80]))
    b.tally.check(all(os.path.exists(p) and os.path.getsize(p) > 500 for p in places), "files: %s" % [p for p in places if not os.path.exists(p)])
    with open(places[0], encoding="utf-8") as file:
        line = rows(file.read())
    b.tally.check(len(line) == 33 and abs(line[-1]["t"] - 1.5586522107161747) < 1e-14, "the table has %d rows to t = %r" % (len(line), line[-1]["t"]))
    for name in "xyz":
        b.near(line[-1][name], line[0][name], 1e-11, "the table's last row is the first: " + name)
        b.near(line[16][name], line[0][name] * (1 if name == "z" else -1), 1e-11, "half a turn is the mirror image: " + name)
    status, out, err = b.raw("lorenz-ab", "--period", "T", "-o", "-", "--points", "3")
    b.tally.check(status == 0 and out.startswith("t,x,y,z") and len(out.strip().split("\n")) == 4, "-o -: %s" % out[-200:])
    status, out, err = b.raw("lorenz-ab", "--period", "T", "-o", os.path.join(b.folder, "none", "a.csv"))
    b.tally.check(status == 5, "a folder that is not there: exit %s" % status)


LONGER = (1, 8, 64, 512)                        # seconds: a slow machine needs more of them, and gets them


def limits(b):
    """Time, memory, Ctrl-C: what was found until then is there, and exit statuses are those of the contract."""
    for seconds in LONGER:
        status, out, _ = b.raw("lorenz", "--find", "100000", "--limit-time", str(seconds), "--json")
        found = json.loads(out)["orbits"]
        b.tally.check(status == 4, "--limit-time %d: exit %s" % (seconds, status))
        if len(found) > 3:
            break
    b.tally.check(len(found) > 3, "--limit-time %d: %d orbits" % (seconds, len(found)))
    status, out, _ = b.raw("lorenz", "--find", "20", "--limit-memory", "200K", "--json")
    b.tally.check(status == 4 and "OUT_OF_MEMORY" in out, "--limit-memory: exit %s" % status)
    for seconds in LONGER:
        child = begin(b.program, "orbit", b.path("lorenz"), "--find", "100000", "--json", busy=seconds, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        child.send_signal(signal.SIGINT)
        found = json.loads(child.communicate()[0])["orbits"]
        b.tally.check(child.returncode == 130, "Ctrl-C: exit %s" % child.returncode)
        if len(found) > 3:
            break
    b.tally.check(len(found) > 3 and found[0]["word"] == "AB", "Ctrl-C after %d s: %d orbits" % (seconds, len(found)))


def refused(b):
    """No orbit where there is none, and the reason."""
    b.code("ORBIT_NEEDS_PERIOD", 2, "duffing")
    b.code("ORBIT_NEEDS_PERIOD", 2, "duffing", "--find", "3")
    b.code("ORBIT_NO_TIME", 1, QUARTIC.replace("\ntime 0 .. 40", ""))
    b.code("ORBIT_GROWS", 3, "sleigh")
    b.code("ORBIT_NO_RETURN", 3, "damped-oscillator")
    b.code("ORBIT_CANNOT", 1, SWITCHED, "--period", "2*pi/om", "--method", "fourier")
    b.code("ORBIT_CANNOT", 1, "sleigh-driven", "--period", "2*pi/om", "--loose", "x", "--method", "fourier")
    b.code("ORBIT_CANNOT", 1, "# friction\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - y\ncontact floor: y >= 0, friction = .3\nstart y = 1\ntime 0 .. 20")
    b.code("ORBIT_CANNOT", 1, "lorenz", "--by", "skg")
    b.code("ORBIT_AT_REST", 3, "# at rest\ncoord x\nlagrangian x'^2/2 - x^2/2\ntime 0 .. 10", "--period", "2*pi")
    b.code("ORBIT_NO_VARIABLE", 2, "lorenz", "--loose", "w")
    b.code("ORBIT_FEWER", 0, "van-der-pol-cycle", "--find", "3", "--time", "0..50")
    b.code("ORBIT_NOT_REACHED", 3, "van-der-pol-cycle", "--tol", "1e-20")
    for words in (["--period", "3"], ["--period", "pi"], ["--period", "2*pi + 1e-6"]):
        b.code("ORBIT_NOT_ITS_PERIOD", 2, DRIVEN, *words)
    status, out, _ = b.raw("sleigh-driven", "--period", "2*pi/om", "--json")
    b.tally.check(status == 3 and not json.loads(out)["orbits"], "an orbit although x goes on: exit %s" % status)
    b.code("ORBIT_NOT_LOOSE", 2, "pendulum", "--start", "a=0,a_dot=8", "--loose", "a")
    b.code("ORBIT_GROWS", 3, "pendulum", "--start", "a=0,a_dot=8")
    b.code("FOLLOW_ISOLATED", 1, "van-der-pol-cycle", "--follow", "energy=2..3")


def loosely(said, written):
    """The same words and, but for what is rounding, the same numbers."""
    for one_, other in zip(said.split(), written.split()):
        try:
            a, c = float(one_.rstrip(",i")), float(other.rstrip(",i"))
        except ValueError:
            if one_ != other:
                return False
            continue
        if abs(a - c) > 1e-7 * abs(c) and max(abs(a), abs(c)) > 1e-5:     # marks are located to a part of a step
            return False
    return True


def manual(b):
    """The commands of the manual's chapter work, and what it shows of them is what they say; of --find the points are wherever the search got to them."""
    with open(os.path.join(ROOT, "docs", "manual.md"), encoding="utf-8") as file:
        chapter = file.read().partition("### Periodic orbits\n")[2].partition("\n## ")[0]
    blocks = [block.split("\n") for block in chapter.split("\n\n") if block.startswith("    ")]
    said = ""
    for block in blocks:
        if not block[0].startswith("    actio "):
            for line in block:
                good = line.strip() == "..." or line.startswith("        at ") or any(loosely(mine, line) and len(mine.split()) == len(line.split()) for mine in said.split("\n"))
                b.tally.check(good, "the manual has '%s', the program does not say so: %s" % (line.strip(), said[:400]))
            continue
        for line in block:
            words = line.split()[1:]
            if "MODEL" not in words:
                status, said, err = call(b.program, *words)
                b.tally.check(status == 0, "the manual's '%s': exit %s %s" % (line.strip(), status, err[:200]))


SWITCHED = ("# stiffer on one side\nparam om = 1.3\ncoord x\nlagrangian x'^2/2 - x^2/2 - if(x > .2, 2*(x - .2)^2, 0)\ndissipation .1*x'^2\nforce x = .3*cos(om*t)\nstart x = .1\ntime 0 .. 20")

SECTIONS = (pendulum, wells, kepler, driven, switches, eights, ones, swings, cycles, rossler, by_points, lorenz, find, averages, divergence, reciprocal, closes, units, mirrored, backward, constrained,
            duffing, largest, drawn, lorenz_branch, families, ways, contract, files, limits, refused, manual)


def main():
    program, _ = arguments()
    tally = Tally("orbit")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(program, tally, folder)
        run_parts(SECTIONS, bench)
    tally.done()


if __name__ == "__main__":
    main()

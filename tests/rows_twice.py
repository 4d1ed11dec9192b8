#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rows that say the same thing twice, and depend on each other only on the constraints themselves: three cranks of a parallelogram, a circle written with
factors that vary or vanish on the way. The verdict does not depend on the start's speed or the interval, and the motion is that of a pendulum by every
principle that applies.

usage: rows_twice.py [--program FILE]"""
import json
import os
import tempfile
from math import atan2, cos, sin

from scipy.integrate import solve_ivp

from program import Tally, arguments, call, rows, run_parts

GRAVITY = 9.81
PRINCIPLES = ("dalembert", "gauss", "maggi", "skg")
CRANKS = """coord x, y, a
lagrangian (x'^2 + y'^2)/2 + a'^2/6 - 9.81*y
constraint c1: (x + cos(a) - 1)^2 + (y + sin(a))^2 = 1
constraint c2: x^2 + y^2 = 1
constraint c3: (x + 2*cos(a) - 2)^2 + (y + 2*sin(a))^2 = 1
"""
CIRCLE = """coord x, y
lagrangian (x'^2 + y'^2)/2 - 9.81*y
constraint a: %s*(x^2 + y^2 - 1) = 0
constraint b: %s*(x^2 + y^2 - 1) = 0
"""
FACTORS = (("1", "exp(y)"), ("1", "y"), ("1", "x"), ("x", "y"), ("(2 + x*y)", "y^2"), ("sin(x)", "cos(x)"))
MANY = """coord x, y, z
lagrangian (x'^2 + y'^2 + z'^2)/2 - 9.81*z
constraint s: x^2 + y^2 + z^2 = 1
constraint p: x*y = 0
constraint q: y = 0
constraint w: y*z*x = 0
constraint u: sin(y)*z = 0
start x = .6, z = -.8
time 0 .. 2
"""


def pendulum(angle, speed, end):
    """(x, y) at the end, the angle counted from below: angle'' = -g sin(angle)."""
    y = solve_ivp(lambda _, s: (s[1], -GRAVITY * sin(s[0])), (0, end), (angle, speed), method="DOP853", rtol=1e-13, atol=1e-13).y[0, -1]
    return sin(y), -cos(y)


class Case:
    def __init__(self, tally, program, folder):
        self.tally, self.program, self.path = tally, program, os.path.join(folder, "m.act")

    def write(self, text):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)

    def verdict(self, name, free):
        status, out, err = call(self.program, "check", self.path, "--json")
        told = json.loads(out) if status == 0 else {}
        self.tally.check(told.get("verdict") == "redundant" and told.get("free_data") == free, "%s: check %s %s" % (name, out.strip()[:300], err[:200]))
        self.tally.check("it moves with t" not in call(self.program, "check", self.path)[1], "%s: nothing moves with t" % name)

    def motion(self, name, right, columns=("x", "y")):
        for by in PRINCIPLES:
            status, out, err = call(self.program, "run", self.path, "--by", by, "--points", "3", "-o", "-", "--quiet")
            if not self.tally.check(status == 0 and out, "%s by %s: exit %s %s" % (name, by, status, err[:300])):
                continue
            last = rows(out)[-1]
            worst = max(abs(last[c] - r) for c, r in zip(columns, right))
            self.tally.check(worst < 5e-9, "%s by %s: %.1e off" % (name, by, worst))   # 1e-9 is the tolerance; the reference has 1e-11


def cranks(case):
    for speed in (0, 1, 1.5, 1.9, 2, 2.1, 2.5, 4):
        for end in (2, 6):
            case.write(CRANKS + "start x = 0, y = -1, x' = %r\ntime 0 .. %d\n" % (speed, end))
            case.verdict("cranks %g %d" % (speed, end), 2)
            case.motion("cranks %g %d" % (speed, end), pendulum(0, speed, end))


def cranks_from(case):
    for x, y in ((.6, -.8), (-.28, -.96)):
        for speed in (0, 1):
            case.write(CRANKS + "start x = %r, y = %r, x' = %r, y' = %r\ntime 0 .. 2\n" % (x, y, -y * speed, x * speed))
            case.verdict("cranks from %g" % x, 2)
            case.motion("cranks from %g" % x, pendulum(atan2(x, -y), speed, 2))


def circle(case):
    """Fast enough to go round, so that each factor vanishes."""
    for factors in FACTORS:
        case.write(CIRCLE % factors + "start x = .6, y = -.8, x' = .8*7, y' = .6*7\ntime 0 .. 3\n")
        case.motion("circle times %s and %s" % factors, pendulum(atan2(.6, .8), 7, 3))


def five_rows(case):
    case.write(MANY)
    case.verdict("five rows", 2)
    case.motion("five rows", pendulum(atan2(.6, .8), 0, 2), ("x", "z"))


SLOPES = {"(x + .02)*(.4 + x)": lambda x: (.42 + 2 * x, (x + .02) * (.4 + x)),
          "(x + .02)*(.4 + sin(x))": lambda x: (.4 + sin(x) + (x + .02) * cos(x), (x + .02) * (.4 + sin(x)))}
VANISHING = """coord x, y, a
lagrangian (x'^2 + 1.3*y'^2 + .8*a'^2)/2 - y - a^2/2
constraint c: y + .3*sin(y) = %s
constraint again: %s*(y + .3*sin(y) - (%s)) = 0
start x = -.02, x' = 1, y' = %r, a = .02, a' = -.9
time 0 .. .3
"""
EVERY = ("dalembert", "gauss", "maggi", "appell", "jourdain", "hamilton")


def slide(slope, x, speed, end):
    """x and y at the end of a bead on the curve: x'' (1 + m k^2) = -k - m k k' x', k = dy/dx; y beside it."""
    def rates(_, s):
        x, v, y = s
        def k(x, y):
            return slope(x)[0] / (1 + .3 * cos(y))
        bend = (k(x + 1e-6, y + 1e-6 * k(x, y)) - k(x - 1e-6, y - 1e-6 * k(x, y))) / 2e-6
        return v, (-k(x, y) - 1.3 * k(x, y) * bend * v * v) / (1 + 1.3 * k(x, y) ** 2), k(x, y) * v
    return solve_ivp(rates, (0, end), (x, speed, 0), method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]


def vanishing(case):
    """A row that follows from another one vanishes at an instant: the motion goes on, and the multipliers of least squares are (1, factor) times one number, within the
    tolerance 1e-11 times what is left of a row of 1e-2 beside its rounding."""
    for text, slope in SLOPES.items():
        for factor in ("x", "a", "sin(a)"):
            case.write(VANISHING % (text, factor, text, slope(-.02)[0] / 1.3))
            right = slide(slope, -.02, 1, .3)
            for by in EVERY:
                status, out, err = call(case.program, "run", case.path, "--by", by, "--tol", "1e-11", "--points", "101", "-o", "-", "--quiet")
                if not case.tally.check(status == 0 and out, "%s times %s by %s: exit %s %s" % (text, factor, by, status, err[:300])):
                    continue
                found = rows(out)
                last = max(abs(found[-1]["x"] - right[0]), abs(found[-1]["y"] - right[2]))
                case.tally.check(last < 1e-9, "%s times %s by %s: %.1e off" % (text, factor, by, last))   # differences of slopes have 1e-10
                value = {"x": lambda r: r["x"], "a": lambda r: r["a"], "sin(a)": lambda r: sin(r["a"])}[factor]
                idle = max(abs(r["lambda.again"] - value(r) * r["lambda.c"]) for r in found)
                case.tally.check(idle < 1e-9, "%s times %s by %s: multipliers %.1e off" % (text, factor, by, idle))


def nearly(case):
    """Rows that are nearly parallel make rates rough: that is not a bend of the error, so that the error is known. z has a closed form."""
    forms = (("x + y = 1", "x + 1.001*y = 1.001", 0, lambda t: -1 + 1.5 * cos(t)),
             ("x' + y' = .5", "x' + 1.001*y' = .5", .5, lambda t: 11 / 6 * cos(t) - 4 / 3 * cos(t / 2)))
    for one, two, speed, z in forms:
        case.write("coord x, y, z\nlagrangian (x'^2 + 1.7*y'^2 + z'^2)/2 - cos(x)*z - x^2 - 3*y - z^2/2\nconstraint a: %s\nconstraint b: %s\n"
                   "start x = 0, y = 1, z = .5, x' = %r, y' = 0\ntime 0 .. 2\n" % (one, two, speed))
        for by in ("gauss", "jourdain"):
            status, out, err = call(case.program, "run", case.path, "--by", by, "--tol", "1e-11", "-o", "-", "--quiet")
            off = max((abs(r["z"] - z(r["t"])) for r in rows(out)), default=9) if out else 9
            case.tally.check(status == 0 and off < 1e-11, "%s by %s: exit %s, %.1e off %s" % (one, by, status, off, err[:200]))


def main():
    program, _ = arguments()
    tally = Tally("rows_twice")
    with tempfile.TemporaryDirectory() as folder:
        run_parts((cranks, cranks_from, circle, five_rows, vanishing, nearly), Case(tally, program, folder))
    tally.done()


main()

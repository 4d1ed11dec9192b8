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


def main():
    program, _ = arguments()
    tally = Tally("rows_twice")
    with tempfile.TemporaryDirectory() as folder:
        run_parts((cranks, cranks_from, circle, five_rows), Case(tally, program, folder))
    tally.done()


main()

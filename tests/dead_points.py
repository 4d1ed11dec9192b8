#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Linkages whose rows become dependent: the motion ends there with that reason where forces grow without bound, at whatever tolerance,
and goes on where they do not. A velocity that a quadratic constraint gives but for its sign turns round by every principle.

usage: dead_points.py [--program FILE]"""
import json
import os
import re
import tempfile
from math import cos, sin, pi

from scipy.integrate import quad, solve_ivp

from program import ROOT, Tally, arguments, call, rows, run_parts

# A parallelogram in angles (one of its two rows vanishes when it lies flat) and in points (three rows become dependent). Only one crank is loaded, so that
# the rod must carry a torque through the flat position.
ANGLES = """coord a, b, c
lagrangian (a'^2 + b'^2 + c'^2 + a'*b'*cos(a - b))/2 - sin(a)*.3
constraint h: cos(a) + 2*cos(b) - cos(c) = 2
constraint v: sin(a) + 2*sin(b) - sin(c) = 0
start a = 1, c = 1, a' = -1, c' = -1
time 0 .. 10
"""
POINTS = """coord x, y, u, v
lagrangian (x'^2 + y'^2 + u'^2 + v'^2)/2 - .3*y
constraint one: x^2 + y^2 = 1
constraint two: (u - 2)^2 + v^2 = 1
constraint rod: (u - x)^2 + (v - y)^2 = 4
start x = cos(1), y = sin(1), u = 2 + cos(1), v = sin(1), x' = sin(1), y' = -cos(1), u' = sin(1), v' = -cos(1)
time 0 .. 10
"""
# A crank and a rod of equal length without load: both rows stay, the forces at a = pi/2 are finite, the motion goes on.
SLIDER = """coord x, y, s
lagrangian (x'^2 + y'^2 + s'^2)/2
constraint crank: x^2 + y^2 = 1
constraint rod: (x - s)^2 + y^2 = 1
start x = cos(1), y = sin(1), s = 2*cos(1), x' = -sin(1), y' = cos(1), s' = -2*sin(1)
time 0 .. 2
"""
# A third crank off the line of the others: six rows of rank five at every angle, whatever the loads.
THREE = """coord x, y, u, v, p, q
lagrangian (x'^2 + y'^2 + u'^2 + v'^2 + p'^2 + q'^2)/2 - .3*y
constraint one: x^2 + y^2 = 1
constraint two: (u - 2)^2 + v^2 = 1
constraint rod: (u - x)^2 + (v - y)^2 = 4
constraint third: (p - 1)^2 + (q - 1)^2 = 1
constraint r1: (p - x)^2 + (q - y)^2 = 2
constraint r2: (p - u)^2 + (q - v)^2 = 2
start x = cos(1), y = sin(1), u = 2 + cos(1), v = sin(1), p = 1 + cos(1), q = 1 + sin(1)
start x' = sin(1), y' = -cos(1), u' = sin(1), v' = -cos(1), p' = sin(1), q' = -cos(1)
time 0 .. 8
"""


def flat_at():
    """While it is a parallelogram a = c, b = 0: a'^2 + .3 sin(a) is constant."""
    energy = 1 + .3 * sin(1)
    return quad(lambda a: (energy - .3 * sin(a)) ** -.5, 0, 1, epsabs=1e-13)[0]


def run(program, folder, text, *more):
    path = os.path.join(folder, "a.act")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    status, out, err = call(program, "run", path, "--json", *more)
    return status, json.loads(out), err


def ends(tally, program, folder):
    for name, text, row in (("angles", ANGLES, "h"), ("points", POINTS, "rod")):
        for tol in ("1e-6", "1e-8", "1e-9", "1e-10"):
            status, told, _ = run(program, folder, text, "--tol", tol)
            said = [e["message"] for e in told.get("errors", []) if e["code"] == "RANK_LOST"]
            tally.check(status == 3 and len(said) == 1 and "constraint '%s' becomes dependent" % row in said[0], "%s, %s: exit %s %s" % (name, tol, status, told.get("errors")))
            at = float(said[0].split("t = ")[1].split(" ")[0]) if said else 0
            tally.check(abs(at - flat_at()) < 1e-5, "%s, %s: at %s, not %s" % (name, tol, at, flat_at()))   # it is found where the square of a length is 1e-10
            tally.check(told["steps"] < 400, "%s, %s: %s steps" % (name, tol, told["steps"]))   # 65536 where it chattered


def goes_on(tally, program, folder):
    status, _, err = run(program, folder, SLIDER, "-o", os.path.join(folder, "a.csv"))
    with open(os.path.join(folder, "a.csv"), encoding="utf-8") as file:
        last = rows(file.read())[-1]
    # x = cos(a), s = 2 cos(a): (1 + 4 sin(a)^2) a'^2 is constant
    speed = (1 + 4 * sin(1) ** 2) ** .5
    low, high = 1, 4
    for _ in range(60):
        middle = (low + high) / 2
        spent = quad(lambda a: (1 + 4 * sin(a) ** 2) ** .5 / speed, 1, middle, epsabs=1e-13)[0]
        low, high = (middle, high) if spent < 2 else (low, middle)
    tally.check(status == 0 and abs(last["x"] - cos(low)) < 2e-9 and low > pi / 2, "slider: exit %s, x = %s, not %s %s" % (status, last["x"], cos(low), err))
    status, told, err = run(program, folder, THREE)
    tally.check(status == 0 and abs(told["end"]["p"] - told["end"]["x"] - 1) < 1e-9, "three cranks: exit %s %s" % (status, err))
    tally.check(told["end"]["y"] < 0 or told["end"]["x"] < 0, "three cranks pass the flat position")


def turns_round(tally, program):
    """The held oscillator of the gallery: its energy constraint is xi'^2 = E2 - V(xi), whose row vanishes at xi' = 0, t = 5.7075. Its time derivative
    over xi' is Duffing's equation."""
    eta, d = .8455779782789529, .5932806406231609
    speed = ((eta - 1) * d ** 2 + d ** 4 / 2) ** .5
    right = solve_ivp(lambda t, y: [y[1], (1 - eta) * y[0] - y[0] ** 3], (0, 40), [0, speed], method="DOP853", rtol=1e-13, atol=1e-15).y[0, -1]
    for by in ("dalembert", "gauss", "maggi"):
        status, out, err = call(program, "run", os.path.join(ROOT, "models", "lorenz-averaged.act"), "--time", "0..40", "--points", "5", "--by", by, "-o", "-", "--quiet")
        last = rows(out)[-1] if out else {"t": 0, "xi": 0}
        tally.check(status == 0 and last["t"] == 40 and abs(last["xi"] - right) < 2e-9, "%s: exit %s, xi = %s, not %s: %s" % (by, status, last["xi"], right, err))


# A reaction that acts on x holds z = .1 sin(x) + .1 t: its row is .1 cos(x), and x' = .1/(.1 cos(x)) where z' = .2 stays, so that x = pi/2 at t = 1.
CREEPS = """coord x, y, z
state p, u
lagrangian (x'^2*(1 + .2*sin(p)) + y'^2 + z'^2)/2 + .2*y*x'*y'
flow p' + .4*u' = -p
flow u' - .6*p' = x'
constraint c: z = .1*sin(x) + .1*t acting x
start x' = 1, z' = .2
time 0 .. 2
"""


def creeps(tally, program, folder):
    """Accelerations that rounding decides next to the surface: the end is said after about a thousand steps, by every principle in the same words."""
    for by in ("dalembert", "skg", "dual"):
        status, told, err = run(program, folder, CREEPS, "--by", by)
        codes = [e["code"] for e in told.get("errors", [])]
        tally.check(status == 3 and codes == ["INERTIA_LOST"], "creeps by %s: exit %s, %s %s" % (by, status, codes, err))
        end = float(re.search(r"at t = (\S+)", told["errors"][0]["message"])[1]) if codes else 0
        tally.check(told["steps"] <= 4096 and abs(end - 1) < 1e-6, "creeps by %s: %s steps, t = %s" % (by, told["steps"], end))


def main():
    program, _ = arguments()
    tally = Tally("dead_points")
    with tempfile.TemporaryDirectory() as folder:
        run_parts((ends, goes_on, creeps), tally, program, folder)
    run_parts([turns_round], tally, program)
    tally.done()


main()

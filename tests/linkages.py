#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A linkage in space whose loop closes with more rows than it needs: Bennett's, three moving links as free bodies (quaternions), 23 rows of rank 20 in
21 coordinates. Every principle that applies gives the motion of its one angle, for which there is a closed form, round and round.

usage: linkages.py [--program FILE]"""
import json
import os
import tempfile
from math import asin, atan2, cos, sin

import numpy
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from program import Tally, arguments, call, chosen, rows

MASS, INERTIA, GRAVITY = 1.0, 0.1, 1.0                     # of each link; the inertia is that of a ball
START, SPEED, END = 1.0, 2.0, 10.0
LENGTH = (1.0, 1.5, 1.0, 1.5)                              # opposite links are equal, and sin(twist)/length is the same of all
TWIST = (.6, asin(1.5 * sin(.6)), .6, asin(1.5 * sin(.6)))
RATIO = sin((TWIST[1] + TWIST[0]) / 2) / sin((TWIST[1] - TWIST[0]) / 2)
DIFFERENCE = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))            # of eighth order


def turn(axis, angle):
    return Rotation.from_rotvec(angle * numpy.eye(3)["xyz".index(axis)]).as_matrix()


def links(theta):
    """(centre, quaternion) of the moving links: tan(theta/2) tan(phi/2) = RATIO, opposite joints turn the other way."""
    phi, place, frame, found = 2 * atan2(RATIO * cos(theta / 2), sin(theta / 2)), numpy.zeros(3), numpy.eye(3), []
    for k, angle in enumerate((theta, phi, -theta)):
        frame = frame @ turn("z", angle)
        x, y, z, w = Rotation.from_matrix(frame).as_quat()
        found.append((place + frame[:, 0] * LENGTH[k] / 2, numpy.array([w, x, y, z])))
        place, frame = place + frame[:, 0] * LENGTH[k], frame @ turn("x", TWIST[k])
    return found


def slopes(theta, h=1e-3):
    """d(centre, quaternion)/d theta of each link."""
    here, sums = links(theta), [numpy.zeros(7) for _ in range(3)]
    for k, weight in DIFFERENCE:
        for i, (ahead, behind) in enumerate(zip(links(theta + k * h), links(theta - k * h))):
            near = [(c, q if q @ here[i][1] > 0 else -q) for c, q in (ahead, behind)]
            sums[i] += weight / h * (numpy.concatenate(near[0]) - numpy.concatenate(near[1]))
    return sums


def inertia(theta):
    return sum(MASS * (s[:3] @ s[:3]) + 4 * INERTIA * (s[3:] @ s[3:]) for s in slopes(theta))


def height(theta):
    return sum(MASS * GRAVITY * c[1] for c, _ in links(theta))


def reference():
    """The angle at the end: M theta'^2/2 + V is constant, and theta' never 0."""
    energy = inertia(START) * SPEED ** 2 / 2 + height(START)
    return solve_ivp(lambda _, y: [(2 * (energy - height(y[0])) / inertia(y[0])) ** .5], (0, END), [START], method="DOP853", rtol=1e-12, atol=1e-12).y[0, -1]


def row(terms):
    return " + ".join("(%r)*(%s)" % (float(c), e) for c, e in terms if c) or "0"


def world(i, v):
    """A vector of link i (0: the ground) in space, as formulas."""
    return [repr(float(x)) for x in v] if i == 0 else [row((v[k], "R%d_%d%d" % (i, j, k)) for k in range(3)) for j in range(3)]


def joint(name, i, point, twist, j, other, axis):
    """Link i has its point, and the axis x turned by `twist` from z, in common with link j: three rows, and two for the axis."""
    a, b, z = world(i, point), world(j, other), world(j, axis)
    at = ["0"] * 3 if i == 0 else ["%s%d" % (c, i) for c in "xyz"]
    lines = ["constraint %s%s: %s%d + %s = %s + %s" % (name, c, c, j, b[k], at[k], a[k]) for k, c in enumerate("xyz")]
    for n, across in (("u", (1, 0, 0)), ("v", (0, cos(twist), sin(twist)))):
        lines.append("constraint %s%s: %s = 0" % (name, n, " + ".join("(%s)*(%s)" % pair for pair in zip(z, world(i, across)))))
    return lines


def model():
    lines = []
    for i in (1, 2, 3):
        p, q, r, s = ("%s%d" % (c, i) for c in "pqrs")
        turned = [[f"{p}^2+{q}^2-{r}^2-{s}^2", f"2*({q}*{r}-{p}*{s})", f"2*({q}*{s}+{p}*{r})"], [f"2*({q}*{r}+{p}*{s})", f"{p}^2-{q}^2+{r}^2-{s}^2", f"2*({r}*{s}-{p}*{q})"],
                  [f"2*({q}*{s}-{p}*{r})", f"2*({r}*{s}+{p}*{q})", f"{p}^2-{q}^2-{r}^2+{s}^2"]]
        lines += ["coord x{0}, y{0}, z{0}, p{0}, q{0}, r{0}, s{0}".format(i), "constraint n{0}: p{0}^2 + q{0}^2 + r{0}^2 + s{0}^2 = 1".format(i)]
        lines.append("lagrangian {1}/2*(x{0}'^2 + y{0}'^2 + z{0}'^2) + 2*{2}*(p{0}'^2 + q{0}'^2 + r{0}'^2 + s{0}'^2) - {3}*y{0}".format(i, MASS, INERTIA, MASS * GRAVITY))
        lines += ["let R%d_%d%d = %s" % (i, j, k, turned[j][k]) for j in range(3) for k in range(3)]
    lines += joint("a", 0, (0, 0, 0), 0, 1, (-LENGTH[0] / 2, 0, 0), (0, 0, 1))
    for i in (1, 2):
        lines += joint("bc"[i - 1], i, (LENGTH[i - 1] / 2, 0, 0), TWIST[i - 1], i + 1, (-LENGTH[i] / 2, 0, 0), (0, 0, 1))
    lines += joint("d", 0, (-LENGTH[3], 0, 0), -TWIST[3], 3, (LENGTH[2] / 2, 0, 0), (0, -sin(TWIST[2]), cos(TWIST[2])))
    for i, ((c, q), s) in enumerate(zip(links(START), slopes(START)), 1):
        for name, x, v in zip("xyzpqrs", numpy.concatenate([c, q]), s * SPEED):
            lines.append("start %s%d = %r, %s%d' = %r" % (name, i, float(x), name, i, float(v)))
    return "\n".join(lines + ["time 0 .. %r" % END]) + "\n"


def main():
    program, _ = arguments()
    tally = Tally("linkages")
    right = [c for c, _ in links(reference())]
    with tempfile.TemporaryDirectory() as folder:
        path, table, told = (os.path.join(folder, n) for n in ("bennett.act", "a.csv", "a.json"))
        with open(path, "w", encoding="utf-8") as file:
            file.write(model())
        for by in filter(chosen, ("dalembert", "gauss", "maggi", "skg")):
            status, _, err = call(program, "run", path, "--project", "--by", by, "-o", table, "-o", told, "--quiet")   # the slopes at the start are good to 1e-12
            if not tally.check(status == 0, "%s: exit %s %s" % (by, status, err[-300:])):
                continue
            with open(table, encoding="utf-8") as file:
                last = rows(file.read())[-1]
            with open(told, encoding="utf-8") as file:
                run = json.load(file)
            worst = max(abs(last["%s%d" % (n, i + 1)] - c[k]) for i, c in enumerate(right) for k, n in enumerate("xyz"))
            tally.check(last["t"] == END and worst < 1e-8, "%s: %.2e off" % (by, worst))
            tally.check(2 * run["rejected"] < run["steps"] < 500, "%s: %d of %d steps rejected" % (by, run["rejected"], run["steps"]))
    tally.done()


main()

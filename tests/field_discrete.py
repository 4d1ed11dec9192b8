#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Strings, chains and beams by the discrete action: order, exact laws, agreement with d'Alembert's equations, time a step.

usage: field_discrete.py [--program FILE]"""
import json
import math
import os
import tempfile

from program import Tally, arguments, call, rows, run_parts

LINK = "constraint link(s): diff(x, s)^2 + diff(y, s)^2 = 1\n"
STRING = """let th0 = .5*sin(2*pi*s)
let w0 = 1 + .5*cos(pi*s)
let X = running(s, cos(th0))
let Y = running(s, sin(th0))
let U = running(s, -w0*sin(th0))
let V = running(s, w0*cos(th0))
field x(s), y(s) on s = 0 .. 1 nodes %d
lagrangian integral(s, (x'^2 + y'^2)/2)
""" + LINK + """start x = X - integral(s, X), y = Y - integral(s, Y), x' = U - integral(s, U), y' = V - integral(s, V)
symmetry turn: x = -y, y = x
symmetry right: x = 1
symmetry up: y = 1
time 0 .. 1
"""
FIELDS = "field x(s), y(s) on s = 0 .. 1 nodes %d\nlagrangian integral(s, (x'^2 + y'^2)/2%s)\n"
TURNING = FIELDS % (33, "") + LINK + "start x = s - .5, y' = 2*(s - .5)\ntime 0 .. 1\n"
BENT = FIELDS.replace("%s", "") + LINK + "start x = s - .5, y' = 2*(s - .5) + .1*cos(pi*s)\ntime 0 .. .005\n"
HANGING = FIELDS % (17, " - y") + LINK + "constraint topx: x(0) = 0\nconstraint topy: y(0) = 0\nstart y = -s, x' = .3*s\ntime 0 .. 1\n"
ELASTIC = FIELDS % (33, " - 50*(sqrt(diff(x, s)^2 + diff(y, s)^2) - 1)^2") + """constraint ax: x(0) = 0
constraint ay: y(0) = 0
constraint bx: x(1) = 1.2
constraint by: y(1) = 0
start x = 1.2*s, y = .05*sin(pi*s)
time 0 .. 1
"""
EDGE = "constraint edge(s): x'*diff(y, s) = y'*diff(x, s)\n"
SLEIGH = "param m = 2, J = 1.5\ncoord th\n" + FIELDS % (33, "") + "lagrangian m/2*(x'(0)^2 + y'(0)^2) + J/2*th'^2\nconstraint blade: x'(0)*sin(th) = y'(0)*cos(th)\n" + LINK + EDGE + "start x = -s, x' = 1, th' = 1\ntime 0 .. 1\n"
FRONT = FIELDS % (33, "") + LINK + EDGE + """constraint fx: x'(1) = cos(.8*sin(2*(1 + t)))
constraint fy: y'(1) = sin(.8*sin(2*(1 + t)))
start x = running(s, cos(.8*sin(2*s))), y = running(s, sin(.8*sin(2*s))), x' = cos(.8*sin(2*s)), y' = sin(.8*sin(2*s))
time 0 .. 1
"""
# A clamped beam in its first mode; k and r of the continuum.
BEAM = """param k = 1.8751040687119611, r = 0.7340955137589128
field w(s) on s = 0 .. 1 nodes %d
lagrangian integral(s, w'^2/2 - diff(diff(w, s), s)^2/2)
constraint root: w(0) = 0
constraint clamp: diff(w, s)(0) = 0
start w = cosh(k*s) - cos(k*s) - r*(sinh(k*s) - sin(k*s))
time 0 .. 1
"""


class Bench:
    def __init__(self, program, folder, tally):
        self.program, self.folder, self.tally = program, folder, tally

    def model(self, name, text):
        path = os.path.join(self.folder, name + ".act")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def table(self, path, *words):
        status, out, err = call(self.program, "run", path, "-o", "-", "--quiet", *words)
        self.tally.check(status == 0, "%s %s: exit %s %s" % (os.path.basename(path), " ".join(words), status, err[:300]))
        return rows(out) if status == 0 else []


def apart(a, b, names="xy"):
    """The largest distance of a node."""
    nodes = sum(key.startswith(names[0] + "[") for key in a)
    return max(math.hypot(*(a["%s[%d]" % (n, i)] - b["%s[%d]" % (n, i)] for n in names)) for i in range(nodes))


def largest(table, word):
    return max(abs(x) for row in table for key, x in row.items() if key.startswith(word))


def strayed(table, name):
    return max(abs(row[name] - table[0][name]) for row in table)


def orders(b):
    """HAMEL B.4: errors of RATTLE at t = 1 with 64 cells, and those of five substeps."""
    path = b.model("string", STRING % 65)
    exact = b.table(path, "--tol", "1e-10", "--points", "2")
    for steps, expected in ((50, 4.2e-5), (100, 1.05e-5), (200, 2.6e-6), (400, 6.6e-7), (800, 1.64e-7)):
        table = b.table(path, "--by", "discrete", "--order", "2", "--grid", str(steps + 1), "--points", "2")
        far = apart(table[-1], exact[-1])
        b.tally.check(abs(far / expected - 1) < .02, "order 2, %d steps: %.3g, not %.3g" % (steps, far, expected))
    far = [apart(b.table(path, "--by", "discrete", *order, "--grid", str(steps + 1), "--points", "2")[-1], exact[-1]) for steps in (25, 50) for order in ((), ("--order", "4"))]
    b.tally.check(far[0] == far[1] and far[2] == far[3], "order 4 is not the default: %s" % far)
    b.tally.check(12 < far[0] / far[2] < 20 and far[2] < 1e-8, "order 4: %.3g, %.3g" % (far[0], far[2]))


def laws(b):
    """Lengths, momentum and angular momentum to rounding, the energy without drift."""
    path = b.model("long", STRING % 33)
    table = b.table(path, "--by", "discrete", "--order", "2", "--grid", "20001", "--time", "0..50", "--points", "1001")
    early, late = (max(abs(row["energy"] - table[0]["energy"]) for row in part) for part in (table[:100], table[-100:]))
    b.tally.check(late <= 3 * early, "energy: off by %.2g at first, by %.2g in the end" % (early, late))
    for name in ("charge.turn", "charge.right", "charge.up"):
        b.tally.check(strayed(table, name) < 1e-12, "%s strays by %.2g" % (name, strayed(table, name)))
    table = b.table(path, "--by", "discrete", "--order", "2", "--grid", "100001", "--time", "0..250", "--points", "51")
    b.tally.check(largest(table, "residual.link") < 1e-13, "lengths after 1e5 steps: %.2g" % largest(table, "residual.link"))
    b.tally.check(strayed(table, "charge.turn") < 1e-12, "angular momentum after 1e5 steps: %.2g" % strayed(table, "charge.turn"))


def energies(b):
    """HAMEL B.4: largest errors of the energy within 20, momenta and lengths to rounding; within 200 in five windows, of which every fourth step is looked at."""
    path = b.model("long", STRING % 33)
    for steps, expected in ((2000, 3.7e-6), (4000, 9.3e-7), (8000, 2.3e-7)):
        table = b.table(path, "--by", "discrete", "--order", "2", "--grid", str(steps + 1), "--time", "0..20", "--points", str(steps + 1))
        far = strayed(table, "energy")
        b.tally.check(abs(far / expected - 1) < .02, "energy, %d steps: %.3g, not %.3g" % (steps, far, expected))
        for name in ("charge.right", "charge.up", "charge.turn"):
            b.tally.check(strayed(table, name) < 1e-14, "%s, %d steps: %.2g" % (name, steps, strayed(table, name)))
        b.tally.check(largest(table, "residual.link") < 2e-14, "lengths, %d steps: %.2g" % (steps, largest(table, "residual.link")))        # of squares of slopes, so 1e-14 of a link
    table = b.table(path, "--by", "discrete", "--order", "2", "--grid", "20001", "--time", "0..200", "--points", "5001")
    offset = [row["energy"] - table[0]["energy"] for row in table]
    for k, expected in enumerate((1.0e-5, 4.7e-6, 3.0e-6, 5.2e-6, 4.0e-6)):
        window = offset[1000 * k:1000 * k + 1001]
        b.tally.check(.8 < max(map(abs, window)) / expected < 1.06, "energy from %d to %d: %.3g, not about %.3g" % (40 * k, 40 * k + 40, max(map(abs, window)), expected))
        b.tally.check(-8e-7 < sum(window) / len(window) < -3e-7, "energy from %d to %d: on the whole %.3g" % (40 * k, 40 * k + 40, sum(window) / len(window)))


def long_runs(b):
    """1e5 steps of the default method keep lengths to 1e-13; in 1e6 of the discrete action the energy is no worse at the end. Four links: 2 s and 6 s."""
    path = b.model("short", STRING % 5)
    status, out, err = call(b.program, "run", path, "--local", "1e-10", "--time", "0..15000", "--points", "201", "--json")
    told = json.loads(out) if status == 0 else {"steps": 0, "residual": err}
    b.tally.check(told["steps"] >= 100000 and told["residual"] < 1e-13, "lengths after %s steps: %s" % (told["steps"], told["residual"]))
    table = b.table(path, "--by", "discrete", "--order", "2", "--grid", "1000001", "--time", "0..10000", "--points", "20001")
    first, last = (max(abs(row["energy"] - table[0]["energy"]) for row in part) for part in (table[:2001], table[-2001:]))
    b.tally.check(last <= 3 * first, "energy in 1e6 steps: off by %.2g in the first tenth, by %.2g in the last" % (first, last))
    b.tally.check(first < 1e-6, "energy in the first of 1e6 steps: off by %.2g" % first)                       # measured 4.5e-7 in the first, 4.4e-7 in the last tenth
    b.tally.check(largest(table, "residual.link") < 1e-13 and strayed(table, "charge.turn") < 1e-13, "lengths and angular momentum in 1e6 steps: %.2g, %.2g" % (largest(table, "residual.link"), strayed(table, "charge.turn")))


def agreement(b):
    """What d'Alembert's equations give. The sleigh's first steps are too long to be found, and shorter ones are taken."""
    for name, text, words in (("turning", TURNING, ()), ("hanging", HANGING, ()), ("elastic", ELASTIC, ()), ("sleigh", SLEIGH, ("--time", "0..6")),
                              ("front", FRONT, ("--time", "0..0.5", "--points", "2")), ("beam", BEAM % 17, ())):
        status, out, err = call(b.program, "compare", b.model(name, text), "--by", "dalembert,discrete", "--tol", "1e-5" if name == "sleigh" else "1e-6", "--json", *words)
        told = json.loads(out)["principles"][1] if out else err
        b.tally.check(status == 0 and told["status"] == "agrees", "%s: %s" % (name, told))
    exact, table = b.table(b.model("front", FRONT), "--tol", "1e-10", "--points", "11"), b.table(b.model("front", FRONT), "--by", "discrete", "--grid", "4001", "--points", "11")
    far = max(apart(x, y) for x, y in zip(table, exact))
    b.tally.check(far < 1e-11, "front on 4000 steps: %.2g" % far)


def beams(b):
    """Values beyond the free end have no mass: steps may be as long as one likes, and the frequency is the continuum's."""
    table = b.table(b.model("beam65", BEAM % 65), "--by", "discrete", "--order", "2", "--grid", "801", "--time", "0..8", "--points", "801")
    energy = [row["energy"] for row in table]
    b.tally.check(max(energy) - min(energy) < 1e-9, "energy of a beam: from %r to %r" % (min(energy), max(energy)))
    far = max(abs(row["w[64]"] - 2 * math.cos(1.8751040687119611 ** 2 * row["t"])) for row in table)
    b.tally.check(far < .03, "tip of a beam: %.2g from its first mode" % far)
    free = "field w(s) on s = 0 .. 1 nodes 33\nlagrangian integral(s, w'^2/2 - diff(diff(w, s), s)^2/2)\nstart w' = 1 + s, w = .1*cos(2*pi*s)\ntime 0 .. 1\nsymmetry lift: w = 1\n"
    table = b.table(b.model("free", free), "--by", "discrete", "--grid", "101", "--points", "101")
    b.tally.check(strayed(table, "charge.lift") < 1e-12 and strayed(table, "energy") < 1e-7 * table[0]["energy"], "free beam: momentum %.2g, energy %.2g" % (strayed(table, "charge.lift"), strayed(table, "energy")))


def one_grid(b):
    """The doubled action on one grid: d'Alembert's motion, multipliers and reactions to the order of the operators; what is made for points only is refused."""
    for name, text in (("hanging", HANGING), ("sleigh", SLEIGH), ("beam9", BEAM % 9)):
        path, words = b.model(name, text), ("--time", "0..0.1", "--points", "5")
        exact, far = b.table(path, *words)[2], []
        for points in (17, 33, 65):
            row = b.table(path, "--by", "skg", "--grid", str(points), *words)[2]
            far.append(max(abs(row[c] - exact[c]) for c in exact if c.startswith(("x[", "y[", "w[", "x_dot[", "w_dot["))))
        near = max(abs(row[c] - exact[c]) for c in exact if c.startswith(("lambda.", "reaction.", "energy")))
        b.tally.check(far[2] < max(far[0] / 30, 1e-12) and near < 5e-2, "%s on one grid: %s, multipliers %.2g" % (name, far, near))
    for words in (("--verify",), ("--form", "paper"), ("--form", "bare")):
        status, _, err = call(b.program, "run", path, "--by", "skg", "--grid", "17", *words)
        b.tally.check(status == 2 and "models without fields" in err, "%s: %d, %s" % (words, status, err))


def main():
    program, _ = arguments()
    tally = Tally("field_discrete")
    with tempfile.TemporaryDirectory() as folder:
        run_parts((orders, laws, energies, long_runs, agreement, beams, one_grid), Bench(program, folder, tally))
    tally.done()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Charges and balances: charge(t) - charge(0) is the integral of the balance, whatever the transformation, the constraints and the principle.

Gallery models get further `symmetry` lines, most of them no symmetries, and are run at 4001 points. The charge must be the formula
written here, its change the integral of the balance by Boole's rule, and a balance is zero only where there is a symmetry.

usage: noether.py [--program FILE]"""
import os
import tempfile
from math import cos, sin

from program import ROOT, Tally, arguments, call, chosen, rows, run_parts

POINTS = 4001
BOUND = 1e-8

# An affine, rheonomic row and a Lagrangian with t and a term linear in the velocities.
RHEONOMIC = """model rheonomic
param B = .7
coord x, y, z
lagrangian (1 + .3*sin(t))*x'^2/2 + (y'^2 + z'^2)/2 + B*(x*y' - y*x') - .4*x^2*(2 + cos(t)) - y*z
force drive: z = .2*cos(3*t)
dissipation .05*(x'^2 + y'^2)
constraint row: x' - z*y' + t*z' = sin(t) + .1*x
start x = .4, y = -.3, z = .5, y' = .2, x' = .14, z' = .6
time 0 .. 6
"""

# model, principles, symmetry lines: (label, transformation, charge of a row, zero: the balance vanishes)
momentum = lambda r, m=1: m * r["x_dot"]
CASES = [
    ("turntable", "dalembert gauss maggi hamel appell jourdain hamilton", [
        ("clock", "time", lambda r: r["energy"], False),
        ("shift", "x = 1", momentum, False),
        ("bent", "x = x*y, y = sin(t)", lambda r: r["x_dot"] * r["x"] * r["y"] + r["y_dot"] * sin(r["t"]), False),
        ("spin", "phi = 1", lambda r: .4 * (r["phi_dot"] + r["psi_dot"] * cos(r["theta"])), True)]),
    ("rheonomic", "dalembert gauss maggi hamel appell jourdain hamilton", [
        ("clock", "time", lambda r: r["energy"], False),
        ("lift", "z = 1", lambda r: r["z_dot"], False),
        ("turn", "x = -y, y = x", lambda r: -r["y"] * ((1 + .3 * sin(r["t"])) * r["x_dot"] - .7 * r["y"]) + r["x"] * (r["y_dot"] + .7 * r["x"]), False)]),
    ("knife-level", "dalembert maggi hamel appell jourdain hamilton vakonomic", [
        ("clock", "time", lambda r: r["energy"], True),
        ("turn", "x = -y, y = x, th = 1", lambda r: r["x"] * r["y_dot"] - r["y"] * r["x_dot"] + r["th_dot"], False),
        ("swell", "x = x, y = y", lambda r: r["x"] * r["x_dot"] + r["y"] * r["y_dot"], False)]),
    ("pars42", "dalembert gauss vakonomic reduced", [
        ("clock", "time", lambda r: r["energy"], None),
        ("along", "x1 = 1, x2 = x3", lambda r: r["x1_dot"] + r["x3"] * r["x2_dot"], False),
        ("third", "x3 = 1", lambda r: r["x3_dot"], None)]),
    ("pars-nu", "dalembert maggi", [
        ("clock", "time", lambda r: r["energy"], False),
        ("third", "x3 = cos(x1)", lambda r: cos(r["x1"]) * r["x3_dot"], False)]),
    ("disk", "dalembert gauss maggi appell jourdain hamilton", [
        ("clock", "time", lambda r: r["energy"], True),
        ("heading", "phi = 1", lambda r: r["phi_dot"] / 4, True),
        ("across", "y = 1", lambda r: r["y_dot"], False)]),
    ("moving-wall", "dalembert gauss maggi hamel appell jourdain hamilton", [
        ("clock", "time", lambda r: r["energy"], False)]),
    ("driven-double-pendulum", "dalembert", [
        ("clock", "time", lambda r: r["energy"], False)]),
    ("plane-servo", "dalembert", [
        ("clock", "time", lambda r: r["energy"], True),
        ("shift", "x = 1", lambda r: momentum(r, 2), False)]),
    ("rod-servo-tumbling", "dalembert", [
        ("clock", "time", lambda r: r["energy"], False),
        ("lift", "z1 = 1, z2 = 1", lambda r: r["z1_dot"] + 3 * r["z2_dot"], False)]),
    ("cone", "dalembert gauss vakonomic", [
        ("round", "x = -y, y = x", lambda r: 2 * (r["x"] * r["y_dot"] - r["y"] * r["x_dot"]), True),
        ("lift", "z = t", lambda r: 2 * r["t"] * r["z_dot"], None)]),
    ("lorenz-chetaev", "dalembert", [
        ("clock", "time", lambda r: r["energy"], False),
        ("swell", "xi = xi*eta", lambda r: r["xi_dot"] * r["xi"] * r["eta"], False)]),
]
OPTIONS = {"reduced": ("--resplit", "0")}                  # a new split makes the reaction jump


def integral(t, f):
    """Boole's rule; the number of intervals is a multiple of four."""
    h = (t[-1] - t[0]) / (len(t) - 1)
    inner = sum(w * sum(f[k::4]) for k, w in ((1, 32), (2, 12), (3, 32))) + 14 * sum(f[4:-1:4])
    return 2 * h / 45 * (inner + 7 * (f[0] + f[-1]))


def source(stem, lines):
    if stem == "rheonomic":
        text = RHEONOMIC
    else:
        with open(os.path.join(ROOT, "models", stem + ".act"), encoding="utf-8") as file:
            text = "".join(line for line in file if not line.startswith(("symmetry", "expect charge", "expect drift(charge")))
    return text + "".join("symmetry %s: %s\n" % line[:2] for line in lines)


def motion(program, folder, stem, by, lines):
    path = os.path.join(folder, stem + ".act")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source(stem, lines))
    status, out, err = call(program, "run", path, "--by", by, "--points", str(POINTS), "--tol", "1e-11", "-o", "-", "--quiet", *OPTIONS.get(by, ()))
    return rows(out) if status == 0 else err


def check(tally, program, folder, stem, by, lines):
    table = motion(program, folder, stem, by, lines)
    if not tally.check(isinstance(table, list), "%s by %s: %s" % (stem, by, table)):
        return
    t = [row["t"] for row in table]
    for label, _, charge, zero in lines:
        where = "%s by %s, %s" % (stem, by, label)
        c, b = [row["charge." + label] for row in table], [row["balance." + label] for row in table]
        size = max([1] + [abs(x) for x in c])
        off = max(abs(charge(row) - x) for row, x in zip(table, c))
        tally.check(off <= 1e-12 * size, "%s: the charge is %g off its formula" % (where, off))
        off = max(abs(c[n] - c[0] - integral(t[:n + 1], b[:n + 1])) for n in range(400, POINTS, 400))
        tally.check(off <= BOUND, "%s: its change is %g off the integral of the balance" % (where, off))
        largest = max(abs(x) for x in b)
        tally.check(zero is None or (largest < BOUND) == zero, "%s: the balance goes up to %g" % (where, largest))


def turntable(tally, program):
    """Energy is not conserved with affine rows: E' = -lambda.alpha, alpha = (Om*y, -Om*x), Om = 2; the number is a measured one of a prototype."""
    status, out, err = call(program, "run", os.path.join(ROOT, "models", "turntable.act"), "--points", str(POINTS), "--tol", "1e-11", "-o", "-", "--quiet")
    if not tally.check(status == 0, "turntable: %s" % err):
        return
    table = rows(out)
    t = [row["t"] for row in table]
    change = table[-1]["energy"] - table[0]["energy"]
    rate = [-2 * row["y"] * row["lambda.rollx"] + 2 * row["x"] * row["lambda.rolly"] for row in table]
    work = [row["power.rollx"] + row["power.rolly"] for row in table]
    for what, value in (("E(10) - E(0)", change), ("the integral of -lambda.alpha", integral(t, rate)), ("the reactions' work", integral(t, work))):
        tally.check(abs(value + 0.0459952429) < 6e-11, "turntable: %s = %.12f" % (what, value))


def main():
    program, _ = arguments()
    tally = Tally("noether")
    with tempfile.TemporaryDirectory() as folder:
        for stem, principles, lines in CASES:
            for by in principles.split():
                if not chosen("%s by %s" % (stem, by)):
                    continue
                check(tally, program, folder, stem, by, lines)
    run_parts([turntable], tally, program)
    tally.done()


main()

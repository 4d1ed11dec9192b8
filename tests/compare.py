#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Principles against each other: on the whole gallery those that must agree do, and other theories give the published numbers.

usage: compare.py [--program FILE] [MODEL ...]"""
import json
import os
import subprocess
import tempfile

from program import Tally, arguments

SAME = ("gauss", "maggi", "hamel")


def compare(program, path, *more):
    done = subprocess.run([program, "compare", path, "--json", *more], capture_output=True, text=True, timeout=300)
    return done.returncode, json.loads(done.stdout)


def gallery(tally, program, models):
    """Each agrees to ten times the error estimates, and its own error is at most a hundred tolerances, relative to the sizes."""
    for path in models:
        stem = os.path.basename(path)[:-4]
        status, told = compare(program, path, "--by", "dalembert," + ",".join(SAME))
        rows = {row["by"]: row for row in told["principles"]}
        tally.check(status == 0, "%s: exit %d" % (stem, status))
        if rows["dalembert"]["status"] != "reference":
            continue
        for name in SAME:
            row = rows[name]
            tally.check(row["status"] in ("agrees", "inapplicable") or "kinetic energy" in row["note"], "%s by %s: %s" % (stem, name, row))


KNIFE = """coord x, y, th
lagrangian (x'^2 + y'^2 + th'^2)/2%s
constraint edge: x'*sin(th) = y'*cos(th)
start %s
time 0 .. 5
"""
COIN = """coord x, y, phi, th
lagrangian (x'^2 + y'^2 + phi'^2/2 + th'^2/4)/2
constraint cx: x' = phi'*cos(th)
constraint cy: y' = phi'*sin(th)
start x' = 1, phi' = 1, th' = 1, lambda.cx = %s, lambda.cy = 0
time 0 .. 5
"""
# Vakonomic motions at t = 1 and t = 5, HAMEL G.
VAKONOMIC = [
    (KNIFE % (" + x", "th' = 1, lambda.edge = 0"), 1, (.29501195553, .21668190558, 1.03585074946)),
    (KNIFE % (" + x", "th' = 1, lambda.edge = 0"), 5, (2.42158892054, -.69382752532, 1.14909728324)),
    (KNIFE % (" + x", "th' = 1, lambda.edge = .5"), 1, (.11548893167, .07534048068, 1.04105710987)),
    (KNIFE % (" + x", "th' = 1, lambda.edge = .5"), 5, (1.27438107379, -.69436008507, 1.11518407029)),
    (KNIFE % ("", "x' = 1, th' = 1, lambda.edge = 0"), 1, (.69300297673, .35051428368, 1.13773001203)),
    (KNIFE % ("", "x' = 1, th' = 1, lambda.edge = 1"), 1, (.27262264677, -.03787896163, 1.29467844281)),
    (COIN % "0", 1, (.63704383702, .38369378017, .80898989766, 1.60648379879)),
]



def vakonomic(tally, program, folder):
    for k, (text, t, expected) in enumerate(VAKONOMIC):
        path = os.path.join(folder, "v%d.act" % k)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        names = [w.strip() for w in text.split("\n")[0][6:].split(",")]
        done = subprocess.run([program, "run", path, "--by", "vakonomic", "--time", "0..%g" % t, "--json"], capture_output=True, text=True, timeout=60)
        end = json.loads(done.stdout).get("end", {})
        for name, value in zip(names, expected):
            tally.check(abs(end.get(name, 1e9) - value) < 2e-10, "vakonomic %d at %g: %s = %s, not %.11f" % (k, t, name, end.get(name), value))


def theories(tally, program, folder):
    """Where vakonomic and d'Alembert's motions are one: lambda(0) = -m(x', y') for the coin, and any for a holonomic constraint."""
    for k, (text, word) in enumerate([(COIN % "-1", "agrees"), (COIN % "0", "differs"),
                                      ("coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint rod: x^2 + y^2 = 1\nstart x = 1, lambda.rod = .7\ntime 0 .. 2\n", "agrees")]):
        path = os.path.join(folder, "t%d.act" % k)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        status, told = compare(program, path, "--by", "dalembert,vakonomic")
        row = told["principles"][1]
        tally.check(status == 0 and row["status"] == word, "theory %d: %s" % (k, row))


def discrete(tally, program, folder):
    """The variational integrator agrees where it applies, and a long run keeps the energy within a bound that does not grow."""
    for stem in ("kepler", "pendulum", "pendulum-cartesian", "spherical-pendulum", "sleigh", "knife", "disk", "turntable", "coin", "double-pendulum-cartesian"):
        status, told = compare(program, stem, "--by", "dalembert,discrete", "--tol", "1e-6")
        row = told["principles"][1]
        tally.check(status == 0 and row["status"] == "agrees", "%s by discrete: %s" % (stem, row))
    for stem, end, steps in (("kepler", 1256.6370614359173, 100000), ("double-pendulum", 1000, 100000), ("pendulum-cartesian", 1000, 50000)):
        target = os.path.join(folder, "long.csv")
        done = subprocess.run([program, "run", stem, "--by", "discrete", "--grid", str(steps + 1), "--time", "0..%r" % end, "--points", "2001", "-o", target, "--json"],
                              capture_output=True, text=True, timeout=120)
        if not tally.check(done.returncode == 0, "%s: %s" % (stem, done.stdout[-300:])):
            continue
        with open(target, encoding="utf-8") as file:
            lines = [line.split(",") for line in file.read().split("\n") if line]
        at = lines[0].index("energy")
        energy = [float(row[at]) for row in lines[1:]]
        early, late = (max(abs(e - energy[0]) for e in part) for part in (energy[:200], energy[-200:]))
        tally.check(late <= 3 * early + 1e-10, "%s: energy off by %.1e at first, %.1e in the end" % (stem, early, late))


def main():
    program, models = arguments()
    tally = Tally("compare")
    gallery(tally, program, models)
    with tempfile.TemporaryDirectory() as folder:
        vakonomic(tally, program, folder)
        theories(tally, program, folder)
        discrete(tally, program, folder)
    tally.done()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Principles against each other: on the whole gallery those that must agree do, and other theories give the published numbers.

usage: compare.py [--program FILE] [MODEL ...]"""
import json
import os
import re
import subprocess
import tempfile
from math import cos, log, sin

from program import ROOT, Tally, arguments, call, chosen, rows, run_parts

SAME = ("gauss", "maggi", "hamel", "appell", "jourdain", "hamilton")


def compare(program, path, *more):
    done = subprocess.run([program, "compare", path, "--json", *more], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout)


def fewer_nodes(path):
    """Of fields 17: full matrices take time like the cube of their number. All 33 of a sleigh's string are in tests/field.py."""
    with open(path, encoding="utf-8") as file:
        axes = re.findall(r"^field .* on (\w+) =", file.read(), re.M)
    return ("--set", ",".join(axis + ".nodes=17" for axis in axes)) if axes else ()


def gallery(tally, program, models):
    """Each agrees to ten times the error estimates, and its own error is at most a hundred tolerances, relative to the sizes."""
    for path in models:
        stem = os.path.basename(path)[:-4]
        if not chosen("gallery " + stem):
            continue
        status, told = compare(program, path, "--by", "dalembert," + ",".join(SAME), *fewer_nodes(path))
        rows = {row["by"]: row for row in told["principles"]}
        tally.check(status == 0, "%s: exit %d" % (stem, status))
        if rows["dalembert"]["status"] != "reference":
            continue
        for name in SAME:
            row = rows[name]
            tally.check(row["status"] in ("agrees", "inapplicable"), "%s by %s: %s" % (stem, name, row))


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
        done = subprocess.run([program, "run", path, "--by", "vakonomic", "--time", "0..%g" % t, "--json"], capture_output=True, text=True)
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
                              capture_output=True, text=True)
        if not tally.check(done.returncode == 0, "%s: %s" % (stem, done.stdout[-300:])):
            continue
        with open(target, encoding="utf-8") as file:
            lines = [line.split(",") for line in file.read().split("\n") if line]
        at = lines[0].index("energy")
        energy = [float(row[at]) for row in lines[1:]]
        early, late = (max(abs(e - energy[0]) for e in part) for part in (energy[:200], energy[-200:]))
        tally.check(late <= 3 * early + 1e-10, "%s: energy off by %.1e at first, %.1e in the end" % (stem, early, late))


def table(program, stem, *more):
    """The motion of a gallery model as rows."""
    status, out, err = call(program, "run", os.path.join(ROOT, "models", stem + ".act"), "-o", "-", "--quiet", *more)
    if status:
        raise SystemExit("compare: run %s %s: %s" % (stem, " ".join(more), err))
    return rows(out)


def power(row, names):
    return sum(row["reaction." + name] * row[name + "_dot"] for name in names)


def no_multiplier_helps(tally, program):
    """Level knife edge: of all lambda(0) from -3 to 3 in steps of .1 the nearest vakonomic motion is .030 away at t = 1."""
    gaps = []
    for k in range(-30, 31):
        end = table(program, "knife-level", "--by", "vakonomic", "--start", "lambda.edge=%g" % (k / 10), "--time", "0..1", "--points", "2")[-1]
        gaps.append(max(abs(end["x"] - sin(1)), abs(end["y"] - 1 + cos(1)), abs(end["th"] - 1)))
    tally.check(.0295 < min(gaps) < .0305, "level knife edge: a vakonomic motion comes as near as %g" % min(gaps))


def splits(tally, program):
    """Minimal reaction of Pars's particle (AS 49): with x2' bound x1' = 1; after a new split, at x3 = 1/tau, x2' stays and x1' = x2'/x3."""
    for tau, turn in ((0, None), (.1, None), (.5, 2), (1, 1)):
        end = table(program, "pars42", "--by", "reduced", "--resplit", "%g" % tau, "--points", "2")[-1]
        x1, x2, v1, v2 = 5.1, 10.45, 1, 3.8
        if turn:
            until = (turn - .3) / .7
            x1, x2 = .1 + until + turn / .7 * log(3.8 / turn), .2 + .3 * until + .35 * until**2 + turn * (5 - until)
            v1, v2 = turn / 3.8, turn
        expected = {"x1": x1, "x2": x2, "x3": 3.8, "x1_dot": v1, "x2_dot": v2, "energy": (v1**2 + v2**2 + .49) / 2}
        for name, value in expected.items():
            tally.check(abs(end[name] - value) < 1e-8, "reduced, --resplit %g: %s = %.12g, not %.12g" % (tau, name, end[name], value))


def distances(tally, program):
    """How far the minimal reaction takes Pars's particle from d'Alembert's motion, positions and velocities together (AS 49)."""
    for t, expected in ((1, .262), (2, .800), (5, 5.947)):
        ideal, reduced = (table(program, "pars42", "--by", by, "--time", "0..%d" % t, "--points", "2")[-1] for by in ("dalembert", "reduced"))
        far = max(abs(ideal[name + dot] - reduced[name + dot]) for name in ("x1", "x2", "x3") for dot in ("", "_dot"))
        tally.check(abs(far - expected) < 6e-4, "reduced at %d is %g from d'Alembert's motion, not %g" % (t, far, expected))


def powers(tally, program):
    """Power of Pars's reaction: none by any principle but the minimal reaction's, which has x1'*x2'*x3'; energy agrees."""
    for by in ("dalembert",) + SAME + ("vakonomic", "reduced", "discrete", "skg", "dual"):
        motion = table(program, "pars42", "--by", by)
        for row in motion[::20]:
            expected = row["x1_dot"] * row["x2_dot"] * row["x3_dot"] if by == "reduced" else 0
            tally.check(abs(row["power.edge"] - expected) < 1e-8, "power.edge by %s at %g: %g, not %g" % (by, row["t"], row["power.edge"], expected))
            tally.check(abs(power(row, ("x1", "x2", "x3")) - expected) < 1e-8, "power by %s at %g: %g, not %g" % (by, row["t"], power(row, ("x1", "x2", "x3")), expected))
        change = motion[-1]["energy"] - motion[0]["energy"]
        tally.check(abs(change - (7.175 if by == "reduced" else 0)) < 1e-8, "energy by %s changes by %g" % (by, change))


# What the reactions do by each principle, and what named forces do: `check`'s words, at the states of the motion.
WORDS = {
    "pars42": ({"dalembert": "none", "gauss": "none", "maggi": "none", "hamel": "none", "appell": "none", "jourdain": "none", "hamilton": "none", "vakonomic": "none", "reduced": ">= 0", "discrete": "none", "skg": "none", "dual": "none"}, {}),
    "pars45": ({"dalembert": "none", "gauss": "none", "maggi": "none", "hamel": "none", "appell": "none", "jourdain": "none", "hamilton": "none", "reduced": "either", "discrete": "none", "skg": "none", "dual": "none"}, {"whirl": "none"}),
    "pars-nu": ({"dalembert": "none", "gauss": "none", "maggi": "none", "hamel": "none", "appell": "none", "jourdain": "none", "hamilton": "none", "reduced": "either", "discrete": "none", "skg": "none", "dual": "none"}, {"whirl": "none", "drag": "<= 0"}),
    "rod-servo": ({"dalembert": "either", "jourdain": "either", "hamilton": "either", "skg": "either", "dual": "either"}, {}),
    "pendulum": ({}, {}),
    "turntable": ({"dalembert": "either", "gauss": "either", "maggi": "either", "hamel": "either", "appell": "either", "jourdain": "either", "hamilton": "either", "reduced": "either", "discrete": "either", "skg": "either", "dual": "either"}, {}),
}


def power_words(tally, program):
    for stem, (by, forces) in WORDS.items():
        told = json.loads(call(program, "check", stem, "--json")[1])
        tally.check((told["power_by"], told["power_of_forces"]) == (by, forces), "%s: power %s %s" % (stem, told["power_by"], told["power_of_forces"]))
    words = {row["by"]: row["power"] for row in compare(program, os.path.join(ROOT, "models", "pars-nu.act"))[1]["principles"]}
    tally.check(words["gauss"] == "none; whirl none; drag <= 0", "compare: %s" % words)


def shared_power(tally, program):
    """Where several constraints share a reaction along no gradient, their powers add up to the whole."""
    for stem, names, labels in (("coin", ("x", "y", "phi", "theta"), ("rollx", "rolly")), ("snakeboard", ("x", "y", "th", "psi", "phi"), ("front", "back"))):
        for row in table(program, stem, "--by", "reduced", "--time", "0..1", "--resplit", "0")[::20]:
            whole, parts = power(row, names), sum(row["power." + label] for label in labels)
            tally.check(abs(whole - parts) <= 1e-9 * (1 + abs(whole)), "%s at %g: powers %g, together %g" % (stem, row["t"], parts, whole))


def acting_on_all(tally, program, folder):
    """Acting on every variable that a constraint restricts is what an ideal reaction does."""
    path = os.path.join(folder, "all.act")
    with open(path, "w", encoding="utf-8") as file:
        file.write("coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2 - y\nconstraint rod: x^2 + y^2 = 1 acting y, x\nstart x = 1, z' = 1\ntime 0 .. 2\n")
    words = {row["by"]: row["status"] for row in compare(program, path, "--by", "dalembert,discrete," + ",".join(SAME))[1]["principles"]}
    tally.check(set(words.values()) == {"reference", "agrees"}, "acting on all: %s" % words)


def same_disk(tally, program):
    """One disk, two ways to write its rolling: one motion, and multipliers that go as 2*R*theta'."""
    for by in ("dalembert", "gauss", "maggi", "skg"):
        quadratic, linear = table(program, "disk", "--by", by), table(program, "disk-semiholonomic", "--by", by)
        for a, b in zip(quadratic[::10], linear[::10]):
            far = max(abs(a[name] - b[name]) for name in ("x", "y", "theta", "phi", "theta_dot", "lambda.blade", "reaction.theta", "reaction.x"))
            far = max(far, abs(2 * a["theta_dot"] * a["lambda.roll"] - b["lambda.roll"]))
            tally.check(far < 1e-7, "disk by %s at %g: the two ways are %g apart" % (by, a["t"], far))


def servos(tally, program):
    """A servo's rod is another machine than the ideal one with the same constraint, and only principles that take any direction of a reaction move it."""
    ideal, servo = (table(program, stem, "--points", "2") for stem in ("rod", "rod-servo-tumbling"))
    far = max(abs(ideal[-1][name] - servo[-1][name]) for name in ("x1", "y1", "z1", "x2", "y2", "z2"))
    tally.check(abs(far - 3.0468223616) < 1e-8, "the servo's rod is %g from the ideal one" % far)
    work = servo[-1]["energy"] - servo[0]["energy"]
    tally.check(abs(work - 84.337706227034411) < 1e-7, "the servo's work is %g" % work)
    for stem in ("rod-servo", "rod-servo-along", "rod-servo-tumbling", "plane-servo"):
        status, told = compare(program, os.path.join(ROOT, "models", stem + ".act"))
        words = {row["by"]: row["status"] for row in told["principles"]}
        tally.check(status == 0 and words.pop("dalembert") == "reference" and all(words.pop(any_direction) == "agrees" for any_direction in ("skg", "dual", "jourdain", "hamilton")) and set(words.values()) == {"inapplicable"}, "%s: %s" % (stem, words))


def frames(tally, program, folder):
    """The motion by Hamel's equations is the same in any frame, also in none, in a scaled one and in one that turns with time."""
    path = os.path.join(ROOT, "models", "sleigh.act")
    with open(path, encoding="utf-8") as file:
        text = file.read().replace("a*w*", "a*th'*").replace("I/2*w^2", "I/2*th'^2")
    text = "\n".join(line for line in text.split("\n") if not line.startswith(("frame", "expect")))
    for k, frame in enumerate(("", "frame w = th'\n", "frame p = (2 + sin(th))*(x'*cos(th) + y'*sin(th)), w = th' - 3*p\n",
                               "frame p = x'*cos(th) + y'*sin(th) + t*th' + sin(x), w = th'*(2 + cos(t))\n")):
        path = os.path.join(folder, "f%d.act" % k)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + frame)
        status, told = compare(program, path, "--by", "dalembert,hamel")
        tally.check(status == 0 and told["principles"][1]["status"] == "agrees", "frame %d: %s" % (k, told))
        status, out, err = call(program, "run", path, "--by", "hamel", "--points", "2", "-o", "-", "--quiet")
        end = rows(out)[-1] if status == 0 else {}
        for name, value in (("x", -0.495134526647906), ("y", 13.3400012863662), ("th", 1.875729218812598)):
            tally.check(abs(end.get(name, 1e9) - value) < 2e-8, "frame %d: %s = %s %s" % (k, name, end.get(name), err))


def main():
    program, models = arguments()
    tally = Tally("compare")
    gallery(tally, program, models)
    with tempfile.TemporaryDirectory() as folder:
        run_parts((vakonomic, theories, discrete, frames, acting_on_all), tally, program, folder)
    run_parts((no_multiplier_helps, splits, distances, powers, power_words, shared_power, same_disk, servos), tally, program)
    tally.done()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sensitivities against differences and closed forms, mixed data against closed forms, proofs and forms of the action.

usage: sensitivity.py [--program FILE] [MODEL ...]"""
import csv
import io
import json
import os
import subprocess
import tempfile
from math import cos, exp, pi, sin, sqrt

from program import Tally, arguments, run_parts

# Model, columns, step of the differences relative to max(1, |value|), more options. Small steps where the motion is sensitive.
DIFFERENCES = [
    ("disk", ("x", "theta'", "energy", "lambda.roll", "reaction.x"), 1e-4, ()),
    ("pendulum-cartesian", ("x", "y'", "lambda.rod", "reaction.x", "energy"), 2e-4, ("--time", "0..2")),
    ("rod-servo-along", ("x1", "energy", "lambda.rod"), 1e-3, ()),
    ("suslov-state", ("w1", "lambda.sus"), 2e-4, ()),
    ("four-bar", ("x1", "reaction.x1", "energy"), 2e-4, ()),
    ("weber-constrained", ("r", "lambda.lock", "energy"), 2e-4, ()),
    ("kapitza", ("a", "energy"), 5e-6, ()),
]


def run(program, *words):
    done = subprocess.run([program, "run", *words, "--json"], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout)


def dotted(name):
    return name[:-1] + "_dot" if name.endswith("'") else name


def difference(program, model, more, option, name, value, step, columns):
    """Central differences of order 4 of the columns at the end; start data are put back on the constraints as the gradient assumes."""
    ends = []
    for k in (-2, -1, 1, 2):
        status, told = run(program, model, "--by", "skg", "--tol", "1e-12", "--points", "2", "--project", *more, option, "%s=%r" % (name, value + k * step))
        if status:
            return None
        ends.append(told["end"])
    return {c: (ends[0][c] - 8 * ends[1][c] + 8 * ends[2][c] - ends[3][c]) / (12 * step) for c in columns}


def differences(tally, program, folder):
    own = [(write(folder, stem + ".act", text), columns, 2e-4, ()) for stem, (text, columns) in OWN.items()]
    for model, columns, size, more in DIFFERENCES + own:
        status, told = run(program, model, "--by", "skg", "--tol", "1e-11", "--points", "2", "--gradient", ",".join(columns), *more)
        tally.check(status == 0 and "gradient" in told, "%s: exit %d %s" % (model, status, told.get("errors")))
        gradient, names = told.get("gradient", {}), [dotted(c) for c in columns]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.json")
            subprocess.run([program, "run", model, "--by", "skg", "--tol", "1e-4", "--points", "2", "-o", path, "--quiet", *more], capture_output=True)
            with open(path, encoding="utf-8") as file:
                made = json.load(file)["provenance"]
        for kind, option, data in (("start", "--start", made["starts"]), ("params", "--set", made["params"])):
            for name, value in list(data.items())[::1 + len(data) // 7]:       # six of many
                if kind == "params" and name in ("n", "N"):
                    continue
                slope = difference(program, model, more, option, name, value, size * (abs(value) if 1e-6 < abs(value) < 0.1 else max(1, abs(value))), names)
                for c in names if slope else ():
                    told_slope = gradient[c][kind][name]
                    far = abs(slope[c] - told_slope) / max(1, abs(told_slope))
                    tally.check(far < 1e-8, "%s: d %s/d %s is %.12g, by differences %.12g" % (model, c, name, told_slope, slope[c]))


# Holonomic and velocity constraints together; a param in the start time of a constraint that depends on time and acts on one variable; flows that are not symmetric;
# redundant constraints.
OWN = {
    "levels": ("""param a = .8, b = 1.2
coord x, y, z
lagrangian (x'^2 + 2*y'^2 + z'^2)/2 - a*(x^2 + y^2 + b*z^2)/2
constraint one: x' + y'*sin(z) = 0
constraint h: z = .2*x
start x = .1, y = .4, z = .02
time 0 .. 1
""", ("x",)),
    "late": ("""# the same, start not written with t0: projected
param a = .4, w = 2, g = 3
coord x, y
lagrangian (x'^2 + y'^2)/2 - g*y
constraint h: y = x^2 + .5*sin(w*t) acting y
start x = .3, y = .09 + .5*sin(.8), x' = .2, y' = .12 + 1*cos(.8)
time a .. 1.5
""", ("x", "lambda.h")),
    "flows": ("""# states only
param k = 1.5, a = .4
state p, q
flow p' + .1*q' = -k*p + q^2
flow q' = a*sin(t) - p
constraint c: p^2 + q + .2*sin(k*t) = .59
start p = .3, q = .5
time 0 .. 2
observe z = q' + p'*lambda.c
""", ("p",)),
    "redundant": ("""param g = 1
coord x, y
lagrangian (x'^2 + y'^2)/2 - g*x
constraint one: x' + y' = 0
constraint two: 2*x' + 2*y' = 0
time 0 .. 1
""", ("x", "reaction.x")),
}

OSCILLATOR = """param w = 2, c = .3, x0 = 1.5
coord x
lagrangian x'^2/2 - w^2*x^2/2
dissipation c/2*x'^2
start x = x0, x' = -1
time 0 .. pi/w
"""


def closed_form(tally, program, folder):
    """A damped oscillator: x(t) = e^(-ct/2) (A cos vt + B sin vt); its param also moves the end of the interval."""
    path = write(folder, "oscillator.act", OSCILLATOR)

    def x(w, c, x0, v0):
        v, t = sqrt(w * w - c * c / 4), pi / w
        return exp(-c * t / 2) * (x0 * cos(v * t) + (v0 + c * x0 / 2) / v * sin(v * t))

    status, told = run(program, path, "--by", "skg", "--tol", "1e-12", "--gradient", "x")
    slopes, at, h = told["gradient"]["x"], (2, .3, 1.5, -1), 1e-3
    for i, (kind, name) in enumerate((("params", "w"), ("params", "c"), ("params", "x0"), ("start", "x_dot"))):
        def moved(k):
            return x(*(a + k * h if j == i else a for j, a in enumerate(at)))
        exact = (moved(-3) * -1 + 9 * moved(-2) - 45 * moved(-1) + 45 * moved(1) - 9 * moved(2) + moved(3)) / (60 * h)
        tally.check(status == 0 and abs(slopes[kind][name] - exact) < 1e-11, "oscillator: dx/d%s is %.15g, not %.15g" % (name, slopes[kind][name], exact))
    tally.check(abs(slopes["start"]["x"] - slopes["params"]["x0"]) < 1e-12, "oscillator: x0 is the start")
    done = subprocess.run([program, "run", path, "--by", "skg", "--gradient", "x,x'"], capture_output=True, text=True)
    table = list(csv.DictReader(io.StringIO(done.stdout)))
    tally.check(len(table) == 2 * (2 + 3) and {row["of"] for row in table} == {"x", "x_dot"}, "the gradient into a pipe: %s" % done.stdout[:200])


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


THROW = """param g = 9.81, c = .4, T = 1.5, X = 4, Y = 1
coord x, y
lagrangian (x'^2 + y'^2)/2 - g*y
dissipation c/2*(x'^2 + y'^2)
start x' = 1, y' = 1
%s
time 0 .. %s
"""


def thrown(tally, program, folder):
    """Linear drag: x = u (1 - e^(-cT))/c, y = (v + g/c)(1 - e^(-cT))/c - gT/c."""
    k = (1 - exp(-.4 * 1.5)) / .4
    u, v = 4 / k, (1 + 9.81 * 1.5 / .4) / k - 9.81 / .4
    both = write(folder, "both.act", THROW % ("free x', y'\nrequire x at T = X\nrequire y at T = Y", "T"))
    for by in ("skg", "dalembert", "hamel", "gauss"):
        status, told = run(program, both, "--by", by)
        start, end = told["start"], told["end"]
        tally.check(status == 0 and abs(start["x_dot"] - u) < 1e-10 and abs(start["y_dot"] - v) < 1e-10, "thrown by %s: %s" % (by, start))
        tally.check(abs(end["x"] - 4) < 4e-9 and abs(end["y"] - 1) < 1e-8, "thrown by %s ends at %s" % (by, end))
    inside = write(folder, "inside.act", THROW % ("free x', y\nstart y' = 7\nrequire x at 1 = 2\nrequire y' at .5 = 0\n".replace("start y' = 7\n", ""), "2"))
    status, told = run(program, inside)
    tally.check(status == 3 and any(m["code"] == "MIXED_DEPENDENT" for m in told["errors"]), "y' does not depend on y: %s" % told.get("errors"))
    backward = write(folder, "backward.act", (THROW % ("free x', y'\nrequire x at 0 = X\nrequire y at 0 = Y", "0")).replace("time 0 .. 0", "time T .. 0").replace("start x' = 1", "start x = 0, x' = 1"))
    status, told = run(program, backward)
    e = exp(.4 * 1.5)
    tally.check(status == 0 and abs(told["start"]["x_dot"] - (-4 * .4 / (e - 1))) < 1e-9, "backward: %s" % told.get("start", told))
    backward_count = run(program, write(folder, "under.act", THROW % ("free x', y', y\nrequire x at T = X\nrequire y at T = Y", "T")))
    tally.check(backward_count[0] == 1 and "1 too few conditions. Free data: 3; conditions of `require`: 2; constraints on the free data: 0" in backward_count[1]["errors"][0]["message"], "under: %s" % (backward_count[1],))


DISK = """param M = 1, R = 1, pull = 4.9, I_S = .5, I_D = .25
coord x, y, theta, phi
lagrangian M/2*(x'^2 + y'^2) + I_S/2*theta'^2 + I_D/2*phi'^2 + M*pull*x
constraint roll: x'^2 + y'^2 = R^2*theta'^2
constraint blade: x'*sin(phi) = y'*cos(phi)
start x' = 5, theta' = 5, phi' = 1
free phi', theta', x'
require phi at 1 = 1.3
require x at 1 = %s
time 0 .. 2
"""


def spun(tally, program, folder):
    """The rolling disk: phi = w t, speed 5 -> u0 + (k/w) sin(w t), x = (u0/w) sin(w t) + k/(2 w^2) sin^2(w t): a constraint binds two of the free data."""
    w, k, aim = 1.3, 4.9 / 1.5, 5
    u0 = (aim - k / (2 * w * w) * sin(w) ** 2) * w / sin(w)
    status, told = run(program, write(folder, "disk.act", DISK % aim), "--by", "skg")
    start = told["start"]
    tally.check(status == 0 and abs(start["phi_dot"] - w) < 1e-12 and abs(start["theta_dot"] - u0) < 1e-10 and abs(start["x_dot"] - u0) < 1e-10, "disk: %s, not %g" % (start, u0))


ROD = """coord x, y
lagrangian (x'^2 + y'^2)/2 - 9.81*y
constraint rod: x^2 + y^2 = 1
%s
time 0 .. 1
"""


def on_the_rod(tally, program, folder):
    """Free positions stay on the circle: data of a computed motion are found again from conditions on it, from a guess turned by 3 degrees."""
    exact = {"x": .6, "y": -.8, "x_dot": 1.2, "y_dot": .9}
    status, told = run(program, write(folder, "rod.act", ROD % "start x = .6, y = -.8, x' = 1.2, y' = .9"), "--by", "skg", "--tol", "1e-12")
    half = run(program, write(folder, "rod.act", ROD % "start x = .6, y = -.8, x' = 1.2, y' = .9"), "--by", "skg", "--tol", "1e-12", "--time", "0..0.5")[1]["end"]["x"]
    guess = "start x = .641, y = -.7675, x' = 1.1, y' = .92\nfree x, y, x', y'\nrequire x at 1 = %r\nrequire x at .5 = %r" % (told["end"]["x"], half)
    found_status, found = run(program, write(folder, "found.act", ROD % guess))
    tally.check(status == 0 and found_status == 0 and all(abs(found["start"][n] - v) < 1e-9 for n, v in exact.items()), "rod: %s" % found.get("start", found))
    check = subprocess.run([program, "check", os.path.join(folder, "found.act"), "--json"], capture_output=True, text=True)
    tally.check(check.returncode == 0, "check puts the guess on the rod: %s" % check.stdout[:300])
    centre = run(program, write(folder, "centre.act", ROD % "free x, y, x', y'\nrequire x at 1 = .1\nrequire x at .5 = .1"))
    tally.check(centre[0] == 1 and centre[1]["errors"][0]["code"] == "MIXED_CANNOT", "a guess at the centre: %s" % centre[1].get("errors"))
    both = run(program, os.path.join(folder, "found.act"), "--by", "skg", "--gradient", "x")
    tally.check(both[0] == 1 and both[1]["errors"][0]["code"] == "NO_GRADIENT", "a gradient with free data: %s" % both[1].get("errors"))
    far = write(folder, "far.act", "coord x\nlagrangian x'^2/2 + x^2/2\nfree x'\nrequire x at 20 = 1\nstart x' = 1\ntime 0 .. 20\n")
    status, told = run(program, far)
    tally.check(status == 0 and abs(told["end"]["x"] - 1) < 1e-8, "unstable: %s" % told.get("end", told))


def pendulum_period(tally, program, folder):
    """Which height of start swings back to the same side in a given time? Its quarter period is K(sin(a/2))."""
    text = "coord a\nlagrangian a'^2/2 + cos(a)\nstart a = 1.2\nfree a\nrequire a at T = 0\nparam T = %r\ntime 0 .. T\n"
    amplitude = 1.9
    first, second = 1.0, cos(amplitude / 2)
    while abs(first - second) > 1e-15 * first:
        first, second = (first + second) / 2, sqrt(first * second)
    status, told = run(program, write(folder, "period.act", text % (pi / 2 / first)))
    tally.check(status == 0 and abs(told["start"]["a"] - amplitude) < 1e-9, "pendulum: %s" % told.get("start", told))


def proofs(tally, program):
    """--verify: both paths coincide to rounding, and the orders seen are those of the operators."""
    for model, order, rate, more in (("disk", 2, 2, ()), ("disk", 4, 4, ()), ("disk", 6, 6, ()), ("driven-double-pendulum", 4, 4, ("--time", "0..2")), ("pendulum-cartesian", 4, 3.8, ("--time", "0..2")),
                                     ("lorenz-chetaev", 4, 4, ()), ("rod-servo-along", 4, 3.8, ())):
        status, told = run(program, model, "--by", "skg", "--verify", "--order", str(order), *more)
        proof = told.get("verify", {})
        tally.check(status == 0 and proof, "%s order %d: exit %d %s" % (model, order, status, told.get("errors")))
        tally.check(proof["minus"] < 1e-13 and proof["minus_multipliers"] < 1e-12, "%s: differences %g %g" % (model, proof["minus"], proof["minus_multipliers"]))
        tally.check(proof["gradient"] < 1e-11 and proof["apart"] < 1e-12, "%s: gradient %g, apart %g" % (model, proof["gradient"], proof["apart"]))
        tally.check(proof["rate_end"] > rate - .2, "%s order %d: rate %g" % (model, order, proof["rate_end"]))


def forms(tally, program, folder):
    """The published action: singular end conditions, a spurious oscillation that grows where there is damping (SKG 2.1, 4.1)."""
    path = write(folder, "damped.act", "coord q\nlagrangian q'^2/2 - q^2/2\ndissipation .25*q'^2\nstart q = 1\ntime 0 .. 10\n")
    v = sqrt(1 - 1 / 16)
    for length, weak, paper in ((10, 2.5e-3, 3.1e-2), (40, 2.5e-3, 5.0e1), (80, 2.5e-3, 8.7e5)):
        for form, expected in (("weak", weak), ("paper", paper)):
            n = str(10 * length + 1)
            done = subprocess.run([program, "run", path, "--by", "skg", "--time", "0..%d" % length, "--grid", n, "--points", n, "--order", "2", "--form", form, "-o", "-", "--quiet"],
                                  capture_output=True, text=True)
            far = max(abs(float(r["q"]) - exp(-float(r["t"]) / 4) * (cos(v * float(r["t"])) + sin(v * float(r["t"])) / (4 * v))) for r in csv.DictReader(io.StringIO(done.stdout)))
            tally.check(expected / 1.5 < far < 1.5 * expected, "%s to %d: %g, not %g" % (form, length, far, expected))
    done = subprocess.run([program, "run", "disk", "--by", "skg", "--grid", "64", "--points", "64", "--form", "paper", "-o", "-", "--quiet"], capture_output=True, text=True)
    last = list(csv.DictReader(io.StringIO(done.stdout)))[-1]
    tally.check(abs(abs(float(last["residual.roll"])) - 3.1) < .1, "the last point breaks the constraint: %s" % last["residual.roll"])
    status, told = run(program, "disk", "--by", "skg", "--grid", "24", "--form", "bare")
    tally.check(status == 3 and told["errors"][0]["code"] == "FORM_FAILS", "bare: %s" % told)


def refusals(tally, program, folder):
    path = write(folder, "plain.act", "coord x\nlagrangian x'^2/2 - x^2/2\nforce x = -.1*abs(x)\nstart x = 1\ntime 0 .. 6\n")
    for words, status, code in ((("--by", "skg", "--gradient", "x"), 1, "NO_GRADIENT"), (("--gradient", "x"), 2, "NOT_ITS_OPTION"), (("--by", "skg", "--grid", "64", "--gradient", "x"), 2, "NOT_ITS_OPTION"),
                                (("--by", "skg", "--gradient", "z"), 2, "NO_COLUMN"), (("--verify",), 2, "NOT_ITS_OPTION"), (("--by", "skg", "--form", "paper"), 2, "NOT_ITS_OPTION")):
        got, told = run(program, path, *words)
        tally.check(got == status and any(m["code"] == code for m in told["errors"]), "%s: exit %d %s" % (" ".join(words), got, told.get("errors")))


def main():
    program, _ = arguments()
    tally = Tally("sensitivity")
    with tempfile.TemporaryDirectory() as folder:
        run_parts((differences, closed_form, thrown, spun, on_the_rod, pendulum_period, forms, refusals), tally, program, folder)
    run_parts([proofs], tally, program)
    tally.done()


if __name__ == "__main__":
    main()

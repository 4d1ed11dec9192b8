#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Appell, Jourdain and Hamilton against motions of equations derived by hand and integrated by scipy in other variables; claims by each of them; refusals in words; and
every place that lists principles lists those of principles.def.

usage: principles.py [--program FILE]"""
import json
import math
import os
import re
import tempfile

from scipy.integrate import solve_ivp

from program import ROOT, Tally, arguments, call, rows, run_parts

NEW = ("appell", "jourdain", "hamilton")
TIGHT = dict(method="DOP853", rtol=2.3e-14, atol=1e-14)
CLOSE = 1e-9                                               # run keeps 1e-10, scipy's motions are finer by their step control


def sleigh(t):
    """The knife edge in quasi-velocities, dS/dv' = 0 and dS/dw' = 0 of S = m(v'^2 - 2 a w^2 v' + 2 a v w w')/2 + (I + m a^2) w'^2/2."""
    m, a, inertia = 1.3, .4, .7

    def rates(_, y):
        x, z, th, v, w = y
        return [v * math.cos(th), v * math.sin(th), w, a * w * w, -m * a * v * w / (inertia + m * a * a)]
    y = solve_ivp(rates, (0, t), [0, 0, .3, .8, 1.1], **TIGHT).y[:, -1]
    return {"x": y[0], "y": y[1], "th": y[2], "x_dot": y[3] * math.cos(y[2]), "y_dot": y[3] * math.sin(y[2])}


def spherical(t):
    """The spherical pendulum by its canonical equations in angles: H = p_th^2/(2 m l^2) + p_ph^2/(2 m l^2 sin^2 th) - m g l cos th."""
    m, g, l = 1.7, 9.81, 1.2

    def rates(_, y):
        th, _, p, h = y
        s = math.sin(th)
        return [p / (m * l * l), h / (m * l * l * s * s), h * h * math.cos(th) / (m * l * l * s ** 3) - m * g * l * s, 0]
    th, ph, p, h = solve_ivp(rates, (0, t), [1, 0, 0, m * l * l * math.sin(1) ** 2 * 1.5], **TIGHT).y[:, -1]
    return {"x": l * math.sin(th) * math.cos(ph), "y": l * math.sin(th) * math.sin(ph), "z": -l * math.cos(th)}


def rolling(t):
    """The upright disk on an incline: heading turns evenly, (I + m R^2) psi'' = -m g R sin(alpha) cos(phi)."""
    m, R, inertia, g, alpha = 2.0, .5, .3, 9.81, .2

    def rates(_, y):
        x, z, phi, psi, w = y
        return [R * w * math.cos(phi), R * w * math.sin(phi), .9, w, -m * g * R * math.sin(alpha) * math.cos(phi) / (inertia + m * R * R)]
    y = solve_ivp(rates, (0, t), [0, 0, .1, 0, 2], **TIGHT).y[:, -1]
    return {"x": y[0], "y": y[1], "phi": y[2], "psi": y[3]}


def fast(t):
    """A relativistic particle in a field: p = p0 + E t, x' = p/sqrt(1 + p^2)."""
    p0, field = 1 / math.sqrt(3), .8                       # x' = 1/2
    return {"x": (math.sqrt(1 + (p0 + field * t) ** 2) - math.sqrt(1 + p0 ** 2)) / field}


def driven(t):
    """A bead on a wire that turns: r'' = W^2 r."""
    return {"x": math.cosh(1.5 * t) * math.cos(1.5 * t) * .3, "y": math.cosh(1.5 * t) * math.sin(1.5 * t) * .3}


def pushed(t):
    """A servo that holds y = 0 by pushing x half as much: R_y = 3, R_x = 3/2."""
    return {"x": .25 * t * t, "y": 0}


SERVO_LINES = "coord x, y\nlagrangian (x'^2 + y'^2)/2 - x - 3*y\nconstraint c: y = 0 along x = 1, y = 2\n"

# name: (text, end, reference, principles that must have it)
MODELS = {
    "sleigh": ("param m = 1.3, a = .4, I = .7\ncoord x, y, th\n"
               "lagrangian m*((x' - a*sin(th)*th')^2 + (y' + a*cos(th)*th')^2)/2 + I*th'^2/2\n"
               "constraint blade: cos(th)*y' = sin(th)*x'\nframe v = cos(th)*x' + sin(th)*y', w = th'\n"
               "start th = .3, x' = .8*cos(.3), y' = .8*sin(.3), th' = 1.1\n", 6, sleigh, NEW),
    "half a frame": ("param m = 1.3, a = .4, I = .7\ncoord x, y, th\n"
                     "lagrangian m*((x' - a*sin(th)*th')^2 + (y' + a*cos(th)*th')^2)/2 + I*th'^2/2\n"
                     "constraint blade: cos(th)*y' = sin(th)*x'\nframe w = th'\n"
                     "start th = .3, x' = .8*cos(.3), y' = .8*sin(.3), th' = 1.1\n", 6, sleigh, NEW),
    "the blade squared": ("param m = 1.3, a = .4, I = .7\ncoord x, y, th\n"
                          "lagrangian m*((x' - a*sin(th)*th')^2 + (y' + a*cos(th)*th')^2)/2 + I*th'^2/2\n"
                          "constraint blade: (cos(th)*y' - sin(th)*x')*(1 + x'^2 + y'^2) = 0\n"
                          "start th = .3, x' = .8*cos(.3), y' = .8*sin(.3), th' = 1.1\n", 6, sleigh, NEW),
    "the blade's rate": ("param m = 1.3, a = .4, I = .7\ncoord x, y, th\n"
                         "lagrangian m*((x' - a*sin(th)*th')^2 + (y' + a*cos(th)*th')^2)/2 + I*th'^2/2\n"
                         "constraint blade: cos(th)*y'' - sin(th)*x'' = (sin(th)*y' + cos(th)*x')*th'\n"
                         "start th = .3, x' = .8*cos(.3), y' = .8*sin(.3), th' = 1.1\n", 6, sleigh, NEW),
    "blade twice": ("param m = 1.3, a = .4, I = .7\ncoord x, y, th\n"
                    "lagrangian m*((x' - a*sin(th)*th')^2 + (y' + a*cos(th)*th')^2)/2 + I*th'^2/2\n"
                    "constraint blade: cos(th)*y' = sin(th)*x'\nconstraint again: 2*sin(th)*x' = 2*cos(th)*y'\n"
                    "start th = .3, x' = .8*cos(.3), y' = .8*sin(.3), th' = 1.1\n", 6, sleigh, NEW),
    "spherical pendulum": ("param m = 1.7, g = 9.81, l = 1.2\ncoord x, y, z\nlagrangian m*(x'^2 + y'^2 + z'^2)/2 - m*g*z\n"
                           "constraint rod: x^2 + y^2 + z^2 = l^2\nstart x = l*sin(1), z = -l*cos(1), y' = 1.5*l*sin(1)\n", 5, spherical, NEW),
    "rolling disk": ("param m = 2, R = .5, I = .3, J = .2, g = 9.81, alpha = .2\ncoord x, y, phi, psi\n"
                     "lagrangian m*(x'^2 + y'^2)/2 + I*psi'^2/2 + J*phi'^2/2 - m*g*sin(alpha)*x\n"
                     "constraint along_x: x' = R*cos(phi)*psi'\nconstraint along_y: y' = R*sin(phi)*psi'\n"
                     "start phi = .1, phi' = .9, psi' = 2, x' = cos(.1), y' = sin(.1)\n", 5, rolling, NEW),
    "relativistic": ("coord x\nlagrangian -sqrt(1 - x'^2) + .8*x\nstart x' = .5\n", 8, fast, NEW),
    "a servo": (SERVO_LINES, 2, pushed, ("jourdain", "hamilton")),
    "a servo twice": (SERVO_LINES + "constraint again: 3*y = 0 along x = 1, y = 2\n", 2, pushed, ("jourdain", "hamilton")),
    "turning wire": ("coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint wire: sin(1.5*t)*x = cos(1.5*t)*y\n"
                     "start x = .3, y' = .45\n", 2, driven, NEW),
}


def references(tally, program, folder):
    for name, (text, end, reference, by) in MODELS.items():
        path = os.path.join(folder, "model.act")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "time 0 .. %g\n" % end)
        wanted = reference(end)
        for principle in by:
            status, out, err = call(program, "run", path, "--by", principle, "--tol", "1e-10", "--points", "2", "--quiet", "-o", "-")
            if not tally.check(status == 0, "%s by %s: exit %s %s" % (name, principle, status, err[:300])):
                continue
            last = rows(out)[-1]
            for column, value in wanted.items():
                tally.check(abs(last[column] - value) <= CLOSE * max(1, abs(value)), "%s by %s: %s = %.14g, not %.14g" % (name, principle, column, last[column], value))


# A slow velocity under a constraint that is quadratic in it, beside fast and heavy ones: what is rounding of the largest momentum is not rounding of the smallest.
SLOW = """coord x, y, z
lagrangian 1.866*x'^2/2 + 1.458*y'^2/2 + (1.831 + .3*sin(0.47*y + 0.526))*z'^2/2 - 0.438*x^2/2 - 0.992*y^2/2
constraint c: z'^2 + 0.733*x'^2 + 1.876*z' = 2.1169047570000004
constraint again: 1.333*(z'^2 + 0.733*x'^2 + 1.876*z') = 2.8218340410810003
start x = 0.804, y = 0.891, z = 0.123, x' = 0.023, y' = -0.933, z' = 0.793
time 0 .. .5
"""


def roundings(tally, program, folder):
    path = os.path.join(folder, "model.act")
    with open(path, "w", encoding="utf-8") as file:
        file.write(SLOW)
    status, out, _ = call(program, "compare", path, "--tol", "1e-11", "--by", "dalembert," + ",".join(NEW), "--json")
    words = {row["by"]: (row["status"], row["difference"]) for row in json.loads(out)["principles"]}
    tally.check(status == 0 and all(words[by][0] == "agrees" for by in NEW), "a slow velocity: %s" % words)


# Rows hold the coordinates where they are; a term of L that changes no equation adds to a momentum. Velocities are what rounding leaves, and become ever smaller.
STILL = """coord x, y
state u
lagrangian (1.5 + u^2)*x'^2/2 + (.6 + u^2)*y'^2/2 + .2*sin(x)*x'*y' + .5*x*y' - x^2/2
constraint c0: y + x^2 = 1.5
constraint c1: y + 1.2*x = 1.7
constraint again: 2*y + 2.4*x = 3.4
flow u' = 1 - u
start x = 1, y = .5, u = .8, x' = 7e-17, y' = 1.1e-16
time 0 .. 2
"""


def still(tally, program, folder):
    """No momentum is so small that its velocity is not found: u = 1 - exp(-t)/5, as exactly as the run says."""
    path = os.path.join(folder, "model.act")
    with open(path, "w", encoding="utf-8") as file:
        file.write(STILL)
    for tol, points in (("1e-10", 101), ("1e-11", 101), ("1e-11", 201)):
        status, out, err = call(program, "run", path, "--by", "hamilton", "--tol", tol, "--points", str(points), "--quiet", "-o", "-")
        found = rows(out)
        off = max((abs(row["u"] - 1 + math.exp(-row["t"]) / 5) for row in found), default=math.nan)
        tally.check(status == 0 and len(found) == points and off <= float(tol), "at rest, %s: exit %s, %d rows, off by %s\n%s" % (tol, status, len(found), off, err))
        tally.check(all(abs(row["x"] - 1) < 1e-15 for row in found), "at rest, %s: x moves" % tol)


MASSLESS = "coord x, y\nlagrangian x'^2/2 - y\nconstraint c: y = x\nstart x = 0\ntime 0 .. 1\n"
SERVO = "coord x, y\nlagrangian (x'^2 + y'^2)/2 - x\nconstraint c: y = 0 along x = 1, y = 2\ntime 0 .. 1\n"
REFUSED = [
    (MASSLESS, "hamilton", "d2L/dq'dq' is singular at the start"),
    ("state s\nflow s' = -s\nstart s = 1\ntime 0 .. 1\n", "hamilton", "there are no coordinates"),
    (SERVO, "appell", "not ideal"),
    ("coord z\nlagrangian z'^2/2 - z\ncontact floor: z >= 0\nstart z = 1\ntime 0 .. 1\n", "hamilton", "it has contacts"),
]


def refusals(tally, program, folder):
    for text, by, words in REFUSED:
        path = os.path.join(folder, "model.act")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        for command in ("run", "derive"):
            status, _, err = call(program, command, path, "--by", by, "--quiet")
            tally.check(status == 1 and words in err, "%s by %s: exit %s %s" % (command, by, status, err[:300]))
    status, _, err = call(program, "run", "disk", "--by", "hamilton", "--gradient", "m", "--quiet")
    tally.check(status == 2 and "gradient" in err, "--gradient by hamilton: exit %s %s" % (status, err[:200]))


def lists(tally, program, folder):
    """expect ... by, --by and compare know the same names: those of the table."""
    with open(os.path.join(ROOT, "src", "principle", "principles.def"), encoding="utf-8") as file:
        names = re.findall(r"^PRINCIPLE\((\w+)\)", file.read(), re.M)
    tally.check(set(NEW) <= set(names), "the table has %s" % names)
    path = os.path.join(folder, "model.act")
    with open(path, "w", encoding="utf-8") as file:
        file.write("coord x\nlagrangian x'^2/2\nstart x' = 1\ntime 0 .. 1\nexpect x at 1 = 1 within 1e-9 by nobody\n")
    status, _, err = call(program, "check", path)
    tally.check(status == 1 and ":5:34: error" in err and "not a principle: " + ", ".join(names) in err, "expect by nobody: exit %s %s" % (status, err[:300]))
    claims = "".join("expect x at 1 = 1 within 1e-9 by %s\n" % n for n in names if n not in ("vakonomic", "reduced"))
    with open(path, "w", encoding="utf-8") as file:
        file.write("coord x\nlagrangian x'^2/2\nstart x' = 1\ntime 0 .. 1\n" + claims)
    status, out, err = call(program, "test", path)
    tally.check(status == 0, "claims by each: exit %s %s%s" % (status, out[-300:], err[:300]))
    status, out, _ = call(program, "compare", path, "--json")
    tally.check([p["by"] for p in json.loads(out)["principles"]] == names, "compare: %s" % out[:300])
    _, _, err = call(program, "run", path, "--by", "nobody")
    tally.check(" ".join(names) in " ".join(err.split()), "--by nobody: %s" % err[:300])
    for words in (("run", "--help"), ("derive", "--help"), ("--help=man",)):
        text = " ".join(call(program, *words)[1].split())
        tally.check("one of " + ", ".join(names) in text, "%s does not list the principles" % " ".join(words))
    with open(os.path.join(ROOT, "docs", "manual.md"), encoding="utf-8") as file:
        manual = file.read()
    for name in names:
        tally.check("**`%s`**" % name in manual, "the manual has no paragraph on %s" % name)
        status, out, err = call(program, "derive", "pars42", "--by", name, "--format", "latex")
        tally.check(status == 0 or "multiplier" in err, "derive by %s: exit %s %s" % (name, status, err[:200]))


def main():
    program, tally = arguments()[0], Tally("principles")
    with tempfile.TemporaryDirectory() as folder:
        run_parts((references, roundings, still, refusals, lists), tally, program, folder)
    tally.done()


main()

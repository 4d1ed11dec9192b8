#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a switch in the Lagrangian, in a constraint or in a wall does to velocities.

References: closed forms; and for random models the same model with the switch smoothed over a width, whose motion must
approach the sharp one as the width shrinks (no corner is formed there).

usage: corners.py [--program FILE] [--seed N] [--count N]"""
import csv
import io
import json
import math
import os
import random
import re
import sys
import tempfile

from program import Tally, arguments, call, run_parts

S2 = math.sqrt(.5)
FREE = "dalembert gauss maggi hamel appell jourdain hamilton discrete skg dual"
G = 9.81

CLUTCH = "coord a, b\nlagrangian a'^2/2 + b'^2\nconstraint clutch: %s = 0\nforce a = 1\ntime 0 .. 3\n"
CANT = "does not apply", "the rank of the constraints changes"      # these motions need a rank that stays
STEADY = "hamel", "discrete", "skg", "dual"                         # by these principles

def roof():
    """Velocities (a, b, a + b/2) behind the edge of z = max(0, x) + y/2: along the edge the momentum is kept, the energy as well."""
    # b + (a + b/2)/2 = 1.25 and a^2 + b^2 + (a + b/2)^2 = 2.25: b = 1 - .4a, 2a^2 + 1.25b^2 + ab = 2.25
    A, B = 2 + 1.25 * .16 - .4, -1.25 * .8 + 1
    a = (-B + math.sqrt(B * B + 4 * A)) / (2 * A)
    return {"x_dot": a, "y_dot": 1 - .4 * a, "z_dot": a + (1 - .4 * a) / 2}


ROOF = roof()

def nearest():
    """On the ellipse 4 x^2 + y^2 = 4 next to (.02, .1) in the metric 2 dx^2 + dy^2: (.02, .1)/(1 - s (4, 2)/(2, 1)) by its multiplier."""
    # 2 (x - .02) = s 8 x, y - .1 = s 2 y: x = .02/(1 - 4 s), y = .1/(1 - 2 s); all roots of the ellipse in s, the nearest of them
    def off(s):
        return 4 * (.02 / (1 - 4 * s)) ** 2 + (.1 / (1 - 2 * s)) ** 2 - 4
    found = []
    grid = [-3 + .0001 * k + .00003 for k in range(60000)]
    for a, b in zip(grid, grid[1:]):
        if off(a) * off(b) < 0 and abs(off(a)) < 1e4 and abs(off(b)) < 1e4:
            for _ in range(80):
                middle = (a + b) / 2
                a, b = (middle, b) if off(middle) * off(b) < 0 else (a, middle)
            found.append((.02 / (1 - 4 * a), .1 / (1 - 2 * a)))
    return min(found, key=lambda v: 2 * (v[0] - .02) ** 2 + (v[1] - .1) ** 2)


NEAREST = dict(zip(("x_dot", "y_dot"), nearest()))

# (name, model, {column: value at the end})
EXACT = [
    ("gear", "param T = 1\ncoord a, b\nlagrangian a'^2/2 + b'^2\nconstraint gear: a' = if(t < 1, 2, 3)*b'\nforce a = T\n"
     "time 0 .. 2\n", {"a": 97 / 66, "b": 6 / 11}),
    ("a circle of velocities grows", "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint c: x'^2 + y'^2 = if(t < 1, 1, 4)\n"
     "start x' = .6, y' = .8\ntime 0 .. 2\n", {"x_dot": 1.2, "y_dot": 1.6}),
    ("the nearer of two", "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint c: if(t < 1, x' + .1, x'^2 - 1) = 0\n"
     "start x' = -.1, y' = 1\ntime 0 .. 2\n", {"x_dot": -1, "y_dot": 1}),
    ("the nearest of many", "coord x, y\nlagrangian x'^2 + y'^2/2\nconstraint c: if(t < 1, x' - .2*y', 4*x'^2 + y'^2 - 4) = 0\n"
     "start x' = .02, y' = .1\ntime 0 .. 2\n", NEAREST),
    ("clutch closes", CLUTCH % "if(t < 1, 0, a' - b')", {"a": 11 / 6, "b": 4 / 3}),
    ("clutch opens", CLUTCH % "if(t < 1, a' - b', 0)", {"a": 1 / 6 + 2 / 3 + 2, "b": 1 / 6 + 2 / 3}),
    ("bend", "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint wire: y = max(0, x)\nstart x = -1, x' = 1\ntime 0 .. 2\n",
     {"x": S2, "y": S2, "x_dot": S2}),
    ("bend of a rate", "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint wire: y' = if(x < 0, 0, 1)*x'\nstart x = -1, x' = 1\ntime 0 .. 2\n",
     {"x": S2, "y": S2, "x_dot": S2}),
    ("bend of a path", "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint wire: y' = if(x < 0, 0, 1 + x)*x'\nstart x = -1, x' = 1\ntime 0 .. 1.5\n",
     {"energy": .5}),
    ("roof of rates", "coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\nconstraint roof: z' = if(x < 0, 0, 1)*x' + .5*y'\n"
     "start x = -1, x' = 1, y' = 1, z' = .5\ntime 0 .. 1.5\n", ROOF),
    ("roof", "coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\nconstraint roof: z = max(0, x) + .5*y\n"
     "start x = -1, x' = 1, y' = 1, z' = .5\ntime 0 .. 1.5\n", ROOF),
    ("rates that do not meet", "coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\nconstraint c: z' = if(x < 0, 1, 2)*y'\n"
     "start x = -1, x' = 1, y' = 1, z' = 1\ntime 0 .. 2\n", {"x_dot": 1, "y_dot": .6, "z_dot": 1.2}),
    ("potential step", "coord x\nlagrangian x'^2/2 - if(x < 1, 0, 1)\nstart x' = 2\ntime 0 .. 2\n",
     {"x": 1 + 1.5 * math.sqrt(2), "x_dot": math.sqrt(2), "energy": 2}),
    ("too low for it", "coord x\nlagrangian x'^2/2 - if(x < 1, 0, 1)\nstart x' = 1\ntime 0 .. 2\n", {"x": 0, "x_dot": -1}),
    ("down and up", "coord x\nlagrangian x'^2/2 + if(abs(x - 1) < .5, 1.5, 0)\nstart x' = 1\ntime 0 .. 3\n",
     {"x": 1.5 + 3 - .5 - .5, "x_dot": 1}),
    ("one step in two formulas", "coord x\nlagrangian x'^2/2 - if(x < 1, 0, 5) + if(1 < x, 4.9, 0)\nstart x' = 1\ntime 0 .. 2\n",
     {"x": 1 + math.sqrt(.8), "x_dot": math.sqrt(.8)}),
    ("one step in two times", "coord x\nlagrangian if(t < 1, 1, 2)*x'^2/2 + if(1 < t, 2, 0)*x'^2/2\nstart x' = 1\ntime 0 .. 2\n",
     {"x": 1.25, "x_dot": .25}),
    ("two steps that cancel", "coord x\nlagrangian x'^2/2 - if(x < 1, 0, 3) - if(1 < x, -3, 0)\nstart x' = 1\ntime 0 .. 2\n", {"x": 2}),
    ("bend after bend", "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint wire: y = max(0, x) + max(0, x - 1)\n"
     "start x = -1, x' = 2.5\ntime 0 .. 1.5\n", {"x_dot": 2.5 / math.sqrt(5), "y_dot": 5 / math.sqrt(5)}),
    ("bend that moves", "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint wire: y = max(0, x - .2*t)\nstart x = -1, x' = 1\n"
     "time 0 .. 3\n", {"x_dot": .8 / math.sqrt(2) + .2}),
    ("mass doubles", "coord x\nlagrangian if(t < 1, 1, 2)*x'^2/2\nstart x' = 1\ntime 0 .. 2\n", {"x": 1.5, "x_dot": .5}),
    ("charge at an edge", "coord x, y\nlagrangian (x'^2 + y'^2)/2 + if(x < 1, 0, 1)*y'\nsymmetry s: y = 1\n"
     "start x' = 2, y' = .5\ntime 0 .. 2\n", {"y_dot": -.5, "x_dot": 2, "charge.s": .5}),
    ("carried along", "coord x, y\nlagrangian (x'^2 + y'^2)/2 - if(x < 0, 0, .5)\nconstraint c: y = x + 2*t\n"
     "start x = -1, y = -1, x' = 1, y' = 3\ntime 0 .. 2\n", {"x": S2, "x_dot": S2, "y_dot": 2 + S2}),
    ("step that moves", "coord x\nlagrangian x'^2/2 - if(x < t, 0, 1)\nstart x = -1, x' = 3\ntime 0 .. 1\n",
     {"x_dot": 1 + math.sqrt(2)}),
    ("refraction", "coord x, y\nlagrangian (x'^2 + y'^2)/2 - if(x + y < 1, 0, -1)\nstart x' = 1\ntime 0 .. 2\n",
     {"x_dot": (1 + math.sqrt(5)) / 2, "y_dot": (math.sqrt(5) - 1) / 2}),
    ("rolling uphill", "coord x, th\nlagrangian x'^2/2 + th'^2/4 - if(x < 1, 0, .3)\nconstraint roll: x' = th'\n"
     "start x' = 1, th' = 1\ntime 0 .. 2\n", {"x_dot": math.sqrt(.6)}),
]

SQUARE = "coord x, y\nlagrangian (x'^2 + y'^2)/2 - %s\nstart x = -1, y = %s, x' = 1, y' = %s\ntime 0 .. 2\n"
# Two surfaces at one instant: (model, {column: value at the end}, or None: the order matters)
TOGETHER = [
    (SQUARE % ("if(x < 0, 0, .3) - if(y < 0, 0, .2)", -1, 1), {"x_dot": math.sqrt(.4), "y_dot": math.sqrt(.6)}),
    (SQUARE % ("if(y < 0, 0, .2) - if(x < 0, 0, .3)", -1, 1), {"x_dot": math.sqrt(.4), "y_dot": math.sqrt(.6)}),
    (SQUARE % ("if(x < 0, 0, .3)*if(y < 0, 0, 1)", -4, 1), {"x_dot": 1, "y_dot": 1}),
    (SQUARE % ("if(x < 0, 0, .3) - if(x + y < 0, 0, .2)", 0, 0), None),
    (SQUARE % ("if(x + y < 0, 0, .2) - if(x < 0, 0, .3)", 0, 0), None),
    (SQUARE % ("if(x < 0 and y < 0, 0, .2)", -1, 1), None),
    (SQUARE % ("if(x < 0, 0, .3)*if(t < 1, 1, 2)", -2, 1), None),
]

# Switches inside switches: (formula of F in  x'' = -F, x = 0, x' = 1 at t = 0; {t: the force that acts from then on})
NESTED = [("if(floor(t) >= 2, .2, 0)", 2), ("if(floor(t) < 2, 0, .2)", 2), ("if(min(t, 1) >= 1, .2, 0)", 1), ("if(sign(t - 1) < 1, 0, .2)", 1),
          ("if(if(t < 1, 0, 1) >= 1, .2, 0)", 1), ("if(max(-1, min(1, t)) < 1, 0, .2)", 1), ("if(mod(t, 4) < 2, 0, .2)", 2)]
# Potentials of one step of height h at x = 1, and continuous ones: (formula, h), from x' = 1
STEPS = [("if(mod(x, 4) < 1, 0, .2)", .2), ("if(if(x < 1, 0, 1) > .5, .2, 0)", .2), ("abs(if(x < 1, -.1, .3))", .2), ("if(floor(x) > .5, .2, 0)", .2),
         ("max(.1, .3*sign(x - 1))", .2), ("if(sign(x - 1) > 0, .2, 0)", .2), ("min(if(x < 1, 0, 5), .2)", .2), ("floor(x/1)*.2 - floor(x/2)*.2", .2),
         ("if(x < 1, 0, if(x > 1, .2, .1))", .2)]
SMOOTH = ["abs(mod(x, 1) - .5)", "min(mod(x, 1), 1 - mod(x, 1))", "max(0, x - 1)", "abs(abs(x - 1) - .5)", "mod(x, 1) + floor(x)"]

# (name, model, exit status, words of the message)
REFUSED = [
    ("teleport", "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint c: y = if(t < .5, 0, -.2)\nstart x' = 1\ntime 0 .. 1\n",
     1, "contradictory: constraint 'c' jumps at t = 0.5"),
    ("teleport by as much as x", "coord x, y\nlagrangian (x'^2 + y'^2)/2 - x^2/2\nconstraint c: y = if(floor(2*t) < 1, 0, x)\nstart x' = 1\ntime 0 .. 1\n",
     1, "contradictory: constraint 'c' jumps at t = 0.5"),
    ("stairs", "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint c: y = floor(x)\nstart x = .5, x' = 1\ntime 0 .. 1\n",
     3, "'c' jumps at t = 0.5"),
    ("speed", "coord x\nlagrangian x'^2/2 - abs(x')\nforce x = -1\nstart x' = 1\ntime 0 .. 3\n", 3, "no velocities behind the switch"),
    ("step and row", "coord x, y\nlagrangian (x'^2 + y'^2)/2 - if(x < 0, 0, .1)\nconstraint c: y' = if(x < 0, 0, 1 + t)*x'\nstart x = -1, x' = 1\ntime 0 .. 2\n",
     3, "jumps together with the Lagrangian"),
    ("wall comes", "coord y\nlagrangian y'^2/2\ncontact floor: y >= if(t < 1, 0, 1)\nstart y = .5\ntime 0 .. 2\n",
     3, "'floor' jumps into the body at t = 1"),
]


def write(folder, text):
    path = os.path.join(folder, "m.act")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def moved(program, folder, text, *options):
    """(exit status, the last row by column, standard error)"""
    status, out, err = call(program, "run", write(folder, text), "--quiet", *options)
    rows = list(csv.reader(io.StringIO(out)))
    last = dict(zip(rows[0], map(float, rows[-1]))) if len(rows) > 1 else {}
    return status, last, err


def exact(program, folder, tally):
    """Closed forms, to 1e-9 by every principle that has one motion here."""
    for name, text, end in EXACT:
        for by in FREE.split():
            status, last, err = moved(program, folder, text, "--by", by)
            if by in STEADY and any(words in err for words in CANT):
                tally.check(status in (1, 3), "%s by %s: exit %s" % (name, by, status))
                continue
            off = {c: last.get(c, math.nan) - v for c, v in end.items()}
            tally.check(status == 0 and all(abs(x) < 1e-9 for x in off.values()), "%s by %s: exit %s, off by %s\n%s" % (name, by, status, off, err))


# (what happens, when, model without an interval)
INSTANTS = [
    ("two corners", 1, "coord x, y, u, w\nlagrangian (x'^2 + y'^2 + u'^2 + w'^2)/2 + if(x < 1, 0, 1.5) + if(u < 1, 1.5, 0)\n"
     "start x' = 1, y' = 1, u' = 1, w' = 2\n"),
    ("a reflection", .7, "coord u\nlagrangian u'^2/2 - if(u < .7, 0, 1.5)\nstart u' = 1\n"),
    ("a bend", 1 / 3, "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint wire: y = max(0, x - 1/3)\nstart x' = 1\n"),
    ("a clutch", .3, "coord a, b\nlagrangian a'^2/2 + b'^2\nconstraint clutch: if(t < .3, 0, a' - b') = 0\nstart a' = 1\n"),
    ("a force", .1, "coord x\nlagrangian x'^2/2\nforce x = if(x < .1, 0, 5)\nstart x' = 1\n"),
    ("an event", .1, "coord x\nheld n\nlagrangian x'^2/2\nevent here: x = .1\nwhen here: n = n + 1, x' = -x'\nstart x' = 1\n"),
]


def ends(program, folder, tally):
    """A run may end at an instant, or some last digits before or after it."""
    for what, at, text in INSTANTS:
        path, t = write(folder, text), at
        for _ in range(12):
            t = math.nextafter(t, 0)
        for k in range(60):
            t = math.nextafter(t, 9) if k < 40 else t + 2.0 ** (k - 93)
            status, _, err = call(program, "run", path, "--time", "0..%r" % t, "--points", "2", "--quiet", "-o", "-")
            tally.check(status == 0, "%s at %r, run to %r: exit %s: %s" % (what, at, t, status, err))


def nested(program, folder, tally):
    """Switches whose arguments have switches in them."""
    for formula, at in NESTED:
        text = "coord x\nlagrangian x'^2/2\nforce x = -%s\nstart x' = 1\ntime 0 .. 3\n" % formula
        status, last, err = moved(program, folder, text)
        tally.check(status == 0 and abs(last.get("x_dot", 9) - 1 + .2 * (3 - at)) < 1e-11, "%s: %s %s\n%s" % (formula, status, last, err))
    for formula, h in STEPS:
        text = "coord x\nlagrangian x'^2/2 - (%s)\nstart x' = 1\ntime 0 .. 1.8\n" % formula
        status, last, err = moved(program, folder, text)
        v = math.sqrt(1 - 2 * h)
        tally.check(status == 0 and abs(last.get("x_dot", 9) - v) < 1e-11 and abs(last["x"] - 1 - .8 * v) < 1e-11,
                    "%s: %s %s\n%s" % (formula, status, last, err))
    for formula in SMOOTH:                                 # no step: energy is kept, and the motion is that of the force by hand
        text = "coord x\nlagrangian x'^2/2 - (%s)\nstart x = .1, x' = 1.9\ntime 0 .. 1\nexpect drift(energy) < 1e-11\n" % formula
        status, out, err = call(program, "test", write(folder, text))
        tally.check(status == 0, "%s: %s\n%s" % (formula, out, err))


def agreement(program, folder, tally):
    """`compare` says so: nobody disagrees, and those that can't say why."""
    for name, text, _ in EXACT:
        _, out, err = call(program, "compare", write(folder, text), "--json")
        rows = json.loads(out)["principles"] if out else []
        wrong = [r for r in rows if r["status"] in ("disagrees", "failed") and r["by"] not in ("reduced", "vakonomic")
                 and CANT[1] not in r["note"]]
        tally.check(len(rows) > 8 and not wrong, "%s: %s %s" % (name, wrong, err))


def together(program, folder, tally):
    """Surfaces that cross where the motion reaches both."""
    for text, end in TOGETHER:
        status, last, err = moved(program, folder, text)
        if end is None:
            tally.check(status == 3 and "depend on which is first" in err and last, "%s: exit %s\n%s" % (text, status, err))
        else:
            off = {c: last.get(c, math.nan) - v for c, v in end.items()}
            tally.check(status == 0 and all(abs(x) < 1e-12 for x in off.values()), "%s: exit %s, off by %s\n%s" % (text, status, off, err))


def refused(program, folder, tally):
    for name, text, expected, words in REFUSED:
        status, last, err = moved(program, folder, text)
        tally.check(status == expected and words in err, "%s: exit %s instead of %s, and says\n%s" % (name, status, expected, err))
        tally.check(bool(last) == (status == 3), "%s: the rows before are lost, or printed where there is no motion" % name)
        if status == 1:
            path = write(folder, text)
            code, out, err = call(program, "check", path)
            tally.check(code == 1 and "contradictory" in out and words in err, "check of %s: exit %s\n%s%s" % (name, code, out, err))
            for by in FREE.split():
                code, _, err = moved(program, folder, text, "--by", by)
                tally.check(code == 1 and words in err, "%s by %s: exit %s\n%s" % (name, by, code, err))
            code, last, err = moved(program, folder, text, "--time", "0 .. .4")
            tally.check(code == 0 and last, "%s before the jump: exit %s\n%s" % (name, code, err))


SIDES = [       # (model, lines of check, [(from, rank, rows that are off, verdict)])
    (CLUTCH % "if(t < 1, 0, a' - b')", ["clutch: no constraint until t = 1", "until t = 1: regular, rank 0, power of the reactions none",
                                        "from t = 1 on: regular, rank 1, power of the reactions none"],
     [(0, 0, ["clutch"], "regular"), (1, 1, [], "regular")]),
    (CLUTCH % "if(t < 1 or t > 2, 0, a' - b')", ["clutch: no constraint until t = 1, from t = 2 on"],
     [(0, 0, ["clutch"], "regular"), (1, 1, [], "regular"), (2, 0, ["clutch"], "regular")]),
    ("coord a, b, c\nlagrangian a'^2/2 + b'^2/2 + c'^2/2\nconstraint one: a' = b' + if(t < 1, 0, c')\nconstraint two: a' = b'\n"
     "start c' = 1\ntime 0 .. 2\n", ["until t = 1: redundant, rank 1", "from t = 1 on: regular, rank 2"],
     [(0, 1, [], "redundant"), (1, 2, [], "regular")]),
]


def sides(program, folder, tally):
    """`check` on each side of switches in constraints: ranks, rows that restrict nothing, power."""
    for text, lines, expected in SIDES:
        path = write(folder, text)
        _, out, err = call(program, "check", path)
        missing = [line for line in lines if line not in out]
        tally.check(not missing, "%s\nlacks %s:\n%s%s" % (text, missing, out, err))
        _, out, _ = call(program, "check", path, "--json")
        found = [(s["from"], s["rank"], s["off"], s["verdict"]) for s in json.loads(out).get("sides", [])]
        tally.check(found == expected, "%s\nsides %s, not %s" % (text, found, expected))
    for name, text, _ in EXACT:                                # where no rank changes nothing is said
        _, out, _ = call(program, "check", write(folder, text), "--json")
        tally.check(("sides" in json.loads(out)) == ("clutch" in name), "%s: %s" % (name, out[:2000]))


def claims(program, folder, tally):
    """A principle that does not apply fails its own claims, and no others."""
    text = "coord x\nlagrangian x'^2/2\nstart x' = 1\ntime 0 .. 1\n" + "".join(
        "expect x at 1 = %s within 1e-9%s\n" % x for x in ((1, ""), (1, " by reduced"), (2, ""), (1, " by gauss")))
    status, out, err = call(program, "test", write(folder, text), "--json")
    found = [(c["ok"], c["why"]) for c in json.loads(out)["claims"]]
    tally.check(status == 1 and [f[0] for f in found] == [True, False, False, True] and "does not apply" in found[1][1],
                "exit %s, %s %s" % (status, found, err))


def walls(program, folder, tally):
    """A body slides off a step, and lands after a free fall."""
    floor = "coord x, y\nlagrangian (x'^2 + y'^2)/2 - y\ncontact floor: y >= %s, restitution = %s\nstart x' = 2\ntime 0 .. 1.5\n"
    lift = "coord y\nlagrangian y'^2/2 - y\ncontact floor: y >= %s, restitution = %s\ntime 0 .. 1.5\n"
    for text, end in ((floor % ("max(0, x - 1)", 0), {"x": 1.75, "y": .75, "x_dot": .5, "y_dot": .5}),      # a ramp: v along it, sqrt(2)
                      (floor % ("max(0, x - 1)", .5), {"x": 1.5, "y": 1, "x_dot": .5, "y_dot": .5}),        # (2, 0) becomes (.5, 1.5)
                      (floor % ("-max(0, x - 1)", 0), {"x": 3, "y": -.5, "y_dot": -1}),                     # it falls away more steeply than a throw
                      (lift % ("max(0, t - 1)", 0), {"y": .5, "y_dot": 1}), (lift % ("max(0, t - 1)", .5), {"y": .625, "y_dot": 1}),
                      (lift % ("max(0, 1 - t) - 1", 0), {"y": -1, "y_dot": 0})):
        status, last, err = moved(program, folder, text)
        off = {c: last.get(c, math.nan) - v for c, v in end.items()}
        tally.check(status == 0 and all(abs(x) < 1e-12 for x in off.values()), "%s: exit %s, off by %s\n%s" % (text, status, off, err))
    text = ("coord x, y\nlagrangian (x'^2 + y'^2)/2 - %r*y\ncontact step: y >= if(x < 1, 0, -.2), restitution = 0\n"
            "start x = .5, x' = 1\ntime 0 .. 2\n" % G)
    _, out, _ = call(program, "run", write(folder, text), "--json", "--quiet")
    events = json.loads(out)["events"]
    hits = [e["t"] for e in events if e["kind"] == "impact"]
    tally.check(len(hits) == 1 and abs(hits[0] - .5 - math.sqrt(.4 / G)) < 1e-9, "it lands at %s" % hits)
    for t, y in ((.6, -G * .1 ** 2 / 2), (.65, -G * .15 ** 2 / 2), (1, -.2)):
        _, last, err = moved(program, folder, text, "--time", "0..%r" % t)
        tally.check(abs(last.get("y", 9) - y) < 1e-9, "y(%s) = %s, not %s\n%s" % (t, last.get("y"), y, err))


def powers(program, folder, tally):
    """Kinks under fractional powers are crossed: energy of a ball on a Hertzian floor."""
    text = "coord y\nlagrangian y'^2/2 - y - 400*max(0, -y)^2.5\nstart y = 1\ntime 0 .. 20\n"
    forced = "coord y\nlagrangian y'^2/2 - y\nforce y = 1000*max(0, -y)^1.5\nstart y = 1\ntime 0 .. 20\n"
    ends = [moved(program, folder, x) for x in (text, forced)]
    for status, last, err in ends:             # 0.34196989333924 by quadrature with 25 digits: flight, contact, flight
        tally.check(status == 0 and abs(last.get("y", 9) - .34196989333923746) < 1e-8, "exit %s, %s\n%s" % (status, last, err))
    damped = "coord x\nlagrangian x'^2/2\nforce x = -abs(x')^.5*x'\nstart x' = 1\ntime 0 .. 2\n"
    status, last, err = moved(program, folder, damped)        # v = 1/(1 + t/2)^2
    tally.check(status == 0 and abs(last.get("x_dot", 9) - .25) < 1e-9, "exit %s, %s\n%s" % (status, last, err))


BELT = ("coord x, y\nlagrangian x'^2 + y'^2 - 4*x^2 - 2*9.81*y\n"
        "contact belt: y >= 0, restitution = 0, friction = .25, stick = .4, slip = x' - .5\nstart x' = .5\ntime 0 .. 3700\n")


ROOTS = [      # (model, exit status, value at the end or words): under a root, pulled back it rests, pushed away it may leave at any time
    ("state x\nflow x' = sqrt(abs(x))\ntime 0 .. 3\n", 1, "undetermined"), ("state x\nflow x' = -sqrt(abs(x))\ntime 0 .. 3\n", 1, "undetermined"),
    ("state x\nflow x' = abs(x)^(1/3)\ntime 0 .. 3\n", 1, "undetermined"), ("coord x\nlagrangian x'^2/2\nforce x = abs(x)^.5\ntime 0 .. 3\n", 1, "undetermined"),
    ("state x\nflow x' = -sqrt(abs(x))\nstart x = 1\ntime 0 .. 3\n", 3, "undetermined"),
    ("state x\nflow x' = -sign(x)*sqrt(abs(x))\nstart x = 1\ntime 0 .. 3\n", 0, 0.), ("state x\nflow x' = -sign(x)*sqrt(abs(x))\ntime 0 .. 3\n", 0, 0.),
    ("coord x\nlagrangian x'^2/2\nforce x = -sign(x)*abs(x)^.5\ntime 0 .. 3\n", 0, 0.), ("state x\nflow x' = x + abs(x)^1.5\ntime 0 .. 3\n", 0, 0.),
    ("state x\nflow x' = -x*log(abs(x) + 1e-300)\ntime 0 .. 3\n", 0, 0.),
]


def roots(program, folder, tally):
    """Infinite derivatives at the motion's own point."""
    for text, expected, end in ROOTS:
        status, last, err = moved(program, folder, text)
        fits = abs(last.get("x", 9) - end) < 1e-9 if expected == 0 else end in err
        tally.check(status == expected and fits, "%s: exit %s, %s\n%s" % (text, status, last, err))
        status, out, err = call(program, "check", write(folder, text))
        tally.check((status, "undetermined" in out) == ((1, True) if expected == 1 else (0, False)), "check of %s: exit %s\n%s%s" % (text, status, out, err))


def periods(program, folder, tally):
    """1000 stick-slip periods: no onset is late, and no lateness adds up."""
    _, out, err = call(program, "run", write(folder, BELT), "--json", "--quiet", "--tol", "1e-11")
    events = json.loads(out)["events"] if out else []
    far, near = .4 * 9.81 / 4, .15 * 9.81 / 4              # where it slips; from there to where it would balance while sliding
    slide, stick = math.pi - math.atan(4 * near), 4 * near
    for kind, first, skipped in (("slip", 2 * far, 0), ("stick", 2 * far + slide, 1)):
        times = [e["t"] for e in events if e["kind"] == kind][skipped:]
        off = [t - first - k * (slide + stick) for k, t in enumerate(times)]
        tally.check(len(off) > 1000 and abs(off[0]) < 2e-14 and max(map(abs, off)) < 1e-11,
                    "%d of %s, the first off by %r, all by %r\n%s" % (len(off), kind, off[:1], max(map(abs, off), default=9), err))
    text = "coord y\nlagrangian y'^2/2 - y\nforce y = t/2\ncontact floor: y >= 0, restitution = 0\ntime 0 .. 3\n"
    _, out, err = call(program, "run", write(folder, text), "--json", "--quiet")
    times = [e["t"] for e in json.loads(out)["events"] if e["kind"] == "release"] if out else []
    tally.check(len(times) == 1 and abs(times[0] - 2) < 1e-14, "released at %r, not where nothing presses, t = 2\n%s" % (times, err))


PUSHED = "coord x\nlagrangian x'^2/2\nforce x = -sign(x') + 2*sin(t)\ntime 0 .. %s\nobserve f = -sign(x')\n"
ROD = ("coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint rod: x^2 + y^2 = 1\nforce x = -2*sign(x')\n"
       "start x = .6, y = -.8, x' = .8, y' = .6\ntime 0 .. 5\n")
# Both sides of a switch push the motion onto it (Filippov): (name, model, {column: value at the end}, [(kind, time)])
HELD = [
    ("flow", "state p\nflow p' = if(p < 0, 1, -1) + .3\nstart p = 1\nobserve side = if(p < 0, 1, -1)\ntime 0 .. 3\n",
     {"p": 0, "p_dot": 0, "side": -.3}, [("held", 1 / .7)]),
    ("whole number", "state p\nflow p' = .5 - floor(p)\nstart p = .9\nobserve below = floor(p)\ntime 0 .. 1\n",
     {"p": 1, "p_dot": 0, "below": .5}, [("held", .2)]),
    ("friction", "coord x\nlagrangian x'^2/2\nforce x = -sign(x') - .5\nstart x' = 1\ntime 0 .. 5\n",
     {"x": 1 / 3, "x_dot": 0, "power.force": 0}, [("held", 2 / 3)]),
    ("held and pushed", PUSHED % ".4", {"x": 0, "x_dot": 0, "f": -2 * math.sin(.4)}, []),
    ("let go", PUSHED % "1.5", {"x_dot": 2 * math.cos(math.pi / 6) - 2 * math.cos(1.5) - 1.5 + math.pi / 6, "f": -1},
     [("switch", math.pi / 6)]),
    ("circle", "state p, q\nflow p' = -q - if(p^2 + q^2 < 1, -1, 1)*p\nflow q' = p - if(p^2 + q^2 < 1, -1, 1)*q\nstart p = 2\n"
     "time 0 .. 2\n", {"p": math.cos(2), "q": math.sin(2), "p_dot": -math.sin(2)}, [("held", math.log(2))]),
    ("circle that loses a side", "state p, q\nflow p' = -q - if(p^2 + q^2 < 1, -1, 1)*p\nflow q' = p - if(p^2 + q^2 < 1, -1, 1)*q + if(t < 1, 0, 3*q)\n"
     "start p = 2\ntime 0 .. 1.2\n", None, [("held", math.log(2)), ("switch", 1), ("switch", 1)]),
    ("two in one sum", "coord x, y\nlagrangian x'^2/2 + y'^2\nforce x = -.5*sign(x') + .2, y = -.7*sign(y') - .4*sign(x')\n"
     "start x' = .6, y' = 1.2\ntime 0 .. 5\n", {"x_dot": 0, "y_dot": 0}, [("held", 2), ("held", 96 / 43)]),
    ("on a floor between bounces", "coord x, y\nlagrangian (x'^2 + y'^2)/2 - y\nforce x = -sign(x')\ncontact floor: y >= 0\nstart y = .5, x' = .5\n"
     "time 0 .. 4.5\n", {"x": .125, "x_dot": 0, "y": .375}, [("held", .5), ("impact", 1), ("impact", 3)]),
]
HOLDERS = "dalembert gauss maggi hamel appell jourdain hamilton"


def held_between(program, folder, tally):
    """Along a switch: values, times, columns; by every principle that integrates rates; others say that they can't."""
    for name, text, end, happens in HELD:
        for by in HOLDERS.split() if "coord" in text and "contact" not in text else ("dalembert", "gauss"):
            status, last, err = moved(program, folder, text, "--by", by)
            off = {c: last.get(c, math.nan) - v for c, v in (end or {}).items()}
            tally.check(status == 0 and all(abs(x) < 1e-9 for x in off.values()), "%s by %s: exit %s, off by %s\n%s" % (name, by, status, off, err))
        _, out, _ = call(program, "run", write(folder, text), "--json", "--quiet")
        found = [(e["kind"], e["t"]) for e in json.loads(out)["events"]]
        fits = len(found) == len(happens) and all(a[0] == b[0] and abs(a[1] - b[1]) < 1e-9 for a, b in zip(found, happens))
        tally.check(fits, "%s: events %s, not %s" % (name, found, happens))
        for by in ("discrete", "skg"):
            status, _, err = moved(program, folder, text, "--by", by)
            early = happens[:1] != [("switch", math.pi / 6)] and not any(k == "held" for k, _ in happens)
            tally.check(status == (1 if "does not apply" in err else 3) or early, "%s by %s: exit %s\n%s" % (name, by, status, err))
    rows = [moved(program, folder, ROD, "--by", by)[1] for by in HOLDERS.split()]
    for row in rows:                                        # at rest: the mixture's force is what the rod and gravity leave
        x, y = row["x"], row["y"]
        force, tension = -9.81 * x / y, 9.81 / y            # along x: force + 2*lambda*x = 0; along y: 2*lambda*y = 9.81
        tally.check(abs(2 * row["lambda.rod"] * y - 9.81) < 1e-8 and abs(row["reaction.x"] - 9.81 * x / y) < 1e-8 and abs(force) < 2 and tension < 0
                    and abs(row["x_dot"]) < 1e-12, "at rest on the rod: %s" % row)
    _, out, err = call(program, "run", write(folder, "coord x\nlagrangian x'^2/2\nforce x = sign(x') + .5\nstart x' = -1\ntime 2 .. 0\n"), "--json", "--quiet")
    tally.check("CHATTERING" in out, "backward it is left at any time: %s %s" % (out[:300], err))


def bounces(m, k, fy, fz, vy, vz, h, end):
    """Closed form of y, z at the end: free below z = h, z' = k y' above it. Each arrival turns velocities into w (1, k); while w < 0 the body falls back, flies for
    -2 k w/fz, and arrives with the next w, r times as large: a geometric series, behind which the row holds."""
    a = fy / m
    t = (-vz + math.sqrt(vz * vz + 2 * fz * h)) / fz
    y = vy * t + a * t * t / 2
    w = (m * (vy + a * t) + k * (vz + fz * t)) / (m + k * k)
    r = (m * (1 - 2 * k * a / fz) - k * k) / (m + k * k)
    while abs(w) > 1e-30:
        flight = -2 * k * w / fz
        t, y, w = t + flight, y + w * flight + a * flight * flight / 2, w * r
    rate = (fy + k * fz) / (m + k * k)
    return y + rate * (end - t) ** 2 / 2, h + k * rate * (end - t) ** 2 / 2


BOUNCES = [(1.7, .5, .6, 1.1, -1, .3, .1), (1.7, .5, .3, 1.1, -1.2, .3, .05), (1.849, .5, .4, .8, -1, .5, .1), (1.3, .4, .7, 1, -1, .4, .08)]


def endless(program, folder, tally):
    """A row behind a surface that is met infinitely often, ever more slowly. A total derivative in L adds large terms to a momentum: velocities have fewer digits, and yet
    1e-11 of what they were at first. The row once, and with a second one that follows from it."""
    for numbers in BOUNCES:
        m, k, fy, fz, vy, vz, h = numbers
        wanted = bounces(*numbers, 3)
        for count in (1, 2):
            lines = ["constraint row%d: %d*if(z < %r, 0, z' - %r*y') = 0" % (i, i, h, k) for i in range(1, count + 1)]
            text = "\n".join(["coord y, z", "lagrangian %r*y'^2/2 + z'^2/2 + %r*y + %r*z - .7*y' + .4*y*y'" % (m, fy, fz), *lines,
                              "start y' = %r, z' = %r" % (vy, vz), "time 0 .. 3", ""])
            for by in ("dalembert", "gauss", "hamilton"):
                status, last, err = moved(program, folder, text, "--by", by, "--tol", "1e-11", "--points", "3")
                off = max(abs(last.get(c, math.nan) - v) for c, v in zip("yz", wanted))
                tally.check(status == 0 and off <= 1e-11, "%s, %d rows, by %s: exit %s, off by %s\n%s" % (numbers, count, by, status, off, err))


FIXED = """coord x, y
state p
lagrangian (1.7 + p^2)*x'^2/2 + (1.4 + p^2)*y'^2/2 - if(t < %(t)r, 0, -.16)
constraint a: x - %(x)r + %(a)r*(y - %(y)r) = 0
constraint b: y - %(y)r + %(b)r*(x - %(x)r) + .3*(sin(%(c)r*x) - sin(%(c)r*%(x)r)) = 0
flow p' = -1.26*p
start x = %(x)r, y = %(y)r, p = 1, x' = -4.4e-16, y' = -2.2e-16
time 0 .. 1
"""
DRIVEN = """coord x, y, z
lagrangian 1.7*y'^2/2 + 1.4*z'^2/2 - if(z < %(t)r, 0, -.1)
constraint a: x - %(x)r + %(a)r*(y - %(y)r) + .3*(sin(1.3*y + %(b)r) - sin(1.3*%(y)r + %(b)r)) = 0
constraint b: x - %(x)r + .43*(y - %(y)r) = 0
constraint c: (1.25 + .3*cos(y))*x' + %(c)r*z' = .8*%(c)r
start x = %(x)r, y = %(y)r, z' = .8, x' = -4.4e-16, y' = 1.1e-16
time 0 .. 1
"""


def fixed(program, folder, tally):
    """Rows leave no freedom, and L jumps: nothing happens there. Velocities are rounding of rounding (1e-323), and rates that an impulse can't change differ by the
    rounding of rows that are nearly parallel."""
    rng = random.Random("fixed/%d" % SEED)
    for k in range(6):
        at = {name: round(rng.uniform(.4, 1.4), 2) for name in "abctxy"}
        at["t"] *= .3
        for text, end in ((FIXED, {"p": math.exp(-1.26)}), (DRIVEN, {"z": .8})):
            for by in ("dalembert", "gauss", "maggi", "appell", "jourdain"):
                if by not in ("dalembert", "gauss") and text == DRIVEN:        # x has no mass
                    continue
                status, last, err = moved(program, folder, text % at, "--by", by, "--tol", "1e-11", "--points", "3")
                off = max(abs(last.get(c, math.nan) - v) for c, v in {**end, "x": at["x"], "y": at["y"]}.items())
                tally.check(status == 0 and off <= 1e-11, "model %d by %s: exit %s, off by %s\n%s%s" % (k, by, status, off, err, text % at))


def held_smoothed(program, folder, tally):
    """Random models with dry friction by sign(x'): the sharp motion is the limit of the one with tanh(x'/width)."""
    rng = random.Random(SEED)
    for _ in range(max(3, COUNT // 5)):
        q = ["x", "y"][:rng.choice((1, 2))]
        L = " + ".join("%r*%s'^2/2" % (round(rng.uniform(.6, 2), 3), c) for c in q) + " - (%s)/2" % " + ".join("%r*%s^2" % (round(rng.uniform(.1, 1), 3), c) for c in q)
        lines = ["coord " + ", ".join(q), "lagrangian " + L + (" - .2*x*y" if len(q) > 1 else "")]
        for c in q:
            lines.append("force %s = -%r*SIGN(%s' - %r) + %r*sin(%r*t)" % (c, round(rng.uniform(.4, 1.2), 3), c, rng.choice((0, round(rng.uniform(-.3, .3), 3))),
                                                                        round(rng.uniform(.2, 1.5), 3), round(rng.uniform(.5, 3), 3)))
        text = "\n".join(lines + ["start " + ", ".join("%s' = %r" % (c, number(rng, .3, 1)) for c in q), "time 0 .. 6"]) + "\n"
        status, sharp, err = moved(program, folder, text.replace("SIGN", "sign"))
        if status != 0:
            tally.check(False, "exit %s of\n%s\n%s" % (status, text, err))
            continue
        far = []
        for width in (1e-2, 1e-3):
            status, soft, err = moved(program, folder, re.sub(r"SIGN\(([^)]*)\)", r"tanh((\1)/%r)" % width, text), "--tol", "1e-7")
            far.append(max(abs(soft[c] - sharp[c]) for c in q) if status == 0 else math.nan)
        tally.check(far[1] < .3 * far[0] + 1e-6 and far[1] < .01, "differences %s at widths 1e-2, 1e-3 of\n%s" % (far, text))


# ---- what both sides push away, what can't be counted, what is spelled otherwise

PUSHED = [      # (model, exit status, time of the last row or None): both sides lead away
    ("state p\nflow p' = if(p < 0, -1, 1)\ntime 0 .. 1\n", 1), ("state p\nflow p' = if(p >= 0, 1, -1)\ntime 0 .. 1\n", 1),
    ("state p\nflow p' = sign(p)\ntime 0 .. 1\n", 1), ("state p\nflow p' = floor(p) + .5\ntime 0 .. 1\n", 1),
    ("coord x\nlagrangian x'^2/2\nforce x = sign(x)\ntime 0 .. 1\n", 1), ("coord x\nlagrangian x'^2/2\nforce x = if(x < 0, -1, 1)\ntime 0 .. 1\n", 1),
    ("coord x\nlagrangian x'^2/2 + abs(x)\ntime 0 .. 1\n", 1), ("coord x\nlagrangian x'^2/2\nforce x = sign(x')\ntime 0 .. 1\n", 1),
    ("coord x\nlagrangian x'^2/2\nforce x = -sign(x')\ntime 1 .. 0\n", 1),
    ("state p\nflow p' = if(p < 0, -1, 0) + if(0 < p, 1, 0)\ntime 0 .. 1\n", 1), ("state p\nflow p' = if(p < 0, 1, -1) + 3*sign(p)\ntime 0 .. 1\n", 1),
    ("state p\nheld k\nflow p' = k*sign(p)\nevery 5 from 1: k = 1\nstart p = .5, k = -1\ntime 0 .. 2\n", 3),
    ("state p\nflow p' = if(t < 1, -1, 1)*sign(p)\nstart p = .5\ntime 0 .. 2\n", 3),
    ("state p\nflow p' = (t - 1)*sign(p)\nstart p = .2\ntime 0 .. 2\n", 3),
]
UNPUSHED = [    # one side leads back, or both agree, or it rests
    ("state p\nflow p' = -sign(p)\ntime 0 .. 1\n", {"p": 0}), ("state p\nflow p' = 2 + sign(p)\ntime 0 .. 1\n", {"p": 3}),
    ("state p\nflow p' = if(p < 0, -1, 1) - 3*sign(p)\ntime 0 .. 1\n", {"p": 0}),
    ("state p\nflow p' = abs(p)\ntime 0 .. 1\n", {"p": 0}), ("coord x\nlagrangian x'^2/2\nforce x = -sign(x)\ntime 0 .. 1\n", {"x": 0}),
    ("coord x\nlagrangian x'^2/2\nforce x = 2 + sign(x')\ntime 0 .. 1\n", {"x": 1.5}),
    ("coord x\nlagrangian x'^2/2\nforce x = sign(x)\nstart x' = 1\ntime 0 .. 1\n", {"x": 1.5}),
    ("coord x\nlagrangian x'^2/2\nforce x = if(x < 0, -1, 1)\nstart x' = -1\ntime 0 .. 1\n", {"x": -1.5}),
]


def pushed(program, folder, tally):
    """Where both sides of a switch lead away from it, the motion is not determined: no side is picked."""
    for text, expected in PUSHED:
        for by in ("dalembert", "gauss", "hamilton") if "coord" in text else ("dalembert",):
            status, last, err = moved(program, folder, text, "--by", by)
            tally.check(status == expected and "undetermined" in err and bool(last) == (expected == 3), "by %s: exit %s of\n%s\n%s" % (by, status, text, err))
            tally.check(not last or last["t"] < 1.01, "rows up to %s of\n%s" % (last.get("t"), text))
        if expected == 1 and "1 .. 0" not in text:
            status, out, err = call(program, "check", write(folder, text))
            tally.check(status == 1 and "undetermined" in out, "check: exit %s of\n%s\n%s%s" % (status, text, out, err))
    for text, end in UNPUSHED:
        status, last, err = moved(program, folder, text)
        tally.check(status == 0 and all(abs(last[c] - v) < 1e-9 for c, v in end.items()), "exit %s, %s of\n%s\n%s" % (status, last, text, err))
    # held at p = 0 until t = 1, where both sides have the same rate and no share is determined: a row is there
    text = "state p\nflow p' = (t - 1)*sign(p)\nstart p = .2\ntime 0 .. 2\n"
    _, last, err = moved(program, folder, text, "--points", "5")
    tally.check(last == {"t": 1, "p": 0, "p_dot": 0}, "the last row is %s\n%s" % (last, err))


COUNTLESS = ["mod(x, k)", "floor(1/x')", "floor(x*1e20)", "floor(exp(100*x))", "mod(t, t)", "mod(x, h)"]


def argument(rng, depth):
    """Formulas that are 0, endless or huge at some states."""
    if depth == 0 or rng.random() < .3:
        return rng.choice(("x", "x'", "t", "0", "1e20", "1e300", "1", "k", "h", "1e-300", "x*1e16", "pi"))
    a, b = argument(rng, depth - 1), argument(rng, depth - 1)
    return rng.choice(("(%s + %s)", "(%s - %s)", "%s*%s", "(%s)/(%s)", "mod(%s, %s)", "min(%s, floor(%s))", "if(%s < 0, %s, 1)", "mod(%s, 0)*(%s)")) % (a, b)


def counted(program, folder, tally):
    """floor and mod of arguments that have no whole number below them end with a message, and never otherwise."""
    head = "param k = 0\ncoord x\nheld h\nlagrangian x'^2/2 - x^2/2\nstart x = 1\ntime 0 .. 4\n"
    for formula in COUNTLESS:
        status, _, err = moved(program, folder, head + "force x = %s\n" % formula)
        tally.check(status == 3 and "can't be followed at t = 0 " in err and ":7:" in err, "%s: exit %s\n%s" % (formula, status, err))
        status, _, err = moved(program, folder, head + "force x = if(t > 9, %s, 0)\n" % formula)
        dense = formula in ("floor(1/x')", "floor(exp(100*x))")    # it passes 1e15 whole numbers, and each is located
        tally.check(status == 0 or (dense and "can't be followed" in err), "%s, which is not used: exit %s\n%s" % (formula, status, err))
    status, last, err = moved(program, folder, head + "force x = mod(x, h)\nevent e: x = .5\nwhen e: h = 2\nforce x = if(h > 0, 0, -mod(x, h))\n")
    tally.check(status == 3 and "mod(x, h)" in err, "exit %s\n%s" % (status, err))
    status, last, err = moved(program, folder, head + "force x = if(h > 0, mod(t, h), 0)\nevent e: t = 1\nwhen e: h = 2\n")
    tally.check(status == 0, "a value that can be counted later: exit %s\n%s" % (status, err))
    rng = random.Random(SEED)
    for _ in range(COUNT):
        formula = rng.choice(("floor(%s)", "mod(x, %s)", "mod(%s, t)", "mod(%s, x')")) % argument(rng, 3)
        line = rng.choice(("force x = %s", "event e: %s = 0", "contact c: x >= -2 + .1*%s", "observe o = %s", "lagrangian 1e-3*%s")) % formula
        for command in ("run", "check"):
            status, out, err = call(program, command, write(folder, head + line + "\n"), "--quiet", "--limit-time", "2")
            tally.check(status in (0, 1, 3) and (status == 0 or "error" in err + out), "%s: exit %s of %s\n%s" % (command, status, line, err[:600]))


SPELLED = ["y' = if(x < 0, 0, 1)*x'", "y' - if(x < 0, 0, x') = 0", "if(x < 0, y', y' - x') = 0", "if(x < 0, 2*y', y' - x') = 0",
           "if(x >= 0, x' - y', -y') = 0", "y' = max(0, sign(x))*x'", "if(x < 0, y'*exp(0*x), 0) + if(x < 0, 0, y' - x') = 0",
           "y'*(1 + x^2) - if(x < 0, 0, x' + x^2*x') = 0"]
IN_TIME = ["y' = sign(x)*x' + 1", "y' - if(x < 0, 1 - x', 1 + x') = 0", "if(x < 0, y' + x' - 1, y' - x' - 1) = 0", "2*y' = 2*sign(x)*x' + 2"]


def spelled(program, folder, tally):
    """A velocity row that is the rate of positions on both sides bends, however it is written; by time, too."""
    for row in SPELLED:
        text = "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint c: %s\nstart x = -1, x' = 1\ntime 0 .. 2\n" % row
        for by in ("dalembert", "gauss", "jourdain", "hamilton"):
            status, last, err = moved(program, folder, text, "--by", by)
            tally.check(status == 0 and abs(last.get("x_dot", 9) - S2) < 1e-9 and abs(last["y"] - S2) < 1e-9, "%s by %s: exit %s, %s\n%s" % (row, by, status, last, err))
    for row in IN_TIME:                                      # y = abs(x) + t: x = 1, y = 3
        text = "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint c: %s\nstart x = -1, y = 1, x' = 1, y' = 0\ntime 0 .. 2\n" % row
        status, last, err = moved(program, folder, text)
        tally.check(status == 0 and abs(last.get("x", 9) - 1) < 1e-9 and abs(last["y"] - 3) < 1e-9, "%s: exit %s, %s\n%s" % (row, status, last, err))


def held_slopes(program, folder, tally):
    """A held slope changes where the body is: an impact on the new wall, a projection onto the new wire; never a jump by rounding."""
    rng = random.Random(SEED)
    for _ in range(COUNT):
        x, v, s = -rng.uniform(.1, 3), rng.uniform(.2, 2), rng.uniform(.2, 2)
        at, after = -x / v, .05 * v
        text = ("coord x, y\nheld s\nlagrangian (x'^2 + y'^2)/2 - y\ncontact f: y >= s*x, restitution = .5\nevent o: x = 0\nwhen o: s = %r\n"
                "start x = %r, x' = %r\ntime 0 .. %r\n" % (s, x, v, at + after))
        status, last, err = moved(program, folder, text)
        push = 1.5 * v * s / (1 + s * s)                     # (v, 0) - 1.5 (v n) n, n = (-s, 1)/sqrt(1 + s^2)
        vx, vy = v - push * s, push
        off = max(abs(last.get("x", 9) - vx * after), abs(last.get("y", 9) - vy * after + after ** 2 / 2))
        tally.check(status == 0 and off < 1e-9, "exit %s, off by %s of\n%s\n%s" % (status, off, text, err))
        text = ("coord x, y\nheld u\nlagrangian (x'^2 + y'^2)/2\nconstraint c: y = u*x\nevent o: x = 0\nwhen o: u = %r\nstart x = %r, x' = %r\n"
                "time 0 .. %r\n" % (s, x, v, at + 1))
        status, last, err = moved(program, folder, text)     # momentum along the new wire is kept
        off = max(abs(last.get("x", 9) - v / (1 + s * s)), abs(last.get("y", 9) - v * s / (1 + s * s)))
        tally.check(status == 0 and off < 1e-9, "exit %s, off by %s of\n%s\n%s" % (status, off, text, err))


def loaded_bend(program, folder, tally):
    """A bead on y = abs(x) under gravity 2 swings with the period 4 sqrt(2): x = 1 - t^2/2 up to the bend."""
    text = "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 2*y\nconstraint w: y = abs(x)\nstart x = 1, y = 1\ntime 0 .. 10\n"
    x = 1 - (4 * math.sqrt(2) * 2 - 10) ** 2 / 2              # the second time that it is near x = 1
    for by in "dalembert gauss maggi hamel appell jourdain hamilton".split():
        status, last, err = moved(program, folder, text, "--by", by)
        tally.check(status == 0 and abs(last.get("x", 9) - x) < 1e-8, "by %s: exit %s, x = %s, not %s\n%s" % (by, status, last.get("x"), x, err))


PILES = "coord x\nlagrangian x'^2/2\nforce x = -2*sign(x) - sign(x')\nstart x = %r\ntime 0 .. 20\n"
PUCK = "coord x, y\nlagrangian (x'^2 + y'^2)/2\nforce x = -x'/hypot(x', y'), y = -y'/hypot(x', y')\nstart x' = %r, y' = %r\ntime 0 .. 10\n"


def at_rest(program, folder, tally):
    """Motions that come to rest on two switches, or on a force that turns round with the velocity, end there and say why."""
    for x in (1, .3, 2.5):
        status, last, err = moved(program, folder, PILES % x)
        tally.check(status == 3 and "crossings of" in err and "sign(x)" in err and "sign(x')" in err and last, "exit %s\n%s" % (status, err))
    for v in ((1, .5), (.3, .4), (1, 0), (.01, .02)):
        for tol, bound in (("1e-5", 1e-2), ("1e-9", 1e-5)):  # the steps that it takes to see it are as long as errors allow
            status, last, err = moved(program, folder, PUCK % v, "--tol", tol)
            at = re.search(r"ends at t = (\S+)", err)
            tally.check(status == 3 and "forces turn round" in err and at and abs(float(at.group(1)) - math.hypot(*v)) < bound,
                        "exit %s of %s to %s\n%s" % (status, v, tol, err))


# ---- random models

def number(rng, low=.3, high=1.5):
    return round(rng.uniform(low, high) * rng.choice((1, -1)), 3)


def random_model(rng):
    """(text with STEP and RAMP as names of the switched functions of their argument, what it has)"""
    n = rng.choice((1, 2, 2, 3))
    q = ["x", "y", "z"][:n]
    kinds = rng.sample(["potential", "mass", "charge", "moving"], rng.choice((1, 1, 2)))
    surface = " + ".join("(%r)*%s" % (number(rng), c) for c in q) + " - %r" % round(rng.uniform(.1, .4), 3)
    if "moving" in kinds:
        surface += " - %r*t" % round(rng.uniform(.1, .5), 3)
    mass = [round(rng.uniform(.6, 2), 3) for _ in q]
    L = " + ".join("%r*%s'^2/2" % (m, c) for m, c in zip(mass, q))
    if n > 1:
        L += " + %r*x'*y'" % round(rng.uniform(-.4, .4), 3)
    L += " - (%s)/2" % " + ".join("%r*%s^2" % (round(rng.uniform(.1, 1), 3), c) for c in q)
    if "potential" in kinds or kinds == ["moving"]:
        L += " - (%r)*STEP(%s)" % (number(rng, .05, 1.2), surface)
    if "mass" in kinds:
        L += " + %r*STEP(%s)*%s'^2/2" % (round(rng.uniform(.3, 1.5), 3), surface, rng.choice(q))
    if "charge" in kinds:
        L += " + (%r)*STEP(%s)*%s'" % (number(rng), surface, rng.choice(q))
    lines = ["coord " + ", ".join(q), "lagrangian " + L]
    start = {c + "'": number(rng, .8, 2) for c in q}
    bound = rng.choice(["", "", "row", "wire"]) if n > 1 else ""
    if bound == "row":
        lines.append("constraint c: y' = (%r + x)*x'" % 0.4)
        start["y'"] = .4 * start["x'"]
    if bound == "wire":
        lines.append("constraint c: y = %r*x + (%r)*RAMP(x - .2)" % (.3, number(rng)))
        start["y'"] = None
    lines.append("time 0 .. 1.2")
    return lines, start, bound


def text_of(lines, start, bound, width):
    """width 0: sharp. At the start the smoothed ramp has a small value and slope: y and y' follow from them."""
    step = (lambda u: "if(%s < 0, 0, 1)" % u) if width == 0 else (lambda u: "(1 + tanh((%s)/%r))/2" % (u, width))
    ramp = (lambda u: "max(0, %s)" % u) if width == 0 else (lambda u: "((%s) + sqrt((%s)^2 + %r))/2" % (u, u, width ** 2))

    def put(line, word, made):
        while word in line:
            at = line.index(word)
            depth, end = 0, at + len(word)
            while True:
                depth += {"(": 1, ")": -1}.get(line[end], 0)
                end += 1
                if depth == 0:
                    break
            line = line[:at] + "(" + made(line[at + len(word) + 1:end - 1]) + ")" + line[end:]
        return line
    lines = [put(put(line, "STEP", step), "RAMP", ramp) for line in lines]
    values = dict(start)
    if width:                                              # a fast clock beside it: steps are too short to miss the narrow change
        lines += ["coord clock", "lagrangian clock'^2/2 - %r*clock^2/2" % 3e3 ** 2]
        values["clock"] = 1
    if bound == "wire":
        values.pop("y'")
    text = "\n".join(lines) + "\nstart " + ", ".join("%s = %r" % v for v in values.items()) + "\n"
    return text


def smoothed(program, folder, tally):
    rng, done, kept = random.Random(SEED), 0, 0
    widths = (1e-2, 1e-3, 1e-4)
    while done < COUNT:
        lines, start, bound = random_model(rng)
        done += 1
        status, sharp, err = moved(program, folder, text_of(lines, start, bound, 0), "--project")
        if status != 0:
            tally.check(False, "exit %s of\n%s\n%s" % (status, text_of(lines, start, bound, 0), err))
            continue
        far = []
        for width in widths:
            status, soft, err = moved(program, folder, text_of(lines, start, bound, width), "--project")
            if status != 0:
                break
            far.append(max(abs(soft[c] - sharp[c]) for c in sharp if c in "xyz"))
        if len(far) < len(widths):
            tally.check(False, "the smoothed model ends with %s\n%s" % (err, text_of(lines, start, bound, width)))
            continue
        kept += 1
        falls = far[2] < 1e-7 or (far[2] < .3 * far[1] + 1e-7 and far[2] < .01)
        tally.check(falls, "differences %s at widths %s of\n%s" % (far, widths, text_of(lines, start, bound, 0)))
    tally.check(kept > .9 * done, "%d of %d were compared" % (kept, done))


def option(name, default):
    if name not in sys.argv:
        return default
    at = sys.argv.index(name)
    value = int(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    return value


SEED, COUNT = option("--seed", 1), option("--count", 40)


def main():
    program, _ = arguments()
    tally = Tally("corners")
    with tempfile.TemporaryDirectory() as folder:
        run_parts([exact, ends, nested, agreement, together, refused, sides, claims, walls, powers, roots, periods, held_between, endless, fixed,
                   held_smoothed, smoothed, pushed, counted, spelled, held_slopes, loaded_bend, at_rest], program, folder, tally)
    tally.done()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Start data are held to 1e-10 of the size of a constraint's terms, also where these stand in brackets and cancel there.

usage: start_sizes.py [--program FILE]"""
import json
import os
import tempfile

from program import Tally, arguments, call, chosen

HEAD = "param v = 5, r = .3, big = 1e6, s = .1, w = .7\ncoord x, y, a\nlagrangian (x'^2 + y'^2 + a'^2)/2\ntime 0 .. 1\n"

# Formulas that vanish but for rounding of numbers inside brackets; the velocities are 0, so that nothing else gives a scale.
FIT = [
    ("cos(a)*((v + x') + r*(y' - v/r)) = 0", ""),
    ("-(cos(a)*((v + x') + r*(y' - v/r)))/2 = 0", ""),
    ("(2 + sin(a))*(cos(a)*((v + x') + r*(y' - v/r)) + a') = a'", ""),
    ("((v + x') + r*(y' - v/r))/(1 + x^2) = 0", ""),
    ("sin((v + x') + r*(y' - v/r)) = 0", ""),
    ("(1 + a)*(x + v*w/w*s - s*v + (y - big*s) + big*s) = 0", ""),
    ("sqrt(1 + x^2)*((x' - s*big) + (y' + s*big)) = 0", "x' = .1, y' = -.1"),
    ("x'*(1 + y) - (s + s + s - 3*s)*exp(a)*v = 0", ""),
]
# Data that are wrong by more than 1e-10 of every term: small numbers must not be taken for rounding because large ones are near.
BREAK = [
    ("cos(a)*((v + x') + r*(y' - v/r)) = 0", "x' = 1e-8"),
    ("x^2 + y^2 = 1", "x = 1, y = 1e-4"),
    ("(x - 1000)*(y - 1000) = 0", "x = 1000.001, y = 1000.001"),
    ("(x' - 1)*(y' - 1) = 0", "x' = 1.00001, y' = 1.00001"),
    ("cos(a)*(x' - y') = 0", "x' = 1, y' = 1.000000001"),
    ("(x - y)*(2 + a) = 1e-7", "x = 2e-7, y = 0, a = 1"),
]


def consistent(program, folder, constraint, start):
    path = os.path.join(folder, "a.act")
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD + "constraint c: %s\n" % constraint + ("start %s\n" % start if start else ""))
    _, out, _ = call(program, "check", path, "--json")
    status, _, err = call(program, "run", path, "--quiet", "-o", os.path.join(folder, "a.csv"))
    return json.loads(out)["start"]["consistent"], status, err


def main():
    program, _ = arguments()
    tally = Tally("start_sizes")
    with tempfile.TemporaryDirectory() as folder:
        for constraint, start in FIT if chosen("fit") else ():
            good, status, err = consistent(program, folder, constraint, start)
            tally.check(good and status == 0, "%s with '%s' is refused: exit %s\n%s" % (constraint, start, status, err))
        for constraint, start in BREAK if chosen("break") else ():
            good, status, err = consistent(program, folder, constraint, start)
            tally.check(not good and status == 1 and "does not satisfy 'c'" in err, "%s with '%s' is accepted: exit %s\n%s" % (constraint, start, status, err))
    tally.done()


main()

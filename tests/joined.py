#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mixed data whose motion magnifies rounding at the start: joined arcs beside closed forms, quadrature and other coordinates.

usage: joined.py [--program FILE] [--only PART ...] [--list]"""
import csv
import json
import math
import os
import subprocess
import tempfile

import mpmath

from program import Tally, arguments, run_parts

GROWTH = "# grows\nparam a = 20, b = 1\ncoord x\nlagrangian x'^2/2 + a^2*x^2/2\nstart x = 1\nfree x'\nrequire x at 1 = b\ntime 0 .. 1"


class Bench:
    def __init__(self, program, tally, folder):
        self.program, self.tally, self.folder = program, tally, folder

    def run(self, text, *words):
        """Rows and codes of findings; no rows where the run fails."""
        model, rows = os.path.join(self.folder, "m.act"), os.path.join(self.folder, "m.csv")
        with open(model, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        if os.path.exists(rows):
            os.remove(rows)
        done = subprocess.run([self.program, "run", model, "--json", "-o", rows, *words], capture_output=True, text=True)
        said = json.loads(done.stdout)
        codes = [one["code"] for key in ("errors", "warnings", "notes") for one in said.get(key, [])]
        what = "%s %s" % (text.split("\n")[0], " ".join(words))
        if not self.tally.check(done.returncode == 0, "%s: exit %d, %s" % (what, done.returncode, codes)):
            return [], codes
        with open(rows, encoding="utf-8") as file:
            return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)], codes

    def follows(self, rows, exact, tol, what):
        """Each column is within tol of the largest value that it has, or of 1: what the tolerance of a run says."""
        for name, f in exact.items():
            size = max([1] + [abs(row[name]) for row in rows])
            worst = max([abs(row[name] - f(row["t"])) for row in rows], default=math.inf)
            self.tally.check(worst <= tol * size, "%s: %s is off by %.1e, beside %.1e" % (what, name, worst, size))


def line(a, x0, x1):
    """x'' = a^2 x from x0 at 0 to x1 at 1, without numbers that overflow; its rate."""
    down, end = 1 - math.exp(-2 * a), math.exp(-a)
    p, q = (x0 - x1 * end) / down, (x1 - x0 * end) / down
    return {"x": lambda t: p * math.exp(-a * t) + q * math.exp(-a * (1 - t)), "x_dot": lambda t: a * (q * math.exp(-a * (1 - t)) - p * math.exp(-a * t))}


def growth(b):
    for a, x1 in ((5, 1), (20, 1), (20, -3), (60, 1), (60, 0), (200, 2), (700, 1)):
        for tol in (1e-6, 1e-9, 1e-12):
            rows, codes = b.run(GROWTH, "--set", "a=%d,b=%d" % (a, x1), "--tol", "%g" % tol)
            b.follows(rows, line(a, 1, x1), tol, "growth exp(%d), tol %g" % (a, tol))
            joined = "MIXED_JOINED" in codes
            b.tally.check(joined or a < 30, "growth exp(%d): one march has met it: %s" % (a, codes))
            b.tally.check(not joined or a > 5, "growth exp(%d): one march would do: %s" % (a, codes))


def places(b):
    """Conditions inside, data at the start free, time backward, states, a constraint: the same motion each time."""
    exact = line(60, 1, 1)
    middle = exact["x"](.25)
    rows, _ = b.run("# both free\ncoord x\nlagrangian x'^2/2 + 1800*x^2\nfree x\nfree x'\nrequire x at .25 = %r\nrequire x at 1 = 1\ntime 0 .. 1" % middle)
    start = {"x": lambda t: exact["x"](t) if t >= .25 else 0, "x_dot": lambda t: exact["x_dot"](t) if t >= .25 else 0}
    b.follows([row for row in rows if row["t"] >= .25], start, 1e-9, "both free")
    rows, _ = b.run(GROWTH.replace("at 1", "at 0").replace("0 .. 1", "1 .. 0"), "--set", "a=60")
    b.follows(rows, exact, 1e-9, "backward")
    rows, _ = b.run("# states\nstate u, w\nflow u' = 60*w\nflow w' = 60*u\nstart u = 1\nfree w\nrequire u at 1 = 1\ntime 0 .. 1")
    b.follows(rows, {"u": exact["x"], "w": lambda t: exact["x_dot"](t) / 60}, 1e-9, "states")
    rows, _ = b.run("# a wire\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 + 1800*(x^2 + y^2)\nconstraint wire: y = x/2\nstart x = 1, y = .5\nfree x'\nfree y'\nrequire x at 1 = 1\ntime 0 .. 1")
    b.follows(rows, dict(exact, y=lambda t: exact["x"](t) / 2), 1e-9, "a wire")
    rows, codes = b.run(GROWTH.replace("x^2/2", "x^2/2 + x^4/4") + "\nobserve e = x'^2/2 - a^2*x^2/2 - x^4/4", "--set", "a=40,b=3")
    b.tally.check("MIXED_JOINED" in codes and bool(rows) and max(r["e"] for r in rows) - min(r["e"] for r in rows) < 1e-9 * 40 ** 2 * 9, "a cubic force keeps its energy")
    b.tally.check(bool(rows) and abs(rows[-1]["x"] - 3) < 3e-9, "a cubic force: the end")


def troesch(b):
    """x'' = n sinh(n x) from 0 to 1: the time to x is a quadrature, whose slope at 0 makes the time to 1 right."""
    mpmath.mp.dps = 30

    def time(v, x, n):
        places = [mpmath.mpf(0)] + [p for p in (v / n * mpmath.mpf(4) ** k for k in range(80)) if p < x] + [x]
        return mpmath.quad(lambda z: 1 / mpmath.sqrt(v * v + 4 * mpmath.sinh(n * z / 2) ** 2), places)
    for n in (5, 10, 20, 30):
        rows, codes = b.run("# Troesch\nparam n = %d\ncoord x\nlagrangian x'^2/2 + cosh(n*x)\nfree x'\nrequire x at 1 = 1\ntime 0 .. 1" % n, "--points", "21")
        low, high = mpmath.mpf(8) * mpmath.exp(-n) / 2, mpmath.mpf(8) * mpmath.exp(-n) * 2
        for _ in range(60):
            v = mpmath.sqrt(low * high)
            low, high = (low, v) if time(v, mpmath.mpf(1), n) < 1 else (v, high)
        b.tally.check(bool(rows) and abs(rows[-1]["x"] - 1) <= 1e-9, "Troesch, n = %d: the end" % n)
        for row in rows[1:-1:3]:
            if row["x"] > 1e-7:                 # what is less is known to 1e-9 only
                apart = abs(float(time(v, mpmath.mpf(row["x"]), n) - row["t"])) * row["x_dot"]
                b.tally.check(apart <= 1e-9, "Troesch, n = %d: x at %g is off by %.1e" % (n, row["t"], apart))
        b.tally.check("MIXED_JOINED" in codes or n < 20, "Troesch, n = %d: %s" % (n, codes))


def main():
    program, _ = arguments()
    tally = Tally("joined")
    with tempfile.TemporaryDirectory() as folder:
        run_parts((growth, places, troesch), Bench(program, tally, folder))
    tally.done()


if __name__ == "__main__":
    main()

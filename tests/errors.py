#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Errors that can be believed: classes of motions on which two runs at different tolerances agree and are wrong.

References: closed forms and quadratures by mpmath with 40 digits, and the random families of tests/truth with 106 bits.
A printed number may be off by its tolerance, and the reported error has to be about the true one.

usage: errors.py [--program FILE]"""
import csv
import io
import json
import os
import sys
import tempfile

import mpmath as mp

from program import ROOT, Tally, arguments, call, run_parts

mp.mp.dps = 40
SEEDS = range(30001, 30031)                                # of the families; not those that anything was tuned with
FOLLOWED = 30                                              # the estimate may be so many times too large


class Bench:
    def __init__(self, program, folder):
        self.program, self.folder, self.tally = program, folder, Tally("errors")

    def path(self, text):
        path = os.path.join(self.folder, "m.act")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run(self, text, tol, points=11):
        """(status, JSON, rows as floats)"""
        table = os.path.join(self.folder, "m.csv")
        if os.path.exists(table):
            os.remove(table)
        status, out, _ = call(self.program, "run", self.path(text), "--tol", repr(tol), "--points", str(points), "--json", "-o", table)
        with open(table, encoding="utf-8") if os.path.exists(table) else io.StringIO() as file:
            rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]
        return status, json.loads(out), rows

    def compare(self, name, text, tol, exact, may_refuse=False):
        """exact(t): {column: value}. Every kept row within the tolerance of its size; the reported error not below the true one."""
        status, told, rows = self.run(text, tol)
        if status == 3 and may_refuse:
            rows = [r for r in rows if r["t"] <= told["holds_until"]]
        elif not self.tally.check(status == 0, "%s, tol %g: exit %s" % (name, tol, status)):
            return
        worst, size = {}, {}
        for row in rows:
            for column, value in exact(mp.mpf(row["t"])).items():
                worst[column] = max(worst.get(column, 0), abs(mp.mpf(row[column]) - value))
                size[column] = max(size.get(column, 1), abs(value))
        for column, off in worst.items():
            limit = tol * size[column]
            reported = told["error"][column]
            self.tally.check(off <= limit, "%s, tol %g: %s is off by %.2g tolerances" % (name, tol, column, off / limit))
            if status == 0:
                self.tally.check(reported >= .3 * off, "%s, tol %g: %s is off by %.2g, reported %.2g" % (name, tol, column, off, reported))


def gaussian(centre, width):
    return lambda s: mp.exp(-((s - centre) / width) ** 2) / (width * mp.sqrt(mp.pi))


def pushed(t, kicks):
    """x'' = -x + sum of Gaussian kicks of area 1, x(0) = 1: by quadrature about each kick."""
    x, v = mp.cos(t), -mp.sin(t)
    for centre, width in kicks:
        low, high = max(mp.mpf(0), centre - 14 * width), min(t, centre + 14 * width)
        if high > low:
            f, cuts = gaussian(centre, width), [low + (high - low) * k / 14 for k in range(15)]
            x += mp.quad(lambda s: mp.sin(t - s) * f(s), cuts)
            v += mp.quad(lambda s: mp.cos(t - s) * f(s), cuts)
    return {"x": x, "x_dot": v}


def kicked(kicks):
    forces = "".join("force x = exp(-((t - %s)/%s)^2)/(%s*sqrt(pi))\n" % (c, w, w) for c, w in kicks)
    return "coord x\nlagrangian x'^2/2 - x^2/2\n%sstart x = 1\ntime 0 .. 20\n" % forces


def a_narrow_kick(b):
    for width in ("1e-6", "1e-5", "1e-4", "1e-3", ".01", ".1", "1"):
        for tol in (1e-4, 1e-9):
            kicks = [("7.3", width)]
            b.compare("a kick of width " + width, kicked(kicks), tol, lambda t: pushed(t, [(mp.mpf(c), mp.mpf(w)) for c, w in kicks]))


def a_train_of_kicks(b):
    kicks = [("%.2f" % (.5 + .97 * k), ".003") for k in range(20)]
    for tol in (1e-4, 1e-9):
        b.compare("twenty kicks", kicked(kicks), tol, lambda t: pushed(t, [(mp.mpf(c), mp.mpf(w)) for c, w in kicks]))


def a_narrow_ridge(b):
    """A free particle over a ridge of the potential: late by a quadrature."""
    for width in ("1e-5", "1e-3", ".1"):
        for tol in (1e-4, 1e-9):
            w = mp.mpf(width)
            late = mp.quad(lambda s: 1 / mp.sqrt(1 - mp.mpf(".8") * mp.exp(-s * s)) - 1, [-14, -7, -3, -1, 0, 1, 3, 7, 14]) * w
            text = "coord x\nlagrangian x'^2/2 - .4*exp(-((x - 2.1)/%s)^2)\nstart x' = 1\ntime 0 .. 10\n" % width

            def exact(t):
                far = abs(t - mp.mpf("2.1")) > 14 * w + late + mp.mpf(".02")
                return {"x": t - (late if t > 2 else 0), "x_dot": mp.mpf(1)} if far else {}
            b.compare("a ridge of width " + width, text, tol, exact)


def kepler(t, e):
    """From the far end: x = cos E - e, mean motion 1."""
    mean = t + mp.pi
    E = mp.findroot(lambda u: u - e * mp.sin(u) - mean, mean + e * mp.sin(mean), tol=1e-70, maxsteps=200) if e < .9 else bisect(mean, e)
    r, s = 1 - e * mp.cos(E), mp.sqrt(1 - e * e)
    return {"x": mp.cos(E) - e, "y": s * mp.sin(E), "x_dot": -mp.sin(E) / r, "y_dot": s * mp.cos(E) / r}


def bisect(mean, e):
    low, high = mean - 1, mean + 1
    for _ in range(150):
        middle = (low + high) / 2
        low, high = (middle, high) if middle - e * mp.sin(middle) < mean else (low, middle)
    return low


def close_passages(b):
    """Short peaks between the places at which runs were compared; some of these rows may be refused, none may be wrong."""
    for e in (".9", ".99", ".999"):
        text = "param e = %s\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)\nstart x = -1 - e, y' = -sqrt((1 - e)/(1 + e))\ntime 0 .. 6*pi\n" % e
        for tol in (1e-4, 1e-6, 1e-8):
            b.compare("Kepler, e = " + e, text, tol, lambda t: kepler(t, mp.mpf(e)), may_refuse=True)


def growth(b):
    """x'' = x - 2 sin t continues sin t until an error has grown: kept rows hold nothing else."""
    for tol in (1e-3, 1e-6, 1e-9):
        text = "coord x\nlagrangian x'^2/2 + x^2/2 - 2*sin(t)*x\nstart x' = 1\ntime 0 .. 60\n"
        b.compare("sin t beside exp t", text, tol, lambda t: {"x": mp.sin(t), "x_dot": mp.cos(t)}, may_refuse=True)


def one_run(b):
    """A smooth motion whose defect shows that its error holds is computed once: a step of order 8 with rows inside takes 12 + 3
    evaluations and up to 2 for projection and for the defect, and a start takes fewer than 40."""
    for name, tol in (("disk", 1e-6), ("disk", 1e-9), ("disk", 1e-12), ("euler-top", 1e-9)):
        _, out, _ = call(b.program, "run", os.path.join(ROOT, "models", name + ".act"), "--tol", repr(tol), "--json")
        told = json.loads(out)
        most = 17 * (told["steps"] + told["rejected"]) + 40
        b.tally.check(told["evaluations"] <= most, "%s, tol %g: %d evaluations, one run takes at most %d" % (name, tol, told["evaluations"], most))


def random_families(b):
    """Random motions of all families."""
    truth = os.path.join(os.path.dirname(os.path.abspath(b.program)), "truth")
    if not os.path.exists(truth):
        return
    sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "tests", "truth")]
    import measure
    for seed in SEEDS:
        answer = measure.measure((truth, seed, None, {}))
        if answer["outcome"] == "no problem":
            continue
        b.tally.check(answer.get("beyond", 0) <= 1, "seed %d, %s: off by %.3g tolerances" % (seed, answer["family"], answer.get("beyond", 0)))
        low = answer.get("under", 1)
        b.tally.check(low >= .3, "seed %d, %s: an error is reported %.2g of the true one" % (seed, answer["family"], low))


def main():
    program, _ = arguments()
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(program, folder)
        run_parts([a_narrow_kick, a_train_of_kicks, a_narrow_ridge, close_passages, growth, one_run, random_families], b)
    b.tally.done()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A column that is not a finite number somewhere has no error estimate, in every output, nor has one that rounding makes of a pole; the motion beside it keeps its own.

usage: undefined.py [--program FILE]"""
import json
import os
import tempfile
from math import cos, exp, isnan, pi, sqrt

import numpy

from program import Tally, arguments, call, rows, run_parts

HEAD = "coord x\nlagrangian x'^2/2 - x^2/2\nstart x = 1\ntime 0 .. 5\n"
ROOT = HEAD + "observe o = sqrt(x)\nobserve p = 1/(t - 2.5)\nobserve fine = x^2\n"     # x = cos(t): o has no value from pi/2 on, p none at 2.5, which is a row
CLAIMS = ROOT + """expect o at 1 = sqrt(cos(1)) within 1e-9
expect o at 3 = 1 within 1e-9
expect p at 2.5 = 1 within 1e-9
expect drift(o) < 1
expect drift(fine) < 1.01
expect o at 6 = 1 within 1e-9
"""
ENERGY = "coord x\nlagrangian x'^2/2 - x + 0*sqrt(.5 - t)*t\nstart x' = 1\ntime 0 .. 1\n"   # the term has no force, and the energy no value from t = .5 on
SHORT = HEAD + "force x = if(t > 2, 1/(t - 3), 0)*x'\nobserve o = sqrt(x + 9)\nexpect o at 4 = 1 within 1\n"


def written(folder, text, name="a.act"):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def outputs(tally, program, folder):
    model = written(folder, ROOT)
    files = [os.path.join(folder, "a." + ending) for ending in ("json", "npz", "csv", "svg")]
    status, out, err = call(program, "run", model, "-o", files[0], "-o", files[1], "-o", files[2], "--plot", files[3])
    tally.check(status == 3, "exit %s, not 3" % status)
    tally.check(err.count("not a finite number") == 2 and "'o' is not a finite number at t = 1.575" in err and "'p' is not a finite number at t = 2.5" in err, err)
    tally.check("a.act:5:9: error" in err, "no place: " + err)
    tally.check("not met: it holds until t = 1.55" in out, out)
    with open(files[0], encoding="utf-8") as file:
        told = json.load(file)
    tally.check(told["error"]["o"] is None and told["error"]["p"] is None, "json: %s" % told["error"])
    tally.check(0 < told["error"]["x"] < 1e-9 and 0 < told["error"]["fine"] < 2e-9, "json: the others: %s" % told["error"])
    tally.check(told["reached"] is False and abs(told["holds_until"] - 1.55) < 1e-12, "json: reached %s until %s" % (told["reached"], told["holds_until"]))
    arrays = numpy.load(files[1])
    errors = dict(zip((c["name"] for c in told["columns"]), arrays["error"]))
    tally.check(isnan(errors["o"]) and isnan(errors["p"]) and errors["x"] < 1e-9, "npz: %s" % errors)
    with open(files[2], encoding="utf-8") as file:
        table = rows(file.read())
    tally.check(len(table) == 201, "csv: %d rows" % len(table))
    for row in table:
        good = abs(row["o"] - sqrt(cos(row["t"]))) < 1e-7 if row["t"] < pi / 2 or row["t"] > 3 * pi / 2 else isnan(row["o"])   # sqrt magnifies 1e-9 near its end
        tally.check(good and abs(row["x"] - cos(row["t"])) < 1e-9, "csv: %s" % row)
    with open(files[3], encoding="utf-8") as file:
        tally.check("holds until t = 1.55" in file.read(), "the picture says where it holds")


def claims(tally, program, folder):
    status, out, _ = call(program, "test", written(folder, CLAIMS), "--json")
    told = [(c["ok"], c["why"]) for c in json.loads(out)["claims"]]
    tally.check(status == 1, "test: exit %s" % status)
    tally.check(told == [(True, ""), (False, "it is not a finite number there"), (False, "it is not a finite number there"),
                         (False, "it is not a finite number in every row"), (True, ""), (False, "the time is outside the model's interval")], "test: %s" % told)
    status, out, _ = call(program, "test", written(folder, ROOT + "expect o at 1 = sqrt(cos(1)) within 1e-9\n"))
    tally.check(status == 0, "a claim where the column has a value holds: exit %s\n%s" % (status, out))
    status, out, _ = call(program, "test", written(folder, SHORT), "--json")
    tally.check(json.loads(out)["claims"][0]["why"] == "the motion ends before this time", "test of a motion that ends: %s" % out)


def diagnostics(tally, program, folder):
    status, out, _ = call(program, "run", written(folder, ENERGY), "--json")
    told = json.loads(out)
    tally.check(told["energy_drift"] is None and told["error"]["energy"] is None and status == 3, "energy: %s" % out)
    status, out, _ = call(program, "compare", written(folder, ROOT), "--json")
    told = json.loads(out)
    words = {row["by"]: row["status"] for row in told["principles"]}
    tally.check(status == 0 and words["dalembert"] == "reference" and words["gauss"] == words["skg"] == "agrees", "compare: %s" % words)
    status, out, err = call(program, "run", written(folder, ROOT), "--local", "1e-9", "--json")
    tally.check(status == 0 and json.loads(out)["error"]["o"] is None, "--local claims nothing: exit %s %s" % (status, err))


# Poles that a row meets to rounding: x = t, so that 1/(x - 1) is infinite at t = 1, and the number that rounding makes of it says nothing.
POLES = """coord x
lagrangian x'^2/2
observe o = 1/(x - 1)
observe p = tan(pi*t/2)
observe large = 1e12*x
observe steep = exp(20*x)
start x' = 1
time 0 .. 2
expect o at 1 = 2251799813685248 within 1e16
expect p at 1 = 16331239353195370 within 1e17
expect o at 2 = 1 within 1e-9
expect o at .5 = -2 within 1e-9
expect p at 1.5 = -1 within 1e-9
expect large at 1 = 1e12 within 1
expect steep at 2 = exp(40) within 1e9
"""
NEAR = HEAD + "observe o = 1/(x - cos(2) - 3e-8)\n"                # a row at t = 2 is so near to the pole that its error is many times the one asked


def poles(tally, program, folder):
    for by in ("dalembert", "maggi", "skg", "dual"):
        status, out, err = call(program, "run", written(folder, POLES), "--by", by, "--json")
        told = json.loads(out)
        tally.check(status == 3 and not told["reached"] and told["error"]["o"] is None, "poles by %s: exit %s %s" % (by, status, err))
        tally.check(told["error"]["large"] < 1e3 and told["error"]["steep"] < 1e9, "poles by %s: the others: %s" % (by, told["error"]))
    status, out, _ = call(program, "run", written(folder, POLES), "-o", "-")
    for row in rows(out):
        tally.check(isnan(row["o"]) == isnan(row["p"]) == (row["t"] == 1), "poles: %s" % row)
    told = json.loads(call(program, "test", written(folder, POLES), "--json")[1])["claims"]
    tally.check([c["ok"] for c in told] == [False, False, True, True, True, True, True], "poles: %s" % [(c["ok"], c["why"]) for c in told])
    status, _, err = call(program, "run", written(folder, NEAR), "--json")
    tally.check(status == 3, "near a pole: exit %s %s" % (status, err))


def garbage(tally, program, folder):
    """exp(-10 t) of an equation that has exp(10 t), too: what rounding makes large does not excuse the rows before."""
    text = "coord x\nlagrangian x'^2/2 + 50*x^2\nstart x = 1, x' = -10\ntime 0 .. 10\n"
    for tol in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10):
        for by in ("dalembert", "maggi", "hamilton"):
            path = os.path.join(folder, "kept.csv")
            status, _, err = call(program, "run", written(folder, text), "--by", by, "--tol", repr(tol), "-o", path, "--points", "601", "--quiet")
            with open(path, encoding="utf-8") as file:
                kept = rows(file.read())
            worst = max(abs(r["x"] - exp(-10 * r["t"])) for r in kept)
            tally.check(status == 3 and "met only up to" in err and worst <= tol and kept[-1]["t"] > 1,
                        "tol %g by %s: exit %s, %d rows, off by %.1e: %s" % (tol, by, status, len(kept), worst, err))


def main():
    program, _ = arguments()
    tally = Tally("undefined")
    with tempfile.TemporaryDirectory() as folder:
        run_parts((outputs, claims, diagnostics, poles, garbage), tally, program, folder)
    tally.done()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `check` lists as a principle that applies to a model is what `compare` does not call inapplicable, on every model: the gallery, the models below, and any
others that are named (generated ones, say). A principle applies, or not, at the start: an interval of a thousandth shows it.

usage: applies.py [--program FILE] [MODEL ...]"""
import json
import os
import re
import tempfile

from program import Tally, arguments, call, chosen, everything, model_name, run_parts

# What the gallery has not: each is a reason for some principle not to apply.
MODELS = {
    "nonlinear": "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint c: x'^2 + y'^2 = 1\nstart x' = 1\ntime 0 .. 1\n",
    "indefinite": "coord x, y\nlagrangian (x'^2 - 2*y'^2)/2\nconstraint c: x' = 2*y'\nstart x' = 2, y' = 1\ntime 0 .. 1\n",
    "massless": "coord x, y\nlagrangian x'^2/2 - x^2/2\nconstraint c: y' = x'\nstart x = 1\ntime 0 .. 1\n",
    "state in a momentum": "coord x, y\nstate p\nlagrangian (1 + p^2)*x'^2/2 + y'^2/2\nflow p' = -p\nconstraint c: y' = p*x'\nstart x' = 1, y' = 1, p = 1\ntime 0 .. 1\n",
    "state held": "coord x\nstate p\nlagrangian x'^2/2\nflow p' = -p + x\nconstraint c: p + x = 1\nstart x = 1\ntime 0 .. 1\n",
    "row on both": "coord x\nstate p\nlagrangian (1 + p^2)*x'^2/2\nflow p' = -p\nconstraint c: x' = p\nstart x' = 1, p = 1\ntime 0 .. 1\n",
    "unsymmetric flow": "state p, u\nflow p' + u'/2 = 1\nflow u' = 1\nconstraint c: p = u\ntime 0 .. 1\n",
    "redundant": "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint a: x' = y'\nconstraint b: 2*x' = 2*y'\nstart x' = 1, y' = 1\ntime 0 .. 1\n",
    "acceleration": "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint a: x'' = y'\nstart x' = 1, y' = 1\ntime 0 .. 1\n",
    "acting": "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint a: x' = y' acting x\nstart x' = 1, y' = 1\ntime 0 .. 1\n",
    "hidden": "coord x, y, z\nlagrangian x'^2/2 + z'^2/2 - x^2/2 - y*z\nconstraint c: x' = z'\ntime 0 .. 1\n",
    "frame": "coord x, y, th\nlagrangian (x'^2 + y'^2 + th'^2)/2\nframe u = x'*cos(th) + y'*sin(th)\nconstraint c: x'*sin(th) = y'*cos(th)\nstart x' = 1\ntime 0 .. 1\n",
    "event": "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint c: y' = 0\nevent e: x = 10\nstart x' = 1\ntime 0 .. 1\n",
    "wall": "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint c: y' = 0\ncontact w: x >= -1\nstart x' = 1\ntime 0 .. 1\n",
    "vakonomic": "coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\nconstraint c: z' = y*x'\nstart x' = 1, lambda.c = 0\ntime 0 .. 1\n",
    "time": "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint c: y = sin(t)\nstart x' = 1, y' = 1\ntime 0 .. 1\n",
}


def short(path):
    """Words that shorten the interval, or none."""
    with open(path, encoding="utf-8") as file:
        line = re.search(r"^time\s+(\S+)\s*\.\.", file.read(), re.M)
    return ["--time", "%s..%s+1/1000" % (line[1], line[1])] if line else []


def listed(program, path, words):
    """Principles under `power` of check; None: the model does not pass, or has no such list."""
    status, out, _ = call(program, "check", path, *words, "--json")
    told = json.loads(out) if status == 0 else {}
    return set(told["power_by"]) if told.get("constraints") and told.get("power_by") is not None else None


def applicable(program, path, words):
    """(Principles that compare does not call inapplicable, why of the others)."""
    status, out, _ = call(program, "compare", path, *words, "--json")
    rows = json.loads(out).get("principles", []) if status != "slow" else []
    return {r["by"] for r in rows if r["status"] != "inapplicable"}, {r["by"]: r["note"] for r in rows}


def look(program, tally, path):
    """Does the property hold of this model? False: it does not apply to it."""
    words = short(path)
    by_check = listed(program, path, words)
    if by_check is None:
        return False
    by_compare, notes = applicable(program, path, words)
    for name in sorted(by_check ^ by_compare):
        where = "check lists it, and compare does not" if name in by_check else "compare has it, and check does not"
        tally.check(False, "%s: %s: %s: %s" % (os.path.basename(path), name, where, notes.get(name, "")))
    tally.check(bool(by_compare), "%s: nothing applies" % os.path.basename(path))
    return True


# What check says of a constraint: its form, what its counts of integrable ones are, and why its reaction works. Pieces of the text, and pieces that are not there.
WORDS = [
    ("coord x, y\nstate p\nlagrangian (x'^2 + y'^2)/2\nflow p' = -p\nconstraint c: x'^2 + y'^2 = p^2\nstart x' = 1, p = 1\n",
     ["c: genuinely nonlinear in the velocities", "with states or accelerations: c", "can do work: it is not homogeneous"], ["0 holonomic, 0 nonholonomic", "moves"]),
    ("coord x, y\nstate p\nlagrangian (x'^2 + y'^2)/2\nflow p' = -p/9\nconstraint c: x'^2*(1 + p^2) = y'^2\nstart x' = 1, p = 1, y' = sqrt(2)\n", ["c: equivalent to an affine constraint"], ["genuinely", "can do work"]),
    ("coord x, y, z\nstate p\nlagrangian (x'^2 + y'^2 + z'^2)/2\nflow p' = -p\nconstraint a: z'' = y'\nconstraint c: x'^2 + y'^2 = p^2\nstart x' = 1, p = 1\n",
     ["c: genuinely nonlinear", "with states or accelerations: a, c"], ["a: genuinely"]),
    ("coord x, y\nstate p\nlagrangian (x'^2 + y'^2)/2\nflow p' = -p\nconstraint c: x' = p\nstart x' = 1, p = 1\n", ["which depends on a state"], ["moves", "nonlinear"]),
    ("coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint c: x'^2 + y'^2 = 1\nstart x' = 1\n", ["c: genuinely nonlinear", "0 holonomic, 1 nonholonomic", "can add or remove energy"], ["support"]),
    ("coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint c: x' = 1\nstart x' = 1\n", ["the support moves"], ["homogeneous"]),
]


def words(program, tally, folder):
    path = os.path.join(folder, "words.act")
    for text, there, absent in WORDS:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "time 0 .. 1\n")
        status, out, err = call(program, "check", path)
        lost, odd = [w for w in there if w not in out], [w for w in absent if w in out]
        tally.check(status == 0 and not lost and not odd, "%s: %s lacks %s, has %s" % (text.splitlines()[-2], out + err, lost, odd))


def main():
    program, models = arguments()
    tally, seen = Tally("applies"), 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text in MODELS.items():
            if not chosen(name):
                continue
            path = os.path.join(folder, name.replace(" ", "-") + ".act")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            tally.check(look(program, tally, path), "%s: check has no list" % name)
        run_parts([words], program, tally, folder)
        for path in models:
            seen += chosen(model_name(path)) and look(program, tally, path)
    tally.check(seen > 0 or not everything(), "none of the models has constraints")
    tally.done()


if __name__ == "__main__":
    main()

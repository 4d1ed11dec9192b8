#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Accelerations, multipliers, reactions, energies and observed values of the program against SymPy.

Every model is read by an independent reader, its equations are derived by SymPy and solved with 30 digits at
the states that the program printed: start, middle and end of the run. Nothing here integrates anything.

usage: oracle_derivatives.py [--program FILE] [MODEL ...]"""
import os
import re
import tempfile

import mpmath

from independent import Equations, Model
from program import Tally, arguments, call, chosen, has_fields, model_name, one_sided, rows, slides

mpmath.mp.dps = 30
TOLERANCE = 1e-11          # relative to max(1, size): what a solve in double precision leaves of 1e-16


def highest(K, r):
    """(q'', p', lambda) and whether it is unique; dependent rows take the solution of least norm."""
    try:
        z = mpmath.lu_solve(K, r)
        if max(abs(x) for x in z) < 1e15 and mpmath.norm(K * z - r) < 1e-20 * (1 + mpmath.norm(r)):
            return list(z), True
    except ZeroDivisionError:
        pass
    U, s, V = mpmath.svd_r(K)
    y = U.T * r
    w = mpmath.matrix([y[i] / s[i] if s[i] > 1e-12 * s[0] else mpmath.mpf(0) for i in range(len(s))])
    return list(V.T * w), False


def marked(text, model):
    """The model text with every acceleration observed."""
    lines = ["observe acc__%d = %s''" % (i, chain[0].name) for i, chain in enumerate(model.coords)]
    return text + "\n" + "\n".join(lines) + "\n"


def expected(equations, row):
    """The columns that follow from the state in `row`, and whether lambda is unique there."""
    state = [mpmath.mpf(row["t"])] + [mpmath.mpf(row[x.name]) for x in equations.q + equations.s + equations.v + equations.model.held]
    state += equations.params()
    K, r = mpmath.matrix(equations.f_K(*state)), mpmath.matrix(equations.f_r(*state))
    z, unique = highest(K, r)
    out = dict(zip(equations.names, equations.f_columns(*state, *z)))
    out.update({"acc__%d" % i: z[i] for i in range(len(equations.q))})
    return out, unique


def depends_on_split(name, labels):
    return name.startswith("lambda.") or name in {"power." + label for label in labels}


def compare(tally, model, row, want, unique, where):
    labels = [c["label"] for c in model.constraints]
    worst, culprit, seen = 0, "", 0
    for name, value in want.items():
        if name not in row or (not unique and depends_on_split(name, labels)):
            continue
        off = abs(row[name] - value) / max(1, abs(value))
        seen += 1
        if not off <= worst:
            worst, culprit = off, "%s is %.17g, should be %s" % (name, row[name], mpmath.nstr(value, 17))
    tally.check(worst <= TOLERANCE and seen, "%s: %s" % (where, culprit))
    return worst, seen


def missing(model, equations, row):
    """Columns that the language promises and the program did not print."""
    return [n for n in equations.names + ["acc__%d" % i for i in range(len(model.coords))] if n not in row]


# Equations that do not settle the accelerations by themselves: `check` and its tests speak of these.
UNSETTLED = re.compile(r"^expect verdict (hidden|undetermined|singular|contradictory)\b", re.M)


def one(tally, program, path):
    name = os.path.basename(path)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if UNSETTLED.search(text) or one_sided(path) or slides(program, path):
        return
    model = Model(text)
    equations = Equations(model)
    equations.compile("mpmath")
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, name)
        with open(copy, "w", encoding="utf-8") as f:
            f.write(marked(text, model))
        status, out, err = call(program, "run", copy, "--points", "3", "--quiet", "-o", "-")
    if not tally.check(status == 0, "%s: exit %s %s" % (name, status, err.strip()[-300:])):
        return
    table = rows(out)
    lost = missing(model, equations, table[0])
    tally.check(not lost, "%s: no column %s" % (name, ", ".join(lost)))
    worst, seen = 0, 0
    for row in table:
        want, unique = expected(equations, row)
        off, seen = compare(tally, model, row, want, unique, "%s at t = %.6g" % (name, row["t"]))
        worst = max(worst, off)
    note = "" if unique else ", multipliers not unique"
    print("%-30s %3d columns, largest difference %s%s" % (name, seen, mpmath.nstr(worst, 2), note), flush=True)


program, models = arguments()
tally = Tally("oracle_derivatives")
for path in models:
    if not has_fields(path) and chosen(model_name(path)):                               # this reader knows none: field.py tests them
        one(tally, program, path)
tally.done()

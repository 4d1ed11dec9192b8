#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models in which every pair of kinds of statements meets at least 20 times: all principles that apply agree, and accelerations and multipliers, by each of them,
are those of equations that are formed apart from the program (jets.py). Models that `check` refuses are not counted.
tests/combinations.py [--program FILE] [--seed N] [--count N] [--jobs N] [--keep FOLDER]"""
import argparse
import concurrent.futures
import json
import os
import sys
import tempfile

import numpy

from combination_models import PAIRS, drafts
from jets import FUNCTIONS, python
from program import ROOT, Tally, call, chosen, rows

EACH_PAIR = 20
MOST_TRIES = 4                                             # of models for one that counts
REFUSED = {"contradictory", "singular", "undetermined"}
SAME = ["gauss", "maggi", "hamel", "appell", "jourdain", "hamilton", "skg", "discrete"]      # the motion of d'Alembert's, where they apply
TOL = 1e-11
GIVES_UP = "gives up, "                                    # with a reason and exit 3: no wrong number, and yet a motion that others have
MOST_GIVEN_UP = .01                                        # of the models
LIMIT = "60"                                               # seconds of work: a bound of the test's length, not of what it finds


def json_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def is_sound(program, path):
    """Does `check` pass it?"""
    status, out, _ = call(program, "check", path, "--json")
    return status, json_lines(out)[0] if status == 0 and out.strip() else {}


def at_a_switch(draft, row):
    names = {**FUNCTIONS, **{python(n): row[n] for n in draft.variables() + draft.states + ["t"]}}
    return any(abs(eval(python(g), names)) < 1e-6 for g in draft.guards)


def touches(row):
    return any(name.startswith("gap.") and value < 1e-6 for name, value in row.items())


def off_by(draft, equations, order, row, by):
    """How far a row's accelerations and multipliers are from those of the equations, in units of what rounding allows; with words."""
    q = [row[c] for c in draft.variables()]
    v = [row[python(c) + "_dot"] if python(c) == c else row[c.replace("[", "_dot[")] for c in draft.variables()]
    s = [row[x] for x in draft.states]
    equations.held = {name: row[name] for name in draft.held}
    zdot = numpy.array([row["acc_" + python(c)] for c in draft.variables()] + [row[x + "_dot"] for x in draft.states])
    multipliers = numpy.array([row["lambda." + r[0]] for r in draft.rows])
    if not numpy.isfinite(zdot).all() or not numpy.isfinite(multipliers).all():
        return 0, ""
    left = equations.residual(q, v, s, row["t"], order, zdot, multipliers)
    expected, least, condition, regular = equations.solve(q, v, s, row["t"], order)
    allowed = 1e-10 * max(condition, 1) if by != "discrete" else 1e-6
    wrong = numpy.abs(zdot - expected).max() / max(1, numpy.abs(expected).max()) if regular else 0
    size = max(1, numpy.linalg.norm(least), numpy.linalg.norm(expected))   # both come from one solution, whose rounding is that of its largest part
    idle = abs(numpy.linalg.norm(multipliers) - numpy.linalg.norm(least)) / size if regular and len(least) else 0
    return max(left, wrong, idle) / allowed, "t = %g: residual %.1e, accelerations off by %.1e, |lambda| by %.1e, condition %.1e" % (row["t"], left, wrong, idle, condition)


def look_at_rows(program, path, draft, by, more):
    equations = draft.equations()
    start = draft.start
    order = equations.order([start[c] for c in draft.variables()], [start[c + "'"] for c in draft.variables()], [start[x] for x in draft.states], 0.0)
    status, out, err = call(program, "run", path, "--by", by, "--tol", "1e-9" if by == "discrete" else repr(TOL), "--points", "3", "-o", "-", "--quiet", *more)
    if status != 0:
        return "%s%s: exit %s: %s" % (GIVES_UP if status == 3 else "", by, status, err.strip().splitlines()[:1])
    for row in rows(out):
        if at_a_switch(draft, row) or touches(row):
            continue
        size, words = off_by(draft, equations, order, row, by)
        if size > 1:
            return "%s: %s" % (by, words)
    return None


def events_of(program, path, by):
    status, out, _ = call(program, "run", path, "--by", by, "--json")
    return [(e["name"], e["t"]) for e in json.loads(out)["events"] if e["kind"] == "event"] if status == 0 else None


def differ(a, b):
    return len(a) != len(b) or any(x[0] != y[0] or abs(x[1] - y[1]) > 1e-7 for x, y in zip(a, b))


def look(program, path, draft):
    """Faults of one model, in words; None when `check` refuses it, or its motion ends early."""
    status, told = is_sound(program, path)
    if status != 0:
        return None if status == 1 else ["check: exit %s" % status]
    if told["verdict"] in REFUSED:
        return ["check: exit 0 and %s" % told["verdict"]]
    status, out, err = call(program, "compare", path, "--json", "--tol", repr(TOL), "--limit-time", LIMIT)
    if status == 4:
        return None                                         # a motion that creeps towards its end
    if status not in (0, 3):
        return ["compare: exit %s %s" % (status, err.strip()[:200])]
    faults, by = [], {p["by"]: p for p in json_lines(out)[0]["principles"]}
    if by["dalembert"]["status"] != "reference":           # the motion ends before its time, with a reason
        return None
    for name, p in by.items():
        if p["status"] == "disagrees":
            faults.append("%s disagrees: %s" % (name, p["note"]))
        if p["status"] == "failed" and name in SAME[:-1]:
            faults.append(GIVES_UP + "%s: %s" % (name, p["note"]))
    for name in ["dalembert"] + [n for n in SAME if by[n]["status"] == "agrees"]:
        fault = look_at_rows(program, path, draft, name, [])
        if fault:
            faults.append(fault)
    if "event" in draft.kinds and not faults:
        first = events_of(program, path, "dalembert")
        faults += ["%s: other events than dalembert" % n for n in SAME[:-1] if by[n]["status"] == "agrees" and differ(first, events_of(program, path, n) or [])]
    return faults


def models(options, pool, folder):
    """(draft, path, faults) of models in their order, some of them at a time."""
    waiting = []
    met = None
    for k, (draft, met) in enumerate(drafts(options.seed)):
        path = os.path.join(folder, "m%d.act" % k)
        with open(path, "w", encoding="utf-8") as file:
            file.write(draft.text())
        waiting.append((draft, path, met, pool.submit(look, options.program, path, draft)))
        if len(waiting) >= 4 * options.jobs:
            draft, path, met, result = waiting.pop(0)
            yield draft, path, met, result.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "actio"))
    parser.add_argument("--seed", type=int, default=2002)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", help="where models with faults go")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    tally, counted, tried, given_up = Tally("combinations"), 0, 0, 0
    if not chosen("combinations"):
        tally.done()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for draft, path, met, faults in models(options, pool, folder):
            tried += 1
            if faults is not None:
                counted += 1
                for p in PAIRS:
                    met[p] += p <= draft.kinds
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                wrong = [f for f in faults if not f.startswith(GIVES_UP)]
                given_up += bool(faults) and not wrong
                if faults and not wrong and options.keep:
                    print("  %s (%s)" % ("; ".join(faults), os.path.basename(path)), flush=True)
                tally.check(not wrong, "; ".join(faults) + ("\n" + text if not options.keep else " (%s)" % os.path.basename(path)))
                if faults and options.keep:
                    os.makedirs(options.keep, exist_ok=True)
                    with open(os.path.join(options.keep, os.path.basename(path)), "w", encoding="utf-8") as file:
                        file.write(text)
            os.remove(path)
            if counted >= options.count and (min(met.values()) >= EACH_PAIR or tried > MOST_TRIES * options.count):
                break
            if tried > 2 * MOST_TRIES * options.count:
                break
        pool.shutdown(cancel_futures=True)
    poor = sorted("%s with %s %d" % (*sorted(p), met[p]) for p in PAIRS if met[p] < EACH_PAIR)
    tally.check(not poor or options.count < 300, "pairs that were met less than %d times: %s" % (EACH_PAIR, ", ".join(poor)))
    tally.check(given_up <= 2 + MOST_GIVEN_UP * counted, "%d of %d models by which a principle gives up" % (given_up, counted))
    print("%d models of %d that were written; the rarest pair %d times; a principle gives up with a reason in %d" % (counted, tried, min(met.values()), given_up))
    tally.done()


if __name__ == "__main__":
    sys.exit(main())

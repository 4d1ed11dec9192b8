#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random models with branches in every kind of statement: Lagrangians, constraints, gaps, forces, flows.

Of each: no crash, an exit status that the manual has, principles agree, and energy and charges change only as they may:
energy by the work of forces where no formula has the time, charges by the integral of their balance.

usage: switched.py [--program FILE] [--seed N] [--count N]"""
import csv
import io
import json
import os
import random
import sys
import tempfile

from program import Tally, arguments, call, run_parts

FAST = "dalembert,gauss,maggi,hamel,appell,jourdain,hamilton,skg"
SLOW = FAST + ",discrete,dual"


def number(rng, low=.3, high=1.5, sign=True):
    x = round(rng.uniform(low, high), 3)
    return x * rng.choice((1, -1)) if sign else x


class Model:
    """text, and what must hold: energy (it is kept beside the work of forces), charge (p_w is)"""

    def __init__(self, rng):
        self.rng = rng
        self.q = ["x", "y", "z"][:rng.choice((1, 2, 2, 3))]
        self.states, self.lines, self.start = [], [], {}
        self.energy, self.walls, self.rows = True, False, False
        self.kinds = rng.sample(["step", "mass", "charge", "kink", "timed", "force", "push", "row", "wire", "clutch", "twice", "flow", "momentum",
                                 "wall", "cyclic", "nested"], rng.choice((1, 2, 2, 3, 4)))
        self.masses = {c: number(rng, .6, 2, False) for c in self.q}
        self.terms = ["%r*%s'^2/2" % (m, c) for c, m in self.masses.items()]
        if len(self.q) > 1 and rng.random() < .5:
            self.terms.append("%r*x'*y'" % number(rng, .1, .4))
        self.terms.append("-(%s)/2" % " + ".join("%r*%s^2" % (number(rng, .1, 1, False), c) for c in self.q))
        self.start = {c + "'": number(rng, .8, 2) for c in self.q}
        for kind in self.kinds:
            getattr(self, kind)()
        self.text = "\n".join(["coord " + ", ".join(self.q)] + ["state " + s for s in self.states] + ["lagrangian " + " + ".join(self.terms)] + self.lines
                              + ["start " + ", ".join("%s = %r" % v for v in self.start.items()), "time 0 .. 1.2"]) + "\n"

    def place(self):
        """A surface that the motion may reach."""
        return "%s - %r" % (" + ".join("(%r)*%s" % (number(self.rng), c) for c in self.q if c != "w"), number(self.rng, .1, .6))

    def condition(self):
        """By place; two places now and then; a whole number; a time."""
        kind = self.rng.random()
        if kind < .5:
            return "%s < 0" % self.place()
        if kind < .65:
            return "%s < 0 %s %s > 0" % (self.place(), self.rng.choice(("and", "or")), self.place())
        if kind < .75:
            return "floor(2*(%s)) < 0" % self.place()
        if kind < .85:
            return "0 < %s" % self.place()
        self.energy = False
        return "t < %r" % number(self.rng, .2, 1, False)

    def branch(self, a, b):
        return "if(%s, %s, %s)" % (self.condition(), a, b)

    def step(self):
        self.terms.append("-(%s)" % self.branch("0", repr(number(self.rng, .05, 1.2))))

    def mass(self):
        self.terms.append("%s*%s'^2/2" % (self.branch("0", repr(number(self.rng, .3, 1.5, False))), self.rng.choice(self.q)))

    def charge(self):       # a field behind an edge
        if "cyclic" not in self.kinds:
            self.terms.append("%s*%s'" % (self.branch("0", repr(number(self.rng))), self.rng.choice(self.q)))

    def kink(self):
        self.terms.append("-%r*%s" % (number(self.rng, .1, 1, False), self.rng.choice(("abs(%s)", "max(0, %s)^2", "max(0, %s)^1.5", "min(%s, .3)")) % self.place()))

    def timed(self):
        self.energy = False
        self.terms.append("-if(t < %r, 0, %r)*x^2" % (number(self.rng, .2, 1, False), number(self.rng)))

    def nested(self):
        self.terms.append("-if(%s, %s, %r)" % (self.condition(), self.branch("0", repr(number(self.rng, .05, .8))), number(self.rng, .05, .8)))

    def force(self):
        self.lines.append("force f%d: %s = %s" % (len(self.lines), self.rng.choice(self.q), self.branch(repr(number(self.rng)), repr(number(self.rng)) + "*x")))

    def push(self):
        self.lines.append("force f%d: %s = -%r*%s'*%s" % (len(self.lines), self.q[-1], number(self.rng, .1, .8, False), self.q[-1],
                                                          self.branch("1", repr(number(self.rng, .1, 3, False)))))

    def bound(self):
        """One constraint a model, so that some freedom is left."""
        if self.rows or len(self.q) < 2:
            return True
        self.rows = True
        return False

    def row(self):
        if self.bound():
            return
        self.energy = False
        a, b = number(self.rng), number(self.rng)
        self.lines.append("constraint c: y' = %s*x'" % self.branch(repr(a), repr(b)))
        self.project = True

    def wire(self):
        if self.bound():
            return
        self.lines.append("constraint c: y = %r*x + (%r)*max(0, x - %r)" % (number(self.rng), number(self.rng), number(self.rng, .1, .5, False)))

    def clutch(self):
        if self.bound():
            return
        self.energy = False
        t = number(self.rng, .2, 1, False)
        self.lines.append("constraint c: if(t < %r, %s) = 0" % (t, self.rng.choice(("0, x' - y'", "x' - y', 0"))))

    def twice(self):        # the same restriction again
        if self.bound():
            return
        k = number(self.rng)
        self.lines += ["constraint c: y = %r*x" % k, "constraint again: 2*y' = %r*x'" % (2 * k)]

    def flow(self):
        self.states.append("s")
        self.start["s"] = number(self.rng)
        self.lines.append("flow s' = -s + %s" % self.branch("1", "-1"))
        self.lines.append("force fs: x = .3*s")

    def momentum(self):     # a state that stands in a momentum
        if "s" in self.states:
            return
        self.energy = False
        self.states.append("u")
        self.start["u"] = number(self.rng)
        self.terms.append(".2*u*x'")
        self.lines.append("flow u' = -u + %s" % self.branch("x", "0"))

    def wall(self):
        self.walls = True
        self.lines.append("contact wall: x <= %s, restitution = %r" % (
            self.rng.choice(("%r" % number(self.rng, .3, .8, False), "%r + max(0, y)" % number(self.rng, .3, .8, False) if len(self.q) > 1 else ".5",
                             "if(t < .5, .4, .7)")), self.rng.choice((1, .5, 0))))

    def cyclic(self):
        self.q.append("w")
        self.terms += ["%s*w'^2/2" % self.branch("1", repr(number(self.rng, .5, 2, False))), "%s*w'" % self.branch("0", repr(number(self.rng)))]
        self.start["w'"] = number(self.rng)
        self.lines.append("symmetry turn: w = 1")
        if self.rng.random() < .5:
            self.lines.append("force fw: w = %s" % self.branch(repr(number(self.rng)), repr(number(self.rng))))


def write(folder, text):
    path = os.path.join(folder, "m.act")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def integral(t, f):
    """By Simpson's rule over pairs of rows."""
    return sum((t[i + 2] - t[i]) / 6 * (f[i] + 4 * f[i + 1] + f[i + 2]) for i in range(0, len(t) - 2, 2))


def laws(program, path, model, tally):
    """Energy and charges on the rows of one motion."""
    status, out, err = call(program, "run", path, "--project", "--points", "4001", "--quiet")
    tally.check(status in (0, 1, 3), "exit %s of\n%s\n%s" % (status, model.text, err))
    rows = list(csv.reader(io.StringIO(out)))
    if len(rows) < 4 or status != 0:
        return status
    data = {name: [float(r[i]) for r in rows[1:]] for i, name in enumerate(rows[0])}
    if "charge.turn" in data:
        off = data["charge.turn"][-1] - data["charge.turn"][0] - integral(data["t"], data["balance.turn"])
        tally.check(abs(off) < 3e-3, "the charge is off by %g in\n%s" % (off, model.text))       # a jump between two rows counts for a row
    if model.energy:
        work = integral(data["t"], data["power.force"]) if "power.force" in data else 0
        off = data["energy"][-1] - data["energy"][0] - work
        lost = model.walls and off < 0
        tally.check(abs(off) < 3e-3 or lost, "the energy is off by %g in\n%s" % (off, model.text))
    return status


def agree(program, path, model, tally, by):
    status, out, err = call(program, "compare", path, "--by", by, "--project", "--json")
    tally.check(status in (0, 1, 3), "compare: exit %s of\n%s\n%s" % (status, model.text, err))
    wrong = [r for r in json.loads(out)["principles"] if r["status"] == "disagrees"] if out else []
    tally.check(not wrong, "%s\n%s\n%s" % (wrong, model.text, err))
    failed = [r for r in json.loads(out)["principles"] if r["status"] == "failed"] if out else []
    return failed


def switched(program, folder, tally):
    rng, whole, failures = random.Random(SEED), 0, {}
    for i in range(COUNT):
        model = Model(random.Random(rng.random()))
        path = write(folder, model.text)
        status, out, err = call(program, "check", path)
        tally.check(status in (0, 1, 3) and not err.startswith("Traceback"), "check: exit %s of\n%s\n%s" % (status, model.text, err))
        if laws(program, path, model, tally) != 0:
            continue
        whole += 1
        for row in agree(program, path, model, tally, SLOW if i % 10 == 0 else FAST):
            failures.setdefault(row["by"], []).append((row["note"], model.text))
    tally.check(whole > .6 * COUNT, "%d of %d have a motion to the end" % (whole, COUNT))
    for by, all_of_it in failures.items():
        bound = .02 * COUNT + 1 if by != "dual" else .1 * COUNT + 1
        tally.check(len(all_of_it) < bound, "%s fails where dalembert does not, %d times; first:\n%s\n%s" % (by, len(all_of_it), *all_of_it[0]))


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
    tally = Tally("switched")
    with tempfile.TemporaryDirectory() as folder:
        run_parts([switched], program, folder, tally)
    tally.done()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random regular models: a combination of rows more is redundant, with a constant it is contradictory, and the motion stays.
tests/random_models.py [--program FILE] [--seed N] [--count N]"""
import argparse
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile

import numpy

from program import chosen, ended

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
END = 0.8


class System:
    """n coordinates, a positive kinetic energy that depends on them, a potential, p rows linear in the velocities."""

    def __init__(self, rng):
        self.n = n = rng.randint(2, 5)
        self.p = rng.randint(1, min(3, n - 1))
        wave = lambda size: (size * rng.uniform(-1, 1), rng.randrange(n), rng.uniform(0, 6), rng.choice(["sin", "cos"]))
        lower = [[(rng.uniform(.8, 1.5) if i == j else rng.uniform(-.5, .5), wave(.3)) for j in range(i + 1)] for i in range(n)]
        turn = numpy.linalg.qr(numpy.array([[rng.gauss(0, 1) for _ in range(n)] for _ in range(n)]))[0]
        self.rows = [[(float(turn[k, j]), wave(.2)) for j in range(n)] for k in range(self.p)]
        self.drift = [rng.choice([0.0, rng.uniform(-.5, .5)]) for _ in range(self.p)]
        squares = [" + ".join(f"({self.coefficient(c)})*q{j + 1}'" for j, c in enumerate(row)) for row in lower]
        potential = " + ".join(f"{rng.uniform(.1, .6)!r}*cos(q{i + 1} + {rng.uniform(0, 6)!r})" for i in range(n))
        self.lagrangian = " + ".join(f"({s})^2/2" for s in squares) + " - " + potential.replace(" + 0", " - 0", 1)
        self.q = [rng.uniform(-1, 1) for _ in range(n)]
        A = numpy.array([[c[0] + c[1][0] * getattr(numpy, c[1][3])(self.q[c[1][1]] + c[1][2]) for c in row] for row in self.rows])
        v = numpy.array([rng.uniform(-1, 1) for _ in range(n)])
        self.v = v - numpy.linalg.pinv(A) @ (A @ v + numpy.array(self.drift))

    @staticmethod
    def coefficient(c):
        base, (size, i, phase, name) = c
        return f"{base!r} + {size!r}*{name}(q{i + 1} + {phase!r})"

    def row(self, k):
        """as an expression that is 0"""
        return " + ".join(f"({self.coefficient(c)})*q{j + 1}'" for j, c in enumerate(self.rows[k])) + f" + ({self.drift[k]!r})"

    def written(self, rows, claims=()):
        names = [f"q{i + 1}" for i in range(self.n)]
        values = [f"{x} = {a!r}, {x}' = {float(b)!r}" for x, a, b in zip(names, self.q, self.v)]
        return "\n".join(["coord " + ", ".join(names), "lagrangian " + self.lagrangian, *[f"constraint {label}: {e} = 0" for label, e in rows],
                          "start " + ", ".join(values), f"time 0 .. {END}", *claims, ""])


def combination(system, rng):
    """A row made of others, with numbers or with functions; every row takes part."""
    parts = []
    for k in range(system.p):
        factor = repr(rng.choice([-1, 1]) * rng.uniform(.3, 3))
        if rng.random() < .4:
            factor = f"({factor} + .2*sin(q{rng.randrange(system.n) + 1}))"
        parts.append(f"{factor}*({system.row(k)})")
    return " + ".join(parts)


def variants(system, rng):
    """name -> rows"""
    rows = [(f"c{k + 1}", system.row(k)) for k in range(system.p)]
    more = combination(system, rng)
    shuffled = [(label, f"({rng.choice([-1, 1]) * 10 ** rng.uniform(-2, 2)!r})*({e})") for label, e in rng.sample(rows, len(rows))]
    return {"plain": rows, "redundant": rows + [("more", more)], "contradictory": rows + [("more", f"{more} + {rng.uniform(.2, 1)!r}")], "scaled": shuffled}


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, good, words):
        self.passed, self.failed = self.passed + bool(good), self.failed + (not good)
        if not good:
            print("  failed: " + words, flush=True)


def lines_of(program, command, names):
    done = subprocess.run([program, command, "--json", *names], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def motion(program, name):
    done = subprocess.run([program, "run", name, "--json", "--no-compile", "--tol", "1e-11", "--points", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return json.loads(done.stdout)


def judge(tally, name, kind, answer):
    words = {"plain": "regular", "scaled": "regular"}.get(kind, kind)
    tally.check(answer["verdict"] == words, f"{name} {kind}: {answer['verdict']}, start {answer['start']['consistent']}")
    if kind == "redundant":
        tally.check(answer["redundant"] == ["more"], f"{name} {kind}: names {answer['redundant']}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=os.path.join(ROOT, "build/actio"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--keep", default=None, help="a folder for the models")
    options = parser.parse_args()
    program, rng, tally = os.path.abspath(options.program), random.Random(options.seed), Tally()
    with tempfile.TemporaryDirectory() as folder:
        folder = options.keep or folder
        models = []
        for i in range(options.count):
            system = System(rng)
            kinds = variants(system, rng)
            if chosen(f"model {i}"):
                models.append((i, system, kinds))

        def put(name, text):
            path = os.path.join(folder, name + ".act")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return path

        paths = [(i, kind, put(f"m{i}_{kind}", system.written(rows))) for i, system, kinds in models for kind, rows in kinds.items()]
        answers = lines_of(program, "check", [path for _, _, path in paths]) if paths else []
        tally.check(len(answers) == len(paths), f"{len(answers)} answers to {len(paths)} models")
        for (i, kind, _), answer in zip(paths, answers):
            judge(tally, f"model {i}", kind, answer)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            ends = list(pool.map(lambda path: motion(program, path), [path for _, kind, path in paths if kind == "plain"]))
        claimed = []
        for (i, system, kinds), end in zip(models, ends):
            tally.check(end["status"] == 0, f"model {i}: run ends with {end['status']}")
            claims = [f"expect q{k + 1} at {END} = {end['end'][f'q{k + 1}']!r} within 1e-10" for k in range(system.n)]
            claimed += [put(f"m{i}_{kind}_moves", system.written(kinds[kind], claims)) for kind in ("redundant", "scaled")]
        for path, answer in zip(claimed, lines_of(program, "test", claimed) if claimed else ()):
            bad = [claim for claim in answer.get("claims", []) if not claim["ok"]]
            tally.check(answer["status"] == 0 and not bad, f"{os.path.basename(path)}: {bad or answer.get('errors')}")
    return ended("random_models", tally.passed, tally.failed)


if __name__ == "__main__":
    sys.exit(main())

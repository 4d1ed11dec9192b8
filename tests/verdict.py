#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What check says of models whose answer is known, and the same after renaming, a change of coordinates and scaled rows.
tests/verdict.py [--program FILE] [--seed N] [--show]

Each model is told in parts, so that it can be rewritten: coordinates are replaced by `let x = a*u1 + b*u2 + ...`, which is the
same system in other coordinates, and a row by a multiple of itself, which is the same row."""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy

from program import ROOT, chosen, ended, run_parts

WORD = re.compile(r"[A-Za-z_]\w*")


class Model:
    """coords, a Lagrangian, constraints 'label: A = B', and what is left of a model as text; lets are given as (name, formula)."""

    def __init__(self, coords, lagrangian, constraints, start, lets=(), text=""):
        self.coords, self.lagrangian, self.start, self.text = coords.split(), lagrangian, start, text
        self.constraints = [tuple(c.split(":", 1)) for c in constraints]
        self.lets = list(lets)

    def written(self, head=()):
        lines = list(head) or ["coord " + ", ".join(self.coords)]
        lines += [f"let {name} = {formula}" for name, formula in self.lets]
        lines += ["lagrangian " + self.lagrangian] + [f"constraint {label}:{row}" for label, row in self.constraints]
        return "\n".join(lines + [self.text])

    def plain(self):
        words = ", ".join(f"{name} = {value!r}" for name, value in self.start.items())
        return self.written() + (f"\nstart {words}\n" if words else "\n")

    def state(self):
        q = numpy.array([float(self.start.get(name, 0)) for name in self.coords])
        return q, numpy.array([float(self.start.get(name + "'", 0)) for name in self.coords])

    def changed(self, T):
        """q = T u, with new coordinates u1, u2, ..."""
        n, new = len(self.coords), [f"u{i + 1}" for i in range(len(self.coords))]
        head = ["coord " + ", ".join(new)]
        for i, name in enumerate(self.coords):
            head.append(f"let {name} = " + " + ".join(f"({T[i, j]!r})*{new[j]}" for j in range(n)))
        q, v = (numpy.linalg.solve(T, x) for x in self.state())
        values = [f"{new[i]} = {q[i]!r}" for i in range(n)] + [f"{new[i]}' = {v[i]!r}" for i in range(n)]
        return self.written(head) + "\nstart " + ", ".join(values) + "\n"

    def scaled(self, factors):
        copy = Model(" ".join(self.coords), self.lagrangian, [], self.start, self.lets, self.text)
        for (label, row), factor in zip(self.constraints, factors):
            left, right = row.split("=")
            copy.constraints.append((label, f"({factor!r})*({left}) = ({factor!r})*({right})"))
        return copy.plain()

    def renamed(self, new):
        """Other names, declared in another order."""
        text = self.plain().replace("coord " + ", ".join(self.coords), "coord " + ", ".join(reversed(self.coords)), 1)
        return WORD.sub(lambda word: new.get(word.group(), word.group()), text)


KNIFE = "x'*sin(th) = y'*cos(th)"
PLANE = "(x'^2 + y'^2 + th'^2)/2"
ROLL = ["rollx: x' = phi'*cos(theta)", "rolly: y' = phi'*sin(theta)"]
COIN = "(x'^2 + y'^2)/2 + phi'^2/4 + theta'^2/8"
SPACE = "(x'^2 + y'^2 + z'^2)/2"
LM = "q1'^2/2 + q2'^2/2 + q1'*q2' + q2'*q3'"
WEBER = "(1 - 1/r)*r'^2/2 + r^2*th'^2/2 + r^2*phi'^2*sin(th)^2/2 - 1/r"
EULER = [("w1", "f'*sin(th)*sin(ps) + th'*cos(ps)"), ("w2", "f'*sin(th)*cos(ps) - th'*sin(ps)"), ("w3", "f'*cos(th) + ps'")]
SPIN = [("wx", "theta'*cos(phi) + psi'*sin(theta)*sin(phi)"), ("wy", "theta'*sin(phi) - psi'*sin(theta)*cos(phi)"), ("wz", "phi' + psi'*cos(theta)")]
BOARD = "2*(x'^2 + y'^2) + th'^2/2 + (th' + psi')^2/4 + .05*((th' + phi')^2 + (th' - phi')^2)"


def weber_free(s):
    return s["r"] - 1


def weber_locked(s):
    return 1 - 1 / s["r"] + (s["r"] * numpy.sin(s["th"])) ** 2


# name, model, what check must say. `zero`: formulas that vanish where the hidden constraints hold, and only there;
# `places`: a function of the state that is 0 at every singular state, with one such state at least.
CASES = [
    # the table of consistency
    ("example 1", Model("q1 q2 q3", LM + " - (q1^2 + q2^2 + q3^2)/2", ["a: q1' + q3 = 0", "b: q2' - q3 = 0"],
                        {"q1": .3, "q2": .2, "q3": 1, "q1'": -1, "q2'": 1, "q3'": -1}),
     dict(verdict="hidden", rank=2, inertia=[2, 1, 0], regular=False, free_data=3, naive_free_data=4, holonomic=1, nonholonomic=1, growth=[2, 3, 3],
          zero=["q3' + q3"], multipliers={"a": "q1", "b": "q2 - q3'"}, integral="q1 + q2")),
    ("example 2", Model("q1 q2 q3", "(q1'^2 + q2'^2 - q3'^2)/2 - (q1^2 + q2^2 + q3^2)/2", ["c: q1' + q3*q2' = 0"], {"q1": 1, "q3": 1, "q3'": .5}),
     dict(verdict="regular", rank=1, inertia=[2, 1, 0], regular=True, free_data=5, naive_free_data=5, holonomic=0, nonholonomic=1, growth=[3, 4])),
    ("indefinite pair", Model("q1 q2", "(q1'^2 - q2'^2)/2 - (q1^2 + q2^2)/2", ["tie: q1' - q2' = 0"], {"q1": .4, "q2": -.4}),
     dict(verdict="hidden", rank=1, inertia=[1, 1, 0], regular=False, free_data=1, naive_free_data=3, holonomic=1, nonholonomic=0,
          zero=["q1 + q2"])),
    ("degenerate sleigh", Model("x y th", "(x'^2 + y'^2)/2", ["blade: " + KNIFE], {"x'": 1, "th'": 1}),
     dict(verdict="undetermined", status=1, rank=1, inertia=[2, 0, 1], regular=False, free_data=5, naive_free_data=5, holonomic=0, nonholonomic=1, says="th")),
    ("no motion", Model("q1 q2 q3", LM + " - (q1^2 + q2^2)/2 + q3", ["a: q1' = 0", "b: q2' = 0"], {}),
     dict(verdict="contradictory", status=1, rank=2, inertia=[2, 1, 0], regular=False)),
    ("two proportional edges", Model("x y th", PLANE, ["edge: " + KNIFE, "again: 2*x'*sin(th) = 2*y'*cos(th)"], {"x'": 1, "th'": 1}),
     dict(verdict="redundant", rank=1, inertia=[3, 0, 0], regular=False, free_data=5, naive_free_data=4, redundant=["again"], holonomic=0, nonholonomic=1)),
    ("singular W, regular B", Model("q1 q2", "q1'^2/2 - (q1^2 + q2^2)/2", ["tie: q2' - q1' = 0"], {"q1": 1}),
     dict(verdict="regular", rank=1, inertia=[1, 0, 1], regular=True, free_data=3, naive_free_data=3, holonomic=1, nonholonomic=0)),
    ("Weber", Model("r th phi", WEBER, [], {"r": 1.4, "th": 1.5707963267948966, "phi'": 1}),
     dict(verdict="regular", rank=0, inertia=[3, 0, 0], free_data=6, naive_free_data=6, places=(weber_free, {"r": 1}))),
    ("Weber inside", Model("r th phi", WEBER, [], {"r": .8, "th": 1.5707963267948966, "phi'": 1}),
     dict(verdict="regular", rank=0, inertia=[2, 1, 0], free_data=6, naive_free_data=6, places=(weber_free, {"r": 1}))),
    ("Weber locked", Model("r th phi", WEBER, ["lock: r' = phi'"], {"r": 1.2, "th": 1.5707963267948966, "phi'": -.6, "r'": -.6}),
     dict(verdict="regular", rank=1, inertia=[3, 0, 0], free_data=5, naive_free_data=5, places=(weber_locked, {"r": 0.6823278038280193}))),
    ("Weber on r = 1", Model("r th phi", WEBER, ["lock: r' = phi'"], {"r": 1, "th": 1.5707963267948966, "phi'": .2, "r'": .2}),
     dict(verdict="regular", rank=1, inertia=[2, 0, 1], regular=True, free_data=5, naive_free_data=5)),
    ("a contradictory pair", Model("x y", "(x'^2 + y'^2)/2", ["one: x' = 0", "two: x' = 1"], {}), dict(verdict="contradictory", status=1)),
    ("a contradictory pair of positions", Model("x y", "(x'^2 + y'^2)/2", ["one: x + y = 0", "two: 2*x + 2*y = 1"], {}), dict(verdict="contradictory", status=1)),
    ("contradictory accelerations", Model("x y", "(x'^2 + y'^2)/2", ["one: x' = 0", "two: x' = t^2"], {}), dict(verdict="contradictory", status=1)),
    # integrability
    ("knife edge", Model("x y th", PLANE, ["edge: " + KNIFE], {"x'": 1, "th'": 1}), dict(verdict="regular", holonomic=0, nonholonomic=1, growth=[3, 4])),
    ("rolling coin", Model("x y phi theta", COIN, ROLL, {"x'": 1, "phi'": 1, "theta'": 1}),
     dict(verdict="regular", holonomic=0, nonholonomic=2, growth=[3, 4, 5])),
    ("coin that keeps its heading", Model("x y phi theta", COIN, ROLL + ["steady: theta' = 0"], {"x'": 1, "phi'": 1}),
     dict(verdict="regular", holonomic=3, nonholonomic=0)),
    ("pendulum", Model("x y", "(x'^2 + y'^2)/2 - y", ["rod: x*x' + y*y' = 0"], {"y": -1, "x'": 1}), dict(verdict="regular", holonomic=1, nonholonomic=0)),
    ("a ray", Model("x y", "(x'^2 + y'^2)/2 - y", ["ray: y*x' - x*y' = 0"], {"x": 1, "y": .5, "x'": 1, "y'": .5}),
     dict(verdict="regular", holonomic=1, nonholonomic=0)),
    ("xyz = const", Model("x y z", SPACE, ["box: y*z*x' + x*z*y' + x*y*z' = 0"], {"x": 1, "y": 2, "z": .5, "x'": 1, "y'": -2}),
     dict(verdict="regular", holonomic=1, nonholonomic=0)),
    ("an integrating factor", Model("x y z", SPACE, ["ball: exp(x)*(x' + y*y' + z*z') = 0"], {"x": .2, "y": 1, "z": .5, "x'": -1, "y'": 1}),
     dict(verdict="regular", holonomic=1, nonholonomic=0)),
    ("moving wall", Model("x y", "(x'^2 + y'^2)/2", ["wall: x' = cos(t)"], {"x'": 1, "y'": 1}), dict(verdict="regular", holonomic=1, nonholonomic=0)),
    ("rigid rotation", Model("x y z", SPACE, ["a: x' = -2*y", "b: y' = 2*x"], {"x": 1, "y'": 2, "z'": 1}), dict(verdict="regular", holonomic=2, nonholonomic=0)),
    ("x' = t*y", Model("x y", "(x'^2 + y'^2)/2", ["c: x' - t*y = 0"], {"y": 1, "y'": .3}), dict(verdict="regular", holonomic=0, nonholonomic=1)),
    ("mixed", Model("x y z w", "(x'^2 + y'^2 + z'^2 + w'^2)/2", ["a: x' - y*z' = 0", "b: w' = 0"], {"y": .5, "z'": 1, "x'": .5, "y'": 1}),
     dict(verdict="regular", holonomic=1, nonholonomic=1)),
    ("turntable", Model("x y phi theta psi", "(x'^2 + y'^2)/2 + (wx^2 + wy^2 + wz^2)/5", ["rollx: x' - wy = -2*y", "rolly: y' + wx = 2*x"],
                        {"x": .5, "phi": 0.0, "theta": 1.5707963267948966, "x'": .1, "y'": .3, "theta'": .7, "psi'": -.1, "phi'": .4}, SPIN),
     dict(verdict="regular", holonomic=0, nonholonomic=2, growth=[4, 6], free_data=8)),
    ("snakeboard", Model("x y th psi phi", BOARD, ["front: -sin(th + phi)*x' + cos(th + phi)*y' - cos(phi)*th' = 0",
                                                   "back: -sin(th - phi)*x' + cos(th - phi)*y' + cos(phi)*th' = 0"],
                         {"phi": .5, "x'": .6, "th'": -.6 * float(numpy.tan(.5)), "psi'": .4, "phi'": .2}),
     dict(verdict="regular", holonomic=0, nonholonomic=2, growth=[4, 5, 6], free_data=8)),
    ("Suslov", Model("f th ps", "(w1^2 + 1.5*w2^2 + 2*w3^2)/2 + .1*w1*w2 + .3*w1*w3 + .2*w2*w3", ["sus: w3 = 0"],
                     {"f": .2, "th": 1.5707963267948966, "ps": .3, "f'": -.3, "th'": .9}, EULER),
     dict(verdict="regular", holonomic=0, nonholonomic=1, growth=[3, 4], free_data=5)),
    # nonlinear constraints
    ("Appell and Hamel", Model("x y z", SPACE + " - z", ["tie: x'^2 + y'^2 = z'^2/4"], {"x'": .3, "y'": .4, "z'": -1}),
     dict(verdict="regular", holonomic=0, nonholonomic=1, form="nonlinear")),
    ("constant speed", Model("x y", "(x'^2 + y'^2)/2 - y", ["speed: x'^2 + y'^2 = 1"], {"x'": .6, "y'": .8}),
     dict(verdict="regular", holonomic=0, nonholonomic=1, form="nonlinear")),
    ("an exponential", Model("x phi", "(x'^2 + phi'^2)/2", ["roll: exp(x' - 2*phi') - 1 = 0"], {"x'": 2, "phi'": 1}),
     dict(verdict="regular", holonomic=1, nonholonomic=0, form="equivalent to an affine constraint")),
    ("a cubic", Model("x y z", SPACE, ["c: (x' - y*z') + (x' - y*z')^3 = 0"], {"y": .5, "z'": 1, "x'": .5, "y'": 1}),
     dict(verdict="regular", holonomic=0, nonholonomic=1, form="equivalent to an affine constraint")),
    ("a square", Model("x y z", SPACE, ["c: (x' - y*z')^2 = 0"], {"y": .5, "z'": 1, "x'": .5, "y'": 1}), dict(verdict="singular", status=1)),
    ("a circle and its tangent", Model("x y", "(x'^2 + y'^2)/2", ["a: x^2 + y^2 = 1", "b: y = 1"], {"y": 1}), dict(verdict="singular", status=1)),
    ("circles that touch", Model("x y", "(x'^2 + y'^2)/2", ["a: x^2 + y^2 = 1", "b: (x - 3)^2 + y^2 = 4"], {"x": 1}), dict(verdict="singular", status=1)),
    ("circles that cross", Model("x y", "(x'^2 + y'^2)/2", ["a: x^2 + y^2 = 1", "b: (x - 1)^2 + y^2 = 1"], {"x": .5, "y": .75 ** .5}),
     dict(verdict="regular", free_data=0)),
    ("a sphere and a cylinder around it", Model("x y z", SPACE, ["a: x^2 + y^2 + z^2 = 1", "b: x^2 + y^2 = 1"], {"x": 1, "y'": 1}), dict(verdict="singular", status=1)),
    ("one circle twice", Model("x y", "(x'^2 + y'^2)/2", ["a: x^2 + y^2 = 1", "b: (x^2 + y^2)^2 + x^2 + y^2 = 2"], {"y": 1, "x'": 1}),
     dict(verdict="redundant", rank=1, free_data=2, redundant=["b"])),
    ("an absolute value", Model("x y", "(x'^2 + y'^2)/2", ["c: abs(x - y) = 0"], {"x": 1, "y": 1}), dict(verdict="singular", status=1)),
    ("a distance of 0", Model("x y z", SPACE, ["c: sqrt((x - y)^2 + z^2) = 0"], {"x": 1, "y": 1}), dict(verdict="singular", status=1)),
    ("two planes", Model("x y", "(x'^2 + y'^2)/2", ["c: x'^2 - y'^2 = 0"], {"x'": 1, "y'": 1}),
     dict(verdict="regular", holonomic=1, nonholonomic=0, form="equivalent to an affine constraint")),
]
KEYS = ("verdict", "rank", "inertia", "regular", "free_data", "naive_free_data", "holonomic", "nonholonomic", "growth", "redundant")


class Test:
    def __init__(self, program, show):
        self.program, self.show, self.passed, self.failed = program, show, 0, 0

    def check(self, good, words):
        self.passed, self.failed = self.passed + bool(good), self.failed + (not good)
        if not good:
            print("  failed: " + words, flush=True)

    def answers(self, texts):
        """check's objects for these models, by one call"""
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for i, text in enumerate(texts):
                names.append(os.path.join(folder, f"m{i}.act"))
                with open(names[-1], "w", encoding="utf-8") as file:
                    file.write(text)
            done = subprocess.run([self.program, "check", "--json", *names], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
        self.check(len(lines) == len(texts), f"{len(lines)} answers to {len(texts)} models")
        return lines


def value(formula, names, old):
    """A formula of the model language at a state: names are the state's own, `old` gives lets of them."""
    text = re.sub(r"([A-Za-z_]\w*)'", r"\1_dot", formula.replace("^", "**"))
    return eval(text, {"__builtins__": {}, "sin": numpy.sin, "cos": numpy.cos, "exp": numpy.exp}, {**old, **names})   # pylint: disable=eval-used


def state_of(model, T, u, w):
    """Both namings of one state: u, w values of the coordinates as they stand in the rewritten model."""
    names = {f"u{i + 1}": u[i] for i in range(len(u))} | {f"u{i + 1}_dot": w[i] for i in range(len(u))}
    q, v = T @ u, T @ w
    old = {name: q[i] for i, name in enumerate(model.coords)} | {name + "_dot": v[i] for i, name in enumerate(model.coords)}
    return names, old


def spans(test, name, model, wanted, got, T):
    """The linear equations `got` mean the same as `wanted`: same null space of their coefficients."""
    n = len(model.coords)
    zero, unit = numpy.zeros(n), numpy.eye(n)

    def row(formula):
        at = lambda u, w: value(formula, *state_of(model, T, u, w))
        base = at(zero, zero)
        return [at(unit[i], zero) - base for i in range(n)] + [at(zero, unit[i]) - base for i in range(n)] + [base]

    A, B = numpy.array([row(f) for f in wanted]), numpy.array([row(f.replace("= 0", "")) for f in got]).reshape(-1, 2 * n + 1)
    known = numpy.vstack([B] + [numpy.array([row(f"({c[1].split('=')[0]}) - ({c[1].split('=')[1]})")]) for c in model.constraints])
    both = numpy.vstack([known, A])
    rank = numpy.linalg.matrix_rank
    test.check(len(B) > 0 and rank(both, 1e-8) == rank(known, 1e-8) and rank(numpy.vstack([both[len(B):]]), 1e-8) == rank(both, 1e-8),
               f"{name}: hidden {got} is not {wanted}")


def same(test, name, model, want, got, T):
    """`T` is None when the model was only renamed or scaled: then names may differ and only numbers are compared."""
    for key in KEYS:
        if key in want:
            test.check(got.get(key) == want[key], f"{name}: {key} is {got.get(key)}, not {want[key]}")
    test.check(got["status"] == want.get("status", 0), f"{name}: status {got['status']}")
    if "form" in want:
        forms = list(got.get("forms", {}).values())
        test.check(len(forms) == 1 and want["form"] in forms[0], f"{name}: forms {forms}")
    if "places" in want:
        zero, wanted = want["places"]
        found = got.get("singular_at", [])
        test.check(found, f"{name}: no singular state")
        if T is not None:
            for place in found:
                u = numpy.array([place[k] for k in list(place)[:len(model.coords)]])
                state = dict(zip(model.coords, T @ u))
                test.check(abs(zero(state)) < 1e-8, f"{name}: {state} is not singular")
        if T is not None and numpy.allclose(T, numpy.eye(len(T))):
            for key, x in wanted.items():
                test.check(any(abs(place[key] - x) < 1e-9 for place in found), f"{name}: no singular state with {key} = {x}: {found}")
    if "zero" in want:
        test.check(got["hidden"], f"{name}: no hidden constraint")
        if T is not None and got["hidden"]:
            spans(test, name, model, want["zero"], got["hidden"], T)
    else:
        test.check(want["verdict"] == "contradictory" or got.get("hidden") == [], f"{name}: hidden {got.get('hidden')}")


def exact(test, name, model, want, got):
    """What only the model as written says in these words."""
    for key, formula in want.get("multipliers", {}).items():
        test.check(key in got["multipliers"], f"{name}: no formula for lambda.{key}")
        if key in got["multipliers"]:
            for trial in range(3):
                u, w = numpy.random.default_rng(trial).normal(size=(2, 3))
                w[2] = -u[2]                               # where the hidden constraint holds
                w[0], w[1] = -u[2], u[2]
                names, old = state_of(model, numpy.eye(3), u, w)
                test.check(abs(value(got["multipliers"][key], names, old) - value(formula, names, old)) < 1e-12,
                           f"{name}: lambda.{key} = {got['multipliers'][key]}, not {formula}")
    if "integral" in want:
        test.check(any(text.startswith(want["integral"]) for text in got["integrals"]), f"{name}: integrals {got['integrals']}")
    if "says" in want:
        test.check(any(re.search(rf"\b{want['says']}\b", m["message"]) for m in got.get("errors", [])), f"{name}: {got.get('errors')}")


def inadmissible(test):
    """Example 1 started at q3 = 0, q3' = 1: off by 1, and with q3' = 0 it would be right."""
    model = next(m for name, m, _ in CASES if name == "example 1")
    off = Model(" ".join(model.coords), model.lagrangian, [], {"q3'": 1})
    off.constraints = model.constraints
    got, = test.answers([off.plain()])
    test.check(got["verdict"] == "hidden" and got["status"] == 1 and not got["start"]["consistent"], f"example 1 started off: {got['verdict']}, {got['status']}")
    test.check([abs(v["amount"]) for v in got["start"]["violations"]] == [1], f"example 1 started off: {got['start']['violations']}")
    nearest = got["start"]["nearest"]
    test.check(nearest and all(abs(x) < 1e-12 for x in nearest.values()), f"example 1 started off: nearest {nearest}")


PLANE_TEXT = "coord x, y\nlagrangian (x'^2 + y'^2)/2\n"
SPACE_TEXT = "coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\n"
# model, verdict, and words of one message and its hint
SAID = [
    (PLANE_TEXT + "constraint a: x^2 + y^2 = 1\nconstraint b: y = 1\nstart y = 1\n", "singular", "are tangent at the start", "x = 0, y = 1"),
    (SPACE_TEXT + "constraint a: x^2 + y^2 + z^2 = 1\nconstraint b: x^2 + y^2 = 1\nstart x = 1, y' = 1\n", "singular", "are tangent at the start", "z = 0, instead of one"),
    (PLANE_TEXT + "constraint a: x'^2 + y'^2 = 1\nconstraint b: y' = 1\nstart y' = 1\n", "singular", "are tangent at the start", "x' = 0, y' = 1"),
    ("state p, q\nflow p' = -q\nflow q' = p\nconstraint a: p^2 + q^2 = 1\nconstraint b: q = 1\nstart q = 1\n", "singular", "are tangent at the start", "p = 0, q = 1"),
    (PLANE_TEXT + "constraint c: abs(x - y) = 0\n", "singular", "without a limit where it holds", ": x - y = 0"),
    (PLANE_TEXT + "constraint c: abs(x' - y') = 0\nstart x' = 1, y' = 1\n", "singular", "without a limit where it holds", ": x' - y' = 0"),
    (PLANE_TEXT + "constraint c: abs(x) + abs(y) = 0\n", "singular", "without a limit where it holds", ": x = 0 and y = 0"),
    (PLANE_TEXT + "constraint c: max(abs(x), abs(y)) = 0\n", "singular", "without a limit where it holds", ": x = 0 and y = 0"),
    (PLANE_TEXT + "constraint c: sqrt(x^2 + y^2) = 0\n", "singular", "without a limit where it holds", ": x = 0 and y = 0"),
    (PLANE_TEXT + "constraint c: sqrt(x) = 0\nstart y' = 1\n", "singular", "without a limit where it holds", ": x = 0"),
    (PLANE_TEXT + "constraint c: sign(x - y) = 0\n", "singular", "holds only where it jumps", ": x - y = 0"),
    (PLANE_TEXT + "constraint c: (x - y)^3 = 0\n", "singular", "with respect to the coordinates vanishes", ": x - y = 0"),
    (PLANE_TEXT + "constraint c: x^2 + y^2 = 2*x*y\nstart x = 1, y = 1\n", "singular", "with respect to the coordinates vanishes", ": x - y = 0"),
    (PLANE_TEXT + "constraint c: x^4 = 0\n", "singular", "with respect to the coordinates vanishes", ": x = 0"),
    (PLANE_TEXT + "constraint c: cos(x - y) = 1\n", "singular", "with respect to the coordinates vanishes", ": sin(x - y) = 0"),
    (SPACE_TEXT + "constraint c: sqrt(x^2 + y^2) = z\n", "singular", "no gradient at the start x = 0, y = 0, z = 0 (not given)", "for example: add the line `start "),
    (PLANE_TEXT + "constraint c: x*y = 0\n", "singular", "at the start x = 0, y = 0 (not given) the gradient of 'c' (line 3: x*y = 0) vanishes", "for example: add the line `start "),
    (PLANE_TEXT + "constraint c: x' = 0 along x = y\n", "singular", "no direction at the start y = 0, x' = 0 (not given)", "for example: add the line `start "),
    (SPACE_TEXT + "constraint a: x = 0\nconstraint b: x' = z\nstart y' = 1\n", "hidden", "b = a", "keep all of them"),
    (SPACE_TEXT + "constraint a: x' = z\nconstraint b: x = 0\nconstraint c: x + 2*z = 0\nstart y' = 1\n", "redundant", "b = a", "'a' follows from the others"),
    (SPACE_TEXT + "constraint a: x' = z\nconstraint b: x = 0\nconstraint c: 2*x = 0\nstart y' = 1\n", "hidden", "b = a", "'b' follows from the others"),
    ("coord q1, q2, q3\nlagrangian " + LM + " - (q1^2 + q2^2 + q3^2)/2\nconstraint a: q1' + q3 = 0\nconstraint b: q2' - q3 = 0\nconstraint c: q1' + q2' = 0\n",
     "hidden", "c = a + b", "delete line 5, as 'c' follows from 'a' and 'b'"),
    (SPACE_TEXT + "constraint a: x' = z*y'\nconstraint b: x'*(2 + x) = z*y'*(2 + x)\nstart y' = 1, z = 1, x' = 1\n", "redundant", "b = (x + 2)*a", "'b' follows"),
    (SPACE_TEXT + "constraint a: x' = z*y'\nconstraint b: z' = x*y'\nconstraint c: y*x' + cos(z)*z' = (y*z + x*cos(z))*y'\nstart y' = 1, x = 1, z = 1, x' = 1, z' = 1\n",
     "redundant", "c = y*a + cos(z)*b", "'c' follows"),
    (SPACE_TEXT + "constraint a: 1e18*(x' - y') = 0\nconstraint b: z' = 0\nconstraint c: x' - y' + z' = 0\nstart x' = 1, y' = 1\n", "redundant", "c = 1e-18*a + b", "delete line 3, as 'a' follows from 'b' and 'c'"),
]
# model, and the verdict after doing what the hint says: the line of the message is replaced, a line is added, a line is deleted, a term added
REMEDIES = [
    (PLANE_TEXT + "constraint rod: x^2 + y^2 = 1\nstart x = .8, y = -.8, x' = .1\n", "regular"),
    (PLANE_TEXT + "param l = 2\nconstraint rod: x^2 + y^2 = l^2\nstart x = l, y' = l/3, y = .1\n", "regular"),
    (PLANE_TEXT + "constraint rod: x^2 + y^2 = 1\nstart y = 1\nstart x' = 1, y' = 1\n", "regular"),
    (PLANE_TEXT + "constraint rod: x^2 + y^2 = 1\n", "regular"),
    (PLANE_TEXT + "constraint wall: x = 2\n", "regular"),
    (PLANE_TEXT + "constraint c: x*y = 0\n", "regular"),
    (PLANE_TEXT + "constraint c: x' = 0 along x = y\n", "regular"),
    (SPACE_TEXT + "constraint c: sqrt(x^2 + y^2) = z\nstart x = 0\n", "regular"),
    ("coord x1, y1, x2, y2\nlagrangian (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2\nconstraint a: x1^2 + y1^2 = 1\nconstraint b: (x2 - 1)^2 + y2^2 = 1\n"
     "constraint c: (x2 - x1)^2 + (y2 - y1)^2 = 1\nstart x1 = 1, x2 = 2   # in one line\n", "regular"),
    ("coord r, s\nlagrangian (1 - 1/r)*r'^2/2 + s'^2\nstart r = 1\n", "regular"),
    ("coord a, b\nlagrangian a'^2/2 - b'^2/2 - a^2/2 - b^2/2\nconstraint bar: a' = b'\nstart a = 1\n", "hidden"),
    (PLANE_TEXT + "constraint rod: x^2 + y^2 = 1\nconstraint again: 3*x*x' + 3*y*y' = 0\nstart x = 1\n", "regular"),
    (PLANE_TEXT + "constraint one: x' = 0\nconstraint two: 2*x' = 0\n", "regular"),
    (SPACE_TEXT + "constraint c: (x' - y*z')^2 = 0\nstart y = .5, z' = 1, x' = .5, y' = 1\n", "regular"),
    ("coord x, y, th\nlagrangian (x'^2 + y'^2)/2\nconstraint blade: " + KNIFE + "\nstart x' = 1, th' = 1\n", "regular"),
    ("param J = 2\ncoord x, y, hold\nlagrangian (x'^2 + y'^2)/2\nconstraint blade: x'*sin(hold) = y'*cos(hold)\nstart x' = 1\n", "regular"),
    ("param m = 1, g = 9.81\ncoord y1, y2\nlagrangian m/2*y1'^2 - m*g*y1 - m*g*y2\n", "regular"),
    ("param k = 2, m = 3\ncoord x, z\nlagrangian x'^2/2 - k*z\n", "regular"),
]


def remedied(text, message):
    """The model after the first thing that the hint proposes; None when it proposes nothing."""
    lines, hint, line = text.splitlines(), message.get("hint", ""), message["line"]
    start = re.search(r"(write|add the line) `(start [^`]*)`", hint)
    whole = re.search(r"`(constraint \w+: [^`]*)`", hint)
    delete = re.search(r"[Dd]elete line (\d+)", hint)
    term = re.search(r"to the lagrangian, for example `([^`]*)`(?: with `([^`]*)`)?", hint)
    if start:
        lines = lines[:line - 1] + [start.group(2)] + lines[line:] if start.group(1) == "write" else lines + [start.group(2)]
    elif term:
        lines[line - 1] += " + " + term.group(1)
        lines += [term.group(2)] if term.group(2) else []
    elif whole:
        lines[line - 1] = whole.group(1)
    elif delete:
        del lines[int(delete.group(1)) - 1]
    else:
        return None
    return "\n".join(lines) + "\n"


def remedies(test):
    """What a hint says can be done as it is said, and helps."""
    first = test.answers([text for text, _ in REMEDIES])
    after = []
    for (text, _), got in zip(REMEDIES, first):
        messages = got.get("errors", []) + got.get("warnings", [])
        better = remedied(text, messages[0]) if messages else None
        test.check(better is not None, f"{text!r}: no remedy in {messages}")
        if messages:
            line = (text.splitlines() + [""])[messages[0]["line"] - 1]
            test.check(line.split()[0] in ("start", "lagrangian", "constraint"), f"{text!r}: the place is {line!r}")
        after.append(better or text)
    for (text, word), better, got in zip(REMEDIES, after, test.answers(after)):
        test.check(got["verdict"] == word and got["status"] == 0, f"{text!r} became {better!r}: {got['verdict']}, {got.get('errors')}")


# model, code, line and the text under the caret
PLACES = [
    ("coord a, b\nlagrangian a'^2/2 - b'^2/2 - a^2/2\n", "INDEFINITE", "- b'^2/2"),
    ("coord a, b\nlagrangian 2*(a'^2 - b'^2) - a^2/2\n", "INDEFINITE", "- b'^2"),
    ("coord a, b\nlagrangian a'^2 - (b'^2 - a)/2\n", "INDEFINITE", "- (b'^2 - a)/2"),
    ("coord a, b\nlagrangian a'^2/2\nlagrangian -3*b'^2\n", "INDEFINITE", "-3*b'^2"),
    ("coord a, b\nlet T = b'^2/2\nlagrangian a'^2/2 -   # wrong\n  T\n", "INDEFINITE", "-   # wrong"),
    ("coord a, b\nlagrangian a'^2/2\n", "ARBITRARY", "a'^2/2"),
    ("coord a, b\nlagrangian a'^2/2   # b is missing\nlagrangian -b\n", "NO_MOTION", "-b"),
    (PLANE_TEXT + "constraint c: x = 1\nstart y = 2, x = 3\nstart x' = 0\n", "START_BREAKS", "y = 2, x = 3"),
    (PLANE_TEXT + "constraint c: x' = 1\nstart y = 2, x = 3\nstart x' = 0  # at rest\n", "START_BREAKS", "x' = 0"),
    ("coord a, b\nlagrangian a'^2/2 - b'^2/2 - a^2/2 - b^2/2\nconstraint bar: a' = b'\nstart a = 1\n", "START_BREAKS_HIDDEN", "a = 1"),
    (PLANE_TEXT + "constraint c: x*y = 0\nstart x = 0\n", "SINGULAR_AT_START", "x = 0"),
]


def places(test):
    """The caret stands under what has to be edited."""
    for (text, code, wanted), got in zip(PLACES, test.answers([row[0] for row in PLACES])):
        found = [m for key in ("errors", "warnings", "notes") for m in got.get(key, []) if m["code"] == code]
        line = text.splitlines()[found[0]["line"] - 1] if found else ""
        marked = line[found[0]["column"] - 1:][:found[0]["length"]] if found else ""
        test.check(marked == wanted, f"{text!r}: {code} marks {marked!r} in {line!r}, not {wanted!r}")


def first_things_first(test):
    """A negative kinetic energy is said before what comes from it, and a hidden constraint that the start breaks is said once."""
    got, = test.answers([REMEDIES[10][0]])
    test.check([m["code"] for m in got["warnings"]] == ["INDEFINITE"] and "The errors below follow from it" in got["warnings"][0]["hint"], f"{got['warnings']}")
    test.check([m["code"] for m in got["errors"]] == ["START_BREAKS_HIDDEN"] and not got.get("notes"), f"{got['errors']}, {got.get('notes')}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.act")
        with open(path, "w", encoding="utf-8") as file:
            file.write(REMEDIES[10][0] + "time 0 .. 1\n")
        said_by = [subprocess.run([test.program, *words, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for words in (["check"], ["run"])]
    test.check(said_by[0].stderr == said_by[1].stderr and b"warning" in said_by[0].stderr, "run does not say what check says")
    test.check(said_by[0].stdout.decode().splitlines() == ["m: hidden, but cannot start: see below", "  2 coordinates, 1 constraint"], f"{said_by[0].stdout}")


# model, the time from which on no motion, and the constraints named
LATER = [
    ("constraint c: x'^2 + y'^2 = 1 - t\nstart x' = 1\ntime 0 .. 2\n", 1, "c"),
    ("constraint c: x'^2 + y'^2 = 1 + t\nstart x' = 1\ntime 0 .. -2\n", -1, "c"),
    ("constraint c: x^2 + y^2 = 1 - t\nstart x = 1, x' = -.5\ntime 0 .. 2\n", 1, "c"),
    ("constraint c: sin(x) = t/2\nstart x' = .5\ntime 0 .. 3\n", 2, "c"),
    ("constraint a: x^2 + y^2 = 1\nconstraint b: x = t\nstart x' = 1, y = 1\ntime 0 .. 2\n", 1, "ab"),
    ("constraint a: x' = 1\nconstraint b: x' = if(t < .7, 1, 2)\nstart x' = 1\ntime 0 .. 2\n", .7, "ab"),
    ("constraint a: x' = 1\nconstraint b: x' = 1 + max(0, t - 1)\nconstraint z: y = 0\nstart x' = 1\ntime 0 .. 2\n", 1, "ab"),
    ("constraint a: x' = y\nconstraint b: x' = if(x < 1, y, y + 1)\nstart y = 1, x' = 1\ntime 0 .. 5\n", 1, "ab"),
    ("constraint a: x'' = 1\nconstraint b: x'' = if(t < 1.25, 1, 2)\ntime 0 .. 2\n", 1.25, "ab"),
]
# These get through, or end for another reason: not contradictory
NOT_LATER = [
    "constraint c: x'^2 + y'^2 = 3 - t\nstart x' = sqrt(3)\ntime 0 .. 2\n", "constraint a: x' = 1\nconstraint b: x' = if(t < 1, 1, 1)\nstart x' = 1\ntime 0 .. 2\n",
    "constraint c: x'^2 + y'^2 = 1 - x\nstart x' = 1\ntime 0 .. 5\n", "constraint c: x = max(0, t - 1)^2\ntime 0 .. 2\n",
    "force x = x^2\nconstraint c: y = sin(t)\nstart x = 3, y' = 1\ntime 0 .. 5\n",
]


def said(test):
    """Verdicts with the words that must come with them; no number is ever 'nan'."""
    for (text, word, message, hint), got in zip(SAID, test.answers([row[0] for row in SAID])):
        messages = [m for key in ("errors", "warnings", "notes") for m in got.get(key, [])]
        test.check(got["verdict"] == word, f"{text!r}: {got['verdict']}, not {word}")
        test.check(any(message in m["message"] and hint in m.get("hint", "") for m in messages), f"{text!r}: {messages}")
        test.check("nan" not in json.dumps(messages), f"{text!r}: nan in {messages}")


def later(test):
    """Contradictions that come after the start are told with their time."""
    for (text, when, names), got in zip(LATER, test.answers([PLANE_TEXT + row[0] for row in LATER])):
        errors = got.get("errors", [])
        test.check(got["verdict"] == "contradictory" and got["status"] == 1 and len(errors) == 1, f"{text!r}: {got['verdict']}, {errors}")
        found = re.search(r"from t = (\S+) on", errors[0]["message"]) if errors else None
        test.check(found and abs(float(found.group(1)) - when) < 1e-6, f"{text!r}: {errors}")
        test.check(errors and sorted(re.findall(r"'(\w)' \(line", errors[0]["message"])) == sorted(names), f"{text!r}: {errors}")
    for text, got in zip(NOT_LATER, test.answers([PLANE_TEXT + text for text in NOT_LATER])):
        test.check(got["verdict"] in ("regular", "redundant"), f"{text!r}: {got['verdict']}")


UNITS = {  # lengths in X, times in T, masses in M: verdict, hidden constraints and free data are the same in all units
    "example 1": ("coord q1, q2, q3\nlagrangian M*(" + LM + ") - M*(q1^2 + q2^2 + q3^2)/(2*T^2)\nconstraint a: q1' + q3/T = 0\nconstraint b: q2' - q3/T = 0\n"
                  "start q1 = .3*X, q2 = .2*X, q3 = X, q1' = -X/T, q2' = X/T, q3' = -X/T\ntime 0 .. T\n", 1, 3),
    "pendulum": ("coord x, y, l\nlagrangian M*(x'^2 + y'^2)/2 - M*X/T^2*y + l*(x^2 + y^2 - X^2)\nstart x = X\ntime 0 .. T\n", 3, 2),
    "indefinite pair": ("coord q1, q2\nlagrangian M*(q1'^2 - q2'^2)/2 - M/T^2*(q1^2 + q2^2)/2\nconstraint tie: q1' - q2' = 0\nstart q1 = .4*X, q2 = -.4*X\ntime 0 .. T\n", 1, 1),
}


def units(test):
    sizes = [1.0, 1e-6, 1e-3, 1e3, 1e6]
    every = [(x, t, m) for x in sizes for t in sizes for m in sizes]
    for name, (text, hidden, free) in UNITS.items():
        got = test.answers([f"param X = {x!r}, T = {t!r}, M = {m!r}\n{text}" for x, t, m in every])
        for unit, answer in zip(every, got):
            test.check(answer["verdict"] == "hidden" and answer["hidden"] == got[0]["hidden"] and len(answer["hidden"]) == hidden and answer["free_data"] == free,
                       f"{name} in units {unit}: {answer['verdict']}, {answer['hidden']}, {answer['free_data']}")


CHAIN = ("param n = 98, l = .1\ncoord x[1 .. n], y[1 .. n]{more}\nlagrangian sum(i = 1 .. n, (x[i]'^2 + y[i]'^2)/2 - y[i]){energy}\n"
         "constraint top: x[1]^2 + y[1]^2 = l^2\nconstraint r[i = 2 .. n]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n{rows}"
         "start x[i = 1 .. n] = l*i{start}\ntime 0 .. .1\n")
LARGE = [
    (CHAIN.format(more="", energy="", rows="", start=""), "regular", []),
    (CHAIN.format(more=", q1, q2, q3", energy=" + " + LM + " - (q1^2 + q2^2 + q3^2)/2", rows="constraint a: q1' + q3 = 0\nconstraint b: q2' - q3 = 0\n",
                  start=", q3 = 1, q1' = -1, q2' = 1, q3' = -1"), "hidden", ["q3' + q3 = 0"]),
    (CHAIN.format(more=", u, w", energy=" + (u'^2 - w'^2)/2 - (u^2 + w^2)/2", rows="constraint tie: u' = w'\nconstraint mix: u' + x[50]' = w' + y[40]'\n", start=""),
     "hidden", ["u + w = 0"]),
    (CHAIN.format(more=", th", energy="", rows="constraint blade: x[98]'*sin(th) = y[98]'*cos(th)\n", start=", th = pi/2"), "undetermined", []),
]


def large(test):
    """About 200 coordinates, a few of them singular."""
    for text, word, hidden in LARGE:
        got, = test.answers([text])
        test.check(got["verdict"] == word and got["hidden"] == hidden, f"{word}: {got['verdict']}, {got['hidden']}")


def rewritten(model, rng):
    """(how, text, T): the model itself and its three disguises"""
    n = len(model.coords)
    new = {name: f"{name}_{rng.randrange(1000)}b" for name in model.coords}
    new |= {name: f"{name}Row{rng.randrange(1000)}" for name, _ in model.constraints}
    T = numpy.linalg.qr(numpy.array([[rng.gauss(0, 1) for _ in range(n)] for _ in range(n)]))[0] @ numpy.diag([rng.uniform(.5, 2) for _ in range(n)])
    factors = [rng.choice([-1, 1]) * 10 ** rng.uniform(-2, 2) for _ in model.constraints]
    return [("as written", model.plain(), numpy.eye(n)), ("renamed", model.renamed(new), None), ("in other coordinates", model.changed(T), T),
            ("rows scaled", model.scaled(factors), numpy.eye(n))], new


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=os.path.join(ROOT, "build/actio"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    test, rng = Test(os.path.abspath(options.program), options.show), random.Random(options.seed)
    jobs = []
    for name, model, want in CASES:
        disguises, new = rewritten(model, rng)
        if not chosen("case " + name):
            continue
        jobs += [(f"{name}, {how}", model, want, T, text, how, new) for how, text, T in disguises]
    for (name, model, want, T, text, how, new), got in zip(jobs, test.answers([job[4] for job in jobs])):
        before = test.failed
        if how == "renamed":
            want = dict(want, redundant=[new[x] for x in want["redundant"]]) if "redundant" in want else want
        same(test, name, model, want, got, T)
        if how == "as written":
            exact(test, name, model, want, got)
        if test.show and test.failed > before:
            print(text, json.dumps(got), sep="\n")
    run_parts((inadmissible, said, remedies, places, first_things_first, later, units, large), test)
    return ended("verdict", test.passed, test.failed)


if __name__ == "__main__":
    sys.exit(main())

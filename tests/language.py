#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Conditions with and, or, not, and the functions floor, mod, ln, hypot: random ones against Python, motions that switch against exact ones,
and the same words as names. tests/language.py [--program FILE] [--seed N] [--count N]"""
import argparse
import json
import math
import os
import random
import re
import tempfile

import mpmath

import program

mpmath.mp.dps = 40
WORDS = ("floor", "mod", "ln", "hypot", "and", "or", "not", "held", "when", "every", "rising", "from", "stop")


# ---- conditions: a tree, as the model language writes it with few brackets, and as Python writes it with all of them

STRENGTH = {"or": 1, "and": 2, "not": 3, "<": 4, "<=": 4, ">": 4, ">=": 4}


def random_value(rng):
    """(text, Python text) of a number made of x, y and t."""
    form = rng.randrange(6)
    c = rng.choice(["0.25", "1", "2", "1.5", "3"])
    if form == 0:
        return c, c
    if form == 1:
        return rng.choice([("x", "x"), ("y", "y"), ("t", "t")])
    if form == 2:
        return f"x + {c}*y", f"(x + {c}*y)"
    if form == 3:
        return f"mod(x, {c})", f"(x - {c}*floor(x/{c}))"
    if form == 4:
        return f"floor({c}*y)", f"floor({c}*y)"
    return f"-(t - {c})*x", f"(-(t - {c})*x)"


def random_condition(rng, depth):
    if depth == 0 or rng.random() < .2:
        op = rng.choice(["<", "<=", ">", ">="])
        return (op, random_value(rng), random_value(rng))
    op = rng.choice(["and", "or", "not"])
    return (op,) + tuple(random_condition(rng, depth - 1) for _ in range(1 if op == "not" else 2))


def written(tree, rng, need=0):
    """As few brackets as the precedence allows, now and then more."""
    op = tree[0]
    own = STRENGTH[op]
    if own == 4:
        text = f"{tree[1][0]} {op} {tree[2][0]}"
    elif op == "not":
        text = "not " + written(tree[1], rng, own)
    else:
        text = f"{written(tree[1], rng, own)} {op} {written(tree[2], rng, own)}"
    return f"({text})" if own < need or rng.random() < .15 else text


def in_python(tree):
    op = tree[0]
    if STRENGTH[op] == 4:
        return f"({tree[1][1]} {op} {tree[2][1]})"
    if op == "not":
        return f"(not {in_python(tree[1])})"
    return f"({in_python(tree[1])} {op} {in_python(tree[2])})"


def comparisons(tree):
    if STRENGTH[tree[0]] == 4:
        return [f"({tree[1][1]}) - ({tree[2][1]})"]
    return [c for part in tree[1:] for c in comparisons(part)]


def check_conditions(tally, actio, rng, count):
    """Columns of a motion, where conditions are switches."""
    for first in range(0, count, 25):
        trees = [random_condition(rng, rng.randint(1, 4)) for _ in range(25)]
        texts = [written(t, rng) for t in trees]
        lines = ["coord x, y", "lagrangian x'^2/2 + y'^2/2", "start x = -1.3, x' = 2.1, y = .4, y' = -.7", "time 0 .. 1.1"]
        lines += [f"observe o{i} = if({text}, 1, 0)" for i, text in enumerate(texts)]
        status, out, err = program.call(actio, "run", write("\n".join(lines)), "--points", "41")
        tally.check(status == 0, f"conditions: exit {status}: {err}")
        if status:
            continue
        for i, tree in enumerate(trees):
            code, near = compile(in_python(tree), "c", "eval"), [compile(c, "c", "eval") for c in comparisons(tree)]
            bad = None
            for row in program.rows(out):
                names = {"x": row["x"], "y": row["y"], "t": row["t"], "floor": math.floor}
                if min(abs(eval(c, names)) for c in near) > 1e-9 and row[f"o{i}"] != eval(code, names):
                    bad = row
            tally.check(bad is None, f"{texts[i]}: {bad}")


def check_printed(tally, actio, rng, count):
    """What derive prints of a condition means the same, by Python's precedence."""
    for _ in range(count):
        tree = random_condition(rng, 3)
        text = written(tree, rng)
        printed = printed_force(actio, "coord x, y\nlagrangian x'^2/2 + y'^2/2\nforce x = if(%s, 1, 0)\ntime 0 .. 1\n" % text)
        tally.check(printed is not None, f"{text}: nothing is printed")
        condition = (printed or "0").removeprefix("if(").removesuffix(", 1, 0)").replace("^", "**")
        for _ in range(40):
            names = {"x": rng.uniform(-3, 3), "y": rng.uniform(-3, 3), "t": rng.uniform(-1, 4), "floor": math.floor, "mod": lambda a, b: a - b*math.floor(a/b)}
            wanted, got = bool(eval(in_python(tree), names)), bool(eval(condition, names))
            near = min(abs(eval(c, names)) for c in comparisons(tree)) < 1e-9
            if not near and wanted != got:
                tally.check(False, f"{text} is printed as {printed}")
                break
        else:
            tally.check(True, "")


def printed_force(actio, text):
    status, out, err = program.call(actio, "derive", write(text))
    if status:
        return None
    lines = out.split("# Generalised forces\n", 1)
    if len(lines) < 2:
        return "0"
    block = lines[1].split("\n\n")[0]
    return " ".join(block.split()).removeprefix("F_x = ")


# ---- motions: x'' is a polynomial of t between switches, so that everything is exact

class Motion:
    """x'' = sum of terms; each term has surfaces (of t, x or x') and a value a + b*t between them."""

    def __init__(self, rng):
        self.terms = [rng.choice([self.gate, self.gate, self.floor_x, self.floor_t, self.mod_t])(rng) for _ in range(rng.randint(1, 3))]
        self.x, self.v = rng.uniform(-1, 1), rng.uniform(-2, 2)
        self.end = rng.choice([-1, 1]) * rng.uniform(1, 4)
        self.text = " + ".join(t["text"] for t in self.terms)

    @staticmethod
    def gate(rng):
        """if( ) with two to four comparisons."""
        what = [(rng.choice(["t", "x", "x'"]), round(rng.uniform(-2, 2), 2), rng.choice(["<", ">"])) for _ in range(rng.randint(2, 4))]
        if rng.random() < .3:                              # two that switch at once
            what[1] = (what[0][0], what[0][1], rng.choice(["<", ">", "<=", ">="]))
        shape = rng.choice(["and", "or", "mixed", "not"])
        leaf = [f"{n} {op} {c}" for n, c, op in what]
        if shape in ("and", "or"):
            text = f" {shape} ".join(leaf)
        elif shape == "mixed":
            text = f"{leaf[0]} or {' and '.join(leaf[1:])}"
        else:
            text = f"not ({' or '.join(leaf)})"
        yes, no = round(rng.uniform(-2, 2), 2), round(rng.uniform(-2, 2), 2)

        def value(side):
            on = [side(n, c) < 0 if op in ("<", "<=") else side(n, c) > 0 for n, c, op in what]
            if shape == "and":
                good = all(on)
            elif shape == "or":
                good = any(on)
            elif shape == "mixed":
                good = on[0] or all(on[1:])
            else:
                good = not any(on)
            return (mpmath.mpf(repr(yes)) if good else mpmath.mpf(repr(no)), 0)
        return {"text": f"if({text}, {yes}, {no})", "fixed": [(n, c) for n, c, _ in what], "value": value}

    @staticmethod
    def floor_x(rng):
        k = rng.choice(["1", "2", "0.5"])
        a = rng.choice(["-.5", ".7", "-1.25"])
        return {"text": f"({a})*floor({k}*x)", "whole": ("x", k), "value": lambda side: (mpmath.mpf(a) * side("cell x", k), 0)}

    @staticmethod
    def floor_t(rng):
        k = rng.choice(["1", "2", "0.5"])
        a = rng.choice(["-.5", ".7", "1.25"])
        return {"text": f"({a})*floor({k}*t)", "whole": ("t", k), "value": lambda side: (mpmath.mpf(a) * side("cell t", k), 0)}

    @staticmethod
    def mod_t(rng):
        p = rng.choice(["1", "0.5", "-1", "2"])            # a power of two: its inverse is exact
        a = rng.choice(["-.5", ".7", "1.25"])
        k = str(1 / float(p))
        return {"text": f"({a})*mod(t, {p})", "whole": ("t", k), "value": lambda side: (-mpmath.mpf(a) * mpmath.mpf(p) * side("cell t", k), mpmath.mpf(a))}

    def march(self):
        """The exact end, or None: a motion that rests on a surface, is pushed back from both sides, or only touches one."""
        t, x, v = mpmath.mpf(0), mpmath.mpf(repr(self.x)), mpmath.mpf(repr(self.v))
        end, way = mpmath.mpf(repr(self.end)), 1 if self.end > 0 else -1
        for _ in range(400):
            law = self.law_after(t, x, v, way)
            if law is None:
                return None
            a, b = law
            step = self.first_switch(t, x, v, a, b, end, way)
            if step is None:
                return None
            h = step
            x, v, t = x + v*h + a*h**2/2 + b*(t*h**2/2 + h**3/6), v + a*h + b*(t*h + h**2/2), t + h
            if abs(t - end) < mpmath.mpf(10)**-30:
                return x, v
        return None

    def law_after(self, t, x, v, way):
        """a, b just after this moment: those whose motion a moment later says the same."""
        h = way * mpmath.mpf(10)**-12
        seen = set()
        a, b = self.law_at(t + h, x + v*h, v)
        for _ in range(8):
            later = (t + h, x + v*h + (a + b*t)*h*h/2, v + (a + b*t)*h)
            found = self.law_at(*later)
            if found == (a, b):
                half = (t + h/1000, x + v*h/1000 + (a + b*t)*h*h/2000000, v + (a + b*t)*h/1000)
                return (a, b) if self.law_at(*half) == (a, b) else None
            if found in seen:
                return None
            seen.add(found)
            a, b = found
        return None

    def law_at(self, t, x, v):
        here = {"t": t, "x": x, "x'": v}

        def side(name, c):
            if name.startswith("cell"):
                return mpmath.floor(here[name[5:]] * mpmath.mpf(c))
            return mpmath.sign(here[name] - mpmath.mpf(repr(c)))
        a = b = mpmath.mpf(0)
        for term in self.terms:
            p, q = term["value"](side)
            a, b = a + p, b + q
        return a, b

    def first_switch(self, t, x, v, a, b, end, way):
        """Time to the first surface; None where it is only touched, or nearly."""
        best = end - t
        at = lambda h: {"t": t + h, "x": x + v*h + a*h**2/2 + b*(t*h**2/2 + h**3/6), "x'": v + a*h + b*(t*h + h**2/2)}
        poly = {"t": [1, t], "x": [b/6, (a + b*t)/2, v, x], "x'": [b/2, a + b*t, v]}
        for name, level in self.levels(t, x, v, a, b, end):
            p = list(poly[name])
            p[-1] = p[-1] - level
            while len(p) > 1 and p[0] == 0:
                p.pop(0)
            if len(p) == 1:
                if p[0] == 0:
                    return None
                continue
            for root in mpmath.polyroots(p, maxsteps=500, extraprec=300, error=False):
                if abs(mpmath.im(root)) > mpmath.mpf(10)**-15:
                    continue
                h = mpmath.re(root) * way
                if h < mpmath.mpf(10)**-20:
                    continue
                slope = sum((len(p) - 1 - i) * c * mpmath.re(root)**(len(p) - 2 - i) for i, c in enumerate(p[:-1]))
                if abs(slope) < 1e-3:
                    return None                            # a touch: ill-posed for everyone
                if h < abs(best):
                    best = mpmath.re(root)
        if best != end - t and abs(end - t - best) < 1e-6:
            return None
        return best

    def levels(self, t, x, v, a, b, end):
        for term in self.terms:
            for name, c in term.get("fixed", []):
                yield name, mpmath.mpf(repr(c))
            if "whole" in term:
                name, k = term["whole"]
                k = mpmath.mpf(k)
                reach = abs(end - t) if name == "t" else abs(v)*abs(end - t) + abs(a)*(end - t)**2 + abs(b)*(abs(t) + abs(end))**3 + 1
                here = (t if name == "t" else x) * k
                low, high = int(mpmath.floor(here - abs(k)*reach)) - 1, int(mpmath.ceil(here + abs(k)*reach)) + 1
                if high - low < 4000:
                    for n in range(low, high + 1):
                        yield name, n / k


def check_motions(tally, actio, rng, count):
    done = 0
    for _ in range(20 * count):
        if done >= count:
            break
        motion = Motion(rng)
        exact = motion.march()
        if exact is None or abs(exact[0]) > 1e4:
            continue
        done += 1
        text = f"coord x\nlagrangian x'^2/2\nforce x = {motion.text}\nstart x = {motion.x!r}, x' = {motion.v!r}\ntime 0 .. {motion.end!r}\n"
        for way in (["--no-compile"], ["--by", "skg"]) if done % 5 == 0 else (["--no-compile"],):
            result = run_json(actio, text, "--tol", "1e-11", *way)
            if result.get("status") == 3 and any(e["code"] == "CHATTERING" for e in result["errors"]):
                tally.check(False, f"{motion.text}: chatters, and has an exact motion")
                continue
            off = abs(result["end"]["x"] - float(exact[0])) if result.get("status") == 0 else math.inf
            claimed = result.get("error", {}).get("x", 0) if result.get("status") == 0 else 0
            size = max(1, abs(float(exact[0])))
            tally.check(off <= 1e-11 * size and off <= 10 * claimed + 1e-13 * size, f"{motion.text} from {motion.x!r}, {motion.v!r} to {motion.end!r} {way}: off by {off:.2e}, claimed {claimed:.2e}")
    tally.check(done == count, f"only {done} motions of {count}")


CLOSED = [                                                 # force, start, end, x there
    ("mod(t, 1)", "x = 0", 7.5, lambda: 13.4375), ("mod(t, 1)", "x = 0", -3.25, lambda: mpmath.mpf("2.903645833333333333333333")),
    ("mod(t, -1)", "x = 0", 2, lambda: mpmath.mpf(-4) / 3 + mpmath.mpf(1) / 3 - mpmath.mpf(1) / 3),
    ("floor(t)", "x = 0", 3, lambda: mpmath.mpf("2.5")), ("floor(t)", "x = 0", -2, lambda: mpmath.mpf("-2.5")),
    ("floor(0.5*x)", "x = .5, x' = 1", 3.5, None),
    ("-(mod(x, 1) - .5)", "x = 0, x' = 2", 5, "saw"), ("-(mod(x, 1) - .5)", "x = 0, x' = 2", -5, "saw"),
]


def saw(v, end):
    """x'' = -(x - n - 1/2) in each cell: crossed in 2*atan(1/(2*v)), with the same speed at its end."""
    v, end = mpmath.mpf(v), mpmath.mpf(end)
    cell = 2 * mpmath.atan(1 / (2 * v))
    n = int(mpmath.floor(abs(end) / cell))
    rest = abs(end) - n * cell
    x = n + mpmath.mpf(1) / 2 - mpmath.cos(rest) / 2 + v * mpmath.sin(rest)
    return x if end > 0 else -x


def check_closed_forms(tally, actio):
    for force, start, end, exact in CLOSED:
        text = f"coord x\nlagrangian x'^2/2\nforce x = {force}\nstart {start}\ntime 0 .. {end}\n"
        value = None if exact is None else saw(2, end) if exact == "saw" else exact()
        if force == "mod(t, -1)":
            value = sum(-mpmath.quad(lambda s: (2 - s) * (k + 1 - s), [k, k + 1]) for k in range(2))
        for by in ("dalembert", "gauss", "maggi", "hamel", "appell", "jourdain", "hamilton", "skg", "dual"):
            result = run_json(actio, text, "--tol", "1e-11", "--by", by)
            tally.check(result["status"] == 0, f"{force}, {by}: {result.get('errors')}")
            if result["status"] == 0 and value is not None:
                tally.check(abs(result["end"]["x"] - float(value)) < 1e-11 * max(1, abs(float(value))), f"{force} to {end}, {by}: {result['end']['x']!r}, not {float(value)!r}")
    # a switch must not leave the rounding of q/h in the velocity of equal steps
    ends = run_json(actio, "coord x\nlagrangian x'^2/2\nforce x = mod(t, 1)\ntime 0 .. 7.5\n", "--tol", "1e-12", "--by", "discrete")
    tally.check(ends["status"] == 0 and abs(ends["end"]["x"] - 13.4375) < 1.4e-11, f"discrete: {ends}")
    # a staircase of potentials: at each step the velocity is that of the energy
    text = "param h = .3\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - h*floor(x)*y\nstart x' = 1.7, y = 1\ntime 0 .. 4\nexpect drift(energy) < 1e-11\n"
    status, out, err = program.call(actio, "test", write(text))
    tally.check(status == 0, f"staircase: {out} {err}")
    # floor at rest on a whole number, and pushed back from both sides
    rest = run_json(actio, "coord x\nlagrangian x'^2/2\nforce x = -floor(x)\ntime 0 .. 1\n")
    tally.check(rest["status"] == 0 and rest["end"]["x"] == 0, f"at rest on a whole number: {rest}")
    held = run_json(actio, "state p\nflow p' = .5 - floor(p)\nstart p = .9\ntime 0 .. 1\n")
    tally.check(held["status"] == 0 and held["end"]["p"] == 1, f"held on a whole number: {held}")


def check_functions(tally, actio):
    """Values: as Python has them; and that derivatives of hypot and of mod are those of what they stand for."""
    cases = [("ln(2)", math.log(2)), ("hypot(3, 4)", 5), ("hypot(2, 3, 6)", 7), ("hypot(3e200, 4e200)", 5e200), ("hypot(3e-200, 4e-200)", 5e-200), ("hypot(0, 0)", 0),
             ("hypot(-5, 12)", 13), ("floor(-2.5)", -3), ("floor(2)", 2), ("mod(7, 3)", 1), ("mod(-7, 3)", 2), ("mod(7, -3)", -2), ("mod(-7, -3)", -1), ("mod(5.5, 2)", 1.5),
             ("if(not 1 < 2, 1, 0)", 0), ("if(1 < 2 or 1 < 0 and 1 < 0, 1, 0)", 1), ("if((1 < 2 or 1 < 0) and 1 < 0, 1, 0)", 0), ("if(not 1 < 0 and 1 < 2, 1, 0)", 1)]
    lines = ["coord q", "lagrangian q'^2/2", "start q = 1", "time 0 .. 1"]
    lines += [f"param p{i} = {text}" for i, (text, _) in enumerate(cases)] + [f"observe o{i} = p{i} + 0*q" for i in range(len(cases))]
    status, out, err = program.call(actio, "run", write("\n".join(lines)), "--points", "2")
    tally.check(status == 0, err)
    row = program.rows(out)[0] if status == 0 else {}
    for i, (text, value) in enumerate(cases):
        tally.check(status == 0 and abs(row[f"o{i}"] - value) <= 2.3e-16 * abs(value), f"{text}: {row.get(f'o{i}')!r}, not {value!r}")
    twins = [("- hypot(x, 1, y)", "- sqrt(x^2 + 1 + y^2)"), ("- mod(x, 3)^2/2 - ln(2 + y^2)", "- (x - 3*floor(x/3))^2/2 - log(2 + y^2)"), ("- hypot(x - y, x + y + 1)^3", "- ((x - y)^2 + (x + y + 1)^2)^(3/2)")]
    for a, b in twins:
        ends = [run_json(actio, f"coord x, y\nlagrangian x'^2/2 + y'^2/2 {v}\nstart x = .4, y = -.3, x' = 1.1\ntime 0 .. 3\n", "--tol", "1e-11")["end"] for v in (a, b)]
        tally.check(all(abs(ends[0][k] - ends[1][k]) < 3e-11 * max(1, abs(ends[0][k])) for k in ("x", "y", "x_dot", "y_dot")), f"{a} is not {b}: {ends}")


# ---- the same words as names

NAMED = ["coord {0}, {1}\nlagrangian ({0}'^2 + {1}'^2)/2 - {0}^2/2\nstart {0} = 1\ntime 0 .. 1\nobserve o = if({0} < .5, 1, 2)*{1}\n",
         "param {0} = 2, {1} = {0}/3\ncoord x\nlagrangian x'^2/2 - {0}*x^2*({1} - {0})/2\nforce x = if({0} < {1}, {0}, {1})*{0}\nstart x = {1}\ntime 0 .. 1\n",
         "coord x\nlet {0} = x^2/2\nlagrangian x'^2/2 - {0}*2\nstart x = 1\ntime 0 .. 1\nobserve {1} = {0}*{0}'\n",
         "state {0}, {1}\nflow {0}' = -{1}\nflow {1}' = {0}*if({0} > -.5, 1, 2)\nstart {0} = 1\ntime 0 .. 1\nexpect drift({0}) < 9\n",
         "coord {0}[1 .. 3]\nlagrangian sum({1} = 1 .. 3, {0}[{1}]'^2 - {0}[{1}]^2)/2\nstart {0}[2] = 1\ntime 0 .. 1\nexpect {0}[2] at 1 = 0.5403023058681398 within 1e-9\n",
         "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint {0}: x' = 2*y'\nevent {1}: x = .5\nstart x' = 2, y' = 1\ntime 0 .. 1\nobserve o = lambda.{0}\n",
         "coord x, y\nlagrangian (x'^2 + y'^2)/2\nframe {0} = x' + y', {1} = x'\nstart x' = 2, y' = 1\ntime 0 .. 1\nobserve o = if(3*{0} - 1 < {1}, {0}, -{1})\n",
         "field {0}({1}) on {1} = 0 .. 1 nodes 9\nlagrangian integral({1}, {0}'^2/2 - diff({0}, {1})^2/2)\nconstraint a: {0}(0) = 0\nstart {0} = sin({1})\ntime 0 .. 1\nobserve o = if({0}(1) < {0}(0), 1, 2)*{0}(.5)\n"]


def check_names(tally, actio, rng):
    for pattern in NAMED:
        for word in WORDS:
            other = rng.choice([w for w in WORDS if w != word])
            plain, named = pattern.format("alpha", "beta"), pattern.format(word, other)
            (s1, a, e1), (s2, b, e2) = (program.call(actio, "run", write(text), "--points", "11") for text in (plain, named))
            same = s1 == s2 == 0 and [line.split(",") for line in a.splitlines()[1:]] == [line.split(",") for line in b.splitlines()[1:]]
            tally.check(same, f"{word}, {other}: exit {s1} and {s2}: {named}{e2[:300]}")


def check_reserved(tally, actio):
    """The manual lists the reserved words: those of the reader's tables, and no others."""
    with open(os.path.join(program.ROOT, "docs", "manual.md"), encoding="utf-8") as file:
        table = file.read().split("Reserved words, which can't be names:")[1].split("Every other word is free")[0]
    listed = {word for part in re.findall(r"^\| `([^`]*)`", table, re.M) for word in part.split()}
    with open(os.path.join(program.ROOT, "src", "model", "words.def"), encoding="utf-8") as file:
        words = re.findall(r"^WORD\((\w+), (\w+)\)", file.read(), re.M)
    taken = set()
    for word in {w for w, _ in words} | listed | set(WORDS) | {"erf", "fma", "lambda", "gap"}:
        status, out, err = program.call(actio, "check", "--json", write(f"param {word} = 1\ncoord x\nlagrangian x'^2/2\n"))
        if any(e["code"] == "RESERVED_NAME" for e in json.loads(out).get("errors", [])):
            taken.add(word)
    tally.check(listed == taken, f"reserved and not listed: {sorted(taken - listed)}; listed and not reserved: {sorted(listed - taken)}")
    tally.check({w for w, kind in words if kind in ("STATEMENT", "LATER", "SPECIAL", "VALUE")} <= listed, "a word of words.def is not listed")


# ---- the program

FOLDER = tempfile.TemporaryDirectory()


def write(text):
    path = os.path.join(FOLDER.name, "model.act")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    return path


def run_json(actio, text, *words):
    status, out, err = program.call(actio, "run", write(text), "--json", "--points", "3", *words)
    try:
        return json.loads(out)
    except ValueError:
        return {"status": status, "errors": [{"code": "?", "message": err}]}


# ---- what hints say: (what is written, code, the hint, the line as the hint says it)

HINTS = [
    ("force x = if(t == 1, 1, 0)", "WRONG_SIGN", "a comparison in a condition: < <= > >=", "force x = if(t >= 1, 1, 0)"),
    ("force x = if(t = 1, 1, 0)", "EQUAL_IN_CONDITION", "write a >= b", "force x = if(abs(t - 1) < 1e-3, 1, 0)"),
    ("force x = if(t =< 1, 1, 0)", "WRONG_SIGN", "write <=", "force x = if(t <= 1, 1, 0)"),
    ("force x = if(t => 1, 1, 0)", "WRONG_SIGN", "write >=", "force x = if(t >= 1, 1, 0)"),
    ("force x = if(t <> 1, 1, 0)", "WRONG_SIGN", "another comparison", "force x = if(t < 1, 1, 0)"),
    ("force x = if(t < 1 or t > 2 not, 1, 0)", "NOT_BEFORE", "and not c < d", "force x = if(t < 1 and not t > 2, 1, 0)"),
    ("force = x^2", "NO_NAME_BEFORE_EQUAL", "write force x = x^2", "force x = x^2"),
    ("observe = x^2", "NO_NAME_BEFORE_EQUAL", "write observe NAME = x^2", "observe NAME = x^2"),
    ("event = 1", "NO_NAME_BEFORE_EQUAL", "write event NAME: A = 1", "event NAME: x = 1"),
    ("when = 1", "NO_NAME_BEFORE_EQUAL", "write when LABEL: x = 1", "event e: x = .1\nwhen e: x' = 1"),
    ("every = 1", "NO_NAME_BEFORE_EQUAL", "write every T: x = 1", "every 1: x' = 1"),
    ("evry 1: x' = 1", "UNKNOWN_STATEMENT", "did you mean 'every'?", "every 1: x' = 1"),
    ("dissipation = x'^2", "EQUAL_AFTER_KEYWORD", "write dissipation x'^2", "dissipation x'^2"),
    ("force x = mod(t)", "ARGUMENT_COUNT", "write mod(x, y)", "force x = mod(x, 2)"),
    ("force x = floor(t, 2)", "ARGUMENT_COUNT", "write floor(x)", "force x = floor(x)"),
    ("force x = hypot(3)", "ARGUMENT_COUNT", "write hypot(x, y, ...)", "force x = hypot(x, 3)"),
    ("force x = atan2(1)", "ARGUMENT_COUNT", "write atan2(y, x)", "force x = atan2(x, 1)"),
    ("force x = if(x < 1, 1)", "ARGUMENT_COUNT", "write if(a < b, value, other value)", "force x = if(x < 1, 1, 0)"),
    ("force x = sin(2,5)", "ARGUMENT_COUNT", "write 2.5: a decimal comma is not supported", "force x = sin(2.5)"),
    ("force x = -dx", "UNKNOWN_NAME", "write x'", "force x = -x'"), ("observe v = xdot", "UNKNOWN_NAME", "write x'", "observe v = x'"),
    ("observe v = dxdt", "UNKNOWN_NAME", "write x'", "observe v = x'"), ("observe v = xddot", "UNKNOWN_NAME", "write x''", "observe v = x''"),
]


def check_hints(tally, actio):
    head, tail = "coord x\nlagrangian x'^2/2\n", "\nstart x' = 1\ntime 0 .. .5\n"
    for wrong, code, hint, right in HINTS:
        said = run_json(actio, head + wrong + tail)["errors"]
        tally.check([e["code"] for e in said] == [code] and hint in said[0]["hint"], f"{wrong}: {said}")
        done = run_json(actio, head + right + tail)
        tally.check(done["status"] == 0, f"{right}: {done.get('errors')}")
    said = run_json(actio, head + "force x = mod(t, 0)" + tail)["errors"]       # as the model has it, with its line
    tally.check([e["code"] for e in said] == ["DIVIDES_BY_ZERO"] and "mod" in said[0]["message"] and said[0]["line"] == 3, f"mod(t, 0): {said}")
    said = run_json(actio, head + "observe o = 1/(.5 - x)" + tail, "--by", "skg", "--gradient", "o")["errors"]
    tally.check("'o' is not a finite number at the end" in said[0]["message"], f"gradient: {said}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=os.path.join(program.ROOT, "build", "actio"))
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument("--count", type=int, default=60)
    options = parser.parse_args()
    tally, actio = program.Tally("language"), os.path.abspath(options.program)
    program.run_parts((check_hints, check_functions, check_reserved, check_closed_forms), tally, actio)
    counts = {check_names: (), check_conditions: (5 * options.count,), check_printed: (options.count // 2,), check_motions: (options.count,)}
    for part, count in counts.items():                     # each has numbers of its own: the same with and without the others
        program.run_parts([part], tally, actio, random.Random(options.seed), *count)
    tally.done()


if __name__ == "__main__":
    main()

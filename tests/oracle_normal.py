#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Normal forms against SymPy: formulas that SymPy rewrote are proved equal, different ones are not, and what the
library makes of a formula is equal to it for SymPy.

usage: oracle_normal.py [--program FILE]     (test_normal is expected beside the program)"""
import os
import random
import subprocess

import sympy
from sympy import cos, exp, sin, sqrt, tan

from program import Tally, arguments, chosen

x, y, a, b = sympy.symbols("x y a b", real=True)
m, k = sympy.symbols("m k", positive=True)
SYMBOLS = [x, y, a, b, m, k]
REWRITES = [sympy.expand, sympy.factor, sympy.together, sympy.cancel, sympy.trigsimp, sympy.expand_trig, sympy.radsimp,
            lambda e: sympy.expand(e, trig=True), lambda e: e.rewrite(tan) if not e.has(tan) else e]
CASES = 150


def number(rng):
    return rng.choice([1, 2, 3, -1, sympy.Rational(1, 2), sympy.Rational(2, 5), sympy.Rational(1, 3), -4])


def formula(rng, steps):
    """A random formula of the kind that mechanics makes: polynomials, angles, some quotients and roots."""
    parts = rng.sample(SYMBOLS, 4) + [number(rng)]
    for _ in range(steps):
        u, v = rng.choice(parts[-4:]), rng.choice(parts)
        kind = rng.randrange(12)
        if kind < 4: w = u * v
        elif kind < 8: w = u + number(rng) * v
        elif kind == 8: w = rng.choice([sin, cos])(rng.choice([a, b, a + b, a - b, 2 * a])) * u
        elif kind == 9: w = u / (v ** 2 + 1) if v != 0 else u
        elif kind == 10: w = u ** 2 + v
        else: w = u * rng.choice([sqrt(m + k), exp(-k * x), tan(a)])
        parts.append(w)
    return sympy.sympify(parts[-1])


def text(e):
    """As the test's reader takes it; rational numbers are quotients of whole ones."""
    return sympy.sstr(e).replace("**", "^")


def read(s):
    names = {str(v): v for v in SYMBOLS}
    return sympy.sympify(s.replace("^", "**"), locals=names)


def ask(program, lines):
    answer = subprocess.run([program, "-"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return answer.stdout.splitlines()


def equal(e, f):
    """At points with 40 digits: SymPy's own simplify is slow and not always able to."""
    rng = random.Random(7)
    for _ in range(3):
        at = {v: sympy.Rational(rng.randrange(20, 99), 37) for v in SYMBOLS}
        d, size = (e - f).subs(at).evalf(40), abs(e.subs(at).evalf(40)) + 1
        if abs(d) > sympy.Float("1e-12") * size: return False
    return True


def look(tally, driver, cases):
    """Each pair is proved equal, a disturbed one is not, and what is left of a formula has its value."""
    lines = []
    for e, f in cases:
        lines += ["(%s) - (%s)" % (text(e), text(f)), "(%s) - (%s)*(1 + y/1000)" % (text(e), text(f)), text(e)]
    answers = ask(driver, lines)
    tally.check(len(answers) == len(lines), "%d answers to %d formulas" % (len(answers), len(lines)))
    for i, (e, f) in enumerate(cases):
        same, different, simple = answers[3 * i:3 * i + 3]
        tally.check(same == "zero", "not proved equal:\n  %s\n  %s\n  left: %s" % (e, f, same))
        tally.check((different == "zero") == equal(e, e * (1 + y / 1000)), "proved equal: %s" % lines[3 * i + 1])
        tally.check(equal(e, read(simple) if simple != "zero" else 0), "%s became %s" % (e, simple))


def main():
    program, _ = arguments()
    tally, rng, cases = Tally("oracle_normal"), random.Random(11), []
    for i in range(CASES):
        e = formula(rng, rng.randrange(2, 8))
        case = e, rng.choice(REWRITES)(e)
        if chosen("formula %d" % i):
            cases.append(case)
    if cases:
        look(tally, os.path.join(os.path.dirname(os.path.abspath(program)), "test_normal"), cases)
    tally.done()


main()

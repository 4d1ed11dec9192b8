#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""actio derive --by P from outside: what is printed, evaluated here, gives the rates that `run --by P` has along its motion; the C file gives
the same; discrete steps made from the printed equations are those of run; the dual's formulas are identities at any numbers. tests/derive_by.py [--program FILE] [MODEL ...]"""
import glob
import itertools
import math
import os
import random
import re
import subprocess
import sys
import tempfile

import latex_values
from derive import compiled, held_of, dot, environments, equations, is_whole, names_of, observed
from program import ROOT, Tally, arguments, call, chosen, model_name, rows, run_parts

GOLDEN = os.path.join(ROOT, "tests", "derive_by")
PRINCIPLES = ["gauss", "maggi", "hamel", "appell", "jourdain", "hamilton", "vakonomic", "reduced", "discrete", "skg"]
MODELS = ["pars42", "sleigh", "coin", "rod", "turntable", "disk", "pendulum-cartesian", "double-pendulum", "vertical-disk-incline", "suslov", "snakeboard",
          "knife", "rotating-wire", "pars-drag", "two-edges", "appell-hamel", "pars-acceleration", "bricard", "four-bar", "cone", "moving-wall",
          "chain-links", "lm2", "suslov-state", "friction-block"]
FUNCTIONS = {name: getattr(math, name) for name in "sin cos tan asin acos atan sinh cosh tanh exp log sqrt atan2".split()}
FUNCTIONS.update(abs=abs, sign=lambda x: (x > 0) - (x < 0), min=min, max=max, choose=lambda c, a, b: a if c else b, pi=math.pi)
SHORTLY = {"reduced": ["--resplit", "0", "--time", "0..0.1"]}          # its motions may end
NAME = re.compile(r"(?<![\w.])[^\W\d]\w*(?:\.[^\W\d]\w*)?(?:\[\d+\])?(?:_\w+)?'{0,2}")


class Formula:
    """A printed formula as a function of a dictionary of names."""

    def __init__(self, text):
        text = re.sub(r"\bif\(", "choose(", text)
        self.names = {n for n in NAME.findall(text) if n not in FUNCTIONS}
        self.place = {n: "v[%d]" % i for i, n in enumerate(sorted(self.names))}
        self.order = sorted(self.names)
        self.code = compile(NAME.sub(lambda m: self.place.get(m.group(), m.group()), text).replace("^", "**"), text, "eval")

    def __call__(self, env):
        return eval(self.code, {"__builtins__": {}}, dict(FUNCTIONS, v=[env[n] for n in self.order]))


class Shown:
    """A derivation: its equations by section, with their sides."""

    def __init__(self, text):
        self.text, self.section = text, {}
        for section, label, left, right in equations(text):
            self.section.setdefault(section, []).append((label, left, Formula(left), Formula(right)))

    def of(self, word):
        return [e for title, list_ in self.section.items() if title.startswith(word) for e in list_]

    def params(self):
        env, left = {}, self.of("Parameters")
        while left:
            ready = [e for e in left if e[3].names <= set(env)]
            env.update((name, right(env)) for _, name, _, right in ready)
            left = [e for e in left if e not in ready]
        return env


def solve(a, b):
    """The least squares solution of a x = b by its normal equations in scaled rows, and the smallest pivot over the largest; pure and small."""
    n = len(a[0])
    a, b = zip(*[([x / s for x in row], y / s) for row, y in zip(a, b) for s in [max(map(abs, row)) or 1]])
    m = [[sum(r[i] * r[j] for r in a) for j in range(n)] + [sum(r[i] * y for r, y in zip(a, b))] for i in range(n)]
    pivots = []
    for k in range(n):
        at = max(range(k, n), key=lambda i: abs(m[i][k]))
        m[k], m[at] = m[at], m[k]
        pivots.append(abs(m[k][k]))
        if pivots[-1] < 1e-13:
            return None
        for i in range(n):
            if i != k:
                f = m[i][k] / m[k][k]
                m[i] = [x - f * y for x, y in zip(m[i], m[k])]
    return [m[i][n] / m[i][i] for i in range(n)]


def linear(list_, unknown, env):
    """Unknowns from equations that are linear in them."""
    def off(values):
        full = dict(env, **dict(zip(unknown, values)))
        return [left(full) - right(full) for _, _, left, right in list_]
    base = off([0] * len(unknown))
    columns = [[x - y for x, y in zip(off([i == j for i in range(len(unknown))]), base)] for j in range(len(unknown))]
    return solve([list(row) for row in zip(*columns)], [-x for x in base])


def close(a, b, size=1, bound=1e-7):
    return abs(a - b) <= bound * max(1, abs(a), abs(b), size)


# ---- motions to compare with

def motion(program, folder, model, by, coords, states, extra=()):
    path = os.path.join(folder, "observed.act")
    with open(path, "w", encoding="utf-8") as file:
        file.write(observed(model, [("derived_acc%d" % i, n + "''") for i, n in enumerate(coords)] + [("derived_rate%d" % i, n + "'") for i, n in enumerate(states)]))
    status, out, err = call(program, "run", path, "--by", by, "--points", "5", "--quiet", "-o", "-", *extra)
    return (rows(out), "") if status == 0 else ([], err)


def environment(row, params, coords, states):
    env = dict(params, t=row["t"])
    for i, n in enumerate(coords):
        env[n], env[n + "'"], env[n + "''"] = row[n], row[dot(n)], row["derived_acc%d" % i]
    for i, n in enumerate(states):
        env[n], env[n + "'"] = row[n], row["derived_rate%d" % i]
    env.update((n, x) for n, x in row.items() if n.startswith(("lambda.", "reaction.")))
    return env


def moved(env, coords, states, h):
    """The state a little later, by the rates at hand."""
    new = dict(env, t=env["t"] + h)
    for n in coords:
        new[n], new[n + "'"] = env[n] + h * env[n + "'"], env[n + "'"] + h * env[n + "''"]
    new.update((n, env[n] + h * env[n + "'"]) for n in states)
    return new


# ---- one principle each: (shown, env, coords, states, say)

def check_known(shown, env, say, skip=()):
    """Every equation whose names are known holds."""
    count = 0
    for section, list_ in shown.section.items():
        if section.startswith(("Parameters", "Lagrangian", "Generalised") + tuple(skip)):
            continue
        for _, name, left, right in list_:
            if left.names | right.names <= set(env) and not any(math.isnan(env[n]) for n in left.names | right.names):
                a, b = left(env), right(env)
                say(close(a, b), "%s: %s is off by %.1e" % (section, name, a - b))
                count += 1
    return count


def rates(shown, words, env, coords, states, say, more=()):
    """The named sections alone determine the rates, and they are those of the motion."""
    unknown = [n + "''" for n in coords] + [n + "'" for n in states] + list(more)
    list_ = [e for w in words for e in shown.of(w) if any(n in unknown for n in e[2].names | e[3].names)]
    if any("too long to display" in part or "W^-1*h" in part for part in shown.text.split("\n# ") if part.startswith(("Directions", *words))):
        return
    got = linear(list_, unknown, env)
    say(got is not None, "%s do not determine the rates" % (words,))
    for name, x in zip(unknown, got or []):
        if name in env:
            say(close(x, env[name]), "%s: %s = %.12g, not %.12g" % (words, name, x, env[name]))
        env[name] = x


def check_gauss(shown, env, coords, states, say):
    """Z does not change to first order in any direction that the rows allow: exact for a quadratic function."""
    unknown = [n + "''" for n in coords] + [n + "'" for n in states]
    least = [e for e in shown.of("Function to minimise")]
    say(len(least) == 1 or "too long to display" in shown.text, "one sum is made least")
    lines = [e for e in shown.of("Subject") if any(n in unknown for n in e[2].names)]
    for _, _, _, Z in least:
        def slope(u):
            high, low = (Z(dict(env, **{n: env[n] + s * (n == u) for n in unknown})) for s in (1, -1))
            return (high - low) / 2
        gradient = [slope(u) for u in unknown]
        grid = [[(l(dict(env, **{u: env[u] + 1})) - l(env)) for u in unknown] for _, _, l, _ in lines]
        # the gradient is made of the rows: least squares leave nothing
        parts = solve_any(grid, gradient)
        size = max(map(abs, gradient), default=1)
        say(all(close(sum(p * row[i] for p, row in zip(parts, grid)), gradient[i], size) for i in range(len(unknown))), "Z is not least: gradient %s" % gradient)


def solve_any(grid, b):
    """x with sum x_k grid[k] nearest to b, rows may depend on each other: Gram and Schmidt, then back."""
    basis = []
    left = list(b)
    for k, row in enumerate(grid):
        e, how = list(row), [float(i == k) for i in range(len(grid))]
        for u, w in basis:
            s = sum(x * y for x, y in zip(e, u))
            e, how = [x - s * y for x, y in zip(e, u)], [x - s * y for x, y in zip(how, w)]
        norm = math.sqrt(sum(x * x for x in e))
        if norm > 1e-9 * (1 + math.sqrt(sum(x * x for x in row))):
            basis.append(([x / norm for x in e], [x / norm for x in how]))
    x = [0.0] * len(grid)
    for u, w in basis:
        s = sum(p * q for p, q in zip(left, u))
        left, x = [p - s * q for p, q in zip(left, u)], [p + s * q for p, q in zip(x, w)]
    return x


def matrix(text, name):
    """{(i, j): formula} of a printed matrix, in full or by entries."""
    found = {(int(i), int(j)): Formula(" ".join(e.split())) for i, j, e in re.findall(r"^  %s\[(\d+), (\d+)\] = (.*(?:\n      .*)*)$" % name, text, re.M)}
    grid = re.search(r"^  %s = \( .*? \)\n(?:   +\( .* \)\n)*" % name, text, re.M)
    for i, line in enumerate(grid.group().splitlines() if grid else []):
        for j, e in enumerate(re.split(r"  +", re.search(r"\( (.*?) *\)$", line).group(1))):
            found[i + 1, j + 1] = Formula(e)
    return found


def check_maggi(shown, env, coords, states, say):
    unknown = [n + "''" for n in coords] + [n + "'" for n in states]
    Z = matrix(shown.text, "Z")
    lines = [e for e in shown.of("With the constraints") if any(n in unknown for n in e[2].names)]
    for _, name, l, _ in lines if Z else []:
        row = [l(dict(env, **{u: env[u] + 1})) - l(env) for u in unknown]
        for j in range(1, max(j for _, j in Z) + 1):
            value = sum(row[i - 1] * e(env) for (i, k), e in Z.items() if k == j)
            say(close(value, 0), "column %d of Z is not along %s: %.1e" % (j, name, value))
    rates(shown, ["Equations of motion along", "With the constraints"], env, coords, states, say)


def check_hamel(shown, env, coords, states, say):
    """Quasi-velocities and momenta are differentiated along the motion; their rates are the printed ones."""
    quasi = shown.of("Quasi-velocities")
    if not shown.of("Momenta of"):
        return
    momenta = shown.of("Momenta of")

    def full(e):
        e = dict(e, **{name: right(e) for _, name, _, right in quasi})
        return dict(e, **{name: right(e) for _, name, _, right in momenta if right.names <= set(e)})
    here = full(env)
    h = 1e-4
    ends = [full(moved(env, coords, states, s * h)) for s in (1, -1, 2, -2)]
    for name in [e[1] for e in quasi + momenta if e[1] in here]:
        here.setdefault(name + "'", (8 * (ends[0][name] - ends[1][name]) - ends[2][name] + ends[3][name]) / (12 * h))
    count = check_known(shown, here, lambda good, words: say(good, words), skip=("Quasi",))
    say(count > len(coords), "only %d equations could be looked at" % count)


def check_jourdain(shown, env, coords, states, say):
    """The projected equations with the constraints give the rates; the virtual power of a virtual velocity that is allowed is 0."""
    rates(shown, ["Equations of motion", "With the constraints"], env, coords, states, say)
    powers, bound = shown.of("Virtual power"), shown.of("Virtual velocities")
    names = {n for e in bound for n in e[2].names | e[3].names} | {n for e in powers for n in e[3].names}
    given = {e[1] for e in bound}
    rng = random.Random(1)
    virtual = {n: rng.uniform(-1, 1) for n in sorted(names) if n.startswith("delta_") and n not in given}
    here = dict(env, **virtual)
    here.update((e[1], e[3](here)) for e in bound)
    for _, _, _, P in powers if "too long to display" not in shown.text else []:
        value, size = P(here), max((abs(P(dict(here, **{n: here[n] + 1})) - P(here)) for n in P.names if n.startswith("delta_")), default=1)
        say(abs(value) <= 1e-7 * max(1, size), "the virtual power is %.1e" % value)


def check_rates_of(shown, env, coords, states, say, named):
    """What the named sections define is differentiated along the motion; its rates are the printed ones."""
    def full(at):
        at, left = dict(at), list(named)
        while left:
            ready = [e for e in left if e[3].names <= set(at)]
            if not ready:
                break
            at.update((e[1], e[3](at)) for e in ready)
            left = [e for e in left if e not in ready]
        return at
    here, h = full(env), 1e-4
    ends = [full(moved(env, coords, states, s * h)) for s in (1, -1, 2, -2)]
    for name in [e[1] for e in named if e[1] in here]:
        here.setdefault(name + "'", (8 * (ends[0][name] - ends[1][name]) - ends[2][name] + ends[3][name]) / (12 * h))
    count = check_known(shown, here, lambda good, words: say(good, words))
    say(count >= len(coords), "only %d equations could be looked at" % count)


def check_appell(shown, env, coords, states, say):
    check_rates_of(shown, env, coords, states, say, shown.of("Quasi"))
    if shown.of("Velocities by"):
        return
    rates(shown, ["Equations of motion", "Constraints"], env, coords, states, say)


def check_hamilton(shown, env, coords, states, say):
    check_rates_of(shown, env, coords, states, say, shown.of("Momenta"))


def check_vakonomic(shown, env, coords, states, say):
    more = sorted({n for e in shown.of("Equations of motion") for n in e[2].names | e[3].names if n.startswith("lambda.") and n.endswith("'")})
    rates(shown, ["Equations of motion", "Constraints"], env, coords, states, say, more)


def check_reduced(shown, env, coords, states, say):
    rates(shown, ["Free rates", "Constraints"], env, coords, states, say)
    env["power"] = sum(env["reaction." + n] * env[n + "'"] for n in coords)


def check_skg(shown, env, coords, states, say):
    """p' = F along the motion; the doubled Lagrangian has p and F as its derivatives by the differences, and the constraints by theirs."""
    nodes = {name: right for _, name, _, right in shown.of("Quantities at a time node")}
    for n in coords:
        p, force, h = nodes["p_" + n], nodes["F_" + n](env), 1e-5
        slope = (p(moved(env, coords, states, h)) - p(moved(env, coords, states, -h))) / (2 * h)
        say(close(slope, force, bound=1e-6), "p_%s' is %.9g, F_%s %.9g" % (n, slope, n, force))
    doubled_lagrangian = [right for _, name, _, right in shown.of("The doubled") if name == "Lambda"]
    for right in doubled_lagrangian:
        own = {n for n in right.names if n not in env}
        say(all("_m" in n for n in own), "unknown names %s" % own)
        for n in own:
            def at(x):
                return right({**env, **dict.fromkeys(own, 0.0), n: x})
            slope = (at(1e-5) - at(-1e-5)) / 2e-5
            if n.startswith("lambda_"):
                say(abs(slope) < 1e-7, "%s is off its constraint by %.1e" % (n, slope))
            elif n.endswith("_m_dot"):
                say(close(slope, nodes["p_" + n[:-6]](env)), "dLambda/d%s is %.9g" % (n, slope))
            elif n[:-2] in coords:
                say(close(slope, nodes["F_" + n[:-2]](env)), "dLambda/d%s is %.9g" % (n, slope))
            else:
                say(abs(slope) < 1e-6 * max(1, abs(env[n[:-2] + "'"])), "the flow of %s is off by %.1e" % (n, slope))


CHECKS = {"skg": check_skg, "gauss": check_gauss, "maggi": check_maggi, "hamel": check_hamel, "appell": check_appell, "jourdain": check_jourdain, "hamilton": check_hamilton, "vakonomic": check_vakonomic, "reduced": check_reduced}


def check_text(program, folder, model, by, tally):
    what = "%s by %s" % (os.path.basename(model)[:-4], by)
    status, text, err = call(program, "derive", model, "--by", by)
    answer, _, words = call(program, "run", model, "--by", by, "--points", "2", "--quiet", "-o", "-", *SHORTLY.get(by, []))
    if status or answer:
        good = (status == 1 and answer == 1) or (by == "vakonomic" and "initial value of its multiplier" in words)     # paper needs none
        return tally.check(good and "does not apply" in words, "%s: derive ends with %s, run with %s: %s%s" % (what, status, answer, err[:200], words[:200])) and None
    shown = Shown(text)
    header = call(program, "derive", model, "--format", "c")[1]
    y = names_of(header, "y")
    coords = [n[:-1] for n in y if n.endswith("'")]
    states = y[2 * len(coords):]
    if by == "discrete":
        check_discrete(program, model, shown, coords, tally, what)
        return shown
    table, err = motion(program, folder, model, by, coords, states, SHORTLY.get(by, []))
    tally.check(table, "%s: can't be run: %s" % (what, err[:300]))
    params = shown.params()
    for row in table:
        env = environment(row, params, coords, states)
        bad = []
        CHECKS[by](shown, env, coords, states, lambda good, words: bad.append(words) if not good else None)
        if by not in ("hamel", "appell", "hamilton"):
            check_known(shown, env, lambda good, words: bad.append(words) if not good else None, skip=("Function to minimise", "Quantities at a time node", "The doubled"))
        tally.check(not bad, "%s at t = %g: %s" % (what, row["t"], "; ".join(bad[:3])))
    return shown


# ---- discrete: a run's step, made of the printed equations

def newton(f, x):
    for _ in range(30):
        r = f(x)
        J = []
        for j in range(len(x)):
            h = 1e-6 * (1 + abs(x[j]))
            up, down = (f([xi + s * h * (i == j) for i, xi in enumerate(x)]) for s in (1, -1))
            J.append([(p - q) / (2 * h) for p, q in zip(up, down)])
        step = gauss([list(c) for c in zip(*J)], r)
        x = [xi - s for xi, s in zip(x, step)]
        if max(map(abs, step), default=0) < 1e-13:
            break
    return x


def gauss(a, b):
    n, m = len(a), [list(r) + [y] for r, y in zip(a, b)]
    for k in range(n):
        at = max(range(k, n), key=lambda i: abs(m[i][k]))
        m[k], m[at] = m[at], m[k]
        for i in range(n):
            if i != k:
                f = m[i][k] / m[k][k]
                m[i] = [x - f * y for x, y in zip(m[i], m[k])]
    return [m[i][n] / m[i][i] for i in range(n)]


def check_discrete(program, model, shown, coords, tally, what):
    """One step of five substeps from the start."""
    status, out, err = call(program, "run", model, "--by", "discrete", "--grid", "2", "--points", "2", "--time", "0..0.05", "--quiet", "-o", "-")
    if not tally.check(status == 0, "%s: a step can't be run: %s" % (what, err[:200])):
        return
    table, params = rows(out), shown.params()
    middle, ends, lines = shown.of("The middle"), {e[1]: e[3] for e in shown.of("Momenta at the ends")}, shown.of("Constraints")
    labels = [e[0] for e in lines]
    holonomic = [bool(re.search(r"_1\b", e[1] + " ".join(e[2].names | e[3].names))) and not (e[2].names | e[3].names) & set(n + "'" for n in coords) for e in lines]
    last = {e[1]: e[3] for e in shown.of("Momenta at the end,")}

    def step(q0, p0, v0, t0, h):
        def env_of(x):
            q1, lam = x[:len(coords)], x[len(coords):]
            env = dict(params, h=h, step=h, t=t0 + h / 2, **{"lambda." + n: l for n, l in zip(labels, lam)})
            env.update({n + "_0": q for n, q in zip(coords, q0)}, **{n + "_1": q for n, q in zip(coords, q1)})
            values = {name: right(env) for _, name, _, right in middle}
            return dict(env, **values)

        def off(x):
            env = env_of(x)
            return [ends["p_%s_0" % n](env) - p for n, p in zip(coords, p0)] + [(left(env) - right(env)) / h for _, _, left, right in lines]
        x = newton(off, [q + h * v for q, v in zip(q0, v0)] + [0.0] * len(lines))
        env = env_of(x)
        q1, p1 = x[:len(coords)], [ends["p_%s_1" % n](env) for n in coords]
        return q1, p1, env

    def momenta(q, v, t):
        """dL/dq' at a state: p_0 of a step of length 0."""
        env = dict(params, h=0.0, step=0.0, t=t, **{"lambda." + n: 0.0 for n in labels})
        env.update({n: a for n, a in zip(coords, q)}, **{n + "'": a for n, a in zip(coords, v)}, **{n + "_0": a for n, a in zip(coords, q)})
        return [ends["p_%s_0" % n](env) for n in coords]

    def put_on_rates(q, p, env, v, t):
        """Velocities at the end, momenta with mu."""
        which = [k for k, is_position in enumerate(holonomic) if is_position]

        def with_mu(mu):
            e = dict(env, **{"mu_" + labels[k]: m for k, m in zip(which, mu)})
            e.update({"p_%s_1" % n: x for n, x in zip(coords, p)})
            return [last["p_%s_next" % n](e) if "p_%s_next" % n in last else x for n, x in zip(coords, p)]

        def rate(k, v):
            d = 1e-5
            side = lambda s: [l(e) - r(e) for _, _, l, r in [lines[k]] for e in [dict(env, t=env["t"] + s * d, **{n + "_1": a + s * d * b for n, a, b in zip(coords, q, v)})]][0]
            return (side(1) - side(-1)) / (2 * d)

        def off(x):
            v, mu = x[:len(coords)], x[len(coords):]
            return [a - b for a, b in zip(momenta(q, v, t), with_mu(mu))] + [rate(k, v) for k in which]
        x = newton(off, list(v) + [0.0] * len(which))
        return x[:len(coords)], with_mu(x[len(coords):])

    q, v, t = [table[0][n] for n in coords], [table[0][dot(n)] for n in coords], table[0]["t"]
    p = momenta(q, v, t)
    a = 1 / (4 - 4 ** (1 / 3))
    for part in (a, a, 1 - 4 * a, a, a):
        h = part * (table[-1]["t"] - table[0]["t"])
        q, p, env = step(q, p, v, t, h)
        t += h
        v, p = put_on_rates(q, p, env, v, t)
    for n, x, y in zip(coords, q, v):
        good = all(holonomic) is False or close(y, table[-1][dot(n)], bound=1e-8)      # run puts velocities of the others on their constraints
        tally.check(close(x, table[-1][n], bound=1e-9) and good, "%s: %s is (%.12g, %.12g), not (%.12g, %.12g)" % (what, n, x, y, table[-1][n], table[-1][dot(n)]))


# ---- dual: at random numbers, not along a motion: its formulas are identities

DUAL_MODELS = ["lorenz", "pars42", "double-pendulum", "kepler", "coin", "snakeboard", "damped-oscillator", "lm2", "moving-wall", "lorenz-chetaev",
               "pendulum-cartesian", "touching", "lorenz-restricted", "pars-nu", "friction-block"]


def suffixed(name, suffix):
    """NAME_dot of NAME, a_dot[3] of a[3]."""
    at = name.index("[") if "[" in name else len(name)
    return name[:at] + suffix + name[at:]


def stem(unknown):
    dots = len(unknown) - len(unknown.rstrip("'"))
    return suffixed(unknown.rstrip("'").replace(".", "_"), ["", "_dot", "_ddot"][dots])


class Dual:
    """One form of the dual, printed: its formulas, and numbers for everything they are made of."""

    def __init__(self, shown, free, seed):
        def part(title):
            return shown.of("Free reactions, " + title[0].lower() + title[1:] if free else title)
        own = shown.text.split("# Free reactions")
        block = "# Free reactions".join(own[1:]) if free else own[0]
        self.numbers = random.Random(seed)
        self.matrix = matrix(block, "N" if free else "M")
        order = re.search(r"\n((?:  [^#\n=(][^#\n=()]*\n)+)  # rows and columns are in this order", block).group(1)
        self.U = re.sub(r" \[[^]]*\]|\s", "", order).split(",")                 # without units
        self.closed = not any("which solve these equations" in b or "coupled too widely" in b for b in [block])
        (_, _, _, self.H), = part("Potential")
        (_, _, _, self.Lpre), = part("Pre-dual Lagrangian")
        self.form, self.map = part("First-order form"), part("From dual to primal")
        self.action = {name: right for _, name, _, right in part("Dual action")}
        self.momenta, self.rates, self.hamiltonian = part("Momenta"), part("Rates of the dual variables"), part("Dual Hamiltonian")
        self.h, self.params = "H_free" if free else "H", shown.params()
        names = set().union(*[e[2].names | e[3].names for title in ("First-order form", "Potential", "Pre-dual Lagrangian", "From dual to primal",
                                                                   "Momenta", "Rates of the dual variables", "Dual Hamiltonian") for e in part(title)])
        self.env = {n: self.numbers.uniform(.1, .5) for n in sorted(names)}
        self.env.update(self.params, t=.3)

    def lagrangian(self, env):
        return self.Lpre(dict(env, **{self.h: self.H(env)}))

    def at_map(self):
        """Numbers with p and U by the printed map."""
        env, left = dict(self.env), {name: right for _, name, _, right in self.map}
        while left:
            ready = [n for n in left if not left[n].names & set(left)]
            env.update((n, left.pop(n)(env)) for n in ready)
            assert ready
        return env


def slope(f, env, name, h=1e-4):
    at = [f(dict(env, **{name: env.get(name, 0) + k * h})) for k in (1, -1, 2, -2)]
    return (8 * (at[0] - at[1]) - at[2] + at[3]) / (12 * h)


def check_dual_map(dual, say):
    """The equations of the map are dLpre/dU = 0, M is their matrix, and Ldual is Lpre there."""
    env = dual.at_map() if dual.closed else dual.env
    lines = iter([e for e in dual.map if not dual.closed])
    for i, u in enumerate(dual.U):
        gradient = slope(dual.lagrangian, env, u)
        want = 0 if dual.closed else next(lines)[2](env)
        say(close(gradient, want, bound=1e-8), "dLpre/d%s is %.9g, not %.9g" % (u, gradient, want))
        for j, v in enumerate(dual.U):
            row = dual.matrix.get((i + 1, j + 1)) or dual.matrix.get((j + 1, i + 1))
            second = slope(lambda e: slope(dual.lagrangian, e, v, 2e-3), env, u, 2e-3)
            say(not dual.matrix or close(second, row(env) if row else 0, bound=1e-5), "M of %s and %s is %.9g, not %.9g" % (u, v, row(env) if row else 0, second))
    density = [right for name, right in dual.action.items() if name.startswith("Ldual")]
    say(len(density) == dual.closed, "the density of the dual action is there where the map is")
    for right in density:
        say(close(right(env), dual.lagrangian(env), bound=1e-11), "Ldual is %.15g, Lpre at the map %.15g" % (right(env), dual.lagrangian(env)))


def check_dual_hamiltonian(dual, say):
    """P = -x; Hdual = P D' - Lpre at x = -P; dHdual/dP are the printed D', dHdual/dD = f."""
    differential = [left for _, left, _, _ in dual.momenta]
    env = dict(dual.env)
    for (_, P, _, right), u in zip(dual.momenta, dual.U):
        say(P == "P_" + stem(u) and close(right(env), -env[u]), "%s is not -%s" % (P, u))
    env.update((u, -env[P]) for u, P in zip(dual.U, differential))
    (_, _, _, H), = dual.hamiltonian
    rates, sum_ = {name: right(env) for _, name, _, right in dual.rates if name.startswith("dual.") and name.endswith("'")}, 0
    for u, P in zip(dual.U, differential):
        rate = rates["dual.%s'" % stem(u)]
        say(close(slope(H, env, P), rate, bound=1e-8), "dHdual/d%s is %.9g, D' is %.9g" % (P, slope(H, env, P), rate))
        sum_ += env[P] * rate
    say(close(H(env), sum_ - dual.lagrangian(dict(env, **rates)), bound=1e-11), "Hdual is not P*D' - Lpre")
    f = {left.rstrip("'") + "'" * (left.count("'") - 1): right(env)
         for _, left, _, right in dual.form if left not in dual.U and left in (left.rstrip("'") + "'", left.rstrip("'") + "''")}
    for u in dual.U[:len(differential)]:
        want = f.get(u) if u in f else env.get(u + "'")                # a position's rate is its velocity, an implicit rate is an unknown
        say(want is not None and close(slope(H, env, "dual." + stem(u)), want, bound=1e-8), "dHdual/dD of %s is not f" % u)
    for name, want in [("dL/dy", e[2](env)) for e in dual.rates if not e[1].startswith("dual.") or " " in e[1]]:
        say(math.isfinite(want), name)


def check_dual(program, path, tally):
    what = os.path.basename(path)[:-4] + " by dual"
    status, text, err = call(program, "derive", path, "--by", "dual")
    if not tally.check(status == 0, "%s: %s" % (what, err[:300])):
        return None
    shown, bad = Shown(text), []
    tally.check("too long to display" not in text, "%s: something is left out" % what)
    for free in (False, True) if "# Free reactions, matrix" in text else (False,):
        dual = Dual(shown, free, 7)
        check_dual_map(dual, lambda good, words: good or bad.append(words))
        if not free:
            check_dual_hamiltonian(dual, lambda good, words: good or bad.append(words))
        right = dual.action["Boundary_free" if free else "Boundary"]
        start = {n: dual.numbers.uniform(-1, 1) for n in sorted(right.names)}
        pairs = [n for n in start if not n.startswith("dual.")]
        want = -sum(start[n] * start["dual." + n] for n in pairs)
        tally.check(2 * len(pairs) == len(start) and close(right(start), want), "%s: the boundary term" % what)
    tally.check(not bad, "%s: %s" % (what, "; ".join(bad[:4])))
    check_latex(program, path, "dual", shown, tally)
    status, _, err = call(program, "derive", path, "--by", "dual", "--format", "c")
    tally.check(status == 2 and "solved by iteration" in err, "%s in C: exit %s" % (what, status))
    return shown


def check_dual_lorenz(shown, tally):
    """Acharya and Sengupta (29), (30), c = 1, with gamma' - B gamma in p (their S has + once); R and the Hamiltonian of their last formulas."""
    dual = Dual(shown, False, 11)
    e = dual.at_map()
    A, R, B = (e[n] for n in ("sigma", "a", "b"))
    l, m, g, dl, dm, dg = (e["dual." + n] for n in ("x", "y", "z", "x'", "y'", "z'"))
    base = [e[n + ".base"] for n in "xyz"]
    p_rest = [g * base[1] - m * base[2] - A * l + R * m, g * base[0] - m + A * l, -m * base[0] - B * g]
    p = [a + b for a, b in zip(p_rest, (dl, dm, dg))]
    inverse = [[1, g, -m], [g, 1 - m * m, -g * m], [-m, -g * m, 1 - g * g]]
    shift = [sum(a * b for a, b in zip(row, p)) / (1 - g * g - m * m) for row in inverse]
    for n, b, s in zip("xyz", base, shift):
        tally.check(close(e[n], b + s, bound=1e-13), "lorenz by dual: (29) has %s = %.15g, not %.15g" % (n, b + s, e[n]))
    density = -sum(a * b for a, b in zip(p, shift)) / 2 - sum(a * b for a, b in zip(base, p)) - m * base[0] * base[2] + g * base[0] * base[1]
    tally.check(close(dual.action["Ldual"](e), density, bound=1e-13), "lorenz by dual: (30) is %.15g, not %.15g" % (density, dual.action["Ldual"](e)))
    P = [e["P_" + n] for n in "xyz"]
    rows = [[1, -g, m], [-g, 1, 0], [m, 0, 1]]
    rate = [-sum(a * (q + b) for a, q, b in zip(row, P, base)) - r for row, r in zip(rows, p_rest)]
    for (_, name, _, right), want in zip(dual.rates, rate):
        tally.check(close(right(e), want, bound=1e-13), "lorenz by dual: R of %s" % name)
    for line in ["  p_z = dual.z' - x.base*dual.y - b*dual.z\n", "  x = x.base + (dual.z*p_y - dual.y*p_z + p_x)/(1 - dual.y^2 - dual.z^2)\n",
                 "  M = ( 1        -dual.z  dual.y )\n"]:
        tally.check(line in shown.text, "lorenz by dual: no line %s" % line)


def check_dual_pars(shown, L, b, names, tally):
    """(34), (35) with c = 1, x_i = base_i + rho_i' - mu L_ki v_k; Q = -reaction and Lambda = -dual.power."""
    dual, M = Dual(shown, True, 13), range(len(names))
    e = dual.at_map()
    mu, Lambda = e["dual.edge"], -e["dual.power"]
    rho, lam = ([e["dual." + n + s] for n in names] for s in ("", "_dot"))
    drho, dlam = ([e["dual." + n + s + "'"] for n in names] for s in ("", "_dot"))
    x, v, Q = [e[n + ".base"] for n in names], [e[n + "_dot.base"] for n in names], [-e["reaction_" + n + ".base"] for n in names]
    MM = [[(i == k) * (1 - Lambda ** 2) - mu ** 2 * sum(L[i][j] * L[k][j] for j in M) for k in M] for i in M]
    right = [v[i] - Lambda * Q[i] + rho[i] + dlam[i] - mu * b[i] + Lambda * lam[i] - mu * sum(L[i][j] * (x[j] + drho[j]) for j in M) for i in M]
    vH = gauss(MM, right)
    xH = [x[i] + drho[i] - mu * sum(L[k][i] * vH[k] for k in M) for i in M]
    QH = [Q[i] - lam[i] - Lambda * vH[i] for i in M]
    sH = e["slack.base"] / (1 - Lambda)
    for i, n in enumerate(names):
        for name, got, want in [(n, e[n], xH[i]), (n + "'", e[n + "'"], vH[i]), ("Q of " + n, -e["reaction." + n], QH[i])]:
            tally.check(close(got, want, bound=1e-12), "%s: (34) has %s = %.15g, not %.15g" % (shown.text[2:20], name, want, got))
    tally.check(close(e["slack"], sH, bound=1e-13), "pars: (34) has s = %.15g" % sH)
    inner = lambda a, c: sum(p * q for p, q in zip(a, c))
    off = [inner([p - q for p, q in zip(a, c)], [p - q for p, q in zip(a, c)]) for a, c in [(xH, x), (vH, v), (QH, Q), ([sH], [e["slack.base"]])]]
    density = (-inner(xH, drho) - inner(vH, rho) - inner(vH, dlam) + inner(lam, QH) + mu * inner(vH, [b[i] + inner(L[i], xH) for i in M])
               + Lambda * (inner(QH, vH) - sH ** 2 / 2) + sum(off) / 2)                                              # (32)
    tally.check(close(dual.action["Ldual_free"](e), density, bound=1e-12), "%s: (35) is %.15g, not %.15g" % (shown.text[2:20], density, dual.action["Ldual_free"](e)))


def check_dual_linear(shown, tally):
    """(47) with the sign that its constraint has, base 0: v1 = l1' - l1 z v3/(1 + z^2) + l2 v3/(1 + z^2), v2 = l2', Ldual = -(v1^2 + v2^2)/2."""
    dual = Dual(shown, False, 17)
    dual.env.update({"v1.base": 0, "v2.base": 0})
    e = dual.at_map()
    z = e["z0"] + e["v3"] * e["t"]
    l1, l2 = e["dual.v1"], e["dual.v2"]
    v1, v2 = e["dual.v1'"] + (l2 - l1 * z) * e["v3"] / (1 + z * z), e["dual.v2'"]
    tally.check(close(e["v1"], v1, bound=1e-13) and close(e["v2"], v2, bound=1e-13), "(47) has v = (%.15g, %.15g)" % (v1, v2))
    tally.check(close(dual.action["Ldual"](e), -(v1 * v1 + v2 * v2) / 2, bound=1e-13), "(47): the density")


def check_duals(program, tally):
    shown = {stem: check_dual(program, os.path.join(ROOT, "models", stem + ".act"), tally) for stem in DUAL_MODELS}
    check_dual_lorenz(shown["lorenz"], tally)
    check_dual_pars(shown["pars42"], [[0, 0, 1], [0, 0, 0], [0, 0, 0]], [0, -1, 0], ["x1", "x2", "x3"], tally)
    general = check_dual(program, os.path.join(GOLDEN, "pars31.act"), tally)
    p = general.params()
    check_dual_pars(general, [[p["l%d%d" % (i, j)] for j in (1, 2, 3)] for i in (1, 2, 3)], [p["b%d" % i] for i in (1, 2, 3)], ["x1", "x2", "x3"], tally)
    check_dual_linear(check_dual(program, os.path.join(GOLDEN, "pars47.act"), tally), tally)


# ---- C, LaTeX, texts that were read by a person

def check_c(program, folder, model, by, tally):
    what = "%s by %s in C" % (os.path.basename(model)[:-4], by)
    status, text, err = call(program, "derive", model, "--by", by, "--format", "c")
    if by in ("discrete", "skg"):
        return tally.check(status == 2 and "solved by iteration" in err, "%s: exit %s" % (what, status))
    tally.check("by %s." % by in text, "%s: the comment does not say by what" % what)
    name = re.search(r"int (\w+)_rhs\(", text).group(1)
    binary, trouble = compiled(folder, text, name)
    if not tally.check(not trouble, "%s: does not compile: %s" % (what, trouble[:300])):
        return
    y = names_of(text, "y")
    coords = [n[:-1] for n in y if n.endswith("'")]
    states = [n for n in y[2 * len(coords):] if not n.startswith("lambda.")]
    columns = coords + [dot(n) for n in coords] + y[2 * len(coords):]
    table, _ = motion(program, folder, model, by, coords, states, SHORTLY.get(by, []))
    fed = "\n".join(" ".join(repr(r[c]) for c in ["t"] + columns + held_of(text)) for r in table)
    done = subprocess.run([binary], input=fed, capture_output=True, text=True)
    tally.check(done.returncode == 0, "%s: ends with %d" % (what, done.returncode))
    got = [list(map(float, line.split())) for line in done.stdout.splitlines()]
    if what == "pendulum-cartesian by reduced in C":                                    # x is bound, and the rod does not hold it here
        done = subprocess.run([binary], input="0 0 -1 1 0", capture_output=True, text=True)
        tally.check(done.returncode == 2, "%s: rates where the split has no hold" % what)
    for i in range(len(coords) + len(states)):
        column = "derived_acc%d" % i if i < len(coords) else "derived_rate%d" % (i - len(coords))
        size = max(abs(r[column]) for r in table)
        tally.check(all(close(r[column], g[len(coords) + i], size, 1e-8) for r, g in zip(table, got)), "%s and run differ in %s" % (what, column))


def check_latex(program, model, by, shown, tally):
    status, text, err = call(program, "derive", model, "--by", by, "--format", "latex")
    what = "%s by %s" % (os.path.basename(model), by)
    tally.check(status == 0 and text.endswith("\\end{document}\n"), "%s: LaTeX: %s" % (what, err[:200]))
    tally.check(is_whole(text) and environments(text), "%s: LaTeX with open brackets" % what)
    twice = re.search(r"[\^_]\{[^{}]*\}\s*[\^_]\{[^{}]*\}\s*[\^_]\{|\}\^\{[^{}]*\}\^\{", text)
    tally.check(not twice, "%s: a second exponent: %s" % (what, twice and twice.group()))
    if by in ("gauss", "maggi", "appell", "hamilton"):                                  # without letters of their own
        latex_values.check(equations(shown.text), text, lambda good, words: tally.check(good, "%s: LaTeX: %s" % (what, words)))


def check_golden(program, tally):
    for path in sorted(glob.glob(os.path.join(GOLDEN, "*.txt"))):
        stem, by = os.path.basename(path)[:-4].rsplit(".", 1)
        _, text, _ = call(program, "derive", os.path.join(ROOT, "models", stem + ".act"), "--by", by)
        with open(path, encoding="utf-8") as file:
            tally.check(file.read() == text, "%s by %s: the text is not that of tests/derive_by/%s.%s.txt" % (stem, by, stem, by))


def main():
    program, models = arguments()
    if len(sys.argv) < 4 and (len(sys.argv) == 1 or sys.argv[1] == "--program"):
        models = [os.path.join(ROOT, "models", stem + ".act") for stem in MODELS]
    tally = Tally("derive_by")
    with tempfile.TemporaryDirectory() as folder:
        for model, by in itertools.product(models, PRINCIPLES):
            if not chosen("%s by %s" % (model_name(model), by)):
                continue
            shown = check_text(program, folder, model, by, tally)
            if shown:
                check_c(program, folder, model, by, tally)
                check_latex(program, model, by, shown, tally)
    run_parts((check_duals, check_golden), program, tally)
    tally.done()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Motion from the dual action of Acharya and Sengupta: orders, gauge, zero duals, the dual Hamiltonian, horizons, marching, closures and free reactions against
closed forms and a 40-digit Taylor series; the promise of --tol on the gallery; random systems; what is refused.

usage: dual.py [--program FILE] [--only PART ...] [--list]"""
import cmath
import json
import math
import os
import random
import tempfile
from decimal import Decimal, getcontext

from program import ROOT, Tally, arguments, call, rows, run_parts

# Lorenz's equations (10, 28, 8/3) from (1, 1, 1), 40-digit Taylor series.
LORENZ = {1: (-9.37857001092506236, -8.35703378842664473, 29.3623253373634282), 10: (-4.90268754113464573, -3.74387292180291962, 24.6908581027905555),
          20: (13.7931995951286188, 12.9518039361898985, 34.9016086811351429)}
PARS = ("x1", "x2", "x3", "x1_dot", "x2_dot", "x3_dot")


def taylor(t, order=30, steps=20):
    """Lorenz's equations at t, by steps of a Taylor series in 40 digits."""
    getcontext().prec = 40
    s, a, b, h = Decimal(10), Decimal(28), Decimal(8) / 3, Decimal(str(t)) / steps
    at = [Decimal(1)] * 3
    for _ in range(steps):
        x, y, z = ([v] for v in at)
        for n in range(order):
            xz, xy = sum(x[i] * z[n - i] for i in range(n + 1)), sum(x[i] * y[n - i] for i in range(n + 1))
            x.append(s * (y[n] - x[n]) / (n + 1)), y.append((a * x[n] - xz - y[n]) / (n + 1)), z.append((xy - b * z[n]) / (n + 1))
        at = [sum(c * h ** i for i, c in enumerate(v)) for v in (x, y, z)]
    return [float(v) for v in at]


def pars(t):
    """The closed form of pars42."""
    q, z0, z = math.sqrt(1.09), .3, .3 + .7 * t
    return (.1 + q / .7 * (math.asinh(z) - math.asinh(z0)), .2 + q / .7 * (math.sqrt(1 + z * z) - q), z, q / math.sqrt(1 + z * z), z * q / math.sqrt(1 + z * z), .7)


class Bench:
    def __init__(self, program, tally, folder):
        self.program, self.tally, self.folder = program, tally, folder

    def run(self, model, *words, by="dual"):
        """The JSON summary and the table, or None when it failed, which is counted."""
        status, out, err = self.call(model, *words, by=by)
        good = self.tally.check(status == 0, "%s %s: exit %s %s" % (model, " ".join(words), status, (out + err)[:300]))
        return json.loads(out) if good else None

    def call(self, model, *words, by="dual"):
        path = model if "/" in model else os.path.join(ROOT, "models", model + ".act")
        return call(self.program, "run", path, "--by", by, "--points", "2", "--json", *words)

    def table(self, model, *words, by="dual"):
        path = os.path.join(ROOT, "models", model + ".act")
        status, out, err = call(self.program, "run", path, "--by", by, "-o", "-", "--quiet", *words)
        return rows(out) if self.tally.check(status == 0, "%s %s: exit %s %s" % (model, " ".join(words), status, err[:200])) else []

    def near(self, x, y, bound, what):
        return self.tally.check(abs(x - y) <= bound, "%s: %.15g, not %.15g (off by %.1e)" % (what, x, y, abs(x - y)))

    def error(self, told, names, exact):
        return max(abs(told["end"][name] - x) for name, x in zip(names, exact)) if told else math.inf


def orders(b):
    """Nodal reactions have order 2k: a constant base, eliminated and implicit forms."""
    lorenz = taylor(.1)
    for model, names, exact, words, grids in (
            ("lorenz", "xyz", lorenz, ("--time", "0..0.1"), {1: (32, 64), 2: (8, 16), 3: (4, 8), 4: (4, 8)}),
            ("pars42", PARS, pars(1), ("--time", "0..1"), {1: (32, 64), 2: (8, 16), 3: (8, 16), 4: (2, 4)}),
            ("pars42", PARS, pars(1), ("--time", "0..1", "--multipliers"), {1: (32, 64), 2: (8, 16), 3: (8, 16), 4: (2, 4)})):
        for k, pair in grids.items():
            errors = [b.error(b.run(model, "--base", "constant", "--order", str(k), "--grid", str(n), *words), names, exact) for n in pair]
            rate = math.log2(errors[0] / errors[1])
            b.tally.check(abs(rate - 2 * k) < .2, "%s %s, degree %d: errors %s, order %.2f" % (model, " ".join(words), k, errors, rate))


def gauge(b):
    """Weights, base, final values and potentials change the dual variables, not the motion."""
    exact, square, fourth = taylor(.1), "((x-x.base)^2+(y-y.base)^2+(z-z.base)^2)/2", "((x-x.base)^4+(y-y.base)^4+(z-z.base)^4)/4"
    known = {"0": (-.28161, -.25570, .01535), ".01": (-.29761, -.26976, .01629), ".1": (-.44160, -.39632, .02471)}
    for words in ((), ("--weights", "x=1,y=2,z=5"), ("--base", "x=0,y=0,z=0"), ("--base", "x=1.5,y=2,z=.5", "--final", "x=.05,y=-.1,z=.08"), ("--weights", "x=exp(-10*t),z=2+sin(t)"),
                  *(("--potential", "%s + %s*%s" % (square, q, fourth)) for q in known), ("--potential", "cosh(x - x.base)")):
        told = b.run("lorenz", "--time", "0..0.1", "--grid", "32", "--base", "constant", *words)
        b.tally.check(b.error(told, "xyz", exact) < 2e-12, "gauge %s: off by %.1e" % (words, b.error(told, "xyz", exact)))
    for q, D in known.items():
        first = b.table("lorenz", "--time", "0..0.1", "--grid", "32", "--base", "constant", "--points", "3", "--potential", "%s + %s*%s" % (square, q, fourth))[0]
        for name, x in zip("xyz", D):
            b.near(first["dual." + name], x, 6e-6, "D(0) of %s with q = %s" % (name, q))
    last = b.table("lorenz", "--time", "0..0.1", "--grid", "8", "--base", "x=1.5,y=2,z=.5", "--final", "x=.05,y=-.1,z=.08", "--points", "3")[-1]
    b.tally.check((last["dual.x"], last["dual.y"], last["dual.z"]) == (.05, -.1, .08), "final values: %s" % last)
    one, hundred = (b.run("lorenz", "--time", "0..0.1", "--grid", "8", "--base", "constant", "--weights", "x=%s,y=%s,z=%s" % (c, c, c)) for c in ("1", "100"))
    b.near(hundred["dual"]["action"], 100 * one["dual"]["action"], 1e-10, "weights that are all multiplied by 100: S")
    b.near(hundred["dual"]["max_dual"], 100 * one["dual"]["max_dual"], 1e-10, "D")
    b.tally.check(hundred["dual"]["newton"] == one["dual"]["newton"], "and the steps are the same")


def whole(b):
    """One slab tells its dual variables, however its elements were chosen; several do not, nor does a run by tolerance."""
    for words, columns in ((("--slabs", "1"), True), (("--grid", "20"), True), (("--slabs", "1", "--grid", "20"), True), (("--slabs", "2"), False), (("--slabs", "2", "--grid", "20"), False), ((), False)):
        table, told = b.table("pars42", "--time", "0..1", *words, "--points", "3"), b.run("pars42", "--time", "0..1", *words)
        b.tally.check(("dual.x1" in table[0]) == columns == (told["dual"]["action"] is not None), "dual variables of %s" % (words,))
        b.tally.check(max(abs(row[n] - x) for row in table for n, x in zip(PARS, pars(row["t"]))) < 1e-8, "the motion of %s" % (words,))
        if words[:1] == ("--slabs",):
            b.tally.check(told["dual"]["slabs"] == int(words[1]), "slabs of %s: %s" % (words, told["dual"]))


def zero(b):
    """A base that is the motion has the dual 0, up to quadrature; and with exact quadrature of reactions too."""
    for points, known in ((3, 2.6e-6), (4, 1.9e-9), (6, 4e-12)):
        told = b.run("lorenz", "--time", "0..1", "--grid", "64", "--order", "2", "--nodes", str(points), "--base", "exact")
        b.tally.check(told and known / 2 < told["dual"]["max_dual"] < 2 * known, "zero dual with %d points: %s" % (points, told and told["dual"]))
    for words in ((), ("--multipliers",), ("--closure", "reduced"), ("--closure", "vakonomic"), ("--closure", "free"), ("--closure", "free", "--power", "zero")):
        told = b.run("pars42", "--time", "0..1", "--grid", "10", "--base", "exact", *words)
        b.tally.check(told and told["dual"]["max_dual"] < 1e-10 and told["dual"]["min_eigenvalue"] > 1 - 1e-9, "zero dual %s: %s" % (words, told and told["dual"]))


def hamiltonian(b):
    """The dual Hamiltonian of a constant base is -|x(T) - base|^2/2, and constant at order 2k."""
    for k, known in ((2, (9.8e-4, 6.4e-5, 4e-6, 2.5e-7)), (3, (None, None, None, 1.2e-11)), (4, (4e-9, 1.6e-11, 3e-13, None))):
        for n, drift in zip((4, 8, 16, 32), known):
            told = b.run("lorenz", "--time", "0..0.1", "--grid", str(n), "--order", str(k), "--base", "constant")
            if drift and told:
                b.tally.check(told["dual"]["hamiltonian_drift"] < max(2.5 * drift, 3e-12), "Hamiltonian, degree %d, %d elements: drift %.1e, not %.1e" % (k, n, told["dual"]["hamiltonian_drift"], drift))
    b.near(told["dual"]["hamiltonian"], -6.67383193909, 1e-11, "dual Hamiltonian")
    b.near(told["dual"]["hamiltonian"], -sum((x - 1) ** 2 for x in taylor(.1)) / 2, 1e-11, "dual Hamiltonian, by the end")


def quadratic(b):
    """Eq. 47 with its sign corrected: S is .545 T, in one Newton step (and one more for the last digits)."""
    for t, first in ((1, (-.924364725991, -.552117580034)), (5, (-4.158975908183, -4.303413639379))):
        words = ("--time", "0..%d" % t, "--grid", str(32 * t), "--base", "v1=0,v2=0")
        told, table = b.run("pars47", *words), b.table("pars47", "--points", "3", *words)
        b.near(told["dual"]["action"], .545 * t, 1e-12, "S of eq. 47, T = %d" % t)
        b.tally.check(told["dual"]["newton"] <= 2 and told["dual"]["min_eigenvalue"] == 1, "eq. 47: %s" % told["dual"])
        for name, x in zip(("dual.v1", "dual.v2"), first):
            b.near(table[0][name], x, 2e-11, "%s(0) of eq. 47, T = %d" % (name, t))


def horizon_of(b, model, *words):
    status, out, _ = b.call(model, *words)
    said = json.loads(out).get("errors", [{}])[0] if status else {}
    if not b.tally.check(status == 3 and said.get("code") == "DUAL_HORIZON", "%s %s: %s %s" % (model, words, status, said)):
        return math.nan
    return float(said["message"].split("only up to length ")[1].split()[0])


def horizons(b):
    """How long one slab may be, by one backward solution along the motion; Newton's method agrees."""
    bases = {"constant": (.1469, .2128, .2858, .3747), "x=0,y=0,z=0": (.1330, .1954, .2784, .3647), "x=0,y=0,z=27": (.0404, .0524, .0890)}
    for base, known in bases.items():
        for alpha, horizon in zip((0, 10, 20, 40), known):
            words = ("--time", "0..0.5", "--grid", "50", "--base", base, "--weights", ",".join("%s=exp(-%d*t)" % (name, alpha) for name in "xyz"))
            b.near(horizon_of(b, "lorenz", *words), horizon, 1.2e-4, "horizon of base %s, alpha = %d" % (base, alpha))
    for model, horizon in (("pars42", 1.348), ("pars45", 1.418)):
        b.near(horizon_of(b, model, "--time", "0..2", "--grid", "50", "--base", "constant"), horizon, 6e-4, "horizon of " + model)
    for t, good in ((.14, True), (.146, True), (.148, False), (.15, False)):
        b.tally.check((b.call("lorenz", "--time", "0..%g" % t, "--grid", "14", "--base", "constant")[0] == 0) == good, "one slab of %g on a constant base" % t)
    told = b.run("lorenz", "--time", "0..0.4", "--grid", "100", "--base", "constant", "--weights", ",".join("%s=exp(-80*t)" % name for name in "xyz"))
    b.tally.check(b.error(told, "xyz", taylor(.4, steps=80)) < 1e-8, "exponential weights keep M positive on a longer slab")


def marching(b):
    """Slabs of length 1, elements of .01, degree 4."""
    for t, bound in ((10, 6e-10), (20, 6e-7)):
        told = b.run("lorenz", "--time", "0..%d" % t, "--slabs", str(t), "--grid", str(100 * t))
        b.tally.check(b.error(told, "xyz", LORENZ[t]) < bound, "lorenz, %d slabs: off by %.1e" % (t, b.error(told, "xyz", LORENZ[t])))
        b.tally.check(told["dual"]["slabs"] == t and told["dual"]["elements"] == 100 * t and told["dual"]["newton"] <= 3 * t and .99 < told["dual"]["min_eigenvalue"] <= 1, "%s" % told["dual"])
    for k, n, bound in ((2, 400, 1e-9), (3, 200, 1e-11), (4, 100, 1e-10), (6, 50, 1e-11)):
        told = b.run("lorenz", "--time", "0..1", "--order", str(k), "--grid", str(n))
        b.tally.check(b.error(told, "xyz", LORENZ[1]) < bound and told["dual"]["degree"] == k, "lorenz, one slab of degree %d: off by %.1e" % (k, b.error(told, "xyz", LORENZ[1])))
    told = b.run("lorenz", "--time", "1..0", "--slabs", "10", "--grid", "200", *("--start x=%.17g,y=%.17g,z=%.17g" % LORENZ[1]).split())
    b.tally.check(b.error(told, "xyz", (1, 1, 1)) < 1e-6, "backward: off by %.1e" % b.error(told, "xyz", (1, 1, 1)))


def closures(b):
    """Whatever closes the motion has a dual: that of every principle is its own motion."""
    known = {"gauss": 0.97355616490802232, "vakonomic": 0.92542542637835245, "reduced": 1.1}
    for closure, x1 in known.items():
        for words in (("--tol", "1e-11"), ("--grid", "20"), ("--slabs", "3", "--grid", "30")):
            told = b.run("pars42", "--time", "0..1", "--closure", closure, *words)
            b.near(told["end"]["x1"], x1, 2e-12, "x1(1) by closure %s %s" % (closure, " ".join(words)))
            b.tally.check(told["dual"]["closure"] == closure, "the closure is told")
    told = b.run("pars42", "--time", "0..5", "--closure", "reduced")
    b.near(told["end"]["energy"], 7.965, 1e-8, "energy of the split's motion")
    for model, words in (("pars42", ("--multipliers",)), ("pars45", ("--multipliers",)), ("disk", ("--multipliers", "--time", "0..1")), ("pendulum-cartesian", ("--multipliers",)),
                         ("pars45", ()), ("rod-servo-along", ("--multipliers",))):
        by_dual, other = b.table(model, "--tol", "1e-10", *words), b.table(model, "--tol", "1e-10", *[w for w in words if w != "--multipliers"], by="dalembert")
        names = [name for name in (other or [{}])[0] if name.split(".")[0] in ("lambda", "reaction") or "." not in name]
        worst = max((abs(x[name] - y[name]) / max(1, abs(y[name])) for x, y in zip(by_dual, other) for name in names), default=math.inf)
        b.tally.check(len(by_dual) == len(other) and worst < 2e-9, "%s %s: %.1e away from d'Alembert's motion" % (model, words, worst))


def free(b):
    """Free reactions: the motion nearest to the base depends on the base and on the interval; Gauss's closure does not."""
    path = os.path.join(b.folder, "base.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write("t," + ",".join(PARS) + "\n")
        for i in range(401):
            t = i / 400
            file.write(",".join("%.17g" % x for x in (t, *(x + .05 * math.sin(3 * t + j) for j, x in enumerate(pars(t))))) + "\n")
    def at_half(*words):
        tables = [b.table("pars42", "--base", path, "--time", "0..%s" % t, "--grid", str(n), "--points", str(p), *words) for t, n, p in ((".5", 20, 11), ("1", 40, 21))]
        return max(abs(x[name] - y[name]) for x, y in zip(*tables) for name in PARS) if all(tables) else math.nan
    b.tally.check(at_half() < 1e-9, "Gauss's closure does not know where the interval ends: %.1e" % at_half())
    for words in ((), ("--power", "zero"), ("--power", "nonnegative")):
        apart = at_half("--closure", "free", *words)
        b.tally.check(1e-4 < apart < .1, "free reactions do, %s: %.1e" % (words, apart))
    status, out, err = call(b.program, "run", "pars42", "--by", "dual", "--closure", "free", "--time", "0..1", "--grid", "10", "--json")
    b.tally.check(status == 0 and any(w["code"] == "FREE_REACTION" and "length of the interval" in w["message"] for w in json.loads(out)["warnings"]), "the run says so")
    words = ("--base", path, "--time", "0..1", "--grid", "32", "--points", "33", "--closure", "free")
    lossless, lossy, other = (b.table("pars42", *words, "--power", p) for p in ("zero", "nonnegative", "nonnegative,-.3"))
    b.tally.check(max(abs(r["energy"] - .79) for r in lossless) < 1e-6, "reactions of power 0 keep the energy")
    b.tally.check(all(x["energy"] > y["energy"] for x, y in zip(lossy, lossy[1:])), "reactions that take power let it fall")
    b.near(lossy[-1]["x1"], other[-1]["x1"], 1e-9, "the sign of the slack's base is that of the slack, no more")
    for table in (lossless, lossy):
        b.tally.check(max(abs(r["residual.edge"]) for r in table) < 1e-9, "free reactions obey the constraint")
        power = max(abs(sum(r["reaction." + n] * r[n + "_dot"] for n in ("x1", "x2", "x3")) - (0 if table is lossless else r["energy"] * 0)) for r in table)
        b.tally.check(power < 1e-4 if table is lossless else .02 < power < .2, "power of the reaction: %.1e" % power)
    for power in ("zero", "nonnegative"):
        told = b.run("pars-general", "--closure", "free", "--power", power, "--grid", "40")
        b.tally.check(told and told["residual"] < 1e-9 and told["dual"]["min_eigenvalue"] > 0, "five coordinates, power %s: %s" % (power, told and told["dual"]))


def tolerance(b):
    """--tol holds, beside a much finer run by d'Alembert; as many rows as asked for."""
    for model, span in (("lorenz", "0..5"), ("kepler", "0..7"), ("spherical-pendulum", "0..5"), ("disk", "0..3"), ("driven-double-pendulum", "0..2"), ("bilinear-oscillator", "0..5"), ("pars-nu", "0..5"), ("knife", "0..2")):
        exact = b.table(model, "--time", span, "--tol", "1e-12", by="dalembert")
        for tol in ("1e-5", "1e-7", "1e-9"):
            table = b.table(model, "--time", span, "--tol", tol)
            names = [name for name in (exact or [{}])[0] if "." not in name]
            worst = max((max(abs(x[n] - y[n]) for x, y in zip(exact, table)) / max(1, max(abs(x[n]) for x in exact)) for n in names), default=math.inf)
            b.tally.check(len(table) == len(exact) == 201 and worst < float(tol), "%s at %s: %.1e" % (model, tol, worst))


def soft(b):
    """Soft walls are potentials like any other; switches end slabs where they are."""
    for model, words in (("bouncing-ball", ("--sigma", ".01", "--barrier", "50", "--time", "0..2")), ("puck", ("--sigma", ".05", "--barrier", "500"))):
        one, other = (b.table(model, *words, by=by) for by in ("dual", "dalembert"))
        worst = max((abs(x[n] - y[n]) for x, y in zip(one, other) for n in x if n in ("x", "y")), default=math.inf)
        b.tally.check(len(one) == len(other) and worst < 1e-8, "%s with soft walls: %.1e away" % (model, worst))


SLOW = {"nlink", "van-der-pol"}


def gallery(b):
    """Every model to which it applies has the motion of d'Alembert."""
    agreed = 0
    for name in sorted(os.listdir(os.path.join(ROOT, "models"))):
        stem = name[:-4]
        if not name.endswith(".act") or stem in SLOW:
            continue
        status, out, err = call(b.program, "compare", os.path.join(ROOT, "models", name), "--by", "dalembert,dual", "--points", "41", "--json")
        told = {row["by"]: row["status"] for row in json.loads(out).get("principles", [])} if status in (0, 1) else {}
        b.tally.check(told.get("dalembert") != "reference" or told.get("dual") in ("agrees", "inapplicable"), "%s: %s %s" % (stem, told, err[:200]))
        agreed += told.get("dual") == "agrees"
    b.tally.check(agreed >= 70, "models that agree: %d" % agreed)


def refused(b):
    """Failures say what happened and what to try; options that do not fit are usage errors."""
    for model, words, status, code in (
            ("lorenz", ("--time", "0..5", "--grid", "50", "--base", "constant"), 3, "DUAL_HORIZON"), ("lorenz", ("--slabs", "10", "--grid", "500", "--base", "constant"), 3, "DUAL_FAILS"),
            ("van-der-pol", (), 3, "DUAL_STIFF"), ("bouncing-ball", (), 1, "INAPPLICABLE"), ("four-bar", (), 1, "INAPPLICABLE"), ("pendulum-tension", (), 1, "INAPPLICABLE"),
            ("lorenz", ("--closure", "reduced"), 1, "INAPPLICABLE"), ("disk", ("--closure", "vakonomic"), 1, "INAPPLICABLE"),
            ("pars42", ("--closure", "free"), 2, "FREE_NEEDS_GRID"), ("pars42", ("--power", "zero"), 2, "NOT_ITS_OPTION"), ("pars42", ("--nodes", "2"), 2, "NO_QUADRATURE"),
            ("pars42", ("--grid", "3", "--slabs", "4"), 2, "FEW_ELEMENTS"), ("pars42", ("--method", "dop853"), 2, "NOT_ITS_OPTION"), ("pars42", ("--gradient", "x1"), 2, "NOT_ITS_OPTION"),
            ("pars42", ("--verify",), 2, "NOT_ITS_OPTION"), ("pars42", ("--base", "nowhere.csv"), 5, "CANNOT_READ"), ("pars42", ("--weights", "edge=1"), 2, None),
            ("pars42", ("--weights", "x1''=1"), 2, "NOT_DUAL"), ("pars42", ("--potential", "x1^2 + y.base"), 2, "UNKNOWN_NAME"), ("pars42", ("--weights", "x1=x2"), 2, "BAD_OPTION"),
            ("pars42", ("--final", "lambda.edge=1"), 2, "NOT_DUAL")):
        got, out, _ = b.call(model, *words)
        said = (json.loads(out).get("errors") or [{}])[0]
        good = got == status and (code is None or said.get("code") in (code, "BAD_OPTION" if status == 2 else code))
        b.tally.check(good, "%s %s: %s %s" % (model, " ".join(words), got, said))
        b.tally.check(status == 2 or bool(said.get("hint")) or code == "CANNOT_READ", "%s %s: no remedy in %s" % (model, " ".join(words), said))
    for words in (("--closure", "nobody"), ("--power", "nonnegative,0"), ("--order", "9"), ("--base", "motion"), ("--weights", "x")):
        b.tally.check(b.call("pars42", *words)[0] == 2, "%s is no option" % (words,))
    for words in (("--closure", "gauss"), ("--multipliers",), ("--weights", "x1=2"), ("--base", "exact"), ("--potential", "x1^2")):
        b.tally.check(b.call("pars42", *words, by="dalembert")[0] == 2, "%s beside dalembert" % (words,))
    bad = os.path.join(b.folder, "bad.csv")
    for text in ("x1\n1\n2\n", "t,x1\n0,1\n0,2\n", "t,x1\n0,1\n1,a\n", "t,x1\n0,1\n", ""):
        with open(bad, "w", encoding="utf-8") as file:
            file.write(text)
        got, out, _ = b.call("pars42", "--base", bad, "--grid", "5")
        b.tally.check(got == 5 and json.loads(out)["errors"][0]["code"] == "BASE_TABLE", "a table %r: %s" % (text, out[:200]))


def stepped(rates, span, y, steps):
    """Runge and Kutta's steps of order 4 from span[0] to span[1]."""
    h = (span[1] - span[0]) / steps
    for i in range(steps):
        t, total, k = span[0] + i * h, [0.0] * len(y), [0.0] * len(y)
        for at, weight in ((0, 1), (.5, 2), (.5, 2), (1, 1)):
            k = rates(t + at * h, [a + at * h * b for a, b in zip(y, k)])
            total = [a + weight * b for a, b in zip(total, k)]
        y = [a + h / 6 * b for a, b in zip(y, total)]
    return y


def random_system(rng, names):
    """Right sides of degree 3 with drives, as text that both sides read."""
    def side(i):
        words = ["-%.3f*%s" % (rng.uniform(.2, 1.5), names[i])]
        words += ["%+.3f*%s" % (rng.uniform(-1, 1), "*".join(rng.choice(names) for _ in range(rng.randint(1, 3)))) for _ in range(rng.randint(1, 3))]
        words += ["+%.3f*sin(%.2f*t)" % (rng.uniform(0, 1), rng.uniform(.5, 3))] * (rng.random() < .4) + ["+.3/(1 + %s*%s)" % ((rng.choice(names),) * 2)] * (rng.random() < .2)
        return " ".join(words)
    return [side(i) for i in range(len(names))]


def write_system(path, names, sides, start, span):
    with open(path, "w", encoding="utf-8") as file:
        file.write("model stranger\nstate %s\n" % ", ".join(names))
        file.write("".join("flow %s' = %s\n" % pair for pair in zip(names, sides)))
        file.write("start %s\ntime %g .. %g\n" % (", ".join("%s = %s" % pair for pair in zip(names, start)), *span))


def strangers(b):
    """Random first-order systems, forward and backward, beside steps of order 4 with their error taken out."""
    rng, path, seen = random.Random(11), os.path.join(b.folder, "stranger.act"), 0
    choices = ((), ("--grid", "40"), ("--grid", "40", "--multipliers"), ("--grid", "40", "--base", "constant"), ("--grid", "30", "--base", "exact"), ("--slabs", "4", "--grid", "32", "--order", "6", "--weights", "a=3"),
               ("--grid", "40", "--final", "a=.1"), ("--grid", "24", "--potential", "cosh(a - a.base)"))
    for _ in range(10):
        names, span = "abcd"[:rng.randint(1, 4)], rng.choice(((0, 1), (1.5, 3), (0, -1)))
        sides, start = random_system(rng, names), [round(rng.uniform(-1, 1), 3) for _ in names]
        write_system(path, names, sides, start, span)
        code = [compile(side, "side", "eval") for side in sides]

        def rates(t, y):
            return [eval(c, {"sin": math.sin, "t": t, **dict(zip(names, y))}) for c in code]
        rough, fine = stepped(rates, span, start, 400), stepped(rates, span, start, 800)
        exact = [y + (y - x) / 15 for x, y in zip(rough, fine)]
        for words in choices:
            status, out, _ = b.call(path, *words)
            told = json.loads(out)
            if status == 3 and told["errors"][0]["code"] == "DUAL_HORIZON" and ("constant" in words or "--final" in words):
                continue
            seen += 1
            good = status == 0 and b.error(told, names, exact) < 2e-8 * (1 + max(map(abs, exact)))
            b.tally.check(good, "%s %s: %s, not %s %s" % (sides, words, told.get("end"), exact, told.get("errors")))
    b.tally.check(seen >= 70, "%d runs" % seen)


def nearest(b):
    """A point without forces and free reactions R = x''. From rest at 0 it makes (x - 1)^2 + x'^2 + c (x'' - r)^2 least, and with D = d/dt that is
    c D^4 x - D^2 x + x = 1, D^2 x = r and c D^3 x = D x at the end: four exponentials."""
    path, T = os.path.join(b.folder, "nearest.act"), 2
    with open(path, "w", encoding="utf-8") as file:
        file.write("model nearest\ncoord x\nlagrangian x'^2/2\nstart x = 0\ntime 0 .. 2\n")
    for c, rest, words in ((1, 0, ("--base", "x=1,x'=0")), (2, 0, ("--base", "x=1,x'=0", "--weights", "reaction.x=2")),
                           (3, .5, ("--base", "x=1,x'=0,reaction.x=.5", "--weights", "reaction.x=3"))):
        roots = [sign * cmath.sqrt((1 + s * cmath.sqrt(1 - 4 * c)) / (2 * c)) for s in (1, -1) for sign in (1, -1)]
        columns = [[1, r, r * r * cmath.exp(r * T), (c * r ** 3 - r) * cmath.exp(r * T)] for r in roots]
        m = [[column[i] for column in columns] + [(-1, 0, rest, 0)[i]] for i in range(4)]
        for i in range(4):
            top = max(range(i, 4), key=lambda k: abs(m[k][i]))
            m[i], m[top] = m[top], m[i]
            m = [row if k == i else [x - row[i] / m[i][i] * y for x, y in zip(row, m[i])] for k, row in enumerate(m)]
        k = [m[i][4] / m[i][i] for i in range(4)]
        told = b.run(path, "--closure", "free", "--grid", "20", *words)
        b.near(told["end"]["x"], (1 + sum(a * cmath.exp(r * T) for a, r in zip(k, roots))).real, 1e-11, "the nearest motion, c = %g: x(2)" % c)
        b.near(told["end"]["x_dot"], sum(a * r * cmath.exp(r * T) for a, r in zip(k, roots)).real, 1e-11, "its velocity")
        b.tally.check(told["dual"]["hamiltonian_drift"] < 1e-12, "its Hamiltonian drifts by %.1e" % told["dual"]["hamiltonian_drift"])


def takes_power(b):
    """What free reactions take is what the energy loses; the motion does not change with the grid."""
    words = ("--closure", "free", "--power", "nonnegative", "--base", "constant", "--time", "0..1")
    table = b.table("pars42", *words, "--grid", "20", "--points", "201")
    power = [sum(r["reaction." + n] * r[n + "_dot"] for n in ("x1", "x2", "x3")) for r in table]
    worst = max(abs((y["energy"] - x["energy"]) / .005 - (p + q) / 2) for x, y, p, q in zip(table, table[1:], power, power[1:]))
    b.tally.check(max(power) < 0 and worst < 1e-5, "power of the reactions and rate of the energy: %.1e apart, at most %.1e" % (worst, max(power)))
    ends = [b.run("pars42", *words, "--grid", n)["end"]["x1"] for n in ("10", "40", "160")]
    b.tally.check(max(ends) - min(ends) < 1e-12, "x1(1) on three grids: %s" % ends)


def backward(b):
    """Time runs backward under every closure."""
    for closure in ("gauss", "vakonomic", "reduced"):
        other = b.run("pars42", "--time", "1..0", "--tol", "1e-11", by={"gauss": "dalembert"}.get(closure, closure))
        told = b.run("pars42", "--time", "1..0", "--grid", "20", "--closure", closure)
        off = b.error(told, PARS, [other["end"][n] for n in PARS])
        b.tally.check(off < 1e-11 and told["dual"]["max_dual"] < 1e-5, "%s, backward: off by %.1e" % (closure, off))


def tables(b):
    """Tables as a run writes them, with other ends of lines and quoted names; what is no number is named by line and column."""
    path = os.path.join(b.folder, "table.csv")
    text = call(b.program, "run", "lorenz", "--time", "0..1", "--points", "101", "-o", "-", "--quiet")[1]
    head, _, rest = text.partition("\n")
    for form in (text, text.replace("\n", "\r\n"), ",".join('"%s"' % name for name in head.split(",")) + "\n" + rest, text.rstrip("\n")):
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(form)
        told = b.run("lorenz", "--time", "0..1", "--grid", "50", "--base", path)
        b.tally.check(b.error(told, "xyz", LORENZ[1]) < 1e-8, "a table as base: off by %.1e" % b.error(told, "xyz", LORENZ[1]))
    lines = text.split("\n")
    for line, cell in ((4, "nan"), (4, "inf"), (7, "1e999"), (9, "--"), (9, "")):
        cells = lines[line - 1].split(",")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines[:line - 1] + [",".join(cells[:1] + [cell] + cells[2:])] + lines[line:]))
        status, out, _ = b.call("lorenz", "--time", "0..1", "--grid", "50", "--base", path)
        b.tally.check(status == 5 and "line %d has no number in column 2" % line in json.loads(out)["errors"][0]["message"], "a cell %r: %s" % (cell, out[:200]))


def coarse(b):
    """Too few elements: a motion near the right one, or a failure that is told; never another motion."""
    done = told = 0
    for model, names, span in (("lorenz", "xyz", .5), ("lorenz", "xyz", 1), ("lorenz", "xyz", 2), ("double-pendulum", "ab", 1), ("double-pendulum", "ab", 2), ("pars45", PARS[:3], 5)):
        exact = b.run(model, "--time", "0..%g" % span, by="dalembert")["end"]
        for k, n in ((k, n) for k in (2, 4, 8) for n in (2, 5, 10, 20)):
            status, out, _ = b.call(model, "--time", "0..%g" % span, "--order", str(k), "--grid", str(n))
            said = json.loads(out)
            done, told = done + (status == 0), told + (status != 0)
            if status:
                b.tally.check(status == 3 and said["errors"][0]["hint"], "%s 0..%g: %s" % (model, span, said["errors"]))
                continue
            off = max(abs(said["end"][x] - exact[x]) for x in names) / max(1, *(abs(exact[x]) for x in names))
            b.tally.check(off < .05, "%s 0..%g, %d elements of degree %d: off by %.1e" % (model, span, n, k, off))
    b.tally.check(done > 15 and told > 15, "%d motions, %d failures" % (done, told))


def written(b):
    """Dual columns in files and drawings of one slab; in those of several they are not known."""
    path = [os.path.join(b.folder, "dual" + end) for end in (".json", ".csv", ".svg")]
    words = ("--by", "dual", "--time", "0..0.1", "--grid", "20", "--base", "constant", "--points", "5")
    status, _, err = call(b.program, "run", "lorenz", *words, "-o", path[0], "-o", path[1], "--plot", path[2], "--axes", "x:dual.x")
    if b.tally.check(status == 0, "files: %s" % err[:200]):
        with open(path[0], encoding="utf-8") as file:
            columns = {c["name"]: c["data"] for c in json.load(file)["columns"]}
        with open(path[1], encoding="utf-8") as file:
            table = rows(file.read())
        b.tally.check(all(columns[n] == [r[n] for r in table] for n in ("x", "dual.x", "dual.y", "dual.z")), "JSON and CSV have the same dual columns")
        b.near(columns["dual.x"][0], -.28161, 6e-6, "D(0) of x in the file")
        with open(path[2], encoding="utf-8") as file:
            b.tally.check("nan" not in file.read(), "the drawing has numbers only")
    status, _, err = call(b.program, "run", "lorenz", "--by", "dual", "--time", "0..0.1", "-o", path[1], "--plot", path[2], "--axes", "dual.x")
    b.tally.check(status == 2 and "dual.x" in err, "a dual column that is not known: %s %s" % (status, err[:200]))


SECTIONS = (orders, gauge, whole, zero, hamiltonian, quadratic, horizons, marching, closures, free, tolerance, soft, gallery, refused,
            strangers, nearest, takes_power, backward, tables, coarse, written)


def main():
    program, _ = arguments()
    tally = Tally("dual")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(program, tally, folder)
        run_parts(SECTIONS, bench)
    tally.done()


if __name__ == "__main__":
    main()

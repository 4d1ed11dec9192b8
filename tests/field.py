#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fields: motions beside an independent method of lines and closed forms of the discrete equations; orders in N; laws; the rules of densities; columns, places, start data;
what is refused.

The discretisation in space is part of the language, so values agree to the accuracy asked of time, not to h^2.

usage: field.py [--program FILE] [--only PART ...] [--list]"""
import json
import math
import os
import tempfile

import field_oracle as oracle                  # before numpy: it keeps the linear algebra to one thread
import field_random
import numpy as np
from field_oracle import far
from field_texts import EDGE, HELD, LINK, STRING, TEXTS, TOP, WAVE, WRONG
from program import ROOT, Tally, arguments, call, chosen, rows, run_parts

CLOSE = 2e-9            # the program promises 1e-9 of max(1, size); the oracle is good to 1e-11
REFUSED = ("kirchhoff_point",)                  # a root of an integral of velocities: this version has no equations for it


class Bench:
    def __init__(self, program, tally, folder):
        self.program, self.tally, self.folder = program, tally, folder

    def path(self, model):
        if "\n" not in model:
            return os.path.join(ROOT, "models", model + ".act")
        path = os.path.join(self.folder, "m.act")
        with open(path, "w", encoding="utf-8") as file:
            file.write(model.rstrip("\n") + "\n")
        return path

    def call(self, command, model, *words):
        return call(self.program, command, self.path(model), *words)

    def table(self, model, *words, points=3, what=None):
        """Rows, field columns gathered into arrays; none when it failed, which is counted."""
        status, out, err = self.call("run", model, "-o", "-", "--quiet", "--points", str(points), *words)
        what = what or model.split("\n")[0][:60]
        if not self.tally.check(status == 0, "%s %s: exit %s %s" % (what, " ".join(words), status, (err or out)[:300])):
            return []
        return [gathered(row) for row in rows(out)]

    def near(self, value, wanted, bound, what):
        value, wanted = np.atleast_1d(value), np.atleast_1d(wanted)
        if not self.tally.check(value.shape == wanted.shape, "%s: %s values, not %s" % (what, value.shape, wanted.shape)):
            return False
        k = int(np.argmax(np.abs(value - wanted)))
        off = abs(value[k] - wanted[k])
        return self.tally.check(off <= bound, "%s%s: %.17g, not %.17g: off by %.1e, not within %.0e" % (what, "[%d]" % k if len(value) > 1 else "", value[k], wanted[k], off, bound))

    def json(self, command, model, *words):
        status, out, err = self.call(command, model, *words, "--json")
        try:
            return status, json.loads(out)
        except ValueError:
            self.tally.check(False, "%s: no JSON: %s %s" % (model.split("\n")[0][:60], out[:200], err[:200]))
            return status, {}


def gathered(row):
    """{'x[0]': 1, 'x[1]': 2, 't': 0} as {'x': array, 't': 0}."""
    out, parts = {}, {}
    for name, value in row.items():
        head, bracket, tail = name.partition("[")
        if bracket:
            parts.setdefault(head, []).append((int(tail.rstrip("]")), value))
        else:
            out[name] = value
    for head, pairs in parts.items():
        out[head] = np.array([value for _, value in sorted(pairs)])
    return out


# ---- motions

def motions(b):
    """Every system of the oracle: all coordinates, rates, multipliers and the energy at three times."""
    for case in oracle.CASES:
        if case.__name__ not in REFUSED and chosen("motions " + case.__name__):
            motion(b, case)
    for name in REFUSED if chosen("motions refused") else ():
        refused(b, TEXTS[name], name)


def refused(b, text, what):
    status, out, err = b.call("run", text, "-o", "-", "--no-color")
    b.tally.check(status == 1 and not out.strip() and "m.act:" in err and "error:" in err, "%s: exit %s %s" % (what, status, (err or out)[:200]))


def motion(b, case):
    same_motion(b, case.__name__, TEXTS[case.__name__], *case())


def randoms(b):
    """Random densities, forces, losses and constraints on random axes."""
    for seed in range(30):
        text, *rest = field_random.system(seed)
        before = b.tally.failed
        same_motion(b, "random model %d" % seed, text, *rest)
        if b.tally.failed > before:
            print(text)


def same_motion(b, name, text, S, state, times):
    mine = S.motion(state, times)
    theirs = b.table(text, points=len(times), what=name)
    for r, wanted in zip(theirs, mine):
        for column, value in wanted.items():
            if column.startswith(":"):
                continue
            if b.tally.check(column in r, "%s: no column %s among %s" % (name, column, " ".join(r))):
                b.near(r[column], value, CLOSE * max(1, np.max(np.abs(value))) * (10 if column.startswith("lambda") else 1), "%s at %g: %s" % (name, wanted["t"], column))


def exact(b):
    """Closed forms of the discrete equations, without the oracle between."""
    for N in (2, 3, 9, 33):
        r = b.table(TEXTS["rotating_string"], "--set", "s.nodes=%d" % N)
        if r:
            x, y, tension = oracle.spun(N, 1)
            b.near(r[-1]["x"], x, CLOSE, "spinning string, %d nodes: x" % N)
            b.near(r[-1]["y"], y, CLOSE, "spinning string, %d nodes: y" % N)
            b.near(-2 * np.atleast_1d(r[-1]["lambda.link"]), tension, 2e-8, "spinning string, %d nodes: tension" % N)
    for name, column, form, N, t in (("fixed_wave", "y", oracle.fixed_wave_exact, 9, 1), ("pinned_beam", "w", oracle.pinned_exact, 9, .5), ("driven_end", "y", oracle.driven_exact, 9, 1.5),
                                     ("kirchhoff", "y", oracle.kirchhoff_exact, 9, 1), ("timoshenko", "w", lambda N, t: oracle.timoshenko_exact(N, t)[0], 9, 1)):
        r = b.table(TEXTS[name], what=name)
        if r:
            b.near(r[-1][column], form(N, t), CLOSE, name + ", closed form")
    for N in (5, 17, 65):
        r = b.table(TEXTS["fixed_wave"], "--set", "s.nodes=%d" % N)
        if r:
            b.near(r[-1]["y"], oracle.fixed_wave_exact(N, 1), CLOSE, "fixed string, %d nodes" % N)
        r = b.table(TEXTS["damped_wave"], "--set", "s.nodes=%d" % N)
        if r:
            b.near(r[-1]["y"], np.sin(np.pi * oracle.Axis(0, 1, N).s) * oracle.damped(oracle.discrete(1, N), .7, 1), CLOSE, "damped string, %d nodes" % N)
    for N in (9, 33):
        r = b.table(TEXTS["hanging_chain"], "--set", "s.nodes=%d,g=9.81" % N)
        if r:
            b.near(-2 * r[-1]["lambda.link"], 9.81 * (1 - oracle.Axis(0, 1, N).middle), 1e-9, "chain at rest, %d nodes: the weight below" % N)
            b.near(r[-1]["lambda.topy"], 9.81, 1e-9, "chain at rest: its top")
            b.near(r[-1]["y"], -oracle.Axis(0, 1, N).s, 1e-12, "chain at rest")
    sag = WAVE + HELD + "force y = -4\nstart y = -2*s*(1 - s)\ntime 0 .. 1"
    pull = WAVE + "constraint a: y(0) = 0\nforce y(1) = .5\nstart y = s/2\ntime 0 .. 1"
    for text, shape, what in ((sag, lambda s: -2 * s * (1 - s), "string sagging under a force per length"), (pull, lambda s: s / 2, "string pulled at its end")):
        r = b.table(text, what=what)
        if r:
            b.near(r[-1]["y"], shape(oracle.Axis(0, 1, 9).s), 1e-11, what)
    load = "field y(s) on s = 0 .. 1 nodes 3\nlagrangian integral(s, y'^2/2 - diff(y, s)^2/2) + 2*y'(.5)^2/2\nforce y(.5) = 4\n" + HELD + "time 0 .. 1"
    r = b.table(load, what="a mass and a force in the middle of a string of two cells")
    if r:                                       # mass 1/2 + 2 on a spring 4 that a force 4 draws out by 1
        b.near(r[-1]["y"][1], 1 - math.cos(math.sqrt(4 / 2.5)), CLOSE, "a mass and a force in the middle of a string of two cells")
    refused(b, WAVE + HELD + "state p\nflow p' = integral(s, y)\nstart y = sin(pi*s)\ntime 0 .. 1", "a state fed by an integral")


def beams(b):
    """By modes, with the values beyond the ends eliminated by hand."""
    for name, kind, T in (("cantilever", "cantilever", 1), ("free_beam", "free", .5)):
        for N in (9, 17):
            r = b.table(TEXTS[name], "--set", "s.nodes=%d" % N)
            if r:
                M, K = oracle.beam_matrices(N, kind)
                keep = slice(N - len(M), N)
                b.near(r[-1]["w"][keep], oracle.linear_motion(M, K, r[0]["w"][keep], r[0]["w_dot"][keep], T), CLOSE, "%s beam of %d nodes by its modes" % (kind, N))
                b.tally.check(len(r[0]["w"]) == N, "%s beam: %d columns of %d nodes" % (kind, len(r[0]["w"]), N))


    clamped = ("field w(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, w'^2/2 - diff(diff(w, s), s)^2/2)\nconstraint a: w(0) = 0\nconstraint b: diff(w, s)(0) = 0\n"
               "constraint c: w(1) = 0\nconstraint d: diff(w, s)(1) = 0\nstart w = s^2*(1 - s)^2\ntime 0 .. .2")
    r = b.table(clamped, what="clamped at both ends")
    if r:
        weights, C = np.diag(oracle.Axis(0, 1, 9).weights), 64 * (np.diag(np.full(9, -2.0)) + np.diag(np.ones(8), 1) + np.diag(np.ones(8), -1))
        C[0, 1], C[8, 7] = 128, 128             # beyond the ends w is the mirror image
        K, M, inner = (C.T @ weights @ C)[1:-1, 1:-1], weights[1:-1, 1:-1], slice(1, 8)
        b.near(r[-1]["w"][inner], oracle.linear_motion(M, K, r[0]["w"][inner], 0 * r[0]["w"][inner], .2), CLOSE, "clamped at both ends, by modes")
    turning = clamped.partition("constraint c")[0].replace("diff(w, s)(0) = 0", "diff(w, s)(0) = .1*t") + "start w' = .1*s\ntime 0 .. .2"
    r = b.table(turning, what="a clamp that turns")
    if r:                                       # stiffly, as it began
        b.near(r[-1]["w"], .02 * oracle.Axis(0, 1, 9).s, 1e-11, "a clamp that turns")


def kinds(b):
    """Constraints of the other kinds: acting, along, on accelerations; columns of forces by name."""
    head = "field x(s), y(s) on s = 0 .. 1 nodes 4\nlagrangian integral(s, (x'^2 + y'^2)/2 - diff(x, s)^2/2 - diff(y, s)^2/2)\n"
    tail = "\nstart x = s, y' = 1, x' = .5\ntime 0 .. 1"
    weights = oracle.Axis(0, 1, 4).weights
    for words, share in (("acting x", 0), ("along x = 1, y = .25", .25), ("", -.5)):
        r = b.table(head + "constraint c(s): x' = .5*y' " + words + tail, what="x' = y'/2 " + words)
        if r:
            b.near(r[-1]["reaction.x"], weights * r[-1]["lambda.c"], 1e-12, "reaction on nodes, %s" % words)
            b.near(r[-1]["reaction.y"], share * weights * r[-1]["lambda.c"], 1e-12, "reaction across, %s" % words)
            b.near(r[-1]["x_dot"], .5 * r[-1]["y_dot"], 1e-12, "x' = y'/2 %s" % words)
    status, out, err = b.call("run", head + "constraint c(s): x' = .5 along y = 1" + tail, "-o", "-")
    b.tally.check(status in (1, 3) and err.strip(), "a direction that holds nothing: exit %s" % status)
    r = b.table(head + "constraint c: x''(1) = -1\nstart x = s\ntime 0 .. 1", what="an acceleration that is held")
    if r:
        b.near([r[-1]["x"][3], r[-1]["x_dot"][3]], [.5, -1], 1e-12, "an acceleration that is held")
    r = b.table(head + "force drag: x = -x', y = -y'\nforce pull: x(1) = .5" + tail, what="named forces")
    if r:
        b.near(r[-1]["power.drag"], -weights @ (r[-1]["x_dot"] ** 2 + r[-1]["y_dot"] ** 2), 1e-12, "power of a force per length")
        b.near(r[-1]["power.pull"], .5 * r[-1]["x_dot"][3], 1e-12, "power of a force on an end")
        b.near(r[-1]["power.force"], r[-1]["power.drag"] + r[-1]["power.pull"], 1e-12, "power of all forces")
    r = b.table(head + "observe acc(s) = x''\nobserve last = x''(1)\nframe u(s) = x' + s*y'" + tail.replace("x = s", "x = s^2"), what="observed accelerations")
    if r:
        x, h = r[0]["x"], 1 / 3
        b.near(r[0]["acc"], np.concatenate([[2 * (x[1] - x[0])], x[2:] - 2 * x[1:-1] + x[:-2], [2 * (x[2] - x[3])]]) / h ** 2, 1e-11, "observed accelerations")
        b.near(r[0]["last"], r[0]["acc"][3], 1e-12, "an acceleration at the end")
        b.near(r[-1]["u"], r[-1]["x_dot"] + oracle.Axis(0, 1, 4).s * r[-1]["y_dot"], 1e-12, "a frame along the line")
    for command in ("derive", "orbit", "compare"):
        status, out, err = b.call(command, TEXTS["whip"])
        b.tally.check(isinstance(status, int) and status >= 0 and (out + err).strip(), "%s of a field: exit %s, %d characters" % (command, status, len(out + err)))


# ---- orders

def orders(b):
    """A kink that moves; strings, chains, ice and the sleigh are in tests/field_tables.py."""
    sizes = []
    for N in (41, 81, 161):
        text = TEXTS["sine_gordon"].replace("-6 .. 6", "-10 .. 10")
        r = b.table(text, "--set", "s.nodes=%d" % N)
        if r:
            sizes.append(far(r[-1]["y"], oracle.kink(N, 2, .5, 10.0)))
    b.tally.check(len(sizes) == 3 and all(3.5 < x / y < 4.6 for x, y in zip(sizes, sizes[1:])), "kink: order 2, errors %s" % sizes)


# ---- laws

CONSERVATIVE = ("free_string", "leaning_chain", "whip", "ice_curve", "sleigh_string", "elastic_string", "cantilever", "free_beam", "bent_rod", "point_mass", "two_strings", "cart", "turning_frame", "area",
                "klein_gordon", "product", "explicit_s", "cross_velocity", "on_circle", "mean_held")


def laws(b):
    """Energy, momentum and spin; residuals; back to the start when time runs backward."""
    for name in CONSERVATIVE:
        r = b.table(TEXTS[name], points=9, what=name)
        if r:
            e = np.array([row["energy"] for row in r])
            b.near(e, np.full(9, e[0]), 1e-8 * max(1, abs(e[0])), name + ": energy")
            worst = max([np.max(np.abs(value)) for row in r for column, value in row.items() if column.startswith("residual.")], default=0)
            b.tally.check(worst < 1e-10, "%s: residual %.1e" % (name, worst))
    r = b.table(TEXTS["free_string"], points=9)
    if r:
        line = oracle.Axis(0, 1, 17)
        for row in r:
            b.near(row["charge.right"], line.weights @ row["x_dot"], 1e-12, "charge of a shift is the momentum")
            b.near(row["charge.turn"], line.weights @ (row["x"] * row["y_dot"] - row["y"] * row["x_dot"]), 1e-12, "charge of a turn is the spin")
            b.near([row["balance.right"], row["balance.turn"]], [0, 0], 1e-9, "balances of a free string")
        b.near(r[-1]["charge.turn"], r[0]["charge.turn"], 1e-9, "spin of a free string")
    for name in ("leaning_chain", "elastic_string", "klein_gordon"):        # from rest, so that the past is the future's mirror image
        there = b.table(TEXTS[name], what=name)
        back = b.table(TEXTS[name].rsplit("time", 1)[0] + "time 3 .. %r" % (3 - there[-1]["t"]), what=name + " backward") if there else []
        if back:
            b.near(back[0]["t"], 3, 0, name + " backward: first row")
            b.near(back[-1]["y"], there[-1]["y"], 2 * CLOSE, name + " backward")
            b.near(back[-1]["y_dot"], -there[-1]["y_dot"], 2 * CLOSE * max(1, np.max(np.abs(there[-1]["y_dot"]))), name + " backward: y'")


# ---- rules of densities: two texts, one discrete system

def rules(b):
    head = "field x(s), y(s) on s = 0 .. 1 nodes 7\n"
    tail = "\nstart x = s + .1*s^2, y = .3*cos(s), x' = .2*s\ntime 0 .. .5"
    same = [("one statement or two", "lagrangian integral(s, x'^2/2 + y'^2/2 - diff(x, s)^2/2 - x*y)", "lagrangian integral(s, x'^2/2 - x*y)\nlagrangian integral(s, y'^2/2) - integral(s, diff(x, s)^2)/2"),
            ("brackets times a number are split", "lagrangian integral(s, (x'^2 + y'^2 - diff(x, s)^2 - x^2*y)/2)", "lagrangian integral(s, x'^2/2 + y'^2/2 - diff(x, s)^2/2 - x^2*y/2)"),
            ("brackets times a function of s are split", "lagrangian integral(s, (x'^2 + y'^2)/2 - cos(s)*(diff(x, s)^2 + x^4))", "lagrangian integral(s, (x'^2 + y'^2)/2 - cos(s)*diff(x, s)^2 - cos(s)*x^4)"),
            ("brackets in brackets", "lagrangian integral(s, 2*((x'^2 + y'^2)/4 - (x^4 + (diff(x, s)^2 - y^2)/3)))", "lagrangian integral(s, x'^2/2 + y'^2/2 - 2*x^4 - 2/3*diff(x, s)^2 + 2/3*y^2)"),
            ("a minus before a bracket", "lagrangian integral(s, (x'^2 + y'^2)/2 - (diff(x, s)^2 - x^4))", "lagrangian integral(s, (x'^2 + y'^2)/2 - diff(x, s)^2 + x^4)"),
            ("lets are put in first", "let V = diff(x, s)^2 + x^4\nlet K = x'^2 + y'^2\nlagrangian integral(s, K/2 - V/3)", "lagrangian integral(s, (x'^2 + y'^2)/2 - diff(x, s)^2/3 - x^4/3)"),
            ("a param divides", "param m = 3\nlagrangian integral(s, (x'^2 + y'^2)/2 - (diff(x, s)^2 + x^4)/m)", "lagrangian integral(s, (x'^2 + y'^2)/2 - diff(x, s)^2/3 - x^4/3)"),
            ("a second field statement on the axis", "lagrangian integral(s, (x'^2 + y'^2)/2 - diff(y, s)^2)", "lagrangian integral(s, (x'^2 + y'^2)/2 - diff(y, s)^2) "),
            ("diff is linear", "lagrangian integral(s, (x'^2 + y'^2)/2 - diff(2*x + y, s)^2)", "lagrangian integral(s, (x'^2 + y'^2)/2 - (2*diff(x, s) + diff(y, s))^2)"),
            ("diff of a constant factor", "param k = 2\nlagrangian integral(s, (x'^2 + y'^2)/2 - diff(k*x, s)^2)", "lagrangian integral(s, (x'^2 + y'^2)/2 - 4*diff(x, s)^2)"),
            ("the sum of ends is the integral of a difference", "lagrangian integral(s, (x'^2 + y'^2)/2 + diff(x*y^2, s))", "lagrangian integral(s, (x'^2 + y'^2)/2) + x(1)*y(1)^2 - x(0)*y(0)^2")]
    for what, one, other in same:
        compare(b, head + one + tail, head + other + tail, what)
    compare(b, "field x(s) on s = 0 .. 1 nodes 7\nfield y(s) on s\nlagrangian integral(s, (x'^2 + y'^2)/2 - diff(y, s)^2)" + tail, head + "lagrangian integral(s, (x'^2 + y'^2)/2 - diff(y, s)^2)" + tail, "a further field on the axis")
    # what is not split stays whole: nodes in cells are means, so the two differ by order h^2
    one = b.table(head + "lagrangian integral(s, (x'^2 + y'^2)/2 - x*(diff(x, s)^2 + x^4))" + tail, what="a bracket times a field")
    other = b.table(head + "lagrangian integral(s, (x'^2 + y'^2)/2 - x*diff(x, s)^2 - x^5)" + tail, what="without a bracket")
    if one and other:
        off = far(one[-1]["x"], other[-1]["x"])
        b.tally.check(1e-6 < off < 5e-2, "a bracket times a field is one term: differs by %.1e from two" % off)
    # a node's chain by hand, as a family of coordinates
    hand = """param n = 7, h = 1/6
coord x[1 .. n], y[1 .. n]
lagrangian h*sum(i = 2 .. n - 1, (x[i]'^2 + y[i]'^2)/2 - x[i]^4) + h/2*((x[1]'^2 + y[1]'^2)/2 - x[1]^4 + (x[n]'^2 + y[n]'^2)/2 - x[n]^4)
lagrangian -h*sum(i = 1 .. n - 1, (y[i] + y[i+1])/2*((x[i+1] - x[i])/h)^2)
start x[i = 1 .. n] = (i - 1)*h + .1*((i - 1)*h)^2
start y[i = 1 .. n] = 2 + .3*cos((i - 1)*h)
start x[i = 1 .. n]' = .2*(i - 1)*h
time 0 .. .5"""
    field = head + "lagrangian integral(s, (x'^2 + y'^2)/2 - x^4 - y*diff(x, s)^2)" + tail.replace("y = .3*cos(s)", "y = 2 + .3*cos(s)")
    one, other = b.table(field, what="a field"), b.table(hand, what="the same by hand")
    if one and other:
        b.near(one[-1]["x"], other[-1]["x"], CLOSE, "a field and the family it stands for: x")
        b.near(one[-1]["y_dot"], other[-1]["y_dot"], CLOSE, "a field and the family it stands for: y'")
        b.near(one[-1]["energy"], other[-1]["energy"], CLOSE, "a field and the family it stands for: energy")


def compare(b, one, other, what):
    one, other = b.table(one, what=what), b.table(other, what=what)
    if one and other:
        for column in ("x", "y", "x_dot", "y_dot", "energy"):
            b.near(one[-1][column], other[-1][column], CLOSE, "%s: %s" % (what, column))


# ---- columns, places, start data

def columns(b):
    status, out, err = b.call("run", TEXTS["sleigh_string"], "-o", "-", "--quiet", "--points", "2", "--set", "s.nodes=4")
    b.tally.check(status == 0, "sleigh with 4 nodes: exit %s %s" % (status, err[:200]))
    names = out.split("\n")[0].split(",")
    wanted = [["t"], ["th"], ["x[%d]" % k for k in range(4)], ["y[%d]" % k for k in range(4)], ["th_dot"], ["x_dot[%d]" % k for k in range(4)], ["y_dot[%d]" % k for k in range(4)],
              ["lambda.blade"], ["lambda.link[%d]" % k for k in range(3)], ["lambda.edge[%d]" % k for k in range(3)]]
    flat = [name for group in wanted for name in group]
    b.tally.check(all(name in names for name in flat), "columns: %s are missing" % [name for name in flat if name not in names])
    places = [names.index(group[0]) for group in wanted if group[0] in names]
    b.tally.check(all(names[p:p + len(g)] == g for p, g in zip(places, wanted)), "columns of a field stand together and count from 0: %s" % names)
    kinds = [("t", "t"), ("coordinates", "th x y"), ("rates", "th_dot x_dot y_dot"), ("multipliers", "lambda.")]
    first = [min(i for i, n in enumerate(names) if n.split("[")[0] in words.split() or n.startswith("lambda.") and words == "lambda.") for _, words in kinds if names != [""]]
    b.tally.check(first == sorted(first), "columns are in the order of the contract: %s" % names)
    b.tally.check("energy" in names and len(names) == len(set(names)), "columns: energy, none twice")
    b.tally.check(not any(n.startswith("x[4]") or n.startswith("lambda.link[3]") for n in names), "no more columns than nodes and cells")
    r = b.table(TEXTS["on_circle"], points=2)
    if r:
        b.tally.check(len(r[0]["lambda.on"]) == 9, "a constraint at nodes has 9 multipliers, not %d" % len(r[0]["lambda.on"]))
    r = b.table(TEXTS["two_strings"], points=2)
    if r:
        b.tally.check(len(r[0]["lambda.rope"]) == 4 and len(r[0]["u"]) == 5 and len(r[0]["x"]) == 7, "each axis has its own number of nodes")
    status, answer = b.json("run", TEXTS["rotating_string"])
    end = answer.get("end", {})
    b.tally.check(status == 0 and abs(end.get("x[0]", 9) + .5 * math.cos(2)) < CLOSE and abs(end.get("y[8]", 9) - .5 * math.sin(2)) < CLOSE, "JSON: end of x[0], y[8]: %s" % str(end)[:200])
    b.tally.check(set(("by", "status", "t", "end", "error", "energy_drift", "residual", "steps", "seconds")) <= set(answer), "JSON: keys %s" % list(answer))


def places(b):
    """Values, velocities and slopes at ends and inside; observed fields; integrals and running integrals as columns."""
    text = "field x(s), y(s) on s = 0 .. 2 nodes 9\nlagrangian integral(s, (x'^2 + y'^2)/2 - diff(y, s)^2/2)\n" + """observe a = x(0)
observe c = x(2) + 2*x'(2)
observe mid = y(1)
observe node = y(.25)
observe between = y(.3)
observe fast = y'(1)
observe slope = diff(y, s)(1.125)
observe total = integral(s, x)
observe length = integral(s, sqrt(diff(x, s)^2 + diff(y, s)^2))
observe work(s) = x*y'
observe steep(s) = diff(y, s)
observe both(s) = s*x
observe sofar(s) = running(s, y*s)
start x = s^2, y = sin(s), x' = 1, y' = cos(s)
time 0 .. 1"""
    r = b.table(text, points=2)
    if r:
        line = oracle.Axis(0, 2, 9)
        for row in r:
            x, y, u, v = row["x"], row["y"], row["x_dot"], row["y_dot"]
            b.near([row["a"], row["c"], row["mid"], row["node"], row["fast"]], [x[0], x[8] + 2 * u[8], y[4], y[1], v[4]], 1e-12, "values at nodes")
            b.near(row["slope"], (y[5] - y[4]) / line.h, 1e-12, "slope in the middle of a cell")
            b.near(row["between"], .8 * y[1] + .2 * y[2], .02, "value between nodes, interpolated")
            b.near(row["total"], line.weights @ x, 1e-12, "integral over nodes")
            b.near(row["length"], np.sum(np.hypot(np.diff(x), np.diff(y))), 1e-12, "integral over cells")
            b.near(row["work"], x * v, 1e-12, "observed at nodes")
            b.near(row["steep"], np.diff(y) / line.h, 1e-12, "observed in cells")
            b.near(row["both"], line.s * x, 1e-12, "observed with s")
            b.near(row["sofar"], np.concatenate([[0], np.cumsum(line.h * line.middle * (y[1:] + y[:-1]) / 2)]), 1e-12, "running integral by the midpoints of cells")
    tension = oracle.spun(9, 1)[2][0]
    claims = TEXTS["rotating_string"] + "\nexpect x[8] at 1 = .5*cos(2) within 1e-9\nexpect y'[0] at 1 = -cos(2) within 1e-8\nexpect lambda.link[0] at 1 = %r within 1e-7\nexpect drift(energy) < 1e-10\nexpect residual < 1e-10" % (-tension / 2)
    status, out, err = b.call("test", claims)
    b.tally.check(status == 0, "claims on members of fields: exit %s %s" % (status, (out + err)[:400]))
    status, out, err = b.call("test", claims.replace(".5*cos(2)", ".51*cos(2)"))
    b.tally.check(status == 1, "a false claim on a member: exit %s" % status)
    text = "field x(s) on s = 0 .. 1 nodes 5\nlagrangian integral(s, x'^2/2)\nforce %s = -x'\nstart x = s, x' = 1\ntime 0 .. 1"
    plain, along = b.table(text % "x", points=2), b.table(text % "x(s)", points=2)
    if plain and along:
        b.near(along[-1]["x"], plain[-1]["x"], 0, "force x(s) is force x")
        b.near(plain[-1]["x"], oracle.Axis(0, 1, 5).s + 1 - math.exp(-1), CLOSE, "drag along a line")


def start(b):
    """Start data of the continuum are put on the discrete manifold and that is told; wrong ones are refused."""
    arc = STRING % 17 + LINK + "start x = sin(s), y = 1 - cos(s), x' = cos(s), y' = sin(s) + .3\ntime 0 .. .5"
    status, out, err = b.call("run", arc, "-o", os.path.join(b.folder, "arc.csv"), "--points", "3")
    b.tally.check(status == 0, "an arc, whose chords are shorter than its links: exit %s %s" % (status, err[:300]))
    b.tally.check("link" in out + err, "the shift of the start is told: %s" % (out + err)[:300])
    r = b.table(arc, points=3)
    if r:
        line = oracle.Axis(0, 1, 17)
        b.near(np.hypot(np.diff(r[0]["x"]), np.diff(r[0]["y"])), np.full(16, line.h), 1e-12, "an arc: its links are h at the start")
        shift = max(far(r[0]["x"], np.sin(line.s)), far(r[0]["y"], 1 - np.cos(line.s)))
        b.tally.check(1e-6 < shift < line.h ** 2, "an arc: nodes are moved by %.1e" % shift)
        S = oracle.links(oracle.string(17))
        wanted, _ = S.project(*S.start(x=lambda s: np.sin(s), y=lambda s: 1 - np.cos(s)), 0)
        b.near(r[0]["x"], wanted[S.nodes("x")], 1e-7, "an arc: to the nearest data in the metric of the masses")
        S = oracle.links(oracle.string(17))
        mine = S.motion(S.start(x=r[0]["x"], y=r[0]["y"], x_t=r[0]["x_dot"], y_t=r[0]["y_dot"]), [0, .25, .5])
        b.near(r[-1]["x"], mine[-1]["x"], CLOSE, "an arc: the motion from there")
        b.near(r[-1]["y"], mine[-1]["y"], CLOSE, "an arc: the motion from there, y")
    for what, text, label in (("a string that is too long", STRING % 17 + LINK + "start x = 1.1*s\ntime 0 .. 1", "link"), ("a rate of stretching", STRING % 17 + LINK + "start x = s, x' = s\ntime 0 .. 1", "link"),
                              ("an end that is not held where it is", STRING % 9 + LINK + TOP + "start x = s + .1\ntime 0 .. 1", "topx"),
                              ("a velocity across the blades", STRING % 9 + LINK + EDGE + "constraint f: x'(1) = 1\nstart x = s, x' = 1, y' = 1\ntime 0 .. 1", "edge"),
                              ("ends that are not held where they are", WAVE + HELD + "start y = 1\ntime 0 .. 1", "a")):
        status, out, err = b.call("run", text, "-o", "-", "--quiet")
        b.tally.check(status == 1 and label in err and not out.strip(), "%s is refused and '%s' named: exit %s %s" % (what, label, status, err[:300]))
    status, out, err = b.call("run", STRING % 17 + LINK + "start x = 1.1*s\ntime 0 .. 1", "-o", "-", "--quiet", "--project", "--points", "2")
    b.tally.check(status == 0, "a string that is too long, with --project: exit %s %s" % (status, err[:200]))
    if status == 0:
        r = [gathered(row) for row in rows(out)]
        b.near(np.diff(r[0]["x"]), np.full(16, 1 / 16), 1e-10, "a string that is too long is shortened")
        b.near(r[0]["x"], .05 + oracle.Axis(0, 1, 17).s, 1e-9, "about its centre of mass")
    status, out, err = b.call("run", WAVE + HELD + "start y = 0\ntime 0 .. 1", "--start", "y=sin(pi*s)", "-o", "-", "--quiet", "--points", "2")
    b.tally.check(status == 0, "--start with s: exit %s %s" % (status, err[:200]))
    if status == 0:
        b.near(gathered(rows(out)[-1])["y"], np.sin(np.pi * oracle.Axis(0, 1, 9).s) * math.cos(oracle.discrete(1, 9)), CLOSE, "--start with s")


def verdicts(b):
    """What is determined and what is not."""
    free = STRING % 9 + LINK + EDGE + "start x = s, x' = 1\ntime 0 .. 1"
    for what, text, verdict, code in (("string on ice without a front", free, "undetermined", 1), ("spinning string", TEXTS["rotating_string"], "regular", 0), ("sleigh with a string", TEXTS["sleigh_string"], "regular", 0),
                                      ("sleigh with a bent string", TEXTS["sleigh_string"].partition("start")[0] + "start x = -running(s, cos(s)), y = running(s, sin(s)), x' = cos(s), y' = -sin(s), th' = 1\ntime 0 .. 1", "regular", 0),
                                      ("ice behind a front", TEXTS["ice_front"], "regular", 0), ("front on a curve", TEXTS["ice_curve"], "regular", 0),
                                      ("wave", TEXTS["fixed_wave"], "regular", 0), ("held twice", WAVE + HELD + "constraint c: 2*y(0) = 0\ntime 0 .. 1", "redundant", 0),
                                      ("held at two places", WAVE + HELD + "constraint c: y(0) = 1\ntime 0 .. 1", "contradictory", 1),
                                      ("a field without mass", "field y(s), u(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, y'^2/2 - diff(y, s)^2/2)\nstart y = s\ntime 0 .. 1", "undetermined", 1)):
        status, answer = b.json("check", text)
        b.tally.check(answer.get("verdict") == verdict and status == code, "%s: %s, exit %s, not %s, %d" % (what, answer.get("verdict"), status, verdict, code))
    status, answer = b.json("check", TEXTS["rotating_string"])
    b.tally.check((answer.get("coordinates"), answer.get("constraints"), answer.get("rank")) == (18, 8, 8), "spinning string of 9 nodes: %s" % [answer.get(k) for k in ("coordinates", "constraints", "rank")])
    b.tally.check(answer.get("free_data") == 2 * 18 - 2 * 8 and answer.get("inertia") == [18, 0, 0], "spinning string: free data %s, inertia %s" % (answer.get("free_data"), answer.get("inertia")))
    status, out, err = b.call("run", free, "-o", "-")
    b.tally.check(status == 1 and not out.strip(), "a string on ice without a front is not run: exit %s" % status)
    for N in (8, 9):
        status, answer = b.json("check", free.replace("nodes 9", "nodes %d" % N))
        b.tally.check(answer.get("verdict") == "undetermined", "string on ice without a front, %d nodes: %s" % (N, answer.get("verdict")))


def led(b):
    """Strings on ice whose front is led, by whatever it is, are determined; those with a free one are not, however short the run and whatever is said twice."""
    ice = STRING % 17 + LINK + EDGE
    arc, straight = "start x = sin(s), y = 1 - cos(s), x' = cos(s), y' = sin(s)\n", "start x = s, x' = 1\n"
    sleigh = "param m = 2, J = 1.5\ncoord th\n" + ice + "lagrangian m/2*(x'(0)^2 + y'(0)^2) + J/2*th'^2\nconstraint blade: x'(0)*sin(th) = y'(0)*cos(th)\nconstraint again: 2*x'(0)*sin(th) = 2*y'(0)*cos(th)\n"
    for what, text, verdict, code in (
            ("on a circle, bent", ice + "constraint c: x(1)^2 + (y(1) - 1)^2 = 1\n" + arc + "time 0 .. 1", "regular", None),
            ("along a line, bent", ice + "constraint line: y'(0) = .2*x'(0)\nlet q = atan(.2) + .6*s\nstart x = -running(s, cos(q)), y = -running(s, sin(q)), x' = cos(q), y' = sin(q)\ntime 0 .. 2", "regular", None),
            ("behind a hitch", "param m = 2, J = 1.5, d = .2\ncoord X, Y, th\n" + ice + "lagrangian m/2*(X'^2 + Y'^2) + J/2*th'^2\nforce th = .5\nconstraint blade: X'*sin(th) = Y'*cos(th)\n"
             "constraint jx: x(0) = X - d*cos(th)\nconstraint jy: y(0) = Y - d*sin(th)\nstart x = -s - d, x' = 1, X' = 1\ntime 0 .. 3", "regular", None),
            ("by a body and its force", "coord X, Y\n" + ice + "lagrangian 3/2*(X'^2 + Y'^2)\nforce X = 1, Y = sin(t)\nconstraint jx: x(1) = X\nconstraint jy: y(1) = Y\nstart x = s - 1, x' = 1, X' = 1\ntime 0 .. 2", "regular", None),
            ("by a mass", ice + "lagrangian (x'(1)^2 + y'(1)^2)/2\n" + straight + "time 0 .. 1", "regular", None),
            ("pushed, a blade said twice", sleigh + "start x = -s, x' = -1, th' = .1\ntime 0 .. 1", "redundant", "FIELD_ILL_POSED"),
            ("by nobody", ice + arc + "time 0 .. 1", "undetermined", "FIELD_UNDETERMINED"),
            ("by nobody, for a moment", ice + straight + "time 0 .. .05", "undetermined", "FIELD_UNDETERMINED"),
            ("by nobody, edges said twice", ice + "constraint e2(s): 2*x'*diff(y, s) = 2*y'*diff(x, s)\n" + straight + "time 0 .. 1", "undetermined", "FIELD_UNDETERMINED"),
            ("by nobody, with points said twice", "coord p, q\n" + ice + "lagrangian (p'^2 + q'^2)/2\nconstraint a: p = q\nconstraint b: 2*p = 2*q\n" + straight + "time 0 .. 1", "undetermined", "FIELD_UNDETERMINED"),
            ("by a blade of its own direction", ice + "constraint tip: x'(1)*diff(y, s)(1) = y'(1)*diff(x, s)(1)\nlet q = .8*sin(2*s)\n"
             "start x = running(s, cos(q)), y = running(s, sin(q)), x' = cos(q), y' = sin(q)\ntime 0 .. 1", "undetermined", "FIELD_UNDETERMINED")):
        status, answer = b.json("check", text)
        codes = [w["code"] for w in answer.get("warnings", []) + answer.get("errors", [])]
        b.tally.check(answer.get("verdict") == verdict and (code is None or code in codes), "a string led %s: %s %s, not %s" % (what, answer.get("verdict"), codes, verdict))
    status, answer = b.json("check", sleigh.replace("constraint again: 2*x'(0)*sin(th) = 2*y'(0)*cos(th)\n", "") + "start x = -s, x' = -1\ntime 0 .. .05", "--set", "s.nodes=401")
    b.near(answer.get("growth", [0, 0]), [12, 24], 1e-6, "a pushed string grows by 2 v/h, all its eigenvalues at one place: with 6 and 12 cells")
    resting = ("coord Z\nfield x(s), y(s) on s = 0 .. 0.7 nodes 8\nlagrangian integral(s, (x'^2 + y'^2)/2 - 0.5*diff(x, s)^2 - 0.3*x^4 - 0.3*(sqrt(1 + diff(x, s)^2 + diff(y, s)^2) - 1) + 0.1*y'(0)*x) + Z'^2 - Z^2/3\n"
               "lagrangian -0.1*y(0.7)^2*x(0)\ndissipation integral(s, 0.3*x'^2/2)\nconstraint c: Z = y(0.7)\n"
               "start x = .3 + .2*s, x' = .1 + .2*s*(1 - s), y = .4 + 0*s, y' = .2 + 0*s, Z = .4, Z' = 0.2\ntime 0 .. .4")
    status, still = b.json("check", resting)
    b.near(still.get("growth", [1, 1]), [0, 0], 1e-12, "real parts that are rounding below 0: nothing grows, and growth is a number")
    b.tally.check("FIELD_ILL_POSED" in [w["code"] for w in answer.get("warnings", [])], "a pushed string of 401 nodes, for a moment: %s" % answer.get("warnings"))


def doubly(b):
    """HAMEL.md E: a string of 16 cells whose every cell moves along itself, at its middle or at both of its ends; and rows said twice, which move as if said once."""
    both = STRING % 17 + LINK + EDGE + "constraint turn(s): diff(x, s)*diff(y', s) - diff(y, s)*diff(x', s) = 0\n"
    arc, straight = "start x = sin(s), y = 1 - cos(s)\n", "start x = s\n"
    for what, text, rows_, rank, least, dof in (("middle, arc", STRING % 17 + LINK + EDGE + arc, 32, 32, 32, 2), ("middle, straight", STRING % 17 + LINK + EDGE + straight, 32, 32, 32, 2),
                                               ("both ends, arc", both + arc, 48, 34, 33, 0), ("both ends, straight", both + straight, 48, 34, 33, 0)):
        status, answer = b.json("check", text + "time 0 .. 1")
        found = [answer.get(k) for k in ("constraints", "rank", "rank_least", "degrees_of_freedom")]
        b.tally.check(found == [rows_, rank, least, dof], "blades at the %s: rows, rank, least, freedom %s, not %s" % (what, found, [rows_, rank, least, dof]))
        codes = {w["code"] for w in answer.get("warnings", []) + answer.get("errors", [])}
        wanted = {"both ends, arc": {"FIELD_RANK", "FIELD_REDUNDANT", "FIELD_LOCKED"}, "both ends, straight": {"FIELD_RANK_START", "FIELD_REDUNDANT", "FIELD_LOCKED"}}.get(what, set())
        b.tally.check(wanted <= codes, "blades at the %s: %s" % (what, sorted(codes)))
    once = STRING % 9 + LINK + TOP + "start x = s\ntime 0 .. .5"
    twice = STRING % 9 + LINK + "constraint again(s): 2*diff(x, s)^2 + 2*diff(y, s)^2 = 2\n" + TOP + "start x = s\ntime 0 .. .5"
    r, d = b.table(once, points=3), b.table(twice, points=3)
    if r and d:
        for name in ("x", "y", "x_dot", "y_dot", "reaction.x", "reaction.y"):
            b.near(d[-1][name], r[-1][name], 1e-8, "a length said twice: %s" % name)


def sizes(b):
    """The fewest nodes, many nodes, too many."""
    r = b.table(WAVE + "start y = s\ntime 0 .. 1", "--set", "s.nodes=2")
    if r:                                       # two masses 1/2 on a spring 1: the difference swings with w = 2
        b.near(r[-1]["y"], [.5 - .5 * math.cos(2), .5 + .5 * math.cos(2)], CLOSE, "two nodes")
    r = b.table(TEXTS["rotating_string"], "--set", "s.nodes=2001", points=2)
    if r:
        x, y, tension = oracle.spun(2001, 1)
        b.near(r[-1]["x"], x, 1e-8, "2001 nodes")
        b.near(-2 * r[-1]["lambda.link"], tension, 1e-6, "2001 nodes: tension")
    status, out, err = b.call("check", TEXTS["fixed_wave"], "--set", "s.nodes=20001")
    b.tally.check(status == 0, "check of 20001 nodes: exit %s %s" % (status, err[:200]))
    status, out, err = b.call("run", TEXTS["fixed_wave"], "--set", "s.nodes=1e9", "-o", "-", "--limit-memory", "1G")
    b.tally.check(status == 4 and "memory" in err.lower() and not out.strip(), "1e9 nodes: exit %s %s" % (status, err[:200]))
    status, out, err = b.call("run", WAVE.replace("nodes 9", "nodes 1e9") + "start y = s\ntime 0 .. 1", "-o", "-", "--limit-memory", "1G")
    b.tally.check(status == 4, "1e9 nodes in the text: exit %s %s" % (status, err[:200]))


def options(b):
    """--set s.nodes, by a param, wrong values; --set of a param that the axis is made of."""
    r = b.table(TEXTS["fixed_wave"], "--set", "s.nodes=5")
    if r:
        b.tally.check(len(r[0]["y"]) == 5 and len(r[0]["y_dot"]) == 5, "--set s.nodes=5: %d columns" % len(r[0]["y"]))
    text = "param n = 4, l = 2\nfield y(s) on s = -l .. l nodes 2*n + 1\nlagrangian integral(s, y'^2/2 - diff(y, s)^2/2)\nstart y = cos(pi*(s + l)/(2*l))\ntime 0 .. 1"
    for n, l in ((4, 2.0), (6, 2.0), (4, 1.0)):
        r = b.table(text, "--set", "n=%d,l=%g" % (n, l))
        if r:
            N = 2 * n + 1
            line = oracle.Axis(-l, l, N)
            b.near(r[-1]["y"], np.cos(np.pi * (line.s + l) / (2 * l)) * math.cos(oracle.discrete(1, N, 2 * l)), CLOSE, "nodes and ends made of params, n = %d, l = %g" % (n, l))
    for word in ("s.nodes=1", "s.nodes=2.5", "s.nodes=0", "s.nodes=-3", "r.nodes=5", "s.cells=5", "y.nodes=5"):
        status, out, err = b.call("run", TEXTS["fixed_wave"], "--set", word, "-o", "-")
        b.tally.check(status in (1, 2) and not out.strip() and err.strip(), "--set %s: exit %s %s" % (word, status, err[:200]))
        if word in ("r.nodes=5", "s.cells=5", "y.nodes=5"):
            b.tally.check(status == 2, "--set %s is an unknown name: exit %s" % (word, status))


def principles(b):
    """Other principles agree with d'Alembert's, or say that they are not for fields."""
    for name in ("rotating_string", "fixed_wave", "leaning_chain", "sleigh_string", "point_mass"):
        wanted = b.table(TEXTS[name], what=name)
        for by in ("gauss", "maggi", "hamel", "appell", "jourdain", "hamilton", "reduced"):
            status, out, err = b.call("run", TEXTS[name], "--by", by, "-o", "-", "--quiet", "--points", "3")
            if status == 0 and wanted:
                r = [gathered(row) for row in rows(out)]
                for column in ("x", "y", "th", "X"):
                    if column in r[-1]:
                        b.near(r[-1][column], wanted[-1][column], 3 * CLOSE, "%s by %s: %s" % (name, by, column))
            else:
                b.tally.check(status in (1, 2) and err.strip() != "", "%s by %s: exit %s %s" % (name, by, status, err[:200]))
    # 32 links with blades: an error of positions comes back in velocities 4096 times as large, and must not be left there
    many = ("--set", "s.nodes=33")
    wanted, r = b.table(TEXTS["sleigh_string"], *many), b.table(TEXTS["sleigh_string"], *many, "--by", "maggi")
    for column in ("x", "y", "th", "x_dot", "y_dot") if wanted and r else ():
        b.near(r[1][column], wanted[1][column], 3 * CLOSE, "sleigh of 33 nodes by maggi, on the way: %s" % column)
        b.near(r[-1][column], wanted[-1][column], 1e-11, "sleigh of 33 nodes by maggi: %s" % column)
    for by in ("gauss", "maggi"):
        status, out, err = b.call("run", TEXTS["sleigh_string"], "--set", "s.nodes=65", "--by", by, "-o", "-")
        b.tally.check(status == 1 and "too large" in err and not out.strip(), "sleigh of 65 nodes by %s: exit %s %s" % (by, status, err[:200]))


# ---- what is refused

def wrong(b):
    """File, line, column, the line and a caret, and nothing written.."""
    for what, marked, words in WRONG:
        before, _, _ = marked.partition("@")
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        status, out, err = b.call("run", marked.replace("@", ""), "-o", "-", "--no-color")
        if words is None:
            b.tally.check(status == 0 or status == 1 and "m.act:" in err, "%s: exit %s %s" % (what, status, err[:200]))
            continue
        if not b.tally.check(status == 1 and not out.strip(), "%s: exit %s %s" % (what, status, (err or out)[:300])):
            continue
        b.tally.check("m.act:%d:" % line in err, "%s: line %d is not named: %s" % (what, line, err[:300]))
        b.tally.check("^" in err and marked.replace("@", "").split("\n")[line - 1] in err, "%s: the line with a caret is not shown: %s" % (what, err[:300]))
        b.tally.check(not words or any(word in err for word in words), "%s: none of %s in: %s" % (what, words, err[:300]))
        near = [int(text.split(":")[1]) for text in err.split("m.act:")[1:] if text.split(":")[0] == str(line) and text.split(":")[1].isdigit()]
        b.tally.check(not near or min(abs(c - column) for c in near) <= 12, "%s: column %s, not about %d" % (what, near, column))


GALLERY = ("rotating-string", "free-string", "hanging-chain", "whip", "ice-front", "ice-curve", "ice-free", "sleigh-string", "elastic-string", "beam", "chain-edge", "vibrating-string", "sine-gordon",
           "kirchhoff-string", "timoshenko")


def gallery(b):
    for name in GALLERY:
        status, out, err = b.call("test", name)
        b.tally.check(status == 0, "gallery: %s: exit %s %s" % (name, status, (out + err)[-400:]))


SECTIONS = (randoms, exact, beams, kinds, orders, laws, rules, columns, places, start, verdicts, led, doubly, sizes, options, principles, wrong, gallery)


def main():
    program, _ = arguments()
    tally = Tally("field")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(program, tally, folder)
        motions(bench)
        run_parts(SECTIONS, bench)
    tally.done()


if __name__ == "__main__":
    main()

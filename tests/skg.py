#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Motion from the doubled action: errors and orders of slabs and grids beside closed forms, exact laws of the discrete action, soft walls,
d'Alembert's motion as second witness on the gallery and on random models, the promise of --tol, and what is refused.

usage: skg.py [--program FILE] [--only PART ...] [--list]"""
import json
import math
import os
import random
import signal
import subprocess
import tempfile

from oracle_motion import MOTIONS, one
from program import ROOT, Tally, arguments, begin, call, rows, run_parts
from smooth_models import KINDS

try:
    from scipy.integrate import solve_ivp
except ImportError:
    solve_ivp = None

ROUNDING = 2e-13                                # below this a printed error is rounding
LEAST = {2: 8, 4: 8, 6: 12, 8: 16}              # nodes of a slab of each order
PLACES, SPEEDS = ("x", "y", "theta"), ("x_dot", "y_dot", "theta_dot")


class Bench:
    def __init__(self, program, tally, folder):
        self.program, self.tally, self.folder = program, tally, folder

    def model(self, text, name="m.act"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        return path

    def call(self, model, *words, by="skg"):
        path = self.model(model) if "\n" in model else model if "/" in model else os.path.join(ROOT, "models", model + ".act")
        return call(self.program, "run", path, "--by", by, *words)

    def table(self, model, *words, by="skg"):
        """Rows, or none when it failed, which is counted."""
        status, out, err = self.call(model, "-o", "-", "--quiet", *words, by=by)
        good = self.tally.check(status == 0, "%s %s by %s: exit %s %s" % (model.split("\n")[0], " ".join(words), by, status, err.split("\n")[0][:200]))
        return rows(out) if good else []

    def grid(self, model, points, order, *words):
        return self.table(model, "--grid", str(points), "--order", str(order), "--points", str(points), *words)

    def slabs(self, model, count, nodes, order, *words):
        return self.table(model, "--slabs", str(count), "--nodes", str(nodes), *(["--order", str(order)] if order else []), "--points", str(count + 1), *words)

    def about(self, value, wanted, what, factor=2):
        """Within a factor of what is known, where that is above rounding."""
        good = value <= factor * ROUNDING if wanted < ROUNDING else wanted / factor <= value <= wanted * factor
        return self.tally.check(good, "%s: %.2e, not about %.1e" % (what, value, wanted))

    def below(self, value, bound, what):
        return self.tally.check(value <= bound, "%s: %.2e, more than %.0e" % (what, value, bound))


def far(table, exact, names):
    """The largest distance from a function of time, of all rows and names."""
    known = [(row, exact(row["t"])) for row in table]
    return max((abs(row[name] - at[name]) for row, at in known for name in names), default=math.inf)


def apart(one, other, names):
    if len(one) != len(other):
        return math.inf
    return max((abs(a[name] - b[name]) for a, b in zip(one, other) for name in names), default=math.inf)


# ---- closed forms

def disk(t):
    k, s, c = 49 / 15, math.sin(t), math.cos(t)
    u = 5 + k * s
    return {"x": 5 * s + k / 2 * s * s, "y": 5 * (1 - c) + k * (t / 2 - math.sin(2 * t) / 4), "theta": 5 * t + k * (1 - c), "phi": t, "x_dot": u * c, "y_dot": u * s,
            "theta_dot": u, "energy": 18.875, "lambda.roll": -k / 4 * c / u, "lambda.blade": -u - 4.9 * s}


def decaying(t):
    """q'' = -q - q'/2 from 1."""
    w = math.sqrt(15) / 4
    return {"q": math.exp(-t / 4) * (math.cos(w * t) + math.sin(w * t) / (4 * w))}


DECAYING = "coord q\nlagrangian q'^2/2 - q^2/2\ndissipation q'^2/4\nstart q = 1\ntime 0 .. 10"


# ---- the disk: one grid, chained slabs

def disk_at_64(b):
    """All that is known of the disk on 64 points of order 4: errors of places, multipliers and energy, and constraints that hold to rounding."""
    table = b.grid("disk", 64, 4)
    for name, most, last in (("x", 2.2e-3, 1.1e-5), ("y", 4.4e-3, 3.9e-4), ("theta", 1.0e-2, 2.1e-4), ("lambda.roll", 1.4e-3, None), ("lambda.blade", 2.6e-2, None), ("energy", 3.0e-2, 1e-8)):
        b.about(far(table, disk, [name]), most, "disk, 64 points: " + name, 1.1)
        if last:
            b.about(far(table[-1:], disk, [name]), last, "disk, 64 points, end: " + name, 1.1)
    b.below(far(table, disk, ["phi"]), 1e-14, "disk, 64 points: phi")
    b.below(max((abs(row["residual." + c]) for row in table for c in ("roll", "blade")), default=1), 1e-12, "disk, 64 points: constraints")


ON_A_GRID = {2: ((7.9e-2, 5.2e-2), (2.0e-2, 1.3e-2), (4.8e-3, 3.2e-3), (1.2e-3, 7.9e-4)), 4: ((1.0e-2, 3.9e-4), (1.3e-3, 2.3e-5), (1.6e-4, 1.4e-6), (2.0e-5, 8.6e-8)),
             6: ((1.2e-3, 5.5e-6), (7.2e-5, 6.4e-8), (4.4e-6, 8.4e-10), (2.7e-7, 1.2e-11)), 8: ((5.3e-3, 2.9e-7), (1.3e-4, 5.9e-10), (3.5e-6, 1.3e-12), (1.0e-7, 3e-14))}


def disk_on_grids(b):
    """Orders 2, 4, 6, 8 at the end, and one more than half of it in between, with the errors that are known."""
    for order, known in ON_A_GRID.items():
        ends = []
        for points, (most, last) in zip((64, 128, 256, 512), known):
            table, what = b.grid("disk", points, order), "disk, order %d, %d points" % (order, points)
            b.about(far(table, disk, PLACES), most, what)
            ends.append(far(table[-1:], disk, PLACES))
            b.about(ends[-1], last, what + ", end")
        rates = [math.log2(a / c) for a, c in zip(ends, ends[1:]) if c > ROUNDING]
        b.tally.check(min(rates) > order - .1, "disk, order %d: rates %s" % (order, rates))


# nodes, order (0: Lobatto), slabs; errors of places, velocities, energy; their orders
CHAINED = ((8, 2, 64, 1.1e-3, 5.4e-5, 1.2e-5, 2, 3), (8, 4, 64, 2.2e-7, 1.2e-8, 4.5e-12, 4, 7), (12, 6, 64, 1.0e-11, 2.6e-13, 1.4e-13, 6, 7), (16, 8, 32, 1.3e-13, 1.6e-14, 6e-14, 8, 11),
           (4, 0, 64, 5.2e-9, 1.4e-10, 5.8e-10, 6, 7), (5, 0, 32, 1.9e-10, 2.5e-12, 2.9e-11, 8, 9), (6, 0, 32, 3.4e-14, 3.2e-14, 8e-14, 10, 11))


def disk_by_slabs(b):
    for nodes, order, count, q, v, energy, rate, energy_rate in CHAINED:
        what = "disk, %d slabs of %d nodes%s" % (count, nodes, ", order %d" % order if order else "")
        coarse, fine = (b.slabs("disk", k, nodes, order) for k in (count // 2, count))
        for names, known, wanted in ((PLACES, q, rate), (SPEEDS, v, rate), (["energy"], energy, energy_rate)):
            error, before = far(fine, disk, names), far(coarse, disk, names)
            if known > 10 * ROUNDING:
                b.about(error, known, what + ": " + names[0])
                b.tally.check(math.log2(before / error) > wanted - .3, "%s: %s falls with %.2f" % (what, names[0], math.log2(before / error)))
            else:
                b.below(error, 10 * ROUNDING, what + ": " + names[0])
    for nodes, order, count, rate in ((12, 6, 16, 6), (16, 8, 12, 8), (6, 0, 8, 10)):         # where the errors above are rounding
        coarse, fine = (far(b.slabs("disk", k, nodes, order), disk, PLACES) for k in (count, 2 * count))
        b.tally.check(math.log2(coarse / fine) > rate - .3, "disk, %d nodes, order %d: %.1e, %.1e" % (nodes, order, coarse, fine))


def any_number_of_slabs(b):
    """More slabs never fail where fewer serve."""
    for order, nodes, least in ((0, 5, 5), (0, 8, 5), (0, 16, 4), (2, 8, 7), (4, 8, 6), (6, 12, 7), (8, 16, 12)):
        failed = [k for k in range(least, 31) if b.call("disk", "--slabs", str(k), "--nodes", str(nodes), *(["--order", str(order)] if order else []), "--points", "2", "--json")[0] != 0]
        b.tally.check(not failed, "disk, %d nodes, order %d: %s slabs fail" % (nodes, order, failed))


TABLE = ((0.5, 6.6333333333333333, 7.5656340004316645, 11.120648300641150, 0, 8.2666666666666667, 8.2666666666666667, 0, -13.166666666666667),
         (1, 0, 15.131268000863329, 22.241296601282300, -5, 0, 5, 0.16333333333333333, -5),
         (1.5, -3.3666666666666667, 12.696902001294993, 26.828611568590116, 0, -1.7333333333333333, 1.7333333333333333, 0, 3.1666666666666667),
         (2, 0, 10.262536001726658, 31.415926535897932, 5, 0, 5, -0.16333333333333333, -5))


def disk_by_tolerance(b):
    """Numbers at quarters of the time, at the ends of slabs and inside of them."""
    for tol in ("1e-9", "1e-12"):
        inside = b.table("disk", "--tol", tol, "--points", "5")
        for quarter, (turn, *wanted) in enumerate(TABLE):
            end = b.table("disk", "--tol", tol, "--time", "0..%g*pi" % turn, "--points", "2")
            for name, value in zip(PLACES + SPEEDS + ("lambda.roll", "lambda.blade"), wanted):
                for where, table in (("end", end), ("row", inside[quarter + 1:quarter + 2])):
                    b.below(abs(table[-1][name] - value) if table else math.inf, float(tol) * max(1, abs(value)), "disk --tol %s at %g*pi (%s): %s" % (tol, turn, where, name))


def long_time(b):
    """64 and 100 periods of the disk: errors grow linearly, energy only falls."""
    for nodes, order, periods, each, q, energy in ((8, 4, 64, 32, 2.3e-4, 3.8e-8), (5, 0, 64, 32, 1.2e-8, 1.9e-9), (5, 0, 100, 64, 7.4e-11, None)):
        table = b.table("disk", "--time", "0..%d*pi" % (2 * periods), "--slabs", str(periods * each), "--nodes", str(nodes), *(["--order", str(order)] if order else []), "--points", "2")
        what = "disk, %d periods, %d slabs of %d nodes" % (periods, periods * each, nodes)
        b.about(far(table[-1:], disk, PLACES), q, what)
        if energy:
            b.about(18.875 - table[-1]["energy"] if table else math.inf, energy, what + ": energy")


# ---- exact laws of the discrete action

def energy_identity(b):
    """E at the end minus E of the data = -|v[0] - v|^2/2 in the metric M, and -|q[0] - q|^2/2 in that of a quadratic potential more."""
    for order in (2, 4, 6, 8):
        for points in (24, 64, 128):
            table = b.grid("disk", points, order)
            if table:
                jump = [table[0][name] - value for name, value in (("x_dot", 5), ("y_dot", 0), ("theta_dot", 5), ("phi_dot", 1))]
                lost = sum(m * d * d for m, d in zip((1, 1, .5, .25), jump)) / 2
                b.below(abs(table[-1]["energy"] - 18.875 + lost), 1e-13, "disk, order %d, %d points: energy identity" % (order, points))
        table = b.grid("coord q, c\nlagrangian q'^2/2 - 2*q^2 + 3/4*c'^2 - 3*c\nstart q = 1, q' = .5, c' = 2\ntime 0 .. 4", 40, order)
        if table:
            first = table[0]
            lost = ((first["q_dot"] - .5) ** 2 + 1.5 * (first["c_dot"] - 2) ** 2) / 2 + 2 * (first["q"] - 1) ** 2
            b.below(abs(table[-1]["energy"] - 5.125 + lost), 1e-13, "oscillator, order %d: energy identity" % order)
        energy = [row["energy"] for row in b.slabs("disk", 16, 20, order)]
        b.tally.check(all(after <= before + 2e-14 for before, after in zip(energy, energy[1:])), "disk, slabs of order %d: energy grows" % order)


def charges(b):
    """Linear charges are those of the data at every node."""
    text = ("coord x, y, th\nlagrangian (x'^2 + y'^2)/2 + .6*x'*y' + th'^2*(2 + cos(x))/2 - x^2/2\nstart x = 1, y' = .7, th' = .4\ntime 0 .. 4\n"
            "symmetry shift: y = 1\nsymmetry turn: th = 1")
    exact = lambda t: {"charge.shift": .7, "charge.turn": .4 * (2 + math.cos(1)), "phi_dot": 1}
    for order in (2, 4, 6, 8):
        b.below(far(b.grid(text, 40, order), exact, ["charge.shift", "charge.turn"]), 2e-15, "charges on a grid of order %d" % order)
        b.below(far(b.slabs(text, 8, LEAST[order], order), exact, ["charge.shift", "charge.turn"]), 4e-15, "charges, slabs of order %d" % order)
        b.below(far(b.grid("disk", 64, order), exact, ["phi_dot"]), 4e-15, "disk's phi', order %d" % order)


# ---- damping, general Lagrangians

def damped(b):
    """No mode of the grid grows: largest error and that of the end, however long."""
    known = {(10, 2): (2.5e-3, 9.8e-4), (40, 2): (2.5e-3, 3.1e-6), (80, 2): (2.5e-3, 1.4e-10), (80, 4): (1.7e-4, 4e-14), (80, 6): (2.1e-5, 6e-16)}
    for (end, order), (most, last) in known.items():
        table = b.grid(DECAYING, 10 * end + 1, order, "--time", "0..%d" % end)
        b.about(far(table, decaying, "q"), most, "damped to %d, order %d" % (end, order), 1.3)
        b.about(far(table[-1:], decaying, "q"), last, "damped to %d, order %d, end" % (end, order), 1.3)
    for order, most in ((2, 3.4e-3), (4, 2.7e-4), (6, 5.4e-5)):
        count = 800 // (LEAST[order] - 1)
        table = b.table(DECAYING, "--time", "0..%r" % (count * (LEAST[order] - 1) * .1), "--slabs", str(count), "--nodes", str(LEAST[order]), "--order", str(order),
                        "--points", str(count * (LEAST[order] - 1) + 1))
        b.about(far(table, decaying, "q"), most, "damped, slabs of order %d" % order, 1.3)


def double_pendulum(t, y):
    """Its textbook equations with g = 9.81, friction .1 in both joints, torque cos(2 t)."""
    a, c, u, w = y
    s, k = math.sin(a - c), math.cos(a - c)
    left = -w * w * s - 19.62 * math.sin(a) - .1 * u - .1 * (u - w) + math.cos(2 * t)
    right = u * u * s - 9.81 * math.sin(c) - .1 * (w - u)
    det = 2 - k * k
    return [u, w, (left - k * right) / det, (2 * right - k * left) / det]


def driven(b):
    """Damped, driven double pendulum: orders beside d'Alembert's motion and scipy's."""
    names = ("a", "b", "a_dot", "b_dot")
    end = b.table("driven-double-pendulum", "--time", "0..5", "--tol", "1e-13", "--points", "2", by="dalembert")[-1]
    if solve_ivp:
        other = solve_ivp(double_pendulum, (0, 5), [.5, 0, 0, 0], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
        b.below(max(abs(end[name] - x) for name, x in zip(names, other)), 1e-10, "driven double pendulum by scipy")
        mine = b.table("driven-double-pendulum", "--time", "0..5", "--tol", "1e-11", "--points", "2")
        b.below(max(abs(mine[-1][name] - x) for name, x in zip(names, other)), 1e-10, "driven double pendulum by slabs and by scipy")
    exact = lambda t: end
    for order, least in ((2, 1.9), (4, 3.9), (6, 5.8), (8, 8)):
        one_, two = (far(b.table("driven-double-pendulum", "--time", "0..5", "--grid", str(n), "--order", str(order), "--points", "2")[-1:], exact, names) for n in (256, 512))
        b.tally.check(math.log2(one_ / two) > least, "driven double pendulum, order %d: %.1e, %.1e" % (order, one_, two))
    for nodes, least in ((4, 4.7), (5, 6.2)):
        one_, two = (far(b.slabs("driven-double-pendulum", k, nodes, 0, "--time", "0..5")[-1:], exact, names) for k in (32, 64))
        b.tally.check(math.log2(one_ / two) > least, "driven double pendulum, %d Lobatto nodes: %.1e, %.1e" % (nodes, one_, two))


# ---- soft walls

NAMES = ("x", "y", "x_dot", "y_dot")
# 1/width; state at 1/2; errors on 256 points of order 4: largest of the places, beside d'Alembert's
DRUM = ((10, (0.00963305626, -0.93030808596, 1.71527297937, -0.04061402307), 1.1e-7), (20, (0.00016605766, -0.92157058959, 1.78910367706, 0.38715739196), 1.0e-6),
        (40, (-0.00014560147, -0.91893747328, 1.80448864832, 0.23451053706), 2.1e-6), (80, (-0.00022109698, -0.91904882445, 1.80640467939, 0.22418540001), 3.1e-5),
        (110, (-0.00021833601, -0.91908283906, 1.80670225283, 0.22327251315), 9.5e-4))


def drum_by_scipy(sigma):
    def fall(t, y):
        wall = 2 * 5 * math.exp(-((y[0] ** 2 + y[1] ** 2 - 1) / sigma) ** 2 / 2) / (math.sqrt(2 * math.pi) * sigma)
        return [y[2], y[3], -wall * y[0], -9.8 - wall * y[1]]
    return solve_ivp(fall, (0, .5), [-.5, -.75, 0, 0], method="DOP853", rtol=1e-12, atol=1e-13, max_step=sigma / 10).y[:, -1]


def tumbler(b):
    """The drum with a soft wall: numbers, the grid's known errors, d'Alembert with the same wall, scipy."""
    for k, state, most in DRUM:
        wall = ["--set", "m=1", "--sigma", repr(1 / k), "--barrier", "5"]
        slabs, fine, ideal = (b.table("tumbler", *wall, "--points", "256", "--tol", tol, by=by) for tol, by in (("1e-9", "skg"), ("1e-11", "skg"), ("1e-11", "dalembert")))
        for table, what in ((slabs, "slabs"), (fine, "fine slabs"), (ideal, "d'Alembert")):
            b.below(far(table[-1:], lambda t: dict(zip(NAMES, state)), NAMES), 2e-9 if what == "slabs" else 2e-11, "tumbler, width 1/%d, %s" % (k, what))
        b.below(apart(fine, ideal, NAMES), 1e-10, "tumbler, width 1/%d: slabs and d'Alembert" % k)
        b.about(apart(b.grid("tumbler", 256, 4, *wall), ideal, "xy"), most, "tumbler, width 1/%d, 256 points" % k, 1.2)
        if solve_ivp and k == 110:
            b.below(max(abs(fine[-1][name] - x) for name, x in zip(NAMES, drum_by_scipy(1 / k))), 1e-10, "tumbler by scipy")


def thin_walls(b):
    """Too thin for a grid: exit 3, and the number of points that is told serves. Slabs need nothing told."""
    for points in (16, 32, 100):
        for sigma in (.01, .002, .0005, .0001):
            wall = ["--set", "m=1", "--sigma", repr(sigma), "--barrier", "5", "--order", "4"]
            status, out, err = b.call("tumbler", *wall, "--grid", str(points), "--json")
            said = "%d points, width %g" % (points, sigma)
            hint = json.loads(out).get("errors", [{}])[0].get("hint", "")
            if b.tally.check(status == 3 and hint.startswith("use "), "%s: exit %s, %s" % (said, status, hint)):
                enough = hint.split()[1]
                table = b.table("tumbler", *wall, "--grid", enough, "--points", "2")
                b.below(abs(table[-1]["energy"] + 7.35) if table else math.inf, 1e-6, "%s, told %s: energy" % (said, enough))
    for sigma in (.0005, 1e-5):
        table = b.table("tumbler", "--set", "m=1", "--sigma", repr(sigma), "--barrier", "5", "--points", "2")
        b.below(abs(table[-1]["x"] + 0.000161029195078438) if table else math.inf, .02 * sigma, "tumbler, width %g, beside the hard wall" % sigma)
    status, out, err = b.call("tumbler", "--set", "m=1", "--sigma", ".01", "--barrier", ".5")
    b.tally.check(status == 1, "a low barrier: exit %s %s" % (status, err[:200]))


SLOPE = """param g = 9.8, alpha = pi/6, mu = %s, d = %s, s = 1/70
coord x, y
let N = 5*exp(-((x*tan(alpha) - y)/s)^2/2)/(sqrt(2*pi)*s)
lagrangian (x'^2 + y'^2)/2 - g*y
contact plane: x*tan(alpha) <= y
force x = mu*N, y = mu*N*tan(alpha)
start x = cos(alpha), y = sin(alpha) + d
time 0 .. 1"""


def incline(b):
    """Down a soft slope: normal oscillations unless the start is where the wall carries the weight, then exact; with friction through the wall's force."""
    wall = ["--sigma", repr(1 / 70), "--barrier", "5"]
    for mu, errors in ((0, (2.6e-4, 1.6e-6, 2.1e-3)), (.4, (3.2e-4, 1.9e-6, 2.6e-3))):
        a = 9.8 * (.5 - mu * math.cos(math.pi / 6))
        for d in (1 / 30, 0.034666306102577):
            slide = lambda t: {"x": math.cos(math.pi / 6) * (1 - a * t * t / 2), "y": d + .5 * (1 - a * t * t / 2)}
            text, what = SLOPE % (mu, repr(d)), "slope, mu = %g, d = %.4f" % (mu, d)
            tables = [b.grid(text, 64, 4, *wall), b.grid(text, 256, 4, *wall), b.table(text, *wall, "--points", "64", "--tol", "1e-10")]
            ideal = [b.table(text, *wall, "--points", str(n), "--tol", "1e-11", by="dalembert") for n in (64, 256)]
            gaps = [apart(tables[0], ideal[0], "xy"), apart(tables[1], ideal[1], "xy"), apart(tables[2], ideal[0], "xy")]
            if d == 1 / 30:
                b.about(gaps[0], errors[0], what + ", 64 points", 1.2)
                b.about(gaps[1], errors[1], what + ", 256 points", 1.2)
                b.about(far(tables[0], slide, "xy"), errors[2], what + ", closed form", 1.2)
                b.below(gaps[2], 1e-10, what + ", slabs")
            else:
                for table in tables:
                    b.below(far(table, slide, "xy"), 1e-13, what)


def friction_of_a_wall(b):
    """The model's own friction on a soft wall: d'Alembert's motion with the same wall."""
    for stem in ("incline", "incline-smooth"):
        wall = ["--set", "m=1", "--sigma", repr(1 / 70), "--barrier", "5"]
        b.below(apart(b.table(stem, *wall), b.table(stem, *wall, by="dalembert"), NAMES), 2e-9, stem + " with a soft wall")


def soft_gallery(b):
    """Several walls, walls of kinks, walls that move, walls and constraints together; backward too: d'Alembert's motion with the same walls."""
    for stem, sigma, barrier, more in (("billiard-square", ".01", "5", ["--time", "0..5"]), ("billiard-stadium", ".01", "5", []), ("cradle-gaps", ".001", "5", []), ("disk-wall", ".01", "200", []),
                                       ("moving-wall", ".01", "50", []), ("tumbler", ".01", "5", ["--time", ".5..0"])):
        words = ["--sigma", sigma, "--barrier", barrier, *more]
        mine, ideal = b.table(stem, *words), b.table(stem, *words, by="dalembert")
        names = [name[:-4] for name in (ideal or [{}])[0] if name.endswith("_dot")]
        b.below(apart(mine, ideal, names), 1e-8, stem + " with soft walls")


# ---- beside d'Alembert

def compared(b, path):
    """{principle: row} by `compare`, and its exit status."""
    done = subprocess.run([b.program, "compare", path, "--by", "dalembert,hamel,skg", "--project", "--json"], capture_output=True, text=True)
    return {row["by"]: row for row in json.loads(done.stdout).get("principles", [])}, done.returncode


def gallery(b):
    """It agrees, or says why it does not apply; and that is a contact, friction, redundant, hidden or acceleration constraints, or one that
    appears, values that are set at instants, or a motion along a switch, only."""
    reasons = ("`when`, `every` or `held`", "it can't go along the switch", "contacts", "friction", "redundant", "the rank of the constraints changes", "follow from the equations", "on accelerations")
    for name in sorted(os.listdir(os.path.join(ROOT, "models"))):
        by, status = compared(b, os.path.join(ROOT, "models", name))
        if by.get("dalembert", {}).get("status") != "reference":
            continue
        row = by["skg"]
        good = row["status"] == "agrees" or row["status"] == "inapplicable" and any(word in row["note"] for word in reasons)
        b.tally.check(good and status == 0, "%s: exit %d, %s" % (name, status, row))


def random_models(b, count=60):
    """It agrees with d'Alembert and Hamel, its rows are as near as its estimates say, and a grid's end too."""
    rng = random.Random(7)
    for i in range(count):
        kind = KINDS[i % len(KINDS)]
        path = b.model(kind(rng), "%s%d.act" % (kind.__name__, i))
        by, status = compared(b, path)
        words = {name: row["status"] for name, row in by.items()}
        b.tally.check(status == 0 and words.get("dalembert") == "reference" and words["hamel"] in ("agrees", "inapplicable") and words["skg"] == "agrees",
                      "%s: exit %d, %s" % (os.path.basename(path), status, by))


def estimates(b, count=40):
    """Against finer runs, where the error is above rounding: that told is at least a tenth of it, and at most a hundred times."""
    rng = random.Random(11)
    for i in range(count):
        kind = [k for k in KINDS if k.__name__ not in ("stiff", "switches", "chain")][i % 7]
        path = b.model(kind(rng), "%s%d.act" % (kind.__name__, i))
        finest = [rows(out) for status, out, _ in (b.call(path, "--tol", "1e-12", "--project", "-o", "-", "--quiet", by=by) for by in ("skg", "dalembert")) if status == 0]
        b.tally.check(finest, "%s: no fine run" % os.path.basename(path))
        for tol in ("1e-4", "1e-7", "1e-10"):
            told, table = told_and_table(b, path, tol)
            names = [name for name in told if not name.startswith(("t", "residual", "power", "reaction")) and name in finest[-1][0]] if table and finest else []
            size = {name: max(1, max(abs(row[name]) for row in table)) for name in names}
            true = min([max((abs(a[n] - c[n]) / size[n] for a, c in zip(table, fine) for n in names), default=math.inf) for fine in finest], default=math.inf)
            said = max((told[n] / size[n] for n in names), default=0)
            b.below(true, float(tol), "%s --tol %s: true error" % (os.path.basename(path), tol))
            b.tally.check(true < 1e-12 or true / 10 <= said <= true * 100, "%s --tol %s: reports %.1e, the error is %.1e" % (os.path.basename(path), tol, said, true))


def told_and_table(b, path, tol):
    target = os.path.join(b.folder, "told.csv")
    status, out, err = b.call(path, "--tol", tol, "--project", "--json", "-o", target)
    if not b.tally.check(status == 0, "%s --tol %s: exit %s" % (os.path.basename(path), tol, status)):
        return {}, []
    with open(target, encoding="utf-8") as file:
        return json.loads(out)["error"], rows(file.read())


def promise(b):
    """Is --tol a promise? The motions that are known in closed form."""
    for name in MOTIONS:
        one(b.tally, b.program, name, b.folder, by="skg", cheaper=1.4)


# ---- sizes and directions

OSCILLATOR = "param w = %r, S = %r\ncoord x\nlagrangian x'^2/2 - w^2*x^2/2\nstart x = S\ntime 0 .. 3/w"
ROD = "param r = %r, X = %r\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*r*y\nconstraint rod: (x - X)^2 + y^2 = r^2\nstart x = X + r\ntime 0 .. 3"


def sizes(b):
    """Nanoseconds, years, 1e8 metres: the same motion in other units, by tolerance, slabs and grid."""
    for w, size in ((1e9, 1), (1e-9, 1), (1, 1e8), (1, 1e-8), (1e6, 1e8)):
        exact = lambda t: {"x": size * math.cos(w * t), "x_dot": -size * w * math.sin(w * t)}
        for words, bound in (([], 1e-9), (["--slabs", "16"], 1e-12), (["--grid", "64", "--order", "6", "--points", "64"], 1e-5)):
            table = b.table(OSCILLATOR % (w, size), *words)
            for name, scale in (("x", size), ("x_dot", size * w)):
                b.below(far(table, exact, [name]) / scale, max(bound, bound / scale if not words else 0), "oscillator, w = %g, size %g %s: %s" % (w, size, " ".join(words), name))
    for r, place, digits in ((1e-3, 0, 0), (1e3, 0, 0), (1e4, 0, 0), (1e8, 0, 0), (1, 1e3, 0), (1, 1e5, 2)):
        for words in ([], ["--slabs", "100"], ["--grid", "400", "--order", "6"]):
            table, what = b.table(ROD % (r, place), *words, "--points", "2"), "rod of length %g at %g %s" % (r, place, " ".join(words))
            bound = (1e-4 if "--grid" in words else 1e-8 / min(r, 1)) * 10 ** digits
            b.below(abs((table[-1]["x"] - place) / r + 0.1766517899228382) if table else math.inf, bound, what)


def backward(b):
    for words, bound in (([], 1e-9), (["--slabs", "20"], 1e-12), (["--grid", "64", "--order", "6", "--points", "64"], 1e-4)):
        table = b.table("disk", "--time", "5..0", *words)
        b.below(far([dict(table[-1], t=-5)], disk, PLACES) if table else math.inf, bound, "disk from 5 to 0 " + " ".join(words))


# ---- what is refused

def refusals(b):
    """Options that do not fit, too few points, data without a motion, wrong branches: exit status and words."""
    for words, by in ((["--slabs", "4"], "dalembert"), (["--order", "4"], "dalembert"), (["--nodes", "5"], "hamel"), (["--grid", "64"], "gauss"), (["--order", "3", "--grid", "99"], "discrete"), (["--order", "6"], "discrete"), (["--order", "2"], "gauss"),
                      (["--order", "3"], "skg"), (["--grid", "7"], "skg"), (["--grid", "15", "--order", "8"], "skg"), (["--grid", "1", "--order", "2"], "skg"), (["--nodes", "17"], "skg"),
                      (["--nodes", "1"], "skg"), (["--slabs", "0"], "skg"), (["--slabs", "4", "--grid", "64"], "skg"), (["--grid", "64", "--nodes", "8"], "skg"),
                      (["--nodes", "8", "--order", "6"], "skg"), (["--nodes", "5000", "--order", "8", "--slabs", "2"], "skg"),
                      (["--method", "cvode"], "skg"), (["--sigma", ".1"], "skg")):
        status, out, err = b.call("disk", *words, by=by)
        b.tally.check(status == 2 and not out and err, "disk %s by %s: exit %s %s" % (" ".join(words), by, status, err[:200]))
    for words in (["--slabs", "1"], ["--slabs", "2"], ["--slabs", "2", "--nodes", "8", "--order", "4"], ["--grid", "2", "--order", "2"], ["--grid", "3", "--order", "2"]):
        status, out, err = b.call("disk", *words, "--json")
        said = json.loads(out).get("errors", [{}])[0].get("message", "")
        b.tally.check(status == 3 and ("branch" in said or "no critical point" in said), "disk %s: exit %s %s" % (" ".join(words), status, said))
    for words in ([], ["--grid", "64"], ["--slabs", "8"]):
        status, out, err = b.call("disk", "--start", "x'=0,theta'=0", *words)
        b.tally.check(status == 1, "disk at rest %s: exit %s %s" % (" ".join(words), status, err[:200]))
        status, out, err = b.call("slowing-down", *words, "-o", "-", "--quiet")
        b.tally.check(status == 3 and "t = " in err, "slowing down %s: exit %s %s" % (" ".join(words), status, err[:200]))
        status, out, err = b.call("bouncing-ball", *words)
        b.tally.check(status == 1 and "--sigma" in err, "bouncing ball %s: exit %s %s" % (" ".join(words), status, err[:200]))


def limits(b):
    """Memory, time and Ctrl-C: exit 4 and 130, and no half file."""
    for words in (["--grid", "100000000"], ["--grid", "10000000", "--limit-memory", "200M"], ["--grid", "99999999999999999999"]):
        status, out, err = b.call("disk", *words)
        b.tally.check(status == 4, "disk %s: exit %s %s" % (" ".join(words), status, err[:200]))
    for words in (["--grid", "60000", "--order", "8"], ["--slabs", "10000000"], ["--time", "0..1e6"]):
        status, out, err = b.call("disk", *words, "--points", "3", "--limit-time", ".1")
        b.tally.check(status == 4, "disk %s --limit-time .1: exit %s %s" % (" ".join(words), status, err[:200]))
    for words in (["--grid", "60000", "--order", "8"], ["--slabs", "10000000"], ["--time", "0..1e6"]):
        target = os.path.join(b.folder, "stopped.csv")
        child = begin(b.program, "run", "disk", "--by", "skg", *words, "--points", "3", "-o", target, busy=.3, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate()
        b.tally.check(child.returncode == 130, "disk %s, Ctrl-C: exit %s %s" % (" ".join(words), child.returncode, err[:200]))
        if os.path.exists(target):
            with open(target, encoding="utf-8") as file:
                lines = file.read().split("\n")
            b.tally.check(lines[-1] == "" and len({line.count(",") for line in lines[:-1]}) == 1, "disk %s, Ctrl-C: half a file" % " ".join(words))
            os.remove(target)


def claims(b):
    """`expect ... by skg`, and JSON that says what a grid does not claim."""
    path = b.model(DECAYING + "\nexpect q at 10 = %r within 1e-10 by skg\nexpect energy at 0 = .5 within 1e-10 by skg" % decaying(10)["q"])
    status, out, err = call(b.program, "test", path)
    b.tally.check(status == 0, "claims by skg: exit %s %s %s" % (status, out[-200:], err[-200:]))
    for words in (["--grid", "64"], ["--slabs", "32"]):
        told = json.loads(b.call("disk", *words, "--json")[1])
        b.tally.check(told["local_only"] and not told["reached"] and told["error"]["x"] is None, "disk %s claims %s" % (words, told["error"]["x"]))


SECTIONS = (disk_at_64, disk_on_grids, disk_by_slabs, long_time, any_number_of_slabs, disk_by_tolerance, energy_identity, charges, damped, driven, tumbler, thin_walls, incline,
            friction_of_a_wall, soft_gallery, gallery, random_models, estimates, promise, sizes, backward, refusals, limits, claims)


def main():
    program, _ = arguments()
    tally = Tally("skg")
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(program, tally, folder)
        run_parts(SECTIONS, b)
    if not solve_ivp:
        print("  scipy is not installed: it was not asked")
    tally.done()


main()

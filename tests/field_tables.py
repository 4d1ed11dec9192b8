#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Strings on ice and in the air, number by number: the tables of HAMEL B.4, C and D, by the program.

Errors that the tables give to two or three digits are held to 2 %, values to their last digit. Where the discrete motion is exact the bound is that of rounding, with room.

usage: field_tables.py [--program FILE] [--only PART ...] [--list]"""
import math
import tempfile

import field_oracle as oracle                  # before numpy: it keeps the linear algebra to one thread
import numpy as np
from field import Bench
from field_oracle import far
from field_texts import EDGE, LINK, STRING, TEXTS, TOP
from program import Tally, arguments, run_parts

SAME = 1e-12            # what blades at the middles of links keep equal: speeds and turning rates; measured 1e-15 to 1e-14 at the default --tol 1e-9
CIRCLE = 1e-11          # a string on the blade's circle, t >= 3, when it has been drawn there; measured 2e-12 (the last of its way), 5e-14 and 3e-15 with 9, 17 and 33 nodes


def known(b, value, wanted, what, within=.02):
    return b.tally.check(abs(value / wanted - 1) < within, "%s: %.3e, not %.3e" % (what, value, wanted))


def at_time(table, t):
    return min(table, key=lambda row: abs(row["t"] - t))


# ---- B.4: strings in the air

def rotating(b):
    """Accelerations are exact, tensions w^2/2 s (1 - s) + w^2 h^2/8, at every number of nodes and at all times."""
    text = TEXTS["rotating_string"] + "\nobserve ax(s) = x''\nobserve ay(s) = y''"
    for N in (9, 17, 33, 65):
        line = oracle.Axis(0, 1, N)
        for r in b.table(text, "--set", "s.nodes=%d" % N, what="spinning string, %d nodes" % N):
            b.near(r["ax"], -4 * r["x"], 1e-13 * N, "spinning string, %d nodes: x''" % N)          # sums of terms like w^2/h in 16 digits
            b.near(r["ay"], -4 * r["y"], 1e-13 * N, "spinning string, %d nodes: y''" % N)
            excess = -2 * r["lambda.link"] - 2 * line.middle * (1 - line.middle)
            b.near(excess, np.full(N - 1, 4 * line.h ** 2 / 8), 1e-12, "spinning string, %d nodes: tension less that of the string is w^2 h^2/8" % N)


MIDDLE = {65: 5.7e-5, 129: 1.43e-5, 257: 3.57e-6, 513: 8.9e-7, 1025: 2.2e-7}
END = {65: 7.7e-4, 129: 2.3e-4, 257: 6.8e-5, 513: 2.0e-5, 1025: 5.6e-6}


def middle_of(r):
    """Tension and heading of the middle, of the two cells beside it; x and y of its node."""
    x, y, k = r["x"], r["y"], len(r["x"]) // 2
    return np.array([r["tension"][k - 1:k + 1].mean(), math.atan2(y[k + 1] - y[k - 1], x[k + 1] - x[k - 1]), x[k], y[k]])


def free(b):
    """Errors at t = 1 and their orders; at all three times the middle, extrapolated, is the spectral solution's."""
    middle, end, tables = {}, {}, {}
    for N in MIDDLE:
        tables[N] = b.table(TEXTS["free_string"].replace("0 .. 1\nobs", "0 .. 2\nobs"), "--set", "s.nodes=%d" % N, points=5)
        if not tables[N]:
            return
        r = at_time(tables[N], 1)
        z = r["x"] + 1j * r["y"]
        middle[N], end[N] = abs(z[N // 2] - oracle.FREE[1][4]), abs(z[0] - oracle.FREE[1][3])
        known(b, middle[N], MIDDLE[N], "free string, %d nodes, middle" % N)
        known(b, end[N], END[N], "free string, %d nodes, end" % N)
        b.near(tables[N][0]["energy"], oracle.FREE_ENERGY, .1 / N ** 2, "free string: energy")
        b.near(tables[N][-1]["charge.turn"], oracle.FREE_SPIN, .3 / N ** 2, "free string: spin")
    orders = [math.log2(a / c) for a, c in zip(middle.values(), list(middle.values())[1:])]
    b.tally.check(all(abs(p - 2) < .02 for p in orders), "free string: orders in the middle %s" % orders)
    orders = [math.log2(a / c) for a, c in zip(end.values(), list(end.values())[1:])]
    b.tally.check(all(1.74 < p < 1.82 for p in orders), "free string: orders at the end are 1.75 to 1.81: %s" % orders)
    for t, (D, tension, heading, tail, place) in oracle.FREE.items():
        coarse, fine = (middle_of(at_time(tables[N], t)) for N in (513, 1025))
        b.near((4 * fine - coarse) / 3, [tension, heading, place.real, place.imag], 1e-8, "free string at %g, extrapolated: tension, heading and place of the middle" % t)
        r = at_time(tables[1025], t)
        b.near([r["x"][0], r["y"][0], r["D"]], [tail.real, tail.imag, D], 3e-5, "free string at %g: its end, and end to end" % t)


def bessel(k):
    """J0(2.4048 sqrt(1 - s)) and the like by their series: terms (-1)^n (k (1 - s))^n/n!^2, k = j^2/4."""
    return " + ".join("%.17g*(1 - s)^%d" % ((-k) ** n / math.factorial(n) ** 2, n) for n in range(16))


def hanging(b):
    """The first mode of the line, 1e-6 wide: after half its period the tip is on the other side, but for the errors of the links' frequency and shape."""
    half = math.pi / oracle.CHAIN[0]
    text = STRING % 33 + LINK + TOP + "lagrangian integral(s, -y)\nstart x = 1e-6*(%s), y = -s\ntime 0 .. %.17g" % (bessel(oracle.CHAIN[0] ** 2), half)
    for N, tip in ((33, -1.001043), (65, -1.000305), (129, -1.000087)):
        r = b.table(text, "--set", "s.nodes=%d" % N, "--tol", "1e-12", "--project", what="hanging chain, %d nodes" % N)     # 1e-6 of the swing
        if r:
            b.near(r[-1]["x"][-1] / r[0]["x"][-1], tip, 2e-6, "hanging chain, %d nodes: its tip" % N)
    for N in (33, 65):
        r = b.table(TEXTS["hanging_chain"], "--set", "s.nodes=%d" % N)
        if r:
            b.near(-2 * r[-1]["lambda.link"], 1 - oracle.Axis(0, 1, N).middle, 1e-13, "hanging chain at rest, %d nodes: g times the mass below" % N)


# ---- C: strings on ice

def front(b):
    """Behind a given front: places of order 2, all speeds its own."""
    heading = lambda u: .8 * math.sin(2 * u)
    before = None
    for N, wanted in ((9, 3.27e-3), (17, 8.21e-4), (33, 2.06e-4), (65, 5.14e-5), (129, 1.29e-5), (257, 3.21e-6)):
        words = () if N < 65 else ("--local", "1e-7")           # a hundredth of the error looked at, and less; minutes otherwise
        r = b.table(TEXTS["ice_front"], "--set", "s.nodes=%d" % N, *words, what="ice behind a front, %d nodes" % N)
        if not r:
            continue
        z = [row["x"] + 1j * row["y"] for row in r]
        off = far(z[-1] - z[0][-1], oracle.track(heading, oracle.Axis(0, 1, N).s + 2) - oracle.track(heading, [1])[0])         # the front begins on the track; here the rear does
        known(b, off, wanted, "ice behind a front, %d nodes" % N)
        b.tally.check(before is None or abs(math.log2(before / off) - 2) < .02, "ice behind a front, %d nodes: order %.3f" % (N, math.log2((before or off) / off)))
        before = off
        for row in r if N < 65 else ():
            b.near(np.hypot(row["x_dot"], row["y_dot"]), np.ones(N), SAME, "ice behind a front, %d nodes: speeds" % N)


def by_hand(N, z, u, more=""):
    """A string on ice node by node: the program says of the line that it is undetermined, and of N links nothing."""
    out = ["param n = %d, h = 1/%d" % (N, N), "coord x[0 .. n], y[0 .. n]", "lagrangian h*sum(i = 1 .. n - 1, (x[i]'^2 + y[i]'^2)/2) + h/4*(x[0]'^2 + y[0]'^2 + x[n]'^2 + y[n]'^2)",
           "constraint link[i = 1 .. n]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = h^2", more]
    out += ["start x[%d] = %.17g, y[%d] = %.17g, x[%d]' = %.17g, y[%d]' = %.17g" % (k, z[k].real, k, z[k].imag, k, u[k].real, k, u[k].imag) for k in range(N + 1)]
    return "\n".join(out)


def reflected(z, u):
    """Velocities of all nodes when that of the last is u: from link to link a reflection, so that speeds are equal."""
    out = [u]
    for d in np.diff(z)[::-1]:
        out.append((d / abs(d)) ** 2 * np.conj(out[-1]))
    return np.array(out[::-1])


MIDPOINTS = "constraint edge[i = 1 .. n]: (x[i]' + x[i-1]')*(y[i] - y[i-1]) = (y[i]' + y[i-1]')*(x[i] - x[i-1])"
NOSE = "\nconstraint nose: x[n]'*(y[n] - y[n-1]) = y[n]'*(x[n] - x[n-1])"


def on_curve(place):
    """x, where y = .3 sin 2x is so far from x = 0."""
    from scipy.integrate import quad
    from scipy.optimize import brentq
    return brentq(lambda x: quad(lambda u: math.hypot(1, .6 * math.cos(2 * u)), 0, x, epsabs=1e-13)[0] - place, 0, place + 1e-9, xtol=1e-14)


def along_curve(place):
    """The point there; behind x = 0 that of the tangent."""
    return place * (1 + .6j) / math.sqrt(1.36) if place < 0 else on_curve(place) + .3j * math.sin(2 * on_curve(place))


def curve(b):
    """A front that is only held on a curve: one degree of freedom, whose speed is kept; tensions vanish like h^2."""
    heading = lambda place: math.atan(.6 * math.cos(2 * on_curve(place)))
    for N, wanted, tension in ((8, 1.85e-3, 5.4e-3), (16, 4.64e-4, 1.4e-3), (32, 1.16e-4, 3.4e-4)):        # all of it begins on the curve, and links have the headings of their middles
        z = along_curve(1) - np.concatenate([np.cumsum([np.exp(1j * heading(s)) / N for s in oracle.Axis(0, 1, N + 1).middle[::-1]])[::-1], [0]])
        text = by_hand(N, z, reflected(z, np.exp(1j * heading(1))), MIDPOINTS + "\nconstraint front: y[n] = .3*sin(2*x[n])") + "\ntime 0 .. 1.5"
        for r in b.table(text, "--local", "1e-12", what="front on a curve, %d links" % N)[-1:]:        # 66 coordinates by name are slow, and multipliers of blades are known to 1e-7
            off = far(r["x"] + 1j * r["y"], [along_curve(1.5 + s) for s in oracle.Axis(0, 1, N + 1).s])
            known(b, off, wanted, "front on a curve, %d links: places" % N)
            known(b, np.max(np.abs(2 * r["lambda.link"])) / N, tension, "front on a curve, %d links: tension" % N)
            b.near(np.hypot(r["x_dot"], r["y_dot"]), np.ones(N + 1), SAME, "front on a curve, %d links: speeds" % N)
    before = None
    for N in (9, 17, 33):                       # a straight string that is drawn onto it
        for r in b.table(TEXTS["ice_curve"], "--set", "s.nodes=%d" % N, what="onto a curve, %d nodes" % N):
            b.near(np.hypot(r["x_dot"], r["y_dot"]), np.ones(N), SAME, "onto a curve, %d nodes: speeds" % N)
        off = far(r["x"] + 1j * r["y"], [along_curve(.5 + s) for s in oracle.Axis(0, 1, N).s])
        b.tally.check(before is None or abs(math.log2(before / off) - 2) < .03, "onto a curve, %d nodes: order %.3f" % (N, math.log2((before or off) / off)))
        before = off


FREE_FRONTS = {         # cells: where midpoint blades take the front by t = 1, and these with one on the front; the last digits
    "arc": {16: ((.90923, 1.41630, 1e-5), (1.4078, 1.2841, 1e-4)), 17: ((.90924, 1.41628, 1e-5), (1.4062, 1.2851, 1e-4)),
            32: ((.90928, 1.41618, 1e-5), (1.3948, 1.2927, 1e-4)), 33: ((.90928, 1.41618, 1e-5), (1.3945, 1.2929, 1e-4))},
    "bent": {16: ((1.40322, .18256, 1e-5), (1.552, 1.202, 1e-3)), 17: ((1.73857, .42443, 1e-5), (1.552, 1.201, 1e-3)),
             32: ((1.40247, .18206, 1e-5), (1.558, 1.195, 1e-3)), 33: ((1.73916, .42466, 1e-5), (1.558, 1.195, 1e-3)),
             48: ((1.40219, .18207, 1e-5), (1.560, 1.193, 1e-3)), 49: ((1.73931, .42477, 1e-5), (1.560, 1.192, 1e-3))},
}
HEADINGS = {"arc": "s", "bent": ".8*sin(2*s)"}


def headings(shape, s, h):
    """Links of a circle of radius 1 are chords."""
    return s * 2 * math.asin(h / 2) / h if shape == "arc" else .8 * np.sin(2 * s)


def free_front(b):
    """Nothing says where it goes: the line is undetermined, and links go to limits that depend on where the blades are and on their number's parity."""
    for shape, fronts in FREE_FRONTS.items():
        start = "let th = %s\nstart x = running(s, cos(th)), y = running(s, sin(th)), x' = cos(th), y' = sin(th)\ntime 0 .. 1" % HEADINGS[shape]
        for nose in ("", "constraint nose: x'(1)*diff(y, s)(1) = y'(1)*diff(x, s)(1)\n"):
            status, answer = b.json("check", STRING % 17 + LINK + EDGE + nose + start)
            b.tally.check(status == 1 and answer.get("verdict") == "undetermined", "free front, %s%s: %s" % (shape, ", a blade on it" if nose else "", answer.get("verdict")))
        for N, places in fronts.items():
            z = np.concatenate([[0], np.cumsum(np.exp(1j * headings(shape, oracle.Axis(0, 1, N + 1).middle, 1 / N)) / N)])
            for words, (x, y, digit), last in ((MIDPOINTS, places[0], np.exp(1j * headings(shape, 1.0, 1 / N))), (MIDPOINTS + NOSE, places[1], N * (z[-1] - z[-2]))):
                for r in b.table(by_hand(N, z, reflected(z, last), words) + "\ntime 0 .. 1", "--local", "1e-11", what="free front by hand")[-1:]:        # multipliers are known to 1e-7
                    b.near([r["x"][-1], r["y"][-1]], [x, y], .6 * digit, "free front, %s, %d cells%s" % (shape, N, ", a blade on it" if "nose" in words else ""))


# ---- D: sleigh with a string

RADII = {9: {1: 4.4e-3, 2: 7.4e-8}, 17: {1: 1.75e-3}, 33: {1: 6.9e-4}}          # by nodes and times; what is 1e-11 or less is not told by the table to a digit


def sleigh(b):
    """Blade on its circle, omega and all speeds constant; the string is drawn onto the circle and stays there."""
    for N, early in RADII.items():
        for r in b.table(TEXTS["sleigh_string"].replace("0 .. 3", "0 .. 6"), "--set", "s.nodes=%d" % N, points=7, what="sleigh, %d nodes" % N):
            t, what = r["t"], "sleigh, %d nodes, at %g: " % (N, r["t"])
            b.near([r["x"][0], r["y"][0]], [math.sin(t), 1 - math.cos(t)], SAME, what + "its circle")
            b.near(r["th_dot"], 1, SAME, what + "omega")
            b.near(np.hypot(r["x_dot"], r["y_dot"]), np.ones(N), SAME, what + "speeds")
            radius = np.hypot(r["x"], r["y"] - 1)
            if t in early:
                known(b, far(radius, 1), early[t], what + "off the circle")
            if t >= 3:
                b.near(radius, np.ones(N), CIRCLE, what + "the string is on the circle")


def on_circle(b):
    """Started on a circle it stays there; tensions vanish like h^2. Links of headings h apart lie on one of radius h/2/sin(h/2)."""
    for N, tension in ((9, 3.9e-3), (17, 9.8e-4), (33, 2.4e-4)):
        h = 1 / (N - 1)
        R = h / 2 / math.sin(h / 2)
        text = TEXTS["sleigh_string"].partition("start")[0] + "start x = -running(s, cos(s)), y = running(s, sin(s)), x' = cos(s), y' = -sin(s), th' = %.17g\ntime 0 .. 10" % (1 / R)
        r = b.table(text, "--set", "s.nodes=%d" % N, what="sleigh on its circle, %d nodes" % N)
        if r:
            b.near(np.hypot(r[-1]["x"], r[-1]["y"] - R), np.full(N, R), 1e-13, "sleigh, its string on the circle at t = 10, %d nodes" % N)
            known(b, np.max(np.abs(2 * r[-1]["lambda.link"])), tension, "sleigh, its string on the circle, %d nodes: tension" % N)


BLADE = "coord th\nlagrangian x[0]'^2 + y[0]'^2 + .75*th'^2\nconstraint blade: x[0]'*sin(th) = y[0]'*cos(th)\n"


def trailers(b):
    """Blades at the rear of each link, instead, are a train of trailers: R_N/R_0 = sqrt(1 - h/R_0^2), and the blade gets faster."""
    for N, ratio, speed in ((8, .93678, 1.01036), (16, .96858, 1.00519), (32, .98433, 1.00260)):
        z, u = -oracle.Axis(0, 1, N + 1).s + 0j, np.ones(N + 1, dtype=complex)
        rear = BLADE + "constraint edge[i = 1 .. n]: x[i]'*(y[i] - y[i-1]) = y[i]'*(x[i] - x[i-1])"
        r = b.table(by_hand(N, z, u, rear) + "\nstart th' = 1\ntime 0 .. 12", "--tol", "1e-8", points=13, what="trailers")   # rounding leaves 1e-9 of multipliers
        if r:
            fast = math.hypot(r[-1]["x_dot"][0], r[-1]["y_dot"][0])
            radius = np.hypot(r[-1]["x_dot"], r[-1]["y_dot"]) / r[-1]["th_dot"]
            b.near([radius[-1] / radius[0], fast], [ratio, speed], 1.1e-5, "trailers, %d links: radii and speed" % N)
            b.near(radius[-1] / radius[0], math.sqrt(1 - 1 / N / radius[0] ** 2), 1e-6, "trailers, %d links" % N)


def pushing(b):
    """A string that is pushed: the first link's angle grows with the rate 2|v|/h, tan(b/2) exactly so; check says that there is no limit."""
    for N in (8, 16, 32):
        z = -oracle.Axis(0, 1, N + 1).s * np.exp(.01j)
        r = b.table(by_hand(N, z, reflected(z[::-1], -1)[::-1], BLADE + MIDPOINTS) + "\ntime 0 .. %.17g" % (1 / N), "--local", "1e-12", what="pushed string, %d links" % N)      # the last links run wild
        if r:
            tilt = [math.tan(math.atan2(row["y"][0] - row["y"][1], row["x"][0] - row["x"][1]) / 2) for row in (r[0], r[-1])]
            b.near(math.log(tilt[1] / tilt[0]) / 2, 1, 1e-6, "pushed string, %d links: rate over 2|v|/h" % N)
    status, out, err = b.call("check", TEXTS["sleigh_string"].partition("start")[0] + "start x = -s, x' = -1\ntime 0 .. 1")
    b.tally.check(status == 0 and "ill posed" in err, "pushed string: exit %s %s" % (status, err[:200]))


def caveats(b):
    """omega is constant only with the centre of mass at the blade; without inertia the heading is not determined."""
    offset = TEXTS["sleigh_string"].replace("m/2*(x'(0)^2 + y'(0)^2)", "m/2*((x'(0) - .3*sin(th)*th')^2 + (y'(0) + .3*cos(th)*th')^2)")
    r = b.table(offset, what="sleigh with its mass ahead")
    if r:
        b.tally.check(abs(r[-1]["th_dot"] - 1) > .1, "sleigh with its mass ahead: omega stays %.3g" % r[-1]["th_dot"])
        b.near(r[-1]["energy"], r[0]["energy"], 1e-9, "sleigh with its mass ahead: energy")
    status, answer = b.json("check", TEXTS["sleigh_string"], "--set", "J=0")
    b.tally.check(status == 1 and answer.get("verdict") == "undetermined", "sleigh without inertia, with a string: %s" % answer.get("verdict"))


SECTIONS = (rotating, free, hanging, front, curve, free_front, sleigh, on_circle, trailers, pushing, caveats)


def main():
    program, _ = arguments()
    tally = Tally("field_tables")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(program, tally, folder)
        run_parts(SECTIONS, bench)
    tally.done()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instants: held values, when, every, stop.

References: closed forms; products of matrices for sampled control; and for random combinations an integration by scipy
with its own list of guards, clocks and rounds.

usage: resets.py [--program FILE] [--seed N] [--count N]"""
import json
import math
import os
import random
import sys
import tempfile

from program import Tally, arguments, call, run_parts

G = 9.81
LAWS = "dalembert gauss maggi hamel appell jourdain hamilton"
SMOOTH_LAWS = ("dalembert", "gauss")                       # these know contacts


def bounces(count, restitution):
    """When a ball that falls from 1 hits the floor for the time of this number."""
    return math.sqrt(2 / G) * (1 + 2 * sum(restitution**k for k in range(1, count)))


def sampled(mass, kp, kd, h, steps):
    """Position, velocity and force of a cart whose force is computed every h."""
    x, v = 1, 0
    for _ in range(steps):
        u = -kp * x - kd * v
        x, v = x + h * v + h * h / 2 * u / mass, v + h * u / mass
    return {"x": x, "x_dot": v, "u": -kp * x - kd * v}


ROW = "coord x, y\nlagrangian (x'^2 + 2*y'^2)/2\nconstraint c: x + y = 0\nevent now: t = 1\nwhen now: %s\ntime 0 .. 2\n"

# (name, model, {column: value at the end}, principles)
EXACT = [
    ("sampled", "param h = .25\ncoord x\nheld u\nlagrangian x'^2\nforce x = u\nevery h: u = -3*x - 1.5*x'\nstart x = 1\n"
     "time 0 .. 5\n", sampled(2, 3, 1.5, .25, 20), LAWS),
    ("never by accumulation", "coord x\nheld n\nlagrangian x'^2/2\nevery .1: n = n + 1\ntime 0 .. 1000\n", {"n": 10001}, LAWS),
    ("a later beginning", "coord x\nheld n\nlagrangian x'^2/2\nevery .5 from 1.25: n = n + 1\ntime 0 .. 3\n", {"n": 4}, LAWS),
    ("a beginning before", "coord x\nheld n\nlagrangian x'^2/2\nevery .5 from -.25: n = n + 1\ntime 0 .. 3\n", {"n": 6}, LAWS),
    ("mass", "coord x\nheld u\nlagrangian u*x'^2/2\nevery 1 from 1: u = u + 1\nstart u = 1, x' = 1\ntime 0 .. 3.5\n",
     {"x": 1 + 1 / 2 + 1 / 3 + .125, "x_dot": .25, "u": 4}, LAWS),
    ("mass and velocity", "coord x, y\nheld u\nlagrangian u*(x'^2 + y'^2)/2\nevery 1 from 1: u = 2, x' = 3\n"
     "start u = 1, x' = 1, y' = 1\ntime 0 .. 1.5\n", {"x": 2.5, "y": 1.25, "x_dot": 3, "y_dot": .5}, LAWS),
    ("gear", "coord a, b\nheld u\nlagrangian a'^2/2 + b'^2\nconstraint gear: a' = u*b'\nforce a = 1\nevery 1 from 1: u = 3\n"
     "start u = 2\ntime 0 .. 1.9\n", {"u": 3}, "dalembert gauss appell jourdain hamilton maggi"),
    ("exchange", "coord x\nheld a, b\nlagrangian x'^2/2\nevery 1 from 1: a = b\nevery 1 from 1: b = a\nstart a = 1, b = 2\n"
     "time 0 .. 1.5\n", {"a": 2, "b": 1}, LAWS),
    ("times that are one", "coord x\nheld a, b\nlagrangian x'^2/2\nevery .1 from .1: a = b\nevery .3 from .3: b = a + 1\n"
     "start a = 1, b = 2\ntime 0 .. .35\n", {"a": 2, "b": 3}, LAWS),
    ("rounds", "coord x\nheld n, k\nlagrangian x'^2/2\nevery 1: n = n + 1\nevent two: n = 2\nwhen two: k = 10*n\nevent late: k = 20\n"
     "when late: x' = 5, n = n\ntime 0 .. 2.5\n", {"n": 3, "k": 20, "x": 7.5}, LAWS),
    ("through zero", "coord x\nheld n, k\nlagrangian x'^2/2\nevery 1: n = n + 2\nevent over: n = 3 rising\nwhen over: k = k + 1\n"
     "event under: n = 3 falling\nwhen under: k = 100\ntime 0 .. 5\n", {"k": 1, "n": 12}, LAWS),
    ("tenths", "coord x\nheld n, k\nlagrangian x'^2/2\nevery 1 from 1: n = n + .1\nevent at: n = .3\nwhen at: k = k + 1\n"
     "time 0 .. 6\n", {"k": 1}, LAWS),
    ("kick", "coord x\nlagrangian x'^2/2 - x^2/2\nevent mid: x = 0 rising\nwhen mid: x' = 2*x'\nstart x' = 1\ntime 0 .. 7\n",
     {"x": 2 * math.sin(7), "x_dot": 2 * math.cos(7)}, LAWS),
    ("turned at the event", "coord x\nlagrangian x'^2/2\nevent wall: x = 1\nwhen wall: x' = -x'\nevent back: x = 0 falling\n"
     "when back: x' = -2*x'\nstart x = .5, x' = 1\ntime 0 .. 2.25\n", {"x": .5, "x_dot": -2}, LAWS),
    ("moved over a switch", "coord x\nlagrangian x'^2/2\nforce x = if(x < 1, 1, -1)\nevent now: t = .5\nwhen now: x = 5\ntime 0 .. 1\n",
     {"x": 5 + .25 - .125, "x_dot": 0}, LAWS),
    ("switch of a held value", "coord x\nheld u\nlagrangian x'^2/2\nforce x = if(u > 0, 1, -1)*abs(u)\nevery 1: u = if(t < .5, 2, -3)\n"
     "time 0 .. 2\n", {"x": 1 + 2 - 1.5, "x_dot": -1}, LAWS),
    ("velocities onto a row", ROW % "x' = 1, y' = 3", {"x_dot": 1 - 4 / 1.5, "y_dot": 3 - 2 / 1.5}, LAWS),
    ("one velocity of two", ROW % "x' = 3", {"x_dot": 3 - 3 / 1.5, "y_dot": -1}, LAWS),
    ("positions onto a row", ROW % "x = 2, y = -2", {"x": 2, "y": -2}, LAWS),
    ("states", "state p\nheld n\nflow p' = -p\nevent half: p = .5\nwhen half: p = 1, n = n + 1\nstart p = 1\ntime 0 .. 2\n",
     {"p": math.exp(-2 + 2 * math.log(2)), "n": 2}, "dalembert"),
    ("counter", "coord y\nheld n\nlagrangian y'^2/2 - 9.81*y\ncontact floor: y >= 0, restitution = .8\nwhen floor: n = n + 1\n"
     "event done: n = 5\nwhen done: stop\nstart y = 1\ntime 0 .. 10\n",
     {"t": bounces(5, .8), "n": 5, "y_dot": math.sqrt(2 * G) * .8**5}, "dalembert gauss"),
    ("set after an impact", "coord y\nlagrangian y'^2/2 - 9.81*y\ncontact floor: y >= 0, restitution = 0\nwhen floor: y' = 2\nstart y = 1\n"
     "time 0 .. 1\n", {"y": 2 * (1 - math.sqrt(2 / G) - 2 * 2 / G) - G / 2 * (1 - math.sqrt(2 / G) - 2 * 2 / G)**2
                       if 1 - math.sqrt(2 / G) > 4 / G else
                       2 * (1 - math.sqrt(2 / G)) - G / 2 * (1 - math.sqrt(2 / G))**2}, "dalembert gauss"),
    ("floor that is lowered", "coord y\nheld h\nlagrangian y'^2/2 - 9.81*y\ncontact floor: y >= h, restitution = 0\n"
     "event now: t = .5\nwhen now: h = -.2\ntime 0 .. .6\n", {"y": -G * .005, "y_dot": -G * .1}, "dalembert gauss"),
    ("and is reached again", "coord y\nheld h\nlagrangian y'^2/2 - 9.81*y\ncontact floor: y >= h, restitution = 0\n"
     "event now: t = .5\nwhen now: h = -.2\ntime 0 .. 1\n", {"y": -.2, "y_dot": 0, "force.floor": G}, "dalembert gauss"),
    ("thrown into a wall", "coord y\nlagrangian y'^2/2\ncontact floor: y >= 0, restitution = .5\nevent now: t = 1\nwhen now: y' = -2\n"
     "time 0 .. 2\n", {"y": 1, "y_dot": 1}, "dalembert gauss"),
    ("end at once", "coord x\nlagrangian x'^2/2\nevent e: t = .5\nwhen e: x' = 7, stop\nstart x' = 1\ntime 0 .. 2\n",
     {"t": .5, "x": .5, "x_dot": 7}, LAWS),
    ("a family", "coord x[1 .. 3]\nheld n[1 .. 3]\nlagrangian sum(i = 1 .. 3, x[i]'^2)/2\nevent hit[i = 1 .. 3]: x[i] = i\n"
     "when hit[i = 1 .. 3]: n[i] = n[i] + i, x[i]' = -x[i]'\nwhen hit[2]: n[1] = 10\nstart x[i = 1 .. 3]' = 2\ntime 0 .. 1.25\n",
     {"n[1]": 10, "n[2]": 2, "n[3]": 0, "x[1]": -.5, "x[2]": 1.5, "x[3]": 2.5}, LAWS),
    ("names that are free", "param from = 2, rising = 3\ncoord every, when\nheld stop, held\nlagrangian (every'^2 + when'^2)/2\n"
     "event falling: every = rising - from\nwhen falling: when' = from, stop = 1, held = rising\nstart every' = 2\ntime 0 .. 1\n",
     {"when": 1, "stop": 1, "held": 3}, LAWS),
]
BALL = "coord y\nheld n\nlagrangian y'^2/2 - y\ncontact floor: y >= 0, restitution = .5\n"
BETWEEN = "coord x\nheld k\nlagrangian x'^2/2\ncontact a: x <= 1\ncontact b: x >= 0\n"
CONTACTS = "dalembert gauss"
# an impact exactly at a clock's time, or at an event's: the impact is first, then all together
EXACT += [
    ("impact and clock", BALL + "every 1 from 1: n = n + 1\nwhen floor: n = n + 1\nstart y = .5\ntime 0 .. 1.5\n",
     {"n": 1, "y": .125}, CONTACTS),
    ("impact and event", BALL + "event e: t = 1\nwhen e: n = n + 1\nwhen floor: n = n + 1\nstart y = .5\ntime 0 .. 1.5\n",
     {"n": 1, "y": .125}, CONTACTS),
    ("after the impact", BALL + "every 1 from 1: y' = 3*y'\nwhen floor: n = 7\nstart y = .5\ntime 0 .. 1.5\n",
     {"n": 7, "y": .75 - .125, "y_dot": 1}, CONTACTS),
    ("walls and clock", BETWEEN + "every 1/2: k = k + 1\nstart x' = 1\ntime 0 .. 5.25\n", {"k": 11, "x": .75}, CONTACTS),
    ("two walls at once", "coord x, y\nheld n, m\nlagrangian (x'^2 + y'^2)/2\ncontact a: x <= 1\ncontact b: y <= 1\nwhen a: n = n + 1\n"
     "when b: m = m + 1\nstart x' = 1, y' = 1\ntime 0 .. 1.25\n", {"n": 1, "m": 1, "x": .75, "y": .75}, CONTACTS),
    ("root at the start", "coord x\nheld n\nlagrangian x'^2/2\nevent e: sqrt(t) = 2\nwhen e: n = n + 1\ntime 0 .. 5\n", {"n": 1}, LAWS),
    ("no value later", "coord x\nheld n\nlagrangian x'^2/2\nevent e: log(x) = -1\nwhen e: n = n + 1\nevent f: sqrt(x + .5) = .2\n"
     "when f: n = n + 10\nstart x = 1, x' = -1\ntime 0 .. 3\n", {"n": 11, "x": -2}, LAWS),
    ("along a switch", "state p\nheld n\nflow p' = t - 2*sign(p)\nevent z: p = 0\nwhen z: n = n + 1\nstart p = 1\ntime 0 .. 4\n",
     {"n": 1, "p": 2}, "dalembert"),
    ("to rest on a floor", "coord x, y\nheld n\nlagrangian (x'^2 + y'^2)/2 - y\ncontact floor: y >= 0, restitution = 0, friction = .5\n"
     "event rest: x' = 0\nwhen rest: n = n + 1\nstart x' = 1\ntime 0 .. 4\n", {"n": 1, "x": 1}, "dalembert"),
    ("bounces that set one value", BALL + "when floor: n = 1\nstart y = .5\ntime 0 .. 5\n", {"n": 1, "y": 0}, CONTACTS),
    ("a hair below the top", "coord x\nheld n\nlagrangian x'^2/2 - x^2/2\nevent top: x = 1 - 1e-9\nwhen top: n = n + 1\nstart x' = 1\n"
     "time 0 .. 3\n", {"n": 2}, "dalembert"),
] + [("reached at the end, %s" % a, "param a = %s\ncoord x\nheld n\nlagrangian x'^2/2\nevent e: x = a*3\nwhen e: n = n + 1\nstart x' = a\n"
      "time 0 .. 3\n" % a, {"n": 0}, "dalembert") for a in (.1, .3, .7)
] + [("walls and clock of %s" % every, BALL + "every %s: n = n + 1\nstart y = .5\ntime 0 .. 1.45\n" % every,
      {"n": math.floor(1.45 / eval(every) + 1e-9) + 1, "y": .45 / 2 - .45**2 / 2}, "dalembert")
     for every in ("1/3", "1/2", "1/4", ".2", ".1")]
# the gear by its momenta: 3 a' + b' stays over the change with u = 3 behind it
_v, _w = 2 / 6 * 2, 2 / 6                                  # at t = 1 with a' = 2 b': (4 + 2) b'' = 2
_b = (3 * _v + 2 * _w) / 11
EXACT[6][2].update({"b_dot": _b + 3 / 11 * .9, "b": 1 / 6 + _b * .9 + 3 / 22 * .81})

# (model, exit status, words)
FAILS = [
    ("coord x\nheld u\nlagrangian x'^2/2\nevery 1: u = 1\nevery .5: u = 2\ntime 0 .. 3\n", 3, "set u to different values at t = 0"),
    ("coord x\nheld u\nlagrangian x'^2/2\nevery 1: u = -u\nevent e: u = 0\nwhen e: u = -u\nstart u = 1\ntime 0 .. 3\n", 3,
     "`when e`"),
    ("coord x\nlagrangian x'^2/2\nevent e: x = 1\nwhen e: x = 1 - x\nstart x' = 1\ntime 0 .. 3\n", 0, ""),
    ("coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint c: x = y\nevent e: t = 1\nwhen e: x = 2\ntime 0 .. 3\n", 3,
     "break constraint 'c' by 2"),
    ("coord y\nlagrangian y'^2/2\ncontact floor: y >= 0\nevent e: t = 1\nwhen e: y = -.5\nstart y = 1\ntime 0 .. 3\n", 3,
     "break contact 'floor' by 0.5"),
    ("coord x\nlagrangian x'^2/2\nevent e: t = 1\nwhen e: x' = 1/x\ntime 0 .. 3\n", 3, "not a finite number"),
    ("coord x\nlagrangian x'^2/2\nevent e: t = 1\nwhen e: x' = 1\ntime 3 .. 0\n", 1, "backward"),
    ("coord x\nheld n\nlagrangian x'^2/2\nevery 1: n = 1\ntime 3 .. 0\n", 1, "backward"),
    ("coord y\nheld h\nlagrangian y'^2/2 - y\ncontact floor: y >= h, restitution = 0\nevent e: t = 1\nwhen e: h = .5\ntime 0 .. 3\n", 3,
     "floor"),
    ("coord x\nheld n\nlagrangian x'^2/2\nevery 1e-9: n = n + 1\ntime 0 .. 4\n", 2, "`every 1e-9` happens 4000000000 times"),
    (BALL + "every 1 from 1: n = 5\nwhen floor: n = 7\nstart y = .5\ntime 0 .. 1.5\n", 3, "different values at t = 1"),
    (BALL + "event e: t = 1\nwhen e: n = 5\nwhen floor: n = 7\nstart y = .5\ntime 0 .. 1.5\n", 3, "`when e` and `when floor`"),
    (BALL + "when floor: n = n + 1\nstart y = .5\ntime 0 .. 5\n", 3, "infinitely often before t = 3"),
    ("coord x\nheld n\nlagrangian x'^2/2 - x^2/2\nevent top: x = 1\nwhen top: n = n + 1\nstart x' = 1\ntime 0 .. 3\n", 3,
     "whether event 'top'"),
]

# (line, words of its message or hint)
HINTS = [
    ("start e = 1", "'e' is the label"), ("when e: q = 2", "state or held"), ("when nobody: x = 2", "declare it with event or contact"),
    ("when x < 0: x = 1", "give the condition a label"), ("when e n = 1", "write a colon"), ("when e: n += 1", "write n = n + ..."),
    ("when e: Stop", "write stop"), ("every 1 n = 1", "write a colon"), ("event q: x = 0 upward", "rising or falling"),
    ("every 1 from 10: n = 1", "`every 1` never happens"),
]


def hints(program, folder, tally):
    for line, words in HINTS:
        text = "coord x\nheld n\nlagrangian x'^2/2 - x^2/2\nevent e: x = .5\n%s\ntime 0 .. 4\n" % line
        _, out, err = call(program, "run", write(folder, text), "--json")
        tally.check(words in out + err, "%s: %s" % (line, out[:600] + err))
    text = "coord x\nheld n\nlagrangian x'^2/2\nevery %s: n = n + 1\ntime %s\n"
    for period, time, ticks in (("1/3", "0 .. 4", 13), (".1", "1e9 .. 1000000001", 11), (".25", "1e9 .. 1000000001", 5), ("1e-3", "1e9 .. 1000000001", 1001)):
        code, done, err = run(program, write(folder, text % (period, time)))
        names = {e["name"] for e in done.get("events", [])}
        tally.check(code == 0 and done["end"]["n"] == ticks and names == {period}, "every %s: exit %s, %s, %s %s" % (period, code, done.get("end"), names, err))
    code, out, err = call(program, "run", write(folder, text % ("1", "0 .. 3")), "-o", os.path.join(folder, "a.csv"))
    tally.check(code == 0 and any(x.split()[:1] == ["n"] and float(x.split()[1]) == 4 for x in out.split("\n")), "no held value in\n%s%s" % (out, err))


# ---- a `when` does not change which events happen

OSCILLATOR = "coord x\nheld n\nlagrangian x'^2/2 - x^2/2\n"
FALL = "coord x\nheld n\nlagrangian x'^2/2 - x\ncontact floor: x >= 0, restitution = %s\nstart x = .7\ntime 0 .. %s\n"
MOTIONS = {
    "oscillator": OSCILLATOR + "start x = 1\ntime 0 .. 7\n",
    "small oscillator": OSCILLATOR + "start x' = .99\ntime 0 .. 7\n",
    "free": "coord x\nheld n\nlagrangian x'^2/2\nstart x = -1, x' = 1\ntime 0 .. 4\n",
    "ball": FALL % (.5, 2.8),
    "falls and stays": FALL % (0, 2),
    "comes to rest": "coord x\nheld n\nlagrangian x'^2/2\nforce x = -.5*sign(x')\nstart x' = 1\ntime 0 .. 3.5\n",
    "two walls": "coord x\nheld n\nlagrangian x'^2/2\ncontact a: x <= 1\ncontact b: x >= 0\nstart x = .1, x' = 1\ntime 0 .. 5.25\n",
}
FORMULAS = [
    "x = 0", "x' = 0", "abs(x') = 0", "abs(x) = 0", "x = .5", "x' = .25", "1/x = 0", "1/(x - 1) = 0", "tan(2*x) = 0", "x*abs(x) = 0",
    "abs(x)*x' = 0", "(t - 1.5)*abs(t - 1.5) = 0", "(x-.5)*abs(x-.5) = 0", "x^2*sign(x) = 0", "max(x,0)^2 - max(-x,0)^2 = 0",
    "sqrt(abs(x))*sign(x) = 0", "sign(x) = .5", "floor(2*x) = 0", "floor(t) = 1.5", "x^3 = 0", "(x-.5)^3 = 0", "x'^2 = 0", "sin(5*t) = 0",
    "t = 1", "sqrt(t) = 1", "log(x) = -1", "sqrt(x + .5) = .2", "max(0, 1 - t) = 0", "x*x' = 0", "x + x' = 0", "min(x, x') = .1",
    "abs(x - .5) = .2", "mod(t, 1) = .5", "x'^2 + x^2 = .5"]
# closed forms: times of sign changes, and of coming to 0 for good
_tau = math.sqrt(1.4)
TRUE = {
    ("oscillator", "abs(x') = 0"): [], ("oscillator", "abs(x) = 0"): [], ("oscillator", "1/x = 0"): [], ("oscillator", "1/(x - 1) = 0"): [],
    ("oscillator", "abs(x)*x' = 0"): [math.pi, 2 * math.pi], ("oscillator", "(t - 1.5)*abs(t - 1.5) = 0"): [1.5],
    ("oscillator", "(x-.5)*abs(x-.5) = 0"): [math.pi / 3, 5 * math.pi / 3], ("oscillator", "x*abs(x) = 0"): [math.pi / 2, 3 * math.pi / 2],
    ("oscillator", "x^2*sign(x) = 0"): [math.pi / 2, 3 * math.pi / 2], ("oscillator", "tan(2*x) = 0"): [math.pi / 2, 3 * math.pi / 2],
    ("oscillator", "max(x,0)^2 - max(-x,0)^2 = 0"): [math.pi / 2, 3 * math.pi / 2],
    ("oscillator", "sqrt(abs(x))*sign(x) = 0"): [math.pi / 2, 3 * math.pi / 2],
    ("ball", "x = 0"): [], ("ball", "abs(x') = 0"): [], ("ball", "x' = 0"): [1.5 * _tau, 2.25 * _tau], ("two walls", "1/(x - 1) = 0"): [],
    ("falls and stays", "x' = 0"): [_tau], ("falls and stays", "x = 0"): [_tau],
    ("comes to rest", "x' = 0"): [2], ("comes to rest", "abs(x') = 0"): [2],
}


def happens(program, folder, text):
    code, done, err = run(program, write(folder, text))
    listed = [(e["t"], e["error"] or 0) for e in done.get("events", []) if e["name"] == "e" and e["kind"] == "event"]
    return code, listed, [e for e in done.get("events", []) if e["kind"] == "when"], err


def same_events(program, folder, tally):
    for motion, model in MOTIONS.items():
        for formula in FORMULAS:
            text = model + "event e: %s\n" % formula
            alone, hooked = happens(program, folder, text), happens(program, folder, text + "when e: n = n + 1\n")
            what = "%s, %s" % (motion, formula)
            same = len(alone[1]) == len(hooked[1]) and all(abs(a[0] - b[0]) <= a[1] + b[1] for a, b in zip(alone[1], hooked[1]))
            tally.check(alone[0] == hooked[0] == 0, "%s: exit %d and %d %s" % (what, alone[0], hooked[0], hooked[3]))
            tally.check(same, "%s: %s with a when, %s without" % (what, hooked[1], alone[1]))
            tally.check(len(hooked[1]) == len(hooked[2]), "%s: %d events, %d times carried out" % (what, len(hooked[1]), len(hooked[2])))
            if (motion, formula) in TRUE:
                want = TRUE[motion, formula]
                right = len(want) == len(alone[1]) and all(abs(a[0] - b) <= a[1] + 1e-15 * b for a, b in zip(alone[1], want))
                tally.check(right, "%s: %s instead of %s" % (what, alone[1], want))


def write(folder, text):
    path = os.path.join(folder, "m.act")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def run(program, path, *words):
    code, out, err = call(program, "run", path, "--json", *words)
    return code, json.loads(out) if out.startswith("{") else {}, err


def ends_right(tally, name, text, done, want, bound=1e-9):
    for column, value in want.items():
        got = done.get("end", {}).get(column, math.nan)
        tally.check(abs(got - value) <= bound * max(1, abs(value)),
                    "%s: %s ends at %.17g instead of %.17g\n%s" % (name, column, got, value, text))


def exact(program, folder, tally):
    for name, text, want, laws in EXACT:
        path = write(folder, text)
        for by in laws.split():
            code, done, err = run(program, path, "--by", by, "--tol", "1e-10")
            if tally.check(code == 0, "%s by %s: exit %d %s" % (name, by, code, err or done.get("errors"))):
                ends_right(tally, "%s by %s" % (name, by), text, done, want)


def fails(program, folder, tally):
    for text, status, words in FAILS:
        code, done, err = run(program, write(folder, text))
        said = err + json.dumps(done.get("errors", []))
        tally.check(code == status and words in said, "exit %d, %s instead of %d, %s\n%s" % (code, said, status, words, text))


def listed(program, folder, tally):
    """Directions of events, and the list of instants."""
    path = write(folder, "coord x\nlagrangian x'^2/2 - x^2/2\nevent up: x = .5 rising\nevent down: x = .5 falling\nevent any: x = .5\n"
                         "start x' = 1\ntime 0 .. 4*pi\n")
    _, done, _ = run(program, path)
    times = {name: [e["t"] for e in done["events"] if e["name"] == name] for name in ("up", "down", "any")}
    at = math.asin(.5)
    want = {"up": [at, at + 2 * math.pi], "down": [math.pi - at, 3 * math.pi - at]}
    want["any"] = sorted(want["up"] + want["down"])
    for name, list_of in want.items():
        tally.check(len(list_of) == len(times[name]) and all(abs(a - b) < 1e-9 for a, b in zip(list_of, times[name])),
                    "%s: %s instead of %s" % (name, times[name], list_of))
    path = write(folder, ROW % "x' = 1, y' = 3")
    _, done, _ = run(program, path)
    tally.check([(e["kind"], e["name"]) for e in done["events"]] == [("event", "now"), ("when", "now"), ("impulse", "c")],
                "list %s" % done["events"])
    path = write(folder, "coord x\nheld n\nlagrangian x'^2/2\nevery .1 from .05: n = n + 1\ntime 0 .. 100\n")
    _, done, _ = run(program, path)
    tally.check([e["t"] for e in done["events"]] == [.05 + k * .1 for k in range(1000)], "times of a clock")


def table_rows(program, folder, tally):
    """Rows at an instant have what is after it, whatever rounding makes of T0 + k T; `held` columns follow the states."""
    path = write(folder, "coord x\nstate p\nheld n\nlagrangian x'^2/2\nflow p' = 0\nevery .1: n = n + 1, p = n\ntime 0 .. 1\n")
    _, out, _ = call(program, "run", path, "--points", "11", "-o", "-")
    lines = [line.split(",") for line in out.split()]
    tally.check(lines[0] == ["t", "x", "p", "n", "x_dot", "p_dot", "energy"], "columns %s" % lines[0])
    tally.check([float(line[3]) for line in lines[1:]] == [k + 1 for k in range(11)], "rows %s" % [line[3] for line in lines[1:]])
    tally.check([float(line[2]) for line in lines[1:]] == list(range(11)), "states %s" % [line[2] for line in lines[1:]])


def printed(program, folder, tally):
    """The model that a run keeps reads back to the same motion."""
    for name, text, want, laws in EXACT:
        code, out, err = call(program, "derive", write(folder, text))
        tally.check(code == 0, "%s: derive ends with %d %s" % (name, code, err))
        for word in ("when ", "every ", "held "):
            tally.check((word in text) <= (word in out), "%s: derive does not show '%s'" % (name, word))


# ---- random combinations

def pick(rng, count):
    """A random model: its text, and what the reference needs."""
    c = lambda low, high: round(rng.uniform(low, high), 2)
    coords = ["x", "y"]
    m = {"mass": [c(.5, 2), c(.5, 2)], "k": [c(.5, 4), c(.5, 4)], "d": [c(0, .3), c(0, .3)], "link": c(-.3, .3)}
    m["end"] = 6
    m["start"] = [c(-1, 1), c(-1, 1), c(-1, 1), c(-1, 1)]
    m["events"], m["whens"], m["everys"] = [], [], []
    values = ["x", "y", "x'", "y'", "u", "n", "t"]

    def formula():
        return "%s*%s + %s*%s + %s" % (c(-.8, .8), rng.choice(values), c(-.5, .5), rng.choice(values), c(-1, 1))

    def assigns():
        targets = rng.sample(["x'", "y'", "u", "n", "x"], rng.randint(1, 2))
        return [(to, "n + 1" if to == "n" else "x + %s" % c(-.3, .3) if to == "x" else formula()) for to in targets]
    for i in range(rng.randint(1, 3)):
        left = rng.choice(["x", "y", "x'", "x + y", "x*y", "x - u", "n", "n - u"])
        right = rng.randint(1, 4) + .5 if left == "n" else c(-.6, .6)
        m["events"].append(("e%d" % i, left, right, rng.choice(["", "rising", "falling"])))
        if rng.random() < .8:
            m["whens"].append(("e%d" % i, assigns()))
    for i in range(rng.randint(0, 2)):
        m["everys"].append((c(.2, 1.5), rng.choice([None, c(0, 1)]), assigns()))
    lines = ["coord x, y", "held u, n", "lagrangian %s*x'^2/2 + %s*y'^2/2 - %s*x^2/2 - %s*y^2/2 - %s*x*y"
             % (m["mass"][0], m["mass"][1], m["k"][0], m["k"][1], m["link"]),
             "force x = u - %s*x', y = -%s*y'" % (m["d"][0], m["d"][1])]
    for label, left, right, way in m["events"]:
        lines.append(("event %s: %s = %s %s" % (label, left, right, way)).rstrip())
    for label, sets in m["whens"]:
        lines.append("when %s: %s" % (label, ", ".join("%s = %s" % s for s in sets)))
    for period, begins, sets in m["everys"]:
        lines.append("every %s%s: %s" % (period, "" if begins is None else " from %s" % begins, ", ".join("%s = %s" % s for s in sets)))
    lines.append("start x = %s, y = %s, x' = %s, y' = %s" % tuple(m["start"]))
    lines.append("time 0 .. %s" % m["end"])
    return "\n".join(lines) + "\n", m


class Differs(Exception):
    """Two statements set one variable differently, or rounds do not end."""


class Close(Exception):
    """Something happens so near to something else that rounding decides."""


def code_of(text):
    return compile(text.replace("x'", "vx").replace("y'", "vy"), text, "eval")


def sign(v):
    return int(v > 0) - int(v < 0)


class Reference:
    """The motion of such a model, guards and rounds in plain words."""

    def __init__(self, m):
        self.m, self.t = m, 0.0
        self.y = list(m["start"])
        self.held = {"u": 0.0, "n": 0.0}
        self.code = [(label, code_of("(%s) - (%s)" % (left, right)), {"rising": 1, "falling": -1}.get(way, 0),
                      any(v in left for v in "un"), left in ("n", "n - u")) for label, left, right, way in m["events"]]
        self.whens = [(label, [(to, code_of(e)) for to, e in sets]) for label, sets in m["whens"]]
        self.everys = [(T, T0 or 0.0, [(to, code_of(e)) for to, e in sets]) for T, T0, sets in m["everys"]]
        self.tick = [0] * len(self.everys)
        self.side = [0] * len(self.code)
        self.level = [0] * len(self.code)
        self.log = []

    def names(self, t, y):
        return {"t": t, "x": y[0], "y": y[1], "vx": y[2], "vy": y[3], **self.held}

    def g(self, i, t, y):
        return eval(self.code[i][1], {}, self.names(t, y))

    def rates(self, t, y):
        a, b = self.m["mass"]
        k, d, link = self.m["k"], self.m["d"], self.m["link"]
        return [y[2], y[3], (self.held["u"] - d[0] * y[2] - k[0] * y[0] - link * y[1]) / a,
                (-d[1] * y[3] - k[1] * y[1] - link * y[0]) / b]

    def slope(self, i, t, y, h=1e-6):
        f = self.rates(t, y)
        ahead, back = ([a + s * h * b for a, b in zip(y, f)] for s in (1, -1))
        return (self.g(i, t + h, ahead) - self.g(i, t - h, back)) / (2 * h)

    def sides(self):
        for i in range(len(self.code)):
            g, rate = self.g(i, self.t, self.y), self.slope(i, self.t, self.y)
            if abs(g) > 1e-9:
                if abs(g) < 1e-5 and not self.code[i][4]:
                    raise Close
                self.side[i] = sign(g)
            else:
                if abs(rate) < 1e-3 and not self.code[i][4]:
                    raise Close
                self.side[i] = sign(rate)

    def rounds(self, happened, ticked):
        """happened: labels of events; ticked: numbers of clocks."""
        for count in range(60):
            fires = [s for label, s in self.whens if label in happened] + [self.everys[k][2] for k in ticked]
            if not fires:
                return
            before = self.names(self.t, self.y)
            levels = [self.g(i, self.t, self.y) for i in range(len(self.code))]
            new = {}
            for sets in fires:
                for to, e in sets:
                    value = eval(e, {}, before)
                    if to in new and new[to] != value:
                        raise Differs
                    new[to] = value
            for to, value in new.items():
                if to in self.held:
                    self.held[to] = value
                else:
                    self.y[["x", "y", "x'", "y'"].index(to)] = value
            passing, happened, ticked = happened, set(), []
            for i, (label, _, way, of_held, still) in enumerate(self.code):
                if not of_held or (label in passing and not still):
                    continue
                a, b = sign(levels[i]), sign(self.g(i, self.t, self.y))
                if 0 < abs(self.g(i, self.t, self.y)) < 1e-9:
                    raise Close
                if a and a != b and way in (0, -a):
                    happened.add(label)
                    self.log.append((self.t, label))
        raise Differs

    def run(self):
        from scipy.integrate import solve_ivp
        from scipy.optimize import brentq
        import numpy
        end = self.m["end"]
        self.clocks(0.0)
        while self.t < end:
            stop = min([end] + [T0 + self.tick[k] * T for k, (T, T0, _) in enumerate(self.everys)])
            moving = solve_ivp(self.rates, (self.t, stop), self.y, method="DOP853", rtol=1e-12, atol=1e-13, dense_output=True)
            first = (stop, None)
            for i, (label, _, way, _, still) in enumerate(self.code):
                if still:
                    continue
                grid = numpy.linspace(self.t, stop, 8 + int(400 * (stop - self.t)))
                value = [self.g(i, t, moving.sol(t)) for t in grid]
                for k in range(1, len(grid)):
                    if value[k] * self.side[i] < 0:
                        at = brentq(lambda t: self.g(i, t, moving.sol(t)), grid[k - 1], grid[k], xtol=1e-15, rtol=1e-15) \
                            if value[k - 1] * self.side[i] > 0 else None
                        if at is None or abs(at - first[0]) < 1e-7:
                            raise Close
                        if at < first[0]:
                            first = (at, i)
                        break
                    if k > 1 and 0 < k < len(grid) - 1 and abs(value[k]) < 2e-4 and abs(value[k]) < abs(value[k - 1]) \
                            and abs(value[k]) < abs(value[k + 1]) and value[k + 1] * value[k] > 0:
                        raise Close                        # it may touch zero between the points
            self.t, i = first
            self.y = [float(v) for v in moving.sol(self.t)] if i is not None else [float(v) for v in moving.y[:, -1]]
            if i is None:
                self.clocks(self.t)
                continue
            label, way = self.code[i][0], self.code[i][2]
            if abs(self.slope(i, self.t, self.y)) < 1e-2:
                raise Close
            if way in (0, -self.side[i]):
                self.log.append((self.t, label))
                self.rounds({label}, [])
            self.sides()

    def clocks(self, t):
        due = [k for k, (T, T0, _) in enumerate(self.everys) if T0 + self.tick[k] * T <= t]
        for k in due:
            self.tick[k] += 1
        self.rounds(set(), due)
        self.sides()


def combinations(program, folder, tally):
    rng = random.Random(SEED)
    compared = 0
    for _ in range(COUNT):
        text, m = pick(rng, 2)
        ref = Reference(m)
        try:
            ref.run()
            fault = False
        except Differs:
            fault = True
        except Close:
            continue
        code, done, err = run(program, write(folder, text), "--tol", "1e-9")
        if fault:
            tally.check(code == 3, "exit %d where statements differ or do not end\n%s" % (code, text))
            continue
        if code == 3 and "not reached" in err + json.dumps(done.get("errors", [])):
            continue
        compared += 1
        if not tally.check(code == 0, "exit %d %s\n%s" % (code, err or done.get("errors"), text)):
            continue
        want = dict(zip(["x", "y", "x_dot", "y_dot", "u", "n"], ref.y + [ref.held["u"], ref.held["n"]]))
        ends_right(tally, "random", text, done, want, 1e-6)
        got = [(e["t"], e["name"]) for e in done["events"] if e["kind"] == "event"]
        same = len(got) == len(ref.log) and all(a[1] == b[1] and abs(a[0] - b[0]) < 1e-6 for a, b in zip(sorted(got), sorted(ref.log)))
        tally.check(same, "events %s instead of %s\n%s" % (got, ref.log, text))
    tally.check(compared > .4 * COUNT, "%d of %d were compared" % (compared, COUNT))


def option(name, default):
    if name not in sys.argv:
        return default
    at = sys.argv.index(name)
    value = int(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    return value


SEED, COUNT = option("--seed", 1), option("--count", 60)


def main():
    program, _ = arguments()
    tally = Tally("resets")
    with tempfile.TemporaryDirectory() as folder:
        run_parts([exact, fails, hints, same_events, listed, table_rows, printed, combinations], program, folder, tally)
    tally.done()


main()

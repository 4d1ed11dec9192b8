#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Contacts, impacts and dry friction against closed forms, 40-digit flights, two other simulators, and laws that every motion must keep.

usage: contact.py [--program FILE] [--only PART ...] [--list]"""
import json
import math
import os
import re
import random
import tempfile

import mpmath
from mpmath import mpf

from contact_oracle import random_scene
from program import ROOT, Tally, arguments, call, rows, run_parts

try:
    import h5py
except ImportError:
    h5py = None

mpmath.mp.dps = 40
SCENES = 1000
REASONS = ("infinitely many contact changes", "has no solution", "no accelerations satisfy")


class Bench:
    def __init__(self, program, tally, folder):
        self.program, self.tally, self.folder = program, tally, folder

    def near(self, value, wanted, bound, what):
        off = abs(value - wanted)
        return self.tally.check(off <= bound, "%s: %r, not %r (off by %.1e)" % (what, value, float(wanted), off))

    def model(self, text, name="m.act"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def call(self, model, *words):
        path = os.path.join(ROOT, "models", model + ".act") if "\n" not in model else self.model(model)
        return call(self.program, "run", path, *words)

    def summary(self, model, *words):
        status, out, err = self.call(model, "--json", *words)
        if not self.tally.check(status == 0, "exit %s %s" % (status, (err + out)[-300:])):
            raise SystemExit("contact: nothing to look at")
        return json.loads(out)

    def table(self, model, *words):
        status, out, err = self.call(model, "-o", "-", "--quiet", *words)
        self.tally.check(status == 0, "exit %s %s" % (status, err[-300:]))
        return rows(out)


def times(told, kind, contact=None):
    return [e["t"] for e in told["events"] if e["kind"] == kind and contact in (None, e.get("contact", e["name"]))]


# ---- reference numbers

def drum(at, g=mpf("9.8")):
    """The tumbler at these times, and the number of bounces before each: parabolas to the next root of a quartic."""
    x, y, u, v, t, bounces, out = mpf("-.5"), mpf("-.75"), mpf(0), mpf(0), mpf(0), 0, []
    with mpmath.workdps(60):
        for end in at:
            while True:
                quartic = [g * g / 4, -g * v, u * u + v * v - g * y, 2 * (x * u + y * v), x * x + y * y - 1]
                roots = mpmath.polyroots(quartic if bounces == 0 else quartic[:-1], maxsteps=500, extraprec=200)    # on the wall one root is 0
                dt = min(r.real for r in map(mpmath.mpc, roots) if abs(r.imag) < 1e-40 and r.real > 1e-40)
                if t + dt > end:
                    break
                t, x, y, v, bounces = t + dt, x + u * dt, y + v * dt - g * dt * dt / 2, v - g * dt, bounces + 1
                k = 2 * (x * u + y * v) / (x * x + y * y)
                u, v = u - k * x, v - k * y
            s = end - t
            out.append((x + u * s, y + v * s - g * s * s / 2, u, v - g * s, bounces))
    return out


def tumbler(b):
    told = b.summary("tumbler")
    for t, wanted in zip(times(told, "impact"), (mpf("0.15387869843990398"), mpf("0.404598941257349208"))):
        b.near(t, wanted, 1e-14, "tumbler: impact")
    for name, wanted in (("x", "-0.000161029195078438"), ("y", "-0.919153478644562764"), ("x_dot", "1.8071533107846386"), ("y_dot", "0.22272200778896904")):
        b.near(told["end"][name], mpf(wanted), 1e-13, "tumbler at 1/2: " + name)
    for t, x, y in (("0.15387869843990398", "-0.5", "-0.866025403784438647"), ("0.404598941257349208", "-0.172565368354219607", "-0.984998067838090991")):
        end = b.summary("tumbler", "--time", "0.." + t)["end"]
        b.near(end["x"], mpf(x), 1e-14, "tumbler: x at " + t)
        b.near(end["y"], mpf(y), 1e-14, "tumbler: y at " + t)
    told = b.summary("tumbler", "--time", "0..100")
    b.tally.check(len(times(told, "impact")) == 384, "tumbler: %d bounces in 100 s" % len(times(told, "impact")))
    motion = b.table("tumbler", "--time", "0..100", "--points", "101")
    for t, row in ((k, drum([mpf(k)])[0]) for k in (1, 5, 10)):
        for name, wanted in zip(("x", "y", "x_dot", "y_dot"), row):
            b.near(motion[t][name], wanted, 1e-10, "tumbler at %d: %s" % (t, name))


def incline(b):
    for stem, x, y in (("incline-smooth", "-1.25573683548743604", "-0.725"), ("incline", "0.214263164512563962", "0.123704895708749874")):
        end = b.summary(stem)["end"]
        b.near(end["x"], mpf(x), 1e-14, stem + ": x")
        b.near(end["y"], mpf(y), 1e-14, stem + ": y")
    b.near(b.summary("incline", "--set", "m=1")["end"]["force.plane"], mpf("8.48704895708749874"), 1e-13, "incline: force")


def unfold(x, size):
    """A straight path folded into 0 .. size, and its direction."""
    x = x % (2 * size)
    return (x, 1) if x <= size else (2 * size - x, -1)


def billiard(b):
    motion = b.table("billiard-square", "--time", "0..4400", "--points", "45", "--local", "1e-9")
    told = b.summary("billiard-square", "--time", "0..4400", "--local", "1e-9")
    hits = 4400 + int((mpf(".4") + 4400 * mpmath.sqrt(2)) / mpf(".8"))
    b.tally.check(len(times(told, "impact")) == hits > 10000, "square billiard: %d bounces, not %d" % (len(times(told, "impact")), hits))
    for row in motion:
        t = mpf(row["t"])
        for name, start, speed, size in (("x", mpf(.3), mpf(1), mpf(1)), ("y", mpf(.4), mpf(math.sqrt(2)), mpf(.8))):
            place, sign = unfold(start + speed * t, size)
            b.near(row[name], place, 1e-9, "square billiard at %g: %s" % (row["t"], name))
            b.near(row[name + "_dot"], sign * speed, 1e-9, "square billiard at %g: %s'" % (row["t"], name))


def comes_to_rest(b):
    for e in ("0", ".3", ".8", ".95"):
        told = b.summary("bouncing-ball", "--set", "e=" + e, "--time", "0..20")
        wanted = mpmath.sqrt(2 / mpf("9.81")) * (1 + mpf(e)) / (1 - mpf(e))
        rests = times(told, "rest") or times(told, "contact")
        b.tally.check(len(rests) == 1, "ball with e = %s: rests %s" % (e, rests))
        b.near(rests[0] if rests else math.inf, wanted, 1e-12 * max(1, wanted / 4), "ball with e = %s: rest" % e)
        late = [row for row in b.table("bouncing-ball", "--set", "e=" + e, "--time", "0..20") if row["t"] > wanted]
        b.tally.check(all(row["y"] == 0 == row["y_dot"] for row in late), "ball with e = %s: does not stay at 0" % e)
        b.tally.check(all(abs(row["force.floor"] - 4.905) < 1e-12 for row in late), "ball with e = %s: its weight" % e)


SLOPE = """param mu = .5, d = 0
coord x, y
lagrangian (x'^2 + y'^2)/2 - 9.81*(y*%s + x*%s)
contact plane: y >= 0, restitution = 0, friction = %s*(1 + d)
time 0 .. %s
"""


def sticks(b):
    a = .4
    slope = SLOPE % (repr(math.cos(a)), repr(math.sin(a)), repr(math.sin(a) / math.cos(a)), "1000")
    for d in ("1e-12", "1e-3", "1"):
        told = b.summary(slope, "--set", "d=" + d)
        b.tally.check(times(told, "stick") and not times(told, "slip"), "slope, %s above the angle of friction: does not stick" % d)
        b.tally.check(abs(told["end"]["x"]) < 1e-14, "slope: crept by %g in 1000 s" % told["end"]["x"])
    for d in ("-1e-12", "-1e-3"):
        told = b.summary(slope, "--set", "d=" + d, "--time", "0..1")
        b.tally.check(times(told, "slip") and not times(told, "stick"), "slope, %s below the angle of friction: sticks" % d)
        b.near(told["end"]["x"], 9.81 * float(d) * math.sin(a) / 2, 1e-15, "slope, %s below: x" % d)
    motion = b.table("block-sticks", "--time", "0..1000", "--points", "1001")
    b.tally.check(max(abs(row["x"] - motion[-1]["x"]) for row in motion[1:]) < 1e-14, "block: creeps")
    b.tally.check(all(row["x_dot"] == 0 for row in motion[1:]), "block: moves on")


# ---- columns and events

def columns(b):
    path = os.path.join(ROOT, "models", "block-sticks.act")
    out = {ending: os.path.join(b.folder, "out." + ending) for ending in ("csv", "json", "h5")}
    words = [w for ending in out if ending != "h5" or h5py for w in ("-o", out[ending])]
    status, _, err = call(b.program, "run", path, "--points", "11", "--quiet", *words)
    b.tally.check(status == 0, "files: exit %s %s" % (status, err))
    with open(out["csv"], encoding="utf-8") as file:
        table = rows(file.read())
    names = list(table[0])
    place = [names.index(n) for n in ("power.force", "gap.floor", "force.floor", "friction.floor", "energy")]
    b.tally.check(place == list(range(place[0], place[0] + 5)), "columns: %s" % names)
    b.tally.check(all(row["gap.floor"] == 0 for row in table), "block: gap")
    with open(out["json"], encoding="utf-8") as file:
        events = json.load(file)["events"]
    wanted = [(0, "contact"), (0, "slip"), (2 / (.3 * 9.81 - .5), "stick")]
    b.tally.check([e["kind"] for e in events] == [k for _, k in wanted], "events in JSON: %s" % events)
    b.tally.check(all(abs(e["t"] - t) < 1e-12 and e["contact"] == "floor" and e["impulse"] == 0 for e, (t, _) in zip(events, wanted)), "events in JSON: %s" % events)
    if not h5py:
        return
    with h5py.File(out["h5"], "r") as file:
        seen = []
        file.visit(seen.append)
        b.tally.check("force.floor" in seen, "HDF5: %s" % seen)
        b.tally.check(any("event" in name for name in seen), "HDF5: no list of events in %s" % seen)


def after_an_event(b):
    """An impact at just t = 1: the row there has the velocity after it."""
    text = "coord x\nlagrangian x'^2/2\ncontact wall: x <= 1, restitution = .5\nstart x' = 1\ntime 0 .. 2\n"
    motion = {row["t"]: row for row in b.table(text, "--points", "5")}
    b.tally.check([motion[t]["x_dot"] for t in (0, .5, 1, 1.5, 2)] == [1, 1, -.5, -.5, -.5], "rows at an event: %s" % [r["x_dot"] for r in motion.values()])
    b.tally.check(abs(motion[1]["x"] - 1) < 1e-15 and abs(motion[2]["x"] - .5) < 2e-15, "rows at an event: x")
    told = b.summary(text)
    e = told["events"][0]
    b.tally.check((e["kind"], e["contact"]) == ("impact", "wall") and abs(e["t"] - 1) < 1e-15 and abs(e["impulse"] - 1.5) < 1e-15, "event: %s" % e)


def beside_a_switch(b):
    """Rows along a switch (p = 1) are mixtures of both sides: forces of contacts and rows of constraints are those of their own time, not of a later one."""
    falls = """coord y
state p
lagrangian y'^2/2 - 10*y
contact floor: y >= 0, restitution = 0
flow p' = if(p < 1, 2 - 5*t, -1 - 5*t)
start y = 1.2, p = 1
time 0 .. .8
"""
    joins = """coord x, y
state p
lagrangian (x'^2 + y'^2)/2
constraint row: if(t < 1, 0, y' - x'/2) = 0
contact wall: x <= 100
flow p' = if(p < .5, 1, -1)
start x' = 1, p = 0
time 0 .. 2
"""
    for by in ("dalembert", "gauss"):
        for row in b.table(falls, "--by", by, "--points", "17"):                # p is held to t = .4, the floor is reached at t = sqrt(.24)
            b.near(row["force.floor"], 0 if row["t"] < .24 ** .5 else 10, 1e-9, "force of the floor at t = %g by %s" % (row["t"], by))
            b.near(row["y"], max(0, 1.2 - 5 * row["t"] ** 2), 1e-9, "height at t = %g by %s" % (row["t"], by))
        for k, row in enumerate(b.table(joins, "--by", by, "--points", "21")):
            t = k / 10                                                          # behind t = 1: the velocity that is nearest to (1, 0) along (1, 1/2)
            wanted = {"t": t, "x": min(t, 1) + .8 * max(0, t - 1), "y": .4 * max(0, t - 1), "p": min(t, .5), "energy": .5 if t < .999 else .4}
            for name, value in wanted.items():
                b.near(row[name], value, 1e-9, "%s at t = %g by %s" % (name, t, by))


def passes(b):
    told = b.summary("kepler-apsides")
    apsides = times(told, "event", "apsis")
    b.tally.check(len(apsides) in (4, 5), "apsides: %s" % apsides)      # the last is at the end itself
    for k, t in enumerate(apsides):
        b.near(t, 8 * mpmath.pi * (k + 1), 1e-8, "apsis %d" % k)


# ---- laws of impact

PAIR = """param m = {m}, M = {M}, e = {e}, mu = {mu}
coord x, y, a, X, Y, A
lagrangian m/2*(x'^2 + y'^2 + a'^2/2) + M/2*(X'^2 + Y'^2 + A'^2*2)
contact hit: sqrt((X - x)^2 + (Y - y)^2) >= 3, restitution = e, friction = mu, slip = ((X - x)*(Y' - y') - (Y - y)*(X' - x'))/sqrt((X - x)^2 + (Y - y)^2) - a' - 2*A'
start x = -3, X = 1, Y = {Y}, x' = 2, y' = {v}, X' = -1, a' = {a}, A' = -1
observe px = m*x' + M*X'
observe py = m*y' + M*Y'
observe turn = m*(x*y' - y*x' + a'/2) + M*(X*Y' - Y*X' + 2*A')
time 0 .. 3
"""


def momenta(b):
    """Two discs: momentum and angular momentum are kept, friction stays in its cone, and energy is lost as the law of restitution says."""
    r = random.Random(5)
    for _ in range(20):
        p = {"m": r.uniform(.5, 2), "M": r.uniform(.5, 2), "e": r.choice([0, .5, r.random(), 1]), "mu": r.choice([.05, .3, 1.0]), "Y": r.uniform(-1, 1), "v": r.uniform(-.3, .3), "a": r.uniform(-3, 3)}
        text = PAIR.format(**p)
        motion, told = b.table(text, "--points", "7"), b.summary(text)
        first, last = motion[0], motion[-1]
        for name in ("px", "py", "turn"):
            b.near(last[name], first[name], 1e-11, "pair %s: %s" % (p, name))
        hits = [e for e in told["events"] if e["kind"] == "impact"]
        if not b.tally.check(len(hits) == 1, "pair %s: %d impacts" % (p, len(hits))):
            continue
        t = hits[0]["t"]
        nx, ny = (first[k] + first[k + "_dot"] * t - first[s] - first[s + "_dot"] * t for k, s in (("X", "x"), ("Y", "y")))
        nx, ny = nx / 3, ny / 3
        rate = lambda row: nx * (row["X_dot"] - row["x_dot"]) + ny * (row["Y_dot"] - row["y_dot"])
        slip = lambda row: nx * (row["Y_dot"] - row["y_dot"]) - ny * (row["X_dot"] - row["x_dot"]) - row["a_dot"] - 2 * row["A_dot"]
        normal = p["M"] * (nx * (last["X_dot"] - first["X_dot"]) + ny * (last["Y_dot"] - first["Y_dot"]))
        tangent = p["M"] * (nx * (last["Y_dot"] - first["Y_dot"]) - ny * (last["X_dot"] - first["X_dot"]))
        b.near(normal, hits[0]["impulse"], 1e-11, "pair %s: impulse" % p)
        b.near(rate(last), -p["e"] * rate(first), 1e-11, "pair %s: restitution" % p)          # centred: Stronge's is Newton's
        b.tally.check(abs(tangent) <= p["mu"] * normal + 1e-12, "pair %s: friction beyond its cone" % p)
        b.tally.check(abs(slip(last)) < 1e-11 or abs(abs(tangent) - p["mu"] * normal) < 1e-11, "pair %s: neither sticks nor slides" % p)
        b.tally.check(slip(last) * slip(first) > -1e-11, "pair %s: friction turns the slip round" % p)
        b.tally.check(last["energy"] <= first["energy"] + 1e-12, "pair %s: gains energy" % p)


ROD = """param e = {e}, mu = {mu}
coord x, y, th
lagrangian (x'^2 + y'^2)/2 + th'^2/6
contact tip: y >= sin(th), restitution = e, friction = mu, slip = x' + sin(th)*th'
start y = sin({th}) + 1, th = {th}, x' = {u}, y' = -1
time 0 .. 1.1
"""


def stronge(c, d, b, mu, e, rate, slip):
    """Impulses of one impact by small steps of the normal impulse; ends when e^2 of the work of compression is given back."""
    steps, normal, tangent, work, compression = 40000, 0.0, 0.0, 0.0, None
    h = -2.2 * rate / c / steps
    while True:
        k = -b / d if slip == 0 and abs(b / d) <= mu else -mu if slip > 0 or (slip == 0 and b > 0) else mu
        new = slip + (b + d * k) * h
        up = c + b * k
        work += rate * h + up * h * h / 2
        rate, normal, tangent = rate + up * h, normal + h, tangent + k * h
        slip = 0.0 if new * slip < 0 or (slip == 0 and k == -b / d) else new
        if compression is None and rate >= 0:
            compression = work
        if compression is not None and work >= (1 - e * e) * compression - 1e-15:
            return normal, tangent


def rods(b):
    """A rod strikes with its tip: the normal and the tangential direction act on each other. Angular momentum about the tip is kept."""
    for th, u, mu, e in ((1.0, 1.0, .3, .5), (1.0, -1.0, .3, .5), (.5, -2.0, .6, .8), (.5, .3, .9, .2), (1.3, -.2, .4, 1), (.8, -1.0, 1.2, 0)):
        p = {"th": th, "u": u, "mu": mu, "e": e}
        motion = b.table(ROD.format(**p), "--points", "3")
        first, last = motion[0], motion[-1]
        told = b.summary(ROD.format(**p))
        hits = [x for x in told["events"] if x["kind"] == "impact"]
        b.tally.check(hits and abs(hits[0]["t"] - 1) < 1e-13, "rod %s: %s" % (p, hits))
        about = lambda row: math.cos(th) * row["y_dot"] - math.sin(th) * row["x_dot"] + row["th_dot"] / 3
        b.near(about(last), about(first), 1e-12, "rod %s: angular momentum about the tip" % p)
        c, s = math.cos(th), math.sin(th)
        normal, tangent = stronge(1 + 3 * c * c, 1 + 3 * s * s, -3 * s * c, mu, e, -1.0, u)
        b.near(hits[0]["impulse"], normal, 3e-4, "rod %s: normal impulse" % p)
        b.near(last["x_dot"] - first["x_dot"], tangent, 3e-4, "rod %s: tangential impulse" % p)
        b.tally.check(last["energy"] <= first["energy"] + 1e-12, "rod %s: gains energy" % p)


def painleve(b):
    """Sliding with the force that a rod pushed toward its tip gets: N = -free acceleration/(negative mobility)."""
    c, s, mu, m = math.cos(1), math.sin(1), 1.5, 2
    free, mobility = -9.81 + s * 16, (1 + 3 * c * c - 3 * mu * s * c) / m
    row = b.table("painleve-rod", "--pick", "1", "--time", "0..1e-3", "--points", "2")[0]
    b.near(row["force.tip"], -free/mobility, 1e-9, "Painleve's rod: force")
    b.near(row["friction.tip"], mu * row["force.tip"], 1e-9, "Painleve's rod: friction")
    told = b.summary("painleve-rod", "--start", "y'=0,th'=0", "--time", "0..1e-9", "--points", "2")
    hit = told["events"][0]                                # it jams: the rod turns about its tip, with the angular momentum that it had about it
    b.tally.check(hit["kind"] == "impact" and any(w["code"] == "JAMS" for w in told["warnings"]), "Painleve's rod: does not jam, %s" % hit)
    b.near(hit["impulse"], m * 1.5 * s * c, 1e-12, "Painleve's rod: impulse")
    b.near(told["end"]["th_dot"], 1.5 * s, 1e-7, "Painleve's rod: spin")


# ---- places where a stance must change, each with its closed form

SHAKER = """coord y
lagrangian y'^2/2 - 9.81*y
contact floor: y >= .05*sin(20*t), restitution = 0
start y' = 1
time 0 .. 1
"""
DOME = """param u = .7
coord x0, y0, x1, y1
lagrangian 5/2*(x0'^2 + y0'^2) - 5*9.81*y0 + (x1'^2 + y1'^2)/2 - 9.81*y1
contact floor: y0 >= 0, restitution = 0, friction = 2, slip = x0'
contact ball: sqrt((x1 - x0)^2 + (y1 - y0)^2) >= 1, restitution = 0
start y1 = 1, x1' = u
time 0 .. 1
"""
CORNER = """param q = .5
coord x, y
lagrangian (x'^2 + y'^2)/2 - 9.81*y
contact a: y*cos(q) >= x*sin(q) - .75, restitution = 0, friction = .25, slip = x'*cos(q) + y'*sin(q)
contact b: y*sin(q) >= -x*cos(q) - .75, restitution = 0
start x = .8, y = (.8*sin(q) - .75)/cos(q)
time 0 .. 2
"""
HOOP = """coord x, y
lagrangian (x'^2 + y'^2)/2 - 9.81*y
constraint hoop: x^2 + y^2 = 1, friction = .1
start y = 1, x' = 2
time 0 .. 6
"""
STOPS = """coord x, y, z
lagrangian (x'^2 + y'^2 + z'^2)/2 - 9.81*z*cos(.3) - 9.81*sin(.3)*y
contact plane: z >= 0, restitution = 0, friction = .4
start x' = 1
time 0 .. 1000
"""
TURNS = """coord x, y, z, p, q
lagrangian (x'^2 + y'^2 + z'^2)/2 + .2*(3*p'^2 + q'^2) - 9.81*z
contact floor: z >= 1, restitution = .5, friction = .3, slip = (x' - q', y' + p')
start z = 2, x' = 3, y' = 4, p' = 1, q' = -2
time 0 .. .6
"""


def told_of(b, text, *words):
    status, out, err = b.call(text, "--json", *words)
    told = json.loads(out)
    b.tally.check(status == 0 and not told.get("warnings"), "%s: exit %s %s" % (text.split("\n")[2], status, out[-300:]))
    return told if status == 0 else None


def releases(b):
    """A shaking floor throws what lies on it whenever it falls faster; a dome lets go at cos = (u^2/g + 2)/3, and does not move itself."""
    told = told_of(b, SHAKER)
    if told:
        for t in times(told, "release"):
            b.near(math.remainder(t - math.asin(9.81 / 20) / 20, math.pi / 10), 0, 1e-9, "shaker: release at %g" % t)
        b.tally.check(len(times(told, "release")) >= 2, "shaker: releases %s" % times(told, "release"))
    for u in (.5, .7, 1.0):
        told = told_of(b, DOME, "--set", "u=%g" % u)
        if told:
            t = times(told, "release", "ball")
            row = b.table(DOME, "--set", "u=%g" % u, "--time", "0..%r" % (t or [1])[0], "--points", "2")[-1]
            b.near(row["y1"], (u * u / 9.81 + 2) / 3, 1e-8, "dome: lets go at")
            b.tally.check(abs(told["end"]["x0"]) < 1e-14, "dome: it sticks and is moved by %.1e" % told["end"]["x0"])


def corners(b):
    for q in (.3, .5, .67, .8):
        told = told_of(b, CORNER, "--set", "q=%g" % q)
        if told and q > .3:                                # at .3 it is not there yet
            b.near(told["end"]["x"], .75 * (math.sin(q) - math.cos(q)), 1e-12, "corner %g: x" % q)
            b.tally.check(told["steps"] < 500, "corner %g: %d steps" % (q, told["steps"]))


def wires(b):
    """theta'' = g sin - mu |N|, N = g cos - theta'^2 changes its sign on the way."""
    def rate(_, s):
        return [s[1], g * mpmath.sin(s[0]) - mpf(".1") * abs(g * mpmath.cos(s[0]) - s[1] ** 2)]
    g = mpf("9.81")
    with mpmath.workdps(20):
        flow = mpmath.odefun(rate, 0, [mpf(0), mpf(2)], tol=1e-15)
        zero = mpmath.findroot(lambda t: g * mpmath.cos(flow(t)[0]) - flow(t)[1] ** 2, (.25, .35), solver="anderson", tol=1e-26)
        again = mpmath.odefun(lambda t, s: [s[1], g * mpmath.sin(s[0]) - mpf(".1") * (s[1] ** 2 - g * mpmath.cos(s[0]))], zero, list(flow(zero)), tol=1e-15)
        angle = again(mpf(".5"))[0]
    told_of(b, HOOP)
    told = told_of(b, HOOP, "--time", "0..0.5")
    if told:
        b.near(told["end"]["x"], mpmath.sin(angle), 1e-8, "rough hoop: x")
        b.near(told["end"]["y"], mpmath.cos(angle), 1e-8, "rough hoop: y")


def two_slips(b):
    """A puck that stops while it turns, by quadrature; an impact whose slip turns, by a Taylor series of the impulse."""
    told = told_of(b, STOPS)
    if told:
        b.near(told["end"]["x"], mpf("0.156825772328744090"), 1e-9, "puck stops: x")
        b.near(told["end"]["y"], mpf("-0.128309737555239017"), 1e-9, "puck stops: y")
        b.near(times(told, "stick")[0], mpf("0.663664799531431939"), 1e-7, "puck stops: time")
    told = told_of(b, TURNS)
    if told:
        b.near(told["end"]["x_dot"], mpf("1.834357111131548628"), 1e-10, "slip turns: x'")
        b.near(told["end"]["y_dot"], mpf("2.396542532670776353"), 1e-10, "slip turns: y'")


# ---- scenes

def backward(b):
    for seed in range(40):
        scene = random_scene(seed, "elastic")
        if not scene.gravity and len(scene.m) == 1:
            continue
        text = scene.text(1.5)
        status, out, err = b.call(text, "-o", "-", "--quiet", "--points", "31", "--tol", "1e-10")
        if not b.tally.check(status == 0, "elastic %d: exit %s %s" % (seed, status, err[-200:])):
            continue
        forth = rows(out)
        given = ",".join("%s=%r" % (n, forth[-1][n]) for n in forth[-1] if n[0] in "xyw")
        status, out, err = b.call(text, "-o", "-", "--quiet", "--time", "1.5..0", "--start", given, "--points", "31", "--tol", "1e-10")
        if not b.tally.check(status == 0, "elastic %d, back: exit %s %s" % (seed, status, err[-200:])):
            continue
        back = rows(out)
        off = max(abs(x[n] - y[n]) for x, y in zip(forth, reversed(back)) for n in x if n[0] in "xy" and "_dot" not in n)
        b.tally.check(off < 1e-8, "elastic %d: %.1e apart there and back" % (seed, off))
        b.tally.check(min(row[n] for row in forth + back for n in row if n.startswith("gap.")) > -1e-12, "elastic %d: penetrates" % seed)


def apart(scene, end, rates):
    return max(abs(end["%s%d%s" % (n, i, dot)] - value[k]) for dot, part in (("", scene.x), ("_dot", scene.v)) if rates or not dot
               for i, value in enumerate(part) for k, n in enumerate("xyw"[:len(value)]) if k < 2 or scene.spins[i])


def flights(b):
    """Scenes that stay in the air: the same impacts at the same times, and the same end."""
    compared = 0
    for seed in range(150):
        scene = random_scene(seed, "flying")
        told = b.summary(scene.text(1.5), "--local", "1e-12")
        if times(told, "rest") or times(told, "contact"):
            continue                                       # the other simulator can't lie still
        impacts, compared = scene.fly(1.5), compared + 1
        mine = [(e["t"], int(e["contact"][1:]), e["impulse"]) for e in told["events"]]
        b.tally.check(len(mine) == len(impacts) and all(abs(x[0] - y[0]) < 1e-8 and x[1] == y[1] and abs(x[2] - y[2]) < 1e-7 for x, y in zip(mine, impacts)), "flight %d: impacts" % seed)
        b.tally.check(apart(scene, told["end"], True) < 1e-7, "flight %d: %.1e apart" % (seed, apart(scene, told["end"], True)))
    b.tally.check(compared > 100, "only %d flights" % compared)


def slides(b):
    """Scenes where nothing bounces: near those of a method of first order, which are nearer with smaller steps."""
    for seed in (0, 1, 2, 3, 4, 6, 7, 8, 9, 10):
        told = b.summary(random_scene(seed, "dead").text(1.0), "--local", "1e-10")
        off = []
        for steps in (500, 2000):
            scene = random_scene(seed, "dead")
            scene.march(1.0, steps)
            off.append(apart(scene, told["end"], False))
        b.tally.check(off[1] < 5e-3 and off[1] < .6 * off[0] + 1e-4, "slide %d: %s apart" % (seed, off))


def many(b):
    """No crash, no hang, no penetration, no energy from nowhere."""
    codes, reasons = {}, {}
    for seed in range(SCENES):
        text = random_scene(seed).text(random.Random(seed).choice([.5, 1.0, 2.0]))
        status, out, err = b.call(text, "-o", "-", "--quiet", "--points", "41", "--local", "1e-9")
        codes[status] = codes.get(status, 0) + 1
        if status:
            why = next((w for w in REASONS if w in err), err[:80])
            reasons.setdefault(why, []).append(seed)
        b.tally.check(status in (0, 3), "scene %d: exit %s %s" % (seed, status, err[-200:]))
        motion = rows(out) if status in (0, 3) else []
        deep = min([row[n] for row in motion for n in row if n.startswith("gap.")] + [0])
        b.tally.check(deep > -1e-12, "scene %d: penetrates by %.1e" % (seed, -deep))
        energy = [row["energy"] for row in motion]
        size = max([1.0] + [abs(e) for e in energy])
        gain = max([y - x for x, y in zip(energy, energy[1:])] + [0])
        b.tally.check(gain <= 1e-8 * size, "scene %d: gains energy, %.1e" % (seed, gain))
    print("  %d scenes, exit status %s" % (SCENES, codes), *("\n    %s: %s" % item for item in reasons.items()))
    b.tally.check(codes.get(0, 0) >= .995 * SCENES, "%d of %d scenes have no motion to the end" % (SCENES - codes.get(0, 0), SCENES))


def principles(b):
    """Gauss's principle carries walls without friction and finds the same motion another way; the others say why they carry none."""
    for stem, word in (("tumbler", "contacts"), ("disk-wall", "contacts"), ("bead-wire", "friction")):
        for by in ("maggi", "hamel", "appell", "jourdain", "hamilton", "vakonomic", "reduced", "discrete") + (("gauss",) if word == "friction" else ()):
            status, out, _ = b.call(stem, "--by", by, "--json")
            error = json.loads(out)["errors"][0]
            why = "there are no constraints" if stem == "tumbler" and by in ("vakonomic", "reduced") else word
            b.tally.check(status == 1 and error["code"] == "INAPPLICABLE" and why in error["message"], "%s by %s: exit %s, %s" % (stem, by, status, error["message"]))
    for stem in ("tumbler", "ladder", "bouncing-ball", "cradle", "piston", "disk-wall", "billiard-square"):
        one, two = (b.summary(stem, "--by", by, "--tol", "1e-10") for by in ("dalembert", "gauss"))
        b.tally.check([e["kind"] for e in one["events"][:20]] == [e["kind"] for e in two["events"][:20]], "%s by gauss: other events" % stem)
        for name, value in one["end"].items():
            b.near(two["end"][name], value, 1e-9 * max(1, abs(value)), "%s by gauss: %s" % (stem, name))
    # pressed into a corner by a constraint and two walls: which of them push is not told to it
    corner = """coord x, y, z
lagrangian (x'^2 + y'^2 + z'^2)/2 - x - 2*y - z
constraint tie: z = x + y
contact a: x >= 0, restitution = 0
contact b: y >= 0, restitution = 0
contact c: x + 2*y >= 0, restitution = 0
start x' = 1, z' = 1
time 0 .. 3
"""
    one, two = (b.table(corner, "--by", by, "--points", "29") for by in ("dalembert", "gauss"))
    for r, s in zip(one, two):
        for name in ("x", "y", "z", "x_dot", "y_dot", "force.b"):
            b.near(s[name], r[name], 1e-9, "corner by gauss at %g: %s" % (r["t"], name))


def hard_to_see(b):
    """Walls that a step could pass over: thin ones, ones that shake, ones whose formula has no value behind them."""
    told = b.summary("coord x\nlagrangian x'^2/2\ncontact wall: sqrt(1 - x) >= .1\nstart x' = 1\ntime 0 .. 30\n")
    b.near(told["end"]["x"], -28.02, 1e-12, "a wall written with a root: x")
    told = b.summary("coord x, y\nlagrangian (x'^2 + y'^2)/2\nforce x = -.1*x', y = -.1*y'\ncontact peg: (x - 5)^2 + (y - .0005)^2 >= 1e-6\n"
                     "start x' = 10\ntime 0 .. 1\n", "--tol", "1e-8")
    t = -10 * math.log1p(-(5 - 1e-3 * math.sqrt(.75)) / 100)
    b.near(times(told, "impact")[0], t, 1e-9, "a peg of 1 mm in the way of 10 m/s")
    for omega in (2000, 20000):
        told = b.summary("coord y\nlagrangian y'^2/2 - 9.81*y\ncontact floor: y >= .001*sin(%d*t), restitution = .5\nstart y = .5\ntime 0 .. .5\n" % omega, "--local", "1e-10")
        f = lambda t: .5 - 4.905 * t * t - .001 * math.sin(omega * t)
        t = next(k * 1e-7 for k in range(3190000, 3200000) if f(k * 1e-7) <= 0)
        b.near(times(told, "impact")[0], t, 1.1e-7, "a floor that shakes with %d" % omega)


# ---- soft walls

# The tumbler at t = 1/2 by the regularised force with V = 5: DOP853 and a spectral method agree to 11 digits (x, y, x', y').
SOFT = {
    "1/10": (0.00963305626, -0.93030808596, 1.71527297937, -0.04061402307), "1/20": (0.00016605766, -0.92157058959, 1.78910367706, 0.38715739196),
    "1/40": (-0.00014560147, -0.91893747328, 1.80448864832, 0.23451053706), "1/80": (-0.00022109698, -0.91904882445, 1.80640467939, 0.22418540001),
    "1/110": (-0.00021833601, -0.91908283906, 1.80670225283, 0.22327251315),
}


def soft(b):
    for width, wanted in SOFT.items():
        told = b.summary("tumbler", "--set", "m=1", "--sigma", repr(1 / float(width[2:])), "--barrier", "5", "--tol", "1e-11")
        for name, value in zip(("x", "y", "x_dot", "y_dot"), wanted):
            b.near(told["end"][name], value, 2e-11, "soft tumbler, %s: %s" % (width, name))
        b.tally.check(told["energy_drift"] < 1e-9, "soft tumbler, %s: the energy drifts by %g" % (width, told["energy_drift"]))
    told = b.summary("tumbler", "--set", "m=1", "--sigma", repr(1 / 110), "--barrier", "10", "--tol", "1e-10")
    for name, value in (("x", .0010443), ("y", -.9174904), ("x_dot", 1.8063293), ("y_dot", .1413752)):
        b.near(told["end"][name], value, 6e-8, "soft tumbler, V = 10: " + name)
    distance = [abs(b.summary("tumbler", "--set", "m=1", "--sigma", s, "--barrier", "5")["end"]["y"] + .919153478644562764) for s in (".004", ".002", ".001")]
    b.tally.check(all(1.6 < a / c < 2.5 for a, c in zip(distance, distance[1:])), "soft tumbler: not of first order in the width, %s" % distance)
    # what rests on a soft wall is carried where V delta(gap) is its weight, and does not oscillate
    for mu in ("0", ".4"):
        told = b.summary("incline", "--set", "m=1,mu=" + mu, "--sigma", repr(1 / 70), "--barrier", "5", "--tol", "1e-12", "--points", "11")
        motion = b.table("incline", "--set", "m=1,mu=" + mu, "--sigma", repr(1 / 70), "--barrier", "5", "--tol", "1e-12", "--points", "11")
        for row in motion:
            b.near(row["gap.plane"], 0.034666306102577, 1e-11, "soft incline: gap at %g" % row["t"])
        a = 9.8 * (.5 - float(mu) * math.cos(math.pi / 6))
        b.near(told["end"]["x"] - motion[0]["x"], -a / 2 * math.cos(math.pi / 6), 1e-10, "soft incline, mu = %s: way" % mu)
    status, out, err = b.call("tumbler", "--set", "m=1", "--sigma", ".01", "--barrier", ".5")
    b.tally.check(status == 1 and "penetrates the soft wall 'wall'" in err, "a low barrier: exit %s %s" % (status, err))
    told = b.summary("tumbler", "--set", "m=1", "--sigma", "auto", "--barrier", "5", "--tol", "1e-6")
    b.near(told["end"]["y"], -.919153478644562764, 1e-3, "soft tumbler of the best width")


RANGES = [      # (model, words, time): coefficients that leave their range while they are used
    ("coord y\nheld e\nlagrangian y'^2/2 - y\ncontact f: y >= 0, restitution = e\nwhen f: e = e + .3\nstart y = 1, e = .8\ntime 0 .. 10\n",
     "restitution of 'f' is 1.1", 2 ** .5 * (1 + 2 * .8)),
    ("coord y\nlagrangian y'^2/2 - y\ncontact f: y >= 0, restitution = 1.5 - t/10\nstart y = 1\ntime 0 .. 10\n", "restitution of 'f' is 1.3585", 2 ** .5),
    ("coord y\nlagrangian y'^2/2 - y\ncontact f: y >= 0, restitution = -y'\nstart y = .5, y' = 0\ntime 0 .. 10\n", "", None),
    ("coord x, y\nlagrangian (x'^2 + y'^2)/2 - y\ncontact f: y >= 0, restitution = 0, friction = .5 - t/2\nstart x' = 1\ntime 0 .. 3\n",
     "friction of 'f' is about to leave its range", 1),
    ("coord x, y\nlagrangian (x'^2 + y'^2)/2 - y\ncontact f: y >= 0, restitution = 0, friction = .3, stick = .5 - t/5\nforce x = .1\ntime 0 .. 3\n",
     "static coefficient `stick` of 'f' is 0.3", 1),
    ("coord x, y\nheld mu\nlagrangian (x'^2 + y'^2)/2 - y\ncontact f: y >= 0, restitution = 0, friction = .3, stick = mu\nevery 1: mu = mu - .2\n"
     "start mu = .8\ntime 0 .. 4\n", "static coefficient `stick` of 'f' is 0.2", 2),
    ("coord x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint w: y = 0, friction = .5 - t/2\nstart x' = 2\ntime 0 .. 3\n",
     "friction of 'w' is about to leave its range", 1),
    # not in use: in flight, at rest, after the last impact
    ("coord y\nlagrangian y'^2/2 - y\ncontact f: y >= 0, restitution = 1 - t\nstart y = 100\ntime 0 .. 10\n", "", None),
    ("coord y\nlagrangian y'^2/2 - y\ncontact f: y >= 0, restitution = .5 - t/4\nstart y = .02\ntime 0 .. 10\n", "", None),
]


def ranges(b):
    for text, words, at in RANGES:
        status, out, err = b.call(text, "--json")
        said = " ".join(m["message"] for m in json.loads(out).get("errors", []))
        b.tally.check(status == (3 if words else 0) and words in said, "exit %s, %s instead of %s: %s" % (status, said, words, text))
        found = re.search(r" at t = ([0-9.e+-]+):", said)
        b.tally.check(at is None or (found and abs(float(found.group(1)) - at) < 1e-8), "%s instead of t = %s" % (said, at))


SECTIONS = (ranges, tumbler, incline, billiard, comes_to_rest, sticks, columns, after_an_event, beside_a_switch, passes, momenta, rods, painleve, releases, corners, wires,
            two_slips, backward, flights, slides, many, principles, soft, hard_to_see)


def main():
    program, _ = arguments()
    tally = Tally("contact")
    with tempfile.TemporaryDirectory() as folder:
        run_parts(SECTIONS, Bench(program, tally, folder))
    tally.done()


main()

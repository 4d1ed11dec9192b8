#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times of instants against closed forms: each is within three times its reported error, for random oscillators, bouncing balls and walls that are grazed. What
can't be decided is listed as `touches`, and a contact on which the motion hangs is found or refused. Every file format has the same list.

usage: instants.py [--program FILE]"""
import csv
import json
import math
import os
import random
import tempfile

import numpy as np

from program import Tally, arguments, call, run_parts

BELIEVED = 3                                               # a true error is at most this often the reported one
SERIES = 60                                                # bounces of a ball that are compared


def moved(program, folder, text, *options):
    path = os.path.join(folder, "m.act")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    status, out, err = call(program, "run", path, "--json", *options)
    return status, json.loads(out) if out.strip().startswith("{") else {}, err


def believed(tally, what, told, true):
    """Instants in order against their true times."""
    if not tally.check(len(told) == len(true), "%s: %d instants, not %d" % (what, len(told), len(true))):
        return
    for one, t in zip(told, true):
        tally.check(one["error"] is not None and abs(one["t"] - t) <= BELIEVED * one["error"],
                    "%s: t = %.17g is off by %.2g, reported %s" % (what, one["t"], one["t"] - t, one["error"]))


def oscillators(tally, program, folder):
    """x'' = -w^2 x passes a level, a tiny way below its top in some."""
    rng = random.Random(1)
    for k in range(60):
        w, amplitude, end = rng.uniform(.3, 4), rng.uniform(.5, 3), rng.uniform(10, 40)
        level = 1 - 10 ** -rng.uniform(.2, 7)
        tol = 10 ** -rng.uniform(6, 11)
        text = ("coord x\nlagrangian x'^2/2 - %r*x^2/2\nevent high: x = %r\nevent turns: x' = 0\nstart x' = %r\ntime 0 .. %r\n"
                % (w * w, level * amplitude, amplitude * w, end))
        status, out, err = moved(program, folder, text, "--tol", "%.3g" % tol)
        what = "oscillator %d, level 1 - %.1e, tol %.1e" % (k, 1 - level, tol)
        if not tally.check(status == 0, "%s: exit %s %s" % (what, status, err)):
            continue
        first, turns = math.asin(level) / w, math.pi / w
        high = sorted(t for n in range(40) for t in (first + 2 * n * turns, turns - first + 2 * n * turns) if t < end)
        listed = [e for e in out["events"] if e["name"] == "high" and e["kind"] == "event"]
        vague = [e for e in out["events"] if e["kind"] == "touches"]
        clear = [t for t in high if not any(abs(t - e["t"]) <= BELIEVED * e["error"] for e in vague)]
        believed(tally, what, listed, clear)
        believed(tally, what + ", turns", [e for e in out["events"] if e["name"] == "turns"],
                 [(n + .5) * turns for n in range(100) if (n + .5) * turns < end])


def balls(tally, program, folder):
    """Flights are parabolas, and each bounce keeps a part of the velocity."""
    rng = random.Random(2)
    for k in range(25):
        g, h, keeps = rng.uniform(.5, 20), rng.uniform(.2, 5), rng.uniform(.3, .95)
        fall = math.sqrt(2 * h / g)
        rest = fall * (1 + keeps) / (1 - keeps)
        text = ("coord y\nlagrangian y'^2/2 - %r*y\ncontact floor: y >= 0, restitution = %r\nstart y = %r\ntime 0 .. %r\n" % (g, keeps, h, 1.2 * rest))
        status, out, err = moved(program, folder, text)
        what = "ball %d" % k
        if not tally.check(status == 0, "%s: exit %s %s" % (what, status, err)):
            continue
        true, flight = [fall], 2 * fall
        for _ in range(SERIES):
            flight *= keeps
            true.append(true[-1] + flight)
        impacts = [e for e in out["events"] if e["kind"] in ("impact", "touches")][:SERIES]
        believed(tally, what, impacts, true[:len(impacts)])
        believed(tally, what + ", rest", [e for e in out["events"] if e["kind"] == "rest"], [rest])
        speed = g * fall
        for i, e in enumerate(impacts[:8]):                # energy taken, velocities around the jump
            v = speed * keeps ** i
            right = abs(e["energy"] - v * v * (1 - keeps ** 2) / 2) < 1e-8 * g * h and abs(e["before"]["y_dot"] + v) < 1e-8 * speed
            tally.check(right and abs(e["after"]["y_dot"] - keeps * v) < 1e-8 * speed and abs(e["place"]["y"]) < 1e-9, "%s: %s" % (what, e))


def grazed(depth, end):
    """Impacts and place of x = sin t against a wall at 1 - depth, restitution 1."""
    first, times = math.asin(1 - depth), []
    while first + len(times) * (math.pi + 2 * first) < end:
        times.append(first + len(times) * (math.pi + 2 * first))
    return times, math.sin(end + len(times) * (math.pi - 2 * first))


def walls(tally, program, folder):
    """A wall that is hit from ever less depth, or missed by as little: the motion is right to its error."""
    rng = random.Random(3)
    for k in range(40):
        depth, tol, end = 10 ** -rng.uniform(2, 10), 10 ** -rng.uniform(5, 9), rng.uniform(4, 12)
        text = "coord x\nlagrangian x'^2/2 - x^2/2\ncontact wall: x <= 1 %s %r, restitution = 1\nstart x' = 1\ntime 0 .. %r\n"
        for sign in "-+":
            status, out, err = moved(program, folder, text % (sign, depth, end), "--tol", "%.3g" % tol)
            what = "wall at 1 %s %.1e, tol %.1e" % (sign, depth, tol)
            times, x = grazed(depth, end) if sign == "-" else ([], math.sin(end))
            if status == 3:
                tally.check("CONTACT_UNDECIDED" in json.dumps(out) and depth < 1e-7, "%s: %s" % (what, err))
                continue
            if tally.check(status == 0, "%s: exit %s %s" % (what, status, err)):
                tally.check(abs(out["end"]["x"] - x) <= BELIEVED * max(out["error"]["x"], tol),
                            "%s: x is off by %.2g" % (what, out["end"]["x"] - x))
                believed(tally, what, [e for e in out["events"] if e["kind"] == "impact"], times)


def touches(tally, program, folder):
    """An event at the very top may happen twice or never: it is listed, with the time around it."""
    for tol in ("1e-6", "1e-9"):
        status, out, _ = moved(program, folder, "coord x\nlagrangian x'^2/2 - x^2/2\nevent top: x = 1\nstart x' = 1\ntime 0 .. 20\n", "--tol", tol)
        times = [(2 * n + .5) * math.pi for n in range(3)]
        near = [min(out["events"], key=lambda e, t=t: abs(e["t"] - t)) for t in times] if out.get("events") else []
        tally.check(status == 0 and {e["kind"] for e in near} == {"touches"}, "touches at %s: %s" % (tol, near))
        believed(tally, "touches at " + tol, near, times)


def orders(tally, program, folder):
    """A zero of third order is hidden by rounding in a wide place: its error says so."""
    text = ("coord x\nlagrangian x'^2/2 - x^2/2\nevent a: sin(x) - x = 0\nevent b: x^3 = 0\nevent c: (x - .5)^3 = 0\nevent d: x^5 = 0\n"
            "start x = .9\ntime 0 .. 3\n")
    for tol in ("1e-6", "1e-9", "1e-11"):
        status, out, _ = moved(program, folder, text, "--tol", tol)
        names = [e["name"] for e in out.get("events", [])]
        tally.check(status == 0 and sorted(names) == ["a", "b", "c", "d"], "orders at %s: %s" % (tol, names))
        for name, time in (("a", math.pi / 2), ("b", math.pi / 2), ("c", math.acos(.5 / .9)), ("d", math.pi / 2)):
            believed(tally, "order of %s at %s" % (name, tol), [e for e in out["events"] if e["name"] == name], [time])


def formats(tally, program, folder):
    """CSV, NPZ and HDF5 have what JSON has."""
    text = ("coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\ncontact floor: y >= 0, restitution = .5\nevent far: x = .7\n"
            "force x = if(x > .2, -.1, 0)\nstart y = 1, x' = 1\ntime 0 .. 1.5\n")
    files = [os.path.join(folder, "e." + ending) for ending in ("csv", "npz", "h5")]
    status, out, err = moved(program, folder, text, "--events", files[0], "-o", files[1], *([] if status_of(program) else ["-o", files[2]]))
    if not tally.check(status == 0 and {"impact", "event", "switch"} <= {e["kind"] for e in out["events"]}, "formats: %s %s" % (status, err)):
        return
    events, number = out["events"], lambda x: math.nan if x is None else x
    with open(files[0], encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for e, row in zip(events, rows):
        same = float(row["t"]) == e["t"] and float(row["error"]) == e["error"] and row["kind"] == e["kind"] and row["name"] == e["name"]
        if "before" in e:
            same &= float(row["y_dot before"]) == e["before"]["y_dot"] and float(row["y_dot after"]) == e["after"]["y_dot"]
        tally.check(same and float(row["x"]) == e["place"]["x"], "csv: %s %s" % (row, e))
    npz = np.load(files[1])
    tables = [{name[7:]: npz[name] for name in npz if name.startswith("events.")}]
    if os.path.exists(files[2]):
        import h5py
        with h5py.File(files[2], "r") as file:
            tables.append({name: file["events"][name] for name in file["events"].dtype.names})
    for table in tables:
        words = [w.decode() if isinstance(w, bytes) else str(w) for w in table["kind"]]
        tally.check(len(events) == len(table["t"]) and words == [e["kind"] for e in events], "kinds: %s" % words)
        for i, e in enumerate(events):
            tally.check(table["t"][i] == e["t"] and table["error"][i] == e["error"] and list(table["place"][i]) == [e["place"]["x"], e["place"]["y"]]
                        and ("before" not in e or table["before"][i][1] == number(e["before"]["y_dot"])), "arrays: %s" % e)


def jumps(tally, program, folder):
    """Energy that a switch takes at once is no drift, and its condition and line are named."""
    mass = "coord x\nlagrangian if(t < 1, 1, 2)*x'^2/2 - x^2/2\n%sstart x' = 1\ntime 0 .. 3\n"
    for force, what in (("", "energy_drift"), ("force x = cos(3*t)\n", "energy_less_work")):
        status, out, err = moved(program, folder, mass % force, "--points", "801")
        e = (out.get("events") or [{}])[0]
        tally.check(status == 0 and out[what] is not None and out[what] < 1e-6, "%s: %s %s" % (what, out.get(what), err))
        tally.check(e.get("kind") == "corner" and e["name"] == "t < 1" and e["line"] == 2 and abs(e["t"] - 1) < 1e-12, "corner: %s" % e)
        before, after = e["before"]["x_dot"], e["after"]["x_dot"]
        tally.check(abs(after - before / 2) < 1e-12 and abs(e["energy"] - (before ** 2 / 2 - after ** 2)) < 1e-12, "momentum is kept: %s" % e)


def status_of(program):
    """0 where the build writes HDF5."""
    return 0 if "HDF5" in call(program, "--version")[1] else 1


def main():
    program, _ = arguments()
    tally = Tally("instants")
    with tempfile.TemporaryDirectory() as folder:
        run_parts([oscillators, balls, walls, touches, orders, jumps, formats], tally, program, folder)
    tally.done()


if __name__ == "__main__":
    main()

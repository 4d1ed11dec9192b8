#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every crossing of every event is listed once, at its time, by every principle: where it coincides with a switch, with another event or with an impact, where
its sides have no value for a while, and where one step has more crossings than one search finds.

usage: events.py [--program FILE]"""
import json
import math
import os
import tempfile

from program import Tally, arguments, call, chosen

PRINCIPLES = "dalembert gauss maggi hamel appell jourdain hamilton skg dual".split()
HEAD = "coord x\nlagrangian x'^2/2\n"
GO = "start x' = 1\ntime 0 .. 2\n"
ROOT2 = math.sqrt(2)
HIT = (math.sqrt(1.6) - 1) / .3                            # x = 1 under x'' = .3

# Name: (lines, [(event, time)]); a motion that no force changes has x = t.
MODELS = {
    "the surface of a switch": ("force x = if(x > 1, -.2, .3)\nevent hit: x = 1\n" + GO, [("hit", HIT)]),
    "the same backward": ("force x = if(x > 1, 0, 0*x)\nevent hit: x = 1\nstart x = 2, x' = 1\ntime 2 .. 0\n", [("hit", 1)]),
    "whole numbers": ("force x = floor(2*x)\nevent hit[i = 1 .. 3]: x = i/2\n" + GO,
                      [("hit[1]", .5), ("hit[2]", ROOT2 - .5), ("hit[3]", 1.5 * ROOT2 - .5 - (ROOT2 - 1))]),
    "ticks": ("force x = mod(t, .25)\nevent tick: t = .5\n" + GO, [("tick", .5)]),
    "a touch and a crossing": ("event touches: abs(x - 1) = 0\nevent passes: x = 1\n" + GO, [("passes", 1)]),
    "a jump and a crossing": ("event jumps: floor(x) = .5\nevent passes: x = 1\n" + GO, [("jumps", 1), ("passes", 1)]),
    "a jump back": ("event jumps: mod(x, .8) = .4\n" + GO, [("jumps", t) for t in (.4, .8, 1.2, 1.6)]),
    "a switch without a jump": ("event e: max(x, 2*x - 1) = 1\n" + GO, [("e", 1)]),
    "two at once": ("event a: x = 1\nevent b: 3*x = 3\nevent c: x^3 = 1\n" + GO, [("a", 1), ("b", 1), ("c", 1)]),
    "reached, not passed": ("event a: x = 2\nevent b: t = 2\n" + GO, []),
    "sides that end": ("event a: sqrt(1 - x) = .5\nevent b: log(x - 1) = log(1/2)\n" + GO, [("a", .75), ("b", 1.5)]),
    "poles": ("event a: 1/(x - 1.2) = 0\nevent b: tan(x) = 0\nevent c: 1/(x - 1.2) = 2\n" + GO, [("c", 1.7)]),
    "many": ("event e: cos(100*pi*x) = 0\n" + GO, [("e", (k + .5) / 100) for k in range(200)]),
}
# By the principles that know contacts. A velocity that an impact turns has not passed zero; a wall that is met has not been passed.
WALLS = {
    "tops and walls": ("coord z\nlagrangian z'^2/2 - 2*z\ncontact floor: z >= 0\nevent top: z' = 0\nevent low: z = 0\nstart z = 1\ntime 0 .. 5.5\n",
                       [("top", 2), ("top", 4)]),
    "an impact elsewhere": ("coord x, z\nlagrangian (x'^2 + z'^2)/2 - 2*z\ncontact floor: z >= 0\nevent passes: x = 1\nstart z = 1, x' = 1\ntime 0 .. 1.5\n",
                            [("passes", 1)]),
}


def look(program, tally, folder, name, text, wanted, by):
    path = os.path.join(folder, "m.act")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    status, out, err = call(program, "run", path, "--json", "--by", by)
    what = "%s by %s" % (name, by)
    if not tally.check(status == 0, "%s: exit %s %s" % (what, status, err[-200:])):
        return
    told = [(e["name"], e["t"]) for e in json.loads(out)["events"] if e["kind"] == "event"]
    same = sorted(n for n, _ in told) == sorted(n for n, _ in wanted)
    times = all(abs(t - u) < 1e-8 for (_, t), (_, u) in zip(sorted(told), sorted(wanted)))    # the default accuracy is 1e-9
    tally.check(same and times, "%s: %s, not %s" % (what, told[:6], wanted[:6]))


def main():
    program, _ = arguments()
    tally = Tally("events")
    with tempfile.TemporaryDirectory() as folder:
        for name, (lines, wanted) in MODELS.items():
            for by in PRINCIPLES if chosen(name) else ():
                look(program, tally, folder, name, HEAD + lines, wanted, by)
        for name, (text, wanted) in WALLS.items():
            for by in ("dalembert", "gauss") if chosen(name) else ():
                look(program, tally, folder, name, text, wanted, by)
    tally.done()


if __name__ == "__main__":
    main()

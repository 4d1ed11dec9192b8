#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The gallery has a model for every row of the tables of consistency and of integrability, and check says of it what the row says;
every model that moves has claims on its motion. tests/gallery.py [--program FILE] [MODEL ...]"""
import json
import os
import re

from program import ROOT, Tally, arguments, call, chosen, model_name

# stem: verdict, then what the row knows: free data and what counting promises, holonomic and nonholonomic combinations, growth
ROWS = {
    # consistency
    "lm1": ("hidden", dict(inertia=[2, 1, 0], free_data=3, naive_free_data=4, holonomic=1, nonholonomic=1, growth=[2, 3, 3], hidden=["q3' + q3 = 0"])),
    "lm2": ("regular", dict(inertia=[2, 1, 0], free_data=5, naive_free_data=5, holonomic=0, nonholonomic=1)),
    "indefinite-pair": ("hidden", dict(inertia=[1, 1, 0], free_data=1, naive_free_data=3, hidden=["q1 + q2 = 0"])),
    "degenerate-sleigh": ("undetermined", dict(inertia=[2, 0, 1], free_data=5)),
    "no-motion": ("contradictory", dict(inertia=[2, 1, 0], hidden=["-1 = 0"])),
    "two-edges": ("redundant", dict(rank=1, free_data=5, naive_free_data=4)),
    "massless-partner": ("regular", dict(inertia=[1, 0, 1], regular=True, free_data=3)),
    "weber": ("regular", dict(free_data=6)),
    "weber-constrained": ("regular", dict(free_data=5)),
    "pendulum-tension": ("hidden", dict(free_data=2, naive_free_data=6)),
    "contradictory-pair": ("contradictory", {}),
    "four-bar": ("redundant", {}),
    "bricard": ("redundant", {}),
    # integrability
    "knife": ("regular", dict(holonomic=0, nonholonomic=1, growth=[3, 4])),
    "coin": ("regular", dict(holonomic=0, nonholonomic=2, growth=[3, 4, 5])),
    "coin-heading": ("regular", dict(holonomic=3, nonholonomic=0)),
    "rod-rate": ("regular", dict(holonomic=1, nonholonomic=0)),
    "ray": ("regular", dict(holonomic=1, nonholonomic=0)),
    "product": ("regular", dict(holonomic=1, nonholonomic=0)),
    "bowl": ("regular", dict(holonomic=1, nonholonomic=0)),
    "moving-wall": ("regular", dict(holonomic=1, nonholonomic=0)),
    "rigid-rotation": ("regular", dict(holonomic=2, nonholonomic=0)),
    "time-row": ("regular", dict(holonomic=0, nonholonomic=1)),
    "mixed-rows": ("regular", dict(holonomic=1, nonholonomic=1)),
    "turntable": ("regular", dict(holonomic=0, nonholonomic=2, growth=[4, 6])),
    "snakeboard": ("regular", dict(holonomic=0, nonholonomic=2, growth=[4, 5, 6])),
    "suslov": ("regular", dict(holonomic=0, nonholonomic=1, growth=[3, 4])),
    # nonlinear constraints
    "appell-hamel": ("regular", dict(holonomic=0, nonholonomic=1, form="genuinely nonlinear")),
    "constant-speed": ("regular", dict(holonomic=0, nonholonomic=1, form="genuinely nonlinear")),
    "roll-exponential": ("regular", dict(holonomic=1, nonholonomic=0, form="equivalent to an affine constraint")),
    "cubic-row": ("regular", dict(holonomic=0, nonholonomic=1, form="equivalent to an affine constraint")),
    "gradient-vanishes": ("singular", {}),
    "two-planes": ("regular", dict(holonomic=1, nonholonomic=0, form="equivalent to an affine constraint")),
}


def check_row(program, tally, stem, verdict, row):
    path = os.path.join(ROOT, "models", stem + ".act")
    if not tally.check(os.path.exists(path), "no models/%s.act" % stem):
        return
    with open(path, encoding="utf-8") as file:
        tally.check("\nexpect verdict %s\n" % verdict in file.read() + "\n", "%s does not claim its verdict" % stem)
    answer = json.loads(call(program, "check", path, "--json")[1])
    tally.check(answer["verdict"] == verdict, "%s is %s, not %s" % (stem, answer["verdict"], verdict))
    for key, value in row.items():
        if key == "form":
            tally.check(any(f.startswith(value) for f in answer["forms"].values()), "%s: forms are %s" % (stem, answer["forms"]))
        else:
            tally.check(answer[key] == value, "%s: %s is %s, not %s" % (stem, key, answer[key], value))


def check_file(tally, path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    stem = os.path.basename(path)[:-4]
    tally.check(re.match(r"# [A-Z].*[.:]", text), "%s: no description at the top" % stem)
    tally.check("\nmodel %s\n" % stem.replace("-", "_") in text, "%s: its name is another" % stem)
    claims = len(re.findall(r"^expect \S+ at ", text, re.M))
    moves = re.search(r"^time ", text, re.M) and not re.search(r"^expect verdict (contradictory|singular|undetermined)", text, re.M)
    tally.check(claims >= 2 if moves else "\nexpect verdict " in text, "%s: %d claims on its motion" % (stem, claims))


def main():
    program, models = arguments()
    tally = Tally("gallery")
    for path in models:
        if chosen("file " + model_name(path)):
            check_file(tally, path)
    for stem, (verdict, row) in ROWS.items():
        if chosen("row " + stem):
            check_row(program, tally, stem, verdict, row)
    tally.done()


if __name__ == "__main__":
    main()

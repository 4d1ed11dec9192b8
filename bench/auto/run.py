#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Branches of periodic orbits by AUTO-07p (needs gfortran, and AUTO_DIR as AUTO's folder, with lib/*.o in it): bench/auto/run.py FOLDER
writes tests/orbits/auto_duffing.csv and auto_lorenz.csv; what AUTO leaves behind goes to FOLDER. Start orbits come from tests/orbit_oracle.py."""
import csv
import glob
import os
import re
import shutil
import subprocess
import sys
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import orbit_oracle as o  # noqa: E402
from mpmath import mp  # noqa: E402

AUTO = os.environ.get("AUTO_DIR")
TYPES = {"1": "BP", "2": "LP", "3": "HB", "5": "LP", "6": "BP", "7": "PD", "8": "TR", "9": "EP", "4": "UZ", "-4": "UZ", "-9": "MX"}


def samples(system, x, T, count=400):
    """Rows t, state along the orbit, in doubles: good enough to start from."""
    arith, rows = o.Doubles(), []
    y, x = None, [mp.mpf(v) for v in x]
    h = T / count
    for k in range(count + 1):
        full = list(x) + (y or system.helpers)
        rows.append([float(h * k)] + [float(v) for v in full])
        keep, system.helpers = system.helpers, full[system.n:]
        end, _ = o.flow(system, x, h, arith)
        system.helpers = keep
        x, y = end[:system.n], end[system.n:]
    return rows


def run(folder, name, tag, start, rows, changes=()):
    """One AUTO run; rows of its bifurcation table and the text it printed."""
    place = os.path.join(folder, name + tag)
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    with open(os.path.join(HERE, name + ".f90")) as source, open(os.path.join(place, "model.f90"), "w") as out:
        out.write(re.sub(r"START_[A-Z]+", "%rd0" % float(start), source.read()))
    with open(os.path.join(place, "start.dat"), "w") as out:
        out.write("\n".join(" ".join("%.17g" % v for v in r) for r in rows) + "\n")
    with open(os.path.join(HERE, "c." + name)) as source, open(os.path.join(place, "fort.2"), "w") as out:
        text = source.read()
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        out.write(text)
    open(os.path.join(place, "fort.3"), "w").close()
    subprocess.run(["gfortran", "-O2", "-fopenmp", "-w", "-o", "model", "model.f90", *sorted(glob.glob(AUTO + "/lib/*.o"))], cwd=place, check=True)
    env = dict(os.environ, OMP_NUM_THREADS="1")
    done = subprocess.run(["./model"], cwd=place, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=560)
    with open(os.path.join(place, "printed"), "w") as out:
        out.write(done.stdout)
    return table(place)


def table(place):
    """fort.7: branch, point (negative: stable), type, label, parameter, norm, largest values, period."""
    found = []
    for line in open(os.path.join(place, "fort.7")):
        words = line.split()
        if words and words[0] != "0":
            found.append(words)
    return found


def write(path, head, tagged):
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(head)
        for tag, rows in tagged:
            for w in rows:
                out.writerow([tag, TYPES.get(w[2], ""), w[4], w[-1], w[6], "stable" if int(w[1]) < 0 else "unstable"])


def duffing(folder):
    found = []
    for tag, om, point, changes in DUFFING:
        x, T = [mp.mpf(v) for v in point], 2 * mp.pi / mp.mpf(om.numerator) * om.denominator
        x, _ = o.forced_orbit(o.duffing(om), x, T)
        found.append((tag, run(folder, "duffing", "-" + tag.replace(" ", "-"), float(om), samples(o.duffing(om), x, T), changes)))
    write(os.path.join(ROOT, "tests/orbits/auto_duffing.csv"), ["branch", "type", "om", "period", "largest_x", "stability"], found)


DUFFING = [
    ("one well, down from 2", Fraction(2), ("0.84684535765804284595", "0.050601229529172567768"), ()),
    ("around zero, down from 2", Fraction(2), ("-0.059651469641120433507", "0.0095514750270044478945"), ()),
    ("one well, small, up from 0.8", Fraction(4, 5), ("1.2701782926458921132", "0.018519772673918880224"), (("DS = -0.01", "DS = 0.01"),)),
    # where another branch leaves, Newton's matrix is singular and AUTO finds the place only with looser tolerances
    ("large, down from 0.8", Fraction(4, 5), ("0.48292195536587786072", "0.93888552022398587127"),
     (("EPSL = 1e-10, EPSU = 1e-10, EPSS = 1e-9", "EPSL = 1e-7, EPSU = 1e-7, EPSS = 1e-5"),)),
    ("large, up from 0.8", Fraction(4, 5), ("0.48292195536587786072", "0.93888552022398587127"), (("DS = -0.01", "DS = 0.01"),)),
]


def lorenz(folder):
    x, T, _, _ = o.closed_orbit(o.lorenz(), ["2.1473676319181161256", "-2.0780482114612494003", "27"], "1.5586522107161747", 2, o.Doubles())
    for a in (Fraction(57, 2), Fraction(29), Fraction(59, 2), Fraction(30)):
        x, T, _, _ = o.closed_orbit(o.lorenz(a), x, T, 2, o.Doubles())
    rows = run(folder, "lorenz", "", 30, samples(o.lorenz(30), x, T))
    write(os.path.join(ROOT, "tests/orbits/auto_lorenz.csv"), ["branch", "type", "a", "period", "largest_x", "stability"], [("AB", rows)])


if __name__ == "__main__":
    if not AUTO:
        sys.exit("bench/auto/run.py: set AUTO_DIR to the folder of AUTO-07p")
    what = sys.argv[2:] or ["duffing", "lorenz"]
    for each in what:
        {"duffing": duffing, "lorenz": lorenz}[each](sys.argv[1])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Motions over each other: what `compare` says of grids and of soft walls of several widths, and what its pictures show.

usage: overlay.py [--program FILE]"""
import json
import math
import os
import re
import subprocess
import tempfile

from program import ROOT, Tally, arguments, call, rows, run_parts

WIDTHS = "1/10,1/20,1/40,1/80,1/110"
# Largest distance from the hard wall at the 256 nodes, by another program (SKG 4.6).
DISTANCES = ((1 / 10, 7.6e-2, .05e-2), (1 / 20, 2.5e-2, .05e-2), (1 / 40, 1.0e-2, .05e-2), (1 / 80, 4.5e-3, .05e-3), (1 / 110, 3.0e-3, .05e-3))
SOFT = ("--barrier", "5", "--grid", "256", "--order", "4", "--points", "256")


def compare(program, *words):
    status, out, err = call(program, "compare", *words, "--json")
    return status, json.loads(out) if out else {"errors": err, "principles": []}


def motion(program, *words):
    status, out, err = call(program, "run", *words, "-o", "-", "--quiet")
    if status:
        raise SystemExit("overlay: run %s: %s" % (" ".join(words), err))
    return rows(out)


def picture(program, path, *words):
    """Exit status and the text of the picture, None where there is no file."""
    if os.path.exists(path):
        os.remove(path)
    status, _, _ = call(program, "compare", *words, "--overlay", path, "--quiet")
    if not os.path.exists(path):
        return status, None
    with open(path, encoding="utf-8") as file:
        return status, file.read()


def discs(svg, hollow):
    """(x, y, colour) of every disc, open ones or filled ones."""
    found = re.findall(r'<circle cx="([-\d.]+)" cy="([-\d.]+)" r="[\d.]+" (fill|stroke)="(#\w+)"', svg)
    return [(float(x), float(y), colour) for x, y, kind, colour in found if (kind == "stroke") == hollow]


def widths(tally, program):
    status, told = compare(program, "tumbler-figure", "--sigma", WIDTHS, *SOFT)
    first, rest = told["principles"][0], told["principles"][1:]
    tally.check(status == 0 and told["reference"] == "dalembert" and first["sigma"] is None and first["status"] == "reference", "reference: %d %s" % (status, first))
    tally.check(len(rest) == 5, "%d widths" % len(rest))
    hard = motion(program, "tumbler-figure", "--points", "256")
    for row, (sigma, distance, within) in zip(rest, DISTANCES):
        tally.check(row["by"] == "skg" and row["status"] == "soft" and row["error"] is None and abs(row["sigma"] - sigma) < 1e-15, "row: %s" % row)
        tally.check(abs(row["difference"] - distance) <= within, "sigma = %g: %g from the hard wall, not %g" % (sigma, row["difference"], distance))
        soft = motion(program, "tumbler-figure", "--by", "skg", "--sigma", repr(sigma), *SOFT)
        far = max(abs(a[name] - b[name]) for a, b in zip(hard, soft) for name in ("x", "y"))
        tally.check(abs(far - row["difference"]) < 1e-12, "sigma = %g: two runs are %g apart, compare says %g" % (sigma, far, row["difference"]))
    same = compare(program, "tumbler-figure", "--sigma", "1/110,1/40,1/10,1/80,1/20", *SOFT)[1]["principles"]
    tally.check([r["sigma"] for r in same] == [r["sigma"] for r in told["principles"]], "widths are not put in order: %s" % same)


def widths_by_others(tally, program):
    """Each width by the principle asked for; by tolerance it has an error estimate, and all agree on the distance."""
    far = []
    for by in ("dalembert,skg", "dalembert"):
        status, told = compare(program, "tumbler-figure", "--by", by, "--sigma", "hard,1/20", "--barrier", "5")
        row = told["principles"][1]
        tally.check(status == 0 and row["by"] == "skg" and row["status"] == "soft" and row["error"] < 1e-8, "%s: %d %s" % (by, status, row))
        far.append(row["difference"])
    status, told = compare(program, "tumbler-figure", "--by", "dalembert,gauss", "--sigma", "hard,1/20", "--barrier", "5")
    far.append(told["principles"][1]["difference"])
    tally.check(status == 0 and told["principles"][1]["by"] == "gauss" and max(far) - min(far) < 1e-8, "one width by several: %s" % far)
    status, told = compare(program, "tumbler-figure", "--by", "dalembert,skg", "--sigma", "1/20", "--barrier", "5")
    tally.check(status == 0 and told["principles"][1]["status"] == "agrees" and "sigma" not in told["principles"][1], "one soft wall for both: %s" % told)


def inclines(tally, program):
    """Soft planes with the figure's offset against the closed form (SKG 4.7): 2.1e-3 and 2.6e-3."""
    table = motion(program, "incline-figure", "--start", "y=1/2+1/30,w=1/2+1/30", "--by", "skg", "--grid", "64", "--sigma", "1/70", "--barrier", "5", "--points", "64")
    for across, up, a, expected in (("x", "y", 4.9, 2.1e-3), ("u", "w", 1.5051804171650005, 2.6e-3)):
        far = 0
        for row in table:
            s = 1 - a * row["t"] ** 2 / 2
            far = max(far, abs(row[across] - math.cos(math.pi / 6) * s), abs(row[up] - 1 / 30 - s / 2))
        tally.check(abs(far - expected) <= .05e-3, "incline, %s: %g from the closed form, not %g" % (across, far, expected))
    status, told = compare(program, "incline-figure", "--sigma", "hard,1/70", "--barrier", "5", "--grid", "64")
    tally.check(status == 0 and "0.0346663061" in told["principles"][1]["note"], "the moved start is not told: %s" % told)


def grids(tally, program):
    """A grid claims nothing, so that nothing follows from its difference; the others of the list run as usual."""
    status, told = compare(program, "disk", "--by", "dalembert,skg,gauss,discrete", "--grid", "64", "--order", "4", "--points", "64", "--tol", "1e-6")
    words = {row["by"]: row for row in told["principles"]}
    row = words["skg"]
    tally.check(status == 0 and row["status"] == "grid" and "grid of 64 points, order 4" in row["note"] and row["error"] is None, "grid: %d %s" % (status, row))
    tally.check(abs(row["difference"] - 1.0e-2) <= .05e-2, "grid: %g, not 1.0e-2 (SKG 4.1)" % row["difference"])
    tally.check(words["gauss"]["status"] == "agrees" and words["discrete"]["status"] == "agrees", "others: %s" % words)
    row = compare(program, "disk", "--by", "dalembert,skg", "--slabs", "8", "--nodes", "6")[1]["principles"][1]
    tally.check(row["status"] == "grid" and "8 equal slabs" in row["note"] and row["difference"] < 1e-5, "slabs: %s" % row)
    row = compare(program, "disk", "--by", "dalembert,skg", "--order", "6", "--nodes", "14")[1]["principles"][1]
    tally.check(row["status"] == "agrees", "order and nodes with a tolerance: %s" % row)
    row = compare(program, "disk", "--by", "skg,dalembert", "--grid", "64")[1]["principles"][1]
    tally.check(row["status"] == "grid" and "grid" in row["note"], "reference on a grid: %s" % row)


def usage(tally, program, folder):
    svg = os.path.join(folder, "u.svg")
    for words in (["disk", "--by", "dalembert,gauss", "--grid", "64"], ["disk", "--by", "dalembert,gauss", "--order", "4"], ["disk", "--by", "dalembert,skg", "--grid", "64", "--slabs", "4"],
                  ["disk", "--by", "dalembert,skg", "--grid", "4"], ["tumbler", "--sigma", WIDTHS], ["tumbler", "--sigma", "1/10"],
                  ["tumbler", "--sigma", WIDTHS, "--barrier", "5", "--by", "dalembert,skg,gauss"], ["tumbler", "--sigma", "1/10,,1/20", "--barrier", "5"],
                  ["tumbler", "--sigma", "1/10,auto", "--barrier", "5"], ["tumbler", "--sigma", "1/10,hard", "--barrier", "5"], ["tumbler", "--sigma", "hard", "--barrier", "5"], ["tumbler", "--sigma", "1/10,-1", "--barrier", "5"],
                  ["disk", "--axes", "x,y"], ["disk", "--axes", "x", "--plot", svg], ["disk", "--overlay", os.path.join(folder, "u.csv")], ["disk", "knife", "--overlay", svg],
                  ["disk", "--by", "dalembert,skg", "--overlay", svg, "--axes", "nothing"]):
        status, told = compare(program, *words)
        tally.check(status == 2 and told.get("errors"), "%s: exit %d %s" % (" ".join(words), status, told))
    for words in (["run", "tumbler", "--sigma", WIDTHS, "--barrier", "5"], ["test", "tumbler", "--sigma", "1/10,1/20", "--barrier", "5"], ["run", "disk", "--overlay", svg]):
        tally.check(call(program, *words)[0] == 2, " ".join(words))
    tally.check(not os.path.exists(svg), "a refused picture was written")
    status, told = compare(program, "kepler", "--sigma", "1/10,1/20", "--barrier", "5")
    tally.check(status == 0 and [w["code"] for w in told["warnings"]] == ["NO_WALLS"], "widths without walls: %s" % told)
    status, svg_text = picture(program, svg, "tumbler", "--by", "skg,dalembert")
    tally.check(status == 0 and svg_text is None, "a picture without a motion: exit %s" % status)


def disc_count(tally, program, folder):
    """At most 80 discs a series, evenly: every stride-th row from the first."""
    path = os.path.join(folder, "d.svg")
    for points, expected in ((64, 64), (80, 80), (81, 41), (201, 67), (253, 64), (1000, 77)):
        status, svg = picture(program, path, "disk", "--by", "dalembert,skg", "--grid", "64", "--axes", "x,theta,x:y", "--points", str(points))
        if tally.check(status == 0 and svg, "overlay of %d points: %s" % (points, status)):
            tally.check(len(discs(svg, True)) == 3 * expected + 2 and len(discs(svg, False)) == 1,
                        "%d points: %d open discs, %d filled" % (points, len(discs(svg, True)), len(discs(svg, False))))
            tally.check("skg, 64 points, order 4" in svg and ">dalembert<" in svg, "the key")


def line_through(x, y):
    """Least squares y = a + b*x and the largest deviation."""
    n, mx, my = len(x), sum(x) / len(x), sum(y) / len(y)
    b = sum((u - mx) * (v - my) for u, v in zip(x, y)) / sum((u - mx) ** 2 for u in x)
    return max(abs(v - my - b * (u - mx)) for u, v in zip(x, y))


def disc_places(tally, program, folder):
    """The discs are the rows by skg, and in the colour of the line: pixels are affine in the numbers."""
    _, svg = picture(program, os.path.join(folder, "p.svg"), "disk", "--by", "dalembert,skg", "--grid", "64", "--axes", "theta,lambda.blade", "--points", "64")
    table = motion(program, "disk", "--by", "skg", "--grid", "64", "--points", "64")
    marks = [m for m in discs(svg, True)][2:]
    for k, name in enumerate(("theta", "lambda.blade")):
        mine = marks[64 * k:64 * k + 64]
        tally.check(len({m[2] for m in mine}) == 1 and '<polyline fill="none" stroke-linejoin="round" stroke="%s"' % mine[0][2] in svg, "colour of %s" % name)
        tally.check(line_through([row["t"] for row in table], [m[0] for m in mine]) < .02, "discs of %s across" % name)
        tally.check(line_through([row[name] for row in table], [m[1] for m in mine]) < .02, "discs of %s up" % name)


def several(tally, program, folder):
    """A third motion has filled discs, between those of the second; what has no motion is not in the key."""
    _, svg = picture(program, os.path.join(folder, "s.svg"), "disk", "--by", "dalembert,skg,gauss,hamel", "--axes", "x", "--points", "161")
    tally.check(len(discs(svg, True)) == 54 + 2 and len(discs(svg, False)) == 54 + 2, "%d open, %d filled" % (len(discs(svg, True)), len(discs(svg, False))))
    tally.check(">gauss<" in svg and ">hamel<" not in svg, "the key of three")
    open_x, filled_x = ({m[0] for m in discs(svg, hollow)[-20:]} for hollow in (True, False))
    tally.check(not open_x & filled_x, "discs of two motions on one place")
    _, svg = picture(program, os.path.join(folder, "s.svg"), "pars42", "--axes", "x1", "--points", "161")
    key = re.findall(r'<circle [^>]* r="([\d.]+)" (fill|stroke)=', svg)[:16:2]
    tally.check(len(set(key)) == 8, "marks of eight motions: %s" % key)
    tally.check(svg.count("<circle") <= 8 * 20 + 16, "%d discs of eight motions" % svg.count("<circle"))


def greys(tally, program, folder):
    """Several widths: lines from light to dark, one a column of the panel, no discs but those of the trend, which are five."""
    path = os.path.join(folder, "g.svg")
    status, svg = picture(program, path, "tumbler-figure", "--sigma", WIDTHS, *SOFT, "--axes", "x,y")
    shades = re.findall(r'<polyline [^>]*stroke="#(\w\w)\1\1" clip-path="[^"]*" stroke-width="1.2"', svg)
    order = [int(s, 16) for s in shades]
    tally.check(status == 0 and len(order) == 10 and order[:5] == order[5:] and order[:5] == sorted(order[:5], reverse=True) and len(set(order)) == 5, "greys: %s" % order)
    tally.check(not discs(svg, True) and len(discs(svg, False)) == 5, "%d discs of the trend" % len(discs(svg, False)))
    marks = discs(svg, False)
    tally.check(line_through([-math.log(d[0]) for d in DISTANCES], [m[0] for m in marks]) < .05, "the trend is not over log(sigma)")
    told = compare(program, "tumbler-figure", "--sigma", WIDTHS, *SOFT)[1]["principles"][1:]
    tally.check(line_through([math.log(r["difference"]) for r in told], [m[1] for m in marks]) < .05, "the trend is not log(distance)")
    tally.check(all(">%s<" % w in svg for w in ("dalembert, hard walls", "skg, 256 points, order 4, σ = 1/10", "σ = 1/110")), "the key of widths")
    _, svg = picture(program, path, "tumbler-figure", "--sigma", "hard,1/110", *SOFT, "--axes", "x,y")
    tally.check(len(discs(svg, True)) == 2 * 64 + 2 and not discs(svg, False), "one width has %d discs" % len(discs(svg, True)))


def differences(tally, program, folder):
    """-o and --plot have one curve a width."""
    target, plot = os.path.join(folder, "w.csv"), os.path.join(folder, "w.svg")
    status, _, err = call(program, "compare", "tumbler-figure", "--sigma", WIDTHS, *SOFT, "-o", target, "--plot", plot, "--quiet")
    if not tally.check(status == 0, err):
        return
    with open(target, encoding="utf-8") as file:
        table = rows(file.read())
    names = ["difference.0.1", "difference.0.05", "difference.0.025", "difference.0.0125", "difference.0.009091"]
    tally.check(list(table[0]) == ["t"] + names, "columns: %s" % list(table[0]))
    for name, (_, distance, within) in zip(names, DISTANCES):
        tally.check(abs(max(row[name] for row in table) - distance) <= within, name)
    with open(plot, encoding="utf-8") as file:
        svg = file.read()
    tally.check(all(">%s<" % name[11:] in svg for name in names), "labels of the curves")


def endings(tally, program, folder):
    for ending, magic in ((".png", b"\x89PNG"), (".pdf", b"%PDF")):
        path = os.path.join(folder, "e" + ending)
        status, _, err = call(program, "compare", "disk", "--by", "dalembert,skg", "--grid", "64", "--overlay", path, "--quiet")
        if status == 2 and "unknown file extension" in err:
            continue
        with open(path, "rb") as file:
            tally.check(status == 0 and file.read(4) == magic, "%s: exit %d" % (ending, status))


def figures(tally, program, folder):
    """tools/figures.sh makes what docs/figures has."""
    done = subprocess.run(["sh", os.path.join(ROOT, "tools", "figures.sh"), program, folder], cwd=ROOT, capture_output=True, text=True)
    tally.check(done.returncode == 0, done.stderr)
    kept = os.path.join(ROOT, "docs", "figures")
    for name in ("figure-2-disk.svg", "figure-3-tumbler.svg", "figure-4-incline.svg"):
        if not tally.check(os.path.exists(os.path.join(folder, name)) and os.path.exists(os.path.join(kept, name)), "no %s" % name):
            continue
        heads = []
        for place in (folder, kept):
            with open(os.path.join(place, name), encoding="utf-8") as file:
                heads.append(re.findall(r'font-weight="bold">([^<]*)<', file.read()))
        tally.check(heads[0] == heads[1] and len(heads[0]) >= 5, "%s: panels %s" % (name, heads))
    tally.check(subprocess.run(["sh", os.path.join(ROOT, "tools", "figures.sh")], capture_output=True).returncode == 2, "figures.sh without words")


def main():
    program, _ = arguments()
    tally = Tally("overlay")
    run_parts((widths, widths_by_others, inclines, grids), tally, program)
    with tempfile.TemporaryDirectory() as folder:
        run_parts((usage, disc_count, disc_places, several, greys, differences, endings, figures), tally, program, folder)
    tally.done()


main()

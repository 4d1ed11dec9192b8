#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/disk-track.svg, the disk on its incline, from the program's own numbers: tools/disk_track.py PROGRAM FILE

The incline is seen from above its lower edge: x points down the slope, y along it. Discs are the disk at equal times, a
spoke shows how far it has rolled."""
import csv
import io
import math
import subprocess
import sys

POINTS, POSES = 241, 17
SCALE, MARGIN = 38.0, 14
ALPHA, VIEW, SIDE = math.pi / 6, math.radians(22), math.radians(14)        # slope; the eye above the horizon, and to the left
PLANE = (-4.2, 7.6, -1.2, 16.2)                            # x and y of its edges


def motion(program):
    text = subprocess.run([program, "run", "disk", "--points", str(POINTS), "-o", "-"], check=True, capture_output=True, text=True).stdout
    return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(io.StringIO(text))]


def on_plane(x, y, height=0.0):
    """A point of the incline, `height` above it along its normal, in space: along the slope, downhill, up."""
    return y, x * math.cos(ALPHA) + height * math.sin(ALPHA), height * math.cos(ALPHA) - x * math.sin(ALPHA)


def seen(point):
    along, down, up = point
    right, near = along * math.cos(SIDE) + down * math.sin(SIDE), down * math.cos(SIDE) - along * math.sin(SIDE)
    return SCALE * right, SCALE * (near * math.sin(VIEW) - up * math.cos(VIEW))


def path(points, closed=False):
    return "M" + " L".join("%.1f,%.1f" % p for p in points) + ("Z" if closed else "")


def rim(row, steps=60):
    """The disk stands upright on the incline and faces along its heading phi."""
    x, y, phi = row["x"], row["y"], row["phi"]
    for k in range(steps):
        a = 2 * math.pi * k / steps
        yield on_plane(x + math.sin(a) * math.cos(phi), y + math.sin(a) * math.sin(phi), 1 - math.cos(a))


def spoke(row):
    """From the centre to the mark that was at the bottom at the start."""
    x, y, phi, a = row["x"], row["y"], row["phi"], row["theta"]
    return [on_plane(x, y, 1), on_plane(x - math.sin(a) * math.cos(phi), y - math.sin(a) * math.sin(phi), 1 - math.cos(a))]


def corners():
    low, high, left, right = PLANE
    return [seen(on_plane(x, y)) for x, y in ((low, left), (low, right), (high, right), (high, left))]


def frame(rows):
    """Left, top, width and height of the picture."""
    points = corners() + [seen(p) for row in rows for p in rim(row)]
    low, high = ([f(p[k] for p in points) for k in (0, 1)] for f in (min, max))
    return low[0] - MARGIN, low[1] - MARGIN, high[0] - low[0] + 2 * MARGIN, high[1] - low[1] + 2 * MARGIN


def draw(rows):
    low, high, left, right = PLANE
    yield '<path d="%s" fill="#f4f6f8" stroke="#c5ccd3"/>' % path(corners(), True)
    for x in range(math.ceil(low), math.floor(high) + 1):
        yield '<path d="%s" stroke="#e3e7eb" fill="none"/>' % path([seen(on_plane(x, y)) for y in (left, right)])
    for y in range(math.ceil(left), math.floor(right) + 1):
        yield '<path d="%s" stroke="#e3e7eb" fill="none"/>' % path([seen(on_plane(x, y)) for x in (low, high)])
    yield '<path d="%s" fill="none" stroke="#1f5fa8" stroke-width="2.2"/>' % path([seen(on_plane(r["x"], r["y"])) for r in rows])
    step = (len(rows) - 1) / (POSES - 1)
    poses = [rows[round(k * step)] for k in range(POSES)]
    for row in sorted(poses, key=lambda r: r["x"] - math.tan(SIDE) * r["y"]):          # what is nearer covers what is behind
        yield '<path d="%s" fill="#e8903a" fill-opacity=".42" stroke="#8a4a10" stroke-width="1.3"/>' % path([seen(p) for p in rim(row)], True)
        yield '<path d="%s" stroke="#8a4a10" stroke-width="1.6"/>' % path([seen(p) for p in spoke(row)])
        yield '<circle cx="%.1f" cy="%.1f" r="2.4" fill="#1f5fa8"/>' % seen(on_plane(row["x"], row["y"]))
    yield from words(rows)


def label(x, y, text, more=""):
    return '<text x="%.1f" y="%.1f" fill="#30363c" %s>%s</text>' % (x, y, more, text)


def words(rows):
    first, last = (seen(on_plane(r["x"], r["y"])) for r in (rows[0], rows[-1]))
    yield label(first[0] - 6, first[1] + 20, "t = 0", 'text-anchor="end"')
    yield label(last[0] + 14, last[1] + 26, "t = 2π")
    tail, head = seen(on_plane(5.2, 14.6)), seen(on_plane(6.9, 14.6))
    yield '<path d="%s" stroke="#6b7278" stroke-width="1.6" marker-end="url(#tip)"/>' % path([tail, head])
    yield label(tail[0] - 8, tail[1] + 14, "downhill", 'text-anchor="end" font-style="italic"')


def main():
    program, file = sys.argv[1:]
    rows = motion(program)
    left, top, width, height = frame(rows)
    box = "%.0f %.0f %.0f %.0f" % (left, top, width, height)
    with open(file, "w", encoding="utf-8") as out:
        out.write('<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="%s" font-family="sans-serif" font-size="14">\n'
                  '<title>A disk that rolls and spins on an incline, at %d equal times</title>\n'
                  '<defs><marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8Z" fill="#6b7278"/></marker></defs>\n'
                  '<rect x="%.0f" y="%.0f" width="%.0f" height="%.0f" fill="white"/>\n%s\n</svg>\n'
                  % (width, height, box, POSES, left, top, width, height, "\n".join(draw(rows))))


main()

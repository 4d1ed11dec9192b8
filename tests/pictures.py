#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures draw the motion and not its rows: the curves of an SVG, read back into numbers, against closed forms, against
the list of events and against dense tables. usage: pictures.py [--program FILE]"""
import bisect
import collections
import csv
import math
import os
import random
import re
import tempfile
import xml.etree.ElementTree

from program import ROOT, Tally, arguments, call, chosen, rows, run_parts

FOUCAULT = """model foucault
param w = 2*pi/16, om = 0.0008
coord x, y
lagrangian 1/2*(x'^2 + y'^2) + om*(x*y' - y*x') - w^2/2*(x^2 + y^2)
start x = 1, y = 0.2
time 0 .. 3600
"""
BALL = """model ball
param g = 9.81
coord y
lagrangian 1/2*y'^2 - g*y
contact floor: y >= 0, restitution = 0.8
start y = 1
time 0 .. 3
"""


RAISED = str.maketrans("\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "-0123456789")


def number(text):
    """A label of a tick; on a log scale a power of ten, as its exponent."""
    raised = text.translate(RAISED)
    return float(raised[2:]) if raised != text else float(text.replace("\u2212", "-"))


class Panel:
    """One frame: its clip box, its scales by the ticks, and what is drawn inside it."""

    def __init__(self, box, heading):
        self.x, self.y, self.w, self.h = box
        self.heading, self.ticks, self.lines, self.steps, self.bands = heading, ([], []), [], [], []

    def holds(self, x, y, around=0):
        return self.x - around <= x <= self.x + self.w + around and self.y - around <= y <= self.y + self.h + around

    def fit(self, axis):
        """Value of a pixel, from the first and the last tick of an axis: (factor, offset)."""
        (a, u), (b, v) = self.ticks[axis][0], self.ticks[axis][-1]
        return (v - u) / (b - a), u - a * (v - u) / (b - a)

    def values(self, points):
        (fx, ox), (fy, oy) = self.fit(0), self.fit(1)
        return [(fx * x + ox, fy * y + oy) for x, y in points]

    @property
    def pixel(self):
        """One pixel as a value up the axis."""
        return abs(self.fit(1)[0])

    def drawn(self, colour=None):
        """All points of the lines, steps and bands."""
        return [p for kind in (self.lines, self.steps, self.bands) for c, points in kind if colour in (None, c) for p in points]


def points_of(text):
    return [tuple(map(float, pair.split(","))) for pair in text.split()]


def panels_of(svg):
    """The panels of a picture. The text has to be well-formed XML."""
    root = xml.etree.ElementTree.fromstring(svg)
    space = "{http://www.w3.org/2000/svg}"
    boxes = {clip.get("id"): [float(clip[0].get(k)) for k in ("x", "y", "width", "height")] for clip in root.iter(space + "clipPath")}
    panels = {name: Panel((b[0] + 1, b[1] + 1, b[2] - 2, b[3] - 2), "") for name, b in boxes.items()}
    for element in root:
        kind, clip = element.tag[len(space):], element.get("clip-path")
        panel = panels.get(clip[5:-1]) if clip else None
        if kind == "polygon":
            panel.bands.append((element.get("fill"), points_of(element.get("points"))))
        elif kind == "polyline" and panel:
            thin = float(element.get("stroke-width")) < .75
            (panel.steps if thin else panel.lines).append((element.get("stroke"), points_of(element.get("points"))))
        elif kind == "text":
            read_text(panels.values(), element)
    return list(panels.values())


def read_text(panels, element):
    """A heading, or the label of a tick."""
    x, y, size = (float(element.get(k)) for k in ("x", "y", "font-size"))
    for p in panels:
        if element.get("font-weight") == "bold" and abs(x - p.x) < .1 and abs(y - p.y + 8) < .1:
            p.heading = element.text
        elif size == 11 and element.get("text-anchor") == "middle" and abs(y - p.y - p.h - 15) < .1 and p.x - 1 <= x <= p.x + p.w + 1:
            p.ticks[0].append((x, number(element.text)))
        elif size == 11 and element.get("text-anchor") == "end" and abs(x - p.x + 7) < .1 and p.y - 1 <= y - 4 <= p.y + p.h + 1:
            p.ticks[1].append((y - 4, number(element.text)))


class Bench:
    def __init__(self, program, tally, folder):
        self.program, self.tally, self.folder = program, tally, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def model(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def run(self, *words):
        status, out, err = call(self.program, "run", *words)
        self.tally.check(status == 0, "run %s: %d %s" % (" ".join(words), status, err))
        return out

    def picture(self, *words):
        """The text of the picture of a run."""
        self.run(*words, "--plot", self.path("p.svg"), "--quiet", "-o", self.path("ignored.csv"))
        return self.text("p.svg")

    def panels(self, *words):
        return panels_of(self.picture(*words))

    def table(self, *words):
        return rows(self.run(*words, "-o", "-", "--quiet"))

    def events(self, *words):
        self.run(*words, "--events", self.path("e.csv"), "--quiet", "-o", self.path("ignored.csv"))
        with open(self.path("e.csv"), encoding="utf-8") as file:
            return list(csv.DictReader(file))


def extremes(points):
    return min(y for _, y in points), max(y for _, y in points)


def pendulum_of_an_hour(b):
    """The motion is an ellipse that turns: x^2 + y^2 of its axes is known, and so is the largest x at each time. In each column of pixels the
    drawing reaches it, whatever the number of rows."""
    path = b.model("foucault.act", FOUCAULT)
    w, om = 2 * math.pi / 16, .0008
    root = math.hypot(w, om)
    # z = x + i*y = exp(-i*om*t)*(A*exp(i*r*t) + B*exp(-i*r*t)), at rest at the start
    start = complex(1, .2)
    a, c = start * (root + om) / (2 * root), start * (root - om) / (2 * root)
    for n in ("2", "201"):
        for axes, part in (("x", 0), ("y", 1)):
            panel = b.panels(path, "--axes", axes, "--points", n)[0]
            columns = {}
            for _, points in panel.bands + panel.lines:
                for (x0, y0), (x1, y1) in zip(points, points[1:]):
                    for column in range(math.ceil(min(x0, x1)), math.floor(max(x0, x1)) + 1):
                        y = y0 if x0 == x1 else y0 + (column - x0) * (y1 - y0) / (x1 - x0)
                        columns.setdefault(column, []).extend([y] if x0 != x1 else [y0, y1])
            wrong = 0
            for column in range(math.ceil(panel.x) + 4, math.floor(panel.x + panel.w) - 4):
                (t, low), (_, high) = panel.values([(column, max(columns.get(column, [0]))), (column, min(columns.get(column, [0])))])
                turned = [z * (-1j if part else 1) for z in (a * complex(math.cos(om * t), -math.sin(om * t)), c * complex(math.cos(om * t), -math.sin(om * t)))]
                amplitude = abs(turned[0] + turned[1].conjugate())
                allowed = panel.pixel + 3 * panel.fit(0)[0] * om * 1.05   # the band goes over three pixels, where the amplitude changes
            wrong += abs(high - amplitude) > allowed or abs(low + amplitude) > allowed
            b.tally.check(wrong == 0, "%s of %s rows: %d columns of pixels do not reach the amplitude" % (axes, n, wrong))
            b.tally.check(len(panel.bands) >= 1, "%s of %s rows: no band" % (axes, n))


def jumps_of(panel):
    """(t, before, after) of each thin vertical line."""
    return [(p[0][0], p[0][1], p[1][1]) for p in (panel.values(points) for _, points in panel.steps)]


def escapement(b):
    """Every kick is drawn with both velocities, whatever the number of rows."""
    path = os.path.join(ROOT, "models", "escapement.act")
    for kicks in (12, 64):
        words = (path, "--set", "n=%d" % kicks)
        panel = b.panels(*words, "--points", "20", "--axes", "x'")[0]
        found, listed = jumps_of(panel), [e for e in b.events(*words) if e["x_dot before"] != "nan"]
        b.tally.check(len(listed) == kicks and len(found) == kicks, "%d kicks drawn, %d listed, not %d" % (len(found), len(listed), kicks))
        for (t, before, after), e in zip(found, listed):
            sizes = abs(before - float(e["x_dot before"])), abs(after - float(e["x_dot after"]))
            near = abs(t - float(e["t"])) <= abs(panel.fit(0)[0]) and max(sizes) <= panel.pixel
            b.tally.check(near, "kick at %s: drawn at %g from %g to %g, listed %s to %s" % (e["t"], t, before, after, e["x_dot before"], e["x_dot after"]))


def bouncing_ball(b):
    """Impacts at t1 (1 + 2 (e + e^2 + ...)), t1 = sqrt(2/g), with velocities g*t1*e^k."""
    path = b.model("ball.act", BALL)
    t1, times = math.sqrt(2 / 9.81), []
    while not times or times[-1][0] < 3:
        k = len(times)
        times.append((t1 * (1 + 2 * sum(.8 ** i for i in range(1, k + 1))), 9.81 * t1 * .8 ** k))
    times = [one for one in times if one[0] < 3]
    panel = b.panels(path, "--points", "20", "--axes", "y")[0]
    line = panel.values([p for _, points in panel.lines for p in points])
    width = abs(panel.fit(0)[0])
    for t, _ in times:
        b.tally.check(min(y for u, y in line if abs(u - t) < width) <= panel.pixel, "y does not touch 0 at %g" % t)
    b.tally.check(abs(extremes(line)[1] - 1) < panel.pixel and extremes(line)[0] > -panel.pixel, "y from %g to %g" % extremes(line))
    panel = b.panels(path, "--points", "20", "--axes", "y'")[0]
    found = jumps_of(panel)
    b.tally.check(len(found) == len(times), "%d impacts drawn, there are %d" % (len(found), len(times)))
    for (t, before, after), (u, speed) in zip(found, times):
        near = abs(t - u) < width and abs(before + speed) < panel.pixel and abs(after - .8 * speed) < panel.pixel
        b.tally.check(near, "impact at %g: from %g to %g" % (u, before, after))


def distance(point, segment):
    (x, y), ((a, b), (c, d)) = point, segment
    length = (c - a) ** 2 + (d - b) ** 2
    f = min(1, max(0, ((x - a) * (c - a) + (y - b) * (d - b)) / length)) if length else 0
    return math.hypot(a + f * (c - a) - x, b + f * (d - b) - y)


def by_column(lines):
    """Segments of the lines by colour and by the column of pixels that they meet."""
    found = collections.defaultdict(list)
    for colour, line in lines:
        for one, two in zip(line, line[1:]):
            for column in range(math.floor(min(one[0], two[0])) - 1, math.floor(max(one[0], two[0])) + 2):
                found[colour, column].append((one, two))
    return found


def apart(one, two):
    """How far the curves of two pictures are apart, in pixels."""
    most = 0
    for p, q in zip(one, two):
        for kind in ("lines", "steps", "bands"):
            mine, others = getattr(p, kind), getattr(q, kind)
            segments = by_column(others) if mine != others else {}
            for colour, point in {(colour, point) for colour, line in mine for point in line if mine != others}:
                most = max(most, min((distance(point, s) for s in segments[colour, math.floor(point[0])]), default=math.inf))
    return most


def same_whatever_the_rows(b):
    """--points changes what is written to files, and no curve. It may change the tolerance of the steps, which moves a curve by less than can be
    seen."""
    models = [os.path.join(ROOT, "models", name + ".act") for name in ("escapement", "bouncing-ball", "sampled-cart", "belt", "disk", "compass-gait", "van-der-pol")]
    for path in models + [b.model("foucault.act", FOUCAULT)]:
        svgs = [panels_of(b.picture(path, "--points", n)) for n in ("2", "20", "2000")]
        for other in svgs[1:]:
            far = max(apart(svgs[0], other), apart(other, svgs[0]))
            same = [p.heading for p in other] == [p.heading for p in svgs[0]]
            b.tally.check(same and far < .25, "%s: curves are %g pixels apart" % (os.path.basename(path), far))


def files_stay(b):
    """A picture changes no bit of the files."""
    for name in ("escapement", "bouncing-ball", "sampled-cart", "shaken-block", "disk", "beam", "kepler", "clutch"):
        path = os.path.join(ROOT, "models", name + ".act")
        kept = []
        for words in ((), ("--plot", b.path("p.svg"))):
            call(b.program, "run", path, "-o", b.path("a.csv"), "--events", b.path("a_events.csv"), "-o", b.path("a.json"), "--quiet", *words)
            json_text = re.sub(r'"seconds": *[^,}]*', "", b.text("a.json"))
            kept.append((b.text("a.csv"), b.text("a_events.csv"), json_text))
        b.tally.check(kept[0] == kept[1], "%s: files differ with a picture" % name)


EVENTFUL = ("escapement", "sampled-cart", "belt", "shaken-block", "stairs", "clutch", "gear-shift", "rocking-block", "slipping-clutch", "bounce-counter", "step-down",
            "compass-gait", "bilinear-oscillator", "brakes", "sliding-mode", "lens", "ramp", "block-sticks")


def inside(panel, dense, name):
    """The drawn points of a column that no row of a dense table near them allows, by more than a pixel and a half. A band reaches over three pixels
    on both sides."""
    times, column = [row["t"] for row in dense], [row[name] for row in dense]
    wrong, near = [], (3.5 if panel.bands else 1.5) * abs(panel.fit(0)[0])
    for t, y in panel.values(panel.drawn()):
        i, j = bisect.bisect_left(times, t - near), bisect.bisect_right(times, t + near)
        part = [x for x in column[max(i - 1, 0):j + 1] if math.isfinite(x)]
        if part and not min(part) - 1.5 * panel.pixel <= y <= max(part) + 1.5 * panel.pixel:
            wrong.append((t, y, min(part), max(part)))
    return wrong


def nothing_else_is_drawn(b):
    """What is drawn around instants, in every column, are values that the column has there."""
    for model in EVENTFUL:
        path = os.path.join(ROOT, "models", model + ".act")
        dense = b.table(path, "--points", "8001")
        names = [name for name in dense[0] if name != "t" and not name.startswith(("residual", "energy", "power"))]
        for panel, name in zip(b.panels(path, "--points", "3", "--axes", ",".join(names[:40])), names):
            size = max(abs(row[name]) for row in dense)
            if not panel.drawn() or not 1e-3 < size < 1e5:     # the labels of others leave a power of ten out
                continue
            wrong = inside(panel, dense, name)
            b.tally.check(not wrong, "%s, %s: %d points that it does not have, first %s" % (model, name, len(wrong), wrong[:1]))


def held_values_are_stairs(b):
    """A value that is held between instants is drawn as level lines with steps between."""
    path = b.model("held.act", """model held
coord x
held u
lagrangian 1/2*x'^2
force x = u
every 1/2: u = -0.9*u + 0.02*x
start u = 1
time 0 .. 10
""")
    panel = b.panels(path, "--points", "3", "--axes", "u")[0]
    b.tally.check(len(panel.steps) == 19 or len(panel.steps) == 20, "%d steps" % len(panel.steps))
    level = max(abs(y - points[0][1]) for _, points in panel.lines for _, y in points)
    b.tally.check(level < .02, "a held value moves by %g pixels" % level)


def size_is_bounded(b):
    """A million oscillations have no more points than a few."""
    path = b.model("fast.act", """model fast
coord x
lagrangian 1/2*x'^2 - 1/2*x^2
start x = 1
time 0 .. 60000
""")
    svg = b.picture(path, "--tol", "1e-5")
    count = sum(len(p) for panel in panels_of(svg) for kind in (panel.lines, panel.bands, panel.steps) for _, p in kind)
    b.tally.check(count < 30000 and len(svg) < 1000000, "%d points, %d bytes" % (count, len(svg)))
    svg = b.picture(path, "--tol", "1e-5", "--axes", "x:x'")
    b.tally.check(len(svg) < 1500000, "against each other: %d bytes" % len(svg))
    tracks = re.findall(r"<polyline [^>]*clip-path[^>]*>", svg)
    b.tally.check(all(len(points_of(re.search(r'points="([^"]*)"', one)[1])) <= 8000 for one in tracks), "a track of too many points")


def random_model(rng):
    """Two bodies with springs, and some of: a wall, an event that kicks, a held value, a switch, fast forcing."""
    lines = ["model drawn", "coord x, y", "held u"]
    force, k = ["u", "%.3f*sin(%.3f*t)" % (rng.uniform(0, 1), rng.uniform(.5, 40))], rng.uniform(2, 30)
    lines.append("lagrangian 1/2*(x'^2 + y'^2) - %.3f*x^2 - %.3f*(y - x)^2" % (k / 2, rng.uniform(1, 10)))
    if rng.random() < .6:
        lines.append("contact wall: x >= %.3f, restitution = %.2f" % (rng.uniform(-.8, -.2), rng.uniform(.5, .9)))
    if rng.random() < .6:
        lines += ["event pass: y = %.3f rising" % rng.uniform(-.1, .1), "when pass: y' = %.3f*y' + 0.3" % rng.uniform(.3, 1.1)]
    if rng.random() < .6:
        lines.append("every %.3f: u = %.3f*u - %.3f*x" % (rng.uniform(.05, 1), rng.uniform(-.9, .9), rng.uniform(0, 1)))
    if rng.random() < .6:
        force.append("%.3f*sign(sin(%.3f*t))" % (rng.uniform(.1, 1), rng.uniform(1, 9)))
    lines += ["force x = " + " + ".join(force), "dissipation %.3f*y'^2" % rng.uniform(.01, .2), "start x = %.3f, y = %.3f, u = %.3f" % (rng.uniform(.2, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)), "time 0 .. 20"]
    return "\n".join(lines) + "\n"


def random_extremes(b):
    """The extremes of what is drawn are those of a dense table, to a pixel; where a column jumps the table may miss them by what it moves in a row."""
    for seed in range(16):
        if not chosen("random %d" % seed):
            continue
        path = b.model("random.act", random_model(random.Random(seed)))
        dense = b.table(path, "--points", "20001")
        for name in ("x", "y", "x'", "y'", "u"):
            panel = b.panels(path, "--points", "7", "--axes", name)[0]
            column = [row[name.replace("'", "_dot")] for row in dense]
            if not panel.drawn():
                continue
            low, high = extremes(panel.values(panel.drawn()))
            moves = 20 / 20000 * 60 if "'" in name else 0      # an acceleration of 60 at most, for one row
            b.tally.check(-panel.pixel - moves <= low - min(column) <= panel.pixel and -panel.pixel <= high - max(column) <= panel.pixel + moves,
                          "seed %d, %s: drawn %g to %g, in the table %g to %g, a pixel is %g" % (seed, name, low, high, min(column), max(column), panel.pixel))


PARTS = (pendulum_of_an_hour, escapement, bouncing_ball, same_whatever_the_rows, files_stay, nothing_else_is_drawn, held_values_are_stairs, size_is_bounded)


def main():
    program, _ = arguments()
    tally = Tally("pictures")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(program, tally, folder)
        run_parts(PARTS, bench)
        random_extremes(bench)
    tally.done()


if __name__ == "__main__":
    main()

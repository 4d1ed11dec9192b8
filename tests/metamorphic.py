#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same machine described otherwise moves the same: names, order, factors, copies, gauges and the direction of time.

usage: metamorphic.py [--program FILE] [MODEL ...]"""
import math
import os
import random
import re
import tempfile

from program import Tally, arguments, call, chosen, everything, model_name, one_sided, rows, slides

KEYWORDS = "model param let coord state lagrangian force dissipation flow constraint contact event frame symmetry start time observe expect".split()
STATEMENT = re.compile(r"^(%s)\b" % "|".join(KEYWORDS))
WORD = re.compile(r"[^\W\d]\w*", re.UNICODE)
ONE_WAY = ("van-der-pol", "lorenz-ab", "lorenz-aab", "lorenz-aaab", "lorenz-aabb")        # errors shrink by e^1000, of Lorenz by e^15, forth and grow by as much back
TWICE = 3e-9                                               # two motions, each right to 1e-9, and a little


def statements(text):
    """Statements with their continuation lines joined, comments and claims left out."""
    found = []
    for line in text.splitlines():
        line = line.split("#")[0].rstrip()
        if STATEMENT.match(line):
            found.append(line)
        elif line.strip() and found:
            found[-1] += " " + line.strip()
    return [s for s in found if not s.startswith(("expect", "model"))]


def split_list(text):
    """Parts between commas that stand outside of brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts]


def declared(lines, *keywords):
    """Names (without index) that these statements declare."""
    names = []
    for line in lines:
        keyword, _, rest = line.partition(" ")
        if keyword in keywords:
            names += [WORD.match(part).group() for part in (split_list(rest) if keyword != "let" else [rest.strip()])]
    return names


class Constraint:
    """constraint LABEL: LEFT = RIGHT [acting ... | along ...]"""
    def __init__(self, line):
        self.head, rest = line.split(":", 1)
        cut = re.search(r"\b(acting|along)\b", rest)
        self.suffix = rest[cut.start():] if cut else ""
        equation = rest[:cut.start()] if cut else rest
        self.left, self.right = (side.strip() for side in equation.split("=", 1))

    def label(self):
        return re.match(r"constraint\s+(\w+)", self.head).group(1)

    def scaled(self, factor):
        return f"{self.head}: {factor}*({self.left}) = {factor}*({self.right}) {self.suffix}"

    def copy(self):
        label, family = re.match(r"constraint\s+(\w+)(.*)", self.head).groups()
        return f"constraint {label}_again{family}: {self.left} = {self.right}"


# ---- other words for the same machine: each gives (lines, columns left out, factor by column prefix) or None

def renamed(lines):
    names = {name: f"{name}_{i}z" for i, name in enumerate(declared(lines, "param", "coord", "state", "let", "frame"))}
    swap = lambda m: m.group() if m.string[:m.start()].endswith(".") or re.match(r"\s*:", m.string[m.end():]) else names.get(m.group(), m.group())
    return [WORD.sub(swap, line) for line in lines]


def shuffled(lines):
    other = list(lines)
    random.Random(7).shuffle(other)
    return other


def coordinates_turned(lines):
    turned = []
    for line in lines:
        keyword, _, rest = line.partition(" ")
        turned.append(f"{keyword} " + ", ".join(reversed(split_list(rest))) if keyword in ("coord", "state", "start", "param") else line)
    return turned if turned != lines else None


def constraints_scaled(lines):
    other = [Constraint(line).scaled("(-7/3)") if line.startswith("constraint") else line for line in lines]
    return other if other != lines else None


def with_a_copy(lines):
    """A redundant copy of the first ideal constraint."""
    ideal = [Constraint(line) for line in lines if line.startswith("constraint")]
    ideal = [c for c in ideal if not c.suffix]
    return lines + [ideal[0].copy()] if ideal else None


def with_a_gauge(lines):
    """A total time derivative added to the Lagrangian."""
    coords = [c for c in split_list(",".join(line.partition(" ")[2] for line in lines if line.startswith("coord"))) if c and "[" not in c]
    if not coords:
        return None
    f = " + ".join(f"sin(0.3*{c} + 0.1*t)" for c in coords)
    return lines + [f"let gauge_z = {f}", "lagrangian gauge_z'"]


def positions(name):
    return not re.match(r"(lambda|residual|power|energy|charge|balance)\b", name)


def compare(base, other, keep, place):
    """The largest distance of the columns kept, relative to max(1, size); `place` says where a column is in the other and its factor."""
    worst, where = 0.0, ""
    for name in base[0]:
        if not keep(name):
            continue
        there, factor = place(name)
        if there not in other[0]:
            return math.inf, f"no column {there}"
        size = max([1.0] + [abs(row[name]) for row in base if math.isfinite(row[name])])
        for a, b in zip(base, other):
            far = abs(a[name] - b[there] * factor) / size
            if far > worst:
                worst, where = far, f"{name} at t = {a['t']:g}"
    return worst, where


class Subject:
    def __init__(self, program, path, folder):
        self.program, self.path, self.folder, self.one_sided = program, path, folder, one_sided(path)
        with open(path, encoding="utf-8") as file:
            self.lines = statements(file.read())
        self.base = self.run(self.lines)

    def run(self, lines, *options):
        path = os.path.join(self.folder, "m.act")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        self.status, out, self.err = call(self.program, "run", path, "--points", "21", "--quiet", "--no-compile", *options)
        return rows(out) if self.status == 0 else []

    def observed(self):
        return set(declared(self.lines, "observe"))

    def same(self, tally, what, lines, keep=lambda name: True, place=lambda name: (name, 1.0), bound=TWICE):
        if lines is None:
            return
        other = self.run(lines)
        far, where = compare(self.base, other, keep, place) if len(other) == len(self.base) else (math.inf, f"exit {self.status} {self.err.strip()[-300:]}")
        tally.check(far <= bound, f"{what}: {far:.1e} apart ({where})")


def is_rate_of_state(column, lines):
    return "_dot" in column and re.sub(r"_dot(\[\d+\])?$", "", column) in declared(lines, "state")


def there_and_back(s, tally, name):
    """Forward for at most a unit of time, then back: the start again."""
    time = next(line for line in s.lines if line.startswith("time"))
    begin = float(s.base[0]["t"])
    length = min(1.0, abs(float(s.base[-1]["t"]) - begin))
    lines = [line for line in s.lines if line != time]
    forth = s.run(lines, "--time", f"{begin!r}..{begin + length!r}", "--tol", "1e-11")
    if not tally.check(forth, f"{name} forth: exit {s.status} {s.err.strip()[-200:]}"):
        return
    moving = declared(lines, "coord", "state")
    variables = [c for c in forth[0] if re.sub(r"(_dot)?(\[\d+\])?$", "", c) in moving and not is_rate_of_state(c, lines)]
    given = ",".join(f"{c}={forth[-1][c]!r}" for c in variables)
    lines = [line for line in lines if not line.startswith("start")]
    back = s.run(lines, "--time", f"{begin + length!r}..{begin!r}", "--start", given, "--project")
    if not tally.check(back, f"{name} back: exit {s.status} {s.err.strip()[-200:]}"):
        return
    far, where = compare(forth[:1], back[-1:], lambda c: c in variables, lambda c: (c, 1.0))
    tally.check(far <= 1e-7, f"{name} there and back: {far:.1e} apart ({where})")


def check(s, tally, name):
    observed = s.observed()
    plain = lambda column: positions(column) and column not in observed
    ideal = {Constraint(line).label() for line in s.lines if line.startswith("constraint") and "along" not in Constraint(line).suffix}
    multiplier = lambda c: c.startswith("lambda.") and re.sub(r"\[.*", "", c[7:]) in ideal
    values = list(s.base[0])
    new = renamed(s.lines)
    other = s.run(new)
    ordered = dict(zip(values, other[0])) if other else {}
    s.same(tally, name + " renamed", new, place=lambda c: (ordered.get(c, c), 1.0))
    s.same(tally, name + " shuffled", shuffled(s.lines))
    if s.one_sided:                                        # dissipative; the sign of a slip that is not written goes with the order of coordinates
        s.same(tally, name + " with its lists turned", coordinates_turned(s.lines), keep=lambda c: not c.startswith("friction."))
        return
    s.same(tally, name + " with its lists turned", coordinates_turned(s.lines))
    s.same(tally, name + " with scaled constraints", constraints_scaled(s.lines), keep=lambda c: not c.startswith("residual") and c not in observed,
           place=lambda c: (c, -7 / 3 if multiplier(c) else 1.0))
    s.same(tally, name + " with a copy", with_a_copy(s.lines), keep=plain)
    s.same(tally, name + " with a gauge", with_a_gauge(s.lines), keep=plain)
    if name not in ONE_WAY and not slides(s.program, s.path):
        there_and_back(s, tally, name)


def main():
    program, models = arguments()
    tally = Tally("metamorphic")
    with tempfile.TemporaryDirectory() as folder:
        for path in models:
            if not chosen(model_name(path)):
                continue
            s, name = Subject(program, path, folder), os.path.splitext(os.path.basename(path))[0]
            if s.base:                                     # models that make claims about verdicts only have no motion
                check(s, tally, name)
    tally.check(tally.passed + tally.failed >= 200 or len(models) < 40 or not everything(), "fewer than 200 comparisons")
    tally.done()


if __name__ == "__main__":
    main()

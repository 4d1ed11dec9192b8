# SPDX-License-Identifier: Apache-2.0
"""What models give besides motions: verdicts, equations, comparisons, orbits, claims, small motions."""
from __future__ import annotations

import ctypes
import html
import json
import math
import os
import re
from dataclasses import dataclass, field
from typing import Any, Iterator, Sequence

from ._errors import Finding, worded
from ._handles import Call, Owned, text_of
from ._library import lib
from ._result import Picture, Result, axes_text, svg_from


def indented(text: str) -> str:
    return "".join("  %s\n" % line for line in text.splitlines())


# ---- check

class Verdict:
    """The verdict on a model. `print` shows the report of `actio check`.

    >>> import actio
    >>> v = actio.load("disk").check()
    >>> v.verdict, v.ok, v.json["free_data"]
    ('regular', True, 6)
    """

    def __init__(self, name: str, report: Any, status: int, findings: tuple[Finding, ...]) -> None:
        self.name, self.status, self.findings = name, status, findings
        self.verdict = text_of(report.verdict)
        self.text, self.but = text_of(report.text), text_of(report.but)
        self.json: dict[str, Any] = json.loads("{%s}" % text_of(report.json))

    @property
    def ok(self) -> bool:
        """Can the model be run as it is?"""
        return self.status == 0

    @property
    def hidden(self) -> list[str]:
        """Constraints that follow from the equations of motion, as texts."""
        return list(self.json.get("hidden", []))

    @property
    def report(self) -> str:
        good = self.verdict[:1] in ("r", "h")
        but = ", but %s: see below" % self.but if good and self.status and self.but else ""
        said = "".join(str(finding) + "\n" for finding in self.findings)
        return "%s: %s%s\n%s%s" % (self.name, self.verdict, but, indented(self.text), said)

    def __str__(self) -> str:
        return self.report.rstrip("\n")

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        return "<Verdict on %s: %s>" % (self.name, self.verdict)

    def _repr_html_(self) -> str:
        colour = "#177245" if self.ok else "#b22222"
        return "<div><b>%s</b>: <b style='color:%s'>%s</b><pre>%s</pre></div>" % (
            html.escape(self.name), colour, html.escape(self.verdict), html.escape(str(self).partition("\n")[2]))


# ---- derive

class Derivation(str):
    """Equations as text, LaTeX or C: the text itself, and its sections by name.

    >>> import actio
    >>> d = actio.load("pendulum").derive()
    >>> print(d.sections["equations"].strip())
    l^2*a'' = -l*g*sin(a)
    """

    sections: dict[str, str]
    titles: dict[str, str]
    language: str
    latex: str

    def _repr_latex_(self) -> str:
        """For Jupyter: the formulas of the LaTeX form, without the frame of a document."""
        parts = re.findall(r"\\subsection\*\{(.*?)\}\s*\\begin\{align\*\}(.*?)\\end\{align\*\}", self.latex, re.S)
        lines = [r"\textbf{%s}\\ \begin{aligned}%s\end{aligned}" % (title, body) for title, body in parts]
        return "$\\displaystyle\\begin{array}{l}%s\\end{array}$" % r"\\[1ex] ".join(lines)


def derivation(text: str, sections: Sequence[tuple[str, str, str]], form: str, latex: str) -> Derivation:
    made = Derivation(text)
    made.sections = {key: body for key, _, body in sections}
    made.titles = {key: title for key, title, _ in sections}
    made.language, made.latex = form, latex
    return made


def read_derivation(pointer: int) -> tuple[str, list[tuple[str, str, str]]]:
    rows = [lib.actio_derivation_section(pointer, i) for i in range(lib.actio_derivation_sections(pointer))]
    return text_of(lib.actio_derivation_text(pointer)), [(text_of(r.key), text_of(r.title), text_of(r.text)) for r in rows]


# ---- compare

@dataclass(frozen=True)
class Compared:
    """One principle: its largest difference from the reference, its own error estimate, and why."""

    by: str
    status: str
    note: str
    power: str
    difference: float
    error: float
    seconds: float
    sigma: float


class Comparison(Sequence[Compared]):
    """One motion by several principles; the first row is the reference.

    >>> import actio
    >>> c = actio.load("disk").compare(by=["dalembert", "gauss"])
    >>> [row.status for row in c]
    ['reference', 'agrees']
    """

    def __init__(self, owner: Owned, name: str, findings: tuple[Finding, ...]) -> None:
        self._owner, self.name, self.findings = owner, name, findings
        rows = [lib.actio_comparison_row(owner.pointer, i) for i in range(lib.actio_comparison_rows(owner.pointer))]
        self.rows = [Compared(text_of(r.by), text_of(r.status), text_of(r.note), text_of(r.power), r.difference, r.error, r.seconds, r.sigma)
                     for r in rows]
        table = lib.actio_comparison_table(owner.pointer)
        self.result = Result(Owned(table, owner, None)) if table else None

    def __getitem__(self, key: Any) -> Any:
        """By index, or by the principle's name."""
        return next(row for row in self.rows if row.by == key) if isinstance(key, str) else self.rows[key]

    def __len__(self) -> int:
        return len(self.rows)

    def picture(self, *axes: str) -> Picture:
        """The motions over each other."""
        return svg_from(lambda path: self.draw(path, *axes))

    def draw(self, path: str | os.PathLike[str], *axes: str) -> None:
        context = self._owner.context
        with Call(context) as call:
            lib.actio_comparison_overlay(context.pointer, self._owner.pointer, axes_text(axes), os.fsencode(path), call.findings)
        call.settle()

    def __str__(self) -> str:
        widest = max([len(row.by) for row in self.rows], default=0)
        lines = [self.name] + ["  %-*s  %-12s %s%s" % (widest, row.by, row.status, _small(row.difference), "  " + row.note if row.note else "")
                               for row in self.rows]
        return "\n".join(line.rstrip() for line in lines)

    def __repr__(self) -> str:
        return "<Comparison of %s: %s>" % (self.name, ", ".join("%s %s" % (row.by, row.status) for row in self.rows))

    def _repr_html_(self) -> str:
        cells = ((row.by, row.status, _small(row.difference), row.note) for row in self.rows)
        rows = "".join("<tr>%s</tr>" % "".join("<td>%s</td>" % html.escape(cell) for cell in line) for line in cells)
        return "<table><tr><th>by</th><th>status</th><th>difference</th><th></th></tr>%s</table>" % rows


def _small(value: float) -> str:
    return "" if math.isnan(value) else "%.1e" % value


# ---- orbits

@dataclass(frozen=True)
class Multiplier:
    """A Floquet multiplier; `trivial` says why it is 1 ("not explained": within its error), or is None."""

    value: complex
    log_modulus: float
    trivial: str | None


@dataclass(frozen=True)
class BranchPoint:
    param: float
    period: float
    stability: str
    mark: str


@dataclass(frozen=True)
class Orbit:
    """A periodic orbit: a state on it, its period with error, multipliers; `result` is the motion over one period."""

    period: float
    error: float
    residual: float
    word: str
    stability: str
    method: str
    iterations: int
    nodes: int
    point: dict[str, float]
    multipliers: list[Multiplier]
    result: Result | None = field(repr=False, compare=False)


class Orbits(Sequence[Orbit]):
    """Periodic orbits, shortest first.

    >>> import actio
    >>> o = actio.load("van-der-pol-cycle").orbit()
    >>> round(o[0].period, 6), o[0].stability
    (6.663287, 'stable')
    """

    def __init__(self, owner: Owned, name: str, findings: tuple[Finding, ...]) -> None:
        self._owner, self.name, self.findings = owner, name, findings
        pointer = owner.pointer
        self.orbits = [self._orbit(i) for i in range(lib.actio_orbits_count(pointer))]
        points = [lib.actio_orbits_branch_point(pointer, i) for i in range(lib.actio_orbits_branch_points(pointer))]
        self.branch = [BranchPoint(p.param, p.period, text_of(p.stability), text_of(p.mark)) for p in points]
        table = lib.actio_orbits_diagram(pointer)
        self.diagram = Result(Owned(table, owner, None)) if table else None
        self.levels, self.held_period = self._levels()

    def _levels(self) -> tuple[dict[str, float], float]:
        period, value = ctypes.c_double(math.nan), ctypes.c_double()
        count, levels = lib.actio_orbits_levels(self._owner.pointer, ctypes.byref(period)), {}
        for i in range(count):
            name = text_of(lib.actio_orbits_level(self._owner.pointer, i, ctypes.byref(value)))
            levels[name] = value.value
        return levels, period.value if count else math.nan

    def _orbit(self, i: int) -> Orbit:
        pointer = self._owner.pointer
        info, table = lib.actio_orbits_info(pointer, i), lib.actio_orbits_table(pointer, i)
        point = {text_of(lib.actio_orbits_name(pointer, k)): lib.actio_orbits_point(pointer, i, k) for k in range(info.components)}
        rows = [lib.actio_orbits_multiplier(pointer, i, k) for k in range(info.multipliers)]
        multipliers = [Multiplier(complex(m.re, m.im), m.log_modulus, None if m.trivial is None else text_of(m.trivial)) for m in rows]
        return Orbit(info.period, info.error, info.residual, text_of(info.word), text_of(info.stability), text_of(info.method),
                     info.iterations, info.nodes, point, multipliers, Result(Owned(table, self._owner, None)) if table else None)

    def __getitem__(self, key: Any) -> Any:
        return self.orbits[key]

    def __len__(self) -> int:
        return len(self.orbits)

    def draw(self, path: str | os.PathLike[str], *axes: str) -> None:
        """Writes the picture of the branch, or of the first orbit."""
        context = self._owner.context
        with Call(context) as call:
            lib.actio_orbits_plot(context.pointer, self._owner.pointer, axes_text(axes), os.fsencode(path), call.findings)
        call.settle()

    def picture(self, *axes: str) -> Picture:
        return svg_from(lambda path: self.draw(path, *axes))

    def __repr__(self) -> str:
        periods = ", ".join("period %.10g %s" % (orbit.period, orbit.stability) for orbit in self.orbits)
        return "<Orbits of %s: %s>" % (self.name, periods or "%d points of a branch" % len(self.branch))

    def _repr_svg_(self) -> str:
        return str(self.picture())


# ---- claims

@dataclass(frozen=True)
class Claim:
    """An `expect` line: the value found, the value expected. `ok` is None where it was skipped."""

    claim: str
    line: int
    ok: bool | None
    value: float
    expected: float
    bound: float
    why: str

    def __str__(self) -> str:
        word = "skip" if self.ok is None else "ok" if self.ok else "FAILED"
        return "%-6s  %s%s" % (word, self.claim, "  " + self.why if self.why and not self.ok else "")


def read_claims(rows: Any, count: int) -> list[Claim]:
    return [Claim(text_of(row.claim), row.line, None if row.skipped else row.ok, row.value if row.computed else math.nan, row.expected,
                  row.bound, text_of(row.why)) for row in (rows[i] for i in range(count))]


class Claims(Sequence[Claim]):
    """All claims of a model; true when none failed."""

    def __init__(self, claims: list[Claim], findings: tuple[Finding, ...]) -> None:
        self.claims, self.findings = claims, findings

    def __getitem__(self, key: Any) -> Any:
        return self.claims[key]

    def __len__(self) -> int:
        return len(self.claims)

    @property
    def passed(self) -> int:
        return sum(claim.ok is True for claim in self.claims)

    @property
    def failed(self) -> int:
        return sum(claim.ok is False for claim in self.claims)

    @property
    def ok(self) -> bool:
        return not self.failed and not any(finding.kind == "error" for finding in self.findings)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        said = worded(self.findings)
        return "\n".join([*map(str, self.claims), *([said] if said else []), "%d passed, %d failed" % (self.passed, self.failed)])

    def __repr__(self) -> str:
        return "<Claims: %d passed, %d failed>" % (self.passed, self.failed)


# ---- small motions

@dataclass(frozen=True)
class Mode:
    """e^((growth + i omega) t). `shape`: name to number, of a field to a list; empty where none is reported."""

    omega: float
    growth: float
    period: float
    kind: str
    shape: dict[str, Any] = field(default_factory=dict, repr=False)


class Modes(Sequence[Mode]):
    """Small motions about the start: growing ones first, then the lowest. `all` counts also those not reported."""

    def __init__(self, pointer: int, findings: tuple[Finding, ...]) -> None:
        rounding = ctypes.c_double()
        self.findings = findings
        self.all: int = lib.actio_modes_all(pointer, ctypes.byref(rounding))
        self.rounding = rounding.value
        self.modes = [self._mode(pointer, i) for i in range(lib.actio_modes_count(pointer))]

    @staticmethod
    def _mode(pointer: int, i: int) -> Mode:
        info = lib.actio_modes_info(pointer, i)
        shape: dict[str, list[float]] = {}
        for entry in range(lib.actio_modes_entries(pointer)):
            shape.setdefault(text_of(lib.actio_modes_name(pointer, entry)), []).append(lib.actio_modes_shape(pointer, i, entry))
        return Mode(info.omega, info.growth, info.period, text_of(info.kind), {name: v[0] if len(v) == 1 else v for name, v in shape.items()})

    def __getitem__(self, key: Any) -> Any:
        return self.modes[key]

    def __len__(self) -> int:
        return len(self.modes)

    def __iter__(self) -> Iterator[Mode]:
        return iter(self.modes)

    def __repr__(self) -> str:
        return "<Modes: %s>" % ", ".join("omega %.8g %s" % (mode.omega, mode.kind) for mode in self.modes)

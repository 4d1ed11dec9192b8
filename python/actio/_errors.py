# SPDX-License-Identifier: Apache-2.0
"""Findings of the library as Python objects: exceptions for errors, warnings for warnings."""
from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

if TYPE_CHECKING:
    from ._result import Result

KINDS = ("note", "warning", "error")
# As a terminal shows characters: those that would command it get a harmless sign, some take no column, some two.
COMMANDS = ((0, 8), (10, 31), (0x7F, 0x9F), (0x200E, 0x200F), (0x2028, 0x202E), (0x2066, 0x2069), (0xFEFF, 0xFEFF))
NARROW = ((0x300, 0x36F), (0x200B, 0x200D), (0x20D0, 0x20FF), (0xFE00, 0xFE0F))
WIDE = ((0x1100, 0x115F), (0x2E80, 0x303E), (0x3041, 0xA4CF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFE30, 0xFE6F),
        (0xFF00, 0xFF60), (0xFFE0, 0xFFE6), (0x1F300, 0x1FAFF), (0x20000, 0x3FFFD))


def _within(sign: str, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(first <= ord(sign) <= last for first, last in ranges)


def shown(text: str) -> str:
    return "".join("\ufffd" if _within(sign, COMMANDS) else sign for sign in text)


def width(text: str) -> int:
    return sum(0 if _within(sign, NARROW) else 2 if _within(sign, WIDE) else 1 for sign in shown(text))


class Finding(NamedTuple):
    """One message of the library: what is wrong, where, and what to write.

    `str(finding)` is what the command line prints. `line` is 0 where the finding does not have a place."""

    kind: str
    message: str
    hint: str = ""
    code: str = ""
    status: int = 0
    file: str | None = None
    line: int = 0
    column: int = 0
    length: int = 0
    quote: str | None = None
    skipped: int = 0

    def _caret(self) -> str:
        quote = self.quote or ""
        place = max(self.column - self.skipped - 1, 0)
        before, marked = quote[:place], quote[place:place + self.length].split("\t")[0]
        blanks = "".join("\t" if sign == "\t" else " " * width(sign) for sign in before)
        return blanks + "^" + "~" * (width(marked) - 1)

    def __str__(self) -> str:
        place = ":%d:%d" % (self.line, self.column) if self.line else ""
        lines = ["%s%s: %s: %s" % (shown("actio" if self.file is None else self.file), place, self.kind, shown(self.message))]
        if self.quote is not None and self.line:
            lines += ["  " + shown(self.quote), "  " + self._caret()]
        if self.hint:
            lines.append("  hint: " + shown(self.hint))
        return "\n".join(lines)


def worded(findings: Sequence[Finding], dropped: int = 0) -> str:
    """Findings as the command line prints them; warnings have been given elsewhere."""
    texts = [str(finding) for finding in findings if finding.kind != "warning"]
    return "\n".join(texts + (["actio: and %d more errors" % dropped] if dropped else []))


class _Said:
    """What errors and interruptions have in common."""

    findings: tuple[Finding, ...]
    status: int
    dropped: int
    result: Any

    def __init__(self, findings: Sequence[Finding] = (), status: int = 0, dropped: int = 0, result: Any = None) -> None:
        super().__init__(worded(findings, dropped))  # type: ignore[call-arg]
        self.findings, self.status, self.dropped, self.result = tuple(findings), status, dropped, result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.findings, self.status, self.dropped, self.result)

    def __str__(self) -> str:
        return worded(self.findings, self.dropped)

    @property
    def first(self) -> Finding:
        """The first error."""
        errors = [finding for finding in self.findings if finding.kind == "error"]
        return (errors or list(self.findings) or [Finding("error", "unknown error")])[0]

    @property
    def line(self) -> int:
        return self.first.line

    @property
    def column(self) -> int:
        return self.first.column

    @property
    def hint(self) -> str:
        return self.first.hint

    @property
    def code(self) -> str:
        return self.first.code


class Error(_Said, Exception):
    """Base of all errors of the library.

    `findings` has every message, `status` the exit status of the command line, `result` the rows that hold, or None.

    >>> import actio
    >>> try:
    ...     actio.model("coord x\\nlagrangian x'^2/2 - k*x^2/2")
    ... except actio.ModelError as e:
    ...     print(e)
    model:2:21: error: unknown name 'k'
      lagrangian x'^2/2 - k*x^2/2
                          ^
      hint: declare it with param, let, coord or state
    """


class ModelError(Error, ValueError):
    """The model or its data are wrong or inconsistent (exit status 1)."""


class UsageError(Error, ValueError):
    """An argument is wrong (exit status 2)."""


class NumericsError(Error, ArithmeticError):
    """The computation failed (exit status 3). `result` has the rows up to then, where there are some."""

    result: Result | None


class LimitError(Error):
    """A limit of memory or time was reached (exit status 4)."""


class FileError(Error, OSError):
    """A file can't be read or written (exit status 5)."""


class Interrupted(_Said, KeyboardInterrupt):
    """Ctrl-C stopped the work. `result` has the rows that were finished, or None."""


class ActioWarning(UserWarning):
    """A warning of the library. `finding` has its place."""

    def __init__(self, finding: Finding | str) -> None:
        super().__init__(str(finding))
        self.finding = finding


CLASSES: dict[int, type[Error]] = {1: ModelError, 2: UsageError, 3: NumericsError, 4: LimitError, 5: FileError}


def wrong_usage(message: str, hint: str = "") -> UsageError:
    return UsageError([Finding("error", message, hint, "WRONG_USAGE", 2)], 2)


def raised(findings: Sequence[Finding], status: int, dropped: int, result: Any) -> Error | Interrupted:
    """The exception for these findings."""
    if status >= 128:
        return Interrupted(findings, status, dropped, result)
    return CLASSES.get(status, Error)(findings, status, dropped, result)


def _outside() -> int:
    """How many frames the caller's code is away."""
    package, depth, frame = __name__.rpartition(".")[0], 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, depth = frame.f_back, depth + 1
    return depth


def warn(findings: Sequence[Finding]) -> None:
    for finding in findings:
        if finding.kind == "warning":
            warnings.warn(ActioWarning(finding), stacklevel=_outside())

# SPDX-License-Identifier: Apache-2.0
"""A bar on standard error for long runs: `m.run(progress=True)`."""
from __future__ import annotations

import sys
import time
from typing import Any

from ._errors import wrong_usage
from ._handles import Progress


class Bar:
    """Shows a line at most ten times a second, and removes it at the end."""

    WIDTH = 30

    def __init__(self, stream: Any = None) -> None:
        self.stream, self.last, self.shown = stream or sys.stderr, -1.0, 0

    def __call__(self, what: str, done: float, of: float) -> None:
        now = time.monotonic()
        if now < self.last + .1 or not of > 0:
            return
        self.last = now
        part = min(max(done / of, 0.0), 1.0)
        text = "%s: %3.0f%%|%-*s|" % (what, 100 * part, self.WIDTH, "#" * round(self.WIDTH * part))
        self.stream.write("\r" + text.ljust(self.shown))
        self.stream.flush()
        self.shown = len(text)

    def close(self) -> None:
        if self.shown:
            self.stream.write("\r" + " " * self.shown + "\r")
            self.stream.flush()


def progress_of(given: Any) -> Progress | None:
    """True: a bar. A function: it is called with what is done, how much, and of how much."""
    if given is None or given is False:
        return None
    if given is True:
        return Bar()
    if not callable(given):
        raise wrong_usage("progress: %r is neither True nor a function" % (given,))
    called: Progress = given
    return called


def finish(progress: Progress | None) -> None:
    if isinstance(progress, Bar):
        progress.close()

# SPDX-License-Identifier: Apache-2.0
"""Objects of the library: who owns whom, one thread at a time, and calls with findings."""
from __future__ import annotations

import ctypes
import re
import threading
from typing import Any, Callable, Sequence

from . import _abi
from ._errors import KINDS, Finding, raised, warn, worded, wrong_usage
from ._interrupt import watch
from ._library import lib

Progress = Callable[[str, float, float], None]


def text_of(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace")


class Owned:
    """A pointer that is freed after everything that depends on it, whatever the order in which Python forgets."""

    __slots__ = ("pointer", "parent", "context", "free", "children", "dead", "kept", "__weakref__")

    def __init__(self, pointer: int, parent: Owned | None, free: Callable[[int], None] | None) -> None:
        self.pointer: int | None = pointer
        self.parent, self.free, self.children, self.dead = parent, free, 0, False
        self.kept: list[Any] = []                           # what the library points to
        if parent is not None:
            self.context: Context = parent if isinstance(parent, Context) else parent.context
            parent.children += 1

    def __del__(self) -> None:
        context = self if isinstance(self, Context) else getattr(self, "context", None)
        if context is not None:
            context.forget(self)

    def release(self) -> None:
        """Called with the context's lock."""
        self.dead = True
        node: Owned | None = self
        while node is not None and node.dead and node.children == 0 and node.pointer is not None:
            pointer, node.pointer = node.pointer, None
            if node.free is not None:
                node.free(pointer)
            node = node.parent
            if node is not None:
                node.children -= 1


class Context(Owned):
    """Limits, cancellation, progress and memory of the library. One call at a time uses it; others wait."""

    __slots__ = ("lock", "pending", "cancel", "failure", "spent", "owner", "_callback")

    def __init__(self, memory: int = 0, seconds: float = 0.0, progress: Progress | None = None) -> None:
        self.lock, self.cancel = threading.Lock(), ctypes.c_int(0)
        self.pending: list[Owned] = []
        self.failure: BaseException | None = None
        self.spent, self.owner = False, 0
        limits = _abi.Limits(memory, seconds, ctypes.addressof(self.cancel))
        if progress is not None:
            self._callback = _abi.actio_progress_callback(self._guarded(progress))
            limits.progress = self._callback
        pointer = lib.actio_context_create(ctypes.byref(limits))
        if not pointer:
            raise MemoryError("actio: the context can't be created")
        super().__init__(pointer, None, lib.actio_context_free)

    def _guarded(self, progress: Progress) -> Callable[..., None]:
        """An exception in the callback stops the work, and is raised after it."""
        def called(_: Any, what: bytes, done: float, of: float) -> None:
            try:
                if self.failure is None:
                    progress(text_of(what), done, of)
            except BaseException as trouble:
                self.failure, self.cancel.value = trouble, 1
        return called

    def forget(self, node: Owned) -> None:
        """Frees a pointer now, or when the call that uses the context ends."""
        if not self.lock.acquire(blocking=False):
            self.pending.append(node)
            if not self.lock.acquire(blocking=False):       # the holder may have left in between
                return
            self.drain()
        else:
            node.release()
            self.drain()
        self.lock.release()

    def drain(self) -> None:
        while self.pending:
            self.pending.pop(0).release()

    def enter(self) -> None:
        """Begins a short use of the context, without Ctrl-C and findings."""
        self.check_owner()
        self.lock.acquire()
        self.owner, self.failure = threading.get_ident(), None

    def check_owner(self) -> None:
        if self.owner == threading.get_ident():
            raise wrong_usage("this model is computing", "use a model of its own inside of a callback")

    def leave(self) -> None:
        """Ends the use of the context, also of what others wanted to free meanwhile."""
        self.drain()
        self.owner = 0
        self.lock.release()
        if self.pending and self.lock.acquire(blocking=False):
            self.drain()
            self.lock.release()


class Call:
    """One call: the lock, findings, Ctrl-C. `with Call(context) as call: p = lib.f(..., call.findings)`"""

    __slots__ = ("context", "findings", "armed", "messages", "status", "dropped", "heard")

    def __init__(self, context: Context) -> None:
        self.context = context
        self.messages: tuple[Finding, ...] = ()
        self.status = self.dropped = 0
        self.heard = False

    def __enter__(self) -> Call:
        context = self.context
        context.check_owner()
        self.armed = watch.arm()
        try:
            while not context.lock.acquire(timeout=.1 if self.armed else -1):
                if watch.heard:
                    raise KeyboardInterrupt
        except BaseException:
            if self.armed:
                watch.disarm()
            raise
        context.owner, context.cancel.value, context.failure = threading.get_ident(), 0, None
        if self.armed:
            watch.cancels.append(context.cancel)
        self.findings = lib.actio_findings_create(context.pointer)
        if not self.findings:
            self.__exit__()
            raise MemoryError("actio: not enough memory for findings")
        return self

    def __exit__(self, *_: Any) -> None:
        context = self.context
        self.status = lib.actio_findings_status(self.findings)
        if lib.actio_findings_count(self.findings):
            self.messages, self.dropped = said(self.findings), lib.actio_findings_dropped(self.findings)
        lib.actio_findings_free(self.findings)
        context.spent = context.spent or context.cancel.value != 0
        if self.armed:
            watch.cancels.remove(context.cancel)
        context.leave()
        if self.armed:
            self.heard = watch.disarm()

    def settle(self, result: Any = None, check: bool = True) -> None:
        """Warns; raises what was found. With check=False errors that leave a result are not raised."""
        failure, self.context.failure = self.context.failure, None
        if failure is not None and (self.status or self.context.cancel.value):      # or a force was tried beside its domain only
            if result is None or self.context.cancel.value or not isinstance(failure, Exception):
                raise failure
            raise raised(self.messages, self.status, self.dropped, result) from failure
        if self.messages:
            warn(self.messages)
        if self.heard:
            raise raised(self.messages, 130, self.dropped, result)
        if self.status and (check or result is None):
            raise raised(self.messages, self.status, self.dropped, result)

    def message(self) -> str:
        return worded(self.messages, self.dropped)


def said(findings: int) -> tuple[Finding, ...]:
    return tuple(_finding(lib.actio_findings_message(findings, i)) for i in range(lib.actio_findings_count(findings)))


# What functions of the library that stand in messages are in this package.
CALLS = {"actio_integrator_create": "Model.integrator()", "actio_integrator_set_state": "Integrator.set_state()",
         "actio_integrator_restore": "Integrator.restore()", "actio_integrator_save": "Integrator.save()",
         "actio_flow_project": "Flow.project()", "actio_model_bind": "Model.bind()", "actio_run": "Model.run()"}


def _in_python(text: str) -> str:
    return re.sub(r"\bactio_\w+", lambda found: CALLS.get(found.group(), found.group()), text)


def _finding(m: Any) -> Finding:
    return Finding(KINDS[m.kind], _in_python(text_of(m.message)), _in_python(text_of(m.hint)), text_of(m.code), m.status,
                   None if m.file is None else text_of(m.file), m.line, m.column, m.length,
                   None if m.quote is None else text_of(m.quote), m.quote_skipped)


def addresses(names: Sequence[str]) -> Any:
    """A C array of texts."""
    return (ctypes.c_char_p * max(len(names), 1))(*[name.encode() for name in names])

# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while the library computes.

Python runs signal handlers between its own instructions, and the library's call is one of them. A thread therefore
reads the signals' numbers from a pipe (signal.set_wakeup_fd) and sets the `cancel` of the call. It is started by the
first call in the main thread, and sleeps. Handlers other than Python's own are left as they are."""
from __future__ import annotations

import ctypes
import os
import threading
from typing import Any

signal: Any = __import__("_signal")                         # CPython's functions without the cost of enumerations

MARK = 0


class Watch:
    def __init__(self) -> None:
        self.cancels: list[ctypes.c_int] = []
        self.heard = False
        self.main = threading.main_thread().ident
        self.reader = self.writer = -1
        self.marked = threading.Event()
        self.kept: list[tuple[Any, int]] = []

    def start(self) -> None:
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.writer, False)
        threading.Thread(target=self.listen, args=(self.reader,), name="actio-interrupt", daemon=True).start()

    def forget(self) -> None:
        """In a forked child: the thread stayed behind."""
        if self.writer >= 0:
            os.close(self.reader)
            os.close(self.writer)
        self.__init__()  # type: ignore[misc]

    def listen(self, reader: int) -> None:
        while True:
            numbers = os.read(reader, 64)
            if signal.SIGINT in numbers:
                self.stop()
            self.forward(bytes(number for number in numbers if number != MARK))
            if MARK in numbers:
                self.marked.set()

    def forward(self, numbers: bytes) -> None:
        """An event loop may wait for them."""
        before = self.kept[0][1] if self.kept else -1
        if before >= 0 and numbers:
            try:
                os.write(before, numbers)
            except OSError:
                pass

    def stop(self) -> None:
        for cancel in self.cancels:
            cancel.value = signal.SIGINT

    def on_signal(self, *_: Any) -> None:
        self.heard = True
        self.stop()

    def arm(self) -> bool:
        """Takes over SIGINT, if Python's own handler has it and this is the main thread."""
        if threading.get_ident() != self.main:
            return False
        if signal.getsignal(signal.SIGINT) not in (signal.default_int_handler, self.on_signal):
            return False
        if self.writer < 0:
            self.start()
        self.heard = self.heard and bool(self.kept)
        handler = signal.signal(signal.SIGINT, self.on_signal)
        self.kept.append((handler, signal.set_wakeup_fd(self.writer, warn_on_full_buffer=False)))
        return True

    def disarm(self) -> bool:
        """Gives it back; whether Ctrl-C was heard meanwhile."""
        handler, before = self.kept[-1]
        signal.set_wakeup_fd(before)
        if self.heard:                                      # what the thread has not read yet must not stop the next call
            self.marked.clear()
            os.write(self.writer, bytes([MARK]))
            self.marked.wait(10)
        self.kept.pop()
        signal.signal(signal.SIGINT, handler)               # the last: from here on Python may raise
        return self.heard


watch = Watch()
os.register_at_fork(after_in_child=watch.forget)

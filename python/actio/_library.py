# SPDX-License-Identifier: Apache-2.0
"""Finds and opens libactio. Functions are declared when they are first used."""
from __future__ import annotations

import ctypes
import os
from typing import Any

from . import _abi

HERE = os.path.dirname(os.path.abspath(__file__))


class Library:
    """The shared library: `lib.actio_run(...)` has the types of the header."""

    def __init__(self, path: str, handle: ctypes.CDLL) -> None:
        self.path, self._handle = path, handle

    def __getattr__(self, name: str) -> Any:
        if name not in _abi.FUNCTIONS:
            raise AttributeError(name)
        function = getattr(self._handle, name)
        function.restype, function.argtypes = _abi.FUNCTIONS[name]
        setattr(self, name, function)
        return function


def places() -> list[str]:
    """Where the library may be, in order: ACTIO_LIBRARY, this package, the built tree around it, lib/ of an installed
    tree, the system."""
    given = os.environ.get("ACTIO_LIBRARY")
    if given:
        return [given]
    up = os.pardir
    beside = [os.path.join(HERE, "libactio.so"), os.path.join(HERE, up, up, "build", "libactio.so"), os.path.join(HERE, up, up, up, _abi.SONAME)]
    return [os.path.normpath(path) for path in beside] + [_abi.SONAME]


def opened(path: str) -> Library:
    if os.sep in path and not os.path.exists(path):
        raise OSError("no such file")
    library = Library(path, ctypes.CDLL(path))
    version = library.actio_version().decode()
    if version != _abi.VERSION:
        raise OSError("it is version %s, and this package needs %s" % (version, _abi.VERSION))
    return library


def load() -> Library:
    tried = []
    for path in places():
        try:
            return opened(path)
        except (OSError, AttributeError) as trouble:
            tried.append("  %s: %s" % (path, trouble))
    raise ImportError("actio: can't open the library of version %s. Tried:\n%s\nBuild it with `make`, install it with "
                      "`make install`, or name it in ACTIO_LIBRARY." % (_abi.VERSION, "\n".join(tried)))


lib: Any = load()

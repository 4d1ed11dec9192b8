# SPDX-License-Identifier: Apache-2.0
"""Forces that Python gives: `force x = external("motor")`, and a function bound to "motor"."""
from __future__ import annotations

import ctypes
from typing import Any, Callable

import numpy as np

from . import _abi
from ._errors import wrong_usage
from ._handles import Call, Context, Owned, text_of
from ._library import lib

Force = Callable[[float, Any], float]
Slopes = Callable[[float, Any], Any]


def array_at(address: int, size: int) -> Any:
    memory: Any = (ctypes.c_double * size).from_address(address)
    return np.frombuffer(memory, dtype=float)


def callback_of(context: Context, force: Force, slopes: Slopes | None) -> Any:
    """The function as the library calls it. An exception ends the motion, and is raised after the call."""
    def called(_: Any, t: float, y: int, size: int, value: int, dt: int | None, dy: int | None) -> int:
        try:
            state = array_at(y, size).copy()
            array_at(value, 1)[0] = force(t, state)
            if dy and slopes is not None:
                by_time, by_state = slopes(t, state)
                if dt:
                    array_at(dt, 1)[0] = by_time
                array_at(dy, size)[:] = by_state
            return 0
        except BaseException as trouble:
            context.failure = trouble
            return 1
    return _abi.actio_external_callback(called)


def bind(model: Owned, name: str, force: Force, slopes: Slopes | None) -> None:
    """Binds, and keeps the callback as long as the model."""
    if not callable(force) or not (slopes is None or callable(slopes)):
        raise wrong_usage("bind: %r is not a function of (t, y)" % (force if not callable(force) else slopes,))
    callback = callback_of(model.context, force, slopes)
    with Call(model.context) as call:
        lib.actio_model_bind(model.pointer, str(name).encode(), callback, slopes is not None, None, call.findings)
    call.settle()
    model.kept.append(callback)


def externals_of(pointer: int) -> dict[str, bool]:
    bound, found = ctypes.c_bool(), {}
    for i in range(lib.actio_model_externals(pointer)):
        name = text_of(lib.actio_model_external(pointer, i, ctypes.byref(bound)))
        found[name] = bound.value
    return found

# SPDX-License-Identifier: Apache-2.0
"""A motion step by step: go to a time, look at the state, go on."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ._errors import Finding, wrong_usage
from ._flow import Flow
from ._handles import Call, Owned
from ._library import lib
from ._numbers import variables_of
from ._options import Request
from ._result import Array, Event, read_events


class Integrator:
    """A motion that goes to the times that it is sent to. `m.integrator()` makes it.

    >>> import actio
    >>> i = actio.load("pendulum").integrator(local=1e-10)
    >>> saved = i.save()
    >>> first = i.to(1.0)
    >>> i.restore(saved)
    >>> bool((i.to(1.0) == first).all())
    True

    `t`, `y` and `i["x"]` are the present state, `held` has the held values, `events` what happened during the last call. The tolerance is local; the
    global error is not estimated."""

    def __init__(self, model: Owned, request: Request) -> None:
        with Call(model.context) as call:
            pointer = lib.actio_integrator_create(model.context.pointer, model.pointer, ctypes.byref(request.run), call.findings)
            owner = Owned(pointer, model, lib.actio_integrator_free) if pointer else None
        call.settle(owner)
        assert owner is not None
        self._owner, self._request, self.findings = owner, request, call.messages
        self.size: int = lib.actio_integrator_state(pointer, None)
        variables = variables_of(model.pointer or 0)
        self.names = [one.name for one in variables] if len(variables) == self.size else Flow(model).names

    def _call(self, function: Any, *arguments: Any) -> tuple[Finding, ...]:
        with Call(self._owner.context) as call:
            status = function(self._owner.pointer, *arguments, call.findings)
        call.status = call.status or status
        call.settle()
        return call.messages

    def to(self, t: float) -> Array:
        """Goes to a time, forward or backward, and gives the state there."""
        self.findings = self._call(lib.actio_integrator_to, float(t))
        return self.y

    @property
    def t(self) -> float:
        return float(lib.actio_integrator_time(self._owner.pointer))

    @property
    def y(self) -> Array:
        """The present state, a copy: coordinates, velocities, states."""
        state = np.empty(self.size)
        lib.actio_integrator_state(self._owner.pointer, state.ctypes.data)
        return state

    @property
    def held(self) -> dict[str, float]:
        """The present values of what the model declares as `held`."""
        count = lib.actio_integrator_held(self._owner.pointer, None)
        values = np.empty(count)
        lib.actio_integrator_held(self._owner.pointer, values.ctypes.data)
        names = [lib.actio_integrator_held_name(self._owner.pointer, k).decode() for k in range(count)]
        return {name: float(value) for name, value in zip(names, values)}

    def __getitem__(self, name: str) -> float:
        held = self.held
        if name in held:
            return held[name]
        key = name[:-1] + "_dot" if name.endswith("'") else name
        if key not in self.names:
            raise KeyError("%r is not a variable of the state" % (name,))
        return float(self.y[self.names.index(key)])

    def set_state(self, t: float, y: Any) -> None:
        """Another time and state, which must satisfy the constraints."""
        state = np.ascontiguousarray(y, dtype=float)
        if state.shape != (self.size,):
            raise wrong_usage("the state has %d numbers; found an array of shape %r" % (self.size, state.shape))
        self._call(lib.actio_integrator_set_state, float(t), state.ctypes.data)

    @property
    def events(self) -> list[Event]:
        """What happened during the last call."""
        table = lib.actio_integrator_events(self._owner.pointer)
        return read_events(table) if table else []

    def save(self) -> bytes:
        """State, switches and contacts; restored, the motion goes on bit for bit."""
        size = lib.actio_integrator_save(self._owner.pointer, None, 0)
        room = ctypes.create_string_buffer(size)
        lib.actio_integrator_save(self._owner.pointer, room, size)
        return room.raw[:size]

    def restore(self, saved: bytes) -> None:
        if not isinstance(saved, (bytes, bytearray)):
            raise wrong_usage("restore takes the bytes of save; found %r" % type(saved).__name__)
        self._call(lib.actio_integrator_restore, bytes(saved), len(saved))

    def __repr__(self) -> str:
        return "<Integrator at t = %.6g>" % self.t

# SPDX-License-Identifier: Apache-2.0
"""The equations of motion as a function of (t, y), for other integrators."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._errors import wrong_usage
from ._handles import Call, Owned, text_of
from ._library import lib
from ._result import Array


class Flow:
    """y' = f(t, y): call it, or pass it to scipy.integrate.solve_ivp.

    >>> import actio, numpy as np
    >>> f = actio.load("pendulum").rhs
    >>> f.names
    ['a', 'a_dot']
    >>> bool(f(0, [0, 1])[0] == 1)
    True
    >>> np.allclose(f.jacobian(0, f.y0) @ [1, 0], f.jvp(0, f.y0, [1, 0]))
    True

    y has the coordinates, their velocities and the states; `y0` and `t0` are the start. Values are NaN where f does not
    have any. Contacts are left out. `jac` is `jacobian` under the name that solve_ivp has for it."""

    def __init__(self, model: Owned, by: str | None = None) -> None:
        if by is not None and not isinstance(by, str):
            raise wrong_usage("by: %r is not a principle" % (by,))
        with Call(model.context) as call:
            pointer = lib.actio_flow_create(model.context.pointer, model.pointer, by.encode() if by else None, call.findings)
            owner = Owned(pointer, model, lib.actio_flow_free) if pointer else None
        call.settle(owner)
        assert owner is not None
        self._owner, self.findings = owner, call.messages
        self.size: int = lib.actio_flow_size(pointer)
        self.names = [text_of(lib.actio_flow_name(pointer, i)) for i in range(self.size)]
        self.multiplier_names = [text_of(lib.actio_flow_multiplier_name(pointer, k)) for k in range(lib.actio_flow_multipliers(pointer))]
        self.differentiable: bool = lib.actio_flow_differentiable(pointer)
        start = np.empty(self.size)
        self.t0: float = lib.actio_flow_start(pointer, start.ctypes.data)
        start.flags.writeable = False
        self.y0: Array = start

    def _state(self, y: Any) -> Array:
        state = np.ascontiguousarray(y, dtype=float)
        if state.shape != (self.size,):
            raise wrong_usage("the state has %d numbers; found an array of shape %r" % (self.size, state.shape))
        return state

    def _numbers(self, function: Any, t: float, out: Array, *states: Array) -> Array:
        context = self._owner.context
        context.enter()
        try:
            status = function(self._owner.pointer, t, *[state.ctypes.data for state in states], out.ctypes.data)
        finally:
            context.leave()
        if context.failure is not None:
            raise context.failure
        if status == 2:
            raise wrong_usage("the equations of this model do not have derivatives in this version", "see rhs.differentiable")
        if status:
            out[...] = math.nan
        return out

    def __call__(self, t: float, y: Any) -> Array:
        return self._numbers(lib.actio_flow_rhs, t, np.empty(self.size), self._state(y))

    def jvp(self, t: float, y: Any, v: Any) -> Array:
        """(df/dy) v, exact."""
        return self._numbers(lib.actio_flow_jvp, t, np.empty(self.size), self._state(y), self._state(v))

    def jacobian(self, t: float, y: Any) -> Array:
        """df/dy, exact."""
        return self._numbers(lib.actio_flow_jacobian, t, np.empty((self.size, self.size)), self._state(y))

    jac = jacobian

    def multipliers(self, t: float, y: Any) -> dict[str, float]:
        """Multipliers of the constraints at a state, by name."""
        out = self._numbers(lib.actio_flow_multiplier_values, t, np.empty(len(self.multiplier_names)), self._state(y))
        return dict(zip(self.multiplier_names, out.tolist()))

    def project(self, t: float, y: Any) -> Array:
        """The nearest state on the constraints; NaN where there is none."""
        state = np.array(self._state(y))
        return self._numbers(lib.actio_flow_project, t, state)

    def __repr__(self) -> str:
        return "<Flow: y' = f(t, y) of %s>" % ", ".join(self.names[:8] + ["..."] * (self.size > 8))

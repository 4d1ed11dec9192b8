# SPDX-License-Identifier: Apache-2.0
"""The doubled and the dual action as functions of their unknowns, for any solver."""
from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from . import _abi
from ._errors import wrong_usage
from ._handles import Call, Owned, text_of
from ._library import lib
from ._options import Request
from ._result import Array, view


def whole(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise wrong_usage("%s: %r is not a whole number" % (where, value))
    return int(value)


class Stationary:
    """What both actions have: value, gradient, Hessian, named slices of the unknowns, Newton's method."""

    PREFIX = ""
    _owner: Owned

    def _call(self, verb: str, *arguments: Any) -> Any:
        return getattr(lib, self.PREFIX + verb)(self._owner.pointer, *arguments)

    def _describe(self) -> None:
        self.size: int = self._call("size")
        slices = ctypes.POINTER(_abi.ActionSlice)()
        count = self._call("slices", ctypes.byref(slices))
        self.slices: dict[str, slice] = {}
        for row in slices[:count]:
            self.slices[text_of(row.name)] = slice(row.first, row.first + row.count * row.stride, row.stride)
        self.times: Array = self._array("times")
        rows, cols = ctypes.c_void_p(), ctypes.c_void_p()
        entries = self._call("pattern", ctypes.byref(rows), ctypes.byref(cols))
        self.rows = view(rows.value or 0, (entries,), self._owner, ctypes.c_uint32)
        self.cols = view(cols.value or 0, (entries,), self._owner, ctypes.c_uint32)

    def _array(self, verb: str) -> Array:
        address = ctypes.c_void_p()
        count = self._call(verb, ctypes.byref(address))
        array: Array = view(address.value or 0, (count,), self._owner)
        return array

    def _point(self, x: Any) -> Array:
        point = np.ascontiguousarray(x, dtype=float)
        if point.shape != (self.size,):
            raise wrong_usage("the action has %d unknowns; found an array of shape %r" % (self.size, point.shape))
        return point

    def _locked(self, verb: str, *arguments: Any) -> int:
        """A short call: one thread at a time."""
        context = self._owner.context
        context.enter()
        try:
            return int(self._call(verb, *arguments))
        finally:
            context.leave()

    def _numbers(self, verb: str, x: Any, count: int, *more: Any) -> Array:
        """NaN where a formula does not have a finite value, or the dual action is undefined."""
        point, out = self._point(x), np.empty(count)
        if self._locked(verb, point.ctypes.data, out.ctypes.data, *more):
            out[:] = math.nan
        return out

    def value(self, x: Any) -> float:
        """S(x); NaN where it is undefined."""
        return float(self._numbers("value", x, 1)[0])

    def gradient(self, x: Any) -> Array:
        return self._numbers("gradient", x, self.size)

    def hessian_values(self, x: Any) -> Array:
        """The entries of the Hessian at (rows, cols)."""
        return self._numbers("hessian", x, len(self.rows))

    def hessian(self, x: Any) -> Any:
        """The Hessian as a scipy.sparse matrix."""
        from scipy import sparse
        return sparse.csr_matrix((self.hessian_values(x), (self.rows, self.cols)), shape=(self.size, self.size))

    def solve(self, x: Any = None) -> Array:
        """From x, or from the guess, to the critical point by the library's own Newton steps."""
        point = self.guess() if x is None else np.array(self._point(x))
        with Call(self._owner.context) as call:
            status = self._call("solve", point.ctypes.data, call.findings)
        call.status = call.status or status
        call.settle()
        return point

    def guess(self) -> Array:
        raise NotImplementedError

    def part(self, x: Any, name: str) -> Array:
        """A named part of the unknowns: `a.part(x, "q+ x")`."""
        if name not in self.slices:
            raise wrong_usage("%r is not a slice; slices are %s" % (name, ", ".join(self.slices)))
        part: Array = self._point(x)[self.slices[name]]
        return part

    def __repr__(self) -> str:
        return "<%s: %d unknowns, %d entries of the Hessian>" % (type(self).__name__, self.size, len(self.rows))


class Action(Stationary):
    """The doubled action on a grid of equal steps. Its critical point is the motion, with all differences 0.

    >>> import actio
    >>> a = actio.load("pendulum").action(grid=32, order=4, time=(0, 1))
    >>> x = a.solve()
    >>> float(abs(a.gradient(x)).max()) < 1e-9
    True
    """

    PREFIX = "actio_action_"

    def __init__(self, model: Owned, grid: int, order: int, form: str | None, sigma: float, barrier: float) -> None:
        given = _abi.ActionOptions(whole(grid, "grid"), whole(order, "order"), form.encode() if form else None, sigma, barrier)
        with Call(model.context) as call:
            pointer = lib.actio_action_create(model.context.pointer, model.pointer, ctypes.byref(given), call.findings)
            owner = Owned(pointer, model, lib.actio_action_free) if pointer else None
        call.settle(owner)
        assert owner is not None
        self._owner, self.findings = owner, call.messages
        self._describe()

    def guess(self) -> Array:
        """A straight line from the start, everything else 0."""
        x = np.empty(self.size)
        self._call("guess", x.ctypes.data)
        return x


class DualAction(Stationary):
    """The dual action of one slab. Where its gradient is 0, its state is the motion.

    >>> import actio
    >>> a = actio.load("lorenz", time=(0, .1)).dual_action(grid=16, order=4, base={"x": 1, "y": 1, "z": 1})
    >>> z = a.solve()
    >>> [round(float(u), 6) for u in a.ends(z)[-1]]
    [2.133108, 4.47142, 1.113899]
    """

    PREFIX = "actio_dual_action_"

    def __init__(self, model: Owned, grid: int, order: int, nodes: int, request: Request) -> None:
        run = request.run
        given = _abi.DualActionOptions(whole(grid, "grid"), whole(order, "order"), whole(nodes, "nodes"), run.closure, run.power, run.base,
                                       run.slack, run.multipliers)
        with Call(model.context) as call:
            pointer = lib.actio_dual_action_create(model.context.pointer, model.pointer, ctypes.byref(given), call.findings)
            owner = Owned(pointer, model, lib.actio_dual_action_free) if pointer else None
        call.settle(owner)
        assert owner is not None
        self._owner, self.findings = owner, call.messages
        self.elements = given.grid or 32
        self._describe()
        self._describe_state()

    def _describe_state(self) -> None:
        times, weights = ctypes.c_void_p(), ctypes.c_void_p()
        count = self._call("points", ctypes.byref(times), ctypes.byref(weights))
        self.points = view(times.value or 0, (count,), self._owner)
        self.weights = view(weights.value or 0, (count,), self._owner)
        names, differential = ctypes.POINTER(ctypes.c_char_p)(), ctypes.c_size_t()
        total = self._call("names", ctypes.byref(names), ctypes.byref(differential))
        self.names = [text_of(name) for name in names[:total]]
        self.differential = differential.value

    def state(self, z: Any) -> Array:
        """U at the quadrature points: a row for each of `points`, a column for each of `names`."""
        return self._numbers("state", z, len(self.points) * len(self.names), None).reshape(-1, len(self.names))

    def ends(self, z: Any) -> Array:
        """x at the elements' ends, from the reactions there: a row for each end."""
        point, out = self._point(z), np.full((self.elements + 1, self.differential), math.nan)
        self._locked("state", point.ctypes.data, None, out.ctypes.data)
        return out

    def hamiltonian(self, z: Any) -> Array:
        """D.f - H at the elements' ends."""
        return self._numbers("hamiltonian", z, self.elements + 1)

    def least(self, z: Any) -> float:
        """The least eigenvalue of C^-1/2 M C^-1/2; S is concave while it is positive."""
        return float(self._numbers("least", z, 1, None)[0])

    def detector(self, z: Any) -> float:
        """The distance of x from continuous polynomials, which is large for a spurious solution."""
        point, out = self._point(z), np.full(1, math.nan)
        self._locked("least", point.ctypes.data, None, out.ctypes.data)
        return float(out[0])

    def guess(self) -> Array:
        """Zeros: the state is the base."""
        return np.zeros(self.size)

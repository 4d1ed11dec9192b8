# SPDX-License-Identifier: Apache-2.0
"""Params, initial values and the interval of a model: read, and set without reading its text again."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Iterator, MutableMapping, NamedTuple

from ._handles import Call, text_of
from ._library import lib
from ._options import number_text

if TYPE_CHECKING:
    from ._model import Model


class Param(NamedTuple):
    """derived: a formula of other params, until it is set. fixed: it decides how many members or nodes the model has."""

    name: str
    unit: str
    value: float
    derived: bool
    fixed: bool


class Variable(NamedTuple):
    """A variable of the state. role: "coordinates", "velocities" or "states"; given: the start is written."""

    name: str
    unit: str
    role: str
    start: float
    given: bool


def params_of(pointer: int) -> list[Param]:
    rows = [lib.actio_model_param(pointer, i) for i in range(lib.actio_model_params(pointer))]
    return [Param(text_of(row.name), text_of(row.unit), row.value, row.derived, row.fixed) for row in rows]


def variables_of(pointer: int) -> list[Variable]:
    rows = [lib.actio_model_variable(pointer, i) for i in range(lib.actio_model_variables(pointer))]
    return [Variable(text_of(row.name), text_of(row.unit), text_of(row.role), row.start, row.given) for row in rows]


def helds_of(pointer: int) -> list[Variable]:
    rows = [lib.actio_model_held(pointer, i) for i in range(lib.actio_model_helds(pointer))]
    return [Variable(text_of(row.name), text_of(row.unit), text_of(row.role), row.start, row.given) for row in rows]


class Numbers(MutableMapping[str, float]):
    """Numbers by name. What is made of a number follows when it is set."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def _values(self) -> dict[str, float]:
        raise NotImplementedError

    def __getitem__(self, name: str) -> float:
        return self._values()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values())

    def __len__(self) -> int:
        return len(self._values())

    def __delitem__(self, name: str) -> None:
        raise TypeError("a model keeps its params and variables")

    def __repr__(self) -> str:
        return repr(self._values())


class Params(Numbers):
    """`m.params["R"]`; `m.params["R"] = 2` sets it, and params, start data and times that depend on it follow.

    >>> import actio
    >>> m = actio.load("disk")
    >>> m.params["R"] = 2
    >>> m.params["I_S"], m.start["theta'"]
    (2.0, 2.5)
    """

    def _values(self) -> dict[str, float]:
        return {param.name: param.value for param in params_of(self._model._pointer())}

    def __setitem__(self, name: str, value: Any) -> None:
        self._model._set("set", name, value)


class Start(Numbers):
    """`m.start["x'"]`, also "x_dot"; `m.start["x"] = 1` sets it. Held values are behind the variables."""

    def _values(self) -> dict[str, float]:
        pointer = self._model._pointer()
        return {one.name: one.start for one in variables_of(pointer) + helds_of(pointer)}

    def __getitem__(self, name: str) -> float:
        return self._values()[name[:-1] + "_dot" if name.endswith("'") else name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._model._set("start", name, value)


def set_number(model: Model, which: str, name: str, value: Any) -> None:
    """A number goes into the model as it is. A formula, and a param that decides sizes, is read with the text."""
    text = number_text(value, "%s of '%s'" % (which, name))
    changes = model.changes.with_these(*(({name: text}, None, None) if which == "set" else (None, {name: text}, None)))
    fixed = which == "set" and any(param.name == name and param.fixed for param in params_of(model._pointer()))
    if isinstance(value, str) or fixed:
        model._again(changes)
        return
    function = lib.actio_model_set_param if which == "set" else lib.actio_model_set_start
    handle = model._ready()
    with Call(handle.context) as call:
        function(handle.pointer, str(name).encode(), float(text), call.findings)
    call.settle()
    model._changed_to(changes)


def interval_of(pointer: int) -> tuple[float, float] | None:
    a, b = ctypes.c_double(), ctypes.c_double()
    given = lib.actio_model_time(pointer, ctypes.byref(a), ctypes.byref(b))
    return (a.value, b.value) if given else None

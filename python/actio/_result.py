# SPDX-License-Identifier: Apache-2.0
"""A motion: columns as NumPy arrays that look at the library's memory, errors, events, files and pictures."""
from __future__ import annotations

import ctypes
import math
import os
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple, Sequence

import numpy as np

from . import _abi
from ._errors import Finding, wrong_usage, worded
from ._handles import Call, Owned, text_of
from ._library import lib

if TYPE_CHECKING:
    import numpy.typing as npt
    Array = npt.NDArray[np.float64]
else:
    Array = np.ndarray

WHOLE = ctypes.c_size_t(-1).value
STATE = ("coordinates", "states", "velocities")


def view(address: int, shape: tuple[int, ...], owner: Any, kind: Any = ctypes.c_double) -> Any:
    """A read-only array at an address of the library; it keeps the owner of that memory alive."""
    count = math.prod(shape)
    if not count:
        array = np.empty(shape)
    else:
        memory = (kind * count).from_address(address)
        memory._owner = owner
        array = np.frombuffer(memory, dtype=np.dtype(kind)).reshape(shape)
    array.flags.writeable = False
    return array


class Column(NamedTuple):
    """What the table has about a column besides its numbers. A field has places along an axis."""

    name: str
    unit: str
    role: str
    error: float
    nodes: int = 0
    axis: str = ""
    places: Any = None


class OfColumns(Mapping[str, Any]):
    """Something of each column of a result, by its name."""

    _result: Result

    def __iter__(self) -> Iterator[str]:
        return iter(self._result.names)

    def __len__(self) -> int:
        return len(self._result.names)

    def __repr__(self) -> str:
        return repr(dict(self))


class Row(OfColumns):
    """Values by name, at one time: `r.end["x"]`. Fields have an array."""

    def __init__(self, result: Result, index: int) -> None:
        self._result, self._index = result, index

    def __getitem__(self, name: str) -> Any:
        value = self._result[name][self._index]
        return float(value) if np.ndim(value) == 0 else value


class ByColumn(OfColumns):
    """One property of each column: `r.error["x"]`, `r.unit["x'"]`."""

    def __init__(self, result: Result, what: str) -> None:
        self._result, self._what = result, what

    def __getitem__(self, name: str) -> Any:
        return getattr(self._result.column(name), self._what)


class Event(NamedTuple):
    """Something that happened: "event", "impact", "rest", "contact", "release", "stick", "slip", "switch", "corner", "reflects"
    or "touches".

    `value`: of an impact its impulse, of a switch its new branch; `row`: the first one that is not before it; `error`: estimated,
    of `t`; `line`: of the statement that has it, or 0; `energy`: taken by all that happened at the instant, at the first of it (None:
    not known); `place`, `before`, `after`: coordinates in the order of the model, and velocities where they jump; empty: not known."""

    t: float
    kind: str
    name: str
    value: float
    rule: str
    row: int
    error: float | None = None
    impulse: float = 0.0
    energy: float | None = None
    line: int = 0
    place: tuple[float, ...] = ()
    before: tuple[float, ...] = ()
    after: tuple[float, ...] = ()


def _numbers(address: int | None, count: int) -> tuple[float, ...]:
    return tuple((ctypes.c_double * count).from_address(address)) if address else ()


def _known(x: float) -> float | None:
    return None if math.isnan(x) else x


def _event(row: Any) -> Event:
    place, before, after = (_numbers(address, row.coordinates) for address in (row.place, row.before, row.after))
    return Event(row.t, text_of(row.kind), text_of(row.name), row.value, text_of(row.rule), row.row, _known(row.error), row.impulse,
                 _known(row.energy), row.line, place, before, after)


def read_events(table: int) -> list[Event]:
    return [_event(lib.actio_table_event(table, i)) for i in range(lib.actio_table_events(table))]


class Slope(NamedTuple):
    """One derivative of a value at the end, by a start datum or a param, with its estimated error."""

    of: str
    by: str
    is_param: bool
    value: float
    derivative: float
    error: float


class _ByName(dict[str, float]):
    """Numbers by name; x' is another name of x_dot."""

    def __missing__(self, name: str) -> float:
        other = _prime(name, self)
        if other == name:
            raise KeyError(name)
        return self[other]


class Gradient(Mapping[str, "dict[str, float]"]):
    """Derivatives of columns at the end: `g["x"]["M"]`, with start data as "x" and "x'"; `g.error["x"]["M"]`."""

    def __init__(self, slopes: Sequence[Slope]) -> None:
        self.slopes = tuple(slopes)
        self.value = {slope.of: slope.value for slope in slopes}
        self._derivatives = self._by("derivative")
        self.error = self._by("error")

    def _by(self, what: str) -> dict[str, dict[str, float]]:
        table: dict[str, dict[str, float]] = {}
        for slope in self.slopes:
            table.setdefault(slope.of, _ByName())[slope.by] = getattr(slope, what)
        return table

    def __getitem__(self, name: str) -> dict[str, float]:
        return self._derivatives[_prime(name, self._derivatives)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._derivatives)

    def __len__(self) -> int:
        return len(self._derivatives)

    def __repr__(self) -> str:
        return repr(self._derivatives)

    def matrix(self, of: Sequence[str], by: Sequence[str]) -> Array:
        """Rows `of`, columns `by`: a Jacobian for an optimizer."""
        rows = [[self[name][_prime(datum, self[name])] for datum in by] for name in of]
        return np.array(rows, dtype=float).reshape(len(of), len(by))


def _prime(name: str, known: Mapping[str, Any]) -> str:
    """x' for x_dot, and the other way round."""
    other = name[:-1] + "_dot" if name.endswith("'") else name[:-4] + "'" if name.endswith("_dot") else name
    return name if name in known or other not in known else other


class Picture(str):
    """An SVG picture: its text; Jupyter shows it, `save` writes it."""

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self)

    def __repr__(self) -> str:
        return "<Picture: SVG of %d characters>" % len(self)


def svg_from(draw: Any) -> Picture:
    """The SVG that a writer of files makes; draw(path) calls it."""
    import tempfile
    with tempfile.TemporaryDirectory(prefix="actio-") as folder:
        path = os.path.join(folder, "picture.svg")
        draw(path)
        with open(path, encoding="utf-8") as file:
            return Picture(file.read())


def axes_text(axes: Sequence[str]) -> bytes | None:
    return ",".join(axes).encode() if axes else None


class Result:
    """The motion of a model.

    >>> import actio
    >>> r = actio.load("disk").run()
    >>> round(r["y"][-1], 6), round(r.end["y"], 6)
    (10.262536, 10.262536)
    >>> r["x'"] is r["x_dot"], r.error["x"] < 1e-8
    (True, True)

    Columns are read-only NumPy arrays in the library's memory. A field has a row for each time and a column for each
    node. `t`, `y`, `success`, `status`, `message` and `t_events` are those of `scipy.integrate.solve_ivp`."""

    def __init__(self, table: Owned | None, findings: tuple[Finding, ...] = (), kept: dict[str, Any] | None = None) -> None:
        self._table, self.findings, self._kept = table, findings, kept
        self._cache: dict[str, Any] = {}

    # ---- the table

    def _pointer(self) -> Any:
        if self._table is None:
            raise wrong_usage("an unpickled result does not have the library's table", "run the model again, or write before pickling")
        return self._table.pointer

    def _once(self, key: str, make: Any) -> Any:
        if key not in self._cache:
            self._cache[key] = self._kept[key] if self._kept is not None and key in self._kept else make()
        return self._cache[key]

    def _read_columns(self) -> list[Column]:
        table = self._pointer()
        return [self._read_column(table, i) for i in range(lib.actio_table_columns(table))]

    def _read_column(self, table: int, i: int) -> Column:
        nodes = lib.actio_table_nodes(table, i)
        places = view(lib.actio_table_places(table, i), (nodes,), self._table) if nodes else None
        return Column(text_of(lib.actio_table_name(table, i)), text_of(lib.actio_table_unit(table, i)),
                      text_of(lib.actio_table_role(table, i)), lib.actio_table_error(table, i), nodes,
                      text_of(lib.actio_table_axis(table, i)), places)

    @property
    def columns(self) -> list[Column]:
        columns: list[Column] = self._once("columns", self._read_columns)
        return columns

    @property
    def names(self) -> list[str]:
        """Names of the columns, `t` first."""
        names: list[str] = self._once("names", lambda: [column.name for column in self.columns])
        return names

    def _find(self, name: str) -> tuple[int, int | None]:
        """The column of a name, and its node where one is named."""
        names = self.names
        if name in names:
            return names.index(name), None
        if self._table is not None and isinstance(name, str):
            column, node = ctypes.c_size_t(), ctypes.c_size_t()
            if lib.actio_table_cell(self._pointer(), name.encode(), ctypes.byref(column), ctypes.byref(node)):
                whole = node.value == WHOLE or not self.columns[column.value].nodes
                return column.value, None if whole else node.value
        elif isinstance(name, str) and _prime(name, dict.fromkeys(names)) in names:
            return names.index(_prime(name, dict.fromkeys(names))), None
        raise KeyError("%r is not a column; see names" % (name,))

    def column(self, name: str) -> Column:
        """Name, unit, role and error of a column."""
        return self.columns[self._find(name)[0]]

    def __getitem__(self, name: str) -> Array:
        """The numbers of a column: `r["x"]`, `r["x'"]`, `r["lambda.roll"]`, of a field `r["u"]`, `r["u[3]"]`."""
        if name in self._cache.get("data", ()):
            data: Array = self._cache["data"][name]
            return data
        index, node = self._find(name)
        values = self._data(self.names[index], index)
        return values if node is None else values[:, node]

    def _data(self, name: str, index: int) -> Array:
        data: dict[str, Array] = self._once("data", dict)
        if name not in data:
            nodes = self.columns[index].nodes
            table = self._pointer()
            rows = lib.actio_table_rows(table)
            data[name] = view(lib.actio_table_data(table, index), (rows, nodes) if nodes else (rows,), self._table)
        return data[name]

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and self._find(name) is not None
        except KeyError:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        """Rows."""
        return len(self.t)

    @property
    def t(self) -> Array:
        """The times of the rows."""
        return self["t"]

    @property
    def error(self) -> Mapping[str, float]:
        """Estimated global errors by column; NaN where there is not one."""
        return ByColumn(self, "error")

    @property
    def unit(self) -> Mapping[str, str]:
        return ByColumn(self, "unit")

    @property
    def role(self) -> Mapping[str, str]:
        """What each column is: "coordinates", "multipliers", ..."""
        return ByColumn(self, "role")

    @property
    def start(self) -> Row:
        """The first row, by name."""
        return Row(self, 0)

    @property
    def end(self) -> Row:
        """The last row, by name."""
        return Row(self, -1)

    # ---- about the run

    def _read_info(self) -> dict[str, Any]:
        info = lib.actio_table_info(self._pointer())
        values = ((name, getattr(info, name)) for name, *_ in _abi.RunInfo._fields_)
        return {name: text_of(value) if isinstance(value, bytes) else value for name, value in values}

    @property
    def info(self) -> dict[str, Any]:
        """by, method, tier, seconds, steps, energy_drift, residual, worst_error and more."""
        info: dict[str, Any] = self._once("info", self._read_info)
        return info

    def _read_json(self) -> dict[str, Any]:
        import json
        with Call(self._held().context):
            text = lib.actio_table_json(self._pointer())
        read: dict[str, Any] = json.loads(text or b"{}")
        return read

    def _held(self) -> Owned:
        self._pointer()
        assert self._table is not None
        return self._table

    @property
    def json(self) -> dict[str, Any]:
        """The summary of `actio run --json`, without findings."""
        summary: dict[str, Any] = self._once("json", self._read_json)
        return summary

    def _read_events(self) -> list[Event]:
        return read_events(self._pointer())

    @property
    def events(self) -> list[Event]:
        """Events, impacts, changes of contacts and switches in order of time."""
        events: list[Event] = self._once("events", self._read_events)
        return events

    @property
    def seconds(self) -> float:
        """The engine's own time."""
        return float(self.info["seconds"])

    @property
    def status(self) -> int:
        """0, or the exit status of the command line."""
        return int(self.info["status"])

    @property
    def success(self) -> bool:
        """Did the motion reach the end of its interval?"""
        return self.status == 0

    @property
    def message(self) -> str:
        """What was found, in words."""
        if self.success:
            return "The motion reaches t = %.15g." % self.info["t_end"]
        return worded(self.findings)

    @property
    def state_names(self) -> list[str]:
        """The rows of `y`: coordinates, their velocities, states; the order of `Model.rhs`."""
        by_role = {role: [column.name for column in self.columns if column.role == role] for role in STATE}
        rates = {name + "_dot" for name in by_role["states"]}
        velocities = [name for name in by_role["velocities"] if name not in rates]
        return by_role["coordinates"] + velocities + by_role["states"]

    @property
    def y(self) -> Array:
        """The state, one row for each of `state_names` (fields: one for each node), one column for each time."""
        rows = [np.atleast_2d(self[name].T) for name in self.state_names]
        return np.concatenate(rows) if rows else np.empty((0, len(self)))

    @property
    def event_names(self) -> list[str]:
        return list(dict.fromkeys(event.name or event.kind for event in self.events))

    @property
    def t_events(self) -> list[Array]:
        """The times of each of `event_names`."""
        return [np.array([event.t for event in self.events if (event.name or event.kind) == name]) for name in self.event_names]

    def _read_slopes(self) -> list[Slope]:
        table = self._pointer()
        rows = [lib.actio_table_slope(table, i) for i in range(lib.actio_table_slopes(table))]
        return [Slope(text_of(row.of), text_of(row.by), row.is_param, row.value, row.derivative, row.error) for row in rows]

    @property
    def gradient(self) -> Gradient:
        """Derivatives at the end, of the columns in `gradient=[...]`: `r.gradient["x"]["M"]`."""
        gradient: Gradient = self._once("gradient", lambda: Gradient(self._once("slopes", self._read_slopes)))
        return gradient

    def _read_proof(self) -> dict[str, Any] | None:
        proof = _abi.ProofInfo()
        if not lib.actio_table_proof(self._pointer(), ctypes.byref(proof)):
            return None
        values = ((name, getattr(proof, name)) for name, *_ in _abi.ProofInfo._fields_)
        return {name: list(value) if isinstance(value, ctypes.Array) else value for name, value in values}

    @property
    def proof(self) -> dict[str, Any] | None:
        """What `verify=True` found, or None."""
        proof: dict[str, Any] | None = self._once("proof", self._read_proof)
        return proof

    def _read_dual(self) -> dict[str, Any] | None:
        dual = _abi.DualInfo()
        if not lib.actio_table_dual(self._pointer(), ctypes.byref(dual)):
            return None
        values = ((name, getattr(dual, name)) for name, *_ in _abi.DualInfo._fields_)
        return {name: text_of(value) if isinstance(value, bytes) else value for name, value in values}

    @property
    def dual(self) -> dict[str, Any] | None:
        """Numbers of the dual action (`by="dual"`), or None."""
        dual: dict[str, Any] | None = self._once("dual", self._read_dual)
        return dual

    # ---- elsewhere

    def flat(self) -> dict[str, Array]:
        """Columns as the CSV file has them: a field x has x[0], x[1], ..."""
        columns: dict[str, Array] = {}
        for column in self.columns:
            values = self[column.name]
            if column.nodes:
                columns.update(("%s[%d]" % (column.name, node), values[:, node]) for node in range(column.nodes))
            else:
                columns[column.name] = values
        return columns

    def to_numpy(self, names: Sequence[str] | None = None) -> Array:
        """A matrix with a row for each time, and the columns of the CSV file or those named."""
        columns = list(self.flat().values()) if names is None else [self[name] for name in names]
        return np.column_stack(columns) if columns else np.empty((len(self), 0))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame over t; `attrs` has units and errors."""
        import pandas
        columns = self.flat()
        frame = pandas.DataFrame({name: np.array(values) for name, values in columns.items() if name != "t"},
                                 index=pandas.Index(np.array(columns["t"]), name="t"))
        frame.attrs.update(units=dict(self.unit), errors=dict(self.error))
        return frame

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes .csv, .json, .npz or .h5, by the ending; the file is whole or absent."""
        self._to_file(lib.actio_table_write, (), path)

    def write_events(self, path: str | os.PathLike[str]) -> None:
        """Writes the list of events, with the errors of their times, as comma-separated values."""
        self._to_file(lib.actio_table_write_events, (), path)

    def _to_file(self, writer: Any, axes: tuple[bytes | None, ...], path: str | os.PathLike[str]) -> None:
        held = self._held()
        with Call(held.context) as call:
            writer(held.context.pointer, held.pointer, *axes, os.fsencode(path), call.findings)
        call.settle()

    def picture(self, *axes: str) -> Picture:
        """The own SVG picture. Axes: "x" over time, "x:y" one against the other; without them panels by role."""
        return svg_from(lambda path: self.draw(path, *axes))

    def draw(self, path: str | os.PathLike[str], *axes: str) -> None:
        """Writes the own picture: .svg, or .png and .pdf where the library has cairo."""
        self._to_file(lib.actio_table_plot, (axes_text(axes),), path)

    def animate(self, path: str | os.PathLike[str], *axes: str) -> None:
        """Writes the shape of a field in motion, an animated .svg."""
        self._to_file(lib.actio_table_animate, (axes_text(axes),), path)

    def plot(self, *axes: str) -> Any:
        """A matplotlib figure where matplotlib is installed; otherwise the own picture.

        Axes: "x" over time, "x:y" one against the other; without them the coordinates over time."""
        try:
            from matplotlib import pyplot
        except ImportError:
            return self.picture(*axes)
        from ._plot import drawn
        return drawn(pyplot, self, axes)

    # ---- display and storage

    def __repr__(self) -> str:
        info = self.info
        worst = ", largest estimated error %.1e" % info["worst_error"] if info["worst_error"] >= 0 else ""
        ending = "" if self.success else ", ended early"
        return "<Result of %s by %s: t = %.6g .. %.6g, %d rows, %d columns%s%s>" % (
            info["model"], info["by"], self.t[0] if len(self) else math.nan, info["t_end"], len(self), len(self.names), worst, ending)

    def _repr_svg_(self) -> str | None:
        return str(self.picture()) if self._table is not None and len(self) else None

    def _repr_html_(self) -> str:
        import html
        picture = self._repr_svg_() or ""
        return "<div>%s</div><pre>%s</pre>" % (picture[picture.find("<svg"):] if picture else "", html.escape(repr(self)))

    def __getstate__(self) -> dict[str, Any]:
        makers = {"columns": self._read_columns, "info": self._read_info, "json": self._read_json, "slopes": self._read_slopes,
                  "proof": self._read_proof, "dual": self._read_dual, "events": self._read_events}
        kept = {key: self._once(key, maker) for key, maker in makers.items()}
        kept["data"] = {name: np.array(self[name]) for name in self.names}
        return {"findings": self.findings, "kept": kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for values in state["kept"]["data"].values():
            values.flags.writeable = False
        self.__init__(None, state["findings"], state["kept"])  # type: ignore[misc]
        self._cache["data"] = state["kept"]["data"]


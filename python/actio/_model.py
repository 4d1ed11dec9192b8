# SPDX-License-Identifier: Apache-2.0
"""Models: read from a name or a text, changed, checked, derived, run."""
from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

from . import _abi
from ._errors import Finding, wrong_usage
from ._external import bind, externals_of
from ._handles import Call, Context, Owned, addresses, text_of
from ._library import lib
from ._numbers import Param, Params, Start, Variable, interval_of, params_of, set_number, variables_of
from ._options import Request, change_array, described, number_text, options, pairs, range_text, requested
from ._progress import finish, progress_of
from ._result import Gradient, Result

if TYPE_CHECKING:
    from ._action import Action, DualAction
    from ._flow import Flow
    from ._integrator import Integrator
    from ._reports import Claims, Comparison, Derivation, Modes, Orbits, Verdict
    Values = Mapping[str, Any] | str
    Span = Sequence[Any] | str


class Changes:
    """Values that replace those of the text: params, start data, time."""

    __slots__ = ("set", "start", "time")

    def __init__(self, set: dict[str, str] | None = None, start: dict[str, str] | None = None, time: str | None = None) -> None:
        self.set, self.start, self.time = set or {}, start or {}, time

    def with_these(self, set: Values | None, start: Values | None, time: Span | None) -> Changes:
        """Itself when nothing is given."""
        if set is None and start is None and time is None:
            return self
        merged = dict(self.start)
        for name, formula in pairs(start, "start") if start is not None else ():
            for other in [known for known in merged if _datum(known) == _datum(name)]:
                del merged[other]
            merged[name] = formula
        return Changes({**self.set, **dict(pairs(set, "set") if set is not None else ())}, merged,
                       self.time if time is None else range_text(time, "time"))

    def rows(self) -> list[tuple[Any, str]]:
        row = options("run")
        return ([(row["set"].change, "%s=%s" % pair) for pair in self.set.items()]
                + [(row["start"].change, "%s=%s" % pair) for pair in self.start.items()]
                + ([(row["time"].change, self.time)] if self.time is not None else []))

    def __repr__(self) -> str:
        given = (("set", self.set), ("start", self.start), ("time", self.time))
        return ", ".join("%s=%r" % item for item in given if item[1])


def _datum(name: str) -> str:
    return name[:-1] + "_dot" if name.endswith("'") else name


class Model:
    """A mechanical model. `actio.load` and `actio.model` make it.

    One call at a time computes with a model; others wait. For several threads take a model each (`m.copy()`)."""

    def __init__(self, text: str, file: str = "model", changes: Changes | None = None) -> None:
        if not isinstance(text, str):
            raise wrong_usage("a model is a text, not %r" % type(text).__name__, "load a file with actio.load")
        self.text, self.file, self.changes = text, file, changes or Changes()
        self.findings: tuple[Finding, ...] = ()
        self._bound: dict[str, tuple[Any, Any]] = {}
        self._handle, self.findings = self._read(Context(), self.changes.rows())
        self._rhs: Any = None
        self.symbols: dict[Any, str] = {}

    # ---- reading

    def _read(self, context: Context, rows: Sequence[tuple[Any, str]]) -> tuple[Owned, tuple[Finding, ...]]:
        array, count = change_array(rows)
        text = self.text.encode("utf-8", "surrogateescape")
        with Call(context) as call:
            file = self.file.encode("utf-8", "surrogateescape")
            pointer = lib.actio_model_read_string(context.pointer, file, text, len(text), array, count, call.findings)
            owned = Owned(pointer, context, lib.actio_model_free) if pointer else None
        call.settle()
        assert owned is not None
        for name, (force, slopes) in self._bound.items():
            bind(owned, name, force, slopes)
        return owned, call.messages

    def _ready(self) -> Owned:
        """The model in its own context; after an interruption in a new one."""
        if self._handle.context.spent:
            self._handle = self._read(Context(), self.changes.rows())[0]
            self._rhs = None
        return self._handle

    def _at(self, changes: Changes, request: Request | None = None) -> Owned:
        """The model with these changes and limits; the own one where nothing differs. Texts of a verdict and claims
        live as long as their model, so that these get one of their own."""
        limited = request is not None and request.limited
        more = request.changes if request is not None else []
        keeps = request is not None and request.command in ("check", "test")
        if changes is self.changes and not more and not limited and not keeps:
            return self._ready()
        context = self._ready().context
        if request is not None and limited:
            context = Context(request.memory, request.seconds, request.progress)
        return self._read(context, changes.rows() + more)[0]

    def _work(self, command: str, keywords: dict[str, Any], act: Callable[[Owned, Request, Call], Any]) -> tuple[Any, Call]:
        """Options read, the model made ready, and one call: what act returns."""
        changes = self.changes.with_these(keywords.pop("set", None), keywords.pop("start", None), keywords.pop("time", None))
        progress = progress_of(keywords.pop("progress", None))
        request = requested(command, keywords, progress)
        try:
            model = self._at(changes, request)
            with Call(model.context) as call:
                made = act(model, request, call)
        finally:
            finish(progress)
        return made, call

    # ---- properties

    @property
    def name(self) -> str:
        """Of the model statement, otherwise the file's stem."""
        return text_of(lib.actio_model_name(self._handle.pointer))

    @property
    def description(self) -> str:
        """The comment at the top."""
        return text_of(lib.actio_model_description(self._handle.pointer))

    def _pointer(self) -> Any:
        return self._ready().pointer

    @property
    def params(self) -> Params:
        """Params by name; setting one sets what depends on it."""
        return Params(self)

    @property
    def start(self) -> Start:
        """Initial values of coordinates, velocities and states by name."""
        return Start(self)

    @property
    def time(self) -> tuple[float, float] | None:
        """The interval, or None."""
        return interval_of(self._pointer())

    @time.setter
    def time(self, span: Span) -> None:
        self._again(self.changes.with_these(None, None, span))

    @property
    def param_list(self) -> list[Param]:
        """Params with units, and which of them depend on others."""
        return params_of(self._pointer())

    @property
    def variables(self) -> list[Variable]:
        """Coordinates, their velocities, states; with units and initial values."""
        return variables_of(self._pointer())

    def printed(self) -> str:
        """The model printed back, with the changes in it."""
        handle = self._ready()
        with Call(handle.context):
            return text_of(lib.actio_model_text(handle.pointer))

    def _set(self, which: str, name: str, value: Any) -> None:
        set_number(self, which, name, value)

    def _again(self, changes: Changes) -> None:
        """Reads the text with these changes."""
        self._handle = self._read(self._ready().context, changes.rows())[0]
        self._changed_to(changes)

    def _changed_to(self, changes: Changes) -> None:
        self.changes, self._rhs = changes, None

    @property
    def externals(self) -> dict[str, bool]:
        """The names of `external("name")` in the forces, and whether a function is bound."""
        return externals_of(self._pointer())

    def bind(self, name: str, force: Callable[[float, Any], float], slopes: Callable[[float, Any], Any] | None = None) -> None:
        """A function f(t, y) for `external("name")`; y has coordinates, velocities, states.

        `slopes`: a function that gives (df/dt, df/dy). Without it a run needs `local`.

        >>> import actio
        >>> m = actio.model('coord x\\nlagrangian x\\'^2/2\\nforce x = external("spring")\\nstart x = 1\\ntime 0 .. 1')
        >>> m.bind("spring", lambda t, y: -4*y[0])
        >>> round(m.run(local=1e-10).end["x"], 6)
        -0.416147
        """
        bind(self._ready(), name, force, slopes)
        self._bound[name] = force, slopes
        self._rhs = None

    def changed(self, set: Values | None = None, start: Values | None = None, time: Span | None = None) -> Model:
        """Another model with other values of params, start data or time.

        >>> import actio
        >>> m = actio.load("disk").changed(set={"R": 2}, start={"theta'": 2.5}, time=(0, 1))
        >>> m.run().end["t"]
        1.0
        """
        return self._like(self.changes.with_these(set, start, time))

    def copy(self) -> Model:
        """The same model with memory of its own, for another thread."""
        return self._like(self.changes)

    def _like(self, changes: Changes) -> Model:
        made = Model(self.text, self.file, changes)
        made.symbols = dict(self.symbols)
        for name, (force, slopes) in self._bound.items():
            made.bind(name, force, slopes)
        return made

    def __repr__(self) -> str:
        changes = repr(self.changes)
        return "<Model %s%s>" % (self.name, ": " + changes if changes else "")

    def __getstate__(self) -> dict[str, Any]:
        return {"text": self.text, "file": self.file, "changes": (self.changes.set, self.changes.start, self.changes.time), "bound": self._bound}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["text"], state["file"], Changes(*state["changes"]))  # type: ignore[misc]
        for name, (force, slopes) in state["bound"].items():
            self.bind(name, force, slopes)

    # ---- motions

    def run(self, *, by: str | None = None, tol: float | None = None, set: Values | None = None, start: Values | None = None,
            time: Span | None = None, gradient: Sequence[str] | str | None = None, progress: Any = None, check: bool = True,
            **options: Any) -> Result:
        """The motion.

        >>> import actio
        >>> r = actio.load("disk").run(by="skg", tol=1e-10, set={"R": 2}, start={"x'": 5}, time=(0, 6))
        >>> r.info["by"], r.t[-1], r.names[:3]
        ('skg', 6.0, ['t', 'x', 'y'])

        `set`, `start` and `time` replace values of the model; numbers are taken exactly, texts are formulas.
        `curves=True` makes one more run, whose steps and jumps `picture` and `draw` show in place of the rows.
        `progress`: True shows a bar, a function is called with (what, done, of). A motion that ends early raises
        NumericsError, whose `result` has the rows that hold; `check=False` returns them instead. Ctrl-C raises
        Interrupted, which also has them."""
        keywords = {"by": by, "tol": tol, "set": set, "start": start, "time": time, "gradient": gradient, "progress": progress, **options}
        table, call = self._work("run", keywords, _run)
        result = Result(table, call.messages) if table is not None else None
        call.settle(result, check)
        assert result is not None
        return result

    def gradient(self, of: Sequence[str] | str, *, by: str = "skg", **options: Any) -> Gradient:
        """Exact derivatives of columns at the end by start data and params.

        >>> import actio
        >>> g = actio.load("pendulum", time=(0, 1)).gradient(["a"])
        >>> round(g["a"]["a"], 6), round(g["a"]["g"], 6)
        (0.186466, -0.15897)
        """
        return self.run(by=by, gradient=of, **options).gradient

    def compare(self, by: Sequence[str] | str | None = None, *, set: Values | None = None, start: Values | None = None,
                time: Span | None = None, progress: Any = None, check: bool = True, **options: Any) -> Comparison:
        """The motion by several principles; the first is the reference. Without `by`: by all of them."""
        keywords = {"by": by, "set": set, "start": start, "time": time, "progress": progress, **options}
        owned, call = self._work("compare", keywords, _compare)
        from ._reports import Comparison
        made = Comparison(owned, self.name, call.messages) if owned is not None else None
        call.settle(made, check)
        assert made is not None
        return made

    def orbit(self, *, period: Any = None, find: int | None = None, follow: Any = None, set: Values | None = None,
              start: Values | None = None, time: Span | None = None, progress: Any = None, check: bool = True, **options: Any) -> Orbits:
        """Periodic orbits and their stability.

        `follow`: (param, from, to)."""
        keywords = {"period": period, "find": find, "follow": follow, "set": set, "start": start, "time": time, "progress": progress, **options}
        owned, call = self._work("orbit", keywords, _orbit)
        from ._reports import Orbits
        made = Orbits(owned, self.name, call.messages) if owned is not None else None
        call.settle(made if made is not None and (len(made) or made.branch) else None, check)
        assert made is not None
        return made

    # ---- looking at the model

    def check(self, *, box: Any = None, set: Values | None = None, start: Values | None = None, time: Span | None = None,
              **options: Any) -> Verdict:
        """The verdict on the model. A bad verdict is a result; only a model that can't be judged raises.

        `box`: {"r": (0.1, 3)}, where states are sampled."""
        keywords = {"box": box, "set": set, "start": start, "time": time, **options}
        verdict, call = self._work("check", keywords, _check)
        call.settle(verdict, check=False)
        from ._reports import Verdict
        return Verdict(self.name, verdict[0], call.status, call.messages)

    def derive(self, by: str | None = None, format: str = "text", *, set: Values | None = None, start: Values | None = None,
               **options: Any) -> Derivation:
        """The equations as text, LaTeX or C, by a principle; Jupyter shows formulas."""
        if format not in ("text", "latex", "c"):
            raise wrong_usage("format: %r is not one of text, latex, c" % (format,))

        def act(model: Owned, request: Request, call: Call) -> Any:
            return [_derived(model, request, call, form) for form in dict.fromkeys((format, "latex"))]
        made, call = self._work("derive", {"by": by, "set": set, "start": start, **options}, act)
        call.settle()
        from ._reports import derivation
        return derivation(made[0][0], made[0][1], format, made[-1][0])

    def test(self, *, set: Values | None = None, start: Values | None = None, time: Span | None = None, **options: Any) -> Claims:
        """Every `expect` line, checked.

        >>> import actio
        >>> actio.load("pendulum").test().failed
        0
        """
        claims, call = self._work("test", {"set": set, "start": start, "time": time, **options}, _test)
        call.settle(claims, check=False)
        from ._reports import Claims
        return Claims(claims, call.messages)

    def modes(self, count: int = 8, *, set: Values | None = None, start: Values | None = None, **options: Any) -> Modes:
        """Small motions about the start, which must be an equilibrium: frequencies, growth, shapes."""
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise wrong_usage("modes: %r is not a whole number of at least 1" % (count,))
        from ._reports import Modes

        def act(model: Owned, _: Request, call: Call) -> Any:
            pointer = lib.actio_modes_find(model.context.pointer, model.pointer, count, call.findings)
            try:
                return Modes(pointer, ()) if pointer else None
            finally:
                lib.actio_modes_free(pointer)
        made, call = self._work("check", {"set": set, "start": start, **options}, act)
        call.settle(made)
        made.findings = call.messages
        return made  # type: ignore[no-any-return]

    # ---- equations as functions

    @property
    def rhs(self) -> Flow:
        """The equations of motion as a function f(t, y), with the present params.

        >>> import actio
        >>> from scipy.integrate import solve_ivp
        >>> m = actio.load("pendulum", time=(0, 1))
        >>> s = solve_ivp(m.rhs, (0, 1), m.rhs.y0, method="Radau", jac=m.rhs.jac, rtol=1e-9, atol=1e-9)
        >>> abs(s.y[0, -1] - m.run().end["a"]) < 1e-6
        True
        """
        from ._flow import Flow
        handle = self._ready()
        if self._rhs is None:
            self._rhs = Flow(handle)
        flow: Flow = self._rhs
        return flow

    def flow(self, by: str | None = None, *, set: Values | None = None, start: Values | None = None, time: Span | None = None) -> Flow:
        """Like `rhs`, by a principle ("dalembert", "vakonomic") and with other values."""
        from ._flow import Flow
        return Flow(self._at(self.changes.with_these(set, start, time)), by)

    def integrator(self, *, by: str | None = None, set: Values | None = None, start: Values | None = None, time: Span | None = None,
                   **options: Any) -> Integrator:
        """The motion step by step, with impacts and events on the way. Options as of run; the tolerance is local."""
        from ._integrator import Integrator
        request = requested("run", {"by": by, **options})
        return Integrator(self._at(self.changes.with_these(set, start, time), request), request)

    # ---- actions as functions

    def action(self, grid: int = 64, order: int = 4, form: str | None = None, *, sigma: float = 0, barrier: float = 0,
               set: Values | None = None, start: Values | None = None, time: Span | None = None) -> Action:
        """The doubled action on a grid, a function of all its unknowns. Its critical point is the motion."""
        from ._action import Action
        model = self._at(self.changes.with_these(set, start, time))
        return Action(model, grid, order, form, sigma, barrier)

    def dual_action(self, grid: int = 32, order: int = 4, *, nodes: int = 0, set: Values | None = None, start: Values | None = None,
                    time: Span | None = None, **options: Any) -> DualAction:
        """The dual action of one slab, a function of its dual unknowns. Its maximum maps to the motion.

        Options: closure, power, base, multipliers, weights, potential, final, as of run."""
        from ._action import DualAction
        request = requested("run", options)
        model = self._at(self.changes.with_these(set, start, time), request)
        return DualAction(model, grid, order, nodes, request)

    # ---- elsewhere

    def to_sympy(self) -> Any:
        """The equations as SymPy objects: coordinates, Lagrangian, equations, constraints, matrices."""
        from ._to_sympy import equations_of
        return equations_of(self)


# ---- what happens inside of a call

def _owned(pointer: int | None, model: Owned, free: Any) -> Owned | None:
    return Owned(pointer, model, free) if pointer else None


def _run(model: Owned, request: Request, call: Call) -> Owned | None:
    table = lib.actio_run(model.context.pointer, model.pointer, ctypes.byref(request.run), call.findings)
    return _owned(table, model, lib.actio_table_free)


def _compare(model: Owned, request: Request, call: Call) -> Owned | None:
    from ._options import principles
    names = request.by or (["dalembert", "skg"] if request.run.width_count else list(principles()))
    pointer = lib.actio_compare(model.context.pointer, model.pointer, ctypes.byref(request.run), addresses(names), len(names), call.findings)
    return _owned(pointer, model, lib.actio_comparison_free)


def _orbit(model: Owned, request: Request, call: Call) -> Owned | None:
    request.orbit.run = request.run
    request.orbit.tol = request.run.tol if "tol" in request.given else 0      # 0: as exact as possible
    pointer = lib.actio_orbit_search(model.context.pointer, model.pointer, ctypes.byref(request.orbit), call.findings)
    return _owned(pointer, model, lib.actio_orbits_free)


def _check(model: Owned, request: Request, call: Call) -> Any:
    rows = (_abi.BoxRow * max(len(request.box), 1))(*[_abi.BoxRow(text.encode()) for text in request.box])
    report = _abi.VerdictReport()
    lib.actio_check_model(model.context.pointer, model.pointer, rows, len(request.box), call.findings, ctypes.byref(report))
    return (report, model) if report.verdict else None


def _derived(model: Owned, request: Request, call: Call, form: str) -> Any:
    by = request.by[0].encode() if request.by else None
    pointer = lib.actio_derive(model.context.pointer, model.pointer, by, form.encode(), call.findings)
    from ._reports import read_derivation
    try:
        return read_derivation(pointer) if pointer else ("", [])
    finally:
        lib.actio_derivation_free(pointer)


def _test(model: Owned, request: Request, call: Call) -> Any:
    count = ctypes.c_size_t()
    rows = lib.actio_test(model.context.pointer, model.pointer, ctypes.byref(request.run), call.findings, ctypes.byref(count))
    from ._reports import read_claims
    return read_claims(rows, count.value) if rows else []


for _command in ("run", "compare", "orbit", "check", "derive", "test"):
    _method = getattr(Model, _command)
    _method.__doc__ = described(_command, _method.__doc__)


# ---- makers

def model(text: str, file: str = "model", *, set: Values | None = None, start: Values | None = None, time: Span | None = None) -> Model:
    """A model from its text.

    >>> import actio
    >>> m = actio.model("coord x\\nlagrangian x'^2/2 - x^2/2\\nstart x = 1\\ntime 0 .. pi")
    >>> round(m.run().end["x"], 9)
    -1.0
    """
    return Model(text, file, Changes().with_these(set, start, time))


def load(name: str | os.PathLike[str], *, set: Values | None = None, start: Values | None = None, time: Span | None = None) -> Model:
    """A model by name: a word with a slash or .act, and a path object, is a file; otherwise a file of that name, then
    a model of the gallery.

    >>> import actio
    >>> actio.load("disk")
    <Model disk>
    """
    if not isinstance(name, (str, os.PathLike)):
        raise wrong_usage("load: %r is not a name or a path" % (name,))
    word = os.fsdecode(name)
    if not isinstance(name, str) and os.sep not in word and not word.endswith(".act"):
        word = os.path.join(os.curdir, word)
    stored = gallery_texts()
    is_file = os.sep in word or word.endswith(".act") or (os.path.exists(word) and not os.path.isdir(word))
    if not is_file and word in stored:
        return Model(stored[word], word + ".act", Changes().with_these(set, start, time))
    return Model(_file_text(word), word, Changes().with_these(set, start, time))


def _file_text(path: str) -> str:
    """The text of a file. What can't be read is refused in the library's words."""
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "surrogateescape")
    except OSError:
        pass
    context = Context()
    with Call(context) as call:
        pointer = lib.actio_model_read(context.pointer, os.fsencode(path), None, 0, call.findings)
        lib.actio_model_free(pointer)
    call.settle()
    raise wrong_usage("load: %r can't be read" % path)


_texts: dict[str, str] = {}


def gallery_texts() -> dict[str, str]:
    """The texts of the built-in models, by name."""
    if not _texts:
        examples = ctypes.POINTER(_abi.Example)()
        count = lib.actio_gallery(ctypes.byref(examples))
        _texts.update((text_of(examples[i].stem), text_of(examples[i].text)) for i in range(count))
    return _texts


def gallery() -> dict[str, str]:
    """Names and titles of the built-in models.

    >>> import actio
    >>> actio.gallery()["disk"]
    'Rolling and spinning disk on an incline, quadratic rolling condition'
    """
    examples = ctypes.POINTER(_abi.Example)()
    count = lib.actio_gallery(ctypes.byref(examples))
    return {text_of(examples[i].stem): text_of(examples[i].title) for i in range(count)}


__all__ = ["Changes", "Model", "gallery", "load", "model", "number_text"]

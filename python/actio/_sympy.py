# SPDX-License-Identifier: Apache-2.0
"""Models from SymPy mechanics: a Lagrangian with coordinates, or the inputs of LagrangesMethod and KanesMethod."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterable, Mapping, Sequence

import sympy
from sympy.physics.mechanics import KanesMethod, LagrangesMethod, Point, ReferenceFrame, dynamicsymbols

from ._errors import wrong_usage
from ._model import Model
from ._options import number_text, range_text
from ._sympy_text import Names, Printer, symbols_in


@dataclass
class System:
    """What a model has to say, in SymPy's terms. `rates`: q' in terms of given speeds u. `follow`: start data found from
    others, {rate: expression of coordinates, rates and params}."""

    lagrangian: Any
    q: list[Any]
    constraints: list[tuple[str, Any]] = field(default_factory=list)
    forces: dict[Any, Any] = field(default_factory=dict)
    observe: dict[str, Any] = field(default_factory=dict)
    speeds: list[Any] = field(default_factory=list)
    rates: dict[Any, Any] = field(default_factory=dict)
    follow: dict[Any, Any] = field(default_factory=dict)


def rate(coordinate: Any) -> Any:
    return coordinate.diff(dynamicsymbols._t)


def generalized(loads: Iterable[Any], q: Sequence[Any], frame: Any, velocities: Mapping[Any, Any] | None = None) -> dict[Any, Any]:
    """Generalized forces on q of forces at points and torques on frames: by partial velocities."""
    total: dict[Any, Any] = {}
    for load in loads:
        place, vector = load
        if isinstance(place, Point):
            velocity = place.vel(frame)
        elif isinstance(place, ReferenceFrame):
            velocity = place.ang_vel_in(frame)
        else:
            raise wrong_usage("a load is (Point, force) or (ReferenceFrame, torque); found %r" % (place,))
        if vector == 0:
            continue
        put = velocities or {}
        velocity, vector = velocity.subs(put) if velocity != 0 else velocity, vector.subs(put)
        for coordinate in q:
            part = velocity.diff(rate(coordinate), frame, var_in_dcm=False) if velocity != 0 else 0
            if part != 0:
                total[coordinate] = total.get(coordinate, 0) + vector.dot(part)
    return {coordinate: force for coordinate, force in total.items() if force != 0}


def labelled(given: Any, prefix: str = "c") -> list[tuple[str, Any]]:
    """Constraints with names: a dict, or expressions that vanish, or equations."""
    pairs = list(given.items()) if isinstance(given, Mapping) else [("", one) for one in (given if given is not None else ())]
    rows = []
    for number, (label, expression) in enumerate(pairs, 1):
        if isinstance(expression, sympy.Equality):
            expression = expression.lhs - expression.rhs
        rows.append((str(label) or "%s%d" % (prefix, number), sympy.sympify(expression)))
    return rows


def _forces(given: Any, q: Sequence[Any], frame: Any) -> dict[Any, Any]:
    """{coordinate: force}, or [(Point, force), (ReferenceFrame, torque)] with a frame."""
    if not given:
        return {}
    if isinstance(given, Mapping):
        for coordinate in given:
            if coordinate not in q:
                raise wrong_usage("forces: '%s' is not a coordinate" % coordinate)
        return {coordinate: sympy.sympify(force) for coordinate, force in given.items()}
    if frame is None:
        raise wrong_usage("forces at points need the inertial frame", "add frame=N")
    return generalized(given, q, frame)


def _from_lagrange(method: Any) -> System:
    holonomic = len(method._hol_coneqs)
    rows = [*method._hol_coneqs, *method.coneqs[holonomic:]]
    return System(method._L[0], list(method.q), labelled(rows), _forces(method.forcelist, list(method.q), method.inertial))


class Writer:
    """Writes the text of a model."""

    def __init__(self, system: System, params: Mapping[Any, Any], start: Mapping[Any, Any], time: Any, title: str) -> None:
        self.system, self.names = system, Names()
        self.printer = Printer(self.names)
        self.params = {self._key(key): value for key, value in params.items()}
        if dynamicsymbols._t in self.params:
            raise wrong_usage("params: 't' is the time of the motion, and has no value", "rename the symbol")
        self.start = {self._key(key): value for key, value in start.items()}
        self.time, self.title = time, title

    def _key(self, key: Any) -> Any:
        return key if not isinstance(key, str) else self._named(key)

    def _named(self, name: str) -> Any:
        """A key that is a text: the coordinate or symbol of that name; x' for a rate."""
        plain, primes = name.rstrip("'"), len(name) - len(name.rstrip("'"))
        for coordinate in (*self.system.q, *self.system.speeds):
            if str(coordinate.func) == plain:
                return coordinate.diff(dynamicsymbols._t, primes) if primes else coordinate
        if primes:
            raise wrong_usage("start: '%s' is not a coordinate" % plain)
        return sympy.Symbol(plain)

    def expressions(self) -> list[Any]:
        system = self.system
        return [system.lagrangian, *(e for _, e in system.constraints), *system.forces.values(), *system.observe.values(),
                *system.follow.values(), *(v for v in self.start.values() if isinstance(v, sympy.Basic))]

    def prescribed(self) -> None:
        """Functions of time with a value in params are put in."""
        given = {key: sympy.sympify(value) for key, value in self.params.items() if isinstance(key, sympy.core.function.AppliedUndef)}
        if not given:
            return
        self.params = {key: value for key, value in self.params.items() if key not in given}
        put = {**{rate(key): rate(value) for key, value in given.items()}, **given}

        def replaced(expression: Any) -> Any:
            return expression.subs(put).doit()
        system = self.system
        system.lagrangian = replaced(system.lagrangian)
        system.constraints = [(label, replaced(e)) for label, e in system.constraints]
        for table in (system.forces, system.observe, system.follow):
            table.update((key, replaced(e)) for key, e in list(table.items()))

    def declared(self) -> list[Any]:
        """Params in the order of their names; everything that the formulas use has a value."""
        used = symbols_in(self.expressions()) - {*self.system.q, *self.system.speeds}
        values = [sympy.sympify(value) for value in self.params.values() if isinstance(value, sympy.Basic)]
        used |= symbols_in(values)
        missing = sorted(str(symbol) for symbol in used - set(self.params))
        if missing:
            raise wrong_usage("without a value: %s" % ", ".join(missing), "add params={%s: ...}" % missing[0])
        return sorted(used & set(self.params), key=str)

    def value(self, value: Any, where: str) -> str:
        return self.printer.text(value) if isinstance(value, sympy.Basic) else number_text(value, where)

    def text(self) -> str:
        self.prescribed()
        system, declared = self.system, self.declared()
        for symbol in (*system.q, *declared):
            self.names.add(symbol)
        put, text = self.names.of, self.printer.text
        lines = ["# From SymPy.", "model " + self.names.free(self.title)]
        lines += ["param %s = %s" % (put[symbol], self.value(self.params[symbol], "params")) for symbol in declared]
        lines += ["coord " + ", ".join(put[coordinate] for coordinate in system.q), "lagrangian " + text(system.lagrangian)]
        lines += ["force %s = %s" % (put[coordinate], text(force)) for coordinate, force in system.forces.items()]
        labels = Names()
        lines += ["constraint %s: %s = 0" % (labels.free(label), text(e)) for label, e in system.constraints]
        lines += self.start_lines()
        if self.time is not None:
            lines.append("time " + range_text(self.time, "time"))
        lines += ["observe %s = %s" % (self.names.free(label), text(e)) for label, e in system.observe.items()]
        return "\n".join(lines) + "\n"

    # ---- start data

    def start_lines(self) -> list[str]:
        known = {*self.system.q, *map(rate, self.system.q), *self.system.speeds}
        for key in self.start:
            if key not in known:
                raise wrong_usage("start: '%s' is not a coordinate, its rate or a speed" % key)
        data = {key: value for key, value in self.start.items() if key not in self.system.speeds}
        if self.system.speeds or self.system.follow:
            data.update(self.found(data))
        return ["start %s = %s" % (self.printer.text(key), self.value(value, "start of '%s'" % key)) for key, value in data.items()]

    def found(self, data: Mapping[Any, Any]) -> dict[Any, Any]:
        """Rates from speeds, and what follows from both, as numbers."""
        numbers = self.numbers()
        numbers.update((q, self.number(data.get(q, 0), numbers)) for q in self.system.q)
        speeds = {u: self.number(self.start.get(u, 0), numbers) for u in self.system.speeds}
        rates = {}
        for q in self.system.q:
            formula = self.system.rates.get(rate(q)) if rate(q) not in data else None
            if formula is not None:
                rates[rate(q)] = self.number(formula, {**numbers, **speeds})
            elif rate(q) not in self.system.follow:
                rates[rate(q)] = self.number(data.get(rate(q), 0), numbers)
        more = {key: self.number(e, {**rates, **numbers}) for key, e in self.system.follow.items() if key not in data}
        return {key: value for key, value in {**rates, **more}.items() if key in data or value != 0}

    def numbers(self) -> dict[Any, float]:
        t0 = self.time[0] if self.time is not None and not isinstance(self.time, str) else 0
        known: dict[Any, float] = {dynamicsymbols._t: float(t0)}
        for _ in self.params:                               # params may use each other
            for symbol, value in self.params.items():
                if symbol not in known and not symbols_in([sympy.sympify(value)]) - set(known):
                    known[symbol] = self.number(value, known)
        return known

    def number(self, value: Any, known: Mapping[Any, float]) -> float:
        rates = {key: v for key, v in known.items() if isinstance(key, sympy.Derivative)}
        result = sympy.sympify(value).subs(rates).subs(known).evalf(17)
        if not result.is_number or not result.is_real:
            raise wrong_usage("start: %s does not have a value" % value)
        return float(result)


def from_sympy(source: Any, q: Sequence[Any] | None = None, *, constraints: Any = (), nonholonomic: Any = (), forces: Any = None, frame: Any = None,
               params: Mapping[Any, Any] | None = None, start: Mapping[Any, Any] | None = None, time: Any = None,
               observe: Mapping[str, Any] | None = None, bodies: Any = None, loads: Any = None, name: str = "sympy_model") -> Model:
    """A model from SymPy mechanics.

    `source` is a Lagrangian with coordinates `q` (dynamicsymbols), a LagrangesMethod or a KanesMethod. Constraints are
    expressions that vanish, equations, or a dict of them by label; those with rates of coordinates are velocity
    constraints. `forces` is {coordinate: force}, or [(Point, force), (ReferenceFrame, torque)] with the inertial `frame`.
    Every symbol needs a value in `params`, a number, a formula of others, or for a dynamicsymbol a function of t.

    >>> import actio, sympy
    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> x, y = dynamicsymbols("x y")
    >>> m, g, l = sympy.symbols("m g l")
    >>> L = m*(x.diff()**2 + y.diff()**2)/2 - m*g*y
    >>> p = actio.from_sympy(L, [x, y], constraints={"rod": x**2 + y**2 - l**2}, params={m: 1, g: 9.8, l: 1},
    ...                      start={x: 1}, time=(0, 2))
    >>> print(p.check().verdict)
    regular
    >>> r = p.run()
    >>> abs(r["x"]**2 + r["y"]**2 - 1).max() < 1e-9
    True

    Names that the model language can't have are changed: see `m.symbols`, which maps each symbol to its name."""
    if isinstance(source, LagrangesMethod):
        system = _from_lagrange(source)
    elif isinstance(source, KanesMethod):
        from ._kane import from_kane
        system = from_kane(source, bodies, loads)
    else:
        system = _from_lagrangian(source, q, frame, forces)
    if isinstance(source, (LagrangesMethod, KanesMethod)) and (q is not None or forces):
        raise wrong_usage("q and forces belong to a Lagrangian; the method has its own")
    system.constraints += labelled(constraints, "c") + labelled(nonholonomic, "n")
    system.observe.update((str(label), sympy.sympify(e)) for label, e in (observe or {}).items())
    writer = Writer(system, params or {}, start or {}, time, name)
    made = Model(writer.text(), "%s.act" % name)
    made.symbols = dict(writer.names.of)
    return made


def _from_lagrangian(source: Any, q: Sequence[Any] | None, frame: Any, forces: Any) -> System:
    try:
        lagrangian = sympy.sympify(source)
    except (sympy.SympifyError, TypeError):
        lagrangian = None
    if not isinstance(lagrangian, sympy.Expr) or isinstance(source, str):
        raise wrong_usage("from_sympy takes a SymPy expression, a LagrangesMethod or a KanesMethod; found %r" % (source,))
    if not q:
        raise wrong_usage("a Lagrangian needs its coordinates", "add a list of dynamicsymbols")
    for coordinate in q:
        if not isinstance(coordinate, sympy.core.function.AppliedUndef) or coordinate.args != (dynamicsymbols._t,):
            raise wrong_usage("'%s' is not a dynamicsymbol" % (coordinate,))
    return System(lagrangian, list(q), forces=_forces(forces, q, frame))

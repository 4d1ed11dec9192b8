# SPDX-License-Identifier: Apache-2.0
"""The equations of a model as SymPy objects. The library derives them; their text is read here."""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable

import sympy
from sympy.physics.mechanics import dynamicsymbols

from ._errors import wrong_usage

if TYPE_CHECKING:
    from ._model import Model

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|([^\W\d]\w*(?:\.\w+)*(?:\[\d+\])?(?:\.\w+)*)|('+|<=|>=|[-+*/^(),<>]))")
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(sympy, name) for name in "sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt sign floor".split()},
    "ln": sympy.log, "abs": sympy.Abs, "min": sympy.Min, "max": sympy.Max, "mod": sympy.Mod,
    "hypot": lambda *x: sympy.sqrt(sum(one**2 for one in x)),
    "if": lambda condition, yes, no: sympy.Piecewise((yes, condition), (no, True)),
}
RELATIONS = {"<": sympy.Lt, "<=": sympy.Le, ">": sympy.Gt, ">=": sympy.Ge}


def tokens(text: str) -> list[str]:
    found, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise wrong_usage("to_sympy: can't read '%s'" % text[at:at + 20])
        found.append(match.group(0).strip())
        at = match.end()
    return found


class Reader:
    """Formulas of the model language, by descent through their operators."""

    def __init__(self, value: Callable[[str, int], Any]) -> None:
        self.value, self.words, self.at = value, [""], 0

    def read(self, text: str) -> Any:
        self.words, self.at = tokens(text) + [""], 0
        made = self.sum()
        if self.words[self.at]:
            raise wrong_usage("to_sympy: '%s' is left of '%s'" % (self.words[self.at], text))
        return made

    def next(self, *words: str) -> str:
        word = self.words[self.at]
        if word in words and word:
            self.at += 1
            return word
        return ""

    def sum(self) -> Any:
        made = self.product()
        while sign := self.next("+", "-"):
            made = made + self.product() if sign == "+" else made - self.product()
        return made

    def product(self) -> Any:
        made = self.unary()
        while sign := self.next("*", "/"):
            made = made * self.unary() if sign == "*" else made / self.unary()
        return made

    def unary(self) -> Any:
        return -self.unary() if self.next("-") else self.power()

    def power(self) -> Any:
        base = self.primary()
        return base ** self.unary() if self.next("^") else base

    def primary(self) -> Any:
        word = self.words[self.at]
        self.at += 1
        if word == "(":
            return self.closed(self.condition())
        if word[:1].isdigit() or word[:1] == ".":
            return sympy.Integer(word) if word.isdigit() else sympy.Float(float(word))
        if word in FUNCTIONS and self.next("("):
            arguments = [self.condition()]
            while self.next(","):
                arguments.append(self.condition())
            return self.closed(FUNCTIONS[word](*arguments))
        primes = len(self.next("'", "''", "'''"))
        return self.value(word, primes)

    def closed(self, made: Any) -> Any:
        if not self.next(")"):
            raise wrong_usage("to_sympy: a bracket is open")
        return made

    def condition(self) -> Any:
        made = self.conjunction()
        while self.next("or"):
            made = sympy.Or(made, self.conjunction())
        return made

    def conjunction(self) -> Any:
        made = self.negation()
        while self.next("and"):
            made = sympy.And(made, self.negation())
        return made

    def negation(self) -> Any:
        if self.next("not"):
            return sympy.Not(self.negation())
        made = self.sum()
        sign = self.next("<", "<=", ">", ">=")
        return RELATIONS[sign](made, self.sum()) if sign else made


def statements(section: str) -> list[str]:
    """Lines with their continuations, which are indented by more than two blanks."""
    found: list[str] = []
    for line in section.splitlines():
        if line.startswith("      ") and found:
            found[-1] += " " + line.strip()
        elif line.strip() and not line.strip().startswith("#"):
            found.append(line.strip())
    return found


def sides(statement: str) -> tuple[str, str, str]:
    """(label, left, right) of `label: left = right`."""
    label = re.match(r"([^\W\d]\w*(?:\[\d+\])?): ", statement)
    body = statement[label.end():] if label else statement
    left, _, right = body.partition(" = ")
    return label.group(1) if label else "", left, right


@dataclass
class Equations:
    """The equations of a model in SymPy's terms.

    `equations`: Eq, one for each coordinate, then one for each state; with multipliers. `constraints`: expressions that
    vanish, by label. `mass_matrix` and `forcing`: M*(q'', p', lambda) = f with rows for the constraints' accelerations.

    >>> import actio
    >>> e = actio.load("pendulum").to_sympy()
    >>> e.equations[0]
    Eq(l**2*Derivative(a(t), (t, 2)), -g*l*sin(a(t)))
    """

    q: list[Any]
    states: list[Any]
    params: dict[Any, Any]
    multipliers: dict[str, Any]
    lagrangian: Any
    equations: list[Any]
    constraints: dict[str, Any]
    hidden: list[Any] = field(default_factory=list)

    @property
    def t(self) -> Any:
        return dynamicsymbols._t

    def _unknowns(self) -> list[Any]:
        return [one.diff(self.t, 2) for one in self.q] + [one.diff(self.t) for one in self.states] + list(self.multipliers.values())

    def _accelerations(self, constraint: Any) -> Any:
        """The constraint, differentiated until an unknown appears linearly."""
        highest = {one.diff(self.t, 2) for one in self.q} | {one.diff(self.t) for one in self.states}
        for _ in range(3):
            if constraint.atoms(sympy.Derivative) & highest:
                return constraint
            constraint = constraint.diff(self.t)
        return constraint

    def _system(self) -> tuple[Any, Any]:
        rows = [equation.lhs - equation.rhs for equation in self.equations]
        rows += [self._accelerations(constraint) for constraint in (*self.constraints.values(), *self.hidden)]
        unknowns = self._unknowns()
        stand_in = {one: sympy.Dummy() for one in unknowns}
        return sympy.linear_eq_to_matrix([row.xreplace(stand_in) for row in rows], [stand_in[one] for one in unknowns])  # type: ignore[no-any-return]

    @property
    def mass_matrix(self) -> Any:
        return self._system()[0]

    @property
    def forcing(self) -> Any:
        return self._system()[1]

    @property
    def y(self) -> list[Any]:
        """Coordinates, their rates, states: the state of `rhs`."""
        return [*self.q, *(one.diff(self.t) for one in self.q), *self.states]

    def rhs(self) -> Callable[[float, Any], Any]:
        """f(t, y) for scipy.integrate.solve_ivp, with the params' values; the matrix is solved by NumPy at each call."""
        import numpy as np
        matrix, forcing = self._system()
        places = {one: sympy.Dummy() for one in self.y}
        rates = {one: place for one, place in places.items() if isinstance(one, sympy.Derivative)}
        values = {symbol: sympy.sympify(value) for symbol, value in self.params.items()}

        def plain(one: Any) -> Any:
            for _ in range(len(values) + 1):
                one = one.subs(values)
            return one.xreplace(rates).xreplace(places)
        numbers = sympy.lambdify([self.t, [*places.values()]], [plain(matrix), plain(forcing)], "numpy")
        n, count = len(self.q), len(self.q) + len(self.states)

        def f(t: float, y: Any) -> Any:
            m, e = numbers(t, y)
            found = np.linalg.lstsq(np.array(m, dtype=float), np.array(e, dtype=float).ravel(), rcond=None)[0]
            return np.concatenate([np.asarray(y)[n:2 * n], found[:count]])
        return f


class Collector:
    def __init__(self, model: Model) -> None:
        derived = model.derive()
        self.sections = derived.sections
        if "ends" in self.sections or any("(s)" in text for text in self.sections.values()):
            raise wrong_usage("to_sympy: the model has fields, whose equations are partial differential equations")
        if "contacts" in self.sections:
            raise wrong_usage("to_sympy: the model has contacts or friction, whose motion does not follow from equations only")
        self.variables = {name: dynamicsymbols(self.plain(name)) for key in ("coordinates", "states") for name in self.listed(key)}
        self.defined: dict[str, Any] = {}
        self.params: dict[str, Any] = {}
        self.multipliers: dict[str, Any] = {}

    @staticmethod
    def plain(name: str) -> str:
        return re.sub(r"\W+", "_", name).strip("_")

    def listed(self, key: str) -> list[str]:
        return [re.sub(r"\s*\[\D[^\]]*\]$", "", name.strip()) for line in statements(self.sections.get(key, "")) for name in line.split(",") if name.strip()]

    def value(self, word: str, primes: int) -> Any:
        if word in self.variables:
            return self.variables[word].diff(dynamicsymbols._t, primes) if primes else self.variables[word]
        if word.startswith("lambda."):
            return self.multipliers.setdefault(word[7:], dynamicsymbols("lambda_" + self.plain(word[7:])))
        known = {"t": dynamicsymbols._t, "pi": sympy.pi}.get(word, self.defined.get(word))
        made = known if known is not None else self.params.setdefault(word, sympy.Symbol(word))
        return made.diff(dynamicsymbols._t, primes) if primes else made

    def definitions(self, key: str, reader: Reader) -> None:
        for statement in statements(self.sections.get(key, "")):
            label, left, right = sides(statement)
            if not label and re.fullmatch(r"\w+", left) and right:
                self.defined[left] = reader.read(right)

    def collect(self) -> Equations:
        reader, values = Reader(self.value), {}
        for statement in statements(self.sections.get("parameters", "")):
            _, left, right = sides(statement)
            values[self.value(left, 0)] = reader.read(right)
        for key in ("shared", "forces"):
            self.definitions(key, reader)
        equations = [sympy.Eq(reader.read(a), reader.read(b), evaluate=False) for _, a, b in map(sides, statements(self.sections["equations"]))]
        rows = map(sides, statements(self.sections.get("constraints", "")))
        constraints = {label: reader.read(a) - reader.read(b) for label, a, b in rows if label}
        lagrangian = self.sections.get("lagrangian")
        multipliers = {label: self.value("lambda." + label, 0) for label in constraints}
        hidden = [reader.read(a) - reader.read(b) for _, a, b in map(sides, statements(self.sections.get("hidden", ""))) if b]
        return Equations([self.variables[name] for name in self.listed("coordinates")], [self.variables[name] for name in self.listed("states")],
                         values, multipliers, reader.read(sides(statements(lagrangian)[0])[2]) if lagrangian else None, equations, constraints, hidden)


def equations_of(model: Model) -> Equations:
    return Collector(model).collect()

# SPDX-License-Identifier: Apache-2.0
"""SymPy expressions as formulas of the model language, and names that the language can have."""
from __future__ import annotations

import re
import unicodedata
from typing import Any, Iterable

import sympy
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import dynamicsymbols
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

from ._errors import UsageError, wrong_usage

RESERVED = frozenset("""model param let coord state lagrangian dissipation flow force constraint contact event frame symmetry start time
observe expect free require field draw plot table t pi energy residual sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign
min max if sum diff integral running floor mod ln hypot lambda reaction power and or not external""".split())
FUNCTIONS = {sympy.Abs: "abs", sympy.sign: "sign", sympy.Min: "min", sympy.Max: "max", sympy.floor: "floor", sympy.Mod: "mod",
             **{f: f.__name__ for f in (sympy.sin, sympy.cos, sympy.tan, sympy.asin, sympy.acos, sympy.atan, sympy.atan2, sympy.sinh,
                                        sympy.cosh, sympy.tanh, sympy.exp, sympy.log)}}
# What SymPy has and the language has not, in other words.
OTHERWISE: dict[Any, Any] = {
    sympy.sec: lambda x: 1 / sympy.cos(x), sympy.csc: lambda x: 1 / sympy.sin(x), sympy.cot: lambda x: sympy.cos(x) / sympy.sin(x),
    sympy.coth: lambda x: sympy.cosh(x) / sympy.sinh(x), sympy.sech: lambda x: 1 / sympy.cosh(x), sympy.csch: lambda x: 1 / sympy.sinh(x),
    sympy.asinh: lambda x: sympy.log(x + sympy.sqrt(x**2 + 1)), sympy.acosh: lambda x: sympy.log(x + sympy.sqrt(x**2 - 1)),
    sympy.atanh: lambda x: sympy.log((1 + x) / (1 - x)) / 2, sympy.acot: lambda x: sympy.atan(1 / x),
    sympy.sinc: lambda x: sympy.Piecewise((sympy.sin(x) / x, sympy.Abs(x) > 0), (1, True)),
    sympy.ceiling: lambda x: -sympy.floor(-x),
    sympy.Heaviside: lambda x, *half: sympy.Piecewise((0, x < 0), (1, x > 0), (half[0] if half else sympy.Rational(1, 2), True)),
}


def plain_name(name: str) -> str:
    """The rule for names: Latin and Greek letters, digits and _ stay; a prime becomes _prime; LaTeX commands keep their
    word; runs of other signs become one _; what begins with a digit gets q_ in front."""
    name = unicodedata.normalize("NFKC", name).replace("'", "_prime").replace("\\", " ")
    kept = re.sub(r"_*[^0-9A-Za-z_\u0370-\u03ff]+_*", "_", name).strip("_") or "q"
    return "q_" + kept if kept[0].isdigit() else kept


class Names:
    """One name of the model language for each symbol. Reserved or taken names get _2, _3, ..."""

    def __init__(self) -> None:
        self.of: dict[Any, str] = {}
        self.taken: set[str] = set()

    def free(self, name: str) -> str:
        wanted, count = plain_name(name), 1
        free = wanted
        while free in RESERVED or free in self.taken or free + "_dot" in self.taken or self._is_rate(free):
            count += 1
            free = "%s_%d" % (wanted, count)
        self.taken.add(free)
        return free

    def _is_rate(self, name: str) -> bool:
        return name.endswith("_dot") and name[:-4] in self.taken

    def add(self, symbol: Any) -> str:
        if symbol not in self.of:
            self.of[symbol] = self.free(symbol.func.__name__ if isinstance(symbol, AppliedUndef) else symbol.name)
        return self.of[symbol]


class Printer(StrPrinter):  # type: ignore[misc]
    """Formulas of the model language."""

    def __init__(self, names: Names) -> None:
        super().__init__({"order": None})
        self.names = names

    def known(self, symbol: Any) -> str:
        if symbol not in self.names.of:
            raise wrong_usage("'%s' is neither a coordinate nor a param with a value" % symbol, "add it to params")
        return self.names.of[symbol]

    def _print_Symbol(self, expr: Any) -> str:
        return "t" if expr == dynamicsymbols._t else self.known(expr)

    def _print_Dummy(self, expr: Any) -> str:
        return self.known(expr)

    def _print_Derivative(self, expr: Any) -> str:
        inner = expr.expr
        count = sum(n for _, n in expr.variable_count)
        if not isinstance(inner, AppliedUndef) or set(expr.variables) != {dynamicsymbols._t} or count > 2:
            raise wrong_usage("the derivative %s is not a rate of a coordinate" % expr)
        return str(self.known(inner) + "'" * int(count))

    def _print_Function(self, expr: Any) -> str:
        if isinstance(expr, AppliedUndef):
            return self.known(expr)
        if expr.func in OTHERWISE:
            return str(self.parenthesize(OTHERWISE[expr.func](*expr.args), PRECEDENCE["Atom"]))
        if expr.func not in FUNCTIONS or (expr.func is sympy.log and len(expr.args) > 1):
            raise wrong_usage("the model language does not have the function %s" % expr.func.__name__, "rewrite the expression without it")
        return "%s(%s)" % (FUNCTIONS[expr.func], ", ".join(self._print(argument) for argument in expr.args))

    _print_Min = _print_Max = _print_Abs = _print_Heaviside = _print_Mod = _print_Function

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        base, power = expr.as_base_exp() if expr.func is sympy.exp else expr.args
        if base is sympy.E:
            return "exp(%s)" % self._print(power)
        if power is sympy.S.Half:
            return "sqrt(%s)" % self._print(base)
        if -power is sympy.S.Half:
            return "1/sqrt(%s)" % self._print(base)
        if power is sympy.S.NegativeOne:
            return "1/%s" % self.parenthesize(base, PRECEDENCE["Pow"], strict=False)
        return "%s^%s" % (self.parenthesize(base, PRECEDENCE["Pow"], strict=False), self.parenthesize(power, PRECEDENCE["Pow"], strict=False))

    def _print_Exp1(self, expr: Any) -> str:
        return "exp(1)"

    def _print_Float(self, expr: Any) -> str:
        return repr(float(expr)).replace("e+", "e")

    def _print_Piecewise(self, expr: Any) -> str:
        *cases, last = expr.args
        if last.cond != sympy.true:
            raise wrong_usage("%s does not have a value everywhere" % expr, "end a Piecewise with (value, True)")
        text = self._print(last.expr)
        for case in reversed(cases):
            text = "if(%s, %s, %s)" % (self._print(case.cond), self._print(case.expr), text)
        return str(text)

    def _print_Relational(self, expr: Any) -> str:
        if expr.rel_op not in ("<", "<=", ">", ">="):
            raise wrong_usage("the model language does not compare with %s" % expr.rel_op)
        return "%s %s %s" % (self._print(expr.lhs), expr.rel_op, self._print(expr.rhs))

    def _print_And(self, expr: Any) -> str:
        return "(%s)" % " and ".join(self._print(part) for part in expr.args)

    def _print_Or(self, expr: Any) -> str:
        return "(%s)" % " or ".join(self._print(part) for part in expr.args)

    def _print_Not(self, expr: Any) -> str:
        return "not (%s)" % self._print(expr.args[0])

    def _print_ITE(self, expr: Any) -> str:
        condition, yes, no = expr.args
        return str(self._print(sympy.Or(sympy.And(condition, yes), sympy.And(sympy.Not(condition), no))))

    def _print_BooleanTrue(self, expr: Any) -> str:
        return "0 < 1"

    def _print_BooleanFalse(self, expr: Any) -> str:
        return "1 < 0"

    def _refuse(self, expr: Any) -> str:
        raise wrong_usage("the model language does not have '%s'" % expr)

    _print_ImaginaryUnit = _print_Infinity = _print_NegativeInfinity = _print_ComplexInfinity = _print_NaN = _refuse
    _print_Integral = _print_Sum = _print_Subs = _print_Limit = _refuse

    def emptyPrinter(self, expr: Any) -> str:
        return self._refuse(expr)

    def text(self, expr: Any) -> str:
        return str(self.doprint(sympy.sympify(expr)))


def symbols_in(expressions: Iterable[Any]) -> set[Any]:
    """Symbols and functions of time, without the time itself."""
    found: set[Any] = set()
    for expression in expressions:
        found |= expression.free_symbols | expression.atoms(AppliedUndef)
    for function in [one for one in found if isinstance(one, AppliedUndef)]:
        if function.args != (dynamicsymbols._t,):
            raise wrong_usage("%s is not a function of the time t only" % function)
    return found - {dynamicsymbols._t}


__all__ = ["Names", "Printer", "RESERVED", "UsageError", "plain_name", "symbols_in"]

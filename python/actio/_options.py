# SPDX-License-Identifier: Apache-2.0
"""Keywords of run, check, derive, compare, orbit and test. They are rows of the library's table of options."""
from __future__ import annotations

import ctypes
import functools
import math
import numbers
import operator
import os
from typing import Any, Callable, Iterable, Mapping, NamedTuple

from . import _abi
from ._errors import UsageError, wrong_usage
from ._handles import Progress, addresses, text_of
from ._library import lib

# What only the command line can do; a result has methods for it.
FRONT_END = frozenset("o plot overlay events animate axes json quiet no-color help version".split())
# Arguments that have names of their own in the methods, and rows in the table.
OWN = {"check": ("modes",), "derive": ("format",)}
SUFFIXES = {"K": 10, "M": 20, "G": 30}
INTO = {_abi.ACTIO_INTO_RUN: "run", _abi.ACTIO_INTO_ORBIT: "orbit"}


class Option(NamedTuple):
    """A row of the table: `keyword` in Python, `name` on the command line."""

    keyword: str
    name: str
    argument: str
    fallback: str
    group: str
    commands: tuple[str, ...]
    help: str
    repeats: bool
    takes: str
    kind: int
    into: int
    offset: int
    least: float
    most: float
    words: tuple[str, ...]
    change: Any
    row: Any

    def __repr__(self) -> str:
        return "<Option %s: %s>" % (self.keyword, self.takes or self.argument or "True")

    def refuse(self, value: Any, why: str = "") -> UsageError:
        return wrong_usage("%s: %r %s" % (self.keyword, value, why or "is not " + self.takes))


def _option(row: Any) -> Option:
    takes = ctypes.create_string_buffer(256)
    lib.actio_option_takes(ctypes.byref(row), takes, len(takes))
    name = text_of(row.name)
    return Option(name.replace("-", "_"), name, text_of(row.argument), text_of(row.fallback), text_of(row.group),
                  tuple(text_of(row.commands).split()), text_of(row.help), row.repeats, text_of(takes.value), row.kind, row.into,
                  row.offset, row.least, row.most, tuple(text_of(row.words).split("|")), row.change, row)


@functools.lru_cache(maxsize=None)
def table() -> tuple[Option, ...]:
    """All options of the library, as rows."""
    rows = ctypes.POINTER(_abi.OptionRow)()
    count = lib.actio_options(ctypes.byref(rows))
    return tuple(_option(rows[i]) for i in range(count))


@functools.lru_cache(maxsize=None)
def options(command: str = "run") -> dict[str, Option]:
    """The keywords of a method of a model, by name.

    >>> import actio
    >>> actio.options("run")["tol"].takes
    'a number above 0, at most 1'
    """
    rows = {option.keyword: option for option in table() if command in option.commands and option.name not in FRONT_END}
    if not rows:
        raise wrong_usage("options: %r is not a command" % (command,), "use one of " + ", ".join(sorted(commands())))
    return {keyword: option for keyword, option in rows.items() if keyword not in OWN.get(command, ())}


def commands() -> set[str]:
    return {command for option in table() for command in option.commands if command != "list"}


@functools.lru_cache(maxsize=None)
def principles() -> tuple[str, ...]:
    """The names that `by` may have.

    >>> import actio
    >>> actio.principles()[:3]
    ('dalembert', 'gauss', 'maggi')
    """
    names, i = [], 0
    while lib.actio_principle_name(i):
        names.append(text_of(lib.actio_principle_name(i)))
        i += 1
    return tuple(names)


def near(word: str, words: Iterable[str]) -> str:
    import difflib
    found = difflib.get_close_matches(word, list(words), 1)
    return "did you mean '%s'?" % found[0] if found else ""


def described(command: str, text: str) -> str:
    """The docstring of a method with its keywords from the table."""
    lines = [text.rstrip(), "", "        Keywords:"]
    for option in options(command).values():
        default = "; default %s" % option.fallback if option.fallback else ""
        lines.append("            %s: %s%s" % (option.keyword, option.help, default))
    return "\n".join(lines) + "\n        "


# ---- values as texts of the model language

def number_text(value: Any, where: str) -> str:
    """A number that reads back exactly, or a formula as it is written."""
    if isinstance(value, str):
        if not value.strip():
            raise wrong_usage("%s: the formula is empty" % where)
        return value
    if isinstance(value, bool) or not (isinstance(value, numbers.Real) or hasattr(value, "__float__")):
        raise wrong_usage("%s: %r is not a number or a formula" % (where, value))
    if isinstance(value, numbers.Integral) and abs(int(value)) < 2 ** 53:
        return str(int(value))
    try:
        real = float(value)
    except (TypeError, ValueError, OverflowError):
        raise wrong_usage("%s: %r is not a number or a formula" % (where, value)) from None
    if not math.isfinite(real):
        raise wrong_usage("%s: %r is not a finite number" % (where, value))
    return repr(real)


def pairs(value: Any, where: str) -> list[tuple[str, str]]:
    """{name: number or formula} or "a=1,b=2"."""
    if isinstance(value, str):
        value = dict([part.partition("=")[::2] for part in _parts(value)])
        value = {name.strip(): formula for name, formula in value.items()}
    if not isinstance(value, Mapping):
        raise wrong_usage("%s: %r is not a dict of names and values" % (where, value))
    for name in value:
        if not isinstance(name, str) or not name.strip():
            raise wrong_usage("%s: %r is not a name" % (where, name))
    return [(name.strip(), number_text(given, "%s of '%s'" % (where, name))) for name, given in value.items()]


def _parts(text: str) -> list[str]:
    """Between commas outside brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def range_text(value: Any, where: str) -> str:
    """(a, b) or "A..B"."""
    if isinstance(value, str):
        if ".." not in value:
            raise wrong_usage("%s: %r is not A..B" % (where, value))
        return value
    try:
        a, b = value
    except (TypeError, ValueError):
        raise wrong_usage("%s: %r is not a pair (from, to)" % (where, value)) from None
    return "%s .. %s" % (number_text(a, where), number_text(b, where))


# ---- a request: what keywords come to

class Request:
    """Options as the library takes them, changes of the model, limits, and everything that must stay alive."""

    def __init__(self, command: str) -> None:
        self.command, self.rows = command, options(command)
        self.run = lib.actio_run_options_default()
        self.orbit = lib.actio_orbit_options_default() if command == "orbit" else None
        self.changes: list[tuple[Any, str]] = []
        self.by: list[str] = []
        self.box: list[str] = []
        self.memory, self.seconds = 0, 0.0
        self.progress: Progress | None = None
        self.alive: list[Any] = []
        self.given: set[str] = set()

    @property
    def limited(self) -> bool:
        """Does the call need a context of its own?"""
        return bool(self.memory or self.seconds or self.progress)

    def keep(self, text: str) -> bytes:
        if "\0" in text:
            raise wrong_usage("%r has a NUL character" % text)
        self.alive.append(text.encode("utf-8", "surrogateescape"))
        kept: bytes = self.alive[-1]
        return kept

    def take(self, keyword: str, value: Any) -> None:
        if keyword == "curves" and self.command in ("run", "compare"):       # of the command line they are those of --plot
            if not isinstance(value, bool):
                raise wrong_usage("curves: %r is not True or False" % (value,))
            self.run.curves = value
            return
        option = self.rows.get(keyword)
        if option is None:
            hint = near(keyword, self.rows) or "see actio.options(%r)" % self.command
            raise wrong_usage("'%s' is not an option of %s" % (keyword, self.command), hint)
        if value is None:
            return
        self.given.add(keyword)
        taker = TAKERS.get(option.name) or KINDS[option.kind]
        taker(self, option, value)

    def put(self, option: Option, ctype: Any, value: Any) -> None:
        struct = getattr(self, INTO[option.into])
        ctype.from_buffer(struct, option.offset).value = value

    def change(self, option: Option, text: str) -> None:
        self.changes.append((option.change, text))


Taker = Callable[[Request, Option, Any], None]


def take_switch(request: Request, option: Option, value: Any) -> None:
    if not isinstance(value, bool) and not type(value).__name__ == "bool_":
        raise option.refuse(value, "is not True or False")
    request.put(option, ctypes.c_bool, bool(value))


def _real(option: Option, value: Any) -> float:
    if isinstance(value, (bool, str, bytes)) or not hasattr(value, "__float__"):
        raise option.refuse(value)
    try:
        real = float(value)
    except (TypeError, ValueError, OverflowError):
        raise option.refuse(value) from None
    inside = 0 < real <= option.most if option.kind == _abi.ACTIO_TAKES_POSITIVE else option.least <= real <= option.most
    if not (inside and math.isfinite(real)):
        raise option.refuse(value)
    return real


def take_number(request: Request, option: Option, value: Any) -> None:
    real = _real(option, value)
    if option.into == _abi.ACTIO_INTO_LIMITS:
        request.seconds = real
    else:
        request.put(option, ctypes.c_double, real)


def _whole(option: Option, value: Any) -> int:
    try:
        whole = value if isinstance(value, bool) else operator.index(value)
    except TypeError:
        if not (isinstance(value, float) and value.is_integer()):
            raise option.refuse(value) from None
        whole = int(value)
    if isinstance(value, bool) or not option.least <= whole <= option.most:
        raise option.refuse(value)
    return min(whole, 2 ** 62)


def take_count(request: Request, option: Option, value: Any) -> None:
    request.put(option, ctypes.c_size_t, _whole(option, value))


def take_integer(request: Request, option: Option, value: Any) -> None:
    request.put(option, ctypes.c_int, _whole(option, value))


def _word(option: Option, value: Any, words: Iterable[str]) -> str:
    words = tuple(words)
    if not isinstance(value, str) or value not in words:
        hint = near(value, words) if isinstance(value, str) else ""
        error = option.refuse(value, "is not one of " + ", ".join(words))
        raise wrong_usage(error.first.message, hint)
    return value


def take_word(request: Request, option: Option, value: Any) -> None:
    request.put(option, ctypes.c_char_p, request.keep(_word(option, value, option.words)))


def take_text(request: Request, option: Option, value: Any) -> None:
    if not isinstance(value, (str, os.PathLike)):
        raise option.refuse(value, "is not a text")
    request.put(option, ctypes.c_char_p, request.keep(os.fspath(value)))


def name_list(option: Option, value: Any) -> list[str]:
    names = [name.strip() for name in value.split(",")] if isinstance(value, str) else list(value) if isinstance(value, Iterable) else [value]
    for name in names:
        if not isinstance(name, str) or not name:
            raise option.refuse(value, "is not a list of names")
    return names


def take_names(request: Request, option: Option, value: Any) -> None:
    names = name_list(option, value)
    array = addresses(names)
    request.alive.append(array)
    struct = getattr(request, INTO[option.into])
    pointer = ctypes.c_void_p.from_buffer(struct, option.offset)
    pointer.value = ctypes.addressof(array) if names else None
    ctypes.c_size_t.from_buffer(struct, option.offset + ctypes.sizeof(ctypes.c_void_p)).value = len(names)


def take_change(request: Request, option: Option, value: Any) -> None:
    mark = option.words[0]
    if mark == "=":
        for name, formula in pairs(value, option.keyword):
            request.change(option, "%s=%s" % (name, formula))
    elif mark == "..":
        request.change(option, range_text(value, option.keyword))
    else:
        request.change(option, number_text(value, option.keyword))


# ---- readers of their own

def take_by(request: Request, option: Option, value: Any) -> None:
    if request.command == "compare":
        request.by = [_word(option, name, principles()) for name in name_list(option, value)]
        for name in request.by:
            if request.by.count(name) > 1:
                raise option.refuse(name, "is given twice")
        return
    if request.command == "orbit" and value == "dual":      # an orbit's method, not its motion's principle
        request.orbit.method = b"dual"
        return
    request.run.by = request.keep(_word(option, value, principles()))
    request.by = [value]


def take_sigma(request: Request, option: Option, value: Any) -> None:
    if value == "auto":
        request.run.sigma_auto = True
        return
    widths = value if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)) else None
    if widths is None:
        request.run.sigma = _width(option, value)
        return
    if request.command != "compare":
        raise option.refuse(value, "is a list, which only compare takes")
    reals = [_width(option, width) for width in widths if width != "hard"]
    array = (ctypes.c_double * max(len(reals), 1))(*reals)
    request.alive.append(array)
    request.run.widths, request.run.width_count = ctypes.addressof(array), len(reals)


def _width(option: Option, value: Any) -> float:
    try:
        real = float(value) if not isinstance(value, (bool, str, bytes)) else math.nan
    except (TypeError, ValueError, OverflowError):
        real = math.nan
    if not (real > 0 and math.isfinite(real)):
        raise option.refuse(value, "is not a number above 0, nor 'auto'")
    return real


def take_power(request: Request, option: Option, value: Any) -> None:
    given = value if isinstance(value, (tuple, list)) else (value, None)
    if len(given) != 2:
        raise option.refuse(value, "is neither a word nor ('nonnegative', base of the slack)")
    word, slack = given
    take_word(request, option, word)
    if slack is not None:
        if not (hasattr(slack, "__float__") and math.isfinite(float(slack)) and float(slack) != 0):
            raise option.refuse(value, "needs a nonzero base for its slack: from 0 the slack never moves")
        request.run.slack = float(slack)


def take_base(request: Request, option: Option, value: Any) -> None:
    if isinstance(value, Mapping) or (isinstance(value, str) and "=" in value):
        request.changes += [(change_kind("BASE", b"b"), "%s=%s" % pair) for pair in pairs(value, option.keyword)]
        return
    text = os.fspath(value) if isinstance(value, (str, os.PathLike)) else ""
    if text not in ("exact", "constant") and not text.endswith(".csv"):
        raise option.refuse(value, "is neither 'exact', 'constant', a .csv file, nor a dict")
    request.run.base = request.keep(text)


def change_kind(name: str, letter: bytes) -> Any:
    """The kind of a change that does not have a row of its own."""
    return getattr(_abi, "ACTIO_CHANGE_" + name, letter)


def take_follow(request: Request, option: Option, value: Any) -> None:
    """("mu", a, b), {"mu": (a, b)} or "mu=a..b"."""
    if isinstance(value, str):
        name, _, span = value.partition("=")
        if not name.strip() or ".." not in span:
            raise option.refuse(value, "is not NAME=A..B")
    elif isinstance(value, Mapping) and len(value) == 1:
        name, span = next(iter(value.items()))
        span = range_text(span, option.keyword)
    elif isinstance(value, (tuple, list)) and len(value) == 3:
        name, span = value[0], range_text(value[1:], option.keyword)
    else:
        raise option.refuse(value, "is not (name, from, to)")
    request.orbit.follow = request.keep(name.strip())
    request.changes.append((change_kind("FOLLOW", b"A"), span))


def take_box(request: Request, option: Option, value: Any) -> None:
    if isinstance(value, str):
        request.box += _parts(value)
    elif isinstance(value, Mapping):
        request.box += ["%s=%s" % (name, range_text(span, option.keyword).replace(" ", "")) for name, span in value.items()]
    else:
        raise option.refuse(value, "is not a dict of names and pairs")


def take_memory(request: Request, option: Option, value: Any) -> None:
    """Bytes, or "2G"."""
    text, factor = (value.strip(), 0) if isinstance(value, str) else (value, 0)
    if isinstance(text, str) and text[-1:] in SUFFIXES:
        text, factor = text[:-1], SUFFIXES[text[-1:]]
    try:
        size = float(text) * 2 ** factor if not isinstance(text, bool) else 0
    except (TypeError, ValueError, OverflowError):
        size = 0
    if not 1 <= size < math.inf:
        raise option.refuse(value, "is not a size: bytes, or a number with K, M or G")
    request.memory = int(min(size, 2.0 ** 62))


KINDS: dict[int, Taker] = {
    _abi.ACTIO_TAKES_NOTHING: take_switch, _abi.ACTIO_TAKES_NUMBER: take_number, _abi.ACTIO_TAKES_POSITIVE: take_number,
    _abi.ACTIO_TAKES_COUNT: take_count, _abi.ACTIO_TAKES_INTEGER: take_integer, _abi.ACTIO_TAKES_WORD: take_word,
    _abi.ACTIO_TAKES_TEXT: take_text, _abi.ACTIO_TAKES_NAMES: take_names, _abi.ACTIO_TAKES_CHANGE: take_change,
}
TAKERS: dict[str, Taker] = {
    "by": take_by, "sigma": take_sigma, "power": take_power, "base": take_base, "follow": take_follow, "box": take_box,
    "limit-memory": take_memory,
}


def requested(command: str, keywords: Mapping[str, Any], progress: Progress | None = None) -> Request:
    request = Request(command)
    request.progress = progress
    for keyword, value in keywords.items():
        request.take(keyword, value)
    check_owners(request)
    return request


def check_owners(request: Request) -> None:
    """The library can't see a number that is written out as its default; the others it refuses itself."""
    for keyword in request.given if request.command in ("run", "compare") else ():
        option = request.rows[keyword]
        by = request.by or ([] if request.command == "compare" else ["dalembert"])
        if option.kind == _abi.ACTIO_TAKES_NUMBER and by:
            if not any(lib.actio_principle_owns(name.encode(), ctypes.byref(option.row)) for name in by):
                owners = ctypes.create_string_buffer(256)
                lib.actio_option_owners(ctypes.byref(option.row), owners, len(owners))
                raise wrong_usage("%s belongs to %s; '%s' can't use it here" % (keyword, text_of(owners.value), by[-1]),
                                  "remove it, or choose another principle with by=")


def change_array(changes: Iterable[tuple[Any, str]]) -> tuple[Any, int]:
    """Changes as the library takes them."""
    changes = list(changes)
    array = (_abi.Change * max(len(changes), 1))()
    for entry, (kind, text) in zip(array, changes):
        if "\0" in text:
            raise wrong_usage("%r has a NUL character" % text)
        entry.kind, entry.text = kind, text.encode("utf-8", "surrogateescape")
    return array, len(changes)

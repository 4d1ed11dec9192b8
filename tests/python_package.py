#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package gives what the command line gives: numbers to the last bit, verdicts, equations, messages.
tests/python_package.py [--program PROGRAM] [MODEL ...]"""
import glob
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import warnings

from program import ROOT, Tally, call, chosen, model_name, run_parts
from python_setup import LIBRARY, MODELS, PROGRAM, missing, needs

needs("python_package", "numpy")
import numpy  # noqa: E402

import actio  # noqa: E402
from actio import _abi, _options  # noqa: E402

OSCILLATOR = "param k = 4, m = 1\ncoord x\nlagrangian m*x'^2/2 - k*x^2/2\nstart x = 1, x' = 2\ntime 0 .. 1\n"
warnings.simplefilter("ignore", actio.ActioWarning)


def refused(kind, action, *words):
    """Does the action raise this kind of error, with these words?"""
    try:
        action()
    except actio.Error as error:
        return isinstance(error, kind) and all(word in str(error) for word in words)
    return False


def csv_of(path, *options):
    """Status and columns of `actio run`: the text of the CSV file, read by float(), is exact."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "rows.csv")
        status = call(PROGRAM, "run", path, "--quiet", "-o", file, *options)[0]
        if not os.path.exists(file):
            return status, None
        with open(file, encoding="utf-8") as lines:
            names = lines.readline().rstrip("\n").split(",")
            return status, dict(zip(names, numpy.loadtxt(lines, delimiter=",", ndmin=2).T))


def same_bits(a, b):
    return a.shape == b.shape and numpy.array_equal(a.view(numpy.uint64), b.view(numpy.uint64))


def compare_model(tally, path):
    name = model_name(path)
    status, columns = csv_of(path)
    try:
        result, code = actio.load(path).run(), 0
    except actio.Error as error:
        result, code = error.result, error.status
    tally.check(code == status, "%s: status %s by the command line, %s by Python" % (name, status, code))
    tally.check((result is None) == (columns is None), "%s: rows only on one side" % name)
    if result is None or columns is None:
        return
    flat = {key: numpy.array(value) for key, value in result.flat().items()}
    tally.check(list(flat) == list(columns), "%s: columns %s and %s" % (name, list(flat), list(columns)))
    different = [key for key in columns if key in flat and not same_bits(flat[key] + 0.0, columns[key] + 0.0)]
    tally.check(not different, "%s: other numbers in %s" % (name, different))


def gallery(tally):
    """Every number of every model, to the last bit; 6 s of processor time on each side."""
    for path in MODELS:
        compare_model(tally, path)


def a_few_models(tally):
    for name in ("disk", "bouncing-ball", "lorenz", "vibrating-string", "slowing-down", "no-motion"):
        compare_model(tally, os.path.join(ROOT, "models", name + ".act"))


# ---- models and columns

def names_and_texts(tally):
    disk = actio.load("disk")
    path = os.path.join(ROOT, "models", "disk.act")
    for other in (actio.load(path), actio.load(pathlib.Path(path)), actio.model(disk.text), disk.copy(), disk.changed()):
        tally.check(other.name == "disk" and same_bits(other.run().to_numpy(), disk.run().to_numpy()), "disk, found otherwise")
    tally.check("incline" in disk.description and len(actio.gallery()) == len(glob.glob(os.path.join(ROOT, "models", "*.act"))), "gallery")
    tally.check(actio.version == call(PROGRAM, "--version")[1].split()[1], "version %s" % actio.version)
    tally.check(actio.library_path() == LIBRARY, "library %s" % actio.library_path())
    tally.check(actio.model(OSCILLATOR.replace("x", "ξ")).run().names[1] == "ξ", "a Greek name")
    tally.check(refused(actio.FileError, lambda: actio.load("dsk"), "the gallery has 'disk'"), "a name that does not exist")
    tally.check(refused(actio.FileError, lambda: actio.load("no/such.act"), "no/such.act"), "a file that does not exist")
    tally.check(refused(actio.FileError, lambda: actio.load(pathlib.Path("disk"))), "a path object is a file")
    tally.check(refused(actio.UsageError, lambda: actio.load(3)) and refused(actio.UsageError, lambda: actio.model(b"coord x")), "wrong types")
    tally.check(refused(actio.ModelError, lambda: actio.model("coord x\0y")) and refused(actio.ModelError, lambda: actio.model("")), "odd texts")


def search_for_the_library(tally):
    """A wrong place is named, with what was tried."""
    for place in ("/no/such/libactio.so", __file__):
        done = subprocess.run([sys.executable, "-c", "import actio"], env={**os.environ, "ACTIO_LIBRARY": place}, capture_output=True, text=True)
        tally.check(done.returncode == 1 and "ImportError" in done.stderr and place in done.stderr, "library at %s: %s" % (place, done.stderr[-300:]))
    script = "import actio._library as l; print(*l.places(), sep='\\n')"
    env = {key: value for key, value in os.environ.items() if key != "ACTIO_LIBRARY"}
    done = subprocess.run([sys.executable, "-c", "import os\nos.environ['ACTIO_LIBRARY']=%r\n%s" % (LIBRARY, script)], env=env, capture_output=True, text=True)
    tally.check(done.stdout.split() == [LIBRARY], "only ACTIO_LIBRARY: %s" % done.stdout)
    places = [os.path.join(ROOT, "python", "actio", "libactio.so"), os.path.join(ROOT, "build", "libactio.so"),
              os.path.join(os.path.dirname(ROOT), _abi.SONAME), _abi.SONAME]
    code = "import os, sys\nsys.path.insert(0, %r)\nos.environ['ACTIO_LIBRARY']=%r\nimport actio\ndel os.environ['ACTIO_LIBRARY']\n%s"
    done = subprocess.run([sys.executable, "-c", code % (os.path.join(ROOT, "python"), LIBRARY, script)], env=env, capture_output=True, text=True)
    tally.check(done.stdout.split() == places, "places: %s" % done.stdout)


def columns(tally):
    """Arrays look at the library's memory; they keep it, and can't change it."""
    model = actio.load("disk")
    result = model.run()
    x, address = result["x"], result["x"].ctypes.data
    tally.check(actio._result.lib.actio_table_data(result._table.pointer, 1) == address, "x is a copy")
    before = x.copy()
    del result, model
    for _ in range(50):                                     # memory that was given back would be used again
        actio.load("disk").run()
    tally.check(same_bits(x.copy(), before) and x.ctypes.data == address, "x after its result is gone")
    try:
        x[0] = 1
        tally.check(False, "x can be written")
    except ValueError:
        tally.check(True, "")
    result = actio.load("disk").run()
    tally.check(result["x'"] is result["x_dot"] and result.error["x'"] == result.error["x_dot"], "x' and x_dot")
    tally.check(result.end["y"] == result["y"][-1] and result.start["x'"] == 5 and len(result.end) == len(result.names), "first and last rows")
    tally.check("x" in result and "nonesuch" not in result and 3 not in result, "names of columns")
    tally.check(result.y.shape == (8, len(result)) and result.state_names[4] == "x_dot" and result.success and result.status == 0, "as of solve_ivp")
    for name in ("nonesuch", "x''", 3):
        try:
            result[name]
            tally.check(False, "column %r" % (name,))
        except KeyError as error:
            tally.check("not a column" in str(error), "column %r: %s" % (name, error))


def fields(tally):
    result = actio.load("vibrating-string").run()
    column = next(one for one in result.columns if one.nodes)
    u = result[column.name]
    tally.check(u.shape == (len(result), column.nodes) == (len(result), len(column.places)) and column.axis == "s", "a field's shape")
    node = "%s[3]" % column.name
    tally.check(numpy.array_equal(result[node], u[:, 3]) and node in result.flat(), "a field's node")
    tally.check(result.to_numpy().shape == (len(result), len(result.flat())), "columns of the matrix")
    with tempfile.TemporaryDirectory() as folder:
        result.animate(os.path.join(folder, "x.svg"))
        tally.check(os.path.getsize(os.path.join(folder, "x.svg")) > 1000, "animation")


def numbers_set(tally):
    """Values set in place, by keywords and by the command line are the same."""
    words = ("--set", "R=2", "--start", "x'=4,theta'=2", "--time", "0..3")
    _, columns_ = csv_of("disk", *words)
    model = actio.load("disk")
    by_keywords = model.run(set={"R": 2}, start={"x'": 4, "theta_dot": 2}, time=(0, 3))
    model.params["R"] = 2
    model.start["x'"], model.start["theta'"] = 4, 2.0
    model.time = (0, 3)
    for result in (by_keywords, model.run(), model.copy().run(), actio.load("disk", set="R=2", start="x'=4, theta'=2", time="0..3").run()):
        tally.check(all(same_bits(numpy.array(result[name]), columns_[name]) for name in columns_), "set, start and time")
    tally.check(model.params["I_S"] == 2 and model.time == (0, 3) and model.start["theta_dot"] == 2, "values read back")
    tally.check("R" in model.params and len(model.params) == 6 and len(model.variables) == 8, "params and variables")
    tally.check([one.role for one in model.variables[3:5]] == ["coordinates", "velocities"] and model.param_list[4].derived, "their kinds")
    model.start["x_dot"] = "R + 2"
    tally.check(model.start["x'"] == 4 and "x'" not in model.changes.start, "x_dot replaces x': %r" % model.changes)
    tally.check(actio.model(model.printed()).start["x'"] == 4, "the model printed back")
    held = actio.model("coord x\nheld u, n\nlagrangian x'^2/2\nevery 1: n = n + u\nstart u = 2\ntime 0 .. 3")
    held.start["n"] = 1
    tally.check(dict(held.start) == {"x": 0, "x_dot": 0, "u": 2, "n": 1} and held.run()["n"][-1] == 9, "held values at the start: %r" % held.start)
    tally.check(len(held.variables) == 2, "held values are no variables of the state")
    links = actio.load("nlink")
    links.params["n"] = 3
    tally.check(len(links.variables) == 8, "a size is set by reading again")
    for action in (lambda: model.params.__setitem__("Q", 1), lambda: model.params.__setitem__("R", math.nan), lambda: model.params.__setitem__("R", None),
                   lambda: model.start.__setitem__("q", 1), lambda: setattr(model, "time", 3), lambda: model.run(set={"Q": 1}),
                   lambda: model.run(set={"R": "2*"}), lambda: model.run(set={3: 1}), lambda: model.run(set=3), lambda: model.run(start={"x": [1]}),
                   lambda: model.run(time=(1, 2, 3)), lambda: model.run(time=(0, math.inf)), lambda: model.run(set={"R": "1\0"})):
        tally.check(refused(actio.Error, action), "a wrong value is taken")
    tally.check(same_bits(model.run(set={"M": 0.1 + 0.2}).to_numpy(), model.changed(set={"M": 0.30000000000000004}).run().to_numpy()), "all digits")
    tally.check(model.run(set={"M": numpy.float64(2)}).success and model.run(set={"M": numpy.int64(2)}).success, "numbers of NumPy")


# ---- options

def good_value(option):
    """A value that an option takes, by its kind."""
    kinds = {_abi.ACTIO_TAKES_NOTHING: True, _abi.ACTIO_TAKES_NUMBER: option.least, _abi.ACTIO_TAKES_POSITIVE: min(option.most, .5),
             _abi.ACTIO_TAKES_COUNT: int(option.least), _abi.ACTIO_TAKES_INTEGER: int(option.least), _abi.ACTIO_TAKES_WORD: option.words[0],
             _abi.ACTIO_TAKES_TEXT: "name", _abi.ACTIO_TAKES_NAMES: ["a", "b"], _abi.ACTIO_TAKES_CHANGE: {"=": {"a": 1}, "..": (0, 1)}.get(option.words[0], 1)}
    own = {"by": "gauss", "sigma": .1, "box": {"x": (0, 1)}, "limit-memory": "1M", "follow": ("mu", 0, 1), "base": {"x": 1}}
    return own.get(option.name, kinds.get(option.kind))


def options_table(tally):
    """Every row is a keyword or belongs to the command line only; each takes what it should, and nothing else."""
    for option in _options.table():
        for command in option.commands:
            known = command == "list" or option.name in _options.FRONT_END or option.keyword in _options.OWN.get(command, ())
            if known or not tally.check(option.keyword in actio.options(command), "%s is not a keyword of %s" % (option.name, command)):
                continue
            request = _options.Request(command)
            request.take(option.keyword, good_value(option))
            tally.check(request.given == {option.keyword}, "%s of %s is not taken" % (option.name, command))
            for bad in (object(), math.nan, -1, "", "no such word", b"x", {3: 4}, [None], math.inf):
                tally.check(not takes(command, option, bad), "%s takes %r" % (option.keyword, bad))
            if command in ("run", "compare", "orbit", "test", "check", "derive"):
                tally.check(option.help in getattr(actio.Model, command).__doc__, "%s is not described in %s" % (option.keyword, command))


def takes(command, option, value):
    """Whether a value is taken that can't be right."""
    allowed = {_abi.ACTIO_TAKES_TEXT: (str,), _abi.ACTIO_TAKES_NAMES: (str,), _abi.ACTIO_TAKES_CHANGE: (str, int, float)}
    if value == -1 and option.least <= -1 or isinstance(value, allowed.get(option.kind, ())) and value != "":
        return False
    if option.name == "box" and isinstance(value, str):
        return False
    try:
        _options.Request(command).take(option.keyword, value)
    except actio.UsageError as error:
        return option.keyword not in str(error)
    except TypeError:
        return True
    return value != "" or option.kind not in (_abi.ACTIO_TAKES_TEXT,)


def values_of_options(tally):
    """Keywords fill what the command line's options fill: the same numbers result."""
    rows = [("disk", {"by": "gauss"}, ("--by", "gauss")), ("disk", {"tol": 1e-6, "points": 11}, ("--tol", "1e-6", "--points", "11")),
            ("disk", {"local": 1e-8}, ("--local", "1e-8")), ("disk", {"by": "skg", "grid": 32, "order": 6}, ("--by", "skg", "--grid", "32", "--order", "6")),
            ("disk", {"no_compile": True, "method": "dop853"}, ("--no-compile", "--method", "dop853")),
            ("disk", {"by": "reduced", "resplit": .2}, ("--by", "reduced", "--resplit", ".2")),
            ("disk", {"by": "skg", "slabs": 8, "nodes": 9}, ("--by", "skg", "--slabs", "8", "--nodes", "9")),
            ("bouncing-ball", {"sigma": .01, "barrier": 1e3, "tol": 1e-5}, ("--sigma", ".01", "--barrier", "1e3", "--tol", "1e-5")),
            ("lorenz", {"by": "dual", "time": (0, .1), "grid": 8, "base": {"x": 1, "y": 1, "z": 1}, "weights": {"x": 2}, "final": {"x": 0}},
             ("--by", "dual", "--time", "0..0.1", "--grid", "8", "--base", "x=1,y=1,z=1", "--weights", "x=2", "--final", "x=0"))]
    for name, keywords, words in rows:
        status, wanted = csv_of(name, *words)
        result = actio.load(name).run(**keywords)
        tally.check(status == 0 and all(same_bits(numpy.array(result[key]), wanted[key]) for key in wanted), "%s with %s" % (name, words))
    disk = actio.load("disk")
    for keywords, words in (({"tool": 1}, ["'tool'", "tol"]), ({"by": "gaus"}, ["gauss"]), ({"tol": 0}, ["tol"]), ({"points": 2.5}, ["points"]),
                            ({"resplit": .1}, ["reduced"]), ({"gradient": ["x"]}, []), ({"sigma": [1, 2]}, ["compare"]), ({"project": 1}, ["project"]),
                            ({"limit_memory": "2X"}, ["limit_memory"]), ({"progress": 3}, ["progress"])):
        tally.check(refused(actio.UsageError, lambda: disk.run(**keywords), *words), "wrong keywords %r" % (keywords,))
    tally.check(refused(actio.UsageError, lambda: disk.derive(format="tex")) and refused(actio.UsageError, lambda: disk.modes(0)), "wrong arguments")
    tally.check(refused(actio.UsageError, lambda: actio.options("nonesuch")), "options of an unknown command")


# ---- messages

def messages(tally):
    """str(e) is what the command line prints, for every model of tests/bad; the class follows from the exit status."""
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "bad", "*.act"))):
        name = os.path.relpath(path, ROOT)
        status, _, said = call(PROGRAM, "run", name, "--quiet")
        try:
            actio.load(name).run()
            tally.check(status == 0, "%s: status %d, and Python is content" % (name, status))
        except actio.Error as error:
            plain = [str(one) for one in error.findings if one.kind == "error"]
            text = "\n".join(plain + (["actio: and %d more errors" % error.dropped] if error.dropped else [])) + "\n"
            tally.check(text == said, "%s:\n%s\nby Python:\n%s" % (name, said, text))
            tally.check(error.status == status and type(error) is actio._errors.CLASSES[status], "%s: %s, status %d" % (name, type(error).__name__, status))
            tally.check((error.line, error.column) == (error.first.line, error.first.column) and error.code, "%s: place" % name)


def warned(tally):
    """Warnings come from the caller's line, and are among the findings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = actio.load("indefinite-pair").run()
    mine = [one for one in seen if issubclass(one.category, actio.ActioWarning)]
    tally.check(mine and all(one.filename == __file__ for one in mine), "warnings: %s" % [str(one.message) for one in seen])
    tally.check(any(one.kind == "warning" for one in result.findings), "findings of a result")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        actio.load("bouncing-ball").rhs
    hints = [str(one.message) for one in seen]
    tally.check(hints and all("actio_" not in hint for hint in hints) and any("Model.integrator()" in hint for hint in hints), "calls of Python: %s" % hints)


def ends_early(tally):
    model = actio.load("slowing-down")
    status, wanted = csv_of("slowing-down")
    try:
        model.run()
        tally.check(False, "slowing-down reaches its end")
    except actio.NumericsError as error:
        tally.check(error.result is not None and len(error.result) == len(wanted["t"]) and status == 3, "rows that hold")
        tally.check(not error.result.success and error.result.status == 3 and "t = 1" in error.result.message, error.result.message)
        tally.check("ended early" in repr(error.result), repr(error.result))
    tally.check(len(model.run(check=False)) == len(wanted["t"]), "check=False gives the rows")
    tally.check(refused(actio.LimitError, lambda: actio.load("disk").run(limit_memory=20000)), "a limit of memory")
    tally.check(refused(actio.LimitError, lambda: actio.load("disk").run(limit_time=1e-9)), "a limit of time")
    tally.check(actio.load("disk").run(limit_memory="1G", limit_time=1e6).success, "generous limits")


# ---- looking at models

def json_of(*words):
    return json.loads(call(PROGRAM, *words, "--json")[1])


def verdicts(tally):
    for path in MODELS:
        status, text, said = call(PROGRAM, "check", path)
        try:
            verdict = actio.load(path).check()
        except actio.Error as error:
            tally.check(error.status == status, "%s: %s" % (path, error))
            continue
        tally.check(verdict.status == status and verdict.report == text + said, "%s:\n%s\n%s" % (path, text + said, verdict.report))
    verdict = actio.load("lm1").check()
    tally.check(verdict.verdict == "hidden" and verdict.hidden == json_of("check", "lm1")["hidden"] and bool(verdict), "hidden constraints")
    tally.check("hidden" in verdict._repr_html_() and "hidden" in repr(verdict), "display")
    tally.check(actio.load("kepler").check(box={"x": (.5, 2)}).json["samples"] == json_of("check", "kepler", "--box", "x=.5..2")["samples"], "a box")


def equations(tally):
    for name, by in (("disk", None), ("disk", "hamel"), ("sleigh", "maggi"), ("vibrating-string", None)):
        for form in ("text", "latex", "c"):
            words = ("--by", by) if by else ()
            status, text, _ = call(PROGRAM, "derive", name, "--format", form, *words)
            if status:
                tally.check(refused(actio.Error, lambda: actio.load(name).derive(by, form)), "%s %s" % (name, form))
                continue
            derived = actio.load(name).derive(by, form)
            tally.check(derived == text, "%s by %s as %s" % (name, by, form))
            tally.check(derived.sections == json_of("derive", name, "--format", form, *words)["sections"], "sections of %s" % name)
    latex = actio.load("disk").derive()._repr_latex_()
    tally.check(latex.startswith("$") and r"\ddot{x}" in latex and "documentclass" not in latex, "LaTeX for Jupyter")


def compared(tally):
    found = actio.load("disk").compare(by=["dalembert", "gauss", "vakonomic"])
    wanted = json_of("compare", "disk", "--by", "dalembert,gauss,vakonomic")["principles"]
    for row, other in zip(found, wanted):
        tally.check((row.by, row.status) == (other["by"], other["status"]), "compare: %s, %s" % (row, other))
        tally.check(other["difference"] is None or row.difference == other["difference"], "difference by %s" % row.by)
    tally.check(len(found) == 3 and found["gauss"] is found[1] and "gauss" in str(found) and found.result is not None, "rows by name")
    tally.check("<table>" in found._repr_html_() and found.picture("x").startswith("<") and "agrees" in repr(found), "display")
    tally.check(refused(actio.UsageError, lambda: actio.load("disk").compare(by=["gauss", "gauss"]), "twice"), "a principle twice")


def orbits(tally):
    for name, keywords, words in (("van-der-pol-cycle", {}, ()), ("lorenz-ab", {}, ()), ("duffing-cycle", {"method": "fourier", "period": "2*pi/om"}, ("--method", "fourier", "--period", "2*pi/om"))):
        found, wanted = actio.load(name).orbit(**keywords), json_of("orbit", name, *words)["orbits"]
        tally.check(len(found) == len(wanted) > 0, "%s: %d orbits" % (name, len(found)))
        for orbit, other in zip(found, wanted):
            tally.check(orbit.period == other["period"] and orbit.point == other["point"] and orbit.error == other["error"], "%s: %s" % (name, orbit))
            tally.check([[m.value.real, m.value.imag] for m in orbit.multipliers] == other["multipliers"], "%s: multipliers" % name)
            tally.check(orbit.result is not None and abs(orbit.result.t[-1] - orbit.result.t[0] - orbit.period) < 1e-9 * orbit.period, "%s: one turn" % name)
    tally.check(found.picture().startswith("<") and "period" in repr(found), "display of orbits")
    branch = actio.load("van-der-pol-cycle").orbit(follow=("mu", 1, 1.2))
    wanted = json_of("orbit", "van-der-pol-cycle", "--follow", "mu=1..1.2")["branch"]
    tally.check([(p.param, p.period) for p in branch.branch] == [(p["value"], p["period"]) for p in wanted] and branch.diagram is not None, "a branch")
    tally.check(refused(actio.Error, lambda: actio.load("disk").orbit(follow=3)), "a wrong range")


def claims_and_modes(tally):
    for name in ("disk", "pendulum", "no-motion"):
        found, wanted = actio.load(name).test(), json.loads(call(PROGRAM, "test", name, "--json")[1])
        rows = [(one.claim, one.line, one.ok) for one in found]
        tally.check(rows == [(one["claim"], one["line"], one["ok"]) for one in wanted["claims"]], "claims of %s" % name)
        tally.check((found.passed, found.failed) == (wanted["passed"], wanted["failed"]) and bool(found) == (wanted["status"] == 0), "count of %s" % name)
    bad = actio.model(OSCILLATOR + "expect x at 1 = 7 within 1e-3\n").test()
    tally.check(not bad and bad.failed == 1 and "FAILED" in str(bad), "a claim that fails: %s" % bad)
    found = actio.model(OSCILLATOR, start={"x": 0, "x'": 0}).modes()
    tally.check(len(found) == 1 and abs(found[0].omega - 2) < 1e-12 and found[0].shape == {"x": 1.0} and found.all == 1, "modes: %r" % found)
    tally.check(refused(actio.Error, lambda: actio.model(OSCILLATOR.replace("- k*x^2/2", "+ x")).modes()), "no equilibrium")


# ---- derivatives and actions

def gradients(tally):
    """x(1) = cos(w) + 2 sin(w)/w with w = sqrt(k/m) = 2, and its derivatives in closed form."""
    w, model = 2.0, actio.model(OSCILLATOR)
    result = model.run(by="skg", gradient=["x", "x'"], tol=1e-11)
    by_w = -math.sin(w) + 2 * math.cos(w) / w - 2 * math.sin(w) / w**2
    wanted = {"x": math.cos(w), "x'": math.sin(w) / w, "k": by_w / (2 * w), "m": -by_w * w / 2}
    slopes = result.gradient["x"]
    for name, value in wanted.items():
        found = slopes.get(name, slopes.get(name.replace("'", "_dot")))
        tally.check(found is not None and abs(found - value) < 1e-9, "dx/d%s = %s, exactly %s" % (name, found, value))
    tally.check(result.gradient == model.gradient(["x", "x'"], tol=1e-11) and result.gradient.error["x"]["k"] < 1e-9, "gradient of a model")
    matrix = result.gradient.matrix(["x", "x'"], ["k", "m"])
    tally.check(matrix.shape == (2, 2) and matrix[0, 0] == slopes["k"] and abs(result.gradient.value["x"] - result.end["x"]) < 1e-15, "the matrix")
    by_cli = json_of("run", "disk", "--by", "skg", "--gradient", "x,theta")["gradient"]
    mine = actio.load("disk").gradient("x, theta")
    tally.check(json.dumps(by_cli).count("{") > 0 and set(mine) == {"x", "theta"}, "gradient of the command line: %s" % str(by_cli)[:80])


def actions(tally):
    """Gradient and Hessian agree with differences of the value; the critical point is the motion on the same grid."""
    model = actio.load("disk", time=(0, 1))
    action, motion = model.action(grid=17, order=4), model.run(by="skg", grid=17, order=4, points=17)
    x = action.solve()
    tally.check(abs(action.gradient(x)).max() < 1e-9, "gradient at the critical point")
    tally.check(numpy.allclose(action.part(x, "q+ x"), motion["x"], atol=1e-9) and numpy.allclose(action.times, motion.t), "the motion on the grid")
    random = numpy.random.default_rng(5)
    at, v = x + 1e-2 * random.standard_normal(action.size), random.standard_normal(action.size)
    h = 1e-5
    slope = (action.value(at + h * v) - action.value(at - h * v)) / (2 * h)
    tally.check(abs(slope - action.gradient(at) @ v) < 1e-6 * max(1, abs(slope)), "gradient against differences")      # h^2 of the third derivative
    if not missing("scipy"):
        bent = (action.gradient(at + h * v) - action.gradient(at - h * v)) / (2 * h)
        product = action.hessian(at) @ v
        tally.check(numpy.allclose(product, bent, atol=1e-5 * abs(product).max()), "Hessian against differences")
        tally.check(abs(action.hessian(at) - action.hessian(at).T).max() < 1e-12, "a symmetric Hessian")
    tally.check(refused(actio.UsageError, lambda: action.value([1, 2])) and refused(actio.UsageError, lambda: action.part(x, "nonesuch")), "wrong unknowns")
    tally.check(refused(actio.UsageError, lambda: model.action(grid=-1)) and refused(actio.Error, lambda: model.action(order=3)), "wrong grids")
    tally.check(math.isnan(action.value(numpy.full(action.size, math.nan))), "no finite value")
    del model, motion
    tally.check(abs(action.gradient(x)).max() < 1e-9, "an action keeps its model")


def dual_actions(tally):
    """The maximum of the manual's example, and the same through its state."""
    action = actio.load("lorenz", time=(0, .1)).dual_action(grid=16, order=4, base={"x": 1, "y": 1, "z": 1})
    z = action.solve()
    ends, energy = action.ends(z), action.hamiltonian(z)
    tally.check(abs(action.gradient(z)).max() < 1e-9 and abs(action.value(z) - 0.175228732) < 1e-9, "value at the maximum")
    tally.check(abs(action.least(z) - 0.744586) < 1e-6 and numpy.ptp(energy) < 1e-8 and len(energy) == 17, "eigenvalue and Hamiltonian")
    motion = actio.load("lorenz", time=(0, .1)).run(points=17, tol=1e-11)
    tally.check(numpy.allclose(ends, motion.to_numpy(["x", "y", "z"]), atol=1e-7), "the motion")      # order 8 on 16 elements
    tally.check(action.names == ["x", "y", "z"] and action.state(z).shape == (len(action.points), 3) and action.detector(z) < 1e-3, "its state")
    tally.check(refused(actio.UsageError, lambda: actio.load("lorenz").dual_action(closure="nonesuch")), "a wrong closure")


# ---- files and display

def files(tally):
    result = actio.load("disk").run()
    with tempfile.TemporaryDirectory() as folder:
        mine, theirs = os.path.join(folder, "a.csv"), os.path.join(folder, "b.csv")
        result.write(mine)
        call(PROGRAM, "run", "disk", "--quiet", "-o", theirs)
        with open(mine, "rb") as a, open(theirs, "rb") as b:
            tally.check(a.read() == b.read(), "bytes of the CSV file")
        result.write(pathlib.Path(folder) / "a.npz")
        tally.check(same_bits(numpy.load(os.path.join(folder, "a.npz"))["x"], numpy.array(result["x"])), "NPZ")
        tally.check(refused(actio.FileError, lambda: result.write(os.path.join(folder, "no", "a.csv"))), "a folder that does not exist")
        tally.check(refused(actio.Error, lambda: result.write(os.path.join(folder, "a.xyz"))), "an unknown ending")
    tally.check(result.json["end"]["y"] == result.end["y"] and result.info["by"] == "dalembert", "summary")


def display(tally):
    """Pictures without matplotlib, with a stand-in for it and for pandas, and the forms that Jupyter shows."""
    result = actio.load("disk").run()
    picture = result.picture("x", "x:y")
    tally.check(picture.lstrip().startswith("<") and "svg" in picture[:300] and picture._repr_svg_() == picture, "SVG")
    tally.check("<svg" in result._repr_html_() and "disk by dalembert" in repr(result), "display in Jupyter")
    tally.check(refused(actio.Error, lambda: result.picture("nonesuch")), "a picture of an unknown column")
    ball = actio.load("bouncing-ball")
    drawn = [ball.run(points=n, curves=curves).picture("y'").count('stroke-width="0.7"') for n, curves in ((20, True), (40, True), (20, False))]
    tally.check(drawn[0] == drawn[1] > 10 and drawn[2] == 0, "jumps drawn with curves and without: %s" % drawn)
    tally.check(refused(actio.UsageError, lambda: ball.run(curves="yes")) and refused(actio.UsageError, lambda: ball.check(curves=True)), "curves of another kind")
    hidden = {name: sys.modules.get(name) for name in ("matplotlib", "matplotlib.pyplot", "pandas")}
    try:
        sys.modules["matplotlib"] = sys.modules["matplotlib.pyplot"] = None
        tally.check(isinstance(result.plot("x"), actio.Picture), "without matplotlib")
        stand_in(tally, result)
    finally:
        for name, module in hidden.items():
            sys.modules.pop(name, None)
            if module is not None:
                sys.modules[name] = module


def stand_in(tally, result):
    """Modules that keep what they get."""
    calls, package = [], types.ModuleType("matplotlib")
    panel = types.SimpleNamespace(plot=lambda *a: calls.append(a), set_xlabel=calls.append, set_ylabel=calls.append)
    figure = types.SimpleNamespace(suptitle=calls.append)
    package.pyplot = types.ModuleType("matplotlib.pyplot")
    package.pyplot.subplots = lambda rows, columns, **_: (figure, numpy.array([[panel]] * rows, dtype=object))
    sys.modules["matplotlib"], sys.modules["matplotlib.pyplot"] = package, package.pyplot
    tally.check(result.plot("x", "x:y") is figure and calls[3][0] is result["x"] and calls[3][1] is result["y"], "with matplotlib: %s" % calls[:2])
    pandas = types.ModuleType("pandas")
    pandas.DataFrame = lambda data, index: types.SimpleNamespace(data=data, index=index, attrs={})
    pandas.Index = lambda data, name: (data, name)
    sys.modules["pandas"] = pandas
    frame = result.to_pandas()
    tally.check(frame.index[1] == "t" and same_bits(frame.data["x"], numpy.array(result["x"])) and frame.attrs["units"]["x"] == "", "with pandas")


def progress(tally):
    """Parts done grow; an exception stops the run and comes through; a bar goes to its stream."""
    seen = []
    model = actio.load("lorenz", time=(0, 40))
    model.run(local=1e-9, progress=lambda what, done, of: seen.append((what, done / of)))
    tally.check(len(seen) > 2 and all(0 <= part <= 1 for _, part in seen) and seen[0][0] == "motion", "progress: %s" % seen[:3])

    def trouble(*_):
        raise RuntimeError("enough")
    try:
        model.run(local=1e-9, progress=trouble)
        tally.check(False, "an exception is lost")
    except RuntimeError as error:
        tally.check(str(error) == "enough", str(error))
    bar = actio._progress.Bar(io.StringIO())
    bar("motion", 1, 2)
    bar.close()
    tally.check(" 50%|###############               |" in bar.stream.getvalue(), "the bar: %r" % bar.stream.getvalue())
    tally.check(model.run(local=1e-9, progress=True).success, "with a bar")


PARTS = [a_few_models, names_and_texts, search_for_the_library, columns, fields, numbers_set, options_table, values_of_options, messages, warned,
         ends_early, verdicts, equations, compared, orbits, claims_and_modes, gradients, actions, dual_actions, files, display, progress, gallery]

if __name__ == "__main__":
    TALLY = Tally("python_package")
    os.chdir(ROOT)
    run_parts(PARTS, TALLY)
    TALLY.done()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Everything that documents the Python package works: docstrings, docs/python.md, the notebook, the examples; types are right.
tests/python_examples.py [--program PROGRAM]"""
import ast
import doctest
import importlib
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import warnings

from program import ROOT, Tally, run_parts
from python_setup import needs

needs("python_examples", "numpy", "scipy", "sympy")
import numpy  # noqa: E402
from scipy.integrate import solve_ivp  # noqa: E402
from scipy.optimize import least_squares, root  # noqa: E402

import actio  # noqa: E402

sys.path.insert(0, os.path.join(ROOT, "python", "examples"))
warnings.simplefilter("ignore", actio.ActioWarning)


def docstrings(tally):
    attempted = 0
    for info in pkgutil.iter_modules(actio.__path__, "actio."):
        done = doctest.testmod(importlib.import_module(info.name))
        attempted += done.attempted
        tally.check(done.failed == 0, "%s: %d examples of docstrings fail" % (info.name, done.failed))
    done = doctest.testmod(actio)
    tally.check(done.failed == 0 and attempted > 60, "%d examples in docstrings" % attempted)


def documentation(tally):
    done = doctest.testfile(os.path.join(ROOT, "docs", "python.md"), module_relative=False)
    tally.check(done.failed == 0 and done.attempted > 30, "docs/python.md: %d of %d fail" % (done.failed, done.attempted))
    with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
        text = file.read()
    lost = [name for name in actio.__all__ if name.endswith("Error") and name not in ("Error",) and name not in text]
    tally.check(not lost, "docs/python.md does not name %s" % lost)
    for module in [actio.Model, actio.Result, actio.Flow, actio.Integrator, actio.Action, actio.DualAction, actio.Verdict, actio.Error]:
        tally.check(module.__doc__ and len(module.__doc__) > 20, "%s does not have a docstring" % module.__name__)


def shown(value):
    """What Jupyter would show: every rich form that a value has."""
    names = ("_repr_html_", "_repr_latex_", "_repr_svg_")
    return [getattr(value, name)() for name in names if hasattr(value, name)] or [repr(value)]


def notebook(tally):
    """The cells of docs/python.ipynb, one after the other; the last line of a cell is shown."""
    with open(os.path.join(ROOT, "docs", "python.ipynb"), encoding="utf-8") as file:
        cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    space, forms, printed = {}, 0, []
    space["print"] = lambda *words, **_: printed.append(words)
    for number, cell in enumerate(cells):
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell %d" % number, "exec"), space)
        if last is not None:
            forms += len([form for form in shown(eval(compile(ast.Expression(last.value), "cell %d" % number, "eval"), space)) if form])
        tally.check(not cell["outputs"], "cell %d has outputs" % number)
    tally.check(forms >= len(cells) - 1 and printed, "%d cells show %d forms" % (len(cells), forms))


def fit(tally):
    """The same least squares with SciPy's integrator and differences for derivatives: both are within 1e-9 of the minimum,
    up to the condition of the problem."""
    import fit as example
    times, angles = example.measured()
    found = example.fit(times, angles)

    def residuals(p):
        flow = lambda _, y: [y[1], -9.81 / p[0] * numpy.sin(y[0]) - p[1] / p[0]**2 * y[1]]
        return solve_ivp(flow, (0, times[-1]), [p[2], 0], method="DOP853", t_eval=times, rtol=1e-12, atol=1e-12).y[0] - angles
    other = least_squares(residuals, (1.0, .1, 1.0), jac="3-point", xtol=1e-14, ftol=1e-14, gtol=1e-14)
    tally.check(found.success and numpy.allclose(found.x, other.x, atol=1e-6), "fit: %s, by differences %s" % (found.x, other.x))
    tally.check(numpy.allclose(found.jac, other.jac, atol=1e-5), "the Jacobian of the fit")
    tally.check(numpy.allclose(found.x, (.83, .05, 1.2), atol=5e-3), "the fit is near the truth")      # five times the spread of the noise
    values, slopes = example.motion(actio.model(example.PENDULUM), times, found.x)
    tally.check(numpy.allclose(values, residuals(found.x) + angles, atol=1e-7) and slopes.shape == (len(times), 3), "angles of the fit")


def shoot(tally):
    """SciPy's integrator and root finder, with differences for derivatives, find the same velocity."""
    import shoot as example
    found = example.shoot()

    def miss(v):
        def flow(_, y):
            speed = .01 / .45 * numpy.hypot(y[2] - 4, y[3])
            return [y[2], y[3], -speed * (y[2] - 4), -9.81 - speed * y[3]]
        return solve_ivp(flow, (0, 2.5), [0, 0, *v], method="DOP853", rtol=1e-12, atol=1e-12).y[:2, -1] - (30, 5)
    other = root(miss, (10, 10), tol=1e-12)
    tally.check(found.success and numpy.allclose(found.x, other.x, atol=1e-7), "velocity %s, by differences %s" % (found.x, other.x))


def examples_run(tally):
    for name, words in (("fit", ["l ", "+-"]), ("shoot", ["x = 30.000000", "y = 5.000000"])):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "python", "examples", name + ".py")], capture_output=True, text=True)
        tally.check(done.returncode == 0 and all(word in done.stdout for word in words), "%s.py: %s" % (name, done.stdout + done.stderr))


def types(tally):
    """mypy, where it is installed; every public function has types in any case."""
    if shutil.which("mypy") is None:
        print("  mypy is not installed: not checked")
    else:
        done = subprocess.run(["mypy", "--cache-dir", os.devnull, "actio", "actio_build.py"], cwd=os.path.join(ROOT, "python"), capture_output=True, text=True)
        tally.check(done.returncode == 0, done.stdout[-2000:])
    for info in pkgutil.iter_modules(actio.__path__):
        with open(os.path.join(ROOT, "python", "actio", info.name + ".py"), encoding="utf-8") as file:
            tree = ast.parse(file.read())
        bare = [one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.returns is None]
        tally.check(not bare, "%s: without types: %s" % (info.name, bare))


def plain_words(tally):
    """What users read in the package follows the rules of the messages: short sentences, and none of the old dialect."""
    from words import FORBIDDEN, LONGEST, sentences
    for place, _, files in os.walk(os.path.join(ROOT, "python")):
        for name in sorted(one for one in files if one.endswith(".py") and one != "_abi.py"):
            with open(os.path.join(place, name), encoding="utf-8") as file:
                tree = ast.parse(file.read())
            texts = [one.value for one in ast.walk(tree) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            for pattern, instead in FORBIDDEN:
                bad = [text for text in texts if re.search(pattern, text)]
                tally.check(not bad, "%s: write '%s' in %s" % (name, instead, bad))
            documented = [one for one in ast.walk(tree) if isinstance(one, (ast.Module, ast.ClassDef, ast.FunctionDef))]
            for text in filter(None, map(ast.get_docstring, documented)):
                prose = re.sub(r"\s+", " ", re.sub(r"^\s*(>>>|\.\.\.)(.*\n)+?\s*$|`[^`]*`", " ", text + "\n", flags=re.M))
                long = [one for one in sentences(prose) if len(re.findall(r"[A-Za-z][\w'-]*", one)) > LONGEST]
                tally.check(not long, "%s: a sentence of more than %d words: %s" % (name, LONGEST, long))


if __name__ == "__main__":
    TALLY = Tally("python_examples")
    run_parts([docstrings, documentation, notebook, fit, shoot, examples_run, types, plain_words], TALLY)
    TALLY.done()

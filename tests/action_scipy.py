#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The doubled action in other hands: scipy finds its critical point from the value's derivatives alone, through build/libactio.so.

    tests/action_scipy.py [BUILD]"""
import csv
import ctypes
import io
import math
import os
import subprocess
import sys

from program import chosen, ended, run_parts

try:
    import numpy
    import scipy.optimize
    import scipy.sparse
    import scipy.sparse.linalg
except ImportError:
    print("action_scipy: skipped, scipy is not installed")
    print("action_scipy: 0 passed, 0 failed")
    sys.exit(0)

BUILD = sys.argv[1] if len(sys.argv) > 1 else "build"
passed = failed = 0


def check(ok, what):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"action_scipy: not true: {what}")


class Options(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_size_t), ("order", ctypes.c_int), ("form", ctypes.c_char_p), ("sigma", ctypes.c_double), ("barrier", ctypes.c_double)]


class Slice(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("first", ctypes.c_size_t), ("count", ctypes.c_size_t), ("stride", ctypes.c_size_t)]


class Change(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("text", ctypes.c_char_p)]


TIME = 3                                                    # of enum actio_change_kind


DOUBLES = ctypes.POINTER(ctypes.c_double)
WORDS = ctypes.POINTER(ctypes.c_uint32)


def library():
    lib = ctypes.CDLL(os.path.join(BUILD, "libactio.so"))
    handle, size = ctypes.c_void_p, ctypes.c_size_t
    faces = {
        "actio_context_create": (handle, [handle]), "actio_context_free": (None, [handle]),
        "actio_findings_create": (handle, [handle]), "actio_findings_free": (None, [handle]), "actio_findings_status": (ctypes.c_int, [handle]),
        "actio_model_read": (handle, [handle, ctypes.c_char_p, ctypes.POINTER(Change), size, handle]), "actio_model_free": (None, [handle]),
        "actio_action_create": (handle, [handle, handle, ctypes.POINTER(Options), handle]), "actio_action_free": (None, [handle]),
        "actio_action_size": (size, [handle]), "actio_action_slices": (size, [handle, ctypes.POINTER(ctypes.POINTER(Slice))]),
        "actio_action_times": (size, [handle, ctypes.POINTER(DOUBLES)]), "actio_action_pattern": (size, [handle, ctypes.POINTER(WORDS), ctypes.POINTER(WORDS)]),
        "actio_action_value": (ctypes.c_int, [handle, DOUBLES, DOUBLES]), "actio_action_gradient": (ctypes.c_int, [handle, DOUBLES, DOUBLES]),
        "actio_action_hessian": (ctypes.c_int, [handle, DOUBLES, DOUBLES]), "actio_action_guess": (None, [handle, DOUBLES]),
        "actio_action_solve": (ctypes.c_int, [handle, DOUBLES, handle]),
    }
    for name, (result, arguments) in faces.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


def at(x):
    return x.ctypes.data_as(DOUBLES)


class Action:
    """What the library hands out, as numpy sees it."""

    def __init__(self, lib, model, grid, order, form=None, time=None):
        self.lib = lib
        self.ctx = lib.actio_context_create(None)
        self.findings = lib.actio_findings_create(self.ctx)
        change = Change(TIME, time.encode()) if time else None
        self.model = lib.actio_model_read(self.ctx, model.encode(), ctypes.byref(change) if change else None, 1 if change else 0, self.findings)
        options = Options(grid, order, form.encode() if form else None, 0, 0)
        self.a = lib.actio_action_create(self.ctx, self.model, ctypes.byref(options), self.findings)
        self.size = lib.actio_action_size(self.a)
        slices, times, rows, cols = ctypes.POINTER(Slice)(), DOUBLES(), WORDS(), WORDS()
        count = lib.actio_action_slices(self.a, ctypes.byref(slices))
        self.slice = {s.name.decode(): slice(s.first, s.first + s.count * s.stride, s.stride) for s in slices[:count]}
        points = lib.actio_action_times(self.a, ctypes.byref(times))
        self.times = numpy.array(times[:points])
        entries = lib.actio_action_pattern(self.a, ctypes.byref(rows), ctypes.byref(cols))
        self.rows, self.cols = numpy.array(rows[:entries]), numpy.array(cols[:entries])

    def close(self):
        self.lib.actio_action_free(self.a)
        self.lib.actio_model_free(self.model)
        self.lib.actio_findings_free(self.findings)
        self.lib.actio_context_free(self.ctx)

    def guess(self):
        x = numpy.empty(self.size)
        self.lib.actio_action_guess(self.a, at(x))
        return x

    def value(self, x):
        x, value = numpy.ascontiguousarray(x, dtype=float), numpy.empty(1)
        if self.lib.actio_action_value(self.a, at(x), at(value)):
            return math.nan
        return value[0]

    def gradient(self, x):
        x, g = numpy.ascontiguousarray(x, dtype=float), numpy.empty(self.size)
        if self.lib.actio_action_gradient(self.a, at(x), at(g)):
            g[:] = math.nan
        return g

    def hessian(self, x):
        x, values = numpy.ascontiguousarray(x, dtype=float), numpy.empty(len(self.rows))
        if self.lib.actio_action_hessian(self.a, at(x), at(values)):
            values[:] = math.nan
        return scipy.sparse.coo_matrix((values, (self.rows, self.cols)), shape=(self.size, self.size))


def motion(model, by, points, *more):
    """Columns of a run as arrays."""
    out = subprocess.run([os.path.join(BUILD, "actio"), "run", model, "--by", by, "--points", str(points), *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True).stdout
    rows = [row for row in csv.reader(io.StringIO(out)) if row and not row[0].startswith("#")]
    data = numpy.array([[float(x) for x in row] for row in rows[1:]])
    names = [name.split(" [")[0] for name in rows[0]]
    return {name: data[:, i] for i, name in enumerate(names)}


def column_of(name):
    kind, of = name.split(" ", 1)
    return {"q+": of, "s+": of, "lambda+": "lambda." + of}.get(kind)


def off(action, x, table):
    """The largest difference from a table, of positions, states and multipliers, and the largest of the differences of the paths."""
    plus = max(abs(x[s] - table[column_of(n)]).max() for n, s in action.slice.items() if column_of(n))
    minus = max(abs(x[s]).max() for n, s in action.slice.items() if n.split()[0].endswith("-"))
    return plus, minus


def by_root(action, x):
    """scipy.optimize.root with the Hessian as Jacobian."""
    end = scipy.optimize.root(action.gradient, x, jac=lambda y: action.hessian(y).toarray(), method="hybr", options={"xtol": 1e-14})
    return end.x, f"{end.message.splitlines()[0]} ({end.nfev} gradients, {end.njev} Hessians)"


def by_newton(action, x):
    """Newton's method with scipy's sparse factors, as a user would write it."""
    for k in range(50):
        step = scipy.sparse.linalg.spsolve(action.hessian(x).tocsc(), action.gradient(x))
        x = x - step
        if abs(step).max() < 1e-12 * max(1, abs(x).max()):
            break
    return x, f"{k + 1} steps"


def reproduces(lib, model, grid, order, time=None, solvers=(by_root, by_newton), bound=1e-10):
    own = ("--time", time) if time else ()
    action = Action(lib, model, grid, order, time=time)
    known = motion(model, "skg", grid, "--grid", str(grid), "--order", str(order), *own)
    rough = motion(model, "dalembert", grid, "--local", "1e-3", *own)
    start = action.guess()
    for name, where in action.slice.items():
        if name.startswith(("q+", "s+")):
            start[where] = rough[column_of(name)]
    for solver in solvers:
        x, how = solver(action, start)
        plus, minus = off(action, x, known)
        print(f"    {model}, {grid} points, order {order}, {solver.__name__}: {action.size} unknowns, {plus:.1e} from `run --by skg`, differences {minus:.1e}, S = {action.value(x):.1e}; {how}")
        check(plus <= bound and minus <= bound, f"{model}: {solver.__name__} ends {plus:.1e} from the run")
        check(abs(action.value(x)) <= 1e-9, f"{model}: the action's value is 0 at its critical point")
    check(len(known["t"]) == grid and abs(known["t"] - action.times).max() < 1e-14, f"{model}: times")
    action.close()


def nullities(lib):
    """Singular values of the disk's Hessian: none vanishes in the weak form, four in the strong one."""
    for form, size, expected in (("weak", 768, 0), ("strong", 788, 4)):
        action = Action(lib, "disk", 64, 4, form)
        x = action.guess()
        exact = motion("disk", "dalembert", 64)
        for name, where in action.slice.items():
            if column_of(name):
                x[where] = exact[column_of(name)]
        sigma = numpy.linalg.svd(action.hessian(x).toarray(), compute_uv=False)
        null = int((sigma < 1e-11 * sigma[0]).sum())
        print(f"    disk, {form}: {action.size} unknowns, nullity {null}, smallest singular values {', '.join(f'{s:.1e}' for s in sigma[-5:])}")
        check(action.size == size and null == expected, f"nullity {null} of the {form} form")
        action.close()


MOTIONS = (("disk", 64, 4, {}), ("pendulum-cartesian", 40, 4, {"time": "0..2"}),
           ("lorenz-chetaev", 64, 6, {"time": "0..4", "solvers": (by_newton,)}),
           ("driven-double-pendulum", 200, 8, {"time": "0..4", "solvers": (by_newton,)}))


def main():
    lib = library()
    for model, grid, order, more in MOTIONS:
        if chosen(model):
            reproduces(lib, model, grid, order, **more)
    run_parts([nullities], lib)
    return ended("action_scipy", passed, failed)


if __name__ == "__main__":
    sys.exit(main())

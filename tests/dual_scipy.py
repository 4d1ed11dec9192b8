#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The dual action in other hands: scipy finds its maximum from value, gradient and Hessian through build/libactio.so, and numpy computes it anew from its formulas.

    tests/dual_scipy.py [BUILD]"""
import csv
import ctypes
import io
import json
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
    print("dual_scipy: skipped, scipy is not installed")
    print("dual_scipy: 0 passed, 0 failed")
    sys.exit(0)

BUILD = sys.argv[1] if len(sys.argv) > 1 else "build"
passed = failed = 0


def check(ok, what):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"dual_scipy: not true: {what}")


class Options(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_size_t), ("order", ctypes.c_int), ("nodes", ctypes.c_size_t), ("closure", ctypes.c_char_p), ("power", ctypes.c_char_p),
                ("base", ctypes.c_char_p), ("slack", ctypes.c_double), ("multipliers", ctypes.c_bool)]


class Slice(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("first", ctypes.c_size_t), ("count", ctypes.c_size_t), ("stride", ctypes.c_size_t)]


class Change(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("text", ctypes.c_char_p)]


TIME, WEIGHTS, BASE, FINAL = 3, 4, 6, 7                     # of enum actio_change_kind


DOUBLES = ctypes.POINTER(ctypes.c_double)
WORDS = ctypes.POINTER(ctypes.c_uint32)
TEXTS = ctypes.POINTER(ctypes.c_char_p)


def library():
    lib = ctypes.CDLL(os.path.join(BUILD, "libactio.so"))
    handle, size, status = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    faces = {
        "actio_context_create": (handle, [handle]), "actio_context_free": (None, [handle]), "actio_findings_create": (handle, [handle]), "actio_findings_free": (None, [handle]),
        "actio_findings_status": (status, [handle]), "actio_model_read": (handle, [handle, ctypes.c_char_p, ctypes.POINTER(Change), size, handle]), "actio_model_free": (None, [handle]),
        "actio_dual_action_create": (handle, [handle, handle, ctypes.POINTER(Options), handle]), "actio_dual_action_free": (None, [handle]),
        "actio_dual_action_size": (size, [handle]), "actio_dual_action_slices": (size, [handle, ctypes.POINTER(ctypes.POINTER(Slice))]),
        "actio_dual_action_times": (size, [handle, ctypes.POINTER(DOUBLES)]), "actio_dual_action_points": (size, [handle, ctypes.POINTER(DOUBLES), ctypes.POINTER(DOUBLES)]),
        "actio_dual_action_names": (size, [handle, ctypes.POINTER(TEXTS), ctypes.POINTER(size)]), "actio_dual_action_pattern": (size, [handle, ctypes.POINTER(WORDS), ctypes.POINTER(WORDS)]),
        "actio_dual_action_value": (status, [handle, DOUBLES, DOUBLES]), "actio_dual_action_gradient": (status, [handle, DOUBLES, DOUBLES]),
        "actio_dual_action_hessian": (status, [handle, DOUBLES, DOUBLES]), "actio_dual_action_state": (status, [handle, DOUBLES, DOUBLES, DOUBLES]),
        "actio_dual_action_hamiltonian": (status, [handle, DOUBLES, DOUBLES]), "actio_dual_action_least": (status, [handle, DOUBLES, DOUBLES, DOUBLES]),
        "actio_dual_action_solve": (status, [handle, DOUBLES, handle]),
    }
    for name, (result, arguments) in faces.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


def at(x):
    return x.ctypes.data_as(DOUBLES)


class Dual:
    """What the library hands out, as numpy sees it. Numbers that do not exist are NaN."""

    def __init__(self, lib, model, grid, changes=(), **options):
        self.lib = lib
        self.ctx = lib.actio_context_create(None)
        self.findings = lib.actio_findings_create(self.ctx)
        change = (Change * len(changes))(*(Change(kind, text.encode()) for kind, text in changes))
        self.model = lib.actio_model_read(self.ctx, model.encode(), change, len(changes), self.findings)
        words = {key: value.encode() if isinstance(value, str) else value for key, value in options.items()}
        self.a = lib.actio_dual_action_create(self.ctx, self.model, ctypes.byref(Options(grid=grid, **words)), self.findings)
        self.size, self.grid = lib.actio_dual_action_size(self.a), grid
        slices, times, points, weights, rows, cols, names, self.nx = ctypes.POINTER(Slice)(), DOUBLES(), DOUBLES(), DOUBLES(), WORDS(), WORDS(), TEXTS(), ctypes.c_size_t()
        count = lib.actio_dual_action_slices(self.a, ctypes.byref(slices))
        self.slice = {s.name.decode(): slice(s.first, s.first + s.count * s.stride, s.stride) for s in slices[:count]}
        self.times = numpy.array(times[:lib.actio_dual_action_times(self.a, ctypes.byref(times))])
        count = lib.actio_dual_action_points(self.a, ctypes.byref(points), ctypes.byref(weights))
        self.points, self.weights = numpy.array(points[:count]), numpy.array(weights[:count])
        entries = lib.actio_dual_action_pattern(self.a, ctypes.byref(rows), ctypes.byref(cols))
        self.rows, self.cols = numpy.array(rows[:entries]), numpy.array(cols[:entries])
        self.nu = lib.actio_dual_action_names(self.a, ctypes.byref(names), ctypes.byref(self.nx))
        self.nx, self.names = self.nx.value, [name.decode() for name in names[:self.nu]]

    def close(self):
        self.lib.actio_dual_action_free(self.a)
        self.lib.actio_model_free(self.model)
        self.lib.actio_findings_free(self.findings)
        self.lib.actio_context_free(self.ctx)

    def ask(self, what, z, count, *more):
        z, out = numpy.array(z, dtype=float), numpy.empty(count)
        if getattr(self.lib, "actio_dual_action_" + what)(self.a, at(z), at(out), *more):
            out[:] = math.nan
        return out

    def value(self, z):
        return self.ask("value", z, 1)[0]

    def gradient(self, z):
        return self.ask("gradient", z, self.size)

    def hessian(self, z):
        return scipy.sparse.coo_matrix((self.ask("hessian", z, len(self.rows)), (self.rows, self.cols)), shape=(self.size, self.size))

    def least(self, z):
        return self.ask("least", z, 1, None)[0]

    def hamiltonian(self, z):
        return self.ask("hamiltonian", z, self.grid + 1)

    def state(self, z):
        return self.ask("state", z, self.nu * len(self.points), None).reshape(-1, self.nu)

    def ends(self, z):
        z, out = numpy.array(z, dtype=float), numpy.full((self.grid + 1) * self.nx, math.nan)
        self.lib.actio_dual_action_state(self.a, at(z), None, at(out))
        return out.reshape(-1, self.nx)

    def solve(self):
        z = numpy.zeros(self.size)
        return z, self.lib.actio_dual_action_solve(self.a, at(z), self.findings)


# ---- the program

def run(model, grid, *words):
    """What the program tells of the same slab, and its table."""
    command = [os.path.join(BUILD, "actio"), "run", model, "--by", "dual", "--grid", str(grid), *words]
    told = json.loads(subprocess.run([*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True).stdout)
    text = subprocess.run([*command, "--points", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True).stdout
    rows = [row for row in csv.reader(io.StringIO(text)) if row and not row[0].startswith("#")]
    return told, dict(zip((name.split(" [")[0] for name in rows[0]), (float(x) for x in rows[1]))), dict(zip((name.split(" [")[0] for name in rows[0]), (float(x) for x in rows[-1])))


# ---- scipy's own solvers

def fall(dual):
    """-S, for minimisers: infinite where it has no value."""
    return lambda z: -s if math.isfinite(s := dual.value(z)) else math.inf


# S is flat at its maximum: who looks at its value sees no more than the root of the rounding, who looks at its gradient all digits.
BY_VALUE, BY_GRADIENT = 2e-8, 1e-10


def by_trust_exact(dual, z):
    end = scipy.optimize.minimize(fall(dual), z, jac=lambda y: -dual.gradient(y), hess=lambda y: -dual.hessian(y).toarray(), method="trust-exact", options={"gtol": 1e-12, "initial_trust_radius": .1})
    return end.x, end.nit, BY_VALUE


def by_newton_cg(dual, z):
    end = scipy.optimize.minimize(fall(dual), z, jac=lambda y: -dual.gradient(y), hess=lambda y: -dual.hessian(y).toarray(), method="Newton-CG", options={"xtol": 1e-14})
    return end.x, end.nit, BY_VALUE


def by_newton(dual, z):
    """Sparse factors, as a user would write it; S must grow."""
    for k in range(30):
        gradient, before = dual.gradient(z), dual.value(z)
        step = scipy.sparse.linalg.spsolve(-dual.hessian(z).tocsc(), gradient)
        z = z + step
        slope = gradient @ step
        if slope > 1e-12 * (1 + abs(before)):
            check(before < dual.value(z) < before + slope, f"S grows along Newton's step {k}, by no more than the slope says: {before:.17g} {dual.value(z):.17g}")
        if abs(step).max() < 1e-13 * max(1, abs(z).max()):
            break
    return z, k + 1, BY_GRADIENT


def reaches(lib, model, grid, words, changes, solvers=(by_trust_exact, by_newton), **options):
    if not chosen("reaches %s %d %s" % (model, grid, " ".join(words))):
        return
    told, first, last = run(model, grid, *words)
    dual = Dual(lib, model, grid, changes, **options)
    for solver in solvers:
        z, steps, bound = solver(dual, numpy.zeros(dual.size))
        S, x = dual.value(z), dual.ends(z)[-1]
        start = max(abs(z[dual.slice["dual " + name]][0] - first["dual." + name]) for name in dual.names[:dual.nx])
        end = max(abs(x[i] - last[name]) for i, name in enumerate(dual.names[:dual.nx]))
        print(f"    {model} {' '.join(words)}, {grid} elements, {solver.__name__}: {dual.size} unknowns, {steps} steps, S off by {abs(S - told['dual']['action']):.1e}, D(0) {start:.1e}, x(T) {end:.1e}")
        check(abs(S - told["dual"]["action"]) <= 1e-11 * abs(S) + 1e-15, f"{model}: S = {S:.17g}, and of the run {told['dual']['action']:.17g}")
        check(start <= bound and end <= bound, f"{model}: {solver.__name__} ends off by {start:.1e} in D(0), {end:.1e} in x(T)")
        check(abs(dual.least(z) - told["dual"]["min_eigenvalue"]) < 1e-8, f"{model}: least eigenvalue")
        check(abs(dual.hamiltonian(z)[0] - told["dual"]["hamiltonian"]) <= 1e-9 * max(1, abs(told["dual"]["hamiltonian"])), f"{model}: Hamiltonian")
    own, status = dual.solve()
    check(status == 0 and abs(own - z).max() <= bound, f"{model}: its own solution is {abs(own - z).max():.1e} away")
    check(abs(dual.gradient(own)).max() < 1e-12 * max(1, abs(x).max()), f"{model}: gradient at its maximum {abs(dual.gradient(own)).max():.1e}")
    dual.close()


# ---- derivatives

def differentiates(lib, model, size, changes=(), **options):
    """Gradient and Hessian at random unknowns against central differences; the Hessian is symmetric and negative definite."""
    dual = Dual(lib, model, 3, changes, **options)
    z = size * numpy.random.default_rng(7).uniform(-1, 1, dual.size)
    gradient, hessian, step = dual.gradient(z), dual.hessian(z).toarray(), 1e-4 * size
    units = numpy.eye(dual.size)
    slope = numpy.array([(dual.value(z + step * u) - dual.value(z - step * u)) / (2 * step) for u in units])
    bend = numpy.array([(dual.gradient(z + step * u) - dual.gradient(z - step * u)) / (2 * step) for u in units])
    g, h = abs(slope - gradient).max() / abs(gradient).max(), abs(bend - hessian).max() / abs(hessian).max()
    print(f"    {model} {options or ''}: {dual.size} unknowns, {len(dual.rows)} entries; gradient {g:.1e}, Hessian {h:.1e}")
    check(g < 1e-6 and h < 1e-6, f"{model}: gradient {g:.1e}, Hessian {h:.1e} off")
    check(abs(hessian - hessian.T).max() == 0, f"{model}: symmetric")
    check(numpy.linalg.eigvalsh(hessian).max() < 0, f"{model}: {numpy.linalg.eigvalsh(hessian).max():.1e}")
    check(len(set(zip(dual.rows, dual.cols))) == len(dual.rows) and abs(bend[hessian == 0]).max(initial=0) < 1e-6 * abs(hessian).max(), f"{model}: each entry once, and none is missing")
    dual.close()


# ---- Lorenz by hand

class Lorenz:
    """The dual action of x' = f with H = |x - b|^2/2 in numpy: own nodes, own quadrature, the map as M^-1 p."""

    def __init__(self, grid, k, T, b, x0):
        self.b, self.x0, self.h, self.grid, self.k = numpy.array(b, float), numpy.array(x0, float), T / grid, grid, k
        legendre = numpy.polynomial.legendre.Legendre.basis(k)
        nodes = numpy.concatenate(([0], (1 + numpy.sort(legendre.deriv().roots().real)) / 2, [1]))
        at_points, weight = numpy.polynomial.legendre.leggauss(k + 1)
        theta, self.weight = (1 + at_points) / 2, weight / 2
        shapes = [numpy.polynomial.Polynomial.fromroots(numpy.delete(nodes, j)) for j in range(k + 1)]
        shapes = [p / p(nodes[j]) for j, p in enumerate(shapes)]
        self.N, self.dN = numpy.array([p(theta) for p in shapes]).T, numpy.array([p.deriv()(theta) for p in shapes]).T / self.h
        self.times = numpy.append(numpy.concatenate([self.h * (e + nodes[:-1]) for e in range(grid)]), T)

    def fields(self, z):
        D = numpy.vstack((z.reshape(-1, 3), numpy.zeros(3)))
        parts = [D[e * self.k:(e + 1) * self.k + 1] for e in range(self.grid)]
        return numpy.array([self.N @ p for p in parts]), numpy.array([self.dN @ p for p in parts]), D

    def least(self, z):
        D = self.fields(z)[0]
        return 1 - numpy.sqrt(D[..., 1] ** 2 + D[..., 2] ** 2).max()

    def value(self, z, s=10., r=28., c=8 / 3):
        D, rate, nodes = self.fields(z)
        S, states = -nodes[0] @ self.x0, []
        for e in range(self.grid):
            for q, w in enumerate(self.weight):
                d, v, b = D[e, q], rate[e, q], self.b
                J = numpy.array([[-s, s, 0], [r - b[2], -1, -b[0]], [b[1], b[0], -c]])
                M = numpy.array([[1, -d[2], d[1]], [-d[2], 1, 0], [d[1], 0, 1]])
                x, y, u = b + numpy.linalg.solve(M, v + J.T @ d)
                f = numpy.array([s * (y - x), x * (r - u) - y, x * y - c * u])
                p = numpy.array([x, y, u])
                S += self.h * w * (-v @ p - d @ f + (p - b) @ (p - b) / 2)
                states.append(p)
        return S, numpy.array(states)


def lorenz_by_hand(lib):
    changes = ((TIME, "0..0.1"), (BASE, "x=1.5,y=2,z=.5"))
    for grid, k in ((4, 4), (5, 2), (3, 1)):
        dual, hand = Dual(lib, "lorenz", grid, changes, order=k), Lorenz(grid, k, .1, (1.5, 2, .5), (1, 1, 1))
        check(abs(dual.times - hand.times).max() < 1e-15 and list(dual.slice) == ["dual x", "dual y", "dual z"] and dual.size == 3 * k * grid, f"nodes of degree {k}")
        rng, seen = numpy.random.default_rng(grid), [0, 0]
        for trial in range(30):
            z = rng.uniform(-1, 1, dual.size) * .06 * trial
            S, least, known = dual.value(z), dual.least(z), hand.least(z)
            check(abs(least - known) < 1e-8 * (1 + abs(known)), f"least eigenvalue {least} by hand {known}")
            check(math.isfinite(S) == (known > 0), f"a value where M is positive, and none elsewhere: {S} with {known}")
            seen[int(known > 0)] += 1
            if known > 0:
                S_hand, states = hand.value(z)
                check(abs(S - S_hand) < 1e-12 * (1 + abs(S_hand)) and abs(dual.state(z) - states).max() < 1e-11 * (1 + abs(states).max()), f"S = {S:.17g} by hand {S_hand:.17g}")
            else:
                check(numpy.isnan(dual.gradient(z)).all() and numpy.isnan(dual.hessian(z).data).all(), "no gradient and no Hessian there")
        check(min(seen) > 3, f"both seen: {seen}")
        dual.close()


def hamiltonian(lib):
    """Constant along the slab, and -|x(T) - base|^2/2."""
    dual = Dual(lib, "lorenz", 16, ((TIME, "0..0.1"),), base="constant")
    z, _ = dual.solve()
    H, x = dual.hamiltonian(z), dual.ends(z)
    before = dual.value(z)
    check(abs(H - H[0]).max() < 1e-11 and abs(H[0] + 6.67383193909) < 1e-10, f"Hamiltonian {H[0]:.12g}, {abs(H - H[0]).max():.1e}")
    check(abs(H[-1] + sum((x[-1] - 1) ** 2) / 2) < 1e-12 and abs(x[0] - 1).max() < 1e-12, "Hamiltonian at the end")
    check(dual.value(z) == before, "asking for it changes nothing")
    dual.close()


def main():
    lib = library()
    run_parts([lorenz_by_hand], lib)
    for model, size, options in (("lorenz", .05, {}), ("lorenz", .02, {"multipliers": True}), ("pars42", .002, {"order": 3}), ("pars42", .005, {"multipliers": True, "order": 2}),
                                 ("pars45", .005, {"multipliers": True, "order": 1}), ("pars42", .002, {"closure": "vakonomic", "order": 2}), ("pars42", .002, {"closure": "reduced", "order": 2}),
                                 ("pars42", .002, {"closure": "free", "power": "nonnegative", "order": 2})):
        if chosen("differentiates " + model):
            differentiates(lib, model, size, ((TIME, "0..0.06"),), **options)
    reaches(lib, "lorenz", 8, ("--time", "0..0.1", "--base", "x=1,y=1,z=1"), ((TIME, "0..0.1"), (BASE, "x=1,y=1,z=1")), solvers=(by_trust_exact, by_newton_cg, by_newton))
    reaches(lib, "lorenz", 8, ("--time", "0..0.1", "--base", "constant", "--weights", "x=1,y=2,z=5", "--final", "x=.05,y=-.1"), ((TIME, "0..0.1"), (WEIGHTS, "x=1,y=2,z=5"), (FINAL, "x=.05,y=-.1")), base="constant")
    reaches(lib, "pars42", 10, ("--time", "0..1"), ((TIME, "0..1"),))
    reaches(lib, "pars42", 10, ("--time", "0..1", "--base", "constant", "--order", "3"), ((TIME, "0..1"),), base="constant", order=3)
    reaches(lib, "pars45", 10, ("--time", "0..1", "--multipliers", "--order", "3"), ((TIME, "0..1"),), multipliers=True, order=3)
    reaches(lib, "pars42", 10, ("--time", "0..1", "--base", "constant", "--closure", "free"), ((TIME, "0..1"),), base="constant", closure="free")
    reaches(lib, "pars47", 32, ("--time", "0..1", "--base", "v1=0,v2=0"), ((TIME, "0..1"), (BASE, "v1=0,v2=0")))
    run_parts([hamiltonian], lib)
    return ended("dual_scipy", passed, failed)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""An independent method of lines for fields: local derivatives by sympy, a dense saddle matrix, DOP853 with 1e-12 and a projection after every step.

Who writes a system down says himself which term lives at nodes (trapezoidal weights) and which in cells (weight h, means of two nodes), so nothing of the
program's reading of densities is repeated."""
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")      # the matrices are small
import numpy as np
import sympy
from scipy.integrate import DOP853

T = sympy.Symbol("t")
WORDS = {name: getattr(sympy, name) for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "atan", "tanh", "cosh", "pi")}
WORDS["t"] = T


class Template:
    """phi of a few local unknowns, the same at many places: its value and derivatives there, with weights."""

    def __init__(self, phi, table, weights, more):
        phi = sympy.sympify(phi)
        pairs = [(q, v, at) for q, v, at in table if phi.has(q) or phi.has(v)]
        self.q, self.v = [p[0] for p in pairs], [p[1] for p in pairs]
        self.m = len(weights)
        self.at = np.array([np.broadcast_to(p[2], self.m) for p in pairs], dtype=int).reshape(len(pairs), self.m)
        self.weights, self.phi, self.table, self.more = weights, phi, table, more
        self.symbols = self.q + self.v + [T] + list(more)
        self.values = list(more.values())
        k = len(pairs)
        by_v = [sympy.diff(phi, v) for v in self.v]
        self.pairs = [(i, j) for i in range(k) for j in range(k) if sympy.diff(by_v[i], self.v[j]) != 0]
        along = lambda f: sum((sympy.diff(f, q) * v for q, v in zip(self.q, self.v)), sympy.diff(f, T))
        wanted = [phi, along(phi)] + [sympy.diff(phi, q) for q in self.q] + by_v + [along(f) for f in by_v] + [sympy.diff(by_v[i], self.v[j]) for i, j in self.pairs]
        self.call, self.k, self.second = sympy.lambdify(self.symbols, wanted, "numpy", cse=True), k, None

    def rate(self):
        """The template of d phi/dt, for phi without velocities."""
        f = sum((sympy.diff(self.phi, q) * v for q, v in zip(self.q, self.v)), sympy.diff(self.phi, T))
        return Template(f, self.table, self.weights, self.more)

    def at_state(self, q, v, t):
        """value, rate, by q, by v, rate of the last by q and t: (1 or k, m) each; by v twice: (pairs, m)."""
        k, out = self.k, self.call(*q[self.at], *v[self.at], t, *self.values)
        out = np.array([np.broadcast_to(x, self.m) for x in out], dtype=float)
        return out[0], out[1], out[2:2 + k], out[2 + k:2 + 2 * k], out[2 + 2 * k:2 + 3 * k], out[2 + 3 * k:]

    def by_q_twice(self, q, v, t):
        if self.second is None:
            self.second = sympy.lambdify(self.symbols, [sympy.diff(self.phi, a, b) for a in self.q for b in self.q], "numpy", cse=True)
        out = self.second(*q[self.at], *v[self.at], t, *self.values)
        return np.array([np.broadcast_to(x, self.m) for x in out], dtype=float).reshape(self.k, self.k, self.m)


class Functional:
    """A weighted sum of templates: an integral, or a value at a point."""

    def __init__(self, parts):
        self.parts = parts

    def at_state(self, q, v, t):
        n = len(q)
        value, rate, by_q, by_v, along, twice = 0.0, 0.0, np.zeros(n), np.zeros(n), np.zeros(n), np.zeros((n, n))
        for p in self.parts:
            phi, dot, f, g, r, w = p.at_state(q, v, t)
            value, rate = value + p.weights @ phi, rate + p.weights @ dot
            for i in range(p.k):
                by_q += np.bincount(p.at[i], p.weights * f[i], n)
                by_v += np.bincount(p.at[i], p.weights * g[i], n)
                along += np.bincount(p.at[i], p.weights * r[i], n)
            for (i, j), x in zip(p.pairs, w):
                np.add.at(twice, (p.at[i], p.at[j]), p.weights * x)
        return value, rate, by_q, by_v, along, twice


class Axis:
    def __init__(self, A, B, N):
        self.N, self.h = N, (B - A) / (N - 1)
        self.s = A + self.h * np.arange(N)
        self.middle = (self.s[1:] + self.s[:-1]) / 2
        self.weights = np.full(N, self.h)
        self.weights[[0, -1]] /= 2

    def running(self, f):
        """From the first node by the midpoint rule of the cells."""
        return np.concatenate([[0.0], np.cumsum(self.h * f(self.middle))])


class System:
    def __init__(self, A=0.0, B=1.0, N=9):
        self.n, self.axes, self.fields, self.points = 0, [Axis(A, B, N)], {}, {}
        self.lagrangian, self.dissipation, self.outer, self.forces, self.rows, self.massless = [], [], [], [], [], []

    def axis(self, A, B, N):
        self.axes.append(Axis(A, B, N))
        return len(self.axes) - 1

    def field(self, *names, axis=0, ghosts=False):
        """With ghosts there is one unknown more beyond each end."""
        for name in names:
            N = self.axes[axis].N
            self.fields[name] = (axis, ghosts, np.arange(self.n, self.n + N + 2 * ghosts))
            self.n += N + 2 * ghosts
        return self

    def point(self, *names):
        for name in names:
            self.points[name], self.n = self.n, self.n + 1
        return self

    def nodes(self, name):
        axis, ghosts, at = self.fields[name]
        return at[1:-1] if ghosts else at

    def free_ends(self, name, *which):
        """Values beyond the ends that no constraint holds: stationary, without mass."""
        at = self.fields[name][2]
        self.massless += [at[0] if end == "A" else at[-1] for end in which]

    # ---- the symbols of a place

    def symbols(self, kind, axis):
        space, table, more = dict(WORDS), [], {}

        def base(name, at):
            q, v = sympy.Symbol("q_" + name), sympy.Symbol("v_" + name)
            table.append((q, v, at))
            return q, v
        for name, at in self.points.items():
            space[name], space[name + "_t"] = base(name, at)
        for name, (own, ghosts, at) in self.fields.items():
            inner, h = self.nodes(name), self.axes[own].h
            for end, i in (("A", 0), ("B", -1)):
                space["%s_%s" % (name, end)], space["%s_%st" % (name, end)] = base(name + "_" + end, inner[i])
            if ghosts:
                (a, _), (b, _), (c, _), (d, _) = (base(name + "_around%d" % i, at[i]) for i in (0, 2, -3, -1))
                space[name + "_sA"], space[name + "_sB"] = (b - a) / (2 * h), (d - c) / (2 * h)
            if kind == "node" and own == axis:
                x, x_t = base(name, inner)
                space[name], space[name + "_t"] = x, x_t
                if ghosts:
                    (a, a_t), (b, b_t) = base(name + "_before", at[:-2]), base(name + "_after", at[2:])
                    space[name + "_ss"], space[name + "_sst"] = (a - 2 * x + b) / h ** 2, (a_t - 2 * x_t + b_t) / h ** 2
            if kind == "cell" and own == axis:
                (a, a_t), (b, b_t) = base(name + "0", inner[:-1]), base(name + "1", inner[1:])
                space.update({name: (a + b) / 2, name + "_t": (a_t + b_t) / 2, name + "_s": (b - a) / h, name + "_st": (b_t - a_t) / h, name + "0": a, name + "1": b})
        if kind != "place":
            line = self.axes[axis]
            places = {"s": line.s} if kind == "node" else {"s": line.middle, "s0": line.s[:-1], "s1": line.s[1:]}
            for name, values in places.items():
                space[name] = sympy.Symbol(name)
                more[space[name]] = values
            space["h"] = line.h
        return space, table, more

    def template(self, kind, text, axis=0):
        space, table, more = self.symbols(kind, axis)
        line = self.axes[axis]
        weights = {"node": line.weights, "cell": np.full(line.N - 1, line.h), "place": np.ones(1)}[kind]
        return Template(eval(text, {"__builtins__": {}}, space), table, weights, more)

    def functional(self, *parts):
        return Functional([self.template(*part) for part in parts])

    # ---- statements

    def lagrange(self, kind, text, axis=0):
        self.lagrangian.append(self.template(kind, text, axis))

    def lagrange_of(self, text, **integrals):
        """A function of integrals: {name: [(kind, text), ...]}."""
        names = list(integrals)
        symbols = [sympy.Symbol(name) for name in names]
        f = sympy.sympify(eval(text, {"__builtins__": {}}, dict(WORDS, **dict(zip(names, symbols)))))
        first, second = [sympy.diff(f, a) for a in symbols], [sympy.diff(f, a, b) for a in symbols for b in symbols]
        self.outer.append((sympy.lambdify(symbols, [f] + first + second, "numpy"), [self.functional(*integrals[name]) for name in names]))

    def dissipate(self, kind, text, axis=0):
        self.dissipation.append(self.template(kind, text, axis))

    def force(self, name, kind, text, axis=0):
        """Per length at the nodes of a field (kind node), or on one unknown (kind place): name, name_A or name_B."""
        if kind == "node":
            at = self.nodes(name)
        else:
            at = np.array([self.points[name]] if name in self.points else [self.nodes(name[:-2])[0 if name.endswith("_A") else -1]])
        self.forces.append((self.template(kind, text, axis), at))

    def constrain(self, label, kind, text, axis=0, total=False):
        """At every place of a kind, its multiplier a density; total: the one integral of it, its multiplier a number."""
        f = self.template(kind, text, axis)
        holonomic = not any(f.phi.has(v) for v in f.v)
        self.rows.append((label, f if holonomic else None, f.rate() if holonomic else f, total))

    def constrain_sum(self, label, *parts):
        """One row that is a sum of integrals and values at points; its multiplier is a number."""
        f = self.functional(*parts)
        moving = any(p.phi.has(v) for p in f.parts for v in p.v)
        self.rows.append((label, None, f, True) if moving else (label, f, Functional([p.rate() for p in f.parts]), True))

    # ---- equations

    def energy_parts(self, q, v, t):
        value, _, by_q, by_v, along, twice = Functional(self.lagrangian).at_state(q, v, t)
        for call, integrals in self.outer:
            parts = [i.at_state(q, v, t) for i in integrals]
            out, k = call(*[p[0] for p in parts]), len(parts)
            value += out[0]
            for i, p in enumerate(parts):
                by_q, by_v, along, twice = by_q + out[1 + i] * p[2], by_v + out[1 + i] * p[3], along + out[1 + i] * p[4], twice + out[1 + i] * p[5]
                for j, o in enumerate(parts):
                    f = out[1 + k + i * k + j]
                    along, twice = along + f * p[3] * o[1], twice + f * np.outer(p[3], o[3])
        return value, by_q, by_v, along, twice

    def row_block(self, f, total, q, v, t):
        """values, rates without accelerations, matrix by v, weights of the rows of one constraint."""
        if isinstance(f, Functional) or total:
            f = f if isinstance(f, Functional) else Functional([f])
            value, rate, _, by_v, _, _ = f.at_state(q, v, t)
            return np.array([value]), np.array([rate]), by_v[None, :], np.ones(1)
        value, rate, _, by_v, _, _ = f.at_state(q, v, t)
        A = np.zeros((f.m, self.n))
        for i in range(f.k):
            np.add.at(A, (np.arange(f.m), f.at[i]), by_v[i])
        return value, rate, A, f.weights

    def settle(self, q, v, t):
        """Values beyond free ends: where the Lagrangian is stationary."""
        at = np.array(self.massless, dtype=int)
        for _ in range(30 if len(at) else 0):
            slope, bend = np.zeros(self.n), np.zeros((self.n, self.n))
            for p in self.lagrangian:
                f, ff = p.at_state(q, v, t)[2], p.by_q_twice(q, v, t)
                for i in range(p.k):
                    slope += np.bincount(p.at[i], p.weights * f[i], self.n)
                    for j in range(p.k):
                        np.add.at(bend, (p.at[i], p.at[j]), p.weights * ff[i, j])
            step = np.linalg.solve(bend[np.ix_(at, at)], slope[at])
            q = q.copy()
            q[at] -= step
            if np.max(np.abs(step)) < 1e-14:
                break
        return q

    def accelerations(self, q, v, t):
        """a and {label: multipliers}."""
        _, by_q, _, along, W = self.energy_parts(q, v, t)
        b = by_q - along
        for p in self.dissipation:
            b -= Functional([p]).at_state(q, v, t)[3]
        for p, at in self.forces:
            np.add.at(b, at, p.weights * p.at_state(q, v, t)[0])
        live = np.setdiff1d(np.arange(self.n), self.massless)
        blocks = [self.row_block(g, total, q, v, t) for _, _, g, total in self.rows]
        a = np.zeros(self.n)
        A = np.concatenate([x[2] for x in blocks] + [np.zeros((0, self.n))])[:, live]
        c = -np.concatenate([x[1] for x in blocks] + [np.zeros(0)])
        m = len(c)
        K = np.block([[W[np.ix_(live, live)], -A.T], [A, np.zeros((m, m))]])
        x = np.linalg.solve(K, np.concatenate([b[live], c]))
        a[live], found, k = x[:len(live)], {}, len(live)
        for (label, _, _, _), block in zip(self.rows, blocks):
            found[label] = x[k:k + len(block[3])] / block[3]
            k += len(block[3])
        return a, found

    def move(self, W, A, r):
        """The smallest change, in the metric W, with A change = -r."""
        K = np.block([[W, A.T], [A, np.zeros((len(r), len(r)))]])
        return np.linalg.solve(K, np.concatenate([np.zeros(len(W)), -r]))[:len(W)]

    def project(self, q, v, t):
        if not self.rows:
            return q, v
        live = np.setdiff1d(np.arange(self.n), self.massless)
        W = self.energy_parts(q, v, t)[4][np.ix_(live, live)]
        q, v = q.copy(), v.copy()
        for _ in range(20):
            blocks = [(self.row_block(f, total, q, v, t)[0], self.row_block(g, total, q, v, t)[2]) for _, f, g, total in self.rows if f is not None]
            if not blocks:
                break
            r, A = np.concatenate([x[0] for x in blocks]), np.concatenate([x[1] for x in blocks])
            step = self.move(W, A[:, live], r)
            q[live] += step
            if np.max(np.abs(step)) < 1e-15:
                break
        for _ in range(3):
            blocks = [self.row_block(g, total, q, v, t) for _, _, g, total in self.rows]
            r, A = np.concatenate([x[0] for x in blocks]), np.concatenate([x[2] for x in blocks])
            v[live] += self.move(W, A[:, live], r)
        return self.settle(q, v, t), v

    def residual(self, q, v, t):
        return max([np.max(np.abs(self.row_block(x, total, q, v, t)[0])) for _, f, g, total in self.rows for x in (f, g) if x is not None], default=0.0)

    def start(self, **values):
        """{name or name_t: function of s, array or number} as one state; values beyond the ends go on in a straight line."""
        q, v = np.zeros(self.n), np.zeros(self.n)
        for name, value in values.items():
            target, bare = (v, name[:-2]) if name.endswith("_t") else (q, name)
            if bare in self.points:
                target[self.points[bare]] = value
                continue
            axis, ghosts, at = self.fields[bare]
            inner = self.nodes(bare)
            target[inner] = value(self.axes[axis].s) if callable(value) else value
            if ghosts:
                target[at[0]], target[at[-1]] = 2 * target[at[1]] - target[at[2]], 2 * target[at[-2]] - target[at[-3]]
        return q, v

    def row(self, q, v, t):
        a, found = self.accelerations(q, v, t)
        value, _, by_v, _, _ = self.energy_parts(q, v, t)
        out = {"t": t, "energy": v @ by_v - value, ":q": q, ":v": v, ":a": a}
        for name in self.fields:
            out[name], out[name + "_dot"] = q[self.nodes(name)], v[self.nodes(name)]
        for name, at in self.points.items():
            out[name], out[name + "_dot"] = q[at], v[at]
        out.update({"lambda." + label: x if len(x) > 1 else x[0] for label, x in found.items()})
        return out

    def motion(self, state, times, rtol=1e-12, atol=1e-13):
        """Rows at the times, the first of them the start."""
        t, (q, v) = times[0], self.project(*state, times[0])
        q, out, n = self.settle(q, v, t), [], self.n

        def slope(t, y):
            return np.concatenate([y[n:], self.accelerations(self.settle(y[:n], y[n:], t), y[n:], t)[0]])
        out.append(self.row(q, v, t))
        for end in times[1:]:
            solver = DOP853(slope, t, np.concatenate([q, v]), end, rtol=rtol, atol=atol)
            while solver.status == "running":
                solver.step()
                if self.rows:
                    solver.y = np.concatenate(self.project(solver.y[:n], solver.y[n:], solver.t))
                    solver.f = slope(solver.t, solver.y)
            if solver.status != "finished":
                raise ArithmeticError("no step at t = %g" % solver.t)
            t, q, v = end, solver.y[:n], solver.y[n:]
            q = self.settle(q, v, t)
            out.append(self.row(q, v, t))
        return out

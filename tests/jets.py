# SPDX-License-Identifier: Apache-2.0
"""Numbers with their first and second derivatives by all variables, and the equations of a model formed with them: no formula of the program is used."""
import itertools
import math
import re

import numpy


class Jet:
    """value, gradient, second derivatives"""
    __slots__ = ("x", "g", "h")

    def __init__(self, x, g, h):
        self.x, self.g, self.h = x, g, h

    @staticmethod
    def variables(values):
        n = len(values)
        return [Jet(float(x), numpy.eye(n)[i], numpy.zeros((n, n))) for i, x in enumerate(values)]

    def of(self, f, d, dd):
        """The function with this value and these derivatives at self."""
        return Jet(f, d * self.g, d * self.h + dd * numpy.outer(self.g, self.g))

    def __add__(self, o):
        return Jet(self.x + o.x, self.g + o.g, self.h + o.h) if isinstance(o, Jet) else Jet(self.x + o, self.g, self.h)

    def __mul__(self, o):
        if not isinstance(o, Jet):
            return Jet(self.x * o, self.g * o, self.h * o)
        cross = numpy.outer(self.g, o.g)
        return Jet(self.x * o.x, self.x * o.g + o.x * self.g, self.x * o.h + o.x * self.h + cross + cross.T)

    def __neg__(self):
        return self * -1.0

    def __sub__(self, o):
        return self + (-o)

    def __rsub__(self, o):
        return (-self) + o

    def __truediv__(self, o):
        return self * (o.of(1 / o.x, -1 / o.x**2, 2 / o.x**3) if isinstance(o, Jet) else 1.0 / o)

    def __rtruediv__(self, o):
        return self.of(1 / self.x, -1 / self.x**2, 2 / self.x**3) * o

    def __pow__(self, k):
        return self.of(self.x**k, k * self.x**(k - 1), k * (k - 1) * self.x**(k - 2) if k != 1 else 0.0)

    def __lt__(self, o):
        return self.x < (o.x if isinstance(o, Jet) else o)

    def __gt__(self, o):
        return self.x > (o.x if isinstance(o, Jet) else o)

    __radd__, __rmul__ = __add__, __mul__


def _of(name, f, d, dd):
    return lambda a: a.of(f(a.x), d(a.x), dd(a.x)) if isinstance(a, Jet) else f(a)


FUNCTIONS = {
    "sin": _of("sin", math.sin, math.cos, lambda x: -math.sin(x)),
    "cos": _of("cos", math.cos, lambda x: -math.sin(x), lambda x: -math.cos(x)),
    "exp": _of("exp", math.exp, math.exp, math.exp),
    "sqrt": _of("sqrt", math.sqrt, lambda x: .5 / math.sqrt(x), lambda x: -.25 / x**1.5),
    "abs": _of("abs", abs, lambda x: math.copysign(1, x), lambda x: 0.0),
    "sign": lambda a: math.copysign(1, a.x if isinstance(a, Jet) else a),
    "If": lambda condition, a, b: a if condition else b,
    "max": lambda a, b: a if a > b else b,
}


def python(text):
    """A formula of the language as one of Python's; x' is x_d, a[1] is a_1."""
    text = re.sub(r"\[(\d+)\]", r"_\1", text)
    text = re.sub(r"([A-Za-z_]\w*)'", r"\1_d", text)
    return text.replace("^", "**").replace("if(", "If(")


class Equations:
    """G z' - D' lambda = h, A z' = c of a model given by its parts, all as text in the model's language.
    coords, states: names; lagrangian; force: {coord: text}; flows: [(left, right)]; rows: [(kind, text that is 0, reaction)], kind 'holonomic', 'velocity';
    reaction None (ideal), a list of names (acting), or {name: text} (along)."""

    def __init__(self, coords, states, lagrangian, force, flows, rows, held=()):
        self.held = {python(name): 0.0 for name in held}           # values that the caller sets
        self.coords, self.states, self.flows, self.rows = coords, states, flows, rows
        self.n, self.m = len(coords), len(states)
        self.names = [python(c) for c in coords] + [python(c) + "_d" for c in coords] + [python(s) for s in states] + ["t"]
        compiled = lambda text: compile(python(text), "model", "eval")
        self.lagrangian, self.force = compiled(lagrangian), {c: compiled(e) for c, e in force.items()}
        self.row = [compiled(e) for _, e, _ in rows]
        self.along = [{c: compiled(e) for c, e in r.items()} if isinstance(r, dict) else None for _, _, r in rows]
        self.left, self.right = [compiled(a) for a, _ in flows], [compiled(b) for _, b in flows]

    def jets(self, q, v, s, t):
        values = dict(zip(self.names, Jet.variables([*q, *v, *s, t])))
        return {**FUNCTIONS, "pi": math.pi, **self.held, **values}

    def metric(self, names):
        """Coefficients of the primed states, and the right sides, in the order of the flows."""
        m = self.m
        rate = [python(s) + "_d" for s in self.states]
        number = lambda x: x.x if isinstance(x, Jet) else float(x)
        at = lambda i, on: number(eval(self.left[i], dict(names, **{r: float(r == on) for r in rate})))
        mu = numpy.array([[at(i, r) for r in rate] for i in range(m)]).reshape(m, m)
        return mu, numpy.array([number(eval(self.right[i], dict(names))) for i in range(m)])

    def order(self, q, v, s, t):
        """The flow of each state: by the largest product of coefficients."""
        mu, _ = self.metric(self.jets(q, v, s, t))
        best = max(itertools.permutations(range(self.m)), key=lambda p: numpy.prod([abs(mu[p[j], j]) for j in range(self.m)]))
        return list(best)

    def matrices(self, q, v, s, t, order):
        n, m, N = self.n, self.m, self.n + self.m
        names = self.jets(q, v, s, t)
        jet = lambda e: (lambda x: x if isinstance(x, Jet) else Jet(float(x), numpy.zeros(2 * n + m + 1), numpy.zeros((2 * n + m + 1,) * 2)))(eval(e, dict(names)))
        L = jet(self.lagrangian)
        drift = numpy.concatenate([v, numpy.zeros(n + m), [1.0]])          # q' = v, t' = 1
        z = list(range(n, N + n))
        G, h = numpy.zeros((N, N)), numpy.zeros(N)
        G[:n] = L.h[n:2 * n][:, z]
        h[:n] = L.g[:n] - L.h[n:2 * n] @ drift
        for i, c in enumerate(self.coords):
            if c in self.force:
                h[i] += jet(self.force[c]).x
        if m:
            mu, right = self.metric(names)
            G[n:, n:], h[n:] = mu[order], right[order]
        p = len(self.rows)
        A, D, c = numpy.zeros((p, N)), numpy.zeros((p, N)), numpy.zeros(p)
        for k, (kind, _, reaction) in enumerate(self.rows):
            g = jet(self.row[k])
            if kind == "holonomic":                         # g_q a = -(v g_qq v + 2 g_qt v + g_tt)
                A[k, :n], c[k] = g.g[:n], -(drift @ g.h @ drift)
            else:
                A[k], c[k] = g.g[z], -(g.g @ drift)
            D[k] = A[k]
            if isinstance(reaction, list):
                D[k] = [a if name in reaction else 0 for a, name in zip(A[k], self.coords + self.states)]
            if isinstance(reaction, dict):
                D[k] = [jet(self.along[k][name]).x if name in reaction else 0 for name in self.coords + self.states]
        return G, h, A, D, c

    def solve(self, q, v, s, t, order):
        """z', the multipliers of least norm, the condition of B and whether B, but for dependent rows, is regular."""
        G, h, A, D, c = self.matrices(q, v, s, t, order)
        N, p = len(h), len(c)
        B = numpy.block([[G, -D.T], [A, numpy.zeros((p, p))]]) if p else G
        sigma = numpy.linalg.svd(B, compute_uv=False)
        rank = int((sigma > 1e-9 * sigma[0]).sum())
        free = p - (numpy.linalg.matrix_rank(A, 1e-9) if p else 0)
        x = numpy.linalg.lstsq(B, numpy.concatenate([h, c]), rcond=1e-9)[0]
        return x[:N], x[N:], sigma[0] / sigma[rank - 1], rank == N + p - free

    def residual(self, q, v, s, t, order, zdot, multipliers):
        """What the equations leave, beside the size of their terms."""
        G, h, A, D, c = self.matrices(q, v, s, t, order)
        left, right = G @ zdot - D.T @ multipliers - h, A @ zdot - c
        size = numpy.abs(G) @ numpy.abs(zdot) + numpy.abs(D.T) @ numpy.abs(multipliers) + numpy.abs(h)
        rows = numpy.abs(A) @ numpy.abs(zdot) + numpy.abs(c)
        return max([0.0, *(numpy.abs(left) / numpy.maximum(size, 1)), *(numpy.abs(right) / numpy.maximum(rows, 1))])

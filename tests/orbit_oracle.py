# SPDX-License-Identifier: Apache-2.0
"""Periodic orbits by Taylor series, sharing nothing with the program: right-hand sides as lists of operations on power series, in doubles
(order 24, to look for orbits) or in whole numbers that stand for binary fractions (order 44, about 45 digits, to say what they are).
tools/derive_orbits.py writes tests/orbits/reference.csv with it; tests compare with that file and do not compute anything here."""
import math
from fractions import Fraction
from operator import mul

import mpmath
from mpmath import mp

mp.dps = 60


# ---- arithmetic: what a coefficient is

class Doubles:
    order, tolerance = 24, 1e-18

    def number(self, x):
        return float(x)

    def to_mp(self, x):
        return mp.mpf(x)

    def size(self, x):
        return abs(x)

    def times(self, x, y):
        return x * y

    def over(self, x, y):
        return x / y

    def dot(self, a, b):
        return sum(map(mul, a, b))

    def over_whole(self, x, n):
        return x / n


class Fixed:
    """x stands for x / 2^bits"""
    bits, order, tolerance = 200, 44, 1e-48

    def number(self, x):
        if isinstance(x, Fraction):
            return (x.numerator << self.bits) // x.denominator
        return int(mp.nint(mp.ldexp(mp.mpf(x), self.bits)))

    def to_mp(self, x):
        return mp.ldexp(mp.mpf(x), -self.bits)

    def size(self, x):
        return math.ldexp(abs(x), -self.bits)

    def times(self, x, y):
        return (x * y) >> self.bits

    def over(self, x, y):
        return (x << self.bits) // y

    def dot(self, a, b):
        return sum(map(mul, a, b)) >> self.bits

    def over_whole(self, x, n):
        return x // n


# ---- formulas: one entry for each operation, operands first

class Term:
    """An entry of a formula list; the usual signs build further ones."""

    def __init__(self, tape, at):
        self.tape, self.at = tape, at

    def _with(self, op, other, swap=False):
        if not isinstance(other, Term):
            if op == "mul":
                return self.tape.put("scale", self.at, value=other)
            other = self.tape.put("const", value=other)
        a, b = (other, self) if swap else (self, other)
        return self.tape.put(op, a.at, b.at)

    def __add__(self, o): return self._with("add", o)
    def __radd__(self, o): return self._with("add", o, True)
    def __sub__(self, o): return self._with("sub", o)
    def __rsub__(self, o): return self._with("sub", o, True)
    def __mul__(self, o): return self._with("mul", o)
    def __rmul__(self, o): return self._with("mul", o)
    def __truediv__(self, o): return self._with("div", o) if isinstance(o, Term) else self * (1 / Fraction(o))
    def __rtruediv__(self, o): return self._with("div", o, True)
    def __neg__(self): return self * -1


def sin_cos(a):
    """Two entries that feed each other: the sine first."""
    s = a.tape.put("sin", a.at)
    return s, a.tape.put("cos", a.at)


def power(a, exponent):
    return a.tape.put("power", a.at, value=Fraction(exponent))


class Tape:
    def __init__(self):
        self.ops = []

    def put(self, op, a=None, b=None, value=None):
        self.ops.append((op, a, b, value))
        return Term(self, len(self.ops) - 1)

    def tangent(self, seeds, end):
        """d of each of the first `end` entries; seeds: entry -> Term for the variables, None stands for 0."""
        d = [None] * end

        def term(i):
            return Term(self, i)

        def plus(x, y):
            return y if x is None else x if y is None else x + y

        def times(x, y):
            return None if x is None else x * y

        for i in range(end):
            op, a, b, value = self.ops[i]
            if op == "var":
                d[i] = seeds.get(i)
            elif op == "add":
                d[i] = plus(d[a], d[b])
            elif op == "sub":
                d[i] = plus(d[a], None if d[b] is None else -d[b])
            elif op == "scale":
                d[i] = times(d[a], value)
            elif op == "mul":
                d[i] = plus(times(d[a], term(b)), times(d[b], term(a)))
            elif op == "div":
                top = plus(d[a], None if d[b] is None else -(d[b] * term(i)))
                d[i] = None if top is None else top / term(b)
            elif op == "sin":
                d[i] = times(d[a], term(i + 1))
            elif op == "cos":
                d[i] = None if d[a] is None else -(d[a] * term(i - 1))
            elif op == "power":
                d[i] = None if d[a] is None else d[a] * (term(i) / term(a)) * value
        return d


class System:
    """x' = f(x) with dx'/dx for the columns asked for. f: list of Terms in, list of Terms out; only the first `n` states count in orbits,
    what follows are helpers (a clock, the integral of the divergence) that start at given values."""

    def __init__(self, f, names, helpers=(), vary=True):
        self.names, self.n, self.helpers = names, len(names), [value for value in helpers]
        self.states = self.n + len(self.helpers)
        tape = self.tape = Tape()
        variables = [tape.put("var") for _ in range(self.states)]
        rates = f(*variables)
        end = len(tape.ops)
        self.pairs = [(v.at, r.at) for v, r in zip(variables, rates)]
        for _ in range(self.n if vary else 0):
            column = [tape.put("var") for _ in range(self.n)]
            d = tape.tangent({variables[i].at: column[i] for i in range(self.n)}, end)
            zero = tape.put("const", value=0)
            self.pairs += [(v.at, (d[rates[i].at] or zero).at) for i, v in enumerate(column)]
        self.vary = vary

    def start(self, x, arith):
        y = [arith.number(v) for v in list(x) + self.helpers]
        if self.vary:
            y += [arith.number(int(i == j)) for j in range(self.n) for i in range(self.n)]
        return y

    def split(self, y, arith):
        x, m = [arith.to_mp(v) for v in y[:self.states]], None
        if self.vary:
            m = mp.matrix(self.n, self.n)
            for j in range(self.n):
                for i in range(self.n):
                    m[i, j] = arith.to_mp(y[self.states + j * self.n + i])
        return x, m


# ---- series

def first_coefficient(op, value, x, arith):
    if op == "sin":
        return arith.number(mp.sin(arith.to_mp(x)))
    if op == "cos":
        return arith.number(mp.cos(arith.to_mp(x)))
    return arith.number(mp.power(arith.to_mp(x), mp.mpf(value.numerator) / value.denominator))


def series(system, y, arith):
    """Coefficients 0 .. order of every state around y."""
    ops, K = system.tape.ops, arith.order
    c = [[] for _ in ops]
    fixed = {i: arith.number(value) for i, (op, _, _, value) in enumerate(ops) if op in ("const", "scale")}
    for (at, _), value in zip(system.pairs, y):
        c[at].append(value)
    for k in range(K):
        for i, (op, a, b, value) in enumerate(ops):
            if op == "var":
                continue
            if op == "add":
                r = c[a][k] + c[b][k]
            elif op == "sub":
                r = c[a][k] - c[b][k]
            elif op == "scale":
                r = arith.times(fixed[i], c[a][k])
            elif op == "mul":
                r = arith.dot(c[a], reversed(c[b]))
            elif op == "const":
                r = fixed[i] if k == 0 else 0
            elif op == "div":
                r = arith.over(c[a][k] - (arith.dot(c[i], reversed(c[b][1:])) if k else 0), c[b][0])
            elif k == 0:
                r = first_coefficient(op, value, c[a][0], arith)
            elif op in ("sin", "cos"):                     # k s_k = sum j a_j c_{k-j}, k c_k = -sum j a_j s_{k-j}
                other = c[i + 1] if op == "sin" else c[i - 1]
                r = arith.over_whole(arith.dot([j * v for j, v in enumerate(c[a][1:], 1)], reversed(other[:k])), k)
                r = r if op == "sin" else -r
            else:                                          # k a_0 p_k = sum (j (e+1) - k) a_j p_{k-j}
                e = value.numerator + value.denominator
                s = arith.dot([(j * e - k * value.denominator) * v for j, v in enumerate(c[a][1:], 1)], reversed(c[i]))
                r = arith.over_whole(arith.over(s, c[a][0]), k * value.denominator)
            c[i].append(r)
        for at, rate in system.pairs:
            c[at].append(arith.over_whole(c[rate][k], k + 1))
    return [c[at] for at, _ in system.pairs]


def horner(coefficients, h, arith):
    r = 0
    for v in reversed(coefficients):
        r = arith.times(r, h) + v
    return r


def step_length(c, arith, states):
    """The last two terms of the states stay below the tolerance, those of the variations likewise beside their size."""
    K, h = arith.order, math.inf
    for k in (K - 1, K):
        for group in (c[:states], c[states:]):
            top = max((arith.size(v[0]) for v in group), default=0) + 1e-3
            last = max((arith.size(v[k]) for v in group), default=0)
            if last:
                h = min(h, math.exp((math.log(arith.tolerance * top) - math.log(last)) / k))
    return h


def flow(system, x, T, arith):
    """State and dx(T)/dx(0) after the time T."""
    y, t, end = system.start(x, arith), arith.number(0), arith.number(T)
    while t < end:
        c = series(system, y, arith)
        h = min(arith.number(step_length(c, arith, system.states)), end - t)
        y = [horner(v, h, arith) for v in c]
        t += h
    return system.split(y, arith)


def to_section(system, x, g, arith, limit=1000):
    """Doubles only. Follow the motion to the next place where g(x) passes 0 downwards; returns time, state, dx(T)/dx(0)."""
    y, t = system.start(x, arith), 0.0
    started = False
    for _ in range(limit):
        c = series(system, y, arith)
        h = step_length(c, arith, system.states)
        pieces = 4
        for i in range(pieces):
            a, b = h * i / pieces, h * (i + 1) / pieces
            at = lambda s: g([horner(v, s, arith) for v in c[:system.states]])
            ga, gb = at(a), at(b)
            started = started or ga > 0
            if started and ga > 0 >= gb:
                for _ in range(60):
                    m = a - ga * (b - a) / (gb - ga) if _ % 3 else (a + b) / 2
                    gm = at(m)
                    if gm > 0:
                        a, ga = m, gm
                    else:
                        b, gb = m, gm
                    if b - a < 1e-17 or gb == 0:
                        break
                y = [horner(v, b, arith) for v in c]
                return t + b, *system.split(y, arith)
        y = [horner(v, h, arith) for v in c]
        t += h
    return None


# ---- orbits

def closed_orbit(system, x, T, anchor, arith=None, small=None, rounds=12):
    """Newton for x(T) = x(0), T unknown, x[anchor] kept. Returns x, T, dx(T)/dx(0), helpers at the end."""
    arith = arith or Fixed()
    n, x, T = system.n, [mp.mpf(v) for v in x], mp.mpf(T)
    small = small or (mp.mpf(10) ** -38 if isinstance(arith, Fixed) else mp.mpf(10) ** -12)
    for _ in range(rounds):
        end, m = flow(system, x, T, arith)
        f = rates(system, end)
        a = mp.matrix(n, n)
        keep = [j for j in range(n) if j != anchor]
        for i in range(n):
            for k, j in enumerate(keep):
                a[i, k] = m[i, j] - (i == j)
            a[i, n - 1] = f[i]
        step = mp.lu_solve(a, mp.matrix([x[i] - end[i] for i in range(n)]))
        for k, j in enumerate(keep):
            x[j] += step[k]
        T += step[n - 1]
        if not mp.isfinite(mp.norm(step)) or T <= 0:
            return None
        if mp.norm(step) < small:
            end, m = flow(system, x, T, arith)
            return x, T, m, end[n:]
    return None


def rates(system, x):
    arith = Fixed()
    arith.order = 1
    y = [arith.number(v) for v in x] + [0] * (len(system.pairs) - system.states)
    return [arith.to_mp(v[1]) for v in series(system, y, arith)[:system.n]]


def forced_orbit(system, x, T, arith=None, rounds=15):
    """Newton for x(T) = x(0), T given."""
    arith = arith or Fixed()
    small = mp.mpf(10) ** -38 if isinstance(arith, Fixed) else mp.mpf(10) ** -11
    n, x = system.n, [mp.mpf(v) for v in x]
    for _ in range(rounds):
        end, m = flow(system, x, T, arith)
        step = mp.lu_solve(m - mp.eye(n), mp.matrix([x[i] - end[i] for i in range(n)]))
        size = mp.norm(step)
        if not mp.isfinite(size):
            return None
        if isinstance(arith, Doubles) and size > 1:
            step = step / size
        x = [x[i] + step[i] for i in range(n)]
        if max(abs(v) for v in x) > 10:
            return None
        if size < small:
            return x, flow(system, x, T, arith)[1]
    return None


def returns(system, x, g, gradient, count):
    """Doubles. `count` returns to the section: times, places, derivative of each return within the section."""
    arith, found = Doubles(), []
    for _ in range(count):
        got = to_section(system, x, g, arith)
        if got is None:
            return None
        t, end, m = got
        f = rates(system, end)
        slope = sum(gradient[i] * f[i] for i in range(system.n))
        row = mp.matrix([gradient]) * m / slope if m is not None else None
        d = None
        if m is not None:
            d = m.copy()
            for i in range(system.n):
                for j in range(system.n):
                    d[i, j] -= f[i] * row[0, j]
        x = [float(v) for v in end[:system.n]]
        found.append((t, x, d))
    return found


def cycle_on_section(system, nodes, g, gradient, anchor, rounds=20):
    """Doubles. Newton for places that are each other's return to the section, all at once; None, or places and time."""
    n, count = system.n, len(nodes)
    free = [j for j in range(n) if j != anchor]
    size = count * len(free)
    for _ in range(rounds):
        a, b, total = mp.eye(size), mp.matrix(size, 1), 0
        for k in range(count):
            got = returns(system, nodes[k], g, gradient, 1)
            if got is None:
                return None
            t, end, d = got[0]
            after = (k + 1) % count
            total += t
            for r, i in enumerate(free):
                b[k * len(free) + r] = end[i] - nodes[after][i]
                for s, j in enumerate(free):
                    a[k * len(free) + r, k * len(free) + s] -= d[i, j]
            if count > 1:
                for r in range(len(free)):                 # -D X_k + X_{k+1} = residual: the unit belongs to the next place
                    a[k * len(free) + r, k * len(free) + r] -= 1
                    a[k * len(free) + r, after * len(free) + r] += 1
        step = mp.lu_solve(a, b)
        longest = mp.norm(step, mp.inf)
        factor = min(1, 0.5 / longest) if longest > 0 else 1
        for k in range(count):
            for r, i in enumerate(free):
                nodes[k][i] = float(nodes[k][i] + factor * step[k * len(free) + r])
        if longest < 1e-11:
            return nodes, total
    return None


def eigenvalues(m):
    """Largest modulus first, of a pair the upper one first."""
    e = mp.eig(m, left=False, right=False) if m.rows > 1 else [m[0, 0]]
    clean = [mp.mpc(mp.re(v), 0 if abs(mp.im(v)) < mp.mpf(10) ** -20 * abs(v) else mp.im(v)) for v in e]
    return sorted(clean, key=lambda v: (-round(float(mp.log(abs(v))), 9), -mp.im(v)))


def multipliers_of_three(m, log_determinant):
    """1 is one of them; the product is known better than its least factor."""
    s, p = mp.re(m[0, 0] + m[1, 1] + m[2, 2]) - 1, mp.exp(log_determinant)
    root = mp.sqrt(mp.mpc(s * s / 4 - p))
    big = s / 2 + (root if mp.re(s) >= 0 else -root)
    return sorted([big, mp.mpc(1), p / big], key=lambda v: (-abs(v), -mp.im(v)))


# ---- the systems

def lorenz(a=28, sigma=10, b=Fraction(8, 3), vary=True):
    return System(lambda x, y, z: [sigma * (y - x), x * (a - z) - y, x * y - b * z], ["x", "y", "z"], vary=vary)


def lorenz_chetaev(a, sigma=10, b=Fraction(8, 3)):
    small = mp.mpf(sigma + 1) / mp.sqrt(sigma * (a - 1))

    def f(xi, v, eta):
        square = xi * xi
        return [v, xi - xi * square - small * v - eta * xi, -small * ((b * eta - (2 * sigma - b) * square) / (sigma + 1))]
    return System(f, ["xi", "xi'", "eta"])


def rossler(a=Fraction(1, 5), b=Fraction(1, 5), c=Fraction(57, 10), vary=True):
    return System(lambda x, y, z, w: [-y - z, x + a * y, b + z * (x - c), x - c + a], ["x", "y", "z"], helpers=[0], vary=vary)


def van_der_pol(strength):
    def f(x, v, w):
        free = 1 - x * x
        return [v, strength * (free * v) - x, strength * free]
    return System(f, ["x", "x'"], helpers=[0])


def duffing(om, delta=Fraction(1, 5), gamma=Fraction(3, 10), beta=1):
    return System(lambda x, v, c, s: [v, x - beta * (x * x * x) - delta * v + gamma * c, -om * s, om * c], ["x", "x'"], helpers=[1, 0])


def pendulum(g=Fraction(981, 100)):
    def f(a, v):
        s, _ = sin_cos(a)
        return [v, -g * s]
    return System(f, ["a", "a'"])


def kepler():
    def f(x, y, u, v):
        cube = power(x * x + y * y, Fraction(-3, 2))
        return [u, v, -(x * cube), -(y * cube)]
    return System(f, ["x", "y", "x'", "y'"])


def double_pendulum(g=Fraction(981, 100)):
    """m1 = m2 = l1 = l2 = 1: 2 a'' + c b'' = -s b'^2 - 2 g sin a, c a'' + b'' = s a'^2 - g sin b, with c, s of a - b."""
    def f(a, b, u, v):
        s, c = sin_cos(a - b)
        sa, _ = sin_cos(a)
        sb, _ = sin_cos(b)
        first, second = -(s * (v * v)) - 2 * g * sa, s * (u * u) - g * sb
        below = 2 - c * c
        return [u, v, (first - c * second) / below, (2 * second - c * first) / below]
    return System(f, ["a", "b", "a'", "b'"])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small motions about an equilibrium beside closed forms: pendulums, damped and gyroscopic motions, first-order systems, rolling bodies; chains, strings and beams,
exactly where their discrete frequencies are known, and in their order of convergence.

usage: modes.py [--program FILE]"""
import json
import math
import os
import tempfile

import numpy

from program import ROOT, Tally, arguments, call, run_parts

PI = math.pi
J0 = (2.404825557695773, 5.520078110286311, 8.653727912911013, 11.791534439014281)      # zeros of the Bessel function
CANTILEVER = (1.8751040687119611, 4.694091132974175, 7.854757438237613)                  # cos k cosh k = -1
FREE_FREE = (4.730040744862704, 7.853204624095838, 10.995607838001671)                   # cos k cosh k = 1


class Bench:
    def __init__(self, program, folder):
        self.program, self.folder, self.tally = program, folder, Tally("modes")

    def look(self, name, text, *words, count=8):
        path = os.path.join(self.folder, "model.act")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\ntime 0 .. 1\n")
        status, out, err = call(self.program, "check", path, "--modes", str(count), "--json", *words)
        if not self.tally.check(status == 0, "%s: exit %s, %s%s" % (name, status, out[-400:], err)):
            return {"modes": []}
        return json.loads(out)

    def omegas(self, name, text, *words, count=8):
        return [m["omega"] for m in self.look(name, text, *words, count=count)["modes"]]

    def near(self, name, found, right, tol):
        good = len(found) >= len(right) and all(abs(a - b) <= tol * max(1, abs(b)) for a, b in zip(found, right))
        self.tally.check(good, "%s: %s, not %s" % (name, found[:len(right)], list(right)))

    def same(self, name, text, right, tol, *words, count=8):
        self.near(name, self.omegas(name, text, *words, count=count), right, tol)

    def spectrum(self, name, text, right, tol, *words):
        """Eigenvalues, one of each pair, as a set."""
        found = sorted((m["growth"], m["omega"]) for m in self.look(name, text, *words, count=99)["modes"])
        wanted = sorted((z.real, z.imag) for z in right if z.imag >= 0)
        good = len(found) == len(wanted) and all(min(abs(complex(*a) - complex(*b)) for b in wanted) <= tol * max(1, abs(complex(*a))) for a in found)
        good = good and all(min(abs(complex(*a) - complex(*b)) for b in found) <= tol * max(1, abs(complex(*a))) for a in wanted)
        self.tally.check(good, "%s: %s, not %s" % (name, found, wanted))

    def order(self, name, text, nodes, right, words=()):
        """Errors of frequencies fall with the square of the cells' length."""
        seen = [self.omegas(name, text % n, *words) for n in nodes]
        for k, exact in enumerate(right):
            error = [abs(w[k] - exact) / exact for w in seen if len(w) > k]
            rates = [math.log(a / b) / math.log(2) for a, b in zip(error, error[1:])]
            self.tally.check(len(error) == len(nodes) and abs(rates[-1] - 2) < 0.05, "%s: mode %d, errors %s, orders %s" % (name, k + 1, error, rates))


# ---- few coordinates

PENDULUM = "param g = 9.81, l = 2\ncoord th\nlagrangian l^2*th'^2/2 + g*l*cos(th)"
CARTESIAN = "param g = 9.81, l = 2\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - g*y\nconstraint rod: x^2 + y^2 = l^2%s\nstart y = -l"
SPHERICAL = "param g = 9.81, l = 2\ncoord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2 - g*z\nconstraint rod: x^2 + y^2 + z^2 = l^2\nstart z = -l"
DOUBLE = """param m1 = %g, m2 = %g, l1 = %g, l2 = %g, g = 9.81
coord a, b
lagrangian (m1 + m2)/2*l1^2*a'^2 + m2/2*l2^2*b'^2 + m2*l1*l2*a'*b'*cos(a - b) + (m1 + m2)*g*l1*cos(a) + m2*g*l2*cos(b)"""
DOUBLE_CARTESIAN = """param m1 = %g, m2 = %g, l1 = %g, l2 = %g, g = 9.81
coord x1, y1, x2, y2
lagrangian m1/2*(x1'^2 + y1'^2) + m2/2*(x2'^2 + y2'^2) - m1*g*y1 - m2*g*y2
constraint rod1: x1^2 + y1^2 = l1^2
constraint rod2: (x2 - x1)^2 + (y2 - y1)^2 = l2^2
start y1 = -l1, y2 = -l1 - l2"""


def double(m1, m2, l1, l2, g=9.81):
    M = numpy.array([[(m1 + m2) * l1 ** 2, m2 * l1 * l2], [m2 * l1 * l2, m2 * l2 ** 2]])
    K = numpy.diag([(m1 + m2) * g * l1, m2 * g * l2])
    return sorted(numpy.sqrt(numpy.linalg.eigvals(numpy.linalg.solve(M, K)).real))


def finite(b):
    w = math.sqrt(9.81 / 2)
    b.same("pendulum", PENDULUM, [w], 1e-14)
    b.same("pendulum in x, y", CARTESIAN % "", [w], 1e-13)
    b.same("pendulum held twice", CARTESIAN % "\nconstraint again: 3*x^2 + 3*y^2 = 12", [w], 1e-13)
    b.same("spherical pendulum", SPHERICAL, [w, w], 1e-13)
    b.spectrum("pendulum upside down", PENDULUM, [complex(w, 0)], 1e-13, "--start", "th=pi")
    for data in ((1, 1, 1, 1), (2, .5, 1, 3)):
        right = double(*data)
        b.same("double pendulum", DOUBLE % data, right, 1e-13)
        b.same("double pendulum in x, y", DOUBLE_CARTESIAN % data, right, 1e-12)
    shape = [m.get("shape", {}) for m in b.look("double pendulum", DOUBLE % (1, 1, 1, 1))["modes"]]
    b.near("double pendulum, shapes", [s["b"] / s["a"] for s in shape], [math.sqrt(2), -math.sqrt(2)], 1e-12)
    shape = [m.get("shape", {}) for m in b.look("double pendulum in x, y", DOUBLE_CARTESIAN % (1, 1, 1, 1))["modes"]]
    b.near("double pendulum in x, y, shapes", [s["x2"] / s["x1"] for s in shape], [1 + math.sqrt(2), 1 - math.sqrt(2)], 1e-12)
    b.same("free particle", "coord x, y\nlagrangian (x'^2 + y'^2)/2 - y^2", [0, math.sqrt(2)], 1e-14)
    b.spectrum("damped", "param c = .2\ncoord x\nlagrangian x'^2/2 - 2*x^2\ndissipation c*x'^2/2", [complex(-.1, math.sqrt(3.99))], 1e-14)
    b.spectrum("overdamped", "coord x\nlagrangian x'^2/2 - x^2/2\ndissipation 5*x'^2/4", [complex(-.5, 0), complex(-2, 0)], 1e-13)
    b.spectrum("van der Pol", "coord x\nlagrangian x'^2/2 - x^2/2\nforce x = .3*(1 - x^2)*x'", [complex(.15, math.sqrt(1 - .15 ** 2))], 1e-14)
    half = math.sqrt(36 - 2)                                        # w^4 - 12 w^2 + 2 = 0
    b.spectrum("gyroscopic", "coord x, y\nlagrangian (x'^2 + y'^2)/2 + 3*(x*y' - y*x')/2 - (x^2 + 2*y^2)/2", [1j * math.sqrt(6 - half), 1j * math.sqrt(6 + half)], 1e-13)
    b.spectrum("made stable by turning", "coord x, y\nlagrangian (x'^2 + y'^2)/2 + 3*(x*y' - y*x')/2 + (x^2 + y^2)/2", [1j * (3 - math.sqrt(5)) / 2, 1j * (3 + math.sqrt(5)) / 2], 1e-13)
    b.spectrum("flutter of a follower force", "coord x, y\nlagrangian (x'^2 + y'^2)/2 - (x^2 + y^2)/2\nforce x = y, y = -x", [z for z in numpy.emath.sqrt([-1 + 1j, -1 - 1j])] + [-z for z in numpy.emath.sqrt([-1 + 1j, -1 - 1j])], 1e-13)


def lorenz(b):
    text = "param S = 10, R = 28, b = 8/3\nstate x, y, z\nflow x' = S*(y - x)\nflow y' = x*(R - z) - y\nflow z' = x*y - b*z\n"
    beta, c = 8 / 3, math.sqrt(72)
    J = lambda x, y, z: numpy.array([[-10, 10, 0], [28 - z, -1, -x], [y, x, -beta]])
    b.spectrum("Lorenz at 0", text, numpy.linalg.eigvals(J(0, 0, 0)).astype(complex), 1e-12)
    b.spectrum("Lorenz at C", text + "start x = sqrt(b*(R - 1)), y = sqrt(b*(R - 1)), z = R - 1", numpy.linalg.eigvals(J(c, c, 27)), 1e-12)


def rolling(b):
    """Nonholonomic: x' = y given; a body that rocks on the ground without slipping, inertia about the point of contact, zeros for what may lie anywhere."""
    b.spectrum("a speed that is a position", "coord x, y\nlagrangian (x'^2 + y'^2)/2 - x^2/2 - y^2\nconstraint c: x' = y", [0j, 1j * math.sqrt(2)], 1e-12)
    b.spectrum("knife edge", "coord x, y, th\nlagrangian (x'^2 + y'^2 + th'^2)/2 - th^2\nconstraint edge: x'*sin(th) = y'*cos(th)", [0j, 0j, 0j, 1j * math.sqrt(2)], 1e-12)
    m, g, a, b_, c, A, B, D = 1, 9.81, .2, .03, .02, 6e-4, 8e-3, 5e-4
    M = numpy.array([[A + m * c * c, D], [D, B + m * c * c]])
    K = m * g * numpy.diag([(b_ ** 2 - c ** 2) / c, (a ** 2 - c ** 2) / c])
    right = sorted(numpy.sqrt(numpy.linalg.eigvals(numpy.linalg.solve(M, K)).real))
    status, out, err = call(b.program, "check", os.path.join(ROOT, "models", "rattleback.act"), "--modes", "20", "--json", "--start", "ps'=0,al=0,be=0,al'=0,be'=0,x'=0,y'=0,z'=0,x=0,y=0,z=c")
    if b.tally.check(status == 0, "rattleback: %s%s" % (out[-300:], err)):
        b.near("rattleback", sorted(x["omega"] for x in json.loads(out)["modes"])[-2:], right, 1e-7)


def terms(matrix, left, right, factor):
    return " + ".join("%.17g*%s*%s" % (factor * matrix[i][j], left % i, right % j) for i in range(len(matrix)) for j in range(len(matrix)))


def randoms(b):
    """Any masses, stiffness, damping and gyroscopic forces, with and without rows: against the eigenvalues of the whole first-order matrix on the rows' kernel."""
    draw = numpy.random.default_rng(5)
    n = 4
    for turn in range(12):
        R = draw.normal(size=(n, n))
        M, K = R @ R.T + n * numpy.eye(n), (lambda S: S + S.T)(draw.normal(size=(n, n))) + (turn % 3) * 4 * numpy.eye(n)
        S, P = draw.normal(size=(n, n)), draw.normal(size=(n, n))
        damping, turning = (P @ P.T / 5 if turn % 2 else 0 * K), (S - S.T if turn % 4 > 1 else 0 * K)
        A = draw.normal(size=(turn % 3, n))
        text = "coord " + ", ".join("q%d" % i for i in range(n)) + "\nlagrangian " + terms(M, "q%d'", "q%d'", .5) + " - (" + terms(K, "q%d", "q%d", .5) + ") + " + terms(turning, "q%d", "q%d'", .5)
        text += "\ndissipation " + terms(damping, "q%d'", "q%d'", .5)
        for k, row in enumerate(A):
            text += "\nconstraint c%d: %s = 0" % (k, " + ".join("%.17g*q%d" % (x, i) for i, x in enumerate(row)))
        Z = numpy.linalg.svd(A)[2][len(A):].T if len(A) else numpy.eye(n)
        Mz, Kz, Cz = Z.T @ M @ Z, Z.T @ K @ Z, Z.T @ (damping - turning) @ Z               # d/dt L_v - L_q = .. + (T' - T) v, T antisymmetric halves
        r = len(Mz)
        J = numpy.block([[numpy.zeros((r, r)), numpy.eye(r)], [-numpy.linalg.solve(Mz, Kz), -numpy.linalg.solve(Mz, Cz)]])
        right = numpy.linalg.eigvals(J)
        right = [complex(0 if abs(z.real) < 1e-10 else z.real, 0 if abs(z.imag) < 1e-10 else z.imag) for z in right]
        if turn % 2 == 0 and turn % 4 < 2:                                                # conservative: growth and decay are one
            right = [z for z in right if z.real >= 0]
        b.spectrum("random %d" % turn, text, right, 1e-9)


# ---- along a line

CHAIN = "param g = 1\nfield x(s), y(s) on s = 0 .. 1 nodes %d\nlagrangian integral(s, (x'^2 + y'^2)/2 - g*y)\nconstraint link(s): diff(x, s)^2 + diff(y, s)^2 = 1\nconstraint topx: x(0) = 0\nconstraint topy: y(0) = 0\nstart y = -s"
STRING = "field y(s) on s = 0 .. 1 nodes %d\nlagrangian integral(s, y'^2/2 - diff(y, s)^2/2)"
FIXED = STRING + "\nconstraint a: y(0) = 0\nconstraint b: y(1) = 0"
BEAM = "field w(s) on s = 0 .. 1 nodes %d\nlagrangian integral(s, w'^2/2 - diff(diff(w, s), s)^2/2)"
ROOT_END = "\nconstraint root: w(0) = 0\nconstraint clamp: diff(w, s)(0) = 0"
OTHER_END = "\nconstraint end: w(1) = 0\nconstraint held: diff(w, s)(1) = 0"


def discrete(k, cells):
    """The frequency of sin(k pi s) with second differences."""
    return 2 * cells * math.sin(k * PI / 2 / cells)


def chain_in_angles(cells):
    """The same masses on the same links, in angles."""
    h = 1 / cells
    speed = lambda f, i: " + ".join("%s(a%d)*a%d'" % (f, k, k) for k in range(1, i + 1))
    mass = lambda i: h if i < cells else h / 2
    kinetic = " + ".join("%.17g*((%s)^2 + (%s)^2)" % (mass(i) * h * h / 2, speed("cos", i), speed("sin", i)) for i in range(1, cells + 1))
    height = " + ".join("%.17g*(%s)" % (mass(i) * h, " + ".join("cos(a%d)" % k for k in range(1, i + 1))) for i in range(1, cells + 1))
    return "coord %s\nlagrangian %s + %s" % (", ".join("a%d" % k for k in range(1, cells + 1)), kinetic, height)


def chains(b):
    exact = [j / 2 for j in J0]
    table = {33: (-3.5e-4, -.22), 65: (-8.7e-5, -5.8e-2), 129: (-2.2e-5, -1.4e-2), 257: (-5.4e-6, -3.5e-3)}          # of omega_1 and omega_4
    for nodes, (first, fourth) in table.items():
        w = b.omegas("hanging chain", CHAIN % nodes)
        good = len(w) >= 4 and abs((w[0] - exact[0]) / first - 1) < .02 and abs((w[3] - exact[3]) / fourth - 1) < .02
        b.tally.check(good, "hanging chain, %d nodes: %s" % (nodes, w[:4]))
    b.order("hanging chain", CHAIN, (33, 65, 129), exact[:2])
    b.same("hanging chain against angles", CHAIN % 9, b.omegas("chain in angles", chain_in_angles(8)), 1e-11)
    b.same("hanging chain in other units", CHAIN % 33, [w * math.sqrt(9.81) for w in b.omegas("hanging chain", CHAIN % 33)], 1e-11, "--set", "g=9.81")


def nearby(b):
    """From a start that is no equilibrium: the one next to it. A chain held at two points, beside its own Newton iteration."""
    text = open(os.path.join(ROOT, "models", "hanging-chain.act"), encoding="utf-8").read()
    hung = b.omegas("chain hung straight", text.replace("time 0 .. 2", ""), "--set", "a=0", count=5)
    b.same("chain that starts at an angle", text.replace("time 0 .. 2", ""), hung, 1e-9, count=5)
    b.same("pendulum that starts at an angle", "coord th\nlagrangian th'^2/2 + 9*cos(th)\nstart th = .4", [3], 1e-12)
    b.same("double pendulum that starts at an angle", "coord a, b\nlagrangian a'^2 + b'^2/2 + a'*b'*cos(a - b) + 2*cos(a) + cos(b)\nstart a = .3, b = -.2", [math.sqrt(2 - math.sqrt(2)), math.sqrt(2 + math.sqrt(2))], 1e-12)
    b.same("pendulum on a rod", "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 4*y\nconstraint rod: x^2 + y^2 = 1\nstart x = .6, y = -.8", [2], 1e-11)
    cells, span = 12, .6
    h = 1 / cells
    mass = numpy.repeat([h / 2] + [h] * (cells - 1) + [h / 2], 2)
    force = numpy.array([0, -1] * (cells + 1)) * mass
    s = numpy.linspace(0, 1, cells + 1)
    z = numpy.stack([span * s, -1.4 * s * (1 - s)], 1).ravel()
    held = [0, 1, 2 * cells, 2 * cells + 1]

    def rows(z):
        A = numpy.zeros((cells + 4, 2 * cells + 2))
        g = numpy.zeros(cells + 4)
        for k in range(cells):
            d = z[2 * k + 2:2 * k + 4] - z[2 * k:2 * k + 2]
            A[k, 2 * k:2 * k + 2], A[k, 2 * k + 2:2 * k + 4], g[k] = -2 * d, 2 * d, d @ d - h * h
        for i, (at, value) in enumerate(zip(held, (0, 0, span, 0))):
            A[cells + i, at], g[cells + i] = 1, z[at] - value
        return A, g

    tension = numpy.zeros(cells + 4)
    for _ in range(60):
        A, g = rows(z)
        K = numpy.zeros((2 * cells + 2,) * 2)
        for k in range(cells):
            for i, j, sign in ((0, 0, 1), (1, 1, 1), (0, 1, -1), (1, 0, -1)):
                for c in range(2):
                    K[2 * (k + i) + c, 2 * (k + j) + c] += 2 * sign * tension[k]
        if _ == 0:
            tension = numpy.linalg.lstsq(A.T, -force, rcond=None)[0]
            continue
        step = numpy.linalg.lstsq(numpy.block([[K, A.T], [A, numpy.zeros((cells + 4,) * 2)]]), -numpy.concatenate([force + A.T @ tension, g]), rcond=None)[0]
        scale = min(1, .1 / numpy.max(numpy.abs(step[:2 * cells + 2])))
        z, tension = z + scale * step[:2 * cells + 2], tension + scale * step[2 * cells + 2:]
    free = numpy.linalg.svd(A)[2][cells + 4:]
    w2 = numpy.linalg.eigvals(numpy.linalg.solve((free * mass) @ free.T, -free @ K @ free.T))
    right = numpy.sqrt(numpy.sort(w2.real))
    text = ("param d = .6, c = 0.16316827408785306\nfield x(s), y(s) on s = 0 .. 1 nodes 13\nlagrangian integral(s, (x'^2 + y'^2)/2 - y)\nconstraint link(s): diff(x, s)^2 + diff(y, s)^2 = 1\n"
            "constraint ax: x(0) = 0\nconstraint ay: y(0) = 0\nconstraint bx: x(1) = d\nconstraint by: y(1) = 0\nlet u = (s - .5)/c\n"
            "start x = d/2 + c*log(u + sqrt(1 + u^2)), y = c*(sqrt(1 + u^2) - sqrt(1 + .25/c^2))")
    b.same("catenary", text, right[:6], 1e-8, count=6)


def strings(b):
    for cells in (8, 64, 128):
        b.same("string held at both ends", FIXED % (cells + 1), [discrete(k, cells) for k in range(1, 9)][:cells - 1], 1e-10)
    b.same("free string", STRING % 65, [0] + [discrete(k, 64) for k in range(1, 8)], 1e-10)
    shape = b.look("string held at both ends", FIXED % 33, count=2)["modes"][1].get("shape", {}).get("y", [])
    b.near("shape of a string", shape, [math.sin(2 * PI * i / 32) / math.sin(PI / 2) * (1 if shape and shape[8] > 0 else -1) for i in range(33)], 1e-9)
    b.tally.check("shape" not in b.look("string of 129 nodes", FIXED % 129, count=1)["modes"][0], "shapes of many nodes are not told")
    b.same("string that hits a spring at its end", STRING % 65 + " - 2*y(1)^2\nconstraint a: y(0) = 0", [roots(lambda k: k * math.cos(k) + 4 * math.sin(k), 1)[0]], 1e-3)
    damped = [complex(-.1, math.sqrt(discrete(k, 64) ** 2 - .01)) for k in range(1, 64)]
    b.spectrum("string in honey", FIXED % 65 + "\ndissipation integral(s, y'^2/10)", damped, 1e-9)
    b.spectrum("string that turns, held", "param W = 2\nfield y(s), z(s) on s = 0 .. 1 nodes 17\nlagrangian integral(s, ((y' - W*z)^2 + (z' + W*y)^2)/2 - diff(y, s)^2/2 - diff(z, s)^2/2)\n"
               + "\n".join("constraint %s%d: %s(%d) = 0" % (x, e, x, e) for x in "yz" for e in (0, 1)), [1j * abs(discrete(k, 16) + s * 2) for k in range(1, 16) for s in (-1, 1)], 1e-10)


def integrals(b):
    """Integrals in constraints and functions of them. On the sphere integral(y^2) = 1: w_k^2 = d_k^2 - d_1^2. With energy S^2/4 - kappa/2 integral(y^2), S = integral(y_s^2),
    about y = a sin(pi s): w_1^2 = 2 kappa, w_k^2 = kappa (d_k^2/d_1^2 - 1)."""
    cells = 32
    d = [discrete(k, cells) for k in range(0, 9)]
    b.same("string of given norm", FIXED % (cells + 1) + "\nconstraint norm: integral(s, y^2) = 1\nstart y = sqrt(2)*sin(pi*s)", [math.sqrt(d[k] ** 2 - d[1] ** 2) for k in range(2, 9)], 1e-10)
    text = "param kappa = 3, d = 2*%d*sin(pi/2/%d)\nfield y(s) on s = 0 .. 1 nodes %d\nlagrangian integral(s, y'^2/2 + kappa*y^2/2) - integral(s, diff(y, s)^2)^2/4\nconstraint a: y(0) = 0\nconstraint b: y(1) = 0\nstart y = sqrt(2*kappa)/d^2*sin(pi*s)"
    right = sorted([math.sqrt(6)] + [math.sqrt(3 * (d[k] ** 2 / d[1] ** 2 - 1)) for k in range(2, 6)])
    b.same("buckled by its tension", text % (cells, cells, cells + 1), right, 1e-8)


def roots(f, count, step=.01):
    """The first positive zeros."""
    found, x = [], step
    while len(found) < count:
        if f(x) * f(x + step) < 0:
            low, high = x, x + step
            for _ in range(80):
                middle = (low + high) / 2
                low, high = (middle, high) if f(low) * f(middle) > 0 else (low, middle)
            found.append((low + high) / 2)
        x += step
    return found


def beams(b):
    nodes = (33, 65, 129)
    b.order("cantilever", BEAM + ROOT_END, nodes, [k * k for k in CANTILEVER])
    b.tally.check(abs(CANTILEVER[0] ** 2 - 3.5160152685) < 1e-10, "the reference itself")
    b.order("clamped at both ends", BEAM + ROOT_END + OTHER_END, nodes, [k * k for k in FREE_FREE])
    free = b.omegas("free beam", BEAM % 65)
    b.near("free beam", free, [0, 0, FREE_FREE[0] ** 2], 5e-3)
    seen = [b.omegas("free beam", BEAM % n)[2] for n in nodes]
    rate = math.log((FREE_FREE[0] ** 2 - seen[1]) / (FREE_FREE[0] ** 2 - seen[2])) / math.log(2)
    b.tally.check(abs(rate - 2) < .05, "free beam: %s, order %g" % (seen, rate))
    b.same("hinged beam", BEAM % 65 + "\nconstraint a: w(0) = 0\nconstraint b: w(1) = 0", [discrete(k, 64) ** 2 for k in range(1, 6)], 1e-7)
    # a spring k and a torsion spring c at the tip:  w'' = -c w', w''' = k w  at 1
    k, c = 5, 3

    def tip(x):
        sh, ch, s, co = math.sinh(x), math.cosh(x), math.sin(x), math.cos(x)                # w = A (ch - co) + B (sh - s)
        rows = [[x * x * (ch + co) + c * x * (sh + s), x * x * (sh + s) + c * x * (ch - co)], [x ** 3 * (sh - s) - k * (ch - co), x ** 3 * (ch + co) - k * (sh - s)]]
        return rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
    text = "field w(s) on s = 0 .. 1 nodes %d\nlagrangian integral(s, w'^2/2 - diff(diff(w, s), s)^2/2) - 5*w(1)^2/2 - 3*diff(w, s)(1)^2/2" + ROOT_END
    b.order("springs at the tip", text, nodes, [x * x for x in roots(tip, 2)])
    # Kelvin and Voigt: z^2 + c w^2 z + w^2 = 0; the bend at the free end has no inertia, and creeps back like e^(-t/c)
    plain, c = b.omegas("cantilever", BEAM % 33 + ROOT_END, count=99), .01
    right = [z for w in plain for z in numpy.roots([1, c * w * w, w * w])] + [complex(-1 / c, 0)]
    b.spectrum("beam that creeps", BEAM % 33 + "\ndissipation integral(s, .01*diff(diff(w', s), s)^2/2)" + ROOT_END, right, 1e-6)


def sizes(b):
    b.same("string of 1025 nodes", FIXED % 1025, [discrete(1, 1024)], 1e-8)
    b.omegas("chain of 513 nodes", CHAIN % 513)


def words(b):
    path = os.path.join(b.folder, "pendulum.act")
    with open(path, "w", encoding="utf-8") as file:
        file.write(PENDULUM + "\ntime 0 .. 1\n")
    status, out, _ = call(b.program, "check", path, "--modes", "3")
    b.tally.check(status == 0 and "2.21472345904" in out and "2.83700670689" in out, "the table: %s" % out)
    status, out, _ = call(b.program, "check", path)
    b.tally.check(status == 0 and "small motions" not in out, "nothing is told unasked")
    for value in ("0", "x", "-1", "1.5"):
        status, _, err = call(b.program, "check", path, "--modes", value)
        b.tally.check(status == 2 and "--modes" in err, "--modes %s: exit %s, %s" % (value, status, err))
    status, _, err = call(b.program, "run", path, "--modes", "3")
    b.tally.check(status == 2 and "check" in err, "--modes belongs to check: %s" % err)


def main():
    program, _ = arguments()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(program, folder)
        run_parts((finite, lorenz, rolling, randoms, chains, nearby, strings, integrals, beams, sizes, words), bench)
    bench.tally.done()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tests/field.py compares the program with: systems integrated by an independent method of lines, closed forms of the discrete equations, numbers of the papers.

Called as a program it proves the method of lines against the closed forms and the papers' numbers.

usage: field_oracle.py [--only PART ...] [--list]"""
import math

from field_lines import Axis, System            # first: it keeps the linear algebra to one thread
from field_systems import *
from program import Tally, run_parts
import numpy as np


# ---- closed forms: what is exact for the discrete system is marked so in the texts of the claims

def discrete(k, N, length=1.0):
    """Frequency of mode k of N nodes: (2/h) sin(k pi h/(2 length))."""
    h = length / (N - 1)
    return 2 / h * math.sin(k * math.pi * h / 2 / length)


def spun(N, t, w=2.0):
    """A straight string that spins: x, y, tension in the cells, which is w^2/2 s (1 - s) + w^2 h^2/8 at their middles."""
    line = Axis(0, 1, N)
    return (line.s - .5) * math.cos(w * t), (line.s - .5) * math.sin(w * t), w * w / 2 * line.middle * (1 - line.middle) + w * w * line.h ** 2 / 8


def fixed_wave_exact(N, t):
    s = Axis(0, 1, N).s
    a, b, c = (discrete(k, N) for k in (1, 2, 3))
    return np.sin(np.pi * s) * math.cos(a * t) + .3 * np.sin(3 * np.pi * s) * math.cos(c * t) + np.sin(2 * np.pi * s) * math.sin(b * t) / b


def damped(w, c, t):
    r = math.sqrt(w * w - c * c / 4)
    return math.exp(-c * t / 2) * (math.cos(r * t) + c / 2 / r * math.sin(r * t))


def pinned_exact(N, t):
    s = Axis(0, 1, N).s
    return np.sin(np.pi * s) * math.cos(discrete(1, N) ** 2 * t) + .5 * np.sin(2 * np.pi * s) * math.cos(discrete(2, N) ** 2 * t)


def driven_exact(N, t):
    k = driven_angle(N)
    return .1 * np.sin(k * np.arange(N)) / math.sin(k * (N - 1)) * math.sin(2 * t)


def kirchhoff_exact(N, t):
    """a(t) sin(pi s): a'' = -w^2 a (1 + 3/4 w^2 a^2), Duffing's equation from rest at 1."""
    from scipy.special import ellipj
    w = discrete(1, N)
    alpha, beta = w * w, .75 * w ** 4           # a'' = -alpha a - beta a^3; J = w^2 a^2/2, mass 1/2
    rate = math.sqrt(alpha + beta)
    return np.sin(np.pi * Axis(0, 1, N).s) * ellipj(rate * t, beta / 2 / (alpha + beta))[1]


def timoshenko_exact(N, t):
    """w = a sin(pi s), p = b cos(pi s): slopes and means of modes are exact in every cell, so two coupled oscillators are left."""
    from scipy.linalg import eigh
    h, s = 1 / (N - 1), Axis(0, 1, N).s
    d, m = discrete(1, N), math.cos(math.pi * h / 2)
    K = np.array([[4 * d * d, -4 * d * m], [-4 * d * m, 4 * m * m + .5 * d * d]])
    w2, V = eigh(K, np.diag([1, .1]))
    start = V.T @ np.diag([1, .1]) @ np.array([.1, .2])
    a, b = V @ (start * np.cos(np.sqrt(w2) * t))
    return a * np.sin(np.pi * s), b * np.cos(np.pi * s)


def chain_matrices(N, g=1.0):
    """Sideways motion of a hanging chain's N - 1 lower nodes: masses, and tensions that are g times the mass below, exact at the middles of links."""
    line = Axis(0, 1, N)
    tension, m = g * (1 - line.middle), line.weights[1:]
    K = np.diag((tension + np.append(tension[1:], 0)) / line.h) - np.diag(tension[1:] / line.h, 1) - np.diag(tension[1:] / line.h, -1)
    return m, K


def beam_matrices(N, kind):
    """Masses and stiffness of a beam by eliminating the values beyond the ends by hand: curvatures of the nodes as rows."""
    h, line = 1 / (N - 1), Axis(0, 1, N)
    C = np.zeros((N, N))
    for i in range(1, N - 1):
        C[i, i - 1:i + 2] = np.array([1, -2, 1]) / h ** 2
    if kind == "cantilever":                    # w beyond the clamp is w[1], w[0] = 0: curvature 2 w[1]/h^2; none at the free end
        C[0, :2] = np.array([-2, 2]) / h ** 2
    M, K, keep = np.diag(line.weights), C.T @ np.diag(line.weights) @ C, slice(1 if kind == "cantilever" else 0, N)
    return M[keep, keep], K[keep, keep]


def frequencies(M, K):
    from scipy.linalg import eigh
    return np.sqrt(np.abs(eigh(K, np.diag(M) if np.ndim(M) == 1 else M, eigvals_only=True)))


def linear_motion(M, K, q, v, t):
    """M q'' = -K q by modes; those of frequency 0 go straight on."""
    from scipy.linalg import eigh
    w2, V = eigh(K, M)
    w = np.sqrt(np.maximum(w2, 0))
    a, b = V.T @ M @ q, V.T @ M @ v
    slow = w < 1e-5 * w[-1]
    rest = np.where(slow, 1, w)
    return V @ np.where(slow, a + b * t, a * np.cos(w * t) + b * np.sin(w * t) / rest)


FREE = {.5: (0.889054754229, 0.103653879122, 0.528947657090, -0.323783490080 - 0.329442390800j, -0.038375692751 + 0.069932527600j),   # by Chebyshev polynomials, n = 64 and 80:
        1: (0.852922017064, 0.105237260032, 0.984493237815, -0.109259455387 - 0.432293900157j, -0.039085495617 + 0.023365509998j),    # end to end, tension and heading in the
        2: (0.9575988999, 0.12545606566, 1.8934313162, 0.1797729832 - 0.4572541844j, 0.0152321382 + 0.0085131952j)}                   # middle, z(0), z(1/2)
FREE_ENERGY, FREE_SPIN = 0.03925102088, 0.07565070431
CHAIN = (1.2024127788478864, 2.7600390551431553, 4.326863956455506, 5.895767219507141)      # j_0n/2
PARITY = {17: (1.40322, .18256), 18: (1.73857, .42443)}        # front of a free string on ice, theta = .8 sin 2s, t = 1; further even and odd N keep to their own


def track(heading, s):
    """The curve with this heading, from 0, at places s."""
    from scipy.integrate import quad
    return np.array([quad(lambda u: math.cos(heading(u)), 0, x, epsabs=1e-13)[0] + 1j * quad(lambda u: math.sin(heading(u)), 0, x, epsabs=1e-13)[0] for x in s])


def kink(N, t, speed=.5, width=6.0):
    k = 1 / math.sqrt(1 - speed ** 2)
    return 4 * np.arctan(np.exp(k * (Axis(-width, width, N).s - speed * t)))


# ---- the oracle's own proofs

def last(case, *words, **more):
    S, state, times = case(*words, **more)
    rows = S.motion(state, times)
    return S, rows, rows[-1]


def far(a, b):
    return float(np.max(np.abs(np.asarray(a) - np.asarray(b))))


def prove_strings(claim):
    for N in (3, 9, 17):
        S, rows, r = last(rotating_string, N)
        x, y, tension = spun(N, 1)
        claim(far(r["x"], x) + far(r["y"], y) < 1e-11, "a spinning string of %d nodes turns rigidly" % N)
        claim(far(-2 * r["lambda.link"], tension) < 1e-11, "its tension has the error w^2 h^2/8 and no other")
    errors = []
    for N in (17, 33, 65):
        S, rows, r = last(free_string, N)
        z = r["x"] + 1j * r["y"]
        errors.append((abs(z[N // 2] - FREE[1][4]), abs(z[0] - FREE[1][3])))
        claim(abs(np.sum(S.axes[0].weights * (r["x"] * r["y_dot"] - r["y"] * r["x_dot"])) - FREE_SPIN) < 1.2 / N ** 2, "spin of the free string, %d nodes" % N)
    claim(abs(errors[2][0] / 5.7e-5 - 1) < .02 and abs(errors[2][1] / 7.7e-4 - 1) < .02, "a free string of 64 cells is off by 5.7e-5 in the middle, 7.7e-4 at the end: %s" % errors)
    orders = [math.log2(a[0] / b[0]) for a, b in zip(errors, errors[1:])]
    claim(all(1.9 < p < 2.1 for p in orders), "order 2 in the middle: %s" % orders)


def prove_chains(claim):
    S, rows, r = last(hanging_chain, 9)
    claim(far(-2 * r["lambda.link"], 1 - S.axes[0].middle) < 1e-13, "tension of a chain at rest is the weight below the middle of the link")
    claim(far(r["lambda.topy"], 1) < 1e-13, "its top carries its weight")
    for N, first, fourth in ((33, -3.5e-4, -.22), (65, -8.7e-5, -5.8e-2), (129, -2.2e-5, -1.4e-2)):
        w = frequencies(*chain_matrices(N))
        claim(abs((w[0] - CHAIN[0]) / first - 1) < .03 and abs((w[3] - CHAIN[3]) / fourth - 1) < .04, "frequencies of the chain of %d cells: %.3e %.3e" % (N - 1, w[0] - CHAIN[0], w[3] - CHAIN[3]))
    m, K = chain_matrices(9)
    w = frequencies(m, K)[0]
    shape = np.linalg.eigh(K / np.sqrt(np.outer(m, m)))[1][:, 0] / np.sqrt(m)
    a = 1e-5 * shape / shape[-1]
    S, _, _ = hanging_chain(9)
    line = S.axes[0]
    x = np.concatenate([[0], a])
    y = -np.concatenate([[0], np.cumsum(np.sqrt(line.h ** 2 - np.diff(x) ** 2))])
    r = S.motion(S.start(x=x, y=y), [0, math.pi / w])[-1]
    claim(abs(r["x"][-1] / x[-1] + 1) < 1e-8, "its first mode is back on the other side after half a period: %g" % (r["x"][-1] / x[-1]))
    S, rows, r = last(cart)
    L = hold(links(string(9).point("X")), topx="x_A - X", topy="y_A")
    L.lagrange("node", "-y")
    L.lagrange("place", "X_t**2 - .2*X**2")
    other = L.motion(L.start(x=lambda s: .6 * s, y=lambda s: -.8 * s, X_t=.3, x_t=.3), [0, .75, 1.5])[-1]
    claim(far(other["x"], r["x"] + r["X"]) + far(other["y"], r["y"]) + abs(other["X"] - r["X"]) < 1e-10, "string on a cart: the same motion seen from the ground")
    S, rows, r = last(turning_frame)
    L = hold(string(9).point("th"), hubx="x_A - .2*cos(th)", huby="y_A - .2*sin(th)")
    L.lagrange("cell", "-10*(x_s**2 + y_s**2 - 1)**2")
    L.lagrange("place", ".4*th_t**2/2")
    other = L.motion(L.start(x=lambda s: .2 + s, th_t=1.0, y_t=lambda s: .2 + 1.3 * s), [0, .5, 1])[-1]
    z = (r["x"] + 1j * r["y"]) * np.exp(1j * r["th"])
    claim(far(other["x"] + 1j * other["y"], z) + abs(other["th"] - r["th"]) < 1e-9, "string in a turning frame: the same motion seen from the ground")


def prove_ice(claim):
    heading = lambda u: .8 * math.sin(2 * u)
    for N, known in ((9, 3.27e-3), (17, 8.21e-4)):
        S, rows, r = last(ice_front, N)
        off = far(r["x"] + 1j * r["y"], track(heading, S.axes[0].s + 2))
        claim(known / 1.3 < off < known * 1.3, "behind a front on a track, %d nodes: %.3e, not %.3e" % (N, off, known))
        claim(far(np.hypot(r["x_dot"], r["y_dot"]), 1) < 1e-11, "all nodes have the front's speed")
    for N, known in ((9, 5.4e-3), (17, 1.4e-3)):
        S, rows, r = last(ice_curve, N)
        claim(far(np.hypot(r["x_dot"], r["y_dot"]), 1) < 1e-11, "front on a curve: all speeds stay 1")
        claim(np.max(np.abs(2 * r["lambda.link"])) < 2 * known, "front on a curve: tension %.2e vanishes like h^2" % np.max(np.abs(2 * r["lambda.link"])))
    for N, known in PARITY.items():
        S, rows, r = last(ice_free, N, .8)
        claim(abs(r["x"][-1] - known[0]) < 6e-6 and abs(r["y"][-1] - known[1]) < 6e-6, "a free front goes where the parity of N says: %d nodes, (%.5f, %.5f)" % (N, r["x"][-1], r["y"][-1]))
    for N, known in ((9, (4.4e-3, 3.9e-12)), (17, (1.75e-3, 1e-12))):
        S, state, _ = sleigh_string(N)
        rows = S.motion(state, [0, 1, 3])
        for r, bound in zip(rows[1:], (1.1 * known[0], 1e-10)):
            t, radius = r["t"], np.abs(r["x"] + 1j * r["y"] - 1j)
            claim(abs(r["x"][0] - math.sin(t)) + abs(r["y"][0] + math.cos(t) - 1) + abs(r["th_dot"] - 1) < 1e-11, "the sleigh goes round a circle")
            claim(far(np.hypot(r["x_dot"], r["y_dot"]), 1) < 1e-10, "all nodes behind it have its speed")
            claim(far(radius, 1) < bound, "its string is on the circle to %.1e at t = %g, %d nodes" % (far(radius, 1), t, N))


def prove_waves(claim):
    N = 9
    s = Axis(0, 1, N).s
    end = lambda case: last(case, N)[2]
    claim(far(end(fixed_wave)["y"], fixed_wave_exact(N, 1)) < 1e-11, "modes of a fixed string, (2/h) sin(k pi h/2)")
    claim(far(end(free_wave)["y"], np.cos(np.pi * s) * math.cos(discrete(1, N, 3.0))) < 1e-11, "modes of a free string have the same frequencies")
    claim(far(end(damped_wave)["y"], np.sin(np.pi * s) * damped(discrete(1, N), .7, 1)) < 1e-11, "a damped mode")
    claim(far(end(strain_damped_wave)["y"], np.sin(np.pi * s) * damped(discrete(1, N), .05 * discrete(1, N) ** 2, 1)) < 1e-11, "a mode damped by its rate of strain")
    r = end(driven_end)
    claim(far(r["y"], driven_exact(N, 1.5)) < 1e-11, "a driven end")
    claim(far(end(pinned_beam)["w"], pinned_exact(N, .5)) < 1e-9, "modes of a pinned beam, (4/h^2) sin(k pi h/2)^2")
    claim(far(end(kirchhoff)["y"], kirchhoff_exact(N, 1)) < 1e-10, "Kirchhoff's string is Duffing's oscillator")
    r = end(timoshenko)
    claim(far(r["w"], timoshenko_exact(N, 1)[0]) + far(r["p"], timoshenko_exact(N, 1)[1]) < 1e-11, "Timoshenko's beam in one mode")
    for kind, case, T in (("cantilever", cantilever, 1), ("free", free_beam, .5)):
        S, rows, r = last(case, N)
        M, K = beam_matrices(N, kind)
        keep = slice(N - len(M), N)
        claim(far(r["w"][keep], linear_motion(M, K, rows[0]["w"][keep], rows[0]["w_dot"][keep], T)) < 1e-9, "a %s beam by its modes" % kind)
    off = [frequencies(*beam_matrices(n, "cantilever"))[0] - 3.5160152685 for n in (17, 33, 65)]
    claim(all(3.9 < a / b < 4.1 for a, b in zip(off, off[1:])), "a cantilever's first frequency has order 2 about 1.875104^2: %s" % off)
    off = [frequencies(*beam_matrices(n, "free"))[2] - 22.3732854481 for n in (17, 33, 65)]
    claim(all(3.8 < a / b < 4.2 for a, b in zip(off, off[1:])), "a free beam's first frequency has order 2 about 4.730041^2: %s" % off)
    off = [far(last(sine_gordon, n, .5, 10.0)[2]["y"], kink(n, 2, .5, 10.0)) for n in (41, 81, 161)]
    claim(all(3.5 < a / b < 4.6 for a, b in zip(off, off[1:])), "a kink of the sine-Gordon equation, order 2: %s" % off)


def prove_constraints(claim):
    S, rows, r = last(on_circle)                # in the angle f: sum of h f'^2/2 - (1 - cos(f1 - f0))/h
    A = System(0, 1, 9).field("f")
    A.lagrange("node", "f_t**2/2")
    A.lagrange("cell", "(cos(f1 - f0) - 1)/h**2")
    other = A.motion(A.start(f=lambda s: s, f_t=lambda s: s), [0, .75, 1.5])[-1]
    claim(far(r["x"], np.cos(other["f"])) + far(r["y"], np.sin(other["f"])) < 1e-9, "nodes on a circle: the same motion in the angle")
    S, rows, r = last(mean_held)
    claim(abs(S.axes[0].weights @ r["y"] - S.axes[0].weights @ rows[0]["y"]) < 1e-12, "a mean that is held is constant")
    claim(abs(r["lambda.mean"] - .5) < 1e-11, "what holds it carries the whole load")
    S, rows, r = last(slope_held)
    claim(far(np.diff(r["y"]) / S.axes[0].h, (r["u"][1:] + r["u"][:-1]) / 2) < 1e-12, "a slope that is held")
    for case in (elastic_string, bent_rod, point_mass, two_strings, area, kirchhoff_point, klein_gordon, product, explicit_s, cross_velocity, leaning_chain, whip):
        S, rows, r = last(case)
        claim(abs(r["energy"] - rows[0]["energy"]) < 1e-10 * max(1, abs(rows[0]["energy"])), "%s keeps its energy" % case.__name__)


def main():
    tally = Tally("field_oracle")
    run_parts((prove_strings, prove_chains, prove_ice, prove_waves, prove_constraints), tally.check)
    tally.done()


if __name__ == "__main__":
    main()

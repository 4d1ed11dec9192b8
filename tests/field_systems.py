# SPDX-License-Identifier: Apache-2.0
"""The systems of tests/field.py as discrete mechanics, each with its start and times; the model texts of tests/field_texts.py carry the same names."""
import math

from field_lines import System
import numpy as np


def string(N=9, A=0.0, B=1.0):
    S = System(A, B, N).field("x", "y")
    S.lagrange("node", "(x_t**2 + y_t**2)/2")
    return S


def links(S):
    S.constrain("link", "cell", "x_s**2 + y_s**2 - 1")
    return S


def edges(S):
    S.constrain("edge", "cell", "x_t*y_s - y_t*x_s")
    return S


def hold(S, **ends):
    for label, text in ends.items():
        S.constrain(label, "place", text)
    return S


def rotating_string(N=9, w=2.0):
    S = links(string(N))
    return S, S.start(x=lambda s: s - .5, y_t=lambda s: w * (s - .5)), [0, .5, 1]


def free_string(N=17, end=1.0):
    S = links(string(N))
    line = S.axes[0]
    th, w = lambda s: .5 * np.sin(2 * np.pi * s), lambda s: 1 + .5 * np.cos(np.pi * s)
    parts = [line.running(f) for f in (lambda s: np.cos(th(s)), lambda s: np.sin(th(s)), lambda s: -w(s) * np.sin(th(s)), lambda s: w(s) * np.cos(th(s)))]
    x, y, u, v = [p - line.weights @ p for p in parts]
    return S, S.start(x=x, y=y, x_t=u, y_t=v), [0, end / 2, end]


def hanging_chain(N=9, g=1.0, lean=0.0, end=1.0):
    S = hold(links(string(N)), topx="x_A", topy="y_A")
    S.lagrange("node", "-%r*y" % g)
    return S, S.start(x=lambda s: s * math.sin(lean), y=lambda s: -s * math.cos(lean)), [0, end / 2, end]


def leaning_chain(N=9):
    return hanging_chain(N, 1.0, .5, 2.0)


def whip(N=9):
    return hanging_chain(N, 9.81, math.pi / 2, .6)


def ice_front(N=9):
    S = edges(links(string(N)))
    hold(S, fx="x_Bt - cos(.8*sin(2*(1 + t)))", fy="y_Bt - sin(.8*sin(2*(1 + t)))")
    th = lambda s: .8 * np.sin(2 * s)
    x, y = S.axes[0].running(lambda s: np.cos(th(s))), S.axes[0].running(lambda s: np.sin(th(s)))
    return S, S.start(x=x, y=y, x_t=lambda s: np.cos(th(s)), y_t=lambda s: np.sin(th(s))), [0, 1, 2]


def ice_curve(N=9):
    S = hold(edges(links(string(N))), front="y_B - .3*sin(2*x_B)")
    c = 1 / math.sqrt(1.36)
    return S, S.start(x=lambda s: c * (s - 1), y=lambda s: .6 * c * (s - 1), x_t=c, y_t=.6 * c), [0, .75, 1.5]


def ice_free(N=9, bent=0.0):
    """No front: nodes have the speed 1, reflected from link to link, the last one along the heading at the end. (From the first one's heading the limit is another one again.)"""
    S = edges(links(string(N)))
    th = lambda s: bent * np.sin(2 * s)
    x, y = S.axes[0].running(lambda s: np.cos(th(s))), S.axes[0].running(lambda s: np.sin(th(s)))
    link, u = np.diff(x + 1j * y), np.full(N, np.exp(1j * th(1.0)))
    for k in range(N - 1, 0, -1):
        u[k - 1] = (link[k - 1] / abs(link[k - 1])) ** 2 * np.conj(u[k])
    return S, S.start(x=x, y=y, x_t=u.real, y_t=u.imag), [0, 1]


def sleigh_string(N=9, end=3.0):
    S = edges(links(string(N).point("th")))
    S.lagrange("place", "(x_At**2 + y_At**2) + .75*th_t**2")
    hold(S, blade="x_At*sin(th) - y_At*cos(th)")
    return S, S.start(x=lambda s: -s, x_t=1.0, th_t=1.0), [0, end / 2, end]


def elastic_string(N=9):
    S = hold(string(N), ax="x_A", ay="y_A", bx="x_B - 1.2", by="y_B")
    S.lagrange("cell", "-50*(sqrt(x_s**2 + y_s**2) - 1)**2")
    return S, S.start(x=lambda s: 1.2 * s, y=lambda s: .05 * np.sin(np.pi * s)), [0, .5, 1]


def beam(N, **ends):
    S = System(0, 1, N).field("w", ghosts=True)
    S.lagrange("node", "w_t**2/2 - w_ss**2/2")
    return hold(S, **ends)


def cantilever(N=9):
    S = beam(N, root="w_A", clamp="w_sA")
    S.free_ends("w", "B")
    q, v = S.start(w=lambda s: .01 * s ** 2)
    q[0] = q[2]                                 # even about the clamp
    return S, (q, v), [0, .5, 1]


def free_beam(N=9):
    S = beam(N)
    S.free_ends("w", "A", "B")
    return S, S.start(w=lambda s: .01 * np.cos(2 * np.pi * s), w_t=lambda s: .1 * s), [0, .25, .5]


def pinned_beam(N=9):
    S = beam(N, root="w_A", tip="w_B")
    S.free_ends("w", "A", "B")
    return S, S.start(w=lambda s: np.sin(np.pi * s) + .5 * np.sin(2 * np.pi * s)), [0, .25, .5]


def loaded_beam(N=9):
    """Under its weight, with a force on the tip and a mass there."""
    S, state, _ = cantilever(N)
    S.lagrange("node", "-w")
    S.lagrange("place", ".5*w_Bt**2/2")
    S.force("w_B", "place", ".3*cos(2*t)")
    return S, state, [0, .5, 1]


def bent_rod(N=9):
    """Bending in the plane with stretching: second differences of two fields in one term."""
    S = System(0, 1, N).field("x", "y", ghosts=True)
    S.lagrange("node", "(x_t**2 + y_t**2)/2")
    S.lagrange("node", "-.05*(x_ss**2 + y_ss**2)/(1 + x**2)")
    S.lagrange("cell", "-5*(x_s**2 + y_s**2 - 1)**2")
    S.free_ends("x", "A", "B")
    S.free_ends("y", "A", "B")
    return S, S.start(x=lambda s: s, y=lambda s: .1 * s ** 2, x_t=lambda s: .2 * s), [0, .25, .5]


def point_mass(N=9):
    S = hold(links(string(N).point("X", "Y")), topx="x_A", topy="y_A", jx="x_B - X", jy="y_B - Y")
    S.lagrange("node", "-y")
    S.lagrange("place", "1.5*(X_t**2 + Y_t**2) - 3*Y")
    return S, S.start(x=lambda s: .6 * s, y=lambda s: -.8 * s, X=.6, Y=-.8), [0, .75, 1.5]


def two_strings(N=7, M=5):
    """Two axes; the second string, of another weight per length, hangs from the first one's end."""
    S = hold(links(string(N)), topx="x_A", topy="y_A")
    r = S.axis(0, .5, M)
    S.field("u", "v", axis=r)
    S.lagrange("node", "-y")
    S.lagrange("node", "(u_t**2 + v_t**2) - 2*v", r)
    S.constrain("rope", "cell", "u_s**2 + v_s**2 - 1", r)
    hold(S, jx="x_B - u_A", jy="y_B - v_A")
    return S, S.start(x=lambda s: s, u=lambda r: 1 + 0 * r, v=lambda r: -r), [0, .4, .8]


def cart(N=9):
    """A string held on a cart, in the cart's frame: the cart's coordinate is in every node's term."""
    S = hold(links(System(0, 1, N).field("x", "y").point("X")), topx="x_A", topy="y_A")
    S.lagrange("node", "((x_t + X_t)**2 + y_t**2)/2 - y")
    S.lagrange("place", "X_t**2 - .2*X**2")
    return S, S.start(x=lambda s: .6 * s, y=lambda s: -.8 * s, X_t=.3), [0, .75, 1.5]


def turning_frame(N=9):
    """An elastic string in a turning frame whose angle is a coordinate: a full row of the mass matrix that changes with the motion."""
    S = hold(System(0, 1, N).field("x", "y").point("th"), hubx="x_A - .2", huby="y_A")
    S.lagrange("node", "((x_t - th_t*y)**2 + (y_t + th_t*x)**2)/2")
    S.lagrange("cell", "-10*(x_s**2 + y_s**2 - 1)**2")
    S.lagrange("place", ".4*th_t**2/2")
    return S, S.start(x=lambda s: .2 + s, th_t=1.0, y_t=lambda s: .3 * s), [0, .5, 1]


def area(N=9):
    S = hold(string(N), ax="x_A", ay="y_A", bx="x_B - 1", by="y_B")
    S.lagrange("cell", "-10*(sqrt(x_s**2 + y_s**2) - .8)**2")
    S.lagrange("node", "-y")
    line = S.axes[0]
    y = .3 * np.sin(np.pi * line.s)
    x = line.s + .05 * np.sin(2 * np.pi * line.s)
    total = float(np.sum((y[1:] + y[:-1]) / 2 * np.diff(x)))
    S.constrain_sum("area", ("cell", "y*x_s"), ("place", "-%r" % total))
    u = line.s * (1 - line.s)
    return S, S.start(x=x, y=y, x_t=0 * u), [0, .5, 1]


def kirchhoff(N=9):
    """Stretching by the whole length: a square of an integral."""
    S = hold(System(0, 1, N).field("y"), a="y_A", b="y_B")
    S.lagrange("node", "y_t**2/2")
    S.lagrange_of("-J/2 - 3*J**2/8", J=[("cell", "y_s**2")])
    return S, S.start(y=lambda s: np.sin(np.pi * s)), [0, .5, 1]


def kirchhoff_point(N=9):
    """An integral of velocities and a point's velocity under one root."""
    S = hold(System(0, 1, N).field("y").point("Z"), a="y_A")
    S.lagrange("node", "y_t**2/2")
    S.lagrange("cell", "-y_s**2/2")
    S.lagrange_of("sqrt(1 + J + V) - P**2*Q/4", J=[("node", "y_t**2"), ("node", "s*y")], V=[("place", "Z_t**2")], P=[("place", "Z")], Q=[("node", "1 + y**2")])
    return S, S.start(y=lambda s: s * (2 - s), Z=.4, Z_t=.2, y_t=lambda s: .3 * s), [0, .5, 1]


def wave(N=9, A=0.0, B=1.0, extra=()):
    S = System(A, B, N).field("y")
    S.lagrange("node", "y_t**2/2")
    S.lagrange("cell", "-y_s**2/2")
    for kind, text in extra:
        S.lagrange(kind, text)
    return S


def fixed_wave(N=9):
    S = hold(wave(N), a="y_A", b="y_B")
    return S, S.start(y=lambda s: np.sin(np.pi * s) + .3 * np.sin(3 * np.pi * s), y_t=lambda s: np.sin(2 * np.pi * s)), [0, .5, 1]


def free_wave(N=9):
    S = wave(N, -1.0, 2.0)
    return S, S.start(y=lambda s: np.cos(np.pi * (s + 1) / 3)), [0, .5, 1]


def damped_wave(N=9, c=.7):
    S = hold(wave(N), a="y_A", b="y_B")
    S.dissipate("node", "%r/2*y_t**2" % c)
    return S, S.start(y=lambda s: np.sin(np.pi * s)), [0, .5, 1]


def strain_damped_wave(N=9):
    """Damping by the rate of stretching, in cells."""
    S = hold(wave(N), a="y_A", b="y_B")
    S.dissipate("cell", ".05*y_st**2/2")
    return S, S.start(y=lambda s: np.sin(np.pi * s)), [0, .5, 1]


def forced_wave(N=9):
    S = hold(wave(N), a="y_A")
    S.force("y", "node", "-2*s*cos(3*t) - .1*y_t")
    S.force("y_B", "place", ".5*sin(t) - .2*y_Bt")
    return S, S.start(y=lambda s: .5 * s), [0, .5, 1]


def driven_end(N=9):
    S = hold(wave(N), a="y_A", b="y_B - .1*sin(2*t)")
    k, h = driven_angle(N), 1 / (N - 1)
    return S, S.start(y_t=.2 * np.sin(k * np.arange(N)) / math.sin(k * (N - 1))), [0, .75, 1.5]


def driven_angle(N):
    return 2 * math.asin(2 / (N - 1) / 2)       # (2/h) sin(k/2) = 2


def timoshenko(N=9):
    S = System(0, 1, N).field("w", "p")
    S.lagrange("node", "w_t**2/2 + .1*p_t**2/2")
    S.lagrange("cell", "-2*(w_s - p)**2")
    S.lagrange("cell", "-.5*p_s**2/2")
    hold(S, a="w_A", b="w_B")
    return S, S.start(w=lambda s: .1 * np.sin(np.pi * s), p=lambda s: .2 * np.cos(np.pi * s)), [0, .5, 1]


def klein_gordon(N=13):
    S = wave(N, 0, 3.0, [("node", "-(y**2 - 1)**2/4")])
    return S, S.start(y=lambda s: 1 + .3 * np.cos(np.pi * s / 3) + .1 * s), [0, 1, 2]


def sine_gordon(N=21, speed=.5, width=6.0):
    """A kink on the move, free ends far from it."""
    S = wave(N, -width, width, [("node", "cos(y) - 1")])
    k = 1 / math.sqrt(1 - speed ** 2)
    return S, S.start(y=lambda s: 4 * np.arctan(np.exp(k * s)), y_t=lambda s: -2 * k * speed / np.cosh(k * s)), [0, 1, 2]


def product(N=9):
    """diff of a product is the difference of the products at nodes; of s*y, too; undifferentiated fields beside it are means."""
    S = System(0, 1, N).field("x", "y")
    S.lagrange("node", "(x_t**2 + y_t**2)/2")
    S.lagrange("cell", "-((x1*y1 - x0*y0)/h)**2/2")
    S.lagrange("cell", "-(1 + x**2)*((s1*y1 - s0*y0)/h)**2/4")
    S.lagrange("cell", "x*(sin(y1) - sin(y0))/h")
    S.lagrange("node", "-x**4 - y**4")
    return S, S.start(x=lambda s: .3 + .2 * s, y=lambda s: .5 * np.cos(s)), [0, .5, 1]


def explicit_s(N=9):
    """A string whose mass and tension change along it: masses by nodes, tensions by middles; a bracket times s is split."""
    S = System(1, 2.5, N).field("y")
    S.lagrange("node", "s*y_t**2/2")
    S.lagrange("cell", "-exp(-s)*y_s**2")
    S.lagrange("cell", "-s*.3*y_s**2")
    S.lagrange("node", "-s*.2*y**2")
    hold(S, a="y_A")
    return S, S.start(y=lambda s: .2 * (s - 1) ** 2), [0, 1, 2]


def cross_velocity(N=9):
    """Velocities in a term with a difference are means of two nodes, so the mass matrix is tridiagonal."""
    S = System(0, 1, N).field("y")
    S.lagrange("node", "y_t**2/2")
    S.lagrange("cell", "y_t**2*y_s**2/2")
    S.lagrange("cell", "y_st**2/20")
    S.lagrange("cell", "y*y_t*y_s/3")
    S.lagrange("cell", "-y_s**2/2")
    hold(S, a="y_A")
    return S, S.start(y=lambda s: .5 * np.sin(2 * s), y_t=lambda s: .2 * s), [0, .5, 1]


def on_circle(N=9):
    """A constraint at nodes: its weights are halved at the ends, its multiplier is a density all the same."""
    S = string(N)
    S.lagrange("cell", "-(x_s**2 + y_s**2)/2")
    S.constrain("on", "node", "x**2 + y**2 - 1")
    return S, S.start(x=lambda s: np.cos(s), y=lambda s: np.sin(s), x_t=lambda s: -s * np.sin(s), y_t=lambda s: s * np.cos(s)), [0, .75, 1.5]


def rolling_nodes(N=9):
    """Velocity constraints at nodes, nonlinear and with t: x' = (1 + s) y y' + sin t."""
    S = string(N)
    S.lagrange("cell", "-(x_s**2 + y_s**2)/2")
    S.constrain("roll", "node", "x_t - (1 + s)*y*y_t - sin(t)")
    return S, S.start(y=lambda s: .5 + .3 * s, x_t=lambda s: .2 * (1 + s) * (.5 + .3 * s), y_t=.2), [0, .75, 1.5]


def mean_held(N=9):
    """The mean of a velocity vanishes: one velocity row through all nodes."""
    S = wave(N, 0, 1, [("node", "-s*y")])
    S.constrain("mean", "node", "y_t", total=True)
    return S, S.start(y=lambda s: np.cos(np.pi * s)), [0, .75, 1.5]


def slope_held(N=9):
    """The slope tied to another field in every cell: the other one is a mean of two nodes there."""
    S = System(0, 1, N).field("y", "u")
    S.lagrange("node", "y_t**2/2 + .1*u_t**2/2 - y - u**2/2")
    S.constrain("tie", "cell", "y_s - u")
    hold(S, a="y_A")
    return S, S.start(), [0, .5, 1]


CASES = (rotating_string, free_string, hanging_chain, leaning_chain, whip, ice_front, ice_curve, sleigh_string, elastic_string, cantilever, free_beam, pinned_beam, loaded_beam, bent_rod,
         point_mass, two_strings, cart, turning_frame, area, kirchhoff, kirchhoff_point, fixed_wave, free_wave, damped_wave, strain_damped_wave, forced_wave, driven_end, timoshenko, klein_gordon,
         sine_gordon, product, explicit_s, cross_velocity, on_circle, rolling_nodes, mean_held, slope_held)

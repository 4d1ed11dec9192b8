# SPDX-License-Identifier: Apache-2.0
"""The systems of tests/field_systems.py as models, and models with mistakes."""
from field_lines import Axis
import numpy as np

STRING = "field x(s), y(s) on s = 0 .. 1 nodes %d\nlagrangian integral(s, (x'^2 + y'^2)/2)\n"
LINK = "constraint link(s): diff(x, s)^2 + diff(y, s)^2 = 1\n"
EDGE = "constraint edge(s): x'*diff(y, s) = y'*diff(x, s)\n"
TOP = "constraint topx: x(0) = 0\nconstraint topy: y(0) = 0\n"
WAVE = "field y(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, y'^2/2 - diff(y, s)^2/2)\n"
HELD = "constraint a: y(0) = 0\nconstraint b: y(1) = 0\n"
BEAM = "param EI = 1\nfield w(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, w'^2/2 - EI/2*diff(diff(w, s), s)^2)\n"

TEXTS = {
    "rotating_string": STRING % 9 + LINK + "param w = 2\nstart x = s - .5, y' = w*(s - .5)\ntime 0 .. 1",
    "free_string": """let th0 = .5*sin(2*pi*s)
let w0 = 1 + .5*cos(pi*s)
let X = running(s, cos(th0))
let Y = running(s, sin(th0))
let U = running(s, -w0*sin(th0))
let V = running(s, w0*cos(th0))
""" + STRING % 17 + LINK + """start x = X - integral(s, X), y = Y - integral(s, Y), x' = U - integral(s, U), y' = V - integral(s, V)
time 0 .. 1
observe D = sqrt((x(1) - x(0))^2 + (y(1) - y(0))^2)
observe tension(s) = -2*lambda.link
symmetry right: x = 1
symmetry turn: x = -y, y = x""",
    "hanging_chain": STRING % 9 + LINK + TOP + "param g = 1\nlagrangian -integral(s, g*y)\nstart y = -s\ntime 0 .. 1",
    "leaning_chain": STRING % 9 + LINK + TOP + "lagrangian integral(s, -y)\nstart x = s*sin(.5), y = -s*cos(.5)\ntime 0 .. 2",
    "whip": "param g = 9.81\nfield x(s), y(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, (x'^2 + y'^2)/2 - g*y)\n" + LINK + TOP + "start x = s\ntime 0 .. .6",
    "ice_front": STRING % 9 + LINK + EDGE + """constraint fx: x'(1) = cos(.8*sin(2*(1 + t)))
constraint fy: y'(1) = sin(.8*sin(2*(1 + t)))
start x = running(s, cos(.8*sin(2*s))), y = running(s, sin(.8*sin(2*s)))
start x' = cos(.8*sin(2*s)), y' = sin(.8*sin(2*s))
time 0 .. 2""",
    "ice_curve": STRING % 9 + LINK + EDGE + """constraint front: y(1) = .3*sin(2*x(1))
let c = 1/sqrt(1.36)
start x = c*(s - 1), y = .6*c*(s - 1), x' = c, y' = .6*c
time 0 .. 1.5""",
    "sleigh_string": "param m = 2, J = 1.5\ncoord th\n" + STRING % 9 + """lagrangian m/2*(x'(0)^2 + y'(0)^2) + J/2*th'^2
constraint blade: x'(0)*sin(th) = y'(0)*cos(th)
""" + LINK + EDGE + "start x = -s, x' = 1, th' = 1\ntime 0 .. 3",
    "elastic_string": """param k = 100
field x(s), y(s) on s = 0 .. 1 nodes 9
lagrangian integral(s, (x'^2 + y'^2)/2 - k/2*(sqrt(diff(x, s)^2 + diff(y, s)^2) - 1)^2)
constraint ax: x(0) = 0
constraint ay: y(0) = 0
constraint bx: x(1) = 1.2
constraint by: y(1) = 0
start x = 1.2*s, y = .05*sin(pi*s)
time 0 .. 1""",
    "cantilever": BEAM + "constraint root: w(0) = 0\nconstraint clamp: diff(w, s)(0) = 0\nstart w = .01*s^2\ntime 0 .. 1",
    "free_beam": BEAM + "start w = .01*cos(2*pi*s), w' = .1*s\ntime 0 .. .5",
    "pinned_beam": BEAM + "constraint root: w(0) = 0\nconstraint tip: w(1) = 0\nstart w = sin(pi*s) + .5*sin(2*pi*s)\ntime 0 .. .5",
    "loaded_beam": BEAM + """param m = .5
lagrangian m*w'(1)^2/2 + integral(s, -w)
force w(1) = .3*cos(2*t)
constraint root: w(0) = 0
constraint clamp: diff(w, s)(0) = 0
start w = .01*s^2
time 0 .. 1""",
    "bent_rod": """field x(s), y(s) on s = 0 .. 1 nodes 9
lagrangian integral(s, (x'^2 + y'^2)/2 - .05*(diff(diff(x, s), s)^2 + diff(diff(y, s), s)^2)/(1 + x^2))
lagrangian -integral(s, 5*(diff(x, s)^2 + diff(y, s)^2 - 1)^2)
start x = s, y = .1*s^2, x' = .2*s
time 0 .. .5""",
    "point_mass": """param m = 3
coord X, Y
field x(s), y(s) on s = 0 .. 1 nodes 9
lagrangian integral(s, (x'^2 + y'^2)/2 - y) + m/2*(X'^2 + Y'^2) - m*Y
""" + LINK + TOP + "constraint jx: x(1) = X\nconstraint jy: y(1) = Y\nstart x = .6*s, y = -.8*s, X = .6, Y = -.8\ntime 0 .. 1.5",
    "two_strings": """field x(s), y(s) on s = 0 .. 1 nodes 7
field u(r), v(r) on r = 0 .. .5 nodes 5
lagrangian integral(s, (x'^2 + y'^2)/2 - y) + integral(r, u'^2 + v'^2 - 2*v)
""" + LINK + """constraint rope(r): diff(u, r)^2 + diff(v, r)^2 = 1
""" + TOP + "constraint jx: x(1) = u(0)\nconstraint jy: y(1) = v(0)\nstart x = s, u = 1, v = -r\ntime 0 .. .8",
    "cart": """coord X
field x(s), y(s) on s = 0 .. 1 nodes 9
lagrangian integral(s, ((x' + X')^2 + y'^2)/2 - y) + X'^2 - .2*X^2
""" + LINK + TOP + "start x = .6*s, y = -.8*s, X' = .3\ntime 0 .. 1.5",
    "turning_frame": """coord th
field x(s), y(s) on s = 0 .. 1 nodes 9
lagrangian integral(s, ((x' - th'*y)^2 + (y' + th'*x)^2)/2 - 10*(diff(x, s)^2 + diff(y, s)^2 - 1)^2) + .2*th'^2
constraint hubx: x(0) = .2
constraint huby: y(0) = 0
start x = .2 + s, th' = 1, y' = .3*s
time 0 .. 1""",
    "area": """field x(s), y(s) on s = 0 .. 1 nodes 9
lagrangian integral(s, (x'^2 + y'^2)/2 - 10*(sqrt(diff(x, s)^2 + diff(y, s)^2) - .8)^2 - y)
constraint ax: x(0) = 0
constraint ay: y(0) = 0
constraint bx: x(1) = 1
constraint by: y(1) = 0
constraint area: integral(s, y*diff(x, s)) = AREA
start x = s + .05*sin(2*pi*s), y = .3*sin(pi*s)
time 0 .. 1""",
    "kirchhoff": """field y(s) on s = 0 .. 1 nodes 9
let J = integral(s, diff(y, s)^2)
lagrangian integral(s, y'^2/2) - J/2 - 3/8*J^2
""" + HELD + "start y = sin(pi*s)\ntime 0 .. 1",
    "kirchhoff_point": """coord Z
field y(s) on s = 0 .. 1 nodes 9
lagrangian integral(s, y'^2/2 - diff(y, s)^2/2) + sqrt(1 + integral(s, y'^2 + s*y) + Z'^2) - Z^2*integral(s, 1 + y^2)/4
constraint a: y(0) = 0
start y = s*(2 - s), Z = .4, Z' = .2, y' = .3*s
time 0 .. 1""",
    "fixed_wave": WAVE + HELD + "start y = sin(pi*s) + .3*sin(3*pi*s), y' = sin(2*pi*s)\ntime 0 .. 1",
    "free_wave": "field y(s) on s = -1 .. 2 nodes 9\nlagrangian integral(s, (y'^2 - diff(y, s)^2)/2)\nstart y = cos(pi*(s + 1)/3)\ntime 0 .. 1",
    "damped_wave": WAVE + HELD + "param c = .7\ndissipation integral(s, c/2*y'^2)\nstart y = sin(pi*s)\ntime 0 .. 1",
    "strain_damped_wave": WAVE + HELD + "dissipation integral(s, .05*diff(y', s)^2/2)\nstart y = sin(pi*s)\ntime 0 .. 1",
    "forced_wave": WAVE + "constraint a: y(0) = 0\nforce y = -2*s*cos(3*t) - .1*y'\nforce y(1) = .5*sin(t) - .2*y'(1)\nstart y = .5*s\ntime 0 .. 1",
    "driven_end": WAVE + """constraint a: y(0) = 0
constraint b: y(1) = .1*sin(2*t)
param k = 2*asin(1/8)
start y' = .2*sin(8*k*s)/sin(8*k)
time 0 .. 1.5""",
    "timoshenko": """param r = .1, G = 4, D = .5
field w(s), p(s) on s = 0 .. 1 nodes 9
lagrangian integral(s, w'^2/2 + r*p'^2/2 - G/2*(diff(w, s) - p)^2 - D/2*diff(p, s)^2)
constraint a: w(0) = 0
constraint b: w(1) = 0
start w = .1*sin(pi*s), p = .2*cos(pi*s)
time 0 .. 1""",
    "klein_gordon": "field y(s) on s = 0 .. 3 nodes 13\nlagrangian integral(s, y'^2/2 - diff(y, s)^2/2 - (y^2 - 1)^2/4)\nstart y = 1 + .3*cos(pi*s/3) + .1*s\ntime 0 .. 2",
    "sine_gordon": """param v = .5, k = 1/sqrt(1 - v^2)
field y(s) on s = -6 .. 6 nodes 21
lagrangian integral(s, y'^2/2 - diff(y, s)^2/2 + cos(y) - 1)
start y = 4*atan(exp(k*s)), y' = -2*k*v/cosh(k*s)
time 0 .. 2""",
    "product": """field x(s), y(s) on s = 0 .. 1 nodes 9
lagrangian integral(s, (x'^2 + y'^2)/2 - diff(x*y, s)^2/2 - (1 + x^2)*diff(s*y, s)^2/4 + x*diff(sin(y), s) - x^4 - y^4)
start x = .3 + .2*s, y = .5*cos(s)
time 0 .. 1""",
    "explicit_s": """field y(s) on s = 1 .. 2.5 nodes 9
lagrangian integral(s, s*y'^2/2 - exp(-s)*diff(y, s)^2 - s*(.3*diff(y, s)^2 + .2*y^2))
constraint a: y(1) = 0
start y = .2*(s - 1)^2
time 0 .. 2""",
    "cross_velocity": """field y(s) on s = 0 .. 1 nodes 9
lagrangian integral(s, y'^2/2 + y'^2*diff(y, s)^2/2 + diff(y', s)^2/20 + y*y'*diff(y, s)/3 - diff(y, s)^2/2)
constraint a: y(0) = 0
start y = .5*sin(2*s), y' = .2*s
time 0 .. 1""",
    "on_circle": STRING % 9 + "lagrangian -integral(s, diff(x, s)^2 + diff(y, s)^2)/2\nconstraint on(s): x^2 + y^2 = 1\nstart x = cos(s), y = sin(s), x' = -s*sin(s), y' = s*cos(s)\ntime 0 .. 1.5",
    "rolling_nodes": STRING % 9 + "lagrangian -integral(s, diff(x, s)^2 + diff(y, s)^2)/2\nconstraint roll(s): x' = (1 + s)*y*y' + sin(t)\nstart y = .5 + .3*s, x' = .2*(1 + s)*(.5 + .3*s), y' = .2\ntime 0 .. 1.5",
    "mean_held": WAVE + "lagrangian integral(s, -s*y)\nconstraint mean: integral(s, y') = 0\nstart y = cos(pi*s)\ntime 0 .. 1.5",
    "slope_held": """field y(s), u(s) on s = 0 .. 1 nodes 9
lagrangian integral(s, y'^2/2 + .1*u'^2/2 - y - u^2/2)
constraint tie(s): diff(y, s) = u
constraint a: y(0) = 0
time 0 .. 1""",
}


def area_of_start():
    s = Axis(0, 1, 9).s
    y = .3 * np.sin(np.pi * s)
    return float(np.sum((y[1:] + y[:-1]) / 2 * np.diff(s + .05 * np.sin(2 * np.pi * s))))


TEXTS["area"] = TEXTS["area"].replace("AREA", repr(area_of_start()))

# What is refused: what it is, the text with the place marked by @, words of the message: any of them will do; None where either an answer or a message will
FIELD = "field x(s), y(s) on s = 0 .. 1 nodes 9\n"
KINETIC = "lagrangian integral(s, (x'^2 + y'^2)/2)\n"
WRONG = [
    ("a field without a place", FIELD + KINETIC + "lagrangian @x^2\ntime 0 .. 1", ("x",)),
    ("a field without a place in a constraint", FIELD + KINETIC + "constraint c: @x = 1\ntime 0 .. 1", ("x",)),
    ("a field without a place in a force on a point", "coord Z\nlagrangian Z'^2/2\n" + FIELD + KINETIC + "force Z = @y\ntime 0 .. 1", ("y",)),
    ("a place beyond the end", FIELD + KINETIC + "constraint c: x(@2) = 1\ntime 0 .. 1", ("2", "1", "s")),
    ("a place before the beginning", FIELD + KINETIC + "constraint c: x(@-.5) = 1\ntime 0 .. 1", ("0",)),
    ("a place that is no number", "coord Z\nlagrangian Z'^2/2\n" + FIELD + KINETIC + "constraint c: x(@Z) = 1\ntime 0 .. 1", ()),
    ("an inner place in the Lagrangian", FIELD + KINETIC + "lagrangian x'(@.3)^2\ntime 0 .. 1", None),
    ("an integral over an axis that is not there", FIELD + KINETIC + "lagrangian integral(@r, x^2)\ntime 0 .. 1", ("r",)),
    ("an integral over a param", "param p = 1\n" + FIELD + KINETIC + "lagrangian integral(@p, x^2)\ntime 0 .. 1", ("p",)),
    ("diff by an axis that is not there", FIELD + KINETIC + "lagrangian integral(s, diff(x, @r)^2)\ntime 0 .. 1", ("r",)),
    ("diff of a point coordinate", "coord Z\nlagrangian Z'^2/2\n" + FIELD + KINETIC + "lagrangian integral(s, x*diff(@Z, s))\ntime 0 .. 1", ("Z",)),
    ("diff outside an integral", FIELD + KINETIC + "lagrangian @diff(x, s)^2\ntime 0 .. 1", ()),
    ("diff by time", FIELD + KINETIC + "lagrangian integral(s, diff(x, @t)^2)\ntime 0 .. 1", ("t",)),
    ("third diff", FIELD + KINETIC + "lagrangian integral(s, @diff(diff(diff(x, s), s), s)^2)\ntime 0 .. 1", None),
    ("one node", "field x(s) on s = 0 .. 1 nodes @1\nlagrangian integral(s, x'^2/2)\ntime 0 .. 1", ("1",)),
    ("nodes that are not whole", "field x(s) on s = 0 .. 1 nodes @2.5\nlagrangian integral(s, x'^2/2)\ntime 0 .. 1", ("2.5",)),
    ("negative nodes", "field x(s) on s = 0 .. 1 nodes @-4\nlagrangian integral(s, x'^2/2)\ntime 0 .. 1", ("-4",)),
    ("nodes made of a coordinate", "coord Z\nlagrangian Z'^2/2\nfield x(s) on s = 0 .. 1 nodes @Z\nlagrangian integral(s, x'^2/2)\ntime 0 .. 1", ()),
    ("an axis of no length", "field x(s) on s = @1 .. 1 nodes 5\nlagrangian integral(s, x'^2/2)\ntime 0 .. 1", ()),
    ("an axis that runs backward", "field x(s) on s = @1 .. 0 nodes 5\nlagrangian integral(s, x'^2/2)\ntime 0 .. 1", ()),
    ("a field declared twice", FIELD + "field @x(s) on s\n" + KINETIC + "time 0 .. 1", ("x",)),
    ("a field with the name of a param", "param y = 1\nfield x(s), @y(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, x'^2/2)\ntime 0 .. 1", ("y",)),
    ("a coordinate with the name of the axis", FIELD + KINETIC + "coord @s\nlagrangian s'^2/2\ntime 0 .. 1", ("s",)),
    ("an axis declared twice", FIELD + "field z(s) on @s = 0 .. 2 nodes 5\n" + KINETIC + "time 0 .. 1", ("s",)),
    ("an axis without its ends", "field x(s) on @s\nlagrangian integral(s, x'^2/2)\ntime 0 .. 1", ("s",)),
    ("a field on another axis than it says", "field @x(r) on s = 0 .. 1 nodes 5\nlagrangian integral(s, x'^2/2)\ntime 0 .. 1", ()),
    ("two axes in one density", FIELD + "field u(r) on r = 0 .. 1 nodes 5\n" + KINETIC + "lagrangian integral(r, u'^2/2)\nlagrangian integral(s, x*@u)\ntime 0 .. 1", ("u",)),
    ("a field of another axis in a constraint along a line", FIELD + "field u(r) on r = 0 .. 1 nodes 5\n" + KINETIC + "lagrangian integral(r, u'^2/2)\nconstraint c(s): x = @u\ntime 0 .. 1", ("u",)),
    ("diff by another axis", FIELD + "field u(r) on r = 0 .. 1 nodes 5\n" + KINETIC + "lagrangian integral(r, u'^2/2)\nlagrangian integral(s, @diff(x, r)^2)\ntime 0 .. 1", ()),
    ("an integral in an integral over the same axis", FIELD + KINETIC + "lagrangian integral(s, x*@integral(s, y))\ntime 0 .. 1", None),
    ("a constraint along an axis that is not there", FIELD + KINETIC + "constraint c(@r): x = 1\ntime 0 .. 1", ("r",)),
    ("a constraint along a line without a field", FIELD + KINETIC + "constraint c(s): @s = 1\ntime 0 .. 1", ()),
    ("a force on a place inside", FIELD + KINETIC + "force x(@.5) = 1\ntime 0 .. 1", None),
    ("a force on a field of a wrong name", FIELD + KINETIC + "force @z = 1\ntime 0 .. 1", ("z",)),
    ("a second time derivative in a density", FIELD + "lagrangian integral(s, x*@x'')\ntime 0 .. 1", ()),
    ("start data with t", FIELD + KINETIC + "start x = @t\ntime 0 .. 1", ("t",)),
    ("start data of a point with s", "coord Z\nlagrangian Z'^2/2\n" + FIELD + KINETIC + "start Z = @s\ntime 0 .. 1", ("s",)),
    ("s outside a field's statement", FIELD + KINETIC + "observe a = @s\ntime 0 .. 1", ("s",)),
    ("a point coordinate at a place", "coord Z\nlagrangian Z'^2/2\n" + FIELD + KINETIC + "constraint c: Z@(1) = 0\ntime 0 .. 1", ("Z",)),
    ("a prime on an axis", FIELD + KINETIC + "lagrangian integral(s, s@'*x)\ntime 0 .. 1", ()),
    ("members of a field beyond the last", FIELD + KINETIC + "start x = s\ntime 0 .. 1\nexpect @x[9] at 1 = 0 within 1", ("x[9]", "x")),
    ("a claim on a whole field", FIELD + KINETIC + "start x = s\ntime 0 .. 1\nexpect @x at 1 = 0 within 1", ("x",)),
    ("brackets after a field in an expression", FIELD + KINETIC + "observe a = x@[3]\ntime 0 .. 1", None),
    ("nodes left out", "field x(s) on s = 0 .. 1@\nlagrangian integral(s, x'^2/2)\ntime 0 .. 1", ("nodes",)),
    ("on left out", "field x(s) @s = 0 .. 1 nodes 5\nlagrangian integral(s, x'^2/2)\ntime 0 .. 1", ("on",)),
    ("no axis in brackets", "field x@ on s = 0 .. 1 nodes 5\nlagrangian integral(s, x'^2/2)\ntime 0 .. 1", ()),
    ("a contact along a line", FIELD + KINETIC + "contact c@(s): y >= 0\ntime 0 .. 1", None),
    ("integral without an axis", FIELD + "lagrangian @integral(x'^2/2)\ntime 0 .. 1", ()),
    ("running in a Lagrangian of another axis", FIELD + KINETIC + "lagrangian integral(s, running(@r, x))\ntime 0 .. 1", ("r",)),
]

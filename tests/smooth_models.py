# SPDX-License-Identifier: Apache-2.0
"""Random models with smooth or switching motions, as text: one maker a kind. Some need --project."""
import math


def number(rng, low, high):
    return "%.3g" % rng.uniform(low, high)


def general(rng):
    """Masses that depend on place and time, potentials, dissipation, a drive with a kink."""
    q = ["q%d" % i for i in range(rng.randint(1, 4))]
    n = lambda low, high: number(rng, low, high)
    kinetic = " + ".join("(%s + %s*cos(%s))*%s'^2/2" % (n(1, 2), n(0, .5), rng.choice(q), x) for x in q)
    if rng.random() < .5:
        kinetic += " + %s*sin(t)*%s'" % (n(.1, 1), rng.choice(q))
    if rng.random() < .5:
        kinetic = "(1 + %s*sin(%s*t))*(%s)" % (n(.1, .5), n(.5, 3), kinetic)
    potential = " + ".join("%s*cos(%s - %s) + %s*%s^2/2" % (n(.2, 2), rng.choice(q), n(0, 3), n(.5, 4), x) for x in q)
    lines = ["coord " + ", ".join(q), "lagrangian %s - (%s)" % (kinetic, potential)]
    if rng.random() < .5:
        lines.append("dissipation " + " + ".join("%s*%s'^2" % (n(.01, .3), x) for x in q))
    if rng.random() < .4:
        lines.append("force q0 = %s*cos(%s*t) - %s*q0'*abs(q0')" % (n(.1, 1), n(.5, 3), n(.01, .2)))
    lines.append("start " + ", ".join("%s = %s, %s' = %s" % (x, n(-1, 1), x, n(-1, 1)) for x in q))
    return "\n".join([*lines, "time " + rng.choice(["0 .. %s", "%s .. 0"]) % n(1, 5)])


def states(rng):
    """A coordinate and two states, free or with a constraint between their rates."""
    n = lambda low, high: number(rng, low, high)
    lines = ["coord x", "state p, w", "lagrangian x'^2/2 - %s*x^2/2 + p*x*%s" % (n(.5, 3), n(.1, .5)),
             "flow p' = -%s*p + x - w*p^2*%s" % (n(.2, 2), n(.1, .3)),
             "flow (1 + %s*p^2)*w' = -%s*w + x'*%s + cos(t)" % (n(.1, .5), n(.2, 1), n(.1, .5))]
    if rng.random() < .5:
        lines.append("constraint c: p + %s*x' = %s*w + 1" % (n(.2, 1), n(.2, 1)))
    return "\n".join([*lines, "start x = %s, x' = .2, p = .3, w = -.2" % n(-1, 1), "time 0 .. " + n(2, 6)])


def quadratic(rng):
    """A constraint quadratic in the velocities that depends on time."""
    n = lambda low, high: number(rng, low, high)
    return "\n".join(["coord x, y, z", "lagrangian (x'^2 + y'^2 + %s*z'^2)/2 - %s*z - %s*(x^2 + y^2)/2" % (n(.5, 2), n(1, 9), n(0, .5)),
                      "constraint tie: x'^2 + %s*y'^2 = (%s*z')^2*(1 + .1*sin(%s*t))" % (n(.5, 1.5), n(.3, .9), n(.5, 2)),
                      "start x' = 1, y' = .5, z' = -3", "time 0 .. " + n(.5, 2)])


def speed(rng):
    """A speed that is given as a function of time."""
    n = lambda low, high: number(rng, low, high)
    return "\n".join(["coord x, y", "lagrangian (x'^2 + y'^2)/2 - %s*y - %s*x*y" % (n(.2, 2), n(-.5, .5)),
                      "constraint v: x'^2 + y'^2 = 1 + %s*sin(%s*t)" % (n(.1, .5), n(.5, 2)), "start x' = 1", "time 0 .. " + n(1, 4)])


def chain(rng):
    """Masses on rods in Cartesian coordinates, the first one on a peg that may shake."""
    count, peg = rng.randint(1, 4), rng.choice(["0", "0", "(.2*sin(2*t))"])
    lines, start, x, y, before = [], [], 0, 0, (peg, "0")
    for i in range(count):
        length, angle = rng.uniform(.5, 1.5), rng.uniform(-2, 2)
        x, y = x + length * math.sin(angle), y - length * math.cos(angle)
        lines.append("constraint rod%d: (x%d - %s)^2 + (y%d - %s)^2 = %r" % (i, i, before[0], i, before[1], length ** 2))
        start.append("x%d = %r, y%d = %r" % (i, x, i, y))
        before = "x%d" % i, "y%d" % i
    terms = ("%s*(x%d'^2 + y%d'^2)/2 - 9.81*y%d" % (number(rng, 1, 2), i, i, i) for i in range(count))
    return "\n".join(["coord " + ", ".join("x%d, y%d" % (i, i) for i in range(count)), "lagrangian " + " + ".join(terms), *lines,
                      "start " + ", ".join(start), "time 0 .. " + number(rng, 1, 3)])


def rheonomic(rng):
    """A bead in a bowl on a plane that turns."""
    w = number(rng, .5, 2)
    return "\n".join(["coord x, y, z", "lagrangian (x'^2 + y'^2 + z'^2)/2 - %s*z" % number(rng, 1, 9), "constraint plane: y*cos(%s*t) = x*sin(%s*t)" % (w, w),
                      "constraint bowl: z = %s*(x^2 + y^2)" % number(rng, .1, .5), "start x = .5", "time 0 .. " + number(rng, 1, 3)])


def servo(rng):
    """A reaction that enters chosen equations or has its own direction."""
    n = lambda low, high: number(rng, low, high)
    if rng.random() < .3:
        return "\n".join(["coord x, y", "lagrangian (x'^2 + y'^2)/2 - %s*y" % n(.5, 2), "constraint c: 2*x + y = %s*sin(t) acting %s" % (n(.1, 1), rng.choice("xy")),
                          "start y = 0", "time 0 .. " + n(1, 4)])
    kind = rng.choice(["acting x", "acting y", "along x = 1, y = .3*cos(x)", "along y = 1 + x^2"])
    return "\n".join(["coord x, y, th", "lagrangian (x'^2 + 2*y'^2 + th'^2)/2 + %s*x - y" % n(.5, 2),
                      "constraint c: x'*(1.5 + cos(th)) + y'*(2 + .5*sin(th)) = %s*sin(t) %s" % (n(.1, 1), kind), "start th' = 1", "time 0 .. " + n(1, 4)])


def switches(rng):
    """A force with a kink or a jump."""
    force = rng.choice(["-abs(x)*x", "if(x > .2, -2, 1)*(x - .2)", "max(-x, -2*x)", "min(.3, sin(t))", "-.2*abs(x')*x' - if(t > 1, 1, 0)", "-sign(x)*.7"])
    return "\n".join(["coord x, y", "lagrangian (x'^2 + y'^2)/2 - %s*x^2/2 - y^2 - .3*x*y" % number(rng, .5, 3), "force x = " + force,
                      "start x = 1, y' = %s" % number(rng, -1, 1), "time 0 .. " + number(rng, 1, 4)])


def stiff(rng):
    """A strong damped spring in place of a rod."""
    return "\n".join(["coord x, y", "lagrangian (x'^2 + y'^2)/2 - %.3g*(sqrt(x^2 + y^2) - 1)^2/2 - y" % 10 ** rng.uniform(2, 6),
                      "dissipation %s*(x*x' + y*y')^2/2" % number(rng, 1, 50), "start x = 1, y' = 1", "time 0 .. " + number(rng, .5, 2)])


def edge(rng):
    """A knife edge that is driven sideways."""
    n = lambda low, high: number(rng, low, high)
    return "\n".join(["coord x, y, th", "lagrangian (x'^2 + y'^2 + %s*th'^2)/2 + %s*x*cos(%s*t)" % (n(.5, 2), n(.5, 3), n(0, 2)),
                      "constraint edge: x'*sin(th) = y'*cos(th) + %s*t" % n(-.3, .3), "start x' = 1, th' = %s" % n(-2, 2), "time 0 .. " + n(2, 6)])


KINDS = (general, states, quadratic, speed, chain, rheonomic, servo, switches, stiff, edge)

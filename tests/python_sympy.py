#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models from SymPy mechanics, and equations for SymPy. The references are SymPy's own equations, integrated by SciPy.
tests/python_sympy.py [--program PROGRAM]"""
import random
import warnings

from program import Tally, chosen, run_parts
from python_setup import needs

needs("python_sympy", "numpy", "scipy", "sympy")
import numpy  # noqa: E402
import sympy  # noqa: E402
from scipy.integrate import solve_ivp  # noqa: E402
from sympy import atan, cos, sin, symbols  # noqa: E402
from sympy.physics.mechanics import (KanesMethod, Lagrangian, LagrangesMethod, Particle, Point, ReferenceFrame, RigidBody, dot,  # noqa: E402
                                     dynamicsymbols, inertia)

import actio  # noqa: E402
from actio._sympy_text import Names, Printer, plain_name  # noqa: E402

t = dynamicsymbols._t
CLOSE = 1e-9                                                # both sides are integrated to 1e-12 or so; motions here grow errors by less than 1e3
warnings.simplefilter("ignore", actio.ActioWarning)


def integrated(rhs, y, values, start, end):
    """SymPy's right-hand side of the state y from its start to the end."""
    stand_in = {one: sympy.Dummy() for one in y}
    rates = {one: place for one, place in stand_in.items() if isinstance(one, sympy.Derivative)}
    plain = sympy.Matrix(rhs).subs(values).xreplace(rates).xreplace(stand_in)
    f = sympy.lambdify([t, list(stand_in.values())], list(plain))
    return solve_ivp(lambda s, x: f(s, x), (0, end), [float(start.get(one, 0)) for one in y], method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]


def compared(tally, what, model, names, wanted):
    result = model.run(tol=1e-11)
    found = numpy.array([result.end[name] for name in names])
    tally.check(numpy.allclose(found, wanted, rtol=CLOSE, atol=CLOSE), "%s: %s, by SymPy and SciPy %s" % (what, found, wanted))
    return result


# ---- SymPy's rolling disc

def disc(speeds):
    """The frames and the body of both examples of SymPy's documentation."""
    q = dynamicsymbols("q1 q2 q3")
    r, m, g = symbols("r m g")
    n = ReferenceFrame("N")
    y = n.orientnew("Y", "Axis", [q[0], n.z])
    lean = y.orientnew("L", "Axis", [q[1], y.x])
    roll = lean.orientnew("R", "Axis", [q[2], lean.y])
    by_rates = roll.ang_vel_in(n)
    if speeds:
        roll.set_ang_vel(n, speeds[0] * lean.x + speeds[1] * lean.y + speeds[2] * lean.z)
    touch = Point("C")
    touch.set_vel(n, 0)
    center = touch.locatenew("Dmc", r * lean.z)
    center.v2pt_theory(touch, n, roll)
    body = RigidBody("BodyD", center, roll, m, (inertia(lean, m / 4 * r**2, m / 2 * r**2, m / 4 * r**2), center))
    return q, (r, m, g), n, y, lean, roll, center, body, by_rates


def rolling_disc_by_lagrange(tally):
    q, (r, m, g), n, _, _, _, _, body, _ = disc(())
    body.potential_energy = -m * g * r * cos(q[1])
    method = LagrangesMethod(Lagrangian(n, body), q)
    method.form_lagranges_equations()
    values = {r: .7, m: 1.3, g: 9.8}
    start = dict(zip([*q, *(one.diff(t) for one in q)], (.1, .3, 0, .5, .1, 2)))
    wanted = integrated(method.rhs(), list(start), values, start, 3)
    model = actio.from_sympy(method, params=values, start=start, time=(0, 3))
    compared(tally, "rolling disc by Lagrange", model, ["q1", "q2", "q3", "q1'", "q2'", "q3'"], wanted)


def rolling_disc_by_kane(tally):
    """Rolling is hidden in the velocity of the center: the model gets coordinates for it, and two velocity constraints."""
    u = dynamicsymbols("u1 u2 u3")
    q, (r, m, g), n, y, lean, roll, center, body, by_rates = disc(u)
    method = KanesMethod(n, q_ind=q, u_ind=u, kd_eqs=[dot(roll.ang_vel_in(n) - by_rates, one) for one in lean])
    method.kanes_equations([body], [(center, -m * g * y.z)])
    values, start = {r: .7, m: 1.3, g: 9.8}, dict(zip([*q, *u], (.1, .3, 0, .1, 2.5, .4)))
    wanted = integrated(method.rhs().subs(method.kindiffdict()), list(start), values, start, 3)
    model = actio.from_sympy(method, params=values, start=start, time=(0, 3))
    verdict = model.check()
    tally.check(verdict.ok and verdict.json["nonholonomic"] == 2 and verdict.json["coordinates"] == 5, "verdict on the disc: %r" % verdict)
    result = compared(tally, "rolling disc by Kane", model, ["q1", "q2", "q3", "u1", "u2", "u3"], wanted)
    energy = result["energy"] + 1.3 * 9.8 * .7 * numpy.cos(result["q2"])       # gravity is a load here
    tally.check(numpy.ptp(energy) < 1e-8, "energy of the rolling disc varies by %g" % numpy.ptp(energy))


# ---- SymPy's pendulum in non-minimal coordinates

def pendulum(kane):
    q = dynamicsymbols("q1:3")
    length, m, g = symbols("L, m, g")
    n, origin = ReferenceFrame("N"), Point("N*")
    origin.set_vel(n, 0)
    along = n.orientnew("A", "axis", [atan(q[1] / q[0]), n.z])
    bob = origin.locatenew("P1", q[0] * n.x + q[1] * n.y)
    bob.set_vel(n, bob.pos_from(origin).dt(n))
    mass, weight = Particle("pP", bob, m), [(bob, m * g * n.x)]
    values, start = {length: 1.2, m: .8, g: 9.8}, {q[0]: 1.2 * numpy.cos(1), q[1]: 1.2 * numpy.sin(1)}
    if not kane:
        method = LagrangesMethod(Lagrangian(n, mass), q, hol_coneqs=[q[0]**2 + q[1]**2 - length**2], forcelist=weight, frame=n)
        method.form_lagranges_equations()
        return method, values, start
    u = dynamicsymbols("u1:3")
    bob.set_vel(n, u[0] * n.x + u[1] * n.y)
    moving = sympy.Matrix([sympy.simplify(bob.vel(n).express(along).dot(along.x))])
    method = KanesMethod(n, q_ind=[q[1]], u_ind=[u[1]], q_dependent=[q[0]], u_dependent=[u[0]], kd_eqs=[q[0].diff(t) - u[0], q[1].diff(t) - u[1]],
                         configuration_constraints=sympy.Matrix([bob.pos_from(origin).magnitude() - length]), velocity_constraints=moving,
                         acceleration_constraints=moving.diff(t))
    method.kanes_equations([mass], weight)
    return method, values, start


def non_minimal_pendulum(tally):
    """Lagrange's form with its multiplier is SymPy's reference; Kane's has the same motion."""
    method, values, start = pendulum(False)
    q = list(method.q)
    y = [*q, *(one.diff(t) for one in q)]
    wanted = integrated(method.rhs()[:4], y, values, start, 2)
    model = actio.from_sympy(method, params=values, start=start, time=(0, 2))
    compared(tally, "pendulum by Lagrange", model, ["q1", "q2", "q1'", "q2'"], wanted)
    method, values, start = pendulum(True)
    model = actio.from_sympy(method, params=values, start=start, time=(0, 2))
    tally.check(model.check().json["constraints"] == 1, "the velocity constraint is the rate of the other")
    compared(tally, "pendulum by Kane", model, ["q1", "q2", "u1", "u2"], wanted)
    u, quarter = dynamicsymbols("u1:3"), solve_ivp(lambda _, a: [a[1], -9.8 / 1.2 * numpy.sin(a[0])], (0, 2), [1, 0], method="DOP853", rtol=1e-13, atol=1e-13).y[0, -1]
    tally.check(abs(wanted[0] - 1.2 * numpy.cos(quarter)) < CLOSE and len(u) == 2, "the pendulum's angle")


# ---- other models

def by_expressions(tally):
    """A sleigh with a blade, a drag and a motor: SymPy's Lagrange equations with multipliers, solved by lstsq at each state."""
    x, y, a = dynamicsymbols("x y theta_1")
    force = dynamicsymbols("F")
    m, j, c, w = symbols("m J c omega")
    values = {m: 2, j: sympy.Rational(1, 3), c: .25, w: 1.5}
    lagrangian = m * (x.diff(t)**2 + y.diff(t)**2) / 2 + j * a.diff(t)**2 / 2
    blade = x.diff(t) * sin(a) - y.diff(t) * cos(a)
    forces = {x: force * cos(a) - c * x.diff(t), y: force * sin(a), a: sin(w * t)}
    start = {x.diff(t): 1, a.diff(t): .3}
    model = actio.from_sympy(lagrangian, [x, y, a], constraints={"blade": blade}, forces=forces, params={**values, force: sympy.exp(-t)}, start=start,
                             time=(0, 2), observe={"v": x.diff(t) * cos(a) + y.diff(t) * sin(a)})
    lam = sympy.Symbol("lam")
    q = [x, y, a]
    rates = [one.diff(t) for one in q]
    second = [sympy.Dummy() for _ in q]
    rows = [lagrangian.diff(v).diff(t) - lagrangian.diff(one) - forces[one].subs(force, sympy.exp(-t)) - lam * blade.diff(v) for one, v in zip(q, rates)]
    rows = [row.subs(dict(zip([one.diff(t, 2) for one in q], second))).subs(values) for row in [*rows, blade.diff(t)]]
    solution = sympy.solve(rows, [*second, lam], dict=True)[0]
    wanted = integrated([*rates, *(solution[one] for one in second)], [*q, *rates], {}, start, 2)
    result = compared(tally, "sleigh", model, ["x", "y", "theta_1", "x'", "y'", "theta_1'"], wanted)
    tally.check("lambda.blade" in result and "v" in result and model.symbols[a] == "theta_1", "names: %s" % result.names)


def forces_at_points(tally):
    """A forcelist with a frame: a double pendulum in angles, weight as forces, a torque on the second rod."""
    q = dynamicsymbols("q1 q2")
    m, length, g, k = symbols("m l g k")
    n = ReferenceFrame("N")
    a, b = (n.orientnew(name, "Axis", [one, n.z]) for name, one in zip("AB", q))
    o = Point("O")
    o.set_vel(n, 0)
    p = o.locatenew("P", length * a.x)
    r = p.locatenew("R", length * b.x)
    p.v2pt_theory(o, n, a)
    r.v2pt_theory(p, n, b)
    bodies = [Particle("p", p, m), Particle("r", r, m)]
    loads = [(p, m * g * n.x), (r, m * g * n.x), (b, -k * q[1].diff(t) * n.z)]
    values, start = {m: 1, length: 1, g: 9.8, k: .5}, {q[0]: 1, q[1]: -.5}
    method = LagrangesMethod(Lagrangian(n, *bodies), q, forcelist=loads, frame=n)
    method.form_lagranges_equations()
    wanted = integrated(method.rhs(), [*q, *(one.diff(t) for one in q)], values, start, 1)
    names = ["q1", "q2", "q1'", "q2'"]
    compared(tally, "double pendulum", actio.from_sympy(method, params=values, start=start, time=(0, 1)), names, wanted)
    direct = actio.from_sympy(Lagrangian(n, *bodies), q, forces=loads, frame=n, params=values, start={"q1": 1, "q2": -.5}, time=(0, 1))
    compared(tally, "the same without a method", direct, names, wanted)


def refused(tally, action, *words):
    try:
        action()
        tally.check(False, "not refused: %s" % (words,))
    except actio.UsageError as error:
        tally.check(all(word in str(error) for word in words), "%s: %s" % (words, error))


def refusals(tally):
    x, y = dynamicsymbols("x y")
    k, u = symbols("k"), dynamicsymbols("u")
    energy = x.diff(t)**2 / 2
    refused(tally, lambda: actio.from_sympy(energy - k * x**2, [x]), "without a value", "k")
    refused(tally, lambda: actio.from_sympy(energy - k * x**2, [x], params={k: 1, sympy.Symbol("t"): 4}), "is the time")
    refused(tally, lambda: actio.from_sympy(energy, None), "coordinates")
    refused(tally, lambda: actio.from_sympy(energy, [k]), "dynamicsymbol")
    refused(tally, lambda: actio.from_sympy("x", [x]), "expression")
    refused(tally, lambda: actio.from_sympy(energy + sympy.besselj(0, x), [x]), "besselj")
    refused(tally, lambda: actio.from_sympy(energy + sympy.I * x, [x]), "does not have")
    refused(tally, lambda: actio.from_sympy(energy + u, [x]), "without a value", "u")
    refused(tally, lambda: actio.from_sympy(energy, [x], forces={y: 1}), "not a coordinate")
    refused(tally, lambda: actio.from_sympy(energy, [x], start={y: 1}), "start")
    refused(tally, lambda: actio.from_sympy(energy, [x], start={"z'": 1}), "z")
    refused(tally, lambda: actio.from_sympy(energy, [x], forces=[(Point("P"), 0)]), "frame")
    refused(tally, lambda: actio.from_sympy(energy, [x], params={k: sympy.nan}) and actio.from_sympy(energy * k, [x], params={k: sympy.oo}), "does not have")
    n, p = ReferenceFrame("N"), Point("P")
    p.set_vel(n, u * n.x)
    method = KanesMethod(n, q_ind=[x], u_ind=[u], kd_eqs=[x.diff(t) - u])
    refused(tally, lambda: actio.from_sympy(method), "bodies")
    refused(tally, lambda: actio.from_sympy(method, q=[x], bodies=[Particle("p", p, 1)]), "q and forces")
    spun = n.orientnew("B", "Axis", [y, n.z])
    spun.set_ang_vel(n, u * n.x)
    body = RigidBody("B", p, spun, 1, (inertia(spun, 1, 1, 1), p))
    refused(tally, lambda: actio.from_sympy(method, bodies=[body]), "orientation")
    fine = actio.from_sympy(method, bodies=[Particle("p", p, 2)], loads=[(p, -3 * x * n.x)], start={x: 1, u: 2}, time=(0, 1))
    w = numpy.sqrt(1.5)
    tally.check(abs(fine.run().end["x"] - numpy.cos(w) - 2 * numpy.sin(w) / w) < 1e-8, "bodies and loads given here")


def names(tally):
    """The stated rule, and that different symbols keep different names."""
    for given, wanted in (("theta_1", "theta_1"), (r"\theta_{1}", "theta_1"), ("x'", "x_prime"), ("θ", "θ"), ("2x", "q_2x"), ("a b", "a_b"), ("*", "q"),
                          ("\u00b5", "\u03bc")):
        tally.check(plain_name(given) == wanted, "%r becomes %r" % (given, plain_name(given)))
    table = Names()
    found = [table.add(sympy.Symbol(one)) for one in ("x", "x_dot", "t_", "lambda", "pi", "a b", "a_b", "sin")]
    tally.check(len(set(found)) == len(found) and not {"x_dot", "lambda", "pi", "sin"} & set(found), "names %s" % found)
    q = dynamicsymbols(r"\dot{x} lambda force")
    energy = sum(one.diff(t)**2 for one in q) / 2 - sum(one**2 for one in q) / 2
    model = actio.from_sympy(energy, q, start={one: 1 for one in q}, time=(0, 1))
    tally.check(all(abs(model.run().end[model.symbols[one]] - numpy.cos(1)) < 1e-8 for one in q), "odd names: %s" % model.symbols)


def formulas(tally):
    """Formulas as text have the values that SymPy has: random ones, then every function, read back by the library."""
    x, a, b = dynamicsymbols("x"), *symbols("a b")
    draw = random.Random(3)
    unary = [sin, cos, sympy.exp, sympy.sqrt, sympy.Abs, sympy.atan, sympy.tanh, sympy.sec, sympy.cot, sympy.asinh, lambda e: 1 / (2 + e**2),
             lambda e: -e, lambda e: e**sympy.Rational(2, 3), lambda e: sympy.Piecewise((e, e < 1), (1 - e, True)), sympy.sign, sympy.floor,
             sympy.log, lambda e: sympy.Max(e, a), lambda e: sympy.Min(e, a, b), lambda e: sympy.Mod(e, 2), sympy.Heaviside, lambda e: a**e, sympy.sinc]
    binary = [lambda p, q: p + q, lambda p, q: p - q, lambda p, q: p * q, lambda p, q: p / (1 + q**2), sympy.atan2,
              lambda p, q: sympy.Piecewise((p, sympy.And(p > q, p > 0)), (q, sympy.Or(p < .5, q < 0)), (1, True))]

    def formula(depth):
        if depth == 0:
            return draw.choice([a, b, sympy.Integer(draw.randint(1, 5)), sympy.Rational(draw.randint(1, 9), 7), sympy.Float(draw.random()), sympy.pi, sympy.E])
        return draw.choice(unary)(formula(depth - 1)) if draw.random() < .6 else draw.choice(binary)(formula(depth - 1), formula(depth - 1))
    table = [formula(3) for _ in range(80)] + [one(a) for one in unary]
    values = {a: .37, b: 1.9}
    known, lines, wanted = Names(), [], []
    for symbol in (a, b):
        known.add(symbol)
    for number, one in enumerate(table):
        value = one.subs(values).evalf(17)
        if value.is_real and value.is_finite and abs(value) < 1e6:
            lines.append("observe o%d = %s + 0*x" % (len(wanted), Printer(known).text(one)))
            wanted.append(float(value))
    text = "param a = .37, b = 1.9\ncoord x\nlagrangian x'^2/2\ntime 0 .. 1\n%s\n" % "\n".join(lines)
    result = actio.model(text).run(points=2, check=False)
    for number, value in enumerate(wanted):
        found = result["o%d" % number][0]
        tally.check(abs(found - value) < 1e-12 * max(1, abs(value)), "%s = %s, by SymPy %s" % (lines[number], found, value))
    tally.check(len(wanted) > 60 and x, "only %d formulas" % len(wanted))


def to_sympy(tally):
    """Equations of the gallery, back in SymPy: SciPy integrates them over a hundredth and finds the motion."""
    for name in ("disk", "pendulum-cartesian", "lorenz", "lm1", "pendulum-tension", "knife-drag", "coupled-tanks", "lorenz-chetaev", "nlink", "suslov-state",
                 "pars-acceleration", "rod-servo-along", "driven-double-pendulum", "indefinite-pair"):
        if not chosen("to_sympy." + name):
            continue
        model = actio.load(name)
        begin = model.time[0]
        motion = model.run(time=(begin, begin + .01), points=2, tol=1e-11)
        found = model.to_sympy()
        y = solve_ivp(found.rhs(), (begin, begin + .01), motion.y[:, 0], method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
        tally.check(numpy.allclose(y, motion.y[:, -1], rtol=1e-9, atol=1e-9), "%s: %s, the motion %s" % (name, y, motion.y[:, -1]))
    if chosen("to_sympy.parts"):
        parts = actio.load("disk").to_sympy()
        x, phi = parts.q[0], parts.q[3]
        tally.check(parts.mass_matrix.shape == (6, 6) and parts.mass_matrix[0, 0] == symbols("M") and len(parts.forcing) == 6, "matrices")
        tally.check(parts.constraints["blade"].has(sin(phi) * x.diff(t)) and set(parts.multipliers) == {"roll", "blade"}, "constraints")
        refused(tally, actio.load("vibrating-string").to_sympy, "fields")
        refused(tally, actio.load("bouncing-ball").to_sympy, "contacts")


def there_and_back(tally):
    """to_sympy of a model, from_sympy of the result: the same motion."""
    for name in ("disk", "pendulum-cartesian", "double-pendulum"):
        model = actio.load(name)
        parts = model.to_sympy()
        values = {symbol: model.params[str(symbol)] for symbol in parts.params}
        again = actio.from_sympy(parts.lagrangian, parts.q, constraints=parts.constraints, params=values, start=dict(zip(parts.y, model.rhs.y0)), time=(0, 1))
        a, b = model.run(time=(0, 1), tol=1e-11), again.run(tol=1e-11)
        tally.check(numpy.allclose(a.y[:, -1], b.y[:, -1], atol=1e-9), "%s, there and back" % name)


PARTS = [rolling_disc_by_lagrange, rolling_disc_by_kane, non_minimal_pendulum, by_expressions, forces_at_points, refusals, names, formulas, there_and_back]

if __name__ == "__main__":
    TALLY = Tally("python_sympy")
    run_parts(PARTS, TALLY)
    to_sympy(TALLY)
    TALLY.done()

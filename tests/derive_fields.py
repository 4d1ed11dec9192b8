#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""actio derive on models with fields: the printed formulas, evaluated at given smooth fields, against equations that are written down here by hand.
tests/derive_fields.py [--program FILE]"""
import os
import re
import tempfile

import sympy as sp

from program import Tally, arguments, call, rows, run_parts

s, t = sp.symbols("s t", real=True)
STRING = """field x(s), y(s) on s = 0 .. 1 nodes 17
lagrangian integral(s, (x'^2 + y'^2)/2)
constraint link(s): diff(x, s)^2 + diff(y, s)^2 = 1
start x = s - .5, y' = 2*(s - .5)
time 0 .. .01
"""
FRAME = "frame u(s) = x'*diff(x, s) + y'*diff(y, s), w(s) = -x'*diff(y, s) + y'*diff(x, s)\n"
EDGE = "constraint edge(s): x'*diff(y, s) = y'*diff(x, s)\n"
SLEIGH = """param m = 2, J = 1.5
coord th
lagrangian m/2*(x'(0)^2 + y'(0)^2) + J/2*th'^2
constraint blade: x'(0)*sin(th) = y'(0)*cos(th)
"""
BEAM = """param EI = 3, M = 2
field w(s) on s = 0 .. 2 nodes 17
lagrangian integral(s, w'^2/2 - EI/2*diff(diff(w, s), s)^2) + M/2*w'(2)^2
constraint root: w(0) = 0
constraint clamp: diff(w, s)(0) = 0
force w = -w'/5, w(2) = 7
start w = .01*s^2
time 0 .. .01
"""


class Value:
    """A sympy formula that may be taken at a place, as the model language does it."""
    def __init__(self, e):
        self.e = sp.sympify(e)

    def __call__(self, place):
        return Value(self.e.subs(s, bare(place)))

    def __neg__(self):
        return Value(-self.e)


def bare(v):
    return v.e if isinstance(v, Value) else sp.sympify(v)


for name, action in {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "truediv": lambda a, b: a / b, "pow": lambda a, b: a ** b}.items():
    setattr(Value, "__%s__" % name, lambda a, b, f=action: Value(f(a.e, bare(b))))
    setattr(Value, "__r%s__" % name, lambda a, b, f=action: Value(f(bare(b), a.e)))

FUNCTIONS = {"diff": lambda e, axis: Value(sp.diff(bare(e), bare(axis))), "integral": lambda axis, e: Value(sp.integrate(bare(e), (s, 0, 1)))}
for name in ("sin", "cos", "sqrt", "exp"):
    FUNCTIONS[name] = lambda e, f=getattr(sp, name): Value(f(bare(e)))


def value(text, names):
    """The formula with these names: {"x": sympy expression of s and t}; rates are made from them."""
    text = re.sub(r"lambda\.(\w+)", r"lambda_\1", text)
    text = re.sub(r"(\w)('+)", lambda m: m[1] + "_" + "t" * len(m[2]), text).replace("^", "**")
    text = re.sub(r"(?<![\w.])(\d+)(?![\w.])", r"Number(\1)", text)
    known = dict(FUNCTIONS, s=Value(s), t=Value(t), Number=lambda k: Value(sp.Integer(k)))
    for name, e in names.items():
        known.update({name: Value(e), name + "_t": Value(sp.diff(e, t)), name + "_tt": Value(sp.diff(e, t, 2))})
    return bare(eval(text, {"__builtins__": {}}, known))


def sections(text):
    """{title: [lines]}, lines that go on joined, comments of brackets without their sign."""
    found, title = {}, None
    for line in text.splitlines():
        if line.startswith("# "):
            title = line[2:].split(":")[0]
            found[title] = []
        elif line.startswith("  #     ") or re.match(r"      \S", line):
            found[title][-1] += " " + line.lstrip(" #")
        elif line.strip() and title:
            found[title].append(re.sub(r"^  (# )?", "", line))
    return found


def sides(lines, left):
    """The right side of the equation with this left side."""
    for line in lines:
        line = re.sub(r"^[\w()]+: ", "", line)
        if line.startswith(left + " = "):
            return line[len(left) + 3:]
    raise KeyError(left)


class Subject:
    def __init__(self, program, folder, tally):
        self.program, self.folder, self.tally = program, folder, tally

    def path(self, text):
        path = os.path.join(self.folder, "model.act")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def derive(self, text, *words):
        status, out, err = call(self.program, "derive", self.path(text), *words)
        self.tally.check(status == 0, "derive: %s" % err.strip())
        return sections(out)

    def same(self, what, got, wanted, points=((.3, .7), (.8, -.4))):
        """Two formulas, equal at points."""
        for at, then in points:
            a, b = (complex(bare(e).subs({s: at, t: then}).evalf()) for e in (got, wanted))
            self.tally.check(abs(a - b) <= 1e-9 * max(1, abs(a), abs(b)), "%s: %s and not %s" % (what, a, b))

    def equation(self, what, lines, left, names, wanted):
        try:
            self.same(what, value(sides(lines, left), names), wanted)
        except KeyError:
            self.tally.check(False, "%s: no equation for %s in %s" % (what, left, lines))


X = s ** 2 * t - s + t ** 3 / 3 + s ** 3 / 5
Y = s * t ** 2 + sp.sin(2 * s) / 3 + t
LAMBDA = sp.cos(s + t) + s ** 2
MU = s * t + sp.exp(s / 3)
U, W = s * t ** 2 + s ** 2 / 2 + 1, sp.sin(s - t) + s * t
ETA = sp.exp(s) / 2, s ** 2 - t * s
STRING_NAMES = {"x": X, "y": Y, "lambda_link": LAMBDA, "lambda_edge": MU}
KAPPA = sp.diff(X, s) * sp.diff(Y, s, 2) - sp.diff(Y, s) * sp.diff(X, s, 2)


def complex_parts(f, *arguments):
    """Real and imaginary part of a polynomial expression in complex arguments and I."""
    e = sp.expand(f(*arguments))
    conjugate = e.subs(sp.I, -sp.I)
    return (e + conjugate) / 2, (e - conjugate) / (2 * sp.I)


def test_string(subject):
    """z_tt = (T z_s)_s with T = -2*lambda, T = 0 at free ends                          [SBZB 2.14, HAMEL B.1]"""
    found = subject.derive(STRING)
    lines, T = found["Equations of motion"], -2 * LAMBDA
    subject.equation("string x", lines, "x''", STRING_NAMES, sp.diff(T * sp.diff(X, s), s))
    subject.equation("string y", lines, "y''", STRING_NAMES, sp.diff(T * sp.diff(Y, s), s))
    subject.tally.check("diff(" in sides(lines, "x''") and sides(lines, "x''").startswith("-2*diff("), "the derivative of tension times slope stays: %s" % lines)
    subject.tally.check(found["At the ends"] == ["lambda.link(0) = 0", "lambda.link(1) = 0"], "free ends: %s" % found["At the ends"])
    test_tension(subject, found)
    subject.equation("energy", found["Energy"], "energy", {"x": s * t, "y": s ** 2 * t ** 2}, sp.integrate((s ** 2 + (2 * s ** 2 * t) ** 2) / 2, (s, 0, 1)))


def unit_string():
    """A string of unit slope that bends and turns: theta = a*s + b with a, b of time."""
    a, b = 1 + t / 2 + t ** 2, t ** 2 - t / 3
    theta = a * s + b
    x = (sp.sin(theta) - sp.sin(b)) / a + t ** 2
    y = (sp.cos(b) - sp.cos(theta)) / a - t
    return x, y, theta


def test_tension(subject, found):
    """lambda_ss - kappa^2*lambda from |z_s| = 1 twice differentiated                    [HAMEL B.1]"""
    x, y, theta = unit_string()
    lines = found["Multipliers along the axis"]
    left, right = lines[0].split(" = ")
    names = {"lambda_link": LAMBDA, "kappa": sp.diff(theta, s), "omega": sp.diff(theta, t)}
    scale = -2
    got = scale * (value(left, names) - value(right, names))
    T = -2 * LAMBDA
    subject.same("tension equation", got, sp.diff(T, s, 2) - sp.diff(theta, s) ** 2 * T + sp.diff(theta, t) ** 2)
    subject.equation("kappa", lines, "kappa", {"x": x, "y": y}, sp.diff(theta, s))
    subject.equation("omega", lines, "omega", {"x": x, "y": y}, sp.diff(theta, t))
    subject.equation("tension", lines, "tension", {"lambda_link": LAMBDA}, -2 * LAMBDA)


def test_bracket(subject, found):
    """[xi, eta] = xi_s*eta - xi*eta_s                                                  [SBZB 2.16]"""
    names = {"u": U, "w": W, "eta_u": ETA[0], "eta_w": ETA[1], "x": X, "y": Y}
    wanted = complex_parts(lambda xi, eta: sp.diff(xi, s) * eta - xi * sp.diff(eta, s), U + sp.I * W, ETA[0] + sp.I * ETA[1])
    lines = [line.replace("[xi, eta]", "bracket") for line in found["Bracket"]]
    subject.equation("bracket, tangential", lines, "bracket_u", names, wanted[0])
    subject.equation("bracket, normal", lines, "bracket_w", names, wanted[1])
    epsilon = sp.symbols("epsilon")                       # and by its definition, on a curve that is not of unit slope
    z, xi, eta = X + sp.I * Y, U + sp.I * W, ETA[0] + sp.I * ETA[1]
    zs = sp.diff(z, s)
    flow = sp.diff(sp.diff(z + epsilon * zs * xi, s) * eta - sp.diff(z + epsilon * zs * eta, s) * xi, epsilon)
    got = value(sides(lines, "bracket_u"), names) + sp.I * value(sides(lines, "bracket_w"), names)
    subject.same("bracket by its definition", got * zs, flow)


def test_hamel(subject):
    """xi_t = xi*conj(xi)_s + T_s + i*kappa*(T - |xi|^2), with inextensibility Re xi_s = kappa*Im xi    [SBZB 2.18]"""
    found = subject.derive(STRING + FRAME, "--by", "hamel")
    names = dict(STRING_NAMES, u=U, w=W, kappa=KAPPA)
    T, xi = -2 * LAMBDA, U + sp.I * W
    conjugate = U - sp.I * W
    wanted = complex_parts(lambda: xi * sp.diff(conjugate, s) + sp.diff(T, s) + sp.I * KAPPA * (T - xi * conjugate))
    lines = found["Hamel's equations"]
    subject.equation("Hamel, tangential", lines, "u'", names, wanted[0])
    subject.equation("Hamel, normal", lines, "w'", names, wanted[1])
    subject.equation("inextensible", found["Quasi-velocities on the pointwise constraints"], "diff(u, s)", names, KAPPA * W)
    subject.tally.check(found["At the ends"] == ["lambda.link(0) = 0", "lambda.link(1) = 0"], "free ends by Hamel")
    for name, wish in (("x'", U * sp.diff(X, s) - W * sp.diff(Y, s)), ("y'", U * sp.diff(Y, s) + W * sp.diff(X, s))):
        subject.equation("Psi", found["Velocities by quasi-velocities"], name, names, wish)
    test_bracket(subject, found)
    test_same_motion(subject, lines)


def test_same_motion(subject, lines):
    """On a moving curve of unit slope the printed equations are d'Alembert's, along tangent and normal, whatever the tension."""
    x, y, theta = unit_string()
    xs, ys = sp.diff(x, s), sp.diff(y, s)
    u, w, T = sp.diff(x, t) * xs + sp.diff(y, t) * ys, -sp.diff(x, t) * ys + sp.diff(y, t) * xs, -2 * LAMBDA
    names = {"x": x, "y": y, "u": u, "w": w, "kappa": sp.diff(theta, s), "lambda_link": LAMBDA}
    ax, ay = sp.diff(x, t, 2) - sp.diff(T * xs, s), sp.diff(y, t, 2) - sp.diff(T * ys, s)
    subject.same("along the tangent", sp.diff(u, t) - value(sides(lines, "u'"), names), ax * xs + ay * ys)
    subject.same("along the normal", sp.diff(w, t) - value(sides(lines, "w'"), names), -ax * ys + ay * xs)


def test_edges(subject):
    """xi_t = xi*xi_s + T_s, then xi_s = 0, xi_t = T_s, T_ss = 0, xi_t = 0               [SBZB 3.6, 3.8]"""
    for text, names in ((STRING + EDGE, "u"), (STRING + EDGE + FRAME, "u")):
        found = subject.derive(text, "--by", "hamel")
        known = dict(STRING_NAMES, u=U, kappa=KAPPA)
        subject.equation("ice", found["Hamel's equations"], names + "'", known, U * sp.diff(U, s) - 2 * sp.diff(LAMBDA, s))
        left = found["Quasi-velocities on the pointwise constraints"]
        subject.tally.check(left == ["diff(u, s) = 0", "u' = -2*diff(lambda.link, s)", "diff(diff(lambda.link, s), s) = 0"], "what is left: %s" % left)
        subject.tally.check(found["Over the whole axis"] == ["u' = 0"], "constant speed: %s" % found.get("Over the whole axis"))
    found = subject.derive(STRING + EDGE)
    xs, ys = sp.diff(X, s), sp.diff(Y, s)
    subject.equation("knife edges", found["Equations of motion"], "x''", STRING_NAMES, MU * ys - 2 * sp.diff(LAMBDA * xs, s))
    subject.equation("knife edges", found["Equations of motion"], "y''", STRING_NAMES, -MU * xs - 2 * sp.diff(LAMBDA * ys, s))


def test_sleigh(subject):
    """omega' = 0, m*zeta' = T(0), xi_t = T_s, and together ((m + 1)*zeta)' = 0          [SBZB 3.9-3.13]"""
    text = STRING.replace("y' = 2*(s - .5)", "x' = 1") + EDGE + SLEIGH
    found = subject.derive(text, "--by", "hamel")
    subject.tally.check(found["Equations of motion of coordinates"] == ["J*th'' = 0"], "(3.9): %s" % found["Equations of motion of coordinates"])
    subject.tally.check("m*u'(0) = -2*lambda.link(0)" in found["Masses at the ends, along the quasi-velocities"], "(3.10)")
    subject.tally.check(found["Over the whole axis"] == ["(m + 1)*u' = 0"], "(3.13): %s" % found["Over the whole axis"])
    subject.tally.check("lambda.link(1) = 0" in found["At the ends"], "the free end")
    found = subject.derive(text)
    names = dict(STRING_NAMES, th=t ** 2, lambda_blade=sp.exp(t), m=sp.Integer(2))
    T0 = (-2 * LAMBDA * sp.diff(X, s)).subs(s, 0)
    subject.equation("the blade", found["At the ends"], "m*x''(0)", names, T0 + sp.exp(t) * sp.sin(t ** 2))


def test_beam(subject):
    """w_tt = -EI*w_ssss + f; at a free end with a mass M*w_tt = EI*w_sss + F, EI*w_ss = 0; at the clamped end its reactions"""
    found = subject.derive(BEAM)
    w = sp.sin(s * t) + s ** 5 * t ** 2
    names = {"w": w, "EI": sp.Integer(3), "M": sp.Integer(2)}
    ends = found["At the ends"]
    subject.equation("beam", found["Equations of motion"], "w''", names, -3 * sp.diff(w, s, 4) - sp.diff(w, t) / 5)
    subject.equation("mass at the end", ends, "M*w''(2)", names, (3 * sp.diff(w, s, 3)).subs(s, 2) + 7)
    subject.equation("shear at the root", ends, "lambda.root", names, (3 * sp.diff(w, s, 3)).subs(s, 0))
    subject.equation("moment at the root", ends, "lambda.clamp", names, (-3 * sp.diff(w, s, 2)).subs(s, 0))
    subject.tally.check("EI*diff(diff(w, s), s)(2) = 0" in ends and len(ends) == 4, "no moment at the free end: %s" % ends)


def test_others(subject):
    """Elastic string, sine-Gordon, a density that changes along the axis, a rotating shaft with inertia of its sections, an area that is kept."""
    names = {"x": X, "y": Y, "k": sp.Integer(5), "u": U}
    xs, ys = sp.diff(X, s), sp.diff(Y, s)
    length = sp.sqrt(xs ** 2 + ys ** 2)
    elastic = "param k = 5\nfield x(s), y(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, (x'^2 + y'^2)/2 - k/2*(sqrt(diff(x, s)^2 + diff(y, s)^2) - 1)^2)\nstart x = s\ntime 0 .. 1\n"
    subject.equation("elastic", subject.derive(elastic)["Equations of motion"], "x''", names, sp.diff(5 * (length - 1) * xs / length, s))
    gordon = "field u(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, u'^2/2 - diff(u, s)^2/2 + cos(u) - 1)\ntime 0 .. 1\n"
    found = subject.derive(gordon)
    subject.equation("sine-Gordon", found["Equations of motion"], "u''", names, sp.diff(U, s, 2) - sp.sin(U))
    subject.tally.check(found["At the ends"] == ["diff(u, s)(0) = 0", "diff(u, s)(1) = 0"], "sine-Gordon's ends: %s" % found["At the ends"])
    varying = "field u(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, u'^2/2 - (1 + s^2)*diff(u, s)^2/2)\ntime 0 .. 1\n"
    subject.equation("stiffness of s", subject.derive(varying)["Equations of motion"], "u''", names, sp.diff((1 + s ** 2) * sp.diff(U, s), s))
    area = "field u(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, u'^2/2 - diff(u, s)^2/2)\nconstraint area: integral(s, u^2) = 1\nstart u = 1\ntime 0 .. 1\n"
    subject.equation("kept area", subject.derive(area)["Equations of motion"], "u''", dict(names, lambda_area=t), sp.diff(U, s, 2) + 2 * t * U)
    inertia = "param I = 3\nfield u(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, u'^2/2 + I/2*diff(u', s)^2 - diff(diff(u, s), s)^2/2)\ntime 0 .. 1\n"
    found = subject.derive(inertia)["Equations of motion"][0].split(" = ")
    known = dict(names, I=sp.Integer(3))
    subject.same("rotary inertia", value(found[0], known) - value(found[1], known), sp.diff(U, t, 2) - 3 * sp.diff(U, t, 2, s, 2) + sp.diff(U, s, 4))
    charge = subject.derive(STRING + "symmetry spin: x = -y, y = x\n")["Symmetries"]
    flat = {"x": s * t, "y": s ** 2 * t ** 2}
    subject.equation("charge", charge, "charge.spin", flat, sp.integrate(-flat["y"] * s + flat["x"] * 2 * s ** 2 * t, (s, 0, 1)))


ELASTIC = "field x(s), y(s) on s = 0 .. 1 nodes 9\nlagrangian integral(s, (x'^2 + 2*y'^2)/2 - diff(y, s)^4/4 - x*y^2 + diff(x, s)*y')\nforce x = -y'\nstart x = s\ntime 0 .. 1\n"
FRAMES = [("x'*diff(x, s) + y'*diff(y, s)", "y'*diff(x, s) - x'*diff(y, s)"), ("x' + y'*y*diff(x, s)", "(2 + s)*y'"), ("x'*(1 + t^2*s) + t*s*y", "2*y' + x'*y + x*diff(x, s)")]


def test_frames(subject):
    """Hamel's equation of a quasi-velocity is d'Alembert's equations along it, whatever the frame: affine, with time, with derivatives along the axis  [HAMEL A.1]"""
    xs, ys, xt, yt = sp.diff(X, s), sp.diff(Y, s), sp.diff(X, t), sp.diff(Y, t)
    vx, vy, qs, rs, f, g = sp.symbols("vx vy qs rs f g")
    density = (vx ** 2 + 2 * vy ** 2) / 2 - rs ** 4 / 4 - f * g ** 2 + qs * vy
    at = {vx: xt, vy: yt, qs: xs, rs: ys, f: X, g: Y}
    def by(symbol):
        return sp.diff(density, symbol).subs(at, simultaneous=True)
    balance = sp.Matrix([sp.diff(by(vx), t) - by(f) + sp.diff(by(qs), s) + yt, sp.diff(by(vy), t) - by(g) + sp.diff(by(rs), s)])
    for u, w in FRAMES:
        found = subject.derive(ELASTIC + "frame u(s) = %s, w(s) = %s\n" % (u, w), "--by", "hamel")
        rates = {"x_t": vx, "y_t": vy}
        rows_of = [value(e.replace("x'", "x_t").replace("y'", "y_t"), {"x": X, "y": Y, **rates}) for e in (u, w)]
        M = sp.Matrix(2, 2, lambda i, k: sp.diff(rows_of[i], (vx, vy)[k]))
        names = {"x": X, "y": Y, "u": rows_of[0].subs({vx: xt, vy: yt}), "w": rows_of[1].subs({vx: xt, vy: yt})}
        along = M.inv().T * balance
        for k, line in enumerate(found["Hamel's equations"]):
            if " = " not in line:
                subject.tally.check(False, line)
                continue
            left, right = line.split(" = ")
            got, here = value(left, names) - value(right, names), {s: sp.Rational(1, 7), t: sp.Rational(2, 5)}
            factor = sp.nsimplify((got / along[k]).subs(here).evalf(), rational=True, tolerance=1e-9)      # equations are free of common numbers
            subject.tally.check(abs(factor) in (1, 2, 4), "frame %s, %s: equation %d is %s times that of d'Alembert" % (u, w, k + 1, factor))
            subject.same("frame %s, %s: equation %d" % (u, w, k + 1), got, factor * along[k])
            subject.equation("velocity", found["Velocities by quasi-velocities"], "xy"[k] + "'", names, (xt, yt)[k])


HELD_TOTALS = """field x(s), y(s) on s = 0 .. 1 nodes 6
coord c
lagrangian integral(s, (x'^2 + y'^2)/2 - diff(x, s)^2/2 - diff(y, s)^2/2) + c'^2/2
constraint vol: integral(s, x*y) + c = 1
constraint mom: integral(s, s*x') = c'*2
"""


def test_names(subject):
    """Without a frame the quasi-velocities are velocities; there are enough names here for their list to move."""
    found = subject.derive(HELD_TOTALS, "--by", "hamel")
    subject.tally.check(found.get("Hamel's equations") == ["v_x' = diff(diff(x, s), s) + y*lambda.vol + s*lambda.mom", "v_y' = diff(diff(y, s), s) + x*lambda.vol"], "names: %s" % found.get("Hamel's equations"))


def test_reads_back(subject):
    """The equations of motion are formulas of the language: as observed columns they vanish along the discrete motion, but for the ends."""
    found = subject.derive(STRING)
    observed = []
    for line in found["Equations of motion"] + [line.split(": ")[-1] for line in found["Constraints and their consequences"]]:
        left, right = line.split(" = ")
        observed.append("observe e%d(s) = %s - (%s)\n" % (len(observed), left, right))
    path = subject.path(STRING + "".join(observed))
    status, out, err = call(subject.program, "run", path, "--points", "2", "-o", "-")
    if not subject.tally.check(status == 0, "printed equations are read: %s" % err.strip()):
        return
    for row in rows(out):
        worst = max(abs(value) for name, value in row.items() if re.match(r"e\d+\[(?!0\]|1\]|15\]|16\])\d+\]$", name))
        subject.tally.check(worst < 1e-6, "printed equations hold along the motion: %g" % worst)


def test_latex(subject):
    for text, words in ((STRING, ()), (BEAM, ()), (STRING + FRAME, ("--by", "hamel")), (STRING + EDGE + SLEIGH, ("--by", "hamel"))):
        status, out, err = call(subject.program, "derive", subject.path(text), "--format", "latex", *words)
        subject.tally.check(status == 0, err)
        depth = lowest = 0
        for sign in re.sub(r"\\[{}]", "", out):
            depth += {"{": 1, "}": -1}.get(sign, 0)
            lowest = min(lowest, depth)
        subject.tally.check(depth == 0 and lowest == 0, "LaTeX's braces")
        for pair in (("\\left", "\\right"), ("\\begin{align*}", "\\end{align*}")):
            counts = [len(re.findall(re.escape(word) + r"(?![a-z])", out)) for word in pair]
            subject.tally.check(counts[0] == counts[1], "%s and %s: %s" % (*pair, counts))
        subject.tally.check("fma" not in out and "diff(" not in re.sub(r"\\text\{.*?\}", "", out), "derivatives along the axis have a sign of their own")
    status, out, _ = call(subject.program, "derive", subject.path(STRING), "--format", "latex")
    subject.tally.check("\\ddot{x} &= -2 \\, \\partial_{s} \\left(x_{s} \\, \\lambda_{\\mathrm{link}}\\right)" in out, "the string in LaTeX")


def test_refusals(subject):
    path = subject.path(STRING)
    for by in ("gauss", "maggi", "skg", "discrete", "dual", "vakonomic", "reduced"):
        status, out, err = call(subject.program, "derive", path, "--by", by)
        subject.tally.check(status == 2 and not out and "fields" in err and "dalembert" in err, "%s: %s %s" % (by, status, err))
    status, out, err = call(subject.program, "derive", path, "--format", "c")
    subject.tally.check(status == 2 and not out and "fields" in err, "C: %s" % err)
    servo = STRING + "constraint pull(s): x' = 0 along y = 1\n"
    status, out, err = call(subject.program, "derive", subject.path(servo), "--by", "hamel")
    subject.tally.check(status == 1 and "pull" in err, "not ideal: %s %s" % (status, err))


def main():
    program, _ = arguments()
    tally = Tally("derive_fields")
    with tempfile.TemporaryDirectory() as folder:
        run_parts((test_string, test_hamel, test_edges, test_sleigh, test_beam, test_others, test_frames, test_names,
                   test_reads_back, test_latex, test_refusals), Subject(program, folder, tally))
    tally.done()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Random fields: a model text and the same discrete system for the oracle, from one table of terms."""
import random

from field_lines import System

# text of a term, where it lives by the language's rules, the term there; @ is a coefficient
TERMS = [
    ("-@*x^4", "node", "-@*x**4"),
    ("-@*diff(x, s)^2", "cell", "-@*x_s**2"),
    ("-@*diff(y, s)^2*(1 + x^2)", "cell", "-@*y_s**2*(1 + x**2)"),
    ("@*x*y*cos(s)", "node", "@*x*y*cos(s)"),
    ("-@*(sqrt(1 + diff(x, s)^2 + diff(y, s)^2) - 1)", "cell", "-@*(sqrt(1 + x_s**2 + y_s**2) - 1)"),
    ("-@*s*diff(y, s)^2/(2 + x)", "cell", "-@*s*y_s**2/(2 + x)"),
    ("@*x'*y", "node", "@*x_t*y"),
    ("@*y'*diff(x, s)", "cell", "@*y_t*x_s"),
    ("@*x*y'*diff(y, s)", "cell", "@*x*y_t*y_s"),
    ("@*x'*y'/4", "node", "@*x_t*y_t/4"),
    ("@*diff(x*y, s)*sin(x)", "cell", "@*(x1*y1 - x0*y0)/h*sin(x)"),
    ("-@*diff(s*y + x^2, s)^2", "cell", "-@*((s1*y1 + x1**2 - s0*y0 - x0**2)/h)**2"),
    ("@*diff(x', s)^2/20", "cell", "@*x_st**2/20"),
    ("@*Z*x", "node", "@*Z*x"),
    ("@*Z'*y'/4", "node", "@*Z_t*y_t/4"),
    ("@*Z*diff(y, s)", "cell", "@*Z*y_s"),
    ("-@*exp(x*y)", "node", "-@*exp(x*y)"),
    ("@*sin(3*t)*s*y", "node", "@*sin(3*t)*s*y"),
    ("@*cos(t)*diff(y, s)", "cell", "@*cos(t)*y_s"),
    ("-@*diff(cos(x), s)^2", "cell", "-@*((cos(x1) - cos(x0))/h)**2"),
    ("@*x(B)*y", "node", "@*x_B*y"),
    ("@*y'(LOW)*x", "node", "@*y_At*x"),
]
POINTS = [("-@*(x(B) - Z)^2", "-@*(x_B - Z)**2"), ("@*x'(B)^2/2", "@*x_Bt**2/2"), ("@*y(LOW)*Z'", "@*y_A*Z_t"), ("-@*y(B)^2*x(LOW)", "-@*y_B**2*x_A")]
LOSSES = [("@*x'^2/2", "node", "@*x_t**2/2"), ("@*diff(y', s)^2/9", "cell", "@*y_st**2/9"), ("@*(x' - Z')^2/2", "node", "@*(x_t - Z_t)**2/2"), ("@*x^2*y'^2", "node", "@*x**2*y_t**2")]
FORCES = [("y", "@*cos(2*t)*x - .1*y'", "y", "node", "@*cos(2*t)*x - .1*y_t"), ("x(B)", "@*sin(t) - y'(B)*@", "x_B", "place", "@*sin(t) - y_Bt*@"), ("Z", "-@*Z'*x(LOW)", "Z", "place", "-@*Z_t*x_A"),
          ("x", "@*s*Z", "x", "node", "@*s*Z")]
# text, label, kind, row; start of y and y' that fulfils it where x = .3 + .2*s and x' = .1 + .2*s*(1 - s)
ROWS = [
    (None, None, None, None, ".2*cos(s)", ".1*s"),
    ("constraint c: x(LOW) = .3 + .2*LOW", "c", "place", "x_A - (.3 + .2*LOW)", ".2*cos(s)", ".1*s"),
    ("constraint c(s): y = x^2/2 - s", "c", "node", "y - x**2/2 + s", "(.3 + .2*s)^2/2 - s", "(.3 + .2*s)*(XT)"),
    ("constraint c(s): y' = x*x' + s*Z' - cos(t)*x", "c", "node", "y_t - x*x_t - s*Z_t + cos(t)*x", ".1*s", "(.3 + .2*s)*(XT) + .2*s - (.3 + .2*s)"),
    ("constraint c: Z = y(B)", "c", "place", "Z - y_B", ".4 + 0*s", ".2 + 0*s"),
    ("constraint c: Z' = integral(s, x*y')", "total", "node", "x*y_t", None, None),
]


def system(seed):
    """(text, system, state, times)."""
    r = random.Random(seed)
    N, low = r.choice((2, 3, 4, 5, 8, 9)), r.choice((0, -1, .5))
    high = low + r.choice((1, .7, 2))
    S = System(low, high, N).field("x", "y").point("Z")
    place = lambda text: text.replace("LOW", repr(low)).replace("(B)", "(%r)" % high)
    number = lambda text, a: text.replace("@", repr(a))
    lines = ["coord Z", "field x(s), y(s) on s = %r .. %r nodes %d" % (low, high, N)]
    density = ["(x'^2 + y'^2)/2"]
    S.lagrange("node", "(x_t**2 + y_t**2)/2")
    S.lagrange("place", "Z_t**2 - Z**2/3")
    for text, kind, form in r.sample(TERMS, r.randint(2, 6)):
        a = r.choice((.1, .2, .3, .5))
        density.append(place(number(text, a)))
        S.lagrange(kind, number(form, a))
    lines.append("lagrangian integral(s, %s) + Z'^2 - Z^2/3" % " + ".join(density).replace("+ -", "- "))
    for text, form in r.sample(POINTS, r.randint(0, 2)):
        a = r.choice((.1, .2, .4))
        lines.append("lagrangian " + place(number(text, a)))
        S.lagrange("place", number(form, a))
    for text, kind, form in r.sample(LOSSES, r.randint(0, 1)):
        lines.append("dissipation integral(s, %s)" % number(text, .3))
        S.dissipate(kind, number(form, .3))
    for name, text, target, kind, form in r.sample(FORCES, r.randint(0, 2)):
        lines.append("force %s = %s" % (place(name), place(number(text, .3))))
        S.force(target, kind, number(form, .3))
    text, label, kind, form, y, y_t = r.choice(ROWS)
    x_t = ".1 + .2*s*(1 - s)" if "x(LOW)" not in (text or "") else ".2*(s - (%r))" % low
    rate = .2
    python = lambda text: eval("lambda s: " + text.replace("^", "**"), {"cos": __import__("numpy").cos})
    if label == "total":
        lines.append(text)
        S.constrain_sum("c", ("node", "-x*y_t"), ("place", "Z_t"))
        y, y_t = ".2*cos(s)", ".1*s"
        line = S.axes[0]
        rate = float(line.weights @ ((.3 + .2 * line.s) * .1 * line.s))
    elif text:
        lines.append(place(text))
        S.constrain(label, kind, form.replace("LOW", repr(low)))
    y_t = y_t.replace("XT", x_t)
    lines += ["start x = .3 + .2*s, x' = %s, y = %s, y' = %s, Z = .4, Z' = %r" % (x_t, y, y_t, rate), "time 0 .. .4"]
    state = S.start(x=python(".3 + .2*s"), x_t=python(x_t), y=python(y), y_t=python(y_t), Z=.4, Z_t=rate)
    return "\n".join(lines), S, state, [0, .2, .4]

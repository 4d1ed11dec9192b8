#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fields of three nodes beside their twins: the same sums over nodes and cells written out by hand, with coordinates in the place of nodes.

usage: field_twins.py [--program FILE]"""
import os
import tempfile

from program import Tally, arguments, call, rows, run_parts

CLOSE = 3e-9            # each is good to 1e-9
NODES = "abc"           # x[0], x[1], x[2] of an axis 0 .. 1: h = 1/2
FIELD = "field x(s) on s = 0 .. 1 nodes 3\ncoord Z\nlagrangian integral(s, x'^2/2 - diff(x, s)^2/2) + Z'^2/2\n"
TWIN = "coord a, b, c, Z\nlagrangian (a'^2 + 2*b'^2 + c'^2)/8 - (b - a)^2 - (c - b)^2 + Z'^2/2\n"
X, XX, SX = "(a + 2*b + c)/4", "(a^2 + 2*b^2 + c^2)/4", "(b + c)/4"       # integrals of x, x^2, s*x
START, AT = "start x = .3 + .2*s, x' = .5 - s, Z = .2, ", "start a = .3, b = .4, c = .5, a' = .5, c' = -.5, Z = .2, "
END = "time 0 .. .8\n"
BEAM = "field x(s) on s = 0 .. 1 nodes 3\ncoord Z\nlagrangian integral(s, x'^2/2 - diff(diff(x, s), s)^2/20) + Z'^2/2 - (Z - diff(x, s)(1))^2\n"
# p, r: beyond the ends, without mass
BENT = """coord p, a, b, c, r, Z
lagrangian (a'^2 + 2*b'^2 + c'^2)/8 - ((p - 2*a + b)^2 + 2*(a - 2*b + c)^2 + (b - 2*c + r)^2)*16/80 + Z'^2/2 - (Z - (r - b))^2
"""

# what it is, the field, its twin
PAIRS = [
    ("a reaction on a field alone through an integral", FIELD + "constraint k: integral(s, x*x') + Z' = 0 acting x\n" + START + "Z' = .0125\n" + END,
     TWIN + "constraint k: (a*a' + 2*b*b' + c*c')/4 + Z' = 0 acting a, b, c\n" + AT + "Z' = .0125\n" + END),
    ("a reaction on all but the field", FIELD + "constraint k: integral(s, x) + Z = .6 acting Z\n" + START + "Z' = 0\n" + END, TWIN + "constraint k: " + X + " + Z = .6 acting Z\n" + AT + "Z' = 0\n" + END),
    ("accelerations in an integral", FIELD + "constraint k: integral(s, x'' + s*x) = Z'\n" + START + "Z' = .4\n" + END, TWIN + "constraint k: (a'' + 2*b'' + c'')/4 + " + SX + " = Z'\n" + AT + "Z' = .4\n" + END),
    ("symmetries of a function of integrals", FIELD + "lagrangian -integral(s, x^2)^2 - exp(integral(s, t*x*s)*Z)\nsymmetry m: x = 1 + s, Z = integral(s, x)\nsymmetry e: time\n" + START + "Z' = .1\n" + END,
     TWIN + "lagrangian -(" + XX + ")^2 - exp(t*" + SX + "*Z)\nsymmetry m: a = 1, b = 1.5, c = 2, Z = " + X + "\nsymmetry e: time\n" + AT + "Z' = .1\n" + END),
    ("a slope at a bent end, tied to a coordinate", BEAM + START + "Z' = .1\n" + END, BENT + "start p = .2, r = .6, p' = 1, r' = -1/12\n" + AT + "Z' = .1\n" + END),
    ("a constraint said twice", FIELD + "constraint k: x(0) = .3\nconstraint l: 2*x(0) = .6\nstart x = .3 + .2*s, x' = -s, Z = .2\n" + END,
     TWIN + "constraint k: a = .3\nconstraint l: 2*a = .6\nstart a = .3, b = .4, c = .5, b' = -.5, c' = -1, Z = .2\n" + END),
]
SERVO = FIELD + "constraint k: Z = x(1) along Z = 1\n" + START + "Z' = 0\n" + END


def table(program, folder, text, words):
    path = os.path.join(folder, "m.act")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    status, out, err = call(program, "run", path, "--points", "5", "-o", "-", *words)
    return status, rows(out) if out else [], err


def twin_of(name):
    for k, node in enumerate(NODES):
        name = name.replace("x[%d]" % k, node).replace("x_dot[%d]" % k, node + "_dot")
    return name


def same(tally, what, one, other):
    far, where = 0, "nothing"
    for a, b in zip(one, other):
        for name in a:
            if twin_of(name) not in b:
                continue
            distance = abs(a[name] - b[twin_of(name)]) / max(1, abs(a[name]))
            if not distance <= far:
                far, where = distance, name
    tally.check(len(one) == len(other) == 5 and far <= CLOSE, "%s: %d and %d rows, %s is %g away" % (what, len(one), len(other), where, far))


def pairs(tally, program, folder):
    for what, field, twin in PAIRS:
        status, one, err = table(program, folder, field, ())
        tally.check(status == 0, "%s: exit %s %s" % (what, status, err[:200]))
        status, other, err = table(program, folder, twin, ("--project",))
        tally.check(status == 0, "%s: of its twin, exit %s %s" % (what, status, err[:200]))
        same(tally, what, one, other)


def nearest(tally, program, folder):
    """Z = x(1) from Z = .2, x(1) = .5 with the masses 1 and 1/4: both at (.2 + .5/4)/(5/4)."""
    status, one, err = table(program, folder, SERVO, ("--project",))
    tally.check(status == 0 and one and abs(one[0]["Z"] - .26) < 1e-12 and abs(one[0]["x[2]"] - .26) < 1e-12,
                "the nearest start where a reaction is not ideal: exit %s, %s %s" % (status, one and (one[0]["Z"], one[0]["x[2]"]), err[:200]))


def integrals_within(tally, program, folder):
    """One integral within another is refused; as a product, and with a coordinate for the inner one, it is the same motion."""
    inside = FIELD + "lagrangian -integral(s, x^2*integral(s, x))\n" + START + END
    status, _, err = table(program, folder, inside.replace("Z = .2, ", "Z = .2\n"), ())
    tally.check(status == 1 and "m.act:4:" in err and "nested in another integral" in err, "an integral within another: exit %s %s" % (status, err[:200]))
    product = FIELD + "lagrangian -integral(s, x^2)*integral(s, x)\n" + START.rstrip(", ") + "\n" + END
    named = FIELD + "coord I\nconstraint i: I = integral(s, x)\nlagrangian -integral(s, x^2)*I\n" + START + "I = .4, I' = 0\n" + END
    same(tally, "an integral within another", table(program, folder, product, ())[1], table(program, folder, named, ())[1])
    same(tally, "a product of integrals", table(program, folder, product, ())[1], table(program, folder, TWIN + "lagrangian -(" + XX + ")*" + X + "\n" + AT.rstrip(", ") + "\n" + END, ())[1])


def main():
    program, _ = arguments()
    tally = Tally("field_twins")
    with tempfile.TemporaryDirectory() as folder:
        run_parts((pairs, nearest, integrals_within), tally, program, folder)
    tally.done()


if __name__ == "__main__":
    main()

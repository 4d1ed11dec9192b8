#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Free reactions of the dual action against Hamilton's equations of the paper's own potential, which weighs positions, velocities and reactions and nothing else
(Acharya and Sengupta, (32)). With a = G^-1 (h + R) and constraints n.a + w = 0 the Hamiltonian of x = (q, v) and D is

    HH(x, D) = stationary in R and m of  D.(v, a) - m (n.a + w) - H(x, R),     x' = dHH/dD,  D' = -dHH/dx,  x(0) given, D(T) = 0.

Its derivatives are complex steps, its boundary-value problem is shot at from the start: nothing of the program is used but the words of the models.

usage: dual_free.py [--program FILE]"""
import json
import os
import tempfile

import numpy

from program import Tally, arguments, call, rows, run_parts

STEPS = 60                                                 # of Runge and Kutta's order 4: off by less than 1e-8, as the Hamiltonian's own drift shows
BOUND = 1e-8


class Skate:
    """A skate in a side wind."""
    text = ("coord x, y, th\nlagrangian (x'^2 + y'^2 + th'^2)/2\nforce wind: y = .5\nconstraint blade: x'*sin(th) = y'*cos(th)\n"
            "start x' = 1, th' = .8\ntime 0 .. .6\n")
    names, start, T = ("x", "y", "th"), (0, 0, 0, 1, 0, .8), .6

    def inertia(self, q):
        return numpy.eye(3)

    def forces(self, q, v):
        return numpy.array([0, .5, 0])

    def constraint(self, q, v):
        s, c = numpy.sin(q[2]), numpy.cos(q[2])
        return numpy.array([s, -c, 0]), (c * v[0] + s * v[1]) * v[2]


class Coupled:
    """Inertia that is full and moves with the position: weights of accelerations would be another problem."""
    text = ("coord x, y\nlagrangian (2 + x^2)*x'^2/2 + x'*y'/2 + 3*y'^2/2 - x^2 - y^2/2\nconstraint c: y' = (1 + x)*x'\n"
            "start x = .3, x' = 1, y' = 1.3\ntime 0 .. .5\n")
    names, start, T = ("x", "y"), (.3, 0, 1, 1.3), .5

    def inertia(self, q):
        return numpy.array([[2 + q[0] ** 2, .5], [.5, 3]])

    def forces(self, q, v):
        return numpy.array([-q[0] * v[0] ** 2 - 2 * q[0], -q[1]])

    def constraint(self, q, v):
        return numpy.array([-(1 + q[0]), 1]), -v[0] ** 2


class Reference:
    def __init__(self, model, weights, base, powerless=False):
        self.m, self.n, self.powerless = model, len(model.names), powerless
        self.c, self.x0 = numpy.array(weights, float), numpy.array(model.start, float)
        self.base = numpy.array(base, float)

    def solve(self, x, D):
        """R and m: rows of dHH/dR = 0, then the constraint, then R.v = 0."""
        q, v, n = x[:self.n], x[self.n:], self.n
        inverse = numpy.linalg.inv(self.m.inertia(q))
        h = self.m.forces(q, v)
        row, w = self.m.constraint(q, v)
        g = [inverse.T @ row] + ([v] if self.powerless else [])
        right = [-(row @ inverse @ h) - w] + ([0] if self.powerless else [])
        k = n + len(g)
        A, b = numpy.zeros((k, k), x.dtype), numpy.zeros(k, numpy.result_type(x, D))
        A[:n, :n] = numpy.diag(self.c)
        for i, one in enumerate(g):
            A[:n, n + i] = A[n + i, :n] = one
            b[n + i] = right[i]
        b[:n] = self.c * self.base + inverse.T @ D[n:]
        z = numpy.linalg.solve(A, b)
        return z[:n], inverse @ (h + z[:n])

    def hamiltonian(self, x, D):
        R, a = self.solve(x, D)
        return D[:self.n] @ x[self.n:] + D[self.n:] @ a - ((x - self.x0) @ (x - self.x0) + (R - self.base) @ (self.c * (R - self.base))) / 2

    def rates(self, z):
        k, step, z = 2 * self.n, 1e-40, z.astype(complex)
        slope = numpy.empty(2 * k)
        for i in range(2 * k):
            z[i] += 1j * step
            slope[i] = self.hamiltonian(z[:k], z[k:]).imag / step
            z[i] -= 1j * step
        return numpy.concatenate((slope[k:], -slope[:k]))

    def shoot(self, D):
        z, h = numpy.concatenate((self.x0, D)), self.m.T / STEPS
        for _ in range(STEPS):
            a = self.rates(z)
            b = self.rates(z + h / 2 * a)
            c = self.rates(z + h / 2 * b)
            z = z + h / 6 * (a + 2 * b + 2 * c + self.rates(z + h * c))
        return z

    def motion(self):
        """D at the start and (x, D) at the end, by Newton's method with the slopes of its first shot."""
        k = 2 * self.n
        D, step = numpy.zeros(k), 1e-6
        end = self.shoot(D)
        slope = numpy.array([(self.shoot(D + step * unit) - end)[k:] / step for unit in numpy.eye(k)]).T
        for _ in range(60):
            move = numpy.linalg.solve(slope, end[k:])
            D, end = D - move, self.shoot(D - move)
            if abs(move).max() < 1e-13 * (1 + abs(D).max()):
                break
        return D, end


class Bench:
    def __init__(self, program, folder, tally):
        self.program, self.folder, self.tally = program, folder, tally

    def run(self, model, *words):
        path, table = os.path.join(self.folder, "model.act"), os.path.join(self.folder, "table.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(model.text)
        status, out, err = call(self.program, "run", path, "--by", "dual", "--closure", "free", "--grid", "20", "--points", "5", "--json", "-o", table, *words)
        if not self.tally.check(status == 0, "%s %s: exit %s %s" % (type(model).__name__, words, status, (out + err)[:300])):
            return None, None
        with open(table, encoding="utf-8") as file:
            return json.loads(out), rows(file.read())

    def near(self, got, want, what):
        self.tally.check(abs(got - want) < BOUND, "%s: %.15g, not %.15g" % (what, got, want))

    def agree(self, reference, words, known=None):
        model, n = reference.m, reference.n
        told, table = self.run(model, *words)
        if told is None:
            return
        D, end = reference.motion()
        what = "%s %s" % (type(model).__name__, " ".join(words))
        value = reference.hamiltonian(reference.x0, D)
        self.tally.check(abs(reference.hamiltonian(end[:2 * n], end[2 * n:]) - value) < BOUND, "%s: the reference keeps its own Hamiltonian" % what)
        self.near(told["dual"]["hamiltonian"], value, what + ": Hamiltonian")
        if known is not None:
            self.tally.check(abs(value - known) < 5e-8, "%s: Hamiltonian %.9g as published, not %.9g" % (what, value, known))
        self.tally.check(told["dual"]["hamiltonian_drift"] < 1e-12, "%s: its drift is %.1e" % (what, told["dual"]["hamiltonian_drift"]))
        R = reference.solve(reference.x0, D)[0]
        for i, name in enumerate(model.names):
            self.near(table[-1][name], end[i], "%s: %s at the end" % (what, name))
            self.near(table[-1][name + "_dot"], end[n + i], "%s: %s' at the end" % (what, name))
            self.near(table[0]["dual." + name], D[i], "%s: dual.%s" % (what, name))
            self.tally.check(abs(table[0]["reaction." + name] - R[i]) < 1e-6, "%s: reaction.%s at the start %.9g, not %.9g" % (what, name, table[0]["reaction." + name], R[i]))


def words_of(option, model, values):
    return (option, ",".join("reaction.%s=%r" % pair for pair in zip(model.names, values)))


def weights_and_bases(b):
    skate, coupled = Skate(), Coupled()
    b.agree(Reference(skate, (1, 1, 1), (0, .3, 0)), ("--base", "constant"))
    b.agree(Reference(skate, (2, 2, 2), (0, .3, 0)), ("--base", "constant") + words_of("--weights", skate, (2, 2, 2)), -.43548705)
    b.agree(Reference(skate, (3, 1, 1), (0, .3, 0)), ("--base", "constant", "--weights", "reaction.x=3"))
    b.agree(Reference(skate, (1, 1, 1), (.2, .3, 0)), ("--base", "reaction.x=.2"))
    b.agree(Reference(skate, (3, 1, .5), (0, 0, .1)), words_of("--base", skate, (0, 0, .1)) + words_of("--weights", skate, (3, 1, .5)))
    b.agree(Reference(skate, (1, 1, 1), (0, .3, 0), powerless=True), ("--base", "constant", "--power", "zero"))
    b.agree(Reference(coupled, (1, 1), (.2, -.1)), words_of("--base", coupled, (.2, -.1)))
    b.agree(Reference(coupled, (.5, 4), (0, 0)), words_of("--base", coupled, (0, 0)) + words_of("--weights", coupled, (.5, 4)))


def files(b):
    """Columns of a file of base states: reactions count, what is no base state is told of, what is no column is refused."""
    skate, path = Skate(), os.path.join(b.folder, "base.csv")
    constant = "".join("%g,0,0,0,1,0,.8,.2,.3,0\n" % (.1 * i) for i in range(7))
    head = "t,x,y,th,x_dot,y_dot,th_dot,reaction.x,reaction.y,reaction.th"
    def write(names, body):
        with open(path, "w", encoding="utf-8") as file:
            file.write(names + "\n" + body)
    write(head, constant)
    b.agree(Reference(skate, (1, 1, 1), (.2, .3, 0)), ("--base", path))
    write(head + ",energy", constant.replace("\n", ",1\n"))
    told, _ = b.run(skate, "--base", path)
    notes = [w for w in told["warnings"] if w["code"] == "BASE_UNUSED"]
    b.tally.check(len(notes) == 1 and notes[0]["message"].endswith(": energy"), "a column without a base state is told of: %s" % told["warnings"])
    write(head.replace("reaction.x", "raction.x"), constant)
    status, out, _ = call(b.program, "run", os.path.join(b.folder, "model.act"), "--by", "dual", "--closure", "free", "--grid", "20", "--json", "--base", path)
    errors = json.loads(out)["errors"]
    b.tally.check(status == 5 and errors[0]["code"] == "BASE_COLUMN" and "raction.x" in errors[0]["message"], "a slip in a column's name: %s" % errors)


def refused(b):
    """What would change nothing, or can't be."""
    light = "coord x, y\nlagrangian x'^2/2 - x^2/2\nconstraint c: y' = x'\nstart x = 1\ntime 0 .. .5\n"
    for text, words, code in ((Skate.text, ("--weights", "reaction.x=3"), "DUAL_IDLE"), (Skate.text, ("--base", "reaction.x=3"), "DUAL_IDLE"),
                              (Skate.text, ("--closure", "free", "--grid", "5", "--weights", "lambda.blade=3"), "DUAL_IDLE"),
                              (Skate.text, ("--final", "reaction.x=3"), "NOT_DUAL"), (Skate.text, ("--weights", "reaction.blade=3"), "BAD_OPTION"),
                              (Skate.text + "param k = 1\n", ("--weights", "reaction.k=3"), "REACTION_TARGET"), (Skate.text, ("--weights", "reaction.x=-1"), "DUAL_WEIGHT"),
                              (light, ("--closure", "free", "--grid", "5"), "FREE_NEEDS_INERTIA")):
        path = os.path.join(b.folder, "refused.act")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        status, out, err = call(b.program, "run", path, "--by", "dual", "--json", *words)
        errors = json.loads(out)["errors"]
        b.tally.check(status in (1, 2) and errors and errors[0]["code"] == code, "%s: exit %s, %s" % (words, status, errors))


def states(b):
    """A state that no constraint acts on moves by its own equation; `derive` gives it no reaction either."""
    class Flows:
        text = ("coord x\nstate p, e\nlagrangian (1 + e^2)*x'^2/2 - x^2/2\nflow p' = x - p\nflow e' = -e/2\nconstraint c: p + x = 1 acting p\n"
                "start x = 1, e = 1\ntime 0 .. .5\n")
    told, table = b.run(Flows(), "--base", "constant")
    b.near(table[-1]["e"], numpy.exp(-.25), "a state without a reaction")
    b.tally.check(told["dual"]["hamiltonian_drift"] < 1e-12, "Hamiltonian of a system with states: drift %.1e" % told["dual"]["hamiltonian_drift"])
    status, out, err = call(b.program, "derive", os.path.join(b.folder, "model.act"), "--by", "dual")
    free = out[out.index("# Free reactions, potential"):]
    b.tally.check(status == 0 and "reaction_p.base" in free and "reaction_e.base" not in free, "what derive weighs: %s" % free[:300])


def main():
    program, _ = arguments()
    tally = Tally("dual_free")
    with tempfile.TemporaryDirectory() as folder:
        run_parts((weights_and_bases, files, refused, states), Bench(program, folder, tally))
    tally.done()


if __name__ == "__main__":
    main()

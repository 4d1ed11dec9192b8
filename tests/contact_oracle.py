# SPDX-License-Identifier: Apache-2.0
"""Scenes of points and discs among walls, and two simulators for them that share nothing with the program: flights as polynomials of time with
impacts at their roots, for scenes that stay in the air; and Moreau's time stepping with sweeps over the contacts, of first order, for any."""
import math
import random

import numpy as np


class Contact:
    """Of body i with a wall (`line`: n.x + R <= d; `peg`: outside of a circle; `bowl`: inside of one) or with body j (`pair`)."""

    def __init__(self, kind, i, data, e, mu):
        self.kind, self.i, self.data, self.e, self.mu = kind, i, data, e, mu
        self.j = data[0] if kind == "pair" else None


class Scene:
    def __init__(self, gravity):
        self.gravity, self.m, self.R, self.spins, self.x, self.v, self.contacts = gravity, [], [], [], [], [], []

    def add(self, m, R, spins, x, v):
        """x = (x, y), v = (x', y', w'); a disc has the inertia m R^2/2, a body that does not spin none."""
        self.m.append(m), self.R.append(R), self.spins.append(spins), self.x.append(list(x)), self.v.append(list(v))

    # ---- the model text

    def gap_text(self, c):
        i, R = c.i, self.R[c.i]
        if c.kind == "line":
            nx, ny, d = c.data
            return "%r*x%d + %r*y%d <= %r" % (nx, i, ny, i, d - R), "%r*x%d' + %r*y%d'" % (-ny, i, nx, i), "+"
        px, py, r = (0.0, 0.0, c.data[0]) if c.kind == "bowl" else c.data if c.kind == "peg" else (0, 0, self.R[c.j])
        X, Y, U, V = ("(x%d - x%d)" % (i, c.j), "(y%d - y%d)" % (i, c.j), "(x%d' - x%d')" % (i, c.j), "(y%d' - y%d')" % (i, c.j)) \
            if c.kind == "pair" else ("(x%d - %r)" % (i, px), "(y%d - %r)" % (i, py), "x%d'" % i, "y%d'" % i)
        far = "sqrt(%s^2 + %s^2)" % (X, Y)
        slip = "(%s*%s - %s*%s)/%s" % (X, V, Y, U, far)
        return ("%s <= %r" % (far, r - R), slip, "+") if c.kind == "bowl" else ("%s >= %r" % (far, r + R), slip, "-")

    def text(self, end):
        names = ["%s%d" % (k, i) for i in range(len(self.m)) for k in ("xyw" if self.spins[i] else "xy")]
        energy = ["%r/2*(x%d'^2 + y%d'^2) - %r*y%d" % (m, i, i, m * self.gravity, i) for i, m in enumerate(self.m)]
        energy += ["%r/2*w%d'^2" % (m * R * R / 2, i) for i, (m, R) in enumerate(zip(self.m, self.R)) if self.spins[i]]
        lines = ["coord " + ", ".join(names), "lagrangian " + " + ".join(energy)]
        for k, c in enumerate(self.contacts):
            gap, slip, sign = self.gap_text(c)
            for body in (c.i, c.j):
                slip += " %s %r*w%d'" % (sign, self.R[body], body) if body is not None and self.spins[body] else ""
            lines.append("contact k%d: %s, restitution = %r" % (k, gap, c.e) + (", friction = %r, slip = %s" % (c.mu, slip) if c.mu else ""))
        start = ["%s%d = %r" % (k, i, self.x[i][n]) for i in range(len(self.m)) for n, k in enumerate("xy")]
        start += ["%s%d' = %r" % (k, i, self.v[i][n]) for i in range(len(self.m)) for n, k in enumerate("xyw" if self.spins[i] else "xy")]
        return "\n".join(lines + ["start " + ", ".join(start), "time 0 .. %r" % end, ""])

    # ---- geometry: gap, unit normal (the way that opens), sign of R*w in the slip along (-ny, nx)

    def geometry(self, c):
        x, R = self.x[c.i], self.R[c.i]
        if c.kind == "line":
            return c.data[2] - R - c.data[0] * x[0] - c.data[1] * x[1], (-c.data[0], -c.data[1])
        px, py, r = (0, 0, c.data[0]) if c.kind == "bowl" else c.data if c.kind == "peg" else (*self.x[c.j], self.R[c.j])
        dx, dy = x[0] - px, x[1] - py
        far = math.hypot(dx, dy)
        return (r - R - far, (-dx / far, -dy / far)) if c.kind == "bowl" else (far - r - R, (dx / far, dy / far))

    def speeds(self, c, n):
        """Rate of the gap, and slip along (-n_y, n_x)."""
        a, b = self.v[c.i], self.v[c.j] if c.j is not None else (0, 0, 0)
        u, w = a[0] - b[0], a[1] - b[1]
        turn = self.R[c.i] * a[2] * self.spins[c.i] + (self.R[c.j] * b[2] * self.spins[c.j] if c.j is not None else 0)
        return n[0] * u + n[1] * w, -n[1] * u + n[0] * w - turn

    def masses(self, c):
        bodies = [c.i] + ([c.j] if c.j is not None else [])
        return sum(1 / self.m[b] for b in bodies), sum(1 / self.m[b] + (2 / self.m[b] if self.spins[b] else 0) for b in bodies)

    def push(self, c, n, normal, tangent):
        for b, sign in ((c.i, 1), (c.j, -1)):
            if b is None:
                continue
            px, py = sign * (normal * n[0] - tangent * n[1]), sign * (normal * n[1] + tangent * n[0])
            self.v[b][0] += px / self.m[b]
            self.v[b][1] += py / self.m[b]
            if self.spins[b]:
                self.v[b][2] -= tangent * self.R[b] / (self.m[b] * self.R[b] ** 2 / 2)

    # ---- flights as polynomials

    def polynomial(self, c):
        """Of time, highest power first: positive in the free region, zero at the contact."""
        g, (x, y), (u, v, _) = self.gravity, self.x[c.i], self.v[c.i]
        if c.kind == "line":
            nx, ny, d = c.data
            return [ny * g / 2, -(nx * u + ny * v), d - self.R[c.i] - nx * x - ny * y]
        px, py, r = (0, 0, c.data[0]) if c.kind == "bowl" else c.data if c.kind == "peg" else (*self.x[c.j], self.R[c.j])
        x, y = x - px, y - py
        if c.kind == "pair":
            u, v, g = u - self.v[c.j][0], v - self.v[c.j][1], 0
        far = r - self.R[c.i] if c.kind == "bowl" else r + self.R[c.i]
        p = [g * g / 4, -g * v, u * u + v * v - g * y, 2 * (x * u + y * v), x * x + y * y - far * far]
        return [-a for a in p] if c.kind == "bowl" else p

    def next_hit(self, c, limit):
        p = np.trim_zeros(self.polynomial(c), "f")
        rate, best = np.polyder(p), limit
        for root in np.roots(p) if len(p) > 1 else []:
            t = root.real
            if abs(root.imag) > 1e-7 * (1 + abs(t)) or not -1e-9 < t < best:
                continue
            for _ in range(3):
                slope = np.polyval(rate, t)
                t -= np.polyval(p, t) / slope if slope else 0
            if -1e-12 < t < best and np.polyval(rate, t) < 0:
                best = t
        return best

    def drift(self, dt):
        for x, v in zip(self.x, self.v):
            x[0] += v[0] * dt
            x[1] += v[1] * dt - self.gravity * dt * dt / 2
            v[1] -= self.gravity * dt

    def fly(self, end):
        """The impacts up to `end`, (time, contact, normal impulse); for discs the two directions of an impact do not act on each other."""
        t, impacts = 0.0, []
        while True:
            hits = [self.next_hit(c, end - t) for c in self.contacts]
            k = min(range(len(hits)), key=hits.__getitem__)
            dt = hits[k]
            self.drift(dt)
            t += dt
            if t >= end:
                return impacts
            if len(impacts) > 5000:
                raise RuntimeError("too many impacts")
            c = self.contacts[k]
            _, n = self.geometry(c)
            rate, slip = self.speeds(c, n)
            a, d = self.masses(c)
            normal = -(1 + c.e) * rate / a
            tangent = max(-c.mu * normal, min(c.mu * normal, -slip / d))
            self.push(c, n, normal, tangent)
            impacts.append((t, k, normal))

    # ---- Moreau's time stepping

    def march(self, end, steps):
        """First order in the step: positions at mid step decide who touches, impulses by sweeps over the contacts."""
        h = end / steps
        for _ in range(steps):
            for x, v in zip(self.x, self.v):
                x[0], x[1] = x[0] + v[0] * h / 2, x[1] + v[1] * h / 2
            touching = [(c, n) for c in self.contacts for gap, n in [self.geometry(c)] if gap <= 0]
            before = [self.speeds(c, n)[0] for c, n in touching]
            for v in self.v:
                v[1] -= self.gravity * h
            total = [[0.0, 0.0] for _ in touching]
            for _ in range(40 if len(touching) > 1 else 1 if touching else 0):
                for k, (c, n) in enumerate(touching):
                    rate, slip = self.speeds(c, n)
                    a, d = self.masses(c)
                    normal = max(0, total[k][0] - (rate + c.e * min(0, before[k])) / a)
                    tangent = max(-c.mu * normal, min(c.mu * normal, total[k][1] - slip / d))
                    self.push(c, n, normal - total[k][0], tangent - total[k][1])
                    total[k] = [normal, tangent]
            for x, v in zip(self.x, self.v):
                x[0], x[1] = x[0] + v[0] * h / 2, x[1] + v[1] * h / 2


# ---- random scenes

def place(r, scene, count):
    """Discs that do not overlap, within the unit circle."""
    radii = [r.uniform(.05, .25) for _ in range(count)]
    while len(scene.m) < count:
        R, x, y = radii[len(scene.m)], r.uniform(-.9, .9), r.uniform(-.9, .9)
        if math.hypot(x, y) + R < .95 and all(math.hypot(x - q[0], y - q[1]) > R + S + .01 for q, S in zip(scene.x, scene.R)):
            scene.add(r.uniform(.2, 3), R, r.random() < .5, (x, y), (r.uniform(-2, 2), r.uniform(-2, 2), r.uniform(-10, 10)))
        elif r.random() < .02:
            radii = [.7 * a for a in radii]


def random_scene(seed, kind="any"):
    """kind: `any`; `flying`: bounces well, so that it stays in the air; `elastic`: keeps its energy; `dead`: nothing bounces."""
    r = random.Random(seed)
    bodies = r.choice([1, 1, 1, 2, 2, 3])
    scene = Scene(r.choice([0, 0, 9.81, 2.0]) if kind != "dead" else 9.81)
    bounce = {"any": lambda: r.choice([0.0, 1.0, r.random(), .5]), "flying": lambda: r.uniform(.85, 1), "elastic": lambda: 1.0, "dead": lambda: 0.0}[kind]
    rough = {"any": lambda: r.choice([0.0, 0.0, r.random(), r.uniform(0, .3), 2.0]), "flying": lambda: r.choice([0.0, r.uniform(0, .4)]),
             "elastic": lambda: 0.0, "dead": lambda: r.choice([0.0, r.uniform(.05, .6)])}[kind]
    place(r, scene, bodies)
    walls = r.choice(["bowl", 4, 4, 3, 5, 6])
    turn = 0 if walls == 4 and r.random() < .5 else r.uniform(0, 6)
    peg = (r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(.05, .3))
    pegged = bodies < 3 and r.random() < .3 and all(math.hypot(peg[0] - q[0], peg[1] - q[1]) > peg[2] + R + .02 for q, R in zip(scene.x, scene.R))
    for i in range(bodies):
        if walls == "bowl":
            scene.contacts.append(Contact("bowl", i, (1.0,), bounce(), rough()))
        for k in range(walls if walls != "bowl" else 0):
            a = turn + 2 * math.pi * k / walls
            scene.contacts.append(Contact("line", i, (math.cos(a), math.sin(a), 1.0), bounce(), rough()))
        if pegged:
            scene.contacts.append(Contact("peg", i, peg, bounce(), rough()))
        scene.contacts += [Contact("pair", i, (j,), bounce(), rough()) for j in range(i)]
    return scene

# SPDX-License-Identifier: Apache-2.0
"""Small models in which any kinds of statements meet: what is written, and the same parts for equations that are formed apart from the program."""
import itertools
import random

import numpy

from jets import Equations, FUNCTIONS, python

KINDS = ["momentum", "unsymmetric", "event", "contact", "redundant", "hidden", "acting", "along", "family", "time", "switched_force", "switched_flow",
         "switched_lagrangian", "switched_row", "switched_gap", "instants"]
PAIRS = [frozenset(p) for p in itertools.combinations(KINDS, 2)]


class Draft:
    """One model: statements, and the parts for Equations."""

    def __init__(self, rng, kinds):
        self.rng, self.kinds = rng, frozenset(kinds | ({"contact"} if "switched_gap" in kinds else set()))
        self.coords = ["x", "y"] + (["z"] if rng.random() < .6 else [])
        self.family = [f"a[{i}]" for i in range(1, 1 + rng.choice([2, 3]))] if "family" in kinds else []
        wanted = 2 if "unsymmetric" in kinds else 1 if kinds & {"momentum", "switched_flow"} else rng.choice([0, 0, 1])
        self.states = ["p", "u", "w"][:wanted + (rng.random() < .2 if wanted else 0)]
        self.lagrangian, self.force, self.flows, self.rows, self.lines, self.guards, self.held = [], {}, [], [], [], [], []
        self.start = {c: round(rng.uniform(-1, 1), 3) for c in self.coords + self.family}
        self.start.update({s: round(rng.uniform(.3, 1), 3) for s in self.states})
        self.masses()
        self.potential()
        if "switched_lagrangian" in kinds:
            self.steps()
        self.forces()
        self.metric()
        self.constraints()
        self.walls()
        self.slave()

    def number(self, low=.3, high=1.5):
        return repr(round(self.rng.uniform(low, high), 3))

    def pick(self, names):
        return self.rng.choice(names)

    def wave(self, names=None):
        names = names or self.coords + self.family
        return f"{self.pick(['sin', 'cos'])}({self.number()}*{self.pick(names)} + {self.number(0, 6)})"

    def clock(self):
        return f"*(1 + .3*{self.pick(['sin', 'cos'])}({self.number()}*t))" if "time" in self.kinds and self.rng.random() < .6 else ""

    # ---- coordinates

    def masses(self):
        for c in self.coords + self.family:
            mass = self.number(.6, 2)
            if "momentum" in self.kinds and (c == "x" or self.rng.random() < .3):
                mass = f"({mass} + {self.pick(self.states)}^2)"
            elif self.rng.random() < .3:
                mass = f"({mass} + .3*{self.wave()})"
            self.lagrangian.append(f"{mass}{self.clock()}*{c}'^2/2")
        if self.rng.random() < .5:
            self.lagrangian.append(f".2*{self.wave()}*x'*y'")
        if "momentum" in self.kinds and self.rng.random() < .5:
            self.lagrangian.append(f"{self.number(.2, .8)}*{self.pick(self.states)}*y'")
        if self.rng.random() < .3:
            self.lagrangian.append(f"{self.number(.2, .8)}*x*y'")

    def potential(self):
        for c in self.coords + self.family:
            self.lagrangian.append(f"-{self.number()}*{c}^2/2{self.clock()}")
        if self.rng.random() < .5:
            self.lagrangian.append(f"-{self.number()}*{self.wave()}*{self.pick(self.coords + self.family)}")

    def switch(self, of):
        """A term that jumps or bends where one of these passes a value near its start."""
        name = self.pick(of)
        level = round(self.start.get(name, 0) + self.rng.uniform(-.2, .2), 4)
        self.guards.append(f"{name} - ({level})")
        return self.pick([f"if({name} < {level}, {self.number()}, -{self.number()})", f"if({name} > {level}, {self.number()}*{name}, 0)",
                          f"abs({name} - ({level}))*{self.number()}", f"max({name}, {level})*{self.number()}"])

    def condition(self, of=None):
        """What holds at the start and perhaps not later."""
        if self.rng.random() < .3:
            time = self.number(.05, .25)
            self.guards.append(f"t - {time}")
            return f"t < {time}"
        name = self.pick(of or self.coords + self.family)
        above = self.rng.random() < .5
        level = round(self.start[name] + (1 if above else -1) * self.rng.uniform(.02, .2), 4)
        self.guards.append(f"{name} - ({level})")
        return f"{name} {'<' if above else '>'} {level}"

    def branches(self, a, b):
        return f"if({self.condition()}, {a}, {b})"

    def steps(self):
        """Terms of the Lagrangian that jump or bend: energy, mass, momentum."""
        for _ in range(self.rng.choice([1, 1, 2])):
            c = self.pick(self.coords + self.family)
            sign = self.pick(["", "-"])
            term = self.pick([lambda: "-" + self.branches("0", sign + self.number(.02, .3)), lambda: f"{self.branches('0', self.number())}*{c}'^2/2",
                              lambda: f"{self.branches('0', sign + self.number())}*{c}'", lambda: f"-{self.number()}*{self.bend()}",
                              lambda: f"-{self.number()}*{self.bend()}^2"])
            self.lagrangian.append(term())

    def bend(self):
        """0 before a place, and a slope behind it."""
        name = self.pick(self.coords + self.family)
        above = self.rng.random() < .5
        level = round(self.start[name] + (1 if above else -1) * self.rng.uniform(.02, .2), 4)
        self.guards.append(f"{name} - ({level})")
        return f"max(0, {name} - ({level}))" if above else f"max(0, ({level}) - {name})"

    def forces(self):
        for c in self.coords:
            terms = []
            if self.rng.random() < .5:
                terms.append(f"-{self.number(.1, .6)}*{c}'")
            if self.states and self.rng.random() < .4:
                terms.append(f"{self.number()}*{self.pick(self.states)}")
            if "time" in self.kinds and self.rng.random() < .5:
                terms.append(f"{self.number()}*sin({self.number(1, 3)}*t)")
            if "switched_force" in self.kinds and (c == "x" or self.rng.random() < .3):
                terms.append(self.switch(self.coords + self.states))
            if "instants" in self.kinds and c == "x":
                self.held = ["command", "count"]
                terms.append("command")
            if terms:
                self.force[c] = " + ".join(terms)

    # ---- states

    def metric(self):
        for i, s in enumerate(self.states):
            left = f"{self.number(.8, 2)}*{s}'"
            others = [o for o in self.states if o != s]
            if "unsymmetric" in self.kinds and others and (i == 0 or self.rng.random() < .5):
                factor = self.number(.2, 2.5) if self.rng.random() < .6 else f"{self.number(.2, .6)}*{self.pick(self.states + self.coords)}"
                left += f" + {factor}*{self.pick(others)}'"
            right = [f"-{self.number()}*{self.pick(self.states)}", self.number()]
            if self.rng.random() < .4:
                right.append(f"{self.number()}*{self.pick(self.coords)}{self.pick(['', chr(39)])}")
            if "time" in self.kinds and self.rng.random() < .4:
                right.append(f"{self.number()}*cos({self.number(1, 3)}*t)")
            if "switched_flow" in self.kinds and (i == 0 or self.rng.random() < .3):
                right.append(self.switch(self.states + self.coords))
            self.flows.append((left, " + ".join(right)))
        self.rng.shuffle(self.flows)

    # ---- constraints

    def value(self, text):
        """At the start, with velocities as they are now."""
        names = {**FUNCTIONS, "t": 0.0, **{python(k): v for k, v in self.start.items()}}
        return float(eval(python(text), names))

    def linear(self, names):
        return " + ".join(f"({self.number()} + .3*{self.wave()})*{n}" for n in names)

    def add_row(self, label, kind, text, reaction=None, family=None):
        self.rows.append([label, kind, text, reaction, family])

    def constraints(self):
        pool = self.coords + self.family
        room = len(pool) + len(self.states) - 1
        self.velocities()
        count = min(room, max(1 if self.kinds & {"redundant", "acting", "along"} else 0, self.rng.choice([0, 1, 1, 2])) + ("acting" in self.kinds and "along" in self.kinds))
        for k in range(count):
            two = self.rng.sample(pool, 2)
            style = self.rng.random()
            drift = f" + {self.number()}*sin({self.number()}*t)" if "time" in self.kinds and self.rng.random() < .4 else ""
            if style < .3:
                self.add_row(f"c{k}", "holonomic", f"{two[0]} + {self.number()}*{two[1]} + .3*{self.wave()}{drift}")
            elif style < .45:
                self.add_row(f"c{k}", "velocity", f"{two[0]}'^2 + {self.number()}*{two[1]}'^2 + {self.number(1, 2)}*{two[0]}'{drift}")
            elif style < .65 and self.states:
                self.add_row(f"c{k}", "velocity", f"{self.number()}*{self.pick(self.states)}" + (f" + {self.linear([two[0] + chr(39)])}" if self.rng.random() < .5 else "") + drift)
            else:
                self.add_row(f"c{k}", "velocity", self.linear([two[0] + "'", two[1] + "'"]) + drift)
        if self.family and len(self.family) > 2 and self.rng.random() < .6 and len(self.rows) + 2 <= room:
            factor = self.number(.5, .9)
            for i in (1, 2):
                self.add_row(f"chain[{i}]", "velocity", f"a[{i}]' - {factor}*a[{i + 1}]'", None, ("chain", f"a[i]' - {factor}*a[i + 1]'", i))
        if "switched_row" in self.kinds and len(self.rows) < room:
            self.switched_row(*self.rng.sample(pool, 2))
        self.put_on_holonomic()
        self.reactions()
        if "redundant" in self.kinds and self.rows:
            self.repeat()

    def switched_row(self, a, b):
        """A path that bends, a gear that changes, a clutch that closes or opens."""
        style = self.rng.random()
        if style < .35:
            self.add_row("switched", "holonomic", f"{a} + {self.number()}*{b} + {self.number()}*{self.bend()}")
        elif style < .7:
            self.add_row("switched", "velocity", f"{a}' - {self.branches(self.number(), self.number())}*{b}'")
        else:
            slip = f"{a}' - {self.number()}*{b}'"
            self.add_row("switched", "velocity", self.branches(*self.pick([("0", slip), (slip, "0")])))

    def velocities(self):
        for c in self.coords + self.family:
            self.start[c + "'"] = round(self.rng.uniform(-1, 1), 3)

    def put_on_holonomic(self):
        """Velocities along all constraints that are affine in them; the others and the positions are met by their right sides."""
        equations = Equations(self.coords + self.family, self.states, "0", {}, [(s + "'", "0") for s in self.states], [("holonomic", r[2], None) for r in self.rows if r[1] == "holonomic"])
        if not equations.rows:
            return
        names = self.coords + self.family
        jets = equations.jets([self.start[c] for c in names], [self.start[c + "'"] for c in names], [self.start[s] for s in self.states], 0.0)
        n = len(names)
        g = [eval(row, dict(jets)).g for row in equations.row]
        A, b = numpy.array([x[:n] for x in g]), numpy.array([x[-1] for x in g])
        v = numpy.array([self.start[c + "'"] for c in names])
        v = v - numpy.linalg.pinv(A) @ (A @ v + b)
        for c, x in zip(names, v):
            self.start[c + "'"] = float(x)

    def reactions(self):
        names = self.coords + self.family + self.states
        own = [r for r in self.rows if r[4] is None]
        for kind in ("acting", "along"):
            if kind not in self.kinds or not own:
                continue
            row = own.pop(0)
            involved = [n for n in names if (n + "'" if n not in self.states and row[1] == "velocity" else n) in row[2]] or names[:1]
            if kind == "acting":
                row[3] = [self.pick(involved)]
            else:
                row[3] = {n: f"{self.number()}{self.pick(['', ' + .2*' + self.wave()])}" for n in {self.pick(involved), self.pick(names)}}

    def repeat(self):
        """A row that the others imply; it acts as the first of them does."""
        plain = [r for r in self.rows if r[3] is None]
        chosen = self.rng.sample(plain, min(len(plain), self.rng.choice([1, 2])))
        if len({r[1] for r in chosen}) > 1:
            chosen = chosen[:1]
        if not chosen:
            self.kinds -= {"redundant"}                     # every row acts in a way of its own
            return
        if chosen[0][1] == "holonomic" and self.rng.random() < .4:         # a factor that varies, and may vanish
            row = chosen[0][2]
            factor = self.pick([f"exp({self.number(.2, .6)}*x)", f"(1 + .3*{self.wave()})", self.pick(self.coords + self.family)])
            self.add_row("again", "holonomic", f"{factor}*({row} - ({self.value(row)!r}))")
            return
        factors = [self.pick(["2", "-3", self.number()]) for _ in chosen]
        self.add_row("again", chosen[0][1], " + ".join(f"({f})*({r[2]})" for f, r in zip(factors, chosen)))

    # ---- walls, events, coordinates without mass

    def walls(self):
        if "contact" in self.kinds:
            c = self.pick(self.coords)
            up = self.start[c + "'"] > 0
            wall = round(self.start[c] + (1 if up else -1) * self.rng.uniform(.05, .5), 3)
            more = self.pick(["", ", restitution = .5", ", restitution = .9"])
            if "switched_gap" in self.kinds:
                other = [o for o in self.coords if o != c]
                step = self.number(.02, .3)
                wall = self.pick([lambda: f"{wall} {'+' if up else '-'} {self.number()}*{self.bend()}",
                                  lambda: f"if({self.condition(other)}, {wall}, {wall} {self.pick('+-')} {step})"])()
            self.lines.append(f"contact wall: {c} {'<=' if up else '>='} {wall}{more}")
        if "event" in self.kinds:
            c = self.pick(self.coords + self.states)
            self.lines.append(f"event passes: {c} = {round(self.start[c] + self.rng.uniform(-.1, .1), 4)}")
            if self.rng.random() < .3:
                self.lines.append(f"event turns: {self.pick(self.coords)}' = {self.number(-.3, .3)}")
        if self.held:
            self.instants()

    def instants(self):
        """A command that is held between samples, a counter, a kick."""
        c = self.pick(self.coords)
        above = self.start[c + "'"] > 0
        level = round(self.start[c] + (1 if above else -1) * self.rng.uniform(.02, .2), 4)
        self.lines.append("held " + ", ".join(self.held))
        self.lines.append(f"start command = {self.number()}, count = 0")
        self.lines.append(f"every {self.number(.06, .2)}: command = -{self.number()}*x - {self.number()}*x'")
        self.lines.append(f"event mark: {c} = {level}{self.pick(['', ' rising', ' falling'])}")
        kick = self.pick(["", f", {self.pick(self.coords)}' = {self.number(.5, .9)}*{c}'", f", {self.pick(self.states)} = {self.number()}" if self.states else ""])
        self.lines.append(f"when mark: count = count + 1{kick}")

    def slave(self):
        """A coordinate without kinetic energy: its balance is a constraint that nobody wrote."""
        if "hidden" not in self.kinds:
            return
        c = self.pick(self.coords)
        self.coords.append("s")
        self.lagrangian.append(f"-{self.number()}*(s - {c})^2/2")
        self.start["s"], self.start["s'"] = self.start[c], self.start[c + "'"]

    # ---- as text, and as parts

    def variables(self):
        return self.coords + self.family

    def constraint_lines(self):
        told = set()
        for label, _, text, reaction, family in self.rows:
            if family:
                if family[0] in told:
                    continue
                told.add(family[0])
                values = ["%.17g" % self.value(r[2]) for r in self.rows if r[4]]
                right = values[0] if len(set(values)) == 1 else f"if(i < 1.5, {values[0]}, {values[1]})"
                yield f"constraint {family[0]}[i = 1 .. 2]: {family[1]} = {right}"
                continue
            how = f" acting {', '.join(reaction)}" if isinstance(reaction, list) else " along " + ", ".join(f"{n} = {e}" for n, e in reaction.items()) if reaction else ""
            yield f"constraint {label}: {text} = {self.value(text)!r}{how}"

    def text(self):
        family = [f"a[1 .. {len(self.family)}]"] if self.family else []
        lines = ["coord " + ", ".join(self.coords + family)]
        if self.states:
            lines.append("state " + ", ".join(self.states))
        lines += [f"lagrangian {e}" for e in self.lagrangian]
        lines += [f"force {c} = {e}" for c, e in self.force.items()]
        lines += [f"flow {a} = {b}" for a, b in self.flows]
        lines += list(self.constraint_lines()) + self.lines
        lines.append("start " + ", ".join(f"{k} = {v!r}" for k, v in self.start.items()))
        lines.append(f"time 0 .. {self.rng.choice(['.3', '.5'])}")
        lines += [f"observe acc_{python(c)} = {c}''" for c in self.variables()]
        self.rng.shuffle(lines)
        return "\n".join(["# " + ", ".join(sorted(self.kinds)), *lines, ""])

    def equations(self):
        rows = [(kind, f"({text}) - ({self.value(text)!r})", reaction) for _, kind, text, reaction, _ in self.rows]
        return Equations(self.variables(), self.states, " + ".join(f"({e})" for e in self.lagrangian), self.force, self.flows, rows, self.held)


def choose(rng, met):
    """Kinds of the next model: the pair that was met least often, and up to four more."""
    least = min(met.values())
    pair = set(rng.choice(sorted((sorted(p) for p, count in met.items() if count == least))))
    return pair | set(rng.sample(KINDS, rng.choice([1, 2, 2, 3, 4])))


def drafts(seed):
    """Models without end; met: how often each pair was met so far, for the caller to count in."""
    rng = random.Random(seed)
    met = {p: 0 for p in PAIRS}
    tried = {p: 0 for p in PAIRS}
    while True:
        kinds = choose(rng, {p: met[p] + .2 * tried[p] for p in PAIRS})
        for p in itertools.combinations(kinds, 2):
            tried[frozenset(p)] += 1
        yield Draft(random.Random(rng.randrange(1 << 62)), kinds), met

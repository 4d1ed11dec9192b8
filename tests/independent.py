# SPDX-License-Identifier: Apache-2.0
"""A second reader of model text and a second derivation of the equations, made with SymPy and
sharing nothing with the program, so that the two can be compared."""
import re

import mpmath
import sympy as sp

TOKEN = re.compile(r"\s*(?:(?P<num>(?:\d+\.\d+|\.\d+|\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*)"
                   r"|(?P<op>\.\.|<=|>=|[-+*/^()\[\],:=<>'.]))")
OPEN, CLOSE = "([", ")]"
GOES_ON = {"+", "-", "*", "/", "^", "<", "<=", ">", ">=", ",", ":", "=", ".."}
FUNCTIONS = {"sin": sp.sin, "cos": sp.cos, "tan": sp.tan, "asin": sp.asin, "acos": sp.acos, "atan": sp.atan,
             "atan2": sp.atan2, "sinh": sp.sinh, "cosh": sp.cosh, "tanh": sp.tanh, "exp": sp.exp, "log": sp.log,
             "sqrt": sp.sqrt, "abs": sp.Abs, "sign": sp.sign, "min": sp.Min, "max": sp.Max}
LABELLED = {"lambda", "reaction", "power", "residual", "charge", "balance", "gap", "force", "friction"}


def tokenize(line):
    line = line.replace("\u00b5", "\u03bc").replace("\u2032", "'").replace("\u2019", "'").rstrip()
    out, at = [], 0
    while at < len(line):
        m = TOKEN.match(line, at)
        if not m:
            raise SyntaxError("unreadable: " + line[at:])
        out.append((m.lastgroup, m.group(m.lastgroup)))
        at = m.end()
    return out


def statements(text):
    """Logical lines as token lists."""
    out, pending, depth = [], [], 0
    for line in text.lstrip("\ufeff").splitlines():
        tokens = tokenize(line.split("#", 1)[0])
        if not tokens:
            continue
        pending += tokens
        depth += sum((t[1] in OPEN) - (t[1] in CLOSE) for t in tokens if t[0] == "op")
        if depth == 0 and not (tokens[-1][0] == "op" and tokens[-1][1] in GOES_ON):
            out.append(pending)
            pending = []
    return out


class Cursor:
    """Reads one statement. `index` holds the family and sum indices in force."""

    def __init__(self, model, tokens, index=None):
        self.model, self.tokens, self.at, self.index = model, tokens, 0, dict(index or {})

    def peek(self, ahead=0):
        i = self.at + ahead
        return self.tokens[i][1] if i < len(self.tokens) else None

    def take(self, *expected):
        word = self.peek()
        if word is None or (expected and word not in expected):
            raise SyntaxError("expected %s, found %r in %s" % (expected, word, " ".join(t[1] for t in self.tokens)))
        self.at += 1
        return word

    def accept(self, word):
        if self.peek() == word:
            self.at += 1
            return True
        return False

    def skip_bracket(self):
        """Past the bracket that is open, to its closing sign."""
        depth = 1
        while True:
            word = self.take()
            depth += (word in OPEN) - (word in CLOSE)
            if depth == 0:
                return

    def bracket_has(self, sign):
        """Whether the bracket that begins here contains `sign` at its own level."""
        depth = 0
        for _, word in self.tokens[self.at:]:
            depth += (word in OPEN) - (word in CLOSE)
            if depth == 0:
                return False
            if depth == 1 and word == sign:
                return True
        return False

    def whole(self):
        return int(self.model.number(self.expr()))

    def range(self):
        first = self.whole()
        self.take("..")
        return first, self.whole()

    def expr(self):
        value = self.term()
        while self.peek() in ("+", "-"):
            value = value + self.term() if self.take() == "+" else value - self.term()
        return value

    def term(self):
        value = self.unary()
        while self.peek() in ("*", "/"):
            value = value * self.unary() if self.take() == "*" else value / self.unary()
        return value

    def unary(self):
        if self.accept("-"):
            return -self.unary()
        base = self.postfix()
        return base ** self.unary() if self.accept("^") else base

    def postfix(self):
        value = self.primary()
        while self.accept("'"):
            value = self.model.rate(value)
        return value

    def primary(self):
        kind, word = self.tokens[self.at] if self.at < len(self.tokens) else (None, None)
        if kind == "num":
            self.at += 1
            return sp.Rational(word)
        if self.accept("("):
            value = self.expr()
            self.take(")")
            return value
        if kind != "name":
            raise SyntaxError("expected a value, found %r" % word)
        self.at += 1
        if word == "sum":
            return self.sum()
        if word == "if":
            return self.choice()
        if word in FUNCTIONS:
            return FUNCTIONS[word](*self.arguments())
        return self.named(word)

    def arguments(self):
        self.take("(")
        out = [self.expr()]
        while self.accept(","):
            out.append(self.expr())
        self.take(")")
        return out

    def choice(self):
        self.take("(")
        a, relation, b = self.expr(), self.take("<", "<=", ">", ">="), self.expr()
        self.take(",")
        yes = self.expr()
        self.take(",")
        no = self.expr()
        self.take(")")
        return sp.Piecewise((yes, {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[relation]), (no, True))

    def sum(self):
        self.take("(")
        name = self.take()
        self.take("=")
        first, last = self.range()
        self.take(",")
        body, outer, total = self.at, self.index.get(name), sp.Integer(0)
        for i in range(first, last + 1):
            self.at, self.index[name] = body, i
            total += self.expr()
        self.index.pop(name, None)
        if outer is not None:
            self.index[name] = outer
        self.at = body
        self.skip_bracket()
        return total

    def named(self, word):
        if word in self.index:
            return sp.Integer(self.index[word])
        if word in LABELLED and self.peek() == ".":
            self.take(".")
            return sp.Symbol(self.subscripted(word + "." + self.take()), real=True)
        return self.model.value(self.subscripted(word))

    def subscripted(self, word):
        """`a[i+1]` as the name `a[3]`; several parts never nest."""
        if self.peek() != "[":
            return word
        self.take("[")
        i = self.whole()
        self.take("]")
        return "%s[%d]" % (word, i)


class Model:
    """`sets` and `starts` override params and initial values by number, like --set and --start."""

    def __init__(self, text, sets=None):
        self.t = sp.Symbol("t", real=True)
        self.params, self.lets, self.number_memo, self.let_memo = {}, {}, {}, {}
        self.coords, self.states, self.held, self.symbol, self.rates = [], [], [], {}, {self.t: sp.Integer(1)}
        self.lagrangian, self.dissipation = sp.Integer(0), sp.Integer(0)
        self.has_lagrangian = False
        self.forces, self.flows, self.constraints = [], [], []     # (label, {symbol: e}); (left, right); dicts
        self.symmetries, self.observes, self.claims, self.frames = [], [], [], []
        self.start, self.time = {}, None
        self.sets = sets or {}
        rows = [(s[0][1], s[1:]) for s in statements(text)]
        for wanted in (("param", "let", "frame"), ("coord", "state", "held"), None):
            for word, tokens in rows:
                if (word in wanted) if wanted else word not in ("param", "let", "frame", "coord", "state", "held", "model"):
                    getattr(self, "read_" + word)(tokens)

    # values
    def value(self, name):
        if name == "pi":
            return sp.pi
        if name == "t":
            return self.t
        if name in self.symbol:
            return self.symbol[name]
        if name in self.let_memo:
            return self.let_memo[name]
        if name in self.lets:
            self.let_memo[name] = Cursor(self, *self.lets[name]).expr()
            return self.let_memo[name]
        if name in ("energy", "residual") or name in {o[0] for o in self.observes} or name.endswith("_dot"):
            return sp.Symbol(name, real=True)
        raise NameError(name)

    def rate(self, e):
        """Total time derivative."""
        return sum((sp.diff(e, s) * self.rates[s] for s in e.free_symbols if s in self.rates), sp.Integer(0))

    def number(self, e):
        """An expression of params as an mpf."""
        values = {s: self.param_value(s.name) for s in e.free_symbols}
        return mpmath.mpf(sp.N(e, mpmath.mp.dps, subs={s: sp.Float(v, mpmath.mp.dps) for s, v in values.items()}))

    def param_value(self, name):
        if name not in self.number_memo:
            given = self.sets.get(name)
            self.number_memo[name] = mpmath.mpf(given) if given is not None else self.number(Cursor(self, self.params[name]).expr())
        return self.number_memo[name]

    # statements
    @staticmethod
    def pieces(tokens):
        """Split at top-level commas."""
        out, depth = [[]], 0
        for t in tokens:
            depth += (t[1] in OPEN) - (t[1] in CLOSE)
            if depth == 0 and t[1] == ",":
                out.append([])
            else:
                out[-1].append(t)
        return out

    def heads(self, tokens):
        """The members of `NAME`, `NAME[unit]` or `NAME[i = A .. B]`: (name, index, cursor behind it)."""
        c = Cursor(self, tokens)
        name = c.take()
        if c.peek() != "[":
            return [(name, {}, c)]
        if not c.bracket_has("="):
            c.take("[")
            c.skip_bracket()
            return [(name, {}, c)]
        c.take("[")
        letter = c.take()
        c.take("=")
        first, last = c.range()
        c.take("]")
        out = []
        for i in range(first, last + 1):
            member = Cursor(self, tokens, {letter: i})
            member.at = c.at
            out.append(("%s[%d]" % (name, i), {letter: i}, member))
        return out

    def read_param(self, tokens):
        for piece in self.pieces(tokens):
            name, at = piece[0][1], [t[1] for t in piece].index("=")
            self.params[name] = piece[at + 1:]
            self.symbol[name] = sp.Symbol(name, real=True)

    def read_let(self, tokens):
        for name, index, c in self.heads(tokens):
            c.take("=")
            self.lets[name] = (tokens[c.at:], index)

    def read_frame(self, tokens):
        for piece in self.pieces(tokens):
            self.read_let(piece)
            self.frames += [name for name, _, _ in self.heads(piece)]

    def declare(self, tokens, into, levels):
        for piece in self.pieces(tokens):
            c = Cursor(self, piece)
            name, members = c.take(), None
            if c.peek() == "[" and c.bracket_has(".."):
                c.take("[")
                first, last = c.range()
                members = range(first, last + 1)
            for i in members if members is not None else [None]:
                tail = "" if i is None else "[%d]" % i
                chain = [sp.Symbol(name + dots + tail, real=True) for dots in ("", "_dot", "_ddot")[:levels]]
                into.append(chain)
                self.symbol[name + tail] = chain[0]
                self.rates.update(zip(chain, chain[1:]))

    def read_free(self, tokens):
        """The program finds these data; what is compared with is its motion."""

    read_require = read_free

    def read_coord(self, tokens):
        self.declare(tokens, self.coords, 3)

    def read_state(self, tokens):
        self.declare(tokens, self.states, 2)

    def read_lagrangian(self, tokens):
        self.lagrangian += Cursor(self, tokens).expr()
        self.has_lagrangian = True

    def read_dissipation(self, tokens):
        self.dissipation += Cursor(self, tokens).expr()

    def assignments(self, tokens, index=None):
        out = {}
        for piece in self.pieces(tokens):
            for name, own, c in self.heads(piece):
                c.index.update(index or {})
                c.take("=")
                out[self.symbol[name]] = out.get(self.symbol[name], 0) + c.expr()
        return out

    def read_force(self, tokens):
        labelled = len(tokens) > 1 and tokens[1][1] == ":"
        self.forces.append((tokens[0][1] if labelled else None, self.assignments(tokens[2:] if labelled else tokens)))

    def read_flow(self, tokens):
        c = Cursor(self, tokens)
        left = c.expr()
        c.take("=")
        self.flows.append((left, c.expr()))

    def read_constraint(self, tokens):
        for label, index, c in self.heads(tokens):
            c.take(":")
            left = c.expr()
            c.take("=")
            row = {"label": label, "g": left - c.expr(), "rule": "ideal"}
            if c.peek() == "acting":
                c.take()
                row["rule"] = "acting"
                row["acting"] = [self.symbol[p[0][1]] for p in self.pieces(tokens[c.at:])]
            elif c.peek() == "along":
                c.take()
                row["rule"] = "along"
                row["along"] = self.assignments(tokens[c.at:], index)
            self.constraints.append(row)

    def read_symmetry(self, tokens):
        label, rest = tokens[0][1], tokens[2:]
        is_time = len(rest) == 1 and rest[0][1] == "time"
        self.symmetries.append((label, None if is_time else self.assignments(rest)))

    def read_start(self, tokens):
        for piece in self.pieces(tokens):
            if piece[0][1] == "lambda":
                continue
            for name, _, c in self.heads(piece):
                symbol = self.symbol[name]
                if c.accept("'"):
                    symbol = self.rates[symbol]
                c.take("=")
                self.start[symbol] = c.expr()

    def read_time(self, tokens):
        c = Cursor(self, tokens)
        first = c.expr()
        c.take("..")
        self.time = (self.number(first), self.number(c.expr()))

    def read_observe(self, tokens):
        for name, _, c in self.heads(tokens):
            c.take("=")
            self.observes.append((name, c.expr()))

    def read_expect(self, tokens):
        self.claims.append(tokens)

    def read_held(self, tokens):
        """What keeps its value between instants: its column says which."""
        for piece in self.pieces(tokens):
            self.held.append(sp.Symbol(piece[0][1], real=True))
            self.symbol[piece[0][1]] = self.held[-1]

    def read_event(self, tokens):
        """What happens at instants: between them the equations hold."""

    read_contact = read_when = read_every = read_event

    def claim(self, tokens):
        """('at', column, time, value, within), ('drift', column, bound) or ('residual', bound)."""
        c = Cursor(self, tokens)
        if c.peek() == "residual" and c.peek(1) == "<":
            c.at = 2
            return ("residual", self.number(c.expr()))
        drift = c.peek() == "drift" and c.peek(1) == "("
        if drift:
            c.at = 2
        column = self.column(c)
        if drift:
            c.take(")")
            c.take("<")
            return ("drift", column, self.number(c.expr()))
        c.take("at")
        at = c.expr()
        c.take("=")
        value = c.expr()
        c.take("within")
        return ("at", column) + tuple(self.number(e) for e in (at, value, c.expr()))

    @staticmethod
    def column(c):
        name = c.take()
        if c.accept("."):
            name += "." + c.take()
        if c.accept("'"):
            name += "_dot"
        if c.accept("["):
            name += "[" + c.take() + "]"
            c.take("]")
        return name


def beside_switches(e):
    """Derivatives of sign and Heaviside are 0 beside their switches, where rows of tables are."""
    return e.replace(sp.DiracDelta, lambda *arguments: sp.Integer(0)) if e.has(sp.DiracDelta) else e


class Equations:
    """K (q'', p', lambda) = r of d'Alembert-Lagrange, and every column of a row, as functions of the state."""

    def __init__(self, model):
        self.model = model
        q, v, a = ([c[i] for c in model.coords] for i in range(3))
        s, sd = ([c[i] for c in model.states] for i in range(2))
        self.q, self.v, self.a, self.s, self.sd = q, v, a, s, sd
        self.highest = a + sd
        self.rows = self.free_rows()
        self.directions = [self.direction(c) for c in model.constraints]
        closing = [self.closing(c) for c in model.constraints]
        n, p = len(self.highest), len(closing)
        K, r = sp.zeros(n + p, n + p), sp.zeros(n + p, 1)
        zero = {x: 0 for x in self.highest}
        for i, row in enumerate(self.rows + closing):
            for j, x in enumerate(self.highest):
                K[i, j] = sp.diff(row, x)
            r[i] = -row.subs(zero)
        for k, d in enumerate(self.directions):
            for j in range(n):
                K[j, n + k] = -d[j]
        self.K, self.r = K, r

    def free_rows(self):
        m, L = self.model, self.model.lagrangian
        rows = [m.rate(sp.diff(L, v)) - sp.diff(L, q) + sp.diff(m.dissipation, v) for q, v in zip(self.q, self.v)]
        for _, force in m.forces:
            for symbol, e in force.items():
                rows[self.q.index(symbol)] -= e
        flow = {}
        for i, (left, right) in enumerate(m.flows):
            own = [x for x in self.sd if left.has(x)]
            flow[self.sd.index(own[0]) if len(own) == 1 else i] = left - right
        return rows + [flow[i] for i in range(len(self.sd))]

    def level(self, c):
        """Symbols that the reaction is conjugate to, and how often g is differentiated."""
        g = c["g"]
        if any(g.has(x) for x in self.a):
            return self.a + self.s, 0
        if any(g.has(x) for x in self.v + self.s):
            return self.v + self.s, 1
        return self.q + self.s, 2

    def closing(self, c):
        g = c["g"]
        for _ in range(self.level(c)[1]):
            g = self.model.rate(g)
        return g

    def direction(self, c):
        names = self.q + self.s
        if c["rule"] == "along":
            return [c["along"].get(x, sp.Integer(0)) for x in names]
        full = [sp.diff(c["g"], x) for x in self.level(c)[0]]
        if c["rule"] == "acting":
            return [d if x in c["acting"] else sp.Integer(0) for d, x in zip(full, names)]
        return full

    def arguments(self):
        return [self.model.t] + self.q + self.s + self.v + self.model.held + [self.model.symbol[p] for p in self.model.params]

    def compile(self, modules):
        def share(e):                    # SymPy's own names for shared parts, x0 x1 .., may be coordinates here
            return sp.cse(e, symbols=sp.numbered_symbols("shared__"), list=False)
        self.f_K, self.f_r = (sp.lambdify(self.arguments(), beside_switches(e), modules=modules, cse=share) for e in (self.K, self.r))
        named = self.columns()
        extra = self.highest + self.lambdas
        self.names = list(named)
        self.f_columns = sp.lambdify(self.arguments() + extra, list(named.values()), modules=modules, cse=share)

    def columns(self):
        m = self.model
        self.lambdas = [sp.Symbol("lambda." + c["label"], real=True) for c in m.constraints]
        out = {x.name: x for x in self.q + self.s + self.v + self.sd + self.lambdas}
        out.update({name: m.value(name) for name in m.frames})
        reaction = {x: sum((l * d[i] for l, d in zip(self.lambdas, self.directions)), sp.Integer(0))
                    for i, x in enumerate(self.q + self.s)}
        if m.constraints:
            out.update({"reaction." + x.name: e for x, e in reaction.items() if x in self.q or e != 0})
        for l, d, c in zip(self.lambdas, self.directions, m.constraints):
            out["power." + c["label"]] = sum((l * d[i] * v for i, v in enumerate(self.v)), sp.Integer(0))
        if m.forces or m.dissipation != 0:
            out["power.force"] = (sum(e * m.rates[x] for _, force in m.forces for x, e in force.items())
                                  - sum(v * sp.diff(m.dissipation, v) for v in self.v))
        for label, force in m.forces:
            if label:
                out["power." + label] = out.get("power." + label, 0) + sum(e * m.rates[x] for x, e in force.items())
        L = m.lagrangian
        if m.has_lagrangian:
            out["energy"] = sum(v * sp.diff(L, v) for v in self.v) - L
        for c in m.constraints:
            out["residual." + c["label"]] = c["g"]
        for label, change in m.symmetries:
            charge = out["energy"] if change is None else sum(sp.diff(L, m.rates[x]) * e for x, e in change.items())
            out["charge." + label], out["balance." + label] = charge, m.rate(charge)
        for name, e in m.observes:
            while any(x.name in out and x != out[x.name] for x in e.free_symbols):
                e = e.subs({x: out[x.name] for x in e.free_symbols if x.name in out})
            out[name] = e
        return out

    def start(self):
        m = self.model
        return [m.number(m.start.get(x, sp.Integer(0))) for x in self.q + self.s + self.v]

    def params(self):
        return [self.model.param_value(p) for p in self.model.params]

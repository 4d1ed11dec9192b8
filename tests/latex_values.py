# SPDX-License-Identifier: Apache-2.0
"""What `derive --format latex` prints, read back: its equations have the values of those that `derive` prints as text,
at random numbers for all names."""
import math
import random
import re

TOKEN = re.compile(r"\\(?:,|!|;|_|quad)|\\[a-zA-Z]+|\d+(?:\.\d+)?|[^\W\d_]|[-+=(){}^_|,<.\[\]/]")
GREEK = set("""alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi
omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega""".split())
FUNCTIONS = {"sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "sinh": "sinh", "cosh": "cosh",
             "tanh": "tanh", "ln": "log", "min": "min", "max": "max"}
VALUES = {name: getattr(math, name) for name in "sin cos tan asin acos atan sinh cosh tanh exp log sqrt atan2 hypot erf".split()}
VALUES.update(abs=abs, min=min, max=max, sign=lambda x: (x > 0) - (x < 0), mod=lambda a, b: a - b * math.floor(a / b))
TEXT_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*(?:\.[^\W\d]\w*)?(?:\[[\d, ]+\])?(?:_\w+)?'{0,2}")
LETTERS = {"θ": "theta", "μ": "mu"}                         # as LaTeX has them
SYNONYMS = {"reaction": "R", "energy": "E", "Lagrangian": "L", "Hamiltonian": "H"}


class Unread(Exception):
    """A sign that this reader does not know."""


class Reader:
    """One formula in LaTeX as Python; `name` makes an identifier of a name."""

    def __init__(self, text):
        text = re.sub(r"\\(?:left|[bB]igl) *\|", r"\\abs ", text)
        text = re.sub(r"\\(left|right|bigl|bigr|big)(?![a-zA-Z])", "", text)
        self.tokens = [t for t in TOKEN.findall(text) if t not in ("\\,", "\\!", "\\;", "\\quad")] + [""]
        self.at = 0

    @property
    def next(self):
        return self.tokens[self.at]

    def take(self, wanted=None):
        token = self.tokens[self.at]
        if wanted is not None and token != wanted:
            raise Unread("%s where %s is expected" % (token or "the end", wanted))
        self.at += 1
        return token

    def whole(self):
        value = self.sum()
        self.take("")
        return value

    def sum(self):
        value = ""
        while True:
            sign = self.take() if self.next in ("+", "-") else ""
            value += sign + self.product()
            if self.next not in ("+", "-"):
                return "(%s)" % value

    def product(self):
        value = self.power()
        while self.next not in ("", "+", "-", "=", ")", "}", "|", ",", "]"):
            sign = self.take() if self.next in ("\\cdot", "/") else "*"
            minus = self.take() if self.next == "-" else ""
            value = "(%s)%s(%s%s)" % (value, "/" if sign == "/" else "*", minus, self.power())
        return value

    def power(self):
        value = self.primary()
        while self.next == "^":
            self.take()
            value = "(%s**%s)" % (value, self.group())
        return value

    def group(self):
        self.take("{")
        value = self.sum()
        self.take("}")
        return value

    def brackets(self, close):
        values = [self.sum()]
        while self.next == ",":
            self.take()
            values.append(self.sum())
        self.take(close)
        return "(%s)" % ", ".join(values)

    def primary(self):
        token = self.take()
        if token[0].isdigit():
            return token
        if token in ("(", "\\abs"):
            return self.brackets(")") if token == "(" else "abs" + self.brackets("|")
        if token == "\\frac":
            return "(%s/%s)" % (self.group(), self.group())
        if token == "\\sqrt":
            return "sqrt" + self.group()
        if token == "\\operatorname" or token[1:] in FUNCTIONS:
            return self.function(self.word() if token == "\\operatorname" else FUNCTIONS[token[1:]])
        if token == "\\mathrm" and self.tokens[self.at:self.at + 4] == ["{", "e", "}", "^"]:
            self.at += 4
            return "exp" + self.group()
        self.at -= 1
        return identifier(*self.name())

    def function(self, called):
        """sin(x), sin x, sin^{2} x"""
        exponent = None
        if self.next == "^":
            self.take()
            exponent = self.group()
        value = called + (self.brackets(")") if self.next == "(" and self.take() else "(%s)" % self.power())
        return value if exponent is None else "(%s**%s)" % (value, exponent)

    def word(self):
        """Letters in braces."""
        letters = ""
        self.take("{")
        while self.next not in ("}", ""):
            letters += self.word() if self.take() == "\\text" else self.tokens[self.at - 1].lstrip("\\")
        self.take("}")
        return letters

    def name(self):
        """A letter or word with its index, and its dots."""
        token, dots = self.take(), 0
        if token in ("\\dot", "\\ddot"):
            self.take("{")
            stem, more = self.name()
            self.take("}")
            dots = {"\\dot": 1, "\\ddot": 2}[token] + more
        elif token == "{":
            stem, dots = self.name()
            self.take("}")
        elif token in ("\\mathit", "\\mathrm", "\\mathcal", "\\text"):
            stem = self.word()
        elif token.isalpha() or token[1:] in GREEK:
            stem = token.lstrip("\\")
        else:
            raise Unread(token)
        if self.next == "_":
            self.take()
            stem += self.index()
        return stem, dots

    def index(self):
        self.take("{")
        letters = ""
        while self.next != "}":
            is_name = self.next.isalpha() or self.next[:1] in ("\\", "{") and self.next != "\\_"
            letters += self.name()[0] if is_name else self.take("" if self.next == "" else None)
        self.take("}")
        return letters


def identifier(stem, dots):
    return "v%s%s" % (re.sub(r"\W|_", "", "".join(LETTERS.get(c, c) for c in stem)), "Q" * dots)


def from_text(formula):
    """A formula of `derive` as Python."""
    def made(found):
        word = found.group()
        if word in VALUES:
            return word
        stem = re.sub("_dot$", "", word.rstrip("'"))
        first = stem.split(".")[0]
        return identifier(SYNONYMS.get(first, first) + stem[len(first):], word.count("'") + word.endswith("_dot"))
    return TEXT_NAME.sub(made, formula).replace("^", "**")


def entries(matrix):
    """A matrix as the text has it: its entries but zeros, each a row."""
    name, body = matrix[1].strip(), matrix[2]
    rows_ = [[entry.strip() for entry in row.split("&")] for row in body.split("\\\\")]
    return r" \\\\ ".join("%s_{%d, %d} &= %s" % (name, i + 1, j + 1, entry)
                          for i, row in enumerate(rows_) for j, entry in enumerate(row) if entry not in ("0", ""))


def records(text):
    """{title: [(left, right)]} of the equations, rows that go on joined."""
    found = {}
    text = re.sub(r"(\S+) *&= *\\begin\{pmatrix\}(.*?)\\end\{pmatrix\}", entries, text, flags=re.S)
    for title, body in re.findall(r"\\subsection\*\{(.*?)\}(.*?)(?=\\subsection|\\end\{document\})", text, re.S):
        joined = []
        for row in re.sub(r"\\(begin|end)\{align\*\}", r" \\\\ ", body).split("\\\\"):
            row = row.strip()
            if row.startswith("&\\quad") and joined:
                more = row[len("&\\quad"):].strip()
                joined[-1] = (joined[-1][2:] if more.startswith("=") and joined[-1].startswith("& ") else joined[-1]) + " " + more
            elif row:
                joined.append(row)
        found[title] = [tuple(side.strip(" &") for side in re.sub(r"^\\text\{[^}]*:\}\\quad ", "", row).split("=", 1))
                        for row in joined if "=" in row and not row.startswith("& ")]
    return found


class Numbers:
    """A random number for each name, the same for all formulas."""

    def __init__(self):
        self.random, self.of = random.Random(7), {}

    def value(self, formula):
        for name in sorted(set(re.findall(r"\bv\w+", formula)) - set(self.of)):
            self.of[name] = self.random.uniform(.3, .9)
        return eval(formula, {"__builtins__": {}}, dict(VALUES, **self.of))


def same(numbers, a, b, where, say):
    """One formula as text and in LaTeX; whether it had a value."""
    try:
        x, y = numbers.value(from_text(a)), numbers.value(Reader(b).whole())
    except (ValueError, ZeroDivisionError, OverflowError):            # no real value there
        return False
    except (Unread, SyntaxError) as trouble:
        return say(False, "%s: %s is not read: %s" % (where, b, trouble))
    if not isinstance(x, complex):
        say(abs(x - y) <= 1e-11 * max(1, abs(x), abs(y)), "%s: %s is %s in LaTeX: %.12g and %.12g" % (where, a, b, x, y))
    return True


def check(said, latex, say):
    """Each equation of a section of the text against that of LaTeX; how many formulas had values.

    said: (section, label, left, right) of the text's equations."""
    from_latex, compared, numbers = records(latex), 0, Numbers()
    for section in dict.fromkeys(s for s, *_ in said):
        mine = [(left, right) for s, _, left, right in said if s == section]
        theirs = from_latex.get(section, [])
        if section == "Matrices" or any("cases" in a + b for a, b in theirs):
            continue
        if not say(len(mine) == len(theirs), "%s: %d equations as text, %d in LaTeX" % (section, len(mine), len(theirs))):
            continue
        for pair, other in zip(mine, theirs):
            compared += sum(same(numbers, a, b, section, say) for a, b in zip(pair, other))
    return compared

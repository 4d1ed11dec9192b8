#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Derives the summation-by-parts operators of src/algebra/sbp.c and writes their table: tools/derive_sbp.py > src/algebra/sbp_table.inc

With --check FILE it compares the file with what it would write; with --rationals it shows the entries of the blocks as quotients.

Order 2s inside, block of r rows at the boundary, points 0, 1, 2, ..: H is diagonal, Q + Q' = diag(-1, 0, .., 0, 1), and the block's rows of
D = H^-1 Q are exact on polynomials up to degree s. What these conditions leave open (1 parameter for order 6, 3 for order 8) makes the
H-weighted sum of squares of the block's leading error, that of x^(s+1), least. For order 8 this fixes 2 of the 3 only: the rest moves Q by
a skew matrix of rank 2 to which x^(s+1) is a null vector too. There TIE times the sum of squares of the block's entries above the diagonal is
added to the sum, which makes the minimum a single one and moves the error from its least value by one part in 10^21."""
import argparse
import sys
from decimal import Decimal, localcontext
from fractions import Fraction

BLOCK = {2: 1, 4: 4, 6: 6, 8: 8}                            # rows of the block
TIE = Fraction(1, 10 ** 6)
LITERATURE = Fraction(5591070156686698065364559, 7931626489314500743872000)   # Q_45 of order 6


def reduce(rows, unknowns):
    """Rows of [matrix | right side] in reduced echelon form, and the pivot of each."""
    rows, pivots = [row[:] for row in rows], []
    for column in range(unknowns):
        done = len(pivots)
        found = next((k for k in range(done, len(rows)) if rows[k][column]), None)
        if found is None:
            continue
        rows[done], rows[found] = rows[found], rows[done]
        top = rows[done] = [x / rows[done][column] for x in rows[done]]
        for k, row in enumerate(rows):
            if k != done and row[column]:
                rows[k] = [a - row[column] * b for a, b in zip(row, top)]
        pivots.append(column)
    if any(row[unknowns] for row in rows[len(pivots):]):
        raise ArithmeticError("the conditions contradict each other")
    return rows[:len(pivots)], pivots


def family(rows, unknowns):
    """All solutions: one point, and the directions in which one may go from there."""
    rows, pivots = reduce(rows, unknowns)
    start, directions = [Fraction(0)] * unknowns, []
    for row, pivot in zip(rows, pivots):
        start[pivot] = row[-1]
    for k in (k for k in range(unknowns) if k not in pivots):
        direction = [Fraction(int(k == m)) for m in range(unknowns)]
        for row, pivot in zip(rows, pivots):
            direction[pivot] = -row[k]
        directions.append(direction)
    return start, directions


def moved(start, directions, parameters):
    return [x + sum(p * d[k] for p, d in zip(parameters, directions)) for k, x in enumerate(start)]


def along(form, direction):
    return sum(a * b for a, b in zip(form, direction))


def total(forms, factors, point):
    return sum(f * (along(form, point) + form[-1]) ** 2 for form, f in zip(forms, factors))


def least(forms, factors, start, directions):
    """The part of a family on which the sum of factor * form^2 is least, as a family again."""
    offset = [along(form, start) + form[-1] for form in forms]
    slope = [[along(form, d) for form in forms] for d in directions]
    rows = [[sum(a * b * f for a, b, f in zip(x, y, factors)) for y in slope] + [-sum(a * b * f for a, b, f in zip(x, offset, factors))]
            for x in slope]
    parameters, rest = family(rows, len(directions))
    nowhere = [Fraction(0)] * len(start)
    return moved(start, directions, parameters), [moved(nowhere, directions, r) for r in rest]


def central(s):
    """Q_(k, k + 1), .., Q_(k, k + s) inside: odd, exact up to degree 2s."""
    rows = [[2 * Fraction(j) ** d for j in range(1, s + 1)] + [Fraction(d == 1)] for d in range(1, 2 * s, 2)]
    return [row[s] for row in reduce(rows, s)[0]]


class Block:
    """Unknowns: Q above the diagonal, row by row, then H. A linear form is a list: coefficients, then the constant."""

    def __init__(self, order):
        self.order, self.s, self.r = order, order // 2, BLOCK[order]
        self.inside = central(self.s)
        pairs = [(i, j) for i in range(self.r) for j in range(i + 1, self.r)]
        self.place = {pair: k for k, pair in enumerate(pairs)}
        self.unknowns = len(pairs) + self.r
        self.values = self.solve()
        self.upper, self.weight = self.values[:len(pairs)], self.values[len(pairs):]

    def error(self, i, degree):
        """sum_j Q_ij j^d - H_i d i^(d-1): the form that vanishes when row i is exact on x^d."""
        form = [Fraction(0)] * (self.unknowns + 1)
        for j in range(self.r + self.s):
            power = Fraction(j) ** degree
            if j >= self.r:
                form[-1] += power * self.inside[j - i - 1] if j - i <= self.s else 0
            elif i == j:
                form[-1] += -power / 2 if i == 0 else 0
            else:
                form[self.place[min(i, j), max(i, j)]] += power if i < j else -power
        if degree > 0:
            form[self.unknowns - self.r + i] -= degree * Fraction(i) ** (degree - 1)
        return form

    def solve(self):
        forms = [self.error(i, d) for i in range(self.r) for d in range(self.s + 1)]
        start, directions = family([form[:-1] + [-form[-1]] for form in forms], self.unknowns)
        weight = start[-self.r:]
        if any(any(d[-self.r:]) for d in directions):
            raise ArithmeticError("the weights are not determined")
        leading, factors = [self.error(i, self.s + 1) for i in range(self.r)], [1 / h for h in weight]   # H_i times the error of row i
        point, rest = best, open_still = least(leading, factors, start, directions)
        if rest:
            entries = [[Fraction(int(k == m)) for m in range(self.unknowns + 1)] for k in range(self.unknowns - self.r)]
            point, rest = least(leading + entries, factors + [TIE] * len(entries), start, directions)
        if rest:
            raise ArithmeticError("a parameter is left open")
        self.free = len(directions), len(open_still)
        self.excess = total(leading, factors, point) / total(leading, factors, best) - 1
        return point


# ---- the table

def exact(n):
    return n.bit_length() <= 53


def number(x):
    """A quotient of two numbers that a double holds exactly, hence rounded once; or 24 digits."""
    if x.denominator == 1:
        return str(x.numerator)
    if exact(abs(x.numerator)) and exact(x.denominator):
        return f"{x.numerator}.0 / {x.denominator}"
    with localcontext() as context:
        context.prec = 24
        return str(Decimal(x.numerator) / Decimal(x.denominator))


def array(name, values, per_line):
    texts = [number(x) for x in values]
    lines = [", ".join(texts[k:k + per_line]) for k in range(0, len(texts), per_line)]
    if len(lines) == 1:
        return f"static const double {name}[] = {{ {lines[0]} }};"
    return f"static const double {name}[] = {{\n" + "".join(f"    {line},\n" for line in lines) + "};"


def triangle(block):
    """Above the diagonal, one row of Q after the other."""
    rows = [[number(block.upper[block.place[i, j]]) for j in range(i + 1, block.r)] for i in range(block.r - 1)]
    lines = []
    for row in rows:
        lines += [", ".join(row[k:k + 4]) for k in range(0, len(row), 4)]
    return f"static const double upper_{block.order}[] = {{\n" + "".join(f"    {line},\n" for line in lines) + "};"


def table(blocks):
    text = ["/* SPDX-License-Identifier: Apache-2.0",
            " * Written by tools/derive_sbp.py: for each order the weights of the block at the boundary, Q_(k, k + 1) and on inside, and the block of Q",
            " * above its diagonal, row by row. Quotients are of numbers that a double holds exactly; the others have 24 digits. */", ""]
    for block in blocks:
        text += [array(f"weight_{block.order}", block.weight, 4), array(f"inside_{block.order}", block.inside, 4)]
        text += [triangle(block)] if block.upper else []
        text += [""]
    return "\n".join(text)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("--check", metavar="FILE")
    options.add_argument("--rationals", action="store_true")
    given = options.parse_args()
    blocks = [Block(order) for order in BLOCK]
    text = table(blocks)
    if given.rationals:
        for block in blocks:
            print(f"order {block.order}, {block.free[0]} free parameters, {block.free[1]} after the least error, H", *block.weight)
            for (i, j), k in block.place.items():
                print(f"Q[{i}][{j}] = {block.upper[k]}")
    elif given.check:
        six = next(block for block in blocks if block.order == 6)
        with open(given.check, encoding="utf-8") as file:
            checks = {"the file is what this script writes": file.read() == text}
        checks["order 6 has the parameter of the literature"] = six.upper[six.place[4, 5]] == LITERATURE
        checks["0, 0, 1, 3 parameters are free, one of them after the least error"] = [b.free for b in blocks] == [(0, 0), (0, 0), (1, 0), (3, 1)]
        checks["the tie costs less than 1e-20 of the error"] = all(block.excess < Fraction(1, 10 ** 20) for block in blocks)
        for what in (what for what, good in checks.items() if not good):
            print("derive_sbp: not so:", what)
        failed = list(checks.values()).count(False)
        print(f"derive_sbp: {len(checks) - failed} passed, {failed} failed")
        sys.exit(failed != 0)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()

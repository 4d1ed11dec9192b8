#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keys of equations in comments are known, docs/equations.md has them, and wrong keys are found.

usage: equations.py [--program FILE]"""
import os
import sys

from program import ROOT, Tally, run_parts

sys.path.insert(0, os.path.join(ROOT, "tools"))
import equations  # noqa: E402

GOOD = [("LM 16", [("LM", "16")]),
        ("LM 17, 18; VKS 9", [("LM", "17"), ("LM", "18"), ("VKS", "9")]),
        ("SKG 1.2, 3", [("SKG", "1.2"), ("SKG", "3")]),
        ("SKG R1 - R3", [("SKG", "R1"), ("SKG", "R2"), ("SKG", "R3")]),
        ("AS 13a", [("AS", "13a")]),
        ("AS 29 - 31", [("AS", "29"), ("AS", "30"), ("AS", "31")]),
        ("AS, remark 4", [("AS", "remark 4")]),
        ("SBZB after 3.13", [("SBZB", "3.13")]),
        ("RH 9, with V before F_N", [("RH", "9")]),
        ("HAMEL B.2, E", [("HAMEL", "B.2"), ("HAMEL", "E")]),
        ("RH", [("RH", "")])]
BAD = ["XY 1", "LM 58", "LM 17, 99", "AS 13e", "HAMEL Q.1", "SKG 3.99", "VKS 18-31", "LM 16, XY 2", "LM 18x y"]


def raises(words, known):
    try:
        equations.cited(words, known)
    except KeyError:
        return True
    return False


def stale(text):
    """Pages that differ from this one in what counts."""
    row = next(r for r in text.splitlines() if r.startswith("| 16 |"))
    yield text.replace(row + "\n", "")
    yield text.replace(row, row.replace("src/equations/dalembert.c", "src/equations/other.c"))


def keys_are_read(tally, known):
    for words, pairs in GOOD:
        seen = equations.cited(words, known)
        tally.check(seen == pairs, "[%s] is read as %s" % (words, seen))
    for words in BAD:
        tally.check(raises(words, known), "[%s] is taken" % words)


def page_is_up_to_date(tally, known):
    places, wrong, count = equations.index(known)
    tally.check(count > 100, "only %d keys were found in src" % count)
    for words in wrong:
        tally.check(False, words)
    text = equations.page(known, places)
    rows = equations.without_lines(text)
    old = equations.without_lines(equations.read(equations.PAGE))
    tally.check(old == rows, "docs/equations.md is out of date: run python3 tools/equations.py")
    for other in stale(text):
        tally.check(equations.without_lines(other) != rows, "a page that lacks a key or a file passes for up to date")
    moved = text.replace("c:2](", "c:9999](").replace("#L2)", "#L9999)")
    tally.check(equations.without_lines(moved) == rows, "lines count")


def main():
    tally = Tally("equations")
    run_parts((keys_are_read, page_is_up_to_date), tally, equations.papers())
    tally.done()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The mutants of tools/mutants.py change what the compiler sees, and nothing else. tests/mutations.py [--program FILE]"""
import itertools
import os
import sys
import tempfile

from program import ROOT, Tally, run_parts

sys.path.insert(0, os.path.join(ROOT, "tools"))
import mutants  # noqa: E402

TEXT = r'''/* a < b, 7 and if (x) */
#define SIZE 3 + 4
static const char *words = "a + 1; /* b */", quote = '"';   // c == 2
static int f(int *p, double x)
{
    int a = 1;
    if (a < *p && !(x > 0.5)) a += 2;
    while (a-- > 0) g(a);
    for (a = 0; a < 3; a++) {
        h();
    }
    return a == 3 ? -a : a + (int)x;
}
'''
# {kind: [(old, new)]}, by hand, in any order
WANTED = {
    "operator": [("<", "<="), ("<", ">="), ("&&", "||"), (">", ">="), (">", "<="), ("+=", "-="), ("--", "++"),
                 (">", ">="), (">", "<="), ("<", "<="), ("<", ">="), ("++", "--"), ("==", "!="), ("+", "-")],
    "number": [("1", "2"), ("1", "0"), ("0.5", "(2*0.5)"), ("0.5", "(0.5/2)"), ("2", "3"), ("2", "1"), ("0", "1"),
               ("0", "1"), ("3", "4"), ("3", "2"), ("3", "4"), ("3", "2")],
    "condition": [("(a < *p && !(x > 0.5))", "(!(a < *p && !(x > 0.5)))"), ("(a-- > 0)", "(!(a-- > 0))")],
    "statement": [("int a = 1;", ";"), ("a += 2;", ";"), ("g(a);", ";"), ("h();", ";")],
}


def written(folder, room, name):
    os.makedirs(os.path.join(folder, "src", room), exist_ok=True)
    with open(os.path.join(folder, "src", room, name), "w", encoding="utf-8") as file:
        file.write(TEXT)


def places_are_those_found_by_hand(tally, folder):
    written(folder, "base", "a.c")
    for kind, found in mutants.candidates(folder).items():
        pairs = sorted((TEXT[start:end], new) for _, start, end, new in found)
        if kind == "operator":                              # a pointer's star is not an operator here, but 'char *words' may pass for one
            pairs = [pair for pair in pairs if pair[0] != "*"]
        tally.check(pairs == sorted(WANTED[kind]), "%s: %s" % (kind, pairs))


def rooms_of_the_system_are_left_out(tally, folder):
    written(folder, "native", "b.c")
    written(folder, "cli", "c.c")
    names = {place[0] for found in mutants.candidates(folder).values() for place in found}
    tally.check(names == {os.path.join("src", "base", "a.c")}, "%s" % names)


def a_seed_gives_the_same_mutants(tally, folder):
    found = mutants.candidates(folder)
    first, again, other = (list(itertools.islice(mutants.drawn(found, seed), 12)) for seed in (1, 1, 2))
    tally.check(first == again and first != other, "seed 1: %s, then %s; seed 2: %s" % (first, again, other))
    tally.check(len({place for _, _, place in first}) == 12, "a mutant comes twice")


def main():
    tally = Tally("mutations")
    with tempfile.TemporaryDirectory() as folder:
        written(folder, "base", "a.c")
        run_parts((places_are_those_found_by_hand, rooms_of_the_system_are_left_out, a_seed_gives_the_same_mutants), tally, folder)
    tally.done()


if __name__ == "__main__":
    main()

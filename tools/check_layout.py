#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The layout of the C sources: as .clang-format has it, at most 120 columns, no comma statement outside of `for`.

usage: check_layout.py"""
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WIDTH = 120
VERSION = "14."                                            # Debian 12's; others lay out a little differently
TOKEN = re.compile(r"""(?P<blank>/\*.*?\*/|//[^\n]*|\s+|(?m:^)[ \t]*\#(?:[^\n\\]|\\.)*)|(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
                   r"""|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<word>[A-Za-z_]\w*)|(?P<sign>.)""", re.S)
TYPES = set("const static unsigned signed int size_t double bool char struct enum union float long short void volatile register extern typedef".split())
PAIRS = {"(": ")", "[": "]", "{": "}"}
PREFIXES = {"UNROLL"}                                      # a pragma before a loop


def tokens(text):
    found = []
    for m in TOKEN.finditer(text):
        if m.lastgroup != "blank":
            found.append((m.lastgroup, m.group(), m.start()))
    return found + [("end", "", len(text))]


class Reader:
    """Walks the statements of all functions of a file and notes where a comma joins two expressions."""

    def __init__(self, text):
        self.token, self.found = tokens(text), []

    def is_at(self, i, *values):
        return i < len(self.token) and self.token[i][0] in ("sign", "word") and self.token[i][1] in values

    def closing(self, i):
        depth = 0
        for k in range(i, len(self.token)):
            if self.is_at(k, *PAIRS):
                depth += 1
            elif self.is_at(k, *PAIRS.values()):
                depth -= 1
                if not depth:
                    return k
        raise ValueError("brackets")

    def file(self):
        i = 0
        while i < len(self.token):
            if self.is_at(i, "{"):
                i = self.block(i) if i and self.is_at(i - 1, ")") else self.closing(i)
            elif self.is_at(i, "(", "["):
                i = self.closing(i)
            i += 1
        return self.found

    def block(self, i):
        i += 1
        while not self.is_at(i, "}"):
            i = self.statement(i) + 1
        return i

    def statement(self, i):
        """Returns the index of its last token."""
        if self.is_at(i, "{"):
            return self.block(i)
        if self.is_at(i, *PREFIXES):
            return self.statement(i + 1)
        if self.is_at(i, "if", "while", "switch", "for"):
            last = self.statement(self.closing(i + 1) + 1)
            return self.statement(last + 2) if self.is_at(i, "if") and self.is_at(last + 1, "else") else last
        if self.is_at(i, "do"):
            return self.closing(self.statement(i + 1) + 2) + 1
        if self.is_at(i, "case", "default") or (self.token[i][0] == "word" and self.is_at(i + 1, ":")):
            return self.label(i)
        return self.simple(i)

    def label(self, i):
        choices = 0
        while not (self.is_at(i, ":") and not choices):
            choices += self.is_at(i, "?") - self.is_at(i, ":")
            i += 1
        return i if self.is_at(i + 1, "}") else self.statement(i + 1)

    def simple(self, first):
        i, choices, commas = first, 0, []
        while not self.is_at(i, ";"):
            choices += self.is_at(i, "?") - self.is_at(i, ":")
            if self.is_at(i, *PAIRS):
                i = self.closing(i)
            elif self.is_at(i, ",") and choices <= 0:
                commas.append(self.token[i][2])
            i += 1
        if commas and not self.declares(first):
            self.found.append(commas[0])
        return i

    def declares(self, i):
        if self.token[i][0] != "word" or self.is_at(i, "return"):
            return False
        if self.is_at(i, *TYPES):
            return True
        while self.is_at(i + 1, "*"):
            i += 1
        return self.token[i + 1][0] == "word"


def sources():
    for folder in ("src", "include", "tests", "bench"):
        for where, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(where, name), ROOT)


def look(name, complain):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        text = file.read()
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > WIDTH:
            complain("%s:%d: %d columns" % (name, number, len(line)))
    for at in Reader(text).file():
        complain("%s:%d: a comma statement" % (name, text.count("\n", 0, at) + 1))


def formatted(names, complain):
    program = shutil.which("clang-format")
    if not program or VERSION not in subprocess.run([program, "--version"], capture_output=True, text=True).stdout:
        print("skipped: the layout of .clang-format (needs clang-format %s)" % VERSION)
        return
    done = subprocess.run([program, "--dry-run", "-Werror", *names], cwd=ROOT, capture_output=True, text=True)
    for line in [x for x in done.stderr.split("\n") if "error:" in x]:
        complain(line)


def main():
    names, wrong = list(sources()), []
    for name in names:
        look(name, wrong.append)
    formatted(names, wrong.append)
    print("\n".join(wrong[:50]))
    files = {line.split(":")[0] for line in wrong}
    print("check_layout: %d passed, %d failed" % (len(names) - len(files), len(files)))
    return wrong != []


if __name__ == "__main__":
    sys.exit(main())

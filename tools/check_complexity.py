#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a reader has to keep in mind: the cognitive complexity of functions, as .clang-tidy has it, the fields of a
struct, the lines of a file.

usage: check_complexity.py BUILD"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST_FIELDS, MOST_LINES = 40, 700
VERSION = " 14."                                           # Debian 12's; others count a little differently
CHUNK = 24                                                 # files of one call
BLANK = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^[ \t]*#(?:[^\n\\]|\\.)*', re.S | re.M)
STRUCT = re.compile(r"\b(?:struct|union)\s*(\w*)\s*\{")


def body(text, start):
    depth, at = 1, start
    while depth:
        depth += (text[at] == "{") - (text[at] == "}")
        at += 1
    return text[start:at - 1]


def fields(inside):
    """Declarators at the struct's own level: those of a struct inside it count as one."""
    count = depth = 0
    for sign in inside:
        depth += (sign in "({[") - (sign in ")}]")
        count += depth == 0 and sign in ",;"
    return count


def structs(name, text, complain):
    text = BLANK.sub("", text)
    for found in STRUCT.finditer(text):
        count = fields(body(text, found.end()))
        if count > MOST_FIELDS:
            complain("%s: struct %s has %d fields, at most %d" % (name, found.group(1), count, MOST_FIELDS))


def functions(build, names, complain):
    program = shutil.which("clang-tidy")
    if not program or VERSION not in subprocess.run([program, "--version"], capture_output=True, text=True).stdout:
        print("skipped: the complexity of functions (needs clang-tidy%s)" % VERSION)
        return
    for i in range(0, len(names), CHUNK):
        done = subprocess.run([program, "--quiet", "-p", build, *names[i:i + CHUNK]], cwd=ROOT, capture_output=True, text=True)
        for line in sorted({x for x in done.stdout.split("\n") if " error: " in x}):
            complain(line.replace(ROOT + os.sep, ""))


def compiled(build):
    """Files that the build compiles: those of libraries that are not installed are not among them."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        return {os.path.relpath(os.path.join(c["directory"], c["file"]), ROOT) for c in json.load(file)}


def main():
    build = os.path.abspath(sys.argv[1])
    wrong, names = [], sorted(glob.glob("src/*/*.[ch]", root_dir=ROOT) + glob.glob("include/*/*.h", root_dir=ROOT))
    for name in names:
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            text = file.read()
        structs(name, text, wrong.append)
        if text.count("\n") > MOST_LINES:
            wrong.append("%s: %d lines, at most %d" % (name, text.count("\n"), MOST_LINES))
    known = compiled(build)
    functions(build, [x for x in names if x in known], wrong.append)
    print("\n".join(wrong[:60]))
    print("check_complexity: %d passed, %d failed" % (len(names) - len({x.split(":")[0] for x in wrong}), len(wrong)))
    return wrong != []


if __name__ == "__main__":
    sys.exit(main())

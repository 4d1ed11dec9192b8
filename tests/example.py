#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual's C program compiles without a warning, and prints what the manual says. tests/example.py [BUILD]"""
import os
import re
import subprocess
import sys
import tempfile
import textwrap

from program import ROOT, chosen, ended

BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build"))


def call(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def program_and_output():
    with open(os.path.join(ROOT, "docs/manual.md"), encoding="utf-8") as file:
        found = re.search(r"\n((?:    #include.*\n)(?:    .*\n|\n)*?    }\n)\nIt prints\n\n((?:    .*\n)+)", file.read())
    return [textwrap.dedent(part) for part in found.groups()]


def main():
    program, output = program_and_output()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "example.c"), os.path.join(folder, "example")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program)
        steps = [((os.environ.get("CC", "cc"), "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I" + os.path.join(ROOT, "include"), source, "-o", binary, "-L" + BUILD, "-lactio", "-Wl,-rpath," + BUILD), ""), ((binary,), output)]
        for words, expected in steps if chosen("example") else ():
            status, said = call(*words)
            good = status == 0 and said == expected
            passed, failed = passed + good, failed + (not good)
            if not good:
                print(f"example: {words[0]} ends with {status} and says\n{said}")
                break
    return ended("example", passed, failed)


if __name__ == "__main__":
    sys.exit(main())

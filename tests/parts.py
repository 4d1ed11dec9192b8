#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every script of the suite runs parts by name: `--only WORD` chooses, `--list` prints the names. tests/parts.py [--program FILE]"""
import os
import re
import subprocess
import sys

from program import ROOT, Tally, arguments, run_parts

LIGHT = "events"                                            # a script that needs no package and has many parts


def scripts():
    """Those that cmake/tests.cmake names."""
    with open(os.path.join(ROOT, "cmake", "tests.cmake"), encoding="utf-8") as file:
        words = set(re.findall(r"\w+", file.read()))
    return sorted(name[:-3] for name in os.listdir(os.path.join(ROOT, "tests")) if name.endswith(".py") and name[:-3] in words)


def called(program, *words):
    done = subprocess.run([sys.executable, os.path.join(ROOT, "tests", LIGHT + ".py"), "--program", program, *words], capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines()


def every_script_has_parts(tally, _):
    names = scripts()
    tally.check(len(names) > 40, "only %d scripts were found" % len(names))
    for name in names:
        with open(os.path.join(ROOT, "tests", name + ".py"), encoding="utf-8") as file:
            text = file.read()
        tally.check(re.search(r"\brun_parts\(|\bchosen\(|filter\(chosen,", text), "%s.py runs everything, whatever --only says" % name)


def names_are_listed(tally, program):
    status, names = called(program, "--list")
    tally.check(status == 0 and len(names) > 5 and len(set(names)) == len(names), "--list: exit %s, %s" % (status, names))
    tally.check(not any(re.search(r"\d passed", name) for name in names), "--list runs something")


def one_part_runs(tally, program):
    every, one = called(program)[1][-1], called(program, "--only", called(program, "--list")[1][0])[1][-1]
    count = [int(re.search(r"(\d+) passed, 0 failed", line).group(1)) for line in (every, one)]
    tally.check(0 < count[1] < count[0], "%s, and by name %s" % (every, one))


def unknown_names_are_refused(tally, program):
    known = called(program, "--list")[1][0]
    for words in (("--only", "nonesuch"), ("--only", known, "--only", "nonesuch")):
        status, said = called(program, *words)
        tally.check(status == 2 and "nonesuch" in said[-1], "an unknown part: exit %s, %s" % (status, said))


def labels_name_tests(tally, _):
    """A test that was renamed does not fall out of cmake/labels.cmake unseen."""
    with open(os.path.join(ROOT, "cmake", "labels.cmake"), encoding="utf-8") as file:
        text = file.read()
    tables = dict(re.findall(r"^set\((quick_programs|quick_scripts|dear_models|slow)\s+([^)]*)\)", text, re.M))
    tally.check(len(tables) == 4, "tables of labels.cmake: %s" % sorted(tables))
    endings = {"dear_models": ("models/%s.act",)}
    for table, names in tables.items():
        for name in names.split():
            files = [pattern % name for pattern in endings.get(table, ("tests/%s.c", "tests/%s.py", "tests/%s.sh"))]
            tally.check(any(os.path.exists(os.path.join(ROOT, f)) for f in files), "%s has '%s', which is not a test" % (table, name))


def main():
    program, _ = arguments()
    tally = Tally("parts")
    run_parts((every_script_has_parts, names_are_listed, one_part_runs, unknown_names_are_refused, labels_name_tests), tally, program)
    tally.done()


if __name__ == "__main__":
    main()

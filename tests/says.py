#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Everything that the program can say is said by some test. tests/says.py [BUILD]

The first line of each model in tests/says is "# CODE", or "# CODE | options of run" ("# CODE | orbit options" for another command)."""
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

from program import begin, chosen, ended, everything

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build"))
ACTIO = os.path.join(BUILD, "actio")
COMMANDS = ("check", "compare", "derive", "orbit", "run", "test")

# What only the library's callers can do wrong, or what takes gigabytes: provoked by these programs.
IN_C = {"TOO_MANY_NODES": "test_model", "NO_ORDER": "test_action", "ACTION_SINGULAR": "test_action", "NO_PRINCIPLE": "test_architecture", "NO_STEPPER": "test_architecture", "UNKNOWN_ENDING": "test_architecture",
        "FIELD_AXES": "test_result_fields", "NO_FORM": "test_action", "NO_DEGREE": "test_dual", "DUAL_FROZEN": "test_dual_action", "DUAL_NO_VALUE": "test_dual_action",
        "NOTHING_GIVEN": "test_refuse", "NO_SUCH_WORD": "test_refuse", "NOT_A_SIZE": "test_refuse", "PARAM_FIXED": "test_numbers", "NOT_A_START": "test_numbers", "NO_FLOW": "test_flow", "FLOW_IS_FREE": "test_flow", "FLOW_HAS_CORNERS": "test_flow", "FLOW_HAS_INSTANTS": "test_flow",
        "NO_INTEGRATOR": "test_integrator", "STATE_BREAKS": "test_integrator", "CANNOT_GO_ON": "test_integrator", "NOT_SAVED": "test_integrator",
        "EXTERNAL_NO_FORMULA": "test_external", "EXTERNAL_LOCAL": "test_external", "EXTERNAL_FAILED": "test_external", "EXTERNAL_SLOPES": "test_external",
        "EXTERNAL_OUTSIDE": "test_external", "NOT_AN_EXTERNAL": "test_external"}
# Said only if the program is wrong: nothing may provoke them.
NEVER = {"START_NOT_FINITE", "UNSETTLED", "DISAGREE"}
# What these say is provoked by tests of their own commands, too; here it is listed, not judged.
OPEN = {"NOT_REACHED_BY", "NO_FORMAT", "ORBIT_SPURIOUS", "ORBIT_MOTION_FAILS"}

# Words about the command line and files; MODEL is a good one, FOLDER an empty folder.
WORDS = [
    ("CANNOT_READ", "run FOLDER/none.act"), ("CANNOT_READ", "run nonesuch"), ("CANNOT_WRITE", "run MODEL -o FOLDER/full.csv"),
    ("NOT_A_PARAM", "run MODEL --set gamma=1"), ("OPTION_MEMBER", "run nlink --set m[1]=3"), ("BAD_OPTION", "run MODEL --start y=1"),
    ("BASE_TABLE", "run MODEL --by dual --base MODEL.csv"), ("BASE_SHORT", "run MODEL --by dual --time 0..5 --base FOLDER/guess.csv"),
    ("BASE_COLUMN", "run MODEL --by dual --base FOLDER/slip.csv"), ("BASE_UNUSED", "run MODEL --by dual --base FOLDER/energy.csv"),
    ("DUAL_FREE_FAILS", "run pars42 --by dual --closure free --grid 8 --time 0..60"),
    ("CANNOT_READ", "orbit MODEL --guess FOLDER/none.csv"), ("ORBIT_GUESS_LACKS", "orbit MODEL --guess FOLDER/guess.csv"),
    ("UNKNOWN_COLUMN", "run MODEL --plot FOLDER/a.svg --axes nothing"), ("BAD_AXES", "run MODEL --plot FOLDER/a.svg --axes x:y:z"),
    ("NO_FIELD", "run MODEL --animate FOLDER/a.svg"),
]
MODEL = "coord x\nlagrangian x'^2/2 - x^2/2\nstart x = 1\ntime 0 .. 1\n"


def table():
    """code -> (severity, exit status), and the codes of each file"""
    codes, files = {}, {}
    for path in sorted(glob.glob(os.path.join(ROOT, "src/base/findings*.def"))):
        with open(path, encoding="utf-8") as file:
            rows = re.findall(r"^FINDING\((\w+), (\w+), (\d+),", file.read(), re.M)
        files[os.path.basename(path)] = [row[0] for row in rows]
        codes.update({name: (severity, int(status)) for name, severity, status in rows})
    return codes, files


def said(words):
    """(exit status, codes of everything said)"""
    done = subprocess.run([ACTIO, *words, "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    result = json.loads(done.stdout)
    messages = [m for key in ("errors", "warnings", "notes") for m in result.get(key, [])]
    return done.returncode, [m["code"] for m in messages]


def interrupted(path):
    with open(path, "w", encoding="utf-8") as file:
        file.write(MODEL.replace("0 .. 1", "0 .. 1e9"))
    child = begin(ACTIO, "run", path, "--json", busy=.3, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate()
    return child.returncode, [m["code"] for m in json.loads(out)["errors"]]


def main():
    codes, files = table()
    seen, passed, failed = set(IN_C), 0, 0

    def check(good, words):
        nonlocal passed, failed
        passed, failed = passed + bool(good), failed + (not good)
        if not good:
            print("  failed: " + words, flush=True)

    def expect(code, words, answer):
        status, found = answer
        seen.update(found)
        severity, exit_status = codes[code]
        check(code in found, f"{words}: {code} is not among {found}")
        check(status == exit_status or (severity != "ERROR" and status == 0), f"{words}: exit {status}, not {exit_status}")

    for path in sorted(glob.glob(os.path.join(ROOT, "tests/says/*.act"))):
        with open(path, encoding="utf-8") as file:
            code, _, options = file.readline().lstrip("# ").strip().partition(" | ")
        if not chosen("model " + os.path.basename(path)):
            continue
        words = options.split()
        command = words.pop(0) if words and words[0] in COMMANDS else "run"
        if code not in codes:
            check(False, f"{os.path.basename(path)}: there is no finding {code}")
            continue
        expect(code, os.path.basename(path), said([command, path, *words]))
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/bad/*.act"))):
        if not chosen("bad " + os.path.basename(path)):
            continue
        status, found = said(["run", path])
        seen.update(found)
        check(status in (1, 4) and found and all(code in codes for code in found), f"{os.path.basename(path)}: exit {status}, {found}")
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/units/*.act"))):    # their words: test_units
        if not chosen("units " + os.path.basename(path)):
            continue
        _, found = said(["check", path])
        seen.update(found)
        check(all(code in codes for code in found), f"{os.path.basename(path)}: {found}")
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "a.act")
        with open(model, "w", encoding="utf-8") as file:
            file.write(MODEL)
        with open(model + ".csv", "w", encoding="utf-8") as file:
            file.write("x\n1\n")
        with open(os.path.join(folder, "guess.csv"), "w", encoding="utf-8") as file:
            file.write("t,x\n0,1\n1,0\n2,1\n")
        os.symlink("/dev/full", os.path.join(folder, "full.csv"))
        for name in ("slip", "energy"):
            with open(os.path.join(folder, name + ".csv"), "w", encoding="utf-8") as file:
                file.write(f"t,x,{name}\n0,1,1\n1,.5,1\n")
        os.mkdir(os.path.join(folder, "folder.csv"))
        for code, line in WORDS:
            if not chosen(line):
                continue
            expect(code, line, said(line.replace("MODEL", model).replace("FOLDER", folder).split()))
        if chosen("interrupted"):
            expect("INTERRUPTED", "interrupted", interrupted(os.path.join(folder, "b.act")))
        check(not everything() or sorted(os.listdir(folder)) == ["a.act", "a.act.csv", "b.act", "energy.csv", "folder.csv", "full.csv", "guess.csv", "slip.csv"], f"left behind: {os.listdir(folder)}")
    for name, program in IN_C.items():
        with open(os.path.join(ROOT, f"tests/{program}.c"), encoding="utf-8") as file:
            check(name in file.read(), f"{program}.c does not provoke {name}")
    for name, wanted in files.items() if everything() else ():
        missing = [code for code in wanted if (code in seen) == (code in NEVER)]
        other = [code for code in missing if OPEN & {name, code}]
        if other:
            print(f"  {name}: nothing here provokes " + ", ".join(other))
        for code in wanted if not other else [c for c in wanted if c not in other]:
            check(code not in missing, f"{name}: {'something' if code in seen else 'nothing'} provokes {code}")
    return ended("says", passed, failed)


if __name__ == "__main__":
    sys.exit(main())

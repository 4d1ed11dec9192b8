# SPDX-License-Identifier: Apache-2.0
"""How the Python tests find the program and the gallery, choose parts, count, and end.

Every script takes `--only WORD`, as often as wanted, and `--list`: parts with one of the words in their names run, or
the names are printed. Both are taken off the command line here, before a script looks at it."""
import atexit
import csv
import glob
import io
import json
import os
import re
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def taken_words():
    """The words after --only, and whether there was --list; sys.argv keeps the rest."""
    only, rest, words = [], [], iter(sys.argv[1:])
    for word in words:
        if word == "--only":
            only.append(next(words, ""))
        elif word != "--list":
            rest.append(word)
    lists = "--list" in sys.argv[1:]
    sys.argv[1:] = rest
    return only, lists


ONLY, LISTS = taken_words()
SEEN = []                                                  # names of parts


def chosen(name):
    """Whether the part of this name is to run."""
    if LISTS and name not in SEEN:
        print(name)
    SEEN.append(name)
    return not LISTS and (not ONLY or any(word in name for word in ONLY))


def run_parts(parts, *arguments):
    """Calls the functions whose names are chosen, each with the arguments."""
    for part in parts:
        if chosen(part.__name__):
            part(*arguments)


def everything():
    """Whether everything runs: what is counted over all parts is checked then only."""
    return not ONLY and not LISTS


def model_name(path):
    return os.path.splitext(os.path.basename(path))[0]


@atexit.register
def check_words():
    """Each word has to have chosen something: a part that was renamed is not forgotten."""
    lost = [word for word in ONLY if not any(word in name for name in SEEN)]
    if lost:
        print("no part has '%s' in its name; --list prints the names" % "' or '".join(lost), flush=True)
        os._exit(2)


def arguments():
    """(program, models): [--program FILE] [MODEL ...], without models the whole gallery."""
    words, program = sys.argv[1:], os.path.join(ROOT, "build", "actio")
    if words[:1] == ["--program"]:
        program, words = words[1], words[2:]
    if not os.access(program, os.X_OK):
        sys.exit("no program at %s: build it, or name it with --program" % os.path.relpath(program))
    for word in words:
        if not os.path.exists(word):
            sys.exit("'%s' is not a model; --only %s chooses parts with this word in their names" % (word, word))
    return os.path.abspath(program), words or sorted(glob.glob(os.path.join(ROOT, "models", "*.act")))


def call(program, *words):
    """Exit status, standard output, standard error. However long it takes: what is slow here may be fast elsewhere, and ctest ends what hangs."""
    done = subprocess.run([program, *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


# ---- signals, by what the program does and not by the clock

def wait_until(child, happened):
    """Waits for something, or for the end of the child; whether it happened."""
    while not happened():
        if child.poll() is not None:
            return False
        time.sleep(.005)
    return True


def begin(*words, busy=0, **more):
    """A program that has begun to listen to signals, and has worked for so many seconds of its own time."""
    child = subprocess.Popen(words, **more)

    def listens():
        with open("/proc/%d/status" % child.pid, encoding="utf-8") as file:
            caught = re.search(r"^SigCgt:\s*(\w+)", file.read(), re.M)
        return caught and int(caught[1], 16) >> signal.SIGINT - 1 & 1

    def worked():
        with open("/proc/%d/stat" % child.pid, encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12]) >= busy * os.sysconf("SC_CLK_TCK")
    wait_until(child, listens)
    wait_until(child, worked)
    return child


def rows(text):
    """CSV text as a list of {column: float}."""
    return [{name: float(x) for name, x in row.items()} for row in csv.DictReader(io.StringIO(text))]


def one_sided(path):
    """Whether the model has contacts or dry friction: its motion is not that of smooth equations."""
    with open(path, encoding="utf-8") as file:
        return re.search(r"^contact\b|^constraint\b.*\bfriction =", file.read(), re.M) is not None


def slides(program, path):
    """Whether the motion goes along a switch for a while: it is a mixture of both sides there, and does not go back the way it came."""
    with open(path, encoding="utf-8") as file:
        if not re.search(r"^(force|flow)\b", file.read(), re.M):
            return False
    status, out, _ = call(program, "run", path, "--json", "--points", "2")
    return status == 0 and any(event["kind"] == "held" for event in json.loads(out)["events"])


def has_fields(path):
    """Whether the model has fields: derive shows the equations of the continuum, which hold at the nodes only approximately (see derive_fields.py)."""
    with open(path, encoding="utf-8") as file:
        return re.search(r"^field\b", file.read(), re.M) is not None


def ended(name, passed, failed):
    """Prints the line that tools/test.py adds up; the exit status."""
    if not LISTS:
        print("%s: %d passed, %d failed" % (name, passed, failed))
    return 1 if failed else 0


class Tally:
    def __init__(self, name):
        self.name, self.passed, self.failed = name, 0, 0

    def check(self, good, words):
        self.passed, self.failed = self.passed + bool(good), self.failed + (not good)
        if not good:
            print("  failed: " + words, flush=True)
        return good

    def done(self):
        sys.exit(ended(self.name, self.passed, self.failed))

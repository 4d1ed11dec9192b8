#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many faults do the quick tests find? Random mutants of the core, one at a time, against `ctest -L quick`.

A mutant changes one place of one C file: an operator swapped, a number changed, a condition negated, a statement
deleted. Those that do not compile, or compile to the same object code, do not count. Sources are copied: the tree stays
as it is. Results go to FOLDER/seed-N.jsonl; the same command continues where it was interrupted."""
import argparse
import concurrent.futures
import glob
import hashlib
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NOT_CORE = ("native", "cli")                                # what needs an operating system is faked in many tests
MEMORY = 6 << 30                                            # bytes for one process of a mutant
SLOWER, SPARE = 4, 30                                       # a mutant hangs when it takes 4 times the usual and 30 s more

TOKEN = re.compile(r"""
    (?P<comment>/\*.*?\*/|//[^\n]*) | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*) |
    (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*') | (?P<space>\s+) | (?P<word>[A-Za-z_]\w*) |
    (?P<number>(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)[uUlLfF]*) |
    (?P<mark><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^!~<>=?:;,.(){}\[\]])
    """, re.X | re.S | re.M)
SWAPS = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "<": "<= >=", ">": ">= <=", "<=": "< >", ">=": "> <",
         "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "<<": ">>",
         ">>": "<<", "++": "--", "--": "++", "&": "|", "|": "&", "|=": "&="}
BINARY_ONLY = {"+", "-", "*", "&"}                          # these are also signs, pointers and addresses
KEPT = {"return", "if", "else", "for", "while", "do", "switch", "case", "default", "goto", "static", "const", "struct",
        "typedef", "extern", "enum", "union"}               # statements that do not start with these may be deleted


class Token:
    def __init__(self, found):
        self.kind, self.text, self.start, self.end = found.lastgroup, found.group(), found.start(), found.end()


def tokens(text):
    """What the compiler sees: without comments, texts and the lines of the preprocessor."""
    found = (Token(m) for m in TOKEN.finditer(text))
    return [t for t in found if t.kind not in ("comment", "space", "directive")]


def closing(list_, i):
    """The index of the parenthesis that closes the one at i."""
    depth = 0
    for k in range(i, len(list_)):
        depth += {"(": 1, ")": -1}.get(list_[k].text, 0)
        if depth == 0:
            return k
    return None


def swapped(list_):
    """Operators."""
    for before, t in zip(list_, list_[1:]):
        is_value = before.kind in ("word", "number") and before.text not in KEPT or before.text in (")", "]")
        if t.kind == "mark" and t.text in SWAPS and (is_value or t.text not in BINARY_ONLY):
            for other in SWAPS[t.text].split():
                yield t.start, t.end, other


def changed(list_):
    """Numbers."""
    for t in list_:
        if t.kind != "number":
            continue
        digits, suffix = re.fullmatch(r"(.*?)([uUlLfF]*)", t.text).groups() if not t.text.startswith("0x") else (t.text, "")
        if re.fullmatch(r"\d+", digits):
            yield t.start, t.end, "%d%s" % (int(digits) + 1, suffix)
            if int(digits) > 0:
                yield t.start, t.end, "%d%s" % (int(digits) - 1, suffix)
        else:
            yield t.start, t.end, "(2*%s)" % t.text
            yield t.start, t.end, "(%s/2)" % t.text


def negated(list_):
    """Conditions."""
    for i, t in enumerate(list_[:-1]):
        if t.text in ("if", "while") and list_[i + 1].text == "(":
            end = closing(list_, i + 1)
            if end:
                yield list_[i + 1].start, list_[end].end, None


def deleted(list_):
    """Statements within functions, those after a condition on the same line too."""
    braces, brackets, begin, heads = 0, 0, None, []
    for i, t in enumerate(list_[:-1]):
        braces += {"{": 1, "}": -1}.get(t.text, 0)
        brackets += {"(": 1, ")": -1}.get(t.text, 0)
        if t.text == ";" and brackets == 0 and begin is not None and braces > 0 and i > begin:
            yield list_[begin].start, t.end, ";"
        if t.text in ("if", "for", "while"):
            heads.append(closing(list_, i + 1))
        if t.text in ("{", "}", "else") or t.text == ";" and brackets == 0 or i in heads[-1:]:
            begin = i + 1 if list_[i + 1].text not in KEPT else None


KINDS = {"operator": swapped, "number": changed, "condition": negated, "statement": deleted}


def candidates(folder):
    """{kind: [(file, start, end, new text)]}, always in the same order."""
    found = {kind: [] for kind in KINDS}
    for path in sorted(glob.glob(os.path.join(folder, "src", "*", "*.c"))):
        name = os.path.relpath(path, folder)
        if name.split(os.sep)[1] in NOT_CORE:
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        list_ = tokens(text)
        for kind, find in KINDS.items():
            for start, end, new in find(list_):
                new = "(!%s)" % text[start:end] if new is None else new
                found[kind].append((name, start, end, new))
    return found


def drawn(found, seed):
    """Mutants without end: a kind, then a place of that kind; none twice."""
    rng, seen = random.Random(seed), set()
    for index in itertools.count():
        kind = rng.choice(sorted(found))
        place = rng.choice(found[kind])
        if place not in seen:
            seen.add(place)
            yield index, kind, place


def sources():
    """What travels: files that git knows, and new ones that it does not ignore."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, check=True).stdout.decode()
    return sorted(name for name in listed.split("\0") if name and os.path.isfile(os.path.join(ROOT, name)))


def fingerprint(names):
    """Of all that a verdict depends on."""
    total = hashlib.sha256()
    for name in names:
        if not name.startswith(("src/", "include/", "models/", "tests/", "cmake/", "CMakeLists.txt")):
            continue
        with open(os.path.join(ROOT, name), "rb") as file:
            total.update(name.encode() + b"\0" + file.read())
    return total.hexdigest()[:16]


class Bench:
    """A copy of the sources, its build, and mutants of it one after the other."""

    def __init__(self, folder, label, side_by_side):
        self.source, self.build = os.path.join(folder, "source"), os.path.join(folder, "build")
        self.cache, self.usual = os.path.join(folder, "cache"), None
        self.ctest = ["ctest", "--test-dir", self.build, "-L", "^%s$" % label, "--stop-on-failure", "-j", str(side_by_side)]
        self.environment = dict(os.environ, XDG_CACHE_HOME=self.cache, CCACHE_BASEDIR=folder, CCACHE_NOHASHDIR="1",
                                CLICOLOR="0")

    def copy(self, names):
        """Only what changed is written, so that little is built again."""
        for name in names:
            here, there = os.path.join(ROOT, name), os.path.join(self.source, name)
            with open(here, "rb") as file:
                wanted = file.read()
            if os.path.exists(there):
                with open(there, "rb") as file:
                    if file.read() == wanted:
                        continue
            os.makedirs(os.path.dirname(there), exist_ok=True)
            shutil.copyfile(here, there)
            shutil.copymode(here, there)

    def call(self, *words):
        return subprocess.run(words, cwd=self.source, env=self.environment, capture_output=True, text=True, errors="replace")

    def prepare(self, names, usual):
        """Configured, built; the tests pass. usual: the processor time that they take, where it is known."""
        self.copy(names)
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        linker = ["-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld"] if shutil.which("ld.lld") else []   # every mutant links anew
        for step in (["cmake", "-S", ".", "-B", self.build, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *generator, *launcher, *linker],
                     ["cmake", "--build", self.build, "--target", "quick", "-j", str(os.cpu_count())]):
            done = self.call(*step)
            if done.returncode != 0:
                raise SystemExit("mutants: the sources do not build\n" + done.stdout[-4000:] + done.stderr[-4000:])
        with open(os.path.join(self.build, "compile_commands.json"), encoding="utf-8") as file:
            self.commands = {os.path.relpath(c["file"], self.source): c for c in json.load(file)
                             if "actio_core.dir" in c["command"]}
        verdict, by, self.usual = ("survived", "", usual) if usual else self.tested(None)
        if verdict != "survived":
            raise SystemExit("mutants: %s fails without a mutation" % by)

    def compiled(self, name):
        """The object code of a file as it stands, or None."""
        command = self.commands[name]
        made = os.path.join(self.build, "mutant.o")
        words = re.sub(r"-o \S+", "-o " + made, command["command"])
        if subprocess.run(words, shell=True, cwd=command["directory"], env=self.environment, capture_output=True).returncode:
            return None
        with open(made, "rb") as file:
            return file.read()

    def tested(self, limit):
        """(survived, killed or hang; by which test; seconds of processor time)"""
        shutil.rmtree(self.cache, ignore_errors=True)
        os.makedirs(self.cache)

        def bounded():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            if limit:
                resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))
        log = os.path.join(self.build, "ctest.log")
        with open(log, "w", encoding="utf-8") as out:
            child = subprocess.Popen(self.ctest, cwd=self.source, env=self.environment, stdout=out, stderr=out,
                                     preexec_fn=bounded, start_new_session=True)
            hangs, used = self.watched(child, limit)
        with open(log, encoding="utf-8", errors="replace") as file:
            failed = re.findall(r"Test +#\d+: (\S+) \.*\*\*\*", file.read())
        if hangs:
            return "hang", "processor time", used
        return ("survived", "", used) if child.returncode == 0 else ("killed", failed[0] if failed else "ctest", used)

    @staticmethod
    def watched(child, limit):
        """Waits for the end. Processor time is that of the tests that have ended; one of them may use up to the limit."""
        used, tick = 0., os.sysconf("SC_CLK_TCK")
        while child.poll() is None:
            with open("/proc/%d/stat" % child.pid, encoding="utf-8") as file:
                fields = file.read().rpartition(")")[2].split()
            used = (int(fields[13]) + int(fields[14])) / tick
            if limit and used > limit:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                return True, used
            time.sleep(.2)
        return False, used

    def mutant(self, kind, place):
        """One mutant from its text to its verdict; the copy is whole again afterwards."""
        name, start, end, new = place
        path = os.path.join(self.source, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        line = text.count("\n", 0, start) + 1
        answer = {"file": name, "line": line, "kind": kind, "old": " ".join(text[start:end].split()), "new": " ".join(new.split()),
                  "source": " ".join(text.splitlines()[line - 1].split())}
        before = self.compiled(name)
        try:
            self.write(path, text[:start] + new + text[end:])
            after = self.compiled(name)
            if after is None or after == before:
                return dict(answer, verdict="invalid" if after is None else "same")
            if self.call("cmake", "--build", self.build, "--target", "quick").returncode != 0:
                return dict(answer, verdict="killed", by="the build", cpu=0)
            verdict, by, used = self.tested(SLOWER * self.usual + SPARE)
            return dict(answer, verdict=verdict, by=by, cpu=round(used, 1))
        finally:
            self.write(path, text)

    @staticmethod
    def write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


class Ledger:
    """Verdicts in a file, one a line, so that an interrupted command goes on."""

    def __init__(self, path, mark):
        self.path, self.lock, self.known = path, threading.Lock(), {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                lines = [json.loads(line) for line in file]
            if lines and lines[0].get("sources") == mark:
                self.known = {line["index"]: line for line in lines[1:]}
                return
            os.replace(path, path + ".old")
        self.append({"sources": mark})

    def append(self, line):
        with self.lock, open(self.path, "a", encoding="utf-8") as file:
            print(json.dumps(line), file=file)

    def add(self, index, answer):
        self.known[index] = dict(answer, index=index)
        self.append(self.known[index])

    def valid(self, count=None):
        return [self.known[i] for i in sorted(self.known) if self.known[i]["verdict"] not in ("invalid", "same")][:count]


def shown(answer):
    what = answer["new"] if answer["kind"] != "statement" else "deleted"
    return "%-8s %s:%d  %s -> %s  in: %s%s" % (answer["verdict"], answer["file"], answer["line"], answer["old"][:60], what[:60],
                                               answer["source"][:90], "  by " + answer["by"] if answer.get("by") else "")


def work(bench, mutants, ledger, wanted, lock):
    """Takes mutants in turn until enough of them counted."""
    while True:
        with lock:
            if len(ledger.valid()) >= wanted:
                return
            index, kind, place = next(mutants)
            if index in ledger.known:
                continue
        answer = bench.mutant(kind, place)
        ledger.add(index, answer)
        if answer["verdict"] not in ("invalid", "same"):
            print(shown(answer), flush=True)


def report(ledger, count):
    verdicts = ledger.valid(count)
    survived = [v for v in verdicts if v["verdict"] == "survived"]
    hangs = sum(v["verdict"] == "hang" for v in verdicts)
    same, invalid = (sum(v["verdict"] == word for v in ledger.known.values()) for word in ("same", "invalid"))
    print("\nsurvivors:" if survived else "\nno survivors")
    for v in sorted(survived, key=lambda v: (v["file"], v["line"])):
        print("  " + shown(v))
    for kind in KINDS:
        of = [v for v in verdicts if v["kind"] == kind]
        print("%-10s %3d of %3d killed" % (kind, sum(v["verdict"] != "survived" for v in of), len(of)))
    dead = len(verdicts) - len(survived)
    print("%d mutants: %d killed, %d of them by a hang, %d survived: %.0f %%. Not counted: %d with the same object code, %d that do not compile."
          % (len(verdicts), dead, hangs, len(survived), 100. * dead / max(1, len(verdicts)), same, invalid))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time, each with a build of its own")
    parser.add_argument("--tests", type=int, default=1, help="tests of a mutant at a time")
    parser.add_argument("--label", default="quick", help="of the tests")
    parser.add_argument("--folder", default=os.path.join(ROOT, "build", "mutants"))
    parser.add_argument("--report", action="store_true", help="show what is known and stop")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    names = sources()
    ledger = Ledger(os.path.join(options.folder, "seed-%d.jsonl" % options.seed), fingerprint(names))
    if not options.report:
        benches = [Bench(os.path.join(options.folder, "job%d" % i), options.label, options.tests) for i in range(options.jobs)]
        benches[0].prepare(names, None)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(lambda bench: bench.prepare(names, benches[0].usual), benches[1:]))
        print("the tests take %.0f s of processor time" % benches[0].usual, flush=True)
        mutants, lock = drawn(candidates(benches[0].source), options.seed), threading.Lock()
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for done in [pool.submit(work, bench, mutants, ledger, options.count, lock) for bench in benches]:
                done.result()
    report(ledger, options.count)


if __name__ == "__main__":
    main()

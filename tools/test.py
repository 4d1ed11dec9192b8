#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Everything that is checked, in one go: `make test`. The last line is "N passed, N failed".

A check that prints "NAME: N passed, N failed" counts as so many; any other counts as one."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HANGS = 3600                                               # seconds for one input of the fuzzer: milliseconds are usual, and a busy machine is no hang
COUNTS = re.compile(r"(\d+) passed, (\d+) failed")


class Totals:
    passed = failed = 0

    def add(self, name, ok, output, seconds):
        counts = [(int(a), int(b)) for a, b in COUNTS.findall(output)]
        passed, failed = sum(a for a, _ in counts), sum(b for _, b in counts)
        if ok and passed + failed == 0:
            passed = 1
        if not ok and failed == 0:
            failed = 1
        self.passed += passed
        self.failed += failed
        print(f"{'ok    ' if ok else 'FAILED'} {name:40} {passed:6} passed {failed:3} failed {seconds:7.1f} s", flush=True)
        if not ok:
            print("    " + "\n    ".join(output.strip().splitlines()[-40:]), flush=True)


def call(command, **more):
    """Output and whether it went well, however long it takes; never raises."""
    try:
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)
        return done.returncode == 0, done.stdout
    except OSError as trouble:
        return False, str(trouble)


def build(preset, jobs, totals, wrapper=()):
    began = time.time()
    ok, output = call([*wrapper, "cmake", "--preset", preset])
    if ok:
        ok, more = call(["cmake", "--build", "--preset", preset, "-j", str(jobs)])
        output += more
    if ok and "warning:" in output:
        ok = False
    totals.add(f"build {preset}", ok, output, time.time() - began)
    return ok


def ctest(folder, label, jobs, totals):
    report = os.path.join(ROOT, folder, "tests.xml")
    if os.path.exists(report):
        os.remove(report)
    call(["ctest", "--test-dir", folder, "-j", str(jobs), "-E", "^quick[.]", "--output-junit", report,   # parts of what runs whole
          "--test-output-size-passed", "1000000", "--test-output-size-failed", "1000000"])
    if not os.path.exists(report):
        totals.add(f"{label}: ctest", False, "no report", 0)
        return
    for case in xml.parse(report).getroot().iter("testcase"):
        ok = case.get("status") == "run"
        totals.add(f"{label}: {case.get('name')}", ok, case.findtext("system-out") or "", float(case.get("time") or 0))


def fuzz(jobs, totals, seconds):
    """Random and mangled models through the reader, seeded with all good and bad ones."""
    if not shutil.which("clang") or not os.path.exists(os.path.join(ROOT, "tests/fuzz_model.c")):
        print("skipped: fuzz (needs clang and tests/fuzz_model.c)")
        return
    if not build("fuzz", jobs, totals):
        return
    corpus = os.path.join(ROOT, "build/fuzz/corpus")
    os.makedirs(corpus, exist_ok=True)
    dictionary = ["-dict=tests/fuzz.dict"] if os.path.exists(os.path.join(ROOT, "tests/fuzz.dict")) else []
    began = time.time()
    ok, output = call(["build/fuzz/fuzz_model", f"-max_total_time={seconds}", "-max_len=4096", f"-timeout={HANGS}", "-rss_limit_mb=2048", "-verbosity=0",
                       "-print_final_stats=1", "-artifact_prefix=build/fuzz/", *dictionary, corpus, "models", "tests/bad"])
    totals.add(f"fuzz {seconds} s", ok, output, time.time() - began)


def web(jobs, totals):
    """The core as WebAssembly, run by node; numbers agree with the native ones."""
    if not shutil.which("emcc") or not shutil.which("node"):
        print("skipped: web (no emcc or node)")
        return
    os.environ.setdefault("NODE_PATH", "/usr/share/nodejs")       # where Debian keeps node-acorn, which emcc needs
    if not build("web", jobs, totals, wrapper=["emcmake"]):
        return
    began = time.time()
    ok, output = call(["node", "build/web/web_disk.js"])
    totals.add("web: disk under node", ok, output, time.time() - began)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", choices=["release", "sanitize", "fuzz", "web"])
    parser.add_argument("--seconds", type=int, default=60, help="of fuzzing")
    options = parser.parse_args()
    totals = Totals()
    steps = {
        "release": lambda: build("release", options.jobs, totals) and ctest("build", "release", options.jobs, totals),
        "sanitize": lambda: build("sanitize", options.jobs, totals) and ctest("build/sanitize", "sanitize", options.jobs, totals),
        "fuzz": lambda: fuzz(options.jobs, totals, options.seconds),
        "web": lambda: web(options.jobs, totals),
    }
    for name, step in steps.items():
        if options.only in (None, name):
            step()
    line = f"{totals.passed} passed, {totals.failed} failed"
    os.makedirs(os.path.join(ROOT, "build"), exist_ok=True)
    with open(os.path.join(ROOT, "build/totals"), "w", encoding="utf-8") as file:
        print(line, file=file)
    print(line)
    return totals.failed != 0


if __name__ == "__main__":
    sys.exit(main())

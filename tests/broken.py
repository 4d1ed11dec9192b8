#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual's broken models and what the program says of them are what it says now. tests/broken.py [--program FILE] [--write]

--write puts today's messages into docs/manual.md."""
import argparse
import glob
import os
import re
import subprocess
import sys

from program import ROOT, Tally, chosen

FOLDER = os.path.join(ROOT, "docs/broken")
MANUAL = os.path.join(ROOT, "docs/manual.md")
BEGIN, END = "<!-- broken models: written by tests/broken.py -->\n", "<!-- end of broken models -->\n"


def said(program, name):
    done = subprocess.run([program, "check", name, "--no-color"], cwd=FOLDER, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout.decode().splitlines()[0], done.stderr.decode()


def indented(text):
    return "".join("    " + line + "\n" if line else "\n" for line in text.strip("\n").split("\n"))


def section(number, name, answer):
    """One model: its text with the comment that says what it is meant to be, the messages."""
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        text = file.read()
    return f"**{number}**\n\n{indented(text)}\n`{answer[1].split(': ', 1)[1]}`, exit status {answer[0]}:\n\n{indented(answer[2])}\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=os.path.join(ROOT, "build/actio"))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    names = sorted(os.path.basename(path) for path in glob.glob(os.path.join(FOLDER, "*.act")))
    answers = [said(os.path.abspath(options.program), name) for name in names]
    text = BEGIN + "\n" + "".join(section(i + 1, name, answer) for i, (name, answer) in enumerate(zip(names, answers))) + END
    with open(MANUAL, encoding="utf-8") as file:
        manual = file.read()
    before, _, rest = manual.partition(BEGIN)
    now, _, after = rest.partition(END)
    if options.write:
        with open(MANUAL, "w", encoding="utf-8") as file:
            file.write(before + text + after)
        return 0
    tally = Tally("broken")
    everything = "".join(answer[1] + "\n" + answer[2] for answer in answers)
    quoted = re.findall(r"^\| `\w+` \|[^|]*\| `(.*)` \|$", before, re.M)
    for good, words in [(BEGIN + now + END == text, "the manual's broken models are stale: run tests/broken.py --write"), (len(names) == 10, f"{len(names)} broken models"),
                        (len(quoted) == 5, f"{len(quoted)} messages in the manual's table of verdicts"),
                        *[(message in everything, f"no broken model is answered with: {message}") for message in quoted]]:
        if chosen(words):
            tally.check(good, words)
    tally.done()


if __name__ == "__main__":
    sys.exit(main())

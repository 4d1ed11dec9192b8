#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/architecture.md names rooms, files and functions that exist, and its rooms stand in the order that tools/check_includes.sh enforces.

usage: architecture.py [--program FILE]"""
import os
import re

from program import ROOT, Tally, run_parts


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def source():
    texts = []
    for folder, _, names in os.walk(os.path.join(ROOT, "src")):
        texts += [read(folder, n) for n in names if n.endswith((".c", ".h"))]
    return "\n".join(texts)


def exists(name):
    return any(os.path.exists(os.path.join(ROOT, where, name)) for where in ("src", ""))


def rooms_are_folders(tally, page):
    rooms = re.findall(r"^\| `([a-z]+)` \|", page, re.M)
    tally.check(rooms == re.search(r'^rooms="(.*)"', read("tools", "check_includes.sh"), re.M).group(1).split(), "rooms of the page and of the check differ")
    tally.check(sorted(rooms) == sorted(os.listdir(os.path.join(ROOT, "src"))), "rooms of the page and folders of src differ")


def headers_say_what_rooms_do(tally, page):
    for room, header in re.findall(r"^\| `([a-z]+)` \|.*\| `([a-z_]+\.h)`[^|]*\|$", page, re.M):
        first = read("src", room, header).split("*/")[0]
        tally.check(all(word in first for word in ("In: ", "Out: ", "Callers: ")), "%s/%s does not say what comes in, what goes out and who calls it" % (room, header))


def files_exist(tally, page):
    for name in sorted(set(re.findall(r"`([a-z]+/[a-z0-9_]+\.(?:c|h|def|py|sh))`", page))):
        tally.check(exists(name), "there is no file %s" % name)


def functions_exist(tally, page):
    code = source()
    for name in sorted(set(re.findall(r"`(actio_[a-z_]+)`", page))):
        tally.check(re.search(r"\b%s\(" % name, code), "there is no function %s" % name)


def main():
    tally = Tally("architecture")
    run_parts((rooms_are_folders, headers_say_what_rooms_do, files_exist, functions_exist), tally, read("docs", "architecture.md"))
    tally.done()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What people read is plain English. tests/words.py [--program PROGRAM]

No word of our old dialect stands in messages, help, documents, models or comments. A sentence of a message, of the
help, of a document or of a model's description has at most 25 words. A hint begins with a verb."""
import argparse
import contextlib
import glob
import io
import json
import os
import re
import subprocess

from program import ROOT, ended, run_parts

LONGEST = 25
LITERAL = r'"(?:[^"\\\n]|\\.)*"'

# (pattern, what to write in its place)
FORBIDDEN = [
    (r"\b[Tt]old\b", "reported"), (r"\b[Aa]sked\b", "requested"), (r"\b[Aa]lone\b(?!:)", "only, isolated"), (r"\bshall\b", "must, or the present tense"),
    (r"(?<![Tt]here )\b(?:is|are) no (?!longer|more|less|better|other|basis)[a-z]+", "is not a, are not"),
    (r"(?<!here )\bis none\b", "is not one"), (r"\bin disguise\b", "equivalent to"), (r"\bby itself alone\b", "by itself"),
]
# Only in what the program says: comments may still use these.
DIALECT = [
    (r"\blooked at\b", "checked"), (r"\bcan't stand in\b", "is not allowed in"), (r"\bnothing is claimed\b", "not estimated"),
    (r"\blonger than is worth\b", "too long to display"), (r"\bcan't be had\b", "not met"), (r"\bshrink to nothing\b", "tend to zero"),
    (r"\bhas no use for\b", "does not use"), (r"\bfor one where\b", "for example"), (r"\bmade of numbers\b", "uses only numbers"),
    (r"\band here (?:is|are)\b", "found"), (r"\bnobody wrote\b", "hidden"), (r"\bworth reading\b", "too long to display"),
    (r"\bis made least\b", "minimised"), (r"\bnothing here\b", "unknown"), (r"\bno harm, and\b", "if you keep it"), (r"\bmake sense\b", "is consistent"),
]
# Only in documents and models: code spans are left out, so that a page can name these words.
PROSE = [
    (r"\b(?:is|are) no\b(?! (?:longer|more|less|better|other)\b)", "is not a, does not have"),
    (r"\b[Tt]ells?\b", "reports"), (r"\b[Aa]sk(?:s|ing)?\b", "requests, requires"), (r"\bnone is\b", "is not"),
    (r"\bwhether or no\b", "whether or not"), (r"\bmakes? no sense\b", "is inconsistent"), (r"\bmended\b", "fixed"),
    (r"\bnothing is claimed\b", "is not estimated"), (r"\bcomes? out\b", "follows"), (r"\bgets? there\b", "converges"),
    (r"\bwears? out\b", "becomes ill-conditioned"), (r"\bcan't be had\b", "is not met"),
    (r"\bto and fro\b", "oscillates"), (r"\bon the formulas\b", "symbolically"),
]
VERBS = set("""add avoid guess begin bind break check choose close combine compare correct declare delete describe divide end follow form give keep
let list loosen make multiply move name pass plot prescribe provide put raise reduce release remove rename replace require restrict run save
search select send separate set shorten specify start take try use write call draw see""".split())


def text(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def rows(path, macro):
    """the string literals of each row of a table, with adjacent ones joined; the row's name and its line"""
    source = text(path)
    for row in re.finditer(r"^%s\((.*?)\)$" % macro, source, re.M | re.S):
        parts = [""]
        for piece in re.findall(LITERAL + r"|,|[^\s,\"]+", row.group(1)):
            if piece == ",":
                parts.append("")
            else:
                parts[-1] += piece[1:-1] if piece.startswith('"') else piece
        yield source[:row.start()].count("\n") + 1, parts


def sentences(words):
    return [s for s in re.split(r"(?<=[.?!;])\s+", words) if s]


class Words:
    def __init__(self):
        self.passed, self.failed = 0, 0

    def check(self, good, words):
        self.passed, self.failed = self.passed + bool(good), self.failed + (not good)
        if not good:
            print("  failed: " + words, flush=True)

    def plain(self, where, words, lists):
        for pattern, instead in lists:
            found = re.search(pattern, words)
            self.check(not found, f"{where}: '{found and found.group()}' (write: {instead}) in: {words.strip()[:160]}")

    def brief(self, where, words):
        for sentence in sentences(words):
            self.check(len(sentence.split()) <= LONGEST, f"{where}: {len(sentence.split())} words: {sentence}")

    def hint(self, where, words):
        first = re.match(r"[A-Za-z]+", words)
        good = words.startswith("{") or words.startswith("did you mean") or (first and first.group().lower() in VERBS)
        self.check(not words or good, f"{where}: a hint begins with a verb: {words}")


def check_tables(w):
    for path in sorted(glob.glob(os.path.join(ROOT, "src/base/findings*.def"))):
        path = os.path.relpath(path, ROOT)
        for line, row in rows(path, "FINDING"):
            where = f"{path}:{line}: {row[0]}"
            message, hint = row_of_finding(path, row)
            for words in (message, hint):
                w.plain(where, words, FORBIDDEN + DIALECT)
                w.brief(where, words)
            w.hint(where, hint)
    for path, macro in (("src/problem/options.def", "OPTION"), ("src/api/commands.def", "COMMAND"), ("src/api/language.def", "FORM")):
        for line, row in rows(path, macro):
            for words in re.findall(LITERAL, text(path).split("\n")[line - 1]):
                w.plain(f"{path}:{line}", words, FORBIDDEN + DIALECT)
                w.brief(f"{path}:{line}", words)


def row_of_finding(path, row):
    """message and hint: commas inside of texts are not separators"""
    source = text(path)
    found = re.search(r"^FINDING\(%s, \w+, \d+,\s*((?:%s\s*)+),\s*((?:%s\s*)+)\)$" % (row[0], LITERAL, LITERAL), source, re.M)
    return tuple("".join(piece[1:-1] for piece in re.findall(LITERAL, part)) for part in found.groups())


def code_and_comments(source):
    """(line, literal or comment) of a C source"""
    for part in re.finditer(r"/\*.*?\*/|//[^\n]*|" + LITERAL, source, re.S):
        yield source[:part.start()].count("\n") + 1, re.sub(r"\s*\n\s*\*(?!/)\s*", " ", part.group())


def without_names(words):
    """without quoted names and members of structs, which are code"""
    return re.sub(r"`[^`]*`|\w+(?:->|\.)\w+|\*told|\w+_told|told_\w+", "", words)


def check_sources(w):
    for pattern in ("src/**/*.c", "src/**/*.h", "src/**/*.def", "include/actio/*.h"):
        for path in sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True)):
            path = os.path.relpath(path, ROOT)
            for line, part in code_and_comments(text(path)):
                comment = part.startswith("/")
                w.plain(f"{path}:{line}", without_names(part) if comment else part, FORBIDDEN if comment else FORBIDDEN + DIALECT)


ITEM = r"(?:[-*]|\d+\.) +"


def prose(source):
    """(line, paragraph or list item) of a document; code, tables, headings and pictures are left out"""
    block, first, fenced, listed = [], 0, False, False
    for number, line in enumerate(source.split("\n") + [""], 1):
        fence, begins = line.startswith("```"), re.match(ITEM, line)
        fenced = fenced != fence
        listed = bool(begins) or (listed and line.startswith(" ") and bool(line.strip()))
        code = fence or fenced or (line.startswith("    ") and not listed)
        other = code or not line.strip() or line.startswith(("|", "#", "![", "<!--"))
        if block and (other or begins):
            yield first, " ".join(block)
            block = []
        if not other:
            first = first if block else number
            block.append(line.strip())


def description(source):
    """(line, title or paragraph) of the comments of a model: a comment's first line is a title, the rest its text"""
    lines = [line.partition("#")[2].strip() if "#" in line else "" for line in source.split("\n")]
    yield 1, lines[0]
    yield from ((number + 1, words) for number, words in prose("\n".join(lines[1:])))


def spoken(words):
    """how many words a sentence has: a piece of code and a formula count as one each"""
    count, formula = 0, False
    for word in words.split():
        plain = re.fullmatch(r"[^A-Za-z0-9]*(?:X|[A-Za-z][A-Za-z'-]+)[^A-Za-z0-9=+*/^]*", word)
        plain = plain or (word in "aA" and not formula)
        count, formula = count + (bool(plain) or not formula), not plain
    return count


def sentences_of(paragraph):
    """without list marks, code spans and the targets of links; a dot between links ends a sentence as well"""
    words = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "X", re.sub("^" + ITEM, "", paragraph)))
    return re.split(r"(?<=[.?!])[*)\"]*\s+|\s·\s*", words)


def check_paragraph(w, where, paragraph):
    w.plain(where, re.sub(r"`[^`]*`", "X", paragraph), FORBIDDEN + PROSE)
    for sentence in sentences_of(paragraph):
        w.check(spoken(sentence) <= LONGEST, f"{where}: {spoken(sentence)} words: {sentence}")


def check_itself(w):
    """The reader of documents sees what it has to see, and nothing else."""
    page = ("# told\n\nA `told` b\nis x = a + b.\n\n    told\n\n- one\n  two. Three\n- four\n\n```\ntold\n```\n"
            "| told |\n1. five\n    six\n")
    expected = [(3, "A `told` b is x = a + b."), (8, "- one two. Three"), (10, "- four"), (16, "1. five six")]
    w.check(list(prose(page)) == expected, f"paragraphs: {list(prose(page))}")
    parts = sentences_of("- one `a. b` [two](c. d). Three! (Four.) *five*")
    w.check(parts == ["one X [two].", "Three!", "(Four.", "*five*"], f"sentences: {parts}")
    w.check([spoken(s) for s in ("let x = a + b/2 (c) hold", "a (don't), d'Alembert's", "X X")] == [3, 3, 2], "length")
    bad = Words()
    for words in ("as to " * 13, "it is no wall", "as told", "he asks"):
        bad.failed = 0
        with contextlib.redirect_stdout(io.StringIO()):
            check_paragraph(bad, "", words)
        w.check(bad.failed > 0, f"'{words}' is accepted")


def documents():
    return ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + paths("docs/*.md") + paths("docs/notes/*.md")


def paths(pattern):
    return sorted(os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, pattern)))


def check_documents(w):
    for path in documents():
        for line, paragraph in prose(text(path)):
            check_paragraph(w, f"{path}:{line}", paragraph)
        for line, words in enumerate(text(path).split("\n"), 1):
            w.plain(f"{path}:{line}", re.sub(r"`[^`]*`", "X", words), FORBIDDEN + PROSE * words.startswith(("|", "#")))
    for path in paths("models/*.act") + paths("templates/*.act") + paths("docs/broken/*.act"):
        for line, paragraph in description(text(path)):
            check_paragraph(w, f"{path}:{line}", paragraph)


def check_help(w):
    for path in ("src/cli/help.c", "src/cli/man.c", "src/cli/new.c"):
        for line, part in code_and_comments(text(path)):
            if part.startswith('"'):
                w.brief(f"{path}:{line}", part)


def check_hints(w, program):
    """Hints as they are printed: those that code puts together, too."""
    for folder, command in (("bad", "run"), ("units", "check")):
        for path in sorted(glob.glob(os.path.join(ROOT, "tests", folder, "*.act"))):
            done = subprocess.run([program, command, path, "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            result = json.loads(done.stdout)
            for message in [m for key in ("errors", "warnings", "notes") for m in result.get(key, [])]:
                w.hint(os.path.relpath(path, ROOT), message["hint"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=os.path.join(ROOT, "build/actio"))
    program = os.path.abspath(parser.parse_args().program)
    w = Words()
    run_parts((check_tables, check_sources, check_itself, check_documents, check_help), w)
    run_parts([check_hints], w, program)
    raise SystemExit(ended("words", w.passed, w.failed))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which line rests on which equation: writes docs/equations.md from the keys in comments of src/ and include/.

A key names a paper of docs/equations.csv or a note of docs/notes/, and numbers: [LM 16], [LM 17, 18; VKS 9],
[SKG 1.2, 3], [VKS 18-30], [AS, remark 4], [SBZB after 3.13]. Words after a comma that are not a number are the
comment's own. A principle's .key counts as well.

usage: equations.py            write docs/equations.md
       equations.py --check    every key is known, and the page has the same equations and files (lines may differ)"""
import collections
import csv
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE, TABLE, NOTES = "docs/equations.md", "docs/equations.csv", "docs/notes"
def joined(comment):
    """Without the star at the beginning of a line, which may stand inside of a key; as long as before."""
    return re.sub(r"\n *\*(?!/)", lambda m: "\n" + " " * (len(m.group()) - 1), comment)


COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
KEY = re.compile(r"\[([A-Z]{2,6}(?:, remark \d+| [A-Za-z0-9][^\]]*)?)\]")
FIELD = re.compile(r'\.key = "([^"]+)"')
PART = re.compile(r"(?:([A-Z]{2,6})(?: |$))?(?:after )?(remark \d+|[A-Z]?\d*(?:\.\d+)*[a-z]?)(?: ?- ?(\S+))?$")
HEAD = """# Equations

Where the code uses an equation of a paper, or a section of our notes. The keys in comments are the source of this page,
and `docs/equations.csv` says what each equation is. `python3 tools/equations.py` rewrites the page, and
`ctest --test-dir build -R '^equations$'` checks it.
"""


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


class Paper:
    def __init__(self, title, link=""):
        self.title, self.link, self.what = title, link, collections.OrderedDict()

    def range(self, first, last):
        """All numbers from the first to the last in the paper's order, without letters of a number between them."""
        numbers = [n for n in self.what if not re.search(r"\d[a-z]$|^remark", n) or n in (first, last)]
        return numbers[numbers.index(first):numbers.index(last) + 1]


def papers():
    """Papers from the table, notes from their headings."""
    known = collections.OrderedDict()
    for row in csv.DictReader(read(TABLE).splitlines()):
        if row["number"] == "":
            known[row["paper"]] = Paper(row["what"])
        else:
            known[row["paper"]].what[row["number"]] = row["what"]
    for path in sorted(glob.glob(os.path.join(ROOT, NOTES, "*.md"))):
        name = os.path.basename(path)
        text = read(os.path.join(NOTES, name))
        note = known[name[:-3].upper()] = Paper(re.match(r"# (.*)", text).group(1), "notes/" + name)
        for number, what in re.findall(r"^##+ ([A-Z]?\d*(?:\.\d+)*) (.+)$", text, re.M):
            note.what[number] = what
    return known


def sources():
    for top in ("src", "include"):
        for folder, folders, names in os.walk(os.path.join(ROOT, top)):
            folders.sort()
            for name in sorted(names):
                if name.endswith((".c", ".h", ".def", ".inc")):
                    yield os.path.relpath(os.path.join(folder, name), ROOT)


def keys(path, known):
    """(line, words) of each key in a file. One word in brackets counts only if it is a paper's."""
    text = read(path)
    spans = [(m.start(), m.group()) for m in COMMENT.finditer(text)]
    found = [(start + m.start(), " ".join(m.group(1).split())) for start, comment in spans for m in KEY.finditer(joined(comment))]
    if path.startswith("src/principle/"):
        found += [(m.start(), m.group(1)) for m in FIELD.finditer(text)]
    found = [(at, words) for at, words in found if words in known or not words.isalpha()]
    return [(text.count("\n", 0, at) + 1, words) for at, words in found]


def cited(words, known):
    """The (paper, number) pairs of a key; number "" is the whole paper. KeyError says what is not known."""
    pairs, paper = [], None
    for part in (p.strip() for p in re.split("[,;]", words)):
        match = PART.match(part)
        if not match or not part:
            if paper is None or not part[:1].islower():
                raise KeyError("has a part that is neither a number nor words of its own: " + part)
            continue
        paper = match.group(1) or paper
        if paper not in known:
            raise KeyError("names %s, which is neither in %s nor in %s" % (paper, TABLE, NOTES))
        first, last = match.group(2), match.group(3) or match.group(2)
        for number in (first, last):
            if number and number not in known[paper].what:
                where = NOTES if known[paper].link else TABLE
                raise KeyError("names %s %s, which %s does not have" % (paper, number, where))
        pairs += [(paper, n) for n in (known[paper].range(first, last) if first else [""])]
    numbered = {paper for paper, number in pairs if number}
    return [(paper, number) for paper, number in pairs if number or paper not in numbered]


def index(known):
    """{(paper, number): [(file, line)]}, and what is wrong."""
    places, wrong, count = collections.defaultdict(list), [], 0
    for path in sources():
        for line, words in keys(path, known):
            count += 1
            try:
                for pair in cited(words, known):
                    places[pair].append((path, line))
            except KeyError as error:
                wrong.append("%s:%d: [%s] %s" % (path, line, words, error.args[0]))
    return places, wrong, count


def gaps(paper, used):
    """Equations that no line names, neighbours as a range."""
    runs, numbers = [], [n for n in paper.what if not re.search(r"\d[a-z]$", n)]
    free = {n for n in numbers if not any(u == n or re.fullmatch(re.escape(n) + "[a-z]", u) for u in used)}
    for i, number in enumerate(numbers):
        if number in free:
            if i and numbers[i - 1] in free:
                runs[-1][1] = number
            else:
                runs.append([number, number])
    far = {a: numbers.index(b) - numbers.index(a) for a, b in runs}
    return ", ".join(a if a == b else a + (" - " if far[a] > 1 else ", ") + b for a, b in runs)


def page(known, places):
    text = HEAD
    for key, paper in known.items():
        used = [n for n in ["", *paper.what] if (key, n) in places]
        if not used:
            continue
        title = "[%s](%s)" % (paper.title, paper.link) if paper.link else paper.title + "."
        text += "\n## %s\n\n%s\n" % (key, title)
        text += "\n| %s | what | where |\n|---|---|---|\n" % ("section" if paper.link else "equation")
        for number in used:
            links = ", ".join("[%s:%d](../%s#L%d)" % (f, n, f, n) for f, n in sorted(set(places[key, number])))
            what = paper.what.get(number, "as a whole").replace("|", "\\|")
            text += "| %s | %s | %s |\n" % (number or "all", what, links)
        free = "" if paper.link else gaps(paper, used)
        text += "\nNo line names: %s.\n" % free if free else ""
    return text


def without_lines(text):
    """The page's rows with each file once, whatever the lines."""
    rows = []
    for row in text.splitlines():
        files = sorted(set(re.findall(r"\(\.\./([^#]*)#L\d+\)", row)))
        rows.append((re.sub(r"\[[^]]*:\d+\]\([^)]*\)(, )?", "", row), files))
    return rows


def check(known, wrong, text, count):
    failed = list(wrong)
    old = read(PAGE) if os.path.exists(os.path.join(ROOT, PAGE)) else ""
    if without_lines(old) != without_lines(text):
        failed.append("%s is out of date: run python3 tools/equations.py" % PAGE)
    for words in failed:
        print("  failed: " + words)
    print("equations: %d passed, %d failed" % (count + 1 - len(failed), len(failed)))
    return 1 if failed else 0


def main():
    known = papers()
    places, wrong, count = index(known)
    text = page(known, places)
    if sys.argv[1:] == ["--check"]:
        return check(known, wrong, text, count)
    for words in wrong:
        print("  " + words)
    with open(os.path.join(ROOT, PAGE), "w", encoding="utf-8") as file:
        file.write(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

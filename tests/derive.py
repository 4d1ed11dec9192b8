#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""actio derive from outside: every equation shown holds along the motion, the C file compiles and gives the motion's numbers, LaTeX is whole,
known models read as in textbooks, and no name gets out of its place. tests/derive.py [--program FILE] [MODEL ...]"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import latex_values
from program import ROOT, Tally, arguments, call, chosen, has_fields, model_name, one_sided, rows, run_parts, slides

GOLDEN = os.path.join(ROOT, "tests", "derive")
MAIN = """
#include <stdio.h>
int main(void)
{{
    double t, y[{ny} + 1], p[{np} + 1], dy[{ny} + 1], lambda[{nl} + 1];
    int i;
    {name}_params_default(p);
    while (scanf("%lf", &t) == 1) {{
        for (i = 0; i < {ny}; i++) if (scanf("%lf", &y[i]) != 1) return 1;
        for (i = {np} - {held}; i < {np}; i++) if (scanf("%lf", &p[i]) != 1) return 1;
        if ({name}_rhs(t, y, p, dy)) return 2;
        for (i = 0; i < {ny}; i++) printf("%.17g ", dy[i]);
        {multipliers}
        {energy}
        printf("\\n");
    }}
    return 0;
}}
"""


def names_of(text, letter):
    """The names that the C file's comment gives to y, p or lambda, by index."""
    return re.findall(r"^ \*   %s\[\d+\]  (\S+)" % letter, text, re.M)


def held_of(text):
    """The held values, which are the last params of the C file."""
    part = re.search(r"Held values, behind them: .*?\n((?: \*   p\[\d+\]  .*\n)*)", text)
    return re.findall(r"\]  (\S+)", part.group(1)) if part else []


def observed(model, lines):
    """The model's text with observed columns added."""
    with open(model, encoding="utf-8") as file:
        return file.read() + "\n" + "".join("observe %s = %s\n" % line for line in lines)


def motion(program, folder, text, tally, what):
    path = os.path.join(folder, "observed.act")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    status, out, err = call(program, "run", path, "--points", "7", "-o", "-")
    return rows(out) if tally.check(status == 0 and out, "%s: can't be run: %s" % (what, err.strip()[:300])) else []


def near(a, b, size, bound=1e-12):
    return abs(a - b) <= bound * max(1, abs(a), abs(b), size)


# ---- C

def compiled(folder, text, name, compiler="gcc"):
    source, program = os.path.join(folder, "derived.c"), os.path.join(folder, "derived")
    lengths = re.search(r"STATE = (\d+), \w+_PARAMS = (\d+), \w+_MULTIPLIERS = (\d+)", text)
    ny, np, nl = map(int, lengths.groups())
    multipliers = 'if (%s_multipliers(t, y, p, lambda)) return 3;\n        for (i = 0; i < %d; i++) printf("%%.17g ", lambda[i]);' % (name, nl) if nl else "(void)lambda;"
    energy = 'printf("%%.17g", %s_energy(t, y, p));' % name if name + "_energy(" in text else ""
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(folder, "main.c"), "w", encoding="utf-8") as file:
        file.write('#define %s_DECLARATIONS\n#include "derived.c"\n' % name.upper() + MAIN.format(name=name, ny=ny, np=np, nl=nl, multipliers=multipliers, energy=energy, held=len(held_of(text))))
    words = [compiler, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-ffp-contract=off", source, os.path.join(folder, "main.c"), "-lm", "-o", program]
    done = subprocess.run(words, capture_output=True, text=True)
    return program, done.stderr


def check_c(program, folder, model, tally):
    stem = os.path.basename(model)
    status, text, err = call(program, "derive", model, "--format", "c")
    if not tally.check(status == 0, "%s: --format c: %s" % (stem, err[:300])):
        return
    name = re.search(r"int (\w+)_rhs\(", text).group(1)
    binary, trouble = compiled(folder, text, name)
    if not tally.check(not trouble, "%s: the C file does not compile: %s" % (stem, trouble[:500])):
        return
    y, labels = names_of(text, "y"), names_of(text, "lambda")
    coords = [n[:-1] for n in y if n.endswith("'")]
    states = y[2 * len(coords):]
    columns = coords + [dot(n) for n in coords] + states
    table = motion(program, folder, observed(model, [("derived_acc%d" % i, n + "''") for i, n in enumerate(coords)]), tally, stem)
    fed = "\n".join(" ".join(repr(r[c]) for c in ["t"] + columns + held_of(text)) for r in table)
    done = subprocess.run([binary], input=fed, capture_output=True, text=True)
    if not tally.check(done.returncode == 0, "%s: the C program ends with %d" % (stem, done.returncode)):
        return
    wanted = [dot(n) for n in coords] + ["derived_acc%d" % i for i in range(len(coords))] + [dot(n) for n in states] + ["lambda." + n for n in labels]
    wanted += ["energy"] if name + "_energy(" in text else []
    for column, got in zip(wanted, zip(*(map(float, line.split()) for line in done.stdout.splitlines()))):
        size = max(abs(r[column]) for r in table)
        worst = max((abs(r[column] - x) for r, x in zip(table, got)), default=0)
        tally.check(all(near(r[column], x, size) for r, x in zip(table, got)), "%s: C and run differ in %s by %.2e (size %.2e)" % (stem, column, worst, size))


def dot(name):
    return name[:name.index("[")] + "_dot" + name[name.index("["):] if "[" in name else name + "_dot"


# ---- text

def equations(text):
    """(section, label, left, right) of every equation, continued lines joined."""
    section, line, found = "", "", []
    for raw in text.splitlines() + ["#"]:
        if raw.startswith("      "):
            line += " " + raw.strip()
            continue
        match = re.match(r"  (?:([\w.\[\]]+): )?(.*?) = (.*)$", line)
        if match and not match.group(3).startswith("( ") and not line.startswith("  #"):
            found.append((section, *match.groups()))
        if raw.startswith("#"):
            section = raw[2:].split(":")[0]
        line = raw
    return found


def check_text(program, folder, model, tally):
    """What is shown holds along the motion: left - right is 0 in every row."""
    stem = os.path.basename(model)
    status, text, err = call(program, "derive", model)
    if not tally.check(status == 0 and text.startswith("# "), "%s: derive: %s" % (stem, err[:300])):
        return
    lines, checks = [], []
    with open(model, encoding="utf-8") as file:
        written = file.read()
    for section, _, left, right in equations(text):
        if section == "Common subexpressions of the formulas below":
            lines += [] if re.search(r"^let %s =" % re.escape(left), written, re.M) else [(left, right)]      # a let of the model is there already
        elif section in ("Parameters", "Lagrangian", "Matrices"):
            lines.append(("derived_%d" % len(lines), right))          # reads back
        elif section in ("Momenta", "Generalised forces") or (section == "Quasi-velocities" and left.startswith("xi_")):
            lines.append((observable(left), right))
        else:
            if section == "Hamiltonian":
                left = "energy"
            checks.append((section, left, right, len(lines)))
            lines.append(("derived_%d" % len(lines), "%s - (%s)" % (left, right)))
            lines.append(("derived_size_%d" % checks[-1][3], right))
    text = observed(model, [(name, rename(formula, lines)) for name, formula in lines])
    table = motion(program, folder, text, tally, stem + " with its equations observed")
    for section, left, right, number in checks:
        worst = max((abs(r["derived_%d" % number]) for r in table), default=0)
        size = max((abs(r["derived_size_%d" % number]) for r in table), default=0)
        tally.check(worst <= 1e-8 * max(1, size), "%s: %s: %s = %s is off by %.2e" % (stem, section, left, right[:200], worst))


def observable(name):
    """p_a[3] is not one name of an observed column."""
    return name.replace("[", "_at_").replace("]", "")


def rename(formula, lines):
    for name, _ in lines:
        if "_at_" in name:
            formula = formula.replace(name.replace("_at_", "[", 1) + "]", name)
    return formula


def check_golden(program, tally):
    for path in sorted(glob.glob(os.path.join(GOLDEN, "*.txt"))):
        stem = os.path.basename(path)[:-4]
        _, text, _ = call(program, "derive", os.path.join(ROOT, "models", stem + ".act"))
        with open(path, encoding="utf-8") as file:
            tally.check(file.read() == text, "%s: the text is not that of tests/derive/%s.txt" % (stem, stem))


# ---- LaTeX

def environments(text):
    """The align environments, as a formula parser wants them."""
    return re.findall(r"\\begin\{align\*\}.*?\\end\{align\*\}", text, re.S)


def is_whole(text):
    """Brackets and environments close in order; nothing that TeX would act on."""
    open_now = []
    for sign in re.findall(r"\\begin\{\w+\*?\}|\\end\{\w+\*?\}|\\left|\\right|(?<!\\)[{}]", text):
        if sign in ("{", "\\left") or sign.startswith("\\begin"):
            open_now.append(sign)
        elif not open_now:
            return False
        else:
            last = open_now.pop()
            if last.replace("{", "}", 1) != sign and last.replace("begin", "end") != sign and (last, sign) != ("\\left", "\\right"):
                return False
    return not open_now


def check_latex(program, model, tally):
    """Whole, and its formulas have the values of those of the text."""
    stem = os.path.basename(model)
    status, text, err = call(program, "derive", model, "--format", "latex")
    good = status == 0 and text.startswith("\\documentclass") and text.endswith("\\end{document}\n")
    tally.check(good, "%s: --format latex: %s" % (stem, err[:300]))
    tally.check(is_whole(text), "%s: LaTeX with open brackets" % stem)
    tally.check(text.isascii() or "\\text{" in text, "%s: letters that TeX engines do not share" % stem)
    if not has_fields(model):
        said = equations(call(program, "derive", model)[1])
        latex_values.check(said, text, lambda good, words: tally.check(good, "%s: LaTeX: %s" % (stem, words)))
    return environments(text)


def check_katex(formulas, folder, tally):
    """KaTeX reads every formula, where node finds it (NODE_PATH)."""
    node = shutil.which("node")
    if not node or subprocess.run([node, "-e", "require('katex')"], capture_output=True).returncode:
        print("  katex is not here: formulas are checked for brackets only")
        return
    path = os.path.join(folder, "formulas.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(formulas, file)
    script = ("const k = require('katex'); for (const [name, f] of JSON.parse(require('fs').readFileSync(process.argv[1])))"
              " try { k.renderToString(f, {displayMode: true, strict: 'error', trust: false}) } catch (e) { console.log(name + ': ' + e.message.slice(0, 200)) }")
    done = subprocess.run([node, "-e", script, path], capture_output=True, text=True)
    for line in done.stdout.splitlines():
        tally.check(False, "KaTeX: " + line)
    tally.check(done.returncode == 0 and not done.stdout, "KaTeX: %d formulas %s" % (len(formulas), done.stderr[:200]))


# ---- constraints that follow from the equations of motion

# Name, model, and the equations that must be among those that follow, as they are written.
FOLLOWING = [
    ("scaled example 1", """param m = 2, k = 3
coord q1, q2, q3
lagrangian m*(q1'^2/2 + q2'^2/2 + q1'*q2' + q2'*q3') - k*(q1^2 + q2^2 + q3^2)/2
constraint a: q1' + q3 = 0
constraint b: q2' - q3 = 0
start q1 = .3, q2 = .2, q3 = 1, q1' = -1, q2' = 1, q3' = -k/m
time 0 .. 1
""", ["m*q3' + k*q3 = 0"]),
    ("the tension of a spherical pendulum", """param m = 1.5, l = 1, g = 9.81
coord x, y, z, T
lagrangian m/2*(x'^2 + y'^2 + z'^2) - m*g*z + T/2*(x^2 + y^2 + z^2 - l^2)
start x = .6, z = -.8, y' = 1, T = m*g*(-.8) - m
time 0 .. 1
""", ["x^2 + y^2 + z^2 - l^2 = 0"]),
    ("a load moved by its trolley", """param M = 2, m = 1, k = 5
coord u, x
lagrangian M/2*u'^2 + m/2*x'^2 - k/2*(u - x)^2
constraint path: x = 1 - cos(2*t) along u = 1
start u = 4*m/k
time 0 .. 2
""", ["k*(u - x) - 4*m*cos(2*t) = 0"]),
    ("rows that agree on a smaller manifold", """coord x, y, z
lagrangian (x'^2 + y'^2 + z'^2)/2 - y^2/2
constraint a: x = 0
constraint b: x' = z
start y = 1
time 0 .. 1
""", ["z' = 0"]),
    ("a switch", """coord q1, q2
lagrangian (q1'^2 - q2'^2)/2 - abs(q1)^3/3 - q2^2/2
constraint tie: q1' - q2' = 0
start q1 = .5, q2 = -.25
time 0 .. 1
""", ["q1^2*sign(q1)^3 + q2 = 0"]),
    ("a Lagrangian linear in the velocities", """param k = 2
coord x, p
lagrangian p*x' - p^2/2 - k*x^2/2
start x = 1, p' = -k
time 0 .. 3
""", ["x' - p = 0", "p' + k*x = 0"]),
]


def check_following(program, folder, tally):
    for name, model, wanted in FOLLOWING:
        path = os.path.join(folder, "following.act")
        with open(path, "w", encoding="utf-8") as file:
            file.write(model)
        check_text(program, folder, path, tally)
        check_c(program, folder, path, tally)
        sections = json.loads(call(program, "derive", path, "--json")[1])["sections"]
        following = sections.get("hidden", "")
        answer = json.loads(call(program, "check", path, "--json")[1])
        tally.check("free initial data: %d;" % answer["free_data"] in following, "%s: free initial data in %r" % (name, following))
        for equation in wanted + answer["hidden"]:
            tally.check("  " + equation + "\n" in following, "%s: no %s in %r" % (name, equation, following))
        check_latex(program, path, tally)


# ---- hostile names and the command line

HOSTILE = """coord θ, größe, E, L, H, p_θ, int_
param é = 1, μ = 2, g = 9.81
lagrangian μ/2*(θ'^2 + größe'^2) + é/2*(E'^2 + L'^2 + H'^2 + p_θ'^2 + int_'^2) - g*größe
constraint while: θ' = größe'*cos(E)
start θ' = 1, größe' = 1
time 0 .. 1
"""


def check_hostile(program, folder, tally):
    for stem in ["*/ int main(void) { return 1; } /*", "\\input{x}", "a\nb", "9", "$(touch x)", "\x1b[31mred", "%s%n", "ö", "-", "??", "x" * 200]:
        path = os.path.join(folder, stem.replace("/", "\u2215")[:200] + ".act")
        with open(path, "w", encoding="utf-8") as file:
            file.write(HOSTILE)
        check_c(program, folder, path, tally)
        check_text(program, folder, path, tally)
        check_latex(program, path, tally)
        _, text, _ = call(program, "derive", path)
        _, latex, _ = call(program, "derive", path, "--format", "latex")
        tally.check("\x1b" not in text + latex and "\\input" not in latex, "%r gets out of its place" % stem)
        tally.check(all(line.startswith(("#", "  ")) or not line for line in text.splitlines()), "%r leaves its comment" % stem)
        os.remove(path)


def check_command(program, folder, tally):
    disk = os.path.join(ROOT, "models", "disk.act")
    status, out, _ = call(program, "derive", disk, "--json")
    sections = json.loads(out).get("sections", {})
    tally.check(status == 0 and "equations" in sections and "roll" in sections["constraints"], "--json has the sections")
    target = os.path.join(folder, "disk.tex")
    status, out, _ = call(program, "derive", disk, "--format", "latex", "-o", target)
    with open(target, encoding="utf-8") as file:
        tally.check(status == 0 and not out and file.read().endswith("\\end{document}\n"), "-o FILE takes the whole")
    for words, wanted in [([disk, "--format", "pdf"], 2), ([disk, "--by", "nobody"], 2), ([disk, disk], 2), ([], 2), ([disk, "-o", os.path.join(folder, "no", "x")], 5),
                          ([disk, "--set", "nobody=1"], 2), ([disk, "-o", "a", "-o", "b"], 2), ([disk, "--tol", "1e-3"], 2), ([os.path.join(folder, "none.act")], 5)]:
        tally.check(call(program, "derive", *words)[0] == wanted, "derive %s: exit %d" % (" ".join(words), wanted))
    for language in ("text", "latex", "c"):
        first, second = (call(program, "derive", disk, "--format", language)[1] for _ in range(2))
        tally.check(first == second, "%s is the same twice" % language)


def moves(model):
    """Is there a motion to compare with?"""
    with open(model, encoding="utf-8") as file:
        return not re.search(r"^expect verdict (undetermined|singular|contradictory)\b", file.read(), re.M)


# ---- long formulas

def chain(links):
    """Links with spherical joints, three angles each, orientations as products of matrices: every let is made of those before it."""
    lines = ["param m = 1, l = 1, g = 9.8, I = .1", "coord " + ", ".join("%s%d" % (c, i) for i in range(1, links + 1) for c in "abc")]
    for i in range(1, links + 1):
        ca, sa, cb, sb, cc, sc = ["%s(%s%d)" % (f, n, i) for n in "abc" for f in ("cos", "sin")]
        own = [[f"{ca}*{cb}", f"({ca}*{sb}*{sc} - {sa}*{cc})", f"({ca}*{sb}*{cc} + {sa}*{sc})"], [f"{sa}*{cb}", f"({sa}*{sb}*{sc} + {ca}*{cc})", f"({sa}*{sb}*{cc} - {ca}*{sc})"],
               [f"(-{sb})", f"{cb}*{sc}", f"{cb}*{cc}"]]
        for r in range(3):
            for c in range(3):
                lines.append("let R%d_%d%d = " % (i, r, c) + (own[r][c] if i == 1 else " + ".join("R%d_%d%d*%s" % (i - 1, r, j, own[j][c]) for j in range(3))))
        for r, n in enumerate("XYZ"):
            before = "%se%d + " % (n, i - 1) if i > 1 else ""
            lines += ["let %s%d = %sl/2*R%d_%d0" % (n, i, before, i, r), "let %se%d = %sl*R%d_%d0" % (n, i, before, i, r)]
    lines.append("lagrangian " + " + ".join("m/2*(X{0}'^2 + Y{0}'^2 + Z{0}'^2) + I/2*(".format(i) + " + ".join("R%d_%d%d'^2" % (i, r, c) for r in range(3) for c in range(3))
                                            + ") - m*g*Z%d" % i for i in range(1, links + 1)))
    lines += ["start a{0} = .1, b{0} = .2, c{0} = .3, a{0}' = .5, c{0}' = -.4".format(i) for i in range(1, links + 1)] + ["time 0 .. .2"]
    return "\n".join(lines) + "\n"


def check_shared(program, folder, tally):
    """What formulas share is written once, before it is used, lets by their names: 28 MB for three links when written out, and no end of it for four."""
    formulas = []
    for links, most in ((2, 6e4), (3, 1.5e5), (4, 3e5)):
        path = os.path.join(folder, "chain%d.act" % links)
        with open(path, "w", encoding="utf-8") as file:
            file.write(chain(links))
        status, text, err = call(program, "derive", path, "--limit-memory", "500M")
        tally.check(status == 0 and 1000 < len(text) < most, "chain of %d: exit %s, %d bytes %s" % (links, status, len(text), err[:200]))
        names = [left for section, _, left, _ in equations(text) if section == "Common subexpressions of the formulas below"]
        tally.check(len(names) == len(set(names)) and "R1_00" in names and "X2_dot" in names, "chain of %d: names %s" % (links, names[:20]))
        rights = [right for section, _, _, right in equations(text) if section == "Common subexpressions of the formulas below"]
        early = [left for i, left in enumerate(names) if any(left in re.findall(r"[A-Za-z_]\w*", r) for r in rights[:i + 1])]
        tally.check(not early, "chain of %d: used before they are written: %s" % (links, early[:5]))
        formulas += check_latex(program, path, tally)
    check_text(program, folder, os.path.join(folder, "chain2.act"), tally)
    taken = os.path.join(folder, "taken.act")               # names that are not free: of a let that is as ours would be, of a momentum
    for name in ("w1", "p_a1"):
        with open(taken, "w", encoding="utf-8") as file:
            file.write(re.sub(r"\bR1_12\b", name, chain(2)))
        _, text, _ = call(program, "derive", taken)
        tally.check([left for _, _, left, _ in equations(text)].count(name) == 1, "%s stands for two things" % name)
        if name == "w1":
            check_text(program, folder, taken, tally)
    return formulas


def main():
    program, models = arguments()
    tally, formulas = Tally("derive"), []
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            if not chosen(model_name(model)):
                continue
            if moves(model) and not one_sided(model) and not has_fields(model):      # derive shows the equations between contacts
                check_text(program, folder, model, tally)
                if not slides(program, model):             # what C has is the equations on either side
                    check_c(program, folder, model, tally)
            formulas += [(os.path.basename(model), f) for f in check_latex(program, model, tally)]
        if len(sys.argv) < 4:
            run_parts([check_golden], program, tally)
            run_parts((check_following, check_hostile, check_command), program, folder, tally)
            if chosen("check_shared"):
                formulas += [("chain", f) for f in check_shared(program, folder, tally)]
        check_katex(formulas, folder, tally)
    tally.done()


if __name__ == "__main__":
    main()

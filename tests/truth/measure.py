#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random motions against references of 106 bits: is the printed error to be believed?

    measure.py --truth build/truth --from 1 --count 1000 [--jobs 2] [--family NAME] [-o FILE.json]

Each seed is a model, a tolerance and a reference (families.c has the ranges). A run fails if a row that it kept, or
that it printed with exit 0, is off by more than its tolerance. The table also has reported over true error, by column,
the largest over rows, and refusals where the growth of one ulp is below a hundredth of the tolerance, and beyond."""
import argparse
import json
import math
import multiprocessing
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FEW_BITS = 50 * 2.0 ** -53                                 # a true error counts as so much of its column at least


def reference(truth, seed):
    done = subprocess.run([truth, str(seed)], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def true_errors(exact, result, k, names):
    """By column the largest error over the rows so far, in tolerances of its size so far; and its size at the end."""
    worst, size = [0.0] * len(names), [1.0] * len(names)
    values = [result[name] for name in names]
    for r in range(k):
        row = exact["rows"][r]
        if row[0] != result.t[r]:
            raise ValueError(f"row {r} is at {result.t[r]!r}, the reference at {row[0]!r}")
        for c in range(len(names)):
            high, low = row[2 + 2 * c], row[3 + 2 * c]
            error = abs((float(values[c][r]) - high) - low)
            size[c] = max(size[c], abs(high))
            worst[c] = max(worst[c], error if error == error else math.inf)
    return worst, size


def family_of(truth, seed):
    return subprocess.run([truth, str(seed), "--family"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def measure(job):
    """The answer of one seed; None: it is of another family than the one that is wanted."""
    truth, seed, family, options = job
    if family and family_of(truth, seed) != family:
        return None
    import actio
    exact = reference(truth, seed)
    answer = {"seed": seed, "family": exact["family"], "tolerance": exact["tolerance"]}
    if not exact["good"]:
        return answer | {"outcome": "no problem"}
    try:
        model = actio.model(exact["model"])
        result = model.run(tol=exact["tolerance"], points=len(exact["rows"]), check=False, limit_time=120, **options)
    except actio.Error as error:
        return answer | {"outcome": "refused", "kept": 0, "why": str(error).splitlines()[0], "growth": exact["rows"][-1][1]}
    names, tol, kept = exact["columns"], exact["tolerance"], len(result.t)
    reached = bool(result.info["reached"]) and kept == len(exact["rows"])
    worst, size = true_errors(exact, result, kept, names)
    beyond = max(w / (tol * s) for w, s in zip(worst, size))
    ratios, under = {}, 1.0                                # under: the least, where the true error is not nearly nothing
    for name, w, s in zip(names, worst, size):
        told = result.error[name]
        if told == told and math.isfinite(told):
            ratios[name] = told / max(w, .01 * tol * s, FEW_BITS * s)
            if w > max(.01 * tol * s, FEW_BITS * s):
                under = min(under, told / w)
    last = max(kept - 1, 0)
    return answer | {"outcome": "done" if reached else "refused", "kept": kept, "beyond": beyond, "ratios": ratios, "under": under,
                     "growth": exact["rows"][-1][1], "growth_kept": exact["rows"][last][1], "nearest": exact["nearest"],
                     "events": exact["events"], "evaluations": result.info.get("evaluations"), "method": result.info.get("method"),
                     "why": "" if reached else "; ".join(m.message for m in result.findings)[:200]}


def quantile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))] if values else math.nan


def table(answers):
    lines = ["| family | runs | none | refused | of these fair | beyond 1 tol | beyond 3 | reported/true .3 to 30 | least | largest |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    families = sorted({a["family"] for a in answers})
    for family in families + ["all"]:
        of = [a for a in answers if family in (a["family"], "all")]
        none = sum(a["outcome"] == "no problem" for a in of)
        runs = [a for a in of if a["outcome"] != "no problem"]
        refused = [a for a in runs if a["outcome"] == "refused"]
        fair = [a for a in refused if a["growth"] < a["tolerance"] / 100]
        off = [a for a in runs if a.get("beyond", 0) > 1]
        far = [a for a in runs if a.get("beyond", 0) > 3]
        ratios = [r for a in runs for r in a.get("ratios", {}).values()]
        within = sum(.3 <= r <= 30 for r in ratios)
        share = f"{100 * within / len(ratios):.1f} %" if ratios else "-"
        lines.append(f"| {family} | {len(runs)} | {none} | {len(refused)} | {len(fair)} | {len(off)} | {len(far)} | {share} "
                     f"| {quantile(ratios, 0):.2g} | {quantile(ratios, 1):.2g} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", default=os.path.join(ROOT, "build/truth"))
    parser.add_argument("--from", dest="first", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--family")
    parser.add_argument("--by", help="the principle")
    parser.add_argument("--method", help="the integrator")
    parser.add_argument("-o", dest="output", help="all answers as JSON")
    options = parser.parse_args()
    sys.path.insert(0, os.path.join(ROOT, "python"))
    more = {key: value for key, value in (("by", options.by), ("method", options.method)) if value}
    jobs = [(options.truth, seed, options.family, more) for seed in range(options.first, options.first + options.count)]
    with multiprocessing.Pool(options.jobs) as pool:
        answers = []
        for answer in pool.imap_unordered(measure, jobs, chunksize=4):
            if answer:
                answers.append(answer)
            if sys.stderr.isatty():
                print(f"\r{len(answers)}", end="", file=sys.stderr)
    answers.sort(key=lambda a: a["seed"])
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump(answers, file, indent=0)
    print(table(answers))
    for a in answers:
        if a.get("beyond", 0) > 1:
            print(f"seed {a['seed']} {a['family']} tol {a['tolerance']:g}: off {a['beyond']:.3g} tolerances, {a['outcome']}, kept {a['kept']}, "
                  f"growth {a['growth_kept'] / a['tolerance']:.2g} tol, reported/true {min(a['ratios'].values(), default=math.nan):.2g}")
    return any(a.get("beyond", 0) > 1 for a in answers)


if __name__ == "__main__":
    sys.exit(main())

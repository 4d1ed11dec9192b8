#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The references of the random families against closed forms and against mpmath, to 26 digits.

    check.py --truth build/truth [--only WORD] [--list]"""
import argparse
import json
import os
import re
import subprocess
import sys

import mpmath as mp

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from program import chosen  # noqa: E402

mp.mp.dps = 45
DIGITS = mp.mpf(10) ** -26                                 # references hold some 1e-28, and problems here grow little


def problems(truth, family, count, most=400):
    """Problems of a family, by seeds from 1 on."""
    found = 0
    for seed in range(1, most):
        model = subprocess.run([truth, str(seed), "--family"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        if model != family:
            continue
        exact = json.loads(subprocess.run([truth, str(seed)], stdout=subprocess.PIPE, text=True, check=True).stdout)
        if exact["good"]:
            yield exact
            found += 1
        if found == count:
            return


def value(exact, row, column):
    c = 2 + 2 * exact["columns"].index(column)
    return mp.mpf(exact["rows"][row][c]) + mp.mpf(exact["rows"][row][c + 1])


def number(text, pattern):
    return mp.mpf(re.search(pattern, text).group(1))


def kepler(exact):
    e = number(exact["model"], r"param e = (\S+)")
    for r in (37, 100):
        M = mp.mpf(exact["rows"][r][0]) + mp.pi            # from the far end, to the left
        E = mp.findroot(lambda E: E - e * mp.sin(E) - M, M, tol=1e-80, maxsteps=200)
        yield value(exact, r, "x"), mp.cos(E) - e
        yield value(exact, r, "y"), mp.sqrt(1 - e * e) * mp.sin(E)


def growth(exact):
    b, k = number(exact["model"], r"b = (\S+)"), number(exact["model"], r"flow u' = -(\S+)\*u")
    for r in (20, 60):
        t = mp.mpf(exact["rows"][r][0])
        forced = (k * mp.sin(b * t) - b * mp.cos(b * t)) / (k * k + b * b)
        yield value(exact, r, "u"), forced + (1 + b / (k * k + b * b)) * mp.exp(-k * t)


def follower(exact):
    text = exact["model"]
    k, w, u0 = number(text, r"flow u' = (\S+?)\*"), number(text, r"cos\((\S+?)\*t"), number(text, r"u = (\S+)\n")
    for r in (1, 50, 100):
        t = mp.mpf(exact["rows"][r][0])
        slow = lambda t: k * (k * mp.cos(w * t) + w * mp.sin(w * t)) / (k * k + w * w)
        yield value(exact, r, "u"), slow(t) + (u0 - slow(0)) * mp.exp(-k * t)


def henon(exact):
    s = [number(exact["model"], name + r" = (-?\d\.\d+)") for name in ("start x", ", y", "x'", "y'")]
    t = mp.mpf(exact["rows"][8][0])
    solve = mp.odefun(lambda t, y: [y[2], y[3], -y[0] - 2 * y[0] * y[1], -y[1] - y[0] ** 2 + y[1] ** 2], 0, s, tol=mp.mpf(10) ** -32)
    for x, name in zip(solve(t), ("x", "y", "x_dot", "y_dot")):
        yield value(exact, 8, name), x


def pulses_in_time(exact):
    """Without damping: the sum of kicks, by quadrature."""
    text = exact["model"]
    k, d, x0 = number(text, r"- (\S+)\*x\^2"), number(text, r"force x = -(\S+)\*x'"), number(text, r"start x = (\S+)")
    a, w = d / 2, mp.sqrt(k - d * d / 4)
    t = mp.mpf(exact["rows"][100][0])
    x = x0 * mp.exp(-a * t) * (mp.cos(w * t) + a / w * mp.sin(w * t))
    for impulse, width, at in re.findall(r"= (\S+?)/\((\S+?)\*sqrt\(pi\)\)\*exp\(-\(\(t - (\S+?)\)", text):
        impulse, width, at = mp.mpf(impulse), mp.mpf(width), mp.mpf(at)
        kick = lambda s: mp.exp(-((s - at) / width) ** 2) * mp.exp(-a * (t - s)) * mp.sin(w * (t - s)) / w
        places = [max(0, at - 13 * width) + (min(t, at + 13 * width) - max(0, at - 13 * width)) * i / 12 for i in range(13)]
        x += impulse / (width * mp.sqrt(mp.pi)) * mp.quad(kick, places)
    yield value(exact, 100, "x"), x


CHECKS = {"kepler": (kepler, 3), "growth": (growth, 2), "follower": (follower, 3), "henon": (henon, 1), "pulses_in_time": (pulses_in_time, 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", required=True)
    options = parser.parse_args()
    passed = failed = 0
    for name, (check, count) in CHECKS.items():
        if not chosen(name):
            continue
        for exact in problems(options.truth, name, count):
            grown = max(1, exact["rows"][-1][1] / 2.0 ** -53)
            for got, wanted in check(exact):
                good = abs(got - wanted) <= DIGITS * max(1, abs(wanted)) * grown
                passed, failed = passed + good, failed + (not good)
                if not good:
                    print(f"{name}, seed {exact['seed']}: {mp.nstr(got, 32)}, not {mp.nstr(wanted, 32)}")
    print(f"truth_check: {passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

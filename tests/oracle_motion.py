#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is --tol a promise? Twelve motions known in closed form, each run with five tolerances.

For each: the true error over all rows (relative to max(1, size of the column)) is within the tolerance, the
error the program reports is the true one within a factor of ten, and 1e-4 costs a third of 1e-12 at most.

usage: oracle_motion.py [--program FILE] [--only PART ...] [--list]"""
import json
import os
import tempfile

from mpmath import asin, asinh, atan, atanh, cos, cosh, ellipfun, ellipk, exp, findroot, mp, mpf, sech, sin, sinh, sqrt, tanh

from program import ROOT, Tally, arguments, call, chosen, rows

mp.dps = 30
TOLERANCES = ("1e-4", "1e-6", "1e-9", "1e-10", "1e-12")
ROUNDING = 20 * 2.0 ** -52      # below this the true error is rounding and its size a matter of luck
STATE_OSCILLATOR = """# Damped oscillator as a first-order system
state x, v
flow x' = v
flow v' = -4*x - .4*v
start x = 1
time 0 .. 10
"""


def d(text):
    return mpf(text)


def disk(t):
    k = mpf(49) / 15
    u = 5 + k * sin(t)
    return {"x": 5 * sin(t) + k / 2 * sin(t) ** 2, "y": 5 * (1 - cos(t)) + k * (t / 2 - sin(2 * t) / 4), "theta": 5 * t + k * (1 - cos(t)),
            "phi": t, "x_dot": u * cos(t), "y_dot": u * sin(t), "theta_dot": u,
            "lambda.roll": -k / 4 * cos(t) / u, "lambda.blade": -u - d("4.9") * sin(t)}


def vertical_disk(t):
    r, h = d("1.2") / d(".7"), d(".3") + d(".7") * t
    return {"x": r * (sin(h) - sin(d(".3"))), "y": r * (cos(d(".3")) - cos(h)), "phi": d("1.2") * t, "th": h,
            "x_dot": d("1.2") * cos(h), "y_dot": d("1.2") * sin(h), "lambda.cx": -d(".84") * sin(h)}


def sleigh(t):
    V, k, Om = d("1.5"), d(".6"), d("1.5") * sqrt(d(".8"))
    c = atanh(1 / V)
    gd = lambda u: 2 * atan(tanh(u / 2))
    th, v, w = Om / k * (gd(k * t + c) - gd(c)), V * tanh(k * t + c), Om * sech(k * t + c)
    return {"th": th, "th_dot": w, "x_dot": v * cos(th), "y_dot": v * sin(th), "v": v, "lambda.blade": d(".8") * v * w}


def knife(t):
    return {"x": sin(t) ** 2 / 2, "y": t / 2 - sin(2 * t) / 4, "th": t, "x_dot": sin(t) * cos(t), "y_dot": sin(t) ** 2,
            "lambda.edge": -2 * sin(t)}


def chain_table(t):
    w = sqrt(d("9.81"))
    return {"x": cosh(w * t) / 10, "x_dot": w * sinh(w * t) / 10}


def kepler(t):
    e = d(".6")
    E = findroot(lambda E: E - e * sin(E) - t, t + e * sin(t))
    rate = 1 / (1 - e * cos(E))
    return {"x": cos(E) - e, "y": d(".8") * sin(E), "x_dot": -sin(E) * rate, "y_dot": d(".8") * cos(E) * rate}


def pars42(t):
    q, z0 = sqrt(d("1.09")), d(".3")
    z = z0 + d(".7") * t
    return {"x1": d(".1") + q / d(".7") * (asinh(z) - asinh(z0)), "x2": d(".2") + q / d(".7") * (sqrt(1 + z * z) - q), "x3": z,
            "x1_dot": q / sqrt(1 + z * z), "x2_dot": z * q / sqrt(1 + z * z), "lambda.edge": -d(".7") * q / sqrt(1 + z * z) ** 3}


def turntable(t):
    w = mpf(4) / 7
    s, c = sin(w * t), cos(w * t)
    u, v = d(".1") * c - d(".3") * s, d(".1") * s + d(".3") * c
    return {"x": d(".5") + (d(".1") * s - d(".3") * (1 - c)) / w, "y": (d(".1") * (1 - c) + d(".3") * s) / w,
            "x_dot": u, "y_dot": v, "lambda.rollx": -w * v, "lambda.rolly": w * u}


def driven_oscillator(t):
    c, k, F, om = d(".4"), 4, d("1.5"), 3
    den = mpf(k - om ** 2) ** 2 + (c * om) ** 2
    A, B, decay = F * (k - om ** 2) / den, F * c * om / den, c / 2
    wd = sqrt(k - decay ** 2)
    C1 = d(".5") - A
    C2 = (decay * C1 - B * om) / wd
    p, q, e = cos(wd * t), sin(wd * t), exp(-decay * t)
    x = e * (C1 * p + C2 * q) + A * cos(om * t) + B * sin(om * t)
    v = e * ((C2 * wd - decay * C1) * p - (C1 * wd + decay * C2) * q) + om * (B * cos(om * t) - A * sin(om * t))
    return {"x": x, "x_dot": v, "power.drag": -c * v * v}


def state_oscillator(t):
    wd, e = sqrt(4 - d(".04")), exp(-d(".2") * t)
    return {"x": e * (cos(wd * t) + d(".2") / wd * sin(wd * t)), "v": -4 / wd * e * sin(wd * t)}


def pendulum(t):
    k, w = sin(mpf(1)), sqrt(d("9.81"))
    u, m = ellipk(k * k) - w * t, k * k
    return {"a": 2 * asin(k * ellipfun("sn", u, m=m)), "a_dot": -2 * k * w * ellipfun("cn", u, m=m)}


def rotating_wire(t):
    w = d("1.5")
    r, s = cosh(w * t) / 2, w * sinh(w * t) / 2
    return {"x": r * cos(w * t), "y": r * sin(w * t), "x_dot": s * cos(w * t) - w * r * sin(w * t), "lambda.wire": -2 * w * s}


MOTIONS = {"disk": disk, "vertical-disk": vertical_disk, "sleigh": sleigh, "knife": knife, "chain-table": chain_table,
           "kepler": kepler, "pars42": pars42, "turntable": turntable, "driven-oscillator": driven_oscillator,
           "state-oscillator": state_oscillator, "pendulum": pendulum, "rotating-wire": rotating_wire}


def true_error(table, exact):
    """The largest error of the known columns, relative to max(1, size of the column), and the sizes."""
    names = [n for n in exact[table[0]["t"]] if n in table[0]]
    size = {n: max(1, max(abs(row[n]) for row in table)) for n in names}
    return max(float(abs(row[n] - exact[row["t"]][n]) / size[n]) for row in table for n in names), size


def run(program, path, tol, folder, by):
    """Rows and summary of one run, or the reason for having none."""
    target = os.path.join(folder, "motion.csv")
    status, out, err = call(program, "run", path, "--by", by, "--tol", tol, "--json", "-o", target)
    if status != 0:
        return None, "exit %s %s" % (status, (err or out).strip()[-200:])
    with open(target, encoding="utf-8") as f:
        return rows(f.read()), json.loads(out)


def one(tally, program, name, folder, by="dalembert", cheaper=3):
    """One motion with all tolerances; the coarsest costs 1/cheaper of the finest at most."""
    path = os.path.join(ROOT, "models", name + ".act")
    if name == "state-oscillator":
        path = os.path.join(folder, name + ".act")
        with open(path, "w", encoding="utf-8") as f:
            f.write(STATE_OSCILLATOR)
    exact, cost = {}, {}
    for tol in TOLERANCES:
        table, summary = run(program, path, tol, folder, by)
        if not tally.check(table, "%s --tol %s: %s" % (name, tol, summary)):
            continue
        for row in table:
            if row["t"] not in exact:
                exact[row["t"]] = MOTIONS[name](mpf(row["t"]))
        true, size = true_error(table, exact)
        told = max(summary["error"][n] / size[n] for n in size)
        cost[tol] = summary["rhs"] if "rhs" in summary else summary["evaluations"]
        print("%-18s %6s %9.1e %9.1e %8d" % (name, tol, true, told, cost[tol]), flush=True)
        tally.check(true <= float(tol), "%s --tol %s: true error %.1e" % (name, tol, true))
        fair = told <= float(tol) if true < ROUNDING else true / 10 <= told <= true * 10
        tally.check(fair, "%s --tol %s: reports %.1e, the error is %.1e" % (name, tol, told, true))
    if "1e-4" in cost and "1e-12" in cost:
        tally.check(cheaper * cost["1e-4"] <= cost["1e-12"], "%s: 1e-4 costs %d, 1e-12 costs %d" % (name, cost["1e-4"], cost["1e-12"]))


def main():
    program, _ = arguments()
    tally = Tally("oracle_motion")
    print("%-18s %6s %9s %9s %8s" % ("motion", "tol", "true", "reported", "rhs"))
    with tempfile.TemporaryDirectory() as folder:
        for name in filter(chosen, MOTIONS):
            one(tally, program, name, folder)
    tally.done()


if __name__ == "__main__":
    main()

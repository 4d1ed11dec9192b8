#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A parameter fit with exact derivatives: length and drag of a pendulum, and its first angle, from measured angles.

    PYTHONPATH=python python3 python/examples/fit.py

`run(gradient=...)` differentiates the end of a motion by start data and params. Runs from one measurement to the next
give matrices that are multiplied: one pass over the data gives all residuals and their Jacobian."""
import numpy as np
from scipy.optimize import least_squares

import actio

PENDULUM = """
param g = 9.81, l = 1, c = 0
coord a
lagrangian l^2*a'^2/2 + g*l*cos(a)
dissipation c*a'^2/2
start a = 1
time 0 .. 1
"""
NAMES = ["l", "c"]                                          # params to fit; the first angle is the third unknown
STATE = ["a", "a'"]


def measured(count=25, noise=2e-3, seed=1):
    """Times, and angles of a pendulum with l = 0.83, c = 0.05, released at 1.2, with noise."""
    times = np.linspace(.2, 5, count)
    motion = actio.model(PENDULUM).run(set={"l": .83, "c": .05}, start={"a": 1.2}, time=(0, 5), points=1001, tol=1e-10)
    angles = np.interp(times, motion.t, motion["a"])
    return times, angles + noise * np.random.default_rng(seed).standard_normal(count)


def motion(model, times, unknowns):
    """Angles at the times, and their derivatives by l, c and the first angle."""
    l, c, first = unknowns
    state, by = np.array([first, 0.0]), np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    angles, slopes = [], []
    for begin, end in zip([0.0, *times], times):
        run = model.run(by="skg", tol=1e-9, gradient=STATE, set={"l": l, "c": c}, start=dict(zip(STATE, state)), time=(begin, end), points=2)
        step = run.gradient.matrix(STATE, STATE)
        by = step @ by + np.pad(run.gradient.matrix(STATE, NAMES), ((0, 0), (0, 1)))
        state = np.array([run.end[name] for name in STATE])
        angles.append(state[0])
        slopes.append(by[0])
    return np.array(angles), np.array(slopes)


def fit(times, angles, guess=(1.0, 0.1, 1.0)):
    """SciPy's result of the fit; `x` has l, c and the first angle."""
    model, known = actio.model(PENDULUM), {}

    def at(unknowns):
        key = tuple(unknowns)
        if key not in known:
            known.clear()
            known[key] = motion(model, times, unknowns)
        return known[key]
    return least_squares(lambda p: at(p)[0] - angles, guess, jac=lambda p: at(p)[1], xtol=1e-12, ftol=1e-12, gtol=1e-12)


if __name__ == "__main__":
    found = fit(*measured())
    spread = np.sqrt(np.diag(np.linalg.inv(found.jac.T @ found.jac)) * 2 * found.cost / (len(found.fun) - 3))
    for name, value, error in zip(("l", "c", "a(0)"), found.x, spread):
        print("%-5s = %.6f +- %.6f" % (name, value, error))
    print("%d evaluations, each with its exact Jacobian" % found.nfev)

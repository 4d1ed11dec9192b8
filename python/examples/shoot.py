#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A shooting problem with exact derivatives: which velocity takes a ball through the air to a target in time?

    PYTHONPATH=python python3 python/examples/shoot.py

The ball has quadratic drag, and wind blows. scipy.optimize.root gets the miss and its Jacobian from one run."""
import numpy as np
from scipy.optimize import root

import actio

BALL = """
param m = 0.45, g = 9.81, k = 0.01, wind = 4
coord x, y
let v = sqrt((x' - wind)^2 + y'^2)
lagrangian m/2*(x'^2 + y'^2) - m*g*y
force x = -k*v*(x' - wind), y = -k*v*y'
start x' = 10, y' = 10
time 0 .. 1
"""
PLACE, VELOCITY = ["x", "y"], ["x'", "y'"]


def shoot(target=(30.0, 5.0), seconds=2.5, guess=(10.0, 10.0)):
    """SciPy's result; `x` has the velocity at the start."""
    model = actio.model(BALL, time=(0, seconds))

    def miss(velocity):
        run = model.run(by="skg", tol=1e-10, gradient=PLACE, start=dict(zip(VELOCITY, velocity)), points=2)
        return np.array([run.end[name] for name in PLACE]) - target, run.gradient.matrix(PLACE, VELOCITY)
    return root(miss, guess, jac=True, tol=1e-12)


if __name__ == "__main__":
    found = shoot()
    print("x' = %.9f, y' = %.9f after %d evaluations" % (*found.x, found.nfev))
    end = actio.model(BALL, time=(0, 2.5)).run(start=dict(zip(VELOCITY, found.x))).end
    print("the ball is at x = %.9f, y = %.9f" % (end["x"], end["y"]))

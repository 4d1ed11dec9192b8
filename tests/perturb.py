#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are a model's claims sharp? With any one param off by 1 % at least one of them must fail.

usage: perturb.py [--program FILE] [MODEL ...]"""
import os

import mpmath

from independent import Model
from program import Tally, arguments, call, chosen, has_fields, model_name

program, models = arguments()
tally = Tally("perturb")
for path in models:
    if has_fields(path) or not chosen(model_name(path)):                                   # this reader knows none: field.py tests them
        continue
    name = os.path.basename(path)
    with open(path, encoding="utf-8") as f:
        model = Model(f.read())
    status, _, err = call(program, "test", path)
    tally.check(status == 0, "%s as it stands: exit %s %s" % (name, status, err.strip()[-200:]))
    for param in model.params:
        value = mpmath.nstr(model.param_value(param) * mpmath.mpf("1.01"), 17)
        status, _, _ = call(program, "test", path, "--set", "%s=%s" % (param, value))
        tally.check(status == 1, "%s with %s = %s: exit %s" % (name, param, value, status))
tally.done()

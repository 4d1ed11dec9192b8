# SPDX-License-Identifier: Apache-2.0
"""Constrained mechanics from a model text: verdicts, equations, motions with error estimates.

>>> import actio
>>> m = actio.load("disk")
>>> print(m.check().verdict)
regular
>>> r = m.run(tol=1e-10)
>>> round(r.end["y"], 8)
10.262536

See docs/python.md."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._errors import ActioWarning, Error, FileError, Finding, Interrupted, LimitError, ModelError, NumericsError, UsageError
from ._handles import text_of as _text_of
from ._library import lib as _lib
from ._model import Model, gallery, load, model
from ._numbers import Param, Variable
from ._options import Option, options, principles
from ._result import Column, Event, Gradient, Picture, Result

if TYPE_CHECKING:
    from ._action import Action, DualAction
    from ._flow import Flow
    from ._integrator import Integrator
    from ._reports import Claim, Claims, Comparison, Derivation, Mode, Modes, Orbit, Orbits, Verdict
    from ._sympy import from_sympy

# Modules that are loaded when a name of theirs is first used; SymPy is large.
_LATER = {"_action": ("Action", "DualAction"), "_flow": ("Flow",), "_integrator": ("Integrator",), "_sympy": ("from_sympy",),
          "_reports": ("Claim", "Claims", "Comparison", "Derivation", "Mode", "Modes", "Orbit", "Orbits", "Verdict")}

version: str = _text_of(_lib.actio_version())
__version__ = version


def version_details() -> str:
    """The libraries and features of this build."""
    return _text_of(_lib.actio_version_details())


def library_path() -> str:
    """The file of the library in use."""
    return str(_lib.path)


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names:
            from importlib import import_module
            return getattr(import_module("." + module, __name__), name)
    raise AttributeError("module 'actio' has no attribute %r" % name)


__all__ = [
    "Action", "ActioWarning", "Claim", "Claims", "Column", "Comparison", "Derivation", "DualAction", "Error",
    "Event", "FileError", "Finding", "Flow", "Gradient", "Integrator", "Interrupted", "LimitError", "Mode", "Model", "ModelError",
    "Modes", "NumericsError", "Option", "Orbit", "Orbits", "Param", "Picture", "Result", "UsageError",
    "Variable", "Verdict", "from_sympy", "gallery", "library_path", "load", "model", "options", "principles",
    "version", "version_details",
]

# SPDX-License-Identifier: Apache-2.0
"""How the tests of the Python package find it: python/ of this tree, with the library beside the program under test."""
import os
import sys

from program import ROOT, arguments, ended

PROGRAM, MODELS = arguments()
LIBRARY = os.path.join(os.path.dirname(PROGRAM), "libactio.so")
os.environ["ACTIO_LIBRARY"] = LIBRARY
os.environ["PYTHONPATH"] = os.path.join(ROOT, "python")
sys.path.insert(0, os.path.join(ROOT, "python"))


def needs(name, *packages):
    """Ends the script where a package is missing."""
    for package in packages:
        try:
            __import__(package)
        except ImportError:
            print("%s: skipped, %s is not installed" % (name, package))
            sys.exit(ended(name, 0, 0))


def missing(package):
    """Is an optional package missing? The part that needs it says so."""
    try:
        __import__(package)
    except ImportError:
        print("  %s is not installed: not checked" % package)
        return True
    return False

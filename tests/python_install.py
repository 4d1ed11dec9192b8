#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pip installs the Python package without a network and without other packages, from the folder and as a link to it.
tests/python_install.py [--program PROGRAM]"""
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile

from program import ROOT, Tally, ended, run_parts
from python_setup import LIBRARY, PROGRAM, needs

needs("python_install", "numpy", "ensurepip", "pip")
FOLDER = os.path.join(ROOT, "python")
SHOWS = "import actio, sys; print(actio.__file__); print(actio.library_path()); print(repr(actio.load('disk').run().end['y']))"


def called(*words, **more):
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "ACTIO_LIBRARY")}
    env.update(PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_CACHE_DIR="1", **more)
    return subprocess.run(words, capture_output=True, text=True, env=env, cwd=tempfile.gettempdir())


def wanted():
    done = subprocess.run([sys.executable, "-c", SHOWS], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[2]


def installed(tally, *words):
    """A new environment with NumPy from outside; what the package says from there."""
    with tempfile.TemporaryDirectory() as folder:
        home = os.path.join(folder, "venv")
        made = called(sys.executable, "-m", "venv", "--system-site-packages", home)
        if made.returncode:
            return print("  venv does not work: not checked\n" + made.stdout[-300:])
        python = os.path.join(home, "bin", "python")
        pip = called(python, "-m", "pip", "install", *words, FOLDER, ACTIO_LIBRARY=LIBRARY)
        if not tally.check(pip.returncode == 0, "pip install %s:\n%s" % (words, pip.stderr[-1500:])):
            return None
        shown = called(python, "-c", SHOWS)
        lines = shown.stdout.splitlines()
        tally.check(len(lines) == 3 and lines[2] == wanted(), "the installed package: %s %s" % (lines, shown.stderr[-500:]))
        return lines, home


def from_the_folder(tally):
    found = installed(tally)
    if found:
        (module, library, _), home = found
        tally.check(module.startswith(home) and os.path.dirname(library) == os.path.dirname(module), "places %s, %s" % (module, library))


def as_a_link(tally):
    if not os.path.exists(os.path.join(ROOT, "build", "libactio.so")):
        return print("  not built in build/: not checked")
    found = installed(tally, "-e")
    if found:
        tally.check(found[0][0].startswith(FOLDER), "the module is at %s" % found[0][0])
    return None


def backend():
    sys.path.insert(0, FOLDER)
    import actio_build
    return actio_build


def wheel(tally):
    """The same bytes each time; every file is in the record."""
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "again"))
        name = backend().build_wheel(folder)
        backend().build_wheel(os.path.join(folder, "again"))
        with open(os.path.join(folder, name), "rb") as a, open(os.path.join(folder, "again", name), "rb") as b:
            tally.check(a.read() == b.read(), "two wheels differ")
        with zipfile.ZipFile(os.path.join(folder, name)) as archive:
            names = archive.namelist()
            record = archive.read(next(one for one in names if one.endswith("RECORD"))).decode().splitlines()
        tally.check(sorted(line.split(",")[0] for line in record) == sorted(names), "the record")
        tally.check({"actio/libactio.so", "actio/py.typed", "actio/_abi.py"} <= set(names) and not any("__pycache__" in one for one in names), "files: %s" % names)


def sdist(tally):
    """It has what CMake needs: it configures there, without tests."""
    with tempfile.TemporaryDirectory() as folder:
        name = backend().build_sdist(folder)
        with tarfile.open(os.path.join(folder, name)) as archive:
            archive.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(folder)
        source = os.path.join(folder, name[:-7], "source")
        done = called("cmake", "-S", source, "-B", os.path.join(folder, "build"), "-DACTIO_TESTS=OFF")
        tally.check(done.returncode == 0, "cmake: %s" % done.stderr[-800:])
        tally.check(os.path.exists(os.path.join(folder, name[:-7], "PKG-INFO")) and os.path.exists(os.path.join(folder, name[:-7], "pyproject.toml")), "files")


if __name__ == "__main__":
    if not os.path.exists(LIBRARY):
        print("python_install: skipped, %s is not built" % os.path.relpath(LIBRARY, os.path.dirname(PROGRAM)))
        sys.exit(ended("python_install", 0, 0))
    TALLY = Tally("python_install")
    run_parts([from_the_folder, as_a_link, wheel, sdist], TALLY)
    TALLY.done()

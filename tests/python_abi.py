#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package declares what the header declares: names, sizes and offsets as the C compiler has them.
tests/python_abi.py [--program PROGRAM]"""
import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile

from program import ROOT, Tally, run_parts
from python_setup import LIBRARY, needs

needs("python_abi", "numpy")
from actio import _abi  # noqa: E402


def generated(tally):
    """python/actio/_abi.py is what tools/python_abi.py makes of the header."""
    done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "python_abi.py"), "--check"], capture_output=True, text=True)
    tally.check(done.returncode == 0, done.stderr.strip())


def every_function_is_declared(tally):
    """Exported symbols, declared functions and the header's text agree."""
    with open(os.path.join(ROOT, "include", "actio", "actio.h"), encoding="utf-8") as file:
        header = file.read()
    written = set(re.findall(r"\b(actio_\w+)\(", re.sub(r"/\*.*?\*/", "", header, flags=re.S)))
    tally.check(written == set(_abi.FUNCTIONS), "functions of the header differ: %s" % sorted(written ^ set(_abi.FUNCTIONS)))
    library = ctypes.CDLL(LIBRARY)
    lost = [name for name in _abi.FUNCTIONS if not hasattr(library, name)]
    tally.check(not lost, "the library does not have %s" % lost)


def c_program():
    """Prints every struct's size, and offset and size of its fields, then every enumerator."""
    lines = ["#include <actio/actio.h>", "#include <stdio.h>", "int main(void)", "{"]
    for name, struct in _abi.STRUCTS.items():
        lines.append('    printf("%s %%zu\\n", sizeof(struct %s));' % (name, name))
        for field in struct._fields_:
            at = "offsetof(struct %s, %s), sizeof(((struct %s *)0)->%s)" % (name, field[0], name, field[0])
            lines.append('    printf("%s.%s %%zu %%zu\\n", %s);' % (name, field[0], at))
    lines += ['    printf("%s %%d\\n", (int)%s);' % (name, name) for name in enumerators()]
    return "\n".join(lines + ["    return 0;", "}"]) + "\n"


def enumerators():
    return [name for name, value in vars(_abi).items() if name.startswith("ACTIO_") and isinstance(value, int)]


def expected():
    lines = []
    for name, struct in _abi.STRUCTS.items():
        lines.append("%s %d" % (name, ctypes.sizeof(struct)))
        for field in struct._fields_:
            lines.append("%s.%s %d %d" % (name, field[0], getattr(struct, field[0]).offset, getattr(struct, field[0]).size))
    return lines + ["%s %d" % (name, getattr(_abi, name)) for name in enumerators()]


def layouts(tally):
    """sizeof and offsetof by the compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        return print("  no C compiler: not checked")
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
        with open(source, "w", encoding="utf-8") as file:
            file.write(c_program())
        subprocess.run([compiler, "-I", os.path.join(ROOT, "include"), source, "-o", program], check=True)
        found = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    wanted = expected()
    tally.check(len(found) == len(wanted) > 200, "%d lines by C, %d by ctypes" % (len(found), len(wanted)))
    for c, python in zip(found, wanted):
        tally.check(c == python, "C has '%s', ctypes '%s'" % (c, python))
    return None


def option_offsets(tally):
    """The table of options names fields: an offset and a type that the struct has."""
    from actio._options import table
    kinds = {_abi.ACTIO_TAKES_NOTHING: 1, _abi.ACTIO_TAKES_NUMBER: 8, _abi.ACTIO_TAKES_POSITIVE: 8, _abi.ACTIO_TAKES_COUNT: 8,
             _abi.ACTIO_TAKES_INTEGER: 4, _abi.ACTIO_TAKES_WORD: 8, _abi.ACTIO_TAKES_TEXT: 8, _abi.ACTIO_TAKES_NAMES: 8}
    structs = {_abi.ACTIO_INTO_RUN: _abi.RunOptions, _abi.ACTIO_INTO_ORBIT: _abi.OrbitOptions, _abi.ACTIO_INTO_LIMITS: _abi.Limits}
    for option in table():
        if option.into == _abi.ACTIO_INTO_NONE:
            continue
        fields = {getattr(structs[option.into], name).offset: (name, getattr(structs[option.into], name).size) for name, *_ in structs[option.into]._fields_}
        name, size = fields.get(option.offset, ("", 0))
        tally.check(size == kinds[option.kind], "option %s fills %s of %d bytes" % (option.name, name or "no field", size))


if __name__ == "__main__":
    TALLY = Tally("python_abi")
    run_parts([generated, every_function_is_declared, layouts, option_offsets], TALLY)
    TALLY.done()

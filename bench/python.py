#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Python adds: the time of `import actio` beside that of NumPy, and of a run of the disk beyond the engine's own.

    bench/python.py [--program build/actio]"""
import ctypes
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = sys.argv[2] if sys.argv[1:2] == ["--program"] else os.path.join(ROOT, "build", "actio")
os.environ.update(ACTIO_LIBRARY=os.path.join(os.path.dirname(os.path.abspath(PROGRAM)), "libactio.so"), PYTHONPATH=os.path.join(ROOT, "python"))
sys.path.insert(0, os.environ["PYTHONPATH"])
IMPORT = """
import time
a = time.perf_counter(), time.process_time()
import numpy
b = time.perf_counter(), time.process_time()
import actio
c = time.perf_counter(), time.process_time()
print(b[0] - a[0], c[0] - b[0], b[1] - a[1], c[1] - b[1])
"""


def imports(count=15):
    """Milliseconds of NumPy and of actio after it, the least of several: by the clock, and of the processor."""
    rows = []
    for _ in range(count):
        done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True)
        rows.append([1e3 * float(word) for word in done.stdout.split()])
    return [min(column) for column in zip(*rows)]


def overhead(count=2000):
    """Microseconds of a run of the disk, median and tenth part by the clock: the engine's own `seconds`, the library's
    call with preparation and memory, and all of `m.run()`."""
    import actio
    model = actio.load("disk")
    whole, own = timed(model.run, count), timed(c_call(actio, model), count)
    engine = sorted(1e6 * model.run().seconds for _ in range(count))
    return [(statistics.median(rows), rows[count // 10]) for rows in (engine, own, whole)]


def timed(action, count):
    for _ in range(50):
        action()
    rows = []
    for _ in range(count):
        begin = time.perf_counter()
        action()
        rows.append(1e6 * (time.perf_counter() - begin))
    return sorted(rows)


def c_call(actio, model):
    """The calls that a C program makes: findings, the run, and both freed."""
    lib, handle, options = actio._lib, model._handle, actio._lib.actio_run_options_default()

    def called():
        findings = lib.actio_findings_create(handle.context.pointer)
        table = lib.actio_run(handle.context.pointer, handle.pointer, ctypes.byref(options), findings)
        lib.actio_table_free(table)
        lib.actio_findings_free(findings)
    return called


def main():
    try:
        import numpy
    except ImportError:
        return print("## Python\n\nNumPy is not installed.")
    print("## Python %d.%d, NumPy %s\n" % (*sys.version_info[:2], numpy.__version__))
    array, package, array_cpu, package_cpu = imports()
    print("| | by the clock | of the processor | goal |\n|---|---|---|---|")
    print("| import numpy | %.1f ms | %.1f ms | |" % (array, array_cpu))
    print("| import actio, after it | %.1f ms | %.1f ms | < 50 ms |" % (package, package_cpu))
    engine, own, whole = overhead()
    print("\n| a run of the disk | median | tenth part | goal |\n|---|---|---|---|")
    print("| the engine's own seconds | %.0f us | %.0f us | |" % engine)
    print("| the library's call: preparation, seconds, table | %.0f us | %.0f us | |" % own)
    print("| m.run() | %.0f us | %.0f us | |" % whole)
    print("| beyond the library's call | %.0f us | %.0f us | |" % tuple(a - b for a, b in zip(whole, own)))
    return print("| beyond the engine's own seconds | %.0f us | %.0f us | < 200 us |" % tuple(a - b for a, b in zip(whole, engine)))


if __name__ == "__main__":
    main()

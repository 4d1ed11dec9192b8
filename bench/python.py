#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Python adds: the time of `import actio` beside that of NumPy, and of a run of the disk beyond the engine's own.

    bench/python.py [--program build/actio]"""
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
    """Microseconds of a run of the disk beyond the engine's `seconds`: median and tenth part by the clock, and the least."""
    import actio
    model = actio.load("disk")
    for _ in range(50):
        model.run()
    beyond, engine = [], []
    for _ in range(count):
        begin = time.perf_counter()
        result = model.run()
        end = time.perf_counter()
        engine.append(1e6 * result.seconds)
        beyond.append(1e6 * (end - begin) - engine[-1])
    beyond.sort()
    return statistics.median(engine), statistics.median(beyond), beyond[count // 10]


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
    engine, beyond, least = overhead()
    print("| a run of the disk: the engine | %.0f us | | |" % engine)
    return print("| beyond it: median, tenth part of the runs | %.0f us, %.0f us | | < 200 us |" % (beyond, least))


if __name__ == "__main__":
    main()

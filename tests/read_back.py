#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reads what C wrote with other people's readers: every number must come back bit for bit.

read_back.py FOLDER: a build folder with test_result in it, or a folder with its samples.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
import zipfile

import numpy

passed = failed = 0


def check(claim, true):
    global passed, failed
    passed, failed = passed + bool(true), failed + (not true)
    if not true:
        print("FAILED:", claim)


def same(a, b):
    """Equal bits; any nan is nan."""
    a, b = numpy.asarray(a, float), numpy.asarray(b, float)
    return a.shape == b.shape and bool(numpy.all((a.view("u8") == b.view("u8")) | (numpy.isnan(a) & numpy.isnan(b))))


def expected(folder):
    with open(os.path.join(folder, "names"), "rb") as f:
        names = [n.decode() for n in f.read().split(b"\0")[:-1]]
    return names, numpy.fromfile(os.path.join(folder, "data")).reshape(len(names), -1)


def read_csv(file, names, data):
    with open(file, newline="", encoding="utf-8") as f:
        rows = list(csv.reader(f))
    check("csv: the first line has the names", rows[0] == names)
    check("csv: numbers read back exactly", same(numpy.array([[float(x) for x in r] for r in rows[1:]]).T, data))


def read_json(file, names, data):
    with open(file, encoding="utf-8") as f:
        run = json.load(f, parse_constant=lambda c: check("json: only numbers that JSON knows", False))
    check("json: column names", [c["name"] for c in run["columns"]] == names)
    for column, x in zip(run["columns"], data):
        finite = numpy.isfinite(x)
        got = column["data"]
        check("json: what is not finite is null", [v is None for v in got] == list(~finite))
        check("json: numbers read back exactly", same([float(v) for v in got if v is not None], x[finite]))
    check("json: end", list(run["end"]) == names)
    check("json: errors", run["error"]["lambda.roll"] is None and run["error"]["x"] == 1e-12)
    check("json: provenance", run["provenance"]["source"] == "model sample\n# θ\ttab \x01\n" and run["provenance"]["params"]["α"] == 0.1)
    check("json: meaning", run["columns"][0]["meaning"] == "a \\ b\n</script>\u2028")
    check("json: events", run["events"][0] == {"t": 0.5, "kind": "event", "name": 'apex <&> "θ"', "value": 2} and run["events"][1]["value"] is None)


def read_npz(file, names, data):
    check("npz: checksums", zipfile.ZipFile(file).testzip() is None)
    with numpy.load(file, allow_pickle=False) as f:
        check("npz: arrays in the order of the columns, then the errors", f.files == names + ["_error"])
        check("npz: numbers read back exactly", all(same(f[n], x) for n, x in zip(names, data)))
        check("npz: errors", f["_error"][1] == 1e-12 and numpy.isnan(f["_error"][4]))


def read_wide(file):
    with numpy.load(file, allow_pickle=False) as f:
        check("npz: more than 65535 arrays", len(f.files) == 70001 and f["c69999"].shape == (1,) and f["c2"][0] == 0)


def read_hdf5(file, names, data):
    import h5py
    with h5py.File(file, "r") as f:
        check("hdf5: data sets", sorted((n for n in f if n != "events."), key=lambda n: f[n].attrs["column"]) == names and len(f) == len(names) + 1)
        check("hdf5: numbers read back exactly", all(same(f[n][:], x) for n, x in zip(names, data)))
        x = f["x"].attrs
        check("hdf5: attributes of a column", (x["role"], x["error"], x["column"], f["t"].attrs["unit"]) == ("coordinates", 1e-12, 1, "m/s^2"))
        check("hdf5: attributes of the run", (f.attrs["model"], f.attrs["by"], f.attrs["tol"], f.attrs["reached"]) == ("sample", "dalembert", 1e-9, 1))
        check("hdf5: the model's text", f.attrs["source"] == "model sample\n# θ\ttab \x01\n")
        check("hdf5: params", [(p["name"].decode(), p["value"]) for p in f.attrs["params"]] == [("g", 9.8), ("α", 0.1)])
        check("hdf5: events", f["events."][0]["name"].decode() == 'apex <&> "θ"' and f["events."][0]["t"] == 0.5 and len(f["events."]) == 2)


def read_svg(file, *_):
    tags = {e.tag.split("}")[1] for e in xml.etree.ElementTree.parse(file).iter()}
    check("svg: well-formed, and only shapes and texts", tags <= {"svg", "title", "desc", "clipPath", "rect", "polyline", "circle", "text"})


def starts_with(signature):
    def read(file, *_):
        with open(file, "rb") as f:
            check(file + ": signature", f.read(len(signature)) == signature)
    return read


def read_samples(folder):
    readers = {"csv": read_csv, "json": read_json, "npz": read_npz, "h5": read_hdf5, "svg": read_svg, "png": starts_with(b"\x89PNG"), "pdf": starts_with(b"%PDF")}
    names, data = expected(folder)
    for ending, read in readers.items():
        file = os.path.join(folder, "sample." + ending)
        if os.path.exists(file):
            read(file, names, data)
    read_wide(os.path.join(folder, "wide.npz"))
    check("csv, json, npz and svg are always there", all(os.path.exists(os.path.join(folder, "sample." + e)) for e in ("csv", "json", "npz", "svg")))


def find_program(build):
    for place in ("", "tests", "bin"):
        program = os.path.join(build, place, "test_result")
        if os.access(program, os.X_OK):
            return program
    sys.exit("no test_result in " + build)


def main(folder):
    if os.path.exists(os.path.join(folder, "names")):
        read_samples(folder)
    else:
        with tempfile.TemporaryDirectory() as samples:
            subprocess.run([os.path.abspath(find_program(folder)), samples], check=True, stdout=subprocess.DEVNULL)
            read_samples(samples)
    print("read_back: %d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reads what C wrote with other people's readers: every number must come back bit for bit.

read_back.py FOLDER: a build folder with test_result and test_result_fields in it, or a folder with their samples.
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

from program import chosen, ended

passed = failed = 0
EVENT_LISTS = ["t", "error", "kind", "name", "line", "value", "contact", "impulse", "energy", "rule", "place", "before", "after"]
JUMP = {"place": [.1, -0.], "before": [3, 1e300], "after": [-3, 5e-324]}                    # of the sample's second event


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
    check("json: events", run["events"][0] == {"t": 0.5, "error": 0, "kind": "event", "name": 'apex <&> "θ"', "value": 2} and run["events"][1]["value"] is None)
    check("json: a jump", {name: run["events"][1][name] for name in ("line", "energy", *JUMP)}
          == {"line": 7, "energy": .3, "place": dict(zip(("x", "β"), JUMP["place"])), "before": dict(zip(("x_dot", "β_dot"), JUMP["before"])),
              "after": dict(zip(("x_dot", "β_dot"), JUMP["after"]))})


def read_npz(file, names, data):
    check("npz: checksums", zipfile.ZipFile(file).testzip() is None)
    with numpy.load(file, allow_pickle=False) as f:
        check("npz: arrays in the order of the columns, then the errors", f.files[:len(names) + 1] == names + ["_error"])
        check("npz: lists of events behind them", f.files[len(names) + 1:] == ["events." + name for name in EVENT_LISTS])
        check("npz: events", list(f["events.t"]) == [.5, 1.25] and list(f["events.name"]) == ['apex <&> "θ"', ""] and list(f["events.line"]) == [0, 7])
        check("npz: a jump", all(numpy.isnan(f["events." + name][0]).all() and same(f["events." + name][1], x) for name, x in JUMP.items()))
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
    check("svg: well-formed, and only shapes and texts", tags <= {"svg", "title", "desc", "clipPath", "rect", "polyline", "circle", "text", "path", "polygon"})


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


def field_columns(file):
    """name -> array, of a field rows by nodes; and the numbers of nodes"""
    columns = {}
    with open(file, "rb") as f:
        while True:
            line = f.readline().decode().split()
            if not line:
                return columns
            rows, nodes = int(line[1]), int(line[2])
            x = numpy.frombuffer(f.read(8 * rows * max(nodes, 1)))
            columns[line[0]] = x.reshape(rows, nodes) if nodes else x


def field_csv(file, columns):
    with open(file, newline="", encoding="utf-8") as f:
        rows = list(csv.reader(f))
    names = [n if x.ndim == 1 else "%s[%d]" % (n, k) for n, x in columns.items() for k in range(1 if x.ndim == 1 else x.shape[1])]
    check(file + ": names of nodes", rows[0] == names)
    check(file + ": numbers read back exactly", same([[float(v) for v in r] for r in rows[1:]], numpy.hstack([x.reshape(len(x), -1) for x in columns.values()])))


def field_json(file, columns):
    with open(file, encoding="utf-8") as f:
        run = json.load(f, parse_constant=lambda c: check("json: only numbers that JSON knows", False))
    check(file + ": columns", [c["name"] for c in run["columns"]] == list(columns))
    for c in run["columns"]:
        x = columns[c["name"]]
        check(file + ": lists of lists read back exactly", same([[numpy.nan if v is None else float(v) for v in r] for r in c["data"]] if x.ndim == 2 else c["data"], x))
        check(file + ": nodes, axis and places", x.ndim == 1 and "nodes" not in c or (c["nodes"], c["axis"], len(c["place"])) == (x.shape[1], "s", x.shape[1]))
    last, end = columns["energy"][-1] if "energy" in columns else None, run["end"]
    check(file + ": end of a point and of a field", end.get("energy") == last and all(
        end[n]["last"] == x[-1, -1] and end[n]["min"] == numpy.nanmin(x[-1]) and end[n]["max"] == numpy.nanmax(x[-1]) and ("%s[0]" % n in end) == (x.shape[1] <= 64)
        for n, x in columns.items() if x.ndim == 2))


def field_npz(file, columns):
    check(file + ": checksums", zipfile.ZipFile(file).testzip() is None)
    with numpy.load(file, allow_pickle=False) as f:
        check(file + ": arrays of two dimensions read back exactly", all(same(f[n], x) for n, x in columns.items()))
        places = {n for n in f.files if n.startswith("axis.")}
        lengths = {x.shape[1] for x in columns.values() if x.ndim == 2}
        check(file + ": places", places == ({"axis.s", "axis.s_cells"} if len(lengths) == 2 else {"axis.s"}) and {len(f[n]) for n in places} == lengths)
        check(file + ": errors, one a column", len(f["error"]) == len(columns))


def field_hdf5(file, columns):
    import h5py
    group = "axis." if "axis" in columns else "axis"
    with h5py.File(file, "r") as f:
        check(file + ": data sets", {n for n in f if n not in (group, "events")} == set(columns))
        for n, x in columns.items():
            check(file + ": two dimensions read back exactly", same(f[n][()], x))
            if x.ndim == 2:
                place = f[group][f[n].attrs["places"]]
                check(file + ": places", f[n].attrs["axis"] == place.attrs["axis"] == "s" and place.shape == x.shape[1:] and bool(numpy.all(numpy.diff(place[()]) > 0)))
        check(file + ": cells lie half way between nodes", "s_cells" not in f[group] or numpy.allclose((f[group]["s"][1:] + f[group]["s"][:-1]) / 2, f[group]["s_cells"][()]))


def read_moving(file):
    root = xml.etree.ElementTree.parse(file).getroot()
    check(file + ": only shapes, texts and what moves them", {e.tag.split("}")[1] for e in root.iter()} <= {"svg", "title", "desc", "rect", "polyline", "circle", "text", "animate"})
    for parent in root.iter():
        for e in parent:
            if not e.tag.endswith("}animate"):
                continue
            values, keys = e.attrib["values"].split(";"), [float(k) for k in e.attrib["keyTimes"].split(";")]
            discrete = e.attrib["calcMode"] == "discrete"
            check(file + ": as many times as values, in order, from 0 to 1", len(values) == len(keys) <= 120 and keys[0] == 0 and keys == sorted(keys) and (discrete or keys[-1] == 1))
            what = e.attrib["attributeName"]
            check(file + ": still, it is the first frame", parent.attrib.get(what, "visible") == values[0])
            check(file + ": every frame has as many vertices", what != "points" or len({len(v.split()) for v in values}) == 1 and len(values[0].split()) <= 200)


def read_fields(folder):
    readers = {"csv": field_csv, "json": field_json, "npz": field_npz, "h5": field_hdf5}
    for stem in ("f1", "f2", "f5", "f300", "w300"):
        columns = field_columns(os.path.join(folder, stem + ".raw"))
        for ending, read in readers.items():
            file = os.path.join(folder, stem + "." + ending)
            if os.path.exists(file):
                read(file, columns)
        read_svg(os.path.join(folder, stem + ".svg"))
        read_moving(os.path.join(folder, stem + ".moving.svg"))
    read_svg(os.path.join(folder, "asked.svg"))


def find_program(build, name):
    for place in ("", "tests", "bin"):
        program = os.path.join(build, place, name)
        if os.access(program, os.X_OK):
            return program
    sys.exit("no %s in %s" % (name, build))


def main(folder):
    if os.path.exists(os.path.join(folder, "names")):
        read_samples(folder)
    elif os.path.exists(os.path.join(folder, "f5.raw")):
        read_fields(folder)
    else:
        for name, read in (("test_result", read_samples), ("test_result_fields", read_fields)):
            if not chosen(name):
                continue
            with tempfile.TemporaryDirectory() as samples:
                subprocess.run([os.path.abspath(find_program(folder, name)), samples], check=True, stdout=subprocess.DEVNULL)
                read(samples)
    return ended("read_back", passed, failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))

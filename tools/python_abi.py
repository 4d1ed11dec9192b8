#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes python/actio/_abi.py, the ctypes declarations of the Python package, from include/actio/actio.h.

    tools/python_abi.py            writes the file
    tools/python_abi.py --check    compares it with the header; exit status 1 where they differ

Pointers to numbers and to structs that the header only names are addresses (c_void_p)."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADER = os.path.join(ROOT, "include", "actio", "actio.h")
OUTPUT = os.path.join(ROOT, "python", "actio", "_abi.py")
NUMBERS = {
    "int": "c_int", "unsigned": "c_uint", "size_t": "c_size_t", "double": "c_double", "bool": "c_bool", "char": "c_char",
    "uint8_t": "c_uint8", "uint32_t": "c_uint32", "int32_t": "c_int32", "uint64_t": "c_uint64", "int64_t": "c_int64",
}
TOP = '''# SPDX-License-Identifier: Apache-2.0
"""Structs, enumerators and functions of include/actio/actio.h for ctypes. tools/python_abi.py makes this file."""
from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint32, c_void_p
from typing import Any

VERSION = "%s"
SONAME = "libactio.so.%s"
'''


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def plain(text):
    """The header without comments, directives and the words that ctypes does not need."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^\s*#.*?(?<!\\)$", "", text, flags=re.M)
    text = re.sub(r'extern "C" \{|\b(ACTIO_API|const|volatile|restrict)\b', " ", text)
    return re.sub(r"\s+", " ", text)


def class_name(struct):
    """actio_run_options: RunOptions"""
    return "".join(word.capitalize() for word in struct.replace("actio_", "", 1).split("_"))


def split(text, mark=","):
    """Parts between marks that are outside brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == mark and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


class Header:
    def __init__(self, text):
        self.enums, self.structs, self.callbacks, self.functions = {}, {}, {}, {}
        for statement in split(plain(text), ";"):
            self.take(statement)

    def take(self, statement):
        forms = ((r"(?:typedef )?enum (\w*) ?\{(.*)\}.*", self.take_enum), (r"struct (\w+) \{(.*)\}", self.take_struct),
                 (r"typedef (.+?)\( ?\* ?(\w+) ?\) ?\((.*)\)", self.take_callback), (r"struct \w+|\}", lambda *_: None),
                 (r"(.*?)(\bactio_\w+) ?\((.*)\)", self.take_function))
        for pattern, taker in forms:
            found = re.fullmatch(pattern, statement)
            if found:
                return taker(*found.groups())
        raise SystemExit("python_abi: unknown declaration: " + statement)

    def take_enum(self, _, body):
        value = -1
        for item in split(body):
            name, _, given = (word.strip() for word in item.partition("="))
            value = int(given, 0) if given else value + 1
            self.enums[name] = value

    def take_struct(self, name, body):
        self.structs[name] = [field for line in split(body, ";") for field in self.fields(line)]

    def fields(self, line):
        """`const char *a, *b; double c[3]`: (name, type, number of entries or None) each."""
        base = re.match(r"(?:struct |enum )?\w+", line).group(0)
        for item in split(line[len(base):]):
            found = re.fullmatch(r"([* ]*)(\w+) ?(?:\[(\d+)\])?", item)
            yield found.group(2), self.type(base + " " + found.group(1)), found.group(3)

    def take_callback(self, result, name, arguments):
        self.callbacks[name] = [self.type(result), *self.arguments(arguments)]

    def take_function(self, result, name, arguments):
        self.functions[name] = [self.type(result), *self.arguments(arguments)]

    def arguments(self, text):
        return [self.type(re.sub(r"\w+ ?$", "", item) if self.has_name(item) else item) for item in split(text) if item != "void"]

    @staticmethod
    def has_name(item):
        return len(re.findall(r"\w+", item)) > (2 if re.match(r"(struct|enum) ", item) else 1)

    def type(self, text):
        """The ctypes type of a C type."""
        stars, base = text.count("*"), text.replace("*", " ").strip()
        if base in self.callbacks:
            return base
        if base == "actio_status" or base.startswith("enum "):
            base = "int"
        known = class_name(base[7:]) if base.startswith("struct ") and base[7:] in self.structs else None
        if stars == 0:
            return "None" if base == "void" else known or NUMBERS[base]
        inner = "c_char_p" if base == "char" else "POINTER(%s)" % known if known else "c_void_p"
        for _ in range(stars - 1):
            inner = "POINTER(%s)" % inner
        return inner


def versions():
    text = read(os.path.join(ROOT, "CMakeLists.txt"))
    version = re.search(r"project\(actio VERSION ([\d.]+)", text).group(1)
    number = re.search(r"SOVERSION (\S+?)[\s)]", text).group(1)
    return version, number if number.isdigit() else version.split(".", maxsplit=1)[0]


def callback_line(name, types):
    return "%s = CFUNCTYPE(%s)" % (name, ", ".join(types))


def class_lines(name, fields):
    yield from ("", "", "class %s(Structure):" % class_name(name), "    _fields_ = [")
    for field, kind, entries in fields:
        yield '        ("%s", %s),' % (field, "%s * %s" % (kind, entries) if entries else kind)
    yield "    ]"


def made():
    header = Header(read(HEADER))
    lines = [TOP % versions(), *("%s = %d" % item for item in header.enums.items())]
    lines += ["", *(callback_line(*item) for item in header.callbacks.items())]
    for item in header.structs.items():
        lines += class_lines(*item)
    lines += ["", "", "FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {"]
    for name, (result, *arguments) in header.functions.items():
        lines.append('    "%s": (%s, [%s]),' % (name, result, ", ".join(arguments)))
    lines += ["}", "", "STRUCTS: dict[str, type[ctypes.Structure]] = {"]
    lines += ['    "%s": %s,' % (name, class_name(name)) for name in header.structs]
    return "\n".join(lines + ["}"]) + "\n"


def main():
    text = made()
    if "--check" not in sys.argv[1:]:
        with open(OUTPUT, "w", encoding="utf-8") as file:
            file.write(text)
    elif not os.path.exists(OUTPUT) or read(OUTPUT) != text:
        sys.exit("python_abi: python/actio/_abi.py differs from include/actio/actio.h; run tools/python_abi.py")


if __name__ == "__main__":
    main()

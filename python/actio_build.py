# SPDX-License-Identifier: Apache-2.0
"""Builds wheels of the package without other packages (PEP 517, PEP 660): `pip install .` works offline.

The library comes from build/ of the source tree, or CMake builds it there. An sdist has its sources in `source/`."""
from __future__ import annotations

import base64
import hashlib
import io
import os
import subprocess
import sysconfig
import tarfile
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "cmake", "include", "models", "src", "templates", "tools")
OWN = ("pyproject.toml", "README.md", "actio_build.py", "actio", "examples")


def version() -> str:
    """Of actio/_abi.py, which has it from CMakeLists.txt."""
    with open(os.path.join(HERE, "actio", "_abi.py"), encoding="utf-8") as file:
        line = next(line for line in file if line.startswith("VERSION = "))
    return line.split('"')[1]


def source() -> str:
    """The folder with CMakeLists.txt: in an sdist beside this file, otherwise the tree around it."""
    for folder in (os.path.join(HERE, "source"), os.path.dirname(HERE)):
        if os.path.exists(os.path.join(folder, "CMakeLists.txt")):
            return folder
    raise SystemExit("actio_build: the sources of the library are missing; build from the whole tree or from an sdist")


def library() -> str:
    """The shared library: ACTIO_LIBRARY, or that of the tree, which is built when it is not there."""
    given = os.environ.get("ACTIO_LIBRARY")
    if given:
        return os.path.realpath(given)
    root = source()
    path = os.path.join(root, "build", "libactio.so")
    if not os.path.exists(path):
        build = os.path.join(root, "build")
        configure = ["cmake", "-S", root, "-B", build, "-DACTIO_TESTS=OFF"]
        for command in (configure, ["cmake", "--build", build, "--target", "actio_shared", "-j", str(os.cpu_count() or 1)]):
            if not os.path.exists(os.path.join(build, "CMakeCache.txt")) or command is not configure:
                subprocess.run(command, check=True)
    return os.path.realpath(path)


def files_in(folder: str, *names: str) -> list[str]:
    """Files below, without what running leaves behind."""
    found: list[str] = []
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            found.append(name)
        for place, folders, files in os.walk(path):
            folders[:] = sorted(one for one in folders if one != "__pycache__" and not one.startswith("."))
            found += [os.path.relpath(os.path.join(place, one), folder) for one in sorted(files) if not one.endswith((".pyc", ".so"))]
    return found


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def metadata() -> bytes:
    about = os.path.join(HERE, "README.md")
    lines = ["Metadata-Version: 2.1", "Name: actio", "Version: " + version(), "Summary: constrained mechanics: a model text in, the motion out",
             "License: Apache-2.0", "Requires-Python: >=3.11", "Requires-Dist: numpy", "Description-Content-Type: text/markdown", ""]
    return "\n".join(lines + [read(about).decode() if os.path.exists(about) else ""]).encode()


def tag() -> str:
    return "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


class Wheel:
    """A wheel under construction: a zip file with a list of what is in it."""

    def __init__(self, folder: str) -> None:
        self.name = "actio-%s-%s.whl" % (version(), tag())
        self.info = "actio-%s.dist-info" % version()
        self.zip = zipfile.ZipFile(os.path.join(folder, self.name), "w", zipfile.ZIP_DEFLATED)
        self.record: list[str] = []

    def add(self, name: str, data: bytes, mode: int = 0o644) -> None:
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append("%s,sha256=%s,%d" % (name, digest, len(data)))

    def close(self) -> str:
        self.add(self.info + "/METADATA", metadata())
        self.add(self.info + "/WHEEL", ("Wheel-Version: 1.0\nGenerator: actio_build\nRoot-Is-Purelib: false\nTag: %s\n" % tag()).encode())
        name = self.info + "/RECORD"
        self.add(name, ("\n".join([*self.record, name + ",,"]) + "\n").encode())
        self.zip.close()
        return self.name


# ---- hooks

def get_requires_for_build_wheel(config_settings: object = None) -> list[str]:
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: object = None) -> str:
    """Without it pip builds the whole wheel to learn its name."""
    folder = "actio-%s.dist-info" % version()
    os.makedirs(os.path.join(metadata_directory, folder), exist_ok=True)
    with open(os.path.join(metadata_directory, folder, "METADATA"), "wb") as file:
        file.write(metadata())
    return folder


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """The package with the library inside."""
    path = library()
    wheel = Wheel(wheel_directory)
    for name in files_in(HERE, "actio"):
        wheel.add(name, read(os.path.join(HERE, name)))
    wheel.add("actio/libactio.so", read(path), 0o755)
    return wheel.close()


def build_editable(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """A path to this folder; the library is that of the built tree."""
    library()
    wheel = Wheel(wheel_directory)
    wheel.add("actio.pth", (HERE + "\n").encode())
    return wheel.close()


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """This folder, and the sources of the library in `source/`."""
    stem = "actio-%s" % version()
    root = source()
    with tarfile.open(os.path.join(sdist_directory, stem + ".tar.gz"), "w:gz") as archive:
        for name in files_in(HERE, *OWN):
            archive.add(os.path.join(HERE, name), "%s/%s" % (stem, name))
        for name in files_in(root, *SOURCES):
            archive.add(os.path.join(root, name), "%s/source/%s" % (stem, name))
        about = metadata()
        entry = tarfile.TarInfo(stem + "/PKG-INFO")
        entry.size = len(about)
        archive.addfile(entry, io.BytesIO(about))
    return stem + ".tar.gz"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        print(build_wheel(scratch))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An installed tree is what others need, and goes without a trace: tests/install.py [BUILD]

Everything is installed below a folder of the build. Two projects of tests/consumers are built against it, there and after
the tree was moved. The disk's end is known in closed form: y = 49/15*pi, and 1e-8 is ten times the run's tolerance."""
import contextlib
import glob
import json
import math
import os
import re
import shutil
import subprocess
import sys

from program import ROOT, Tally, run_parts

BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build"))
WORK = os.path.join(BUILD, "install test")                  # a blank in the name is nobody's mistake
STAGE = os.path.join(WORK, "stage")
PREFIX = "/usr/local"
HERE = STAGE + PREFIX
COMPILERS = {"CC": os.environ.get("CC", "cc"), "CXX": os.environ.get("CXX", "c++")}


def call(*words, cwd=ROOT, **env):
    """Exit status, and everything that was printed."""
    done = subprocess.run(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **env})
    return done.returncode, done.stdout


def install(prefix=PREFIX, destdir=STAGE):
    return call("sh", "tools/install.sh", BUILD, prefix, DESTDIR=destdir)


def remove(prefix=PREFIX, destdir=STAGE):
    return call("sh", "tools/install.sh", "--remove", prefix, DESTDIR=destdir)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def version():
    return re.search(r"project\(actio VERSION (\S+)", read(ROOT, "CMakeLists.txt")).group(1)


def described():
    return json.loads(call(os.path.join(BUILD, "actio"), "--help=json")[1])


# ---- what is there

def files_are_in_their_places(tally):
    status, said = install()
    tally.check(status == 0, "install: %s" % said)
    soname = "libactio.so." + version().split(".")[0]
    names = ["bin/actio", "include/actio/actio.h", "lib/libactio.so", "lib/" + soname, "lib/libactio.so." + version(), "lib/libactio.a",
             "lib/pkgconfig/actio.pc", "lib/pkgconfig/actio-static.pc", "lib/cmake/actio/actioConfig.cmake", "lib/cmake/actio/actioConfigVersion.cmake",
             "lib/cmake/actio/actioTargets.cmake", "share/man/man1/actio.1", "share/man/man5/actio-model.5", "share/zsh/site-functions/_actio",
             "share/bash-completion/completions/actio", "share/fish/vendor_completions.d/actio.fish", "share/doc/actio/LICENSE", "share/doc/actio/manual.md"]
    names += ["share/man/man1/actio-%s.1" % row["name"] for row in described()["commands"]]
    names += ["share/actio/" + os.path.relpath(path, ROOT) for folder in ("models", "templates") for path in glob.glob(os.path.join(ROOT, folder, "*.act"))]
    for name in names:
        tally.check(os.path.exists(os.path.join(HERE, name)), "%s is not installed" % name)
    tally.check(os.readlink(os.path.join(HERE, "lib/libactio.so")) == soname, "libactio.so leads elsewhere")
    tally.check("SONAME" in call("readelf", "-d", os.path.join(HERE, "lib", soname))[1] and soname in call("readelf", "-d", os.path.join(HERE, "lib", soname))[1], "no soname")
    status, said = call(os.path.join(HERE, "bin/actio"), "test", os.path.join(HERE, "share/actio/models/disk.act"))
    tally.check(status == 0, "the installed program: %s" % said)


def no_file_contains_the_build_folder(tally):
    """What is installed may be moved, and two builds in different folders are alike."""
    for folder, _, names in os.walk(HERE):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                tally.check(ROOT.encode() not in file.read(), "%s contains the folder of the sources" % path)


def exports_are_the_public_header(tally):
    """An independent reading of the header: without comments, every declaration with ACTIO_API."""
    text = re.sub(r"/\*.*?\*/", "", "".join(read(path) for path in sorted(glob.glob(os.path.join(ROOT, "include/actio/*.h")))), flags=re.S)
    public = set(re.findall(r"^ACTIO_API\s[^;(]*?\b(\w+)\(", text, re.M))
    status, said = call("nm", "-D", "--defined-only", os.path.join(HERE, "lib/libactio.so"))
    exported = {line.split()[-1].split("@")[0] for line in said.splitlines() if line.split()[1] != "A"}
    tally.check(status == 0 and len(public) > 100, "%d functions in the header" % len(public))
    tally.check(not exported - public, "exported and not public: %s" % sorted(exported - public))
    tally.check(not public - exported, "public and not exported: %s" % sorted(public - exported))


def the_version_is_in_one_place(tally):
    path = os.path.join(HERE, "lib/pkgconfig")
    said = {"program": call(os.path.join(HERE, "bin/actio"), "--version")[1].split()[1],
            "pkg-config": call("pkg-config", "--modversion", "actio", PKG_CONFIG_PATH=path)[1].strip(),
            "CMake": re.search(r'set\(PACKAGE_VERSION "(.*)"\)', read(HERE, "lib/cmake/actio/actioConfigVersion.cmake")).group(1),
            "library": os.path.basename(os.path.realpath(os.path.join(HERE, "lib/libactio.so")))[len("libactio.so."):],
            "manual page": re.search(r'^\.TH .* "actio (.*?)"', read(HERE, "share/man/man1/actio.1"), re.M).group(1)}
    for who, what in said.items():
        tally.check(what == version(), "%s says %s, CMakeLists.txt %s" % (who, what, version()))
    for path in glob.glob(os.path.join(ROOT, "src/*/*.[ch]")) + glob.glob(os.path.join(ROOT, "include/actio/*.h")):
        tally.check(version() not in read(path), "%s repeats the version" % os.path.relpath(path, ROOT))


def pages_and_completion_are_well_formed(tally):
    pages = glob.glob(os.path.join(HERE, "share/man/man?/*"))
    for page in pages if shutil.which("man") and shutil.which("groff") else ():
        status, said = call("man", "--warnings", "-l", page, LC_ALL="C.UTF-8", MANWIDTH="80", PAGER="cat")
        warned = [line for line in said.splitlines() if "warning:" in line]
        tally.check(status == 0 and not warned and "NAME" in said, "%s: %s" % (page, warned or said[:200]))
    for shell, words, name in (("bash", ["-n"], "bash-completion/completions/actio"), ("zsh", ["-n"], "zsh/site-functions/_actio"),
                               ("fish", ["--no-execute"], "fish/vendor_completions.d/actio.fish")):
        if shutil.which(shell):
            status, said = call(shell, *words, os.path.join(HERE, "share", name))
            tally.check(status == 0 and not said, "%s: %s" % (name, said))


# ---- who uses it

def right_end(tally, what, folder, prefix, static=False):
    """The program prints the disk's end; it uses the installed library, or none where it is static."""
    path = os.path.join(folder, what)
    if not tally.check(os.path.exists(path), "%s was not built" % path):
        return
    status, said = call(path, LD_LIBRARY_PATH=os.path.join(prefix, "lib"))
    found = re.fullmatch(r"actio (\S+): y = (\S+)\n", said)
    tally.check(status == 0 and found and found[1] == version() and abs(float(found[2]) - 49 / 15 * math.pi) < 1e-8, "%s: exit %s, %s" % (path, status, said))
    needs = re.search(r"libactio[.]so\S* => (\S.*?)(?: \(|$)", call("ldd", path, LD_LIBRARY_PATH=os.path.join(prefix, "lib"))[1], re.M)
    tally.check(needs is None if static else needs and os.path.realpath(needs[1]).startswith(os.path.realpath(prefix)), "%s uses %s" % (path, needs and needs[0]))


def consumer_by_pkg_config(tally, prefix=HERE, name="pkgconfig"):
    folder = os.path.join(WORK, name)
    os.makedirs(folder)
    env = {**COMPILERS, "PKG_CONFIG_PATH": os.path.join(prefix, "lib/pkgconfig")}
    plus = ["plus"] if shutil.which(COMPILERS["CXX"]) else []
    status, said = call("make", "-f", os.path.join(ROOT, "tests/consumers/pkgconfig/Makefile"), "shared", "static", *plus, cwd=folder, **env)
    tally.check(status == 0, "pkg-config: %s" % said)
    for what in ["shared", "static"] + plus:
        right_end(tally, what, folder, prefix, what == "static")


def consumer_by_cmake(tally, prefix=HERE, name="cmake"):
    if not shutil.which(COMPILERS["CXX"]):
        return
    folder = os.path.join(WORK, name)
    status, said = call("cmake", "-S", os.path.join(ROOT, "tests/consumers/cmake"), "-B", folder, "-DCMAKE_PREFIX_PATH=" + prefix, **COMPILERS)
    tally.check(status == 0 and "actio " + version() in said, "find_package: %s" % said)
    status, said = call("cmake", "--build", folder)
    tally.check(status == 0, "CMake's consumer: %s" % said)
    for what in ("shared", "static", "plus"):
        right_end(tally, what, folder, prefix, what == "static")


def needs_are_stated(tally):
    """Each library that the program itself loads is named for those who link libactio.a, and none that was left out."""
    stated = read(HERE, "lib/pkgconfig/actio.pc").split("Libs.private:")[1].split()
    private = call("pkg-config", "--static", "--libs", "actio", PKG_CONFIG_PATH=os.path.join(HERE, "lib/pkgconfig"))[1].split()
    tally.check(set(stated) <= set(private), "pkg-config --static lacks %s" % (set(stated) - set(private)))
    loaded = re.findall(r"NEEDED.*\[lib(\w+)", call("readelf", "-d", os.path.join(BUILD, "actio"))[1])
    for name in loaded:
        tally.check(name == "c" or "-l" + name in stated, "%s is not among %s" % (name, stated))
    folder = os.path.join(WORK, "plain")
    status, said = call("cmake", "-S", ROOT, "-B", folder, *["-DACTIO_WITH_%s=OFF" % name for name in ("SUNDIALS", "KLU", "HDF5", "CAIRO")])
    tally.check(status == 0, said)
    stated = read(folder, "actio.pc").split("Libs.private:")[1].split()
    tally.check(stated == ["-lm", "-ldl"], "without optional libraries: %s" % stated)


def a_tree_may_be_moved(tally):
    moved = os.path.join(WORK, "moved")
    os.makedirs(moved)
    shutil.copytree(HERE, os.path.join(moved, "tree"), symlinks=True)
    with away(STAGE):
        consumer_by_pkg_config(tally, os.path.join(moved, "tree"), "pkgconfig-moved")


@contextlib.contextmanager
def away(folder):
    os.rename(folder, folder + "-away")
    try:
        yield
    finally:
        os.rename(folder + "-away", folder)


def python_finds_it(tally):
    if not os.path.isdir(os.path.join(ROOT, "python/actio")):
        return
    found = glob.glob(os.path.join(HERE, "lib/python3*/*-packages/actio"))
    tally.check(len(found) == 1, "the Python package: %s" % found)
    status, said = call(sys.executable, "-c", "import actio; print(actio.__file__); print(actio.load('disk').run().end['y'])",
                        cwd=WORK, PYTHONPATH=os.path.dirname(found[0]), LD_LIBRARY_PATH=os.path.join(HERE, "lib"))
    tally.check(status == 0 and HERE in said and abs(float(said.split()[-1]) - 49 / 15 * math.pi) < 1e-8, "import actio: %s" % said)


# ---- how it goes

def everything(folder):
    return {os.path.relpath(os.path.join(at, name), folder) for at, folders, files in os.walk(folder) for name in folders + files}


def removal_leaves_nothing(tally):
    status, said = remove()
    tally.check(status == 0 and not os.path.exists(os.path.join(STAGE, "usr")), "left: %s %s" % (said, sorted(everything(STAGE))[:9] if os.path.exists(STAGE) else ""))
    status, said = remove()
    tally.check(status == 1 and "nothing was installed" in said, "removed twice: exit %s, %s" % (status, said))


def what_others_put_there_stays(tally):
    """Also after a second installation of another version: its files go, folders that were there before stay."""
    prefix = os.path.join(WORK, "own")
    for name in ("bin", "lib", "share/man"):
        os.makedirs(os.path.join(prefix, name))
    for name in ("bin/other", "share/man/other.1"):
        with open(os.path.join(prefix, name), "w", encoding="utf-8") as file:
            file.write("other\n")
    before = everything(prefix)
    tally.check(install(prefix, "")[0] == 0, "the first installation")
    old = os.path.join(prefix, "lib/libactio.so.0.0.1")
    with open(old, "w", encoding="utf-8") as file:
        file.write("old\n")
    with open(os.path.join(prefix, "share/actio/installed"), "a", encoding="utf-8") as file:
        file.write("file lib/libactio.so.0.0.1\nfile ../../../stranger\n")
    with open(os.path.join(WORK, "../stranger"), "w", encoding="utf-8") as file:
        file.write("not ours\n")
    tally.check(install(prefix, "")[0] == 0, "the second installation")
    tally.check(not os.path.exists(old), "a file of the old version stays")
    tally.check(remove(prefix, "")[0] == 0, "removal")
    tally.check(everything(prefix) == before, "difference: %s" % sorted(everything(prefix) ^ before))
    tally.check(os.path.exists(os.path.join(WORK, "../stranger")), "a list leads out of the prefix")
    os.remove(os.path.join(WORK, "../stranger"))


def wrong_calls_are_refused(tally):
    for words in ((BUILD, "relative"), (BUILD,), ("--remove", "relative")):
        status, said = call("sh", "tools/install.sh", *words)
        tally.check(status == 2 and said.startswith("usage"), "%s: exit %s, %s" % (words, status, said))
    status, said = call("sh", "tools/install.sh", WORK, PREFIX, DESTDIR=STAGE)
    tally.check(status == 1 and "run make" in said, "without a build: exit %s, %s" % (status, said))


def main():
    tally = Tally("install")
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    install()                                              # every part may run by itself
    run_parts((files_are_in_their_places, no_file_contains_the_build_folder, exports_are_the_public_header, the_version_is_in_one_place,
               pages_and_completion_are_well_formed, consumer_by_pkg_config, consumer_by_cmake, needs_are_stated, a_tree_may_be_moved,
               python_finds_it, removal_leaves_nothing, what_others_put_there_stays, wrong_calls_are_refused), tally)
    shutil.rmtree(WORK, ignore_errors=True)
    tally.done()


main()

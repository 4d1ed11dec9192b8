#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs Debian 12 packages that are missing; does nothing when they are there.
#   tools/setup.sh              what building needs: `make`, `make demo`, `make install`
#   tools/setup.sh --libraries  also the optional libraries: SUNDIALS, KLU, HDF5, cairo
#   tools/setup.sh --test       also what `make test` and `make bench` use
#   tools/setup.sh --web        what `make web` uses (large)
# An entry is PACKAGE:PROGRAM; where the program is there, the package is not needed.
build="gcc:gcc make:make cmake:cmake libc6-dev:"
libraries="pkg-config:pkg-config libsundials-dev: libsuitesparse-dev: libhdf5-dev: libcairo2-dev:"
test="g++:g++ clang:clang clang-format:clang-format clang-tidy:clang-tidy libclang-rt-dev: binutils:nm man-db:man zsh:zsh fish:fish
      python3:python3 python3-numpy: python3-scipy: python3-sympy: python3-mpmath: python3-h5py: python3-venv: python3-pip: mypy:mypy"
case $1 in
"") needed=$build ;;
--libraries) needed="$build $libraries" ;;
--test) needed="$build $libraries $test" ;;
--web) needed="$build python3:python3 emscripten:emcc nodejs:node node-acorn:" ;;
*)
    echo "usage: tools/setup.sh [--libraries | --test | --web]" >&2
    exit 2
    ;;
esac

missing=""
for entry in $needed; do
    package=${entry%%:*}
    program=${entry#*:}
    if [ -n "$program" ] && command -v "$program" >/dev/null 2>&1; then continue; fi
    dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed' || missing="$missing $package"
done
if [ -z "$missing" ]; then exit 0; fi

run=""
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "setup: please install:$missing" >&2
        exit 1
    fi
    run=sudo
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "setup: no apt-get here; please install what corresponds to:$missing" >&2
    exit 1
fi
log=build/setup.log
mkdir -p build && : >>$log || log=/dev/null
echo "setup: installing$missing (details: $log)"
install() { $run env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >>$log 2>&1; }
install || { $run apt-get update >>$log 2>&1 && install; } || {
    tail -n 5 $log >&2
    echo "setup: could not install:$missing" >&2
    exit 1
}

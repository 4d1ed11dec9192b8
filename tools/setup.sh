#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian 12 packages that building and testing need; does nothing when they are there.
#   tools/setup.sh          what `make` and `make test` use
#   tools/setup.sh --web    also what `make web` uses (large)
needed="gcc:gcc make:make cmake:cmake pkg-config:pkg-config libc6-dev:
        libsundials-dev: libsuitesparse-dev: libhdf5-dev: libcairo2-dev:
        g++:g++ clang:clang clang-format:clang-format clang-tidy:clang-tidy libclang-rt-dev: binutils:nm python3:python3 python3-numpy: python3-scipy: python3-sympy: python3-mpmath: python3-h5py: python3-venv: python3-pip: mypy:mypy man-db:man"
[ "$1" = --web ] && needed="$needed emscripten:emcc nodejs:node node-acorn:"

missing=""
for entry in $needed; do
    package=${entry%%:*}
    program=${entry#*:}
    if [ -n "$program" ] && command -v "$program" >/dev/null 2>&1; then continue; fi
    dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed' || missing="$missing $package"
done
if [ -z "$missing" ]; then
    echo "setup: everything is there"
    exit 0
fi

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
echo "setup: installing$missing"
install() { $run env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; }
install || { $run apt-get update && install; } || { echo "setup: could not install:$missing" >&2; exit 1; }

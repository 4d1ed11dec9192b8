#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is built, or removes what was installed:
#   tools/install.sh BUILD PREFIX       tools/install.sh --remove PREFIX
# With DESTDIR in the environment everything goes below that folder. PREFIX/share/actio/installed lists the files, and the
# folders that were made for them: exactly these are removed. An older version's files that the new one lacks go, too.
usage() {
    echo "usage: tools/install.sh BUILD PREFIX, or tools/install.sh --remove PREFIX; PREFIX begins with /" >&2
    exit 2
}
[ $# = 2 ] || usage
what=$1
prefix=${2%/}
case $2 in /*) ;; *) usage ;; esac
case ${DESTDIR:-/} in /*) ;; *) DESTDIR=$PWD/$DESTDIR ;; esac
umask 022
PATH=$PATH:/sbin:/usr/sbin                                             # of ldconfig
target=${DESTDIR%/}$prefix
list=$target/share/actio/installed

fail() { echo "install: $*" >&2; exit 1; }

# Where the loader finds libraries by a cache, that is renewed; only root can, and a staged tree has no loader.
renew_cache() {
    [ -z "$DESTDIR" ] && [ "$(id -u)" = 0 ] || return 0
    if command -v ldconfig >/dev/null 2>&1; then ldconfig; fi
}

rows() { sed -n "s/^$1 //p" "$2" | grep -v -e '^/' -e '\.\.'; }        # names of one kind; none leads out of the prefix

# ---- removal

remove() {
    [ -f "$list" ] || fail "$list is missing: nothing was installed there with \`make install\`"
    [ -w "$target" ] || fail "no permission to write in $target"
    folders=$(rows folder "$list" | sort -r)
    above=$(sed -n 's/^above //p' "$list")
    files=$(grep -c '^file ' "$list")
    rows file "$list" | while IFS= read -r name; do rm -f "$target/$name"; done
    rm -f "$list"
    echo "$folders" | while IFS= read -r name; do
        [ -n "$name" ] || continue
        rm -rf "$target/$name/__pycache__"                             # written by Python later
        rmdir "$target/$name" 2>/dev/null
    done
    folder=$target
    while [ "${above:-0}" -gt 0 ] && rmdir "$folder" 2>/dev/null; do
        folder=$(dirname "$folder")
        above=$((above - 1))
    done
    renew_cache
    echo "uninstall: removed $files files from $target"
}

# ---- installation

# How many folders from the target upwards do not exist, and then do.
make_target() {
    above=0
    folder=$target
    while [ ! -d "$folder" ]; do
        above=$((above + 1))
        folder=$(dirname "$folder")
    done
    mkdir -p "$target" || fail "can't make $target"
    [ -w "$target" ] || fail "no permission to write in $target; try sudo make install, or PREFIX=\$HOME/.local"
}

copy() { # stage
    (cd "$1" && find . -mindepth 1 -type d | sed 's/^\.\///' | sort) | while IFS= read -r name; do
        [ -d "$target/$name" ] && continue
        mkdir "$target/$name" && chmod 755 "$target/$name" || exit 1
        echo "folder $name"
    done || return 1
    (cd "$1" && find . ! -type d | sed 's/^\.\///' | sort) | while IFS= read -r name; do
        cp -pP "$1/$name" "$target/$name.actio-new" && mv -f "$target/$name.actio-new" "$target/$name" || { rm -f "$target/$name.actio-new"; exit 1; }
        echo "file $name"
    done
}

# What an earlier installation made or left: folders stay in the list, files that this one lacks are removed.
take_over() { # old list, new list
    rows folder "$1" | while IFS= read -r name; do echo "folder $name"; done >>"$2"
    grep '^above ' "$1" >>"$2"
    rows file "$1" | while IFS= read -r name; do
        grep -qxF "file $name" "$2" || rm -f "$target/$name"
    done
}

say_where() { # stage
    echo "install: $(grep -c '^file ' "$list") files in $target; \`make uninstall\` with the same PREFIX and DESTDIR removes them"
    [ -z "$DESTDIR" ] || return 0
    case :$PATH: in *:"$prefix/bin":*) ;; *) echo "install: add $prefix/bin to PATH" ;; esac
    library=$(dirname "$(cd "$1" && find . -name libactio.so | sed 's/^\.\///')")
    if command -v ldconfig >/dev/null 2>&1 && ! ldconfig -p | grep -qF " $prefix/$library/libactio.so"; then
        echo "install: the loader does not look into $prefix/$library: add it to LD_LIBRARY_PATH for programs with the shared library"
    fi
    python=$(cd "$1" && find . -path './lib*/python3*/*-packages/actio' -type d | sed 's/^\.\///')
    [ -n "$python" ] || return 0
    python=$(dirname "$prefix/$python")
    /usr/bin/python3 -c 'import sys; sys.exit(sys.argv[1] not in sys.path)' "$python" || echo "install: add $python to PYTHONPATH"
}

put() {
    [ -x "$what/actio" ] || fail "$what/actio is missing: run make"
    stage=$(cd "$what" && pwd)/stage
    rm -rf "$stage" "$stage.list" "$what/install.log"
    DESTDIR=$stage cmake --install "$what" --prefix "${prefix:-/}" >"$what/install.log" 2>&1 || { cat "$what/install.log" >&2; fail "cmake --install failed"; }
    grep 'Python package is not' "$what/install.log"
    make_target
    copy "$stage$prefix" >"$stage.list"
    copied=$?
    if [ -f "$list" ]; then take_over "$list" "$stage.list"; else echo "above $above" >>"$stage.list"; fi
    cp "$stage.list" "$list" && chmod 644 "$list" || fail "can't write $list"
    [ $copied = 0 ] || fail "could not copy everything to $target; \`make uninstall\` removes what was copied"
    renew_cache
    say_where "$stage$prefix"
    rm -rf "$stage" "$stage.list"
    return 0
}

if [ "$what" = --remove ]; then remove; else put; fi

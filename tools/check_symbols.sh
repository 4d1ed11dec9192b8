#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names and headers: tools/check_symbols.sh [BUILD]
# The shared library exports the functions of the public header and nothing else, each is in the manual, every header compiles alone.
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
cc=${CC:-cc}
passed=0
failed=0
bad() { echo "check_symbols: $*"; failed=$((failed + 1)); }
try() { # description command...
    what=$1
    shift
    if message=$("$@" 2>&1); then passed=$((passed + 1)); else bad "$what: $message"; fi
}

library=$build/libactio.so
if [ -f "$library" ]; then
    exported=$(nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $NF); print $NF }')   # A: the version itself
    public=$(cat include/actio/*.h | sed 's|/\*.*\*/||' | tr '\n' ' ' | grep -o 'ACTIO_API[^;]*;' | grep -o '\bactio_[a-z0-9_]*(' | tr -d '(' | sort -u)
    for name in $exported; do
        if echo "$public" | grep -qx "$name"; then passed=$((passed + 1)); else bad "$name is exported and not in the public header"; fi
    done
    for name in $public; do
        if echo "$exported" | grep -qx "$name"; then passed=$((passed + 1)); else bad "$name is in the public header and not exported"; fi
    done
fi

for name in $(grep -o '\bactio_[a-z_]*(' include/actio/actio.h | tr -d '(' | sort -u); do
    if grep -q "\`$name\`" docs/manual.md; then passed=$((passed + 1)); else bad "$name is in the public header and not in the manual"; fi
done

# Functions and variables of the archive that other files can see.
archive=$build/libactio.a
if [ -f "$archive" ]; then
    strange=$(nm -g --defined-only "$archive" 2>/dev/null | awk 'NF == 3 && $3 !~ /^(actio_|__|_?asan|DW\.)/ { print $3 }')
    if [ -n "$strange" ]; then bad "visible without actio_: $strange"; else passed=$((passed + 1)); fi
fi

warnings="-Wall -Wextra -pedantic -Werror -fsyntax-only"
try "actio.h as C17" $cc -std=c17 $warnings -Iinclude -x c include/actio/actio.h
if command -v c++ >/dev/null 2>&1; then try "actio.h as C++17" c++ -std=c++17 $warnings -Iinclude -x c++ include/actio/actio.h; fi
for header in $(find src -name '*.h' | sort); do
    try "$header alone" $cc -std=c17 $warnings -Wno-unused-function -Wno-pragma-once-outside-header -Isrc -Iinclude -I"$build/generated" -x c "$header"
done

echo "check_symbols: $passed passed, $failed failed"
[ "$failed" = 0 ]

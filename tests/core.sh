#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The core alone, without src/native and every optional library, passes the gallery: tests/core.sh BUILD
# What is not there is refused by name; what is there gives the same bits as the full program.
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}/core
passed=0
failed=0
bad() { echo "core: $*"; failed=$((failed + 1)); }
good() { passed=$((passed + 1)); }

# -O1: this is about what links and what comes out; half the time to build.
log=$(cmake -S . -B "$build" -DACTIO_NATIVE=OFF -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="-O1 -DNDEBUG" 2>&1 &&
      cmake --build "$build" -j2 --target actio test_expr test_kernel test_solve 2>&1) || { echo "$log"; echo "core: 0 passed, 1 failed"; exit 1; }
good
"$build/actio" --version | grep -q 'nothing optional' && good || bad "something optional was built in"
[ -z "$(nm -u "$build/actio" | grep -E ' (dlopen|fork|execve|pthread_create)' )" ] && good || bad "the core asks for an operating system"

# A program that links the static library needs libm and nothing else.
if out=$(${CC:-cc} -std=c17 -Wall -Wextra -Werror -Iinclude tests/consumers/disk.c -o "$build/consumer" "$build/libactio.a" -lm 2>&1 && "$build/consumer"); then good; else bad "tests/consumers/disk.c: $out"; fi

for name in test_expr test_kernel test_solve; do
    if out=$("$build/$name" 2>&1); then good; else bad "$name: $out"; fi
done

for file in models/*.act; do
    if out=$("$build/actio" test "$file" 2>&1); then good; else bad "$file: $out"; fi
done
out=$("$build/actio" run disk --method cvode 2>&1 > /dev/null)
if [ $? = 2 ] && echo "$out" | grep -q "cvode"; then good; else bad "asking for cvode: $out"; fi

if [ -x "${1:-build}/actio" ]; then
    for model in disk double-pendulum rattleback nlink lorenz friction-block four-bar; do
        "$build/actio" run $model > "$build/a.csv" 2> /dev/null
        "${1:-build}/actio" run $model --no-compile > "$build/b.csv" 2> /dev/null
        if cmp -s "$build/a.csv" "$build/b.csv"; then good; else bad "$model: other bits than the full program's"; fi
    done
fi

echo "core: $passed passed, $failed failed"
[ "$failed" = 0 ]

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No test depends on how fast the machine is: none reads a clock, sleeps, or has a time-out of its own. tools/check_clock.sh
# tests/program.py waits for signals to be heard; tests of the kernel's clock in C set one that counts.
cd "$(dirname "$0")/.." || exit 1
failed=0
bad() { echo "check_clock: $1"; failed=$((failed + 1)); }
look() { # pattern files...
    pattern=$1
    shift
    found=$(grep -nE "$pattern" "$@") && bad "$found"
}
scripts=$(ls tests/*.py | grep -v tests/program.py)
# shellcheck disable=SC2086
look '\btimeout=[0-9]|\bimport time\b|time\.(sleep|time|monotonic|perf_counter|process_time)\(' $scripts
look '\btimeout=[0-9]' tools/test.py
look '\b(clock|clock_gettime|gettimeofday|time|sleep|usleep|nanosleep|alarm)\((CLOCK|NULL|&|[0-9]|\))' tests/*.c tests/*.h
look '\b(timeout|sleep) [0-9]' tests/*.sh
if [ "$failed" = 0 ]; then echo "check_clock: 4 passed, 0 failed"; else echo "check_clock: $((4 - failed)) passed, $failed failed"; fi
[ "$failed" = 0 ]

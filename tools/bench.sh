#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs benchmarks one after the other: tools/bench.sh BUILD NAME... Tables go to the terminal and to BUILD/bench/NAME.txt, pictures beside them.
build=$1
shift
mkdir -p "$build/bench" || exit 1
processor=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -1)
{
    echo "# Speed"
    echo
    echo "${processor:-unknown processor}, $(getconf _NPROCESSORS_ONLN) cores, load $(cut -d' ' -f1 /proc/loadavg 2>/dev/null); $("$build/actio" --version | head -1)"
} | tee "$build/bench/machine.txt"
status=0
for name in "$@"; do
    echo
    program="$build/bench_$name"
    if [ -f "bench/$name.py" ]; then program="/usr/bin/python3 bench/$name.py --program $build/actio"; fi
    { $program "$build/bench/$name.svg" || echo "bench_$name failed"; } | tee "$build/bench/$name.txt"
    if grep -q "^bench_$name failed" "$build/bench/$name.txt"; then status=1; fi
done
exit $status

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Who may include whom, and what the core may ask of the system: tools/check_includes.sh [BUILD]
# With a build folder, the core's archive is searched for forbidden calls and for variables that are not constant.
cd "$(dirname "$0")/.." || exit 1
build=$1
passed=0
failed=0
bad() { echo "check_includes: $*"; failed=$((failed + 1)); }

# What a file of a room may include besides its own room. Rooms stand in order: each may look only at rooms before it, so that there is no cycle.
rooms="base expr model kernel algebra result equations solve verdict explain derive problem principle run orbit check compare action derivation native api cli"
below_problem="base/ expr/ model/ kernel/ algebra/ result/ equations/ solve/ verdict/ explain/"
allowed() {
    case $1 in
    base) echo "" ;;
    expr) echo "base/" ;;
    model) echo "base/ expr/" ;;
    kernel) echo "base/ expr/ math_text.h" ;;
    algebra | result) echo "base/" ;;
    equations) echo "base/ expr/ model/ kernel/ algebra/" ;;
    solve) echo "base/ algebra/ result/ kernel/kernel.h kernel/narrow.h equations/system.h" ;;
    verdict) echo "base/ expr/ model/ kernel/ algebra/ equations/" ;;
    explain) echo "base/ expr/ model/ equations/ solve/motion.h verdict/" ;;
    derive) echo "base/ expr/ model/ kernel/ algebra/ equations/ verdict/" ;;
    problem) echo "$below_problem" ;;
    principle) echo "$below_problem problem/ derive/" ;;
    run | orbit | action) echo "$below_problem problem/ principle/" ;;
    check) echo "$below_problem problem/ principle/ run/ orbit/" ;;
    compare) echo "$below_problem problem/ principle/ run/ check/" ;;
    derivation) echo "$below_problem problem/ principle/ derive/" ;;
    native) echo "base/ expr/ model/ kernel/ algebra/ result/ solve/" ;;
    api) echo "base/ model/ result/ solve/march.h problem/options.h principle/ run/ orbit/ check/ compare/ action/ derivation/ native/native.h" ;;
    cli) echo "" ;;
    *) echo "none" ;;
    esac
}

# Rooms from problem on, cli and native know the public header; below, files that define one of its functions.
doors="src/base/version.c src/model/name.c"
knows_public() { # folder file
    case " $doors " in *" $2 "*) return 0 ;; esac
    case $1 in problem | principle | run | orbit | check | compare | action | derivation | native | api | cli) return 0 ;; esac
    return 1
}

fits() { # folder include
    case $2 in "$1"/*) return 0 ;; esac
    for prefix in $(allowed "$1"); do
        case $prefix in
        "*") return 0 ;;
        */) case $2 in "$prefix"*) return 0 ;; esac ;;
        *) [ "$2" = "$prefix" ] && return 0 ;;
        esac
    done
    return 1
}

set -f
for file in $(find src -maxdepth 1 -name '*.[ch]'); do bad "$file stands in no room"; done
for file in $(find src -mindepth 2 -name '*.[ch]' | sort); do
    folder=${file#src/}
    folder=${folder%%/*}
    before=$failed
    for include in $(sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\([^"]*\)".*/\1/p' "$file"); do
        fits "$folder" "$include" || bad "$file includes $include"
    done
    if grep -q '^[ \t]*#[ \t]*include[ \t]*<actio/' "$file" && ! knows_public "$folder" "$file"; then
        bad "$file includes the public header"
    fi
    [ "$failed" = "$before" ] && passed=$((passed + 1))
done

# ---- the core's archive
memory='malloc|calloc|realloc|free|mem(cpy|move|set|cmp|chr)|str(len|cmp|ncmp|chr|rchr|str|cpy|cat|spn|cspn|pbrk|tod|tol|nlen)|qsort|bsearch|v?snprintf'
control='_?_?(sig)?setjmp|_?longjmp|abort|__assert_fail|__stack_chk_fail|__errno_location|strerror|_GLOBAL_OFFSET_TABLE_|__tls_get_addr|__isoc99_.*'
checked='__(mem|str|v?sn)[a-z]*_chk|__longjmp_chk|__ctype_(b|tolower|toupper)_loc|isalpha|isdigit|isalnum|isspace|tolower|toupper'
math='a?(sin|cos|tan)h?|atan2|exp2?|expm1|log(2|10|1p)?|pow|sqrt|cbrt|fabs|floor|ceil|trunc|round|rint|nearbyint|l?lrint|l?lround|fmod|remainder|fm(a|ax|in)f?|hypot|erf|ldexp|frexp|scalbn|modf|copysign|nextafter|nan|sincos|hypotf|__(fpclassify|isnan|isinf|finite|signbit)|__cpu_(model|features2|indicator_init)'
files='open|close|read|write|stat|fstat|fopen|fclose|fread|fwrite|fflush|ferror|fileno|rename|remove|unlink|fdopen|stdout'
may_touch_files='models.c.o|file.c.o|output.c.o'

forbidden_calls() {
    nm -u "$1" | awk -v ok="^($memory|$control|$checked|$math|actio_.*)\$" -v io="^($files)\$" -v who="^($may_touch_files)\$" '
        /:$/ { object = $0; sub(/:$/, "", object); next }
        $1 == "U" || $1 == "w" { name = $2; sub(/@.*/, "", name); if (name ~ ok || (name ~ io && object ~ who)) next; print object " calls " name }'
}

# Tables that native/ fills once at start-up, and the mark that it has been done; nothing else in the core may change.
tables='^(api:registered|canvas:types|output:now|kernel:tiers|kernel:tier_count|linear:table|linear:types|stepper:steppers|stepper:count|table:writers)$'
mutable() {
    objdump -t "$1" | awk -v ok="$tables" '
        /file format/ { object = $1; sub(/\.c\.o:$/, "", object); next }
        { for (i = 2; i <= 4; i++) if ($i ~ /^(\.t?data|\.t?bss|\*COM\*)/ && $i !~ /rel\.ro/ && $(i - 1) == "O") {
              name = $NF; sub(/\.[0-9]+$/, "", name); if (object ":" name !~ ok) print object ".c keeps " name " in " $i } }'
}

# ---- who calls whom: a room calls only rooms before it
calls_upwards() {
    find "$build/CMakeFiles" -path '*/src/*.c.o' | while read -r object; do
        room=${object##*/src/}
        [ -f "src/${room%.o}" ] || continue                # left behind by a file that has moved
        nm "$object" | sed "s#^#${room%%/*} ${object##*/} #"
    done | awk -v rooms="$rooms" '
        BEGIN { n = split(rooms, list, " "); for (i = 1; i <= n; i++) place[list[i]] = i }
        $4 ~ /^[TDRBC]$/ { where[$5] = $1 }
        $3 == "U" { used[$1 " " $2 " " $4] = 1 }
        END { for (u in used) { split(u, x, " "); d = where[x[3]]; if (d && place[d] > place[x[1]] && place[x[1]]) print x[1] "/" x[2] " calls " x[3] " of " d } }'
}
if [ -n "$build" ] && [ -d "$build/CMakeFiles" ]; then
    found=$(calls_upwards | sort -u)
    if [ -n "$found" ]; then bad "$found"; else passed=$((passed + 1)); fi
fi

archive=$build/libactio_core.a
if [ -n "$build" ] && [ -f "$archive" ] && ! nm "$archive" 2>/dev/null | grep -q '__[au][sb]*san_'; then
    for what in forbidden_calls mutable; do
        found=$($what "$archive" | sort -u)
        if [ -n "$found" ]; then bad "$found"; else passed=$((passed + 1)); fi
    done
fi

echo "check_includes: $passed passed, $failed failed"
[ "$failed" = 0 ]

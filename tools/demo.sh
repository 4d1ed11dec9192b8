#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The demo: the verdict on a model, the end of its motion, and where its picture is. tools/demo.sh PROGRAM FOLDER
program=$1
folder=$2
[ -x "$program" ] && [ -n "$folder" ] || { echo "usage: tools/demo.sh PROGRAM FOLDER" >&2; exit 2; }
mkdir -p "$folder" || exit 1
show() {
    echo
    echo "\$ $*"
    "$@" || exit
}
show "$program" check disk
show "$program" run disk -o "$folder/disk.csv" --plot "$folder/disk.svg"
echo
echo "The picture of the motion is $folder/disk.svg, its numbers are in $folder/disk.csv."
echo "Next: \`$program new > my.act\` writes a commented model to start from, \`$program list\` lists the gallery."

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Figures 2 to 4 of Rothkopf and Horowitz, the doubled action against d'Alembert's motion. tools/figures.sh PROGRAM FOLDER
# Rows are chosen so that discs stand on the nodes of the action: 253 = 4*63 + 1.
program=$1
folder=$2
[ -x "$program" ] && [ -n "$folder" ] || { echo "usage: tools/figures.sh PROGRAM FOLDER" >&2; exit 2; }
mkdir -p "$folder" || exit 1
"$program" compare disk --by dalembert,skg --grid 64 --order 4 --points 253 --overlay "$folder/figure-2-disk.svg" --quiet || exit
"$program" compare tumbler-figure --by dalembert,skg --sigma 1/10,1/20,1/40,1/80,1/110 --barrier 5 --grid 256 --order 4 --points 511 \
    --overlay "$folder/figure-3-tumbler.svg" --quiet || exit
"$program" compare incline-figure --by dalembert,skg --sigma hard,1/70 --barrier 5 --grid 64 --order 4 --points 253 \
    --overlay "$folder/figure-4-incline.svg" --quiet || exit
echo "figures: $folder"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One page of the gallery from the model files themselves: description, verdict, picture, model. tools/gallery.sh PROGRAM FOLDER
program=$1
folder=$2
mkdir -p "$folder" || exit 1
page=$folder/index.md
echo "# Gallery" > "$page"
for model in models/*.act; do
    stem=$(basename "$model" .act)
    verdict=$("$program" check "$model" --quiet --json 2>/dev/null | sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p')
    {
        printf '\n## %s\n\n' "$stem"
        sed -n '/^#/!q; s/^# \{0,1\}//p' "$model"
        printf '\nVerdict: %s.\n' "$verdict"
    } >> "$page"
    if "$program" run "$model" --quiet -o "$folder/$stem.csv" --plot "$folder/$stem.svg" 2>/dev/null; then
        printf '\n![%s](%s.svg)\n' "$stem" "$stem" >> "$page"
    fi
    { printf '\n```\n'; sed '/^#/d' "$model"; printf '```\n'; } >> "$page"
done
echo "gallery: $page"

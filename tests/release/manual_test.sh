#!/bin/sh
# Every command has a manual page, and every flag that its help names is on it. usage: manual_test.sh SOURCE TOOL
set -eu
source=$1 tool=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$source/scripts/manpages" "$tool" "$scratch"
seen=0
for command in $("$tool" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\)  .*/\1/p'); do
  page="$scratch/tacit-$command.1"
  [ -s "$page" ] || { echo "$command has no manual page" >&2; exit 1; }
  for flag in $("$tool" "$command" --help | grep -oE '^  --[a-z-]+'); do
    grep -qF -- ".B $(echo "$flag" | sed 's/-/\\-/g')" "$page" || { echo "tacit-$command.1 lacks $flag" >&2; exit 1; }
    seen=$((seen + 1))
  done
done
[ "$seen" -gt 100 ] || { echo "only $seen flags were looked for" >&2; exit 1; }
! grep -nE '^[.'"'"'][^A-Z\]' "$scratch"/*.1 || { echo "a line begins like a request of roff" >&2; exit 1; }
echo "manual: $(ls "$scratch" | wc -l) pages, $seen flags"

#!/bin/sh
# Installs the R package into a folder of its own, runs its tests and the examples of docs/r.md there with the tool.
# usage: r_test.sh RSCRIPT SOURCE TOOL
set -eu
rscript=$1 source=$2 tool=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r "$source/r" "$scratch/package"  # R writes beside what it installs
mkdir "$scratch/library" "$scratch/book"
"$(dirname "$rscript")/R" CMD INSTALL --library="$scratch/library" "$scratch/package" > "$scratch/log" 2>&1 || {
  cat "$scratch/log"
  exit 1
}
export R_LIBS="$scratch/library" TACIT="$tool" TACIT_SOURCE="$source"
"$rscript" --vanilla "$source/tests/r/package.R"

# The page's examples, in order, in one session. One that fails must be seen.
awk '/^```r$/ { on = 1; next } /^```$/ { on = 0 } on' "$source/docs/r.md" > "$scratch/book/examples.R"
[ -s "$scratch/book/examples.R" ] || { echo "docs/r.md has no examples" >&2; exit 1; }
cd "$scratch/book"
"$rscript" --vanilla examples.R > log 2>&1 || { cat log; exit 1; }
echo 'tacit_fit(no ~ column, data.frame(a = 1), epsilon = 1)' >> examples.R
! "$rscript" --vanilla examples.R > log 2>&1 || { echo "an example that fails is not seen" >&2; exit 1; }
echo "R: the package's tests and the examples of docs/r.md pass"

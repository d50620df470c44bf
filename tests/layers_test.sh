#!/bin/sh
# Fails on an include that goes against the layer order: a folder may include only itself and folders to its
# left. A public header names its layer in its third line. usage: layers_test.sh SOURCE_DIR
set -eu
order="core data loss domain privacy ledger noise solver sampler algorithm audit model service"

# "core" for tacit/core.hpp of the tree $1: the layer that the public header states.
layer_of_public() { sed -n '3s|^// Layer: \([a-z]*\)\..*|\1|p' "$1/include/$2"; }

# Prints every include under the folder $1 that goes against the order.
wrong_includes() {
  tree=$1
  allowed=""
  for layer in $order; do
    allowed="$allowed $layer"
    files=$(cd "$tree" && find "src/$layer" -name '*.?pp' 2>/dev/null || true)
    for header in $(cd "$tree/include" && ls tacit/*.hpp 2>/dev/null); do
      [ "$(layer_of_public "$tree" "$header")" != "$layer" ] || files="$files include/$header"
    done
    for file in $files; do
      for used in $(sed -n 's|^#include "\([^"]*\)".*|\1|p' "$tree/$file"); do
        case $used in
          tacit/version.hpp) continue ;;
          tacit/*) from=$(layer_of_public "$tree" "$used") ;;
          *) from=${used%%/*} ;;
        esac
        case " $order " in *" $from "*) ;; *) continue ;; esac  # a neighbour in the same folder
        case " $allowed " in
          *" $from "*) ;;
          *) echo "$file includes $used of $from, which comes after $layer" ;;
        esac
      done
    done
  done
}

# Budgets are opened by those who ask for a release, not by what makes it: prints every mention of them in the
# layers of mechanisms and methods under the folder $1.
opened_budgets() {
  for layer in noise solver sampler algorithm; do
    files=$(cd "$1" && find "src/$layer" -name '*.?pp' 2>/dev/null || true)
    for header in $(cd "$1/include" && ls tacit/*.hpp 2>/dev/null); do
      [ "$(layer_of_public "$1" "$header")" != "$layer" ] || files="$files include/$header"
    done
    [ -z "$files" ] || (cd "$1" && grep -l 'root_meter.hpp\|RootMeter\|tacit/tacit.hpp' $files) || true
  done
}

# The library's messages name options, which every door has, not the tool's flags: prints the lines under $1 that do.
# (A command line as a whole, `tacit report … --output …`, is the tool's own.)
named_flags() {
  (cd "$1" && grep -rnE '"[^"]*--[a-z{]' src --include='*.?pp') | grep -v '^[^:]*:[0-9]*: *//' | grep -v 'tacit [a-z]* .*--' || true
}

# A comment that sends its reader to a header names one that is there: prints every other name in the comments under $1.
missing_headers() {
  (cd "$1" && set -- && for folder in include src apps python tests experiments bench examples; do
    [ ! -d $folder ] || set -- "$@" $folder
  done && { find "$@" -name '*.hpp'; echo; grep -rn '//' "$@" --include='*.?pp'; } | awk '
    !comments && $0 == "" { comments = 1; next }
    !comments {  # the path and every end of it: tacit/core.hpp, core.hpp
      for (path = $0; path != ""; path = path ~ "/" ? substr(path, index(path, "/") + 1) : "") known[path] = 1
      next
    }
    {
      text = substr($0, index($0, "//"))
      while (match(text, /[A-Za-z0-9_\/]*[A-Za-z0-9_]\.hpp/)) {
        name = substr(text, RSTART, RLENGTH)
        sub(/^\/+/, "", name)
        split($0, place, ":")
        if (!(name in known)) print place[1] ":" place[2] ": the comment names " name ", which does not exist"
        text = substr(text, RSTART + RLENGTH)
      }
    }')
}

# The check must be able to fail: a tree whose core includes data, from a public header, from a source, and by an
# internal header; and whose data rightly includes core.
control=$(mktemp -d)
trap 'rm -rf "$control"' EXIT
mkdir -p "$control/include/tacit" "$control/src/core" "$control/src/data"
printf '#pragma once\n\n// Layer: data.\n' > "$control/include/tacit/data.hpp"
printf '#pragma once\n\n// Layer: core.\n#include "tacit/data.hpp"\n' > "$control/include/tacit/core.hpp"
printf '#include "tacit/data.hpp"\n#include "data/text.hpp"\n' > "$control/src/core/b.cpp"
printf '#include "tacit/core.hpp"\n' > "$control/src/data/c.cpp"
found=$(wrong_includes "$control" | wc -l)
[ "$found" -eq 3 ] || { echo "the layer test finds $found of 3 wrong includes in its control" >&2; exit 1; }

mkdir -p "$control/src/algorithm"
echo '#include "tacit/root_meter.hpp"' > "$control/src/algorithm/d.cpp"
[ "$(opened_budgets "$control")" = src/algorithm/d.cpp ] || { echo "a budget opened by a method is not found" >&2; exit 1; }

echo 'fail("give --steps");' > "$control/src/algorithm/e.cpp"
[ "$(named_flags "$control" | wc -l)" -eq 1 ] || { echo "a flag in a message is not found" >&2; exit 1; }

echo '// (gone.hpp, and core.hpp, tacit/core.hpp)' > "$control/src/algorithm/f.cpp"
[ "$(missing_headers "$control" | sed 's/.*names //')" = "gone.hpp, which does not exist" ] ||
  { echo "a comment's missing header is not found" >&2; exit 1; }

wrong=$(wrong_includes "$1"; named_flags "$1"; missing_headers "$1"; opened_budgets "$1" | sed 's|$| opens a budget of its own|')
[ -z "$wrong" ] || { echo "$wrong" >&2; exit 1; }

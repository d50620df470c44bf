#!/bin/sh
# Fails on an include that goes against the layer order: a folder may include only itself and folders to its
# left. usage: layers_test.sh SOURCE_DIR
set -eu
order="core data loss domain privacy ledger noise solver sampler algorithm audit model service"

# Prints every include under the folder $1 that goes against the order.
wrong_includes() {
  allowed=""
  for layer in $order; do
    allowed="$allowed $layer"
    for file in $(cd "$1" && find "include/tacit/$layer" "src/$layer" -name '*.?pp' 2>/dev/null); do
      for used in $(sed -n 's|^#include "tacit/\([a-z_]*\)/.*|\1|p' "$1/$file" | sort -u); do
        case " $allowed " in
          *" $used "*) ;;
          *) echo "$file includes tacit/$used, which comes after $layer" ;;
        esac
      done
    done
  done
}

# Budgets are opened by those who ask for a release, not by what makes it: prints every mention of their header in
# the layers of mechanisms and methods under the folder $1.
opened_budgets() {
  for layer in noise solver sampler algorithm; do
    (cd "$1" && grep -rl 'root_meter.hpp\|RootMeter' "include/tacit/$layer" "src/$layer" 2>/dev/null) || true
  done
}

# The check must be able to fail: a tree whose core includes data, in a header and in a source, and whose data rightly
# includes core.
control=$(mktemp -d)
trap 'rm -rf "$control"' EXIT
mkdir -p "$control/include/tacit/core" "$control/src/core" "$control/src/data"
echo '#include "tacit/data/dataset.hpp"' | tee "$control/include/tacit/core/a.hpp" > "$control/src/core/b.cpp"
echo '#include "tacit/core/error.hpp"' > "$control/src/data/c.cpp"
found=$(wrong_includes "$control" | wc -l)
[ "$found" -eq 2 ] || { echo "the layer test finds $found of 2 wrong includes in its control" >&2; exit 1; }

mkdir -p "$control/src/algorithm"
echo '#include "tacit/privacy/root_meter.hpp"' > "$control/src/algorithm/d.cpp"
[ "$(opened_budgets "$control")" = src/algorithm/d.cpp ] || { echo "a budget opened by a method is not found" >&2; exit 1; }

wrong=$(wrong_includes "$1"; opened_budgets "$1" | sed 's|$| opens a budget of its own|')
[ -z "$wrong" ] || { echo "$wrong" >&2; exit 1; }

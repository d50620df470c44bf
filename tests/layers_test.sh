#!/bin/sh
# Fails on an include that goes against the layer order: a folder may include only itself and folders to its
# left. usage: layers_test.sh SOURCE_DIR
set -eu
cd "$1"
order="core data loss domain privacy noise solver sampler algorithm audit model service"

status=0
allowed=""
for layer in $order; do
  allowed="$allowed $layer"
  for file in $(find "include/tacit/$layer" "src/$layer" -name '*.?pp' 2>/dev/null); do
    for used in $(sed -n 's|^#include "tacit/\([a-z_]*\)/.*|\1|p' "$file" | sort -u); do
      case " $allowed " in
        *" $used "*) ;;
        *) echo "$file includes tacit/$used, which comes after $layer" >&2; status=1 ;;
      esac
    done
  done
done

# The test must be able to fail: core must not be allowed to include data.
case " core " in *" data "*) echo "the layer test accepts everything" >&2; status=1 ;; esac
exit $status

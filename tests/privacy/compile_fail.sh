#!/bin/sh
# A snippet must compile as it stands, and with -DOFFENCE must fail for the reason in its first line: so that it
# fails for what it claims, not for a missing header. Without a snippet: the header that they share is precompiled. usage:
#   compile_fail.sh COMPILER EIGEN_DIR SOURCE_DIR BUILD_DIR [SNIPPET]
set -eu
compiler=$1 eigen=$2 source=$3 build=$4 snippet=${5-}
. "$source/tests/public_compile.sh"

if [ -z "$snippet" ]; then
  mkdir -p "$build/compile_fail"
  echo '#include "tacit/meter.hpp"' > "$shared"
  compile -x c++-header "$shared" -o "$shared.gch"
  exit
fi

expected=$(sed -n '1s|^// expect: ||p' "$snippet")
[ -n "$expected" ] || { echo "$snippet names no expected message" >&2; exit 1; }
compile -include "$shared" -fsyntax-only "$snippet" || { echo "the control of $snippet does not compile" >&2; exit 1; }
if messages=$(compile -include "$shared" -fsyntax-only -DOFFENCE "$snippet"); then
  echo "$snippet compiles, but must not" >&2
  exit 1
fi
printf '%s\n' "$messages" | grep -Eq "error: .*($expected)" || {
  printf '%s\n' "$messages" | head -20 >&2
  echo "$snippet fails for another reason than: $expected" >&2
  exit 1
}

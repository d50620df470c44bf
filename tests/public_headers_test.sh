#!/bin/sh
# The front door: about fifteen public headers, each of which compiles alone, states its layer, shows an example and is used by
# the tool, the bindings or an example; nothing else is installed. usage: public_headers_test.sh COMPILER SOURCE_DIR BUILD_DIR EIGEN_DIR
set -eu
compiler=$1 source=$2 build=$3 eigen=$4
most=20
cd "$source"
fail() { echo "$*" >&2; exit 1; }

count=$(ls include/tacit/*.hpp | wc -l)
[ "$count" -le $most ] || fail "$count public headers, expected at most $most"
[ -z "$(find include -mindepth 2 -type d)" ] || fail "include/tacit has folders: what is internal lives in src"
for header in include/tacit/*.hpp; do
  name=tacit/$(basename "$header")
  if [ "$name" != tacit/tacit.hpp ]; then
    grep -q '^// Layer: ' "$header" || fail "$name states no layer"
    grep -q '^//     ' "$header" || fail "$name shows no example"
    # Directly, or because a header that they include needs it.
    users=$(ls include/tacit/*.hpp | grep -v tacit/tacit.hpp)
    grep -rqE "#include [\"<]$name[\">]" apps python/src examples tests/install tests/cli/custom_method $users || fail "$name is used by neither tool, bindings nor an example"
  fi
  ! grep -E '^#include "' "$header" | grep -vE '"tacit/[a-z_]+\.hpp"' || fail "$name includes what is not public"
  echo "#include <$name>" | "$compiler" -std=c++20 -fsyntax-only -x c++ -I include -I "$build/include" -I "$eigen" - ||
    fail "$name does not compile alone"
done

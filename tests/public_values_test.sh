#!/bin/sh
# A value that a method declares Public becomes part of what is released without noise: every such declaration in the
# methods stands in tests/public_values.txt, as FILE: DECLARATION, so that a new one, or one that moves to another file,
# is looked at before it is entered there. usage: public_values_test.sh SOURCE_DIR
set -eu

# Prints FILE: Public(… to its closing bracket, for every declaration under src/algorithm of the tree $1.
declared() {
  (cd "$1/src/algorithm" && find . -name '*.?pp' | sed 's|^\./||' | LC_ALL=C sort | while read -r file; do
    sed 's|//.*||' "$file" | tr '\n' ' ' | tr -s ' ' | awk -v file="$file" '{
      rest = $0
      while (match(rest, /(^|[^A-Za-z_])Public *(<[^>]*> *)?[({]/)) {
        start = RSTART + (substr(rest, RSTART, 1) ~ /[A-Za-z_]/ ? 0 : 1)
        depth = 0
        for (k = start; k <= length(rest); ++k) {
          c = substr(rest, k, 1)
          if (c == "(" || c == "{") ++depth
          if ((c == ")" || c == "}") && --depth == 0) break
        }
        print file ": " substr(rest, start, k - start + 1)
        rest = substr(rest, start + 6)
      }
    }' | sed 's/\([({]\) /\1/g'
  done)
}

# The check must be able to fail: one declaration on one line, one over two lines.
control=$(mktemp -d)
trap 'rm -rf "$control"' EXIT
mkdir -p "$control/src/algorithm"
printf 'a.map(f, Public(sum));\nRelease r(Public(\n  Vector(n)));\n' > "$control/src/algorithm/x.cpp"
[ "$(declared "$control" | tr '\n' '|')" = 'x.cpp: Public(sum)|x.cpp: Public(Vector(n))|' ] ||
  { echo "the declarations of the control are not found:" >&2; declared "$control" >&2; exit 1; }

declared "$1" > "$control/found"
diff "$1/tests/public_values.txt" "$control/found" >&2 || {
  echo "a method declares another value Public (>) or no longer does (<): see that it is no function of records," >&2
  echo "then enter it in tests/public_values.txt" >&2
  exit 1
}

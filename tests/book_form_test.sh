#!/bin/sh
# Every page of a method has the same form: a title, a command, what it computes, what it guarantees and why, when to use it.
# Lines of text, on every page, have at most 100 characters; tables, code and pictures may have more, and so may the two
# pages that are made by a command. Code within a list stands eight spaces in: with fewer, the next point of the list would be
# read as a part of it on the site. C++ that a page of the book shows stands in an example, word for word: those are compiled.
# usage: book_form_test.sh SOURCE
set -eu
cd "$1/docs"
pages=$(sed -n 's/^| \[[^]]*\](\([a-z_]*\.md\)) | methods\{0,1\} `.*/\1/p' README.md)
[ "$(echo "$pages" | wc -l)" -ge 12 ] || { echo "only these pages of methods were found: $pages" >&2; exit 1; }

# Prints what the page $1 lacks.
lacking() {
  grep -q '^# ' "$1" || echo "a title"
  grep -qE '^ {4}tacit fit ' "$1" || echo "a command, four spaces in: tacit fit ..."
  grep -q '^## What it computes' "$1" || echo "## What it computes"
  grep -qE '^## (Guarantee|Proof|Privacy)' "$1" || echo "## Guarantee (or Proof, or Privacy)"
  grep -q '^## When to use it' "$1" || echo "## When to use it"
}

# Prints the lines of the page $1 that are too wide.
too_wide() {
  awk '/^```/ { fenced = !fenced } { print fenced || /^(\||    |!\[|```)/ ? "" : $0 }' "$1" | LC_ALL=C.UTF-8 grep -nE '^.{101}' |
    sed "s|^|$1:|" || true
}

# Prints the lines of the page $1 that open code within a list and do not stand eight spaces in.
misread() {
  awk -v page="$1" '/^```/ { fenced = !fenced } !fenced && before == "" && /^      ? ?[^ ]/ { print page ":" NR ":" $0 } { before = $0 }' "$1"
}

# Prints where the page $1 has a block of C++ that is in none of the examples.
not_compiled() {
  awk -v page="$1" 'FILENAME != page { all = all $0 "\n"; next }
    /^```cpp/ { inside = 1; begins = FNR; block = ""; next }
    /^```/ && inside { if (!index(all, block)) print page ":" begins; inside = 0 }
    inside { block = block $0 "\n" }' ../examples/*/*.cpp "$1"
}

# The check must be able to fail.
control=$(mktemp)
trap 'rm -f "$control"' EXIT
printf '# A title\n\n## What it computes\n' > "$control"
[ "$(lacking "$control" | wc -l)" = 3 ] || { echo "the check does not find what its control lacks" >&2; exit 1; }

wide=$(printf '%0101d' 0 | sed 's|0|ä|g')
printf '%s\n' "$wide" "| $wide" "    $wide" '```' "$wide" '```' "${wide%ä}" > "$control"
[ "$(too_wide "$control" | wc -l)" = 1 ] || { echo "the check does not find the one line of its control that is too wide" >&2; exit 1; }

printf '%s\n' '- a point' '' '      code' '- a point' '' '        code' '' '      text that goes on' '      below' > "$control"
[ "$(misread "$control" | wc -l)" = 2 ] || { echo "the check does not find the lines of its control that are misread" >&2; exit 1; }

printf '%s\n' '```cpp' '#include <tacit/ledger.hpp>' '```' '```cpp' 'int never_written;' '```' > "$control"
[ "$(not_compiled "$control" | wc -l)" = 1 ] || { echo "the check does not find the block of its control that no example has" >&2; exit 1; }

status=0
for page in *.md ../*.md; do
  case $page in options.md | gallery.md) continue ;; esac
  found=$(too_wide "$page")
  [ -z "$found" ] || { echo "lines of more than 100 characters:" >&2; echo "$found" >&2; status=1; }
  found=$(misread "$page")
  [ -z "$found" ] || { echo "code within a list needs eight spaces:" >&2; echo "$found" >&2; status=1; }
done
for page in *.md; do
  found=$(not_compiled "$page")
  [ -z "$found" ] || { echo "C++ that is in none of the examples:" >&2; echo "$found" >&2; status=1; }
done
for page in $pages; do
  missing=$(lacking "$page")
  [ -z "$missing" ] || { echo "docs/$page lacks:" >&2; echo "$missing" >&2; status=1; }
done
exit $status

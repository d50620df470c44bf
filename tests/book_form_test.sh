#!/bin/sh
# Every page of a method has the same form: a title, a command, what it computes, what it guarantees and why, when to use it.
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

# The check must be able to fail.
control=$(mktemp)
trap 'rm -f "$control"' EXIT
printf '# A title\n\n## What it computes\n' > "$control"
[ "$(lacking "$control" | wc -l)" = 3 ] || { echo "the check does not find what its control lacks" >&2; exit 1; }

status=0
for page in $pages; do
  missing=$(lacking "$page")
  [ -z "$missing" ] || { echo "docs/$page lacks:" >&2; echo "$missing" >&2; status=1; }
done
exit $status

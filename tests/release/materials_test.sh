#!/bin/sh
# THIRD_PARTY.md names the libraries that the build needs, no more and no fewer (their versions are the system's); the bill of
# materials names every package, is the same twice, and its references lead somewhere. usage: materials_test.sh SOURCE BUILD
set -eu
source=$1 build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$source/scripts/dependencies" "$build" > "$scratch/lines"
cut -f 3 "$scratch/lines" | sort -u > "$scratch/packages"
sed -n 's/^linked\t\([^\t]*\)\.so.*/\1/p' "$scratch/lines" | sort -u > "$scratch/found"
[ "$(wc -l < "$scratch/found")" -gt 9 ] || { echo "only these libraries were found:" >&2; cat "$scratch/found" >&2; exit 1; }
sed -n 's/^| \(lib[^ |]*\)\.so.*/\1/p' "$source/THIRD_PARTY.md" | sort -u > "$scratch/stated"
diff "$scratch/stated" "$scratch/found" || {
  echo "THIRD_PARTY.md (<) is not what the build needs (>): scripts/third_party BUILD > THIRD_PARTY.md" >&2
  exit 1
}

export SOURCE_DATE_EPOCH=1700000000
"$source/scripts/sbom" "$scratch/lines" "$source/LICENSE" > "$scratch/first.json"
"$source/scripts/sbom" "$scratch/lines" "$source/LICENSE" > "$scratch/second.json"
cmp "$scratch/first.json" "$scratch/second.json"
python3 - "$scratch/first.json" "$scratch/packages" <<'PYTHON'
import json
import sys

document = json.load(open(sys.argv[1]))
packages = {package["name"] for package in document["packages"]}
expected = set(open(sys.argv[2]).read().split()) | {"tacit"}
assert packages == expected, packages ^ expected
known = {item["SPDXID"] for item in document["packages"] + document["files"]} | {document["SPDXID"]}
assert len(known) == len(document["packages"]) + len(document["files"]) + 1, "two things have one name"
for relation in document["relationships"]:
    assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= known, relation
linked = [item for item in document["relationships"] if item["relationshipType"] == "DYNAMIC_LINK"]
assert len(linked) > 5 and document["creationInfo"]["created"] == "2023-11-14T22:13:20Z"
PYTHON
echo "materials: $(wc -l < "$scratch/found") libraries of $(wc -l < "$scratch/packages") packages"

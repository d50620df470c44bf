#!/bin/sh
# The version stands in CMakeLists.txt; what repeats it must agree. usage: version_test.sh SOURCE_DIR
set -eu
cd "$1"
version=$(sed -n 's/^project(tacit VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ -n "$version" ] || { echo "CMakeLists.txt states no version" >&2; exit 1; }
check() { [ "$2" = "$version" ] || { echo "$1 says $2, CMakeLists.txt $version" >&2; exit 1; }; }
check CITATION.cff "$(sed -n 's/^version: //p' CITATION.cff)"
check CHANGELOG.md "$(sed -n 's/^## \([0-9.]*\),.*/\1/p' CHANGELOG.md | head -n 1)"
check r/DESCRIPTION "$(sed -n 's/^Version: //p' r/DESCRIPTION)"
check debian/changelog "$(sed -n '1s/^tacit (\([0-9.]*\)).*/\1/p' debian/changelog)"

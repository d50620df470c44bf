#!/bin/sh
# A release has the sources, what was built and the checksums of all; what was built before the last commit is refused, and so is a
# tree with changes. In a repository of its own, with a bill of materials that says nothing. usage: release_test.sh SOURCE
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
fail() { echo "release: $1" >&2; exit 1; }
mkdir -p scripts build/wheel build/image
cp "$1/scripts/release" scripts/
printf '#!/bin/sh\necho "{}"\n' > scripts/sbom
chmod +x scripts/sbom
echo 'project(tacit VERSION 1.2.3 LANGUAGES CXX)' > CMakeLists.txt
echo build > .gitignore
git init --quiet
git add .
git -c user.name=tester -c user.email=tester@example.org commit --quiet --message first
touch build/libtacit.so build/image/index.json
echo "a wheel" > build/wheel/tacit-1.2.3.whl

scripts/release > /dev/null
for file in tacit-1.2.3.tar.gz tacit-1.2.3.whl tacit-1.2.3-image.tar tacit-1.2.3.spdx.json; do
  grep -q " $file\$" build/release/SHA256SUMS || fail "$file is not in the release"
done
(cd build/release && sha256sum --check --quiet --strict SHA256SUMS)
first=$(cat build/release/SHA256SUMS)
scripts/release > /dev/null
[ "$first" = "$(cat build/release/SHA256SUMS)" ] || fail "two releases of one commit differ"

touch --date=@1 build/wheel/tacit-1.2.3.whl
! scripts/release > build/said 2>&1 || fail "a wheel older than the commit is taken"
grep -q 'tacit-1.2.3.whl is older than the last commit' build/said || fail "the old wheel is not named"
rm build/wheel/tacit-1.2.3.whl
scripts/release > /dev/null
echo change >> CMakeLists.txt
! scripts/release > /dev/null 2>&1 || fail "a tree with changes is taken"
echo "release: whole, the same twice, and nothing old in it"

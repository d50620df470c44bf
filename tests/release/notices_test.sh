#!/bin/sh
# What is passed on has its notices: of every package compiled in that asks for one, of libraries that are brought along, and the
# texts of the licences that these point to. usage: notices_test.sh SOURCE BUILD
set -eu
notices=$1/scripts/notices build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "notices: $1" >&2; exit 1; }

library=$(ldd "$build/libtacit.so" | sed -n 's|.*=> \(/[^ ]*libgmp\.so[^ ]*\) .*|\1|p')
library=$(readlink -f "$library")
# Under the name that auditwheel gives it.
"$notices" "$build" "$scratch/found" "$(echo "$library" | sed 's/libgmp\.so/libgmp-0a1b2c3d.so/')"
for package in libeigen3-dev libfmt-dev nlohmann-json3-dev libcli11-dev libopenblas-serial-dev libgmp10; do
  cmp "/usr/share/doc/$package/copyright" "$scratch/found/$package"
done
for licence in GPL-3 LGPL-3 LGPL-2.1; do
  cmp "/usr/share/common-licenses/$licence" "$scratch/found/$licence.txt"
done
! ls "$scratch/found" | grep -qE 'boost|libc6' || fail "a notice that nobody asks for is there"
! "$notices" "$build" "$scratch/other" libofnobody.so.1 > /dev/null 2>&1 || fail "a library of no package is taken"
! "$notices" "$scratch" "$scratch/none" > /dev/null 2>&1 || fail "a folder that is no build is taken"
echo "notices: $(ls "$scratch/found" | wc -l) files"

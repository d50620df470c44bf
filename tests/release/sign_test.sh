#!/bin/sh
# A release that is signed with one's own key is checked by anyone who has the public one, with scripts/sign or openssl
# alone; a changed file, changed sums and another key are refused. usage: sign_test.sh SOURCE
set -eu
sign=$1/scripts/sign
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
fail() { echo "sign: $1" >&2; exit 1; }

for name in own other; do
  openssl genpkey -algorithm ed25519 -out $name.pem
  openssl pkey -in $name.pem -pubout -out $name.pub
done
openssl genpkey -algorithm rsa -pkeyopt rsa_keygen_bits:2048 -out rsa.pem 2> /dev/null
mkdir release
echo "a wheel" > release/tacit.whl
(cd release && sha256sum -- * > SHA256SUMS)

"$sign" own.pem release > /dev/null
"$sign" --check own.pub release > /dev/null || fail "a good release is refused"
openssl pkeyutl -verify -pubin -inkey own.pub -rawin -in release/SHA256SUMS -sigfile release/SHA256SUMS.sig > /dev/null ||
  fail "openssl alone does not find the signature good"

! "$sign" --check other.pub release > /dev/null 2>&1 || fail "another key is taken"
! "$sign" rsa.pem release > /dev/null 2>&1 || fail "a key of another kind is taken"
echo "another wheel" > release/tacit.whl
! "$sign" --check own.pub release > /dev/null 2>&1 || fail "a changed file is taken"
(cd release && sha256sum tacit.whl > SHA256SUMS)
! "$sign" --check own.pub release > /dev/null 2>&1 || fail "changed sums are taken"
! "$sign" --check own.pub nowhere > /dev/null 2>&1 || fail "a release that is not there is taken"
echo "signing: what is signed holds, what is changed does not"

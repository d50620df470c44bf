#!/bin/sh
# The front door: about fifteen public headers, each of which compiles alone, states its layer, shows an example and is used by
# the tool, the bindings or an example; nothing else is installed. usage: public_headers_test.sh COMPILER SOURCE_DIR BUILD_DIR EIGEN_DIR
set -eu
compiler=$1 source=$2 build=$3 eigen=$4
most=20
cd "$source"
fail() { echo "$*" >&2; exit 1; }
. tests/public_compile.sh

# A public header and all that it includes of them, at any depth.
with_included() {
  all=$1 before=
  while [ "$all" != "$before" ]; do
    before=$all
    all=$(for each in $all; do echo "$each"; [ ! -f "include/$each" ] || sed -n 's|^#include "\(tacit/.*\)"|\1|p' "include/$each"; done | sort -u)
  done
  echo "$all"
}

# What includes tacit/meter.hpp sees no more when that, precompiled, comes first.
compiles_alone() {
  first=
  [ "$1" = tacit/meter.hpp ] || ! with_included "$1" | grep -qx tacit/meter.hpp || first="-include $shared"
  echo "#include <$1>" | compile $first -fsyntax-only -x c++ -
}

count=$(ls include/tacit/*.hpp | wc -l)
[ "$count" -le $most ] || fail "$count public headers, expected at most $most"
[ -z "$(find include -mindepth 2 -type d)" ] || fail "include/tacit has folders: what is internal lives in src"
for header in include/tacit/*.hpp; do
  name=tacit/$(basename "$header")
  if [ "$name" != tacit/tacit.hpp ]; then
    grep -q '^// Layer: ' "$header" || fail "$name states no layer"
    grep -q '^//     ' "$header" || fail "$name shows no example"
    grep -rqE "#include [\"<]$name[\">]" apps python/src examples tests/install || fail "$name is used by neither tool, bindings nor an example"
  fi
  ! grep -E '^#include "' "$header" | grep -vE '"tacit/[a-z_]+\.hpp"' || fail "$name includes what is not public"
  compiles_alone "$name" || fail "$name does not compile alone"
done

# The examples compile without warnings, given what they take for granted; so do the ways in which pages and programs write
# options down, naming some of their members.
examples=$(mktemp --suffix=.cpp)
trap 'rm -f "$examples"' EXIT
{
  cat <<'GIVEN'
#include <tacit/tacit.hpp>
#include <cstdio>
#include <iostream>
struct MyLoss {
  std::size_t records() const;
  std::size_t parameters() const;
  double value(const tacit::Vector& w, std::size_t record) const;
  void gradient(const tacit::Vector& w, std::size_t record, std::span<double> out) const;
};
extern const MyLoss mine;
extern const std::string text;
extern const tacit::Vector start;
extern const double scale, range;
extern const std::vector<tacit::Event> events;
extern const tacit::ReadOptions reading;
extern const tacit::Sensitive<tacit::Vector> sum;
extern tacit::Dataset records;
extern tacit::Meter& meter;
extern const std::unique_ptr<tacit::BitSource> bits;
GIVEN
  cat <<'IDIOMS'
void idioms() {
  const tacit::ReadOptions reading_by_path{.path = "people.csv"};
  const tacit::service::DescribeOptions description{.guarantee = tacit::Pure{1}};
  const tacit::service::AuditOptions audited{.method = "dp-sgd"};
  const tacit::service::CheckpointUse checkpoint{.path = "c"};
  const tacit::service::LedgerUse ledger{.path = "l"};
  const tacit::DenseRows rows{.rows = 0, .columns = 2};
  const tacit::Method method{.name = "custom"};
  const tacit::nonconvex::Options options{.lipschitz = 2};
  std::cout << reading_by_path.path << description.bins << audited.method << checkpoint.path << ledger.path << rows.rows
            << method.name << options.lipschitz;
}
tacit::Release released(tacit::Released<tacit::Vector> w, tacit::Certificate certificate) {
  return {std::move(w), std::move(certificate)};
}
IDIOMS
  for header in include/tacit/*.hpp; do
    [ "$header" != include/tacit/tacit.hpp ] || continue
    printf 'void example_of_%s() {\n#line 1 "the example of %s"\n' "$(basename "$header" .hpp)" "$header"
    sed -n '/^#include/q; s|^//     ||p' "$header"
    echo '}'
  done
} > "$examples"
compile -Wall -Wextra -Wno-unused -Werror -fsyntax-only "$examples" || fail "an example does not compile, or warns"
sed -n '/^```cpp$/,/^```$/{/^```/d; p}' docs/for_engineers.md > "$examples"
grep -q 'int main' "$examples" || fail "docs/for_engineers.md has no program"
compile -Wall -Wextra -Werror -fsyntax-only "$examples" || fail "the program of docs/for_engineers.md does not compile, or warns"

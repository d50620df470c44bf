#!/bin/sh
# Installs the build into a temporary prefix, then configures, builds and runs a project outside the tree with
# find_package(tacit), the worked examples in C++, and the installed tool. usage: install_test.sh CMAKE BUILD PROJECT BUILD_TYPE SANITIZE
set -eu
cmake=$1 build=$2 project=$3 type=$4 sanitize=$5

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags=""
[ -z "$sanitize" ] || flags="-fsanitize=$sanitize"

quietly() { "$@" > "$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }; }
quietly "$cmake" --install "$build" --prefix "$scratch/prefix"
examples="$scratch/prefix/share/doc/tacit/examples"  # as they are installed
for source in "$project" "$examples/custom_loss" "$examples/custom_method" "$examples/table_in_memory"; do
  here="$scratch/$(basename "$source")"
  quietly "$cmake" -S "$source" -B "$here" -DCMAKE_PREFIX_PATH="$scratch/prefix" \
    -DCMAKE_BUILD_TYPE="$type" -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_EXE_LINKER_FLAGS="$flags"
  quietly "$cmake" --build "$here"
done
"$scratch/project/outside"
cd "$scratch"  # where the examples leave their files
custom_loss/custom_loss
custom_method/custom_method
cp "$examples/table_in_memory/people.schema.json" .
"$scratch/prefix/bin/tacit" ledger create nightly.ledger --limit memory=3
table_in_memory/table_in_memory
"$scratch/prefix/bin/tacit" verify memory.json
"$scratch/prefix/bin/tacit" --version
tree="$project/../../.."
cmp "$tree/scripts/verify_independent.py" "$examples/verify_independent.py"
for sample in ADULT.md adult.schema.json adult.train.csv.gz adult.test.csv.gz; do
  cmp "$tree/examples/data/$sample" "$examples/$sample"
done

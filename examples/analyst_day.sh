#!/bin/sh
# An analyst's day: from a raw table that nobody has looked at to a signed model, its accuracy with an interval,
# and a page for a data-protection officer, all under one ledger of epsilon = 2 (delta = 1e-6). No number is
# read off the data outside of it.
#
#   examples/analyst_day.sh DATA.csv TARGET FOLDER      # TACIT: the tool, unless it is on the path
#
# DATA is a CSV file, gzipped or not, with a header and one record a line; TARGET the column to predict.
# FOLDER is made, and holds everything that may be given away, the ledger and the private key apart.
set -eu
[ $# -eq 3 ] || { echo "usage: $0 DATA.csv TARGET FOLDER" >&2; exit 64; }
data=$1 target=$2 out=$3
tacit=${TACIT:-tacit}
mkdir "$out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Every fifth line is kept for the test. That depends on where a record stands, never on what it says.
case $data in *.gz) gzip -dc "$data" ;; *) cat "$data" ;; esac > "$scratch/all.csv"
awk 'NR == 1 || NR % 5' "$scratch/all.csv" > "$scratch/train.csv"
awk 'NR == 1 || NR % 5 == 0' "$scratch/all.csv" > "$scratch/test.csv"

"$tacit" ledger create "$out/people.ledger" --accountant approx --limit people=2,1e-6 > /dev/null
spend() { step=$1; shift; "$tacit" "$step" "$@" --ledger "$out/people.ledger"; }

echo "== Say what is public: ranges and categories (epsilon = 0.3, delta = 5e-7)"
spend schema "$scratch/train.csv" --target "$target" --epsilon 0.3 --delta 5e-7 --output "$out/schema.json"

echo "== Look (epsilon = 0.2)"
spend describe "$scratch/train.csv" --schema "$out/schema.json" --epsilon 0.2 --json > "$out/description.json"

echo "== Fit (epsilon = 1.2)"
openssl genpkey -algorithm ed25519 -out "$out/private.pem" 2> /dev/null
openssl pkey -in "$out/private.pem" -pubout -out "$out/public.pem"
spend fit "$scratch/train.csv" --schema "$out/schema.json" --epsilon 1.2 --sign "$out/private.pem" \
  --model "$out/model.json"

echo "== Judge it on records that it has not seen (epsilon = 0.3)"
spend evaluate "$out/model.json" "$scratch/test.csv" --epsilon 0.3 --json > "$out/evaluation.json"

echo "== Check everything, and tell somebody"
"$tacit" verify "$out/model.json" --key "$out/public.pem"
"$tacit" report "$out/description.json" "$out/schema.json" "$out/model.json" "$out/evaluation.json" \
  --ledger "$out/people.ledger" --output "$out/project.html"
"$tacit" ledger show "$out/people.ledger"

#!/bin/sh
# What a newcomer met with version 0.1.0, command by command: docs/newcomer.md. Run it with two tools to compare them.
#
#   sh experiments/newcomer.sh build/tacit
#
# Makes its tables itself, in a folder that is thrown away. Prints each command, its exit code and what it says.
set -u
[ $# -eq 1 ] || { echo "usage: $0 TOOL" >&2; exit 64; }
tool=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

tacit() {
  echo "\$ tacit $*"
  timeout 300 "$tool" "$@" > out 2> err
  code=$?
  cat out err | grep -v "^Pure diff\|^Approximate diff\|^Assumed\|^Measured" | head -n 12
  echo "exit $code"
  echo
}

# Tables: a made-up generator of the same numbers everywhere.
table() { awk -v n="$1" "BEGIN { s = 7; for (k = 0; k < n; ++k) { $2 } } function u() { s = (s * 16807) % 2147483647; return s / 2147483647 }"; }
numeric() { printf '"%s":{"type":"numeric","min":%s,"max":%s}' "$1" "$2" "$3"; }

{ echo x,z,y; table 2000 'x = 10*u(); z = 10*u(); printf "%.3f,%.3f,%.3f\n", x, z, 3*x - z + u()'; } > houses.csv
{ echo x,z,y; table 500 'x = 10*u(); z = 10*u(); printf "%.3f,%.3f,%.3f\n", x, z, 3*x - z + u() + (k % 5 ? 0 : 100)'; } > houses_test.csv
echo "{\"columns\":{$(numeric x 0 10),$(numeric z 0 10)},\"target\":{\"column\":\"y\",\"min\":-10,\"max\":30}}" > houses.json
{ echo x,z,y; table 24000 'x = u(); z = u(); printf "%.3f,%.3f,%s\n", x, z, (x + z + u()/2 > 1.2 ? "yes" : "no")'; } > people.csv
echo "{\"columns\":{$(numeric x 0 1),$(numeric z 0 1)},\"target\":{\"column\":\"y\",\"classes\":[\"no\",\"yes\"]}}" > people.json
{ echo x,who,y; table 4000 'x = u(); printf "%.3f,%d,%s\n", x, k % 500, (x + u()/2 > 0.7 ? "a" : "b")'; } > visits.csv
echo "{\"columns\":{$(numeric x 0 1)},\"target\":{\"column\":\"y\",\"classes\":[\"a\",\"b\"]},\"user\":{\"column\":\"who\"}}" > visits.json
sed '9s/,[0-9]*,/,,/' visits.csv > nobody.csv
{ echo id,price,y; table 200 'printf "%d,\"%d,5\",%d\n", 1000 + k, k % 10, k % 2'; } > orders.csv
{ echo x,y; table 3000 'printf "%.3f,%d\n", (k % 500 ? 1 : 100000) * (u() - 0.5), 20*u()'; } > counts.csv
{ echo x,y; table 2000 'x = u(); printf "%.3f,%d\n", x, (x + u()/2 > 0.7)'; } > answers.csv
names=$(seq -s, -f 'c%g' 0 10)
more() { echo "$names,y"; table "$1" 'r = ""; t = 0; for (j = 0; j < 11; ++j) { v = u(); r = r sprintf("%.3f,", v); if (j < 3) t += v } print r (t > 1.5 ? "yes" : "no")'; }
more 300 > few.csv
{ echo "$names,y"; more 6000 | tail -n 4000; } > few_test.csv
columns=""
for c in $(echo "$names" | tr , ' '); do columns="$columns${columns:+,}$(numeric "$c" 0 1)"; done
echo "{\"columns\":{$columns},\"target\":{\"column\":\"y\",\"classes\":[\"no\",\"yes\"]}}" > few.json
tr '\n' '\r' < people.csv > old_mac.csv
echo '{"settings": [{"method": "limited-objective"}, {"method": "limited-output"}]}' > settings.json

echo "# Regressions: labels cut to the schema's range"
tacit fit houses.csv --schema houses.json --epsilon 10 --model houses.model
tacit evaluate houses.model houses_test.csv
echo "# Weak promises, few records"
tacit fit few.csv --schema few.json --epsilon 1 --model few.model
for n in 59 500; do
  more "$n" > "few_$n.csv"
  tacit fit "few_$n.csv" --schema few.json --epsilon 1 --model few.model
  tacit evaluate few.model few_test.csv
done
tacit fit people.csv --schema people.json --epsilon 1000 --model m.json
tacit fit people.csv --schema people.json --epsilon 1 --delta 0.1 --model m.json
echo "# Options of users where the schema names their column"
tacit fit visits.csv --schema visits.json --epsilon 2 --delta 1e-5 --records-per-user 4 --model m.json
tacit fit visits.csv --schema visits.json --epsilon 2 --delta 1e-5 --weighting record --model m.json
echo "# Drafts"
cp people.json mine.json
tacit schema orders.csv --target y --output mine.json
tacit schema orders.csv --target y
tacit schema answers.csv --target y
tacit fit answers.csv --target y --epsilon 1 --model m.json
echo "# Poisson without a schema"
tacit fit counts.csv --target y --loss poisson --epsilon 2 --model counts.model
tacit evaluate counts.model counts.csv
tacit fit counts.csv --target y --loss poisson --epsilon 2 --range-share 0 --model counts.model
echo "# Errors and their remedies"
tacit fit visits.csv --target y --user who --epsilon 1
tacit fit people.csv --target y --method dp-sgd --epsilon 1
cp people.csv people.foo
tacit fit people.foo --target y --epsilon 1
tacit fit - --target y --epsilon 1 --model m.json < people.csv
tacit fit nowhere.csv --epsilon 1
tacit fit nobody.csv --target y --user who --epsilon 1 --delta 1e-5
tacit fit old_mac.csv --schema people.json --epsilon 1
echo "# Wanted besides"
tacit fit people.csv --schema people.json --epsilon 1 --plan --records 24000 --model planned.json
tacit fit people.csv --schema people.json --epsilon 1 --exclude z --model m.json
tacit fit people.csv --schema people.json --epsilon 2 --tune settings.json --model m.json
tacit ledger create people.ledger --limit people=2
tacit ledger export people.ledger
tacit upgrade m.json
sed 's/"yes"/"yea"/' m.json > edited.json
tacit verify edited.json
tacit report edited.json --output page.html

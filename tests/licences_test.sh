#!/bin/sh
# Fails if a file needs, itself or through another library, a library that is under the GPL alone: whoever passes tacit on
# would have to pass on all of it under the GPL. usage: licences_test.sh COMPILER FILE...
set -eu
compiler=$1
shift
gpl_alone="fftw3 fftw3f fftw3l fftw3_threads fftw3_omp gf2x gsl gslcblas readline history glpk cln ginac qrupdate
  umfpack cholmod"

# Prints every library of that list which ldd finds for the file $1.
refused() {
  needed=$(ldd "$1") || { echo "ldd cannot read $1" >&2; exit 1; }
  for name in $gpl_alone; do
    echo "$needed" | grep -o "lib$name\.so[.0-9]*" | sort -u || true
  done
}

# The check must be able to fail: a program that needs a library which needs one of the list; and one that needs none.
control=$(mktemp -d)
trap 'rm -rf "$control"' EXIT
echo 'int inner() { return 1; }' > "$control/inner.cpp"
echo 'int inner(); int outer() { return inner(); }' > "$control/outer.cpp"
echo 'int outer(); int main() { return outer(); }' > "$control/main.cpp"
echo 'int main() { return 0; }' > "$control/plain.cpp"
(
  cd "$control"
  "$compiler" -shared -fPIC inner.cpp -Wl,-soname,libgf2x.so.3 -o libgf2x.so.3
  "$compiler" -shared -fPIC outer.cpp ./libgf2x.so.3 -o libouter.so
  "$compiler" main.cpp ./libouter.so -Wl,-rpath-link,. -o program
  "$compiler" plain.cpp -o plain
)
found=$(cd "$control" && LD_LIBRARY_PATH=. refused ./program)
[ "$found" = libgf2x.so.3 ] || { echo "the check finds '$found' in its control, expected libgf2x.so.3" >&2; exit 1; }
found=$(refused "$control/plain")
[ -z "$found" ] || { echo "the check refuses $found in a program without libraries" >&2; exit 1; }

status=0
for file in "$@"; do
  for library in $(refused "$file"); do
    echo "$file needs $library, which is under the GPL alone: link another library" >&2
    status=1
  done
done
exit $status

# Sourced by tests that compile against the public headers, with $compiler, $source, $build and $eigen set: how they do, and
# the header that a fixture precompiles for all of them.
shared=$build/compile_fail/meter.hpp

compile() {
  LC_ALL=C "$compiler" -std=c++20 -fdiagnostics-color=never -I"$source/include" -I"$build/include" -isystem "$eigen" "$@" 2>&1
}

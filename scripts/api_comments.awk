# Marks the plain comments of a public header for Doxygen, on the way to the C++ reference (scripts/docs). A comment right above
# a declaration is about it; one that stands alone, or above a namespace, is about the file. The inline namespace `v1` is a matter
# of the linker: nobody writes it.
function flush_block(next_line,    about_file, i) {
  if (!lines) return
  about_file = block[1] ~ /^\/\// && (next_line ~ /^[ \t]*$/ || next_line ~ /^(namespace|#)/)
  if (about_file) print "/// \\file"
  if (about_file) print "///"
  for (i = 1; i <= lines; i++) { sub(/\/\//, "///", block[i]); print block[i] }
  if (about_file) print ""
  lines = 0
}
/^ *\/\/( |$)/ { block[++lines] = $0; next }
{
  flush_block($0)
  gsub(/::inline v1/, "")
  if (match($0, /[;,{] +\/\/ /)) $0 = substr($0, 1, RSTART) "  ///< " substr($0, RSTART + RLENGTH)
  print
}
END { flush_block("") }

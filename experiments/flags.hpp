#pragma once

// The flags that experiments share: --data DIR --out DIR [--only NAME].

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace experiment {

struct Flags {
  std::filesystem::path data = ".", out = ".";
  std::string only;  // one table or figure; empty: all

  bool wants(std::string_view name) const { return only.empty() || only == name; }
};

// The value of each flag that is there. Anything else ends the program with a line that says what was
// expected.
inline std::map<std::string, std::string> read_flags(int argc, char** argv,
                                                     const std::vector<std::string>& known) {
  std::map<std::string, std::string> found;
  for (int k = 1; k < argc; k += 2) {
    if (std::ranges::find(known, argv[k]) == known.end() || k + 1 == argc) {
      fmt::print(stderr, "{}: \"{}\", expected {}, each with a value\n", argv[0], argv[k],
                 fmt::join(known, ", "));
      std::exit(64);
    }
    found[argv[k]] = argv[k + 1];
  }
  return found;
}

// `found` has the defaults.
inline Flags parse_flags(int argc, char** argv, Flags found = {}) {
  auto given = read_flags(argc, argv, {"--data", "--out", "--only"});
  if (given.contains("--data")) found.data = given["--data"];
  if (given.contains("--out")) found.out = given["--out"];
  found.only = given["--only"];
  return found;
}

}  // namespace experiment

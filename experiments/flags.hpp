#pragma once

// The flags that experiments share: --data DIR --out DIR [--only NAME].

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace experiment {

struct Flags {
  std::filesystem::path data = ".", out = ".";
  std::string only;  // one table or figure; empty: all

  bool wants(std::string_view name) const { return only.empty() || only == name; }
};

// `found` has the defaults. Anything else ends the program with a line that says what was expected.
inline Flags parse_flags(int argc, char** argv, Flags found = {}) {
  for (int k = 1; k < argc; k += 2) {
    const std::string_view flag = argv[k];
    const bool known = flag == "--data" || flag == "--out" || flag == "--only";
    if (!known || k + 1 == argc) {
      fmt::print(stderr, "{}: \"{}\", expected --data DIR, --out DIR or --only NAME\n", argv[0], flag);
      std::exit(64);
    }
    if (flag == "--data") found.data = argv[k + 1];
    if (flag == "--out") found.out = argv[k + 1];
    if (flag == "--only") found.only = argv[k + 1];
  }
  return found;
}

}  // namespace experiment

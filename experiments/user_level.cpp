// People with many records [LowyLiuAsi24]: excess risk against the number of users, their records and
// epsilon, counted gradients, and two datasets of real people. Writes user_level_*.md and user_level_*.svg
// into the output folder.
//
//   build/experiment_user_level --data DIR --out docs/figures [--only synthetic|rates|writers|students]
//
// DIR holds mnist_writers/ and insteval/.

#include <fmt/core.h>

#include <string_view>

#include "tacit/core.hpp"
#include "user_level/rates.hpp"
#include "user_level/real.hpp"
#include "user_level/synthetic.hpp"

int main(int argc, char** argv) {
  experiment::Paths paths;
  std::string_view only;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string_view flag = argv[k];
    if (flag == "--data") paths.data = argv[k + 1];
    if (flag == "--out") paths.out = argv[k + 1];
    if (flag == "--only") only = argv[k + 1];
  }
  if (paths.data.empty() || paths.out.empty()) {
    fmt::print(stderr, "usage: experiment_user_level --data DIR --out DIR [--only PART]\n");
    return 64;
  }
  try {
    if (only.empty() || only == "synthetic") experiment::synthetic(paths);
    if (only.empty() || only == "rates") experiment::rates(paths);
    if (only.empty() || only == "students") experiment::students(paths);
    if (only.empty() || only == "writers") experiment::writers(paths);
  } catch (const tacit::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}

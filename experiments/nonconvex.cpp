// Nonsmooth nonconvex optimisation under privacy [Kornowski24]: periods and dimensions at the theorem's
// sizes, stationarity against records, a ReLU network beside DP-SGD, Lasry–Lions smoothing, the noise of
// prefix sums, and how time grows.
//
//   build/experiment_nonconvex --data DIR --out docs/figures
//       [--only
//       periods|sizes|dimensions|stationarity|network|smoothing-rule|lasry-lions|prefix-noise|clipping-bias|scaling]
//
// With `--run no` periods and dimensions show what is stored. The best period up to 1024, or `--longest`, is
// taken.
// DIR holds california_housing (for `network` and `smoothing-rule` alone).

#include "flags.hpp"
#include "nonconvex/clipping_bias.hpp"
#include "nonconvex/free_sizes.hpp"
#include "nonconvex/network.hpp"
#include "nonconvex/periods.hpp"
#include "nonconvex/prefix_noise.hpp"
#include "nonconvex/scaling.hpp"
#include "nonconvex/smoothing.hpp"
#include "nonconvex/smoothing_rule.hpp"
#include "nonconvex/stationarity.hpp"

int main(int argc, char** argv) {
  nonconvex_runs::Flags flags;
  auto given = experiment::read_flags(argc, argv, {"--data", "--out", "--only", "--run", "--longest"});
  if (given.contains("--data")) flags.data = given["--data"];
  if (given.contains("--out")) flags.out = given["--out"];
  flags.only = given["--only"];
  flags.runs = given["--run"] != "no";
  if (given.contains("--longest")) flags.longest = std::stoll(given["--longest"]);
  const auto wanted = [&](const char* part) { return flags.only.empty() || flags.only == part; };
  if (wanted("periods")) nonconvex_runs::periods(flags);
  if (wanted("sizes")) nonconvex_runs::free_sizes(flags);
  if (wanted("dimensions")) nonconvex_runs::dimensions(flags);
  if (wanted("prefix-noise")) nonconvex_runs::prefix_noise(flags);
  if (wanted("lasry-lions")) nonconvex_runs::lasry_lions(flags);
  if (wanted("clipping-bias")) nonconvex_runs::clipping_bias(flags);
  if (wanted("scaling")) nonconvex_runs::scaling(flags);
  if (wanted("stationarity")) nonconvex_runs::stationarity(flags);
  if (wanted("smoothing-rule")) nonconvex_runs::smoothing_rule(flags);
  if (wanted("network")) nonconvex_runs::network(flags);
}

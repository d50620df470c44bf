// What a fit of n x d numbers allocates, in bytes: the peak of the process's memory above what it held when
// the fit began. The Python package's own is measured against it (bench/fit_memory.py).
//
//   build/bench_fit_memory RECORDS COLUMNS

#include <fmt/core.h>

#include <charconv>
#include <fstream>
#include <string>

#include "tacit/fit.hpp"

namespace {

using namespace tacit;

// "VmRSS" or "VmHWM" of this process, in bytes.
std::size_t memory(const std::string& what) {
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;)
    if (std::size_t kilobytes = 0; key == what + ":" && status >> kilobytes) return 1024 * kilobytes;
  return 0;
}

// The same numbers as bench/fit_memory.py makes.
Dataset numbers(std::size_t n, std::size_t d) {
  DenseRows rows{n, d, std::vector<double>(n * d)};
  for (std::size_t k = 0; k < n * d; ++k) rows.values[k] = static_cast<double>(k * 7919 % 1009) / 1009 - 0.5;
  Dataset data;
  data.features = Features(std::move(rows));
  data.target_kind = TargetKind::classes;
  data.classes = {"0", "1"};
  for (std::size_t i = 0; i < n; ++i) data.labels.push_back(static_cast<double>(i % 2));
  return data;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  Dataset data = numbers(std::stoul(argv[1]), std::stoul(argv[2]));
  service::FitOptions options;
  options.loss = "logistic";
  options.row_bound = 5;
  const std::size_t before = memory("VmRSS");
  const FittedModel model = service::fit(std::move(data), options);
  fmt::print("{} {}\n", before, memory("VmHWM") - before);
}

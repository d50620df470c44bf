#include "tacit/audit.hpp"

#include <atomic>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>

#include "audit/black_box/event.hpp"
#include "core/parallel.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::inline v1::audit {

namespace {

constexpr std::size_t parts = 64;  // each with its own bits: results do not depend on the number of threads

// How many of the runs on both neighbours are done, told by the thread that asked for them.
struct Progress {
  std::uint64_t planned;
  std::atomic<std::uint64_t> done = 0;

  void one_more() { tell_progress(++done, planned); }
};

std::vector<Vector> outputs_of(const Run& run, const BlackBoxOptions& options, std::size_t first_part,
                               Progress& progress) {
  std::vector<Vector> outputs(options.runs);
  parallel_parts(parts, options.threads, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t part = begin; part < end; ++part) {
      const auto bits = options.bits ? options.bits(first_part + part) : noise::system_bits();
      const std::size_t last = options.runs * (part + 1) / parts;
      for (std::size_t i = options.runs * part / parts; i < last; ++i) {
        {
          const ListenScope unheard(nullptr);  // a run's own steps
          outputs[i] = run(*bits);
        }
        progress.one_more();
      }
    }
  });
  return outputs;
}

std::size_t count(std::span<const Vector> outputs, const OutputEvent& event) {
  return static_cast<std::size_t>(
      std::ranges::count_if(outputs, [&](const Vector& output) { return event.contains(output); }));
}

}  // namespace

void BlackBoxOptions::validate() const {
  if (runs < 20) throw_error<UsageError>("runs is {}, expected at least 20", runs);
  if (!(confidence > 0 && confidence < 1))
    throw_error<UsageError>("confidence is {}, expected between 0 and 1", confidence);
}

double epsilon_lower_bound(std::size_t often, std::size_t seldom, std::size_t n, double delta,
                           double confidence) {
  using boost::math::binomial;
  // Half of the error for each of the two bounds (Clopper–Pearson, one-sided).
  const double error = (1 - confidence) / 2, trials = static_cast<double>(n);
  const double p = binomial::find_lower_bound_on_p(trials, static_cast<double>(often), error);
  const double q = binomial::find_upper_bound_on_p(trials, static_cast<double>(seldom), error);
  return p > delta ? std::log((p - delta) / q) : -std::numeric_limits<double>::infinity();
}

BlackBoxResult black_box(const Run& first, const Run& second, double delta, const BlackBoxOptions& options) {
  options.validate();
  if (!first || !second) throw_error<UsageError>("the black box has nothing to run: a function is empty");
  Progress progress{.planned = 2 * options.runs};
  const std::vector<Vector> a = outputs_of(first, options, 0, progress),
                            b = outputs_of(second, options, parts, progress);

  // The first half chooses, the second measures.
  const std::size_t half = options.runs / 2, rest = options.runs - half;
  const OutputEvent event =
      choose_event(std::span(a).first(half), std::span(b).first(half), delta, options.confidence);
  const std::size_t on_first = count(std::span(a).subspan(half), event);
  const std::size_t on_second = count(std::span(b).subspan(half), event);

  BlackBoxResult result;
  result.event = event.describe();
  result.runs = options.runs;
  result.measured = rest;
  result.more_often = event.likelier_on_first ? on_first : on_second;
  result.less_often = event.likelier_on_first ? on_second : on_first;
  result.lower_bound = std::max(
      0.0, epsilon_lower_bound(result.more_often, result.less_often, rest, delta, options.confidence));
  result.resolution = std::max(0.0, epsilon_lower_bound(rest, 0, rest, delta, options.confidence));
  return result;
}

}  // namespace tacit::inline v1::audit

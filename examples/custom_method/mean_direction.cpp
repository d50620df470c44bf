// A method in one file, which enters itself into the table by its last line: flags, help, completion, the
// certificate, `verify`, `report` and `audit` know it without another edit. An option more is a field of the
// struct and a line of the table.
//
// Solves      nothing but a direction: the mean of ± the records' rows, each cut to a length.
// Assumes     nothing.
// Guarantees  pure ε-DP for one replaced record.

#include <algorithm>

#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/method.hpp"
#include "tacit/problem.hpp"

namespace {

using namespace tacit;

struct Options {
  Guarantee target = Pure{1};
  double length = 1;         // > 0: how long a row may be
  std::int64_t stretch = 1;  // 1 … 64: factor of the result, after noise
  unsigned threads = 0;      // not used

  static const OptionTable<Options>& table() {
    static const OptionTable<Options> table = {
        budget(&Options::target),
        field(&Options::length, "row-length", between(1e-6, 1e6), "longer rows are cut to it"),
        field(&Options::stretch, "stretch", between(1, 64), "factor of the noisy mean"), planned("noise")};
    return table;
  }
  void validate() const { table().validate(*this); }
};

// One row of length ≤ L, over n, is replaced by another; the computed sum is within γ of the real one.
Step plan(const Shape& shape, const Options& options) {
  const double n = static_cast<double>(shape.records);
  const Sensitivity sensitivity{
      .value = div_up(2 * options.length, n),
      .slack = mul_up(4 * options.length, gamma_bound(shape.records + shape.features + 16)),
      .norm = Norm::l2,
      .reason = "a mean of rows of norm <= L moves by <= 2L/n; slack: rounding of two means"};
  return noise::plan_isotropic_laplace(sensitivity,
                                       noise::scale_for(sensitivity, std::get<Pure>(options.target)),
                                       2 * options.length, shape.parameters());
}

Facts certified(const Step& step, const Options& options) {
  Facts noise;
  noise.set("noise", step.scale);
  return Options::table().certified(options, noise);
}

Vector mean_direction(const Problem& problem, double length) {
  const std::size_t n = problem.data->size();
  Vector sum = Vector::Zero(static_cast<Eigen::Index>(shape_of(problem).parameters()));
  RowRoom room;
  for (std::size_t i = 0; i < n; ++i) {
    const RowView row = problem.data->features.row(i, room);
    Vector a = Vector::Zero(sum.size());
    for (std::size_t k = 0; k < row.size; ++k)
      a[static_cast<Eigen::Index>(row.columns ? row.columns[k] : k)] = row.values[k];
    if (problem.intercept != 0) a[a.size() - 1] = problem.intercept;
    sum += (problem.data->labels[i] > 0 ? 1 : -1) * std::min(1.0, length / a.norm()) * a;
  }
  return sum / static_cast<double>(n);
}

Release fit(const Problem& problem, const Facts& given, Meter& meter) {
  const Options options = Options::table().read(given);
  const Shape shape = shape_of(problem);
  const Step step = plan(shape, options);
  const Released<Vector> mean = noise::isotropic_laplace(
      Sensitive<Vector>(mean_direction(problem, options.length), step.sensitivity, Neighbours::replace_one),
      step.scale, 2 * options.length, meter);
  return {
      mean.map([](const Vector& w, std::int64_t stretch) { return Vector(static_cast<double>(stretch) * w); },
               Public(options.stretch)),
      certify("mean-direction", meter, certified(step, options), shape_facts(shape))};
}

const bool added = add_method(with_options(
    {.name = "mean-direction",
     .notions = {Notion::pure},
     .unit = Unit::item,
     .paper = "",
     .summary = "noise on the mean of rows, by class",
     .assumes = "nothing",
     .unsuitable =
         [](const Shape& shape) { return std::string(shape.outputs == 1 ? "" : "two classes only"); },
     .fit = fit,
     .rebuild_steps =
         [](const Facts& options, const Facts& assumed_public) {
           return std::vector<Step>{plan(shape_from(assumed_public), Options::table().read(options))};
         },
     .rebuild_options =
         [](const Facts& facts, const Facts& assumed_public) {
           const Options options = Options::table().read(facts);
           return certified(plan(shape_from(assumed_public), options), options);
         }},
    Options::table()));

}  // namespace

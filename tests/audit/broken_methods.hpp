#pragma once

// Methods that do not keep their promise, each in one way. Each charges what it was given and no more, so
// that only an audit can tell.

#include <cmath>

#include "solver/certified.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/method.hpp"

namespace tacit::testing {

// argmin Σ φᵢ + (n/2)‖w‖² with slopes and curvatures limited to 1: between neighbours it moves by at most
// 2/n.
inline Vector limited_minimiser(const Problem& problem) {
  const Shape shape = shape_of(problem);
  const auto p = static_cast<Eigen::Index>(shape.parameters());
  LimitedObjective objective(problem, {.slope = 1, .curvature = 1},
                             {.strength = static_cast<double>(shape.records), .center = Vector::Zero(p)},
                             Vector::Zero(p), 10, 1);
  return minimise(objective, {}).point;
}

inline Released<Vector> release(Vector value, double sensitivity, const Facts& options, Meter& meter) {
  const Sensitivity claimed{.value = sensitivity, .norm = Norm::l2, .reason = "claimed"};
  return noise::isotropic_laplace(Sensitive<Vector>(std::move(value), claimed, Neighbours::replace_one),
                                  noise::scale_for(claimed, Pure{options.number("epsilon")}), 1e3, meter);
}

inline Release certified(Released<Vector> released, Meter& meter) {
  return {std::move(released), certify("test", meter, {}, {})};
}

inline Method method_with(const char* name, Release (*fit)(const Problem&, const Facts&, Meter&)) {
  return {.name = name,
          .notions = {Notion::pure},
          .unit = Unit::item,
          .unsuitable = [](const Shape&) { return std::string(); },
          .fit = fit};
}

inline double records(const Problem& problem) { return static_cast<double>(problem.data->size()); }

// Keeps its promise.
inline Method honest() {
  return method_with("honest", [](const Problem& problem, const Facts& options, Meter& meter) {
    return certified(release(limited_minimiser(problem), 2.001 / records(problem), options, meter), meter);
  });
}

inline Method half_the_sensitivity() {
  return method_with("half-the-sensitivity", [](const Problem& problem, const Facts& options, Meter& meter) {
    return certified(release(limited_minimiser(problem), 0.5 / records(problem), options, meter), meter);
  });
}

// Says that the minimiser hardly moves, so that hardly any noise is added.
inline Method returns_its_minimiser() {
  return method_with("returns-its-minimiser", [](const Problem& problem, const Facts& options, Meter& meter) {
    return certified(release(limited_minimiser(problem), 1e-9, options, meter), meter);
  });
}

// Releases noise, and puts the minimiser in its place: nothing that a mechanism opens gives it away.
inline Method smuggles_its_minimiser() {
  return method_with("smuggles-its-minimiser", [](const Problem& problem, const Facts& options,
                                                  Meter& meter) {
    const Vector minimiser = limited_minimiser(problem);
    const Released<Vector> noise = release(Vector::Zero(minimiser.size()), 1, options, meter);
    // The declaration is a lie.
    return certified(noise.map([](const Vector&, const Vector& x) { return x; }, Public(minimiser)), meter);
  });
}

// Adds noise in proportion to what it found.
inline Method scales_noise_by_the_data() {
  return method_with("scales-noise-by-the-data",
                     [](const Problem& problem, const Facts& options, Meter& meter) {
                       const Vector minimiser = limited_minimiser(problem);
                       return certified(release(minimiser, 3 + minimiser.norm(), options, meter), meter);
                     });
}

inline Method fails_on_large_rows() {
  return method_with("fails-on-large-rows", [](const Problem& problem, const Facts& options, Meter& meter) {
    if (std::fabs(problem.data->features.row(0).values[0]) > 1e3)
      throw_error<DataError>("the first row is too large");
    return certified(release(limited_minimiser(problem), 3, options, meter), meter);
  });
}

// Says that something is an ideal's sample, which nothing checks.
inline Method unchecked_ideal() {
  return method_with("unchecked-ideal", [](const Problem& problem, const Facts& options, Meter& meter) {
    const Ideal<Vector> ideal(limited_minimiser(problem), 3, "claimed");
    return certified(noise::cover(ideal, Pure{options.number("epsilon")}, 1e3, meter), meter);
  });
}

// Charges a step under a name of its own, and opens what it is about where no watcher sees it.
inline Method opens_out_of_sight() {
  return method_with("opens-out-of-sight", [](const Problem& problem, const Facts& options, Meter& meter) {
    const double epsilon = options.number("epsilon");
    meter.charge({.mechanism = "group-of-records",
                  .event = PureEvent{0.5 * epsilon},
                  .sensitivity = {.value = 1, .reason = "claimed"}});
    Facts rest;
    rest.set("epsilon", 0.49 * epsilon);
    return certified(release(limited_minimiser(problem), 3, rest, meter), meter);
  });
}

// Charges a tenth of what its first step's noise costs.
inline Method undercharges() {
  return method_with("undercharges", [](const Problem& problem, const Facts& options, Meter& meter) {
    const double half = 0.49 * options.number("epsilon");
    const Step step{.mechanism = "laplace",
                    .event = LaplaceEvent{half},
                    .sensitivity = {.value = 1, .reason = "claimed"},
                    .scale = 0.1 / half,
                    .grid = noise::perturbation_grid(0.1 / half),
                    .dimension = 1};
    noise::perturb(step, meter);
    Facts rest;
    rest.set("epsilon", half);
    return certified(release(limited_minimiser(problem), 3, rest, meter), meter);
  });
}

struct CountedOptions {
  Guarantee target = Pure{1};
  std::optional<std::int64_t> records = {};
  void validate() const {}
  static const OptionTable<CountedOptions>& table() {
    static const OptionTable<CountedOptions> all = {budget(&CountedOptions::target),
                                                    public_count(&CountedOptions::records)};
    return all;
  }
};

// A mean of clipped labels, planned for the public number of records, and divided by it or by those that
// there are: which is the same where nobody states more.
template <bool counts_by_itself>
Release mean_of_labels(const Problem& problem, const Facts& given, Meter& meter) {
  const CountedOptions options = CountedOptions::table().read(given);
  const Neighbours relation = meter.budget().neighbours;
  const auto stated = static_cast<double>(public_shape(problem, relation, options.records).records);
  double sum = 0;
  for (const double label : problem.data->labels) sum += label > 0 ? 1 : -1;
  const Sensitivity claimed{.value = 2.001 / stated, .norm = Norm::l2, .reason = "claimed"};
  const Vector mean = Vector::Constant(1, sum / (counts_by_itself ? records(problem) : stated));
  return certified(
      noise::isotropic_laplace(Sensitive<Vector>(mean, claimed, relation),
                               noise::scale_for(claimed, Pure{given.number("epsilon")}), 1e3, meter),
      meter);
}
inline Method plans_with_a_stated_count(bool and_counts_by_itself) {
  Method row = with_options(
      method_with("mean-of-labels", and_counts_by_itself ? mean_of_labels<true> : mean_of_labels<false>),
      CountedOptions::table());
  row.neighbours = {Neighbours::zero_out};
  return row;
}

}  // namespace tacit::testing

#include "algorithm/heavy_tails/private_sizes.hpp"

#include <algorithm>

#include "noise/selection.hpp"

namespace tacit::inline v1::heavy_tails {

namespace {

// C = 2S and Q = sup φ''·A² [heuristic: utility only, measured in docs/private_limits.md]; S, A the medians
// of gradients at 0 and of rows.
constexpr double slope_factor = 2;

class Chooser {
 public:
  Chooser(const Problem& problem, const Options& options, const LimitQueries& queries, Meter& meter)
      : data_(*problem.data),
        shape_(public_shape(problem, options)),
        options_(options),
        queries_(queries),
        meter_(meter) {
    sizes_.units.exponents.assign(data_.features.columns(), 0);
  }

  PrivateSizes run() {
    if (queries_.columns > 0) choose_columns();
    const double row = queries_.rows ? std::hypot(choose_rows(), shape_.intercept) : *options_.row_norm_bound;
    if (queries_.label_map) choose_label_map();
    if (queries_.label_bound)
      sizes_.label_bound = 4 * ask(data_.labels, spread_quantile, label_grid.values(), queries_.epsilon);

    const double label = sizes_.label_bound.value_or(options_.label_bound.value_or(1));
    const LinkSizes link = link_sizes(shape_.loss, label);
    const double gradient = queries_.gradients ? ask_gradients(row, label) : link.slope_at_zero * row;
    sizes_.limits = {.slope = slope_limit(gradient), .curvature = link.curvature * row * row};
    return std::move(sizes_);
  }

 private:
  // 2S; or C = G_k(nε/d)^{1/k} [Lowy26], with the G_k that the median tells: half of the gradients are at
  // least S, so E‖∇f‖ᵏ ≥ Sᵏ/2. It grows with n, so that the bias of the limit vanishes.
  double slope_limit(double typical) const {
    if (!options_.moment_order) return slope_factor * typical;
    const double n = static_cast<double>(shape_.records), d = static_cast<double>(shape_.parameters());
    return typical * std::pow(std::fmax(n * queries_.rest / (2 * d), 1), 1 / *options_.moment_order);
  }

  // Values are rounded up to the grid first, those above it down to its end: the choice is then among the
  // intervals between its points, of which only those near the quantile's rank score well, however coarse
  // the grid is. Each value is a
  // function of its record and of what was released before, so that replacing a record changes one value; a
  // null one has none.
  double ask(std::vector<double> values, double quantile, const std::vector<double>& grid, double epsilon) {
    for (double& v : values) {
      const auto up = std::ranges::lower_bound(grid, v);
      v = up != grid.end() ? *up : grid.back();
    }
    return noise::quantile_of(values, shape_.records, quantile, grid, Pure{epsilon}, meter_).value();
  }

  void choose_columns() {
    const std::vector<double> grid = column_grid.values();
    std::vector<int>& exponents = sizes_.units.exponents;
    std::vector<double> values(data_.size());
    RowRoom room;
    for (std::size_t j = 0; j < exponents.size(); ++j) {
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::fabs(entry(data_.features.row(i, room), j));
      exponents[j] = std::ilogb(ask(values, column_quantile, grid, queries_.column_epsilon));
    }
    // A column of which nothing is seen (zeros, mostly) gets the largest scale: too small a one would blow up
    // the few records that have something there.
    const int largest = std::ranges::max(exponents);
    for (int& e : exponents)
      if (e == column_grid.first) e = largest;
  }

  // The typical norm, without intercept, in units where it is in (½, 1].
  double choose_rows() {
    std::vector<double> norms, values;
    RowRoom room;
    for (std::size_t i = 0; i < data_.size(); ++i)
      norms.push_back(row_norm(scaled_row(data_.features.row(i, room), sizes_.units, values), 0));
    const double size = ask(norms, 0.5, row_grid.values(), queries_.epsilon);
    const int exponent = static_cast<int>(std::ceil(std::log2(size)));
    for (int& e : sizes_.units.exponents) e += exponent;
    return std::ldexp(size, -exponent);
  }

  void choose_label_map() {
    const auto distances = [this](double from) {
      std::vector<double> result;
      for (const double y : data_.labels) result.push_back(std::fabs(y - from));
      return result;
    };
    const double size = ask(distances(0), 0.5, label_grid.values(), queries_.epsilon);
    std::vector<double> places;
    for (int k = -location_range * location_steps; k <= location_range * location_steps; ++k)
      places.push_back(size * k / location_steps);
    const Link& link = std::get<Link>(shape_.loss);
    const double level = link.kind == LinkKind::pinball ? link.parameter : 0.5;
    sizes_.units.label_offset = ask(data_.labels, level, places, queries_.epsilon);
    const double spread =
        ask(distances(sizes_.units.label_offset), spread_quantile, label_grid.values(), queries_.epsilon);
    sizes_.units.label_scale = std::fmax(spread, size * least_spread);
  }

  double ask_gradients(double row_size, double label_bound) {
    const Link& link = std::get<Link>(shape_.loss);
    const double unit =
        row_size * std::fmax(label_bound, 1);  // released or public, like the sizes it is made of
    std::vector<double> gradients, values;
    RowRoom room;
    for (std::size_t i = 0; i < data_.size(); ++i) {
      const RowView row = scaled_row(data_.features.row(i, room), sizes_.units, values);
      double y = scaled_label(data_.labels[i], sizes_.units);
      if (link.kind == LinkKind::poisson) y = std::fmin(y, label_bound);
      gradients.push_back(std::fabs(evaluate(link, 0, y).first) * row_norm(row, shape_.intercept) / unit);
    }
    return unit * ask(gradients, 0.5, gradient_grid.values(), queries_.epsilon);
  }

  const Dataset& data_;
  Shape shape_;
  const Options& options_;
  const LimitQueries& queries_;
  Meter& meter_;
  PrivateSizes sizes_;
};

}  // namespace

PrivateSizes choose_sizes(const Problem& problem, const Options& options, const LimitQueries& queries,
                          Meter& meter) {
  return Chooser(problem, options, queries, meter).run();
}

}  // namespace tacit::inline v1::heavy_tails

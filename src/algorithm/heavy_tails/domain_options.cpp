// The domain of the methods that solve over one.

#include <algorithm>

#include "algorithm/heavy_tails/options.hpp"
#include "domain/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::heavy_tails {

const OptionTable<Options>& domain_table() {
  static const OptionTable<Options> table = {
      field(&Options::domain, "domain", any(),
            "set that parameters must lie in: ball:R, ball:R@c1,c2,..., box:lo,hi, box:@FILE, polytope:@FILE "
            "or "
            "ellipsoid:@FILE; "
            "the encoded features' coordinates, the intercept's last")
          .within_words("ball, box, polytope or ellipsoid")
          .otherwise("none; the ball of the radius where a method needs one")};
  return table;
}

std::optional<Domain> stated_domain(const Shape& shape, const Options& options) {
  if (!options.domain) return std::nullopt;
  return parse_domain(*options.domain, static_cast<Eigen::Index>(shape.parameters()));
}

std::optional<Domain> solved_domain(const Shape& shape, const Options& options) {
  std::optional<Domain> domain = stated_domain(shape, options);
  if (domain && !std::holds_alternative<Ball>(*domain) && !std::holds_alternative<Box>(*domain)) {
    const Projection nearest = project(*domain, Vector::Zero(static_cast<Eigen::Index>(shape.parameters())));
    if (nearest.point.norm() - nearest.distance > options.radius)
      throw_error<UsageError>(
          "the domain lies outside of the ball of the radius, {}, in which the minimiser is sought: its "
          "point "
          "nearest to 0 has norm {:.6g}; a larger radius is needed",
          options.radius, nearest.point.norm());
    domain = Ball{Vector::Zero(static_cast<Eigen::Index>(shape.parameters())), options.radius};
  }
  return domain;
}

Options with_domain(Options options, const Problem& problem) {
  if (!std::holds_alternative<WholeSpace>(problem.domain) && !options.domain)
    options.domain = domain_text(problem.domain);
  return options;
}

double size_of_interest(const Options& options, const std::optional<Domain>& domain) {
  return domain ? diameter(*domain) / 2 : options.radius;
}

void require_fine(double distance, double moved, double diameter) {
  if (!(distance <= std::max(moved, 0x1p-12 * diameter)))
    throw_error<InfeasibleError>(
        "double arithmetic is too coarse: the certified distance would be {:.3g} where one record moves the "
        "minimiser by {:.3g}; more regularisation, smaller limits or a smaller domain are needed",
        distance, moved);
}

}  // namespace tacit::inline v1::heavy_tails

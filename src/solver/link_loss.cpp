#include "solver/link_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/kernels.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

const Link& require_link(const LossSpec& loss) {
  const auto* link = std::get_if<Link>(&loss);
  if (!link || link->kind == LinkKind::poisson)
    throw_error<UsageError>("the Lipschitz extension is offered for losses of one output except poisson");
  return *link;
}

}  // namespace

LinkLoss::LinkLoss(const Problem& problem, double gradient_bound, double size, std::size_t places)
    : problem_(&problem),
      shape_(shape_of(problem)),
      link_(require_link(problem.loss)),
      limits_(std::max(shape_.records, places)),
      gradient_bound_(gradient_bound),
      size_(size) {
  constexpr double none = std::numeric_limits<double>::infinity();
  RowRoom room;
  for (std::size_t i = 0; i < shape_.records; ++i)
    if (const double norm = row_norm(problem.data->features.row(i, room), problem.intercept); norm > 0)
      limits_[i] = {div_down(gradient_bound, norm), none};
}

double LinkLoss::value(std::size_t record, const Vector& w) const {
  if (limits_[record].slope == 0) return 0;
  double s = 0;
  scores(*problem_, record, w, {&s, 1});
  return evaluate(link_, limits_[record], s, problem_->data->labels[record]).value;
}

void LinkLoss::subgradient(std::size_t record, const Vector& w, Vector& g) const {
  g.setZero(w.size());
  if (limits_[record].slope == 0) return;
  double s = 0;
  scores(*problem_, record, w, {&s, 1});
  const double pull = slope(link_, limits_[record], s, problem_->data->labels[record]).first;
  thread_local RowRoom room;
  kernels::add_scaled(problem_->data->features.row(record, room), pull, g.data(),
                      problem_->data->features.columns(), problem_->intercept);
}

// The score is off by ≤ γ‖a‖·size: the slope there is a subgradient at w up to 2A·γ·size. The slope's own
// rounding, 16u·A, and the product's, over distances of at most 2·size.
double LinkLoss::error(const Shape& shape, double gradient_bound, double size) {
  const double score = 2 * gamma_bound(kernels::dot_depth(shape.features));
  return mul_up(add_up(score, 40 * unit_roundoff), mul_up(gradient_bound, size));
}

bool is_polyhedral(const LossSpec& loss) {
  const auto* link = std::get_if<Link>(&loss);
  return link && (link->kind == LinkKind::absolute || link->kind == LinkKind::pinball ||
                  link->kind == LinkKind::hinge);
}

PolyhedralLoss polyhedral_loss(const Problem& problem, double gradient_bound, double size,
                               std::size_t places) {
  if (!is_polyhedral(problem.loss))
    throw_error<UsageError>("the structured oracle is for the absolute, pinball and hinge losses");
  const Link& link = std::get<Link>(problem.loss);
  const std::size_t columns = problem.data->features.columns();
  std::vector<PolyhedralRecord> records;
  records.reserve(problem.data->size());
  RowRoom room;
  for (std::size_t i = 0; i < problem.data->size(); ++i) {
    const double y = problem.data->labels[i];
    Vector a = Vector::Zero(static_cast<Eigen::Index>(shape_of(problem).features));
    const bool hinge = link.kind == LinkKind::hinge;  // t = 1 − y⟨a,w⟩; the others: t = ⟨a,w⟩ − y
    kernels::add_scaled(problem.data->features.row(i, room), hinge ? -y : 1.0, a.data(), columns,
                        problem.intercept);
    const double below = hinge ? 0.0 : link.kind == LinkKind::pinball ? link.parameter : 1.0;
    const double above = link.kind == LinkKind::pinball ? 1 - link.parameter : 1.0;
    records.push_back(polyhedral_record(a, hinge ? 1.0 : -y, -below, above, gradient_bound, size));
  }
  const PolyhedralRecord null{.normal = Vector::Zero(static_cast<Eigen::Index>(shape_of(problem).features))};
  records.resize(std::max(records.size(), places), null);
  return {std::move(records), gradient_bound, size};
}

}  // namespace tacit::inline v1

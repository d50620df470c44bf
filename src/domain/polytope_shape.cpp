// What is found out about a polytope once: the strength of its equalities, an interior point, its diameter.

#include <algorithm>
#include <cmath>
#include <limits>

#include "domain/norms.hpp"
#include "domain/prepared.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::detail {

void PreparedPolytope::measure_equalities() {
  if (rows_.equalities == 0) return;
  const Matrix a = rows_.a.topRows(rows_.equalities);
  const Matrix gram = a * a.transpose();
  // The computed Gram matrix is off by at most γ_d·Σ‖aᵢ‖² in norm.
  const double error = mul_up(gamma_bound(static_cast<std::size_t>(a.cols()) + 4), 2 * gram.trace());
  const long double smallest = smallest_eigenvalue_down(gram) - static_cast<long double>(error);
  if (!(smallest > 0))
    throw_error<UsageError>("the polytope's {} equalities (pairs of opposite rows) are linearly dependent",
                            rows_.equalities);
  equality_strength_ = std::sqrt(smallest) * (1 - 0x1p-50L);
}

// Takes y when it is farther inside, for certain, than the interior point at hand.
bool PreparedPolytope::use_as_interior(const QuadVector& y) {
  const Slacks slack = slacks(y);
  QuadVector lower;
  Quad depth = 0, best = 0;
  for (std::size_t i = 0; i < slack.value.size(); ++i) {
    const Quad error = slack.error[i] + row_norms_[i] * slack.plane_distance;
    lower.push_back((slack.value[i] - padded(error)) * (1 - Quad{0x1p-60}));
    if (i < static_cast<std::size_t>(rows_.equalities)) continue;
    const bool first = i == static_cast<std::size_t>(rows_.equalities);
    depth = first ? lower[i] / row_norms_[i] : std::min(depth, lower[i] / row_norms_[i]);
    if (!interior_.empty())
      best = first ? interior_slack_[i] / row_norms_[i] : std::min(best, interior_slack_[i] / row_norms_[i]);
  }
  const bool no_inequality = rows_.a.rows() == rows_.equalities;
  if (!no_inequality && depth <= best) return false;
  interior_ = y;
  interior_slack_ = lower;
  interior_shift_ = slack.plane_distance;
  return no_inequality || depth >= Quad{scale_} * 0x1p-10;
}

// The projection of (0, T) onto {(y, t) : a_i y + ‖a_i‖ t ≤ b_i, t ≤ scale}: for large T, the deepest point y
// and its depth t. That set is never empty, so this also finds out whether the polytope is.
void PreparedPolytope::find_interior() {
  const Eigen::Index d = dimension(), m = rows_.a.rows();
  Rows lifted;
  lifted.equalities = rows_.equalities;
  lifted.a.setZero(m + 1, d + 1);
  lifted.a.topLeftCorner(m, d) = rows_.a;
  lifted.b.resize(m + 1);
  for (Eigen::Index i = 0; i < m; ++i) {
    if (i >= rows_.equalities) lifted.a(i, d) = static_cast<double>(row_norms_[static_cast<std::size_t>(i)]);
    lifted.b[i] = rows_.b[i];
  }
  lifted.a(m, d) = 1;
  lifted.b[m] = scale_;

  Quad depth = 0;
  for (const double pull : {0x1p4, 0x1p24, 0x1p48}) {
    QuadVector target(static_cast<std::size_t>(d) + 1, Quad{0});
    target.back() = Quad{scale_} * pull;
    QuadVector deepest = project_onto_rows(lifted, target).y;
    depth = deepest.back();
    deepest.pop_back();
    if (use_as_interior(deepest)) return;
  }
  if (!interior_.empty()) return;
  if (depth < -Quad{scale_} * 0x1p-40)
    throw_error<UsageError>(
        "the polytope is empty: the best point still violates a row by {:.3g} times the row's norm",
        static_cast<double>(-depth));
  throw_error<UsageError>(
      "the polytope is empty or has no interior; state an equality as two rows that are exact opposites");
}

PreparedPolytope::Reach PreparedPolytope::reach(Eigen::Index axis, double sign, double far) const {
  QuadVector target = interior_;
  target[static_cast<std::size_t>(axis)] += Quad{sign} * far;
  const Multipliers<Quad> solution = project_onto_rows(rows_, target);
  const Slacks slack = slacks(interior_);
  // sign·far·e = Aᵀλ + (y − ŷ) + residual, and ⟨Aᵀλ, z − ŷ⟩ ≤ Σ λᵢ(bᵢ − aᵢŷ) for every z of the polytope.
  Quad height = 0;
  for (const Eigen::Index row : solution.active) {
    const auto i = static_cast<std::size_t>(row);
    height += magnitude(solution.lambda[i]) * (magnitude(slack.value[i]) + slack.error[i]);
  }
  const Quad rest = distance_up(solution.y, interior_) + residual(target, solution);
  const Quad rounding = quad_gamma(4) * (magnitude(target[static_cast<std::size_t>(axis)]) + far);
  return {padded(height / far), padded((rest + rounding) / far)};
}

// A box around the interior point: with half-widths h and slopes ≤ s, ‖z − ŷ‖ ≤ ‖h‖ + √d·s·‖z − ŷ‖.
double PreparedPolytope::diameter() const {
  const Eigen::Index d = dimension();
  for (const double pull : {0x1p30, 0x1p60}) {
    Quad slope = 0, half_widths = 0;
    QuadVector widths;
    for (Eigen::Index axis = 0; axis < d; ++axis) {
      const Reach up = reach(axis, 1, pull * scale_), down = reach(axis, -1, pull * scale_);
      slope = std::max({slope, up.slope, down.slope});
      widths.push_back(up.height + down.height);
      half_widths += std::max(up.height, down.height) * std::max(up.height, down.height);
      if (slope > Quad{0.5}) break;
    }
    const Quad shrink = padded(slope * sqrt_up(static_cast<Quad>(d)));
    if (shrink > Quad{0.5}) continue;
    const Quad radius = padded(sqrt_up(padded(half_widths)) / (1 - shrink));
    for (Quad& width : widths) width += 2 * slope * radius;
    return double_up(padded(norm_up(widths)));
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace tacit::inline v1::detail

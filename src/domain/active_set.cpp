// The projection onto {y : a y ≤ b} by the dual method of Goldfarb and Idnani (Mathematical Programming 27,
// 1983) for the objective ½‖y − x‖²: y is always the projection onto the active rows alone, with λ ≥ 0; the
// most violated row is brought in until none is violated.

#include <algorithm>
#include <limits>
#include <optional>

#include "domain/gram.hpp"
#include "domain/rows.hpp"

namespace tacit::inline v1::detail {
namespace {

// A row counts as violated beyond this many roundings of its own terms [heuristic: the certificate decides].
constexpr double roundings = 32;

template <class Real>
class ActiveSet {
 public:
  ActiveSet(const Rows& rows, const std::vector<Real>& x)
      : rows_(rows), x_(x), y_(x), gram_(rows), given_up_(static_cast<std::size_t>(rows.a.rows()), false) {}

  Multipliers<Real> run(const std::vector<Eigen::Index>& start) {
    begin_with(start);
    const Eigen::Index limit = 20 * (rows_.a.rows() + rows_.a.cols()) + 100;
    for (Eigen::Index step = 0; step < limit; ++step) {
      const std::optional<Eigen::Index> row = most_violated();
      if (!row) break;
      bring_in(*row);
      polish();
    }
    polish();
    return result();
  }

 private:
  bool is_equality(Eigen::Index row) const { return row < rows_.equalities; }

  // The projection onto the active rows alone, all equalities included; rows with λ < 0 are let go.
  void begin_with(const std::vector<Eigen::Index>& start) {
    for (Eigen::Index row = 0; row < rows_.equalities; ++row) gram_.append_if_independent(row);
    for (const Eigen::Index row : start)
      if (!is_equality(row)) gram_.append_if_independent(row);
    while (true) {
      y_ = x_;
      lambda_.assign(gram_.rows().size(), Real{0});
      polish();
      polish();
      const std::optional<std::size_t> worst = most_negative();
      if (!worst) return;
      drop(*worst);
    }
  }

  // Newton's correction of a_S y = b_S: λ += d, y −= a_Sᵀd with (a_S a_Sᵀ) d = a_S y − b_S.
  void polish() {
    std::vector<Real> excess;
    for (const Eigen::Index row : gram_.rows())
      excess.push_back(row_product(rows_, row, y_).value - static_cast<Real>(rows_.b[row]));
    const std::vector<Real> d = gram_.solve(excess);
    for (std::size_t i = 0; i < d.size(); ++i) {
      lambda_[i] += d[i];
      move(gram_.rows()[i], -d[i]);
    }
  }

  void move(Eigen::Index row, Real amount) {
    const double* a = rows_.a.data() + row * rows_.a.cols();
    for (std::size_t k = 0; k < y_.size(); ++k) y_[k] += amount * static_cast<Real>(a[k]);
  }

  std::optional<std::size_t> most_negative() const {
    std::optional<std::size_t> worst;
    for (std::size_t i = 0; i < lambda_.size(); ++i)
      if (!is_equality(gram_.rows()[i]) && lambda_[i] < 0 && (!worst || lambda_[i] < lambda_[*worst]))
        worst = i;
    return worst;
  }

  std::optional<Eigen::Index> most_violated() const {
    std::optional<Eigen::Index> worst;
    Real most = 0;
    for (Eigen::Index row = rows_.equalities; row < rows_.a.rows(); ++row) {
      if (given_up_[static_cast<std::size_t>(row)] || gram_.holds(row)) continue;
      const Product<Real> product = row_product(rows_, row, y_);
      const Real b = static_cast<Real>(rows_.b[row]);
      const Real excess = product.value - b;
      const Real noise = Real{roundings} * roundoff<Real>() * (product.magnitude + (b < 0 ? -b : b));
      if (excess > noise && excess > most) most = excess, worst = row;
    }
    return worst;
  }

  // Raises λ_row from 0 while the active rows stay tight: λ_S −= t·r, y −= t·z with z = a_row − a_Sᵀr. A row
  // whose λ reaches 0 first leaves the active set.
  void bring_in(Eigen::Index row) {
    Real entering = 0;
    while (true) {
      const auto split = gram_.split(row);
      const std::vector<Real> r = gram_.coefficients(split);
      const Real independent = split.rest;  // ⟨z, a_row⟩ = ‖z‖², 0 when a_row depends on the active rows
      const std::optional<std::size_t> blocking = first_to_vanish(r);
      const Real excess = row_product(rows_, row, y_).value - static_cast<Real>(rows_.b[row]);
      if (independent <= 0 && !blocking) {
        given_up_[static_cast<std::size_t>(row)] = true;  // violated by rounding only, or the rows contradict
        if (entering > 0) restart();
        return;
      }
      const bool full =
          independent > 0 && (!blocking || excess * r[*blocking] <= lambda_[*blocking] * independent);
      const Real step = full ? excess / independent : lambda_[*blocking] / r[*blocking];
      const Real t = std::max(step, Real{0});  // rounding may have left a λ just below 0
      entering += t;
      for (std::size_t i = 0; i < r.size(); ++i) lambda_[i] -= t * r[i];
      if (independent > 0) {
        move(row, -t);
        for (std::size_t i = 0; i < r.size(); ++i) move(gram_.rows()[i], t * r[i]);
      }
      if (full) {
        gram_.append(row, split);
        lambda_.push_back(entering);
        return;
      }
      drop(*blocking);
    }
  }

  // The row that was given up left its mark on y: start again from the rows still active.
  void restart() {
    const std::vector<Eigen::Index> active = gram_.rows();
    gram_.clear();
    begin_with(active);
  }

  std::optional<std::size_t> first_to_vanish(const std::vector<Real>& r) const {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < r.size(); ++i) {
      if (is_equality(gram_.rows()[i]) || r[i] <= 0) continue;
      if (!first || lambda_[i] * r[*first] < lambda_[*first] * r[i]) first = i;
    }
    return first;
  }

  void drop(std::size_t position) {
    gram_.remove(position);
    lambda_.erase(lambda_.begin() + static_cast<std::ptrdiff_t>(position));
  }

  Multipliers<Real> result() const {
    Multipliers<Real> result{y_, std::vector<Real>(static_cast<std::size_t>(rows_.a.rows()), Real{0}),
                             gram_.rows()};
    for (std::size_t i = 0; i < lambda_.size(); ++i) {
      const Eigen::Index row = gram_.rows()[i];
      if (is_equality(row) || lambda_[i] > 0) result.lambda[static_cast<std::size_t>(row)] = lambda_[i];
    }
    return result;
  }

  const Rows& rows_;
  const std::vector<Real> x_;
  std::vector<Real> y_;
  Gram<Real> gram_;
  std::vector<Real> lambda_;  // of the active rows, in gram_'s order
  std::vector<bool> given_up_;
};

}  // namespace

template <class Real>
Multipliers<Real> project_by_active_set(const Rows& rows, const std::vector<Real>& x,
                                        const std::vector<Eigen::Index>& start) {
  return ActiveSet<Real>(rows, x).run(start);
}
template Multipliers<double> project_by_active_set(const Rows&, const std::vector<double>&,
                                                   const std::vector<Eigen::Index>&);
template Multipliers<Quad> project_by_active_set(const Rows&, const std::vector<Quad>&,
                                                 const std::vector<Eigen::Index>&);

Multipliers<Quad> project_onto_rows(const Rows& rows, const QuadVector& x) {
  const Vector rounded = to_double(x);
  const std::vector<double> near(rounded.data(), rounded.data() + rounded.size());
  return project_by_active_set<Quad>(rows, x, project_by_active_set<double>(rows, near, {}).active);
}

}  // namespace tacit::inline v1::detail

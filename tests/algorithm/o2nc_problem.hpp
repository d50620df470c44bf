#pragma once

#include <cmath>
#include <random>
#include <span>

#include "algorithm/nonconvex/o2nc.hpp"

// What the tests of o2nc's parts share: one regression problem and options with one budget.
namespace tacit::testing {

// f_i(w) = |⟨a_i, w⟩ − b_i|, by value and by gradient.
struct AbsoluteLoss {
  Matrix rows;
  Vector labels;

  std::size_t records() const { return static_cast<std::size_t>(rows.rows()); }
  std::size_t parameters() const { return static_cast<std::size_t>(rows.cols()); }
  double margin(const Vector& w, std::size_t i) const {
    return rows.row(static_cast<Eigen::Index>(i)).dot(w) - labels[static_cast<Eigen::Index>(i)];
  }
  double value(const Vector& w, std::size_t i) const { return std::fabs(margin(w, i)); }
  void gradient(const Vector& w, std::size_t i, std::span<double> g) const {
    const double side = margin(w, i) > 0 ? 1 : -1;
    for (std::size_t k = 0; k < g.size(); ++k)
      g[k] = side * rows(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
  }
};

inline AbsoluteLoss regression(Eigen::Index records, Eigen::Index d, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  AbsoluteLoss loss{Matrix::NullaryExpr(records, d, [&] { return normal(random); }), {}};
  loss.rows.rowwise().normalize();
  loss.labels = loss.rows * Vector::Constant(d, 0.5);
  return loss;
}

inline nonconvex::Options single(double mu) {
  nonconvex::Options options;
  options.target = Gaussian{mu};
  return options;
}

}  // namespace tacit::testing

#include "experiments/support/lasry_lions.hpp"

#include <cmath>

#include "tacit/core.hpp"

namespace tacit::inline v1::nonconvex {

namespace {

void validate(const SearchOptions& search) {
  if (search.points < 3 || search.points > 101 || search.zooms < 0 || search.zooms > 40)
    throw_error<UsageError>("a search has {} points and {} zooms, expected 3 to 101 and 0 to 40",
                            search.points, search.zooms);
}

// The least value over the grid of `points` to an axis, of half-width `reach` around `center`.
void search_grid(const Function& h, const Vector& center, double reach, int points, MoreauPoint& best) {
  const auto cells = static_cast<long>(std::pow(points, center.size()));
  for (long cell = 0; cell < cells; ++cell) {
    Vector y = center;
    long rest = cell;
    for (double& v : y) {
      v += reach * (2.0 * static_cast<double>(rest % points) / (points - 1) - 1);
      rest /= points;
    }
    if (const double value = h(y); value < best.value) best = {value, std::move(y)};
  }
}

// Each zoom reaches as far as the grid before is wide.
MoreauPoint least_value(const Function& h, const Vector& center, double reach, const SearchOptions& search) {
  constexpr int zoomed_points = 5;
  MoreauPoint best{h(center), center};
  search_grid(h, center, reach, search.points, best);
  reach *= 2.0 / (search.points - 1);
  for (int zoom = 0; zoom < search.zooms; ++zoom, reach *= 2.0 / (zoomed_points - 1))
    search_grid(h, Vector(best.point), reach, zoomed_points, best);
  return best;
}

}  // namespace

MoreauPoint moreau_envelope(const Function& h, const Vector& x, double lambda, double lipschitz,
                            const SearchOptions& search) {
  validate(search);
  if (!(lambda > 0 && lipschitz > 0))
    throw_error<UsageError>("a Moreau envelope needs lambda and L > 0, not {} and {}", lambda, lipschitz);
  const Function objective = [&](const Vector& y) { return h(y) + (y - x).squaredNorm() / (2 * lambda); };
  // h(y) + ‖y−x‖²/2λ ≤ h(x) and h(x) − h(y) ≤ L‖y−x‖ give ‖y−x‖ ≤ 2λL.
  return least_value(objective, x, 2 * lambda * lipschitz, search);
}

SmoothedPoint lasry_lions(const Function& h, const Vector& x, double lambda, double lipschitz,
                          const SearchOptions& search) {
  // −M_λ(−g), g = M_{2λ}h.
  const Function negated = [&](const Vector& z) {
    return -moreau_envelope(h, z, 2 * lambda, lipschitz, search).value;
  };
  const MoreauPoint outer = moreau_envelope(negated, x, lambda, lipschitz, search);
  const MoreauPoint inner = moreau_envelope(h, outer.point, 2 * lambda, lipschitz, search);
  return {-outer.value, (outer.point - x) / lambda, outer.point, inner.point};
}

}  // namespace tacit::inline v1::nonconvex

#include "tacit/loss.hpp"

#include <algorithm>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

constexpr std::size_t usual_pieces = 4, most_pieces = 1024;

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

}  // namespace

std::string_view name(RobustKind kind) {
  return kind == RobustKind::phase_retrieval ? "phase-retrieval" : "max-affine";
}

std::optional<RobustFit> parse_robust(std::string_view text) {
  if (text == name(RobustKind::phase_retrieval)) return RobustFit{};
  if (text == name(RobustKind::max_affine)) return RobustFit{RobustKind::max_affine, usual_pieces};
  return std::nullopt;
}

void validate(const RobustFit& loss) {
  if (loss.kind == RobustKind::phase_retrieval && loss.pieces != 1)
    throw_error<UsageError>("phase-retrieval has 1 piece, not {}", loss.pieces);
  if (loss.pieces < 1 || loss.pieces > most_pieces)
    throw_error<UsageError>("max-affine has {} pieces, expected 1 to {}", loss.pieces, most_pieces);
}

double prediction(const RobustFit& loss, std::span<const double> z) {
  return loss.kind == RobustKind::phase_retrieval ? z[0] * z[0] : *std::ranges::max_element(z);
}

void residual(const RobustFit& loss, std::span<double> z, double label) {
  const double side = sign(prediction(loss, z) - label);
  if (loss.kind == RobustKind::phase_retrieval) {
    z[0] *= 2 * side;
    return;
  }
  const auto active = std::ranges::max_element(z) - z.begin();
  std::ranges::fill(z, 0.0);
  z[static_cast<std::size_t>(active)] = side;
}

}  // namespace tacit::inline v1

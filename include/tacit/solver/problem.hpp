#pragma once

#include <cstddef>
#include <span>
#include <variant>

#include "tacit/core/api.hpp"
#include "tacit/core/linalg.hpp"
#include "tacit/data/blocks.hpp"
#include "tacit/data/dataset.hpp"
#include "tacit/domain/domain.hpp"
#include "tacit/loss/link.hpp"
#include "tacit/loss/network.hpp"
#include "tacit/loss/robust.hpp"

namespace tacit::inline v1 {

// Joint softmax over K classes: −log p_y, p = softmax(z), z = V·(Uᵀa), where the columns of V are an
// orthonormal basis of the vectors that sum to zero. U has K−1 columns: shifting all logits changes nothing,
// so the direction that would only collect noise is left out.
struct Softmax {
  std::size_t classes = 2;  // ≥ 2
};

// A network is not linear in w and a robust fit not convex; methods that need either say so in `unsuitable`.
using LinearLoss = std::variant<Link, Softmax, Network, RobustFit>;

// Data and a loss over a domain. Immutable, no randomness. The parameters are w ∈ ℝᵖ, p = outputs·(columns+1
// with an intercept): output by output, the intercept last. A network has W₁ that way, hidden unit by hidden
// unit, then W₂, output by output with its constant last.
struct Problem {
  const Dataset* data =
      nullptr;  // labels: ±1 for classification links, class numbers for softmax, else numbers
  LinearLoss loss;
  double intercept = 1;  // value of the constant feature, counted in every row's norm; 0: none
  Domain domain = WholeSpace{};
  // How an encoder made the rows, the intercept's block the last; empty: nothing is known of them. Noise is
  // made for it (docs/shaped_noise.md); no guarantee rests on rows that obey it.
  FeatureBlocks blocks = {};
};

// What is public about a problem: everything a method may plan with.
struct Shape {
  std::size_t records = 0;
  std::size_t features = 0;  // per output, intercept included
  std::size_t outputs = 1;   // K−1 for softmax, an output for each piece of max-affine
  LinearLoss loss;
  double intercept = 1;
  std::size_t hidden = 0;  // units of a network's hidden layer; 0: a linear model
  FeatureBlocks blocks = {};

  std::size_t parameters() const {
    return hidden == 0 ? features * outputs : hidden * features + outputs * (hidden + 1);
  }
};

TACIT_API Shape shape_of(const Problem& problem);

// z[k] = ⟨a, w of output k⟩ for one record, in the solver's own fixed order; z has one entry per output.
TACIT_API void scores(const Problem& problem, std::size_t record, const Vector& w, std::span<double> z);

// Throws DataError or UsageError when the labels do not fit the loss.
TACIT_API void validate(const Problem& problem);

}  // namespace tacit::inline v1

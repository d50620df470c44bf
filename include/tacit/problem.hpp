#pragma once

// Layer: solver.
//
// Data and a loss over a domain, and what is public of them.
//
//     tacit::Problem problem{.data = &records, .loss = tacit::parse_link("logistic")};

#include <cstddef>
#include <functional>
#include <span>
#include <variant>

#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/domain.hpp"
#include "tacit/loss.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1 {

// Joint softmax over K classes: −log p_y, p = softmax(z), z = V·(Uᵀa), where the columns of V are an
// orthonormal basis of the vectors that sum to zero. U has K−1 columns: shifting all logits changes nothing,
// so the direction that would only collect noise is left out.
struct Softmax {
  std::size_t classes = 2;  // ≥ 2
};

// A network is not linear in w and a robust fit not convex; methods that need either say so in `unsuitable`.
using LossSpec = std::variant<Link, Softmax, Network, RobustFit>;

// Data and a loss over a domain. Immutable, no randomness. The parameters are w ∈ ℝᵖ, p = outputs·(columns+1
// with an intercept): output by output, the intercept last. A network has W₁ that way, hidden unit by hidden
// unit, then W₂, output by output with its constant last.
struct Problem {
  const Dataset* data =
      nullptr;  // labels: ±1 for classification links, class numbers for softmax, else numbers
  LossSpec loss = {};
  double intercept = 1;  // value of the constant feature, counted in every row's norm; 0: none
  Domain domain = WholeSpace{};
  // How an encoder made the rows, the intercept's block the last; empty: nothing is known of them. Noise is
  // made for it (docs/shaped_noise.md); no guarantee rests on rows that obey it.
  FeatureBlocks blocks = {};
};

// What is public about a problem: everything a method may plan with.
struct Shape {
  // Of shape_of(): as many as there are, which is public under replace_one alone. Under zero_out and
  // add_remove take public_shape() (tacit/method.hpp).
  std::size_t records = 0;
  std::size_t features = 0;  // per output, intercept included
  std::size_t outputs = 1;   // K−1 for softmax, an output for each piece of max-affine
  LossSpec loss = {};
  double intercept = 1;
  std::size_t hidden = 0;  // units of a network's hidden layer; 0: a linear model
  FeatureBlocks blocks = {};
  std::size_t shards = 1;  // parts whose sums are added: how sums are rounded depends on their number

  std::size_t parameters() const {
    return hidden == 0 ? features * outputs : hidden * features + outputs * (hidden + 1);
  }
};

TACIT_API Shape shape_of(const Problem& problem);

// A shape as a certificate states it, and back; the blocks are stated apart. VerificationError for a shape
// that no problem has.
TACIT_API Facts shape_facts(const Shape& shape);
TACIT_API Shape shape_from(const Facts& assumed_public);

// z[k] = ⟨a, w of output k⟩ for one record, in the solver's own fixed order; z has one entry per output.
TACIT_API void scores(const Problem& problem, std::size_t record, const Vector& w, std::span<double> z);

// Throws DataError or UsageError when the labels do not fit the loss.
TACIT_API void validate(const Problem& problem);

// Whether the labels of this loss are classes.
TACIT_API bool classifies(const LossSpec& loss);

// One record's loss at one point, by value, by gradient or both: what methods for losses without structure
// ask for. Both are bitwise functions of the record and w, and may be called from several threads at once.
struct RecordLoss {
  std::size_t records = 0, parameters = 0;
  std::function<double(const Vector& w, std::size_t record)> value = {};                          // or empty
  std::function<void(const Vector& w, std::size_t record, std::span<double> out)> gradient = {};  // or empty
};

// Of any problem: linear models, networks, robust fits. At a kink the gradient is a Clarke subgradient. The
// problem must outlive it.
TACIT_API RecordLoss record_loss(const Problem& problem);

// Of a custom loss, which must outlive it.
template <class L>
requires(Loss<L> || ValueLoss<L>) RecordLoss record_loss(const L& loss) {
  RecordLoss result{loss.records(), loss.parameters(), {}, {}};
  if constexpr (ValueLoss<L>)
    result.value = [&loss](const Vector& w, std::size_t record) { return double(loss.value(w, record)); };
  if constexpr (Loss<L>)
    result.gradient = [&loss](const Vector& w, std::size_t record, std::span<double> out) {
      loss.gradient(w, record, out);
    };
  return result;
}

}  // namespace tacit::inline v1

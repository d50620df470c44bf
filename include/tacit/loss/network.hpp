#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "tacit/core/api.hpp"

namespace tacit::inline v1 {

enum class Activation { tanh, relu };

// A two-layer network: z = W₂·(act(W₁a), 1), where the row a has its intercept. Classes: cross-entropy of
// softmax(V z), z in K−1 coordinates as for `Softmax`; no classes: a regression, ½(z − y)² or |z − y|.
struct Network {
  std::size_t hidden = 64;  // ≥ 1
  Activation activation = Activation::tanh;
  std::size_t classes = 0;  // 0, or ≥ 2
  bool absolute = false;    // |z − y|; without classes only

  std::size_t outputs() const { return classes == 0 ? 1 : classes - 1; }
};

// "tanh-network", "relu-network", and "tanh-absolute", "relu-absolute" for the absolute loss.
TACIT_API std::string_view name(const Network& network);
// A network of that name, with the usual number of hidden units and no classes; nothing for any other text.
TACIT_API std::optional<Network> parse_network(std::string_view name);

// act(a) for a whole layer, and act'(a) from act(a) alone: 1 − h² and [h > 0].
TACIT_API void activate(Activation activation, double* values, std::size_t count);
TACIT_API double slope_from_value(Activation activation, double h);

}  // namespace tacit::inline v1

#include "tacit/loss.hpp"

#include <cmath>

namespace tacit::inline v1 {

std::string_view name(const Network& network) {
  const bool tanh = network.activation == Activation::tanh;
  if (network.absolute) return tanh ? "tanh-absolute" : "relu-absolute";
  return tanh ? "tanh-network" : "relu-network";
}

std::optional<Network> parse_network(std::string_view text) {
  for (const Activation activation : {Activation::tanh, Activation::relu})
    for (const bool absolute : {false, true})
      if (const Network network{.activation = activation, .absolute = absolute}; text == name(network))
        return network;
  return std::nullopt;
}

void activate(Activation activation, double* values, std::size_t count) {
  if (activation == Activation::tanh)
    for (std::size_t k = 0; k < count; ++k) values[k] = std::tanh(values[k]);
  else
    for (std::size_t k = 0; k < count; ++k) values[k] = values[k] > 0 ? values[k] : 0.0;
}

double slope_from_value(Activation activation, double h) {
  return activation == Activation::tanh ? 1 - h * h : h > 0 ? 1.0 : 0.0;
}

}  // namespace tacit::inline v1

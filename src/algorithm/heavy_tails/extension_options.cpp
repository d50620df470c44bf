// The options of the methods that may extend the loss.

#include "algorithm/heavy_tails/options.hpp"

namespace tacit::inline v1::heavy_tails {

namespace {

// `stated`: a certificate names the oracle even where it is the usual one.
OptionTable<ExtensionOptions> extension_lines(bool stated) {
  using enum ExtensionOracle;
  const auto extended = [](const ExtensionOptions& o) { return o.oracle != limited; };
  const auto counted = [](const ExtensionOptions& o) {
    return o.oracle == structured || o.oracle == subgradient;
  };
  return {choice(&ExtensionOptions::oracle, "oracle", {limited, extension, structured, subgradient},
                 "how minimisers are found")
              .certified_if([=](const ExtensionOptions& o) { return stated || extended(o); }),
          field(&ExtensionOptions::gradient_bound, "gradient-bound", size_range,
                "steeper records are limited to this before they are extended")
              .otherwise("slope-limit times the root of 10 d/epsilon")
              .certified_if(extended),
          field(&ExtensionOptions::iteration_limit, "iteration-limit", between(1, 1e15),
                "most iterations that each release may need, with structured and subgradient")
              .certified_if(counted)};
}

const OptionTable<ExtensionOptions>& extension_table() {
  static const OptionTable<ExtensionOptions> table = extension_lines(true);
  return table;
}

}  // namespace

std::string_view name(ExtensionOracle oracle) {
  switch (oracle) {
    case ExtensionOracle::limited:
      return "limited";
    case ExtensionOracle::extension:
      return "extension";
    case ExtensionOracle::structured:
      return "structured";
    case ExtensionOracle::subgradient:
      break;
  }
  return "subgradient";
}

const OptionTable<Options>& extended_table() {
  static const OptionTable<Options> table = {limits_table().lines(),
                                             within(&Options::extension, extension_table())};
  return table;
}

const OptionTable<Options>& localized_table() {
  static const OptionTable<ExtensionOptions> extension = extension_lines(false);
  static const OptionTable<Options> table = {limits_table().lines(), places_table().lines(),
                                             within(&Options::extension, extension), domain_table().lines()};
  return table;
}

}  // namespace tacit::inline v1::heavy_tails

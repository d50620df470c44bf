#include "tacit/algorithm/method.hpp"

#include <algorithm>

#include "rows.hpp"
#include "tacit/core/error.hpp"

namespace tacit::inline v1 {

bool offers(const Method& method, std::string_view notion) {
  return std::ranges::find(method.notions, notion) != method.notions.end();
}

bool protects(const Method& method, std::string_view notion, Neighbours neighbours) {
  if (std::ranges::find(method.neighbours, neighbours) == method.neighbours.end()) return false;
  return neighbours == Neighbours::replace_one ||
         std::ranges::find(method.replaced_only, notion) == method.replaced_only.end();
}

Facts with_relation(Facts options, const Meter& meter) {
  options.set("neighbours", std::string(name(meter.budget().neighbours)));
  return options;
}

std::string needs_linear_model(const Shape& shape) {
  if (std::holds_alternative<RobustFit>(shape.loss))
    return "its loss must be convex; dp-sgd and the o2nc methods take any";
  return shape.hidden == 0 ? "" : "it takes linear models only; dp-sgd takes networks";
}

std::span<const Method> methods() {
  static const std::vector<Method> table = {limited_objective_method(),
                                            limited_output_method(),
                                            double_output_method(),
                                            localized_method(),
                                            net_exponential_method(),
                                            localized_exponential_method(),
                                            tuned_method(),
                                            dp_sgd_method(),
                                            o2nc_single_method(),
                                            o2nc_multi_method(),
                                            o2nc_sampled_method(),
                                            o2nc_first_method(),
                                            dp_gd_method(),
                                            posterior_exact_method(),
                                            asap_mala_method(),
                                            user_sgd_method(),
                                            user_phased_method(),
                                            user_erm_method(),
                                            user_group_method(),
                                            plain_method()};
  return table;
}

const Method& find_method(std::string_view name) {
  std::string names;
  for (const Method& method : methods()) {
    if (method.name == name) return method;
    names += (names.empty() ? "" : ", ") + method.name;
  }
  throw_error<UsageError>("unknown method \"{}\", expected one of {}", name, names);
}

}  // namespace tacit::inline v1

#pragma once

#include "tacit/method.hpp"

// The rows of the table of methods, each defined beside its algorithm.

namespace tacit::inline v1 {

// `unsuitable` of the methods that take no network.
std::string needs_linear_model(const Shape& shape);

// The options of a method that offers more than one relation: with the one that the budget is for.
Facts with_relation(Facts options, const Meter& meter);

Method limited_objective_method();
Method limited_output_method();
Method double_output_method();
Method localized_method();
Method net_exponential_method();
Method localized_exponential_method();
Method posterior_exact_method();
Method asap_mala_method();
Method tuned_method();
Method dp_sgd_method();
Method o2nc_single_method();
Method o2nc_multi_method();
Method o2nc_sampled_method();
Method o2nc_first_method();
Method user_sgd_method();
Method user_phased_method();
Method user_erm_method();
Method user_group_method();
Method dp_gd_method();
Method plain_method();

}  // namespace tacit::inline v1

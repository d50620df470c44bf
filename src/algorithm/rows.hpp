#pragma once

#include "tacit/method.hpp"

// The rows of the table of methods, each defined beside its algorithm.

namespace tacit::inline v1 {

// The answer of a row that is the same for all options.
inline bool with_any_options(const Facts&) { return true; }

// `unsuitable` of the methods that take no network.
std::string needs_linear_model(const Shape& shape);

// The options of a method that offers more than one relation: with the one that the budget is for.
Facts with_relation(Facts options, const Meter& meter);

// The number of records that is public: as many as there are, unless one is stated; those that are missing
// are null. UsageError when it contradicts the data.
std::size_t public_records(std::size_t records, Neighbours neighbours,
                           const std::optional<std::int64_t>& stated);

// Of the facts that a certificate states, for the methods that came to offer more than one relation: the
// relation, which format 1 leaves out as there was one; what the run was asked for, under add_remove the
// number of records, too; and of the options that are rebuilt those that its format had.
Neighbours relation_of(const Facts& options);
Facts asked_of(Facts options, const Facts& assumed_public);
Facts as_stated(const Facts& rebuilt, const Facts& stated);

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

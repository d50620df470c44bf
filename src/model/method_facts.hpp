#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacit/algorithm/method.hpp"

namespace tacit::inline v1 {

// Whether certificates of this method may state the fact among their options, or among what is assumed public
// beyond the shape of the problem.
bool is_option_of(const Method& method, std::string_view fact);
bool is_public_of(const Method& method, std::string_view fact);

// What a run with these certified facts assumed.
std::vector<std::string> assumptions_of(const Method& method, const Facts& options,
                                        const Facts& assumed_public);

}  // namespace tacit::inline v1

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

// Which texts are frequent, where nobody says which there are.

namespace tacit::inline v1::noise {

// By text, ascending; each at most once. Whole numbers of units, all > 0.
using TextCounts = std::vector<std::pair<std::string, double>>;

// Every text that occurs gets Gaussian noise on its count, and leaves with it if that comes to the threshold.
//
// One unit is in the count of one text at most. Let it be there, and gone in the neighbour. Where others have
// its text too, both datasets put noise on the same texts, and one count differs by 1: a Gaussian mechanism
// of mu = 1/sigma. Where nobody else has it, the text has count 1 in the one and is not looked at in the
// other; all else has the same law, so the two differ by no more than the probability that the text leaves,
// P(round(1 + N(0, sigma²)) ≥ threshold) ≤ failure. For a unit that is replaced both happen at once, for two
// texts: mu = √2/sigma, and 2·failure [docs/private_schema.md]. The failures are charged apart, by
// `plan_failure`.
TACIT_API double frequent_threshold(const Step& step, double failure);

// `sensitivity`: 1 in l2, √2 for replace_one. How many texts there are is not public: the step's dimension is
// 0. Texts that leave, with their noisy counts.
TACIT_API Step plan_frequent(const Sensitivity& sensitivity, double sigma, double range);
TACIT_API Released<TextCounts> frequent(const Sensitive<TextCounts>& counts, double sigma, double range,
                                        double failure, Meter& meter);

// A failure of this probability, for all that rests on it.
TACIT_API Step plan_failure(double delta, std::string reason);
TACIT_API void charge_failure(const Step& step, Meter& meter);

}  // namespace tacit::inline v1::noise

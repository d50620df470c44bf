#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "tacit/core/api.hpp"
#include "tacit/data/schema.hpp"

namespace tacit::inline v1 {

// What becomes of numbers whose knots the schema leaves to the tool.
enum class EncoderRule {
  linear_v1,  // u in [0, 1]: what models of format 1 see
  linear,     // u − ½
  hats,       // the usual number of hats, whatever the size of the data
  automatic,  // as many hats as the data can bear
};

// "linear-v1", "linear", "hats", "auto". UsageError otherwise.
TACIT_API EncoderRule parse_encoder_rule(std::string_view text);
TACIT_API std::string_view name(EncoderRule rule);

// What the rule may look at: public values alone.
struct KnotFacts {
  std::optional<std::size_t> records;  // absent where their number is not public
  std::optional<double> epsilon;       // of a pure or approximate guarantee, or mu; absent: no privacy
};

// Hats for a number: fewer, and in the end a straight line (1), where n·ε/d is small; d columns.
TACIT_API std::size_t automatic_knots(const KnotFacts& facts, std::size_t columns);

// The schema with knots for every number and date, as the rule has them; knots that the schema states stand.
// Whole numbers with no more values than knots get a hat for each, or a line if they are two. With
// linear_v1, the schema as it is.
TACIT_API Schema with_knots(Schema schema, EncoderRule rule, const KnotFacts& facts);

}  // namespace tacit::inline v1

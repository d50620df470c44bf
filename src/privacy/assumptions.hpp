#pragma once

// What was taken from the data and is assumed public, or assumed of it. A certificate has a fact for each
// such thing, and a sentence that follows from it: whoever writes a certificate says both here, and `verify`
// rebuilds the sentences from the facts.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1 {

enum class ReadOff {
  classes,       // the names of the classes
  columns,       // how many features there are
  schema,        // the schema was drafted from the data
  found_schema,  // the schema was found privately, at a cost of its own
  // What the certificate of such a schema takes for granted, and so what it costs together with a release.
  schemas_columns,
  schemas_names,
  schemas_query,
  schemas_group,
  target_kind,  // that the target has numbers
  header,       // whether the first line names the columns
  separator,    // what is between the cells
  names,        // what the columns are called
  query,        // that each row of a query is one record's; the query itself is in no certificate
  group,        // that the records are those of one group, and which they are
  some,         // that there are records, where their number is stated or private
};

// Writes the fact and its sentence.
TACIT_API void assume_public(ReadOff what, Certificate& certificate);
// The name of its fact.
TACIT_API std::string_view key_of(ReadOff what);
// "classes", "columns": as readers name what they took from the data.
TACIT_API ReadOff read_off_named(std::string_view name);

// The fact that says how many units there are, where that is public: "records" or "users".
TACIT_API std::string count_fact(Unit unit);

// A caller knows more that the guarantee does not cover: sentences of its own. UsageError unless each is one
// line that people can read, and none is there twice.
TACIT_API void check_callers_assumptions(const std::vector<std::string>& sentences);
// Writes those that the certificate does not state already, and how many they are.
TACIT_API void add_callers_assumptions(const std::vector<std::string>& sentences, Certificate& certificate);

// How many such sentences the facts speak of; none: they say nothing about it, as older files do.
TACIT_API std::optional<std::size_t> callers_assumptions(const Facts& assumed_public);

// The sentences that these facts lead to.
TACIT_API std::vector<std::string> assumptions_of(const Facts& assumed_public);
// Whether the fact is one of these, with the value that it always has.
TACIT_API bool is_assumption(std::string_view key, const FactValue& value);
// Whether no fact is needed for the sentence: it is a caller's, as older files have them, or format 1 had no
// fact for it.
TACIT_API bool stands_by_itself(std::string_view sentence);
TACIT_API bool stood_by_itself_in_format_1(std::string_view sentence);

}  // namespace tacit::inline v1

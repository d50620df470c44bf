#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/json.hpp"
#include "tacit/meter.hpp"

// What it cost to find the schema of a model privately: it comes on top of the model's own guarantee, so it
// is told wherever that one is [docs/certificate.md, "A schema that was found privately"].

namespace tacit::inline v1 {

// By the certificate of the schema.
struct SchemaCost {
  Guarantee guarantee;
  Unit unit = Unit::item;
  Neighbours neighbours = Neighbours::zero_out;
  bool edited = false;  // since it was released
  // What it takes for granted, by the names that its certificate has for them. What both cost together rests
  // on it, too.
  Facts assumed = {};
};

// Writes the facts, the words, in which numbers are rounded up, and the assumption, for the guarantee that
// the certificate has by now.
TACIT_API void state_schema_cost(const SchemaCost& schema, Certificate& certificate);

// What the schema's certificate takes for granted, to be stated with what uses it. DataError for a fact that
// has no sentence there: it would be lost.
TACIT_API Facts schema_assumptions(const Certificate& schema);

// As the certificate states it; none where there was nothing to state, or only in words, as older files do.
TACIT_API std::optional<SchemaCost> stated_schema_cost(const Certificate& certificate);

// Of the schema and the model, for the model's unit and relation; none where their guarantees do not add up.
TACIT_API std::optional<Guarantee> with_schema(const SchemaCost& schema, const Certificate& model);
// The same when one unit is replaced by any other; none where that is the relation.
TACIT_API std::optional<Guarantee> replaced_with_schema(const SchemaCost& schema, const Certificate& model);

// All of it for machines; null where the schema cost nothing.
Json schema_cost_json(const Certificate& certificate);

// Whether the fact is one of those that state_schema_cost writes.
bool is_schema_cost(std::string_view fact);

// Throws VerificationError unless the words and the other facts say the same.
void check_schema_cost(const Certificate& certificate);

}  // namespace tacit::inline v1

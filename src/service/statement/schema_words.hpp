#pragma once

#include <string>
#include <vector>

#include "algorithm/statistics/private_schema.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::service {

// A schema that was found, for a person: the promise and what it rests on, what each column became, and what
// to look at.
// schema_notes: the last part of it, a line each, without their ends.
std::vector<std::string> schema_notes(const statistics::FoundSchema& found);
std::string schema_words(const statistics::FoundSchema& found, const Certificate& certificate);

}  // namespace tacit::inline v1::service

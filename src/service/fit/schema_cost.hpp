#pragma once

#include <string>

#include "tacit/fit.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::service {

// What the schema cost, and what it and the fit cost together where both protect the same: for people.
std::string schema_cost(const SchemaRelease& schema, const Budget& fit);

}  // namespace tacit::inline v1::service

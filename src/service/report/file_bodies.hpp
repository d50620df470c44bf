#pragma once

#include <string>

#include "model/json.hpp"
#include "tacit/model.hpp"

// What a project's page shows of one file, by its kind. Descriptions have their own (describe_page.hpp).

namespace tacit::inline v1::service {

std::string evaluation_body(const Json& json);
std::string schema_body(const Json& json);
std::string model_body(const FittedModel& model);

}  // namespace tacit::inline v1::service

#pragma once

#include "model/json.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1 {

// The certificate as the model file holds it, and back. Reading throws DataError that names what is wrong.
TACIT_API Json to_json(const Certificate& certificate);
Certificate certificate_from_json(const Json& json);

Json to_json(const Facts& facts);

Json to_json(const Guarantee& guarantee);
Guarantee guarantee_from_json(const Json& json);

Json to_json(const Event& event);
Event event_from_json(const Json& json);

Json to_json(const Step& step);
Step step_from_json(const Json& json);

// Whether the certificate says that the release is private: a promise was made, and nothing undid it.
bool is_private(const Certificate& certificate);

}  // namespace tacit::inline v1

#pragma once

#include "tacit/algorithm/method.hpp"
#include "tacit/privacy/certificate.hpp"

namespace tacit::inline v1 {

// The first name among the options or the public facts that no run of this method writes; empty when there is
// none. A page shows all of them, so an invented one must not pass.
std::string unknown_fact(const Certificate& certificate, const Method& method);

}  // namespace tacit::inline v1

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tacit/core/api.hpp"

namespace tacit::inline v1::service {

// A model's promise for people: one HTML page that loads nothing from anywhere.
struct Report {
  std::string page;
  std::string failure;  // why the promise does not hold, and then the page says so; empty when it does
  std::vector<std::string> assumptions;  // it holds only if these are true
};

// Verifies the model, with its signature when `public_key` (PEM) is not empty, and writes the page about it.
// Everything on the page is public or released. DataError for a file that is no model, or was edited or
// damaged (its digest does not hold).
TACIT_API Report report(const std::filesystem::path& model, const std::filesystem::path& public_key);

}  // namespace tacit::inline v1::service

#pragma once

#include <string>

namespace tacit::inline v1::service {

// A description's JSON for people: a table of text, and a page with histograms that loads nothing.
std::string description_words(const std::string& json);
std::string description_page(const std::string& json);
// The part of that page that is about the columns, as a part of another page.
std::string description_body(const std::string& json);

}  // namespace tacit::inline v1::service

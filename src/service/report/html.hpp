#pragma once

#include <string>
#include <string_view>
#include <vector>

// The few pieces of HTML that a report is made of. Whatever comes from a file goes through `text` or `name`.

namespace tacit::inline v1::service::html {

// Text as text, whatever it holds: no tag, no attribute, no control character comes out of it, and nothing
// but UTF-8.
std::string text(std::string_view raw);

// A name from a file: its direction of writing does not reach beyond it.
std::string name(std::string_view raw);

// A table whose first column names the rows. The cells are HTML.
struct Table {
  std::string caption;  // HTML
  std::vector<std::string> headers;
  std::vector<std::vector<std::string>> rows;
  bool stacks = false;  // on a phone the cells of a row stand below each other, each behind its header
};
// In a region that scrolls sideways by itself where the screen is narrow, by keyboard too. `label` is text.
std::string table(const Table& table, std::string_view label);

// A part of the page with its heading and an address (#id).
struct Section {
  std::string id, heading, body;  // heading is text, body is HTML
};

// The whole page: self-contained, no script, nothing loaded from anywhere. `verdict` is HTML, coloured by its
// `tone`.
enum class Tone { good, conditional, bad };
std::string page(std::string_view title, std::string_view verdict, Tone tone,
                 const std::vector<Section>& sections, std::string_view footer);

}  // namespace tacit::inline v1::service::html

#include <fmt/format.h>

#include <algorithm>

#include "service/curves/curves.hpp"
#include "service/curves/panel.hpp"
#include "service/report/report_sections.hpp"
#include "tacit/core.hpp"
#include "tacit/model.hpp"

namespace tacit::inline v1::service {

namespace {

constexpr std::size_t most_figures = 60;  // a page is for reading

// The classes with their colours.
std::string key(const Curves& curves) {
  if (curves.outputs.size() < 2) return "";
  std::string list;
  for (std::size_t k = 0; k < curves.outputs.size(); ++k)
    list += fmt::format("<li><span style=\"background:{}\"></span>{}</li>\n", output_colour(k),
                        html::name(curves.outputs[k]));
  return "<ul class=\"key\">\n" + list + "</ul>\n";
}

std::string about_absent(const Curves& curves) {
  if (std::ranges::none_of(curves.curves, shows_noise)) return "";
  return "<p>The grey behind bars and curves is how far noise alone moves a category, or a point of a curve, "
         "that no record has (root mean square). What stays within it may be nothing else.</p>\n";
}

std::string about_noise(const FittedModel& model, const Curves& curves) {
  if (curves.no_half_width.empty())
    return fmt::format(
        "<p>Bands and whiskers are the noise alone: at each point it moved the curve by no more than that "
        "with "
        "probability {:g} %.</p>\n",
        100 * curves.level);
  if (std::holds_alternative<NoPrivacy>(model.certificate.guarantee)) return "";
  return fmt::format(
      "<p>The curves contain the noise that the promise needs: small bends may be nothing else. How much of "
      "it is in each point is not known without the records: {}.</p>\n",
      html::text(curves.no_half_width));
}

std::optional<Curves> curves_if_any(const FittedModel& model) {
  try {
    Curves found = curves(model);
    return found.curves.empty() ? std::nullopt : std::optional(std::move(found));
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<html::Section> columns_section(const FittedModel& model) {
  const std::optional<Curves> found = curves_if_any(model);
  if (!found) return std::nullopt;
  const std::string adds = adds_to(model);
  std::string body = fmt::format(
      "<p>The prediction is a sum: a constant, and what each column adds to {}. These are its parts, the "
      "largest "
      "first, all on one scale (pairs have colours instead). Each averages 0 over the range or the "
      "categories "
      "that the schema states for its column.</p>\n",
      html::name(adds));
  body += about_noise(model, *found) + about_absent(*found) + key(*found) + "<div class=\"curves\">\n";
  std::size_t drawn = 0, left_out = 0;
  for (const Curve* curve : by_size(*found)) {
    if (drawn >= most_figures) {
      ++left_out;
      continue;
    }
    for (const std::string& figure : curve_figures(*found, *curve, adds)) {
      body += "<figure>\n" + figure + "</figure>\n";
      ++drawn;
    }
  }
  body += "</div>\n";
  if (left_out > 0)
    body += fmt::format("<p>{} more columns add less; <code>tacit plot</code> draws all.</p>\n", left_out);
  return html::Section{"columns", "What each column adds", body};
}

}  // namespace tacit::inline v1::service

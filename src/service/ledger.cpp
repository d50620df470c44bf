#include "tacit/fit.hpp"

#include <charconv>
#include <nlohmann/json.hpp>
#include <vector>

#include "tacit/core.hpp"

namespace tacit::inline v1::service {

namespace {

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> pieces;
  for (std::size_t end; (end = text.find(at)) != text.npos; text.remove_prefix(end + 1))
    pieces.push_back(text.substr(0, end));
  pieces.push_back(text);
  return pieces;
}

double parse_number(std::string_view text, std::string_view whole) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw_error<UsageError>("the limit \"{}\" has \"{}\" where a number is expected", whole, text);
  return value;
}

Renyi parse_curve(std::string_view text) {
  Renyi curve;
  for (const std::string_view point : split(text, ',')) {
    const auto pair = split(point, ':');
    if (pair.size() != 2)
      throw_error<UsageError>("the limit is \"{}\", expected order:epsilon,order:epsilon,... for renyi",
                              text);
    curve.orders.push_back(parse_number(pair[0], text));
    curve.epsilons.push_back(parse_number(pair[1], text));
  }
  return curve;
}

}  // namespace

std::optional<LedgerGroup> parse_group(std::string_view what, std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::size_t at = text.find('=');
  if (at == std::string_view::npos || at == 0)
    throw_error<UsageError>("{} is \"{}\", expected COLUMN=VALUE", what, text);
  return LedgerGroup{std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
}

Guarantee parse_limit(std::string_view accountant, std::string_view text) {
  require_accountant(accountant);
  if (accountant == "renyi") return parse_curve(text);
  const auto pieces = split(text, ',');
  if (pieces.size() == 2 && accountant != "pure")
    return Approx{parse_number(pieces[0], text), parse_number(pieces[1], text)};
  if (pieces.size() == 1 && accountant == "pure") return Pure{parse_number(text, text)};
  if (pieces.size() == 1 && accountant == "gaussian") return Gaussian{parse_number(text, text)};
  if (pieces.size() == 1 && accountant == "zcdp") return Zcdp{parse_number(text, text)};
  if (accountant == "pure")
    throw_error<UsageError>(
        "the limit is \"{}\", expected one number, epsilon, for the accountant pure; the accountant approx "
        "takes epsilon,delta",
        text);
  throw_error<UsageError>("the limit is \"{}\", expected epsilon,delta for the accountant {}", text,
                          accountant);
}

LedgerLimit parse_named_limit(std::string_view accountant, std::string_view text) {
  const std::size_t at = text.rfind('=');
  if (at == text.npos) throw_error<UsageError>("the limit is \"{}\", expected NAME=LIMIT", text);
  return {std::string(text.substr(0, at)), parse_limit(accountant, text.substr(at + 1))};
}

}  // namespace tacit::inline v1::service

#include "ledger/entry_json.hpp"

#include "ledger/parts.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

Json entry_json(const Guarantee& guarantee) {
  Json json{{"notion", notion(guarantee)}};
  if (const auto* curve = std::get_if<Renyi>(&guarantee)) {
    json["orders"] = curve->orders;
    json["epsilons"] = curve->epsilons;
    return json;
  }
  for (const Part& part : parts_of(guarantee)) json[part.name] = part.value;
  return json;
}

Guarantee guarantee_from(const Json& json) {
  const std::string notion = json.at("notion");
  std::vector<Part> parts;
  if (notion == "renyi") {
    const std::vector<double> orders = json.at("orders"), epsilons = json.at("epsilons");
    if (orders.size() != epsilons.size()) throw_error<DataError>("a Renyi curve has holes");
    for (std::size_t k = 0; k < orders.size(); ++k) parts.push_back({"epsilon", orders[k], epsilons[k]});
  } else {
    for (const auto& [name, value] : json.items())
      if (name != "notion") parts.push_back({name, 0, value.get<double>()});
  }
  const std::optional<Guarantee> guarantee = from_parts(notion, parts);
  if (!guarantee) throw_error<DataError>("a guarantee is missing or makes no sense");
  return *guarantee;
}

Json entry_json(const Tally& tally) {
  Json json{{"count", tally.count()}, {"sums", Json::array()}};
  for (const SumUp& sum : tally.sums()) json["sums"].push_back({sum.high, sum.low});
  if (tally.only()) json["only"] = entry_json(*tally.only());
  return json;
}

Tally tally_from(const Guarantee& limit, const Json& json) {
  std::vector<SumUp> sums;
  for (const Json& sum : json.at("sums")) sums.push_back({sum.at(0), sum.at(1)});
  std::optional<Guarantee> only;
  if (json.contains("only")) only = guarantee_from(json.at("only"));
  std::optional<Tally> tally = Tally::stored(limit, json.at("count"), std::move(sums), std::move(only));
  if (!tally) throw_error<DataError>("a sum makes no sense");
  return *tally;
}

Json entry_json(const LedgerTicket& ticket) {
  return {{"token", ticket.token}, {"key", ticket.key}, {"file", ticket.file}};
}

LedgerTicket ticket_from(const Json& json) { return {json.at("token"), json.at("key"), json.at("file")}; }

}  // namespace tacit::inline v1

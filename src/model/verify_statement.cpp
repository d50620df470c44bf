#include "model/statement.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "algorithm/statistics/columns.hpp"
#include "model/certificate_json.hpp"
#include "model/difference.hpp"
#include "model/digest.hpp"
#include "model/schema_cost.hpp"
#include "model/stated_facts.hpp"
#include "model/two_parts.hpp"
#include "model/verify_parts.hpp"
#include "model/verify_ranges.hpp"
#include "privacy/assumptions.hpp"
#include "tacit/account.hpp"

namespace tacit::inline v1 {

namespace {

ReleasedNumbers released_from(const Json& json) {
  const Json& list = member(json, "released");
  if (!list.is_array()) throw_error<DataError>("\"released\" is not a list");
  ReleasedNumbers released;
  for (const Json& answer : list) released.push_back(numbers(Json{{"released", answer}}, "released"));
  return released;
}

ReleasedTexts released_texts_from(const Json& json) {
  ReleasedTexts released;
  if (!json.contains("released_texts")) return released;
  const Json& list = json["released_texts"];
  if (!list.is_array()) throw_error<DataError>("\"released_texts\" is not a list");
  for (const Json& answer : list) released.push_back(texts(Json{{"texts", answer}}, "texts"));
  return released;
}

void require_same(const Json& recorded, const Json& rebuilt, const std::string& where) {
  if (const std::string found = difference(recorded, rebuilt, where); !found.empty())
    throw_error<VerificationError>("the file was edited: {}", found);
}

// The number of units is public and stated, unless it is what is hidden.
std::optional<std::size_t> stated_units(const Certificate& certificate) {
  const Facts& facts = certificate.assumed_public;
  const std::string key = count_fact(certificate.unit);
  if (certificate.neighbours == Neighbours::add_remove) {
    if (facts.has(key)) throw_error<VerificationError>("assumed_public.{} is stated, but it is private", key);
    return std::nullopt;
  }
  const std::int64_t units = facts.integer(key);
  if (units < 1) throw_error<VerificationError>("assumed_public.{} is {}, expected at least 1", key, units);
  return static_cast<std::size_t>(units);
}

// Nothing but the units, the ledger's id, what the schema cost and what an assumption follows from; and the
// sentences that do.
enum class TakesSchema { no, yes };
void check_facts(const Certificate& certificate, bool drafted, TakesSchema schema = TakesSchema::no) {
  const std::string units = count_fact(certificate.unit);
  const auto belongs = [&](const std::string& key, const FactValue& value) {
    if (is_schema_cost(key)) return schema == TakesSchema::yes;
    return key == units || key == "ledger_release" || key == "model_digest" || key == "group_of" ||
           is_assumption(key, value);
  };
  for (const auto& [key, value] : certificate.assumed_public.entries())
    if (!belongs(key, value))
      throw_error<VerificationError>("assumed_public.{} does not belong to a {}", key, certificate.method);
  check_group_facts(certificate.assumed_public, certificate.unit);
  if (!std::ranges::is_permutation(certificate.assumptions, assumptions_of(certificate.assumed_public)))
    throw_error<VerificationError>("the assumptions are not those that assumed_public leads to");
  if (drafted != certificate.assumed_public.has("schema_drafted_from_data"))
    throw_error<VerificationError>("the file and its certificate state different sources of the schema");
}

// The group is a category of the schema.
void require_group_in(const Schema& schema, const Certificate& certificate) {
  const auto [column, value] = group_in(certificate.assumed_public);
  if (column.empty()) return;
  for (const SchemaColumn& each : schema.columns) {
    const auto* categories = std::get_if<CategoricalColumn>(&each.kind);
    if (each.name == column && categories && std::ranges::count(categories->categories, value) > 0) return;
  }
  throw_error<VerificationError>("the group {}={} is not a category of the schema", column, value);
}

struct Rebuilt {
  Json content;
  std::vector<Step> steps;
};

// Runs `content`, a function of the answers, on those that a file has.
template <class Content>
Rebuilt answered(const ReleasedNumbers& released, const ReleasedTexts& texts, const Guarantee& target,
                 Content content) {
  const auto price = statistics::price([&](statistics::Answers& answers) { content(answers); }, target);
  statistics::RecordedAnswers answers(price, released, texts);
  Rebuilt rebuilt{.content = content(answers), .steps = {}};
  answers.require_all_used();
  rebuilt.steps = answers.steps();
  return rebuilt;
}

// The options that the certificate states: what their table says and, where a part of the budget found the
// schema, that part; nothing else.
template <class Options>
Options options_in(const Certificate& certificate, const std::optional<Guarantee>& ranges = {}) {
  Options start;
  start.unit = certificate.unit;
  const Options options = Options::table().read(certificate.options, start);
  Facts stated = Options::table().certified(options);
  if (ranges) set_part(stated, "range_", *ranges);
  require_same(to_json(certificate.options), to_json(stated), "certificate.options");
  if (options.neighbours != certificate.neighbours)
    throw_error<VerificationError>("options.neighbours is {}, but the certificate states {}",
                                   name(options.neighbours), name(certificate.neighbours));
  return options;
}

// From the answers in the file, by `content`.
template <class Content>
Rebuilt rebuild(const Json& json, const Guarantee& target, Content content) {
  return answered(released_from(json), released_texts_from(json), target, content);
}

// The names are public: those that the file has.
statistics::RawNames names_in(const Schema& schema, bool classes_stated) {
  statistics::RawNames names{.columns = {}, .target = {}, .user = schema.user, .classes = {}};
  names.decimal = schema.decimal;
  for (const SchemaColumn& column : schema.columns) names.columns.push_back(column.name);
  if (schema.target) names.target = schema.target->column;
  if (classes_stated && schema.target) names.classes = schema.target->classes;
  if (classes_stated && names.classes.empty())
    throw_error<VerificationError>("options.classes_stated is true, but there are no classes");
  return names;
}

// A schema that is found names the users' column where they are the unit.
void require_users_in(const Schema& schema, const Certificate& certificate) {
  if ((certificate.unit == Unit::user) != !schema.user.empty())
    throw_error<VerificationError>("the unit is the {}, which does not go with the schema's user column",
                                   record_or_user(certificate.unit));
}

void require_within(const std::vector<Step>& steps, const Guarantee& part) {
  if (!steps.empty() && !fits(compose(events_of(steps), part), part))
    throw_error<VerificationError>("the steps cost more than is stated for them");
}

// Both parts: the schema, from the answers that led to it, and then what was asked with it.
Rebuilt rebuild_both(const Json& json, const Certificate& certificate, const Schema& schema) {
  require_users_in(schema, certificate);
  const DescriptionSplit split{.ranges = part_of(certificate.options, "range_"),
                               .rest = target_from(certificate.options)};
  const auto options = options_in<statistics::DescribeOptions>(certificate, split.ranges);
  const statistics::RangeOptions search{
      .target = split.ranges, .unit = certificate.unit, .neighbours = certificate.neighbours};
  const std::optional<std::size_t> units = stated_units(certificate);
  statistics::RawNames names = names_in(schema, false);
  std::tie(names.group_column, names.group_value) = group_in(certificate.assumed_public);
  const Json& ranges = member(json, "ranges");
  const ReleasedNumbers released = released_from(ranges);
  const ReleasedTexts texts = released_texts_from(ranges);
  statistics::FoundSchema found;
  Rebuilt first = answered(released, texts, split.ranges, [&](statistics::Answers& answers) {
    found = statistics::find_schema(names, search, units, nullptr, answers);
    return Json();
  });
  require_same(member(json, "schema"), Json::parse(schema_to_json(found.schema)), "schema");

  const auto describe = [&](statistics::Answers& answers) {
    return description_content(found.schema, names.group_column, options, units, nullptr, answers);
  };
  Rebuilt second;
  if (statistics::asks([&](statistics::Answers& answers) { describe(answers); })) {
    second = answered(released_from(json), {}, split.rest, describe);
  } else {
    statistics::RecordedAnswers none({split.rest, 0}, released_from(json));
    second.content = describe(none);
    none.require_all_used();
  }
  add_found_schema(found, released, texts, split, second.content);
  require_within(first.steps, split.ranges);
  require_within(second.steps, split.rest);
  second.steps = with_description({.steps = std::move(first.steps)}, std::move(second.steps), {}, split,
                                  certificate.guarantee)
                     .steps;
  return second;
}

Rebuilt rebuild_description(const Json& json, const Certificate& certificate, std::string_view source) {
  const Schema schema = parse_schema(member(json, "schema").dump(), std::string(source) + ": schema");
  const bool found = certificate.options.has("range_epsilon");
  check_facts(certificate, schema.drafted_from_data, found ? TakesSchema::no : TakesSchema::yes);
  require_group_in(schema, certificate);
  if (found) return rebuild_both(json, certificate, schema);
  const auto options = options_in<statistics::DescribeOptions>(certificate);
  const std::optional<std::size_t> units = stated_units(certificate);
  return rebuild(json, options.target, [&](statistics::Answers& answers) {
    return description_content(schema, group_in(certificate.assumed_public).first, options, units, nullptr,
                               answers);
  });
}

// An evaluation says which file it is about.
void require_model_digest(const Facts& facts) {
  const std::string digest = facts.text("model_digest");
  const std::string_view begin = "sha256:";
  if (digest.size() != begin.size() + 64 || !digest.starts_with(begin) ||
      digest.find_first_not_of("0123456789abcdef", begin.size()) != std::string::npos)
    throw_error<VerificationError>("assumed_public.model_digest is not the digest of a model");
}

Rebuilt rebuild_evaluation(const Json& json, const Certificate& certificate, std::string_view) {
  require_model_digest(certificate.assumed_public);
  check_facts(certificate, certificate.assumed_public.has("schema_drafted_from_data"));
  const auto options = options_in<statistics::ScoreOptions>(certificate);
  if (!options.classifies && options.probabilities)
    throw_error<VerificationError>("options.probabilities is true, but the model predicts numbers");
  const std::optional<std::size_t> units = stated_units(certificate);
  return rebuild(json, options.target, [&](statistics::Answers& answers) {
    return evaluation_content(options, units, nullptr, answers);
  });
}

Rebuilt rebuild_schema(const Json& json, const Certificate& certificate, std::string_view source) {
  const Schema schema = parse_schema(json.dump(), source);
  check_facts(certificate, false);
  require_group_in(schema, certificate);
  const auto options = options_in<statistics::RangeOptions>(certificate);
  require_users_in(schema, certificate);
  const std::optional<std::size_t> units = stated_units(certificate);
  statistics::RawNames names = names_in(schema, options.classes_stated);
  std::tie(names.group_column, names.group_value) = group_in(certificate.assumed_public);
  return rebuild(json, options.target, [&](statistics::Answers& answers) {
    return found_schema_content(statistics::find_schema(names, options, units, nullptr, answers));
  });
}

// The unit and the relation are those that the columns were asked under: their questions' reasons say both.
void require_asked_under(const std::vector<Step>& steps, const Certificate& certificate) {
  const statistics::Terms terms{.neighbours = certificate.neighbours, .unit = certificate.unit};
  const std::string expected = statistics::reason_of_counts(terms);
  for (const Step& step : steps) {
    const std::string& reason = step.sensitivity.reason;
    if (reason.find(statistics::counts_in_words) != std::string::npos && reason != expected)
      throw_error<VerificationError>(
          "the {} and {} neighbours are not those that the columns were asked under",
          record_or_user(certificate.unit), name(certificate.neighbours));
  }
}

using Rebuild = Rebuilt (*)(const Json&, const Certificate&, std::string_view);
struct StatementKind {
  std::string_view name, method;
  Rebuild rebuild;
};
constexpr std::array formats = {StatementKind{description_format, "describe", rebuild_description},
                                StatementKind{evaluation_format, "evaluate", rebuild_evaluation},
                                StatementKind{schema_format, "schema", rebuild_schema}};

const StatementKind* format_of(const Json& json) {
  if (!json.is_object() || !json.contains("format")) return nullptr;
  for (const StatementKind& format : formats)
    if (json["format"] == format.name) return &format;
  return nullptr;
}

}  // namespace

void check_cost_of_schema(const Certificate& certificate) {
  check_source_of_privacy(certificate);
  if (certificate.method != "schema")
    throw_error<VerificationError>("the method is {}, expected schema", certificate.method);
  check_facts(certificate, false);
  options_in<statistics::RangeOptions>(certificate);
  static_cast<void>(stated_units(certificate));
  require_asked_under(certificate.steps, certificate);
  check_guarantee(certificate, certificate.steps);
}

bool is_statement(const Json& json) { return format_of(json) != nullptr; }

Certificate verify_statement(const Json& json, std::string_view source) {
  const StatementKind* format = format_of(json);
  if (format == nullptr) throw_error<DataError>("this is not a statement of tacit");
  if (count(json, "version") != statement_version)
    throw_error<DataError>("format version {} is not the {} that this tacit reads", count(json, "version"),
                           statement_version);
  check_digest(json);
  const Certificate certificate = certificate_from_json(member(json, "certificate"));
  check_source_of_privacy(certificate);
  if (certificate.method != format->method)
    throw_error<VerificationError>("the method is {}, expected {}", certificate.method, format->method);
  Rebuilt rebuilt;
  try {
    rebuilt = format->rebuild(json, certificate, source);
  } catch (const UsageError& error) {
    throw_error<VerificationError>("the statement cannot be rebuilt: {}", error.what());
  }
  check_steps(certificate.steps, rebuilt.steps, certificate.method);
  check_guarantee(certificate, rebuilt.steps);
  check_schema_cost(certificate);  // whose words follow from the guarantee
  Json held = json;
  for (const char* seal : {"digest", "signature"}) held.erase(seal);
  require_same(held,
               statement_json(format->name, rebuilt.content, released_from(json), released_texts_from(json),
                              certificate),
               "");
  return certificate;
}

}  // namespace tacit::inline v1

#include "tacit/method.hpp"

#include <algorithm>

#include "algorithm/rows.hpp"
#include "core/utf8.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

bool offers(const Method& method, Notion notion) {
  return std::ranges::find(method.notions, notion) != method.notions.end();
}

bool protects(const Method& method, Neighbours neighbours) {
  return std::ranges::find(method.neighbours, neighbours) != method.neighbours.end();
}

bool covers_null(const Method& method, const Facts& options) {
  return method.covers_null != nullptr && method.covers_null(options);
}

bool needs_few_parameters(const Method& method, const Facts& options) {
  return method.needs_few_parameters != nullptr && method.needs_few_parameters(options);
}

LabelMap label_map(const Method& method, const Facts& options) {
  return method.label_map == nullptr ? LabelMap{} : method.label_map(options);
}

Vector as_released(const Method& method, const Vector& parameters, const Facts& options,
                   const Facts& assumed_public) {
  return method.as_released == nullptr ? parameters : method.as_released(parameters, options, assumed_public);
}

bool knows_label_bound(const Method& method) {
  return std::ranges::find(method.public_facts, "label_bound") != method.public_facts.end();
}

NoiseEntry noise_entry(std::string_view method) {
  const auto it = std::ranges::find(methods(), method, &Method::name);
  return it == methods().end() ? NoiseEntry::unknown : it->noise;
}

Neighbours relation_for(const Method& method, const std::optional<Neighbours>& asked) {
  return asked.value_or(method.neighbours.front());
}

const OptionSpec* find_option(const Method& method, std::string_view name) {
  std::string flag(name);
  std::ranges::replace(flag, '_', '-');
  const auto it = std::ranges::find(method.options, flag, &OptionSpec::name);
  return it == method.options.end() ? nullptr : &*it;
}

std::string notions_in_words(const Method& method) {
  std::string text;
  for (const Notion notion : method.notions)
    text += fmt::format("{}{}", text.empty() ? "" : " or ", name(notion));
  return text;
}

Facts with_relation(Facts options, const Meter& meter) {
  options.set("neighbours", std::string(name(meter.budget().neighbours)));
  return options;
}

std::size_t public_records(std::size_t records, Neighbours neighbours,
                           const std::optional<std::int64_t>& stated) {
  if (!stated) return records;
  const auto places = static_cast<std::size_t>(*stated);
  if (places < records || (neighbours == Neighbours::replace_one && places != records))
    throw_error<UsageError>("records is {}, but the data has {}", places,
                            places < records ? "more records" : "fewer, and their number is public");
  return places;
}

Shape public_shape(const Problem& problem, Neighbours neighbours, const std::optional<std::int64_t>& stated) {
  if (neighbours == Neighbours::add_remove && !stated)
    throw_error<UsageError>(
        "add_remove keeps the number of records private: give a public one (the option records)");
  Shape shape = shape_of(problem);
  shape.records = public_records(shape.records, neighbours, stated);
  return shape;
}

Neighbours relation_of(const Facts& options) {
  return options.has("neighbours") ? parse_neighbours(options.text("neighbours")) : Neighbours::replace_one;
}

Facts asked_of(Facts options, const Facts& assumed_public) {
  if (relation_of(options) == Neighbours::add_remove)
    options.set("records", assumed_public.integer("records"));
  return options;
}

Facts as_stated(const Facts& rebuilt, const Facts& stated) {
  Facts kept;
  for (const auto& [key, value] : rebuilt.entries())
    if (key != "neighbours" || stated.has(key)) kept.set(key, value);
  return kept;
}

std::string needs_linear_model(const Shape& shape) {
  if (std::holds_alternative<RobustFit>(shape.loss))
    return "its loss must be convex; dp-sgd and the o2nc methods take any";
  return shape.hidden == 0 ? "" : "it takes linear models only; dp-sgd takes networks";
}

namespace {

std::vector<Method>& table() {
  static std::vector<Method> rows = {limited_objective_method(),
                                     limited_output_method(),
                                     double_output_method(),
                                     net_exponential_method(),  // before those that take its options
                                     localized_method(),
                                     localized_exponential_method(),
                                     tuned_method(),
                                     dp_sgd_method(),
                                     o2nc_single_method(),
                                     o2nc_multi_method(),
                                     o2nc_sampled_method(),
                                     o2nc_first_method(),
                                     dp_gd_method(),
                                     posterior_exact_method(),
                                     asap_mala_method(),
                                     user_sgd_method(),
                                     user_phased_method(),
                                     user_erm_method(),
                                     user_group_method(),
                                     plain_method()};
  return rows;
}

}  // namespace

std::span<const Method> methods() { return table(); }

namespace {

// What everyone asks of a row, without looking.
void require_whole_row(const Method& method) {
  if (method.name.empty() || !is_plain_utf8(method.name) || method.name.find(' ') != std::string::npos)
    throw_error<UsageError>("a method is called \"{}\", expected one word without control characters",
                            visible(method.name));
  const auto require = [&](bool there, std::string_view what) {
    if (!there) throw_error<UsageError>("the method {} has no {}", method.name, what);
  };
  const bool promises = method.notions != std::vector{Notion::none};
  require(!method.notions.empty(), "notion of a guarantee");
  require(!method.neighbours.empty(), "relation of neighbours");
  require(method.fit != nullptr, "function fit");
  require(method.unsuitable != nullptr,
          "function unsuitable, which says of a shape why it cannot be fitted, or nothing");
  require(!promises || method.rebuild_steps != nullptr,
          "function rebuild_steps, without which no model of it can be verified");
  require(!promises || method.rebuild_options != nullptr,
          "function rebuild_options, without which no model of it can be verified");
}

}  // namespace

void check_method(const Method& method) {
  require_whole_row(method);
  const bool users = method.unit == Unit::user;
  const std::string_view count = users ? "user-count" : "records";
  for (const Neighbours relation : {Neighbours::zero_out, Neighbours::add_remove})
    if (protects(method, relation) && find_option(method, count) == nullptr)
      throw_error<UsageError>(
          "the method {} offers {}, where neighbours differ in how many {}s the data has, but its table has "
          "no "
          "option {}: add public_count(&Options::{}{}) and plan with that number",
          method.name, name(relation), record_or_user(method.unit), count, users ? "users" : "records",
          users ? ", Unit::user" : "");
}

bool add_method(Method method) {
  check_method(method);
  for (const Method& known : table())
    if (known.name == method.name) throw_error<UsageError>("there is a method {} already", method.name);
  table().push_back(std::move(method));
  return true;
}

const Method& find_method(std::string_view name) {
  std::string names;
  for (const Method& method : methods()) {
    if (method.name == name) return method;
    names += (names.empty() ? "" : ", ") + method.name;
  }
  throw_error<UsageError>("unknown method \"{}\", expected one of {}", name, names);
}

}  // namespace tacit::inline v1

#include "data/target.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

std::vector<std::uint32_t> sorted_order(const std::vector<std::string>& texts, char decimal) {
  std::vector<std::uint32_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0u);
  const bool numbers =
      std::ranges::all_of(texts, [&](const auto& text) { return number_in(text, decimal).has_value(); });
  std::ranges::sort(order, [&](auto a, auto b) {
    if (!numbers) return texts[a] < texts[b];
    return std::pair(*number_in(texts[a], decimal), texts[a]) <
           std::pair(*number_in(texts[b], decimal), texts[b]);
  });
  return order;
}

// A class that is read off the data is in the model for all to see. Labels that are measurements would each
// be a class of its own: they are refused before anything is charged or released [docs/side_channels.md].
constexpr std::size_t most_found_classes = 100;

void require_names_of_classes(const Dictionary& found, const std::string& file, char decimal) {
  if (found.size() > most_found_classes)
    throw_error<DataError>(
        "{}: the target has more than {} classes; more are taken only from a schema that lists them", file,
        most_found_classes);
  for (const std::string& text : found.texts())
    if (const auto number = number_in(text, decimal); number && *number != std::floor(*number))
      throw_error<DataError>(
          "{}: the target has numbers with a fraction, which are classes only where a schema lists them (or "
          "bounds it, for a loss for numbers)",
          file);
}

// Whole numbers beyond it are not told apart.
constexpr double largest_exact = 0x1p53;

TargetPlan with_classes(TargetPlan plan, const std::vector<std::string>& classes) {
  plan.kind = TargetKind::classes;
  plan.classes = Dictionary(classes);
  for (const std::string& name : plan.classes.texts())
    if (const auto number = number_in(name); number && std::fabs(*number) < largest_exact)
      plan.numbers.emplace(*number, *plan.classes.find(name));
  return plan;
}

}  // namespace

std::optional<double> TargetPlan::class_of(std::string_view text, char decimal) const {
  if (const auto named = classes.find(text)) return *named;
  const auto number = numbers.empty() ? std::nullopt : number_in(text, decimal);
  const auto same = number ? numbers.find(*number) : numbers.end();
  return same == numbers.end() ? std::nullopt : std::optional(same->second);
}

TargetPlan plan_target(const ReadOptions& options, bool first_is_text) {
  TargetPlan plan;
  if (options.wish == TargetWish::none) return plan;
  if (options.schema && options.schema->target && !options.schema->target->classes.empty()) {
    if (options.wish == TargetWish::numeric)
      throw_error<UsageError>("a numeric target is wanted, but the schema gives the target classes");
    if (!options.classes.empty() && options.classes != options.schema->target->classes)
      throw_error<UsageError>("the classes given are not those of the schema");
    return with_classes(std::move(plan), options.schema->target->classes);
  }
  if (options.schema && options.schema->target)
    plan.min = options.schema->target->min, plan.max = options.schema->target->max;
  if (!options.classes.empty() && options.wish != TargetWish::numeric)
    return with_classes(std::move(plan), options.classes);
  const bool bounded = plan.min || plan.max;
  if (bounded && options.wish == TargetWish::classes)
    throw_error<UsageError>("classes are wanted, but the schema gives the target bounds, as for a number");
  const bool described = options.schema && options.schema->target;
  const bool classes = options.wish == TargetWish::classes ||
                       (options.wish == TargetWish::as_found && first_is_text && !described);
  plan.kind = classes ? TargetKind::classes : TargetKind::numeric;
  return plan;
}

void adopt_found_classes(const Dictionary& found, const std::string& file, ReadResult& result, char decimal) {
  if (found.size() < 2)
    throw_error<DataError>(
        "{}: the target has only one class, {}; give a schema that names the classes if there are more", file,
        shown(found.texts().at(0)));
  require_names_of_classes(found, file, decimal);
  std::vector<double> new_number(found.size());
  for (const auto k : sorted_order(found.texts(), decimal)) {
    if (!valid_utf8(found.texts()[k]))
      throw_error<DataError>("{}: the class {} is not UTF-8 text", file, shown(found.texts()[k]));
    new_number[k] = static_cast<double>(result.data.classes.size());
    result.data.classes.push_back(found.texts()[k]);
  }
  for (double& label : result.data.labels) label = new_number[static_cast<std::size_t>(label)];
  result.read_off_data.push_back("classes");
}

std::optional<double> number_label(const TargetPlan& plan, double value) {
  if (plan.kind == TargetKind::numeric) {
    if (plan.min) value = std::max(value, *plan.min);
    if (plan.max) value = std::min(value, *plan.max);
    return value;
  }
  if (plan.kind == TargetKind::none || plan.read_off()) return value;
  return plan.class_of(fmt::format("{}", value));
}

void adopt_number_labels(std::vector<double> labels, const TargetPlan& plan, const std::string& file,
                         ReadResult& result) {
  if (plan.kind == TargetKind::none) return;
  result.has_target = true;
  result.data.target_kind = plan.kind;
  result.data.classes = plan.classes.texts();
  result.data.labels = std::move(labels);
  if (!plan.read_off()) return;
  Dictionary found;
  for (double& label : result.data.labels) label = found.add(fmt::format("{}", label));
  adopt_found_classes(found, file, result);
}

}  // namespace tacit::inline v1

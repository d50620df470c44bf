#include "tacit/service.hpp"

#include <algorithm>
#include <memory>

#include "command.hpp"
#include "status_line.hpp"
#include "tacit/core.hpp"
#include "tacit/method.hpp"

namespace tacit::cli {

namespace {

struct CompareFlags {
  ReadingFlags reading;
  std::string target, user, schema, loss, loss_parameter, row_bound, delta, neighbours, plot, minutes,
      held_out;
  std::vector<std::string> epsilons{"0.1", "0.3", "1", "3"}, methods{"all"};
  std::size_t repeats = 3;
  std::optional<std::int64_t> hidden;
  bool no_intercept = false, json = false;
};

// The entries of a list with commas between, blanks around them allowed.
std::vector<std::string> entries(std::string_view flag, const std::vector<std::string>& words) {
  std::vector<std::string> found;
  for (const std::string& word : words)
    for (std::size_t at = 0; at <= word.size();) {
      const std::size_t comma = std::min(word.find(',', at), word.size());
      const std::string entry = word.substr(at, comma - at);
      const std::size_t first = entry.find_first_not_of(' ');
      if (first == std::string::npos) throw_error<UsageError>("{} \"{}\" has an empty entry", flag, word);
      found.push_back(entry.substr(first, entry.find_last_not_of(' ') - first + 1));
      at = comma + 1;
    }
  return found;
}

service::CompareOptions compare_options(const CompareFlags& flags) {
  service::CompareOptions options;
  options.epsilons.clear();
  for (const std::string& text : entries("--epsilon", flags.epsilons))
    options.epsilons.push_back(parse_number("--epsilon", text));
  options.delta = parse_number_if_given("--delta", flags.delta);
  options.methods = entries("--methods", flags.methods);
  if (std::ranges::find(options.methods, "all") != options.methods.end()) {
    for (const std::string& name : options.methods)
      if (name != "all") find_method(name);
    options.methods.clear();
  }
  constexpr std::size_t most_repeats = 1000;
  if (flags.repeats > most_repeats)
    throw_error<UsageError>("--repeats is {}, expected 1 to {}", flags.repeats, most_repeats);
  options.repeats = static_cast<int>(flags.repeats);
  options.minutes = parse_number_if_given("--minutes", flags.minutes).value_or(options.minutes);
  options.held_out = parse_number_if_given("--held-out", flags.held_out).value_or(options.held_out);
  options.workers = flags.reading.threads;
  options.fit.loss = flags.loss;
  if (!flags.neighbours.empty()) options.fit.neighbours = parse_neighbours(flags.neighbours);
  options.fit.loss_parameter = parse_number_if_given("--loss-parameter", flags.loss_parameter);
  options.fit.hidden = flags.hidden;
  options.fit.row_bound = parse_number_if_given("--row-bound", flags.row_bound);
  options.fit.intercept = flags.no_intercept ? 0 : 1;
  return options;
}

std::string bar(const service::CompareProgress& progress) {
  constexpr std::size_t width = 24;
  const std::size_t full = progress.total == 0 ? width : width * progress.done / progress.total;
  const auto left = static_cast<long>(progress.seconds_left + 0.5);
  return fmt::format("[{}{}] {} of {} fits, about {}:{:02} left", std::string(full, '='),
                     std::string(width - full, ' '), progress.done, progress.total, left / 60, left % 60);
}

void run(const CompareFlags& flags) {
  service::CompareOptions options = compare_options(flags);
  ReadOptions reading = read_options(flags.reading);
  reading.target = flags.target;
  reading.user = flags.user;
  const std::string kind = std::filesystem::path(flags.plot).extension().string();
  if (!kind.empty() && kind != ".svg")
    throw_error<UsageError>("--plot is {}, but plots are SVG: expected a name that ends with .svg",
                            flags.plot);
  if (!flags.plot.empty()) service::require_writable(flags.plot);
  require_no_input("--plot", flags.plot,
                   {flags.reading.path, flags.reading.labels, flags.reading.users, flags.schema});
  require_same_kind("--plot", flags.plot, "<svg", "figure");
  reading.schema = schema_for(flags.schema, reading);
  if (!flags.schema.empty()) options.fit.schema_release = service::schema_release(flags.schema);
  service::Comparison found;
  {
    StatusLine line;  // how far it is may be shown: nothing here is private
    found = service::compare(reading, options,
                             [&](const service::CompareProgress& progress) { line.show(bar(progress)); });
  }
  // The results first: a plot that cannot be written must not take them along.
  print(flags.json ? service::comparison_json(found) : service::comparison_text(found));
  if (found.methods.empty())
    throw_error<InfeasibleError>("no method could be compared; each one's reason is listed");
  if (!flags.plot.empty()) write_file_atomically(flags.plot, service::comparison_plot(found));
}

}  // namespace

void add_compare(Command& tool) {
  auto flags = std::make_shared<CompareFlags>();
  Command command = tool.add_command(
      "compare", "fit many methods over a grid of epsilon and measure them (the result is not private)",
      "tacit compare people.csv --schema people.schema.json --epsilon 0.1,0.3,1,3 --delta 1e-6 --plot "
      "people.svg");
  add_reading_flags(*command, flags->reading);
  command->add_option("--target", flags->target,
                      "the column to predict, by name or number; default: the schema's");
  command->add_option("--epsilon", flags->epsilons, "the values to compare at; default: 0.1,0.3,1,3");
  command->add_option("--delta", flags->delta,
                      "compare methods that need a delta too, between 0 and 1; default: pure methods only");
  command->add_option("--methods", flags->methods,
                      "names of `tacit methods`, with commas between; default: all");
  command->add_option("--repeats", flags->repeats, "fits of each, on different splits; default: 3")
      ->transform(whole_number);
  command->add_option("--held-out", flags->held_out, "share of the records to measure on; default: 0.25");
  command->add_option("--minutes", flags->minutes,
                      "time for everything, shared evenly by the methods; default: 8");
  command->add_option(
      "--neighbours", flags->neighbours,
      "the relation that all guarantees are brought to: zero_out (the default) or replace_one");
  command->add_option("--loss", flags->loss, "as for `tacit fit`; default: by the target");
  command->add_option("--loss-parameter", flags->loss_parameter, "as for `tacit fit`");
  command->add_option("--hidden", flags->hidden, "hidden units of a network; default: 64")
      ->transform(whole_number);
  command->add_option("--schema", flags->schema, "what is public of the columns (see `tacit schema`)");
  command->add_option("--row-bound", flags->row_bound,
                      "public bound on every row's 2-norm, without a schema");
  command->add_option("--user", flags->user,
                      "the column that says whose record it is: compares what protects users");
  command->add_flag("--no-intercept", flags->no_intercept, "no constant feature");
  command->add_option("--plot", flags->plot, "draw the metric against epsilon into this SVG file");
  command->add_flag("--json", flags->json, "the results as JSON");
  command->callback([flags] { run(*flags); });
}

}  // namespace tacit::cli

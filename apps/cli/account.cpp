#include "tacit/account.hpp"
#include "tacit/service.hpp"

#include <cmath>
#include <memory>

#include "command.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"

namespace tacit::cli {

namespace {

struct AccountFlags {
  std::string noise_multiplier, rate, steps, delta, events, plot, neighbours;
  bool json = false;
};

struct Answer {
  std::vector<Event> events;
  Neighbours neighbours;
  Bracket epsilon;
  bool converted = false;  // from zero_out, so that the bracket is wide
};

Answer answer(const AccountFlags& flags, double delta) {
  if (flags.events.empty() == flags.noise_multiplier.empty())
    throw_error<UsageError>("give either --noise-multiplier (with --rate and --steps) or --events");
  if (!flags.events.empty()) {
    for (const auto& [flag, text] : {std::pair("--neighbours", flags.neighbours),
                                     std::pair("--rate", flags.rate), std::pair("--steps", flags.steps)})
      if (!text.empty())
        throw_error<UsageError>("{} goes with --noise-multiplier; an events file states its own", flag);
    EventList list = service::load_events(flags.events);
    const Bracket epsilon = service::account_events(list, delta);
    return {std::move(list.events), list.neighbours, epsilon};
  }
  service::SampledSteps steps{parse_number("--noise-multiplier", flags.noise_multiplier),
                              parse_number_if_given("--rate", flags.rate).value_or(1),
                              parse_whole_if_given("--steps", flags.steps).value_or(1)};
  if (!flags.neighbours.empty()) steps.neighbours = parse_neighbours(flags.neighbours);
  const Bracket epsilon = service::account_steps(steps, delta);
  return {{PoissonGaussianEvent{steps.noise_multiplier, steps.rate, static_cast<std::uint64_t>(steps.steps)}},
          steps.neighbours,
          epsilon,
          steps.neighbours == Neighbours::replace_one && steps.rate < 1};
}

void run(const AccountFlags& flags) {
  if (!flags.plot.empty()) service::require_writable(flags.plot);
  require_no_input("--plot", flags.plot, {flags.events});
  require_same_kind("--plot", flags.plot, "<svg", "figure");
  const double delta = parse_number("--delta", flags.delta);
  const Answer found = answer(flags, delta);
  if (!flags.plot.empty()) {
    if (found.neighbours == Neighbours::replace_one && flags.events.empty())
      throw_error<UsageError>(
          "--plot draws zero_out or add_remove steps; replace_one is converted from them");
    write_file_atomically(flags.plot, service::plot_delta(found.events, found.epsilon));
  }
  if (flags.json)
    return print({{"epsilon_lower", found.epsilon.epsilon_lower},
                  {"epsilon_upper", found.epsilon.epsilon_upper},
                  {"delta", delta},
                  {"neighbours", name(found.neighbours)}});
  if (std::isinf(found.epsilon.epsilon_lower))
    return print(fmt::format("No epsilon is enough at delta = {}: failures alone are likelier.\n", delta));
  print(fmt::format("epsilon is between {} and {} at delta = {}, neighbours {}.\n",
                    decimal_down(found.epsilon.epsilon_lower, 6), decimal_up(found.epsilon.epsilon_upper, 6),
                    delta, name(found.neighbours)));
  if (found.converted)
    print(std::string(
        "The bracket is wide: for sampled steps the upper end is converted from zero_out, and the lower end "
        "is that of zero_out.\n"));
}

}  // namespace

void add_account(Command& tool) {
  auto flags = std::make_shared<AccountFlags>();
  Command command =
      tool.add_command("account", "what steps of noise cost together: epsilon as a bracket",
                       "tacit account --noise-multiplier 1.1 --rate 0.01 --steps 10000 --delta 1e-5");
  command->add_option("--noise-multiplier", flags->noise_multiplier,
                      "noise of each step over its clip norm, > 0");
  command->add_option("--rate", flags->rate, "probability that a record joins a step; default 1");
  command->add_option("--steps", flags->steps, "number of steps; default 1");
  command->add_option("--delta", flags->delta, "between 0 and 1")->required();
  command->add_option("--events", flags->events, "a JSON file with other events (docs/accounting.md)");
  command->add_option("--neighbours", flags->neighbours, "zero_out (default), add_remove or replace_one");
  command->add_option("--plot", flags->plot, "draw delta against epsilon into this SVG file");
  command->add_flag("--json", flags->json, "JSON: epsilon_lower, epsilon_upper, delta, neighbours");
  command->callback([flags] { run(*flags); });
}

}  // namespace tacit::cli

#include <memory>

#include "command.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/guarantee.hpp"
#include "tacit/service.hpp"

namespace tacit::cli {

namespace {

struct CalibrateFlags {
  std::string epsilon, delta, mu, rho, rate, steps, plot, neighbours = "zero_out";
  bool json = false;
};

Guarantee target(const CalibrateFlags& flags) {
  const int given = !flags.epsilon.empty() + !flags.mu.empty() + !flags.rho.empty();
  if (given != 1 || flags.epsilon.empty() != flags.delta.empty())
    throw_error<UsageError>("give one target: --epsilon and --delta, or --mu, or --rho");
  if (!flags.mu.empty()) return Gaussian{parse_number("--mu", flags.mu)};
  if (!flags.rho.empty()) return Zcdp{parse_number("--rho", flags.rho)};
  return Approx{parse_number("--epsilon", flags.epsilon), parse_number("--delta", flags.delta)};
}

// The curve of what was found, around epsilon at a usual delta where the target states none.
void draw(const std::string& path, double noise, double rate, std::int64_t steps, Neighbours neighbours) {
  if (neighbours == Neighbours::replace_one)
    throw_error<UsageError>("--plot draws zero_out or add_remove steps; replace_one is converted from them");
  constexpr double usual_delta = 1e-5;
  const Event event = PoissonGaussianEvent{noise, rate, static_cast<std::uint64_t>(steps)};
  const Bracket around = service::account_steps({noise, rate, steps, neighbours}, usual_delta);
  write_file_atomically(path, service::plot_delta({&event, 1}, around));
}

void run(const CalibrateFlags& flags) {
  if (!flags.plot.empty()) service::require_writable(flags.plot);
  const Neighbours neighbours = parse_neighbours(flags.neighbours);
  const double rate = parse_number_if_given("--rate", flags.rate).value_or(1);
  const std::int64_t steps = parse_whole_if_given("--steps", flags.steps).value_or(1);
  const Guarantee wanted = target(flags);
  const double noise = service::calibrate(wanted, rate, steps, neighbours);
  nlohmann::ordered_json json{{"noise_multiplier", noise}, {"neighbours", name(neighbours)}};
  std::string text = fmt::format("The least noise multiplier is {}, neighbours {}.\n", decimal_up(noise, 8),
                                 name(neighbours));
  if (const auto* approx = std::get_if<Approx>(&wanted)) {
    const Bracket got = service::account_steps({noise, rate, steps, neighbours}, approx->delta);
    json["epsilon_lower"] = got.epsilon_lower;
    json["epsilon_upper"] = got.epsilon_upper;
    json["delta"] = approx->delta;
    text += fmt::format("It gives epsilon between {} and {} at delta = {}.\n",
                        decimal_down(got.epsilon_lower, 6), decimal_up(got.epsilon_upper, 6), approx->delta);
  }
  if (!flags.plot.empty()) draw(flags.plot, noise, rate, steps, neighbours);
  flags.json ? print(json) : print(text);
}

}  // namespace

void add_calibrate(Command& tool) {
  auto flags = std::make_shared<CalibrateFlags>();
  Command command = tool.add_command("calibrate", "the least noise that keeps a target",
                                     "tacit calibrate --epsilon 2 --delta 1e-5 --rate 0.01 --steps 10000");
  command->add_option("--epsilon", flags->epsilon, "target epsilon, > 0, with --delta");
  command->add_option("--delta", flags->delta, "between 0 and 1");
  command->add_option("--mu", flags->mu, "target of Gaussian DP instead, > 0");
  command->add_option("--rho", flags->rho, "target of zCDP instead, > 0");
  command->add_option("--rate", flags->rate, "probability that a record joins a step; default 1");
  command->add_option("--steps", flags->steps, "number of steps; default 1");
  command->add_option("--neighbours", flags->neighbours, "zero_out (default), add_remove or replace_one");
  command->add_option("--plot", flags->plot, "draw delta against epsilon into this SVG file");
  command->add_flag("--json", flags->json, "JSON: noise_multiplier, and the epsilon it gives");
  command->callback([flags] { run(*flags); });
}

}  // namespace tacit::cli

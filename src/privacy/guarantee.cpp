#include "tacit/guarantee.hpp"

#include <cmath>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

std::string_view notion(const Guarantee& guarantee) {
  static constexpr std::string_view names[] = {"none", "pure", "gaussian", "zcdp", "renyi", "approx"};
  return names[guarantee.index()];
}

std::string_view name(Unit unit) { return unit == Unit::item ? "item" : "user"; }

std::string_view record_or_user(Unit unit) { return unit == Unit::item ? "record" : "user"; }

std::string_view name(Neighbours neighbours) {
  static constexpr std::string_view names[] = {"replace_one", "zero_out", "add_remove"};
  return names[static_cast<int>(neighbours)];
}

Unit parse_unit(std::string_view text) {
  if (text == "item") return Unit::item;
  if (text == "user") return Unit::user;
  throw_error<UsageError>("the unit is \"{}\", expected \"item\" (a record) or \"user\"", text);
}

Neighbours parse_neighbours(std::string_view text) {
  for (const auto relation : {Neighbours::replace_one, Neighbours::zero_out, Neighbours::add_remove})
    if (text == name(relation)) return relation;
  throw_error<UsageError>("neighbours is \"{}\", expected replace_one, zero_out or add_remove", text);
}

namespace {

void require_positive(double value, std::string_view what) {
  if (!(value > 0) || std::isinf(value))
    throw_error<UsageError>("{} is {}, expected a finite number > 0", what, value);
}

struct Validate {
  void operator()(const NoPrivacy&) const {}
  void operator()(const Pure& g) const { require_positive(g.epsilon, "epsilon"); }
  void operator()(const Gaussian& g) const { require_positive(g.mu, "mu"); }
  void operator()(const Zcdp& g) const { require_positive(g.rho, "rho"); }
  void operator()(const Renyi& g) const {
    if (g.orders.empty() || g.orders.size() != g.epsilons.size())
      throw_error<UsageError>("a Renyi guarantee needs as many orders as epsilons, at least one");
    for (std::size_t k = 0; k < g.orders.size(); ++k) {
      if (!(g.orders[k] > 1)) throw_error<UsageError>("a Renyi order is {}, expected > 1", g.orders[k]);
      require_positive(g.epsilons[k], "a Renyi epsilon");
    }
  }
  void operator()(const Approx& g) const {
    require_positive(g.epsilon, "epsilon");
    if (!(g.delta > 0 && g.delta < 1))
      throw_error<UsageError>("delta is {}, expected 0 < delta < 1", g.delta);
  }
};

// What is said about a guarantee is a guarantee too: never less than what holds.
std::string shown_bound(double x) { return decimal_up(x, 6); }

struct Describe {
  std::string operator()(const NoPrivacy&) const { return "No privacy: the model may reveal anything"; }
  std::string operator()(const Pure& g) const {
    constexpr double hardly_private = 20;  // beyond, the factor says nothing to anyone
    const std::string factor =
        g.epsilon < hardly_private ? factor_up(library_up(std::exp(g.epsilon)), 5) : std::string("e^epsilon");
    return fmt::format("Pure differential privacy, epsilon = {}: no outcome is more than {} times as likely",
                       shown_bound(g.epsilon), factor);
  }
  std::string operator()(const Gaussian& g) const {
    return fmt::format(
        "Gaussian differential privacy, mu = {}: no test does better than telling N(0,1) from N({},1)",
        shown_bound(g.mu), shown_bound(g.mu));
  }
  std::string operator()(const Zcdp& g) const {
    return fmt::format("Zero-concentrated differential privacy, rho = {}", shown_bound(g.rho));
  }
  std::string operator()(const Renyi& g) const {
    return fmt::format("Renyi differential privacy, epsilon = {} at order {} (and {} other orders)",
                       shown_bound(g.epsilons.front()), g.orders.front(), g.orders.size() - 1);
  }
  std::string operator()(const Approx& g) const {
    if (g.delta >= 1)
      return "No differential privacy: delta would be 1";  // where too much is asked of a bound
    return fmt::format("Approximate differential privacy, epsilon = {}, delta = {}", shown_bound(g.epsilon),
                       g.delta);
  }
};

}  // namespace

void validate(const Guarantee& guarantee) { std::visit(Validate{}, guarantee); }

std::string describe(const Guarantee& guarantee, Unit unit, Neighbours neighbours) {
  std::string text = std::visit(Describe{}, guarantee);
  if (std::holds_alternative<NoPrivacy>(guarantee)) return text + ".";
  const std::string_view whose = unit == Unit::item ? "one record is" : "all records of one user are";
  switch (neighbours) {
    case Neighbours::replace_one:
      return fmt::format("{}, when {} replaced by any other.", text, whose);
    case Neighbours::zero_out:
      // Null, not blank: cells without text may count for something.
      return fmt::format("{}, when {} left out and {} kept.", text, whose,
                         unit == Unit::item ? "its place" : "their places");
    case Neighbours::add_remove:
      return fmt::format("{}, when {} added or removed.", text, whose);
  }
  return text;
}

}  // namespace tacit::inline v1

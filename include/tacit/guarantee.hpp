#pragma once

// Layer: privacy.
//
// What is promised, to whom, and between which datasets.
//
//     tacit::Guarantee promise = tacit::Approx{.epsilon = 1, .delta = 1e-6};

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

// Whose presence is hidden: one record, or all records of one person.
enum class Unit { item, user };

// Which datasets must look alike.
enum class Neighbours {
  replace_one,  // n is public; one unit's data is replaced by any other
  zero_out,     // n is public; one unit's data is replaced by a null record that contributes nothing
  add_remove,   // n is private; one unit is added or removed
};

// What new ledgers and every method that offers it protect, unless another relation is asked for.
inline constexpr Neighbours usual_neighbours = Neighbours::zero_out;

struct NoPrivacy {};
struct Pure {
  double epsilon = 0;  // > 0
};
struct Gaussian {
  double mu = 0;  // > 0: no easier to tell apart than N(0,1) and N(mu,1)
};
struct Zcdp {
  double rho = 0;  // > 0
};
struct Renyi {
  std::vector<double> orders = {};    // > 1, ascending
  std::vector<double> epsilons = {};  // one per order
};
struct Approx {
  double epsilon = 0, delta = 0;  // epsilon >= 0, 0 < delta < 1
};

// What is promised. A guarantee means nothing without its unit and its neighbour relation.
using Guarantee = std::variant<NoPrivacy, Pure, Gaussian, Zcdp, Renyi, Approx>;

// "none", "pure", "gaussian", "zcdp", "renyi", "approx": the `notion` of the JSON formats.
TACIT_API std::string_view notion(const Guarantee& guarantee);
TACIT_API std::string_view name(Unit unit);
TACIT_API std::string_view record_or_user(Unit unit);  // for messages: files say "item" for a record
TACIT_API std::string_view name(Neighbours neighbours);
TACIT_API Unit parse_unit(std::string_view text);
TACIT_API Neighbours parse_neighbours(std::string_view text);

// Throws UsageError, naming the value and the allowed range, unless the numbers make sense.
TACIT_API void validate(const Guarantee& guarantee);

// One sentence for people: what an attacker can and cannot learn.
TACIT_API std::string describe(const Guarantee& guarantee, Unit unit, Neighbours neighbours);

// Of which kind a guarantee is, in the order of the variant.
enum class Notion { none, pure, gaussian, zcdp, renyi, approx };

inline Notion notion_of(const Guarantee& guarantee) { return static_cast<Notion>(guarantee.index()); }
TACIT_API std::string_view name(Notion notion);        // as notion(guarantee) has it
TACIT_API Notion parse_notion(std::string_view text);  // throws UsageError that lists the names

}  // namespace tacit::inline v1

#pragma once

#include <span>
#include <string>
#include <vector>

#include "tacit/algorithm/option_table.hpp"
#include "tacit/core/api.hpp"
#include "tacit/privacy/certificate.hpp"
#include "tacit/privacy/facts.hpp"
#include "tacit/privacy/meter.hpp"
#include "tacit/privacy/notion.hpp"
#include "tacit/solver/problem.hpp"

namespace tacit::inline v1 {

// A way to fit a problem, as a row of a table.
struct Method {
  std::string name;             // "limited-objective"
  std::vector<Notion> notions;  // of its guarantees, the usual one first
  Unit unit = Unit::item;
  std::string paper;    // citekey, or "" for what is in no paper
  std::string summary;  // one line
  std::string assumes;  // what its guarantee assumes beyond ideal bits; "nothing" is the aim

  // From its table of options: the flags, the names of all facts among its certificate's options, and the
  // names of what it takes to be public beyond the shape of the problem.
  std::vector<OptionSpec> options = {};
  std::vector<std::string> facts = {};
  std::vector<std::string> public_facts = {};

  std::vector<Neighbours> neighbours = {Neighbours::replace_one};  // relations it offers, the default first
  std::vector<Notion> replaced_only = {};  // notions that it gives for one replaced record alone

  bool resumable = false;  // whether it saves its state where its meter says (privacy/checkpoints.hpp)

  // Why the method cannot fit this problem; empty when it can.
  std::string (*unsuitable)(const Shape& shape) = nullptr;
  // `options` has the requested options under their fact names, "threads", and the numbers of the guarantee
  // (which the meter holds too): "epsilon" (infinite without privacy), "delta", "mu".
  Release (*fit)(const Problem& problem, const Facts& options, Meter& meter) = nullptr;
  // The steps that a run with these certified facts must have taken, from public values alone.
  std::vector<Step> (*rebuild_steps)(const Facts& options, const Facts& assumed_public) = nullptr;
  // The options that its certificate must have stated: what the plan works out again, and what was released
  // as it stands there.
  Facts (*rebuild_options)(const Facts& options, const Facts& assumed_public) = nullptr;
  // What a run with these facts assumed, where that is more than `assumes`.
  std::vector<std::string> (*assumptions)(const Facts& options, const Facts& assumed_public) = nullptr;
};

// The row's columns that come from the table of its options.
template <class O>
Method with_options(Method method, const OptionTable<O>& table) {
  method.options = table.flags();
  method.facts = table.facts();
  method.public_facts = table.public_facts();
  return method;
}

// Whether it can give a guarantee of this notion; for this relation; and has an option of this name
// ("slope_limit" or "slope-limit").
TACIT_API bool offers(const Method& method, Notion notion);
TACIT_API bool protects(const Method& method, Notion notion, Neighbours neighbours);
TACIT_API const OptionSpec* find_option(const Method& method, std::string_view name);
TACIT_API std::string notions_in_words(const Method& method);  // "pure or approx"

TACIT_API std::span<const Method> methods();
TACIT_API const Method& find_method(std::string_view name);  // throws UsageError that lists the names

}  // namespace tacit::inline v1

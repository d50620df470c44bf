#pragma once

#include <span>
#include <string>
#include <vector>

#include "tacit/core/api.hpp"
#include "tacit/privacy/certificate.hpp"
#include "tacit/privacy/facts.hpp"
#include "tacit/privacy/meter.hpp"
#include "tacit/solver/problem.hpp"

namespace tacit::inline v1 {

enum class OptionKind { number, integer, text };

// One option of a method: the command line's flags, the bindings and the docs are made from these.
struct OptionSpec {
  std::string name;  // "slope-limit": the flag is --slope-limit, the fact "slope_limit"
  OptionKind kind = OptionKind::number;
  std::string help;      // one line
  std::string range;     // "> 0"
  std::string fallback;  // what happens without it: "1.1·|φ'(0)|·row-bound"
};

// A way to fit a problem, as a row of a table.
struct Method {
  std::string name;  // "limited-objective"
  std::vector<std::string>
      notions;          // of its guarantees: "pure", "gaussian", "approx", "none"; the usual one first
  std::string unit;     // "item" or "user"
  std::string paper;    // citekey, or "" for what is in no paper
  std::string summary;  // one line
  std::string assumes;  // what its guarantee assumes beyond ideal bits; "nothing" is the aim
  std::vector<OptionSpec> options;
  std::vector<Neighbours> neighbours = {Neighbours::replace_one};  // relations it offers, the default first
  std::vector<std::string> replaced_only = {};  // notions that it gives for one replaced record alone

  bool resumable = false;  // whether it saves its state where its meter says (privacy/checkpoints.hpp)

  // Why the method cannot fit this problem; empty when it can.
  std::string (*unsuitable)(const Shape& shape) = nullptr;
  // `options` has the requested options under their fact names, "threads", and the numbers of the guarantee
  // (which the meter holds too): "epsilon" (infinite without privacy), "delta", "mu".
  Release (*fit)(const Problem& problem, const Facts& options, Meter& meter) = nullptr;
  // The steps that a run with these certified facts must have taken, from public values alone.
  std::vector<Step> (*rebuild_steps)(const Facts& options, const Facts& assumed_public) = nullptr;
};

// Whether it can give a guarantee of this notion.
TACIT_API bool offers(const Method& method, std::string_view notion);
// Whether it can give it for this relation.
TACIT_API bool protects(const Method& method, std::string_view notion, Neighbours neighbours);

TACIT_API std::span<const Method> methods();
TACIT_API const Method& find_method(std::string_view name);  // throws UsageError that lists the names

}  // namespace tacit::inline v1

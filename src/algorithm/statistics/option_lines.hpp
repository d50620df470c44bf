#pragma once

// Lines of a table of options (tacit/method.hpp) that the statistics need beside those of the methods.

#include <string>
#include <utility>

#include "tacit/method.hpp"

namespace tacit::inline v1::statistics {

// True or false, and not asked for by itself: it follows from what the statistics are of.
template <class O>
Field<O> follows(bool O::*member, std::string name) {
  Field<O> made{.spec = {std::move(name), OptionKind::truth}, .is_flag = false};
  made.write = [member](const O& o) { return std::optional<FactValue>(o.*member); };
  made.read = [member, fact = made.spec.fact()](O& o, const Facts& facts) {
    o.*member = facts.boolean(fact);
  };
  return made;
}

// Several values in one text.
template <class O>
Field<O> listed(std::string name, std::string (*write)(const O&), void (*read)(O&, const std::string& text),
                std::string help) {
  Field<O> made{.spec = {std::move(name), OptionKind::text, std::move(help)}};
  made.write = [write](const O& o) { return std::optional<FactValue>(write(o)); };
  made.read = [read, fact = made.spec.fact()](O& o, const Facts& facts) { read(o, facts.text(fact)); };
  return made;
}

}  // namespace tacit::inline v1::statistics

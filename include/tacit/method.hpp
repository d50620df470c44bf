#pragma once

// Layer: algorithm.
//
// The table of methods: what each guarantees, assumes and can be asked for.
//
//     for (const tacit::Method& method : tacit::methods()) std::cout << method.name << '\n';

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/guarantee.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

// One option as everything outside of its method sees it, and how its value is read and written
// (OptionTable, below).

namespace tacit::inline v1 {

// The finite numbers that an option may be.
struct TACIT_API Range {
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  bool open = false;       // the ends themselves are not among them
  bool or_zero = false;    // 0 is, too
  bool even = false;       // even ones only
  bool far_apart = false;  // the ends are beyond any use: help says "> 0"

  bool holds(double value) const;
  std::string in_words() const;  // "between 0 and 1": for messages
  std::string in_short() const;  // for help
};
constexpr Range any() { return {}; }
constexpr Range open(double least, double most) { return {.least = least, .most = most, .open = true}; }
constexpr Range between(double least, double most) { return {.least = least, .most = most}; }
constexpr Range at_least(double least) { return {.least = least}; }
constexpr Range above(double least) { return {.least = least, .open = true}; }
constexpr Range positive(double least, double most) {
  return {.least = least, .most = most, .far_apart = true};
}
constexpr Range even_from(double least) { return {.least = least, .even = true}; }
constexpr Range or_zero(Range range) {
  range.or_zero = true;
  return range;
}

enum class OptionKind { number, integer, text, truth };

// One option of a method, as everything outside of it sees it.
struct TACIT_API OptionSpec {
  std::string name = {};  // "slope-limit": the flag is --slope-limit, the fact "slope_limit"
  OptionKind kind = OptionKind::number;
  std::string help = {};      // one line
  std::string range = {};     // "> 0"
  std::string fallback = {};  // what happens without it: "1.1·|φ'(0)|·row-bound"
  Range numbers = {};
  std::vector<std::string> words = {};  // that a text may be; beside numbers, "auto"

  std::string fact() const;
};

// As short as a person would write it: 1e7, 0.05.
TACIT_API std::string shown(const FactValue& value);
// UsageError, naming the option, the value and what is expected, unless it may have this value.
TACIT_API void require_in_range(const OptionSpec& spec, const FactValue& value);

namespace options {

// The value of an option among facts, which have it. A whole number refuses fractions; UsageError for a value
// of another kind.
TACIT_API double number(const Facts& facts, const OptionSpec& spec);
TACIT_API const std::string& text(const Facts& facts, const OptionSpec& spec);
TACIT_API std::int64_t whole(const Facts& facts, const OptionSpec& spec);
TACIT_API bool is_word(const Facts& facts, const OptionSpec& spec, std::string_view word);
TACIT_API std::optional<double> number_or_auto(const Facts& facts, const OptionSpec& spec);
TACIT_API std::string number_or_auto(const std::optional<double>& value);
TACIT_API std::string list_of(const std::vector<std::string>& words);  // "average, last or random"
[[noreturn]] TACIT_API void refuse_word(const OptionSpec& spec, std::string_view text);
[[noreturn]] TACIT_API void refuse_without_effect(const OptionSpec& spec, std::string_view goes_with);
[[noreturn]] TACIT_API void refuse_undeclared(std::string_view fact);

inline void get(const Facts& facts, const OptionSpec& spec, double& value) { value = number(facts, spec); }
inline void get(const Facts& facts, const OptionSpec& spec, std::int64_t& value) {
  value = whole(facts, spec);
}
inline void get(const Facts& facts, const OptionSpec& spec, std::size_t& value) {
  const std::int64_t given = whole(facts, spec);
  require_in_range(spec, given);  // before a negative one becomes huge
  value = static_cast<std::size_t>(given);
}
inline void get(const Facts& facts, const OptionSpec& spec, unsigned& value) {
  value = static_cast<unsigned>(whole(facts, spec));
}
inline void get(const Facts& facts, const OptionSpec& spec, std::string& value) { value = text(facts, spec); }
template <class T>
void get(const Facts& facts, const OptionSpec& spec, std::optional<T>& value) {
  get(facts, spec, value.emplace());
}

inline std::optional<FactValue> put(double value) { return value; }
inline std::optional<FactValue> put(std::int64_t value) { return value; }
inline std::optional<FactValue> put(std::size_t value) { return static_cast<std::int64_t>(value); }
inline std::optional<FactValue> put(unsigned value) { return static_cast<std::int64_t>(value); }
inline std::optional<FactValue> put(const std::string& value) { return value; }
template <class T>
std::optional<FactValue> put(const std::optional<T>& value) {
  return value ? put(*value) : std::nullopt;
}

template <class T>
constexpr OptionKind kind_of = OptionKind::integer;
template <>
inline constexpr OptionKind kind_of<double> = OptionKind::number;
template <>
inline constexpr OptionKind kind_of<std::string> = OptionKind::text;
template <class T>
constexpr OptionKind kind_of<std::optional<T>> = kind_of<T>;

}  // namespace options

}  // namespace tacit::inline v1

// One table says what the options of a method are. From it come the flags, their help and completion,
// parsing, ranges, what a certificate states, and the names and values that `verify` admits for that method.
//
//   static const OptionTable<Options> table = {
//       budget(&Options::target),
//       field(&Options::clip_share, "clip-share", open(0, 1), "share of epsilon for the choice of the clip
//       norm"), field(&Options::batch, "batch", above(0), "expected size of a
//       batch").otherwise("2·√records"), planned("noise_multiplier"),  // worked out by the plan
//   };
//
// The default is the one that the struct's field has.

namespace tacit::inline v1 {

// A line of a table of the options O.
template <class O>
struct Field {
  OptionSpec spec = {};
  bool is_flag = true;       // can be asked for; else callers and certificates know it alone
  bool is_certified = true;  // stands among a certificate's options
  bool is_public = false;    // stands among what it takes to be public
  std::function<void(O&, const Facts&)> read = nullptr;               // from facts that have it
  std::function<std::optional<FactValue>(const O&)> write = nullptr;  // nothing where it is not set
  std::function<void(const O&, Facts&)> write_budget = nullptr;       // of the budget: more than one fact
  std::function<bool(const O&)> matters = nullptr;                    // nullptr: always
  std::string goes_with = {};                                         // what makes it matter: "--schedule"

  // What happens without it, where that is a rule.
  Field otherwise(std::string text) && {
    spec.fallback = std::move(text);
    return std::move(*this);
  }
  // Its range, where more than the numbers bounds it.
  Field within_words(std::string text) && {
    spec.range = std::move(text);
    return std::move(*this);
  }
  // It has an effect, and stands in a certificate, only then; without it, it is refused.
  Field only_with(std::string what, std::function<bool(const O&)> when) && {
    goes_with = std::move(what);
    matters = std::move(when);
    return std::move(*this);
  }
  Field certified_if(std::function<bool(const O&)> when) && {
    matters = std::move(when);
    return std::move(*this);
  }
  // The certificate states what follows from it instead.
  Field uncertified() && {
    is_certified = false;
    return std::move(*this);
  }
  Field assumed_public() && {
    is_certified = false;
    is_public = true;
    return std::move(*this);
  }
  // Not a flag: callers set it, certificates may state it.
  Field internal() && {
    is_flag = false;
    return std::move(*this);
  }
};

template <class O>
class OptionTable;

template <class O, class T>
Field<O> field(T O::*member, std::string name, Range range, std::string help) {
  Field<O> made{.spec = {std::move(name), options::kind_of<T>, std::move(help), range.in_short(), "", range}};
  made.write = [member](const O& o) { return options::put(o.*member); };
  made.read = [member, spec = made.spec](O& o, const Facts& facts) { options::get(facts, spec, o.*member); };
  if (const auto value = made.write(O{})) made.spec.fallback = shown(*value);
  return made;
}

// One of a few words; an optional one may be absent.
template <class E>
E from_word(const OptionSpec& spec, const std::vector<E>& values, const std::string& text) {
  for (const E value : values)
    if (text == name(value)) return value;
  options::refuse_word(spec, text);
}
template <class O, class M, class E>
Field<O> choice(M O::*member, std::string option, std::initializer_list<E> values, std::string help) {
  Field<O> made{.spec = {std::move(option), OptionKind::text, std::move(help)}};
  for (const E value : values) made.spec.words.emplace_back(name(value));
  made.spec.range = options::list_of(made.spec.words);
  made.write = [member](const O& o) -> std::optional<FactValue> {
    const std::optional<E> value = o.*member;
    return value ? std::optional<FactValue>(std::string(name(*value))) : std::nullopt;
  };
  made.read = [member, spec = made.spec, all = std::vector<E>(values)](O& o, const Facts& facts) {
    o.*member = from_word(spec, all, options::text(facts, spec));
  };
  const auto value = made.write(O{});
  made.spec.fallback = value ? shown(*value) : "none";
  return made;
}

// A number, or "auto" where there is none: a text.
template <class O>
Field<O> auto_or_number(std::optional<double> O::*member, std::string name, Range range, std::string help) {
  Field<O> made{.spec = {std::move(name),
                         OptionKind::text,
                         std::move(help),
                         range.in_short() + " or auto",
                         "auto",
                         range,
                         {"auto"}}};
  made.write = [member](const O& o) { return std::optional<FactValue>(options::number_or_auto(o.*member)); };
  made.read = [member, spec = made.spec](O& o, const Facts& facts) {
    o.*member = options::number_or_auto(facts, spec);
  };
  return made;
}

// The whole budget, of whatever notion was asked for.
template <class O>
Field<O> budget(Approx O::*member) {
  Field<O> made{.is_flag = false, .is_certified = false};
  made.read = [member](O& o, const Facts& facts) {
    o.*member = {facts.number("epsilon"), facts.number("delta")};
  };
  made.write_budget = [member](const O& o, Facts& facts) { set_target(facts, o.*member); };
  return made;
}
template <class O>
Field<O> budget(Guarantee O::*member) {
  Field<O> made{.is_flag = false, .is_certified = false};
  made.read = [member](O& o, const Facts& facts) { o.*member = target_from(facts); };
  made.write_budget = [member](const O& o, Facts& facts) { set_target(facts, o.*member); };
  return made;
}

// The relation of a method that offers more than one.
template <class O>
Field<O> relation(Neighbours O::*member) {
  Field<O> made{.spec = {"neighbours", OptionKind::text}, .is_flag = false};
  made.write = [member](const O& o) { return std::optional<FactValue>(std::string(name(o.*member))); };
  made.read = [member](O& o, const Facts& facts) { o.*member = parse_neighbours(facts.text("neighbours")); };
  return made;
}

// The number of records, or of users where they are protected, that the caller makes public: what a method
// needs that offers zero_out or add_remove (Method::neighbours). Its shape is then
// public_shape(problem, neighbours, options.records).
template <class O>
Field<O> public_count(std::optional<std::int64_t> O::*member, Unit unit = Unit::item) {
  const bool users = unit == Unit::user;
  return field(member, users ? "user-count" : "records", between(1, 0x1p53),
               users ? "public number of users, at least as many as there are"
                     : "public number of records, at least as many as there are")
      .within_words(">= 1")
      .otherwise("that of the data")
      .uncertified();
}

// A fact that nobody asks for: worked out by the plan, or released.
struct Planned {
  std::string fact = {};
};
inline Planned planned(std::string fact) { return {std::move(fact)}; }
inline Planned released(std::string fact) { return {std::move(fact)}; }

// One line of a table, or several.
template <class O>
struct Fields {
  std::vector<Field<O>> lines = {};

  Fields(Field<O> one) : lines{std::move(one)} {}
  Fields(std::vector<Field<O>> many) : lines(std::move(many)) {}
  Fields(Planned stated) : lines{Field<O>{.spec = {std::move(stated.fact)}, .is_flag = false}} {}

  // The same line, told in other words.
  Fields retold(std::string_view name, const std::string& help, const std::string& fallback) && {
    for (Field<O>& line : lines)
      if (line.spec.name == name) {
        if (!help.empty()) line.spec.help = help;
        if (!fallback.empty()) line.spec.fallback = fallback;
      }
    return std::move(*this);
  }
};

// The lines of a part as lines of the whole; `only` these, or all.
template <class O, class Part>
Fields<O> within(Part O::*part, const OptionTable<Part>& table,
                 std::initializer_list<std::string_view> only = {}) {
  std::vector<Field<O>> lines;
  for (const Field<Part>& inner : table.lines()) {
    if (only.size() > 0 && std::find(only.begin(), only.end(), inner.spec.name) == only.end()) continue;
    Field<O> line{inner.spec, inner.is_flag, inner.is_certified, inner.is_public};
    line.goes_with = inner.goes_with;
    if (inner.read) line.read = [part, read = inner.read](O& o, const Facts& facts) { read(o.*part, facts); };
    if (inner.write) line.write = [part, write = inner.write](const O& o) { return write(o.*part); };
    if (inner.write_budget)
      line.write_budget = [part, write = inner.write_budget](const O& o, Facts& f) { write(o.*part, f); };
    if (inner.matters) line.matters = [part, when = inner.matters](const O& o) { return when(o.*part); };
    lines.push_back(std::move(line));
  }
  return lines;
}

// The lines of a base.
template <class O, class Base>
Fields<O> inherited(const OptionTable<Base>& table) {
  std::vector<Field<O>> lines;
  for (const Field<Base>& l : table.lines())
    lines.push_back({l.spec, l.is_flag, l.is_certified, l.is_public, l.read, l.write, l.write_budget,
                     l.matters, l.goes_with});
  return lines;
}

template <class O>
class OptionTable {
 public:
  OptionTable(std::initializer_list<Fields<O>> all) {
    for (const Fields<O>& some : all) lines_.insert(lines_.end(), some.lines.begin(), some.lines.end());
  }

  const std::vector<Field<O>>& lines() const { return lines_; }

  // The options that these facts state, valid. What the table does not know is left to whoever asked.
  O read(const Facts& facts, O o = {}) const {
    for (const Field<O>& line : lines_)
      if (line.read && (line.write_budget || facts.has(line.spec.fact()))) line.read(o, facts);
    for (const Field<O>& line : lines_)
      if (!line.goes_with.empty() && facts.has(line.spec.fact()) && !line.matters(o))
        options::refuse_without_effect(line.spec, line.goes_with);
    o.validate();
    return o;
  }

  // Every value by itself; what one says of another is for O::validate.
  void validate(const O& o) const {
    for (const Field<O>& line : lines_)
      if (line.write && (!line.matters || line.matters(o)))
        if (const auto value = line.write(o)) require_in_range(line.spec, *value);
  }

  // What a certificate states: the options as the plan settled them, and what else it worked out or released.
  Facts certified(const O& settled, const Facts& more = {}) const {
    Facts facts;
    for (const Field<O>& line : lines_) {
      if (line.write_budget) line.write_budget(settled, facts);
      if (!line.write || !line.is_certified || (line.matters && !line.matters(settled))) continue;
      if (const auto value = line.write(settled)) facts.set(line.spec.fact(), *value);
    }
    for (const auto& [key, value] : more.entries()) {
      if (!states(key)) options::refuse_undeclared(key);
      facts.set(key, value);
    }
    return facts;
  }

  std::vector<OptionSpec> flags() const {
    std::vector<OptionSpec> specs;
    for (const Field<O>& line : lines_)
      if (line.is_flag) specs.push_back(line.spec);
    return specs;
  }
  // The names that its certificates may have among their options, the budget's apart.
  std::vector<std::string> facts() const {
    std::vector<std::string> names;
    for (const Field<O>& line : lines_)
      if (!line.spec.name.empty()) names.push_back(line.spec.fact());
    return names;
  }
  // Those that stand among what is assumed public.
  std::vector<std::string> public_facts() const {
    std::vector<std::string> names;
    for (const Field<O>& line : lines_)
      if (line.is_public) names.push_back(line.spec.fact());
    return names;
  }

 private:
  bool states(std::string_view key) const {
    return std::ranges::any_of(lines_, [&](const Field<O>& line) { return line.spec.fact() == key; });
  }

  std::vector<Field<O>> lines_;
};

// Where the noise of a fit comes in, for those who ask what it does to the parameters.
enum class NoiseEntry {
  unknown,     // what becomes of it depends on the records, or nobody worked it out
  parameters,  // one step adds it to the parameters
  objective    // one step adds it to the objective, and a second one a little to the parameters
};

// What a fit did to numeric labels: what the parameters predict is (label - offset)/scale.
struct LabelMap {
  double offset = 0, scale = 1;
};

// A way to fit a problem, as a row of a table.
struct Method {
  std::string name = {};             // "limited-objective"
  std::vector<Notion> notions = {};  // of its guarantees, the usual one first
  Unit unit = Unit::item;
  std::string paper = {};    // citekey, or "" for what is in no paper
  std::string summary = {};  // one line
  std::string assumes = {};  // what its guarantee assumes beyond ideal bits; "nothing" is the aim

  // From its table of options: the flags, the names of all facts among its certificate's options, and the
  // names of what it takes to be public beyond the shape of the problem.
  std::vector<OptionSpec> options = {};
  std::vector<std::string> facts = {};
  std::vector<std::string> public_facts = {};

  // Relations it offers, the default first. Under zero_out and add_remove neighbours differ in how many
  // records the data has, as a null record is one that is not there. A method that offers either must plan
  // with a number that both share: public_count() among its options, and public_shape() for Shape::records.
  std::vector<Neighbours> neighbours = {Neighbours::replace_one};

  bool resumable = false;  // whether it saves its state where its meter says
  bool weighs = false;     // whether its proof holds for records with weights (Dataset::weights)
  bool sharded = false;    // whether it takes records in several parts
  NoiseEntry noise = NoiseEntry::unknown;
  bool secret_runs = false;  // whether how often it fits is secret, so that nothing tells of its progress
  // The `step` that suits features of wavelets, where it has a measured one.
  std::optional<double> wavelet_step = {};

  // Whether the proof for a replaced record, with these options, is one for a record that becomes null, too:
  // all that it uses of a record holds for one whose loss is zero. nullptr: not proved.
  bool (*covers_null)(const Facts& options) = nullptr;
  // Whether its work, with these options, grows exponentially with the number of parameters. nullptr: never.
  bool (*needs_few_parameters)(const Facts& options) = nullptr;

  // What a certificate with these options says of the units of the fit: the labels' map, and the model's
  // parameters in the units in which the last step released them. nullptr: the units are those of the data.
  LabelMap (*label_map)(const Facts& options) = nullptr;
  Vector (*as_released)(const Vector& parameters, const Facts& options,
                        const Facts& assumed_public) = nullptr;

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

// Whether it can give a guarantee of this notion; protects this relation; what its row says; and whether it
// has an option of this name ("slope_limit" or "slope-limit").
TACIT_API bool offers(const Method& method, Notion notion);
TACIT_API bool protects(const Method& method, Neighbours neighbours);
TACIT_API bool covers_null(const Method& method, const Facts& options);
TACIT_API bool needs_few_parameters(const Method& method, const Facts& options);
TACIT_API LabelMap label_map(const Method& method, const Facts& options);
TACIT_API Vector as_released(const Method& method, const Vector& parameters, const Facts& options,
                             const Facts& assumed_public);
TACIT_API bool knows_label_bound(const Method& method);     // the size of labels, given or from the schema
TACIT_API NoiseEntry noise_entry(std::string_view method);  // of one in no table: unknown
// The relation that is asked for, or the method's usual one: the first that it offers.
TACIT_API Neighbours relation_for(const Method& method, const std::optional<Neighbours>& asked);
TACIT_API const OptionSpec* find_option(const Method& method, std::string_view name);
TACIT_API std::string notions_in_words(const Method& method);  // "pure or approx"

TACIT_API std::span<const Method> methods();
TACIT_API const Method& find_method(std::string_view name);  // throws UsageError that lists the names

// What is public of the problem: its shape, with the stated number of records where there is one; those that
// are missing are null. UsageError when it contradicts the data, and under add_remove without one.
TACIT_API Shape public_shape(const Problem& problem, Neighbours neighbours,
                             const std::optional<std::int64_t>& stated);

// UsageError where a row offers what it cannot keep, zero_out or add_remove without public_count(), or lacks
// what everyone asks of it: a name of one line, a notion, a relation, `unsuitable` and `fit`, and for a
// guarantee `rebuild_steps` and `rebuild_options`.
TACIT_API void check_method(const Method& method);
// Enters a custom method, for this process, before anything looks at the table; true, so that a static
// value can do it. UsageError for a name that is taken, and by check_method.
TACIT_API bool add_method(Method method);

}  // namespace tacit::inline v1

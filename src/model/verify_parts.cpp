#include "model/verify_parts.hpp"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/block_axis.hpp"
#include "model/certificate_json.hpp"
#include "model/difference.hpp"
#include "model/digest.hpp"
#include "model/two_parts.hpp"
#include "privacy/accounting/replaced.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

Step flat(Step step) {
  step.inner.clear();
  step.nesting = {};
  step.times = 1;
  return step;
}

void check_source_of_privacy(const Certificate& certificate) {
  if (certificate.seeded)
    throw_error<VerificationError>("not private: it was made with seeded bits ({}), which anyone can repeat",
                                   certificate.bit_source);
  if (certificate.watched)
    throw_error<VerificationError>("not private: an audit looked at the values before noise was added");
  if (std::holds_alternative<NoPrivacy>(certificate.guarantee))
    throw_error<VerificationError>("not private: it was fitted without any privacy (epsilon = inf)");
}

namespace {

bool is_power_of_two(double x) {
  int exponent = 0;
  return std::frexp(x, &exponent) == 0.5;
}

}  // namespace

void check_steps(const std::vector<Step>& recorded, const std::vector<Step>& rebuilt, std::string_view whose,
                 const std::string& number) {
  if (recorded.size() != rebuilt.size())
    throw_error<VerificationError>("a step is {}: {} are recorded, {} takes {}",
                                   recorded.size() < rebuilt.size() ? "missing" : "too many", recorded.size(),
                                   whose, rebuilt.size());
  for (std::size_t k = 0; k < rebuilt.size(); ++k) {
    const std::string here = fmt::format("{}{}", number, k + 1);
    if (std::string found = difference(to_json(flat(recorded[k])), to_json(flat(rebuilt[k])), "");
        !found.empty())
      throw_error<VerificationError>("step {} ({}) was edited: {}", here, rebuilt[k].mechanism, found);
    // Powers of two have no last digits in which machines could differ.
    if (is_power_of_two(rebuilt[k].grid) && recorded[k].grid != rebuilt[k].grid)
      throw_error<VerificationError>("step {} ({}) was edited: grid is {:a}, expected {:a}", here,
                                     rebuilt[k].mechanism, recorded[k].grid, rebuilt[k].grid);
    if (recorded[k].times != rebuilt[k].times)
      throw_error<VerificationError>("step {} ({}) was edited: times is {}, expected {}", here,
                                     rebuilt[k].mechanism, recorded[k].times, rebuilt[k].times);
    if (recorded[k].nesting != rebuilt[k].nesting)
      throw_error<VerificationError>("step {} ({}) was edited: its steps are nested by another rule", here,
                                     rebuilt[k].mechanism);
    check_steps(recorded[k].inner, rebuilt[k].inner, fmt::format("step {} ({})", here, rebuilt[k].mechanism),
                here + ".");
  }
}

namespace {

// The accountant rounds its upper end up to 24 bits; where machines' last digits differ, both ends are true
// bounds and lie at most one such unit apart. What it has in closed form is not rounded, and machines differ
// in its last digits only.
bool agree(double given, double claim) {
  const auto rounded = [](double x) { return static_cast<double>(static_cast<float>(x)) == x; };
  const double apart = rounded(given) && rounded(claim) ? 0x1p-22 : 0x1p-40;
  return std::fabs(given - claim) <= apart * claim;
}

// `what` is "" for the guarantee itself. A delta that was asked for is the same on every machine, unlike one
// that was worked out.
void check_same(const Guarantee& claimed, Guarantee given, std::string_view what, double asked_delta = -1) {
  const auto *approx = std::get_if<Approx>(&given), *claim = std::get_if<Approx>(&claimed);
  if (approx && claim && approx->delta == claim->delta && agree(approx->epsilon, claim->epsilon))
    given = claimed;
  if (approx && claim && approx->delta != claim->delta && same_number(approx->delta, claim->delta) &&
      approx->delta == asked_delta)
    throw_error<VerificationError>("the certificate states {}delta = {}, but {} was asked for", what,
                                   claim->delta, approx->delta);
  const Json stated = to_json(claimed), found = to_json(given);
  for (const auto& [key, value] : found.items()) {
    const Json there = stated.contains(key) ? stated[key] : Json();
    if (!difference(there, value, key).empty())
      throw_error<VerificationError>("the certificate states {}{} = {}, but the steps give {}", what, key,
                                     there.dump(), value.dump());
  }
}

double asked_delta(const Guarantee& guarantee) {
  const auto* approx = std::get_if<Approx>(&guarantee);
  return approx != nullptr ? approx->delta : -1;
}

// A sum of costs is rounded up in a way that all machines have in common: no less than that of the recorded
// steps is stated, whose last digits may be those of another machine.
void require_pure_sum(const Guarantee& claimed, const Guarantee& recorded, std::string_view what) {
  constexpr double rounding = 0x1p-50;  // of a sum that somebody made in another order
  const auto *claim = std::get_if<Pure>(&claimed), *sum = std::get_if<Pure>(&recorded);
  if (claim && sum && claim->epsilon < sum->epsilon * (1 - rounding))
    throw_error<VerificationError>("the certificate states {}epsilon = {}, but its steps add up to {}", what,
                                   claim->epsilon, sum->epsilon);
}

}  // namespace

void check_guarantee(const Certificate& certificate, const std::vector<Step>& steps, bool states_replaced) {
  std::vector<Event> events;
  events.reserve(steps.size());
  for (const Step& step : steps) events.push_back(step.event);
  const auto computed = [](const auto& compute) {
    try {
      return compute();
    } catch (const Error& error) {
      throw_error<VerificationError>("the guarantee cannot be recomputed: {}", error.what());
    }
  };
  check_same(certificate.guarantee, computed([&] {
               for (const Event& event : events) require_stated_for(event, certificate.neighbours);
               return compose(events, certificate.guarantee);
             }),
             "");
  require_pure_sum(certificate.guarantee,
                   computed([&] { return compose(events_of(certificate.steps), certificate.guarantee); }),
                   "");
  if (certificate.neighbours == Neighbours::replace_one || !states_replaced) return;
  if (!certificate.replaced) throw_error<VerificationError>("the guarantee for a replaced unit is missing");
  check_same(*certificate.replaced,
             computed([&] { return replaced_guarantee(steps, certificate.guarantee); }), "replaced.",
             asked_delta(certificate.guarantee));
  require_pure_sum(*certificate.replaced,
                   computed([&] { return replaced_guarantee(certificate.steps, certificate.guarantee); }),
                   "replaced.");
}

namespace {

// "age@17.5" and "age@17.500000000000004", or such names with a "*" between them.
bool same_feature(std::string_view made, std::string_view fitted) {
  const auto differs = std::ranges::mismatch(made, fitted);
  if (differs.in1 == made.end() && differs.in2 == fitted.end()) return true;
  const auto same = made.substr(0, static_cast<std::size_t>(differs.in1 - made.begin()));
  const std::size_t at = same.rfind('@');
  if (at == std::string_view::npos) return false;
  const auto take_knot = [&](std::string_view& name) -> std::optional<double> {
    name.remove_prefix(at + 1);
    double knot = 0;
    const auto end = fast_float::from_chars(name.data(), name.data() + name.size(), knot);
    if (end.ec != std::errc()) return std::nullopt;
    name.remove_prefix(static_cast<std::size_t>(end.ptr - name.data()));
    return knot;
  };
  const std::optional<double> one = take_knot(made), other = take_knot(fitted);
  return one && other && same_number(*one, *other) && same_feature(made, fitted);
}

// Nothing is made of a schema that makes more than the model has, which may be very much.
void check_number_of_features(const FittedModel& model) {
  std::map<std::string, std::size_t> sizes;
  std::size_t made = 0;
  const auto add = [&](std::size_t more) {
    made += more;
    if (made > model.features)
      throw_error<VerificationError>("the schema makes more features than the model's {}", model.features);
  };
  for (const SchemaColumn& column : model.schema->columns) {
    Schema alone;
    alone.columns = {column};
    for (const BlockAxis& block : block_axes(alone)) {
      sizes[block.axis.column] = block.features;
      add(block.features);
    }
  }
  for (const auto& [a, b] : model.schema->pairs) add(sizes.at(a) * sizes.at(b));
  if (made < model.features)
    throw_error<VerificationError>("the schema makes {} features, the model has {}", made, model.features);
}

}  // namespace

std::string other_feature(std::string_view whose, const std::vector<std::string>& made,
                          const std::vector<std::string>& fitted) {
  for (std::size_t k = 0; k < std::min(made.size(), fitted.size()); ++k)
    if (!same_feature(made[k], fitted[k]))
      return fmt::format("feature {} of the {} is \"{}\", the model was fitted with \"{}\" there", k + 1,
                         whose, made[k], fitted[k]);
  return "";
}

void check_features_of_schema(const FittedModel& model) {
  if (!model.schema || model.schema->columns.empty()) return;  // labels alone are described
  check_number_of_features(model);
  if (model.names.empty()) return;
  if (const std::string other = other_feature("schema", feature_names(*model.schema), model.names);
      !other.empty())
    throw_error<VerificationError>(
        "the schema's columns are in another order than the fit's, or were renamed: {}", other);
}

void check_digest(const Json& json) {
  if (sha256(sealed_bytes(json)) != text(json, "digest"))
    throw_error<VerificationError>("the digest does not hold: the file was changed after it was written");
}

SignatureState check_signature(const Json& json, std::optional<std::string_view> key) {
  const bool present = json.contains("signature");
  if (present) require_signature_form(text(json, "signature"));
  if (!key) return present ? SignatureState::present_unchecked : SignatureState::absent;
  if (!present) throw_error<VerificationError>("the file is not signed");
  check_ed25519(sealed_bytes(json), text(json, "signature"), *key);
  return SignatureState::valid;
}

SignatureState check_signature_of(const Json& json, std::string_view source,
                                  std::optional<std::string_view> key) {
  try {
    return check_signature(json, key);
  } catch (const VerificationError& error) {
    throw_error<VerificationError>("{}: {}", source, error.what());
  } catch (const DataError& error) {
    throw_error<DataError>("{}: {}", source, error.what());
  }
}

}  // namespace tacit::inline v1

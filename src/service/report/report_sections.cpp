#include "service/report/report_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/plot.hpp"
#include "model/schema_cost.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/ledger.hpp"
#include "tacit/verify.hpp"

namespace tacit::inline v1::service {

namespace {

struct Words {
  std::string whose;   // "one record"
  std::string change;  // "is replaced by any other"
};

Words words_for(Unit unit, Neighbours neighbours) {
  const std::string whose = unit == Unit::item ? "one record" : "all records of one person";
  switch (neighbours) {
    case Neighbours::replace_one:
      return {whose, unit == Unit::item ? "is replaced by any other record" : "are replaced by any others"};
    case Neighbours::zero_out:
      return {whose,
              unit == Unit::item ? "is left out and its place kept" : "are left out and their places kept"};
    case Neighbours::add_remove:
      break;
  }
  return {whose, unit == Unit::item ? "is added or removed" : "are added or removed"};
}

// A bound that is shown still bounds.
std::string shown_bound(double x) { return decimal_up(x, 6); }

std::string factor(double epsilon) {
  constexpr double largest = 700;  // e^epsilon overflows soon after
  return epsilon < largest ? factor_up(exp_up(epsilon), 4) : "e^" + shown_bound(epsilon);
}

struct Promise {
  std::string operator()(const NoPrivacy&) const { return ""; }
  std::string operator()(const Pure& g) const {
    return fmt::format("no conclusion becomes more than <strong>{} times</strong> as likely (e^ε, ε = {})",
                       factor(g.epsilon), shown_bound(g.epsilon));
  }
  std::string operator()(const Approx& g) const {
    if (g.delta >= 1) return "<strong>nothing is promised</strong> (δ would be 1)";
    return fmt::format(
        "no conclusion becomes more than <strong>{} times</strong> as likely (e^ε, ε = {}), and at most "
        "δ = {} more in probability on top of that",
        factor(g.epsilon), shown_bound(g.epsilon), g.delta);
  }
  std::string operator()(const Gaussian& g) const {
    return fmt::format(
        "no test tells the two cases apart better than one look at a bell curve tells whether it was shifted "
        "by <strong>{} standard deviation{}</strong> (Gaussian privacy, μ = {})",
        shown_bound(g.mu), shown_bound(g.mu) == "1" ? "" : "s", shown_bound(g.mu));
  }
  std::string operator()(const Zcdp& g) const {
    return fmt::format("the two cases stay as close as ρ = {} says (concentrated privacy)",
                       shown_bound(g.rho));
  }
  std::string operator()(const Renyi& g) const {
    return fmt::format("the two cases stay within {} in Rényi divergence of order {}",
                       shown_bound(g.epsilons.front()), g.orders.front());
  }
};

// The model file has its schema, too: what both tell together, in the words of the promise.
std::string schema_words(const Certificate& c) {
  if (!c.assumed_public.has("schema_cost")) return "";
  std::string words = fmt::format(
      "<p><strong>The schema comes on top:</strong> the file also has the schema, which was found "
      "privately at a cost of its own: {}.",
      html::text(c.assumed_public.text("schema_cost")));
  if (const std::optional<SchemaCost> schema = stated_schema_cost(c))
    if (const std::optional<Guarantee> both = with_schema(*schema, c))
      words += fmt::format(" Of the model and its schema together, {}.", std::visit(Promise{}, *both));
  return words + "</p>\n";
}

std::string percent_up(double p) { return decimal_up(100 * p, 4) + "&nbsp;%"; }

}  // namespace

std::string promise_of(const Guarantee& guarantee) {
  const auto* pure = std::get_if<Pure>(&guarantee);
  const auto* approx = std::get_if<Approx>(&guarantee);
  if (pure) return "epsilon = " + decimal_up(pure->epsilon, 6);
  if (approx)
    return fmt::format("epsilon = {}, delta = {}", decimal_up(approx->epsilon, 6),
                       decimal_up(approx->delta, 6));
  if (const auto* gaussian = std::get_if<Gaussian>(&guarantee)) return "mu = " + decimal_up(gaussian->mu, 6);
  return in_words(guarantee);
}

html::Section promise_section(const Certificate& c) {
  const Words words = words_for(c.unit, c.neighbours);
  std::string body = fmt::format(
      "<p>Suppose that {} {}. Whatever anyone then does with the model – reads its numbers, predicts with "
      "it, "
      "combines it with everything else they know, all the other records included – {}.</p>\n",
      words.whose, words.change, std::visit(Promise{}, c.guarantee));
  body += c.unit == Unit::item
              ? "<p><strong>Who is protected:</strong> every single record, that is, every row of the table. "
                "Someone with k rows in it is protected less: for them ε (or μ) is k times as large, and δ "
                "grows by more than that.</p>\n"
              : "<p><strong>Who is protected:</strong> every person, with all the records they have.</p>\n";
  if (const std::optional<Guarantee> replaced = replaced_guarantee(c))
    body += fmt::format("<p>Replacing {} is more than one such change: one away, one in. For that, {}.</p>\n",
                        c.unit == Unit::item ? "a record by another" : "all records of a person by others",
                        std::visit(Promise{}, *replaced));
  body += schema_words(c);
  body +=
      "<p><strong>What is not promised:</strong> that nothing is learned about people in general. If the "
      "model shows that a habit goes with an illness, that tells something about everybody with the habit, "
      "whether their record was there or not. Other models fitted to the same records spend on top of this "
      "one. The time and memory that the fit took are not covered.</p>\n";
  return {"promise", "What is promised, and to whom", body};
}

namespace {

// Of a guarantee by itself, whatever steps led to it; empty where it has no curve of its own.
std::vector<ProfilePoint> profile_of(const Guarantee& guarantee) {
  std::optional<Event> event;
  if (const auto* pure = std::get_if<Pure>(&guarantee)) event = PureEvent{pure->epsilon};
  if (const auto* approx = std::get_if<Approx>(&guarantee))
    event = ApproxEvent{approx->epsilon, approx->delta};
  if (const auto* gaussian = std::get_if<Gaussian>(&guarantee)) event = GaussianEvent{gaussian->mu};
  return event ? privacy_profile(std::span(&*event, 1), guarantee) : std::vector<ProfilePoint>{};
}

// `has` is what the attacker has: "the model".
std::string attacker_body(std::string_view has, const Words& words, std::span<const ProfilePoint> profile) {
  html::Table table{.caption = "The best attacker there can be",
                    .headers = {"False alarms", "Hits of the best attacker, at most", "Times as often"},
                    .rows = {}};
  for (const double a : {0.0001, 0.001, 0.01, 0.1, 0.5}) {
    const double hits = most_true_positives(profile, a);
    table.rows.push_back({fmt::format("{:g}&nbsp;%", 100 * a), percent_up(hits), factor_up(hits / a, 3)});
  }
  return fmt::format(
             "<p>An attacker has {} and wants to know which of two cases is true: the data as it was, or the "
             "data after {} {}. The attacker may know everything else. False alarms are how often the "
             "attacker "
             "claims the first case although the second is true; hits are how often the claim is made when "
             "it "
             "is right. Blind guessing hits as often as it raises false alarms, and a good promise keeps the "
             "best attacker close to that.</p>\n",
             has, words.whose, words.change) +
         html::table(table, "Hits of the best attacker");
}

}  // namespace

html::Section attacker_section(const Certificate& c, std::span<const ProfilePoint> profile) {
  const std::optional<SchemaCost> schema = stated_schema_cost(c);
  const std::optional<Guarantee> both = schema ? with_schema(*schema, c) : std::nullopt;
  const std::vector<ProfilePoint> sum = both ? profile_of(*both) : std::vector<ProfilePoint>{};
  std::string body = attacker_body(sum.empty() ? "the model" : "the model, and the schema in its file,",
                                   words_for(c.unit, c.neighbours), sum.empty() ? profile : sum);
  body += fmt::format(
      "<p>These are bounds for every possible attack, known or not{}, computed {} and rounded "
      "upwards.{}</p>\n",
      told_assumptions(c).empty() ? "" : " (if what the box at the top assumes is true)",
      sum.empty()
          ? "from the steps below by the accountant"
          : fmt::format("for what the model and its schema, which was found privately, cost together, {},",
                        html::text(promise_of(*both))),
      sum.empty() ? "" : " The curve and the steps below are the model's alone.");
  if (sum.empty() && c.assumed_public.has("schema_cost"))
    body += "<p>They are for the model; what its schema tells comes on top.</p>\n";
  return {"attacker", "What an attacker could find out", body};
}

std::string attacker_of_total(const std::string& name, const Guarantee& total, Unit unit,
                              Neighbours neighbours) {
  const std::vector<ProfilePoint> profile = profile_of(total);
  if (profile.empty()) return "";
  return attacker_body("everything that was charged to " + html::name(name), words_for(unit, neighbours),
                       profile) +
         fmt::format(
             "<p>These are bounds for every possible attack, known or not, for the whole of what was "
             "spent: {}.</p>\n",
             html::text(promise_of(total)));
}

html::Section curve_section(const Certificate& c, std::span<const ProfilePoint> profile) {
  std::string body =
      "<p>The promise can be stated with any ε: the smaller ε, the larger the probability δ that has to be "
      "added. Both axes matter: a single pair is one point of this curve.</p>\n";
  if (profile.size() < 2) {
    body += "<p>With an ε as large as this one there is no curve worth drawing.</p>\n";
    return {"curve", "The curve δ(ε)", body};
  }
  Series series;
  html::Table table{.caption = "Points of the curve", .headers = {"ε", "δ at most"}, .rows = {}};
  constexpr std::size_t every = 10;
  constexpr double least_drawn = 1e-12;  // below, a logarithmic axis shows nothing else
  const auto* approx = std::get_if<Approx>(&c.guarantee);
  for (std::size_t k = 0; k < profile.size(); ++k) {
    if (profile[k].delta >= least_drawn) {
      series.x.push_back(profile[k].epsilon);
      series.y.push_back(profile[k].delta);
    }
    const bool stated = approx != nullptr && profile[k].epsilon == approx->epsilon;
    if (k % every != 0 && k + 1 != profile.size() && !stated) continue;
    std::vector<std::string> row{
        decimal_up(profile[k].epsilon, 4),
        profile[k].delta == 0 ? "0" : decimal_up(std::min(1.0, profile[k].delta), 3)};
    // The stated ε may lie next to one of the others, and look the same.
    if (table.rows.empty() || table.rows.back() != row) table.rows.push_back(std::move(row));
  }
  body +=
      "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"Plot of delta against epsilon\">\n";
  body += "<figure>\n" + to_svg({.title = "δ against ε, for this model",
                                 .x_label = "ε",
                                 .y_label = "δ",
                                 .log_y = true,
                                 .series = {series}});
  body += "</figure>\n</div>\n";
  body += html::table(table, "Points of the curve of delta against epsilon");
  if (std::holds_alternative<Pure>(c.guarantee))
    body += "<p>The promise is pure: from its ε on, δ is 0.</p>\n";
  return {"curve", "The curve δ(ε)", body};
}

namespace {

std::string cost_of(const Step& step) {
  std::string text = describe(step.event);
  if (const auto* sampled = std::get_if<PoissonGaussianEvent>(&step.event))
    text += fmt::format(", {} times", sampled->steps);
  return text;
}

// Some mechanisms draw what they release, and have a scale that is none of noise.
bool adds_noise(const Step& step) {
  static constexpr std::array draw = {"exponential", "exponential-on-cells", "posterior-sample",
                                      "private-tuning", "stability-failure"};
  return std::ranges::find(draw, step.mechanism) == draw.end();
}

std::string norm_name(Norm norm) {
  static constexpr std::array names{"ℓ1", "ℓ2", "ℓ∞", "gauge"};
  return names[static_cast<std::size_t>(norm)];
}

bool alike(const Step& a, const Step& b) {
  if (!a.inner.empty() || !b.inner.empty()) return false;
  return a.mechanism == b.mechanism && a.event == b.event && a.scale == b.scale && a.grid == b.grid &&
         a.dimension == b.dimension && a.sensitivity.total() == b.sensitivity.total() &&
         a.sensitivity.reason == b.sensitivity.reason;
}

// Steps that have others within spend what these spend together: each has a row, then those within.
class StepRows {
 public:
  explicit StepRows(std::vector<std::vector<std::string>>& rows) : rows_(rows) {}

  // How many of the steps have found a row, at the outermost level.
  std::size_t add(const std::vector<Step>& steps, const std::string& of = "") {
    std::size_t k = 0;
    while (k < steps.size() && rows_.size() < most_rows) {
      std::size_t end = k + 1;
      while (end < steps.size() && alike(steps[k], steps[end])) ++end;
      rows_.push_back(row(steps[k], of, k + 1, end));
      add(steps[k].inner, fmt::format("{}{}.", of, k + 1));
      k = end;
    }
    return k;
  }

 private:
  static constexpr std::size_t most_rows = 200;  // a page is for reading; the file has them all

  static std::vector<std::string> row(const Step& step, const std::string& of, std::size_t first,
                                      std::size_t last) {
    const std::string number =
        first == last ? fmt::format("{}{}", of, last) : fmt::format("{0}{1}–{0}{2}", of, first, last);
    const std::string times = step.times == 1 ? "" : fmt::format(", at most {} times", step.times);
    const std::string cost = html::text(cost_of(step) + times) + (first == last ? "" : " each");
    if (!step.inner.empty())
      return {number,       html::text(step.mechanism),         cost, "see within", "see within",
              "see within", html::text(step.sensitivity.reason)};
    return {number,
            html::text(step.mechanism),
            cost,
            fmt::format("{}", step.dimension),
            adds_noise(step) ? fmt::format("{:.4g}", step.scale) : "none added",
            step.sensitivity.total() == 0 ? "–"
                                          : fmt::format("{} ({})", decimal_up(step.sensitivity.total(), 4),
                                                        norm_name(step.sensitivity.norm)),
            html::text(step.sensitivity.reason)};
  }

  std::vector<std::vector<std::string>>& rows_;
};

}  // namespace

html::Section steps_section(const Certificate& c) {
  html::Table table{.caption = "Every use of a mechanism, in order; 2.1 is the first within step 2",
                    .headers = {"Step", "Mechanism", "What it spent", "Numbers released", "Noise scale",
                                "One record moves it by at most", "Why"},
                    .rows = {}};
  if (c.unit == Unit::user) table.headers[5] = "One person moves it by at most";
  const std::size_t told = StepRows(table.rows).add(c.steps);
  std::string body = fmt::format(
      "<p>The budget of <code>{}</code> was charged {} before anything came out. One charge may "
      "cover many noisy steps, and one release may take more than one charge. Where a mechanism adds noise, "
      "the "
      "noise is exact; the others draw their result itself at random.</p>\n",
      html::text(c.method),
      c.steps.size() == 1 ? "once," : fmt::format("{} times, each time", c.steps.size()));
  body += html::table(table, "What each step spent");
  if (told < c.steps.size())
    body += fmt::format("<p>{} more steps are in the model file.</p>\n", c.steps.size() - told);
  return {"steps", "What each step spent", body};
}

}  // namespace tacit::inline v1::service

#include "tacit/audit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "audit/replay/recorded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::inline v1::audit {

namespace {

WatchedRun watched_run(const Subject& subject, const Problem& problem, BitSource& bits) {
  WatchedRun run;
  RootMeter meter(subject.budget, bits);
  meter.watch([&](const Step& step, std::span<const double> opened) {
    run.opened.push_back({step, {opened.begin(), opened.end()}});
  });
  try {
    run.release.emplace(subject.method->fit(problem, subject.facts, meter));
  } catch (const Error& error) {
    run.failure = error.what();
  }
  return run;
}

// How many of the opened values are compared: all, or where later ones build on earlier releases, those up to
// the first that differs. Before it all releases were the same, as the bits are. Where a record may be
// missing the draws of batches can fall out of step, so there it is the first alone, unless places are kept.
std::size_t compared(const Replayed& replayed) {
  const auto &a = replayed.runs[0].opened, &b = replayed.runs[1].opened;
  const std::size_t both = std::min(a.size(), b.size());
  if (!replayed.subject->adaptive) return both;
  if (replayed.subject->budget.neighbours != Neighbours::replace_one && !replayed.subject->keeps_places)
    return std::min<std::size_t>(both, 1);
  std::size_t count = 0;
  while (count < both && a[count].value == b[count].value) ++count;
  return std::min(both, count + 1);
}

bool same_steps(const Replayed& replayed) {
  const WatchedRun &a = replayed.runs[0], &b = replayed.runs[1];
  const bool adaptive = replayed.subject->adaptive;
  const auto first = std::span(a.opened).first(adaptive ? compared(replayed) : a.opened.size());
  const auto second = std::span(b.opened).first(adaptive ? compared(replayed) : b.opened.size());
  return std::ranges::equal(first, second, {}, &Opened::step, &Opened::step) &&
         a.release->certificate.steps == b.release->certificate.steps;
}

bool same_public_facts(const Certificate& a, const Certificate& b, const std::vector<std::string>& released) {
  Facts left, right;
  for (const auto& [from, to] : {std::pair(&a, &left), std::pair(&b, &right)})
    for (const auto& [key, value] : from->options.entries())
      if (std::ranges::find(released, key) == released.end()) to->set(key, value);
  return a.method == b.method && left.entries() == right.entries() &&
         a.assumed_public.entries() == b.assumed_public.entries() && a.assumptions == b.assumptions;
}

Check must_be_same(std::string what, bool same) {
  return {CheckKind::outcome, std::move(what), "", 0, same ? 0.0 : 1.0};
}

double distance(Norm norm, const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double l1 = 0, linf = 0, l2 = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double gap = std::fabs(a[k] - b[k]);
    if (std::isnan(gap)) return gap;
    l1 += gap;
    l2 = std::hypot(l2, gap);
    linf = std::max(linf, gap);
  }
  // The gauge of blocks belongs to ideal mechanisms, which checks of their own compare.
  if (norm == Norm::gauge) return std::numeric_limits<double>::infinity();
  return norm == Norm::l1 ? l1 : norm == Norm::l2 ? l2 : linf;
}

// Where a step of the certificate has others within it, of which there may be many, the mechanism tells them
// apart, and not their number.
struct Titles {
  const Certificate& certificate;

  std::string operator()(std::size_t k, const Step& step, std::string_view what) const {
    const bool nested =
        std::ranges::any_of(certificate.steps, [](const Step& charged) { return !charged.inner.empty(); });
    return nested ? fmt::format("an inner step ({}): {}", step.mechanism, what)
                  : fmt::format("step {} ({}): {}", k + 1, step.mechanism, what);
  }
};

// How many records of a user differ where the step is for one record [tacit/meter.hpp, Group].
double records_that_differ(const Step& step, const std::vector<Step>& charged) {
  for (const Step& whole : charged)
    if (const auto* group = std::get_if<Group>(&whole.nesting);
        group != nullptr && std::ranges::find(whole.inner, step) != whole.inner.end())
      return static_cast<double>(group->records);
  return 1;
}

Check movement(const std::string& what, const Opened& a, const Opened& b, double records) {
  const Sensitivity& claimed = a.step.sensitivity;
  return {CheckKind::movement, what, "", records * claimed.total(), distance(claimed.norm, a.value, b.value)};
}

// Noise that goes into a problem is drawn without a look at the data.
Check same_noise(const std::string& what, const Opened& a, const Opened& b) {
  return must_be_same(what, a.value == b.value);
}

// The cost of a step that adds noise of a known law is at least sensitivity/scale.
std::optional<Check> cost(const std::string& what, const Step& step) {
  double charged = 0;
  if (const auto* laplace = std::get_if<LaplaceEvent>(&step.event))
    charged = laplace->epsilon;
  else if (const auto* isotropic = std::get_if<IsotropicLaplaceEvent>(&step.event))
    charged = isotropic->epsilon;
  else if (const auto* gaussian = std::get_if<GaussianEvent>(&step.event))
    charged = gaussian->mu;
  else
    return std::nullopt;
  return Check{CheckKind::account, what, "", charged, div_down(step.sensitivity.total(), step.scale)};
}

}  // namespace

bool opens_an_ideal(const Step& step) {
  return step.mechanism == "objective-perturbation" || step.mechanism == "noise-cover" ||
         step.mechanism == "posterior-sample";
}

Replayed replay(const Subject& subject, const NeighbourPair& pair, BitSource& source) {
  RecordedBits bits(source);
  Replayed result;
  result.subject = &subject;
  for (const int side : {0, 1}) {
    bits.rewind();
    result.problems[side] = {
        .data = side == 0 ? &pair.first : &pair.second, .loss = subject.loss, .intercept = subject.intercept};
    result.problems[side].blocks = subject.blocks;
    result.runs[side] = watched_run(subject, result.problems[side], bits);
  }
  return result;
}

std::vector<Check> check_replay(const Replayed& replayed) {
  const WatchedRun &a = replayed.runs[0], &b = replayed.runs[1];
  std::vector<Check> checks{must_be_same("it fails on both or on neither", a.failure == b.failure)};
  if (!a.release || !b.release) return checks;
  checks.push_back(must_be_same("the steps are the same", same_steps(replayed)));
  checks.push_back(must_be_same(
      "the public facts are the same",
      same_public_facts(a.release->certificate, b.release->certificate, replayed.subject->released_facts)));
  const std::size_t moved = compared(replayed);
  const Titles title{a.release->certificate};
  for (std::size_t k = 0; k < std::min(a.opened.size(), b.opened.size()); ++k) {
    const Opened &first = a.opened[k], &second = b.opened[k];
    if (k < moved && first.step.mechanism == "objective-perturbation")
      checks.push_back(same_noise(title(k, first.step, "the noise is the same"), first, second));
    else if (k < moved && !opens_an_ideal(first.step))
      checks.push_back(movement(title(k, first.step, "how far the value moves, within its sensitivity"),
                                first, second,
                                records_that_differ(first.step, a.release->certificate.steps)));
    const std::string paid = title(k, first.step, "sensitivity over scale, within what is charged");
    if (const auto check = cost(paid, first.step)) checks.push_back(*check);
  }
  return checks;
}

}  // namespace tacit::inline v1::audit

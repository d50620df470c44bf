#include "algorithm/statistics/answers.hpp"

#include <cmath>

#include "core/bisect.hpp"
#include "noise/counts.hpp"
#include "noise/selection.hpp"
#include "tacit/account.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::inline v1::statistics {

namespace {

Sensitivity l1_of(const VectorQuestion& q) {
  return {.value = q.l1, .slack = 0, .norm = Norm::l1, .reason = q.reason};
}
Sensitivity l2_of(const VectorQuestion& q) {
  return {.value = q.l2, .slack = 0, .norm = Norm::l2, .reason = q.reason};
}
Sensitivity l2_of(const TextsQuestion& q) {
  return {.value = q.l2, .slack = 0, .norm = Norm::l2, .reason = q.reason};
}
Sensitivity of(const ChoiceQuestion& q) {
  return {.value = q.moves, .slack = q.slack, .norm = Norm::linf, .reason = q.reason};
}

bool is_pure(const Price& price) { return std::holds_alternative<Pure>(price.target); }

// Rounded down, so that the sum over all shares stays within the target.
Pure epsilon_of(const VectorQuestion& q, const Price& price) { return {mul_down(price.of_share, q.share)}; }
Pure epsilon_of(const ChoiceQuestion& q, const Price& price) {
  return {is_pure(price) ? mul_down(price.of_share, q.share) : std::sqrt(8 * price.of_share * q.share)};
}
// Of a vector or of texts: a share costs the same mu whichever is asked.
double sigma_of(const auto& q, const Price& price) { return q.l2 / std::sqrt(2 * price.of_share * q.share); }

// Is told zeros, and keeps what was asked.
class Plans : public Answers {
 public:
  Answer vector(const VectorQuestion& question, const std::function<Vector()>&) override {
    vectors.push_back(question);
    return {Vector::Zero(static_cast<Eigen::Index>(question.dimension)), {}};
  }
  std::size_t choice(const ChoiceQuestion& question, const std::function<Vector()>&) override {
    choices.push_back(question);
    return 0;
  }
  noise::TextCounts texts(const TextsQuestion& question, const std::function<noise::TextCounts()>&) override {
    texts_asked.push_back(question);
    return {};
  }
  void may_fail(double delta, const std::string& reason) override {
    failures.push_back(noise::plan_failure(delta, reason).event);
  }

  double shares() const {
    double sum = 0;
    for (const auto& q : vectors) sum = add_up(sum, q.share);
    for (const auto& q : choices) sum = add_up(sum, q.share);
    for (const auto& q : texts_asked) sum = add_up(sum, q.share);
    return sum;
  }
  std::vector<Event> events(const Price& price) const {
    std::vector<Event> all = failures;
    for (const auto& q : texts_asked) all.push_back(plan(q, price).event);
    for (const auto& q : vectors) all.push_back(plan(q, price).event);
    for (const auto& q : choices) all.push_back(plan(q, price).event);
    return all;
  }

  std::vector<VectorQuestion> vectors;
  std::vector<ChoiceQuestion> choices;
  std::vector<TextsQuestion> texts_asked;
  std::vector<Event> failures;
};

double largest_rho(const Plans& plans, const Approx& target) {
  const auto too_much = [&](double rho) {
    const auto given = compose(plans.events({target, rho}), target);
    return std::get<Approx>(given).epsilon > target.epsilon;
  };
  // What rho by itself would give brackets the answer: the accountant is within a factor of it.
  double high = target.epsilon * target.epsilon / plans.shares();
  while (!too_much(high)) high *= 2;
  constexpr double tolerance = 1e-3;  // of rho [utility only]
  return bisect(0, high, tolerance, too_much).last_false;
}

// Rounded sums of many shares: 2^−40 of room.
Price pure_price(const Plans& plans, double epsilon) {
  return {Pure{epsilon}, mul_down(div_down(epsilon, plans.shares()), 1 - 0x1p-40)};
}

bool can_plan(const Plans& plans, double epsilon) {
  try {
    plans.events(pure_price(plans, epsilon));
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

// Before anything is charged: every question can be answered at this epsilon.
void require_plans(const Plans& plans, double epsilon) {
  if (can_plan(plans, epsilon)) return;
  double enough = epsilon;
  while (enough < 1 && !can_plan(plans, enough)) enough *= 2;
  if (!can_plan(plans, enough)) plans.events(pure_price(plans, epsilon));  // says what else is wrong
  throw_error<UsageError>("epsilon is {}, too small to be shared by {} questions, expected at least {}",
                          epsilon, plans.vectors.size() + plans.choices.size(), decimal_up(enough, 2));
}

}  // namespace

bool asks(const Statistic& statistic) {
  Plans plans;
  statistic(plans);
  return plans.shares() > 0;
}

Price price(const Statistic& statistic, const Guarantee& target) {
  validate(target);
  Plans plans;
  statistic(plans);
  if (!(plans.shares() > 0))
    throw_error<UsageError>("there is nothing to release: no question is asked of the records");
  if (const auto* pure = std::get_if<Pure>(&target)) {
    require_plans(plans, pure->epsilon);
    return pure_price(plans, pure->epsilon);
  }
  if (const auto* approx = std::get_if<Approx>(&target)) return {target, largest_rho(plans, *approx)};
  throw_error<UsageError>("statistics are released under epsilon, or epsilon and delta");
}

Step plan(const VectorQuestion& q, const Price& price) {
  if (!is_pure(price)) return noise::plan_gaussian(l2_of(q), sigma_of(q, price), q.range, q.dimension);
  if (q.whole) return noise::plan_geometric(l1_of(q), epsilon_of(q, price), q.dimension);
  return noise::plan_laplace_vector(l1_of(q), noise::scale_for(l1_of(q), epsilon_of(q, price)), q.range,
                                    q.dimension);
}

Step plan(const ChoiceQuestion& q, const Price& price) {
  return noise::plan_exponential(of(q), q.range, epsilon_of(q, price), q.candidates);
}

Step plan(const TextsQuestion& q, const Price& price) {
  if (is_pure(price))
    throw_error<UsageError>(
        "unlisted texts can be released only with a delta; give one, or list them in a schema");
  return noise::plan_frequent(l2_of(q), sigma_of(q, price), q.range);
}

Answer ReleasedAnswers::vector(const VectorQuestion& q, const std::function<Vector()>& exact) {
  const Budget& budget = meter_->budget();
  const auto sensitive = [&](Sensitivity sensitivity) {
    return Sensitive<Vector>(exact(), std::move(sensitivity), budget.neighbours, budget.unit);
  };
  const Step step = plan(q, price_);
  const Released<Vector> noisy =
      !is_pure(price_) ? noise::gaussian(sensitive(l2_of(q)), step.scale, q.range, *meter_)
      : q.whole        ? noise::geometric(sensitive(l1_of(q)), epsilon_of(q, price_), q.range, *meter_)
                       : noise::laplace_vector(sensitive(l1_of(q)), step.scale, q.range, *meter_);
  released_.emplace_back(noisy.value().begin(), noisy.value().end());
  return {noisy.value(), step};
}

std::size_t ReleasedAnswers::choice(const ChoiceQuestion& q, const std::function<Vector()>& scores) {
  const Budget& budget = meter_->budget();
  const Sensitive<Vector> ranked(scores(), of(q), budget.neighbours, budget.unit);
  const std::size_t chosen = noise::exponential(ranked, q.range, epsilon_of(q, price_), *meter_).value();
  released_.push_back({static_cast<double>(chosen)});
  return chosen;
}

noise::TextCounts ReleasedAnswers::texts(const TextsQuestion& q,
                                         const std::function<noise::TextCounts()>& exact) {
  const Budget& budget = meter_->budget();
  const Sensitive<noise::TextCounts> counts(exact(), l2_of(q), budget.neighbours, budget.unit);
  const auto found = noise::frequent(counts, plan(q, price_).scale, q.range, q.failure, *meter_).value();
  released_.emplace_back();
  texts_.emplace_back();
  for (const auto& [text, count] : found) {
    released_.back().push_back(count);
    texts_.back().push_back(text);
  }
  return found;
}

void ReleasedAnswers::may_fail(double delta, const std::string& reason) {
  noise::charge_failure(noise::plan_failure(delta, reason), *meter_);
}

const std::vector<double>& RecordedAnswers::next() {
  if (answered_ >= released_.size())
    throw_error<VerificationError>("answer {} is missing from \"released\"", answered_ + 1);
  return released_[answered_++];
}

const std::vector<double>& RecordedAnswers::next(std::size_t size) {
  const std::vector<double>& held = next();
  if (held.size() != size)
    throw_error<VerificationError>("answer {} has {} numbers, expected {}", answered_, held.size(), size);
  return held;
}

void RecordedAnswers::require_on_grid(const std::vector<double>& held) const {
  for (const double v : held)
    if (!std::isfinite(v) || std::fmod(v, steps_.back().grid) != 0)
      throw_error<VerificationError>("answer {} has {}, which does not lie on the grid of {:a}", answered_, v,
                                     steps_.back().grid);
}

Answer RecordedAnswers::vector(const VectorQuestion& q, const std::function<Vector()>&) {
  steps_.push_back(plan(q, price_));
  const std::vector<double>& held = next(q.dimension);
  require_on_grid(held);
  return {Eigen::Map<const Vector>(held.data(), static_cast<Eigen::Index>(held.size())), steps_.back()};
}

std::size_t RecordedAnswers::choice(const ChoiceQuestion& q, const std::function<Vector()>&) {
  steps_.push_back(plan(q, price_));
  const double chosen = next(1)[0];
  if (!(chosen >= 0 && chosen < static_cast<double>(q.candidates) && std::floor(chosen) == chosen))
    throw_error<VerificationError>("answer {} is {}, expected the number of one of {} candidates", answered_,
                                   chosen, q.candidates);
  return static_cast<std::size_t>(chosen);
}

noise::TextCounts RecordedAnswers::texts(const TextsQuestion& q, const std::function<noise::TextCounts()>&) {
  steps_.push_back(plan(q, price_));
  const std::vector<double>& held = next();
  require_on_grid(held);
  if (texts_answered_ >= texts_.size() || texts_[texts_answered_].size() != held.size())
    throw_error<VerificationError>("the texts of answer {} are missing", answered_);
  const std::vector<std::string>& found = texts_[texts_answered_++];
  // Other machines may have another last digit.
  const double least = noise::frequent_threshold(steps_.back(), q.failure) * (1 - 0x1p-30);
  noise::TextCounts counts;
  for (std::size_t k = 0; k < held.size(); ++k) {
    if (!(held[k] >= least) || (k > 0 && !(found[k - 1] < found[k])))
      throw_error<VerificationError>("answer {} holds a text that the release rule excludes", answered_);
    counts.emplace_back(found[k], held[k]);
  }
  return counts;
}

void RecordedAnswers::may_fail(double delta, const std::string& reason) {
  steps_.push_back(noise::plan_failure(delta, reason));
}

void RecordedAnswers::require_all_used() const {
  if (answered_ != released_.size() || texts_answered_ != texts_.size())
    throw_error<VerificationError>("\"released\" has {} answers, but {} questions were asked",
                                   released_.size() + texts_.size(), answered_ + texts_answered_);
}

}  // namespace tacit::inline v1::statistics

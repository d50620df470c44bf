#pragma once

// Statistics ask questions of the records, and are a function of the noisy answers and of public values alone
// [docs/describe.md]. The same function runs three times: to plan, where it is told zeros and its questions
// are priced; to release; and to verify, where the answers come from the file that it must have written.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "noise/frequent.hpp"
#include "tacit/core.hpp"
#include "tacit/guarantee.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::statistics {

// Several numbers: one unit moves them by at most `l1` in sum and `l2` in length.
struct VectorQuestion {
  double l1 = 1, l2 = 1;
  std::string reason;
  double range = 1;  // public bound on each number
  std::size_t dimension = 1;
  bool whole = false;  // all of them are whole numbers
  double share = 1;    // of the budget, against the others'
};

// One of several candidates, by scores of which one unit moves each by at most `moves`.
struct ChoiceQuestion {
  double moves = 1, slack = 0;
  std::string reason;
  double range = 1;  // public bound on each score
  std::size_t candidates = 1;
  double share = 1;
};

// The texts that many units have, of which nobody says which there are. Under an approximate target only: a
// text that one unit alone has is told with probability `failure`, which Answers::may_fail has paid for.
struct TextsQuestion {
  double l2 = 1;
  std::string reason;
  double range = 1;  // public bound on each count
  double share = 1;
  double failure = 0;
};

// A vector's answer and the step that gave it, which says the law of its noise.
struct Answer {
  Vector value;
  Step step;
};

class TACIT_API Answers {
 public:
  virtual ~Answers() = default;
  // `exact` is called only where there are records.
  virtual Answer vector(const VectorQuestion& question, const std::function<Vector()>& exact) = 0;
  virtual std::size_t choice(const ChoiceQuestion& question, const std::function<Vector()>& scores) = 0;
  virtual noise::TextCounts texts(const TextsQuestion& question,
                                  const std::function<noise::TextCounts()>& exact) = 0;
  // Of all questions that rest on it.
  virtual void may_fail(double delta, const std::string& reason) = 0;
};

using Statistic = std::function<void(Answers&)>;

// Whether it asks anything at all.
TACIT_API bool asks(const Statistic& statistic);

// What a share of 1 buys: epsilon of a pure guarantee, rho of an approximate one.
struct Price {
  Guarantee target;  // Pure or Approx
  double of_share = 0;
};
// Prices all questions so that they keep the target together. Under an Approx target vectors get Gaussian
// noise of mu² = 2·rho·share and choices the range epsilon² = 8·rho·share, with the largest rho that the
// accountant admits. UsageError for other notions.
TACIT_API Price price(const Statistic& statistic, const Guarantee& target);

// The steps that answer them.
TACIT_API Step plan(const VectorQuestion& question, const Price& price);
TACIT_API Step plan(const ChoiceQuestion& question, const Price& price);
TACIT_API Step plan(const TextsQuestion& question, const Price& price);

// From records, by mechanisms that charge the meter.
class TACIT_API ReleasedAnswers : public Answers {
 public:
  ReleasedAnswers(Price price, Meter& meter) : price_(price), meter_(&meter) {}
  Answer vector(const VectorQuestion& question, const std::function<Vector()>& exact) override;
  std::size_t choice(const ChoiceQuestion& question, const std::function<Vector()>& scores) override;
  noise::TextCounts texts(const TextsQuestion& question,
                          const std::function<noise::TextCounts()>& exact) override;
  void may_fail(double delta, const std::string& reason) override;

  // All that left, question by question; and the texts, where these are an answer.
  const std::vector<std::vector<double>>& released() const { return released_; }
  const std::vector<std::vector<std::string>>& released_texts() const { return texts_; }

 private:
  Price price_;
  Meter* meter_;
  std::vector<std::vector<double>> released_;
  std::vector<std::vector<std::string>> texts_;
};

// From what a file says was released. VerificationError where that cannot be.
class TACIT_API RecordedAnswers : public Answers {
 public:
  RecordedAnswers(Price price, std::vector<std::vector<double>> released,
                  std::vector<std::vector<std::string>> texts = {})
      : price_(price), released_(std::move(released)), texts_(std::move(texts)) {}
  Answer vector(const VectorQuestion& question, const std::function<Vector()>& exact) override;
  std::size_t choice(const ChoiceQuestion& question, const std::function<Vector()>& scores) override;
  noise::TextCounts texts(const TextsQuestion& question,
                          const std::function<noise::TextCounts()>& exact) override;
  void may_fail(double delta, const std::string& reason) override;

  const std::vector<Step>& steps() const { return steps_; }
  void require_all_used() const;

 private:
  const std::vector<double>& next();
  const std::vector<double>& next(std::size_t size);
  void require_on_grid(const std::vector<double>& held) const;
  Price price_;
  std::vector<std::vector<double>> released_;
  std::vector<std::vector<std::string>> texts_;
  std::size_t answered_ = 0, texts_answered_ = 0;
  std::vector<Step> steps_;
};

}  // namespace tacit::inline v1::statistics

#pragma once

// How good a model is, in noisy numbers [docs/evaluate.md].
//
// Asks        the mean of each bounded score of a record (right or wrong; a clipped log loss; clipped
// errors), and
//             how many records of each of two classes have their score in each of some cells.
// Assumes     nothing: what is not bounded is cut to public bounds.
// Guarantees  epsilon-DP, or (epsilon, delta)-DP, for a record or for all records of a user.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithm/statistics/columns.hpp"
#include "tacit/meter.hpp"
#include "tacit/method.hpp"

namespace tacit::inline v1::statistics {

// What a record says of a model; the lists are empty where the model has no such score.
struct Scores {
  std::vector<double> right;     // 1 or 0
  std::vector<double> log_loss;  // within [0, log_loss_bound]
  std::vector<double> cell;      // of score and class: 2·cell + class
  std::vector<double> absolute;  // errors within [0, range]
  std::vector<double> squared;   // within [0, range²]
  std::vector<std::int64_t> weights;
};

struct TACIT_API ScoreOptions {
  Guarantee target = Pure{1};  // pure or approximate
  Unit unit = Unit::item;
  Neighbours neighbours = Neighbours::zero_out;
  bool classifies = true;
  bool probabilities = true;  // else a decision, of two classes
  bool two_classes = true;    // then AUC
  double range = 1;           // of a number's error, > 0
  std::int64_t cells = 32;    // of the scores, 2 … 1000
  double confidence = 0.95;   // of each interval, in (0, 1)

  static const OptionTable<ScoreOptions>& table();
  void validate() const;
};

// A probability below this counts as this in the log loss: −ln is then at most 4.6.
inline constexpr double least_probability = 0.01;
inline constexpr double log_loss_bound = 4.605170185988092;  // −ln 0.01, rounded up

struct CalibrationCell {
  double low = 0, high = 0;  // of the predicted probability
  Estimate count;            // records there
  Estimate share;            // of them that have the second class
};

struct ScoreReport {
  std::vector<std::pair<std::string, Estimate>> metrics;  // accuracy, log_loss, auc; rmse, mae
  std::vector<CalibrationCell> calibration;
  // What the best constant gets by the same metric: of two classes, whose shares the cells tell.
  std::vector<std::pair<std::string, Estimate>> constants;
};

// Which cell a score in [0, 1] is in.
TACIT_API std::size_t cell_of(double score, std::size_t cells);

TACIT_API ScoreReport score(const ScoreOptions& options, std::optional<std::size_t> units,
                            const Scores* scores, Answers& answers);

}  // namespace tacit::inline v1::statistics

#pragma once

#include <memory>
#include <vector>

#include "core/interval.hpp"
#include "noise/lazy_gaussian.hpp"
#include "sampler/envelope.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::sampler {

// Everything a trial needs that stays the same.
struct Setting {
  Target target;
  std::unique_ptr<RecordSums> records;
  Envelope envelope;
  std::vector<double> log_weights;  // of the shells, for the race
  // ln ∏deviation − log_weight for each shell: at most its floor, and the floor that the acceptance uses.
  std::vector<double> floors;
  Energy at_mode;
};
Setting make_setting(Target target, unsigned threads);
// The weights and floors that belong to the envelope's shells.
void weigh_shells(Setting& setting);

// One proposal: θ* = mode + T·D·z, a real vector, D the deviations of a shell.
class Trial {
 public:
  Trial(const Setting& setting, std::size_t shell, BitSource& bits);

  // Whether θ* lies in its shell and in the ball, and a uniform below exp of the log-acceptance. Exact.
  // An acceptance above 1, which a right envelope never has, throws: nothing is accepted by it.
  bool accepted(BitSource& bits);
  // θ*, each coordinate rounded to the nearest multiple of the grid. Exact.
  Vector rounded(double grid, BitSource& bits);

  bool was_undecided() const { return undecided_; }

  // The parts of accepted(); each is exact.
  bool in_shell(BitSource& bits);
  bool in_ball(BitSource& bits);
  bool wins(BitSource& bits);
  // The log-acceptance in doubles with a bound on its error, and enclosed in an interval.
  Energy log_acceptance() const;
  Interval exact_log_acceptance(std::size_t words, BitSource& bits);

 private:
  // The trial in interval arithmetic, from `words` words of each uniform.
  struct Exact {
    std::vector<Interval> z, theta;
    long precision = 0;
  };
  const Exact& exact(std::size_t words, BitSource& bits);
  bool exactly_in_shell(BitSource& bits);
  bool exactly_in_ball(BitSource& bits);
  Interval exact_energy(const std::vector<Interval>& theta, long precision) const;

  const Setting& setting_;
  std::size_t shell_;
  noise::LazyGaussians z_;
  Vector theta_;         // near θ*
  double distance_ = 0;  // ‖theta_ − θ*‖ ≤ distance_
  Exact exact_;
  std::size_t exact_words_ = 0;
  bool undecided_ = false;
};

}  // namespace tacit::inline v1::sampler

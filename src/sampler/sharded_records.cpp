#include "sampler/sharded_records.hpp"

#include "sampler/records_here.hpp"

namespace tacit::inline v1::sampler {

namespace {

constexpr std::string_view records_pass_name = "posterior records";

enum class RecordsQuestion : std::uint8_t {
  rises,
  enclosed_rises,
  curvatures,
  influences,
  keep,
  second,
  fourth_size,
  fourth_tensor,
  fourth_spread
};

MessageWriter about(RecordsQuestion question) { return MessageWriter().put(question); }

// Matrices travel as their columns, one after the other.
Vector flat(const Matrix& m) { return m.reshaped(); }
Matrix square_from(const Vector& columns, Eigen::Index side) { return columns.reshaped(side, side); }

Vector joined(const Matrix& m, double last) {
  Vector all(m.size() + 1);
  all << flat(m), last;
  return all;
}

// On a shard.
class RecordsPass final : public ShardPass {
 public:
  RecordsPass(const ShardRecords& records, const LossLimits& limits, double inverse_temperature)
      : side_(static_cast<Eigen::Index>(shape_of(*records.problem).parameters())),
        here_(*records.problem, limits, inverse_temperature, records.threads) {}

  void answer(MessageReader& question, MessageWriter& answer) override {
    switch (question.get<RecordsQuestion>()) {
      case RecordsQuestion::rises: {
        const RiseSums at = here_.rises(question.vector());
        answer.put(Vector(Eigen::Vector3d(at.sum, at.size, at.error)));
        return;
      }
      case RecordsQuestion::enclosed_rises:
        answer.put(std::string_view(enclosed(question).text()));
        return;
      case RecordsQuestion::curvatures:
        return here_.bound_curvatures(question.vector());
      case RecordsQuestion::influences:
        return here_.measure_influences(square_from(question.vector(), side_));
      case RecordsQuestion::keep:
        answer.put(Vector(Vector::Constant(1, static_cast<double>(here_.keep(question.get<double>())))));
        return;
      case RecordsQuestion::second: {
        const SecondSums sums = here_.second();
        answer.put(joined(sums.value, sums.size));
        return;
      }
      case RecordsQuestion::fourth_size:
        answer.put(Vector(Vector::Constant(1, here_.fourth_size(question.get<Weight>()))));
        return;
      case RecordsQuestion::fourth_tensor: {
        const auto weight = question.get<Weight>();
        answer.put(flat(here_.fourth_tensor(weight, square_from(question.vector(), side_))));
        return;
      }
      case RecordsQuestion::fourth_spread: {
        const auto weight = question.get<Weight>();
        answer.put(flat(here_.fourth_spread(weight, square_from(question.vector(), side_))));
        return;
      }
    }
  }

 private:
  Interval enclosed(MessageReader& question) {
    const auto precision = question.get<long>();
    std::vector<Interval> theta;
    for (Eigen::Index k = 0; k < side_; ++k) theta.push_back(Interval::from_text(question.text()));
    return here_.rises(theta, precision);
  }

  Eigen::Index side_;
  RecordsHere here_;
};

}  // namespace

ShardedRecords::ShardedRecords(const Target& target)
    : RecordSums(*target.problem),
      parameters_(static_cast<Eigen::Index>(shape_of(*target.problem).parameters())),
      pass_(target.problem->data->shards, records_pass_name,
            MessageWriter()
                .put(target.limits.slope)
                .put(target.limits.curvature)
                .put(target.inverse_temperature)) {}

Vector ShardedRecords::sum(const MessageWriter& question, Eigen::Index size) const {
  Vector total;
  pass_.sum(question, static_cast<std::size_t>(size), total);
  return total;
}

RiseSums ShardedRecords::rises(const Vector& theta) {
  const Vector sums = sum(about(RecordsQuestion::rises).put(theta), 3);
  return {sums[0], sums[1], sums[2]};
}

// An enclosure whatever the order, and the same one everywhere in that of the shards' numbers.
Interval ShardedRecords::rises(std::span<const Interval> theta, long precision) {
  MessageWriter question = about(RecordsQuestion::enclosed_rises).put(precision);
  for (const Interval& one : theta) question.put(std::string_view(one.text()));
  Interval total(0, precision);
  pass_.each(question, [&](std::size_t, MessageReader& answer) {
    if (!answer.done()) total += Interval::from_text(answer.text());
  });
  return total;
}

void ShardedRecords::bound_curvatures(const Vector& point) {
  pass_.tell(about(RecordsQuestion::curvatures).put(point));
}

void ShardedRecords::measure_influences(const Matrix& transform) {
  pass_.tell(about(RecordsQuestion::influences).put(flat(transform)));
}

std::size_t ShardedRecords::keep(double most_influence) {
  return static_cast<std::size_t>(sum(about(RecordsQuestion::keep).put(most_influence), 1)[0]);
}

SecondSums ShardedRecords::second() {
  const Eigen::Index entries = parameters_ * parameters_;
  const Vector sums = sum(about(RecordsQuestion::second), entries + 1);
  return {square_from(sums.head(entries), parameters_), sums[entries]};
}

double ShardedRecords::fourth_size(Weight weight) {
  return sum(about(RecordsQuestion::fourth_size).put(weight), 1)[0];
}

Matrix ShardedRecords::fourth_tensor(Weight weight, const Matrix& transform) {
  const Eigen::Index side = packed_size(parameters_);
  return square_from(sum(about(RecordsQuestion::fourth_tensor).put(weight).put(flat(transform)), side * side),
                     side);
}

Matrix ShardedRecords::fourth_spread(Weight weight, const Matrix& transform) {
  return square_from(
      sum(about(RecordsQuestion::fourth_spread).put(weight).put(flat(transform)), parameters_ * parameters_),
      parameters_);
}

PassKind record_sums_pass() {
  return {records_pass_name, [](const ShardRecords& records, MessageReader& settings) {
            const LossLimits limits{.slope = settings.get<double>(), .curvature = settings.get<double>()};
            const auto inverse_temperature = settings.get<double>();
            return std::unique_ptr<ShardPass>(
                std::make_unique<RecordsPass>(records, limits, inverse_temperature));
          }};
}

}  // namespace tacit::inline v1::sampler

#include "solver/sharded_limited_sums.hpp"

#include "solver/limited_objective.hpp"

namespace tacit::inline v1 {

namespace {

enum class LimitedQuestion : std::uint8_t {
  gradient,
  gradient_and_hessian,
  curvature,
  line,
  line_slope,
  soften,
  thin
};

class ShardedLimitedSums final : public LimitedSums {
 public:
  ShardedLimitedSums(const Problem& problem, const MessageWriter& settings)
      : parameters_(shape_of(problem).parameters()), pass_(problem.data->shards, "limited sums", settings) {}

  void gradient(const Vector& w, Vector& sum, Matrix* hessian) override {
    const std::size_t p = parameters_, entries = hessian ? p * p : 0;
    MessageWriter question;
    question.put(hessian ? LimitedQuestion::gradient_and_hessian : LimitedQuestion::gradient).put(w);
    Vector both;
    pass_.sum(question, p + entries, both);
    sum = both.head(static_cast<Eigen::Index>(p));
    if (hessian) {
      const auto side = static_cast<Eigen::Index>(p);
      *hessian = Eigen::Map<const Matrix>(both.data() + p, side, side);
    }
  }

  void curvature(const Vector& direction, Vector& sum) override {
    pass_.sum(MessageWriter().put(LimitedQuestion::curvature).put(direction), parameters_, sum);
  }

  void prepare_line(const Vector& direction) override {
    pass_.tell(MessageWriter().put(LimitedQuestion::line).put(direction));
  }

  double line_slope(double t, double start) const override {
    Vector slope;
    pass_.sum(MessageWriter().put(LimitedQuestion::line_slope).put(t), 1, slope);
    return start + slope[0];
  }

  void soften(double factor) override {
    pass_.tell(MessageWriter().put(LimitedQuestion::soften).put(factor));
  }
  void thin(std::size_t stride) override {
    pass_.tell(MessageWriter().put(LimitedQuestion::thin).put(stride));
  }

 private:
  std::size_t parameters_;
  RemotePass pass_;
};

// On a shard.
class LimitedSumsPass final : public ShardPass {
 public:
  explicit LimitedSumsPass(std::unique_ptr<LimitedSums> sums) : sums_(std::move(sums)) {}

  void answer(MessageReader& question, MessageWriter& answer) override {
    switch (question.get<LimitedQuestion>()) {
      case LimitedQuestion::gradient:
        sums_->gradient(question.vector(), sum_, nullptr);
        answer.put(sum_);
        return;
      case LimitedQuestion::gradient_and_hessian:
        sums_->gradient(question.vector(), sum_, &hessian_);
        sum_.conservativeResize(sum_.size() + hessian_.size());
        sum_.tail(hessian_.size()) = hessian_.reshaped();
        answer.put(sum_);
        return;
      case LimitedQuestion::curvature:
        sums_->curvature(question.vector(), sum_);
        answer.put(sum_);
        return;
      case LimitedQuestion::line:
        return sums_->prepare_line(question.vector());
      case LimitedQuestion::line_slope:
        sum_.setConstant(1, sums_->line_slope(question.get<double>(), 0));
        answer.put(sum_);
        return;
      case LimitedQuestion::soften:
        return sums_->soften(question.get<double>());
      case LimitedQuestion::thin:
        return sums_->thin(question.get<std::size_t>());
    }
  }

 private:
  std::unique_ptr<LimitedSums> sums_;
  Vector sum_;
  Matrix hessian_;
};

std::unique_ptr<ShardPass> make_limited_sums_pass(const ShardRecords& records, MessageReader& settings) {
  LossLimits limits{.slope = settings.get<double>(), .curvature = settings.get<double>()};
  if (const std::string_view blocks = settings.text(); !blocks.empty())
    limits.blocks = FeatureBlocks::parse(blocks);
  const auto label_bound = settings.get<double>();
  return std::make_unique<LimitedSumsPass>(
      limited_sums(*records.problem, limits, label_bound, records.threads));
}

}  // namespace

std::unique_ptr<LimitedSums> sharded_limited_sums(const Problem& problem, const LossLimits& limits,
                                                  double label_bound) {
  MessageWriter settings;
  settings.put(limits.slope).put(limits.curvature);
  settings.put(std::string_view(limits.blocks.empty() ? "" : limits.blocks.text())).put(label_bound);
  return std::make_unique<ShardedLimitedSums>(problem, settings);
}

PassKind limited_sums_pass() { return {"limited sums", make_limited_sums_pass}; }

}  // namespace tacit::inline v1

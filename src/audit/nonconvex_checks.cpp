#include "nonconvex_checks.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "tacit/algorithm/nonconvex/o2nc.hpp"
#include "tacit/audit/recorded_bits.hpp"
#include "tacit/noise/system_bits.hpp"

namespace tacit::inline v1::audit {

namespace {

using nonconvex::Pass;

nonconvex::Options options_of(const Certificate& certificate) {
  const Pass pass = certificate.method == "o2nc-multi" ? Pass::multi : Pass::single;
  return nonconvex::Options::from(certificate.options, pass, nonconvex::Estimate::values);
}

// What an oracle opens along the path.
std::vector<Opened> opened_along(const std::vector<Vector>& path, const Problem& problem,
                                 const nonconvex::Plan& plan, const nonconvex::Options& options,
                                 BitSource& bits) {
  std::vector<Opened> opened;
  const Watcher watcher = [&](const Step& step, std::span<const double> value) {
    opened.push_back({step, {value.begin(), value.end()}});
  };
  Meter meter({Gaussian{plan.mu}}, bits);
  const RecordLoss loss = record_loss(problem);
  const nonconvex::GradientOracle oracle =
      options.pass == Pass::single ? nonconvex::single_pass_oracle(loss, plan, options, meter, watcher)
                                   : nonconvex::multi_pass_oracle(loss, plan, options, meter, watcher);
  for (const Vector& z : path) oracle(z);
  return opened;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum = std::hypot(sum, a[k] - b[k]);
  return sum;
}

void raise(Check& check, double bound, double measured) {
  if (check.bound == 0 || !(measured / bound <= check.measured / check.bound)) {
    check.bound = bound;
    check.measured = measured;
  }
}

// A step of a single pass costs what the dearest sum does; sums over the same records add up in squares. The
// prefix sums of a period are one stream, whose cost every increment of it states.
double cost_of(const std::vector<Opened>& opened, Pass pass) {
  double dearest = 0, squares = 0;
  for (const Opened& one : opened) {
    const double mu = std::get<GaussianEvent>(one.step.event).mu;
    dearest = std::max(dearest, mu);
    squares += mu * mu;
  }
  return pass == Pass::single ? dearest : std::sqrt(squares);
}

}  // namespace

std::vector<Check> nonconvex_checks(const Replayed& replayed) {
  const Certificate& certificate = replayed.runs[0].release->certificate;
  const nonconvex::Options options = options_of(certificate);
  const Shape shape = shape_of(replayed.problems[0]);
  const nonconvex::Plan plan = nonconvex::plan_o2nc(shape.records, shape.parameters(), options);
  if (certificate.steps.size() != 1 || certificate.steps[0].mechanism != plan.release.mechanism)
    return {{CheckKind::outcome, "the one step is a pass of o2nc", "", 0, 1}};

  Check start{CheckKind::movement, "how far a batch's gradient moves, within its sensitivity", "", 0, 0};
  Check change{CheckKind::movement, "how far a batch's change moves, within its sensitivity", "", 0, 0};
  Check cost{CheckKind::account, "what the batches cost together, within what is charged", "",
             std::get<GaussianEvent>(certificate.steps[0].event).mu, 0};
  const auto source = noise::system_bits();
  std::mt19937_64 random(1);  // where to look, not noise
  std::normal_distribution<> normal;
  for (const double size : {0.0, 1e-3, 1.0, 1e3, 1e8, 1e30}) {
    std::vector<Vector> path;
    for (std::size_t t = 0; t < plan.sizes.steps; ++t)
      path.push_back(Vector::NullaryExpr(static_cast<Eigen::Index>(shape.parameters()),
                                         [&] { return size * normal(random); }));
    RecordedBits bits(*source);
    const auto first = opened_along(path, replayed.problems[0], plan, options, bits);
    bits.rewind();
    const auto second = opened_along(path, replayed.problems[1], plan, options, bits);
    for (std::size_t t = 0; t < first.size(); ++t) {
      const bool fresh = t % plan.sizes.period == 0;
      raise(fresh ? start : change, (fresh ? plan.start : plan.change).sensitivity.total(),
            distance(first[t].value, second[t].value));
    }
    cost.measured = std::max(cost.measured, cost_of(first, options.pass));
  }
  // What rounding the composition's square root can add.
  cost.bound *= 1 + 1e-12;
  if (plan.sizes.period == 1) return {start, cost};
  return {start, change, cost};
}

}  // namespace tacit::inline v1::audit

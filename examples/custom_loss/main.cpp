// A custom loss, trained privately: robust phase retrieval with an offset, |⟨a,x⟩² + c − b|. It is
// neither smooth nor convex. tacit asks for its value alone; with gradients it would need fewer evaluations.
#include <tacit/custom_loss.hpp>
#include <tacit/domain.hpp>
#include <tacit/ledger.hpp>
#include <tacit/mechanisms.hpp>
#include <tacit/model.hpp>
#include <tacit/root_meter.hpp>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

// What tacit needs to know (the concept tacit::ValueLoss): how many records and parameters there are, and the
// loss of one record. That must be a function of the record and of w alone: the guarantee rests on it. It
// need not be bounded, and a record may hold anything: what it contributes is clipped.
struct PhaseWithOffset {
  std::vector<tacit::Vector> rows;
  std::vector<double> measured;

  std::size_t records() const { return rows.size(); }
  std::size_t parameters() const { return static_cast<std::size_t>(rows[0].size()) + 1; }
  double value(const tacit::Vector& w, std::size_t i) const {
    const double score = rows[i].dot(w.head(rows[i].size()));
    return std::fabs(score * score + w[w.size() - 1] - measured[i]);
  }
};
static_assert(tacit::ValueLoss<PhaseWithOffset>);

PhaseWithOffset made_up_data(std::size_t records) {
  std::mt19937_64 random(1);
  std::normal_distribution<> normal;
  const tacit::Vector truth{{0.9, -0.4, 0.2}};
  PhaseWithOffset data;
  for (std::size_t i = 0; i < records; ++i) {
    tacit::Vector a(3);
    for (double& v : a) v = normal(random);
    a *= std::sqrt(3.0) / a.norm();
    const double clean = std::pow(a.dot(truth), 2) + 0.5;
    data.rows.push_back(a);
    data.measured.push_back(i % 10 == 0 ? 100 * normal(random) : clean);  // every tenth is nonsense
  }
  return data;
}

int main() try {
  const PhaseWithOffset data = made_up_data(10000);

  tacit::nonconvex::Options options;
  options.target = tacit::Approx{2, 1e-6};
  options.pass = tacit::nonconvex::Pass::multi;  // every step looks at all records
  options.steps = 64;
  options.lipschitz = 3;  // estimates of one record's gradient are clipped to this length
  options.radius = 1.5;   // how far from the start to look

  // What all releases of these people may spend together: two runs of this program, and not a third.
  const std::filesystem::path ledger = "custom_loss.ledger";
  const tacit::LedgerLimit limit{"people", tacit::Approx{5, 1e-5}};
  if (!std::filesystem::exists(ledger)) tacit::create_ledger(ledger, {.accountant = "approx"}, {&limit, 1});

  // The whole budget is charged once, right before the first noise is drawn: options that are refused cost
  // nothing, and a charge that does not fit throws BudgetError before anything is released.
  const auto bits = tacit::noise::system_bits();
  tacit::RootMeter meter({.limit = options.target, .neighbours = tacit::Neighbours::zero_out}, *bits);
  std::string release;
  meter.before_each_step([&](const tacit::Step&) {
    if (release.empty())
      release = tacit::charge_ledger(ledger, {"people", "phase retrieval", meter.budget()});
  });
  const tacit::Vector start{{0.5, 0, 0, 0}};
  const tacit::Vector found =
      tacit::nonconvex::minimise(tacit::record_loss(data), start, options, meter).value();
  // What is known of the answer beforehand may be used afterwards: a projection of released numbers is free.
  const tacit::Vector w =
      tacit::project(tacit::Ball{.center = tacit::Vector::Zero(4), .radius = 2}, found).point;

  // What was promised, with every step that was charged, to be kept beside w.
  const tacit::Certificate certificate = tacit::certify("phase retrieval", meter, {}, {});
  std::printf("x = (%.2f, %.2f, %.2f), offset %.2f, release %s\n%s\n", w[0], w[1], w[2], w[3],
              release.c_str(), tacit::summary_json(certificate).c_str());
  const double error = (w.head(3) - tacit::Vector{{0.9, -0.4, 0.2}}).norm();
  return error < 0.3 && std::fabs(w[3] - 0.5) < 0.3 ? 0 : 1;
} catch (const tacit::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

#include <cmath>
#include <limits>
#include <random>

#include "privacy/accounting/conversions.hpp"
#include "privacy/accounting/costs.hpp"
#include "support.hpp"

namespace tacit::testing_ledger {
namespace {

LedgerBudget with_charges(const Guarantee& limit, const std::vector<Guarantee>& amounts) {
  LedgerBudget budget{.name = "people", .limit = limit, .stated = {}, .charges = {}};
  for (const Guarantee& amount : amounts)
    budget.charges.push_back({.release = "", .time = "", .method = "", .asked = amount, .amount = amount});
  return budget;
}

class LedgerFilter : public LedgerTest {
 protected:
  // How many releases with this guarantee are accepted, until one is not.
  int accepted(const Guarantee& each) const {
    for (int count = 0;; ++count) try {
        charge_ledger(path_, ask(each));
      } catch (const BudgetError&) {
        return count;
      }
  }
};

TEST_F(LedgerFilter, AcceptsWhatFitsOnPaperAndNoMore) {
  struct Case {
    double limit, epsilon;
    int fits;
  };
  for (const auto& [limit, epsilon, fits] :
       {Case{1, 0.1, 10}, Case{0.3, 0.1, 3}, Case{1, 0.25, 4}, Case{1, 0.3, 3}, Case{0.7, 0.07, 10},
        Case{3, 1, 3}, Case{1, 1.0000001, 0}, Case{1, 0.05, 20}, Case{1e-9, 1e-10, 10}}) {
    fs::remove(path_);
    create(Pure{limit});
    EXPECT_EQ(accepted(Pure{epsilon}), fits) << limit << " " << epsilon;
  }
}

// Against sums in 64-bit integers: the charges are multiples of 2⁻⁵², which integers add exactly.
TEST(LedgerSum, IsNeverBelowTheTruthAndAtMostOneUlpAbove) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Guarantee> amounts;
    std::uint64_t truth = 0;
    for (int k = 0; k < 1000; ++k) {
      const std::uint64_t units = random() >> 12;  // < 2⁵²
      truth += units;                              // < 2⁶²
      amounts.push_back(Pure{std::ldexp(static_cast<double>(units), -52)});
    }
    const double sum = std::ldexp(std::get<Pure>(spent(with_charges(Pure{1e6}, amounts))).epsilon, 52);
    const long double exact = static_cast<long double>(truth);  // 64 bits of significand: exact
    EXPECT_GE(static_cast<long double>(sum), exact);
    EXPECT_LE(static_cast<long double>(std::nextafter(sum, 0)), exact);
  }
}

TEST(LedgerSum, DoesNotDriftOverManyReleases) {
  const std::vector<Guarantee> amounts(100'000, Pure{1e-5});
  EXPECT_LE(std::get<Pure>(spent(with_charges(Pure{1}, amounts))).epsilon, 1 + 1e-15);
}

TEST(LedgerSum, SpentAndLeftAreWithinTheLimit) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> uniform(0, 0.1);
  for (int round = 0; round < 1000; ++round) {
    std::vector<Guarantee> pure, gaussian;
    for (int k = 0; k < 5; ++k) {
      pure.push_back(Pure{uniform(random)});
      gaussian.push_back(Gaussian{uniform(random)});
    }
    const LedgerBudget p = with_charges(Pure{1}, pure), g = with_charges(Gaussian{1}, gaussian);
    const long double epsilon = std::get<Pure>(spent(p)).epsilon, rest = std::get<Pure>(left(p)).epsilon;
    EXPECT_LE(epsilon + rest, 1);
    EXPECT_GE(epsilon + rest, 1 - 1e-15L);
    const long double mu = std::get<Gaussian>(spent(g)).mu, mu_left = std::get<Gaussian>(left(g)).mu;
    EXPECT_LE(mu * mu + mu_left * mu_left, 1);
    EXPECT_GE(mu * mu + mu_left * mu_left, 1 - 1e-14L);
  }
}

TEST(LedgerSum, AnOverflowIsInfinite) {
  const double big = std::numeric_limits<double>::max();
  const double sum = std::get<Pure>(spent(with_charges(Pure{big}, {Pure{big}, Pure{big}}))).epsilon;
  EXPECT_TRUE(std::isinf(sum));
}

TEST_F(LedgerFilter, GaussianAddsSquares) {
  create(Gaussian{1}, {.accountant = "gaussian"});
  EXPECT_EQ(accepted(Gaussian{0.25}), 16);
  EXPECT_NEAR(std::get<Gaussian>(spent(budget())).mu, 1, 1e-14);
  EXPECT_GE(std::get<Gaussian>(spent(budget())).mu, 1);
}

TEST_F(LedgerFilter, GaussianTakesPureReleases) {
  create(Gaussian{10}, {.accountant = "gaussian"});
  charge_ledger(path_, ask(Pure{1}));
  EXPECT_EQ(std::get<Gaussian>(spent(budget())).mu, to_gaussian(Pure{1}).mu);
  EXPECT_EQ(std::get<Pure>(budget().charges[0].asked).epsilon, 1);
  refused<UsageError>([&] { charge_ledger(path_, ask(Zcdp{0.1})); });
}

TEST_F(LedgerFilter, ZcdpAddsRho) {
  create(Zcdp{1}, {.accountant = "zcdp"});
  EXPECT_EQ(accepted(Zcdp{0.1}), 10);
}

TEST_F(LedgerFilter, ZcdpTakesPureAndGaussianReleases) {
  create(Zcdp{1}, {.accountant = "zcdp"});
  charge_ledger(path_, ask(Pure{1}));
  charge_ledger(path_, ask(Gaussian{0.5}));
  const LedgerBudget b = budget();
  EXPECT_EQ(std::get<Zcdp>(b.charges[0].amount).rho, to_zcdp(Pure{1}).rho);
  EXPECT_NEAR(std::get<Zcdp>(b.charges[1].amount).rho, 0.125, 1e-15);
  refused<UsageError>([&] { charge_ledger(path_, ask(Approx{0.1, 1e-9})); });
}

TEST_F(LedgerFilter, RenyiHoldsEveryOrder) {
  create(Renyi{{2, 8}, {1, 2}}, {.accountant = "renyi"});
  // rho = 0.1 costs 0.2 at order 2, and 0.8 at order 8, which is used up first.
  EXPECT_EQ(accepted(Zcdp{0.1}), 2);
  const auto curve = std::get<Renyi>(left(budget()));
  EXPECT_NEAR(curve.epsilons[0], 0.6, 1e-12);
  EXPECT_NEAR(curve.epsilons[1], 0.4, 1e-12);
}

TEST_F(LedgerFilter, RenyiTakesCurvesAtOtherOrdersFromAbove) {
  create(Renyi{{2, 8}, {1, 2}}, {.accountant = "renyi"});
  charge_ledger(path_, ask(Renyi{{1.5, 4, 16}, {0.01, 0.02, 0.03}}));
  const auto amount = std::get<Renyi>(budget().charges[0].amount);
  EXPECT_EQ(amount.epsilons, (std::vector<double>{0.02, 0.03}));
  refused<UsageError>([&] { charge_ledger(path_, ask(Renyi{{2, 4}, {0.1, 0.1}})); });
  refused<UsageError>([&] { charge_ledger(path_, ask(Renyi{{16, 2}, {0.1, 0.1}})); });
  charge_ledger(path_, ask(Pure{0.1}));
  EXPECT_EQ(std::get<Renyi>(budget().charges[1].amount).epsilons[1], renyi_cost(PureEvent{0.1}, 8));
}

TEST_F(LedgerFilter, ApproxAddsEpsilonsAndDeltas) {
  create(Approx{1, 1e-6}, {.accountant = "approx"});
  charge_ledger(path_, ask(Approx{0.1, 9e-7}));
  refused<BudgetError>([&] { charge_ledger(path_, ask(Approx{0.1, 2e-7})); });
  charge_ledger(path_, ask(Approx{0.1, 1e-7}));
  EXPECT_EQ(accepted(Pure{0.1}), 8);
  refused<UsageError>([&] { charge_ledger(path_, ask(Gaussian{0.1})); });
}

// A limit stated as (epsilon, delta) is kept as the largest rho or mu that implies it: spending all of it
// stays within, and 0.01 % more would not.
TEST_F(LedgerFilter, AnApproxLimitIsKeptTightly) {
  for (const Approx stated : {Approx{1, 1e-6}, Approx{0.1, 1e-9}, Approx{8, 1e-5}, Approx{3, 1e-18}}) {
    fs::remove(path_);
    create(stated, {.accountant = "zcdp"});
    ASSERT_TRUE(budget().stated);
    const double rho = std::get<Zcdp>(budget().limit).rho;
    EXPECT_LE(to_approx(Zcdp{rho * (1 + 0x1p-40)}, stated.delta).epsilon, stated.epsilon);
    EXPECT_GT(to_approx(Zcdp{rho * 1.0001}, stated.delta).epsilon, stated.epsilon);

    fs::remove(path_);
    create(stated, {.accountant = "gaussian"});
    const double mu = std::get<Gaussian>(budget().limit).mu;
    EXPECT_LE(gaussian_delta(mu * (1 + 0x1p-40), stated.epsilon), stated.delta);
    EXPECT_GT(gaussian_delta(mu * 1.0001, stated.epsilon), stated.delta);
  }
}

}  // namespace
}  // namespace tacit::testing_ledger

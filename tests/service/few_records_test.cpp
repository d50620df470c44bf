// What a fit says beforehand where records are few.

#include "encoder_fit.hpp"

namespace tacit {
namespace {

class FewRecords : public testing::EncoderFit {};

struct Heard : WorkListener {
  void announced(const std::string& what) override { lines.push_back(what); }
  void advanced(std::uint64_t, std::uint64_t) override {}
  std::vector<std::string> lines;
};

// 400 records, one column: n·ε/d is 400·ε.
TEST_F(FewRecords, AreWarnedOfBeforehandWhereAConstantMayBeBetter) {
  write_bump();
  const auto heard = [&](double epsilon, EncoderRule encoder, const std::string& method = "") {
    service::FitOptions options;
    options.guarantee = Pure{epsilon};
    options.encoder = encoder;
    options.method = method;
    Heard listener;
    const ListenScope scope(&listener);
    std::size_t beforehand = 0;
    options.before_each_step = [&](const Step&) { beforehand = listener.lines.size(); };
    fit(options);
    EXPECT_EQ(listener.lines.size(), beforehand) << "before anything is drawn";
    return listener.lines.empty() ? "" : listener.lines.front();
  };
  const auto has = [](const std::string& line, const std::string& words) {
    EXPECT_NE(line.find(words), std::string::npos) << line;
  };
  for (const auto encoder : {EncoderRule::automatic, EncoderRule::hats, EncoderRule::linear_v1}) {
    has(heard(0.02, encoder), "expect little more than a constant");
    has(heard(1, encoder), "where the columns say little of the target");
    EXPECT_EQ(heard(3, encoder), "");
  }
  has(heard(0.005, EncoderRule::automatic),
      "= 2 is below 3: the model is the intercept alone, and noisy, as");
  has(heard(0.005, EncoderRule::hats), "a constant would be better; more epsilon, a delta or fewer columns");
  has(heard(0.005, EncoderRule::automatic, "limited-objective"), "below 3: a constant would be better");
}

// With a delta, descent is taken for classes; it has more to lose.
TEST_F(FewRecords, AreWarnedOfMoreWhereDescentFitsClasses) {
  write_bump();
  const auto heard = [&](double epsilon, const std::string& method) {
    service::FitOptions options;
    options.guarantee = Approx{epsilon, 1e-6};
    options.method = method;
    Heard listener;
    const ListenScope scope(&listener);
    fit(options);
    return listener.lines.empty() ? "" : listener.lines.front();
  };
  for (const char* method : {"", "dp-sgd"}) {
    EXPECT_EQ(
        heard(1, method),
        "Warning: records x epsilon / columns = 400 is below 1600: where the columns say little of the "
        "target, a constant would be better, and limited-objective loses less than dp-sgd; more epsilon "
        "or fewer columns would help.");
    EXPECT_NE(heard(0.02, method).find("is below 15: expect little more than a constant; more epsilon or"),
              std::string::npos);
    EXPECT_EQ(heard(5, method), "");
  }
  EXPECT_EQ(heard(3, ""), "") << "objective perturbation";
  EXPECT_NE(heard(3, "dp-sgd").find("= 1.2e+03 is below 1600"), std::string::npos);
  EXPECT_EQ(heard(1, "limited-objective").find("dp-sgd"), std::string::npos);
}

// 100 records of 20 numbers within a row bound: pure noise needs 15·20/ε of them, a delta 25·√20/ε.
TEST(RowsWithoutASchema, AreWarnedOfBeforehandWhereTheyAreFew) {
  const auto heard = [](const Guarantee& guarantee) {
    Dataset data;
    DenseRows rows{100, 20, std::vector<double>(2000, 0.1)};
    for (std::size_t i = 0; i < 100; ++i) data.labels.push_back(static_cast<double>(i % 2));
    data.features = Features(std::move(rows));
    data.target_kind = TargetKind::classes;
    data.classes = {"no", "yes"};
    service::FitOptions options;
    options.guarantee = guarantee;
    options.row_bound = 1;
    Heard listener;
    const ListenScope scope(&listener);
    std::optional<std::size_t> beforehand;
    options.before_each_step = [&](const Step&) {
      if (!beforehand) beforehand = listener.lines.size();
    };
    const auto bits = testing::seeded_bits(1);
    service::fit(std::move(data), options, *bits);
    EXPECT_EQ(beforehand, listener.lines.size()) << "before anything is drawn";
    return listener.lines.empty() ? "" : listener.lines.front();
  };
  EXPECT_EQ(
      heard(Pure{1}),
      "Warning: 100 records are few for 20 features at this privacy: expect little more than a constant; "
      "more epsilon, a delta or fewer features would help.");
  EXPECT_EQ(heard(Pure{4}), "");
  EXPECT_NE(heard(Approx{1, 1e-6}), "");
  EXPECT_EQ(heard(Approx{2, 1e-6}), "");
}

}  // namespace
}  // namespace tacit

// The library from outside: fit a small dataset in memory, look at the guarantee, predict.
#include <tacit/fit.hpp>
#include <tacit/model.hpp>

#include <cstdio>

int main() {
  tacit::Dataset data;
  tacit::DenseRows rows{.rows = 2000, .columns = 2, .values = {}};
  for (int i = 0; i < 2000; ++i) {
    const double a = (i * 37 % 101) / 101.0, b = (i * 61 % 103) / 103.0;
    rows.values.insert(rows.values.end(), {a, b});
    data.labels.push_back(a > b ? 1 : 0);
  }
  data.features = tacit::Features(std::move(rows));
  data.target_kind = tacit::TargetKind::classes;
  data.classes = {"below", "above"};

  tacit::service::FitOptions options;
  options.loss = "logistic";
  options.guarantee = tacit::Pure{2};
  options.row_bound = 1.5;  // public: both features are in [0, 1]
  const tacit::FittedModel model = tacit::service::fit(data, options);

  const tacit::Certificate& c = model.certificate;
  const double accuracy = *tacit::evaluate(model, data).accuracy;
  std::printf("%s\naccuracy %.3f\n", tacit::describe(c.guarantee, c.unit, c.neighbours).c_str(), accuracy);
  return accuracy > 0.8 ? 0 : 1;
}

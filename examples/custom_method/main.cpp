// A program with a method of its own (mean_direction.cpp): fits, writes the model, verifies it, audits the
// method.
#include <tacit/core.hpp>
#include <tacit/fit.hpp>
#include <tacit/model.hpp>
#include <tacit/service.hpp>

#include <cstdio>

tacit::Dataset made_up_records() {
  tacit::Dataset data;
  tacit::DenseRows rows{.rows = 2000, .columns = 2, .values = {}};
  for (int i = 0; i < 2000; ++i) {
    const double a = (i * 37 % 101) / 101.0 - 0.5, b = (i * 61 % 103) / 103.0 - 0.5;
    rows.values.insert(rows.values.end(), {a, b});
    data.labels.push_back(a > b ? 1 : 0);
  }
  data.features = tacit::Features(std::move(rows));
  data.target_kind = tacit::TargetKind::classes;
  data.classes = {"below", "above"};
  return data;
}

int main() {
  const tacit::Dataset data = made_up_records();

  tacit::service::FitOptions options;
  options.method = "mean-direction";
  options.guarantee = tacit::Pure{1};
  options.method_options.set("row-length", 0.7);  // public: how long rows are, as one knows without a look
  const tacit::FittedModel model = tacit::service::fit(data, options);
  const double accuracy = *tacit::evaluate(model, data).accuracy;
  std::printf("%s\naccuracy %.3f\n", tacit::describe(model.certificate).c_str(), accuracy);

  // This program knows the method, so it can verify the file; the command `tacit` cannot.
  tacit::write_file_atomically("mean_direction.json", tacit::model_to_json(model));
  tacit::service::verify("mean_direction.json", "");  // throws unless all of it holds

  const tacit::audit::MethodAudit found = tacit::service::audit({.method = "mean-direction", .runs = 1000});
  std::printf("replay %s, epsilon refuted: %s\n", found.replay_ok() ? "holds" : "fails",
              found.violated() ? "yes" : "no");
  return accuracy > 0.8 && found.replay_ok() && !found.violated() ? 0 : 1;
}

#include "fuzz.hpp"
#include "tacit/data.hpp"
#include "tacit/model.hpp"

// Predictions for rows of zeros and of the largest numbers: one for each row, whatever the model says.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tacit;
  fuzz::try_it([&] {
    const FittedModel model = parse_model(fuzz::text_of(data, size), "model");
    constexpr std::size_t most = 4096;
    if (model.features > most) return;
    for (const double value : {0.0, 1e308}) {
      const Features rows(DenseRows{2, model.features, std::vector<double>(2 * model.features, value)});
      predictions_to_csv(model, predict(model, rows));
    }
  });
  return 0;
}

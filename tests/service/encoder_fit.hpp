#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/model.hpp"
#include "tacit/service.hpp"

namespace tacit::testing {

// Fits of a file by its schema, with the same bits each time.
class EncoderFit : public ::testing::Test {
 protected:
  EncoderFit() {
    std::string name = (std::filesystem::temp_directory_path() / "tacit-encoder-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~EncoderFit() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }

  FittedModel fit(const service::FitOptions& options) const {
    const auto bits = testing::seeded_bits(1);
    return service::fit_file(reading_, options, *bits);
  }
  // As it comes back from its file.
  FittedModel kept(const FittedModel& model) const { return parse_model(model_to_json(model), "m"); }
  Metrics score(const FittedModel& model) const {
    return evaluate(model, service::read_for_evaluation(model, file()));
  }
  ReadOptions file() const {
    ReadOptions reading;
    reading.path = reading_.path;
    reading.labels_path = reading_.labels_path;
    return reading;
  }

  // 400 records whose class depends on x by a bump: no line can tell.
  void write_bump() {
    std::string text = "x,y\n";
    for (int k = 0; k < 400; ++k) text += fmt::format("{},{}\n", k, k >= 100 && k < 300 ? "in" : "out");
    reading_.path = write("bump.csv", text);
    reading_.schema = parse_schema(
        R"({"columns": {"x": {"type": "numeric", "min": 0, "max": 400}},
            "target": {"column": "y", "classes": ["in", "out"]}})",
        "s");
  }

  // Images of stripes across or along, to be read as wavelets.
  void write_stripes(int count) {
    const auto four = [](int x) {
      return std::string{'\0', '\0', static_cast<char>(x / 256), static_cast<char>(x)};
    };
    std::string images = std::string("\0\0\x08\x03", 4) + four(count) + four(8) + four(8),
                labels = std::string("\0\0\x08\x01", 4) + four(count);
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < 64; ++k) images += ((i % 2 == 0 ? k / 8 : k % 8) + i / 2) % 2 == 0 ? '\xff' : '\0';
      labels += static_cast<char>(i % 2);
    }
    reading_.path = write("i.idx3", images);
    reading_.format = Format::idx;
    reading_.labels_path = write("l.idx1", labels);
    reading_.image_features = ImageFeatures::wavelets;
  }

  std::filesystem::path folder_;
  ReadOptions reading_;
};

}  // namespace tacit::testing

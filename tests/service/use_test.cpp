#include "tacit/service.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tacit/core.hpp"
#include "tacit/fit.hpp"

namespace tacit {
namespace {

class ServiceUse : public ::testing::Test {
 protected:
  ServiceUse() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tacit_service_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    folder_ = pattern;
  }
  ~ServiceUse() override { std::filesystem::remove_all(folder_); }

  ReadOptions file(const std::string& name, const std::string& content,
                   const std::string& target = {}) const {
    std::ofstream(folder_ / name) << content;
    ReadOptions reading;
    reading.path = folder_ / name;
    reading.target = target;
    return reading;
  }

  // No header, the label in the last column, which is named by its number.
  FittedModel fit_headerless() const {
    ReadOptions reading = file("train.csv", "1,0,10\n0,1,20\n1,1,30\n0,0,0\n", "-1");
    reading.header = false;
    service::FitOptions options;
    options.guarantee = NoPrivacy{};
    return service::fit_file(reading, options);
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(ServiceUse, ATargetNamedByItsNumberMayBeMissingAtPrediction) {
  const FittedModel model = fit_headerless();
  ASSERT_EQ(model.features, 2u);
  for (const char* content : {"1,0,99\n0,1,99\n", "1,0\n0,1\n"}) {
    ReadOptions reading = file("new.csv", content);
    reading.header = false;
    const Dataset data = service::read_for_prediction(model, reading);
    const Predictions predictions = predict(model, data.features);
    EXPECT_NEAR(predictions.value[0], 10, 0.01);
    EXPECT_NEAR(predictions.value[1], 20, 0.01);
  }
}

TEST_F(ServiceUse, FeaturesOfAnotherNumberOrNameAreRefused) {
  const FittedModel model = fit_headerless();
  ReadOptions reading = file("new.csv", "1,0,3,4,5\n");
  reading.header = false;
  EXPECT_THROW(service::read_for_prediction(model, reading), DataError);

  const ReadOptions named = file("named.csv", "a,b,y\n1,0,10\n0,1,20\n1,1,30\n", "y");
  service::FitOptions options;
  options.guarantee = NoPrivacy{};
  const FittedModel with_names = service::fit_file(named, options);
  EXPECT_THROW(service::read_for_prediction(with_names, file("other.csv", "b,c\n1,0\n")), DataError);
  EXPECT_THROW(service::read_for_prediction(with_names, file("fewer.csv", "a\n1\n")), DataError);
}

TEST_F(ServiceUse, WithoutASchemaFeaturesAreFoundByTheirNamesAmongOthers) {
  const ReadOptions named = file("named.csv", "a,b,y\n1,0,10\n0,1,20\n1,1,30\n", "y");
  service::FitOptions options;
  options.guarantee = NoPrivacy{};
  const FittedModel model = service::fit_file(named, options);
  const Dataset read = service::read_for_prediction(model, file("more.csv", "note,b,y,a\ntext,2,,3\n"));
  EXPECT_EQ(read.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read.features.row(0).values[0], 3);
  EXPECT_EQ(read.features.row(0).values[1], 2);
  const Dataset judged = service::read_for_evaluation(model, file("judged.csv", "b,note,y,a\n2,text,7,3\n"));
  EXPECT_EQ(judged.labels, std::vector<double>{7});
  EXPECT_EQ(judged.features.row(0).values[0], 3);
}

TEST_F(ServiceUse, LibsvmDataWithFewerFeaturesThanTheModelIsPadded) {
  ReadOptions reading = file("train.libsvm", "+1 1:1 3:1\n-1 2:1\n+1 1:1\n-1 2:1 3:1\n");
  service::FitOptions options;
  options.loss = "logistic";
  options.guarantee = NoPrivacy{};
  const FittedModel model = service::fit_file(reading, options);
  EXPECT_EQ(model.features, 3u);
  const Dataset data = service::read_for_evaluation(model, file("test.libsvm", "+1 1:1\n-1 2:1\n"));
  EXPECT_EQ(*evaluate(model, data).accuracy, 1);
}

TEST_F(ServiceUse, EvaluationNeedsLabelsThatTheModelKnows) {
  const FittedModel model = fit_headerless();
  ReadOptions reading = file("text.csv", "1,0,many\n");
  reading.header = false;
  EXPECT_THROW(service::read_for_evaluation(model, reading), DataError);
}

}  // namespace
}  // namespace tacit

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

// Three classes, in another order than the sorted one, which no schema has: a schema without a target, or
// none.
class ClassesOfAModel : public ServiceUse, public ::testing::WithParamInterface<bool> {
 protected:
  static FittedModel three_classes() {
    FittedModel model;
    model.loss = Softmax{3};
    model.intercept = 0;
    model.features = 3;
    model.names = {"x=p", "x=q", "x=other"};
    model.target = "y";
    model.classes = {"c", "a", "b"};
    model.schema.emplace();
    model.schema->columns = {{"x", CategoricalColumn{.categories = {"p", "q"}}}};
    if (!GetParam()) {
      model.schema.reset();
      model.names = {"p", "q", "r"};
    }
    return model;
  }
  // A record for each label.
  static std::string records(const std::vector<std::string>& labels) {
    std::string rows = GetParam() ? "x,y\n" : "p,q,r,y\n";
    for (const std::string& label : labels) rows += (GetParam() ? "p," : "1,0,0,") + label + "\n";
    return rows;
  }
};

TEST_P(ClassesOfAModel, TellEachLabelByItsNameWhicheverOthersOccur) {
  const FittedModel model = three_classes();
  const auto labels_of = [&](const std::vector<std::string>& labels) {
    return service::read_for_evaluation(model, file("test.csv", records(labels))).labels;
  };
  EXPECT_EQ(labels_of({"a", "b", "c"}), (std::vector<double>{1, 2, 0}));
  EXPECT_EQ(labels_of({"a", "b"}), (std::vector<double>{1, 2}));
  EXPECT_EQ(labels_of({"b", "c", "b"}), (std::vector<double>{2, 0, 2}));
  EXPECT_EQ(labels_of({"b"}), (std::vector<double>{2}));
}

TEST_P(ClassesOfAModel, RefuseALabelThatIsNone) {
  const FittedModel model = three_classes();
  try {
    service::read_for_evaluation(model, file("test.csv", records({"a", "b", "!x"})));
    FAIL() << "a label that is no class is read";
  } catch (const DataError& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find(GetParam() ? "test.csv:4:2:" : "test.csv:4:4:"), std::string::npos) << said;
    EXPECT_NE(said.find(R"("!x" is not a class, expected one of "c", "a", "b")"), std::string::npos) << said;
  }
}

INSTANTIATE_TEST_SUITE_P(WithASchemaAndWithout, ClassesOfAModel, ::testing::Bool());

TEST_F(ServiceUse, ALabelIsAClassAsAnotherTextOfItsNumber) {
  FittedModel model;
  model.loss = parse_link("logistic");
  model.features = 1;
  for (const auto& classes : {std::vector<std::string>{"1", "-1"}, {"1.0", "-1.0"}}) {
    model.classes = classes;
    ReadOptions reading = file("test.csv", "0.5,1\n0.5,-1.0\n0.5,+1\n", "1");
    EXPECT_EQ(service::read_for_evaluation(model, reading).labels, (std::vector<double>{0, 1, 0}));
    reading = file("test.libsvm", "-1 1:0.5\n-1 1:0.25\n");
    EXPECT_EQ(service::read_for_evaluation(model, reading).labels, (std::vector<double>{1, 1}));
    EXPECT_THROW(service::read_for_evaluation(model, file("test.libsvm", "2 1:0.5\n")), DataError);
  }
  model.classes = {"1", "1.0"};  // two texts of one number are two classes
  EXPECT_EQ(service::read_for_evaluation(model, file("test.csv", "0.5,1.0\n0.5,1\n", "1")).labels,
            (std::vector<double>{1, 0}));
}

// The length of the first record decided which cell of all records was the label.
TEST_F(ServiceUse, AColumnThatTheFitCountedFromTheEndIsTheSameInLongerRecords) {
  ReadOptions train = file("train.csv", "0,no\n1,yes\n0,no\n1,yes\n", "-1");
  train.schema.emplace();
  train.schema->columns = {{"0", NumericColumn{.min = 0, .max = 1}}};
  service::FitOptions options;
  options.guarantee = NoPrivacy{};
  options.loss = "logistic";
  const FittedModel model = service::fit_file(train, options);
  ASSERT_EQ(model.target, "-1");
  for (const char* first : {"0,no", "0,no,yes"}) {
    const ReadOptions test = file("test.csv", first + std::string("\n1,no,yes\n0,yes,no\n"));
    EXPECT_EQ(service::read_for_evaluation(model, test).labels, (std::vector<double>{0, 0, 1}));
    ReadOptions asked = test;
    asked.target = "-1";
    EXPECT_THROW(service::read_for_evaluation(model, asked), UsageError);
    asked.target = "1";
    EXPECT_EQ(service::read_for_evaluation(model, asked).labels, (std::vector<double>{0, 0, 1}));
  }
}

TEST_F(ServiceUse, RecordsInMemoryHaveTheModelsClassesInItsOrder) {
  FittedModel model;
  model.loss = parse_link("logistic");
  model.features = 1;
  model.parameters = Vector::Ones(1);
  model.intercept = 0;
  model.classes = {"no", "yes"};
  Dataset data;
  data.features = Features(DenseRows{2, 1, {0.5, -0.5}});
  data.target_kind = TargetKind::classes;
  data.classes = model.classes;
  data.labels = {1, 0};
  EXPECT_EQ(evaluate(model, data).accuracy, 1);
  data.classes = {"yes", "no"};
  EXPECT_THROW(evaluate(model, data), DataError);
  data.classes = model.classes;
  data.labels = {1, 2};
  EXPECT_THROW(evaluate(model, data), DataError);
}

}  // namespace
}  // namespace tacit

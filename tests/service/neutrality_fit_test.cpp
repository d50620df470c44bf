#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "data/neutrality_csv.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/fit.hpp"
#include "tacit/model.hpp"

namespace tacit::neutrality {
namespace {

using Json = nlohmann::json;

// Everything in the model but what was released.
std::string outside_the_release(const TempFolder& folder, ReadOptions reading, const std::string& content) {
  reading.path = folder.write(reading.path.string(), content);
  service::FitOptions options;
  options.guarantee = Pure{1};
  options.method = "limited-output";
  if (!reading.schema) options.loss = "logistic", options.row_bound = 20;
  const auto bits = testing::seeded_bits(1);
  Json model = Json::parse(model_to_json(service::fit_file(reading, options, *bits)));
  for (const char* released : {"parameters", "digest"}) EXPECT_EQ(model.erase(released), 1u);
  return model.dump(1);
}

// A pair of records rather than of users, whose target has a public range.
bool suits(Pair& pair) {
  SchemaTarget& target = *pair.options.schema->target;
  if (pair.legal != true || pair.swallows || (target.classes.empty() && !target.max)) return false;
  if (!pair.options.schema->ignore_others)
    pair.options.schema->columns.push_back({pair.options.schema->user, IgnoredColumn{}});
  pair.options.schema->user.clear();
  return true;
}

TEST(NeutralityOfFits, OneRecordChangesNothingInTheModelButWhatIsReleased) {
  const TempFolder folder;
  Random random(5);
  for (int fitted = 0; fitted < 150;) {
    Pair pair = csv_pair_with_schema(random);
    if (!suits(pair)) continue;
    ++fitted;
    ASSERT_EQ(outside_the_release(folder, pair.options, pair.ordinary.data),
              outside_the_release(folder, pair.options, pair.hostile.data))
        << pair.ordinary.data << "\n== hostile\n"
        << pair.hostile.data;
  }
}

std::vector<std::string> assumptions(const TempFolder& folder, ReadOptions reading,
                                     const std::string& content) {
  reading.target = "2";
  const Json model = Json::parse(outside_the_release(folder, std::move(reading), content));
  return model["certificate"]["assumptions"];
}

TEST(NeutralityOfFits, ALayoutThatWasGuessedIsNamedInTheCertificate) {
  const TempFolder folder;
  std::string content = "5,6,1\n";  // names or a record
  for (int i = 0; i < 40; ++i) content += fmt::format("{},{},{}\n", i % 7, i % 5, i % 2);
  const std::string separator = "what separates the cells was read off the data",
                    header = "whether the first line is a header was read off the data",
                    columns = "the columns were read off the data and are taken to be public";
  const auto states = [&](const std::vector<std::string>& list, const std::string& what) {
    return std::ranges::find(list, what) != list.end();
  };
  ReadOptions reading;
  reading.path = "t.csv";
  for (const bool told : {false, true}) {
    if (told) reading.separator = ',', reading.header = true;
    const auto found = assumptions(folder, reading, content);
    EXPECT_EQ(states(found, separator), !told);
    EXPECT_EQ(states(found, header), !told);
    EXPECT_EQ(states(found, columns), !told);
  }
  reading.header = false;
  EXPECT_TRUE(states(assumptions(folder, reading, content), columns));
}

}  // namespace
}  // namespace tacit::neutrality

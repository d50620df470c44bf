// Models with noise that has the shape of their features, and for a record that is there or not: they verify,
// and do not with other blocks, another relation or a number of records that is not theirs.

#include <gtest/gtest.h>

#include "model/digest.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/method.hpp"
#include "tacit/model.hpp"
#include "tacit/root_meter.hpp"
#include "tacit/verify.hpp"

namespace tacit {
namespace {

FittedModel fitted(Neighbours relation, bool full = false) {
  DenseRows rows{40, 3, {}};
  Dataset data;
  for (int i = 0; i < 40; ++i) {
    for (int k = 0; k < 3; ++k) rows.values.push_back(i % 3 == k ? 1 : 0);
    data.labels.push_back(i % 3 == 0 ? 1 : -1);
  }
  data.features = Features(std::move(rows));
  const Problem problem{.data = &data,
                        .loss = Link{LinkKind::logistic, 0},
                        .blocks = FeatureBlocks::with_intercept({{3, 1, full}}, 1)};
  Facts facts;
  facts.set("epsilon", 1.0);
  facts.set("threads", std::int64_t{1});
  if (relation == Neighbours::add_remove) facts.set("records", std::int64_t{100});
  const auto bits = noise::system_bits();
  RootMeter meter({Pure{1}, Unit::item, relation}, *bits);
  Release release = find_method("limited-objective").fit(problem, facts, meter);
  FittedModel model;
  model.loss = problem.loss;
  model.features = 3;
  model.names = {"a", "b", "c"};
  model.target = "y";
  model.classes = {"no", "yes"};
  model.parameters = release.parameters.value();
  model.certificate = release.certificate;
  return model;
}

std::string refusal_of_edit(const Json& edited) {
  Json json = edited;
  json["digest"] = sha256(sealed_bytes(json));
  try {
    verify_model(layout(json), "m.json", std::nullopt);
  } catch (const Error& error) {
    return error.what();
  }
  return "private";
}

TEST(ShapedModel, VerifiesUnderEachRelationAndNotWhenItsShapeIsForged) {
  for (const Neighbours relation : {Neighbours::replace_one, Neighbours::zero_out, Neighbours::add_remove}) {
    const Json honest = Json::parse(model_to_json(fitted(relation)));
    EXPECT_EQ(refusal_of_edit(honest), "private") << name(relation);
    EXPECT_EQ(honest["certificate"]["steps"][0]["sensitivity"]["norm"], "gauge");

    const auto forged = [&](const char* place, const Json& value) {
      Json json = honest;
      json["certificate"][Json::json_pointer(place)] = value;
      return refusal_of_edit(json);
    };
    for (const char* blocks : {"2:1,1:1", "3:2,1:1", "nonsense"})
      EXPECT_NE(forged("/options/feature_blocks", blocks), "private") << blocks;
    EXPECT_NE(forged("/options/neighbours", relation == Neighbours::replace_one ? "zero_out" : "replace_one"),
              "private");
    EXPECT_NE(forged("/assumed_public/records", 99), "private");
    Json without = honest;
    without["certificate"]["options"].erase("feature_blocks");
    EXPECT_NE(refusal_of_edit(without), "private");
  }
}

TEST(ShapedModel, NoiseInAPlaneVerifiesAndNotWithAnotherPlane) {
  for (const Neighbours relation : {Neighbours::replace_one, Neighbours::zero_out, Neighbours::add_remove})
    for (const bool full : {true, false}) {
      const Json honest = Json::parse(model_to_json(fitted(relation, full)));
      EXPECT_EQ(refusal_of_edit(honest), "private") << name(relation);
      EXPECT_EQ(honest["certificate"]["options"]["feature_blocks"], full ? "3=1,1=1" : "3:1,1:1");
      for (const char* blocks : {"3:1,1:1", "3=1,1:1", "3:1,1=1", "3=1,1=1", "2=1,1=1,1=1"}) {
        Json json = honest;
        if (json["certificate"]["options"]["feature_blocks"] == blocks) continue;
        json["certificate"]["options"]["feature_blocks"] = blocks;
        EXPECT_NE(refusal_of_edit(json), "private") << blocks;
      }
    }
}

}  // namespace
}  // namespace tacit

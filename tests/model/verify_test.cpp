#include "tacit/verify.hpp"

#include <gtest/gtest.h>

#include "model/digest.hpp"
#include "sample_model.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/model.hpp"

namespace tacit {
namespace {

using testing::sample_model;
using testing::sample_table;

// Made once for these tests with `openssl genpkey -algorithm ed25519`; they protect nothing.
constexpr std::string_view private_key =
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEII/VQZPorXTHMhYWPbMJd8gZJFiFjAs8ocvubiXpjbwT\n-----END "
    "PRIVATE KEY-----\n";
constexpr std::string_view public_key =
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAybDg8eaC7Z9MSJxgmOGcIb6QFDPNJnDjiZ3pi5b5iv0=\n-----END "
    "PUBLIC KEY-----\n";
constexpr std::string_view other_public_key =
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAzwtMzPtgB3DIl4nV8eS+kRRnIuWyhuxHojiF8dH6jiE=\n-----END "
    "PUBLIC KEY-----\n";

std::string message_of(std::string_view text, std::optional<std::string_view> key = std::nullopt) {
  try {
    verify_model(text, "m.json", key, sample_table());
  } catch (const Error& error) {
    return error.what();
  }
  return "private";
}

// What someone who edits the file and knows how digests are made would hand over.
template <class Edit>
std::string forged(Edit edit) {
  Json json = Json::parse(model_to_json(sample_model()));
  edit(json);
  json["digest"] = sha256(sealed_bytes(json));
  return layout(json);
}

TEST(Verify, AcceptsAnHonestModel) {
  EXPECT_EQ(message_of(model_to_json(sample_model())), "private");
  EXPECT_EQ(message_of(forged([](Json&) {})), "private");
}

TEST(Verify, AChangedByteBreaksTheDigest) {
  std::string text = model_to_json(sample_model());
  text.replace(text.find("32561"), 5, "32562");
  EXPECT_EQ(message_of(text), "m.json: the digest does not hold: the file was changed after it was written");
}

TEST(Verify, WhitespaceDoesNotBreakTheDigest) {
  EXPECT_EQ(message_of(Json::parse(model_to_json(sample_model())).dump(4)), "private");
}

TEST(Verify, CatchesAnEpsilonEditedDown) {
  const std::string text = forged([](Json& json) { json["certificate"]["guarantee"]["epsilon"] = 0.1; });
  EXPECT_NE(message_of(text).find("the certificate states epsilon = 0.1, but the steps give 1.0"),
            std::string::npos);
}

TEST(Verify, WantsTheAssumptionOfTheMethodStated) {
  std::vector<Method> table(sample_table().begin(), sample_table().end());
  table[0].assumes = "chains mix";
  FittedModel model = sample_model();
  try {
    verify_model(model_to_json(model), "m.json", std::nullopt, table);
    FAIL() << "accepted";
  } catch (const VerificationError& error) {
    EXPECT_STREQ(error.what(), "m.json: the certificate does not state what two-step assumes: chains mix");
  }
  model.certificate.assumptions.push_back("chains mix");
  EXPECT_NO_THROW(verify_model(model_to_json(model), "m.json", std::nullopt, table));
}

// The accountant's upper end has 24 bits; machines may differ by one unit of it, not by more.
TEST(Verify, AnApproximateEpsilonMayDifferByTheAccountantsLastUnitOnly) {
  FittedModel model = sample_model();
  std::vector<Event> events;
  for (const Step& step : model.certificate.steps) events.push_back(step.event);
  const double epsilon = std::get<Approx>(compose(events, Approx{1, 1e-6})).epsilon;
  const auto stated = [&](double other) {
    model.certificate.guarantee = Approx{other, 1e-6};
    return message_of(model_to_json(model));
  };
  const auto stating = [&](double relative) { return stated(epsilon * (1 + relative)); };
  EXPECT_EQ(stating(0), "private");
  EXPECT_EQ(stated(std::nextafter(static_cast<float>(epsilon), 0.0F)), "private");
  EXPECT_NE(stating(-0x1p-25).find("the certificate states epsilon"), std::string::npos) << "not 24 bits";
  EXPECT_NE(stating(-0x1p-21).find("the certificate states epsilon"), std::string::npos);
  EXPECT_NE(stating(0x1p-21).find("the certificate states epsilon"), std::string::npos);
}

TEST(Verify, CatchesAnEpsilonEditedInTheOptionsToo) {
  const std::string text = forged([](Json& json) {
    json["certificate"]["guarantee"]["epsilon"] = 0.1;
    json["certificate"]["options"]["epsilon"] = 0.1;
  });
  EXPECT_NE(message_of(text).find("step 1 (objective-perturbation) was edited: event.epsilon is 0.75"),
            std::string::npos);
}

// A method that records its noise rebuilds the same steps whatever budget stands beside it.
TEST(Verify, CatchesABudgetAmongTheOptionsThatIsNotTheGuarantee) {
  std::vector<Method> table(sample_table().begin(), sample_table().end());
  table[0].rebuild_steps = [](const Facts&, const Facts& assumed_public) {
    Facts fixed;
    fixed.set("epsilon", 1.0);
    fixed.set("slope_limit", 0.1);
    return testing::sample_steps(fixed, assumed_public);
  };
  const auto verdict = [&](const char* key, double value) -> std::string {
    try {
      verify_model(forged([&](Json& json) { json["certificate"]["options"][key] = value; }), "m.json",
                   std::nullopt, table);
    } catch (const Error& error) {
      return error.what();
    }
    return "private";
  };
  EXPECT_EQ(verdict("epsilon", 1.0), "private");
  EXPECT_EQ(verdict("epsilon", 1.005), "private");  // what calibration leaves unused
  EXPECT_EQ(verdict("epsilon", 0.5), "m.json: options.epsilon is 0.5, but the guarantee states 1");
  EXPECT_EQ(verdict("epsilon", 2.0), "m.json: options.epsilon is 2, but the guarantee states 1");
  EXPECT_EQ(verdict("delta", 1e-9), "m.json: options.delta is 1e-09, but the pure guarantee has none");
  EXPECT_EQ(verdict("mu", 0.1), "m.json: options.mu is 0.1, but the pure guarantee has none");
}

// A number that no event can have is the file's fault: the command was right.
TEST(Verify, NumbersThatNoPlanTakesAreTheFilesFault) {
  for (const double wild : {-0.5, 1e-320, 1e308})
    for (const char* where :
         {"/certificate/steps/0/event/epsilon", "/certificate/steps/0/sensitivity/value"}) {
      const std::string text = forged([&](Json& json) { json[Json::json_pointer(where)] = wild; });
      try {
        verify_model(text, "m.json", std::nullopt, sample_table());
        ADD_FAILURE() << "accepted " << where << " = " << wild;
      } catch (const VerificationError& error) {
        EXPECT_TRUE(std::string_view(error.what()).starts_with("m.json: ")) << error.what();
      } catch (const DataError& error) {
        EXPECT_TRUE(std::string_view(error.what()).starts_with("m.json: ")) << error.what();
      }
    }
}

// What machines have in common is compared exactly: sums, powers of two, and a delta that was asked for.
TEST(Verify, TakesNoLastDigitOffWhatMachinesHaveInCommon) {
  EXPECT_NE(message_of(forged([](Json& json) {
              Json& epsilon = json["certificate"]["guarantee"]["epsilon"];
              epsilon = epsilon.get<double>() * (1 - 5e-13);
            })).find("its steps add up to"),
            std::string::npos);
  EXPECT_NE(message_of(forged([](Json& json) {
              Json& grid = json["certificate"]["steps"][1]["grid"];
              grid = std::nextafter(grid.get<double>(), 1.0);
            })).find("was edited: grid is"),
            std::string::npos);
}

TEST(Verify, ASignatureHasItsFormThoughNobodyChecksIt) {
  for (const Json& bad : {Json(5), Json(nullptr), Json::object(), Json("ed25519:AAAA"), Json("")})
    EXPECT_NE(message_of(forged([&](Json& json) { json["signature"] = bad; })).find("signature"),
              std::string::npos)
        << bad;
}

TEST(Verify, CatchesInventedOptionsAndFacts) {
  const auto invented = [](const char* where) {
    return message_of(forged([&](Json& json) { json["certificate"][where]["approved_by"] = "everyone"; }));
  };
  EXPECT_EQ(invented("options"), "m.json: options.approved_by does not belong to the method two-step");
  EXPECT_EQ(
      invented("assumed_public"),
      "m.json: assumed_public.approved_by does not belong to a model of two-step, or has another value");
}

TEST(Verify, CatchesARemovedStep) {
  const std::string text = forged([](Json& json) {
    json["certificate"]["steps"].erase(0);
    json["certificate"]["guarantee"]["epsilon"] = 0.25;
  });
  EXPECT_EQ(message_of(text), "m.json: a step is missing: 1 are recorded, two-step takes 2");
}

TEST(Verify, CatchesAnAddedStep) {
  const std::string text =
      forged([](Json& json) { json["certificate"]["steps"].push_back(json["certificate"]["steps"][1]); });
  EXPECT_EQ(message_of(text), "m.json: a step is too many: 3 are recorded, two-step takes 2");
}

TEST(Verify, CatchesAnEditedSensitivity) {
  const std::string text =
      forged([](Json& json) { json["certificate"]["steps"][1]["sensitivity"]["value"] = 1e-8; });
  EXPECT_EQ(message_of(text),
            "m.json: step 2 (isotropic-laplace) was edited: sensitivity.value is 1e-08, expected 1e-07");
}

TEST(Verify, CatchesEveryEditedNumberOfAStep) {
  for (const char* place : {"/event/epsilon", "/sensitivity/slack", "/scale", "/grid"})
    EXPECT_NE(message_of(forged([&](Json& json) {
                double value = json["certificate"]["steps"][0][Json::json_pointer(place)];
                json["certificate"]["steps"][0][Json::json_pointer(place)] = value * (1 + 1e-9);
              })).find("step 1"),
              std::string::npos)
        << place;
}

TEST(Verify, CatchesEditsOfTheStepsWithinAStep) {
  const auto edited = [](auto edit) {
    return message_of(forged([&](Json& json) { edit(json["certificate"]["steps"][0]); }));
  };
  EXPECT_EQ(edited([](Json& step) { step["inner"][1]["event"]["epsilon"] = 0.2; }),
            "m.json: step 1.2 (objective-perturbation) was edited: event.epsilon is 0.2, expected 0.25");
  EXPECT_EQ(edited([](Json& step) { step["inner"][1]["times"] = 2; }),
            "m.json: step 1.2 (objective-perturbation) was edited: times is 2, expected 3");
  EXPECT_EQ(edited([](Json& step) { step["inner"].erase(1); }),
            "m.json: a step is missing: 1 are recorded, step 1 (objective-perturbation) takes 2");
  EXPECT_EQ(edited([](Json& step) {
              step.erase("inner");
              step.erase("nesting");
            }),
            "m.json: step 1 (objective-perturbation) was edited: its steps are nested by another rule");
  EXPECT_EQ(edited([](Json& step) { step["nesting"]["rule"] = "composed"; }),
            "m.json: step 1 (objective-perturbation) was edited: its steps are nested by another rule");
  EXPECT_NE(edited([](Json& step) { step["nesting"]["rule"] = "divine"; }).find("unknown rule \"divine\""),
            std::string::npos);
  EXPECT_NE(edited([](Json& step) { step.erase("nesting"); }).find("\"nesting\" is missing"),
            std::string::npos);
  EXPECT_NE(edited([](Json& step) {
              step["inner"][0]["inner"] = {step["inner"][1]};
              step["inner"][0]["nesting"] = {{"rule", "composed"}};
            }).find("too many"),
            std::string::npos);
}

// Version 1 lists what was charged, and nothing within it.
TEST(Verify, ReadsTheFlatStepsOfVersion1) {
  const auto flattened = [](Json& json) {
    json["version"] = 1;
    json["certificate"]["steps"][0].erase("inner");
    json["certificate"]["steps"][0].erase("nesting");
  };
  EXPECT_EQ(message_of(forged(flattened)), "private");
  EXPECT_NE(message_of(forged([&](Json& json) {
              flattened(json);
              json["certificate"]["steps"][0]["event"]["epsilon"] = 0.5;
            })).find("was edited"),
            std::string::npos);
  EXPECT_NE(message_of(forged([&](Json& json) { json["version"] = 1; })), "private");
}

TEST(Verify, RejectsASeededFit) {
  FittedModel model = sample_model();
  model.certificate.seeded = true;
  model.certificate.bit_source = "seeded test bits";
  EXPECT_EQ(message_of(model_to_json(model)),
            "m.json: not private: it was made with seeded bits (seeded test bits), which anyone can repeat");
}

TEST(Verify, RejectsAWatchedFit) {
  FittedModel model = sample_model();
  model.certificate.watched = true;
  EXPECT_NE(message_of(model_to_json(model)).find("not private: an audit looked"), std::string::npos);
}

TEST(Verify, CallsAFitWithoutPrivacyNotPrivate) {
  FittedModel model = sample_model();
  model.certificate.guarantee = NoPrivacy{};
  EXPECT_EQ(message_of(model_to_json(model)),
            "m.json: not private: it was fitted without any privacy (epsilon = inf)");
}

TEST(Verify, RejectsAPrivateFlagThatContradictsTheRest) {
  EXPECT_NE(message_of(forged([](Json& json) {
              json["certificate"]["private"] = false;
            })).find("certificate.private is false, expected true"),
            std::string::npos);
}

TEST(Verify, RejectsAnotherUnitNotionOrRelation) {
  const auto edited = [](const char* place, const Json& value) {
    return message_of(forged([&](Json& json) { json["certificate"][Json::json_pointer(place)] = value; }));
  };
  EXPECT_NE(edited("/unit", "user").find("states the unit user"), std::string::npos);
  EXPECT_NE(edited("/neighbours", "add_remove").find("neighbours add_remove"), std::string::npos);
  EXPECT_NE(edited("/guarantee", Json{{"notion", "gaussian"}, {"mu", 1.0}}).find("states gaussian privacy"),
            std::string::npos);
  EXPECT_NE(edited("/method", "unheard-of").find("unknown to this tacit"), std::string::npos);
}

TEST(Verify, RejectsAMissingOption) {
  EXPECT_NE(message_of(forged([](Json& json) {
              json["certificate"]["options"].erase("slope_limit");
            })).find("cannot be rebuilt"),
            std::string::npos);
}

TEST(Verify, RejectsAParameterOffItsGrid) {
  EXPECT_NE(
      message_of(forged([](Json& json) { json["parameters"][1] = 0.1; })).find("parameter 1 does not lie on"),
      std::string::npos);
}

TEST(Verify, RejectsAModelThatContradictsItsCertificate) {
  const auto message = [](const char* key, const Json& value) {
    return message_of(forged([&](Json& json) { json["certificate"]["assumed_public"][key] = value; }));
  };
  EXPECT_NE(message("loss", "hinge").find("different losses"), std::string::npos);
  EXPECT_NE(message("intercept", 2.0).find("different intercepts"), std::string::npos);
  EXPECT_NE(message("features", 9).find("different numbers of features"), std::string::npos);
}

TEST(Verify, RejectsATruncatedFile) {
  const std::string text = model_to_json(sample_model());
  EXPECT_NE(message_of(text.substr(0, text.size() / 2)).find("ends in the middle"), std::string::npos);
}

TEST(Verify, RejectsANewerVersion) {
  EXPECT_NE(message_of(forged([](Json& json) { json["version"] = 7; })).find("version 7 is newer"),
            std::string::npos);
}

TEST(Verify, ASignatureHoldsForItsKeyAlone) {
  const std::string text = sign_model(model_to_json(sample_model()), private_key);
  EXPECT_EQ(message_of(text), "private");
  EXPECT_EQ(message_of(text, public_key), "private");
  EXPECT_EQ(verify_model(text, "m", public_key, sample_table()).signature, SignatureState::valid);
  EXPECT_EQ(verify_model(text, "m", std::nullopt, sample_table()).signature,
            SignatureState::present_unchecked);
  EXPECT_NE(message_of(text, other_public_key).find("the signature does not hold"), std::string::npos);
}

TEST(Verify, ASignatureCatchesWhatADigestCannot) {
  // Consistent down to the digest, but the data had other records than it says.
  Json json = Json::parse(sign_model(model_to_json(sample_model()), private_key));
  json["certificate"]["assumed_public"]["records"] = 1;
  json["digest"] = sha256(sealed_bytes(json));
  EXPECT_EQ(message_of(layout(json)), "private");
  EXPECT_NE(message_of(layout(json), public_key).find("the signature does not hold"), std::string::npos);
}

TEST(Verify, RejectsMissingAndMalformedSignatures) {
  const std::string text = model_to_json(sample_model());
  EXPECT_NE(message_of(text, public_key).find("not signed"), std::string::npos);
  for (const char* bad : {"", "ed25519:", "ed25519:AAAA", "rsa:AAAA"})
    EXPECT_NE(message_of(forged([&](Json& json) { json["signature"] = bad; }), public_key).find("signature"),
              std::string::npos);
}

TEST(Verify, RefusesKeysOfTheWrongKind) {
  const std::string text = model_to_json(sample_model());
  EXPECT_THROW(sign_model(text, public_key), UsageError);
  EXPECT_THROW(sign_model(text, "nonsense"), UsageError);
  const std::string with_signature = sign_model(text, private_key);
  EXPECT_THROW(verify_model(with_signature, "m", private_key, sample_table()), UsageError);
}

FittedModel model_with_schema() {
  FittedModel model = sample_model();
  model.schema = parse_schema(
      R"({"drafted_from_data": true,
          "columns": {"job": {"type": "categorical", "categories": ["a"]},
                      "age": {"type": "numeric", "min": 0, "max": 7, "transform": "log1p", "knots": 3},
                      "note": {"type": "ignore"}},
          "pairs": [["job", "age"]]})",
      "schema");
  model.names = feature_names(*model.schema);
  model.features = model.names.size();
  model.parameters = Vector::Zero(static_cast<Eigen::Index>(model.features) + 1);
  Certificate& certificate = model.certificate;
  certificate.assumed_public.set("features", static_cast<std::int64_t>(model.features + 1));
  certificate.steps = testing::sample_steps(certificate.options, certificate.assumed_public);
  return model;
}

// The digest is the same whatever the order of an object's members, but it decides whose parameters are
// whose.
TEST(Verify, FindsColumnsInAnotherOrderUnderASignatureThatHolds) {
  const std::string text = sign_model(model_to_json(model_with_schema()), private_key);
  EXPECT_EQ(message_of(text, public_key), "private");
  const auto in_order = [&](std::initializer_list<const char*> names) {
    Json json = Json::parse(text), columns;
    for (const char* name : names) columns[name] = json["schema"]["columns"][name];
    json["schema"]["columns"] = columns;
    return message_of(json.dump(), public_key);
  };
  EXPECT_EQ(in_order({"note", "job", "age"}), "private");  // what is ignored has no feature
  EXPECT_EQ(in_order({"age", "job", "note"}),
            "m.json: the schema's columns are in another order than the fit's, or were renamed: feature 1 of "
            "the schema is \"age@0\", the model was fitted with \"job=a\" there");
}

TEST(Verify, FindsColumnsThatWereRenamedAndFeaturesThatTheSchemaDoesNotMake) {
  FittedModel model = model_with_schema();
  model.schema->columns[1].name = "years";
  model.schema->pairs[0][1] = "years";
  EXPECT_NE(message_of(model_to_json(model)).find("renamed: feature 3 of the schema is \"years@0\""),
            std::string::npos);
  model = model_with_schema();
  model.schema->pairs.clear();
  EXPECT_EQ(message_of(model_to_json(model)), "m.json: the schema makes 5 features, the model has 11");
  model = model_with_schema();
  model.schema->columns.push_back({"text", HashedColumn{.buckets = 1 << 20}});
  model.schema->pairs.push_back({"text", "age"});
  EXPECT_EQ(message_of(model_to_json(model)), "m.json: the schema makes more features than the model's 11");
}

// A knot on a logarithmic scale may have other last digits on another machine; another knot is another.
TEST(Verify, TakesTheLastDigitsOfAKnotForThoseOfALibrary) {
  const auto with_knot = [](const std::string& knot) {
    FittedModel model = model_with_schema();
    for (std::string& name : model.names)
      if (const auto at = name.find("age@1.8"); at != std::string::npos) name = name.substr(0, at + 4) + knot;
    return message_of(model_to_json(model));
  };
  ASSERT_TRUE(model_with_schema().names[3].starts_with("age@1.8284271247461"))
      << model_with_schema().names[3];
  EXPECT_EQ(with_knot("1.8284271247461945"), "private");
  EXPECT_NE(with_knot("1.8284271247"), "private");
  EXPECT_NE(with_knot("1.8284271247461945x"), "private");
}

}  // namespace
}  // namespace tacit

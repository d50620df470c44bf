#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "data/temp_folder.hpp"
#include "support/resealed.hpp"
#include "tacit/account.hpp"
#include "tacit/statistics.hpp"

// What tests of released statements share: a folder, a table in it, and the options of the release.

namespace tacit::testing {

template <class Options>
class ReleasedFiles : public ::testing::Test {
 protected:
  std::string save(const std::string& text) { return folder.write("statement.json", text).string(); }
  std::string forged(const nlohmann::ordered_json& json) { return save(resealed(json)); }

  // The statement that `release` makes of the table is verified for every notion, relation and unit, and so
  // is what `also` asks of its certificate; the column "who" says whose a record is.
  void expect_verified_everywhere(
      const std::function<std::string()>& release,
      const std::function<void(const Certificate&)>& also = [](const Certificate&) {}) {
    for (const Guarantee& guarantee : {Guarantee(Pure{5}), Guarantee(Approx{5, 1e-6})})
      for (const Neighbours relation :
           {Neighbours::zero_out, Neighbours::replace_one, Neighbours::add_remove})
        for (const char* user : {"", "who"}) {
          options.guarantee = guarantee;
          options.neighbours = relation;
          reading.user = user;
          const Certificate certificate = service::verify_file(save(release()), "").certificate;
          EXPECT_EQ(certificate.unit, *user ? Unit::user : Unit::item);
          EXPECT_EQ(certificate.neighbours, relation);
          EXPECT_TRUE(fits(certificate.guarantee, guarantee));
          also(certificate);
        }
  }

  testing_data::TempFolder folder;
  ReadOptions reading;
  Options options;
};

// One of the people in the tables: the age, empty for every seventh, the job and whose record it is.
inline std::string person(int k, int users) {
  return fmt::format("{},{},{}", k % 7 == 0 ? "" : std::to_string(20 + k % 50), k % 3 == 0 ? "Sales" : "Tech",
                     k % users);
}

}  // namespace tacit::testing

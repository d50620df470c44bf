#include <gtest/gtest.h>

#include "data/temp_folder.hpp"
#include "tacit/fit.hpp"
#include "tacit/service.hpp"

// A group is fitted as a table of its own would be: its size decides, not that of the whole table.

namespace tacit {
namespace {

using testing_data::TempFolder;

class GroupFit : public ::testing::Test {
 protected:
  // 4000 records, 400 of which are in the north; the same 400 alone in a file of their own.
  GroupFit() {
    std::string all = "region,x,class\n", alone = all;
    for (int k = 0; k < 4000; ++k) {
      const bool north = k % 10 == 0;
      const std::string row =
          fmt::format("{},{},{}\n", north ? "north" : "south", (k * 7) % 100, k % 20 < 9 ? "yes" : "no");
      all += row;
      if (north) alone += row;
    }
    reading.path = folder.write("all.csv", all);
    alone_path = folder.write("alone.csv", alone);
    Schema schema;
    schema.columns = {{"region", CategoricalColumn{.categories = {"north", "south"}}},
                      {"x", NumericColumn{.min = 0, .max = 100}}};
    schema.target = SchemaTarget{.column = "class", .classes = {"no", "yes"}};
    reading.schema = schema;
    group.group = LedgerGroup{"region", "north"};
  }
  void expect_same_shape() const {
    ReadOptions by_itself = reading;
    by_itself.path = alone_path;
    service::FitOptions whole = group;
    whole.group.reset();
    const FittedModel of_group = service::fit_file(reading, group),
                      of_file = service::fit_file(by_itself, whole);
    EXPECT_EQ(of_group.names, of_file.names);
    EXPECT_EQ(schema_to_json(*of_group.schema), schema_to_json(*of_file.schema));
    EXPECT_EQ(of_group.certificate.assumed_public.integer("records"), 400);
  }

  TempFolder folder;
  ReadOptions reading;
  std::filesystem::path alone_path;
  service::FitOptions group;
};

TEST_F(GroupFit, HasTheKnotsOfItsOwnRecords) {
  group.guarantee = Pure{2};
  expect_same_shape();
}

// A value that is not listed lies between few categories, and in none of their groups.
TEST_F(GroupFit, HasNobodyWhoseValueIsNotListed) {
  std::string all = "region,x,class\n";
  for (int k = 0; k < 300; ++k)
    all += fmt::format("{},{},{}\n",
                       k % 3 == 0   ? "north"
                       : k % 3 == 1 ? "south"
                                    : "west",
                       k % 100, k % 2 ? "yes" : "no");
  reading.path = folder.write("west.csv", all);
  std::get<CategoricalColumn>(reading.schema->columns[0].kind).other = 0.09375;
  group.guarantee = Pure{2};
  EXPECT_EQ(service::fit_file(reading, group).certificate.assumed_public.integer("records"), 100);
}

// 400 records at epsilon = 0.01 bear no column, 4000 do.
TEST_F(GroupFit, IsAConstantWhereItsOwnRecordsAreTooFew) {
  group.guarantee = Pure{0.01};
  expect_same_shape();
}

}  // namespace
}  // namespace tacit

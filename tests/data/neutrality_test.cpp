#include "neutrality.hpp"

#include "neutrality_csv.hpp"
#include "neutrality_encoded.hpp"
#include "neutrality_others.hpp"
#include "neutrality_sql.hpp"

namespace tacit::neutrality {
namespace {

// Faults that this net once found are kept in tests/mutants, and it must find them again.
constexpr std::size_t quick = 1000, many = 30'000;

TEST(Neutrality, CsvWithASchema) { expect_neutral(2 * quick, 1, csv_pair_with_schema); }
TEST(Neutrality, CsvWithoutASchema) { expect_neutral(quick, 2, csv_pair_without_schema); }
TEST(Neutrality, Libsvm) { expect_neutral(quick, 3, libsvm_pair); }
TEST(Neutrality, Idx) { expect_neutral(quick, 4, idx_pair); }
TEST(Neutrality, Npy) { expect_neutral(quick, 6, npy_pair); }
TEST(Neutrality, Sqlite) { expect_neutral(quick / 2, 5, sqlite_pair); }

TEST(Neutrality, EncodedCells) {
  expect_neutral(quick / 12, 6, encoded_pair);
}  // each flushes files to the disk

TEST(LongNeutrality, CsvWithASchema) { expect_neutral(2 * many, 11, csv_pair_with_schema); }
TEST(LongNeutrality, CsvWithoutASchema) { expect_neutral(many, 12, csv_pair_without_schema); }
TEST(LongNeutrality, Libsvm) { expect_neutral(many, 13, libsvm_pair); }
TEST(LongNeutrality, Idx) { expect_neutral(many, 14, idx_pair); }
TEST(LongNeutrality, Npy) { expect_neutral(many, 16, npy_pair); }
TEST(LongNeutrality, Sqlite) { expect_neutral(many / 3, 15, sqlite_pair); }
TEST(LongNeutrality, EncodedCells) { expect_neutral(many / 30, 16, encoded_pair); }

}  // namespace
}  // namespace tacit::neutrality

// Encoded cells that nobody encoded: what was written by hand is held to the schema all the same.

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "data/encoded_cells.hpp"

namespace tacit {
namespace {

using testing_data::EncodedCells;
using testing_data::every_kind;
using testing_data::message_of;

// Someone who computes the digests anew has no more to say about a record than its table had.
class ForgedCells : public EncodedCells {
 protected:
  ForgedCells() : path_(encoded(csv())), whole_(read_file(path_)) {
    schema_ = schema_of_encoded(path_);
    std::memcpy(&header_, whole_.data(), sizeof header_);
  }

  template <class T>
  std::string refused(std::size_t record, std::size_t at, T value) {
    std::string bytes = whole_;
    auto* file = reinterpret_cast<std::byte*>(bytes.data());
    store(file + header_.first_row + record * header_.row_bytes + at, value);
    for (std::size_t block = 0; block < header_.blocks(); ++block)
      store(file + header_.digests() + block * sizeof(Sha256), sha256_of(block_bytes(file, header_, block)));
    header_.digest = whole_digest(file, header_);
    store(file, header_);
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
    return message({.path = path_});
  }

  std::filesystem::path path_;
  std::string whole_;
  Schema schema_;
  EncodedHeader header_;
};

TEST_F(ForgedCells, AreHeldToTheSchema) {
  const RowLayout layout(schema_, Encoder(schema_));
  EXPECT_EQ(refused(7, layout.place(0).number, 100.5),
            path_.string() + ": record 8, column \"age\": 100.5 is not between 0 and 100");
  EXPECT_NE(refused(7, layout.place(0).number, -1e300), "");
  EXPECT_NE(refused(0, layout.place(0).number, std::nan("")), "") << "it has no feature for missing cells";
  EXPECT_NE(refused(0, layout.place(1).number, double{INFINITY}), "");
  EXPECT_EQ(refused(299, layout.place(4).code, std::uint32_t{4}),
            path_.string() + ": record 300, column \"job\": 4 is not below 4");
  EXPECT_NE(refused(0, layout.place(5).code, std::uint32_t{37}), "");
  EXPECT_NE(refused(0, layout.place(6).month, std::uint32_t{13}), "");
  EXPECT_NE(refused(0, layout.place(6).hour, std::uint32_t{25}), "");
  EXPECT_EQ(refused(0, *layout.user, std::uint32_t{12}),
            path_.string() + ": record 1, user 12 is not below 12");
  EXPECT_NE(refused(0, *layout.label, std::nan("")), "");
}

// A file that is changed after it was looked through keeps every bound that privacy rests on.
TEST_F(ForgedCells, KeepTheBoundsWhateverTheBytesAre) {
  const ReadResult read = read_dataset({.path = path_, .encoder = EncoderRule::hats});
  std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
  for (std::size_t i = 0; i < header_.rows; ++i) {
    std::string row(header_.row_bytes, '\0');
    for (std::size_t k = 0; k < row.size(); ++k)
      row[k] = static_cast<char>(i < 100 ? 0xff : i < 200 ? i * 31 + k * k * 17 : k % 8 == 7 ? 0x7f : 0xef);
    file.seekp(static_cast<std::streamoff>(header_.first_row + i * header_.row_bytes));
    file.write(row.data(), static_cast<std::streamsize>(row.size()));
  }
  file.close();
  const FeatureBlocks blocks(read.blocks);
  RowRoom room;
  for (std::size_t i = 0; i < read.data.size(); ++i) {
    const RowView row = read.data.features.row(i, room);
    for (std::size_t k = 0; k < row.size; ++k) {
      ASSERT_TRUE(std::isfinite(row.values[k]));
      if (row.columns) {
        ASSERT_LT(row.columns[k], read.data.features.columns());
      }
    }
    ASSERT_LE(blocks.gauge(row, 0), 1 + 1e-9) << "row " << i;
  }
}

}  // namespace
}  // namespace tacit

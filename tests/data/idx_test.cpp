#include <gtest/gtest.h>

#include <cmath>

#include "data/scattering.hpp"
#include "tacit/data.hpp"
#include "temp_folder.hpp"

namespace tacit {
namespace {

using testing_data::gzip;
using testing_data::message_of;

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

std::string idx(char type, const std::vector<std::uint32_t>& dimensions, const std::string& content) {
  std::string file{'\0', '\0', type, static_cast<char>(dimensions.size())};
  for (const auto dimension : dimensions) file += big_endian(dimension);
  return file + content;
}

constexpr char bytes = 0x08, integers = 0x0c, floats = 0x0d, doubles = 0x0e;

class Idx : public ::testing::Test {
 protected:
  Idx() {
    images_.path =
        folder_.write("images-idx3-ubyte", idx(bytes, {3, 1, 2}, std::string("\0\xff\x80\x01\x02\x03", 6)));
  }
  std::string message(std::string_view content) {
    ReadOptions options;
    options.path = folder_.write("t.idx", content);
    const std::string text = message_of<DataError>([&] { read_dataset(options); });
    return text.substr(std::min(text.size(), folder_.path().string().size() + 1));
  }

  testing_data::TempFolder folder_;
  ReadOptions images_;
};

using Values = std::vector<double>;
using Names = std::vector<std::string>;

TEST_F(Idx, PixelsAreScaledByTheirPublicRange) {
  const auto result = read_dataset(images_);
  EXPECT_EQ(result.data.features.dense_rows().values,
            (Values{0, 1, 128 / 255.0, 1 / 255.0, 2 / 255.0, 3 / 255.0}));
  EXPECT_EQ(result.data.features.rows(), 3u);
  EXPECT_FALSE(result.has_target);
  EXPECT_GE(result.row_norm_bound.value(), std::sqrt(2.0));
  EXPECT_LT(result.row_norm_bound.value(), 1.4143);
}

TEST_F(Idx, FloatsAreFeaturesAsTheyAreWithoutABound) {
  const auto words = [](auto... values) { return (big_endian(values) + ...); };
  const std::string four = words(0x3fc00000U, 0xc0000000U, 0x7fc00000U, 0x7f800000U);  // 1.5, −2, NaN, ∞
  images_.path = folder_.write("f.idx2", idx(floats, {2, 2}, four));
  const ReadResult read = read_dataset(images_);
  EXPECT_EQ(read.data.features.dense_rows().values, (Values{1.5, -2, 0, 0})) << "what is not finite is 0";
  EXPECT_FALSE(read.row_norm_bound);
  images_.path = folder_.write(
      "d.idx2", idx(doubles, {2, 1}, words(0x3ff80000U, 0U) + words(0xfff00000U, 0U)));  // 1.5, −∞
  EXPECT_EQ(read_dataset(images_).data.features.dense_rows().values, (Values{1.5, 0}));
  images_.labels_path = folder_.write("labels", idx(floats, {2}, words(0x3fc00000U, 0xc0000000U)));
  images_.wish = TargetWish::numeric;
  EXPECT_EQ(read_dataset(images_).data.labels, (Values{1.5, -2}));
  images_.labels_path = folder_.write("labels", idx(floats, {2}, words(0U, 0x7fc00000U)));
  EXPECT_NE(message_of<DataError>([&] { read_dataset(images_); }).find("entry 1: the label is nan"),
            std::string::npos);
  images_.labels_path.clear();
  images_.users_path = folder_.write("users", idx(floats, {2}, words(0U, 0U)));
  EXPECT_NE(message_of<DataError>([&] { read_dataset(images_); }).find("floats, expected users as bytes"),
            std::string::npos);
  images_.users_path.clear();
  images_.image_features = ImageFeatures::wavelets;
  EXPECT_NE(message_of<DataError>([&] { read_dataset(images_); }).find("for wavelet features"),
            std::string::npos);
}

TEST_F(Idx, IntegersAreFeaturesAsTheyAreWithoutABound) {
  images_.path = folder_.write("i.idx2", idx(integers, {1, 2}, big_endian(7) + big_endian(0xfffffffeU)));
  const ReadResult read = read_dataset(images_);
  EXPECT_EQ(read.data.features.dense_rows().values, (Values{7, -2}));
  EXPECT_FALSE(read.row_norm_bound);
}

TEST_F(Idx, LabelsAndUsersLieBeside) {
  images_.labels_path = folder_.write("labels.gz", gzip(idx(bytes, {3}, "\x07\x02\x07")));
  images_.users_path =
      folder_.write("users", idx(integers, {3, 2},
                                 big_endian(1) + big_endian(500) + big_endian(2) + big_endian(0xffffffff) +
                                     big_endian(3) + big_endian(500)));
  images_.user = "1";
  images_.wish = TargetWish::classes;
  const auto result = read_dataset(images_);
  EXPECT_EQ(result.data.classes, (Names{"2", "7"}));
  EXPECT_EQ(result.data.labels, (Values{1, 0, 1}));
  EXPECT_EQ(result.read_off_data, (Names{"classes"}));
  EXPECT_EQ(result.data.users, (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(result.data.user_count, 2u);

  images_.schema = parse_schema(R"({"target": {"classes": ["0", "2", "7"]}})", "s");
  EXPECT_EQ(read_dataset(images_).data.labels, (Values{2, 1, 2}));
  images_.schema = parse_schema(R"({"target": {"classes": ["0", "7"]}})", "s");
  EXPECT_NE(message_of<DataError>([&] { read_dataset(images_); }).find("entry 1: the label 2 is not a class"),
            std::string::npos);
}

TEST_F(Idx, SignedIntegersKeepTheirSign) {
  images_.labels_path =
      folder_.write("labels", idx(integers, {3}, big_endian(0xfffffffe) + big_endian(5) + big_endian(70000)));
  EXPECT_EQ(read_dataset(images_).data.labels, (Values{-2, 5, 70000}));
}

TEST_F(Idx, CountsThatDifferAreAnError) {
  images_.labels_path = folder_.write("labels", idx(bytes, {2}, "\x01\x02"));
  EXPECT_NE(
      message_of<DataError>([&] { read_dataset(images_); }).find("labels: it has 2 entries, expected 3, as "),
      std::string::npos);
}

TEST_F(Idx, ATwoDimensionalLabelFileNeedsAColumn) {
  images_.labels_path = folder_.write("labels", idx(bytes, {3, 2}, "abcdef"));
  EXPECT_NE(message_of<UsageError>([&] { read_dataset(images_); }).find("it has 2 columns"),
            std::string::npos);
  images_.target = "2";
  EXPECT_THROW(read_dataset(images_), UsageError);
  images_.target = "1";
  EXPECT_EQ(read_dataset(images_).data.labels, (Values{'b', 'd', 'f'}));
}

TEST_F(Idx, BadFilesAreRefused) {
  const std::string not_idx =
      "t.idx: neither an IDX file (two zero bytes, type, dimensions) nor a NumPy file (\\x93NUMPY)";
  const std::string truncated = "t.idx: the IDX file ends early, is it truncated?";
  EXPECT_EQ(message("PNG!"), not_idx);
  EXPECT_EQ(message(std::string("\0\0", 2)), not_idx);
  EXPECT_EQ(
      message(idx(0x0b, {1}, "x")),
      "t.idx: IDX type 0x0b, expected 0x08 (unsigned bytes), 0x0c (32-bit integers), 0x0d (floats) or 0x0e "
      "(doubles)");
  EXPECT_EQ(message(idx(doubles, {1, 1}, "abcd")), truncated);
  EXPECT_EQ(message(idx(bytes, {}, "")), "t.idx: 0 dimensions, expected 1 to 8");
  EXPECT_EQ(message(idx(bytes, {2, 2}, "abc")), truncated);
  EXPECT_EQ(message(idx(bytes, {2, 2}, "abc").substr(0, 9)), truncated);
  EXPECT_EQ(message(idx(bytes, {0xffffffff, 0xffffffff}, "abc")), truncated);
  EXPECT_EQ(message(idx(bytes, {0xffffffff, 0xffffffff, 0xffffffff}, "abc")), truncated);
  EXPECT_EQ(message(idx(bytes, {2, 2}, "abcde")), "t.idx: the IDX file goes on after its 2 x 2 values");
  EXPECT_EQ(message(idx(bytes, {0, 2}, "")), "t.idx: the IDX file has no values");
}

TEST_F(Idx, WaveletFeaturesAreThoseOfEachImage) {
  std::string content;
  for (int k = 0; k < 3 * 8 * 12; ++k) content += static_cast<char>(k * k % 251);
  images_.path = folder_.write("w.idx", idx(bytes, {3, 8, 12}, content));
  images_.image_features = ImageFeatures::wavelets;
  const Scattering scattering(8, 12);
  for (const unsigned threads : {1, 2, 3, 7}) {
    images_.threads = threads;
    const auto result = read_dataset(images_);
    EXPECT_EQ(result.row_norm_bound, 1.0);
    const DenseRows& rows = result.data.features.dense_rows();
    ASSERT_EQ(rows.columns, 81u * 2 * 3);
    for (std::size_t i = 0; i < 3; ++i) {
      Values pixels, expected(rows.columns);
      for (std::size_t k = 0; k < 96; ++k)
        pixels.push_back(static_cast<unsigned char>(content[i * 96 + k]) / 255.0);
      scattering.transform(pixels, expected);
      EXPECT_EQ(Values(rows.values.begin() + static_cast<std::ptrdiff_t>(i * rows.columns),
                       rows.values.begin() + static_cast<std::ptrdiff_t>((i + 1) * rows.columns)),
                expected);
    }
  }
}

TEST_F(Idx, WaveletsNeedImages) {
  images_.image_features = ImageFeatures::wavelets;
  EXPECT_THROW(read_dataset(images_), UsageError) << "1 x 2 pixels";
  images_.path = folder_.write("flat.idx", idx(bytes, {2, 3}, "abcdef"));
  const std::string flat = message_of<UsageError>([&] { read_dataset(images_); });
  EXPECT_NE(flat.find("2 dimensions, expected 3 for wavelet features: images, rows, columns"), flat.npos);
  images_.path = folder_.write("t.csv", "a,b\n1,2\n");
  EXPECT_EQ(message_of<UsageError>([&] { read_dataset(images_); }),
            "wavelet features are made of IDX and NumPy images only");
  EXPECT_EQ(parse_image_features("wavelets"), ImageFeatures::wavelets);
  EXPECT_THROW(parse_image_features("cnn"), UsageError);
}

}  // namespace
}  // namespace tacit

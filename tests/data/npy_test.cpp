#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "tacit/data.hpp"
#include "temp_folder.hpp"

namespace tacit {
namespace {

using testing_data::gzip;
using testing_data::message_of;
using Values = std::vector<double>;

// As numpy.save writes it.
std::string npy(const std::string& header, const std::string& content, int version = 1) {
  std::string padded = header;
  while ((padded.size() + 11) % 64 != 0) padded += ' ';
  padded += '\n';
  std::string length;
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) length += static_cast<char>(padded.size() >> 8 * i & 0xff);
  return "\x93NUMPY" + std::string{static_cast<char>(version), '\0'} + length + padded + content;
}

std::string header(const std::string& type, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

template <class T>
std::string little(std::initializer_list<T> values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), std::data(values), bytes.size());
  return bytes;
}

class Npy : public ::testing::Test {
 protected:
  ReadResult read(const std::string& content) {
    options_.path = folder_.write("x.npy", content);
    return read_dataset(options_);
  }
  Values values(const std::string& content) { return read(content).data.features.dense_rows().values; }
  std::string message(const std::string& content) {
    const std::string text = message_of<DataError>([&] { read(content); });
    return text.substr(std::min(text.size(), folder_.path().string().size() + 1));
  }

  testing_data::TempFolder folder_;
  ReadOptions options_;
};

TEST_F(Npy, EveryTypeIsReadByItsOwnRule) {
  EXPECT_EQ(values(npy(header("<f4", "(2, 1)"), little<float>({1.5F, -2}))), (Values{1.5, -2}));
  EXPECT_EQ(values(npy(header("<f8", "(1, 2)"), little<double>({1.5, -2}))), (Values{1.5, -2}));
  EXPECT_EQ(values(npy(header(">f4", "(1, 1)"), std::string("\x3f\xc0\0\0", 4))), Values{1.5});
  EXPECT_EQ(values(npy(header("<i8", "(1, 2)"), little<std::int64_t>({-3, 1LL << 40}))),
            (Values{-3, 0x1p40}));
  EXPECT_EQ(values(npy(header("<i2", "(1, 2)"), little<std::int16_t>({-3, 300}))), (Values{-3, 300}));
  EXPECT_EQ(values(npy(header("<u4", "(1, 1)"), little<std::uint32_t>({0xffffffffU}))), Values{0x1p32 - 1});
  EXPECT_EQ(values(npy(header("|i1", "(1, 1)"), "\xff")), Values{-1});
  EXPECT_EQ(values(npy(header("|u1", "(1, 2)"), std::string("\0\xff", 2))), (Values{0, 1})) << "as pixels";
  EXPECT_EQ(values(npy(header("<f8", "(1,)"), little<double>({4}), 2)), Values{4}) << "a column, format 2";
  EXPECT_EQ(values(gzip(npy(header("<f8", "(1,)"), little<double>({4})))), Values{4});
}

TEST_F(Npy, OnlyBytesHaveABound) {
  EXPECT_FALSE(read(npy(header("<f4", "(1, 1)"), little<float>({1}))).row_norm_bound);
  EXPECT_GE(read(npy(header("|u1", "(1, 4)"), "abcd")).row_norm_bound.value(), 2);
}

TEST_F(Npy, WhatIsNotFiniteIsZero) {
  constexpr float none = std::numeric_limits<float>::quiet_NaN(),
                  infinite = std::numeric_limits<float>::infinity();
  EXPECT_EQ(values(npy(header("<f4", "(3, 1)"), little<float>({none, infinite, 1}))), (Values{0, 0, 1}));
}

TEST_F(Npy, ColumnsThatComeFirstAreTurned) {
  EXPECT_EQ(values(npy(header("<f8", "(3, 2)", "True"), little<double>({1, 2, 3, 4, 5, 6}))),
            (Values{1, 4, 2, 5, 3, 6}));
}

TEST_F(Npy, LabelsAndUsersLieBeside) {
  options_.labels_path = folder_.write("y.npy", npy(header("<i8", "(3,)"), little<std::int64_t>({7, 2, 7})));
  options_.users_path =
      folder_.write("u.npy", npy(header("<u8", "(3,)"), little<std::uint64_t>({~0ULL, ~0ULL - 1, ~0ULL})));
  options_.wish = TargetWish::classes;
  const Dataset data = read(npy(header("<f4", "(3, 1)"), little<float>({1, 2, 3}))).data;
  EXPECT_EQ(data.classes, (std::vector<std::string>{"2", "7"}));
  EXPECT_EQ(data.labels, (Values{1, 0, 1}));
  EXPECT_EQ(data.user_count, 2u) << "ids beyond 2^63 are told apart";
}

TEST_F(Npy, BadFilesAreNamed) {
  const std::string one = little<float>({1});
  const std::string bad_header =
      "x.npy: not a NumPy file's header, expected {'descr': …, 'fortran_order': …, 'shape': (…)}";
  EXPECT_EQ(message(npy(header("|O", "(1, 1)"), one)),
            "x.npy: numbers of the type \"|O\", expected float32, float64, bool or integers of 8 to 64 bits "
            "(array.astype)");
  EXPECT_EQ(message(npy(header("<f2", "(1, 1)"), one)).substr(0, 39),
            "x.npy: numbers of the type \"<f2\", expec");
  EXPECT_EQ(message(npy(header("<f4", "(2, 1)"), one)), "x.npy: the NumPy file ends early, is it truncated?");
  EXPECT_EQ(message(npy(header("<f4", "(1, 1)"), one + one)),
            "x.npy: the NumPy file goes on after its 1 x 1 values");
  EXPECT_EQ(message(npy(header("<f4", "(0, 1)"), "")), "x.npy: the NumPy file has no values");
  EXPECT_EQ(message(npy(header("<f4", "()"), one)), "x.npy: 0 dimensions, expected 1 to 8");
  EXPECT_EQ(message(npy(header("<f4", "(4294967296, 4294967296, 16)"), one)),
            "x.npy: the NumPy file ends early, is it truncated?");
  EXPECT_EQ(message(npy(header("<f4", "(1, 1, 1)", "True"), one)),
            "x.npy: 3 dimensions in Fortran order, expected at most 2 (numpy.ascontiguousarray turns them)");
  for (const char* text : {"", "{", "{}", "{'descr': '<f4', 'shape': (1,)}", "{'descr': '<f4'",
                           "{'shape': (1", "{'descr': '<f4', 'fortran_order': maybe, 'shape': (1,)}",
                           "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} and more"})
    EXPECT_EQ(message(npy(text, one)), bad_header) << text;
  EXPECT_EQ(message(npy(header("<f4", "(1, 1)"), one, 4)), "x.npy: NumPy format 4, expected 1, 2 or 3");
  EXPECT_EQ(message("\x93NUM"), "x.npy: the NumPy file ends early, is it truncated?");
  EXPECT_EQ(message("\x93NUMPY"), bad_header);
}

}  // namespace
}  // namespace tacit

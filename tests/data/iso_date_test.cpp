#include "data/iso_date.hpp"

#include <gtest/gtest.h>

namespace tacit {
namespace {

double seconds(std::string_view text) { return date_in(text).value().seconds; }

TEST(IsoDate, CountsSecondsInUtc) {
  EXPECT_EQ(seconds("1970-01-01"), 0);
  EXPECT_EQ(seconds("1969-12-31"), -86400);
  EXPECT_EQ(seconds("2024-02-29"), 1709164800);  // a leap day
  EXPECT_EQ(seconds("2024-02-29T12:34:56Z"), 1709210096);
  EXPECT_EQ(seconds("2024-02-29 12:34:56.5"), 1709210096.5);
  EXPECT_EQ(seconds("2024-02-29T12:34+02:00"), seconds("2024-02-29T10:34Z"));
  EXPECT_EQ(seconds("2024-02-29T12:34-0530"), seconds("2024-02-29T18:04Z"));
  EXPECT_EQ(seconds("2024-02-29T12:34+02"), seconds("2024-02-29T10:34"));
  EXPECT_EQ(seconds("2016-12-31T23:59:60Z"), seconds("2017-01-01"));
}

TEST(IsoDate, PartsAreThoseThatAreWritten) {
  const IsoDate date = date_in("2026-11-15T23:30-08:00").value();  // a Sunday there, Monday in UTC
  EXPECT_EQ(date.month, 11);
  EXPECT_EQ(date.weekday, 7);
  EXPECT_EQ(date.hour, 23);
  EXPECT_EQ(date_at(date.seconds).weekday, 1);
  EXPECT_EQ(date_at(date.seconds).hour, 7);
  EXPECT_EQ(date_at(-1).hour, 23);
  EXPECT_EQ(date_at(-1).month, 12);
}

TEST(IsoDate, RefusesWhatIsNone) {
  for (const char* text : {"",
                           "2024",
                           "2024-02",
                           "2024-02-30",
                           "2023-02-29",
                           "2024-13-01",
                           "2024-00-01",
                           "24-01-01",
                           "2024-1-1",
                           "2024-01-01T",
                           "2024-01-01T24:00",
                           "2024-01-01T12",
                           "2024-01-01T12:60",
                           "2024-01-01T12:00:61",
                           "2024-01-01T12:00:00.",
                           "2024-01-01T12:00+2",
                           "2024-01-01T12:00ZZ",
                           "2024-01-01x",
                           "01/02/2024",
                           "20240101",
                           "1.5",
                           "2024-01-01T12:00+24:00",
                           "-2024-01-01"})
    EXPECT_FALSE(date_in(text)) << text;
}

TEST(IsoDate, TextReadsBack) {
  for (const char* text : {"0000-01-01", "1969-12-31", "2024-02-29", "2024-02-29T12:34Z",
                           "9999-12-31T23:59:59Z", "2024-02-29T00:00:00.5Z", "1960-02-29T23:59:59.125Z"})
    EXPECT_EQ(date_text(seconds(text)), text);
  for (double x = -1e9 / 3; x < 3e9; x += 1e8 / 7) EXPECT_EQ(seconds(date_text(x)), x) << date_text(x);
}

}  // namespace
}  // namespace tacit

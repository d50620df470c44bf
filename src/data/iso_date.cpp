#include "data/iso_date.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>

#include "data/text.hpp"

namespace tacit::inline v1 {
namespace {

constexpr double day_seconds = 86400;

// Takes what it is asked for from the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool done() const { return text_.empty(); }
  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  // Exactly `count` digits.
  std::optional<int> digits(std::size_t count) {
    int value = 0;
    if (text_.size() < count) return std::nullopt;
    for (const char c : text_.substr(0, count)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = 10 * value + (c - '0');
    }
    text_.remove_prefix(count);
    return value;
  }
  // The same, below `limit`.
  std::optional<int> below(int limit) {
    const auto value = digits(2);
    return value && *value < limit ? value : std::nullopt;
  }
  // The digits after a decimal mark, as a part of 1.
  std::optional<double> fraction() {
    const std::size_t count = std::min(text_.find_first_not_of("0123456789"), text_.size());
    const auto value = number_in(fmt::format("0.{}", text_.substr(0, count)));
    text_.remove_prefix(count);
    return count == 0 ? std::nullopt : value;
  }

 private:
  std::string_view text_;
};

IsoDate of_day(std::chrono::sys_days day) {
  const std::chrono::year_month_day date(day);
  return {.seconds = day_seconds * static_cast<double>(day.time_since_epoch().count()),
          .month = static_cast<int>(static_cast<unsigned>(date.month())),
          .weekday = static_cast<int>(std::chrono::weekday(day).iso_encoding())};
}

std::optional<IsoDate> take_date(Scanner& scan) {
  const auto year = scan.digits(4);
  if (!year || !scan.take('-')) return std::nullopt;
  const auto month = scan.digits(2);
  if (!month || !scan.take('-')) return std::nullopt;
  const auto day = scan.digits(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return of_day(date);
}

bool take_time(Scanner& scan, IsoDate& date) {
  const auto hour = scan.below(24);
  if (!hour || !scan.take(':')) return false;
  const auto minute = scan.below(60);
  if (!minute) return false;
  date.hour = *hour;
  date.seconds += 3600.0 * *hour + 60.0 * *minute;
  if (!scan.take(':')) return true;
  const auto second = scan.below(61);  // a leap second counts as the first of the next minute
  if (!second) return false;
  date.seconds += *second;
  if (!scan.take('.') && !scan.take(',')) return true;
  const auto part = scan.fraction();
  if (part) date.seconds += *part;
  return part.has_value();
}

// Z or a difference from UTC; nothing is UTC as well.
bool take_offset(Scanner& scan, IsoDate& date) {
  if (scan.done() || scan.take('Z')) return true;
  const bool east = scan.take('+');
  if (!east && !scan.take('-')) return false;
  const auto hours = scan.below(24);
  if (!hours) return false;
  int minutes = 0;
  if (!scan.done()) {
    scan.take(':');
    const auto given = scan.below(60);
    if (!given) return false;
    minutes = *given;
  }
  const double offset = 3600.0 * *hours + 60.0 * minutes;
  date.seconds += east ? -offset : offset;
  return true;
}

}  // namespace

std::optional<IsoDate> date_in(std::string_view text) {
  Scanner scan(text);
  auto date = take_date(scan);
  if (!date || scan.done()) return date;
  if (!scan.take('T') && !scan.take(' ')) return std::nullopt;
  if (!take_time(scan, *date) || !take_offset(scan, *date) || !scan.done()) return std::nullopt;
  return date;
}

IsoDate date_at(double seconds) {
  const double day = std::floor(seconds / day_seconds);
  IsoDate date = of_day(std::chrono::sys_days(std::chrono::days(static_cast<std::int64_t>(day))));
  date.hour = static_cast<int>((seconds - day_seconds * day) / 3600);
  date.seconds = seconds;
  return date;
}

std::string date_text(double seconds) {
  const double whole = std::floor(seconds), day = std::floor(seconds / day_seconds);
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(static_cast<std::int64_t>(day)))};
  const std::string text =
      fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()));
  const auto clock = static_cast<int>(whole - day_seconds * day);
  if (clock == 0 && whole == seconds) return text;
  const std::string time = fmt::format("{}T{:02}:{:02}", text, clock / 3600, clock / 60 % 60);
  if (clock % 60 == 0 && whole == seconds) return time + "Z";
  const std::string full = fmt::format("{}:{:02}", time, clock % 60);
  if (whole == seconds) return full + "Z";
  for (int digits = 1; digits < 18; ++digits) {  // the fraction's shortest form that reads back
    std::string part = fmt::format("{:.{}f}", seconds - whole, digits);
    if (part.front() != '0') break;  // rounded up to 1
    std::string candidate = full + part.substr(1) + "Z";
    if (const auto read = date_in(candidate); read && read->seconds == seconds) return candidate;
  }
  return full + fmt::format("{:.17f}", seconds - whole).substr(1) + "Z";
}

}  // namespace tacit::inline v1

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tacit::inline v1 {

// A date, or a date and a time, of the proleptic Gregorian calendar.
struct IsoDate {
  double seconds = 0;       // since 1970-01-01T00:00Z; a time without an offset is taken to be UTC
  int month = 1, hour = 0;  // as written: 1 … 12, 0 … 23
  int weekday = 1;          // ISO: 1 is Monday, 7 Sunday
};

// "2024-05-31", "2024-05-31T08:15", "2024-05-31 08:15:30.25", each time also with Z, +02, +0200 or +02:00.
// Years 0000 to 9999. nullopt for anything else.
std::optional<IsoDate> date_in(std::string_view text);

// The date of so many seconds in UTC.
IsoDate date_at(double seconds);

// The shortest of the forms above that reads back as `seconds`, in UTC.
std::string date_text(double seconds);

}  // namespace tacit::inline v1

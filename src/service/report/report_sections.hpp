#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "privacy/trade_off.hpp"
#include "service/report/html.hpp"
#include "tacit/model.hpp"
#include "tacit/verify.hpp"

// The sections of a report, each from public or released values alone.

namespace tacit::inline v1::service {

// None where the digest does not hold: then nothing in the file is what tacit wrote, and nothing of it is
// shown. DataError for what is no model at all.
std::optional<FittedModel> model_if_whole(const std::filesystem::path& path);

// That these files' signatures were not checked, and how to, for the box at the top; `names` is HTML.
std::string unchecked_html(const std::string& names, const std::string& file);
// A name as one word of a shell's command line.
std::string shell_word(const std::string& name);

// Rounded up: never less than what is promised.
std::string promise_of(const Guarantee& guarantee);

html::Section promise_section(const Certificate& certificate);
// What the best attacker reaches.
html::Section attacker_section(const Certificate& certificate, std::span<const ProfilePoint> profile);
// The same of all that a ledger's budget was charged with: whoever has it, and what it adds up to. Empty
// where the total has no curve.
std::string attacker_of_total(const std::string& name, const Guarantee& total, Unit unit,
                              Neighbours neighbours);
// delta against epsilon.
html::Section curve_section(const Certificate& certificate, std::span<const ProfilePoint> profile);
html::Section steps_section(const Certificate& certificate);
html::Section assumptions_section(const Certificate& certificate);
html::Section model_section(const FittedModel& model);
// A curve, bar chart or heat map for every column; without columns, or with a network, none.
std::optional<html::Section> columns_section(const FittedModel& model);

}  // namespace tacit::inline v1::service

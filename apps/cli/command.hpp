#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "tacit/data.hpp"
#include "tacit/fit.hpp"
#include "tacit/method.hpp"

// One file per command. Each adds its subcommand, flags and help to the tool; what it does runs when the
// command line has been read in full. main.cpp has the table.

namespace tacit::cli {

void add_fit(Command& tool);
void add_predict(Command& tool);
void add_describe(Command& tool);
void add_evaluate(Command& tool);
void add_verify(Command& tool);
void add_methods(Command& tool);
void add_schema(Command& tool);
void add_encode(Command& tool);
void add_ledger(Command& tool);
void add_account(Command& tool);
void add_calibrate(Command& tool);
void add_audit(Command& tool);
void add_compare(Command& tool);
void add_report(Command& tool);
void add_plot(Command& tool);
void add_completion(Command& tool);

// The flags that say how a data file is to be read, filled into `reading` by read_options().
struct ReadingFlags {
  std::string path, query, format = "auto", separator, decimal, labels, users;
  bool header = false, no_header = false;
  std::size_t skip_lines = 0, columns = 0;
  unsigned threads = 0;
};
void add_reading_flags(Command& command, ReadingFlags& flags);
ReadOptions read_options(const ReadingFlags& flags);
// The schema in the file that --schema names; without one, that of encoded data; else none.
std::optional<Schema> schema_for(const std::string& schema, const ReadOptions& reading);

// A number from its text, infinities and "nan" included. UsageError names the flag.
double parse_number(const std::string& flag, const std::string& text);
// The same of a flag that may be left out.
std::optional<double> parse_number_if_given(const std::string& flag, const std::string& text);

// A whole number >= 0 from its text, where the flag was given. UsageError names the flag.
std::optional<std::int64_t> parse_whole_if_given(const std::string& flag, const std::string& text);

// The ledger that --ledger and --ledger-name ask for. UsageError for a name without a ledger.
std::optional<service::LedgerUse> ledger_use(const std::string& ledger, const std::string& name);

// For Option::transform: a whole number >= 0 in digits, however it was written (1e9). UsageError for anything
// else.
std::string whole_number(const std::string& text);

// The text of each option of any method, by the option's name; empty where it was not given.
using MethodFlags = std::map<std::string, std::string>;
// The options of every method become flags, under the names of the methods that have them; whether they suit
// the chosen method is checked when it is known.
void add_method_flags(Command& command, MethodFlags& flags);
// Those that were given, as facts. UsageError for one that none of the methods has.
void set_method_options(const std::vector<const Method*>& methods, const MethodFlags& flags, Facts& options);

using service::figure_begins, service::json_begins, service::page_begins;
using service::require_new, service::require_no_input, service::require_same_kind;

// Results, on standard output and nowhere else. Throws an Error when they cannot be written in full.
// Throws OutputError where standard output is closed: before anything is spent on what would be printed.
void require_standard_output();
void print(const std::string& text);
void print(const nlohmann::ordered_json& json);
// Results into the file at `path`, in one step, or on standard output when it is empty.
void write_results(const std::string& path, const std::string& text);

}  // namespace tacit::cli

#pragma once

// Layer: service.
//
// Statistics under differential privacy: a table described, a model judged; and what checks them.
//
//     tacit::service::DescribeOptions options{.guarantee = tacit::Pure{0.1}};
//     tacit::service::Described found = tacit::service::describe_file(reading, options);

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/fit.hpp"
#include "tacit/guarantee.hpp"
#include "tacit/meter.hpp"
#include "tacit/model.hpp"
#include "tacit/verify.hpp"

// Statistics of a table under differential privacy [docs/describe.md].

namespace tacit::inline v1::service {

struct DescribeOptions {
  Guarantee guarantee = Pure{1};              // pure or approximate
  std::optional<Neighbours> neighbours = {};  // absent: the ledger's, or zero_out
  std::optional<LedgerUse> ledger = {};       // charged with the whole guarantee right before the first noise
  std::optional<LedgerGroup> group = {};      // the records of one category of the schema alone, as in a fit
  std::vector<std::string> statistics = {};   // of mean, quantiles, histogram, categories; empty: all
  std::vector<double> quantiles = {};         // in (0, 1), ascending; empty: 0.05, 0.25, 0.5, 0.75, 0.95
  std::int64_t bins = 20;                     // of a histogram, 2 to 1000
  double confidence = 0.95;                   // of each interval, in (0, 1)
  // Without a schema: the share of the guarantee that finds one, in (0, 1); absent: 0.5.
  std::optional<double> range_share = {};
  // Of a schema that was found privately: told in the certificate, with what both cost together.
  std::optional<SchemaRelease> schema_release = {};
};

// The statement with its certificate, which `verify` checks, and the same for people.
struct Described {
  std::string json = {}, text = {}, page = {};
};

// With a schema, whose ranges and categories are public; without one, a share of the guarantee finds it, and
// the rest describes the table with it. A user column, there or in `reading`, makes the user the unit. What
// is wrong with records is recorded in the ledger, as for a fit.
TACIT_API Described describe_file(const ReadOptions& reading, const DescribeOptions& options);
TACIT_API Described describe_file(const ReadOptions& reading, const DescribeOptions& options,
                                  BitSource& bits);

// The same for records in memory: `data` has the features that `schema_to_describe` makes of their cells.
// With users the user is the unit.
TACIT_API Schema schema_to_describe(const Schema& schema);
TACIT_API Described describe_records(const Schema& schema, const Dataset& data,
                                     const DescribeOptions& options);

// How good a model is, under differential privacy [docs/evaluate.md].
struct EvaluateOptions {
  Guarantee guarantee = Pure{1};              // pure or approximate
  std::optional<Neighbours> neighbours = {};  // absent: the ledger's, or zero_out
  std::optional<LedgerUse> ledger = {};       // charged with the whole guarantee right before the first noise
  std::optional<LedgerGroup> group = {};      // the records of one category of the model's schema alone
  double confidence = 0.95;                   // of each interval, in (0, 1)
};

// The statement with its certificate, which `verify` checks, and the same for people. Numbers are judged
// within the range that the model's schema states for the target, which there must be. A user column in
// `reading` makes the user the unit, and so does one that the fit went by: a model of people is judged on
// people.
struct Evaluated {
  std::string json = {}, text = {};
  std::vector<std::string> warnings = {};  // of a private one: what the noise has hidden altogether
};
TACIT_API Evaluated evaluate_file(const std::filesystem::path& model, const ReadOptions& reading,
                                  const EvaluateOptions& options);
TACIT_API Evaluated evaluate_file(const std::filesystem::path& model, const ReadOptions& reading,
                                  const EvaluateOptions& options, BitSource& bits);

// The same for records in memory, encoded and labelled as the model's are. With users the user is the unit;
// a model of people needs them.
TACIT_API Evaluated evaluate_records(const std::filesystem::path& model, const Dataset& data,
                                     const EvaluateOptions& options);

// Of the records whose probability of the second class lies between the two: how many, and the share of them
// that has it.
struct CalibrationPoint {
  double low = 0, high = 0;
  double count = 0, share = 0;
};

// What stands beside the metrics of a model: computed from the records as they are, not private.
struct OpenScores {
  std::optional<double> auc = {};                  // of two classes, and when both occur: ties count half
  std::vector<CalibrationPoint> calibration = {};  // of two classes with probabilities: ten tenths
  // The best constant for these labels: the most frequent class or the classes' shares, the mean for rmse and
  // the median for mae.
  std::optional<double> constant_accuracy = {}, constant_log_loss = {}, constant_rmse = {}, constant_mae = {};
};
// `data` as for tacit::evaluate, which refuses labels that do not fit.
TACIT_API OpenScores open_scores(const FittedModel& model, const Dataset& data);
// The metrics themselves with all of this, for machines and for people.
TACIT_API Evaluated open_evaluation(const FittedModel& model, const Dataset& data);

// What a schema covers of a CSV file, column by column, for people and for machines. Counted on the records
// as they are: not private.
struct SchemaCheck {
  std::string text = {}, json = {};
};
TACIT_API SchemaCheck check_schema(const ReadOptions& reading);

// A schema for a table that nobody has looked at, under differential privacy [docs/private_schema.md].
struct SchemaOptions {
  Guarantee guarantee = Pure{1};              // pure or approximate
  std::optional<Neighbours> neighbours = {};  // absent: the ledger's, or zero_out
  std::optional<LedgerUse> ledger = {};       // charged with the whole guarantee right before the first noise
  std::optional<LedgerGroup> group = {};  // the records with this text, or whole number, in a column alone
  std::vector<std::string> classes = {};  // of the target, where they are public; then it is not asked about
};

// The schema with its certificate, which a fit takes and `verify` checks; and what was found, for people.
struct PrivateSchema {
  std::string json = {}, text = {};
  std::vector<std::string> notes = {};  // the columns that are left out, and what to look at, as in the text
};

// The names of the columns are taken to be public, and the certificate says so. A user column in `reading`
// makes the user the unit. What is wrong with records is recorded in the ledger, as for a fit.
TACIT_API PrivateSchema private_schema_file(const ReadOptions& reading, const SchemaOptions& options);
TACIT_API PrivateSchema private_schema_file(const ReadOptions& reading, const SchemaOptions& options,
                                            BitSource& bits);

// The same for a table in memory. `target` and `user` are the names of columns, or empty.
struct TableOfColumns {
  std::vector<TableColumn> columns = {};
  std::size_t rows = 0;
  std::string target = {}, user = {};
};
TACIT_API PrivateSchema private_schema_table(const TableOfColumns& table, const SchemaOptions& options);

// A table in memory, described without a schema, as describe_file does. It has no target.
TACIT_API Described describe_table(const TableOfColumns& table, const DescribeOptions& options);
TACIT_API Described describe_table(const TableOfColumns& table, const DescribeOptions& options,
                                   BitSource& bits);

// A statement, the text of any of the above, signed with the private key in PEM at `key`, as a model is; as
// it was where `key` is empty. Ask require_signing_key before anything is spent.
TACIT_API std::string signed_statement(const std::string& statement, const std::filesystem::path& key);

// A model, a description: any file with a certificate. VerificationError says what does not hold.
struct VerifiedFile {
  Certificate certificate = {};
  SignatureState signature = SignatureState::absent;
};
TACIT_API VerifiedFile verify_file(const std::filesystem::path& path,
                                   const std::filesystem::path& public_key);

}  // namespace tacit::inline v1::service

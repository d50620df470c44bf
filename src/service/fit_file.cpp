#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "checkpointed_fit.hpp"
#include "tacit/core/error.hpp"
#include "tacit/core/files.hpp"
#include "tacit/model/format.hpp"
#include "tacit/noise/system_bits.hpp"
#include "tacit/privacy/ledger.hpp"
#include "tacit/service/choose.hpp"
#include "tacit/service/fit.hpp"
#include "tacit/service/fit_records.hpp"
#include "target.hpp"

namespace tacit::inline v1::service {

namespace {

// Someone who says whose records they are, in a flag or in the schema, means people.
bool names_users(const ReadOptions& reading) {
  return !reading.user.empty() || !reading.users_path.empty() ||
         (reading.schema && !reading.schema->user.empty());
}

// Whose records they are goes with the methods that protect users, and with none.
void check_users(const ReadOptions& reading, const Method& method) {
  const bool said = names_users(reading);
  if (said && method.unit == "item" && !offers(method, "none"))
    throw_error<UsageError>(
        "the method {} protects single records; whose records they are needs a method whose unit is the "
        "user, "
        "such as user-sgd, or user-group, which is dp-sgd with noise for all records of a user",
        method.name);
  if (!said && method.unit == "user")
    throw_error<UsageError>(
        "the method {} protects users; say whose record each one is (--user COL, or --users FILE beside IDX)",
        method.name);
}

bool header_was_guessed(const ReadOptions& reading) {
  const Format format = reading.format == Format::by_name ? format_by_name(reading.path) : reading.format;
  return !reading.schema && !reading.header && format == Format::csv;
}

// Nothing but the first record tells whether a table's target has classes or numbers. (Classes that are found
// are an assumption of their own.)
bool numbers_were_guessed(const ReadOptions& reading, const ReadResult& read) {
  const Format format = reading.format == Format::by_name ? format_by_name(reading.path) : reading.format;
  const SchemaTarget* target = reading.schema && reading.schema->target ? &*reading.schema->target : nullptr;
  const bool stated = target != nullptr && (!target->classes.empty() || target->min || target->max);
  return format == Format::csv && reading.wish == TargetWish::as_found && !stated &&
         read.data.target_kind == TargetKind::numeric;
}

// Where the method is chosen: among those for users when users are named, and for the ledger's relation.
FitOptions with_terms(FitOptions options, const ReadOptions& reading) {
  if (!chooses_itself(options)) return options;
  if (names_users(reading) &&
      std::ranges::any_of(methods(), [](const Method& m) { return m.unit == "user"; }))
    options.unit = Unit::user;
  if (options.ledger && !options.neighbours) {
    // A ledger for another unit refuses the fit, and says so itself.
    const LedgerTerms terms = read_ledger(options.ledger->path).terms;
    if (terms.unit == options.unit) options.neighbours = terms.neighbours;
  }
  return options;
}

// The model's schema says which column is the user's, so that it reads the same file again.
void name_users(const std::string& user, FittedModel& model) {
  if (user.empty()) return;
  model.certificate.assumed_public.set("user_column", user);
  const bool by_number = user.find_first_not_of("+-0123456789") == std::string::npos;
  if (model.schema && !by_number) model.schema->user = user;
}

}  // namespace

FittedModel fit_file(const ReadOptions& reading, const FitOptions& asked, BitSource& bits) {
  const FitOptions options = with_terms(asked, reading);
  const Method& method = *candidates(options).front();
  check_users(reading, method);
  if (options.ledger) {  // a ledger that would refuse is found before the data is read
    const LedgerRequest request{options.ledger->name, method.name, requested_budget(options, method)};
    if (options.checkpoint)
      check_checkpoint(*options.checkpoint, *options.ledger, request);
    else
      check_charge(options.ledger->path, request);
  }
  require_target(reading);
  ReadOptions how = reading;
  how.wish = wish_for(options, reading);
  how.threads = options.threads;
  ReadResult read = read_dataset(how);
  if (!read.has_target) throw_error<DataError>("{}: there are no labels", reading.path.string());
  const bool guessed = numbers_were_guessed(how, read);
  FitOptions named = options;
  named.target = reading.target;
  FittedModel model = fit_records(std::move(read), reading.schema, named, bits);
  name_users(reading.user, model);
  if (guessed)
    model.certificate.assumptions.push_back(
        "that the target has numbers, not classes, was read off the first record");
  if (header_was_guessed(reading))
    model.certificate.assumptions.push_back("whether the first line is a header was read off the data");
  return model;
}

FittedModel fit_file(const ReadOptions& reading, const FitOptions& options) {
  return fit_file(reading, options, *noise::system_bits());
}

std::string model_text(const FittedModel& model, const std::filesystem::path& key) {
  const std::string text = model_to_json(model);
  return key.empty() ? text : sign_model(text, read_file(key));
}

void require_signing_key(const std::filesystem::path& key) { sign_model("{}", read_file(key)); }

void require_writable(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  const std::string text = path.string();
  for (const char* suffix : {"", "-wal", "-shm", "-journal"})
    if (text.ends_with(suffix) && is_ledger(text.substr(0, text.size() - std::strlen(suffix))))
      throw_error<WriteError>("{}: belongs to a ledger, and would be lost", text);
  if (std::filesystem::is_directory(status)) throw_error<WriteError>("{}: is a directory", path.string());
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return;  // a device or pipe
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, ignored);
  const std::filesystem::path folder = real.has_parent_path() ? real.parent_path() : ".";
  if (!std::filesystem::is_directory(folder, ignored))
    throw_error<WriteError>("{}: the directory {} does not exist", path.string(), folder.string());
  if (::access(folder.c_str(), W_OK) != 0)
    throw_error<WriteError>("{}: the directory {} is not writable", path.string(), folder.string());
}

}  // namespace tacit::inline v1::service

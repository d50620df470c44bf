#include "service/fit/checkpointed_fit.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/new_file.hpp"
#include "ledger/lock.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::service {

namespace {

namespace fs = std::filesystem;

fs::path beside(const fs::path& path, const char* suffix) { return path.string() + suffix; }

// A failure about the checkpoint names its file.
template <class Call>
auto naming(const fs::path& path, Call call) {
  try {
    return call();
  } catch (const BudgetError& error) {
    throw_error<BudgetError>("{}: {}", path.string(), error.what());
  }
}

struct Found {
  fs::path path;
  CheckpointHeader header;
  LedgerTicket ticket;
};

// The file of the checkpoint that counts. The one at `path` was made by an unfinished fit, so that it must
// count, or the one that was about to take its place must. Alone, the latter may be of a fit that never came
// to its charge: then there is none.
std::optional<Found> find_checkpoint(const CheckpointUse& use, const LedgerUse& ledger,
                                     const LedgerRequest& request) {
  const fs::path next = beside(use.path, ".next");
  if (const auto header = read_checkpoint_header(next)) {
    try {
      return Found{next, *header, find_ticket(ledger.path, request, header->release, header->token)};
    } catch (const BudgetError&) {  // its process ended before it counted
    }
  }
  const auto header = read_checkpoint_header(use.path);
  if (!header) return std::nullopt;
  return naming(use.path, [&] {
    return Found{use.path, *header, find_ticket(ledger.path, request, header->release, header->token)};
  });
}

void rename_file(const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0)
    throw_error<WriteError>("{}: cannot be renamed to {}: {}", from.string(), to.string(),
                            std::strerror(errno));
}

}  // namespace

// Held while the process lives, so that two fits never write one file. The kernel lets go of it when the
// process ends, however it ends. The file is empty: one that holds something is somebody's, and stays.
class CheckpointedFit::Lock {
 public:
  explicit Lock(const fs::path& checkpoint) : path_(beside(checkpoint, ".lock")) {
    do open_file();
    while (!lock_file(checkpoint));
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    ::unlink(path_.c_str());
    ::close(descriptor_);
  }

 private:
  void open_file() {
    constexpr mode_t everyone = 0666;  // less the umask, as any new file
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, everyone);
    if (descriptor_ < 0)
      throw_error<WriteError>("{}: cannot be created: {}", path_.string(), std::strerror(errno));
    struct stat opened {};
    if (::fstat(descriptor_, &opened) == 0 && S_ISREG(opened.st_mode) && opened.st_size == 0) return;
    ::close(descriptor_);
    throw_error<WriteError>(
        "{}: the checkpoint would have its lock there, but the file is not empty; name another checkpoint",
        path_.string());
  }
  // False when the file was removed by its last holder between opening and locking.
  bool lock_file(const fs::path& checkpoint) {
    struct stat opened {
    }, there{};
    const bool locked = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
    if (locked && ::fstat(descriptor_, &opened) == 0 && ::stat(path_.c_str(), &there) == 0 &&
        opened.st_ino == there.st_ino)
      return true;
    ::close(descriptor_);
    if (!locked) throw_error<WriteError>("{}: another fit is using this checkpoint", checkpoint.string());
    return false;
  }

  fs::path path_;
  int descriptor_ = -1;
};

std::string goes_on_from(const fs::path& checkpoint) {
  return "the same fit goes on from " + checkpoint.string();
}

void check_checkpoint(const CheckpointUse& use, const LedgerUse& ledger, const LedgerRequest& request) {
  if (!find_checkpoint(use, ledger, request)) check_charge(ledger.path, request);
}

CheckpointedFit::CheckpointedFit(CheckpointUse use, LedgerUse ledger, LedgerRequest request,
                                 nlohmann::ordered_json fit)
    : use_(std::move(use)),
      ledger_(std::move(ledger)),
      request_(std::move(request)),
      fit_(std::move(fit)),
      lock_(std::make_shared<Lock>(use_.path)) {
  const auto found = find_checkpoint(use_, ledger_, request_);
  if (!found) return;
  require_same_fit(use_.path, found->header.fit, fit_);
  Saved saved = read_checkpoint(found->path, found->ticket);
  if (found->path != use_.path) rename_file(found->path, use_.path);
  release_ = found->header.release;
  token_ = found->header.token;
  if (saved.state.size() > 0) resumed_ = std::move(saved);  // else nothing was drawn before it was made
}

std::string CheckpointedFit::charge() {
  if (!release_.empty()) return release_;
  if (stopping()) throw_error<Interrupted>("stopped before anything was charged");
  release_ = new_release();
  LedgerTicket ticket;
  try {
    ticket = write_next(0, 0, Vector());
    charge_ledger(ledger_.path, request_, release_, ticket);
  } catch (...) {
    ::unlink(next().c_str());
    throw;
  }
  install(ticket);
  return release_;
}

bool CheckpointedFit::stopping() const {
  stopping_ = stopping_ || (use_.stop && use_.stop());
  return stopping_;
}

bool CheckpointedFit::due(std::uint64_t steps, std::uint64_t planned) const {
  constexpr std::uint64_t parts = 50;
  const std::uint64_t every = use_.every != 0 ? use_.every : std::max<std::uint64_t>(1, planned / parts);
  return steps >= planned || steps % every == 0 || stopping();
}

// The order is what privacy rests on (docs/checkpoints.md). Until the ledger has committed, the new file is
// noise to everyone, for its key is nowhere else; from then on the old one does not count.
void CheckpointedFit::save(std::uint64_t steps, std::uint64_t planned, const Released<Vector>& state) {
  const LedgerTicket ticket = write_next(steps, planned, state.value());
  try {
    naming(use_.path, [&] { replace_ticket(ledger_.path, release_, token_, ticket); });
  } catch (const BudgetError&) {  // another process went on from the same checkpoint
    ::unlink(next().c_str());
    throw;
  }
  install(ticket);
  if (steps < planned && stopping())
    throw_error<Interrupted>("stopped after step {} of {}; {}", steps, planned, goes_on_from(use_.path));
}

fs::path CheckpointedFit::next() const { return beside(use_.path, ".next"); }

LedgerTicket CheckpointedFit::write_next(std::uint64_t steps, std::uint64_t planned,
                                         const Vector& state) const {
  LedgerTicket ticket = new_ticket();
  const CheckpointHeader header{
      .release = release_, .token = ticket.token, .steps = steps, .fit = fit_, .planned = planned};
  const std::string text = checkpoint_text(header, state, ticket.key);
  ticket.file = fingerprint(text);
  write_file_atomically(next(), text, NewFile::Readers::owner);
  std::error_code ignored;  // then its owner reads it, and nobody else
  if (const fs::file_status old = fs::status(use_.path, ignored); fs::is_regular_file(old))
    fs::permissions(next(), old.permissions(), ignored);
  return ticket;
}

void CheckpointedFit::install(const LedgerTicket& ticket) {
  token_ = ticket.token;
  rename_file(next(), use_.path);
}

void finish_checkpoint(const CheckpointUse& use, const LedgerUse& ledger, bool give_up) {
  const auto header = read_checkpoint_header(use.path);
  if (!header) throw_error<NotFoundError>("{}: there is no such checkpoint", use.path.string());
  if (!give_up && (header->steps == 0 || header->steps < header->planned))
    throw_error<UsageError>("{}: the fit is not finished, after {} steps{}; {}", use.path.string(),
                            header->steps, header->planned > 0 ? fmt::format(" of {}", header->planned) : "",
                            goes_on_from(use.path));
  naming(use.path, [&] { close_ticket(ledger.path, header->release, header->token); });
  for (const char* suffix : {"", ".next"}) fs::remove(beside(use.path, suffix));
}

}  // namespace tacit::inline v1::service

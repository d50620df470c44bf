#include "ledger/journal.hpp"

#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

// A charge reads the entries since the last summary: with this many its time is that of flushing the disk.
constexpr std::size_t entries_per_summary = 64;

struct Lines {
  std::string bytes;
  Commit commit;
  std::size_t since_summary = 0;

  void add(const Json& entry) {
    if (is_summary(entry)) {
      commit.summary = commit.end;
      commit.before = commit.head;
      since_summary = 0;
    } else {
      ++since_summary;
    }
    const std::string line = chain_line(entry, commit.head);
    commit.end += line.size();
    bytes += line;
  }
  // The entries, and summaries where they are due.
  void add(std::span<const Json> entries, Replay& replay) {
    for (const Json& entry : entries) {
      replay.apply(entry);
      add(entry);
      if (since_summary >= entries_per_summary) add(summary_entry(replay.state()));
    }
  }
};

}  // namespace

Journal::Journal(const std::filesystem::path& path, LedgerFile::Use use) : file_(path, use) {
  find_commit();
  find_later_entries();
  if (use == LedgerFile::Use::read) file_.unlock();
}

void Journal::damaged(const char* why) const {
  throw_error<DataError>("{}: the ledger is damaged: {}", file_.path(), why);
}

void Journal::find_commit() {
  std::array<std::optional<Commit>, 2> found;
  bool looks_like_one = false;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string text = file_.read(k * page_size, commit_size);
    if (const auto version = claimed_version(text)) {
      looks_like_one = true;
      if (*version > ledger_version)
        throw_error<DataError>("{}: the ledger was made by a newer tacit (format {}, this one knows {})",
                               file_.path(), *version, ledger_version);
    }
    found[k] = parse_commit(text);
  }
  if (!found[0] && !found[1]) {
    if (looks_like_one) damaged("neither of its first two pages is what was written");
    if (file_.read(0, 64).find("tacit-ledger-export") != std::string::npos)
      throw_error<DataError>("{}: is what `tacit ledger export` wrote, for reading; name the ledger itself",
                             file_.path());
    throw_error<DataError>("{}: is not a ledger (`tacit ledger create` makes one)", file_.path());
  }
  place_ = !found[0] || (found[1] && found[1]->sequence > found[0]->sequence) ? 1 : 0;
  other_page_ok_ = found[1 - place_].has_value();
  commit_ = *found[place_];
  const bool in_order = first_entry <= commit_.begin && commit_.begin <= commit_.summary &&
                        commit_.summary < commit_.end && commit_.head.size() == no_hash.size() &&
                        commit_.before.size() == no_hash.size();
  if (!in_order) damaged("its first pages make no sense");
  if (commit_.end > file_.size()) damaged("it is cut off");
}

// A crash between the flush of the entries and the commit leaves whole entries behind the committed end. They
// count: whether the one who wrote them went on cannot be seen from here. Half of one was never flushed, and
// nobody went on from it; unless a page is damaged too, which a crash cannot do at the same time.
void Journal::find_later_entries() {
  const std::uint64_t size = file_.size();
  ChainReader tail(file_, commit_.end, size, commit_.head);
  while (true) {
    const std::uint64_t at = tail.at();
    const std::string before = tail.head();
    const auto text = tail.next();
    if (!text) break;
    if (!text->starts_with(R"({"type":"summary")")) continue;
    commit_.summary = at;
    commit_.before = before;
  }
  if (!other_page_ok_ && tail.at() != size) damaged("a commit and its entries are not what was written");
  clean_ = other_page_ok_ && commit_.end == size;
  commit_.end = tail.at();
  commit_.head = tail.head();
}

void Journal::replay(ChainReader& chain, const std::function<void(const Json&)>& see) const {
  try {
    while (const auto text = chain.next()) see(Json::parse(*text));
  } catch (const nlohmann::json::exception&) {
    damaged("an entry makes no sense");
  } catch (const DataError& error) {
    damaged(error.what());
  }
  if (chain.at() != commit_.end || chain.head() != commit_.head)
    damaged("its content is not what was written");
}

const LedgerState& Journal::state() {
  if (!replay_) {
    replay_.emplace(Replay::Keep::sums);
    ChainReader chain(file_, commit_.summary, commit_.end, commit_.before);
    replay(chain, [&](const Json& entry) {
      replay_->apply(entry);
      since_summary_ += is_summary(entry) ? 0 : 1;
    });
  }
  return replay_->state();
}

void Journal::for_each(const std::function<void(const Json&)>& see) {
  ChainReader chain(file_, commit_.begin, commit_.end, no_hash);
  replay(chain, see);
}

Ledger Journal::read_all() {
  Replay all(Replay::Keep::charges);
  for_each([&](const Json& entry) { all.apply(entry); });
  if (summary_entry(all.state()) != summary_entry(state())) damaged("its summary is not what was written");
  return std::move(all).ledger();
}

void Journal::write_commit() {
  const std::size_t next = 1 - place_;
  ++commit_.sequence;
  file_.write(next * page_size, commit_text(commit_));
  file_.flush();
  place_ = next;
  other_page_ok_ = true;
}

// What a crash left: after this both pages are whole and the file ends where they say.
void Journal::clean_up() {
  if (clean_) return;
  file_.truncate(commit_.end);
  file_.flush();
  write_commit();
  clean_ = true;
}

void Journal::append_all(std::span<const Json> entries) {
  state();
  clean_up();
  Lines lines{.bytes = {}, .commit = commit_, .since_summary = since_summary_};
  lines.add(entries, *replay_);
  try {
    file_.write(commit_.end, lines.bytes);
    file_.flush();
    if (file_.read(commit_.end, lines.bytes.size()) != lines.bytes) damaged("a charge was not taken");
  } catch (...) {
    try {
      file_.truncate(commit_.end);
    } catch (const WriteError&) {  // whoever writes next cleans it up
    }
    throw;
  }
  commit_ = lines.commit;
  since_summary_ = lines.since_summary;
  write_commit();
}

void write_first_entries(const LedgerFile& file, std::uint64_t begin, std::span<const Json> entries,
                         const std::function<void(const Commit&)>& check) {
  Lines lines;
  lines.commit = {
      .sequence = 1, .begin = begin, .end = begin, .head = no_hash, .summary = begin, .before = no_hash};
  Replay replay(Replay::Keep::sums);
  lines.add(entries, replay);
  file.write(begin, lines.bytes);
  file.flush();
  if (check) check(lines.commit);
  file.write(0, commit_text(lines.commit));
  file.flush();
  ++lines.commit.sequence;
  file.write(page_size, commit_text(lines.commit));
  file.flush();
}

}  // namespace tacit::inline v1

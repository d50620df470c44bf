#include <dlfcn.h>

#include <filesystem>

#include "data/shared_library.hpp"
#include "service/shards/mpi_library.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"

// MPI is a library of its own, which is looked for when it is asked for: the tool runs without it.

namespace tacit::inline v1::service {

namespace {

constexpr const char* mpi_file = "libtacit_mpi.so";

// Beside the file that this code is in, or wherever libraries are looked for.
std::string mpi_path() {
  Dl_info here{};
  if (::dladdr(reinterpret_cast<const void*>(&mpi_path), &here) != 0 && here.dli_fname != nullptr) {
    std::error_code ignored;
    const auto self = std::filesystem::canonical(here.dli_fname, ignored);
    for (const auto& folder : {self.parent_path(), self.parent_path() / "../lib"})
      if (std::filesystem::exists(folder / mpi_file, ignored)) return (folder / mpi_file).string();
  }
  return mpi_file;
}

MpiLibrary load_mpi() {
  const SharedLibrary library(
      mpi_path(), "MPI needs tacit built with Open MPI (on Debian libopenmpi-dev), and Open MPI itself");
  MpiLibrary mpi{};
  library.find("tacit_mpi_join", mpi.join);
  library.find("tacit_mpi_leave", mpi.leave);
  library.find("tacit_mpi_send", mpi.send);
  library.find("tacit_mpi_receive", mpi.receive);
  return mpi;
}

// Every message begins with what it is: a question, or that there will be none.
constexpr char question_mark = 'q', end_mark = 'e';

int stop_is_asked() {
  try {
    throw_if_stopped();
  } catch (...) {
    return 1;
  }
  return 0;
}

class MpiCluster final : public Cluster {
 public:
  MpiCluster() : mpi_(load_mpi()) {
    if (mpi_.join(&rank_, &size_) != 0) throw_error<Error>("MPI does not start");
    if (size_ < 1) throw_error<Error>("MPI has no processes");
  }

  // After a loss nobody would hear it, and leaving together is not possible: whoever started the processes
  // ends them.
  ~MpiCluster() override {
    if (lost_) return;
    if (rank_ == 0) {
      const char end = end_mark;
      if (send(&end, 1) != 0) return;
    }
    mpi_.leave();
  }

  std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  std::size_t size() const override { return static_cast<std::size_t>(size_); }

  void send_to_others(std::string_view question) override {
    std::string text(1, question_mark);
    text += question;
    if (const int lost = send(text.data(), text.size()); lost != 0) fail(lost);
  }
  std::string receive_from(std::size_t rank) override { return receive(static_cast<int>(rank)); }

  std::optional<std::string> next_question() override {
    std::string text = receive(0);
    if (text.empty() || text.front() != question_mark) return std::nullopt;
    text.erase(0, 1);
    return text;
  }
  void send_answer(std::string_view answer) override {
    if (mpi_.send(0, 1, answer.data(), answer.size()) != 0) fail(0);
  }

 private:
  // To all others; the rank of one that did not get it, or 0.
  int send(const char* data, std::size_t size) const {
    return size_ == 1 ? 0 : mpi_.send(1, size_ - 1, data, size);
  }

  std::string receive(int rank) {
    std::string text;
    const auto room = [](void* to, std::size_t size) {
      auto* string = static_cast<std::string*>(to);
      string->resize(size);
      return string->data();
    };
    const int outcome = mpi_.receive(rank, room, &text, stop_is_asked);
    if (outcome == mpi_stopped) {
      lost_ = true;
      throw_if_stopped();
    }
    if (outcome != 0) fail(rank);
    return text;
  }

  [[noreturn]] void fail(int rank) {
    lost_ = true;
    throw_error<Error>("rank {} is lost; nothing is released", rank);
  }

  MpiLibrary mpi_;
  int rank_ = 0, size_ = 0;
  bool lost_ = false;
};

}  // namespace

std::shared_ptr<Cluster> join_cluster(std::string_view kind) {
  if (kind != "mpi") throw_error<UsageError>("the cluster is \"{}\", expected mpi", kind);
  return std::make_shared<MpiCluster>();
}

}  // namespace tacit::inline v1::service

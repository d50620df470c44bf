#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "tacit/core.hpp"
#include "tacit/ledger.hpp"

namespace tacit::testing_ledger {

namespace fs = std::filesystem;

inline std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

inline LedgerRequest ask(Guarantee guarantee, std::string name = "", Neighbours relation = usual_neighbours) {
  return {.name = std::move(name),
          .method = "a-method",
          .budget = {.limit = std::move(guarantee), .unit = Unit::item, .neighbours = relation}};
}

// What a child process did: its exit code, or 128 + the signal that ended it.
inline int wait_for(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
inline pid_t start(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    ::_exit(work());
  } catch (...) {  // a child must not go on as the test program
    ::_exit(120);
  }
}
inline int in_child(const std::function<int()>& work) { return wait_for(start(work)); }

// Tests with a ledger in a folder of their own.
class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() {
    std::string name = (fs::temp_directory_path() / "tacit-ledger-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
    path_ = folder_ / "people.ledger";
  }
  ~LedgerTest() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }

  void create(Guarantee limit, LedgerTerms terms = {}) const {
    const LedgerLimit limits[] = {{"people", std::move(limit)}};
    create_ledger(path_, terms, limits);
  }
  LedgerBudget budget() const { return read_ledger(path_).budgets.at(0); }
  std::size_t charges() const { return budget().charges.size(); }
  double spent_epsilon() const { return std::get<Pure>(spent(budget())).epsilon; }

  // The message of the E that `call` throws: one line. The ledger is as before, if there was one.
  template <class E, class Call>
  std::string refused(Call call) const {
    const std::string before = read_bytes(path_);
    std::string message;
    try {
      call();
      ADD_FAILURE() << "no exception";
    } catch (const E& error) {
      message = error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << "another exception: " << error.what();
    }
    EXPECT_EQ(message.find('\n'), message.npos) << message;
    EXPECT_EQ(read_bytes(path_), before);
    return message;
  }

  fs::path folder_, path_;
};

}  // namespace tacit::testing_ledger

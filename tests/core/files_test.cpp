#include "tacit/core.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <vector>

namespace tacit {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tacit-files-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory_), {}));
  }

  fs::path directory_;
};

TEST_F(Files, WhatIsWrittenIsRead) {
  const std::string content("a\0b\r\n\xff", 6);
  write_file_atomically(directory_ / "f", content);
  EXPECT_EQ(read_file(directory_ / "f"), content);
  write_file_atomically(directory_ / "f", "");
  EXPECT_EQ(read_file(directory_ / "f"), "");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, LargeContentIsWrittenInFull) {
  const std::string content(3'000'001, 'x');
  write_file_atomically(directory_ / "f", content);
  EXPECT_EQ(read_file(directory_ / "f"), content);
}

TEST_F(Files, AFullDiskLeavesTheOldFileAndNothingElse) {
  write_file_atomically(directory_ / "f", "old");
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = limit;
  small.rlim_cur = 1000;  // writing further fails, as on a full disk
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(write_file_atomically(directory_ / "f", std::string(5000, 'x')), WriteError);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(read_file(directory_ / "f"), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, AMissingFolderOrADirectoryIsAWriteErrorThatNamesThePath) {
  for (const fs::path& path : {directory_ / "no" / "f", directory_, fs::path()}) {
    try {
      write_file_atomically(path, "x");
      FAIL() << path;
    } catch (const WriteError& error) {
      EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos);
    }
  }
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Files, LinksAreFollowedAndPermissionsKept) {
  write_file_atomically(directory_ / "real", "old");
  ASSERT_EQ(::chmod((directory_ / "real").c_str(), 0640), 0);
  fs::create_symlink("real", directory_ / "link");
  write_file_atomically(directory_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(directory_ / "link"));
  EXPECT_EQ(read_file(directory_ / "real"), "new");
  EXPECT_EQ(fs::status(directory_ / "real").permissions(), fs::perms{0640});
}

TEST_F(Files, ADeviceIsWrittenAndNotReplaced) {
  write_file_atomically("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Files, ConcurrentWritersLeaveOneWholeContent) {
  {
    std::vector<std::jthread> writers;
    for (char letter : {'a', 'b', 'c', 'd'})
      writers.emplace_back([this, letter] {
        for (int i = 0; i < 20; ++i) write_file_atomically(directory_ / "f", std::string(10'000, letter));
      });
  }
  const std::string content = read_file(directory_ / "f");
  EXPECT_EQ(content, std::string(10'000, content.at(0)));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, ReadingWhatIsMissingOrADirectoryFails) {
  EXPECT_THROW(read_file(directory_ / "none"), NotFoundError);
  EXPECT_THROW(read_file(directory_), DataError);
}

}  // namespace
}  // namespace tacit

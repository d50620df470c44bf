#include "tacit/fit.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tacit/core.hpp"

namespace tacit {
namespace {

TEST(ServiceOutputs, ThatAreInputsUnderAnyNameAreRefused) {
  std::string pattern = (std::filesystem::temp_directory_path() / "tacit_outputs_XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path folder = pattern;
  const std::string input = folder / "in.json", link = folder / "link.json", other = folder / "out.json";
  std::ofstream(input) << "{}";
  std::ofstream(other) << "{}";
  std::filesystem::create_symlink(input, link);
  EXPECT_THROW(service::require_no_input("output", input, {"", input}), UsageError);
  EXPECT_THROW(service::require_no_input("output", link, {other, input}), UsageError);
  EXPECT_THROW(service::require_no_input("output", folder / "." / "in.json", {input}), UsageError);
  EXPECT_NO_THROW(service::require_no_input("output", other, {input, "", folder / "none"}));
  EXPECT_NO_THROW(service::require_no_input("output", folder / "new", {input}));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tacit

#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tacit::testing {

struct Outcome {
  int code = -1;  // exit code; 128 + the signal when one ended it
  std::string out, err;
  long peak_kilobytes = 0;  // of memory that it used at once
};

// Runs the tool with these arguments and waits for its end. `on_terminal`: its standard error is a terminal.
Outcome run_tool(const std::vector<std::string>& arguments, bool on_terminal = false,
                 const char* tool = TACIT_TOOL);

// Tests with a folder of their own, gone afterwards.
class CliTest : public ::testing::Test {
 protected:
  CliTest();
  ~CliTest() override;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const;  // returns its path
  std::string read(const std::string& name) const;
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  // Two classes that one line separates, with a header x1,x2,y; a schema for it in schema.json.
  std::string write_classes(const std::string& name, int records = 400) const;
  std::string write_schema() const;
  // Fits write_classes() with the schema at epsilon = 5; returns the model's path.
  std::string fit_model(const std::string& name = "model.json") const;

 private:
  std::filesystem::path folder_;
};

nlohmann::json parsed(const Outcome& outcome);

}  // namespace tacit::testing

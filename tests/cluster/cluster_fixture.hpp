#pragma once

#include <fstream>
#include <map>
#include <sstream>

#include "tool.hpp"

// Processes on this machine, started by mpirun, on records in a file for each.

namespace tacit::testing {

using Arguments = std::vector<std::string>;

inline Outcome run_processes(int processes, const Arguments& command) {
  Arguments arguments{"--allow-run-as-root",    "--oversubscribe", "--bind-to", "none", "-n",
                      std::to_string(processes)};
  arguments.insert(arguments.end(), command.begin(), command.end());
  return run_tool(arguments, false, TACIT_MPIRUN);
}

class ClusterTest : public CliTest {
 protected:
  static constexpr int shards = 4;

  // Four files of unequal length with the header x1,x2,who,y,amount,kind; nobody is in two of them.
  void SetUp() override {
    for (int file = 0; file < shards; ++file) {
      std::ostringstream text;
      text << "x1,x2,who,y,amount,kind\n";
      for (int i = 0; i < 60 + 40 * file; ++i) {
        const int k = 1000 * file + i;
        const double a = (k * 37 % 100) / 100.0, b = (k * 61 % 100) / 100.0;
        text << a << ',' << b << ",u" << file << '_' << i % 17 << ',' << (a + b > 1 ? "yes" : "no") << ','
             << 3 * a - b << ',' << "abc"[k % 7 == 0 ? 2 : (a > b ? 1 : 0)] << '\n';
      }
      files_.push_back(write("part-" + std::to_string(file) + ".csv", text.str()));
    }
    schema_ = write_part_schema("schema.json", R"({"column": "y", "classes": ["no", "yes"]})");
    numbers_ = write_part_schema("numbers.json", R"({"column": "amount", "min": -1, "max": 3})");
    kinds_ = write_part_schema("kinds.json", R"({"column": "kind", "classes": ["a", "b", "c"]})");
  }

  std::string write_part_schema(const std::string& name, const std::string& target) const {
    return write(name, R"({"columns": {"x1": {"type": "numeric", "min": 0, "max": 1},
                                       "x2": {"type": "numeric", "min": 0, "max": 1}},
                           "others": "ignore", "target": )" +
                           target + "}");
  }

  // Arguments of seeded_fit up to the files, and those after them.
  void expect_same_model(const std::string& schema, const Arguments& terms, const Arguments& more = {}) {
    const auto command = [&](const std::string& model, const std::string& where) {
      Arguments arguments{path(model), where, schema};
      arguments.insert(arguments.end(), terms.begin(), terms.end());
      arguments.insert(arguments.end(), files_.begin(), files_.end());
      arguments.insert(arguments.end(), more.begin(), more.end());
      return arguments;
    };
    const Outcome one = run_tool(command("one.json", std::to_string(shards)), false, TACIT_SEEDED_FIT);
    ASSERT_EQ(one.code, 0) << one.err;
    Arguments tool = command("many.json", "mpi");
    tool.insert(tool.begin(), TACIT_SEEDED_FIT);
    const Outcome many = run_processes(shards, tool);
    ASSERT_EQ(many.code, 0) << many.err;
    EXPECT_EQ(read("one.json"), read("many.json"));
    EXPECT_EQ(nlohmann::json::parse(read("one.json"))["certificate"]["assumed_public"]["shards"], shards);
    const Outcome verified = run_tool({"verify", path("many.json")});
    EXPECT_NE(verified.err.find("seeded"), std::string::npos) << verified.out << verified.err;
    std::filesystem::remove(path("one.json"));
    std::filesystem::remove(path("many.json"));
  }

  Arguments fit_command(const Arguments& more = {}) const {
    Arguments command{TACIT_TOOL, "fit",       "--cluster", "mpi",     "--schema",
                      schema_,    "--epsilon", "3",         "--model", path("model.json")};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }

  // Those with this test's own model file on their command line, and their environments.
  std::map<pid_t, std::string> own_processes() const {
    std::map<pid_t, std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const auto content = [&](const char* file) {
        std::ifstream stream(entry.path() / file, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(stream), {});
      };
      if (content("cmdline").find(path("model.json")) == std::string::npos) continue;
      found.emplace(std::stoi(name), content("environ"));
    }
    return found;
  }

  pid_t process_of_rank(int rank) const {
    std::string wanted = "OMPI_COMM_WORLD_RANK=";
    wanted += std::to_string(rank);
    for (const auto& [process, environment] : own_processes()) {
      std::istringstream variables(environment);
      for (std::string variable; std::getline(variables, variable, '\0');)
        if (variable == wanted) return process;
    }
    return 0;
  }

  std::vector<std::string> files_;
  std::string schema_, numbers_, kinds_;
};

// Lines that are ours, beside those of mpirun.
inline std::vector<std::string> own_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("tacit: ")) lines.push_back(line);
  return lines;
}

}  // namespace tacit::testing

#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace nonconvex_runs {

// Results of runs that take long, one line each, "key,draw,value": what is in the file is not run again, so
// that an experiment can be stopped and goes on where it was.
class StoredRuns {
 public:
  // `runs` false: nothing is run, and what is not in the file is missing.
  explicit StoredRuns(std::filesystem::path file, bool runs = true) : file_(std::move(file)), runs_(runs) {
    std::ifstream in(file_);
    for (std::string line; std::getline(in, line);) {
      const std::size_t last = line.rfind(','), before = line.rfind(',', last - 1);
      if (last != std::string::npos && before != std::string::npos)
        seen_[line.substr(0, last)] = std::stod(line.substr(last + 1));
    }
  }

  // The results of draws 1 … count of this run.
  std::vector<double> draws(const std::string& key, int count, const std::function<double(int draw)>& run) {
    std::vector<double> values;
    for (int draw = 1; draw <= count; ++draw) {
      const std::string name = fmt::format("{},{}", key, draw);
      auto found = seen_.find(name);
      if (found == seen_.end()) {
        if (!runs_) break;
        found = seen_.emplace(name, run(draw)).first;
        std::ofstream(file_, std::ios::app) << fmt::format("{},{:.6g}\n", name, found->second);
      }
      values.push_back(found->second);
    }
    return values;
  }

 private:
  std::filesystem::path file_;
  bool runs_;
  std::map<std::string, double> seen_;
};

}  // namespace nonconvex_runs

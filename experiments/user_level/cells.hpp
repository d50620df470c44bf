#pragma once

// What was measured so far, in a file beside the tables: a command that was interrupted goes on where it was,
// and several can share the work (--share K/N: every N-th cell, from the K-th on).

#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "common.hpp"

namespace experiment {

struct Cell {
  Spread excess;
  double gradients = 0;
  std::string note;  // how it was planned
  bool refused = false;
};

class Cells {
 public:
  explicit Cells(const Paths& paths) : paths_(paths), file_(paths.out / "user_level_cells.tsv") {
    std::ifstream in(file_);
    for (std::string line; std::getline(in, line);) {
      std::istringstream fields(line);
      std::string key, refused;
      Cell cell;
      std::getline(fields, key, '\t');
      fields >> cell.excess.mean >> cell.excess.error >> cell.gradients >> cell.refused;
      fields.ignore(1);
      std::getline(fields, cell.note);
      known_[key] = cell;
    }
  }

  // From the file, or measured now, unless another has that part: then nothing.
  std::optional<Cell> get(const std::string& key, const std::function<Cell()>& measure) {
    const int turn = asked_++ % paths_.shares;
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    if (!paths_.measures || (paths_.shares > 1 && turn != paths_.share)) return std::nullopt;
    const Cell cell = measure();
    const std::string line = fmt::format("{}\t{:.6g}\t{:.3g}\t{:.6g}\t{}\t{}\n", key, cell.excess.mean,
                                         cell.excess.error, cell.gradients, cell.refused ? 1 : 0, cell.note);
    std::ofstream(file_, std::ios::app) << line << std::flush;
    fmt::print(stderr, "{}", line);
    return cell;
  }

 private:
  const Paths& paths_;
  std::filesystem::path file_;
  std::map<std::string, Cell> known_;
  int asked_ = 0;
};

}  // namespace experiment

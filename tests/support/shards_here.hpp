#pragma once

#include <fmt/format.h>

#include <memory>
#include <span>
#include <vector>

#include "data/rows_elsewhere.hpp"
#include "solver/shard_pass.hpp"
#include "support/seeded_bits.hpp"

namespace tacit::testing {

// Some of the records, dense, with their labels and users.
inline Dataset stretch_of(const Dataset& all, std::size_t begin, std::size_t count) {
  const std::size_t columns = all.features.columns();
  DenseRows rows{count, columns, {}};
  Dataset part;
  part.target_kind = all.target_kind;
  for (std::size_t i = begin; i < begin + count; ++i) {
    const RowView row = all.features.row(i);
    rows.values.insert(rows.values.end(), row.values, row.values + row.size);
    part.labels.push_back(all.labels[i]);
  }
  part.features = Features(std::move(rows));
  return part;
}

// Shards in this process, as a service would hold them.
class ShardsHere final : public Shards {
 public:
  // Each with the next so many of the problem's records.
  ShardsHere(const Problem& whole, const std::vector<std::size_t>& sizes, std::span<const PassKind> kinds,
             std::uint64_t seed = 0) {
    std::size_t first = 0;
    for (const std::size_t size : sizes) {
      auto& held = *held_.emplace_back(std::make_unique<Held>());
      held.data = stretch_of(*whole.data, first, size);
      held.problem = whole;
      held.problem.data = &held.data;
      held.bits = seeded_bits(seed + held_.size());
      held.host = std::make_unique<PassHost>(
          ShardRecords{&held.problem, held.bits.get(), 1, first, whole.data->size()}, kinds);
      first += size;
    }
  }

  std::size_t count() const override { return held_.size(); }

  int questions = 0;
  std::size_t failing = 1000;

 private:
  struct Held {
    Dataset data;
    Problem problem;
    std::unique_ptr<BitSource> bits;
    std::unique_ptr<PassHost> host;
  };

  void carry(std::string_view text, const std::function<void(std::size_t, std::string_view)>& take) override {
    ++questions;
    for (std::size_t k = 0; k < held_.size(); ++k)
      take(k, answer_with([&](MessageWriter& answer) {
             if (k == failing) throw_error<DataError>("row 3 is wrong");
             MessageReader question(text);
             held_[k]->host->hear(question, answer);
           }));
  }
  std::string name_of(std::size_t shard) const override { return fmt::format("shard {}", shard); }

  std::vector<std::unique_ptr<Held>> held_;
};

// A problem whose records are in shards of these sizes.
struct Sharded {
  Dataset whole;
  std::shared_ptr<ShardsHere> shards;
  Dataset data;
  Problem problem;

  Sharded(Dataset records, const std::vector<std::size_t>& sizes, std::span<const PassKind> kinds,
          LossSpec loss = Link{LinkKind::logistic, 0})
      : whole(std::move(records)) {
    problem = {.data = &whole, .loss = std::move(loss), .intercept = 1};
    shards = std::make_shared<ShardsHere>(problem, sizes, kinds);
    data.features =
        Features(std::make_shared<const RowsElsewhere>(whole.size(), whole.features.columns(), false));
    data.target_kind = whole.target_kind;
    data.shards = shards;
    problem.data = &data;
  }
  Sharded(const Sharded&) = delete;
};

}  // namespace tacit::testing

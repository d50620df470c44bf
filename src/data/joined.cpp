#include "data/joined.hpp"

#include <algorithm>

#include "data/dictionary.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

// Rows of mapped files, which stay where they are.
class JoinedRows final : public RowMaker {
 public:
  explicit JoinedRows(std::vector<Features> files) : files_(std::move(files)) {
    for (const Features& file : files_) ends_.push_back((ends_.empty() ? 0 : ends_.back()) + file.rows());
  }

  std::size_t rows() const override { return ends_.back(); }
  std::size_t columns() const override { return files_.front().columns(); }
  bool sparse() const override { return files_.front().sparse(); }
  RowView make(std::size_t i, RowRoom& room) const override {
    const auto file = static_cast<std::size_t>(std::ranges::upper_bound(ends_, i) - ends_.begin());
    return files_[file].row(i - (file == 0 ? 0 : ends_[file - 1]), room);
  }

 private:
  std::vector<Features> files_;
  std::vector<std::size_t> ends_;
};

// Room for all is reserved, and a file's rows go once they are copied: at most one file is there twice.
Features joined_features(std::vector<ReadResult>& files) {
  const bool in_memory = files.front().data.features.in_memory(),
             is_sparse = files.front().data.features.sparse();
  if (!in_memory) {
    std::vector<Features> parts;
    for (const ReadResult& file : files) parts.push_back(file.data.features);
    return Features(std::make_shared<const JoinedRows>(std::move(parts)));
  }
  std::size_t rows = 0, cells = 0;
  for (const ReadResult& file : files) {
    rows += file.data.size();
    for (std::size_t i = 0; i < file.data.size(); ++i) cells += file.data.features.row(i).size;
  }
  const std::size_t columns = files.front().data.features.columns();
  SparseRows sparse{.rows = rows, .columns = columns};
  DenseRows dense{.rows = rows, .columns = columns, .values = {}};
  std::vector<double>& values = is_sparse ? sparse.value : dense.values;
  values.reserve(cells);
  if (is_sparse) sparse.column.reserve(cells);
  for (ReadResult& file : files) {
    for (std::size_t i = 0; i < file.data.size(); ++i) {
      const RowView row = file.data.features.row(i);
      values.insert(values.end(), row.values, row.values + row.size);
      if (!is_sparse) continue;
      sparse.column.insert(sparse.column.end(), row.columns, row.columns + row.size);
      sparse.start.push_back(sparse.value.size());
    }
    file.data.features = Features();
  }
  return is_sparse ? Features(std::move(sparse)) : Features(std::move(dense));
}

}  // namespace

ReadResult joined(std::vector<ReadResult> files) {
  if (files.size() == 1) return std::move(files.front());
  Features features = joined_features(files);
  Dictionary users;
  std::vector<double> labels;
  std::vector<std::uint32_t> owners;
  for (const ReadResult& file : files) {
    labels.insert(labels.end(), file.data.labels.begin(), file.data.labels.end());
    std::vector<std::uint32_t> numbers;
    for (const std::string& name : file.user_names) numbers.push_back(users.add(name));
    for (const std::uint32_t user : file.data.users) owners.push_back(numbers.at(user));
  }
  ReadResult whole = std::move(files.front());
  whole.data.features = std::move(features);
  whole.data.labels = std::move(labels);
  whole.data.users = std::move(owners);
  whole.data.user_count = users.size();
  whole.user_names = users.texts();
  return whole;
}

}  // namespace tacit::inline v1

#include "tacit/audit.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "audit/same_record.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::audit {

namespace {

// The classes of a loss over class numbers; 0 for any other.
std::size_t classes_of(const LossSpec& loss) {
  if (const auto* network = std::get_if<Network>(&loss)) return network->classes;
  const auto* softmax = std::get_if<Softmax>(&loss);
  return softmax ? softmax->classes : 0;
}

}  // namespace

double extreme_label(const LossSpec& loss, int which) {
  if (const std::size_t classes = classes_of(loss))
    return which % 2 == 0 ? 0 : static_cast<double>(classes - 1);
  const auto* link = std::get_if<Link>(&loss);
  if (!link) return which % 2 == 0 ? 1e300 : -1e300;
  if (facts(*link).classification) return which % 2 == 0 ? 1 : -1;
  if (link->kind == LinkKind::poisson) return which % 2 == 0 ? 0 : 1e300;
  return which % 2 == 0 ? 1e300 : -1e300;
}

namespace {

double ordinary_label(const LossSpec& loss, double score, std::mt19937_64& random) {
  if (const std::size_t classes = classes_of(loss)) return static_cast<double>(random() % classes);
  const auto* link = std::get_if<Link>(&loss);
  if (!link) return score;
  if (facts(*link).classification) return score > 0 ? 1 : -1;
  return link->kind == LinkKind::poisson ? std::floor(std::fabs(2 * score)) : score;
}

// What both datasets of a pair have before their first records are set apart.
struct Shared {
  DenseRows rows;
  std::vector<double> labels;
};

Shared ordinary_records(const LossSpec& loss, std::size_t records, std::size_t features, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  Shared shared{{records, features, std::vector<double>(records * features)}, std::vector<double>(records)};
  for (std::size_t i = 0; i < records; ++i) {
    for (std::size_t j = 0; j < features; ++j) shared.rows.values[i * features + j] = normal(random);
    shared.labels[i] = ordinary_label(loss, shared.rows.values[i * features] + normal(random), random);
  }
  return shared;
}

Dataset as_dataset(Shared shared) {
  Dataset data;
  data.features = Features(std::move(shared.rows));
  data.target_kind = TargetKind::numeric;
  data.labels = std::move(shared.labels);
  return data;
}

// The record that differs: every entry of its row is `entry`; its label is extreme_label(…, label).
struct FirstRecord {
  double entry = 0;
  int label = 0;
};

Dataset with_first_record(const Shared& shared, const LossSpec& loss, FirstRecord record) {
  Shared own = shared;
  for (std::size_t j = 0; j < own.rows.columns; ++j) own.rows.values[j] = record.entry;
  own.labels[0] = extreme_label(loss, record.label);
  return as_dataset(std::move(own));
}

}  // namespace

std::vector<NeighbourPair> adversarial_pairs(const LossSpec& loss, std::size_t records, std::size_t features,
                                             unsigned seed) {
  const Shared shared = ordinary_records(loss, records, features, seed);
  std::vector<NeighbourPair> pairs;
  const auto add = [&](const char* what, FirstRecord first, FirstRecord second) {
    pairs.push_back({what, with_first_record(shared, loss, first), with_first_record(shared, loss, second)});
  };
  add("flipped label", {1, 0}, {1, 1});
  add("opposite rows", {5, 0}, {-5, 0});
  add("far outlier against an ordinary row", {1e6, 1}, {0.5, 0});
  add("far outliers with flipped labels", {1e8, 0}, {1e8, 1});
  add("rows of norm 1e70, opposite", {1e70, 0}, {-1e70, 0});
  add("a row of norm 1e300 against a zero row", {1e300, 0}, {0, 1});
  add("rows of norm 1e300, flipped labels", {1e300, 0}, {-1e300, 1});
  add("denormal row against a huge one", {5e-324, 0}, {1e100, 1});
  add("zero row, flipped labels", {0, 0}, {0, 1});

  Shared other = shared;
  const Shared stranger = ordinary_records(loss, 1, features, seed + 1000);
  std::ranges::copy(stranger.rows.values, other.rows.values.begin());
  other.labels[0] = stranger.labels[0];
  pairs.push_back({"an ordinary record for another", as_dataset(shared), as_dataset(other)});

  // Duplicates: the differing record repeats its neighbours.
  const Shared ones{{records, features, std::vector<double>(records * features, 1.0)},
                    std::vector<double>(records, extreme_label(loss, 0))};
  pairs.push_back({"all records equal but one", with_first_record(ones, loss, {1, 0}),
                   with_first_record(ones, loss, {1, 1})});
  return pairs;
}

std::vector<NeighbourPair> lone_record_pairs(const LossSpec& loss, std::size_t records, double row_bound,
                                             std::optional<double> label) {
  const Shared zeros{{records, 1, std::vector<double>(records)},
                     std::vector<double>(records, extreme_label(loss, 0))};
  std::vector<NeighbourPair> pairs;
  for (const double size : {1.0, 0.5, 2.0, 8.0}) {
    const double a = size * row_bound;
    const auto add = [&](const char* what, FirstRecord first, FirstRecord second) {
      pairs.push_back({fmt::format("a lone record of {} times the row bound, {}", size, what),
                       with_first_record(zeros, loss, first), with_first_record(zeros, loss, second)});
      for (Dataset* data : {&pairs.back().first, &pairs.back().second})
        if (label && std::fabs(data->labels[0]) > *label)
          data->labels[0] = std::copysign(*label, data->labels[0]);
    };
    add("flipped label", {a, 0}, {a, 1});
    add("opposite rows", {a, 1}, {-a, 1});
    add("against a zero row", {a, 1}, {0, 1});
  }
  return pairs;
}

namespace {

// Stored zeros count as absent, so that a sparse row equals its dense form.
std::vector<std::pair<std::size_t, double>> nonzeros(const RowView& row) {
  std::vector<std::pair<std::size_t, double>> entries;
  for (std::size_t k = 0; k < row.size; ++k)
    if (row.values[k] != 0) entries.emplace_back(row.columns ? row.columns[k] : k, row.values[k]);
  return entries;
}

}  // namespace

bool same_record(const Dataset& a, const Dataset& b, std::size_t i) {
  const auto weight = [i](const Dataset& data) { return data.weights.empty() ? 1 : data.weights[i]; };
  return a.labels[i] == b.labels[i] && weight(a) == weight(b) &&
         nonzeros(a.features.row(i)) == nonzeros(b.features.row(i));
}

void require_neighbours(const Dataset& first, const Dataset& second) {
  if (first.size() != second.size())
    throw_error<DataError>("the datasets have {} and {} records; neighbours have as many, and differ in one",
                           first.size(), second.size());
  if (first.features.columns() != second.features.columns() || first.names != second.names)
    throw_error<DataError>("the datasets have different columns; neighbours differ in one record only");
  if (first.classes != second.classes)
    throw_error<DataError>(
        "the datasets have different classes; a schema that lists the classes makes them the same");
  if (first.labels.size() != first.size() || second.labels.size() != second.size())
    throw_error<DataError>("the datasets have no target");
  std::vector<std::size_t> differ;
  for (std::size_t i = 0; i < first.size(); ++i)
    if (!same_record(first, second, i)) differ.push_back(i + 1);
  if (differ.size() > 1)
    throw_error<DataError>(
        "the datasets differ in {} records, the first of them {} and {}; neighbours differ in one",
        differ.size(), differ[0], differ[1]);
}

}  // namespace tacit::inline v1::audit

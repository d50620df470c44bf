#include "support/adversarial.hpp"

#include <random>

namespace tacit::testing {

double extreme_label(const LinearLoss& loss, int which) {
  const auto* link = std::get_if<Link>(&loss);
  if (!link) return which % 2 == 0 ? 0 : static_cast<double>(std::get<Softmax>(loss).classes - 1);
  if (facts(*link).classification) return which % 2 == 0 ? 1 : -1;
  if (link->kind == LinkKind::poisson) return which % 2 == 0 ? 0 : 1e300;
  return which % 2 == 0 ? 1e300 : -1e300;
}

namespace {

double ordinary_label(const LinearLoss& loss, double score, std::mt19937_64& random) {
  const auto* link = std::get_if<Link>(&loss);
  if (!link) return static_cast<double>(random() % std::get<Softmax>(loss).classes);
  if (facts(*link).classification) return score > 0 ? 1 : -1;
  return link->kind == LinkKind::poisson ? std::floor(std::fabs(2 * score)) : score;
}

}  // namespace

std::vector<NeighbourPair> adversarial_pairs(const LinearLoss& loss, std::size_t records, std::size_t features,
                                             unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  DenseRows shared{records, features, std::vector<double>(records * features)};
  std::vector<double> labels(records);
  for (std::size_t i = 0; i < records; ++i) {
    for (std::size_t j = 0; j < features; ++j) shared.values[i * features + j] = normal(random);
    labels[i] = ordinary_label(loss, shared.values[i * features] + normal(random), random);
  }

  std::vector<NeighbourPair> pairs;
  const auto add = [&](const char* what, double first_size, int first_label, double second_size, int second_label) {
    DenseRows a = shared, b = shared;
    for (std::size_t j = 0; j < features; ++j) {
      a.values[j] = first_size;
      b.values[j] = second_size;
    }
    NeighbourPair pair{.what = what};
    pair.first.labels = pair.second.labels = labels;
    pair.first.labels[0] = extreme_label(loss, first_label);
    pair.second.labels[0] = extreme_label(loss, second_label);
    pair.first.features = Features(std::move(a));
    pair.second.features = Features(std::move(b));
    pairs.push_back(std::move(pair));
  };
  add("flipped label", 1, 0, 1, 1);
  add("opposite rows", 5, 0, -5, 0);
  add("far outlier against an ordinary row", 1e6, 1, 0.5, 0);
  add("far outliers with flipped labels", 1e8, 0, 1e8, 1);
  add("rows of norm 1e70, opposite", 1e70, 0, -1e70, 0);
  add("a row of norm 1e300 against a zero row", 1e300, 0, 0, 1);
  add("rows of norm 1e300, flipped labels", 1e300, 0, -1e300, 1);
  add("denormal row against a huge one", 5e-324, 0, 1e100, 1);
  add("zero row, flipped labels", 0, 0, 0, 1);
  // Duplicates: the differing record repeats its neighbours.
  NeighbourPair same{.what = "all records equal but one"};
  DenseRows ones{records, features, std::vector<double>(records * features, 1.0)};
  same.first.features = Features(ones);
  same.second.features = Features(ones);
  same.first.labels = same.second.labels = std::vector<double>(records, extreme_label(loss, 0));
  same.second.labels[0] = extreme_label(loss, 1);
  pairs.push_back(std::move(same));
  return pairs;
}

}  // namespace tacit::testing

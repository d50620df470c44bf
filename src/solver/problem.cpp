#include "tacit/problem.hpp"

#include "core/shards.hpp"
#include "solver/kernels.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

Shape shape_of(const Problem& problem) {
  if (problem.data == nullptr) throw_error<UsageError>("the problem has no data");
  const auto* softmax = std::get_if<Softmax>(&problem.loss);
  const auto* network = std::get_if<Network>(&problem.loss);
  const auto* robust = std::get_if<RobustFit>(&problem.loss);
  return {.records = problem.data->size(),
          .features = problem.data->features.columns() + (problem.intercept != 0 ? 1 : 0),
          .outputs = softmax   ? softmax->classes - 1
                     : network ? network->outputs()
                     : robust  ? robust->outputs()
                               : 1,
          .loss = problem.loss,
          .intercept = problem.intercept,
          .hidden = network ? network->hidden : 0,
          .blocks = problem.blocks,
          .shards = problem.data->shards ? problem.data->shards->count() : 1};
}

void scores(const Problem& problem, std::size_t record, const Vector& w, std::span<double> z) {
  const std::size_t columns = problem.data->features.columns(),
                    features = columns + (problem.intercept != 0 ? 1 : 0);
  thread_local RowRoom room;
  const RowView row = problem.data->features.row(record, room);
  for (std::size_t k = 0; k < z.size(); ++k)
    z[k] = kernels::dot(row, w.data() + k * features, columns, problem.intercept);
}

namespace {

void check_weights(const Dataset& data) {
  if (data.weights.empty()) return;
  if (data.weights.size() != data.size())
    throw_error<DataError>("{} records have {} weights", data.size(), data.weights.size());
  for (std::size_t i = 0; i < data.size(); ++i)
    if (!(data.weights[i] >= 0 && data.weights[i] <= 1))
      throw_error<DataError>("record {}: the weight is {}, expected a part of the public bound, from 0 to 1",
                             i, data.weights[i]);
}

void check_labels(const Dataset& data, const Link& link) {
  const bool classification = facts(link).classification;
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    const double y = data.labels[i];
    if (classification && y != 1 && y != -1)
      throw_error<DataError>("record {}: the label is {}, the {} loss expects -1 or 1", i, y,
                             name(link.kind));
    if (!(std::abs(y) <= std::numeric_limits<double>::max()))
      throw_error<DataError>("record {}: the label is {}, expected a finite number", i, y);
    if (link.kind == LinkKind::poisson && y < 0)
      throw_error<DataError>("record {}: the label is {}, the poisson loss expects a number >= 0", i, y);
  }
}

void check_classes(const Dataset& data, std::size_t classes) {
  if (classes < 2) throw_error<UsageError>("softmax needs at least 2 classes, got {}", classes);
  for (std::size_t i = 0; i < data.labels.size(); ++i)
    if (!(data.labels[i] >= 0 && data.labels[i] < static_cast<double>(classes)) ||
        data.labels[i] != static_cast<double>(static_cast<std::size_t>(data.labels[i])))
      throw_error<DataError>("record {}: the label is {}, softmax expects a class number below {}", i,
                             data.labels[i], classes);
}

void check_blocks(const FeatureBlocks& blocks, std::size_t features, bool intercept) {
  if (blocks.empty()) return;
  if (blocks.features() != features)
    throw_error<UsageError>("the blocks have {} features, the problem has {}, intercept included",
                            blocks.features(), features);
  if (intercept && blocks.list().back().size != 1)
    throw_error<UsageError>("the last block has {} features, but the intercept is a block of its own",
                            blocks.list().back().size);
}

}  // namespace

void validate(const Problem& problem) {
  if (problem.data == nullptr || problem.data->size() == 0)
    throw_error<DataError>("the dataset has no records");
  const Dataset& data = *problem.data;
  // Shards look at their own labels when they read them.
  if (!data.shards && data.labels.size() != data.size())
    throw_error<DataError>("{} records have {} labels", data.size(), data.labels.size());
  check_weights(data);
  if (!(problem.intercept >= 0) || problem.intercept > 1e6)
    throw_error<UsageError>("the intercept's feature value is {}, expected between 0 and 1e6",
                            problem.intercept);
  const std::size_t features = shape_of(problem).features;
  if (features == 0) throw_error<DataError>("the dataset has no feature columns");
  check_blocks(problem.blocks, features, problem.intercept != 0);

  if (const auto* link = std::get_if<Link>(&problem.loss)) {
    validate(*link);
    return check_labels(data, *link);
  }
  if (const auto* network = std::get_if<Network>(&problem.loss)) {
    if (network->hidden == 0) throw_error<UsageError>("a network needs at least 1 hidden unit");
    if (network->classes == 0) return check_labels(data, {LinkKind::squared, 0});
    if (network->absolute)
      throw_error<UsageError>("the absolute loss of a network needs numbers, not classes");
    return check_classes(data, network->classes);
  }
  if (const auto* robust = std::get_if<RobustFit>(&problem.loss)) {
    validate(*robust);
    return check_labels(data, {LinkKind::absolute, 0});
  }
  check_classes(data, std::get<Softmax>(problem.loss).classes);
}

}  // namespace tacit::inline v1

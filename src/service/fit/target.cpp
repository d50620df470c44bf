#include "service/fit/target.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/core.hpp"
#include "tacit/model.hpp"

namespace tacit::inline v1::service {

namespace {

constexpr std::int64_t most_hidden = 1 << 20, usual_hidden = 64;

Link named_link(const FitOptions& options) {
  Link link = parse_link(options.loss);
  if (!options.loss_parameter) return link;
  if (link.parameter == 0) throw_error<UsageError>("the loss {} has no parameter", options.loss);
  link.parameter = *options.loss_parameter;
  validate(link);
  return link;
}

// Its parameter is the number of affine pieces.
RobustFit named_robust(RobustFit loss, const FitOptions& options) {
  if (!options.loss_parameter) return loss;
  if (loss.kind == RobustKind::phase_retrieval)
    throw_error<UsageError>("the loss {} has no parameter", options.loss);
  const double pieces = *options.loss_parameter;
  if (!(pieces >= 1 && pieces <= 1e6 && pieces == std::floor(pieces)))
    throw_error<UsageError>("the number of affine pieces is {}, expected a whole number, 1 to 1e6", pieces);
  loss.pieces = static_cast<std::size_t>(pieces);
  validate(loss);
  return loss;
}

std::string_view usual_loss(TargetKind kind, std::size_t classes) {
  if (kind == TargetKind::numeric) return "squared";
  return classes == 2 ? "logistic" : "softmax";
}

void check_target(const Dataset& data, const LossSpec& loss) {
  if (data.target_kind == TargetKind::none) throw_error<DataError>("the data has no target");
  const bool classes = data.target_kind == TargetKind::classes;
  if (classifies(loss) && !classes)
    throw_error<UsageError>("the loss {} needs classes, but the target is numeric", name(loss));
  if (!classifies(loss) && classes)
    throw_error<UsageError>("the loss {} needs numbers, but the target has classes", name(loss));
  if (!classes) return;
  const std::size_t count = data.classes.size();
  if (count == 0)
    throw_error<DataError>("the target has classes, but their names are not given, expected at least 2");
  if (count < 2) throw_error<DataError>("the target has 1 class; list all classes in a schema");
  if (std::holds_alternative<Link>(loss) && count != 2)
    throw_error<UsageError>("the loss {} needs 2 classes, but the target has {}; softmax takes any number",
                            name(loss), count);
}

void require_class_numbers(const std::vector<double>& labels, std::size_t classes) {
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (!(labels[i] >= 0 && labels[i] < static_cast<double>(classes)) || labels[i] != std::floor(labels[i]))
      throw_error<DataError>("record {}: the label is {}, expected the number of a class, 0 to {}", i,
                             labels[i], classes - 1);
}

// y' = (y − mid)/half maps the public range onto [−1, 1].
void scale_to_bounds(PreparedTarget& target, double min, double max) {
  const double half = 0.5 * max - 0.5 * min;
  if (!(half > 0) || !std::isfinite(half))
    throw_error<UsageError>("the target's bounds are [{}, {}], expected min < max", min, max);
  target.offset = 0.5 * min + 0.5 * max;
  target.scale = half;
  target.bound = 1;
  for (double& y : target.labels) y = std::clamp((std::clamp(y, min, max) - target.offset) / half, -1.0, 1.0);
}

// A count is at least 0: a label below is moved there, whatever the record.
void clamp_counts(PreparedTarget& target, const FitOptions& options) {
  if (options.target_max && !(*options.target_max > 0))
    throw_error<UsageError>("the largest count is {}, expected > 0", *options.target_max);
  const double largest = options.target_max.value_or(std::numeric_limits<double>::max());
  for (double& y : target.labels) y = std::clamp(y, 0.0, largest);
  target.bound = options.target_max;
}

// z = log(1 + y − min) in place of y; at most log(1 + max − min).
void take_logarithms(PreparedTarget& target, FitOptions& options) {
  if (!options.target_min) throw_error<UsageError>("the target's transform log1p needs its min");
  constexpr double largest = std::numeric_limits<double>::max();
  const double min = *options.target_min, max = options.target_max.value_or(largest);
  // A difference beyond all doubles is cut, as a label beyond the range is.
  const auto logarithm = [&](double y) {
    return std::log1p(std::fmin(std::clamp(y, min, max) - min, largest));
  };
  std::ranges::transform(target.labels, target.labels.begin(), logarithm);
  if (!options.target_max) return;
  options.target_min = 0;
  options.target_max = logarithm(max);
}

}  // namespace

void check_loss_name(const FitOptions& options) {
  if (options.loss.empty() && options.loss_parameter)
    throw_error<UsageError>("a loss parameter is given without a loss; name the loss");
  const auto network = parse_network(options.loss);
  if (const auto robust = parse_robust(options.loss)) named_robust(*robust, options);
  if ((options.loss == "softmax" || network) && options.loss_parameter)
    throw_error<UsageError>("the loss {} has no parameter", options.loss);
  if (options.hidden && !network)
    throw_error<UsageError>(
        "hidden units go with networks only: tanh-network, relu-network, tanh-absolute, relu-absolute");
  if (options.hidden && (*options.hidden < 1 || *options.hidden > most_hidden))
    throw_error<UsageError>("hidden is {}, expected 1 to {}", *options.hidden, most_hidden);
  if (!options.loss.empty() && options.loss != "softmax" && !network && !parse_robust(options.loss))
    named_link(options);
}

namespace {

// The labels of images are names of classes that happen to be numbers, unless something public speaks of
// numbers: a schema, or a range.
bool labels_are_names(const FitOptions& options, const ReadOptions& reading) {
  return format_of(reading) == Format::idx && !(reading.schema && reading.schema->target) &&
         !options.target_min && !options.target_max;
}

}  // namespace

void require_target(const ReadOptions& reading) {
  const Format format = format_of(reading);
  if (!is_table(format) || !reading.target.empty() || (reading.schema && reading.schema->target)) return;
  const bool file = reading.path != "-" && format != Format::postgresql;
  if (std::error_code ignored; file && !std::filesystem::exists(reading.path, ignored))
    throw_error<NotFoundError>("{}: there is no such file", reading.path.string());
  throw_error<UsageError>("which column is the target? Name it, or give a schema with one");
}

TargetWish wish_for(const FitOptions& options, const ReadOptions& reading) {
  if (options.loss.empty())
    return labels_are_names(options, reading) ? TargetWish::classes : TargetWish::as_found;
  const auto network = parse_network(options.loss);
  if (parse_robust(options.loss) || (network && network->absolute)) return TargetWish::numeric;
  if (!network)
    return classifies(choose_loss(options, TargetKind::classes, 2)) ? TargetWish::classes
                                                                    : TargetWish::numeric;
  // A network does either: numbers where the schema says so.
  const bool numeric = reading.schema && reading.schema->target && reading.schema->target->classes.empty();
  return numeric ? TargetWish::numeric : TargetWish::classes;
}

LossSpec choose_loss(const FitOptions& options, TargetKind kind, std::size_t classes) {
  check_loss_name(options);
  FitOptions chosen = options;
  if (chosen.loss.empty()) chosen.loss = usual_loss(kind, classes);
  if (chosen.loss == "softmax") return Softmax{classes};
  if (auto network = parse_network(chosen.loss)) {
    if (network->absolute && kind == TargetKind::classes)
      throw_error<UsageError>("the loss {} needs numbers, but the target has classes", chosen.loss);
    network->hidden = static_cast<std::size_t>(options.hidden.value_or(usual_hidden));
    network->classes = kind == TargetKind::classes ? classes : 0;
    return *network;
  }
  if (const auto robust = parse_robust(chosen.loss)) return named_robust(*robust, options);
  return named_link(chosen);
}

PreparedTarget prepare_target(const Dataset& data, std::vector<double> labels, const LossSpec& loss,
                              FitOptions options) {
  check_target(data, loss);
  PreparedTarget target{.labels = std::move(labels), .offset = 0, .scale = 1, .bound = {}};
  for (std::size_t i = 0; i < target.labels.size(); ++i)
    if (!std::isfinite(target.labels[i]))
      throw_error<DataError>("record {}: the label is {}, expected a finite number", i, target.labels[i]);

  if (classifies(loss)) require_class_numbers(target.labels, data.classes.size());

  const auto* link = std::get_if<Link>(&loss);
  if (options.target_log1p) {
    if (classifies(loss) || std::holds_alternative<RobustFit>(loss) ||
        (link != nullptr && link->kind == LinkKind::poisson))
      throw_error<UsageError>("the loss {} does not go with the target's transform log1p", name(loss));
    take_logarithms(target, options);
    if (!options.target_max) options.target_min.reset();
  }
  if (link == nullptr && classifies(loss)) return target;
  if (classifies(loss)) {
    for (double& y : target.labels) y = 2 * y - 1;  // class 0 at −1, class 1 at +1
    target.bound = 1;
  } else if (link != nullptr && link->kind == LinkKind::poisson) {
    clamp_counts(target, options);
  } else if (options.target_min && options.target_max) {
    // A square is never negative: its label keeps its zero.
    const auto* robust = std::get_if<RobustFit>(&loss);
    const bool squares = robust != nullptr && robust->kind == RobustKind::phase_retrieval;
    const double largest = std::max(std::fabs(*options.target_min), std::fabs(*options.target_max));
    squares ? scale_to_bounds(target, -largest, largest)
            : scale_to_bounds(target, *options.target_min, *options.target_max);
  } else if (options.method_options.has("label_bound")) {
    // A stated bound sets the target's unit, as a schema's would: the methods' radius is in such units.
    const double bound = options.method_options.number("label_bound");
    scale_to_bounds(target, -bound, bound);
  }
  return target;
}

}  // namespace tacit::inline v1::service

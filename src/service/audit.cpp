#include "tacit/service.hpp"

#include <algorithm>

#include "fit/target.hpp"
#include "service/fit/method_options.hpp"
#include "tacit/core.hpp"
#include "tacit/model.hpp"

namespace tacit::inline v1::service {

namespace {

constexpr std::size_t usual_runs_on_files = 1000;
constexpr double usual_delta = 1e-5;
constexpr std::int64_t usual_hidden = 2;  // as many as show that there is a layer; runs are many

std::size_t usual_runs(std::string_view method) {
  const auto rows = audit::audited_methods();
  const auto row = std::ranges::find(rows, method, &audit::AuditedMethod::name);
  return row == rows.end() ? audit::AuditedMethod{}.usual_runs : row->usual_runs;
}

FitOptions fit_options(const AuditOptions& options) {
  FitOptions fit;
  fit.loss = options.loss;
  fit.loss_parameter = options.loss_parameter;
  fit.hidden = options.hidden;
  if (!fit.hidden && parse_network(fit.loss)) fit.hidden = usual_hidden;
  fit.intercept = options.intercept;
  fit.row_bound = options.row_bound;
  return fit;
}

audit::MethodAuditOptions method_options(const AuditOptions& options, const LossSpec& loss,
                                         std::size_t runs) {
  if (!(options.epsilon > 0)) throw_error<UsageError>("epsilon is {}, expected > 0", options.epsilon);
  const double delta = options.delta.value_or(usual_delta);
  if (!(delta > 0 && delta < 1)) throw_error<UsageError>("delta is {}, expected between 0 and 1", delta);
  // A delta asks for approximate privacy where the method would otherwise be asked for pure.
  const Method& method = find_method(options.method);
  const bool asks_by_delta =
      options.delta && options.notion.empty() && method.notions.front() == Notion::pure;
  if (asks_by_delta && !offers(method, Notion::approx))
    throw_error<UsageError>("the method {} promises pure privacy, which has no delta", options.method);
  audit::MethodAuditOptions result{.epsilon = options.epsilon, .delta = delta, .loss = loss};
  result.notion = asks_by_delta ? "approx" : options.notion;
  result.neighbours = options.neighbours;
  result.facts = under_fact_names(options.method_options);
  check_method_options(method, result.facts);
  result.black_box.runs = options.runs != 0 ? options.runs : runs;
  result.black_box.confidence = options.confidence;
  result.black_box.threads = options.threads;
  result.black_box.validate();
  return result;
}

// The bounds that the schema or the caller made public.
void set_public_bounds(audit::MethodAuditOptions& options, const FitOptions& fit,
                       std::optional<double> label_bound) {
  if (fit.row_bound) {
    // ‖(a, intercept)‖ ≤ √(A² + intercept²)
    const double squares =
        add_up(mul_up(*fit.row_bound, *fit.row_bound), mul_up(fit.intercept, fit.intercept));
    options.facts.set("row_norm_bound", sqrt_up(squares));
  }
  if (label_bound) options.facts.set("label_bound", *label_bound);
}

ReadResult read_labelled(ReadOptions reading, const std::filesystem::path& path) {
  reading.path = path;
  ReadResult read = read_dataset(reading);
  if (!read.has_target)
    throw_error<UsageError>("which column is the target? Name it, or give a schema with one");
  return read;
}

}  // namespace

audit::MethodAudit audit(const AuditOptions& options) {
  constexpr std::size_t classes = 3;  // of the built-in data, for softmax and networks
  FitOptions fit = fit_options(options);
  if (fit.loss.empty()) fit.loss = "logistic";
  check_loss_name(fit);
  // The built-in data has the labels that the loss asks for.
  const bool numeric = wish_for(fit, {}) == TargetWish::numeric;
  const LossSpec loss = choose_loss(fit, numeric ? TargetKind::numeric : TargetKind::classes, classes);
  return audit::audit_method(find_method(options.method),
                             method_options(options, loss, usual_runs(options.method)));
}

audit::MethodAudit audit(const AuditOptions& options, const ReadOptions& reading,
                         const std::filesystem::path& second) {
  FitOptions fit = fit_options(options);
  ReadOptions how = reading;
  how.threads = options.threads;
  how.wish = wish_for(fit, reading);
  ReadResult first_read = read_labelled(how, reading.path), second_read = read_labelled(how, second);
  if (how.schema && how.schema->target) {
    fit.target_min = how.schema->target->min;
    fit.target_max = how.schema->target->max;
  }
  if (!fit.row_bound) fit.row_bound = first_read.row_norm_bound;

  audit::NeighbourPair pair{"the pair of files", std::move(first_read.data), std::move(second_read.data)};
  const Method& method = find_method(options.method);
  const Neighbours relation = relation_for(method, options.neighbours);
  pair = method.unit == Unit::user ? audit::as_user_neighbours(std::move(pair), relation)
                                   : audit::as_neighbours(std::move(pair), relation);
  const LossSpec loss = choose_loss(fit, pair.first.target_kind, pair.first.classes.size());
  audit::MethodAuditOptions audited = method_options(options, loss, usual_runs_on_files);
  PreparedTarget first_target = prepare_target(pair.first, pair.first.labels, loss, fit);
  set_public_bounds(audited, fit, first_target.bound);
  pair.first.labels = std::move(first_target.labels);
  pair.second.labels = prepare_target(pair.second, pair.second.labels, loss, fit).labels;
  return audit::audit_method(find_method(options.method), audited, pair, options.intercept);
}

}  // namespace tacit::inline v1::service

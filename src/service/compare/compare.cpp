#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "core/parallel.hpp"
#include "service/compare/compare_plan.hpp"
#include "service/compare/processes.hpp"
#include "service/compare/split.hpp"
#include "service/fit/schema_cost.hpp"
#include "service/fit/target.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/model.hpp"

namespace tacit::inline v1::service {

namespace {

using Json = nlohmann::json;

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// All fits of a comparison, and what came of them.
class Campaign {
 public:
  Campaign(CompareOptions options, const ReadOptions& reading, ReadResult read)
      : options_(std::move(options)), reading_(reading), read_(std::move(read)) {
    const LossSpec loss = choose_loss(options_.fit, data_.target_kind, data_.classes.size());
    static_cast<void>(
        prepare_target(data_, data_.labels, loss, options_.fit));  // refuses labels that no method could fit
    classes_ = classifies(loss);
    workers_ = options_.workers == 0 ? default_threads() : options_.workers;
    const auto bits = noise::system_bits();
    for (int k = 0; k < options_.repeats; ++k) splits_.push_back(draw_split(data_, options_.held_out, *bits));
    plan_ = plan_comparison(options_, data_.users.empty() ? Unit::item : Unit::user);
    seconds_per_line_ = 60 * options_.minutes * workers_ / static_cast<double>(plan_.lines.size());
  }

  Comparison run(const std::function<void(const CompareProgress&)>& look) {
    run_jobs(
        {.next = [this] { return next(); },
         .work = [this](std::size_t job) { return work(plan_.jobs[job]); },
         .overdue = [this](std::size_t job, double seconds) { return overdue(plan_.jobs[job], seconds); },
         .finished = [this](const JobOutcome& outcome) { finish(outcome); },
         .waiting =
             [&] {
               if (look) look({done_, plan_.jobs.size(), seconds_left()});
             }},
        workers_);
    return result();
  }

 private:
  std::optional<std::size_t> next();
  std::string work(const CompareJob& job) const;
  bool overdue(const CompareJob& job, double seconds) const;
  void finish(const JobOutcome& outcome);
  double seconds_left() const;
  Comparison result() const;

  ComparedCell& cell_of(const CompareJob& job) { return plan_.lines[job.line].result.cells[job.cell]; }
  std::string out_of_time() const {
    return fmt::format("its share of the time, {:.3g} s, was spent", seconds_per_line_);
  }

  CompareOptions options_;
  const ReadOptions& reading_;
  ReadResult read_;
  const Dataset& data_ = read_.data;
  bool classes_ = false;
  unsigned workers_ = 1;
  std::vector<Split> splits_;
  ComparePlan plan_;
  double seconds_per_line_ = 0;
  std::size_t started_ = 0, done_ = 0;
};

std::optional<std::size_t> Campaign::next() {
  for (; started_ < plan_.jobs.size(); ++done_) {
    const std::size_t job = started_++;
    CompareLine& line = plan_.lines[plan_.jobs[job].line];
    ComparedCell& cell = cell_of(plan_.jobs[job]);
    if (line.hopeless.empty() && line.spent >= seconds_per_line_) line.hopeless = out_of_time();
    if (!line.hopeless.empty() && cell.reason.empty()) cell.reason = line.hopeless;
    if (!cell.reason.empty()) continue;  // another split would not help
    ++line.running;
    return job;
  }
  return std::nullopt;
}

std::string failure(const std::exception& error, bool always) {
  return Json{{"reason", error.what()}, {"always", always}}.dump(-1, ' ', false,
                                                                 Json::error_handler_t::replace);
}

// In a child.
std::string Campaign::work(const CompareJob& job) const {
  const CompareLine& line = plan_.lines[job.line];
  try {
    FitOptions options = options_.fit;
    options.target = reading_.target;
    options.threads = 1;
    options.guarantee = NoPrivacy{};
    if (line.method != nullptr) {
      options.method = line.method->name;
      options.guarantee = line.result.cells[job.cell].guarantee;
      options.neighbours = line.result.neighbours;
    }
    const Split& split = splits_[job.repeat];
    ReadResult train{.data = part_of(data_, split.train),
                     .has_target = true,
                     .drafted_schema = read_.drafted_schema,
                     .read_off_data = read_.read_off_data,
                     .blocks = read_.blocks,
                     .row_norm_bound = read_.row_norm_bound};
    const double start = processor_seconds();
    const FittedModel model =
        fit_records(std::move(train), read_.schema ? read_.schema : reading_.schema, options);
    const double seconds = processor_seconds() - start;
    const Metrics metrics = evaluate(model, part_of(data_, split.test));
    const double metric = classes_ ? metrics.accuracy.value() : metrics.rmse.value();
    if (!std::isfinite(metric)) throw_error<InfeasibleError>("its predictions overflow");
    return Json{{"metric", metric}, {"seconds", seconds}}.dump();
  } catch (const UsageError& error) {
    return failure(error, true);  // no epsilon and no split would change it
  } catch (const std::exception& error) {
    return failure(error, false);
  }
}

bool Campaign::overdue(const CompareJob& job, double seconds) const {
  const CompareLine& line = plan_.lines[job.line];
  return line.spent + seconds * static_cast<double>(line.running) > seconds_per_line_;
}

void Campaign::finish(const JobOutcome& outcome) {
  const CompareJob& job = plan_.jobs[outcome.job];
  CompareLine& line = plan_.lines[job.line];
  ComparedCell& cell = cell_of(job);
  ++done_;
  --line.running;
  line.spent += outcome.seconds;
  if (outcome.end == JobEnd::overdue) {
    cell.reason = line.hopeless = out_of_time();
    return;
  }
  const Json said = Json::parse(outcome.text, nullptr, false);
  if (!said.is_object()) {
    cell.reason = outcome.text.empty() ? "it ended without a result" : outcome.text;
  } else if (said.contains("metric")) {
    cell.metric.push_back(said["metric"]);
    cell.seconds += (said["seconds"].get<double>() - cell.seconds) / static_cast<double>(cell.metric.size());
  } else {
    cell.reason = said["reason"];
    if (said["always"]) line.hopeless = cell.reason;
  }
}

double Campaign::seconds_left() const {
  double seconds = 0;
  for (const CompareLine& line : plan_.lines) {
    const std::size_t all = line.result.cells.size() * splits_.size();
    std::size_t finished = 0;
    for (const ComparedCell& cell : line.result.cells) finished += cell.metric.size();
    if (!line.hopeless.empty() || finished == all) continue;
    const double budget = std::max(0.0, seconds_per_line_ - line.spent);
    // Nothing is known of a method before its first fit.
    const double each =
        finished == 0 ? budget / static_cast<double>(all) : line.spent / static_cast<double>(finished);
    seconds += std::min(budget, each * static_cast<double>(all - finished));
  }
  return seconds / workers_;
}

Comparison Campaign::result() const {
  const ComparedCell& plain = plan_.lines.front().result.cells.front();
  Comparison found{.metric = classes_ ? "accuracy" : "rmse",
                   .unit = data_.users.empty() ? Unit::item : Unit::user,
                   .neighbours = options_.fit.neighbours.value_or(usual_neighbours),
                   .delta = options_.delta,
                   .records = data_.size(),
                   .held_out = splits_.front().test.size(),
                   .repeats = options_.repeats,
                   .seconds_per_method = seconds_per_line_,
                   .no_privacy = plain.metric,
                   .constant = {},
                   .methods = {},
                   .others = plan_.others};
  for (const Split& split : splits_) found.constant.push_back(metric_of_constant(data_, split));
  for (std::size_t k = 1; k < plan_.lines.size(); ++k) {
    const ComparedMethod& method = plan_.lines[k].result;
    const bool any =
        std::ranges::any_of(method.cells, [](const ComparedCell& c) { return !c.metric.empty(); });
    if (any)
      found.methods.push_back(method);
    else
      found.others.push_back({method.method, method.notion, method.cells.front().reason});
  }
  return found;
}

}  // namespace

Comparison compare(const ReadOptions& reading, const CompareOptions& options,
                   const std::function<void(const CompareProgress&)>& look) {
  check(options);
  require_target(reading);
  ReadOptions how = reading;
  how.wish = wish_for(options.fit, reading);
  // One encoding for all cells: that of a fit with the middle epsilon.
  std::vector<double> epsilons = options.epsilons;
  std::ranges::sort(epsilons);
  how.encoder = reading.user.empty() && reading.schema ? options.fit.encoder : EncoderRule::linear_v1;
  how.knot_facts.epsilon = epsilons[epsilons.size() / 2];
  ReadResult read = read_dataset(how);
  if (!read.has_target) throw_error<DataError>("{}: there are no labels", source_name(reading.path));
  CompareOptions asked = options;
  if (!asked.fit.schema_release) asked.fit.schema_release = origin_of(reading).schema_release();
  require_cost_stated(reading.schema, asked.fit.schema_release);
  return Campaign(std::move(asked), reading, std::move(read)).run(look);
}

}  // namespace tacit::inline v1::service

#include "tacit/service/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "processes.hpp"
#include "split.hpp"
#include "tacit/core/error.hpp"
#include "tacit/core/parallel.hpp"
#include "tacit/model/predict.hpp"
#include "tacit/noise/system_bits.hpp"
#include "tacit/service/fit_records.hpp"
#include "target.hpp"

namespace tacit::inline v1::service {

namespace {

using Json = nlohmann::json;

void check(const CompareOptions& options) {
  if (options.epsilons.empty()) throw_error<UsageError>("no epsilon is given to compare at");
  constexpr double least_epsilon = 1e-9, largest_epsilon = 1e9;  // what the methods take
  for (std::size_t k = 0; k < options.epsilons.size(); ++k) {
    const double epsilon = options.epsilons[k];
    if (!(epsilon >= least_epsilon && epsilon <= largest_epsilon))
      throw_error<UsageError>("epsilon is {}, expected between {} and {}", epsilon, least_epsilon,
                              largest_epsilon);
    if (std::find(options.epsilons.begin(), options.epsilons.begin() + static_cast<std::ptrdiff_t>(k),
                  epsilon) != options.epsilons.begin() + static_cast<std::ptrdiff_t>(k))
      throw_error<UsageError>("epsilon {} is given twice", epsilon);
  }
  if (options.delta) validate(Guarantee(Approx{1, *options.delta}));
  for (const std::string& name : options.methods) find_method(name);
  constexpr int most_repeats = 1000;
  if (options.repeats < 1 || options.repeats > most_repeats)
    throw_error<UsageError>("repeats is {}, expected 1 to {}", options.repeats, most_repeats);
  if (!(options.held_out > 0 && options.held_out < 1))
    throw_error<UsageError>("the held-out share is {}, expected > 0 and < 1", options.held_out);
  if (!(options.minutes > 0 && std::isfinite(options.minutes)))
    throw_error<UsageError>("minutes is {}, expected a finite number > 0", options.minutes);
  constexpr unsigned most_workers = 256;
  if (options.workers > most_workers)
    throw_error<UsageError>("threads is {}, expected at most {}", options.workers, most_workers);
  check_loss_name(options.fit);
}

// The relation to run it for: replace_one itself where the method offers it.
Neighbours relation_of(const Method& method) {
  const auto& offered = method.neighbours;
  return std::ranges::find(offered, Neighbours::replace_one) != offered.end() ? Neighbours::replace_one
                                                                              : offered.front();
}

// The notions in which the method can be compared: pure, and with a δ the sharper of (ε, δ) itself and of
// Gaussian privacy that implies it.
std::vector<std::string> notions_of(const Method& method, bool with_delta) {
  std::vector<std::string> notions;
  if (offers(method, "pure")) notions.emplace_back("pure");
  if (with_delta && offers(method, "approx"))
    notions.emplace_back("approx");
  else if (with_delta && offers(method, "gaussian"))
    notions.emplace_back("gaussian");
  return notions;
}

struct Line {
  const Method* method = nullptr;  // nullptr: without privacy
  ComparedMethod result;
  double spent = 0;         // seconds of its finished fits
  std::size_t running = 0;  // of its fits, now
  std::string hopeless;     // why no further fit of it makes sense
};

struct Job {
  std::size_t line = 0, cell = 0, repeat = 0;
};

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// All fits of a comparison, and what came of them.
class Campaign {
 public:
  Campaign(const CompareOptions& options, const ReadOptions& reading, ReadResult read)
      : options_(options), reading_(reading), read_(std::move(read)) {
    const LinearLoss loss = choose_loss(options.fit, data_.target_kind, data_.classes.size());
    static_cast<void>(prepare_target(data_, loss, options.fit));  // refuses labels that no method could fit
    classes_ = classifies(loss);
    workers_ = options.workers == 0 ? default_threads() : options.workers;
    const auto bits = noise::system_bits();
    for (int k = 0; k < options.repeats; ++k) splits_.push_back(draw_split(data_, options.held_out, *bits));
    choose_lines();
    list_jobs();
  }

  Comparison run(const std::function<void(const CompareProgress&)>& look) {
    run_jobs({.next = [this] { return next(); },
              .work = [this](std::size_t job) { return work(jobs_[job]); },
              .overdue = [this](std::size_t job, double seconds) { return overdue(jobs_[job], seconds); },
              .finished = [this](const JobOutcome& outcome) { finish(outcome); },
              .waiting =
                  [&] {
                    if (look) look({done_, jobs_.size(), seconds_left()});
                  }},
             workers_);
    return result();
  }

 private:
  void choose_lines();
  void list_jobs();
  std::optional<std::size_t> next();
  std::string work(const Job& job) const;
  bool overdue(const Job& job, double seconds) const;
  void finish(const JobOutcome& outcome);
  double seconds_left() const;
  Comparison result() const;

  ComparedCell& cell_of(const Job& job) { return lines_[job.line].result.cells[job.cell]; }
  std::string out_of_time() const {
    return fmt::format("its share of the time, {:.3g} s, was spent", seconds_per_line_);
  }

  const CompareOptions& options_;
  const ReadOptions& reading_;
  ReadResult read_;
  const Dataset& data_ = read_.data;
  bool classes_ = false;
  unsigned workers_ = 1;
  std::vector<Split> splits_;
  std::vector<Line> lines_;  // the first: without privacy
  std::vector<NotCompared> others_;
  std::vector<Job> jobs_;
  double seconds_per_line_ = 0;
  std::size_t started_ = 0, done_ = 0;
};

void Campaign::choose_lines() {
  lines_.push_back({.method = nullptr, .result = {"", "none", "nothing", Neighbours::replace_one, {{}}}});
  const std::string unit = data_.users.empty() ? "item" : "user";
  for (const Method& method : methods()) {
    if (!options_.methods.empty() &&
        std::ranges::find(options_.methods, method.name) == options_.methods.end())
      continue;
    const std::vector<std::string> notions = notions_of(method, options_.delta.has_value());
    if (method.unit != unit)
      others_.push_back({method.name, "",
                         method.unit == "user"
                             ? "it protects users, and needs to know whose a record is (--user)"
                             : "it protects single records, not users"});
    else if (notions.empty() && offers(method, "none"))
      continue;  // it is the line without privacy
    else if (notions.empty())
      others_.push_back({method.name, "", "it needs a delta (--delta)"});
    else
      for (const std::string& notion : notions) {
        const Neighbours relation = relation_of(method);
        Line line{.method = &method, .result = {method.name, notion, method.assumes, relation, {}}};
        for (const double epsilon : options_.epsilons)
          line.result.cells.push_back(
              {.epsilon = epsilon,
               .guarantee = guarantee_to_compare(notion, relation, epsilon, options_.delta)});
        lines_.push_back(std::move(line));
      }
  }
  seconds_per_line_ = 60 * options_.minutes * workers_ / static_cast<double>(lines_.size());
}

// A first fit of everything comes before the second of anything.
void Campaign::list_jobs() {
  std::size_t most_cells = 1;
  for (const Line& line : lines_) most_cells = std::max(most_cells, line.result.cells.size());
  for (std::size_t repeat = 0; repeat < splits_.size(); ++repeat)
    for (std::size_t cell = 0; cell < most_cells; ++cell)
      for (std::size_t line = 0; line < lines_.size(); ++line)
        if (cell < lines_[line].result.cells.size()) jobs_.push_back({line, cell, repeat});
}

std::optional<std::size_t> Campaign::next() {
  for (; started_ < jobs_.size(); ++done_) {
    const std::size_t job = started_++;
    Line& line = lines_[jobs_[job].line];
    ComparedCell& cell = cell_of(jobs_[job]);
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
std::string Campaign::work(const Job& job) const {
  const Line& line = lines_[job.line];
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
                     .row_norm_bound = read_.row_norm_bound};
    const double start = processor_seconds();
    const FittedModel model = fit_records(std::move(train), reading_.schema, options);
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

bool Campaign::overdue(const Job& job, double seconds) const {
  const Line& line = lines_[job.line];
  return line.spent + seconds * static_cast<double>(line.running) > seconds_per_line_;
}

void Campaign::finish(const JobOutcome& outcome) {
  const Job& job = jobs_[outcome.job];
  Line& line = lines_[job.line];
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
  for (const Line& line : lines_) {
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
  const ComparedCell& plain = lines_.front().result.cells.front();
  Comparison found{.metric = classes_ ? "accuracy" : "rmse",
                   .unit = data_.users.empty() ? Unit::item : Unit::user,
                   .delta = options_.delta,
                   .records = data_.size(),
                   .held_out = splits_.front().test.size(),
                   .repeats = options_.repeats,
                   .seconds_per_method = seconds_per_line_,
                   .no_privacy = plain.metric,
                   .constant = {},
                   .methods = {},
                   .others = others_};
  for (const Split& split : splits_) found.constant.push_back(metric_of_constant(data_, split));
  for (std::size_t k = 1; k < lines_.size(); ++k) {
    const ComparedMethod& method = lines_[k].result;
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
  ReadResult read = read_dataset(how);
  if (!read.has_target) throw_error<DataError>("{}: there are no labels", reading.path.string());
  return Campaign(options, reading, std::move(read)).run(look);
}

}  // namespace tacit::inline v1::service

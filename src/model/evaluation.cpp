#include "model/statement.hpp"

namespace tacit::inline v1 {

Json evaluation_content(const statistics::ScoreOptions& options, std::optional<std::size_t> units,
                        const statistics::Scores* scores, statistics::Answers& answers) {
  const statistics::ScoreReport report = statistics::score(options, units, scores, answers);
  Json content = Json::object(), intervals = Json::object();
  for (const auto& [name, found] : report.metrics) {
    content[name] = found.value;
    intervals[name] = {found.interval.low, found.interval.high};
  }
  for (const statistics::CalibrationCell& cell : report.calibration)
    content["calibration"].push_back({{"low", cell.low},
                                      {"high", cell.high},
                                      {"count", to_json(cell.count)},
                                      {"share", to_json(cell.share)}});
  content["intervals"] = intervals;
  content["confidence"] = options.confidence;
  for (const auto& [name, found] : report.constants) {
    content["constant"][name] = found.value;
    content["constant_intervals"][name] = {found.interval.low, found.interval.high};
  }
  return content;
}

}  // namespace tacit::inline v1

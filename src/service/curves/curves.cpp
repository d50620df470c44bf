#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "service/curves/curves.hpp"
#include "tacit/core.hpp"
#include "tacit/service.hpp"

namespace tacit::inline v1::service {

namespace {

using Json = nlohmann::ordered_json;

const char* kind_of(const Curve& curve) {
  if (curve.axes.size() == 2) return "surface";
  const AxisKind kind = curve.axes.front().kind;
  return kind == AxisKind::category || kind == AxisKind::ordered ? "bars" : "curve";
}

Json axis_json(const ColumnAxis& axis) { return axis.labels.empty() ? Json(axis.at) : Json(axis.labels); }

// The numbers of one output: a list, of a pair a list for each point of its first column.
template <class Values>
Json by_point(const Curve& curve, const Values& value) {
  Json list = Json::array();
  const std::size_t inner = curve.axes.back().at.size();
  for (std::size_t k = 0; k < static_cast<std::size_t>(curve.y.cols()); ++k) {
    if (curve.axes.size() == 1) {
      list.push_back(value(static_cast<Eigen::Index>(k)));
      continue;
    }
    if (k % inner == 0) list.push_back(Json::array());
    list.back().push_back(value(static_cast<Eigen::Index>(k)));
  }
  return list;
}

// The same for every output: a list of them where there are several.
template <class Value>
Json by_output(const Curve& curve, Value value) {
  Json list = Json::array();
  for (Eigen::Index output = 0; output < curve.y.rows(); ++output)
    list.push_back(by_point(curve, [&](Eigen::Index k) { return value(output, k); }));
  return list.size() == 1 ? list.front() : list;
}

Json one_or_list(const Vector& values) {
  return values.size() == 1 ? Json(values[0]) : Json(std::vector<double>(values.begin(), values.end()));
}

Json curve_json(const Curve& curve) {
  Json json{{"kind", kind_of(curve)}};
  if (curve.axes.size() == 2)
    json["x"] = {axis_json(curve.axes[0]), axis_json(curve.axes[1])};
  else
    json["x"] = axis_json(curve.axes.front());
  json["y"] = by_output(curve, [&](Eigen::Index output, Eigen::Index k) { return curve.y(output, k); });
  json["interval"] = nullptr;
  if (curve.half_width.size() > 0)
    json["interval"] = by_output(curve, [&](Eigen::Index output, Eigen::Index k) {
      const double y = curve.y(output, k), half = curve.half_width(output, k);
      return Json{y - half, y + half};
    });
  json["noise"] = nullptr;
  if (curve.noise.size() > 0)
    json["noise"] =
        by_output(curve, [&](Eigen::Index output, Eigen::Index k) { return curve.noise(output, k); });
  if (curve.missing.size() > 0) json["missing"] = one_or_list(curve.missing);
  Json scales = Json::array();
  for (const ColumnAxis& axis : curve.axes)
    scales.push_back(axis.log1p_from ? Json{{"log1p_from", *axis.log1p_from}} : Json());
  json["scale"] = scales.size() == 1 ? scales.front() : scales;
  return json;
}

}  // namespace

std::string adds_to(const FittedModel& model) {
  const auto* link = std::get_if<Link>(&model.loss);
  const std::string target = model.target.empty() ? "the target" : model.target;
  if (link == nullptr) return "the score of each class";
  if (link->kind == LinkKind::poisson) return "the logarithm of " + target;
  if (classifies(model.loss))
    return fmt::format("the score for {} (against {})", model.classes.at(1), model.classes.at(0));
  if (model.schema && model.schema->target && model.schema->target->log1p)
    return fmt::format("log(1 + {} - {})", target, *model.schema->target->min);
  return target;
}

std::string curves_json(const FittedModel& model) {
  Json json;
  try {
    const Curves found = curves(model);
    json["adds_to"] = adds_to(model);
    json["outputs"] = found.outputs;
    json["constant"] = one_or_list(found.constants);
    json["centred"] = "every curve averages 0 over its column's range or listed categories";
    json["interval_level"] = found.no_half_width.empty() ? Json(found.level) : Json();
    json["no_interval"] = found.no_half_width.empty() ? Json() : Json(found.no_half_width);
    json["no_noise"] = found.no_noise.empty() ? Json() : Json(found.no_noise);
    json["curves"] = Json::object();
    for (const Curve& curve : found.curves) json["curves"][curve.name] = curve_json(curve);
  } catch (const UsageError& error) {
    json = {{"curves", nullptr}, {"no_curves", error.what()}};
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tacit::inline v1::service

#include "domain/text.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw_error<UsageError>(
      "the domain is \"{}\": {}; expected ball:R, ball:R@c1,c2,..., box:lo,hi, box:lo1,hi1;lo2,hi2;..., "
      "polytope:a11,...,a1d,b1;... or ellipsoid:c1,...,cd;p11,...,p1d;...",
      text.substr(0, 200), why);
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(at, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

double number(std::string_view whole, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    refuse(whole, fmt::format("\"{}\" is not a finite number", text.substr(0, 40)));
  return value;
}

std::vector<double> numbers(std::string_view whole, std::string_view text) {
  std::vector<double> values;
  for (const std::string_view part : split(text, ',')) values.push_back(number(whole, part));
  return values;
}

void require_dimension(std::string_view text, std::size_t have, std::optional<Eigen::Index> want) {
  if (want && static_cast<Eigen::Index>(have) != *want)
    refuse(text, fmt::format("it has {} coordinates, the model has {}, the intercept counted as the last",
                             have, *want));
}

// Of a size that products in the solvers can bear; the same range as that of other sizes.
void require_bearable(std::string_view text, const Vector& values) {
  for (const double value : values)
    if (!(std::fabs(value) <= 0x1p100)) refuse(text, "a coordinate is beyond 2^100");
}

Domain parse_ball(std::string_view text, std::string_view rest, std::optional<Eigen::Index> dimension) {
  const auto parts = split(rest, '@');
  if (parts.size() > 2) refuse(text, "more than one center");
  const double radius = number(text, parts[0]);
  if (!(radius >= 0x1p-100 && radius <= 0x1p100))
    refuse(text, "the radius must be > 0, between 2^-100 and 2^100");
  Ball ball{Vector::Zero(dimension.value_or(1)), radius};
  if (parts.size() == 1) return ball;
  const std::vector<double> center = numbers(text, parts[1]);
  require_dimension(text, center.size(), dimension);
  ball.center = Eigen::Map<const Vector>(center.data(), static_cast<Eigen::Index>(center.size()));
  require_bearable(text, ball.center);
  return ball;
}

Domain parse_box(std::string_view text, std::string_view rest, std::optional<Eigen::Index> dimension) {
  const auto pairs = split(rest, ';');
  if (pairs.size() > 1) require_dimension(text, pairs.size(), dimension);
  const auto count = pairs.size() > 1 ? static_cast<Eigen::Index>(pairs.size()) : dimension.value_or(1);
  Box box{Vector(count), Vector(count)};
  for (Eigen::Index j = 0; j < count; ++j) {
    const std::vector<double> ends = numbers(text, pairs[pairs.size() > 1 ? static_cast<std::size_t>(j) : 0]);
    if (ends.size() != 2) refuse(text, "a coordinate of a box has two bounds, lo,hi");
    if (!(ends[0] <= ends[1]))
      refuse(text, fmt::format("the lower bound {} is above the upper bound {}", ends[0], ends[1]));
    box.lower[j] = ends[0];
    box.upper[j] = ends[1];
  }
  if (!((box.upper - box.lower).maxCoeff() >= 0x1p-100)) refuse(text, "it is a single point");
  require_bearable(text, box.lower);
  require_bearable(text, box.upper);
  return box;
}

// Lines of `columns` numbers each.
Matrix table(std::string_view text, std::string_view rest, std::size_t columns) {
  const auto lines = split(rest, ';');
  Matrix values(static_cast<Eigen::Index>(lines.size()), static_cast<Eigen::Index>(columns));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<double> row = numbers(text, lines[i]);
    if (row.size() != columns)
      refuse(text, fmt::format("row {} has {} numbers, expected {}", i + 1, row.size(), columns));
    values.row(static_cast<Eigen::Index>(i)) = Eigen::Map<const Vector>(row.data(), values.cols());
  }
  require_bearable(text, values.reshaped());
  return values;
}

std::size_t columns_of(std::string_view text, std::string_view rest, std::optional<Eigen::Index> dimension,
                       std::size_t more) {
  const std::size_t have = numbers(text, split(rest, ';').front()).size();
  if (have <= more) refuse(text, "a row is too short");
  require_dimension(text, have - more, dimension);
  return have;
}

Domain parse_polytope(std::string_view text, std::string_view rest, std::optional<Eigen::Index> dimension) {
  const Matrix rows = table(text, rest, columns_of(text, rest, dimension, 1));
  Polytope polytope{rows.leftCols(rows.cols() - 1), rows.rightCols(1)};
  validate(polytope, rows.cols() - 1);
  return polytope;
}

Domain parse_ellipsoid(std::string_view text, std::string_view rest, std::optional<Eigen::Index> dimension) {
  const Matrix rows = table(text, rest, columns_of(text, rest, dimension, 0));
  if (rows.rows() != rows.cols() + 1) refuse(text, "P needs as many rows as there are coordinates");
  Ellipsoid ellipsoid{rows.row(0).transpose(), rows.bottomRows(rows.cols())};
  validate(ellipsoid, rows.cols());
  return ellipsoid;
}

Domain parsed(std::string_view text, std::optional<Eigen::Index> dimension) {
  if (text.starts_with("ball:")) return parse_ball(text, text.substr(5), dimension);
  if (text.starts_with("box:")) return parse_box(text, text.substr(4), dimension);
  if (text.starts_with("polytope:")) return parse_polytope(text, text.substr(9), dimension);
  if (text.starts_with("ellipsoid:")) return parse_ellipsoid(text, text.substr(10), dimension);
  refuse(text, "the kind of domain is unknown");
}

// Rows after each other.
std::string rows_text(std::string text, const Matrix& values) {
  for (Eigen::Index i = 0; i < values.rows(); ++i)
    for (Eigen::Index j = 0; j < values.cols(); ++j)
      text += fmt::format("{}{}", j > 0 ? "," : i > 0 ? ";" : "", values(i, j));
  return text;
}

}  // namespace

Domain parse_domain(std::string_view text, Eigen::Index dimension) { return parsed(text, dimension); }

void check_domain(std::string_view text) { parsed(text, std::nullopt); }

bool fits_every_dimension(std::string_view text) {
  try {
    for (const Eigen::Index dimension : {2, 3}) parse_domain(text, dimension);
  } catch (const UsageError&) {
    return false;
  }
  return true;
}

std::string domain_text(const Domain& domain) {
  if (const auto* ball = std::get_if<Ball>(&domain)) {
    std::string text = fmt::format("ball:{}", ball->radius);
    if (!ball->center.isZero(0))
      for (Eigen::Index j = 0; j < ball->center.size(); ++j)
        text += fmt::format("{}{}", j == 0 ? "@" : ",", ball->center[j]);
    return text;
  }
  const auto* box = std::get_if<Box>(&domain);
  if (const auto* polytope = std::get_if<Polytope>(&domain)) {
    Matrix rows(polytope->a.rows(), polytope->a.cols() + 1);
    rows << polytope->a, polytope->b;
    return rows_text("polytope:", rows);
  }
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(&domain)) {
    Matrix rows(ellipsoid->shape.rows() + 1, ellipsoid->shape.cols());
    rows << ellipsoid->center.transpose(), ellipsoid->shape;
    return rows_text("ellipsoid:", rows);
  }
  if (!box) throw_error<UsageError>("the whole space cannot be written as a domain");
  std::string text = "box:";
  for (Eigen::Index j = 0; j < box->lower.size(); ++j)
    text += fmt::format("{}{},{}", j == 0 ? "" : ";", box->lower[j], box->upper[j]);
  return text;
}

}  // namespace tacit::inline v1

#pragma once

#include <string>
#include <string_view>

#include "tacit/core/api.hpp"

namespace tacit::inline v1 {

// Losses of linear models: f(w; a, y) = φ(⟨a,w⟩, y) with φ convex in its first argument s.
enum class LinkKind {
  squared,         // ½(s−y)²
  huber,           // squared within ±parameter of y, linear outside
  absolute,        // |s−y|
  pinball,         // quantile `parameter`: parameter·(y−s)₊ + (1−parameter)·(s−y)₊
  logistic,        // log(1+e^{−ys}), y = ±1
  hinge,           // (1−ys)₊, y = ±1
  smoothed_hinge,  // hinge with a quadratic corner of width `parameter`, y = ±1
  poisson,         // e^s − y·s, y ≥ 0
};

struct Link {
  LinkKind kind = LinkKind::logistic;
  double parameter = 0;  // huber: > 0; pinball: in (0,1); smoothed_hinge: > 0; else unused
};

// What theorems need to know of a link, as data. Infinity: no bound exists.
struct LinkFacts {
  double slope = 0;                      // sup |φ'|
  double curvature = 0;                  // sup φ''
  bool classification = false;           // y is ±1
  bool slope_scales_with_label = false;  // φ'(0) grows with |y|: squared and Poisson
};

// φ at one point: the value and its first two derivatives in s (at a kink: a subgradient, and 0).
struct LinkPoint {
  double value = 0, first = 0, second = 0;
};

TACIT_API std::string_view name(LinkKind kind);
// "squared", "huber", …; throws UsageError that lists the names. Fills in the default parameter: huber 1,
// pinball ½, smoothed hinge ½.
TACIT_API Link parse_link(std::string_view name);
TACIT_API void validate(const Link& link);
TACIT_API LinkFacts facts(const Link& link);
TACIT_API LinkPoint evaluate(const Link& link, double s, double y);

}  // namespace tacit::inline v1

#include "tacit/domain.hpp"

#include <limits>
#include <utility>

#include "domain/prepared.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace detail {

using Prepared = std::variant<PreparedSpace, PreparedBall, PreparedBox, PreparedEllipsoid, PreparedPolytope>;

class PreparedDomain {
 public:
  explicit PreparedDomain(Prepared made) : set(std::move(made)) {}
  Prepared set;
};

double PreparedSpace::diameter() const { return std::numeric_limits<double>::infinity(); }

namespace {

template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

template <class Entries>
void require_finite(const char* what, const Entries& entries) {
  for (Eigen::Index j = 0; j < entries.cols(); ++j)
    for (Eigen::Index i = 0; i < entries.rows(); ++i)
      if (!(std::abs(entries(i, j)) <= largest_coordinate))
        throw_error<UsageError>("{} has the entry {}, expected a finite number of size at most 2^1000", what,
                                entries(i, j));
}

void require_dimension(Eigen::Index have, Eigen::Index want) {
  if (have != want) throw_error<UsageError>("the domain has dimension {}, expected {}", have, want);
}

// −1: any dimension.
Eigen::Index dimension(const Prepared& set) {
  return std::visit(Overload{[](const PreparedSpace&) { return Eigen::Index{-1}; },
                             [](const auto& known) { return known.dimension(); }},
                    set);
}

void require_point(const Prepared& set, const Vector& x) {
  if (dimension(set) >= 0) require_dimension(dimension(set), x.size());
  require_finite("the point", x);
}

Prepared prepare(const Domain& domain) {
  return std::visit(Overload{[](const WholeSpace&) -> Prepared { return PreparedSpace{}; },
                             [](const Ball& ball) -> Prepared {
                               require_finite("the ball's center", ball.center);
                               return PreparedBall(ball);
                             },
                             [](const Box& box) -> Prepared {
                               require_finite("the box's lower bound", box.lower);
                               require_finite("the box's upper bound", box.upper);
                               return PreparedBox(box);
                             },
                             [](const Ellipsoid& ellipsoid) -> Prepared {
                               require_finite("the ellipsoid's center", ellipsoid.center);
                               require_finite("the ellipsoid's shape", ellipsoid.shape);
                               return PreparedEllipsoid(ellipsoid);
                             },
                             [](const Polytope& polytope) -> Prepared {
                               require_finite("the polytope's matrix", polytope.a);
                               require_finite("the polytope's right-hand side", polytope.b);
                               return PreparedPolytope(polytope);
                             }},
                    domain);
}

}  // namespace
}  // namespace detail

Projector::Projector(const Domain& domain)
    : prepared_(std::make_shared<const detail::PreparedDomain>(detail::prepare(domain))) {}

Projection Projector::operator()(const Vector& x) const {
  detail::require_point(prepared_->set, x);
  return std::visit([&](const auto& set) { return set.project(x); }, prepared_->set);
}

bool Projector::contains(const Vector& x) const {
  detail::require_point(prepared_->set, x);
  return std::visit([&](const auto& set) { return set.contains(x); }, prepared_->set);
}

double Projector::diameter() const {
  return std::visit([](const auto& set) { return set.diameter(); }, prepared_->set);
}

void validate(const Domain& domain, Eigen::Index dimension) {
  const detail::Prepared prepared = detail::prepare(domain);
  if (detail::dimension(prepared) >= 0) detail::require_dimension(detail::dimension(prepared), dimension);
}

double diameter(const Domain& domain) { return Projector(domain).diameter(); }
bool contains(const Domain& domain, const Vector& x) { return Projector(domain).contains(x); }
Projection project(const Domain& domain, const Vector& x) { return Projector(domain)(x); }

}  // namespace tacit::inline v1

#include "tacit/problem.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "solver/kernels.hpp"
#include "solver/output_loss.hpp"

namespace tacit::inline v1 {

namespace {

// Scratch of one thread: h = act(W₁a), z = outputs, and room for the softmax.
struct Room {
  std::vector<double> h, z, more;
  RowRoom row;
};

Room& room_for(const Shape& shape) {
  static thread_local Room room;
  room.h.resize(shape.hidden);
  room.z.resize(shape.outputs);
  room.more.resize(shape.outputs + 1);
  return room;
}

class ProblemLoss {
 public:
  explicit ProblemLoss(const Problem& problem)
      : problem_(&problem), shape_(shape_of(problem)), output_(problem.loss) {}

  const Shape& shape() const { return shape_; }

  double value(const Vector& w, std::size_t record) const {
    Room& room = room_for(shape_);
    forward(w, problem_->data->features.row(record, room.row), room);
    return output_.value(room.z, problem_->data->labels[record]);
  }

  void gradient(const Vector& w, std::size_t record, std::span<double> out) const {
    Room& room = room_for(shape_);
    const RowView row = problem_->data->features.row(record, room.row);
    forward(w, row, room);
    output_.residual(room.z, problem_->data->labels[record], room.more);
    std::ranges::fill(out, 0.0);
    const std::size_t columns = problem_->data->features.columns();
    if (shape_.hidden == 0) {
      for (std::size_t k = 0; k < room.z.size(); ++k)
        kernels::add_scaled(row, room.z[k], out.data() + k * shape_.features, columns, problem_->intercept);
      return;
    }
    // δ₁ = act'·W₂ᵀδ₂; the gradient is δ₁ ⊗ a in W₁ and δ₂ ⊗ (h, 1) in W₂.
    const Network& network = std::get<Network>(problem_->loss);
    const std::size_t hidden = shape_.hidden, second = hidden * shape_.features;
    for (std::size_t u = 0; u < hidden; ++u) {
      double back = 0;
      for (std::size_t k = 0; k < room.z.size(); ++k)
        back += room.z[k] * w[static_cast<Eigen::Index>(second + k * (hidden + 1) + u)];
      back *= slope_from_value(network.activation, room.h[u]);
      if (back != 0)
        kernels::add_scaled(row, back, out.data() + u * shape_.features, columns, problem_->intercept);
    }
    for (std::size_t k = 0; k < room.z.size(); ++k)
      kernels::add_scaled({room.h.data(), nullptr, hidden}, room.z[k], out.data() + second + k * (hidden + 1),
                          hidden, 1);
  }

 private:
  void forward(const Vector& w, const RowView& row, Room& room) const {
    const std::size_t columns = problem_->data->features.columns();
    const auto layer = [&](std::vector<double>& out) {
      for (std::size_t k = 0; k < out.size(); ++k)
        out[k] = kernels::dot(row, w.data() + k * shape_.features, columns, problem_->intercept);
    };
    if (shape_.hidden == 0) return layer(room.z);
    layer(room.h);
    activate(std::get<Network>(problem_->loss).activation, room.h.data(), room.h.size());
    const double* w2 = w.data() + shape_.hidden * shape_.features;
    for (std::size_t k = 0; k < room.z.size(); ++k)
      room.z[k] = kernels::dot({room.h.data(), nullptr, shape_.hidden}, w2 + k * (shape_.hidden + 1),
                               shape_.hidden, 1);
  }

  const Problem* problem_;
  Shape shape_;
  OutputLoss output_;
};

}  // namespace

RecordLoss record_loss(const Problem& problem) {
  const auto loss = std::make_shared<ProblemLoss>(problem);
  return {.records = loss->shape().records,
          .parameters = loss->shape().parameters(),
          .value = [loss](const Vector& w, std::size_t record) { return loss->value(w, record); },
          .gradient = [loss](const Vector& w, std::size_t record,
                             std::span<double> out) { loss->gradient(w, record, out); }};
}

}  // namespace tacit::inline v1

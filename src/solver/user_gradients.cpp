#include "solver/user_gradients.hpp"

#include "solver/batch_blocks.hpp"
#include "solver/clip_factor.hpp"
#include "solver/network_sums.hpp"

namespace tacit::inline v1 {

UserGradients::UserGradients(const std::function<BatchSums()>& make_sums, const UserRecords& users,
                             unsigned workers)
    : users_(&users) {
  for (unsigned k = 0; k < workers; ++k) sums_.push_back(make_sums());
}

void UserGradients::mean(unsigned worker, const Vector& w, std::size_t user, Vector& gradient) {
  const auto records = users_->of(user);
  sums_[worker](w, records, gradient);
  if (!records.empty()) gradient /= static_cast<double>(records.size());
}

namespace {

class UserSums {
 public:
  UserSums(const std::function<BatchSums()>& make_sums, const UserRecords& users, std::size_t parameters,
           const Clip& clip, Weighting weighting, std::size_t cap, unsigned threads)
      : blocks_(parameters, threads),
        gradients_(make_sums, users, blocks_.threads()),
        means_(blocks_.threads()),
        clip_(clip),
        weighting_(weighting),
        cap_(static_cast<double>(cap)) {}

  void operator()(const Vector& w, std::span<const std::uint32_t> batch, Vector& sum) {
    blocks_.sum(batch, sum, [&](const Portion& portion, std::size_t worker, double* partial) {
      Vector& g = means_[worker];
      for (const std::uint32_t user : portion.members) {
        gradients_.mean(static_cast<unsigned>(worker), w, user, g);
        const std::span<double> view(g.data(), static_cast<std::size_t>(g.size()));
        const double norm = norm_up(view);
        scale(view, weighted(clip_factor(clip_, norm, norm), user));
        for (Eigen::Index k = 0; k < g.size(); ++k) partial[k] += g[k];
      }
    });
  }

 private:
  // Never longer than by the factor itself: the share is at most 1, and the product is rounded down.
  double weighted(double factor, std::size_t user) const {
    if (weighting_ == Weighting::user || factor == 0) return factor;
    const double share = std::min(1.0, static_cast<double>(gradients_.users().of(user).size()) / cap_);
    return mul_down(share, factor);
  }

  BatchBlocks blocks_;
  UserGradients gradients_;
  std::vector<Vector> means_;
  Clip clip_;
  Weighting weighting_;
  double cap_;
};

}  // namespace

BatchSums clipped_user_sums(const std::function<BatchSums()>& make_sums, const UserRecords& users,
                            std::size_t parameters, const Clip& clip, Weighting weighting, std::size_t cap,
                            unsigned threads) {
  const auto sums = std::make_shared<UserSums>(make_sums, users, parameters, clip, weighting, cap, threads);
  return
      [sums](const Vector& w, std::span<const std::uint32_t> batch, Vector& sum) { (*sums)(w, batch, sum); };
}

}  // namespace tacit::inline v1

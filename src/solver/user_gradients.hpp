#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "data/users.hpp"
#include "solver/clipped_sums.hpp"
#include "tacit/core.hpp"

// Gradients of whole users: the mean over the records that each of them holds.

namespace tacit::inline v1 {

// How a user's records are combined.
enum class Weighting {
  user,    // their mean: every user counts the same
  record,  // their sum over the cap: a user with half as many records counts half
};

class TACIT_API UserGradients {
 public:
  // `make_sums` makes sums over batches of records that run on one thread; there is one for each worker.
  // `users` must outlive it.
  UserGradients(const std::function<BatchSums()>& make_sums, const UserRecords& users, unsigned workers);

  // The mean of what the user's records contribute at w. Bitwise a function of them and w. A user without
  // records contributes 0. Different workers may run at once.
  void mean(unsigned worker, const Vector& w, std::size_t user, Vector& gradient);

  const UserRecords& users() const { return *users_; }

 private:
  const UserRecords* users_;
  std::vector<BatchSums> sums_;
};

// Sums over batches of users of their means, each clipped as `clip` says: what a user contributes has norm at
// most clip.length, whatever the records hold. `cap` is the number of records that has weight 1 under
// Weighting::record. The arguments that are references must outlive it.
TACIT_API BatchSums clipped_user_sums(const std::function<BatchSums()>& make_sums, const UserRecords& users,
                                      std::size_t parameters, const Clip& clip, Weighting weighting,
                                      std::size_t cap, unsigned threads);

}  // namespace tacit::inline v1

#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "tacit/audit/method.hpp"
#include "tacit/core/api.hpp"
#include "tacit/data/read.hpp"

namespace tacit::inline v1::service {

// What to audit. What comes out is about the method; with a pair of one's own it is about that data too, and
// is not private.
struct AuditOptions {
  std::string method = "limited-objective";
  double epsilon = 1;           // the claim, > 0; infinite: none, for a method that makes none
  std::optional<double> delta;  // for methods whose claim has one; absent: 1e-5
  std::string notion;           // of the guarantee to audit; empty: the one the method usually gives
  std::string loss;             // empty: logistic, or by the target of one's own pair
  std::optional<double> loss_parameter;
  std::optional<std::int64_t> hidden;  // units of a network's hidden layer; absent: 2
  Facts method_options;                // of the method, under their fact names
  std::size_t runs = 0;  // of the black box, on each neighbour; 0: 50000, or 1000 on one's own pair
  double confidence = 0.9999;
  unsigned threads = 0;  // 0: one per core

  // For a pair of one's own.
  std::optional<double>
      row_bound;         // public bound on every row's 2-norm, intercept not counted; or a schema has it
  double intercept = 1;  // value of the constant feature; 0: none
};

// On the built-in pairs.
TACIT_API audit::MethodAudit audit(const AuditOptions& options);

// And on two files that differ in one record: `reading` says how to read both, its path is the first.
TACIT_API audit::MethodAudit audit(const AuditOptions& options, const ReadOptions& reading,
                                   const std::filesystem::path& second);

}  // namespace tacit::inline v1::service

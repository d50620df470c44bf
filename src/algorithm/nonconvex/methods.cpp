#include "algorithm/clipping/dp_sgd.hpp"
#include "algorithm/heavy_tails/options.hpp"
#include "algorithm/nonconvex/o2nc.hpp"
#include "algorithm/rows.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

using nonconvex::Estimate;
using nonconvex::Options;
using nonconvex::Pass;

// What was given and cannot change anything. Only where it is asked for: a certificate states every choice.
void require_effect(const Facts& given) {
  if (given.has("prefix_sums") && given.has("period") && given.integer("period") == 1)
    throw_error<UsageError>("prefix-sums has no effect with period = 1, where every gradient is fresh");
  if (given.has("output") && given.has("averaging") && given.has("steps") &&
      given.integer("averaging") <= given.integer("steps") &&
      given.integer("averaging") > given.integer("steps") / 2)
    throw_error<UsageError>("output has no effect with averaging = {} and steps = {}, which make one block",
                            given.integer("averaging"), given.integer("steps"));
}

template <Pass pass, Estimate estimate>
std::vector<Step> rebuild(const Facts& options, const Facts& assumed_public) {
  const Shape shape = shape_from(assumed_public);
  return nonconvex::plan_o2nc(shape.records, shape.parameters(), Options::from(options, pass, estimate),
                              shape.shards)
      .charged();
}

template <Pass pass, Estimate estimate>
Facts rebuild_options(const Facts& facts, const Facts& assumed_public) {
  const Shape shape = shape_from(assumed_public);
  const Options options = Options::from(facts, pass, estimate);
  return as_stated(
      nonconvex::certified_options(
          nonconvex::plan_o2nc(shape.records, shape.parameters(), options, shape.shards), options),
      facts);
}

constexpr const char* name_of(Pass pass, Estimate estimate) {
  if (estimate == Estimate::gradients) return "o2nc-first";
  return pass == Pass::single ? "o2nc-single" : pass == Pass::multi ? "o2nc-multi" : "o2nc-sampled";
}

template <Pass pass, Estimate estimate>
Method row(const char* summary) {
  return with_options({.name = name_of(pass, estimate),
                       .notions = {Notion::gaussian, Notion::approx},
                       .unit = Unit::item,
                       .paper = "Kornowski24",
                       .summary = summary,
                       .assumes = "nothing",
                       .neighbours = {Neighbours::zero_out, Neighbours::replace_one},
                       .sharded = true,
                       .covers_null = with_any_options,  // a zero gradient is a clipped one
                       .unsuitable = [](const Shape&) { return std::string(); },
                       .fit =
                           [](const Problem& problem, const Facts& options, Meter& meter) {
                             clipping::require_drawn_start(options, problem.loss);
                             require_effect(options);
                             return nonconvex::fit(
                                 name_of(pass, estimate), problem,
                                 Options::from(with_relation(options, meter), pass, estimate), meter);
                           },
                       .rebuild_steps = rebuild<pass, estimate>,
                       .rebuild_options = rebuild_options<pass, estimate>},
                      Options::table(pass, estimate));
}

}  // namespace

Method o2nc_single_method() {
  return row<Pass::single, Estimate::values>(
      "nonsmooth nonconvex losses from their values, each record used once");
}

Method o2nc_multi_method() {
  return row<Pass::multi, Estimate::values>(
      "nonsmooth nonconvex losses from values or gradients, every step over all records");
}

Method o2nc_sampled_method() {
  Method method = row<Pass::sampled, Estimate::values>(
      "nonsmooth nonconvex losses from values or gradients, every step over a random batch");
  method.notions = {Notion::approx};
  method.neighbours = {Neighbours::zero_out};
  method.covers_null = nullptr;  // it has no proof for a replaced record
  return method;
}

Method o2nc_first_method() {
  return row<Pass::single, Estimate::gradients>(
      "nonsmooth nonconvex losses from their gradients, each record used once");
}

}  // namespace tacit::inline v1

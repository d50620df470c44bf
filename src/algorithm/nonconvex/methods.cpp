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

Release fit(const char* method, const Problem& problem, const Facts& options, Pass pass, Estimate estimate,
            Meter& meter) {
  clipping::require_drawn_start(options, problem.loss);
  require_effect(options);
  return nonconvex::fit(method, problem, Options::from(options, pass, estimate), meter);
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
  return nonconvex::certified_options(
      nonconvex::plan_o2nc(shape.records, shape.parameters(), options, shape.shards), options);
}

template <Pass pass, Estimate estimate>
Method row() {
  return with_options({.notions = {Notion::gaussian, Notion::approx},
                       .unit = Unit::item,
                       .paper = "Kornowski24",
                       .assumes = "nothing",
                       .sharded = true,
                       .unsuitable = [](const Shape&) { return std::string(); },
                       .rebuild_steps = rebuild<pass, estimate>,
                       .rebuild_options = rebuild_options<pass, estimate>},
                      Options::table(pass, estimate));
}

}  // namespace

Method o2nc_single_method() {
  Method method = row<Pass::single, Estimate::values>();
  method.name = "o2nc-single";
  method.summary = "nonsmooth nonconvex losses from their values, each record used once";
  method.fit = [](const Problem& problem, const Facts& options, Meter& meter) {
    return fit("o2nc-single", problem, options, Pass::single, Estimate::values, meter);
  };
  return method;
}

Method o2nc_multi_method() {
  Method method = row<Pass::multi, Estimate::values>();
  method.name = "o2nc-multi";
  method.summary = "nonsmooth nonconvex losses from values or gradients, every step over all records";
  method.fit = [](const Problem& problem, const Facts& options, Meter& meter) {
    return fit("o2nc-multi", problem, options, Pass::multi, Estimate::values, meter);
  };
  return method;
}

Method o2nc_sampled_method() {
  Method method = row<Pass::sampled, Estimate::values>();
  method.name = "o2nc-sampled";
  method.notions = {Notion::approx};
  method.neighbours = {Neighbours::zero_out};
  method.summary = "nonsmooth nonconvex losses from values or gradients, every step over a random batch";
  method.fit = [](const Problem& problem, const Facts& options, Meter& meter) {
    return fit("o2nc-sampled", problem, options, Pass::sampled, Estimate::values, meter);
  };
  return method;
}

Method o2nc_first_method() {
  Method method = row<Pass::single, Estimate::gradients>();
  method.name = "o2nc-first";
  method.summary = "nonsmooth nonconvex losses from their gradients, each record used once";
  method.fit = [](const Problem& problem, const Facts& options, Meter& meter) {
    return fit("o2nc-first", problem, options, Pass::single, Estimate::gradients, meter);
  };
  return method;
}

}  // namespace tacit::inline v1

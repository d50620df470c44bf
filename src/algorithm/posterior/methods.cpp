#include <cmath>

#include "algorithm/posterior/asap.hpp"
#include "algorithm/posterior/exact.hpp"
#include "algorithm/posterior/parts.hpp"
#include "algorithm/rows.hpp"
#include "sampler/exact.hpp"

namespace tacit::inline v1 {

namespace {

std::string cannot_sample(const Shape& shape) {
  if (const std::string why = needs_linear_model(shape); !why.empty()) return why;
  return sampler::can_sample(shape.loss) ? "" : "it does not sample poisson";
}

// Chains of several scores a record are not built.
std::string cannot_walk(const Shape& shape) {
  if (const std::string why = cannot_sample(shape); !why.empty()) return why;
  return std::holds_alternative<Softmax>(shape.loss) ? "it does not sample softmax; posterior-exact does"
                                                     : "";
}

// The options that a certificate was planned with.
template <class O>
O certified(const Facts& options, const Facts& assumed_public) {
  return O::from(posterior::with_bounds(options, assumed_public));
}

posterior::Options exact_options(const Facts& options, const Facts& assumed_public) {
  return certified<posterior::Options>(asked_of(options, assumed_public), assumed_public);
}

// A certificate states the prediction, but not whether the rows were encoded; and those of before 0.2 took
// fourth moments for sharp.
posterior::ExactPlan exact_plan(const Facts& options, const Facts& assumed_public) {
  using posterior::FourthMoments;
  const Shape shape = shape_from(assumed_public);
  posterior::Options asked = exact_options(options, assumed_public);
  if (!options.has("predicted_acceptance")) return posterior::plan_exact(shape, asked);
  const double stated = options.number("predicted_acceptance");
  for (const FourthMoments moments : {FourthMoments::blocks, FourthMoments::rows}) {
    asked.moments = moments;
    try {
      posterior::ExactPlan plan = posterior::plan_exact(shape, asked);
      if (std::fabs(plan.acceptance - stated) <= 1e-9 * stated) return plan;
    } catch (const InfeasibleError&) {  // too low a prediction: not the one that was made
    }
  }
  asked.moments = FourthMoments::sharp;
  return posterior::plan_exact(shape, asked);
}

posterior::AsapOptions asap_options(const Facts& options, const Facts& assumed_public) {
  return certified<posterior::AsapOptions>(asked_of(options, assumed_public), assumed_public);
}

posterior::AsapPlan asap_plan(const Facts& options, const Facts& assumed_public) {
  return posterior::plan_asap(shape_from(assumed_public), asap_options(options, assumed_public));
}

std::vector<std::string> count_assumptions(const Facts& options, const Facts& assumed_public) {
  return heavy_tails::count_assumptions(relation_of(options),
                                        static_cast<std::size_t>(assumed_public.integer("records")));
}

}  // namespace

Method posterior_exact_method() {
  return with_options(
      {.name = "posterior-exact",
       .notions = {Notion::pure, Notion::gaussian},
       .unit = Unit::item,
       .paper = "Lin24",
       .summary = "exact samples of the Gibbs posterior of the limited loss, by rejection",
       .assumes = "nothing",
       .neighbours = {Neighbours::zero_out, Neighbours::replace_one, Neighbours::add_remove},
       .sharded = true,
       .covers_null = with_any_options,  // a zero loss has a slope within the limit
       .unsuitable = cannot_sample,
       .fit =
           [](const Problem& problem, const Facts& options, Meter& meter) {
             return posterior::exact(problem, posterior::Options::from(with_relation(options, meter)), meter);
           },
       .rebuild_steps =
           [](const Facts& options, const Facts& assumed_public) {
             return exact_plan(options, assumed_public).steps();
           },
       .rebuild_options =
           [](const Facts& options, const Facts& assumed_public) {
             return as_stated(posterior::certified_options(exact_plan(options, assumed_public),
                                                           exact_options(options, assumed_public)),
                              options);
           },
       .assumptions = count_assumptions},
      posterior::Options::table());
}

Method asap_mala_method() {
  return with_options(
      {.name = "asap-mala",
       .notions = {Notion::pure, Notion::gaussian},
       .unit = Unit::item,
       .paper = "Lin24",
       .summary =
           "posterior samples by Langevin chains and a little noise: the paper's own route, as a reference",
       .assumes = std::string(posterior::mixing_assumption),
       .neighbours = {Neighbours::zero_out, Neighbours::replace_one, Neighbours::add_remove},
       .sharded = true,
       .covers_null = with_any_options,  // a zero loss has a slope within the limit
       .unsuitable = cannot_walk,
       .fit =
           [](const Problem& problem, const Facts& options, Meter& meter) {
             return posterior::asap(problem, posterior::AsapOptions::from(with_relation(options, meter)),
                                    meter);
           },
       .rebuild_steps =
           [](const Facts& options, const Facts& assumed_public) {
             return asap_plan(options, assumed_public).all_steps();
           },
       .rebuild_options =
           [](const Facts& options, const Facts& assumed_public) {
             return as_stated(posterior::certified_options(asap_plan(options, assumed_public),
                                                           asap_options(options, assumed_public)),
                              options);
           },
       .assumptions =
           [](const Facts& options, const Facts& assumed_public) {
             auto all = posterior::asap_assumptions(asap_plan(options, assumed_public),
                                                    asap_options(options, assumed_public));
             for (std::string& each : count_assumptions(options, assumed_public))
               all.push_back(std::move(each));
             return all;
           }},
      posterior::AsapOptions::table());
}

}  // namespace tacit::inline v1

#include "algorithm/clipping/dp_gd.hpp"
#include "algorithm/heavy_tails/options.hpp"
#include "algorithm/rows.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace clipping {

const OptionTable<GdOptions>& GdOptions::table() {
  static const OptionTable<GdOptions> table = {
      budget(&GdOptions::target),
      relation(&GdOptions::neighbours),
      field(&GdOptions::records, "records", between(1, 0x1p53),
            "public number of records, at least as many as there are under zero_out")
          .within_words(">= 1")
          .otherwise("as many as there are, for zero_out and replace_one")
          .uncertified(),
      auto_or_number(&GdOptions::clip_norm, "clip-norm", size_range, "largest length of a record's gradient"),
      field(&GdOptions::steps, "steps", between(1, 1e9), "how often all records are seen"),
      field(&GdOptions::step_length, "step", size_range,
            "step length eta·tau: how far aligned gradients move the parameters")
          .otherwise("2 for classes, 0.5 for numbers"),
      field(&GdOptions::regularisation, "regularisation", at_least(0),
            "strength of the pull towards 0, per record (lambda); with auto it is clipped with each record"),
      choice(&GdOptions::iterate, "iterate", {Iterate::average, Iterate::last, Iterate::random},
             "what is returned: the mean of the second half, or one iterate"),
      field(&GdOptions::radius, "radius", between(0, 1e30),
            "keep the parameters in a ball of this radius; 0: do not")
          .within_words(">= 0"),
      field(&GdOptions::seed, "seed", any(), "of a network's public initial weights"),
      planned("noise"),
      field(&GdOptions::threads, "threads", any(), "").internal().uncertified()};
  return table;
}

void GdOptions::validate() const {
  tacit::validate(target);
  if (!std::holds_alternative<Approx>(target) && !std::holds_alternative<Gaussian>(target))
    throw_error<UsageError>("dp-gd gives Gaussian or approximate privacy, not a {} guarantee",
                            notion(target));
  if (neighbours == Neighbours::add_remove && !records)
    throw_error<UsageError>(
        "add_remove keeps the number of records private: give a public one to divide by (the option "
        "records)");
  table().validate(*this);
}

}  // namespace clipping

Method dp_gd_method() {
  return with_options(
      {.name = "dp-gd",
       .notions = {Notion::gaussian, Notion::approx},
       .unit = Unit::item,
       .paper = "",
       .summary = "gradient descent over all records with clipped gradients and Gaussian noise",
       .assumes = "nothing",
       .neighbours = {Neighbours::zero_out, Neighbours::replace_one, Neighbours::add_remove},
       .weighs = true,
       .sharded = true,
       .covers_null = with_any_options,  // a zero gradient is a clipped one
       .unsuitable = [](const Shape&) { return std::string(); },
       .fit =
           [](const Problem& problem, const Facts& options, Meter& meter) {
             return clipping::dp_gd(problem, clipping::GdOptions::from(with_relation(options, meter)), meter);
           },
       .rebuild_steps =
           [](const Facts& options, const Facts& assumed_public) {
             const auto asked = clipping::GdOptions::from(asked_of(options, assumed_public));
             return std::vector<Step>{clipping::plan_dp_gd(shape_from(assumed_public), asked).release};
           },
       .rebuild_options =
           [](const Facts& facts, const Facts& assumed_public) {
             const auto options = clipping::GdOptions::from(asked_of(facts, assumed_public));
             return clipping::certified_options(clipping::plan_dp_gd(shape_from(assumed_public), options),
                                                options);
           }},
      clipping::GdOptions::table());
}

}  // namespace tacit::inline v1

#include "algorithm/tuning.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::tuning {

const OptionTable<Options>& Options::table() {
  Field<Options> epsilon{.is_flag = false, .is_certified = false};
  epsilon.read = [](Options& o, const Facts& facts) { o.epsilon = facts.number("epsilon"); };
  epsilon.write_budget = [](const Options& o, Facts& facts) { facts.set("epsilon", o.epsilon); };
  Field<Options> settings{.spec = {"settings", OptionKind::text, "METHOD:option=number,…; METHOD:…",
                                   "at least one", "limited-objective at radius 3, 10 and 30"}};
  settings.read = [](Options& o, const Facts& facts) { o.settings = parse_settings(facts.text("settings")); };
  settings.write = [](const Options& o) { return std::optional<FactValue>(settings_text(o.settings)); };
  static const OptionTable<Options> table = {
      epsilon,
      relation(&Options::neighbours),
      field(&Options::records, "records", between(1, 0x1p53),
            "public number of records, at least as many as there are, for zero_out")
          .within_words(">= 1")
          .otherwise("that of the data")
          .uncertified(),
      settings,
      field(&Options::validation, "validation", open(0, 1), "share of the records that score and do not fit"),
      field(&Options::mean_runs, "mean-runs", between(1, 1e6), "mean of the hidden number of runs")
          .otherwise("four for each setting"),
      released("chosen"),
      released("noisy_score")};
  return table;
}

void Options::validate() const {
  tacit::validate(Guarantee(Pure{epsilon}));
  if (settings.empty()) throw_error<UsageError>("there are no settings to choose from");
  if (neighbours == Neighbours::add_remove)
    throw_error<UsageError>(
        "tuned divides by the public number of records, so it protects zero_out or replace_one");
  for (std::size_t k = 0; k < settings.size(); ++k)
    if (!protects(find_method(settings[k].method), neighbours))
      throw_error<UsageError>(
          "setting {}, {}: the method does not protect {} neighbours; all settings must protect the same",
          k + 1, settings[k].method, name(neighbours));
  table().validate(*this);
}

Options Options::from(const Facts& facts) {
  Facts all = facts;
  all.set("settings", asked_settings(facts));
  if (!facts.has("mean_runs"))
    all.set("mean_runs", 4 * static_cast<double>(parse_settings(all.text("settings")).size()));
  Options options = table().read(all);
  for (const auto& [key, value] : facts.entries())
    if (key == "threads" || key == "row_norm_bound" || key == "label_bound") options.common.set(key, value);
  return options;
}

}  // namespace tacit::inline v1::tuning

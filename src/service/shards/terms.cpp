#include "service/shards/terms.hpp"

namespace tacit::inline v1::service {

namespace {

template <class T>
void put_if_given(MessageWriter& message, const std::optional<T>& value) {
  message.put(value.has_value()).put(value.value_or(T{}));
}

template <class T>
std::optional<T> get_if_given(MessageReader& message) {
  const bool given = message.get<bool>();
  const T value = message.get<T>();
  return given ? std::optional(value) : std::nullopt;
}

std::optional<double> label_bound_of(const FitOptions& options) {
  const Facts& facts = options.method_options;
  return facts.has("label_bound") ? std::optional(facts.number("label_bound")) : std::nullopt;
}

}  // namespace

void put(MessageWriter& message, const ReadTerms& terms) {
  const FitOptions& options = terms.options;
  message.put(std::string_view(options.loss));
  put_if_given(message, options.loss_parameter);
  put_if_given(message, options.hidden);
  message.put(options.intercept).put(options.encoder).put(options.target_log1p);
  put_if_given(message, options.target_min);
  put_if_given(message, options.target_max);
  put_if_given(message, label_bound_of(options));
  put_if_given(message, terms.knots.records);
  put_if_given(message, terms.knots.epsilon);
  message.put(terms.files).put(terms.without_columns);
}

ReadTerms get_terms(MessageReader& message) {
  ReadTerms terms;
  FitOptions& options = terms.options;
  options.loss = std::string(message.text());
  options.loss_parameter = get_if_given<double>(message);
  options.hidden = get_if_given<std::int64_t>(message);
  options.intercept = message.get<double>();
  options.encoder = message.get<EncoderRule>();
  options.target_log1p = message.get<bool>();
  options.target_min = get_if_given<double>(message);
  options.target_max = get_if_given<double>(message);
  if (const auto bound = get_if_given<double>(message)) options.method_options.set("label_bound", *bound);
  terms.knots.records = get_if_given<std::size_t>(message);
  terms.knots.epsilon = get_if_given<double>(message);
  terms.files = message.get<std::uint64_t>();
  terms.without_columns = message.get<bool>();
  return terms;
}

}  // namespace tacit::inline v1::service

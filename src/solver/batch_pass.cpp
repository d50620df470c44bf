#include "solver/batch_pass.hpp"

#include "noise/poisson_gaussian.hpp"

namespace tacit::inline v1 {

void BatchPass::answer(MessageReader& question, MessageWriter& answer) {
  const auto rate = question.get<double>();
  const Vector w = question.vector();
  noise::poisson_batch(units_, rate, *bits_, batch_);
  sums_(w, batch_, sum_);
  answer.put(sum_);
}

MessageWriter& put(MessageWriter& message, const Clip& clip) {
  return message.put(clip.length).put(clip.norm).put(clip.threshold).put(clip.limited);
}

Clip get_clip(MessageReader& message) {
  return {.length = message.get<double>(),
          .norm = message.get<double>(),
          .threshold = message.get<double>(),
          .limited = message.get<bool>()};
}

std::shared_ptr<const RemoteBatches> remote_clipped_sums(const Problem& problem, const Clip& clip) {
  MessageWriter settings;
  put(settings, clip);
  return std::make_shared<const RemoteBatches>(problem, "clipped sums", settings);
}

PassKind clipped_sums_pass() {
  return {
      "clipped sums", [](const ShardRecords& records, MessageReader& settings) {
        const Problem& problem = *records.problem;
        return std::unique_ptr<ShardPass>(std::make_unique<BatchPass>(
            clipped_sums(problem, get_clip(settings), records.threads), problem.data->size(), *records.bits));
      }};
}

}  // namespace tacit::inline v1

#include "core/shards.hpp"

#include <exception>
#include <new>

namespace tacit::inline v1 {

namespace {

// An answer begins with one of these.
enum class Outcome : std::uint8_t { done, usage, data, not_found, interrupted, other };

Outcome outcome_of(const std::exception_ptr& failure, std::string& what) {
  try {
    std::rethrow_exception(failure);
  } catch (const UsageError& error) {
    what = error.what();
    return Outcome::usage;
  } catch (const DataError& error) {
    what = error.what();
    return Outcome::data;
  } catch (const NotFoundError& error) {
    what = error.what();
    return Outcome::not_found;
  } catch (const Interrupted& error) {
    what = error.what();
    return Outcome::interrupted;
  } catch (const std::bad_alloc&) {
    what = "out of memory";
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
    what = "an unknown failure";
  }
  return Outcome::other;
}

[[noreturn]] void throw_outcome(Outcome outcome, const std::string& what) {
  switch (outcome) {
    case Outcome::usage:
      throw UsageError(what);
    case Outcome::data:
      throw DataError(what);
    case Outcome::not_found:
      throw NotFoundError(what);
    case Outcome::interrupted:
      throw Interrupted(what);
    default:
      throw Error(what);
  }
}

}  // namespace

void Shards::ask(const MessageWriter& question, const Take& take) {
  if (failed_) throw_error<Error>("a shard has failed; nothing more is asked of the others");
  MessageWriter whole;
  whole.put(forgotten_.size());
  for (const std::uint64_t number : forgotten_) whole.put(number);
  forgotten_.clear();
  failed_ = true;  // until all have answered
  // All answers are heard before a failure is thrown: nobody is left with one that was not asked for.
  std::exception_ptr failure;
  carry(whole.text() + question.text(), [&](std::size_t shard, std::string_view text) {
    if (failure) return;
    try {
      MessageReader answer(text);
      if (const auto outcome = answer.get<Outcome>(); outcome != Outcome::done)
        throw_outcome(outcome, fmt::format("{}: {}", name_of(shard), answer.text()));
      take(shard, answer);
    } catch (...) {
      failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
  failed_ = false;
}

std::string answer_with(const std::function<void(MessageWriter& answer)>& work) {
  try {
    MessageWriter answer;
    answer.put(Outcome::done);
    work(answer);
    return answer.text();
  } catch (...) {
    std::string what;
    MessageWriter answer;
    answer.put(outcome_of(std::current_exception(), what));
    answer.put(std::string_view(what));
    return answer.text();
  }
}

std::vector<std::uint64_t> take_forgotten(MessageReader& question) {
  std::vector<std::uint64_t> numbers(question.get<std::size_t>());
  for (std::uint64_t& number : numbers) number = question.get<std::uint64_t>();
  return numbers;
}

}  // namespace tacit::inline v1

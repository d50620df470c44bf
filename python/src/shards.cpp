#include <pybind11/stl.h>

#include <memory>

#include "bindings.hpp"
#include "fit_options.hpp"
#include "interruptible.hpp"
#include "records.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"

// Records that other processes hold, wherever Python has them: questions and answers are bytes.

namespace tacit::python {

namespace py = pybind11;

namespace {

// A Python error as one of ours, so that it can be told without the interpreter's lock.
template <class E = Error>
[[noreturn]] void rethrow(const py::error_already_set& error) {
  throw_error<E>("{}", std::string(py::str(error.value())));
}

// `ask` takes a question and returns all answers, in the order of the shards.
FittedModel fit_shards(const Schema& schema, std::size_t shards, const py::function& ask,
                       const py::dict& settings, const std::vector<std::string>& assumptions,
                       const py::function& tell) {
  service::FitOptions options = fit_options(settings, true);
  options.assumptions = assumptions;
  const service::AskShards asked = [&](const std::string& question) {
    const py::gil_scoped_acquire lock;
    std::vector<std::string> answers;
    try {
      for (const py::handle answer : ask(py::bytes(question)))
        answers.push_back(std::string(answer.cast<py::bytes>()));
    } catch (const py::error_already_set& error) {
      rethrow(error);
    }
    return answers;
  };
  return interruptible([&] { return service::fit_shards(schema, shards, asked, options); },
                       [&](const std::string& text) { tell(text); });
}

// `encode` makes Records of a schema with knots.
service::MemoryShard memory_shard(const Schema& schema, std::size_t records, const py::function& encode,
                                  unsigned threads) {
  // May be let go on any thread.
  const std::shared_ptr<py::function> held(new py::function(encode), [](py::function* function) {
    const py::gil_scoped_acquire lock;
    delete function;
  });
  return {schema, records,
          [held](const Schema& settled) {
            const py::gil_scoped_acquire lock;
            try {
              return std::move((*held)(settled).cast<Records&>().read);
            } catch (const py::error_already_set& error) {
              if (error.matches(py::module_::import("tacit.errors").attr("UsageError")))
                rethrow<UsageError>(error);
              rethrow<DataError>(error);
            }
          },
          threads};
}

py::bytes answer(service::MemoryShard& shard, const py::bytes& question) {
  const std::string asked = question;
  std::string answered;
  {
    const py::gil_scoped_release unlocked;
    answered = shard.answer(asked);
  }
  return answered;
}

}  // namespace

void bind_shards(py::module_& module) {
  module.def("fit_shards", &fit_shards);
  py::class_<service::MemoryShard>(module, "Shard").def(py::init(&memory_shard)).def("answer", &answer);
}

}  // namespace tacit::python

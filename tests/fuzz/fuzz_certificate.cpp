#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include "../support/edits.hpp"
#include "fuzz.hpp"
#include "model/digest.hpp"
#include "tacit/method.hpp"
#include "tacit/verify.hpp"

// Somebody edits a true model, leaf by leaf, and seals it again. What is still accepted must not promise more
// than the true one did: no number of a guarantee is smaller, and none is for others (support/edits.hpp).

namespace {

using namespace tacit;

// Folders with models, `:` between them.
std::vector<std::filesystem::path> paths_of_models() {
  const char* told = std::getenv("TACIT_FUZZ_MODELS");
  std::stringstream folders(told != nullptr ? told : TACIT_OLD_MODELS);
  std::vector<std::filesystem::path> paths;
  for (std::string folder; std::getline(folders, folder, ':');)
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".json") paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

std::vector<Json> true_models() {
  std::vector<Json> models;
  std::set<std::string> seen;
  for (const std::filesystem::path& path : paths_of_models()) {
    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    try {
      seen.insert(verify_model(text, path.string()).model.certificate.method);
      models.push_back(Json::parse(text));
    } catch (const Error&) {
      continue;  // a schema, or a model that promises nothing
    }
  }
  for (const Method& method : methods())
    if (!seen.contains(method.name) && method.notions.front() != Notion::none)
      fuzz::finding("no true model of the method " + method.name + " to begin with");
  return models;
}

const std::vector<Json>& models() {
  static const std::vector<Json> found = true_models();
  return found;
}

}  // namespace

// Before the first input, which must not wait for all models to be verified.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  models();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  testing::Bytes bytes{data, size};
  const Json& original = models()[bytes.take<std::uint8_t>() % models().size()];
  const Json model = testing::edited(original, bytes);
  fuzz::try_it([&] {
    verify_model(layout(model), "model");
    if (testing::promises_more(model, original))
      fuzz::finding("accepted, and promises more than the true model");
  });
  return 0;
}

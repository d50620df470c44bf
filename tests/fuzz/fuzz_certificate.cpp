#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include "fuzz.hpp"
#include "model/digest.hpp"
#include "tacit/method.hpp"
#include "tacit/verify.hpp"

// Somebody edits a true model, leaf by leaf, and seals it again. What is still accepted must not promise more
// than the true one did: no number of its guarantee is smaller.

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

void collect(Json& json, std::vector<Json*>& leaves) {
  if (json.is_structured())
    for (Json& part : json) collect(part, leaves);
  else
    leaves.push_back(&json);
}

// Takes bytes off the front; zeros when there are no more.
struct Bytes {
  const std::uint8_t* at;
  std::size_t left;
  template <class Number>
  Number take() {
    Number result{};
    const std::size_t size = std::min(sizeof result, left);
    std::memcpy(&result, at, size);
    at += size;
    left -= size;
    return result;
  }
};

void edit(Json& leaf, Bytes& bytes) {
  switch (bytes.take<std::uint8_t>() % 6) {
    case 0:
      leaf = bytes.take<double>();
      break;
    case 1:
      leaf = bytes.take<std::int64_t>();
      break;
    case 2:
      if (leaf.is_number()) leaf = leaf.get<double>() * (1 + bytes.take<std::int8_t>() / 128.0);
      break;
    case 3:
      if (leaf.is_number_integer()) leaf = leaf.get<std::int64_t>() + bytes.take<std::int8_t>();
      break;
    case 4:
      leaf = nullptr;
      break;
    default:
      leaf = std::string(bytes.take<std::uint8_t>() % 8,
                         static_cast<char>(bytes.take<std::uint8_t>() % 96 + 32));
  }
}

bool promises_more(const Json& model, const Json& original) {
  const Json &now = model["certificate"]["guarantee"], &before = original["certificate"]["guarantee"];
  for (const auto& [key, value] : before.items())
    if (value.is_number() && (!now.contains(key) || !(now[key].get<double>() >= value.get<double>())))
      return true;
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Json> models = true_models();
  Bytes bytes{data, size};
  const Json& original = models[bytes.take<std::uint8_t>() % models.size()];
  Json model = original;
  std::vector<Json*> leaves;
  collect(model, leaves);
  while (bytes.left > 0) edit(*leaves[bytes.take<std::uint16_t>() % leaves.size()], bytes);
  model["digest"] = sha256(sealed_bytes(model));
  fuzz::try_it([&] {
    verify_model(layout(model), "model");
    if (promises_more(model, original)) fuzz::finding("accepted, and promises more than the true model");
  });
  return 0;
}

#include <algorithm>

#include "model/json.hpp"
#include "privacy/assumptions.hpp"
#include "tacit/core.hpp"
#include "tacit/method.hpp"
#include "tacit/model.hpp"
#include "tacit/service.hpp"
#include "tacit/verify.hpp"

namespace tacit::inline v1::service {

namespace {

// Format 1 had sentences without a fact that leads to them.
void add_missing_facts(Certificate& certificate) {
  for (const ReadOff what : {ReadOff::target_kind, ReadOff::header}) {
    Certificate alone;
    assume_public(what, alone);
    const auto stated = std::ranges::find(certificate.assumptions, alone.assumptions.front());
    if (stated == certificate.assumptions.end() ||
        certificate.assumed_public.has(alone.assumed_public.entries().front().first))
      continue;
    certificate.assumptions.erase(stated);
    assume_public(what, certificate);
  }
}

}  // namespace

bool upgrade_model(const std::filesystem::path& path) {
  const std::string text = read_file(path), source = path.string();
  const Json json = parse_json(text, source);
  static_cast<void>(parse_model(text, source));  // which says what is wrong with a file that is none
  if (count(json, "version") >= model_format_version) return false;
  if (json.contains("signature"))
    throw_error<UsageError>(
        "{}: the file is signed, and the signature would not hold for an upgraded one; tacit still reads it "
        "as it is",
        source);
  FittedModel model = verify_model(text, source).model;
  Certificate& certificate = model.certificate;
  const Method& method = find_method(certificate.method);
  // Format 1 left the relation out where a method had but one.
  if (method.neighbours.size() > 1 && !certificate.options.has("neighbours"))
    certificate.options.set("neighbours", std::string(name(certificate.neighbours)));
  certificate.steps = method.rebuild_steps(certificate.options, certificate.assumed_public);
  certificate.replaced.reset();
  add_missing_facts(certificate);
  const std::string upgraded = model_to_json(model);
  verify_model(upgraded, source);
  write_file_atomically(path, upgraded);
  return true;
}

}  // namespace tacit::inline v1::service

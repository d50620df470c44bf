#include "tacit/service/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report_sections.hpp"
#include "tacit/core/error.hpp"
#include "tacit/core/files.hpp"
#include "tacit/core/version.hpp"
#include "tacit/model/format.hpp"
#include "tacit/service/use.hpp"

namespace tacit::inline v1::service {

namespace {

struct Verdict {
  FittedModel model;
  SignatureState signature = SignatureState::absent;
  std::string failure;
};

Verdict judge(const std::filesystem::path& path, const std::filesystem::path& key) {
  FittedModel model = load_model(path);
  try {
    Verification verification = verify(path, key);
    return {std::move(verification.model), verification.signature, ""};
  } catch (const VerificationError& error) {
    std::string why = error.what();
    const std::string prefix = path.string() + ": ";  // a page is read elsewhere, where the path says nothing
    if (why.starts_with(prefix)) why.erase(0, prefix.size());
    return {std::move(model), SignatureState::present_unchecked, why};
  }
}

std::string verdict_html(const Verdict& verdict) {
  const Certificate& c = verdict.model.certificate;
  if (verdict.failure.empty())
    return fmt::format("<strong>The promise holds.</strong> {}",
                       html::text(describe(c.guarantee, c.unit, c.neighbours)));
  return fmt::format("<strong>Nothing is promised about this model.</strong> {}.",
                     html::text(verdict.failure));
}

std::string_view signature_words(SignatureState state) {
  switch (state) {
    case SignatureState::absent:
      return "The file is not signed: whoever can write it can state another, consistent run.";
    case SignatureState::present_unchecked:
      return "The file may carry a signature, which was not checked for this page.";
    case SignatureState::valid:
      break;
  }
  return "The file's signature was checked against the public key that was given, and holds.";
}

html::Section verify_section(const Verdict& verdict, const std::string& file, const std::string& digest) {
  const Certificate& c = verdict.model.certificate;
  std::string body =
      "<p>This page can be edited like any other. What counts is the model file. Whoever has it can repeat "
      "the "
      "check, without the data:</p>\n";
  body += fmt::format("<pre><code>tacit verify {0}\ntacit report {0} --output report.html</code></pre>\n",
                      html::text(file));
  body +=
      "<p>It rebuilds the steps that the method must take from the public options, compares them with those "
      "recorded, recomputes the guarantee and looks whether the parameters lie on their grid.</p>\n";
  body += fmt::format("<p>{}</p>\n", signature_words(verdict.signature));
  body += html::table({.caption = "The file this page was made from",
                       .headers = {"What", "Value"},
                       .rows = {{"Digest", "<code>" + html::text(digest) + "</code>"},
                                {"Method", html::text(c.method)},
                                {"Fitted with", html::text("tacit " + c.version)},
                                {"Checked with", html::text(fmt::format("tacit {}", tacit::version))},
                                {"Random bits", html::text(c.bit_source)}}},
                      "Facts of the model file");
  return {"verify", "Check it again", body};
}

}  // namespace

Report report(const std::filesystem::path& model, const std::filesystem::path& public_key) {
  const Verdict verdict = judge(model, public_key);
  const Certificate& certificate = verdict.model.certificate;
  std::vector<html::Section> sections;
  if (verdict.failure.empty()) {
    std::vector<Event> events;
    for (const Step& step : certificate.steps) events.push_back(step.event);
    const std::vector<ProfilePoint> profile = privacy_profile(events, certificate.guarantee);
    sections.push_back(promise_section(certificate));
    sections.push_back(attacker_section(certificate, profile));
    sections.push_back(curve_section(certificate, profile));
    sections.push_back(steps_section(certificate));
    sections.push_back(assumptions_section(certificate));
  }
  const std::string file = model.filename().string();
  const std::string digest = nlohmann::json::parse(read_file(model)).value("digest", "");
  sections.push_back(model_section(verdict.model));
  sections.push_back(verify_section(verdict, file, digest));
  std::string footer = "<p>Made by tacit from the model file alone.";
  if (verdict.failure.empty())
    footer += " Everything on this page is public or was released under the promise above.";
  return {html::page("Privacy report: " + file, verdict_html(verdict), verdict.failure.empty(), sections,
                     footer + "</p>\n"),
          verdict.failure};
}

}  // namespace tacit::inline v1::service

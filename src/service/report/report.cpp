#include "tacit/service.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/utf8.hpp"
#include "model/json.hpp"
#include "model/statement.hpp"
#include "model/verify_parts.hpp"
#include "service/report/report_sections.hpp"
#include "tacit/core.hpp"
#include "tacit/model.hpp"
#include "tacit/verify.hpp"
#include "tacit/version.hpp"

namespace tacit::inline v1::service {

std::optional<FittedModel> model_if_whole(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  FittedModel model = parse_model(text, path.string());
  try {
    require_digest(text, path.string());
    check_features_of_schema(model);  // else its curves would be other columns'
  } catch (const DataError&) {
    return std::nullopt;
  } catch (const VerificationError&) {
    return std::nullopt;
  }
  return model;
}

std::string_view name(SignatureState state) {
  switch (state) {
    case SignatureState::absent:
      return "none";
    case SignatureState::present_unchecked:
      return "not checked";
    case SignatureState::valid:
      break;
  }
  return "valid";
}

std::string shell_word(const std::string& name) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+:@%-";
  std::string word = name.starts_with('-') ? "./" + name : name;
  if (word.find_first_not_of(plain) == std::string::npos) return word;
  for (std::size_t at = word.find('\''); at != std::string::npos; at = word.find('\'', at + 4))
    word.replace(at, 1, R"('\'')");
  return "'" + word + "'";
}

std::string unchecked_html(const std::string& names, const std::string& file) {
  return fmt::format(
      "<strong>The signature of {} was not checked:</strong> anyone who can write a file can state another "
      "run and keep an old signature. Check it with the public key, which its owner gives you by another way "
      "than the file: <code>tacit verify {} --key PUBLIC.pem</code>. For what is stated: ",
      names, html::text(shell_word(file)));
}

namespace {

struct Verdict {
  FittedModel model;
  std::string failure;
  SignatureState signature = SignatureState::absent;  // where there is no failure
};

bool is_unchecked(const Verdict& verdict) {
  return verdict.failure.empty() && verdict.signature == SignatureState::present_unchecked;
}

Verdict judge(const std::filesystem::path& path, const std::filesystem::path& key) {
  try {
    Verification verification = verify(path, key);
    return {std::move(verification.model), "", verification.signature};
  } catch (const VerificationError& error) {
    std::optional<FittedModel> model = model_if_whole(path);
    if (!model) throw;  // nothing in it is what tacit wrote
    std::string why = error.what();
    const std::string prefix = path.string() + ": ";  // a page is read elsewhere, where the path says nothing
    if (why.starts_with(prefix)) why.erase(0, prefix.size());
    return {*std::move(model), why};
  }
}

std::string as_sentence(std::string why) {
  constexpr std::string_view said_already = "not private: ";
  if (why.starts_with(said_already)) why.erase(0, said_already.size());
  if (!why.empty() && why.front() >= 'a' && why.front() <= 'z')
    why.front() = static_cast<char>(why.front() - 'a' + 'A');
  return why + ".";
}

std::string verdict_html(const Verdict& verdict, const std::string& file) {
  const Certificate& c = verdict.model.certificate;
  if (!verdict.failure.empty())
    return fmt::format("<strong>Nothing is promised about this model.</strong> {}",
                       html::text(as_sentence(verdict.failure)));
  const std::string unchecked = is_unchecked(verdict) ? unchecked_html("this file", file) : "";
  const std::string promise = html::text(describe(c));
  const std::vector<std::string> assumed = told_assumptions(c);
  if (assumed.empty()) return unchecked + "<strong>The promise holds.</strong> " + promise;
  std::string box =
      unchecked +
      "<strong>The promise holds if all of this is true; otherwise nothing is promised:</strong>\n<ul>\n";
  for (const std::string& assumption : assumed) box += "<li>" + html::name(assumption) + "</li>\n";
  return box + "</ul>\n" + promise;
}

std::string_view footer_html(const Verdict& verdict) {
  if (!verdict.failure.empty()) return "<p>Made by tacit from the model file alone.</p>\n";
  if (told_assumptions(verdict.model.certificate).empty())
    return "<p>Made by tacit from the model file alone. Everything on this page is public or was released "
           "under "
           "the promise above.</p>\n";
  return "<p>Made by tacit from the model file alone. What the box above assumes to be public was not "
         "released "
         "under the promise; everything else on this page is public or was.</p>\n";
}

std::string_view signature_words(std::string_view model, const std::filesystem::path& key) {
  try {
    const std::string pem = key.empty() ? "" : read_file(key);
    switch (signature_state(model, "", key.empty() ? std::nullopt : std::optional<std::string_view>(pem))) {
      case SignatureState::absent:
        return key.empty()
                   ? "The file is not signed: anyone who can write it can state another, consistent run."
                   : "The file is not signed, so there was nothing to check with the public key that was "
                     "given: anyone who can write the file can state another, consistent run.";
      case SignatureState::present_unchecked:
        return "The file carries a signature, which was not checked for this page: it may be an old one, of "
               "another file.";
      case SignatureState::valid:
        break;
    }
    return "The file's signature was checked against the public key that was given, and holds.";
  } catch (const VerificationError&) {
    return "The file's signature was checked against the public key that was given, and does not hold: the "
           "owner of that key did not sign this file.";
  }
}

html::Section verify_section(const Verdict& verdict, const std::string& file, const std::string& digest,
                             std::string_view signature) {
  const Certificate& c = verdict.model.certificate;
  std::string body =
      "<p>This page can be edited like any other. What counts is the model file. Anyone who has it can "
      "repeat the check, without the data:</p>\n";
  body += fmt::format("<pre><code>tacit verify {0}\ntacit report {0} --output report.html</code></pre>\n",
                      html::text(shell_word(file)));
  body +=
      "<p>It rebuilds the steps that the method must take from the public options, compares them with those "
      "recorded, recomputes the guarantee and looks whether the parameters lie on their grid.</p>\n";
  body += fmt::format("<p>{}</p>\n", signature);
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

std::string report_json(const Verdict& verdict) {
  using Json = nlohmann::ordered_json;
  Json json{{"holds", verdict.failure.empty()},
            {"failure", verdict.failure.empty() ? Json() : Json(verdict.failure)}};
  if (verdict.failure.empty()) json["signature"] = name(verdict.signature);
  json.update(Json::parse(summary_json(verdict.model.certificate)));
  json.update(Json::parse(curves_json(verdict.model)));
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Report report(const std::filesystem::path& model, const std::filesystem::path& public_key) {
  if (is_statement(parse_json(read_file(model), model.string()))) {  // a page about that one file
    Report page = project_report({.files = {model}, .public_key = public_key});
    if (const std::string prefix = model.filename().string() + ": "; page.failure.starts_with(prefix))
      page.failure.erase(0, prefix.size());
    return page;
  }
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
  const std::string text = read_file(model);
  const std::string digest = nlohmann::json::parse(text).value("digest", "");
  if (auto columns = columns_section(verdict.model)) sections.push_back(std::move(*columns));
  sections.push_back(model_section(verdict.model));
  sections.push_back(verify_section(verdict, file, digest, signature_words(text, public_key)));
  const std::vector<std::string> assumed = told_assumptions(certificate);
  const html::Tone tone = !verdict.failure.empty()                    ? html::Tone::bad
                          : assumed.empty() && !is_unchecked(verdict) ? html::Tone::good
                                                                      : html::Tone::conditional;
  return {.page = html::page("Privacy report: " + file, verdict_html(verdict, file), tone, sections,
                             footer_html(verdict)),
          .json = report_json(verdict),
          .failure = verdict.failure,
          .assumptions = assumed,
          .unchecked = is_unchecked(verdict) ? visible(file) : ""};
}

}  // namespace tacit::inline v1::service

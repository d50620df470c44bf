#include <memory>

#include "command.hpp"
#include "tacit/core.hpp"
#include "tacit/model.hpp"
#include "tacit/service.hpp"
#include "tacit/statistics.hpp"
#include "tacit/verify.hpp"

namespace tacit::cli {

namespace {

struct VerifyFlags {
  std::string model, key;
  bool json = false;
};

std::string as_text(const service::VerifiedFile& verification) {
  const Certificate& c = verification.certificate;
  std::string text = "private: " + summary_text(c);
  text += fmt::format("Rebuilt and compared: {} step{} of {}.\n", c.steps.size(),
                      c.steps.size() == 1 ? "" : "s", c.method);
  switch (verification.signature) {
    case SignatureState::absent:
      return text +
             "Not signed: anyone who can write the file can state anything; --sign, where the file is made, "
             "ties it to a key.\n";
    case SignatureState::present_unchecked:
      return text +
             "The signature was not checked: anyone who can write the file can state anything and keep an "
             "old "
             "signature. Check it with --key PUBLIC, the signer's public key.\n";
    case SignatureState::valid:
      return text + "The signature holds.\n";
  }
  return text;
}

void run(const VerifyFlags& flags) {
  const auto print_reason = [&](const Error& error) {
    if (flags.json) print(nlohmann::ordered_json{{"private", false}, {"reason", error.what()}});
  };
  try {
    const service::VerifiedFile verification = service::verify_file(flags.model, flags.key);
    if (!flags.json) return print(as_text(verification));
    auto json = nlohmann::ordered_json::parse(summary_json(verification.certificate));
    json["signature"] = service::name(verification.signature);
    print(json);
  } catch (const VerificationError& error) {
    print_reason(error);
    throw;
  } catch (const DataError& error) {
    print_reason(error);
    throw;
  }
}

}  // namespace

void add_verify(Command& tool) {
  auto flags = std::make_shared<VerifyFlags>();
  Command command = tool.add_command(
      "verify",
      "check that the guarantee of a model, schema, description or evaluation holds; fails with the reason "
      "when it does not",
      "tacit verify model.json --key publisher.pub.pem");
  command
      ->add_option("MODEL", flags->model,
                   "what `tacit fit`, `schema --epsilon`, `describe` or `evaluate --epsilon` wrote")
      ->required();
  command->add_option("--key", flags->key, "check the signature with this Ed25519 public key (PEM)");
  command->add_flag("--json", flags->json, "the verdict as JSON");
  command->callback([flags] { run(*flags); });
}

}  // namespace tacit::cli

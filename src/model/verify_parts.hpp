#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/json.hpp"
#include "tacit/core.hpp"
#include "tacit/meter.hpp"
#include "tacit/model.hpp"
#include "tacit/verify.hpp"

// Checks that every file with a certificate must pass, whatever it holds. Each throws VerificationError.

namespace tacit::inline v1 {

// Calls `check`, and names the file in what it throws. Numbers that no plan takes, in whatever is worked out
// from them, are the file's fault, not that of the command.
template <class Check>
void judging(std::string_view source, const Check& check) {
  try {
    check();
  } catch (const VerificationError& error) {
    throw_error<VerificationError>("{}: {}", source, error.what());
  } catch (const DataError& error) {
    throw_error<DataError>("{}: {}", source, error.what());
  } catch (const UsageError& error) {
    throw_error<VerificationError>("{}: its numbers belong to no release: {}", source, error.what());
  } catch (const InfeasibleError& error) {
    throw_error<VerificationError>("{}: its numbers belong to no release: {}", source, error.what());
  } catch (const BudgetError& error) {
    throw_error<VerificationError>("{}: its numbers belong to no release: {}", source, error.what());
  }
}

// Real random bits, nobody looked inside, and something was promised.
void check_source_of_privacy(const Certificate& certificate);

// The step alone, without those within it.
Step flat(Step step);

// Tree against tree. `number` leads to the steps: "2." for those within the second.
void check_steps(const std::vector<Step>& recorded, const std::vector<Step>& rebuilt, std::string_view whose,
                 const std::string& number = "");

// The steps give the guarantee that is stated; and what is stated for a replaced unit, which model files of
// version 1 do not have.
void check_guarantee(const Certificate& certificate, const std::vector<Step>& steps,
                     bool states_replaced = true);

// The first feature, as the data or the schema (`whose`) makes it, that is not the one that the model was
// fitted with, in words; empty: all are. Knots may differ in the last digits, which are those of a C library.
std::string other_feature(std::string_view whose, const std::vector<std::string>& made,
                          const std::vector<std::string>& fitted);

// The features that the model's schema makes are the model's, in their order. A digest does not tell: it
// takes the members of an object in the order of their keys, but columns have their parameters in the
// schema's.
void check_features_of_schema(const FittedModel& model);

void check_digest(const Json& json);
SignatureState check_signature(const Json& json, std::optional<std::string_view> key);
// What it throws names the file. UsageError is for the key.
SignatureState check_signature_of(const Json& json, std::string_view source,
                                  std::optional<std::string_view> key);

}  // namespace tacit::inline v1

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithm/statistics/answers.hpp"
#include "algorithm/statistics/describe.hpp"
#include "algorithm/statistics/private_schema.hpp"
#include "algorithm/statistics/score.hpp"
#include "model/json.hpp"
#include "tacit/core.hpp"
#include "tacit/meter.hpp"

// A statement: statistics that were released, with the noisy answers that they were made of and a
// certificate. Every number in it is a function of the answers and of public values, and `verify` computes it
// again.

namespace tacit::inline v1 {

using ReleasedNumbers = std::vector<std::vector<double>>;
using ReleasedTexts = std::vector<std::vector<std::string>>;

// What a description says, from its certificate's options and facts, the schema and the answers. With records
// to release, without them (nullptr) to plan or to verify. The records of a group all have the same in its
// column, which is not asked about; empty: everybody's.
Json description_content(const Schema& schema, const std::string& group_column,
                         const statistics::DescribeOptions& options, std::optional<std::size_t> units,
                         const statistics::Table* table, statistics::Answers& answers);

// A description whose schema was found on the way, with a part of its guarantee [docs/describe.md].
inline constexpr std::string_view described_step = "description";
struct DescriptionSplit {
  Guarantee ranges, rest;  // Pure, or Approx
};
// What it says beside: what each part cost, why columns are left out, what the noise hid, and the answers
// that led to the schema.
void add_found_schema(const statistics::FoundSchema& found, const ReleasedNumbers& released,
                      const ReleasedTexts& texts, const DescriptionSplit& split, Json& content);
// The certificate of both parts, from that of the first and the steps of the second.
Certificate with_description(Certificate ranges, std::vector<Step> steps, Facts options,
                             const DescriptionSplit& split, const Guarantee& total);

// What an evaluation says.
Json evaluation_content(const statistics::ScoreOptions& options, std::optional<std::size_t> units,
                        const statistics::Scores* scores, statistics::Answers& answers);

// What a private schema says: the schema itself, and what it leaves out.
Json found_schema_content(const statistics::FoundSchema& found);

// {"format": …, "version": 1, what is promised, the content, "released", "certificate"}. "released_texts"
// follows "released" where texts were asked for.
Json statement_json(std::string_view format, const Json& content, const ReleasedNumbers& released,
                    const ReleasedTexts& texts, const Certificate& certificate);
// The same as a file holds it, with its "digest".
std::string statement_text(std::string_view format, const Json& content, const ReleasedNumbers& released,
                           const Certificate& certificate, const ReleasedTexts& texts = {});

inline constexpr std::string_view description_format = "tacit-description",
                                  evaluation_format = "tacit-evaluation", schema_format = "tacit-schema";
inline constexpr int statement_version = 1;

// Whether the file says that it is one.
bool is_statement(const Json& json);

// The certificate of a statement whose guarantee and numbers hold. VerificationError, DataError.
Certificate verify_statement(const Json& json, std::string_view source);

// What may be relied on of a found schema whose columns somebody has edited since: what it cost, under which
// relation, for which unit. VerificationError.
void check_cost_of_schema(const Certificate& certificate);

// Numbers as JSON.
Json to_json(const statistics::Estimate& estimate);

}  // namespace tacit::inline v1

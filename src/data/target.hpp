#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/dictionary.hpp"
#include "tacit/data.hpp"

namespace tacit::inline v1 {

// How the labels of a file are to be read.
struct TargetPlan {
  TargetKind kind = TargetKind::none;
  Dictionary classes;                          // the public ones; empty when they are to be read off the data
  std::unordered_map<double, double> numbers;  // of the classes that are numbers, which class each is
  std::optional<double> min, max;              // a numeric label is clamped to these
  bool read_off() const { return kind == TargetKind::classes && classes.size() == 0; }
  // Which of the public classes a label is: by its name, or as another text of the same number (1.0 for 1).
  std::optional<double> class_of(std::string_view text, char decimal = '.') const;
};

// From schema, options and, where these leave it open, whether the first label is text. The file has labels.
TACIT_API TargetPlan plan_target(const ReadOptions& options, bool first_is_text);

// Numbers the classes that were found in sorted order (as numbers when all are) and rewrites the labels,
// which held each class's number in `found`. Throws DataError when there is only one, or when one is not
// UTF-8.
void adopt_found_classes(const Dictionary& found, const std::string& file, ReadResult& result,
                         char decimal = '.');

// For labels that are numbers in the file (LIBSVM, IDX), whose class names are the numbers as they print
// ("1", not
// "+1"): the label of one record, or nullopt when it is not among the public classes. Classes that are to be
// read off the data are numbered when all labels are there, by adopt_number_labels.
std::optional<double> number_label(const TargetPlan& plan, double value);
void adopt_number_labels(std::vector<double> labels, const TargetPlan& plan, const std::string& file,
                         ReadResult& result);

}  // namespace tacit::inline v1

#pragma once

// Pairs of LIBSVM and IDX files.

#include "neutrality_cells.hpp"

namespace tacit::neutrality {

// Labels are classes of a schema, numbers within its bounds, or numbers as they come.
inline std::optional<Schema> schema_of_target(Random& random, bool classes) {
  Schema schema;
  schema.target = SchemaTarget{};
  if (classes) {
    schema.target->classes = {"-1", "1", "2"};
  } else if (one_in(random, 2)) {
    schema.target->min = -5, schema.target->max = 5;
  } else {
    return std::nullopt;
  }
  return schema;
}

inline std::string libsvm_record(Random& random, bool hostile) {
  static const std::vector<std::string> labels{"1", "-1", "+1", "2", "1.0"},
      odd{"7", "1.5", "x", ":", "-1:2", "1,2", "1:1", "0x1", "1_0"};
  const auto number = [&](bool may_be_odd) {
    return may_be_odd && one_in(random, 5) ? hostile_number(random)
                                           : fmt::format("{}", static_cast<double>(below(random, 90)) / 8);
  };
  std::string text = one_of(random, labels);
  if (hostile && one_in(random, 4)) text = one_in(random, 2) ? one_of(random, odd) : number(true);
  if (text.find_first_not_of(" \t\r") == text.npos) text = "1";  // a line without a label is no record
  std::size_t index = 0;
  for (std::size_t k = below(random, 6); k > 0; --k) {
    index += hostile && one_in(random, 40) ? below(random, 20) : 1;
    text += fmt::format("{}{}:{}", one_in(random, 4) ? "\t " : " ", index, number(hostile));
  }
  if (hostile && one_in(random, 10)) text += " " + one_of(random, odd);
  if (one_in(random, 6)) text += " # a \"comment\" 99:1";
  return text;
}

inline Pair libsvm_pair(Random& random) {
  Pair pair;
  const bool classes = one_in(random, 2);
  pair.options.path = one_in(random, 4) ? "t.svm.gz" : "t.svm";
  pair.options.columns = 12;
  pair.options.schema = schema_of_target(random, classes);
  pair.options.wish = classes ? TargetWish::classes : TargetWish::numeric;
  const std::size_t count = 2 + below(random, 25);
  pair.record = below(random, count);
  const std::string end = one_in(random, 3) ? "\r\n" : "\n", hostile = libsvm_record(random, true) + end;
  std::string before, after, blank;
  for (std::size_t i = 0; i < pair.record; ++i) before += libsvm_record(random, false) + end, blank += "\n";
  for (std::size_t i = pair.record + 1; i < count; ++i) after += libsvm_record(random, false) + end;
  const auto packed = [&](const std::string& text) {
    return pair.options.path == "t.svm" ? text : testing_data::gzip(text);
  };
  pair.place = pair.alone_place = fmt::format("{}:{}:", pair.options.path.string(), pair.record + 1);
  pair.ordinary.data = packed(before + libsvm_record(random, false) + end + after);
  pair.hostile.data = packed(before + hostile + after);
  pair.alone.data = packed(blank + hostile);
  return pair;
}

inline std::string big_endian(std::size_t value) {
  std::string four;
  for (int shift = 24; shift >= 0; shift -= 8) four += static_cast<char>(value >> shift & 0xff);
  return four;
}

inline Pair idx_pair(Random& random) {
  constexpr std::size_t pixels = 4;
  Pair pair;
  const bool classes = one_in(random, 2);
  pair.options.path = "t.idx3";
  pair.options.labels_path = "labels.idx1";
  if (one_in(random, 2)) pair.options.users_path = "users.idx1";
  pair.options.schema = schema_of_target(random, classes);
  pair.options.wish = classes ? TargetWish::classes : TargetWish::numeric;
  const std::size_t count = 2 + below(random, 25);
  pair.record = below(random, count);
  const auto head = [](std::size_t rows) { return std::string("\0\0\x0c\x01", 4) + big_endian(rows); };
  const auto add = [&](Files& files, const std::string& image, std::size_t label, std::size_t user) {
    files.data += image;
    files.labels += big_endian(label);
    files.users += big_endian(user);
  };
  for (std::size_t i = 0; i < count; ++i) {
    std::string image, other;
    for (std::size_t k = 0; k < pixels; ++k)
      image += static_cast<char>(random()), other += static_cast<char>(random());
    const std::size_t label = 1 + below(random, 2), user = below(random, 5);
    add(pair.ordinary, image, label, user);
    if (i != pair.record) {
      add(pair.hostile, image, label, user);
      continue;
    }
    const std::size_t odd = one_in(random, 3) ? random() : 1, someone = one_in(random, 2) ? random() : user;
    add(pair.hostile, other, odd, someone);
    add(pair.alone, other, odd, someone);
  }
  const auto finish = [&](Files& files, std::size_t rows) {
    files.data =
        std::string("\0\0\x08\x03", 4) + big_endian(rows) + big_endian(2) + big_endian(2) + files.data;
    files.labels = head(rows) + files.labels;
    files.users = head(rows) + files.users;
  };
  finish(pair.ordinary, count);
  finish(pair.hostile, count);
  finish(pair.alone, 1);
  pair.place = fmt::format("entry {}:", pair.record);
  pair.alone_place = "entry 0:";
  return pair;
}

// Floats of any bits, NaN and infinities among them, with labels and users as NumPy's whole numbers.
inline Pair npy_pair(Random& random) {
  constexpr std::size_t columns = 3;
  Pair pair;
  const bool classes = one_in(random, 2), columns_first = one_in(random, 3);
  pair.options.path = "x.npy";
  pair.options.labels_path = "y.npy";
  if (one_in(random, 2)) pair.options.users_path = "users.npy";
  pair.options.schema = schema_of_target(random, classes);
  pair.options.wish = classes ? TargetWish::classes : TargetWish::numeric;
  const std::size_t count = 2 + below(random, 25);
  pair.record = below(random, count);
  const auto bytes = [](std::uint64_t value, int width) {
    std::string text;
    for (int i = 0; i < width; ++i) text += static_cast<char>(value >> 8 * i & 0xff);
    return text;
  };
  const auto file = [](const std::string& type, bool turned, const std::string& shape,
                       const std::string& content) {
    const std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({})}}", type,
                                           turned ? "True" : "False", shape);
    return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size()) + '\0' + header + content;
  };
  using Row = std::array<std::uint64_t, columns + 2>;  // numbers, label, user
  const auto finish = [&](Files& files, const std::vector<Row>& rows) {
    for (std::size_t k = 0; k < rows.size() * columns; ++k)
      files.data +=
          bytes(columns_first ? rows[k % rows.size()][k / rows.size()] : rows[k / columns][k % columns], 4);
    for (const Row& row : rows)
      files.labels += bytes(row[columns], 8), files.users += bytes(row[columns + 1], 8);
    files.data = file("<f4", columns_first, fmt::format("{}, {}", rows.size(), columns), files.data);
    files.labels = file("<i8", false, fmt::format("{},", rows.size()), files.labels);
    files.users = file("<u8", false, fmt::format("{},", rows.size()), files.users);
  };
  std::vector<Row> rows(count);
  for (Row& row : rows) row = {random(), random(), random(), 1 + below(random, 2), below(random, 5)};
  finish(pair.ordinary, rows);
  const auto any = [&] { return std::uint64_t{random()} << 32 | random(); };
  Row& hostile = rows[pair.record];
  hostile = {random(), 0x7fc00000, 0xff800000, one_in(random, 3) ? any() : 1, any()};
  finish(pair.hostile, rows);
  finish(pair.alone, {hostile});
  pair.place = fmt::format("entry {}:", pair.record);
  pair.alone_place = "entry 0:";
  return pair;
}

}  // namespace tacit::neutrality

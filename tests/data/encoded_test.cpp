#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <set>

#include "data/encoded/format.hpp"
#include "data/encoded_cells.hpp"

namespace tacit {
namespace {

using testing_data::EncodedCells;
using testing_data::every_kind;
using testing_data::message_of;
using testing_data::TempFolder;

// To the last bit, and in the same form.
void expect_same(const ReadResult& mapped, const ReadResult& read) {
  const Dataset &a = mapped.data, &b = read.data;
  ASSERT_EQ(a.size(), b.size());
  EXPECT_FALSE(a.features.in_memory());
  EXPECT_EQ(a.features.sparse(), b.features.sparse());
  EXPECT_EQ(a.features.columns(), b.features.columns());
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.target_kind, b.target_kind);
  EXPECT_EQ(a.classes, b.classes);
  EXPECT_EQ(a.users, b.users);
  EXPECT_EQ(a.user_count, b.user_count);
  EXPECT_EQ(a.names, b.names);
  EXPECT_EQ(mapped.blocks, read.blocks);
  EXPECT_EQ(mapped.row_norm_bound, read.row_norm_bound);
  EXPECT_EQ(schema_to_json(mapped.schema.value()), schema_to_json(read.schema.value()));
  RowRoom room;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const RowView x = a.features.row(i, room), y = b.features.row(i);
    ASSERT_EQ(x.size, y.size);
    ASSERT_EQ(std::memcmp(x.values, y.values, x.size * sizeof(double)), 0) << "row " << i;
    ASSERT_EQ(x.columns == nullptr, y.columns == nullptr);
    if (x.columns) {
      ASSERT_EQ(std::memcmp(x.columns, y.columns, x.size * sizeof(std::uint32_t)), 0) << "row " << i;
    }
  }
}

TEST_F(EncodedCells, MakeTheRowsThatTheTableGives) {
  ReadOptions options = csv();
  const auto path = encoded(options);
  for (const EncoderRule rule :
       {EncoderRule::linear_v1, EncoderRule::linear, EncoderRule::hats, EncoderRule::automatic}) {
    options.encoder = rule;
    ReadOptions mapped{.path = path, .schema = options.schema, .encoder = rule};
    expect_same(read_dataset(mapped), read_dataset(options));
    mapped.schema.reset();  // the file has one
    expect_same(read_dataset(mapped), read_dataset(options));
  }
}

TEST_F(EncodedCells, AreTheSameForSparseRowsAndForDenseOnes) {
  for (const std::size_t knots : {1, 2, 30}) {
    ReadOptions options = csv();
    options.schema->pairs.clear();
    for (SchemaColumn& column : options.schema->columns) {
      if (!std::holds_alternative<NumericColumn>(column.kind)) column.kind = IgnoredColumn{};
      if (auto* number = std::get_if<NumericColumn>(&column.kind)) number->knots = knots;
    }
    const ReadResult read = read_dataset(options);
    EXPECT_EQ(read.data.features.sparse(), knots == 30);
    expect_same(read_dataset({.path = encoded(options)}), read);
  }
}

// What makes features of cells may change without encoding anew.
TEST_F(EncodedCells, ServeOtherKnotsPairsAndFewerColumns) {
  ReadOptions options = csv();
  const auto path = encoded(options);
  Schema& schema = *options.schema;
  schema.pairs = {{"job", "pay"}};
  std::get<NumericColumn>(schema.columns[0].kind).knots = std::vector<double>{0, 20, 70, 100};
  std::get<NumericColumn>(schema.columns[1].kind).log1p = false;
  schema.columns[3].kind = IgnoredColumn{};
  std::get<DateColumn>(schema.columns[6].kind).hour = false;
  schema.target->max = 1;
  expect_same(read_dataset({.path = path, .schema = schema}), read_dataset(options));
}

TEST_F(EncodedCells, KeepLabelsAsTheyAreWritten) {
  ReadOptions options = csv();
  const auto path = encoded(options);
  options.schema->target->min = options.schema->target->max = std::nullopt;
  EXPECT_EQ(message({.path = path, .schema = options.schema}),
            path.string() + ": record 3, the target is inf, expected a finite number")
      << "as in the table itself";
  EXPECT_NE(message(options), "");
}

TEST_F(EncodedCells, ClassesAndNoTarget) {
  ReadOptions options{.path = folder_.write("c.csv", "x,y\n1,no\n2,yes\n3,no\n"),
                      .schema = parse_schema(R"({"columns": {"x": {"type": "numeric", "min": 0, "max": 4}},
                                                 "target": {"column": "y", "classes": ["no", "yes"]}})",
                                             "s")};
  const auto path = encoded(options);
  expect_same(read_dataset({.path = path}), read_dataset(options));
  EXPECT_FALSE(read_dataset({.path = path, .wish = TargetWish::none}).has_target);
  EXPECT_NE(message_of<UsageError>([&] { read_dataset({.path = path, .wish = TargetWish::numeric}); }), "");
  options.schema->target.reset();
  options.schema->ignore_others = true;
  EXPECT_FALSE(read_dataset({.path = encoded(options)}).has_target);
}

TEST_F(EncodedCells, SaysHowManyAndItsDigest) {
  const EncodedFile made = encode_file(csv(5000), folder_.path() / "t.tacit");
  EXPECT_EQ(made.rows, 5000u);
  EXPECT_EQ(made.users, 12u) << "squares modulo 23";
  EXPECT_EQ(made.bytes, std::filesystem::file_size(folder_.path() / "t.tacit"));
  EXPECT_EQ(made.digest.substr(0, 7), "sha256:");
  EXPECT_EQ(made.digest, encode_file(csv(5000), folder_.path() / "u.tacit").digest);
}

// What goes with the schema is in files of a version of its own; others stay as they were.
TEST_F(EncodedCells, KeepWhereTheyComeFrom) {
  const auto version_of = [](const std::filesystem::path& path) {
    EncodedHeader header;
    std::memcpy(&header, read_file(path).data(), sizeof header);
    return header.version;
  };
  const ReadOptions options = csv();
  const auto plain = encoded(options), with = folder_.path() / "with.tacit";
  EXPECT_EQ(version_of(plain), EncodedHeader::expected_version);
  EXPECT_EQ(origin_of_encoded(plain), EncodedOrigin{});
  const std::string text = "{\"certificate\": \"\\u00e9\"}\n" + std::string(9000, ' ');
  encode_file(options, with, text);
  EXPECT_EQ(version_of(with), EncodedHeader::version_with_origin);
  EXPECT_EQ(origin_of_encoded(with), (EncodedOrigin{.by_query = false, .schema_file = text}));
  EXPECT_EQ(schema_to_json(schema_of_encoded(with)), schema_to_json(schema_of_encoded(plain)));
  expect_same(read_dataset({.path = with}), read_dataset(options));
}

TEST_F(EncodedCells, WhatTheySayOfTheirOriginIsUnderstoodOrRefused) {
  const auto path = folder_.path() / "t.tacit";
  encode_file(csv(), path, "schema");
  const std::string whole = read_file(path);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string bytes = whole;
    bytes.replace(bytes.find(from), from.size(), to);
    auto* file = reinterpret_cast<std::byte*>(bytes.data());
    EncodedHeader header;
    std::memcpy(&header, file, sizeof header);
    header.digest = whole_digest(file, header);
    store(file, header);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    return message({.path = path});
  };
  const std::string refusal =
      path.string() + ": is damaged: what it says of its schema makes no sense; encode the table again";
  EXPECT_EQ(with("by_query\":false", "by_query\":    1"), refusal);
  EXPECT_EQ(with("by_query", "by_guess"), refusal);
  EXPECT_EQ(with("\"schema_file\":\"schema\"", "\"schema_file\":[\"sche\"]"), refusal);
  EXPECT_EQ(with("schema_file\":", "schema_file\" "), refusal);
}

TEST_F(EncodedCells, AnotherSchemaIsRefused) {
  const ReadOptions options = csv();
  const auto path = encoded(options);
  const auto refused = [&](auto change) {
    Schema schema = *options.schema;
    change(schema);
    return message_of<UsageError>([&] { read_dataset({.path = path, .schema = schema}); });
  };
  EXPECT_EQ(
      refused([](Schema& s) { std::get<NumericColumn>(s.columns[0].kind).max = 99; }),
      path.string() +
          ": was encoded with another schema, in which column \"age\" has another range, kind, categories or "
          "missing value; encode the table with this one");
  EXPECT_NE(refused([](Schema& s) { std::get<NumericColumn>(s.columns[2].kind).missing = 1; }), "");
  EXPECT_NE(refused([](Schema& s) { std::get<CategoricalColumn>(s.columns[4].kind).categories[0] = "Law"; }),
            "");
  EXPECT_NE(refused([](Schema& s) { std::get<HashedColumn>(s.columns[5].kind).key[0] = 1; }), "");
  EXPECT_NE(refused([](Schema& s) { std::get<DateColumn>(s.columns[6].kind).weekday = true; }), "");
  EXPECT_NE(refused([](Schema& s) { s.columns[4].kind = NumericColumn{.min = 0, .max = 1}; }), "");
  EXPECT_NE(refused([](Schema& s) { s.columns[7].kind = NumericColumn{.min = 0, .max = 1}; }), "")
      << "it was ignored";
  EXPECT_EQ(refused([](Schema& s) { s.target->column = "z"; }),
            path.string() + ": the target column is given as \"z\", but the file was encoded with \"y\"");
  EXPECT_NE(refused([](Schema& s) { s.user = "someone"; }), "");
  EXPECT_NE(refused([](Schema& s) {
              s.target->min = s.target->max = std::nullopt;
              s.target->classes = {"a", "b"};
            }),
            "");
}

// Any byte of the file that changes, and any end that is missing, is found.
TEST_F(EncodedCells, DamageIsRefused) {
  const auto path = encoded(csv(9000));
  const std::string whole = read_file(path);
  const EncodedHeader header = EncodedFileView(path).header();
  EXPECT_EQ(header.first_row % 4096, 0u);
  EXPECT_EQ(header.row_bytes * header.block_rows % 4096, 0u) << "blocks begin on pages";
  ReadOptions mapped{.path = path};
  const auto refused = [&](std::string bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    return message(mapped);
  };
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{9}, std::size_t{16}, std::size_t{30}, std::size_t{60}, std::size_t{100},
        header.first_row - 1, header.first_row, header.first_row + 5000 * header.row_bytes,
        header.digests() - 1, header.digests(), whole.size() - 1}) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    EXPECT_NE(refused(changed), "") << "byte " << at;
  }
  std::string changed = whole;
  changed[header.first_row + 5000 * header.row_bytes + 1] ^= 1;
  EXPECT_EQ(refused(changed),
            path.string() +
                ": is damaged: the digest of records 4097 to 8192 does not hold; encode the table again");
  for (const std::size_t size : {std::size_t{1}, std::size_t{87}, std::size_t{88}, header.first_row,
                                 header.digests(), whole.size() - 1})
    EXPECT_NE(refused(whole.substr(0, size)), "") << size;
  EXPECT_NE(refused(""), "");
  EXPECT_NE(refused(whole + "x"), "");
  EXPECT_EQ(refused("x,y\n1,2\n" + std::string(100, '\n')),
            path.string() + ": is not a file of encoded cells (`tacit encode` makes one)");
  std::ofstream(path, std::ios::binary | std::ios::trunc) << whole;
  EXPECT_NO_THROW(read_dataset(mapped)) << "as it was";
}

TEST_F(EncodedCells, ABadCellLeavesNothingBehind) {
  ReadOptions options = csv(50);
  const auto path = encoded(options);
  const std::string before = read_file(path);
  options.path = folder_.write("bad.csv", table(40) + "u1,old,1,1,0,Sales,Rome,2021-01-01,,1\n");
  const std::size_t files_before = files();
  for (const auto& output : {path, folder_.path() / "new.tacit"})
    EXPECT_EQ(message_of<DataError>([&] { encode_file(options, output); }),
              options.path.string() +
                  ":42:2: column \"age\": \"old\" is not a number, expected one"
                  " (\"unreadable\": \"missing\" in the schema takes it for an empty cell)");
  EXPECT_EQ(read_file(path), before);
  EXPECT_EQ(files(), files_before);
}

// A table that others may not read must not become a file that they may.
TEST_F(EncodedCells, AreForTheirOwnerAlone) {
  using std::filesystem::perms;
  const auto path = encoded(csv(10));
  EXPECT_EQ(std::filesystem::status(path).permissions(), perms::owner_read | perms::owner_write);
  std::filesystem::permissions(path, perms::group_read, std::filesystem::perm_options::add);
  encoded(csv(20));
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            perms::owner_read | perms::owner_write | perms::group_read)
      << "as someone has said";
}

TEST_F(EncodedCells, AFullDiskLeavesNothingBehind) {
  const ReadOptions options = csv(9000);
  const std::size_t before = files();
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100'000, old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_NE(message_of<WriteError>([&] { encode_file(options, folder_.path() / "t.tacit"); }), "");
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(files(), before);
}

TEST_F(EncodedCells, MistakesAreNamed) {
  ReadOptions options = csv(10);
  const auto path = encoded(options);
  const auto usage = [](auto call) { return message_of<UsageError>(call); };
  const auto output = folder_.path() / "o.tacit";
  EXPECT_NE(usage([&] { encode_file({.path = options.path}, output); }), "");
  EXPECT_NE(usage([&] { encode_file({.path = path, .schema = options.schema}, output); }), "")
      << "encoded already";
  EXPECT_NE(usage([&] { read_dataset({.path = path, .decimal = ','}); }), "");
  EXPECT_NE(usage([&] { read_dataset({.path = path, .target = "age"}); }), "");
  EXPECT_NE(usage([&] { read_dataset({.path = path, .user = "age"}); }), "");
  EXPECT_NE(usage([&] { draft_schema({.file = {.path = path}}); }), "");
  EXPECT_NE(usage([&] { read_dataset({.path = path}).data.features.row(0); }), "")
      << "it does not lie in memory";
  EXPECT_NE(message_of<NotFoundError>([&] { read_dataset({.path = folder_.path() / "none.tacit"}); }), "");
  options.schema->target.reset();
  options.schema->ignore_others = true;
  options.target = "y";
  EXPECT_NE(usage([&] { encode_file(options, output); }), "") << "the schema is to say it";
}

// A fuzzer edits what it is given: without a file of a version it hardly comes to that version's code.
TEST(EncodedSeeds, AreFilesThatAreReadOneOfEachVersion) {
  const TempFolder folder;
  std::set<std::uint32_t> versions;
  for (const auto& seed :
       std::filesystem::directory_iterator(TACIT_SOURCE_DIR "/tests/fuzz/corpus/encoded")) {
    // The first byte is for the fuzz target.
    const auto file = folder.write(seed.path().filename().string() + ".tacit", read_file(seed).substr(1));
    versions.insert(EncodedFileView(file).header().version);
    EXPECT_GT(read_dataset({.path = file}).data.size(), 0U) << seed;
  }
  EXPECT_EQ(versions, (std::set{EncodedHeader::expected_version, EncodedHeader::version_with_origin}));
}

}  // namespace
}  // namespace tacit

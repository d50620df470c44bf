#include <sqlite3.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>

#include "tool.hpp"

// The book under docs/: complete, its links lead somewhere, its examples run.

namespace tacit::testing {
namespace {

namespace fs = std::filesystem;
const fs::path source = TACIT_SOURCE_DIR;

std::string content(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> pages() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(source / "docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

// Pages without their code: what is in there is no link and no heading.
std::string prose(const fs::path& path) {
  std::string text = std::regex_replace(content(path), std::regex("(^|\n)```[^`]*```"), "\n");
  text = std::regex_replace(text, std::regex("\n    [^\n]*"), "\n");
  return std::regex_replace(text, std::regex("`[^`\n]*`"), "x");
}

std::vector<std::string> links(const std::string& text) {
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

// A heading's address, as GitHub makes it: small letters, digits, - for blanks. The book makes one - of
// several.
std::set<std::string> anchors(const fs::path& path, bool in_the_book) {
  std::set<std::string> found;
  static const std::regex heading("(?:^|\n)#+ ([^\n]*)");
  const std::string text = content(path);
  for (std::sregex_iterator at(text.begin(), text.end(), heading), end; at != end; ++at) {
    std::string anchor;
    for (const char c : (*at)[1].str()) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-')
        anchor += static_cast<char>(std::tolower(c));
      if (c == ' ') anchor += '-';
    }
    if (in_the_book) anchor = std::regex_replace(anchor, std::regex("-+"), "-");
    found.insert(anchor);
  }
  return found;
}

TEST(Book, EveryPageIsInTheContents) {
  const std::string contents = content(source / "docs/README.md");
  for (const fs::path& page : pages())
    EXPECT_TRUE(page.filename() == "README.md" ||
                contents.find("](" + page.filename().string() + ")") != std::string::npos)
        << page.filename() << " is missing in docs/README.md";
}

TEST(Book, EveryLinkLeadsSomewhere) {
  std::vector<fs::path> files = pages();
  for (const char* name : {"README.md", "HACKING.md", "CHANGELOG.md"}) files.push_back(source / name);
  std::size_t seen = 0;
  for (const fs::path& file : files)
    for (const std::string& link : links(prose(file))) {
      if (link.starts_with("http")) continue;
      ++seen;
      const auto hash = link.find('#');
      const fs::path target = hash == 0 ? file : file.parent_path() / link.substr(0, hash);
      EXPECT_TRUE(fs::exists(target)) << file.filename() << " links to " << link;
      if (hash == std::string::npos || !fs::exists(target)) continue;
      for (const bool in_the_book : {false, true})
        EXPECT_TRUE(anchors(target, in_the_book).contains(link.substr(hash + 1)))
            << file.filename() << " links to " << link
            << (in_the_book ? ", which the book calls otherwise" : "");
    }
  EXPECT_GT(seen, 50u);
}

// Bars that end a cell: those that are not escaped.
std::size_t cells_in(const std::string& row) {
  std::size_t bars = 0;
  for (std::size_t i = 0; i < row.size(); ++i)
    bars += row[i] == '|' && (i == 0 || row[i - 1] != '\\') ? 1 : 0;
  return bars;
}

TEST(Book, EveryRowOfATableHasTheCellsOfItsHeader) {
  std::size_t seen = 0;
  for (const fs::path& page : pages()) {
    std::istringstream lines(std::regex_replace(content(page), std::regex("(^|\n)```[^`]*```"), "\n"));
    std::size_t header = 0;
    for (std::string line; std::getline(lines, line); ++seen) {
      const std::size_t cells = line.starts_with('|') ? cells_in(line) : 0;
      if (header != 0 && cells != 0) {
        EXPECT_EQ(cells, header) << page.filename() << ": " << line;
      }
      header = header != 0 && cells != 0 ? header : cells;
    }
  }
  EXPECT_GT(seen, 1000u);
  EXPECT_EQ(cells_in("| a \\| b | c |"), 3u);
}

// How a command begins its row in docs/cli.md.
std::string row_of(const std::string& command) { return std::string("| `").append(command); }

TEST(Book, TellsTheOptionsOfEveryMethodAsTheirTablesDo) {
  EXPECT_EQ(content(source / "docs/options.md"), run_tool({"methods", "--markdown"}).out)
      << "made by: tacit methods --markdown > docs/options.md";
}

TEST(Book, HasAPageForEveryMethodAndALineForEveryCommand) {
  const std::string contents = content(source / "docs/README.md"), commands = content(source / "docs/cli.md");
  for (const auto& method : parsed(run_tool({"methods", "--json"})))
    EXPECT_TRUE(method["notion"] == "none" ||
                contents.find(method["name"].get<std::string>()) != std::string::npos)
        << method["name"] << " has no page in docs/README.md";
  const std::string help = run_tool({"--help"}).out;
  static const std::regex command("\n  ([a-z]+)  ");
  std::size_t seen = 0;
  for (std::sregex_iterator at(help.begin(), help.end(), command), end; at != end; ++at, ++seen)
    EXPECT_NE(commands.find(row_of((*at)[1])), std::string::npos) << (*at)[1];
  EXPECT_GT(seen, 10u);
}

class BookExamples : public CliTest {
 protected:
  // What the pages' examples are about: people with an income, houses with a value, wines, a model.
  BookExamples() {
    std::string people = "age,hours,income\n", leute = "age;hours;income\n", rows,
                houses = "rooms,metres,value\n", numbers = "x,y\n";
    for (int i = 0; i < 4000; ++i) {
      const int a = i * 37 % 100, b = i * 61 % 101;
      people += std::to_string(a) + ',' + std::to_string(b) + (a + b > 100 ? ",high\n" : ",low\n");
      leute += std::to_string(a) + ",5;" + std::to_string(b) + (a + b > 100 ? ";high\n" : ";low\n");
      rows += std::string(rows.empty() ? "" : ", ") + "(" + std::to_string(a) + ", " + std::to_string(b) +
              (a + b > 100 ? ", 'high')" : ", 'low')");
      houses += std::to_string(a) + ',' + std::to_string(b) + ',' + std::to_string(1000 * (a + b)) + '\n';
      if (i < 2000) numbers += std::to_string(0.01 * a) + ',' + std::to_string(0.01 * (a - b)) + '\n';
    }
    const std::string schema = R"({"columns": {"age": {"type": "numeric", "min": 0, "max": 100},
                                               "hours": {"type": "numeric", "min": 0, "max": 100}},
                                   "target": {"column": "income", "classes": ["low", "high"]}})";
    for (const char* name : {"people.csv", "data.csv", "test.csv", "before.csv"}) write(name, people);
    write("after.csv", people.replace(people.find('\n') + 1, 7, "99,99,low"));
    for (const char* name : {"people.schema.json", "schema.json"}) write(name, schema);
    write("leute.csv", leute);
    write_database("create table people (age, hours, income); insert into people values " + rows);
    write("houses.csv", houses);
    write("houses.schema.json", R"({"columns": {"rooms": {"type": "numeric", "min": 0, "max": 100},
                                                "metres": {"type": "numeric", "min": 0, "max": 100}},
                                    "target": {"column": "value", "min": 0, "max": 200000}})");
    write("numbers.csv", numbers);
    write_arrays();
    write("wine.csv", "acidity,alcohol,quality\n7.4,9.4,5\n7.8,9.8,6\n");
    write("events.json",
          R"([{"kind": "gaussian", "mu": 0.5}, {"kind": "laplace", "epsilon": 0.1, "count": 3}])");
    write("settings.json",
          R"({"settings": [{"method": "limited-objective"}, {"method": "limited-output"}]})");
    write_users();
    write_tables_with_traps();
    write_images();
    fs::create_directory_symlink(source / "examples", path("examples"));
    fs::create_directories(path("docs/figures"));
    run_tool({"fit", path("people.csv"), "--schema", path("schema.json"), "--epsilon", "1", "--model",
              path("people.model")});
  }

  // 3000 customers with four visits each.
  void write_users() const {
    std::string visits = "customer,x,y\n";
    for (int i = 0; i < 12000; ++i)
      visits += fmt::format("{},{},{}\n", i % 3000, 0.01 * (i % 101), 0.01 * (i % 101) - 0.5);
    write("visits.csv", visits);
  }

  // As the wines and the cancers come from where they are kept, and small: semicolons and a header in quotes;
  // a first line that is neither names nor a record.
  void write_tables_with_traps() const {
    std::string wine = "\"acidity\";\"alcohol\";\"quality\"\n", cancer = "1000,30,malignant,benign\n";
    for (int i = 0; i < 1000; ++i) {
      wine += fmt::format("{};{};{}\n", 0.1 * (i % 37), 0.1 * (i % 61), 3 + i % 37 / 8);
      for (int j = 0; j < 30; ++j) cancer += fmt::format("{},", 0.1 * ((i + j) % 37));
      cancer += i % 37 < 18 ? "0\n" : "1\n";
    }
    write("winequality-red.csv", wine);
    write("breast_cancer.csv", cancer);
  }

  // Two kinds of pictures of 28 × 28, and who drew them.
  void write_images() const {
    const auto idx = [](std::initializer_list<int> sizes, const std::string& content) {
      std::string bytes{'\0', '\0', '\x08', static_cast<char>(sizes.size())};
      for (const int size : sizes)
        for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(size >> shift & 255);
      return bytes + content;
    };
    constexpr int count = 600, side = 28;
    std::string pixels, labels, writers;
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < side * side; ++k)
        pixels += static_cast<char>((k / side < 14) == (i % 2 == 0) ? 200 : i % 7);
      labels += static_cast<char>(i % 2);
      writers += static_cast<char>(i % 200);
    }
    write("images.idx3-ubyte", idx({count, side, side}, pixels));
    write("labels.idx1-ubyte", idx({count}, labels));
    write("writers-idx1", idx({count}, writers));
    EXPECT_EQ(run("gzip writers-idx1\n"
                  "for part in train t10k; do\n"
                  "  gzip -c images.idx3-ubyte > $part-images-idx3-ubyte.gz\n"
                  "  gzip -c labels.idx1-ubyte > $part-labels-idx1-ubyte.gz\n"
                  "done"),
              0)
        << read("err");
    write("features.idx2", idx({count, 3}, pixels.substr(0, 3 * count)));
  }

  // features.npy and labels.npy, as NumPy writes them.
  void write_arrays() const {
    const auto npy = [](const std::string& type, const std::string& shape, const std::string& content) {
      std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + ")}";
      header += std::string(117 - header.size(), ' ') + '\n';
      return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + content;
    };
    std::string features, labels;
    for (int i = 0; i < 1000; ++i) {
      features += static_cast<char>(i * 37 % 100), features += static_cast<char>(i * 61 % 101);
      labels += static_cast<char>(i * 37 % 100 > 50);
    }
    write("features.npy", npy("|i1", "1000, 2", features));
    write("labels.npy", npy("|u1", "1000,", labels));
  }

  void write_database(const std::string& statements) const {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(path("people.db").c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
  }

  // All lines between ```sh and ``` of a page.
  static std::string script(const fs::path& page) {
    static const std::regex block("\n```sh\n([^`]*)```");
    const std::string text = content(page);
    std::string lines;
    for (std::sregex_iterator at(text.begin(), text.end(), block), end; at != end; ++at) lines += (*at)[1];
    return lines;
  }

  // The commands that a page shows indented, one by one.
  static std::vector<std::string> commands(const fs::path& page) {
    static const std::regex command("\n    (tacit (?:[^\n]*\\\\\n)*[^\n]*)");
    const std::string text = content(page);
    std::vector<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), command), end; at != end; ++at)
      found.push_back((*at)[1]);
    return found;
  }

  // Not those with a part to fill in. Parquet needs a library that the tests do not ask for
  // (tests/data/parquet_test.cpp), and the fit of tails.csv takes minutes.
  static bool can_run(const std::string& command) {
    return std::ranges::none_of(std::array{"…", "[", "METHOD", "COMMAND", "STEP", "tails.", ".parquet"},
                                [&](const char* part) { return command.find(part) != std::string::npos; });
  }

  int run(const std::string& lines) const {
    const std::string file =
        write("page.sh", "set -eu\ntacit() { '" TACIT_TOOL "' \"$@\"; }\nDATA='" +
                             (source / "examples/data").string() + "'\ncd '" + path("") + "'\n" + lines);
    return WEXITSTATUS(
        std::system(("bash '" + file + "' > '" + path("out") + "' 2> '" + path("err") + "'").c_str()));
  }

  // Pages say it beside a command that is to fail.
  static int expected_code(const std::string& command) {
    static const std::regex said("# exit code ([0-9]+)");
    std::smatch code;
    return std::regex_search(command, code, said) ? std::stoi(code[1]) : 0;
  }

  // Every command of every page that `chosen` takes; a page's commands share a folder, as a reader's would.
  std::size_t run_commands(bool (*chosen)(const std::string&)) const {
    std::size_t seen = 0;
    for (const fs::path& page : pages()) {
      fs::copy_file(path("people.model"), path("model.json"), fs::copy_options::overwrite_existing);
      for (std::string command : commands(page)) {
        if (!can_run(command) || !chosen(command)) continue;
        // A few pages fit numbers where others fit classes.
        if (command.find("data.csv --target y") != std::string::npos)
          command.replace(command.find("data.csv"), 8, "numbers.csv");
        ++seen;
        EXPECT_EQ(run(command), expected_code(command)) << page.filename() << ": " << command << "\n"
                                                        << read("err");
      }
      for (const char* made : {"people.ledger", "people.ledger-wal", "people.ledger-shm", "wine.schema.json"})
        fs::remove(path(made));
    }
    return seen;
  }
};

// These fit many models, or one by long chains.
bool is_long(const std::string& command) {
  return command.starts_with("tacit audit") || command.starts_with("tacit compare") ||
         command.find("asap-mala") != std::string::npos;
}

TEST_F(BookExamples, ScriptsRun) {
  std::size_t seen = 0;
  for (const fs::path& page : pages()) {
    const std::string lines = script(page);
    if (lines.empty()) continue;
    ++seen;
    fs::copy_file(path("people.model"), path("model.json"), fs::copy_options::overwrite_existing);
    EXPECT_EQ(run(lines), 0) << page.filename() << "\n" << read("err");
  }
  EXPECT_GT(seen, 0u);
  EXPECT_NE(run("tacit fit nothing.csv"), 0) << "an example that fails must be seen";
}

TEST_F(BookExamples, CommandsRun) {
  EXPECT_GT(run_commands([](const std::string& command) { return !is_long(command); }), 20u);
}

class LongBookExamples : public BookExamples {};

TEST_F(LongBookExamples, CommandsRun) {
  const auto with_schemas = [](const std::string& command) {
    return is_long(command) || command.starts_with("tacit schema");
  };
  EXPECT_GT(run_commands(with_schemas), 10u);
}

}  // namespace
}  // namespace tacit::testing

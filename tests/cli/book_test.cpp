#include <algorithm>
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

// A heading's address, as GitHub and the book make it: small letters, digits, - for blanks.
std::set<std::string> anchors(const fs::path& path) {
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
      EXPECT_TRUE(anchors(target).contains(link.substr(hash + 1))) << file.filename() << " links to " << link;
    }
  EXPECT_GT(seen, 50u);
}

// How a command begins its row in docs/cli.md.
std::string row_of(const std::string& command) { return std::string("| `").append(command); }

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
  // All lines between ```sh and ``` of a page.
  static std::string script(const fs::path& page) {
    static const std::regex block("\n```sh\n([^`]*)```");
    const std::string text = content(page);
    std::string lines;
    for (std::sregex_iterator at(text.begin(), text.end(), block), end; at != end; ++at) lines += (*at)[1];
    return lines;
  }

  int run(const std::string& lines) const {
    const std::string file =
        write("page.sh", "set -eu\ntacit() { '" TACIT_TOOL "' \"$@\"; }\nDATA='" +
                             (source / "examples/data").string() + "'\ncd '" + path("") + "'\n" + lines);
    return std::system(("bash '" + file + "' > '" + path("out") + "' 2> '" + path("err") + "'").c_str());
  }
};

TEST_F(BookExamples, Run) {
  std::size_t seen = 0;
  for (const fs::path& page : pages()) {
    const std::string lines = script(page);
    if (lines.empty()) continue;
    ++seen;
    EXPECT_EQ(run(lines), 0) << page.filename() << "\n" << read("err");
  }
  EXPECT_GT(seen, 0u);
  EXPECT_NE(run("tacit fit nothing.csv"), 0) << "an example that fails must be seen";
}

}  // namespace
}  // namespace tacit::testing

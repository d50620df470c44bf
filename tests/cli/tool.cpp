#include "tool.hpp"

#include <fcntl.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace tacit::testing {

namespace {

std::string drain(int descriptor) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = ::read(descriptor, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  ::close(descriptor);
  return text;
}

}  // namespace

Outcome run_tool(const std::vector<std::string>& arguments, bool on_terminal, const char* tool) {
  int out[2], err[2];
  if (::pipe(out) != 0) throw std::runtime_error("pipe failed");
  const int opened = on_terminal ? ::openpty(&err[0], &err[1], nullptr, nullptr, nullptr) : ::pipe(err);
  if (opened != 0) throw std::runtime_error("pipe or openpty failed");
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    for (const int descriptor : {out[0], out[1], err[0], err[1]}) ::close(descriptor);
    std::vector<char*> argv{const_cast<char*>(tool)};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execv(tool, argv.data());
    ::_exit(127);
  }
  ::close(out[1]);
  ::close(err[1]);
  Outcome outcome;
  std::thread reader([&] { outcome.err = drain(err[0]); });
  outcome.out = drain(out[0]);
  reader.join();
  int status = 0;
  rusage used{};
  ::wait4(child, &status, 0, &used);
  outcome.peak_kilobytes = used.ru_maxrss;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

CliTest::CliTest() {
  std::string pattern = (std::filesystem::temp_directory_path() / "tacit_cli_XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  folder_ = pattern;
}

CliTest::~CliTest() { std::filesystem::remove_all(folder_); }

std::string CliTest::write(const std::string& name, const std::string& content) const {
  std::ofstream(folder_ / name, std::ios::binary) << content;
  return path(name);
}

std::string CliTest::read(const std::string& name) const {
  std::ifstream file(folder_ / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string CliTest::write_classes(const std::string& name, int records) const {
  std::ostringstream text;
  text << "x1,x2,y\n";
  for (int i = 0; i < records; ++i) {
    const double a = (i * 37 % 100) / 100.0, b = (i * 61 % 100) / 100.0;
    text << a << ',' << b << ',' << (a + b > 1 ? "yes" : "no") << '\n';
  }
  return write(name, text.str());
}

std::string CliTest::write_schema() const {
  return write("schema.json",
               R"({"columns": {"x1": {"type": "numeric", "min": 0, "max": 1},
                               "x2": {"type": "numeric", "min": 0, "max": 1}},
                   "target": {"column": "y", "classes": ["no", "yes"]}})");
}

std::string CliTest::fit_model(const std::string& name) const {
  const Outcome fit = run_tool({"fit", write_classes("train.csv"), "--schema", write_schema(), "--epsilon",
                                "5", "--model", path(name)});
  EXPECT_EQ(fit.code, 0) << fit.err;
  return path(name);
}

nlohmann::json parsed(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

}  // namespace tacit::testing

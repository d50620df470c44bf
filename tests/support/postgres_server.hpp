#pragma once

// A PostgreSQL server of a test's own, on loopback, gone afterwards. The programs come with the Debian
// package postgresql (scripts/setup test). The server does not run as root: root starts it as the package's
// user.

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tacit::testing {

class PostgresServer {
 public:
  static constexpr const char* user = "ann";
  static constexpr const char* password = "s3cr:t/p@ss";
  static constexpr const char* password_in_url = "s3cr%3At%2Fp%40ss";

  PostgresServer() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tacit_postgres_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    folder_ = pattern;
    std::ofstream(folder_ / "password") << password << '\n';
    if (::getuid() == 0) {
      account_ = ::getpwnam("postgres");
      if (account_ == nullptr) throw std::runtime_error("there is no user postgres: run scripts/setup test");
      for (const auto& path : {folder_, folder_ / "password"})
        if (::chown(path.c_str(), account_->pw_uid, account_->pw_gid) != 0)
          throw std::runtime_error("chown failed");
    }
    if (wait_for(start({program("initdb"), "-D", data(), "-U", user, "-A", "scram-sha-256", "--pwfile",
                        (folder_ / "password").string(), "--no-sync", "-E", "UTF8", "--locale", "C"})) != 0)
      throw std::runtime_error("initdb failed");
    for (int attempt = 0; server_ < 0; ++attempt) {
      port_ = free_port();
      const pid_t child =
          start({program("postgres"), "-D", data(), "-p", std::to_string(port_), "-k", folder_.string(), "-c",
                 "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "max_connections=10"});
      if (answers(child)) server_ = child;
      if (server_ < 0 && attempt == 3) throw std::runtime_error("the server does not start");
    }
  }

  ~PostgresServer() {
    stop();
    std::filesystem::remove_all(folder_);
  }

  void stop() {
    if (server_ < 0) return;
    ::kill(server_, SIGINT);  // PostgreSQL: end all sessions, then the server
    wait_for(server_);
    server_ = -1;
  }

  // With user, password and database.
  std::string url() const {
    return std::string("postgresql://") + user + ":" + password_in_url + "@" + shown_server() + "/postgres";
  }
  // As messages have it.
  std::string shown_url() const {
    return std::string("postgresql://") + user + "@" + shown_server() + "/postgres";
  }
  std::string shown_server() const { return "127.0.0.1:" + std::to_string(port_); }

  void run(const std::string& sql) const {
    const std::string file = (folder_ / "script.sql").string();
    std::ofstream(file, std::ios::binary) << sql;
    std::filesystem::permissions(file, std::filesystem::perms::all);
    if (wait_for(start({program("psql"), "-q", "-v", "ON_ERROR_STOP=1", "-d", url(), "-f", file})) != 0)
      throw std::runtime_error("psql failed");
  }

 private:
  static std::string program(const std::string& name) {
    const std::filesystem::path debian = "/usr/lib/postgresql";
    if (std::filesystem::is_directory(debian))
      for (const auto& version : std::filesystem::directory_iterator(debian))
        if (const auto found = version.path() / "bin" / name; std::filesystem::exists(found))
          return found.string();
    throw std::runtime_error(name + " is not installed: run scripts/setup test");
  }

  std::string data() const { return (folder_ / "data").string(); }

  pid_t start(const std::vector<std::string>& command) const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    const int quiet = ::open((folder_ / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    ::dup2(quiet, STDOUT_FILENO);
    ::dup2(quiet, STDERR_FILENO);
    if (account_ != nullptr && (::setgid(account_->pw_gid) != 0 || ::setuid(account_->pw_uid) != 0))
      ::_exit(126);
    if (::chdir(folder_.c_str()) != 0) ::_exit(126);
    std::vector<char*> argv;
    for (const std::string& argument : command) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }

  static int wait_for(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  // Whether it takes connections, within a minute; a child that ended does not.
  bool answers(pid_t child) const {
    for (int i = 0; i < 600; ++i) {
      if (::waitpid(child, nullptr, WNOHANG) == child) return false;
      const pid_t asked =
          start({program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", std::to_string(port_)});
      if (wait_for(asked) == 0) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    ::kill(child, SIGKILL);
    wait_for(child);
    return false;
  }

  static int free_port() {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("no port");
    ::close(listener);
    return ntohs(address.sin_port);
  }

  std::filesystem::path folder_;
  const passwd* account_ = nullptr;  // who runs the server, where root may not
  int port_ = 0;
  pid_t server_ = -1;
};

}  // namespace tacit::testing

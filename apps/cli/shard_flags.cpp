#include "shard_flags.hpp"

#include <glob.h>

#include "tacit/core.hpp"

namespace tacit::cli {

namespace {

bool is_pattern(const std::string& file) {
  return file.find_first_of("*?[") != std::string::npos && file.find("://") == std::string::npos;
}

void add_files(const std::string& file, std::vector<std::filesystem::path>& files) {
  std::error_code ignored;
  if (!is_pattern(file) || std::filesystem::exists(file, ignored)) {
    files.push_back(file);
    return;
  }
  glob_t found{};
  const int outcome = ::glob(file.c_str(), 0, nullptr, &found);
  for (std::size_t k = 0; outcome == 0 && k < found.gl_pathc; ++k) files.emplace_back(found.gl_pathv[k]);
  ::globfree(&found);
  if (outcome != 0) throw_error<NotFoundError>("{}: no file matches", file);
}

}  // namespace

service::ShardUse shard_use(const ShardFlags& flags) {
  if (flags.count == 0) throw_error<UsageError>("--shards is 0, expected at least 1");
  service::ShardUse use{.count = flags.count};
  if (flags.cluster.empty()) return use;
  if (flags.count > 1)
    throw_error<UsageError>("--shards and --cluster contradict each other: each process is a shard");
  use.cluster = service::join_cluster(flags.cluster);
  use.count = use.cluster->size();
  return use;
}

std::vector<std::filesystem::path> shard_files(const service::ShardUse& use, const std::string& first,
                                               const std::vector<std::string>& more) {
  std::vector<std::filesystem::path> files;
  if (!use.used()) {
    if (!more.empty())
      throw_error<UsageError>("several files are fitted with --shards, or --cluster; without, give one");
    if (std::error_code ignored; is_pattern(first) && !std::filesystem::exists(first, ignored))
      throw_error<NotFoundError>(
          "{}: no such file; a pattern stands for several files with --shards K, the number of parts to "
          "read them in, or --cluster mpi",
          first);
    return files;
  }
  add_files(first, files);
  for (const std::string& file : more) add_files(file, files);
  return files;
}

}  // namespace tacit::cli

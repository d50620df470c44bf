// How fast a numeric CSV file is read, and how much memory that takes at its peak against the matrix it
// becomes. usage: csv_read [MB] [threads]
#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include "tacit/core.hpp"
#include "tacit/data.hpp"

namespace {

// Rows of 20 numbers with 1 to 17 significant digits, as sensors, prices and printed doubles have them.
void write_table(const std::filesystem::path& path, std::size_t bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) tacit::throw_error<tacit::WriteError>("{}: cannot be written", path.string());
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<double> uniform(-1000, 1000);
  std::string block;
  for (int row = 0; row < 20000; ++row)
    for (int column = 0; column < 20; ++column) {
      const double x = uniform(bits);
      const char end = column == 19 ? '\n' : ',';
      if (column % 4 == 0) block += fmt::format("{}{}", static_cast<int>(x), end);
      if (column % 4 == 1) block += fmt::format("{:.2f}{}", x, end);
      if (column % 4 == 2) block += fmt::format("{:.8g}{}", x / 1000, end);
      if (column % 4 == 3) block += fmt::format("{}{}", x, end);
    }
  for (std::size_t written = 0; written < bytes; written += block.size())
    if (std::fwrite(block.data(), 1, block.size(), file) != block.size())
      tacit::throw_error<tacit::WriteError>("{}: cannot be written in full", path.string());
  std::fclose(file);
}

// Seconds of processor time so far, on all threads: a busy machine does not change them much.
double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::size_t megabytes = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
  const unsigned threads = argc > 2 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 2;
  const auto path = std::filesystem::temp_directory_path() / fmt::format("tacit-csv-read-{}.csv", ::getpid());
  write_table(path, megabytes * 1'000'000);
  const double size = static_cast<double>(std::filesystem::file_size(path)) / 1e6;

  tacit::ReadOptions options;
  options.path = path;
  options.threads = threads;
  const double processor_start = processor_seconds();
  const auto start = std::chrono::steady_clock::now();
  const tacit::ReadResult result = tacit::read_dataset(options);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const double processor = processor_seconds() - processor_start;
  std::filesystem::remove(path);

  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const double peak = static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
  const double matrix =
      8e-6 * static_cast<double>(result.data.features.rows() * result.data.features.columns());
  fmt::print("{:.0f} MB in {:.2f} s on {} threads ({:.2f} s of processor time): {:.0f} MB/s\n", size,
             seconds.count(), threads, processor, size / seconds.count());
  fmt::print("peak memory {:.0f} MB = {:.3f} x the matrix of {:.0f} MB\n", peak, peak / matrix, matrix);
} catch (const std::exception& error) {
  fmt::print(stderr, "csv_read: {}\n", error.what());
  return 1;
}

#include "exit_code.hpp"

#include <sysexits.h>
#include <time.h>

#include <CLI/Error.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

#include "status_line.hpp"

namespace tacit::cli {

namespace {

constexpr int verification_failed = 1;

// Set in a process of a cluster that is not the first.
const char* later_rank = nullptr;

// Open MPI's variable, that of PMIx, that of MPICH and its kin.
constexpr const char* rank_variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};

// Every process of a cluster has the same command line, so rank 0 says what is wrong with it. Whoever starts
// the processes ends all of them when one fails: a later one that left at once would take the word from rank
// 0. One that nobody ends in this time has a command line of its own.
bool first_rank_tells() {
  const timespec patience{.tv_sec = 10, .tv_nsec = 0};
  return ::nanosleep(&patience, nullptr) != 0;
}

// A name from a file may hold anything: one line stays one. Allocates nothing, so it cannot fail in turn.
int report(int code, const char* message) {
  const bool by_rank = code == EX_USAGE && later_rank != nullptr;
  if (by_rank && first_rank_tells()) return code;
  std::fputs("tacit: ", stderr);
  if (by_rank) std::fprintf(stderr, "rank %s: ", later_rank);
  for (; *message != '\0'; ++message)
    std::fputc(static_cast<unsigned char>(*message) < ' ' ? ' ' : *message, stderr);
  const bool unsaved = code == EX_CANTCREAT || code == EX_IOERR;
  if (unsaved && ledger_was_charged()) std::fputs("; what the ledger was charged stays charged", stderr);
  std::fputc('\n', stderr);
  return code;
}

}  // namespace

void leave_usage_to_first_rank(int argc, char** argv) {
  const bool cluster = std::any_of(argv, argv + argc, [](const char* argument) {
    return std::string_view(argument).starts_with("--cluster");
  });
  if (!cluster) return;
  for (const char* variable : rank_variables)
    if (const char* rank = std::getenv(variable); rank != nullptr) {
      if (std::string_view(rank) != "0") later_rank = rank;
      return;
    }
}

int report_failure() noexcept {
  try {
    throw;
  } catch (const CLI::ParseError& error) {
    return report(EX_USAGE, error.what());
  } catch (const UsageError& error) {
    return report(EX_USAGE, error.what());
  } catch (const DataError& error) {
    return report(EX_DATAERR, error.what());
  } catch (const NotFoundError& error) {
    return report(EX_NOINPUT, error.what());
  } catch (const InfeasibleError& error) {
    return report(EX_UNAVAILABLE, error.what());
  } catch (const WriteError& error) {
    return report(EX_CANTCREAT, error.what());
  } catch (const OutputError& error) {
    return report(EX_IOERR, error.what());
  } catch (const BudgetError& error) {
    return report(EX_NOPERM, error.what());
  } catch (const Interrupted& error) {
    return report(EX_TEMPFAIL, error.what());
  } catch (const VerificationError& error) {
    return report(verification_failed, error.what());
  } catch (const std::bad_alloc&) {
    return report(EX_OSERR, "out of memory");
  } catch (const std::exception& error) {
    return report(EX_SOFTWARE, error.what());
  } catch (...) {
    return report(EX_SOFTWARE, "an unknown failure");
  }
}

}  // namespace tacit::cli

#include "exit_code.hpp"

#include <sysexits.h>

#include <CLI/Error.hpp>
#include <cstdio>
#include <new>

#include "status_line.hpp"

namespace tacit::cli {

namespace {

constexpr int verification_failed = 1;

// A name from a file may hold anything: one line stays one. Allocates nothing, so it cannot fail in turn.
int report(int code, const char* message) {
  std::fputs("tacit: ", stderr);
  for (; *message != '\0'; ++message)
    std::fputc(static_cast<unsigned char>(*message) < ' ' ? ' ' : *message, stderr);
  const bool unsaved = code == EX_CANTCREAT || code == EX_IOERR;
  if (unsaved && ledger_was_charged()) std::fputs("; what the ledger was charged stays charged", stderr);
  std::fputc('\n', stderr);
  return code;
}

}  // namespace

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

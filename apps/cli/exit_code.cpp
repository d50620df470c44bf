#include "exit_code.hpp"

#include <sysexits.h>

#include <CLI/Error.hpp>
#include <algorithm>
#include <cstdio>
#include <new>
#include <string>

namespace tacit::cli {

namespace {

constexpr int verification_failed = 1;

int report(int code, std::string message) {
  for (char& c : message)
    if (static_cast<unsigned char>(c) < ' ')
      c = ' ';  // a name from a file may hold anything; one line stays one
  std::fprintf(stderr, "tacit: %s\n", message.c_str());
  return code;
}

}  // namespace

int report_failure() {
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
  } catch (const VerificationError& error) {
    return report(verification_failed, error.what());
  } catch (const std::bad_alloc&) {
    return report(EX_OSERR, "out of memory");
  } catch (const std::exception& error) {
    return report(EX_SOFTWARE, std::string("internal error: ") + error.what());
  }
}

}  // namespace tacit::cli

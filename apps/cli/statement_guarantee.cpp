#include "statement_guarantee.hpp"

#include <cmath>
#include <optional>

#include "command.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/service.hpp"

namespace tacit::cli {

Guarantee statement_guarantee(const std::string& epsilon, const std::string& delta) {
  const double asked = parse_number("--epsilon", epsilon);
  if (!(asked > 0 && std::isfinite(asked)))
    throw_error<UsageError>("--epsilon is {}, expected a finite number > 0", epsilon);
  return service::requested_guarantee(asked, parse_number_if_given("--delta", delta), std::nullopt);
}

std::vector<std::string> pieces(const std::string& list) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    found.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

}  // namespace tacit::cli

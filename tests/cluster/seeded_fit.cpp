// A fit with seeded bits, in shards: all in one process, or one in each process of mpirun. Tests compare the
// two. usage: seeded_fit MODEL SHARDS|mpi SCHEMA METHOD EPSILON DELTA|- USER|- FILE… [option=value …]

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/fit.hpp"
#include "tacit/model.hpp"

namespace {

using namespace tacit;

// Each shard's coins are its own, and the same wherever the shard is.
std::unique_ptr<BitSource> bits_of_shard(std::size_t shard) { return testing::seeded_bits(1000 + shard); }

struct Request {
  std::string model, shards;
  ReadOptions reading;
  service::FitOptions options;
};

Request parsed(const std::vector<std::string>& given) {
  Request request{.model = given.at(0), .shards = given.at(1), .reading = {}, .options = {}};
  request.reading.schema = read_schema(given.at(2));
  request.options.method = given.at(3);
  const double epsilon = std::stod(given.at(4));
  if (std::isinf(epsilon))
    request.options.guarantee = NoPrivacy{};
  else if (given.at(5) == "-")
    request.options.guarantee = Pure{epsilon};
  else if (given.at(5) == "mu")
    request.options.guarantee = Gaussian{epsilon};
  else
    request.options.guarantee = Approx{epsilon, std::stod(given.at(5))};
  if (given.at(6) != "-") request.reading.user = given.at(6);
  for (std::size_t k = 7; k < given.size(); ++k) {
    if (const auto at = given[k].find('='); at == std::string::npos) {
      request.options.shards.files.push_back(given[k]);
    } else {
      const std::string name = given[k].substr(0, at);
      if (name == "loss") {
        request.options.loss = given[k].substr(at + 1);
        continue;
      }
      const OptionSpec* spec = find_option(find_method(request.options.method), name);
      request.options.method_options.set(service::fact_name(name),
                                         service::parse_option(*spec, given[k].substr(at + 1)));
    }
  }
  request.reading.path = request.options.shards.files.front();
  return request;
}

void run(const std::vector<std::string>& given) {
  Request request = parsed(given);
  service::ShardUse& use = request.options.shards;
  use.bits = bits_of_shard;
  if (request.shards == "mpi") {
    use.cluster = service::join_cluster("mpi");
    use.count = use.cluster->size();
    if (use.cluster->rank() != 0)
      return service::hold_shard(*use.cluster, [&] { return service::ShardToHold{request.reading, use, 1}; });
  } else {
    use.count = std::stoul(request.shards);
  }
  const auto bits = testing::seeded_bits(7);
  write_file_atomically(request.model,
                        model_to_json(service::fit_file(request.reading, request.options, *bits)));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run({argv + 1, argv + argc});
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << "seeded_fit: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}

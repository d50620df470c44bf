#pragma once

// Tables 3 to 7 and Figures 1 to 3 of [Das23] on fixed features: wavelets in the place of a pretrained
// network, pixels in Table 6. Step lengths are chosen on a part of the training file that no run trains on;
// the runs that choose are not in the averages. Every run's result is kept in a file, so that a table can be
// stopped and goes on.

#include "algorithm/clipping/clip_norm.hpp"
#include "algorithm/clipping/lipschitz.hpp"
#include "clipping_runs.hpp"
#include "data/scattering.hpp"
#include "nonconvex/stored_runs.hpp"

namespace clipping_runs {

// Which channels of the scattering transform, and how many records there are of each kind.
struct FeatureMap {
  std::size_t channels = 81;  // a multiple of 3; 0: the pixels themselves
  std::size_t train = 20000, chosen_by = 5000, test = 10000;
};

// Channels averaged over 3×3 parts of the image. As in `--features wavelets`, every three channels are
// brought to mean 0 over the image; but they keep their size, and the whole is not brought to length 1, or
// all Lipschitz constants would be equal. Public factors make up for the small size of the higher orders.
inline DenseRows wavelets(const DenseRows& pixels, std::size_t from, std::size_t to, const FeatureMap& map) {
  const Scattering scattering(28, 28);
  constexpr std::array<std::size_t, 4> edge = {0, 2, 5, 7};
  constexpr std::size_t parts = 9, group = 3 * parts;
  DenseRows rows{.rows = to - from, .columns = map.channels * parts};
  std::vector<double> raw(scattering.features());
  for (std::size_t i = from; i < to; ++i) {
    scattering.raw({pixels.values.data() + i * 784, 784}, raw);
    for (std::size_t c = 0; c < map.channels; ++c)
      for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t a = part / 3, b = part % 3;
        double sum = 0, cells = 0;
        for (std::size_t y = edge[a]; y < edge[a + 1]; ++y)
          for (std::size_t x = edge[b]; x < edge[b + 1]; ++x) sum += raw[c * 49 + y * 7 + x], ++cells;
        rows.values.push_back(sum / cells * (c == 0 ? 2 : c < 17 ? 16 : 64));
      }
    for (auto start = rows.values.end() - static_cast<std::ptrdiff_t>(rows.columns);
         start != rows.values.end(); start += group) {
      const double mean = std::accumulate(start, start + group, 0.0) / group;
      for (auto at = start; at != start + group; ++at) *at -= mean;
    }
  }
  return rows;
}

inline DenseRows part_of(const DenseRows& all, std::size_t from, std::size_t to) {
  const auto at = [&](std::size_t row) {
    return all.values.begin() + static_cast<std::ptrdiff_t>(row * all.columns);
  };
  return {to - from, all.columns, {at(from), at(to)}};
}

inline Dataset feature_part(const Dataset& images, std::size_t from, std::size_t to, const FeatureMap& map) {
  Dataset part = images;
  const DenseRows& pixels = images.features.dense_rows();
  part.features = Features(map.channels == 0 ? part_of(pixels, from, to) : wavelets(pixels, from, to, map));
  part.labels.assign(images.labels.begin() + static_cast<std::ptrdiff_t>(from),
                     images.labels.begin() + static_cast<std::ptrdiff_t>(to));
  return part;
}

// The first images of the training file to train on, the last to choose step lengths by, and the test file.
struct FeatureData {
  Dataset train, chosen_by, test;

  FeatureData(const std::filesystem::path& folder, const FeatureMap& map) {
    const Dataset file = images(folder, "train", 60000), held = images(folder, "t10k", 10000);
    train = feature_part(file, 0, map.train, map);
    chosen_by = feature_part(file, file.size() - map.chosen_by, file.size(), map);
    test = feature_part(held, 0, map.test, map);
  }
};

inline std::filesystem::path folder_of(const Flags& flags, const std::string& set) {
  return flags.data / (set == "MNIST" ? "mnist_writers" : "fashion_mnist");
}

// Runs of one dataset, by name: what they gave is kept in OUT/clipping_features.csv.
class FeatureRuns {
 public:
  FeatureRuns(const Flags& flags, std::string set, FeatureMap map, LossSpec loss, std::vector<double> steps)
      : flags_(flags),
        set_(std::move(set)),
        data_(folder_of(flags, set_), map),
        loss_(std::move(loss)),
        steps_(std::move(steps)),
        epochs_{flags.epochs},
        stored_(flags.out / "clipping_features.csv") {}

  struct Cell {
    Spread accuracy;  // over the runs; each is the mean of its last five epochs
    double step = 0, epochs = 0, validation = 0;
  };

  // Chooses among these numbers of epochs, too, not those of the flags alone.
  void choose_epochs(std::vector<double> among) { epochs_ = std::move(among); }
  bool chooses_epochs() const { return epochs_.size() > 1; }

  // Sets the clip norm, anew for every run: it may be drawn.
  using Prepare = std::function<void(clipping::Options&)>;

  Cell cell(const std::string& name, double epsilon, const Prepare& prepare) {
    const std::string key = fmt::format("{},{},{:g}", set_, name, epsilon);
    Cell best;
    for (const double epochs : epochs_)
      for (const double step : steps_) {
        const double found = stored_.draws(named("choosing", key, step, epochs), 1, [&](int) {
          return run_with(step, epochs, epsilon, prepare, data_.chosen_by);
        })[0];
        if (found > best.validation) best = {{}, step, epochs, found};
      }
    best.accuracy = spread(stored_.draws(named("step", key, best.step, best.epochs), flags_.runs, [&](int) {
      return run_with(best.step, best.epochs, epsilon, prepare, data_.test);
    }));
    return best;
  }

  // Accuracy with one step length on the images that choose them.
  Spread validated(const std::string& name, double epsilon, double step, const Prepare& prepare) {
    return spread(
        stored_.draws(fmt::format("{},{},{:g},validated {:g}", set_, name, epsilon, step), flags_.runs,
                      [&](int) { return run_with(step, flags_.epochs, epsilon, prepare, data_.chosen_by); }));
  }

  // The Lipschitz constants in ascending order. As private as the data: for tables such as the paper's.
  std::vector<double> constants() const {
    auto found = clipping::lipschitz_constants(problem(data_.train));
    std::sort(found.begin(), found.end());
    return found;
  }

  const std::string& set() const { return set_; }
  Problem problem(const Dataset& data) const { return {.data = &data, .loss = loss_}; }
  const FeatureData& data() const { return data_; }

 private:
  std::string named(const char* what, const std::string& key, double step, double epochs) const {
    const std::string name = fmt::format("{},{} {:g}", key, what, step);
    return epochs == flags_.epochs ? name : fmt::format("{} in {:g} epochs", name, epochs);
  }

  double run_with(double step, double epochs, double epsilon, const Prepare& prepare,
                  const Dataset& judged_by) const {
    clipping::Options options;
    options.target = Approx{epsilon, 1e-5};
    options.batch = 500;
    options.epochs = epochs;
    options.step_length = step;
    prepare(options);
    return spread(last_epochs(problem(data_.train), problem(judged_by), options)).mean;
  }

  Flags flags_;
  std::string set_;
  FeatureData data_;
  LossSpec loss_;
  std::vector<double> steps_, epochs_;
  nonconvex_runs::StoredRuns stored_;
};

}  // namespace clipping_runs

#include "records.hpp"

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <limits>

#include "bindings.hpp"
#include "data/check.hpp"
#include "data/target.hpp"
#include "privacy/assumptions.hpp"
#include "service/fit/group.hpp"
#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/fit.hpp"
#include "tacit/service.hpp"

namespace tacit::python {

namespace py = pybind11;

namespace {

using Array = py::array_t<double, py::array::c_style>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Holds a Python object for memory that C++ looks at; may be let go on any thread.
std::shared_ptr<const void> owner_of(const py::object& object) {
  return {object.inc_ref().ptr(), [](PyObject* held) {
            const py::gil_scoped_acquire lock;
            Py_DECREF(held);
          }};
}

// A view of the array itself: nothing is copied.
Records dense(const Array& x) {
  Records records;
  records.read.data.features = Features(DenseView{
      static_cast<std::size_t>(x.shape(0)), static_cast<std::size_t>(x.shape(1)), x.data(), owner_of(x)});
  return records;
}

template <class T>
using Numbers = py::array_t<T, py::array::c_style | py::array::forcecast>;

template <class T>
std::vector<T> copied(const Numbers<T>& numbers) {
  return {numbers.data(), numbers.data() + numbers.size()};
}

Records sparse(std::size_t rows, std::size_t columns, const Numbers<std::uint64_t>& start,
               const Numbers<std::uint32_t>& column, const Numbers<double>& value) {
  if (columns > std::numeric_limits<std::uint32_t>::max())
    throw_error<DataError>("{} features, expected fewer than 2^32", columns);
  Records records;
  records.read.data.features =
      Features(SparseRows{rows, columns, copied(start), copied(column), copied(value)});
  return records;
}

// Where the numbers lie. A step between them that is no multiple of their size would read parts of two
// records as one number.
NumberCells number_cells(const std::string& name, const py::array_t<double>& numbers, std::size_t rows) {
  constexpr auto size = static_cast<py::ssize_t>(sizeof(double));
  if (numbers.ndim() != 1 || static_cast<std::size_t>(numbers.size()) != rows)
    throw_error<DataError>("the column {} must have one number for each of the {} records", name, rows);
  const bool aligned = reinterpret_cast<std::uintptr_t>(numbers.data()) % alignof(double) == 0;
  if (!aligned || numbers.strides(0) % size != 0)
    throw_error<DataError>("the column {} is not aligned in memory; copy it first (numpy.array)", name);
  return {numbers.data(), numbers.strides(0) / size};
}

Records table(const std::vector<std::pair<std::string, py::object>>& columns, std::size_t rows,
              const Schema& schema) {
  return {.read = encode_table(table_columns(columns, rows), rows, schema), .schema = schema};
}

// What to tell of cells that the schema does not cover: not private.
std::vector<std::string> told(const std::vector<std::pair<std::string, py::object>>& columns,
                              std::size_t rows, const Schema& schema) {
  return told_of_cells(check_cells(table_columns(columns, rows), rows, schema));
}

Records raw(const std::vector<std::pair<std::string, py::object>>& columns, std::size_t rows) {
  Records records{.read = {}, .schema = {}, .raw = table_columns(columns, rows)};
  for (const auto& [name, column] : columns) records.owners.push_back(column);
  records.read.data.features = Features(DenseRows{.rows = rows, .columns = 0, .values = {}});
  return records;
}

void set_labels(Records& records, TargetKind kind, const Array& labels) {
  Dataset& data = records.read.data;
  if (static_cast<std::size_t>(labels.size()) != data.size())
    throw_error<DataError>("there are {} labels for {} records", labels.size(), data.size());
  data.target_kind = kind;
  data.labels.assign(labels.data(), labels.data() + labels.size());
  records.read.has_target = true;
}

void set_numbers(Records& records, const Array& labels) { set_labels(records, TargetKind::numeric, labels); }

void set_classes(Records& records, const Array& labels, std::vector<std::string> classes, bool read_off) {
  set_labels(records, TargetKind::classes, labels);
  records.read.data.classes = std::move(classes);
  if (read_off) records.read.read_off_data.push_back("classes");
}

void set_users(Records& records, const Numbers<std::uint32_t>& users, std::size_t count) {
  if (static_cast<std::size_t>(users.size()) != records.read.data.size())
    throw_error<DataError>("there are {} user ids for {} records", users.size(), records.read.data.size());
  records.read.data.users = copied(users);
  records.read.data.user_count = count;
}

void set_weights(Records& records, const Array& weights) {
  if (static_cast<std::size_t>(weights.size()) != records.read.data.size())
    throw_error<DataError>("there are {} weights for {} records", weights.size(), records.read.data.size());
  records.read.data.weights.assign(weights.data(), weights.data() + weights.size());
}

// intercept + ⟨a, coefficients⟩ for every record and output, summed in the order in which `predict` does.
RowMajor scores(const Records& records, const RowMajor& coefficients, const Vector& intercept) {
  const Features& features = records.read.data.features;
  RowMajor result(static_cast<Eigen::Index>(features.rows()), coefficients.rows());
  for (Eigen::Index i = 0; i < result.rows(); ++i) {
    const RowView row = features.row(static_cast<std::size_t>(i));
    for (Eigen::Index k = 0; k < result.cols(); ++k) {
      double sum = intercept[k];
      for (std::size_t j = 0; j < row.size; ++j)
        sum += row.values[j] * coefficients(k, static_cast<Eigen::Index>(row.columns ? row.columns[j] : j));
      result(i, k) = sum;
    }
  }
  return result;
}

}  // namespace

std::vector<TableColumn> table_columns(const std::vector<std::pair<std::string, py::object>>& columns,
                                       std::size_t rows) {
  std::vector<TableColumn> cells;
  for (const auto& [name, column] : columns) {
    if (!py::isinstance<py::array_t<double>>(column)) {
      cells.push_back({name, column.cast<ValueCells>()});
      if (std::get<ValueCells>(cells.back().cells).size() != rows)
        throw_error<DataError>("the column {} must have one cell for each of the {} records", name, rows);
      continue;
    }
    cells.push_back({name, number_cells(name, column.cast<py::array_t<double>>(), rows)});
  }
  return cells;
}

void bind_records(py::module_& module) {
  py::class_<Schema>(module, "Schema")
      .def(py::init(
          [](const std::string& text, const std::string& source) { return parse_schema(text, source); }))
      .def_property_readonly("json", &schema_to_json)
      .def_readonly("user", &Schema::user)
      .def_property_readonly("classes", [](const Schema& schema) {
        return schema.target ? schema.target->classes : std::vector<std::string>{};
      });
  // Refuses a schema whose target is of the other kind, as a reader of files does.
  module.def("require_target", [](const Schema& schema, bool classes) {
    plan_target({.schema = schema, .wish = classes ? TargetWish::classes : TargetWish::numeric}, false);
  });
  module.def("told_of_cells", &told);
  module.def("load_schema", [](const std::string& path) { return service::load_schema(path); });
  py::class_<Records>(module, "Records")
      .def_static("dense", &dense, py::arg("x").noconvert())
      .def_static("sparse", &sparse)
      .def_static("table", &table)
      .def_static("raw", &raw)
      .def("set_numbers", &set_numbers)
      .def("set_classes", &set_classes)
      .def("set_users", &set_users)
      .def("set_weights", &set_weights)
      .def("set_user_names",
           [](Records& records, std::vector<std::string> names) {
             records.read.user_names = std::move(names);
           })
      .def("set_names", [](Records& records,
                           std::vector<std::string> names) { records.read.data.names = std::move(names); })
      .def("assume_names_public",
           [](Records& records) { records.read.read_off_data.emplace_back(key_of(ReadOff::names)); })
      .def_property_readonly("names", [](const Records& records) { return records.read.data.names; })
      .def_property_readonly("labels", [](const Records& records) { return records.read.data.labels; })
      .def_property_readonly("classes", [](const Records& records) { return records.read.data.classes; })
      .def_property_readonly("users", [](const Records& records) { return records.read.data.users; })
      .def("count_in_group",
           [](const Records& records, const std::string& group) {
             const auto asked = service::parse_group("group", group);
             return asked ? service::count_in_group(records.read.data, *asked) : records.read.data.size();
           })
      .def_property_readonly("rows", [](const Records& records) { return records.read.data.size(); })
      .def("scores", &scores);
}

}  // namespace tacit::python

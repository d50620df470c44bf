# A label beyond doubles is refused, although the schema bounds the target.
set(source csv_parser.hpp)
set(compiled csv_read.cpp)
set(right [[if (!label || !std::isfinite(*label))]])
set(wrong [[if (!label || !std::isfinite(*number))]])

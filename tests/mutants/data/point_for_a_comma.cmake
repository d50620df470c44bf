# Cells in quotes are read with a decimal point, whatever the mark is.
set(source csv_parser.hpp)
set(compiled csv_read.cpp)
set(right [[if (const auto number = number_in(text, decimal))]])
set(wrong [[if (const auto number = number_in(text))]])

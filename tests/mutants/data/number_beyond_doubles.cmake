# 1e309 in a bounded column is refused, 1e308 is cut.
set(source csv_rows.cpp)
set(right [[if (number && !std::isnan(*number)) return encode_number(column, *number);]])
set(wrong [[if (number && std::isinf(*number)) cursor_.fail("{} is too large for a double", shown(text));
    if (number && !std::isnan(*number)) return encode_number(column, *number);]])

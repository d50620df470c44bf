# 1e309 in a bounded column is refused, 1e308 is cut.
set(source encoder_cells.cpp)
set(right [[if (!number || std::isnan(*number))]])
set(wrong [[if (number && std::isinf(*number)) return fmt::format("{} is too large for a double", shown(text));
    if (!number || std::isnan(*number))]])

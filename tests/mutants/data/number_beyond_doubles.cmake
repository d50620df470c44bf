# 1e309 in a bounded column is refused, 1e308 is cut.
set(source read_cell.hpp)
set(compiled encoder_cells.cpp)
set(right [[if (!number && !text.empty() && !unreadable_missing)]])
set(wrong [[if (number && std::isinf(*number)) return fmt::format("{} is too large for a double", shown(text));
    if (!number && !text.empty() && !unreadable_missing)]])

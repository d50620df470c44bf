# A file without a header has as many columns as its first record has cells.
set(source csv_schema_layout.cpp)
set(right [[if (options.target_optional && options.wish == TargetWish::none) {]])
set(wrong [[if (options.schema) {]])

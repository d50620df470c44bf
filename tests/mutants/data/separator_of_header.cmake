# The separator is guessed from the first records, although there is a schema.
set(source csv_schema_layout.cpp)
set(right [[std::vector<char> separators{options.separator.value_or(usual_separator(options))};
  if (!options.separator) separators.insert(]])
set(wrong [[std::vector<char> separators{options.separator.value_or(find_separator(head.text))};
  if (false) separators.insert(]])

# The same where the file has no header.
set(source csv_schema_layout.cpp)
set(right [[layout.context.separator = options.separator.value_or(usual_separator(options));]])
set(wrong [[layout.context.separator = options.separator.value_or(find_separator(head.text));]])

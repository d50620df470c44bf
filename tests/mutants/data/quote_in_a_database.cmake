# A quote in a text from a database is not doubled.
set(source table_text.cpp)
set(right [[content_.append(value.substr(0, at + 1)) += '"';]])
set(wrong [[content_.append(value.substr(0, at + 1));]])

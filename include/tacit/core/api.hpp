#pragma once

// Symbols are hidden unless they carry TACIT_API. The inline namespace `v1` is part of every mangled name, so
// that two incompatible versions of the library cannot be mixed without a link error.
#define TACIT_API __attribute__((visibility("default")))

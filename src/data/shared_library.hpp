#pragma once

#include <dlfcn.h>

#include <string>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

// A library that is looked for when it is needed, so that the tool runs where it is not installed. It stays
// loaded: libraries with threads of their own do not bear being unloaded.
class SharedLibrary {
 public:
  // NotFoundError, which ends with the remedy, when it cannot be loaded.
  SharedLibrary(const std::string& file, const std::string& remedy)
      : file_(file), handle_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw_error<NotFoundError>("{} cannot be loaded; {}", file, remedy);
  }

  // The function of this name, of the type that the caller knows it to have.
  template <class Function>
  void find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(::dlsym(handle_, name));
    if (function == nullptr) throw_error<NotFoundError>("{} has no function {}", file_, name);
  }

 private:
  std::string file_;
  void* handle_;
};

}  // namespace tacit::inline v1

#pragma once

#include <exception>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace yatlab {

/// The current exception in readable form; for catch blocks only. An `Error` stays unchanged. For others the
/// message is the text before stack frames ("Exception raised from ..."), as one paragraph; the full text is in `details()`.
/// Refused files and threads are file errors, lack of memory is a job error; unknown exceptions are internal errors, since they are presumably bugs.
Error current_error();

/// Like current_error, for an exception from `component` ("operator 'yat'"): never an internal error. An error that already has a place keeps it, and
/// data and file errors, which name the file, stay unchanged.
Error current_error_of(const std::string& component);

/// Returns the result of `body`. Exceptions name the component; those that are not a std::exception (a request to stop) pass through.
template <class Body>
decltype(auto) in_component(const char* kind, const std::string& name, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const std::exception&) {
    throw current_error_of(std::string(kind) + " '" + name + "'");
  }
}

}  // namespace yatlab

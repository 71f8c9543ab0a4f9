#pragma once

#include <exception>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace yatlab {

/// The exception that is being handled, as people read it; for catch blocks only. An `Error` stays as it is. Of others the
/// message is what comes before stack frames ("Exception raised from ..."), in one paragraph; all that it said is in `details()`.
/// Files and memory that could not be had are job errors, others internal ones: a bug, if nobody knows better.
Error current_error();

/// The same for what `component` ("operator 'yat'") threw: never called a bug in Yatlab. An error that says where it arose keeps that, and one
/// about data or files, which names them, is left alone.
Error current_error_of(const std::string& component);

/// What `body` returns. What it throws names the component; what is not a std::exception (a request to stop) passes.
template <class Body>
decltype(auto) in_component(const char* kind, const std::string& name, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const std::exception&) {
    throw current_error_of(std::string(kind) + " '" + name + "'");
  }
}

}  // namespace yatlab

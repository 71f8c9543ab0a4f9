// Shared by the tests of many folders.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/node.h"

namespace yatlab::testing {

/// {name: ..., <parameters>}
inline Node spec(const std::string& name, const std::vector<std::pair<std::string, Node>>& parameters = {}) {
  Node out = Node::map();
  out.set("name", name);
  for (const auto& [key, value] : parameters) out.set(key, value);
  return out;
}

/// The text of the error that `body` throws; "no error" if it throws none.
template <class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace yatlab::testing

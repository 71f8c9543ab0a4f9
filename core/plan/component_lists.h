// Lists of components in an experiment. Not part of the public interface.
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/base/error.h"
#include "core/registry/registry.h"

namespace yatlab {

/// The list with every component completed.
template <class T>
Node completed_list(const Node& specs) {
  Node out = Node::list();
  for (const auto& spec : specs.as_list()) {
    const Node* name = spec.is_map() ? spec.find("name") : &spec;
    const std::string kind = KindOf<T>::name;
    out.push_back(Registry<T>::complete(spec, name && name->is_string() ? kind + "/" + name->as_string() : kind));
  }
  return out;
}

/// Throws where an arm lacks a component that its jobs need.
inline void require_component(const Node& experiment, const char* key, const std::string& arm) {
  if (!experiment.at(key).is_null()) return;
  throw config_error(
      fmt::format("arm '{}' has no {}", arm, key), experiment.origin().describe(), {},
      fmt::format("add '- /{}: ...' to the defaults, or {}=... to the arm ('yatlab list {}' shows the choices)", key, key, key));
}

}  // namespace yatlab

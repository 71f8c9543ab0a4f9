#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/node.h"
#include "core/config/function_doc.h"
#include "core/config/yaml.h"

namespace yatlab {

/// The inputs of a resolver call: typed, resolved arguments and access to the config.
struct ResolverCall {
  const std::vector<Node>& args;
  const std::function<Node(const std::string& path)>& select;  ///< resolved value; throws if absent
  const std::function<bool(const std::string& path)>& exists;  ///< also false for paths above the root
  const std::function<Node(const std::string& text)>& decode;  ///< parses a text as a value and evaluates its interpolations
  WarningSink warn;
  const Origin& origin;
  const std::string& key;        ///< full key of the value that holds the interpolation
  const std::string& signature;  ///< the resolver's signature, for messages
};

struct ResolverEntry {
  FunctionDoc doc;
  Node (*evaluate)(const ResolverCall&);
};

/// nullptr when there is no such resolver.
const ResolverEntry* find_resolver(const std::string& name);

}  // namespace yatlab

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/node.h"
#include "core/config/function_doc.h"
#include "core/config/yaml.h"

namespace yatlab {

/// What a resolver is called with: typed, resolved arguments.
struct ResolverCall {
  const std::vector<Node>& args;
  const std::function<Node(const std::string& path)>& select;  ///< resolved value; throws if absent
  const std::function<bool(const std::string& path)>& exists;  ///< false above the top, too
  const std::function<Node(const std::string& text)>& decode;  ///< a text as the value it spells, interpolations evaluated
  WarningSink warn;
  const Origin& origin;
  const std::string& key;        ///< full key of the value that holds the interpolation
  const std::string& signature;  ///< how the resolver is written, for messages
};

struct ResolverEntry {
  FunctionDoc doc;
  Node (*evaluate)(const ResolverCall&);
};

/// nullptr when there is no such resolver.
const ResolverEntry* find_resolver(const std::string& name);

}  // namespace yatlab

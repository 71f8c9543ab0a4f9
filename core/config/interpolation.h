#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/node.h"
#include "core/config/yaml.h"

namespace yatlab {

/// Everything with `${...}` replaced by what it stands for; `\${` becomes a literal `${`. Values
/// that came from an interpolation keep the origin of the text that held it.
///
/// `${a.b}` and `${a[b]}` look from the root, `${.x}` beside the value, `${..x}` one map further
/// out; `${fn:args}` calls a resolver. Alone in its text an interpolation keeps its type and may be
/// a whole map; inside other text it becomes text.
///
/// Config errors: a cycle, a key that does not exist (with the nearest one), `???` reached through
/// an interpolation, an unknown resolver, bad syntax. A `???` that nothing refers to stays.
/// `warn` hears of deprecated keys (`oc.deprecated`).
Node resolve(const Node& root, const WarningSink& warn = {});

/// The resolved value at `path` alone; other values need not be resolvable.
Node resolve_at(const Node& root, std::string_view path);

/// Throws for the first value that is still `???`, with its full key.
void require_no_missing(const Node& root, const std::string& prefix = {});

/// What a resolver is called with: typed, resolved arguments.
struct ResolverCall {
  const std::vector<Node>& args;
  const std::function<Node(const std::string& path)>& select;  ///< resolved value; throws if absent
  const std::function<bool(const std::string& path)>& exists;
  const WarningSink& warn;
  const Origin& origin;
  const std::string& key;  ///< full key of the value that holds the interpolation
};
using Resolver = std::function<Node(const ResolverCall&)>;

/// Makes `${name:...}` available. Replaces an earlier registration of the same name.
/// Built in: oc.env, oc.decode, oc.create, oc.select, oc.dict.keys, oc.dict.values, oc.deprecated,
/// now (one time per process, so that all jobs agree).
void register_resolver(const std::string& name, Resolver resolver);

}  // namespace yatlab

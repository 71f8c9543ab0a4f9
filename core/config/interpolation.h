#pragma once

#include <string>
#include <string_view>

#include "core/base/node.h"
#include "core/config/yaml.h"

namespace yatlab {

/// Returns `root` with every `${...}` replaced by its value; `\${` becomes a literal `${`. Values
/// that came from an interpolation keep the origin of the text that held it.
///
/// `${a.b}` and `${a[b]}` start at the root, `${.x}` at the map that holds the value, `${..x}` one map further
/// out; `${list.-1}` counts from the end; `${fn:args}` calls a resolver (`interpolation_resolvers`). An interpolation that is the whole text keeps
/// its type and may be a map; inside other text it becomes text.
///
/// Config errors: a cycle, a key that does not exist (naming the nearest one), `???` reached through
/// an interpolation, an unknown resolver, bad syntax, a result beyond core/config/limits.h. A `???` that nothing refers to stays.
/// `warn` is called for deprecated keys (`oc.deprecated`).
Node resolve(const Node& root, WarningSink warn = {});

/// Escapes every `${` in texts, so that `resolve` returns `node` again. For resolved values that are written into a file that will be resolved.
Node escape_interpolations(Node node);

/// The resolved value at `path` only; other values need not be resolvable.
Node resolve_at(const Node& root, std::string_view path);

}  // namespace yatlab
